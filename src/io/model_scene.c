// Scenes as models: an MJCF file becomes a machine, with its start and its run settings.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stickslip/machine.h>

#include "base/text.h"
#include "base/number.h"
#include "integrate/work.h"
#include "io/mjcf_planar.h"
#include "io/model.h"

bool ss_model_is_scene(const char* text, size_t length, const char* name)
{
  size_t n = strlen(name);
  size_t i = length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;  // a byte order mark
  while (i < length && strchr(" \t\r\n", text[i]) && text[i]) i++;
  return (i < length && text[i] == '<') || (n > 4 && strcmp(name + n - 4, ".xml") == 0);
}

// ---- name, description, source ----

// The name of the file without folders and ending
static char* base_name(const char* file)
{
  const char* slash = strrchr(file, '/');
  char* name = ss_strdup(slash ? slash + 1 : file);
  char* dot = name ? strrchr(name, '.') : NULL;
  if (dot && dot != name) *dot = 0;
  return name;
}

// Lines from..to without the blanks around them; NULL if memory is short
static char* trimmed(const char* from, const char* to)
{
  char* out = malloc((size_t)(to - from) + 1);
  char* at = out;
  while (out && from < to) {
    const char* end = memchr(from, '\n', (size_t)(to - from));
    if (!end) end = to;
    const char* last = end;
    while (from < last && strchr(" \t\r", *from)) from++;
    while (last > from && strchr(" \t\r", last[-1])) last--;
    if (at != out && last > from) *at++ = '\n';
    memcpy(at, from, (size_t)(last - from));
    at += last - from;
    from = end < to ? end + 1 : to;
  }
  if (out) *at = 0;
  return out;
}

// A comment before the root element describes the model; its last lines may tell the source, after "Source:"
static bool read_comment(ss_model* m)
{
  const char* begin = strstr(m->text, "<!--");
  const char* root = strstr(m->text, "<mujoco");
  if (!root) root = strstr(m->text, "<robot");
  const char* end = begin ? strstr(begin + 4, "-->") : NULL;
  if (!begin || !end || !root || root < begin) return true;
  begin += 4;
  const char* letter = begin;  // a line of dashes describes nothing
  while (letter < end && !((*letter | 32) >= 'a' && (*letter | 32) <= 'z')) letter++;
  if (letter == end) return true;
  const char* source = strstr(begin, "Source:");
  if (source && source >= end) source = NULL;
  m->description = trimmed(begin, source ? source : end);
  if (source) m->source = trimmed(source + strlen("Source:"), end);
  return m->description && (!source || m->source);
}

static bool read_texts(ss_model* m, const char* file)
{
  m->name = m->scene->name && *m->scene->name ? ss_strdup(m->scene->name) : base_name(file);
  return m->name && read_comment(m);
}

// ---- the start ----

static void warn(const ss_model_def* def, const char* text)
{
  if (def->log.write) def->log.write(def->log.user, SS_LOG_WARNING, text);
}

// The deepest overlap and the largest loop error
static void warn_of_violations(const ss_model_def* def, const ss_work* w)
{
  const double little = 1e-9;
  int deepest = -1, overlaps = 0, worst = -1;
  char text[300], name[64], more[48] = "";
  for (int i = 0; i < w->n_contact; i++) {
    if (w->law[i]->kind == SS_CONTACT_FRICTION || w->gap[i] >= -little) continue;
    overlaps++;
    if (deepest < 0 || w->gap[i] < w->gap[deepest]) deepest = i;
  }
  for (int i = 0; i < w->n_bilateral; i++)
    if (fabs(w->error[i]) > little && (worst < 0 || fabs(w->error[i]) > fabs(w->error[worst]))) worst = i;
  if (deepest >= 0) {
    const double* N = w->item[deepest].frame;  // none: a limit of a joint
    w->op->contact_name(w->def->user, w->item[deepest].key, name, sizeof name);
    if (overlaps > 1) snprintf(more, sizeof more, ", and %d other contacts are, too", overlaps - 1);
    ss_print(text, sizeof text, "contact '%s' is violated at the initial state by %.3g %s%s", name, -w->gap[deepest],
             N[0] != 0 || N[1] != 0 || N[2] != 0 ? "m" : "(m or rad)", more);
    warn(def, text);
  }
  if (worst >= 0) {
    ss_print(text, sizeof text, "constraint '%.150s' is violated at the initial state by %.3g",
             w->def->bilateral_name[worst], fabs(w->error[worst]));
    warn(def, text);
  }
}

