// A scene in a page: the shapes of its bodies, their poses and the contacts at every row.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "page.h"

enum { MAX_MESH = 60000 };  // vertices and faces of meshes in a page

static cJSON* geom_json(const ss_scene* scene, const ss_scene_geom* g)
{
  cJSON* o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "name", g->name);
  cJSON_AddNumberToObject(o, "body", g->body);
  cJSON_AddStringToObject(o, "shape", ss_scene_shape_name(g->shape));
  cli_json_numbers(o, "size", 3, g->size);
  cli_json_numbers(o, "position", 3, g->position);
  cli_json_numbers(o, "rotation", 4, g->rotation);
  const ss_scene_mesh* mesh = g->mesh >= 0 && g->mesh < scene->n_mesh ? &scene->mesh[g->mesh] : NULL;
  if (mesh && mesh->n_vertex + mesh->n_face <= MAX_MESH) {
    cli_json_numbers(o, "vertices", 3*mesh->n_vertex, mesh->vertex);
    cJSON_AddItemToObject(o, "faces", cJSON_CreateIntArray(mesh->face, 3*mesh->n_face));
  }
  return o;
}

static void add_geoms(const ss_scene* scene, cJSON* out)
{
  cJSON* list = cJSON_AddArrayToObject(out, "geoms");
  for (int i = 0; i < scene->n_geom; i++) cJSON_AddItemToArray(list, geom_json(scene, &scene->geom[i]));
  list = cJSON_AddArrayToObject(out, "bodies");
  for (int i = 0; i < scene->tree.n_body; i++) {
    const char* name = scene->tree.body[i].name;
    cJSON_AddItemToArray(list, cJSON_CreateString(name ? name : ""));
  }
}

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
    cJSON* seven = cJSON_CreateArray();
    cJSON_AddItemToArray(list, seven);
    for (int c = 0; c < 7 && status == CLI_GO_ON; c++) {
      cJSON* o = cJSON_CreateObject();
      cJSON_AddItemToArray(seven, o);
      if (!cli_page_numbers(o, "f32", page->n, value + (7L*b + c)*page->n)) status = cli_out_of_memory();
    }
  }
  free(value);
  return status;
}

// The contacts of all rows of the page, one behind the other
typedef struct touches {
  ss_run_contact* item;
  long n, room;
  double* end;  // page->n
} touches;

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
    t->n += n;
    t->end[i] = (double)t->n;
  }
  return CLI_GO_ON;
}

// 0: contact, 1: state, 2 to 4: point, 5 to 7: the impulse on body b in the world
static double part_of(const ss_run_contact* t, int part)
{
  if (part == 0) return t->contact;
  if (part == 1) return t->state;
  bool placed = t->frame[0] != 0 || t->frame[1] != 0 || t->frame[2] != 0;
  if (!placed) return NAN;
  if (part < 5) return t->point[part - 2];
  double sum = 0;
  for (int k = 0; k < 3; k++) sum += t->Lambda[k]*t->frame[3*k + part - 5];
  return sum;
}

static int add_touches(ss_run* run, const cli_page* page, cJSON* out)
{
  static const char* const names[] = {"contact", "state", "x", "y", "z", "fx", "fy", "fz"};
  touches t = {0};
  int status = gather(run, page, &t);
  double* value = calloc((size_t)t.n + 1, sizeof *value);
  if (!value && status == CLI_GO_ON) status = cli_out_of_memory();
  cJSON* o = cJSON_AddObjectToObject(out, "touch");
  cJSON_AddNumberToObject(o, "n", (double)t.n);
  bool good = status != CLI_GO_ON || cli_page_numbers(cJSON_AddObjectToObject(o, "end"), "f64", page->n, t.end);
  for (int k = 0; good && status == CLI_GO_ON && k < 8; k++) {
    for (long i = 0; i < t.n; i++) value[i] = part_of(&t.item[i], k);
    good = cli_page_numbers(cJSON_AddObjectToObject(o, names[k]), k == 1 ? "u8" : "f32", t.n, value);
  }
  free(value);
  free(t.item);
  free(t.end);
  return good ? status : cli_out_of_memory();
}

int cli_page_scene(ss_run* run, const ss_model* model, const cli_page* page, cJSON* json)
{
  const ss_scene* scene = ss_model_scene(model);
  if (!scene || !ss_model_machine(model)) return CLI_GO_ON;
  cJSON* out = cJSON_AddObjectToObject(json, "scene");
  add_geoms(scene, out);
  int status = add_poses(run, model, page, out);
  return status == CLI_GO_ON ? add_touches(run, page, out) : status;
}
