// Sensors: numbers computed from a state, and from the step that led to it. Forces and accelerations are means over
// that step, of what velocities and momenta have changed and the impulses of contacts and loops: they are finite in
// impacts, too, and sum up to the change of momentum whatever the integrator.
#include <stdlib.h>
#include <string.h>
#include <stickslip/simulate.h>
#include "machine/machine.h"

static const struct {
  const char* name;
  int numbers;
  const char* unit;
} kinds[SS_SENSOR_KINDS] = {
#define X(kind, name, numbers, unit, of) [SS_SENSOR_##kind] = {name, numbers, unit},
  SS_SENSOR_LIST(X)
#undef X
};

const char* ss_sensor_name(ss_sensor_kind kind)
{
  return (int)kind >= 0 && kind < SS_SENSOR_KINDS ? kinds[kind].name : NULL;
}

// ---- making --------------------------------------------------------------------------------------------------------

static const char* unit_of(const ss_scene* scene, const ss_scene_sensor* s)
{
  const char* unit = kinds[s->kind].unit;
  if (*unit != '?') return unit;
  bool hinge = scene->tree.joint[s->number].kind == SS_JOINT_HINGE;
  if (s->kind == SS_SENSOR_JOINT_FORCE) return hinge ? "N m" : "N";
  if (s->kind == SS_SENSOR_JOINT_VEL) return hinge ? "rad/s" : "m/s";
  return hinge ? "rad" : "m";
}

// NAME, or NAME.x .y .z, or NAME.w .x .y .z
static bool name_numbers(ss_machine* m, const ss_scene* scene, const ss_sensor* s)
{
  static const char* const ending[] = {"", ".w", ".x", ".y", ".z"};
  int n = kinds[s->def.kind].numbers, skip = n == 1 ? 0 : n == 3 ? 2 : 1;
  const char* kind = *s->def.name == '#' ? ss_sensor_name(s->def.kind) : "";
  for (int i = 0; i < n; i++) {
    const char* name = ss_machine_keep(m, "%s%s%.200s%s", kind, *kind ? " " : "", s->def.name, ending[skip + i]);
    if (!name) return false;
    m->sensor_name[s->first + i] = name;
    m->sensor_unit[s->first + i] = unit_of(scene, &s->def);
  }
  return true;
}

ss_status ss_machine_make_sensors(ss_machine* m, const ss_scene* scene, ss_error* error)
{
  int n = 0;
  for (int i = 0; i < scene->n_sensor; i++) n += kinds[scene->sensor[i].kind].numbers;
  m->sensor = SS_MACHINE_ARRAY(scene->n_sensor, ss_sensor);
  m->sensor_name = SS_MACHINE_ARRAY(n, const char*);
  m->sensor_unit = SS_MACHINE_ARRAY(n, const char*);
  if (!m->sensor || !m->sensor_name || !m->sensor_unit) return ss_machine_no_memory(error);
  for (int i = 0; i < scene->n_sensor; i++) {
    ss_sensor* s = m->sensor + m->n_sensor++;
    *s = (ss_sensor){.def = scene->sensor[i], .first = m->n_sensed, .drive = -1};
    bool of_joint = s->def.kind >= SS_SENSOR_JOINT_POS && s->def.kind <= SS_SENSOR_BALL_VEL;
    if (of_joint) ss_tree_joint_at(m->tree, s->def.number, &s->iq, &s->iv);
    bool of_actuator = s->def.kind >= SS_SENSOR_ACTUATOR_POS && s->def.kind <= SS_SENSOR_ACTUATOR_FORCE;
    for (int d = 0; of_actuator && d < m->n_drive; d++)
      if (m->drive[d].input == s->def.number) s->drive = d;
    m->n_sensed += kinds[s->def.kind].numbers;
    if (!name_numbers(m, scene, s)) return ss_machine_no_memory(error);
    s->def.name = NULL;  // the scene's
  }
  return SS_OK;
}

// ---- places and velocities -----------------------------------------------------------------------------------------

typedef struct place {
  int body;
  ss_vec3 position;
  ss_quat rotation;
} place;

static place place_of(const ss_tree_work* tree, const ss_scene_frame* f)
{
  place p = {f->body, ss_vec3_from(f->position), ss_quat_from(f->rotation)};
  double x[3], turn[4];
  if (f->body == SS_WORLD) return p;
  ss_tree_pose(tree, f->body, x, turn, NULL);
  p.position = ss_add(ss_vec3_from(x), ss_quat_rotate(ss_quat_from(turn), p.position));
  p.rotation = ss_quat_mul(ss_quat_from(turn), p.rotation);
  return p;
}

