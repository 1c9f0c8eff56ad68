// Random scenes of planar bodies that fit together exactly: faces of one width, nested, half beside each other,
// leaning, corners on corners, tenons in mortises, walls in bond, sliders over joints; of any size, turned, mirrored,
// far away; pressed, dropped, thrown. None passes through another, none ends in an error, none overlaps by more than
// the rule of docs/polygons.md, a thousandth of the smaller one, by separating axes. 2000 scenes (200 under the
// sanitizers), or as many as the first argument says, 10^5 in `make study`; the second one is the seed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include "stones.h"
#include <stickslip/stickslip.h>
#include "less.h"
#include <cmocka.h>

#define DEPTH 1e-3  // of the smaller body

static long scenes = 2000/LESS;
static uint64_t first_seed = 20061117;

typedef struct tally {
  long runs, steps, in_parts, inaccurate;
  double deepest;  // of the smaller body
} tally;

// The pose of stone i: free ones have three coordinates each, in their order
static const double* pose_of(const scene* s, const double* q, int i)
{
  int k = 0;
  for (int j = 0; j < i; j++) k += !s->stone[j].fixed;
  return s->stone[i].fixed ? s->stone[i].pose : q + 3*k;
}

// The deepest overlap of all pairs, of the size of the smaller one
static double overlap(const scene* s, const double* q)
{
  double most = 0;
  for (int i = 0; i < s->n; i++) {
    const stone* a = &s->stone[i];
    if (s->floor) most = fmax(most, floor_overlap(s, a, pose_of(s, q, i))/a->size);
    for (int j = 0; j < i; j++) {
      const stone* b = &s->stone[j];
      if (a->fixed && b->fixed) continue;
      most = fmax(most, stones_overlap(a, pose_of(s, q, i), b, pose_of(s, q, j))/fmin(a->size, b->size));
    }
  }
  return most;
}

// The speed of the last stone the way that it went at the start, m/s
static double end_speed(const scene* s, const ss_state* state)
{
  const double *u = state->u + (pose_of(s, state->q, s->n - 1) - state->q), *v = s->stone[s->n - 1].velocity;
  return (u[0]*v[0] + u[1]*v[1])/hypot(v[0], v[1]);
}

// A slider of half a unit and more, whose ends overlap by up to 2 g dt^2, is tilted: it gains this by its weight, m/s
static double tilt_speed(const scene* s)
{
  double g = hypot(s->gravity[0], s->gravity[1]), tilt = 2*g*s->dt*s->dt/(0.5*s->L);
  return tilt*g*s->dt*s->steps;
}

enum { WORDS = 400 };

// One step; false: it is wrong, and what says why
static bool step_once(const scene* s, const ss_system* system, const ss_step_def* step, ss_state* state, ss_work* work,
                      tally* t, char* what)
{
  ss_status st = ss_step(system, step, state, work);
  if (st < 0) {
    snprintf(what, WORDS, "t = %g: %.300s", state->t, ss_work_message(work));
    return false;
  }
  double deep = overlap(s, state->q);
  t->steps++;
  t->inaccurate += st > 0;
  t->in_parts += ss_work_info(work)->parts > 1;
  t->deepest = fmax(t->deepest, deep);
  if (!(deep <= DEPTH)) snprintf(what, WORDS, "t = %g: overlap by %g of the smaller body", state->t, deep);
  return deep <= DEPTH;
}

static bool run_steps(const scene* s, const ss_system* system, const ss_step_def* step, ss_state* state, ss_work* work,
                      tally* t, char* what)
{
  while (state->t < s->dt*(s->steps - 0.5))
    if (!step_once(s, system, step, state, work, t, what)) return false;
  double speed = s->slides > 0 ? end_speed(s, state) : 0;
  bool right = fabs(speed - s->slides) <= 1e-6*s->slides + tilt_speed(s);
  if (!right) snprintf(what, WORDS, "slid at %g m/s, now slower by %g of it", s->slides, 1 - speed/s->slides);
  return right;
}

static char model_text[40000];

static bool run_scene(const scene* s, ss_integrator integrator, tally* t, char* what)
{
  ss_error error = {0};
  ss_model* model = ss_model_parse(model_text, write_scene(s, model_text, sizeof model_text), "stones", NULL, &error);
  if (!model) {
    snprintf(what, WORDS, "%.300s", error.text);
    return false;
  }
  const ss_system* system = ss_model_system(model);
  ss_step_def step = ss_model_run(model)->step;
  step.integrator = integrator;
  step.dt = s->dt;
  step.event.end = s->dt*s->steps;
  ss_state* state = ss_state_create(system);
  ss_work* work = ss_work_create(system, &error);
  if (!state || !work) fail_msg("out of memory");
  ss_model_initial(model, state);
  t->runs++;
  bool right = run_steps(s, system, &step, state, work, t, what);
  ss_work_destroy(work);
  ss_state_destroy(state);
  ss_model_destroy(model);
  return right;
}

// Each scene has a seed of its own, so that it can be run again alone
static uint64_t seed_of(long k) { return first_seed + (uint64_t)k*2654435761u + 1; }

static void test_scenes(void** state)
{
  (void)state;
  static const ss_integrator time_stepping[] = {SS_MOREAU, SS_JEAN, SS_EULER};
  tally t[SS_INTEGRATOR_COUNT] = {{0}};
  long wrong = 0;
  for (long k = 0; k < scenes; k++) {
    uint64_t draw = seed_of(k);
    for (int i = 0; i < 20; i++) chance(&draw);
    ss_integrator integrator = time_stepping[any(&draw, 3)];
    scene s = random_scene(&draw);
    char what[WORDS];
    if (run_scene(&s, integrator, &t[integrator], what)) continue;
    if (wrong++ < 5) printf("%s", model_text);
    print_message("scene %ld, %s, %s: %s\n", k, s.kind, ss_integrator_name(integrator), what);
  }
  for (int i = 0; i < 3; i++) {
    const tally* x = &t[time_stepping[i]];
    print_message("%-6s seed %llu: %ld scenes, %ld steps, %ld in parts, %ld inaccurate; deepest %.2g of a body\n",
                  ss_integrator_name(time_stepping[i]), (unsigned long long)first_seed, x->runs, x->steps, x->in_parts,
                  x->inaccurate, x->deepest);
  }
  if (wrong) fail_msg("%ld of %ld scenes are wrong", wrong, scenes);
}

int main(int argc, char** argv)
{
  if (argc > 1) scenes = atol(argv[1]);
  if (argc > 2) first_seed = strtoull(argv[2], NULL, 10);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_scenes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
