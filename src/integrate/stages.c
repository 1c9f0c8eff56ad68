// The stages of a time step: evaluate, free velocity, active contacts, contact problem, impulses, report.
#include <math.h>
#include <string.h>

#include "contact/choose.h"
#include "integrate/work.h"
#include "math/dense.h"

// gamma = W^T u + w_hat, and for operators what the free motion makes of it
static void start_velocities(ss_work* w, const double* u)
{
  int rows = w->n_bilateral + w->m;
  if (!w->op) {
    for (int r = 0; r < rows; r++) w->gamma[r] = ss_dot(w->nv, w->W + r*w->nv, u) + w->w_hat[r];
    return;
  }
  if (!rows) return;
  w->op->row_velocity(&w->at, u, w->gamma, w->gamma_size);
  for (int i = 0; i < w->nv; i++) w->v[i] = w->u_free[i] - u[i];
  w->op->row_velocity(&w->at, w->v, w->gamma_free, w->row_size);
  for (int r = 0; r < rows; r++) {
    w->gamma[r] += w->w_hat[r];
    w->gamma_free[r] += w->gamma[r];
  }
}

// x = M^-1 h with the forces from outside
static ss_status accelerate(ss_work* w, double* x)
{
  bool at_once = w->op && w->op->accelerate;
  ss_status st = at_once ? w->op->accelerate(&w->at, x) : w->def->force(&w->at, x);
  if (st < 0) return st;
  if (!at_once) {
    if (w->force) ss_axpy(w->nv, 1, w->force, x);
    ss_mass_solve(w, x);
  } else if (w->force) {
    memcpy(w->v, w->force, sizeof(double)*(size_t)w->nv);
    ss_mass_solve(w, w->v);
    ss_axpy(w->nv, 1, w->v, x);
  }
  return st;
}

// Which velocity is not finite
static ss_status fail_diverged(ss_work* w)
{
  int i = 0;
  while (i < w->nv - 1 && isfinite(w->u_free[i])) i++;
  return ss_work_fail(w, SS_ERR_NUMERIC, "the acceleration of '%.80s' is not finite at t = %g: a force is not, or the "
                      "motion diverges; is dt too large?", w->def->velocity[i], w->at.t);
}

ss_status ss_free_motion(ss_work* w, const double* u, const double* u_h, double dt)
{
  bool kicked;
  ss_status kick = ss_kick(w, dt, &kicked);
  if (kick < 0) return ss_work_fail(w, kick, "the kinks could not be evaluated at t = %g", w->at.t);
  w->at.u = u_h;
  w->at.dt = u_h == u ? dt : 0;  // h of u_A holds from u_A on, h of another velocity is a mean already
  ss_status st = accelerate(w, w->u_free);
  w->at.dt = 0;
  if (st < 0) return ss_work_fail(w, st, "the forces could not be evaluated at t = %g", w->at.t);
  for (int i = 0; i < w->nv; i++) w->u_free[i] = u[i] + dt*w->u_free[i];
  if (kicked) ss_mass_solve(w, w->kick);
  if (kicked) ss_axpy(w->nv, 1, w->kick, w->u_free);
  return ss_all_finite(w->nv, w->u_free) ? st : fail_diverged(w);
}

ss_status ss_free_velocity(ss_work* w, const double* u, const double* u_h, double dt)
{
  ss_status st = ss_free_motion(w, u, u_h, dt);
  return st < 0 ? st : ss_free_rows(w, u);
}

ss_status ss_free_rows(ss_work* w, const double* u)
{
  ss_status st = w->op ? SS_OK : ss_friction_now(w, NULL);
  w->at.u = u;
  start_velocities(w, u);
  return w->op ? ss_friction_now(w, w->gamma) : st;
}

double ss_gamma_free(const ss_work* w, int r)
{
  return w->op ? w->gamma_free[r] : ss_dot(w->nv, w->W + r*w->nv, w->u_free) + w->w_hat[r];
}

// w->fall of every contact: a length that round-off of gaps is small against. The terms are summed by magnitude, so
// that it does not vanish for bodies that fall together.
void ss_measure_fall(ss_work* w, double dt)
{
  for (int i = 0; i < w->n_contact; i++) {
    if (w->op) {
      const double* size = w->row_size + w->row[i];
      w->fall[i] = dt*size[0];
      w->way[i] = 0;
      for (int k = 0; k < ss_contact_rows(w->law[i]->kind); k++) w->way[i] += dt*size[k];
      continue;
    }
    const double* W = w->W + w->row[i]*w->nv;
    double sum = 0;
    for (int j = 0; j < w->nv; j++) sum += fabs(W[j]*(w->u_free[j] - w->at.u[j]));
    w->fall[i] = dt*sum;
  }
}

