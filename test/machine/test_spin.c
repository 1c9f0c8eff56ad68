// A body that spins fast, by the time-stepping rules: its energy stays.
#include "machine/play.h"

#define BOX "<mujoco><option gravity='0 0 0' timestep='0.001'/><worldbody>%s<body pos='0 0 0'><freejoint name='box'/>" \
            "<geom name='box' type='box' size='.3 .2 .1' friction='0' restitution='1'/></body></worldbody></mujoco>"

static double energy(const play* p)
{
  const ss_body_def* body = p->scene->tree.body;
  const double* u = p->s->u;
  double sum = 0;
  for (int i = 0; i < 3; i++) sum += body->mass*u[i]*u[i] + body->inertia[i]*u[3 + i]*u[3 + i];
  return sum/2;
}

// From 1 to 1e6 rad/s about no principal axis: for a second
static void test_flight(void** state)
{
  (void)state;
  char text[500];
  snprintf(text, sizeof text, BOX, "");
  const ss_integrator scheme[] = {SS_MOREAU, SS_EULER, SS_JEAN};
  for (size_t k = 0; k < sizeof scheme/sizeof *scheme; k++)
    for (double spin = 1; spin < 2e6; spin *= 10) {
      play p = start_text(text);
      p.def.integrator = scheme[k];
      p.s->u[0] = 2;
      p.s->u[3] = spin;
      p.s->u[4] = -0.3*spin;
      p.s->u[5] = 0.7*spin;
      double before = energy(&p);
      for (int i = 0; i < 1000; i++) step(&p, NULL);
      double after = energy(&p);
      if (!(fabs(after/before - 1) < 1e-10)) fail_msg("%g rad/s: the energy grows by %g", spin, after/before - 1);
      near(p.s->u[0], 2, 1e-12);
      stop(&p);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_flight)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
