// Nothing passes through anything within a step, however fast it is: a part that would, or that would be wholly inside
// of something, goes no farther than to what it meets, and what is left of its way is left out. Conservative
// advancement [Mirtich 1996]: the gap along the normal of the nearest points is a way that is free, however the shapes
// are turned; after it the nearest points are asked again.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "machine/machine.h"

// Part of the half-thicknesses of two shapes that one may go into the other before it counts as passing
#define THIN 0.5
// ... and of the thinner one, before it is so deep that the direction back cannot be told
#define INSIDE 2
#define ROUNDS 50
// rad in a round
#define ANGLE 0.25
// So deep, relative to the scene's size, a part goes into what it meets: the contact must be closed there, and is found
#define TOUCHING 1e-9

// The part that moves a body; -1: the world, or what is fixed to it
static int part_of(const ss_machine* m, int body) { return body == SS_WORLD ? -1 : m->part_of[body]; }

// ---- what loops tie ------------------------------------------------------------------------------------------------

static int first_tied(const ss_machine* m, int part)
{
  while (m->part_tied[part] != part) part = m->part_tied[part];
  return part;
}

// The part of one end of a loop; -1: the world
static int loop_end(const ss_machine* m, const ss_loop* loop, int end)
{
  if (loop->kind == SS_SCENE_JOINT) return loop->iv[end] < 0 ? -1 : m->part_moved[loop->iv[end]];
  return part_of(m, end ? loop->body_b : loop->body_a);
}

ss_status ss_machine_make_ties(ss_machine* m, const ss_scene* scene, ss_error* error)
{
  (void)scene;
  m->part_tied = SS_MACHINE_ARRAY(m->n_part, int);
  if (!m->part_tied) return ss_machine_no_memory(error);
  for (int i = 0; i < m->n_part; i++) m->part_tied[i] = i;
  for (int i = 0; i < m->n_loop; i++) {
    int a = loop_end(m, m->loop + i, 0), b = loop_end(m, m->loop + i, 1);
    if (a < 0 || b < 0) continue;
    a = first_tied(m, a);
    b = first_tied(m, b);
    m->part_tied[a > b ? a : b] = a < b ? a : b;
  }
  for (int i = 0; i < m->n_part; i++) m->part_tied[i] = m->part_tied[m->part_tied[i]];
  return SS_OK;
}

// ---- what is fast --------------------------------------------------------------------------------------------------

ss_status ss_machine_make_links(ss_machine* m, ss_error* error)
{
  const ss_tree* tree = m->tree;
  m->link = SS_MACHINE_ARRAY(m->n_body, ss_link);
  m->anchor = SS_MACHINE_ARRAY(tree->n_joint, double);
  if (!m->link || !m->anchor) return ss_machine_no_memory(error);
  for (int b = 0; b < m->n_body; b++) {
    const ss_tree_body* body = tree->body + b + 1;
    m->link[b] = (ss_link){ss_norm(body->position), ss_norm(body->com), m->collider->arm[b]};
  }
  for (int j = 0; j < tree->n_joint; j++) m->anchor[j] = ss_norm(tree->joint[j].anchor);
  return SS_OK;
}

// One joint more: the origin of the frame behind it. What turns about an anchor carries its own origin about it, and
// a slide lies along an axis that turns with what is before it.
static void add_joint(const ss_tree_joint* joint, double anchor, const double* q, const double* u, double dt,
                      ss_speed* s)
{
  const double* v = u + joint->iv;
  if (joint->kind == SS_JOINT_SLIDE) {
    s->linear += fabs(*v);
    if (s->angular > 0) s->linear += s->angular*(fabs(q[joint->iq] - joint->ref) + dt*fabs(*v));
    return;
  }
  s->linear += anchor*s->angular;
  s->angular += joint->kind == SS_JOINT_HINGE ? fabs(*v) : ss_norm(ss_vec3_from(v));
  s->linear += anchor*s->angular;
}

// Some shape may be so fast that it gets through the thinnest one of the scene: a bound by lengths and velocities, from
// the root to the tips, that needs no positions of bodies, since most steps have nothing that is fast
static bool is_fast(const ss_machine_work* w, const double* q, const double* u, double dt)
{
  const ss_machine* m = w->machine;
  const ss_tree* tree = m->tree;
  for (int b = 0; b < m->n_body; b++) {
    const ss_tree_body* body = tree->body + b + 1;
    ss_speed s = body->parent > 0 ? w->speed[body->parent - 1] : (ss_speed){0, 0};
    s.linear += m->link[b].offset*s.angular;
    for (int j = body->joint; j < body->joint + body->n_joint; j++)
      add_joint(tree->joint + j, m->anchor[j], q, u, dt, &s);
    if (!(dt*(s.linear + m->link[b].arm*s.angular) <= THIN*m->thinnest)) return true;
    s.linear += m->link[b].com*s.angular;
    w->speed[b] = s;
  }
  return false;
}

// ---- how far -------------------------------------------------------------------------------------------------------

// The way that is left of a part, of 1; none if it has met something
static double left(const ss_machine_work* w, int part)
{
  return part < 0 || w->has_met[part] ? 0 : 1 - w->way[part];
}

