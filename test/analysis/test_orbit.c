// Periodic orbits: closed forms, two methods against each other, derivatives against differences.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
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
      double a = 0;
      for (int k = 0; k < n; k++)
        a += f.orbit->map[k*n + i]*f.orbit->map[j*n + k];
      most = fmax(most, fabs(a - map[j*n + i]));
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

// ---- contacts that come and go ----

static const char belt_scene[] =
  "<mujoco model='belt'><option timestep='1e-4' gravity='0 0 -10'/><worldbody>"
  "<body name='belt'><inertial pos='0 0 0' mass='1e13' diaginertia='1 1 1'/>"
  "<joint name='belt' type='slide' axis='1 0 0'/><geom name='belt' type='box' size='500 1 .1' pos='0 0 -.1'/></body>"
  "<body pos='0 0 .1'><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
  "<joint name='x' type='slide' axis='1 0 0' stiffness='100'/><joint name='z' type='slide' axis='0 0 1'/>"
  "<geom name='block' size='.1'/></body></worldbody>"
  "<contact><pair geom1='belt' geom2='block' friction='.3 .3' friction-static='.5'/></contact>"
  "<keyframe><key name='go' qvel='.2 .2 0'/></keyframe></mujoco>";

// A ball that spins once from bounce to bounce
static const char ball_scene[] =
  "<mujoco model='ball'><option timestep='1e-3' gravity='0 0 -10'/><worldbody>"
  "<geom name='floor' type='plane' size='5 5 .1'/><body name='ball'><freejoint/>"
  "<geom name='ball' type='box' size='.1 .2 .1' mass='1' contype='0' conaffinity='0'/>"
  "<geom name='foot' type='sphere' size='.1' mass='1e-9'/></body></worldbody>"
  "<contact><pair geom1='floor' geom2='foot' friction='0 0' restitution='1'/></contact>"
  "<keyframe><key name='go' qpos='0 0 .6 1 0 0 0' qvel='0 0 0 0 0 9.9345882657961013'/></keyframe></mujoco>";

// A hexagon that rolls down a slope over its corners
static const char pencil[] =
  "name: pencil\n"
  "parameters: {a: 0.5, slope: 0.2, c: sqrt(3)/2, w: -2.5}\n"
  "gravity: [9.81*sin(slope), -9.81*cos(slope)]\n"
  "bodies:\n"
  "  floor: {halfplane: [0, 0, 0, 1], mu: 20}\n"
  "  pencil:\n"
  "    polygon: [[a, 0], [a/2, a*c], [-a/2, a*c], [-a, 0], [-a/2, -a*c], [a/2, -a*c]]\n"
  "    mass: 1\n"
  "    inertia: 0.75\n"
  "    mu: 20\n"
  "    free: [0, a*c, 0]\n"
  "    velocity: [-w*a*c, -w*a/2, w]\n"
  "run: {dt: 1e-3, until: 5, integrator: event}\n";

// A model from a file of its own, which is gone when this returns
static ss_model* load_text(const char* text, const char* end, const char* key)
{
  char folder[] = "/tmp/stickslip-orbit-XXXXXX", path[100];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/model.%s", folder, end);
  FILE* f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
  ss_model* model = load(path, key ? "stickslip.key" : NULL, key);
  unlink(path);
  rmdir(folder);
  return model;
}

static found find_in_text(const char* text, const char* end, const char* key, ss_cycle_method method,
                          ss_integrator integrator, double max_step)
{
  ss_error error = {0};
  found f = {.model = load_text(text, end, key), .def = ss_orbit_def_default()};
  f.def.step = ss_model_run(f.model)->step;
  f.def.step.integrator = integrator;
  f.def.step.event.max_step = max_step;
  f.def.method = method;
  f.orbit = search(f.model, &f.def, &error);
  if (!f.orbit) fail_msg("%s", error.text);
  assert_int_equal(f.orbit->status, SS_OK);
  return f;
}

// The same toy, once with contacts that are listed, once with contacts from outlines
static void test_woodpecker_by_outlines(void** state)
{
  (void)state;
  found a = shoot("woodpecker4", NULL, NULL, 0), b = shoot("woodpecker4-polygons", NULL, NULL, 0);
  assert_int_equal(b.orbit->method, SS_CYCLE_SHOOTING);
  expect_near("the period", b.orbit->period, 0.13976231479, 1e-10);
  expect_near("the drift", b.orbit->drift[1], a.orbit->drift[1], 1e-10);
  expect_near("the multiplier", b.orbit->re[0], -0.5446, 1e-4);
  assert_int_equal(b.orbit->n_multipliers, 7);
  for (int i = 1; i < 7; i++) expect_near("another one", hypot(b.orbit->re[i], b.orbit->im[i]), 0, 1e-5);
  for (int i = 0; i < 4; i++) {
    assert_int_equal(b.orbit->cyclic[i], i == 1);
    if (i != 1) expect_near("a coordinate", b.orbit->start->q[i], a.orbit->start->q[i], 1e-8);
    expect_near("a rate", b.orbit->start->u[i], a.orbit->start->u[i], 1e-6);
  }
  drop(&a);
  drop(&b);
}

