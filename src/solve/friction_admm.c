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
  int dim = s->dim;
  memset(run->K, 0, (size_t)(s->m*dim)*sizeof(double));
  for (int i = 0; i < s->n_free*dim; i++) run->K[i*dim + i%dim] = c*s->rho_free[i];
  for (int k = s->n_free; k < s->k; k++)
    for (int i = 0; i < dim; i++) run->K[(k*dim + i)*dim + i] = c*s->rho[k];
  return ss_friction_factor(run->s, run->K);
}

// Largest errors of one iteration as velocities
typedef struct gaps {
  double primal, dual;
} gaps;

// Lambda~ for R of each row
static void aim(const ss_friction_run* run, double c)
{
  const ss_friction_space* s = run->s;
  int dim = s->dim;
  for (int i = 0; i < s->n_free*dim; i++) run->Lambda0[i] = run->Lambda[i];
  for (int k = s->n_free; k < s->k; k++) {
    double R = c*s->rho[k];
    for (int i = k*dim; i < (k + 1)*dim; i++) run->Lambda0[i] = run->Lambda[i] + R*run->y[i];
    run->Lambda0[k*dim] -= R*run->shift[k*dim];
  }
}

// Bilateral rows: the cone is everything, y = 0
static void move_free(ss_friction_run* run, double c, gaps* g)
{
  const ss_friction_space* s = run->s;
  for (int i = 0; i < s->n_free*s->dim; i++) {
    double change = run->plus[i] - run->Lambda0[i];
    g->primal = ss_larger(g->primal, fabs(change)/(c*s->rho_free[i]));
    run->Lambda[i] += 1.6*change;
  }
}

static void move_contact(ss_friction_run* run, int k, double c, gaps* g)
{
  const ss_friction_space* s = run->s;
  int dim = s->dim, first = k*dim;
  double R = c*s->rho[k], x[3] = {0}, projected[3] = {0}, xi[3] = {0};
  double *Lambda = run->Lambda + first, *y = run->y + first, *shift = run->shift + first;
  for (int i = 0; i < dim; i++) {
    xi[i] = (run->Lambda0[first + i] - run->plus[first + i])/R;
    double raised = xi[i] + (i == 0 ? shift[0] : 0);
    g->primal = ss_larger(g->primal, fabs(raised - y[i]));
    projected[i] = x[i] = Lambda[i] - R*(1.6*raised - 0.6*y[i]);
  }
  ss_project_cone(dim, s->mu[k], s->bound[k], projected);
  for (int i = 0; i < dim; i++) {
    double now = (projected[i] - x[i])/R;
    g->dual = ss_larger(g->dual, c*fabs(now - y[i]));
    y[i] = now;
    Lambda[i] = projected[i];
  }
  shift[0] = s->mu[k]*ss_tangential(dim, xi);
}

static gaps iterate(ss_friction_run* run, double c)
{
  ss_friction_space* s = run->s;
  gaps g = {0, 0};
  aim(run, c);
  memset(run->xi_plus, 0, (size_t)s->m*sizeof(double));
  ss_friction_step(s, run->xi_plus, s->b, run->Lambda0, run->plus);  // from Lambda = 0, whose velocity is b
  move_free(run, c, &g);
  for (int k = s->n_free; k < s->k; k++) move_contact(run, k, c, &g);
  return g;
}

// y and s that belong to the current Lambda
static void start(ss_friction_run* run)
{
  const ss_friction_space* s = run->s;
  for (int k = s->n_free; k < s->k; k++) {
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
  for (int it = 1; it <= limit && !ss_friction_stopped(run); it++) {
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
