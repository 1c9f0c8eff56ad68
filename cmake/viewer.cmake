# The viewer: the page of viewer/ (TypeScript), built by npm into one file and embedded into the tool as a byte array.
# Included by CMakeLists.txt it makes the rule; run by `cmake -P` (with SOURCE, FOLDER and NPM) it does the work, in a
# copy below the build folder, so that nothing is written into the source. Without npm, or if its packages cannot be
# had, the array is empty: the tool is complete but for `report` and `view`, which say so.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  option(STICKSLIP_VIEWER "build the page of `stickslip report` and `view` (needs nodejs and npm)" ON)
  find_program(NODE node)
  find_program(NPM npm)
  set(viewer_folder ${PROJECT_BINARY_DIR}/viewer)
  set(viewer_source ${viewer_folder}/viewer.c)
  set(npm "")
  if(STICKSLIP_VIEWER AND NODE AND NPM)
    set(npm ${NPM})
  else()
    message(STATUS "no viewer: nodejs and npm are missing, or not wanted; `stickslip report` and `view` will say so")
  endif()
  file(GLOB_RECURSE viewer_files CONFIGURE_DEPENDS viewer/src/*)
  list(APPEND viewer_files ${PROJECT_SOURCE_DIR}/viewer/index.html ${PROJECT_SOURCE_DIR}/viewer/vite.config.ts
       ${PROJECT_SOURCE_DIR}/viewer/tsconfig.json ${PROJECT_SOURCE_DIR}/viewer/package.json
       ${PROJECT_SOURCE_DIR}/viewer/package-lock.json)
  add_custom_command(OUTPUT ${viewer_source}
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR}/viewer -DFOLDER=${viewer_folder} "-DNPM=${npm}"
            -P ${CMAKE_CURRENT_LIST_FILE}
    DEPENDS ${viewer_files} ${CMAKE_CURRENT_LIST_FILE}
    COMMENT "Building the viewer" VERBATIM)
  return()
endif()

# npm ci, if the locked versions are not those that are there
function(get_packages)
  file(SHA256 ${SOURCE}/package-lock.json wanted)
  set(stamp ${FOLDER}/node_modules/.stickslip-lock)
  if(EXISTS ${stamp})
    file(READ ${stamp} there)
    if(there STREQUAL wanted)
      set(status 0 PARENT_SCOPE)
      return()
    endif()
  endif()
  execute_process(COMMAND ${NPM} ci --no-audit --no-fund --ignore-scripts --loglevel=error WORKING_DIRECTORY ${FOLDER}
                  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(status EQUAL 0)
    file(WRITE ${stamp} ${wanted})
  endif()
  set(status ${status} PARENT_SCOPE)
  set(output "${output}" PARENT_SCOPE)
endfunction()

set(page ${FOLDER}/dist/index.html)
file(MAKE_DIRECTORY ${FOLDER})
file(REMOVE_RECURSE ${FOLDER}/src ${FOLDER}/dist)
set(bytes "")
if(NPM)
  file(COPY ${SOURCE}/src ${SOURCE}/index.html ${SOURCE}/vite.config.ts ${SOURCE}/tsconfig.json ${SOURCE}/package.json
            ${SOURCE}/package-lock.json DESTINATION ${FOLDER})
  get_packages()
  if(NOT status EQUAL 0)
    message(WARNING "npm could not get the packages of the viewer; the tool is built without it.\n${output}")
  else()
    execute_process(COMMAND ${NPM} run --silent build WORKING_DIRECTORY ${FOLDER} RESULT_VARIABLE status
                    OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT status EQUAL 0)
      message(FATAL_ERROR "the viewer cannot be built:\n${output}")
    endif()
    file(READ ${page} bytes HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n"
           bytes "${bytes}")
  endif()
endif()
file(WRITE ${FOLDER}/viewer.c "// Made from viewer/ by cmake/viewer.cmake; do not edit.
#include \"page.h\"

const unsigned char cli_viewer_page[] = {
${bytes}0};
const size_t cli_viewer_size = sizeof cli_viewer_page - 1;
")
