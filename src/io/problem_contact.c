// Contact problems as files: {"type": "contact", "name", "dim", "G": [[...]], "b": [...], "mu": [...]}, or FCLIB.
#include "base/text.h"
#include "io/fclib.h"
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECTED "{\"type\": \"contact\", \"dim\": 3, \"G\": [[...]], \"b\": [...], \"mu\": [...]}"

// ---- complaints ----

static bool refuse(ss_error* error, const char* what)
{
  ss_error_set(error, SS_ERR_INPUT, "%s", what);
  return false;
}

// Line and column of text[at]
static void set_place(ss_error* error, const char* text, size_t at)
{
  if (!error) return;
  error->line = error->column = 1;
  for (size_t i = 0; i < at; i++) {
    error->column = text[i] == '\n' ? 1 : error->column + 1;
    error->line += text[i] == '\n';
  }
}

// ---- fields ----

static const cJSON* list_of(const cJSON* root, const char* field, int length, ss_error* error)
{
  const cJSON* list = cJSON_GetObjectItemCaseSensitive(root, field);
  char text[160];
  if (!list) snprintf(text, sizeof text, "the field \"%s\" is missing; expected " EXPECTED, field);
  else if (!cJSON_IsArray(list)) snprintf(text, sizeof text, "%s must be a list", field);
  else if (length >= 0 && cJSON_GetArraySize(list) != length)
    snprintf(text, sizeof text, "%s has %d entries; it must have %d", field, cJSON_GetArraySize(list), length);
  else return list;
  refuse(error, text);
  return NULL;
}

// The numbers of a list; `name` is for complaints
static bool read_numbers(const cJSON* list, const char* name, double* x, ss_error* error)
{
  int i = 0;
  const cJSON* item;
  cJSON_ArrayForEach(item, list)
  {
    if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble)) {
      ss_error_set(error, SS_ERR_INPUT, "%s[%d] is not a finite number", name, i);
      return false;
    }
    x[i++] = item->valuedouble;
  }
  return true;
}

static double* numbers_of(const cJSON* root, const char* field, int length, ss_error* error)
{
  const cJSON* list = list_of(root, field, length, error);
  double* x = list ? malloc(((size_t)length + 1)*sizeof *x) : NULL;
  if (x && read_numbers(list, field, x, error)) return x;
  if (list && !x) ss_error_set(error, SS_ERR_MEMORY, "not enough memory");
  free(x);
  return NULL;
}

static bool read_G(const cJSON* root, int m, ss_sparse* G, ss_error* error)
{
  const cJSON* rows = list_of(root, "G", m, error);
  const cJSON* row;
  if (!rows) return false;
  double* dense = (size_t)m*(size_t)m <= SS_READ_LIMIT ? malloc(((size_t)m*(size_t)m + 1)*sizeof *dense) : NULL;
  if (!dense) {
    ss_error_set(error, SS_ERR_MEMORY, "not enough memory for a matrix of %d rows", m);
    return false;
  }
  int i = 0;
  bool good = true;
  cJSON_ArrayForEach(row, rows)
  {
    char name[32];
    snprintf(name, sizeof name, "G[%d]", i);
    if (!cJSON_IsArray(row) || cJSON_GetArraySize(row) != m) {
      ss_error_set(error, SS_ERR_INPUT, "%s must be a list of %d numbers", name, m);
      good = false;
    }
    good = good && read_numbers(row, name, dense + (size_t)i*(size_t)m, error);
    if (!good) break;
    i++;
  }
  good = good && ss_sparse_from_dense(m, m, dense, G, error) == SS_OK;
  free(dense);
  return good;
}

static bool read_kappa(const cJSON* root, double* kappa, ss_error* error)
{
  const cJSON* item = cJSON_GetObjectItemCaseSensitive(root, "kappa");
  if (!item) return true;
  if (!cJSON_IsNumber(item)) return refuse(error, "kappa, the relative compliance, must be a number");
  *kappa = item->valuedouble;
  return true;
}

