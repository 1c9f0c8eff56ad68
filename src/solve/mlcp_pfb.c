// The penalised Fischer-Burmeister function [Chen, Chen & Kanzow 2000; Mylapilli & Jain 2017, (8), (9), (45)-(48)]
//   p(a, c) = lambda (a + c - sqrt(a^2 + c^2)) + (1 - lambda) a+ c+,     p = 0  <=>  a >= 0, c >= 0, a c = 0
// put together for bounds as in [Ferris, Kanzow & Munson 1999]:
//   free      -w                               fixed     z - lower
//   lower     p(z - lower, w)                  upper     -p(upper - z, -w)
//   box       p(z - lower, -p(upper - z, -w))
#include "solve/mlcp_pfb.h"
#include "base/arena.h"
#include "math/dense.h"
#include "solve/lm.h"
#include "solve/pseudo_random.h"
#include <math.h>
#include <stdint.h>

// ---- the function ----

static double p_value(double lambda, double a, double c)
{
  // a + c - sqrt(a^2 + c^2) without cancellation where both are positive
  double r = hypot(a, c), fb = a > 0 && c > 0 ? 2*a*c/(a + c + r) : a + c - r;
  return lambda*fb + (a > 0 && c > 0 ? (1 - lambda)*a*c : 0);
}

// dp/da and dp/dc; at the kink a = c = 0 their limit from the direction (da, dc)
static void p_slopes(double lambda, double a, double c, double da, double dc, double* pa, double* pc)
{
  double r = hypot(a, c);
  if (r == 0) {
    double d = hypot(da, dc);
    *pa = lambda*(d > 0 ? 1 - da/d : 1);
    *pc = lambda*(d > 0 ? 1 - dc/d : 1);
    return;
  }
  bool both = a > 0 && c > 0;
  *pa = lambda*(1 - a/r) + (both ? (1 - lambda)*c : 0);
  *pc = lambda*(1 - c/r) + (both ? (1 - lambda)*a : 0);
}

static double phi_entry(double lambda, double z, double w, double lower, double upper)
{
  if (lower == upper) return z - lower;
  double inner = isinf(upper) ? -w : p_value(lambda, upper - z, -w);
  return isinf(lower) ? (isinf(upper) ? -w : -inner) : p_value(lambda, z - lower, -inner);
}

void ss_pfb_phi(const ss_mlcp_scaled* s, double lambda, const double* z, double* w, double* phi)
{
  ss_gemv(s->n, s->n, s->A, z, w);
  for (int i = 0; i < s->n; i++) {
    w[i] += s->b[i];
    phi[i] = phi_entry(lambda, z[i], w[i], s->lower[i], s->upper[i]);
  }
}

// ---- its Jacobian ----

// dphi/dz_i directly and dphi/dw_i, where z moves by dz and w by dw at a kink
static void phi_slopes(double lambda, double z, double w, double lower, double upper, double dz, double dw, double* pz,
                       double* pw)
{
  *pz = lower == upper;
  *pw = 0;
  if (lower == upper) return;
  double ic = 0, id = 1, inner = -w;  // slopes of the inner function by upper - z and by -w
  if (!isinf(upper)) {
    inner = p_value(lambda, upper - z, -w);
    p_slopes(lambda, upper - z, -w, -dz, -dw, &ic, &id);
  }
  if (isinf(lower)) {
    *pz = ic;
    *pw = isinf(upper) ? -1 : id;
    return;
  }
  double pa, pc;
  p_slopes(lambda, z - lower, -inner, dz, ic*dz + id*dw, &pa, &pc);
  *pz = pa + pc*ic;
  *pw = pc*id;
}

// Is i at a kink: at a bound with w_i = 0?
static bool kinked(const ss_mlcp_scaled* s, int i, double z, double w)
{
  return w == 0 && (z == s->lower[i] || z == s->upper[i]);
}

void ss_pfb_jacobian(const ss_mlcp_scaled* s, double lambda, const double* z, const double* w, double* mark, double* J)
{
  int n = s->n;
  bool any = false;
  for (int i = 0; i < n; i++) {
    mark[i] = kinked(s, i, z[i], w[i]);
    any = any || mark[i] != 0;
  }
  for (int i = 0; i < n; i++) {
    const double* a = s->A + (size_t)i*(size_t)n;
    double *to = J + (size_t)i*(size_t)n, pz, pw, dw = any ? ss_dot(n, a, mark) : 0;  // the direction y of (45)
    phi_slopes(lambda, z[i], w[i], s->lower[i], s->upper[i], mark[i], dw, &pz, &pw);
    for (int j = 0; j < n; j++) to[j] = pw*a[j];
    to[i] += pz;
  }
}

// ---- the solvers ----

enum { STARTS = 4, ITERATIONS = 150 };

// What the functions of the method need
typedef struct pfb {
  ss_mlcp_run* run;
  double *w, *mark;        // n
  int *guess, *tried;      // n: active set of this iterate, and the last one that was polished
} pfb;

