// Loops: what ties bodies or joints beside the tree. For a connect, with directions d fixed to body a,
//   c_k = d_k . (p_b - p_a),   c_k' = d_k . (v_b - v_a at the place of p_b):
// the point of body a that is at p_b moves with the directions, so that this is exact also where c is not zero. A weld
// has the rotation vector phi of the turn from where body b should be to where it is. Seen from body a it changes by
//   phi' = J^-1 w,  J^-1 = 1 - [phi]/2 + k [phi]^2,  k = (1 - (|phi|/2) cot(|phi|/2))/|phi|^2,  w = w_b - w_a
// (the inverse of the left Jacobian of the exponential map), so that c_k' = (J^-T d_k) . w. A hinge keeps two
// directions across its axis, a in body a and b in body b: c_k = d_k . (a x b), c_k' = (b x (d_k x a)) . w. Joints are
// tied by a polynomial: c = y - y0 - P(x - x0), c' = y' - P' x'. All rates are exact wherever the loop is.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "machine/machine.h"

// ---- making --------------------------------------------------------------------------------------------------------

static void tie_joints(const ss_machine* m, const ss_scene_equality* from, ss_loop* loop)
{
  const int joint[2] = {from->joint_a, from->joint_b};
  memcpy(loop->polycoef, from->polycoef, sizeof loop->polycoef);
  for (int k = 0; k < 2; k++) {
    loop->iq[k] = loop->iv[k] = -1;
    if (joint[k] < 0) continue;
    ss_tree_joint_at(m->tree, joint[k], loop->iq + k, loop->iv + k);
    loop->start[k] = ss_tree_get(m->tree)->joint[joint[k]].ref;
  }
}

// Two directions across the third
static void square(ss_vec3 a[3])
{
  ss_vec3 e = fabs(a[2].x) < 0.6 ? (ss_vec3){1, 0, 0} : (ss_vec3){0, 1, 0}, t = ss_cross(a[2], e);
  a[0] = ss_scale(1/ss_norm(t), t);
  a[1] = ss_cross(a[2], a[0]);
}

static void tie_bodies(ss_machine* m, const ss_scene_equality* from, ss_loop* loop)
{
  const ss_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  loop->body_a = from->body_a;
  loop->body_b = from->body_b;
  loop->point_a = ss_vec3_from(from->point_a);
  loop->point_b = ss_vec3_from(from->point_b);
  loop->rotation = ss_quat_normalized(ss_quat_from(from->rotation));
  memcpy(loop->move, axes, sizeof axes);
  memcpy(loop->turn, axes, sizeof axes);
  loop->moves = 3;
  loop->turns = from->kind == SS_SCENE_WELD && from->torquescale != 0 ? 3 : 0;
  ss_vec3 across[3] = {[2] = ss_vec3_from(from->axis)};
  if (from->kind == SS_SCENE_HINGE || from->kind == SS_SCENE_SLIDE) square(across);
  if (from->kind == SS_SCENE_HINGE) {
    loop->turns = 2;
    memcpy(loop->turn, across, sizeof across);
  }
  if (from->kind == SS_SCENE_SLIDE) {
    loop->moves = 2;
    loop->turns = 3;
    memcpy(loop->move, across, sizeof across);
  }
  if (loop->body_a != SS_WORLD) m->posed[loop->body_a] = true;
  if (loop->body_b != SS_WORLD) m->posed[loop->body_b] = true;
}

ss_status ss_machine_make_loops(ss_machine* m, const ss_scene* scene, ss_error* error)
{
  m->loop = SS_MACHINE_ARRAY(scene->n_equality, ss_loop);
  if (!m->loop) return ss_machine_no_memory(error);
  for (int e = 0; e < scene->n_equality; e++) {
    const ss_scene_equality* from = scene->equality + e;
    if (!from->active) continue;
    ss_loop* loop = m->loop + m->n_loop++;
    *loop = (ss_loop){.kind = from->kind, .row = m->n_bilateral};
    if (from->kind == SS_SCENE_JOINT)
      tie_joints(m, from, loop);
    else
      tie_bodies(m, from, loop);
    m->n_bilateral += from->kind == SS_SCENE_JOINT ? 1 : loop->moves + loop->turns;
  }
  return SS_OK;
}

