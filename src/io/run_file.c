// The reader of run files. Names, settings and lengths are read when the file is opened, everything else when it is
// asked for, and then kept. Nothing in a file is trusted: types, sizes and ranges are checked before they are used.
#include "base/text.h"
#include "integrate/event.h"
#include "integrate/impulses.h"
#include "io/h5_reader.h"
#include "io/run_schema.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OWNED_MAX = 40, BLOCK_ROWS = 4096, CACHE_BYTES = 32768 };

// A quantity that can be asked for by name
typedef struct quantity {
  ss_field field;
  int index;    // in a row of the field
  int contact;  // of fields of listed contacts: which one
} quantity;

// Rows of a field as they lie in the file, kept because the next ones are mostly asked for soon
typedef struct cached {
  long first, n;
  void* data;
} cached;

struct ss_run {
  char* path;
  ss_h5_reader* file;
  int width[SS_FIELD_COUNT];
  cached cache[SS_FIELD_COUNT];
  ss_record_header header;
  ss_run_info info;
  int n_quantity, n_listed;  // those that have a meaning come first
  quantity* quantity;        // n_quantity
  char** name;               // n_quantity
  char** unit;               // n_quantity
  double* data[SS_FIELD_COUNT];  // column by column; NULL until asked for
  long n_touch, n_known;     // rows of the tables of listed contacts, and of the list of them
  long n_arc;                // numbers of the memories of all rows
  double** column;           // n_quantity: of listed contacts; NULL until asked for
  ss_event* event;
  double* drift;
  ss_run_block block;
  void* owned[OWNED_MAX];  // lists of the header
  int n_owned;
  bool no_memory;
};

// ---- the header ----------------------------------------------------------------------------------------------------

bool ss_run_damaged(const ss_run* run, ss_error* error, const char* what)
{
  if (ss_h5_reader_failure(run->file, error) < 0) return false;
  if (run->no_memory) {
    ss_error_set(error, SS_ERR_MEMORY, "not enough memory to read '%s'", run->path);
    return false;
  }
  ss_error_set(error, SS_ERR_FILE, "'%s' is not a whole run file: %s is missing or not as it should be", run->path,
               what);
  return false;
}

static void* own(ss_run* run, void* memory)
{
  if (memory) run->owned[run->n_owned++] = memory;
  return memory;
}

// Zeros, owned by the run
static void* own_list(ss_run* run, int n, size_t size)
{
  void* memory = own(run, calloc((size_t)n + 1, size));
  if (!memory) run->no_memory = true;
  return memory;
}

// A text or a list of a group, owned by the run; false if it is not there
static bool get_text(ss_run* run, const char* group, const char* name, const char** text)
{
  return (*text = own(run, ss_h5_reader_text(run->file, group, name))) != NULL;
}

static bool get_texts(ss_run* run, const char* group, const char* name, int* n, const char* const** list)
{
  return (*list = own(run, ss_h5_reader_texts(run->file, group, name, n))) != NULL;
}

// A list of numbers that must have n entries
static const double* get_numbers(ss_run* run, const char* group, const char* name, int n)
{
  int count = 0;
  const double* list = own(run, ss_h5_reader_numbers(run->file, group, name, &count));
  return count == n ? list : NULL;
}

static bool read_setting(ss_h5_reader* file, const ss_setting* s, void* to)
{
  static const char group[] = "/settings";
  double number = 0;
  long integer = 0;
  bool is_number = s->type == SS_SETTING_NUMBER;
  bool there = is_number ? ss_h5_reader_number(file, group, s->name, &number)
                         : ss_h5_reader_integer(file, group, s->name, &integer);
  if (!there) return s->later && !ss_h5_reader_has_attribute(file, group, s->name);
  if (is_number ? !isfinite(number) || number < s->least : integer < s->least || integer > INT_MAX) return false;
  if (s->choices && integer >= s->choices) return false;
  if (is_number) *(double*)to = number;
  else if (s->type == SS_SETTING_FLAG) *(bool*)to = integer != 0;
  else *(int*)to = (int)integer;
  return true;
}

static bool bad_setting(const ss_run* run, const char* name, ss_error* error)
{
  char what[80];
  snprintf(what, sizeof what, "attribute '%s' of group 'settings'", name);
  return ss_run_damaged(run, error, what);
}

static bool read_settings(const ss_run* file, ss_run_def* run, ss_error* error)
{
  char* integrator = ss_h5_reader_text(file->file, "/settings", "integrator");
  char* impact = ss_h5_reader_text(file->file, "/settings", "impact");  // early files have none
  bool is_integrator = integrator && ss_integrator_find(integrator, &run->step.integrator);
  bool is_law = !impact || ss_impact_law_find(impact, &run->step.impact);
  run->step.event.end = INFINITY;
  free(integrator);
  free(impact);
  if (!is_integrator) return bad_setting(file, "integrator", error);
  if (!is_law) return bad_setting(file, "impact", error);
  for (int i = 0; i < ss_setting_count; i++) {
    const ss_setting* s = &ss_setting_table[i];
    if (!read_setting(file->file, s, (char*)run + s->offset)) return bad_setting(file, s->name, error);
  }
  return run->step.dt > 0 || bad_setting(file, "dt", error);
}

static bool read_contacts(ss_run* run, const char* group, ss_record_header* h)
{
  int n_kinds;
  const char *const *name, *const *kind;
  if (!get_texts(run, group, "contacts", &h->n_contact, &name)) return false;
  if (!get_texts(run, group, "contact_kinds", &n_kinds, &kind) || n_kinds != h->n_contact) return false;
  const double* mu = get_numbers(run, group, "contact_mu", h->n_contact);
  const double* bound = get_numbers(run, group, "contact_bound", h->n_contact);
  const double* eps_n = get_numbers(run, group, "contact_eps_n", h->n_contact);
  const double* eps_t = get_numbers(run, group, "contact_eps_t", h->n_contact);
  ss_contact_def* contact = own_list(run, h->n_contact, sizeof *contact);
  ss_contact_kind* kinds = own_list(run, h->n_contact, sizeof *kinds);
  const double* nu = get_numbers(run, group, "contact_nu", h->n_contact);  // early files have none
  if (!mu || !bound || !eps_n || !eps_t || !contact || !kinds) return false;
  for (int i = 0; i < h->n_contact; i++) {
    int k = 0;
    while (ss_contact_kind_name(k) && strcmp(ss_contact_kind_name(k), kind[i]) != 0) k++;
    if (!ss_contact_kind_name(k)) return false;
    kinds[i] = (ss_contact_kind)k;
    contact[i] = (ss_contact_def){.name = name[i], .kind = kinds[i], .mu = mu[i], .bound = bound[i],
                                  .eps_n = eps_n[i], .eps_t = eps_t[i], .nu = nu ? nu[i] : 0};
  }
  h->contact = contact;
  run->info.contact = name;
  run->info.contact_kind = kinds;
  return true;
}

