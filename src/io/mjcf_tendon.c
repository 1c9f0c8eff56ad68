// Fixed tendons: lengths that are sums of coordinates, sum of c_i q_i, with limits, springs, dampers and friction.
// Actuators drive them, and equalities of few joints become equalities of joints.
#include <math.h>
#include <string.h>
#include "io/mjcf.h"

static ss_status read_term(ss_mjcf* r, const ss_xml_node* node, int* joint, double* coefficient)
{
  ss_mj_term v = {0};
  if (ss_mj_read(r, node, ss_mj_element_find(SS_MJ_IN_FIXED, "joint"), -1, &v) < 0) return SS_ERR_INPUT;
  if (ss_mj_refer(r, SS_MJ_JOINT, &v.joint, "joint", joint) < 0) return SS_ERR_INPUT;
  if (r->out->joint[*joint].kind > SS_JOINT_SLIDE)
    return ss_mj_error_of(r, &v.joint, "joint '%.60s' is no hinge and no slide; only those are in tendons",
                          v.joint.text);
  *coefficient = v.coef.v[0];
  return SS_OK;
}

// ---- limits, springs, dampers, friction ----

// The body that its kinematic tree begins with: the outermost one with a joint
static int tree_of(const ss_mj_scene* s, int body)
{
  int first = body;
  for (int b = body; b != SS_WORLD; b = s->body[b].parent)
    for (int j = 0; j < s->scene.tree.n_joint && first != b; j++)
      if (s->joint[j].body == b) first = b;
  return first;
}

// Whether it can have a row: at most three joints that count, of at most two kinematic trees
static bool fits_row(const ss_mj_scene* s, const ss_scene_tendon* t)
{
  int tree[3], n = 0;
  for (int i = 0; i < t->n_term; i++) {
    if (t->coefficient[i] == 0) continue;
    if (n == 3) return false;
    tree[n++] = tree_of(s, s->joint[t->joint[i]].body);
  }
  return n < 3 || tree[0] == tree[1] || tree[1] == tree[2] || tree[0] == tree[2];
}

#define TOO_MANY "it would have a row of more than three joints, or of three trees"

static ss_status read_range(ss_mjcf* r, const ss_xml_node* node, const ss_mj_tendon* v, ss_scene_tendon* t)
{
  const ss_mj_value* range = &v->range;
  bool given = ss_mj_has_range(range);
  if (given && v->limited.word == 2 && !r->set.autolimits)
    return ss_mj_error_of(r, range, "tendon: with autolimits=\"false\" a range needs limited=\"true\" or \"false\"");
  if (!(v->limited.word == 1 || (v->limited.word == 2 && given))) return SS_OK;
  if (!given) return ss_mj_error_at(r, node, "tendon: it is limited, but has no range");
  if (range->v[0] >= range->v[1])
    return ss_mj_error_of(r, range, "tendon: range is %g %g; the first number must be less than the second",
                          range->v[0], range->v[1]);
  memcpy(t->range, range->v, sizeof t->range);
  t->limited = r->limit && fits_row(r->out, t);
  if (t->limited || !r->limit) return SS_OK;
  return ss_mj_notice(r, SS_SCENE_IGNORED, "tendon", "range", TOO_MANY, range->line, 1);
}

static ss_status read_coefficient(ss_mjcf* r, const ss_mj_value* v, const char* attribute, double* x)
{
  *x = v->v[0];
  if (*x < 0) return ss_mj_error_of(r, v, "tendon: %s is %g; it must not be negative", attribute, *x);
  if (v->n > 1 && (v->v[1] != 0 || (v->n > 2 && v->v[2] != 0)))
    return ss_mj_notice(r, SS_SCENE_APPROXIMATED, "tendon", attribute, "only the first, linear, coefficient acts",
                        v->line, 1);
  return SS_OK;
}

// The lengths at rest; without them (or -1) that of the joints where their springs are at ease
static ss_status read_rest(ss_mjcf* r, const ss_mj_value* v, ss_scene_tendon* t)
{
  double low = v->text ? v->v[0] : -1, high = v->text && v->n > 1 ? v->v[1] : low;
  if (low > high)
    return ss_mj_error_of(r, v, "tendon: springlength is %g %g; the first number must not be greater", low, high);
  double ease = 0;
  for (int i = 0; i < t->n_term; i++) ease += t->coefficient[i]*r->out->joint[t->joint[i]].springref;
  bool automatic = low == -1 && high == -1;
  t->springlength[0] = automatic ? ease : low;
  t->springlength[1] = automatic ? ease : high;
  return SS_OK;
}

