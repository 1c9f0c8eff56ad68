// The data of a page: names, settings, events, and what a reader must be told of the run.
#include "page.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "model_arg.h"

enum { MAX_EVENTS = 20000, MARKS = 2000 };

static void note(cJSON* notes, const char* format, ...) SS_PRINTF(2, 3);

static void note(cJSON* notes, const char* format, ...)
{
  char text[800];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  cli_json_append(notes, cJSON_CreateString(text));
}

// ---- names and settings ----

static void add_texts(ss_run* run, const cli_page* page, cJSON* json)
{
  const ss_run_info* info = ss_run_get_info(run);
  const char* slash = strrchr(page->file, '/');
  cJSON_AddNumberToObject(json, "format", 1);
  cJSON_AddStringToObject(json, "file", slash ? slash + 1 : page->file);
  cJSON_AddStringToObject(json, "name", info->model_name);
  cJSON_AddStringToObject(json, "text", info->model_text);
  cJSON_AddStringToObject(json, "version", info->version);
  cJSON_AddStringToObject(json, "status", info->status);
}

static void add_setting(cJSON* list, const char* name, const char* format, ...) SS_PRINTF(3, 4);

static void add_setting(cJSON* list, const char* name, const char* format, ...)
{
  char text[400];
  const char* pair[2] = {name, text};
  va_list more;
  va_start(more, format);
  vsnprintf(text, sizeof text, format, more);
  va_end(more);
  cli_json_append(list, cJSON_CreateStringArray(pair, 2));
}

static void add_settings(ss_run* run, cJSON* json)
{
  const ss_run_info* info = ss_run_get_info(run);
  const ss_run_def* d = &info->run;
  cJSON* list = cJSON_AddArrayToObject(json, "settings");
  add_setting(list, "integrator", "%s", ss_integrator_name(d->step.integrator));
  add_setting(list, "step size", "%g s", d->step.dt);
  if (d->start != 0) add_setting(list, "start time", "%g s", d->start);
  add_setting(list, "end time", "%g s", d->until);
  add_setting(list, "recorded", d->every > 1 ? "every %d steps" : "every step", d->every);
  add_setting(list, "impact law", "%s", ss_impact_law_name(d->step.impact));
  add_setting(list, "projection", "%s", ss_projection_name(d->step.project));
  add_setting(list, "energy accounting", "%s", d->step.account ? "on" : "off");
  add_setting(list, "tolerance", "%g", info->listed ? d->step.friction.tol : d->step.solver.tol);
  if (d->step.integrator == SS_EVENT_DRIVEN)
    add_setting(list, "relative error between events", "%g", d->step.event.rtol);
  for (int i = 0; i < info->n_override; i++)
    add_setting(list, "changed", "%s = %s", info->override[i].path, info->override[i].value);
  add_setting(list, "written by", "stickslip %s", info->version);
  cli_json_number(json, "dt", d->step.dt);
  cli_json_number(json, "tol", info->listed ? d->step.friction.tol : d->step.solver.tol);
}

static void add_coordinates(ss_run* run, cJSON* json)
{
  const ss_run_info* info = ss_run_get_info(run);
  cJSON* list = cJSON_AddArrayToObject(json, "coordinates");
  for (int i = 0; i < info->nq; i++) cli_json_append(list, cJSON_CreateString(info->coordinate[i]));
  list = cJSON_AddArrayToObject(json, "velocities");
  for (int i = 0; i < info->nv; i++) cli_json_append(list, cJSON_CreateString(info->velocity[i]));
}

// The law of a contact; NULL if the model does not tell it
static const ss_contact_def* law_of(const ss_run_info* info, const ss_model* model, int contact)
{
  if (!model) return NULL;
  if (info->listed) return ss_model_contact_law(model, info->contact_key[contact]);
  const ss_system_def* d = ss_system_get(ss_model_system(model));
  return d->n_contact == info->n_contact ? &d->contact[contact] : NULL;
}

