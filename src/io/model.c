// Models, texts and scenes: loading by path or catalogue name, access, destruction.
#include "io/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "io/model_draw.h"

static bool keep_overrides(ss_model* m, const ss_model_def* def)
{
  if (!def || !def->n_override) return true;
  m->override = calloc((size_t)def->n_override, sizeof *m->override);
  for (int i = 0; m->override && i < def->n_override; i++) {
    m->override[i] = (ss_override){ss_strdup(def->override[i].path), ss_strdup(def->override[i].value)};
    m->n_override++;
    if (!m->override[i].path || !m->override[i].value) return false;
  }
  return m->override != NULL;
}

ss_model* ss_model_parse(const char* text, size_t length, const char* name, const ss_model_def* def, ss_error* error)
{
  if (!text || !name) {
    ss_error_null(error, "the text or its name");
    return NULL;
  }
  static const ss_model_def plain = {0};
  ss_model* m = calloc(1, sizeof *m);
  if (m) m->text = malloc(length + 1);
  if (!m || !m->text || !keep_overrides(m, def)) {
    ss_error_set(error, SS_ERR_MEMORY, "out of memory");
    ss_model_destroy(m);
    return NULL;
  }
  memcpy(m->text, text, length);
  m->text[length] = 0;
  ss_status (*read)(ss_model*, size_t, const char*, const ss_model_def*, ss_error*) =
    ss_model_is_scene(text, length, name) ? ss_model_read_scene : ss_model_read;
  if (read(m, length, name, def ? def : &plain, error) < 0) {
    ss_model_destroy(m);
    return NULL;
  }
  return m;
}

static const ss_catalogue_entry* find_in_catalogue(const char* name)
{
  const ss_catalogue_entry* list;
  int n = ss_catalogue(&list);
  for (int i = 0; i < n; i++)
    if (strcmp(list[i].name, name) == 0) return &list[i];
  return NULL;
}

// Neither a file nor a catalogue name: say so, with the nearest name. A path, and what is there but cannot be
// read (a directory), keeps the error of the file.
static void not_found(const char* name, ss_error* error)
{
  const ss_catalogue_entry* list;
  int n = ss_catalogue(&list);
  if (strchr(name, '/') || strchr(name, '.') || access(name, F_OK) == 0) return;
  const char** names = malloc(sizeof *names*(size_t)(n + 1));
  for (int i = 0; names && i < n; i++) names[i] = list[i].name;
  const char* near = names ? ss_suggest(name, names, n) : NULL;
  if (near) ss_error_set(error, SS_ERR_FILE, "there is no file and no catalogue model '%.80s'; did you mean '%s'?",
                         name, near);
  else ss_error_set(error, SS_ERR_FILE, "there is no file and no catalogue model '%.80s'", name);
  free(names);
}

// The folder of a file, absolute; NULL if the current one is unknown or memory is short: records then do without
static char* folder_of(const char* path)
{
  char here[4096] = "";
  const char* slash = strrchr(path, '/');
  if (*path != '/' && !getcwd(here, sizeof here)) return NULL;
  size_t size = strlen(here) + strlen(path) + 2;
  int n = slash ? (int)(slash - path) : 0;
  char* folder = malloc(size);
  if (folder) snprintf(folder, size, "%s%s%.*s", here, *path == '/' ? (n ? "" : "/") : n ? "/" : "", n, path);
  return folder;
}

ss_model* ss_model_load(const char* path, const ss_model_def* def, ss_error* error)
{
  if (!path) {
    ss_error_null(error, "the path");
    return NULL;
  }
  const ss_catalogue_entry* entry = find_in_catalogue(path);
  if (entry) return ss_model_parse(entry->text, strlen(entry->text), entry->name, def, error);
  size_t length;
  char* text = ss_read_stream(path, &length, error);
  if (!text) {
    not_found(path, error);
    return NULL;
  }
  ss_model* m = NULL;
  if (length > 4 && memcmp(text, "\x89HDF", 4) == 0) {
    ss_error_set(error, SS_ERR_INPUT, "this is an HDF5 file, a run perhaps, and not a model");
    if (error) snprintf(error->file, sizeof error->file, "%s", path);
  }
  else m = ss_model_parse(text, length, path, def, error);
  if (m) m->folder = folder_of(path);
  free(text);
  return m;
}

