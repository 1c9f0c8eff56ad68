// Friction with a static and a kinetic coefficient, and friction that depends on the motion.
#include <math.h>

#include "text_run.h"

#define MASS "coordinates: [x]\nkinetic: x'^2/2\npotential: 50*x^2\n"
#define TABLE "coordinates: [x, y]\nkinetic: (x'^2 + y'^2)/2\npotential: 50*x^2 + 10*y\n"

static const double omega = 10, pi = 3.14159265358979323846;

static void expect_near(const char* what, double value, double expected, double tol)
{
  if (!(fabs(value - expected) <= tol)) fail_msg("%s is %.15g, expected %.15g, within %g", what, value, expected, tol);
}

// Times of the first n events, and the range of x from the first of them on
static void watch(run* r, int n, double* t, double* low, double* high)
{
  const ss_event* event;
  int found = 0;
  *low = INFINITY;
  *high = -INFINITY;
  for (long steps = 0; found < n && steps < 1000000; steps++) {
    assert_int_equal(ss_step(r->system, &r->def, r->s, r->w), SS_OK);
    int k = ss_ledger_step(r->ledger, r->s, ss_work_info(r->w), &event);
    for (int i = 0; i < k && found < n; i++) t[found++] = event[i].t;
    if (!found) continue;
    *low = fmin(*low, r->s->q[0]);
    *high = fmax(*high, r->s->q[0]);
  }
  assert_int_equal(found, n);
}

// Largest error of the events at 0.25 (slip), then stick and slip in turn, and of the range of x
static double belt_error(const char* text, ss_integrator integrator, double dt)
{
  run r = start(text);
  r.def.integrator = integrator;
  r.def.dt = dt;
  double t[6], low, high, error = 0, slide = 1.5*pi/omega, at = 0.25, radius = 0.02*sqrt(2);
  watch(&r, 6, t, &low, &high);
  for (int i = 0; i < 6; i++) {
    error = fmax(error, fabs(t[i] - at));
    at += i%2 ? 0.2 : slide;
  }
  error = fmax(error, fmax(fabs(low - (0.03 - radius)), fabs(high - (0.03 + radius))));
  stop(&r);
  return error;
}

static const char element[] = MASS "contacts: {belt: {slide: x' - 0.2, bound: 3, bound_static: 5}}\n"
                                   "initial: {x': 0.2}\n";
static const char loaded[] = TABLE "contacts: {belt: {gap: y, slide: x' - 0.2, mu: 0.3, mu_static: 0.5}}\n"
                                   "initial: {x': 0.2}\n";

static void test_belt_event_driven(void** state)
{
  (void)state;
  expect_near("the error", belt_error(element, SS_EVENT_DRIVEN, 1e-4), 0, 1e-8);
  expect_near("the error with a real contact", belt_error(loaded, SS_EVENT_DRIVEN, 1e-4), 0, 1e-8);
}

// Events are known up to a step and a half; no accumulation
static void test_belt_time_stepping(void** state)
{
  (void)state;
  const ss_integrator list[] = {SS_MOREAU, SS_EULER, SS_JEAN};
  for (int k = 0; k < 3; k++) {
    for (double dt = 1e-3; dt > 2e-5; dt /= 4) {
      expect_near(ss_integrator_name(list[k]), belt_error(element, list[k], dt)/dt, 0, 4);
      expect_near(ss_integrator_name(list[k]), belt_error(loaded, list[k], dt)/dt, 0, 4);
    }
  }
}

// x'' = -100 x + 3 + 2 exp(-(0.2 - x')/0.05) from (x, 0.2) until x' = 0.2 again, by the classical method of order 4
static double slide_time(double* x)
{
  double v = 0.2, t = 0, h = 1e-5;
  for (bool away = false;; away = away || v < 0.19) {
    double k[4], l[4], x0 = *x, v0 = v;
    for (int i = 0; i < 4; i++) {
      double c = i == 0 ? 0 : i == 3 ? h : h/2;
      double xi = x0 + (i ? c*l[i - 1] : 0), vi = v0 + (i ? c*k[i - 1] : 0);
      l[i] = vi;
      k[i] = -100*xi + 3 + 2*exp(-fabs(0.2 - vi)/0.05);
    }
    double dx = h*(l[0] + 2*l[1] + 2*l[2] + l[3])/6, dv = h*(k[0] + 2*k[1] + 2*k[2] + k[3])/6;
    if (away && v + dv > 0.2) {  // the root of the parabola
      double s = (0.2 - v)/dv;
      *x += s*dx;
      return t + s*h;
    }
    *x += dx;
    v += dv;
    t += h;
  }
}

