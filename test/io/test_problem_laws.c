// "sets" and "slide" of contact problems: read, written, refused with place and reason.
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

static ss_problem* parse(const char* text, ss_error* error)
{
  return ss_problem_parse(text, strlen(text), "p.json", error);
}

static ss_problem* good(const char* text)
{
  ss_error error;
  ss_problem* p = parse(text, &error);
  if (!p) fail_msg("%s: %s", text, error.text);
  assert_string_equal(p->warnings, "");
  return p;
}

#define EMPTY(n) "\"G\": {\"rows\": " #n ", \"cols\": " #n ", \"entries\": []}"
#define FOUR "{\"type\": \"contact\", \"kinds\": [\"spatial\", \"spatial\", \"spatial\", \"planar\"], " \
             "\"mu\": [1, 1, 1, 1], " \
             EMPTY(11) ", \"b\": [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], "

static void sets(void** state)
{
  (void)state;
  ss_problem* p = good(FOUR "\"sets\": [{\"shape\": \"ellipse\", \"a\": [0.1, 2]},\n"
                       "{\"shape\": \"ellipse\", \"a\": [3, 0.3], \"angle\": -0.7},\n"
                       "{\"shape\": \"polygon\", \"facets\": [[1, 1, 1], [-2, 0, 2], [0, -1, 0.5]]}, null]}");
  assert_true(ss_problem_has_sets(p) && !ss_problem_has_slide(p));
  const ss_friction_set* s = p->set;
  assert_true(s[0].shape == SS_SET_ELLIPSE && s[0].a[0] == 0.1 && s[0].a[1] == 2 && s[0].angle == 0);
  assert_true(s[1].a[0] == 3 && s[1].angle == -0.7 && s[3].shape == SS_SET_DISK);
  // x + y <= 1, x >= -1, y >= -1/2: corners (-1, -1/2), (3/2, -1/2), (-1, 2)
  const double corners[6] = {-1, -0.5, 1.5, -0.5, -1, 2};
  assert_true(s[2].shape == SS_SET_POLYGON && s[2].n == 3);
  for (int i = 0; i < 6; i++) assert_true(fabs(s[2].vertex[i] - corners[i]) < 1e-15);
  ss_problem_destroy(p);
  p = good(FOUR "\"sets\": [null, null, null, null], \"slide\": [0, 0, 0, 0]}");
  assert_true(p->set && p->slide && !ss_problem_has_sets(p) && !ss_problem_has_slide(p));  // Coulomb's law after all
  ss_problem_destroy(p);
}

#define PLANAR "{\"type\": \"contact\", \"kinds\": [\"planar\", \"normal\", \"friction\"], " \
               "\"mu\": [1, 0, 0], " EMPTY(4) \
               ", \"b\": [0, 0, 0, 0], "

static void slide(void** state)
{
  (void)state;
  ss_problem* p = good(PLANAR "\"slide\": [-1, 0, 1]}");
  assert_true(ss_problem_has_slide(p) && p->slide[0] == -1 && p->slide[1] == 0 && p->slide[2] == 1);
  ss_problem_destroy(p);
}

typedef struct mistake {
  const char* text;
  int line, column;
  const char* says;
} mistake;

#define ONE "{\"type\":\"contact\",\"dim\":3,\"mu\":[1],"
#define POLYGON(p) ONE "\n\"sets\":[{\"shape\":\"polygon\"," p "}]}"
#define ELLIPSE(p) ONE "\n\"sets\":[{\"shape\":\"ellipse\"," p "}]}"