static ss_status check_initial(const ss_model* m, const char* file, const ss_model_def* def, ss_error* error)
{
  const ss_system* system = ss_model_system(m);
  ss_state* state = ss_state_create(system);
  ss_work* w = ss_work_create(system, error);
  ss_status st = SS_OK;
  if (!state || !w) st = w ? ss_error_set(error, SS_ERR_MEMORY, "out of memory") : SS_ERR_MEMORY;
  if (st == SS_OK) {
    ss_model_initial(m, state);
    st = ss_inspect(system, state, w, NULL, NULL);
    if (st < 0) {
      ss_error_set(error, SS_ERR_INPUT, "at the initial state: %s", ss_work_message(w));
      if (error) snprintf(error->file, sizeof error->file, "%s", file);
    } else warn_of_violations(def, w);
  }
  ss_state_destroy(state);
  ss_work_destroy(w);
  return st < 0 ? st : SS_OK;
}

// ---- all ----

static void read_run(ss_model* m)
{
  const ss_scene_run* r = &m->scene->run;
  double start = r->key >= 0 ? m->scene->key[r->key].time : 0;
  m->run = (ss_run_def){.step = ss_step_def_default(), .start = start, .until = r->until, .every = 1};
  m->run.step.dt = m->scene->option.timestep;
  m->run.step.integrator = r->scheme;
  m->run.step.impact = r->impact;
  m->run.step.energy_limited = r->energy_limited;
  m->run.step.order = r->order;
  m->run.step.project = r->project;
  m->run.step.friction = r->solver;
}

// Geoms of type polygon: bodies in the plane
static ss_status read_planar(ss_model* m, size_t length, const char* file, const ss_model_def* def, ss_error* error)
{
  char *scene = m->text, *text = ss_mjcf_planar(scene, length, file, error);
  if (!text) return SS_ERR_INPUT;
  m->text = text;
  ss_status st = ss_model_read(m, strlen(text), file, def, error);
  if (st < 0 && error) error->column = 0;  // that of a text which nobody has seen
  m->text = scene;
  free(text);
  return st;
}

ss_status ss_model_read_scene(ss_model* m, size_t length, const char* file, const ss_model_def* def, ss_error* error)
{
  if (ss_mjcf_is_planar(m->text, length)) return read_planar(m, length, file, def, error);
  m->scene = ss_scene_parse(m->text, length, file, def->n_override, def->override, error);
  const ss_scene* moves = m->scene;
  if (m->scene && m->scene->run.redundant) moves = m->redundant = ss_scene_redundant(m->scene, error);
  m->machine = moves ? ss_machine_create(moves, error) : NULL;
  if (!m->machine) return SS_ERR_INPUT;
  m->nq = moves->nq;
  m->nv = moves->nv;
  m->initial = calloc((size_t)(m->nq + m->nv) + 1, sizeof *m->initial);
  if (!m->initial || !read_texts(m, file)) return ss_error_set(error, SS_ERR_MEMORY, "out of memory");
  ss_scene_initial(moves, moves->run.key, m->initial, m->initial + m->nq);
  read_run(m);
  return check_initial(m, file, def, error);
}

const ss_scene* ss_model_scene(const ss_model* m) { return m ? m->scene : NULL; }
const ss_machine* ss_model_machine(const ss_model* m) { return m ? m->machine : NULL; }
