// A machine: made from a scene, and handed to the integrators as a system by operators.
#include "machine/machine.h"
#include "base/number.h"
#include "base/text.h"
#include "multibody/dynamics.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ss_status ss_machine_no_memory(ss_error* error)
{
  return ss_error_set(error, SS_ERR_MEMORY, "no memory for the machine of a scene");
}

ss_status ss_machine_complain(ss_error* error, const ss_scene* scene, int line, const char* format, ...)
{
  char text[sizeof error->text];
  va_list args;
  va_start(args, format);
  ss_vprint(text, sizeof text, format, args);
  va_end(args);
  ss_error_set(error, SS_ERR_INPUT, "%s", text);
  const char* file;
  ss_scene_place(scene, line, &file, &line);
  if (error && file) snprintf(error->file, sizeof error->file, "%s", file);
  if (error) error->line = line;
  return SS_ERR_INPUT;
}

// ---- functions of the system ---------------------------------------------------------------------------------------

ss_status ss_machine_update(const ss_at* at)
{
  ss_machine_work* w = at->scratch;
  size_t bytes = sizeof(double)*(size_t)w->machine->nq;
  if (w->has_q && memcmp(w->q, at->q, bytes) == 0) return SS_OK;
  memcpy(w->q, at->q, bytes);
  ss_tree_set_position(w->tree, w->q);
  w->has_q = true;
  w->has_u = w->has_factor = w->has_pose = w->has_loop = false;
  return SS_OK;
}

void ss_machine_set_velocity(ss_machine_work* w, const double* u)
{
  size_t bytes = sizeof(double)*(size_t)w->machine->nv;
  if (w->has_u && memcmp(w->u, u, bytes) == 0) return;
  memcpy(w->u, u, bytes);
  ss_tree_set_velocity(w->tree, w->u);
  w->has_u = true;
}

ss_vec3 ss_machine_velocity_at(const ss_machine_work* w, int body, ss_vec3 x)
{
  if (body == SS_WORLD) return (ss_vec3){0, 0, 0};
  const ss_spatial* V = w->tree->V + body + 1;
  return ss_add(V->v, ss_cross(V->w, ss_sub(x, w->tree->com[body + 1])));
}

// The step that gyroscopic forces are for
static ss_tree_time time_of(const ss_at* at)
{
  double dt = at->theta > 0 ? at->damped : at->dt;
  return (ss_tree_time){.dt = dt, .theta = at->theta, .start = at->start, .rate = at->gyro,
                         .rest = at->rest, .q_start = at->q_start};
}

// What acts on the joints beside springs and dampers of their own
static void force_joints(const ss_at* at, double* tau)
{
  const ss_machine* m = ((ss_machine_work*)at->scratch)->machine;
  memset(tau, 0, sizeof(double)*(size_t)m->nv);
  ss_machine_add_drives(m, at->q, at->u, tau);
  ss_machine_add_tendons(m, at->q, at->u, tau);
  ss_machine_damp_from_start(m, at, tau);
}

static ss_status force(const ss_at* at, double* h)
{
  ss_machine_work* w = at->scratch;
  ss_tree_time time = time_of(at);
  ss_machine_set_velocity(w, at->u);
  force_joints(at, w->tau);
  ss_tree_force(w->tree, h);
  ss_tree_add_spin(w->tree, &time, h);
  for (int i = 0; i < w->machine->nv; i++) h[i] += w->tau[i];
  if (time.dt > 0 && time.q_start) {
    ss_tree_add_turning(w->tree, &time, w->tau, h);
    w->has_u = false;
  }
  return SS_OK;
}

static ss_status energy(const ss_at* at, ss_energy* e)
{
  ss_machine_work* w = at->scratch;
  ss_machine_set_velocity(w, at->u);
  *e = (ss_energy){.kinetic = ss_tree_kinetic(w->tree), .potential = ss_tree_potential(w->tree)};
  e->potential += ss_machine_tendon_energy(w->machine, at->q);
  return SS_OK;
}

static ss_status energies(const ss_at* at, ss_energy* e, ss_energy* part)
{
  ss_machine_work* w = at->scratch;
  const ss_machine* m = w->machine;
  memset(part, 0, sizeof *part*(size_t)m->n_part);
  ss_machine_set_velocity(w, at->u);
  ss_tree_energies(w->tree, m->part_of, m->part_moved, e, part);
  e->potential += ss_machine_tendon_energy(m, at->q);
  for (int i = 0; i < m->n_tendon; i++)
    part[ss_machine_tendon_part(m, m->tendon + i)].potential += ss_machine_tendon_spring(m, m->tendon + i, at->q);
  return SS_OK;
}

