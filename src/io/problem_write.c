// Writes problems as JSON. Numbers are the shortest decimals that read back to the same double.
#include "base/text.h"
#include "base/number.h"
#include "io/atomic.h"
#include "io/problem.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_number(FILE* f, double x)
{
  char text[32];
  if (isfinite(x)) fputs(ss_print_number(x, text), f);
  else fputs("null", f);  // bounds only: the rest has been checked
}

static void put_string(FILE* f, const char* text)
{
  putc('"', f);
  for (const unsigned char* c = (const unsigned char*)text; *c; c++) {
    if (*c == '"' || *c == '\\') fprintf(f, "\\%c", *c);
    else if (*c == '\n') fputs("\\n", f);
    else if (*c < ' ' || *c == 127) fprintf(f, "\\u%04x", *c);
    else putc(*c, f);
  }
  putc('"', f);
}

static void put_list(FILE* f, const char* field, int n, const double* x)
{
  fprintf(f, ",\n\"%s\": [", field);
  for (int i = 0; i < n; i++) {
    if (i) fputs(", ", f);
    put_number(f, x[i]);
  }
  putc(']', f);
}

static void put_rows(FILE* f, const char* field, int rows, int cols, const double* dense)
{
  fprintf(f, ",\n\"%s\": [", field);
  for (int i = 0; i < rows; i++) {
    fputs(i ? ",\n  [" : "\n  [", f);
    for (int j = 0; j < cols; j++) {
      if (j) fputs(", ", f);
      put_number(f, dense[(size_t)i*(size_t)cols + (size_t)j]);
    }
    putc(']', f);
  }
  putc(']', f);
}

// Rows that are mostly full are written whole; but an entry that is zero and stored would be lost there
static bool is_full(const ss_sparse* A)
{
  double entries = A->start[A->rows];
  for (int e = 0; e < A->start[A->rows]; e++)
    if (A->value[e] == 0) return false;
  return 3*entries >= (double)A->rows*A->cols && A->rows > 0;
}

static void put_sparse(FILE* f, const char* field, const ss_sparse* A)
{
  fprintf(f, ",\n\"%s\": {\"rows\": %d, \"cols\": %d, \"entries\": [", field, A->rows, A->cols);
  for (int i = 0; i < A->rows; i++)
    for (int e = A->start[i]; e < A->start[i + 1]; e++) {
      fprintf(f, "%s[%d, %d, ", e == 0 ? "\n  " : e == A->start[i] ? ",\n  " : ", ", i, A->col[e]);
      put_number(f, A->value[e]);
      putc(']', f);
    }
  fputs("]}", f);
}

static void put_matrix(FILE* f, const char* field, const ss_sparse* A)
{
  if (!is_full(A)) {
    put_sparse(f, field, A);
    return;
  }
  fprintf(f, ",\n\"%s\": [", field);
  for (int i = 0; i < A->rows; i++) {
    int e = A->start[i];
    fputs(i ? ",\n  [" : "\n  [", f);
    for (int j = 0; j < A->cols; j++) {
      if (j) fputs(", ", f);
      put_number(f, e < A->start[i + 1] && A->col[e] == j ? A->value[e++] : 0);
    }
    putc(']', f);
  }
  putc(']', f);
}

// A of an LCP or a mixed problem, dense or sparse
static void put_square(FILE* f, int n, const double* A, const ss_sparse* S)
{
  if (S) put_matrix(f, "A", S);
  else put_rows(f, "A", n, n, A);
}

static void put_words(FILE* f, const char* field, int n, const char* const* word)
{
  fprintf(f, ",\n\"%s\": [", field);
  for (int i = 0; i < n; i++) {
    if (i) fputs(", ", f);
    put_string(f, word[i]);
  }
  putc(']', f);
}

static void put_contacts(FILE* f, const ss_friction_problem* p)
{
  if (p->kind) {
    fputs(",\n\"kinds\": [", f);
    for (int i = 0; i < p->n_contact; i++) fprintf(f, "%s\"%s\"", i ? ", " : "", ss_problem_kind_name(p->kind[i]));
    putc(']', f);
  } else fprintf(f, ",\n\"dim\": %d", p->dim);
  if (p->n_bilateral) fprintf(f, ",\n\"bilateral\": %d", p->n_bilateral);
  if (p->kappa > 0) {
    fputs(",\n\"kappa\": ", f);
    put_number(f, p->kappa);
  }
}

