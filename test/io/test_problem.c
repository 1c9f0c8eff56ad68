// Problem files: what is read, and for everything that is wrong the place and the reason.
#include "mistakes.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <stickslip/problem.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define LCP "{\"type\":\"lcp\","
#define MLCP "{\"type\":\"mlcp\","

static void test_reads_a_problem(void** state)
{
  (void)state;
  ss_error error;
  ss_problem* p = parse("\xef\xbb\xbf {\"type\": \"lcp\", \"name\": \"two\", \"note\": {\"A\": [1]},\n"
                        "\"A\": [[2, 1e-3], [-1.5E2, 0]], \"b\": [-1, 0.1]}\n", &error);
  assert_non_null(p);
  assert_int_equal(error.status, SS_OK);
  assert_string_equal(p->name, "two");
  assert_int_equal(p->lcp.n, 2);
  const double A[] = {2, 1e-3, -150, 0}, b[] = {-1, 0.1};
  assert_memory_equal(p->lcp.A, A, sizeof A);
  assert_memory_equal(p->lcp.b, b, sizeof b);
  ss_problem_destroy(p);
}

static void test_reads_a_mixed_problem(void** state)
{
  (void)state;
  ss_error error;
  ss_problem* p = parse("{\"type\": \"mlcp\", \"A\": [[2, 1], [-1, 0]], \"b\": [-1, 4],\n"
                        "\"lower\": [null, -0.5], \"upper\": [null, 0.5]}", &error);
  if (!p) fail_msg("%s", error.text);
  assert_int_equal(p->type, SS_PROBLEM_MLCP);
  assert_int_equal(p->lcp.n, 0);
  assert_int_equal(p->mlcp.n, 2);
  const double A[] = {2, 1, -1, 0}, b[] = {-1, 4}, lower[] = {-INFINITY, -0.5}, upper[] = {INFINITY, 0.5};
  assert_memory_equal(p->mlcp.A, A, sizeof A);
  assert_memory_equal(p->mlcp.b, b, sizeof b);
  assert_memory_equal(p->mlcp.lower, lower, sizeof lower);
  assert_memory_equal(p->mlcp.upper, upper, sizeof upper);
  ss_problem_destroy(p);
}

static void test_name_and_size_may_be_missing(void** state)
{
  (void)state;
  ss_problem* p = parse("{\"b\": [], \"A\": [], \"type\": \"lcp\"}", NULL);
  assert_non_null(p);
  assert_string_equal(p->name, "");
  assert_int_equal(p->lcp.n, 0);
  ss_problem_destroy(p);
  ss_problem_destroy(NULL);
}

static void test_reads_sparse_matrices(void** state)
{
  (void)state;
  ss_error error;
  ss_problem* p = parse("{\"type\":\"lcp\", \"A\": {\"entries\": [[1,0,3],[0,0,1],[1,0,0.5],[0,1,-2]], \"cols\": 2, "
                        "\"rows\": 2}, \"b\": [1, 2]}", &error);
  if (!p) fail_msg("%s", error.text);
  const double A[] = {1, -2, 3.5, 0};
  assert_memory_equal(p->lcp.A, A, sizeof A);
  ss_problem_destroy(p);
}

// A field that nothing is known of is not silently dropped
static void test_warnings(void** state)
{
  (void)state;
  ss_problem* p = parse("{\"type\":\"lcp\", \"nme\": 1,\n\"A\":[[1]], \"b\":[1], \"z\\nz\":\n 2}", NULL);
  assert_non_null(p);
  assert_string_equal(p->warnings, "line 1: the field \"nme\" is not known and was ignored; did you mean \"name\"?\n"
                                   "line 1: the field \"z?z\" is not known and was ignored");
  ss_problem_destroy(p);
  p = parse("{\"type\":\"lcp\", \"notes\": \"n\", \"A\":[[1]], \"b\":[1]}", NULL);
  assert_string_equal(p->warnings, "");
  assert_string_equal(p->notes, "n");
  ss_problem_destroy(p);
}

