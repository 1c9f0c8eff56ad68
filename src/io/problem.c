// Reads {"type": "lcp", "name": ..., "A": [[...]], "b": [...]}, and "mlcp" with "lower" and "upper" besides.
#include <stickslip/problem.h>
#include "base/text.h"
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The text being read, and where complaints go
typedef struct source {
  const char* text;
  size_t length;
  const char* name;
  ss_error* error;
} source;

// ---- places ----

// Line and column of text[at]
static void set_place(const source* s, size_t at)
{
  if (!s->error) return;
  snprintf(s->error->file, sizeof s->error->file, "%s", s->name ? s->name : "");
  int line = 1, column = 1;
  for (size_t i = 0; i < at && i < s->length; i++) {
    column = s->text[i] == '\n' ? 1 : column + 1;
    line += s->text[i] == '\n';
  }
  s->error->line = line;
  s->error->column = column;
}

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static size_t skip_spaces(const source* s, size_t at)
{
  while (at < s->length && is_space(s->text[at])) at++;
  return at;
}

// Behind the string that starts at `at`
static size_t skip_string(const source* s, size_t at)
{
  for (at++; at < s->length && s->text[at] != '"'; at++)
    if (s->text[at] == '\\') at++;
  return at + 1;
}

// Behind the value that starts at `at`; the text is known to be JSON
static size_t skip_value(const source* s, size_t at)
{
  int depth = 0;
  for (; at < s->length; at++) {
    char c = s->text[at];
    if (c == '"') at = skip_string(s, at) - 1;
    else if (c == '[' || c == '{') depth++;
    else if (depth == 0 && (c == ',' || c == ']' || c == '}')) break;
    else if (c == ']' || c == '}') depth--;
  }
  return at;
}

// Start of the value of a field of the outermost object; its opening brace if there is no such field
static size_t find_field(const source* s, const char* field)
{
  size_t open = 0, length = strlen(field);
  while (open < s->length && s->text[open] != '{') open++;
  for (size_t at = open + 1; at < s->length; at++) {
    at = skip_spaces(s, at);
    if (at >= s->length || s->text[at] != '"') break;
    size_t end = skip_string(s, at), value = skip_spaces(s, end);
    bool same = end - at == length + 2 && end <= s->length && strncmp(s->text + at + 1, field, length) == 0;
    if (value >= s->length) break;
    value = skip_spaces(s, value + 1);
    if (same) return value;
    at = skip_value(s, value);
  }
  return open;
}

// Start of element i of the array that starts at `at`
static size_t find_element(const source* s, size_t at, int i)
{
  if (at >= s->length || s->text[at] != '[') return at;
  at = skip_spaces(s, at + 1);
  for (int k = 0; k < i && at < s->length && s->text[at] != ']'; k++) at = skip_spaces(s, skip_value(s, at) + 1);
  return at;
}

// ---- complaints ----

// A field, or an element of it: b[3] (i), A[3][2] (i and j); -1 for an index that is not meant
typedef struct place {
  const char* field;
  int i, j;
} place;

static void set_field_place(const source* s, place p)
{
  size_t at = find_field(s, p.field);
  if (p.i >= 0) at = find_element(s, at, p.i);
  if (p.j >= 0) at = find_element(s, at, p.j);
  set_place(s, at);
}

static const char* path_text(place p, char* out, size_t size)
{
  if (p.j >= 0) snprintf(out, size, "%s[%d][%d]", p.field, p.i, p.j);
  else if (p.i >= 0) snprintf(out, size, "%s[%d]", p.field, p.i);
  else snprintf(out, size, "%s", p.field);
  return out;
}

// "A[3][2] <text>" at its place; always false
static bool refuse(const source* s, place p, const char* text)
{
  char path[64];
  ss_error_set(s->error, SS_ERR_INPUT, "%s %s", path_text(p, path, sizeof path), text);
  set_field_place(s, p);
  return false;
}

static const char* kind_of(const cJSON* item)
{
  if (cJSON_IsString(item)) return "a string";
  if (cJSON_IsArray(item)) return "a list";
  if (cJSON_IsObject(item)) return "an object";
  if (cJSON_IsBool(item)) return "true or false";
  if (cJSON_IsNull(item)) return "null";
  return "a number";
}

static bool refuse_kind(const source* s, place p, const cJSON* item, const char* wanted)
{
  char text[160];
  snprintf(text, sizeof text, "is %s; it must be %s", kind_of(item), wanted);
  return refuse(s, p, text);
}