static void put_pairs(FILE* f, int n, const double* x)
{
  for (int i = 0; i < n; i++) {
    fputs(i ? ", [" : "[", f);
    put_number(f, x[2*i]);
    fputs(", ", f);
    put_number(f, x[2*i + 1]);
    putc(']', f);
  }
}

static void put_set(FILE* f, const ss_friction_set* set)
{
  switch (set->shape) {
    case SS_SET_DISK: fputs("null", f); break;
    case SS_SET_ELLIPSE:
      fputs("{\"shape\": \"ellipse\", \"a\": ", f);
      put_pairs(f, 1, set->a);
      fputs(", \"angle\": ", f);
      put_number(f, set->angle);
      putc('}', f);
      break;
    case SS_SET_POLYGON:
      fputs("{\"shape\": \"polygon\", \"vertices\": [", f);
      put_pairs(f, set->n, set->vertex);
      fputs("]}", f);
      break;
  }
}

static void put_laws(FILE* f, const ss_problem* problem)
{
  int k = problem->contact.n_contact;
  if (problem->set) {
    fputs(",\n\"sets\": [", f);
    for (int i = 0; i < k; i++) {
      if (i) fputs(",\n  ", f);
      put_set(f, &problem->set[i]);
    }
    putc(']', f);
  }
  if (problem->slide) {
    fputs(",\n\"slide\": [", f);
    for (int i = 0; i < k; i++) fprintf(f, "%s%d", i ? ", " : "", problem->slide[i]);
    putc(']', f);
  }
}

static void put_contact(FILE* f, const ss_problem* problem)
{
  const ss_friction_problem* p = &problem->contact;
  int m = ss_friction_rows(p);
  put_contacts(f, p);
  if (problem->contact_name) put_words(f, "contacts", p->n_contact, problem->contact_name);
  put_list(f, "mu", p->n_contact, p->mu);
  if (p->bound) put_list(f, "bound", p->n_contact, p->bound);
  put_laws(f, problem);
  if (p->global) {
    put_matrix(f, "M", &p->M);
    put_matrix(f, "H", &p->H);
    put_list(f, "f", p->M.rows, p->f);
    put_list(f, "w", m, p->w);
  } else {
    put_matrix(f, "G", &p->G);
    put_list(f, "b", m, p->b);
  }
  if (problem->Lambda) put_list(f, "Lambda", m, problem->Lambda);
}

static void put_problem(FILE* f, const ss_problem* p)
{
  fprintf(f, "{\"type\": \"%s\"", ss_problem_type_name(p->type));
  if (p->name && p->name[0]) {
    fputs(",\n\"name\": ", f);
    put_string(f, p->name);
  }
  if (p->notes && p->notes[0]) {
    fputs(",\n\"notes\": ", f);
    put_string(f, p->notes);
  }
  switch (p->type) {
    case SS_PROBLEM_LCP:
      put_square(f, p->lcp.n, p->lcp.A, p->lcp.S);
      put_list(f, "b", p->lcp.n, p->lcp.b);
      break;
    case SS_PROBLEM_MLCP:
      put_square(f, p->mlcp.n, p->mlcp.A, p->mlcp.S);
      put_list(f, "b", p->mlcp.n, p->mlcp.b);
      put_list(f, "lower", p->mlcp.n, p->mlcp.lower);
      put_list(f, "upper", p->mlcp.n, p->mlcp.upper);
      break;
    case SS_PROBLEM_CONTACT: put_contact(f, p); break;
  }
  fputs("}\n", f);
}

// ---- checks ----

// A file that could not be read again is not written
static bool all_finite(const char* field, size_t n, const double* x, ss_error* error)
{
  for (size_t i = 0; i < n; i++)
    if (!x || !isfinite(x[i])) {
      ss_error_set(error, SS_ERR_INPUT, "%s holds a number that is not finite; the problem cannot be saved", field);
      return false;
    }
  return true;
}

static bool check_matrix(const char* field, const ss_sparse* A, int rows, int cols, ss_error* error)
{
  if (ss_sparse_check(A, field, error) < 0) return false;
  if (A->rows == rows && A->cols == cols) return true;
  ss_error_set(error, SS_ERR_INPUT, "%s is %d x %d; it must be %d x %d", field, A->rows, A->cols, rows, cols);
  return false;
}

