// One contact alone, exactly: separate, stick, or slide.
//   separate   q_N >= 0 with friction by its bound alone, which is a sliding problem with the limit bound
//   stick      G Lambda = -q inside the cone
//   slide      xi_N = 0 and xi_T = -alpha Lambda_T with alpha > 0. With Lambda_N eliminated,
//                (S + alpha) Lambda_T = -c,   S = G_TT - G_TN G_NT/G_NN,   c = q_T - G_TN q_N/G_NN,
//              and alpha is where |Lambda_T| = limit = mu Lambda_N + bound. For alpha -> infinity the impulse lies
//              inside the cone, for alpha = 0 (sticking) outside: there is a root. Newton's method on 1/limit -
//              1/|Lambda_T|, which is nearly linear in alpha (the secular equation of trust regions [More & Sorensen
//              1983]), kept in a bracket.
#ifndef SS_SOLVE_FRICTION_ONE_CONTACT_H
#define SS_SOLVE_FRICTION_ONE_CONTACT_H

#include "math/simd.h"
#include "solve/friction_cone.h"

// The eliminated problem
typedef struct ss_one_reduced {
  double S[4], c[2];                // tangential
  double lift[2], n;                // Lambda_N = n - lift . Lambda_T
  double mu, bound;
} ss_one_reduced;

// (S + alpha) x = y for two rows; false if singular
SS_INLINE bool ss_one_solve(const double S[4], double alpha, const double y[2], double x[2])
{
  double a = S[0] + alpha, d = S[3] + alpha, det = a*d - S[1]*S[2];
  if (!(fabs(det) > 1e-300) || !isfinite(det)) return false;
  double f = 1/det;
  x[0] = f*(d*y[0] - S[1]*y[1]);
  x[1] = f*(a*y[1] - S[2]*y[0]);
  return true;
}

SS_INLINE double ss_one_normal(const ss_one_reduced* r, const double t[2])
{
  return r->n - r->lift[0]*t[0] - r->lift[1]*t[1];
}

// What is found at one alpha
typedef struct ss_one_trial {
  double t[2], normal;  // the impulse
  double excess;        // (|Lambda_T| - limit)/limit: positive outside the cone, alpha is too small
  double next;          // Newton's next alpha, negative if there is none
} ss_one_trial;

SS_INLINE ss_one_trial ss_one_try(const ss_one_reduced* r, double alpha)
{
  ss_one_trial x = {.excess = 1, .next = -1};
  double a = r->S[0] + alpha, d = r->S[3] + alpha, determinant = a*d - r->S[1]*r->S[2];
  if (!(fabs(determinant) > 1e-300)) return x;
  double f = 1/determinant;
  x.t[0] = -f*(d*r->c[0] - r->S[1]*r->c[1]);
  x.t[1] = -f*(a*r->c[1] - r->S[2]*r->c[0]);
  x.normal = ss_one_normal(r, x.t);
  if (!(x.normal > 0)) return x;
  double square = x.t[0]*x.t[0] + x.t[1]*x.t[1], size = sqrt(square), limit = r->mu*x.normal + r->bound;
  double ratio = size/limit;
  x.excess = ratio - 1;
  double dt[2] = {-f*(d*x.t[0] - r->S[1]*x.t[1]), -f*(a*x.t[1] - r->S[2]*x.t[0])};  // of Lambda_T with alpha
  double dn = -r->lift[0]*dt[0] - r->lift[1]*dt[1];
  // phi = 1/limit - 1/size and its slope, both times size limit
  double slope = -r->mu*dn*ratio + (x.t[0]*dt[0] + x.t[1]*dt[1])*limit/square;
  if (slope < 0) x.next = alpha - (size - limit)/slope;
  return x;
}

// The root; t and *normal hold the impulse. Once Newton is near, one more step is enough: its error is squared.
SS_INLINE bool ss_one_slide_spatial(const ss_one_reduced* r, double near, double* alpha, double t[2], double* normal)
{
  double low = 0, high = INFINITY, scale = fabs(r->S[0]) + fabs(r->S[3]);
  double a = *alpha > 0 && isfinite(*alpha) ? *alpha : scale > 0 ? scale : 1;
  ss_one_trial x = ss_one_try(r, a);
  for (int it = 0; it < 200 && fabs(x.excess) > 1e-15; it++) {
    double next = x.next;
    bool last = fabs(x.excess) < near;
    if (x.excess > 0) low = a;
    else high = a;
    bool newton = next > low && next < high;
    if (!newton) next = isinf(high) ? 4*a : low > 0 && high > 16*low ? sqrt(low*high) : 0.5*(low + high);
    if (fabs(next - a) <= 2e-16*a || next > 1e300) break;
    a = next;
    x = ss_one_try(r, a);
    if (last && newton) break;
  }
  *alpha = a;
  *normal = x.normal;
  t[0] = x.t[0];
  t[1] = x.t[1];
  return x.normal > 0;
}

