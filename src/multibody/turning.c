// Trees that turn. The forces that are quadratic in u, c(q, u), do no work: a free tree keeps T = u . M(q) u/2. With c
// of the start of a step T would grow by dt^2 c . M^-1 c/2 or so in each, and what M does between the positions of the
// step would come on top: a fast tree explodes. So the free velocity of a tree that turns is found in two stages.
//   u_1 : M u' = h - c(q, u) from u_A on for dt, at the q of the step, by the midpoint rule of Runge, in parts of dt in
//         which no body turns far. If there are several, c is without its part along u, and |u|_M follows the work
//         of h: at a fixed q the whole of it can grow beyond all bounds.
//   u_E = s u_1 :  T(q_E, u_E) = T(q_A, u_A) + dt h . (u_A + u_E)/2,   q_E = q + rest u_E.
// s is a projection onto the energy [Hairer, Lubich & Wanner 2006, section IV.4], s = 1 + O(dt^3). M(q_A), M and M(q_E)
// meet in it: no step is too long for T. Trees that hang on nothing are seen from their centre of mass, whose velocity
// changes by the forces from outside alone.
// Implicit steps, whose u_E is found by repetition, need no stages: what the rule leaves of the energy is taken back.
#include "multibody/dynamics.h"
#include "multibody/node.h"
#include <math.h>
#include <string.h>

enum { MOST_PARTS = 200, MOST_TRIES = 40 };
#define SLOW 1e-7    // rad: a step in which no body of a tree turns farther is taken as it is
#define LITTLE 0.1   // ... and one in which it could give a tree no more than this part of what dampers take
#define PART 0.25    // rad: bodies turn no farther in a part
#define CLOSE 1e-12  // of the energy: good enough
#define MOST_ALPHA 0.1  // of a velocity: what is added for more than that is no step

// ---- sums over the trees -------------------------------------------------------------------------------------------

// P of every tree: the velocity of its centre of mass, zero for those that hang on something
static void find_centres(const ss_tree_work* w, ss_turn* turn)
{
  const ss_tree* tree = w->tree;
  for (int k = 0; k < tree->n_turn; k++) turn[k].P = (ss_vec3){0, 0, 0};
  for (int b = 1; b < tree->n_body; b++) {
    int k = tree->turn_of[b];
    if (k < 0 || tree->turn[k].free_from < 0) continue;
    turn[k].P = ss_add(turn[k].P, ss_scale(tree->body[b].mass/tree->turn[k].mass, w->V[b].v));
  }
}

// T of every tree against its centre of mass
static void find_energies(const ss_tree_work* w, ss_turn* turn)
{
  const ss_tree* tree = w->tree;
  find_centres(w, turn);
  for (int k = 0; k < tree->n_turn; k++) turn[k].T = 0;
  for (int b = 1; b < tree->n_body; b++) {
    int k = tree->turn_of[b];
    if (k < 0) continue;
    ss_vec3 v = ss_sub(w->V[b].v, turn[k].P), spin = w->V[b].w;
    turn[k].T += 0.5*(tree->body[b].mass*ss_dot3(v, v) + ss_dot3(spin, ss_sym3_mul(w->J + b, spin)));
  }
  for (int i = 0; i < tree->nv; i++)
    if (tree->turn_of[tree->body_of[i]] >= 0)
      turn[tree->turn_of[tree->body_of[i]]].T += 0.5*tree->armature[i]*w->u[i]*w->u[i];
}

// u . c, likewise against the centre of mass, and u . M u with what dampers add to M
static void find_rates(const ss_tree_work* w, ss_turn* turn)
{
  const ss_tree* tree = w->tree;
  find_energies(w, turn);
  for (int k = 0; k < tree->n_turn; k++) {
    turn[k].power = 0;
    turn[k].size = 2*turn[k].T;
  }
  for (int b = 1; b < tree->n_body; b++) {
    int k = tree->turn_of[b];
    if (k < 0) continue;
    const ss_spatial *V = w->V + b, *A = w->A + b;
    ss_vec3 a = ss_add(A->v, ss_cross(V->w, V->v));
    turn[k].power +=
      ss_dot3(V->w, ss_sym3_mul(w->J + b, A->w)) + tree->body[b].mass*ss_dot3(ss_sub(V->v, turn[k].P), a);
  }
  for (int i = 0; i < tree->nv; i++) {
    int k = tree->turn_of[tree->body_of[i]];
    if (k >= 0) turn[k].size += (w->rotor[i] - tree->armature[i])*w->u[i]*w->u[i];
  }
}

