// An event, between two arcs: impacts of the contacts that collide, with all others that touch (I_S), then the contact
// states of the motion that follows  [SB section 2; impact-free sets I_S, I_N, I_H as in (8), corrected].
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "integrate/event.h"
#include "math/dense.h"

#define CLOSED 1e-10     // of the terms of a gap: closed, at the start of a simulation
#define UNCOUPLED 1e-13  // of the lengths of two rows: their entry of G is zero
#define MAX_PASSES 20
#define MAX_LOW 1000     // impacts in a row that cannot be told from rest
#define NUDGE 1e-6       // closing speed that stands for "the contact forces cannot hold", of the sliding speed

// ---- who takes part ----

// Closed contacts, those whose gap ended the arc, and those that close together with it. A point that lies deep behind
// an edge is none of them: it belongs to another side of the body, and is watched because it was near once.
void ss_find_touching(ss_arc* a, bool start)
{
  double moment = 1e-12*a->h_last + 16*DBL_EPSILON*fabs(a->t);
  const ss_root* cause = start ? NULL : &a->root[a->cause];
  for (int i = 0; i < a->n; i++) {
    bool closes = cause && cause->kind == SS_ROOT_GAP && cause->contact == i;
    a->touch[i] = !ss_has_normal(a->w->law[i]) || a->mode[i] != SS_OPEN || closes;
  }
  for (int i = 0; i < a->n; i++) {
    if (a->touch[i]) continue;
    int N = ss_normal_row(a, i);
    double tol = ss_gap_tolerance(a, i, a->y) + moment*fabs(a->gamma[N]);
    if (start) tol = CLOSED*ss_row_extent(a, N, a->y) + DBL_MIN;
    a->touch[i] = a->w->gap[i] <= tol && i != a->ended && (start || !ss_is_behind(a, i)) && !ss_is_beside(a, i);
  }
  ss_arc_islands(a, true);
}

// Whether a slip has come to rest: its speed is what ended the arc, or vanishes together with that
static bool comes_to_rest(const ss_arc* a, int contact)
{
  double moment = 1e-12*a->h_last + 16*DBL_EPSILON*fabs(a->t);
  if (ss_tangents(a->w->law[contact]) > 1) {
    bool first = a->root[a->cause].kind == SS_ROOT_SPEED && a->root[a->cause].contact == contact;
    return ss_slide_rests(a, contact, first);
  }
  for (int i = 0; i < a->n_root; i++) {
    const ss_root* r = &a->root[i];
    if (r->kind == SS_ROOT_SPEED && r->contact == contact)
      return i == a->cause || (r->level == 0 && r->now <= moment*fabs(r->slope));
  }
  return false;
}

// gamma of all rows with the present velocity
void ss_arc_velocities(ss_arc* a, double* gamma)
{
  for (int r = 0; r < a->rows; r++) gamma[r] = ss_dot(a->nv, a->W + r*a->nv, a->y + a->nq) + a->w->w_hat[r];
}

// ---- impacts ----

// A constraint that moves with another velocity than before
static bool is_kicked(const ss_arc* a, int r) { return a->kicked && fabs(a->gamma[r]) > ss_rest_tolerance(a, r); }

// Which contacts collide. Returns whether any does, or a constraint is kicked.
static bool find_hits(ss_arc* a)
{
  bool any = false;
  for (int r = 0; r < a->w->n_bilateral; r++) any = any || is_kicked(a, r);
  for (int i = 0; i < a->n; i++) {
    a->hit[i] = false;
    if (!a->touch[i] || !ss_has_normal(a->w->law[i])) continue;
    int N = ss_normal_row(a, i);
    a->hit[i] = a->gamma[N] < -ss_rest_tolerance(a, N);
    any = any || a->hit[i];
  }
  return any;
}

// Row r of the impact moves with one of the marked rows
static bool is_coupled(const ss_arc* a, int r, const int* marked)
{
  int m = a->w->problem.m;
  for (int s = 0; s < m; s++)
    if (marked[s] && fabs(a->G[r*m + s]) > UNCOUPLED*sqrt(a->G[r*m + r]*a->G[s*m + s])) return true;
  return false;
}

