// The exact cone by polyhedral ones: where a direction of the polygon is exactly that of the friction impulse, the
// polyhedral law and the exact one agree. So the MLCP is solved, directions are turned to where the impulses want to
// be, and so on: the alignment of [Mylapilli & Jain 2017, section 6], repeated until it is consistent.
#include "base/arena.h"
#include "math/dense.h"
#include "solve/cone.h"
#include "solve/pseudo_random.h"
#include <math.h>
#include <stickslip/polyhedral.h>
#include <string.h>

enum { STARTS = 10, STARTS_LARGE = 2, STARTS_PLANAR = 2, LARGE = 200, ROUNDS = 20 };

static const double TURN = 6.283185307179586;
static const double PROXIMAL = 1e-4;  // of the second start
static const double SOFT = 1e-11;  // makes the equations of a turn regular where G is not

typedef struct aligned {
  ss_cone_run* run;
  ss_polyhedral poly;
  int n;                                  // unknowns of the MLCP
  double *A, *b, *lower, *upper, *z, *w;  // n x n; n each
  double *angle, *step, *Lambda, *xi;     // k, and by how much they were turned last; m, m
  double *diagonal, *soft_b;              // m: of G; b of a proximal step
  int n_basis, n_slide;
  int *basis;            // n: unknowns inside their bounds
  int *slide, *contact;  // k: first unknown, number, of contacts that slide along their first direction
  double *M, *rhs;       // (n + k)^2, n + k: equations of a turn
  int* piv;              // n + k
} aligned;

// ---- memory ----

static size_t doubles(size_t n, size_t m, size_t k) { return n*n + 5*n + 2*k + 4*m + (n + k)*(n + k) + n + k; }
static size_t ints(size_t n, size_t k) { return 2*n + 3*k; }

size_t ss_cone_align_size(const ss_contact_problem* p, const ss_friction_set* set, int facets)
{
  ss_polyhedral poly = {.problem = p, .facets = facets, .set = set};
  int unknowns = ss_polyhedral_unknowns(&poly);
  size_t n = (size_t)unknowns, k = (size_t)p->n_contact;
  return ss_arena_bytes(sizeof(double)*doubles(n, (size_t)p->m, k)) + ss_arena_bytes(sizeof(int)*ints(n, k)) +
         ss_mlcp_solve_size(unknowns);
}

static bool take_memory(aligned* a)
{
  size_t n = (size_t)a->n, m = (size_t)a->run->p.m, k = (size_t)a->run->p.n_contact;
  double* d = ss_arena_array(a->run->arena, double, doubles(n, m, k));
  int* index = ss_arena_array(a->run->arena, int, ints(n, k));
  if (!d || !index) return false;
  double** part[] = {&a->b, &a->lower, &a->upper, &a->z, &a->w};
  a->A = d;
  for (size_t i = 0; i < 5; i++) *part[i] = d + n*n + i*n;
  a->angle = d + n*n + 5*n;
  a->step = a->angle + k;
  a->Lambda = a->step + k;
  a->xi = a->Lambda + m;
  a->diagonal = a->xi + m;
  a->soft_b = a->diagonal + m;
  a->M = a->soft_b + m;
  a->rhs = a->M + (n + k)*(n + k);
  a->basis = index;
  a->piv = index + n;
  a->slide = index + 2*n + k;
  a->contact = a->slide + k;
  a->poly.angle = a->angle;
  return true;
}

// ---- the MLCP of the current directions ----

static void velocities(aligned* a)
{
  int m = a->run->p.m;
  ss_gemv(m, m, a->run->G, a->Lambda, a->xi);
  for (int i = 0; i < m; i++) a->xi[i] += a->run->b[i];
}

// The MLCP, or that of a proximal step from the last impulses Lambda', G + delta 1 and b - delta Lambda', which has the
// same solutions once Lambda = Lambda': where G is nearly singular pivoting may end on a ray that is round-off
static void write_mlcp(aligned* a, double delta)
{
  ss_cone_run* run = a->run;
  size_t m = (size_t)run->p.m;
  ss_contact_problem soft = run->p;
  ss_polyhedral poly = a->poly;
  poly.problem = &soft;
  soft.b = a->soft_b;
  for (size_t i = 0; i < m; i++) {
    a->diagonal[i] = run->G[i*m + i];
    a->soft_b[i] = run->b[i] - delta*a->Lambda[i];
    run->G[i*m + i] += delta;
  }
  ss_polyhedral_write(&poly, a->A, a->b, a->lower, a->upper);
  for (size_t i = 0; i < m; i++) run->G[i*m + i] = a->diagonal[i];
}

