// The process that reads an HDF5 file: answers questions about it, one after the other.
#include "io/h5.h"
#include "io/h5_process.h"
#include "io/h5_reader.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

enum {
  SECONDS = 60,     // of work on one question
  PACKING = 1100,   // most that compression can do: 1032 for deflate [RFC 1951]
  SETS = 64,        // data sets kept open
  CACHE = 8 << 20,  // bytes of unpacked chunks kept of each
};

typedef struct server {
  int socket;
  hid_t file;
  int n_sets;
  hid_t set[SETS];
  char path[SETS][SS_H5_PATH];
} server;

// ---- answers ----

// A file that is damaged can keep HDF5 busy for ever: then the process dies of SIGPROF
static void limit_time(int seconds)
{
  struct itimerval timer = {.it_value.tv_sec = seconds};
  setitimer(ITIMER_PROF, &timer, NULL);
}

static bool tell(const server* s, bool good, int n, const void* body, size_t bytes)
{
  ss_h5_answer a = {.good = good, .n = n, .bytes = good ? bytes : 0};
  a.no_memory = !good && errno == ENOMEM;
  limit_time(0);
  return ss_h5_send(s->socket, &a, sizeof a) && ss_h5_send(s->socket, body, (size_t)a.bytes);
}

// The object, group or data set; the caller closes it
static hid_t open_object(const server* s, const char* path) { return H5Oopen(s->file, path, H5P_DEFAULT); }

// Whether something stands at each part of the path
static bool exists(hid_t file, const char* path)
{
  char part[SS_H5_PATH];
  for (size_t i = 1; i <= strlen(path); i++) {
    if (path[i] != '/' && path[i] != 0) continue;
    if (i == 1 && path[0] == '/') continue;
    snprintf(part, sizeof part, "%.*s", (int)i, path);
    if (H5Lexists(file, part, H5P_DEFAULT) <= 0) return false;
  }
  return true;
}

static bool tell_attribute(const server* s, const ss_h5_question* q)
{
  hid_t object = open_object(s, q->object);
  bool there = object >= 0 && H5Aexists(object, q->name) > 0;
  if (object >= 0) H5Oclose(object);
  return tell(s, there, 0, NULL, 0);
}

// The texts one behind the other, each with its NUL
static char* join(char** list, int n, size_t* bytes)
{
  *bytes = 0;
  for (int i = 0; i < n; i++) *bytes += strlen(list[i]) + 1;
  char *all = malloc(*bytes + 1), *to = all;
  for (int i = 0; all && i < n; i++) to = stpcpy(to, list[i]) + 1;
  return all;
}

static bool tell_texts(const server* s, const ss_h5_question* q)
{
  int n = 0;
  size_t bytes = 0;
  hid_t object = open_object(s, q->object);
  char** list = object < 0 ? NULL : ss_h5_get_texts(object, q->name, &n);
  char* all = list ? join(list, n, &bytes) : NULL;
  bool good = tell(s, all != NULL, n, all, bytes);
  if (object >= 0) H5Oclose(object);
  free(list);
  free(all);
  return good;
}

static bool tell_numbers(const server* s, const ss_h5_question* q)
{
  int n = 0;
  hid_t object = open_object(s, q->object);
  double* list = object < 0 ? NULL : ss_h5_get_numbers(object, q->name, &n);
  bool good = tell(s, list != NULL, n, list, (size_t)n*sizeof *list);
  if (object >= 0) H5Oclose(object);
  free(list);
  return good;
}

static bool tell_integer(const server* s, const ss_h5_question* q)
{
  long value = 0;
  hid_t object = open_object(s, q->object);
  bool there = object >= 0 && ss_h5_get_integer(object, q->name, &value);
  int64_t number = value;
  if (object >= 0) H5Oclose(object);
  return tell(s, there, 1, &number, sizeof number);
}

// ---- data sets ----

// Kept open, since the same ones are asked for again and again
static hid_t open_set(server* s, const char* path)
{
  for (int i = 0; i < s->n_sets; i++)
    if (strcmp(s->path[i], path) == 0) return s->set[i];
  hid_t access = H5Pcreate(H5P_DATASET_ACCESS), set = -1;
  if (access >= 0 && H5Pset_chunk_cache(access, 521, CACHE, 0.75) >= 0) set = H5Dopen2(s->file, path, access);
  if (access >= 0) H5Pclose(access);
  if (set < 0) return -1;
  if (s->n_sets == SETS) H5Dclose(s->set[--s->n_sets]);
  snprintf(s->path[s->n_sets], SS_H5_PATH, "%s", path);
  return s->set[s->n_sets++] = set;
}

static ss_h5_class class_of(hid_t type)
{
  switch (H5Tget_class(type)) {
  case H5T_INTEGER: return SS_H5_INTEGER;
  case H5T_FLOAT: return SS_H5_FLOAT;
  case H5T_ENUM: return SS_H5_ENUM;
  case H5T_COMPOUND: return SS_H5_COMPOUND;
  default: return SS_H5_OTHER;
  }
}

