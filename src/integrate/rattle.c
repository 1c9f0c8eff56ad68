// RATTLE with hard contacts [Breuling, Capobianco, Eugster & Leine 2024], in quasi-velocities on the group:
//   stage 1   M(q_A) (u_H - u_A) = dt/2 h(q_A, u_H) + W(q_A) P_1,   q_E = q_A o exp(dt u_H),
//             c(q_E) = 0,   0 <= g_N(q_E) _|_ P_1N >= 0,
//             -P_1T in mu P_1N Sgn(1/2 (gamma_T(q_A, u_H) + gamma_T(q_E, u_H)))
//   stage 2   M(q_E) (u_E - u_H) = dt/2 h(q_E, u_H) + W(q_E) P_2,   Lambda = P_1 + P_2,
//             gamma(q_E, u_E) = 0 of constraints;
//             of contacts closed at q_E, with xi = gamma(q_E, u_E) + eps gamma(q_A, u_A),
//             0 <= xi_N _|_ Lambda_N >= 0,   -Lambda_T in mu Lambda_N Sgn(xi_T)
// The mean of both ends in stage 1 is our own: rolling is not holonomic, and with the rows of one end alone the step
// would be of first order and gain energy (docs/rattle.md). The two stages are each other's adjoint while contacts stay
// closed and roll, so that the step is symmetric, of order 2.
//
// In trees that turn both stages have - alpha M u_H besides, so that forces quadratic in u do no work
// (multibody/turning.c).
//
// Stage 1 is found by repetition: the laws are linearised about the last u_H with the rows of q_A, which makes each
// round a contact problem of a step.
#include <math.h>
#include <string.h>

#include "integrate/rattle.h"
#include "math/dense.h"

#define MAX_ROUNDS 60
#define ROUND_OFF 1e-12   // of the terms of a gap
#define OVERLAPS 1e-10    // ... that is no round-off any more
#define MAX_TRIES 4       // without contacts that are gone, with those that were not foreseen
#define MOST_HALVINGS 10  // of a step whose rounds do not settle
#define ENOUGH 1e-14    // change of u_H in a round, relative to the terms it is made of: no more rounds
#define NEXT 1e-10      // ... from which on the next one is foreseen
#define LITTLE 1e-13    // of u_H: what is missing in alpha may leave
#define SMALL 1e-6      // alpha whose square is round-off, nearly
#define NEARLY 1e-13    // ... with which the end of the step is where the last round but one led to
#define ACCURATE 1e-9   // ... that must be reached, or the tolerance of the contact problems if that is more
#define LOOSE 1e-5      // of the change in the round before: a residual that will do in a round,
#define LOOSEST 1e-8    // ... and never more than this
#define Q_NOISE 1e-16   // of the largest coordinate: its round-off, over dt a velocity
#define EXACT 1e-2      // of that tolerance: residual of the problem of a round, if it can be reached,
#define COARSE 1e-6     // ... but where the tolerance is more than this: speed is asked for
#define PATIENCE 1000   // iterations after which less is enough:
#define NEAR_ENOUGH 0.1 // ... of the tolerance, which two stages share

// ---- what it does not do yet, by name ----

static ss_status refuse(ss_work* w, const ss_step_def* def)
{
  const char* what = NULL;
  if (def->project == SS_PROJECTION_ON) what = "--project: gaps hold by themselves";
  else if (def->friction.compliance > 0) what = "compliance";
  else if (def->friction.polyhedral) what = "polyhedral friction cones";
  else if (w->def->kinks_drive) what = "supports whose velocity jumps";
  else if (w->def->kinks_bend) what = "gaps or constraints with kinks (max, abs, if), at which velocities jump";
  if (!what) return SS_OK;
  return ss_work_fail(w, SS_ERR_ARGUMENT, "the integrator rattle does not have %s; moreau does", what);
}

// ---- stage 1 ----

static void forget_contacts(ss_rattle* x)
{
  memset(x->gone, 0, sizeof *x->gone*(size_t)x->a->n_contact);
  memset(x->heir, 0, sizeof *x->heir*(size_t)x->a->n_contact);
  memset(x->P, 0, sizeof *x->P*(size_t)(x->a->n_bilateral + x->a->m));
}