// What spins goes on by small angles where it is near something: velocities of its surface turn with it
static void limit_spin(ss_machine_work* w, int body, double thin, double dt)
{
  const ss_machine* m = w->machine;
  int part = part_of(m, body);
  if (part < 0 || !(left(w, part) > 0)) return;
  double spin = ss_norm(w->tree->V[body + 1].w)*dt;
  if (spin*left(w, part)*m->collider->arm[body] > thin) w->next[part] = fmin(w->next[part], w->way[part] + ANGLE/spin);
}

// One contact: how far the two parts may go
static void limit_by(ss_machine_work* w, const ss_touch* t, double dt)
{
  const ss_machine* m = w->machine;
  int a = part_of(m, t->body_a), b = part_of(m, t->body_b);
  double left_a = left(w, a), left_b = left(w, b), near = TOUCHING*m->length;
  ss_vec3 n = ss_vec3_from(t->frame), x = ss_vec3_from(t->point);
  double closing = (left_a > 0 ? ss_dot3(n, ss_machine_velocity_at(w, t->body_a, x)) : 0) -
                   (left_b > 0 ? ss_dot3(n, ss_machine_velocity_at(w, t->body_b, x)) : 0);
  double thin_a = m->thin[t->geom_a], thin_b = m->thin[t->geom_b];
  double thin = fmin(THIN*(thin_a + thin_b), INSIDE*fmin(thin_a, thin_b));
  limit_spin(w, t->body_a, thin, dt);
  limit_spin(w, t->body_b, thin, dt);
  if (!(closing*dt*fmax(left_a, left_b) > thin)) return;
  bool touches = t->gap < -near/4;
  double free = touches ? 0 : (t->gap + near/2)/(closing*dt);
  const int part[2] = {a, b};
  const double rest[2] = {left_a, left_b};
  for (int i = 0; i < 2; i++) {
    if (!(rest[i] > 0)) continue;
    w->next[part[i]] = fmin(w->next[part[i]], w->way[part[i]] + free);
    if (touches) w->will_meet[part[i]] = true;
  }
}

// A position on the way: every part has gone its share. *n contacts that the rest of the way may close.
static ss_status look(const ss_at* from, const double* u, double dt, double* v, const ss_touch** touch, int* n)
{
  ss_machine_work* w = from->scratch;
  const ss_machine* m = w->machine;
  ss_at at = *from;
  for (int i = 0; i < m->nv; i++) v[i] = u[i]*w->way[m->part_moved[i]];
  ss_tree_advance(m->tree, from->q, v, dt, w->trial);
  at.q = w->trial;
  ss_machine_update(&at);
  ss_machine_reach(w, u, dt);
  ss_machine_place_bodies(w);
  ss_machine_set_velocity(w, u);
  ss_machine_place_shapes(w);
  ss_status st = ss_collider_find_placed(w->collider, 0, w->reach, from->pool, touch, n);
  return st == SS_ERR_ARGUMENT ? SS_ERR_NUMERIC : st;
}

// Parts that loops tie to one another stop together, all others where they must alone. The first one of those that are
// tied gathers, the others take over what it has got.
static void tie(ss_machine_work* w)
{
  const ss_machine* m = w->machine;
  for (int i = 0; i < m->n_part; i++) {
    int first = m->part_tied[i];
    w->next[first] = fmin(w->next[first], w->next[i]);
    w->will_meet[first] = w->will_meet[first] || w->will_meet[i];
  }
  for (int i = 0; i < m->n_part; i++) {
    w->next[i] = w->next[m->part_tied[i]];
    w->will_meet[i] = w->will_meet[m->part_tied[i]];
  }
}

ss_status ss_machine_stop(const ss_at* at, const double* u, double dt, double* v)
{
  ss_machine_work* w = at->scratch;
  const ss_machine* m = w->machine;
  memcpy(v, u, sizeof *v*(size_t)m->nv);
  if (!w->collider || !(m->thinnest < INFINITY)) return SS_OK;
  if (!is_fast(w, at->q, u, dt)) return SS_OK;
  for (int i = 0; i < m->n_part; i++) w->way[i] = 0, w->has_met[i] = false;
  for (int round = 0; round < ROUNDS; round++) {
    const ss_touch* touch;
    int n;
    ss_status st = look(at, u, dt, v, &touch, &n);
    if (st < 0) return st;
    for (int i = 0; i < m->n_part; i++) w->next[i] = w->has_met[i] ? w->way[i] : 1, w->will_meet[i] = w->has_met[i];
    for (int i = 0; i < n; i++) limit_by(w, touch + i, dt);
    tie(w);
    bool moves = false;
    for (int i = 0; i < m->n_part; i++) {
      moves = moves || w->next[i] != w->way[i];
      w->way[i] = w->next[i];
      w->has_met[i] = w->will_meet[i];
    }
    if (!moves) break;
  }
  for (int i = 0; i < m->nv; i++) v[i] = u[i]*w->way[m->part_moved[i]];
  return SS_OK;
}
