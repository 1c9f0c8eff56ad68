// Scenes of boxes against closed forms: a block on a slope, a cube that slides, a stack; contacts that stay.
#include "machine/play.h"

#define G 9.81

// Steps until t; the contacts must be the same n in every one
static void go_with(play* p, double until, int n)
{
  uint64_t key[64];
  for (bool first = true; p->s->t < until - p->def.dt/2; first = false) {
    step(p, NULL);
    const ss_step_info* info = ss_work_info(p->w);
    if (info->n_contact != n) fail_msg("%d contacts at t = %g; there should be %d", info->n_contact, p->s->t, n);
    for (int i = 0; i < n; i++) {
      if (!first) assert_true(key[i] == info->item[i].key);
      key[i] = info->item[i].key;
    }
  }
}

static void assert_close(double a, double b, double tolerance, const char* what)
{
  if (!(fabs(a - b) <= tolerance)) fail_msg("%s is %.17g; it should be %.17g to %.3g", what, a, b, tolerance);
}

// mu = 1.01 tan 20: no creep at all in 20 s; docs/creep.md has 1000 s
static void test_incline_holds(void** state)
{
  (void)state;
  play p = start("incline");
  go_with(&p, 20, 4);
  assert_close(moved(&p), 0, 1e-12, "creep");
  stop(&p);
}

// mu = 0.99 tan 20, whatever the heading: a = g (sin 20 - mu cos 20), constant, hence exact; it does not tilt. Gravity
// leans instead of the floor, so that the way down has any direction in the frames of the contacts.
static void test_incline_slides(void** state)
{
  (void)state;
  double angle = 20*M_PI/180, mu = 0.99*tan(angle), a = G*(sin(angle) - mu*cos(angle));
  for (int heading = 0; heading <= 90; heading += 15) {
    char text[1000];
    double x = cos(heading*M_PI/180), y = sin(heading*M_PI/180);
    snprintf(text, sizeof text,
      "<mujoco><option timestep='1e-3' gravity='%.17g %.17g %.17g'/><default><geom friction='%.17g'/></default>"
      "<worldbody><geom type='plane' size='0 0 1'/><body pos='0 0 0.125'><freejoint/><geom type='box' "
      "size='0.25 0.25 0.125' mass='1'/></body></worldbody></mujoco>",
      G*sin(angle)*x, G*sin(angle)*y, -G*cos(angle), mu);
    play p = start_text(text);
    go_with(&p, 1, 4);
    assert_close(p.s->u[0]*x + p.s->u[1]*y, a, 1e-9*a, "acceleration down the slope");
    assert_close(p.s->u[1]*x - p.s->u[0]*y, 0, 1e-10, "velocity aside");
    assert_close(p.s->u[2], 0, 1e-10, "velocity off the slope");
    for (int i = 3; i < 6; i++) assert_close(p.s->u[i], 0, 1e-10, "angular velocity");
    stop(&p);
  }
}

// v(t) = v - mu g t to the last step, which it comes to rest in: the way is v^2/(2 mu g) to the order of the step
static void test_shoved_cube(void** state)
{
  (void)state;
  play p = start("cube-shove");
  double mu = 0.5, v = 6, end = v/(mu*G);
  go_with(&p, 1, 4);
  assert_close(p.s->u[0], v - mu*G, 1e-10, "velocity after 1 s");
  go_with(&p, 1.5, 4);
  assert_close(p.s->u[0], 0, 1e-12, "velocity at the end");
  assert_close(p.s->q[0], v*end/2, mu*G*p.def.dt*p.def.dt, "way");
  assert_close(p.s->q[2], 0.05, 1e-10, "height");
  for (int i = 4; i < 7; i++) assert_close(p.s->q[i], 0, 1e-10, "turn");
  stop(&p);
}

// Ten cubes, 40 contacts in 2 s
static void test_stack(void** state)
{
  (void)state;
  play p = start("stack10");
  go_with(&p, 2, 40);
  assert_close(moved(&p), 0, 1e-6, "drift");
  stop(&p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_incline_holds),
    cmocka_unit_test(test_incline_slides),
    cmocka_unit_test(test_shoved_cube),
    cmocka_unit_test(test_stack),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
