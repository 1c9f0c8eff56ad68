// Projection of the position onto the constraints [Stewart 2000, section 2.2.1]:
//   minimise 1/2 d^T M d  subject to  c + W_b^T d = 0,  g_N + s + W_N^T d >= 0,    q <- q + d,
// the same contact problem as a step's with gaps in place of velocities, repeated until nothing is violated.
// s is what free motion within one step amounts to (w->fall, about dt^2 g under gravity): this much overlap stays, so
// that a resting contact stays closed instead of flickering around zero. A contact that carries load is held at -s from
// both sides, which keeps it closed on curved paths too. In scenes s is a small part of the shapes at most, and nothing
// is done, nor looked for, until a step finds contacts that overlap by more than 2 s or open under load.
// Then the part of u that the bilateral rows do not allow at the new position is removed, in the metric of M as well.
// What both do to the energy is in the ledger (work_projection).
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "integrate/islands.h"
#include "integrate/work.h"
#include "math/dense.h"

#define MAX_ROUNDS 20
#define ENOUGH 1e-3      // of s: contacts of systems with operators that are violated by less are where they are to be
#define TOLERANCE 1e-4   // of the problems of their rounds
#define YIELD 1e-6       // compliance of contacts in these problems: more would leave bodies tilted by what it leaves
#define YIELD_MOST 1e-2  // ... where less does not lead to a solution,
#define ITERATIONS 30    // within so many iterations of each method
#define OPEN 0.25        // times s: contacts under load whose gap is less are closed, and need not be pulled
#define PULL 1e3         // of the load that a contact carries: more does not hold it
#define NEAR 10          // times the largest violation: contacts whose gap is less take part
#define FEW 10           // times s: a violation that one round removes
#define SMALL 1e-3       // of half the thickness of a shape
#define ROUND_OFF 1e-15  // of the terms of an error
#define GAP_ROUND_OFF 1e-12  // of the terms of a gap, in which the poses of a chain of many links add up

// Carries load and does not leave
static bool holds(const ss_work* w, const ss_step_def* def, int i)
{
  const ss_contact_result* c = &w->result[i];
  return w->law[i]->kind != SS_CONTACT_FRICTION && c->Lambda[0] > 0 && c->gamma_after[0]*def->dt <= 1e-3*w->fall[i];
}

// s: no more than a small part of a shape where forces are large or steps are long, and as much as that where
// compliance lets all contacts sink all the time; no less than round-off where no force acts along the normal
double ss_overlap_allowed(const ss_work* w, const ss_step_def* def, int i)
{
  if (!w->op) return w->fall[i];
  double thick = w->item[i].thick, least = GAP_ROUND_OFF*w->item[i].size;
  if (!(thick > 0)) return fmax(w->fall[i], least);
  return fmax(def->friction.compliance > 0 ? SMALL*thick : fmin(w->fall[i], SMALL*thick), least);
}

// How far a contact that separates goes by itself until the next step tests it, from where it is at the end of this one
static double leaves_by(const ss_work* w, const ss_step_def* def, int i)
{
  bool waits = w->op && w->op->overlap == SS_OVERLAP_LEAVES;
  return waits ? def->dt/2*fmax(0, w->result[i].gamma_after[0]) : 0;
}

// Friction elements have no gap, and so has resistance against spin and rolling
static bool has_gap(const ss_work* w, int i)
{
  return w->law[i]->kind != SS_CONTACT_FRICTION && !(w->op && w->item[i].load);
}

static bool is_scene(const ss_work* w) { return w->op && w->op->overlap == SS_OVERLAP_LEAVES; }

// What the step found of a contact is too much: overlap that does not leave by itself, or a gap under load
static bool is_due(const ss_work* w, const ss_step_def* def, int i)
{
  double allowed = ss_overlap_allowed(w, def, i);
  if (!has_gap(w, i)) return false;
  return w->gap[i] + 2*leaves_by(w, def, i) < -2*allowed || (w->gap[i] > allowed/2 && holds(w, def, i));
}

bool ss_to_project(const ss_work* w, const ss_step_def* def)
{
  if (def->project != SS_PROJECTION_AUTO) return def->project == SS_PROJECTION_ON;
  if (!is_scene(w)) return w->op && w->op->overlap == SS_OVERLAP_NEVER;
  for (int i = 0; i < w->n_contact; i++)
    if (is_due(w, def, i)) return true;
  return false;
}

