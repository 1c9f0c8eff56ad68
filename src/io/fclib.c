// Reads FCLIB problems [Acary, Bremond, Koziara & Perignon 2014], HDF5 files with one of two groups:
//   /fclib_local   W, vectors/{q, mu}            u = W r + q
//   /fclib_global  M, H, vectors/{f, w, mu}      M v = H r + f,  u = H^T v + w
// and spacedim. Bilateral rows, with impulses l, become the first rows of the problem:
//   local          V, R, vectors/s               u = W r + V l + q,        V^T r + R l + s = 0
//   global         G, vectors/b                  M v = H r + G l + f,      G^T v + b = 0
// A matrix is a group with m, n, nz, nzmax, p, i, x: nz = -1 compressed columns, -2 compressed rows, nz >= 0 triplets
// (row i, column p; entries at the same place add up). Solutions and guesses in the file are not read.
#include "base/text.h"
#include "io/h5_reader.h"
#include "io/problem.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT_MAX = INT_MAX - 1 };  // numbers in one array

typedef struct reader {
  ss_h5_reader* file;
  const char* path;
  ss_error* error;
} reader;

static bool refuse(const reader* r, const char* where, const char* what)
{
  if (ss_h5_reader_failure(r->file, r->error) == SS_OK) ss_error_set(r->error, SS_ERR_INPUT, "%s %s", where, what);
  if (r->error) snprintf(r->error->file, sizeof r->error->file, "%s", r->path);
  return false;
}

static bool exists(const reader* r, const char* path) { return ss_h5_reader_has(r->file, path); }

// ---- arrays ----

// How many numbers of the class the data set holds; negative and a complaint if it is not such a data set, or if they
// cannot all be in the file: memory for what a damaged header promises must not be taken
static long count_of(const reader* r, const char* path, const ss_h5_set* set, ss_h5_class class)
{
  uint64_t count = 1;
  if (set->class != class || set->size < 1 || set->size > 16)  // long double at most
    return refuse(r, path, class == SS_H5_INTEGER ? "does not hold integers" : "does not hold numbers") - 1L;
  bool good = set->rank <= SS_H5_RANK;
  for (int i = 0; good && i < set->rank; i++) {
    good = set->dims[i] <= COUNT_MAX && count*set->dims[i] <= COUNT_MAX;
    count *= set->dims[i];
  }
  good = good && count*(uint64_t)set->size <= set->room;
  return good ? (long)count : refuse(r, path, "is damaged or too large") - 1L;
}

// All numbers of a data set, as int or double; the caller frees them. NULL and a complaint on failure
static void* read_array(const reader* r, const char* path, ss_h5_class class, int* n)
{
  ss_h5_set set;
  ss_number number = class == SS_H5_INTEGER ? SS_I32 : SS_F64;
  if (!ss_h5_reader_set(r->file, path, &set)) {
    refuse(r, path, exists(r, path) ? "is not a data set" : "is missing");
    return NULL;
  }
  long count = count_of(r, path, &set, class);
  if (count < 0) return NULL;
  void* data = malloc(((size_t)count + 1)*ss_number_size(number));
  *n = (int)count;
  if (!data) ss_error_set(r->error, SS_ERR_MEMORY, "not enough memory for %s, %ld numbers", path, count);
  else if (count == 0 || ss_h5_reader_read(r->file, path, number, set.rank, 0, set.dims, data)) return data;
  else refuse(r, path, "cannot be read: the file is damaged");
  free(data);
  return NULL;
}

static bool read_integer(const reader* r, const char* path, int* value)
{
  int n = 0;
  int* data = read_array(r, path, SS_H5_INTEGER, &n);
  bool good = data && (n == 1 || refuse(r, path, "must hold one integer"));
  if (good) *value = data[0];
  free(data);
  return good;
}

// n numbers, all finite
static double* read_vector(const reader* r, const char* path, int n)
{
  int count = 0;
  double* x = read_array(r, path, SS_H5_FLOAT, &count);
  char text[96];
  if (!x) return NULL;
  bool good = n < 0 || count == n;
  if (!good) {
    snprintf(text, sizeof text, "has %d numbers; it must have %d", count, n);
    refuse(r, path, text);
  }
  for (int i = 0; good && i < count; i++)
    if (!isfinite(x[i])) {
      snprintf(text, sizeof text, "has an entry (number %d) that is not finite", i);
      good = refuse(r, path, text);
    }
  if (good) return x;
  free(x);
  return NULL;
}

