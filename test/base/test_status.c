// Status texts, version, errors.
#include <stickslip/base.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void test_every_status_has_its_text(void** state)
{
  (void)state;
#define X(name, value, text) assert_int_equal(name, value); assert_string_equal(ss_status_text(name), text);
  SS_STATUS_LIST(X)
#undef X
  assert_string_equal(ss_status_text((ss_status)99), "unknown status");
}

static void test_version(void** state)
{
  (void)state;
  assert_string_equal(ss_version(), SS_VERSION);
}

static void test_error_set(void** state)
{
  (void)state;
  ss_error e;
  memset(&e, 'x', sizeof e);  // as on a stack that nobody cleared
  assert_int_equal(ss_error_set(&e, SS_ERR_INPUT, "mass is %g; it must be positive", -1.5), SS_ERR_INPUT);
  assert_int_equal(e.status, SS_ERR_INPUT);
  assert_string_equal(e.text, "mass is -1.5; it must be positive");
  assert_string_equal(e.file, "");
  assert_int_equal(e.line, 0);
  assert_int_equal(e.column, 0);

  ss_error_set(&e, SS_ERR_FILE, "first: %s", e.text);  // its own text as an argument
  assert_string_equal(e.text, "first: mass is -1.5; it must be positive");
  assert_int_equal(ss_error_set(NULL, SS_ERR_MEMORY, "nobody listens"), SS_ERR_MEMORY);
}

static void test_long_text_is_cut_visibly(void** state)
{
  (void)state;
  ss_error e;
  char text[2*sizeof e.text];
  memset(text, 'a', sizeof text - 1);
  text[sizeof text - 1] = 0;
  ss_error_set(&e, SS_ERR_INPUT, "%s", text);
  assert_int_equal(strlen(e.text), sizeof e.text - 1);
  assert_string_equal(e.text + sizeof e.text - 5, "a...");
}

static void test_error_format_omits_unknown_parts(void** state)
{
  (void)state;
  static const struct { const char* file; int line, column; const char* expected; } row[] = {
    {"a.yaml", 3, 7, "a.yaml:3:7: wrong"},
    {"a.yaml", 3, 0, "a.yaml:3: wrong"},
    {"a.yaml", 0, 0, "a.yaml: wrong"},
    {"a.yaml", 0, 7, "a.yaml: wrong"},
    {"", 3, 7, "line 3, column 7: wrong"},
    {"", 3, 0, "line 3: wrong"},
    {"", 0, 0, "wrong"},
  };
  for (size_t i = 0; i < sizeof row/sizeof *row; i++) {
    char out[64];
    ss_error e = {.status = SS_ERR_INPUT, .line = row[i].line, .column = row[i].column, .text = "wrong"};
    strcpy(e.file, row[i].file);
    assert_ptr_equal(ss_error_format(&e, out, sizeof out), out);
    assert_string_equal(out, row[i].expected);
  }
}

static void test_error_format_edges(void** state)
{
  (void)state;
  char out[8] = "before";
  ss_error e = {.status = SS_ERR_MEMORY};
  ss_error_format(&e, out, 0);  // no room at all: untouched
  assert_string_equal(out, "before");
  assert_string_equal(ss_error_format(&e, out, sizeof out), "out of ");  // no text: that of the status, cut
  assert_string_equal(ss_error_format(NULL, out, sizeof out), "");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_status_has_its_text),
    cmocka_unit_test(test_version),
    cmocka_unit_test(test_error_set),
    cmocka_unit_test(test_long_text_is_cut_visibly),
    cmocka_unit_test(test_error_format_omits_unknown_parts),
    cmocka_unit_test(test_error_format_edges),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