// ---- at a position -------------------------------------------------------------------------------------------------

static bool place_coupling(ss_machine_work* w, const ss_loop* loop)
{
  double y = w->q[loop->iq[0]] - loop->start[0], x = loop->iq[1] < 0 ? 0 : w->q[loop->iq[1]] - loop->start[1];
  double P = 0, dP = 0, size = fabs(w->q[loop->iq[0]]) + fabs(loop->start[0]), power = 1;
  for (int i = 4; i >= 0; i--) {
    dP = dP*x + P;
    P = P*x + loop->polycoef[i];
  }
  for (int i = 0; i < 5; i++, power *= x) size += fabs(loop->polycoef[i]*power);
  w->error[loop->row] = y - P;
  w->size[loop->row] = size;
  ss_tree_node* node = ss_machine_add_node(w, 1);
  if (!node) return false;
  node->terms = loop->iv[1] < 0 ? 1 : 2;
  node->velocity[0] = loop->iv[0];
  node->coefficient[0] = 1;
  node->velocity[1] = loop->iv[1];
  node->coefficient[1] = -dP;
  return true;
}

static ss_tree_node* add_tie(ss_machine_work* w, const ss_loop* loop, int rows, ss_vec3 at)
{
  ss_tree_node* node = ss_machine_add_node(w, rows);
  if (!node) return NULL;
  node->body_a = loop->body_a;
  node->body_b = loop->body_b;
  ss_vec3_to(at, node->point_a);
  ss_vec3_to(at, node->point_b);
  return node;
}

static bool place_points(ss_machine_work* w, const ss_loop* loop, ss_quat turn_a)
{
  ss_vec3 a = ss_machine_point(w, loop->body_a, loop->point_a), b = ss_machine_point(w, loop->body_b, loop->point_b);
  ss_vec3 c = ss_sub(b, a);
  double size = ss_norm(a) + ss_norm(b) + w->machine->length;
  ss_tree_node* node = loop->moves ? add_tie(w, loop, loop->moves, b) : NULL;
  if (loop->moves && !node) return false;
  for (int k = 0; k < loop->moves; k++) {
    ss_vec3 d = ss_quat_rotate(turn_a, loop->move[k]);
    ss_vec3_to(d, node->frame + 3*k);
    w->error[loop->row + k] = ss_dot3(d, c);
    w->size[loop->row + k] = size;
  }
  return true;
}

// J^-T d for the rotation vector phi
static ss_vec3 turn_row(ss_vec3 phi, ss_vec3 d)
{
  double a2 = ss_dot3(phi, phi), half = 0.5*sqrt(a2);
  double k = a2 < 1e-4 ? 1.0/12 + a2*(1.0/720 + a2/30240) : (1 - half/tan(half))/a2;
  ss_vec3 c = ss_cross(phi, d);
  return ss_add(d, ss_add(ss_scale(0.5, c), ss_scale(k, ss_cross(phi, c))));
}

// One row of rotation: its error, and its direction in the world
static double turn_error(const ss_loop* loop, int k, ss_quat turn_a, ss_quat turn_b, ss_vec3* direction)
{
  ss_vec3 d = ss_quat_rotate(turn_a, loop->turn[k]);
  ss_quat held = ss_quat_mul(turn_a, loop->rotation);
  if (loop->turns == 3) {
    ss_vec3 phi = ss_quat_log(ss_quat_normalized(ss_quat_mul(turn_b, ss_quat_conjugate(held))));
    *direction = turn_row(phi, d);
    return ss_dot3(d, phi);
  }
  ss_vec3 in_b = ss_quat_rotate(ss_quat_conjugate(loop->rotation), loop->turn[2]);
  ss_vec3 a = ss_quat_rotate(turn_a, loop->turn[2]), b = ss_quat_rotate(turn_b, in_b);
  *direction = ss_cross(b, ss_cross(d, a));
  return ss_dot3(d, ss_cross(a, b));
}

