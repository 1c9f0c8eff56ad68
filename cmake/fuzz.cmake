# Fuzzers: each test/fuzz/fuzz_*.c defines LLVMFuzzerTestOneInput and becomes build/fuzz/fuzz_*.
file(GLOB fuzz_sources CONFIGURE_DEPENDS test/fuzz/fuzz_*.c)
foreach(source ${fuzz_sources})
  get_filename_component(name ${source} NAME_WLE)
  add_executable(${name} ${source})
  target_include_directories(${name} PRIVATE src)
  target_link_libraries(${name} PRIVATE stickslip_flags static)
  target_compile_options(${name} PRIVATE -Wno-missing-prototypes)  # the entry point has no header
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
endforeach()
