// Time of ss_mlcp_solve() by solver and size on random problems made by test/solve/mlcp_families.h: boxes, quadratic
// programs with redundant equations, polyhedral friction with redundant bilateral rows. Each line is a pool of
// different problems solved in turn; the median and the best of the turns are printed, and how many of the pool were
// solved.
#include "clock.h"
#include "../test/solve/mlcp_families.h"
#include <stdio.h>
#include <stdlib.h>

enum { POOL = 16, TURNS = 11 };

static double now(void) { return 1e6*wall_seconds(); }  // microseconds

typedef enum kind { BOX, PROGRAM, FRICTION } kind;

typedef struct family {
  const char* name;
  kind kind;
  int size;  // unknowns of a box, x of a program, contacts
} family;

static const family families[] = {
  {"box", BOX, 8},           {"box", BOX, 32},           {"box", BOX, 96},
  {"program", PROGRAM, 6},   {"program", PROGRAM, 24},   {"program", PROGRAM, 72},
  {"friction", FRICTION, 1}, {"friction", FRICTION, 4},  {"friction", FRICTION, 8}, {"friction", FRICTION, 16},
  {"friction", FRICTION, 40},
};

static mixed pool[POOL];
static double z[MIXED_MAX], w[MIXED_MAX];

static void make(const family* f, uint64_t* seed)
{
  for (int p = 0; p < POOL; p++) {
    if (f->kind == BOX) make_box(f->size, seed, &pool[p]);
    if (f->kind == PROGRAM) make_program(f->size, f->size/3, 1, seed, &pool[p]);
    if (f->kind == FRICTION) make_polyhedral(4, 1, f->size, 3*f->size + 6, 0.5, seed, &pool[p]);
  }
}

typedef struct score {
  double iterations, residual;  // mean, largest of those solved
  int solved;
} score;

// One pass over the pool: microseconds per solve
static double pass(ss_mlcp_solver solver, ss_arena* arena, score* s)
{
  ss_mlcp_def def = ss_mlcp_def_default();
  def.solver = solver;
  *s = (score){0};
  double start = now();
  for (int p = 0; p < POOL; p++) {
    ss_mlcp mlcp = as_mlcp(&pool[p]);
    ss_mlcp_solution out = {.z = z, .w = w};
    bool ok = ss_mlcp_solve(&mlcp, &def, arena, &out) == SS_OK;
    s->solved += ok;
    s->iterations += (double)out.iterations/POOL;
    if (ok && out.residual > s->residual) s->residual = out.residual;
  }
  return (now() - start)/POOL;
}

int main(void)
{
  ss_arena* arena = ss_arena_create(ss_mlcp_solve_size(MIXED_MAX));
  uint64_t seed = 1;
  printf("%-9s %4s %-13s %7s %10s %11s %11s %13s\n", "family", "n", "solver", "solved", "iterations", "median us",
         "best us", "worst resid.");
  for (size_t k = 0; k < sizeof families/sizeof *families && arena; k++) {
    make(&families[k], &seed);
    for (int s = 0; s < SS_MLCP_SOLVER_COUNT; s++) {
      double time[TURNS];
      score result;
      for (int t = 0; t < TURNS; t++) time[t] = pass((ss_mlcp_solver)s, arena, &result);
      qsort(time, TURNS, sizeof *time, ascending);
      printf("%-9s %4d %-13s %4d/%d %10.1f %11.1f %11.1f %13.1e\n", families[k].name, pool[0].n,
             ss_mlcp_solver_name((ss_mlcp_solver)s), result.solved, POOL, result.iterations, time[TURNS/2], time[0],
             result.residual);
    }
  }
  ss_arena_destroy(arena);
  return 0;
}
