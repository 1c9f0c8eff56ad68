// Chains that stay in a plane by symmetry, event-driven: joints across the plane carry nothing but round-off of what
// the others carry, at their limits or free, and must not ask for steps that follow it.
#include "machine/play.h"

static const char* const axis[] = {"0 1 0", "1 0 0"};
static const char* const range[] = {"", " limited='true' range='0 .5'", " limited='true' range='-.5 .5'"};

// Links of a chain along x: joint i turns in the plane or across it, member's digits say which and what limits it has.
// A joint that rests at its limit by friction is held twice.
static play start_chain(int links, int member)
{
  char text[4000];
  bool rough = member % 3 == 0;
  int at = snprintf(text, sizeof text, "<mujoco><compiler angle='radian'/><option timestep='.01'/><worldbody>");
  for (int i = 0; i < links; i++, member /= 6)
    at += snprintf(text + at, sizeof text - (size_t)at,
                   "<body pos='%g 0 0'><joint axis='%s'%s%s/>"
                   "<geom type='capsule' fromto='.03 0 0 .17 0 0' size='.02' mass='.5'/>",
                   i ? 0.2 : 0, axis[i || rough ? member % 2 : 0], range[member/2 % 3],
                   i && !rough ? "" : " frictionloss='.05'");
  for (int i = 0; i < links; i++) at += snprintf(text + at, sizeof text - (size_t)at, "</body>");
  snprintf(text + at, sizeof text - (size_t)at, "</worldbody></mujoco>");
  return start_text(text);
}

static void test_chains(void** state)
{
  (void)state;
  for (int member = 0; member < 6*6*6*6; member += LESS*7) {  // 7 has no factor of 6: all digits come
    play p = start_chain(4, member);
    p.def.integrator = SS_EVENT_DRIVEN;
    while (p.s->t < 0.3) {
      ss_status st = ss_step(p.system, &p.def, p.s, p.w);
      if (st < 0) fail_msg("chain %d, t = %g: %s", member, p.s->t, ss_work_message(p.w));
    }
    for (int i = 0, of = member; i < 4; i++, of /= 6)
      if ((i || member % 3 == 0) && of % 2) near(p.s->q[i], 0, 1e-9);
    stop(&p);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_chains)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
