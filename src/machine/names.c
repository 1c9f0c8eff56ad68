// Names: of coordinates and velocities, of the rows of loops, of contacts by their keys.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "collide/shape.h"
#include "base/number.h"
#include "machine/machine.h"

// Names stand in tables and CSV files: no commas, quotes or line ends
const char* ss_machine_keep(ss_machine* m, const char* format, ...)
{
  char text[300];
  va_list args;
  va_start(args, format);
  ss_vprint(text, sizeof text, format, args);
  va_end(args);
  for (char* c = text; *c; c++)
    if (strchr(",\"\n\r", *c)) *c = '_';
  if (m->n_text == m->text_room) {
    int room = 2*m->text_room + 64;
    char** more = realloc(m->text, (size_t)room*sizeof *more);
    if (!more) return NULL;
    m->text = more;
    m->text_room = room;
  }
  char* copy = malloc(strlen(text) + 1);
  if (!copy) return NULL;
  strcpy(copy, text);
  m->text[m->n_text++] = copy;
  return copy;
}

static bool is_named(const char* name) { return name && *name && *name != '#'; }

// ---- coordinates ---------------------------------------------------------------------------------------------------

// The name of a joint; if it has none, that of its body, with a number if it has several joints; or its own number
static const char* label_of(ss_machine* m, const ss_scene* scene, int j)
{
  const ss_joint_def* joint = scene->tree.joint + j;
  const char* body = scene->tree.body[joint->body].name;
  int before = 0, all = 0;
  if (is_named(joint->name)) return ss_machine_keep(m, "%.200s", joint->name);
  if (!is_named(body)) return ss_machine_keep(m, "joint #%d", j);
  for (int k = 0; k < scene->tree.n_joint; k++) {
    bool of_body = scene->tree.joint[k].body == joint->body;
    all += of_body;
    before += of_body && k < j;
  }
  return all > 1 ? ss_machine_keep(m, "%.200s.%d", body, before) : ss_machine_keep(m, "%.200s", body);
}

typedef struct part { const char *name, *unit; } part;

static const part q_hinge[] = {{"", "rad"}}, q_slide[] = {{"", "m"}};
static const part q_free[] = {{".px", "m"}, {".py", "m"}, {".pz", "m"}, {".qw", "1"}, {".qx", "1"}, {".qy", "1"},
                              {".qz", "1"}};
static const part q_ball[] = {{".w", "1"}, {".x", "1"}, {".y", "1"}, {".z", "1"}};
static const part u_hinge[] = {{"", "rad/s"}}, u_slide[] = {{"", "m/s"}};
static const part u_free[] = {{".vx", "m/s"},   {".vy", "m/s"},   {".vz", "m/s"},
                              {".wx", "rad/s"}, {".wy", "rad/s"}, {".wz", "rad/s"}};
static const part u_ball[] = {{".wx", "rad/s"}, {".wy", "rad/s"}, {".wz", "rad/s"}};

// clang-format off
static const struct { int n; const part* part; } q_parts[] = {
  [SS_JOINT_HINGE] = {1, q_hinge}, [SS_JOINT_SLIDE] = {1, q_slide}, [SS_JOINT_BALL] = {4, q_ball},
  [SS_JOINT_FREE]  = {7, q_free},  [SS_JOINT_FIXED] = {0, NULL}},
  u_parts[] = {
  [SS_JOINT_HINGE] = {1, u_hinge}, [SS_JOINT_SLIDE] = {1, u_slide}, [SS_JOINT_BALL] = {3, u_ball},
  [SS_JOINT_FREE]  = {6, u_free},  [SS_JOINT_FIXED] = {0, NULL}};
// clang-format on

