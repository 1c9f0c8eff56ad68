// Semicircular arches of eight stones with planar joints, radius 1 m: limit analysis of these stones says that they
// stand from a thickness of 0.09997 m on. No force acts along the normal of the joint at the crown, which is closed by
// what comes through the others; its gap is round-off.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include <stickslip/stickslip.h>
#include "less.h"

enum { STONES = 8 };
static const double PI = 3.14159265358979323846, LEAST = 0.09997;

typedef struct point {
  double x, y;
} point;

static point at_angle(double radius, double angle) { return (point){radius*cos(angle), radius*sin(angle)}; }

// Centre of mass of a quadrangle, by its two triangles
static point centre(const point p[4])
{
  double area = 0, x = 0, y = 0;
  for (int i = 1; i < 3; i++) {
    double a = (p[i].x - p[0].x)*(p[i + 1].y - p[0].y) - (p[i].y - p[0].y)*(p[i + 1].x - p[0].x);
    area += a;
    x += a*(p[0].x + p[i].x + p[i + 1].x)/3;
    y += a*(p[0].y + p[i].y + p[i + 1].y)/3;
  }
  return (point){x/area, y/area};
}

static size_t write_arch(char* text, size_t room, double thick)
{
  size_t n = (size_t)snprintf(text, room, "gravity: 9.81\nbodies:\n  floor: {halfplane: [0, 0, 0, 1], mu: 1}\n");
  for (int i = 0; i < STONES; i++) {
    double from = i*PI/STONES, to = (i + 1)*PI/STONES;
    const point p[4] = {at_angle(1 - thick/2, from), at_angle(1 + thick/2, from), at_angle(1 + thick/2, to),
                        at_angle(1 - thick/2, to)};
    point c = centre(p);
    n += (size_t)snprintf(text + n, room - n, "  v%d: {polygon: [", i);
    for (int k = 0; k < 4; k++)
      n += (size_t)snprintf(text + n, room - n, "%s[%.17g, %.17g]", k ? ", " : "", p[k].x - c.x, p[k].y - c.y);
    n += (size_t)snprintf(text + n, room - n, "], free: [%.17g, %.17g, 0], density: 2000, mu: 1}\n", c.x, c.y);
  }
  return n + (size_t)snprintf(text + n, room - n, "run: {dt: 1e-3}\n");
}

// How far the stones beside the crown have come down after some steps, m
static double sink(double thick, ss_integrator integrator, long steps)
{
  char text[4000];
  ss_error error = {0};
  ss_model* model = ss_model_parse(text, write_arch(text, sizeof text, thick), "arch", NULL, &error);
  if (!model) fail_msg("line %d: %s", error.line, error.text);
  const ss_system* system = ss_model_system(model);
  ss_step_def step = ss_model_run(model)->step;
  step.integrator = integrator;
  step.dt = 1e-3;
  ss_state* state = ss_state_create(system);
  ss_work* work = ss_work_create(system, &error);
  if (!state || !work) fail_msg("out of memory");
  ss_model_initial(model, state);
  int crown = 3*(STONES/2) + 1;
  double start = state->q[crown];
  while (state->step < steps) {
    ss_status st = ss_step(system, &step, state, work);
    if (st < 0) fail_msg("%s, thickness %g: %s", ss_integrator_name(integrator), thick, ss_work_message(work));
  }
  double down = start - state->q[crown];
  ss_work_destroy(work);
  ss_state_destroy(state);
  ss_model_destroy(model);
  return down;
}

static const ss_integrator integrators[] = {SS_MOREAU, SS_EULER, SS_JEAN};

static void test_stands(void** state)
{
  (void)state;
  const double parts[] = {1.01, 1.05, 1.1, 1.3, 2};
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 5; k++) {
      double down = sink(parts[k]*LEAST, integrators[i], 500/LESS);
      if (!(fabs(down) < 1e-9))
        fail_msg("%s: at %g of the least thickness the crown sinks by %g m", ss_integrator_name(integrators[i]),
                 parts[k], down);
    }
  }
}

// Falls to the ground, and comes to rest there without an error: stones on stones and corners on corners
static void test_falls(void** state)
{
  (void)state;
  const double parts[] = {0.9, 0.95};
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 2; k++) {
      double down = sink(parts[k]*LEAST, integrators[i], 2000/LESS);
      if (!(down > (LESS > 1 ? 1e-4 : 0.8)))
        fail_msg("%s: at %g of the least thickness the crown sinks by %g m only", ss_integrator_name(integrators[i]),
                 parts[k], down);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_stands), cmocka_unit_test(test_falls)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