// Sliding for three quarters of 2 pi/10 s, sticking for 0.2 s; nothing slows the belt down
static void test_belt_as_scene(void** state)
{
  (void)state;
  found f = find_in_text(belt_scene, "xml", "go", SS_CYCLE_SHOOTING, SS_EVENT_DRIVEN, 0.01);
  expect_near("the period", f.orbit->period, 0.2 + 0.15*pi, 1e-9);
  assert_string_equal(f.orbit->contact_name, "belt - block");
  assert_true(f.orbit->cyclic[0] && !f.orbit->cyclic[1]);
  expect_near("the way of the belt", f.orbit->drift[0], 0.2*f.orbit->period, 1e-9);
  expect_near("what stays as it is", f.orbit->re[0], 1, 1e-7);
  for (int i = 1; i < f.orbit->n_multipliers; i++) expect_near("another one", f.orbit->re[i], 0, 1e-6);
  ss_error error = {0};
  f.def.contact_name = "belt - blob";
  assert_null(search(f.model, &f.def, &error));
  assert_non_null(strstr(error.text, "'belt - block'"));
  drop(&f);
  f = find_in_text(belt_scene, "xml", "go", SS_CYCLE_ITERATION, SS_EVENT_DRIVEN, 0.01);
  expect_near("the period by iteration", f.orbit->period, 0.2 + 0.15*pi, 1e-9);
  drop(&f);
  f = find_in_text(belt_scene, "xml", "go", SS_CYCLE_ITERATION, SS_MOREAU, 0);
  expect_near("the period by steps", f.orbit->period, 0.2 + 0.15*pi, 2e-4);
  drop(&f);
}

// A wheel without a rim: an impact keeps eta = (J + m a^2 cos 60)/(J + m a^2) of the rate, a sixth of a turn adds
// 4 m g a sin 30 sin(slope)/(J + m a^2) to its square; changes shrink by eta^2 from corner to corner.
static void test_rolling_hexagon(void** state)
{
  (void)state;
  double eta = 0.875, gain = 4*9.81*0.5*0.5*sin(0.2), omega = eta*sqrt(gain/(1 - eta*eta));
  found f = find_in_text(pencil, "yaml", NULL, SS_CYCLE_SHOOTING, SS_EVENT_DRIVEN, 0);
  assert_true(f.orbit->cyclic[0] && !f.orbit->cyclic[1] && !f.orbit->cyclic[2]);
  expect_near("the rate", f.orbit->start->u[2], -omega, 1e-9);
  expect_near("the way", f.orbit->drift[0], 6*0.5, 1e-9);
  expect_near("the turn", f.orbit->drift[2], -2*pi, 1e-9);
  expect_near("the multiplier", f.orbit->re[0], pow(eta, 12), 1e-7);
  for (int i = 1; i < f.orbit->n_multipliers; i++) expect_near("another one", f.orbit->re[i], 0, 1e-7);
  drop(&f);
}

// Two of them that do not see each other: each attracts, but how far one is ahead of the other stays as it is. In step
// their corners hit at once, and from a state beside not: there is no derivative, and none is claimed.
static void test_two_hexagons(void** state)
{
  (void)state;
  static const char two[] =
    "name: two pencils\n"
    "parameters: {a: 0.5, slope: 0.2, c: sqrt(3)/2, w: -2.5, more: %s}\n"
    "gravity: [9.81*sin(slope), -9.81*cos(slope)]\n"
    "bodies:\n"
    "  floor: {halfplane: [0, 0, 0, 1], mu: 20}\n"
    "  one: {polygon: [[a, 0], [a/2, a*c], [-a/2, a*c], [-a, 0], [-a/2, -a*c], [a/2, -a*c]], mass: 1, inertia: 0.75,\n"
    "    mu: 20, group: g, free: [0, a*c, 0], velocity: [-w*a*c, -w*a/2, w]}\n"
    "  two: {polygon: [[a, 0], [a/2, a*c], [-a/2, a*c], [-a, 0], [-a/2, -a*c], [a/2, -a*c]], mass: 1, inertia: 0.75,\n"
    "    mu: 20, group: g, free: [0, a*c, 0], velocity: [-more*w*a*c, -more*w*a/2, more*w]}\n"
    "run: {dt: 1e-3, until: 5, integrator: event}\n";
  char text[2000];
  snprintf(text, sizeof text, two, "1.1");
  found f = find_in_text(text, "yaml", NULL, SS_CYCLE_SHOOTING, SS_EVENT_DRIVEN, 0);
  assert_int_equal(f.orbit->method, SS_CYCLE_SHOOTING);
  expect_near("how far ahead", f.orbit->re[0], 1, 1e-6);
  for (int i = 1; i < 3; i++) expect_near("a multiplier", f.orbit->re[i], pow(0.875, 12), 1e-6);
  drop(&f);
  snprintf(text, sizeof text, two, "1");
  f = find_in_text(text, "yaml", NULL, SS_CYCLE_SHOOTING, SS_EVENT_DRIVEN, 0);
  assert_int_equal(f.orbit->method, SS_CYCLE_ITERATION);
  assert_false(f.orbit->has_map);
  drop(&f);
}