static bool read_overrides(ss_run* run, const char* group, ss_record_header* h)
{
  int n_values;
  const char *const *path, *const *value;
  if (!get_texts(run, group, "override_paths", &h->n_override, &path)) return false;
  if (!get_texts(run, group, "override_values", &n_values, &value) || n_values != h->n_override) return false;
  ss_override* list = own_list(run, h->n_override, sizeof *list);
  for (int i = 0; list && i < h->n_override; i++) list[i] = (ss_override){path[i], value[i]};
  h->override = list;
  return list != NULL;
}

static bool read_parameters(ss_run* run, const char* group, ss_record_header* h)
{
  const char* const* name;
  if (!get_texts(run, group, "parameter_names", &h->n_parameter, &name)) return false;
  const double* value = get_numbers(run, group, "parameter_values", h->n_parameter);
  ss_parameter* list = own_list(run, h->n_parameter, sizeof *list);
  if (!value || !list) return false;
  for (int i = 0; i < h->n_parameter; i++) list[i] = (ss_parameter){name[i], value[i]};
  h->parameter = list;
  return true;
}

// They are the coordinates unless contacts come and go: then there may be fewer
static bool read_velocities(ss_run* run, const char* group, ss_record_header* h)
{
  int n_units;
  h->nv = h->nq;
  h->velocity = h->coordinate;
  return !h->listed || (get_texts(run, group, "velocities", &h->nv, &h->velocity) &&
                        get_texts(run, group, "velocity_units", &n_units, &h->velocity_unit) && n_units == h->nv);
}

static bool read_sensors(ss_run* run, const char* group, ss_record_header* h)
{
  int n_units;
  return !ss_h5_reader_has_attribute(run->file, group, "sensors") ||
         (get_texts(run, group, "sensors", &h->n_sensor, &h->sensor) &&
          get_texts(run, group, "sensor_units", &n_units, &h->sensor_unit) && n_units == h->n_sensor);
}

static bool read_folder(ss_run* run, const char* group, ss_record_header* h)
{
  return !ss_h5_reader_has_attribute(run->file, group, "folder") || get_text(run, group, "folder", &h->model_folder);
}

static bool read_model(ss_run* run, const char* group, ss_record_header* h)
{
  int n_units;
  return read_folder(run, group, h) && get_text(run, group, "name", &h->model_name) &&
         get_text(run, group, "text", &h->model_text) && get_texts(run, group, "coordinates", &h->nq, &h->coordinate) &&
         get_texts(run, group, "units", &n_units, &h->unit) && n_units == h->nq && read_velocities(run, group, h) &&
         get_texts(run, group, "bilaterals", &h->n_bilateral, &h->bilateral) && read_overrides(run, group, h) &&
         read_parameters(run, group, h) && read_contacts(run, group, h) && read_sensors(run, group, h);
}

static bool read_root(ss_run* run, ss_error* error)
{
  long version = 0;
  char* format = ss_h5_reader_text(run->file, "/", "format");
  bool good = format && strcmp(format, SS_RUN_FORMAT) == 0 &&
              ss_h5_reader_integer(run->file, "/", "format_version", &version);
  free(format);
  if (!good && ss_h5_reader_failure(run->file, error) < 0) return false;
  if (!good) {
    ss_error_set(error, SS_ERR_FILE, "'%s' is an HDF5 file, but not a run of Stickslip", run->path);
    return false;
  }
  if (version != SS_RUN_FORMAT_VERSION && version != SS_RUN_FORMAT_LISTED) {
    ss_error_set(error, SS_ERR_FILE, "'%s' has format version %ld, and only %d and %d can be read", run->path, version,
                 SS_RUN_FORMAT_VERSION, SS_RUN_FORMAT_LISTED);
    return false;
  }
  run->header.listed = version == SS_RUN_FORMAT_LISTED;
  if (!get_text(run, "/", "library_version", &run->info.version))
    return ss_run_damaged(run, error, "library_version");
  if (!get_text(run, "/", "created", &run->header.created)) return ss_run_damaged(run, error, "created");
  if (!get_text(run, "/", "run_status", &run->info.status)) run->info.status = "running";  // just being changed
  return true;
}

static bool read_header(ss_run* run, ss_error* error)
{
  if (!read_root(run, error)) return false;
  if (!read_model(run, "/model", &run->header)) return ss_run_damaged(run, error, "group 'model'");
  if (!ss_h5_reader_has(run->file, "/settings")) return ss_run_damaged(run, error, "group 'settings'");
  return read_settings(run, &run->header.run, error);
}

// ---- data sets -----------------------------------------------------------------------------------------------------

static ss_h5_class number_class(ss_number number)
{
  switch (number) {
  case SS_F64: return SS_H5_FLOAT;
  case SS_STATE8: return SS_H5_ENUM;
  case SS_EVENT_ROW:
  case SS_KNOWN_ROW: return SS_H5_COMPOUND;
  case SS_I64:
  case SS_I32:
  case SS_I8: break;
  }
  return SS_H5_INTEGER;
}

// Sizes of a data set as they should be; dims[0] is for the rows. Returns the rank.
static int expected_dims(const ss_run* run, ss_field f, uint64_t dims[SS_H5_RANK])
{
  ss_shape shape = ss_field_table[f].shape;
  dims[0] = 0;
  dims[1] = shape == SS_PER_CONTACT_NT ? (uint64_t)run->header.n_contact : (uint64_t)run->width[f];
  dims[2] = 2;
  return shape == SS_ONE ? 1 : shape == SS_PER_CONTACT_NT ? 3 : 2;
}

// The rows of a data set of the right type and shape; negative otherwise
static long long count_rows(const ss_run* run, ss_field f, uint64_t* room)
{
  ss_h5_set set;
  uint64_t right[SS_H5_RANK];
  int rank = expected_dims(run, f, right);
  if (!ss_h5_reader_set(run->file, ss_field_table[f].path, &set)) return -1;
  bool good = set.class == number_class(ss_field_table[f].number) && set.rank == rank;
  for (int i = 1; good && i < rank; i++) good = set.dims[i] == right[i];
  *room = set.room;
  return good && set.dims[0] < (uint64_t)1 << 40 ? (long long)set.dims[0] : -1;
}

// The rows of the table that a field belongs to
static long* rows_of(ss_run* run, ss_field f)
{
  long* const rows[] = {&run->info.n_rows, &run->info.n_events, &run->n_touch, &run->n_known, &run->n_arc};
  return rows[(f >= SS_FIELD_EVENTS) + (f >= SS_FIELD_TOUCH) + (f >= SS_FIELD_KNOWN) + (f >= SS_FIELD_ARC)];
}

static size_t row_size(const ss_run* run, ss_field f)
{
  return (size_t)run->width[f]*ss_number_size(ss_field_table[f].number);
}

