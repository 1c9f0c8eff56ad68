// Shapes of an MJCF file: geoms with size, pose, mass and what they are made of.
#include <math.h>
#include <string.h>
#include "io/mjcf.h"
#include "math/principal.h"

// Numbers of size that a shape needs, without and with fromto
static const struct { int plain, fromto; } sizes[SS_SCENE_SHAPES] = {
  [SS_SCENE_PLANE] = {0, -1},    [SS_SCENE_SPHERE] = {1, -1},  [SS_SCENE_CAPSULE] = {2, 1},
  [SS_SCENE_ELLIPSOID] = {3, 1}, [SS_SCENE_CYLINDER] = {2, 1}, [SS_SCENE_BOX] = {3, 1},
  [SS_SCENE_MESH] = {0, -1},     [SS_SCENE_HFIELD] = {0, -1},  [SS_SCENE_SDF] = {0, -1}};

// From a to b along z: the length is that of the shape, the middle its place
static ss_status read_fromto(ss_mjcf* r, const ss_mj_geom* v, ss_scene_geom* g, ss_vec3* position, ss_quat* rotation)
{
  ss_vec3 a = ss_vec3_from(v->fromto.v), b = ss_vec3_from(v->fromto.v + 3), d = ss_sub(b, a);
  if (sizes[g->shape].fromto < 0)
    return ss_mj_error_of(r, &v->fromto, "geom: fromto is for capsules, cylinders, boxes and ellipsoids, not for a %s",
                          ss_scene_shape_name(g->shape));
  if (!ss_mj_from_z(d, rotation)) return ss_mj_error_of(r, &v->fromto, "geom: fromto has no length");
  *position = ss_scale(0.5, ss_add(a, b));
  bool round = g->shape == SS_SCENE_CAPSULE || g->shape == SS_SCENE_CYLINDER;
  g->size[1] = round ? 0.5*ss_norm(d) : g->size[0];
  g->size[2] = round ? 0 : 0.5*ss_norm(d);
  return SS_OK;
}

// Half edges of the box of the same mass and moments, the least first, in its axes. Per density its moment about x is
// V (y^2 + z^2)/3.
static void inertia_box(const ss_mj_solid* solid, double half[3], ss_quat* axes)
{
  ss_vec3 principal = ss_sym3_principal(&solid->inertia, axes);
  double p[3] = {principal.x, principal.y, principal.z};
  for (int turn = 0; turn < 3; turn++) {
    int k = turn == 1 ? 0 : 2, i = k ? 0 : 1, j = i + 1;
    if (p[i] >= p[j]) continue;
    double greater = p[j], v[3] = {0, 0, 0};
    p[j] = p[i];
    p[i] = greater;
    v[k] = sqrt(0.5);  // a quarter of a turn about the third axis
    *axes = ss_quat_mul(*axes, (ss_quat){sqrt(0.5), v[0], v[1], v[2]});
  }
  for (int i = 0; i < 3; i++)
    half[i] = sqrt(fmax(1.5*(p[(i + 1)%3] + p[(i + 2)%3] - p[i])/solid->volume, 0));
}

// A shape in place of a mesh, at its centre and along its axes, the longest being z; any size is replaced
static ss_status fit(ss_mjcf* r, const ss_mj_geom* v, int mesh, ss_scene_geom* g, ss_vec3* position, ss_quat* rotation)
{
  const ss_mj_solid* solid = &r->out->info[mesh].solid;
  const char* name = ss_scene_shape_name(g->shape);
  double half[3], scale = v->fitscale.v[0];
  ss_quat axes;
  if (r->out->info[mesh].failed) return ss_mj_mesh_failed(r, mesh);
  if (!(solid->volume > 0))
    return ss_mj_error_of(r, &v->mesh, "geom: the %s cannot be fitted to the mesh '%.60s', which has no volume", name,
                          v->mesh.text);
  if (v->fromto.text) return ss_mj_error_of(r, &v->fromto, "geom: a %s that is fitted to a mesh has no fromto", name);
  if (r->set.fitaabb)
    return ss_mj_error_of(r, &v->mesh, "geom: shapes are fitted to meshes by their inertia, not by fitaabb=\"true\"");
  if (!(scale > 0)) return ss_mj_error_of(r, &v->fitscale, "geom: fitscale is %g; it must be positive", scale);
  inertia_box(solid, half, &axes);
  double a = half[0], b = half[1], c = half[2], round = 0.5*(a + b);
  switch (g->shape) {
  case SS_SCENE_SPHERE: half[0] = (a + b + c)/3; break;
  case SS_SCENE_CAPSULE: half[0] = round, half[1] = c - 0.5*round; break;
  case SS_SCENE_CYLINDER: half[0] = round, half[1] = c; break;
  default: break;
  }
  for (int i = 0; i < sizes[g->shape].plain; i++) g->size[i] = scale*half[i];
  *position = ss_add(*position, ss_quat_rotate(*rotation, solid->centre));
  *rotation = ss_quat_normalized(ss_quat_mul(*rotation, axes));
  if (r->out->info[mesh].surface != SS_MESH_OPEN) return SS_OK;
  return ss_mj_notice(r, SS_SCENE_APPROXIMATED, "geom", "mesh", "its surface has holes, or triangles turned against "
                      "one another: fitted to its convex hull", g->line, 1);
}

