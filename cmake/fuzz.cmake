# Fuzzers: each test/fuzz/fuzz_*.c defines LLVMFuzzerTestOneInput and becomes build/fuzz/fuzz_*. Those of the tool's own
# readers are linked with the tool, without its main(), viewer and server.
file(GLOB tool_sources CONFIGURE_DEPENDS cli/*.c)
list(REMOVE_ITEM tool_sources ${PROJECT_SOURCE_DIR}/cli/server.c ${PROJECT_SOURCE_DIR}/cli/server_masks.c)
set_source_files_properties(cli/main.c PROPERTIES COMPILE_DEFINITIONS main=cli_main
                            COMPILE_OPTIONS -Wno-missing-prototypes)
file(WRITE ${PROJECT_BINARY_DIR}/viewer.c "#include \"page.h\"\nconst unsigned char cli_viewer_page[] = {0};\n\
const size_t cli_viewer_size = 0;\n")
add_library(fuzz_tool STATIC ${tool_sources} ${PROJECT_BINARY_DIR}/viewer.c)
target_include_directories(fuzz_tool PUBLIC cli)
target_compile_definitions(fuzz_tool PRIVATE CLI_MPI_FOLDER="")
target_link_libraries(fuzz_tool PUBLIC stickslip_flags static PkgConfig::cjson Threads::Threads ${CMAKE_DL_LIBS})

file(GLOB fuzz_sources CONFIGURE_DEPENDS test/fuzz/fuzz_*.c)
foreach(source ${fuzz_sources})
  get_filename_component(name ${source} NAME_WLE)
  add_executable(${name} ${source})
  target_include_directories(${name} PRIVATE src)
  if(name MATCHES "^fuzz_(hdf5|view|sweep)$")
    target_link_libraries(${name} PRIVATE fuzz_tool)
  endif()
  target_link_libraries(${name} PRIVATE stickslip_flags static)
  target_compile_options(${name} PRIVATE -Wno-missing-prototypes)  # the entry point has no header
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
endforeach()

# The tool as a server, for campaigns (test/cli/damaged.py)
add_executable(serve_tool test/fuzz/serve_tool.c)
target_link_libraries(serve_tool PRIVATE fuzz_tool stickslip_flags static)
