// The contact problem with the exact friction cone, any mix of kinds. Small ones: bilateral rows are eliminated, the
// rest is solved in the arena (friction_small.c). All others, and what that misses, by ss_friction_solver.
#include <math.h>
#include <string.h>
#include <stickslip/contact.h>

#include "base/arena.h"
#include "contact/spatial.h"
#include "contact/planar.h"
#include "math/dense.h"
#include "solve/friction_small.h"

// Relative to the terms a row is a sum of: velocities and impulses below are zero as far as contact states go.
#define ROUND_OFF 1e-12
#define LAST_DIGITS 1e-7  // of the terms of a velocity: a slip that may be an error (light bodies among heavy)

enum { SMALL = 100 };  // rows of a problem that is small

// ---- checks ----

bool ss_spatial_is_valid(const ss_contact_problem* p)
{
  if (p->n_bilateral < 0 || p->n_contact < 0 || p->n_contact > SS_MAX_ROWS) return false;
  size_t rows = (size_t)p->n_bilateral;
  for (int i = 0; i < p->n_contact; i++) {
    if ((int)p->kind[i] < SS_CONTACT_NORMAL || p->kind[i] > SS_CONTACT_SPATIAL) return false;
    if (p->slide && p->slide[i]) return false;
    if (!(p->mu[i] >= 0) || !(p->bound[i] >= 0) || !isfinite(p->mu[i]) || !isfinite(p->bound[i])) return false;
    rows += (size_t)ss_contact_rows(p->kind[i]);
  }
  return p->m >= 0 && p->m <= SS_MAX_ROWS && rows == (size_t)p->m;
}

static bool is_good_def(const ss_friction_def* def)
{
  return ss_friction_method_name(def->method) && def->tol > 0 && isfinite(def->cone_angle);
}

// ---- any method, with allocation ----

static ss_status solve_sparse(const ss_contact_problem* p, const ss_friction_def* def, ss_contact_solution* s)
{
  ss_friction_problem f = {.dim = 3, .n_bilateral = p->n_bilateral, .n_contact = p->n_contact, .kind = p->kind,
                           .mu = p->mu, .bound = p->bound, .b = p->b};
  ss_friction_solution found = {.Lambda = s->Lambda};
  ss_status st = ss_sparse_from_dense(p->m, p->m, p->G, &f.G, NULL);
  if (st < 0) return st;
  ss_error error = {0};
  ss_friction_solver* solver = ss_friction_solver_create(&f, &error);
  st = solver ? ss_friction_solve(solver, def, &found) : SS_ERR_NUMERIC;
  ss_friction_solver_destroy(solver);
  ss_sparse_free((ss_sparse*)&f.G);
  if (st < 0) return st;
  s->iterations += found.sweeps + found.newton + found.ipm + found.admm + found.forms;
  s->residual = found.mlcp_residual;
  return st;
}

// ---- small problems, in the arena ----

static int smaller(int a, int b) { return a < b ? a : b; }

static size_t small_size(int n_bilateral, int n_contact)
{
  int nb = smaller(n_bilateral, SMALL), k = smaller(n_contact, SMALL), m = smaller(3*k, SMALL);
  size_t sweeps = ss_arena_bytes(sizeof(double)*(size_t)k) + ss_reduce_rows_size(nb, m) + ss_friction_small_size(k, m);
  size_t flat = ss_solve_flat_size(nb, k);
  return sweeps > flat ? sweeps : flat;
}

static void traces_of(const ss_contact_problem* p, double* trace)
{
  for (int i = 0, r = p->n_bilateral; i < p->n_contact; i++) {
    trace[i] = 0;
    for (int k = 0; k < ss_contact_rows(p->kind[i]); k++, r++) trace[i] += p->G[(size_t)r*(size_t)(p->m + 1)];
  }
}