// M, W and gaps at q_A
static ss_status begin(const ss_system* sys, const ss_step_def* def, const ss_state* s, ss_work* w, ss_rattle* x)
{
  ss_work* a = x->a;
  ss_rattle_swap(w);
  a->force = w->force;
  a->at.pool = w->at.pool;
  a->at.start = s->u;
  a->at.q = s->q;
  a->at.u = s->u;
  a->at.t = s->t;
  x->turns = w->op && w->op->turns && w->op->turns(&a->at, def->dt);
  x->balanced = false;
  if (x->turns) memset(x->alpha, 0, sizeof *x->alpha*4*(size_t)w->def->n_parts);
  a->at.halved = x->turns ? 0 : def->dt;  // alpha goes with M itself
  a->n_start = s->n_impulse;
  a->start = s->impulse;
  a->reach = w->reach = def->dt;
  w->at.damped = a->at.damped = 0;
  w->at.q_start = a->at.q_start = NULL;
  w->at.rest = a->at.rest = 0;
  a->info = (ss_step_info){0};
  a->message[0] = 0;
  a->not_examined = false;
  a->choice = SS_CHOICE_NONE;
  ss_status st = ss_evaluate(sys, a, s->q, s->u, s->t);
  if (st < 0) return st;
  if (!ss_rattle_reserve_start(x)) return ss_work_fail(w, SS_ERR_MEMORY, "out of memory for a step");
  x->listed_again = false;
  forget_contacts(x);
  ss_quick_forget(&x->quick);
  return SS_OK;
}

// Relative velocities of the rows at hand with u
static void find_velocities(ss_work* w, const double* u, double* gamma)
{
  ss_gamma(w, u, gamma);
  for (int r = 0; r < w->n_bilateral + w->m; r++) gamma[r] += w->w_hat[r];
}

// Gaps and rows where w->u_mean leads
static ss_status look_at_end(const ss_system* sys, const ss_step_def* def, const ss_state* s, ss_work* w, ss_rattle* x)
{
  ss_advance(w, s->q, w->u_mean, def->dt, w->q);
  ss_status st = ss_evaluate_rows(sys, w, w->q, w->u_mean, s->t + def->dt);
  if (st < 0) return st;
  if (!ss_rattle_reserve_end(x, w)) return ss_work_fail(w, SS_ERR_MEMORY, "out of memory for a step");
  ss_rattle_match(x, w);
  find_velocities(w, w->u_mean, x->gamma_end);
  return SS_OK;
}

// How row r of a is changed by going from the last u_H to the free velocity of this round
static double change_of(const ss_rattle* x, int r) { return ss_gamma_free(x->a, r) - x->gamma[r]; }

// A contact takes part from the round on in which it is closed where the last one led to, or free motion would
static void find_closing(const ss_step_def* def, ss_rattle* x)
{
  ss_work* a = x->a;
  a->n_active = 0;
  for (int i = 0; i < a->n_contact; i++) {
    int r = a->row[i];
    double gap = a->gap[i];
    a->gap[i] = def->dt*(x->held[r] + fmin(0, change_of(x, r)));
    x->in[i] = !x->gone[i] && (x->in[i] || ss_is_closed(a, i));
    a->gap[i] = gap;
    if (ss_in_step(a, i, x->in[i])) a->active[a->n_active++] = i;
  }
}

// The problem of a round: xi = held + W^T (u_H - u_mean)
static ss_status pose(const ss_step_def* def, ss_rattle* x)
{
  ss_work* a = x->a;
  int m = ss_list_rows(a, def->dt/2);
  a->has_row_parts = false;
  for (int r = 0; r < m; r++) a->b[r] = x->held[a->source[r]] + change_of(x, a->source[r]);
  return ss_make_problem(a, m, a->n_active);
}

// Rounds start from the impulses of the last one, the first from half of those of the step before
static void guess(ss_rattle* x, bool first)
{
  ss_work* a = x->a;
  if (!a->op) return;
  ss_guess_impulses(a);
  for (int r = 0; first && a->has_guess && r < a->problem.m; r++) a->guess[r] /= 2;
  if (first) return;
  a->has_guess = true;
  for (int r = 0; r < a->problem.m; r++) a->guess[r] = x->P[a->source[r]];
}

// Tolerances are a part of those asked for
static ss_step_def more_exactly(const ss_step_def* def, double part)
{
  ss_step_def exact = *def;
  if (def->friction.tol <= COARSE) exact.friction.tol *= part;
  if (def->solver.tol <= COARSE) exact.solver.tol *= part;
  return exact;
}

static double tolerance_of(const ss_step_def* def, const ss_work* w)
{
  return w->op ? def->friction.tol : def->solver.tol;
}

