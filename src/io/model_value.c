// Values of a model file: overrides, names, expressions, with errors at their place.
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/number.h"
#include "io/model_reader.h"

ss_status ss_reader_memory(ss_reader* r) { return ss_error_set(r->error, SS_ERR_MEMORY, "out of memory"); }

static bool same(const char* a, const char* b) { return strcmp(a, b) == 0; }

const yaml_node_t* ss_reader_section(ss_reader* r, const char* key)
{
  return ss_yaml_get(&r->yaml, ss_yaml_root(&r->yaml), key);
}

// ---- values ----

// An error about a value. Returns SS_ERR_INPUT.
ss_status ss_value_error(ss_reader* r, const ss_value* v, size_t offset, const char* text)
{
  if (!v->override) return ss_yaml_error(&r->yaml, v->node, offset, r->error, "%s", text);
  return ss_error_set(r->error, SS_ERR_INPUT, "override %.80s=%.80s: %s", v->override->path, v->override->value, text);
}

// The value at "section.key" or "section.owner.key": an override if there is one, else the node's.
ss_status ss_value_get(ss_reader* r, const yaml_node_t* node, const char* path, const char* bare, ss_value* v)
{
  *v = (ss_value){.node = node};
  for (int i = 0; i < r->def->n_override; i++) {
    const ss_override* o = &r->def->override[i];
    if (!same(o->path, path) && !(bare && same(o->path, bare))) continue;
    r->override_used[i] = true;
    v->override = o;
    v->text = o->value;
  }
  if (v->override || !node) return SS_OK;
  if (node->type != YAML_SCALAR_NODE)
    return ss_yaml_error(&r->yaml, node, 0, r->error, "%s must be a single value", path);
  if (strlen(ss_yaml_text(node)) != node->data.scalar.length)
    return ss_yaml_error(&r->yaml, node, 0, r->error, "%s holds a zero byte", path);
  v->text = ss_yaml_text(node);
  return SS_OK;
}

// The value of `key` in a mapping (which may be NULL).
ss_status ss_value_member(ss_reader* r, const yaml_node_t* mapping, const char* prefix, const char* key, ss_value* v)
{
  char path[256];
  snprintf(path, sizeof path, "%s%s%s", prefix, *prefix ? "." : "", key);
  return ss_value_get(r, mapping ? ss_yaml_get(&r->yaml, mapping, key) : NULL, path, NULL, v);
}

// ---- names and expressions ----

static const ss_symbol* find_symbol(const ss_reader* r, const char* name, size_t length)
{
  for (int i = 0; i < r->n_symbol; i++)
    if (strlen(r->symbol[i].name) == length && memcmp(r->symbol[i].name, name, length) == 0) return &r->symbol[i];
  return NULL;
}

// Whether a section names something that comes after its use.
static bool is_later(ss_reader* r, const char* name)
{
  const char* const sections[] = {"parameters", "definitions"};
  for (int i = 0; i < 2; i++) {
    const yaml_node_t* s = ss_reader_section(r, sections[i]);
    if (s && s->type == YAML_MAPPING_NODE && ss_yaml_get(&r->yaml, s, name)) return true;
  }
  return false;
}

// The coordinate or definition x that xdot, x_dot, dx, x_d or dxdt may mean the rate of; NULL: none
static const ss_symbol* find_dotted(const ss_reader* r, const char* name)
{
  static const struct { const char *before, *after; } forms[] = {{"", "_dot"}, {"", "dot"}, {"", "_d"}, {"", "_t"},
                                                                 {"d", "dt"}, {"d_", ""}, {"d", ""}, {"", "p"}};
  size_t length = strlen(name);
  for (size_t i = 0; i < sizeof forms/sizeof *forms; i++) {
    size_t head = strlen(forms[i].before), tail = strlen(forms[i].after);
    if (length <= head + tail || strncmp(name, forms[i].before, head) != 0 ||
        !same(name + length - tail, forms[i].after))
      continue;
    const ss_symbol* s = find_symbol(r, name + head, length - head - tail);
    if (s && s->kind != SS_PARAMETER) return s;
  }
  return NULL;
}

static void unknown_name(ss_reader* r, const char* name, ss_error* error)
{
  if (is_later(r, name)) {
    ss_error_set(error, SS_ERR_INPUT, "'%.80s' is used before it is defined", name);
    return;
  }
  const ss_symbol* dotted = find_dotted(r, name);
  if (dotted) {
    ss_error_set(error, SS_ERR_INPUT, "unknown name '%.80s'; the rate of %s is written %s'", name, dotted->name,
                 dotted->name);
    return;
  }
  const char** names = malloc(sizeof *names*(size_t)(r->n_symbol + 1));
  for (int i = 0; names && i < r->n_symbol; i++) names[i] = r->symbol[i].name;
  const char* near = names ? ss_suggest(name, names, r->n_symbol) : NULL;
  if (near) ss_error_set(error, SS_ERR_INPUT, "unknown name '%.80s'; did you mean '%s'?", name, near);
  else ss_error_set(error, SS_ERR_INPUT, "unknown name '%.80s'", name);
  free(names);
}