static bool read_fields(const cJSON* root, ss_friction_file* file, ss_error* error)
{
  ss_friction_problem* p = &file->problem;
  const cJSON* type = cJSON_GetObjectItemCaseSensitive(root, "type");
  const cJSON* dim = cJSON_GetObjectItemCaseSensitive(root, "dim");
  const cJSON* name = cJSON_GetObjectItemCaseSensitive(root, "name");
  if (!cJSON_IsString(type) || strcmp(type->valuestring, "contact") != 0)
    return refuse(error, "the type must be \"contact\"; expected " EXPECTED);
  if (name && !cJSON_IsString(name)) return refuse(error, "name must be a string");
  if (!cJSON_IsNumber(dim) || (dim->valuedouble != 2 && dim->valuedouble != 3))
    return refuse(error, "dim must be 2 (planar: N, T) or 3 (spatial: N, T1, T2)");
  file->name = ss_strdup(name ? name->valuestring : "");
  const cJSON* mu = list_of(root, "mu", -1, error);
  if (!mu || !file->name) return false;
  p->dim = (int)dim->valuedouble;
  p->n_contact = cJSON_GetArraySize(mu);
  if (p->n_contact > 1 << 24) return refuse(error, "there are too many contacts for one file");
  int m = p->dim*p->n_contact;
  if (!(p->mu = numbers_of(root, "mu", p->n_contact, error)) || !(p->b = numbers_of(root, "b", m, error))) return false;
  return read_G(root, m, &p->G, error) && read_kappa(root, &p->kappa, error) && ss_friction_validate(p, error) == SS_OK;
}

// ---- files ----

static ss_friction_file* read_root(const cJSON* root, ss_error* error)
{
  ss_friction_file* file = calloc(1, sizeof *file);
  if (file && read_fields(root, file, error)) return file;
  if (error && error->status >= 0) ss_error_set(error, SS_ERR_MEMORY, "not enough memory");
  ss_friction_file_destroy(file);
  return NULL;
}

ss_friction_file* ss_friction_parse(const char* text, size_t length, const char* name, ss_error* error)
{
  ss_error local = {0};
  const char* end = text;
  cJSON* root = text && length ? cJSON_ParseWithLengthOpts(text, length, &end, false) : NULL;
  ss_friction_file* file = NULL;
  while (root && end < text + length && strchr(" \t\r\n", *end) && *end) end++;
  if (!text || !length) refuse(&local, "the file is empty; expected " EXPECTED);
  else if (!root || end < text + length) {
    refuse(&local, root ? "there is more text behind the problem; a file holds one problem"
                        : "not valid JSON; expected " EXPECTED);
    set_place(&local, text, (size_t)(end - text));
  } else if (!cJSON_IsObject(root)) refuse(&local, "the file must hold an object " EXPECTED);
  else file = read_root(root, &local);
  cJSON_Delete(root);
  if (file) return file;
  if (!local.file[0]) snprintf(local.file, sizeof local.file, "%s", name ? name : "");
  if (error) *error = local;
  return NULL;
}

static bool is_hdf5(const char* text, size_t length)
{
  return length >= 8 && memcmp(text, "\x89HDF\r\n\x1a\n", 8) == 0;
}

// "type" : "contact" somewhere in the text. Inside a string its quotation marks would stand behind backslashes.
static bool says_contact(const char* text)
{
  for (const char* at = text; (at = strstr(at, "\"type\"")); at += 6) {
    const char* c = at + 6;
    c += strspn(c, " \t\r\n");
    if (*c != ':') continue;
    c += 1 + strspn(c + 1, " \t\r\n");
    if (strncmp(c, "\"contact\"", 9) == 0) return true;
  }
  return false;
}

bool ss_friction_is_file(const char* path)
{
  size_t length = 0;
  char* text = ss_read_file(path, &length, NULL);
  bool yes = text && (is_hdf5(text, length) || says_contact(text));
  free(text);
  return yes;
}

ss_friction_file* ss_friction_load(const char* path, ss_error* error)
{
  size_t length = 0;
  char* text = ss_read_file(path, &length, error);
  if (!text) return NULL;
  bool hdf5 = is_hdf5(text, length);
  ss_friction_file* file = hdf5 ? NULL : ss_friction_parse(text, length, path, error);
  free(text);
  return hdf5 ? ss_fclib_load(path, error) : file;
}

void ss_friction_file_destroy(ss_friction_file* file)
{
  if (!file) return;
  ss_friction_problem* p = &file->problem;
  ss_sparse_free(&p->G);
  ss_sparse_free(&p->M);
  ss_sparse_free(&p->H);
  free((double*)p->b);
  free((double*)p->f);
  free((double*)p->w);
  free((double*)p->mu);
  free(file->name);
  free(file);
}
