// The writer of run files. Rows are collected in plain arrays, one chunk of each data set at a time.
//
// A file must be readable whatever happens to the writer, at any moment. Three things see to that:
// - It is made under another name and takes its place only when all of its structure is on disk and HDF5's mode for one
//   writer and many readers (SWMR) is on: from then on HDF5 writes data before the index that points to them, and the
//   index before the length of the data set.
// - A chunk that is not full yet is written as it is, unpacked, and later over itself: rows that are in the file are
//   only ever replaced by the same bytes. When it is full it is packed to another place, and the index, in one write,
//   says where and how. (HDF5's own way, to compress a chunk anew whenever a few rows were added, leaves a dead copy
//   behind each time, and its filters cost five times as much.)
// - Events are written, and their index too, before rows that come after them: no row is in the file whose events are
//   not, so that a run can go on from its last row. The same holds for what the rows say of contacts that come and go,
//   and for the list of these contacts.
// A failed write counts as the last one (h5_driver.c): the file stays as after a kill.
#include "io/atomic.h"
#include "base/number.h"
#include "integrate/known.h"
#include "io/h5.h"
#include "io/h5_reader.h"
#include "io/pack.h"
#include "io/record_laws.h"
#include "io/run_schema.h"
#include "base/text.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { CHUNK_ROWS = 4096, CHUNK_EVENTS = 512, CHUNK_KNOWN = 64, CHUNK_ARC = 8192, CHUNK_ROWS_MIN = 16 };
enum { CHUNK_BYTES_MAX = 4 << 20 };
enum { STATUS_ROOM = 600 };  // bytes for how a run ended: the longest text of an ss_error, and some more
enum { UNPACKED = 3 };                     // filters skipped: bit 0 shuffle, bit 1 deflate
// The first flush comes early, for short runs; then the time between them doubles up to the longest.
static const double flush_first = 0.02, flush_longest = 0.5;  // s

typedef struct column {
  hid_t dataset;
  bool there;       // else all is zero
  size_t size;      // bytes of a number
  int width;        // numbers in a row
  uint8_t* buffer;  // the rows of the current chunk
} column;

// Data sets that grow together: `first` to before `end` of the field table
typedef struct table {
  ss_field first, end;
  int chunk;     // rows per chunk
  long rows;     // in all
  long written;  // of these given to HDF5
} table;

struct ss_record {
  char* path;
  char* temporary;  // the name it has until it is ready; NULL afterwards
  hid_t file;
  int lock;
  bool listed;
  ss_record_limits limits;   // what rows may have
  ss_contact_def* law;       // n_contact: copies, with their names; NULL: not known
  int nq, nv, n_contact, n_bilateral;
  column column[SS_FIELD_COUNT];
  table known, touch, arc, events, steps;  // in the order in which they must be in the file
  uint8_t *memory, *shuffled, *packed;
  ss_pack_codes codes;
  double last_flush, flush_interval;  // s
  int failure;    // errno of the first failed write
  bool broken;    // something failed: nothing more is written
  bool gone;      // it was deleted or replaced
  bool ending;    // no more rows will come
  long without_memory;  // rows since the last one with what the integrator remembers; see add_memory()
  long safe;      // rows on disk for certain
  double safe_t;  // time of the last of them
  double last_t;
};

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9*(double)t.tv_nsec;
}

// Fills *error with what failed and what is safe
static ss_status say_broken(ss_record* r, ss_error* error)
{
  char safe[96] = "";
  r->broken = true;
  if (r->gone)
    return ss_error_set(error, SS_ERR_FILE, "'%s' was deleted or replaced while it was being written", r->path);
  if (!r->temporary && r->safe)
    ss_print(safe, sizeof safe, "; its first %ld rows, up to t = %g s, are safe", r->safe, r->safe_t);
  else if (!r->temporary) snprintf(safe, sizeof safe, "; no row is in it yet");
  return ss_error_set(error, SS_ERR_FILE, "cannot write '%s': %s%s", r->path,
                      r->failure ? strerror(r->failure) : "HDF5 failed, or memory is short", safe);
}

// ---- writing -------------------------------------------------------------------------------------------------------

// Makes the data set as long as its table; rank 1 for one number per row, 3 for (contact, N or T), else 2
static bool set_length(const ss_record* r, ss_field f, long rows)
{
  hsize_t dims[3] = {(hsize_t)rows, (hsize_t)r->column[f].width, 2};
  if (ss_field_table[f].shape == SS_PER_CONTACT_NT) dims[1] = (hsize_t)r->n_contact;
  return H5Dset_extent(r->column[f].dataset, dims) >= 0;
}

// The chunk that the last row lies in. Packed if nothing will be added to it.
static bool write_column(ss_record* r, const table* t, ss_field f, bool last)
{
  column* c = &r->column[f];
  if (!set_length(r, f, t->rows)) return false;
  if (!c->width) return true;
  hsize_t offset[3] = {(hsize_t)((t->rows - 1)/t->chunk*t->chunk), 0, 0};
  size_t n = (size_t)t->chunk*(size_t)c->width;
  size_t packed = last ? ss_pack(&r->codes, c->buffer, n, c->size, (size_t)c->width, r->shuffled, r->packed) : 0;
  if (packed) return H5Dwrite_chunk(c->dataset, H5P_DEFAULT, 0, offset, packed, r->packed) >= 0;
  return H5Dwrite_chunk(c->dataset, H5P_DEFAULT, UNPACKED, offset, n*c->size, c->buffer) >= 0;
}

static bool write_table(ss_record* r, table* t)
{
  if (t->written == t->rows) return true;
  bool full = t->rows%t->chunk == 0;
  bool fresh = t->written <= (t->rows - 1)/t->chunk*t->chunk;  // no row of the chunk is in the file yet
  for (ss_field f = t->first; f < t->end; f++) {
    if (!r->column[f].there) continue;
    if (!write_column(r, t, f, full || (r->ending && fresh))) return false;
    if (full) memset(r->column[f].buffer, 0, (size_t)t->chunk*(size_t)r->column[f].width*r->column[f].size);
  }
  t->written = t->rows;
  return !r->failure;
}

