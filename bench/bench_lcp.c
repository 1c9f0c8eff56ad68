// Every LCP solver on random problems of growing size: how fast, how exact, how often. An argument names one solver;
// `sparse` measures obstacle problems instead, `study` how many planar friction problems each solver solves.
#define FAMILY_MAX 1000
#include "clock.h"
#include "../test/solve/families.h"
#include "../test/solve/obstacle.h"
#include <stdio.h>
#include <stdlib.h>
#include <stickslip/lcp.h>

enum { POOL = 16, TURNS = 5 };

typedef struct family {
  const char* name;
  int n, nv;      // unknowns; degrees of freedom of a friction problem, 0 for an SPD one
  int pool;       // different problems, solved in turn
  double target;  // microseconds, 0 if there is none
} family;

static const family families[] = {
  {"SPD", 6, 0, 16, 0.5},           {"SPD", 24, 0, 16, 12},          {"SPD", 96, 0, 16, 230},
  {"SPD", 384, 0, 4, 9000},         {"SPD", 1000, 0, 2, 43000},      {"friction", 6, 6, 16, 0},
  {"friction", 24, 24, 16, 0},      {"friction", 96, 96, 16, 0},     {"friction", 384, 384, 4, 36000},
  {"friction, G singular", 96, 32, 16, 0}, {"friction, G singular", 384, 128, 4, 0},
};

static double now(void) { return 1e6*wall_seconds(); }  // microseconds

static double *A[POOL], *b[POOL], x[FAMILY_MAX], y[FAMILY_MAX];

// What a pass over the pool gives
typedef struct result {
  double time, iterations, residual;  // microseconds and iterations per solve; the largest residual of those solved
  int failed;
} result;

static result pass(const family* f, ss_lcp_solver solver, int repeat, ss_arena* arena)
{
  ss_lcp_def def = ss_lcp_def_default();
  ss_lcp_solution s = {.x = x, .y = y};
  result r = {0};
  def.solver = solver;
  double start = now();
  for (int k = 0; k < repeat*f->pool; k++) {
    ss_lcp lcp = {.n = f->n, .A = A[k%f->pool], .b = b[k%f->pool]};
    ss_status status = ss_lcp_solve(&lcp, &def, arena, &s);
    r.iterations += (double)s.iterations/(repeat*f->pool);
    r.failed += status != SS_OK;
    if (status == SS_OK && s.residual > r.residual) r.residual = s.residual;
  }
  r.time = (now() - start)/(repeat*f->pool);
  r.failed /= repeat;
  return r;
}

static void measure(const family* f, ss_lcp_solver solver, ss_arena* arena)
{
  double time[TURNS];
  result r = pass(f, solver, 1, arena);
  int repeat = r.time < 20 ? 200 : r.time < 2000 ? 5 : 1, turns = r.time > 2e5 ? 1 : TURNS;
  for (int t = 0; t < turns; t++) time[t] = turns == 1 ? r.time : pass(f, solver, repeat, arena).time;
  qsort(time, (size_t)turns, sizeof *time, ascending);
  printf("%-22s %5d %-12s %12.2f %12.2f %10g %10.1f %9.0e %5d/%d\n", f->name, f->n, ss_lcp_solver_name(solver),
         time[turns/2], time[0], f->target, r.iterations, r.residual, r.failed, f->pool);
  fflush(stdout);
}

// Membranes over obstacles, m x m unknowns
static int measure_sparse(void)
{
  static const int sizes[] = {30, 100, 200, 300};
  static const ss_lcp_solver solvers[] = {SS_LCP_NEWTON_MIN, SS_LCP_NEWTON_FB, SS_LCP_PGS};
  printf("%8s %-12s %10s %10s %10s %10s\n", "n", "solver", "seconds", "iterations", "residual", "arena MB");
  for (int k = 0; k < 4; k++)
    for (int c = 0; c < 3; c++) {
      obstacle o = make_obstacle(sizes[k]);
      ss_lcp lcp = obstacle_lcp(&o);
      ss_lcp_def def = ss_lcp_def_default();
      def.solver = solvers[c];
      ss_lcp_solution s = {.x = calloc((size_t)lcp.n, 8), .y = calloc((size_t)lcp.n, 8)};
      ss_arena* arena = ss_arena_create(ss_lcp_size(&lcp));
      double start = now();
      ss_status status = ss_lcp_solve(&lcp, &def, arena, &s);
      printf("%8d %-12s %10.2f %10d %10.1e %10.1f%s\n", lcp.n, ss_lcp_solver_name(solvers[c]), 1e-6*(now() - start),
             s.iterations, s.residual, 1e-6*(double)ss_lcp_size(&lcp), status == SS_OK ? "" : "  failed");
      fflush(stdout);
      ss_arena_destroy(arena);
      free(s.x), free(s.y);
      free_obstacle(&o);
    }
  return 0;
}

