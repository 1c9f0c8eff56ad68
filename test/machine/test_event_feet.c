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

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_feet)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