static bool name_joint(ss_machine* m, const ss_scene* scene, int j)
{
  ss_joint_kind kind = scene->tree.joint[j].kind;
  int iq, iv;
  ss_tree_joint_at(m->tree, j, &iq, &iv);
  if (!(m->label[j] = label_of(m, scene, j))) return false;
  for (int k = 0; k < q_parts[kind].n; k++) {
    m->coordinate[iq + k] = ss_machine_keep(m, "%s%s", m->label[j], q_parts[kind].part[k].name);
    m->unit[iq + k] = q_parts[kind].part[k].unit;
    if (!m->coordinate[iq + k]) return false;
  }
  for (int k = 0; k < u_parts[kind].n; k++) {
    m->velocity[iv + k] = ss_machine_keep(m, "%s%s", m->label[j], u_parts[kind].part[k].name);
    m->velocity_unit[iv + k] = u_parts[kind].part[k].unit;
    if (!m->velocity[iv + k]) return false;
  }
  return true;
}

// ---- loops ---------------------------------------------------------------------------------------------------------

static bool name_loops(ss_machine* m, const ss_scene* scene)
{
  static const char* const moves[] = {".x", ".y", ".z"};
  static const char* const turns[] = {".rx", ".ry", ".rz"};
  for (int e = 0, i = 0; e < scene->n_equality; e++) {
    const ss_scene_equality* from = scene->equality + e;
    if (!from->active) continue;
    const ss_loop* loop = m->loop + i++;
    const char* before = is_named(from->name) ? "" : "loop ";
    int rows = loop->kind == SS_SCENE_JOINT ? 1 : loop->moves + loop->turns;
    for (int k = 0; k < rows; k++) {
      const char* suffix = loop->kind == SS_SCENE_JOINT ? "" : k < loop->moves ? moves[k] : turns[k - loop->moves];
      m->loop_row[loop->row + k] = ss_machine_keep(m, "%s%.200s%s", before, from->name, suffix);
      if (!m->loop_row[loop->row + k]) return false;
    }
  }
  return true;
}

const char* ss_machine_loop_unit(const ss_machine* m, int row)
{
  if (!m) return "";
  const ss_loop* loop = m->loop;
  while (loop + 1 < m->loop + m->n_loop && loop[1].row <= row) loop++;
  bool moves = loop->kind == SS_SCENE_JOINT ? strcmp(m->velocity_unit[loop->iv[0]], "m/s") == 0
                                            : row - loop->row < loop->moves;
  return moves ? "N" : "N m";
}

// ---- none twice ----------------------------------------------------------------------------------------------------

typedef struct named { const char* name; int i; } named;

static int by_name(const void* p, const void* q)
{
  const named *a = p, *b = q;
  int c = strcmp(a->name, b->name);
  return c ? c : (a->i > b->i) - (a->i < b->i);
}

// What stands twice gets its number: "a.w" may be a hinge, and a part of the ball "a"
static bool make_unique(ss_machine* m, int n, const char** name)
{
  named* list = SS_MACHINE_ARRAY(n, named);
  for (int i = 0; list && i < n; i++) list[i] = (named){name[i], i};
  if (!list) return false;
  qsort(list, (size_t)n, sizeof *list, by_name);
  bool done = true;
  for (int k = 1; k < n && done; k++) {
    if (strcmp(list[k].name, list[k - 1].name) != 0) continue;
    const char* other = ss_machine_keep(m, "%s #%d", list[k].name, list[k].i);
    name[list[k].i] = other;
    done = other != NULL;
  }
  free(list);
  return done;
}

// ---- all -----------------------------------------------------------------------------------------------------------

static bool name_geoms(ss_machine* m, const ss_scene* scene)
{
  for (int g = 0; g < scene->n_geom; g++) {
    const char* name = scene->geom[g].name;
    m->geom_name[g] = ss_machine_keep(m, "%s%.200s", is_named(name) ? "" : "geom ", name);
    m->many[g] = scene->geom[g].shape != SS_SCENE_SPHERE;
    m->fixed[g] = scene->geom[g].body == SS_WORLD;
    if (!m->geom_name[g]) return false;
  }
  return true;
}

