// Steps of an arc that are far too long are divided, whatever they lead to: the interval of output bounds the first
// one, and trees that spin by thousands of radians in it keep their energy all the same.
#include "machine/play.h"

static double energy(const play* p)
{
  ss_energy e = ss_work_info(p->w)->after;
  return e.kinetic + e.potential;
}

static void by_events(play* p, double dt, double until)
{
  p->def = ss_step_def_default();
  p->def.integrator = SS_EVENT_DRIVEN;
  p->def.dt = dt;
  p->def.account = true;
  p->def.event.end = until;
}

// Ten links that fall for two seconds in one step, which overflows at first, move as in steps of 10 ms
static void test_long_interval(void** state)
{
  (void)state;
  const double dt[] = {2, 1e3};
  play fine = start("chain10");
  by_events(&fine, 0.01, 2);
  while (fine.s->t < 2) step(&fine, NULL);
  for (int k = 0; k < 2; k++) {
    play p = start("chain10");
    by_events(&p, dt[k], 2);
    while (p.s->t < 2) step(&p, NULL);
    for (int j = 0; j < p.scene->nv; j++) near(p.s->u[j], fine.s->u[j], 1e-6);
    near(energy(&p), energy(&fine), 1e-9);
    stop(&p);
  }
  stop(&fine);
}

static uint64_t seed;

// Uniform in -1 .. 1
static double uniform(void)
{
  seed = seed * 6364136223846793005ull + 1442695040888963407ull;
  return (double)(int64_t)(seed >> 11) / (double)(1ull << 52) - 1;
}

// A body with up to three hinges in a row (Euler's angles), and those that hang on it
static size_t put_body(char* text, size_t room, int left)
{
  static const char* const axis[] = {"1 0 0", "0 1 0", "0 0 1"};
  int first = (int)(3 * fabs(uniform())) % 3, joints = 1 + (int)(3 * fabs(uniform())) % 3;
  size_t n = (size_t)snprintf(text, room, "<body pos='%g %g %g'>", uniform() / 5, uniform() / 5, uniform() / 5);
  for (int i = 0; i < joints; i++)
    n += (size_t)snprintf(text + n, room - n, "<joint axis='%s'/>", axis[(first + i) % 3]);
  n += (size_t)snprintf(text + n, room - n,
                        "<geom type='box' size='%g %g %g' pos='%g %g %g' mass='%g' contype='0' conaffinity='0'/>",
                        0.06 + uniform() / 25, 0.06 + uniform() / 25, 0.06 + uniform() / 25, uniform() / 10,
                        uniform() / 10, uniform() / 10, 1.1 + uniform());
  if (left > 1) n += put_body(text + n, room - n, left - 1);
  return n + (size_t)snprintf(text + n, room - n, "</body>");
}

static void check_tree(unsigned number)
{
  char text[4000] = "<mujoco><worldbody>";
  seed = number;
  uniform();
  size_t n = strlen(text);
  n += put_body(text + n, sizeof text - n, 1 + (int)(number % 3));
  snprintf(text + n, sizeof text - n, "</worldbody></mujoco>");
  play p = start_text(text);
  double speed = pow(10, 3 + uniform());
  for (int j = 0; j < p.scene->nv; j++) p.s->u[j] = speed * uniform();
  by_events(&p, 1, 30 / speed);
  step(&p, NULL);
  ss_energy before = ss_work_info(p.w)->before;
  double first = before.kinetic + before.potential;
  while (p.s->t < 30 / speed) step(&p, NULL);
  if (!(fabs(energy(&p) - first) <= 1e-7 * before.kinetic))
    fail_msg("tree %u at %g rad/s: %.12g J become %.12g", number, speed, first, energy(&p));
  stop(&p);
}

static void test_trees(void** state)
{
  (void)state;
  for (unsigned k = 0; k < 150; k += LESS) check_tree(k);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_long_interval),
    cmocka_unit_test(test_trees),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