static void set_targets(ss_work* w, const ss_step_def* def)
{
  for (int i = 0; i < w->n_contact; i++) {
    ss_target* to = &w->target[i];
    *to = (ss_target){.key = w->op ? w->item[i].key : (uint64_t)i};
    to->slop = ss_overlap_allowed(w, def, i) + leaves_by(w, def, i);
    to->holds = holds(w, def, i);
    to->due = def->project == SS_PROJECTION_ON || is_due(w, def, i);
    if (to->holds) to->pull = PULL*def->dt*w->result[i].Lambda[0];
  }
}

// The targets of the list as it is now, which is rarely another than that of the step with its n targets. Contacts that
// are new keep as much overlap as any other, if it is small for them.
static ss_target* match_targets(ss_work* w, int n)
{
  if (!w->op) return w->target;
  ss_target* now = w->target + w->most_contacts;
  double slop = 0;
  for (int j = 0; j < n; j++) slop = fmax(slop, w->target[j].slop);
  for (int i = 0, last = 0; i < w->n_contact; i++) {
    int j = ss_target_find(w->target, n, w->item[i].key, last);
    double most = w->item[i].thick > 0 ? fmin(slop, SMALL*w->item[i].thick) : slop;
    now[i] = j >= 0 ? w->target[j] : (ss_target){.key = w->item[i].key, .slop = most};
    if (j >= 0) last = j;
  }
  return now;
}

// The error of a bilateral row; what cannot be told from round-off is none, since nothing could be done about it in a
// row that does not move.
static double error_of(const ss_work* w, int i)
{
  return w->op && fabs(w->error[i]) <= ROUND_OFF*w->error_size[i] ? 0 : w->error[i];
}

// Contacts that hold are pulled, systems with operators: where they have opened, if not too far
static bool is_pulled(const ss_work* w, int i, const ss_target* to)
{
  if (!w->op || !to->holds) return to->holds;
  return w->gap[i] > OPEN*to->slop && w->gap[i] <= 2*to->slop;
}

// How far a contact is from where it is to be. One that carries load is held at -slop from both sides; in systems with
// operators it may be anywhere between there and zero. Nothing is pressed into anything: those that overlap by less get
// no deeper, and only where they are open they are pulled.
static double off_by(const ss_work* w, int i, const ss_target* to)
{
  double gap = w->gap[i];
  if (!w->op) return gap + to->slop;
  return gap > 0 ? gap : fmin(0, gap + to->slop);
}

// By how much a contact is violated; 0: not at all, or by too little
static double depth_of(const ss_work* w, int i, const ss_target* to)
{
  double depth = -off_by(w, i, to);
  if (!has_gap(w, i)) return 0;
  if (is_pulled(w, i, to) && fabs(depth) <= 2*to->slop) depth = fabs(depth);
  return depth > (w->op ? ENOUGH*to->slop : 0) ? depth : 0;
}

// Islands of a scene in which no contact is due stay as they are, by what another one has to do
static void leave_alone(ss_work* w, ss_target* to)
{
  int m = 0, *due = w->contact_of;  // of islands
  for (int i = 0; i < w->n_bilateral; i++) w->source[m++] = i;
  for (int i = 0; i < w->n_contact; i++)
    if (to[i].in) w->source[m++] = w->row[i];
  int n = ss_find_islands(w, m, w->source, w->island_of);
  memset(due, 0, sizeof(int)*(size_t)n);
  for (int i = 0, r = w->n_bilateral; i < w->n_contact; i++) {
    if (!to[i].in) continue;
    if (to[i].due || -off_by(w, i, &to[i]) > to[i].slop) due[w->island_of[r]] = 1;
    r++;
  }
  for (int i = 0, r = w->n_bilateral; i < w->n_contact; i++)
    if (to[i].in) to[i].in = due[w->island_of[r++]];
}

// What is violated: the largest, and the sum. Systems with operators: one contact that gets worse is not a round that
// makes it worse.
typedef struct violation {
  double worst, sum;
  double slop;  // the least of contacts that are violated
  bool small;  // not by more than a few times what is allowed; never with loops, which are to be closed to round-off
} violation;

