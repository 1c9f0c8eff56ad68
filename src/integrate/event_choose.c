// Which contact states follow: the contact problem of accelerations over all contacts that are closed and do not
// separate (I_N), those among them that rest (I_H) with friction to be found
// [SB section 2.1; Pfeiffer & Glocker 1996]. At the end of a smooth arc a limit has just been reached, and on it the
// problem does not tell one side from the other. It is therefore posed a moment ahead, where the old contact states
// would lead: there the limit is exceeded.
#include <float.h>
#include <math.h>
#include <string.h>

#include "integrate/event.h"
#include "math/dense.h"

#define AHEAD 1e-7      // of a step: what is looked ahead
#define UNDECIDED 1e-11 // of the terms of a row: accelerations and forces below are zero
#define IDLE 1e-12      // of the terms of a velocity: below, a contact sticks (that of ss_contact_solve())
#define SAME 1e-11      // of the acceleration without contacts: differences below are none
#define SAME_IN_SPACE 1e-9  // ... that iterations have found

// The contact problem over the contacts of a->touch, with a->slide; b = W^T M^-1 h + w_bar where last evaluated
void ss_assemble_accelerations(ss_arc* a)
{
  const ss_system_def* d = ss_system_get(a->system);
  ss_work* w = a->w;
  int m = 0, k = 0;
  for (int r = 0; r < d->n_bilateral; r++) w->source[m++] = r;
  for (int i = 0; i < a->n; i++) {
    if (!a->touch[i]) continue;
    const ss_contact_def* c = a->w->law[i];
    w->kind[k] = c->kind;
    w->mu[k] = a->slide[i] ? w->mu_now[i] : ss_mu_rest(w, i);
    w->bound[k] = a->slide[i] ? w->bound_now[i] : ss_bound_rest(w, i);
    a->sign[k] = a->slide[i];
    w->active[k++] = i;
    for (int j = 0; j < ss_contact_rows(c->kind); j++) w->source[m++] = w->row[i] + j;
  }
  w->n_active = k;
  memcpy(w->u_free, w->h, sizeof(double)*(size_t)a->nv);
  ss_chol_solve(a->nv, a->L, w->u_free);
  for (int r = 0; r < m; r++)
    w->b[r] = ss_dot(a->nv, a->W + w->source[r]*a->nv, w->u_free) + a->w_bar[w->source[r]];
  ss_arc_problem(a, m, k);
  w->problem.slide = a->sign;
  if (ss_is_spatial(&w->problem)) ss_flatten(a);
}

// Terms that b of a row of the problem consists of, by magnitude
static double size_of(const ss_arc* a, int r)
{
  return ss_row_size(a, a->w->source[r], a->w->u_free) + fabs(a->w_bar[a->w->source[r]]);
}

// Terms that xi of a row of the problem consists of, by magnitude, with friction as large as its limit: what the solver
// measures states by
static double terms_of(const ss_arc* a, int r)
{
  const ss_work* w = a->w;
  const double *G = a->G + r*w->problem.m, *Lambda = w->solution.Lambda;
  double sum = fabs(w->b[r]);
  int j = 0;
  for (; j < w->n_bilateral; j++) sum += fabs(G[j]*Lambda[j]);
  for (int k = 0; k < w->n_active; k++) {
    double limit = w->bound[k];
    if (w->kind[k] != SS_CONTACT_FRICTION) {
      sum += fabs(G[j]*Lambda[j]);
      limit += w->mu[k]*fabs(Lambda[j++]);
    }
    for (int i = ss_contact_rows(w->kind[k]) - (w->kind[k] != SS_CONTACT_FRICTION); i > 0; i--, j++)
      sum += fabs(G[j])*fmax(fabs(Lambda[j]), limit);
  }
  return sum;
}

// A closed contact that rests and carries nothing, because others carry it all: what its tangential row does
static ss_contact_state idle_state(const ss_arc* a, int T, bool two)
{
  double xi = a->w->solution.xi[T];
  if (two) {
    bool rests = hypot(xi, a->w->solution.xi[T + 1]) <= IDLE*fmax(terms_of(a, T), terms_of(a, T + 1));
    return rests ? SS_STICK : SS_SLIP;
  }
  if (fabs(xi) <= IDLE*terms_of(a, T)) return SS_STICK;
  return xi > 0 ? SS_SLIP_POS : SS_SLIP_NEG;
}