// By any method, and from there on to round-off
static ss_status solve_and_polish(const ss_step_def* def, const ss_step_def* exact, const ss_step_def* enough,
                                  ss_work* w, ss_quick* quick, double loose)
{
  ss_status st = ss_quick_can(w) ? ss_solve_contacts(w, def) : SS_NOT_CONVERGED;
  if (st == SS_OK) {
    int iterations = w->solution.iterations;
    w->has_guess = true;
    memcpy(w->guess, w->solution.Lambda, sizeof(double)*(size_t)w->problem.m);
    if (ss_quick_solve(quick, w, tolerance_of(exact, w), loose, false)) {
      w->solution.iterations += iterations;
      return st;
    }
  }
  st = ss_solve_contacts(w, exact);
  if (st > 0 && w->solution.residual > tolerance_of(enough, w)) st = ss_solve_contacts(w, enough);
  return st;
}

// Solved to round-off, if that can be: what a round leaves would be an error of the step. apart: impacts by another law
// than Newton's, all at once. goes_on: the guess is a solution of nearly the same problem, chosen if there are several.
// loose: a residual that will do, in a round that is not the last one.
static ss_status solve_once(const ss_step_def* def, ss_work* w, ss_quick* quick, double loose, bool apart, bool goes_on)
{
  ss_step_def exact = more_exactly(def, EXACT), enough = more_exactly(def, NEAR_ENOUGH);
  if (!exact.friction.max_iter || exact.friction.max_iter > PATIENCE) exact.friction.max_iter = PATIENCE;
  if (!apart && def->friction.method == SS_FRICTION_AUTO &&
      ss_quick_solve(quick, w, tolerance_of(&exact, w), loose, !goes_on)) return SS_OK;
  quick->loosely = false;
  w->choice = SS_CHOICE_NONE;
  w->chooses = true;
  ss_status st = apart ? ss_solve_apart(&exact, w) : solve_and_polish(def, &exact, &enough, w, quick, loose);
  w->chooses = false;
  return st > 0 && w->solution.residual <= tolerance_of(def, w) ? SS_OK : st;
}

// The problem of the rows listed, with the limits of static friction where contacts stick; dt: that bounds of friction
// hold for
static ss_status solve(const ss_step_def* def, ss_work* w, ss_quick* quick, double loose, double dt)
{
  ss_status st = solve_once(def, w, quick, loose, false, ss_quick_knows(quick, w));
  if (!w->has_static) return st;
  for (int catch = 1; catch >= 0 && st >= 0; catch--) {  // may be caught at rest, breaks loose
    if (!ss_revise_limits(w, catch)) continue;
    ss_list_rows(w, dt);
    st = solve_once(def, w, quick, loose, false, ss_quick_knows(quick, w));
  }
  return st;
}

// Which contacts have stuck in the step before
static void recall_sticking(const ss_state* s, ss_work* w)
{
  ss_recall_sticking(w, s);
  if (w->op && w->has_static) ss_recall_by_key(w);
}

// u_mean for the next round. Changes that are round-off of coordinates are none. Returns the change in this one
// relative to the largest term of u_A + dt/2 M^-1 h + M^-1 W P_1.
static double renew(const ss_state* s, ss_work* w, ss_rattle* x, bool first)
{
  const ss_work* a = x->a;
  double most = 0, size = 0;
  for (int i = 0; i < w->nv; i++) {
    most = fmax(most, fabs(a->u[i] - w->u_mean[i]));
    size = fmax(size, fabs(s->u[i]) + fabs(a->u_free[i] - s->u[i]) + fabs(a->u[i] - a->u_free[i]));
  }
  if (first) memcpy(w->u_mean, a->u, sizeof(double)*(size_t)w->nv);  // it does not know the end: another map
  else ss_anderson_next(&x->rounds, a->u, w->u_mean);
  memset(x->P, 0, sizeof *x->P*(size_t)(a->n_bilateral + a->m));
  for (int r = 0; r < a->problem.m; r++) x->P[a->source[r]] = a->solution.Lambda[r];
  return most > x->q_noise ? most/size : 0;
}

// The change of a round is round-off, or that of the next one would be
static bool settles(double change, double previous, double before, double accurate)
{
  if (change <= accurate && change > previous/2) return true;
  return change <= NEXT && before < INFINITY && change*sqrt(change/before) <= ENOUGH;
}