// Ten thousand unknown fields give a short list, and in no time
static void test_many_unknown_fields(void** state)
{
  (void)state;
  enum { MANY = 10000, EACH = 12 };
  char* text = malloc((size_t)MANY*EACH + 100);
  char* to = text + sprintf(text, LCP "\"A\":[[1]],\"b\":[1]");
  for (int i = 0; i < MANY; i++) to += sprintf(to, ",\"x%d\":1", i);
  strcpy(to, "}");
  ss_problem* p = parse(text, NULL);
  assert_non_null(p);
  assert_non_null(strstr(p->warnings, "\nand 9980 more warnings"));
  assert_true(strlen(p->warnings) < 3000);
  ss_problem_destroy(p);
  free(text);
}

// Doubles are read to the last bit
static void test_numbers_are_exact(void** state)
{
  (void)state;
  const double values[] = {0.1, 1.0/3, 1e308, 5e-324, 2.2250738585072014e-308, 123456789.123456789,
                           -0x1.fffffffffffffp-5};
  for (size_t k = 0; k < sizeof values/sizeof *values; k++) {
    char text[200];
    snprintf(text, sizeof text, "{\"type\":\"lcp\",\"A\":[[%.17g]],\"b\":[%.17g]}", values[k], -values[k]);
    ss_problem* p = parse(text, NULL);
    assert_non_null(p);
    assert_true(p->lcp.A[0] == values[k] && p->lcp.b[0] == -values[k]);
    ss_problem_destroy(p);
  }
}

