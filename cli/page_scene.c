// A scene in a page: the shapes of its bodies, their poses and the contacts at every row.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "page.h"

enum {
  MAX_MESH = 100000,      // vertices and faces of a mesh in a page
  MAX_HULL = 2000,        // vertices of one that is larger: enough to show its hull
  MAX_TOUCH = 300,        // contacts of a row in a light page: the strongest
  SMOOTH_ROWS = 600,      // make a motion smooth
  LARGE_BYTES = 16000000, // of numbers: a page that still opens
};

// ---- shapes ----

// Height fields are drawn as meshes, behind those of the scene
static cJSON* geom_json(const ss_scene* scene, const ss_scene_geom* g)
{
  int mesh = g->hfield >= 0 ? scene->n_mesh + g->hfield : g->mesh;
  ss_scene_shape shape = g->hfield >= 0 ? SS_SCENE_MESH : g->shape;
  cJSON* o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "name", g->name);
  cJSON_AddNumberToObject(o, "body", g->body);
  cJSON_AddStringToObject(o, "shape", ss_scene_shape_name(shape));
  cli_json_numbers(o, "size", 3, g->size);
  cli_json_numbers(o, "position", 3, g->position);
  cli_json_numbers(o, "rotation", 4, g->rotation);
  if (mesh >= 0) cJSON_AddNumberToObject(o, "mesh", mesh);
  return o;
}

// A mesh: vertices and faces; without faces it is the convex hull of its vertices. Of one that is too large some
// vertices are kept, evenly spread over the list.
static bool add_mesh(const ss_scene_mesh* mesh, cJSON* list)
{
  bool large = mesh->n_vertex + mesh->n_face > MAX_MESH;
  int n = large && mesh->n_vertex > MAX_HULL ? MAX_HULL : mesh->n_vertex, n_face = large ? 0 : mesh->n_face;
  cJSON* o = cli_json_append(list, cJSON_CreateObject());
  double* value = calloc(3*((size_t)n + (size_t)n_face) + 1, sizeof *value);
  if (!value) return false;
  double* face = value + 3*n;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 3; k++) value[3*i + k] = mesh->vertex[3*(long)((double)i*mesh->n_vertex/n) + k];
  for (int i = 0; i < 3*n_face; i++) face[i] = mesh->face[i];
  cJSON_AddNumberToObject(o, "n_vertex", n);
  cJSON_AddNumberToObject(o, "n_face", n_face);
  bool done = cli_page_numbers(cJSON_AddObjectToObject(o, "vertices"), "f32", 3*n, value)
              && cli_page_numbers(cJSON_AddObjectToObject(o, "faces"), "f32", 3*n_face, face);
  free(value);
  return done;
}

static bool add_hfield(const ss_scene_hfield* f, cJSON* list)
{
  int n = f->n_row*f->n_col, cells = n ? (f->n_row - 1)*(f->n_col - 1) : 0, used = 0;
  double* vertex = malloc(3*sizeof *vertex*(size_t)n + 1);
  int* face = malloc(6*sizeof *face*(size_t)cells + 1);
  for (int i = 0; vertex && i < n; i++) {
    vertex[3*i] = f->half[0]*(2.0*(i%f->n_col)/(f->n_col - 1) - 1);
    vertex[3*i + 1] = f->half[1]*(2.0*(i/f->n_col)/(f->n_row - 1) - 1);
    vertex[3*i + 2] = f->height[i];
  }
  for (int r = 0; face && r + 1 < f->n_row; r++)
    for (int c = 0; c + 1 < f->n_col; c++) {
      int at = r*f->n_col + c, above = at + f->n_col;
      const int corners[6] = {at, at + 1, above + 1, at, above + 1, above};
      memcpy(face + used, corners, sizeof corners);
      used += 6;
    }
  ss_scene_mesh mesh = {.n_vertex = n, .n_face = used/3, .vertex = vertex, .face = face};
  bool done = vertex && face && add_mesh(&mesh, list);
  free(vertex);
  free(face);
  return done;
}

