// The damped semismooth Newton method [De Luca, Facchinei & Kanzow 1996] for Phi(x) = 0:
//
//   V d = -Phi,   V = diag(phi_x) + diag(phi_y) A
//   x <- x + t d,  t = 1, 1/2, 1/4 ...  until  Psi(x + t d) <= max of the last Psi + sigma t grad Psi . d
//
// Whatever phi gives the step, the merit Psi = |Phi|^2/2, grad Psi = V^T Phi, is that of Fischer and Burmeister, which
// is smooth [De Luca, Facchinei & Kanzow 2000]. Where V is singular or d does not lead downhill, a regularised step
// (V^T V + nu) d = -V^T Phi is taken instead [Kanzow & Petra 2004]. Accepting a step by the largest of the last merits
// [Grippo, Lampariello & Lucidi 1986] passes narrow valleys. When the set of x_i > y_i no longer changes, its basis is
// solved by LU with refinement: the answer is then exact, not a limit. The problem is scaled first. How A is stored is
// left to newton_dense.c and newton_sparse.c.
#include "solve/newton.h"
#include "base/arena.h"
#include "math/dense.h"
#include "solve/pseudo_random.h"
#include <float.h>
#include <math.h>

enum {
  STEPS = 100,   // per starting point, unless the def says otherwise
  MEMORY = 6,    // merits remembered
  HALVINGS = 30, // of the step length
  IDLE = 20,     // steps without a lower merit that end an attempt
  LARGE = 2000,  // unknowns from which a step takes long, and two starting points are all
};

// nu relative to V^T V and |Phi|: by trial on frictional problems, 1e-3 solves fewer, 1e-8 no more
static const double DAMPING = 1e-6;

typedef struct state {
  ss_newton* w;
  const ss_ncp_function* phi;
  double recent[MEMORY];
  uint64_t tried;  // hash of the last basis that was solved
} state;

size_t ss_newton_vectors_size(int n) { return ss_arena_bytes(8*sizeof(double)*(size_t)n); }

bool ss_newton_take_vectors(ss_newton* w, ss_arena* arena)
{
  size_t n = (size_t)w->n;
  double* v = ss_arena_array(arena, double, 8*n);
  if (!v) return false;
  double** vectors[8] = {&w->x, &w->y, &w->Phi, &w->px, &w->py, &w->d, &w->Ad, &w->g};
  for (size_t k = 0; k < 8; k++) *vectors[k] = v + k*n;
  return true;
}

// Phi and its slopes at x, for this phi
static void linearise(ss_newton* w, const ss_ncp_function* phi)
{
  for (int i = 0; i < w->n; i++) {
    w->Phi[i] = phi->value(w->x[i], w->y[i]);
    phi->slopes(w->x[i], w->y[i], &w->px[i], &w->py[i]);
  }
}

static double merit_at(const ss_newton* w, double t)
{
  double sum = 0;
  for (int i = 0; i < w->n; i++) {
    double f = ss_fischer_burmeister.value(w->x[i] + t*w->d[i], w->y[i] + t*w->Ad[i]);
    sum += f*f;
  }
  return 0.5*sum;
}

// y and the merit of a new x
static void arrive(ss_newton* w)
{
  w->matrix->multiply(w, w->x, w->y);
  for (int i = 0; i < w->n; i++) {
    w->y[i] += w->s.t.b[i];
    w->d[i] = w->Ad[i] = 0;
  }
  w->merit = merit_at(w, 0);
}

// Zero, ones, random. Sparse problems start from ones: the set of x_i > y_i then shrinks from all, in a dozen steps,
// while growing from few takes it a step for each row of a mesh.
static void start(state* a, int number)
{
  ss_newton* w = a->w;
  uint64_t seed = (uint64_t)number;
  double first = w->matrix == &ss_newton_sparse ? 1 : 0;
  for (int i = 0; i < w->n; i++)
    w->x[i] = number == 0 ? first : number == 1 ? 1 - first : 2*ss_pseudo_random_part(&seed);
  arrive(w);
  for (int k = 0; k < MEMORY; k++) a->recent[k] = w->merit;
}

// ---- steps ----

// g = V^T Phi
static void gradient(ss_newton* w)
{
  for (int i = 0; i < w->n; i++) w->Ad[i] = w->py[i]*w->Phi[i];
  w->matrix->multiply_t(w, w->Ad, w->g);
  for (int i = 0; i < w->n; i++) w->g[i] += w->px[i]*w->Phi[i];
}