// name' : the rate of a coordinate, the total time derivative of a definition
static bool look_up_rate(ss_reader* r, ss_symbol* s, ss_expr* e, ss_error* error)
{
  if (s->kind == SS_PARAMETER) {
    ss_error_set(error, SS_ERR_INPUT, "'%.80s' is a parameter and has no rate", s->name);
    return false;
  }
  if (s->kind == SS_DEFINITION && (ss_expr_depends(&r->graph, s->value) & SS_DEPENDS_U)) {
    ss_error_set(error, SS_ERR_INPUT, "%.80s' would contain accelerations, since '%.80s' contains rates", s->name,
                 s->name);
    return false;
  }
  if (s->rate < 0) s->rate = ss_expr_rate(&r->graph, s->value);
  *e = s->rate;
  return true;
}

static bool look_up(void* scope, const char* name, size_t length, bool prime, ss_expr* e, ss_error* error)
{
  ss_reader* r = scope;
  ss_symbol* s = (ss_symbol*)find_symbol(r, name, length);
  if (s) s->used = true;
  if (s && prime) return look_up_rate(r, s, e, error);
  if (s) {
    *e = s->value;
    return true;
  }
  if (length == 1 && *name == 't') {
    *e = ss_expr_t(&r->graph);
    if (prime) *e = ss_expr_const(&r->graph, 1);
    return true;
  }
  char copy[81];
  snprintf(copy, sizeof copy, "%.*s", (int)(length < 80 ? length : 80), name);
  unknown_name(r, copy, error);
  return false;
}

// Parses a value into an expression that may depend on `allowed` only.
ss_status ss_value_expr(ss_reader* r, const ss_value* v, int allowed, const char* what, ss_expr* e)
{
  ss_error error = {0};
  size_t offset = 0;
  char text[640];
  if (!*v->text) {
    snprintf(text, sizeof text, "%s is empty", what);
    return ss_value_error(r, v, 0, text);
  }
  *e = ss_expr_parse(&r->graph, v->text, strlen(v->text), look_up, r, &offset, &error);
  if (*e < 0) return error.status == SS_ERR_MEMORY ? ss_reader_memory(r) : ss_value_error(r, v, offset, error.text);
  int wrong = ss_expr_depends(&r->graph, *e) & ~allowed;
  if (wrong) {
    const char* on = wrong & SS_DEPENDS_U ? "rates" : wrong & SS_DEPENDS_Q ? "coordinates" : "t";
    snprintf(text, sizeof text, "%s may not depend on %s", what, on);
    return ss_value_error(r, v, 0, text);
  }
  double number;
  if (ss_expr_is_const(&r->graph, *e, &number) && !isfinite(number)) {
    ss_print(text, sizeof text, "%s is not a finite number (%g)", what, number);
    return ss_value_error(r, v, 0, text);
  }
  return SS_OK;
}

ss_status ss_value_number(ss_reader* r, const ss_value* v, const char* what, double* number)
{
  ss_expr e;
  ss_status st = ss_value_expr(r, v, 0, what, &e);
  if (st == SS_OK) ss_expr_is_const(&r->graph, e, number);
  return st;
}

double ss_value_given_to(const char* text)
{
  int significant = 0, decimals = 0;
  bool point = false;
  if (*text == '-' || *text == '+') text++;
  for (; isdigit((unsigned char)*text) || (*text == '.' && !point); text++) {
    if (*text == '.') point = true;
    else if (significant || *text != '0') significant++;
    decimals += point && *text != '.';
  }
  long exponent = 0;
  if (*text == 'e' || *text == 'E') {
    char* end;
    exponent = strtol(text + 1, &end, 10);
    text = end;
  }
  return *text || significant < 4 ? 0 : pow(10, (double)(exponent - decimals));
}

bool ss_is_name(const char* text)
{
  if (!*text || isdigit((unsigned char)*text) || strlen(text) > 80) return false;
  for (; *text; text++)
    if (!isalnum((unsigned char)*text) && *text != '_' && (unsigned char)*text < 0x80) return false;
  return true;
}

// A new name must be one, not be reserved, and be new.
ss_status ss_reader_check_name(ss_reader* r, const yaml_node_t* node, const char* what)
{
  const char* name = ss_yaml_text(node);
  if (!ss_is_name(name))
    return ss_yaml_error(&r->yaml, node, 0, r->error,
                         "'%.80s' is not a name for a %s: use letters, digits and _ (at most 80)", name, what);
  if (same(name, "t") || same(name, "pi") || ss_op_find(name, strlen(name)) != SS_OP_COUNT)
    return ss_yaml_error(&r->yaml, node, 0, r->error, "'%s' is reserved and cannot name a %s", name, what);
  if (find_symbol(r, name, strlen(name)))
    return ss_yaml_error(&r->yaml, node, 0, r->error, "'%s' is defined twice", name);
  return SS_OK;
}

ss_status ss_reader_add_symbol(ss_reader* r, ss_symbol s)
{
  if (r->n_symbol == r->symbol_room) {
    int room = r->symbol_room ? 2*r->symbol_room : 64;
    ss_symbol* list = realloc(r->symbol, sizeof *list*(size_t)room);
    if (!list) return ss_reader_memory(r);
    r->symbol = list;
    r->symbol_room = room;
  }
  r->symbol[r->n_symbol++] = s;
  return SS_OK;
}
