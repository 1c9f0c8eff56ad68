// The reader of text models: YAML sections -> expressions -> a Lagrangian system (docs/model-format.md).
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/number.h"
#include "io/model_bodies.h"
#include "io/model_draw.h"
#include "io/model_reader.h"

#define MAX_COORDINATES 256

static bool same(const char* a, const char* b) { return strcmp(a, b) == 0; }

// ---- sections ----

static ss_status read_text(ss_reader* r, const char* key, char** out)
{
  ss_value v;
  ss_status st = ss_value_member(r, ss_yaml_root(&r->yaml), "", key, &v);
  if (st < 0 || !v.text) return st;
  *out = ss_strdup(v.text);
  return *out ? SS_OK : ss_reader_memory(r);
}

// Name (and unit) of coordinate i: from a list of names, or a mapping name -> unit
static ss_status read_coordinate(ss_reader* r, const yaml_node_t* s, int i)
{
  bool list = s->type == YAML_SEQUENCE_NODE;
  const yaml_node_t* name = list ? ss_yaml_node(&r->yaml, s->data.sequence.items.start[i])
                                 : ss_yaml_key(&r->yaml, s, i);
  const yaml_node_t* unit = list ? NULL : ss_yaml_value(&r->yaml, s, i);
  if (name->type != YAML_SCALAR_NODE) return ss_yaml_error(&r->yaml, name, 0, r->error, "a coordinate must be a name");
  if (unit && unit->type != YAML_SCALAR_NODE)
    return ss_yaml_error(&r->yaml, unit, 0, r->error, "the unit of a coordinate must be a text such as m or rad");
  ss_status st = ss_reader_check_name(r, name, "coordinate");
  if (st < 0) return st;
  r->coordinate[i] = ss_yaml_text(name);
  r->unit[i] = unit ? ss_yaml_text(unit) : "";
  return ss_reader_add_symbol(r, (ss_symbol){r->coordinate[i], SS_COORDINATE, ss_expr_q(&r->graph, i),
                                             ss_expr_u(&r->graph, i), false});
}

static ss_status read_coordinates(ss_reader* r)
{
  const yaml_node_t* s = ss_reader_section(r, "coordinates");
  int more = 0;
  ss_status counted = ss_reader_count_bodies(r, &more);
  if (counted < 0) return counted;
  if (!s && !more)
    return ss_yaml_error(&r->yaml, ss_yaml_root(&r->yaml), 0, r->error, "the model has no 'coordinates'");
  int n = 0;
  if (s && s->type == YAML_SEQUENCE_NODE) n = (int)(s->data.sequence.items.top - s->data.sequence.items.start);
  else if (s && s->type == YAML_MAPPING_NODE) {
    ss_status st = ss_yaml_check_mapping(&r->yaml, s, "coordinates", NULL, 0, r->error);
    if (st < 0) return st;
    n = ss_yaml_pairs(s);
  }
  if (s && n < 1)
    return ss_yaml_error(&r->yaml, s, 0, r->error,
                         "coordinates must be a list of names, as in [x, phi], or name: unit");
  if (n > MAX_COORDINATES)
    return ss_yaml_error(&r->yaml, s, 0, r->error, "more than %d coordinates", MAX_COORDINATES);
  r->nl = n;
  r->model->nq = r->model->nv = n + more;
  r->coordinate = calloc((size_t)(n + more), sizeof *r->coordinate);
  r->unit = calloc((size_t)(n + more), sizeof *r->unit);
  r->force = calloc((size_t)n + 1, sizeof *r->force);
  r->model->initial = calloc(2*(size_t)(n + more), sizeof(double));
  r->given_to = calloc((size_t)(n + more), sizeof(double));
  if (!r->coordinate || !r->unit || !r->force || !r->model->initial || !r->given_to ||
      !ss_graph_init(&r->graph, n + more))
    return ss_reader_memory(r);
  for (int i = 0; i < n; i++) {
    r->force[i] = ss_expr_const(&r->graph, 0);
    ss_status st = read_coordinate(r, s, i);
    if (st < 0) return st;
  }
  return SS_OK;
}

