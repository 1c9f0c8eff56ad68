// ss_lcp_lemke() on random problems made by test/solve/families.h: how fast, and with the argument `success` how many
// of a third of a million friction problems it solves.
#include "clock.h"
#include "../test/solve/families.h"
#include <stdio.h>
#include <stdlib.h>
#include <stickslip/lcp.h>

enum { POOL = 64, TURNS = 61 };

static double now(void) { return 1e6*wall_seconds(); }  // microseconds

static double A[POOL][FAMILY_MAX*FAMILY_MAX], b[POOL][FAMILY_MAX], x[FAMILY_MAX], y[FAMILY_MAX];

// ---- speed: a pool of different problems solved in turn, so that no branch is learnt by heart ----

typedef struct family {
  const char* name;
  int n, nv;  // unknowns; degrees of freedom of a friction problem, 0 for an SPD one
} family;

static const family families[] = {
  {"SPD", 3, 0},        {"SPD", 6, 0},       {"SPD", 24, 0},       {"SPD", 96, 0},
  {"friction", 3, 3},   {"friction", 6, 6},  {"friction", 12, 12}, {"friction", 24, 24},
  {"friction", 96, 96}, {"friction, G singular", 6, 2}, {"friction, G singular", 24, 8},
  {"friction, G singular", 96, 32},
};

// One pass over the pool: microseconds per solve
static double pass(const family* f, ss_arena* arena, double* pivots, double* residual, int* failed)
{
  ss_lcp_def def = ss_lcp_def_default();
  ss_lcp_solution s = {.x = x, .y = y};
  *pivots = *residual = *failed = 0;
  double start = now();
  for (int p = 0; p < POOL; p++) {
    ss_lcp lcp = {.n = f->n, .A = A[p], .b = b[p]};
    ss_status status = ss_lcp_lemke(&lcp, &def, arena, &s);
    *pivots += (double)s.iterations/POOL;
    *failed += status != SS_OK;
    if (s.residual > *residual) *residual = s.residual;
  }
  return (now() - start)/POOL;
}

static void measure_speed(ss_arena* arena)
{
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
}

// ---- success ----

typedef struct trial {
  int k, nv;             // contacts, degrees of freedom
  double mu, spread;     // largest friction coefficient; masses between 1/spread and spread
  double decades[3];     // spread of units by 10^-d .. 10^d: of the whole problem, of each contact, of its T row alone
  double small;          // entries of b are shrunk by up to 10^-small
  int count;
} trial;

static const trial trials[] = {
  {1, 2, 0.5, 1, {0}, 0, 40000},     {1, 2, 1.5, 10, {0}, 0, 40000},       {1, 1, 1.5, 10, {0}, 0, 20000},
  {2, 4, 1.5, 10, {0}, 0, 40000},    {2, 2, 1.5, 10, {0}, 0, 20000},       {3, 6, 1.5, 10, {0}, 0, 20000},
  {3, 3, 1.5, 100, {0}, 0, 20000},   {4, 8, 1.5, 10, {0}, 0, 20000},       {4, 4, 1.5, 1000, {0}, 0, 20000},
  {6, 6, 1, 1000, {0}, 0, 4000},     {8, 16, 1.5, 10, {0}, 0, 2000},       {8, 8, 1, 1000, {0}, 0, 2000},
  {16, 16, 1, 1000, {0}, 0, 400},    {16, 8, 0.5, 10, {0}, 0, 400},        {32, 32, 0.7, 100, {0}, 0, 200},
  {32, 16, 0.7, 100, {0}, 0, 200},   {32, 64, 1, 10000, {0}, 0, 200},      {1, 2, 0.8, 3, {6, 3, 0}, 0, 10000},
  {2, 4, 0.8, 3, {6, 3, 0}, 0, 10000}, {4, 8, 0.8, 3, {6, 3, 0}, 0, 10000}, {8, 16, 0.8, 3, {6, 3, 0}, 0, 2000},
  {32, 64, 0.8, 3, {6, 3, 0}, 0, 200}, {2, 4, 0.8, 3, {0}, 12, 10000},      {4, 8, 0.8, 3, {0}, 12, 10000},
  {32, 64, 0.8, 3, {0}, 12, 200},    {2, 4, 0.8, 3, {6, 3, 3}, 0, 10000},  {4, 8, 0.8, 3, {6, 3, 3}, 0, 10000},
  {8, 16, 0.8, 3, {6, 3, 3}, 0, 2000},
};

static void make_trial(const trial* t, uint64_t* seed)
{
  static double G[FAMILY_MAX*FAMILY_MAX];
  double g[FAMILY_MAX], mu[FAMILY_MAX], unit[FAMILY_MAX];
  int k = t->k, m = 2*k;
  make_contacts(k, t->nv, t->spread, seed, G, g);
  double whole = pow(10, t->decades[0]*uniform(seed));
  for (int i = 0; i < k; i++) {
    mu[i] = t->mu*0.5*(1 + uniform(seed));
    unit[i] = pow(10, t->decades[1]*uniform(seed));
    unit[k + i] = unit[i]*pow(10, t->decades[2]*uniform(seed));
  }
  for (int i = 0; i < m; i++) {
    g[i] *= unit[i]*pow(10, 0.5*t->small*(uniform(seed) - 1));
    for (int j = 0; j < m; j++) G[i*m + j] *= whole*unit[i]*unit[j];
  }
  make_friction_lcp(k, G, g, mu, A[0], b[0]);
}

static void measure_success(ss_arena* arena)
{
  ss_lcp_def def = ss_lcp_def_default();
  printf("%8s %4s %5s %7s %14s %6s %9s %9s %9s %9s\n", "contacts", "nv", "mu", "masses", "decades", "small", "problems",
         "again", "unsolved", "residual");
  for (size_t q = 0; q < sizeof trials/sizeof *trials; q++) {
    const trial* t = &trials[q];
    uint64_t seed = 100 + q;
    int again = 0, unsolved = 0;
    double worst = 0;
    for (int c = 0; c < t->count; c++) {
      ss_lcp lcp = {.n = 3*t->k, .A = A[0], .b = b[0]};
      ss_lcp_solution s = {.x = x, .y = y};
      make_trial(t, &seed);
      ss_status status = ss_lcp_lemke(&lcp, &def, arena, &s);
      unsolved += status != SS_OK;
      again += s.attempts > 1;
      if (status == SS_OK && s.residual > worst) worst = s.residual;
    }
    printf("%8d %4d %5.1f %7.0e %4g %4g %4g %6g %9d %9d %9d %9.0e\n", t->k, t->nv, t->mu, t->spread, t->decades[0],
           t->decades[1], t->decades[2], t->small, t->count, again, unsolved, worst);
  }
}

int main(int argc, char** argv)
{
  ss_arena* arena = ss_arena_create(ss_lcp_lemke_size(FAMILY_MAX));
  if (argc > 1 && strcmp(argv[1], "success") == 0) measure_success(arena);
  else measure_speed(arena);
  ss_arena_destroy(arena);
  return 0;
}
