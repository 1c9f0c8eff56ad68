// What the page of a live simulation is told in words: names, shapes, contacts, parameters, settings.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "model_arg.h"
#include "page.h"
#include "run_scene.h"
#include "view.h"

// ---- names ---------------------------------------------------------------------------------------------------------

static void add_names(cJSON* o, const char* name, int n, const char* const* list)
{
  cJSON* array = cJSON_AddArrayToObject(o, name);
  for (int i = 0; i < n; i++) cli_json_append(array, cJSON_CreateString(list[i]));
}

static void add_coordinates(cJSON* o, const cli_sim* s)
{
  int most = CLI_FRAME_COORDINATES;
  int nq = s->def->nq < most ? s->def->nq : most, nv = s->def->nv < most ? s->def->nv : most;
  add_names(o, "coordinates", nq, s->def->coordinate);
  add_names(o, "velocities", nv, s->def->velocity);
  cJSON* units = cJSON_AddArrayToObject(o, "units");
  for (int i = 0; i < nq; i++) cli_json_append(units, cJSON_CreateString(cli_unit(s->def, i)));
  units = cJSON_AddArrayToObject(o, "velocity_units");
  for (int i = 0; i < nv; i++) {
    char unit[80];
    cli_json_append(units, cJSON_CreateString(cli_rate_unit(s->def, i, unit, sizeof unit)));
  }
}

cJSON* cli_hello_contacts(const cli_sim* s, int from)
{
  static const char* const kinds[] = {"normal", "planar", "friction", "spatial"};
  cJSON* list = cJSON_CreateArray();
  int n = s->n_known < CLI_FRAME_NAMES ? s->n_known : CLI_FRAME_NAMES;
  for (int i = from; i < n; i++) {
    cJSON* o = cli_json_append(list, cJSON_CreateObject());
    const char* name = ss_work_contact_name(s->work, i);
    cJSON_AddStringToObject(o, "name", name ? name : "");
    cJSON_AddStringToObject(o, "kind", kinds[ss_work_contact_kind(s->work, i)]);
    if (i >= s->def->n_contact) continue;
    cli_json_number(o, "mu", s->def->contact[i].mu);
    cli_json_number(o, "bound", s->def->contact[i].bound);
    cli_json_number(o, "eps_n", s->def->contact[i].eps_n);
    cli_json_number(o, "eps_t", s->def->contact[i].eps_t);
  }
  return list;
}

// ---- pictures ------------------------------------------------------------------------------------------------------

// Numbers of a drawing that stay as they are; null: those that come with every row
static void add_constants(cJSON* o, const cli_sim* s, const ss_drawing* d)
{
  double* value = calloc((size_t)d->n_value + 1, sizeof *value);
  cJSON* list = cJSON_AddArrayToObject(o, "constants");
  bool known = value && ss_model_draw(s->model, 1, &s->state->t, s->state->q, value) >= 0;
  for (int i = 0; i < d->n_value; i++)
    cli_json_append(list, known && d->is_constant[i] ? cJSON_CreateNumber(value[i]) : cJSON_CreateNull());
  free(value);
}

static void add_picture(cJSON* o, const cli_sim* s)
{
  const ss_drawing* d = ss_model_drawing(s->model);
  const ss_scene* scene = ss_model_scene(s->model);
  if (d) cli_page_shapes(d, cJSON_AddArrayToObject(cJSON_AddObjectToObject(o, "drawing"), "shapes"));
  if (scene && !cli_page_geoms(scene, cJSON_AddObjectToObject(o, "scene"))) cli_out_of_memory();
}

static bool same_shape(const ss_draw_shape* a, const ss_draw_shape* b)
{
  return a->n == b->n && memcmp(a->frame, b->frame, sizeof a->frame) == 0
         && memcmp(a->number, b->number, sizeof *a->number*(size_t)a->n) == 0;
}

static bool same_geom(const ss_scene_geom* a, const ss_scene_geom* b)
{
  return a->body == b->body && a->shape == b->shape && a->mesh == b->mesh
         && memcmp(a->size, b->size, sizeof a->size) == 0
         && memcmp(a->position, b->position, sizeof a->position) == 0
         && memcmp(a->rotation, b->rotation, sizeof a->rotation) == 0;
}

