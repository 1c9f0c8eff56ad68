// Newton's method for the natural maps of a small contact problem, xi = G Lambda + b [Alart & Curnier 1991]:
//   Lambda_N = max(0, y_N),   Lambda_T = y_T if |y_T| <= L, else L y_T/|y_T|,   y = Lambda - rho xi,
//   L = mu max(0, Lambda_N) + bound.
// From impulses that are nearly right it takes one step or two. What rows that depend on one another carry stays as
// near to the start as it can be: a small multiple of the change is added to their velocities, and goes to zero.
#include "integrate/rattle_quick.h"

#include <math.h>
#include <string.h>

#include "contact/spatial.h"
#include "math/dense.h"
#include "solve/friction_blocks.h"

enum { MOST_STEPS = 6 };
enum { ROW_HELD, ROW_SET, ROW_SLIDES };  // codes of rows of J
#define ENOUGH 1e-15     // of the terms of a velocity: no step will better it
#define ROUND_OFF 1e-12  // ... that must be reached
#define DEPENDENT 1e-10  // part of a diagonal entry that is left by other rows if they depend on one another
#define ALIKE 1e-6       // of the largest impulse
#define PROXIMAL 1e-6    // of a diagonal entry: what regular rows converge by in each step then

void ss_quick_forget(ss_quick* quick) { quick->m = 0; }

// ---- the problem ----

bool ss_quick_can(const ss_work* w)
{
  return w->op && w->problem.m > 0 && w->problem.m <= SS_QUICK_ROWS && w->n_loaded == 0 && w->n_sets == 0;
}

bool ss_quick_knows(const ss_quick* x, const ss_work* w)
{
  return x->m == w->problem.m && memcmp(x->source, w->source, sizeof *x->source*(size_t)x->m) == 0;
}

static bool have_matrix(ss_quick* x, ss_work* w)
{
  int m = w->problem.m;
  if (ss_quick_knows(x, w)) return true;
  x->m = 0;
  if (w->op->delassus(&w->at, m, w->source, x->G) < 0) return false;
  memcpy(x->source, w->source, sizeof *x->source*(size_t)m);
  x->m = m;
  x->dependent = x->factored = false;
  return true;
}

// xi = G Lambda + b, and the magnitudes of its terms
static void find_velocities(ss_quick* x, const double* b)
{
  for (int i = 0; i < x->m; i++) {
    const double* G = x->G + i*x->m;
    double sum = b[i], size = fabs(b[i]);
    for (int j = 0; j < x->m; j++) {
      sum += G[j]*x->Lambda[j];
      size += fabs(G[j]*x->Lambda[j]);
    }
    x->xi[i] = sum;
    x->terms[i] = size;
  }
}

// ---- Newton's step ----

// Row i of J is that of G: xi_i = 0
static void hold(ss_quick* x, int i)
{
  x->code[i] = ROW_HELD;
  x->step[i] = -x->xi[i];
}

// Row i of J: Lambda_i = value
static void set(ss_quick* x, int i, double value)
{
  x->code[i] = ROW_SET;
  x->step[i] = value - x->Lambda[i];
}

static double unit_of(const ss_quick* x, int i, int rows)
{
  double most = 0;
  for (int k = i; k < i + rows; k++) most = fmax(most, x->G[k*x->m + k]);
  return most;
}

// By how much the velocity of row i is off, relative to its terms. What nothing moves is not.
static double part_of(ss_quick* x, int i, double off)
{
  if (off == 0 || !(x->G[i*(x->m + 1)] > 0)) return 0;
  x->worst = fmax(x->worst, fabs(off));
  return fabs(off)/x->terms[i];
}

static double classify_normal(ss_quick* x, int i)
{
  double g = x->G[i*x->m + i], y = x->Lambda[i]*g - x->xi[i];
  if (!(g > 0) || y <= 0) {
    set(x, i, 0);
    return part_of(x, i, x->Lambda[i]*g);
  }
  hold(x, i);
  return part_of(x, i, x->xi[i]);
}

