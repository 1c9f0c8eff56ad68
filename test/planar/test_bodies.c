// Bodies with outlines against closed forms, by time-stepping; what is refused in the file; steps that are too large.
#include "../integrate/run.h"
#include "integrate/work.h"

static int coordinate(const run* r, const char* name)
{
  const ss_system_def* d = ss_system_get(r->system);
  for (int i = 0; i < d->nv; i++)
    if (strcmp(d->coordinate[i], name) == 0) return i;
  fail_msg("no coordinate %s", name);
  return -1;
}

static double q_of(const run* r, const char* name) { return r->state->q[coordinate(r, name)]; }

// A box that slides down an incline of 20 degrees at 2 m/s is the brick of the catalogue: it stops after v/a with
// a = g (mu cos - sin), and stays, on ground of any kind.
static void test_incline(void** state)
{
  (void)state;
  const char* shapes[] = {"halfplane: [0, 0, 0, 1]", "ground: [{curve: [4*s - 1, 0], points: 400}]",
                          "polygon: [[-1, -1], [3, -1], [3, 0], [-1, 0]]"};
  double g = 9.81, alpha = 20*3.14159265358979323846/180, a = g*(0.5*cos(alpha) - sin(alpha)), stop = 2/a;
  for (int i = 0; i < 3; i++) {
    char text[600];
    snprintf(text, sizeof text,
             "gravity: [9.81*sin(20*pi/180), -9.81*cos(20*pi/180)]\nbodies:\n  floor: {%s}\n"
             "  box: {polygon: [[0, 0], [0.2, 0], [0.2, 0.1], [0, 0.1]], free: [0.1, 0.05, 0], velocity: [2, 0, 0], "
             "density: 100, mu: 0.5}\nrun: {dt: 1e-3}\n", shapes[i]);
    run r = run_parse(text, 1e-3);
    run_until(&r, 2);
    expect_near("way", q_of(&r, "box_x") - 0.1, 2*stop/2, 2*1e-3*1e-3*a + 1e-9);
    expect_near("height", q_of(&r, "box_y"), 0.05, 1e-5);
    expect_near("turn", q_of(&r, "box_phi"), 0, 1e-6);
    double x = q_of(&r, "box_x"), stuck = 0;
    for (long k = 0; k < r.n; k++)
      if (r.list[k].event.kind == SS_EVENT_STICK) stuck = r.list[k].event.t;
    expect_near("stops", stuck, stop, 1.5e-3);
    run_until(&r, 4);
    expect_near("does not creep", q_of(&r, "box_x"), x, 1e-12);
    const ss_energy_ledger* e = ss_ledger_energy(r.ledger);
    expect_near("defect", e->defect, 0, 1e-9);
    run_close(&r);
  }
}

// A polygon with 1000 sides rolls down 10 degrees like a disc: a = g sin/(1 + J/m r^2). Its corners take the part
// theta m r^2/(J + m r^2) of the energy per radian, theta = 2 pi/1000: that is the geometric error.
static void test_rolling(void** state)
{
  (void)state;
  run r = run_parse("gravity: [9.81*sin(pi/18), -9.81*cos(pi/18)]\nbodies:\n  floor: {halfplane: [0, 0, 0, 1]}\n"
                    "  disc: {polygon: [{curve: [0.1*cos(s), 0.1*sin(s)], from: 0, to: 2*pi*0.999, points: 1000}], "
                    "free: [0, 0.1, 0], mass: 1, mu: 0.4}\nrun: {dt: 2e-4}\n", 2e-4);
  run_until(&r, 1);
  double a = 9.81*sin(3.14159265358979323846/18)/1.5, x = q_of(&r, "disc_x"), turned = a/2/0.1;
  double error = 2*3.14159265358979323846/1000*(1/1.5)*turned;
  expect_near("way", x, a/2, error*a/2);
  expect_near("rolls", -q_of(&r, "disc_phi")*0.1, x, 1e-3*x);
  run_close(&r);
}

