// Tables of numbers: CSV read, HDF5 read and written.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <stickslip/table.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "io/atomic.h"
#include "io/h5.h"
#include "io/h5_reader.h"

enum { MAX_COLUMNS = 1000, MAX_NAME = 1000, MAX_ROWS = 1 << 30 };

void ss_table_destroy(ss_number_table* t)
{
  if (!t) return;
  for (int i = 0; t->name && i < t->n_columns; i++) free(t->name[i]);
  free(t->name);
  free(t->value);
  free(t);
}

int ss_table_column(const ss_number_table* t, const char* name)
{
  if (!t || !name) return -1;
  for (int i = 0; i < t->n_columns; i++)
    if (strcmp(t->name[i], name) == 0) return i;
  return -1;
}

static ss_number_table* create(int n_columns)
{
  ss_number_table* t = calloc(1, sizeof *t);
  if (t) t->name = calloc((size_t)n_columns + 1, sizeof *t->name);
  if (t && t->name) return t;
  ss_table_destroy(t);
  return NULL;
}

// ---- CSV ----

static bool read_line(FILE* f, char** line, size_t* room)
{
  ssize_t n = getline(line, room, f);
  if (n < 0) return false;
  while (n > 0 && ((*line)[n - 1] == '\n' || (*line)[n - 1] == '\r')) (*line)[--n] = 0;
  return true;
}

static ss_number_table* read_names(char* line, ss_error* error)
{
  ss_number_table* t = create(MAX_COLUMNS);
  if (!t) {
    ss_error_set(error, SS_ERR_MEMORY, "out of memory");
    return NULL;
  }
  for (char* p = line; p && t->n_columns < MAX_COLUMNS;) {
    char* comma = strchr(p, ',');
    if (comma) *comma = 0;
    t->name[t->n_columns] = ss_strdup(p);
    if (!t->name[t->n_columns++]) {
      ss_error_set(error, SS_ERR_MEMORY, "out of memory");
      ss_table_destroy(t);
      return NULL;
    }
    p = comma ? comma + 1 : NULL;
  }
  return t;
}

// A number, also inf and nan: what a sweep could not find out stands so in its tables
static double read_value(const char* text, const char** end)
{
  char* stop;
  ss_c_numbers numbers = ss_c_numbers_begin();
  double x = strtod(text, &stop);
  ss_c_numbers_end(numbers);
  *end = stop;
  return x;
}

// One row; false if it does not hold as many numbers as there are columns
static bool read_row(const ss_number_table* t, const char* line, double* row)
{
  const char* p = line;
  for (int i = 0; i < t->n_columns; i++) {
    const char* end;
    row[i] = read_value(p, &end);
    if (end == p || (*end != ',' && *end != 0) || (*end == ',') != (i + 1 < t->n_columns)) return false;
    p = end + 1;
  }
  return true;
}

// Not all of the file was read
static bool cut_off(const char* path, ss_error* error)
{
  bool memory = errno == ENOMEM;
  ss_error_set(error, memory ? SS_ERR_MEMORY : SS_ERR_FILE, "cannot read '%s': %s", path,
               memory ? "out of memory" : strerror(errno));
  return false;
}

static ss_number_table* load_csv(const char* path, ss_error* error)
{
  FILE* f = ss_open_stream(path, error);
  char* line = NULL;
  size_t room = 0;
  long rows = 0;
  if (!f) return NULL;
  errno = 0;
  bool good = read_line(f, &line, &room);
  if (!good && errno == EISDIR) ss_error_set(error, SS_ERR_FILE, "cannot read '%s': it is a directory", path);
  else if (!good && feof(f)) ss_error_set(error, SS_ERR_INPUT, "'%s' is empty", path);
  else if (!good) cut_off(path, error);
  ss_number_table* t = good ? read_names(line, error) : NULL;
  good = t != NULL;
  while (good && read_line(f, &line, &room)) {
    if (t->n_rows == rows) {
      rows = 2*rows + 1024;
      double* value = realloc(t->value, sizeof *value*(size_t)rows*(size_t)t->n_columns);
      good = value != NULL;
      if (good) t->value = value;
      else ss_error_set(error, SS_ERR_MEMORY, "out of memory");
    }
    if (good && !read_row(t, line, t->value + t->n_rows*t->n_columns)) {
      ss_error_set(error, SS_ERR_INPUT, "'%s', line %ld: not a row of %d numbers", path, t->n_rows + 2, t->n_columns);
      good = false;
    }
    if (good) t->n_rows++;
  }
  if (good && !feof(f)) good = cut_off(path, error);
  free(line);
  fclose(f);
  if (good) return t;
  ss_table_destroy(t);
  return NULL;
}

// ---- HDF5 ----

static bool write_columns(hid_t group, const ss_number_table* t, double* column)
{
  hsize_t n = (hsize_t)t->n_rows;
  hid_t space = H5Screate_simple(1, &n, NULL), list = H5Pcreate(H5P_DATASET_CREATE);
  bool good = space >= 0 && list >= 0 && H5Pset_obj_track_times(list, false) >= 0;
  for (int i = 0; good && i < t->n_columns; i++) {
    for (long k = 0; k < t->n_rows; k++) column[k] = t->value[k*t->n_columns + i];
    hid_t set = H5Dcreate2(group, t->name[i], H5T_IEEE_F64LE, space, H5P_DEFAULT, list, H5P_DEFAULT);
    good = set >= 0 && H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, column) >= 0;
    if (set >= 0) H5Dclose(set);
  }
  if (space >= 0) H5Sclose(space);
  if (list >= 0) H5Pclose(list);
  return good;
}

