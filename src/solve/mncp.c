// Contact with the exact cone as equations without inequalities. Impulse F and relative velocity v of a contact are
// both functions of one unconstrained z [Todorov 2010; Mylapilli & Jain 2017, (49)-(51)]:
//   F_N = max(0, -z_N),  F_T = -s z_T,  v = z + F,   s = min(1, r/|z_T|),  r = mu F_N + bound,
// which fulfil the law whatever z is: z_N > 0 is an open contact, z_N < 0 a closed one, |z_T| <= r sticks, |z_T| > r
// slides. With a set S instead of the disk F_T = P_rS(-z_T), since -v_T = -z_T - F_T is then a normal of r S at F_T.
// What is left is that v is the velocity that F causes [(55), (56)]:
//   Phi_b = G_bb p + G_bu F + b_b,    Phi_u = G_ub p + (G_uu - 1) F - z + b_u.
// z adds impulses and velocities: the problem must be in units in which G is of order one, as ss_cone_run has it.
#include "solve/mncp.h"
#include "base/arena.h"
#include "math/dense.h"
#include "solve/friction_set.h"
#include "solve/lm.h"
#include "solve/pseudo_random.h"
#include <math.h>
#include <string.h>

// ---- one contact ----

// F of z. With dF (rows x rows of the contact, row by row), unless NULL, its derivative.
static void contact_impulse(const ss_cone_run* run, int c, const double* z, double* F, double* dF)
{
  ss_contact_kind kind = run->p.kind[c];
  int rows = ss_contact_rows(kind), t = kind == SS_CONTACT_FRICTION ? 0 : 1, tangents = rows - t;
  double r = run->bound[c], closed = 0, x[2] = {0, 0}, dx[4], dr[2];
  if (dF) memset(dF, 0, sizeof(double)*(size_t)(rows*rows));
  if (t == 1) {
    closed = z[0] < 0;
    F[0] = closed > 0 ? -z[0] : 0;
    r += run->p.mu[c]*F[0];
    if (dF) dF[0] = -closed;
  }
  for (int a = 0; a < tangents; a++) x[a] = -z[t + a];
  ss_set_project(tangents == 2 ? ss_cone_shape(run, c) : NULL, r, x, dx, dr);
  for (int a = 0; a < tangents; a++) {
    F[t + a] = x[a];
    if (!dF) continue;
    for (int b = 0; b < tangents; b++) dF[(t + a)*rows + t + b] = -dx[2*a + b];
    if (t == 1) dF[(t + a)*rows] = -dr[a]*run->p.mu[c]*closed;  // dr/dz_N = -mu
  }
}

// ---- the equations ----

void ss_mncp_impulses(const ss_cone_run* run, const double* z, double* F)
{
  for (int i = 0; i < run->p.n_bilateral; i++) F[i] = z[i];
  for (int c = 0; c < run->p.n_contact; c++)
    contact_impulse(run, c, z + run->first[c], F + run->first[c], NULL);
}

void ss_mncp_inverse(const ss_cone_run* run, const double* Lambda, const double* xi, double* z)
{
  for (int i = 0; i < run->p.m; i++) z[i] = i < run->p.n_bilateral ? Lambda[i] : xi[i] - Lambda[i];
}

void ss_mncp_phi(const ss_cone_run* run, const double* z, double* F, double* phi)
{
  int m = run->p.m;
  ss_mncp_impulses(run, z, F);
  ss_gemv(m, m, run->G, F, phi);
  for (int i = 0; i < m; i++) {
    phi[i] += run->b[i];
    if (i >= run->p.n_bilateral) phi[i] -= F[i] + z[i];
  }
}