static bool name_tendons(ss_machine* m, const ss_scene* scene)
{
  m->tendon_name = SS_MACHINE_ARRAY(m->n_tendon, const char*);
  for (int i = 0; m->tendon_name && i < m->n_tendon; i++) {
    m->tendon_name[i] = ss_machine_keep(m, "tendon %.200s", scene->tendon[i].name);
    if (!m->tendon_name[i]) return false;
  }
  return m->tendon_name != NULL;
}

ss_status ss_machine_make_names(ss_machine* m, const ss_scene* scene, ss_error* error)
{
  m->geom_name = SS_MACHINE_ARRAY(m->n_geom, const char*);
  m->many = SS_MACHINE_ARRAY(m->n_geom, bool);
  m->fixed = SS_MACHINE_ARRAY(m->n_geom, bool);
  m->label = SS_MACHINE_ARRAY(m->n_joint, const char*);
  m->coordinate = SS_MACHINE_ARRAY(m->nq, const char*);
  m->unit = SS_MACHINE_ARRAY(m->nq, const char*);
  m->velocity = SS_MACHINE_ARRAY(m->nv, const char*);
  m->velocity_unit = SS_MACHINE_ARRAY(m->nv, const char*);
  m->loop_row = SS_MACHINE_ARRAY(m->n_bilateral, const char*);
  bool done = m->geom_name && m->many && m->fixed && m->label && m->coordinate && m->unit && m->velocity &&
              m->velocity_unit && m->loop_row;
  for (int j = 0; done && j < m->n_joint; j++) done = name_joint(m, scene, j);
  done = done && name_geoms(m, scene) && name_tendons(m, scene) && name_loops(m, scene) &&
         make_unique(m, m->nq, m->coordinate) && make_unique(m, m->nv, m->velocity) &&
         make_unique(m, m->n_bilateral, m->loop_row);
  return done ? SS_OK : ss_machine_no_memory(error);
}

// ---- contacts ------------------------------------------------------------------------------------------------------

// What moves comes first: "ball - floor"
static void touch_name(const ss_machine* m, uint64_t key, char* text, size_t size)
{
  uint64_t kind = key & (SS_KEY_SPIN | SS_KEY_ROLL);
  key &= SS_KEY_SPIN - 1;
  int a = ss_key_geom_a(key), b = ss_key_geom_b(key), feature = ss_key_feature(key);
  if (a >= m->n_geom || b >= m->n_geom) {
    snprintf(text, size, "contact %llu", (unsigned long long)key);
    return;
  }
  bool turned = m->fixed[a] && !m->fixed[b];
  char point[16] = "";
  const char* what = kind & SS_KEY_ROLL ? " roll" : kind & SS_KEY_SPIN ? " spin" : "";
  if (m->many[a] && m->many[b]) snprintf(point, sizeof point, " [%d]", feature);
  snprintf(text, size, "%.115s - %.115s%s%s", m->geom_name[turned ? b : a], m->geom_name[turned ? a : b], point, what);
}

static const char* tendon_name(const ss_machine* m, uint64_t i)
{
  return i < (uint64_t)m->n_tendon ? m->tendon_name[i] : "unknown";
}

void ss_machine_contact_name(const void* user, uint64_t key, char* text, size_t size)
{
  const ss_machine* m = user;
  if (!(key & SS_KEY_LIMIT)) {
    touch_name(m, key, text, size);
  } else if (key >= SS_KEY_FRICTION) {
    uint64_t i = key - SS_KEY_FRICTION;
    snprintf(text, size, "%s friction", i < (uint64_t)m->nv ? m->velocity[i] : tendon_name(m, i - (uint64_t)m->nv));
  } else {
    uint64_t j = (key - SS_KEY_LIMIT)/2;
    const char* joint = j < (uint64_t)m->n_joint ? m->label[j] : tendon_name(m, j - (uint64_t)m->n_joint);
    snprintf(text, size, "%s limit %s", joint, key & 1 ? "upper" : "lower");
  }
}
