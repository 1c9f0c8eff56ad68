// Stacks, piles and robots: processor time per step, the residual that was reached, and what threads make of it.
// Piles lie as their model says and are given a few steps first; then every row starts from the same state.
#include "machine_run.h"
#include <string.h>

enum { TURNS = 40, LEAD = 20, PILE_STEPS = 20 };

// Robots from the start to where they touch the ground, and to where they lie on it
static const struct {
  const char* name;
  long steps;
  double target;  // microseconds
} scenes[] = {
  {"stack10", 500, 30},  {"stack30", 500, 94},   {"wall", 100, 0},      {"card-house", 300, 0},   {"jenga", 10, 0},
  {"humanoid", 500, 42}, {"humanoid", 3000, 42}, {"quadruped", 300, 0}, {"quadruped", 3000, 0},
  {"gripper-hold", 500, 4.7},
};
enum { SCENES = sizeof scenes/sizeof *scenes };

static void bench_scenes(void)
{
  player p[SCENES];
  outcome out[SCENES] = {{0}};
  for (int i = 0; i < SCENES; i++) p[i] = open_model(scenes[i].name);
  for (int turn = 0; turn < TURNS; turn++)
    for (int i = 0; i < SCENES; i++) run_player(p + i, scenes[i].steps, out + i);
  printf("%-14s %6s %8s %7s %10s %8s %10s %10s %7s\n", "scene", "nv", "steps", "s", "us/step", "target", "contacts",
         "residual", "missed");
  for (int i = 0; i < SCENES; i++) {
    printf("%-14s %6d %8ld %7.4g %10.2f %8g %10.1f %10.1e %7ld\n", scenes[i].name, p[i].s->nv, scenes[i].steps,
           (double)scenes[i].steps*p[i].def.dt, 1e6*out[i].best, scenes[i].target, out[i].contacts, out[i].residual,
           out[i].failed);
    close_player(p + i);
  }
}

// ---- piles ---------------------------------------------------------------------------------------------------------

static const struct {
  double tol, compliance;
} laws[] = {{1e-3, 0}, {1e-4, 0}, {1e-6, 1e-2}, {1e-6, 1e-3}};

enum { ROUNDS = 3 };  // one thread and two, in turns

static double elapsed(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9*(double)t.tv_nsec;
}

typedef struct pile_result {
  double time[ROUNDS*PILE_STEPS], residual;  // s
  long steps, missed, iterations;
  int contacts;
} pile_result;

static int by_size(const void* a, const void* b)
{
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// From `start` on, in a workspace of its own; the end goes into p->s
static void run_pile(player* p, const ss_state* start, const ss_step_def* def, pile_result* r)
{
  ss_error error = {0};
  ss_work* w = ss_work_create(p->system, &error);
  if (!w || ss_state_copy(p->s, start) < 0) give_up("pile", &error);
  for (int i = 0; i < PILE_STEPS; i++) {
    double before = elapsed();
    ss_status st = ss_step(p->system, def, p->s, w);
    r->time[r->steps++] = elapsed() - before;
    if (st < 0) exit(1);
    r->missed += st > 0;
    r->iterations += ss_work_info(w)->iterations;
    r->contacts = ss_work_info(w)->n_active;
    r->residual = fmax(r->residual, ss_work_info(w)->residual);
  }
  ss_work_destroy(w);
}

static double median(pile_result* r)
{
  qsort(r->time, (size_t)r->steps, sizeof *r->time, by_size);
  return r->time[r->steps/2];
}

static void bench_law(player* p, const ss_state* start, const ss_step_def* def, ss_state* one)
{
  pile_result r[2] = {{.steps = 0}, {.steps = 0}};
  ss_step_def how = *def;
  bool same = true;
  for (int round = 0; round < ROUNDS; round++)
    for (how.threads = 1; how.threads <= 2; how.threads++) {
      run_pile(p, start, &how, &r[how.threads - 1]);
      if (how.threads == 1) ss_state_copy(one, p->s);
      else same = same && memcmp(p->s->q, one->q, sizeof(double)*(size_t)one->nq) == 0;
    }
  double time = median(&r[0]), two = median(&r[1]);
  printf("%8.0e %10g %10.2f %10.2f %9d %9.1e %3ld of %d %8ld %10.2f %6.2f  %s\n", def->friction.tol,
         def->friction.compliance, 1e3*time, 1e3*r[0].time[0], r[0].contacts, r[0].residual, r[0].missed/ROUNDS,
         PILE_STEPS, r[0].iterations/r[0].steps, 1e3*two, time/two, same ? "the same bits" : "OTHER BITS");
}

static void bench_pile(const char* name)
{
  player p = open_model(name);
  ss_state *start = ss_state_create(p.system), *one = ss_state_create(p.system);
  ss_step_def def = p.def;
  def.friction.tol = laws[0].tol;
  ss_scene_initial(p.scene, p.scene->run.key, p.s->q, p.s->u);
  for (int k = 0; k < LEAD; k++) ss_step(p.system, &def, p.s, p.w);
  ss_state_copy(start, p.s);
  printf("\n%s: elapsed time per step, from the same state, by one thread and by two in turns\n", name);
  printf("%8s %10s %10s %10s %9s %9s %8s %8s %10s %6s\n", "tol", "compliance", "median ms", "least ms", "contacts",
         "residual", "missed", "sweeps", "two: ms", "ratio");
  for (size_t i = 0; i < sizeof laws/sizeof *laws; i++) {
    def.friction.tol = laws[i].tol;
    def.friction.compliance = laws[i].compliance;
    bench_law(&p, start, &def, one);
  }
  ss_state_destroy(start);
  ss_state_destroy(one);
  close_player(&p);
}

int main(void)
{
  bench_scenes();
  bench_pile("pile200");
  bench_pile("pile1000");
  return 0;
}
