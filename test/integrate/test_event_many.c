// Many contacts at once: bodies that have nothing to do with each other, stacks, redundant contacts beside others.
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "text_run.h"

static void expect_near(const char* what, double value, double expected, double tol)
{
  if (!(fabs(value - expected) <= tol))
    fail_msg("%s = %.15g, expected %.15g within %.3g, off by %.3g", what, value, expected, tol, value - expected);
}

enum { TEXT = 8000 };

static const char square[] = "polygon: [[0, 0], [0.1, 0], [0.1, 0.1], [0, 0.1]], density: 1000, mu: 0.5";

static size_t begin(char* text)
{
  return (size_t)snprintf(text, TEXT, "gravity: 9.81\nbodies:\n  floor: {halfplane: [0, 0, 0, 1], mu: 0.5}\n");
}

static void finish(char* text, size_t used, const char* dt)
{
  assert_true(used < TEXT - 100);
  snprintf(text + used, TEXT - used, "run: {dt: %s, integrator: event}\n", dt);
}

// Number of a coordinate
static int at(const run* r, const char* format, int i)
{
  char name[40];
  const ss_system_def* d = ss_system_get(r->system);
  snprintf(name, sizeof name, format, i);
  for (int k = 0; k < d->nv; k++)
    if (strcmp(d->coordinate[k], name) == 0) return k;
  fail_msg("no coordinate %s", name);
  return -1;
}

// Sum of the normal impulses of the last step
static double load(const run* r)
{
  const ss_step_info* info = ss_work_info(r->w);
  double sum = 0;
  for (int i = 0; i < info->n_contact; i++) sum += info->contact[i].Lambda[0];
  return sum;
}

// Twelve boxes lie on a floor: each has two contacts that share its weight in many ways, and none moves.
static void test_row(void** state)
{
  (void)state;
  char text[TEXT];
  size_t n = begin(text);
  for (int i = 0; i < 12; i++)
    n += (size_t)snprintf(text + n, TEXT - n, "  b%d: {%s, free: [%g, 0.05, 0]}\n", i, square, 0.2*i);
  finish(text, n, "1e-3");
  run r = start(text);
  go(&r, 0.02);
  for (int i = 0; i < 12; i++) {
    expect_near("x", r.s->q[at(&r, "b%d_x", i)], 0.2*i, 1e-12);
    expect_near("y", r.s->q[at(&r, "b%d_y", i)], 0.05, 1e-15);
    expect_near("phi", r.s->q[at(&r, "b%d_phi", i)], 0, 1e-15);
  }
  expect_near("weight times dt", load(&r), 12*10*9.81*1e-3, 1e-12);
  assert_int_equal(ss_ledger_get_counts(r.ledger)->events, 0);
  stop(&r);
}

// Twenty squares on one another: the k-th contact pair from the top carries k weights.
static void test_stack(void** state)
{
  (void)state;
  char text[TEXT];
  size_t n = begin(text);
  for (int i = 0; i < 20; i++)
    n += (size_t)snprintf(text + n, TEXT - n, "  b%d: {%s, free: [0, %.17g, 0]}\n", i, square, 0.05 + 0.1*i);
  finish(text, n, "1e-3");
  run r = start(text);
  go(&r, 0.02);
  for (int i = 0; i < 20; i++) {
    expect_near("y", r.s->q[at(&r, "b%d_y", i)], 0.05 + 0.1*i, 1e-13);
    expect_near("phi", r.s->q[at(&r, "b%d_phi", i)], 0, 1e-13);
  }
  expect_near("weights times dt", load(&r), 210*10*9.81*1e-3, 1e-9);
  stop(&r);
}