static void velocity_of(const ss_tree_work* tree, const place* p, ss_vec3* angular, ss_vec3* linear)
{
  double x[3], w[3] = {0}, v[3] = {0};
  ss_vec3_to(p->position, x);
  if (p->body != SS_WORLD) ss_tree_point_velocity(tree, p->body, x, w, v);
  *angular = ss_vec3_from(w);
  *linear = ss_vec3_from(v);
}

static ss_vec3 seen_from(ss_quat rotation, ss_vec3 a) { return ss_quat_rotate(ss_quat_conjugate(rotation), a); }

// Position, orientation and velocity of a frame, seen from the world or from another frame
static void sense_frame(const ss_tree_work* tree, const ss_scene_sensor* s, double* value)
{
  place p = place_of(tree, &s->frame), o = place_of(tree, &s->from);
  ss_vec3 w, v, w_o, v_o, way = ss_sub(p.position, o.position), out = {0, 0, 0};
  velocity_of(tree, &p, &w, &v);
  velocity_of(tree, &o, &w_o, &v_o);
  if (s->kind == SS_SENSOR_FRAME_QUAT) {
    ss_quat_to(ss_quat_renormalized(ss_quat_mul(ss_quat_conjugate(o.rotation), p.rotation)), value);
    return;
  }
  if (s->kind == SS_SENSOR_FRAME_POS) out = way;
  if (s->kind == SS_SENSOR_FRAME_X) out = ss_quat_rotate(p.rotation, (ss_vec3){1, 0, 0});
  if (s->kind == SS_SENSOR_FRAME_Y) out = ss_quat_rotate(p.rotation, (ss_vec3){0, 1, 0});
  if (s->kind == SS_SENSOR_FRAME_Z) out = ss_quat_rotate(p.rotation, (ss_vec3){0, 0, 1});
  if (s->kind == SS_SENSOR_FRAME_LINVEL) out = ss_sub(ss_sub(v, v_o), ss_cross(w_o, way));
  if (s->kind == SS_SENSOR_FRAME_ANGVEL) out = ss_sub(w, w_o);
  ss_vec3_to(s->relative ? seen_from(o.rotation, out) : out, value);
}

static void sense_site(const ss_tree_work* tree, const ss_scene_sensor* s, double* value)
{
  place p = place_of(tree, &s->frame);
  ss_vec3 w, v;
  velocity_of(tree, &p, &w, &v);
  ss_vec3_to(seen_from(p.rotation, s->kind == SS_SENSOR_GYRO ? w : v), value);
}

// Mean acceleration over the step; the linear one without gravity, as a mass on a spring tells it: at rest it is -g
static void sense_acceleration(const ss_machine_work* m, const ss_scene_sensor* s, double dt, double* value)
{
  place p = place_of(m->now, &s->frame), before = place_of(m->before, &s->frame);
  ss_vec3 w, v, w_0, v_0, a;
  velocity_of(m->now, &p, &w, &v);
  velocity_of(m->before, &before, &w_0, &v_0);
  a = ss_sub(ss_scale(1/dt, ss_sub(v, v_0)), m->now->tree->gravity);
  if (s->kind == SS_SENSOR_FRAME_ANGACC) a = ss_scale(1/dt, ss_sub(w, w_0));
  ss_vec3_to(s->kind == SS_SENSOR_ACCELEROMETER ? seen_from(p.rotation, a) : a, value);
}

// ---- bodies and all that hangs on them -----------------------------------------------------------------------------

static bool hangs_on(const ss_tree* tree, int body, int root)
{
  int b = body + 1;  // numbers of the tree
  while (b > 0 && b != root + 1) b = tree->body[b].parent;
  return b == root + 1;
}

typedef struct momentum {
  double mass;
  ss_vec3 centre, linear, angular;
} momentum;

// Of a subtree; the angular one about a point
static momentum momentum_of(const ss_tree_work* work, int root, ss_vec3 about)
{
  momentum sum = {0};
  for (int b = 1; b < work->tree->n_body; b++) {
    double mass = work->tree->body[b].mass;
    if (!hangs_on(work->tree, b - 1, root)) continue;
    ss_vec3 p = ss_scale(mass, work->V[b].v), r = ss_sub(work->com[b], about);
    sum.mass += mass;
    sum.centre = ss_add(sum.centre, ss_scale(mass, work->com[b]));
    sum.linear = ss_add(sum.linear, p);
    sum.angular = ss_add(sum.angular, ss_add(ss_sym3_mul(work->J + b, work->V[b].w), ss_cross(r, p)));
  }
  if (sum.mass > 0) sum.centre = ss_scale(1/sum.mass, sum.centre);
  return sum;
}

