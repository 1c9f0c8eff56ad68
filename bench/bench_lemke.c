// Time of ss_lcp_lemke() on random problems: symmetric positive definite ones and planar frictional contact, made by
// test/solve/families.h. Each line is a pool of 64 problems solved in turn, so that no branch is learnt by heart;
// the median and the best of the turns are printed.
#include "../test/solve/families.h"
#include <stdio.h>
#include <stdlib.h>
#include <stickslip/lcp.h>
#include <time.h>

enum { POOL = 64, TURNS = 61 };

typedef struct family {
  const char* name;
  int n, nv;  // unknowns; degrees of freedom of a friction problem, 0 for an SPD one
} family;

static const family families[] = {
  {"SPD", 3, 0},       {"SPD", 6, 0},       {"SPD", 24, 0},       {"SPD", 96, 0},
  {"friction", 3, 3},  {"friction", 6, 6},  {"friction", 12, 12}, {"friction", 24, 24},
  {"friction", 96, 96}, {"friction, G singular", 6, 2}, {"friction, G singular", 24, 8},
  {"friction, G singular", 96, 32},
};

static double A[POOL][FAMILY_MAX*FAMILY_MAX], b[POOL][FAMILY_MAX], x[FAMILY_MAX], y[FAMILY_MAX];

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e6*(double)t.tv_sec + 1e-3*(double)t.tv_nsec;
}

static int ascending(const void* p, const void* q)
{
  double u = *(const double*)p, v = *(const double*)q;
  return (u > v) - (u < v);
}

// One pass over the pool: microseconds per solve
static double pass(const family* f, ss_arena* arena, double* pivots, double* residual, int* failed)
{
  ss_lcp_def def = ss_lcp_def_default();
  ss_lcp_solution s = {.x = x, .y = y};
  *pivots = *residual = *failed = 0;
  double start = now();
  for (int p = 0; p < POOL; p++) {
    ss_lcp lcp = {f->n, A[p], b[p]};
    ss_status status = ss_lcp_lemke(&lcp, &def, arena, &s);
    *pivots += (double)s.iterations/POOL;
    *failed += status != SS_OK;
    if (s.residual > *residual) *residual = s.residual;
  }
  return (now() - start)/POOL;
}

int main(void)
{
  ss_arena* arena = ss_arena_create(ss_lcp_lemke_size(FAMILY_MAX));
  uint64_t seed = 1;
  printf("%-22s %4s %8s %10s %10s %12s %7s\n", "family", "n", "pivots", "median us", "best us", "residual", "failed");
  for (size_t k = 0; k < sizeof families/sizeof *families; k++) {
    const family* f = &families[k];
    double time[TURNS], pivots, residual;
    int failed;
    for (int p = 0; p < POOL; p++) {
      if (f->nv) make_friction(f->n/3, f->nv, 0.8, 2, &seed, A[p], b[p]);
      else make_spd(f->n, &seed, A[p], b[p]);
    }
    for (int t = 0; t < TURNS; t++) time[t] = pass(f, arena, &pivots, &residual, &failed);
    qsort(time, TURNS, sizeof *time, ascending);
    printf("%-22s %4d %8.1f %10.2f %10.2f %12.1e %7d\n", f->name, f->n, pivots, time[TURNS/2], time[0], residual,
           failed);
  }
  ss_arena_destroy(arena);
  return 0;
}