// With its index, so that it is in the file before anything that comes later
static bool write_surely(ss_record* r, table* t)
{
  if (t->written == t->rows) return true;
  if (!write_table(r, t)) return false;
  for (ss_field f = t->first; f < t->end; f++)
    if (r->column[f].there && H5Dflush(r->column[f].dataset) < 0) return false;
  return !r->failure;
}

// A table, after those that must be in the file before it
static bool write_up_to(ss_record* r, table* t)
{
  table* const order[] = {&r->known, &r->touch, &r->arc, &r->events};
  for (int i = 0; i < 4; i++) {
    if (!write_surely(r, order[i])) return false;
    if (order[i] == t) return true;
  }
  return write_table(r, t);
}

// Whether the file still has a name: one that was deleted or replaced meanwhile would be lost when it is closed
static bool has_name(ss_record* r)
{
  struct stat info;
  r->gone = r->lock >= 0 && fstat(r->lock, &info) == 0 && info.st_nlink == 0;
  return !r->gone;
}

static bool flush(ss_record* r)
{
  if (!write_up_to(r, &r->steps) || !has_name(r)) return false;
  if (H5Fflush(r->file, H5F_SCOPE_LOCAL) < 0 || r->failure) return false;
  r->safe = r->steps.rows;
  r->safe_t = r->last_t;
  r->last_flush = now();
  r->flush_interval = fmin(2*r->flush_interval, flush_longest);
  return true;
}

// Where row number t->rows of a field is to go
static void* place(ss_record* r, const table* t, ss_field f)
{
  column* c = &r->column[f];
  return c->buffer + (size_t)(t->rows%t->chunk)*(size_t)c->width*c->size;
}

static void put_f64(ss_record* r, ss_field f, double value) { *(double*)place(r, &r->steps, f) = value; }
static void put_i64(ss_record* r, ss_field f, long value) { *(int64_t*)place(r, &r->steps, f) = value; }

static void put_state(ss_record* r, const ss_state* s)
{
  put_f64(r, SS_FIELD_T, s->t);
  put_i64(r, SS_FIELD_STEP, s->step);
  memcpy(place(r, &r->steps, SS_FIELD_Q), s->q, sizeof(double)*(size_t)r->nq);
  memcpy(place(r, &r->steps, SS_FIELD_U), s->u, sizeof(double)*(size_t)r->nv);
  int n = r->column[SS_FIELD_MEMORY].width;
  if (n && n == s->n_memory) memcpy(place(r, &r->steps, SS_FIELD_MEMORY), s->memory, sizeof(double)*(size_t)n);
}

static void put_forces(ss_record* r, const ss_step_info* info)
{
  double* force = place(r, &r->steps, SS_FIELD_FORCE);
  for (int i = 0; i < r->n_contact && r->column[SS_FIELD_FORCE].there; i++)
    for (int k = 0; k < 2; k++) force[2*i + k] = info->contact[i].force[k];
  double* bilateral = place(r, &r->steps, SS_FIELD_FORCE_BILATERAL);
  for (int i = 0; i < r->n_bilateral && r->column[SS_FIELD_FORCE_BILATERAL].there; i++)
    bilateral[i] = info->force_bilateral[i];
}

static void put_first_stage(ss_record* r, const ss_step_info* info)
{
  double* Lambda = place(r, &r->steps, SS_FIELD_LAMBDA_1);
  for (int i = 0; i < r->n_contact && r->column[SS_FIELD_LAMBDA_1].there; i++)
    for (int k = 0; k < 2; k++) Lambda[2*i + k] = info->contact[i].Lambda_1[k];
  double* bilateral = place(r, &r->steps, SS_FIELD_LAMBDA_BILATERAL_1);
  for (int i = 0; i < r->n_bilateral && r->column[SS_FIELD_LAMBDA_BILATERAL_1].there; i++)
    bilateral[i] = info->Lambda_bilateral_1[i];
}

static void put_info(ss_record* r, const ss_step_info* info)
{
  double* gap = place(r, &r->steps, SS_FIELD_GAP);
  int8_t* state = place(r, &r->steps, SS_FIELD_STATE);
  double* Lambda = place(r, &r->steps, SS_FIELD_LAMBDA);
  double* gamma = place(r, &r->steps, SS_FIELD_GAMMA);
  for (int i = 0; i < r->n_contact; i++) {
    const ss_contact_result* c = &info->contact[i];
    gap[i] = c->gap;
    state[i] = (int8_t)c->state;
    for (int k = 0; k < 2; k++) { Lambda[2*i + k] = c->Lambda[k]; gamma[2*i + k] = c->gamma_after[k]; }
  }
  put_forces(r, info);
  put_first_stage(r, info);
  double* Lambda_bilateral = place(r, &r->steps, SS_FIELD_LAMBDA_BILATERAL);
  for (int i = 0; i < r->n_bilateral; i++) Lambda_bilateral[i] = info->Lambda_bilateral[i];
  put_f64(r, SS_FIELD_RESIDUAL, info->residual);
  *(int32_t*)place(r, &r->steps, SS_FIELD_ITERATIONS) = info->iterations;
  *(int8_t*)place(r, &r->steps, SS_FIELD_STATUS) = (int8_t)info->status;
  *(int8_t*)place(r, &r->steps, SS_FIELD_CHOICE) = (int8_t)info->choice;
  *(int8_t*)place(r, &r->steps, SS_FIELD_SIDE) = (int8_t)info->side;
}