static const mistake mistakes[] = {
  // syntax
  {"", 1, 1, "empty"},
  {" \n ", 1, 1, "empty"},
  {"{", 1, 1, "ends too early"},
  {LCP "\"A\":[[1]],\"b\":[1]", 1, 31, "ends too early"},
  {LCP "\n\"A\":[[1 2],[3,4]],\"b\":[1,2]}", 2, 9, "'2' does not belong here"},
  {LCP "\"A\":[[1,2,],[3,4]],\"b\":[1,2]}", 1, 25, "']' does not belong here"},
  {LCP "\"A\":[[1]],\"b\":[1],}", 1, 33, "'}' does not belong here"},
  {"{'type':'lcp'}", 1, 2, "''' does not belong here"},
  {"{ type:\"lcp\"}", 1, 3, "'t' does not belong here"},
  {LCP ",\"A\":1}", 1, 15, "',' does not belong here"},
  {"lcp", 1, 1, "'l' does not belong here"},
  {LCP "\"A\":[[NaN]],\"b\":[1]}", 1, 21, "finite"},
  {LCP "\"A\":[[1]],\"b\":[-Infinity]}", 1, 30, "finite"},
  {LCP "\"A\":[[1]],\"b\":[1]} {}", 1, 34, "more text"},
  // the whole
  {"[1]", 1, 1, "a list; it must be an object"},
  {"3", 1, 1, "a number; it must be an object"},
  {"\"lcp\"", 1, 1, "a string; it must be an object"},
  // type
  {"{\"A\":[[1]],\"b\":[1]}", 1, 1, "\"type\" is missing"},
  {"{\"Type\":\"lcp\",\"A\":[[1]],\"b\":[1]}", 1, 1, "\"Type\" should perhaps be \"type\""},
  {"{\"type\":3,\"A\":[[1]],\"b\":[1]}", 1, 9, "type is a number; it must be \"lcp\", \"mlcp\" or \"contact\""},
  {"{\"type\":\"LCP\",\"A\":[[1]],\"b\":[1]}", 1, 9, "\"LCP\" is not known"},
  // fields
  {LCP "\"b\":[1]}", 1, 1, "\"A\" is missing"},
  {LCP "\"a\":[[1]],\"b\":[1]}", 1, 1, "\"a\" should perhaps be \"A\""},
  {LCP "\"A\":[[1]]}", 1, 1, "\"b\" is missing: a list of n numbers"},
  {LCP "\"A\":[[1]],\"b\":[1],\"A\":[[2]]}", 1, 19, "\"A\" is given twice"},
  {LCP "\"A\":[[1]],\"b\":[1],\n\"lower\":[0]}", 2, 9, "lower belongs to a mixed problem"},
  {LCP "\"name\":7,\"A\":[[1]],\"b\":[1]}", 1, 22, "name is a number; it must be a string"},
  {LCP "\"A\":[[1]],\"b\":[1],\n\"mu\":[0]}", 2, 6, "mu belongs to a contact problem"},
  {LCP "\"notes\":[],\"A\":[[1]],\"b\":[1]}", 1, 23, "notes is a list; it must be a string"},
  // shapes
  {LCP "\"A\":1,\"b\":[1]}", 1, 19, "A is a number; it must be a list of rows"},
  {LCP "\"A\":[1],\"b\":[1]}", 1, 20, "A[0] is a number; it must be a list of numbers"},
  {LCP "\"A\":[[1,2],\n[3]],\"b\":[1,2]}", 2, 1, "A[1] has 1 numbers; it must have 2"},
  {LCP "\"A\":[[1,2]],\"b\":[1,2]}", 1, 20, "A[0] has 2 numbers; it must have 1"},
  {LCP "\"A\":[[1]],\n \"b\":[1,2]}", 2, 6, "b has 2 numbers; it must have 1"},
  {LCP "\"A\":[[1]],\"b\":{}}", 1, 29, "b is an object; it must be a list of numbers"},
  // numbers
  {LCP "\"A\":[[1,\"2\"],[3,4]],\"b\":[1,2]}", 1, 23, "A[0][1] is a string; it must be a number"},
  {LCP "\"A\":[[1,2],[3,\nnull]],\"b\":[1,2]}", 2, 1, "A[1][1] is null; it must be a number"},
  {LCP "\"A\":[[1]],\"b\":[true]}", 1, 30, "b[0] is true or false; it must be a number"},
  {LCP "\"A\":[[1e999]],\"b\":[1]}", 1, 21, "A[0][0] is too large"},
  {LCP "\"x]\\\"\":\"[\",\"A\":[[1]],\"b\":[null]}", 1, 41, "b[0] is null"},
  // sparse matrices
  {LCP "\"A\":{\"rows\":1},\"b\":[1]}", 1, 19, "A has no \"cols\"; a sparse matrix is {\"rows\": n"},
  {LCP "\"A\":{\"rows\":1,\n\"cols\":1,\"entries\":3},\"b\":[1]}", 2, 20,
   "A.entries is a number; it must be a list of"},
  {LCP "\"A\":{\"rows\":-1,\"cols\":1,\"entries\":[]},\"b\":[1]}", 1, 27, "A.rows is -1; it must be a whole number"},
  {LCP "\"A\":{\"rows\":1,\"cols\":2,\"entries\":[]},\"b\":[1]}", 1, 19, "A has 2 columns; it must have 1"},
  {LCP "\"A\":{\"rows\":1,\"cols\":1,\"entries\":[],\"x\":1},\"b\":[1]}", 1, 19, "none of \"rows\", \"cols\""},
  {LCP "\"A\":{\"rows\":1,\"cols\":1,\"entries\":[],\"rows\":1},\"b\":[1]}", 1, 27, "A.rows is given twice"},
  {LCP "\"A\":{\"rows\":1,\"cols\":1,\"entries\":[\n[0,0]]},\"b\":[1]}", 2, 1, "A.entries[0] has 2 numbers; an entry"},
  {LCP "\"A\":{\"rows\":1,\"cols\":1,\"entries\":[\n7]},\"b\":[1]}", 2, 1, "A.entries[0] is a number; it must be an"},
  {LCP "\"A\":{\"rows\":1,\"cols\":1,\"entries\":[[0,0,1],\n[0,1,2]]},\"b\":[1]}", 2, 4,
   "A.entries[1][1] is 1; it must be a whole number from 0 to 0"},
  {LCP "\"A\":{\"rows\":1,\"cols\":1,\"entries\":[[0.5,0,1]]},\"b\":[1]}", 1, 50, "A.entries[0][0] is 0.5"},
  {LCP "\"A\":{\"rows\":1,\"cols\":1,\"entries\":[[0,0,null]]},\"b\":[1]}", 1, 54, "A.entries[0][2] is null"},
  {LCP "\"A\":{\"rows\":1,\"cols\":1,\"entries\":[[0,0,1e308],[0,0,1e308]]},\"b\":[1]}", 1, 19, "sum overflows"},
  {LCP "\"A\":{\"rows\":0,\"cols\":0,\"entries\":[[0,0,1]]},\"b\":[]}", 1, 49, "without rows or columns"},
  {LCP "\"A\":{\"rows\":1000000,\"cols\":1000000,\"entries\":[]},\"b\":[]}", 1, 68,
   "b has 0 numbers; it must have 1000000"},
  {MLCP "\"A\":{\"rows\":1000000,\"cols\":1000000,\"entries\":[]},\"b\":[]}", 1, 20, "A has 1000000 rows; the most"},
  // bounds
  {MLCP "\"A\":[[1]],\"b\":[1]}", 1, 1, "\"lower\" is missing"},
  {MLCP "\"A\":[[1]],\"b\":[1],\"lower\":[0]}", 1, 1, "\"upper\" is missing"},
  {MLCP "\"A\":[[1]],\"b\":[1],\n\"lower\":[0,1],\"upper\":[1]}", 2, 9, "lower has 2 numbers; it must have 1"},
  {MLCP "\"A\":[[1]],\"b\":[1],\n\"lower\":[0],\"upper\":null}", 2, 21, "upper is null; it must be a list"},
  {MLCP "\"A\":[[1]],\"b\":[1],\n\"lower\":[\"inf\"],\"upper\":[1]}", 2, 10, "lower[0] is a string; it must be"},
  {MLCP "\"A\":[[1]],\"b\":[1],\n\"lower\":[2],\"upper\":[1]}", 2, 10, "lower[0] = 2 is above upper[0] = 1"},
  {MLCP "\"A\":[[1]],\"b\":[1],\n\"lower\":[0],\"upper\":[1e999]}", 2, 22, "upper[0] is too large"},
};

