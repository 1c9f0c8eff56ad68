// How far impulses are from the law of maximal dissipation.
#include "math/worst.h"
#include "solve/friction_set.h"
#include <float.h>

// Largest violation and largest b so far, in units of 1/sqrt(rho); velocities times a power of two that makes the
// largest b about 1
typedef struct worst {
  const ss_contact_problem* p;
  double unit, violation, reference;
  bool broken;    // a number is not finite
  bool violated;  // also by so little that violation is 0
} worst;

static double velocity(const ss_contact_problem* p, const double* Lambda, int i)
{
  const double* G = p->G + (size_t)i*(size_t)p->m;
  double xi = p->b[i];
  for (int j = 0; j < p->m; j++) xi += G[j]*Lambda[j];
  return xi;
}

static double diagonal(const ss_contact_problem* p, int i) { return p->G[(size_t)i*(size_t)p->m + (size_t)i]; }

static void count(worst* w, double violation, double b, double g)
{
  if (!(violation <= DBL_MAX && g > 0)) w->broken = true;
  if (violation != 0) w->violated = true;
  w->violation = ss_worse(w->violation, violation/sqrt(g));
  w->reference = ss_worse(w->reference, fabs(b)*w->unit/sqrt(g));
}

static void count_normal(worst* w, const double* Lambda, int i, double g)
{
  count(w, fabs(fmin(g*Lambda[i], velocity(w->p, Lambda, i)))*w->unit, w->p->b[i], g);
}

// |g Lambda_T - P_grS(g Lambda_T - xi_T)| with g = 1/rho; the first of `rows` tangential rows is i
static void count_friction(worst* w, const ss_friction_set* set, const double* Lambda, int i, int rows, double r,
                           double g)
{
  double impulse[2] = {0, 0}, xi[2] = {0, 0}, b[2] = {0, 0}, x[2];
  for (int a = 0; a < rows; a++) {
    impulse[a] = Lambda[i + a];
    xi[a] = velocity(w->p, Lambda, i + a);
    b[a] = w->p->b[i + a];
  }
  if (rows == 2) {  // an ellipse becomes a disk
    ss_set_shrink(set, impulse, impulse);
    ss_set_stretch_t(set, xi, xi);
    ss_set_stretch_t(set, b, b);
  }
  for (int a = 0; a < 2; a++) x[a] = (g*impulse[a] - xi[a])*w->unit;
  ss_set_project(rows == 2 ? set : NULL, fmin(g*r*w->unit, DBL_MAX), x, NULL, NULL);
  count(w, hypot(g*impulse[0]*w->unit - x[0], g*impulse[1]*w->unit - x[1]), fmax(fabs(b[0]), fabs(b[1])), g);
}

// The mean diagonal entry of a contact's rows, in the coordinates in which an ellipse is a disk: its tangential part is
// the trace of E^T G_TT E
static double mean_diagonal(const ss_contact_problem* p, const ss_friction_set* set, int c, int row)
{
  int rows = ss_contact_rows(p->kind[c]);
  double sum = 0;
  for (int i = row; i < row + rows; i++) sum += diagonal(p, i);
  if (set && p->kind[c] == SS_CONTACT_SPATIAL && set->shape == SS_SET_ELLIPSE) {
    const double *G1 = p->G + (size_t)(row + 1)*(size_t)p->m + row + 1, *G2 = G1 + p->m;
    sum = diagonal(p, row);
    for (int a = 0; a < 2; a++) {
      double axis[2];
      ss_set_stretch(set, (double[2]){a == 0, a == 1}, axis);
      sum += axis[0]*(G1[0]*axis[0] + G1[1]*axis[1]) + axis[1]*(G2[0]*axis[0] + G2[1]*axis[1]);
    }
  }
  return sum/rows;
}

// Rows of contact c from row i on
static void count_contact(worst* w, const ss_friction_set* set, const double* Lambda, int c, int i, double largest)
{
  const ss_contact_problem* p = w->p;
  double g = mean_diagonal(p, set, c, i), r = p->bound ? p->bound[c] : 0;
  int rows = ss_contact_rows(p->kind[c]);
  if (!(g > 0)) g = largest;  // no impulse moves this contact: any unit will do
  if (p->kind[c] != SS_CONTACT_FRICTION) {
    count_normal(w, Lambda, i, g);
    r += p->mu[c]*fmax(0, Lambda[i]);
    i++;
    rows--;
  }
  if (rows > 0) count_friction(w, set, Lambda, i, rows, r, g);
}

double ss_dissipation_residual(const ss_contact_problem* p, const ss_friction_set* set, const double* Lambda)
{
  int i = 0;
  double largest = 0, size = 0;
  if (!p || (p->m && !Lambda)) return NAN;  // no sets: planar contacts have intervals
  if (!ss_finite(p->m, Lambda)) return INFINITY;
  for (int j = 0; j < p->m; j++) {
    largest = fmax(largest, diagonal(p, j));
    size = ss_worse(size, fabs(p->b[j]));
  }
  worst w = {.p = p, .unit = ss_unit_of(size)};
  if (!(largest > 0)) largest = 1;
  for (; i < p->n_bilateral; i++) {
    double g = diagonal(p, i);
    count(&w, fabs(velocity(p, Lambda, i))*w.unit, p->b[i], g > 0 ? g : largest);
  }
  for (int c = 0; c < p->n_contact; c++) {
    count_contact(&w, set ? &set[c] : NULL, Lambda, c, i, largest);
    i += ss_contact_rows(p->kind[c]);
  }
  if (w.broken || !isfinite(w.violation) || !isfinite(w.reference)) return INFINITY;
  if (!w.violated) return 0;
  return w.reference > 0 ? w.violation/w.reference : INFINITY;  // b = 0, and the impulses are not zero
}
