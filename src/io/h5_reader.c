// What is asked of the process that reads an HDF5 file, and what is believed of its answers.
#include "io/h5_reader.h"
#include "base/text.h"
#include "io/h5.h"
#include "io/h5_process.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
  SLICE = 8 << 20,  // bytes of data asked for at a time
  PACKING = 1100,   // most that compression can do: 1032 for deflate [RFC 1951]
};

struct ss_h5_reader {
  ss_h5_process process;
  char* path;
  uint64_t file_size;
  ss_status failure;
  bool no_memory;
};

// ---- asking ----

ss_status ss_h5_reader_failure(const ss_h5_reader* r, ss_error* error)
{
  if (r->failure == SS_OK) return SS_OK;
  if (r->failure == SS_ERR_MEMORY) return ss_error_set(error, SS_ERR_MEMORY, "not enough memory to read '%s'", r->path);
  if (r->no_memory)
    return ss_error_set(error, SS_ERR_FILE, "cannot read '%s': there is not enough memory, or it is damaged", r->path);
  return ss_error_set(error, r->failure, "'%s' is damaged, or memory is short: it cannot be read", r->path);
}

uint64_t ss_h5_reader_room(const ss_h5_reader* r) { return PACKING*r->file_size; }

static ss_h5_question question(ss_h5_what what, const char* object, const char* name)
{
  ss_h5_question q = {.what = what};
  snprintf(q.object, sizeof q.object, "%s", object);
  snprintf(q.name, sizeof q.name, "%s", name);
  return q;
}

static void note(ss_h5_reader* r, const ss_h5_answer* a)
{
  r->no_memory = a->no_memory;
  if (a->no_memory) r->failure = SS_ERR_FILE;
}

// True if there was an answer, and a good one. *body (the caller frees it) is NULL if not.
static bool ask(ss_h5_reader* r, const ss_h5_question* q, ss_h5_answer* a, uint64_t most, void** body)
{
  *body = NULL;
  if (r->failure) return false;
  r->failure = ss_h5_process_ask(&r->process, q, a, most, NULL, body);
  if (r->failure == SS_OK && a->good) return true;
  if (r->failure == SS_OK) note(r, a);
  free(*body);
  *body = NULL;
  return false;
}

static bool is_there(ss_h5_reader* r, ss_h5_what what, const char* object, const char* name)
{
  ss_h5_question q = question(what, object, name);
  ss_h5_answer a;
  void* body;
  bool good = ask(r, &q, &a, 0, &body);
  free(body);
  return good;
}

bool ss_h5_reader_has(ss_h5_reader* r, const char* object) { return is_there(r, SS_H5_ASK_OBJECT, object, ""); }

bool ss_h5_reader_has_attribute(ss_h5_reader* r, const char* object, const char* name)
{
  return is_there(r, SS_H5_ASK_ATTRIBUTE, object, name);
}

// ---- attributes ----

// n texts behind the list of them, in one block; false if there are not as many
static bool list_texts(char** list, const char* all, uint64_t bytes, int n)
{
  char* at = (char*)(list + n + 1);
  uint64_t left = bytes;
  memcpy(at, all, bytes);
  for (int i = 0; i < n; i++) {
    size_t length = strnlen(at, left);
    if (length == left) return false;
    list[i] = at;
    at += length + 1;
    left -= length + 1;
  }
  list[n] = NULL;
  return true;
}

// A text has at least one byte in the file, and one more here
char** ss_h5_reader_texts(ss_h5_reader* r, const char* object, const char* name, int* n)
{
  ss_h5_question q = question(SS_H5_ASK_TEXTS, object, name);
  ss_h5_answer a;
  void* body;
  if (!ask(r, &q, &a, 2*r->file_size, &body)) return NULL;
  char** list = malloc(((size_t)a.n + 1)*sizeof *list + a.bytes);
  if (!list) r->failure = SS_ERR_MEMORY;
  if (list && ((uint64_t)a.n > r->file_size || !list_texts(list, body, a.bytes, a.n))) {
    free(list);
    list = NULL;
  }
  free(body);
  for (int i = 0; list && i < a.n; i++) ss_remove_control(list[i]);
  *n = a.n;
  return list;
}

char* ss_h5_reader_text(ss_h5_reader* r, const char* object, const char* name)
{
  int n = 0;
  char** list = ss_h5_reader_texts(r, object, name, &n);
  char* text = list && n == 1 ? ss_strdup(list[0]) : NULL;
  if (list && n == 1 && !text) r->failure = SS_ERR_MEMORY;
  free(list);
  return text;
}