static const mistake mistakes[] = {
  {ONE "\n\"sets\":[]}", 2, 8, "sets has 0 sets; it must have 1, one for each contact"},
  {ONE "\n\"sets\":null}", 2, 8, "sets is null"},
  {ONE "\n\"sets\":[\"disk\"]}", 2, 9, "sets[0] is a string; it must be null (a disk) or"},
  {ONE "\n\"sets\":[{}]}", 2, 9, "sets[0] lacks \"shape\": \"ellipse\" or"},
  {ONE "\n\"sets\":[{\"shape\":\"disc\"}]}", 2, 18, "sets[0].shape must be \"ellipse\" or \"polygon\""},
  {ONE "\n\"sets\":[{\"shape\":3}]}", 2, 18, "sets[0].shape must be"},
  {ELLIPSE("\"b\":1"), 2, 9, "sets[0] has \"b\"; it may have \"shape\", \"a\" and \"angle\""},
  {ELLIPSE("\"angle\":1"), 2, 9, "sets[0] lacks \"a\": [a1, a2]"},
  {ELLIPSE("\"a\":[1]"), 2, 32, "sets[0].a must be [a1, a2]"},
  {ELLIPSE("\"a\":[1,\n0]"), 3, 1, "sets[0].a[1] is 0; a semi-axis must be positive"},
  {ELLIPSE("\"a\":[1,\"2\"]"), 2, 35, "sets[0].a[1] is a string; it must be a number"},
  {ELLIPSE("\"a\":[1,1e999]"), 2, 35, "sets[0].a[1] is too large"},
  {ELLIPSE("\"a\":[1,1],\"angle\":\"1\""), 2, 46, "sets[0].angle is a string"},
  {ELLIPSE("\"a\":[1,1],\"a\":[2,2]"), 2, 32, "sets[0].a is given twice"},
  {POLYGON("\"a\":1"), 2, 9, "sets[0] has \"a\"; it may have \"shape\" and \"vertices\" or \"facets\""},
  {ONE "\n\"sets\":[{\"shape\":\"polygon\"}]}", 2, 9, "sets[0] has neither; a polygon has"},
  {POLYGON("\"vertices\":[],\"facets\":[]"), 2, 9, "sets[0] has both; a polygon has"},
  {POLYGON("\"vertices\":[[1,0],[0,1]]"), 2, 39, "sets[0].vertices must be a list of [x, y], counter-clockwise"},
  {POLYGON("\"vertices\":[[1,0],[0,1],[1]]"), 2, 52, "sets[0].vertices[2] must be a list of 2 numbers"},
  {POLYGON("\"vertices\":[[1,0],[0,1],[1,null]]"), 2, 52, "sets[0].vertices[2] is null; it must be a number"},
  {POLYGON("\"vertices\":[[1,0],[0,-1],[-1,0]]"), 2, 39, "sets[0].vertices is wrong: the origin is not to the left"},
  {POLYGON("\"vertices\":[[2,2],[1,2],[1,1]]"), 2, 39, "sets[0].vertices is wrong"},
  {POLYGON("\"facets\":[[1,0,1],[0,1,1],[-1,0,1]]"), 2, 37, "sets[0].facets is wrong: the facets do not bound"},
  {POLYGON("\"facets\":[[1,0,1],[0,1,1],[-1,-1,0]]"), 2, 37, "sets[0].facets is wrong: facet 3 needs"},
  {"{\"type\":\"contact\",\"dim\":2,\"mu\":[1],\"sets\":[{\"shape\":\"ellipse\",\"a\":[1,1]}]}", 1, 44,
   "sets[0] must be null: only spatial contacts have a set, and this one is \"planar\""},
  // sliding
  {PLANAR "\n\"slide\":[1]}", 2, 9, "slide has 1 numbers; it must have 3"},
  {PLANAR "\n\"slide\":[1,0,2]}", 2, 14, "slide[2] must be 1, -1 or 0"},
  {PLANAR "\n\"slide\":[1,0,\"+\"]}", 2, 14, "slide[2] must be 1, -1 or 0"},
  {PLANAR "\n\"slide\":[1,1,0]}", 2, 12, "slide[1] must be 0: the contact is frictionless"},
  {ONE "\n\"slide\":[1]}", 2, 10, "slide[0] must be 0: only planar problems"},
};