// The tree that velocity i belongs to, if it is fast; NULL else
static ss_turn* fast_tree(const ss_tree_work* w, int i)
{
  int k = w->tree->turn_of[w->tree->body_of[i]];
  return k >= 0 && w->turn[k].fast ? w->turn + k : NULL;
}

// What the velocity P of a tree's centre of mass is in velocity i: one of the translations of a tree that hangs on
// nothing, or zero
static double in_centre(const ss_tree* tree, int i, ss_vec3 P)
{
  int first = tree->turn[tree->turn_of[tree->body_of[i]]].free_from;
  if (first < 0 || i > first + 2) return 0;  // a free joint has the first velocities of its tree
  return i == first ? P.x : i == first + 1 ? P.y : P.z;
}

// ---- forces --------------------------------------------------------------------------------------------------------

// What forces w->f on the bodies do to the velocities
static void pass_to_root(ss_tree_work* w, double* x)
{
  for (int b = w->tree->n_body - 1; b > 0; b--) {
    const ss_tree_body* body = w->tree->body + b;
    for (int i = body->iv; i < body->iv + body->nv; i++) x[i] = ss_spatial_dot(w->S + i, w->f + b);
    ss_force_add_shifted(w->f + b, w->d[b], w->f + body->parent);
  }
}

static void find_weights(ss_tree_work* w, double* weight)
{
  const ss_tree* tree = w->tree;
  for (int b = 0; b < tree->n_body; b++) w->f[b] = (ss_spatial){.v = ss_scale(tree->body[b].mass, tree->gravity)};
  pass_to_root(w, weight);
}

// The other forces: seen from its centre of mass a tree that hangs on nothing has no weight
static void find_forces(const ss_tree_work* w, const double* weight, double* h)
{
  const ss_tree* tree = w->tree;
  for (int i = 0; i < tree->nv; i++) {
    const ss_turn* turn = fast_tree(w, i);
    h[i] = w->h[i] + (turn && tree->turn[turn - w->turn].free_from < 0 ? weight[i] : 0);
  }
}

// ---- u_1 -----------------------------------------------------------------------------------------------------------

// a += lambda u with lambda = u . c/u . M u, where u = w->u: what c does along u
static void leave_direction(ss_tree_work* w, double* a)
{
  find_rates(w, w->turn);
  for (int i = 0; i < w->tree->nv; i++) {
    const ss_turn* turn = fast_tree(w, i);
    if (turn && turn->size > 0) a[i] += turn->power/turn->size*(w->u[i] - in_centre(w->tree, i, turn->P));
  }
}

// a with w->u = u + dt a
static void accelerate_after(ss_tree_work* w, const double* u, double dt, bool whole, double* a)
{
  for (int i = 0; i < w->tree->nv; i++) w->u[i] = u[i] + (fast_tree(w, i) ? dt*a[i] : 0);
  ss_tree_set_velocity(w, w->u);
  ss_tree_accelerate_by(w, NULL, w->h, a);
  if (!whole) leave_direction(w, a);
}

// |u|_M as `kept` says, from the centre of mass
static void keep_sizes(ss_tree_work* w, double* u)
{
  ss_tree_set_velocity(w, u);
  find_rates(w, w->turn);
  for (int i = 0; i < w->tree->nv; i++) {
    const ss_turn* turn = fast_tree(w, i);
    if (!turn || !(turn->size > 0 && turn->kept > 0)) continue;
    double centre = in_centre(w->tree, i, turn->P);
    u[i] = centre + sqrt(turn->kept/turn->size)*(u[i] - centre);
  }
}

// The work of h in a part, into `kept`
static void add_work(ss_tree_work* w, const double* h, const double* u, double dt, const double* a)
{
  for (int i = 0; i < w->tree->nv; i++) {
    ss_turn* turn = fast_tree(w, i);
    if (turn) turn->kept += 2*dt*h[i]*(u[i] + dt/2*a[i] - in_centre(w->tree, i, turn->P));
  }
}

