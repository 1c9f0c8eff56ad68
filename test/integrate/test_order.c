// Text models with redundant contacts that slide: a beam on n feet in a row, each with friction of its own, and a block
// between two walls. The contact laws allow several motions; which one comes out does not hang on the order of contacts
// or on left and right, it is told, and of the impulses it is the least.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include <stickslip/stickslip.h>
#include "less.h"
#include "draw.h"

enum { MOST = 6 };

typedef struct beam {
  int n;
  double at[MOST], mu[MOST], height, speed;
} beam;

static beam random_beam(int n)
{
  beam b = {.n = n, .height = uniform(0, 0.2), .speed = uniform(0.5, 2)};
  for (int i = 0; i < n; i++) {
    b.at[i] = i == 0 ? -1 : i == 1 ? 1 : uniform(-1, 1);
    b.mu[i] = uniform(0.1, 0.5);
  }
  return b;
}

typedef struct run {
  double q[3], u[3];
  ss_ledger_counts counts;
} run;

static run play(const char* text, ss_integrator integrator, ss_impact_law impact, int steps)
{
  ss_error error = {0};
  ss_model* model = ss_model_parse(text, strlen(text), "order", NULL, &error);
  if (!model) fail_msg("%s", error.text);
  const ss_system* system = ss_model_system(model);
  int nv = ss_system_get(system)->nv;
  ss_state* s = ss_state_create(system);
  ss_work* w = ss_work_create(system, &error);
  ss_ledger* ledger = ss_ledger_create(system);
  ss_step_def def = ss_model_run(model)->step;
  def.integrator = integrator;
  def.impact = impact;
  ss_model_initial(model, s);
  for (int i = 0; i < steps; i++) {
    assert_int_equal(ss_step(system, &def, s, w), SS_OK);
    ss_ledger_step(ledger, s, ss_work_info(w), NULL);
  }
  run r = {.counts = *ss_ledger_get_counts(ledger)};
  memcpy(r.q, s->q, sizeof(double)*(size_t)nv);
  memcpy(r.u, s->u, sizeof(double)*(size_t)nv);
  ss_ledger_destroy(ledger);
  ss_work_destroy(w);
  ss_state_destroy(s);
  ss_model_destroy(model);
  return r;
}

// Feet in this order, seen from the other side if side is -1. It begins a little above the ground if `drop`.
static run play_beam(const beam* b, const int* order, int side, double drop, ss_integrator integrator,
                     ss_impact_law impact)
{
  char text[3000];
  size_t n = (size_t)snprintf(text, sizeof text, "name: beam\ncoordinates: {x: m, y: m, th: rad}\n"
    "kinetic: (x'^2 + y'^2)/2 + 0.25*th'^2\npotential: 9.81*y\ncontacts:\n");
  for (int i = 0; i < b->n; i++) {
    double at = side*b->at[order[i]], h = b->height;
    n += (size_t)snprintf(text + n, sizeof text - n, "  f%d: {gap: y + (%.17g)*sin(th) - %.17g*cos(th), slide: x' - "
      "((%.17g)*sin(th) - %.17g*cos(th))*th', mu: %.17g, eps_n: 0.3}\n", i, at, h, at, h, b->mu[order[i]]);
  }
  snprintf(text + n, sizeof text - n, "initial: {y: %.17g, x': %.17g}\nrun: {dt: 1e-3, until: 1}\n", b->height + drop,
           side*b->speed);
  run r = play(text, integrator, impact, 200);
  r.q[0] *= side;
  r.q[2] *= side;
  r.u[0] *= side;
  r.u[2] *= side;
  return r;
}

static void same(const run* a, const run* b)
{
  for (int i = 0; i < 3; i++) {
    if (!(fabs(a->q[i] - b->q[i]) < 1e-12)) fail_msg("q[%d] is %.15g and %.15g", i, a->q[i], b->q[i]);
    if (!(fabs(a->u[i] - b->u[i]) < 1e-12)) fail_msg("u[%d] is %.15g and %.15g", i, a->u[i], b->u[i]);
  }
}

