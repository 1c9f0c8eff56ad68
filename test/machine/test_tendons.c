// Fixed tendons in motion: hard limits, springs that may be slack, dampers, dry friction. Two masses, 1 and 2 kg,
// slide, L = 2 x - 3 y: with M = diag(1, 2) a force F along L gives L'' = c . M^-1 c F = 8.5 F.
#include "machine/play.h"

#define SLIDES(tendon, settings) \
  "<mujoco><option gravity='0 0 0' timestep='1e-3'/><stickslip key='k' " settings "/><default><joint type='slide' " \
  "axis='1 0 0'/><geom contype='0' conaffinity='0' size='.1'/></default><worldbody>" \
  "<body><joint name='x'/><geom mass='1'/></body><body pos='0 1 0'><joint name='y'/><geom mass='2'/></body>" \
  "</worldbody><tendon><fixed name='rope' " tendon "><joint joint='x' coef='2'/><joint joint='y' coef='-3'/></fixed>" \
  "</tendon><keyframe><key name='k' qvel='1 0'/></keyframe></mujoco>"

static double length(const play* p) { return 2*p->s->q[0] - 3*p->s->q[1]; }
static double rate(const play* p) { return 2*p->s->u[0] - 3*p->s->u[1]; }

// What the shock, or the friction, leaves: L' = 0 and the momentum across the tendon
static void expect_stopped(const play* p, double tol)
{
  near(p->s->u[0], 1 - 2*2/8.5, tol);
  near(p->s->u[1], 0.5*3*2/8.5, tol);
}

static void test_limit(void** state)
{
  (void)state;
  play p = start_text(SLIDES("range='-1 0.1'", ""));
  near(first(&p, SS_EVENT_IMPACT, "tendon rope limit upper", 1), 0.05, 2e-3);
  go(&p, 1);
  expect_stopped(&p, 1e-12);
  near(length(&p), 0.1, 2e-3);
  stop(&p);
  p = start_text(SLIDES("range='-1 0.1'", "scheme='event'"));
  near(first(&p, SS_EVENT_IMPACT, "tendon rope limit upper", 1), 0.05, 1e-12);
  go(&p, 1);
  expect_stopped(&p, 1e-12);
  near(length(&p), 0.1, 1e-12);
  stop(&p);
}

// Pushed towards its lower limit it presses as much as it is pushed, and stays
static void test_rests_on_its_limit(void** state)
{
  (void)state;
  play p = start_text(SLIDES("range='-0.2 5' stiffness='10' springlength='-1.2'", ""));
  go(&p, 2);
  double before = length(&p);
  near(before, -0.2, 5e-3);
  near(rate(&p), 0, 1e-12);
  go(&p, 3);
  near(length(&p), before, 1e-12);
  stop(&p);
}

// L'' = -8.5 (k (L - L0) + d L'), a damped oscillation from L = 0, L' = 2
static void test_spring_and_damper(void** state)
{
  (void)state;
  play p = start_text(SLIDES("stiffness='3' springlength='0.25' damping='0.1'", "scheme='event'"));
  p.def.event.rtol = 1e-11;
  go(&p, 1);
  double t = p.s->t, delta = 0.5*8.5*0.1, omega = sqrt(8.5*3 - delta*delta), a = -0.25, b = (2 + delta*a)/omega;
  near(length(&p), 0.25 + exp(-delta*t)*(a*cos(omega*t) + b*sin(omega*t)), 1e-9);
  const ss_energy_ledger* e = ss_ledger_energy(p.ledger);
  near(e->defect, 0, 1e-8);
  assert_true(e->work_forces < -0.01);  // of the damper
  stop(&p);
}

// Between the two lengths nothing pulls; beyond, the energy of the spring takes that of the motion and gives it back
static void test_slack(void** state)
{
  (void)state;
  play p = start_text(SLIDES("stiffness='3' springlength='-0.5 0.5'", "scheme='event'"));
  p.def.event.rtol = 1e-11;
  go(&p, 0.249);
  near(p.s->u[0], 1, 1e-15);
  double half = acos(-1)/sqrt(8.5*3);  // from 0.5 outward and back
  go(&p, 0.3 + half);
  near(rate(&p), -2, 1e-7);
  near(ss_work_info(p.w)->after.kinetic, 0.5, 1e-7);
  stop(&p);
}

static void test_friction(void** state)
{
  (void)state;
  play p = start_text(SLIDES("frictionloss='0.2'", "scheme='event'"));
  near(first(&p, SS_EVENT_STICK, "tendon rope friction", 3), 2/(8.5*0.2), 1e-10);
  expect_stopped(&p, 1e-10);
  stop(&p);
  p = start_text(SLIDES("frictionloss='0.2'", ""));
  go(&p, 1.5);
  expect_stopped(&p, 1e-10);
  stop(&p);
}

// Without springlength it rests where the springs of the joints do
static void test_automatic_length(void** state)
{
  (void)state;
  play p = start_text("<mujoco><worldbody><body><joint name='j' type='slide' springref='0.3'/><geom size='1'/></body>"
                      "</worldbody><tendon><fixed stiffness='1'><joint joint='j' coef='2'/></fixed></tendon></mujoco>");
  near(p.scene->tendon[0].springlength[0], 0.6, 1e-15);
  near(p.scene->tendon[0].springlength[1], 0.6, 1e-15);
  stop(&p);
}

static const ss_scene_notice* notice_of(const ss_scene* s, const char* attribute)
{
  for (int i = 0; i < s->n_notice; i++)
    if (strcmp(s->notice[i].element, "tendon") == 0 && strcmp(s->notice[i].attribute, attribute) == 0)
      return s->notice + i;
  fail_msg("no notice of %s", attribute);
  return NULL;
}

// Rows have up to three joints: the spring of a tendon of four acts, its range is told to be ignored
static void test_too_many_joints(void** state)
{
  (void)state;
  play p = start_text(
    "<mujoco><worldbody><body><joint name='a'/><joint name='b' axis='1 0 0'/><geom size='1'/><body pos='2 0 0'>"
    "<joint name='c'/><joint name='d' axis='1 0 0'/><geom size='.1'/></body></body></worldbody><tendon>\n"
    "<fixed range='0 1' frictionloss='1' stiffness='2'><joint joint='a' coef='1'/><joint joint='b' coef='1'/>"
    "<joint joint='c' coef='1'/><joint joint='d' coef='1'/></fixed></tendon></mujoco>");
  assert_true(!p.scene->tendon[0].limited && p.scene->tendon[0].friction == 0 && p.scene->tendon[0].stiffness == 2);
  assert_int_equal(notice_of(p.scene, "range")->fate, SS_SCENE_IGNORED);
  assert_int_equal(notice_of(p.scene, "range")->line, 2);
  assert_int_equal(notice_of(p.scene, "frictionloss")->line, 2);
  stop(&p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_limit), cmocka_unit_test(test_rests_on_its_limit), cmocka_unit_test(test_spring_and_damper),
    cmocka_unit_test(test_slack), cmocka_unit_test(test_friction), cmocka_unit_test(test_automatic_length),
    cmocka_unit_test(test_too_many_joints)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
