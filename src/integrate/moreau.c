// Moreau's midpoint rule [Glocker & Studer 2005, section 5].
// Bilateral rows, which the paper does not have, are held in the mean, W(q_M)^T (u_A + u_E)/2 + w_hat = 0: with u_A
// tangent to the constraint at q_A, u_E is then tangent at q_E, symmetrically and without loss of energy.
#include "integrate/work.h"

ss_status ss_step_moreau(const ss_system* sys, const ss_step_def* def, const ss_state* s, ss_work* w)
{
  double half = def->dt/2;
  ss_status st = ss_advance_freely(w, s->q, s->u, half, s->t);       // q_M                         [step 2]
  if (st < 0) return st;
  w->reach = half;
  st = ss_evaluate(sys, w, w->q, s->u, s->t + half);       // M, gaps, W there             [step 3a, c]
  if (st < 0) return st;
  w->at.rest = half;
  st = ss_free_velocity(w, s->u, s->u, def->dt);                // u_free = u_A + dt M^-1 h
  if (st < 0) return st;
  ss_find_contacts_closed(w, def);                                   // H = { i : g_Ni(q_M) <= 0 }    [step 3b]
  st = ss_leave_out_drifted(w, def);
  if (st < 0) return st;
  ss_status solved = ss_solve_step(def, w, (ss_rules){.bilateral_start = 1});  // Lambda   [step 4, (17), (33)]
  if (solved < 0) return solved;
  st = ss_apply_impulses(w);                                         // u_E                           [(32)]
  if (st < 0) return st;
  ss_report_contacts(w, solved);
  st = ss_advance_freely(w, w->q, w->u, half, s->t + half);          // q_E = q_M + dt/2 u_E          [step 5]
  return st < 0 ? st : solved;
}
