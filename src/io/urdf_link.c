// What a link of URDF has: mass and inertia, shapes that touch, friction and restitution; and where its meshes are.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "io/urdf.h"

#define DENSITY 1000  // kg/m^3, of links without inertial

// ---- inertia ----

// R A R^T for the inertia A in the axes of <origin>
static ss_sym3 turned(ss_quat rotation, const ss_sym3* A)
{
  ss_mat3 R = ss_quat_matrix(ss_quat_conjugate(rotation));  // columns: the body's axes in those of the inertia
  ss_vec3 x = ss_sym3_mul(A, R.x), y = ss_sym3_mul(A, R.y), z = ss_sym3_mul(A, R.z);
  return (ss_sym3){ss_dot3(R.x, x), ss_dot3(R.y, y), ss_dot3(R.z, z), ss_dot3(R.x, y), ss_dot3(R.x, z),
                   ss_dot3(R.y, z)};
}

static ss_status read_inertial(ss_urdf* u, const ss_urdf_link* link, const ss_xml_node* node)
{
  ss_mjcf* r = u->r;
  ss_urdf_one mass = {0};
  ss_urdf_inertia v = {0};
  const ss_xml_node *has_mass, *has_inertia;
  ss_vec3 position;
  ss_quat rotation;
  if (ss_urdf_pose(r, node, SS_MJ_IN_LINK_INERTIAL, &position, &rotation) < 0 ||
      ss_urdf_read_child(r, node, SS_MJ_IN_LINK_INERTIAL, "mass", &mass, &has_mass) < 0 ||
      ss_urdf_read_child(r, node, SS_MJ_IN_LINK_INERTIAL, "inertia", &v, &has_inertia) < 0)
    return SS_ERR_INPUT;
  if (!has_mass) return ss_mj_error_at(r, node, "link '%.60s': inertial needs <mass value=\"...\"/>", link->name);
  if (mass.value.v[0] < 0)
    return ss_mj_error_of(r, &mass.value, "link '%.60s': mass is %g; it must not be negative", link->name,
                          mass.value.v[0]);
  if (!has_inertia && mass.value.v[0] > 0)
    return ss_mj_error_at(r, node, "link '%.60s': inertial needs <inertia ixx=\"...\" .../>", link->name);
  ss_sym3 A = {v.xx.v[0], v.yy.v[0], v.zz.v[0], v.xy.v[0], v.xz.v[0], v.yz.v[0]};
  A = turned(rotation, &A);
  ss_body_def* body = r->out->body + link->body;
  const double I[6] = {A.xx, A.yy, A.zz, A.xy, A.xz, A.yz};
  body->mass = mass.value.v[0];
  ss_vec3_to(position, body->com);
  memcpy(body->inertia, I, sizeof I);
  r->mass[link->body].inertial = true;
  return SS_OK;
}

// ---- files of meshes ----

static const char* after(const char* text, const char* prefix)
{
  size_t n = strlen(prefix);
  return strncmp(text, prefix, n) == 0 ? text + n : NULL;
}

// The folder of the file, then those above it: below each of them `name`, and what is behind the package's name
static bool search(const char* folder, const char* name, bool package, char* path, size_t size)
{
  char up[1024];
  const char* inside = package ? strchr(name, '/') : NULL;
  snprintf(up, sizeof up, "%s", folder);
  for (int level = 0; level < 32; level++) {
    if (snprintf(path, size, "%s%s", up, name) < (int)size && access(path, R_OK) == 0) return true;
    if (inside && snprintf(path, size, "%s%s", up, inside + 1) < (int)size && access(path, R_OK) == 0) return true;
    size_t n = strlen(up);
    if (strcmp(up, "/") == 0) break;
    char* last = NULL;  // cut the last part of "/a/b/"; go on by "../" from where nothing is left, or from such
    if (n > 1) {
      up[n - 1] = 0;
      last = strrchr(up, '/');
      up[n - 1] = '/';
    }
    const char* part = last ? last + 1 : up;
    bool plain = n > 0 && strcmp(part, "../") != 0 && strcmp(part, "./") != 0;
    if (plain) up[part - up] = 0;
    else if (n + 4 < sizeof up) memcpy(up + n, "../", 4);
    else break;
  }
  snprintf(path, size, "%s%s", folder, name);
  return false;
}

static ss_status find_file(ss_mjcf* r, const ss_mj_value* v, char* path, size_t size)
{
  const char* name = v->text;
  const char* package = after(name, "package://");
  if (!package) package = after(name, "model://");
  const char* plain = after(name, "file://");
  if (package) name = package;
  if (plain) name = plain;
  if (!package && !plain && strstr(name, "://"))
    return ss_mj_error_of(r, v, "mesh: '%.80s' cannot be fetched; use a path, file:// or package://", name);
  if (strlen(name) + strlen(r->set.folder) + 1 > size)
    return ss_mj_error_of(r, v, "mesh: the name of the file is longer than %d bytes", (int)size - 1);
  if (*name == '/') snprintf(path, size, "%s", name);
  else search(r->set.folder, name, package != NULL, path, size);
  return SS_OK;
}