static void wrong_files(void** state)
{
  (void)state;
  for (size_t k = 0; k < sizeof mistakes/sizeof *mistakes; k++) {
    const mistake* m = &mistakes[k];
    ss_error e;
    if (parse(m->text, &e)) fail_msg("accepted: %s", m->text);
    if (e.status != SS_ERR_INPUT || !strstr(e.text, m->says)) fail_msg("%s\nsays: %s", m->text, e.text);
    if (e.line != m->line || e.column != m->column) fail_msg("%s\nplace %d:%d: %s", m->text, e.line, e.column, e.text);
    assert_null(parse(m->text, NULL));
  }
}

static void same_set(const ss_friction_set* a, const ss_friction_set* b)
{
  assert_int_equal(a->shape, b->shape);
  assert_int_equal(a->n, b->n);
  assert_memory_equal(a->a, b->a, sizeof a->a);
  assert_memory_equal(&a->angle, &b->angle, sizeof a->angle);
  if (a->n) assert_memory_equal(a->vertex, b->vertex, 2*(size_t)a->n*sizeof(double));
}

static void written_and_read_back(void** state)
{
  (void)state;
  char folder[] = "/tmp/ss-laws-XXXXXX", path[64], other[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/p.json", folder);
  snprintf(other, sizeof other, "%s/p.hdf5", folder);
  const char* const texts[] = {
    FOUR "\"sets\": [{\"shape\": \"ellipse\", \"a\": [0.1, 1e-300], \"angle\": 0.30000000000000004}, null,\n"
    "{\"shape\": \"polygon\", \"facets\": [[1, 0.1, 1], [-2, 0.7, 2], [0, -1, 0.3]]}, null]}",
    FOUR "\"sets\": [null, null, null, null]}", PLANAR "\"slide\": [-1, 0, 1]}"};
  for (int i = 0; i < 3; i++) {
    ss_error error = {0};
    ss_problem* p = good(texts[i]);
    if (ss_problem_save(p, path, &error) < 0) fail_msg("%s", error.text);
    ss_problem* q = ss_problem_load(path, &error);
    if (!q) fail_msg("%d:%d: %s", error.line, error.column, error.text);
    assert_int_equal(!p->set, !q->set);
    assert_int_equal(!p->slide, !q->slide);
    for (int c = 0; p->set && c < p->contact.n_contact; c++) same_set(&p->set[c], &q->set[c]);
    if (p->slide) assert_memory_equal(p->slide, q->slide, 3*sizeof(int));
    if (i != 1) assert_int_equal(ss_problem_save(p, other, &error), SS_ERR_INPUT);
    ss_problem_destroy(p);
    ss_problem_destroy(q);
  }
  unlink(path);
  assert_int_equal(rmdir(folder), 0);
}

static void what_could_not_be_read_is_not_written(void** state)
{
  (void)state;
  const double mu[1] = {1}, b[3] = {0}, zero[9] = {0};
  const ss_friction_set wrong[] = {{.shape = SS_SET_ELLIPSE, .a = {1, 0}}, {.shape = SS_SET_POLYGON, .n = 2}};
  const ss_friction_set round = {.shape = SS_SET_ELLIPSE, .a = {1, 1}};
  const int sliding[] = {1}, far[] = {2};
  ss_problem p = {.type = SS_PROBLEM_CONTACT, .contact = {.dim = 3, .n_contact = 1, .mu = mu, .b = b}};
  ss_error error;
  assert_int_equal(ss_sparse_from_dense(3, 3, zero, &p.contact.G, NULL), SS_OK);
  for (int i = 0; i < 4; i++) {
    p.set = i < 2 ? &wrong[i] : NULL;
    p.slide = i == 2 ? sliding : i == 3 ? far : NULL;
    assert_int_equal(ss_problem_save(&p, "/tmp/ss-never.json", &error), SS_ERR_INPUT);
  }
  p.slide = NULL;
  p.set = &round;
  p.contact.dim = 2;
  assert_int_equal(ss_problem_save(&p, "/tmp/ss-never.json", &error), SS_ERR_INPUT);
  ss_sparse_free(&p.contact.G);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(sets),
    cmocka_unit_test(slide),
    cmocka_unit_test(wrong_files),
    cmocka_unit_test(written_and_read_back),
    cmocka_unit_test(what_could_not_be_read_is_not_written),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
