// The path from soft contacts to rigid ones. With xi = G Lambda + b + kappa tr(G_ii) (Lambda - held) the problem is
// easy for a large kappa, and its solutions lie on a curve (Lambda, log kappa) that leads to kappa = 0, though not
// always straight: with friction kappa may rise before it falls again. Newton's method alone jumps between contact
// states there and never ends; here the curve is followed by its length, as Lemke's method follows its ray through the
// bases of an LCP [Allgower & Georg 1990]: predicted along the last secant, corrected in the plane across it. Each
// correction is a step of Newton's method with two right-hand sides: for kappa, and for how a change of it matters.
#include "solve/friction_cone.h"
#include "solve/friction_run.h"
#include <string.h>

enum { ROUNDS = 40, CORRECTIONS = 8, FREELY = 3, START = 20, RIGID = 16 };
#define FIRST_KAPPA 1e-2
#define LAST_KAPPA 1e-9  // below, round-off is larger than what it does
#define NEXT_KAPPA 1e-5  // rounds that hold what the one before has found
#define SOFT_ENOUGH 10   // everything is solved there, or nothing
#define ACCURACY 1e-3    // of the residual that kappa makes
#define LONGEST 3        // steps
#define SHORTEST 1e-9

typedef struct path {
  ss_friction_run* run;
  double log_kappa, step;
  double *at, *t, t_kappa;  // m: a point and the direction there, of length one with Lambda in units of scale/trace
  double *aim, *other;      // m: the point predicted; Lambda for log_kappa + 1
  int last;                 // systems that may have been solved at the end
} path;

static double unit(const path* p, int i) { return p->run->s->rho[i/p->run->s->dim]*p->run->s->scale; }

// The law with kappa; 0 is the rigid one again
static void set_kappa(ss_friction_run* run, double kappa)
{
  ss_friction_space* s = run->s;
  int dim = s->dim;
  s->kappa = kappa;
  for (int k = s->n_free; k < s->k; k++) {
    double soft = kappa/s->rho[k], change = soft - s->soft[k];
    s->soft[k] = soft;
    for (int i = k*dim; i < (k + 1)*dim; i++) {
      if (s->has_D) s->D[i*dim + i%dim] += change;
      s->b[i] = kappa > 0 ? run->rigid[i] - soft*run->held[i] : run->rigid[i];
    }
  }
}

// So many of Newton's steps, but not more than are left
static bool newton(path* p, int limit)
{
  int left = p->last - p->run->newton;
  return left > 0 && ss_friction_newton(p->run, 10, left < limit ? left : limit);
}

static double accuracy(double kappa) { return ss_larger(ACCURACY*kappa, 1e-13); }

static double measure(ss_friction_run* run)
{
  ss_friction_xi(run->s, run->Lambda, run->xi);
  double r = ss_friction_space_residual(run->s, run->Lambda, run->xi);
  return isfinite(r) ? r : INFINITY;
}

// ---- one step ----

// Newton's step for kappa into run->plus, and for e times as much, in first order, into p->other
static bool solve_both(path* p, double kappa)
{
  ss_friction_run* run = p->run;
  ss_friction_space* s = run->s;
  run->newton++;
  ss_friction_linearise(run, 100/kappa, 1e9);
  if (!ss_friction_factor(s, run->K)) return false;
  ss_friction_step(s, run->Lambda, run->xi, run->Lambda0, run->plus);
  memcpy(run->xi_plus, run->xi, (size_t)s->m*sizeof(double));
  for (int i = s->n_free*s->dim; i < s->m; i++)
    run->xi_plus[i] += s->soft[i/s->dim]*(run->Lambda[i] - run->held[i]);
  ss_friction_step(s, run->Lambda, run->xi_plus, run->Lambda0, p->other);
  return true;
}

// To where the line between both meets the plane across the path
static bool meet_plane(path* p, double aim_kappa, double* log_kappa)
{
  ss_friction_run* run = p->run;
  double off = p->t_kappa*(*log_kappa - aim_kappa), gain = p->t_kappa;
  for (int i = 0; i < run->s->m; i++) {
    off += p->t[i]*(run->plus[i] - p->aim[i])/unit(p, i);
    gain += p->t[i]*(p->other[i] - run->plus[i])/unit(p, i);
  }
  double move = -off/gain;
  if (!(fabs(move) < 2)) return false;
  for (int i = 0; i < run->s->m; i++) run->Lambda[i] = run->plus[i] + move*(p->other[i] - run->plus[i]);
  *log_kappa += move;
  return true;
}