// Infinitely many impacts of a contact end in this event: nothing is given back, and everything comes to rest that
// touches and is coupled to it through G, by however many contacts and constraints.
static void find_ends(ss_arc* a)
{
  int *marked = a->list, nb = a->w->problem.n_bilateral;
  bool any = false, more;
  for (int i = 0; i < a->n; i++) {
    if (!ss_takes_part(a, i)) continue;
    a->ends[i] = false;
    any = any || a->rests[i];
  }
  if (!any) return;
  memset(marked, 0, (size_t)a->rows*sizeof *marked);
  do {
    more = false;
    for (int r = 0; r < nb; r++) {
      if (marked[r] || !is_coupled(a, r, marked)) continue;
      marked[r] = 1;
      more = true;
    }
    for (int i = 0, r = nb; i < a->n; i++) {
      if (!ss_takes_part(a, i) || !ss_has_normal(a->w->law[i])) continue;
      int n = ss_contact_rows(a->w->law[i]->kind);
      bool ends = a->rests[i];
      for (int j = 0; j < n && !a->ends[i]; j++) ends = ends || is_coupled(a, r + j, marked);
      if (!a->ends[i] && ends) {
        a->ends[i] = true;
        more = true;
        for (int j = 0; j < n; j++) marked[r + j] = 1;
      }
      r += n;
    }
  } while (more);
}

// The rows of the bilateral constraints and of the contacts that touch, their laws; G
void ss_assemble_impact(ss_arc* a, ss_impact* impact)
{
  ss_work* w = a->w;
  int m = 0, k = 0;
  for (int r = 0; r < w->n_bilateral; r++)
    if (ss_row_takes_part(a, r)) w->source[m++] = r;
  for (int i = 0; i < a->n; i++) {
    const ss_contact_def* c = a->w->law[i];
    if (!ss_takes_part(a, i) || !ss_has_normal(c)) continue;
    w->active[k] = i;
    w->kind[k] = c->kind;
    w->mu[k] = fmax(0, w->mu_now[i]);
    w->bound[k] = 0;
    a->nu[k++] = c->nu;
    for (int j = 0; j < ss_contact_rows(c->kind); j++) w->source[m++] = w->row[i] + j;
  }
  for (int r = 0; r < m; r++) w->b[r] = a->gamma[w->source[r]];
  ss_arc_problem(a, m, k);
  find_ends(a);
  for (int i = 0; i < k; i++) {
    const ss_contact_def* c = a->w->law[w->active[i]];
    a->eps_n[i] = a->ends[w->active[i]] ? 0 : c->eps_n;
    a->eps_t[i] = a->ends[w->active[i]] ? 0 : c->eps_t;
  }
  *impact = (ss_impact){.n_bilateral = w->problem.n_bilateral, .n_contact = k, .m = m, .G = a->G, .gamma = w->b,
                        .kind = w->kind, .mu = w->mu, .eps_n = a->eps_n, .eps_t = a->eps_t, .nu = a->nu};
}

ss_status ss_solve_impact(ss_arc* a, const ss_step_def* def, const ss_impact* impact, bool choose, double* Lambda,
                          double* Lambda_C)
{
  ss_work* w = a->w;
  ss_impact_def law = ss_impact_def_default();
  law.law = def->impact;
  law.energy_limited = def->energy_limited;
  law.order = def->order;
  law.solver = def->solver;
  law.friction = def->friction;
  ss_status fits = ss_check_poisson(w, def, impact->n_contact);
  if (fits < 0) return fits;
  ss_impact_solution s = {.Lambda = Lambda, .gamma_after = a->gamma_after, .Lambda_C = Lambda_C,
                          .state = w->solution.state};
  ss_status st = ss_impact_solve(impact, &law, a->arena, &s);
  if (st == SS_RAY || st == SS_NOT_CONVERGED) {  // the settings may be to blame
    law.solver = ss_lcp_def_default();
    law.friction = ss_friction_def_default();
    st = ss_impact_solve(impact, &law, a->arena, &s);
  }
  if (st < 0) return ss_work_fail(w, st, "the impact at t = %.12g could not be solved: %s", a->t, ss_status_text(st));
  w->info.iterations += s.iterations;
  w->info.residual = fmax(w->info.residual, s.residual);
  if (st > 0) w->info.status = st;
  choose = choose && def->order == SS_IMPACTS_SIMULTANEOUS && !def->energy_limited;
  return choose ? ss_choose_outcome(a, impact, &law, Lambda, Lambda_C) : SS_OK;
}