static void put_ledger(ss_record* r, const ss_energy_ledger* e, const ss_ledger_counts* c)
{
  if (e) {
    put_f64(r, SS_FIELD_KINETIC, e->kinetic);
    put_f64(r, SS_FIELD_POTENTIAL, e->potential);
    put_f64(r, SS_FIELD_WORK_FORCES, e->work_forces);
    put_f64(r, SS_FIELD_WORK_DRIVE, e->work_drive);
    put_f64(r, SS_FIELD_LOSS_NORMAL, e->loss_normal);
    put_f64(r, SS_FIELD_LOSS_FRICTION, e->loss_friction);
    put_f64(r, SS_FIELD_WORK_PROJECTION, e->work_projection);
    put_f64(r, SS_FIELD_DEFECT, e->defect);
  }
  if (c) {
    put_i64(r, SS_FIELD_STEPS, c->steps);
    put_i64(r, SS_FIELD_COUNT_EVENTS, c->events);
    put_i64(r, SS_FIELD_IMPACTS, c->impacts);
    put_i64(r, SS_FIELD_NOT_SOLVED, c->not_solved);
    put_i64(r, SS_FIELD_ENERGY_GAIN, c->energy_gain);
    put_i64(r, SS_FIELD_SEVERAL_FORCES, c->several_forces);
    put_i64(r, SS_FIELD_SEVERAL_MOTIONS, c->several_motions);
    put_i64(r, SS_FIELD_AS_FOUND, c->as_found);
    put_i64(r, SS_FIELD_NOT_EXAMINED, c->not_examined);
    if (r->listed) put_i64(r, SS_FIELD_IN_PARTS, c->in_parts);
    put_f64(r, SS_FIELD_MAX_RESIDUAL, c->max_residual);
    put_f64(r, SS_FIELD_MAX_PENETRATION, c->max_penetration);
    put_f64(r, SS_FIELD_MAX_LIMIT_ERROR, c->max_limit_error);
    put_f64(r, SS_FIELD_MAX_CONSTRAINT_ERROR, c->max_constraint_error);
  }
}

// One more row of the table is in the buffers. Writes a full chunk; flushes if it is time.
static ss_status row_done(ss_record* r, table* t, ss_error* error)
{
  t->rows++;
  bool full = t->rows%t->chunk == 0;
  bool late = (t == &r->steps || t == &r->events) && now() - r->last_flush >= r->flush_interval;
  if (!full && !late) return SS_OK;
  ss_h5_voice voice = ss_h5_silence();
  bool good = true;
  if (full) good = write_up_to(r, t);
  if (late) good = good && flush(r);
  ss_h5_speak(voice);
  return good ? SS_OK : say_broken(r, error);
}

ss_status ss_record_contacts_add(ss_record* r, const ss_work* work, ss_error* error)
{
  if (!r || !work) return ss_error_null(error, "the record or the workspace");
  const char* name;
  if (r->broken) return say_broken(r, error);
  while (r->listed && (name = ss_work_contact_name(work, (int)r->known.rows))) {
    ss_known_row* row = place(r, &r->known, SS_FIELD_KNOWN);
    int i = (int)r->known.rows;
    *row = (ss_known_row){.key = ss_work_contact_key(work, i), .kind = (int8_t)ss_work_contact_kind(work, i)};
    memcpy(row->name, name, strnlen(name, sizeof row->name));
    ss_status st = row_done(r, &r->known, error);
    if (st < 0) return st;
  }
  return SS_OK;
}

// What the step says of the contacts that have a number
static ss_status add_touches(ss_record* r, const ss_step_info* info, ss_error* error)
{
  const size_t three = 3*sizeof(double);
  for (int i = 0; i < info->n_contact; i++) {
    const ss_contact_result* c = &info->contact[i];
    const ss_contact_item* item = &info->item[i];
    if (c->contact < 0) continue;
    if (c->contact >= r->known.rows)
      return ss_error_set(error, SS_ERR_ARGUMENT, "contact %d is not in the record: ss_record_contacts_add() comes "
                                                  "before rows and events", c->contact);
    *(int32_t*)place(r, &r->touch, SS_FIELD_TOUCH) = c->contact;
    *(int8_t*)place(r, &r->touch, SS_FIELD_TOUCH_STATE) = (int8_t)c->state;
    *(double*)place(r, &r->touch, SS_FIELD_TOUCH_GAP) = c->gap;
    memcpy(place(r, &r->touch, SS_FIELD_TOUCH_LAMBDA), c->Lambda, three);
    memcpy(place(r, &r->touch, SS_FIELD_TOUCH_GAMMA), c->gamma_after, three);
    if (r->column[SS_FIELD_TOUCH_LAMBDA_1].there)
      memcpy(place(r, &r->touch, SS_FIELD_TOUCH_LAMBDA_1), c->Lambda_1, three);
    if (r->column[SS_FIELD_TOUCH_FORCE].there)
      memcpy(place(r, &r->touch, SS_FIELD_TOUCH_FORCE), c->force, three);
    memcpy(place(r, &r->touch, SS_FIELD_TOUCH_POINT), item->point, three);
    memcpy(place(r, &r->touch, SS_FIELD_TOUCH_FRAME), item->frame, 3*three);
    int32_t* body = place(r, &r->touch, SS_FIELD_TOUCH_BODIES);
    body[0] = item->body_a;
    body[1] = item->body_b;
    ss_status st = row_done(r, &r->touch, error);
    if (st < 0) return st;
  }
  return SS_OK;
}

// What the integrator remembers at this row, if it is time: it is long, and a run can go on from an earlier row too
static ss_status add_memory(ss_record* r, const ss_state* s, ss_error* error)
{
  ss_status st = SS_OK;
  bool now = r->without_memory >= SS_ROWS_PER_MEMORY && s->n_memory;
  r->without_memory = now ? 0 : r->without_memory + 1;
  for (int i = 0; now && i < s->n_memory && st >= 0; i++) {
    *(double*)place(r, &r->arc, SS_FIELD_ARC) = s->memory[i];
    st = row_done(r, &r->arc, error);
  }
  put_i64(r, SS_FIELD_ARC_END, r->arc.rows);
  return st;
}

