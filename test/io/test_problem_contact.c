// Contact problems as JSON: every form that is read, and for everything that is wrong the place and the reason.
#include "mistakes.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stickslip/problem.h>
#include <string.h>
#include <cmocka.h>

static ss_problem* good(const char* text)
{
  ss_error error;
  ss_problem* p = parse(text, &error);
  if (!p) fail_msg("%s: %s", text, error.text);
  assert_int_equal(p->type, SS_PROBLEM_CONTACT);
  return p;
}

static double entry(const ss_sparse* A, int i, int j)
{
  for (int e = A->start[i]; e < A->start[i + 1]; e++)
    if (A->col[e] == j) return A->value[e];
  return 0;
}

static void local_form(void** state)
{
  (void)state;
  ss_problem* p = good("{\"type\": \"contact\", \"name\": \"one\", \"dim\": 2, \"kappa\": 0.25, "
                       "\"G\": [[2, 1], [1, 3]], \"b\": [-1, 0.1], \"mu\": [0.5]}");
  assert_string_equal(p->name, "one");
  assert_string_equal(p->warnings, "");
  assert_true(p->contact.G.value[1] == 1 && p->contact.kappa == 0.25 && p->contact.b[1] == 0.1);
  assert_true(!p->contact.global && !p->contact.kind && !p->contact.bound && p->contact.dim == 2);
  ss_problem_destroy(p);
}

static void kinds_bounds_and_bilateral_rows(void** state)
{
  (void)state;
  ss_problem* p = good("{\"type\": \"contact\", \"kinds\": [\"friction\", \"spatial\", \"normal\", \"planar\"],\n"
                       "\"contacts\": [\"belt\", \"foot\", \"\", \"hand \\u00e9\"], \"bilateral\": 2,\n"
                       "\"mu\": [0, 0.5, 0, 1], \"bound\": [2, 0, 0, 0.5],\n"
                       "\"G\": {\"rows\": 9, \"cols\": 9, \"entries\": [[8, 8, 1], [0, 0, 2], [8, 8, 0.5]]},\n"
                       "\"b\": [1, 2, 3, 4, 5, 6, 7, 8, 9], \"Lambda\": [9, 8, 7, 6, 5, 4, 3, 2, 1]}");
  const ss_friction_problem* c = &p->contact;
  const ss_contact_kind kinds[] = {SS_CONTACT_FRICTION, SS_CONTACT_SPATIAL, SS_CONTACT_NORMAL, SS_CONTACT_PLANAR};
  assert_int_equal(ss_friction_rows(c), 9);
  assert_int_equal(c->n_bilateral, 2);
  assert_memory_equal(c->kind, kinds, sizeof kinds);
  assert_true(c->bound[0] == 2 && c->bound[3] == 0.5 && entry(&c->G, 8, 8) == 1.5 && entry(&c->G, 0, 0) == 2);
  assert_true(p->Lambda[0] == 9 && p->Lambda[8] == 1);
  assert_string_equal(p->contact_name[0], "belt");
  assert_string_equal(p->contact_name[3], "hand \xc3\xa9");
  ss_problem_destroy(p);
}

static void global_form(void** state)
{
  (void)state;
  ss_problem* p = good("{\"type\": \"contact\", \"dim\": 2, \"mu\": [0.5], \"M\": [[2, 0, 0], [0, 2, 0], [0, 0, 1]],\n"
                       "\"H\": {\"rows\": 3, \"cols\": 2, \"entries\": [[1, 0, 1], [0, 1, 1]]}, \"f\": [1, 2, 3],\n"
                       "\"w\": [0, -1]}");
  double G[4], b[2];
  assert_true(p->contact.global);
  assert_int_equal(ss_friction_dense(&p->contact, G, b, NULL), SS_OK);
  assert_true(G[0] == 0.5 && G[3] == 0.5 && G[1] == 0 && b[0] == 1 && b[1] == -0.5);
  ss_problem_destroy(p);
}