// Thirty balls fall from different heights and bounce: ball i lands after t_1 = sqrt(2 h/g), and has come to rest after
// t_1 (1 + e)/(1 - e), whatever the others do. Bounces lower than 20 round-offs of a gap (16 units of the largest
// coordinate each) are rest: sqrt(8 h/g)/(1 - e) is what is left then.
static void test_balls(void** state)
{
  (void)state;
  char text[TEXT];
  const double g = 9.81, e = 0.5;
  double first[30] = {0}, last[30] = {0};
  size_t n = begin(text);
  for (int i = 0; i < 30; i++)
    n += (size_t)snprintf(text + n, TEXT - n,
                          "  b%d: {circle: [0, 0, 0.05], density: 1000, eps_n: 0.5, free: [%g, %.17g, 0]}\n", i, 0.2*i,
                          0.1 + 0.013*i);
  finish(text, n, "1e-2");
  run r = start(text);
  while (r.s->t < 1.1) {
    ss_status st = ss_step(r.system, &r.def, r.s, r.w);
    if (st != SS_OK) fail_msg("t = %g: %s", r.s->t, ss_work_message(r.w));
    const ss_step_info* info = ss_work_info(r.w);
    for (int k = 0; k < info->n_events; k++) {
      const char* name = ss_work_contact_name(r.w, info->event[k].contact);
      int i = -1;
      assert_true(sscanf(name, "b%d - floor", &i) == 1 || sscanf(name, "floor - b%d", &i) == 1);
      if (first[i] == 0) first[i] = info->event[k].t;
      if (info->event[k].kind == SS_EVENT_ACCUMULATION) last[i] = info->event[k].t;
    }
  }
  for (int i = 0; i < 30; i++) {
    double fall = sqrt(2*(0.05 + 0.013*i)/g);
    expect_near("lands", first[i], fall, 1e-10);
    expect_near("rests", last[i], fall*(1 + e)/(1 - e), sqrt(8*20*16*DBL_EPSILON*6/g)/(1 - e));
    expect_near("y", r.s->q[at(&r, "b%d_y", i)], 0.05, 1e-12);
  }
  stop(&r);
}

// A block on four legs in a line, whose forces are not unique, beside one that slides to rest and one that bounces:
// the times of these are their own. Text models: rows that share no coordinate, whatever the expressions are.
static void test_mixed(void** state)
{
  (void)state;
  const double g = 9.81, mu = 0.3, v = 2, h = 0.4;
  run r = start("coordinates: {y: m, phi: rad, x: m, z: m, b: m}\n"
                "kinetic: y'^2/2 + phi'^2/24 + x'^2/2 + z'^2/2 + b'^2/2\npotential: 9.81*(y + z + b)\n"
                "contacts:\n  leg1: {gap: y - 0.5*sin(phi)}\n  leg2: {gap: y - 0.2*sin(phi)}\n"
                "  leg3: {gap: y + 0.2*sin(phi)}\n  leg4: {gap: y + 0.5*sin(phi)}\n"
                "  slide: {gap: z, slide: x', mu: 0.3}\n  bounce: {gap: b, eps_n: 0.5}\n"
                "initial: {x': 2, b: 0.4}\nrun: {dt: 1e-2, integrator: event}\n");
  double rest = 0, lands = 0;
  while (r.s->t < 0.9) {
    ss_status st = ss_step(r.system, &r.def, r.s, r.w);
    if (st != SS_OK) fail_msg("t = %g: %s", r.s->t, ss_work_message(r.w));
    const ss_step_info* info = ss_work_info(r.w);
    for (int k = 0; k < info->n_events; k++) {
      assert_in_range(info->event[k].contact, 4, 5);
      if (info->event[k].kind == SS_EVENT_STICK) rest = info->event[k].t;
      if (info->event[k].kind == SS_EVENT_IMPACT && lands == 0) lands = info->event[k].t;
    }
  }
  expect_near("comes to rest", rest, v/(mu*g), 1e-13);
  expect_near("way", r.s->q[2], v*v/(2*mu*g), 1e-12);
  expect_near("lands", lands, sqrt(2*h/g), 1e-13);
  expect_near("legs", r.s->q[0], 0, 1e-15);
  stop(&r);
}

