// What relates bodies, joints and geoms of an MJCF file: contact lists, equalities, actuators; and keyframes.
#include <math.h>
#include <string.h>
#include <stickslip/dissipation.h>
#include "io/mjcf.h"

// ---- contact lists ----

ss_status ss_mj_read_exclude(ss_mjcf* r, const ss_xml_node* node, const ss_mj_element* e, const ss_mj_scope* scope)
{
  ss_mj_scene* s = r->out;
  ss_mj_exclude v = {0};
  int n = s->scene.n_exclude;
  (void)scope;
  if (ss_mj_read(r, node, e, -1, &v) < 0) return SS_ERR_INPUT;
  if (!SS_MJ_GROW(s->exclude, s->exclude_room, n)) return ss_mj_memory(r);
  ss_scene_exclude* x = s->exclude + n;
  *x = (ss_scene_exclude){.line = node->line};
  ss_status st = ss_mj_name(r, SS_MJ_EXCLUDE, &v.name, "", n, node, &x->name);
  if (st < 0 || (st = ss_mj_refer(r, SS_MJ_BODY, &v.body1, "body1", &x->body_a)) < 0 ||
      (st = ss_mj_refer(r, SS_MJ_BODY, &v.body2, "body2", &x->body_b)) < 0)
    return st;
  s->scene.n_exclude++;
  return SS_OK;
}

// Numbers that the text of the value has itself; others are of a class, or the table's
static int given(const ss_mj_value* v)
{
  int n = 0;
  for (const char* at = v->text; *(at += strspn(at, " \t\r\n")); at += strcspn(at, " \t\r\n")) n++;
  return v->level < 0 ? 0 : n;
}

// The two numbers of sliding, and those of rolling, stand for two directions, and a number that is left out does not
// follow the one before it
static ss_status pair_two_numbers(ss_mjcf* r, const ss_mj_pair* v, const ss_scene_pair* p)
{
  for (int i = 0; i < 4; i += 3) {
    const double *mu = p->friction + i;
    bool counts = i ? p->condim == 6 : p->condim > 1 && !v->polygon.text;
    if (!counts || mu[0] == mu[1]) continue;
    bool half = given(&v->friction) == i + 1;
    if ((mu[0] > 0) != (mu[1] > 0))
      return ss_mj_error_of(r, &v->friction, "pair: friction is %g in one direction and %g in the other%s; both must "
                            "be 0, or both greater, however small", mu[0], mu[1],
                            half ? ", since it has a single number for them" : "");
    if (half && ss_mj_notice(r, SS_SCENE_HONOURED, "pair", "friction",
                             i ? "has no fifth number, so that rolling resistance differs with the direction; write "
                                 "both numbers"
                               : "has no second number, so that friction differs with the direction (that one is 1, or "
                                 "of a class); write both numbers", v->friction.line, 1) < 0)
      return SS_ERR_MEMORY;
  }
  return SS_OK;
}

// Friction that differs with the direction: two numbers, T1 along a direction of geom1, or a polygon
static ss_status pair_directions(ss_mjcf* r, const ss_xml_node* node, const ss_mj_pair* v, ss_scene_pair* p)
{
  if (pair_two_numbers(r, v, p) < 0) return SS_ERR_INPUT;
  p->directed = v->direction.text != NULL;
  for (int i = 0; i < 3 && p->directed; i++) p->direction[i] = v->direction.v[i];
  if (p->directed && !(ss_norm(ss_vec3_from(p->direction)) > 0))
    return ss_mj_error_of(r, &v->direction, "pair: friction-direction is 0 0 0; it must point somewhere");
  if (!v->polygon.text) return SS_OK;
  double* list;
  int n;
  ss_status st = ss_mj_list(r, node, "friction-polygon", &v->polygon, &n, &list);
  if (st < 0) return st;
  if (n < 6 || n%2 != 0)
    return ss_mj_error_of(r, &v->polygon, "pair: friction-polygon takes two numbers for each of 3 or more corners, not "
                          "%d", n);
  p->n_polygon = n/2;
  p->polygon = list;
  ss_error why = {0};
  ss_friction_set set = {.shape = SS_SET_POLYGON, .n = p->n_polygon, .vertex = p->polygon};
  if (ss_friction_set_check(&set, &why) >= 0) return SS_OK;
  return ss_mj_error_of(r, &v->polygon, "pair: friction-polygon: %.200s", why.text);
}