// u = u_1 from u_A in n parts; a: the acceleration at u_A, which is set
static void turn_all(ss_tree_work* w, double dt, int n, const double* h, double* u, double* a)
{
  bool whole = n == 1;
  if (!whole) leave_direction(w, a);
  for (int k = 0; k < w->tree->n_turn; k++) w->turn[k].kept = w->turn[k].size;
  for (int i = 0; i < n; i++) {
    if (i > 0) accelerate_after(w, u, 0, whole, a);
    accelerate_after(w, u, dt/n/2, whole, a);
    if (!whole) add_work(w, h, u, dt/n, a);
    for (int j = 0; j < w->tree->nv; j++) u[j] += dt/n*a[j];
    if (!whole) keep_sizes(w, u);
  }
}

// u of the fast trees without the velocity of their centre of mass; T and size of what is left
static void leave_centres(ss_tree_work* w, double* u)
{
  ss_tree_set_velocity(w, u);
  find_energies(w, w->turn);
  for (int i = 0; i < w->tree->nv; i++) {
    const ss_turn* turn = fast_tree(w, i);
    if (turn) u[i] -= in_centre(w->tree, i, turn->P);
  }
}

// ---- s -------------------------------------------------------------------------------------------------------------

// The start of the step, u_A
static void find_start(ss_tree_work* w, const ss_tree_time* time, const double* start)
{
  ss_tree_set_position(w->aside, time->q_start);
  ss_tree_set_velocity(w->aside, start);
  find_energies(w->aside, w->aside->turn);
  for (int k = 0; k < w->tree->n_turn; k++) {
    w->turn[k].P_start = w->aside->turn[k].P;
    w->turn[k].T_start = w->aside->turn[k].T;
  }
}

// F: by how much the energy of every tree is off with s u at q_E; dF: how that grows with s, nearly
static void try_sizes(ss_tree_work* w, const ss_tree_time* time, const double* h, const double* start, const double* u)
{
  const ss_tree* tree = w->tree;
  ss_tree_work* aside = w->aside;
  for (int i = 0; i < tree->nv; i++) aside->u[i] = fast_tree(w, i) ? fast_tree(w, i)->s*u[i] : 0;
  ss_tree_advance(tree, w->q, aside->u, time->rest, aside->q);
  ss_tree_set_position(aside, aside->q);
  ss_tree_set_velocity(aside, aside->u);
  find_energies(aside, aside->turn);
  for (int k = 0; k < tree->n_turn; k++) {
    ss_turn* turn = w->turn + k;
    turn->P = aside->turn[k].P;
    turn->T = aside->turn[k].T;
    turn->F = turn->T - turn->T_start;
    turn->terms = turn->T + turn->T_start;
    turn->dF = 3*turn->T - turn->T_here*turn->s*turn->s;  // 2 T, and what the way from q to q_E does to it
  }
  for (int i = 0; i < tree->nv; i++) {
    ss_turn* turn = fast_tree(w, i);
    if (!turn) continue;
    double begin = start[i] - in_centre(tree, i, turn->P_start), end = aside->u[i] - in_centre(tree, i, turn->P);
    double force =
      time->dt*h[i] - (w->rotor[i] - tree->armature[i])*(aside->u[i] - start[i]);  // dampers are implicit
    turn->F -= 0.5*(begin + end)*force;
    turn->terms += fabs(0.5*(begin + end)*force);
    turn->dF -= 0.5*end*force;
  }
}

// The next s of a tree: by Newton's method, then by the secant, within what is known to be too small and too large.
// `turn`: how far bodies turn; Newton's method leaves as much of the energy as the square of it and the change of s.
static void try_next(ss_turn* at, double turn)
{
  double s = at->s, F = at->F, next = s - (at->s_last == 0 ? F*s/at->dF : F*(s - at->s_last)/(F - at->F_last));
  at->done = fabs(F) <= CLOSE*at->terms;
  if (at->done) return;
  if (F < 0) at->low = s;
  else at->high = s;
  bool inside = next > at->low && next < at->high && next < 4*s;
  at->done = inside && at->s_last == 0 && turn < PART && fabs(next - s)*turn*turn <= CLOSE;
  at->s_last = s;
  at->F_last = F;
  at->s = inside ? next : at->high < INFINITY ? 0.5*(at->low + at->high) : 2*s;
}