// (G - 1_u) dF/dz - 1_u, contact by contact, as dF/dz consists of blocks [(58)]
void ss_mncp_jacobian(const ss_cone_run* run, const double* z, double* J)
{
  size_t m = (size_t)run->p.m;
  for (size_t i = 0; i < m; i++) memcpy(J + i*m, run->G + i*m, (size_t)run->p.n_bilateral*sizeof(double));
  for (int c = 0; c < run->p.n_contact; c++) {
    size_t first = (size_t)run->first[c], rows = (size_t)ss_contact_rows(run->p.kind[c]);
    double F[3], dF[9];
    contact_impulse(run, c, z + first, F, dF);
    for (size_t i = 0; i < m; i++) {
      const double* G = run->G + i*m + first;
      for (size_t j = 0; j < rows; j++) {
        double sum = 0;
        for (size_t l = 0; l < rows; l++) sum += G[l]*dF[l*rows + j];
        if (i >= first && i < first + rows) sum -= dF[(i - first)*rows + j] + (i - first == j);
        J[i*m + first + j] = sum;
      }
    }
  }
}

// ---- the solvers ----

enum { STARTS = 16, STARTS_LARGE = 3, LARGE = 150, ITERATIONS = 200 };

typedef struct mncp {
  ss_cone_run* run;
  double* F;  // m
} mncp;

size_t ss_cone_mncp_size(int m)
{
  return ss_arena_bytes(sizeof(double)*(ss_lm_doubles(m) + 4*(size_t)m));
}

static void phi_of(void* user, const double* z, double* phi)
{
  mncp* f = user;
  ss_mncp_phi(f->run, z, f->F, phi);
}

static void jacobian_of(void* user, const double* z, double* J)
{
  mncp* f = user;
  ss_mncp_jacobian(f->run, z, J);
}

static bool done(void* user, const double* z)
{
  mncp* f = user;
  ss_mncp_impulses(f->run, z, f->F);
  return ss_cone_offer(f->run, f->F);
}

// The guess, or no impulse, so that z = b; then random impulses and velocities around b
static void choose_start(const ss_cone_run* run, int number, double* F, double* z)
{
  uint64_t seed = (uint64_t)number;
  if (number == 0 && run->guess) {
    ss_cone_inwards(run, run->guess, F);
    ss_gemv(run->p.m, run->p.m, run->G, F, z);
    for (int i = 0; i < run->p.m; i++) z[i] += run->b[i];
    ss_mncp_inverse(run, F, z, z);
    return;
  }
  for (int i = 0; i < run->p.m; i++) {
    z[i] = i < run->p.n_bilateral ? 0 : run->b[i];
    if (number > 0) z[i] += number*ss_pseudo_random(&seed);
  }
}

ss_status ss_cone_mncp(ss_cone_run* run, bool projected)
{
  int m = run->p.m, limit = run->def->max_iter;
  size_t mark = ss_arena_mark(run->arena), N = (size_t)m;
  double* work = ss_arena_array(run->arena, double, ss_lm_doubles(m) + 4*N);
  if (!work) return SS_ERR_CAPACITY;
  double *z = work + ss_lm_doubles(m), *lower = z + N, *upper = z + 2*N;
  mncp f = {.run = run, .F = z + 3*N};
  ss_lm_problem p = {m, &f, phi_of, jacobian_of, done, lower, upper, run->def->stop};
  for (int i = 0; i < m; i++) {
    lower[i] = -INFINITY;
    upper[i] = INFINITY;
  }
  bool met = false;
  int starts = limit > 0 ? 1 : m > LARGE ? STARTS_LARGE : STARTS;
  for (int k = 0; k < starts && !met && !ss_stopped(run->def->stop); k++) {
    choose_start(run, k, f.F, z);
    if ((met = done(&f, z))) break;
    int most = limit > 0 ? limit : ITERATIONS + m/2;
    ss_lm_end end = projected ? ss_lm_projected(&p, most, work, z, &run->iterations)
                              : ss_lm_regular(&p, most, work, z, &run->iterations);
    met = end == SS_LM_DONE || done(&f, z);
  }
  ss_arena_release(run->arena, mark);
  if (met) return SS_OK;
  return isfinite(run->attempt_residual) ? SS_NOT_CONVERGED : SS_ERR_NUMERIC;
}