// Housner 1963: a slender block that rocks, (T/4) p = acosh(1/(1 - theta/alpha)), p^2 = 3 g/4R; each impact leaves the
// part (1 - 3/2 sin^2 alpha)^2 of the energy.
static void test_rocking(void** state)
{
  (void)state;
  double b = 0.05, h = 0.5, R = hypot(b, h), alpha = atan2(b, h), start = 0.5*alpha, p = sqrt(0.75*9.81/R);
  char text[600];
  snprintf(text, sizeof text,
           "gravity: 9.81\nbodies:\n  floor: {ground: [[-2, 0], [2, 0]]}\n"
           "  block: {polygon: [[-0.05, -0.5], [0.05, -0.5], [0.05, 0.5], [-0.05, 0.5]], mu: 2, mass: 1,\n"
           "    free: [%.17g, %.17g, %.17g]}\nrun: {dt: 1e-4}\n",
           -R*sin(alpha - start), R*cos(alpha - start), start);
  run r = run_parse(text, 1e-4);
  run_until(&r, 2);
  double impact[4] = {0};
  int n = 0;
  for (long k = 0; k < r.n && n < 4; k++)
    if (r.list[k].event.kind == SS_EVENT_IMPACT && r.list[k].event.gamma_before[0] < -0.02)
      impact[n++] = r.list[k].event.t;
  assert_true(n >= 3);
  double quarter = acosh(1/(1 - start/alpha))/p;
  expect_near("first quarter", impact[0], quarter, 0.01*quarter);  // Housner's formula is for small angles
  double ratio = 1 - 1.5*sin(alpha)*sin(alpha), energy = 1 - pow(1 - start/alpha, 2), next = start/alpha;
  for (int k = 1; k < 3; k++) {
    energy *= ratio*ratio;
    next = 1 - sqrt(1 - energy);
    expect_near("half period", impact[k] - impact[k - 1], 2*acosh(1/(1 - next))/p, 0.015*quarter);
  }
  run_close(&r);
}

// Discs that touch, across gravity and in any direction, the first one in motion: with `euler` the second one gets half
// of its speed in the first step, the third one nothing yet. In the direction of gravity all take part.
static void test_rows(void** state)
{
  (void)state;
  for (int k = 0; k < 48; k++) {
    char text[600];
    double angle = 0.131*(k/2), c = cos(angle), s = sin(angle), g = 9.81;
    bool across = k % 2;
    snprintf(text, sizeof text, "gravity: [%.17g, %.17g]\nbodies:\n  a: {circle: [0, 0, 0.1], free: [0, 0, 0], "
             "velocity: [%.17g, %.17g, 0], mass: 1}\n  b: {circle: [0, 0, 0.1], free: [%.17g, %.17g, 0], mass: 1}\n"
             "  c: {circle: [0, 0, 0.1], free: [%.17g, %.17g, 0], mass: 1}\nrun: {dt: 1e-3}\n",
             across ? g*s : g*c, across ? -g*c : g*s, c, s, 0.2*c, 0.2*s, 0.4*c, 0.4*s);
    run r = run_parse(text, 1e-5);
    r.step.integrator = SS_EULER;
    assert_int_equal(ss_step(r.system, &r.step, r.state, r.work), SS_OK);
    assert_int_equal(ss_work_info(r.work)->n_active, across ? 1 : 2);
    double fallen = across ? 0 : 1e-5*g;
    for (int i = 0; i < 3; i++) {
      double v = c*r.state->u[3*i] + s*r.state->u[3*i + 1] - fallen;
      expect_near("speed", v, !across ? 1.0/3 : i < 2 ? 0.5 : 0, 1e-12);
    }
    run_close(&r);
  }
}

// A fast body on a thin plate: without smaller steps it would be behind it. The same motion as with small steps.
static void test_too_large(void** state)
{
  (void)state;
  const char* text = "bodies:\n  plate: {polygon: [[-1, -0.01], [1, -0.01], [1, 0.01], [-1, 0.01]]}\n"
                     "  ball: {circle: [0, 0, 0.02], free: [0, 0.2, 0], velocity: [0, -50, 0], mass: 1, eps_n: 1}\n"
                     "run: {dt: 1e-2}\n";
  run r = run_parse(text, 1e-2);
  run_until(&r, 0.05);
  assert_true(ss_ledger_get_counts(r.ledger)->in_parts > 0);
  assert_true(ss_ledger_get_counts(r.ledger)->max_penetration <= 1e-3*0.04);
  expect_near("comes back", r.state->u[1], 50, 1e-9);
  expect_near("height", q_of(&r, "ball_y"), 0.03 + 50*(0.05 - 0.17/50), 1e-3);
  run_close(&r);
}

