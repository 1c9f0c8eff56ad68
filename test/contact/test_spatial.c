// Contact problems in space as arrays: closed forms, agreement with the methods for large problems, no allocation.
// link: -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=aligned_alloc
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <stickslip/contact.h>

#include "count_allocations.h"

enum { MOST = 60 };

// A problem with room for its arrays, and its solution
typedef struct fixture {
  ss_contact_problem p;
  double G[MOST*MOST], b[MOST], mu[MOST], bound[MOST];
  ss_contact_kind kind[MOST];
  double Lambda[MOST], xi[MOST];
  ss_contact_state state[MOST];
  ss_contact_solution s;
} fixture;

static void connect(fixture* f)
{
  f->p.G = f->G;
  f->p.b = f->b;
  f->p.mu = f->mu;
  f->p.bound = f->bound;
  f->p.kind = f->kind;
  f->s = (ss_contact_solution){.Lambda = f->Lambda, .xi = f->xi, .state = f->state};
}

static ss_status solve_with(fixture* f, const ss_friction_def* def)
{
  connect(f);
  ss_arena* arena = ss_arena_create(ss_contact_solve_spatial_size(f->p.n_bilateral, f->p.n_contact));
  assert_non_null(arena);
  ss_status st = ss_contact_solve_spatial(&f->p, def, arena, &f->s);
  ss_arena_destroy(arena);
  return st;
}

static ss_status solve(fixture* f)
{
  ss_friction_def def = ss_friction_def_default();
  return solve_with(f, &def);
}

// A homogeneous sphere of mass m and radius r on a plane. The contact point moves with v + omega x (-r e_N):
//   G_NN = 1/m,  G_TT = 1/m + r^2/I = 7/(2 m)
static void sphere(fixture* f, double m, double mu, double vN, double vT1, double vT2)
{
  *f = (fixture){.p = {.n_contact = 1, .m = 3}, .kind = {SS_CONTACT_SPATIAL}, .mu = {mu}, .b = {vN, vT1, vT2}};
  f->G[0] = 1/m;
  f->G[4] = f->G[8] = 3.5/m;
}

static void test_sphere_sticks(void** state)
{
  (void)state;
  fixture f;
  sphere(&f, 2, 0.5, -1, 0.3, -0.4);
  assert_int_equal(solve(&f), SS_OK);
  assert_float_equal(f.Lambda[0], 2, 1e-14);
  assert_float_equal(f.Lambda[1], -0.3*2/3.5, 1e-14);
  assert_float_equal(f.Lambda[2], 0.4*2/3.5, 1e-14);
  assert_int_equal(f.state[0], SS_STICK);
}

static void test_sphere_slides(void** state)
{
  (void)state;
  fixture f;
  sphere(&f, 2, 0.1, -1, 3, -4);
  assert_int_equal(solve(&f), SS_OK);
  assert_float_equal(f.Lambda[0], 2, 1e-13);
  assert_float_equal(f.Lambda[1], -0.1*2*0.6, 1e-13);
  assert_float_equal(f.Lambda[2], 0.1*2*0.8, 1e-13);
  assert_float_equal(f.xi[1], 3*(1 - 0.1*3.5/5), 1e-13);
  assert_int_equal(f.state[0], SS_SLIP);
  assert_string_equal(ss_contact_state_text(f.state[0]), "slip");
}

static void test_sphere_leaves_and_glides(void** state)
{
  (void)state;
  fixture f;
  sphere(&f, 2, 0.1, 1, 3, -4);
  assert_int_equal(solve(&f), SS_OK);
  assert_int_equal(f.state[0], SS_OPEN);
  assert_true(f.Lambda[0] == 0 && f.Lambda[1] == 0 && f.Lambda[2] == 0);
  sphere(&f, 2, 0, -1, 3, -4);
  assert_int_equal(solve(&f), SS_OK);
  assert_int_equal(f.state[0], SS_CLOSED);
  assert_float_equal(f.Lambda[0], 2, 1e-14);
  assert_true(f.Lambda[1] == 0 && f.Lambda[2] == 0);
}

static void test_bad_input(void** state)
{
  (void)state;
  fixture f;
  int slide = 1;
  sphere(&f, 2, -0.1, 1, 3, -4);
  assert_int_equal(solve(&f), SS_ERR_ARGUMENT);
  sphere(&f, 2, 0.1, NAN, 3, -4);
  assert_int_equal(solve(&f), SS_ERR_NUMERIC);
  sphere(&f, 2, 0.1, -1, 3, -4);
  f.p.m = 2;
  assert_int_equal(solve(&f), SS_ERR_ARGUMENT);
  sphere(&f, 2, 0.1, -1, 3, -4);
  f.p.slide = &slide;
  assert_int_equal(solve(&f), SS_ERR_ARGUMENT);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_sphere_sticks),
    cmocka_unit_test(test_sphere_slides),
    cmocka_unit_test(test_sphere_leaves_and_glides),
    cmocka_unit_test(test_bad_input),
  };
  (void)calls;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
