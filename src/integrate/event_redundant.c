// Redundant contacts in an event. Methods for the contact problem of accelerations find one of many solutions, which
// depends on the order of the contacts, and whose forces are not those that the arc will have. So contact states are
// looked for that fit the forces of the arc (event_force.c), which do not depend on the order:
//   1. everything that touches stays as it is, at rest what rests and sliding what slides;
//   2. what the load moves that the contacts cannot carry does so: planar contacts open, or begin to slide.
// If neither fits the contact problem decides; if its motion is not that of the arc either, but contacts can brace
// themselves so that everything stays as it is, they do; else
//   3. its states are corrected one by one until they fit the forces and accelerations of the arc.
#include <math.h>
#include <string.h>

#include "integrate/event.h"
#include "math/dense.h"

#define STAYS 5e-11   // of the load: what contacts need not carry to stay as they are
#define MOVES 1e-3    // of the largest acceleration of a row, in units of their lengths: it moves
#define HELD 1e-6     // of the terms of the rows of an island: accelerations of rows that are held
#define SURELY 1e-9   // of the terms of an acceleration: it is not zero
#define ROUND_OFF 1e-11  // of the terms of an acceleration or force: zero
enum { ROUNDS = 10 };    // of corrections

// The state of a contact that touches, if what rests stays at rest and what slides goes on
static ss_contact_state state_as_it_is(const ss_arc* a, int i)
{
  const ss_contact_def* c = a->w->law[i];
  if (!a->touch[i]) return SS_OPEN;
  if (!ss_has_tangent(c) || !ss_has_friction(a->w, i)) return SS_CLOSED;
  if (!a->slide[i]) return SS_STICK;
  return ss_tangents(c) > 1 ? SS_SLIP : a->slide[i] > 0 ? SS_SLIP_POS : SS_SLIP_NEG;
}

// Whether the contacts of an island have the states of the arc before, and it was not they that ended it
static bool goes_on(const ss_arc* a, int island)
{
  const ss_root* cause = a->starting ? NULL : &a->root[a->cause];
  if (!cause || (cause->contact < 0 && cause->island == island)) return false;
  for (int i = 0; i < a->n; i++)
    if (a->contact_island[i] == island && a->mode[i] != a->mode_before[i]) return false;
  return true;
}

// Forces and the acceleration (a->law) of an arc with the states in a->mode, where last evaluated; w->u_free = M^-1 h
static bool find_forces(ss_arc* a, bool unbalanced)
{
  ss_slide_directions(a);
  a->ready = false;  // dependent rows are looked for
  ss_arc_combine(a);
  a->unbalanced = unbalanced;
  bool found = ss_arc_forces(a, a->law) >= 0;
  a->unbalanced = false;
  memcpy(a->w->u_free, a->w->h, sizeof(double)*(size_t)a->nv);
  ss_chol_solve(a->nv, a->L, a->w->u_free);
  return found;
}

static double acceleration(const ss_arc* a, int row)
{
  return ss_dot(a->nv, a->W + row*a->nv, a->law) + a->w_bar[row];
}

// Terms of the acceleration of a row, by magnitude; w->u_free = M^-1 h
static double terms(const ss_arc* a, int row) { return ss_row_size(a, row, a->w->u_free) + fabs(a->w_bar[row]); }

// Whether the acceleration holds the rows of an island. Rows that depend on each other can ask for different things: at
// the dead centre of a crank its slider has x' = 0 and x'' = -r a'^2, and friction cannot make that zero.
static bool holds(const ss_arc* a, int island)
{
  const double* g = a->x + a->row_room;
  double off = 0, size = 0;
  for (int k = 0; k < a->n_held; k++) {
    int r = a->held[k];
    if (a->row_island[r] != island) continue;
    off = fmax(off, fabs(acceleration(a, r))/g[k]);
    size = fmax(size, fmax(terms(a, r), ss_row_size(a, r, a->law))/g[k]);
  }
  return off <= HELD*size;
}

// ---- 1. ----

static bool try_as_it_is(ss_arc* a)
{
  bool doubt = false;
  for (int i = 0; i < a->n; i++) {
    a->mode[i] = state_as_it_is(a, i);
    a->tried[i] = (ss_tried){.island = -1};
  }
  if (!find_forces(a, false)) return false;
  for (int i = 0; i < a->n; i++) {
    const ss_held* g = a->contact_island[i] < 0 ? NULL : &a->group[a->contact_island[i]];
    if (!g || !g->singular) continue;
    bool carried = g->left <= STAYS && holds(a, a->contact_island[i]);
    a->tried[i] = (ss_tried){.island = a->contact_island[i], .as_it_is = a->mode[i], .state = a->mode[i],
                             .can_brace = carried,
                             .settled = carried && (!g->braced || goes_on(a, a->contact_island[i]))};
    a->tried[i].stays = a->tried[i].settled;
    doubt = doubt || !a->tried[i].settled;
  }
  return doubt;
}

