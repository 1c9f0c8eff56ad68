// Which contact states follow: the contact problem of accelerations over all contacts that are closed and do not
// separate (I_N), those among them that rest (I_H) with friction to be found
// [SB section 2.1; Pfeiffer & Glocker 1996]. At the end of a smooth arc a limit has just been reached, and on it the
// problem does not tell one side from the other. It is therefore posed a moment ahead, where the old contact states
// would lead: there the limit is exceeded.
#include <float.h>
#include <math.h>
#include <string.h>

#include "contact/hold.h"
#include "integrate/event.h"
#include "math/dense.h"

#define AHEAD 1e-7      // of a step: what is looked ahead
#define FURTHER 10      // ... where that does not tell, times this again and again
#define FARTHEST 1e-4   // of the longest step so far: not beyond
#define IDLE 1e-12      // of the terms of a velocity: below, a contact sticks (that of ss_contact_solve())
#define ROUGH 1e-8      // of the terms of a row: what solutions of many contacts tell for certain
#define DOUBT 1e3       // times the residual of a solution: what it may be off, of the terms of a row
#define FITS 1e-13      // residual of forces that are right

// Accelerations of rows that weights do not act on, by symmetry or since they are square to the way of a joint, are
// round-off of what weights can give. They are zero; else the problem would be solved in its round-off.
static void clear_round_off(ss_arc* a)
{
  ss_work* w = a->w;
  int m = w->problem.m;
  for (int r = 0; r < m; r++) {
    double g = sqrt(fmax(a->G[r*m + r], 0));
    if (fabs(w->b[r]) <= SS_WEIGHT_ROUND_OFF*ss_weight_on_row(a, w->source[r], g)) w->b[r] = 0;
  }
}