// alpha where u_H leads to, from what forces do in both halves, and its largest change
static ss_status balance(const ss_system* sys, const ss_step_def* def, const ss_state* s, ss_work* w, ss_rattle* x,
                         double* change)
{
  size_t bytes = sizeof(double)*(size_t)w->nv;
  int n = 4*w->def->n_parts;
  *change = 0;
  if (memcmp(x->u_balanced, w->u_mean, bytes) == 0) return SS_OK;
  ss_advance(w, s->q, w->u_mean, def->dt, w->q);
  ss_status st = ss_evaluate_mass(sys, w, w->q, w->u_mean, s->t + def->dt);
  if (st >= 0) st = ss_free_motion(w, w->u_mean, w->u_mean, def->dt/2);
  if (st < 0) return st;
  for (int i = 0; i < w->nv; i++) x->d_end[i] = w->u_free[i] - w->u_mean[i];
  memcpy(x->alpha_before, x->alpha, sizeof *x->alpha*(size_t)n);
  x->balanced = w->op->balance(&x->a->at, &w->at, def->dt, x->d_start, x->d_end, x->alpha);
  double size = ss_norm_inf(w->nv, w->u_mean);
  for (int k = 0; k < n; k++) {
    if (!x->balanced && !(fabs(x->alpha[k]) < 1)) x->alpha[k] = 0;
    double own = fabs(x->alpha[k] - x->alpha_before[k]);
    *change = fmax(*change, k%4 == 0 ? own : size > 0 ? own/size : 0);
  }
  memcpy(x->u_balanced, w->u_mean, bytes);
  return st;
}

static double largest_part(const ss_work* w, const ss_rattle* x)
{
  double most = 0;
  for (int k = 0; k < w->def->n_parts; k++) most = fmax(most, fabs(x->alpha[4*k]));
  return most;
}

// a->u_free = u_A + dt/2 M^-1 h(q_A, u_H) - alpha u_H. change: NULL, alpha stays; else that of u_H in the round before,
// and alpha is found again if that matters.
static ss_status move_start(const ss_system* sys, const ss_step_def* def, const ss_state* s, ss_work* w, ss_rattle* x,
                            double* change)
{
  ss_work* a = x->a;
  ss_status st = ss_free_motion(a, s->u, w->u_mean, def->dt/2);
  if (!x->turns || st < 0) return st;
  for (int i = 0; i < w->nv; i++) x->d_start[i] = a->u_free[i] - s->u[i];
  bool again = change && !(largest_part(w, x)**change <= LITTLE && x->balanced);
  if (again) st = balance(sys, def, s, w, x, change);
  if (st >= 0) w->op->lean(&a->at, x->alpha, a->u_free);
  return st;
}

// Nothing touches: u_H is found without a look at the end
static ss_status fly_on(const ss_system* sys, const ss_step_def* def, const ss_state* s, ss_work* w, ss_rattle* x)
{
  ss_work* a = x->a;
  double change = INFINITY, previous = INFINITY, before;
  ss_anderson_forget(&x->rounds);
  for (int round = 0; round < MAX_ROUNDS && change > ENOUGH; round++) {
    before = previous;
    previous = change;
    ss_status st = move_start(sys, def, s, w, x, NULL);
    if (st < 0) return st;
    memcpy(a->u, a->u_free, sizeof(double)*(size_t)w->nv);
    change = renew(s, w, x, false);
    if (settles(change, previous, before, ACCURATE)) break;
  }
  ss_anderson_forget(&x->rounds);
  return change <= ACCURATE ? SS_OK : SS_INACCURATE;
}

// alpha grows with the third power of u_H, of which it takes its part: where the square of it is round-off so is what
// this leaves of the next change. Returns whether it is.
static bool foresee_alpha(ss_work* w, ss_rattle* x)
{
  bool small = largest_part(w, x) <= SMALL;
  for (int k = 4*w->def->n_parts - 1; k >= 0 && small; k--) x->alpha[k] *= 1 - 3*x->alpha[k - k%4];
  return small;
}

static ss_status fly(const ss_system* sys, const ss_step_def* def, const ss_state* s, ss_work* w, ss_rattle* x)
{
  double change = INFINITY;
  bool settled = false;
  ss_status st = fly_on(sys, def, s, w, x);
  for (int i = 0; x->turns && i < MAX_ROUNDS && !settled && st == SS_OK; i++) {
    st = balance(sys, def, s, w, x, &change);
    settled = change <= ENOUGH || foresee_alpha(w, x);
    if (st == SS_OK && change > ENOUGH) st = fly_on(sys, def, s, w, x);
  }
  if (x->turns && !settled && st == SS_OK) st = SS_INACCURATE;
  memcpy(x->u_balanced, w->u_mean, sizeof(double)*(size_t)w->nv);
  return st;
}

