// Writes contact problems in the layout of FCLIB; see fclib.c. The local form has its matrices in compressed rows, the
// global one in compressed columns, as Siconos writes them.
#include "io/atomic.h"
#include "io/h5.h"
#include "io/problem.h"
#include "math/sparse.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- what FCLIB can hold ----

// All planar or all spatial: 2 or 3; 0 if mixed
static int dimension(const ss_friction_problem* p)
{
  if (!p->kind || p->n_contact == 0) return p->dim;
  for (int i = 0; i < p->n_contact; i++)
    if (p->kind[i] != p->kind[0]) return 0;
  return p->kind[0] == SS_CONTACT_PLANAR ? 2 : p->kind[0] == SS_CONTACT_SPATIAL ? 3 : 0;
}

static bool fits(const ss_problem* problem, ss_error* error)
{
  const ss_friction_problem* p = &problem->contact;
  const char* what = NULL;
  bool bounded = false;
  if (problem->type != SS_PROBLEM_CONTACT) what = "FCLIB files hold contact problems only";
  for (int i = 0; !what && p->bound && i < p->n_contact; i++) bounded = bounded || p->bound[i] > 0;
  if (!what && !dimension(p)) what = "FCLIB files hold contacts that are all planar or all spatial";
  if (!what && bounded) what = "FCLIB files have no place for bounds of friction";
  if (!what && p->kappa > 0) what = "FCLIB files have no place for a compliance kappa";
  if (!what && ss_problem_has_sets(problem)) what = "FCLIB files have no place for sets of friction";
  if (!what && ss_problem_has_slide(problem)) what = "FCLIB files have no place for contacts that slide already";
  if (what) ss_error_set(error, SS_ERR_INPUT, "%s; write .json", what);
  return !what;
}

// ---- data sets ----

static bool put(hid_t at, const char* name, hid_t type, int n, const void* x)
{
  hsize_t size = (hsize_t)n;
  hid_t space = H5Screate_simple(1, &size, NULL);
  hid_t set = space < 0 ? -1 : H5Dcreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bool good = set >= 0 && (n == 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
  if (set >= 0) H5Dclose(set);
  if (space >= 0) H5Sclose(space);
  return good;
}

static bool put_integer(hid_t at, const char* name, int x) { return put(at, name, H5T_NATIVE_INT, 1, &x); }

static bool put_numbers(hid_t at, const char* name, int n, const double* x)
{
  return put(at, name, H5T_NATIVE_DOUBLE, n, x);
}

// A text as one string that ends with a zero
static bool put_text(hid_t at, const char* name, const char* text)
{
  hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR), set = -1;
  if (type >= 0 && space >= 0 && H5Tset_size(type, strlen(text) + 1) >= 0)
    set = H5Dcreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bool good = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
  if (set >= 0) H5Dclose(set);
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
  return good;
}