static ss_status potential_size(const ss_at* at, double* size)
{
  const ss_machine_work* w = at->scratch;
  const ss_machine* m = w->machine;
  bool apart = m->n_part > 1;
  memset(size, 0, sizeof(double)*(size_t)(apart ? m->n_part : 1));
  ss_tree_potential_size(w->tree, apart ? m->part_of : NULL, apart ? m->part_moved : NULL, size);
  for (int i = 0; i < m->n_tendon; i++)
    size[apart ? ss_machine_tendon_part(m, m->tendon + i) : 0] += ss_machine_tendon_spring(m, m->tendon + i, at->q);
  return SS_OK;
}

// Dampers and actuators
static ss_status power(const ss_at* at, ss_power* p)
{
  const ss_machine_work* w = at->scratch;
  const ss_machine* m = w->machine;
  *p = (ss_power){.forces = ss_machine_add_drives(m, at->q, at->u, NULL) + ss_machine_tendon_power(m, at->u)};
  for (int i = 0; i < m->nv; i++) p->forces -= m->damping[i]*at->u[i]*at->u[i];
  return SS_OK;
}

static ss_status powers(const ss_at* at, ss_power* p, ss_power* part)
{
  const ss_machine* m = ((ss_machine_work*)at->scratch)->machine;
  memset(part, 0, sizeof *part*(size_t)m->n_part);
  for (int i = 0; i < m->n_drive; i++) {
    const ss_drive* drive = m->drive + i;
    ss_drive_state s = ss_machine_drive(m, drive, at->q, at->u);
    int k = drive->tendon >= 0 ? ss_machine_tendon_part(m, m->tendon + drive->tendon) : m->part_moved[drive->iv];
    part[k].forces += s.force*s.velocity;
  }
  for (int i = 0; i < m->n_tendon; i++)
    part[ss_machine_tendon_part(m, m->tendon + i)].forces += ss_machine_tendon_damper(m, m->tendon + i, at->u);
  for (int i = 0; i < m->nv; i++) part[m->part_moved[i]].forces -= m->damping[i]*at->u[i]*at->u[i];
  return power(at, p);
}

static void advance(const void* user, const double* q, const double* u, double dt, double* q_out)
{
  ss_tree_advance(((const ss_machine*)user)->tree, q, u, dt, q_out);
}

static void difference(const void* user, const double* q_0, const double* q_1, double* v)
{
  ss_tree_difference(((const ss_machine*)user)->tree, q_0, q_1, v);
}

static void rate(const void* user, const double* q, const double* u, double* dq, double* size)
{
  ss_tree_rate(((const ss_machine*)user)->tree, q, u, dq, size);
}

static ss_status factor(const ss_at* at)
{
  ss_machine_work* w = at->scratch;
  const ss_machine* m = w->machine;
  double damped = !m->has_dampers ? 0 : at->halved > 0 ? -at->halved : at->damped;
  if (w->has_factor && w->damped == damped) return SS_OK;
  if (w->damped != damped) {
    if (damped < 0) for (int i = 0; i < m->nv; i++) w->implicit[i] = at->halved/2*m->damper[i];
    else ss_machine_implicit(m, damped, w->implicit);
    ss_status set = ss_tree_set_implicit(w->tree, w->implicit);
    if (set < 0) snprintf(at->message, SS_AT_MESSAGE, "a damper is too strong for the step");
    if (set < 0) return set;
    w->damped = damped;
  }
  ss_status st = ss_tree_factor(w->tree);
  w->has_factor = st >= 0;
  if (st < 0)
    snprintf(at->message, SS_AT_MESSAGE, "joint '%.100s' moves no mass here",
             m->label[ss_tree_singular(w->tree)]);
  return st;
}

static void solve(const ss_at* at, const double* x, double* y)
{
  ss_tree_solve(((ss_machine_work*)at->scratch)->tree, x, y);
}

static ss_status bilateral(const ss_at* at, double* error, double* size)
{
  ss_machine_work* w = at->scratch;
  ss_machine_place_bodies(w);
  if (!ss_machine_place_loops(w)) return SS_ERR_MEMORY;
  memcpy(error, w->error, sizeof(double)*(size_t)w->machine->n_bilateral);
  if (size) memcpy(size, w->size, sizeof(double)*(size_t)w->machine->n_bilateral);
  return SS_OK;
}

