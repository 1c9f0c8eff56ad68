// Fuzz target: whatever the process that reads an HDF5 file may answer, a run, a table or a contact problem comes out,
// or an error; never a crash. The input takes the place of that process (these functions replace io/h5_process.c): each
// question is answered as a good file would, or, where the input says so, otherwise. Of a run everything is read, and
// its page is made.
#define _GNU_SOURCE  // memfd_create
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <stickslip/problem.h>
#include <stickslip/table.h>
#include "io/h5_process.h"
#include "io/h5_reader.h"
#include "page.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

enum { RUN, SCENE, TABLE, PROBLEM, KINDS, ROWS = 5, EVENTS = 2, TOUCH = 4, KNOWN = 2, ARC = 60, MAX_BODY = 1 << 16 };

static const uint8_t *input, *input_end;
static int kind;

static uint8_t next(void) { return input < input_end ? *input++ : 0; }

// ---- what a good file says ----

static const struct { const char *name, *texts; int n; } text_table[] = {
  {"format", "stickslip run", 1}, {"library_version", "0.1.0", 1}, {"created", "now", 1}, {"run_status", "complete", 1},
  {"integrator", "moreau", 1}, {"impact", "newton", 1}, {"name", "m", 1},
  {"text", "name: m\ncoordinates: {x: m, y: m}\nkinetic: x'^2 + y'^2\npotential: y\ncontacts: {f: {gap: y, slide: x', "
           "mu: 0.1}}\n", 1},
  {"coordinates", "x\0y", 2}, {"units", "m\0m", 2}, {"velocities", "x\0y", 2}, {"velocity_units", "m/s\0m/s", 2},
  {"bilaterals", "", 0}, {"override_paths", "", 0}, {"override_values", "", 0}, {"parameter_names", "", 0},
  {"contacts", "f", 1}, {"contact_kinds", "planar", 1}, {"columns", "a\0b", 2},
};

static size_t good_texts(const char* name, char* body, int* n)
{
  for (size_t i = 0; i < sizeof text_table/sizeof *text_table; i++) {
    if (strcmp(text_table[i].name, name) != 0) continue;
    *n = kind == SCENE && strncmp(name, "contact", 7) == 0 ? 0 : text_table[i].n;
    const char* end = text_table[i].texts;
    for (int k = 0; k < *n; k++) end += strlen(end) + 1;
    memcpy(body, text_table[i].texts, (size_t)(end - text_table[i].texts));
    return (size_t)(end - text_table[i].texts);
  }
  return SIZE_MAX;
}

static int field_of(const char* path)
{
  int f = 0;
  while (f < SS_FIELD_COUNT && strcmp(ss_field_table[f].path, path) != 0) f++;
  return f;
}

static ss_h5_set good_set(const char* path)
{
  static const ss_h5_class class[] = {SS_H5_FLOAT, SS_H5_INTEGER, SS_H5_INTEGER, SS_H5_INTEGER, SS_H5_ENUM,
                                      SS_H5_COMPOUND, SS_H5_COMPOUND};
  ss_h5_set set = {.class = SS_H5_FLOAT, .size = 8, .rank = 1, .dims = {4, 1, 1}, .room = 1 << 20};
  int f = field_of(path);
  if (f == SS_FIELD_COUNT) {  // of a problem: whole numbers have short names
    size_t n = strlen(path);
    bool whole = n > 2 && path[n - 2] == '/' && strchr("mnpi", path[n - 1]);
    if (whole || strstr(path, "spacedim") || (n > 2 && strcmp(path + n - 3, "/nz") == 0)) set.class = SS_H5_INTEGER;
    if (kind == PROBLEM) set.dims[0] = 1 + next()%8;
    return set;
  }
  ss_record_header h = {.nq = 2, .nv = 2, .n_contact = kind != SCENE, .listed = kind == SCENE};
  ss_shape shape = ss_field_table[f].shape;
  set.class = class[ss_field_table[f].number];
  set.rank = shape == SS_ONE ? 1 : shape == SS_PER_CONTACT_NT ? 3 : 2;
  set.dims[0] = f < SS_FIELD_EVENTS  ? ROWS
                : f < SS_FIELD_TOUCH ? EVENTS
                : f < SS_FIELD_KNOWN ? TOUCH
                : f < SS_FIELD_ARC   ? KNOWN
                                     : ARC;
  set.dims[1] = shape == SS_PER_CONTACT_NT ? (uint64_t)h.n_contact : (uint64_t)ss_field_width((ss_field)f, &h);
  set.dims[2] = 2;
  return set;
}

// Rising numbers where they must rise, zeros elsewhere, and what the input says over them
static void good_data(const ss_h5_question* q, char* body, size_t bytes)
{
  int f = field_of(q->object);
  for (size_t i = 0; f < SS_FIELD_COUNT && i < bytes/8; i++) {
    double t = 1e-3*(double)(q->first + i);
    int64_t n = (int64_t)(q->first + i);
    if (f == SS_FIELD_T) memcpy(body + 8*i, &t, 8);
    if (f == SS_FIELD_STEP) memcpy(body + 8*i, &n, 8);
    n = f == SS_FIELD_KNOWN_END ? KNOWN : TOUCH;
    if (f == SS_FIELD_ARC_END) n = 12*(int64_t)(q->first + i);
    if (f == SS_FIELD_KNOWN_END || f == SS_FIELD_TOUCH_END || f == SS_FIELD_ARC_END) memcpy(body + 8*i, &n, 8);
  }
  if (f == SS_FIELD_COUNT && q->number == SS_I32)
    for (size_t i = 0; i < bytes/4; i++) body[4*i] = (char)(next()%8);
  for (int changes = next()%4; changes > 0 && bytes; changes--) body[(next() + 256u*next())%bytes] = (char)next();
}