bool ss_load_is_carried(ss_arc* a)
{
  ss_arc_islands(a, true);
  try_as_it_is(a);
  for (int i = 0; i < a->n; i++)
    if (a->tried[i].island >= 0 && !a->tried[i].can_brace) return false;
  return true;
}

// ---- 2. ----

// What the load moves, by the acceleration with forces that are as near to it as contacts can give
static void propose(ss_arc* a)
{
  if (!find_forces(a, true)) return;
  const double* g = a->x + a->row_room;
  for (int i = 0; i < a->n_held; i++) {
    int c = a->owner[i], r = a->held[i];
    if (c < 0 || a->tried[c].settled || a->tried[c].island < 0 || ss_tangents(a->w->law[c]) > 1) continue;
    double xi = acceleration(a, r), largest = 0;
    for (int k = 0; k < a->n_held; k++)
      if (a->row_island[a->held[k]] == a->row_island[r])
        largest = fmax(largest, fabs(acceleration(a, a->held[k]))/g[k]);
    if (fabs(xi)/g[i] <= MOVES*largest) continue;
    bool normal = ss_has_normal(a->w->law[c]) && r == ss_normal_row(a, c);
    bool idle = normal && a->lambda[r] <= ROUND_OFF*a->force[r];
    if (normal) a->tried[c].state = idle && xi > 0 ? SS_OPEN : a->tried[c].state;
    else if (a->tried[c].state == SS_STICK) a->tried[c].state = xi > 0 ? SS_SLIP_POS : SS_SLIP_NEG;
  }
}

// Whether forces and acceleration of the arc are those that the state of the contact stands for
static bool fits(const ss_arc* a, int i)
{
  const ss_contact_def* c = a->w->law[i];
  int N = ss_normal_row(a, i), T = ss_tangent_row(a, i), sign = ss_mode_sign(a->mode[i]);
  if (a->mode[i] == SS_OPEN) return acceleration(a, N) >= -ROUND_OFF*terms(a, N);
  if (!a->slide[i] && sign && sign*acceleration(a, T) < -ROUND_OFF*terms(a, T)) return false;
  const ss_held* g = &a->group[a->contact_island[i]];
  if (g->singular) return g->left <= STAYS && !g->braced && holds(a, a->contact_island[i]);
  double normal = ss_has_normal(c) ? a->lambda[N] : 0, zero = ROUND_OFF*(ss_has_normal(c) ? a->force[N] : 0);
  if (normal < -zero) return false;
  if (a->mode[i] != SS_STICK) return true;
  zero += ROUND_OFF*a->force[T];
  return fabs(a->lambda[T]) <= ss_mu_rest(a->w, i)*normal + ss_bound_rest(a->w, i) + zero;
}

// All contacts that were together in an island are settled, or none is
static void settle(ss_arc* a)
{
  for (int i = 0; i < a->n; i++)
    if (a->tried[i].island >= 0 && !a->tried[i].settled) a->tried[i].fits = fits(a, i);
  for (int i = 0; i < a->n; i++) {
    ss_tried* t = &a->tried[i];
    bool all = t->island >= 0 && !t->settled;
    for (int k = 0; k < a->n && all; k++) all = a->tried[k].island != t->island || a->tried[k].fits;
    t->all_fit = all;
  }
}

// What was to open, as it carries nothing at the limit of what contacts can give, but does not leave where the others
// move stays closed: a foot in the middle of a rigid beam that slides. Returns whether there is any.
static bool close_again(ss_arc* a)
{
  bool any = false;
  for (int i = 0; i < a->n; i++) {
    ss_tried* t = &a->tried[i];
    int N = ss_normal_row(a, i), T = ss_tangent_row(a, i);
    if (t->island < 0 || t->settled || t->state != SS_OPEN || t->as_it_is == SS_OPEN) continue;
    if (acceleration(a, N) > SURELY*terms(a, N)) continue;
    bool slips = t->as_it_is == SS_STICK && fabs(acceleration(a, T)) > SURELY*terms(a, T);
    t->state = !slips ? t->as_it_is : acceleration(a, T) > 0 ? SS_SLIP_POS : SS_SLIP_NEG;
    any = true;
  }
  return any;
}

static bool try_states(ss_arc* a)
{
  for (int i = 0; i < a->n; i++)
    if (a->tried[i].island >= 0) a->mode[i] = a->tried[i].state;
  return find_forces(a, false);
}

static void try_what_moves(ss_arc* a)
{
  propose(a);
  if (!try_states(a) || (close_again(a) && !try_states(a))) return;
  settle(a);
  for (int i = 0; i < a->n; i++) a->tried[i].settled = a->tried[i].settled || a->tried[i].all_fit;
}

void ss_settle_redundant(ss_arc* a)
{
  if (try_as_it_is(a)) try_what_moves(a);
  for (int i = 0; i < a->n; i++) a->mode[i] = a->tried[i].settled ? a->tried[i].state : SS_OPEN;
  ss_arc_islands(a, true);
}