static ss_status accelerate(const ss_at* at, double* a)
{
  ss_machine_work* w = at->scratch;
  ss_machine_set_velocity(w, at->u);
  force_joints(at, a);
  ss_tree_time time = time_of(at);
  if (ss_tree_accelerate(w->tree, &time, a, a)) w->has_u = false;
  return SS_OK;
}

static bool turns_far(const ss_at* at, double dt)
{
  ss_machine_work* w = at->scratch;
  return ss_tree_turns_far(w->machine->tree, at->u, dt, w->bound);
}

static bool turns(const ss_at* at, double dt)
{
  ss_machine_work* w = at->scratch;
  ss_machine_update(at);
  ss_machine_set_velocity(w, at->u);
  return ss_tree_turns(w->tree, dt, w->machine->damper);
}

static bool balance(const ss_at* start, const ss_at* end, double dt, const double* d_start, const double* d_end,
                    double* alpha)
{
  ss_machine_work *a = start->scratch, *e = end->scratch;
  ss_machine_set_velocity(a, start->u);
  ss_machine_set_velocity(e, end->u);
  return ss_tree_balance(a->tree, e->tree, dt, d_start, d_end, alpha);
}

static void lean(const ss_at* at, const double* alpha, double* x)
{
  ss_machine_work* w = at->scratch;
  ss_machine_set_velocity(w, at->u);
  ss_tree_lean(w->tree, alpha, x);
}

static const ss_operators operators = {
  .open = ss_machine_open,
  .close = ss_machine_close,
  .advance = advance,
  .difference = difference,
  .stop = ss_machine_stop,
  .factor = factor,
  .solve = solve,
  .accelerate = accelerate,
  .turns_far = turns_far,
  .turns = turns,
  .balance = balance,
  .lean = lean,
  .list = ss_machine_list,
  .bilateral = bilateral,
  .row_velocity = ss_machine_row_velocity,
  .row_sides = ss_machine_row_sides,
  .row_force = ss_machine_row_force,
  .delassus = ss_machine_delassus,
  .row_parts = ss_machine_row_parts,
  .overlap = SS_OVERLAP_LEAVES,
  .part_size = ss_machine_part_size,
  .row_half = ss_machine_row_half,
  .row_reach = ss_machine_row_reach,
  .friction = ss_machine_friction,
  .contact_name = ss_machine_contact_name,
  .rate = rate,
  .mass = ss_machine_mass,
  .watch = ss_machine_watch,
  .next = ss_machine_next,
  .follow = ss_machine_follow,
  .row_matrix = ss_machine_row_matrix,
  .row_bias = ss_machine_row_bias,
};

// ---- making --------------------------------------------------------------------------------------------------------

// How far the scene reaches at its start: what round-off is measured by
static double length_of(const ss_machine* m, const ss_scene* scene, ss_tree_work* work, double* q, ss_pose* pose)
{
  double most = 0;
  ss_tree_reference(m->tree, q);
  ss_machine_poses(m, work, q, pose);
  for (int b = 0; b < m->n_body; b++) most = fmax(most, ss_norm(ss_vec3_from(pose[b].position)));
  for (int g = 0; g < scene->n_geom; g++) {
    const ss_scene_geom* geom = scene->geom + g;
    double from = geom->body == SS_WORLD ? 0 : ss_norm(ss_vec3_from(pose[geom->body].position));
    double extent = geom->shape == SS_SCENE_PLANE ? 0 : geom->size[0] + geom->size[1] + geom->size[2];
    most = fmax(most, from + ss_norm(ss_vec3_from(geom->position)) + extent);
  }
  return most > 0 ? most : 1;
}

static ss_status measure(ss_machine* m, const ss_scene* scene, ss_error* error)
{
  ss_tree_work* work = ss_tree_work_create(m->tree, error);
  double* q = SS_MACHINE_ARRAY(m->nq, double);
  ss_pose* pose = SS_MACHINE_ARRAY(m->n_body, ss_pose);
  bool enough = work && q && pose;
  if (enough) m->length = length_of(m, scene, work, q, pose);
  ss_tree_work_destroy(work);
  free(q);
  free(pose);
  m->gravity = ss_norm(ss_vec3_from(scene->tree.gravity));
  return enough ? SS_OK : ss_machine_no_memory(error);
}