// Laws other than Coulomb's with one coefficient
static ss_status pair_laws(ss_mjcf* r, const ss_mj_pair* v, ss_scene_pair* p)
{
  p->law = v->law.text ? ss_pool_copy(&r->out->pool, v->law.text, strlen(v->law.text)) : "";
  if (!p->law) return ss_mj_memory(r);
  if (v->at_rest.text) p->mu_static = v->at_rest.v[0];
  if (v->at_rest.text && !*p->law && p->mu_static < p->friction[0])
    return ss_mj_error_of(r, &v->at_rest, "pair: friction-static is %g; it must not be less than friction, %g",
                          p->mu_static, p->friction[0]);
  for (int i = 0; i < 2 && v->bound.text; i++) p->bound[i] = v->bound.v[i < v->bound.n ? i : 0];
  if (p->bound[0] < 0 || p->bound[1] < p->bound[0])
    return ss_mj_error_of(r, &v->bound, "pair: friction-bound is %g, at rest %g; they must not be negative, nor less "
                          "at rest than in motion", p->bound[0], p->bound[1]);
  bool other = v->at_rest.text || *p->law;
  if (other && p->n_polygon)
    return ss_mj_error_of(r, &v->polygon, "pair: friction-polygon goes with neither friction-static nor friction-law");
  bool some = other || v->bound.text;
  if (some && p->condim < 3)
    return ss_mj_error_of(r, &v->condim, "pair: condim is %d, without friction; it must be 3, 4 or 6", p->condim);
  return SS_OK;
}

// Nothing of the geoms is used: what the pair does not give is that of its class, or the table's
static ss_status pair_surface(ss_mjcf* r, const ss_xml_node* node, const ss_mj_pair* v, ss_scene_pair* p)
{
  const ss_scene_geom *a = r->out->geom + p->geom_a, *b = r->out->geom + p->geom_b;
  p->condim = (int)v->condim.v[0];
  if (p->condim != 1 && p->condim != 3 && p->condim != 4 && p->condim != 6)
    return ss_mj_error_of(r, &v->condim, "pair: condim is %d; it must be 1, 3, 4 or 6", p->condim);
  for (int i = 0; i < 5; i++) {
    p->friction[i] = v->friction.v[i];
    if (p->friction[i] < 0)
      return ss_mj_error_of(r, &v->friction, "pair: friction is %g; it must not be negative", p->friction[i]);
  }
  p->restitution = v->restitution.v[0];
  p->tangential = v->tangential.v[0];
  p->margin = v->margin.v[0];
  p->gap = v->gap.v[0];
  if (p->restitution < 0 || p->restitution > 1)
    return ss_mj_error_of(r, &v->restitution, "pair: restitution is %g; it must be 0 to 1", p->restitution);
  if (p->tangential < 0 || p->tangential > 1)
    return ss_mj_error_of(r, &v->tangential, "pair: restitution-tangential is %g; it must be 0 to 1", p->tangential);
  ss_status st = SS_OK;
  if (v->restitution.level < 0 && (a->restitution > 0 || b->restitution > 0))
    st = ss_mj_notice(r, SS_SCENE_HONOURED, "pair", "restitution", "is not given, so that it is 0: a pair uses nothing "
                      "of its geoms", node->line, 1);
  if (st >= 0 && p->margin > p->gap)
    st = ss_mj_notice(r, SS_SCENE_APPROXIMATED, "pair", "margin", SS_MJ_MARGIN, v->margin.line, 1);
  if (st < 0 || (st = pair_directions(r, node, v, p)) < 0) return st;
  return pair_laws(r, v, p);
}

