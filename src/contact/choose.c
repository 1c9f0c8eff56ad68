// Where contacts are redundant a contact problem has many solutions, and while something slides they may move
// differently: friction goes with the share of the load that each contact takes. The solution with the least
//   sum_i w_i Lambda_i^2,   w = G_NN for normal impulses, the mean of G_TT for tangential ones of a contact,
// does not depend on the order of contacts or on directions of tangents. It is looked for among those with the contact
// states at hand, a face of the set of solutions (choose_face.h):
//   min sum w_j (X_j + shift_j)^2,  xi = 0 in the rows that rest,  X_N >= 0,  X within the cones of what sticks.
// The equations are linear up to the directions of sliding, which turn with the velocities (choose_equations.c): a few
// steps are made, each of which solves its own problem exactly (nearest.c). Where a contact stops sliding or closes on
// the way it changes its state, and the way goes on from there (choose_face.c). Where both sliding on and rest are
// solutions, which solvers find either of, it is rest: friction holds what it can.
#include "contact/choose.h"
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "contact/choose_face.h"
#include "contact/spatial.h"
#include "math/dense.h"

#define REDUNDANT 1e-10    // part of a diagonal entry of G that is left by other rows if they depend on one another
#define LOOSE 1e-10        // velocities that may be none, of the largest |b|
#define SETTLED 1e-15      // of the largest impulse: steps after which changes would be no more are the last
#define NEARLY 1e-10       // ... and those that round-off keeps from changing less
#define ALIKE 1e-9         // of the largest impulse: forces that are chosen already
#define RESIDUAL 1e-13     // that is as good as any
#define WELL_WITHIN 1e-10  // a hundredth of the tolerance of solvers
#define AS_GOOD 10         // residuals are alike up to this
#define MOVES 1e-8         // of the terms of a velocity: more than round-off
#define FAR 1e-3           // of impulses that hold one another: what is left of them has their round-off
#define NEAR_REST 10       // of what impulses change a slip by: faster ones are far from rest
enum { STEPS = 60 };

// ---- whether there is a choice ----

ss_choice ss_choice_of(int n, int still, double* A)
{
  ss_choice choice = SS_CHOICE_NONE;
  for (int i = 0; i < n; i++) {
    double *row = A + i*n, own = row[i];
    for (int j = 0; j < i; j++) {
      const double* other = A + j*n;
      if (other[j] == 0) row[j] = 0;
      else row[j] = (row[j] - ss_dot(j, row, other))/other[j];
    }
    double left = own - ss_dot(i, row, row);
    bool depends = !(left > REDUNDANT*own);
    if (depends && i >= still) return SS_CHOICE_MOTION;
    row[i] = depends ? 0 : sqrt(left);
    if (depends) choice = SS_CHOICE_FORCES;
  }
  return choice;
}

// Whether the unknown j and what goes with it can change, one way or the other, and moves something
static bool moves(ss_face* f, int j, double largest)
{
  int n = f->n, m = f->m;
  double *v = f->c, *d = f->d, size = 0, most = 0;
  bool forward = true, backward = true;
  memset(v, 0, sizeof(double)*(size_t)n);
  v[j] = 1;
  for (int pass = 0; pass < 2; pass++)
    for (int q = 0; q < f->rank; q++) ss_axpy(n, -ss_dot(n, f->R + q*n, v), f->R + q*n, v);
  if (ss_norm_inf(n, v) < 1e-6) return false;
  for (int i = 0; i < f->n_set; i++) {
    const ss_near_set* s = &f->set[i];
    if (s->shape != SS_FROM || f->x[s->first] - s->low > 1e-9*largest) continue;
    if (v[s->first] < -1e-9) forward = false;
    if (v[s->first] > 1e-9) backward = false;
  }
  if (!forward && !backward) return false;
  memset(d, 0, sizeof(double)*(size_t)m);
  ss_face_spread(f, v, d);
  for (int r = 0; r < m; r++) {
    double sum = 0, terms = 0;
    for (int i = 0; i < m; i++) {
      sum += f->r->G[r*m + i]*d[i];
      terms += fabs(f->r->G[r*m + i]*d[i]);
    }
    most = fmax(most, fabs(sum));
    size = fmax(size, terms);
  }
  return most > MOVES*size;
}

static bool any_moves(ss_face* f)
{
  double size = ss_norm_inf(f->n, f->x);
  for (int j = 0; j < f->n; j++)
    if (moves(f, j, size)) return true;
  return false;
}

