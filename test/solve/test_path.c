// The path from soft contacts to rigid ones, on problems with contacts that are nearly copies of one another: their
// impulses can be shifted far without much of a change in velocities, which is where other methods get lost.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "less.h"
#include "solve/friction_blocks.h"
#include "solve/pseudo_random.h"
#include "solve/spatial_residual.h"

enum { CASES = LESS > 1 ? 4 : 20 };
enum { BODIES = 4, SITES = 7, COPIES = 4, K = SITES*COPIES, M = 3*K, N = 6*BODIES };

// Rows of a site on one or two bodies, copied with errors of the relative size `noise`
static void fill_site(ss_friction_blocks* p, uint64_t* seed, int site, double noise)
{
  ss_friction_space* s = &p->space;
  int a = site%BODIES, blocks = 1 + site%2;
  double J[2][18];
  for (int e = 0; e < 2; e++)
    for (int i = 0; i < 18; i++) J[e][i] = ss_pseudo_random(seed);
  for (int c = site*COPIES; c < (site + 1)*COPIES; c++) {
    int first = s->start[c];
    s->start[c + 1] = first + blocks;
    for (int e = 0; e < blocks; e++) {
      s->col[first + e] = (a + e)%BODIES;
      for (int i = 0; i < 18; i++)
        s->value[(first + e)*SS_BLOCK_NUMBERS + i/6*SS_BLOCK_STRIDE + i%6] = J[e][i] + noise*ss_pseudo_random(seed);
    }
  }
}

// xi = J v + b, J as a matrix
static void rows_of(const ss_friction_space* s, double J[M][N])
{
  memset(J, 0, sizeof(double)*M*N);
  for (int c = 0; c < K; c++)
    for (int e = s->start[c]; e < s->start[c + 1]; e++)
      for (int i = 0; i < 18; i++)
        J[3*c + i/6][6*s->col[e] + i%6] = s->value[e*SS_BLOCK_NUMBERS + i/6*SS_BLOCK_STRIDE + i%6];
}

// b belongs to a motion of the bodies, so that there is a solution
static ss_friction_blocks* make(uint64_t seed, double noise, double mu)
{
  ss_friction_blocks* p = ss_friction_blocks_create();
  uint64_t random = seed;
  double J[M][N], u[N];
  int blocks = 0, pairs = 0;
  for (int c = 0; c < K; c++) {
    int own = 1 + c/COPIES%2;
    blocks += own;
    pairs += own*own;
  }
  assert_true(p && ss_friction_blocks_size(p, 0, K, blocks, pairs, BODIES));
  p->space.start[0] = 0;
  for (int site = 0; site < SITES; site++) fill_site(p, &random, site, noise);
  for (int j = 0; j < N; j++) u[j] = ss_pseudo_random(&random);
  rows_of(&p->space, J);
  for (int i = 0; i < M; i++) {
    double diagonal = 0;
    p->space.b[i] = 0;
    for (int j = 0; j < N; j++) {
      p->space.b[i] += J[i][j]*u[j];
      diagonal += J[i][j]*J[i][j];
    }
    if (i%3 == 0) p->space.trace[i/3] = 0;
    p->space.trace[i/3] += diagonal;
  }
  for (int c = 0; c < K; c++) {
    p->mu[c] = mu;
    p->bound[c] = 0;
    p->space.layout.count[c] = 3;
    p->space.layout.element[c] = 0;
  }
  return p;
}

// By G itself
static double residual_of(const ss_friction_blocks* p, const double* b, const double* Lambda)
{
  static double J[M][N], G[M*M];
  ss_contact_kind kind[K];
  for (int c = 0; c < K; c++) kind[c] = SS_CONTACT_SPATIAL;
  rows_of(&p->space, J);
  for (int i = 0; i < M; i++)
    for (int k = 0; k < M; k++) {
      G[i*M + k] = 0;
      for (int j = 0; j < N; j++) G[i*M + k] += J[i][j]*J[k][j];
    }
  ss_contact_problem problem = {.n_contact = K, .m = M, .G = G, .b = b, .kind = kind, .mu = p->mu, .bound = p->bound};
  return ss_spatial_residual(&problem, Lambda);
}

// The path alone, from nothing
static bool follow(ss_friction_blocks* p)
{
  ss_friction_def def = ss_friction_def_default();
  ss_friction_run* run = &p->run;
  ss_friction_blocks_solve(p, &def, 0, false, 1e-13, NULL);  // makes everything ready
  run->r_best = run->r_attempt = INFINITY;
  memset(run->Lambda, 0, sizeof(double)*M);
  return ss_friction_path(run, 1500);
}

static void solves(double noise, double mu, int cases)
{
  int missed = 0;
  for (int i = 0; i < cases; i++) {
    double b[M];
    ss_friction_blocks* p = make(1000 + (uint64_t)i, noise, mu);
    memcpy(b, p->space.b, sizeof b);
    bool met = follow(p);
    if (met) assert_true(residual_of(p, b, p->run.Lambda) <= 1.01e-8);
    missed += !met;
    assert_memory_equal(p->space.b, b, sizeof b);  // the rigid problem is back
    for (int c = 0; c < K; c++) assert_true(p->space.soft[c] == 0);
    ss_friction_blocks_destroy(p);
  }
  if (missed) fail_msg("copies within %g, mu = %g: %d of %d missed", noise, mu, missed, cases);
}

static void test_copies(void** state)
{
  (void)state;
  const double noise[] = {0, 1e-6, 1e-4, 1e-2, 1}, mu[] = {0, 0.5, 1.5};
  for (int i = 0; i < 5; i++)
    for (int k = 0; k < 3; k++) solves(noise[i], mu[k], CASES);
}

// Contacts that yield by themselves are no case for the path, which would make them rigid: not even where one of them
// has nothing to yield, because nothing moves it
static void test_compliance(void** state)
{
  (void)state;
  for (int still = 0; still < K; still += K - 1) {
    ss_friction_blocks* p = make(1, 1e-2, 0.5);
    ss_friction_space* s = &p->space;
    ss_friction_def def = ss_friction_def_default();
    double soft[K];
    int first = s->start[still], blocks = s->start[still + 1] - first;
    memset(s->value + first*SS_BLOCK_NUMBERS, 0, sizeof(double)*(size_t)(blocks*SS_BLOCK_NUMBERS));
    memset(s->b + 3*still, 0, 3*sizeof(double));
    s->trace[still] = 0;
    assert_true(ss_friction_blocks_solve(p, &def, 1e-3, false, 1e-13, NULL));
    memcpy(soft, s->soft, sizeof soft);
    assert_true(soft[still] == 0 && soft[K/2] > 0);
    assert_false(ss_friction_path(&p->run, 1500));
    assert_memory_equal(s->soft, soft, sizeof soft);
    ss_friction_blocks_destroy(p);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_copies), cmocka_unit_test(test_compliance)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