// Names of the contacts, and their laws as far as the model tells them
static void add_contacts(ss_run* run, const ss_model* model, cJSON* json)
{
  static const char* const kinds[] = {"normal", "planar", "friction", "spatial"};
  const ss_run_info* info = ss_run_get_info(run);
  cJSON* list = cJSON_AddArrayToObject(json, "contacts");
  for (int i = 0; i < info->n_contact; i++) {
    cJSON* o = cli_json_append(list, cJSON_CreateObject());
    cJSON_AddStringToObject(o, "name", info->contact[i]);
    int kind = (int)info->contact_kind[i];
    cJSON_AddStringToObject(o, "kind", kind >= 0 && kind < 4 ? kinds[kind] : "other");
    const ss_contact_def* law = law_of(info, model, i);
    if (!law) continue;
    cli_json_number(o, "mu", law->mu);
    cli_json_number(o, "bound", law->bound);
    cli_json_number(o, "eps_n", law->eps_n);
    cli_json_number(o, "eps_t", law->eps_t);
  }
}

// ---- events ----

typedef struct event_field {
  const char* name;
  const char* type;
  double (*value)(const ss_event* e);
} event_field;

static double event_t(const ss_event* e) { return e->t; }
static double event_contact(const ss_event* e) { return e->contact; }
static double event_kind(const ss_event* e) { return e->kind; }
static double event_state(const ss_event* e) { return e->state; }
static double event_before(const ss_event* e) { return e->state_before; }
static double event_gN0(const ss_event* e) { return e->gamma_before[0]; }
static double event_gN1(const ss_event* e) { return e->gamma_after[0]; }
static double event_gT0(const ss_event* e) { return e->gamma_before[1]; }
static double event_gT1(const ss_event* e) { return e->gamma_after[1]; }
static double event_LN(const ss_event* e) { return e->Lambda[0]; }
static double event_LT(const ss_event* e) { return e->Lambda[1]; }
static double event_E0(const ss_event* e) { return e->energy_before; }
static double event_E1(const ss_event* e) { return e->energy_after; }

// Where there are more events than a page keeps: how many of each kind there are in short, equal spans of its time
static bool add_marks(const cli_page* page, const double* t, long n, const ss_event* event, cJSON* o)
{
  double from = t[page->row[0]], to = t[page->row[page->n - 1]];
  double* count = calloc((size_t)SS_EVENT_KINDS*MARKS, sizeof *count);
  cJSON* marks = cJSON_AddObjectToObject(o, "marks");
  cJSON* list = cJSON_AddArrayToObject(marks, "counts");
  bool fine = count != NULL;
  cJSON_AddNumberToObject(marks, "n", MARKS);
  cli_json_number(marks, "from", from);
  cli_json_number(marks, "to", to);
  for (long i = 0; fine && i < n; i++) {
    double at = to > from ? MARKS*(event[i].t - from)/(to - from) : 0;
    double* c = &count[(int)event[i].kind*MARKS + (int)fmin(fmax(at, 0), MARKS - 1)];
    if (*c < 255) ++*c;
  }
  for (int kind = 0; fine && kind < SS_EVENT_KINDS; kind++) {
    cJSON* one = cli_json_append(list, cJSON_CreateObject());
    fine = cli_page_numbers(one, "u8", MARKS, &count[kind*MARKS]);
  }
  free(count);
  return fine;
}

static int add_events(ss_run* run, const cli_page* page, cJSON* json)
{
  static const event_field fields[] = {
    {"t", "f64", event_t},       {"contact", "f32", event_contact}, {"kind", "u8", event_kind},
    {"state", "u8", event_state}, {"before", "u8", event_before},   {"gamma_N_before", "f32", event_gN0},
    {"gamma_N_after", "f32", event_gN1}, {"gamma_T_before", "f32", event_gT0}, {"gamma_T_after", "f32", event_gT1},
    {"Lambda_N", "f32", event_LN}, {"Lambda_T", "f32", event_LT},   {"energy_before", "f32", event_E0},
    {"energy_after", "f32", event_E1},
  };
  ss_error error = {0};
  long n = ss_run_get_info(run)->n_events, first = 0;
  const ss_event* event = n ? ss_run_events(run, NULL, NULL, &error) : NULL;
  if (n && !event) return cli_fail(&error);
  while (first < n && event[first].t < page->from) first++;
  while (n > first && event[n - 1].t > page->to) n--;
  long kept = n - first > MAX_EVENTS ? MAX_EVENTS : n - first;
  if (kept < n - first)
    note(cJSON_GetObjectItem(json, "info"), "%ld of %ld events are in this page, the first ones; the file has all.",
         kept, n - first);
  cJSON* o = cJSON_AddObjectToObject(json, "events");
  cJSON_AddNumberToObject(o, "n", (double)kept);
  double* value = calloc((size_t)kept + 1, sizeof *value);
  bool fine = value != NULL;
  if (kept < n - first) {
    const double* t = ss_run_column(run, "t", &error);
    if (!t) fine = false;
    cJSON_AddNumberToObject(o, "total", (double)(n - first));
    fine = fine && add_marks(page, t, n - first, event + first, o);
  }
  for (size_t k = 0; fine && k < sizeof fields/sizeof *fields; k++) {
    for (long i = 0; i < kept; i++) value[i] = fields[k].value(&event[first + i]);
    fine = cli_page_numbers(cJSON_AddObjectToObject(o, fields[k].name), fields[k].type, kept, value);
  }
  free(value);
  return fine ? CLI_GO_ON : cli_out_of_memory();
}

