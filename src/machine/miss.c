// Contacts ahead that will be missed. A contact that is open at the start of a step is taken for closed if its gap
// closes along its normal; but what passes beside a corner, or over it, goes on beyond that plane without touching
// anything. Two shapes that are apart along one direction before and after the step are so all the way, since they move
// straight, but for how they turn.
#include "collide/convex.h"
#include "machine/machine.h"

// Part of the size of the smaller shape that counts as nothing
#define LEVEL 1e-6

// A shape at the end of a step
static ss_placed moved(const ss_machine_work* w, int geom, int body, double dt)
{
  ss_placed p = ss_collider_placed(w->collider)[geom];
  if (body == SS_WORLD) return p;
  const ss_spatial* V = w->tree->V + body + 1;
  ss_vec3 com = w->tree->com[body + 1];
  ss_quat turn = ss_quat_exp(ss_scale(dt, V->w));
  p.center = ss_add(ss_add(com, ss_scale(dt, V->v)), ss_quat_rotate(turn, ss_sub(p.center, com)));
  p.axis = ss_quat_rotate(turn, p.axis);
  p.side = ss_quat_rotate(turn, p.side);
  return p;
}

static double little(const ss_placed* a, const ss_placed* b)
{
  return LEVEL*fmin(a->bound + a->radius, b->bound + b->radius);
}

// The two shapes of a contact are apart at the end of the step, and along the same direction at its start
static bool pass_by(const ss_machine_work* w, const ss_touch* t, double dt)
{
  const ss_placed *a = ss_collider_placed(w->collider) + t->geom_a, *b = ss_collider_placed(w->collider) + t->geom_b;
  const unsigned char* kind = w->machine->collider->kind;
  ss_shape_kind kind_a = (ss_shape_kind)kind[t->geom_a], kind_b = (ss_shape_kind)kind[t->geom_b];
  if (kind_a == SS_SHAPE_PLANE || kind_b == SS_SHAPE_PLANE) return false;  // of these the normal stays
  if (kind_a == SS_SHAPE_HEIGHTS || kind_b == SS_SHAPE_HEIGHTS) return false;
  if (kind_a <= SS_SHAPE_CAPSULE && kind_b <= SS_SHAPE_CAPSULE) return false;  // smooth: events are found on the way
  ss_placed end_a = moved(w, t->geom_a, t->body_a, dt), end_b = moved(w, t->geom_b, t->body_b, dt);
  ss_touch end[SS_TOUCH_MOST];
  double far = ss_norm(ss_sub(end_b.center, end_a.center)) + a->bound + b->bound + a->radius + b->radius;
  int count = ss_touch_placed(kind_a, &end_a, kind_b, &end_b, far, end), best = 0;
  for (int i = 1; i < count; i++)
    if (end[i].gap < end[best].gap) best = i;
  if (count == 0 || end[best].gap < -little(a, b)) return false;
  return ss_apart_along(a, b, ss_vec3_from(end[best].frame)) - a->radius - b->radius >= -little(a, b);
}

bool ss_machine_misses(const ss_machine_work* w, const ss_touch* t, double dt, ss_passed* last)
{
  const ss_placed *a = ss_collider_placed(w->collider) + t->geom_a, *b = ss_collider_placed(w->collider) + t->geom_b;
  ss_vec3 x = ss_vec3_from(t->point), n = ss_vec3_from(t->frame);
  if (t->gap <= little(a, b)) return false;
  ss_vec3 v = ss_sub(ss_machine_velocity_at(w, t->body_b, x), ss_machine_velocity_at(w, t->body_a, x));
  if (t->gap + dt*ss_dot3(n, v) >= 0) return false;
  if (last->geom_a != t->geom_a || last->geom_b != t->geom_b)
    *last = (ss_passed){t->geom_a, t->geom_b, pass_by(w, t, dt)};
  return last->by;
}