static bool bad_dataset(const ss_run* run, ss_field f, ss_error* error)
{
  char what[64];
  snprintf(what, sizeof what, "data set '%s'", ss_field_table[f].path);
  return ss_run_damaged(run, error, what);
}

// Whether all of these rows can be in the file: what is promised is held against the bytes that are stored
static bool has_rows(ss_run* run, const uint64_t* room, ss_error* error)
{
  for (ss_field f = 0; f < SS_FIELD_COUNT; f++)
    if (run->width[f] && ss_field_stored(f, &run->header) &&
        (double)*rows_of(run, f)*(double)row_size(run, f) > (double)room[f])
      return bad_dataset(run, f, error);
  return run->n_known <= INT_MAX/16 || bad_dataset(run, SS_FIELD_KNOWN, error);
}

// Looks at all data sets. A killed writer may leave some longer than others: what all have counts. Early files have no
// memory, or one of another width, and not all of the others: these are left out then.
static bool open_datasets(ss_run* run, ss_error* error)
{
  uint64_t room[SS_FIELD_COUNT] = {0};
  bool listed = run->header.listed;
  run->info.n_rows = run->info.n_events = LONG_MAX;
  run->n_touch = run->n_known = listed ? LONG_MAX : 0;
  run->n_arc = LONG_MAX;
  for (ss_field f = 0; f < SS_FIELD_COUNT; f++) {
    run->width[f] = ss_field_width(f, &run->header);
    if (!ss_field_stored(f, &run->header)) continue;
    long long rows = count_rows(run, f, &room[f]);
    bool missing = rows < 0 && ss_field_is_later(f) && !ss_h5_reader_has(run->file, ss_field_table[f].path);
    if (missing || (f == SS_FIELD_MEMORY && rows < 0)) {
      run->width[f] = 0;
      continue;
    }
    if (rows < 0) return bad_dataset(run, f, error);
    if (rows < *rows_of(run, f)) *rows_of(run, f) = (long)rows;
  }
  if (!run->width[SS_FIELD_ARC] || !run->width[SS_FIELD_ARC_END]) {
    run->width[SS_FIELD_ARC] = run->width[SS_FIELD_ARC_END] = 0;
    run->n_arc = 0;
  }
  return has_rows(run, room, error);
}

static bool read_rows(const ss_run* run, ss_field f, long first, long count, void* out)
{
  uint64_t size[SS_H5_RANK];
  int rank = expected_dims(run, f, size);
  size[0] = (uint64_t)count;
  return ss_h5_reader_read(run->file, ss_field_table[f].path, ss_field_table[f].number, rank, (uint64_t)first, size,
                           out);
}

// The block of rows that holds the first of those asked for, if it can be read
static void fill_cache(ss_run* run, ss_field f, long first)
{
  cached* c = &run->cache[f];
  long per = (long)(CACHE_BYTES/row_size(run, f)), rows = *rows_of(run, f), from = first/per*per;
  if (!c->data) c->data = malloc(CACHE_BYTES);
  c->first = from;
  c->n = rows - from < per ? rows - from : per;
  if (!c->data || c->n < 1 || !read_rows(run, f, from, c->n, c->data)) c->n = 0;
}

static bool from_cache(ss_run* run, ss_field f, long first, long count, void* out)
{
  cached* c = &run->cache[f];
  size_t row = row_size(run, f);
  if (row*(size_t)count > CACHE_BYTES/4) return false;
  if (first < c->first || first >= c->first + c->n) fill_cache(run, f, first);
  if (first < c->first || first + count > c->first + c->n) return false;
  memcpy(out, (char*)c->data + (size_t)(first - c->first)*row, (size_t)count*row);
  return true;
}

// Forces of time-stepping: impulses by dt
static bool read_mean_forces(ss_run* run, ss_field f, long first, long count, double* out, ss_error* error)
{
  if (!ss_run_read(run, ss_field_impulse(f), first, count, out, error)) return false;
  for (long i = 0; i < count*run->width[f]; i++) out[i] /= run->header.run.step.dt;
  return true;
}

bool ss_run_read(ss_run* run, ss_field f, long first, long count, void* out, ss_error* error)
{
  if (!count || !run->width[f]) return true;
  if (!ss_field_stored(f, &run->header)) return read_mean_forces(run, f, first, count, out, error);
  if (from_cache(run, f, first, count, out) || read_rows(run, f, first, count, out)) return true;
  if (ss_h5_reader_failure(run->file, error) == SS_OK)
    ss_error_set(error, SS_ERR_FILE, "'%s' is damaged: data set '%s' in it cannot be read", run->path,
                 ss_field_table[f].path);
  return false;
}

// ---- contacts that come and go -------------------------------------------------------------------------------------

// Their names, kinds and keys
static bool read_known(ss_run* run, long n, ss_error* error)
{
  size_t most = (size_t)n + 1;
  ss_known_row* row = calloc(most, sizeof *row);
  char(*text)[sizeof row->name + 1] = own(run, calloc(most, sizeof *text));
  const char** name = own(run, calloc(most, sizeof *name));
  ss_contact_kind* kind = own(run, calloc(most, sizeof *kind));
  uint64_t* key = own(run, calloc(most, sizeof *key));
  bool good = row && text && name && kind && key;
  if (!good) ss_error_set(error, SS_ERR_MEMORY, "not enough memory for the %ld contacts of '%s'", n, run->path);
  good = good && ss_run_read(run, SS_FIELD_KNOWN, 0, n, row, error);
  for (long i = 0; good && i < n; i++) {
    good = ss_contact_kind_name(row[i].kind) || ss_run_damaged(run, error, "the kind of a contact");
    memcpy(text[i], row[i].name, sizeof row[i].name);
    name[i] = text[i];
    kind[i] = (ss_contact_kind)row[i].kind;
    key[i] = row[i].key;
  }
  free(row);
  run->info.contact = name;
  run->info.contact_kind = kind;
  run->info.contact_key = key;
  run->info.n_contact = (int)n;
  return good;
}

// The rows of a table that belong to a row, by the field of their ends
static bool range_of(ss_run* run, ss_field ends, long row, long* first, long* end, ss_error* error)
{
  int64_t at[2] = {0, 0};
  if (!ss_run_read(run, ends, row ? row - 1 : 0, row ? 2 : 1, row ? at : at + 1, error)) return false;
  *first = (long)at[0];
  *end = (long)at[1];
  return (at[0] >= 0 && at[0] <= at[1]) || bad_dataset(run, ends, error);
}

bool ss_run_touch_range(ss_run* run, long row, long* first, long* end, ss_error* error)
{
  return range_of(run, SS_FIELD_TOUCH_END, row, first, end, error);
}