// The residual of the contacts is that of the whole problem as far as the bilateral rows are eliminated exactly
static ss_status solve_small(const ss_contact_problem* p, const ss_friction_def* def, ss_arena* arena,
                             ss_contact_solution* s)
{
  size_t mark = ss_arena_mark(arena);
  ss_reduced r;
  double* trace = ss_arena_array(arena, double, p->n_contact);
  ss_status st = trace && ss_reduce_contacts(p, arena, &r) ? SS_OK : SS_ERR_CAPACITY;
  if (st == SS_OK) {
    traces_of(p, trace);
    ss_small_problem f = {.n_contact = p->n_contact, .m = r.m, .G = r.G, .b = r.b, .kind = p->kind, .mu = p->mu,
                          .bound = p->bound, .trace = trace, .scale = ss_norm_inf(p->m, p->b)};
    st = ss_friction_small(&f, def->tol, def->warm_start, arena, s->Lambda + r.nb, &s->residual, &s->iterations);
  }
  if (st >= 0 && r.nb) ss_recover_bilateral(&r, true, s->Lambda);
  ss_arena_release(arena, mark);
  return st;
}

// ---- what the contacts do ----

// Sum of the magnitudes that make up xi of row r, with friction as large as its limit
static double row_size(const ss_contact_problem* p, const double* size, int r)
{
  double sum = fabs(p->b[r]);
  for (int j = 0; j < p->m; j++) sum += fabs(p->G[(size_t)r*(size_t)p->m + (size_t)j])*size[j];
  return sum;
}

static void impulse_sizes(const ss_contact_problem* p, const double* Lambda, double* size)
{
  for (int r = 0; r < p->m; r++) size[r] = fabs(Lambda[r]);
  for (int i = 0, r = p->n_bilateral; i < p->n_contact; r += ss_contact_rows(p->kind[i++])) {
    if (p->kind[i] == SS_CONTACT_NORMAL) continue;
    int normal = p->kind[i] != SS_CONTACT_FRICTION;
    double limit = p->bound[i] + (normal ? p->mu[i]*size[r] : 0);
    for (int k = r + normal; k < r + ss_contact_rows(p->kind[i]); k++) size[k] = fmax(size[k], limit);
  }
}

// What friction of contact i is below its limit, as a velocity: of what neither rests nor rubs to the last digits the
// larger one of slip and this decides
static double slack_of(const ss_contact_problem* p, int i, int r, const double* Lambda)
{
  bool normal = p->kind[i] != SS_CONTACT_FRICTION, spatial = p->kind[i] == SS_CONTACT_SPATIAL;
  int T = r + normal;
  double limit = p->bound[i] + (normal ? p->mu[i]*Lambda[r] : 0);
  return (limit - hypot(Lambda[T], spatial ? Lambda[T + 1] : 0))*p->G[(size_t)T*(size_t)(p->m + 1)];
}

// State of contact i with the first row r. Impulses and velocities below the round-off of their rows, or below `error`,
// which is how well the velocities are known, count as zero. What neither carries a load nor parts is closed: of more
// contacts than a body needs to rest on, round-off chooses those that are loaded, anew in every step.
static ss_contact_state read_state(const ss_contact_problem* p, int i, int r, double error, const double* size,
                                   const ss_contact_solution* s)
{
  bool normal = p->kind[i] != SS_CONTACT_FRICTION, tangent = p->kind[i] != SS_CONTACT_NORMAL;
  bool friction = tangent && ((normal && p->mu[i] > 0) || p->bound[i] > 0);
  int T = r + normal;
  double g = p->G[(size_t)r*(size_t)(p->m + 1)];
  double none = fmax(ROUND_OFF*row_size(p, size, r), error);
  bool closed = !normal || s->Lambda[r]*g > none || s->xi[r] <= none;
  if (!closed && (p->bound[i] == 0 || !friction)) return SS_OPEN;
  if (!friction) return SS_CLOSED;
  bool spatial = p->kind[i] == SS_CONTACT_SPATIAL;
  double slip = spatial ? hypot(s->xi[T], s->xi[T + 1]) : fabs(s->xi[T]), zero = row_size(p, size, T);
  if (spatial) zero = fmax(zero, row_size(p, size, T + 1));
  if (slip <= fmax(ROUND_OFF*zero, error)) return SS_STICK;
  if (slip <= LAST_DIGITS*zero && slip < slack_of(p, i, r, s->Lambda)) return SS_STICK;
  return spatial ? SS_SLIP : s->xi[T] > 0 ? SS_SLIP_POS : SS_SLIP_NEG;
}

void ss_spatial_states(const ss_contact_problem* p, double error, double* size, ss_contact_solution* s)
{
  impulse_sizes(p, s->Lambda, size);
  for (int i = 0, r = p->n_bilateral; i < p->n_contact; r += ss_contact_rows(p->kind[i++]))
    s->state[i] = read_state(p, i, r, error, size, s);
}