bool cli_hello_fits(const ss_model* a, const ss_model* b)
{
  const ss_drawing *d = ss_model_drawing(a), *e = ss_model_drawing(b);
  const ss_scene *s = ss_model_scene(a), *r = ss_model_scene(b);
  if (!d != !e || !s != !r) return false;
  bool fits = !d || (d->n_value == e->n_value && d->n_shape == e->n_shape);
  for (int i = 0; fits && d && i < d->n_value; i++) fits = d->is_constant[i] == e->is_constant[i];
  for (int i = 0; fits && d && i < d->n_shape; i++) fits = same_shape(&d->shape[i], &e->shape[i]);
  if (fits && s) fits = s->n_geom == r->n_geom;
  for (int i = 0; fits && s && i < s->n_geom; i++) fits = same_geom(&s->geom[i], &r->geom[i]);
  return fits;
}

// ---- parameters ----------------------------------------------------------------------------------------------------

static const char* set_value(const cli_sim* s, const char* path)
{
  for (int i = 0; i < s->n_set; i++)
    if (strcmp(s->set[i].path, path) == 0) return s->set[i].value;
  return NULL;
}

static void add_parameter(cJSON* list, const cli_sim* s, const char* path, const char* value)
{
  const char* set = set_value(s, path);
  cJSON* o = cli_json_append(list, cJSON_CreateObject());
  cJSON_AddStringToObject(o, "path", path);
  cJSON_AddStringToObject(o, "value", set ? set : value);
}

static void add_number(cJSON* list, const cli_sim* s, const char* path, double value)
{
  char text[40];
  snprintf(text, sizeof text, "%.9g", value);
  add_parameter(list, s, path, text);
}

static void add_text_parameters(cJSON* list, const cli_sim* s)
{
  const ss_parameter* parameter;
  int n = ss_model_parameters(s->model, &parameter);
  for (int i = 0; i < n; i++) add_number(list, s, parameter[i].name, parameter[i].value);
  for (int i = 0; i < s->def->n_contact; i++) {
    const ss_contact_def* c = &s->def->contact[i];
    const struct { const char* name; double value; bool has; } law[] = {
      {"mu", c->mu, c->kind == SS_CONTACT_PLANAR && !c->varies},  // a law written as an expression is no number
      {"bound", c->bound, c->kind == SS_CONTACT_FRICTION && !c->varies},
      {"eps_n", c->eps_n, c->kind != SS_CONTACT_FRICTION}, {"eps_t", c->eps_t, c->kind == SS_CONTACT_PLANAR}};
    for (int k = 0; k < 4; k++) {
      char path[200];
      snprintf(path, sizeof path, "contacts.%s.%s", c->name, law[k].name);
      if (law[k].has) add_number(list, s, path, law[k].value);
    }
  }
}

static void add_scene_parameters(cJSON* list, const cli_sim* s, const ss_scene* scene)
{
  bool gravity = false, timestep = false;
  for (int i = 0; i < scene->n_parameter; i++) {
    add_parameter(list, s, scene->parameter[i].path, scene->parameter[i].value);
    gravity = gravity || strcmp(scene->parameter[i].path, "option.gravity") == 0;
    timestep = timestep || strcmp(scene->parameter[i].path, "option.timestep") == 0;
  }
  const double* g = scene->tree.gravity;
  char text[100];
  snprintf(text, sizeof text, "%g %g %g", g[0], g[1], g[2]);
  if (!gravity) add_parameter(list, s, "option.gravity", text);
  if (!timestep) add_number(list, s, "option.timestep", scene->option.timestep);
}

static bool is_listed(const cJSON* list, const char* path)
{
  const cJSON* o;
  cJSON_ArrayForEach(o, list) if (strcmp(cJSON_GetObjectItem(o, "path")->valuestring, path) == 0) return true;
  return false;
}

