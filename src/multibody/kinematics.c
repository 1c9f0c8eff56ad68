// Poses, velocities and accelerations of the bodies, from the root to the tips.
#include <string.h>
#include "math/sincos.h"
#include "multibody/alone.h"
#include "multibody/node.h"
#include "multibody/tree.h"

// Where a body is. That of the parent stays in registers if it is the body before.
typedef struct frame {
  ss_quat q;
  ss_mat3 R;
  ss_vec3 com;
} frame;

SS_INLINE frame frame_of(const ss_tree_work* w, int b) { return (frame){w->rotation[b], w->R[b], w->com[b]}; }

// One hinge: the turn is a combination of two constant quaternions, so that no other product is needed. The product
// is normalised where it becomes a matrix, not on its way from body to body, where the next one would wait for it.
SS_INLINE frame place_hinge(const frame* parent, const ss_tree_body* body, double c, double s, int b, ss_tree_work* w)
{
  const ss_tree_hinge* hinge = &body->hinge;
  ss_quat turn = {c*hinge->cosine.w + s*hinge->sine.w, c*hinge->cosine.x + s*hinge->sine.x,
                  c*hinge->cosine.y + s*hinge->sine.y, c*hinge->cosine.z + s*hinge->sine.z};
  frame at = {.q = ss_quat_mul(parent->q, turn)};
  at.R = ss_quat_matrix(ss_quat_renormalized(at.q));
  ss_vec3 r = ss_mul(&at.R, hinge->from_anchor), a = ss_mul(&at.R, hinge->axis);
  ss_vec3 d = ss_add(ss_mul(&parent->R, hinge->to_anchor), r);
  at.com = ss_add(parent->com, d);
  w->rotation[b] = at.q;
  w->R[b] = at.R;
  w->d[b] = d;
  w->com[b] = at.com;
  w->J[b] = ss_sym3_rotated(&at.R, body->principal);
  w->S[body->iv] = (ss_spatial){.w = a, .v = ss_cross(a, r)};
  return at;
}

// Joint by joint. Until the centre of mass is known, S.v holds the anchor of rotations.
static void move_joint(const ss_tree_joint* joint, const double* q, ss_vec3* x, ss_quat* rotation, ss_spatial* S)
{
  if (joint->kind == SS_JOINT_SLIDE) {
    ss_vec3 a = ss_quat_rotate(*rotation, joint->axis);
    *x = ss_add(*x, ss_scale(q[joint->iq] - joint->ref, a));
    S[joint->iv] = (ss_spatial){.v = a};
    return;
  }
  ss_vec3 p = ss_add(*x, ss_quat_rotate(*rotation, joint->anchor));
  if (joint->kind == SS_JOINT_HINGE) {
    double half = 0.5*(q[joint->iq] - joint->ref), s = sin(half);
    S[joint->iv] = (ss_spatial){.w = ss_quat_rotate(*rotation, joint->axis), .v = p};
    ss_quat turn = {cos(half), s*joint->axis.x, s*joint->axis.y, s*joint->axis.z};
    *rotation = ss_quat_renormalized(ss_quat_mul(*rotation, turn));
  } else {
    *rotation = ss_quat_renormalized(ss_quat_mul(*rotation, ss_quat_normalized(ss_quat_from(q + joint->iq))));
    ss_mat3 R = ss_quat_matrix(*rotation);
    S[joint->iv] = (ss_spatial){.w = R.x, .v = p};
    S[joint->iv + 1] = (ss_spatial){.w = R.y, .v = p};
    S[joint->iv + 2] = (ss_spatial){.w = R.z, .v = p};
  }
  *x = ss_sub(p, ss_quat_rotate(*rotation, joint->anchor));
}

static void place_body(const ss_tree_body* body, const double* q, int b, ss_tree_work* w)
{
  const ss_tree* tree = w->tree;
  ss_vec3 x = ss_add(w->com[body->parent], ss_mul(&w->R[body->parent], body->position));
  ss_quat rotation = ss_quat_renormalized(ss_quat_mul(w->rotation[body->parent], body->rotation));
  for (int j = 0; j < body->n_joint; j++) move_joint(tree->joint + body->joint + j, q, &x, &rotation, w->S);
  ss_vec3 com = ss_add(x, ss_quat_rotate(rotation, body->com));
  w->com[b] = com;
  w->d[b] = ss_sub(com, w->com[body->parent]);
  w->rotation[b] = ss_quat_renormalized(ss_quat_mul(rotation, body->axes));
  w->R[b] = ss_quat_matrix(w->rotation[b]);
  w->J[b] = ss_sym3_rotated(&w->R[b], body->principal);
  for (int j = 0; j < body->n_joint; j++) {
    const ss_tree_joint* joint = tree->joint + body->joint + j;
    if (joint->kind == SS_JOINT_SLIDE) continue;
    for (int i = joint->iv; i < joint->iv + joint->nv; i++)
      w->S[i].v = ss_cross(w->S[i].w, ss_sub(com, w->S[i].v));  // velocity of the centre of mass
  }
}

