// The collider of a machine: geoms as shapes, and the filters of MJCF.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "machine/machine.h"

static ss_shape_def heights_of(const ss_scene_hfield* field)
{
  return (ss_shape_def){.kind = SS_SHAPE_HEIGHTS, .n_row = field->n_row, .n_col = field->n_col,
                        .height = field->height, .half = {field->half[0], field->half[1]}};
}

// Meshes and height fields that were not read are as little known as signed distances
static ss_shape_def shape_of(const ss_scene* scene, const ss_scene_geom* geom)
{
  static const ss_shape_kind kinds[SS_SCENE_SHAPES] = {
    SS_SHAPE_PLANE, SS_SHAPE_SPHERE, SS_SHAPE_CAPSULE, SS_SHAPE_ELLIPSOID, SS_SHAPE_CYLINDER,
    SS_SHAPE_BOX,   SS_SHAPE_MESH,   SS_SHAPE_HEIGHTS, SS_SHAPE_OTHER};
  ss_shape_def shape = {.kind = kinds[geom->shape]};
  bool round = geom->shape == SS_SCENE_SPHERE || geom->shape == SS_SCENE_CAPSULE || geom->shape == SS_SCENE_CYLINDER;
  if (round) shape.radius = geom->size[0];
  if (round && geom->shape != SS_SCENE_SPHERE) shape.half_length = geom->size[1];
  bool edges = geom->shape == SS_SCENE_BOX || geom->shape == SS_SCENE_ELLIPSOID;
  if (edges) memcpy(shape.half, geom->size, sizeof shape.half);
  if (shape.kind == SS_SHAPE_HEIGHTS && geom->hfield >= 0 && scene->hfield[geom->hfield].n_row > 0)
    return heights_of(scene->hfield + geom->hfield);
  if (shape.kind == SS_SHAPE_HEIGHTS) return (ss_shape_def){.kind = SS_SHAPE_OTHER};
  if (shape.kind != SS_SHAPE_MESH) return shape;
  const ss_scene_mesh* mesh = geom->mesh >= 0 ? scene->mesh + geom->mesh : NULL;
  if (!mesh || mesh->n_vertex == 0) return (ss_shape_def){.kind = SS_SHAPE_OTHER};
  shape.n_vertex = mesh->n_vertex;
  shape.vertex = mesh->vertex;
  return shape;
}

static ss_geom_def geom_of(const ss_scene* scene, const ss_scene_geom* from)
{
  ss_geom_def geom = ss_geom_def_default();
  geom.name = from->name;
  geom.shape = shape_of(scene, from);
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
      ss_shape_def shape_a = shape_of(scene, one), shape_b = shape_of(scene, two);
      if (ss_shape_pair_known(shape_a.kind, shape_b.kind) || !ss_collider_can_meet(spheres, a, b)) continue;
      ss_collider_destroy(spheres);
      return ss_machine_complain(
        error, scene, shape_b.kind > SS_SHAPE_MESH ? two->line : one->line,
        "geom '%.60s' (%s, line %d) and geom '%.60s' (%s, line %d) could touch, but contacts between these shapes "
        "cannot be found; keep them apart by contype and conaffinity, or use other shapes (the vertices of a mesh must "
        "stand in the file itself)",
        one->name, ss_scene_shape_name(one->shape), one->line, two->name, ss_scene_shape_name(two->shape), two->line);
    }
  ss_collider_destroy(spheres);
  return ss_machine_complain(error, scene, 0, "%s", first.text);
}

// Bodies that do not meet: those of `exclude`, and welded ones, whose relative motion is settled. Returns their number.
static int list_excluded(const ss_scene* scene, ss_body_pair* exclude)
{
  int n = 0;
  for (int i = 0; i < scene->n_exclude; i++)
    exclude[n++] = (ss_body_pair){scene->exclude[i].body_a, scene->exclude[i].body_b};
  for (int i = 0; i < scene->n_equality; i++) {
    const ss_scene_equality* e = scene->equality + i;
    if (e->active && e->kind == SS_SCENE_WELD && e->torquescale != 0 && e->body_a != e->body_b)
      exclude[n++] = (ss_body_pair){e->body_a, e->body_b};
  }
  return n;
}

static ss_status make(ss_machine* m, const ss_scene* scene, ss_geom_def* geom, ss_collider_body* body,
                      ss_body_pair* exclude, ss_geom_pair* pair, ss_error* error)
{
  for (int g = 0; g < scene->n_geom; g++) geom[g] = geom_of(scene, scene->geom + g);
  for (int b = 0; b < m->n_body; b++) {
    const ss_body_def* from = scene->tree.body + b;
    body[b] = (ss_collider_body){.parent = from->parent, .fixed = true};
    memcpy(body[b].pose.position, from->position, sizeof from->position);
    memcpy(body[b].pose.rotation, from->rotation, sizeof from->rotation);
  }
  for (int j = 0; j < scene->tree.n_joint; j++)
    if (scene->tree.joint[j].kind != SS_JOINT_FIXED) body[scene->tree.joint[j].body].fixed = false;
  for (int i = 0; i < scene->n_pair; i++) pair[i] = (ss_geom_pair){scene->pair[i].geom_a, scene->pair[i].geom_b};
  ss_collider_def def = {.n_geom = scene->n_geom, .geom = geom, .n_body = m->n_body, .body = body,
                         .n_exclude = list_excluded(scene, exclude), .exclude = exclude,
                         .n_pair = scene->n_pair, .pair = pair,
                         .parents_meet = !scene->option.filterparent};
  m->collider = ss_collider_create(&def, error);
  if (!m->collider && error && error->status == SS_ERR_MEMORY) return SS_ERR_MEMORY;
  return m->collider ? SS_OK : refuse(scene, &def, geom, error);
}