static void empty_problems(void** state)
{
  (void)state;
  const char* const texts[] = {
    "{\"type\": \"contact\", \"dim\": 3, \"mu\": [], \"G\": [], \"b\": []}",
    "{\"type\": \"contact\", \"kinds\": [], \"mu\": [], \"G\": [], \"b\": []}",
    "{\"type\": \"contact\", \"dim\": 2, \"mu\": [], \"M\": [], \"H\": [], \"f\": [], \"w\": []}",
    ("{\"type\": \"contact\", \"dim\": 2, \"mu\": [], \"M\": [[1]], \"H\": {\"rows\": 1, \"cols\": 0, \"entries\": []}"
     ", \"f\": [1], \"w\": []}"),
    "{\"type\": \"contact\", \"dim\": 2, \"mu\": [], \"G\": {\"rows\": 0, \"cols\": 0, \"entries\": []}, \"b\": []}",
  };
  for (size_t i = 0; i < sizeof texts/sizeof *texts; i++) ss_problem_destroy(good(texts[i]));
}

static void asymmetry_is_warned_of(void** state)
{
  (void)state;
  ss_problem* p = good("{\"type\": \"contact\", \"dim\": 2, \"mu\": [1], \"G\": [[4, 1], [0, 3]], \"b\": [0, 0]}");
  assert_string_equal(p->warnings, "G is not symmetric: |G - its transpose| is up to 2.5e-01 of its largest entry");
  ss_problem_destroy(p);
}

#define C "{\"type\":\"contact\","
#define C2 C "\"dim\":2,\"mu\":[1],"
#define GOOD_G "\"G\":[[1,2],[2,4]],"

static const mistake mistakes[] = {
  {"", 1, 1, "empty"},
  {"[1]", 1, 1, "must be an object"},
  {"{\"type\": \"contact\"", 1, 18, "ends too early"},
  {"{\"type\": \"contact\"} x", 1, 21, "more text"},
  // the contacts
  {C "\"dim\":2}", 1, 1, "\"mu\" is missing: a list of coefficients"},
  {C "\"mu\":1}", 1, 24, "mu is a number; it must be a list of numbers"},
  {C "\"mu\":[1]}", 1, 1, "\"dim\" is missing: 2 (planar"},
  {C "\"mu\":[1],\n\"dim\":5}", 2, 7, "dim must be 2 (planar"},
  {C "\"mu\":[1],\n\"dim\":\"2\"}", 2, 7, "dim is a string; it must be 2"},
  {C "\"mu\":[1],\n\"dim\":2,\"kinds\":[\"planar\"]}", 2, 7, "dim and \"kinds\" say the same"},
  {C "\"mu\":[1],\n\"kinds\":[]}", 2, 9, "kinds has 0 kinds; it must have 1, one for each contact"},
  {C "\"mu\":[1],\n\"kinds\":[\"plane\"]}", 2, 10, "kinds[0] is \"plane\"; it must be \"normal\", \"planar\""},
  {C "\"mu\":[1],\n\"kinds\":[3]}", 2, 10, "kinds[0] is a number; it must be \"normal\""},
  {C "\"dim\":2,\"mu\":[1,\n-0.5]}", 2, 1, "mu[1] is -0.5; it must not be negative"},
  {C "\"dim\":2,\"mu\":[1,\nnull]}", 2, 1, "mu[1] is null; it must be a number"},
  {C2 "\"bound\":[1,2]}", 1, 44, "bound has 2 numbers; it must have 1"},
  {C2 "\"bound\":[-1]}", 1, 45, "bound[0] is -1; it must not be negative"},
  {C2 "\"bilateral\":1.5}", 1, 48, "bilateral is 1.5; it must be a whole number"},
  {C2 "\"bilateral\":-1}", 1, 48, "bilateral is -1; it must be a whole number from 0"},
  {C2 "\"bilateral\":268435456}", 1, 48, "bilateral is 268435456; it must be a whole number"},
  {C2 "\"kappa\":-1}", 1, 44, "kappa is -1; the relative compliance is between 0 and 1e6"},
  {C2 "\"kappa\":[]}", 1, 44, "kappa is a list; it must be a number"},
  // the local form
  {C2 GOOD_G "\"b\":[1]}", 1, 58, "b has 1 numbers; it must have 2, one for each row"},
  {C2 GOOD_G "\"b\":[1,\n\"x\"]}", 2, 1, "b[1] is a string; it must be a number"},
  {C2 "\"b\":[1,1]}", 1, 1, "\"G\" is missing"},
  {C2 GOOD_G "\"B\":[1,1]}", 1, 1, "\"B\" should perhaps be \"b\""},
  {C2 "\"b\":[1,1],\n\"G\":[[1,2],[3]]}", 2, 12, "G[1] has 1 numbers; it must have 2"},
  {C2 "\"b\":[1,1],\n\"G\":[[1,2],[2,4],[0,0]]}", 2, 5, "G has 3 rows; it must have 2"},
  {C2 "\"b\":[1,1],\n\"G\":[[1,2],[3,1e999]]}", 2, 15, "G[1][1] is too large"},
  {C2 "\"b\":[1,1],\n\"G\":[[1,0],[0,-2]]}", 2, 15, "G[1][1] is -2 at row and column 1; the diagonal must not"},
  {C2 "\"b\":[1,1],\n\"G\":{\"rows\":2,\"cols\":2,\"entries\":[[1,1,-2]]}}", 2, 5, "G has -2 at row and column 1"},
  {C2 "\"b\":[1,1],\n\"G\":{\"rows\":3,\"cols\":3,\"entries\":[]}}", 2, 5, "G has 3 rows; it must have 2"},
  {C2 "\"bilateral\":1,\"b\":[1,1],\"G\":[[1,0],[0,2]]}", 1, 54, "b has 2 numbers; it must have 3"},
  {C2 "\"b\":[1,1],\"A\":[[1]]," GOOD_G "\"x\":1}", 1, 50, "A belongs to an LCP"},
  {C2 GOOD_G "\"b\":[1,1],\"b\":[2,2]}", 1, 58, "\"b\" is given twice"},
  {C2 GOOD_G "\"b\":[1,1],\n\"Lambda\":[1]}", 2, 10, "Lambda has 1 numbers; it must have 2"},
  {C2 GOOD_G "\"b\":[1,1],\n\"contacts\":[1]}", 2, 13, "contacts[0] is a number; it must be a string"},
  {C2 GOOD_G "\"b\":[1,1],\n\"contacts\":[]}", 2, 12, "contacts has 0 names; it must have 1"},
  // the global form
  {C2 "\"M\":[[1]],\"H\":[[1,0]],\"f\":[1],\"w\":[0,0],\n\"G\":[]}", 2, 5, "G belongs to the local form"},
  {C2 "\"M\":[[1]],\"H\":[[1,0]],\"w\":[0,0]}", 1, 1, "\"f\" is missing"},
  {C2 "\"M\":[[1]],\"H\":[[1,0]],\"f\":[1],\n\"w\":[0]}", 2, 5, "w has 1 numbers; it must have 2"},
  {C2 "\"M\":[[1]],\"H\":[[1,0]],\"f\":[1,2],\"w\":[0,0]}", 1, 40, "M has 1 rows; it must have 2, as many as f"},
  {C2 "\"M\":[[1]],\n\"H\":[[1]],\"f\":[1],\"w\":[0,0]}", 2, 6, "H[0] has 1 numbers; it must have 2"},
  {C2 "\"H\":[[1,0]],\"f\":[1],\"w\":[0,0]}", 1, 1, "\"M\" is missing"},
};