// Velocities, residual and states from the impulses; the residual has the last word. size: m numbers of scratch.
static ss_status finish(const ss_contact_problem* p, const ss_friction_def* def, double* size, ss_status st,
                        ss_contact_solution* s)
{
  double scale = ss_norm_inf(p->m, p->b), residual = ss_spatial_residual(p, s->Lambda);
  ss_gemv(p->m, p->m, p->G, s->Lambda, s->xi);
  for (int i = 0; i < p->m; i++) s->xi[i] += p->b[i];
  if (!def->polyhedral) s->residual = residual;
  ss_spatial_states(p, def->polyhedral || !(residual <= def->tol) ? 0 : 2*residual*scale, size, s);
  if (s->residual <= def->tol) return SS_OK;
  return st == SS_OK ? SS_INACCURATE : st;
}

// ---- the solve ----

size_t ss_contact_solve_spatial_size(int n_bilateral, int n_contact)
{
  size_t m = (size_t)n_bilateral + 3*(size_t)n_contact;
  return ss_arena_bytes(sizeof(double)*m) + small_size(n_bilateral, n_contact);
}

// Without velocities there are no impulses: warm starts do not matter
static bool is_trivial(const ss_contact_problem* p, ss_contact_solution* s)
{
  for (int i = 0; i < p->m; i++)
    if (p->b[i] != 0) return false;
  memset(s->Lambda, 0, sizeof(double)*(size_t)p->m);
  s->residual = 0;
  return true;
}

// Through ss_friction_solver
static ss_status solve_large(const ss_contact_problem* p, const ss_friction_def* def, double* size,
                             ss_contact_solution* s)
{
  ss_status st = solve_sparse(p, def, s);
  return st < 0 ? st : finish(p, def, size, st, s);
}

// What sweeps and Newton miss from the last impulses they mostly reach from none; what they miss from there too is
// mostly a long, nearly flat valley between contact states, which pivoting crosses
static ss_status solve_auto(const ss_contact_problem* p, const ss_friction_def* def, double* size, ss_arena* arena,
                            ss_contact_solution* s)
{
  ss_friction_def other = *def;
  if (ss_solve_flat(p, def->tol, arena, s) && finish(p, def, size, SS_OK, s) == SS_OK) return SS_OK;
  for (int start = 0; start < 2; start++) {
    ss_status found = solve_small(p, &other, arena, s), st = found < 0 ? found : finish(p, def, size, found, s);
    if (st <= 0) return st;
    if (found == SS_OK && p->n_bilateral) return st;  // these rows contradict one another: there is no more to be had
    other.warm_start = false;
  }
  ss_status st = solve_large(p, &other, size, s);
  if (st == SS_OK || ss_stopped(def->stop)) return st;
  other.method = SS_FRICTION_MLCP_PATH;
  return solve_large(p, &other, size, s);
}

static ss_status solve_by(const ss_contact_problem* p, const ss_friction_def* def, double* size, ss_arena* arena,
                          ss_contact_solution* s)
{
  bool small = def->method == SS_FRICTION_AUTO && !def->polyhedral && p->m <= SMALL;
  if (is_trivial(p, s)) return finish(p, def, size, SS_OK, s);
  return small ? solve_auto(p, def, size, arena, s) : solve_large(p, def, size, s);
}

ss_status ss_contact_solve_spatial(const ss_contact_problem* p, const ss_friction_def* def, ss_arena* arena,
                                   ss_contact_solution* s)
{
  if (!p || !def || !arena || !s) return SS_ERR_ARGUMENT;
  if (!ss_spatial_is_valid(p) || !is_good_def(def)) return SS_ERR_ARGUMENT;
  if (!ss_all_finite(p->m*p->m, p->G) || !ss_all_finite(p->m, p->b)) return SS_ERR_NUMERIC;
  if (def->warm_start && !ss_all_finite(p->m, s->Lambda)) return SS_ERR_NUMERIC;
  size_t mark = ss_arena_mark(arena);
  double* size = ss_arena_array(arena, double, p->m);
  s->iterations = 0;
  ss_status st = size ? solve_by(p, def, size, arena, s) : SS_ERR_CAPACITY;
  ss_arena_release(arena, mark);
  return st;
}
