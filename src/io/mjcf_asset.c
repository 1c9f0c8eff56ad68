// Meshes of a scene: given in the file itself, or read from files of their own.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "io/mjcf.h"

// ---- vertices and triangles ----

// refpos and refquat are the frame of the mesh: out of it, then scaled
static void place_vertices(int n, double* p, const double scale[3], const double frame[7])
{
  ss_quat back = ss_quat_conjugate(ss_quat_normalized(ss_quat_from(frame + 3)));
  for (int i = 0; i < n; i++, p += 3) {
    ss_vec3 x = ss_quat_rotate(back, ss_sub(ss_vec3_from(p), ss_vec3_from(frame)));
    p[0] = x.x*scale[0];
    p[1] = x.y*scale[1];
    p[2] = x.z*scale[2];
  }
}

// A mirrored mesh: its triangles turn around, so that the outside stays outside
static void turn_faces(int n, int* face, const double scale[3])
{
  for (int i = 0; i < n && scale[0]*scale[1]*scale[2] < 0; i++) {
    int second = face[3*i + 1];
    face[3*i + 1] = face[3*i + 2];
    face[3*i + 2] = second;
  }
}

static ss_status read_vertices(ss_mjcf* r, const ss_xml_node* node, const ss_mj_mesh* v, ss_scene_mesh* mesh)
{
  double* list;
  int n;
  ss_status st = ss_mj_list(r, node, "vertex", &v->vertex, &n, &list);
  if (st < 0) return st;
  if (n%3 || n < 12)
    return ss_mj_error_of(r, &v->vertex, "mesh: vertex takes three numbers for each of 4 or more points, not %d", n);
  mesh->n_vertex = n/3;
  mesh->vertex = list;
  return SS_OK;
}

static ss_status read_faces(ss_mjcf* r, const ss_xml_node* node, const ss_mj_mesh* v, ss_scene_mesh* mesh)
{
  double* list;
  int n;
  ss_status st = ss_mj_list(r, node, "face", &v->face, &n, &list);
  if (st < 0) return st;
  int* face = ss_pool_take(&r->out->pool, sizeof *face*(size_t)(n + 1));
  if (!face) return ss_mj_memory(r);
  if (n%3) return ss_mj_error_of(r, &v->face, "mesh: face takes three numbers for each triangle, not %d in all", n);
  for (int i = 0; i < n; i++) {
    if (!(list[i] >= 0 && list[i] < mesh->n_vertex && list[i] == floor(list[i])))
      return ss_mj_error_of(r, &v->face, "mesh: face names the vertex %g; there are 0 to %d", list[i],
                            mesh->n_vertex - 1);
    face[i] = (int)list[i];
  }
  mesh->n_face = n/3;
  mesh->face = face;
  return SS_OK;
}

// The mesh n of the scene has its vertices: place them, and see what they enclose
static void finish_mesh(ss_mj_scene* s, int n, const double scale[3], const double frame[7])
{
  ss_scene_mesh* mesh = s->mesh + n;
  ss_mj_mesh_info* info = s->info + n;
  place_vertices(mesh->n_vertex, (double*)mesh->vertex, scale, frame);
  turn_faces(mesh->n_face, (int*)mesh->face, scale);
  info->surface = ss_mesh_look(mesh->n_vertex, mesh->vertex, mesh->n_face, mesh->face);
  mesh->convex = info->surface == SS_MESH_CONVEX;
  if (ss_mj_mesh_solid(mesh, info->surface, &info->solid)) mesh->volume = info->solid.volume;
  else info->solid = (ss_mj_solid){0};
}

// ---- files ----

// One more mesh, without vertices
static ss_status add_mesh(ss_mjcf* r, const ss_xml_node* node, const ss_mj_value* name, const char* file, int* number)
{
  ss_mj_scene* s = r->out;
  int n = *number = s->scene.n_mesh;
  if (!SS_MJ_GROW(s->mesh, s->mesh_room, n) || !SS_MJ_GROW(s->info, s->info_room, n)) return ss_mj_memory(r);
  s->mesh[n] = (ss_scene_mesh){.line = node->line, .file = ss_pool_copy(&s->pool, file, strlen(file))};
  s->info[n] = (ss_mj_mesh_info){0};
  if (!s->mesh[n].file) return ss_mj_memory(r);
  ss_status st = ss_mj_name(r, SS_MJ_MESH, name, "", n, node, &s->mesh[n].name);
  if (st < 0) return st;
  s->scene.n_mesh++;
  return SS_OK;
}