static ss_status solve(aligned* a, int solver, bool warm, double delta)
{
  ss_cone_run* run = a->run;
  ss_mlcp mlcp = {.n = a->n, .A = a->A, .b = a->b, .lower = a->lower, .upper = a->upper};
  ss_mlcp_def def = ss_mlcp_def_default();
  ss_mlcp_solution s = {.z = a->z, .w = a->w};
  def.solver = (ss_mlcp_solver)solver;
  def.warm_start = warm;
  def.max_iter = run->def->max_iter;
  def.stop = run->def->stop;
  def.tol = fmin(def.tol, run->def->tol);
  write_mlcp(a, delta);
  run->mlcp_residual = INFINITY;
  ss_status status = ss_mlcp_solve(&mlcp, &def, run->arena, &s);
  if (status < 0) return status;
  run->iterations += s.iterations;
  run->alignments++;
  run->mlcp_residual = s.residual;
  ss_polyhedral_read(&a->poly, a->z, a->Lambda);
  velocities(a);
  return status;
}

// ---- turning ----

// By how much to turn contact c to Lambda_T - xi_T: the direction of -xi_T where the law is fulfilled and the contact
// slides, of Lambda_T where it sticks
static double wanted(const aligned* a, int c)
{
  const double *Lambda = a->Lambda + a->run->first[c] + 1, *xi = a->xi + a->run->first[c] + 1;
  double x = Lambda[0] - xi[0], y = Lambda[1] - xi[1];
  return x != 0 || y != 0 ? remainder(atan2(y, x) - a->angle[c], TURN) : 0;
}

// Half as far where it would only go back and forth: the exact impulse may lie close to the border of the disk, beyond
// the edges of the polygon on either side
static void turn(aligned* a, int c, double step)
{
  if (step*a->step[c] < 0 && fabs(step) > 0.5*fabs(a->step[c])) step *= 0.5;
  a->angle[c] += step;
  a->step[c] = step;
}

// What the MLCP says: unknowns inside their bounds, and round contacts that slide along their first direction alone
static void find_states(aligned* a)
{
  a->n_basis = a->n_slide = 0;
  for (int i = 0; i < a->n; i++)
    if (a->z[i] > a->lower[i] && a->z[i] < a->upper[i]) a->basis[a->n_basis++] = i;
  for (int c = 0; c < a->run->p.n_contact; c++) {
    int u = ss_polyhedral_first(&a->poly, c), nf = a->poly.facets, used = 0;
    if (!ss_cone_is_round(a->run, c)) continue;
    for (int j = 1; j <= nf; j++) used += a->z[u + j] > 0;
    if (used != 1 || !(a->z[u + 1] > 0 && a->z[u + nf + 1] > 0)) continue;
    a->contact[a->n_slide] = c;
    a->slide[a->n_slide++] = u;
  }
}

// The direction t perpendicular to d_1 as a combination of columns (rows) of the MLCP, t = (d_2 - c d_1)/s. It takes no
// part in the limit of friction, to first order: entries with the contact's sigma are left out.
typedef struct across {
  int d1, d2, sigma;
  double c, s;
} across;

static across across_of(const aligned* a, int s)
{
  double phi = TURN/a->poly.facets;
  int u = a->slide[s];
  return (across){u + 1, u + 2, u + a->poly.facets + 1, cos(phi), sin(phi)};
}

static double entry(const aligned* a, int i, int j) { return a->A[(size_t)i*(size_t)a->n + (size_t)j]; }

static double entry_by_t(const aligned* a, int i, across t)  // row i, column t
{
  return i == t.sigma ? 0 : (entry(a, i, t.d2) - t.c*entry(a, i, t.d1))/t.s;
}

static double entry_of_t(const aligned* a, across t, int j)  // row t, column j
{
  return j == t.sigma ? 0 : (entry(a, t.d2, j) - t.c*entry(a, t.d1, j))/t.s;
}

// A contact that slides along d_1 with Lambda_T = beta d_1, xi_T = -sigma d_1 + xi_t t wants to turn by an angle delta:
// Lambda_t = beta delta, xi_t = -sigma delta, so xi_t + (sigma/beta) Lambda_t = 0. With the equations of the unknowns
// inside their bounds this is Newton's step for the directions.
static void write_equations(aligned* a)
{
  int nb = a->n_basis, N = nb + a->n_slide;
  for (int i = 0; i < nb; i++) {
    double* row = a->M + (size_t)i*(size_t)N;
    for (int j = 0; j < nb; j++) row[j] = entry(a, a->basis[i], a->basis[j]);
    for (int s = 0; s < a->n_slide; s++) row[nb + s] = entry_by_t(a, a->basis[i], across_of(a, s));
    row[i] += SOFT;
    a->rhs[i] = -a->w[a->basis[i]];
  }
  for (int r = 0; r < a->n_slide; r++) {
    across t = across_of(a, r);
    double *row = a->M + (size_t)(nb + r)*(size_t)N, sigma = a->z[t.sigma];
    for (int j = 0; j < nb; j++) row[j] = entry_of_t(a, t, a->basis[j]);
    for (int s = 0; s < a->n_slide; s++) {
      across q = across_of(a, s);
      row[nb + s] = (entry_of_t(a, t, q.d2) - q.c*entry_of_t(a, t, q.d1))/q.s;
    }
    row[nb + r] += sigma/a->z[t.d1] + SOFT;
    a->rhs[nb + r] = -(a->w[t.d2] - sigma - t.c*(a->w[t.d1] - sigma))/t.s;  // w = sigma + d.xi
  }
}

