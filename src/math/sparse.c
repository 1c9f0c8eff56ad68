// Sparse matrices compressed by rows: made from triplets, checked, multiplied, transposed.
#include "base/text.h"
#include "math/sparse.h"
#include <math.h>
#include <stdlib.h>

// Arrays for `count` entries; false if memory is short
static bool allocate(int rows, int cols, int count, int** start, int** col, double** value, ss_sparse* out)
{
  *start = calloc((size_t)rows + 2, sizeof **start);
  *col = malloc(((size_t)count + 1)*sizeof **col);
  *value = malloc(((size_t)count + 1)*sizeof **value);
  *out = (ss_sparse){rows, cols, *start, *col, *value};
  if (*start && *col && *value) return true;
  ss_sparse_free(out);
  return false;
}

void ss_sparse_free(ss_sparse* matrix)
{
  if (!matrix) return;
  free((int*)matrix->start);
  free((int*)matrix->col);
  free((double*)matrix->value);
  *matrix = (ss_sparse){0};
}

static ss_status check_triplets(int rows, int cols, int count, const int* row, const int* col, const double* x,
                                ss_error* error)
{
  if (rows < 0 || cols < 0 || count < 0) return ss_error_set(error, SS_ERR_ARGUMENT, "a size is negative");
  for (int e = 0; e < count; e++) {
    if (row[e] < 0 || row[e] >= rows || col[e] < 0 || col[e] >= cols)
      return ss_error_set(error, SS_ERR_INPUT, "entry %d is at row %d, column %d of a %d x %d matrix (from 0)", e,
                          row[e], col[e], rows, cols);
    if (!isfinite(x[e]))
      return ss_error_set(error, SS_ERR_NUMERIC, "entry %d (row %d, column %d) is not a finite number", e, row[e],
                          col[e]);
  }
  return SS_OK;
}

bool ss_sparse_transpose(const ss_sparse* A, ss_sparse* out)
{
  int *start, *col;
  double* value;
  if (!allocate(A->cols, A->rows, A->start[A->rows], &start, &col, &value, out)) return false;
  int entries = A->start[A->rows];
  for (int e = 0; e < entries; e++) start[A->col[e] + 1]++;
  for (int j = 0; j < A->cols; j++) start[j + 1] += start[j];
  for (int i = 0; i < A->rows; i++)
    for (int e = A->start[i]; e < A->start[i + 1]; e++) {
      int at = start[A->col[e]]++;
      col[at] = i;
      value[at] = A->value[e];
    }
  for (int j = A->cols; j > 0; j--) start[j] = start[j - 1];  // filling moved each start to the next one
  start[0] = 0;
  return true;
}

// Neighbours in sorted rows that have the same column become one
static void add_up(int rows, int* start, int* col, double* value)
{
  int to = 0, from = 0;
  for (int i = 0; i < rows; i++) {
    int begin = to, end = start[i + 1];
    for (; from < end; from++) {
      if (to > begin && col[to - 1] == col[from]) value[to - 1] += value[from];
      else {
        col[to] = col[from];
        value[to++] = value[from];
      }
    }
    start[i + 1] = to;
  }
}

ss_status ss_sparse_from_triplets(int rows, int cols, int count, const int* row, const int* col, const double* x,
                                  ss_sparse* out, ss_error* error)
{
  if (!out || (count > 0 && (!row || !col || !x))) return ss_error_null(error, "the list of entries or the matrix");
  ss_status status = check_triplets(rows, cols, count, row, col, x, error);
  if (status < 0) return status;
  int *start, *c;
  double* value;
  ss_sparse by_column, sorted;
  if (!allocate(cols, rows, count, &start, &c, &value, &by_column))
    return ss_error_set(error, SS_ERR_MEMORY, "not enough memory for a matrix of %d entries", count);
  for (int e = 0; e < count; e++) start[col[e] + 1]++;
  for (int j = 0; j < cols; j++) start[j + 1] += start[j];
  for (int e = 0; e < count; e++) {
    int at = start[col[e]]++;
    c[at] = row[e];
    value[at] = x[e];
  }
  for (int j = cols; j > 0; j--) start[j] = start[j - 1];
  start[0] = 0;
  bool good = ss_sparse_transpose(&by_column, &sorted);  // sorts the rows
  ss_sparse_free(&by_column);
  if (!good) return ss_error_set(error, SS_ERR_MEMORY, "not enough memory for a matrix of %d entries", count);
  add_up(rows, (int*)sorted.start, (int*)sorted.col, (double*)sorted.value);
  *out = sorted;
  return SS_OK;
}