// ---- matrices ----

typedef struct raw_matrix {
  int m, n, nz, np, ni, nx;
  int *p, *i;
  double* x;
} raw_matrix;

static const char* part_of(char* out, size_t size, const char* group, const char* name)
{
  snprintf(out, size, "%s/%s", group, name);
  return out;
}

static bool read_parts(const reader* r, const char* group, raw_matrix* a)
{
  char path[128];
  if (!exists(r, group)) return refuse(r, group, "is missing");
  if (!read_integer(r, part_of(path, sizeof path, group, "m"), &a->m) ||
      !read_integer(r, part_of(path, sizeof path, group, "n"), &a->n) ||
      !read_integer(r, part_of(path, sizeof path, group, "nz"), &a->nz))
    return false;
  a->p = read_array(r, part_of(path, sizeof path, group, "p"), SS_H5_INTEGER, &a->np);
  if (!a->p) return false;
  a->i = read_array(r, part_of(path, sizeof path, group, "i"), SS_H5_INTEGER, &a->ni);
  if (!a->i) return false;
  a->x = read_array(r, part_of(path, sizeof path, group, "x"), SS_H5_FLOAT, &a->nx);
  return a->x;
}

// Starts of rows or columns written out as one index per entry, in place of p
static bool expand(const reader* r, const char* group, raw_matrix* a, int lines, int* count)
{
  if (a->np != lines + 1 || a->p[0] != 0)
    return refuse(r, group, "has a list p that is not one start per line and the end, from 0");
  for (int k = 0; k < lines; k++)
    if (a->p[k + 1] < a->p[k]) return refuse(r, group, "has starts p that fall");
  *count = a->p[lines];
  if (*count > a->ni || *count > a->nx) return refuse(r, group, "has starts p that point behind the end of i or x");
  int* line = malloc(((size_t)*count + 1)*sizeof *line);
  if (!line) {
    ss_error_set(r->error, SS_ERR_MEMORY, "not enough memory for %s", group);
    return false;
  }
  for (int k = 0; k < lines; k++)
    for (int e = a->p[k]; e < a->p[k + 1]; e++) line[e] = k;
  free(a->p);
  a->p = line;
  return true;
}

static bool convert(const reader* r, const char* group, raw_matrix* a, ss_sparse* out)
{
  int count = a->nz;
  uint64_t most = ss_h5_reader_room(r->file)/sizeof(float);  // each row and column has a number in some vector, too
  if (a->m < 0 || a->n < 0 || a->m > COUNT_MAX || a->n > COUNT_MAX || (uint64_t)a->m > most || (uint64_t)a->n > most)
    return refuse(r, group, "has a size m or n that cannot be");
  if (a->nz < -2) return refuse(r, group, "has nz below -2; -1 is compressed columns, -2 compressed rows");
  if (a->nz < 0 && !expand(r, group, a, a->nz == -2 ? a->m : a->n, &count)) return false;
  if (a->nz >= 0 && (count > a->np || count > a->ni || count > a->nx))
    return refuse(r, group, "has nz above the length of p, i or x");
  const int *row = a->nz == -2 ? a->p : a->i, *col = a->nz == -2 ? a->i : a->p;
  ss_error inner = {0};
  ss_status status = ss_sparse_from_triplets(a->m, a->n, count, row, col, a->x, out, &inner);
  if (status == SS_OK) return true;
  refuse(r, group, inner.text);
  return false;
}

static bool read_matrix(const reader* r, const char* group, ss_sparse* out)
{
  raw_matrix a = {0};
  bool good = read_parts(r, group, &a) && convert(r, group, &a, out);
  free(a.p);
  free(a.i);
  free(a.x);
  return good;
}

// ---- problems ----

// The entries of several matrices, each at its place in a larger one
typedef struct puzzle {
  int *row, *col;
  double* x;
  size_t count, room;
} puzzle;

static bool puzzle_room(const reader* r, puzzle* z, size_t entries)
{
  z->room = entries;
  z->row = malloc((entries + 1)*sizeof *z->row);
  z->col = malloc((entries + 1)*sizeof *z->col);
  z->x = malloc((entries + 1)*sizeof *z->x);
  if (z->row && z->col && z->x && entries <= COUNT_MAX) return true;
  ss_error_set(r->error, SS_ERR_MEMORY, "not enough memory for the bilateral rows of %s", r->path);
  return false;
}