// s of every tree
static void find_sizes(ss_tree_work* w, const ss_tree_time* time, double most, const double* h, const double* start,
                       const double* u)
{
  bool all = false;
  for (int k = 0; k < w->tree->n_turn; k++) {
    ss_turn* turn = w->turn + k;
    turn->s = 1;
    turn->s_last = turn->low = 0;
    turn->high = INFINITY;
    turn->done = !turn->fast;
    turn->T_here = turn->T;
  }
  for (int i = 0; i < MOST_TRIES && !all; i++) {
    all = true;
    try_sizes(w, time, h, start, u);
    for (int k = 0; k < w->tree->n_turn; k++) {
      if (!w->turn[k].done) try_next(w->turn + k, most);
      all = all && w->turn[k].done;
    }
  }
}

// ---- the step ------------------------------------------------------------------------------------------------------

// Trees that dampers slow down: those that are part of M take at least u . (M with them - M) u in a step
static void leave_damped(ss_tree_work* w)
{
  const ss_tree* tree = w->tree;
  bool any = false;
  for (int k = 0; k < tree->n_turn; k++) w->turn[k].size = 0;
  for (int i = 0; i < tree->nv; i++) {
    double damped = w->rotor[i] - tree->armature[i];
    if (!(damped > 0)) continue;
    w->turn[tree->turn_of[tree->body_of[i]]].size += damped*w->u[i]*w->u[i];
    any = true;
  }
  if (!any) return;
  find_energies(w, w->turn);
  for (int k = 0; k < tree->n_turn; k++) {
    ss_turn* turn = w->turn + k;
    if (turn->angle*turn->angle*turn->T <= LITTLE*turn->size) turn->angle = 0;
  }
}

// Which trees are fast; how far the fastest one turns
static double find_fast(ss_tree_work* w, double dt)
{
  const ss_tree* tree = w->tree;
  double most = 0;
  for (int k = 0; k < tree->n_turn; k++) w->turn[k].angle = 0;
  for (int b = 1; b < tree->n_body; b++) {
    int k = tree->turn_of[b];
    if (k < 0 || !tree->turn[k].turns) continue;
    w->turn[k].angle = fmax(w->turn[k].angle, dt*ss_norm(w->V[b].w));
  }
  leave_damped(w);
  for (int k = 0; k < tree->n_turn; k++) {
    w->turn[k].fast = w->turn[k].angle > SLOW && w->turn[k].angle < INFINITY;
    if (w->turn[k].fast) most = fmax(most, w->turn[k].angle);
  }
  return most;
}

// du of the fast trees from u_E = s u; those that hang on nothing have the velocity of their centre of mass besides
static void hand_over(const ss_tree_work* w, double dt, const double* h, const double* start, const double* u,
                      double* du)
{
  const ss_tree* tree = w->tree;
  for (int i = 0; i < tree->nv; i++) {
    const ss_turn* turn = fast_tree(w, i);
    if (!turn) continue;
    const ss_turn_tree* of = tree->turn + (turn - w->turn);
    double end = turn->s*u[i];
    if (of->free_from >= 0 && i < of->free_from + 3) {
      ss_vec3 a = ss_add(tree->gravity, ss_scale(1/of->mass, ss_vec3_from(h + of->free_from)));
      end += in_centre(tree, i, ss_sub(ss_add(turn->P_start, ss_scale(dt, a)), turn->P));
    }
    du[i] = (end - start[i])/dt;
  }
}

// ---- implicit steps ------------------------------------------------------------------------------------------------

