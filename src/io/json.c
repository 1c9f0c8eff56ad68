// The JSON of problem files: where things stand, what is wrong with them, and values of simple kinds.
#include "io/json.h"
#include "base/number.h"
#include "base/text.h"
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARNINGS_MAX = 20 };

// ---- places ----

// Line and column of text[at]
static void set_place(const ss_json* s, size_t at)
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

static size_t skip_spaces(const ss_json* s, size_t at)
{
  while (at < s->length && is_space(s->text[at])) at++;
  return at;
}

// Behind the string that starts at `at`
static size_t skip_string(const ss_json* s, size_t at)
{
  for (at++; at < s->length && s->text[at] != '"'; at++)
    if (s->text[at] == '\\') at++;
  return at + 1;
}

// Behind the value that starts at `at`; the text is known to be JSON
static size_t skip_value(const ss_json* s, size_t at)
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

// Start of the value of a field of the object whose brace is the first at or after `open`; the brace if there is none
static size_t find_field(const ss_json* s, size_t open, const char* field)
{
  size_t length = strlen(field);
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
static size_t find_element(const ss_json* s, size_t at, int i)
{
  if (at >= s->length || s->text[at] != '[') return at;
  at = skip_spaces(s, at + 1);
  for (int k = 0; k < i && at < s->length && s->text[at] != ']'; k++) at = skip_spaces(s, skip_value(s, at) + 1);
  return at;
}

static ss_json_place place(const char* field, const char* part, int i, int j)
{
  return (ss_json_place){.field = field, .part = part, .i = i, .j = j, .k = -1};
}

ss_json_place ss_json_at(const char* field) { return place(field, NULL, -1, -1); }
ss_json_place ss_json_at_element(const char* field, int i) { return place(field, NULL, i, -1); }

ss_json_place ss_json_at_member(const char* field, int i, const char* member, int k)
{
  return (ss_json_place){.field = field, .i = i, .j = -1, .member = member, .k = k};
}

static void set_field_place(const ss_json* s, ss_json_place p)
{
  size_t at = find_field(s, 0, p.field);
  if (p.part && at < s->length && s->text[at] == '{') at = find_field(s, at, p.part);
  if (p.i >= 0) at = find_element(s, at, p.i);
  if (p.j >= 0) at = find_element(s, at, p.j);
  if (p.member && at < s->length && s->text[at] == '{') at = find_field(s, at, p.member);
  if (p.member && p.k >= 0) at = find_element(s, at, p.k);
  set_place(s, at);
}

static const char* path_text(ss_json_place p, char* out, size_t size)
{
  int n = snprintf(out, size, "%s%s%s", p.field, p.part ? "." : "", p.part ? p.part : "");
  if (n < 0 || (size_t)n >= size) return out;
  size_t room = size - (size_t)n;
  if (p.j >= 0) snprintf(out + n, room, "[%d][%d]", p.i, p.j);
  else if (p.member && p.k >= 0) snprintf(out + n, room, "[%d].%s[%d]", p.i, p.member, p.k);
  else if (p.member) snprintf(out + n, room, "[%d].%s", p.i, p.member);
  else if (p.i >= 0) snprintf(out + n, room, "[%d]", p.i);
  return out;
}

// ---- complaints ----

bool ss_json_refuse(const ss_json* s, ss_json_place p, const char* format, ...)
{
  char path[64], text[400];
  va_list args;
  va_start(args, format);
  ss_vprint(text, sizeof text, format, args);
  va_end(args);
  ss_error_set(s->error, SS_ERR_INPUT, "%s %s", path_text(p, path, sizeof path), text);
  set_field_place(s, p);
  return false;
}

bool ss_json_no_memory(const ss_json* s)
{
  ss_error_set(s->error, SS_ERR_MEMORY, "not enough memory");
  if (s->error) snprintf(s->error->file, sizeof s->error->file, "%s", s->name ? s->name : "");
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

bool ss_json_refuse_kind(const ss_json* s, ss_json_place p, const cJSON* item, const char* wanted)
{
  return ss_json_refuse(s, p, "is %s; it must be %s", kind_of(item), wanted);
}

void ss_json_warn(ss_json* s, const char* format, ...)
{
  char text[400];
  va_list args;
  if (s->n_warning++ >= WARNINGS_MAX) return;
  va_start(args, format);
  ss_vprint(text, sizeof text, format, args);
  va_end(args);
  ss_text_append(&s->warnings, "%s%s", s->warnings.length ? "\n" : "", text);
}

// ---- fields ----

// The field that someone may have meant by `field`: the same letters in another case, or nearly the same
static const char* nearest_field(const cJSON* root, const char* field)
{
  const cJSON* item;
  cJSON_ArrayForEach(item, root) if (item->string && cJSON_GetObjectItem(root, field) == item) return item->string;
  cJSON_ArrayForEach(item, root) if (item->string && ss_suggest(item->string, &field, 1)) return item->string;
  return NULL;
}

const cJSON* ss_json_find(const ss_json* s, const char* field)
{
  return cJSON_GetObjectItemCaseSensitive(s->root, field);
}

const cJSON* ss_json_required(const ss_json* s, const char* field, const char* wanted)
{
  const cJSON* item = ss_json_find(s, field);
  if (item) return item;
  const char* near = nearest_field(s->root, field);
  if (near)
    ss_error_set(s->error, SS_ERR_INPUT, "the field \"%s\" is missing; \"%.40s\" should perhaps be \"%s\": %s", field,
                 near, field, wanted);
  else ss_error_set(s->error, SS_ERR_INPUT, "the field \"%s\" is missing: %s", field, wanted);
  set_field_place(s, ss_json_at(field));
  return NULL;
}

static int index_of(const char* const* list, const char* name)
{
  for (int i = 0; list[i]; i++)
    if (strcmp(list[i], name) == 0) return i;
  return -1;
}

// Names are shown without what would spoil a line
static const char* printable(const char* name, char out[44])
{
  int n = 0;
  for (; *name && n < 40; name++) out[n++] = (unsigned char)*name < ' ' ? '?' : *name;
  out[n] = 0;
  return out;
}

static void warn_unknown(ss_json* s, const char* const* known, const char* name)
{
  char shown[44];
  int n = 0;
  while (known[n]) n++;
  const char* near = ss_suggest(name, known, n);
  ss_error place = {0};
  ss_json at = *s;
  at.error = &place;
  if (s->n_warning < WARNINGS_MAX) set_field_place(&at, ss_json_at(name));
  ss_json_warn(s, "line %d: the field \"%s\" is not known and was ignored%s%s%s", place.line, printable(name, shown),
               near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

bool ss_json_check_fields(ss_json* s, const char* const* known, const char* const (*foreign)[2])
{
  unsigned seen = 0;
  const cJSON* item;
  cJSON_ArrayForEach(item, s->root)
  {
    int k = index_of(known, item->string);
    if (k >= 0 && seen & 1U << k) {
      ss_error_set(s->error, SS_ERR_INPUT, "the field \"%s\" is given twice", item->string);
      set_field_place(s, ss_json_at(item->string));
      return false;
    }
    if (k >= 0) seen |= 1U << k;
    for (int f = 0; k < 0 && foreign[f][0]; f++)
      if (strcmp(foreign[f][0], item->string) == 0)
        return ss_json_refuse(s, ss_json_at(item->string), "%s", foreign[f][1]);
    if (k < 0) warn_unknown(s, known, item->string);
  }
  if (s->n_warning > WARNINGS_MAX)
    ss_text_append(&s->warnings, "\nand %d more warnings", s->n_warning - WARNINGS_MAX);
  return true;
}

// ---- values ----

bool ss_json_number(const ss_json* s, ss_json_place p, const cJSON* item, double* value)
{
  if (!cJSON_IsNumber(item)) return ss_json_refuse_kind(s, p, item, "a number");
  if (!isfinite(item->valuedouble)) return ss_json_refuse(s, p, "is too large for a number in double precision");
  *value = item->valuedouble;
  return true;
}

bool ss_json_integer(const ss_json* s, ss_json_place p, const cJSON* item, int low, int high, int* value)
{
  double x = 0;
  if (!ss_json_number(s, p, item, &x)) return false;
  if (!(x >= low && x <= high) || x != floor(x))
    return ss_json_refuse(s, p, "is %.10g; it must be a whole number from %d to %d", x, low, high);
  *value = (int)x;
  return true;
}

char* ss_json_string(const ss_json* s, const char* field)
{
  const cJSON* item = ss_json_find(s, field);
  if (item && !cJSON_IsString(item)) {
    ss_json_refuse_kind(s, ss_json_at(field), item, "a string");
    return NULL;
  }
  char* copy = ss_strdup(item ? item->valuestring : "");
  if (!copy) ss_json_no_memory(s);
  return copy;
}

static bool has_length(const ss_json* s, ss_json_place p, const cJSON* list, int n, const char* what, const char* why)
{
  if (!cJSON_IsArray(list)) {
    char wanted[80];
    snprintf(wanted, sizeof wanted, "a list of %s", what);
    return ss_json_refuse_kind(s, p, list, wanted);
  }
  int count = cJSON_GetArraySize(list);
  return count == n || ss_json_refuse(s, p, "has %d %s; it must have %d, %s", count, what, n, why);
}

const cJSON* ss_json_list(const ss_json* s, const char* field, int n, const char* what, const char* why)
{
  char wanted[80];
  snprintf(wanted, sizeof wanted, "a list of n %s", what);
  const cJSON* list = ss_json_required(s, field, wanted);
  return list && has_length(s, ss_json_at(field), list, n, what, why) ? list : NULL;
}

// The numbers of a list: row `i` of a matrix, or the field itself (i = -1)
static bool read_list(const ss_json* s, const char* field, int i, const cJSON* list, int n, const char* why,
                      double* out)
{
  ss_json_place whole = place(field, NULL, i, -1);
  if (!has_length(s, whole, list, n, "numbers", why)) return false;
  int j = 0;
  const cJSON* item;
  cJSON_ArrayForEach(item, list)
  {
    ss_json_place p = i < 0 ? place(field, NULL, j, -1) : place(field, NULL, i, j);
    if (!ss_json_number(s, p, item, &out[j++])) return false;
  }
  return true;
}

double* ss_json_numbers(const ss_json* s, const char* field, int n, const char* why)
{
  const cJSON* list = ss_json_list(s, field, n, "numbers", why);
  double* x = list ? malloc(sizeof(double)*((size_t)n + 1)) : NULL;
  if (list && !x) ss_json_no_memory(s);
  if (x && read_list(s, field, -1, list, n, why, x)) return x;
  free(x);
  return NULL;
}

// ---- matrices ----

static const char* const parts[] = {"rows", "cols", "entries", NULL};

// rows and cols of {"rows", "cols", "entries"}
static bool read_shape(const ss_json* s, const char* field, const cJSON* matrix, int* rows, int* cols)
{
  const cJSON* item;
  unsigned seen = 0;
  cJSON_ArrayForEach(item, matrix)
  {
    int k = index_of(parts, item->string);
    if (k < 0)
      return ss_json_refuse(s, ss_json_at(field), "has a part that is none of \"rows\", \"cols\", \"entries\"");
    if (seen & 1U << k) return ss_json_refuse(s, place(field, parts[k], -1, -1), "is given twice");
    seen |= 1U << k;
  }
  for (int k = 0; k < 3; k++)
    if (!(seen & 1U << k))
      return ss_json_refuse(s, ss_json_at(field), "has no \"%s\"; a sparse matrix is "
                            "{\"rows\": n, \"cols\": n, \"entries\": [[i, j, value], ...]}", parts[k]);
  int* const out[2] = {rows, cols};
  for (int k = 0; k < 2; k++)
    if (!ss_json_integer(s, place(field, parts[k], -1, -1),
                         cJSON_GetObjectItemCaseSensitive(matrix, parts[k]), 0, 1 << 30, out[k]))
      return false;
  return true;
}

int ss_json_matrix_rows(const ss_json* s, const char* field, const char* wanted)
{
  int rows, cols;
  const cJSON* matrix = ss_json_required(s, field, wanted);
  if (!matrix) return -1;
  if (cJSON_IsArray(matrix)) return cJSON_GetArraySize(matrix);
  if (cJSON_IsObject(matrix)) return read_shape(s, field, matrix, &rows, &cols) ? rows : -1;
  ss_json_refuse_kind(s, ss_json_at(field), matrix, "a list of rows, each a list of numbers, or a sparse matrix");
  return -1;
}

// Where the entries of a matrix go: into a dense one, or into three lists
typedef struct sink {
  int cols;
  double* dense;
  int *row, *col;
  double* value;
  size_t count, room;
} sink;

static bool put(sink* to, int i, int j, double x)
{
  if (to->dense) {
    to->dense[(size_t)i*(size_t)to->cols + (size_t)j] += x;
    return true;
  }
  if (to->count == to->room) {
    size_t room = 2*to->room + 64;
    int* row = realloc(to->row, room*sizeof *row);
    if (row) to->row = row;
    int* col = realloc(to->col, room*sizeof *col);
    if (col) to->col = col;
    double* value = realloc(to->value, room*sizeof *value);
    if (value) to->value = value;
    if (!row || !col || !value || room > (size_t)1 << 30) return false;
    to->room = room;
  }
  to->row[to->count] = i;
  to->col[to->count] = j;
  to->value[to->count++] = x;
  return true;
}

static bool read_rows(const ss_json* s, const char* field, const cJSON* rows, const char* why, sink* to)
{
  int i = 0;
  const cJSON* row;
  double* line = to->dense ? NULL : malloc(sizeof(double)*((size_t)to->cols + 1));
  if (!to->dense && !line) return ss_json_no_memory(s);
  bool good = true;
  cJSON_ArrayForEach(row, rows)
  {
    double* out = to->dense ? to->dense + (size_t)i*(size_t)to->cols : line;
    good = read_list(s, field, i, row, to->cols, why, out);
    for (int j = 0; good && !to->dense && j < to->cols; j++)
      if (line[j] != 0 && !put(to, i, j, line[j])) good = ss_json_no_memory(s);
    if (!good) break;
    i++;
  }
  free(line);
  return good;
}

static bool read_entry(const ss_json* s, const char* field, int e, const cJSON* entry, int rows, sink* to)
{
  ss_json_place p = place(field, "entries", e, -1);
  if (!cJSON_IsArray(entry)) return ss_json_refuse_kind(s, p, entry, "an entry [i, j, value]");
  if (cJSON_GetArraySize(entry) != 3)
    return ss_json_refuse(s, p, "has %d numbers; an entry is [i, j, value]", cJSON_GetArraySize(entry));
  const cJSON *i = entry->child, *j = i->next, *x = j->next;
  int row, col;
  double value;
  if (rows == 0 || to->cols == 0) return ss_json_refuse(s, p, "is in a matrix without rows or columns");
  p.j = 0;
  if (!ss_json_integer(s, p, i, 0, rows - 1, &row)) return false;
  p.j = 1;
  if (!ss_json_integer(s, p, j, 0, to->cols - 1, &col)) return false;
  p.j = 2;
  if (!ss_json_number(s, p, x, &value)) return false;
  return put(to, row, col, value) || ss_json_no_memory(s);
}

static bool read_entries(const ss_json* s, const char* field, const cJSON* matrix, int rows, sink* to)
{
  const cJSON *entries = cJSON_GetObjectItemCaseSensitive(matrix, "entries"), *entry;
  int e = 0;
  if (!cJSON_IsArray(entries))
    return ss_json_refuse_kind(s, place(field, "entries", -1, -1), entries, "a list of [i, j, value]");
  cJSON_ArrayForEach(entry, entries) if (!read_entry(s, field, e++, entry, rows, to)) return false;
  return true;
}

static bool read_matrix(const ss_json* s, const char* field, int rows, const char* why, sink* to)
{
  const cJSON* matrix = ss_json_required(s, field, "a matrix");
  if (!matrix) return false;
  int n_rows = 0, n_cols = to->cols;
  if (cJSON_IsArray(matrix)) n_rows = cJSON_GetArraySize(matrix);
  else if (!cJSON_IsObject(matrix))
    return ss_json_refuse_kind(s, ss_json_at(field), matrix, "a list of rows, or a sparse matrix");
  else if (!read_shape(s, field, matrix, &n_rows, &n_cols)) return false;
  if (n_rows != rows)
    return ss_json_refuse(s, ss_json_at(field), "has %d rows; it must have %d, %s", n_rows, rows, why);
  if (n_cols != to->cols)
    return ss_json_refuse(s, ss_json_at(field), "has %d columns; it must have %d, %s", n_cols, to->cols, why);
  return cJSON_IsArray(matrix) ? read_rows(s, field, matrix, why, to) : read_entries(s, field, matrix, rows, to);
}

bool ss_json_dense(const ss_json* s, const char* field, int rows, int cols, const char* why, double* out)
{
  sink to = {.cols = cols, .dense = out};
  memset(out, 0, sizeof(double)*(size_t)rows*(size_t)cols);
  if (!read_matrix(s, field, rows, why, &to)) return false;
  for (size_t e = 0; e < (size_t)rows*(size_t)cols; e++)
    if (!isfinite(out[e])) return ss_json_refuse(s, ss_json_at(field), "has entries whose sum overflows");
  return true;
}

bool ss_json_sparse(const ss_json* s, const char* field, int rows, int cols, const char* why, ss_sparse* out)
{
  sink to = {.cols = cols};
  ss_error inner = {0};
  bool good = read_matrix(s, field, rows, why, &to);
  if (good && ss_sparse_from_triplets(rows, cols, (int)to.count, to.row, to.col, to.value, out, &inner) < 0)
    good = ss_json_no_memory(s);
  for (int e = 0; good && e < out->start[rows]; e++)
    if (!isfinite(out->value[e])) good = ss_json_refuse(s, ss_json_at(field), "has entries whose sum overflows");
  free(to.row);
  free(to.col);
  free(to.value);
  return good;
}

// ---- syntax ----

// Brackets that are open at text[at]
static int depth_at(const ss_json* s, size_t at)
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
static bool is_not_finite(const ss_json* s, size_t at)
{
  static const char* const words[] = {"NaN", "nan", "-nan", "Inf", "inf", "-Inf", "-inf"};
  for (size_t k = 0; k < sizeof words/sizeof *words; k++) {
    size_t length = strlen(words[k]);
    if (s->length - at >= length && strncmp(s->text + at, words[k], length) == 0) return true;
  }
  return false;
}

// cJSON points one character too far when the name of a field does not start with a quotation mark
static size_t corrected(const ss_json* s, size_t at)
{
  if (at < 2 || is_space(s->text[at - 1]) || s->text[at - 1] == '"') return at;
  size_t before = at - 2;
  while (before > 0 && is_space(s->text[before])) before--;
  return s->text[before] == '{' || s->text[before] == ',' ? at - 1 : at;
}

// What stands where the reader gave up
static void refuse_syntax(const ss_json* s, size_t at)
{
  at = skip_spaces(s, corrected(s, at));
  bool at_end = at >= s->length || skip_spaces(s, at + 1) >= s->length;
  if (at_end && depth_at(s, s->length) > 0)
    ss_error_set(s->error, SS_ERR_INPUT, "the file ends too early: a bracket or a quotation mark is not closed");
  else if (depth_at(s, at) >= CJSON_NESTING_LIMIT)
    ss_error_set(s->error, SS_ERR_INPUT, "brackets are nested too deeply; expected %s", s->expected);
  else if (at < s->length && is_not_finite(s, at))
    ss_error_set(s->error, SS_ERR_INPUT, "NaN and infinity cannot be entries of a problem; write finite numbers");
  else if (at < s->length && s->text[at] > ' ' && s->text[at] < 127)
    ss_error_set(s->error, SS_ERR_INPUT, "'%c' does not belong here: not valid JSON; expected %s", s->text[at],
                 s->expected);
  else ss_error_set(s->error, SS_ERR_INPUT, "not valid JSON; expected %s", s->expected);
  set_place(s, at);
}

// Whether a text or a name holds what controls terminals. No deeper than CJSON_NESTING_LIMIT.
static bool has_control(const cJSON* item)
{
  for (; item; item = item->next)
    if ((item->string && ss_has_control(item->string)) || (cJSON_IsString(item) && ss_has_control(item->valuestring)) ||
        has_control(item->child))
      return true;
  return false;
}

bool ss_json_open(ss_json* s)
{
  if (!s->text || skip_spaces(s, 0) >= s->length) {
    ss_error_set(s->error, SS_ERR_INPUT, "the file is empty; expected %s", s->expected);
    s->length = 0;
    set_place(s, 0);
    return false;
  }
  const char* end = s->text;
  errno = 0;
  s->root = cJSON_ParseWithLengthOpts(s->text, s->length, &end, false);
  size_t rest = skip_spaces(s, (size_t)(end - s->text));
  if (!s->root && errno == ENOMEM) return ss_json_no_memory(s);
  if (!s->root) refuse_syntax(s, (size_t)(end - s->text));
  else if (has_control(s->root)) {
    ss_error_set(s->error, SS_ERR_INPUT, "a text of the file holds a control character");
    set_place(s, 0);
  } else if (!cJSON_IsObject(s->root)) {
    ss_error_set(s->error, SS_ERR_INPUT, "the file holds %s; it must be an object %s", kind_of(s->root), s->expected);
    set_place(s, 0);
  } else if (rest < s->length) {
    ss_error_set(s->error, SS_ERR_INPUT, "there is more text behind the problem; a file holds one problem");
    set_place(s, rest);
  } else return true;
  return false;
}

void ss_json_close(ss_json* s)
{
  cJSON_Delete(s->root);
  ss_text_free(&s->warnings);
  s->root = NULL;
}