static void wrong_files(void** state)
{
  (void)state;
  expect_mistakes(mistakes, sizeof mistakes/sizeof *mistakes);
}

// Every beginning of a good file is a bad file; with any byte changed it is either, and never a crash
static void damaged_files(void** state)
{
  (void)state;
  const char text[] = "{\"type\":\"contact\",\"kinds\":[\"planar\",\"normal\"],\"bilateral\":1,"
                      "\"mu\":[1,0],\"bound\":[1,0],"
                      "\"G\":{\"rows\":4,\"cols\":4,\"entries\":[[0,0,1],[3,3,2]]},\"b\":[1,2,3,4]}";
  char changed[sizeof text];
  ss_error error;
  for (size_t length = 0; length < sizeof text - 1; length++) assert_null(ss_problem_parse(text, length, "f", &error));
  for (size_t at = 0; at < sizeof text - 1; at++)
    for (int c = 0; c < 256; c++) {
      memcpy(changed, text, sizeof text);
      changed[at] = (char)c;
      ss_problem* p = ss_problem_parse(changed, sizeof text - 1, "f", &error);
      if (!p) assert_true(error.status < 0 && error.text[0]);
      ss_problem_destroy(p);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(local_form), cmocka_unit_test(kinds_bounds_and_bilateral_rows), cmocka_unit_test(global_form),
    cmocka_unit_test(empty_problems), cmocka_unit_test(asymmetry_is_warned_of), cmocka_unit_test(wrong_files),
 cmocka_unit_test(damaged_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