// u += M^-1 W Lambda; the impulses into those of the event
static void apply_impact(ss_arc* a, const double* Lambda, const double* Lambda_C)
{
  ss_work* w = a->w;
  int m = w->problem.m;
  for (int r = 0; r < m; r++) {
    a->impulse[w->source[r]] += Lambda[r];
    a->compression[w->source[r]] += Lambda_C[r];
  }
  ss_gemv_t(m, a->nv, a->P, Lambda, a->a);
  ss_chol_solve_upper(a->nv, a->L, a->a);
  for (int j = 0; j < a->nv; j++) a->y[a->nq + j] += a->a[j];
  ss_arc_velocities(a, a->gamma);
}

// The contact laws throw a contact off and pull it back, over and over, by less than can be told from zero: strong
// friction at several contacts can do that (Painleve). Time would hardly go on.
static ss_status never_rests(ss_arc* a, int contact)
{
  return ss_work_fail(a->w, SS_ERR_NUMERIC, "contact '%s' neither rests nor leaves at t = %.12g: more than %d impacts "
                      "in a row that cannot be told from rest", ss_contact_label(a, contact), a->t,
                      MAX_LOW);
}

// Whether a contact of the island at hand collides
static bool collides(const ss_arc* a)
{
  for (int i = 0; i < a->n; i++)
    if (a->hit[i] && ss_takes_part(a, i)) return true;
  for (int r = 0; r < a->w->n_bilateral; r++)
    if (ss_row_takes_part(a, r) && is_kicked(a, r)) return true;
  return false;
}

// The impacts of those that collide now, island by island
static ss_status collide(ss_arc* a, const ss_step_def* def)
{
  ss_status st = SS_OK;
  for (a->island = 0; a->island < a->n_islands && st >= 0; a->island++) {
    ss_impact impact;
    if (!collides(a)) continue;
    ss_assemble_impact(a, &impact);
    a->outcomes = -1;
    st = ss_solve_impact(a, def, &impact, true, a->Lambda, a->Lambda_C);
    if (st < 0) break;
    for (int k = 0; k < impact.n_contact; k++) a->ways[a->w->active[k]] = a->outcomes;
    apply_impact(a, a->Lambda, a->Lambda_C);
  }
  a->island = -1;
  return st;
}

// Both laws leave no contact closing, so that one pass is the rule.
static ss_status impacts(ss_arc* a, const ss_step_def* def, bool* any)
{
  *any = false;
  for (int pass = 0; find_hits(a); pass++) {
    if (pass == MAX_PASSES)
      return ss_work_fail(a->w, SS_ERR_NUMERIC, "the impacts at t = %.12g do not end", a->t);
    for (int i = 0; i < a->n; i++) {
      if (!a->hit[i]) continue;
      if (!a->struck[i]) a->rests[i] = ss_zeno_accumulates(a, i);
      a->struck[i] = true;
      if (a->bounce[i].low > MAX_LOW) return never_rests(a, i);
    }
    ss_status st = a->following ? ss_following_impact(a, def) : SS_OK;
    if (st >= 0) st = collide(a, def);
    if (st < 0) return st;
    *any = true;
  }
  return SS_OK;
}