static void puzzle_add(puzzle* z, const ss_sparse* A, int row, int col, bool transposed)
{
  for (int i = 0; i < A->rows; i++)
    for (int e = A->start[i]; e < A->start[i + 1]; e++) {
      z->row[z->count] = row + (transposed ? A->col[e] : i);
      z->col[z->count] = col + (transposed ? i : A->col[e]);
      z->x[z->count++] = A->value[e];
    }
}

static bool puzzle_finish(const reader* r, puzzle* z, int rows, int cols, bool good, ss_sparse* out)
{
  ss_error inner = {0};
  if (good && ss_sparse_from_triplets(rows, cols, (int)z->count, z->row, z->col, z->x, out, &inner) < 0)
    good = refuse(r, "the bilateral rows:", inner.text);
  free(z->row);
  free(z->col);
  free(z->x);
  return good;
}

// *list (n) gets the nb numbers of a data set before its own; NULL if that fails
static bool put_before(const reader* r, const char* set, int nb, int n, const double** list)
{
  double *own = (double*)*list, *first = read_vector(r, set, nb);
  double* all = first ? realloc(first, ((size_t)nb + (size_t)n + 1)*sizeof *all) : NULL;
  if (all) memcpy(all + nb, own, (size_t)n*sizeof *all);
  else {
    if (first) ss_error_set(r->error, SS_ERR_MEMORY, "not enough memory");
    free(first);
  }
  free(own);
  *list = all;
  return all;
}

static size_t entries_of(const ss_sparse* A) { return (size_t)A->start[A->rows]; }

// G = [R V^T; V W], b = [s; q]
static bool add_local_bilateral(const reader* r, ss_friction_problem* p)
{
  ss_sparse V = {0}, R = {0}, W = p->G, all = {0};
  puzzle z = {0};
  bool good = read_matrix(r, "/fclib_local/V", &V) && read_matrix(r, "/fclib_local/R", &R);
  if (good && (V.rows != W.rows || R.rows != V.cols || R.cols != V.cols))
    good = refuse(r, "/fclib_local/V and R", "do not fit: V must have as many rows as W, R as many as V has columns");
  int nb = V.cols, m = W.rows;
  good = good && (nb <= INT_MAX/2 - m || refuse(r, "/fclib_local/V", "has too many columns"));
  good = good && puzzle_room(r, &z, entries_of(&R) + 2*entries_of(&V) + entries_of(&W));
  if (good) {
    puzzle_add(&z, &R, 0, 0, false);
    puzzle_add(&z, &V, 0, nb, true);
    puzzle_add(&z, &V, nb, 0, false);
    puzzle_add(&z, &W, nb, nb, false);
  }
  good = puzzle_finish(r, &z, nb + m, nb + m, good, &all);
  ss_sparse_free(&V);
  ss_sparse_free(&R);
  if (!good) return false;
  ss_sparse_free(&p->G);
  p->G = all;
  p->n_bilateral = nb;
  return put_before(r, "/fclib_local/vectors/s", nb, m, &p->b);
}

// H = [G H], w = [b; w]
static bool add_global_bilateral(const reader* r, ss_friction_problem* p)
{
  ss_sparse G = {0}, H = p->H, all = {0};
  puzzle z = {0};
  bool good = read_matrix(r, "/fclib_global/G", &G);
  if (good && G.rows != H.rows) good = refuse(r, "/fclib_global/G", "must have as many rows as H");
  int nb = G.cols, m = H.cols;
  good = good && (nb <= INT_MAX/2 - m || refuse(r, "/fclib_global/G", "has too many columns"));
  good = good && puzzle_room(r, &z, entries_of(&G) + entries_of(&H));
  if (good) {
    puzzle_add(&z, &G, 0, 0, false);
    puzzle_add(&z, &H, 0, nb, false);
  }
  good = puzzle_finish(r, &z, H.rows, nb + m, good, &all);
  ss_sparse_free(&G);
  if (!good) return false;
  ss_sparse_free(&p->H);
  p->H = all;
  p->n_bilateral = nb;
  return put_before(r, "/fclib_global/vectors/b", nb, m, &p->w);
}

static bool read_local(const reader* r, ss_friction_problem* p)
{
  if (!read_matrix(r, "/fclib_local/W", &p->G)) return false;
  if (p->G.rows != p->G.cols) return refuse(r, "/fclib_local/W", "must have as many columns as rows");
  p->b = read_vector(r, "/fclib_local/vectors/q", p->G.rows);
  return p->b;
}

