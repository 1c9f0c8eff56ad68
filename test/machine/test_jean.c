// The theta-method on scenes: at rest, with fast spin, and where its rounds do not settle.
#include "machine/play.h"
#include "math/spatial.h"

// Forces and impulses cancel; what rounds change is round-off of these, however small the velocities that are left.
// Every step must be solved, and nothing may have moved but by round-off.
static void test_rest(void** state)
{
  (void)state;
  const struct { const char* name; double until; } scene[] = {{"stack10", 2}, {"stack30", 0.3}, {"card-house", 0.7}};
  for (size_t i = 0; i < sizeof scene/sizeof *scene; i++) {
    play p = start(scene[i].name);
    p.def.integrator = SS_JEAN;
    go(&p, scene[i].until);
    if (!(moved(&p) < 1e-7)) fail_msg("%s moves by %g m", scene[i].name, moved(&p));
    stop(&p);
  }
}

// A pendulum that a spring brings to rest nearly level: the forces in h cancel too
static void test_spring(void** state)
{
  (void)state;
  play p = start_text("<mujoco><option timestep='0.001'/><worldbody><body>"
                      "<joint axis='0 1 0' stiffness='7' springref='0.3'/>"
                      "<geom type='sphere' size='.1' pos='.2 0 0' contype='0' conaffinity='0'/></body>"
                      "</worldbody></mujoco>");
  p.def.integrator = SS_JEAN;
  go(&p, 1);
  stop(&p);
}

#define SPIN "<mujoco><option timestep='%g' gravity='0 0 0'/><worldbody><body><freejoint/>" \
             "<geom type='box' size='.3 .2 .1'/></body></worldbody></mujoco>"

// Spin after 0.4 s with a torque that is constant in the body
static ss_vec3 spun(double dt, ss_integrator scheme)
{
  char text[400];
  snprintf(text, sizeof text, SPIN, dt);
  play p = start_text(text);
  const double force[6] = {0, 0, 0, 20, -30, 50};
  p.def.integrator = scheme;
  p.def.force = force;
  for (int i = 0; i < 3; i++) p.s->u[3 + i] = (const double[]){4, 3, -5}[i];
  go(&p, 0.4);
  ss_vec3 w = ss_vec3_from(p.s->u + 3);
  stop(&p);
  return w;
}

// Torques act on the spin within the step: order two, as a whole
static void test_order(void** state)
{
  (void)state;
  ss_vec3 exact = spun(1e-4, SS_JEAN);
  double coarse = ss_norm(ss_sub(spun(0.02, SS_JEAN), exact)), fine = ss_norm(ss_sub(spun(0.01, SS_JEAN), exact));
  near(coarse/fine, 4, 0.1);
}

// A small ellipsoid hits a plate at up to 1000 m/s, and spins with up to 1e5 rad/s afterwards: 100 rad in a step. What
// meets something on the way does not move with the mean velocity: T + V is right to g dt |u| dt then, a part of 1e-3.
static void test_impact(void** state)
{
  (void)state;
  for (double speed = 1; speed < 2000; speed *= 10) {
    play p = start_text("<mujoco><option timestep='0.001'/><worldbody><geom type='box' size='1 1 .01'/>"
                        "<body pos='0 0 .2'><freejoint/><geom type='ellipsoid' size='.005 .003 .008'/></body>"
                        "</worldbody></mujoco>");
    const double u[] = {speed, 0, -speed, 3, 2, 1};
    p.def.integrator = SS_JEAN;
    memcpy(p.s->u, u, sizeof u);
    int impacts = 0;
    for (int i = 0; i < 300; i++) {
      const ss_event* e;
      for (int n = step(&p, &e); n > 0; n--, e++) impacts += e->kind == SS_EVENT_IMPACT;
      const ss_step_info* info = ss_work_info(p.w);
      double before = info->before.kinetic + info->before.potential;
      double after = info->after.kinetic + info->after.potential;
      if (!(after < before*(1 + 1e-3))) fail_msg("%g m/s, t = %g: %g J become %g", speed, p.s->t, before, after);
    }
    assert_true(impacts > 0);
    stop(&p);
  }
}

// Two bodies on a hinge across their spin: rounds would diverge at 3 rad in a step. Such steps are not implicit, and
// keep the energy.
static void test_divergence(void** state)
{
  (void)state;
  play p = start_text("<mujoco><option timestep='0.001' gravity='0 0 0'/><worldbody><body><freejoint/>"
                      "<geom type='box' size='.3 .2 .1'/><body pos='.5 0 0'><joint axis='0 1 0'/>"
                      "<geom type='box' size='.1 .2 .05' pos='.2 0 0' contype='0' conaffinity='0'/></body></body>"
                      "</worldbody></mujoco>");
  p.def.integrator = SS_JEAN;
  for (int i = 0; i < 3; i++) p.s->u[3 + i] = (const double[]){2000, 2500, -1500}[i];
  step(&p, NULL);
  double before = ss_work_info(p.w)->before.kinetic;
  go(&p, 1.0/LESS);
  near(ss_work_info(p.w)->after.kinetic, before, 1e-8*before);  // 1000 steps, in each of which T is kept to 1e-12
  stop(&p);
}

// A tree of three links that falls flat, with more contacts than it needs: what shares the impact changes from round to
// round. Such steps are taken in halves, and every one is solved.
static void test_flat_fall(void** state)
{
  (void)state;
  const char* link = "<geom type='capsule' fromto='.03 0 0 .17 0 0' size='.02' mass='.5' friction='.3' "
                     "restitution='0'/>";
  char text[1600];
  snprintf(text, sizeof text, "<mujoco><option timestep='2e-4'/><worldbody>"
           "<geom name='floor' type='plane' size='0 0 1' friction='.3' restitution='0'/>"
           "<body name='l0' pos='0 0 .02'><freejoint/>%s<body name='l1' pos='.2 0 0'><joint axis='0 1 0'/>%s"
           "<body name='l2' pos='.2 0 0'><joint type='ball'/>%s</body></body></body></worldbody>"
           "<contact><exclude body1='l0' body2='l2'/></contact></mujoco>", link, link, link);
  int in_parts = 0;
  const double turning[] = {30, 20, 10, 5};
  for (int i = 0; i < 4; i++) {
    play p = start_text(text);
    p.def.integrator = SS_JEAN;
    const double u[10] = {1, 0, -3, 0, turning[i], 0, 0, 0, 0, 10};
    memcpy(p.s->u, u, sizeof u);
    for (int k = 0; k < 50; k++) {
      const ss_event* e;
      step(&p, &e);
      in_parts += ss_work_info(p.w)->parts > 1;
    }
    stop(&p);
  }
  assert_in_range(in_parts, 1, 10);  // the exception, which is there
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rest),
    cmocka_unit_test(test_flat_fall), cmocka_unit_test(test_spring),
                                     cmocka_unit_test(test_order), cmocka_unit_test(test_impact),
                                     cmocka_unit_test(test_divergence)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