// No contact forces fit (Painleve): velocities jump although nothing collides. That is the limit of an impact with the
// closing speed delta of the sliding contacts; the impulses are affine in delta, so that 2 Lambda(delta) -
// Lambda(2 delta) is the limit itself.
static ss_status jump_in_island(ss_arc* a, const ss_step_def* def)
{
  ss_impact impact;
  ss_work* w = a->w;
  double *twice = a->Lambda + a->rows, *twice_C = a->Lambda_C + a->rows;
  for (int k = 1; k <= 2; k++) {
    ss_assemble_impact(a, &impact);
    for (int r = 0; r < w->problem.m; r++)
      for (int i = 0; i < a->n; i++) {
        bool slides = ss_takes_part(a, i) && a->slide[i] && ss_has_normal(a->w->law[i]);
        if (!slides || w->source[r] != ss_normal_row(a, i)) continue;
        w->b[r] = -k*NUDGE*ss_slide_speed(a, i);
        a->struck[i] = true;
      }
    ss_status st = ss_solve_impact(a, def, &impact, false, k == 1 ? a->Lambda : twice, k == 1 ? a->Lambda_C : twice_C);
    if (st < 0) return st;
  }
  for (int r = 0; r < w->problem.m; r++) {
    a->Lambda[r] = 2*a->Lambda[r] - twice[r];
    a->Lambda_C[r] = 2*a->Lambda_C[r] - twice_C[r];
  }
  apply_impact(a, a->Lambda, a->Lambda_C);
  return SS_OK;
}

// ... in those islands where no forces fit
static ss_status jump_without_collision(ss_arc* a, const ss_step_def* def)
{
  ss_status st = SS_OK;
  for (a->island = 0; a->island < a->n_islands && st >= 0; a->island++) {
    bool stuck = false;
    for (int i = 0; i < a->n; i++) stuck = stuck || (a->stuck[i] && a->contact_island[i] == a->island);
    if (stuck) st = jump_in_island(a, def);
  }
  for (int i = 0; i < a->n; i++) a->jumped[i] = a->jumped[i] || a->stuck[i];
  a->island = -1;
  return st;
}

// ---- what follows ----

// A sliding velocity of contact i that is zero up to round-off. Impulses along the normal leave that of their own size
// in the tangents.
static double slide_tolerance(const ss_arc* a, int i, bool jumped)
{
  const ss_contact_def* c = a->w->law[i];
  int T = ss_tangent_row(a, i), last = T + ss_tangents(c) - 1;
  double tol = fmax(ss_rest_tolerance(a, T), ss_rest_tolerance(a, last));
  return jumped && ss_has_normal(c) ? fmax(tol, ss_rest_tolerance(a, ss_normal_row(a, i))) : tol;
}

// Where impacts end the velocities that they are made of go to zero together, slips included: in a series whose
// impulses vanish, one that the last impulse has made, or turned, or could have stopped, is a part of it,
// |gamma_T+| <= |gamma_T+ - gamma_T-| up to round-off of gamma_T-. Left to slide it would lift other contacts by less
// than can be told from rest, and these would hit again, for ever: gaps of round-off give them a speed that does not
// shrink.
static bool slip_ends(const ss_arc* a, int i, bool jumped)
{
  int T = ss_tangent_row(a, i);
  double change = 0;
  if (!a->ends[i] || a->jumped[i] || !ss_has_friction(a->w, i)) return false;
  for (int k = T; k < T + ss_tangents(a->w->law[i]); k++) change = hypot(change, a->gamma[k] - a->before[k]);
  return ss_slide_speed(a, i) <= change + slide_tolerance(a, i, jumped);
}

// A body that comes to rest does so with all its contacts: what slides no more because others are held rests, too. From
// rest it may slide again, as forces say.
static void rest_with_others(ss_arc* a, bool jumped)
{
  bool come = jumped;
  for (int i = 0; i < a->n; i++) come = come || (!a->slide[i] && ss_slides(a->mode_before[i]));
  for (int i = 0; come && i < a->n; i++) {
    if (!a->slide[i] || ss_slide_speed(a, i) > slide_tolerance(a, i, jumped)) continue;
    a->slide[i] = 0;
    a->turned[i] = ss_tangents(a->w->law[i]) > 1 && a->mode_before[i] == SS_SLIP;
  }
}