static bool add_geoms(const ss_scene* scene, cJSON* out)
{
  bool done = true;
  cJSON* list = cJSON_AddArrayToObject(out, "geoms");
  for (int i = 0; i < scene->n_geom; i++) cli_json_append(list, geom_json(scene, &scene->geom[i]));
  list = cJSON_AddArrayToObject(out, "meshes");
  for (int i = 0; i < scene->n_mesh && done; i++) done = add_mesh(&scene->mesh[i], list);
  for (int i = 0; i < scene->n_hfield && done; i++) done = add_hfield(&scene->hfield[i], list);
  list = cJSON_AddArrayToObject(out, "bodies");
  for (int i = 0; i < scene->tree.n_body; i++) {
    const char* name = scene->tree.body[i].name;
    cli_json_append(list, cJSON_CreateString(name ? name : ""));
  }
  return done;
}

// ---- links ----

// Where a body is held: the axis of its first hinge or ball, or else its frame. False if it flies freely or slides.
static bool find_anchor(const ss_tree_def* tree, int body, double anchor[3])
{
  for (int k = 0; k < 3; k++) anchor[k] = 0;
  for (int i = 0; i < tree->n_joint; i++) {
    const ss_joint_def* j = &tree->joint[i];
    if (j->body != body) continue;
    if (j->kind != SS_JOINT_HINGE && j->kind != SS_JOINT_BALL) return false;
    for (int k = 0; k < 3; k++) anchor[k] = j->anchor[k];
    return true;
  }
  return tree->body[body].parent >= 0;
}

static void add_link(cJSON* list, int body, const double from[3], const double to[3])
{
  cJSON* o = cli_json_append(list, cJSON_CreateObject());
  cJSON_AddNumberToObject(o, "body", body);
  cli_json_numbers(o, "from", 3, from);
  cli_json_numbers(o, "to", 3, to);
}

// a + R(q) b, q of any length
static void turn_and_add(const double a[3], const double q[4], const double b[3], double out[3])
{
  double n = q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3], s = n > 0 ? 2/n : 0;
  double c[3] = {q[2]*b[2] - q[3]*b[1], q[3]*b[0] - q[1]*b[2], q[1]*b[1] - q[2]*b[0]};
  double d[3] = {q[2]*c[2] - q[3]*c[1], q[3]*c[0] - q[1]*c[2], q[1]*c[1] - q[2]*c[0]};
  for (int k = 0; k < 3; k++) out[k] = a[k] + b[k] + s*(q[0]*c[k] + d[k]);
}

// Rods from joint to joint, and at the end of a chain to the shapes: pendulums whose links have no shape are seen
static void add_links(const ss_scene* scene, cJSON* out)
{
  const ss_tree_def* tree = &scene->tree;
  cJSON* list = cJSON_AddArrayToObject(out, "links");
  for (int i = 0; i < tree->n_body; i++) {
    double from[3], at[3], to[3];
    bool ends = true;
    if (!find_anchor(tree, i, from)) continue;
    for (int c = i + 1; c < tree->n_body; c++) {
      const ss_body_def* child = &tree->body[c];
      if (child->parent != i || !find_anchor(tree, c, at)) continue;
      turn_and_add(child->position, child->rotation, at, to);
      add_link(list, i, from, to);
      ends = false;
    }
    for (int g = 0; ends && g < scene->n_geom; g++)
      if (scene->geom[g].body == i) add_link(list, i, from, scene->geom[g].position);
  }
}

// ---- poses ----