// The contact problem over the contacts of a->touch in the island at hand, with a->slide;
// b = W^T M^-1 h + w_bar where last evaluated
void ss_assemble_accelerations(ss_arc* a)
{
  ss_work* w = a->w;
  int m = 0, k = 0;
  for (int r = 0; r < w->n_bilateral; r++)
    if (ss_row_takes_part(a, r)) w->source[m++] = r;
  for (int i = 0; i < a->n; i++) {
    if (!ss_takes_part(a, i)) continue;
    const ss_contact_def* c = a->w->law[i];
    w->kind[k] = c->kind;
    w->mu[k] = fmax(0, a->slide[i] ? w->mu_now[i] : ss_mu_rest(w, i));  // round-off at the end of an arc at a kink
    w->bound[k] = fmax(0, a->slide[i] ? w->bound_now[i] : ss_bound_rest(w, i));
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
  clear_round_off(a);
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
  for (; j < w->problem.n_bilateral; j++) sum += fabs(G[j]*Lambda[j]);
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
    double push = w->solution.Lambda[r]*a->G[r*m + r], leave = w->solution.xi[r];
    double zero = fmax(SS_UNDECIDED*size_of(a, r), IDLE*terms_of(a, r));
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

// ... of the island at hand
static void read_states(ss_arc* a)
{
  int r = a->w->problem.n_bilateral;
  for (int k = 0; k < a->w->n_active; k++) {
    int i = a->w->active[k];
    a->mode[i] = read_state(a, k, r);
    if (a->mode[i] == SS_SLIP && !a->slide[i]) start_sliding(a, k, r + 1);
    r += ss_contact_rows(a->w->kind[k]);
  }
}

// M, W, h, ... where the old contact states lead within a moment, or where the arc is
static ss_status look(ss_arc* a, double moment)
{
  if (moment == 0) return ss_arc_evaluate(a, a->t, a->y);
  for (int i = 0; i < a->rk.n; i++) a->y1[i] = a->y[i] + moment*a->rk.k[i];
  return ss_arc_evaluate(a, a->t + moment, a->y1);
}

// The same beyond the end of a smooth arc. Redundant contacts that cannot carry their load any more may do so for
// another moment as far as round-off tells, over and over: rows that depend on each other at rest do not when a body
// has tilted by so little. There it is looked as far ahead as it takes to see it.
static ss_status look_beyond(ss_arc* a)
{
  double moment = AHEAD*a->h_last;
  ss_status st = look(a, moment);
  if (a->root[a->cause].kind != SS_ROOT_LAW) return st;
  for (double further = moment; st >= 0 && ss_load_is_carried(a); st = look(a, further)) {
    further *= FURTHER;
    if (further > FARTHEST*a->h_longest) return look(a, moment);
  }
  return st;
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

// xi, states and residual of the forces at hand
static double judge(ss_arc* a)
{
  const ss_contact_problem* p = &a->w->problem;
  ss_contact_solution* s = &a->w->solution;
  ss_gemv(p->m, p->m, p->G, s->Lambda, s->xi);
  for (int r = 0; r < p->m; r++) s->xi[r] += p->b[r];
  return s->residual = ss_contact_residual(p, s->Lambda);
}

// The state of contact k of the problem as far as a solution with an error tells: what hardly moves is at rest
static ss_contact_state rough_state(const ss_arc* a, int k, int r, double rough)
{
  const ss_work* w = a->w;
  bool normal = w->kind[k] != SS_CONTACT_FRICTION, friction = w->mu[k] > 0 || w->bound[k] > 0;
  const double *xi = w->solution.xi, *Lambda = w->solution.Lambda;
  int T = normal ? r + 1 : r, m = w->problem.m;
  if (normal && xi[r] > rough*terms_of(a, r) && xi[r] > Lambda[r]*a->G[r*m + r]) return SS_OPEN;
  if (w->kind[k] == SS_CONTACT_NORMAL || !friction) return SS_CLOSED;
  if (a->sign[k]) return a->sign[k] > 0 ? SS_SLIP_POS : SS_SLIP_NEG;
  if (fabs(xi[T]) <= rough*terms_of(a, T)) return SS_STICK;
  return xi[T] > 0 ? SS_SLIP_POS : SS_SLIP_NEG;
}

static void rough_states(ss_arc* a, double rough)
{
  ss_work* w = a->w;
  for (int k = 0, r = w->problem.n_bilateral; k < w->n_active; r += ss_contact_rows(w->kind[k++]))
    w->solution.state[k] = rough_state(a, k, r, rough);
}

// All that touches stays as it is, with forces of least norm: whether these are such as the contacts can give
static bool stays(ss_arc* a)
{
  ss_work* w = a->w;
  memset(w->solution.Lambda, 0, sizeof(double)*(size_t)w->problem.m);
  memset(w->solution.xi, 0, sizeof(double)*(size_t)w->problem.m);
  rough_states(a, ROUGH);
  ss_status st = ss_contact_hold(&w->problem, w->solution.state, a->arena, w->solution.Lambda);
  return st == SS_OK && judge(a) <= FITS;
}

// The round-off of many pivots, or the error of an iteration, taken out of a solution
static void sharpen(ss_arc* a)
{
  ss_work* w = a->w;
  double before = judge(a), rough = fmin(ROUGH, fmax(IDLE, DOUBT*before)), *kept = a->Lambda;
  memcpy(kept, w->solution.Lambda, sizeof(double)*(size_t)w->problem.m);
  rough_states(a, rough);
  ss_status st = ss_contact_hold(&w->problem, w->solution.state, a->arena, w->solution.Lambda);
  if (st == SS_OK && judge(a) <= fmax(before, FITS)) return;
  memcpy(w->solution.Lambda, kept, sizeof(double)*(size_t)w->problem.m);
  judge(a);
  rough_states(a, rough);
}

// Many contacts. Pivots of Lemke's method go through redundant contacts one by one, and lose digits there: at first it
// is tried whether all stays as it is; where the method fails, iterations on the cone take its place.
static ss_status solve_many(ss_arc* a, const ss_lcp_def* def, const ss_friction_def* cone)
{
  ss_work* w = a->w;
  if (stays(a)) return SS_OK;
  ss_status st = ss_contact_solve(&w->problem, def, a->arena, &w->solution);
  if (st == SS_RAY || st == SS_NOT_CONVERGED) st = ss_solve_spatial(a, cone);
  if (st < 0) return st;
  sharpen(a);
  return w->solution.residual <= def->tol ? SS_OK : st == SS_OK ? SS_INACCURATE : st;
}

static ss_status solve_laws(ss_arc* a, const ss_lcp_def* def, const ss_friction_def* cone)
{
  ss_work* w = a->w;
  w->solution.residual = w->solution.iterations = 0;
  if (is_trivial(a)) return SS_OK;
  if (ss_is_spatial(&w->problem)) return ss_solve_spatial(a, cone);
  if (w->n_active > SS_FEW_CONTACTS) return solve_many(a, def, cone);
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

// The contact states of the island at hand. Those in which no forces fit are marked.
static ss_status choose_in_island(ss_arc* a, const ss_step_def* def)
{
  ss_assemble_accelerations(a);
  a->solutions = -1;
  ss_status st = solve_problem(a, def);
  if (st < 0) return st;
  if (st == SS_OK) read_states(a);
  for (int k = 0; k < a->w->n_active; k++) {
    a->motions[a->w->active[k]] = a->solutions;
    a->stuck[a->w->active[k]] = st == SS_RAY;
  }
  return st;
}

// A contact of the island at hand whose state has been found already, as all of its island then have; NULL: none
static const ss_tried* settled_of(const ss_arc* a)
{
  for (int i = 0; i < a->n; i++)
    if (a->contact_island[i] == a->island && a->tried[i].settled) return &a->tried[i];
  return NULL;
}

static void keep_settled(ss_arc* a)
{
  for (int i = 0; i < a->n; i++) {
    if (a->contact_island[i] != a->island) continue;
    a->mode[i] = a->tried[i].state;
    a->stuck[i] = false;
  }
}

// Where there can be several motions, or they are counted, the rule for these has a say, unless everything stays
static ss_status choose_among_settled(ss_arc* a, const ss_step_def* def, const ss_tried* found)
{
  ss_assemble_accelerations(a);
  if (!def->event.watch_uniqueness && !ss_can_have_several(&a->w->problem, a->sign)) return SS_OK;
  ss_status st = choose_in_island(a, def);
  bool one = st != SS_OK || a->solutions == 1 || a->solutions == -1;
  if (st >= 0 && (one || found->stays || def->event.on_multiple == SS_MULTIPLE_FIRST)) keep_settled(a);
  return st < 0 ? st : SS_OK;
}

static ss_status choose_everywhere(ss_arc* a, const ss_step_def* def)
{
  ss_status worst = SS_OK;
  ss_settle_redundant(a);
  memset(a->stuck, 0, (size_t)a->n*sizeof *a->stuck);
  a->noted = 0;
  for (a->island = 0; a->island < a->n_islands && worst >= 0; a->island++) {
    const ss_tried* settled = settled_of(a);
    if (!ss_island_is_held(a, a->island)) continue;
    ss_status st = settled ? choose_among_settled(a, def, settled) : choose_in_island(a, def);
    if (st != SS_OK) worst = st;
  }
  a->island = -1;
  if (worst == SS_OK) ss_brace_redundant(a);
  if (worst == SS_OK) ss_correct_redundant(a);
  return worst;
}

// Static coefficients hold resting contacts as long as they can; where they cannot the problem is posed again.
ss_status ss_choose_modes(ss_arc* a, const ss_step_def* def, bool smooth)
{
  ss_status st = smooth ? look_beyond(a) : look(a, 0);
  if (st < 0) return st;
  ss_arc_islands(a, true);
  do {
    st = choose_everywhere(a, def);
  } while (st == SS_OK && a->w->has_static && break_loose(a));
  return st;
}
