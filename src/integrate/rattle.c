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
// Stage 1 is found by repetition: the laws are linearised about the last u_H with the rows of q_A, which makes each
// round a contact problem of a step.
#include <math.h>
#include <string.h>

#include "integrate/rattle.h"
#include "math/dense.h"

#define MAX_ROUNDS 60
#define ROUND_OFF 1e-12   // of the terms of a gap
#define MAX_TRIES 3       // without contacts that are gone
#define MOST_HALVINGS 10  // of a step whose rounds do not settle
#define ENOUGH 1e-14    // change of u_H in a round, relative to the terms it is made of: no more rounds
#define NEARLY 1e-13    // ... with which the end of the step is where the last round but one led to
#define ACCURATE 1e-9   // ... that must be reached, or the tolerance of the contact problems if that is more
#define EXACT 1e-2      // of that tolerance: residual of the problem of a round, if it can be reached,
#define COARSE 1e-6     // ... but where the tolerance is more than this: speed is asked for

// ---- what it does not do yet, by name ----

static ss_status refuse(ss_work* w, const ss_step_def* def)
{
  const char* what = NULL;
  if (def->impact != SS_IMPACT_NEWTON || def->energy_limited || def->order != SS_IMPACTS_SIMULTANEOUS)
    what = "impacts other than by Newton's law, all at once";
  else if (def->project == SS_PROJECTION_ON) what = "--project: gaps hold by themselves";
  else if (def->friction.compliance > 0) what = "compliance";
  else if (def->friction.polyhedral) what = "polyhedral friction cones";
  else if (w->def->kinks_drive) what = "supports whose velocity jumps";
  if (!what) return SS_OK;
  return ss_work_fail(w, SS_ERR_ARGUMENT, "the integrator rattle does not have %s; moreau does", what);
}

// ---- stage 1 ----

// M, W and gaps at q_A
static ss_status begin(const ss_system* sys, const ss_step_def* def, const ss_state* s, ss_work* w, ss_rattle* x)
{
  ss_work* a = x->a;
  a->force = w->force;
  a->at.pool = w->at.pool;
  a->n_start = s->n_impulse;
  a->start = s->impulse;
  a->reach = w->reach = def->dt;
  w->at.damped = a->at.damped = 0;
  w->at.q_start = a->at.q_start = NULL;
  w->at.rest = a->at.rest = 0;
  a->info = (ss_step_info){0};
  ss_status st = ss_evaluate(sys, a, s->q, s->u, s->t);
  if (st < 0) return st;
  if (!ss_rattle_reserve(x, w)) return ss_work_fail(w, SS_ERR_MEMORY, "out of memory for a step");
  memset(x->gone, 0, sizeof *x->gone*(size_t)a->n_contact);
  memset(x->P, 0, sizeof *x->P*(size_t)(a->n_bilateral + a->m));
  return SS_OK;
}

// Gaps and rows where w->u_mean leads
static ss_status look_at_end(const ss_system* sys, const ss_step_def* def, const ss_state* s, ss_work* w, ss_rattle* x)
{
  ss_advance(w, s->q, w->u_mean, def->dt, w->q);
  ss_status st = ss_evaluate(sys, w, w->q, w->u_mean, s->t + def->dt);
  if (st < 0) return st;
  if (!ss_rattle_reserve(x, w)) return ss_work_fail(w, SS_ERR_MEMORY, "out of memory for a step");
  ss_rattle_match(x, w);
  ss_gamma(w, w->u_mean, x->gamma_end);
  for (int r = 0; r < w->n_bilateral + w->m; r++) x->gamma_end[r] += w->w_hat[r];
  return SS_OK;
}

// How row r of a is changed by going from the last u_H to the free velocity of this round
static double change_of(const ss_rattle* x, int r) { return ss_gamma_free(x->a, r) - x->gamma[r]; }