// Where impacts end what is held at rest changes velocities elsewhere: a slow slip may be the other way round after
// that
static void turn_slips(ss_arc* a)
{
  for (int i = 0; i < a->n; i++) {
    double along = a->slide[i] && ss_tangents(a->w->law[i]) == 1 ? a->gamma[ss_tangent_row(a, i)] : 0;
    if (along != 0) a->slide[i] = along > 0 ? 1 : -1;
  }
}

// Of the contacts that touch: which stay (I_N), and which of these slide and how. Velocities that are zero become so.
static ss_status settle(ss_arc* a, bool jumped)
{
  const ss_system_def* d = ss_system_get(a->system);
  ss_status st = SS_OK;
  bool ends = false;
  int n = 0;
  for (int r = 0; r < d->n_bilateral; r++) a->list[n++] = r;
  for (int i = 0; i < a->n; i++) {
    const ss_contact_def* c = a->w->law[i];
    a->slide[i] = 0;
    ends = ends || a->ends[i];
    if (!a->touch[i]) continue;
    if (ss_has_normal(c)) {
      int N = ss_normal_row(a, i);
      a->touch[i] = !(a->gamma[N] > ss_rest_tolerance(a, N)) || a->ends[i] ||
                    (!jumped && a->mode_before[i] != SS_OPEN && i != a->taken_up);
      if (!a->touch[i]) continue;
      a->list[n++] = N;
    }
    if (!ss_has_tangent(c)) continue;
    int T = ss_tangent_row(a, i), sign = ss_mode_sign(a->mode_before[i]), rows = ss_tangents(c);
    bool rests = ss_slide_speed(a, i) <= slide_tolerance(a, i, jumped) || slip_ends(a, i, jumped);
    if (!jumped && ss_slides(a->mode_before[i])) rests = comes_to_rest(a, i);
    else if (!jumped && a->mode_before[i] == SS_STICK) rests = true;
    if (!rests) a->slide[i] = !jumped && sign ? sign : rows > 1 || a->gamma[T] > 0 ? 1 : -1;
    a->turned[i] = rests && rows > 1 && a->mode_before[i] == SS_SLIP;
    for (int k = T; rests && k < T + rows && ss_has_friction(a->w, i); k++) a->list[n++] = k;
  }
  ss_arc_hold_velocity(a, n, a->list, a->y);
  if (a->following && ends) st = ss_following_rest(a, n, a->list);
  ss_arc_velocities(a, a->gamma);
  if (jumped && ends) turn_slips(a);
  rest_with_others(a, jumped);
  for (int i = 0; i < a->n; i++)
    if (a->slide[i] && ss_tangents(a->w->law[i]) > 1) ss_slide_start(a, i, a->gamma + ss_tangent_row(a, i));
  return st;
}

static ss_status follow(ss_arc* a, const ss_step_def* def, bool jumped, bool start)
{
  memset(a->jumped, 0, (size_t)a->n*sizeof *a->jumped);
  for (int pass = 0; pass < MAX_PASSES; pass++) {
    ss_status st = settle(a, jumped);
    if (st >= 0) st = ss_choose_modes(a, def, !jumped && !start && a->ended < 0);
    if (st < 0) return st;
    for (int i = 0; i < a->n; i++)
      if (a->jumped[i]) a->motions[i] = 0;
    if (st != SS_RAY) return st;
    st = ss_arc_place(a, a->t, a->y);
    if (st >= 0 && a->following) ss_following_lost(a);
    if (st >= 0) st = jump_without_collision(a, def);
    if (st < 0) return st;
    jumped = true;
  }
  return ss_work_fail(a->w, SS_ERR_NUMERIC, "no contact forces fit at t = %.12g, and impulses do not help", a->t);
}

// ---- the books ----