// F = e: the implicit midpoint rule, M (u_E - u_A) = dt (h - c(q, m)) + ... with m = (u_A + u_E)/2 at q halfway, keeps
// T where M is constant. Else T is off by
//   e = T(q_E, u_E) - T(q_A, u_A) - m . M (u_E - u_A) - dt m . c(q, m),   of the order dt^3,
// whatever the forces and impulses are. m = w->u, change = u_E - u_A.
static void find_errors(ss_tree_work* w, const ss_tree_time* time, const double* end, const double* change)
{
  const ss_tree* tree = w->tree;
  ss_tree_work* aside = w->aside;
  find_start(w, time, time->start);
  ss_tree_advance(tree, w->q, w->u, time->rest, aside->q);
  ss_tree_set_position(aside, aside->q);
  ss_tree_set_velocity(aside, end);
  find_energies(aside, aside->turn);
  find_rates(w, w->turn);
  for (int k = 0; k < tree->n_turn; k++)
    w->turn[k].F = aside->turn[k].T - w->turn[k].T_start - time->dt*w->turn[k].power;
  ss_tree_move(w, change);
  for (int b = 1; b < tree->n_body; b++) {
    if (tree->turn_of[b] < 0) continue;
    ss_turn* turn = w->turn + tree->turn_of[b];
    const ss_spatial *V = w->V + b, *D = w->T + b;
    turn->F -= ss_dot3(V->w, ss_sym3_mul(w->J + b, D->w)) + tree->body[b].mass*ss_dot3(ss_sub(V->v, turn->P), D->v);
  }
  for (int i = 0; i < tree->nv; i++)
    if (fast_tree(w, i)) fast_tree(w, i)->F -= tree->armature[i]*w->u[i]*change[i];
}

// du of an implicit step of the fast trees, with the forces -e M m/(m . M m) on top: T follows the work of all else
static void turn_implicitly(ss_tree_work* w, const ss_tree_time* time, double* du)
{
  int nv = w->tree->nv;
  double *end = w->room, *change = end + nv;
  for (int i = 0; i < nv; i++) {
    change[i] = (w->u[i] - time->start[i])/time->theta;
    end[i] = time->start[i] + change[i];
  }
  find_errors(w, time, end, change);
  for (int i = 0; i < nv; i++) {
    const ss_turn* turn = fast_tree(w, i);
    if (turn && turn->size > 0)
      du[i] -= turn->F/(turn->size*time->dt)*(w->u[i] - in_centre(w->tree, i, turn->P));
  }
}

// theta = 1/2 keeps energy; steps with more of it are meant to damp
static bool can_turn(const ss_tree_work* w, const ss_tree_time* time)
{
  return time && time->q_start && time->dt > 0 && (time->theta == 0 || time->theta == 0.5) && w->tree->can_turn;
}

bool ss_tree_turn(ss_tree_work* w, const ss_tree_time* time, double* du)
{
  int nv = w->tree->nv;
  double most = can_turn(w, time) ? find_fast(w, time->dt) : 0;
  if (most == 0) return false;
  if (time->theta > 0) {
    turn_implicitly(w, time, du);
    return false;
  }
  double *h = w->room, *a = h + nv, *u = a + nv, *start = u + nv;
  memcpy(start, w->u, sizeof(double)*(size_t)nv);
  memcpy(u, w->u, sizeof(double)*(size_t)nv);
  memcpy(a, du, sizeof(double)*(size_t)nv);
  find_start(w, time, start);
  find_weights(w, h);
  find_forces(w, h, h);
  turn_all(w, time->dt, (int)fmin(ceil(most/PART), MOST_PARTS), h, u, a);
  leave_centres(w, u);
  find_sizes(w, time, most, h, start, u);
  hand_over(w, time->dt, h, start, u, du);
  return true;
}

// The sum of all joints between a body and the world bounds how fast it turns, wherever they are
bool ss_tree_turns_far(const ss_tree* tree, const double* u, double dt, double* bound)
{
  bound[0] = 0;
  for (int b = 1; b < tree->n_body && tree->can_turn; b++) {
    const ss_tree_body* body = tree->body + b;
    bound[b] = bound[body->parent];
    for (int j = body->joint; j < body->joint + body->n_joint; j++) {
      const ss_tree_joint* joint = tree->joint + j;
      if (joint->kind == SS_JOINT_HINGE) bound[b] += dt*fabs(u[joint->iv]);
      if (joint->kind == SS_JOINT_BALL) bound[b] += dt*ss_norm(ss_vec3_from(u + joint->iv));
    }
    if (tree->turn_of[b] >= 0 && tree->turn[tree->turn_of[b]].turns && bound[b] > PART) return true;
  }
  return false;
}

// x = M v with what dampers add to M
static void times_mass(ss_tree_work* w, const double* v, double* x)
{
  const ss_tree* tree = w->tree;
  ss_tree_move(w, v);
  for (int b = 0; b < tree->n_body; b++)
    w->f[b] = (ss_spatial){.w = ss_sym3_mul(w->J + b, w->T[b].w), .v = ss_scale(tree->body[b].mass, w->T[b].v)};
  pass_to_root(w, x);
  for (int i = 0; i < tree->nv; i++) x[i] += w->rotor[i]*v[i];
}

