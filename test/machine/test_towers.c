// Scenes of many bodies: stacks, wall and house of cards stand, dominoes fall as a train, a struck rod answers.
#include "machine/play.h"

#define G 9.81

// Nothing moves, and the floor carries the weight
static void assert_stands(play* p, double until, double tolerance)
{
  go(p, until);
  near(moved(p), 0, tolerance);
  near(impulse_of(p, p->scene->geom[0].name)/(weight(p)*p->def.dt), 1, 1e-6);
}

static void test_stack30(void** state)
{
  (void)state;
  play p = start("stack30");
  assert_stands(&p, 0.3, 1e-6);
  assert_int_equal(ss_work_info(p.w)->n_active, 120);
  stop(&p);
}

// The cube on top has a thousand times the mass of the others
static void test_heavy_top(void** state)
{
  (void)state;
  play p = start_text(
    "<mujoco><option timestep='1e-3' gravity='0 0 -9.81'/><default><geom friction='0.5'/></default><worldbody>"
    "<geom name='floor' type='plane' size='0 0 1'/><replicate count='9' offset='0 0 1'><body pos='0 0 0.5'><freejoint/>"
    "<geom type='box' size='0.5 0.5 0.5' mass='1'/></body></replicate>"
    "<body pos='0 0 9.5'><freejoint/><geom type='box' size='0.5 0.5 0.5' mass='1000'/></body></worldbody></mujoco>");
  assert_stands(&p, 0.3, 1e-6);
  stop(&p);
}

// A cube of 1 kg under one of 1e9 kg: impulses of 1e7 N s cancel on the light one, and round-off of their velocities is
// 1e-15 of 2.5e7 m/s, some 1e-6 of what gravity makes of a step. No method gets below that: none is to go on trying.
static void test_crushing_top(void** state)
{
  (void)state;
  play p = start_text("<mujoco><option timestep='1e-3'/><worldbody><geom type='plane' size='0 0 1'/>"
                      "<body pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 .1' mass='1'/></body>"
                      "<body pos='0 0 .3'><freejoint/><geom type='box' size='.1 .1 .1' mass='1e9'/></body>"
                      "</worldbody></mujoco>");
  for (int i = 0; i < 100; i++) {
    ss_status st = ss_step(p.system, &p.def, p.s, p.w);
    const ss_step_info* info = ss_work_info(p.w);
    if (!(st >= 0 && info->residual < 1e-5)) fail_msg("step %d: %s, %g", i, ss_status_text(st), info->residual);
    if (i > 0 && info->iterations > 200) fail_msg("step %d takes %d iterations", i, info->iterations);
  }
  if (!(moved(&p) < 1e-6)) fail_msg("the cubes move by %g m", moved(&p));
  stop(&p);
}

static void test_wall(void** state)
{
  (void)state;
  play p = start("wall");
  assert_int_equal(p.scene->tree.n_body, 60);
  assert_stands(&p, 0.1, 1e-8);
  assert_int_equal(ss_work_info(p.w)->n_active, 424);
  stop(&p);
}

// 3000 balls in a cube of 15 layers: 8550 contacts, 18 000 velocities; each column of balls stands on the floor
static void test_thousands(void** state)
{
  (void)state;
  play p = start_text(
    "<mujoco><option timestep='1e-3'/><worldbody><geom type='plane' size='0 0 1'/>"
    "<replicate count='15' offset='0 0 .2'><replicate count='10' offset='0 .2 0'>"
    "<replicate count='20' offset='.2 0 0'><body pos='0 0 .1'><freejoint/><geom size='.1'/></body>"
    "</replicate></replicate></replicate></worldbody></mujoco>");
  assert_int_equal(p.scene->nv, 18000);
  p.def.friction.tol = 1e-6;
  assert_stands(&p, 0.003, 1e-6);
  assert_int_equal(ss_work_info(p.w)->n_active, 8550);
  p.def.integrator = SS_EVENT_DRIVEN;
  assert_int_equal(ss_step(p.system, &p.def, p.s, p.w), SS_ERR_ARGUMENT);
  assert_non_null(strstr(ss_work_message(p.w), "at most 15000 velocities (a free body has 6), not 18000"));
  stop(&p);
}

static void test_card_house(void** state)
{
  (void)state;
  play p = start("card-house");
  assert_stands(&p, 0.5, 1e-9);
  stop(&p);
}

