// Scenes as `stickslip check` shows them.
#include "check_scene.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "json.h"
#include "model_arg.h"
#include "table.h"

enum { MASS_LINES = 24 };

int cli_scene_count(const ss_scene* scene, ss_scene_fate a, ss_scene_fate b)
{
  int n = 0;
  for (int i = 0; i < scene->n_notice; i++) n += scene->notice[i].fate == a || scene->notice[i].fate == b;
  return n;
}

// ---- counts ----

static int active_loops(const ss_scene* scene)
{
  int n = 0;
  for (int i = 0; i < scene->n_equality; i++) n += scene->equality[i].active;
  return n;
}

static void print_count(int n, const char* what, bool* first)
{
  if (!n) return;
  bool y = what[strlen(what) - 1] == 'y';
  printf("%s%d %.*s%s", *first ? "" : ", ", n, (int)strlen(what) - (y && n > 1), what, n == 1 ? "" : y ? "ies" : "s");
  *first = false;
}

static void print_counts(const ss_scene* scene)
{
  bool first = true;
  printf("\nScene\n  ");
  print_count(scene->tree.n_body, "body", &first);
  print_count(scene->tree.n_joint, "joint", &first);
  print_count(scene->n_geom, "geom", &first);
  print_count(active_loops(scene), "loop", &first);
  print_count(scene->n_actuator, "actuator", &first);
  print_count(scene->n_sensor, "sensor", &first);
  print_count(scene->n_key, "keyframe", &first);
  printf("; %d coordinate%s, %d velocit%s\n", scene->nq, cli_s(scene->nq), scene->nv,
         scene->nv == 1 ? "y" : "ies");
}

// ---- masses ----

static void add_geoms(char* text, size_t size, int n, const char* one, const char* more, const char* how)
{
  size_t at = strlen(text);
  if (n && at < size) snprintf(text + at, size - at, "%s%d %s%s", at ? ", " : "", n, n == 1 ? one : more, how);
}

// Where a mass comes from, in words
static void mass_source(const ss_scene_mass* m, char* text, size_t size)
{
  text[0] = '\0';
  if (m->inertial) snprintf(text, size, "inertial");
  add_geoms(text, size, m->n_given, "geom", "geoms", " with mass");
  add_geoms(text, size, m->n_density, "geom", "geoms", " with density");
  add_geoms(text, size, m->n_mesh, "mesh", "meshes", " with density");
  add_geoms(text, size, m->n_hull, "convex hull of a mesh", "convex hulls of meshes", " with density");
  if (!text[0]) snprintf(text, size, "no inertial, no geom with mass");
  size_t at = strlen(text);
  if (m->adjusted && at < size) snprintf(text + at, size - at, ", adjusted");
}

static double total_mass(const ss_scene* scene)
{
  double sum = 0;
  for (int b = 0; b < scene->tree.n_body; b++) sum += scene->tree.body[b].mass;
  return sum;
}

static bool same_mass(const ss_scene* scene, int a, int b)
{
  const ss_scene_mass *x = scene->mass_from + a, *y = scene->mass_from + b;
  return scene->tree.body[a].mass == scene->tree.body[b].mass && x->inertial == y->inertial &&
         x->n_given == y->n_given && x->n_density == y->n_density && x->n_mesh == y->n_mesh && x->n_hull == y->n_hull &&
         x->adjusted == y->adjusted;
}

// Bodies that follow one another with the same mass from the same source share a line
static void print_masses(const ss_scene* scene, int most)
{
  int lines = 0, listed = 0, n = scene->tree.n_body;
  if (!n) return;
  cli_table table = cli_table_create("lrll");
  for (int first = 0, end; first < n && lines < most; first = end, lines++) {
    char from[160];
    for (end = first + 1; end < n && same_mass(scene, first, end); end++) {}
    mass_source(scene->mass_from + first, from, sizeof from);
    const char *a = scene->tree.body[first].name, *b = scene->tree.body[end - 1].name;
    if (end - first == 1) cli_table_cell(&table, "%s", a);
    else cli_table_cell(&table, "%s%s%s, each", a, end - first == 2 ? ", " : " ... ", b);
    cli_table_cell(&table, "%.6g", scene->tree.body[first].mass);
    cli_table_cell(&table, "kg");
    cli_table_cell(&table, "%s", from);
    listed = end;
  }
  printf("\nMasses, %.6g kg in all\n", total_mass(scene));
  cli_table_print(&table, 2);
  if (listed < n) printf("  ... %d more %s; --verbose lists all\n", n - listed, n - listed == 1 ? "body" : "bodies");
}

