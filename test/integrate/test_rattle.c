// The integrator rattle with text models: order 2 in smooth motion with contacts and constraints, impacts, no overlap.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "text_run.h"

static run load_with(const char* path, const ss_model_def* def, ss_integrator integrator, double dt)
{
  ss_error error = {0};
  run r = {.model = ss_model_load(path, def, &error)};
  if (!r.model) fail_msg("%s: %s", path, error.text);
  r.system = ss_model_system(r.model);
  r.s = ss_state_create(r.system);
  r.w = ss_work_create(r.system, &error);
  r.ledger = ss_ledger_create(r.system);
  r.def = ss_model_run(r.model)->step;
  r.def.integrator = integrator;
  r.def.project = SS_PROJECTION_AUTO;
  r.def.dt = dt;
  r.def.account = true;
  ss_model_initial(r.model, r.s);
  return r;
}

static run load(const char* path, ss_integrator integrator, double dt) { return load_with(path, NULL, integrator, dt); }

static void near(double a, double b, double off)
{
  if (!(fabs(a - b) <= off)) fail_msg("%.12g is not %.12g within %g", a, b, off);
}

// q and u at `until`
static void end_of(const char* path, ss_integrator integrator, double dt, double until, double* z)
{
  run r = load(path, integrator, dt);
  assert_int_equal(ss_simulate(r.system, &r.def, 0, lround(until/dt), r.s, r.w, NULL, NULL), SS_OK);
  for (int i = 0; i < r.s->nv; i++) {
    z[i] = r.s->q[i];
    z[r.s->nv + i] = r.s->u[i];
  }
  stop(&r);
}

#define LADDER SS_SOURCE_DIR "/test/data/rattle/ladder.yaml"

// Both ends slide: gaps stay closed without an impact, forces are those of the smooth motion
static void test_ladder(void** state)
{
  (void)state;
  run r = load(LADDER, SS_RATTLE, 1e-3);
  while (r.s->t < 0.5 - 5e-4) {
    assert_int_equal(ss_step(r.system, &r.def, r.s, r.w), SS_OK);
    ss_ledger_step(r.ledger, r.s, ss_work_info(r.w), NULL);
    for (int i = 0; i < 2; i++) near(ss_work_info(r.w)->contact[i].gap, 0, 1e-14);
  }
  assert_int_equal(ss_ledger_get_counts(r.ledger)->events, 0);
  near(ss_work_info(r.w)->contact[0].force[0], 74.802, 0.002*74.802);
  near(ss_work_info(r.w)->contact[1].force[0], 35.098, 0.002*35.098);
  near(ss_ledger_energy(r.ledger)->loss_normal, 0, 1e-12);
  stop(&r);
}

static void test_order_of_sliding(void** state)
{
  (void)state;
  double exact[6], z[6], coarse = 0, fine = 0;
  end_of(LADDER, SS_EVENT_DRIVEN, 0.5, 0.5, exact);
  end_of(LADDER, SS_RATTLE, 4e-3, 0.5, z);
  for (int i = 0; i < 6; i++) coarse = fmax(coarse, fabs(z[i] - exact[i]));
  end_of(LADDER, SS_RATTLE, 2e-3, 0.5, z);
  for (int i = 0; i < 6; i++) fine = fmax(fine, fabs(z[i] - exact[i]));
  near(coarse/fine, 4, 0.4);
}

static double worst_of(const double* a, const double* b, int n)
{
  double worst = 0;
  for (int i = 0; i < n; i++) worst = fmax(worst, fabs(a[i] - b[i]));
  return worst;
}