// The poses of all bodies in all rows: value[(7 body + component) n + row]
static int find_poses(ss_run* run, const ss_machine* machine, int n_body, const cli_page* page, double* value)
{
  const ss_run_info* info = ss_run_get_info(run);
  ss_error error = {0};
  ss_tree_work* work = ss_tree_work_create(ss_machine_tree(machine), &error);
  ss_pose* pose = calloc((size_t)n_body + 1, sizeof *pose);
  const double** column = calloc((size_t)info->nq + 1, sizeof *column);
  double* q = calloc((size_t)info->nq + 1, sizeof *q);
  int status = work && pose && column && q ? CLI_GO_ON : cli_out_of_memory();
  for (int k = 0; status == CLI_GO_ON && k < info->nq; k++) {
    column[k] = ss_run_column(run, info->coordinate[k], &error);
    if (!column[k]) status = cli_fail(&error);
  }
  for (long i = 0; status == CLI_GO_ON && i < page->n; i++) {
    for (int k = 0; k < info->nq; k++) q[k] = column[k][page->row[i]];
    ss_machine_poses(machine, work, q, pose);
    for (int b = 0; b < n_body; b++)
      for (int c = 0; c < 7; c++)
        value[(7L*b + c)*page->n + i] = c < 3 ? pose[b].position[c] : pose[b].rotation[c - 3];
  }
  ss_tree_work_destroy(work);
  free(pose);
  free(column);
  free(q);
  return status;
}

static int add_poses(ss_run* run, const ss_model* model, const cli_page* page, cJSON* out)
{
  int n_body = ss_model_scene(model)->tree.n_body;
  double* value = calloc(7*(size_t)n_body*(size_t)page->n + 1, sizeof *value);
  if (!value) return cli_out_of_memory();
  int status = find_poses(run, ss_model_machine(model), n_body, page, value);
  cJSON* list = cJSON_AddArrayToObject(out, "poses");
  for (int b = 0; status == CLI_GO_ON && b < n_body; b++) {
    cJSON* seven = cli_json_append(list, cJSON_CreateArray());
    for (int c = 0; c < 7 && status == CLI_GO_ON; c++) {
      cJSON* o = cli_json_append(seven, cJSON_CreateObject());
      if (!cli_page_numbers(o, page->light ? "u16" : "f32", page->n, value + (7L*b + c)*page->n))
        status = cli_out_of_memory();
    }
  }
  free(value);
  return status;
}

// ---- contacts ----

// The contacts of all rows of the page, one behind the other
typedef struct touches {
  ss_run_contact* item;
  long n, room;
  double* end;  // page->n
} touches;

// The strongest first
static int by_impulse(const void* a, const void* b)
{
  const double *p = ((const ss_run_contact*)a)->Lambda, *q = ((const ss_run_contact*)b)->Lambda;
  double x = p[0]*p[0] + p[1]*p[1] + p[2]*p[2], y = q[0]*q[0] + q[1]*q[1] + q[2]*q[2];
  return (x < y) - (x > y);
}

static int gather(ss_run* run, const cli_page* page, touches* t)
{
  ss_error error = {0};
  t->end = calloc((size_t)page->n + 1, sizeof *t->end);
  if (!t->end) return cli_out_of_memory();
  for (long i = 0; i < page->n; i++) {
    const ss_run_contact* list;
    int n = ss_run_contacts(run, page->row[i], &list, &error);
    if (n < 0) return cli_fail(&error);
    if (t->n + n > t->room) {
      t->room = 2*(t->n + n);
      ss_run_contact* more = realloc(t->item, (size_t)t->room*sizeof *more);
      if (!more) return cli_out_of_memory();
      t->item = more;
    }
    if (n) memcpy(t->item + t->n, list, (size_t)n*sizeof *list);
    if (page->light && n > MAX_TOUCH) {
      qsort(t->item + t->n, (size_t)n, sizeof *t->item, by_impulse);
      n = MAX_TOUCH;
    }
    t->n += n;
    t->end[i] = (double)t->n;
  }
  return CLI_GO_ON;
}

// What the picture needs, then what the table of contacts shows
static const struct { const char* name; const char* type; } parts[] = {
  {"contact", "f32"}, {"state", "u8"}, {"x", "f32"}, {"y", "f32"}, {"z", "f32"}, {"fx", "f32"}, {"fy", "f32"},
  {"fz", "f32"}, {"nx", "f32"}, {"ny", "f32"}, {"nz", "f32"}, {"L0", "f32"}, {"L1", "f32"}, {"L2", "f32"},
  {"g0", "f32"}, {"g1", "f32"}, {"g2", "f32"}, {"gap", "f32"}, {"F0", "f32"}, {"F1", "f32"}, {"F2", "f32"},
};
enum { N_PART = sizeof parts/sizeof *parts, N_LIGHT = 11 };