ss_status ss_table_save(const char* path, const ss_number_table* t, ss_error* error)
{
  if (!path || !t) return ss_error_null(error, "the path or the table");
  ss_atomic file;
  int failure = 0;
  if (!ss_atomic_start(&file, path, error)) return SS_ERR_FILE;
  ss_h5_voice voice = ss_h5_silence();
  double* column = malloc(sizeof *column*((size_t)t->n_rows + 1));
  // no times in the file: equal tables are equal files
  hid_t access = ss_h5_access(&failure), layout = H5Pcreate(H5P_FILE_CREATE), list = H5Pcreate(H5P_GROUP_CREATE);
  H5Pset_obj_track_times(layout, false);
  H5Pset_obj_track_times(list, false);
  hid_t f = H5Fcreate(file.temporary, H5F_ACC_TRUNC, layout, access), group = -1;
  if (f >= 0) group = H5Gcreate2(f, "table", H5P_DEFAULT, list, H5P_DEFAULT);
  H5Pclose(list);
  H5Pclose(layout);
  H5Pclose(access);
  bool good = column && group >= 0 && ss_h5_put_texts(group, "columns", t->n_columns, (const char* const*)t->name) &&
              write_columns(group, t, column);
  if (group >= 0) H5Gclose(group);
  if (f >= 0) good = H5Fclose(f) >= 0 && good;
  good = good && failure == 0;
  ss_h5_speak(voice);
  free(column);
  ss_status st = ss_atomic_finish(&file, good, error);
  return good ? st : ss_atomic_error(path, failure, error);
}

static void not_a_table(const char* path, ss_error* error)
{
  ss_error_set(error, SS_ERR_FILE, "'%s' is no table of a sweep, or it is damaged", path);
}

// The rows of a column; negative if there is no such column, or if they cannot all be in the file
static long count_rows(ss_h5_reader* file, const char* column)
{
  ss_h5_set set;
  if (!ss_h5_reader_set(file, column, &set) || set.class != SS_H5_FLOAT || set.rank != 1) return -1;
  return set.dims[0] <= MAX_ROWS && set.dims[0] <= set.room / sizeof(float) ? (long)set.dims[0] : -1;
}

static bool read_column(ss_h5_reader* file, ss_number_table* t, int i, double* column)
{
  char path[MAX_NAME + 16];
  uint64_t size[SS_H5_RANK] = {(uint64_t)t->n_rows};
  snprintf(path, sizeof path, "/table/%s", t->name[i]);
  if (count_rows(file, path) != t->n_rows) return false;
  if (t->n_rows && !ss_h5_reader_read(file, path, SS_F64, 1, 0, size, column)) return false;
  for (long k = 0; k < t->n_rows; k++) t->value[k*t->n_columns + i] = column[k];
  return true;
}

// False, and *error if memory is short
static bool read_columns(ss_h5_reader* file, ss_number_table* t, ss_error* error)
{
  char path[MAX_NAME + 16];
  snprintf(path, sizeof path, "/table/%s", t->n_columns ? t->name[0] : "");
  t->n_rows = count_rows(file, path);
  if (t->n_rows < 0) return false;
  t->value = malloc(sizeof *t->value*((size_t)t->n_rows*(size_t)t->n_columns + 1));
  double* column = malloc(sizeof *column*((size_t)t->n_rows + 1));
  bool good = t->value && column;
  if (!good) ss_error_set(error, SS_ERR_MEMORY, "not enough memory for the %ld rows of the table", t->n_rows);
  for (int i = 0; good && i < t->n_columns; i++) good = read_column(file, t, i, column);
  free(column);
  return good;
}

static ss_number_table* read_names_of(ss_h5_reader* file)
{
  int n = 0;
  char** names = ss_h5_reader_texts(file, "/table", "columns", &n);
  ss_number_table* t = names && n >= 1 && n <= MAX_COLUMNS ? create(n) : NULL;
  bool good = t;
  for (int i = 0; good && i < n; i++) {
    good = strlen(names[i]) <= MAX_NAME && (t->name[i] = ss_strdup(names[i]));
    t->n_columns = i + 1;
  }
  free(names);
  if (good) return t;
  ss_table_destroy(t);
  return NULL;
}

static ss_number_table* load_hdf5(ss_h5_reader* file, const char* path, ss_error* error)
{
  ss_error inner = {0};
  ss_number_table* t = read_names_of(file);
  if (t && read_columns(file, t, &inner)) return t;
  ss_table_destroy(t);
  if (inner.status < 0 && error) *error = inner;
  else if (ss_h5_reader_failure(file, error) == SS_OK) not_a_table(path, error);
  return NULL;
}

ss_number_table* ss_table_load(const char* path, ss_error* error)
{
  if (!path) {
    ss_error_null(error, "the path");
    return NULL;
  }
  bool is_other;
  ss_error local = {0};
  ss_h5_reader* file = ss_h5_reader_open(path, "a table", &is_other, &local);
  if (!file && is_other) return load_csv(path, error);
  if (!file && error) *error = local;
  ss_number_table* t = file ? load_hdf5(file, path, error) : NULL;
  ss_h5_reader_close(file);
  return t;
}