static ss_status read_size(ss_mjcf* r, const ss_xml_node* node, const ss_mj_geom* v, ss_scene_geom* g)
{
  int need = v->fromto.text ? sizes[g->shape].fromto : sizes[g->shape].plain;
  int used = g->shape == SS_SCENE_PLANE ? 2 : need;
  if (v->size.n < need && !v->size.text)
    return ss_mj_error_at(r, node, "geom: a %s needs the attribute 'size'", ss_scene_shape_name(g->shape));
  if (v->size.n < need)
    return ss_mj_error_of(r, &v->size, "geom: size of a %s needs %d numbers, not %d", ss_scene_shape_name(g->shape),
                          need, v->size.n);
  for (int i = 0; i < used && i < v->size.n; i++) {
    g->size[i] = v->size.v[i];
    if (!(g->size[i] > 1e-30 || (g->shape == SS_SCENE_PLANE && g->size[i] == 0)))
      return ss_mj_error_of(r, &v->size, "geom: size is %g; it must be positive", g->size[i]);
  }
  return SS_OK;
}

// The mesh that the shape is fitted to is *fitted, -1 if none
static ss_status read_asset_of(ss_mjcf* r, const ss_xml_node* node, const ss_mj_geom* v, ss_scene_geom* g, int* fitted)
{
  g->mesh = g->hfield = *fitted = -1;
  if (v->hfield.text && g->shape != SS_SCENE_HFIELD)
    return ss_mj_error_of(r, &v->hfield, "geom: a %s has no hfield; give type=\"hfield\"",
                          ss_scene_shape_name(g->shape));
  if (v->hfield.text) return ss_mj_refer(r, SS_MJ_HFIELD, &v->hfield, "hfield", &g->hfield);
  if (g->shape == SS_SCENE_HFIELD) return ss_mj_error_at(r, node, "geom: an hfield needs the attribute 'hfield'");
  bool fits = g->shape != SS_SCENE_MESH && g->shape != SS_SCENE_SDF;
  if (v->mesh.text && g->shape == SS_SCENE_PLANE)
    return ss_mj_error_of(r, &v->mesh, "geom: a plane is not fitted to a mesh; give type=\"mesh\"");
  if (v->mesh.text && fits) return ss_mj_refer(r, SS_MJ_MESH, &v->mesh, "mesh", fitted);
  if (v->mesh.text) return ss_mj_refer(r, SS_MJ_MESH, &v->mesh, "mesh", &g->mesh);
  if (g->shape == SS_SCENE_MESH) return ss_mj_error_at(r, node, "geom: a mesh needs the attribute 'mesh'");
  return SS_OK;
}

static ss_status read_surface(ss_mjcf* r, const ss_mj_geom* v, ss_scene_geom* g)
{
  g->contype = (int)v->contype.v[0];
  g->conaffinity = (int)v->conaffinity.v[0];
  g->condim = (int)v->condim.v[0];
  g->priority = (int)v->priority.v[0];
  g->group = (int)v->group.v[0];
  g->restitution = v->restitution.v[0];
  g->tangential = v->tangential.v[0];
  g->margin = v->margin.v[0];
  g->gap = v->gap.v[0];
  if (g->condim != 1 && g->condim != 3 && g->condim != 4 && g->condim != 6)
    return ss_mj_error_of(r, &v->condim, "geom: condim is %d; it must be 1, 3, 4 or 6", g->condim);
  for (int i = 0; i < 3; i++) {
    g->friction[i] = v->friction.v[i];
    if (g->friction[i] < 0)
      return ss_mj_error_of(r, &v->friction, "geom: friction is %g; it must not be negative", g->friction[i]);
  }
  if (g->restitution < 0 || g->restitution > 1)
    return ss_mj_error_of(r, &v->restitution, "geom: restitution is %g; it must be 0 to 1", g->restitution);
  if (g->tangential < 0 || g->tangential > 1)
    return ss_mj_error_of(r, &v->tangential, "geom: restitution-tangential is %g; it must be 0 to 1", g->tangential);
  if (g->margin < 0) return ss_mj_error_of(r, &v->margin, "geom: margin is %g; it must not be negative", g->margin);
  if (g->margin > g->gap)
    return ss_mj_notice(r, SS_SCENE_APPROXIMATED, "geom", "margin", SS_MJ_MARGIN, v->margin.line, 1);
  return SS_OK;
}

