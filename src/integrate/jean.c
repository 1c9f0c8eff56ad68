// The theta-method of Moreau and Jean [Jean 1999; Stewart 2000, (2.11); Mylapilli & Jain 2017, section 2.7], implicit
// in M, W and h:
//   M(q_t) (u_E - u_A) = dt h(q_t, u_t, t_t) + W(q_t) Lambda,   q_E = q_A + dt u_t,
//   u_t = (1 - theta) u_A + theta u_E,   q_t = q_A + theta dt u_t,   t_t = t_A + theta dt,
// found by repeating: each round is a step of the midpoint rule, from the u_t of the round before. theta = 1/2 is the
// implicit midpoint rule: order 2 in smooth motion, and gyroscopic forces neither give nor take energy; theta = 1 is
// implicit Euler, which damps. The contacts that take part are those of the first round.
#include <math.h>
#include <string.h>

#include "integrate/work.h"

#define MAX_ROUNDS 60
#define ENOUGH 1e-13    // change of u_t in a round, relative to its size: no more rounds
#define ACCURATE 1e-8   // ... that must be reached

static void remember_active(ss_work* w)
{
  w->n_chosen = w->n_active;
  for (int i = 0; i < w->n_active; i++) w->target[i].key = w->op ? w->item[w->active[i]].key : (uint64_t)w->active[i];
}

// The same contacts in the list as it is now. Both lists have the same order, up to contacts that came or went.
static void recall_active(ss_work* w)
{
  w->n_active = 0;
  for (int i = 0, last = 0; i < w->n_contact && w->n_chosen; i++) {
    int j = ss_target_find(w->target, w->n_chosen, w->op ? w->item[i].key : (uint64_t)i, last);
    if (j < 0) continue;
    w->active[w->n_active++] = i;
    last = j;
  }
}

// One round with w->u_mean; *change is that of u_mean, relative to its size and that of the step.
static ss_status do_round(const ss_system* sys, const ss_step_def* def, const ss_state* s, ss_work* w, bool first,
                          double* change)
{
  double theta = def->theta, dt = def->dt, size = 0, most = 0;
  ss_advance(w, s->q, w->u_mean, theta*dt, w->q);
  w->reach = dt;
  ss_status st = ss_evaluate(sys, w, w->q, s->u, s->t + theta*dt);
  if (st >= 0) st = ss_free_velocity(w, s->u, w->u_mean, dt);
  if (st < 0) return st;
  ss_find_contacts_closed(w, dt);
  if (first) remember_active(w);
  else recall_active(w);
  ss_status solved = ss_solve_step(def, w, (ss_rules){.bilateral_start = (1 - theta)/theta});
  st = solved < 0 ? solved : ss_apply_impulses(w);
  if (st < 0) return st;
  for (int i = 0; i < w->nv; i++) {
    double mean = (1 - theta)*s->u[i] + theta*w->u[i];
    most = fmax(most, fabs(mean - w->u_mean[i]));
    size = fmax(size, fabs(mean) + fabs(w->u[i] - s->u[i]));
    w->u_mean[i] = mean;
  }
  *change = most > 0 ? most/size : 0;
  return solved;
}

ss_status ss_step_jean(const ss_system* sys, const ss_step_def* def, const ss_state* s, ss_work* w)
{
  double change = INFINITY, previous = INFINITY;
  ss_status solved = SS_OK;
  memcpy(w->u_mean, s->u, sizeof(double)*(size_t)w->nv);
  for (int round = 0; round < MAX_ROUNDS && change > ENOUGH; round++) {
    solved = do_round(sys, def, s, w, round == 0, &change);
    if (solved < 0) return solved;
    if (change <= ACCURATE && change > previous/2) break;  // round-off, or the tolerance of the solver
    previous = change;
  }
  if (solved == SS_OK && change > ACCURATE) solved = SS_INACCURATE;
  ss_report_contacts(w, solved);
  ss_advance(w, s->q, w->u_mean, def->dt, w->q);
  return solved;
}
