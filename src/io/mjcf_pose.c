// Orientations of MJCF in all their forms: quat, axisangle, xyaxes, zaxis, euler; degrees or radians.
#include <math.h>
#include <string.h>
#include "io/mjcf.h"

#define DEGREE 0.017453292519943295769

// Shortest vector that has a direction
#define TINY 1e-14

static ss_quat turn(ss_vec3 axis, double angle)
{
  double s = sin(0.5*angle);
  return (ss_quat){cos(0.5*angle), s*axis.x, s*axis.y, s*axis.z};
}

static bool direction(ss_vec3* a)
{
  double n = ss_norm(*a);
  if (!(n > TINY && n < 1e150)) return false;
  *a = ss_scale(1/n, *a);
  return true;
}

// The quaternion of a rotation matrix, by the largest of its four numbers  [Shepperd 1978]
static ss_quat from_matrix(const ss_mat3* R)
{
  double xx = R->x.x, yy = R->y.y, zz = R->z.z;
  double w2 = 1 + xx + yy + zz, x2 = 1 + xx - yy - zz, y2 = 1 - xx + yy - zz, z2 = 1 - xx - yy + zz;
  ss_quat q;
  if (w2 >= x2 && w2 >= y2 && w2 >= z2) q = (ss_quat){w2, R->y.z - R->z.y, R->z.x - R->x.z, R->x.y - R->y.x};
  else if (x2 >= y2 && x2 >= z2) q = (ss_quat){R->y.z - R->z.y, x2, R->x.y + R->y.x, R->x.z + R->z.x};
  else if (y2 >= z2) q = (ss_quat){R->z.x - R->x.z, R->x.y + R->y.x, y2, R->y.z + R->z.y};
  else q = (ss_quat){R->x.y - R->y.x, R->x.z + R->z.x, R->y.z + R->z.y, z2};
  return ss_quat_normalized(q);
}

bool ss_mj_from_z(ss_vec3 a, ss_quat* q)
{
  if (!direction(&a)) return false;
  ss_vec3 axis = {-a.y, a.x, 0};  // z x a
  double s = ss_norm(axis);
  if (s < TINY) *q = a.z > 0 ? (ss_quat){1, 0, 0, 0} : (ss_quat){0, 1, 0, 0};  // the opposite: half a turn about x
  else *q = turn(ss_scale(1/s, axis), atan2(s, a.z));
  return true;
}

// Small letters turn about axes that move along, capitals about axes that stay
ss_quat ss_mj_euler(const ss_mjcf* r, const double angle[3])
{
  ss_quat q = {1, 0, 0, 0};
  for (int i = 0; i < 3; i++) {
    char c = r->set.eulerseq[i];
    bool moving = c >= 'x';
    int k = moving ? c - 'x' : c - 'X';
    ss_vec3 axis = {k == 0, k == 1, k == 2};
    ss_quat t = turn(axis, angle[i]*(r->set.degree ? DEGREE : 1));
    q = moving ? ss_quat_mul(q, t) : ss_quat_mul(t, q);
  }
  return q;
}

static ss_status from_axes(ss_mjcf* r, const ss_xml_node* node, const ss_mj_value* v, ss_quat* q)
{
  ss_mat3 R = {.x = ss_vec3_from(v->v), .y = ss_vec3_from(v->v + 3)};
  if (!direction(&R.x)) return ss_mj_error_of(r, v, "%s: the first axis of xyaxes has no direction", node->name);
  if (!direction(&R.y)) return ss_mj_error_of(r, v, "%s: the second axis of xyaxes has no direction", node->name);
  R.y = ss_sub(R.y, ss_scale(ss_dot3(R.x, R.y), R.x));
  if (ss_norm(R.y) < 1e-10 || !direction(&R.y))
    return ss_mj_error_of(r, v, "%s: the axes of xyaxes are parallel", node->name);
  R.z = ss_cross(R.x, R.y);
  *q = from_matrix(&R);
  return SS_OK;
}

static ss_status from_value(ss_mjcf* r, const ss_xml_node* node, const ss_mj_pose* p, const ss_mj_value* v, ss_quat* q)
{
  if (v == &p->quat) {
    double n = hypot(hypot(v->v[0], v->v[1]), hypot(v->v[2], v->v[3]));
    if (!(n > TINY && n < 1e150)) return ss_mj_error_of(r, v, "%s: quat has no length", node->name);
    *q = ss_quat_normalized((ss_quat){v->v[0]/n, v->v[1]/n, v->v[2]/n, v->v[3]/n});
  }
  else if (v == &p->axisangle) {
    ss_vec3 axis = ss_vec3_from(v->v);
    if (!direction(&axis)) return ss_mj_error_of(r, v, "%s: the axis of axisangle has no direction", node->name);
    *q = turn(axis, v->v[3]*(r->set.degree ? DEGREE : 1));
  }
  else if (v == &p->zaxis) {
    if (!ss_mj_from_z(ss_vec3_from(v->v), q))
      return ss_mj_error_of(r, v, "%s: zaxis has no direction", node->name);
  }
  else if (v == &p->euler) *q = ss_mj_euler(r, v->v);
  else return from_axes(r, node, v, q);
  return SS_OK;
}

// The form that stands nearest to the element counts: what is given there wins over what a class gives
ss_status ss_mj_pose_get(ss_mjcf* r, const ss_xml_node* node, const ss_mj_pose* p, ss_vec3* position, ss_quat* rotation)
{
  const ss_mj_value* forms[] = {&p->quat, &p->axisangle, &p->xyaxes, &p->zaxis, &p->euler};
  const ss_mj_value* best = NULL;
  for (int i = 0; i < 5; i++) {
    if (!forms[i]->text) continue;
    if (best && best->level == forms[i]->level && best->level == 0)
      return ss_mj_error_of(r, forms[i], "%s: the orientation is given twice; give one of quat, axisangle, xyaxes, "
                            "zaxis, euler", node->name);
    if (!best || forms[i]->level < best->level) best = forms[i];
  }
  *position = ss_vec3_from(p->pos.v);
  *rotation = (ss_quat){1, 0, 0, 0};
  return best ? from_value(r, node, p, best, rotation) : SS_OK;
}

void ss_mj_in_scope(const ss_mj_scope* scope, ss_vec3* position, ss_quat* rotation)
{
  *position = ss_add(scope->position, ss_quat_rotate(scope->rotation, *position));
  *rotation = ss_quat_normalized(ss_quat_mul(scope->rotation, *rotation));
}