// Rows whose contacts and memories are in the file. They all are, unless the file lost its end.
static bool count_whole_rows(ss_run* run, ss_error* error)
{
  long first, end, arc_end = 0;
  while (run->info.n_rows) {
    long last = run->info.n_rows - 1;
    if (!range_of(run, SS_FIELD_TOUCH_END, last, &first, &end, error)) return false;
    if (run->width[SS_FIELD_ARC] && !range_of(run, SS_FIELD_ARC_END, last, &first, &arc_end, error)) return false;
    if (end <= run->n_touch && arc_end <= run->n_arc) return true;
    run->info.n_rows--;
  }
  return true;
}

// The states of all contacts in a row: open where they are not listed
static bool read_listed_states(ss_run* run, long row, ss_contact_state* state, ss_error* error)
{
  long first, end;
  int n = run->info.n_contact;
  for (int i = 0; i < n; i++) state[i] = SS_OPEN;
  if (!ss_run_touch_range(run, row, &first, &end, error)) return false;
  size_t most = (size_t)(end - first) + 1;
  int32_t* contact = malloc(most*sizeof *contact);
  int8_t* stored = malloc(most);
  bool good = contact && stored;
  if (!good) ss_error_set(error, SS_ERR_MEMORY, "out of memory");
  good = good && ss_run_read(run, SS_FIELD_TOUCH, first, end - first, contact, error) &&
         ss_run_read(run, SS_FIELD_TOUCH_STATE, first, end - first, stored, error);
  for (long i = 0; good && i < end - first; i++) {
    good = (contact[i] >= 0 && contact[i] < n && stored[i] >= 0 && stored[i] <= SS_SLIP) ||
           ss_run_damaged(run, error, "a contact state");
    if (good) state[contact[i]] = (ss_contact_state)stored[i];
  }
  free(contact);
  free(stored);
  return good;
}

// ---- quantities by name --------------------------------------------------------------------------------------------

// What can be asked of a listed contact, by its kind: friction elements have one direction, T, which stands as T1
static const struct { ss_field field; int index; const char *spatial, *normal, *friction; } of_listed[] = {
  {SS_FIELD_TOUCH_GAP, 0, "gap", "gap", NULL},          {SS_FIELD_TOUCH_STATE, 0, "state", "state", "state"},
  {SS_FIELD_TOUCH_LAMBDA, 0, "Lambda_N", "Lambda_N", NULL}, {SS_FIELD_TOUCH_LAMBDA, 1, "Lambda_T1", NULL, "Lambda_T"},
  {SS_FIELD_TOUCH_LAMBDA, 2, "Lambda_T2", NULL, NULL},  {SS_FIELD_TOUCH_FORCE, 0, "F_N", "F_N", NULL},
  {SS_FIELD_TOUCH_FORCE, 1, "F_T1", NULL, "F_T"},       {SS_FIELD_TOUCH_FORCE, 2, "F_T2", NULL, NULL},
  {SS_FIELD_TOUCH_GAMMA, 0, "gamma_N", "gamma_N", NULL},
  {SS_FIELD_TOUCH_GAMMA, 1, "gamma_T1", NULL, "gamma_T"}, {SS_FIELD_TOUCH_GAMMA, 2, "gamma_T2", NULL, NULL},
  {SS_FIELD_TOUCH_LAMBDA_1, 0, "Lambda_1_N", "Lambda_1_N", NULL},
  {SS_FIELD_TOUCH_LAMBDA_1, 1, "Lambda_1_T1", NULL, "Lambda_1_T"},
  {SS_FIELD_TOUCH_LAMBDA_1, 2, "Lambda_1_T2", NULL, NULL},
  {SS_FIELD_TOUCH_POINT, 0, "point_x", NULL, NULL},     {SS_FIELD_TOUCH_POINT, 1, "point_y", NULL, NULL},
  {SS_FIELD_TOUCH_POINT, 2, "point_z", NULL, NULL},
};
enum { OF_LISTED = sizeof of_listed/sizeof *of_listed };

static const char* word_of(const ss_run* run, int i, int contact)
{
  ss_contact_kind kind = run->info.contact_kind[contact];
  return kind == SS_CONTACT_NORMAL ? of_listed[i].normal : kind == SS_CONTACT_FRICTION ? of_listed[i].friction
                                                                                    : of_listed[i].spatial;
}

static void name_listed(const ss_run* run, quantity k, ss_text* name)
{
  int i = 0;
  while (of_listed[i].field != k.field || of_listed[i].index != k.index) i++;
  ss_text_append(name, "%s.%s", word_of(run, i, k.contact), run->info.contact[k.contact]);
}

// Their quantities, behind those of the others
static void add_listed(ss_run* run)
{
  for (int c = 0; run->header.listed && c < run->info.n_contact; c++)
    for (int i = 0; i < OF_LISTED; i++)
      if (word_of(run, i, c) && run->width[of_listed[i].field])
        run->quantity[run->n_quantity++] = (quantity){of_listed[i].field, of_listed[i].index, c};
}

// "q" of a coordinate and so on; a name and a unit that the caller frees
static void name_quantity(const ss_run* run, quantity k, char** name, char** unit)
{
  const ss_record_header* h = &run->header;
  const ss_field_def* def = &ss_field_table[k.field];
  ss_text n = {0}, u = {0};
  char component = k.index%2 ? 'T' : 'N';
  const char* symbol = k.field == SS_FIELD_GAMMA ? "gamma" : ss_field_is_first_stage(k.field) ? "Lambda_1"
                       : ss_field_impulse(k.field) == k.field ? "Lambda" : "F";
  ss_text_append(&u, "%s", def->unit);
  if (k.field >= SS_FIELD_TOUCH) {
    name_listed(run, k, &n);
    *name = n.data;
    *unit = u.data;
    return;
  }
  switch (def->shape) {
  case SS_ONE:
    ss_text_append(&n, "%s", def->path);
    for (char* c = n.data; c && *c; c++) if (*c == '/') *c = '.';
    break;
  case SS_PER_COORDINATE:
    ss_text_append(&n, "%s", h->coordinate[k.index]);
    ss_text_append(&u, "%s", h->unit[k.index]);
    break;
  case SS_PER_VELOCITY:
    ss_text_append(&n, "u_%s", h->velocity[k.index]);
    if (h->listed) ss_text_append(&u, "%s", h->velocity_unit[k.index]);
    else ss_text_append(&u, "%s%s", h->unit[k.index], h->unit[k.index][0] ? "/s" : "");
    break;
  case SS_PER_CONTACT: ss_text_append(&n, "%s.%s", def->path, h->contact[k.index].name); break;
  case SS_PER_CONTACT_NT: ss_text_append(&n, "%s_%c.%s", symbol, component, h->contact[k.index/2].name); break;
  case SS_PER_BILATERAL: ss_text_append(&n, "%s.%s", symbol, h->bilateral[k.index]); break;
  case SS_PER_SENSOR:
    ss_text_append(&n, "sensor.%s", h->sensor[k.index]);
    ss_text_append(&u, "%s", h->sensor_unit[k.index]);
    break;
  case SS_PER_MEMORY:
  case SS_TWO:
  case SS_THREE:
  case SS_NINE: break;  // have no names
  }
  *name = n.data;
  *unit = u.data;
}