// ---- steps ----

static void find_velocities(ss_face* f)
{
  ss_gemv(f->m, f->m, f->r->G, f->Lambda, f->xi);
  for (int i = 0; i < f->m; i++) f->xi[i] += f->r->b[i];
}

// To the unknowns x, as far as states stay; the largest change of impulses, relative. *whole: all of it.
static double move(ss_face* f, bool* whole)
{
  double change = 0, largest = 0, *v = f->c, *dxi = f->c;
  for (int j = 0; j < f->n; j++) v[j] = f->x[j] - sqrt(f->w[j])*(f->X[j] + f->shift[j]);
  ss_face_spread(f, v, f->d);
  ss_gemv(f->m, f->m, f->r->G, f->d, dxi);
  double way = ss_face_reach(f, dxi, whole);
  for (int i = 0; i < f->m; i++) {
    f->Lambda[i] += way*f->d[i];
    f->xi[i] += way*dxi[i];
    change = fmax(change, fabs(f->d[i]));
    largest = fmax(largest, fabs(f->Lambda[i]));
  }
  return largest > 0 ? change/largest : 0;
}

// False if it does not get there
static bool approach(ss_face* f, ss_arena* arena)
{
  double before = 0;
  bool whole = false;
  for (int i = 0; i < STEPS; i++) {
    bool warm = whole;  // the unknowns are those of the step before
    if (!ss_face_turn(f)) return false;
    ss_face_equations(f, false);
    ss_face_sets(f);
    if (!ss_nearest(f->rank, f->n, f->R, f->g, f->n_set, f->set, warm, arena, f->z, f->x)) return false;
    double change = move(f, &whole);
    double next = change*fmin(change/before, 1);  // changes fall by the same part in each step
    if (whole && (!f->turns || next <= SETTLED || (i && change <= NEARLY && change > before/2))) return true;
    before = change;
  }
  return false;
}

// ... and once more from there, where the impulses that it came from were far larger
static bool arrive(ss_face* f, ss_arena* arena)
{
  double before = ss_norm_inf(f->m, f->Lambda);
  if (!approach(f, arena)) return false;
  if (!(ss_norm_inf(f->m, f->Lambda) < FAR*before)) return true;
  find_velocities(f);
  return approach(f, arena);
}

// What rests does so to round-off of its own velocity, not of the impulses: the smallest increments that see to it
static void refine(ss_face* f)
{
  find_velocities(f);
  if (!ss_face_turn(f)) return;
  ss_face_equations(f, true);
  ss_gemv_t(f->rank, f->n, f->R, f->g, f->c);
  ss_face_spread(f, f->c, f->Lambda);
}

// ---- the choice ----

static bool is_alike(const ss_face* f, const double* Lambda)
{
  double change = 0;
  for (int i = 0; i < f->m; i++) change = fmax(change, fabs(f->Lambda[i] - Lambda[i]));
  return change <= ALIKE*ss_norm_inf(f->m, Lambda);
}

// Lambda of the face, if it is a solution. Forces that are chosen already stay: bodies that balance feel the round-off
// of others. False if what there was stays though it may be another.
static bool accept(const ss_contact_problem* p, ss_face* f, ss_choice choice, double* Lambda, ss_contact_solution* s)
{
  int nb = p->n_bilateral;
  if (choice == SS_CHOICE_FORCES && is_alike(f, s->Lambda + nb)) return true;
  if (choice == SS_CHOICE_FORCES && !f->turns) refine(f);
  ss_face_clean(f);
  memcpy(Lambda + nb, f->Lambda, sizeof(double)*(size_t)f->m);
  if (nb) ss_recover_bilateral(f->r, true, Lambda);
  double residual = ss_contact_residual(p, Lambda), most = fmin(AS_GOOD*s->residual, WELL_WITHIN);
  if (!(residual <= fmax(most, RESIDUAL))) return false;
  memcpy(s->Lambda, Lambda, sizeof(double)*(size_t)p->m);
  ss_gemv(p->m, p->m, p->G, s->Lambda, s->xi);
  for (int i = 0; i < p->m; i++) s->xi[i] += p->b[i];
  s->residual = residual;
  ss_spatial_states(p, 2*residual*ss_norm_inf(p->m, p->b), Lambda, s);  // they follow the impulses
  return true;
}

