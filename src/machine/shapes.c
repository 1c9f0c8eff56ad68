// The collider of a machine: geoms as shapes, and the filters of MJCF.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "machine/machine.h"

static ss_shape_def shape_of(const ss_scene_geom* geom)
{
  static const ss_shape_kind kinds[SS_SCENE_SHAPES] = {
    SS_SHAPE_PLANE, SS_SHAPE_SPHERE, SS_SHAPE_CAPSULE, SS_SHAPE_ELLIPSOID, SS_SHAPE_CYLINDER,
    SS_SHAPE_BOX,   SS_SHAPE_MESH,   SS_SHAPE_HEIGHTS, SS_SHAPE_MESH};
  ss_shape_def shape = {.kind = kinds[geom->shape]};
  bool round = geom->shape == SS_SCENE_SPHERE || geom->shape == SS_SCENE_CAPSULE || geom->shape == SS_SCENE_CYLINDER;
  if (round) shape.radius = geom->size[0];
  if (round && geom->shape != SS_SCENE_SPHERE) shape.half_length = geom->size[1];
  bool edges = geom->shape == SS_SCENE_BOX || geom->shape == SS_SCENE_ELLIPSOID;
  if (edges) memcpy(shape.half, geom->size, sizeof shape.half);
  return shape;
}

static ss_geom_def geom_of(const ss_scene_geom* from)
{
  ss_geom_def geom = ss_geom_def_default();
  geom.name = from->name;
  geom.shape = shape_of(from);
  geom.body = from->body;
  memcpy(geom.pose.position, from->position, sizeof geom.pose.position);
  memcpy(geom.pose.rotation, from->rotation, sizeof geom.pose.rotation);
  geom.contype = (unsigned)from->contype;
  geom.conaffinity = (unsigned)from->conaffinity;
  geom.margin = fmax(from->margin, 0);
  return geom;
}

// The collider refused: which two geoms are to blame, and where are they? With spheres in the place of all shapes the
// filters can be asked.
static ss_status refuse(const ss_scene* scene, ss_collider_def* def, ss_geom_def* geom, ss_error* error)
{
  ss_error first = error ? *error : (ss_error){0};
  for (int g = 0; g < def->n_geom; g++) geom[g].shape = (ss_shape_def){.kind = SS_SHAPE_SPHERE, .radius = 1};
  ss_collider* spheres = ss_collider_create(def, error);
  for (int b = 0; spheres && b < def->n_geom; b++)
    for (int a = 0; a < b; a++) {
      const ss_scene_geom *one = scene->geom + a, *two = scene->geom + b;
      ss_shape_def shape_a = shape_of(one), shape_b = shape_of(two);
      if (ss_shape_pair_known(shape_a.kind, shape_b.kind) || !ss_collider_can_meet(spheres, a, b)) continue;
      ss_collider_destroy(spheres);
      return ss_machine_complain(
        error, scene, shape_b.kind > SS_SHAPE_BOX ? two->line : one->line,
        "geom '%.60s' (%s, line %d) and geom '%.60s' (%s, line %d) could touch, but contacts between these shapes "
        "cannot be found; use planes, spheres, capsules and boxes, or keep them apart by contype and "
        "conaffinity",
        one->name, ss_shape_name(shape_a.kind), one->line, two->name, ss_shape_name(shape_b.kind), two->line);
    }
  ss_collider_destroy(spheres);
  return ss_machine_complain(error, scene, 0, "%s", first.text);
}

static ss_status make(ss_machine* m, const ss_scene* scene, ss_geom_def* geom, ss_collider_body* body,
                      ss_body_pair* exclude, ss_geom_pair* pair, ss_error* error)
{
  for (int g = 0; g < scene->n_geom; g++) geom[g] = geom_of(scene->geom + g);
  for (int b = 0; b < m->n_body; b++) body[b] = (ss_collider_body){scene->tree.body[b].parent, true};
  for (int j = 0; j < scene->tree.n_joint; j++)
    if (scene->tree.joint[j].kind != SS_JOINT_FIXED) body[scene->tree.joint[j].body].fixed = false;
  for (int i = 0; i < scene->n_exclude; i++)
    exclude[i] = (ss_body_pair){scene->exclude[i].body_a, scene->exclude[i].body_b};
  for (int i = 0; i < scene->n_pair; i++) pair[i] = (ss_geom_pair){scene->pair[i].geom_a, scene->pair[i].geom_b};
  ss_collider_def def = {.n_geom = scene->n_geom, .geom = geom, .n_body = m->n_body, .body = body,
                         .n_exclude = scene->n_exclude, .exclude = exclude, .n_pair = scene->n_pair, .pair = pair,
                         .parents_meet = !scene->option.filterparent};
  m->collider = ss_collider_create(&def, error);
  if (!m->collider && error && error->status == SS_ERR_MEMORY) return SS_ERR_MEMORY;
  return m->collider ? SS_OK : refuse(scene, &def, geom, error);
}

// Bodies whose shapes take part
static void find_posed(ss_machine* m, const ss_scene* scene)
{
  for (int g = 0; g < scene->n_geom; g++) {
    const ss_scene_geom* geom = scene->geom + g;
    if (geom->body != SS_WORLD && (geom->contype | geom->conaffinity)) m->posed[geom->body] = true;
  }
  for (int i = 0; i < scene->n_pair; i++)
    for (int k = 0; k < 2; k++) {
      int body = scene->geom[k ? scene->pair[i].geom_b : scene->pair[i].geom_a].body;
      if (body != SS_WORLD) m->posed[body] = true;
    }
}

ss_status ss_machine_make_shapes(ss_machine* m, const ss_scene* scene, ss_error* error)
{
  if (!scene->option.contact || scene->n_geom == 0) return SS_OK;
  if (scene->n_geom > SS_MACHINE_GEOMS)
    return ss_machine_complain(error, scene, 0, "%d geoms; at most %d", scene->n_geom, SS_MACHINE_GEOMS);
  ss_geom_def* geom = SS_MACHINE_ARRAY(scene->n_geom, ss_geom_def);
  ss_collider_body* body = SS_MACHINE_ARRAY(m->n_body, ss_collider_body);
  ss_body_pair* exclude = SS_MACHINE_ARRAY(scene->n_exclude, ss_body_pair);
  ss_geom_pair* pair = SS_MACHINE_ARRAY(scene->n_pair, ss_geom_pair);
  ss_error local = {0};  // what the collider says is needed even if nobody listens
  bool enough = geom && body && exclude && pair;
  ss_status st = enough ? make(m, scene, geom, body, exclude, pair, error ? error : &local) : SS_ERR_MEMORY;
  free(geom);
  free(body);
  free(exclude);
  free(pair);
  if (!enough) return ss_machine_no_memory(error);
  if (st >= 0) find_posed(m, scene);
  return st;
}