// ---- what a reader must be told ----

// The last value of a quantity; NaN if there is none
static double last_of(ss_run* run, const char* name)
{
  ss_error error = {0};
  long n = ss_run_get_info(run)->n_rows;
  const double* column = n ? ss_run_column(run, name, &error) : NULL;
  return column ? column[n - 1] : NAN;
}

static double largest_of(ss_run* run, const char* name)
{
  ss_error error = {0};
  const double* column = ss_run_column(run, name, &error);
  double largest = 0;
  for (long i = 0; column && i < ss_run_get_info(run)->n_rows; i++) largest = fmax(largest, fabs(column[i]));
  return largest;
}

// The defect of the energy balance against the energies that it is made of, as the tool warns of it after a run:
// round-off in V does not count
static void note_defect(ss_run* run, cJSON* notes)
{
  static const char* const parts[] = {"energy.kinetic", "energy.loss_normal", "energy.loss_friction",
                                      "energy.work_forces", "energy.work_drive", "energy.work_projection"};
  if (!ss_run_get_info(run)->run.step.account) return;
  double potential = last_of(run, "energy.potential"), defect = fabs(last_of(run, "energy.defect"));
  double largest = fabs(last_of(run, "energy.kinetic") + potential);
  for (size_t i = 0; i < sizeof parts/sizeof *parts; i++) largest = fmax(largest, largest_of(run, parts[i]));
  if (defect > 0.01*largest && defect > 1e-9*fabs(potential) + 1e-15)
    note(notes, "The integrator's own error in the energy balance is %.3g J, more than 1 %% of the energies in it.",
         defect);
}

// `notes` are warnings, `info_list` is good to know
static void add_notes(ss_run* run, const cli_page* page, cJSON* notes, cJSON* info_list)
{
  const ss_run_info* info = ss_run_get_info(run);
  if (strcmp(info->status, "running") == 0)
    note(notes, "The run was not ended: it still goes on, or its writer was killed. This page shows what was on disk.");
  else if (strcmp(info->status, "complete") != 0) note(notes, "The run did not reach its end: %s.", info->status);
  if (page->n < page->n_rows)
    note(info_list, "%ld of %ld rows are in this page: evenly spaced ones, and those around events and failures. The "
         "run file has all.", page->n, page->n_rows);
  if (page->light)
    note(info_list, "This is a large scene: places of bodies are rounded to a 65000th of their ways, and of each row "
         "the strongest contacts are shown. The run file has all.");
  double missed = last_of(run, "counts.not_solved"), gains = last_of(run, "counts.energy_gain");
  double several = last_of(run, "counts.several_motions"), as_found = last_of(run, "counts.as_found");
  double not_examined = last_of(run, "counts.not_examined");
  if (missed > 0) note(notes, "%.0f steps missed the tolerance of the contact problem.", missed);
  if (gains > 0)
    note(notes, "Contacts gained energy in %.0f impact%s: Newton's law with friction can do that.", gains,
         cli_s((long)gains));
  if (several > 0)
    note(info_list, "The contact laws allow several motions in %.0f steps; the one of least impulses was taken.",
         several);
  if (as_found > 0)
    note(info_list, "In %.0f of them it was not found: there the order of contacts may tell.", as_found);
  if (not_examined > 0)
    note(info_list, "Whether there are several motions was not looked for in %.0f steps: too many contacts slide "
         "together.", not_examined);
  note_defect(run, notes);
}

static void add_counts(ss_run* run, cJSON* json)
{
  static const char* const names[] = {"steps", "events", "impacts", "not_solved", "energy_gain", "max_residual",
                                      "max_penetration", "max_constraint_error"};
  cJSON* o = cJSON_AddObjectToObject(json, "counts");
  for (size_t i = 0; i < sizeof names/sizeof *names; i++) {
    char name[64];
    snprintf(name, sizeof name, "counts.%s", names[i]);
    cli_json_number(o, names[i], last_of(run, name));
  }
}