// A weight that a constraint holds while that step is made in parts: its impulse is that of the whole step
static void test_parts_hold(void** state)
{
  (void)state;
  const char* text = "coordinates: [s]\nkinetic: 1/2*2*s'^2\npotential: 2*9.81*s\nconstraints: {rope: s}\n"
                     "bodies:\n  plate: {polygon: [[-1, -0.01], [1, -0.01], [1, 0.01], [-1, 0.01]]}\n"
                     "  ball: {circle: [0, 0, 0.02], free: [0, 0.2, 0], velocity: [0, -50, 0], mass: 1, eps_n: 1}\n"
                     "run: {dt: 1e-2}\n";
  run r = run_parse(text, 1e-2);
  int in_parts = 0;
  for (int k = 0; k < 5; k++) {
    assert_int_equal(ss_step(r.system, &r.step, r.state, r.work), SS_OK);
    const ss_step_info* info = ss_work_info(r.work);
    in_parts += info->parts > 1;
    assert_int_equal(info->n_bilateral, 1);
    expect_near("impulse of the rope", info->Lambda_bilateral[0], 2*9.81*1e-2, 1e-12);
  }
  assert_int_equal(in_parts, 1);
  run_close(&r);
}

// A step that would need very many parts ends by name
static void test_too_many_parts(void** state)
{
  (void)state;
  run r = run_parse("bodies:\n  floor: {polygon: [[-1e4, -1], [1e4, -1], [1e4, 0], [-1e4, 0]]}\n"
                    "  box: {polygon: [[0, 0], [0.2, 0], [0.2, 0.2], [0, 0.2]], free: [0, 0.1, 0], mass: 1, "
                    "velocity: [1e6, 0, 0]}\nrun: {dt: 1e-3}\n", 1e-3);
  assert_int_equal(ss_step(r.system, &r.step, r.state, r.work), SS_ERR_NUMERIC);
  assert_non_null(strstr(ss_work_message(r.work), "needs more than 20000 parts"));
  expect_near("the state is that before the step", q_of(&r, "box_x"), 0, 0);
  run_close(&r);
}

static void expect_refused(const char* bodies, int line, const char* words)
{
  char text[900];
  ss_error error = {0};
  snprintf(text, sizeof text, "parameters: {a: 1}\nbodies:\n%s\n", bodies);
  ss_model* m = ss_model_parse(text, strlen(text), "test", NULL, &error);
  if (m) fail_msg("accepted, but: %s", words);
  if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
  assert_int_equal(error.line, line);
}

