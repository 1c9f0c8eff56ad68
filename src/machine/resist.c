// Directions of friction, and resistance against spin and rolling.
//
// Spin and rolling resist as friction does, by a torque of maximal dissipation: with omega the angular velocity of body
// b against body a,
//   spin  |tau_N| <= c_s Lambda_N   against  N.omega,
//   roll  |tau_T| <= c_r Lambda_N   against  (T1.omega, T2.omega),
// hard laws as Coulomb's: no creep below the limits. Each is an item of its own behind the contacts, loaded by one of
// them (ss_contact_item.load).
#include <math.h>
#include <string.h>
#include "machine/machine.h"

// Two directions nearer to each other than this are one
#define PARALLEL 1e-6

// T1 = d without its part along n; false if nothing is left
static bool across(ss_vec3 d, ss_vec3 n, ss_vec3* t)
{
  *t = ss_sub(d, ss_scale(ss_dot3(d, n), n));
  double length = ss_norm(*t);
  if (!(length > PARALLEL*ss_norm(d))) return false;
  *t = ss_scale(1/length, *t);
  return true;
}

// T1 is along the axis of the law, or as MuJoCo has it: y of the world, z where the normal is within 60 degrees of
// that. An axis along the normal says nothing: likewise.
static bool find_axis(const ss_machine_work* w, const ss_touch_law* law, ss_vec3 n, ss_vec3* axis, ss_vec3* t)
{
  *axis = law->fixed ? ss_quat_rotate(ss_machine_turn(w, law->body), law->axis) : (ss_vec3){0, 0, 0};
  if (law->fixed && across(*axis, n, t)) return true;
  *axis = fabs(n.y) < 0.5 ? (ss_vec3){0, 1, 0} : (ss_vec3){0, 0, 1};
  across(*axis, n, t);
  return false;
}

void ss_machine_direct(const ss_machine_work* w, const ss_touch_law* law, double frame[9])
{
  ss_vec3 n = ss_vec3_from(frame), axis, t;
  find_axis(w, law, n, &axis, &t);
  ss_vec3_to(t, frame + 3);
  ss_vec3_to(ss_cross(n, t), frame + 6);
}

// In the frame N, D1, D2 of the law in place of N, T1, T2 of the touch: the terms turn with it, and what it turns
// faster about N adds to them. With the axis c, c' = w x c, D1 = P c/|P c| and P = 1 - N N^T,
//   D2 . D1' = (D2 . c' - (c . N) D2 . N')/(D1 . c)
void ss_machine_direct_bias(const ss_machine_work* w, const ss_contact_item* item, const ss_touch* touch,
                            ss_touch_change* change)
{
  const ss_touch_law* law = (const ss_touch_law*)item->law;
  ss_vec3 n = ss_vec3_from(touch->frame), d1 = ss_vec3_from(item->frame + 3), d2 = ss_vec3_from(item->frame + 6);
  double c = ss_dot3(d1, ss_vec3_from(touch->frame + 3)), s = ss_dot3(d1, ss_vec3_from(touch->frame + 6));
  const double *g = change->gamma + 1, b[2] = {change->w_bar[1], change->w_bar[2]};
  ss_vec3 axis, t, turn = {0, 0, 0};
  if (find_axis(w, law, n, &axis, &t)) {
    double angular[3], linear[3];
    ss_tree_point_velocity(w->tree, law->body, item->point, angular, linear);
    turn = ss_cross(ss_vec3_from(angular), axis);
  }
  double spin = (ss_dot3(d2, turn) - ss_dot3(axis, n)*ss_dot3(d2, ss_vec3_from(change->normal)))/ss_dot3(d1, axis);
  double faster = spin - ss_dot3(ss_vec3_from(change->spin), n);
  change->w_bar[1] = c*b[0] + s*b[1] + faster*(c*g[1] - s*g[0]);
  change->w_bar[2] = law->stretch*(c*b[1] - s*b[0] - faster*(c*g[0] + s*g[1]));
}

static bool add(ss_machine_work* w, int touch, bool roll)
{
  ss_contact_item* item = ss_machine_add_item(w);
  ss_tree_node* node = item ? ss_machine_add_node(w, roll ? 3 : 1) : NULL;
  if (!node) return false;
  const ss_contact_item* from = w->item + touch;
  const ss_touch_law* t = (const ss_touch_law*)from->law;
  item->key = from->key + (roll ? SS_KEY_ROLL : SS_KEY_SPIN);
  item->law = roll ? &t->roll : &t->spin;
  item->body_a = node->body_a = from->body_a;
  item->body_b = node->body_b = from->body_b;
  item->load = touch + 1;
  node->rotation = true;
  memcpy(node->point_a, from->point, sizeof node->point_a);
  memcpy(node->point_b, from->point, sizeof node->point_b);
  memcpy(node->frame, from->frame, sizeof node->frame);
  if (!roll) return true;
  memset(node->frame, 0, sizeof(double[3]));  // no normal
  for (int i = 6; i < 9; i++) node->frame[i] *= t->roll_stretch;
  item->stretch[0] = 1;
  item->stretch[1] = t->roll_stretch;
  return true;
}

bool ss_machine_list_resistance(ss_machine_work* w, int n)
{
  for (int roll = 0; roll < 2; roll++)
    for (int i = 0; i < n; i++) {
      const ss_touch_law* t = (const ss_touch_law*)w->item[i].law;
      if ((roll ? t->roll : t->spin).mu > 0 && !add(w, i, roll)) return false;
    }
  return true;
}