// ---- what is not done as asked ----

// The name of an included file without its folders, or NULL for the scene's own
static const char* included_file(const ss_scene* scene, int* line)
{
  const char* file;
  ss_scene_place(scene, *line, &file, line);
  if (!scene->n_source || file == scene->source[0].file) return NULL;
  const char* slash = strrchr(file, '/');
  return slash ? slash + 1 : file;
}

static void add_notice(cli_table* table, const ss_scene* scene, const ss_scene_notice* n)
{
  int line = n->line;
  const char* file = included_file(scene, &line);
  if (file) cli_table_cell(table, "%s:%d", file, line);
  else cli_table_cell(table, "line %d", line);
  if (n->count > 1) cli_table_cell(table, "(%d times)", n->count);
  else cli_table_cell(table, "%s", "");
  cli_table_cell(table, "%s%s%s", n->element, n->attribute[0] ? " " : "", n->attribute);
  cli_table_cell(table, "%s", n->why);
}

static void print_block(const ss_scene* scene, ss_scene_fate fate, const char* title)
{
  cli_table table = cli_table_create("llll");
  int n = cli_scene_count(scene, fate, fate);
  for (int i = 0; i < scene->n_notice; i++)
    if (scene->notice[i].fate == fate) add_notice(&table, scene, &scene->notice[i]);
  if (n) printf("\n%s\n", title);
  if (n) cli_table_print(&table, 2);
  else cli_table_free(&table);
}

static void print_unused_line(const ss_scene* scene)
{
  int n = cli_scene_count(scene, SS_SCENE_UNUSED, SS_SCENE_UNUSED), listed = 0, length = 0;
  if (!n) return;
  printf("\nUNUSED, without any effect on the motion: ");
  for (int i = 0; i < scene->n_notice && length < 60; i++) {
    const ss_scene_notice* o = &scene->notice[i];
    if (o->fate != SS_SCENE_UNUSED) continue;
    length += printf("%s%s%s%s", listed ? ", " : "", o->element, o->attribute[0] ? " " : "", o->attribute);
    listed++;
  }
  if (listed < n) printf(" and %d more", n - listed);
  printf(" (--verbose lists them)\n");
}

void cli_scene_print(const ss_scene* scene, bool verbose)
{
  print_counts(scene);
  print_block(scene, SS_SCENE_HONOURED, "NOTE: done as the file says, which may not be as meant");
  print_block(scene, SS_SCENE_APPROXIMATED, "APPROXIMATED: something like it is done");
  print_block(scene, SS_SCENE_IGNORED, "IGNORED: nothing is done, and the motion may differ");
  if (verbose) print_block(scene, SS_SCENE_UNUSED, "UNUSED: nothing is done, and the motion is the same");
  else print_unused_line(scene);
  if (cli_scene_count(scene, SS_SCENE_APPROXIMATED, SS_SCENE_IGNORED) == 0)
    printf("\nAll that moves is done as the file asks.\n");
  print_masses(scene, verbose ? INT_MAX : MASS_LINES);
}

// ---- contacts ----

static const ss_contact_item* list_contacts(const ss_system* system, const ss_state* state, cli_at* at, int* n)
{
  const ss_contact_item* item = NULL;
  *n = 0;
  if (!cli_at_open(system, state, at)) return NULL;
  if (at->def->operators->list(&at->at, 0, n, &item) < 0) *n = 0;
  return item;
}

void cli_scene_print_contacts(const ss_system* system, const ss_state* state, int most)
{
  const char* const head[] = {"name", "mu", "bound", "eps_n", "eps_t", "gap"};
  cli_table table = cli_table_create("lrrrrr");
  cli_at at;
  int n;
  const ss_contact_item* item = list_contacts(system, state, &at, &n);
  for (size_t i = 0; i < sizeof head/sizeof *head; i++) cli_table_cell(&table, "%s", head[i]);
  for (int i = 0; i < n && i < most; i++) {
    char name[64];
    at.def->operators->contact_name(at.def->user, item[i].key, name, sizeof name);
    cli_table_cell(&table, "%s", name);
    const double law[] = {item[i].law->mu, item[i].law->bound, item[i].law->eps_n, item[i].law->eps_t};
    for (int k = 0; k < 4; k++) cli_table_cell(&table, "%.6g", law[k]);
    if (item[i].law->kind == SS_CONTACT_FRICTION) cli_table_cell(&table, "-");
    else cli_table_cell(&table, "%.6g", item[i].gap);
  }
  printf("\n%s\n", n ? "Contacts that are closed at the start" : "No contact is closed at the start");
  if (n) cli_table_print(&table, 2);
  else cli_table_free(&table);
  if (n > most) printf("  ... %d more; --json has all\n", n - most);
  if (at.is_open) cli_at_close(&at);
}