static ss_status read_forces(ss_mjcf* r, const ss_xml_node* node, const ss_mj_tendon* v, ss_scene_tendon* t)
{
  if (read_range(r, node, v, t) < 0 || read_coefficient(r, &v->stiffness, "stiffness", &t->stiffness) < 0 ||
      read_coefficient(r, &v->damping, "damping", &t->damping) < 0 ||
      read_coefficient(r, &v->frictionloss, "frictionloss", &t->friction) < 0 ||
      read_rest(r, &v->springlength, t) < 0)
    return SS_ERR_INPUT;
  if (!r->spring) t->stiffness = 0;
  if (!r->damper) t->damping = 0;
  if (!r->frictionloss) t->friction = 0;
  if (t->friction == 0 || fits_row(r->out, t)) return SS_OK;
  t->friction = 0;
  return ss_mj_notice(r, SS_SCENE_IGNORED, "tendon", "frictionloss", TOO_MANY, v->frictionloss.line, 1);
}

ss_status ss_mj_read_tendon(ss_mjcf* r, const ss_xml_node* node, const ss_mj_element* e, const ss_mj_scope* scope)
{
  ss_mj_scene* s = r->out;
  ss_mj_tendon v = {0};
  int class, n = s->scene.n_tendon, terms = 0;
  if (ss_mj_class_of(r, node, scope, &class) < 0 || ss_mj_read(r, node, e, class, &v) < 0) return SS_ERR_INPUT;
  for (const ss_xml_node* c = node->child; c; c = c->next) terms++;
  if (!terms) return ss_mj_error_at(r, node, "fixed needs one or more <joint joint=\"...\" coef=\"...\"/>");
  int* joint = ss_pool_take(&s->pool, sizeof *joint*(size_t)terms);
  double* coefficient = ss_pool_take(&s->pool, sizeof *coefficient*(size_t)terms);
  if (!joint || !coefficient || !SS_MJ_GROW(s->tendon, s->tendon_room, n)) return ss_mj_memory(r);
  ss_scene_tendon* t = s->tendon + n;
  *t = (ss_scene_tendon){.line = node->line, .n_term = terms, .joint = joint, .coefficient = coefficient};
  terms = 0;
  for (const ss_xml_node* c = node->child; c; c = c->next, terms++) {
    if (read_term(r, c, joint + terms, coefficient + terms) < 0) return SS_ERR_INPUT;
    for (int i = 0; i < terms; i++)
      if (joint[i] == joint[terms]) return ss_mj_error_at(r, c, "fixed: this joint stands twice in one tendon");
  }
  ss_status st = ss_mj_name(r, SS_MJ_TENDON, &v.name, "", n, node, &t->name);
  if (st < 0 || (st = read_forces(r, node, &v, t)) < 0) return st;
  s->scene.n_tendon++;
  return SS_OK;
}

// ---- equalities ----

// c_y (y - y0) + c_x (x - x0) = p0 is one of two joints: y = y0 + p0/c_y - c_x/c_y (x - x0)
static bool tie_one(const ss_scene_tendon* t, const double p[5], ss_scene_equality* q)
{
  if (t->n_term > 2 || t->coefficient[0] == 0 || p[2] != 0 || p[3] != 0 || p[4] != 0) return false;
  q->joint_a = t->joint[0];
  q->polycoef[0] = p[0]/t->coefficient[0];
  if (t->n_term == 1) return true;
  q->joint_b = t->joint[1];
  q->polycoef[1] = -t->coefficient[1]/t->coefficient[0];
  return true;
}

// c_y (y - y0) = sum of p_i (c_x (x - x0))^i: likewise
static bool tie_two(const ss_scene_tendon* t, const ss_scene_tendon* by, const double p[5], ss_scene_equality* q)
{
  double power = 1;
  if (t->n_term != 1 || by->n_term != 1 || t->coefficient[0] == 0) return false;
  q->joint_a = t->joint[0];
  q->joint_b = by->joint[0];
  for (int i = 0; i < 5; i++, power *= by->coefficient[0]) q->polycoef[i] = p[i]*power/t->coefficient[0];
  return true;
}

ss_status ss_mj_tie_tendons(ss_mjcf* r, const ss_xml_node* node, const ss_mj_equality* v, ss_scene_equality* q)
{
  int a, b = -1;
  if (ss_mj_refer(r, SS_MJ_TENDON, &v->tendon1, "tendon1", &a) < 0) return SS_ERR_INPUT;
  if (v->tendon2.text && ss_mj_refer(r, SS_MJ_TENDON, &v->tendon2, "tendon2", &b) < 0) return SS_ERR_INPUT;
  const ss_scene_tendon* t = r->out->tendon;
  q->kind = SS_SCENE_JOINT;
  bool simple = b < 0 ? tie_one(t + a, v->polycoef.v, q) : tie_two(t + a, t + b, v->polycoef.v, q);
  for (int i = 0; i < 5; i++)
    if (!isfinite(q->polycoef[i])) return ss_mj_error_at(r, node, "tendon: a coefficient is too great for a number");
  if (simple) return SS_OK;
  q->active = false;
  q->joint_a = q->joint_b = -1;
  return ss_mj_notice(r, SS_SCENE_IGNORED, "equality", "tendon", "only tendons of two joints in all are tied",
                      node->line, 1);
}
