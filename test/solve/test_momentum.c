// Sweeps with momentum on columns of bodies, whose impulses are known: contact i of n carries what stands above it.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "solve/friction_blocks.h"
#include "solve/pseudo_random.h"

// `columns` of `height` bodies of mass 1, each pressed down by 1 and pulled sideways by `pull`
static ss_friction_blocks* make_columns(int columns, int height, double mu, double pull)
{
  ss_friction_blocks* p = ss_friction_blocks_create();
  int k = columns*height, blocks = columns*(2*height - 1), pairs = columns*(4*height - 3);
  assert_true(p && ss_friction_blocks_size(p, 0, k, blocks, pairs, k));
  ss_friction_space* s = &p->space;
  s->start[0] = 0;
  for (int i = 0; i < k; i++) {
    bool ground = i%height == 0;
    int e = s->start[i];
    for (int side = 0; side < 2 - ground; side++, e++) {
      s->col[e] = i - side;
      for (int r = 0; r < 3; r++) s->value[e*SS_BLOCK_NUMBERS + r*SS_BLOCK_STRIDE + r] = side ? -1 : 1;
    }
    s->start[i + 1] = e;
    s->trace[i] = ground ? 3 : 6;
    s->layout.count[i] = 3;
    s->layout.element[i] = 0;
    p->mu[i] = mu;
    p->bound[i] = 0;
    s->b[3*i] = ground ? -1 : 0;
    s->b[3*i + 1] = ground ? 0.6*pull : 0;
    s->b[3*i + 2] = ground ? -0.8*pull : 0;
  }
  return p;
}

static double worst_error(const ss_friction_blocks* p, int height, double pull)
{
  double worst = 0;
  for (int i = 0; i < p->space.k; i++) {
    double above = height - i%height;
    const double* L = p->run.Lambda + 3*i;
    worst = fmax(worst, fabs(L[0] - above));
    worst = fmax(worst, hypot(L[1] + 0.6*pull*above, L[2] - 0.8*pull*above));
  }
  return worst;
}

// Prepared as ss_friction_blocks_solve() does
static void prepare(ss_friction_blocks* p, double tol)
{
  ss_friction_finish_traces(&p->space, 0);
  p->space.sweeps = 0;
  p->run.tol = tol;
  p->run.r_best = p->run.r_attempt = INFINITY;
  memset(p->run.Lambda, 0, sizeof(double)*(size_t)p->space.m);
  memset(p->space.alpha, 0, sizeof(double)*(size_t)p->space.k);
}

static ss_friction_momentum begin(ss_friction_blocks* p)
{
  return ss_friction_momentum_start(&p->space, p->run.z, p->run.dz, p->run.Lambda);
}

static void test_column(void** state)
{
  (void)state;
  ss_friction_blocks* p = make_columns(1, 20, 0.5, 0.4);
  prepare(p, 1e-10);
  ss_friction_momentum a = begin(p);
  assert_true(ss_friction_conjugate(&p->run, &a, 10000));
  int sweeps = p->space.sweeps;
  assert_true(worst_error(p, 20, 0.4) < 1e-7);  // 20 floors, G^-1 of the column has the norm 20^2 pi^2/4
  prepare(p, 1e-10);
  assert_true(ss_friction_nsgs(&p->run, 10000));
  assert_true(3*sweeps < p->space.sweeps);      // the square root, or nearly so
  ss_friction_blocks_destroy(p);
}

// What is judged without J^T Lambda is what is judged with it: v follows the momentum
static void test_velocities(void** state)
{
  (void)state;
  ss_friction_blocks* p = make_columns(3, 10, 0.3, 0.29);
  prepare(p, 0);
  ss_friction_momentum a = begin(p);
  for (int i = 0; i < 5; i++) {
    assert_false(ss_friction_conjugate(&p->run, &a, 3));
    double told = ss_friction_momentum_look(&p->space, &a, p->run.Lambda, p->run.xi);
    double bound = ss_friction_momentum_bound(&p->space, &a);
    assert_true(bound <= told*(1 + 1e-12) + 1e-15 && bound > 0.1*told);
    ss_friction_xi(&p->space, p->run.Lambda, p->run.xi_plus);
    assert_true(fabs(told - ss_friction_space_residual(&p->space, p->run.Lambda, p->run.xi_plus)) < 1e-13);
    for (int r = 0; r < p->space.m; r++) assert_true(fabs(p->run.xi[r] - p->run.xi_plus[r]) < 1e-13);
  }
  ss_friction_blocks_destroy(p);
}

// ---- four contacts at a time ----

// k contacts of `bodies` bodies with one another and the ground, the first n_free of them bilateral, all numbers
// random; mu is 0 for every seventh
static ss_friction_blocks* make_random(int n_free, int k, int bodies, double mu, unsigned seed)
{
  ss_friction_blocks* p = ss_friction_blocks_create();
  uint64_t random = seed;
  assert_true(p && ss_friction_blocks_size(p, n_free, k, 2*k, 4*k, bodies));
  ss_friction_space* s = &p->space;
  s->start[0] = 0;
  for (int i = 0; i < k; i++) {
    int a = (int)(bodies*ss_pseudo_random_part(&random)), b = (int)(bodies*ss_pseudo_random_part(&random));
    int e = s->start[i];
    s->col[e] = a;
    if (a != b) s->col[e + 1] = b;
    s->start[i + 1] = e + 1 + (a != b);
    s->trace[i] = 0;
    for (; e < s->start[i + 1]; e++)
      for (int c = 0; c < 18; c++) {
        double x = ss_pseudo_random(&random);
        s->value[e*SS_BLOCK_NUMBERS + c/6*SS_BLOCK_STRIDE + c%6] = x;
        s->trace[i] += x*x;
      }
    s->layout.count[i] = 3;
    s->layout.element[i] = 0;
    p->mu[i] = i%7 && i >= n_free ? mu : 0;
    p->bound[i] = 0;
    for (int r = 0; r < 3; r++) s->b[3*i + r] = ss_pseudo_random(&random);
  }
  return p;
}

