// The catalogue built into the library is the folder models/, byte for byte, sorted by name.
#include <stickslip/model.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/text.h"

static void test_catalogue_is_the_folder(void** state)
{
  (void)state;
  const ss_catalogue_entry* list;
  int n = ss_catalogue(&list);
  glob_t files;
  assert_int_equal(glob(SS_SOURCE_DIR "/models/*.yaml", 0, NULL, &files), 0);
  assert_int_equal(glob(SS_SOURCE_DIR "/models/*.xml", GLOB_APPEND, NULL, &files), 0);
  assert_int_equal(n, files.gl_pathc);
  for (int i = 0; i < n; i++) {
    char path[1024];
    const char* ending = list[i].text[0] == '<' ? "xml" : "yaml";
    snprintf(path, sizeof path, SS_SOURCE_DIR "/models/%s.%s", list[i].name, ending);
    char* text = ss_read_file(path, NULL, NULL);
    assert_non_null(text);
    assert_string_equal(list[i].text, text);
    free(text);
    if (i) assert_true(strcmp(list[i - 1].name, list[i].name) < 0);
  }
  globfree(&files);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_catalogue_is_the_folder)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
