// Scenes of boxes against closed forms: a block on a slope, a cube that slides, a stack; contacts that stay.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include <stickslip/machine.h>
#include <stickslip/simulate.h>

#define G 9.81

typedef struct play {
  ss_scene* scene;
  ss_machine* machine;
  const ss_system* system;
  ss_state* s;
  ss_work* w;
  ss_step_def def;
} play;

static play start(const char* name, int n, const ss_override* over)
{
  char path[512];
  ss_error error = {0};
  snprintf(path, sizeof path, "%s/models/%s.xml", SS_SOURCE_DIR, name);
  play p = {.scene = ss_scene_load(path, n, over, &error), .def = ss_step_def_default()};
  if (!p.scene) fail_msg("%s:%d: %s", path, error.line, error.text);
  p.machine = ss_machine_create(p.scene, &error);
  if (!p.machine) fail_msg("%s", error.text);
  p.system = ss_machine_system(p.machine);
  p.s = ss_state_create(p.system);
  p.w = ss_work_create(p.system, &error);
  ss_scene_initial(p.scene, p.scene->run.key, p.s->q, p.s->u);
  p.def.integrator = p.scene->run.scheme;
  p.def.dt = p.scene->option.timestep;
  p.def.friction = p.scene->run.solver;
  return p;
}

static void stop(play* p)
{
  ss_work_destroy(p->w);
  ss_state_destroy(p->s);
  ss_machine_destroy(p->machine);
  ss_scene_destroy(p->scene);
}

// Steps until t; the contacts must be the same n in every one
static void go(play* p, double until, int n)
{
  uint64_t key[64];
  for (bool first = true; p->s->t < until - p->def.dt/2; first = false) {
    ss_status st = ss_step(p->system, &p->def, p->s, p->w);
    if (st != SS_OK) fail_msg("t = %g: %s: %s", p->s->t, ss_status_text(st), ss_work_message(p->w));
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

// mu = 1.01 tan 20: no creep at all in 20 s
static void test_incline_holds(void** state)
{
  (void)state;
  play p = start("incline", 0, NULL);
  double q[7];
  memcpy(q, p.s->q, sizeof q);
  go(&p, 20, 4);
  for (int i = 0; i < 7; i++) assert_close(p.s->q[i], q[i], 1e-11, "position");
  stop(&p);
}

// mu = 0.99 tan 20: a = g (sin 20 - mu cos 20), constant, hence exact; it does not tilt
static void test_incline_slides(void** state)
{
  (void)state;
  const ss_override over[2] = {{"geom.slope.friction", "0.36033053"}, {"geom.block.friction", "0.36033053"}};
  play p = start("incline", 2, over);
  double angle = 20*3.14159265358979323846/180, a = G*(sin(angle) - 0.36033053*cos(angle));
  go(&p, 1, 4);
  double along = p.s->u[0]*cos(angle) - p.s->u[2]*sin(angle), across = p.s->u[0]*sin(angle) + p.s->u[2]*cos(angle);
  assert_close(along, a, 1e-10, "velocity down the slope");
  assert_close(across, 0, 1e-10, "velocity off the slope");
  for (int i = 3; i < 6; i++) assert_close(p.s->u[i], 0, 1e-10, "angular velocity");
  stop(&p);
}

// v(t) = v - mu g t to the last step, which it comes to rest in: the way is v^2/(2 mu g) to the order of the step
static void test_shoved_cube(void** state)
{
  (void)state;
  play p = start("cube-shove", 0, NULL);
  double mu = 0.3, v = 6, end = v/(mu*G);
  go(&p, 1, 4);
  assert_close(p.s->u[0], v - mu*G, 1e-10, "velocity after 1 s");
  go(&p, 2.5, 4);
  assert_close(p.s->u[0], 0, 1e-12, "velocity at the end");
  assert_close(p.s->q[0], v*end/2, mu*G*p.def.dt*p.def.dt, "way");
  assert_close(p.s->q[2], 0.5, 1e-10, "height");
  for (int i = 4; i < 7; i++) assert_close(p.s->q[i], 0, 1e-10, "turn");
  stop(&p);
}

// Ten cubes, 40 contacts in 2 s
static void test_stack(void** state)
{
  (void)state;
  play p = start("stack10", 0, NULL);
  double q[70];
  memcpy(q, p.s->q, sizeof q);
  go(&p, 2, 40);
  for (int i = 0; i < 70; i++) assert_close(p.s->q[i], q[i], 1e-6, "position");
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