static ss_status check_state(const ss_record* r, const ss_state* s, ss_error* error)
{
  if (s && s->nq == r->nq && s->nv == r->nv) return SS_OK;
  return ss_error_set(error, SS_ERR_ARGUMENT, "the state does not have the coordinates of the record");
}

ss_status ss_record_row_add(ss_record* r, const ss_record_row* row, ss_error* error)
{
  if (!r || !row) return ss_error_null(error, "the record or the row");
  if (r->broken) return say_broken(r, error);
  if (check_state(r, row->state, error) < 0) return SS_ERR_ARGUMENT;
  if (ss_record_check_laws(&r->limits, row->info, row->state->t, error) < 0) return SS_ERR_NUMERIC;
  ss_status st = r->listed && row->info ? add_touches(r, row->info, error) : SS_OK;
  if (st < 0) return st;
  if (r->column[SS_FIELD_ARC].there) st = add_memory(r, row->state, error);
  if (st < 0) return st;
  if (r->listed) put_i64(r, SS_FIELD_TOUCH_END, r->touch.rows);
  if (r->listed) put_i64(r, SS_FIELD_KNOWN_END, r->known.rows);
  put_state(r, row->state);
  if (row->info) put_info(r, row->info);
  else if (row->gap) memcpy(place(r, &r->steps, SS_FIELD_GAP), row->gap, sizeof(double)*(size_t)r->n_contact);
  put_ledger(r, row->energy, row->counts);
  size_t sensors = sizeof(double)*(size_t)r->column[SS_FIELD_SENSOR].width;
  if (sensors && row->sensor) memcpy(place(r, &r->steps, SS_FIELD_SENSOR), row->sensor, sensors);
  r->last_t = row->state->t;
  return row_done(r, &r->steps, error);
}

ss_status ss_record_event_add(ss_record* r, const ss_event* e, const ss_state* state, ss_error* error)
{
  if (!r || !e) return ss_error_null(error, "the record or the event");
  if (r->broken) return say_broken(r, error);
  if (check_state(r, state, error) < 0) return SS_ERR_ARGUMENT;
  ss_event_row* row = place(r, &r->events, SS_FIELD_EVENTS);
  row->t = e->t;
  row->step = e->step;
  row->contact = e->contact;
  row->kind = (int8_t)e->kind;
  row->state = (int8_t)e->state;
  row->state_before = (int8_t)e->state_before;
  row->solutions = e->solutions;
  row->count = e->count;
  row->Lambda_C_N = e->Lambda_C[0];
  row->Lambda_C_T = e->Lambda_C[1];
  row->gamma_before_N = e->gamma_before[0];
  row->gamma_before_T = e->gamma_before[1];
  row->gamma_after_N = e->gamma_after[0];
  row->gamma_after_T = e->gamma_after[1];
  row->Lambda_N = e->Lambda[0];
  row->Lambda_T = e->Lambda[1];
  row->energy_before = e->energy_before;
  row->energy_after = e->energy_after;
  if (r->listed) {
    double* T2 = place(r, &r->events, SS_FIELD_EVENTS_T2);
    T2[0] = e->gamma_before[2];
    T2[1] = e->gamma_after[2];
    T2[2] = e->Lambda[2];
  }
  memcpy(place(r, &r->events, SS_FIELD_EVENTS_Q), state->q, sizeof(double)*(size_t)r->nq);
  memcpy(place(r, &r->events, SS_FIELD_EVENTS_U), state->u, sizeof(double)*(size_t)r->nv);
  return row_done(r, &r->events, error);
}

ss_status ss_record_flush(ss_record* r, ss_error* error)
{
  ss_h5_voice voice = ss_h5_silence();
  bool good = !r->broken && flush(r);
  ss_h5_speak(voice);
  return good ? SS_OK : say_broken(r, error);
}

// ---- making the file -----------------------------------------------------------------------------------------------

// Attributes of one number per contact
static bool put_laws(hid_t group, const ss_record_header* h)
{
  static const struct { const char* name; size_t offset; } law[] = {
    {"contact_mu", offsetof(ss_contact_def, mu)}, {"contact_bound", offsetof(ss_contact_def, bound)},
    {"contact_eps_n", offsetof(ss_contact_def, eps_n)}, {"contact_eps_t", offsetof(ss_contact_def, eps_t)},
    {"contact_nu", offsetof(ss_contact_def, nu)}};
  double* value = calloc((size_t)h->n_contact + 1, sizeof *value);
  bool good = value != NULL;
  for (size_t k = 0; k < sizeof law/sizeof *law; k++) {
    for (int i = 0; good && i < h->n_contact; i++)
      memcpy(&value[i], (const char*)&h->contact[i] + law[k].offset, sizeof *value);
    good = good && ss_h5_put_numbers(group, law[k].name, h->n_contact, value);
  }
  free(value);
  return good;
}

