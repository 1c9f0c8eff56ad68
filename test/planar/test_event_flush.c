// Planar bodies with flush faces by the event-driven integrator. Boxes slide over the joints of fixed bricks in a row,
// in any direction of the world, where several corners come to a joint at once: the speed is v - mu g t as on one
// floor. Walls in bond stand, by many redundant contacts; those whose bricks are struck go on. Series of impacts in
// series come to their end.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <stickslip/stickslip.h>

#include "less.h"

enum { ROOM = 8000, BRICKS = 20 };

typedef struct text {
  char text[ROOM];
  size_t n;
  double angle;  // of the world, rad
} text;

#define put(w, ...) ((w)->n += (size_t)snprintf((w)->text + (w)->n, ROOM - (w)->n, __VA_ARGS__))

// A vector of the upright world, turned
static void put_vector(text* w, double x, double y)
{
  double c = cos(w->angle), s = sin(w->angle);
  put(w, "%.17g, %.17g", c * x - s * y, s * x + c * y);
}

static void put_box(text* w, const char* name, int k, double length, double height)
{
  put(w, "  %s%d: {polygon: [[%.17g, %.17g], [%.17g, %.17g], [%.17g, %.17g], [%.17g, %.17g]], ", name, k, -length / 2,
      -height / 2, length / 2, -height / 2, length / 2, height / 2, -length / 2, height / 2);
}

static void put_place(text* w, const char* how, double x, double y, int quarter)
{
  put(w, "%s: [", how);
  put_vector(w, x, y);
  put(w, ", %.17g], ", w->angle + quarter * acos(-1) / 2);
}

static void put_start(text* w, double angle)
{
  w->n = 0;
  w->angle = angle;
  put(w, "name: flush\ngravity: [");
  put_vector(w, 0, -9.81);
  put(w, "]\nbodies:\n");
}

static void put_moving(text* w, double speed, double mu)
{
  put(w, "velocity: [");
  put_vector(w, speed, 0);
  put(w, ", 0], mass: 1, mu: %.17g, eps_n: 0}\n", mu);
}

typedef struct simulation {
  ss_model* model;
  ss_state* state;
  ss_work* work;
  double gained;  // energy, J
} simulation;

static simulation start(const text* w)
{
  ss_error error = {0};
  simulation s = {.model = ss_model_parse(w->text, w->n, "flush", NULL, &error)};
  if (!s.model) fail_msg("%s", error.text);
  s.state = ss_state_create(ss_model_system(s.model));
  s.work = ss_work_create(ss_model_system(s.model), &error);
  if (!s.state || !s.work) fail_msg("out of memory");
  ss_model_initial(s.model, s.state);
  return s;
}

static void end(simulation* s)
{
  ss_work_destroy(s->work);
  ss_state_destroy(s->state);
  ss_model_destroy(s->model);
}

static ss_status run(simulation* s, double until)
{
  ss_step_def step = ss_model_run(s->model)->step;
  step.integrator = SS_EVENT_DRIVEN;
  step.dt = 0.01;
  step.event.end = until;
  step.account = true;
  ss_status st = SS_OK;
  s->gained = 0;
  while (st >= 0 && s->state->t < until) {
    st = ss_step(ss_model_system(s->model), &step, s->state, s->work);
    const ss_step_info* info = ss_work_info(s->work);
    s->gained += info->after.kinetic + info->after.potential - info->before.kinetic - info->before.potential;
  }
  return st;
}

// ---- sliders -------------------------------------------------------------------------------------------------------

// A box as long as `bricks` bricks of length L, begun at `offset` of one, over a row of them
static void check_slider(double L, double bricks, double offset, double mu, double angle)
{
  text w;
  double g = 9.81, speed = 1.2, until = 0.4;
  put_start(&w, angle);
  for (int k = 0; k < 6; k++) {
    put_box(&w, "t", k, L, L);
    put_place(&w, "at", k * L, -L / 2, k % 4);
    put(&w, "mu: %.17g, eps_n: 0}\n", mu);
  }
  put_box(&w, "box", 0, bricks * L, L / 4);
  put_place(&w, "free", offset * L, L / 8, 0);
  put_moving(&w, speed, mu);
  simulation s = start(&w);
  ss_status st = run(&s, until);
  if (st < 0) fail_msg("%s", ss_work_message(s.work));
  const double *q = s.state->q, *u = s.state->u;
  double c = cos(angle), d = sin(angle);
  double x = offset * L + speed * until - mu * g * until * until / 2;
  assert_true(fabs(c * u[0] + d * u[1] - (speed - mu * g * until)) <= 1e-9);
  assert_true(fabs(c * q[0] + d * q[1] - x) <= 1e-9);
  assert_true(fabs(c * q[1] - d * q[0] - L / 8) <= 1e-10);
  assert_true(fabs(q[2] - angle) <= 1e-9);
  end(&s);
}