// ---- all of it ----

// Warnings of the model's reader
static void keep_warning(void* user, ss_log_level level, const char* text)
{
  if (level == SS_LOG_WARNING) note(user, "%s", text);
}

// The model as the run had it; NULL, with a note, if it cannot be read any more
static ss_model* read_model(ss_run* run, cJSON* notes)
{
  const ss_run_info* info = ss_run_get_info(run);
  ss_error error = {0};
  ss_model_def def = {.n_override = info->n_override, .override = info->override,
                      .log = {.write = keep_warning, .user = notes}};
  ss_model* model = ss_run_model(run, &def, &error);
  const ss_system_def* d = model ? ss_system_get(ss_model_system(model)) : NULL;
  bool fits = d && (d->nq ? d->nq : d->nv) == info->nq && d->nv == info->nv;
  if (fits) return model;
  note(notes, "The model in the file cannot be read by this version, so that it is not drawn%s%s.",
       model ? "" : ": ", model ? "" : error.text);
  ss_model_destroy(model);
  return NULL;
}

// How many rows fit
static long rows_that_fit(ss_run* run, const ss_model* model, cli_page* page)
{
  int bytes = page->column_bytes;
  const ss_drawing* d = model ? ss_model_drawing(model) : NULL;
  for (int i = 0; d && i < d->n_value; i++) bytes += d->is_constant[i] ? 0 : 4;
  if (model && ss_run_get_info(run)->listed) return cli_page_scene_rows(run, model, bytes, page);
  return CLI_PAGE_BYTES/(bytes ? bytes : 1);
}

// The rows with from <= t <= to
static int choose_rows(ss_run* run, cli_page* page, const ss_model* model)
{
  ss_error error = {0};
  long n = ss_run_get_info(run)->n_rows, first = 0;
  const double* t = n ? ss_run_column(run, "t", &error) : NULL;
  if (n && !t) return cli_fail(&error);
  long end = n;
  while (first < n && t[first] < page->from) first++;
  while (end > first && t[end - 1] > page->to) end--;
  if (end == first) {
    if (n == 0) cli_error("the run has no rows");
    else cli_error("the run has no rows in that time; it goes from t = %.9g s to %.9g s", t[0], t[n - 1]);
    return CLI_BAD_INPUT;
  }
  page->n_rows = end - first;
  int status = cli_page_choose_columns(run, page, first);
  if (status != CLI_GO_ON) return status;
  long fit = rows_that_fit(run, model, page);
  return cli_page_choose_rows(run, page, first, page->most ? page->most : fit);
}

int cli_page_make(ss_run* run, cli_page* page, cJSON** json)
{
  cJSON* o = cJSON_CreateObject();
  cJSON* notes = cJSON_AddArrayToObject(o, "notes");
  ss_model* model = read_model(run, notes);
  int status = choose_rows(run, page, model);
  if (status == CLI_GO_ON) {
    add_texts(run, page, o);
    cJSON_AddStringToObject(o, "description", model ? ss_model_description(model) : "");
    cJSON_AddStringToObject(o, "source", model ? ss_model_source(model) : "");
    cJSON_AddNumberToObject(o, "rows", (double)page->n);
    cJSON_AddNumberToObject(o, "rows_total", (double)page->n_rows);
    cJSON_AddBoolToObject(o, "initial", page->row[0] == 0);
    add_notes(run, page, notes, cJSON_AddArrayToObject(o, "info"));
    add_settings(run, o);
    add_coordinates(run, o);
    add_contacts(run, model, o);
    add_counts(run, o);
    status = cli_page_columns(run, page, o);
    if (page->n_column < page->n_columns)
      note(cJSON_GetObjectItem(o, "info"), "%d of the %d quantities are in this page; the file has all.",
           page->n_column, page->n_columns);
  }
  if (status == CLI_GO_ON) status = add_events(run, page, o);
  if (status == CLI_GO_ON && model) status = cli_page_drawing(run, model, page, o);
  if (status == CLI_GO_ON && model) status = cli_page_scene(run, model, page, o);
  ss_model_destroy(model);
  free(page->column);
  page->column = NULL;
  *json = o;
  return status;
}
