// Bodies that roll on curved surfaces, flatter than their origin is high, do not sink into the ground:
// velocities along the tangent alone would let them, by (rho - h) phi^2/2 for every angle phi of a step.
#include "machine/play.h"
#include "math/vec3.h"

// A body, its height over the ground at an angle about y, its spin
typedef struct roller {
  const char* body;
  double angle, height;
  double spin[3];
} roller;

// An ellipsoid that rocks, alone (0) and with a ball hinged to it (5), a ball and a log with their mass below the
// middle, a coin on its rim
static roller rollers[6];

static void make_rollers(void)
{
  double a = 0.6, b = 0.7, c = 1.2;
  rollers[0] = (roller){"<geom type='ellipsoid' size='.2 .1 .05' friction='1'/>", a,
                        hypot(0.2*sin(a), 0.05*cos(a)), {0}};
  rollers[1] = (roller){"<inertial pos='0 0 0' mass='1' diaginertia='.004 .004 .004'/>"
                        "<geom size='.1' pos='0 0 .05' friction='1'/>", b, 0.1 - 0.05*cos(b), {0}};
  rollers[2] = (roller){"<inertial pos='0 0 0' mass='1' diaginertia='.004 .004 .004'/>"
                        "<geom type='capsule' size='.1 .2' pos='0 0 .06' euler='1.5707963267948966 0 0' "
                        "friction='1'/>", b, 0.1 - 0.06*cos(b), {0}};
  rollers[4] = (roller){"<inertial pos='0 0 -.05' mass='1' diaginertia='.004 .004 .004'/>"
                        "<geom size='.1' friction='1'/>", b, 0.1, {0}};
  rollers[5] = rollers[0];
  rollers[5].body = "<geom type='ellipsoid' size='.2 .1 .05' friction='1'/><body><joint axis='0 1 0'/>"
                    "<geom size='.01' pos='0 0 -.01' contype='0' conaffinity='0'/></body>";
  rollers[3] = (roller){"<geom type='cylinder' size='.1 .01' friction='1'/>", c,
                        0.1*sin(c) + 0.01*cos(c), {0, 0, 4}};
}

static play lay(const roller* r)
{
  char text[900];
  snprintf(text, sizeof text, "<mujoco><option timestep='0.002'/><compiler angle='radian'/><worldbody>"
           "<geom type='plane' size='1 1 1'/><body pos='0 0 %.17g' euler='0 %.17g 0'><freejoint/>%s</body></worldbody>"
           "</mujoco>",
           r->height, r->angle, r->body);
  play p = start_text(text);
  for (int i = 0; i < 3; i++) p.s->u[3 + i] = r->spin[i];
  return p;
}

// The deepest overlap in two seconds
static double deepest_with(const roller* r, ss_integrator integrator, double dt, ss_projection project)
{
  play p = lay(r);
  p.def.project = project;
  double most = 0;
  p.def.integrator = integrator;
  p.def.dt = dt;
  while (p.s->t < 2) {
    step(&p, NULL);
    most = fmax(most, ss_work_info(p.w)->penetration);
  }
  stop(&p);
  return most;
}

static double deepest(const roller* r, ss_integrator integrator, double dt)
{
  return deepest_with(r, integrator, dt, SS_PROJECTION_AUTO);
}

// 2 s stay, s = dt^2 (g + r alpha): of the second order
static void test_no_sinking(void** state)
{
  (void)state;
  const ss_integrator all[] = {SS_MOREAU, SS_EULER, SS_JEAN};
  make_rollers();
  for (int k = 0; k < 6; k++)
    for (int i = 0; i < 3 && k != 3; i++)
      for (int j = 0; j < 2; j++) {
        double dt = 0.002/(1 + j), depth = deepest(rollers + k, all[i], dt);
        if (!(depth < 6*9.81*dt*dt)) fail_msg("body %d is %g deep with %s, dt = %g", k, depth,
                                              ss_integrator_name(all[i]), dt);
      }
}