static void sense_subtree(const ss_tree_work* work, const ss_scene_sensor* s, double* value)
{
  momentum sum = momentum_of(work, s->number, (ss_vec3){0, 0, 0});
  if (s->kind == SS_SENSOR_SUBTREE_COM) ss_vec3_to(sum.centre, value);
  if (s->kind == SS_SENSOR_SUBTREE_LINVEL) ss_vec3_to(ss_scale(sum.mass > 0 ? 1/sum.mass : 0, sum.linear), value);
  if (s->kind == SS_SENSOR_SUBTREE_ANGMOM) ss_vec3_to(momentum_of(work, s->number, sum.centre).angular, value);
}

// ---- forces --------------------------------------------------------------------------------------------------------

// What acts on a subtree from outside; the moment about a point
typedef struct wrench {
  const ss_tree* tree;
  int root;
  ss_vec3 about, force, moment;
} wrench;

static void add_force(void* user, int body, ss_vec3 point, ss_vec3 force, ss_vec3 moment)
{
  wrench* sum = user;
  if (!hangs_on(sum->tree, body, sum->root)) return;
  sum->force = ss_add(sum->force, force);
  sum->moment = ss_add(sum->moment, ss_add(moment, ss_cross(ss_sub(point, sum->about), force)));
}

static void add_contacts(wrench* sum, const ss_step_info* info)
{
  for (int i = 0; i < info->n_contact; i++) {
    const ss_contact_item* item = info->item + i;
    const double* Lambda = info->contact[i].Lambda;
    ss_vec3 force = {0, 0, 0}, none = {0, 0, 0}, point = ss_vec3_from(item->point);
    for (int k = 0; k < 3; k++) force = ss_add(force, ss_scale(Lambda[k], ss_vec3_from(item->frame + 3*k)));
    add_force(sum, item->body_b, point, force, none);
    add_force(sum, item->body_a, point, ss_scale(-1, force), none);
  }
}

// What the parent does to the body of the site through the joint, motor, spring and limit between them: the change of
// the momentum of all that hangs on it, less weight, contacts and loops
static void sense_force(const ss_machine_work* m, const ss_scene_sensor* s, const ss_past* past, double* value)
{
  place p = place_of(m->now, &s->frame);
  momentum now = momentum_of(m->now, p.body, p.position), before = momentum_of(m->before, p.body, p.position);
  wrench out = {.tree = m->now->tree, .root = p.body, .about = p.position};
  add_contacts(&out, past->info);
  ss_machine_loop_forces(m->machine, m->now, past->info->Lambda_bilateral, add_force, &out);
  ss_vec3 weight = ss_scale(now.mass*past->dt, m->now->tree->gravity);
  ss_vec3 centre = ss_scale(0.5, ss_add(now.centre, before.centre));
  ss_vec3 force = ss_sub(ss_sub(ss_sub(now.linear, before.linear), weight), out.force);
  ss_vec3 moment =
    ss_sub(ss_sub(ss_sub(now.angular, before.angular), ss_cross(ss_sub(centre, p.position), weight)), out.moment);
  ss_vec3_to(ss_scale(1/past->dt, seen_from(p.rotation, s->kind == SS_SENSOR_FORCE ? force : moment)), value);
}

// Normal forces of the contacts of the body in the zone, or behind it as seen from outside
static double sense_touch(const ss_tree_work* tree, const ss_scene_sensor* s, const ss_past* past)
{
  place p = place_of(tree, &s->frame);
  double sum = 0;
  for (int i = 0; i < past->info->n_contact; i++) {
    const ss_contact_item* item = past->info->item + i;
    double Lambda = past->info->contact[i].Lambda[0];
    if (!(Lambda > 0) || (item->body_a != p.body && item->body_b != p.body)) continue;
    ss_vec3 normal = ss_vec3_from(item->frame);
    if (ss_dot3(normal, normal) == 0) continue;  // the limit of a joint
    ss_vec3 outward = ss_scale(item->body_a == p.body ? 1 : -1, normal);
    ss_vec3 point = seen_from(p.rotation, ss_sub(ss_vec3_from(item->point), p.position));
    if (ss_zone_holds(s->shape, s->size, point, seen_from(p.rotation, outward))) sum += Lambda;
  }
  return sum/past->dt;
}

// ---- all -----------------------------------------------------------------------------------------------------------

// What an actuator does to the coordinate of a joint per unit of its force, directly or by a tendon
static double lever_on(const ss_machine* m, const ss_drive* d, int iv)
{
  if (d->tendon < 0) return d->kind <= SS_JOINT_SLIDE && d->iv == iv ? d->gear[0] : 0;
  const ss_tendon* tendon = m->tendon + d->tendon;
  double sum = 0;
  for (int k = tendon->first_term; k < tendon->first_term + tendon->n_term; k++)
    if (m->term[k].iv == iv) sum += d->gear[0]*m->term[k].coefficient;
  return sum;
}

