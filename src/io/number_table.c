// Tables of numbers: CSV read, HDF5 read and written.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stickslip/table.h>

#include "base/text.h"
#include "io/atomic.h"
#include "io/h5.h"

#define MAX_COLUMNS 1000

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
    if (!t->name[t->n_columns++]) break;
    p = comma ? comma + 1 : NULL;
  }
  return t;
}

// One row; false if it does not hold as many numbers as there are columns
static bool read_row(const ss_number_table* t, const char* line, double* row)
{
  const char* p = line;
  for (int i = 0; i < t->n_columns; i++) {
    char* end;
    row[i] = strtod(p, &end);
    if (end == p || (*end != ',' && *end != 0) || (*end == ',') != (i + 1 < t->n_columns)) return false;
    p = end + 1;
  }
  return true;
}

static ss_number_table* load_csv(const char* path, ss_error* error)
{
  FILE* f = fopen(path, "r");
  char* line = NULL;
  size_t room = 0;
  long rows = 0;
  if (!f) {
    ss_error_set(error, SS_ERR_FILE, "cannot read '%s': %s", path, strerror(errno));
    return NULL;
  }
  ss_number_table* t = read_line(f, &line, &room) ? read_names(line, error) : NULL;
  if (!t && (!error || error->status >= 0)) ss_error_set(error, SS_ERR_INPUT, "'%s' is empty", path);
  bool good = t != NULL;
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
  bool good = column && group >= 0 &&
              ss_h5_put_texts(group, "columns", t->n_columns, (const char* const*)t->name) &&
              write_columns(group, t, column);
  if (group >= 0) H5Gclose(group);
  if (f >= 0) good = H5Fclose(f) >= 0 && good;
  good = good && failure == 0;
  ss_h5_speak(voice);
  free(column);
  ss_status st = ss_atomic_finish(&file, good, error);
  return good ? st : ss_atomic_error(path, failure, error);
}

static bool read_columns(hid_t group, ss_number_table* t)
{
  double* column = NULL;
  bool good = true;
  for (int i = 0; good && i < t->n_columns; i++) {
    hid_t set = H5Dopen2(group, t->name[i], H5P_DEFAULT), space = set >= 0 ? H5Dget_space(set) : -1;
    hssize_t n = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    if (i == 0 && n >= 0) {
      t->n_rows = (long)n;
      t->value = malloc(sizeof *t->value*((size_t)n*(size_t)t->n_columns + 1));
      column = malloc(sizeof *column*((size_t)n + 1));
    }
    good = n >= 0 && n == t->n_rows && t->value && column &&
           H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, column) >= 0;
    for (long k = 0; good && k < t->n_rows; k++) t->value[k*t->n_columns + i] = column[k];
    if (space >= 0) H5Sclose(space);
    if (set >= 0) H5Dclose(set);
  }
  free(column);
  return good;
}

static ss_number_table* load_hdf5(hid_t f, const char* path, ss_error* error)
{
  int n = 0;
  ss_number_table* t = NULL;
  hid_t group = H5Gopen2(f, "table", H5P_DEFAULT);
  char** names = group >= 0 ? ss_h5_get_texts(group, "columns", &n) : NULL;
  if (names) t = create(n);
  for (int i = 0; t && i < n; i++) {
    t->name[i] = ss_strdup(names[i]);
    t->n_columns = i + 1;
  }
  bool good = t && read_columns(group, t);
  free(names);
  if (group >= 0) H5Gclose(group);
  if (good) return t;
  ss_table_destroy(t);
  ss_error_set(error, SS_ERR_INPUT, "'%s' is no table of a sweep", path);
  return NULL;
}

ss_number_table* ss_table_load(const char* path, ss_error* error)
{
  ss_error local = {0};
  ss_h5_voice voice = ss_h5_silence();
  hid_t f = ss_h5_open(path, "a table", &local);
  ss_number_table* t = f >= 0 ? load_hdf5(f, path, error) : NULL;
  if (f >= 0) H5Fclose(f);
  ss_h5_speak_after(voice, t != NULL);
  if (f >= 0) return t;
  if (f == SS_H5_NO_FILE) return load_csv(path, error);
  if (error) *error = local;
  return NULL;
}
