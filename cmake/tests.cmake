# Tests, benchmarks, examples, all found by their place:
#   test/*/test_*.c      one cmocka program each, linked with the static library so that internals can be tested
#   test/*/*.sh, *.py    scripts that drive the tool or the installed library
#   examples/*.c         one program each, run in a temporary folder: exit status 0 is a pass
#   bench/bench_*.c      built, not run
# A line `// link: OPTIONS` among the first ten of a test source adds link options (e.g. -Wl,--wrap=malloc).
# A line `// apart: NAME` there registers the test once more, as FOLDER/TEST-NAME, with NAME as its argument: for what
# needs more than the source, and is told as skipped where that is not there (test/apart.h).
pkg_check_modules(cmocka REQUIRED IMPORTED_TARGET cmocka)
find_program(PYTHON3 python3 PATHS /usr/bin NO_DEFAULT_PATH)  # the system's, which has h5py, rather than another one
find_program(PYTHON3 python3)

set(default_data ${PROJECT_SOURCE_DIR}/../shared/data)  # beside the project
if(DEFINED ENV{SS_SHARED_DATA})
  set(default_data $ENV{SS_SHARED_DATA})
endif()
set(SS_SHARED_DATA ${default_data} CACHE PATH "public problems that some tests solve, problems/answers.json among them")

string(REPLACE ";" " " flags_text "${sanitizer_flags}")
set(test_environment
  SS_SOURCE_DIR=${PROJECT_SOURCE_DIR}
  SS_BUILD_DIR=${PROJECT_BINARY_DIR}
  SS_SHARED_DATA=${SS_SHARED_DATA}
  SS_TOOL=${PROJECT_BINARY_DIR}/stickslip
  SS_CC=${CMAKE_C_COMPILER}
  "SS_CFLAGS=${flags_text}"  # what a program needs to link with this build's libraries
  OPENBLAS_NUM_THREADS=1
  ASAN_OPTIONS=allocator_may_return_null=1:detect_stack_use_after_return=1  # memory that is short is NULL, as in life
  LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/cmake/leaks.supp:print_suppressions=0
  UBSAN_OPTIONS=print_stacktrace=1)

# The name of a test: its path below test/ without extension and without `test_`, e.g. base/arena
function(register source)
  cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/test OUTPUT_VARIABLE path)
  get_filename_component(folder ${path} DIRECTORY)
  get_filename_component(name ${path} NAME_WLE)
  string(REGEX REPLACE "^test_" "" name ${name})
  set(cost 0)  # those that take long begin first, so that none is left over at the end: browsers, then scripts
  if(folder STREQUAL "viewer")
    set(cost 100)
  elseif(folder MATCHES "^(cli|campaign)$")
    set(cost 50)
  endif()
  add_test(NAME ${folder}/${name} COMMAND ${ARGN})
  set_tests_properties(${folder}/${name} PROPERTIES ENVIRONMENT "${test_environment}" TIMEOUT 900 COST ${cost}
                       SKIP_RETURN_CODE 77)
endfunction()

include(CheckLinkerFlag)
check_linker_flag(C -fuse-ld=gold HAVE_GOLD)  # part of Debian's binutils; takes half the time, 300 times

# A program from one source, linked with the static library and what ARGN names
function(program target source)
  add_executable(${target} ${source})
  target_link_libraries(${target} PRIVATE stickslip_flags static ${ARGN})
  target_link_options(${target} PRIVATE $<$<BOOL:${HAVE_GOLD}>:-fuse-ld=gold> ${sanitizer_link})
endfunction()

# libccd answers the same questions as src/collide; collide/ccd compares where it is installed, nothing else uses it.
find_library(LIBCCD ccd)
find_path(LIBCCD_INCLUDE ccd/ccd.h)