// The field that someone may have meant by `field`: the same letters in another case, or nearly the same
static const char* nearest_field(const cJSON* root, const char* field)
{
  const cJSON* item;
  cJSON_ArrayForEach(item, root) if (item->string && cJSON_GetObjectItem(root, field) == item) return item->string;
  cJSON_ArrayForEach(item, root) if (item->string && ss_suggest(item->string, &field, 1)) return item->string;
  return NULL;
}

static const cJSON* required(const source* s, const cJSON* root, const char* field, const char* wanted)
{
  const cJSON* item = cJSON_GetObjectItemCaseSensitive(root, field);
  if (item) return item;
  const char* near = nearest_field(root, field);
  if (near)
    ss_error_set(s->error, SS_ERR_INPUT, "the field \"%s\" is missing; \"%.40s\" should perhaps be \"%s\": %s", field,
                 near, field, wanted);
  else ss_error_set(s->error, SS_ERR_INPUT, "the field \"%s\" is missing: %s", field, wanted);
  set_field_place(s, (place){field, -1, -1});
  return NULL;
}

// ---- content ----

static bool read_number(const source* s, place p, const cJSON* item, double* value)
{
  if (!cJSON_IsNumber(item)) return refuse_kind(s, p, item, "a number");
  if (!isfinite(item->valuedouble)) return refuse(s, p, "is too large for a number in double precision");
  *value = item->valuedouble;
  return true;
}

// A list of n numbers: row `i` of A, or b itself (i = -1)
static bool read_row(const source* s, const char* field, int i, const cJSON* list, int n, double* out)
{
  place whole = {field, i, -1};
  if (!cJSON_IsArray(list)) return refuse_kind(s, whole, list, "a list of numbers");
  int count = cJSON_GetArraySize(list), j = 0;
  if (count != n) {
    char text[160];
    snprintf(text, sizeof text, "has %d numbers; it must have %d, as many as A has rows", count, n);
    return refuse(s, whole, text);
  }
  const cJSON* item;
  cJSON_ArrayForEach(item, list)
  {
    place p = i < 0 ? (place){field, j, -1} : (place){field, i, j};
    if (!read_number(s, p, item, &out[j++])) return false;
  }
  return true;
}

static bool read_matrix(const source* s, const cJSON* rows, int n, double* A)
{
  int i = 0;
  const cJSON* row;
  cJSON_ArrayForEach(row, rows)
  {
    if (!read_row(s, "A", i, row, n, A + (size_t)i*(size_t)n)) return false;
    i++;
  }
  return true;
}

static bool read_type(const source* s, const cJSON* root, ss_problem* problem)
{
  const place type = {"type", -1, -1};
  const cJSON* item = required(s, root, "type", "\"lcp\" or \"mlcp\" tells what the file holds");
  if (!item) return false;
  if (!cJSON_IsString(item)) return refuse_kind(s, type, item, "\"lcp\" or \"mlcp\"");
  const char* text = item->valuestring;
  problem->type = strcmp(text, "mlcp") == 0 ? SS_PROBLEM_MLCP : SS_PROBLEM_LCP;
  if (strcmp(text, "lcp") == 0 || strcmp(text, "mlcp") == 0) return true;
  if (strcmp(text, "contact") == 0)
    return refuse(s, type, "a contact problem is read by ss_friction_load(); here \"lcp\" and \"mlcp\" are");
  ss_error_set(s->error, SS_ERR_INPUT, "type \"%.40s\" is not known; it must be \"lcp\" or \"mlcp\"", text);
  set_field_place(s, type);
  return false;
}

// A file with bounds is not a plain LCP: reading it as one would solve another problem.
static bool check_no_bounds(const source* s, const cJSON* root, const ss_problem* problem)
{
  if (problem->type == SS_PROBLEM_MLCP) return true;
  const char* const bounds[] = {"lower", "upper"};
  for (int k = 0; k < 2; k++)
    if (cJSON_GetObjectItemCaseSensitive(root, bounds[k]))
      return refuse(s, (place){bounds[k], -1, -1}, "belongs to a mixed problem; an LCP has x >= 0 and no other bounds");
  return true;
}

static bool check_no_duplicates(const source* s, const cJSON* root)
{
  const cJSON *item, *other;
  cJSON_ArrayForEach(item, root) {
    for (other = item->next; other; other = other->next)
      if (strcmp(item->string, other->string) == 0) {
        ss_error_set(s->error, SS_ERR_INPUT, "the field \"%.40s\" is given twice", item->string);
        set_field_place(s, (place){item->string, -1, -1});
        return false;
      }
  }
  return true;
}