static ss_status load(ss_mjcf* r, const char* path, int n)
{
  ss_mj_scene* s = r->out;
  ss_mesh data;
  ss_error error = {0};
  if (ss_mesh_load(path, &data, &error) < 0) {
    ss_error* kept = ss_pool_take(&s->pool, sizeof *kept);
    if (!kept || error.status == SS_ERR_MEMORY) return ss_mj_memory(r);
    *kept = error;
    s->info[n].failed = kept;
    return SS_OK;
  }
  size_t vertices = 3*sizeof(double)*(size_t)data.n_vertex, faces = 3*sizeof(int)*(size_t)data.n_face;
  double* vertex = ss_pool_take(&s->pool, vertices + 1);
  int* face = ss_pool_take(&s->pool, faces + 1);
  if (vertex) memcpy(vertex, data.vertex, vertices);
  if (face && faces) memcpy(face, data.face, faces);
  s->mesh[n].n_vertex = data.n_vertex;
  s->mesh[n].n_face = data.n_face;
  s->mesh[n].vertex = vertex;
  s->mesh[n].face = face;
  ss_mesh_free(&data);
  return vertex && face ? SS_OK : ss_mj_memory(r);
}

ss_status ss_mj_add_mesh_file(ss_mjcf* r, const ss_xml_node* node, const ss_mj_value* name, const char* path,
                              const double scale[3], const double frame[7], int* number)
{
  ss_status st = add_mesh(r, node, name, path, number);
  if (st < 0 || (st = load(r, path, *number)) < 0) return st;
  memcpy(r->out->info[*number].scale, scale, sizeof r->out->info[*number].scale);
  if (!r->out->info[*number].failed) finish_mesh(r->out, *number, scale, frame);
  return SS_OK;
}

// A file that is not there is an error of the scene; one that is not valid has places of its own
ss_status ss_mj_mesh_failed(ss_mjcf* r, int mesh)
{
  const ss_scene_mesh* m = r->out->mesh + mesh;
  const ss_error* why = r->out->info[mesh].failed;
  const ss_xml_node at = {.line = m->line};
  ss_mj_error_at(r, &at, "mesh '%.60s': %.300s", m->name, why->text);
  if (!r->error) return why->status;
  r->error->status = why->status;
  if (!why->line) return why->status;
  ss_error place = *r->error;
  *r->error = *why;
  ss_error_set(r->error, why->status, "%.300s (mesh '%.60s' of %.60s:%d)", why->text, m->name, place.file, place.line);
  snprintf(r->error->file, sizeof r->error->file, "%s", why->file);
  r->error->line = why->line;
  return why->status;
}

// ---- the element ----

// What has no name is called by its file, without folder and extension
const char* ss_mj_name_of_file(ss_mjcf* r, const char* file)
{
  const char* slash = strrchr(file, '/');
  const char* base = slash ? slash + 1 : file;
  const char* dot = strrchr(base, '.');
  return ss_pool_copy(&r->out->pool, base, dot ? (size_t)(dot - base) : strlen(base));
}

// Below meshdir, which is below the folder of the scene; strippath leaves the last part alone
ss_status ss_mj_asset_path(ss_mjcf* r, const ss_mj_value* file, char* path, size_t size)
{
  const char* name = file->text;
  const char* slash = strrchr(name, '/');
  if (r->set.strippath && slash) name = slash + 1;
  const char *folder = r->set.folder, *below = r->set.meshdir;
  if (*below == '/' || *name == '/') folder = "";
  if (*name == '/') below = "";
  bool gap = *below && below[strlen(below) - 1] != '/';
  if (snprintf(path, size, "%s%s%s%s", folder, below, gap ? "/" : "", name) >= (int)size)
    return ss_mj_error_of(r, file, "the name of the file is longer than %d bytes", (int)size - 1);
  return SS_OK;
}