// g y, and its length
static double find_pull(const ss_quick* x, int i, int rows, double g, double y[2])
{
  double size = 0;
  for (int k = 0; k < rows; k++) {
    y[k] = g*x->Lambda[i + k] - x->xi[i + k];
    size = rows > 1 ? hypot(size, y[k]) : fabs(y[k]);
  }
  return size;
}

static double limit_of(const ss_quick* x, int normal, double mu, double bound)
{
  return (normal >= 0 ? mu*fmax(0, x->Lambda[normal]) : 0) + bound;
}

static double classify_tangents(ss_quick* x, int i, int rows, int normal, double mu, double bound)
{
  double L = limit_of(x, normal, mu, bound), g = unit_of(x, i, rows), y[2], off = 0, size = find_pull(x, i, rows, g, y);
  bool slides = g > 0 && size > g*L;
  for (int k = i; k < i + rows; k++) {
    if (slides) {
      set(x, k, L*y[k - i]/size);
      if (L > 0) x->code[k] = ROW_SLIDES;
      off = fmax(off, part_of(x, k, g*x->step[k]));
    } else {
      if (x->G[k*(x->m + 1)] > 0) hold(x, k);
      else set(x, k, 0);
      off = fmax(off, part_of(x, k, x->xi[k]));
    }
  }
  return off;
}

// What each row is, and the right-hand side, into step. Returns how far the impulses are from a solution, relative to
// the terms; x->worst: as velocities.
static double classify(ss_quick* x, const ss_contact_problem* p)
{
  double off = 0;
  int i = 0;
  x->worst = 0;
  for (; i < p->n_bilateral; i++) {
    if (x->G[i*(x->m + 1)] > 0) hold(x, i);
    else set(x, i, 0);
    off = fmax(off, part_of(x, i, x->xi[i]));
  }
  for (int c = 0; c < p->n_contact; c++) {
    int rows = ss_contact_rows(p->kind[c]), first = p->kind[c] != SS_CONTACT_FRICTION, normal = first ? i : -1;
    if (first) off = fmax(off, classify_normal(x, i));
    if (rows > first)
      off = fmax(off, classify_tangents(x, i + first, rows - first, normal, first ? p->mu[c] : 0, p->bound[c]));
    i += rows;
  }
  return off;
}

// Lambda_T = L y/|y|: with d = y/|y| and P = 1 - d d^T
//   dLambda_T - mu d dLambda_N - L/|y| P (dLambda_T - rho dxi_T) = L d - Lambda_T
static void fill_sliding(ss_quick* x, int i, int rows, int normal, double mu, double bound)
{
  int m = x->m;
  double y[2], L = limit_of(x, normal, mu, bound), g = unit_of(x, i, rows), size = find_pull(x, i, rows, g, y);
  for (int k = 0; k < rows; k++) {
    double* J = x->J + (i + k)*m;
    memset(J, 0, sizeof(double)*(size_t)m);
    J[i + k] = 1;
    if (normal >= 0) J[normal] -= x->Lambda[normal] > 0 ? mu*y[k]/size : 0;
    for (int l = 0; l < rows && rows > 1; l++) {
      double P = L*g/size*((k == l) - y[k]*y[l]/(size*size));  // y and size are g times those above
      J[i + l] -= P;
      for (int j = 0; j < m; j++) J[j] += P/g*x->G[(i + l)*m + j];
    }
  }
}

static void fill_row(ss_quick* x, int i)
{
  double* J = x->J + i*x->m;
  if (x->code[i] == ROW_HELD) {
    memcpy(J, x->G + i*x->m, sizeof(double)*(size_t)x->m);
    if (x->dependent) J[i] *= 1 + PROXIMAL;
  } else if (x->code[i] == ROW_SET) {
    memset(J, 0, sizeof(double)*(size_t)x->m);
    J[i] = 1;
  }
}

