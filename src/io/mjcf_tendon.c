// Fixed tendons: lengths that are sums of coordinates, sum of c_i q_i. Actuators drive them, and equalities of few
// joints become equalities of joints.
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
  if (st < 0) return st;
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