// A sphere in a cone without friction: on its path r'' = (L^2/r^3 - g cot a) sin(a)^2, r^2 phi' = L, which Runge's and
// Kutta's method integrates here (10^5 steps: its error is round-off). It never opens; order 2.
static void test_cone(void** state)
{
  (void)state;
  const char* text = "parameters: {a: pi/6, R: 0.1, g: 9.81}\ncoordinates: {x: m, y: m, z: m}\n"
                     "kinetic: (x'^2 + y'^2 + z'^2)/2\npotential: g*z\n"
                     "contacts: {wall: {gap: z*sin(a) - sqrt(x^2 + y^2)*cos(a) - R}}\n"
                     "initial: {x: 1, z: (R + cos(a))/sin(a), y': 3, x': 0.5*sin(a), z': 0.5*cos(a)}\n"
                     "run: {dt: %g, until: 1.6, integrator: rattle}\n";
  const double sine = sin(M_PI/6), L = 3, h = 1.6e-5;
  double r = 1, v = 0.5*sine, phi = 0, error[2];
  for (int i = 0; i < 100000; i++) {
    double k[4][3], y[3] = {r, v, phi};
    for (int j = 0; j < 4; j++) {
      double c = j == 0 ? 0 : j == 3 ? h : h/2;
      for (int m = 0; m < 3; m++) y[m] = (const double[]){r, v, phi}[m] + (j ? c*k[j - 1][m] : 0);
      k[j][0] = y[1];
      k[j][1] = (L*L/(y[0]*y[0]*y[0]) - 9.81/tan(M_PI/6))*sine*sine;
      k[j][2] = L/(y[0]*y[0]);
    }
    r += h/6*(k[0][0] + 2*k[1][0] + 2*k[2][0] + k[3][0]);
    v += h/6*(k[0][1] + 2*k[1][1] + 2*k[2][1] + k[3][1]);
    phi += h/6*(k[0][2] + 2*k[1][2] + 2*k[2][2] + k[3][2]);
  }
  const double exact[4] = {r*cos(phi), r*sin(phi), v*cos(phi) - L/r*sin(phi),
                           v*sin(phi) + L/r*cos(phi)};
  for (int k = 0; k < 2; k++) {
    char own[600];
    snprintf(own, sizeof own, text, k ? 1e-3 : 2e-3);
    run c = start(own);
    while (c.s->t < 1.6 - 5e-4) {
      assert_int_equal(ss_step(c.system, &c.def, c.s, c.w), SS_OK);
      assert_true(ss_work_info(c.w)->contact[0].Lambda[0] > 0);
      near(c.s->q[2]*sine - hypot(c.s->q[0], c.s->q[1])*cos(M_PI/6), 0.1, 1e-14);
    }
    const double z[4] = {c.s->q[0], c.s->q[1], c.s->u[0], c.s->u[1]};
    error[k] = worst_of(z, exact, 4);
    stop(&c);
  }
  print_message("error %.3g, %.3g\n", error[0], error[1]);
  near(error[0]/error[1], 4, 0.2);
}

#define WALKER SS_SOURCE_DIR "/test/data/rattle/walker.yaml"

// A compass gait: order 2 until the swinging foot hits (at 0.735 s), then three impacts, each up to a step late, in
// which rates jump by up to 2/s. What they are off by grows tenfold while a leg stands, a pendulum upside down: up to
// 60 steps.
static void test_walker(void** state)
{
  (void)state;
  double exact[8], z[8], error[2];
  end_of(WALKER, SS_EVENT_DRIVEN, 0.7, 0.7, exact);
  for (int k = 0; k < 2; k++) {
    end_of(WALKER, SS_RATTLE, k ? 1e-3 : 2e-3, 0.7, z);
    error[k] = worst_of(z, exact, 8);
  }
  print_message("error %.3g, %.3g\n", error[0], error[1]);
  near(error[0]/error[1], 4, 0.2);
  end_of(WALKER, SS_EVENT_DRIVEN, 2.4, 2.4, exact);  // three impacts later
  for (int k = 0; k < 2; k++) {
    end_of(WALKER, SS_RATTLE, k ? 2.5e-4 : 1e-3, 2.4, z);
    error[k] = worst_of(z, exact, 8);
    assert_true(error[k] < 60*(k ? 2.5e-4 : 1e-3));
  }
}

#define SQUEEZER SS_SOURCE_DIR "/test/data/rattle/squeezer.yaml"

