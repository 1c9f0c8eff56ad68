// Messages of the page: JSON objects {"do": WHAT, "id": NUMBER, ...}. Each is checked in all its parts before anything
// is done; one that is not valid is answered with an error and changes nothing. No message names a file.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "view.h"

enum { MAX_STEPS = 10000, MAX_PATH = 300, MAX_VALUE = 1000 };

typedef struct command {
  const char* name;
  const char* keys[7];  // what the message may hold besides "do" and "id"
  ss_status (*act)(cli_view* v, const cJSON* m, ss_error* error);
} command;

static ss_status bad(ss_error* error, const char* what) { return ss_error_set(error, SS_ERR_INPUT, "%s", what); }

// ---- parts of a message --------------------------------------------------------------------------------------------

static bool get_number(const cJSON* m, const char* name, double low, double high, double* value)
{
  const cJSON* x = cJSON_GetObjectItemCaseSensitive(m, name);
  if (!cJSON_IsNumber(x) || !(x->valuedouble >= low && x->valuedouble <= high)) return false;
  *value = x->valuedouble;
  return true;
}

static bool get_whole(const cJSON* m, const char* name, int low, int high, int* value)
{
  double x;
  if (!get_number(m, name, low, high, &x) || x != floor(x)) return false;
  *value = (int)x;
  return true;
}

static const char* get_text(const cJSON* m, const char* name, size_t most)
{
  const cJSON* x = cJSON_GetObjectItemCaseSensitive(m, name);
  return cJSON_IsString(x) && x->valuestring[0] && strlen(x->valuestring) <= most ? x->valuestring : NULL;
}

static bool get_point(const cJSON* m, const char* name, int dim, double* point)
{
  const cJSON* list = cJSON_GetObjectItemCaseSensitive(m, name);
  if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) != dim) return false;
  for (int i = 0; i < dim; i++) {
    const cJSON* x = cJSON_GetArrayItem(list, i);
    if (!cJSON_IsNumber(x) || !(fabs(x->valuedouble) < 1e6)) return false;
    point[i] = x->valuedouble;
  }
  return true;
}

// ---- what can be asked for -----------------------------------------------------------------------------------------

static ss_status do_run(cli_view* v, const cJSON* m, ss_error* error)
{
  const cJSON* on = cJSON_GetObjectItemCaseSensitive(m, "on");
  if (!cJSON_IsBool(on)) return bad(error, "\"on\" must be true or false");
  v->running = cJSON_IsTrue(on);
  v->goal = v->sim.state->t;
  v->why[0] = '\0';
  return SS_OK;
}

static ss_status do_step(cli_view* v, const cJSON* m, ss_error* error)
{
  int n;
  if (!get_whole(m, "n", 1, MAX_STEPS, &n)) return bad(error, "\"n\" must be a whole number, 1 to 10000");
  v->running = false;
  v->why[0] = '\0';
  v->stride = n < 8 ? 1 : n/8;
  v->deadline = cli_view_now() + 2;
  ss_status st = cli_view_steps(v, n);
  return st < 0 && st != SS_STOPPED ? ss_error_set(error, st, "%s", v->why) : SS_OK;
}

static ss_status do_reset(cli_view* v, const cJSON* m, ss_error* error)
{
  (void)m;
  ss_error ignored = {0};
  bool fits;
  cli_drag_end(&v->drag, &v->sim);
  ss_status st = cli_sim_reset(&v->sim, &fits, error);
  if (st < 0) return st;
  cli_keep_end(&v->keep, &ignored);
  v->goal = v->sim.state->t;
  v->why[0] = '\0';
  cli_frame_clear(&v->frame);
  cJSON* o = cJSON_CreateObject();
  cJSON_AddTrueToObject(o, "reset");
  cli_view_send(v, o);
  return cli_view_changed(v, !fits) ? SS_OK : ss_error_set(error, SS_ERR_MEMORY, "out of memory");
}

static ss_status do_speed(cli_view* v, const cJSON* m, ss_error* error)
{
  double speed;
  if (!get_number(m, "speed", 1e-4, 1e3, &speed)) return bad(error, "\"speed\" must be a number, 1e-4 to 1000");
  v->speed = speed;
  v->goal = v->sim.state->t;
  return SS_OK;
}

// A record has one model: it ends where the model changes, and another one begins there
static ss_status go_on_recording(cli_view* v, bool recording, ss_error* error)
{
  return recording ? cli_keep_start(&v->keep, &v->sim, error) : SS_OK;
}

