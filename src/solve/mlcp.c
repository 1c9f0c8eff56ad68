// The MLCP: the table of its solvers, the check of the data, and the judgement of what the solvers find.
#include "solve/mlcp.h"
#include "base/arena.h"
#include "math/sparse.h"
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

static const ss_mlcp_ops solvers[SS_MLCP_SOLVER_COUNT] = {
  //                    name            scratch bytes      solve(run)
  [SS_MLCP_AUTO]    = {"auto",          NULL,              NULL},
  [SS_MLCP_PATH]    = {"mlcp-path",     ss_mlcp_path_size, ss_mlcp_path},
  [SS_MLCP_PFB_RLM] = {"mlcp-pfb-rlm",  ss_mlcp_pfb_size,  ss_mlcp_pfb_rlm},
  [SS_MLCP_PFB_PLM] = {"mlcp-pfb-plm",  ss_mlcp_pfb_size,  ss_mlcp_pfb_plm},
};

static bool is_solver(ss_mlcp_solver s) { return (int)s >= 0 && s < SS_MLCP_SOLVER_COUNT; }

const char* ss_mlcp_solver_name(ss_mlcp_solver solver) { return is_solver(solver) ? solvers[solver].name : NULL; }

bool ss_mlcp_solver_find(const char* name, ss_mlcp_solver* solver)
{
  for (int k = 0; name && k < SS_MLCP_SOLVER_COUNT; k++)
    if (strcmp(name, solvers[k].name) == 0) {
      *solver = (ss_mlcp_solver)k;
      return true;
    }
  return false;
}

ss_mlcp_def ss_mlcp_def_default(void)
{
  return (ss_mlcp_def){.solver = SS_MLCP_AUTO, .tol = 1e-10, .pfb_lambda = 0.95};
}

// ---- memory ----

enum { VECTORS = 9, INDICES = 5 };  // of ss_mlcp_run and its scaled problem

static size_t run_size(int n)
{
  size_t N = (size_t)n;
  return ss_arena_bytes(sizeof(double)*(2*N*N + VECTORS*N)) + ss_arena_bytes(sizeof(int)*INDICES*N);
}

size_t ss_mlcp_solve_size(int n)
{
  size_t largest = 0;
  if (n <= 0) return 0;
  for (int s = 0; s < SS_MLCP_SOLVER_COUNT; s++) {
    size_t size = solvers[s].size ? solvers[s].size(n) : 0;
    if (size > largest) largest = size;
  }
  return run_size(n) + largest;
}

static size_t dense_bytes(int n) { return ss_arena_bytes(sizeof(double)*(size_t)n*(size_t)n); }

size_t ss_mlcp_size(const ss_mlcp* mlcp)
{
  if (!mlcp) return 0;
  bool sparse = mlcp->n > 0 && mlcp->n <= SS_MLCP_DENSE_MAX && !mlcp->A && mlcp->S;
  if (!mlcp->A && mlcp->S && !sparse) return 0;  // ss_mlcp_solve() will refuse it
  return ss_mlcp_solve_size(mlcp->n) + (sparse ? dense_bytes(mlcp->n) : 0);
}

static bool take_memory(ss_mlcp_run* run)
{
  size_t n = (size_t)run->mlcp->n;
  double* d = ss_arena_array(run->arena, double, 2*n*n + VECTORS*n);
  int* k = ss_arena_array(run->arena, int, INDICES*n);
  if (!d || !k) return false;
  ss_mlcp_scaled* s = &run->s;
  double** vectors[VECTORS] = {&s->b, &s->lower, &s->upper, &s->row, &s->col, &run->z, &run->w, &run->zhat, &run->rhs};
  s->A = d;
  run->M = d + n*n;
  for (size_t v = 0; v < VECTORS; v++) *vectors[v] = d + 2*n*n + v*n;
  run->index = k;
  run->piv = k + n;
  run->order = k + 2*n;
  run->saved = k + 3*n;
  run->state = k + 4*n;
  return true;
}

// ---- data ----

static bool bounds_are_fine(const ss_mlcp* m)
{
  for (int i = 0; i < m->n; i++) {
    double lower = m->lower[i], upper = m->upper[i];
    if (!(lower <= upper) || lower == INFINITY || upper == -INFINITY) return false;
  }
  return true;
}

static bool arguments_are_fine(const ss_mlcp* m, const ss_mlcp_def* def, const ss_arena* arena,
                               const ss_mlcp_solution* s)
{
  if (!is_solver(def->solver) || !(def->tol > 0) || !(def->pfb_lambda > 0 && def->pfb_lambda <= 1)) return false;
  if (m->n == 0) return true;
  return (m->A || m->S) && m->b && m->lower && m->upper && arena && s->z && s->w && bounds_are_fine(m);
}

