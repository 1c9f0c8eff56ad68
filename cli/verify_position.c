// `stickslip verify` of scenes and planar bodies: where a step ends, and what a projection may have done.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verify_scene.h"

// The end of a step of jean: from its start, or from where its contacts are
static bool end_of_jean(cli_scene* s, const ss_step_def* def)
{
  double theta = def->theta;
  if (!s->stays) return cli_scene_advance_freely(s, s->a->q, s->um, def->dt, s->a->t, s->qx);
  for (int i = 0; i < s->nv; i++) {
    bool met = s->way[i] != s->a->u[i];
    s->um[i] = (met ? 0 : (1 - 2*theta)*s->a->u[i]) + theta*s->e->u[i];
  }
  return cli_scene_advance_freely(s, s->qm, s->um, def->dt, s->a->t, s->qx);
}

// Overlap that is left, as ss_overlap_allowed() has it
static double allowed_overlap(const cli_scene* s, const ss_step_def* def, int i)
{
  double thick = s->item[i].thick, small = thick > 0 ? 1e-3*thick : INFINITY;
  return def->friction.compliance > 0 && thick > 0 ? small : fmin(s->fall[s->row[i]], small);
}

static bool has_gap(const ss_contact_item* item) { return item->law->kind != SS_CONTACT_FRICTION && !item->load; }

// Contacts that overlap by more than what is allowed and do not leave by themselves are projected, and those that carry
// load and open, which the file does not tell: more than half of the way to the limit counts.
static bool may_be_projected(const cli_scene* s, const ss_step_def* def, const ss_run_contact* list)
{
  if (def->project == SS_PROJECTION_OFF) return false;
  if (def->project == SS_PROJECTION_ON || s->op->overlap == SS_OVERLAP_NEVER) return true;
  if (s->op->overlap == SS_OVERLAP_STAYS) return false;
  for (int i = 0; i < s->n; i++) {
    const ss_contact_item* item = &s->item[i];
    if (!has_gap(item)) continue;
    double allowed = allowed_overlap(s, def, i);
    if (item->gap + def->dt*fmax(0, s->gamma_e[s->row[i]]) < -allowed) return true;
    if (item->gap > allowed/4 && s->number[i] >= 0 && list[s->number[i]].Lambda[0] > 0) return true;
  }
  return false;
}

// ---- what a projection may have done ----
// It is the smallest displacement d, in the metric of M, that removes overlap. The way back to the start of the step
// removes what the step has brought, and what was there before, or has come with bodies that are guided, can be removed
// contact by contact, by depth/sqrt(G_ii) each, or, where the lighter body is held by others, by depth times the root
// of the masses of both, m_i = w_i M w_i/(w_i w_i)^2; bodies that stand on one another add up, to no more than
// sqrt(n) of it. So
//   |d|_M <= 2 (|way|_M + sqrt(n) sum_i max(s_i, -g_i) max(1/sqrt(G_ii), sqrt(m_i))),
// twice, since gaps are no linear functions and rounds are repeated; the sum once where the step tested its contacts,
// and once where it led to. What no contact is near to is not moved at all.
// Steps of billiards, dominoes, rockfall, rod-table had |d|_M < 0.92 |way|_M, those of brush, whose ring is guided, up
// to 0.73 of the bound.

// w M w of a row, which has few numbers other than zero
static double energy_of(cli_scene* s, const double* w)
{
  double sum = 0;
  if (s->machine) cli_scene_times_mass(s, w, s->mdu);
  for (int i = 0; i < s->nv; i++) {
    if (s->machine) sum += w[i]*s->mdu[i];
    for (int j = 0; !s->machine && w[i] != 0 && j < s->nv; j++) sum += w[i]*s->M[i*s->nv + j]*w[j];
  }
  return sum;
}

// sqrt(m_i) of a row
static double root_mass(cli_scene* s, int row)
{
  const double one = 1;
  double square = 0;
  s->op->row_force(&s->c->at, 1, &row, &one, s->v);
  for (int i = 0; i < s->nv; i++) square += s->v[i]*s->v[i];
  return square > 0 ? sqrt(fmax(0, energy_of(s, s->v)))/square : 0;
}

// The sum for a list of contacts. def: of those where the step tested them, or NULL. False if there is no G.
static bool add_lift(cli_scene* s, const ss_step_def* def, int n, const ss_contact_item* item, double* lift)
{
  double sum = 0;
  int count = 0;
  for (int i = 0, row = s->nb; i < n; row += ss_contact_rows(item[i++].law->kind)) {
    double G, depth = fmax(def ? allowed_overlap(s, def, i) : 0, -item[i].gap);
    if (!has_gap(&item[i]) || !(depth > 0)) continue;
    if (s->op->delassus(&s->c->at, 1, &row, &G) < 0) return false;
    if (G > 0) sum += depth*fmax(1/sqrt(G), root_mass(s, row));  // else nothing moves it
    count++;
  }
  *lift += sqrt(count)*sum;
  return true;
}

