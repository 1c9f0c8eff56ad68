// A body alone: a free joint, nothing that hangs on it, no armature. Its motion is that of its centre of mass and a
// turn about it, so that closed forms take the place of the recursions. r is from the origin of the body frame, which
// its velocities belong to, to the centre of mass; S[iv + 3 + k].w are the axes of the body frame.
#ifndef SS_MULTIBODY_ALONE_H
#define SS_MULTIBODY_ALONE_H

#include "multibody/tree.h"

SS_INLINE ss_vec3 ss_alone_arm(const ss_tree_work* w, int b)
{
  return ss_scale(-1, ss_mul(w->R + b, w->tree->body[b].origin));
}

/// sum of a_k times axis k of the body frame
SS_INLINE ss_vec3 ss_alone_turned(const ss_spatial* S, const double* a)
{
  return ss_add(ss_add(ss_scale(a[0], S[3].w), ss_scale(a[1], S[4].w)), ss_scale(a[2], S[5].w));
}

/// The pose, and all that follows from it
SS_INLINE void ss_alone_place(ss_tree_work* w, int b, const double* q)
{
  const ss_tree_body* body = w->tree->body + b;
  ss_spatial* S = w->S + body->iv;
  ss_quat turn = ss_quat_normalized(ss_quat_from(q + 3));
  ss_mat3 axes = ss_quat_matrix(turn);
  w->rotation[b] = ss_quat_renormalized(ss_quat_mul(turn, body->axes));
  w->R[b] = ss_quat_matrix(w->rotation[b]);
  w->J[b] = ss_sym3_rotated(w->R + b, body->principal);
  ss_vec3 r = ss_alone_arm(w, b);
  w->com[b] = w->d[b] = ss_add(ss_vec3_from(q), r);
  S[0] = (ss_spatial){.v = {1, 0, 0}};
  S[1] = (ss_spatial){.v = {0, 1, 0}};
  S[2] = (ss_spatial){.v = {0, 0, 1}};
  S[3] = (ss_spatial){.w = axes.x, .v = ss_cross(axes.x, r)};
  S[4] = (ss_spatial){.w = axes.y, .v = ss_cross(axes.y, r)};
  S[5] = (ss_spatial){.w = axes.z, .v = ss_cross(axes.z, r)};
}

/// The motion of the centre of mass with the velocities v
SS_INLINE ss_spatial ss_alone_motion(const ss_tree_work* w, int b, const double* v)
{
  ss_vec3 spin = ss_alone_turned(w->S + w->tree->body[b].iv, v + 3);
  return (ss_spatial){.w = spin, .v = ss_add(ss_vec3_from(v), ss_cross(spin, ss_alone_arm(w, b)))};
}

/// The generalised forces of a force f at the centre of mass
SS_INLINE void ss_alone_force(const ss_tree_work* w, int b, const ss_spatial* f, double* tau)
{
  const ss_spatial* S = w->S + w->tree->body[b].iv;
  ss_vec3 moment = ss_add(f->w, ss_cross(ss_alone_arm(w, b), f->v));
  ss_vec3_to(f->v, tau);
  for (int k = 0; k < 3; k++) tau[3 + k] = ss_dot3(S[3 + k].w, moment);
}

/// The time that gyroscopic forces are for
typedef struct ss_tree_time {
  double dt;            ///< s; 0: this instant
  double theta;         ///< 0: from the velocities at hand on. Else these are (1 - theta) u_A + theta u_E
  const double* start;  ///< nv: u_A, if theta > 0
  double rest;          ///< what is left of dt where the position is set, s
  const double* q_start;  ///< nq: q_A; NULL: energies of trees that turn are not looked after
  double* rate;         ///< nv, if theta > 0: u' by gyroscopic forces in the round that has found u_E, in principal
                        ///< axes, then those of this one; NULL: u_E is known
} ss_tree_time;

/// The angular acceleration of a body that turns freely, in its principal axes: the mean one over a time dt, with which
/// energy and angular momentum stay (spin.c); dt = 0: at this instant
ss_vec3 ss_spin_acceleration(ss_vec3 principal, ss_vec3 spin, double dt);
/// The same of an implicit step, I w' = -w x I w with w = (1 - theta) w_A + theta w_E. `mean` is that with the w_E
/// found so far; *rate: with what acceleration, then what is returned. NULL: w_E is known.
ss_vec3 ss_spin_implicit(ss_vec3 principal, ss_vec3 start, ss_vec3 mean, double dt, double theta, ss_vec3* rate);

/// The angular acceleration of body b in its principal axes by its spin alone
SS_INLINE ss_vec3 ss_alone_spin(const ss_tree_work* w, int b, const ss_tree_time* time)
{
  const ss_tree_body* body = w->tree->body + b;
  ss_vec3 spin = ss_mul_transposed(w->R + b, w->V[b].w);
  if (!time || time->theta == 0) return ss_spin_acceleration(body->principal, spin, time ? time->dt : 0);
  double* kept = time->rate ? time->rate + body->iv + 3 : NULL;
  ss_vec3 start = ss_mul_transposed(w->R + b, ss_alone_turned(w->S + body->iv, time->start + body->iv + 3));
  ss_vec3 rate = kept ? ss_vec3_from(kept) : (ss_vec3){0};
  ss_vec3 a = ss_spin_implicit(body->principal, start, spin, time->dt, time->theta, kept ? &rate : NULL);
  if (kept) ss_vec3_to(rate, kept);
  return a;
}

/// y = M^-1 x; bias: x less what the body needs at u' = 0, m (w x (w x r) - g) and w x J w, which acts for a time
SS_INLINE void ss_alone_solve(const ss_tree_work* w, int b, bool bias, const ss_tree_time* time, const double* x,
                              double* y)
{
  const ss_tree_body* body = w->tree->body + b;
  const ss_spatial* S = w->S + body->iv;
  ss_vec3 r = ss_alone_arm(w, b), f = ss_vec3_from(x), i = body->inertia_root;
  ss_vec3 moment = ss_sub(ss_alone_turned(S, x + 3), ss_cross(r, f));
  ss_vec3 a = ss_scale(body->mass_root*body->mass_root, f), local = ss_mul_transposed(w->R + b, moment);
  local = (ss_vec3){i.x*i.x*local.x, i.y*i.y*local.y, i.z*i.z*local.z};
  if (bias) {
    ss_vec3 spin = w->V[b].w;
    local = ss_add(local, ss_alone_spin(w, b, time));
    a = ss_sub(ss_add(a, w->tree->gravity), ss_cross(spin, ss_cross(spin, r)));
  }
  ss_vec3 turn = ss_mul(w->R + b, local);
  ss_vec3_to(ss_sub(a, ss_cross(turn, r)), y);
  for (int k = 0; k < 3; k++) y[3 + k] = ss_dot3(S[3 + k].w, turn);
}

#endif