// ---- success on planar friction: k contacts on 2k degrees of freedom (fric) or on k (fricdef, G singular) ----

enum { SEEDS = 50 };

// Newton's methods take seconds to fail where there are many unknowns
static int seeds_for(ss_lcp_solver solver, int k)
{
  bool newton = solver == SS_LCP_NEWTON_MIN || solver == SS_LCP_NEWTON_FB;
  return newton && k > 32 ? 4 : newton && k > 8 ? 20 : SEEDS;
}

static void study_family(int k, bool deficient, double mu, ss_arena* arena)
{
  int n = 3*k;
  A[0] = malloc(sizeof(double)*(size_t)n*(size_t)n);
  b[0] = malloc(sizeof(double)*(size_t)n);
  printf("%-8s %5.1f %4d", deficient ? "fricdef" : "fric", mu, k);
  for (ss_lcp_solver s = SS_LCP_AUTO; s < SS_LCP_SOLVER_COUNT; s++) {
    int solved = 0, seeds = seeds_for(s, k);
    for (int c = 0; c < seeds; c++) {
      uint64_t seed = 1000*(uint64_t)k + (uint64_t)c;
      ss_lcp lcp = {.n = n, .A = A[0], .b = b[0]};
      ss_lcp_def def = ss_lcp_def_default();
      ss_lcp_solution solution = {.x = x, .y = y};
      def.solver = s;
      make_friction_mu(k, deficient ? k : 2*k, mu, 2, &seed, A[0], b[0]);
      solved += ss_lcp_solve(&lcp, &def, arena, &solution) == SS_OK;
    }
    printf("    %4d/%-3d", solved, seeds);
    fflush(stdout);
  }
  printf("\n");
  free(A[0]), free(b[0]);
}

static int study(void)
{
  static const int contacts[] = {2, 8, 32, 128};
  static const double friction[] = {0.3, 1};
  ss_arena* arena = ss_arena_create(ss_lcp_solve_size(3*128));
  printf("%-8s %5s %4s", "family", "mu", "k");
  for (ss_lcp_solver s = SS_LCP_AUTO; s < SS_LCP_SOLVER_COUNT; s++) printf(" %11s", ss_lcp_solver_name(s));
  printf("\n");
  for (int m = 0; m < 2; m++)
    for (int deficient = 0; deficient < 2; deficient++)
      for (int c = 0; c < 4; c++) study_family(contacts[c], deficient, friction[m], arena);
  ss_arena_destroy(arena);
  return 0;
}

int main(int argc, char** argv)
{
  if (argc > 1 && strcmp(argv[1], "study") == 0) return study();
  if (argc > 1 && strcmp(argv[1], "sparse") == 0) return measure_sparse();
  ss_arena* arena = ss_arena_create(ss_lcp_solve_size(FAMILY_MAX));
  uint64_t seed = 1;
  ss_lcp_solver only = SS_LCP_SOLVER_COUNT;
  if (argc > 1 && !ss_lcp_solver_find(argv[1], &only)) return fprintf(stderr, "no solver %s\n", argv[1]), 2;
  printf("%-22s %5s %-12s %12s %12s %10s %10s %9s %7s\n", "family", "n", "solver", "median us", "best us", "target us",
         "iterations", "residual", "failed");
  for (size_t k = 0; k < sizeof families/sizeof *families; k++) {
    const family* f = &families[k];
    for (int p = 0; p < f->pool; p++) {
      A[p] = malloc(sizeof(double)*(size_t)f->n*(size_t)f->n);
      b[p] = malloc(sizeof(double)*(size_t)f->n);
      if (f->nv) make_friction(f->n/3, f->nv, 0.8, 2, &seed, A[p], b[p]);
      else make_spd(f->n, &seed, A[p], b[p]);
    }
    for (int s = 0; s < SS_LCP_SOLVER_COUNT; s++)
      if (only == SS_LCP_SOLVER_COUNT || s == (int)only) measure(f, (ss_lcp_solver)s, arena);
    for (int p = 0; p < f->pool; p++) free(A[p]), free(b[p]);
  }
  ss_arena_destroy(arena);
  return 0;
}
