// Periodic orbits: closed forms, two methods against each other, derivatives against differences.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <stickslip/stickslip.h>

static const double pi = 3.14159265358979323846;

typedef struct found {
  ss_model* model;
  ss_orbit_def def;
  ss_orbit* orbit;
} found;

static ss_model* load(const char* name, const char* path, const char* value)
{
  ss_error error = {0};
  ss_override set = {path, value};
  ss_model_def def = {.n_override = path != NULL, .override = &set};
  ss_model* model = ss_model_load(name, &def, &error);
  if (!model) fail_msg("%s", error.text);
  return model;
}

static ss_orbit* search(const ss_model* model, const ss_orbit_def* def, ss_error* error)
{
  ss_state* s = ss_state_create(ss_model_system(model));
  ss_model_initial(model, s);
  ss_orbit* orbit = ss_orbit_find(ss_model_system(model), def, s, error);
  ss_state_destroy(s);
  return orbit;
}

static found find(const char* name, const char* path, const char* value, double period, ss_cycle_method method,
                  ss_integrator integrator)
{
  ss_error error = {0};
  found f = {.model = load(name, path, value), .def = ss_orbit_def_default()};
  f.def.method = method;
  f.def.period = period;
  f.def.step = ss_model_run(f.model)->step;
  f.def.step.integrator = integrator;
  f.orbit = search(f.model, &f.def, &error);
  if (!f.orbit) fail_msg("%s: %s", name, error.text);
  assert_int_equal(f.orbit->status, SS_OK);
  return f;
}

static found shoot(const char* name, const char* path, const char* value, double period)
{
  return find(name, path, value, period, SS_CYCLE_SHOOTING, SS_EVENT_DRIVEN);
}

static void drop(found* f)
{
  ss_orbit_destroy(f->orbit);
  ss_model_destroy(f->model);
}

static void expect_near(const char* what, double value, double expected, double tol)
{
  if (!(fabs(value - expected) <= tol)) fail_msg("%s is %.15g, expected %.15g within %g", what, value, expected, tol);
}

static void test_woodpecker_by_two_methods(void** state)
{
  (void)state;
  found a = shoot("woodpecker", NULL, NULL, 0);
  found b = find("woodpecker", NULL, NULL, 0, SS_CYCLE_ITERATION, SS_EVENT_DRIVEN);
  assert_int_equal(a.orbit->returns, 1);
  assert_int_equal(a.orbit->n_events, 9);
  assert_true(a.orbit->cyclic[0] && !a.orbit->cyclic[1] && !a.orbit->cyclic[2]);
  expect_near("the period", a.orbit->period, 0.145976065, 1e-9);
  expect_near("the period by iteration", b.orbit->period, a.orbit->period, 1e-9);
  expect_near("the drift", b.orbit->drift[0], a.orbit->drift[0], 1e-10);
  expect_near("the multiplier", a.orbit->re[0], -0.8391556, 1e-6);
  expect_near("the multiplier by iteration", b.orbit->re[0], a.orbit->re[0], 5e-4);
  for (int i = 1; i < a.orbit->n_multipliers; i++)
    expect_near("another one", hypot(a.orbit->re[i], a.orbit->im[i]), 0, 1e-6);
  drop(&a);
  drop(&b);
}

// Series of impacts that end, redundant contacts that stick and begin to slide: derivatives go through these too. The
// multiplier is what the changes from peck to peck shrink by, as long as they stand clear of the series' cut-off.
static void test_woodpecker_with_four_degrees(void** state)
{
  (void)state;
  found f = shoot("woodpecker4", NULL, NULL, 0);
  assert_int_equal(f.orbit->method, SS_CYCLE_SHOOTING);
  expect_near("the period", f.orbit->period, 0.13976231479, 1e-10);
  ss_error error = {0};
  ss_state* s = f.orbit->start;
  ss_step_def step = f.def.step;
  double past[3] = {0};
  s->u[2] += 1e-4*fabs(s->u[2]);
  step.dt = 1;
  ss_work* w = ss_work_create(ss_model_system(f.model), &error);
  for (int returns = 0; returns < 5;) {
    s->t_step = s->t;
    assert_int_equal(ss_step(ss_model_system(f.model), &step, s, w), SS_OK);
    const ss_step_info* info = ss_work_info(w);
    for (int i = 0; i < info->n_events; i++) {
      if (info->event[i].contact != f.orbit->contact || info->event[i].kind != f.orbit->kind) continue;
      past[0] = past[1];
      past[1] = past[2];
      past[2] = s->u[2];
      returns++;
    }
  }
  expect_near("the multiplier", f.orbit->re[0], (past[2] - past[1])/(past[1] - past[0]), 1e-3);
  ss_work_destroy(w);
  drop(&f);
}