static void account(ss_arc* a)
{
  ss_step_info* info = &a->w->info;
  double size = 0, loss = 0;
  for (int i = 0; i < a->n; i++) {
    int N = ss_normal_row(a, i), T = ss_tangent_row(a, i);
    bool pressed = ss_has_normal(a->w->law[i]);
    ss_losses taken = {.normal = pressed ? -a->impulse[N]*(a->before[N] + a->gamma[N])/2 : 0};
    for (int k = T; k < T + ss_tangents(a->w->law[i]); k++)
      taken.friction -= a->impulse[k]*(a->before[k] + a->gamma[k])/2;
    ss_book_losses(&info->loss_normal, &info->loss_friction, pressed, taken);
    loss += taken.normal + taken.friction;
  }
  for (int r = 0; r < a->rows; r++) {
    info->work_drive -= a->impulse[r]*a->w->w_hat[r];
    if (r < a->w->n_bilateral) info->work_drive += a->impulse[r]*(a->before[r] + a->gamma[r])/2;
    size += fabs(a->impulse[r])*(fabs(a->before[r]) + fabs(a->gamma[r]) + fabs(a->w->w_hat[r]));
  }
  info->gains_energy = loss < -1e-10*size;
}

static bool classify(const ss_arc* a, int i, ss_event_kind* kind)
{
  ss_contact_state from = a->mode_before[i], to = a->mode[i];
  bool takes_part = ss_has_normal(a->w->law[i]) && a->impulse[ss_normal_row(a, i)] > 0;
  if (a->rests[i]) *kind = SS_EVENT_ACCUMULATION;
  else if (a->struck[i] || takes_part) *kind = SS_EVENT_IMPACT;  // closed contacts pass on what others are hit by
  else if (i == a->taken_up && to != SS_OPEN) *kind = SS_EVENT_PASS;
  else if (from == to && !(a->turned[i] && to == SS_SLIP)) return false;
  else if (from == SS_OPEN) *kind = SS_EVENT_IMPACT;  // it touches without speed: grazing
  else if (to == SS_OPEN) *kind = SS_EVENT_DETACH;
  else if (to == SS_STICK) *kind = SS_EVENT_STICK;
  else *kind = SS_EVENT_SLIP;
  return true;
}

static void report(ss_arc* a, double before, double after, bool start)
{
  for (int i = 0; i < a->n; i++) {
    ss_event_kind kind;
    if (!classify(a, i, &kind) || (start && !a->struck[i])) continue;
    int named = i == a->taken_up && kind == SS_EVENT_DETACH ? a->ended : i;  // it opens at the end of its edge
    ss_event e = {.t = a->t, .contact = ss_watch_number(a, named, true), .kind = kind,
                  .state_before = a->mode_before[i], .state = a->mode[i],
                  .energy_before = before, .energy_after = after,
                  .solutions = a->struck[i] && a->ways[i] != -1 ? a->ways[i] : a->motions[i],
                  .count = a->rests[i] ? a->bounce[i].count : 0};
    for (int k = ss_has_normal(a->w->law[named]) ? 0 : 1; k <= ss_tangents(a->w->law[named]); k++) {
      int r = k ? ss_tangent_row(a, named) + k - 1 : ss_normal_row(a, named);
      double stretch = ss_stretch(a->w, named, k);
      e.gamma_before[k] = fabs(a->before[r]) <= ss_rest_tolerance(a, r) && !a->struck[i] ? 0 : a->before[r]/stretch;
      e.gamma_after[k] = fabs(a->gamma[r]) <= ss_rest_tolerance(a, r) ? 0 : a->gamma[r]/stretch;
      e.Lambda[k] = a->impulse[r]*stretch;
      if (k < 2) e.Lambda_C[k] = a->compression[r];
    }
    a->event[a->n_event++] = e;
  }
}

static ss_status energy(ss_arc* a, const ss_step_def* def, double* sum)
{
  ss_energy e = {0};
  ss_status st = def->account ? ss_arc_energies(a, &e) : SS_OK;
  *sum = e.kinetic + e.potential;
  return st;
}