// A frictionless contact has no tangential row, a friction element neither gap nor normal row. Those columns are zero;
// they can be asked for, but are not listed.
static bool has_meaning(const ss_run* run, quantity k)
{
  switch (ss_field_table[k.field].shape) {
  case SS_PER_CONTACT:
    return k.field != SS_FIELD_GAP || run->header.contact[k.index].kind != SS_CONTACT_FRICTION;
  case SS_PER_CONTACT_NT:
    return run->header.contact[k.index/2].kind != (k.index%2 ? SS_CONTACT_NORMAL : SS_CONTACT_FRICTION);
  case SS_ONE:
  case SS_PER_COORDINATE:
  case SS_PER_VELOCITY:
  case SS_PER_MEMORY:
  case SS_PER_SENSOR:
  case SS_TWO:
  case SS_THREE:
  case SS_NINE:
  case SS_PER_BILATERAL: break;
  }
  return true;
}

// Coordinates before other fields, so that one named "step" or "residual" is found as itself; t, which no coordinate
// can be named, first
static ss_field in_order(int i)
{
  static const ss_field early[] = {SS_FIELD_T, SS_FIELD_Q, SS_FIELD_U, SS_FIELD_STEP};
  return i < 4 ? early[i] : (ss_field)i;
}

static bool list_quantities(ss_run* run)
{
  size_t n = 0;
  for (int f = 0; f < SS_FIELD_EVENTS; f++) n += (size_t)run->width[f];
  if (run->header.listed) n += OF_LISTED*(size_t)run->info.n_contact;
  run->quantity = calloc(n, sizeof *run->quantity);
  run->name = calloc(n, sizeof *run->name);
  run->unit = calloc(n, sizeof *run->unit);
  run->column = calloc(n, sizeof *run->column);
  if (!run->quantity || !run->name || !run->unit || !run->column) return false;
  for (int meaning = 1; meaning >= 0; meaning--) {
    for (int i = 0; i < SS_FIELD_EVENTS; i++) {
      ss_field f = in_order(i);
      if (f == SS_FIELD_MEMORY || f == SS_FIELD_TOUCH_END || f == SS_FIELD_KNOWN_END || f == SS_FIELD_ARC_END)
        continue;  // no quantities
      for (int c = 0; c < run->width[f]; c++) {
        quantity k = {f, c, -1};
        if (has_meaning(run, k) != meaning) continue;
        run->quantity[run->n_quantity++] = k;
      }
    }
    if (meaning) add_listed(run);
    if (meaning) run->n_listed = run->n_quantity;
  }
  for (int i = 0; i < run->n_quantity; i++) {
    name_quantity(run, run->quantity[i], &run->name[i], &run->unit[i]);
    if (!run->name[i] || !run->unit[i]) return false;
  }
  return true;
}

static int find_quantity(const ss_run* run, const char* name)
{
  for (int i = 0; i < run->n_quantity; i++) if (strcmp(run->name[i], name) == 0) return i;
  return -1;
}

static double to_double(ss_number number, const void* block, size_t i)
{
  switch (number) {
  case SS_I64: return (double)((const int64_t*)block)[i];
  case SS_I32: return ((const int32_t*)block)[i];
  case SS_I8:
  case SS_STATE8: return ((const int8_t*)block)[i];
  case SS_F64:
  case SS_KNOWN_ROW:
  case SS_EVENT_ROW: break;
  }
  return ((const double*)block)[i];
}

// A whole field, transposed: its columns one after the other. NULL and *error on failure.
static double* load(ss_run* run, ss_field f, ss_error* error)
{
  if (run->data[f]) return run->data[f];
  size_t n = (size_t)(f < SS_FIELD_EVENTS ? run->info.n_rows : f < SS_FIELD_TOUCH ? run->info.n_events : run->n_touch);
  size_t width = (size_t)run->width[f];
  ss_number number = ss_field_table[f].number;
  double* data = width && n > SIZE_MAX/sizeof(double)/width ? NULL : malloc(n*width*sizeof *data + 1);
  void* block = malloc(BLOCK_ROWS*width*ss_number_size(number) + 1);
  bool good = data && block;
  if (!good) ss_error_set(error, SS_ERR_MEMORY, "not enough memory for the %zu rows of '%s'", n, run->path);
  for (size_t row = 0; good && row < n; row += BLOCK_ROWS) {
    size_t part = n - row < BLOCK_ROWS ? n - row : BLOCK_ROWS;
    good = ss_run_read(run, f, (long)row, (long)part, block, error);
    for (size_t i = 0; good && i < part; i++)
      for (size_t c = 0; c < width; c++) data[c*n + row + i] = to_double(number, block, i*width + c);
  }
  free(block);
  if (!good) { free(data); return NULL; }
  return run->data[f] = data;
}

// "no quantity 'X' in ...; did you mean 'x'? There are t, x, ..."
static void unknown(const ss_run* run, const char* name, ss_error* error)
{
  ss_text t = {0};
  if (!error) return;  // nobody reads it; some ask again and again
  const char* near = ss_suggest(name, (const char* const*)run->name, run->n_quantity);
  ss_text_append(&t, "no quantity '%s' in '%s'", name, run->path);
  if (near) ss_text_append(&t, "; did you mean '%s'?", near);
  ss_text_append(&t, "%s there are", near ? "" : ";");
  for (int i = 0; i < run->n_listed; i++) ss_text_append(&t, "%s %s", i ? "," : "", run->name[i]);
  ss_error_set(error, SS_ERR_INPUT, "%s", t.failed ? "no such quantity" : t.data);
  ss_text_free(&t);
}

// A quantity of a contact that comes and goes, in all rows. NULL and *error on failure.
static const double* listed_column(ss_run* run, int q, ss_error* error)
{
  quantity k = run->quantity[q];
  if (run->column[q]) return run->column[q];
  const double* end = load(run, SS_FIELD_TOUCH_END, error);
  const double* contact = end ? load(run, SS_FIELD_TOUCH, error) : NULL;
  const double* value = contact ? load(run, k.field, error) : NULL;
  if (!value) return NULL;
  double missing = k.field == SS_FIELD_TOUCH_GAP || k.field == SS_FIELD_TOUCH_POINT ? NAN : 0;
  double* out = malloc((size_t)run->info.n_rows*sizeof *out + 1);
  if (!out) { ss_error_set(error, SS_ERR_MEMORY, "out of memory"); return NULL; }
  for (long row = 0, i = 0; row < run->info.n_rows; row++) {
    out[row] = missing;
    if (!(end[row] >= (double)i && end[row] <= (double)run->n_touch)) {
      free(out);
      ss_run_damaged(run, error, "data set 'touch_end'");
      return NULL;
    }
    for (; (double)i < end[row]; i++)
      if (contact[i] == k.contact) out[row] = value[(long)k.index*run->n_touch + i];
  }
  return run->column[q] = out;
}