// Lists of the header that are members of structs, as attributes; `list` and `number` have room for the longest
static bool put_lists(hid_t group, const ss_record_header* h, const char** list, double* number)
{
  for (int i = 0; i < h->n_override; i++) list[i] = h->override[i].path;
  bool good = ss_h5_put_texts(group, "override_paths", h->n_override, list);
  for (int i = 0; i < h->n_override; i++) list[i] = h->override[i].value;
  good = good && ss_h5_put_texts(group, "override_values", h->n_override, list);
  for (int i = 0; i < h->n_parameter; i++) { list[i] = h->parameter[i].name; number[i] = h->parameter[i].value; }
  good = good && ss_h5_put_texts(group, "parameter_names", h->n_parameter, list) &&
         ss_h5_put_numbers(group, "parameter_values", h->n_parameter, number);
  for (int i = 0; i < h->n_contact; i++) list[i] = h->contact[i].name;
  good = good && ss_h5_put_texts(group, "contacts", h->n_contact, list);
  for (int i = 0; i < h->n_contact; i++) list[i] = ss_contact_kind_name(h->contact[i].kind);
  good = good && ss_h5_put_texts(group, "contact_kinds", h->n_contact, list);
  for (int i = 0; i < ss_header_nq(h); i++) list[i] = h->unit ? h->unit[i] : "";
  good = good && ss_h5_put_texts(group, "units", ss_header_nq(h), list);
  if (h->n_sensor)
    good = good && ss_h5_put_texts(group, "sensors", h->n_sensor, h->sensor) &&
           ss_h5_put_texts(group, "sensor_units", h->n_sensor, h->sensor_unit);
  if (!h->listed) return good;
  for (int i = 0; i < h->nv; i++) list[i] = h->velocity_unit ? h->velocity_unit[i] : "";
  return good && ss_h5_put_texts(group, "velocity_units", h->nv, list) &&
         ss_h5_put_texts(group, "velocities", h->nv, h->velocity ? h->velocity : h->coordinate);
}

static bool put_model(hid_t group, const ss_record_header* h)
{
  size_t most = 1 + (size_t)h->n_override + (size_t)h->n_parameter + (size_t)h->n_contact + (size_t)h->nv +
                (size_t)ss_header_nq(h);
  const char** list = calloc(most, sizeof *list);
  double* number = calloc(most, sizeof *number);
  bool good = list && number && ss_h5_put_text(group, "name", h->model_name) &&
              ss_h5_put_text(group, "text", h->model_text) &&
              (!h->model_folder || ss_h5_put_text(group, "folder", h->model_folder)) &&
              ss_h5_put_texts(group, "coordinates", ss_header_nq(h), h->coordinate) &&
              ss_h5_put_texts(group, "bilaterals", h->n_bilateral, h->bilateral) && put_lists(group, h, list, number) &&
              put_laws(group, h);
  free(list);
  free(number);
  return good;
}

static bool put_settings(hid_t group, const ss_run_def* run)
{
  const char* integrator = ss_integrator_name(run->step.integrator);
  const char* impact = ss_impact_law_name(run->step.impact);
  bool good = integrator && impact && ss_h5_put_text(group, "integrator", integrator);
  good = good && ss_h5_put_text(group, "impact", impact);
  for (int i = 0; good && i < ss_setting_count; i++) {
    const ss_setting* s = &ss_setting_table[i];
    const void* at = (const char*)run + s->offset;
    if (s->type == SS_SETTING_NUMBER) good = ss_h5_put_number(group, s->name, *(const double*)at);
    else good = ss_h5_put_integer(group, s->name, s->type == SS_SETTING_FLAG ? *(const bool*)at : *(const int*)at);
  }
  return good;
}

static bool put_root(hid_t file, const ss_record_header* h)
{
  char created[32] = "";
  time_t seconds = time(NULL);
  struct tm utc;
  if (gmtime_r(&seconds, &utc)) strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return ss_h5_put_text(file, "format", SS_RUN_FORMAT) &&
         ss_h5_put_integer(file, "format_version", h->listed ? SS_RUN_FORMAT_LISTED : SS_RUN_FORMAT_VERSION) &&
         ss_h5_put_text(file, "library_version", ss_version()) &&
         ss_h5_put_text(file, "created", h->created ? h->created : created) &&
         ss_h5_put_text_with_room(file, "run_status", "running", STATUS_ROOM);
}