static size_t good_body(const ss_h5_question* q, char* body, ss_h5_answer* a)
{
  int64_t version = kind == SCENE ? SS_RUN_FORMAT_LISTED : strcmp(q->name, "format_version") == 0 ? 2 : 1;
  if (q->what == SS_H5_ASK_INTEGER && strcmp(q->name, "format_version") != 0) version = 1;
  size_t bytes = ss_number_size((ss_number)q->number);
  switch (q->what) {
  case SS_H5_ASK_TEXTS: return good_texts(q->name, body, &a->n);
  case SS_H5_ASK_NUMBERS:
    a->n = strncmp(q->name, "contact_", 8) == 0 ? kind != SCENE : strcmp(q->name, "parameter_values") != 0;
    memcpy(body, &(double){1e-3}, 8);
    return 8*(size_t)a->n;
  case SS_H5_ASK_INTEGER: memcpy(body, &version, 8); return 8;
  case SS_H5_ASK_SET: {
    ss_h5_set set = good_set(q->object);
    memcpy(body, &set, sizeof set);
    return sizeof set;
  }
  case SS_H5_ASK_DATA:
    for (int i = 0; i < q->rank; i++) bytes *= (size_t)q->size[i];
    if (bytes > MAX_BODY) return SIZE_MAX;
    good_data(q, body, bytes);
    return bytes;
  case SS_H5_ASK_ATTRIBUTE: return next()%2 ? 0 : SIZE_MAX;
  case SS_H5_ASK_OPENED:
  case SS_H5_ASK_OBJECT: break;
  }
  return 0;
}

// ---- in place of the process ----

bool ss_h5_process_start(ss_h5_process* p, const char* path, const char* expected)
{
  (void)path;
  (void)expected;
  *p = (ss_h5_process){.id = 0, .socket = 0};
  return true;
}

void ss_h5_process_stop(ss_h5_process* p) { p->socket = -1; }
bool ss_h5_send(int socket, const void* data, size_t size) { return socket < 0 && data && size; }
bool ss_h5_receive(int socket, void* data, size_t size) { return socket < 0 && data && size; }

// The same checks as there: what does not fit has ended the process
ss_status ss_h5_process_ask(ss_h5_process* p, const ss_h5_question* q, ss_h5_answer* a, uint64_t most, void* out,
                            void** body)
{
  static char room[MAX_BODY + 8];
  memset(room, 0, sizeof room);
  *a = (ss_h5_answer){.good = 1};
  size_t bytes = good_body(q, room, a);
  uint8_t how = next();
  if (bytes == SIZE_MAX || how > 250) *a = (ss_h5_answer){.good = 0, .no_memory = how == 255}, bytes = 0;
  else if (how > 240) a->n = (int)next() - 2;
  else if (how > 230 && bytes) bytes -= next()%(bytes + 1);
  else if (how > 200 && bytes) room[next()%bytes] = (char)next();
  a->bytes = bytes;
  bool fits = p->socket >= 0 && bytes <= most && a->n >= 0 && (!out || !a->good || bytes == most);
  if (!fits) {
    p->socket = -1;
    return SS_ERR_FILE;
  }
  char* to = out ? out : malloc(bytes + 1);
  if (!to) return SS_ERR_MEMORY;
  memcpy(to, room, bytes);
  if (out) return SS_OK;
  to[bytes] = 0;
  *body = to;
  return SS_OK;
}

// ---- what is read ----

static void read_rows(ss_run* run)
{
  const ss_run_info* info = ss_run_get_info(run);
  const ss_run_contact* list;
  ss_error error = {0};
  for (long row = 0; row < info->n_rows && row < 50; row++)
    if (ss_run_contacts(run, row, &list, &error) < 0) break;
  for (long row = 0; row < info->n_rows && row < 50; row++)
    if (ss_run_contacts_at(run, row, &error) < 0) break;
  long n_rows;
  ss_run_resume_row(run, &n_rows, &error);
}

static void read_columns(ss_run* run)
{
  int n;
  ss_error error = {0};
  const char* const* name = ss_run_columns(run, &n);
  for (int i = 0; i < n; i++) ss_run_column(run, name[i], &error);
  const double *q, *u;
  ss_run_events(run, &q, &u, &error);
}

static void make_page(ss_run* run)
{
  cJSON* json = NULL;
  cli_page page = {.file = "f", .from = -1e300, .to = 1e300};
  cli_page_make(run, &page, &json);
  cJSON_Delete(json);
  free(page.row);
}

static void read_run(const char* path, ss_error* error)
{
  ss_run* run = ss_run_open(path, error);
  if (!run) return;
  error->status = SS_ERR_FILE;
  error->text[0] = '-';
  read_rows(run);
  read_columns(run);
  make_page(run);
  ss_run_close(run);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
  static char path[64];
  static const unsigned char head[12] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n', 3};
  if (!path[0]) {
    int fd = memfd_create("fuzz", 0);
    if (fd < 0 || write(fd, head, sizeof head) != sizeof head || ftruncate(fd, 1 << 16) < 0) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (!freopen("/dev/null", "w", stdout)) abort();
  }
  ss_error error = {0};
  input = data;
  input_end = data + size;
  kind = next()%KINDS;
  if (kind == TABLE) ss_table_destroy(ss_table_load(path, &error));
  else if (kind == PROBLEM) ss_problem_destroy(ss_problem_load(path, &error));
  else read_run(path, &error);
  return 0;
}