static ss_status read_parameters(ss_reader* r)
{
  const yaml_node_t* s = ss_reader_section(r, "parameters");
  if (!s) return SS_OK;
  ss_status st = ss_yaml_check_mapping(&r->yaml, s, "parameters", NULL, 0, r->error);
  int n = st < 0 ? 0 : ss_yaml_pairs(s);
  r->model->parameter = calloc((size_t)n + 1, sizeof *r->model->parameter);
  if (!r->model->parameter) return ss_reader_memory(r);
  for (int i = 0; st == SS_OK && i < n; i++) {
    const yaml_node_t* key = ss_yaml_key(&r->yaml, s, i);
    const char* name = ss_yaml_text(key);
    char path[128], what[128];
    ss_value v;
    double number = 0;
    st = ss_reader_check_name(r, key, "parameter");
    if (st < 0) return st;
    snprintf(path, sizeof path, "parameters.%s", name);
    snprintf(what, sizeof what, "parameter '%s'", name);
    st = ss_value_get(r, ss_yaml_value(&r->yaml, s, i), path, name, &v);
    if (st == SS_OK) st = ss_value_number(r, &v, what, &number);
    ss_symbol symbol = {name, SS_PARAMETER, ss_expr_const(&r->graph, number), -1, false};
    if (st == SS_OK) st = ss_reader_add_symbol(r, symbol);
    if (st < 0) return st;
    r->model->parameter[i] = (ss_parameter){ss_strdup(name), number};
    r->model->n_parameter++;
    if (!r->model->parameter[i].name) return ss_reader_memory(r);
  }
  return st;
}

static ss_status read_definitions(ss_reader* r)
{
  const yaml_node_t* s = ss_reader_section(r, "definitions");
  if (!s) return SS_OK;
  ss_status st = ss_yaml_check_mapping(&r->yaml, s, "definitions", NULL, 0, r->error);
  for (int i = 0; st == SS_OK && i < ss_yaml_pairs(s); i++) {
    const yaml_node_t* key = ss_yaml_key(&r->yaml, s, i);
    char what[128];
    ss_value v;
    ss_expr e;
    st = ss_reader_check_name(r, key, "definition");
    if (st < 0) return st;
    snprintf(what, sizeof what, "definition '%s'", ss_yaml_text(key));
    st = ss_value_member(r, s, "definitions", ss_yaml_text(key), &v);
    if (st == SS_OK) st = ss_value_expr(r, &v, SS_DEPENDS_Q | SS_DEPENDS_U | SS_DEPENDS_T, what, &e);
    if (st == SS_OK) st = ss_reader_add_symbol(r, (ss_symbol){ss_yaml_text(key), SS_DEFINITION, e, -1, false});
  }
  return st;
}

// One of the energies at the top level; 0 if absent and not required
static ss_status read_energy(ss_reader* r, const char* key, int allowed, bool required, ss_expr* e)
{
  ss_value v;
  ss_status st = ss_value_member(r, ss_yaml_root(&r->yaml), "", key, &v);
  *e = ss_expr_const(&r->graph, 0);
  if (st < 0) return st;
  if (!v.text && required)
    return ss_yaml_error(&r->yaml, ss_yaml_root(&r->yaml), 0, r->error, "the model has no '%s' energy", key);
  return v.text ? ss_value_expr(r, &v, allowed, key, e) : SS_OK;
}

static int find_coordinate(const ss_reader* r, const char* name, size_t length)
{
  for (int i = 0; i < r->model->nv; i++)
    if (r->coordinate[i] && strlen(r->coordinate[i]) == length && memcmp(r->coordinate[i], name, length) == 0) return i;
  return -1;
}