// *change: in u_H, of the round before, then of this one
static ss_status do_round(const ss_system* sys, const ss_step_def* def, const ss_state* s, ss_work* w, ss_rattle* x,
                          bool first, double* change)
{
  double loose = fmin(LOOSEST, LOOSE**change);
  ss_work* a = x->a;
  ss_status st = first ? SS_OK : look_at_end(sys, def, s, w, x);   // q_E = q_A o exp(dt u_H), gaps and rows there
  double change_before = *change;
  if (st >= 0 && x->flies && a->n_contact + w->n_contact + w->n_bilateral == 0) *change = 0;
  if (*change == 0) return st;                                     // nothing is near
  if (st >= 0) st = move_start(sys, def, s, w, x, first ? NULL : &change_before);  // u_A + dt/2 M^-1 h(q_A, u_H)
  if (st >= 0) st = ss_free_rows(a, s->u);
  if (st < 0) return st;
  ss_gamma(a, w->u_mean, x->gamma);
  for (int r = 0; r < a->n_bilateral + a->m; r++) x->gamma[r] += a->w_hat[r];
  ss_measure_fall(a, def->dt);
  ss_rattle_hold(x, w, def->dt, first);                            // g(q_E)/dt, mean of gamma_T
  if (a->op) st = ss_friction_now(a, x->held);
  recall_sticking(s, a);
  find_closing(def, x);
  if (st >= 0) st = pose(def, x);
  if (st < 0) return st;
  guess(x, first);
  ss_status solved = solve(def, a, &x->quick, loose, def->dt/2);                     // P_1
  st = solved < 0 ? solved : ss_apply_impulses(a);                 // u_H
  if (st < 0) return st;
  *change = renew(s, w, x, first);
  if (x->quick.loosely) *change = fmax(*change, 2*ENOUGH);  // not the last round
  x->flies = a->problem.m == 0;
  bool on = *change > ENOUGH || (first && x->turns);
  return x->flies && on ? fly(sys, def, s, w, x) : solved;
}

static ss_status do_rounds(const ss_system* sys, const ss_step_def* def, const ss_state* s, ss_work* w, ss_rattle* x)
{
  double change = INFINITY, previous = INFINITY, before = INFINITY, accurate = fmax(ACCURATE, tolerance_of(def, w));
  ss_status solved = SS_OK;
  int iterations = 0;
  memcpy(w->u_mean, s->u, sizeof(double)*(size_t)w->nv);
  x->flies = false;
  x->q_noise = Q_NOISE*ss_norm_inf(w->nq, s->q)/def->dt;
  memset(x->in, 0, sizeof *x->in*(size_t)x->a->n_contact);
  ss_anderson_forget(&x->rounds);
  for (int i = 0; i < w->nv; i++) x->u_balanced[i] = NAN;  // for none
  for (int round = 0; round < MAX_ROUNDS && change > ENOUGH; round++) {
    before = previous;
    previous = change;
    solved = do_round(sys, def, s, w, x, round == 0, &change);
    if (solved < 0 || (solved == SS_INACCURATE && x->a->problem.m == 0)) return solved;
    iterations += x->a->solution.iterations;
    if (round == 0) change = fmax(change, 2*ENOUGH);  // the end has not been looked at
    else if (round > 1 && settles(change, previous, before, accurate)) break;
  }
  memcpy(w->u_mean, x->a->u, sizeof(double)*(size_t)w->nv);
  x->a->solution.iterations = iterations;
  ss_status st = change > NEARLY ? look_at_end(sys, def, s, w, x) : SS_OK;  // where u_H itself leads to
  if (st < 0) return st;
  bool found = change <= accurate && (!x->turns || x->balanced);
  return solved == SS_OK && !found ? SS_INACCURATE : solved;
}

// A contact of shapes that was foreseen, and is not there where the step ends: the edge or the face that would be
// touched has come to its end. It is open then. Returns whether some have an impulse nevertheless; *back: some that are
// gone overlap at the end.
static bool drop_gone(ss_rattle* x, const ss_work* w, bool* back)
{
  const ss_work* a = x->a;
  bool dropped = false;
  *back = false;
  for (int i = 0; w->op && i < a->n_contact; i++) {
    if (a->law[i]->kind == SS_CONTACT_FRICTION || a->item[i].load) continue;
    int r = a->row[i], j = x->at_end[i];
    if (j < 0 && x->P[r] > 0) dropped = x->gone[i] = true;
    else if (j >= 0 && x->gone[i]) *back = *back || w->gap[j] < -ROUND_OFF*w->item[j].size;
  }
  return dropped;
}

// How deep the two shapes of contact j are in one another where the step begins
static double overlap_before(const ss_rattle* x, const ss_work* w, int j)
{
  double deepest = 0;
  for (int i = 0; i < x->a->n_contact; i++)
    if (ss_rattle_same_shapes(&x->a->item[i], &w->item[j])) deepest = fmax(deepest, -x->a->gap[i]);
  return deepest;
}