// ---- shapes ----

// A mesh of this file and scale may be there already
static int find_mesh(const ss_mj_scene* s, const char* path, const double scale[3])
{
  for (int i = 0; i < s->scene.n_mesh; i++)
    if (strcmp(s->mesh[i].file, path) == 0 && memcmp(s->info[i].scale, scale, 3*sizeof *scale) == 0) return i;
  return -1;
}

static bool is_collada(const char* name)
{
  size_t n = strlen(name);
  return n > 4 && strcasecmp(name + n - 4, ".dae") == 0;
}

// *mesh -1: nothing is done with it, which is told
static ss_status read_mesh(ss_urdf* u, const ss_xml_node* node, const ss_urdf_shape* v, int* mesh)
{
  static const double frame[7] = {0, 0, 0, 1, 0, 0, 0};
  ss_mjcf* r = u->r;
  char path[1024];
  double scale[3];
  *mesh = -1;
  if (is_collada(v->filename.text))
    return ss_mj_notice(r, SS_SCENE_IGNORED, "mesh", "filename",
                        "Collada (.dae) is not read: this shape does not touch", node->line, 1);
  for (int i = 0; i < 3; i++) {
    scale[i] = v->scale.v[i];
    if (scale[i] == 0) return ss_mj_error_of(r, &v->scale, "mesh: scale has a zero, which leaves no volume");
  }
  if (find_file(r, &v->filename, path, sizeof path) < 0) return SS_ERR_INPUT;
  *mesh = find_mesh(r->out, path, scale);
  if (*mesh >= 0) return SS_OK;
  const ss_mj_value none = {0};
  return ss_mj_add_mesh_file(r, node, &none, path, scale, frame, mesh);
}

// Full lengths in URDF, halves in the scene. g->mesh -1 and g->shape SS_SCENE_MESH: no shape
static ss_status read_shape(ss_urdf* u, const ss_xml_node* node, ss_scene_geom* g)
{
  static const struct { const char* name; ss_scene_shape shape; } shapes[] = {
    {"box", SS_SCENE_BOX}, {"cylinder", SS_SCENE_CYLINDER}, {"capsule", SS_SCENE_CAPSULE}, {"sphere", SS_SCENE_SPHERE},
    {"mesh", SS_SCENE_MESH}};
  ss_urdf_shape v = {0};
  g->mesh = -1;
  for (int i = 0; i < 5; i++)
    if (strcmp(node->name, shapes[i].name) == 0) g->shape = shapes[i].shape;
  if (ss_mj_read(u->r, node, ss_mj_element_find(SS_MJ_IN_GEOMETRY, node->name), -1, &v) < 0) return SS_ERR_INPUT;
  const ss_mj_value* lengths[2] = {&v.radius, &v.length};
  for (int i = 0; i < 2; i++)
    if (lengths[i]->text && !(lengths[i]->v[0] > 1e-30))
      return ss_mj_error_of(u->r, lengths[i], "%s: %s is %g; it must be positive", node->name,
                            i ? "length" : "radius", lengths[i]->v[0]);
  for (int i = 0; i < 3 && g->shape == SS_SCENE_BOX; i++) {
    g->size[i] = 0.5*v.size.v[i];
    if (!(g->size[i] > 1e-30))
      return ss_mj_error_of(u->r, &v.size, "box: size is %g; it must be positive", v.size.v[i]);
  }
  if (v.radius.text) g->size[0] = v.radius.v[0];
  if (v.length.text) g->size[1] = 0.5*v.length.v[0];
  return g->shape == SS_SCENE_MESH ? read_mesh(u, node, &v, &g->mesh) : SS_OK;
}

// Friction and restitution of <contact>, else those of <stickslip>
static ss_status read_surface(ss_urdf* u, const ss_xml_node* link, ss_scene_geom* g)
{
  ss_mjcf* r = u->r;
  ss_urdf_one friction = {0}, restitution = {0};
  const ss_xml_node *node, *has_friction = NULL, *has_restitution = NULL;
  if (ss_urdf_child(r, link, "contact", &node) < 0) return SS_ERR_INPUT;
  if (node &&
      (ss_urdf_read_child(r, node, SS_MJ_IN_LINK_CONTACT, "lateral_friction", &friction, &has_friction) < 0 ||
       ss_urdf_read_child(r, node, SS_MJ_IN_LINK_CONTACT, "restitution", &restitution, &has_restitution) < 0))
    return SS_ERR_INPUT;
  g->condim = 3;
  g->contype = 1;
  g->conaffinity = u->set.selfcontact.word;
  g->friction[0] = has_friction ? friction.value.v[0] : u->set.friction.v[0];
  g->restitution = has_restitution ? restitution.value.v[0] : u->set.restitution.v[0];
  if (g->friction[0] < 0)
    return ss_mj_error_of(r, &friction.value, "lateral_friction is %g; it must not be negative", g->friction[0]);
  if (g->restitution < 0 || g->restitution > 1)
    return ss_mj_error_of(r, &restitution.value, "restitution is %g; it must be 0 to 1", g->restitution);
  return SS_OK;
}