static bool place_turns(ss_machine_work* w, const ss_loop* loop, ss_quat turn_a)
{
  if (!loop->turns) return true;
  ss_quat turn_b = ss_machine_turn(w, loop->body_b);
  ss_tree_node* node = add_tie(w, loop, loop->turns, (ss_vec3){0, 0, 0});
  if (!node) return false;
  node->rotation = true;
  for (int k = 0; k < loop->turns; k++) {
    ss_vec3 direction;
    w->error[loop->row + loop->moves + k] = turn_error(loop, k, turn_a, turn_b, &direction);
    w->size[loop->row + loop->moves + k] = 4;  // of two unit quaternions, up to pi
    ss_vec3_to(direction, node->frame + 3*k);
  }
  return true;
}

bool ss_machine_place_loops(ss_machine_work* w)
{
  if (w->has_loop) return true;
  w->n_node = w->n_row = 0;
  for (int i = 0; i < w->machine->n_loop; i++) {
    const ss_loop* loop = w->machine->loop + i;
    ss_quat turn_a = ss_machine_turn(w, loop->body_a);
    bool done = loop->kind == SS_SCENE_JOINT
                  ? place_coupling(w, loop)
                  : place_points(w, loop, turn_a) && place_turns(w, loop, turn_a);
    if (!done) return false;
  }
  w->n_loop_node = w->n_node;
  w->has_loop = true;
  return true;
}

// ---- forces ----

static ss_quat turn_of(const ss_tree_work* tree, int body)
{
  double rotation[4];
  ss_tree_pose(tree, body, NULL, rotation, NULL);
  return ss_quat_from(rotation);
}

// The rows that move act at p_b of both bodies, as in place_points()
void ss_machine_loop_forces(const ss_machine* m, const ss_tree_work* tree, const double* Lambda, ss_loop_force* at,
                            void* user)
{
  for (int i = 0; i < m->n_loop; i++) {
    const ss_loop* loop = m->loop + i;
    if (loop->kind == SS_SCENE_JOINT) continue;
    ss_quat turn_a = turn_of(tree, loop->body_a), turn_b = turn_of(tree, loop->body_b);
    ss_vec3 force = {0, 0, 0}, moment = {0, 0, 0}, e;
    double origin[3];
    for (int k = 0; k < loop->moves; k++)
      force = ss_add(force, ss_scale(Lambda[loop->row + k], ss_quat_rotate(turn_a, loop->move[k])));
    for (int k = 0; k < loop->turns; k++) {
      turn_error(loop, k, turn_a, turn_b, &e);
      moment = ss_add(moment, ss_scale(Lambda[loop->row + loop->moves + k], e));
    }
    ss_tree_pose(tree, loop->body_b, origin, NULL, NULL);
    ss_vec3 point = ss_add(ss_vec3_from(origin), ss_quat_rotate(turn_b, loop->point_b));
    at(user, loop->body_b, point, force, moment);
    at(user, loop->body_a, point, ss_scale(-1, force), ss_scale(-1, moment));
  }
}

// ---- accelerations -------------------------------------------------------------------------------------------------

// k of J^-1 and its derivative, for a2 = |phi|^2
static double turn_factor(double a2, double* slope)
{
  double a = sqrt(a2), cot = 1/tan(0.5*a), sine = sin(0.5*a);
  if (a2 < 1e-2) {
    *slope = 1.0/720 + a2*(1.0/15120 + a2/403200);
    return 1.0/12 + a2*(1.0/720 + a2*(1.0/30240 + a2/1209600));
  }
  *slope = (-2/(a*a2) + cot/(2*a2) + 1/(4*a*sine*sine))/(2*a);
  return (1 - 0.5*a*cot)/a2;
}