static ss_status do_set(cli_view* v, const cJSON* m, ss_error* error)
{
  const char *path = get_text(m, "path", MAX_PATH), *value = get_text(m, "value", MAX_VALUE);
  if (!path || !value) return bad(error, "\"path\" and \"value\" must be texts");
  if (strncmp(path, "compiler.", 9) == 0 || strstr(path, ".file")) return bad(error, "this value stays as it is");
  ss_error ignored = {0};
  bool recording = v->keep.record != NULL, fits;
  ss_status st = cli_sim_set(&v->sim, path, value, &fits, error);
  if (st < 0) return st;
  cli_keep_end(&v->keep, &ignored);
  if (v->drag.on && cli_drag_update(&v->drag, &v->sim) < 0) cli_drag_end(&v->drag, &v->sim);
  v->why[0] = '\0';
  if (!cli_view_changed(v, !fits)) return ss_error_set(error, SS_ERR_MEMORY, "out of memory");
  return go_on_recording(v, recording, error);
}

static bool set_solver(const cli_sim* s, const char* name, ss_step_def* d)
{
  return s->def->operators ? ss_friction_method_find(name, &d->friction.method)
                           : ss_lcp_solver_find(name, &d->solver.solver);
}

static ss_status do_settings(cli_view* v, const cJSON* m, ss_error* error)
{
  ss_step_def d = v->sim.run.step;
  const char* project = get_text(m, "project", 40);
  const char* integrator = get_text(m, "integrator", 40);
  const char* solver = get_text(m, "solver", 40);
  const char* impact = get_text(m, "impact", 40);
  if (cJSON_HasObjectItem(m, "integrator") && !ss_integrator_find(integrator, &d.integrator))
    return bad(error, "there is no such integrator");
  if (cJSON_HasObjectItem(m, "solver") && !set_solver(&v->sim, solver, &d))
    return bad(error, "there is no such solver");
  if (cJSON_HasObjectItem(m, "impact") && (!impact || !ss_impact_law_find(impact, &d.impact)))
    return bad(error, "there is no such law of impacts");
  if (cJSON_HasObjectItem(m, "dt") && !get_number(m, "dt", 1e-9, 10, &d.dt))
    return bad(error, "\"dt\" must be a number, 1e-9 to 10");
  if (cJSON_HasObjectItem(m, "project") && !ss_projection_find(project, &d.project))
    return bad(error, "\"project\" must be \"auto\", \"on\" or \"off\"");
  ss_error ignored = {0};
  bool recording = v->keep.record != NULL;
  cli_sim_step_def(&v->sim, &d);
  cli_keep_end(&v->keep, &ignored);
  v->why[0] = '\0';
  v->goal = v->sim.state->t;
  if (!cli_view_changed(v, false)) return ss_error_set(error, SS_ERR_MEMORY, "out of memory");
  return go_on_recording(v, recording, error);
}

static ss_status do_drag(cli_view* v, const cJSON* m, ss_error* error)
{
  cli_drag d = {0};
  bool scene = ss_model_scene(v->sim.model) != NULL;
  int dim = scene ? 3 : 2;
  bool fine = get_point(m, "local", dim, d.local) && get_point(m, "target", dim, d.target)
              && get_whole(m, scene ? "body" : "shape", 0, 1 << 20, scene ? &d.body : &d.shape);
  if (!scene && cJSON_HasObjectItem(m, "corner")) fine = fine && get_whole(m, "corner", 0, 1 << 20, &d.corner);
  if (!fine) return bad(error, "\"drag\" needs a body or a shape, the point in it, and where it is pulled to");
  bool same = v->drag.on && v->drag.body == d.body && v->drag.shape == d.shape && v->drag.corner == d.corner
              && memcmp(v->drag.local, d.local, sizeof d.local) == 0;
  if (same) {
    memcpy(v->drag.target, d.target, sizeof d.target);
    return cli_drag_update(&v->drag, &v->sim) < 0 ? bad(error, "the force is not finite") : SS_OK;
  }
  cli_drag_end(&v->drag, &v->sim);
  ss_status st = cli_drag_begin(&d, &v->sim, error);
  if (st >= 0) v->drag = d;
  return st;
}

static ss_status do_release(cli_view* v, const cJSON* m, ss_error* error)
{
  (void)m;
  (void)error;
  cli_drag_end(&v->drag, &v->sim);
  return SS_OK;
}