void ss_tree_add_turning(ss_tree_work* w, const ss_tree_time* time, const double* tau, double* h)
{
  int nv = w->tree->nv;
  if (!w->tree->can_turn) return;
  double *now = w->room + 4*nv, *mean = now + nv;
  ss_tree_apply(w, tau);
  ss_tree_solve(w, h, now);
  memcpy(mean, now, sizeof(double)*(size_t)nv);
  ss_tree_turn(w, time, mean);
  for (int i = 0; i < nv; i++) mean[i] -= now[i];
  times_mass(w, mean, now);
  for (int i = 0; i < nv; i++) h[i] += now[i];
}

// ---- steps in two stages -------------------------------------------------------------------------------------------

// With D_A, D_E the changes of velocity by all forces in both halves, c among them, and v = u - what the centre of mass
// has of it, u that of the middle,
//   u_A = u - D_A + alpha v,   u_E = u + D_E - alpha v,   T(q_E, u_E) - T(q_A, u_A) = v . M D + dt/2 v . c, both ends:
// T follows the work of what is not c. alpha is of the order dt^3 and changes its sign with dt: seen backwards the step
// is the same. T is quadratic, so that its terms are sums over the bodies. T of a tree that hangs on nothing is that
// against its centre of mass, whose velocity P changes by the forces from outside alone,
//   P(q_E, u_E) - P(q_A, u_A) = what these give it, both ends,
// by a velocity beta that is taken from all of the tree in both halves.

// T: of v; power: v . c; mixed: v . M D; change: of D; centre: P' of c
static void measure_half(ss_tree_work* w, const double* D)
{
  const ss_tree* tree = w->tree;
  find_rates(w, w->turn);
  ss_tree_move(w, D);
  for (int k = 0; k < tree->n_turn; k++) {
    w->turn[k].mixed = w->turn[k].change = 0;
    w->turn[k].Q = w->turn[k].centre = (ss_vec3){0, 0, 0};
  }
  for (int b = 1; b < tree->n_body; b++) {
    int k = tree->turn_of[b];
    if (k < 0 || tree->turn[k].free_from < 0) continue;
    double part = tree->body[b].mass/tree->turn[k].mass;
    const ss_spatial *V = w->V + b, *A = w->A + b;
    w->turn[k].Q = ss_add(w->turn[k].Q, ss_scale(part, w->T[b].v));
    w->turn[k].centre = ss_add(w->turn[k].centre, ss_scale(part, ss_add(A->v, ss_cross(V->w, V->v))));
  }
  for (int b = 1; b < tree->n_body; b++) {
    int k = tree->turn_of[b];
    if (k < 0) continue;
    ss_turn* turn = w->turn + k;
    ss_vec3 v = ss_sub(w->V[b].v, turn->P), d = ss_sub(w->T[b].v, turn->Q), L = ss_sym3_mul(w->J + b, w->T[b].w);
    turn->mixed += tree->body[b].mass*ss_dot3(v, d) + ss_dot3(w->V[b].w, L);
    turn->change += 0.5*(tree->body[b].mass*ss_dot3(d, d) + ss_dot3(w->T[b].w, L));
  }
  for (int i = 0; i < tree->nv; i++) {
    int k = tree->turn_of[tree->body_of[i]];
    if (k < 0) continue;
    w->turn[k].mixed += tree->armature[i]*w->u[i]*D[i];
    w->turn[k].change += 0.5*tree->armature[i]*D[i]*D[i];
  }
}

// F(alpha) = 0, a parabola, from 0 on
static double find_alpha(const ss_turn* a, const ss_turn* e, double dt)
{
  double alpha = 0, work = a->mixed + e->mixed + dt/2*(a->power + e->power);
  for (int i = 0; i < 5; i++) {
    double s = 1 + alpha, r = 1 - alpha;
    double F = (e->T*r*r - a->T*s*s) + r*e->mixed + s*a->mixed + (e->change - a->change) - work;
    double dF = 2*(e->T*r + a->T*s) + e->mixed - a->mixed;
    if (!(dF > 0)) return NAN;
    alpha += F/dF;
  }
  return alpha;
}