// The rates of the constraints of squeezer.yaml, by hand
static double squeezer_rate(const double* q, const double* u)
{
  const double rr = 7e-3, d = 28e-3, ss = 35e-3, e = 2e-2, zt = 4e-2, zf = 2e-2, w = 4e-2, sum = q[0] + q[1];
  double x = -rr*sin(q[0])*u[0] + d*sin(sum)*(u[0] + u[1]),
         y = rr*cos(q[0])*u[0] - d*cos(sum)*(u[0] + u[1]);
  double pd = q[3] + q[4], up = u[3] + u[4], oe = q[5] + q[6], uo = u[5] + u[6];
  const double c[6] = {x - ss*cos(q[2])*u[2],
                       y - ss*sin(q[2])*u[2],
                       x - e*cos(pd)*up + zt*sin(q[4])*u[4],
                       y - e*sin(pd)*up - zt*cos(q[4])*u[4],
                       x + zf*sin(oe)*uo - w*cos(q[6])*u[6],
                       y - zf*cos(oe)*uo - w*sin(q[6])*u[6]};
  return worst_of(c, (const double[6]){0}, 6);
}

// Andrews' squeezing mechanism against the solution published for t = 0.03 s [Mazzia & Magherini 2008]: order 2, and
// constraints on both levels, the speeds of which are 30 m/s
static void test_squeezer(void** state)
{
  (void)state;
  const double exact[14] = {0.1581077119629904e2,  -0.1575637105984298e2, 0.4082224013073101e-1, -0.5347301163226948,
                            0.5244099658805304,    0.5347301163226948,    0.1048080741042263e1,  0.1139920302151208e4,
                            -0.1424379294994111e4, 0.1103291221937134e2,  0.1929337464421385e2,  0.5735699284790808,
                            -0.1929337464421385e2, 0.3231791658026955};
  double error[2], z[14];
  for (int k = 0; k < 2; k++) {
    run r = load(SQUEEZER, SS_RATTLE, k ? 2.5e-5 : 5e-5);
    while (r.s->t < 0.03 - 1e-6) {
      assert_int_equal(ss_step(r.system, &r.def, r.s, r.w), SS_OK);
      assert_true(ss_work_info(r.w)->constraint_error <= 1e-15);
      near(squeezer_rate(r.s->q, r.s->u), 0, 1e-12);
    }
    error[k] = worst_of(r.s->q, exact, 7);
    stop(&r);
  }
  print_message("error %.3g, %.3g\n", error[0], error[1]);
  assert_true(error[1] < 3e-4);
  near(error[0]/error[1], 4, 0.1);
  end_of(SQUEEZER, SS_EVENT_DRIVEN, 0.03, 0.03, z);  // the model is the one that is meant
  near(worst_of(z, exact, 7), 0, 1e-8);
  near(worst_of(z + 7, exact + 7, 7), 0, 1e-5);  // of 1424 rad/s
}

// Moving M and constraints: a pendulum in Cartesian coordinates against its angle
static void test_constraint(void** state)
{
  (void)state;
  const char* text = "coordinates: {x: m, y: m}\nkinetic: (x'^2 + y'^2)/2\npotential: 9.81*y\n"
                     "constraints: {rod: (x^2 + y^2 - 1)/2}\ninitial: {x: 1}\n"
                     "run: {dt: %g, until: 1, integrator: rattle}\n";
  double x[2];
  for (int k = 0; k < 2; k++) {
    char own[512];
    snprintf(own, sizeof own, text, k ? 1e-3 : 2e-3);
    run r = start(own);
    while (r.s->t < 1 - 1e-4) {
      assert_int_equal(ss_step(r.system, &r.def, r.s, r.w), SS_OK);
      assert_true(ss_work_info(r.w)->constraint_error <= 1e-14);
      near(r.s->q[0]*r.s->u[0] + r.s->q[1]*r.s->u[1], 0, 1e-13);  // on velocity level
    }
    x[k] = r.s->q[0];
    stop(&r);
  }
  run angle = start("coordinates: {phi: rad}\nkinetic: phi'^2/2\npotential: -9.81*cos(phi)\ninitial: {phi: pi/2}\n"
                    "run: {dt: 1, until: 1, integrator: event, rtol: 1e-12}\n");
  go(&angle, 1);
  double exact = sin(angle.s->q[0]);
  stop(&angle);
  near((x[0] - exact)/(x[1] - exact), 4, 0.2);
}

