// Semi-implicit Euler [Mylapilli & Jain 2017, section 2.7.1; Stewart 2000, (2.11)-(2.15) with M(q^l)].
// Contacts that the free motion would close within the step take part; restitution only for those that approach,
// since eps gamma of a separating contact would allow penetration.
#include "integrate/work.h"

ss_status ss_step_euler(const ss_system* sys, const ss_step_def* def, const ss_state* s, ss_work* w)
{
  for (int i = 0; i < s->nq; i++) w->q[i] = s->q[i];
  w->reach = def->dt;
  w->at.predicts = true;
  ss_status st = ss_evaluate(sys, w, w->q, s->u, s->t);   // M, gaps, W at the start
  w->at.predicts = false;
  if (st < 0) return st;
  w->at.rest = def->dt;
  st = ss_free_velocity(w, s->u, s->u, def->dt);        // u_free = u_A + dt M^-1 h
  if (st < 0) return st;
  ss_find_contacts_predicted(w, def->dt);                 // g + dt gamma_N(u_free) < 0, nearly
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