// One tangential direction: Lambda_T = -sign(c) (mu Lambda_N + bound)
SS_INLINE bool ss_one_slide_planar(const ss_one_reduced* r, double t[2], double* normal)
{
  double s = r->c[0] > 0 ? -1 : 1, denominator = 1 + s*r->mu*r->lift[0];
  if (!(denominator > 0)) return false;
  *normal = (r->n - s*r->lift[0]*r->bound)/denominator;
  t[0] = s*(r->mu**normal + r->bound);
  return *normal >= 0;
}

SS_INLINE ss_one_reduced ss_one_reduce(int dim, const double* G, const double* q, double mu, double bound)
{
  double g = 1/G[0];
  ss_one_reduced r = {.n = -q[0]*g, .mu = mu, .bound = bound, .S = {0, 0, 0, 1}};
  for (int i = 1; i < dim; i++) {
    r.lift[i - 1] = G[i]*g;
    r.c[i - 1] = q[i] + G[i*dim]*r.n;
    for (int j = 1; j < dim; j++) r.S[2*(i - 1) + j - 1] = G[i*dim + j] - G[i*dim]*(G[j]*g);
  }
  return r;
}

// Stick or slide; t and *normal hold the impulse
SS_INLINE bool ss_one_closed(int dim, const ss_one_reduced* r, double near, double* alpha, double t[2], double* normal)
{
  double minus[2] = {-r->c[0], -r->c[1]};
  if (ss_one_solve(r->S, 0, minus, t)) {
    *normal = ss_one_normal(r, t);
    if (*normal >= 0 && sqrt(t[0]*t[0] + t[1]*t[1]) <= r->mu**normal + r->bound) return true;
  }
  return dim == 2 ? ss_one_slide_planar(r, t, normal) : ss_one_slide_spatial(r, near, alpha, t, normal);
}

// Friction without normal impulse: as if pressed by a constant one. False if the contact closes then.
SS_INLINE bool ss_one_separate(int dim, const double* G, const double* q, double bound, double near,
                              double* alpha, double* Lambda)
{
  ss_one_reduced r = {.n = 1, .bound = bound, .S = {0, 0, 0, 1}};
  double t[2] = {0, 0}, normal, gap = q[0];
  for (int i = 1; i < dim; i++) {
    r.c[i - 1] = q[i];
    for (int j = 1; j < dim; j++) r.S[2*(i - 1) + j - 1] = G[i*dim + j];
  }
  if (bound > 0 && !ss_one_closed(dim, &r, near, alpha, t, &normal)) return false;
  for (int i = 1; i < dim; i++) gap += G[i]*t[i - 1];
  if (!(gap >= 0)) return false;
  Lambda[0] = 0;
  for (int i = 1; i < dim; i++) Lambda[i] = t[i - 1];
  return true;
}

/// ss_solve_one_contact() to be compiled in, for a constant dim. Sliding is found to a relative error of near^2.
SS_INLINE bool ss_one_contact(int dim, const double* G, const double* q, double mu, double bound, double near,
                              double* alpha, double* Lambda)
{
  if ((q[0] >= 0 || bound > 0) && ss_one_separate(dim, G, q, bound, near, alpha, Lambda)) return true;
  if (!(G[0] > 0)) return false;
  ss_one_reduced r = ss_one_reduce(dim, G, q, mu, bound);
  double t[2] = {0, 0}, normal = r.n;
  if (mu + bound > 0 && !ss_one_closed(dim, &r, near, alpha, t, &normal)) return false;
  if (!isfinite(normal)) return false;
  Lambda[0] = normal;
  for (int i = 1; i < dim; i++) Lambda[i] = t[i - 1];
  ss_clip_to_disk(dim, mu, bound, Lambda);
  return true;
}

#endif