SS_CLONES static void place_all(ss_tree_work* w, const double* q)
{
  const ss_tree* tree = w->tree;
  frame at = frame_of(w, 0);
  for (int b = 1, k = 0; b < tree->n_body; b++) {
    const ss_tree_body* body = tree->body + b;
    if (body->alone) {
      ss_alone_place(w, b, q + tree->joint[body->joint].iq);
    } else if (body->is_hinge) {
      if (body->parent != b - 1) at = frame_of(w, body->parent);
      at = place_hinge(&at, body, w->cosine[k], w->sine[k], b, w);
      k++;
    } else {
      place_body(body, q, b, w);
      at = frame_of(w, b);
    }
  }
}

void ss_tree_set_position(ss_tree_work* work, const double* q)
{
  const ss_tree* tree = work->tree;
  if (q != work->q) memcpy(work->q, q, sizeof(double)*(size_t)tree->nq);
  for (int k = 0; k < tree->n_hinge; k++) work->half[k] = 0.5*(work->q[tree->hinge_iq[k]] - tree->hinge_ref[k]);
  ss_sincos(tree->n_hinge, work->half, work->sine, work->cosine);
  place_all(work, work->q);
}

// The velocity V of a body and its acceleration A at u' = 0, in registers
typedef struct motion {
  ss_v4 V_w, V_v, A_w, A_v;
} motion;

SS_INLINE void take_motion(const ss_tree_work* w, int b, motion* m)
{
  m->V_w = SS_SPATIAL_WC(w->V + b);
  m->V_v = SS_SPATIAL_VC(w->V + b);
  m->A_w = SS_SPATIAL_WC(w->A + b);
  m->A_v = SS_SPATIAL_VC(w->A + b);
}

// At the point that lies d further
SS_INLINE void shift(ss_vec3 d, motion* m)
{
  ss_v4 d4 = SS_V4_FROM3(d), d_yzx = SS_V4_YZX(d4), d_zxy = SS_V4_ZXY(d4);
  m->V_v -= SS_V4_CROSS(d_yzx, d_zxy, m->V_w);
  m->A_v -= SS_V4_CROSS(d_yzx, d_zxy, m->A_w);
}

// V is the velocity so far; A grows by V x (S u), the rate of change of S u, which moves with V. The axes of a ball
// move with the body behind it, which adds (S u) x (S u) = 0.
SS_INLINE void add_relative(const ss_v4* of_w, const ss_v4* of_v, motion* m)
{
  ss_v4 w = *of_w, v = *of_v;
  ss_v4 spin_yzx = SS_V4_YZX(m->V_w), spin_zxy = SS_V4_ZXY(m->V_w);
  ss_v4 v_yzx = SS_V4_YZX(m->V_v), v_zxy = SS_V4_ZXY(m->V_v);
  m->A_w += SS_V4_CROSS(spin_yzx, spin_zxy, w);
  m->A_v += SS_V4_CROSS(spin_yzx, spin_zxy, v) + SS_V4_CROSS(v_yzx, v_zxy, w);
  m->V_w += w;
  m->V_v += v;
}

SS_INLINE void add_joints(const ss_tree* tree, const ss_tree_body* body, const double* u, const ss_spatial* S,
                          motion* m)
{
  for (int j = body->joint; j < body->joint + body->n_joint; j++) {
    const ss_tree_joint* joint = tree->joint + j;
    ss_v4 w = {0}, v = {0};
    for (int i = joint->iv; i < joint->iv + joint->nv; i++) {
      w += u[i]*SS_SPATIAL_WC(S + i);
      v += u[i]*SS_SPATIAL_VC(S + i);
    }
    add_relative(&w, &v, m);
  }
}

