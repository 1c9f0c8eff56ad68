// The residual of planar contact problems (contact_residual.c) with twice the digits.
#include "solve/twofold.h"
#include <float.h>
#include <math.h>
#include <stickslip/certify.h>

// In units in which the largest b is about 1
typedef struct worst {
  double unit, violation, reference, absolute;
  bool violated;
} worst;

static ss_twofold xi_of(const ss_contact_problem* p, const double* Lambda, int i)
{
  ss_twofold sum = ss_tw(p->b[i]);
  for (int j = 0; j < p->m; j++)
    sum = ss_tw_add(sum, ss_tw_product(p->G[(size_t)i*(size_t)p->m + (size_t)j], Lambda[j]));
  return sum;
}

static double size_of(ss_twofold x) { return ss_tw_double(ss_tw_abs(x)); }

// A row with G_ii = g > 0 and what it violates, as a velocity
static void count(worst* w, double g, double b, ss_twofold violation)
{
  double size = size_of(violation), relative = size*w->unit/sqrt(g), given = fabs(b)*w->unit/sqrt(g);
  if (!(relative <= DBL_MAX && given <= DBL_MAX)) w->absolute = INFINITY;
  if (size != 0) w->violated = true;
  if (relative > w->violation) w->violation = relative;
  if (given > w->reference) w->reference = given;
}

// Lambda - wanted relative to the larger of Lambda and the limit: a row that nothing moves
static double off(double Lambda, ss_twofold wanted, double limit)
{
  double size = fmax(limit, fabs(Lambda));
  return size > 0 ? size_of(ss_tw_sub(ss_tw(Lambda), wanted))/size : 0;
}

static void bilateral(worst* w, const ss_contact_problem* p, const double* Lambda, int i, double g)
{
  if (g > 0) count(w, g, p->b[i], xi_of(p, Lambda, i));
  else if (p->b[i] != 0) w->absolute = INFINITY;
}

// |min(g Lambda, xi)|
static void normal(worst* w, const ss_contact_problem* p, const double* Lambda, int i, double g)
{
  ss_twofold xi = xi_of(p, Lambda, i), load = ss_tw_product(g, Lambda[i]);
  if (g > 0) count(w, g, p->b[i], ss_tw_less(load, xi) ? load : xi);
  else if (p->b[i] < 0) w->absolute = INFINITY;
  else if (Lambda[i] < 0 || (Lambda[i] > 0 && p->b[i] > 0)) w->absolute = fmax(w->absolute, 1);
}

// Where the projection ends inside the limits, xi itself is the violation; else g times the distance from the limit
static void friction(worst* w, const ss_contact_problem* p, const double* Lambda, int i, double g, ss_twofold limit)
{
  ss_twofold xi = xi_of(p, Lambda, i), G = ss_tw(g), L = ss_tw(Lambda[i]), end = ss_tw_mul(G, limit);
  if (g > 0) {
    ss_twofold to = ss_tw_sub(ss_tw_mul(G, L), xi);
    if (ss_tw_less(end, to)) count(w, g, p->b[i], ss_tw_mul(G, ss_tw_sub(L, limit)));
    else if (ss_tw_less(to, ss_tw_minus(end))) count(w, g, p->b[i], ss_tw_mul(G, ss_tw_add(L, limit)));
    else count(w, g, p->b[i], xi);
    return;
  }
  ss_twofold wanted = p->b[i] > 0 ? ss_tw_minus(limit) : p->b[i] < 0 ? limit : L;
  if (p->b[i] == 0 && ss_tw_less(limit, ss_tw_abs(L))) wanted = Lambda[i] > 0 ? limit : ss_tw_minus(limit);
  w->absolute = fmax(w->absolute, off(Lambda[i], wanted, ss_tw_double(limit)));
}

static void sliding(worst* w, const ss_contact_problem* p, const double* Lambda, int i, double g, ss_twofold limit,
                    int c)
{
  ss_twofold wanted = p->slide[c] > 0 ? ss_tw_minus(limit) : limit;
  if (g > 0) count(w, g, g*p->bound[c], ss_tw_mul(ss_tw(g), ss_tw_sub(ss_tw(Lambda[i]), wanted)));
  else w->absolute = fmax(w->absolute, off(Lambda[i], wanted, ss_tw_double(limit)));
}

// The largest b, or what stands for it where a contact slides
static double largest(const ss_contact_problem* p)
{
  double size = 0;
  int row = p->n_bilateral;
  for (int i = 0; i < p->m; i++) size = fmax(size, fabs(p->b[i]));
  for (int c = 0; c < p->n_contact; row += ss_contact_rows(p->kind[c++])) {
    int T = row + ss_contact_rows(p->kind[c]) - 1;
    if (p->slide && p->slide[c]) size = fmax(size, p->G[(size_t)T*(size_t)(p->m + 1)]*p->bound[c]);
  }
  return size;
}

double ss_contact_certify(const ss_contact_problem* p, const double* Lambda)
{
  if (!p || (p->m && !Lambda)) return NAN;
  int i = 0, power = 0;
  for (int r = 0; r < p->m; r++) {
    double g = p->G[(size_t)r*(size_t)(p->m + 1)];
    if (!(g >= 0) || !isfinite(Lambda[r]) || !isfinite(p->b[r])) return INFINITY;
    if (!isfinite(ss_tw_double(xi_of(p, Lambda, r)))) return INFINITY;
  }
  double size = largest(p);
  if (!isfinite(size)) return INFINITY;
  if (size > 0) frexp(size, &power);
  worst w = {.unit = ldexp(1, power > 1000 ? -1000 : power < -1000 ? 1000 : -power)};
  for (; i < p->n_bilateral; i++) bilateral(&w, p, Lambda, i, p->G[(size_t)i*(size_t)(p->m + 1)]);
  for (int c = 0; c < p->n_contact; c++) {
    ss_twofold limit = ss_tw(p->bound[c]);
    if (p->kind[c] != SS_CONTACT_FRICTION) {
      normal(&w, p, Lambda, i, p->G[(size_t)i*(size_t)(p->m + 1)]);
      if (Lambda[i] > 0) limit = ss_tw_add(limit, ss_tw_product(p->mu[c], Lambda[i]));
      i++;
    }
    if (p->kind[c] == SS_CONTACT_NORMAL) continue;
    if (!(ss_tw_double(limit) >= 0)) return INFINITY;
    double g = p->G[(size_t)i*(size_t)(p->m + 1)];
    if (p->slide && p->slide[c]) sliding(&w, p, Lambda, i, g, limit, c);
    else friction(&w, p, Lambda, i, g, limit);
    i++;
  }
  double relative = !w.violated ? 0 : w.reference > 0 ? w.violation/w.reference : INFINITY;
  return relative > w.absolute ? relative : w.absolute;
}