ss_status ss_mj_read_pair(ss_mjcf* r, const ss_xml_node* node, const ss_mj_element* e, const ss_mj_scope* scope)
{
  ss_mj_scene* s = r->out;
  ss_mj_pair v = {0};
  int class, a, b, n = s->scene.n_pair;
  if (ss_mj_class_of(r, node, scope, &class) < 0 || ss_mj_read(r, node, e, class, &v) < 0) return SS_ERR_INPUT;
  if (ss_mj_refer(r, SS_MJ_GEOM, &v.geom1, "geom1", &a) < 0 || ss_mj_refer(r, SS_MJ_GEOM, &v.geom2, "geom2", &b) < 0)
    return SS_ERR_INPUT;
  if (a == b)
    return ss_mj_error_of(r, &v.geom2, "pair: geom1 and geom2 are both '%.60s'; they must be two", v.geom2.text);
  if (!SS_MJ_GROW(s->pair, s->pair_room, n)) return ss_mj_memory(r);
  s->pair[n] = (ss_scene_pair){.line = node->line, .geom_a = a, .geom_b = b, .law = ""};
  ss_status st = ss_mj_name(r, SS_MJ_PAIR, &v.name, "", n, node, &s->pair[n].name);
  if (st < 0 || (st = pair_surface(r, node, &v, s->pair + n)) < 0) return st;
  s->scene.n_pair++;
  return SS_OK;
}

// ---- equalities ----

// Of a body in the world, at the pose of the file
static void world_pose(const ss_mjcf* r, int body, ss_vec3* position, ss_quat* rotation)
{
  *position = (ss_vec3){0, 0, 0};
  *rotation = (ss_quat){1, 0, 0, 0};
  for (int b = body; b >= 0; b = r->out->body[b].parent) {
    ss_quat q = ss_quat_from(r->out->body[b].rotation);
    *position = ss_add(ss_vec3_from(r->out->body[b].position), ss_quat_rotate(q, *position));
    *rotation = ss_quat_normalized(ss_quat_mul(q, *rotation));
  }
}

// A point of body `from` in the frame of body `to`, at the pose of the file
static ss_vec3 carried(const ss_mjcf* r, int from, int to, ss_vec3 point, ss_quat* relative)
{
  ss_vec3 pa, pb;
  ss_quat qa, qb;
  world_pose(r, from, &pa, &qa);
  world_pose(r, to, &pb, &qb);
  if (relative) *relative = ss_quat_normalized(ss_quat_mul(ss_quat_conjugate(qb), qa));
  ss_vec3 world = ss_add(pa, ss_quat_rotate(qa, point));
  return ss_quat_rotate(ss_quat_conjugate(qb), ss_sub(world, pb));
}

// Between two sites, which are to coincide
static ss_status tie_sites(ss_mjcf* r, const ss_mj_equality* v, ss_scene_equality* q)
{
  int a, b;
  if (ss_mj_refer(r, SS_MJ_SITE, &v->site1, "site1", &a) < 0 || ss_mj_refer(r, SS_MJ_SITE, &v->site2, "site2", &b) < 0)
    return SS_ERR_INPUT;
  const ss_scene_site *sa = r->out->site + a, *sb = r->out->site + b;
  q->body_a = sa->body;
  q->body_b = sb->body;
  memcpy(q->point_a, sa->position, sizeof q->point_a);
  memcpy(q->point_b, sb->position, sizeof q->point_b);
  ss_quat turn = ss_quat_mul(ss_quat_from(sa->rotation), ss_quat_conjugate(ss_quat_from(sb->rotation)));
  ss_quat_to(ss_quat_normalized(turn), q->rotation);
  return SS_OK;
}