SS_CLONES static void velocities(ss_tree_work* w)
{
  const ss_tree* tree = w->tree;
  motion m;
  take_motion(w, 0, &m);
  for (int b = 1; b < tree->n_body; b++) {
    const ss_tree_body* body = tree->body + b;
    if (body->alone) {
      w->V[b] = ss_alone_motion(w, b, w->u + body->iv);
      w->A[b] = (ss_spatial){.v = ss_cross(ss_vec3_from(w->u + body->iv), w->V[b].w)};
      continue;
    }
    if (body->parent != b - 1) take_motion(w, body->parent, &m);  // else it is still in registers
    shift(w->d[b], &m);
    if (body->nv == 1) {
      double u = w->u[body->iv];
      ss_v4 S_w = u*SS_SPATIAL_WC(w->S + body->iv), S_v = u*SS_SPATIAL_VC(w->S + body->iv);
      add_relative(&S_w, &S_v, &m);
    } else {
      add_joints(tree, body, w->u, w->S, &m);
    }
    SS_SPATIAL_W(w->V + b) = m.V_w;
    SS_SPATIAL_V(w->V + b) = m.V_v;
    SS_SPATIAL_W(w->A + b) = m.A_w;
    SS_SPATIAL_V(w->A + b) = m.A_v;
  }
}

void ss_tree_set_velocity(ss_tree_work* work, const double* u)
{
  if (u != work->u) memcpy(work->u, u, sizeof(double)*(size_t)work->tree->nv);
  velocities(work);
}

// Velocities alone, for any v
SS_CLONES static void move(ss_tree_work* w, const double* v)
{
  const ss_tree* tree = w->tree;
  ss_spatial T = {.w = {0, 0, 0}};
  for (int b = 1; b < tree->n_body; b++) {
    const ss_tree_body* body = tree->body + b;
    if (body->alone) {
      w->T[b] = ss_alone_motion(w, b, v + body->iv);
      continue;
    }
    if (body->parent != b - 1) T = w->T[body->parent];
    T = ss_motion_shifted(&T, w->d[b]);
    for (int i = body->iv; i < body->iv + body->nv; i++) ss_spatial_axpy(v[i], w->S + i, &T);
    w->T[b] = T;
  }
}

void ss_tree_move(ss_tree_work* work, const double* v) { move(work, v); }

void ss_tree_twists(ss_tree_work* work, const double* v, double* twist)
{
  const ss_tree* tree = work->tree;
  ss_tree_move(work, v);
  for (int b = 1; b < tree->n_body; b++, twist += 6) {
    ss_spatial T = ss_motion_shifted(work->T + b, ss_mul(work->R + b, tree->body[b].origin));
    ss_vec3_to(T.w, twist);
    ss_vec3_to(T.v, twist + 3);
  }
}

void ss_tree_pose(const ss_tree_work* work, int body, double* position, double* rotation, double* matrix)
{
  const ss_tree_body* b = work->tree->body + body + 1;
  ss_quat q = ss_quat_renormalized(ss_quat_mul(work->rotation[body + 1], ss_quat_conjugate(b->axes)));
  if (position) ss_vec3_to(ss_tree_origin(work, body), position);
  if (rotation) ss_quat_to(q, rotation);
  if (!matrix) return;
  ss_mat3 R = ss_quat_matrix(q);
  for (int i = 0; i < 3; i++) {
    const double* column[] = {&R.x.x, &R.y.x, &R.z.x};
    for (int j = 0; j < 3; j++) matrix[3*i + j] = column[j][i];
  }
}

void ss_tree_point_velocity(const ss_tree_work* work, int body, const double point[3], double angular[3],
                            double linear[3])
{
  ss_vec3 r = ss_sub(ss_vec3_from(point), work->com[body + 1]);
  ss_spatial V = ss_motion_shifted(&work->V[body + 1], r);
  if (angular) ss_vec3_to(V.w, angular);
  if (linear) ss_vec3_to(V.v, linear);
}

// The acceleration of a point is the spatial one there + w x v      [Featherstone 2008, section 2.11]
void ss_tree_point_bias(const ss_tree_work* work, int body, const double point[3], double angular[3], double linear[3])
{
  ss_vec3 r = ss_sub(ss_vec3_from(point), work->com[body + 1]);
  ss_spatial V = ss_motion_shifted(&work->V[body + 1], r), A = ss_motion_shifted(&work->A[body + 1], r);
  if (angular) ss_vec3_to(A.w, angular);
  if (linear) ss_vec3_to(ss_add(A.v, ss_cross(V.w, V.v)), linear);
}