// The number among the active contacts, which are sorted, of contact i; -1 if it is not one
static int active_number(const ss_work* w, int i)
{
  int low = 0, high = w->n_active;
  while (low < high) {
    int middle = (low + high)/2;
    if (w->active[middle] < i) low = middle + 1;
    else high = middle;
  }
  return low < w->n_active && w->active[low] == i ? low : -1;
}

bool ss_in_step(const ss_work* w, int i, bool closed)
{
  if (w->op && w->item[i].load) return active_number(w, w->item[i].load - 1) >= 0;
  return w->law[i]->kind == SS_CONTACT_FRICTION || closed;
}

// A contact that carried load and has opened by as little as its path bends away within a step, or as the errors of
// the solver let it drift, where no force of its own closes it (the crown of an arch): the projection will close it.
// Velocities along the tangent cannot.
static bool stays_closed(const ss_work* w, const ss_step_def* def, int i)
{
  if (!w->op || w->op->overlap == SS_OVERLAP_STAYS || def->project == SS_PROJECTION_OFF) return false;
  bool scene = w->op->overlap == SS_OVERLAP_LEAVES;
  double allowed = scene ? ss_overlap_allowed(w, def, i) : w->way[i];
  return w->gap[i] <= allowed && def->dt*w->gamma[w->row[i]] <= allowed && ss_was_loaded(w, i);
}

// Part of the terms of a gap that is round-off
#define ROUND_OFF 1e-14
// ... that round-off of positions adds up to in ten thousand steps: epsilon/2 in each, where bodies that move together
// are rounded differently
#define ADDED_UP 4e-12

// The terms of a gap. Of a row of a matrix they are those of the coordinates: where a gap is zero they are as large as
// all the others together.
double ss_gap_terms(const ss_work* w, int i)
{
  if (w->op) return w->item[i].size;
  const double* W = w->W + w->row[i]*w->nv;
  double sum = 0;
  for (int j = 0; j < w->nv; j++) sum += fabs(W[j]*w->at.q[j]);
  return sum;
}

// Where no force acts along the normal, bodies that touch are apart by round-off: upright joints, the crown of an arch,
// balls in a row that fly together. Whether they are one impact is not left to it.
bool ss_is_closed(const ss_work* w, int i)
{
  return w->gap[i] <= SS_GAP_CLOSED*w->fall[i] || w->gap[i] <= ADDED_UP*ss_gap_terms(w, i);
}

void ss_find_contacts_closed(ss_work* w, const ss_step_def* def)
{
  ss_measure_fall(w, def->dt);
  w->n_active = 0;
  for (int i = 0; i < w->n_contact; i++) {
    bool closed = ss_is_closed(w, i) || stays_closed(w, def, i);
    if (ss_in_step(w, i, closed)) w->active[w->n_active++] = i;
  }
}

// How much of the free motion of two bodies must be along their normal if forces are to press them together
#define PRESSED 1e-6

// What forces do to the velocities, into w->v; with operators what it is on both sides of a row, into row_jump along it
// and into row_size in all
static void measure_press(ss_work* w)
{
  for (int j = 0; j < w->nv; j++) w->v[j] = w->u_free[j] - w->at.u[j];
  if (w->op && w->op->row_sides && w->n_bilateral + w->m)
    w->op->row_sides(&w->at, w->v, w->row_jump, w->row_size);
}

// Forces act along the normal of contact i, on either side. A row of a matrix has no sides, but terms; they are of
// coordinates with different units.
static bool is_pressed(const ss_work* w, int i, double dt)
{
  int r = w->row[i];
  if (w->op) return !w->op->row_sides || w->row_jump[r] > PRESSED*w->row_size[r];
  return w->fall[i] > PRESSED*dt*ss_chol_size(w->nv, w->L, w->W + r*w->nv, w->v);
}

// How large the gap of contact i must be at the end of the step for it to stay open. The prediction is strict, so that
// an impulse travels through a row of balls that touch [Stewart 2000, Fig. 2.3], in any direction: overlap that is
// round-off closes nothing. Bodies that rest on one another would fall together in the first step, and hit one after
// the other: where forces act along the normal, what does not part is closed.
static double open_from(const ss_work* w, int i, double dt)
{
  double little = SS_GAP_CLOSED*w->fall[i];
  if (is_pressed(w, i, dt)) return little;
  return -fmax(little, ADDED_UP*ss_gap_terms(w, i));
}

