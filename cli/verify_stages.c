// `stickslip verify` of steps of rattle: the laws of both stages, losses and works (docs/rattle.md).
//   normal     0 <= g(q_E) - min(0, g(q_A)) _|_ P_1N >= 0;   0 <= gamma_E + eps min(0, gamma_A) _|_ Lambda_N >= 0 of
//              those that are closed at q_E
//   friction   -P_1T in (mu P_1N + bound dt/2) Sgn(mean of gamma_T(u_H) at both ends),
//              -Lambda_T in (mu Lambda_N + bound dt) Sgn(gamma_E + eps gamma_A)
#include <float.h>
#include <math.h>

#include "verify_hits.h"
#include "verify_scene.h"
#include "verify_stages.h"

#define OVERLAP 1e-12    // of the terms of a gap: overlap at the start of a step that is none
#define GAP_NOISE 1e-13  // of the terms of a gap that round-off may be, over dt a velocity
#define CLOSED 1e-11     // ... that round-off may add up to where bodies stay together: they touch
#define NEAR 1e-6        // of the largest velocity: gaps that close within a step by less are closed

static double overlap_of(const ss_contact_item* item) { return item->gap < -OVERLAP*item->size ? item->gap : 0; }

// ---- laws ----

static double mu_of(const cli_rattle* v, const cli_end* e, int i, const double* gamma)
{
  const ss_operators* op = v->c->d->operators;
  double speed = 0;
  if (!op || !e->law[i]->varies) return e->mu[i];
  for (int k = 1; k < ss_contact_rows(e->law[i]->kind); k++)
    speed = hypot(speed, gamma[k]/cli_stretch_of(&e->item[i], k));
  return op->friction(v->c->d->user, e->law[i], speed);
}

// |T - P(T - xi)|, P onto the disk of the radius `limit`; T the friction times g
static long double disk_off(const long double T[2], const long double xi[2], long double limit)
{
  long double x[2] = {T[0] - xi[0], T[1] - xi[1]}, way = hypotl(x[0], x[1]), shrink = way > limit ? limit/way : 1;
  return hypotl(T[0] - shrink*x[0], T[1] - shrink*x[1]);
}

// ... of a contact that rests: how far it moves, or its friction is beyond the limit
static long double rest_off(const ss_friction_set* set, const long double T[2], const long double xi[2],
                            long double limit)
{
  const double t[2] = {(double)T[0], (double)T[1]};
  long double most = set ? ss_friction_set_psi(set, t) : hypotl(T[0], T[1]);
  return fmaxl(hypotl(xi[0], xi[1]), most - limit);
}

// Friction of a stage: impulses P and velocities xi of all rows of contact i, its load, limits and length in time
typedef struct stage_friction {
  const double *P, *xi;
  long double N;
  double mu, bound, dt;
  double noise;  // round-off of xi
  bool inside;   // of its cone, and no more: impacts of their own
} stage_friction;

// c: in the file, to compare its state; or NULL
static void check_friction(cli_rattle* v, long row, int i, const stage_friction* f, const ss_run_contact* c)
{
  const cli_end* e = &v->e;
  const ss_contact_def* law = e->law[i];
  int normal = !cli_is_element(e, i), tangents = ss_contact_rows(law->kind) - normal, r = e->row[i] + normal;
  if (!tangents) return;
  long double g = tangents > 1 ? ((long double)e->g[r] + e->g[r + 1])/2 : e->g[r], T[2] = {0}, xi[2] = {0};
  if (!(g > 0)) return;
  for (int k = 0; k < tangents; k++) {
    T[k] = g*f->P[normal + k];
    xi[k] = f->xi[normal + k];
  }
  long double limit = g*(f->mu*f->N + f->bound*f->dt), loose = fabsl(limit - hypotl(T[0], T[1]));
  long double off = law->set ? cli_set_off(law->set, T, xi, limit) : disk_off(T, xi, limit);
  bool rests = law->mu_static > 0 || law->bound_static > 0, frictional = f->mu > 0 || f->bound > 0 || rests;
  if (rests) {
    limit = g*(fmax(law->mu_static, f->mu)*f->N + fmax(law->bound_static, f->bound)*f->dt);
    off = fminl(off, rest_off(law->set, T, xi, limit));
    loose = fminl(loose, fabsl(limit - hypotl(T[0], T[1])));
  }
  long double size = v->unit*sqrtl(g);
  if (f->inside) off = fmaxl(0, law->set ? 0 : hypotl(T[0], T[1]) - limit);
  cli_verify_note(v->c, CLI_FRICTION, row, off > f->noise ? off : 0, size);
  if (!c || law->set || c->state == SS_OPEN || f->inside) return;
  cli_verify_note(v->c, CLI_STATES, row, cli_state_off(c->state, tangents, xi, loose, frictional, size), size);
}