static ss_status read_mesh(ss_mjcf* r, const ss_xml_node* node, const ss_mj_element* e, const ss_mj_scope* scope)
{
  ss_mj_mesh v = {0};
  int class, n;
  double frame[7], n2 = 0;
  char path[1024];
  if (ss_mj_class_of(r, node, scope, &class) < 0 || ss_mj_read(r, node, e, class, &v) < 0) return SS_ERR_INPUT;
  memcpy(frame, v.refpos.v, 3*sizeof *frame);
  memcpy(frame + 3, v.refquat.v, 4*sizeof *frame);
  for (int i = 3; i < 7; i++) n2 += frame[i]*frame[i];
  if (!(n2 > 1e-20)) return ss_mj_error_of(r, &v.refquat, "mesh: refquat has no length");
  if (v.scale.v[0] == 0 || v.scale.v[1] == 0 || v.scale.v[2] == 0)
    return ss_mj_error_of(r, &v.scale, "mesh: scale has a zero, which leaves no volume");
  if (!v.name.text && v.file.text) v.name.text = ss_mj_name_of_file(r, v.file.text);
  if (v.file.text && !v.vertex.text) {
    ss_status st = ss_mj_asset_path(r, &v.file, path, sizeof path);
    return st < 0 ? st : ss_mj_add_mesh_file(r, node, &v.name, path, v.scale.v, frame, &n);
  }
  if (!v.vertex.text && !ss_xml_find(node, "builtin"))
    return ss_mj_error_at(r, node, "mesh needs the attribute 'vertex' or 'file'");
  ss_status st = add_mesh(r, node, &v.name, "", &n);
  if (st < 0 || !v.vertex.text) return st;
  if ((st = read_vertices(r, node, &v, r->out->mesh + n)) < 0) return st;
  if (v.face.text && (st = read_faces(r, node, &v, r->out->mesh + n)) < 0) return st;
  finish_mesh(r->out, n, v.scale.v, frame);
  return SS_OK;
}

ss_status ss_mj_read_mesh(ss_mjcf* r, const ss_xml_node* node, const ss_mj_element* e, const ss_mj_scope* scope)
{
  const ss_mj_settings before = r->set;
  if (node->context) r->set = *(const ss_mj_settings*)node->context;  // what is attached keeps its own folders
  ss_status st = read_mesh(r, node, e, scope);
  r->set = before;
  return st;
}

// ---- what is needed ----

// A geom with this mesh touches others
static ss_status check_touching(ss_mjcf* r, int mesh)
{
  ss_mj_mesh_info* info = r->out->info + mesh;
  if (info->failed) return ss_mj_mesh_failed(r, mesh);
  if (info->surface == SS_MESH_CONVEX || info->concave_told) return SS_OK;
  info->concave_told = true;
  const char* why = info->surface == SS_MESH_OPEN
                      ? "its surface has holes, or triangles turned against one another: its convex hull touches"
                      : "it is not convex; its convex hull touches";
  return ss_mj_notice(r, SS_SCENE_APPROXIMATED, "mesh", "", why, r->out->mesh[mesh].line, 1);
}

ss_status ss_mj_check_meshes(ss_mjcf* r)
{
  ss_mj_scene* s = r->out;
  ss_status st = SS_OK;
  for (int g = 0; g < s->scene.n_geom && st >= 0; g++) {
    const ss_scene_geom* geom = s->geom + g;
    if (geom->mesh >= 0 && geom->shape == SS_SCENE_MESH && (geom->contype || geom->conaffinity))
      st = check_touching(r, geom->mesh);
  }
  for (int p = 0; p < 2*s->scene.n_pair && st >= 0; p++) {
    const ss_scene_geom* geom = s->geom + (p%2 ? s->pair[p/2].geom_b : s->pair[p/2].geom_a);
    if (geom->mesh >= 0 && geom->shape == SS_SCENE_MESH) st = check_touching(r, geom->mesh);
  }
  for (int m = 0; m < s->scene.n_mesh && st >= 0; m++)
    if (s->info[m].failed)
      st = ss_mj_notice(r, SS_SCENE_UNUSED, "mesh", "file", "its file cannot be read, and nothing needs it",
                        s->mesh[m].line, 1);
  return st;
}