void ss_find_contacts_predicted(ss_work* w, double dt)
{
  ss_measure_fall(w, dt);
  measure_press(w);
  w->n_active = 0;
  for (int i = 0; i < w->n_contact; i++) {
    bool closes = w->gap[i] + dt*ss_gamma_free(w, w->row[i]) < open_from(w, i, dt);
    if (ss_in_step(w, i, closes)) w->active[w->n_active++] = i;
  }
}

// How much faster than free motion makes it a contact may close that forces press together by way of others
#define LEVER 10

// Gaps that are round-off
static double little_of(const ss_work* w, int i)
{
  return fmax(SS_GAP_CLOSED*(w->op ? w->way[i] : w->fall[i]), ADDED_UP*ss_gap_terms(w, i));
}

// Whether bodies overlap at contact i, or, in the plane, touch up to round-off, and it does not take part
static bool is_left_out(const ss_work* w, int i)
{
  bool flat = w->op && w->op->overlap == SS_OVERLAP_NEVER;
  double little = little_of(w, i);
  if (w->law[i]->kind == SS_CONTACT_FRICTION || (w->op && w->item[i].load)) return false;
  return (w->gap[i] < -little || (flat && w->gap[i] <= little)) && active_number(w, i) < 0;
}

// Into w->v: u_E, with the impulses that were found
static void find_end(ss_work* w)
{
  ss_impulse_velocity(w, w->v);
  for (int j = 0; j < w->nv; j++) w->v[j] += w->u_free[j];
}

// Whether a contact that touches closes with these velocities at the end, no faster than forces do that: the stones of
// an arch at its crown, or the stop of a joint, which forces press together by way of others. What an impact does, it
// does in the next step.
static bool is_pressed_by_others(const ss_work* w, double gamma, int i, double dt)
{
  double way = -dt*(gamma + w->w_hat[w->row[i]]);
  double least = fmax(SS_GAP_CLOSED*(w->op ? w->way[i] : w->fall[i]), ROUND_OFF*ss_gap_terms(w, i));
  return way > least && way <= LEVER*(w->op ? w->way[i] : w->fall[i]);
}

static void insert_active(ss_work* w, int i)
{
  int k = w->n_active++;
  for (; k > 0 && w->active[k - 1] > i; k--) w->active[k] = w->active[k - 1];
  w->active[k] = i;
}

// What goes with the load of a contact that takes part does so, too
static void insert_loaded(ss_work* w)
{
  for (int i = 0; w->op && i < w->n_contact; i++)
    if (w->item[i].load && active_number(w, i) < 0 && ss_in_step(w, i, false)) insert_active(w, i);
}

bool ss_find_contacts_pressed(ss_work* w, double dt)
{
  if (!w->problem.m) return false;
  int before = w->n_active, first = 0;
  while (first < w->n_contact && !is_left_out(w, first)) first++;
  if (first == w->n_contact) return false;
  double* gamma = w->has_jump ? w->guess : w->row_jump;  // neither is needed any more
  find_end(w);
  if (w->op) ss_gamma(w, w->v, gamma);
  for (int i = first; i < w->n_contact; i++) {
    int r = w->row[i];
    double closing = w->op ? gamma[r] : ss_dot(w->nv, w->W + r*w->nv, w->v);
    if (is_left_out(w, i) && is_pressed_by_others(w, closing, i, dt)) insert_active(w, i);
  }
  if (w->n_active > before) insert_loaded(w);
  return w->n_active > before;
}

int ss_list_rows(ss_work* w, double dt)
{
  int m = 0;
  w->n_loaded = w->n_sets = 0;
  for (int i = 0; i < w->n_bilateral; i++) w->source[m++] = i;
  for (int i = 0; i < w->n_active; i++) {
    const ss_contact_def* c = w->law[w->active[i]];
    w->kind[i] = c->kind;
    int k = w->active[i];
    w->mu[i] = w->stuck[k] ? ss_mu_rest(w, k) : w->mu_now[k];
    w->bound[i] = dt*(w->stuck[k] ? ss_bound_rest(w, k) : w->bound_now[k]);
    if (w->op && w->item[k].load) {  // its bound follows the load
      w->mu[i] = w->bound[i] = 0;
      int by = active_number(w, w->item[k].load - 1);
      w->loaded[w->n_loaded++] = (ss_loaded){.contact = i, .first = m, .load = w->problem_row[by], .mu = c->mu};
    }
    if (w->op) {
      w->problem_row[i] = m;
      w->set[i] = c->set;
      w->n_sets += c->set != NULL;
    }
    for (int j = 0; j < ss_contact_rows(c->kind); j++) w->source[m++] = w->row[k] + j;
  }
  return m;
}

