// Checks the definition of a tree: what only the user can get wrong, named by body or joint.
#include "multibody/check.h"
#include <math.h>
#include <stdio.h>
#include "math/dense.h"
#include "math/principal.h"

// Bodies, or joints: numbers in q fit an int with room to spare
#define MOST (1 << 24)
// Principal moments of printed inertias: what round-off of a few digits may violate A + B >= C by
#define INERTIA_SLACK 1e-6

char* ss_tree_label(const char* what, const char* name, int number, char out[80])
{
  if (name)
    snprintf(out, 80, "%s '%.60s'", what, name);
  else
    snprintf(out, 80, "%s %d", what, number);
  return out;
}

#define COMPLAIN(...) ss_error_set(error, SS_ERR_INPUT, __VA_ARGS__)

static ss_status check_inertia(const ss_body_def* body, const char* label, ss_error* error)
{
  const double* I = body->inertia;
  ss_quat axes;
  ss_sym3 A = {I[0], I[1], I[2], I[3], I[4], I[5]};
  ss_vec3 p = ss_sym3_principal(&A, &axes);
  double least = fmin(fmin(p.x, p.y), p.z), most = fmax(fmax(p.x, p.y), p.z), middle = p.x + p.y + p.z - least - most;
  if (least < -INERTIA_SLACK*most || most < 0)
    return COMPLAIN("%s: the inertia has the principal moment %g kg m^2; none may be negative", label, least);
  if (least + middle < (1 - INERTIA_SLACK)*most)
    return COMPLAIN("%s: no body has the principal moments %g, %g, %g kg m^2: the largest is at most the sum of "
                    "the others", label, least, middle, most);
  if (body->mass == 0 && most > 0) return COMPLAIN("%s: inertia without mass", label);
  return SS_OK;
}

static ss_status check_body(const ss_tree_def* def, int b, ss_error* error)
{
  const ss_body_def* body = def->body + b;
  char label[80];
  ss_tree_label("body", body->name, b, label);
  if (body->parent < SS_WORLD || body->parent >= b)
    return COMPLAIN("%s: parent %d; it must be -1 (the world) or the number of a body before this one (below %d)",
                    label, body->parent, b);
  if (!ss_all_finite(3, body->position) || !ss_all_finite(4, body->rotation))
    return COMPLAIN("%s: position or rotation is not finite", label);
  const double* r = body->rotation;
  double n2 = r[0]*r[0] + r[1]*r[1] + r[2]*r[2] + r[3]*r[3];
  if (!(n2 == 0 || (n2 > 1e-200 && n2 < 1e200))) return COMPLAIN("%s: the rotation is no quaternion", label);
  if (!(body->mass >= 0 && body->mass < INFINITY))
    return COMPLAIN("%s: mass %g kg; it must be zero or positive", label, body->mass);
  if (!ss_all_finite(3, body->com)) return COMPLAIN("%s: the centre of mass is not finite", label);
  if (!ss_all_finite(6, body->inertia)) return COMPLAIN("%s: the inertia is not finite", label);
  return check_inertia(body, label, error);
}

static ss_status check_range(const ss_joint_def* joint, const char* label, ss_error* error)
{
  const double* range = joint->range;
  if (!joint->limited) return SS_OK;
  if (joint->kind == SS_JOINT_FREE) return COMPLAIN("%s: a free joint has no range", label);
  if (!(range[0] <= range[1]))
    return COMPLAIN("%s: range %g .. %g; the first must not be greater", label, range[0], range[1]);
  if (joint->kind == SS_JOINT_BALL && range[0] != 0)
    return COMPLAIN("%s: the range of a ball joint begins at 0, not at %g", label, range[0]);
  return SS_OK;
}

static ss_status check_joint(const ss_tree_def* def, int j, ss_error* error)
{
  const ss_joint_def* joint = def->joint + j;
  char label[80];
  ss_tree_label("joint", joint->name, j, label);
  if ((int)joint->kind < 0 || joint->kind > SS_JOINT_FIXED)
    return COMPLAIN("%s: unknown kind %d", label, (int)joint->kind);
  if (joint->body < 0 || joint->body >= def->n_body)
    return COMPLAIN("%s: body %d; there are bodies 0 to %d", label, joint->body, def->n_body - 1);
  if (!ss_all_finite(3, joint->axis) || !ss_all_finite(3, joint->anchor))
    return COMPLAIN("%s: axis or anchor is not finite", label);
  const double* a = joint->axis;
  double n2 = a[0]*a[0] + a[1]*a[1] + a[2]*a[2];
  if (joint->kind <= SS_JOINT_SLIDE && !(n2 > 1e-200 && n2 < 1e200))
    return COMPLAIN("%s: the axis (%g, %g, %g) has no direction", label, a[0], a[1], a[2]);
  if (!isfinite(joint->ref) || !isfinite(joint->springref))
    return COMPLAIN("%s: ref or springref is not finite", label);
  struct { const char* name; double value; } numbers[] = {
    {"stiffness", joint->stiffness}, {"damping", joint->damping}, {"armature", joint->armature},
    {"friction", joint->friction}};
  for (int i = 0; i < 4; i++)
    if (!(numbers[i].value >= 0 && numbers[i].value < INFINITY))
      return COMPLAIN("%s: %s %g; it must be zero or positive", label, numbers[i].name, numbers[i].value);
  if (joint->kind == SS_JOINT_FREE && joint->stiffness > 0) return COMPLAIN("%s: a free joint has no spring", label);
  if (joint->kind == SS_JOINT_BALL && joint->springref != 0)
    return COMPLAIN("%s: the spring of a ball joint is at ease without rotation; springref must be 0", label);
  return check_range(joint, label, error);
}

static ss_status check_free(const ss_tree_def* def, int j, ss_error* error)
{
  const ss_joint_def* joint = def->joint + j;
  char label[80];
  ss_tree_label("joint", joint->name, j, label);
  if (def->body[joint->body].parent != SS_WORLD)
    return COMPLAIN("%s: a free joint needs a body that hangs on the world", label);
  for (int i = 0; i < def->n_joint; i++)
    if (i != j && def->joint[i].body == joint->body)
      return COMPLAIN("%s: a body with a free joint has no other joint", label);
  return SS_OK;
}

ss_status ss_tree_check(const ss_tree_def* def, ss_error* error)
{
  if (!def) return COMPLAIN("no definition of a tree");
  if (def->n_body < 1 || def->n_body > MOST || !def->body)
    return COMPLAIN("a tree has 1 to %d bodies, not %d", MOST, def->n_body);
  if (def->n_joint < 0 || def->n_joint > MOST || (def->n_joint && !def->joint))
    return COMPLAIN("a tree has 0 to %d joints, not %d", MOST, def->n_joint);
  if (!ss_all_finite(3, def->gravity)) return COMPLAIN("gravity is not finite");
  for (int b = 0; b < def->n_body; b++)
    if (check_body(def, b, error) < 0) return SS_ERR_INPUT;
  for (int j = 0; j < def->n_joint; j++)
    if (check_joint(def, j, error) < 0) return SS_ERR_INPUT;
  for (int j = 0; j < def->n_joint; j++)
    if (def->joint[j].kind == SS_JOINT_FREE && check_free(def, j, error) < 0) return SS_ERR_INPUT;
  return SS_OK;
}
