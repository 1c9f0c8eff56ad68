// ss_friction_residual() of a contact problem that is given as arrays: the same violations, nothing is allocated. G is
// there, or its diagonal and the velocities that the impulses lead to.
#include <math.h>
#include "solve/spatial_residual.h"
#include "solve/friction_cone.h"

typedef struct view {
  const ss_contact_problem* p;
  const double* diagonal;  // m, or NULL: that of p->G
  const double* xi;        // m, or NULL: G Lambda + b
} view;

// (G Lambda + b)_i
static double velocity(const view* a, const double* Lambda, int i)
{
  if (a->xi) return a->xi[i];
  const double* G = a->p->G + (size_t)i*(size_t)a->p->m;
  double xi = a->p->b[i];
  for (int j = 0; j < a->p->m; j++) xi += G[j]*Lambda[j];
  return xi;
}

static double diagonal(const view* a, int i)
{
  return a->diagonal ? a->diagonal[i] : a->p->G[(size_t)i*(size_t)(a->p->m + 1)];
}

// The largest of: |b_i|; if all are 0, what the impulses do
static double scale_of(const view* a, const double* Lambda)
{
  const ss_contact_problem* p = a->p;
  double scale = 0;
  for (int i = 0; i < p->m; i++) scale = ss_worse(scale, fabs(p->b[i]));
  for (int i = 0; scale == 0 && i < p->m; i++) scale = ss_worse(scale, fabs(velocity(a, Lambda, i)));
  return scale;
}

typedef struct traces {
  double largest;   // of the blocks G_ii
  double impulses;  // largest trace |Lambda|
} traces;

static double trace_of(const view* a, int first, int rows)
{
  double sum = 0;
  for (int i = first; i < first + rows; i++) sum += diagonal(a, i);
  return sum;
}

// Bilateral rows in blocks as large as the largest contact, as ss_friction_residual() has them
static traces look(const view* a, const double* Lambda)
{
  const ss_contact_problem* p = a->p;
  traces t = {0, 0};
  int block = 2;
  for (int c = 0; c < p->n_contact; c++)
    if (p->kind[c] == SS_CONTACT_SPATIAL) block = 3;
  for (int i = 0, c = 0, rows = 1; i < p->m; i += rows) {
    int left = p->n_bilateral - i;
    rows = left > 0 ? (left < block ? left : block) : ss_contact_rows(p->kind[c++]);
    double g = trace_of(a, i, rows);
    t.largest = ss_larger(t.largest, g);
    for (int k = i; k < i + rows; k++) t.impulses = ss_larger(t.impulses, g*fabs(Lambda[k]));
  }
  return t;
}

// The violation by contact c, whose first row is i. A friction element is (-, T), a frictionless one (N, -).
static double violation(const view* a, const double* Lambda, int c, int i, double largest, double unit)
{
  const ss_contact_problem* p = a->p;
  int rows = ss_contact_rows(p->kind[c]), at = p->kind[c] == SS_CONTACT_FRICTION;
  double L[3] = {0}, xi[3] = {0}, g = trace_of(a, i, rows);
  bool normal = p->kind[c] == SS_CONTACT_NORMAL;
  for (int k = 0; k < rows; k++) {
    L[at + k] = Lambda[i + k];
    xi[at + k] = velocity(a, Lambda, i + k);
  }
  if (!(g > 0)) g = largest > 0 ? largest : 1;  // no impulse moves it: any unit will do
  return ss_contact_violation(rows == 3 ? 3 : 2, normal || at ? 0 : p->mu[c], normal ? 0 : p->bound[c], g, unit, L, xi);
}

static double measure(const view* a, const double* Lambda)
{
  const ss_contact_problem* p = a->p;
  double scale = scale_of(a, Lambda), worst = 0;
  if (!isfinite(scale) || !ss_finite(p->m, Lambda)) return INFINITY;
  traces t = look(a, Lambda);
  double unit = ss_unit_of(scale > 0 ? scale : t.impulses);
  for (int i = 0; i < p->n_bilateral; i++) worst = ss_worse(worst, fabs(velocity(a, Lambda, i))*unit);
  for (int c = 0, i = p->n_bilateral; c < p->n_contact; i += ss_contact_rows(p->kind[c++]))
    worst = ss_worse(worst, violation(a, Lambda, c, i, t.largest, unit));
  double r = worst == 0 ? 0 : worst/(scale*unit);
  return isnan(r) ? INFINITY : r;
}

double ss_spatial_residual(const ss_contact_problem* p, const double* Lambda)
{
  if (!p || (p->m && !Lambda)) return NAN;
  return measure(&(view){.p = p}, Lambda);
}

double ss_spatial_measure(const ss_contact_problem* p, const double* diagonal_of_G, const double* xi,
                          const double* Lambda)
{
  return measure(&(view){p, diagonal_of_G, xi}, Lambda);
}