ss_status ss_sparse_from_dense(int rows, int cols, const double* dense, ss_sparse* out, ss_error* error)
{
  if (!out || (!dense && rows > 0 && cols > 0)) return ss_error_null(error, "the numbers or the matrix");
  int count = 0, *start, *col;
  double* value;
  size_t size = (size_t)rows*(size_t)cols;
  for (size_t e = 0; e < size; e++) {
    if (!isfinite(dense[e]))
      return ss_error_set(error, SS_ERR_NUMERIC, "an entry of the matrix is not a finite number");
    count += dense[e] != 0;
  }
  if (!allocate(rows, cols, count, &start, &col, &value, out))
    return ss_error_set(error, SS_ERR_MEMORY, "not enough memory for a matrix of %d entries", count);
  int to = 0;
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < cols; j++) {
      double x = dense[(size_t)i*(size_t)cols + (size_t)j];
      if (x == 0) continue;
      col[to] = j;
      value[to++] = x;
    }
    start[i + 1] = to;
  }
  return SS_OK;
}

ss_status ss_sparse_check(const ss_sparse* A, const char* name, ss_error* error)
{
  if (!A) return ss_error_null(error, "the matrix");
  if (A->rows < 0 || A->cols < 0 || !A->start || A->start[0] != 0)
    return ss_error_set(error, SS_ERR_ARGUMENT, "%s has no valid size or no row starts", name);
  for (int i = 0; i < A->rows; i++) {
    if (A->start[i + 1] < A->start[i])
      return ss_error_set(error, SS_ERR_ARGUMENT, "the starts of the rows of %s fall at row %d", name, i);
    for (int e = A->start[i]; e < A->start[i + 1]; e++) {
      int j = A->col[e];
      if (j < 0 || j >= A->cols || (e > A->start[i] && j <= A->col[e - 1]))
        return ss_error_set(error, SS_ERR_ARGUMENT, "row %d of %s: column %d is outside or not above the one before", i,
                            name, j);
      if (!isfinite(A->value[e]))
        return ss_error_set(error, SS_ERR_NUMERIC, "%s[%d][%d] is not a finite number", name, i, j);
    }
  }
  return SS_OK;
}

void ss_sparse_dense(const ss_sparse* A, double* out)
{
  size_t rows = (size_t)A->rows, cols = (size_t)A->cols;
  for (size_t k = 0; k < rows*cols; k++) out[k] = 0;
  for (size_t i = 0; i < rows; i++)
    for (int e = A->start[i]; e < A->start[i + 1]; e++) out[i*cols + (size_t)A->col[e]] = A->value[e];
}

double ss_sparse_entry(const ss_sparse* A, int i, int j)
{
  int low = A->start[i], high = A->start[i + 1];
  while (low < high) {
    int middle = low + (high - low)/2;
    if (A->col[middle] < j) low = middle + 1;
    else high = middle;
  }
  return low < A->start[i + 1] && A->col[low] == j ? A->value[low] : 0;
}

void ss_sparse_multiply_add(const ss_sparse* A, const double* x, double* y)
{
  for (int i = 0; i < A->rows; i++) {
    double sum = 0;
    for (int e = A->start[i]; e < A->start[i + 1]; e++) sum += A->value[e]*x[A->col[e]];
    y[i] += sum;
  }
}

void ss_sparse_multiply_add_t(const ss_sparse* A, const double* x, double* y)
{
  for (int i = 0; i < A->rows; i++)
    for (int e = A->start[i]; e < A->start[i + 1]; e++) y[A->col[e]] += A->value[e]*x[i];
}