// Turns all round contacts; those that slide along their first direction by Newton's step if that is small
static void turn_all(aligned* a)
{
  find_states(a);
  int N = a->n_basis + a->n_slide, s = 0;
  bool newton = a->n_slide > 0;
  if (newton) {
    write_equations(a);
    newton = ss_lu_factor(N, a->M, a->piv);
  }
  if (newton) ss_lu_solve(N, a->M, a->piv, a->rhs);
  for (int c = 0; c < a->run->p.n_contact; c++) {
    bool slides = s < a->n_slide && a->contact[s] == c;
    double delta = slides && newton ? a->rhs[a->n_basis + s]/a->z[a->slide[s] + 1] : INFINITY;
    s += slides;
    if (ss_cone_is_round(a->run, c)) turn(a, c, fabs(delta) < 1 ? atan(delta) : wanted(a, c));
  }
}

// ---- the method ----

// A direction along -b_T, or along what a guess says; from the third start on turned at random. Or where it is fixed
static void start(aligned* a, const double* guess, int number)
{
  uint64_t seed = (uint64_t)number;
  bool fixed = a->run->def->polyhedral && a->run->def->cone_fixed;
  memset(a->angle, 0, 2*(size_t)a->run->p.n_contact*sizeof(double));  // and the steps
  if (guess) ss_cone_inwards(a->run, guess, a->Lambda);
  else memset(a->Lambda, 0, (size_t)a->run->p.m*sizeof(double));
  velocities(a);
  for (int c = 0; c < a->run->p.n_contact; c++)
    if (ss_cone_is_round(a->run, c)) {
      a->angle[c] = fixed ? a->run->def->cone_angle : wanted(a, c);
      if (number > 1) a->angle[c] += 0.5*TURN*ss_pseudo_random(&seed);
    }
}

// One start and the rounds of turning after it. Status of ss_cone_align().
static ss_status run_from(aligned* a, int solver, int number)
{
  ss_cone_run* run = a->run;
  start(a, run->guess, number);
  for (int k = 0; k < ROUNDS && !ss_stopped(run->def->stop); k++) {
    if (k > 0) turn_all(a);
    ss_status status = solve(a, solver, k > 0, number == 1 ? PROXIMAL : 0);
    if (status < 0) return k > 0 ? SS_NOT_CONVERGED : status;
    if (ss_cone_offer(run, a->Lambda)) return SS_OK;
    if (status != SS_OK) break;
  }
  return SS_NOT_CONVERGED;
}

// The residual of the MLCP without a proximal term at the unknowns that a step with one has found
static double plain_residual(aligned* a)
{
  ss_mlcp mlcp = {.n = a->n, .A = a->A, .b = a->b, .lower = a->lower, .upper = a->upper};
  write_mlcp(a, 0);
  return ss_mlcp_residual(&mlcp, a->z);
}

// The polyhedral cone as it is, without turning: one MLCP, and where that fails proximal steps towards it
static ss_status run_plain(aligned* a, int solver)
{
  ss_cone_run* run = a->run;
  start(a, run->guess, 0);
  ss_status status = solve(a, solver, false, 0);
  for (int k = 0; status >= 0 && !ss_stopped(run->def->stop); k++) {
    if (k > 0) run->mlcp_residual = plain_residual(a);
    ss_cone_offer(run, a->Lambda);
    if (run->mlcp_residual <= run->def->tol) return SS_OK;
    if (k == ROUNDS) break;
    if (k == 0) memset(a->Lambda, 0, (size_t)run->p.m*sizeof(double));
    status = solve(a, solver, false, PROXIMAL);
  }
  return status < 0 ? status : SS_NOT_CONVERGED;
}

ss_status ss_cone_align(ss_cone_run* run, int solver)
{
  aligned a = {.run = run, .poly = {.problem = &run->p, .facets = run->def->facets, .set = run->shape}};
  size_t mark = ss_arena_mark(run->arena);
  a.n = ss_polyhedral_unknowns(&a.poly);
  ss_status result = SS_ERR_CAPACITY;
  if (take_memory(&a)) {
    int starts = run->n_round == 0 ? STARTS_PLANAR : a.n > LARGE ? STARTS_LARGE : STARTS;
    if (run->def->polyhedral) starts = 1;
    for (int i = 0; i < starts && result != SS_OK && !(i > 0 && ss_stopped(run->def->stop)); i++) {
      ss_status status = run->def->polyhedral ? run_plain(&a, solver) : run_from(&a, solver, i);
      if (status >= 0 || i == 0) result = status;  // a failure counts if nothing else came of it
    }
  }
  ss_arena_release(run->arena, mark);
  return result;
}
