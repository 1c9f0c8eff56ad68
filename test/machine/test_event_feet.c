// Bodies on more feet than they need, which slide and turn: the motion is one of many, and the same whatever the order
// of the feet; the mirror image moves like a mirror image.
#include "play.h"

enum { MOST = 8 };

// The body on n feet around a circle, listed in the order `from`, `from` + step, ...; side -1: mirrored
static play place(int n, int from, int step, int side, double turn)
{
  char text[6000];
  int k = snprintf(text, sizeof text, "<mujoco><compiler angle='radian'/><option timestep='0.01'/><worldbody>"
                   "<geom name='floor' type='plane' size='0 0 1' friction='0.3'/><body name='d' pos='0 0 0.02'>"
                   "<freejoint/><inertial pos='0 0 0' mass='1' diaginertia='0.006 0.006 0.006'/>");
  for (int i = 0; i < n; i++) {
    int foot = (from + step*i)%n;
    double a = 6.283185307179586*foot/n + turn;
    k += snprintf(text + k, sizeof text - (size_t)k, "<geom name='f%d' type='sphere' size='0.01' mass='0' "
                  "pos='%.17g %.17g -0.01' friction='0.3'/>", foot, 0.1*cos(a), side*0.1*sin(a));
  }
  snprintf(text + k, sizeof text - (size_t)k, "</body></worldbody><keyframe><key name='k' qpos='0 0 0.02 1 0 0 0' "
           "qvel='1 0 0 0 0 %d'/></keyframe><stickslip until='1' key='k' scheme='event'/></mujoco>", 5*side);
  return start_text(text);
}

static void check_forces(const play* p)
{
  const ss_step_info* info = ss_work_info(p->w);
  for (int i = 0; i < info->n_contact; i++) {
    const double* L = info->contact[i].Lambda;
    assert_true(L[0] >= -1e-9 && hypot(L[1], L[2]) <= 0.3*L[0] + 1e-9);
  }
}

// Position and angle at the end, of the mirror image as they are in the original
static void slide(int n, int from, int step_, int side, double turn, double* end)
{
  play p = place(n, from, step_, side, turn);
  while (p.s->t < 0.6 - p.def.dt/2) {
    step(&p, NULL);
    check_forces(&p);
  }
  end[0] = p.s->q[0];
  end[1] = side*p.s->q[1];
  end[2] = side*2*atan2(p.s->q[6], p.s->q[3]);
  assert_true(ss_ledger_get_counts(p.ledger)->several_motions > 0);
  stop(&p);
}

static void test_feet(void** state)
{
  (void)state;
  for (int n = 4; n <= MOST; n += LESS > 1 ? 4 : 1)
    for (int k = 0; k < 2; k++) {
      double turn = 0.3*k, first[3], other[3];
      slide(n, 0, 1, 1, turn, first);
      static const int order[][3] = {{1, 1, 1}, {0, -1, 1}, {2, 1, 1}, {0, 1, -1}, {1, -1, -1}};
      for (int i = 0; i < 5; i += LESS > 1 ? 3 : 1) {
        slide(n, order[i][0], order[i][1] < 0 ? n - 1 : 1, order[i][2], turn, other);
        for (int j = 0; j < 3; j++)
          if (!(fabs(other[j] - first[j]) < 1e-8))
            fail_msg("%d feet, turned by %g, order %d: %.10g instead of %.10g", n, turn, i, other[j], first[j]);
      }
      if (n == 4 && k == 0) near(first[2], 0.9376, 5e-5);
    }
}

// A table on three pairs of feet with different friction, pulled by `pull` along its pairs, the world turned
static play table(double pull, double turn, bool is_static)
{
  char text[6000];
  double c = cos(turn), s = sin(turn);
  static const double kinetic[3] = {0.1, 0.2, 0.3}, most[3] = {0.5, 0.3, 0.35};
  int k = snprintf(text, sizeof text, "<mujoco><compiler angle='radian'/><option timestep='0.02' gravity='%.17g %.17g "
                   "-9.81'/><worldbody><geom name='floor' type='plane' size='0 0 1'/><body name='d' pos='0 0 0.3' "
                   "euler='0 0 %.17g'><freejoint/><inertial pos='0 0 0' mass='1' diaginertia='0.1 0.1 0.1'/>",
                   pull*c, pull*s, turn);
  for (int i = 0; i < 6; i++)
    k += snprintf(text + k, sizeof text - (size_t)k, "<geom name='f%d' type='sphere' size='0.02' mass='0' "
                  "pos='%.17g %.17g -0.28'/>", i, 0.5*(i/2 - 1), i%2 ? 0.2 : -0.2);
  k += snprintf(text + k, sizeof text - (size_t)k, "</body></worldbody><contact>");
  for (int i = 0; i < 6; i++) {
    double mu = is_static ? kinetic[i/2] : most[i/2];
    k += snprintf(text + k, sizeof text - (size_t)k, "<pair geom1='floor' geom2='f%d' friction='%g %g' "
                  "friction-static='%g'/>", i, mu, mu, most[i/2]);
  }
  snprintf(text + k, sizeof text - (size_t)k, "</contact><stickslip until='1' scheme='event'/></mujoco>");
  return start_text(text);
}

// Feet hold as long as any sharing of the load does. The outer pairs carry all then, N_c - N_a = 0.6 F by the moment of
// the pull: F = 0.5 N_a + 0.35 N_c = (0.425 9.81)/1.045. With the least norm of loads it would slip at 3.24 N.
static void test_holds(void** state)
{
  (void)state;
  double most = 0.425*9.81/1.045;
  for (int k = 0; k < 8; k++) {
    bool holds = k%2;
    play p = table(most*(holds ? 1 - 1e-3 : 1 + 1e-3), 0.8*(k/4), k/2%2);
    while (p.s->t < 0.2 - p.def.dt/2) step(&p, NULL);
    double way = hypot(p.s->q[0], p.s->q[1]);
    if (holds ? way > 1e-12 : way < 1e-3) fail_msg("table %d: moved by %g m", k, way);
    stop(&p);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_feet), cmocka_unit_test(test_holds)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