// The load of resistance against spin and rolling is that of the contact it belongs to
static long double load_of(const cli_rattle* v, int i, const double* P)
{
  int load = v->e.item[i].load;
  return load ? P[v->e.row[load - 1]] : cli_is_element(&v->e, i) ? 0 : P[v->e.row[i]];
}

void cli_stages_check_first(cli_rattle* v, long row, int i)
{
  const cli_end* e = &v->e;
  double dt = v->c->info->run.step.dt;
  int r = e->row[i], j = v->at_start[i];
  if (j < 0) return;
  double noise = GAP_NOISE*(e->item[i].size + v->a.item[j].size)/dt + 2*v->vague;
  if (cli_has_gap(e, i)) {
    long double open = ((long double)e->item[i].gap - overlap_of(&v->a.item[j]))/dt;
    long double off = fminl(open, (long double)v->P[r]*e->g[r]);
    off = fabsl(off) > noise ? off : 0;
    cli_verify_note(v->c, CLI_NORMAL, row, off, v->unit*sqrtl(e->g[r]));
  }
  const double* P = v->push_a + v->a.row[j];  // along the directions there, as the means are
  stage_friction f = {P, v->mean + r, load_of(v, i, v->P), mu_of(v, &v->a, j, v->mean + r), v->a.bound[j], dt/2,
                      noise, false};
  check_friction(v, row, i, &f, NULL);
}

// No impulses at a distance: 0 <= g(q_E)/dt _|_ Lambda_N >= 0, but for what counts as closed
static void check_distance(cli_rattle* v, long row, int i)
{
  const cli_end* e = &v->e;
  int r = e->row[i];
  long double size = v->unit*sqrtl(e->g[r]);
  long double open = ((long double)e->item[i].gap - CLOSED*e->item[i].size)/v->c->info->run.step.dt - NEAR*size;
  if (open > 0) cli_verify_note(v->c, CLI_NORMAL, row, fminl(open, (long double)v->Lambda[r]*e->g[r]), size);
}

// By another law than Newton's, all at once, a step in which contacts hit is an impact and the rest of the step
void cli_stages_find_hits(cli_rattle* v)
{
  bool apart = cli_hits_apart(v->c);
  v->hits = false;
  for (int i = 0; apart && i < v->e.n; i++) {
    int r = v->e.row[i];
    v->hits = v->hits || (cli_has_gap(&v->e, i) && v->Lambda[r] > 0 && v->start[r] < 0);
  }
}

