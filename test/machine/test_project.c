// Overlap taken out after each step of a scene: heaps come to rest with no more of it than a step of free motion, and a
// body that has no room stands in the middle.
#include "machine/play.h"

enum { BOXES = LESS > 1 ? 9 : 27 };

// Boxes that fall on one another, each turned in a way of its own
static play drop_boxes(void)
{
  static char text[20000];
  int at = snprintf(text, sizeof text,
                    "<mujoco><option timestep='2e-3' gravity='0 0 -9.81'/><stickslip project='true'/>"
                    "<default><geom friction='0.5'/></default><worldbody><geom type='plane' size='0 0 1'/>");
  for (int i = 0; i < BOXES; i++)
    at += snprintf(text + at, sizeof text - (size_t)at,
                   "<body pos='%g %g %g' quat='%g %g %g %g'><freejoint/><geom type='box' size='.05 .04 .03'"
                   " mass='0.5'/></body>", 0.13*(i%3) + 0.02*sin(i), 0.13*(i/3%3) + 0.02*cos(3*i), 0.08 + 0.14*(i/9),
                   cos(5*i), sin(7*i), cos(11*i), sin(13*i));
  snprintf(text + at, sizeof text - (size_t)at, "</worldbody></mujoco>");
  return start_text(text);
}

static void test_heap(void** state)
{
  (void)state;
  play p = drop_boxes();
  double deepest = 0, fall = 2*9.81*p.def.dt*p.def.dt;  // of two bodies against each other
  for (int k = 0; k < 1000; k++) {
    assert_true(ss_step(p.system, &p.def, p.s, p.w) >= 0);  // not all contact problems on the way meet 1e-8
    if (k >= 900) deepest = fmax(deepest, ss_work_info(p.w)->penetration);
  }
  if (!(deepest <= 1.001*fall)) fail_msg("overlap of %g m at rest, a step of free motion is %g m", deepest, fall);
  double T = ss_work_info(p.w)->after.kinetic;
  if (!(T < 1e-12)) fail_msg("the heap moves, T = %g J", T);
  stop(&p);
}

// Between two blocks that are 2 mm nearer than the body is long, off the middle at first: rows that contradict one
// another. It goes where both overlaps are the same, and stays there.
static void test_no_room(void** state)
{
  (void)state;
  play p = start_text("<mujoco><option timestep='1e-3' gravity='0 0 -9.81'/><stickslip project='true'/><worldbody>"
                      "<geom type='plane' size='0 0 1'/><geom type='box' size='.1 .2 .2' pos='-.199 0 .2'/>"
                      "<geom type='box' size='.1 .2 .2' pos='.199 0 .2'/>"
                      "<body pos='.0003 0 .05'><freejoint/><geom type='box' size='.1 .05 .05'/></body>"
                      "</worldbody></mujoco>");
  for (int k = 0; k < 100; k++) step(&p, NULL);
  if (!(fabs(p.s->q[0]) < 1e-8)) fail_msg("%g m off the middle", p.s->q[0]);
  if (!(fabs(ss_work_info(p.w)->penetration - 1e-3) < 1e-8))
    fail_msg("overlap of %g m, should be 1 mm", ss_work_info(p.w)->penetration);
  stop(&p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_heap),
    cmocka_unit_test(test_no_room),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
