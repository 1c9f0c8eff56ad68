// Overlap taken out of scenes: bodies of every shape come to rest on what they fall on, heaps with no more of it than a
// step of free motion, and a body that has no room stands in the middle.
#include "machine/play.h"
#include "integrate/work.h"

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

// Of one height, 0.1 m: shapes of every kind
#define SHAPES \
  "<geom type='box' size='.05 .05 .05'/>", "<geom type='sphere' size='.05'/>", \
  "<geom type='cylinder' size='.05 .05'/>", "<geom type='ellipsoid' size='.05 .05 .05'/>", \
  "<geom type='capsule' size='.05 .1' euler='90 0 0'/>", "<geom type='mesh' mesh='cube'/>"
enum { KINDS = 6 };

// Each as high above the floor, next to one another
static play put_shapes(double height, double dt)
{
  static const char* const shape[KINDS] = {SHAPES};
  static char text[4000];
  int at = snprintf(text, sizeof text,
                    "<mujoco><option timestep='%g' gravity='0 0 -9.81'/><asset><mesh name='cube' scale='.05 .05 .05' "
                    "vertex='-1 -1 -1 1 -1 -1 -1 1 -1 1 1 -1 -1 -1 1 1 -1 1 -1 1 1 1 1 1'/></asset><worldbody>"
                    "<geom type='plane' size='0 0 1'/>", dt);
  for (int i = 0; i < KINDS; i++)
    at += snprintf(text + at, sizeof text - (size_t)at, "<body pos='%d 0 %.17g'><freejoint/>%s</body>", i, height,
                   shape[i]);
  snprintf(text + at, sizeof text - (size_t)at, "</worldbody></mujoco>");
  return start_text(text);
}

// s: a step of free fall, or a thousandth of half the height
static double allowed(const play* p) { return fmin(9.81*p->def.dt*p->def.dt, 5e-5); }

// Dropped from 1 m all of them come to rest on the floor, whatever the step; what lifts them is in the ledger
static void test_drop(void** state)
{
  (void)state;
  static const double dt[] = {0.001, 0.002, 0.01};
  for (int k = 0; k < 3; k++)
    for (int jean = 0; jean < 2; jean++) {
      play p = put_shapes(1.05, dt[k]);
      if (jean) p.def.integrator = SS_JEAN;
      double work = 0, lost = 0, first = 0;
      while (p.s->t < 1) {
        const ss_step_info* info = ss_work_info(p.w);
        // jean does not always converge where the cylinder tilts
        assert_true(ss_step(p.system, &p.def, p.s, p.w) >= 0);
        if (p.s->step == 1) first = info->before.kinetic + info->before.potential;
        work += info->work_projection;
        lost += info->loss_normal + info->loss_friction;
        assert_true(info->work_projection >= -1e-12);
      }
      for (int i = 0; i < KINDS; i++) {
        double z = p.s->q[7*i + 2] - 0.05;
        if (!(z <= 1e-9 && z >= -2.001*allowed(&p))) fail_msg("body %d is %g m above the floor, dt = %g", i, z, dt[k]);
      }
      const ss_energy* last = &ss_work_info(p.w)->after;
      near(last->kinetic, 0, 1e-12);
      near(last->kinetic + last->potential, first - lost + work, 1e-9*first);
      stop(&p);
    }
}

// What starts half inside the floor is on it after a step, without a velocity; and stays inside if that is asked for
static void test_start(void** state)
{
  (void)state;
  for (int off = 0; off < 2; off++) {
    play p = put_shapes(0.01, 0.002);
    if (off) p.def.project = SS_PROJECTION_OFF;
    step(&p, NULL);
    for (int i = 0; i < KINDS; i++) near(p.s->q[7*i + 2], off ? 0.01 : 0.05 - allowed(&p), 1e-7);
    for (int i = 0; i < 6*KINDS; i++) near(p.s->u[i], 0, 1e-12);
    stop(&p);
  }
}

// Fingers of 0.1 kg pressed against a box with 200 N: what stays is small against both, and not F dt^2/m = 8 mm
static void test_gripper(void** state)
{
  (void)state;
  static const double force[8] = {200, 200};
  play p = start_text("<mujoco><option timestep='.002' gravity='0 0 0'/><worldbody>"
                      "<body pos='-.08 0 0'><joint type='slide' axis='1 0 0'/>"
                      "<geom type='box' size='.01 .03 .05' mass='.1'/></body>"
                      "<body pos='.08 0 0'><joint type='slide' axis='-1 0 0'/>"
                      "<geom type='box' size='.01 .03 .05' mass='.1'/></body>"
                      "<body><freejoint/><geom type='box' size='.03 .03 .04' mass='.5'/></body></worldbody></mujoco>");
  p.def.force = force;
  go(&p, 0.5);
  for (int i = 0; i < 2; i++) {
    double overlap = p.s->q[i] - 0.04;  // thousandths of 10 mm are allowed, up to twice is left alone
    if (!(overlap >= 0 && overlap <= 2.001e-5)) fail_msg("finger %d is %g m inside the box", i, overlap);
  }
  stop(&p);
}

// Spheres of a chain that stands upright touch each other but for round-off, and no force acts along their normals, so
// that the way of free motion is zero: there is nothing to remove all the same
static void test_round_off(void** state)
{
  (void)state;
  enum { LINKS = 100 };
  static char text[120*LINKS + 200];
  char* at = text + sprintf(text, "<mujoco><option timestep='0.002'/><worldbody>");
  for (int i = 0; i < LINKS; i++)
    at += sprintf(at, "<body pos='0 0 0.1'><joint axis='0 1 0'/><geom type='sphere' size='0.1'/>");
  for (int i = 0; i < LINKS; i++) at += sprintf(at, "</body>");
  sprintf(at, "</worldbody></mujoco>");
  play p = start_text(text);
  go(&p, 0.02);
  const ss_step_info* info = ss_work_info(p.w);
  assert_true(info->penetration > 0 && info->penetration < 1e-13);
  assert_false(ss_to_project(p.w, &p.def));
  if (moved(&p) != 0) fail_msg("moves by %g", moved(&p));
  stop(&p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_heap),
    cmocka_unit_test(test_no_room),
    cmocka_unit_test(test_drop),
    cmocka_unit_test(test_start),
    cmocka_unit_test(test_gripper),
    cmocka_unit_test(test_round_off),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