static void test_sliders_pass_flush_joints(void** state)
{
  (void)state;
  static const double bricks[] = {1, 1.5, 0.75}, angle[] = {0, 1.5707963267948966, 0.3, -2};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 4; k++) check_slider(1 / 3.0, bricks[i], 0.3 + 0.1 * i, 0.1, angle[k]);
}

// Its leading or its trailing corner is at a joint when it starts, where it meets two corners
static void test_sliders_start_at_joints(void** state)
{
  (void)state;
  static const double bricks[] = {1, 1.5, 0.5}, angle[] = {0, 1.5707963267948966, 0.3, -2, 3.14159265358979323};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 5; k++)
      for (int side = -1; side <= 1; side += 2) check_slider(0.2, bricks[i], 1.5 + side * bricks[i] / 2, 0.1, angle[k]);
}

// ---- walls ---------------------------------------------------------------------------------------------------------

static void put_wall(text* w, int courses, int struck, double speed, double mu)
{
  int k = 0;
  put(w, "  floor: {halfplane: [0, 0, ");
  put_vector(w, 0, 1);
  put(w, "], mu: %.17g, eps_n: 0}\n", mu);
  for (int row = 0; row < courses; row++)
    for (int i = 0; i < (row < 2 ? 3 : 2 - row / 6); i++, k++) {
      put_box(w, "b", k, 1, 0.5);
      put_place(w, "free", i + (row % 2 ? 0.5 : 0), 0.25 + 0.5 * row, 2 * ((i + row) % 2));
      put_moving(w, k == struck ? speed : 0, mu);
    }
}

// A brick moves, or none: the wall goes on, without overlap, and loses energy
static void check_wall(int courses, int struck, double speed, double mu, double angle)
{
  text w;
  put_start(&w, angle);
  put_wall(&w, courses, struck, speed, mu);
  simulation s = start(&w);
  int n = ss_system_get(ss_model_system(s.model))->nq;
  double first[3 * BRICKS];
  assert_true(n <= 3 * BRICKS);
  memcpy(first, s.state->q, sizeof(double) * (size_t)n);
  ss_status st = run(&s, 0.02);
  if (st < 0) fail_msg("%d courses, mu = %g, turned by %g: %s", courses, mu, angle, ss_work_message(s.work));
  assert_true(ss_work_info(s.work)->penetration <= 1e-9);
  assert_true(s.gained <= 1e-10);
  for (int i = 0; i < n && speed == 0; i++) assert_true(fabs(s.state->q[i] - first[i]) <= 1e-12);
  end(&s);
}

static void test_walls_stand(void** state)
{
  (void)state;
  static const double mu[] = {0.5, 0, 0.3, 1}, angle[] = {0, 1.5707963267948966, 0.3, -2};
  for (int k = 0; k < 4; k += LESS)
    for (int i = 0; i < 4; i++) check_wall(2 + (i + k) % 4, 0, 0, mu[i], angle[k]);
  check_wall(8, 0, 0, 0.5, 0);  // 14 bricks
}

// Bricks that are held along one line by a corner and by a face tilt; courses slide on each other that have just come
// to rest, at the very limit of friction
static void test_struck_walls_go_on(void** state)
{
  (void)state;
  static const double mu[] = {0.5, 0.3, 0.2}, angle[] = {0, -1.5707963267948966, 0.3, -2};
  for (int i = 0; i < 5; i += LESS) check_wall(i % 4 ? 2 : 3, i % 5, i % 2 ? 0.5 : 0.1, mu[i % 3], angle[i % 4]);
}

// ---- past the end of an edge ---------------------------------------------------------------------------------------

