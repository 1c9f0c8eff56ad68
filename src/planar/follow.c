// Contacts by their keys, wherever they are, and M, W and the bias as matrices: what the event-driven integrator asks
// for  [Slavic & Boltezar 2006, (23)-(32)].
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "planar/planar.h"

ss_status ss_planar_mass(const ss_at* at, double* M)
{
  ss_planar_work* w = at->scratch;
  const ss_planar* p = w->p;
  memset(M, 0, sizeof(double)*(size_t)p->nv*(size_t)p->nv);
  if (p->text) p->text->mass(&w->at, w->L);
  w->has_factor = false;
  for (int i = 0; i < p->nl; i++) memcpy(M + i*p->nv, w->L + i*p->nl, sizeof(double)*(size_t)p->nl);
  for (int i = 0; i < p->n_body; i++) {
    if (p->free[i] < 0 || p->body[i].part_of) continue;
    int k = p->nl + 3*p->free[i];
    M[k*p->nv + k] = M[(k + 1)*p->nv + k + 1] = p->body[i].mass;
    M[(k + 2)*p->nv + k + 2] = p->body[i].inertia;
  }
  return SS_OK;
}

static ss_pair2 pair_of(const ss_planar_work* w, uint64_t key)
{
  const ss_planar_body* body = w->p->body;
  int a = ss_key2_a(key), b = ss_key2_b(key);
  return (ss_pair2){&body[a].shape, &body[b].shape, &w->pose[a], &w->pose[b]};
}

uint64_t ss_planar_watch(const ss_at* at, uint64_t key)
{
  if (key & SS_KEY_EXPRESSION) return key;
  ss_planar_work* w = at->scratch;
  ss_pair2 pair = pair_of(w, key);
  ss_vec2 slip = {0, 0};
  if (ss_key2_kind(key) == SS_TWO_POINTS && at->u) {
    ss_touch2 t;
    ss_touch_follow(&pair, key, &t);
    ss_planar_move(w, at->u, true);
    slip = ss_sub2(ss_velocity2(&w->motion[ss_key2_b(key)], t.point),
                   ss_velocity2(&w->motion[ss_key2_a(key)], t.point));
  }
  return ss_touch_watch(&pair, key, slip);
}

uint64_t ss_planar_next(const ss_at* at, uint64_t key)
{
  if (key & SS_KEY_EXPRESSION) return 0;
  ss_pair2 pair = pair_of(at->scratch, key);
  return ss_touch_next(&pair, key);
}

// The rate of the way to the end that is nearer, of a point on an edge; 0 of circles, whose touches pass smoothly.
// Edges go round with the body to their left: along is left of the outward normal, and the velocity of b against a
// along the left of the normal from a to b is that of the point along the edge, whichever has it.
static double room_rate(const ss_planar_work* w, const ss_pair2* pair, const ss_touch2* t)
{
  uint64_t key = t->key;
  bool of_a = ss_key2_kind(key) == SS_POINT_OF_B;
  const ss_outline* o = (of_a ? pair->a : pair->b)->outline;
  if (ss_key2_kind(key) == SS_TWO_POINTS || !o || !(of_a ? pair->b : pair->a)->outline) return 0;
  ss_vec2 slip = ss_sub2(ss_velocity2(&w->motion[ss_key2_b(key)], t->point),
                         ss_velocity2(&w->motion[ss_key2_a(key)], t->point));
  double speed = ss_dot2(ss_left2(t->normal), slip);
  double length = o->edge[of_a ? ss_key2_feature_a(key) : ss_key2_feature_b(key)].length;
  return t->along < length/2 ? speed : -speed;
}

// Whether it is one that this model can have listed
static bool has_key(const ss_planar_work* w, uint64_t key)
{
  if (!ss_planar_contact_law(w->p, key)) return false;
  if (key & SS_KEY_EXPRESSION) return true;
  ss_pair2 pair = pair_of(w, key);
  return ss_touch_has_key(&pair, key);
}