// A ball that hits the floor has eps times its speed afterwards, never overlaps, and comes to rest
static void test_ball(void** state)
{
  (void)state;
  run r = start("coordinates: {y: m}\nkinetic: y'^2/2\npotential: 9.81*y\ncontacts: {floor: {gap: y, eps_n: 0.5}}\n"
                "initial: {y: 1}\nrun: {dt: 1e-3, until: 2, integrator: rattle}\n");
  double rise = 0;
  while (r.s->t < 2) {
    double before = r.s->u[0];
    assert_int_equal(ss_step(r.system, &r.def, r.s, r.w), SS_OK);
    assert_true(r.s->q[0] >= -1e-15);
    if (rise == 0 && r.s->u[0] > 0) {
      rise = r.s->u[0];
      near(rise, -0.5*before, 1e-12);
    }
  }
  near(rise, 0.5*sqrt(2*9.81), 9.81*1e-3);  // up to what a step adds to the speed
  near(r.s->q[0], 0, 1e-15);
  near(r.s->u[0], 0, 1e-15);
  stop(&r);
}

// The toy goes through its cycle as event-driven steps have it
static void test_woodpecker(void** state)
{
  (void)state;
  double exact[6], z[6];
  end_of("woodpecker", SS_EVENT_DRIVEN, 1e-2, 0.25, exact);
  end_of("woodpecker", SS_RATTLE, 1e-5, 0.25, z);
  for (int i = 0; i < 3; i++)
    near(z[i], exact[i], 8e-5*(1 + fabs(exact[3 + i])));  // 8 impacts, each up to a step late
}

// While its sleeve slides, until 21.6 ms, from a start that does not overlap: order 2
static void test_order_of_woodpecker(void** state)
{
  (void)state;
  const ss_override start = {"initial.phi_M", "-0.6/5.8"};
  const ss_model_def def = {.n_override = 1, .override = &start};
  double z[3][6], error[2];
  for (int k = 0; k < 3; k++) {
    run r = load_with("woodpecker", &def, k ? SS_RATTLE : SS_EVENT_DRIVEN, k == 0 ? 0.02 : k == 1 ? 4e-4 : 2e-4);
    go(&r, 0.02);
    memcpy(z[k], r.s->q, 3*sizeof(double));
    memcpy(z[k] + 3, r.s->u, 3*sizeof(double));
    stop(&r);
  }
  for (int k = 0; k < 2; k++) error[k] = worst_of(z[k + 1], z[0], 6);
  print_message("error %.3g, %.3g\n", error[0], error[1]);
  near(error[0]/error[1], 4, 0.2);
}

// A mass on a belt with static and kinetic friction: the same cycle
static void test_static_friction(void** state)
{
  (void)state;
  double exact[2], z[2];
  end_of("belt", SS_EVENT_DRIVEN, 1e-2, 2, exact);
  end_of("belt", SS_RATTLE, 1e-4, 2, z);
  near(z[0], exact[0], 1e-3*(fabs(exact[0]) + 0.1));
}

// Poisson's law: a ball that falls keeps eps of its velocity, as by Newton's
static void test_poisson(void** state)
{
  (void)state;
  double newton[4], poisson[4];
  end_of("ball", SS_RATTLE, 1e-3, 1, newton);
  run r = load("ball", SS_RATTLE, 1e-3);
  r.def.impact = SS_IMPACT_POISSON;
  for (int i = 0; i < 1000; i++) assert_true(ss_step(r.system, &r.def, r.s, r.w) >= 0);
  memcpy(poisson, r.s->q, 2*sizeof(double));
  stop(&r);
  near(poisson[1], newton[1], 1e-3);
}

static void test_refusals(void** state)
{
  (void)state;
  run r = load("ball", SS_RATTLE, 1e-3);
  r.def.project = SS_PROJECTION_ON;
  assert_int_equal(ss_step(r.system, &r.def, r.s, r.w), SS_ERR_ARGUMENT);
  assert_non_null(strstr(ss_work_message(r.w), "rattle"));
  stop(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_ladder),     cmocka_unit_test(test_order_of_sliding),
                                     cmocka_unit_test(test_constraint), cmocka_unit_test(test_ball),
                                     cmocka_unit_test(test_woodpecker), cmocka_unit_test(test_static_friction),
                                     cmocka_unit_test(test_poisson),    cmocka_unit_test(test_refusals),
                                     cmocka_unit_test(test_cone),       cmocka_unit_test(test_walker),
                                     cmocka_unit_test(test_squeezer),   cmocka_unit_test(test_order_of_woodpecker)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