// Groups, with `put` for their attributes; energy and counts hold data sets
static bool make_groups(hid_t file, const ss_record_header* h)
{
  static const char* const name[] = {"model", "settings", "energy", "counts", "touch"};
  bool good = put_root(file, h);
  for (int i = 0; good && i < (h->listed ? 5 : 4); i++) {
    hid_t group = H5Gcreate2(file, name[i], H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    good = group >= 0 && (i != 0 || put_model(group, h)) && (i != 1 || put_settings(group, &h->run));
    if (group >= 0) H5Gclose(group);
  }
  return good;
}

// Names and units of the columns
static bool describe(hid_t dataset, ss_field f, const ss_record_header* h)
{
  static const char* const component[2] = {"N", "T"};
  static const char* const spatial[3] = {"N", "T1", "T2"};
  static const char* const event[3] = {"gamma_before_T2", "gamma_after_T2", "Lambda_T2"};
  const char* const* velocity = h->listed && h->velocity ? h->velocity : h->coordinate;
  const ss_field_def* def = &ss_field_table[f];
  bool good = !def->unit[0] || ss_h5_put_text(dataset, "unit", def->unit);
  if (def->shape == SS_PER_COORDINATE)
    good = good && ss_h5_put_texts(dataset, "columns", ss_header_nq(h), h->coordinate);
  if (def->shape == SS_PER_VELOCITY) good = good && ss_h5_put_texts(dataset, "columns", h->nv, velocity);
  if (f == SS_FIELD_EVENTS_T2) good = good && ss_h5_put_texts(dataset, "columns", 3, event);
  if (f == SS_FIELD_TOUCH_LAMBDA || f == SS_FIELD_TOUCH_LAMBDA_1 || f == SS_FIELD_TOUCH_GAMMA)
    good = good && ss_h5_put_texts(dataset, "components", 3, spatial);
  if (def->shape == SS_PER_SENSOR) good = good && ss_h5_put_texts(dataset, "columns", h->n_sensor, h->sensor);
  if (def->shape == SS_PER_BILATERAL) good = good && ss_h5_put_texts(dataset, "columns", h->n_bilateral, h->bilateral);
  if (def->shape == SS_PER_CONTACT_NT) good = good && ss_h5_put_texts(dataset, "components", 2, component);
  if (def->shape == SS_PER_CONTACT || def->shape == SS_PER_CONTACT_NT) {
    const char** list = calloc((size_t)h->n_contact + 1, sizeof *list);
    for (int i = 0; list && i < h->n_contact; i++) list[i] = h->contact[i].name;
    good = good && list && ss_h5_put_texts(dataset, "columns", h->n_contact, list);
    free(list);
  }
  return good;
}

static hid_t chunk_properties(int rank, const hsize_t* chunk)
{
  hid_t p = H5Pcreate(H5P_DATASET_CREATE);
  if (p >= 0 && (H5Pset_chunk(p, rank, chunk) < 0 || H5Pset_shuffle(p) < 0 || H5Pset_deflate(p, 1) < 0 ||
                 H5Pset_fill_time(p, H5D_FILL_TIME_NEVER) < 0)) {
    H5Pclose(p);
    return -1;
  }
  return p;
}

// An empty data set. No columns at all (no contacts) is fine for HDF5 if that direction, too, could grow.
static bool make_dataset(ss_record* r, const table* t, ss_field f, const ss_record_header* h)
{
  const ss_field_def* def = &ss_field_table[f];
  int rank = def->shape == SS_ONE ? 1 : def->shape == SS_PER_CONTACT_NT ? 3 : 2;
  hsize_t dims[3] = {0, (hsize_t)r->column[f].width, 2};
  if (rank == 3) dims[1] = (hsize_t)r->n_contact;
  hsize_t most[3] = {H5S_UNLIMITED, dims[1] ? dims[1] : H5S_UNLIMITED, 2};
  hsize_t chunk[3] = {(hsize_t)t->chunk, dims[1] ? dims[1] : 1, 2};
  hid_t space = H5Screate_simple(rank, dims, most);
  hid_t type = ss_number_type(def->number);
  hid_t properties = chunk_properties(rank, chunk);
  hid_t dataset = -1;
  if (space >= 0 && type >= 0 && properties >= 0)
    dataset = H5Dcreate2(r->file, def->path, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  r->column[f].dataset = dataset;
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
  if (properties >= 0) H5Pclose(properties);
  return dataset >= 0 && describe(dataset, f, h);
}

// The largest chunk within limits, a power of two; *most grows to the bytes of its largest column, *sum by those of all
static void plan_table(ss_record* r, table* t, int chunk, const ss_record_header* h, size_t* most, size_t* sum)
{
  size_t row = 0, widest = 0;
  for (ss_field f = t->first; f < t->end; f++) {
    column* c = &r->column[f];
    c->there = ss_field_stored(f, h);
    c->size = ss_number_size(ss_field_table[f].number);
    c->width = ss_field_width(f, h);
    size_t bytes = c->size*(size_t)c->width;
    row += bytes;
    if (bytes > widest) widest = bytes;
  }
  while (chunk > CHUNK_ROWS_MIN && row*(size_t)chunk > CHUNK_BYTES_MAX) chunk /= 2;
  t->chunk = chunk;
  if (widest*(size_t)chunk > *most) *most = widest*(size_t)chunk;
  *sum += row*(size_t)chunk;
}

static const table* table_of(const ss_record* r, ss_field f)
{
  return f < SS_FIELD_EVENTS  ? &r->steps
         : f < SS_FIELD_TOUCH ? &r->events
         : f < SS_FIELD_KNOWN ? &r->touch
         : f < SS_FIELD_ARC   ? &r->known
                              : &r->arc;
}

// All buffers in one block. Every column starts at a multiple of 8 because a chunk has a multiple of 8 rows.
static bool make_buffers(ss_record* r, const ss_record_header* h)
{
  size_t most = 0, sum = 0;
  r->steps = (table){.first = SS_FIELD_T, .end = SS_FIELD_EVENTS};
  r->events = (table){.first = SS_FIELD_EVENTS, .end = SS_FIELD_TOUCH};
  r->touch = (table){.first = SS_FIELD_TOUCH, .end = SS_FIELD_KNOWN};
  r->known = (table){.first = SS_FIELD_KNOWN, .end = SS_FIELD_ARC};
  r->arc = (table){.first = SS_FIELD_ARC, .end = SS_FIELD_COUNT};
  plan_table(r, &r->steps, CHUNK_ROWS, h, &most, &sum);
  plan_table(r, &r->events, CHUNK_EVENTS, h, &most, &sum);
  plan_table(r, &r->touch, CHUNK_ROWS, h, &most, &sum);
  plan_table(r, &r->known, CHUNK_KNOWN, h, &most, &sum);
  plan_table(r, &r->arc, CHUNK_ARC, h, &most, &sum);
  r->memory = calloc(1, sum + 2*most + 32);
  if (!r->memory) return false;
  uint8_t* at = r->memory;
  for (ss_field f = 0; f < SS_FIELD_COUNT; f++) {
    r->column[f].buffer = at;
    at += r->column[f].size*(size_t)r->column[f].width*(size_t)table_of(r, f)->chunk;
  }
  r->shuffled = at;
  r->packed = at + most;
  ss_pack_codes_init(&r->codes);
  return true;
}

// The end of a record, however it came to it. A file that is not ready yet is removed.
static void destroy(ss_record* r)
{
  if (r->file >= 0) H5Fclose(r->file);
  if (r->lock >= 0) close(r->lock);
  if (r->temporary) unlink(r->temporary);
  free(r->temporary);
  free(r->path);
  free(r->memory);
  for (int i = 0; r->law && i < r->n_contact; i++) free((char*)r->law[i].name);
  free(r->law);
  free(r);
}

// The laws of a fixed list of contacts. False if memory is short.
static bool keep_laws(ss_record* r, const ss_system_def* def)
{
  if (r->listed || !r->n_contact) return true;
  r->law = calloc((size_t)r->n_contact, sizeof *r->law);
  for (int i = 0; r->law && i < r->n_contact; i++) {
    r->law[i] = def->contact[i];
    r->law[i].name = strdup(def->contact[i].name ? def->contact[i].name : "");
    if (!r->law[i].name) return false;
  }
  r->limits.law = r->law;
  return r->law != NULL;
}

// False and *error if it cannot be replaced
static bool is_run_file(const char* path, ss_error* error)
{
  bool is_other;
  ss_error inner = {0};
  ss_h5_reader* file = ss_h5_reader_open(path, "a run file", &is_other, &inner);
  if (!file && !is_other) {
    ss_error_set(error, SS_ERR_FILE, "'%s' exists and cannot be replaced: %s", path, inner.text);
    return false;
  }
  char* format = file ? ss_h5_reader_text(file, "/", "format") : NULL;
  bool run = format && strcmp(format, SS_RUN_FORMAT) == 0;
  free(format);
  if (!run && (!file || ss_h5_reader_failure(file, error) == SS_OK))
    ss_error_set(error, SS_ERR_FILE, "'%s' exists and is not a run file; remove it or choose another name", path);
  ss_h5_reader_close(file);
  return run;
}

// What is at this path may be replaced: nothing, an empty file, or a run file that nobody writes to. Something else
// (the model, given by mistake, or somebody's data) may not.
static bool may_replace(const char* path, ss_error* error)
{
  struct stat info;
  if (stat(path, &info) < 0) return true;  // not there, or creating the new one will say what is wrong
  if (!S_ISREG(info.st_mode)) {
    ss_error_set(error, SS_ERR_FILE, "cannot write '%s': it is %s", path,
                 S_ISDIR(info.st_mode) ? "a directory" : "not a regular file");
    return false;
  }
  int fd = ss_h5_lock(path);
  if (fd < 0) {
    ss_error_set(error, SS_ERR_FILE, "cannot write '%s': %s", path,
                 errno == EAGAIN ? "another run is being written to it" : strerror(errno));
    return false;
  }
  close(fd);
  return info.st_size == 0 || is_run_file(path, error);
}

// An empty file under a temporary name beside the final one
static bool make_file(ss_record* r, ss_error* error)
{
  size_t size = strlen(r->path) + 48;
  r->temporary = malloc(size);
  if (!r->temporary) { ss_error_set(error, SS_ERR_MEMORY, "out of memory"); return false; }
  for (int i = 0; i < 100; i++) {
    snprintf(r->temporary, size, "%s.%ld-%d.tmp", r->path, (long)getpid(), i);
    r->file = ss_h5_create(r->temporary, &r->failure);
    if (r->file >= 0) return true;
    if (errno != EEXIST) break;
  }
  ss_error_set(error, SS_ERR_FILE, "cannot write '%s': %s", r->path, strerror(errno));
  free(r->temporary);  // not ours to remove
  r->temporary = NULL;
  return false;
}

// The name of a contact of the list, from the file: the buffers have the last ones alone
static bool read_name(ss_record* r, hsize_t contact, char* out)
{
  ss_known_row row = {0};
  const hsize_t one = 1;
  hid_t dataset = r->column[SS_FIELD_KNOWN].dataset;
  hid_t space = H5Dget_space(dataset), memory = H5Screate_simple(1, &one, NULL), type = ss_number_type(SS_KNOWN_ROW);
  bool good = space >= 0 && memory >= 0 && type >= 0 &&
              H5Sselect_hyperslab(space, H5S_SELECT_SET, &contact, NULL, &one, NULL) >= 0 &&
              H5Dread(dataset, type, memory, space, H5P_DEFAULT, &row) >= 0;
  if (space >= 0) H5Sclose(space);
  if (memory >= 0) H5Sclose(memory);
  if (type >= 0) H5Tclose(type);
  snprintf(out, SS_CONTACT_NAME, "%.*s", (int)sizeof row.name, row.name);
  return good && row.name[0];
}

static bool name_known(void* user, int contact, char* out)
{
  ss_record* r = user;
  if (contact < 0 || contact >= r->known.rows) return false;
  ss_h5_voice voice = ss_h5_silence();
  bool good = write_surely(r, &r->known) && read_name(r, (hsize_t)contact, out);
  ss_h5_speak(voice);
  return good;
}

// Everything but the rows. NULL and *error on failure.
static ss_record* begin(const char* path, const ss_record_header* h, ss_error* error)
{
  ss_record* r = calloc(1, sizeof *r);
  if (!r) { ss_error_set(error, SS_ERR_MEMORY, "out of memory"); return NULL; }
  r->file = r->lock = -1;
  r->flush_interval = flush_first;
  r->without_memory = SS_ROWS_PER_MEMORY;
  r->listed = h->listed;
  r->nq = ss_header_nq(h);
  r->nv = h->nv;
  r->n_contact = h->n_contact;
  r->n_bilateral = h->n_bilateral;
  r->limits = ss_record_limits_of(&h->run.step, NULL);
  r->limits.name = h->listed ? name_known : NULL;
  r->limits.user = r;
  r->path = ss_atomic_target(path);  // a link stays a link: what it points to is replaced
  bool good = r->path && make_buffers(r, h);
  if (!good) ss_error_set(error, SS_ERR_MEMORY, "out of memory");
  if (!good || !may_replace(r->path, error) || !make_file(r, error)) { destroy(r); return NULL; }
  good = make_groups(r->file, h);
  for (ss_field f = 0; good && f < SS_FIELD_COUNT; f++)
    good = !r->column[f].there || make_dataset(r, table_of(r, f), f, h);
  if (good && !r->failure) return r;
  say_broken(r, error);
  destroy(r);
  return NULL;
}

// Puts the file, with the rows it has so far, to its place. Destroys the record and returns NULL on failure.
static ss_record* start(ss_record* r, ss_error* error)
{
  bool good = H5Fflush(r->file, H5F_SCOPE_LOCAL) >= 0 && !r->failure && H5Fstart_swmr_write(r->file) >= 0 && flush(r);
  if (good) r->lock = ss_h5_lock(r->temporary);
  if (good && (r->lock < 0 || rename(r->temporary, r->path) < 0)) { r->failure = errno; good = false; }
  if (!good) {
    say_broken(r, error);
    destroy(r);
    return NULL;
  }
  free(r->temporary);
  r->temporary = NULL;
  return r;
}

ss_record* ss_record_create_from(const char* path, const ss_record_header* header, ss_error* error)
{
  ss_h5_voice voice = ss_h5_silence();
  ss_record* r = begin(path, header, error);
  if (r) r = start(r, error);
  ss_h5_speak(voice);
  return r;
}

ss_record* ss_record_create(const char* path, const ss_model* model, const ss_run_def* run, ss_error* error)
{
  if (!path || !model || !run) {
    ss_error_null(error, "the path, the model or the settings");
    return NULL;
  }
  const ss_system_def* def = ss_system_get(ss_model_system(model));
  ss_record_header h = {
    .model_name = ss_model_name(model),
    .model_text = ss_model_text(model),
    .model_folder = ss_model_folder(model),
    .run = *run,
    .nv = def->nv,
    .coordinate = def->coordinate,
    .unit = def->unit,
    .n_contact = def->n_contact,
    .contact = def->contact,
    .n_bilateral = def->n_bilateral,
    .bilateral = def->bilateral_name,
    .listed = def->operators != NULL,
    .nq = def->nq,
    .velocity = def->velocity,
    .velocity_unit = def->velocity_unit,
    .n_sensor = def->n_sensor,
    .sensor = def->sensor,
    .sensor_unit = def->sensor_unit,
  };
  h.n_parameter = ss_model_parameters(model, &h.parameter);
  h.n_override = ss_model_overrides(model, &h.override);
  ss_record* r = ss_record_create_from(path, &h, error);
  if (!r || keep_laws(r, def)) return r;
  ss_record_close(r, "failed: out of memory", NULL);
  ss_error_set(error, SS_ERR_MEMORY, "out of memory");
  return NULL;
}

// ---- going on with a file ------------------------------------------------------------------------------------------

// The first n rows of the table, from another file
static bool copy_table(ss_record* r, table* t, ss_run* from, long n, ss_error* error)
{
  while (t->rows < n) {
    long part = n - t->rows < t->chunk ? n - t->rows : t->chunk;
    for (ss_field f = t->first; f < t->end; f++)
      if (r->column[f].there && !ss_run_read(from, f, t->rows, part, r->column[f].buffer, error)) return false;
    t->rows += part;
    if (t->rows%t->chunk == 0 && !write_up_to(r, t)) { say_broken(r, error); return false; }
  }
  return true;
}

// How many events belong to the rows that are kept. Negative and *error if they cannot be read.
static long events_until(ss_run* run, long step, double t, ss_error* error)
{
  long n = ss_run_get_info(run)->n_events;
  const ss_event* event = ss_run_events(run, NULL, NULL, error);
  if (!event) return -1;
  while (n && !ss_event_is_past(&event[n - 1], step, t)) n--;
  return n;
}

// The rows that a run in one go would have, and the events up to the row to go on from
static bool copy_rows(ss_record* r, ss_run* from, ss_error* error)
{
  int64_t step = -1;
  long n = 0, last = ss_run_resume_row(from, &n, error);
  if (last < -1) return false;
  if (last >= 0 && (!ss_run_read(from, SS_FIELD_STEP, last, 1, &step, error) ||
                    !ss_run_read(from, SS_FIELD_T, last, 1, &r->last_t, error))) return false;
  long n_events = events_until(from, (long)step, r->last_t, error);
  int64_t n_touch = 0, n_arc = 0;
  int n_known = last >= 0 ? ss_run_contacts_at(from, last, error) : 0;
  if (n_known < 0) return false;
  if (r->listed && n && !ss_run_read(from, SS_FIELD_TOUCH_END, n - 1, 1, &n_touch, error)) return false;
  if (ss_run_has(from, SS_FIELD_ARC) && n && !ss_run_read(from, SS_FIELD_ARC_END, n - 1, 1, &n_arc, error))
    return false;
  if (n > 1) r->without_memory = 0;  // the last one has it
  return n_events >= 0 && copy_table(r, &r->arc, from, (long)n_arc, error) &&
         copy_table(r, &r->known, from, r->listed ? n_known : 0, error) &&
         copy_table(r, &r->touch, from, (long)n_touch, error) && copy_table(r, &r->events, from, n_events, error) &&
         copy_table(r, &r->steps, from, n, error);
}

// The old file stays as it is until the new one, with the same rows, takes its place.
ss_record* ss_record_resume(const char* path, double until, ss_error* error)
{
  if (!path) {
    ss_error_null(error, "the path");
    return NULL;
  }
  ss_run* run = ss_run_open(path, error);
  if (!run) return NULL;
  ss_h5_voice voice = ss_h5_silence();
  ss_record_header header = *ss_run_get_header(run);
  header.run.until = until;
  ss_record* r = begin(path, &header, error);
  if (r && !copy_rows(r, run, error)) { destroy(r); r = NULL; }
  if (r) r = start(r, error);
  ss_h5_speak(voice);
  ss_run_close(run);
  return r;
}

// ---- the end -------------------------------------------------------------------------------------------------------

ss_status ss_record_close(ss_record* r, const char* how, ss_error* error)
{
  if (!r) return SS_OK;
  ss_h5_voice voice = ss_h5_silence();
  r->ending = true;
  bool good = !r->broken && flush(r);
  good = good && ss_h5_change_text(r->file, "run_status", how ? how : "complete");
  good = good && H5Fflush(r->file, H5F_SCOPE_LOCAL) >= 0 && !r->failure;
  if (good) { r->safe = r->steps.rows; r->safe_t = r->last_t; }
  herr_t closed = H5Fclose(r->file);
  r->file = -1;
  ss_status status = good && closed >= 0 && !r->failure ? SS_OK : say_broken(r, error);
  destroy(r);
  ss_h5_speak(voice);
  return status;
}