static double between(unsigned* seed, double low, double high)
{
  *seed = *seed * 1664525u + 1013904223u;
  return low + (high - low) * (*seed >> 8) / 16777216.0;
}

// A box falls past the end of a plate, and lands below it: its corners lie behind edges of the plate then, within their
// length, and touch none. Nothing is moved for that.
static void check_fall(unsigned seed)
{
  text w = {.n = 0};
  put(&w, "name: past\ngravity: 9.81\nbodies:\n  floor: {halfplane: [0, -0.4, 0, 1], mu: 0.3}\n"
          "  plate: {polygon: [[-0.5, -0.02], [0.5, -0.02], [0.5, 0], [-0.5, 0]], mu: 0.3}\n");
  put_box(&w, "box", 0, 0.1, 0.1);
  put(&w, "free: [%.17g, %.17g, %.17g], ", 0.5 + between(&seed, 0.06, 0.2), between(&seed, 0.05, 0.3),
      between(&seed, 0, 1));
  put(&w, "velocity: [%.17g, 0, %.17g], mass: 1, mu: 0.3, eps_n: 0.3}\n", -between(&seed, 0.5, 3),
      between(&seed, -5, 5));
  simulation s = start(&w);
  ss_step_def step = ss_model_run(s.model)->step;
  step.integrator = SS_EVENT_DRIVEN;
  step.dt = 0.01;
  while (s.state->t < 0.6) {
    ss_status st = ss_step(ss_model_system(s.model), &step, s.state, s.work);
    if (st < 0) fail_msg("seed %u: %s", seed, ss_work_message(s.work));
    if (!(fabs(ss_work_info(s.work)->work_projection) <= 1e-10)) fail_msg("seed %u: moved at t = %g", seed, s.state->t);
  }
  end(&s);
}

// Squares that meet face on face, corner on corner, whatever round-off makes of their edges: they go on as one
static void check_twins(unsigned seed)
{
  static const double gaps[] = {0, 1e-16, 1e-9, 0.01};
  double gap = gaps[seed % 4], size = between(&seed, 0.05, 2), angle = between(&seed, -3.2, 3.2),
         v = between(&seed, 0.1, 5);
  double c = cos(angle), d = sin(angle), half = size / 2;
  text w = {.n = 0};
  put(&w, "name: twins\nbodies:\n");
  for (int k = 0; k < 2; k++) {  // turned by their points, or by their angle
    double turned = seed % 3 ? 0 : angle, e = cos(angle - turned), f = sin(angle - turned), x = k * (size + gap * size);
    put(&w, "  b%d: {polygon: [", k);
    for (int i = 0; i < 4; i++) {
      double px = i == 0 || i == 3 ? -half : half, py = i < 2 ? -half : half;
      put(&w, "%s[%.17g, %.17g]", i ? ", " : "", e * px - f * py, f * px + e * py);
    }
    put(&w, "], free: [%.17g, %.17g, %.17g], velocity: [%.17g, %.17g, 0], mass: 1, mu: 0.5}\n", c * x, d * x, turned,
        k ? 0 : c * v, k ? 0 : d * v);
  }
  simulation s = start(&w);
  ss_status st = run(&s, 0.02 + gap * size / v);
  if (st < 0) fail_msg("seed %u: %s", seed, ss_work_message(s.work));
  const double* u = s.state->u;
  for (int k = 0; k < 2; k++) {
    double along = c * u[3 * k] + d * u[3 * k + 1], across = c * u[3 * k + 1] - d * u[3 * k];
    if (!(fabs(along - v / 2) + fabs(across) + size * fabs(u[3 * k + 2]) <= 1e-9 * v)) fail_msg("seed %u", seed);
  }
  end(&s);
}

static void test_flush_faces_meet(void** state)
{
  (void)state;
  for (unsigned k = 0; k < 400; k += LESS) check_twins(k);
}

static void test_points_behind_edges_touch_nothing(void** state)
{
  (void)state;
  for (unsigned k = 0; k < 200; k += LESS) check_fall(k);
}

// ---- series of impacts within series -------------------------------------------------------------------------------