static double part_of(const ss_run_contact* t, int part)
{
  if (part == 0) return t->contact;
  if (part == 1) return t->state;
  if (part >= 18) return t->force[part - 18];
  if (part == 17) return t->gap;
  if (part >= 14) return t->gamma[part - 14];
  if (part >= 11) return t->Lambda[part - 11];
  bool placed = t->frame[0] != 0 || t->frame[1] != 0 || t->frame[2] != 0;
  if (!placed) return NAN;
  if (part >= 8) return t->frame[part - 8];
  if (part < 5) return t->point[part - 2];
  double sum = 0;  // the impulse on body b in the world
  for (int k = 0; k < 3; k++) sum += t->Lambda[k]*t->frame[3*k + part - 5];
  return sum;
}

static int add_touches(ss_run* run, const cli_page* page, cJSON* out)
{
  touches t = {0};
  int status = gather(run, page, &t);
  double* value = calloc((size_t)t.n + 1, sizeof *value);
  if (!value && status == CLI_GO_ON) status = cli_out_of_memory();
  cJSON* o = cJSON_AddObjectToObject(out, "touch");
  cJSON_AddNumberToObject(o, "n", (double)t.n);
  bool good = status != CLI_GO_ON || cli_page_numbers(cJSON_AddObjectToObject(o, "end"), "f64", page->n, t.end);
  for (int k = 0; good && status == CLI_GO_ON && k < (page->light ? N_LIGHT : N_PART); k++) {
    for (long i = 0; i < t.n; i++) value[i] = part_of(&t.item[i], k);
    good = cli_page_numbers(cJSON_AddObjectToObject(o, parts[k].name), parts[k].type, t.n, value);
  }
  free(value);
  free(t.item);
  free(t.end);
  return good ? status : cli_out_of_memory();
}

// ---- all of it ----

// The mean number of contacts in a row, from some of them
static double contacts_per_row(ss_run* run)
{
  enum { LOOKS = 24 };
  ss_error error = {0};
  long rows = ss_run_get_info(run)->n_rows;
  double sum = 0;
  for (int i = 0; i < LOOKS; i++) {
    const ss_run_contact* list;
    int n = ss_run_contacts(run, rows*i/LOOKS, &list, &error);
    sum += n > 0 ? n : 0;
  }
  return sum/LOOKS;
}

long cli_page_scene_rows(ss_run* run, const ss_model* model, int bytes, cli_page* page)
{
  const ss_scene* scene = ss_model_scene(model);
  double touch = contacts_per_row(run), n_body = scene ? scene->tree.n_body : 0;
  double full = bytes + 28*n_body + (4*N_PART - 3)*touch;
  double light = bytes + 14*n_body + (4*N_LIGHT - 3)*fmin(touch, MAX_TOUCH);
  page->light = full*SMOOTH_ROWS > LARGE_BYTES;
  if (page->light) return (long)(LARGE_BYTES/light);
  return (long)fmax(CLI_PAGE_BYTES/full, SMOOTH_ROWS);
}

bool cli_page_geoms(const ss_scene* scene, cJSON* out)
{
  if (!add_geoms(scene, out)) return false;
  add_links(scene, out);
  return true;
}

int cli_page_scene(ss_run* run, const ss_model* model, const cli_page* page, cJSON* json)
{
  const ss_scene* scene = ss_model_scene(model);
  if (ss_model_bodies(model)) return add_touches(run, page, json);  // in the plane: the drawing shows the rest
  if (!scene || !ss_model_machine(model)) return CLI_GO_ON;
  cJSON* out = cJSON_AddObjectToObject(json, "scene");
  if (!cli_page_geoms(scene, out)) return cli_out_of_memory();
  int status = add_poses(run, model, page, out);
  return status == CLI_GO_ON ? add_touches(run, page, out) : status;
}
