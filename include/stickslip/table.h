// Tables of numbers with named columns, as files: what a sweep gives.
#ifndef STICKSLIP_TABLE_H
#define STICKSLIP_TABLE_H

#include <stickslip/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ss_number_table {
  int n_columns;
  long n_rows;
  char** name;    ///< n_columns
  double* value;  ///< n_rows x n_columns, row by row
} ss_number_table;

/// Reads CSV with a line of names first, or HDF5 as ss_table_save() writes it. NULL and *error (with the line) if it
/// cannot be. HDF5 is read in a child process, as run files are (stickslip/record.h).
SS_API ss_number_table* ss_table_load(const char* path, ss_error* error);
SS_API void ss_table_destroy(ss_number_table* table);  ///< NULL is fine

/// Writes HDF5: a group "table" with one data set for each column. An existing file is replaced once all is written.
SS_API ss_status ss_table_save(const char* path, const ss_number_table* table, ss_error* error);

/// The number of a column, -1 if there is none of this name.
SS_API int ss_table_column(const ss_number_table* table, const char* name);

#ifdef __cplusplus
}
#endif
#endif