// ---- JSON ----

static void add_contacts(cJSON* object, const ss_system* system, const ss_state* state)
{
  cJSON* list = cJSON_AddArrayToObject(object, "contacts");
  cli_at at;
  int n;
  const ss_contact_item* item = list_contacts(system, state, &at, &n);
  for (int i = 0; i < n; i++) {
    const ss_contact_def* law = item[i].law;
    cJSON* o = cJSON_CreateObject();
    char name[64];
    at.def->operators->contact_name(at.def->user, item[i].key, name, sizeof name);
    cJSON_AddStringToObject(o, "name", name);
    cli_json_number(o, "mu", law->mu);
    cli_json_number(o, "bound", law->bound);
    cli_json_number(o, "eps_n", law->eps_n);
    cli_json_number(o, "eps_t", law->eps_t);
    if (law->kind == SS_CONTACT_FRICTION) cJSON_AddNullToObject(o, "gap");
    else cli_json_number(o, "gap", item[i].gap);
    cli_json_numbers(o, "point", 3, item[i].point);
    cli_json_rows(o, "frame", 3, 3, item[i].frame);
    cli_json_append(list, o);
  }
  if (at.is_open) cli_at_close(&at);
}

static void add_masses(cJSON* object, const ss_scene* scene)
{
  cJSON* masses = cJSON_AddObjectToObject(object, "masses");
  cli_json_number(masses, "total", total_mass(scene));
  cJSON* list = cJSON_AddArrayToObject(masses, "bodies");
  for (int b = 0; b < scene->tree.n_body; b++) {
    const ss_scene_mass* m = scene->mass_from + b;
    cJSON* o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "name", scene->tree.body[b].name);
    cli_json_number(o, "mass", scene->tree.body[b].mass);
    cJSON_AddBoolToObject(o, "inertial", m->inertial);
    cli_json_number(o, "geoms_with_mass", m->n_given);
    cli_json_number(o, "geoms_with_density", m->n_density);
    cli_json_number(o, "meshes_with_density", m->n_mesh);
    cli_json_number(o, "hulls_with_density", m->n_hull);
    cJSON_AddBoolToObject(o, "adjusted", m->adjusted);
    cli_json_append(list, o);
  }
}

void cli_scene_json(cJSON* object, const ss_model* model, const ss_state* state)
{
  const ss_scene* scene = ss_model_scene(model);
  cJSON* counts = cJSON_AddObjectToObject(object, "scene");
  cli_json_number(counts, "bodies", scene->tree.n_body);
  cli_json_number(counts, "joints", scene->tree.n_joint);
  cli_json_number(counts, "geoms", scene->n_geom);
  cli_json_number(counts, "loops", active_loops(scene));
  cli_json_number(counts, "actuators", scene->n_actuator);
  cli_json_number(counts, "sensors", scene->n_sensor);
  cli_json_number(counts, "keyframes", scene->n_key);
  cli_json_number(counts, "nq", scene->nq);
  cli_json_number(counts, "nv", scene->nv);
  add_masses(object, scene);
  cJSON* list = cJSON_AddArrayToObject(object, "notices");
  for (int i = 0; i < scene->n_notice; i++) {
    const ss_scene_notice* n = &scene->notice[i];
    cJSON* o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "fate", ss_scene_fate_name(n->fate));
    cJSON_AddStringToObject(o, "element", n->element);
    cJSON_AddStringToObject(o, "attribute", n->attribute);
    cJSON_AddStringToObject(o, "why", n->why);
    int line = n->line;
    const char* file = included_file(scene, &line);
    cli_json_number(o, "line", line);
    if (file) cJSON_AddStringToObject(o, "file", file);
    cli_json_number(o, "count", n->count);
    cli_json_append(list, o);
  }
  add_contacts(object, ss_model_system(model), state);
}