// The state of contact number k of the problem, whose first row is r. Where rows depend on each other a contact may
// stay closed without load; that is one of many ways to share the load, so its state is that of its motion, never that
// of the past.
static ss_contact_state read_state(const ss_arc* a, int k, int r)
{
  const ss_work* w = a->w;
  int i = w->active[k], m = w->problem.m;
  const ss_contact_def* c = a->w->law[i];
  ss_contact_state state = w->solution.state[k];
  bool friction = ss_has_tangent(c) && ss_has_friction(w, i), idle = false;
  if (ss_has_normal(c)) {
    double push = w->solution.Lambda[r]*a->G[r*m + r], leave = w->solution.xi[r], zero = UNDECIDED*size_of(a, r);
    idle = push <= zero && leave <= zero;
    if (!idle && leave > push) return SS_OPEN;
  }
  bool spatial = ss_tangents(c) > 1;
  if (a->slide[i]) return spatial ? SS_SLIP : a->slide[i] > 0 ? SS_SLIP_POS : SS_SLIP_NEG;
  if (friction && (idle || state == SS_OPEN || state == SS_CLOSED))
    state = idle_state(a, r + ss_has_normal(c), w->kind[k] == SS_CONTACT_SPATIAL);
  if (spatial && ss_slides(state)) return SS_SLIP;
  if (friction) return state;
  return SS_CLOSED;
}

// Sliding of contact k of the problem from rest (T: its first tangential row) begins against its friction; without,
// along its acceleration
static void start_sliding(ss_arc* a, int k, int T)
{
  const double *Lambda = a->w->solution.Lambda + T, *xi = a->w->solution.xi + T, *e = a->axis + 2*k;
  bool planar = a->w->kind[k] == SS_CONTACT_PLANAR, pushed = Lambda[0] != 0 || (!planar && Lambda[1] != 0);
  double along = pushed ? -Lambda[0] : xi[0], second = planar ? 0 : pushed ? -Lambda[1] : xi[1];
  const double direction[2] = {planar ? along*e[0] : along, planar ? along*e[1] : second};
  ss_slide_start(a, a->w->active[k], direction);
}

static void read_states(ss_arc* a)
{
  int r = a->w->n_bilateral;
  for (int i = 0; i < a->n; i++) a->mode[i] = SS_OPEN;
  for (int k = 0; k < a->w->n_active; k++) {
    int i = a->w->active[k];
    a->mode[i] = read_state(a, k, r);
    if (a->mode[i] == SS_SLIP && !a->slide[i]) start_sliding(a, k, r + 1);
    r += ss_contact_rows(a->w->kind[k]);
  }
}

// M, W, h, ... where the old contact states lead within a moment, or where the arc is
static ss_status look(ss_arc* a, bool ahead)
{
  double moment = ahead ? AHEAD*a->h_last : 0;
  if (moment == 0) return ss_arc_evaluate(a, a->t, a->y);
  for (int i = 0; i < a->rk.n; i++) a->y1[i] = a->y[i] + moment*a->rk.k[i];
  return ss_arc_evaluate(a, a->t + moment, a->y1);
}

// Nothing pushes: no forces, and all that touches rests
static bool is_trivial(ss_arc* a)
{
  ss_work* w = a->w;
  for (int r = 0; r < w->problem.m; r++)
    if (w->b[r] != 0) return false;
  for (int k = 0; k < w->n_active; k++)
    if (a->sign[k]) return false;
  for (int k = 0; k < w->n_active; k++) w->solution.state[k] = w->kind[k] == SS_CONTACT_NORMAL ? SS_CLOSED : SS_STICK;
  memset(w->solution.Lambda, 0, sizeof(double)*(size_t)w->problem.m);
  memset(w->solution.xi, 0, sizeof(double)*(size_t)w->problem.m);
  return true;
}

static ss_status solve_laws(ss_arc* a, const ss_lcp_def* def, const ss_friction_def* cone)
{
  ss_work* w = a->w;
  w->solution.residual = w->solution.iterations = 0;
  if (is_trivial(a)) return SS_OK;
  if (ss_is_spatial(&w->problem)) return ss_solve_spatial(a, cone);
  return ss_contact_solve(&w->problem, def, a->arena, &w->solution);
}