static void fill(ss_quick* x, const ss_contact_problem* p)
{
  for (int i = 0; i < x->m; i++) fill_row(x, i);
  for (int c = 0, i = p->n_bilateral; c < p->n_contact; i += ss_contact_rows(p->kind[c++])) {
    int rows = ss_contact_rows(p->kind[c]), first = p->kind[c] != SS_CONTACT_FRICTION;
    if (rows > first && x->code[i + first] == ROW_SLIDES)
      fill_sliding(x, i + first, rows - first, first ? i : -1, first ? p->mu[c] : 0, p->bound[c]);
  }
}

// Whether rows depend on one another, from the factors: what is left of their diagonal entries
static bool are_dependent(const ss_quick* x)
{
  for (int i = 0; i < x->m; i++)
    if (ss_lu_pivot(x->m, x->J, i) <= DEPENDENT*(x->code[i] == ROW_HELD ? x->G[i*(x->m + 1)] : 1)) return true;
  return false;
}

static bool has_factors(const ss_quick* x)
{
  return x->factored && memcmp(x->code, x->code_of, sizeof *x->code*(size_t)x->m) == 0 &&
         !memchr(x->code, ROW_SLIDES, (size_t)x->m);
}

// False: there are no factors
static bool factor(ss_quick* x, const ss_contact_problem* p)
{
  if (has_factors(x)) return true;
  fill(x, p);
  x->factored = ss_lu_factor(x->m, x->J, x->piv);
  if (!x->dependent && (!x->factored || are_dependent(x))) {
    x->dependent = true;
    fill(x, p);
    x->factored = ss_lu_factor(x->m, x->J, x->piv);
  }
  memcpy(x->code_of, x->code, sizeof *x->code*(size_t)x->m);
  return x->factored;
}

static bool take_step(ss_quick* x, const ss_contact_problem* p)
{
  double given[SS_QUICK_ROWS];
  if (!factor(x, p)) return false;
  memcpy(given, x->step, sizeof(double)*(size_t)x->m);
  ss_lu_solve(x->m, x->J, x->piv, x->step);
  for (int i = 0; i < x->m; i++) x->Lambda[i] += x->code[i] == ROW_SET ? given[i] : x->step[i];  // 0 is 0
  return ss_all_finite(x->m, x->Lambda);
}

// ---- the solution ----

static bool find(ss_quick* x, const ss_work* w, double enough, bool unique, int* steps)
{
  const ss_contact_problem* p = &w->problem;
  double best = INFINITY, last = INFINITY;
  size_t bytes = sizeof(double)*(size_t)x->m;
  x->loosely = false;
  for (*steps = 0;; (*steps)++) {
    find_velocities(x, p->b);
    double off = classify(x, p);
    if (off < best) {
      best = off;
      memcpy(x->best, x->Lambda, bytes);
    }
    if (off <= ENOUGH && (!unique || *steps > 0 || x->dependent)) return true;
    if (*steps == MOST_STEPS || (best <= enough && off >= last/2)) break;
    last = off;
    if (!take_step(x, p)) return false;
  }
  memcpy(x->Lambda, x->best, bytes);
  find_velocities(x, p->b);
  classify(x, p);
  x->loosely = best > ROUND_OFF;
  return best <= enough;
}

// What was chosen in the step before is as good now
static bool is_as_before(const ss_quick* x, const ss_work* w)
{
  double change = 0;
  for (int i = 0; i < x->m && w->has_guess; i++) change = fmax(change, fabs(x->Lambda[i] - w->guess[i]));
  return w->has_guess && change <= ALIKE*ss_norm_inf(x->m, x->Lambda);
}