void cli_stages_check_second(cli_rattle* v, long row, int i, const ss_run_contact* c)
{
  const cli_end* e = &v->e;
  const ss_contact_def* law = e->law[i];
  double dt = v->c->info->run.step.dt, xi[3] = {0};
  int r = e->row[i];
  bool gap = cli_has_gap(e, i), held = gap && (v->P[r] > 0 || v->Lambda[r] > 0 || e->item[i].gap <= 0);
  for (int k = 0; k < ss_contact_rows(law->kind); k++)
    xi[k] = v->after[r + k] + (k == 0 && gap ? law->eps_n*fmin(0, v->start[r]) : law->eps_t*v->start[r + k]);
  if (gap && !held) {  // it is open: no impulse
    for (int k = 0; k < ss_contact_rows(law->kind); k++)
      cli_verify_note(v->c, CLI_NORMAL, row, v->Lambda[r + k]*e->g[r + k], v->unit*sqrtl(e->g[r + k]));
    return;
  }
  long double off = gap ? fminl(xi[0], v->Lambda[r]*e->g[r]) : 0;
  bool unknown = v->at_start[i] < 0 && (law->eps_n > 0 || law->eps_t > 0);  // how it came is not
  if (gap && (unknown || v->hits)) off = fminl(0, fminl(v->after[r], v->Lambda[r]*e->g[r]));
  if (gap) cli_verify_note(v->c, CLI_NORMAL, row, off, v->unit*sqrtl(e->g[r]));
  if (gap) check_distance(v, row, i);
  if (gap && v->hits && v->Lambda[r] > 0 && v->start[r] < 0)
    cli_verify_count_out(v->c, "contacts of steps in two stages that hit, as to their restitution");
  if (unknown && v->Lambda[r] > 0) cli_verify_count_out(v->c, "impacts of contacts that are not in the list before");
  stage_friction f = {v->Lambda + r, xi, load_of(v, i, v->Lambda), mu_of(v, e, i, v->half_e + r), e->bound[i], dt, 0,
                      v->hits};
  if (!unknown) check_friction(v, row, i, &f, c);
}

// Bodies and place of a contact of shapes
static void check_place(cli_rattle* v, long row, const ss_contact_item* item, const ss_run_contact* c)
{
  cli_verify_note(v->c, CLI_KINEMATICS, row, item->body_a != c->body_a || item->body_b != c->body_b, 1);
  for (int k = 0; k < 9; k++) cli_verify_note(v->c, CLI_KINEMATICS, row, item->frame[k] - c->frame[k], 1);
  for (int k = 0; k < 3; k++)
    cli_verify_note(v->c, CLI_KINEMATICS, row, item->point[k] - c->point[k],
                    fabs(item->point[k]) + item->size + 1e-3);
}

static bool slides(ss_contact_state s) { return s == SS_SLIP || s == SS_SLIP_POS || s == SS_SLIP_NEG; }

void cli_stages_check_listed(cli_rattle* v, long row, int i, const ss_run_contact* c)
{
  const cli_end* e = &v->e;
  const ss_contact_item* item = &e->item[i];
  const ss_contact_def* law = e->law[i];
  int first = cli_is_element(e, i), rows = ss_contact_rows(law->kind);
  long double push = 0, size = v->c->speed + DBL_MIN;
  if (!first) cli_verify_note(v->c, CLI_KINEMATICS, row, (long double)item->gap - c->gap, item->size + 1e-3);
  for (int k = 0; k < rows; k++) {
    double stretch = cli_stretch_of(item, k + first);
    bool known = v->at_start[i] >= 0 && !v->renamed && v->a.item[v->at_start[i]].key == item->key;
    v->c->before[3*c->contact + first + k] = known ? v->start[e->row[i] + k]/stretch : NAN;
    cli_verify_note(v->c, CLI_KINEMATICS, row, v->after[e->row[i] + k]/stretch - c->gamma[first + k], size);
    push = fmaxl(push, fabs(v->Lambda[e->row[i] + k])*e->g[e->row[i] + k]);
  }
  bool never = first && !item->load;  // it has nothing to open
  cli_verify_note(v->c, CLI_STATES, row, c->state == SS_OPEN ? (never ? size : push) : 0, size);
  if (rows + first == 1 && c->state != SS_OPEN) cli_verify_note(v->c, CLI_STATES, row, c->state != SS_CLOSED, 1);
  bool is_static = law->mu_static > law->mu || law->bound_static > law->bound;
  if (is_static && slides(c->state) && v->c->was[c->contact] == SS_STICK) cli_verify_count_out(v->c, CLI_NOT_HELD);
  if (v->c->info->listed) check_place(v, row, item, c);
}

