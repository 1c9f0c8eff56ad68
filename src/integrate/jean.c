// The theta-method of Moreau and Jean [Jean 1999; Stewart 2000, (2.11); Mylapilli & Jain 2017, section 2.7], implicit
// in M, W and h:
//   M(q_t) (u_E - u_A) = dt h(q_t, u_t, t_t) + W(q_t) Lambda,   q_E = q_A + dt u_t,
//   u_t = (1 - theta) u_A + theta u_E,   q_t = q_A + theta dt u_t,   t_t = t_A + theta dt,
// found by repeating: each round is a step of the midpoint rule, from the u_t of the round before. theta = 1/2 is the
// implicit midpoint rule: order 2 in smooth motion, and gyroscopic forces neither give nor take energy; theta = 1 is
// implicit Euler, which damps. The contacts that take part are those of the first round, at q_A + theta dt u_A.
// All rounds are evaluated there where they would be others at another q_t, where they do not settle otherwise, and
// where a fast part has met something on the way, no farther than which it goes: nothing passes through anything. q_E
// then goes on from q_t. Where they do not settle there either, the step is taken in halves; where that does not help,
// and where there are no parts (text models), h is that of u_A, and the step counts as inaccurate. So it is, without
// being inaccurate, where trees turn so far that q_t would say nothing of the way
// (ss_operators.turns_far).
#include <math.h>
#include <string.h>

#include "integrate/work.h"

enum { MOST_HALVINGS = 10 };

#define MAX_ROUNDS 60
#define ENOUGH 1e-13    // change of u_t in a round, relative to the terms it is made of: no more rounds
#define ACCURATE 1e-8   // ... that must be reached
#define NEAR 1e-3       // ... up to which the last round is a better step than the first

static void remember_active(ss_work* w)
{
  w->n_chosen = w->n_active;
  for (int i = 0; i < w->n_active; i++) w->target[i].key = w->op ? w->item[w->active[i]].key : (uint64_t)w->active[i];
}

// The same contacts in the list as it is now; false if some are not in it. Both lists have the same order, up to
// contacts that came or went.
static bool recall_active(ss_work* w)
{
  w->n_active = 0;
  for (int i = 0, last = 0; i < w->n_contact && w->n_chosen; i++) {
    int j = ss_target_find(w->target, w->n_chosen, w->op ? w->item[i].key : (uint64_t)i, last);
    if (j < 0) continue;
    w->active[w->n_active++] = i;
    last = j;
  }
  return w->n_active == w->n_chosen;
}

// w->u_way: u_A, less for what meets something on the way to the contacts. *stays: something does
static ss_status look_ahead(const ss_step_def* def, const ss_state* s, ss_work* w, bool* stays)
{
  *stays = false;
  memcpy(w->u_way, s->u, sizeof(double)*(size_t)w->nv);
  if (!w->op || !w->op->stop) return SS_OK;
  ss_status st = ss_free_way(w, s->q, s->u, def->theta*def->dt, s->t, w->u_way);
  for (int i = 0; st >= 0 && i < w->nv; i++) *stays = *stays || w->u_way[i] != s->u[i];
  return st;
}

// From q_t to the end: dt u_t = theta dt u_A + dt ((1 - 2 theta) u_A + theta u_E); what has met something is there
static ss_status go_on(const ss_step_def* def, const ss_state* s, ss_work* w)
{
  double theta = def->theta;
  for (int i = 0; i < w->nv; i++) {
    bool met = w->u_way[i] != s->u[i];
    w->u_mean[i] = (met ? 0 : (1 - 2*theta)*s->u[i]) + theta*w->u[i];
  }
  return ss_advance_freely(w, w->q, w->u_mean, def->dt, s->t);
}

// How a round ended
typedef struct outcome {
  double change;  // of u_mean, relative to the terms that it is made of
  bool lost;      // contacts of the first round are not there
} outcome;

// u_mean with the u_E found. Returns its change relative to the largest term of
//   u_mean = u_A + theta (dt M^-1 h + M^-1 W Lambda):
// at rest forces and impulses cancel, and round-off of these, not of the sum, is what is left. Their difference is
// known no better than to the residual of the contact problem.
static double renew_mean(const ss_step_def* def, const ss_state* s, ss_work* w)
{
  double theta = def->theta, most = 0, size = 0;
  for (int i = 0; i < w->nv; i++) {
    double mean = (1 - theta)*s->u[i] + theta*w->u[i];
    most = fmax(most, fabs(mean - w->u_mean[i]));
    size = fmax(size, fabs(s->u[i]) + fabs(w->u_free[i] - s->u[i]) + fabs(w->u[i] - w->u_free[i]));
    w->u_mean[i] = mean;
  }
  return most > 0 ? most/size : 0;
}