static void test_mistakes(void** state)
{
  (void)state;
  expect_mistakes(mistakes, sizeof mistakes/sizeof *mistakes);
}

// Every beginning of a good file is a bad file; with any byte changed it is either, and never a crash
static void test_damaged_files(void** state)
{
  (void)state;
  const char good[] = LCP "\"name\":\"n\",\"A\":[[1,2.5],[-3e1,4]],\"b\":[1,-2]}";
  char text[sizeof good];
  ss_error error;
  for (size_t length = 0; length < sizeof good - 1; length++)
    assert_null(ss_problem_parse(good, length, "f", &error));
  for (size_t at = 0; at < sizeof good - 1; at++)
    for (int c = 0; c < 256; c++) {
      memcpy(text, good, sizeof good);
      text[at] = (char)c;
      ss_problem* p = ss_problem_parse(text, sizeof good - 1, "f", &error);
      if (!p) assert_true(error.status < 0 && error.text[0]);
      ss_problem_destroy(p);
    }
}

static void test_deep_nesting(void** state)
{
  (void)state;
  enum { DEEP = 200000 };
  char* text = malloc(DEEP);
  ss_error error;
  memset(text, '[', DEEP);
  assert_null(ss_problem_parse(text, DEEP, "deep", &error));
  assert_non_null(strstr(error.text, "nested too deeply"));
  free(text);
}

static void test_files(void** state)
{
  (void)state;
  char folder[] = "/tmp/ss_problem_XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/p.json", folder);
  FILE* f = fopen(path, "w");
  assert_non_null(f);
  fputs(LCP "\"A\":[[1]],\"b\":[-1]}", f);
  fclose(f);
  ss_error error;
  ss_problem* p = ss_problem_load(path, &error);
  assert_non_null(p);
  ss_problem_destroy(p);
  f = fopen(path, "w");
  fputs("\n\n{]", f);
  fclose(f);
  assert_null(ss_problem_load(path, &error));
  assert_int_equal(error.status, SS_ERR_INPUT);
  assert_int_equal(error.line, 3);
  assert_string_equal(error.file, path);
  unlink(path);
  assert_null(ss_problem_load(path, &error));
  assert_int_equal(error.status, SS_ERR_FILE);
  assert_null(ss_problem_load(folder, &error));
  assert_int_equal(error.status, SS_ERR_FILE);
  rmdir(folder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_reads_a_problem), cmocka_unit_test(test_reads_a_mixed_problem),
    cmocka_unit_test(test_name_and_size_may_be_missing),
    cmocka_unit_test(test_reads_sparse_matrices),
    cmocka_unit_test(test_warnings),
    cmocka_unit_test(test_many_unknown_fields),
    cmocka_unit_test(test_numbers_are_exact),
    cmocka_unit_test(test_mistakes),
    cmocka_unit_test(test_damaged_files),
    cmocka_unit_test(test_deep_nesting),
    cmocka_unit_test(test_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