// Whether all contacts of the island that contact i was in are as they were
static bool is_as_it_was(const ss_arc* a, int i)
{
  for (int k = 0; k < a->n; k++)
    if (a->tried[k].island == a->tried[i].island && a->mode[k] != a->tried[k].as_it_is) return false;
  return true;
}

void ss_brace_redundant(ss_arc* a)
{
  bool doubt = false;
  for (int i = 0; i < a->n; i++) doubt = doubt || (a->tried[i].can_brace && !a->tried[i].settled);
  if (!doubt || !find_forces(a, false)) return;
  settle(a);
  for (int i = 0; i < a->n; i++)
    if (a->tried[i].can_brace && !a->tried[i].settled && !a->tried[i].all_fit) a->mode[i] = a->tried[i].as_it_is;
  for (int i = 0; i < a->n; i++)
    a->tried[i].braced = a->tried[i].can_brace && !a->tried[i].settled && is_as_it_was(a, i);
}

// ---- 3. ----

// Whether contact i is in an island of redundant contacts whose states the contact problem has found
static bool is_in_doubt(const ss_arc* a, int i)
{
  return a->tried[i].island >= 0 && !a->tried[i].settled && !a->tried[i].braced;
}

// The state that forces and acceleration of the arc, as found for the states at hand, ask for instead
static ss_contact_state corrected(const ss_arc* a, int i)
{
  const ss_contact_def* c = a->w->law[i];
  int N = ss_normal_row(a, i), T = ss_tangent_row(a, i), sign = ss_mode_sign(a->mode[i]);
  ss_contact_state mode = a->mode[i];
  if (mode == SS_OPEN) return acceleration(a, N) < -SURELY*terms(a, N) ? state_as_it_is(a, i) : mode;
  if (!a->slide[i] && sign && sign*acceleration(a, T) < -SURELY*terms(a, T)) return SS_STICK;
  if (a->group[a->contact_island[i]].singular) return mode;
  double normal = ss_has_normal(c) ? a->lambda[N] : 0, zero = SURELY*ss_force_size(a, i);
  if (normal < -zero) return SS_OPEN;
  if (mode != SS_STICK || ss_tangents(c) > 1) return mode;
  bool holds = fabs(a->lambda[T]) <= ss_mu_rest(a->w, i)*normal + ss_bound_rest(a->w, i) + zero;
  return holds ? mode : a->lambda[T] < 0 ? SS_SLIP_POS : SS_SLIP_NEG;
}

// Whether that changes any
static bool correct(ss_arc* a)
{
  bool changed = false;
  for (int i = 0; i < a->n; i++) {
    ss_contact_state state = is_in_doubt(a, i) ? corrected(a, i) : a->mode[i];
    changed = changed || state != a->mode[i];
    a->mode[i] = state;
  }
  return changed;
}

static bool all_carried(const ss_arc* a)
{
  for (int i = 0; i < a->n; i++)
    if (is_in_doubt(a, i) && a->contact_island[i] >= 0 && a->group[a->contact_island[i]].left > STAYS) return false;
  return true;
}

// Where contacts cannot carry their load in the states at hand the one of an island opens that pulls most, as the load
// would have it. Returns whether any does. Two corners that slide along one edge, side by side, may be so near to each
// other that round-off of the motion asks for forces of any size there: one of them is enough.
static bool open_worst(ss_arc* a)
{
  bool any = false;
  for (int k = 0; k < a->n_islands; k++) {
    const ss_held* g = &a->group[k];
    double least = 0;
    int worst = -1;
    for (int i = g->first; g->left > STAYS && i < g->first + g->n; i++) {
      int c = a->owner[i];
      bool normal = c >= 0 && is_in_doubt(a, c) && ss_has_normal(a->w->law[c]) && a->held[i] == ss_normal_row(a, c);
      if (!normal || !(a->x[i] < least)) continue;
      least = a->x[i];
      worst = c;
    }
    if (worst >= 0) a->mode[worst] = SS_OPEN;
    any = any || worst >= 0;
  }
  return any;
}

// Of the motions that the contact laws allow the contact problem has found one, and the arc will have another, with the
// forces of least norm. If no states are found that fit it, those of the problem stay.
void ss_correct_redundant(ss_arc* a)
{
  bool doubt = false;
  for (int i = 0; i < a->n; i++) {
    doubt = doubt || is_in_doubt(a, i);
    if (is_in_doubt(a, i)) a->tried[i].state = a->mode[i];
  }
  for (int round = 0; doubt && round < ROUNDS; round++) {
    if (!find_forces(a, false)) break;
    if (!all_carried(a)) {
      if (open_worst(a)) continue;
      break;
    }
    if (!correct(a)) return;
  }
  for (int i = 0; i < a->n; i++)
    if (is_in_doubt(a, i)) a->mode[i] = a->tried[i].state;
}
