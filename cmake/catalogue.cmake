# The catalogue: every models/*.yaml and *.xml becomes a byte array in catalogue.c, which implements ss_catalogue().
# Included by CMakeLists.txt it makes the rule; run by `cmake -P` (with OUTPUT and a list MODELS) it writes the file.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  file(GLOB models CONFIGURE_DEPENDS models/*.yaml models/*.xml)
  set(catalogue_source ${PROJECT_BINARY_DIR}/catalogue.c)
  string(REPLACE ";" "," model_list "${models}")
  add_custom_command(OUTPUT ${catalogue_source}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${catalogue_source} "-DMODELS=${model_list}" -P ${CMAKE_CURRENT_LIST_FILE}
    DEPENDS ${models} ${CMAKE_CURRENT_LIST_FILE}
    COMMENT "Embedding the models" VERBATIM)
  return()
endif()

string(REPLACE "," ";" MODELS "${MODELS}")
set(names "")
foreach(model ${MODELS})
  get_filename_component(name ${model} NAME_WLE)
  file(READ ${model} hex HEX)
  string(REGEX REPLACE "(................................)" "\\1\n  " hex "${hex}")  # 16 bytes a line
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," text_${name} "${hex}")
  list(APPEND names ${name})
endforeach()
list(SORT names)
list(LENGTH names count)

set(arrays "")
set(table "")
set(i 0)
foreach(name ${names})
  string(APPEND arrays "static const unsigned char text_${i}[] = {  // ${name}\n  ${text_${name}}0};\n\n")
  string(APPEND table "  {\"${name}\", (const char*)text_${i}},\n")
  math(EXPR i "${i} + 1")
endforeach()
file(WRITE ${OUTPUT} "// Made from models/ by cmake/catalogue.cmake; do not edit.
#include <stickslip/model.h>

${arrays}static const ss_catalogue_entry catalogue[] = {  // sorted by name; the last row ends it
${table}  {0, 0},
};

int ss_catalogue(const ss_catalogue_entry** list)
{
  if (list) *list = catalogue;
  return ${count};
}
")