static bool read_name(const source* s, const cJSON* root, ss_problem* problem)
{
  const cJSON* item = cJSON_GetObjectItemCaseSensitive(root, "name");
  if (item && !cJSON_IsString(item)) return refuse_kind(s, (place){"name", -1, -1}, item, "a string");
  problem->name = ss_strdup(item ? item->valuestring : "");
  if (!problem->name) ss_error_set(s->error, SS_ERR_MEMORY, "not enough memory");
  return problem->name;
}

// The field A, a list of rows; their number into *n
static const cJSON* find_matrix(const source* s, const cJSON* root, int* n)
{
  const place whole = {"A", -1, -1};
  const cJSON* rows = required(s, root, "A", "a list of n rows of n numbers");
  if (!rows) return NULL;
  if (!cJSON_IsArray(rows)) {
    refuse_kind(s, whole, rows, "a list of rows, each a list of numbers");
    return NULL;
  }
  size_t count = (size_t)cJSON_GetArraySize(rows);
  *n = (int)count;
  if (count*count <= SS_READ_LIMIT) return rows;
  refuse(s, whole, "has too many rows for a square matrix in one file");
  return NULL;
}

static double* new_array(const source* s, size_t count)
{
  double* a = malloc(sizeof(double)*(count + 1));
  if (!a) ss_error_set(s->error, SS_ERR_MEMORY, "not enough memory for %zu numbers", count);
  return a;
}

// A and b, which belong to the problem from then on
static bool read_equations(const source* s, const cJSON* root, int* n, const double** A_out, const double** b_out)
{
  const cJSON* rows = find_matrix(s, root, n);
  if (!rows) return false;
  const cJSON* list = required(s, root, "b", "a list of n numbers");
  if (!list) return false;
  double *A = new_array(s, (size_t)*n*(size_t)*n), *b = new_array(s, (size_t)*n);
  *A_out = A;
  *b_out = b;
  return A && b && read_matrix(s, rows, *n, A) && read_row(s, "b", -1, list, *n, b);
}

static bool read_bounds(const source* s, const cJSON* root, const char* field, double none, int n, const double** out)
{
  const cJSON* list = required(s, root, field, "a list of n numbers, null for an infinite bound");
  if (!list) return false;
  double* values = new_array(s, (size_t)n);
  *out = values;
  if (!values) return false;
  const cJSON* item;
  int j = 0;
  if (cJSON_IsArray(list) && cJSON_GetArraySize(list) == n)
    cJSON_ArrayForEach(item, list)
    {
      if (cJSON_IsNull(item)) values[j] = none;
      else if (!cJSON_IsNumber(item))
        return refuse_kind(s, (place){field, j, -1}, item, "a number, or null for infinite");
      else if (!read_number(s, (place){field, j, -1}, item, &values[j])) return false;
      j++;
    }
  else return read_row(s, field, -1, list, n, values);  // tells what is wrong
  return true;
}

static bool check_order(const source* s, const ss_mlcp* m)
{
  for (int i = 0; i < m->n; i++)
    if (m->lower[i] > m->upper[i]) {
      ss_error_set(s->error, SS_ERR_INPUT, "lower[%d] = %.10g is above upper[%d] = %.10g", i, m->lower[i], i,
                   m->upper[i]);
      set_field_place(s, (place){"lower", i, -1});
      return false;
    }
  return true;
}

static bool read_mlcp(const source* s, const cJSON* root, ss_mlcp* m)
{
  return read_equations(s, root, &m->n, &m->A, &m->b) && read_bounds(s, root, "lower", -INFINITY, m->n, &m->lower) &&
         read_bounds(s, root, "upper", INFINITY, m->n, &m->upper) && check_order(s, m);
}

static bool read_content(const source* s, const cJSON* root, ss_problem* problem)
{
  if (problem->type == SS_PROBLEM_MLCP) return read_mlcp(s, root, &problem->mlcp);
  return read_equations(s, root, &problem->lcp.n, &problem->lcp.A, &problem->lcp.b);
}

static ss_problem* read_problem(const source* s, const cJSON* root)
{
  ss_problem* problem = calloc(1, sizeof *problem);
  if (!problem) {
    ss_error_set(s->error, SS_ERR_MEMORY, "not enough memory");
    return NULL;
  }
  if (read_type(s, root, problem) && check_no_bounds(s, root, problem) && check_no_duplicates(s, root) &&
      read_name(s, root, problem) && read_content(s, root, problem))
    return problem;
  ss_problem_destroy(problem);
  return NULL;
}

