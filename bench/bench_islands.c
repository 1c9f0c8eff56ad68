// Stacks, piles and robots: processor time per step, the residual that was reached, and what threads make of it.
// Piles lie as their model says and are given a few steps first; then every row starts from the same state.
#include "machine_run.h"
#include <string.h>

enum { TURNS = 40, LEAD = 20, PILE_STEPS = 20 };

static const struct {
  const char* name;
  long steps;
  double target;  // microseconds
} scenes[] = {
  {"stack10", 500, 30}, {"stack30", 500, 94},  {"wall", 100, 0},      {"card-house", 300, 0},
  {"jenga", 10, 0},     {"humanoid", 500, 42}, {"quadruped", 300, 0}, {"gripper-hold", 500, 4.7},
};
enum { SCENES = sizeof scenes/sizeof *scenes };

static void bench_scenes(void)
{
  player p[SCENES];
  outcome out[SCENES] = {{0}};
  for (int i = 0; i < SCENES; i++) p[i] = open_model(scenes[i].name);
  for (int turn = 0; turn < TURNS; turn++)
    for (int i = 0; i < SCENES; i++) run_player(p + i, scenes[i].steps, out + i);
  printf("%-14s %6s %8s %10s %8s %10s %10s %7s\n", "scene", "nv", "steps", "us/step", "target", "contacts", "residual",
         "missed");
  for (int i = 0; i < SCENES; i++) {
    printf("%-14s %6d %8ld %10.2f %8g %10.1f %10.1e %7ld\n", scenes[i].name, p[i].s->nv, scenes[i].steps,
           1e6*out[i].best, scenes[i].target, out[i].contacts, ss_work_info(p[i].w)->residual, out[i].failed);
    close_player(p + i);
  }
}

// ---- piles ---------------------------------------------------------------------------------------------------------

static const struct {
  double tol, compliance;
  int threads;
} laws[] = {{1e-3, 0, 1}, {1e-3, 0, 2}, {1e-4, 0, 1}, {1e-6, 1e-2, 1}, {1e-6, 1e-2, 2}, {1e-6, 1e-3, 1}};

static double elapsed(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9*(double)t.tv_nsec;
}

typedef struct pile_result {
  double median, least, residual;  // s, s
  long missed, iterations;
  int contacts;
} pile_result;

static int by_size(const void* a, const void* b)
{
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// From `start` on, in a workspace of its own; the end goes into p->s
static pile_result run_pile(player* p, const ss_state* start, const ss_step_def* def)
{
  pile_result r = {0};
  double time[PILE_STEPS];
  ss_error error = {0};
  ss_work* w = ss_work_create(p->system, &error);
  if (!w || ss_state_copy(p->s, start) < 0) give_up("pile", &error);
  for (int i = 0; i < PILE_STEPS; i++) {
    double (*clock_of)(void) = def->threads > 1 ? elapsed : seconds;
    double before = clock_of();
    ss_status st = ss_step(p->system, def, p->s, w);
    time[i] = clock_of() - before;
    if (st < 0) exit(1);
    r.missed += st > 0;
    r.iterations += ss_work_info(w)->iterations;
    r.contacts = ss_work_info(w)->n_active;
    r.residual = fmax(r.residual, ss_work_info(w)->residual);
  }
  qsort(time, PILE_STEPS, sizeof *time, by_size);
  r.median = time[PILE_STEPS/2];
  r.least = time[0];
  ss_work_destroy(w);
  return r;
}

static void bench_pile(const char* name)
{
  player p = open_model(name);
  ss_state *start = ss_state_create(p.system), *one = ss_state_create(p.system);
  ss_scene_initial(p.scene, p.scene->run.key, p.s->q, p.s->u);
  printf("\n%s: time per step (of the processor; elapsed with several threads), from the same state\n", name);
  printf("%8s %10s %8s %10s %10s %9s %9s %8s  %s\n", "tol", "compliance", "threads", "median ms", "least ms",
         "contacts", "residual", "missed", "iterations");
  for (size_t i = 0; i < sizeof laws/sizeof *laws; i++) {
    ss_step_def def = p.def;
    def.friction.tol = laws[i].tol;
    def.friction.compliance = laws[i].compliance;
    def.threads = laws[i].threads;
    if (i == 0)
      for (int k = 0; k < LEAD; k++) ss_step(p.system, &def, p.s, p.w);
    if (i == 0) ss_state_copy(start, p.s);
    pile_result r = run_pile(&p, start, &def);
    bool same = def.threads > 1 && memcmp(p.s->q, one->q, sizeof(double)*(size_t)one->nq) == 0;
    printf("%8.0e %10g %8d %10.2f %10.2f %9d %9.1e %8ld  %ld%s\n", laws[i].tol, laws[i].compliance, def.threads,
           1e3*r.median, 1e3*r.least, r.contacts, r.residual, r.missed, r.iterations/PILE_STEPS,
           def.threads < 2 ? "" : same ? ", the same bits" : ", OTHER BITS");
    if (def.threads == 1) ss_state_copy(one, p.s);
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