// Trees with a tendon between them
static ss_status join_trees(ss_machine* m, ss_error* error)
{
  m->part_joined = SS_MACHINE_ARRAY(m->n_part, int);
  if (!m->part_joined) return ss_machine_no_memory(error);
  for (int p = 0; p < m->n_part; p++) m->part_joined[p] = p;
  for (int i = 0; i < m->n_tendon; i++) {
    const ss_tendon* tendon = m->tendon + i;
    int to = m->part_joined[ss_machine_tendon_part(m, tendon)];
    for (int k = 1; k < tendon->n_term; k++) {
      int from = m->part_joined[m->part_moved[m->term[tendon->first_term + k].iv]];
      for (int p = 0; p < m->n_part; p++)
        if (m->part_joined[p] == from) m->part_joined[p] = to;
    }
  }
  return SS_OK;
}

static ss_status make_system(ss_machine* m, const ss_scene* scene, ss_error* error)
{
  ss_status st = join_trees(m, error);
  if (st < 0) return st;
  bool damped = false;
  for (int i = 0; i < m->nv; i++) damped = damped || m->damping[i] > 0;
  for (int i = 0; i < m->n_tendon; i++) damped = damped || m->tendon[i].damping > 0;
  ss_system_def def = {
    .name = scene->name && *scene->name ? scene->name : "scene",
    .nv = m->nv, .nq = m->nq, .n_parts = m->n_part,
    .coordinate = m->coordinate, .unit = m->unit,
    .velocity = m->velocity, .velocity_unit = m->velocity_unit,
    .n_bilateral = m->n_bilateral, .bilateral_name = m->loop_row,
    .n_sensor = m->n_sensed, .sensor = m->sensor_name, .sensor_unit = m->sensor_unit,
    .has_power = damped || m->n_drive > 0,
    .coupled = m->n_tendon > 0 ? NULL : m->part_moved,  // also where M has a zero by symmetry
    .weight = m->weight, .forces_couple = m->n_tendon > 0,
    .n_energy_parts = m->n_part > 1 ? m->n_part : 0, .energy_part = m->part_moved, .energy_joined = m->part_joined,
    .user = m, .scratch_size = sizeof(ss_machine_work),
    .update = ss_machine_update, .force = force, .energy = energy, .power = power,
    .energies = energies, .powers = powers, .potential_size = potential_size,
    .sense = ss_machine_sense,
    .operators = &operators,
  };
  m->system = ss_system_create(&def, error);
  return m->system ? SS_OK : SS_ERR_INPUT;
}

static ss_status make_damping(ss_machine* m, const ss_scene* scene, ss_error* error)
{
  m->damping = SS_MACHINE_ARRAY(m->nv, double);
  m->posed = SS_MACHINE_ARRAY(m->n_body, bool);
  if (!m->damping || !m->posed) return ss_machine_no_memory(error);
  for (int j = 0; j < m->n_joint; j++) {
    const ss_joint_def* joint = scene->tree.joint + j;
    int iv;
    ss_tree_joint_at(m->tree, j, NULL, &iv);
    for (int k = 0; k < ss_joint_velocities(joint->kind); k++) m->damping[iv + k] = joint->damping;
  }
  return SS_OK;
}

// Kinematic trees: bodies that hang on the world by a joint, and all that hangs on them
static ss_status make_parts(ss_machine* m, const ss_scene* scene, ss_error* error)
{
  m->part_of = SS_MACHINE_ARRAY(m->n_body, int);
  m->part_moved = SS_MACHINE_ARRAY(m->nv, int);
  m->body_moved = SS_MACHINE_ARRAY(m->nv, int);
  bool* moves = SS_MACHINE_ARRAY(m->n_body, bool);
  if (!m->part_of || !m->part_moved || !m->body_moved || !moves) {
    free(moves);
    return ss_machine_no_memory(error);
  }
  for (int j = 0; j < m->n_joint; j++)
    if (scene->tree.joint[j].kind != SS_JOINT_FIXED) moves[scene->tree.joint[j].body] = true;
  for (int b = 0; b < m->n_body; b++) {
    int parent = scene->tree.body[b].parent, part = parent == SS_WORLD ? -1 : m->part_of[parent];
    m->part_of[b] = part >= 0 ? part : moves[b] ? m->n_part++ : -1;
  }
  free(moves);
  for (int j = 0; j < m->n_joint; j++) {
    const ss_joint_def* joint = scene->tree.joint + j;
    int iv;
    ss_tree_joint_at(m->tree, j, NULL, &iv);
    for (int k = 0; k < ss_joint_velocities(joint->kind); k++) m->body_moved[iv + k] = joint->body;
  }
  for (int i = 0; i < m->nv; i++) m->part_moved[i] = m->part_of[m->body_moved[i]];
  return SS_OK;
}