static bool read_global(const reader* r, ss_friction_problem* p)
{
  p->global = true;
  if (!read_matrix(r, "/fclib_global/M", &p->M) || !read_matrix(r, "/fclib_global/H", &p->H)) return false;
  p->f = read_vector(r, "/fclib_global/vectors/f", p->M.rows);
  p->w = p->f ? read_vector(r, "/fclib_global/vectors/w", p->H.cols) : NULL;
  return p->w;
}

static bool read_common(const reader* r, const char* group, ss_friction_problem* p)
{
  char path[64];
  if (!read_integer(r, part_of(path, sizeof path, group, "spacedim"), &p->dim)) return false;
  if (p->dim != 2 && p->dim != 3) return refuse(r, path, "must be 2 or 3");
  int rows = p->global ? p->H.cols : p->G.rows;
  if (rows%p->dim) return refuse(r, group, "has a number of rows that is no multiple of spacedim");
  p->n_contact = rows/p->dim;
  p->mu = read_vector(r, part_of(path, sizeof path, group, "vectors/mu"), p->n_contact);
  return p->mu;
}

// The contacts are checked first, then bilateral rows are put before them.
static bool read_problem(const reader* r, ss_friction_problem* p)
{
  bool local = exists(r, "/fclib_local"), global = exists(r, "/fclib_global");
  if (!local && !global)
    return refuse(r, "the file", "has neither /fclib_local nor /fclib_global: it is no contact problem");
  if (!(local ? read_local(r, p) : read_global(r, p))) return false;
  if (!read_common(r, local ? "/fclib_local" : "/fclib_global", p)) return false;
  ss_error inner = {0};
  if (ss_friction_validate(p, &inner) < 0) return refuse(r, local ? "/fclib_local:" : "/fclib_global:", inner.text);
  if (local && exists(r, "/fclib_local/V")) return add_local_bilateral(r, p);
  if (!local && exists(r, "/fclib_global/G")) return add_global_bilateral(r, p);
  return true;
}

// What a group of the file is not read for
static void warn(const reader* r, const ss_friction_problem* p, ss_text* out)
{
  static const char* const ignored[] = {"/solution", "/guesses"};
  bool both = exists(r, "/fclib_local") && exists(r, "/fclib_global");
  double asymmetry = ss_friction_asymmetry(p);
  if (both) ss_text_append(out, "the file has a local and a global problem; the local one was read\n");
  for (size_t i = 0; i < sizeof ignored/sizeof *ignored; i++)
    if (exists(r, ignored[i])) ss_text_append(out, "the group %s was not read\n", ignored[i]);
  if (asymmetry > 1e-12)
    ss_text_append(out, "%s is not symmetric: |%s - its transpose| is up to %.1e of its largest entry\n",
                   p->global ? "M" : "W", p->global ? "M" : "W", asymmetry);
  if (out->length) out->data[--out->length] = 0;
}

// The file's name without folders and ending
static char* name_of(const char* path)
{
  const char* slash = strrchr(path, '/');
  char* name = ss_strdup(slash ? slash + 1 : path);
  char* dot = name ? strrchr(name, '.') : NULL;
  if (dot && dot > name) *dot = 0;
  return name;
}

static bool read_file(const reader* r, ss_problem* problem)
{
  ss_text warnings = {0};
  problem->type = SS_PROBLEM_CONTACT;
  if (!read_problem(r, &problem->contact)) return false;
  warn(r, &problem->contact, &warnings);
  problem->name = name_of(r->path);
  problem->notes = ss_strdup("");
  problem->warnings = ss_strdup(warnings.length ? warnings.data : "");
  ss_text_free(&warnings);
  return problem->name && problem->notes && problem->warnings;
}

ss_problem* ss_fclib_load(const char* path, ss_error* error)
{
  ss_error local = {0};
  reader r = {ss_h5_reader_open(path, "a contact problem (FCLIB)", NULL, &local), path, &local};
  ss_problem* problem = r.file ? calloc(1, sizeof *problem) : NULL;
  bool good = problem && read_file(&r, problem);
  ss_h5_reader_close(r.file);
  if (good) return problem;
  ss_problem_destroy(problem);
  if (local.status >= 0) ss_error_set(&local, SS_ERR_MEMORY, "not enough memory");
  if (error) *error = local;
  return NULL;
}