file(GLOB test_sources CONFIGURE_DEPENDS test/*/test_*.c)
foreach(source ${test_sources})
  if(source MATCHES "/test_ccd\\.c$" AND NOT (LIBCCD AND LIBCCD_INCLUDE))
    message(STATUS "libccd is not installed (scripts/install-deps): the test collide/ccd is left out")
    continue()
  endif()
  string(REGEX REPLACE "^.*/([^/]+)/test_([^/]+)\\.c$" "test-\\1-\\2" target ${source})
  program(${target} ${source} PkgConfig::cmocka ${stickslip_dependencies})
  if(source MATCHES "/test_ccd\\.c$")
    target_link_libraries(${target} PRIVATE ${LIBCCD})
  endif()
  target_include_directories(${target} PRIVATE src test)
  target_compile_options(${target} PRIVATE -O1)  # compiled in a third of the time; the library is what must be fast
  target_compile_definitions(${target} PRIVATE SS_SOURCE_DIR="${PROJECT_SOURCE_DIR}" SS_VERSION="${PROJECT_VERSION}"
    SS_TOOL="${PROJECT_BINARY_DIR}/stickslip" SS_SHARED_DATA="${SS_SHARED_DATA}")
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test)
  file(STRINGS ${source} head LIMIT_COUNT 10)
  foreach(line ${head})
    if(line MATCHES "^// link: (.*)$")
      separate_arguments(options UNIX_COMMAND "${CMAKE_MATCH_1}")
      target_link_options(${target} PRIVATE ${options})
    endif()
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  register(${source} ${target})
  foreach(line ${head})
    if(line MATCHES "^// apart: (.*)$")
      set(apart ${CMAKE_MATCH_1})
      string(REGEX REPLACE "\\.c$" "-${apart}.c" source_apart ${source})
      register(${source_apart} ${target} ${apart})
    endif()
  endforeach()
endforeach()

file(GLOB test_scripts CONFIGURE_DEPENDS test/*/*.sh test/*/*.py)
# some cases of each kind; scripts/study runs thousands
list(FILTER test_scripts EXCLUDE REGEX "/campaign/campaign\\.py$")
set(campaign_text 12)
set(campaign_linkage 12)
set(campaign_scene 8)
foreach(kind text linkage scene)
  if(STICKSLIP_SANITIZE)
    set(campaign_${kind} 2)
  endif()
  register(${PROJECT_SOURCE_DIR}/test/campaign/${kind}.py ${PYTHON3} ${PROJECT_SOURCE_DIR}/test/campaign/campaign.py
           --family ${kind} --cases ${campaign_${kind}})
endforeach()
if(STICKSLIP_SANITIZE)  # a browser shows the same page again; cli/report and viewer/server are the tool's part
  list(FILTER test_scripts EXCLUDE REGEX "/(viewer/(browser|live)\\.sh|cli/render\\.py)$")
endif()
foreach(script ${test_scripts})
  if(script MATCHES "\\.py$")
    register(${script} ${PYTHON3} ${script})
  else()
    register(${script} bash ${script})
  endif()
endforeach()

file(GLOB example_sources CONFIGURE_DEPENDS examples/*.c)
foreach(source ${example_sources})
  get_filename_component(name ${source} NAME_WLE)
  program(example-${name} ${source} PkgConfig::cjson)
  set_target_properties(example-${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/examples
                        OUTPUT_NAME ${name})
  register(${PROJECT_SOURCE_DIR}/test/examples/${name}
           sh ${PROJECT_SOURCE_DIR}/cmake/in-temporary-folder.sh $<TARGET_FILE:example-${name}>)
endforeach()

# Benchmarks against Siconos are built where it is installed (scripts/install-deps --bench); nothing else uses it.
find_library(SICONOS_NUMERICS siconos_numerics)
find_path(SICONOS_INCLUDE numerics/SiconosNumerics.h PATH_SUFFIXES siconos)
# ... and against MuJoCo likewise.
find_library(MUJOCO mujoco)
find_path(MUJOCO_INCLUDE mujoco/mujoco.h)

include(cmake/engines.cmake)  # engines: bench_engines, which compares with several

file(GLOB bench_sources CONFIGURE_DEPENDS bench/bench_*.c)
if(STICKSLIP_SANITIZE)  # nobody measures these
  set(bench_sources "")
endif()
foreach(source ${bench_sources})
  get_filename_component(name ${source} NAME_WLE)
  if(name MATCHES "^bench_siconos_" AND NOT (SICONOS_NUMERICS AND SICONOS_INCLUDE))
    continue()
  endif()
  if(name MATCHES "^bench_mujoco" AND NOT (MUJOCO AND MUJOCO_INCLUDE))
    continue()
  endif()
  program(${name} ${source} ${stickslip_dependencies})
  target_include_directories(${name} PRIVATE src)
  if(name MATCHES "^bench_siconos_")
    target_include_directories(${name} SYSTEM PRIVATE ${SICONOS_INCLUDE} ${SICONOS_INCLUDE}/numerics)
    target_link_libraries(${name} PRIVATE ${SICONOS_NUMERICS})
  endif()
  if(name MATCHES "^bench_mujoco")
    target_include_directories(${name} SYSTEM PRIVATE ${MUJOCO_INCLUDE})
    target_link_libraries(${name} PRIVATE ${MUJOCO})
  endif()
  if(name STREQUAL bench_engines)
    add_engines(${name})
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL TRUE)  # it takes long; scripts/bench builds it
  endif()
  target_compile_definitions(${name} PRIVATE SS_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
endforeach()
