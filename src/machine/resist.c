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
void ss_machine_direct(const ss_machine_work* w, const ss_touch_law* law, double frame[9])
{
  ss_vec3 n = ss_vec3_from(frame), t;
  bool done = law->fixed && across(ss_quat_rotate(ss_machine_turn(w, law->body), law->axis), n, &t);
  if (!done) across(fabs(n.y) < 0.5 ? (ss_vec3){0, 1, 0} : (ss_vec3){0, 0, 1}, n, &t);
  ss_vec3_to(t, frame + 3);
  ss_vec3_to(ss_cross(n, t), frame + 6);
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