static bool check_square(int n, const double* A, const ss_sparse* S, ss_error* error)
{
  return S ? check_matrix("A", S, n, n, error) : all_finite("A", (size_t)n*(size_t)n, A, error);
}

static bool check_mlcp(const ss_mlcp* m, ss_error* error)
{
  for (int i = 0; i < m->n; i++)
    if (!(m->lower[i] <= m->upper[i]) || m->lower[i] == INFINITY || m->upper[i] == -INFINITY) {
      ss_error_set(error, SS_ERR_INPUT, "lower[%d] and upper[%d] are no bounds; the problem cannot be saved", i, i);
      return false;
    }
  return check_square(m->n, m->A, m->S, error) && all_finite("b", (size_t)m->n, m->b, error);
}

static bool check_contact(const ss_problem* problem, ss_error* error)
{
  const ss_friction_problem* p = &problem->contact;
  size_t k = (size_t)p->n_contact;
  if (p->n_contact < 0 || p->n_bilateral < 0 || (!p->kind && p->dim != 2 && p->dim != 3)) {
    ss_error_set(error, SS_ERR_INPUT, "dim is %d; it must be 2 or 3", p->dim);
    return false;
  }
  for (size_t i = 0; p->kind && i < k; i++)
    if (!ss_problem_kind_name(p->kind[i])) {
      ss_error_set(error, SS_ERR_INPUT, "contact %zu is of no known kind", i);
      return false;
    }
  int m = ss_friction_rows(p), n = p->M.rows;
  size_t rows = (size_t)m;
  bool good = all_finite("mu", k, p->mu, error) && (!p->bound || all_finite("bound", k, p->bound, error));
  good = good && ss_problem_check_laws(problem, error);
  good = good && (!problem->Lambda || all_finite("Lambda", rows, problem->Lambda, error));
  if (!p->global) return good && check_matrix("G", &p->G, m, m, error) && all_finite("b", rows, p->b, error);
  return good && check_matrix("M", &p->M, n, n, error) && check_matrix("H", &p->H, n, m, error) &&
         all_finite("f", (size_t)n, p->f, error) && all_finite("w", rows, p->w, error);
}

static bool check(const ss_problem* p, ss_error* error)
{
  switch (p->type) {
    case SS_PROBLEM_LCP:
      return check_square(p->lcp.n, p->lcp.A, p->lcp.S, error) && all_finite("b", (size_t)p->lcp.n, p->lcp.b, error);
    case SS_PROBLEM_MLCP: return check_mlcp(&p->mlcp, error);
    case SS_PROBLEM_CONTACT: return check_contact(p, error);
  }
  ss_error_set(error, SS_ERR_ARGUMENT, "there is no such class of problems");
  return false;
}

// ---- files ----

static ss_status save_json(const ss_problem* problem, const char* path, ss_error* error)
{
  ss_atomic file;
  if (!ss_atomic_start(&file, path, error)) return error ? error->status : SS_ERR_FILE;
  errno = 0;
  FILE* f = fopen(file.temporary, "wx");
  bool good = f;
  if (f) {
    put_problem(f, problem);
    good = !ferror(f);
    if (fclose(f) != 0) good = false;
  }
  int number = errno;
  ss_status status = ss_atomic_finish(&file, good, error);
  return good ? status : ss_atomic_error(path, number, error);
}

static bool ends_in(const char* path, const char* ending)
{
  size_t n = strlen(path), k = strlen(ending);
  return n > k && strcmp(path + n - k, ending) == 0;
}

ss_status ss_problem_save(const ss_problem* problem, const char* path, ss_error* error)
{
  if (!problem || !path) return ss_error_null(error, "the problem or the path");
  ss_error own = {0};
  ss_status status;
  if (!check(problem, &own)) status = own.status;
  else if (ends_in(path, ".json")) status = save_json(problem, path, &own);
  else if (ends_in(path, ".hdf5") || ends_in(path, ".h5")) status = ss_fclib_save(problem, path, &own);
  else status = ss_error_set(&own, SS_ERR_INPUT, "the name must end in .json, or in .hdf5 or .h5 for FCLIB");
  if (status < 0 && !own.file[0]) snprintf(own.file, sizeof own.file, "%s", path);
  if (status < 0 && error) *error = own;
  return status;
}