// Painleve's rod, with two motions, among others that have nothing to do with it: together they have more contacts than
// are looked at as one problem, alone it has one. What is told is about it alone.
static void test_counts_by_islands(void** state)
{
  (void)state;
  double N = 1 + 3*pow(cos(1), 2), T = -3*sin(1)*cos(1), lift = sin(1)/2*25 - 9.81;
  assert_true(N + 1.8*T < 0 && lift > 0);  // it can slide on as well as leave
  run r = start("coordinates: {x: m, y: m, a: rad, p: m, q: m, b: rad, z1: m, z2: m, z3: m}\n"
                "kinetic: (x'^2 + y'^2 + a'^2/12 + p'^2 + q'^2 + b'^2/12 + z1'^2 + z2'^2 + z3'^2)/2\n"
                "potential: 9.81*(y + q + z1 + z2 + z3)\n"
                "contacts:\n  rod: {gap: y - sin(a)/2, slide: x' + sin(a)/2*a', mu: 1.8}\n"
                "  smooth: {gap: q - sin(b)/2, slide: p' + sin(b)/2*b', mu: 0.1}\n"
                "  z1: {gap: z1}\n  z2: {gap: z2}\n  z3: {gap: z3}\n"
                "initial: {a: 1, y: sin(1)/2, a': 5, y': cos(1)/2*5, x': -4, b: 1, q: sin(1)/2, p': 1}\n"
                "run: {dt: 1e-4, integrator: event}\n");
  ss_status st = ss_step(r.system, &r.def, r.s, r.w);
  if (st < 0) fail_msg("%s", ss_work_message(r.w));
  const char* note = ss_work_info(r.w)->note;
  assert_non_null(strstr(note, "several motions: rod "));
  assert_non_null(strstr(note, "; or rod "));
  assert_null(strstr(note, "smooth"));
  stop(&r);
}

// Six dice on a floor of a scene: 24 contacts in space, four under each, and a ball that falls beside them
static void test_scene(void** state)
{
  (void)state;
  ss_error error = {0};
  const char text[] =
    "<mujoco><option gravity='0 0 -9.81' timestep='1e-3'/><default><geom friction='0.5'/></default><worldbody>"
    "<geom type='plane' size='0 0 1'/><replicate count='6' offset='3 0 0'><body name='die' pos='0 0 0.5'><freejoint/>"
    "<geom type='box' size='0.5 0.5 0.5'/></body></replicate><body name='ball' pos='-3 0 1.6'><freejoint/>"
    "<geom size='0.5'/></body></worldbody></mujoco>";
  ss_scene* scene = ss_scene_parse(text, strlen(text), "test.xml", 0, NULL, &error);
  ss_machine* machine = scene ? ss_machine_create(scene, &error) : NULL;
  if (!machine) fail_msg("%s", error.text);
  const ss_system* system = ss_machine_system(machine);
  ss_state* s = ss_state_create(system);
  ss_work* w = ss_work_create(system, &error);
  assert_true(s && w);
  ss_scene_initial(scene, -1, s->q, s->u);
  ss_step_def def = ss_step_def_default();
  def.integrator = SS_EVENT_DRIVEN;
  def.dt = 0.1;
  double lands = 0;
  while (s->t < 0.55) {
    ss_status st = ss_step(system, &def, s, w);
    if (st != SS_OK) fail_msg("t = %g: %s", s->t, ss_work_message(w));
    const ss_step_info* info = ss_work_info(w);
    assert_true(info->n_events <= 1);
    if (info->n_events) lands = info->event[0].t;
  }
  expect_near("lands", lands, sqrt(2*1.1/9.81), 1e-12);
  for (int i = 0; i < 6; i++) {
    expect_near("x", s->q[7*i], 3*i, 1e-12);
    expect_near("z", s->q[7*i + 2], 0.5, 1e-14);
  }
  ss_work_destroy(w);
  ss_state_destroy(s);
  ss_machine_destroy(machine);
  ss_scene_destroy(scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_row),   cmocka_unit_test(test_stack),
    cmocka_unit_test(test_balls), cmocka_unit_test(test_mixed),
    cmocka_unit_test(test_counts_by_islands), cmocka_unit_test(test_scene),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