static void shuffle(int n, int* order)
{
  for (int i = n - 1; i > 0; i--) {
    int j = (int)uniform(0, i + 1), keep = order[i];
    order[i] = order[j];
    order[j] = keep;
  }
}

// So many beams, each in so many other orders; of 15 in a row each number of feet meets each integrator
static void check_beams(int beams, int others, double drop, ss_impact_law impact)
{
  static const ss_integrator integrators[] = {SS_MOREAU, SS_JEAN, SS_EULER};
  for (int k = 0; k < beams/LESS; k++) {
    seed = (unsigned long)k + 1;
    beam b = random_beam(2 + k%5);
    int order[MOST] = {0, 1, 2, 3, 4, 5};
    run first = play_beam(&b, order, 1, drop, integrators[k%3], impact);
    assert_true(first.counts.max_residual < 1e-12);
    if (b.n == 2) assert_int_equal(first.counts.several_motions, 0);
    else assert_true(first.counts.several_motions > 10);
    for (int other = 0; other < others; other++) {
      shuffle(b.n, order);
      run r = play_beam(&b, order, other%2 ? -1 : 1, drop, integrators[k%3], impact);
      same(&r, &first);
    }
  }
}

static void test_beams(void** state)
{
  (void)state;
  check_beams(60, 4, 0, SS_IMPACT_NEWTON);
}

// Feet that hit the ground at the same time: steps take thirty times as long
static void test_beams_dropped(void** state)
{
  (void)state;
  check_beams(30, 2, 1e-3, SS_IMPACT_NEWTON);
  check_beams(30, 2, 1e-3, SS_IMPACT_POISSON);
}

// Feet side by side, smooth and rough ones
static beam mixed_beam(int n)
{
  static const double mu[] = {0, 0.3, 0.5, 1};
  beam b = {.n = n, .height = uniform(0, 1) < 0.5 ? 0.05 : 0.2, .speed = uniform(0, 1) < 0.5 ? 0.2 : 0.35};
  for (int i = 0; i < n; i++) {
    b.at[i] = -0.5 + (double)i/(n - 1);
    b.mu[i] = mu[(int)uniform(0, 4)];
  }
  return b;
}

// All feet come to rest together, and just before that both sliding on and rest are solutions
static void test_beams_stop(void** state)
{
  (void)state;
  static const ss_integrator integrators[] = {SS_MOREAU, SS_JEAN, SS_EULER};
  for (int k = 0; k < 60/LESS; k++) {
    seed = (unsigned long)k + 1;
    beam b = mixed_beam(3 + k%3);
    int order[MOST] = {0, 1, 2, 3, 4, 5};
    run first = play_beam(&b, order, 1, 0, integrators[k%3], SS_IMPACT_NEWTON);
    for (int other = 0; other < 4; other++) {
      shuffle(b.n, order);
      run r = play_beam(&b, order, other%2 ? -1 : 1, 0, integrators[k%3], SS_IMPACT_NEWTON);
      assert_int_equal(r.counts.as_found, 0);
      same(&r, &first);
    }
  }
}

// Between floor and ceiling that touch it both: the floor alone carries, v^2/(2 mu g) to the end
static void test_opposite(void** state)
{
  (void)state;
  static const char* const walls[] = {"  top: {gap: -y, slide: x', mu: 0.2}\n",
                                      "  bottom: {gap: y, slide: x', mu: 0.2}\n"};
  for (int k = 0; k < 2; k++) {
    char text[600];
    snprintf(text, sizeof text, "name: bead\ncoordinates: {x: m, y: m}\nkinetic: (x'^2 + y'^2)/2\npotential: 9.81*y\n"
      "contacts:\n%s%sinitial: {x': 3}\nrun: {dt: 1e-3, until: 3}\n", walls[k], walls[1 - k]);
    run r = play(text, SS_MOREAU, SS_IMPACT_NEWTON, 2000);
    assert_true(fabs(r.q[0] - 9/(2*0.2*9.81)) < 1e-3);
    assert_true(r.counts.several_motions > 1500);
    assert_true(r.counts.several_forces > 400);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_beams), cmocka_unit_test(test_beams_dropped),
                                     cmocka_unit_test(test_beams_stop), cmocka_unit_test(test_opposite)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