static ss_status not_a_coordinate(ss_reader* r, const yaml_node_t* key)
{
  bool all = r->coordinate[r->model->nv - 1];  // those of free bodies are known
  const char* near = ss_suggest(ss_yaml_text(key), r->coordinate, all ? r->model->nv : r->nl);
  return ss_yaml_error(&r->yaml, key, 0, r->error, "'%.80s' is not a coordinate%s%s%s", ss_yaml_text(key),
                       near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static ss_status read_forces(ss_reader* r)
{
  const yaml_node_t* s = ss_reader_section(r, "forces");
  if (!s) return SS_OK;
  ss_status st = ss_yaml_check_mapping(&r->yaml, s, "forces", NULL, 0, r->error);
  for (int i = 0; st == SS_OK && i < ss_yaml_pairs(s); i++) {
    const yaml_node_t* key = ss_yaml_key(&r->yaml, s, i);
    int c = find_coordinate(r, ss_yaml_text(key), strlen(ss_yaml_text(key)));
    if (c < 0 || c >= r->nl) return not_a_coordinate(r, key);
    char what[128];
    ss_value v;
    snprintf(what, sizeof what, "the force on '%s'", r->coordinate[c]);
    st = ss_value_member(r, s, "forces", r->coordinate[c], &v);
    if (st == SS_OK) st = ss_value_expr(r, &v, SS_DEPENDS_Q | SS_DEPENDS_U | SS_DEPENDS_T, what, &r->force[c]);
  }
  return st;
}

// ---- contacts ----

static ss_status read_coefficient(ss_reader* r, const yaml_node_t* s, const char* prefix, const char* key, double most,
                                  double* number, bool* given)
{
  ss_value v;
  char what[192], text[256];
  *number = 0;
  ss_status st = ss_value_member(r, s, prefix, key, &v);
  *given = st == SS_OK && v.text;
  if (!*given) return st;
  snprintf(what, sizeof what, "%s.%s", prefix, key);
  st = ss_value_number(r, &v, what, number);
  if (st < 0 || (*number >= 0 && *number <= most)) return st;
  if (isfinite(most)) ss_print(text, sizeof text, "%s is %g, must be between 0 and %g", what, *number, most);
  else ss_print(text, sizeof text, "%s is %g, must not be negative", what, *number);
  return ss_value_error(r, &v, 0, text);
}

// A coefficient of friction: a number, or an expression of the motion, which *varies then tells.
static ss_status read_friction(ss_reader* r, const yaml_node_t* s, const char* prefix, const char* key, double* number,
                               ss_expr* e, bool* varies, bool* given)
{
  ss_value v;
  char what[192];
  *number = 0;
  *e = ss_expr_const(&r->graph, 0);
  ss_status st = ss_value_member(r, s, prefix, key, &v);
  *given = st == SS_OK && v.text;
  if (!*given) return st;
  snprintf(what, sizeof what, "%s.%s", prefix, key);
  st = ss_value_expr(r, &v, SS_DEPENDS_Q | SS_DEPENDS_U | SS_DEPENDS_T, what, e);
  if (st < 0) return st;
  if (!ss_expr_depends(&r->graph, *e)) return read_coefficient(r, s, prefix, key, INFINITY, number, given);
  *varies = true;
  return SS_OK;
}

// name_static is less than name, or alone
static ss_status wrong_at_rest(ss_reader* r, const yaml_node_t* s, const char* prefix, const char* name, double rest,
                               bool less)
{
  char key[32], text[256];
  ss_value v;
  snprintf(key, sizeof key, "%s_static", name);
  ss_status st = ss_value_member(r, s, prefix, key, &v);
  if (st < 0) return st;
  if (less)
    ss_print(text, sizeof text, "%s.%s is %g, less than %s: friction at rest cannot be smaller than that of sliding",
             prefix, key, rest, name);
  else
    ss_print(text, sizeof text, "%s.%s is %g, but there is no '%s', the friction of sliding", prefix, key, rest, name);
  return ss_value_error(r, &v, 0, text);
}

// mu, bound and what they are at rest
static ss_status read_friction_law(ss_reader* r, const yaml_node_t* s, const char* prefix, ss_contact_def* c,
                                   ss_lagrangian_contact* e, bool* mu, bool* bound)
{
  bool varies = false, at_rest[2] = {false, false};
  ss_status st = read_friction(r, s, prefix, "mu", &c->mu, &e->mu, &varies, mu);
  if (st == SS_OK) st = read_friction(r, s, prefix, "bound", &c->bound, &e->bound, &varies, bound);
  if (st == SS_OK) st = read_coefficient(r, s, prefix, "mu_static", INFINITY, &c->mu_static, &at_rest[0]);
  if (st == SS_OK) st = read_coefficient(r, s, prefix, "bound_static", INFINITY, &c->bound_static, &at_rest[1]);
  if (st < 0) return st;
  for (int k = 0; k < 2; k++) {
    double least = k ? c->bound : c->mu, rest = k ? c->bound_static : c->mu_static;
    const char* name = k ? "bound" : "mu";
    if (!at_rest[k] || (rest >= least && *(k ? bound : mu))) continue;
    return wrong_at_rest(r, s, prefix, name, rest, *(k ? bound : mu));
  }
  c->varies = varies;
  if (varies) c->mu = c->bound = 0;
  return SS_OK;
}

// The gap or slide of a contact; -1 if absent
static ss_status read_contact_expr(ss_reader* r, const yaml_node_t* s, const char* prefix, const char* key, int allowed,
                                   ss_expr* e)
{
  ss_value v;
  char what[192];
  *e = -1;
  ss_status st = ss_value_member(r, s, prefix, key, &v);
  if (st < 0 || !v.text) return st;
  snprintf(what, sizeof what, "%s.%s", prefix, key);
  st = ss_value_expr(r, &v, allowed, what, e);
  if (st < 0) return st;
  bool rates = allowed & SS_DEPENDS_U;
  if (ss_expr_depends(&r->graph, *e) & (rates ? SS_DEPENDS_U : SS_DEPENDS_Q)) return SS_OK;
  char text[256];
  snprintf(text, sizeof text, "%s does not depend on the %s, so nothing could move it", what,
           rates ? "rates" : "coordinates");
  return ss_value_error(r, &v, 0, text);
}

// What kind of contact follows from what is given; an error if the parts do not fit.
static ss_status classify_contact(ss_reader* r, const yaml_node_t* node, ss_contact_def* c,
                                  const ss_lagrangian_contact* e,
                                  const bool given[5])
{
  bool mu = given[0], bound = given[1], eps_n = given[2], eps_t = given[3], nu = given[4];
  const char* wrong = NULL;
  if (e->gap < 0 && e->slide < 0) wrong = "needs a 'gap' (or, as a friction element, 'slide' and 'bound')";
  else if (e->gap < 0 && !bound) wrong = "has no 'gap': as a friction element it needs a 'bound'";
  else if (e->gap < 0 && (mu || eps_n || nu))
    wrong = "has no 'gap', so 'mu', 'eps_n' and 'nu' mean nothing; give 'bound'";
  else if (e->slide < 0 && (mu || bound || eps_t || nu))
    wrong = "has friction but no 'slide' (the tangential velocity)";
  if (wrong) return ss_yaml_error(&r->yaml, node, 0, r->error, "contact '%s' %s", c->name, wrong);
  c->kind = e->gap < 0 ? SS_CONTACT_FRICTION : e->slide < 0 ? SS_CONTACT_NORMAL : SS_CONTACT_PLANAR;
  return SS_OK;
}

static ss_status read_contact(ss_reader* r, const yaml_node_t* key, const yaml_node_t* s)
{
  static const char* const keys[] = {"gap", "slide", "mu", "bound", "eps_n", "eps_t", "nu", "mu_static",
                                     "bound_static"};
  const char* name = ss_yaml_text(key);
  char prefix[128], what[128];
  if (!ss_is_name(name))
    return ss_yaml_error(&r->yaml, key, 0, r->error, "'%.80s' is not a name for a contact: use letters, digits and _",
                         name);
  snprintf(prefix, sizeof prefix, "contacts.%s", name);
  snprintf(what, sizeof what, "contact '%s'", name);
  ss_status st = ss_yaml_check_mapping(&r->yaml, s, what, keys, 9, r->error);
  if (st < 0) return st;

  ss_contact_def* c = &r->contact[r->n_contact];
  ss_lagrangian_contact* e = &r->contact_expr[r->n_contact];
  bool given[5];
  c->name = name;
  r->contact_slide[r->n_contact] = ss_yaml_get(&r->yaml, s, "slide");
  if (!r->contact_slide[r->n_contact]) r->contact_slide[r->n_contact] = key;
  r->n_contact++;
  st = read_contact_expr(r, s, prefix, "gap", SS_DEPENDS_Q | SS_DEPENDS_T, &e->gap);
  if (st == SS_OK) st = read_contact_expr(r, s, prefix, "slide", SS_DEPENDS_Q | SS_DEPENDS_U | SS_DEPENDS_T, &e->slide);
  if (st == SS_OK) st = read_friction_law(r, s, prefix, c, e, &given[0], &given[1]);
  if (st == SS_OK) st = read_coefficient(r, s, prefix, "eps_n", 1, &c->eps_n, &given[2]);
  if (st == SS_OK) st = read_coefficient(r, s, prefix, "eps_t", 1, &c->eps_t, &given[3]);
  if (st == SS_OK) st = read_coefficient(r, s, prefix, "nu", 1, &c->nu, &given[4]);
  return st == SS_OK ? classify_contact(r, key, c, e, given) : st;
}

static ss_status read_contacts(ss_reader* r)
{
  const yaml_node_t* s = ss_reader_section(r, "contacts");
  if (!s) return SS_OK;
  ss_status st = ss_yaml_check_mapping(&r->yaml, s, "contacts", NULL, 0, r->error);
  if (st < 0) return st;
  size_t n = (size_t)ss_yaml_pairs(s);
  r->contact = calloc(n + 1, sizeof *r->contact);
  r->contact_expr = calloc(n + 1, sizeof *r->contact_expr);
  r->contact_slide = calloc(n + 1, sizeof *r->contact_slide);
  if (!r->contact || !r->contact_expr || !r->contact_slide) return ss_reader_memory(r);
  for (int i = 0; st == SS_OK && i < (int)n; i++)
    st = read_contact(r, ss_yaml_key(&r->yaml, s, i), ss_yaml_value(&r->yaml, s, i));
  return st == SS_OK ? ss_reader_split_contacts(r) : st;
}

static ss_status read_constraints(ss_reader* r)
{
  const yaml_node_t* s = ss_reader_section(r, "constraints");
  if (!s) return SS_OK;
  ss_status st = ss_yaml_check_mapping(&r->yaml, s, "constraints", NULL, 0, r->error);
  if (st < 0) return st;
  size_t n = (size_t)ss_yaml_pairs(s);
  r->constraint = calloc(n + 1, sizeof *r->constraint);
  r->constraint_name = calloc(n + 1, sizeof *r->constraint_name);
  if (!r->constraint || !r->constraint_name) return ss_reader_memory(r);
  for (int i = 0; st == SS_OK && i < (int)n; i++) {
    const yaml_node_t* key = ss_yaml_key(&r->yaml, s, i);
    char what[128];
    ss_value v;
    if (!ss_is_name(ss_yaml_text(key)))
      return ss_yaml_error(&r->yaml, key, 0, r->error, "'%.80s' is not a name for a constraint", ss_yaml_text(key));
    snprintf(what, sizeof what, "constraint '%s'", ss_yaml_text(key));
    st = ss_value_member(r, s, "constraints", ss_yaml_text(key), &v);
    if (st == SS_OK) st = ss_value_expr(r, &v, SS_DEPENDS_Q | SS_DEPENDS_T, what, &r->constraint[i]);
    if (st == SS_OK && !(ss_expr_depends(&r->graph, r->constraint[i]) & SS_DEPENDS_Q))
      return ss_value_error(r, &v, 0, "a constraint must depend on the coordinates");
    r->constraint_name[r->n_constraint++] = ss_yaml_text(key);
  }
  return st;
}

// ---- initial state, run settings ----

static ss_status read_initial(ss_reader* r)
{
  const yaml_node_t* s = ss_reader_section(r, "initial");
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
    ss_value v;
    snprintf(key, sizeof key, "%s%s", r->coordinate[i%r->model->nv], i < r->model->nv ? "" : "'");
    snprintf(what, sizeof what, "initial %s", key);
    st = ss_value_member(r, s, "initial", key, &v);
    if (st == SS_OK && v.text) st = ss_value_number(r, &v, what, &r->model->initial[i]);
    if (i < r->model->nv && v.text) r->given_to[i] = ss_value_given_to(v.text);
  }
  return st;
}

static bool is_any(double number) { return isfinite(number); }
static bool is_below_one(double number) { return number < 1; }
static bool is_theta(double number) { return number >= 0.5 && number <= 1; }
static bool is_whole(double number) { return number == floor(number) && number <= 1e9; }

// A number of the run section, above zero, that is as `must` tells
static ss_status read_setting_that(ss_reader* r, const yaml_node_t* s, const char* key, bool (*is)(double),
                                   const char* must, double* number)
{
  ss_value v;
  char what[64], text[128];
  ss_status st = ss_value_member(r, s, "run", key, &v);
  if (st < 0 || !v.text) return st;
  snprintf(what, sizeof what, "run.%s", key);
  st = ss_value_number(r, &v, what, number);
  if (st < 0 || (*number > 0 && is(*number))) return st;
  ss_print(text, sizeof text, "%s is %g, must be %s", what, *number, *number > 0 ? must : "positive");
  return ss_value_error(r, &v, 0, text);
}

static ss_status read_setting(ss_reader* r, const yaml_node_t* s, const char* key, double* number)
{
  return read_setting_that(r, s, key, is_any, "finite", number);
}

static ss_status read_integrator(ss_reader* r, const yaml_node_t* s)
{
  ss_value v;
  ss_status st = ss_value_member(r, s, "run", "integrator", &v);
  if (st < 0 || !v.text || ss_integrator_find(v.text, &r->model->run.step.integrator)) return st;
  return ss_value_error(r, &v, 0, "run.integrator must be moreau, euler, jean, rattle or event");
}

static ss_status read_impact(ss_reader* r, const yaml_node_t* s)
{
  ss_value v;
  ss_status st = ss_value_member(r, s, "run", "impact", &v);
  if (st < 0 || !v.text || ss_impact_law_find(v.text, &r->model->run.step.impact)) return st;
  return ss_value_error(r, &v, 0, "run.impact must be newton or poisson");
}

static ss_status read_order(ss_reader* r, const yaml_node_t* s)
{
  ss_value v;
  ss_status st = ss_value_member(r, s, "run", "multiple_impacts", &v);
  if (st < 0 || !v.text || ss_impact_order_find(v.text, &r->model->run.step.order)) return st;
  return ss_value_error(r, &v, 0, "run.multiple_impacts must be simultaneous or sequential");
}

static const char* const yes[] = {"true", "yes", "on"};
static const char* const no[] = {"false", "no", "off"};

static ss_status read_switch(ss_reader* r, const yaml_node_t* s, const char* key, bool* on)
{
  ss_value v;
  ss_status st = ss_value_member(r, s, "run", key, &v);
  if (st < 0 || !v.text) return st;
  for (int i = 0; i < 3; i++) {
    if (same(v.text, yes[i])) return *on = true, SS_OK;
    if (same(v.text, no[i])) return *on = false, SS_OK;
  }
  char text[64];
  snprintf(text, sizeof text, "run.%s must be true or false", key);
  return ss_value_error(r, &v, 0, text);
}

static ss_status read_projection(ss_reader* r, const yaml_node_t* s, ss_projection* project)
{
  ss_value v;
  ss_status st = ss_value_member(r, s, "run", "project", &v);
  if (st < 0 || !v.text) return st;
  if (same(v.text, "auto")) return *project = SS_PROJECTION_AUTO, SS_OK;
  for (int i = 0; i < 3; i++) {
    if (same(v.text, yes[i])) return *project = SS_PROJECTION_ON, SS_OK;
    if (same(v.text, no[i])) return *project = SS_PROJECTION_OFF, SS_OK;
  }
  return ss_value_error(r, &v, 0, "run.project must be true, false or auto");
}

static ss_status read_run(ss_reader* r)
{
  static const char* const keys[] = {"dt", "until", "integrator", "every", "project", "tol", "impact", "rtol",
                                     "max_step", "theta", "depth", "energy_limited", "multiple_impacts"};
  ss_run_def* run = &r->model->run;
  *run = (ss_run_def){.step = ss_step_def_default(), .until = 1, .every = 1};
  const yaml_node_t* s = ss_reader_section(r, "run");
  ss_status st = s ? ss_yaml_check_mapping(&r->yaml, s, "run", keys, (int)(sizeof keys/sizeof *keys), r->error) : SS_OK;
  double every = 1;
  if (st == SS_OK) st = read_setting(r, s, "dt", &run->step.dt);
  if (st == SS_OK) st = read_setting(r, s, "until", &run->until);
  if (st == SS_OK) st = read_setting(r, s, "tol", &run->step.solver.tol);
  if (st == SS_OK) st = read_setting_that(r, s, "rtol", is_below_one, "below 1", &run->step.event.rtol);
  if (st == SS_OK) st = read_setting_that(r, s, "theta", is_theta, "in 0.5..1", &run->step.theta);
  if (st == SS_OK) st = read_setting(r, s, "max_step", &run->step.event.max_step);
  if (st == SS_OK && r->bodies) st = read_setting(r, s, "depth", &r->bodies->depth);
  if (st == SS_OK) st = read_setting_that(r, s, "every", is_whole, "a whole number", &every);
  if (st == SS_OK) st = read_integrator(r, s);
  if (st == SS_OK) st = read_impact(r, s);
  if (st == SS_OK) st = read_order(r, s);
  if (st == SS_OK) st = read_switch(r, s, "energy_limited", &run->step.energy_limited);
  if (st == SS_OK) st = read_projection(r, s, &run->step.project);
  if (st == SS_OK) run->every = (int)every;
  return st;
}

// ---- sensors ----

static ss_status add_sensor(ss_reader* r, const char* name, const char* unit, const ss_value* v, size_t room)
{
  char what[128];
  snprintf(what, sizeof what, "sensor '%.80s'", name);
  if (!r->sensor) {
    r->sensor = calloc(room, sizeof *r->sensor);
    r->sensor_name = calloc(room, sizeof *r->sensor_name);
    r->sensor_unit = calloc(room, sizeof *r->sensor_unit);
    if (!r->sensor || !r->sensor_name || !r->sensor_unit) return ss_reader_memory(r);
  }
  if (!ss_is_name(name)) return ss_value_error(r, v, 0, "the name of a sensor must be one: letters, digits, _");
  r->sensor_name[r->n_sensor] = name;
  r->sensor_unit[r->n_sensor] = unit ? unit : "";
  return ss_value_expr(r, v, SS_DEPENDS_Q | SS_DEPENDS_U | SS_DEPENDS_T, what, &r->sensor[r->n_sensor++]);
}

// NAME: EXPRESSION or NAME: {value: EXPRESSION, unit: TEXT}
static ss_status read_sensor(ss_reader* r, const yaml_node_t* s, int i, size_t room)
{
  static const char* const keys[] = {"value", "unit"};
  const char* name = ss_yaml_text(ss_yaml_key(&r->yaml, s, i));
  const yaml_node_t* node = ss_yaml_value(&r->yaml, s, i);
  char path[128];
  ss_value v, unit = {0};
  snprintf(path, sizeof path, "sensors.%.80s", name);
  bool mapping = node && node->type == YAML_MAPPING_NODE;
  ss_status st = mapping ? ss_yaml_check_mapping(&r->yaml, node, path, keys, 2, r->error) : SS_OK;
  if (st == SS_OK && mapping) st = ss_value_member(r, node, path, "unit", &unit);
  if (st == SS_OK) st = mapping ? ss_value_member(r, node, path, "value", &v) : ss_value_get(r, node, path, NULL, &v);
  if (st == SS_OK && !v.text) st = ss_yaml_error(&r->yaml, node, 0, r->error, "%s has no value", path);
  return st == SS_OK ? add_sensor(r, name, unit.text, &v, room) : st;
}

// Those of the file, then new ones that overrides give: sensors.NAME=EXPRESSION
static ss_status read_sensors(ss_reader* r)
{
  const yaml_node_t* s = ss_reader_section(r, "sensors");
  size_t room = (size_t)(s ? ss_yaml_pairs(s) : 0) + (size_t)r->def->n_override + 1;
  ss_status st = s ? ss_yaml_check_mapping(&r->yaml, s, "sensors", NULL, 0, r->error) : SS_OK;
  for (int i = 0; st == SS_OK && s && i < ss_yaml_pairs(s); i++) st = read_sensor(r, s, i, room);
  for (int i = 0; st == SS_OK && i < r->def->n_override; i++) {
    const ss_override* o = &r->def->override[i];
    if (r->override_used[i] || strncmp(o->path, "sensors.", 8) != 0) continue;
    ss_value v = {.text = o->value, .override = o};
    r->override_used[i] = true;
    st = add_sensor(r, o->path + 8, NULL, &v, room);
  }
  return st;
}

// ---- the system ----

static ss_status build_system(ss_reader* r)
{
  ss_lagrangian_def def = {.graph = &r->graph, .kinetic = r->kinetic, .potential = r->potential, .damping = r->damping,
                           .force = r->force, .contact = r->contact_expr, .constraint = r->constraint,
                           .sensor = r->sensor};
  ss_system_def names = {.name = r->model->name, .nv = r->nl, .coordinate = r->coordinate, .unit = r->unit,
                         .n_contact = r->n_contact, .contact = r->contact, .n_bilateral = r->n_constraint,
                         .bilateral_name = r->constraint_name, .n_sensor = r->n_sensor, .sensor = r->sensor_name,
                         .sensor_unit = r->sensor_unit};
  ss_lagrangian_part part;
  int index = 0;
  ss_error error = {0};
  ss_expr* probe = NULL;
  if (r->bodies && ss_reader_guide_bodies(r, &probe, &def.n_probe) < 0) return ss_reader_memory(r);
  def.probe = probe;
  if (r->nl || def.n_probe || r->n_sensor)
    r->model->lagrangian = ss_lagrangian_create(&def, &names, &part, &index, &error);
  free(probe);
  names.nv = r->model->nv;
  if (r->bodies && error.status == SS_OK) return ss_reader_make_planar(r, &names);
  if (r->model->lagrangian) return SS_OK;
  const yaml_node_t* node = NULL;
  if (part == SS_PART_KINETIC) node = ss_reader_section(r, "kinetic");
  if (part == SS_PART_SLIDE) node = r->contact_slide[index];
  if (node && part == SS_PART_SLIDE)
    return ss_yaml_error(&r->yaml, node, 0, r->error, "contact '%s': %s", r->contact[index].name, error.text);
  if (node) return ss_yaml_error(&r->yaml, node, 0, r->error, "%s", error.text);
  return ss_error_set(r->error, error.status, "%s", error.text);
}

static ss_status check_overrides(ss_reader* r)
{
  for (int i = 0; i < r->def->n_override; i++) {
    if (r->override_used[i]) continue;
    const char** names = malloc(sizeof *names*(size_t)(r->model->n_parameter + 1));
    for (int k = 0; names && k < r->model->n_parameter; k++) names[k] = r->model->parameter[k].name;
    const char* near = names ? ss_suggest(r->def->override[i].path, names, r->model->n_parameter) : NULL;
    ss_error_set(r->error, SS_ERR_ARGUMENT, "override %.80s=%.80s: the model has no such parameter or path%s%s%s",
                 r->def->override[i].path, r->def->override[i].value, near ? "; did you mean '" : "", near ? near : "",
                 near ? "'?" : "");
    free(names);
    return SS_ERR_ARGUMENT;
  }
  return SS_OK;
}

static ss_status default_name(ss_reader* r, const char* file)
{
  if (r->model->name) return SS_OK;
  const char* slash = strrchr(file, '/');
  const char* base = slash ? slash + 1 : file;
  const char* dot = strrchr(base, '.');
  r->model->name = ss_strdup(base);
  if (!r->model->name) return ss_reader_memory(r);
  if (dot && dot > base) r->model->name[dot - base] = 0;
  return SS_OK;
}

static ss_status read_all(ss_reader* r, const char* file)
{
  static const char* const keys[] = {"name", "description", "source", "parameters", "definitions", "coordinates",
                                     "kinetic", "potential", "damping", "forces", "contacts", "constraints",
                                     "initial", "run", "draw", "bodies", "gravity", "sensors"};
  const int all = SS_DEPENDS_Q | SS_DEPENDS_U | SS_DEPENDS_T;
  ss_status st = ss_yaml_check_mapping(&r->yaml, ss_yaml_root(&r->yaml), "the model", keys,
                                        (int)(sizeof keys/sizeof *keys), r->error);
  if (st == SS_OK) st = read_text(r, "name", &r->model->name);
  if (st == SS_OK) st = read_text(r, "description", &r->model->description);
  if (st == SS_OK) st = read_text(r, "source", &r->model->source);
  if (st == SS_OK) st = default_name(r, file);
  if (st == SS_OK) st = read_coordinates(r);
  if (st == SS_OK) st = read_parameters(r);
  if (st == SS_OK) st = read_definitions(r);
  if (st == SS_OK) st = read_energy(r, "kinetic", all, !r->bodies, &r->kinetic);
  if (st == SS_OK) st = read_energy(r, "potential", SS_DEPENDS_Q | SS_DEPENDS_T, false, &r->potential);
  if (st == SS_OK) st = read_energy(r, "damping", all, false, &r->damping);
  if (st == SS_OK) st = read_forces(r);
  if (st == SS_OK) st = ss_reader_read_bodies(r, r->nl);
  if (st == SS_OK) st = read_contacts(r);
  if (st == SS_OK) st = read_constraints(r);
  if (st == SS_OK) st = read_initial(r);
  for (int i = 0; st == SS_OK && r->bodies && i < r->n_contact; i++)
    if (r->contact[i].varies || r->contact[i].mu_static > 0 || r->contact[i].bound_static > 0)
      return ss_yaml_error(&r->yaml, r->contact_slide[i], 0, r->error,
                           "contact '%s': friction that varies does not go together with bodies", r->contact[i].name);
  if (st == SS_OK) st = read_run(r);
  if (st == SS_OK) st = ss_reader_name_bodies(r);
  if (st == SS_OK) st = ss_reader_draw(r);
  if (st == SS_OK) st = read_sensors(r);
  if (st == SS_OK) st = check_overrides(r);
  if (st == SS_OK) st = build_system(r);
  return st == SS_OK ? ss_reader_check_initial(r) : st;
}

ss_status ss_model_read(ss_model* model, size_t length, const char* file, const ss_model_def* def, ss_error* error)
{
  ss_reader r = {.model = model, .def = def, .error = error};
  ss_status st = ss_yaml_parse(&r.yaml, model->text, length, file, error);
  if (st < 0) return st;
  r.override_used = calloc((size_t)def->n_override + 1, sizeof *r.override_used);
  st = r.override_used ? read_all(&r, file) : ss_reader_memory(&r);
  free(r.override_used);
  free(r.symbol);
  free(r.coordinate);
  free(r.unit);
  free(r.contact);
  free(r.contact_expr);
  free(r.contact_slide);
  for (int i = 0; i < r.n_side_name; i++) free(r.side_name[i]);
  free(r.side_name);
  free(r.constraint_name);
  free(r.sensor);
  free(r.sensor_name);
  free(r.sensor_unit);
  free(r.constraint);
  free(r.force);
  free(r.given_to);
  ss_reader_free_bodies(&r);
  ss_graph_free(&r.graph);
  ss_yaml_free(&r.yaml);
  return st;
}