// Those of the file, and what was set besides
static void add_parameters(cJSON* o, const cli_sim* s)
{
  const ss_scene* scene = ss_model_scene(s->model);
  cJSON* list = cJSON_AddArrayToObject(o, "parameters");
  if (scene) add_scene_parameters(list, s, scene);
  else add_text_parameters(list, s);
  for (int i = 0; i < s->n_set; i++)
    if (!is_listed(list, s->set[i].path)) add_parameter(list, s, s->set[i].path, s->set[i].value);
}

// ---- settings ------------------------------------------------------------------------------------------------------

static void add_settings(cJSON* o, const cli_sim* s)
{
  const ss_step_def* d = &s->run.step;
  bool scene = s->def->operators != NULL;
  cJSON* c = cJSON_AddObjectToObject(o, "settings");
  cJSON_AddStringToObject(c, "integrator", ss_integrator_name(d->integrator));
  cJSON_AddStringToObject(c, "solver", scene ? ss_friction_method_name(d->friction.method)
                                             : ss_lcp_solver_name(d->solver.solver));
  cJSON_AddStringToObject(c, "impact", ss_impact_law_name(d->impact));
  cJSON_AddStringToObject(c, "project", ss_projection_name(d->project));
  cli_json_number(c, "dt", d->dt);
  cli_json_number(c, "tol", cli_tolerance(s->def, &s->run));
}

// What settings can be
static void add_choices(cJSON* o, const cli_sim* s)
{
  bool scene = s->def->operators != NULL;
  cJSON* c = cJSON_AddObjectToObject(o, "choices");
  cJSON* list = cJSON_AddArrayToObject(c, "integrator");
  for (int i = 0; i < SS_INTEGRATOR_COUNT; i++)
    cli_json_append(list, cJSON_CreateString(ss_integrator_name(i)));
  list = cJSON_AddArrayToObject(c, "solver");
  for (int i = 0; scene && cli_friction_solvers[i]; i++)
    cli_json_append(list, cJSON_CreateString(cli_friction_solvers[i]));
  for (int i = 0; !scene && i < SS_LCP_SOLVER_COUNT; i++)
    cli_json_append(list, cJSON_CreateString(ss_lcp_solver_name(i)));
  list = cJSON_AddArrayToObject(c, "impact");
  for (int i = 0; ss_impact_law_name(i); i++) cli_json_append(list, cJSON_CreateString(ss_impact_law_name(i)));
  list = cJSON_AddArrayToObject(c, "project");
  for (int i = 0; ss_projection_name(i); i++) cli_json_append(list, cJSON_CreateString(ss_projection_name(i)));
}

// ---- messages ------------------------------------------------------------------------------------------------------

static void add_model(cJSON* o, const cli_sim* s)
{
  const ss_drawing* d = ss_model_drawing(s->model);
  cli_json_put(o, "contacts", cli_hello_contacts(s, 0));
  add_parameters(o, s);
  add_settings(o, s);
  if (d) add_constants(o, s, d);
}

cJSON* cli_hello_model(const cli_sim* s)
{
  cJSON* o = cJSON_CreateObject();
  add_model(cJSON_AddObjectToObject(o, "model"), s);
  return o;
}

cJSON* cli_hello(const cli_sim* s)
{
  cJSON* message = cJSON_CreateObject();
  cJSON* o = cJSON_AddObjectToObject(message, "hello");
  cJSON_AddNumberToObject(o, "format", 1);
  cJSON_AddStringToObject(o, "name", ss_model_name(s->model));
  cJSON_AddStringToObject(o, "description", ss_model_description(s->model));
  cJSON_AddStringToObject(o, "source", ss_model_source(s->model));
  cJSON_AddStringToObject(o, "text", ss_model_text(s->model));
  cJSON_AddStringToObject(o, "version", ss_version());
  cJSON_AddNumberToObject(o, "most_contacts", CLI_FRAME_CONTACTS);  // with columns
  cJSON_AddBoolToObject(o, "energy", s->run.step.account);
  cJSON_AddBoolToObject(o, "listed", s->def->operators != NULL);  // contacts come and go
  add_coordinates(o, s);
  add_picture(o, s);
  add_model(o, s);
  add_choices(o, s);
  return message;
}