// From the point predicted to the path. Returns the corrections it took, -1 if they did not lead there.
static int correct(path* p, double aim_kappa, double* log_kappa)
{
  double before = INFINITY;
  *log_kappa = aim_kappa;
  for (int i = 0; i < CORRECTIONS; i++) {
    double kappa = exp(*log_kappa);
    set_kappa(p->run, kappa);
    double r = measure(p->run);
    if (r <= accuracy(kappa)) return i;
    if (!isfinite(r) || (i >= FREELY && r > before)) return -1;
    before = r;
    if (!solve_both(p, kappa) || !meet_plane(p, aim_kappa, log_kappa)) return -1;
  }
  return -1;
}

// The point run->Lambda, log_kappa is the next one, unless it leads back
static bool go_on(path* p, double log_kappa)
{
  ss_friction_run* run = p->run;
  double change = log_kappa - p->log_kappa, size = change*change, along = change*p->t_kappa;
  for (int i = 0; i < run->s->m; i++) {
    double d = (run->Lambda[i] - p->at[i])/unit(p, i);
    size += d*d;
    along += d*p->t[i];
  }
  size = sqrt(size);
  if (!(size > 0) || along < -0.99*size) return false;
  for (int i = 0; i < run->s->m; i++) {
    p->t[i] = (run->Lambda[i] - p->at[i])/(unit(p, i)*size);
    p->at[i] = run->Lambda[i];
  }
  p->t_kappa = change/size;
  p->log_kappa = log_kappa;
  return true;
}

static void advance(path* p)
{
  ss_friction_run* run = p->run;
  double log_kappa, aim_kappa = p->log_kappa + p->step*p->t_kappa;
  for (int i = 0; i < run->s->m; i++) run->Lambda[i] = p->aim[i] = p->at[i] + p->step*p->t[i]*unit(p, i);
  int count = correct(p, aim_kappa, &log_kappa);
  if (count < 0 || !go_on(p, log_kappa)) p->step *= 0.3;
  else p->step = ss_smaller(p->step*(count <= 3 ? 2 : count <= 5 ? 1.2 : 0.7), LONGEST);
}

// ---- the whole way ----

// The rigid law from here on
static bool try_rigid(path* p)
{
  ss_friction_run* run = p->run;
  memcpy(run->Lambda, p->at, (size_t)run->s->m*sizeof(double));
  set_kappa(run, 0);
  return newton(p, RIGID);
}

// Newton's method with the law of kappa; what it finds is none of the problem's own business
static bool find_point(path* p, double kappa)
{
  ss_friction_run* run = p->run;
  double tol = run->tol, r_best = run->r_best, r_attempt = run->r_attempt;
  set_kappa(run, kappa);
  run->tol = accuracy(kappa);
  run->r_best = run->r_attempt = 0;
  bool found = newton(p, START);
  run->tol = tol;
  run->r_best = r_best;
  run->r_attempt = r_attempt;
  return found;
}

static bool begin(path* p, double kappa)
{
  ss_friction_run* run = p->run;
  memcpy(run->held, p->at, (size_t)run->s->m*sizeof(double));
  memcpy(run->Lambda, p->at, (size_t)run->s->m*sizeof(double));
  while (!find_point(p, kappa)) {
    kappa *= 10;
    if (kappa > SOFT_ENOUGH || run->newton >= p->last) return false;
  }
  memcpy(p->at, run->Lambda, (size_t)run->s->m*sizeof(double));
  memset(p->t, 0, (size_t)run->s->m*sizeof(double));
  p->log_kappa = log(kappa);
  p->t_kappa = -1;
  p->step = 0.3;
  return true;
}

// As far as the path can be followed, with a look at the rigid law whenever kappa has fallen to a tenth
static bool follow(path* p)
{
  double next = 1e-5;
  while (p->run->newton < p->last && p->step > SHORTEST && !ss_friction_stopped(p->run)) {
    advance(p);
    double kappa = exp(p->log_kappa);
    if (kappa > SOFT_ENOUGH) return false;
    if (kappa > next) continue;
    if (try_rigid(p)) return true;
    if (kappa < LAST_KAPPA) return false;
    next = 0.1*kappa;
  }
  return try_rigid(p);
}

bool ss_friction_path(ss_friction_run* run, int most)
{
  ss_friction_space* s = run->s;
  path p = {.run = run, .at = run->z, .t = run->dz, .other = run->dy, .aim = run->shift,
            .last = run->newton + ss_friction_at_most(run, SS_FRICTION_NEWTON, most)};
  bool met = false;
  if (!s->lu || s->scale == 0 || s->k == s->n_free || s->kappa > 0) return false;
  memcpy(run->rigid, s->b, (size_t)s->m*sizeof(double));
  memset(p.at, 0, (size_t)s->m*sizeof(double));
  for (int i = 0; i < ROUNDS && !met && run->newton < p.last; i++)
    met = begin(&p, i ? NEXT_KAPPA : FIRST_KAPPA) && follow(&p);
  set_kappa(run, 0);
  if (!met) ss_friction_return(run);
  return met;
}