// Connect: the anchor is a point of body 1. Weld: a point of body 2, and the place where it is held in body 1 is that
// of relpose, or that of the file if relpose has no quaternion.
static ss_status tie_bodies(ss_mjcf* r, const ss_mj_equality* v, ss_scene_equality* q)
{
  if (ss_mj_refer(r, SS_MJ_BODY, &v->body1, "body1", &q->body_a) < 0) return SS_ERR_INPUT;
  q->body_b = SS_WORLD;
  if (v->body2.text && ss_mj_refer(r, SS_MJ_BODY, &v->body2, "body2", &q->body_b) < 0) return SS_ERR_INPUT;
  ss_vec3 anchor = ss_vec3_from(v->anchor.v);
  ss_quat turn;
  if (q->kind == SS_SCENE_CONNECT) {
    memcpy(q->point_a, v->anchor.v, sizeof q->point_a);
    ss_vec3_to(carried(r, q->body_a, q->body_b, anchor, NULL), q->point_b);
    return SS_OK;
  }
  memcpy(q->point_b, v->anchor.v, sizeof q->point_b);
  ss_vec3_to(carried(r, q->body_b, q->body_a, anchor, &turn), q->point_a);
  const double* p = v->relpose.v;
  if (p[3] != 0 || p[4] != 0 || p[5] != 0 || p[6] != 0) {
    memcpy(q->point_a, p, sizeof q->point_a);
    turn = ss_quat_normalized(ss_quat_from(p + 3));
  }
  ss_quat_to(turn, q->rotation);
  return SS_OK;
}

static ss_status tie_joints(ss_mjcf* r, const ss_mj_equality* v, ss_scene_equality* q)
{
  const ss_mj_value* named[2] = {&v->joint1, &v->joint2};
  int* number[2] = {&q->joint_a, &q->joint_b};
  q->joint_b = -1;
  for (int i = 0; i < 2; i++) {
    if (!named[i]->text) continue;
    if (ss_mj_refer(r, SS_MJ_JOINT, named[i], i ? "joint2" : "joint1", number[i]) < 0) return SS_ERR_INPUT;
    if (r->out->joint[*number[i]].kind > SS_JOINT_SLIDE)
      return ss_mj_error_of(r, named[i], "joint '%.60s' is no hinge and no slide; only those can be tied by a "
                            "polynomial", named[i]->text);
  }
  memcpy(q->polycoef, v->polycoef.v, sizeof q->polycoef);
  return SS_OK;
}

static ss_status tie(ss_mjcf* r, const ss_xml_node* node, const ss_mj_equality* v, ss_scene_equality* q)
{
  if (strcmp(node->name, "tendon") == 0) return ss_mj_tie_tendons(r, node, v, q);
  if (q->kind == SS_SCENE_JOINT) return tie_joints(r, v, q);
  bool bodies = v->body1.text || v->body2.text || (q->kind == SS_SCENE_CONNECT && v->anchor.text);
  bool sites = v->site1.text || v->site2.text;
  if (bodies && sites) return ss_mj_error_at(r, node, "%s: give bodies or sites, not both", node->name);
  if (sites) {
    if (!v->site1.text || !v->site2.text) return ss_mj_error_at(r, node, "%s needs site1 and site2", node->name);
    return tie_sites(r, v, q);
  }
  if (!v->body1.text) return ss_mj_error_at(r, node, "%s needs the attribute 'body1' (or site1 and site2)", node->name);
  if (q->kind == SS_SCENE_CONNECT && !v->anchor.text)
    return ss_mj_error_at(r, node, "connect needs the attribute 'anchor'");
  return tie_bodies(r, v, q);
}

ss_status ss_mj_read_equality(ss_mjcf* r, const ss_xml_node* node, const ss_mj_element* e, const ss_mj_scope* scope)
{
  ss_mj_scene* s = r->out;
  ss_mj_equality v = {0};
  int class, n = s->scene.n_equality;
  if (ss_mj_class_of(r, node, scope, &class) < 0 || ss_mj_read(r, node, e, class, &v) < 0) return SS_ERR_INPUT;
  if (!SS_MJ_GROW(s->equality, s->equality_room, n)) return ss_mj_memory(r);
  ss_scene_equality* q = s->equality + n;
  *q = (ss_scene_equality){.line = node->line, .active = v.active.word && r->equality, .rotation = {1, 0, 0, 0},
                           .body_a = SS_WORLD, .body_b = SS_WORLD, .joint_a = -1, .joint_b = -1};
  q->kind = strcmp(e->name, "connect") == 0 ? SS_SCENE_CONNECT
            : strcmp(e->name, "weld") == 0  ? SS_SCENE_WELD : SS_SCENE_JOINT;
  if (q->kind == SS_SCENE_WELD) q->torquescale = v.torquescale.v[0];
  ss_status st = ss_mj_name(r, SS_MJ_EQUALITY, &v.name, "", n, node, &q->name);
  if (st < 0 || (st = tie(r, node, &v, q)) < 0) return st;
  if (q->kind == SS_SCENE_JOINT ? q->joint_a >= 0 && q->joint_a == q->joint_b : q->body_a == q->body_b)
    return ss_mj_error_at(r, node, "%s ties a %s to itself", node->name, q->kind == SS_SCENE_JOINT ? "joint" : "body");
  s->scene.n_equality++;
  if (q->kind == SS_SCENE_WELD && q->torquescale != 0 && q->torquescale != 1)
    return ss_mj_notice(r, SS_SCENE_APPROXIMATED, "weld", "torquescale", "welds are rigid; only 0 differs from 1",
                        v.torquescale.line, 1);
  return SS_OK;
}

