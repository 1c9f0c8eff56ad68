// The table of LCP solvers, and the driver that judges what they find by one residual.
#include "base/arena.h"
#include "solve/lcp_solvers.h"
#include "solve/newton.h"
#include "solve/residual.h"
#include <string.h>

typedef struct row {
  const char* name;
  size_t (*size)(int n);
  ss_lcp_method* solve;
} row;

static const row table[SS_LCP_SOLVER_COUNT] = {
  //                      name           bytes of arena           solve(lcp, def, arena, solution)
  [SS_LCP_AUTO]        = {"auto",        ss_lcp_auto_size,        ss_lcp_auto},
  [SS_LCP_LEMKE]       = {"lemke",       ss_lcp_lemke_size,       ss_lcp_lemke},
  [SS_LCP_PGS]         = {"pgs",         ss_lcp_pgs_size,         ss_lcp_pgs},
  [SS_LCP_NEWTON_MIN]  = {"newton-min",  ss_newton_size,          ss_lcp_newton_min},
  [SS_LCP_NEWTON_FB]   = {"newton-fb",   ss_newton_size,          ss_lcp_newton_fb},
  [SS_LCP_BLOCK_PIVOT] = {"block-pivot", ss_lcp_block_pivot_size, ss_lcp_block_pivot},
};

static bool in_table(ss_lcp_solver solver) { return (int)solver >= 0 && solver < SS_LCP_SOLVER_COUNT; }

const char* ss_lcp_solver_name(ss_lcp_solver solver) { return in_table(solver) ? table[solver].name : NULL; }

bool ss_lcp_solver_find(const char* name, ss_lcp_solver* solver)
{
  for (int k = 0; name && k < SS_LCP_SOLVER_COUNT; k++)
    if (strcmp(name, table[k].name) == 0) {
      *solver = (ss_lcp_solver)k;
      return true;
    }
  return false;
}

ss_lcp_def ss_lcp_def_default(void)
{
  return (ss_lcp_def){.solver = SS_LCP_AUTO, .max_iter = 0, .tol = 1e-10, .attempts = 16, .relaxation = 1};
}

static size_t judge_size(int n) { return n > 0 ? ss_arena_bytes(sizeof(double)*(size_t)n) : 0; }

size_t ss_lcp_dense_size(int n)
{
  size_t largest = 0;
  for (int k = 0; k < SS_LCP_SOLVER_COUNT; k++) {
    size_t size = table[k].size(n);
    if (size > largest) largest = size;
  }
  return largest;
}

size_t ss_lcp_solve_size(int n) { return ss_lcp_dense_size(n) + judge_size(n); }

size_t ss_lcp_size(const ss_lcp* lcp)
{
  if (!lcp) return 0;
  return lcp->A || !lcp->S ? ss_lcp_solve_size(lcp->n) : ss_lcp_sparse_size(lcp);
}

// Iterations end near a basis, not on one: it is that of x
static bool iterates(ss_lcp_solver solver)
{
  return solver == SS_LCP_PGS || solver == SS_LCP_NEWTON_MIN || solver == SS_LCP_NEWTON_FB;
}

// The residual and y of x, from the data alone
static ss_status judge(const ss_lcp* lcp, const ss_lcp_def* def, double* Y, ss_status believed, ss_lcp_solution* s)
{
  s->residual = lcp->A ? ss_lcp_residual_y(lcp, s->x, s->y, Y)
                       : ss_lcp_residual_sparse(lcp, s->x, s->y, Y, Y + lcp->n);
  if (!(s->residual <= def->tol)) return believed == SS_OK ? SS_INACCURATE : believed;
  for (int i = 0; i < lcp->n && s->basis && iterates(s->solver); i++) s->basis[i] = s->x[i] > 0;
  return SS_OK;
}

// By the solver asked for; pivoting methods want a dense A
static ss_status solve(const ss_lcp* lcp, const ss_lcp_def* def, ss_arena* arena, ss_lcp_solution* s)
{
  ss_lcp_method* method = table[def->solver].solve;
  if (lcp->A || !lcp->S) return method(lcp, def, arena, s);
  ss_status status = ss_lcp_sparse_check(lcp);
  if (status < 0) return status;
  bool pivots = def->solver == SS_LCP_LEMKE || def->solver == SS_LCP_BLOCK_PIVOT;
  return pivots ? ss_lcp_as_dense(method, lcp, def, arena, s) : method(lcp, def, arena, s);
}

// The first thing that `auto` does: see lcp_small.c. It takes nothing from the arena, but that must be large enough: no
// caller should learn by chance that it is not.
static bool solve_small(const ss_lcp* lcp, const ss_lcp_def* def, ss_arena* arena, ss_lcp_solution* s)
{
  if (lcp->n > SS_LCP_SMALL || !lcp->A || !lcp->b || !s->x || !s->y || def->warm_start) return false;
  if (!(lcp->A[lcp->n*lcp->n - 1] > 0)) return false;  // friction: told by the last entry
  if (!ss_lcp_small(lcp, def, s) || !ss_arena_take(arena, ss_lcp_auto_size(lcp->n))) return false;
  ss_attempt_add(&s->log, (ss_attempt){table[s->solver].name, "few unknowns, and symmetric: perhaps positive definite",
                                       s->residual, SS_OK, s->iterations});
  return true;
}

ss_status ss_lcp_solve(const ss_lcp* lcp, const ss_lcp_def* def, ss_arena* arena, ss_lcp_solution* solution)
{
  if (!lcp || !def || !solution || !in_table(def->solver) || !(def->tol > 0)) return SS_ERR_ARGUMENT;
  if (def->solver == SS_LCP_PGS && !(def->relaxation > 0 && def->relaxation < 2)) return SS_ERR_ARGUMENT;
  if (lcp->n > 0 && !lcp->A && !lcp->S) return SS_ERR_ARGUMENT;
  solution->log.count = 0;
  if (lcp->n <= 0 || !arena) {  // nothing to solve, or an error
    ss_status status = ss_lcp_lemke(lcp, def, arena, solution);
    if (status >= 0) solution->solver = def->solver;
    return status;
  }
  size_t mark = ss_arena_mark(arena);
  double* Y = ss_arena_take(arena, (lcp->A ? 1 : 2)*sizeof(double)*(size_t)lcp->n);
  if (!Y) return SS_ERR_CAPACITY;
  solution->solver = def->solver;
  solution->infeasible = false;
  if (def->solver == SS_LCP_AUTO && solve_small(lcp, def, arena, solution)) {
    ss_arena_release(arena, mark);
    return SS_OK;
  }
  ss_status status = solve(lcp, def, arena, solution);
  if (status >= 0) status = judge(lcp, def, Y, status, solution);
  if (status >= 0 && solution->log.count == 0)  // auto has written its own
    ss_attempt_add(&solution->log, (ss_attempt){table[def->solver].name, "asked for", solution->residual, status,
                                                solution->iterations});
  ss_arena_release(arena, mark);
  return status;
}