// b = W^T u_free + w_hat, then + eps gamma_A for the contacts
static void fill_b(ss_work* w, int m, ss_rules rules)
{
  for (int r = 0; r < m; r++) w->b[r] = ss_gamma_free(w, w->source[r]);
  int r = w->n_bilateral;
  for (int i = 0; i < r; i++) w->b[i] += rules.bilateral_start*w->gamma[i];
  for (int i = 0; i < w->n_active; i++) {
    const ss_contact_def* c = w->law[w->active[i]];
    int end = r + ss_contact_rows(c->kind);
    if (c->kind != SS_CONTACT_FRICTION) {
      double gamma = w->gamma[w->source[r]];
      w->b[r++] += c->eps_n*(rules.approach_only && gamma > 0 ? 0 : gamma);
    }
    for (; r < end; r++) w->b[r] += c->eps_t*w->gamma[w->source[r]];
  }
}

ss_status ss_make_problem(ss_work* w, int m, int n_contact)
{
  ss_status st = w->op ? SS_OK : ss_delassus(w, m);
  int rows = 0;
  w->has_guess = false;
  for (int i = 0; i < n_contact; i++) rows += ss_contact_rows(w->kind[i]);
  w->problem = (ss_contact_problem){.n_bilateral = m - rows, .n_contact = n_contact, .m = m,
                                    .G = w->op ? NULL : w->G, .b = w->b,
                                    .kind = w->kind, .mu = w->mu, .bound = w->bound};
  return st;
}

ss_status ss_assemble(ss_work* w, double dt, ss_rules rules)
{
  int m = ss_list_rows(w, dt);
  w->has_row_parts = false;
  fill_b(w, m, rules);
  ss_status st = ss_make_problem(w, m, w->n_active);
  ss_guess_impulses(w);
  return st;
}

ss_status ss_solve_contacts(ss_work* w, const ss_step_def* def)
{
  w->solution.iterations = 0;
  w->solution.residual = 0;
  w->has_jump = false;
  w->message[0] = 0;
  w->kappa = w->op ? def->friction.compliance : 0;
  if (w->problem.m == 0) return SS_OK;
  ss_status st = w->op ? ss_solve_loaded(w, def)
                       : ss_contact_solve(&w->problem, &def->solver, w->arena, &w->solution);
  if (!w->op && w->chooses && (st == SS_OK || st == SS_INACCURATE)) {
    ss_examine(w, &w->problem, &w->solution);
    ss_take_choice(w, ss_choose(&w->problem, true, w->arena, &w->solution));
    if (w->solution.residual <= def->solver.tol) st = SS_OK;  // impulses that hold one another have large round-off
  }
  if (st == SS_ERR_NUMERIC) ss_work_fail(w, st, "the contact problem holds a NaN or an infinity at t = %g", w->at.t);
  else if (st < 0 && !w->message[0])  // nobody has said why
    ss_work_fail(w, st, "the contact problem could not be solved: %s", ss_status_text(st));
  return st;
}

void ss_add_impulses(ss_work* w, double* x)
{
  if (w->problem.m == 0) return;
  double* v = w->h;  // no longer needed
  ss_impulse_velocity(w, v);
  for (int i = 0; i < w->nv; i++) x[i] += v[i];
}

// Round-off of what friction has stopped shrinks from step to step, down to numbers that have no digits left
#define NOTHING 1e-290

ss_status ss_apply_impulses(ss_work* w)
{
  memcpy(w->u, w->u_free, sizeof(double)*(size_t)w->nv);
  ss_add_impulses(w, w->u);
  for (int i = 0; i < w->nv; i++)
    if (fabs(w->u[i]) < NOTHING) w->u[i] = 0;
  if (!ss_all_finite(w->nv, w->u))
    return ss_work_fail(w, SS_ERR_NUMERIC, "the velocity after the contact impulses is not finite at t = %g", w->at.t);
  return SS_OK;
}

// Into w->gamma_free, without w_hat
static void find_end_velocities(ss_work* w)
{
  if (!w->has_jump) ss_gamma(w, w->u, w->gamma_free);
  else for (int r = 0; r < w->n_bilateral + w->m; r++) w->gamma_free[r] += w->row_jump[r] - w->w_hat[r];
}

double ss_gamma_end(const ss_work* w, int r)
{
  return (w->op ? w->gamma_free[r] : ss_dot(w->nv, w->W + r*w->nv, w->u)) + w->w_hat[r];
}