// ---- actuators ----

static ss_status read_limits(ss_mjcf* r, const ss_mj_value* limited, const ss_mj_value* range, const char* name,
                             bool* on, double out[2])
{
  bool given = ss_mj_has_range(range);
  *on = limited->word == 1 || (limited->word == 2 && given);
  if (limited->word == 2 && given && !r->set.autolimits)
    return ss_mj_error_of(r, range, "with autolimits=\"false\" %srange needs %slimited", name, name);
  if (!*on) return SS_OK;
  if (!given) return ss_mj_error_of(r, limited, "%slimited is true, but there is no %srange", name, name);
  if (range->v[0] >= range->v[1])
    return ss_mj_error_of(r, range, "%srange is %g %g; the first number must be less than the second", name,
                          range->v[0], range->v[1]);
  out[0] = range->v[0];
  out[1] = range->v[1];
  return SS_OK;
}

static bool is_skipped_tendon(const ss_mjcf* r, const char* name)
{
  const ss_xml_node* root = ss_xml_root(r->xml);
  for (const ss_xml_node* section = root->child; section; section = section->next)
    for (const ss_xml_node* c = strcmp(section->name, "tendon") == 0 ? section->child : NULL; c; c = c->next) {
      const ss_xml_attribute* a = strcmp(c->name, "spatial") == 0 ? ss_xml_find(c, "name") : NULL;
      if (a && strcmp(a->value, name) == 0) return true;
    }
  return false;
}

// The joint or tendon that it drives, both -1 if it drives something else, which is told
static ss_status read_transmission(ss_mjcf* r, const ss_xml_node* node, const ss_mj_actuator* v, int* joint,
                                   int* tendon)
{
  const struct { const ss_mj_value* v; const char *name, *why; } others[] = {
    {&v->tendon, "tendon", "it drives a spatial tendon and does not act"},
    {&v->site, "site", "it drives a site and does not act"},
    {&v->body, "body", "it drives a body and does not act"},
    {&v->cranksite, "cranksite", "it drives a slider-crank and does not act"}};
  const ss_mj_value* by = v->joint.text ? &v->joint : &v->jointinparent;
  *joint = *tendon = -1;
  if (!by->text && v->tendon.text && !is_skipped_tendon(r, v->tendon.text))
    return ss_mj_refer(r, SS_MJ_TENDON, &v->tendon, "tendon", tendon);
  for (int i = 0; i < 4 && !by->text; i++)
    if (others[i].v->text)
      return ss_mj_notice(r, SS_SCENE_IGNORED, "actuator", others[i].name, others[i].why, others[i].v->line, 1);
  if (!by->text) return ss_mj_error_at(r, node, "%s needs the attribute 'joint'", node->name);
  if (ss_mj_refer(r, SS_MJ_JOINT, by, "joint", joint) < 0) return SS_ERR_INPUT;
  if (by == &v->jointinparent && r->out->joint[*joint].kind > SS_JOINT_SLIDE)
    return ss_mj_notice(r, SS_SCENE_APPROXIMATED, "actuator", "jointinparent", "forces turn with the child", by->line,
                        1);
  return SS_OK;
}

