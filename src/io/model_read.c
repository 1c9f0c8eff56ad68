// The reader of text models: YAML sections -> expressions -> a Lagrangian system (docs/model-format.md).
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "integrate/work.h"
#include "io/model.h"
#include "io/yaml.h"
#include "system/expr.h"

#define MAX_COORDINATES 256

typedef enum symbol_kind { PARAMETER, COORDINATE, DEFINITION } symbol_kind;

// A name that expressions may use.
typedef struct symbol {
  const char* name;  // text of a YAML node: lives as long as the document
  symbol_kind kind;
  ss_expr value;
  ss_expr rate;      // of a coordinate; of a definition once it is asked for; -1: none yet
} symbol;

typedef struct reader {
  ss_model* model;
  const ss_model_def* def;
  ss_error* error;
  ss_yaml yaml;
  bool* override_used;
  ss_graph graph;
  symbol* symbol;
  int n_symbol, symbol_room;
  // what goes into the system
  const char** coordinate;
  const char** unit;
  ss_contact_def* contact;
  ss_lagrangian_contact* contact_expr;
  const yaml_node_t** contact_slide;  // for messages
  int n_contact;
  const char** constraint_name;
  ss_expr* constraint;
  int n_constraint;
  ss_expr* force;
  ss_expr kinetic, potential, damping;
} reader;

// The text of a value and where it came from: a node of the file, or an override.
typedef struct value {
  const char* text;  // NULL: the file does not give it
  const yaml_node_t* node;
  const ss_override* override;
} value;

static ss_status out_of_memory(reader* r) { return ss_error_set(r->error, SS_ERR_MEMORY, "out of memory"); }

static bool same(const char* a, const char* b) { return strcmp(a, b) == 0; }

static const yaml_node_t* section(reader* r, const char* key) { return ss_yaml_get(&r->yaml, ss_yaml_root(&r->yaml), key); }

// ---- values ----

// An error about a value. Returns SS_ERR_INPUT.
static ss_status value_error(reader* r, const value* v, size_t offset, const char* text)
{
  if (!v->override) return ss_yaml_error(&r->yaml, v->node, offset, r->error, "%s", text);
  return ss_error_set(r->error, SS_ERR_INPUT, "override %.80s=%.80s: %s", v->override->path, v->override->value, text);
}