static ss_status do_record(cli_view* v, const cJSON* m, ss_error* error)
{
  const cJSON* on = cJSON_GetObjectItemCaseSensitive(m, "on");
  if (!cJSON_IsBool(on)) return bad(error, "\"on\" must be true or false");
  bool start = cJSON_IsTrue(on);
  if (start == (v->keep.record != NULL)) return SS_OK;
  return start ? cli_keep_start(&v->keep, &v->sim, error) : cli_keep_end(&v->keep, error);
}

static ss_status do_save(cli_view* v, const cJSON* m, ss_error* error)
{
  (void)m;
  char path[1400];
  ss_status st = cli_keep_problem(&v->keep, &v->sim, path, sizeof path, error);
  if (st < 0) return st;
  cJSON* o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "saved", path);
  cli_view_send(v, o);
  return SS_OK;
}

// The page has shown a frame
static ss_status do_ack(cli_view* v, const cJSON* m, ss_error* error)
{
  double number;
  if (!get_number(m, "number", 0, v->frame.number, &number)) return bad(error, "\"number\" is not that of a frame");
  v->acknowledged = (unsigned)number;
  return SS_OK;
}

static const command commands[] = {
  {"ack", {"number"}, do_ack},
  {"run", {"on"}, do_run},
  {"step", {"n"}, do_step},
  {"reset", {0}, do_reset},
  {"speed", {"speed"}, do_speed},
  {"set", {"path", "value"}, do_set},
  {"settings", {"integrator", "solver", "impact", "project", "dt"}, do_settings},
  {"drag", {"body", "shape", "corner", "local", "target"}, do_drag},
  {"release", {0}, do_release},
  {"record", {"on"}, do_record},
  {"save", {0}, do_save},
};

// ---- a message -----------------------------------------------------------------------------------------------------

static const command* find_command(const cJSON* m)
{
  const char* name = get_text(m, "do", 20);
  for (size_t i = 0; name && i < sizeof commands/sizeof *commands; i++)
    if (strcmp(commands[i].name, name) == 0) return &commands[i];
  return NULL;
}

// No part but those that the command knows, none twice
static bool has_known_parts(const command* c, const cJSON* m)
{
  for (const cJSON* x = m->child; x; x = x->next) {
    bool known = strcmp(x->string, "do") == 0 || strcmp(x->string, "id") == 0;
    for (int k = 0; k < 7 && c->keys[k]; k++) known = known || strcmp(x->string, c->keys[k]) == 0;
    for (const cJSON* y = x->next; known && y; y = y->next) known = strcmp(x->string, y->string) != 0;
    if (!known) return false;
  }
  return true;
}

static void answer(cli_view* v, const cJSON* m, const ss_error* error, ss_status st)
{
  const cJSON* id = cJSON_IsObject(m) ? cJSON_GetObjectItemCaseSensitive(m, "id") : NULL;
  if (st >= 0 && !id) return;
  cJSON* o = cJSON_CreateObject();
  if (cJSON_IsNumber(id)) cJSON_AddNumberToObject(o, "id", id->valuedouble);
  if (st < 0) {
    char text[900];
    cJSON_AddStringToObject(o, "error", ss_error_format(error, text, sizeof text));
  } else cJSON_AddTrueToObject(o, "ok");
  cli_view_send(v, o);
}

static ss_status obey(cli_view* v, const cJSON* m, ss_error* error)
{
  if (!cJSON_IsObject(m)) return bad(error, "a message must be a JSON object");
  const command* c = find_command(m);
  const cJSON* id = cJSON_GetObjectItemCaseSensitive(m, "id");
  if (!c) return bad(error, "\"do\" is not a command");
  if (id && !cJSON_IsNumber(id)) return bad(error, "\"id\" must be a number");
  if (!has_known_parts(c, m)) return bad(error, "the message holds what the command does not know, or the same twice");
  ss_status st = c->act(v, m, error);
  if (c->act != do_ack && c->act != do_drag) v->tell = true;
  return st;
}

void cli_view_message(void* user, const char* text, size_t n)
{
  cli_view* v = user;
  ss_error error = {0};
  const char* end = NULL;
  bool plain = text && strlen(text) == n && !strstr(text, "\\u0000");  // cJSON would cut a text there
  cJSON* m = plain ? cJSON_ParseWithOpts(text, &end, true) : NULL;
  ss_status st = m ? obey(v, m, &error) : bad(&error, "a message must be a JSON text");
  answer(v, m, &error, st);
  cJSON_Delete(m);
}
