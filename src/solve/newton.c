// The damped semismooth Newton method [De Luca, Facchinei & Kanzow 1996] for Phi(x) = 0:
//
//   V d = -Phi,   V = diag(phi_x) + diag(phi_y) A
//   x <- x + t d,  t = 1, 1/2, 1/4 ...  until  Psi(x + t d) <= max of the last Psi + sigma t grad Psi . d
//
// Whatever phi gives the step, the merit Psi = |Phi|^2/2, grad Psi = V^T Phi, is that of Fischer and Burmeister, which
// is smooth [De Luca, Facchinei & Kanzow 2000]. Where V is singular or d does not lead downhill, a regularised step
// (V^T V + nu) d = -V^T Phi is taken instead [Kanzow & Petra 2004]. Accepting a step by the largest of the last merits
// [Grippo, Lampariello & Lucidi 1986] passes narrow valleys. When the set of x_i > y_i no longer changes, its basis is
// solved by LU with refinement: the answer is then exact, not a limit. The problem is scaled first.
#include "solve/newton.h"
#include "base/arena.h"
#include "math/dense.h"
#include "solve/search.h"
#include <float.h>
#include <math.h>

enum {
  STEPS = 100,   // per starting point, unless the def says otherwise
  MEMORY = 6,    // merits remembered
  HALVINGS = 30, // of the step length
  IDLE = 20,     // steps without a lower merit that end an attempt
};

// nu relative to V^T V and |Phi|: by trial on frictional problems, 1e-3 solves fewer, 1e-8 no more
static const double DAMPING = 1e-6;

typedef struct state {
  ss_search s;
  const ss_ncp_function* phi;
  int n;
  double *A, *M;        // n x n: the scaled A; scratch for factors
  double *x, *y;        // n: the present point, scaled
  double *Phi, *px, *py;  // n: its Phi and slopes
  double *d, *Ad;       // n: the step, and how y follows it
  double* g;            // n: gradient of the merit
  int *set, *piv;       // n
  double merit, recent[MEMORY];
  uint64_t tried;       // hash of the last basis that was solved
} state;

static size_t square(int n) { return ss_arena_bytes(sizeof(double)*(size_t)n*(size_t)n); }

size_t ss_newton_size(int n)
{
  if (n <= 0) return 0;
  size_t vectors = ss_arena_bytes(8*sizeof(double)*(size_t)n) + ss_arena_bytes(2*sizeof(int)*(size_t)n);
  return ss_search_size(n) + 2*square(n) + vectors;
}

// ---- the scaled problem ----

static bool take(state* w, ss_arena* arena)
{
  size_t n = (size_t)w->n;
  w->A = ss_arena_array(arena, double, n*n);
  w->M = ss_arena_array(arena, double, n*n);
  double* v = ss_arena_array(arena, double, 8*n);
  w->set = ss_arena_array(arena, int, 2*n);
  if (!w->A || !w->M || !v || !w->set) return false;
  w->x = v;
  w->y = v + n;
  w->Phi = v + 2*n;
  w->px = v + 3*n;
  w->py = v + 4*n;
  w->d = v + 5*n;
  w->Ad = v + 6*n;
  w->g = v + 7*n;
  w->piv = w->set + n;
  return true;
}

static void load(state* w)
{
  const ss_tableau* t = &w->s.t;
  size_t n = (size_t)w->n;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) w->A[i*n + j] = t->row[i]*w->s.lcp->A[i*n + j]*t->col[j];
}

// Phi and its slopes at x, for this phi
static void linearise(state* w, const ss_ncp_function* phi)
{
  for (int i = 0; i < w->n; i++) {
    w->Phi[i] = phi->value(w->x[i], w->y[i]);
    phi->slopes(w->x[i], w->y[i], &w->px[i], &w->py[i]);
  }
}

static double merit_at(const state* w, double t)
{
  double sum = 0;
  for (int i = 0; i < w->n; i++) {
    double f = ss_fischer_burmeister.value(w->x[i] + t*w->d[i], w->y[i] + t*w->Ad[i]);
    sum += f*f;
  }
  return 0.5*sum;
}

// y and the merit of a new x
static void arrive(state* w)
{
  ss_gemv(w->n, w->n, w->A, w->x, w->y);
  for (int i = 0; i < w->n; i++) {
    w->y[i] += w->s.t.b[i];
    w->d[i] = w->Ad[i] = 0;
  }
  w->merit = merit_at(w, 0);
}

static void start(state* w, int number)
{
  uint64_t seed = (uint64_t)number;
  for (int i = 0; i < w->n; i++) w->x[i] = number == 0 ? 0 : number == 1 ? 1 : 2*ss_search_random(&seed);
  arrive(w);
  for (int k = 0; k < MEMORY; k++) w->recent[k] = w->merit;
}

// ---- steps ----

// Rows with phi_y = 0 give d_i = -Phi_i/phi_x at once; the others, the set F, are a smaller system
static int split(state* w)
{
  int k = 0;
  for (int i = 0; i < w->n; i++) {
    w->d[i] = 0;
    if (w->py[i] != 0) w->set[k++] = i;
    else w->d[i] = -w->Phi[i]/w->px[i];
  }
  return k;
}