// ---- solve ----

// If the solvers have found nothing that one could show: zero, or the bounds next to it. False if even that overflows.
static bool offer_zero(ss_mlcp_run* run)
{
  for (int i = 0; i < run->mlcp->n; i++) run->zhat[i] = 0;
  ss_mlcp_offer(run, run->zhat, 0);
  return run->best->residual < INFINITY;
}

static ss_status run_solver(ss_mlcp_run* run, ss_mlcp_solver solver, const char* why)
{
  size_t mark = ss_arena_mark(run->arena);
  int before = run->best->iterations;
  run->solver = solver;
  run->found = INFINITY;
  ss_status status = solvers[solver].solve(run);
  ss_arena_release(run->arena, mark);
  if (status < 0) return status;
  if (ss_mlcp_good_enough(run)) status = SS_OK;
  else if (status == SS_OK) status = SS_INACCURATE;
  ss_attempt_add(&run->best->log, (ss_attempt){solvers[solver].name, why, run->found, status,
                                               run->best->iterations - before});
  return status;
}

// The pivoting method tells most when it fails, so its status stands if the others fail as well
static ss_status run_all(ss_mlcp_run* run)
{
  static const char* const why[SS_MLCP_SOLVER_COUNT] = {
    [SS_MLCP_PATH] = "exact, and tells most when it fails",
    [SS_MLCP_PFB_RLM] = "pivoting has failed without a proof",
    [SS_MLCP_PFB_PLM] = "the last that is left",
  };
  ss_status first = run_solver(run, SS_MLCP_PATH, why[SS_MLCP_PATH]), status = first;
  if (run->inconsistent) return first;
  for (int s = SS_MLCP_PATH + 1; s < SS_MLCP_SOLVER_COUNT && status > 0; s++)
    status = run_solver(run, (ss_mlcp_solver)s, why[s]);
  return status > 0 ? first : status;
}

static ss_status solve_dense(const ss_mlcp* mlcp, const ss_mlcp_def* def, ss_arena* arena, ss_mlcp_solution* solution)
{
  ss_mlcp_solution best = *solution;
  best.iterations = 0;
  best.solver = def->solver;
  best.residual = 0;
  best.infeasible = false;
  best.log.count = 0;
  ss_status status = SS_OK;
  if (mlcp->n > 0) {
    ss_mlcp_run run = {.mlcp = mlcp, .def = def, .arena = arena, .best = &best};
    size_t mark = ss_arena_mark(arena);
    best.residual = INFINITY;
    if (!take_memory(&run)) status = SS_ERR_CAPACITY;
    else if (!ss_mlcp_scale(mlcp, &run.s)) status = SS_ERR_NUMERIC;
    else status = def->solver == SS_MLCP_AUTO ? run_all(&run) : run_solver(&run, def->solver, "asked for");
    best.infeasible = status == SS_RAY && run.inconsistent;
    if (status >= 0 && best.residual == INFINITY && !offer_zero(&run)) status = SS_ERR_NUMERIC;
    ss_arena_release(arena, mark);
  }
  if (status >= 0) *solution = best;
  return status;
}

// The solvers pivot and factor in dense memory: a sparse A is copied there
static ss_status solve_sparse(const ss_mlcp* mlcp, const ss_mlcp_def* def, ss_arena* arena, ss_mlcp_solution* solution)
{
  const ss_sparse* S = mlcp->S;
  size_t n = (size_t)mlcp->n, mark = ss_arena_mark(arena);
  if (S->rows != mlcp->n || S->cols != mlcp->n) return SS_ERR_ARGUMENT;
  ss_status status = ss_sparse_check(S, "A", NULL);
  if (status < 0) return status;
  double* A = mlcp->n <= SS_MLCP_DENSE_MAX ? ss_arena_array(arena, double, n*n) : NULL;
  if (!A) return SS_ERR_CAPACITY;
  ss_sparse_dense(S, A);
  ss_mlcp dense = *mlcp;
  dense.A = A;
  status = solve_dense(&dense, def, arena, solution);
  ss_arena_release(arena, mark);
  return status;
}

ss_status ss_mlcp_solve(const ss_mlcp* mlcp, const ss_mlcp_def* def, ss_arena* arena, ss_mlcp_solution* solution)
{
  if (!mlcp || !def || !solution || mlcp->n < 0) return SS_ERR_ARGUMENT;
  if (!arguments_are_fine(mlcp, def, arena, solution)) return SS_ERR_ARGUMENT;
  if (mlcp->n > 0 && !mlcp->A) return solve_sparse(mlcp, def, arena, solution);
  return solve_dense(mlcp, def, arena, solution);
}