// Bytes that the stored ones, no more than the file has, can be unpacked to; none where a chunk alone is larger
static uint64_t room_of(hid_t file, hid_t set, uint64_t each)
{
  hsize_t size = 0, chunk[H5S_MAX_RANK], stored = H5Dget_storage_size(set);
  hid_t layout = H5Dget_create_plist(set);
  bool good = layout >= 0 && H5Fget_filesize(file, &size) >= 0 && stored <= size;
  int dims = good && H5Pget_layout(layout) == H5D_CHUNKED ? H5Pget_chunk(layout, H5S_MAX_RANK, chunk) : 0;
  uint64_t room = !good ? 0 : dims > 0 && H5Pget_nfilters(layout) > 0 ? PACKING*stored : stored, bytes = each;
  for (int i = 0; i < dims && room; i++) {
    if (chunk[i] == 0 || chunk[i] > room / bytes) room = 0;
    else bytes *= chunk[i];
  }
  if (layout >= 0) H5Pclose(layout);
  return room;
}

static bool tell_set(server* s, const ss_h5_question* q)
{
  ss_h5_set out = {0};
  hid_t set = exists(s->file, q->object) ? open_set(s, q->object) : -1;
  hid_t type = set < 0 ? -1 : H5Dget_type(set), space = set < 0 ? -1 : H5Dget_space(set);
  bool good = type >= 0 && space >= 0 && (out.rank = H5Sget_simple_extent_ndims(space)) >= 0;
  hsize_t dims[H5S_MAX_RANK];
  good = good && H5Sget_simple_extent_dims(space, dims, NULL) == out.rank;
  if (good) {
    size_t size = H5Tget_size(type);
    out.class = class_of(type);
    out.size = size > 0 && size < 1 << 20 ? (int)size : 0;
    for (int i = 0; i < SS_H5_RANK; i++) out.dims[i] = i < out.rank ? dims[i] : 1;
    out.room = out.size ? room_of(s->file, set, (uint64_t)out.size) : 0;
  }
  if (type >= 0) H5Tclose(type);
  if (space >= 0) H5Sclose(space);
  return tell(s, good, 1, &out, sizeof out);
}

static bool read_block(hid_t set, const ss_h5_question* q, void* out)
{
  hsize_t start[SS_H5_RANK] = {q->first}, size[SS_H5_RANK];
  for (int i = 0; i < SS_H5_RANK; i++) size[i] = q->size[i];
  hid_t type = ss_number_type((ss_number)q->number);
  hid_t memory = q->rank ? H5Screate_simple(q->rank, size, NULL) : H5Screate(H5S_SCALAR), space = H5Dget_space(set);
  bool good = type >= 0 && memory >= 0 && space >= 0 && H5Sget_simple_extent_ndims(space) == q->rank;
  if (q->rank) good = good && H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL) >= 0;
  good = good && H5Dread(set, type, memory, space, H5P_DEFAULT, out) >= 0;
  if (type >= 0) H5Tclose(type);
  if (memory >= 0) H5Sclose(memory);
  if (space >= 0) H5Sclose(space);
  return good;
}

static bool tell_data(server* s, const ss_h5_question* q)
{
  size_t bytes = ss_number_size((ss_number)q->number);
  for (int i = 0; i < q->rank; i++) bytes *= (size_t)q->size[i];
  hid_t set = open_set(s, q->object);
  void* block = set < 0 ? NULL : calloc(1, bytes + 1);
  bool good = tell(s, block && read_block(set, q, block), 1, block, bytes);
  free(block);
  return good;
}

static bool answer(server* s, const ss_h5_question* q)
{
  switch (q->what) {
  case SS_H5_ASK_OBJECT: return tell(s, exists(s->file, q->object), 0, NULL, 0);
  case SS_H5_ASK_ATTRIBUTE: return tell_attribute(s, q);
  case SS_H5_ASK_TEXTS: return tell_texts(s, q);
  case SS_H5_ASK_NUMBERS: return tell_numbers(s, q);
  case SS_H5_ASK_INTEGER: return tell_integer(s, q);
  case SS_H5_ASK_SET: return tell_set(s, q);
  case SS_H5_ASK_DATA: return tell_data(s, q);
  case SS_H5_ASK_OPENED: break;
  }
  return false;
}

// The first answer is the error, if the file cannot be opened
void ss_h5_serve(int socket, const char* path, const char* expected)
{
  static server s;  // of this process alone
  ss_h5_question q;
  ss_error error = {0};
  s.socket = socket;
  bool good = ss_h5_receive(socket, &q, sizeof q);
  limit_time(SECONDS);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  s.file = good ? ss_h5_open(path, expected, &error) : -1;
  ss_h5_answer first = {.good = s.file >= 0, .bytes = s.file >= 0 ? 0 : sizeof error};
  limit_time(0);
  good =
    good && ss_h5_send(socket, &first, sizeof first) && ss_h5_send(socket, &error, (size_t)first.bytes) && s.file >= 0;
  while (good && ss_h5_receive(socket, &q, sizeof q)) {
    limit_time(SECONDS);
    H5Eclear2(H5E_DEFAULT);
    errno = 0;
    good = answer(&s, &q);
  }
}