static void test_refused(void** state)
{
  (void)state;
  const char* box = "  box: {polygon: [[0, 0], [1, 0], [1, 1]], free: [0, 0, 0], mass: 1}\n";
  char text[800];
  expect_refused("  box: {polygon: [[0, 0], [1, 0], [1, 1]], free: [0, 0, 0]}", 3, "needs a 'mass' or a 'density'");
  expect_refused("  box: {polygon: [[0, 0], [1, 1], [1, 0]], free: [0, 0, 0], mass: 1}", 3, "clockwise");
  expect_refused("  box: {polygon: [[0, 0], [1, 0], [1, 1], [0.5, -1]], free: [0, 0, 0], mass: 1}", 3, "crosses");
  expect_refused("  box: {polygon: [[0, 0], [1, 0], [1, 0]], free: [0, 0, 0], mass: 1}", 3, "coincide");
  expect_refused("  box: {free: [0, 0, 0], mass: 1}", 3, "has no shape: polygon, ground, circle or halfplane");
  expect_refused("  box: {polygon: missing.csv, free: [0, 0, 0], mass: 1}", 3, "missing.csv");
  expect_refused("  box: {circle: [0, 0, 0], free: [0, 0, 0], mass: 1}", 3, "radius is not positive");
  expect_refused("  box: {circle: [0, 0, 1], free: [0, 0, 0], mass: -1}", 3, "bodies.box.mass is -1, must be positive");
  expect_refused("  box: {circle: [0, 0, 1], free: [0, 0, 0], mass: 1, eps_n: 2}", 3, "must be between 0 and 1");
  expect_refused("  box: {circle: [0, 0, 1], fre: [0, 0, 0], mass: 1}\n"
                 "  b: {circle: [0, 0, 1], free: [9, 0, 0], mass: 1}", 3, "unknown key 'fre'");
  expect_refused("  box: {polygon: [[1, 0], [1, 0.1]], repeat: 100000, free: [0, 0, 0], mass: 1}", 3, "131072 points");
  expect_refused("  box: {polygon: [{curve: [s, s^2], points: 1e9}], free: [0, 0, 0], mass: 1}", 3, "between 2 and");
  expect_refused("  box: {polygon: [{curve: [s, q], points: 9}], free: [0, 0, 0], mass: 1}", 3, "unknown name 'q'");
  snprintf(text, sizeof text, "%s  floor: {halfplane: [0, 0, 0, 0]}", box);
  expect_refused(text, 4, "without a normal");
  snprintf(text, sizeof text, "%s  plane: {halfplane: [0, 0, 0, 1], at: [0, t, 0], mass: 1}", box);
  expect_refused(text, 4, "has no area");
  snprintf(text, sizeof text, "%s  other: {polygon: [[0, 0], [1, 0], [1, 1]], free: [0.3, 0.1, 0], mass: 1}", box);
  expect_refused(text, 1, "overlap by");
  expect_refused("  a: {polygon: [[-1, -0.1], [1, -0.1], [1, 0.1], [-1, 0.1]]}\n"  // crossed: no corner is inside
                 "  b: {polygon: [[-0.1, -1], [0.1, -1], [0.1, 1], [-0.1, 1]], free: [0, 0, 0], mass: 1}", 1,
                 "overlap by 0.9 m");
  expect_refused("  a: {polygon: [[0, 0], [1, 0], [0, 0.002]], free: [0, 0, 0.4], mass: 1}\n"  // needles
                 "  b: {polygon: [[0, 0], [1, 0], [0, 0.002]], free: [0, 0, -0.7], mass: 1}", 1, "overlap by");
  expect_refused("  a: {polygon: [{curve: [cos(s), sin(s)], to: 6.2821, points: 5000}]}\n"
                 "  b: {polygon: [{curve: [cos(s), sin(s)], to: 6.2821, points: 5000}], free: [0.3, 0, 0], mass: 1}", 1,
                 "overlap by 0.3 m");
}

// A coordinate of that name is there already; names are told in full; round-off is no violation
static void test_names(void** state)
{
  (void)state;
  ss_error error = {0};
  const char clash[] = "coordinates: {b_x: m}\nkinetic: b_x'^2\nbodies:\n  b: {circle: [0, 0, 1], free: [0, 0, 0], "
                       "mass: 1}\n";
  assert_null(ss_model_parse(clash, strlen(clash), "test", NULL, &error));
  assert_int_equal(error.line, 4);
  assert_non_null(strstr(error.text, "bodies.b is free and has the coordinate 'b_x'"));
  run r = run_parse("gravity: 9.81\nbodies:\n  the_floor_of_the_big_hall_left: {polygon: [[-1, -1], [0, -1], [0, 0], "
                    "[-1, 0]]}\n"
                    "  the_floor_of_the_big_hall_right: {polygon: [[0.05, -1], [1, -1], [1, 0], [0.05, 0]]}\n"
                    "  b: {polygon: [[-0.1, 0], [0.1, 0], [0.1, 0.1], [-0.1, 0.1]], free: [0, 0.05, 0], mass: 1}\n",
                    1e-3);
  run_step(&r);
  const ss_step_info* info = ss_work_info(r.work);
  bool left = false, right = false;
  for (int i = 0; i < info->n_known; i++) {
    const char* name = ss_work_contact_name(r.work, i);
    left = left || strstr(name, "the_floor_of_the_big_hall_left");
    right = right || strstr(name, "the_floor_of_the_big_hall_right");
  }
  assert_true(left && right);
  run_close(&r);
}

