// link: -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=aligned_alloc
// A solver that takes new numbers: as good as a new one, without allocation, and a sequence of steps with warm starts.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <stickslip/friction.h>
#include <string.h>
#include <cmocka.h>

#include "count_allocations.h"

enum { BODIES = 5, N = 3*BODIES, CONTACTS = 2*BODIES, ROWS = 2*CONTACTS };

static double uniform(uint64_t* seed)
{
  *seed = *seed*6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11)/9007199254740992.0;
}

// A planar stack of boxes (mass 1, 2 wide, 1 high), each on two corners of the one below, the lowest on the ground
typedef struct stack {
  double M[N*N], H[N*ROWS], f[N], w[ROWS], mu[CONTACTS];
  ss_friction_problem p;
} stack;

static void make_stack(stack* s, double coupling)
{
  memset(s, 0, sizeof *s);
  for (int i = 0; i < N; i++) s->M[i*N + i] = i%3 == 2 ? 5.0/12 : 1;
  if (coupling != 0) s->M[1*N + 4] = s->M[4*N + 1] = coupling;  // not bodies any more
  for (int k = 0; k < CONTACTS; k++) {
    int box = k/2;
    double x = k%2 ? 1 : -1;
    s->mu[k] = 0.5;
    for (int side = 0; side < 2 && box - side >= 0; side++) {  // the box itself, then the one below
      double sign = side ? -1 : 1, y = side ? 0.5 : -0.5;
      double* H = s->H + 3*(box - side)*ROWS;
      H[ROWS + 2*k] = sign;          // normal: y velocity
      H[2*ROWS + 2*k] = sign*x;
      H[2*k + 1] = sign;             // tangent: x velocity
      H[2*ROWS + 2*k + 1] = -sign*y;
    }
  }
  s->p = (ss_friction_problem){.dim = 2, .n_contact = CONTACTS, .mu = s->mu, .global = true, .f = s->f, .w = s->w};
  assert_int_equal(ss_sparse_from_dense(N, N, s->M, &s->p.M, NULL), SS_OK);
  assert_int_equal(ss_sparse_from_dense(N, ROWS, s->H, &s->p.H, NULL), SS_OK);
}

static void free_stack(stack* s)
{
  ss_sparse_free(&s->p.M);
  ss_sparse_free(&s->p.H);
  ss_sparse_free(&s->p.G);
}

// Other numbers in the same pattern
static void shake(stack* s, uint64_t* seed)
{
  double* M = (double*)s->p.M.value;
  for (int e = 0; e < s->p.M.start[N]; e++) M[e] *= 1.5;
  for (int e = 0; e < s->p.H.start[N]; e++) ((double*)s->p.H.value)[e] *= 0.9;
  for (int i = 0; i < N; i++) s->f[i] = uniform(seed) - 0.7;
  for (int k = 0; k < CONTACTS; k++) s->mu[k] = 0.3*uniform(seed);
}

static void same_as_a_new_solver(const ss_friction_problem* p, ss_friction_solver* old)
{
  double Lambda[ROWS], other[ROWS];
  ss_friction_def def = ss_friction_def_default();
  ss_friction_solution a = {.Lambda = Lambda}, b = {.Lambda = other};
  long before = calls;
  assert_int_equal(ss_friction_solver_update(old, p, NULL), SS_OK);
  assert_int_equal(ss_friction_solve(old, &def, &a), SS_OK);
  assert_int_equal(calls, before);
  ss_friction_solver* new = ss_friction_solver_create(p, NULL);
  assert_non_null(new);
  assert_true(calls > before);  // the counter counts
  assert_int_equal(ss_friction_solve(new, &def, &b), SS_OK);
  assert_memory_equal(Lambda, other, sizeof Lambda);
  ss_friction_solver_destroy(new);
}

// Bodies, a mass matrix that has to be condensed, and the local form
static void update_is_as_good_as_new(void** state)
{
  (void)state;
  static stack s;
  uint64_t seed = 5;
  for (int form = 0; form < 3; form++) {
    static double G[ROWS*ROWS], b[ROWS];
    make_stack(&s, form == 1 ? 0.1 : 0);
    ss_friction_solver* solver = NULL;
    for (int turn = 0; turn < 4; turn++) {
      shake(&s, &seed);
      ss_friction_problem p = s.p;
      if (form == 2) {
        assert_int_equal(ss_friction_dense(&s.p, G, b, NULL), SS_OK);
        p.global = false;
        p.b = b;
        ss_sparse_free(&s.p.G);
        assert_int_equal(ss_sparse_from_dense(ROWS, ROWS, G, &s.p.G, NULL), SS_OK);
        p.G = s.p.G;
      }
      if (turn == 0) solver = ss_friction_solver_create(&p, NULL);
      assert_non_null(solver);
      same_as_a_new_solver(&p, solver);
    }
    ss_friction_solver_destroy(solver);
    free_stack(&s);
  }
}

