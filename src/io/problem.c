// Reads problem files of every class: {"type": "lcp", "name", "notes", "A", "b"}, "mlcp" with "lower" and "upper"
// besides; contact problems are in problem_contact.c, FCLIB files in fclib.c.
#include "base/text.h"
#include "io/problem.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
  DENSE_MAX = 8192,  // rows of a dense matrix: half a gigabyte
  SPARSE_FROM = 200, // rows from which a sparse A of an LCP stays sparse
};

static const char* const types[] = {
  [SS_PROBLEM_LCP] = "lcp",
  [SS_PROBLEM_MLCP] = "mlcp",
  [SS_PROBLEM_CONTACT] = "contact",
};
enum { TYPES = sizeof types/sizeof *types };

const char* ss_problem_type_name(ss_problem_type type) { return types[type]; }

#define EXPECTED "{\"type\": \"lcp\", \"A\": [[...]], \"b\": [...]}"
#define TYPE_TEXT "\"lcp\", \"mlcp\" or \"contact\""

static bool read_type(const ss_json* s, ss_problem_type* type)
{
  const cJSON* item = ss_json_required(s, "type", TYPE_TEXT " tells what the file holds");
  if (!item) return false;
  if (!cJSON_IsString(item)) return ss_json_refuse_kind(s, ss_json_at("type"), item, TYPE_TEXT);
  for (int k = 0; k < TYPES; k++)
    if (strcmp(item->valuestring, types[k]) == 0) {
      *type = (ss_problem_type)k;
      return true;
    }
  return ss_json_refuse(s, ss_json_at("type"), "\"%.40s\" is not known; it must be " TYPE_TEXT, item->valuestring);
}

static bool read_texts(const ss_json* s, ss_problem* problem)
{
  return (problem->name = ss_json_string(s, "name")) && (problem->notes = ss_json_string(s, "notes"));
}

static double* new_array(const ss_json* s, size_t count)
{
  double* a = malloc(sizeof(double)*(count + 1));
  if (!a) ss_json_no_memory(s);
  return a;
}

#define WHY "as many as A has rows"

// A and b, which belong to the problem from then on
static bool read_equations(const ss_json* s, int* n, const double** A, const double** b)
{
  int rows = ss_json_matrix_rows(s, "A", "a list of n rows of n numbers");
  if (rows < 0) return false;
  if (rows > DENSE_MAX)
    return ss_json_refuse(s, ss_json_at("A"), "has %d rows; the most for a file is %d", rows, DENSE_MAX);
  bool full = cJSON_IsArray(ss_json_find(s, "A"));  // a sparse A may claim any size: b is asked before memory is taken
  *n = rows;
  if (!full && !(*b = ss_json_numbers(s, "b", rows, WHY))) return false;
  double* dense = new_array(s, (size_t)rows*(size_t)rows);
  *A = dense;
  if (!dense || !ss_json_dense(s, "A", rows, rows, WHY, dense)) return false;
  return !full || (*b = ss_json_numbers(s, "b", rows, WHY));
}

// A sparse A that stays so. b comes first: it tells that the size is meant.
static bool read_sparse_equations(const ss_json* s, int rows, ss_lcp* lcp)
{
  lcp->n = rows;
  lcp->b = ss_json_numbers(s, "b", rows, WHY);
  ss_sparse* S = lcp->b ? calloc(1, sizeof *S) : NULL;
  lcp->S = S;
  if (lcp->b && !S) ss_json_no_memory(s);
  return S && ss_json_sparse(s, "A", rows, rows, WHY, S);
}

static bool read_lcp_equations(const ss_json* s, ss_lcp* lcp)
{
  if (!cJSON_IsObject(ss_json_find(s, "A"))) return read_equations(s, &lcp->n, &lcp->A, &lcp->b);
  int rows = ss_json_matrix_rows(s, "A", "a list of n rows of n numbers");
  if (rows < 0) return false;
  return rows < SPARSE_FROM ? read_equations(s, &lcp->n, &lcp->A, &lcp->b) : read_sparse_equations(s, rows, lcp);
}

static bool read_bounds(const ss_json* s, const char* field, double none, int n, const double** out)
{
  const cJSON *list = ss_json_list(s, field, n, "numbers", WHY), *item;
  double* values = list ? new_array(s, (size_t)n) : NULL;
  int j = 0;
  *out = values;
  if (!values) return false;
  cJSON_ArrayForEach(item, list)
  {
    ss_json_place p = ss_json_at_element(field, j);
    if (cJSON_IsNull(item)) values[j] = none;
    else if (!cJSON_IsNumber(item)) return ss_json_refuse_kind(s, p, item, "a number, or null for infinite");
    else if (!ss_json_number(s, p, item, &values[j])) return false;
    j++;
  }
  return true;
}