// Geom g of a body in the principal frame
static ss_carried carry(const ss_tree_body* body, const ss_geom* geom, int g)
{
  ss_quat back = ss_quat_conjugate(body->axes), turn = ss_quat_mul(back, geom->turn);
  return (ss_carried){.geom = g, .body = geom->body, .kind = geom->shape.kind,
                      .center = ss_quat_rotate(back, ss_sub(geom->position, body->com)),
                      .axis = ss_quat_rotate(turn, (ss_vec3){0, 0, 1}),
                      .side = ss_quat_rotate(turn, (ss_vec3){1, 0, 0})};
}

static void add_carried(ss_machine* m, int g, bool* carries)
{
  const ss_geom* geom = m->collider->geom + g;
  if (geom->body == SS_WORLD) return;
  const ss_tree_body* body = m->tree->body + geom->body + 1;
  m->carried[m->n_carried++] = carry(body, geom, g);
  if (geom->shape.kind == SS_SHAPE_PLANE) m->moving_plane = true;
  if (carries[geom->body]) return;
  carries[geom->body] = true;
  m->carrier[m->n_carrier++] = (ss_carrier){geom->body, body->origin, m->collider->arm[geom->body]};
}

static ss_status measure_thickness(ss_machine* m, ss_error* error)
{
  const ss_collider* c = m->collider;
  m->thinnest = INFINITY;
  if (!(m->thin = SS_MACHINE_ARRAY(c->n_geom, double))) return ss_machine_no_memory(error);
  for (int g = 0; g < c->n_geom; g++) m->thin[g] = ss_shape_thin(&c->geom[g].shape);
  for (int k = 0; k < c->n_finite; k++) m->thinnest = fmin(m->thinnest, m->thin[c->finite[k]]);
  return SS_OK;
}

// Shapes that take part. Where planes move, how far they reach depends on the poses of all others.
static ss_status make_carried(ss_machine* m, ss_error* error)
{
  const ss_collider* c = m->collider;
  bool* carries = SS_MACHINE_ARRAY(m->n_body, bool);
  m->carried = SS_MACHINE_ARRAY(c->n_finite + c->n_plane, ss_carried);
  m->carrier = SS_MACHINE_ARRAY(m->n_body, ss_carrier);
  bool enough = carries && m->carried && m->carrier;
  for (int k = 0; enough && k < c->n_finite; k++) add_carried(m, c->finite[k], carries);
  for (int i = 0; enough && i < c->n_plane; i++) add_carried(m, c->plane[i], carries);
  for (int b = 0; m->moving_plane && b < m->n_body; b++) m->posed[b] = true;
  free(carries);
  return enough ? measure_thickness(m, error) : ss_machine_no_memory(error);
}

ss_status ss_machine_make_shapes(ss_machine* m, const ss_scene* scene, ss_error* error)
{
  if (!scene->option.contact || scene->n_geom == 0) return SS_OK;
  if (scene->n_geom > SS_MACHINE_GEOMS)
    return ss_machine_complain(error, scene, 0, "%d geoms; at most %d", scene->n_geom, SS_MACHINE_GEOMS);
  ss_geom_def* geom = SS_MACHINE_ARRAY(scene->n_geom, ss_geom_def);
  ss_collider_body* body = SS_MACHINE_ARRAY(m->n_body, ss_collider_body);
  ss_body_pair* exclude = SS_MACHINE_ARRAY(scene->n_exclude + scene->n_equality, ss_body_pair);
  ss_geom_pair* pair = SS_MACHINE_ARRAY(scene->n_pair, ss_geom_pair);
  ss_error local = {0};  // what the collider says is needed even if nobody listens
  bool enough = geom && body && exclude && pair;
  ss_status st = enough ? make(m, scene, geom, body, exclude, pair, error ? error : &local) : SS_ERR_MEMORY;
  free(geom);
  free(body);
  free(exclude);
  free(pair);
  if (!enough) return ss_machine_no_memory(error);
  if (st >= 0) st = make_carried(m, error);
  return st >= 0 ? ss_machine_make_links(m, error) : st;
}

// ---- at a position -------------------------------------------------------------------------------------------------

void ss_machine_place_shapes(ss_machine_work* w)
{
  const ss_machine* m = w->machine;
  ss_placed* placed = ss_collider_placed(w->collider);
  for (int k = 0; k < m->n_carried; k++) {
    const ss_carried* from = m->carried + k;
    const ss_mat3* R = w->tree->R + from->body + 1;
    ss_placed* p = placed + from->geom;
    p->center = ss_add(w->tree->com[from->body + 1], ss_mul(R, from->center));
    if (from->kind == SS_SHAPE_SPHERE) continue;
    p->axis = ss_mul(R, from->axis);
    if (from->kind != SS_SHAPE_CAPSULE) p->side = ss_mul(R, from->side);
  }
}

void ss_machine_reach(ss_machine_work* w, const double* u, double dt)
{
  const ss_machine* m = w->machine;
  if (m->moving_plane) {
    ss_tree_twists(w->tree, u, (double*)w->twist);
    ss_collider_reach(m->collider, w->pose, w->twist, dt, w->reach);
    return;
  }
  ss_machine_set_velocity(w, u);
  for (int k = 0; k < m->n_carrier; k++) {
    const ss_carrier* c = m->carrier + k;
    const ss_spatial* V = w->tree->V + c->body + 1;
    ss_vec3 v = ss_add(V->v, ss_cross(V->w, ss_mul(w->tree->R + c->body + 1, c->origin)));
    w->reach[c->body] = fabs(dt)*(ss_norm(v) + ss_norm(V->w)*c->arm);
  }
}