// T = 2 v/g, after which the quaternion has changed its sign. Nothing is lost: what changes the state by d changes that
// at the next bounce, v by dv and the spin by dw, and the turn by w dT + T dw about the axis.
static void test_spinning_ball(void** state)
{
  (void)state;
  ss_error error = {0};
  found f = find_in_text(ball_scene, "xml", "go", SS_CYCLE_SHOOTING, SS_EVENT_DRIVEN, 0);
  double v = sqrt(10), T = 2*v/10, w = 2*pi/T, *map = f.orbit->map;
  expect_near("the period", f.orbit->period, T, 1e-9);
  expect_near("dv/dv", map[8*12 + 8], 1, 1e-7);
  expect_near("turn by dv", map[8*12 + 5], w*2/10, 1e-6);
  expect_near("turn by dw", map[11*12 + 5], T, 1e-7);
  expect_near("x by dv_x", map[6*12 + 0], T, 1e-7);
  double product[144];
  assert_int_equal(ss_orbit_differences(ss_model_system(f.model), &f.def, f.orbit, 1e-6, product, &error), SS_OK);
  for (int j = 0; j < 12; j++)
    for (int i = 0; i < 12; i++) {
      double sum = 0;
      for (int k = 0; k < 12; k++) sum += map[k*12 + i]*map[j*12 + k];
      expect_near("map after map", product[j*12 + i], sum, 1e-5);
    }
  drop(&f);
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
  assert_non_null(strstr(error.text, "there is no contact event after"));
  const char* van_der_pol = "coordinates: {x: m}\nkinetic: x'^2/2\npotential: x^2/2\n"
                            "forces: {x: (1 - x^2)*x'}\ninitial: {x: 0.5}\n";
  model = ss_model_parse(van_der_pol, strlen(van_der_pol), "van-der-pol.yaml", NULL, &error);
  assert_non_null(model);
  assert_null(search(model, &def, &error));  // it oscillates, but no event marks a section
  assert_non_null(strstr(error.text, "no section: there is no contact event"));
  ss_model_destroy(model);
  const char* stop = "coordinates: {x: m}\nkinetic: x'^2/2\npotential: 50*x^2\n"
                     "contacts: {stop: {gap: 0.05 - x, eps_n: 0.6}}\ninitial: {x': 2}\n";
  model = ss_model_parse(stop, strlen(stop), "stop.yaml", NULL, &error);
  assert_non_null(model);
  assert_null(search(model, &def, &error));  // each impact is 0.6 of the one before, as far as errors of rtol let it
  assert_int_equal(error.status, SS_ERR_NUMERIC);
  assert_non_null(strstr(error.text, "die out"));
  ss_model_destroy(model);
  model = load("sphere-plane", NULL, NULL);  // comes to rest
  assert_null(search(model, &def, &error));
  assert_int_equal(error.status, SS_ERR_NUMERIC);
  ss_model_destroy(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_woodpecker_by_two_methods), cmocka_unit_test(test_woodpecker_by_time_stepping),
    cmocka_unit_test(test_woodpecker_with_four_degrees),
    cmocka_unit_test(test_impact_oscillator), cmocka_unit_test(test_doubled_period), cmocka_unit_test(test_belt),
    cmocka_unit_test(test_woodpecker_by_outlines), cmocka_unit_test(test_belt_as_scene),
    cmocka_unit_test(test_rolling_hexagon), cmocka_unit_test(test_two_hexagons),
    cmocka_unit_test(test_spinning_ball),
    cmocka_unit_test(test_derivatives_against_differences), cmocka_unit_test(test_what_cannot_be),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