static void report_open(ss_work* w, int i)
{
  ss_contact_result* out = &w->result[i];
  ss_contact_kind kind = w->law[i]->kind;
  *out = (ss_contact_result){.contact = i, .state = SS_OPEN, .gap = w->gap[i]};
  if (w->op) out->contact = ss_known_find(w->known, w->item[i].key);
  int r = w->row[i], k = kind == SS_CONTACT_FRICTION ? 1 : 0;
  for (int end = r + ss_contact_rows(kind); r < end; r++, k++) {
    double stretch = ss_stretch(w, i, k);
    out->gamma_before[k] = w->gamma[r]/stretch;
    out->gamma_after[k] = ss_gamma_end(w, r)/stretch;
  }
}

bool ss_is_pressed(const ss_work* w, int i)
{
  return w->law[i]->kind != SS_CONTACT_FRICTION || (w->op && w->item[i].load);
}

// What moving contact partners put in by the rows of a stage of the step, -Lambda w_hat. Returns the size of the terms.
static double account_rows(const ss_work* w, ss_step_info* info)
{
  double size = 0;
  for (int r = 0; r < w->problem.m; r++) {
    double Lambda = w->solution.Lambda[r];
    info->work_drive -= Lambda*w->w_hat[w->source[r]];
    size += fabs(Lambda)*(fabs(w->b[r]) + fabs(w->gamma[w->source[r]]) + fabs(w->w_hat[w->source[r]]));
  }
  return size;
}

// What the contacts took out of the system, -Lambda times the mean relative velocity of the step. Round-off is judged
// against Lambda times the velocities that enter. Bilateral rows do work only where the velocity at the start does not
// fit them, which is a projection.
static void account_contacts(ss_work* w, const ss_work* first)
{
  ss_step_info* info = &w->info;
  double loss = 0;
  info->loss_normal = info->loss_friction = info->work_drive = 0;
  for (int i = 0; i < w->n_active; i++) {
    ss_losses taken = ss_losses_of(w->spent + 3*w->active[i]);
    ss_book_losses(&info->loss_normal, &info->loss_friction, ss_is_pressed(w, w->active[i]), taken);
    loss += taken.normal + taken.friction;
  }
  for (int r = 0; r < w->n_bilateral; r++) info->work_projection -= w->spent_bilateral[r];
  double size = account_rows(w, info) + (first ? account_rows(first, info) : 0);
  info->gains_energy = loss < -1e-10*size;
}

void ss_report_contacts(ss_work* w, ss_status status)
{
  ss_fill_results(w);
  ss_book_contacts(w, NULL, status);
}

void ss_fill_results(ss_work* w)
{
  ss_keep_problem(w);
  if (w->op) find_end_velocities(w);
  for (int i = 0; i < w->n_contact; i++) report_open(w, i);
  for (int i = 0; i < w->n_bilateral; i++) {
    w->Lambda_bilateral[i] = w->solution.Lambda[i];
    w->spent_bilateral[i] = -w->solution.Lambda[i]*(w->gamma[i] + ss_gamma_end(w, i))/2;
  }
  int r = w->n_bilateral;
  for (int i = 0; i < w->n_active; i++) {
    ss_contact_result* out = &w->result[w->active[i]];
    out->state = w->solution.state[i];
    if (w->op) out->contact = ss_known_add(w->known, w->def, w->item[w->active[i]].key, w->kind[i]);
    int k = w->kind[i] == SS_CONTACT_FRICTION ? 1 : 0;
    for (int end = r + ss_contact_rows(w->kind[i]); r < end; r++, k++)
      out->Lambda[k] = w->solution.Lambda[r]*ss_stretch(w, w->active[i], k);
    for (k = 0; k < 3; k++)
      w->spent[3*w->active[i] + k] = -out->Lambda[k]*(out->gamma_before[k] + out->gamma_after[k])/2;
  }
}

void ss_book_contacts(ss_work* w, ss_work* first, ss_status status)
{
  account_contacts(w, first);
  if (w->accounts) ss_part_energies_contacts(w, first);
  w->info.n_contact = w->n_contact;
  w->info.contact = w->result;
  if (w->op && w->n_contact) memcpy(w->shown, w->item, sizeof *w->shown*(size_t)w->n_contact);
  w->info.item = w->op ? w->shown : NULL;
  w->info.n_known = w->op ? ss_known_count(w->known) : w->n_contact;
  w->info.status = status;
  w->info.choice = w->choice;
  w->info.not_examined = w->not_examined;
  w->info.n_active = w->n_active;
  w->info.iterations = w->solution.iterations;
  w->info.residual = w->solution.residual;
  w->info.penetration = ss_deepest(w, false);
  w->info.limit_error = ss_deepest(w, true);
}