// A dumb-bell of two discs and a bar without mass, which is one with the first: mass, centre and inertia are those of
// both; it turns about its centre while it falls, and its discs roll as one body on the floor
static void test_with(void** state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    run r = run_parse("gravity: 9.81\nbodies:\n  floor: {halfplane: [0, 0, 0, 1]}\n"
                      "  left: {circle: [0, 0, 0.1], mass: 1, free: [0, 2, 0], velocity: [0, 0, 3]}\n"
                      "  right: {circle: [1, 0, 0.1], mass: 3, with: left}\n"
                      "  bar: {polygon: [[0, -0.02], [1, -0.02], [1, 0.02], [0, 0.02]], with: left}\n", 1e-3);
    r.step.integrator = k ? SS_EVENT_DRIVEN : SS_MOREAU;
    assert_int_equal(ss_system_get(r.system)->nv, 3);
    ss_energy e;
    ss_energies(r.system, r.work, r.state->q, r.state->u, 0, &e);
    double J = 4*0.01/2 + 1*0.75*0.75 + 3*0.25*0.25;
    expect_near("kinetic energy", e.kinetic, J*9/2, 1e-12);
    expect_near("potential energy", e.potential, 4*9.81*2, 1e-11);
    run_until(&r, 0.4);
    expect_near("falls", q_of(&r, "left_y"), 2 - 9.81*0.08, 1e-12);
    expect_near("turns", q_of(&r, "left_phi"), 1.2, 1e-12);
    double energy = e.kinetic + e.potential, lost = -energy;
    run_until(&r, 3);  // it lies on both discs
    ss_energies(r.system, r.work, r.state->q, r.state->u, r.state->t, &e);
    lost += e.kinetic + e.potential;
    expect_near("height", q_of(&r, "left_y"), 0.1, 1e-5);
    expect_near("ledger", ss_ledger_energy(r.ledger)->defect, 0, 1e-6*fabs(lost));
    run_close(&r);
  }
  expect_refused("  a: {circle: [0, 0, 1], free: [0, 0, 0], mass: 1}\n  b: {circle: [1, 0, 1], with: c}", 4,
                 "no earlier body with a pose of its own");
  expect_refused("  a: {circle: [0, 0, 1], free: [0, 0, 0], mass: 1}\n"
                 "  b: {circle: [1, 0, 1], with: a, at: [0, 0, 0]}", 4, "'at' is for that to say");
  expect_refused("  a: {circle: [0, 0, 1], free: [0, 0, 0], mass: 1}\n  b: {ground: [[1, 0], [0, 0]], with: a}", 4,
                 "has no area");
  expect_refused("  a: {circle: [0, 0, 1], free: [0, 0, 0]}\n  b: {circle: [1, 0, 1], with: a}", 3,
                 "needs a 'mass' or a 'density'");
}

static void no_warning(void* user, ss_log_level level, const char* text)
{
  (void)user;
  (void)level;
  fail_msg("warns: %s", text);
}

// 0.15000000000000002 is not half of three tenths: the gap of 2.8e-17 m is round-off
static void test_round_off(void** state)
{
  (void)state;
  ss_error error = {0};
  const char text[] = "bodies:\n  floor: {halfplane: [0, 0, 0, 1]}\n"
                      "  a: {polygon: [[0, 0], [0.1, 0], [0.1, 0.1], [0, 0.1]], free: [0, 0.15000000000000002, 0], "
                      "mass: 1}\n"
                      "  b: {polygon: [[0, 0], [0.1, 0], [0.1, 0.1], [0, 0.1]], free: [0, 0.25, 0], mass: 1}\n"
                      "  c: {polygon: [[0, 0], [0.1, 0], [0.1, 0.1], [0, 0.1]], free: [0, 0.35000000000000003, 0], "
                      "mass: 1}\n";
  ss_model_def def = {.log = {.write = no_warning}};
  ss_model* m = ss_model_parse(text, strlen(text), "test", &def, &error);
  if (!m) fail_msg("%s", error.text);
  ss_model_destroy(m);
}

static void note_spin(void* user, ss_log_level level, const char* text)
{
  (void)level;
  *(int*)user += strstr(text, "body 'b' turns by 1e+04 rad in a step of 0.001 s") != NULL;
}