static hid_t make_group(hid_t at, const char* name)
{
  return H5Gcreate2(at, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
}

// ---- matrices ----

// Rows and columns of a larger matrix
typedef struct window {
  int row, rows, col, cols;
} window;

// Entries of A within the window, as a new matrix
static bool part_of(const ss_sparse* A, window at, ss_sparse* out)
{
  int *start = calloc((size_t)at.rows + 2, sizeof *start), *col = malloc(((size_t)A->start[A->rows] + 1)*sizeof *col);
  double* value = malloc(((size_t)A->start[A->rows] + 1)*sizeof *value);
  int n = 0;
  *out = (ss_sparse){at.rows, at.cols, start, col, value};
  if (!start || !col || !value) return false;
  for (int i = 0; i < at.rows; i++) {
    for (int e = A->start[at.row + i]; e < A->start[at.row + i + 1]; e++) {
      if (A->col[e] < at.col || A->col[e] >= at.col + at.cols) continue;
      col[n] = A->col[e] - at.col;
      value[n++] = A->value[e];
    }
    start[i + 1] = n;
  }
  return true;
}

// nz: -2 compressed rows, -1 compressed columns (then A is the transposed matrix)
static bool put_compressed(hid_t at, const char* name, const ss_sparse* A, int nz)
{
  int entries = A->start[A->rows];
  hid_t group = make_group(at, name);
  bool good = group >= 0 && put_integer(group, "nzmax", entries) &&
              put_integer(group, "m", nz == -2 ? A->rows : A->cols) &&
              put_integer(group, "n", nz == -2 ? A->cols : A->rows) && put_integer(group, "nz", nz) &&
              put(group, "p", H5T_NATIVE_INT, A->rows + 1, A->start) &&
              put(group, "i", H5T_NATIVE_INT, entries, A->col) && put_numbers(group, "x", entries, A->value);
  if (group >= 0) H5Gclose(group);
  return good;
}

static bool put_matrix(hid_t at, const char* name, const ss_sparse* A, window w, int nz)
{
  ss_sparse part = {0}, turned = {0};
  bool good = part_of(A, w, &part);
  if (good && nz == -1) good = ss_sparse_transpose(&part, &turned);
  good = good && put_compressed(at, name, nz == -1 ? &turned : &part, nz);
  ss_sparse_free(&part);
  ss_sparse_free(&turned);
  return good;
}

// Whether the bilateral rows and columns of G are each other's transposed: FCLIB stores one of them
static bool is_mirrored(const ss_sparse* G, int nb)
{
  ss_sparse upper = {0}, lower = {0}, turned = {0};
  int m = G->rows - nb;
  bool good = part_of(G, (window){0, nb, nb, m}, &upper) && part_of(G, (window){nb, m, 0, nb}, &lower) &&
              ss_sparse_transpose(&lower, &turned);
  good = good && upper.start[nb] == turned.start[nb] &&
         memcmp(upper.start, turned.start, ((size_t)nb + 1)*sizeof(int)) == 0 &&
         memcmp(upper.col, turned.col, (size_t)upper.start[nb]*sizeof(int)) == 0 &&
         memcmp(upper.value, turned.value, (size_t)upper.start[nb]*sizeof(double)) == 0;
  ss_sparse_free(&upper);
  ss_sparse_free(&lower);
  ss_sparse_free(&turned);
  return good;
}

// ---- problems ----

static bool put_local(hid_t group, hid_t vectors, const ss_friction_problem* p)
{
  int nb = p->n_bilateral, m = p->G.rows - nb;
  bool good = put_matrix(group, "W", &p->G, (window){nb, m, nb, m}, -2) && put_numbers(vectors, "q", m, p->b + nb);
  if (nb && good)
    good = put_matrix(group, "V", &p->G, (window){nb, m, 0, nb}, -2) &&
           put_matrix(group, "R", &p->G, (window){0, nb, 0, nb}, -2) && put_numbers(vectors, "s", nb, p->b);
  return good;
}

static bool put_global(hid_t group, hid_t vectors, const ss_friction_problem* p)
{
  int nb = p->n_bilateral, n = p->M.rows, m = p->H.cols - nb;
  bool good = put_matrix(group, "M", &p->M, (window){0, n, 0, n}, -1) &&
              put_matrix(group, "H", &p->H, (window){0, n, nb, m}, -1) && put_numbers(vectors, "f", n, p->f) &&
              put_numbers(vectors, "w", m, p->w + nb);
  if (nb && good)
    good = put_matrix(group, "G", &p->H, (window){0, n, 0, nb}, -1) && put_numbers(vectors, "b", nb, p->w);
  return good;
}

static bool put_info(hid_t group, const ss_problem* problem)
{
  hid_t info = make_group(group, "info");
  bool good = info >= 0 && put_text(info, "title", problem->name ? problem->name : "") &&
              put_text(info, "description", problem->notes ? problem->notes : "") && put_text(info, "math_info", "");
  if (info >= 0) H5Gclose(info);
  return good;
}

static bool put_problem(hid_t file, const ss_problem* problem)
{
  const ss_friction_problem* p = &problem->contact;
  hid_t group = make_group(file, p->global ? "fclib_global" : "fclib_local");
  hid_t vectors = group < 0 ? -1 : make_group(group, "vectors");
  bool good = vectors >= 0 && put_integer(group, "spacedim", dimension(p)) && put_info(group, problem) &&
              put_numbers(vectors, "mu", p->n_contact, p->mu) &&
              (p->global ? put_global(group, vectors, p) : put_local(group, vectors, p));
  if (vectors >= 0) H5Gclose(vectors);
  if (group >= 0) H5Gclose(group);
  return good;
}

ss_status ss_fclib_save(const ss_problem* problem, const char* path, ss_error* error)
{
  ss_atomic to;
  const ss_friction_problem* p = &problem->contact;
  if (!fits(problem, error)) return SS_ERR_INPUT;
  if (!p->global && p->n_bilateral && !is_mirrored(&p->G, p->n_bilateral))
    return ss_error_set(error, SS_ERR_INPUT,
                        "FCLIB files hold bilateral rows only where G is symmetric in them; write .json");
  if (!ss_atomic_start(&to, path, error)) return error ? error->status : SS_ERR_FILE;
  int failure = 0;
  ss_h5_voice voice = ss_h5_silence();
  errno = 0;
  hid_t file = ss_h5_create(to.temporary, &failure);
  int number = errno;
  bool good = file >= 0 && put_problem(file, problem);
  if (file >= 0 && H5Fclose(file) < 0) good = false;
  if (failure) good = false;
  ss_h5_speak(voice);
  ss_status status = ss_atomic_finish(&to, good, error);
  if (good) return status;
  return ss_atomic_error(path, failure ? failure : file < 0 ? number : 0, error);
}