// One pair of cards, symmetric: at a foot N = m g and by moments about the upper edge H h cos a = N h sin a - m g d,
// d = (h/2) sin a + (t/2) cos a the way from that edge to the centre of mass. So it needs mu = tan a - d/(h cos a) at
// the feet, and stands if it has a little more and if the cone holds a horizontal force on a face that leans by a.
static void test_card_pair(void** state)
{
  (void)state;
  double a = 10*M_PI/180, h = 0.088, t = 0.0005;
  double mu = tan(a) - (h/2*sin(a) + t/2*cos(a))/(h*cos(a));
  for (int k = 0; k < 2; k++) {
    char text[2000];
    snprintf(text, sizeof text,
      "<mujoco><option timestep='1e-3' gravity='0 0 -9.81'/><default><geom type='box' size='0.00025 0.0315 0.044' "
      "mass='0.0018' friction='0.3'/></default><worldbody>"
      "<geom name='table' type='plane' size='0 0 1' friction='%.12f' priority='1'/>"
      "<body euler='0 10 0'><freejoint name='left'/><geom pos='-0.00025 0 0.044'/></body>"
      "<body pos='%.17g 0 0' euler='0 -10 0'><freejoint/><geom pos='0.00025 0 0.044'/></body></worldbody></mujoco>",
      mu*(k ? 1.01 : 0.8), 2*h*sin(a));
    play p = start_text(text);
    go(&p, k ? 0.3 : 0.03);
    if (k) near(moved(&p), 0, 1e-9);
    else assert_true(moved(&p) > 1e-5);
    stop(&p);
  }
}

// What lies above the layer that blocks are pulled from weighs on its middle: it needs blocks on both sides of it
static void test_jenga(void** state)
{
  (void)state;
  static const struct { const char* key; double until; bool stands; } c[] = {
    {"side", 0.2, true}, {"sides", 0.2, true}, {"two", 0.14, false}};
  for (int k = 0; k < (LESS > 1 ? 1 : 3); k++) {
    const ss_override over = {"stickslip.key", c[k].key};
    play p = start_with("jenga", 1, &over);
    if (!c[k].stands) p.def.friction.tol = 1e-3;  // a heap that falls, not its forces
    while (p.s->t < c[k].until - p.def.dt/2) {
      if (ss_step(p.system, &p.def, p.s, p.w) < 0) fail_msg("%s", ss_work_message(p.w));
      assert_true(ss_work_info(p.w)->residual < 1e-2);
    }
    double fallen = 0;
    for (int i = 0; i < 3; i++) {
      char name[16];
      snprintf(name, sizeof name, "odd%d-3", i);  // of the uppermost layer
      fallen = fmax(fallen, 0.1125 - joint_q(&p, name, NULL)[2]);
    }
    assert_true(joint_q(&p, "left", NULL)[0] > 0.2);  // it is out
    if (c[k].stands) near(fallen, 0, 1e-3);
    else assert_true(fallen > 4e-3);
    stop(&p);
  }
}

// Three supports each, exactly touching, and far too many unknown impulses: none may give energy, nothing sinks in
static void test_pile(void** state)
{
  (void)state;
  play p = start("pile200");
  double energy = INFINITY;
  for (int i = 0; i < 10; i++) {
    if (ss_step(p.system, &p.def, p.s, p.w) < 0) fail_msg("%s", ss_work_message(p.w));
    const ss_step_info* info = ss_work_info(p.w);
    assert_true(info->residual < 0.02);
    assert_true(info->penetration < 1e-4);
    assert_true(info->after.kinetic + info->after.potential < energy);
    energy = info->after.kinetic + info->after.potential;
  }
  stop(&p);
}

// ---- dominoes ------------------------------------------------------------------------------------------------------

// The train of van Leeuwen 2010, without friction between dominoes: those that have been hit lean on one another and
// are one degree of freedom, the angle of the foremost. The upper front edge of a domino at `b` lies on the back of the
// next one at `a`: h sin(b - a) = (s + d) cos a - d.
enum { DOMINOES = 20 };
static const double h = 0.048, d = 0.008, s = 0.016;

// Angles of n dominoes from the foremost backwards, and their derivatives with respect to its angle
static void lean(int n, double front, double* angle, double* rate)
{
  angle[0] = front;
  rate[0] = 1;
  for (int k = 1; k < n; k++) {
    double a = angle[k - 1], sine = ((s + d)*cos(a) - d)/h;
    angle[k] = a + asin(sine);
    rate[k] = rate[k - 1]*(1 - (s + d)*sin(a)/(h*sqrt(1 - sine*sine)));
  }
}