// Contacts that are violated join the problem, and others that are near, lest they are the next ones: what many
// overlaps add up to goes farther.
static violation collect(ss_work* w, bool contacts, ss_target* to)
{
  double most = 0;
  violation v = {.slop = INFINITY, .small = w->n_bilateral == 0};
  for (int i = 0; i < w->n_bilateral; i++) {
    v.worst = most = fmax(most, fabs(error_of(w, i)));
    v.sum += fabs(error_of(w, i));
  }
  for (int i = 0; contacts && i < w->n_contact; i++) {
    double depth = depth_of(w, i, &to[i]);
    most = fmax(most, depth);
    if (depth > 0) to[i].in = true;
  }
  for (int i = 0; contacts && w->op && i < w->n_contact; i++)
    if (has_gap(w, i) && w->gap[i] <= NEAR*most) to[i].in = true;
  if (contacts && is_scene(w)) leave_alone(w, to);
  for (int i = 0; contacts && i < w->n_contact; i++) {
    double depth = to[i].in ? depth_of(w, i, &to[i]) : 0;
    v.worst = fmax(v.worst, depth);
    v.sum += depth;
    v.small = v.small && depth <= FEW*to[i].slop;
    if (depth > 0) v.slop = fmin(v.slop, to[i].slop);
  }
  if (!w->op) v.sum = v.worst;
  return v;
}

// The contact problem for the step d: frictionless, gaps for velocities. Contacts that hold count as bilateral rows,
// with operators as friction along the normal.
static ss_status assemble(ss_work* w, const ss_target* to)
{
  int m = 0, k = 0;
  for (int i = 0; i < w->n_bilateral; i++) {
    w->b[m] = error_of(w, i);
    w->source[m++] = i;
  }
  for (int hold = 1; hold >= 0; hold--) {
    for (int i = 0; i < w->n_contact; i++) {
      if (!to[i].in || is_pulled(w, i, &to[i]) != hold) continue;
      w->b[m] = off_by(w, i, &to[i]);
      w->source[m++] = w->row[i];
      if (hold && !w->op) continue;
      w->kind[k] = hold ? SS_CONTACT_FRICTION : SS_CONTACT_NORMAL;
      w->mu[k] = 0;
      w->bound[k++] = hold ? to[i].pull : 0;
    }
  }
  return ss_make_problem(w, m, k);
}

// W_b^T u + w_hat = 0 at the position last evaluated, with the velocities of ss_check_constraints()
static ss_status project_velocity(ss_work* w, const ss_step_def* def)
{
  int nb = w->n_bilateral;
  for (int i = 0; i < nb; i++) {
    w->source[i] = i;
    w->b[i] = w->op ? w->gamma_free[i] + w->w_hat[i] : ss_dot(w->nv, w->W + i*w->nv, w->u) + w->w_hat[i];
    if (w->op && fabs(w->b[i]) <= ROUND_OFF*w->row_size[i]) w->b[i] = 0;
  }
  ss_status st = ss_make_problem(w, nb, 0);
  if (st >= 0) st = ss_solve_contacts(w, def);
  if (st >= 0) ss_add_impulses(w, w->u);
  return st;
}

// One round: the smallest step d that removes what is violated, to first order. What it leaves undone the next
// evaluation finds.
static ss_status move(ss_work* w, const ss_step_def* step, const ss_target* to, const violation* v)
{
  ss_step_def def = *step;
  ss_status st = assemble(w, to);
  if (w->op && v->slop < INFINITY) def.friction.tol = fmax(def.friction.tol, ENOUGH/4*v->slop/v->worst);
  if (st >= 0) st = ss_solve_contacts(w, &def);
  while (w->op && st == SS_NOT_CONVERGED && def.friction.compliance < YIELD_MOST) {
    def.friction.compliance *= 100;
    st = ss_solve_contacts(w, &def);
  }
  if (st < 0) return st;
  ss_impulse_velocity(w, w->v);
  ss_advance(w, w->q, w->v, 1, w->q);
  return SS_OK;
}

// What is left
static void tell_overlap(ss_work* w)
{
  w->info.penetration = ss_deepest(w, false);
  w->info.limit_error = ss_deepest(w, true);
}

// Until nothing is violated, or no round makes it less; what is left of little is left to the next step, where that
// looks for it. best: nq numbers, or NULL if there are no operators: a round that made it worse, as steps that are too
// long do, is taken back. In scenes the overlap that is told is what is left at the end.
static ss_status iterate(const ss_system* system, ss_work* w, const ss_step_def* def, double t, bool contacts,
                         double* best)
{
  bool scene = contacts && is_scene(w), enough = false;
  double previous = INFINITY;
  int n = w->n_contact;
  for (int round = 0; round < MAX_ROUNDS; round++) {
    ss_status st = ss_evaluate(system, w, w->q, w->u, t);
    if (st < 0) return st;
    ss_target* to = match_targets(w, n);
    violation v = collect(w, contacts, to);
    double before = w->info.penetration, before_limit = w->info.limit_error;
    if (scene) tell_overlap(w);
    if (v.worst == 0) break;
    if (v.sum >= previous) {  // as far as round-off and consistency allow
      if (!best || !contacts || v.sum == previous) break;
      memcpy(w->q, best, sizeof(double)*(size_t)w->nq);
      w->info.penetration = before;
      w->info.limit_error = before_limit;
      return w->n_bilateral ? ss_evaluate(system, w, w->q, w->u, t) : SS_OK;
    }
    if (enough) break;
    previous = v.sum;
    if (best) memcpy(best, w->q, sizeof(double)*(size_t)w->nq);
    st = move(w, def, to, &v);
    if (st < 0) return st;
    enough = scene && def->project != SS_PROJECTION_ON && v.small;
  }
  return SS_OK;
}