// The contact that overlaps most where the step ends of those that nobody foresaw; -1: none
static int find_unforeseen(const ss_rattle* x, const ss_work* w)
{
  int deepest = -1;
  for (int j = 0; w->op && j < w->n_contact; j++) {
    if (x->at_start[j] >= 0 || w->law[j]->kind == SS_CONTACT_FRICTION || w->item[j].load) continue;
    double noise = OVERLAPS*w->item[j].size;
    if (w->gap[j] >= -noise || -w->gap[j] <= noise + overlap_before(x, w, j)) continue;
    if (deepest < 0 || w->gap[j] < w->gap[deepest]) deepest = j;
  }
  return deepest;
}

// A step that was not found is to be taken in parts, if that can be
static ss_status give_up(const ss_state* s, ss_work* w, ss_status solved)
{
  if (!w->op || w->halvings == MOST_HALVINGS) return solved == SS_OK ? SS_INACCURATE : solved;
  return ss_work_fail(w, SS_ERR_OVERLAP, "the positions at the end of the step from t = %g were not found", s->t);
}

// Contacts at q_A once more, as far as u_H reaches, which others have changed, and farther: all that are in the list at
// the end are in it
static ss_status list_again(const ss_system* sys, const ss_state* s, ss_work* w, ss_rattle* x)
{
  ss_work* a = x->a;
  if (!x->listed_again && !ss_rattle_keep_keys(x)) return ss_work_fail(w, SS_ERR_MEMORY, "out of memory for a step");
  x->listed_again = true;
  a->reach *= 3;
  ss_status st = ss_evaluate(sys, a, s->q, w->u_mean, s->t);
  if (st < 0) return st;
  if (!ss_rattle_reserve_start(x)) return ss_work_fail(w, SS_ERR_MEMORY, "out of memory for a step");
  forget_contacts(x);
  ss_quick_forget(&x->quick);
  return SS_OK;
}

// Contact j was not foreseen. Faces that lie on each other corner on corner have other corners as soon as they turn,
// more of them, and far from these, which no list at q_A has: then one that was there goes on in it.
static ss_status foresee(const ss_system* sys, const ss_state* s, ss_work* w, ss_rattle* x, int j)
{
  if (x->listed_again && ss_rattle_hand_over(x, w, j)) return SS_OK;
  return list_again(sys, s, w, x);
}

static ss_status find_positions(const ss_system* sys, const ss_step_def* def, const ss_state* s, ss_work* w,
                                ss_rattle* x)
{
  bool dropped = true, back = false;
  int unforeseen = -1;
  ss_status solved = SS_OK;
  for (int i = 0; i < MAX_TRIES && (dropped || unforeseen >= 0); i++) {
    if (unforeseen >= 0) solved = foresee(sys, s, w, x, unforeseen);
    if (solved >= 0) solved = do_rounds(sys, def, s, w, x);
    if (solved == SS_ERR_NUMERIC && x->turns) return give_up(s, w, solved);  // rounds have diverged
    if (solved < 0) return solved;
    if (solved == SS_INACCURATE && x->a->problem.m == 0) return give_up(s, w, solved);
    dropped = drop_gone(x, w, &back);
    unforeseen = find_unforeseen(x, w);
  }
  ss_rattle_leave_new(x, w);
  return solved != SS_OK || dropped || back || unforeseen >= 0 ? give_up(s, w, solved) : SS_OK;
}

// ---- stage 2 ----

// Contacts that are closed at q_E, or were held there
static void find_closed(const ss_step_def* def, ss_work* w, const ss_rattle* x)
{
  ss_measure_fall(w, def->dt);
  w->n_active = 0;
  for (int j = 0; j < w->n_contact; j++)
    if (ss_in_step(w, j, ss_is_closed(w, j) || x->P_end[w->row[j]] > 0)) w->active[w->n_active++] = j;
}

// u_free of Lambda = P_1 + P_2: u_H + dt/2 M^-1 h(q_E, u_H) - M^-1 W P_1
static void take_back(ss_work* w, const ss_rattle* x)
{
  int rows = w->n_bilateral + w->m;
  if (!rows) return;
  for (int r = 0; r < rows; r++) w->source[r] = r;
  if (w->op) w->op->row_force(&w->at, rows, w->source, x->P_end, w->v);
  else ss_gemv_t(rows, w->nv, w->W, x->P_end, w->v);
  ss_mass_solve(w, w->v);
  ss_axpy(w->nv, -1, w->v, w->u_free);
  if (!w->op) return;
  ss_gamma(w, w->u_free, w->gamma_free);
  for (int r = 0; r < rows; r++) w->gamma_free[r] += w->w_hat[r];
}