// The solution of the contact problem. A ray, or too many iterations, are no proof that there is none:
// ss_count_motions() looks for it then.
static ss_status solve_problem(ss_arc* a, const ss_step_def* def)
{
  ss_work* w = a->w;
  ss_status st = solve_laws(a, &def->solver, &def->friction);
  if (st == SS_RAY || st == SS_NOT_CONVERGED) {  // the settings may be to blame
    ss_lcp_def usual = ss_lcp_def_default();
    ss_friction_def usual_cone = ss_friction_def_default();
    st = solve_laws(a, &usual, &usual_cone);
  }
  if (st < 0) return st;
  w->info.iterations += w->solution.iterations;
  bool solved = st != SS_RAY && st != SS_NOT_CONVERGED;
  if (solved && st != SS_OK) w->info.status = st;
  st = ss_count_motions(a, def, solved);
  if (st == SS_OK) w->info.residual = fmax(w->info.residual, w->solution.residual);
  return st;
}

// Contacts that rest and cannot be held by static friction slide from now on, with less. Returns whether any does.
static bool break_loose(ss_arc* a)
{
  bool any = false;
  for (int i = 0; i < a->w->n_contact; i++) {
    if (!a->touch[i] || a->slide[i] || !ss_mode_sign(a->mode[i]) || !ss_breaks_loose(a->w, i)) continue;
    a->slide[i] = ss_mode_sign(a->mode[i]);
    any = true;
  }
  return any;
}

// Static coefficients hold resting contacts as long as they can; where they cannot the problem is posed again.
ss_status ss_choose_modes(ss_arc* a, const ss_step_def* def, bool smooth)
{
  ss_status st = look(a, smooth);
  if (st < 0) return st;
  do {
    ss_assemble_accelerations(a);
    st = solve_problem(a, def);
    if (st != SS_OK) return st;
    read_states(a);
  } while (a->w->has_static && break_loose(a));
  return SS_OK;
}

// Forces of least norm that the contacts can give as they are: then the acceleration is that of the contact laws
static bool forces_fit(const ss_arc* a)
{
  for (int i = 0; i < a->n; i++) {
    const ss_contact_def* c = a->w->law[i];
    if (a->mode[i] == SS_OPEN) continue;
    int N = ss_normal_row(a, i), T = ss_tangent_row(a, i), rows = ss_tangents(c);
    double normal = ss_has_normal(c) ? a->lambda[N] : 0, zero = IDLE*(ss_has_normal(c) ? a->force[N] : 0);
    if (normal < -zero) return false;
    double friction = rows > 1 ? hypot(a->lambda[T], a->lambda[T + 1]) : rows ? fabs(a->lambda[T]) : 0;
    if (a->mode[i] == SS_STICK && friction > ss_mu_rest(a->w, i)*normal + ss_bound_rest(a->w, i) + zero) return false;
  }
  return true;
}

// The contact laws at the position last evaluated, with the states at hand, but for limits: their acceleration, from
// which that of the arc must not differ. Where it does, forces of least norm exceed what the contacts can give in any
// way.
double ss_law_margin(ss_arc* a, const double* acceleration)
{
  ss_work* w = a->w;
  ss_lcp_def def = ss_lcp_def_default();
  ss_friction_def cone = ss_friction_def_default();
  if (w->op && forces_fit(a)) return 1;
  double difference = 0, size = 0;
  for (int i = 0; i < a->n; i++) {
    a->touch[i] = a->mode[i] != SS_OPEN;
    a->slide[i] = a->mode[i] == SS_SLIP ? 1 : ss_mode_sign(a->mode[i]);
  }
  ss_assemble_accelerations(a);
  ss_status st = solve_laws(a, &def, &cone);
  memset(a->touch, 0, (size_t)a->n*sizeof *a->touch);
  ss_gemv_t(w->problem.m, a->nv, a->P, w->solution.Lambda, a->law);
  ss_chol_solve_upper(a->nv, a->L, a->law);
  for (int j = 0; j < a->nv; j++) a->law[j] += w->u_free[j];
  for (int j = 0; j < a->nv; j++) {
    double x = 0, y = 0;  // L^T u
    for (int i = j; i < a->nv; i++) x += a->L[i*a->nv + j]*(a->law[i] - acceleration[i]);
    for (int i = j; i < a->nv; i++) y += a->L[i*a->nv + j]*w->u_free[i];
    difference += x*x;
    size += y*y;
  }
  double same = ss_is_spatial(&w->problem) ? SAME_IN_SPACE : SAME;
  return st == SS_OK ? same*sqrt(size) - sqrt(difference) : -sqrt(size) - DBL_MIN;
}