// The terms of constraint i in a position, and of its rate with the velocities x, which operators have in row_size
static double position_terms(const ss_work* w, int i)
{
  double sum = w->op ? w->error_size[i] : 0;
  for (int j = 0; !w->op && j < w->nv; j++) sum += fabs(w->W[i*w->nv + j]*w->q[j]);
  return sum;
}

static double rate_terms(const ss_work* w, int i, const double* x)
{
  double sum = w->op ? w->row_size[i] : 0;
  for (int j = 0; !w->op && j < w->nv; j++) sum += fabs(w->W[i*w->nv + j]*x[j]);
  return sum;
}

// Round-off of constraint i: of its terms, and of what impulses do in a step, which at rest is all there is. Operators:
// row_size is that of w->v.
static double error_noise(const ss_work* w, int i, double dt)
{
  return 1e-10*(position_terms(w, i) + dt*rate_terms(w, i, w->v));
}

ss_status ss_check_constraints(ss_work* w, double dt)
{
  ss_status st = SS_OK;
  int nb = w->n_bilateral;
  double* noise = w->op ? w->row_jump : NULL;  // no longer needed
  w->info.constraint_error = 0;
  if (!nb) return st;
  for (int j = 0; j < w->nv; j++) w->v[j] = w->u_free[j] - w->u[j];
  if (w->op) ss_gamma(w, w->v, w->gamma_free);
  for (int i = 0; i < nb && noise; i++) noise[i] = error_noise(w, i, dt);
  if (w->op) ss_gamma(w, w->u, w->gamma_free);
  for (int i = 0; i < nb; i++) {
    double error = fabs(w->error[i]), motion = rate_terms(w, i, w->u) + fabs(w->w_hat[i]);
    w->info.constraint_error = fmax(w->info.constraint_error, error);
    if (error > (noise ? noise[i] : error_noise(w, i, dt)) + 1e-6*dt*motion) st = SS_INACCURATE;
  }
  return st;
}

// The rows of systems with operators may be many, and contradict one another (a body between two others that leave it
// no room): contacts yield a little, so that there always is a solution, and rounds remove what is left. So they need
// not be exact either, but for bilateral rows alone, which are to be closed to round-off.
static ss_step_def how_to_move(const ss_work* w, const ss_step_def* step, bool contacts)
{
  ss_step_def def = *step;
  def.friction.compliance = w->op ? fmax(step->friction.compliance, YIELD) : 0;
  if (w->op && contacts) {
    def.friction.tol = fmax(def.friction.tol, TOLERANCE);
    def.friction.max_iter = ITERATIONS;
  }
  return def;
}

ss_status ss_project(const ss_system* system, ss_work* w, const ss_step_def* step, double t, bool contacts)
{
  ss_step_def loose = how_to_move(w, step, true), def = how_to_move(w, step, false);
  size_t mark = ss_arena_mark(w->arena);
  double* best = w->op ? ss_arena_array(w->arena, double, w->nq) : NULL;
  if (w->op && !best) return SS_ERR_CAPACITY;
  w->n_loaded = w->n_sets = 0;  // no friction
  set_targets(w, step);
  ss_status st = contacts ? iterate(system, w, &loose, t, true, best) : SS_OK, held = SS_OK;
  if (st >= 0 && w->n_bilateral) st = iterate(system, w, &def, t, false, best);  // these are to be exact
  if (st >= 0 && w->n_bilateral && contacts && is_scene(w)) {
    w->info.penetration = fmax(w->info.penetration, ss_deepest(w, false));
    w->info.limit_error = fmax(w->info.limit_error, ss_deepest(w, true));
  }
  ss_arena_release(w->arena, mark);
  if (st >= 0) held = ss_check_constraints(w, def.dt);
  if (st >= 0 && w->n_bilateral) st = project_velocity(w, &def);
  return st < 0 ? st : held;
}