size_t ss_mlcp_pfb_size(int n)
{
  size_t N = (size_t)n;
  return ss_arena_bytes(sizeof(double)*(ss_lm_doubles(n) + 3*N)) + ss_arena_bytes(sizeof(int)*2*N);
}

static void phi_of(void* user, const double* x, double* phi)
{
  pfb* f = user;
  ss_pfb_phi(&f->run->s, f->run->def->pfb_lambda, x, f->w, phi);
}

static void add_b(const ss_mlcp_scaled* s, const double* z, double* w)
{
  ss_gemv(s->n, s->n, s->A, z, w);
  for (int i = 0; i < s->n; i++) w[i] += s->b[i];
}

static void jacobian_of(void* user, const double* x, double* J)
{
  pfb* f = user;
  add_b(&f->run->s, x, f->w);
  ss_pfb_jacobian(&f->run->s, f->run->def->pfb_lambda, x, f->w, f->mark, J);
}

// At a bound if that is nearer than w is to zero
static int guess_state(const ss_mlcp_scaled* s, int i, double z, double w)
{
  if (s->lower[i] == s->upper[i]) return SS_AT_LOWER;
  if (z - s->lower[i] < w) return SS_AT_LOWER;
  if (s->upper[i] - z < -w) return SS_AT_UPPER;
  return SS_INSIDE;
}

// True if the active set is that of the iterate before
static bool guess_states(pfb* f, const double* x)
{
  bool same = true;
  add_b(&f->run->s, x, f->w);
  for (int i = 0; i < f->run->s.n; i++) {
    int state = guess_state(&f->run->s, i, x[i], f->w[i]);
    same = same && state == f->guess[i];
    f->guess[i] = state;
  }
  return same;
}

static bool polish(pfb* f, const double* x)
{
  for (int i = 0; i < f->run->s.n; i++) f->run->state[i] = f->tried[i] = f->guess[i];
  return ss_mlcp_polish(f->run, x);
}

// The equations of an active set are solved once it has stood for two iterates
static bool done(void* user, const double* x)
{
  pfb* f = user;
  bool tried = true;
  if (!guess_states(f, x)) return false;
  for (int i = 0; i < f->run->s.n; i++) tried = tried && f->tried[i] == f->guess[i];
  return !tried && (polish(f, x) || ss_mlcp_good_enough(f->run));
}

// The guess, or zero; then random points of growing size; always within the bounds
static void choose_start(const ss_mlcp_run* run, int number, double* x)
{
  const ss_mlcp_scaled* s = &run->s;
  uint64_t seed = (uint64_t)number;
  for (int i = 0; i < s->n; i++) {
    double v = run->def->warm_start ? run->best->z[i]*s->beta/s->col[i] : 0;
    if (number > 0) v = ss_pseudo_random(&seed)*number;
    if (!isfinite(v)) v = 0;
    x[i] = fmin(fmax(v, s->lower[i]), s->upper[i]);
  }
}

typedef ss_lm_end method(const ss_lm_problem* p, int max_iter, double* work, double* x, int* used);

static ss_lm_end attempt(pfb* f, method* minimise, int number, double* work, double* x, int* left)
{
  ss_mlcp_run* run = f->run;
  int n = run->s.n, used = 0, limit = *left;
  ss_lm_problem p = {n, f, phi_of, jacobian_of, done, run->s.lower, run->s.upper, run->def->stop};
  for (int i = 0; i < n; i++) f->guess[i] = f->tried[i] = -1;
  choose_start(run, number, x);
  ss_lm_end end = minimise(&p, limit, work, x, &used);
  run->best->iterations += used;
  *left -= used;
  if (end == SS_LM_DONE) return end;
  guess_states(f, x);
  ss_mlcp_offer(run, x, 0);
  ss_mlcp_offer(run, x, 1e-12);
  polish(f, x);
  return end;
}

static ss_status solve(ss_mlcp_run* run, method* minimise)
{
  int n = run->s.n, limit = run->def->max_iter, starts = limit > 0 ? 1 : STARTS;
  double* work = ss_arena_array(run->arena, double, ss_lm_doubles(n) + 3*(size_t)n);
  int* sets = ss_arena_array(run->arena, int, 2*(size_t)n);
  if (!work || !sets) return SS_ERR_CAPACITY;
  double *x = work + ss_lm_doubles(n);
  pfb f = {.run = run, .w = x + n, .mark = x + 2*n, .guess = sets, .tried = sets + n};
  for (int k = 0; k < starts && !ss_mlcp_good_enough(run) && !ss_stopped(run->def->stop); k++) {
    int left = limit > 0 ? limit : ITERATIONS + n/2;
    attempt(&f, minimise, k, work, x, &left);
  }
  return ss_mlcp_good_enough(run) ? SS_OK : SS_NOT_CONVERGED;
}

ss_status ss_mlcp_pfb_rlm(ss_mlcp_run* run) { return solve(run, ss_lm_regular); }
ss_status ss_mlcp_pfb_plm(ss_mlcp_run* run) { return solve(run, ss_lm_projected); }
