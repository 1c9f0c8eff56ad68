# The short way to everything; `make help` lists it. The build itself is in CMakeLists.txt and CMakePresets.json.
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60

.PHONY: all release test demo install uninstall bench study format format-check fuzz clean help
.DEFAULT_GOAL := all

all: release

release:
	@scripts/build release

test:           # in release and under the sanitizers, by gcc; clang must take it without a warning too
	@scripts/test release debug
	@scripts/check-clang

demo:
	@scripts/demo

install: release
	cmake --install build/release --prefix "$(PREFIX)"

uninstall:
	@cmake --build build/release --target uninstall

bench: release
	@scripts/bench

study: release
	@scripts/study

format:
	@scripts/format

format-check:
	@scripts/format --check

fuzz:
	@scripts/fuzz $(FUZZ_SECONDS)

clean:
	rm -rf build demo study

help:
	@echo "make                 build the library and the tool into build/release"
	@echo "make demo            the woodpecker toy: run, event table, plots and report page into demo/"
	@echo "make test            install what is missing, then every test, optimised and under the sanitizers"
	@echo "make install         install below PREFIX (/usr/local)"
	@echo "make uninstall       remove what make install has put there"
	@echo "make bench           run the benchmarks (scripts/install-deps --bench: also against other programs)"
	@echo "make study           outlines by the 100 000, shapes by the million, the brush, all integrators, and random models for MINUTES (20), into study/"
	@echo "make fuzz            feed broken input to the readers for FUZZ_SECONDS (60) each"
	@echo "make format          lay out the C sources (clang-format); make format-check only looks"
	@echo "make clean           remove build/, demo/ and study/"
