#!/usr/bin/env bash
# Installs into a temporary prefix, then builds and runs examples/consumer against it: by the CMake package and by
# pkg-config, each with the shared and the static library. The prefix is moved first: an installation can be relocated.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
consumer=$SS_SOURCE_DIR/examples/consumer
export CC=$SS_CC CFLAGS=$SS_CFLAGS
expected='x = (1.33333, 2.33333)'  # 2 x + y = 5, x + 2 y = 6

quietly() { "$@" >log 2>&1 || { echo "failed: $*"; cat log; exit 1; }; }
check() {  # check PROGRAM: runs, prints what is expected
  local printed
  printed=$("$1") || { echo "$1 failed"; exit 1; }
  case $printed in
    *"$expected"*) echo "$1: $printed" ;;
    *) echo "$1 printed '$printed', not '$expected'"; exit 1 ;;
  esac
}

quietly cmake --install "$SS_BUILD_DIR" --prefix "$folder/first"
mv first prefix
for file in bin/stickslip include/stickslip/stickslip.h lib/libstickslip.a lib/libstickslip.so \
            lib/pkgconfig/stickslip.pc share/stickslip/models/woodpecker.yaml share/doc/stickslip/LICENSE \
            share/bash-completion/completions/stickslip share/zsh/site-functions/_stickslip \
            share/fish/vendor_completions.d/stickslip.fish; do
  [ -s "prefix/$file" ] || { echo "not installed: $file"; exit 1; }
done

quietly cmake -G Ninja -S "$consumer" -B by-cmake -DCMAKE_PREFIX_PATH="$folder/prefix"
quietly cmake --build by-cmake
check by-cmake/with-shared
check by-cmake/with-static

export PKG_CONFIG_PATH=$folder/prefix/lib/pkgconfig
mkdir by-pkg-config
quietly $CC $CFLAGS "$consumer/main.c" -o by-pkg-config/with-shared $(pkg-config --cflags --libs stickslip) \
  -Wl,-rpath,"$folder/prefix/lib"
check by-pkg-config/with-shared
# the static library by its file name, which wins over -lstickslip
quietly $CC $CFLAGS "$consumer/main.c" -o by-pkg-config/with-static $(pkg-config --cflags stickslip) \
  prefix/lib/libstickslip.a $(pkg-config --libs --static stickslip | sed 's/-lstickslip//')
check by-pkg-config/with-static
quietly prefix/bin/stickslip --version
