// Semi-implicit Euler [Mylapilli & Jain 2017, section 2.7.1; Stewart 2000, (2.11)-(2.15) with M(q^l)].
// Contacts that the free motion would close within the step take part; restitution only for those that approach,
// since eps gamma of a separating contact would allow penetration.
#include "integrate/work.h"

// M, gaps, W at the start, u_free = u_A + dt M^-1 h, and the contacts with g + dt gamma_N(u_free) < 0, nearly
static ss_status begin(const ss_system* sys, const ss_step_def* def, const ss_state* s, ss_work* w)
{
  for (int i = 0; i < s->nq; i++) w->q[i] = s->q[i];
  w->reach = def->dt;
  w->at.predicts = true;
  ss_status st = ss_evaluate(sys, w, w->q, s->u, s->t);
  w->at.predicts = false;
  if (st < 0) return st;
  w->at.rest = def->dt;
  st = ss_free_velocity(w, s->u, s->u, def->dt);
  if (st >= 0) ss_find_contacts_predicted(w, def->dt);
  return st;
}

// ... but for those that are passed by: free motion is followed, and the step begins anew
static ss_status begin_on_the_way(const ss_system* sys, const ss_step_def* def, const ss_state* s, ss_work* w)
{
  ss_status st = begin(sys, def, s, w);
  if (st < 0) return st;
  int n = ss_list_grazing(w);
  if (n == 0) return st;
  st = ss_look_at_grazing(sys, def, s, w, n);
  if (st >= 0) st = begin(sys, def, s, w);
  if (st >= 0) ss_leave_out_grazing(w, def->dt, n);
  return st;
}

ss_status ss_step_euler(const ss_system* sys, const ss_step_def* def, const ss_state* s, ss_work* w)
{
  ss_status st = begin_on_the_way(sys, def, s, w);       // M, gaps, W, u_free; contacts that close
  if (st < 0) return st;
  ss_status solved;
  do {
    solved = ss_solve_step(def, w, (ss_rules){.approach_only = true});  // Lambda; eps min(gamma_A, 0)
    if (solved < 0) return solved;
  } while (ss_find_contacts_pressed(w, def->dt));
  st = ss_apply_impulses(w);                              // u_E                                    [MJ (25)]
  if (st < 0) return st;
  ss_report_contacts(w, solved);
  st = ss_advance_freely(w, w->q, w->u, def->dt, s->t);   // q_E = q_A + dt u_E                 [MJ (26)]
  return st < 0 ? st : solved;
}