// One round with w->u_mean, or where w->u_way leads if q_t stays
static ss_status do_round(const ss_system* sys, const ss_step_def* def, const ss_state* s, ss_work* w, bool stays,
                          bool first, outcome* out)
{
  double theta = def->theta, dt = def->dt;
  *out = (outcome){.change = INFINITY};
  ss_advance(w, s->q, stays ? w->u_way : w->u_mean, theta*dt, w->q);
  w->reach = dt;
  ss_status st = ss_evaluate(sys, w, w->q, s->u, s->t + theta*dt);
  w->at.rest = (1 - theta)*dt;
  if (st >= 0) st = ss_free_velocity(w, s->u, w->at.theta > 0 ? w->u_mean : s->u, dt);
  if (st < 0) return st;
  ss_find_contacts_closed(w, def);
  if (first) st = ss_leave_out_drifted(w, def);
  if (st < 0) return st;
  if (first) remember_active(w);
  out->lost = !first && !recall_active(w);
  if (out->lost) return SS_OK;
  ss_status solved = ss_solve_step(def, w, (ss_rules){.bilateral_start = (1 - theta)/theta});
  st = solved < 0 ? solved : ss_apply_impulses(w);
  if (st < 0) return st;
  out->change = renew_mean(def, s, w);
  return solved;
}

// From u_A on
static void start_rounds(const ss_step_def* def, const ss_state* s, ss_work* w)
{
  memcpy(w->u_mean, s->u, sizeof(double)*(size_t)w->nv);
  memset(w->gyro, 0, sizeof(double)*(size_t)w->nv);
  w->at.gyro = w->gyro;
  w->at.theta = def->theta;
}

// Rounds until u_mean stays. out->lost: they have come to where the contacts are others, or where nothing is finite
static ss_status do_rounds(const ss_system* sys, const ss_step_def* def, const ss_state* s, ss_work* w, bool stays,
                           outcome* out)
{
  double previous = INFINITY;
  bool noisy = false;  // changes have risen again from where they could have stayed
  ss_status solved = SS_OK;
  *out = (outcome){INFINITY, false};
  start_rounds(def, s, w);
  for (int round = 0; round < MAX_ROUNDS && out->change > ENOUGH; round++) {
    solved = do_round(sys, def, s, w, stays, round == 0, out);
    if (solved == SS_ERR_NUMERIC && round > 0) *out = (outcome){INFINITY, true};
    if (out->lost) return SS_OK;
    if (solved < 0) return solved;
    bool rises = out->change >= previous;  // round-off, the tolerance of the solver, or a choice that comes and goes
    if (out->change <= ACCURATE && (rises || noisy)) break;
    noisy = noisy || (rises && previous <= ACCURATE);
    previous = out->change;
  }
  return solved == SS_OK && out->change > ACCURATE ? SS_INACCURATE : solved;
}

// From u_A on: there is nothing to repeat
static ss_status do_once(const ss_system* sys, const ss_step_def* def, const ss_state* s, ss_work* w)
{
  outcome out;
  start_rounds(def, s, w);
  w->at.gyro = NULL;
  w->at.theta = 0;
  return do_round(sys, def, s, w, true, true, &out);
}

// The end of a step whose velocities are found
static ss_status finish(const ss_step_def* def, const ss_state* s, ss_work* w, bool stays, ss_status solved)
{
  w->at.gyro = NULL;
  w->at.theta = 0;
  if (solved < 0) return solved;
  ss_report_contacts(w, solved);
  ss_status st = stays ? go_on(def, s, w) : ss_advance_freely(w, s->q, w->u_mean, def->dt, s->t);
  return st < 0 ? st : solved;
}

ss_status ss_step_jean(const ss_system* sys, const ss_step_def* def, const ss_state* s, ss_work* w)
{
  bool stays;
  outcome out;
  ss_status st = look_ahead(def, s, w, &stays);
  if (st < 0) return st;
  w->at.u = s->u;
  if (w->op && w->op->turns_far && w->op->turns_far(&w->at, def->dt))
    return finish(def, s, w, true, do_once(sys, def, s, w));
  ss_status solved = do_rounds(sys, def, s, w, stays, &out);
  if ((out.lost || solved == SS_INACCURATE) && !stays) {
    stays = true;
    solved = do_rounds(sys, def, s, w, stays, &out);
  }
  if (solved >= 0 && !(out.change <= ACCURATE) && w->op && w->halvings < MOST_HALVINGS)
    return ss_work_fail(w, SS_ERR_OVERLAP, "the implicit step from t = %g does not settle", s->t);
  if (solved >= 0 && !(out.change <= NEAR)) {
    solved = do_once(sys, def, s, w);
    if (solved == SS_OK) solved = SS_INACCURATE;
  }
  return finish(def, s, w, stays, solved);
}