// Kinetic energy is inertia/2 omega^2; both per mass
static void train(int n, double front, double* inertia, double* potential)
{
  double angle[DOMINOES], rate[DOMINOES];
  lean(n, front, angle, rate);
  *inertia = *potential = 0;
  for (int k = 0; k < n; k++) {
    *inertia += (h*h + d*d)/3*rate[k]*rate[k];
    *potential += G/2*(h*cos(angle[k]) + d*sin(angle[k]));
  }
}

// From angle `from` with speed *omega to the next domino, by energy. The time is the integral of dtheta/omega, with
// theta = from + (to - from) x^2: smooth also where the motion starts from rest.
static double fall(int n, double from, double to, double* omega)
{
  enum { POINTS = 2000 };
  double inertia, potential, energy, time = 0;
  train(n, from, &inertia, &potential);
  energy = inertia/2**omega**omega + potential;
  for (int i = 0; i < POINTS; i++) {
    double x = (i + 0.5)/POINTS;
    train(n, from + (to - from)*x*x, &inertia, &potential);
    time += (to - from)*2*x/POINTS/sqrt(2*(energy - potential)/inertia);
  }
  train(n, to, &inertia, &potential);
  *omega = sqrt(2*(energy - potential)/inertia);
  return time;
}

// The velocities after a plastic impact are those of the longer train that are nearest in the kinetic metric
static double hit(int n, double omega)
{
  double angle[DOMINOES], before[DOMINOES], after[DOMINOES], sum = 0, square = 1;
  lean(n, asin(s/h), angle, before);
  lean(n + 1, 0, angle, after);
  for (int k = 0; k < n; k++) {
    sum += after[k + 1]*before[k]*omega;
    square += after[k + 1]*after[k + 1];
  }
  return sum/square;
}

// Each is hit when the train says, but for the steps that impacts are late by. (From the twelfth on feet slip.)
static void test_dominoes(void** state)
{
  (void)state;
  play p = start("dominoes");
  p.def.dt = 2e-4;
  double omega = 0, t = 0, front = 12*M_PI/180;
  for (int n = 1; n < 8; n++) {
    char name[64];
    t += fall(n, front, asin(s/h), &omega);
    omega = hit(n, omega);
    front = 0;
    if (n == 1) snprintf(name, sizeof name, "first - domino00 [13]");
    else snprintf(name, sizeof name, "domino%02d - domino%02d [13]", n - 2, n - 1);
    near(first(&p, SS_EVENT_IMPACT, name, 1), t, (n + 1)*p.def.dt);
  }
  stop(&p);
}

// ---- a rod on the edge of a table ----------------------------------------------------------------------------------

// Ball (mass m, speed 1) on the end of a rod (mass M, half length a, half thickness c, J = M(a^2 + c^2)/3) that lies on
// the edge at b from its centre, all plastic and without friction. Impulses A at the end, B at the edge:
//   ball: -1 + A/m,   rod at x: (B - A)/M + (B b - A a) x/J;   equal at x = a, zero at x = b.
// The other end rises and has no impulse [Stewart 2000, Fig. 4.5a]. Weights act during the step, too.
static void test_rod_table(void** state)
{
  (void)state;
  play p = start("rod-table");
  p.def.dt = 1e-6;
  double m = 0.2, M = 0.5, a = 0.5, b = 0.25, c = 0.015625, J = M*(a*a + c*c)/3, fallen = G*p.def.dt;
  double GAA = 1/m + 1/M + a*a/J, GAB = -1/M - a*b/J, GBB = 1/M + b*b/J;  // row A: ball minus rod, row B: rod
  double det = GAA*GBB - GAB*GAB, A = (GBB - GAB*fallen)/det, B = (GAA*fallen - GAB)/det;
  step(&p, NULL);
  near(impulse_of(&p, "rod - ball"), A, 1e-9);
  near(impulse_of(&p, "rod - table"), B, 1e-9);
  const double* u = NULL;
  joint_q(&p, "rod", &u);
  near(u[2], (B - A)/M - fallen, 1e-9);
  near(u[4], (A*a - B*b)/J, 1e-9);
  assert_true(u[2] + u[4]*a > 0.1);  // the other end
  stop(&p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_stack30),   cmocka_unit_test(test_heavy_top), cmocka_unit_test(test_wall),
    cmocka_unit_test(test_thousands),
    cmocka_unit_test(test_card_house), cmocka_unit_test(test_card_pair), cmocka_unit_test(test_jenga),
    cmocka_unit_test(test_pile),       cmocka_unit_test(test_dominoes),  cmocka_unit_test(test_rod_table),
    cmocka_unit_test(test_crushing_top),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