// ... and whether it moves otherwise than what there was, which then was a solution, too. Scratch: f->z.
static bool accept_other(const ss_contact_problem* p, ss_face* f, ss_choice choice, double* Lambda,
                         ss_contact_solution* s, bool* moved)
{
  double change = 0, less = MOVES + AS_GOOD*s->residual;
  memcpy(f->z, s->xi + p->n_bilateral, sizeof(double)*(size_t)f->m);
  if (!accept(p, f, choice, Lambda, s)) return false;
  for (int i = 0; i < f->m; i++) change = fmax(change, fabs(s->xi[p->n_bilateral + i] - f->z[i]));
  *moved = *moved || change > less*ss_norm_inf(p->m, p->b);
  return true;
}

// All that slides may come to rest in this step
static bool is_near_rest(const ss_face* f)
{
  bool any = false;
  for (int i = 0; i < f->k; i++) {
    const ss_face_part* c = &f->part[i];
    double speed = 0, change = 0;
    for (int r = c->T; r < c->T + c->tangents && c->slips; r++) {
      speed = fmax(speed, fabs(f->xi[r]));
      change = fmax(change, fabs(f->xi[r] - f->r->b[r]));
    }
    if (speed > NEAR_REST*change) return false;
    any = any || c->slips;
  }
  return any;
}

// The solution in which all that slides in *s rests, if there is one, takes its place
static bool try_rest(const ss_contact_problem* p, ss_face* f, ss_arena* arena, double* Lambda, ss_contact_solution* s,
                     bool* moved)
{
  memcpy(f->Lambda, s->Lambda + p->n_bilateral, sizeof(double)*(size_t)f->m);
  find_velocities(f);
  ss_face_describe(f, p, LOOSE*ss_norm_inf(p->m, p->b), s->state);
  if (!is_near_rest(f)) return false;
  ss_face_stop(f);
  ss_face_weigh(f, p);
  return arrive(f, arena) && accept_other(p, f, SS_CHOICE_MOTION, Lambda, s, moved);
}

static ss_choice choose(const ss_contact_problem* p, ss_face* f, bool forces, ss_arena* arena, double* Lambda,
                        ss_contact_solution* s)
{
  ss_face_describe(f, p, LOOSE*ss_norm_inf(p->m, p->b), s->state);
  ss_choice choice = ss_face_depends(f);
  if (choice == SS_CHOICE_NONE || (choice == SS_CHOICE_FORCES && !forces)) return choice;
  ss_face_weigh(f, p);
  bool moved = false, chosen = arrive(f, arena) && accept_other(p, f, choice, Lambda, s, &moved);
  if (choice == SS_CHOICE_FORCES) return choice;
  moved = moved || ((chosen || f->rank) && any_moves(f));
  chosen = try_rest(p, f, arena, Lambda, s, &moved) || chosen;
  if (!moved) return SS_CHOICE_FORCES;
  return chosen ? SS_CHOICE_MOTION : SS_CHOICE_AS_FOUND;
}

ss_choice ss_choose(const ss_contact_problem* p, bool forces, ss_arena* arena, ss_contact_solution* s)
{
  size_t mark = ss_arena_mark(arena);
  ss_choice choice = SS_CHOICE_NONE;
  ss_reduced r;
  ss_face f = {.r = &r};
  if (p->n_contact == 0) return choice;
  bool alone = p->n_contact < 2 && p->n_bilateral == 0 && p->G[0] > 0;  // constraints may carry what a contact does
  if (alone || p->m - p->n_bilateral > SS_CHOOSE_ROWS) return choice;
  double* Lambda = ss_arena_array(arena, double, p->m);
  if (Lambda && ss_face_take(&f, p->n_contact, p->m - p->n_bilateral, arena) && ss_reduce_contacts(p, arena, &r)) {
    memcpy(f.Lambda, s->Lambda + r.nb, sizeof(double)*(size_t)r.m);
    memcpy(f.xi, s->xi + r.nb, sizeof(double)*(size_t)r.m);
    choice = choose(p, &f, forces, arena, Lambda, s);
  }
  ss_arena_release(arena, mark);
  return choice;
}

size_t ss_choose_size(int n_bilateral, int n_contact, int rows)
{
  int limited = rows < SS_CHOOSE_ROWS ? rows : SS_CHOOSE_ROWS, contacts = n_contact < limited ? n_contact : limited;
  return ss_face_size(contacts, limited) + 2*ss_arena_bytes(sizeof(double)*(size_t)(n_bilateral + limited)) +
         ss_reduce_rows_size(n_bilateral, limited) + ss_nearest_size(limited);
}