// A free body that may be alone on what does not move
static bool has_small_body(ss_work* w)
{
  bool found = !w->op->part_size;
  w->op->row_parts(&w->at, w->problem.m, w->source, w->row_part);
  w->has_row_parts = true;
  for (int r = 0; r < w->problem.m && !found; r++) {
    const int* p = w->row_part + 2*r;
    int part = p[0] >= 0 ? p[0] : p[1];
    found = (p[0] < 0 || p[1] < 0 || p[0] == p[1]) && part >= 0 && w->part_size[part] <= SS_BLOCK_SIZE;
  }
  return found;
}

// Rows that depend on one another carry in more than one way: where something slides it may move in several ways, and
// forces on bodies are chosen (island_choice.c).
static bool is_to_be_chosen(const ss_quick* x, ss_work* w, const ss_contact_solution* s)
{
  for (int c = 0; c < w->problem.n_contact; c++)
    if (s->state[c] == SS_SLIP || s->state[c] == SS_SLIP_POS || s->state[c] == SS_SLIP_NEG) return true;
  return !is_as_before(x, w) && has_small_body(w);
}

// Friction of a contact whose tangents begin at row i is within its limit
static void limit_friction(ss_quick* x, int i, int rows, double limit)
{
  double size = 0;
  for (int k = i; k < i + rows; k++) size = hypot(size, x->Lambda[k]);
  for (int k = i; k < i + rows && size > limit; k++) x->Lambda[k] *= limit/size;
}

// Impulses are outside of what contacts can give by round-off: the nearest that they can give
static void clip(ss_quick* x, const ss_contact_problem* p)
{
  for (int c = 0, i = p->n_bilateral; c < p->n_contact; i += ss_contact_rows(p->kind[c++])) {
    int rows = ss_contact_rows(p->kind[c]), first = p->kind[c] != SS_CONTACT_FRICTION;
    if (first) x->Lambda[i] = fmax(0, x->Lambda[i]);
    if (rows > first) limit_friction(x, i + first, rows - first, (first ? p->mu[c]*x->Lambda[i] : 0) + p->bound[c]);
  }
}

// States and the residual as they are told
static void judge(ss_quick* x, const ss_contact_problem* p, ss_contact_solution* s)
{
  double scale = ss_norm_inf(x->m, p->b);
  ss_contact_problem whole = *p;
  whole.G = x->G;
  memcpy(s->Lambda, x->Lambda, sizeof(double)*(size_t)x->m);
  memcpy(s->xi, x->xi, sizeof(double)*(size_t)x->m);
  s->residual = ss_spatial_residual(&whole, x->Lambda);
  ss_spatial_states(&whole, 2*s->residual*scale, x->step, s);
}

bool ss_quick_solve(ss_quick* x, ss_work* w, double tol, double loose, bool unique)
{
  const ss_contact_problem* p = &w->problem;
  int steps;
  if (!ss_quick_can(w) || !have_matrix(x, w)) return false;
  for (int i = 0; i < x->m; i++) x->Lambda[i] = w->has_guess ? w->guess[i] : 0;
  if (!find(x, w, fmax(ROUND_OFF, loose), unique, &steps)) return false;
  clip(x, p);
  if (loose == 0 || w->has_static || (unique && x->dependent)) {
    judge(x, p, &w->solution);
    if (!(w->solution.residual <= tol)) return false;
    if (unique && x->dependent && is_to_be_chosen(x, w, &w->solution)) return false;
  } else {
    memcpy(w->solution.Lambda, x->Lambda, sizeof(double)*(size_t)x->m);
    x->loosely = x->loosely || x->worst > tol*ss_norm_inf(x->m, p->b);
    w->solution.residual = x->worst > 0 ? x->worst/ss_norm_inf(x->m, p->b) : 0;
    if (!(w->solution.residual <= fmax(tol, loose))) return false;
  }
  if (x->dependent && w->choice < SS_CHOICE_FORCES) w->choice = SS_CHOICE_FORCES;
  w->solution.iterations = steps;
  w->has_jump = false;
  w->message[0] = 0;
  w->kappa = 0;
  return true;
}