// V d = -Phi. False if V is singular.
static bool newton_step(state* w)
{
  int n = w->n, k = split(w), *F = w->set;
  double* rhs = w->Ad;
  for (int p = 0; p < k; p++) {
    int i = F[p];
    const double* a = w->A + (size_t)i*(size_t)n;
    rhs[p] = -w->Phi[i] - w->py[i]*ss_dot(n, a, w->d);
    double* m = w->M + (size_t)p*(size_t)k;
    for (int q = 0; q < k; q++) m[q] = w->py[i]*a[F[q]];
    m[p] += w->px[i];
  }
  if (!ss_lu_factor(k, w->M, w->piv)) return false;
  ss_lu_solve(k, w->M, w->piv, rhs);
  for (int p = 0; p < k; p++) w->d[F[p]] = rhs[p];
  return ss_norm_inf(n, w->d) < 1e12;  // beyond this only round-off is left of x
}

// (V^T V + nu) d = -V^T Phi
static bool regularised_step(state* w)
{
  size_t n = (size_t)w->n;
  double *Vt = w->s.t.T, largest = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) Vt[j*n + i] = w->py[i]*w->A[i*n + j] + (i == j ? w->px[i] : 0);
  ss_abt_sym(w->n, w->n, Vt, Vt, w->M);
  for (size_t i = 0; i < n; i++) largest = fmax(largest, w->M[i*n + i]);
  double nu = largest*(1e-12 + DAMPING*fmin(1, sqrt(w->merit)));
  for (size_t i = 0; i < n; i++) {
    w->M[i*n + i] += nu;
    w->d[i] = -w->g[i];
  }
  if (!ss_chol_factor(w->n, w->M)) return false;
  ss_chol_solve(w->n, w->M, w->d);
  return isfinite(ss_norm_inf(w->n, w->d));
}

// g = V^T Phi
static void gradient(state* w)
{
  for (int i = 0; i < w->n; i++) w->Ad[i] = w->py[i]*w->Phi[i];
  ss_gemv_t(w->n, w->n, w->A, w->Ad, w->g);
  for (int i = 0; i < w->n; i++) w->g[i] += w->px[i]*w->Phi[i];
}

// The step length, and the step. False if no length will do.
static bool line_search(state* w, int number)
{
  const double sigma = 1e-4;
  double reference = 0, slope = ss_dot(w->n, w->g, w->d), t = 1;
  if (!(slope < 0)) return false;
  for (int k = 0; k < MEMORY; k++) reference = fmax(reference, w->recent[k]);
  ss_gemv(w->n, w->n, w->A, w->d, w->Ad);
  for (int k = 0; !(merit_at(w, t) <= reference + sigma*t*slope); k++, t /= 2)
    if (k == HALVINGS) return false;
  ss_axpy(w->n, t, w->d, w->x);
  arrive(w);
  w->recent[number%MEMORY] = w->merit;
  return isfinite(w->merit);
}

static bool step(state* w, int number)
{
  linearise(w, &ss_fischer_burmeister);
  gradient(w);
  if (w->phi != &ss_fischer_burmeister) linearise(w, w->phi);
  if (newton_step(w) && line_search(w, number)) return true;
  if (w->phi != &ss_fischer_burmeister) linearise(w, &ss_fischer_burmeister);
  return regularised_step(w) && line_search(w, number);
}

// ---- polish ----

static uint64_t hash_of_basis(const state* w)
{
  uint64_t h = 1469598103934665603u;  // FNV-1a
  for (int i = 0; i < w->n; i++) h = (h ^ (w->x[i] > w->y[i]))*1099511628211u;
  return h;
}

// The basis of x_i > y_i, exactly
static void polish(state* w)
{
  for (int i = 0; i < w->n; i++) w->s.t.place[i] = w->x[i] > w->y[i] ? -1 : 0;
  w->tried = hash_of_basis(w);
  ss_search_offer_basis(&w->s);
}

// The present x itself, for problems whose basis is singular
static void offer_point(state* w)
{
  const ss_tableau* t = &w->s.t;
  for (int i = 0; i < w->n; i++) t->x[i] = w->x[i] > w->y[i] && w->x[i] > 0 ? w->x[i]*t->col[i]/t->beta : 0;
  ss_search_offer(&w->s);
}

static void attempt(state* w, int number)
{
  int limit = w->s.def->max_iter > 0 ? w->s.def->max_iter : STEPS, idle = 0;
  double lowest = INFINITY;
  uint64_t last = 0;
  start(w, number);
  for (int k = 0; k < limit && idle < IDLE && w->merit > 1e-28; k++) {
    uint64_t now = hash_of_basis(w);
    if (k > 0 && now == last && now != w->tried) polish(w);
    if (ss_search_good(&w->s)) return;
    last = now;
    idle = w->merit < lowest*0.999 ? 0 : idle + 1;
    lowest = fmin(lowest, w->merit);
    if (!step(w, k)) break;
    w->s.best->iterations++;
  }
  polish(w);
  if (!ss_search_good(&w->s)) offer_point(w);
}

ss_status ss_newton(const ss_ncp_function* phi, const ss_lcp* lcp, const ss_lcp_def* def, ss_arena* arena,
                    ss_lcp_solution* solution)
{
  state w = {.phi = phi};
  bool done;
  size_t mark = ss_arena_mark(arena);
  ss_status status = ss_search_begin(&w.s, lcp, def, arena, solution, &done);
  w.n = done ? 0 : lcp->n;
  if (!done && !take(&w, arena)) {
    status = SS_ERR_CAPACITY;
  } else if (!done) {
    load(&w);
    do attempt(&w, solution->attempts++);
    while (solution->attempts < def->attempts && !ss_search_good(&w.s));
    status = ss_search_end(&w.s, SS_NOT_CONVERGED);
  }
  ss_arena_release(arena, mark);
  return status;
}