// ---- syntax ----

#define EXPECTED "{\"type\": \"lcp\", \"A\": [[...]], \"b\": [...]}"

// Brackets that are open at text[at]
static int depth_at(const source* s, size_t at)
{
  int depth = 0;
  for (size_t i = 0; i < at && i < s->length; i++) {
    char c = s->text[i];
    if (c == '"') i = skip_string(s, i) - 1;
    else if (c == '[' || c == '{') depth++;
    else if (c == ']' || c == '}') depth--;
  }
  return depth;
}

// Whether text[at] starts one of the words by which programs write what is not a number
static bool is_not_finite(const source* s, size_t at)
{
  static const char* const words[] = {"NaN", "nan", "-nan", "Inf", "inf", "-Inf", "-inf"};
  for (size_t k = 0; k < sizeof words/sizeof *words; k++) {
    size_t length = strlen(words[k]);
    if (s->length - at >= length && strncmp(s->text + at, words[k], length) == 0) return true;
  }
  return false;
}

// cJSON points one character too far when the name of a field does not start with a quotation mark
static size_t corrected(const source* s, size_t at)
{
  if (at < 2 || is_space(s->text[at - 1]) || s->text[at - 1] == '"') return at;
  size_t before = at - 2;
  while (before > 0 && is_space(s->text[before])) before--;
  return s->text[before] == '{' || s->text[before] == ',' ? at - 1 : at;
}

// What stands where the reader gave up
static void refuse_syntax(const source* s, size_t at)
{
  at = skip_spaces(s, corrected(s, at));
  bool at_end = at >= s->length || skip_spaces(s, at + 1) >= s->length;
  if (at_end && depth_at(s, s->length) > 0)
    ss_error_set(s->error, SS_ERR_INPUT, "the file ends too early: a bracket or a quotation mark is not closed");
  else if (depth_at(s, at) >= CJSON_NESTING_LIMIT)
    ss_error_set(s->error, SS_ERR_INPUT, "brackets are nested too deeply; expected " EXPECTED);
  else if (at < s->length && is_not_finite(s, at))
    ss_error_set(s->error, SS_ERR_INPUT, "NaN and infinity cannot be entries of a problem; write finite numbers");
  else if (at < s->length && s->text[at] > ' ' && s->text[at] < 127)
    ss_error_set(s->error, SS_ERR_INPUT, "'%c' does not belong here: not valid JSON; expected " EXPECTED, s->text[at]);
  else ss_error_set(s->error, SS_ERR_INPUT, "not valid JSON; expected " EXPECTED);
  set_place(s, at);
}

ss_problem* ss_problem_parse(const char* text, size_t length, const char* name, ss_error* error)
{
  if (error) *error = (ss_error){0};
  source s = {text, length, name, error};
  if (!text || skip_spaces(&s, 0) >= length) {
    ss_error_set(error, SS_ERR_INPUT, "the file is empty; expected " EXPECTED);
    s.length = 0;
    set_place(&s, 0);
    return NULL;
  }
  const char* end = text;
  cJSON* root = cJSON_ParseWithLengthOpts(text, length, &end, false);
  if (!root) {
    refuse_syntax(&s, (size_t)(end - text));
    return NULL;
  }
  ss_problem* problem = NULL;
  size_t rest = skip_spaces(&s, (size_t)(end - text));
  if (!cJSON_IsObject(root)) {
    ss_error_set(error, SS_ERR_INPUT, "the file holds %s; it must be an object " EXPECTED, kind_of(root));
    set_place(&s, 0);
  } else if (rest < length) {
    ss_error_set(error, SS_ERR_INPUT, "there is more text behind the problem; a file holds one problem");
    set_place(&s, rest);
  } else {
    problem = read_problem(&s, root);
  }
  cJSON_Delete(root);
  return problem;
}

ss_problem* ss_problem_load(const char* path, ss_error* error)
{
  size_t length;
  char* text = ss_read_file(path, &length, error);
  if (!text) return NULL;
  ss_problem* problem = ss_problem_parse(text, length, path, error);
  free(text);
  return problem;
}

void ss_problem_destroy(ss_problem* problem)
{
  if (!problem) return;
  free(problem->name);
  free((double*)problem->lcp.A);
  free((double*)problem->lcp.b);
  free((double*)problem->mlcp.A);
  free((double*)problem->mlcp.b);
  free((double*)problem->mlcp.lower);
  free((double*)problem->mlcp.upper);
  free(problem);
}