// Rate of the direction e = J^-T d of a row of rotation, seen from body a, for phi' = J^-1 w
static ss_vec3 turn_row_rate(ss_vec3 phi, ss_vec3 d, ss_vec3 w)
{
  double slope, k = turn_factor(ss_dot3(phi, phi), &slope);
  ss_vec3 c = ss_cross(phi, w), x = ss_cross(phi, d);
  ss_vec3 rate = ss_add(w, ss_add(ss_scale(-0.5, c), ss_scale(k, ss_cross(phi, c))));
  double k_rate = 2*ss_dot3(phi, rate)*slope;
  ss_vec3 sum = ss_add(ss_cross(rate, x), ss_cross(phi, ss_cross(rate, d)));
  return ss_add(ss_scale(0.5, ss_cross(rate, d)), ss_add(ss_scale(k, sum), ss_scale(k_rate, ss_cross(phi, x))));
}

// e' . w of a row of rotation, w = w_b - w_a
static double turn_bias(const ss_machine_work* m, const ss_loop* loop, int k, ss_vec3 w_a, ss_vec3 w_b)
{
  ss_quat turn_a = ss_machine_turn(m, loop->body_a), turn_b = ss_machine_turn(m, loop->body_b);
  ss_vec3 d = ss_quat_rotate(turn_a, loop->turn[k]), w = ss_sub(w_b, w_a), e;
  turn_error(loop, k, turn_a, turn_b, &e);
  if (loop->turns == 3) {
    ss_quat held = ss_quat_mul(turn_a, loop->rotation);
    ss_vec3 phi = ss_quat_log(ss_quat_normalized(ss_quat_mul(turn_b, ss_quat_conjugate(held))));
    return ss_dot3(ss_add(ss_cross(w_a, e), turn_row_rate(phi, d, w)), w);
  }
  ss_vec3 in_b = ss_quat_rotate(ss_quat_conjugate(loop->rotation), loop->turn[2]), b = ss_quat_rotate(turn_b, in_b);
  ss_vec3 f = ss_cross(d, ss_quat_rotate(turn_a, loop->turn[2]));
  return ss_dot3(ss_add(ss_cross(ss_cross(w_b, b), f), ss_cross(b, ss_cross(w_a, f))), w);
}

// Directions turn with body a, and the place is that of p_b: for the rows that move
//   gamma' = d . (a_b - a_a) - 2 d . (w_a x (v_b - v_a))
static void add_tie_bias(const ss_machine_work* w, const ss_loop* loop, double* w_bar)
{
  double wa[3], va[3], wb[3], vb[3], at[3];
  ss_vec3_to(ss_machine_point(w, loop->body_b, loop->point_b), at);
  ss_tree_point_velocity(w->tree, loop->body_a, at, wa, va);
  ss_tree_point_velocity(w->tree, loop->body_b, at, wb, vb);
  ss_vec3 w_a = ss_vec3_from(wa), w_b = ss_vec3_from(wb), v = ss_sub(ss_vec3_from(vb), ss_vec3_from(va));
  ss_quat turn_a = ss_machine_turn(w, loop->body_a);
  for (int k = 0; k < loop->moves; k++)
    w_bar[k] -= 2*ss_dot3(ss_quat_rotate(turn_a, loop->move[k]), ss_cross(w_a, v));
  for (int k = 0; k < loop->turns; k++) w_bar[loop->moves + k] += turn_bias(w, loop, k, w_a, w_b);
}

void ss_machine_add_loop_bias(const ss_machine_work* w, double* w_bar)
{
  for (int i = 0; i < w->machine->n_loop; i++) {
    const ss_loop* loop = w->machine->loop + i;
    if (loop->kind != SS_SCENE_JOINT) {
      add_tie_bias(w, loop, w_bar + loop->row);
      continue;
    }
    if (loop->iq[1] < 0) continue;
    double x = w->q[loop->iq[1]] - loop->start[1], rate = w->u[loop->iv[1]], bend = 0;
    for (int n = 4; n >= 2; n--) bend = bend*x + n*(n - 1)*loop->polycoef[n];
    w_bar[loop->row] -= bend*rate*rate;
  }
}
