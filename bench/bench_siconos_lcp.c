// Our `auto` beside the LCP solvers of Siconos (Debian package libsiconos-numerics-dev) on the families of bench_lcp.
// Every solver of theirs is tried on the whole pool first, in a process of its own; the fastest of those that solve
// most then takes turns with ours, in one process. One that solves none of a family is not tried on larger ones.
//
// Our residual takes every row relative to its own terms, so that round-off in an x that ought to be zero counts in
// full. Solvers that know nothing of it are therefore chosen by the natural map, max |min(x, y)| <= 1e-10 max |b|, and
// entries below 1e-12 of the largest are set to zero before our residual is taken: `strict` counts that.
// Times are processor times. An argument makes it list what every solver did.
#define FAMILY_MAX 1000
#include "apart.h"
#include "../test/solve/families.h"
#include <LinearComplementarityProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <lcp_cst.h>
#include <math.h>
#include <stickslip/lcp.h>

enum { POOL = 16, TURNS = 11 };

typedef struct family {
  const char* name;
  int n;
  bool friction;
  int pool;       // different problems, solved in turn
  double target;  // what we want to reach, microseconds; 0 if there is none
} family;

static const family families[] = {
  {"SPD", 6, false, 16, 0.53},      {"SPD", 24, false, 16, 12},      {"SPD", 96, false, 16, 230},
  {"SPD", 384, false, 4, 9000},     {"SPD", 1000, false, 2, 43000},  {"friction", 6, true, 16, 0.59},
  {"friction", 24, true, 16, 11.8}, {"friction", 96, true, 16, 680}, {"friction", 384, true, 4, 36000},
};

static const int theirs[] = {
  SICONOS_LCP_LEMKE, SICONOS_LCP_PIVOT, SICONOS_LCP_PIVOT_LUMOD, SICONOS_LCP_PATHSEARCH, SICONOS_LCP_BARD,
  SICONOS_LCP_MURTY, SICONOS_LCP_NEWTONMIN, SICONOS_LCP_NEWTON_MIN_FBLSA, SICONOS_LCP_NEWTON_FB_FBLSA,
  SICONOS_LCP_AVI_CAOFERRIS, SICONOS_LCP_PGS, SICONOS_LCP_PSOR, SICONOS_LCP_RPGS, SICONOS_LCP_CPG, SICONOS_LCP_LATIN,
  SICONOS_LCP_QP, SICONOS_LCP_NSQP, SICONOS_LCP_CONVEXQP_PG,
};
enum { N_THEIRS = sizeof theirs/sizeof *theirs };

static double *A[POOL], *b[POOL], *columns[POOL], x[FAMILY_MAX], y[FAMILY_MAX];

// A pass over the pool
typedef struct score {
  double time;         // seconds per solve
  int solved, strict;  // by the natural map; by our residual
} score;

typedef struct job {
  const family* f;
  int solver;  // of Siconos
  int turns;
  score mine, yours;
  double mine_time[TURNS], yours_time[TURNS];
  bool done;
} job;

// max |min(x, A x + b)| relative to the largest |b|
static double natural_map(const family* f, int k)
{
  double worst = 0, scale = 0;
  for (int i = 0; i < f->n; i++) {
    double w = b[k][i];
    for (int l = 0; l < f->n; l++) w += A[k][i*f->n + l]*x[l];
    double r = fabs(fmin(x[i], w));
    if (!(r <= worst)) worst = r;
    scale = fmax(scale, fabs(b[k][i]));
  }
  return worst/scale;
}

static void count(const family* f, int k, score* s)
{
  double largest = 0;
  ss_lcp lcp = {.n = f->n, .A = A[k], .b = b[k]};
  s->solved += natural_map(f, k) <= 1e-10;
  for (int i = 0; i < f->n; i++) largest = fmax(largest, fabs(x[i]));
  for (int i = 0; i < f->n; i++)
    if (fabs(x[i]) < 1e-12*largest) x[i] = 0;
  s->strict += ss_lcp_residual(&lcp, x) <= 1e-10;
}

// Judged outside the time: ours computes its residual within
static score pass_theirs(const family* f, int solver, int repeat)
{
  score s = {0};
  for (int k = 0; k < f->pool; k++) {
    NumericsMatrix M;
    NM_null(&M);
    M.storageType = NM_DENSE;
    M.size0 = M.size1 = f->n;
    M.matrix0 = columns[k];
    LinearComplementarityProblem p = {.size = f->n, .M = &M, .q = b[k]};
    SolverOptions* options = solver_options_create(solver);
    options->dparam[SICONOS_DPARAM_TOL] = 1e-12;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = 100000;
    options->filterOn = false;
    double start = cpu_now();
    for (int i = 0; i < repeat; i++) {
      memset(x, 0, sizeof(double)*(size_t)f->n);
      memset(y, 0, sizeof(double)*(size_t)f->n);
      linearComplementarity_driver(&p, x, y, options);
    }
    s.time += (cpu_now() - start)/(repeat*f->pool);
    solver_options_delete(options);
    count(f, k, &s);
  }
  return s;
}