// A contact takes part from the round on in which it is closed where the last one led to, or free motion would
static void find_closing(const ss_step_def* def, ss_rattle* x)
{
  ss_work* a = x->a;
  ss_measure_fall(a, def->dt);
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

static ss_step_def exactly(const ss_step_def* def)
{
  ss_step_def exact = *def;
  if (def->friction.tol <= COARSE) exact.friction.tol *= EXACT;
  if (def->solver.tol <= COARSE) exact.solver.tol *= EXACT;
  return exact;
}

static double tolerance_of(const ss_step_def* def, const ss_work* w)
{
  return w->op ? def->friction.tol : def->solver.tol;
}

// Solved to round-off, if that can be: what a round leaves would be an error of the step
static ss_status solve_once(const ss_step_def* def, ss_work* w)
{
  ss_step_def exact = exactly(def);
  w->choice = SS_CHOICE_NONE;
  w->chooses = true;
  ss_status st = ss_solve_contacts(w, &exact);
  w->chooses = false;
  return st > 0 && w->solution.residual <= tolerance_of(def, w) ? SS_OK : st;
}

static ss_status solve_again(const ss_step_def* def, ss_work* w, double dt)
{
  ss_list_rows(w, dt);
  return solve_once(def, w);
}

// ... with the limits of static friction where contacts stick; dt: that bounds of friction hold for
static ss_status solve(const ss_step_def* def, ss_work* w, double dt)
{
  ss_status st = solve_once(def, w);
  if (!w->has_static) return st;
  if (st >= 0 && ss_revise_limits(w, true)) st = solve_again(def, w, dt);   // may be caught at rest
  if (st >= 0 && ss_revise_limits(w, false)) st = solve_again(def, w, dt);  // breaks loose
  return st;
}

// Which contacts have stuck in the step before
static void recall_sticking(const ss_state* s, ss_work* w)
{
  ss_recall_sticking(w, s);
  if (w->op && w->has_static) ss_recall_by_key(w);
}

// u_mean for the next round. Returns the change in this one relative to the largest term of u_A + dt/2 M^-1 h +
// M^-1 W P_1.
static double renew(const ss_state* s, ss_work* w, ss_rattle* x)
{
  const ss_work* a = x->a;
  double most = 0, size = 0;
  for (int i = 0; i < w->nv; i++) {
    most = fmax(most, fabs(a->u[i] - w->u_mean[i]));
    size = fmax(size, fabs(s->u[i]) + fabs(a->u_free[i] - s->u[i]) + fabs(a->u[i] - a->u_free[i]));
  }
  ss_anderson_next(&x->rounds, a->u, w->u_mean);
  memset(x->P, 0, sizeof *x->P*(size_t)(a->n_bilateral + a->m));
  for (int r = 0; r < a->problem.m; r++) x->P[a->source[r]] = a->solution.Lambda[r];
  return most > 0 ? most/size : 0;
}

static ss_status do_round(const ss_system* sys, const ss_step_def* def, const ss_state* s, ss_work* w, ss_rattle* x,
                          bool first, double* change)
{
  ss_work* a = x->a;
  ss_status st = first ? SS_OK : look_at_end(sys, def, s, w, x);   // q_E = q_A o exp(dt u_H), gaps and rows there
  if (st >= 0) st = ss_free_velocity(a, s->u, w->u_mean, def->dt/2);  // u_A + dt/2 M^-1 h(q_A, u_H)
  if (st < 0) return st;
  ss_gamma(a, w->u_mean, x->gamma);
  for (int r = 0; r < a->n_bilateral + a->m; r++) x->gamma[r] += a->w_hat[r];
  ss_rattle_hold(x, w, def->dt, first);                            // g(q_E)/dt, mean of gamma_T
  if (a->op) st = ss_friction_now(a, x->held);
  recall_sticking(s, a);
  find_closing(def, x);
  if (st >= 0) st = pose(def, x);
  if (st < 0) return st;
  guess(x, first);
  ss_status solved = solve(def, a, def->dt/2);                     // P_1
  st = solved < 0 ? solved : ss_apply_impulses(a);                 // u_H
  if (st < 0) return st;
  *change = renew(s, w, x);
  return solved;
}

static ss_status do_rounds(const ss_system* sys, const ss_step_def* def, const ss_state* s, ss_work* w, ss_rattle* x)
{
  double change = INFINITY, previous = INFINITY, accurate = fmax(ACCURATE, tolerance_of(def, w));
  ss_status solved = SS_OK;
  int iterations = 0;
  memcpy(w->u_mean, s->u, sizeof(double)*(size_t)w->nv);
  memset(x->in, 0, sizeof *x->in*(size_t)x->a->n_contact);
  ss_anderson_forget(&x->rounds);
  for (int round = 0; round < MAX_ROUNDS && change > ENOUGH; round++) {
    previous = change;
    solved = do_round(sys, def, s, w, x, round == 0, &change);
    if (solved < 0) return solved;
    iterations += x->a->solution.iterations;
    if (round < 2) change = fmax(change, 2*ENOUGH);  // the end has been looked at, once at least
    else if (change <= accurate && change > previous/2) break;  // round-off
  }
  memcpy(w->u_mean, x->a->u, sizeof(double)*(size_t)w->nv);
  x->a->solution.iterations = iterations;
  ss_status st = change > NEARLY ? look_at_end(sys, def, s, w, x) : SS_OK;  // where u_H itself leads to
  if (st < 0) return st;
  return solved == SS_OK && change > accurate ? SS_INACCURATE : solved;
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

// A step that was not found is to be taken in parts, if that can be
static ss_status give_up(const ss_state* s, ss_work* w, ss_status solved)
{
  if (!w->op || w->halvings == MOST_HALVINGS) return solved == SS_OK ? SS_INACCURATE : solved;
  return ss_work_fail(w, SS_ERR_OVERLAP, "the positions at the end of the step from t = %g were not found", s->t);
}

static ss_status find_positions(const ss_system* sys, const ss_step_def* def, const ss_state* s, ss_work* w,
                                ss_rattle* x)
{
  bool dropped = true, back = false;
  ss_status solved = SS_OK;
  for (int i = 0; i < MAX_TRIES && dropped; i++) {
    solved = do_rounds(sys, def, s, w, x);
    if (solved < 0) return solved;
    dropped = drop_gone(x, w, &back);
  }
  return solved != SS_OK || dropped || back ? give_up(s, w, solved) : SS_OK;
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
  return i >= 0 ? x->a->gamma[x->a->row[i] + k] : x->gamma_end[w->row[j] + k];
}

static ss_status pose_end(const ss_step_def* def, ss_work* w, const ss_rattle* x)
{
  int m = ss_list_rows(w, def->dt);
  w->has_row_parts = false;
  for (int r = 0; r < m; r++) w->b[r] = ss_gamma_free(w, w->source[r]);
  for (int i = 0, r = w->n_bilateral; i < w->n_active; i++) {
    const ss_contact_def* c = w->law[w->active[i]];
    for (int k = 0; k < ss_contact_rows(c->kind); k++, r++) {
      double before = gamma_before(w, x, w->active[i], k);
      bool normal = k == 0 && c->kind != SS_CONTACT_FRICTION;
      w->b[r] += normal ? c->eps_n*fmin(before, 0) : c->eps_t*before;
    }
  }
  ss_status st = ss_make_problem(w, m, w->n_active);
  ss_guess_impulses(w);
  return st;
}

static ss_status end(const ss_step_def* def, const ss_state* s, ss_work* w, ss_rattle* x)
{
  ss_status st = ss_free_velocity(w, x->a->u, w->u_mean, def->dt/2);  // u_H + dt/2 M^-1 h(q_E, u_H)
  if (st < 0) return st;
  ss_rattle_carry(x, w);
  find_closed(def, w, x);
  take_back(w, x);
  ss_gamma(w, s->u, x->gamma_end);
  for (int r = 0; r < w->n_bilateral + w->m; r++) x->gamma_end[r] += w->w_hat[r];
  recall_sticking(s, w);
  st = pose_end(def, w, x);
  if (st < 0) return st;
  ss_status solved = solve(def, w, def->dt);                          // Lambda
  st = solved < 0 ? solved : ss_apply_impulses(w);                    // u_E
  return st < 0 ? st : solved;
}

// ---- report ----

// What a row takes out in two stages, gamma from `before` by way of `half` to `after`. `half` is the mean of the way,
// as the first stage has it: a contact that stays closed and rolls takes nothing, whatever its rows at one end say.
static double spent_by(double P, double Lambda, double before, double half, double after)
{
  return -P*(before + half)/2 - (Lambda - P)*(half + after)/2;
}

// What contact j did in the first stage: impulses, velocities at the start, and what it spent in both
static void add_first(const ss_step_def* def, ss_work* w, const ss_rattle* x, int j)
{
  const ss_work* a = x->a;
  ss_contact_result* c = &w->result[j];
  int i = x->at_start[j], first = w->law[j]->kind == SS_CONTACT_FRICTION;
  memset(c->Lambda_1, 0, sizeof c->Lambda_1);
  if (i < 0) return;
  for (int n = 0; n < ss_contact_rows(w->law[j]->kind); n++) {
    int k = n + first, r = a->row[i] + n;
    double stretch = ss_stretch(a, i, k), half = k == 0 ? (w->gap[j] - a->gap[i])/def->dt : x->held[r]/stretch;
    c->Lambda_1[k] = x->P[r]*stretch;
    c->gamma_before[k] = a->gamma[r]/stretch;
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
  w->solution.iterations += a->solution.iterations;
  w->solution.residual = fmax(w->solution.residual, a->solution.residual);
  ss_book_contacts(w, a, solved);
}

ss_status ss_step_rattle(const ss_system* sys, const ss_step_def* def, const ss_state* s, ss_work* w)
{
  ss_rattle* x = ss_rattle_of(sys, w);
  if (!x) return ss_work_fail(w, SS_ERR_MEMORY, "out of memory for a step");
  ss_status st = refuse(w, def);
  if (st >= 0) st = begin(sys, def, s, w, x);              // M, W, gaps at q_A
  if (st < 0) return st;
  ss_status first = find_positions(sys, def, s, w, x);     // P_1, u_H, q_E: positions
  if (first < 0) return first;
  ss_status second = end(def, s, w, x);                    // P_2, u_E: velocities, impacts
  if (second < 0) return second;
  ss_status solved = first > second ? first : second;
  report(def, w, x, solved);
  return solved;
}