// The value at "section.key" or "section.owner.key": an override if there is one, else the node's.
static ss_status get_value(reader* r, const yaml_node_t* node, const char* path, const char* bare, value* v)
{
  *v = (value){.node = node};
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
static ss_status get_member(reader* r, const yaml_node_t* mapping, const char* prefix, const char* key, value* v)
{
  char path[256];
  snprintf(path, sizeof path, "%s%s%s", prefix, *prefix ? "." : "", key);
  return get_value(r, mapping ? ss_yaml_get(&r->yaml, mapping, key) : NULL, path, NULL, v);
}

// ---- names and expressions ----

static const symbol* find_symbol(const reader* r, const char* name, size_t length)
{
  for (int i = 0; i < r->n_symbol; i++)
    if (strlen(r->symbol[i].name) == length && memcmp(r->symbol[i].name, name, length) == 0) return &r->symbol[i];
  return NULL;
}

// Whether a section names something that comes after its use.
static bool is_later(reader* r, const char* name)
{
  const char* const sections[] = {"parameters", "definitions"};
  for (int i = 0; i < 2; i++) {
    const yaml_node_t* s = section(r, sections[i]);
    if (s && s->type == YAML_MAPPING_NODE && ss_yaml_get(&r->yaml, s, name)) return true;
  }
  return false;
}

static void unknown_name(reader* r, const char* name, ss_error* error)
{
  if (is_later(r, name)) {
    ss_error_set(error, SS_ERR_INPUT, "'%.80s' is used before it is defined", name);
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
static bool look_up_rate(reader* r, symbol* s, ss_expr* e, ss_error* error)
{
  if (s->kind == PARAMETER) {
    ss_error_set(error, SS_ERR_INPUT, "'%.80s' is a parameter and has no rate", s->name);
    return false;
  }
  if (s->kind == DEFINITION && (ss_expr_depends(&r->graph, s->value) & SS_DEPENDS_U)) {
    ss_error_set(error, SS_ERR_INPUT, "%.80s' would contain accelerations, since '%.80s' contains rates", s->name, s->name);
    return false;
  }
  if (s->rate < 0) s->rate = ss_expr_rate(&r->graph, s->value);
  *e = s->rate;
  return true;
}

static bool look_up(void* scope, const char* name, size_t length, bool prime, ss_expr* e, ss_error* error)
{
  reader* r = scope;
  symbol* s = (symbol*)find_symbol(r, name, length);
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
static ss_status parse_value(reader* r, const value* v, int allowed, const char* what, ss_expr* e)
{
  ss_error error = {0};
  size_t offset = 0;
  char text[640];
  if (!*v->text) {
    snprintf(text, sizeof text, "%s is empty", what);
    return value_error(r, v, 0, text);
  }
  *e = ss_expr_parse(&r->graph, v->text, strlen(v->text), look_up, r, &offset, &error);
  if (*e < 0) return error.status == SS_ERR_MEMORY ? out_of_memory(r) : value_error(r, v, offset, error.text);
  int wrong = ss_expr_depends(&r->graph, *e) & ~allowed;
  if (wrong) {
    const char* on = wrong & SS_DEPENDS_U ? "rates" : wrong & SS_DEPENDS_Q ? "coordinates" : "t";
    snprintf(text, sizeof text, "%s may not depend on %s", what, on);
    return value_error(r, v, 0, text);
  }
  double number;
  if (ss_expr_is_const(&r->graph, *e, &number) && !isfinite(number)) {
    snprintf(text, sizeof text, "%s is not a finite number (%g)", what, number);
    return value_error(r, v, 0, text);
  }
  return SS_OK;
}

static ss_status parse_number(reader* r, const value* v, const char* what, double* number)
{
  ss_expr e;
  ss_status st = parse_value(r, v, 0, what, &e);
  if (st == SS_OK) ss_expr_is_const(&r->graph, e, number);
  return st;
}

static bool is_name(const char* text)
{
  if (!*text || isdigit((unsigned char)*text)) return false;
  for (; *text; text++)
    if (!isalnum((unsigned char)*text) && *text != '_' && (unsigned char)*text < 0x80) return false;
  return true;
}

// A new name must be one, not be reserved, and be new.
static ss_status check_name(reader* r, const yaml_node_t* node, const char* what)
{
  const char* name = ss_yaml_text(node);
  if (!is_name(name))
    return ss_yaml_error(&r->yaml, node, 0, r->error, "'%.80s' is not a name for a %s: use letters, digits and _", name, what);
  if (strlen(name) > 80) return ss_yaml_error(&r->yaml, node, 0, r->error, "this name is longer than 80 bytes");
  if (same(name, "t") || same(name, "pi") || ss_op_find(name, strlen(name)) != SS_OP_COUNT)
    return ss_yaml_error(&r->yaml, node, 0, r->error, "'%s' is reserved and cannot name a %s", name, what);
  if (find_symbol(r, name, strlen(name)))
    return ss_yaml_error(&r->yaml, node, 0, r->error, "'%s' is defined twice", name);
  return SS_OK;
}

static ss_status add_symbol(reader* r, symbol s)
{
  if (r->n_symbol == r->symbol_room) {
    int room = r->symbol_room ? 2*r->symbol_room : 64;
    symbol* list = realloc(r->symbol, sizeof *list*(size_t)room);
    if (!list) return out_of_memory(r);
    r->symbol = list;
    r->symbol_room = room;
  }
  r->symbol[r->n_symbol++] = s;
  return SS_OK;
}

// ---- sections ----

static ss_status read_text(reader* r, const char* key, char** out)
{
  value v;
  ss_status st = get_member(r, ss_yaml_root(&r->yaml), "", key, &v);
  if (st < 0 || !v.text) return st;
  *out = ss_strdup(v.text);
  return *out ? SS_OK : out_of_memory(r);
}

// Name (and unit) of coordinate i: from a list of names, or a mapping name -> unit
static ss_status read_coordinate(reader* r, const yaml_node_t* s, int i)
{
  bool list = s->type == YAML_SEQUENCE_NODE;
  const yaml_node_t* name = list ? ss_yaml_node(&r->yaml, s->data.sequence.items.start[i]) : ss_yaml_key(&r->yaml, s, i);
  const yaml_node_t* unit = list ? NULL : ss_yaml_value(&r->yaml, s, i);
  if (name->type != YAML_SCALAR_NODE) return ss_yaml_error(&r->yaml, name, 0, r->error, "a coordinate must be a name");
  if (unit && unit->type != YAML_SCALAR_NODE)
    return ss_yaml_error(&r->yaml, unit, 0, r->error, "the unit of a coordinate must be a text such as m or rad");
  ss_status st = check_name(r, name, "coordinate");
  if (st < 0) return st;
  r->coordinate[i] = ss_yaml_text(name);
  r->unit[i] = unit ? ss_yaml_text(unit) : "";
  return add_symbol(r, (symbol){r->coordinate[i], COORDINATE, ss_expr_q(&r->graph, i), ss_expr_u(&r->graph, i)});
}

static ss_status read_coordinates(reader* r)
{
  const yaml_node_t* s = section(r, "coordinates");
  if (!s) return ss_yaml_error(&r->yaml, ss_yaml_root(&r->yaml), 0, r->error, "the model has no 'coordinates'");
  int n = 0;
  if (s->type == YAML_SEQUENCE_NODE) n = (int)(s->data.sequence.items.top - s->data.sequence.items.start);
  else if (s->type == YAML_MAPPING_NODE) {
    ss_status st = ss_yaml_check_mapping(&r->yaml, s, "coordinates", NULL, 0, r->error);
    if (st < 0) return st;
    n = ss_yaml_pairs(s);
  }
  if (n < 1)
    return ss_yaml_error(&r->yaml, s, 0, r->error, "coordinates must be a list of names, as in [x, phi], or name: unit");
  if (n > MAX_COORDINATES)
    return ss_yaml_error(&r->yaml, s, 0, r->error, "more than %d coordinates", MAX_COORDINATES);
  r->model->nv = n;
  r->coordinate = calloc((size_t)n, sizeof *r->coordinate);
  r->unit = calloc((size_t)n, sizeof *r->unit);
  r->force = calloc((size_t)n, sizeof *r->force);
  r->model->initial = calloc(2*(size_t)n, sizeof(double));
  if (!r->coordinate || !r->unit || !r->force || !r->model->initial || !ss_graph_init(&r->graph, n)) return out_of_memory(r);
  for (int i = 0; i < n; i++) {
    r->force[i] = ss_expr_const(&r->graph, 0);
    ss_status st = read_coordinate(r, s, i);
    if (st < 0) return st;
  }
  return SS_OK;
}

static ss_status read_parameters(reader* r)
{
  const yaml_node_t* s = section(r, "parameters");
  if (!s) return SS_OK;
  ss_status st = ss_yaml_check_mapping(&r->yaml, s, "parameters", NULL, 0, r->error);
  int n = st < 0 ? 0 : ss_yaml_pairs(s);
  r->model->parameter = calloc((size_t)n + 1, sizeof *r->model->parameter);
  if (!r->model->parameter) return out_of_memory(r);
  for (int i = 0; st == SS_OK && i < n; i++) {
    const yaml_node_t* key = ss_yaml_key(&r->yaml, s, i);
    const char* name = ss_yaml_text(key);
    char path[128], what[128];
    value v;
    double number = 0;
    st = check_name(r, key, "parameter");
    if (st < 0) return st;
    snprintf(path, sizeof path, "parameters.%s", name);
    snprintf(what, sizeof what, "parameter '%s'", name);
    st = get_value(r, ss_yaml_value(&r->yaml, s, i), path, name, &v);
    if (st == SS_OK) st = parse_number(r, &v, what, &number);
    if (st == SS_OK) st = add_symbol(r, (symbol){name, PARAMETER, ss_expr_const(&r->graph, number), -1});
    if (st < 0) return st;
    r->model->parameter[i] = (ss_parameter){ss_strdup(name), number};
    r->model->n_parameter++;
    if (!r->model->parameter[i].name) return out_of_memory(r);
  }
  return st;
}

static ss_status read_definitions(reader* r)
{
  const yaml_node_t* s = section(r, "definitions");
  if (!s) return SS_OK;
  ss_status st = ss_yaml_check_mapping(&r->yaml, s, "definitions", NULL, 0, r->error);
  for (int i = 0; st == SS_OK && i < ss_yaml_pairs(s); i++) {
    const yaml_node_t* key = ss_yaml_key(&r->yaml, s, i);
    char what[128];
    value v;
    ss_expr e;
    st = check_name(r, key, "definition");
    if (st < 0) return st;
    snprintf(what, sizeof what, "definition '%s'", ss_yaml_text(key));
    st = get_member(r, s, "definitions", ss_yaml_text(key), &v);
    if (st == SS_OK) st = parse_value(r, &v, SS_DEPENDS_Q | SS_DEPENDS_U | SS_DEPENDS_T, what, &e);
    if (st == SS_OK) st = add_symbol(r, (symbol){ss_yaml_text(key), DEFINITION, e, -1});
  }
  return st;
}

// One of the energies at the top level; 0 if absent and not required
static ss_status read_energy(reader* r, const char* key, int allowed, bool required, ss_expr* e)
{
  value v;
  ss_status st = get_member(r, ss_yaml_root(&r->yaml), "", key, &v);
  *e = ss_expr_const(&r->graph, 0);
  if (st < 0) return st;
  if (!v.text && required)
    return ss_yaml_error(&r->yaml, ss_yaml_root(&r->yaml), 0, r->error, "the model has no '%s' energy", key);
  return v.text ? parse_value(r, &v, allowed, key, e) : SS_OK;
}

static int find_coordinate(const reader* r, const char* name, size_t length)
{
  for (int i = 0; i < r->model->nv; i++)
    if (strlen(r->coordinate[i]) == length && memcmp(r->coordinate[i], name, length) == 0) return i;
  return -1;
}

static ss_status not_a_coordinate(reader* r, const yaml_node_t* key)
{
  const char* near = ss_suggest(ss_yaml_text(key), r->coordinate, r->model->nv);
  return ss_yaml_error(&r->yaml, key, 0, r->error, "'%.80s' is not a coordinate%s%s%s", ss_yaml_text(key),
                       near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static ss_status read_forces(reader* r)
{
  const yaml_node_t* s = section(r, "forces");
  if (!s) return SS_OK;
  ss_status st = ss_yaml_check_mapping(&r->yaml, s, "forces", NULL, 0, r->error);
  for (int i = 0; st == SS_OK && i < ss_yaml_pairs(s); i++) {
    const yaml_node_t* key = ss_yaml_key(&r->yaml, s, i);
    int c = find_coordinate(r, ss_yaml_text(key), strlen(ss_yaml_text(key)));
    if (c < 0) return not_a_coordinate(r, key);
    char what[128];
    value v;
    snprintf(what, sizeof what, "the force on '%s'", r->coordinate[c]);
    st = get_member(r, s, "forces", r->coordinate[c], &v);
    if (st == SS_OK) st = parse_value(r, &v, SS_DEPENDS_Q | SS_DEPENDS_U | SS_DEPENDS_T, what, &r->force[c]);
  }
  return st;
}

// ---- contacts ----

static ss_status read_coefficient(reader* r, const yaml_node_t* s, const char* prefix, const char* key, double most,
                                  double* number, bool* given)
{
  value v;
  char what[192], text[256];
  *number = 0;
  ss_status st = get_member(r, s, prefix, key, &v);
  *given = st == SS_OK && v.text;
  if (!*given) return st;
  snprintf(what, sizeof what, "%s.%s", prefix, key);
  st = parse_number(r, &v, what, number);
  if (st < 0 || (*number >= 0 && *number <= most)) return st;
  if (isfinite(most)) snprintf(text, sizeof text, "%s is %g, must be between 0 and %g", what, *number, most);
  else snprintf(text, sizeof text, "%s is %g, must not be negative", what, *number);
  return value_error(r, &v, 0, text);
}

// The gap or slide of a contact; -1 if absent
static ss_status read_contact_expr(reader* r, const yaml_node_t* s, const char* prefix, const char* key, int allowed,
                                   ss_expr* e)
{
  value v;
  char what[192];
  *e = -1;
  ss_status st = get_member(r, s, prefix, key, &v);
  if (st < 0 || !v.text) return st;
  snprintf(what, sizeof what, "%s.%s", prefix, key);
  return parse_value(r, &v, allowed, what, e);
}

// What kind of contact follows from what is given; an error if the parts do not fit.
static ss_status classify_contact(reader* r, const yaml_node_t* node, ss_contact_def* c, const ss_lagrangian_contact* e,
                                  const bool given[4])
{
  bool mu = given[0], bound = given[1], eps_n = given[2], eps_t = given[3];
  const char* wrong = NULL;
  if (e->gap < 0 && e->slide < 0) wrong = "needs a 'gap' (or, as a friction element, 'slide' and 'bound')";
  else if (e->gap < 0 && !bound) wrong = "has no 'gap': as a friction element it needs a 'bound'";
  else if (e->gap < 0 && (mu || eps_n)) wrong = "has no 'gap', so 'mu' and 'eps_n' mean nothing; give 'bound'";
  else if (e->slide < 0 && (mu || bound || eps_t)) wrong = "has friction but no 'slide' (the tangential velocity)";
  if (wrong) return ss_yaml_error(&r->yaml, node, 0, r->error, "contact '%s' %s", c->name, wrong);
  c->kind = e->gap < 0 ? SS_CONTACT_FRICTION : e->slide < 0 ? SS_CONTACT_NORMAL : SS_CONTACT_PLANAR;
  return SS_OK;
}

static ss_status read_contact(reader* r, const yaml_node_t* key, const yaml_node_t* s)
{
  static const char* const keys[] = {"gap", "slide", "mu", "bound", "eps_n", "eps_t"};
  const char* name = ss_yaml_text(key);
  char prefix[128], what[128];
  if (!is_name(name) || strlen(name) > 80)
    return ss_yaml_error(&r->yaml, key, 0, r->error, "'%.80s' is not a name for a contact: use letters, digits and _", name);
  snprintf(prefix, sizeof prefix, "contacts.%s", name);
  snprintf(what, sizeof what, "contact '%s'", name);
  ss_status st = ss_yaml_check_mapping(&r->yaml, s, what, keys, 6, r->error);
  if (st < 0) return st;

  ss_contact_def* c = &r->contact[r->n_contact];
  ss_lagrangian_contact* e = &r->contact_expr[r->n_contact];
  bool given[4];
  c->name = name;
  r->contact_slide[r->n_contact] = ss_yaml_get(&r->yaml, s, "slide");
  if (!r->contact_slide[r->n_contact]) r->contact_slide[r->n_contact] = key;
  r->n_contact++;
  st = read_contact_expr(r, s, prefix, "gap", SS_DEPENDS_Q | SS_DEPENDS_T, &e->gap);
  if (st == SS_OK) st = read_contact_expr(r, s, prefix, "slide", SS_DEPENDS_Q | SS_DEPENDS_U | SS_DEPENDS_T, &e->slide);
  if (st == SS_OK) st = read_coefficient(r, s, prefix, "mu", INFINITY, &c->mu, &given[0]);
  if (st == SS_OK) st = read_coefficient(r, s, prefix, "bound", INFINITY, &c->bound, &given[1]);
  if (st == SS_OK) st = read_coefficient(r, s, prefix, "eps_n", 1, &c->eps_n, &given[2]);
  if (st == SS_OK) st = read_coefficient(r, s, prefix, "eps_t", 1, &c->eps_t, &given[3]);
  return st == SS_OK ? classify_contact(r, key, c, e, given) : st;
}

static ss_status read_contacts(reader* r)
{
  const yaml_node_t* s = section(r, "contacts");
  if (!s) return SS_OK;
  ss_status st = ss_yaml_check_mapping(&r->yaml, s, "contacts", NULL, 0, r->error);
  if (st < 0) return st;
  size_t n = (size_t)ss_yaml_pairs(s);
  r->contact = calloc(n + 1, sizeof *r->contact);
  r->contact_expr = calloc(n + 1, sizeof *r->contact_expr);
  r->contact_slide = calloc(n + 1, sizeof *r->contact_slide);
  if (!r->contact || !r->contact_expr || !r->contact_slide) return out_of_memory(r);
  for (int i = 0; st == SS_OK && i < (int)n; i++)
    st = read_contact(r, ss_yaml_key(&r->yaml, s, i), ss_yaml_value(&r->yaml, s, i));
  return st;
}

static ss_status read_constraints(reader* r)
{
  const yaml_node_t* s = section(r, "constraints");
  if (!s) return SS_OK;
  ss_status st = ss_yaml_check_mapping(&r->yaml, s, "constraints", NULL, 0, r->error);
  if (st < 0) return st;
  size_t n = (size_t)ss_yaml_pairs(s);
  r->constraint = calloc(n + 1, sizeof *r->constraint);
  r->constraint_name = calloc(n + 1, sizeof *r->constraint_name);
  if (!r->constraint || !r->constraint_name) return out_of_memory(r);
  for (int i = 0; st == SS_OK && i < (int)n; i++) {
    const yaml_node_t* key = ss_yaml_key(&r->yaml, s, i);
    char what[128];
    value v;
    if (!is_name(ss_yaml_text(key)) || strlen(ss_yaml_text(key)) > 80)
      return ss_yaml_error(&r->yaml, key, 0, r->error, "'%.80s' is not a name for a constraint", ss_yaml_text(key));
    snprintf(what, sizeof what, "constraint '%s'", ss_yaml_text(key));
    st = get_member(r, s, "constraints", ss_yaml_text(key), &v);
    if (st == SS_OK) st = parse_value(r, &v, SS_DEPENDS_Q | SS_DEPENDS_T, what, &r->constraint[i]);
    if (st == SS_OK && !(ss_expr_depends(&r->graph, r->constraint[i]) & SS_DEPENDS_Q))
      return value_error(r, &v, 0, "a constraint must depend on the coordinates");
    r->constraint_name[r->n_constraint++] = ss_yaml_text(key);
  }
  return st;
}

// ---- initial state, run settings ----

static ss_status read_initial(reader* r)
{
  const yaml_node_t* s = section(r, "initial");
  ss_status st = s ? ss_yaml_check_mapping(&r->yaml, s, "initial", NULL, 0, r->error) : SS_OK;
  for (int i = 0; st == SS_OK && s && i < ss_yaml_pairs(s); i++) {
    const yaml_node_t* key = ss_yaml_key(&r->yaml, s, i);
    const char* name = ss_yaml_text(key);
    size_t length = strlen(name);
    if (length && name[length - 1] == '\'') length--;
    if (find_coordinate(r, name, length) < 0) return not_a_coordinate(r, key);
  }
  for (int i = 0; st == SS_OK && i < 2*r->model->nv; i++) {
    char key[96], what[128];
    value v;
    snprintf(key, sizeof key, "%s%s", r->coordinate[i%r->model->nv], i < r->model->nv ? "" : "'");
    snprintf(what, sizeof what, "initial %s", key);
    st = get_member(r, s, "initial", key, &v);
    if (st == SS_OK && v.text) st = parse_number(r, &v, what, &r->model->initial[i]);
  }
  return st;
}

// A number of the run section; 0 < number if positive is asked for
static ss_status read_setting(reader* r, const yaml_node_t* s, const char* key, double* number)
{
  value v;
  char what[64];
  ss_status st = get_member(r, s, "run", key, &v);
  if (st < 0 || !v.text) return st;
  snprintf(what, sizeof what, "run.%s", key);
  st = parse_number(r, &v, what, number);
  if (st == SS_OK && !(*number > 0)) {
    char text[128];
    snprintf(text, sizeof text, "%s is %g, must be positive", what, *number);
    return value_error(r, &v, 0, text);
  }
  return st;
}

static ss_status read_integrator(reader* r, const yaml_node_t* s)
{
  value v;
  ss_status st = get_member(r, s, "run", "integrator", &v);
  if (st < 0 || !v.text || ss_integrator_find(v.text, &r->model->run.step.integrator)) return st;
  return value_error(r, &v, 0, "run.integrator must be moreau or euler");
}

static ss_status read_switch(reader* r, const yaml_node_t* s, const char* key, bool* on)
{
  static const char* const yes[] = {"true", "yes", "on"};
  static const char* const no[] = {"false", "no", "off"};
  value v;
  ss_status st = get_member(r, s, "run", key, &v);
  if (st < 0 || !v.text) return st;
  for (int i = 0; i < 3; i++) {
    if (same(v.text, yes[i])) return *on = true, SS_OK;
    if (same(v.text, no[i])) return *on = false, SS_OK;
  }
  char text[64];
  snprintf(text, sizeof text, "run.%s must be true or false", key);
  return value_error(r, &v, 0, text);
}

static ss_status read_run(reader* r)
{
  static const char* const keys[] = {"dt", "until", "integrator", "every", "project", "project_slop", "tol"};
  ss_run_def* run = &r->model->run;
  *run = (ss_run_def){.step = ss_step_def_default(), .until = 1, .every = 1};
  const yaml_node_t* s = section(r, "run");
  ss_status st = s ? ss_yaml_check_mapping(&r->yaml, s, "run", keys, 7, r->error) : SS_OK;
  double every = 1;
  if (st == SS_OK) st = read_setting(r, s, "dt", &run->step.dt);
  if (st == SS_OK) st = read_setting(r, s, "until", &run->until);
  if (st == SS_OK) st = read_setting(r, s, "tol", &run->step.solver.tol);
  if (st == SS_OK) st = read_setting(r, s, "project_slop", &run->step.project_slop);
  if (st == SS_OK) st = read_setting(r, s, "every", &every);
  if (st == SS_OK) st = read_integrator(r, s);
  if (st == SS_OK) st = read_switch(r, s, "project", &run->step.project);
  if (st == SS_OK && (every != floor(every) || every > 1e9))
    return ss_yaml_error(&r->yaml, s ? s : ss_yaml_root(&r->yaml), 0, r->error, "run.every is %g, must be a whole number", every);
  run->every = (int)every;
  return st;
}

// ---- the system ----

static ss_status build_system(reader* r)
{
  ss_lagrangian_def def = {.graph = &r->graph, .kinetic = r->kinetic, .potential = r->potential, .damping = r->damping,
                           .force = r->force, .contact = r->contact_expr, .constraint = r->constraint};
  ss_system_def names = {.name = r->model->name, .nv = r->model->nv, .coordinate = r->coordinate, .unit = r->unit,
                         .n_contact = r->n_contact, .contact = r->contact, .n_bilateral = r->n_constraint,
                         .bilateral_name = r->constraint_name};
  ss_lagrangian_part part;
  int index = 0;
  ss_error error = {0};
  r->model->lagrangian = ss_lagrangian_create(&def, &names, &part, &index, &error);
  if (r->model->lagrangian) return SS_OK;
  const yaml_node_t* node = NULL;
  if (part == SS_PART_KINETIC) node = section(r, "kinetic");
  if (part == SS_PART_SLIDE) node = r->contact_slide[index];
  if (node && part == SS_PART_SLIDE)
    return ss_yaml_error(&r->yaml, node, 0, r->error, "contact '%s': %s", r->contact[index].name, error.text);
  if (node) return ss_yaml_error(&r->yaml, node, 0, r->error, "%s", error.text);
  return ss_error_set(r->error, error.status, "%s", error.text);
}

static void warn(reader* r, const char* text)
{
  if (r->def->log.write) r->def->log.write(r->def->log.user, SS_LOG_WARNING, text);
}

static ss_status singular_mass(reader* r, const ss_work* w)
{
  const yaml_node_t* node = section(r, "kinetic");
  const ss_system_def* d = ss_system_get(ss_model_system(r->model));
  double* M = calloc((size_t)(d->nv*d->nv), sizeof *M);
  if (!M) return out_of_memory(r);
  d->mass(&w->at, M);
  int empty = -1;
  for (int i = 0; i < d->nv && empty < 0; i++)
    if (!(M[i*d->nv + i] > 0)) empty = i;
  free(M);
  if (empty >= 0)
    return ss_yaml_error(&r->yaml, node, 0, r->error,
                         "the mass matrix is singular at the initial state: %s' has no positive kinetic energy",
                         d->coordinate[empty]);
  return ss_yaml_error(&r->yaml, node, 0, r->error, "the mass matrix is singular at the initial state");
}

// Forces and energies must be numbers at the start.
static ss_status check_finite(reader* r, ss_work* w)
{
  const ss_system_def* d = ss_system_get(ss_model_system(r->model));
  ss_energy energy = {0};
  double sum = 0;
  d->force(&w->at, w->h);
  d->energy(&w->at, &energy);
  for (int i = 0; i < d->nv; i++) {
    if (isfinite(w->h[i])) continue;
    return ss_yaml_error(&r->yaml, ss_yaml_root(&r->yaml), 0, r->error,
                         "the force on '%s' is not a finite number at the initial state", d->coordinate[i]);
  }
  sum = energy.kinetic + energy.potential;
  if (isfinite(sum)) return SS_OK;
  return ss_yaml_error(&r->yaml, ss_yaml_root(&r->yaml), 0, r->error,
                       "the energy is not a finite number at the initial state (kinetic %g, potential %g)",
                       energy.kinetic, energy.potential);
}

static void warn_of_violations(reader* r, const ss_work* w)
{
  const ss_system_def* d = ss_system_get(ss_model_system(r->model));
  char text[256];
  for (int i = 0; i < d->n_contact; i++) {
    if (d->contact[i].kind == SS_CONTACT_FRICTION || w->gap[i] >= 0) continue;
    snprintf(text, sizeof text, "contact '%s': the gap is violated at the initial state by %.3g", d->contact[i].name,
             -w->gap[i]);
    warn(r, text);
  }
  for (int i = 0; i < d->n_bilateral; i++) {
    if (fabs(w->error[i]) <= 1e-9) continue;
    snprintf(text, sizeof text, "constraint '%s' is violated at the initial state by %.3g", d->bilateral_name[i],
             fabs(w->error[i]));
    warn(r, text);
  }
}

static ss_status check_initial(reader* r)
{
  const ss_system* system = ss_model_system(r->model);
  ss_state* state = ss_state_create(system);
  ss_work* w = ss_work_create(system, r->error);
  ss_status st = state && w ? SS_OK : out_of_memory(r);
  if (st == SS_OK) {
    double rcond = 0;
    ss_model_initial(r->model, state);
    st = ss_inspect(system, state, w, NULL, &rcond);
    bool singular = w->mass_failed || (st == SS_OK && rcond < 1e-15);
    if (singular) st = singular_mass(r, w);
    else if (st < 0)
      st = ss_yaml_error(&r->yaml, ss_yaml_root(&r->yaml), 0, r->error, "at the initial state: %s", ss_work_message(w));
    else st = check_finite(r, w);
    if (st == SS_OK) warn_of_violations(r, w);
  }
  ss_state_destroy(state);
  ss_work_destroy(w);
  return st;
}

static ss_status check_overrides(reader* r)
{
  for (int i = 0; i < r->def->n_override; i++) {
    if (r->override_used[i]) continue;
    const char** names = malloc(sizeof *names*(size_t)(r->model->n_parameter + 1));
    for (int k = 0; names && k < r->model->n_parameter; k++) names[k] = r->model->parameter[k].name;
    const char* near = names ? ss_suggest(r->def->override[i].path, names, r->model->n_parameter) : NULL;
    ss_error_set(r->error, SS_ERR_INPUT, "override %.80s=%.80s: the model has no such parameter or path%s%s%s",
                 r->def->override[i].path, r->def->override[i].value, near ? "; did you mean '" : "", near ? near : "",
                 near ? "'?" : "");
    free(names);
    return SS_ERR_INPUT;
  }
  return SS_OK;
}

static ss_status default_name(reader* r, const char* file)
{
  if (r->model->name) return SS_OK;
  const char* slash = strrchr(file, '/');
  const char* base = slash ? slash + 1 : file;
  const char* dot = strrchr(base, '.');
  r->model->name = ss_strdup(base);
  if (!r->model->name) return out_of_memory(r);
  if (dot && dot > base) r->model->name[dot - base] = 0;
  return SS_OK;
}

static ss_status read_all(reader* r, const char* file)
{
  static const char* const keys[] = {"name", "description", "source", "parameters", "definitions", "coordinates",
                                     "kinetic", "potential", "damping", "forces", "contacts", "constraints",
                                     "initial", "run"};
  const int all = SS_DEPENDS_Q | SS_DEPENDS_U | SS_DEPENDS_T;
  ss_status st = ss_yaml_check_mapping(&r->yaml, ss_yaml_root(&r->yaml), "the model", keys, 14, r->error);
  if (st == SS_OK) st = read_text(r, "name", &r->model->name);
  if (st == SS_OK) st = read_text(r, "description", &r->model->description);
  if (st == SS_OK) st = read_text(r, "source", &r->model->source);
  if (st == SS_OK) st = default_name(r, file);
  if (st == SS_OK) st = read_coordinates(r);
  if (st == SS_OK) st = read_parameters(r);
  if (st == SS_OK) st = read_definitions(r);
  if (st == SS_OK) st = read_energy(r, "kinetic", all, true, &r->kinetic);
  if (st == SS_OK) st = read_energy(r, "potential", SS_DEPENDS_Q | SS_DEPENDS_T, false, &r->potential);
  if (st == SS_OK) st = read_energy(r, "damping", all, false, &r->damping);
  if (st == SS_OK) st = read_forces(r);
  if (st == SS_OK) st = read_contacts(r);
  if (st == SS_OK) st = read_constraints(r);
  if (st == SS_OK) st = read_initial(r);
  if (st == SS_OK) st = read_run(r);
  if (st == SS_OK) st = check_overrides(r);
  if (st == SS_OK) st = build_system(r);
  return st == SS_OK ? check_initial(r) : st;
}

ss_status ss_model_read(ss_model* model, size_t length, const char* file, const ss_model_def* def, ss_error* error)
{
  reader r = {.model = model, .def = def, .error = error};
  ss_status st = ss_yaml_parse(&r.yaml, model->text, length, file, error);
  if (st < 0) return st;
  r.override_used = calloc((size_t)def->n_override + 1, sizeof *r.override_used);
  st = r.override_used ? read_all(&r, file) : out_of_memory(&r);
  free(r.override_used);
  free(r.symbol);
  free(r.coordinate);
  free(r.unit);
  free(r.contact);
  free(r.contact_expr);
  free(r.contact_slide);
  free(r.constraint_name);
  free(r.constraint);
  free(r.force);
  ss_graph_free(&r.graph);
  ss_yaml_free(&r.yaml);
  return st;
}