bool ss_tree_balance(ss_tree_work* a, ss_tree_work* e, double dt, const double* D_a, const double* D_e, double* alpha)
{
  bool found = true;
  measure_half(a, D_a);
  measure_half(e, D_e);
  for (int k = 0; k < a->tree->n_turn; k++) {
    const ss_turn *from = a->turn + k, *to = e->turn + k;
    bool turns = a->tree->turn[k].turns && from->T > 0;
    ss_vec3 centre = ss_scale(dt/2, ss_add(from->centre, to->centre));
    alpha[4*k] = turns ? find_alpha(from, to, dt) : 0;
    ss_vec3_to(ss_scale(turns ? 0.5 : 0, ss_sub(ss_sub(to->P, from->P), centre)), alpha + 4*k + 1);
    found = found && fabs(alpha[4*k]) < MOST_ALPHA;
  }
  return found;
}

void ss_tree_lean(ss_tree_work* w, const double* alpha, double* x)
{
  const ss_tree* tree = w->tree;
  find_centres(w, w->turn);
  for (int i = 0; i < tree->nv; i++) {
    int k = tree->turn_of[tree->body_of[i]];
    if (k < 0 || alpha[4*k] == 0) continue;
    x[i] -= alpha[4*k]*(w->u[i] - in_centre(tree, i, w->turn[k].P)) + in_centre(tree, i, ss_vec3_from(alpha + 4*k + 1));
  }
}

bool ss_tree_turns(ss_tree_work* w, double dt, const double* damper)
{
  const ss_tree* tree = w->tree;
  bool any = false;
  if (!tree->can_turn) return false;
  for (int k = 0; k < tree->n_turn; k++) w->turn[k].angle = w->turn[k].size = 0;
  for (int b = 1; b < tree->n_body; b++) {
    int k = tree->turn_of[b];
    if (k >= 0 && tree->turn[k].turns) w->turn[k].angle = fmax(w->turn[k].angle, dt*ss_norm(w->V[b].w));
  }
  for (int i = 0; i < tree->nv; i++)
    if (tree->turn_of[tree->body_of[i]] >= 0)
      w->turn[tree->turn_of[tree->body_of[i]]].size += dt*damper[i]*w->u[i]*w->u[i];
  find_energies(w, w->turn);
  for (int k = 0; k < tree->n_turn; k++) {
    const ss_turn* turn = w->turn + k;
    any = any || (turn->angle > SLOW && turn->angle*turn->angle*turn->T > LITTLE*turn->size);
  }
  return any;
}

// ---- which trees ---------------------------------------------------------------------------------------------------

// A tree that hangs on nothing: a free joint on the world without dampers and armature. -1 or the first velocity.
static int free_from(const ss_tree* tree, const ss_tree_body* body)
{
  bool is_free = body->nv == 6 && tree->def.joint[tree->joint[body->joint].source].kind == SS_JOINT_FREE;
  for (int i = body->iv; is_free && i < body->iv + 3; i++) is_free = !(tree->armature[i] > 0 || tree->damping[i] > 0);
  return is_free ? body->iv : -1;
}

// M can depend on q, or c be there, if joints turn and there is more than one velocity (of one, M is constant: hinges
// and slides on the world)
static void add_body(const ss_tree_body* body, const ss_tree_joint* joint, ss_turn_tree* to)
{
  to->mass += body->mass;
  to->velocities += body->nv;
  for (int j = 0; j < body->n_joint; j++) to->turns = to->turns || joint[j].kind != SS_JOINT_SLIDE;
}

void ss_tree_find_turning(ss_tree* tree)
{
  tree->turn_of[0] = -1;
  for (int b = 1; b < tree->n_body; b++) {
    const ss_tree_body* body = tree->body + b;
    int k = tree->turn_of[body->parent];
    if (k < 0 && body->nv && !body->alone) {
      k = tree->n_turn++;
      tree->turn[k] = (ss_turn_tree){.free_from = free_from(tree, body)};
    }
    tree->turn_of[b] = k;
    if (k >= 0) add_body(body, tree->joint + body->joint, tree->turn + k);
  }
  for (int k = 0; k < tree->n_turn; k++) tree->turn[k].turns = tree->turn[k].turns && tree->turn[k].velocities > 1;
  for (int k = 0; k < tree->n_turn; k++) tree->can_turn = tree->can_turn || tree->turn[k].turns;
}