// Into s->near: velocities that contacts of a list move, with M where it was made. Weights differ, lest they cancel.
static void mark_near(cli_scene* s, int n, const ss_contact_item* item)
{
  memset(s->part, 0, sizeof(double)*(size_t)s->nv);
  for (int i = 0, row = s->nb; i < n; row += ss_contact_rows(item[i++].law->kind)) {
    double weight = 1 + 0.6180339887498949*i - floor(0.6180339887498949*i);
    if (item[i].law->kind == SS_CONTACT_FRICTION) continue;
    s->op->row_force(&s->c->at, 1, &row, &weight, s->v);
    for (int k = 0; k < s->nv; k++) s->part[k] += s->v[k];
  }
  s->op->solve(&s->c->at, s->part, s->mdu);
  for (int i = 0; i < s->nv; i++)
    if (s->mdu[i] != 0 && !(s->nb && s->looped[s->islands.of[i]])) s->near[i] = 1;
}

// ... of those that a projection finds at q, with the lift that they need. Where it finds the step too large anything
// may be near.
static bool look_near(cli_scene* s, const ss_step_def* def, const double* q, double* lift)
{
  cli_verifier* c = s->c;
  int n;
  const ss_contact_item* item;
  c->at.q = q;
  c->at.u = s->e->u;
  c->at.t = s->e->t;
  if (c->d->update && c->d->update(&c->at) < 0) return false;
  ss_status st = s->op->list(&c->at, cli_scene_reach_of(def), &n, &item);
  for (int i = 0; st == SS_ERR_OVERLAP && i < s->nv; i++) s->near[i] = 1;
  if (st < 0) return st == SS_ERR_OVERLAP;
  if (s->op->factor(&c->at) < 0) return false;
  mark_near(s, n, item);
  return add_lift(s, NULL, n, item, lift);
}

// |q_1 - q_0| in the metric of M where the contacts were tested, of the velocities that contacts move
static long double distance(cli_scene* s, const double* q_0, const double* q_1)
{
  long double sum = 0;
  if (s->op->difference) s->op->difference(s->c->at.user, q_0, q_1, s->v);
  else
    for (int i = 0; i < s->nv; i++) s->v[i] = q_1[i] - q_0[i];
  for (int i = 0; i < s->nv; i++) s->v[i] *= s->near[i];
  cli_scene_times_mass(s, s->v, s->mdu);
  for (int i = 0; i < s->nv; i++) sum += (long double)s->v[i]*s->mdu[i];
  return sqrtl(fmaxl(0, sum));
}

static void note_position(cli_scene* s, long row, int i)
{
  if (s->nb && s->looped[s->islands.of_place[i]]) return;
  const double* q = s->qx;
  cli_verify_note(s->c, CLI_POSITION, row, (long double)q[i] - s->e->q[i], fabs(q[i]) + fabs(s->a->q[i]) + 1e-3L);
}

static bool check_projected(cli_scene* s, long row, const ss_step_def* def, double lift)
{
  double moved = 0, left = 0;
  memset(s->damped, 0, sizeof(double)*(size_t)s->nv);  // these count for velocities alone
  if (!look_near(s, def, s->qx, &lift) || !look_near(s, def, s->e->q, &left)) return false;
  long double way = distance(s, s->a->q, s->qx), d = distance(s, s->qx, s->e->q), most = 2*(way + lift);
  cli_verify_note(s->c, CLI_POSITION, row, fmaxl(0, d - most), d + most);
  cli_scene_advance(s, s->qx, s->near, 1e-3, s->qm);
  for (int i = 0; i < s->nq; i++) {
    if (s->qm[i] == s->qx[i]) note_position(s, row, i);
    else moved = fmax(moved, fabs(s->qx[i] - s->e->q[i]));
  }
  s->c->bounded += moved > 1e-12;
  return true;
}

// Comes last: contacts are looked for in other places
bool cli_scene_check_position(cli_scene* s, long row, const ss_step_def* def, const ss_run_contact* list)
{
  bool projected = may_be_projected(s, def, list);
  double lift = 0;
  memset(s->near, 0, sizeof(double)*(size_t)s->nv);
  if (projected) mark_near(s, s->n, s->item);
  if (projected && !add_lift(s, def, s->n, s->item, &lift)) return false;
  if (def->integrator == SS_EULER) {
    if (!cli_scene_advance_freely(s, s->a->q, s->e->u, def->dt, s->a->t, s->qx)) return false;
  } else if (def->integrator == SS_JEAN) {
    if (!end_of_jean(s, def)) return false;
  } else if (!cli_scene_advance_freely(s, s->qm, s->e->u, def->dt/2, s->a->t + def->dt/2, s->qx)) {
    return false;
  }
  if (projected) return check_projected(s, row, def, lift);
  for (int i = 0; i < s->nq; i++) note_position(s, row, i);
  return true;
}