const double* ss_run_column(ss_run* run, const char* name, ss_error* error)
{
  if (!run || !name) {
    ss_error_null(error, "the run or the name");
    return NULL;
  }
  int i = find_quantity(run, name);
  if (i < 0) { unknown(run, name, error); return NULL; }
  if (run->quantity[i].field >= SS_FIELD_TOUCH) return listed_column(run, i, error);
  double* data = load(run, run->quantity[i].field, error);
  return data ? data + (size_t)run->quantity[i].index*(size_t)run->info.n_rows : NULL;
}

const char* ss_run_unit(const ss_run* run, const char* name)
{
  if (!run || !name) return "";
  int i = find_quantity(run, name);
  return i < 0 ? "" : run->unit[i];
}

const char* const* ss_run_columns(ss_run* run, int* n)
{
  if (!run || !n) return NULL;
  *n = run->n_listed;
  return (const char* const*)run->name;
}

// ---- opening and closing -------------------------------------------------------------------------------------------

static void fill_info(ss_run* run)
{
  const ss_record_header* h = &run->header;
  ss_run_info* i = &run->info;
  i->model_name = h->model_name;
  i->model_text = h->model_text;
  i->n_override = h->n_override;
  i->override = h->override;
  i->run = h->run;
  i->listed = h->listed;
  i->nq = h->nq;
  i->nv = h->nv;
  if (!h->listed) i->n_contact = h->n_contact;
  i->velocity = h->velocity;
  i->velocity_unit = h->velocity_unit;
  i->n_bilateral = h->n_bilateral;
  i->coordinate = h->coordinate;
  i->unit = h->unit;
  i->bilateral = h->bilateral;
  i->n_sensor = h->n_sensor;
  i->sensor = h->sensor;
}

void ss_run_close(ss_run* run)
{
  if (!run) return;
  ss_h5_reader_close(run->file);
  for (int f = 0; f < SS_FIELD_COUNT; f++) { free(run->data[f]); free(run->cache[f].data); }
  for (int i = 0; i < run->n_quantity; i++) { free(run->name[i]); free(run->unit[i]); free(run->column[i]); }
  for (int i = 0; i < run->n_owned; i++) free(run->owned[i]);
  free(run->quantity);
  free(run->column);
  free(run->name);
  free(run->unit);
  free(run->event);
  free(run->drift);
  free(run->block.item);
  free(run->path);
  free(run);
}

ss_run* ss_run_open(const char* path, ss_error* error)
{
  if (!path) {
    ss_error_null(error, "the path");
    return NULL;
  }
  ss_run* run = calloc(1, sizeof *run);
  if (run) run->path = ss_strdup(path);
  if (!run || !run->path) {
    free(run);
    ss_error_set(error, SS_ERR_MEMORY, "out of memory");
    return NULL;
  }
  run->file = ss_h5_reader_open(path, "a run file", NULL, error);
  bool good = run->file && read_header(run, error) && open_datasets(run, error);
  if (good && run->header.listed) good = read_known(run, run->n_known, error) && count_whole_rows(run, error);
  if (good) fill_info(run);
  good = good && ss_run_check(run, run->n_touch, run->n_arc, error);
  if (good && !list_quantities(run)) {
    ss_error_set(error, SS_ERR_MEMORY, "out of memory");
    good = false;
  }
  if (!good) { ss_run_close(run); return NULL; }
  return run;
}

const ss_run_info* ss_run_get_info(const ss_run* run) { return run ? &run->info : NULL; }

const ss_record_header* ss_run_get_header(const ss_run* run) { return &run->header; }
const char* ss_run_path(const ss_run* run) { return run->path; }
bool ss_run_has(const ss_run* run, ss_field f) { return run->width[f] > 0; }

ss_run_block* ss_run_get_block(ss_run* run) { return &run->block; }

// ---- events and the last row ---------------------------------------------------------------------------------------

static bool valid_event(const ss_run* run, const ss_event_row* e)
{
  return e->contact >= 0 && e->contact < run->info.n_contact && e->kind >= 0 && e->kind < SS_EVENT_KINDS &&
         e->state >= 0 && e->state <= SS_SLIP && e->state_before >= 0 && e->state_before <= SS_SLIP;
}

static ss_event to_event(const ss_event_row* e)
{
  return (ss_event){
    .t = e->t,
    .step = (long)e->step,
    .contact = e->contact,
    .kind = (ss_event_kind)e->kind,
    .state_before = (ss_contact_state)e->state_before,
    .state = (ss_contact_state)e->state,
    .gamma_before = {e->gamma_before_N, e->gamma_before_T},
    .gamma_after = {e->gamma_after_N, e->gamma_after_T},
    .Lambda = {e->Lambda_N, e->Lambda_T},
    .Lambda_C = {e->Lambda_C_N, e->Lambda_C_T},
    .energy_before = e->energy_before,
    .energy_after = e->energy_after,
    .solutions = e->solutions,
    .count = (long)e->count,
  };
}

// Unlike columns, row by row as in the file
static const double* load_rows(ss_run* run, ss_field f, ss_error* error)
{
  if (run->data[f]) return run->data[f];
  size_t n = (size_t)run->info.n_events, width = (size_t)run->width[f];
  double* data = malloc(n*width*sizeof *data + 1);
  if (!data) ss_error_set(error, SS_ERR_MEMORY, "not enough memory for the %zu events of '%s'", n, run->path);
  else if (ss_run_read(run, f, 0, (long)n, data, error)) return run->data[f] = data;
  free(data);
  return NULL;
}

static bool load_events(ss_run* run, ss_error* error)
{
  if (run->event) return true;
  size_t n = (size_t)run->info.n_events;
  ss_event_row* row = malloc(n*sizeof *row + 1);
  ss_event* event = malloc(n*sizeof *event + 1);
  bool good = row && event;
  if (!good) ss_error_set(error, SS_ERR_MEMORY, "not enough memory for the %zu events of '%s'", n, run->path);
  good = good && ss_run_read(run, SS_FIELD_EVENTS, 0, (long)n, row, error);
  for (size_t i = 0; good && i < n; i++) {
    good = valid_event(run, &row[i]) || ss_run_damaged(run, error, "an event");
    event[i] = to_event(&row[i]);
  }
  const double* T2 = good && run->header.listed ? load_rows(run, SS_FIELD_EVENTS_T2, error) : NULL;
  good = good && (T2 || !run->header.listed);
  for (size_t i = 0; T2 && i < n; i++) {
    event[i].gamma_before[2] = T2[3*i];
    event[i].gamma_after[2] = T2[3*i + 1];
    event[i].Lambda[2] = T2[3*i + 2];
  }
  free(row);
  if (good) run->event = event;
  else free(event);
  return good;
}