// v is carried from sweep to sweep and never computed anew: as many sweeps as a solve may take cost it no more than
// some of the last digits, even where contacts are more than their motion has freedom and sweeps never end
static void test_many_sweeps(void** state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 3; seed++)
    for (int way = 0; way < 2; way++) {
      ss_friction_blocks* p = make_random((int)seed - 1, 60, 12, 0.7, seed);
      double largest = 0;
      prepare(p, 0);
      p->space.batches = way ? NULL : &p->batches;
      ss_friction_momentum a = begin(p);
      assert_false(ss_friction_conjugate(&p->run, &a, 24000));
      ss_friction_momentum_look(&p->space, &a, p->run.Lambda, p->run.xi);
      ss_friction_xi(&p->space, p->run.Lambda, p->run.xi_plus);
      for (int r = 0; r < p->space.m; r++) largest = fmax(largest, fabs(p->space.trace[r/3]*p->run.Lambda[r]));
      assert_true(largest > p->space.scale);
      for (int r = 0; r < p->space.m; r++) assert_true(fabs(p->run.xi[r] - p->run.xi_plus[r]) < 1e-12*largest);
      ss_friction_blocks_destroy(p);
    }
}

// Each contact once, no body twice in a batch, and the order of contacts that share a body kept
static void test_batches(void** state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 20; seed++) {
    int k = 37 + 40*(int)seed, bodies = 3 + 10*(int)seed, seen = 0, last[300];
    ss_friction_blocks* p = make_random((int)seed%4, k, bodies, 0.5, seed);
    prepare(p, 0);
    ss_friction_make_diagonal(&p->space);
    assert_true(ss_friction_batches_fill(&p->batches, &p->space));
    for (int i = 0; i < bodies; i++) last[i] = -1;
    for (int i = 0; i < p->batches.n; i++) {
      for (int l = 0, before[8], n = 0; l < SS_LANES; l++) {
        int c = p->batches.batch[i].contact[l];
        if (c < 0) continue;
        seen++;
        for (int e = p->space.start[c]; e < p->space.start[c + 1]; e++) {
          int body = p->space.col[e];
          for (int j = 0; j < n; j++) assert_int_not_equal(before[j], body);
          assert_true(last[body] < c);
          last[body] = c;
        }
        for (int e = p->space.start[c]; e < p->space.start[c + 1]; e++) before[n++] = p->space.col[e];
      }
    }
    assert_int_equal(seen, k - p->space.n_free);
    ss_friction_blocks_destroy(p);
  }
}

// G is regular and friction small: one solution, by batches and by one contact after the other. Bilateral rows stand
// still in it, whatever the sign of their impulses.
static void test_same_solution(void** state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 10; seed++) {
    int bodies = 20, k = 25;
    double found[75];
    ss_friction_blocks* p = make_random((int)seed%5, k, bodies, 0.2, seed);
    for (int way = 0; way < 2; way++) {
      prepare(p, 1e-12);
      p->space.batches = way ? NULL : &p->batches;
      ss_friction_momentum a = begin(p);
      assert_true((a.batches == NULL) == (way == 1));
      assert_true(ss_friction_conjugate(&p->run, &a, 20000));
      assert_true(ss_friction_judge(&p->run, SS_FRICTION_NSGS) || p->run.r < 2e-12);
      for (int r = 0; r < 3*k; r++) {
        if (way) assert_true(fabs(found[r] - p->run.Lambda[r]) < 1e-8*(1 + fabs(found[r])));
        found[r] = p->run.Lambda[r];
      }
      for (int r = 0; r < 3*p->space.n_free; r++) assert_true(fabs(p->run.xi[r]) < 1e-11);
    }
    ss_friction_blocks_destroy(p);
  }
}

// What cannot be done four at a time is told
static void test_others(void** state)
{
  (void)state;
  ss_friction_blocks* p = make_random(0, 30, 20, 0.5, 5);
  prepare(p, 0);
  ss_friction_make_diagonal(&p->space);
  assert_true(ss_friction_batches_fill(&p->batches, &p->space));
  p->bound[3] = 0.1;
  assert_false(ss_friction_batches_fill(&p->batches, &p->space));
  p->bound[3] = 0;
  p->space.D[0] = 0;
  assert_false(ss_friction_batches_fill(&p->batches, &p->space));
  ss_friction_blocks_destroy(p);
}

// The way through the order of attempts, with so many contacts that sweeps come first
static void test_solve(void** state)
{
  (void)state;
  ss_friction_blocks* p = make_columns(50, 5, 0.5, 0.4);
  ss_friction_def def = ss_friction_def_default();
  def.tol = 1e-5;
  assert_true(ss_friction_blocks_solve(p, &def, 0, false, 0, NULL));
  assert_int_equal(p->space.factors, 0);
  assert_true(worst_error(p, 5, 0.4) < 1e-3);
  ss_friction_blocks_destroy(p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_column),
    cmocka_unit_test(test_velocities),
    cmocka_unit_test(test_many_sweeps),
    cmocka_unit_test(test_batches),
    cmocka_unit_test(test_same_solution),
    cmocka_unit_test(test_others),
    cmocka_unit_test(test_solve),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