// A body that turns many times in a step of time-stepping is told; events follow it
static void test_spin(void** state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    char text[300];
    int told = 0;
    ss_error error = {0};
    snprintf(text, sizeof text, "bodies:\n  b: {polygon: [[0, 0], [1, 0], [1, 1]], mass: 1, free: [0, 0, 0], velocity: "
             "[0, 0, -1e7]}\nrun: {dt: 1e-3, integrator: %s}\n", k ? "event" : "moreau");
    ss_model_def def = {.log = {.write = note_spin, .user = &told}};
    ss_model* m = ss_model_parse(text, strlen(text), "test", &def, &error);
    if (!m) fail_msg("%s", error.text);
    assert_int_equal(told, !k);
    ss_model_destroy(m);
  }
}

// Two finely drawn discs, one let fall on the other from 0.1 mm: as discs do, with the energy of the fall lost at most
static void test_fine(void** state)
{
  (void)state;
  for (int n = 320; n <= 2000; n = n*5/2) {
    char text[500], disc[100];
    snprintf(disc, sizeof disc, "polygon: [{curve: [cos(s), sin(s)], to: 2*pi*(1 - 1/%d), points: %d}]", n, n);
    snprintf(text, sizeof text,
             "gravity: 9.81\nbodies:\n  a: {%s}\n  b: {%s, free: [0, 2.0001, 0.0021], mass: 1, mu: 0.3}\n"
             "run: {dt: 1e-3}\n", disc, disc);
    run r = run_parse(text, 1e-3);
    run_until(&r, 0.05);
    const ss_ledger_counts* c = ss_ledger_get_counts(r.ledger);
    if (c->max_penetration > 1e-4) fail_msg("%d points: overlap %g", n, c->max_penetration);
    assert_int_equal(c->in_parts, 0);
    expect_near("height", q_of(&r, "b_y"), 2, 1e-4);
    run_close(&r);
  }
}

// An outline from a file, beside the model
static void test_file(void** state)
{
  (void)state;
  char folder[] = "/tmp/stickslip-XXXXXX", csv[64], yaml[64];
  assert_non_null(mkdtemp(folder));
  snprintf(csv, sizeof csv, "%s/rock.csv", folder);
  snprintf(yaml, sizeof yaml, "%s/rock.yaml", folder);
  FILE* f = fopen(csv, "w");
  fputs("# x, y\n0, 0\n2, 0\n2 1\n0;1\n0, 0\n", f);
  fclose(f);
  f = fopen(yaml, "w");
  fputs("bodies: {rock: {polygon: rock.csv, free: [5, 6, 0], density: 3}}\n", f);
  fclose(f);
  ss_error error = {0};
  ss_model* m = ss_model_load(yaml, NULL, &error);
  if (!m) fail_msg("%s", error.text);
  ss_body_info b = ss_model_body(m, 0);
  assert_int_equal(b.points, 4);
  expect_near("mass", b.mass, 6, 1e-14);
  expect_near("inertia", b.inertia, 6*5/12.0, 1e-14);
  ss_model_destroy(m);
  remove(csv);
  remove(yaml);
  remove(folder);
}

// More points than a picture needs: drawn with fewer
static void test_many_points(void** state)
{
  (void)state;
  const char* text = "gravity: 9.81\nbodies:\n"
                     "  ground: {ground: [{curve: [s, 0.01*sin(9*s)], from: -10, to: 10, points: 1e5}]}\n"
                     "  ball: {circle: [0, 0, 0.1], free: [0, 0.2, 0], mass: 1}\nrun: {dt: 1e-3}\n";
  run r = run_parse(text, 1e-3);
  const ss_drawing* d = ss_model_drawing(r.model);
  assert_true(d->n_shape >= 2 && d->shape[0].n >= 200 && d->shape[0].n <= 120000);
  run_until(&r, 0.01);
  run_close(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_incline),   cmocka_unit_test(test_rolling), cmocka_unit_test(test_rocking),
    cmocka_unit_test(test_rows), cmocka_unit_test(test_too_large), cmocka_unit_test(test_parts_hold),
    cmocka_unit_test(test_too_many_parts),
    cmocka_unit_test(test_refused), cmocka_unit_test(test_file),
    cmocka_unit_test(test_fine),      cmocka_unit_test(test_names),   cmocka_unit_test(test_round_off),
    cmocka_unit_test(test_with),      cmocka_unit_test(test_spin),    cmocka_unit_test(test_many_points),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
