// Logs and pipes side by side: on one another, in a cradle, in a crate. They neither rock nor creep, and the forces on
// them are those of statics.
#include "machine/play.h"

#define LOG(x, z) "<body pos='" x " 0 " z "'><freejoint/><geom type='cylinder' size='.1 .2' euler='90 0 0'/></body>"

// On one another, for 5 s. That is unstable to the side, as a pendulum upside down: round-off of 1e-17 m grows by e^28,
// and with it the rolling. All else stays: heights, places along the axes, tilts.
static void test_three_logs(void** state)
{
  (void)state;
  play p = start_text("<mujoco><option timestep='1e-3'/><worldbody><geom type='plane' size='0 0 1'/>"
                      LOG("0", ".1") LOG("0", ".3") LOG("0", ".5") "</worldbody></mujoco>");
  for (int k = 0; k < 5000/LESS; k++) {
    const ss_event* e;
    if (step(&p, &e)) fail_msg("%s at t = %g", ss_event_kind_text(e->kind), p.s->t);
    assert_int_equal(ss_work_info(p.w)->n_active, 6);
  }
  for (int b = 0; b < 3; b++) {
    const double *q = p.s->q + 7*b, *q0 = p.q0 + 7*b;
    double x = 2*(q[4]*q[6] - q[3]*q[5]), y = 2*(q[5]*q[6] + q[3]*q[4]);  // of z turned: x by rolling, y by tilt
    double z = 2*(q[4]*q[5] + q[3]*q[6]);                                 // of x turned: yaw
    if (!(fabs(q[1] - q0[1]) < 1e-9 && fabs(q[2] - q0[2]) < 1e-9 && fabs(y) < 1e-9 && fabs(z) < 1e-9))
      fail_msg("log %d: %g m along, %g m up, tilt %g, yaw %g", b, q[1] - q0[1], q[2] - q0[2], y, z);
    if (!(fabs(q[0]) < 1e-4 && fabs(x) < 1e-3)) fail_msg("log %d: %g m to the side, rolled by %g", b, q[0], x);
  }
  stop(&p);
}

// The impulses of a step on the only body and their moments about o, in the world
static void sum_impulses(const play* p, const double o[3], double sum[3], double moment[3])
{
  const ss_step_info* info = ss_work_info(p->w);
  memset(sum, 0, 3*sizeof *sum);
  memset(moment, 0, 3*sizeof *moment);
  for (int i = 0; i < info->n_contact; i++) {
    const ss_contact_item* c = info->item + i;
    double f[3] = {0, 0, 0}, r[3];
    for (int k = 0; k < 9; k++) f[k%3] += (c->body_b >= 0 ? 1 : -1)*c->frame[k]*info->contact[i].Lambda[k/3];
    for (int k = 0; k < 3; k++) r[k] = c->point[k] - o[k];
    for (int k = 0; k < 3; k++) {
      sum[k] += f[k];
      moment[k] += r[(k + 1)%3]*f[(k + 2)%3] - r[(k + 2)%3]*f[(k + 1)%3];
    }
  }
}

// A log in a cradle of two others, 5 cm beyond their ends: four contacts at the ends of what they have in common, which
// carry its weight, without a moment
static void check_cradle(const char* type)
{
  char text[1000];
  snprintf(text, sizeof text, "<mujoco><option timestep='1e-3'/><worldbody>"
           "<geom type='%s' size='.1 .2' euler='90 0 0' pos='-.12 0 .1'/>"
           "<geom type='%s' size='.1 .2' euler='90 0 0' pos='.12 0 .1'/>"
           "<body pos='0 .05 .26'><freejoint/><geom type='cylinder' size='.1 .2' euler='90 0 0' mass='2'/></body>"
           "</worldbody></mujoco>", type, type);
  play p = start_text(text);
  for (int k = 0; k < 5000/LESS; k++) {
    const ss_event* e;
    if (step(&p, &e)) fail_msg("%s at t = %g", ss_event_kind_text(e->kind), p.s->t);
  }
  if (!(moved(&p) < 1e-12)) fail_msg("in a cradle of two of kind %s: moved by %g", type, moved(&p));
  const ss_step_info* info = ss_work_info(p.w);
  double sum[3], moment[3];
  const double middle[3] = {0, 0.05, 0.26};
  assert_int_equal(info->n_active, 4);
  sum_impulses(&p, middle, sum, moment);
  for (int k = 0; k < 3; k++) {
    near(sum[k], k == 2 ? 1e-3*2*9.81 : 0, 1e-13);
    near(moment[k], 0, 1e-13);
  }
  for (int i = 0; i < 4; i++) near(fabs(info->item[i].point[1] - 0.025), 0.175, 1e-12);
  stop(&p);
}

static void test_cradle(void** state)
{
  (void)state;
  check_cradle("cylinder");
  check_cradle("capsule");
}

// Fourteen pipes in four layers between two walls, a millimetre apart at first. At rest they overlap by no more than a
// step of free motion of two bodies against each other, as heaps of boxes do, and no less are they parallel than
// contact problems are solved.
static void settle(double dt, double until)
{
  static char text[8000];
  int at = snprintf(text, sizeof text,
                    "<mujoco><option timestep='%g'/><worldbody><geom type='plane' size='0 0 1'/>"
                    "<geom type='box' size='.05 .4 .3' pos='.254 0 .3'/>"
                    "<geom type='box' size='.05 .4 .3' pos='-.254 0 .3'/>", dt);
  for (int i = 0; i < 14; i++) {
    int layer = 2*(i/7) + (i%7 > 3), place = i%7 > 3 ? i%7 - 4 : i%7;
    at += snprintf(text + at, sizeof text - (size_t)at,
                   "<body pos='%g 0 %g'><freejoint/><geom type='cylinder' size='.05 .3' euler='90 0 0'/></body>",
                   0.102*place - (layer%2 ? 0.102 : 0.153), 0.05 + 0.0896*layer);
  }
  snprintf(text + at, sizeof text - (size_t)at, "</worldbody></mujoco>");
  play p = start_text(text);
  double fall = 2*9.81*dt*dt, deepest = 0, rest = 0;
  while (p.s->t < until) {
    step(&p, NULL);
    deepest = fmax(deepest, ss_work_info(p.w)->penetration);
    if (p.s->t > 0.9*until) rest = fmax(rest, ss_work_info(p.w)->penetration);
  }
  double T = ss_work_info(p.w)->after.kinetic;
  if (!(rest <= 1.001*fall)) fail_msg("dt %g: overlap of %g m at rest, a step of free motion is %g m", dt, rest, fall);
  if (!(deepest <= 2e-3*0.05)) fail_msg("dt %g: overlap of %g m on the way", dt, deepest);
  if (!(T < 1e-12)) fail_msg("dt %g: the pipes move, T = %g J", dt, T);
  for (int b = 0; b < 14; b++) {
    const double* q = p.s->q + 7*b;
    double tilt = 2*(q[5]*q[6] + q[3]*q[4]), yaw = 2*(q[4]*q[5] + q[3]*q[6]);
    if (!(fabs(q[1]) < 1e-6 && hypot(tilt, yaw) < 1e-6))
      fail_msg("dt %g, pipe %d: %g m along, tilt %g, yaw %g", dt, b, q[1], tilt, yaw);
  }
  stop(&p);
}

static void test_crate(void** state)
{
  (void)state;
  settle(1e-3, 2);
  settle(2e-4, LESS > 1 ? 0.5 : 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_three_logs), cmocka_unit_test(test_cradle), cmocka_unit_test(test_crate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