// The overlap that a step with a projection tells is what there is: the ellipsoid reaches |A R^T e_z| below its middle
static void test_tells_what_is_left(void** state)
{
  (void)state;
  static const double half[3] = {0.2, 0.1, 0.05};
  make_rollers();
  play p = lay(rollers);
  int told = 0;
  for (p.def.dt = 0.002; p.s->t < 1;) {
    step(&p, NULL);
    const ss_step_info* info = ss_work_info(p.w);
    const double* q = p.s->q;
    if (info->work_projection == 0) continue;
    ss_vec3 down = ss_quat_rotate((ss_quat){q[3], -q[4], -q[5], -q[6]}, (ss_vec3){0, 0, 1});
    double reach = ss_norm((ss_vec3){half[0]*down.x, half[1]*down.y, half[2]*down.z});
    if (!(fabs(info->penetration - fmax(0, reach - q[2])) < 1e-12))
      fail_msg("%g m are told, %g are there at t = %g", info->penetration, reach - q[2], p.s->t);
    told++;
  }
  assert_true(told > 50);
  stop(&p);
}

// Off is off: the ellipsoid goes down by about (rho - h) w^2 dt/2 per second
static void test_off(void** state)
{
  (void)state;
  make_rollers();
  double depth = deepest_with(rollers, SS_MOREAU, 0.002, SS_PROJECTION_OFF);
  double half = deepest_with(rollers, SS_MOREAU, 0.001, SS_PROJECTION_OFF);
  if (!(depth > 5e-3)) fail_msg("the ellipsoid is %g deep without projection", depth);
  if (!(fabs(depth/half - 2) < 0.3)) fail_msg("%g deep, %g with half the step: not of the first order", depth, half);
  double on = deepest_with(rollers, SS_MOREAU, 0.002, SS_PROJECTION_ON);
  if (!(on < 6*9.81*4e-6)) fail_msg("the ellipsoid is %g deep with projection", on);
}

// The coin falls flat in the end, at a speed below 1 m/s, which is as deep as a step of that
static void test_coin(void** state)
{
  (void)state;
  make_rollers();
  for (int i = 0; i < 2; i++) {
    double depth = deepest(rollers + 3, i ? SS_EULER : SS_MOREAU, 0.002);
    if (!(depth < 0.002)) fail_msg("the coin is %g deep", depth);
  }
}

// An ellipsoid that lies across two bars, with resistance against spin and rolling: the bars can share its weight in
// many ways, most of which are not those of the bounds that follow from them. Every step must be solved.
static void test_two_bars(void** state)
{
  (void)state;
  play p = start_text("<mujoco><option timestep='0.001'/>"
                      "<default><geom condim='6' friction='0.8 0.01 0.01'/></default><worldbody>"
                      "<geom type='box' size='.3 .03 .05' pos='0 .08 -.05'/>"
                      "<geom type='box' size='.3 .03 .05' pos='0 -.08 -.05'/>"
                      "<body pos='.013 .007 .09'><freejoint/><geom type='ellipsoid' size='.1 .15 .08'/></body>"
                      "</worldbody></mujoco>");
  p.def.integrator = SS_EULER;
  go(&p, 1);
  stop(&p);
}

// A cylinder stands on more points than it needs, with resistance in each: when the share of one vanishes nothing slips
static void test_standing(void** state)
{
  (void)state;
  play p = start_text("<mujoco><option timestep='0.001'/>"
                      "<default><geom condim='6' friction='0.8 0.01 0.01'/></default><worldbody>"
                      "<geom type='box' size='.3 .3 .05' pos='0 0 -.05'/>"
                      "<body pos='.013 .007 .16'><freejoint/><geom type='cylinder' size='.1 .15'/></body>"
                      "</worldbody></mujoco>");
  go(&p, 0.5);
  while (p.s->t < 4) {
    const ss_event* e;
    if (step(&p, &e) == 0) continue;
    fail_msg("%s: %s at t = %g", ss_work_contact_name(p.w, e->contact), ss_event_kind_text(e->kind), e->t);
  }
  stop(&p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_sinking), cmocka_unit_test(test_off),
                                     cmocka_unit_test(test_coin), cmocka_unit_test(test_two_bars),
                                     cmocka_unit_test(test_standing),
                                     cmocka_unit_test(test_tells_what_is_left)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