static void clear(ss_arc* a)
{
  size_t k = (size_t)a->n, rows = (size_t)a->rows;
  memset(a->impulse, 0, rows*sizeof(double));
  memset(a->compression, 0, rows*sizeof(double));
  memset(a->struck, 0, k*sizeof *a->struck);
  memset(a->rests, 0, k*sizeof *a->rests);
  memset(a->ends, 0, k*sizeof *a->ends);
  memset(a->turned, 0, k*sizeof *a->turned);
  memcpy(a->mode_before, a->mode, k*sizeof *a->mode);
  for (int i = 0; i < a->n; i++) a->motions[i] = a->ways[i] = -1;
}

// A closed contact has come to the end of its edge: the one that goes on there takes its state, and what follows
// decides whether it stays closed. If that is closed already, or there is none, it opens.
static ss_status hand_over(ss_arc* a)
{
  int next;
  a->ended = a->root[a->cause].contact;
  ss_status st = ss_watch_next(a, &next);
  if (st < 0) return st;
  bool taken_up = next >= 0 && a->mode[next] == SS_OPEN;
  ss_contact_state mode = a->mode[a->ended];
  a->taken_up = taken_up ? next : -1;
  a->mode[a->ended] = SS_OPEN;
  if (taken_up) a->mode[next] = mode;
  clear(a);
  if (next < 0) a->mode_before[a->ended] = mode;
  return ss_arc_evaluate(a, a->t, a->y);
}

// From here on the motion depends on how redundant contacts share their load
static ss_status note_choice(ss_arc* a, const ss_step_def* def)
{
  size_t used = strlen(a->note), room = sizeof a->note - used;
  snprintf(a->note + used, room, "%st = %.12g s: the contact laws allow infinitely many motions: redundant contacts "
           "slide, and the motion depends on how they share their load (the least norm is taken)", used ? "; " : "",
           a->t);
  if (def->event.on_multiple != SS_MULTIPLE_STOP) return SS_OK;
  return ss_work_fail(a->w, SS_ERR_NUMERIC, "%.240s", a->note + used);
}

ss_status ss_jump(ss_arc* a, const ss_step_def* def, bool start)
{
  ss_choice choice = start ? SS_CHOICE_NONE : ss_arc_choice(a);
  double before, placed, after;
  bool jumped;
  clear(a);
  a->starting = start;
  a->kicked = false;
  ss_status st = a->following && !start ? ss_following_event(a) : SS_OK;
  if (st >= 0) st = ss_arc_evaluate(a, a->t, a->y);
  if (st >= 0 && !start && a->root[a->cause].kind == SS_ROOT_END) st = hand_over(a);
  if (st >= 0 && a->n_kink) st = start ? ss_kinks_begin(a) : ss_kinks_pass(a);
  if (st >= 0 && start) st = ss_watch_ends(a);
  if (st < 0) return st;
  ss_find_touching(a, start);                             // I_S
  st = energy(a, def, &before);
  if (st >= 0) st = ss_arc_hold_position(a, a->t, a->y, NULL);  // g_N = 0, exactly
  if (st >= 0) st = energy(a, def, &placed);
  if (st >= 0) st = ss_arc_place(a, a->t, a->y);
  if (st < 0) return st;
  ss_arc_velocities(a, a->before);
  memcpy(a->gamma, a->before, sizeof(double)*(size_t)a->rows);
  st = impacts(a, def, &jumped);                       // gamma_N >= 0
  if (st >= 0) st = follow(a, def, jumped || a->kicked, start);     // I_N, I_H, accelerations, contact states
  memset(a->touch, 0, (size_t)a->n*sizeof *a->touch);
  memset(a->slip, 0, (size_t)a->rows*sizeof *a->slip);
  if (st >= 0) st = ss_arc_start(a);
  if (st >= 0 && choice < SS_CHOICE_MOTION && ss_arc_choice(a) == SS_CHOICE_MOTION) st = note_choice(a, def);
  if (st >= 0 && a->following && !start) ss_following_go_on(a);
  if (st >= 0) st = energy(a, def, &after);
  if (st < 0) return st;
  a->w->info.work_projection += placed - before;
  account(a);
  report(a, placed, after, start);
  a->ended = a->taken_up = -1;
  return st;
}
