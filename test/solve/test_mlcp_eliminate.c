// The elimination of free unknowns: the tableau still says w = A z + b, free unknowns are basic, conflicts are found.
#include "solve/mlcp_eliminate.h"
#include "mlcp_families.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static mixed p;
static double one[MIXED_MAX], doubles[MIXED_MAX*(MIXED_MAX + 3)];
static int ints[4*MIXED_MAX];

static ss_mlcp_scaled plain(void)
{
  for (int i = 0; i < p.n; i++) one[i] = 1;
  return (ss_mlcp_scaled){p.n, p.A, p.b, p.lower, p.upper, one, one, 1};
}

static ss_elimination eliminate(const ss_mlcp_scaled* s)
{
  ss_elimination e;
  assert_true(ss_elimination_doubles(p.n) <= sizeof doubles/sizeof *doubles);
  ss_elimination_init(&e, p.n, doubles, ints);
  ss_eliminate(&e, s, 1e-10);
  return e;
}

// For any values of the nonbasic variables the z that the tableau gives has them as its w and z
static void expect_same_equations(const ss_elimination* e, uint64_t* seed)
{
  double x[MIXED_MAX], z[MIXED_MAX];
  fill_uniform(e->n, x, seed);
  ss_elimination_z(e, x, z);
  for (int c = 0; c < e->n; c++) {
    int i = e->nonbasic[c]%e->n;
    double w = p.b[i];
    for (int j = 0; j < e->n; j++) w += p.A[i*e->n + j]*z[j];
    double value = e->sign[i]*(e->nonbasic[c] >= e->n ? w : z[i] - e->ref[i]);
    if (fabs(value - x[c]) > 1e-9) fail_msg("n %d, variable %d: %g, not %g", e->n, e->nonbasic[c], value, x[c]);
  }
}

static int free_in_basis(const ss_elimination* e, const ss_mlcp_scaled* s)
{
  int count = 0;
  for (int i = 0; i < e->n; i++) count += ss_is_free(s, i) && e->place[i] >= 0;
  return count;
}

// A_FF = 0 in a program: every free unknown takes a complementary one along; redundant equations stay behind
static void test_programs(void** state)
{
  (void)state;
  uint64_t seed = 1;
  for (int turn = 0; turn < 30; turn++) {
    int equations = 2 + turn%4, redundant = turn%2;
    make_program(6 + turn, equations, redundant, &seed, &p);
    ss_mlcp_scaled s = plain();
    ss_elimination e = eliminate(&s);
    assert_int_equal(free_in_basis(&e, &s), equations - redundant);
    assert_int_equal(e.conflict, -1);
    expect_same_equations(&e, &seed);
  }
}

static void test_boxes_and_friction(void** state)
{
  (void)state;
  uint64_t seed = 2;
  for (int turn = 0; turn < 30; turn++) {
    int wanted = 3;
    if (turn%2) make_polyhedral(4, 1, 1 + turn/4, 3*(1 + turn/4) + 6, 0.5, &seed, &p);
    else make_box(8 + turn, &seed, &p);
    if (turn%2 == 0) wanted = (8 + turn + 1)/8;  // every eighth unknown from the seventh on
    ss_mlcp_scaled s = plain();
    ss_elimination e = eliminate(&s);
    assert_int_equal(free_in_basis(&e, &s), wanted);
    assert_int_equal(e.conflict, -1);
    expect_same_equations(&e, &seed);
  }
}

// x + y = 1 and 2x + 2y = c: redundant for c = 2, else a contradiction with the witness (-2, 1) or (2, -1)
static void test_conflict(void** state)
{
  (void)state;
  for (double c = 1; c <= 3; c += 0.5) {
    p = (mixed){.n = 2, .A = {1, 1, 2, 2}, .b = {-1, -c}};
    set_bounds(&p, 0, 2, -INFINITY, INFINITY);
    ss_mlcp_scaled s = plain();
    ss_elimination e = eliminate(&s);
    assert_int_equal(e.conflict >= 0, c != 2);
    if (e.conflict < 0) continue;
    double v[2];
    ss_elimination_witness(&e, v);
    assert_true(v[0] + 2*v[1] == 0 && v[0]*-1 + v[1]*-c < 0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_programs),
    cmocka_unit_test(test_boxes_and_friction),
    cmocka_unit_test(test_conflict),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