// A number has at least two bytes in the file
double* ss_h5_reader_numbers(ss_h5_reader* r, const char* object, const char* name, int* n)
{
  ss_h5_question q = question(SS_H5_ASK_NUMBERS, object, name);
  ss_h5_answer a;
  void* body;
  if (!ask(r, &q, &a, 4*r->file_size, &body)) return NULL;
  *n = a.n;
  if (a.bytes == (uint64_t)a.n*sizeof(double)) return body;
  free(body);
  return NULL;
}

bool ss_h5_reader_number(ss_h5_reader* r, const char* object, const char* name, double* value)
{
  int n = 0;
  double* list = ss_h5_reader_numbers(r, object, name, &n);
  bool good = list && n == 1;
  if (good) *value = list[0];
  free(list);
  return good;
}

bool ss_h5_reader_integer(ss_h5_reader* r, const char* object, const char* name, long* value)
{
  ss_h5_question q = question(SS_H5_ASK_INTEGER, object, name);
  ss_h5_answer a;
  void* body;
  int64_t number = 0;
  if (!ask(r, &q, &a, sizeof number, &body)) return false;
  bool good = a.bytes == sizeof number;
  if (good) memcpy(&number, body, sizeof number);
  free(body);
  *value = (long)number;
  return good;
}

// ---- data sets ----

bool ss_h5_reader_set(ss_h5_reader* r, const char* path, ss_h5_set* set)
{
  ss_h5_question q = question(SS_H5_ASK_SET, path, "");
  ss_h5_answer a;
  void* body;
  if (strlen(path) >= SS_H5_PATH || !ask(r, &q, &a, sizeof *set, &body)) return false;
  bool good = a.bytes == sizeof *set;
  if (good) memcpy(set, body, sizeof *set);
  free(body);
  return good && set->rank >= 0 && set->size >= 0;
}

// In slices, so that the other process needs no more memory than for one
bool ss_h5_reader_read(ss_h5_reader* r, const char* path, ss_number number, int rank, uint64_t first,
                       const uint64_t size[SS_H5_RANK], void* out)
{
  ss_h5_question q = question(SS_H5_ASK_DATA, path, "");
  uint64_t row = ss_number_size(number);
  for (int i = 1; i < rank; i++) row *= size[i];
  uint64_t most = SLICE / row ? SLICE / row : 1, rows = rank ? size[0] : 1;
  q.number = number;
  q.rank = rank;
  memcpy(q.size, size, sizeof q.size);
  for (uint64_t done = 0; done < rows && r->failure == SS_OK; done += q.size[0]) {
    ss_h5_answer a;
    q.first = first + done;
    q.size[0] = rows - done < most ? rows - done : most;
    r->failure = ss_h5_process_ask(&r->process, &q, &a, q.size[0]*row, (char*)out + done*row, NULL);
    if (r->failure == SS_OK && !a.good) {
      note(r, &a);
      return false;
    }
  }
  return r->failure == SS_OK;
}

// ---- opening and closing ----

void ss_h5_reader_close(ss_h5_reader* r)
{
  if (!r) return;
  ss_h5_process_stop(&r->process);
  free(r->path);
  free(r);
}

// The first question: whether it is open. False and *error if not.
static bool is_open(ss_h5_reader* r, ss_error* error)
{
  ss_h5_question q = {.what = SS_H5_ASK_OPENED};
  ss_h5_answer a;
  void* body = NULL;
  r->failure = ss_h5_process_ask(&r->process, &q, &a, sizeof(ss_error), NULL, &body);
  bool good = r->failure == SS_OK && a.good;
  if (r->failure == SS_OK && !good && a.bytes == sizeof(ss_error)) {
    if (error) memcpy(error, body, sizeof *error);
  } else if (!good) {
    if (r->failure == SS_OK) r->failure = SS_ERR_FILE;
    ss_h5_reader_failure(r, error);
  }
  free(body);
  return good;
}

ss_h5_reader* ss_h5_reader_open(const char* path, const char* expected, bool* is_other, ss_error* error)
{
  struct stat info = {0};
  bool other = !ss_h5_is_hdf5(path, expected, error);
  if (is_other) *is_other = other;
  if (other) return NULL;
  ss_h5_reader* r = calloc(1, sizeof *r);
  if (r) r->path = ss_strdup(path);
  if (!r || !r->path) {
    free(r);
    ss_error_set(error, SS_ERR_MEMORY, "out of memory");
    return NULL;
  }
  r->process.socket = -1;
  bool good = stat(path, &info) == 0 && ss_h5_process_start(&r->process, path, expected);
  if (!good) ss_error_set(error, SS_ERR_FILE, "cannot start a process that reads '%s': %s", path, strerror(errno));
  r->file_size = (uint64_t)info.st_size;
  if (good && is_open(r, error)) return r;
  ss_h5_reader_close(r);
  return NULL;
}