static void test_woodpecker_by_time_stepping(void** state)
{
  (void)state;
  found f = find("woodpecker", "run.dt", "2e-5", 0, SS_CYCLE_ITERATION, SS_MOREAU);
  expect_near("the period", f.orbit->period, 0.145976065, 6*2e-5);
  drop(&f);
}

// Between impacts the motion keeps areas, an impact takes e of position and of velocity: the product is e^2.
static void test_impact_oscillator(void** state)
{
  (void)state;
  double omega = 24, e = 0.8, omega_0 = 10, B = 10/(100 - omega*omega);
  double c = (1 + e)/(2*omega_0)/tan(pi*omega_0/omega), V = fabs(B)/hypot(c, (1 - e)/(2*omega));
  found f = shoot("impact-oscillator", NULL, NULL, 2*pi/omega);
  assert_int_equal(f.orbit->n_multipliers, 2);
  expect_near("the modulus", hypot(f.orbit->re[0], f.orbit->im[0]), e, 1e-8);
  expect_near("the product", f.orbit->re[0]*f.orbit->re[1] - f.orbit->im[0]*f.orbit->im[1], e*e, 1e-8);
  ss_step_def step = f.def.step;
  step.dt = 1;
  ss_error error = {0};
  ss_work* w = ss_work_create(ss_model_system(f.model), &error);
  assert_int_equal(ss_step(ss_model_system(f.model), &step, f.orbit->start, w), SS_OK);
  expect_near("the speed of the impact", ss_work_info(w)->event[0].gamma_before[0], -V, 1e-8);
  ss_work_destroy(w);
  drop(&f);
}

static void test_doubled_period(void** state)
{
  (void)state;
  found f = shoot("impact-oscillator", "omega", "27", 2*pi/27);
  assert_int_equal(f.orbit->returns, 2);
  expect_near("the period", f.orbit->period, 4*pi/27, 1e-12);
  expect_near("the modulus", hypot(f.orbit->re[0], f.orbit->im[0]), 0.64, 1e-7);
  drop(&f);
}

static void test_belt(void** state)
{
  (void)state;
  found f = shoot("belt", NULL, NULL, 0);
  expect_near("the period", f.orbit->period, 0.2 + 0.15*pi, 1e-9);
  expect_near("a multiplier", f.orbit->re[0], 0, 1e-8);
  drop(&f);
}

// On what the map reaches: both maps after the one with saltation
static void expect_same_map(const char* name, double period, double tol)
{
  ss_error error = {0};
  found f = shoot(name, NULL, NULL, period);
  int n = 2*f.orbit->nv;
  double *map = calloc((size_t)(n*n), sizeof *map), most = 0, size = 0;
  assert_int_equal(ss_orbit_differences(ss_model_system(f.model), &f.def, f.orbit, 1e-6, map, &error), SS_OK);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double a = 0, b = 0;
      for (int k = 0; k < n; k++) {
        a += f.orbit->map[k*n + i]*f.orbit->map[j*n + k];
        b += map[k*n + i]*f.orbit->map[j*n + k];
      }
      most = fmax(most, fabs(a - b));
      size = fmax(size, fabs(a));
    }
  expect_near(name, most/size, 0, tol);
  free(map);
  drop(&f);
}

static void test_derivatives_against_differences(void** state)
{
  (void)state;
  expect_same_map("woodpecker", 0, 1e-5);
  expect_same_map("impact-oscillator", 2*pi/24, 1e-6);
}

static void test_what_cannot_be(void** state)
{
  (void)state;
  ss_error error = {0};
  ss_orbit_def def = ss_orbit_def_default();
  ss_model* model = load("impact-oscillator", NULL, NULL);
  assert_null(search(model, &def, &error));
  assert_int_equal(error.status, SS_ERR_ARGUMENT);  // it depends on time
  ss_model_destroy(model);
  model = load("ball", NULL, NULL);
  assert_null(search(model, &def, &error));  // comes to rest
  assert_int_equal(error.status, SS_ERR_NUMERIC);
  ss_model_destroy(model);
  model = load("sphere-plane", NULL, NULL);
  assert_null(search(model, &def, &error));
  assert_int_equal(error.status, SS_ERR_ARGUMENT);
  ss_model_destroy(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_woodpecker_by_two_methods), cmocka_unit_test(test_woodpecker_by_time_stepping),
    cmocka_unit_test(test_woodpecker_with_four_degrees),
    cmocka_unit_test(test_impact_oscillator), cmocka_unit_test(test_doubled_period), cmocka_unit_test(test_belt),
    cmocka_unit_test(test_derivatives_against_differences), cmocka_unit_test(test_what_cannot_be),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
