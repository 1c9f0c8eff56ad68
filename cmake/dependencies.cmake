# The libraries we stand on, by pkg-config. stickslip_requires (their modules) is used again by the CMake package,
# stickslip_link_flags (how to link with them, not with what they need themselves) by stickslip.pc.
find_package(PkgConfig REQUIRED)
pkg_check_modules(serial QUIET hdf5-serial)  # beside an HDF5 for MPI `hdf5` may mean that one, which we do not need
set(stickslip_requires yaml-0.1 libxml-2.0 hdf5 libcjson lapacke openblas qhull_r)
if(serial_FOUND)
  list(TRANSFORM stickslip_requires REPLACE "^hdf5$" "hdf5-serial")
endif()
set(stickslip_dependencies "")
set(stickslip_link_flags "")
foreach(module ${stickslip_requires})
  string(REGEX REPLACE "^lib|-.*$" "" name ${module})
  pkg_check_modules(${name} REQUIRED IMPORTED_TARGET ${module})
  list(APPEND stickslip_dependencies PkgConfig::${name})
  list(APPEND stickslip_link_flags ${${name}_LDFLAGS})
endforeach()
find_package(Threads REQUIRED)
list(APPEND stickslip_dependencies m)
list(APPEND stickslip_link_flags -lm)