static bool read_lcp(ss_json* s, ss_lcp* lcp)
{
  // a file with bounds or friction is not a plain LCP: reading it as one would solve another problem
  static const char* const known[] = {"type", "name", "notes", "A", "b", NULL};
  static const char* const foreign[][2] = {
    {"lower", "belongs to a mixed problem; an LCP has x >= 0 and no other bounds"},
    {"upper", "belongs to a mixed problem; an LCP has x >= 0 and no other bounds"},
    {"mu", "belongs to a contact problem; an LCP has no friction"},
    {NULL, NULL},
  };
  return ss_json_check_fields(s, known, foreign) && read_lcp_equations(s, lcp);
}

static bool read_mlcp(ss_json* s, ss_mlcp* m)
{
  static const char* const known[] = {"type", "name", "notes", "A", "b", "lower", "upper", NULL};
  static const char* const foreign[][2] = {{"mu", "belongs to a contact problem; a mixed problem has no friction"},
                                           {NULL, NULL}};
  if (!ss_json_check_fields(s, known, foreign) || !read_equations(s, &m->n, &m->A, &m->b) ||
      !read_bounds(s, "lower", -INFINITY, m->n, &m->lower) || !read_bounds(s, "upper", INFINITY, m->n, &m->upper))
    return false;
  for (int i = 0; i < m->n; i++)
    if (m->lower[i] > m->upper[i])
      return ss_json_refuse(s, ss_json_at_element("lower", i), "= %.10g is above upper[%d] = %.10g", m->lower[i], i,
                            m->upper[i]);
  return true;
}

static bool read_content(ss_json* s, ss_problem* problem)
{
  if (!read_type(s, &problem->type)) return false;
  switch (problem->type) {
    case SS_PROBLEM_LCP: return read_lcp(s, &problem->lcp);
    case SS_PROBLEM_MLCP: return read_mlcp(s, &problem->mlcp);
    case SS_PROBLEM_CONTACT: return ss_problem_read_contact(s, problem);
  }
  return false;
}

ss_problem* ss_problem_parse(const char* text, size_t length, const char* name, ss_error* error)
{
  if (!text) {
    ss_error_null(error, "the text");
    return NULL;
  }
  if (error) *error = (ss_error){0};
  ss_json s = {.text = text, .length = length, .name = name, .expected = EXPECTED, .error = error};
  ss_problem* problem = calloc(1, sizeof *problem);
  bool good = problem || ss_json_no_memory(&s);
  good = good && ss_json_open(&s) && read_content(&s, problem) && read_texts(&s, problem);
  if (good && !(problem->warnings = ss_strdup(s.warnings.length ? s.warnings.data : ""))) good = ss_json_no_memory(&s);
  ss_json_close(&s);
  if (good) return problem;
  ss_problem_destroy(problem);
  return NULL;
}

// Whether the file begins as an HDF5 file does; false also if it cannot be read. A pipe is not looked into: what is
// read from it is gone.
static bool is_hdf5(const char* path)
{
  char head[8] = {0};
  struct stat info;
  FILE* f = stat(path, &info) == 0 && S_ISREG(info.st_mode) ? fopen(path, "rb") : NULL;
  if (!f) return false;
  bool yes = fread(head, 1, sizeof head, f) == sizeof head && memcmp(head, "\x89HDF\r\n\x1a\n", 8) == 0;
  fclose(f);
  return yes;
}

ss_problem* ss_problem_load(const char* path, ss_error* error)
{
  if (!path) {
    ss_error_null(error, "the path");
    return NULL;
  }
  size_t length;
  if (is_hdf5(path)) return ss_fclib_load(path, error);
  char* text = ss_read_stream(path, &length, error);
  if (!text) return NULL;
  ss_problem* problem = ss_problem_parse(text, length, path, error);
  free(text);
  return problem;
}

static void free_contact(ss_friction_problem* p)
{
  ss_sparse_free(&p->G);
  ss_sparse_free(&p->M);
  ss_sparse_free(&p->H);
  const double* const lists[] = {p->b, p->f, p->w, p->mu, p->bound};
  for (size_t i = 0; i < sizeof lists/sizeof *lists; i++) free((double*)lists[i]);
  free((ss_contact_kind*)p->kind);
}

void ss_problem_destroy(ss_problem* problem)
{
  if (!problem) return;
  const double* const lists[] = {problem->lcp.A, problem->lcp.b, problem->mlcp.A, problem->mlcp.b, problem->mlcp.lower,
                                 problem->mlcp.upper, problem->Lambda};
  const char* const texts[] = {problem->name, problem->notes, problem->warnings};
  for (size_t i = 0; i < sizeof lists/sizeof *lists; i++) free((double*)lists[i]);
  for (size_t i = 0; i < sizeof texts/sizeof *texts; i++) free((char*)texts[i]);
  ss_sparse_free((ss_sparse*)problem->lcp.S);
  free((ss_sparse*)problem->lcp.S);
  ss_problem_free_laws(problem);
  free_contact(&problem->contact);
  free((char**)problem->contact_name);  // one block with the names
  free(problem);
}