// The relative velocity at the start of the step of row k of contact j, for impacts. New contacts, x->gamma_end: as the
// rows at the end see it.
static double gamma_before(const ss_work* w, const ss_rattle* x, int j, int k)
{
  int i = x->at_start[j];
  return i >= 0 ? ss_rattle_turned(x, w, j, k, x->a->gamma, false) : x->gamma_end[w->row[j] + k];
}

// Into w->gamma
static void recall_velocities(ss_work* w, const ss_rattle* x)
{
  for (int r = 0; r < w->n_bilateral; r++) w->gamma[r] = x->a->gamma[r];
  for (int j = 0; j < w->n_contact; j++)
    for (int k = 0; k < ss_contact_rows(w->law[j]->kind); k++) w->gamma[w->row[j] + k] = gamma_before(w, x, j, k);
}

// What goes on from the first stage: twice its impulses
static void guess_end(ss_work* w, const ss_rattle* x)
{
  ss_guess_impulses(w);
  if (!w->op) return;
  for (int r = 0; r < w->problem.m; r++) {
    double P = x->P_end[w->source[r]];
    if (!w->has_guess) w->guess[r] = 0;
    if (P != 0) w->guess[r] = 2*P;
  }
  w->has_guess = true;
}

// Whether all that carries at the end did so in the first stage
static bool goes_on(const ss_work* w, const ss_rattle* x)
{
  bool all = true;
  for (int k = 0; k < w->n_active && all; k++) {
    int j = w->active[k];
    all = x->at_start[j] >= 0 && (w->law[j]->kind == SS_CONTACT_FRICTION || x->P_end[w->row[j]] > 0);
  }
  return all;
}

static ss_status pose_end(const ss_step_def* def, ss_work* w, const ss_rattle* x)
{
  int m = ss_list_rows(w, def->dt);
  w->has_row_parts = false;
  for (int r = 0; r < m; r++) w->b[r] = ss_gamma_free(w, w->source[r]);
  for (int i = 0, r = w->n_bilateral; i < w->n_active; i++) {
    const ss_contact_def* c = w->law[w->active[i]];
    for (int k = 0; k < ss_contact_rows(c->kind); k++, r++) {
      double before = w->gamma[w->source[r]];
      bool normal = k == 0 && c->kind != SS_CONTACT_FRICTION;
      w->b[r] += normal ? c->eps_n*fmin(before, 0) : c->eps_t*before;
    }
  }
  ss_status st = ss_make_problem(w, m, w->n_active);
  guess_end(w, x);
  return st;
}

static bool is_apart(const ss_step_def* def)
{
  return def->impact != SS_IMPACT_NEWTON || def->energy_limited || def->order != SS_IMPACTS_SIMULTANEOUS;
}

static ss_status pose_and_solve(const ss_step_def* def, ss_work* w, ss_rattle* x)
{
  ss_status st = pose_end(def, w, x);
  return st < 0 ? st : solve_once(def, w, &x->quick, 0, is_apart(def), goes_on(w, x));
}

// Impacts of their own change b: it is made anew for other limits of friction
static ss_status solve_end(const ss_step_def* def, ss_work* w, ss_rattle* x)
{
  ss_quick_forget(&x->quick);
  ss_status st = pose_and_solve(def, w, x);
  for (int catch = 1; w->has_static && catch >= 0 && st >= 0; catch--)
    if (ss_revise_limits(w, catch)) st = pose_and_solve(def, w, x);
  return st;
}

static ss_status end(const ss_step_def* def, const ss_state* s, ss_work* w, ss_rattle* x)
{
  ss_status st = ss_factor_mass(w);
  if (st >= 0) st = ss_free_motion(w, x->a->u, w->u_mean, def->dt/2);  // u_H + dt/2 M^-1 h(q_E, u_H)
  if (st >= 0 && x->turns) w->op->lean(&w->at, x->alpha, w->u_free);   // ... - alpha u_H
  if (st >= 0) st = ss_free_rows(w, x->a->u);
  if (st < 0) return st;
  ss_rattle_carry(x, w);
  find_closed(def, w, x);
  take_back(w, x);
  find_velocities(w, s->u, x->gamma_end);
  recall_velocities(w, x);
  find_velocities(w, w->u_mean, x->gamma_end);
  w->at.u = s->u;
  recall_sticking(s, w);
  ss_status solved = solve_end(def, w, x);                             // Lambda
  if (solved < 0) return solved;
  st = ss_apply_impulses(w);                                          // u_E
  return st < 0 ? st : solved;
}

