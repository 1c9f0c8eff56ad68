# How everything is compiled: target stickslip_flags.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_FLAGS_RELEASE "-O3 -DNDEBUG")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g")
if(STICKSLIP_SANITIZE)  # whose steps are slow; lines are all that their traces show
  set(CMAKE_C_FLAGS_DEBUG "-O1 -g1")
endif()

add_library(stickslip_flags INTERFACE)
target_compile_definitions(stickslip_flags INTERFACE _POSIX_C_SOURCE=200809L _XOPEN_SOURCE=700)  # the latter: realpath
target_compile_options(stickslip_flags INTERFACE
  -Wall -Wextra -pedantic -Wmissing-prototypes -Wshadow -Wvla
  -fvisibility=hidden
  # No fused multiply-add behind our back: the same bits from every compiler and machine, as long as problems are so
  # small that src/math does without BLAS, which has its own ways on each machine.
  -ffp-contract=off
  -fno-math-errno)     # sqrt and friends inline; nobody reads errno after them
if(STICKSLIP_WERROR)
  target_compile_options(stickslip_flags INTERFACE -Werror)
endif()
target_link_options(stickslip_flags INTERFACE -Wl,--as-needed)

# Overflows of the stack and of buffers end the program; nothing that is called can be exchanged after its start.
if(NOT STICKSLIP_SANITIZE AND NOT STICKSLIP_THREAD)
  target_compile_options(stickslip_flags INTERFACE -fstack-protector-strong
    $<$<CONFIG:Release>:-U_FORTIFY_SOURCE> $<$<CONFIG:Release>:-D_FORTIFY_SOURCE=2>)
endif()
target_link_options(stickslip_flags INTERFACE -Wl,-z,relro -Wl,-z,now)
include(CheckPIESupported)
check_pie_supported()

# Where libraries are looked for besides the system's folders: where they were found. The same in the build tree as
# installed: CMake would end the list of the build tree in an empty entry, which means the current folder.
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)

set(sanitizer_flags "")
if(STICKSLIP_SANITIZE)
  set(sanitizer_flags -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
endif()
if(STICKSLIP_THREAD)
  set(sanitizer_flags -fsanitize=thread -fno-omit-frame-pointer)
endif()
if(STICKSLIP_FUZZ)
  list(APPEND sanitizer_flags -fsanitize=fuzzer-no-link)
endif()
target_compile_options(stickslip_flags INTERFACE ${sanitizer_flags})
if(sanitizer_flags AND CMAKE_C_COMPILER_ID STREQUAL "GNU")  # false alarms beside sanitizers, says gcc; release has them
  target_compile_options(stickslip_flags INTERFACE -Wno-format-truncation -Wno-maybe-uninitialized)
endif()
target_link_options(stickslip_flags INTERFACE ${sanitizer_flags})
set(sanitizer_link "")  # of programs
if(STICKSLIP_SANITIZE)
  # Every place that the undefined-behaviour sanitizer may tell of has an address in the data: half a million to be
  # relocated at each start, a fifth of what `stickslip --version` takes, and tests start the tool often.
  set(sanitizer_link -no-pie)
endif()
