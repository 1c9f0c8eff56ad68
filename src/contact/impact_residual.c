// How far impulses are from the law of an impact: from G, gamma and the impulses alone, with no part of a solver.
// Compression and Newton's law are contact problems, whose residual they have. In the expansion, with g = G_ii,
//   normal      |min(g (Lambda_NE - eps_N Lambda_NC), gamma_NE)|
//   tangential  L+ = max(0, Lambda_TE - Lambda_TS) and L- = max(0, Lambda_TS - Lambda_TE), each as a projection onto
//               what its half may take: |g L+ - clamp(g L+ - (gamma_TE - plus), 0, g (mu Lambda_NE - Lambda_TS))|, ...
// over sqrt(g), relative to the largest gamma_i/sqrt(g_i). In space Lambda_T is projected onto the disk, with the
// larger of the two g, and there is no Lambda_TS.
#include <stickslip/impact.h>

#include "math/worst.h"

static double clamp(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

static double rate(const ss_impact* in, const double* gamma, const double* Lambda, int r)
{
  double sum = gamma[r];
  for (int j = 0; j < in->m; j++) sum += in->G[(size_t)r*(size_t)in->m + (size_t)j]*Lambda[j];
  return sum;
}

// What a contact may do in one of the problems: b of its rows r, r + 1 from velocities (N, T), scaled restitution
typedef struct phase {
  const ss_impact* in;
  const ss_impact_def* def;
  double sigma;
  const double *Lambda_C, *Lambda_E;
  double unit;   // power of two that makes the largest gamma about 1
  double worst;  // so far, over sqrt(g)
  bool violated; // also by so little that worst is 0
} phase;

static void count(phase* f, double violation, double g)
{
  if (!(g >= 0) || !isfinite(violation)) f->worst = INFINITY;
  else if (g > 0) {
    f->violated = f->violated || violation != 0;
    f->worst = ss_worse(f->worst, fabs(violation)*f->unit/sqrt(g));
  }
  else if (violation != 0) f->worst = INFINITY;
}

// Coulomb's law for Lambda at velocity xi, with |Lambda| <= limit
static double coulomb(double g, double Lambda, double xi, double limit)
{
  return g*Lambda - clamp(g*Lambda - xi, -g*limit, g*limit);
}

// The same in the tangential plane, rows r and r + 1 of Lambda with the velocities xi
static void judge_disk(phase* f, const double* Lambda, int r, const double xi[2], double limit)
{
  size_t m = (size_t)f->in->m, at = (size_t)r;
  double g = fmax(f->in->G[at*m + at], f->in->G[(at + 1)*m + at + 1]), L[2], x[2];
  if (!(g > 0)) return;
  for (int k = 0; k < 2; k++) {
    L[k] = g*Lambda[r + k];
    x[k] = L[k] - xi[k];
  }
  double size = hypot(x[0], x[1]), part = size > g*limit ? g*limit/size : 1;
  count(f, hypot(L[0] - part*x[0], L[1] - part*x[1]), g);
}

static double one_sided(double g, double Lambda, double xi) { return fmin(g*Lambda, xi); }

// Row that moves; those that do not can only be checked for signs
static double judge_normal(double g, double P, double gamma)
{
  if (g > 0) return one_sided(g, P, gamma);
  return P < 0 || gamma < 0 || (P > 0 && gamma > 0) ? 1 : 0;
}

// The first problem: compression, or all of Newton's law
static void judge_first(phase* f)
{
  const ss_impact* in = f->in;
  bool newton = f->def->law == SS_IMPACT_NEWTON;
  for (int r = 0; r < in->n_bilateral; r++)
    count(f, rate(in, in->gamma, f->Lambda_C, r), in->G[(size_t)r*(size_t)in->m + (size_t)r]);
  for (int i = 0, r = in->n_bilateral; i < in->n_contact; i++) {
    double limit = 0, tangent[3];
    for (int k = 0; k < ss_contact_rows(in->kind[i]); k++, r++) {
      double g = in->G[(size_t)r*(size_t)in->m + (size_t)r], Lambda = f->Lambda_C[r];
      double xi = rate(in, in->gamma, f->Lambda_C, r);
      if (k == 0 && in->kind[i] != SS_CONTACT_FRICTION) {
        if (newton) xi += f->sigma*in->eps_n[i]*fmin(in->gamma[r], 0);
        count(f, judge_normal(g, Lambda, xi), g);
        limit = in->mu[i]*fmax(Lambda, 0);
      } else if (in->kind[i] == SS_CONTACT_SPATIAL) {
        tangent[k] = xi + (newton ? f->sigma*in->eps_t[i]*in->gamma[r] : 0);
        if (k == 2) judge_disk(f, f->Lambda_C, r - 1, tangent + 1, limit);
      } else {
        if (newton) xi += f->sigma*in->eps_t[i]*in->gamma[r];
        if (g > 0) count(f, coulomb(g, Lambda, xi, limit), g);
      }
    }
  }
}

// Tangential law of the expansion of contact i in its row r
static void judge_tangent(phase* f, int i, int r, double gamma, double limit)
{
  const ss_impact* in = f->in;
  double g = in->G[(size_t)r*(size_t)in->m + (size_t)r], Lambda = f->Lambda_E[r];
  double shift = in->nu && f->def->recoil != SS_RECOIL_NONE
                 ? in->nu[i]*f->sigma*in->eps_n[i]*in->eps_t[i]*f->Lambda_C[r] : 0;
  if (!(g > 0)) return;
  if (shift == 0) {
    count(f, coulomb(g, Lambda, gamma, limit), g);
    return;
  }
  bool unbraked = f->def->recoil == SS_RECOIL_FREE;
  double plus = fmin(g*shift, 0), minus = fmax(g*shift, 0);
  double up = fmax(Lambda - shift, 0), down = fmax(shift - Lambda, 0);
  if (unbraked && shift < 0) count(f, g*up, g);
  else count(f, g*up - clamp(g*up - (gamma - plus), 0, g*fmax(limit - shift, 0)), g);
  if (unbraked && shift > 0) count(f, g*down, g);
  else count(f, g*down - clamp(g*down + (gamma - minus), 0, g*fmax(limit + shift, 0)), g);
}

static void judge_expansion(phase* f)
{
  const ss_impact* in = f->in;
  for (int r = 0; r < in->n_bilateral; r++) {
    double xi = rate(in, in->gamma, f->Lambda_C, r);
    for (int j = 0; j < in->m; j++) xi += in->G[(size_t)r*(size_t)in->m + (size_t)j]*f->Lambda_E[j];
    count(f, xi, in->G[(size_t)r*(size_t)in->m + (size_t)r]);
  }
  for (int i = 0, r = in->n_bilateral; i < in->n_contact; i++) {
    double limit = 0, tangent[3];
    for (int k = 0; k < ss_contact_rows(in->kind[i]); k++, r++) {
      double g = in->G[(size_t)r*(size_t)in->m + (size_t)r], gamma = rate(in, in->gamma, f->Lambda_C, r);
      for (int j = 0; j < in->m; j++) gamma += in->G[(size_t)r*(size_t)in->m + (size_t)j]*f->Lambda_E[j];
      if (k == 0 && in->kind[i] != SS_CONTACT_FRICTION) {
        count(f, judge_normal(g, f->Lambda_E[r] - f->sigma*in->eps_n[i]*f->Lambda_C[r], gamma), g);
        limit = in->mu[i]*fmax(f->Lambda_E[r], 0);
      } else if (in->kind[i] == SS_CONTACT_SPATIAL) {
        tangent[k] = gamma;
        if (k == 2) judge_disk(f, f->Lambda_E, r - 1, tangent + 1, limit);
      } else judge_tangent(f, i, r, gamma, limit);
    }
  }
}

double ss_impact_residual(const ss_impact* in, const ss_impact_def* def, double sigma, const double* Lambda_C,
                          const double* Lambda_E)
{
  double size = 0, reference = 0;
  if (!in || !def || (in->m && !Lambda_C)) return NAN;
  if (in->m && !Lambda_E && def->law == SS_IMPACT_POISSON) return NAN;
  for (int r = 0; r < in->m; r++) size = ss_worse(size, fabs(in->gamma[r]));
  phase f = {in, def, sigma, Lambda_C, Lambda_E, ss_unit_of(size), 0, false};
  bool poisson = def->law == SS_IMPACT_POISSON;
  if (!isfinite(size) || !isfinite(sigma) || !ss_finite(in->m, Lambda_C)) return INFINITY;
  if (poisson && !ss_finite(in->m, Lambda_E)) return INFINITY;
  for (int r = 0; r < in->m; r++) {
    double g = in->G[(size_t)r*(size_t)in->m + (size_t)r];
    if (g > 0) reference = ss_worse(reference, fabs(in->gamma[r])*f.unit/sqrt(g));
  }
  judge_first(&f);
  if (poisson) judge_expansion(&f);
  if (!isfinite(f.worst)) return INFINITY;
  if (!f.violated) return f.worst;
  return reference > 0 ? f.worst/reference : INFINITY;
}