// force = gain ctrl + bias . (1, length, velocity); false if it is of another form, which is told
static ss_status read_gains(ss_mjcf* r, const ss_mj_actuator* v, ss_scene_actuator* a, bool* acts)
{
  *acts = true;
  a->gain = 1;
  if (strcmp(a->kind, "position") == 0) {
    a->gain = v->kp.v[0];
    a->bias[1] = -v->kp.v[0];
    a->bias[2] = -v->kv.v[0];
    if (v->kp.v[0] < 0) return ss_mj_error_of(r, &v->kp, "position: kp is %g; it must not be negative", v->kp.v[0]);
  }
  if (strcmp(a->kind, "velocity") == 0) {
    a->gain = v->kv.v[0];
    a->bias[2] = -v->kv.v[0];
  }
  if (v->kv.text && v->kv.v[0] < 0)
    return ss_mj_error_of(r, &v->kv, "%s: kv is %g; it must not be negative", a->kind, v->kv.v[0]);
  if (strcmp(a->kind, "general") != 0) return SS_OK;
  a->gain = v->gainprm.v[0];
  for (int i = 0; i < 3 && v->biastype.word == 1; i++) a->bias[i] = v->biasprm.v[i];
  bool filter = v->dyntype.word == 2 || v->dyntype.word == 3;
  *acts = v->gaintype.word == 0 && v->biastype.word <= 1 && (v->dyntype.word == 0 || filter);
  const ss_mj_value* at = v->dyntype.word ? &v->dyntype : v->gaintype.word ? &v->gaintype : &v->biastype;
  if (!*acts)
    return ss_mj_notice(r, SS_SCENE_IGNORED, "general", at == &v->dyntype ? "dyntype" : "gaintype, biastype",
                        "actuators of this type do not act", at->line, 1);
  return filter ? ss_mj_notice(r, SS_SCENE_APPROXIMATED, "general", "dyntype", "controls act at once", at->line, 1)
                : SS_OK;
}

// The range of controls of a position servo from that of its joint
static ss_status inherit_range(ss_mjcf* r, const ss_mj_actuator* v, ss_scene_actuator* a)
{
  double f = v->inheritrange.n ? v->inheritrange.v[0] : 0;
  if (f == 0) return SS_OK;
  if (a->joint < 0) return ss_mj_error_of(r, &v->inheritrange, "position: inheritrange needs a joint with a range");
  const ss_joint_def* joint = r->out->joint + a->joint;
  if (f < 0 || v->ctrlrange.text)
    return ss_mj_error_of(r, &v->inheritrange, "position: inheritrange is positive and stands without ctrlrange");
  if (joint->range[0] >= joint->range[1])
    return ss_mj_error_of(r, &v->inheritrange, "position: inheritrange needs a joint with a range");
  double middle = 0.5*(joint->range[0] + joint->range[1]), radius = 0.5*f*(joint->range[1] - joint->range[0]);
  a->ctrllimited = true;
  a->ctrlrange[0] = middle - radius;
  a->ctrlrange[1] = middle + radius;
  return SS_OK;
}

ss_status ss_mj_read_actuator(ss_mjcf* r, const ss_xml_node* node, const ss_mj_element* e, const ss_mj_scope* scope)
{
  ss_mj_scene* s = r->out;
  ss_mj_actuator v = {0};
  int class, joint, tendon, n = s->scene.n_actuator;
  bool acts;
  if (ss_mj_class_of(r, node, scope, &class) < 0 || ss_mj_read(r, node, e, class, &v) < 0) return SS_ERR_INPUT;
  ss_status st = read_transmission(r, node, &v, &joint, &tendon);
  if (st < 0 || (joint < 0 && tendon < 0)) return st;
  if (!SS_MJ_GROW(s->actuator, s->actuator_room, n)) return ss_mj_memory(r);
  ss_scene_actuator* a = s->actuator + n;
  *a = (ss_scene_actuator){.line = node->line, .kind = e->name, .joint = joint, .tendon = tendon};
  memcpy(a->gear, v.gear.v, sizeof a->gear);
  if ((st = read_gains(r, &v, a, &acts)) < 0 || !acts) return st;
  if ((st = read_limits(r, &v.ctrllimited, &v.ctrlrange, "ctrl", &a->ctrllimited, a->ctrlrange)) < 0 ||
      (st = read_limits(r, &v.forcelimited, &v.forcerange, "force", &a->forcelimited, a->forcerange)) < 0 ||
      (st = inherit_range(r, &v, a)) < 0 || (st = ss_mj_name(r, SS_MJ_ACTUATOR, &v.name, "", n, node, &a->name)) < 0)
    return st;
  s->scene.n_actuator++;
  return SS_OK;
}

