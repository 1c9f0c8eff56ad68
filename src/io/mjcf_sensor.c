// Sensors of an MJCF file: what they are of is resolved to a number, or to a place on a body.
#include <string.h>
#include "io/mjcf.h"
#include "math/principal.h"

enum { NOTHING, JOINT, BALL, TENDON, ACTUATOR, FRAME, OBJECT, BODY, SITE };

static const int of_what[SS_SENSOR_KINDS] = {
#define X(kind, name, numbers, unit, of) [SS_SENSOR_##kind] = of,
  SS_SENSOR_LIST(X)
#undef X
};

static ss_status not_computed(ss_mjcf* r, const ss_mj_element* e, const char* why, int line, bool* computed)
{
  *computed = false;
  return ss_mj_notice(r, SS_SCENE_UNUSED, e->name, "", why, line, 1);
}

// ---- what it is of ----

// Whether an element of this name stands in a section: it may be one that is not read
static bool stands_in(const ss_mjcf* r, const char* section, const char* name)
{
  for (const ss_xml_node* s = ss_xml_root(r->xml)->child; s; s = s->next)
    for (const ss_xml_node* c = strcmp(s->name, section) == 0 ? s->child : NULL; c; c = c->next) {
      const ss_xml_attribute* a = ss_xml_find(c, "name");
      if (a && strcmp(a->value, name) == 0) return true;
    }
  return false;
}

// Of a tendon or an actuator, which may be of a kind that is not read
static ss_status refer(ss_mjcf* r, const ss_mj_element* e, ss_mj_kind kind, const char* section, const ss_mj_value* v,
                       int* number, bool* computed)
{
  *number = ss_mj_name_get(r, kind, v->text);
  if (*number >= 0 || !stands_in(r, section, v->text)) return ss_mj_refer(r, kind, v, section, number);
  return not_computed(r, e, "not computed: what it is of does not act", v->line, computed);
}

static ss_status of_joint(ss_mjcf* r, const ss_mj_element* e, const ss_mj_sensor* v, bool ball, int* number)
{
  if (ss_mj_refer(r, SS_MJ_JOINT, &v->joint, "joint", number) < 0) return SS_ERR_INPUT;
  ss_joint_kind kind = r->out->joint[*number].kind;
  if (ball ? kind == SS_JOINT_BALL : kind <= SS_JOINT_SLIDE) return SS_OK;
  return ss_mj_error_of(r, &v->joint, "%s: joint '%.60s' is no %s", e->name, v->joint.text,
                        ball ? "ball" : "hinge and no slide");
}

static void frame_at(int body, const double position[3], const double rotation[4], ss_scene_frame* f)
{
  f->body = body;
  memcpy(f->position, position, sizeof f->position);
  memcpy(f->rotation, rotation, sizeof f->rotation);
}

// The centre of mass of a body, and its axes of inertia
static void inertial_frame(const ss_mjcf* r, int b, ss_scene_frame* f)
{
  const ss_body_def* body = r->out->body + b;
  const double* i = body->inertia;
  ss_sym3 inertia = {i[0], i[1], i[2], i[3], i[4], i[5]};
  ss_quat axes;
  double rotation[4];
  ss_sym3_principal(&inertia, &axes);
  ss_quat_to(axes, rotation);
  frame_at(b, body->com, rotation, f);
}

// The place of a body, geom or site; turned: its axes matter
static ss_status of_object(ss_mjcf* r, const ss_mj_element* e, const ss_mj_value* type, const ss_mj_value* name,
                           bool turned, ss_scene_frame* f, bool* computed)
{
  enum { INERTIAL, XBODY, GEOM, PLACE, CAMERA };
  static const ss_mj_kind kind[] = {SS_MJ_BODY, SS_MJ_BODY, SS_MJ_GEOM, SS_MJ_SITE};
  const ss_mj_scene* s = r->out;
  int n;
  *f = (ss_scene_frame){.body = SS_WORLD, .rotation = {1, 0, 0, 0}};
  if (type->word == CAMERA) return not_computed(r, e, "not computed: there are no cameras", type->line, computed);
  if (ss_mj_refer(r, kind[type->word], name, e->name, &n) < 0) return SS_ERR_INPUT;
  if (type->word == GEOM) frame_at(s->geom[n].body, s->geom[n].position, s->geom[n].rotation, f);
  if (type->word == PLACE) frame_at(s->site[n].body, s->site[n].position, s->site[n].rotation, f);
  if (type->word == XBODY) f->body = n;
  if (type->word == INERTIAL && n >= 0) inertial_frame(r, n, f);
  if (type->word == INERTIAL && n >= 0 && turned)
    return ss_mj_notice(r, SS_SCENE_APPROXIMATED, e->name, "body",
                        "axes of inertia: their order and signs are not told by the file; \"xbody\" is its frame",
                        type->line, 1);
  if (type->word == GEOM && s->geom[n].mesh >= 0)
    return ss_mj_notice(r, SS_SCENE_APPROXIMATED, e->name, "geom",
                        "the frame of a mesh is that of its file, not its axes of inertia", type->line, 1);
  return SS_OK;
}