// Mass given, or that of the shape. Of a mesh without volume it stays open until it is known whether it is needed.
static ss_status read_mass(ss_mjcf* r, const ss_mj_geom* v, ss_scene_geom* g, int number)
{
  ss_mj_solid solid = ss_mj_shape_solid(g->shape, g->size);
  if (g->shape == SS_SCENE_MESH) solid = r->out->info[g->mesh].solid;
  if (v->mass.text && v->mass.v[0] < 0)
    return ss_mj_error_of(r, &v->mass, "geom: mass is %g; it must not be negative", v->mass.v[0]);
  if (v->density.v[0] < 0)
    return ss_mj_error_of(r, &v->density, "geom: density is %g; it must not be negative", v->density.v[0]);
  g->mass = v->mass.text ? v->mass.v[0] : v->density.v[0]*solid.volume;
  g->by_density = !v->mass.text;
  bool massive = g->shape != SS_SCENE_PLANE && g->shape != SS_SCENE_HFIELD;
  if (!massive) g->mass = 0;
  bool wanted = massive && (v->mass.text ? v->mass.v[0] > 0 : v->density.v[0] > 0);
  if (wanted && !(solid.volume > 0) && g->body >= 0 && g->group >= r->inertiagroup[0] &&
      g->group <= r->inertiagroup[1])
    r->mass[g->body].mesh_geom = number;
  if (!isfinite(g->mass)) return ss_mj_error_of(r, &v->size, "geom: the mass is too great for a number");
  return SS_OK;
}

// What a shape that could touch others does not do
ss_status ss_mj_tell_shape(ss_mjcf* r, const ss_scene_geom* g)
{
  const char* lost = g->shape == SS_SCENE_SDF ? "type=\"sdf\"" : NULL;
  if ((!g->contype && !g->conaffinity) || !lost) return SS_OK;
  return ss_mj_notice(r, SS_SCENE_IGNORED, "geom", lost, "cannot touch anything", g->line, 1);
}

static ss_status read_pose(ss_mjcf* r, const ss_xml_node* node, const ss_mj_geom* v, const ss_mj_scope* scope,
                           int fitted, ss_scene_geom* g)
{
  ss_vec3 position;
  ss_quat rotation;
  if (ss_mj_pose_get(r, node, &v->pose, &position, &rotation) < 0) return SS_ERR_INPUT;
  if (fitted >= 0) {
    ss_status st = fit(r, v, fitted, g, &position, &rotation);
    if (st < 0) return st;
  }
  else if (v->fromto.text && read_fromto(r, v, g, &position, &rotation) < 0) return SS_ERR_INPUT;
  ss_mj_in_scope(scope, &position, &rotation);
  ss_vec3_to(position, g->position);
  ss_quat_to(rotation, g->rotation);
  return SS_OK;
}

ss_status ss_mj_read_geom(ss_mjcf* r, const ss_xml_node* node, const ss_mj_element* e, const ss_mj_scope* scope)
{
  ss_mj_scene* s = r->out;
  ss_mj_geom v = {0};
  int class, fitted, n = s->scene.n_geom;
  if (ss_mj_class_of(r, node, scope, &class) < 0 || ss_mj_read(r, node, e, class, &v) < 0) return SS_ERR_INPUT;
  if (v.type.word == SS_MJ_POLYGON)
    return ss_mj_error_of(r, &v.type, "geom: a polygon is for a scene in the plane, a model of one file without "
                          "include and attach (docs/polygons.md)");
  if (!SS_MJ_GROW(s->geom, s->geom_room, n)) return ss_mj_memory(r);
  ss_scene_geom* g = s->geom + n;
  *g = (ss_scene_geom){.line = node->line, .body = scope->body, .shape = (ss_scene_shape)v.type.word};
  ss_status st = ss_mj_name(r, SS_MJ_GEOM, &v.name, scope->suffix, n, node, &g->name);
  if (st < 0) return st;
  if ((st = read_asset_of(r, node, &v, g, &fitted)) < 0 || (fitted < 0 && (st = read_size(r, node, &v, g)) < 0) ||
      (st = read_pose(r, node, &v, scope, fitted, g)) < 0 || (st = read_surface(r, &v, g)) < 0 ||
      (st = read_mass(r, &v, g, n)) < 0 || (st = ss_mj_tell_shape(r, g)) < 0)
    return st;
  s->scene.n_geom++;
  return SS_OK;
}