// The step length, and the step. False if no length will do.
static bool line_search(state* a, int number)
{
  ss_newton* w = a->w;
  const double sigma = 1e-4;
  double reference = 0, slope = ss_dot(w->n, w->g, w->d), t = 1;
  if (!(slope < 0)) return false;
  for (int k = 0; k < MEMORY; k++) reference = fmax(reference, a->recent[k]);
  w->matrix->multiply(w, w->d, w->Ad);
  for (int k = 0; !(merit_at(w, t) <= reference + sigma*t*slope); k++, t /= 2)
    if (k == HALVINGS) return false;
  ss_axpy(w->n, t, w->d, w->x);
  arrive(w);
  a->recent[number%MEMORY] = w->merit;
  return isfinite(w->merit);
}

static bool step(state* a, int number)
{
  ss_newton* w = a->w;
  bool fb = a->phi == &ss_fischer_burmeister;
  linearise(w, &ss_fischer_burmeister);
  gradient(w);
  if (!fb) linearise(w, a->phi);
  if (w->matrix->step(w) && line_search(a, number)) return true;
  if (!fb) linearise(w, &ss_fischer_burmeister);
  return w->matrix->regularised_step(w, 1e-12 + DAMPING*fmin(1, sqrt(w->merit))) && line_search(a, number);
}

// ---- polish ----

static uint64_t hash_of_basis(const ss_newton* w)
{
  uint64_t h = 1469598103934665603u;  // FNV-1a
  for (int i = 0; i < w->n; i++) h = (h ^ (w->x[i] > w->y[i]))*1099511628211u;
  return h;
}

// The basis of x_i > y_i, exactly
static void polish(state* a)
{
  a->tried = hash_of_basis(a->w);
  a->w->matrix->polish(a->w);
}

// The present x itself, for problems whose basis is singular
void ss_newton_offer_point(ss_newton* w)
{
  const ss_tableau* t = &w->s.t;
  for (int i = 0; i < w->n; i++) t->x[i] = w->x[i] > w->y[i] && w->x[i] > 0 ? w->x[i]*t->col[i]/t->beta : 0;
  ss_search_offer(&w->s);
}

static void attempt(state* a, int number)
{
  ss_newton* w = a->w;
  int limit = w->s.def->max_iter > 0 ? w->s.def->max_iter : STEPS, idle = 0;
  double lowest = INFINITY;
  uint64_t last = 0;
  start(a, number);
  for (int k = 0; k < limit && idle < IDLE && w->merit > 1e-28; k++) {
    uint64_t now = hash_of_basis(w);
    if (k > 0 && now == last && now != a->tried) polish(a);
    if (ss_search_good(&w->s)) return;
    last = now;
    idle = w->merit < lowest*0.999 ? 0 : idle + 1;
    lowest = fmin(lowest, w->merit);
    if (!step(a, k)) break;
    w->s.best->iterations++;
  }
  polish(a);
  if (!ss_search_good(&w->s)) ss_newton_offer_point(w);
}

static ss_status run(state* a, ss_arena* arena)
{
  ss_newton* w = a->w;
  ss_lcp_solution* s = w->s.best;
  int starts = w->s.def->attempts;
  if (w->n > LARGE && starts > 2) starts = 2;
  ss_status status = w->matrix->open(w, arena) ? SS_OK : SS_ERR_CAPACITY;
  if (status == SS_OK) {
    do attempt(a, s->attempts++);
    while (s->attempts < starts && !ss_search_good(&w->s));
    status = ss_search_end(&w->s, SS_NOT_CONVERGED);
  }
  w->matrix->close(w);
  return status;
}

ss_status ss_newton_solve(const ss_ncp_function* phi, const ss_lcp* lcp, const ss_lcp_def* def, ss_arena* arena,
                          ss_lcp_solution* solution)
{
  ss_newton w = {.matrix = lcp->A ? &ss_newton_dense : &ss_newton_sparse};
  state a = {.w = &w, .phi = phi};
  bool done;
  size_t mark = ss_arena_mark(arena);
  ss_status status = ss_search_begin(&w.s, lcp, def, arena, solution, &done);
  w.n = done ? 0 : lcp->n;
  if (!done) status = run(&a, arena);
  ss_arena_release(arena, mark);
  return status;
}