// A box, a hexagon that tips on one corner, and a box on that. Each landing of the lower box makes it slip, and lifts
// the upper one; the landing of that, a series by itself, lifts the lower one again, a ninth as fast each time:
// infinitely many series in finite time.
static simulation start_tower(double angle)
{
  text w;
  double a = 0.05, h = a * sqrt(0.75);
  put_start(&w, angle);
  put(&w, "  floor: {halfplane: [0, 0, ");
  put_vector(&w, 0, 1);
  put(&w, "], mu: 0.5, eps_n: 0}\n");
  put_box(&w, "b", 0, 2 * a, 2 * a);
  put(&w, "free: [");
  put_vector(&w, 0, 0.060143276517492224);
  put(&w, ", %.17g], mass: 1, mu: 0.5, eps_n: 0}\n", angle + 0.23164040146813325);
  put(&w, "  b1: {polygon: [[%g, 0], [%g, %.17g], [%g, %.17g], [%g, 0], [%g, %.17g], [%g, %.17g]], free: [", a, a / 2,
      h, -a / 2, h, -a, -a / 2, -h, a / 2, -h);
  put_vector(&w, 0, 0.19028655303498442);
  put(&w, ", %.17g], mass: 1, mu: 0.5, eps_n: 0}\n", angle);
  put_box(&w, "b", 2, 2 * a, 2 * a);
  put(&w, "free: [");
  put_vector(&w, 0, 0.29603107357059516);
  put(&w, ", %.17g], mass: 1, mu: 0.5, eps_n: 0}\n", angle - 0.015003524362773216);
  return start(&w);
}

// Times at which the lower box lands and slips fast enough to be told from round-off, the last three of them; that of
// the last event of the series
typedef struct landings {
  double t[3], last;
  int n, later;  // ..., events between the series and the landing of the hexagon
} landings;

static void note_events(landings* l, const ss_step_info* info)
{
  for (int i = 0; i < info->n_events; i++) {
    const ss_event* e = info->event + i;
    bool slips = e->state == SS_SLIP_POS || e->state == SS_SLIP_NEG;
    if (e->t < 0.275) continue;
    if (e->t < 0.279) l->last = e->t;
    else l->later++;
    if (e->state_before != SS_OPEN || !slips || e->gamma_before[0] > -1e-6) continue;
    l->t[0] = l->t[1];
    l->t[1] = l->t[2];
    l->t[2] = e->t;
    l->n++;
  }
}

// The series ends where its intervals, which shrink by a steady factor, say (up to bounces of round-off, 1e-8 s each);
// from there on the lower box rests and the upper one tips with the hexagon. Slips of the last impacts went on after
// the end of each series, lifted a foot by round-off, and that hit again: more than 1000 times, which ended the run.
static void check_tower(double angle)
{
  simulation s = start_tower(angle);
  ss_step_def step = ss_model_run(s.model)->step;
  landings l = {.n = 0};
  step.integrator = SS_EVENT_DRIVEN;
  step.dt = 0.01;
  while (s.state->t < 0.335) {
    ss_status st = ss_step(ss_model_system(s.model), &step, s.state, s.work);
    if (st < 0) fail_msg("tower at %g rad: %s", angle, ss_work_message(s.work));
    note_events(&l, ss_work_info(s.work));
  }
  double before = l.t[1] - l.t[0], after = l.t[2] - l.t[1], limit = l.t[2] + after * after / (before - after);
  const double* u = s.state->u;
  assert_true(l.n >= 3);
  assert_int_equal(l.later, 0);
  if (!(fabs(l.last - limit) <= 1e-7)) fail_msg("tower at %g rad: ends at %.12g s, not %.12g s", angle, l.last, limit);
  assert_true(fabs(u[0]) + fabs(u[1]) + fabs(u[2]) <= 1e-12);
  assert_true(fabs(u[5]) > 0.1 && fabs(u[8] - u[5]) <= 1e-9);
  end(&s);
}

static void test_series_of_series_end(void** state)
{
  (void)state;
  for (int k = 0; k < 12; k += LESS) check_tower(k * acos(-1) / 6);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_sliders_pass_flush_joints),
    cmocka_unit_test(test_sliders_start_at_joints),
    cmocka_unit_test(test_walls_stand),
    cmocka_unit_test(test_struck_walls_go_on),
    cmocka_unit_test(test_flush_faces_meet),
    cmocka_unit_test(test_points_behind_edges_touch_nothing),
    cmocka_unit_test(test_series_of_series_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