// Of a tree of the mass m: h_j = sum m_b J_bj . g, so that |h_j| <= sqrt(M_jj) sqrt(m) |g| (Cauchy, Schwarz)
static ss_status weigh(ss_machine* m, const ss_scene* scene, ss_error* error)
{
  const double* g = scene->tree.gravity;
  double* mass = calloc((size_t)m->n_part + 1, sizeof *mass);
  m->weight = SS_MACHINE_ARRAY(m->nv, double);
  if (!mass || !m->weight) {
    free(mass);
    return ss_machine_no_memory(error);
  }
  for (int b = 0; b < m->n_body; b++)
    if (m->part_of[b] >= 0) mass[m->part_of[b]] += scene->tree.body[b].mass;
  for (int i = 0; i < m->nv; i++) m->weight[i] = sqrt(mass[m->part_moved[i]])*sqrt(g[0]*g[0] + g[1]*g[1] + g[2]*g[2]);
  free(mass);
  return SS_OK;
}

enum { BLOCK = 6 };  // of ss_operators.row_reach

static void hide_alone(ss_machine* m, int iv)
{
  ss_tree_span* span = m->span + m->part_moved[iv];
  if (span->n == 6) span->n = 0;
}

// Where the velocities of each tree are. Bodies alone are not seen velocity by velocity (multibody/half.c), so none of
// their velocities may have a row of its own.
static ss_status find_velocities(ss_machine* m, const ss_scene* scene, ss_error* error)
{
  (void)scene;
  m->span = SS_MACHINE_ARRAY(m->n_part, ss_tree_span);
  m->place = SS_MACHINE_ARRAY(m->nv, int);
  if (!m->span || !m->place) return ss_machine_no_memory(error);
  for (int i = m->nv - 1; i >= 0; i--) m->span[m->part_moved[i]].first = i;
  for (int i = 0; i < m->nv; i++) m->span[m->part_moved[i]].n++;
  for (int i = 0; i < m->nv; i++) {
    ss_tree_span* span = m->span + m->part_moved[i];
    if (i >= span->first + span->n) span->n = 0;
  }
  for (int i = 0; i < m->n_dry; i++) hide_alone(m, m->dry[i].iv);
  for (int i = 0; i < m->n_loop; i++)
    for (int k = 0; k < 2 && m->loop[i].kind == SS_SCENE_JOINT; k++)
      if (m->loop[i].iv[k] >= 0) hide_alone(m, m->loop[i].iv[k]);
  for (int p = 0; p < m->n_part; p++) ss_tree_place_limbs(m->tree, BLOCK, m->place, m->span + p);
  return SS_OK;
}

// A force on a body is felt by the velocities between it and the root of its tree
static ss_status find_reach(ss_machine* m, const ss_scene* scene, ss_error* error)
{
  m->reach = SS_MACHINE_ARRAY(m->n_body, uint64_t);
  if (!m->reach) return ss_machine_no_memory(error);
  for (int i = 0; i < m->nv; i++) {
    int block = m->place[i]/BLOCK;
    if (block < 64) m->reach[m->body_moved[i]] |= UINT64_C(1) << block;
  }
  for (int b = 0; b < m->n_body; b++)
    if (scene->tree.body[b].parent != SS_WORLD) m->reach[b] |= m->reach[scene->tree.body[b].parent];
  return SS_OK;
}