// ---- keyframes ----

// A list of n numbers into out; absent: out stays
static ss_status read_state(ss_mjcf* r, const ss_xml_node* node, const ss_mj_value* v, const char* name, int n,
                            double* out)
{
  double* list;
  int got;
  if (!v->text) return SS_OK;
  ss_status st = ss_mj_list(r, node, name, v, &got, &list);
  if (st < 0) return st;
  if (got != n) return ss_mj_error_of(r, v, "key: %s takes %d numbers in this scene, not %d", name, n, got);
  memcpy(out, list, sizeof *out*(size_t)n);
  return SS_OK;
}

static ss_status normalize(ss_mjcf* r, const ss_mj_value* v, double* qpos)
{
  const ss_mj_scene* s = r->out;
  int at = 0;
  for (int j = 0; j < s->scene.tree.n_joint; j++) {
    ss_joint_kind kind = s->joint[j].kind;
    double* q = qpos + at + (kind == SS_JOINT_FREE ? 3 : 0);
    at += kind == SS_JOINT_FREE ? 7 : kind == SS_JOINT_BALL ? 4 : 1;
    if (kind != SS_JOINT_FREE && kind != SS_JOINT_BALL) continue;
    double most = fmax(fmax(fabs(q[0]), fabs(q[1])), fmax(fabs(q[2]), fabs(q[3])));
    if (!(most > 1e-14 && most < 1e150))
      return ss_mj_error_of(r, v, "key: the quaternion of joint '%.60s' has no length", s->joint[j].name);
    ss_quat_to(ss_quat_normalized(ss_quat_from(q)), q);
  }
  return SS_OK;
}

// Controls of the file are those of all its actuators; the scene's are those that were read
static ss_status read_controls(ss_mjcf* r, const ss_xml_node* node, const ss_mj_key* v, double* ctrl)
{
  double* all = ss_pool_take(&r->out->pool, sizeof *all*(size_t)(r->n_control + 1));
  if (!all) return ss_mj_memory(r);
  ss_status st = read_state(r, node, &v->ctrl, "ctrl", r->n_control, all);
  if (st < 0) return st;
  for (int i = 0; i < r->n_control; i++)
    if (r->control[i] >= 0) ctrl[r->control[i]] = all[i];
  return SS_OK;
}

ss_status ss_mj_read_key(ss_mjcf* r, const ss_xml_node* node, const ss_mj_element* e, const ss_mj_scope* scope)
{
  ss_mj_scene* s = r->out;
  ss_mj_key v = {0};
  int n = s->scene.n_key, nq = s->scene.nq, nv = s->scene.nv;
  (void)scope;
  if (ss_mj_read(r, node, e, -1, &v) < 0) return SS_ERR_INPUT;
  double* qpos = ss_pool_take(&s->pool, sizeof *qpos*(size_t)(nq + nv + s->scene.n_actuator + 1));
  if (!qpos || !SS_MJ_GROW(s->key, s->key_room, n)) return ss_mj_memory(r);
  double *qvel = qpos + nq, *ctrl = qvel + nv;
  memcpy(qpos, s->reference, sizeof *qpos*(size_t)nq);
  ss_scene_key* key = s->key + n;
  *key = (ss_scene_key){.line = node->line, .time = v.time.v[0], .qpos = qpos, .qvel = qvel, .ctrl = ctrl};
  ss_status st = ss_mj_name(r, SS_MJ_KEY, &v.name, "", n, node, &key->name);
  if (st < 0 || (st = read_state(r, node, &v.qpos, "qpos", nq, qpos)) < 0 || (st = normalize(r, &v.qpos, qpos)) < 0 ||
      (st = read_state(r, node, &v.qvel, "qvel", nv, qvel)) < 0 || (st = read_controls(r, node, &v, ctrl)) < 0)
    return st;
  s->scene.n_key++;
  return SS_OK;
}
