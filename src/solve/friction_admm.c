// Alternating directions [Boyd et al. 2011, section 3] for the law written with the shifted velocity y = xi +
// mu|xi_T| e_N, which lies in the dual cone: one linear solve with the same factors in each iteration, then a
// projection.
//   xi = velocity of Lambda~ = Lambda + R(y - s - xi);   e = 1.6 (xi + s) - 0.6 y;   x = Lambda - R e
//   Lambda = P_K(x),   y = (Lambda - x)/R,   s = mu|xi_T| e_N,   R = c rho
// c is changed, and the matrix factored again, only when primal and dual errors differ much.
#include "solve/friction_cone.h"
#include "solve/friction_run.h"
#include <string.h>

enum { OWN_LIMIT = 3000, CHECK_EVERY = 10, ADAPT_EVERY = 20 };

static bool factor(ss_friction_run* run, double c)
{
  const ss_friction_space* s = run->s;
  memset(run->K, 0, (size_t)(s->m*s->dim)*sizeof(double));
  for (int k = 0; k < s->k; k++)
    for (int i = 0; i < s->dim; i++) run->K[(k*s->dim + i)*s->dim + i] = c*s->rho[k];
  return ss_friction_factor(run->s, run->K);
}

// Largest errors of one iteration as velocities
typedef struct gaps {
  double primal, dual;
} gaps;

static gaps iterate(ss_friction_run* run, double c)
{
  ss_friction_space* s = run->s;
  int dim = s->dim;
  double *Lambda = run->Lambda, *y = run->y, *shift = run->shift;
  gaps g = {0, 0};
  for (int i = 0; i < s->m; i++) {
    double R = c*s->rho[i/dim];
    run->Lambda0[i] = Lambda[i] + R*(y[i] - (i%dim == 0 ? shift[i] : 0));
    run->xi_plus[i] = 0;
  }
  ss_friction_step(s, run->xi_plus, s->b, run->Lambda0, run->plus);  // from Lambda = 0, whose velocity is b
  for (int k = 0; k < s->k; k++) {
    double R = c*s->rho[k], x[3] = {0}, projected[3] = {0}, xi[3] = {0};
    for (int i = 0; i < dim; i++) {
      int at = k*dim + i;
      xi[i] = (run->Lambda0[at] - run->plus[at])/R;
      double raised = xi[i] + (i == 0 ? shift[at] : 0), gap = fabs(raised - y[at]);
      if (gap > g.primal) g.primal = gap;
      projected[i] = x[i] = Lambda[at] - R*(1.6*raised - 0.6*y[at]);
    }
    ss_project_cone(dim, s->mu[k], projected);
    for (int i = 0; i < dim; i++) {
      int at = k*dim + i;
      double now = (projected[i] - x[i])/R, change = c*fabs(now - y[at]);
      if (change > g.dual) g.dual = change;
      y[at] = now;
      Lambda[at] = projected[i];
    }
    shift[k*dim] = s->mu[k]*ss_tangential(dim, xi);
  }
  return g;
}

// y and s that belong to the current Lambda
static void start(ss_friction_run* run)
{
  const ss_friction_space* s = run->s;
  for (int k = 0; k < s->k; k++) {
    double* y = run->y + k*s->dim;
    memcpy(y, run->xi + k*s->dim, (size_t)s->dim*sizeof(double));
    run->shift[k*s->dim] = s->mu[k]*ss_tangential(s->dim, y);
    y[0] += run->shift[k*s->dim];
    double low = s->mu[k]*ss_tangential(s->dim, y);  // dual cone: y_N >= mu |y_T|
    if (y[0] < low) y[0] = low;
  }
}

bool ss_friction_admm(ss_friction_run* run, double c, int limit)
{
  gaps sum = {0, 0};
  if (ss_friction_judge(run, SS_FRICTION_ADMM)) return true;
  if (!factor(run, c)) return false;
  start(run);
  for (int it = 1; it <= limit; it++) {
    gaps g = iterate(run, c);
    run->admm++;
    sum.primal += g.primal;
    sum.dual += g.dual;
    if ((it%CHECK_EVERY == 0 || it == limit) && ss_friction_judge(run, SS_FRICTION_ADMM)) return true;
    if (it%ADAPT_EVERY) continue;
    double ratio = sum.dual > 0 ? sqrt(sum.primal/sum.dual) : 10;
    ratio = ratio < 0.1 ? 0.1 : ratio > 10 ? 10 : ratio;
    sum = (gaps){0, 0};
    if ((ratio < 3 && ratio > 1.0/3) || c*ratio > 1e7 || c*ratio < 1e-3) continue;
    c *= ratio;
    if (!factor(run, c)) return false;
  }
  return false;
}

bool ss_friction_run_admm(ss_friction_run* run)
{
  return ss_friction_admm(run, 10, run->max_iter ? run->max_iter : OWN_LIMIT);
}