static void test_friction_that_falls_with_speed(void** state)
{
  (void)state;
  const char* text = MASS "contacts: {belt: {slide: x' - 0.2, bound: 3 + 2*exp(-abs(x' - 0.2)/0.05)}}\n"
                          "initial: {x': 0.2}\nrun: {integrator: event, dt: 0.01}\n";
  run r = start(text);
  double t[6], low, high, x = 0.05, slide = slide_time(&x);
  watch(&r, 6, t, &low, &high);
  expect_near("the period", t[4] - t[2], 0.71359, 5e-6);
  expect_near("the time of sliding", t[3] - t[2], slide, 1e-5);
  expect_near("the time of sticking", t[4] - t[3], (0.05 - x)/0.2, 1e-5);
  expect_near("one period", t[4] - t[2], t[5] - t[3], 1e-8);
  stop(&r);
  for (double dt = 4e-4; dt > 5e-5; dt /= 2) {
    r = start(text);
    r.def.integrator = SS_MOREAU;
    r.def.dt = dt;
    watch(&r, 6, t, &low, &high);
    expect_near("the period by moreau", (t[4] - t[2] - 0.713586)/dt, 0, 8);
    stop(&r);
  }
}

// A block on a slope between both angles of friction: it stays if it rests, it slides on if it slides
static void test_slope(void** state)
{
  (void)state;
  const ss_integrator list[] = {SS_EVENT_DRIVEN, SS_MOREAU, SS_EULER, SS_JEAN};
  for (int k = 0; k < 8; k++) {
    run r = start("coordinates: [x, y]\nkinetic: (x'^2 + y'^2)/2\npotential: 10*y - 4*x\n"
                  "contacts: {slope: {gap: y, slide: x', mu: 0.3, mu_static: 0.5}}\n");
    r.def.integrator = list[k/2];
    r.def.dt = 1e-3;
    r.s->u[0] = k%2;
    go(&r, 1);
    double x = k%2 ? 1 + 0.5 : 0;  // x'' = 4 - 3
    expect_near(ss_integrator_name(list[k/2]), r.s->q[0], x, list[k/2] == SS_EVENT_DRIVEN ? 1e-9 : 1e-3);
    stop(&r);
  }
}

// A swing that ends where 0.3 would not hold the mass, but 0.5 does: from x = 0.1, around 0.03, to -0.04 (0.04 k = 4 N)
static void test_caught_at_rest(void** state)
{
  (void)state;
  const ss_integrator list[] = {SS_EVENT_DRIVEN, SS_MOREAU, SS_EULER, SS_JEAN};
  for (int k = 0; k < 4; k++) {
    run r = start(TABLE "contacts: {table: {gap: y, slide: x', mu: 0.3, mu_static: 0.5}}\ninitial: {x: 0.1}\n");
    r.def.integrator = list[k];
    r.def.dt = 1e-4;
    go(&r, 1);
    expect_near("x", r.s->q[0], -0.04, k ? 1e-4 : 1e-9);
    expect_near("x'", r.s->u[0], 0, 1e-12);
    stop(&r);
  }
}

// A copy of the state remembers what sticks
static void test_memory_is_in_the_state(void** state)
{
  (void)state;
  run r = start(TABLE "contacts: {table: {gap: y, slide: x', mu: 0.3, mu_static: 0.5}}\ninitial: {x: 0.1}\n");
  go(&r, 0.5);
  ss_state* copy = ss_state_create(r.system);
  ss_work* other = ss_work_create(r.system, NULL);
  ss_state_copy(copy, r.s);
  for (int i = 0; i < 1000; i++) {
    assert_int_equal(ss_step(r.system, &r.def, r.s, r.w), SS_OK);
    assert_int_equal(ss_step(r.system, &r.def, copy, other), SS_OK);
    assert_memory_equal(copy->q, r.s->q, 2*sizeof(double));
    assert_memory_equal(copy->u, r.s->u, 2*sizeof(double));
  }
  ss_work_destroy(other);
  ss_state_destroy(copy);
  stop(&r);
}

static void test_negative_friction_is_refused(void** state)
{
  (void)state;
  run r = start(MASS "contacts: {c: {slide: x', bound: 1 - 10*t}}\ninitial: {x': 0.5}\nrun: {dt: 0.01}\n");
  ss_status st = SS_OK;
  for (int i = 0; i < 50 && st >= 0; i++) st = ss_step(r.system, &r.def, r.s, r.w);
  assert_int_equal(st, SS_ERR_NUMERIC);
  assert_non_null(strstr(ss_work_message(r.w), "friction of contact 'c' is negative"));
  stop(&r);
}

static void expect_error(const char* text, const char* part)
{
  ss_error error = {0};
  assert_null(ss_model_parse(text, strlen(text), "test", NULL, &error));
  if (!strstr(error.text, part)) fail_msg("'%s' does not say '%s'", error.text, part);
}

static void test_mistakes(void** state)
{
  (void)state;
  expect_error(TABLE "contacts: {c: {gap: y, slide: x', mu: 0.3, mu_static: 0.2}}\n", "mu_static is 0.2, less than mu");
  expect_error(TABLE "contacts: {c: {gap: y, slide: x', mu_static: 0.2}}\n", "there is no 'mu'");
  expect_error(MASS "contacts: {c: {slide: x', bound: 2, bound_static: -1}}\n", "must not be negative");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_belt_event_driven), cmocka_unit_test(test_belt_time_stepping),
    cmocka_unit_test(test_friction_that_falls_with_speed), cmocka_unit_test(test_slope),
    cmocka_unit_test(test_caught_at_rest), cmocka_unit_test(test_memory_is_in_the_state),
    cmocka_unit_test(test_negative_friction_is_refused), cmocka_unit_test(test_mistakes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