static ss_status of_frame(ss_mjcf* r, const ss_mj_element* e, const ss_mj_sensor* v, ss_scene_sensor* x, bool* computed)
{
  bool turned = x->kind >= SS_SENSOR_FRAME_QUAT && x->kind <= SS_SENSOR_FRAME_Z;
  ss_status st = of_object(r, e, &v->objtype, &v->objname, turned, &x->frame, computed);
  if (st < 0 || !*computed || (!v->reftype.text && !v->refname.text)) return st;
  const ss_mj_value* alone = !v->refname.text ? &v->reftype : !v->reftype.text ? &v->refname : NULL;
  if (alone) return ss_mj_error_of(r, alone, "%s: reftype and refname stand together", e->name);
  x->relative = true;
  return of_object(r, e, &v->reftype, &v->refname, true, &x->from, computed);
}

static ss_status of_site(ss_mjcf* r, const ss_mj_sensor* v, ss_scene_sensor* x)
{
  int n;
  if (ss_mj_refer(r, SS_MJ_SITE, &v->site, "site", &n) < 0) return SS_ERR_INPUT;
  const ss_scene_site* site = r->out->site + n;
  frame_at(site->body, site->position, site->rotation, &x->frame);
  x->shape = site->shape;
  memcpy(x->size, site->size, sizeof x->size);
  static const int used[] = {[SS_SCENE_SPHERE] = 1,
                             [SS_SCENE_CAPSULE] = 2,
                             [SS_SCENE_ELLIPSOID] = 3,
                             [SS_SCENE_CYLINDER] = 2,
                             [SS_SCENE_BOX] = 3};
  for (int i = 0; x->kind == SS_SENSOR_TOUCH && i < used[x->shape]; i++)
    if (!(x->size[i] > 0))
      return ss_mj_error_of(r, &v->site, "touch: the size of the site '%.60s' is %g; it must be positive", v->site.text,
                            x->size[i]);
  return SS_OK;
}

static ss_status resolve(ss_mjcf* r, const ss_mj_element* e, const ss_mj_sensor* v, ss_scene_sensor* x, bool* computed)
{
  switch (of_what[x->kind]) {
  case JOINT: return of_joint(r, e, v, false, &x->number);
  case BALL: return of_joint(r, e, v, true, &x->number);
  case TENDON: return refer(r, e, SS_MJ_TENDON, "tendon", &v->tendon, &x->number, computed);
  case ACTUATOR: return refer(r, e, SS_MJ_ACTUATOR, "actuator", &v->actuator, &x->number, computed);
  case BODY: return ss_mj_refer(r, SS_MJ_BODY, &v->body, "body", &x->number);
  case SITE: return of_site(r, v, x);
  case FRAME:
  case OBJECT: return of_frame(r, e, v, x, computed);
  default: return SS_OK;
  }
}

ss_status ss_mj_read_sensor(ss_mjcf* r, const ss_xml_node* node, const ss_mj_element* e, const ss_mj_scope* scope)
{
  ss_mj_scene* s = r->out;
  ss_mj_sensor v = {0};
  int n = s->scene.n_sensor, kind = 0;
  bool computed = true;
  (void)scope;
  if (ss_mj_read(r, node, e, -1, &v) < 0) return SS_ERR_INPUT;
  while (strcmp(ss_sensor_name((ss_sensor_kind)kind), e->name) != 0) kind++;
  if (!SS_MJ_GROW(s->sensor, s->sensor_room, n)) return ss_mj_memory(r);
  ss_scene_sensor* x = s->sensor + n;
  *x = (ss_scene_sensor){.line = node->line,
                         .kind = (ss_sensor_kind)kind,
                         .number = -1,
                         .cutoff = v.cutoff.v[0],
                         .frame = {.body = SS_WORLD, .rotation = {1, 0, 0, 0}}};
  x->from = x->frame;
  if (x->cutoff < 0)
    return ss_mj_error_of(r, &v.cutoff, "%s: cutoff is %g; it must not be negative", e->name, x->cutoff);
  ss_status st = resolve(r, e, &v, x, &computed);
  if (st < 0 || !computed) return st;
  if ((st = ss_mj_name(r, SS_MJ_SENSOR, &v.name, "", n, node, &x->name)) < 0) return st;
  s->scene.n_sensor++;
  return SS_OK;
}