ss_status ss_planar_follow(const ss_at* at, int n, const uint64_t* key, const ss_contact_item** item)
{
  ss_planar_work* w = at->scratch;
  w->touches.n = 0;
  if (at->u) ss_planar_move(w, at->u, true);
  if (!ss_planar_begin_rows(w, n)) return SS_ERR_MEMORY;
  for (int i = 0; i < n; i++) {
    if (!has_key(w, key[i])) return SS_ERR_ARGUMENT;
    if (key[i] & SS_KEY_EXPRESSION) {
      ss_planar_add_text(w, (int)(key[i] - SS_KEY_EXPRESSION));
      w->item[i].room = INFINITY;
      w->item[i].room_rate = 0;
      continue;
    }
    ss_pair2 pair = pair_of(w, key[i]);
    ss_touch2 touch;
    double room = ss_touch_follow(&pair, key[i], &touch);
    ss_touches_add(&w->touches, &touch);
    if (w->touches.failed) return SS_ERR_MEMORY;
    ss_planar_add_touch(w, w->touches.n - 1);
    w->item[i].room = room;
    w->item[i].room_rate = at->u ? room_rate(w, &pair, &touch) : 0;
  }
  *item = w->item;
  return SS_OK;
}

void ss_planar_row_matrix(const ss_at* at, double* W)
{
  ss_planar_work* w = at->scratch;
  for (int i = 0; i < w->n_row; i++) ss_planar_dense_row(w, i, W + (size_t)i*(size_t)w->p->nv);
}

// The parts of a body's acceleration that do not depend on u'
static void bias_of_bodies(ss_planar_work* w)
{
  const ss_planar* p = w->p;
  if (p->n_probe) ss_lagrangian_probe_bias(&w->at, w->bias);
  for (int i = 0; i < p->n_body; i++) {
    const double* bias = w->bias + p->body[i].probe;
    bool guided = p->body[i].carriage == SS_GUIDED;
    w->accel[i] = guided ? (ss_vec2){bias[0], bias[1]} : (ss_vec2){0, 0};
    w->turn[i] = guided ? bias[2] : 0;
  }
}

// d/dt of the velocity of a body at the place P of the contact, which moves with P', without the terms of u'
static ss_vec2 bias_at(const ss_planar_work* w, int body, ss_vec2 P, ss_vec2 dP)
{
  const ss_motion2* m = &w->motion[body];
  ss_vec2 turned = ss_scale2(m->omega, ss_left2(ss_sub2(dP, m->v)));
  return ss_add2(w->accel[body], ss_add2(turned, ss_scale2(w->turn[body], ss_left2(ss_sub2(P, m->origin)))));
}

// gamma = d . (v_b - v_a) at P:  w_bar = d' . (v_b - v_a) + d . (v_b' - v_a')
static double touch_bias(const ss_planar_work* w, const ss_planar_row* r, bool normal)
{
  const ss_touch2* t = &w->touches.list[r->touch];
  const ss_motion2 *a = &w->motion[r->a], *b = &w->motion[r->b];
  ss_vec2 dP, dn;
  ss_touch2_rate(t, a, b, &dP, &dn);
  ss_vec2 slip = ss_sub2(ss_velocity2(b, t->point), ss_velocity2(a, t->point));
  ss_vec2 rate = ss_sub2(bias_at(w, r->b, t->point, dP), bias_at(w, r->a, t->point, dP));
  return ss_dot2(normal ? dn : ss_left2(dn), slip) + ss_dot2(r->along, rate);
}

void ss_planar_row_bias(const ss_at* at, double* w_bar)
{
  ss_planar_work* w = at->scratch;
  const ss_planar* p = w->p;
  w->at.u = at->u;
  ss_planar_move(w, at->u, true);
  bias_of_bodies(w);
  if (p->m_fixed) p->text->contact_bias(&w->at, w->text_bias + p->n_bilateral);
  if (p->n_bilateral) p->text->bilateral_bias(&w->at, w->text_bias);
  for (int i = 0; i < w->n_row; i++) {
    const ss_planar_row* r = &w->rows[i];
    bool normal = i == 0 || w->rows[i - 1].touch != r->touch;
    w_bar[i] = r->touch < 0 ? w->text_bias[r->text] : touch_bias(w, r, normal);
  }
}