// ---- energies ----

static long double spent(long double P, long double Lambda, long double before, long double mean, long double after)
{
  return -P*(before + mean)/2 - (Lambda - P)*(mean + after)/2;
}

void cli_stages_check_losses(cli_rattle* v, long row)
{
  const cli_end* e = &v->e;
  cli_losses sum = {0};
  long double terms = 0;
  for (int i = 0; i < e->n; i++) {
    if (v->number[i] < 0) continue;
    bool pressed = !cli_is_element(e, i);
    long double normal = 0, friction = 0;
    int r = e->row[i];
    bool hits = cli_has_gap(e, i) && v->Lambda[r] > 0 && v->start[r] < 0;
    bool bounces = hits && (e->law[i]->eps_n > 0 || e->law[i]->eps_t > 0);
    for (int k = 0; k < ss_contact_rows(e->law[i]->kind); k++, r++) {
      double mean = v->at_start[i] < 0 ? v->mean[r] : cli_rattle_at_end(v, i, v->mean + e->row[i], k);
      long double took = spent(v->P[r], v->Lambda[r], v->start[r], mean, v->after[r]);
      *(pressed && k == 0 ? &normal : &friction) += took;
      if (bounces) cli_verify_give(&sum, v->Lambda[r], v->start[r]);
      sum.step += (long double)v->Lambda[r]*v->Lambda[r]*e->g[r];
      terms += fabs(v->Lambda[r]) + fabs(v->P[r]);
    }
    cli_verify_add_loss(&sum, pressed || e->item[i].load, normal, friction);
  }
  sum.size = terms*v->c->speed;
  cli_verify_losses(v->c, row, &sum);
}

// What moving partners put in
long double cli_stages_drive(const cli_rattle* v)
{
  long double sum = 0;
  for (int r = 0; r < v->e.nb; r++) {
    sum -= (long double)v->P[r]*v->a.w_hat[r] + ((long double)v->Lambda[r] - v->P[r])*v->e.w_hat[r];
  }
  for (int i = 0; i < v->e.n; i++)
    for (int k = 0; k < ss_contact_rows(v->e.law[i]->kind); k++) {
      int r = v->e.row[i] + k, j = v->at_start[i];
      double at_start = j >= 0 ? v->a.w_hat[v->a.row[j] + k] : 0;
      sum -= (long double)v->P[r]*at_start + ((long double)v->Lambda[r] - v->P[r])*v->e.w_hat[r];
    }
  return sum;
}

// Constraints: held on both levels, and what they do where the start does not fit them
void cli_stages_check_constraints(cli_rattle* v, long row)
{
  double dt = v->c->info->run.step.dt;
  long double work = 0, terms = 0;
  for (int b = 0; b < v->e.nb; b++) {
    double pushed = v->e.g[b]*(fabs(v->P[b]) + fabs(v->Lambda[b])), rate = v->size_e[b] + v->size[b] + pushed;
    cli_verify_note(v->c, CLI_GAPS, row, v->e.error[b], v->e.error_size[b] + dt*(rate + v->c->speed));
    cli_verify_note(v->c, CLI_GAPS, row, v->after[b], rate + v->c->speed + 1e-9);
    double mean = (v->e.error[b] - v->a.error[b])/dt;
    work -= spent(v->P[b], v->Lambda[b], v->before[b], mean, v->after[b]);
    double speeds = v->size[b] + v->size_e[b] + v->size_a[b] + v->e.error_size[b]/dt*1e-8;
    terms += (fabs(v->P[b]) + fabs(v->Lambda[b]))*speeds;
  }
  if (!v->c->info->run.step.account) return;
  const cli_verifier* c = v->c;
  long double size = terms + fabs(c->kinetic[row]) + fabs(c->potential[row]) + fabs(c->projection[row]) + DBL_MIN;
  cli_verify_note(v->c, CLI_WORKS, row, c->projection[row] - c->projection[row - 1] - work, size);
}