static score pass_ours(const family* f, int repeat, ss_arena* arena)
{
  score s = {0};
  ss_lcp_def def = ss_lcp_def_default();
  ss_lcp_solution found = {.x = x, .y = y};
  for (int k = 0; k < f->pool; k++) {
    ss_lcp lcp = {.n = f->n, .A = A[k], .b = b[k]};
    double start = cpu_now();
    for (int i = 0; i < repeat; i++) ss_lcp_solve(&lcp, &def, arena, &found);
    s.time += (cpu_now() - start)/(repeat*f->pool);
    count(f, k, &s);
  }
  return s;
}

static int repeats(double time) { return time < 2e-5 ? 200 : time < 2e-3 ? 5 : 1; }

// The best of several passes: which solver is the fastest must not depend on what else the machine does
static void try_theirs(void* user)
{
  job* j = user;
  j->yours = pass_theirs(j->f, j->solver, 1);
  j->done = true;
  int repeat = repeats(j->yours.time);
  for (int t = 0; t < 4 && j->yours.time < 0.05; t++)
    j->yours.time = fmin(j->yours.time, pass_theirs(j->f, j->solver, repeat).time);
}

static void take_turns(void* user)
{
  job* j = user;
  ss_arena* arena = ss_arena_create(ss_lcp_solve_size(j->f->n));
  double first = pass_ours(j->f, 1, arena).time;
  for (j->turns = 0; j->turns < TURNS; j->turns++) {
    j->mine = pass_ours(j->f, repeats(first), arena);
    j->yours = pass_theirs(j->f, j->solver, repeats(j->yours.time));
    j->mine_time[j->turns] = j->mine.time;
    j->yours_time[j->turns] = j->yours.time;
    j->done = true;
  }
  ss_arena_destroy(arena);
}

static bool make(const family* f, uint64_t* seed)
{
  size_t n = (size_t)f->n;
  for (int k = 0; k < f->pool; k++) {
    A[k] = malloc(sizeof(double)*n*n);
    columns[k] = malloc(sizeof(double)*n*n);
    b[k] = malloc(sizeof(double)*n);
    if (!A[k] || !columns[k] || !b[k]) return false;
    if (f->friction) make_friction(f->n/3, f->n, 0.8, 2, seed, A[k], b[k]);
    else make_spd(f->n, seed, A[k], b[k]);
    for (size_t i = 0; i < n; i++)
      for (size_t l = 0; l < n; l++) columns[k][l*n + i] = A[k][i*n + l];
  }
  return true;
}

static bool better(const score* a, const score* than)
{
  return a->solved != than->solved ? a->solved > than->solved : a->time < than->time;
}

// The best of theirs into *best; 0 if none solves any
static int choose(const family* f, job* j, bool* given_up, bool details, score* best)
{
  int solver = 0;
  *best = (score){.time = INFINITY};
  for (int t = 0; t < N_THEIRS; t++) {
    if (given_up[t]) continue;
    *j = (job){.f = f, .solver = theirs[t]};
    bool ended = run_apart(try_theirs, j, f->n < 384 ? 5 : 20);
    given_up[t] = j->yours.solved == 0;
    if (details)
      printf("    %-36.36s %2d/%-2d (strict %2d) %12.2f us %s\n", solver_options_id_to_name(theirs[t]), j->yours.solved,
             f->pool, j->yours.strict, 1e6*j->yours.time, ended ? "" : "ended early");
    if (!j->done || j->yours.solved == 0 || !better(&j->yours, best)) continue;
    *best = j->yours;
    solver = theirs[t];
  }
  return solver;
}

static void compare(const family* f, job* j, bool* given_up, bool details)
{
  score best;
  int solver = choose(f, j, given_up, details, &best);
  *j = (job){.f = f, .solver = solver, .yours = best};
  if (solver) run_apart(take_turns, j, 120);
  if (!j->done) {
    printf("%-9s %5d  no solver of Siconos solves these\n", f->name, f->n);
    return;
  }
  double mine = median_of(j->mine_time, j->turns), yours = median_of(j->yours_time, j->turns);  // sorted now
  printf("%-9s %5d %10.2f %10.2f %6d/%-2d %6d %11.2f %11.2f %6d/%-2d %6d  %-16.16s %6.2f %6.2f %10.2f\n", f->name, f->n,
         1e6*mine, 1e6*j->mine_time[0], j->mine.solved, f->pool, j->mine.strict, 1e6*yours, 1e6*j->yours_time[0],
         j->yours.solved, f->pool, j->yours.strict, solver_options_id_to_name(solver), yours/mine,
         j->yours_time[0]/j->mine_time[0], f->target);
  fflush(stdout);
}

int main(int argc, char** argv)
{
  job* j = shared_memory(sizeof *j);
  uint64_t seed = 1;
  (void)argv;
  if (!j) return 1;
  printf("%-9s %5s %10s %10s %9s %6s %11s %11s %9s %6s  %-16s %6s %6s %10s\n", "family", "n", "auto, us", "best",
         "solved", "strict", "Siconos, us", "best", "solved", "strict", "by", "ratio", "best", "wanted, us");
  bool given_up[2][N_THEIRS] = {{0}};
  for (size_t k = 0; k < sizeof families/sizeof *families; k++) {
    if (!make(&families[k], &seed)) return 1;
    compare(&families[k], j, given_up[families[k].friction], argc > 1);
    for (int p = 0; p < families[k].pool; p++) free(A[p]), free(columns[p]), free(b[p]);
  }
  return 0;
}
