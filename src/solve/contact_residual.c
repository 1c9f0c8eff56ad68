// How far impulses are from solving a contact problem: the largest violation of its laws, as a velocity.
// The laws of a row as projections [Glocker & Studer 2005, section 5], with rho = 1/G_ii and divided by rho:
//   normal     Lambda_N = max(0, Lambda_N - rho xi_N)       ->  |min(g Lambda_N, xi_N)|,   g = G_ii
//   friction   Lambda_T = clamp(Lambda_T - rho xi_T, -a, a)  ->  |g Lambda_T - clamp(g Lambda_T - xi_T, -g a, g a)|
//   sliding    Lambda_T = -slide a                           ->  |g (Lambda_T + slide a)|
// Each row is measured in sqrt(G_ii), which makes rows of different units (translations, rotations) comparable. Spatial
// contacts have a residual of their own (spatial_residual.c).
#include "math/worst.h"
#include <float.h>
#include <math.h>
#include <stickslip/contact.h>

// The row being judged
typedef struct row {
  double g, b, xi, Lambda;  // G_ii, b_i, (G Lambda + b)_i, Lambda_i
} row;

static row row_at(const ss_contact_problem* p, const double* Lambda, int i)
{
  const double* G = p->G + (size_t)i*(size_t)p->m;
  double xi = p->b[i];
  for (int j = 0; j < p->m; j++) xi += G[j]*Lambda[j];
  return (row){G[i], p->b[i], xi, Lambda[i]};
}

static double larger(double a, double b) { return a > b ? a : b; }

static double clamp(double x, double limit)
{
  if (x > limit) return limit;
  return x < -limit ? -limit : x;
}

static double bilateral(const row* r) { return fabs(r->xi); }

static double normal(const row* r)
{
  double impulse = r->g*r->Lambda;
  return fabs(impulse < r->xi ? impulse : r->xi);
}

static double friction(const row* r, double limit)
{
  double impulse = r->g*r->Lambda;
  return fabs(impulse - clamp(impulse - r->xi, r->g*limit));
}

static double sliding(const row* r, double wanted) { return fabs(r->g*(r->Lambda - wanted)); }

// Rows that no impulse moves (G_ii = 0, hence xi = b): relative to b itself, or without bound if b breaks the law and
// nothing can help.
static double unreachable_bilateral(const row* r) { return r->b == 0 ? 0 : INFINITY; }

static double unreachable_normal(const row* r)
{
  if (r->b < 0) return INFINITY;
  return r->Lambda < 0 || (r->Lambda > 0 && r->b > 0) ? 1 : 0;
}

static double off(const row* r, double wanted, double limit)
{
  double size = larger(limit, fabs(r->Lambda));
  return size > 0 ? fabs(r->Lambda - wanted)/size : 0;
}

static double unreachable_friction(const row* r, double limit)
{
  return off(r, r->b > 0 ? -limit : r->b < 0 ? limit : clamp(r->Lambda, limit), limit);
}

// The largest so far: violations of reachable rows over sqrt(G_ii), b over sqrt(G_ii), and what stands for itself.
// Velocities are taken times a power of two that makes the largest b about 1: b/sqrt(G_ii) lies in the range of a
// double then, whatever b and G_ii.
typedef struct worst {
  double unit, violation, reference, absolute;
  bool violated;  // also by so little that violation is 0
} worst;

static void count(worst* w, const row* r, double violation, double unreachable)
{
  if (!(fabs(r->xi) <= DBL_MAX && r->g >= 0)) w->absolute = INFINITY;  // broken data, or G is not semidefinite
  else if (r->g > 0) {
    w->violated = w->violated || violation != 0;
    w->violation = ss_worse(w->violation, violation*w->unit/sqrt(r->g));
    w->reference = ss_worse(w->reference, fabs(r->b)*w->unit/sqrt(r->g));
  } else {
    w->absolute = ss_worse(w->absolute, unreachable);
  }
}

// Rows of contact c from row i on; returns the row after them
static int count_contact(worst* w, const ss_contact_problem* p, const double* Lambda, int c, int i)
{
  double limit = p->bound[c];
  if (p->kind[c] != SS_CONTACT_FRICTION) {
    row N = row_at(p, Lambda, i++);
    count(w, &N, normal(&N), unreachable_normal(&N));
    if (p->kind[c] == SS_CONTACT_NORMAL) return i;
    if (N.Lambda > 0) limit += p->mu[c]*N.Lambda;
  }
  row T = row_at(p, Lambda, i++);
  int slide = p->slide ? p->slide[c] : 0;
  if (!(limit >= 0)) w->absolute = INFINITY;  // a negative or NaN friction coefficient or bound
  else if (slide) {
    T.b = T.g*p->bound[c];  // b itself does not act
    count(w, &T, sliding(&T, -slide*limit), off(&T, -slide*limit, limit));
  }
  else count(w, &T, friction(&T, limit), unreachable_friction(&T, limit));
  return i;
}

// The largest number that a violation may be relative to
static double size_of(const ss_contact_problem* p)
{
  double size = 0;
  int i = p->n_bilateral;
  for (int j = 0; j < p->m; j++) size = ss_worse(size, fabs(p->b[j]));
  for (int c = 0; p->slide && c < p->n_contact; i += ss_contact_rows(p->kind[c++])) {
    int T = i + (p->kind[c] != SS_CONTACT_FRICTION);
    if (p->slide[c]) size = ss_worse(size, p->G[(size_t)T*(size_t)(p->m + 1)]*p->bound[c]);
  }
  return size;
}

double ss_contact_residual(const ss_contact_problem* problem, const double* Lambda)
{
  if (!problem || (problem->m && !Lambda)) return NAN;
  for (int c = 0; c < problem->n_contact; c++)
    if (problem->kind[c] == SS_CONTACT_SPATIAL) return ss_spatial_residual(problem, Lambda);
  double size = size_of(problem);
  worst w = {.unit = ss_unit_of(size)};
  int i = 0;
  if (!ss_finite(problem->m, Lambda) || !isfinite(size)) return INFINITY;
  for (; i < problem->n_bilateral; i++) {
    row r = row_at(problem, Lambda, i);
    count(&w, &r, bilateral(&r), unreachable_bilateral(&r));
  }
  for (int c = 0; c < problem->n_contact; c++) i = count_contact(&w, problem, Lambda, c, i);
  if (!isfinite(w.violation)) return INFINITY;
  double relative = !w.violated ? 0 : w.reference > 0 ? w.violation/w.reference : INFINITY;  // b = 0, but impulses
  return ss_worse(relative, w.absolute);
}