static ss_status make_all(ss_machine* m, const ss_scene* scene, ss_error* error)
{
  typedef ss_status maker(ss_machine*, const ss_scene*, ss_error*);
  static maker* const parts[] = {
    make_damping,           make_parts,              weigh,                   measure,
    ss_machine_make_shapes, ss_machine_make_laws,    ss_machine_make_loops,   ss_machine_make_joints,
    ss_machine_make_tendons, ss_machine_make_drives, ss_machine_make_dampers, ss_machine_make_ties,
    find_velocities,        find_reach,              ss_machine_make_names,   ss_machine_make_sensors,
    make_system};
  m->tree = ss_tree_create(&scene->tree, error);
  if (!m->tree) return SS_ERR_INPUT;
  m->nq = ss_tree_nq(m->tree);
  m->nv = ss_tree_nv(m->tree);
  m->n_body = scene->tree.n_body;
  m->n_joint = scene->tree.n_joint;
  m->n_geom = scene->n_geom;
  if (m->nv == 0)
    return ss_machine_complain(error, scene, 0, "nothing in this scene can move; give a body a joint");
  for (size_t i = 0; i < sizeof parts/sizeof *parts; i++) {
    ss_status st = parts[i](m, scene, error);
    if (st < 0) return st;
  }
  return SS_OK;
}

ss_machine* ss_machine_create(const ss_scene* scene, ss_error* error)
{
  if (!scene) {
    ss_error_null(error, "the scene");
    return NULL;
  }
  ss_machine* m = calloc(1, sizeof *m);
  if (!m) {
    ss_machine_no_memory(error);
    return NULL;
  }
  if (make_all(m, scene, error) >= 0) return m;
  ss_machine_destroy(m);
  return NULL;
}

void ss_machine_destroy(ss_machine* m)
{
  if (!m) return;
  ss_system_destroy(m->system);
  ss_collider_destroy(m->collider);
  ss_tree_destroy(m->tree);
  for (int i = 0; i < m->n_text; i++) free(m->text[i]);
  free(m->polygon);
  for (int i = 0; m->pair && i < m->n_pair; i++) ss_machine_free_curve(&m->pair[i].law);
  void* const all[] = {m->text,  m->geom_name, m->many, m->fixed, m->label,   m->coordinate, m->unit,
                       m->velocity, m->velocity_unit, m->loop_row, m->loop, m->limit, m->dry, m->drive,
                       m->term, m->tendon, m->tendon_name,
                       m->ctrl,  m->posed,  m->damping, m->weight, m->damper, m->damper_rate, m->part_of, m->part_moved,
                       m->part_joined,
                       m->span, m->place,
                       m->reach, m->body_moved,
                       m->part_tied, m->surface, m->surface_of, m->law, m->pair, m->carried, m->carrier, m->thin,
                       m->link, m->anchor, m->sensor, m->sensor_name, m->sensor_unit};
  for (size_t i = 0; i < sizeof all/sizeof *all; i++) free(all[i]);
  free(m);
}

// ---- questions -----------------------------------------------------------------------------------------------------

const ss_system* ss_machine_system(const ss_machine* m) { return m ? m->system : NULL; }
const ss_tree* ss_machine_tree(const ss_machine* m) { return m ? m->tree : NULL; }
const ss_collider* ss_machine_collider(const ss_machine* m) { return m ? m->collider : NULL; }
int ss_machine_controls(const ss_machine* m) { return m ? m->n_ctrl : 0; }

ss_status ss_machine_control(ss_machine* m, const double* ctrl)
{
  if (!m || (!ctrl && m->n_ctrl)) return SS_ERR_ARGUMENT;
  for (int i = 0; i < m->n_ctrl; i++)
    if (!isfinite(ctrl[i])) return SS_ERR_ARGUMENT;
  if (m->n_ctrl) memcpy(m->ctrl, ctrl, sizeof(double)*(size_t)m->n_ctrl);
  return SS_OK;
}

void ss_machine_poses(const ss_machine* m, ss_tree_work* work, const double* q, ss_pose* pose)
{
  if (!m || !work || !q || !pose) return;
  ss_tree_set_position(work, q);
  for (int b = 0; b < m->n_body; b++) ss_tree_pose(work, b, pose[b].position, pose[b].rotation, NULL);
}

ss_status ss_machine_push(const ss_machine* m, ss_tree_work* work, int body, const double point[3],
                          const double force[3], double* tau)
{
  if (!m || !work || !point || !force || !tau) return SS_ERR_ARGUMENT;
  ss_tree_node node = {.body_a = SS_WORLD, .body_b = body, .frame = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .rows = 3};
  if (body < 0 || body >= m->n_body) return SS_ERR_ARGUMENT;
  for (int k = 0; k < 3; k++) {
    if (!isfinite(point[k]) || !isfinite(force[k])) return SS_ERR_ARGUMENT;
    node.point_a[k] = node.point_b[k] = point[k];
  }
  ss_tree_node_force(work, 1, &node, force, tau);
  return SS_OK;
}