// ---- report ----

// What a row takes out in two stages, gamma from `before` by way of `half` to `after`. `half` is the mean of the way,
// as the first stage has it: a contact that stays closed and rolls takes nothing, whatever its rows at one end say.
static double spent_by(double P, double Lambda, double before, double half, double after)
{
  return -P*(before + half)/2 - (Lambda - P)*(half + after)/2;
}

// What contact j did in the first stage: impulses, velocities at the start, and what it spent in both. A new one acts
// in the second alone, from u_H on.
static void add_first(const ss_step_def* def, ss_work* w, const ss_rattle* x, int j)
{
  const ss_work* a = x->a;
  ss_contact_result* c = &w->result[j];
  int i = x->at_start[j], first = w->law[j]->kind == SS_CONTACT_FRICTION;
  memset(c->Lambda_1, 0, sizeof c->Lambda_1);
  for (int n = 0; i < 0 && n < ss_contact_rows(w->law[j]->kind); n++) {
    int k = n + first;
    double half = x->gamma_end[w->row[j] + n]/ss_stretch(w, j, k);
    w->spent[3*j + k] = spent_by(0, c->Lambda[k], 0, half, c->gamma_after[k]);
  }
  for (int n = 0; i >= 0 && n < ss_contact_rows(w->law[j]->kind); n++) {
    int k = n + first;
    double stretch = ss_stretch(w, j, k), before = ss_rattle_turned(x, w, j, n, a->gamma, false);
    double half = k == 0 ? (w->gap[j] - a->gap[i])/def->dt : ss_rattle_turned(x, w, j, n, x->held, false)/stretch;
    c->Lambda_1[k] = x->P_end[w->row[j] + n]*stretch;
    c->gamma_before[k] = before/stretch;
    w->spent[3*j + k] = spent_by(c->Lambda_1[k], c->Lambda[k], c->gamma_before[k], half, c->gamma_after[k]);
  }
}

static void add_first_bilateral(const ss_step_def* def, ss_work* w, const ss_rattle* x, int r)
{
  double half = (w->error[r] - x->a->error[r])/def->dt;
  w->Lambda_bilateral_1[r] = x->P[r];
  w->spent_bilateral[r] = spent_by(x->P[r], w->Lambda_bilateral[r], x->a->gamma[r], half, ss_gamma_end(w, r));
}

static void report(const ss_step_def* def, ss_work* w, ss_rattle* x, ss_status solved)
{
  ss_work* a = x->a;
  ss_fill_results(w);
  for (int j = 0; j < w->n_contact; j++) add_first(def, w, x, j);
  for (int r = 0; r < w->n_bilateral; r++) add_first_bilateral(def, w, x, r);
  for (int r = 0; r < w->problem.m; r++) w->solution.Lambda[r] -= x->P_end[w->source[r]];  // of the second stage
  if (a->choice > w->choice) w->choice = a->choice;
  w->not_examined = w->not_examined || a->not_examined;
  w->solution.iterations += a->solution.iterations;
  w->solution.residual = fmax(w->solution.residual, a->solution.residual);
  ss_book_contacts(w, a, solved);
}

// What went wrong where the step begins is told where it ends
static ss_status pass_on(ss_work* w, const ss_rattle* x, ss_status st)
{
  if (st < 0 && x->a->message[0]) return ss_work_fail(w, st, "%s", x->a->message);
  return st;
}

static ss_status take_stages(const ss_system* sys, const ss_step_def* def, const ss_state* s, ss_work* w, ss_rattle* x)
{
  ss_status st = begin(sys, def, s, w, x);                 // M, W, gaps at q_A
  if (st < 0) return st;
  ss_status first = find_positions(sys, def, s, w, x);     // P_1, u_H, q_E: positions
  if (first < 0) return first;
  ss_status second = end(def, s, w, x);                    // P_2, u_E: velocities, impacts
  if (second < 0) return second;
  ss_status solved = first > second ? first : second;
  report(def, w, x, solved);
  return solved;
}

ss_status ss_step_rattle(const ss_system* sys, const ss_step_def* def, const ss_state* s, ss_work* w)
{
  ss_rattle* x = ss_rattle_of(sys, w);
  if (!x) return ss_work_fail(w, SS_ERR_MEMORY, "out of memory for a step");
  ss_status st = refuse(w, def);
  return st < 0 ? st : pass_on(w, x, take_stages(sys, def, s, w, x));
}