// The force of all actuators on a joint or a tendon
static double driven(const ss_machine* m, const ss_sensor* s, const double* q, const double* u)
{
  double sum = 0;
  for (int i = 0; i < m->n_drive; i++) {
    const ss_drive* d = m->drive + i;
    double lever = s->def.kind == SS_SENSOR_JOINT_FORCE ? lever_on(m, d, s->iv)
                   : d->tendon == s->def.number         ? d->gear[0] : 0;
    if (lever != 0) sum += lever*ss_machine_drive(m, d, q, u).force;
  }
  return sum;
}

static double sense_one(const ss_machine_work* w, const ss_sensor* s, const ss_at* at)
{
  const ss_machine* m = w->machine;
  const ss_tendon* tendon = m->tendon + (s->def.number >= 0 ? s->def.number : 0);
  ss_drive_state drive = {0};
  if (s->drive >= 0) drive = ss_machine_drive(m, m->drive + s->drive, at->q, at->u);
  switch (s->def.kind) {
  case SS_SENSOR_CLOCK: return at->t;
  case SS_SENSOR_KINETIC: return ss_tree_kinetic(w->now);
  case SS_SENSOR_POTENTIAL: return ss_tree_potential(w->now) + ss_machine_tendon_energy(m, at->q);
  case SS_SENSOR_JOINT_POS: return at->q[s->iq];
  case SS_SENSOR_JOINT_VEL: return at->u[s->iv];
  case SS_SENSOR_JOINT_FORCE:
  case SS_SENSOR_TENDON_FORCE: return driven(m, s, at->q, at->u);
  case SS_SENSOR_TENDON_POS: return ss_machine_tendon_sum(m, tendon, at->q, false);
  case SS_SENSOR_TENDON_VEL: return ss_machine_tendon_sum(m, tendon, at->u, true);
  case SS_SENSOR_ACTUATOR_POS: return drive.length;
  case SS_SENSOR_ACTUATOR_VEL: return drive.velocity;
  case SS_SENSOR_ACTUATOR_FORCE: return drive.force;
  default: return 0;
  }
}

static void sense(const ss_machine_work* w, const ss_sensor* s, const ss_at* at, const ss_past* past, double* value)
{
  const ss_scene_sensor* def = &s->def;
  bool stepped = past->dt > 0;
  memset(value, 0, sizeof *value*(size_t)kinds[def->kind].numbers);
  switch (def->kind) {
  case SS_SENSOR_BALL_QUAT: ss_quat_to(ss_quat_normalized(ss_quat_from(at->q + s->iq)), value); break;
  case SS_SENSOR_BALL_VEL: memcpy(value, at->u + s->iv, sizeof(double[3])); break;
  case SS_SENSOR_FRAME_POS:
  case SS_SENSOR_FRAME_QUAT:
  case SS_SENSOR_FRAME_X:
  case SS_SENSOR_FRAME_Y:
  case SS_SENSOR_FRAME_Z:
  case SS_SENSOR_FRAME_LINVEL:
  case SS_SENSOR_FRAME_ANGVEL: sense_frame(w->now, def, value); break;
  case SS_SENSOR_FRAME_LINACC:
  case SS_SENSOR_FRAME_ANGACC:
  case SS_SENSOR_ACCELEROMETER:
    if (stepped) sense_acceleration(w, def, past->dt, value);
    break;
  case SS_SENSOR_SUBTREE_COM:
  case SS_SENSOR_SUBTREE_LINVEL:
  case SS_SENSOR_SUBTREE_ANGMOM: sense_subtree(w->now, def, value); break;
  case SS_SENSOR_GYRO:
  case SS_SENSOR_VELOCIMETER: sense_site(w->now, def, value); break;
  case SS_SENSOR_FORCE:
  case SS_SENSOR_TORQUE:
    if (stepped) sense_force(w, def, past, value);
    break;
  case SS_SENSOR_TOUCH:
    if (stepped) value[0] = sense_touch(w->now, def, past);
    break;
  default: value[0] = sense_one(w, s, at);
  }
}

void ss_machine_sense(const ss_at* at, const ss_past* past, double* value)
{
  const ss_machine_work* w = at->scratch;
  const ss_machine* m = w->machine;
  ss_tree_set_position(w->now, at->q);
  ss_tree_set_velocity(w->now, at->u);
  if (past->dt > 0) {
    ss_tree_set_position(w->before, past->q);
    ss_tree_set_velocity(w->before, past->u);
  }
  for (int i = 0; i < m->n_sensor; i++) {
    const ss_sensor* s = m->sensor + i;
    double* out = value + s->first;
    sense(w, s, at, past, out);
    for (int k = 0; s->def.cutoff > 0 && k < kinds[s->def.kind].numbers; k++)
      out[k] = fmin(fmax(out[k], -s->def.cutoff), s->def.cutoff);
  }
}