void ss_model_destroy(ss_model* m)
{
  if (!m) return;
  for (int i = 0; i < m->n_override; i++) {
    free((char*)m->override[i].path);
    free((char*)m->override[i].value);
  }
  for (int i = 0; i < m->n_parameter; i++) free((char*)m->parameter[i].name);
  ss_model_drawing_destroy(m->drawing);
  ss_planar_destroy(m->planar);
  ss_lagrangian_destroy(m->lagrangian);
  for (int i = 0; i < m->n_outline; i++) ss_outline_destroy(m->outline[i]);
  free(m->outline);
  ss_machine_destroy(m->machine);
  ss_scene_destroy(m->redundant);  // before what it shares
  ss_scene_destroy(m->scene);
  free(m->override);
  free(m->parameter);
  free(m->initial);
  free(m->name);
  free(m->description);
  free(m->source);
  free(m->folder);
  free(m->text);
  free(m);
}

const ss_system* ss_model_system(const ss_model* m)
{
  if (!m) return NULL;
  if (m->machine) return ss_machine_system(m->machine);
  return m->planar ? ss_planar_system(m->planar) : ss_lagrangian_system(m->lagrangian);
}


const char* ss_model_name(const ss_model* m) { return m ? m->name : ""; }
const char* ss_model_description(const ss_model* m) { return m && m->description ? m->description : ""; }
const char* ss_model_source(const ss_model* m) { return m && m->source ? m->source : ""; }
const char* ss_model_text(const ss_model* m) { return m ? m->text : ""; }
const char* ss_model_folder(const ss_model* m) { return m ? m->folder : NULL; }
const ss_run_def* ss_model_run(const ss_model* m) { return m ? &m->run : NULL; }

void ss_model_initial(const ss_model* m, ss_state* state)
{
  if (!m || !state) return;
  state->t = state->t_step = m->run.start;
  state->step = 0;
  state->n_impulse = 0;
  state->has_mode = false;
  memcpy(state->q, m->initial, sizeof(double)*(size_t)m->nq);
  memcpy(state->u, m->initial + m->nq, sizeof(double)*(size_t)m->nv);
}

int ss_model_parameters(const ss_model* m, const ss_parameter** list)
{
  if (!m || !list) return 0;
  *list = m->parameter;
  return m->n_parameter;
}

int ss_model_overrides(const ss_model* m, const ss_override** list)
{
  if (!m || !list) return 0;
  *list = m->override;
  return m->n_override;
}

const ss_contact_def* ss_model_contact_law(const ss_model* m, uint64_t key)
{
  if (!m) return NULL;
  if (m->machine) return ss_machine_contact_law(m->machine, key);
  return m->planar ? ss_planar_contact_law(m->planar, key) : NULL;
}

int ss_model_bodies(const ss_model* m) { return m && m->planar ? m->planar->n_body : 0; }

ss_status ss_model_place_bodies(const ss_model* m, const double* q, double t, double* pose)
{
  if (!m || !pose || (!q && m->nq)) return SS_ERR_ARGUMENT;
  return m->planar ? ss_planar_place(m->planar, q, t, pose) : SS_OK;
}

ss_body_info ss_model_body(const ss_model* m, int i)
{
  if (!m || !m->planar || i < 0 || i >= m->planar->n_body) return (ss_body_info){0};
  const ss_planar_body* b = &m->planar->body[i];
  const ss_outline* o = b->shape.outline;
  return (ss_body_info){.name = b->name, .shape = (ss_body_shape)b->shape.kind, .motion = (ss_body_motion)b->carriage,
                        .is_open = o && !o->closed, .points = o ? o->n : 0, .mass = b->mass, .inertia = b->inertia,
                        .outline = o ? &o->point[0].x : NULL, .center = {b->shape.center.x, b->shape.center.y},
                        .radius = b->shape.radius, .normal = {b->shape.normal.x, b->shape.normal.y}, .group = b->group};
}