const ss_event* ss_run_events(ss_run* run, const double** q, const double** u, ss_error* error)
{
  if (!run) {
    ss_error_null(error, "the run");
    return NULL;
  }
  if (!load_events(run, error)) return NULL;
  const double* events_q = q ? load_rows(run, SS_FIELD_EVENTS_Q, error) : NULL;
  const double* events_u = u ? load_rows(run, SS_FIELD_EVENTS_U, error) : NULL;
  if ((q && !events_q) || (u && !events_u)) return NULL;
  if (q) *q = events_q;
  if (u) *u = events_u;
  return run->event;
}


static bool get(ss_run* run, long row, ss_field f, void* out, ss_error* error)
{
  return ss_run_read(run, f, row, 1, out, error);
}

static bool read_energy(ss_run* run, long row, ss_energy_ledger* e, ss_error* error)
{
  return get(run, row, SS_FIELD_KINETIC, &e->kinetic, error) &&
         get(run, row, SS_FIELD_POTENTIAL, &e->potential, error) &&
         get(run, row, SS_FIELD_WORK_FORCES, &e->work_forces, error) &&
         get(run, row, SS_FIELD_WORK_DRIVE, &e->work_drive, error) &&
         get(run, row, SS_FIELD_LOSS_NORMAL, &e->loss_normal, error) &&
         get(run, row, SS_FIELD_LOSS_FRICTION, &e->loss_friction, error) &&
         get(run, row, SS_FIELD_WORK_PROJECTION, &e->work_projection, error) &&
         get(run, row, SS_FIELD_DEFECT, &e->defect, error);
}

static bool read_counts(ss_run* run, long row, ss_ledger_counts* c, ss_error* error)
{
  int64_t n[5], in_parts = 0, forces = 0, motions = 0, as_found = 0, not_examined = 0;
  for (int i = 0; i < 5; i++) if (!get(run, row, (ss_field)(SS_FIELD_STEPS + i), &n[i], error)) return false;
  if (run->header.listed && !get(run, row, SS_FIELD_IN_PARTS, &in_parts, error)) return false;
  if (!get(run, row, SS_FIELD_SEVERAL_FORCES, &forces, error)) return false;
  if (!get(run, row, SS_FIELD_SEVERAL_MOTIONS, &motions, error)) return false;
  if (!get(run, row, SS_FIELD_AS_FOUND, &as_found, error)) return false;
  if (!get(run, row, SS_FIELD_NOT_EXAMINED, &not_examined, error)) return false;
  *c = (ss_ledger_counts){.steps = (long)n[0], .events = (long)n[1], .impacts = (long)n[2], .not_solved = (long)n[3],
                          .energy_gain = (long)n[4], .in_parts = (long)in_parts,
                          .several_forces = (long)forces, .several_motions = (long)motions,
                          .as_found = (long)as_found, .not_examined = (long)not_examined};
  return get(run, row, SS_FIELD_MAX_RESIDUAL, &c->max_residual, error) &&
         get(run, row, SS_FIELD_MAX_PENETRATION, &c->max_penetration, error) &&
         get(run, row, SS_FIELD_MAX_LIMIT_ERROR, &c->max_limit_error, error) &&
         get(run, row, SS_FIELD_MAX_CONSTRAINT_ERROR, &c->max_constraint_error, error);
}

static bool read_states(ss_run* run, long row, ss_contact_state* state, ss_error* error)
{
  if (run->header.listed) return read_listed_states(run, row, state, error);
  int8_t* stored = malloc((size_t)run->header.n_contact + 1);
  if (!stored) { ss_error_set(error, SS_ERR_MEMORY, "out of memory"); return false; }
  bool good = get(run, row, SS_FIELD_STATE, stored, error);
  for (int i = 0; good && i < run->header.n_contact; i++) {
    good = (stored[i] >= 0 && stored[i] <= SS_SLIP) || ss_run_damaged(run, error, "a contact state");
    if (good) state[i] = (ss_contact_state)stored[i];
  }
  free(stored);
  return good;
}

// The memory of a row where contacts come and go; none from a file that has none
static bool read_arc(ss_run* run, long row, ss_state* state, ss_error* error)
{
  long first = 0, end = 0;
  if (run->width[SS_FIELD_ARC] && !range_of(run, SS_FIELD_ARC_END, row, &first, &end, error)) return false;
  if (end - first > INT_MAX/16) return bad_dataset(run, SS_FIELD_ARC_END, error);
  if (!ss_state_reserve_memory(state, (int)(end - first))) {
    ss_error_set(error, SS_ERR_MEMORY, "out of memory");
    return false;
  }
  return ss_run_read(run, SS_FIELD_ARC, first, end - first, state->memory, error);
}

// What an event-driven run needs besides; zeros from a file that has no memory
static bool read_memory(ss_run* run, long row, ss_state* state, ss_error* error)
{
  int n = run->width[SS_FIELD_MEMORY];
  if (run->header.listed) return read_arc(run, row, state, error);
  for (int i = 0; i < state->n_memory; i++) state->memory[i] = 0;
  return n != state->n_memory || get(run, row, SS_FIELD_MEMORY, state->memory, error);
}

// Impulses that the next solve starts from: those of the row itself, where contacts come and go
static bool read_impulses(ss_run* run, long row, ss_state* state, ss_error* error)
{
  const ss_run_contact* list;
  state->n_impulse = 0;
  if (!run->header.listed) return true;
  int n = ss_run_contacts(run, row, &list, error);
  if (n < 0) return false;
  if (!ss_state_reserve(state, n)) {
    ss_error_set(error, SS_ERR_MEMORY, "out of memory");
    return false;
  }
  for (int i = 0; i < n; i++) {
    const double* Lambda = list[i].Lambda;
    if (Lambda[0] == 0 && Lambda[1] == 0 && Lambda[2] == 0) continue;
    ss_contact_item item = {.key = run->info.contact_key[list[i].contact]};
    memcpy(item.point, list[i].point, sizeof item.point);
    memcpy(item.frame, list[i].frame, sizeof item.frame);
    state->impulse[state->n_impulse++] = ss_impulse_of(&item, Lambda, list[i].state);
  }
  return true;
}

int ss_run_contacts_at(ss_run* run, long row, ss_error* error)
{
  if (!run) return ss_error_null(error, "the run");
  int64_t n = 0;
  if (!run->header.listed) return run->info.n_contact;
  if (row < 0 || row >= run->info.n_rows) {
    ss_error_set(error, SS_ERR_ARGUMENT, "'%s' has no row %ld", run->path, row);
    return -1;
  }
  if (!get(run, row, SS_FIELD_KNOWN_END, &n, error)) return -1;
  if (n >= 0 && n <= run->info.n_contact) return (int)n;
  ss_run_damaged(run, error, "data set 'contacts_end'");
  return -1;
}