static void set_mass(ss_mjcf* r, ss_scene_geom* g, int number)
{
  ss_mj_solid solid = g->mesh >= 0 ? r->out->info[g->mesh].solid : ss_mj_shape_solid(g->shape, g->size);
  g->mass = DENSITY*solid.volume;
  g->by_density = true;
  if (!(g->mass > 0) && g->body >= 0) r->mass[g->body].mesh_geom = number;
}

// The shape of a <geometry>, which has one element
static ss_status shape_node(ss_urdf* u, const ss_xml_node* node, const ss_xml_node** shape)
{
  const ss_xml_node* geometry;
  if (ss_urdf_child(u->r, node, "geometry", &geometry) < 0) return SS_ERR_INPUT;
  *shape = NULL;
  for (const ss_xml_node* c = geometry ? geometry->child : NULL; c; c = c->next) {
    if (!ss_mj_element_find(SS_MJ_IN_GEOMETRY, c->name)) continue;  // not known, which is told
    if (*shape) return ss_mj_error_at(u->r, c, "geometry has two shapes, <%s> and <%s>", (*shape)->name, c->name);
    *shape = c;
  }
  if (!geometry || !geometry->child)
    return ss_mj_error_at(u->r, geometry ? geometry : node,
                          "collision needs <geometry> with one of: box, cylinder, capsule, sphere, mesh");
  return SS_OK;
}

// Names of collisions need not be there, nor be unique: the name of the link does, then with a number
static void choose_name(ss_mjcf* r, const ss_urdf_link* link, ss_mj_value* v, char* name, size_t size)
{
  if (v->text && *v->text && ss_mj_name_get(r, SS_MJ_GEOM, v->text) < 0) return;
  snprintf(name, size, "%s", v->text && *v->text ? v->text : link->name);
  size_t n = strlen(name);
  for (int k = 2; ss_mj_name_get(r, SS_MJ_GEOM, name) >= 0; k++) {
    if (n + 12 > size || k > 1000) {
      v->text = NULL;
      return;
    }
    snprintf(name + n, size - n, "_%d", k);
  }
  v->text = name;
}

static ss_status read_collision(ss_urdf* u, const ss_urdf_link* link, const ss_xml_node* node)
{
  ss_mjcf* r = u->r;
  ss_mj_scene* s = r->out;
  int n = s->scene.n_geom;
  ss_scene_geom g = {.line = node->line, .body = link->body, .hfield = -1};
  ss_urdf_head v = {0};
  const ss_xml_node* shape;
  ss_vec3 position;
  ss_quat rotation;
  if (ss_mj_read(r, node, ss_mj_element_find(SS_MJ_IN_LINK, "collision"), -1, &v) < 0 ||
      shape_node(u, node, &shape) < 0 || ss_urdf_pose(r, node, SS_MJ_IN_COLLISION, &position, &rotation) < 0)
    return SS_ERR_INPUT;
  if (!shape) return SS_OK;
  ss_status st = read_shape(u, shape, &g);
  if (st < 0 || (st = read_surface(u, link->node, &g)) < 0) return st;
  if (g.shape == SS_SCENE_MESH && g.mesh < 0) return SS_OK;
  ss_vec3_to(position, g.position);
  ss_quat_to(rotation, g.rotation);
  set_mass(r, &g, n);
  if (!isfinite(g.mass)) return ss_mj_error_at(r, shape, "%s: the mass is too great for a number", shape->name);
  if (!SS_MJ_GROW(s->geom, s->geom_room, n)) return ss_mj_memory(r);
  s->geom[n] = g;
  s->scene.n_geom++;
  char name[256];
  choose_name(r, link, &v.name, name, sizeof name);
  if ((st = ss_mj_name(r, SS_MJ_GEOM, &v.name, "", n, node, &s->geom[n].name)) < 0) return st;
  return ss_mj_tell_shape(r, s->geom + n);
}

ss_status ss_urdf_read_link(ss_urdf* u, const ss_urdf_link* link)
{
  ss_mjcf* r = u->r;
  const ss_xml_node* inertial;
  int before = r->out->scene.n_geom;
  if (ss_urdf_child(r, link->node, "inertial", &inertial) < 0) return SS_ERR_INPUT;
  ss_status st = inertial && link->body >= 0 ? read_inertial(u, link, inertial) : SS_OK;
  for (const ss_xml_node* c = link->node->child; c && st >= 0; c = c->next)
    if (strcmp(c->name, "collision") == 0) st = read_collision(u, link, c);
  if (st < 0 || inertial || link->body < 0 || !r->mass[link->body].moves) return st;
  return ss_mj_notice(r, SS_SCENE_APPROXIMATED, "link", "",
                      r->out->scene.n_geom > before ? "no inertial: the mass is that of its shapes with 1000 kg/m^3"
                                                    : "no inertial and no shape: it has no mass",
                      link->node->line, 1);
}