static void other_structures_are_refused(void** state)
{
  (void)state;
  static stack s, t;
  ss_error error;
  make_stack(&s, 0);
  make_stack(&t, 0.1);
  ss_friction_solver* solver = ss_friction_solver_create(&s.p, NULL);
  assert_int_equal(ss_friction_solver_update(solver, &t.p, &error), SS_ERR_ARGUMENT);
  assert_non_null(strstr(error.text, "pattern of M"));
  ss_friction_problem p = s.p;
  ss_contact_kind kind[CONTACTS];
  for (int i = 0; i < CONTACTS; i++) kind[i] = SS_CONTACT_PLANAR;
  p.kind = kind;
  assert_int_equal(ss_friction_solver_update(solver, &p, &error), SS_OK);  // said in another way
  p.n_bilateral = 2;
  p.n_contact--;
  assert_int_equal(ss_friction_solver_update(solver, &p, &error), SS_ERR_ARGUMENT);
  s.f[0] = NAN;
  assert_int_equal(ss_friction_solver_update(solver, &s.p, &error), SS_ERR_NUMERIC);
  s.f[0] = 0;
  ((double*)s.p.M.value)[0] = -1;
  assert_int_equal(ss_friction_solver_update(solver, &s.p, &error), SS_ERR_ARGUMENT);
  ss_friction_solver_destroy(solver);
  free_stack(&s);
  free_stack(&t);
}

// The lowest box is pushed, harder in every step. Up to mu m g nothing moves; then all boxes slide as one with
// n m a = F - mu n m g, as long as a is small.
static void pushed_stack(void** state)
{
  (void)state;
  enum { STEPS = 100 };
  static stack s;
  make_stack(&s, 0);
  const double g = 9.81, dt = 0.01, limit = 0.5*BODIES*g;
  double Lambda[ROWS] = {0}, v[N] = {0}, expected = 0, residual;
  ss_friction_solver* solver = ss_friction_solver_create(&s.p, NULL);
  ss_friction_def def = ss_friction_def_default();
  def.warm_start = true;
  int resting = 0, most = 0;
  for (int step = 0; step < STEPS; step++) {
    double force = 1.2*limit*(step + 0.5)/STEPS;
    for (int i = 0; i < N; i++) s.f[i] = s.M[i*N + i]*v[i] - (i%3 == 1 ? g*dt : 0);
    s.f[0] += force*dt;
    ss_friction_solution solution = {.Lambda = Lambda};
    long before = calls;
    assert_int_equal(ss_friction_solver_update(solver, &s.p, NULL), SS_OK);
    if (ss_friction_solve(solver, &def, &solution) != SS_OK) fail_msg("step %d: %g", step, solution.residual);
    assert_int_equal(calls, before);
    assert_int_equal(ss_friction_residual(&s.p, Lambda, NULL, &residual, NULL), SS_OK);
    assert_true(residual <= def.tol);
    for (int i = 0; i < N; i++) {  // M v = H Lambda + f
      v[i] = s.f[i];
      for (int r = 0; r < ROWS; r++) v[i] += s.H[i*ROWS + r]*Lambda[r];
      v[i] /= s.M[i*N + i];
    }
    if (force > limit) expected += dt*(force - limit)/BODIES;
    for (int box = 0; box < BODIES; box++)
      if (!(fabs(v[3*box] - expected) < 1e-6)) fail_msg("step %d: %g, not %g", step, v[3*box], expected);
    int work = solution.newton + solution.sweeps + solution.ipm + solution.admm;
    if (step == 0 || force > limit) continue;
    resting++;
    if (work > most) most = work;
  }
  printf("  at most %d iterations in %d resting steps\n", most, resting);
  assert_true(resting > 70 && most <= 4);
  ss_friction_solver_destroy(solver);
  free_stack(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(update_is_as_good_as_new),
    cmocka_unit_test(other_structures_are_refused),
    cmocka_unit_test(pushed_stack),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