ss_status ss_run_motion(ss_run* run, long row, ss_state* state, ss_error* error)
{
  if (!run || !state) return ss_error_null(error, "the run or the state");
  int64_t step = 0;
  if (row < 0 || row >= run->info.n_rows)
    return ss_error_set(error, SS_ERR_FILE, "'%s' has %ld rows, and none number %ld", run->path, run->info.n_rows, row);
  if (state->nv != run->header.nv || (run->header.listed && state->nq != run->header.nq))
    return ss_error_set(error, SS_ERR_ARGUMENT, "'%s' has %d coordinates, the state %d", run->path, run->header.nv,
                        state->nv);
  if (!get(run, row, SS_FIELD_T, &state->t, error) || !get(run, row, SS_FIELD_STEP, &step, error) ||
      !get(run, row, SS_FIELD_Q, state->q, error) || !get(run, row, SS_FIELD_U, state->u, error))
    return SS_ERR_FILE;
  state->step = (long)step;
  return SS_OK;
}

ss_status ss_run_row(ss_run* run, long row, ss_state* state, ss_contact_state* contact_state, ss_energy_ledger* energy,
                     ss_ledger_counts* counts, ss_error* error)
{
  if (!run || !state || !contact_state || !energy || !counts)
    return ss_error_null(error, "the run, the state, or a place for the rest");
  ss_status st = ss_run_motion(run, row, state, error);
  if (st < 0) return st;
  if (!read_states(run, row, contact_state, error) || !read_energy(run, row, energy, error) ||
      !read_counts(run, row, counts, error) || !read_memory(run, row, state, error) ||
      !read_impulses(run, row, state, error))
    return SS_ERR_FILE;
  const ss_run_def* def = &run->header.run;
  state->t_step = def->start + (double)state->step*def->step.dt;
  state->has_mode = def->step.integrator == SS_EVENT_DRIVEN && row > 0;
  for (int i = 0; row > 0 && i < state->n_contact; i++) state->mode[i] = contact_state[i];
  return SS_OK;
}

ss_status ss_run_last(ss_run* run, ss_state* state, ss_contact_state* contact_state, ss_energy_ledger* energy,
                      ss_ledger_counts* counts, ss_error* error)
{
  if (!run) return ss_error_null(error, "the run");
  if (!run->info.n_rows) return ss_error_set(error, SS_ERR_FILE, "'%s' has no rows", run->path);
  return ss_run_row(run, run->info.n_rows - 1, state, contact_state, energy, counts, error);
}

// Whether an event of the run has this time
static bool has_event(ss_run* run, double t, bool* found, ss_error* error)
{
  *found = false;
  if (run->info.n_events && !load_events(run, error)) return false;
  for (long i = run->info.n_events - 1; i >= 0 && run->event[i].t >= t && !*found; i--) *found = run->event[i].t == t;
  return true;
}

// Where the last step of an event-driven run begins that is shorter than the others: steps of the arc in it were cut to
// fit. INFINITY if there is none.
static double shorter_step(const ss_run_def* def)
{
  double dt = def->step.dt, whole = def->start + floor((def->until - def->start)/dt + 1e-9)*dt;
  return def->step.integrator == SS_EVENT_DRIVEN && def->until > whole + 1e-9*dt ? whole : INFINITY;
}

// Whether a run in one go would not have recorded this row
static bool is_off(ss_run* run, long row, bool* off, ss_error* error)
{
  const ss_run_def* def = &run->header.run;
  int64_t step = 0;
  double t = 0;
  bool event;
  if (!get(run, row, SS_FIELD_STEP, &step, error) || !get(run, row, SS_FIELD_T, &t, error)) return false;
  *off = def->every > 0 && step%def->every;
  if (!ss_run_is_between(def, (long)step, t)) return true;
  if (!has_event(run, t, &event, error)) return false;
  *off = !event;
  return true;
}

// The last row, up to this one, that has what the integrator remembers and that a run in one go has too. 0: none, which
// is as good, since nothing was to be remembered there. Negative and *error if that cannot be read.
static long last_remembered(ss_run* run, long row, ss_error* error)
{
  for (; row > 0; row--) {
    long first, end;
    bool off;
    if (!range_of(run, SS_FIELD_ARC_END, row, &first, &end, error)) return -2;
    if (end == first) continue;
    if (!is_off(run, row, &off, error)) return -2;
    if (!off) break;
  }
  return row;
}

long ss_run_resume_row(ss_run* run, long* n_rows, ss_error* error)
{
  if (!run || !n_rows) {
    ss_error_null(error, "the run or the number of rows");
    return -2;
  }
  const ss_run_def* def = &run->header.run;
  long last = run->info.n_rows - 1;
  bool off;
  *n_rows = last + 1;
  if (last < 1) return last;
  const double* t = load(run, SS_FIELD_T, error);
  if (!t) return -2;
  double shorter = shorter_step(def) + 1e-9*def->step.dt;
  const double* side = run->width[SS_FIELD_SIDE] ? load(run, SS_FIELD_SIDE, error) : NULL;
  if (run->width[SS_FIELD_SIDE] && !side) return -2;
  while (last > 0 && (t[last] > shorter || (side && side[last] < 0))) last--;  // nothing goes on from before an event
  if (run->width[SS_FIELD_ARC]) last = last_remembered(run, last, error);
  *n_rows = last + 1;
  if (last < 0 || !is_off(run, last, &off, error)) return -2;
  if (off && last > 0) *n_rows = last;
  return last;
}

bool ss_event_is_past(const ss_event* event, long step, double t)
{
  return event && event->step <= step && event->t <= t;
}

bool ss_run_is_between(const ss_run_def* run, long step, double t)
{
  if (!run) return false;
  double full = run->start + (double)step*run->step.dt;
  return run->step.integrator == SS_EVENT_DRIVEN && fabs(t - full) > 1e-9*run->step.dt;
}

bool ss_run_cycle(ss_run* run, double t_from, double t_to, int contact, ss_event_kind kind, ss_cycle* cycle,
                  ss_error* error)
{
  if (!run || !cycle) {
    ss_error_null(error, "the run or the cycle");
    return false;
  }
  const double* q;
  const ss_event* event = ss_run_events(run, &q, NULL, error);
  if (!event) return false;
  if (!run->drift) run->drift = calloc((size_t)run->header.nq + 1, sizeof(double));
  if (!run->drift) { ss_error_set(error, SS_ERR_MEMORY, "out of memory"); return false; }
  cycle->drift = run->drift;
  if (ss_cycle_find(event, run->info.n_events, q, run->header.nq, t_from, t_to, contact, kind, cycle)) return true;
  ss_error_set(error, SS_OK, "no event of '%s' returns regularly from t = %g to %g s", run->path, t_from, t_to);
  return false;
}
