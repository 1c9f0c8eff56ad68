// The reader of `bodies`: shapes with poses, masses from outlines, surfaces.
#include "io/model_bodies.h"
#include "base/number.h"
#include "io/outline_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "io/model_draw.h"

enum { MAX_BODIES = 2000, MAX_NAME = 80 };

static ss_status complain(ss_reader* r, const yaml_node_t* node, const char* what, const char* text)
{
  return ss_yaml_error(&r->yaml, node, 0, r->error, "%s %s", what, text);
}

static int length_of(const yaml_node_t* node)
{
  if (!node || node->type != YAML_SEQUENCE_NODE) return -1;
  return (int)(node->data.sequence.items.top - node->data.sequence.items.start);
}

static const yaml_node_t* entry(ss_reader* r, const yaml_node_t* list, int i)
{
  return ss_yaml_node(&r->yaml, list->data.sequence.items.start[i]);
}

// n numbers, [x, y, ...]
static ss_status read_numbers(ss_reader* r, const yaml_node_t* list, const char* what, const char* form, int n,
                              double* number)
{
  if (length_of(list) != n) return complain(r, list, what, form);
  for (int i = 0; i < n; i++) {
    ss_value v;
    ss_status st = ss_value_get(r, entry(r, list, i), what, NULL, &v);
    if (st == SS_OK) st = ss_value_number(r, &v, what, &number[i]);
    if (st < 0) return st;
  }
  return SS_OK;
}

static ss_status read_member(ss_reader* r, const yaml_node_t* s, const char* what, const char* key, double least,
                             double most, double* number, bool* given)
{
  ss_value v;
  char path[192], text[300];
  ss_status st = ss_value_member(r, s, what, key, &v);
  if (given) *given = st == SS_OK && v.text;
  if (st < 0 || !v.text) return st;
  snprintf(path, sizeof path, "%s.%s", what, key);
  st = ss_value_number(r, &v, path, number);
  if (st < 0 || (*number >= least && *number <= most)) return st;
  if (isfinite(most)) ss_print(text, sizeof text, "%s is %g, must be between %g and %g", path, *number, least, most);
  else ss_print(text, sizeof text, "%s is %g, must be %s", path, *number, least > 0 ? "positive" : "at least 0");
  return ss_value_error(r, &v, 0, text);
}

// ---- points --------------------------------------------------------------------------------------------------------

// {curve: [x(s), y(s)], from, to, points}: s runs from `from` to `to`, both included
static ss_status read_curve(ss_reader* r, const yaml_node_t* node, const char* what, ss_points* p)
{
  static const char* const keys[] = {"curve", "from", "to", "points"};
  double from = 0, to = 1, count = 0;
  bool given = false;
  ss_status st = ss_yaml_check_mapping(&r->yaml, node, what, keys, 4, r->error);
  if (st == SS_OK) st = read_member(r, node, what, "from", -INFINITY, INFINITY, &from, NULL);
  if (st == SS_OK) st = read_member(r, node, what, "to", -INFINITY, INFINITY, &to, NULL);
  if (st == SS_OK) st = read_member(r, node, what, "points", 2, SS_OUTLINE_POINTS, &count, &given);
  if (st == SS_OK && (!given || count != floor(count)))
    return complain(r, node, what, "a curve needs 'points: n', a whole number");
  if (st == SS_OK && p->n + count > SS_OUTLINE_POINTS) return complain(r, node, what, "has more than 131072 points");
  for (int i = 0; i < r->n_symbol; i++)
    if (strcmp(r->symbol[i].name, "s") == 0)
      return complain(r, node, what, "a curve is a function of s, but the model has another s");
  if (st == SS_OK) st = ss_reader_add_symbol(r, (ss_symbol){"s", SS_PARAMETER, 0, -1, true});
  if (st < 0) return st;
  ss_symbol* s = &r->symbol[r->n_symbol - 1];
  for (int i = 0; st == SS_OK && i < (int)count; i++) {
    double xy[2];
    s->value = ss_expr_const(&r->graph, from + (to - from)*i/(count - 1));
    st = read_numbers(r, ss_yaml_get(&r->yaml, node, "curve"), what, "a curve is [x, y], functions of s", 2, xy);
    if (st == SS_OK && !ss_points_add(p, xy[0], xy[1])) st = ss_reader_memory(r);
  }
  r->n_symbol--;
  return st;
}

// Points [x, y] and curves, in their order
static ss_status read_points(ss_reader* r, const yaml_node_t* list, const char* what, ss_points* p)
{
  int n = length_of(list);
  if (n < 1) return complain(r, list, what, "must be a list of points [x, y] and curves {curve: [x, y], points: n}");
  ss_status st = SS_OK;
  for (int i = 0; st == SS_OK && i < n; i++) {
    const yaml_node_t* node = entry(r, list, i);
    double xy[2];
    if (node->type == YAML_MAPPING_NODE) st = read_curve(r, node, what, p);
    else st = read_numbers(r, node, what, "must be a list of points [x, y]", 2, xy);
    if (st == SS_OK && node->type != YAML_MAPPING_NODE && !ss_points_add(p, xy[0], xy[1])) st = ss_reader_memory(r);
  }
  return st;
}

// The path of a file is relative to the model
static ss_status read_file(ss_reader* r, const yaml_node_t* node, const char* what, bool closed, ss_points* p)
{
  ss_value v;
  ss_error error = {0};
  char path[1024];
  ss_status st = ss_value_get(r, node, what, NULL, &v);
  if (st < 0) return st;
  const char* slash = strrchr(r->yaml.file, '/');
  bool relative = v.text[0] != '/' && slash;
  snprintf(path, sizeof path, "%.*s%s", relative ? (int)(slash - r->yaml.file) + 1 : 0, r->yaml.file, v.text);
  st = ss_outline_read(path, closed, p, &error);
  if (st == SS_ERR_FILE) {
    ss_yaml_error(&r->yaml, node, 0, r->error, "%s: %s: %s", what, path, error.text);
    if (r->error) r->error->status = st;
    return st;
  }
  return st < 0 ? ss_yaml_error(&r->yaml, node, 0, r->error, "%s: %s", what, error.text) : SS_OK;
}

// The points turned about the origin, n times in all: gears, rings
static ss_status repeat(ss_reader* r, const yaml_node_t* s, const char* what, ss_points* p)
{
  double times = 1;
  ss_status st = read_member(r, s, what, "repeat", 1, SS_OUTLINE_POINTS, &times, NULL);
  if (st == SS_OK && times != floor(times)) return complain(r, s, what, "has a 'repeat' that is not a whole number");
  int n = p->n;
  if (st == SS_OK && n*times > SS_OUTLINE_POINTS) return complain(r, s, what, "has more than 131072 points");
  for (int k = 1; st == SS_OK && k < (int)times; k++) {
    ss_pose2 turn = ss_pose2_make(0, 0, 2*3.14159265358979323846*k/times);
    for (int i = 0; i < n; i++) {
      ss_vec2 q = ss_turn2(&turn, p->list[i]);
      if (!ss_points_add(p, q.x, q.y)) return ss_reader_memory(r);
    }
  }
  return st;
}

// ---- shapes --------------------------------------------------------------------------------------------------------

static ss_status keep_outline(ss_reader* r, ss_reader_body* b, ss_outline* o)
{
  ss_model* m = r->model;
  ss_outline** list = realloc(m->outline, sizeof *list*((size_t)m->n_outline + 1));
  if (!list) {
    ss_outline_destroy(o);
    return ss_reader_memory(r);
  }
  m->outline = list;
  list[m->n_outline++] = o;
  b->outline = m->n_outline;
  return SS_OK;
}

static ss_status read_outline(ss_reader* r, ss_reader_body* b, const char* what, const yaml_node_t* node, bool closed)
{
  ss_points p = {0};
  ss_error error = {0};
  ss_status st = node->type == YAML_SCALAR_NODE ? read_file(r, node, what, closed, &p) : read_points(r, node, what, &p);
  if (st == SS_OK) st = repeat(r, b->node, what, &p);
  ss_outline* o = st == SS_OK ? ss_outline_create(p.n, p.list, closed, &error) : NULL;
  free(p.list);
  if (st < 0) return st;
  if (!o) return ss_yaml_error(&r->yaml, node, 0, r->error, "%s: %s", what, error.text);
  b->body.shape = (ss_shape2){.kind = SS_SHAPE2_OUTLINE, .outline = o};
  return keep_outline(r, b, o);
}

static ss_status read_circle(ss_reader* r, ss_reader_body* b, const char* what, const yaml_node_t* node)
{
  double c[3];
  ss_status st = read_numbers(r, node, what, "has a circle that is not [x, y, radius]", 3, c);
  if (st == SS_OK && !(c[2] > 0)) return complain(r, node, what, "has a circle whose radius is not positive");
  if (st == SS_OK) b->body.shape = (ss_shape2){SS_SHAPE2_CIRCLE, NULL, {c[0], c[1]}, c[2], {0, 0}};
  return st;
}

static ss_status read_halfplane(ss_reader* r, ss_reader_body* b, const char* what, const yaml_node_t* node)
{
  double c[4];
  ss_status st = read_numbers(r, node, what, "has a half-plane that is not [x, y, normal x, normal y]", 4, c);
  double length = st == SS_OK ? hypot(c[2], c[3]) : 1;
  if (!(length > 0)) return complain(r, node, what, "has a half-plane without a normal");
  if (st == SS_OK) b->body.shape = (ss_shape2){SS_SHAPE2_HALFPLANE, NULL, {c[0], c[1]}, 0, {c[2]/length, c[3]/length}};
  return st;
}

// The one key that names a shape
static ss_status read_shape(ss_reader* r, ss_reader_body* b, const char* what)
{
  static const char* const kinds[] = {"polygon", "ground", "circle", "halfplane"};
  const yaml_node_t* node[4];
  int kind = -1;
  for (int k = 0; k < 4; k++) {
    node[k] = ss_yaml_get(&r->yaml, b->node, kinds[k]);
    if (node[k] && kind >= 0)
      return complain(r, node[k], what, "has two shapes; give each an entry of its own, 'with' the other");
    if (node[k]) kind = k;
  }
  switch (kind) {
    case 0:
    case 1: return read_outline(r, b, what, node[kind], kind == 0);
    case 2: return read_circle(r, b, what, node[kind]);
    case 3: return read_halfplane(r, b, what, node[kind]);
    default: return complain(r, b->node, what, "has no shape: polygon, ground, circle or halfplane");
  }
}

// ---- motion and mass -----------------------------------------------------------------------------------------------

static ss_status read_pose(ss_reader* r, ss_reader_body* b, const char* what)
{
  const yaml_node_t* node = ss_yaml_get(&r->yaml, b->node, "at");
  bool moves = false;
  for (int k = 0; k < 3; k++) b->at[k] = ss_expr_const(&r->graph, 0);
  if (node && length_of(node) != 3) return complain(r, node, what, "needs a pose 'at: [x, y, angle]'");
  for (int k = 0; node && k < 3; k++) {
    ss_value v;
    ss_status st = ss_value_get(r, entry(r, node, k), what, NULL, &v);
    if (st == SS_OK) st = ss_value_expr(r, &v, SS_DEPENDS_Q | SS_DEPENDS_T, what, &b->at[k]);
    if (st < 0) return st;
    moves = moves || !ss_expr_is_const(&r->graph, b->at[k], &b->body.pose[k]);
  }
  b->body.carriage = moves ? SS_GUIDED : SS_FIXED;
  return SS_OK;
}

static ss_status read_free(ss_reader* r, ss_reader_body* b, const char* what, int first)
{
  static const char* const coordinate[] = {"x", "y", "phi"};
  const yaml_node_t *pose = ss_yaml_get(&r->yaml, b->node, "free"), *v = ss_yaml_get(&r->yaml, b->node, "velocity");
  ss_status st = read_numbers(r, pose, what, "needs a pose 'free: [x, y, angle]'", 3, b->start);
  if (st == SS_OK && v) st = read_numbers(r, v, what, "needs a 'velocity: [x, y, angle]'", 3, b->start + 3);
  if (st == SS_OK && ss_yaml_get(&r->yaml, b->node, "at")) return complain(r, pose, what, "has both 'free' and 'at'");
  for (int k = 0; st == SS_OK && k < 3; k++) {
    snprintf(b->name[k], sizeof b->name[k], "%.80s_%s", ss_yaml_text(b->key), coordinate[k]);
    for (int i = 0; i < r->nl; i++)
      if (strcmp(r->coordinate[i], b->name[k]) == 0)
        return ss_yaml_error(&r->yaml, b->key, 0, r->error, "%s is free and has the coordinate '%s', but there is "
                             "another one of that name", what, b->name[k]);
    b->at[k] = ss_expr_q(&r->graph, first + k);
    r->coordinate[first + k] = b->name[k];
    r->unit[first + k] = k < 2 ? "m" : "rad";
    r->model->initial[first + k] = b->start[k];
    r->model->initial[r->model->nv + first + k] = b->start[3 + k];
  }
  b->body.carriage = SS_FREE;
  return st;
}

// Area, centre of mass and inertia at density 1; half-planes and open outlines have none
static bool weigh(const ss_shape2* s, ss_outline_mass* m)
{
  if (s->kind == SS_SHAPE2_CIRCLE) {
    double area = 3.14159265358979323846*s->radius*s->radius;
    *m = (ss_outline_mass){area, s->center, area*s->radius*s->radius/2};
  } else if (s->kind == SS_SHAPE2_OUTLINE && s->outline->closed) *m = ss_outline_weigh(s->outline);
  else return false;
  return true;
}

// T += m/2 v^2 + J/2 phi'^2, V += m g y of a guided body with its centre of mass at c
static void add_energy(ss_reader* r, const ss_reader_body* b, ss_vec2 c, double m, double J)
{
  ss_graph* g = &r->graph;
  ss_expr cx = ss_expr_const(g, c.x), cy = ss_expr_const(g, c.y), half = ss_expr_const(g, 0.5);
  ss_expr co = ss_expr_make(g, SS_OP_COS, b->at[2], 0, 0), si = ss_expr_make(g, SS_OP_SIN, b->at[2], 0, 0);
  ss_expr x = ss_expr_add(g, b->at[0], ss_expr_sub(g, ss_expr_mul(g, co, cx), ss_expr_mul(g, si, cy)));
  ss_expr y = ss_expr_add(g, b->at[1], ss_expr_add(g, ss_expr_mul(g, si, cx), ss_expr_mul(g, co, cy)));
  const ss_expr part[] = {x, y, b->at[2]};
  for (int k = 0; k < 3; k++) {
    ss_expr v = ss_expr_rate(g, part[k]), weight = ss_expr_mul(g, half, ss_expr_const(g, k < 2 ? m : J));
    r->kinetic = ss_expr_add(g, r->kinetic, ss_expr_mul(g, weight, ss_expr_mul(g, v, v)));
    if (k == 2) break;
    ss_expr pull = ss_expr_const(g, m*r->bodies->gravity[k]);
    r->potential = ss_expr_sub(g, r->potential, ss_expr_mul(g, pull, part[k]));
  }
}

// An outline moved so that its centre of mass is the origin
static ss_status center(ss_reader* r, ss_reader_body* b, ss_vec2 c)
{
  ss_shape2* s = &b->body.shape;
  if (s->kind != SS_SHAPE2_OUTLINE) {
    s->center = ss_sub2(s->center, c);
    return SS_OK;
  }
  ss_outline** place = &r->model->outline[b->outline - 1];
  ss_outline* o = *place;
  ss_vec2* p = malloc(sizeof *p*(size_t)o->n);
  ss_error error = {0};
  for (int i = 0; p && i < o->n; i++) p[i] = ss_sub2(o->point[i], c);
  ss_outline* moved = p ? ss_outline_create(o->n, p, o->closed, &error) : NULL;
  free(p);
  if (!moved) return ss_reader_memory(r);
  ss_outline_destroy(o);
  s->outline = *place = moved;
  return SS_OK;
}

static ss_status read_mass(ss_reader* r, ss_reader_body* b, const char* what)
{
  double mass = 0, density = 0, inertia = 0, tiny = 1e-300;
  bool has_mass = false, has_density = false, has_inertia = false;
  ss_outline_mass m;
  ss_status st = read_member(r, b->node, what, "mass", tiny, INFINITY, &mass, &has_mass);
  if (st == SS_OK) st = read_member(r, b->node, what, "density", tiny, INFINITY, &density, &has_density);
  if (st == SS_OK) st = read_member(r, b->node, what, "inertia", tiny, INFINITY, &inertia, &has_inertia);
  if (st < 0) return st;
  if (!has_mass && !has_density && !has_inertia) return SS_OK;
  if (has_mass == has_density) return complain(r, b->node, what, "needs either 'mass' (kg) or 'density' (kg/m^2)");
  if (b->body.carriage == SS_FIXED) return complain(r, b->node, what, "does not move: it has no use for a mass");
  if (!weigh(&b->body.shape, &m)) return complain(r, b->node, what, "has no area that could have a mass");
  if (has_density) mass = density*m.area;
  if (!has_inertia) inertia = mass/m.area*m.inertia;
  b->body.mass = b->mass = mass;
  b->body.inertia = b->inertia = inertia;
  b->center = m.center;
  if (b->body.carriage == SS_GUIDED) add_energy(r, b, m.center, mass, inertia);
  return SS_OK;
}

// Whether body k is body i, or one with it
static bool is_of(const ss_reader* r, int k, int i) { return k == i || r->bodies->body[k].body.part_of == i + 1; }

// Mass, centre of mass and inertia of a free body and all that is one with it; the centre becomes the origin of shapes
static ss_status weigh_whole(ss_reader* r, int i)
{
  ss_reader_body* whole = &r->bodies->body[i];
  ss_vec2 c = whole->center;
  double mass = 0, inertia = 0;
  int parts = 0;
  for (int k = i; k < r->bodies->n; k++) {
    const ss_reader_body* b = &r->bodies->body[k];
    if (!is_of(r, k, i)) continue;
    parts++;
    mass += b->mass;
    if (mass > 0 && parts > 1) c = ss_add2(c, ss_scale2(b->mass/mass, ss_sub2(b->center, c)));
  }
  if (!(mass > 0)) {
    char what[128];
    snprintf(what, sizeof what, "bodies.%.80s", whole->body.name);
    return complain(r, whole->node, what, "is free: it needs a 'mass' or a 'density'");
  }
  ss_status st = SS_OK;
  for (int k = i; st == SS_OK && k < r->bodies->n; k++) {
    ss_reader_body* b = &r->bodies->body[k];
    if (!is_of(r, k, i)) continue;
    ss_vec2 arm = ss_sub2(b->center, c);
    inertia += b->inertia + b->mass*(arm.x*arm.x + arm.y*arm.y);
    st = center(r, b, c);
  }
  whole->body.mass = mass;
  whole->body.inertia = inertia;
  return st;
}

// ---- bodies --------------------------------------------------------------------------------------------------------

static ss_status read_group(ss_reader* r, int i, const char* what)
{
  struct ss_reader_bodies* all = r->bodies;
  ss_value v, other;
  all->body[i].body.group = -1;
  ss_status st = ss_value_member(r, all->body[i].node, what, "group", &v);
  if (st < 0 || !v.text) return st;
  for (int k = 0; k <= i; k++) {
    st = ss_value_member(r, all->body[k].node, what, "group", &other);
    if (st < 0) return st;
    if (!other.text || strcmp(other.text, v.text) != 0) continue;
    all->body[i].body.group = k;
    return SS_OK;
  }
  return SS_OK;
}

static ss_status read_look(ss_reader* r, ss_reader_body* b, const char* what)
{
  static const char* const keys[] = {"fill", "stroke"};
  char* const to[] = {b->fill, b->stroke};
  for (int k = 0; k < 2; k++) {
    ss_value v;
    ss_status st = ss_value_member(r, b->node, what, keys[k], &v);
    if (st < 0) return st;
    if (v.text && !ss_draw_is_colour(v.text)) return ss_value_error(r, &v, 0, "this is not a colour");
    if (v.text) snprintf(to[k], sizeof b->fill, "%.15s", v.text);
  }
  return SS_OK;
}

// A shape that is one with an earlier body, and in its frame: the pose of that, and they do not touch
static ss_status read_with(ss_reader* r, int i, const char* what)
{
  static const char* const own[] = {"at", "free", "velocity", "group"};
  ss_reader_body *b = &r->bodies->body[i], *whole = r->bodies->body;
  const yaml_node_t* node = ss_yaml_get(&r->yaml, b->node, "with");
  ss_value v;
  ss_status st = ss_value_get(r, node, what, NULL, &v);
  if (st < 0) return st;
  for (int k = 0; k < 4; k++)
    if (ss_yaml_get(&r->yaml, b->node, own[k]))
      return ss_yaml_error(&r->yaml, b->node, 0, r->error, "%s is one with '%s': '%s' is for that to say", what, v.text,
                           own[k]);
  while (whole < b && strcmp(whole->body.name, v.text) != 0) whole++;
  if (whole == b || whole->body.part_of)
    return ss_yaml_error(&r->yaml, node, 0, r->error,
                         "%s is 'with' %s, which is no earlier body with a pose of its own", what, v.text);
  ss_outline_mass mass;
  if (whole->body.carriage == SS_FREE && !weigh(&b->body.shape, &mass))
    return complain(r, b->node, what, "has no area: it cannot be one with a free body");
  if (whole->body.group < 0) whole->body.group = (int)(whole - r->bodies->body);
  b->body.group = whole->body.group;
  b->body.part_of = (int)(whole - r->bodies->body) + 1;
  b->body.carriage = whole->body.carriage;
  memcpy(b->body.pose, whole->body.pose, sizeof b->body.pose);
  memcpy(b->at, whole->at, sizeof b->at);
  return SS_OK;
}

static ss_status read_body(ss_reader* r, int i, int* first)
{
  static const char* const keys[] = {"polygon", "ground", "circle", "halfplane", "repeat", "at",    "free", "velocity",
                                     "mass",    "density", "inertia", "group",   "mu",     "eps_n", "eps_t", "nu",
                                     "fill",    "stroke", "with"};
  ss_reader_body* b = &r->bodies->body[i];
  char what[128];
  const char* name = ss_yaml_text(b->key);
  if (!ss_is_name(name)) return complain(r, b->key, "a body", "has a name of letters, digits and _");
  if (strlen(name) > MAX_NAME) return complain(r, b->key, "a body", "has a name of at most 80 letters");
  snprintf(what, sizeof what, "bodies.%.80s", name);
  ss_status st = ss_yaml_check_mapping(&r->yaml, b->node, what, keys, (int)(sizeof keys/sizeof *keys), r->error);
  bool is_free = st == SS_OK && ss_yaml_get(&r->yaml, b->node, "free");
  bool is_part = st == SS_OK && ss_yaml_get(&r->yaml, b->node, "with");
  b->body.name = name;
  if (st == SS_OK) st = read_shape(r, b, what);
  if (st == SS_OK)
    st = is_part ? read_with(r, i, what) : is_free ? read_free(r, b, what, *first) : read_pose(r, b, what);
  if (st == SS_OK && is_free) *first += 3;
  if (st == SS_OK && !is_free && ss_yaml_get(&r->yaml, b->node, "velocity"))
    return complain(r, b->node, what, "is not free: its velocity is that of its pose");
  if (st == SS_OK) st = read_mass(r, b, what);
  if (st == SS_OK) st = read_member(r, b->node, what, "mu", 0, INFINITY, &b->body.mu, NULL);
  if (st == SS_OK) st = read_member(r, b->node, what, "eps_n", 0, 1, &b->body.eps_n, NULL);
  if (st == SS_OK) st = read_member(r, b->node, what, "eps_t", 0, 1, &b->body.eps_t, NULL);
  if (st == SS_OK) st = read_member(r, b->node, what, "nu", 0, 1, &b->body.nu, NULL);
  if (st == SS_OK && !is_part) st = read_group(r, i, what);
  return st == SS_OK ? read_look(r, b, what) : st;
}

ss_status ss_reader_count_bodies(ss_reader* r, int* n)
{
  const yaml_node_t* s = ss_reader_section(r, "bodies");
  *n = 0;
  if (!s) return SS_OK;
  ss_status st = ss_yaml_check_mapping(&r->yaml, s, "bodies", NULL, 0, r->error);
  if (st < 0) return st;
  int count = ss_yaml_pairs(s);
  if (count < 1) return complain(r, s, "bodies", "is empty");
  if (count > MAX_BODIES) return complain(r, s, "bodies", "are more than 2000");
  r->bodies = calloc(1, sizeof *r->bodies);
  if (r->bodies) r->bodies->body = calloc((size_t)count, sizeof *r->bodies->body);
  if (!r->bodies || !r->bodies->body) return ss_reader_memory(r);
  r->bodies->n = count;
  for (int i = 0; i < count; i++) {
    ss_reader_body* b = &r->bodies->body[i];
    b->key = ss_yaml_key(&r->yaml, s, i);
    b->node = ss_yaml_value(&r->yaml, s, i);
    if (b->node->type == YAML_MAPPING_NODE && ss_yaml_get(&r->yaml, b->node, "free")) *n += 3;
  }
  r->bodies->n_free = *n/3;
  return SS_OK;
}

// `gravity: g`, downwards, or `gravity: [x, y]`
static ss_status read_gravity(ss_reader* r)
{
  const yaml_node_t* node = ss_reader_section(r, "gravity");
  double* g = r->bodies->gravity;
  if (node && node->type == YAML_SEQUENCE_NODE) return read_numbers(r, node, "gravity", "must be g or [x, y]", 2, g);
  ss_status st = read_member(r, ss_yaml_root(&r->yaml), "", "gravity", -INFINITY, INFINITY, &g[1], NULL);
  g[1] = -g[1];
  return st;
}

ss_status ss_reader_read_bodies(ss_reader* r, int first)
{
  if (!r->bodies) return SS_OK;
  r->bodies->first_free = first;
  ss_status st = read_gravity(r);
  for (int i = 0; st == SS_OK && i < r->bodies->n; i++) st = read_body(r, i, &first);
  for (int i = 0; st == SS_OK && i < r->bodies->n; i++) {
    const ss_planar_body* b = &r->bodies->body[i].body;
    if (b->carriage == SS_FREE && !b->part_of) st = weigh_whole(r, i);
  }
  return st;
}

ss_status ss_reader_name_bodies(ss_reader* r)
{
  ss_status st = SS_OK;
  for (int i = 0; r->bodies && i < r->bodies->n; i++) {
    const ss_reader_body* b = &r->bodies->body[i];
    for (int k = 0; st == SS_OK && b->body.carriage == SS_FREE && k < 3; k++)
      st = ss_reader_add_symbol(r, (ss_symbol){b->name[k], SS_COORDINATE, b->at[k], -1, false});
  }
  return st;
}

ss_status ss_reader_guide_bodies(ss_reader* r, ss_expr** probe, int* n)
{
  *n = 0;
  *probe = calloc(3*(size_t)r->bodies->n, sizeof **probe);
  if (!*probe) return SS_ERR_MEMORY;
  for (int i = 0; i < r->bodies->n; i++) {
    ss_reader_body* b = &r->bodies->body[i];
    if (b->body.carriage != SS_GUIDED) continue;
    b->body.probe = b->body.part_of ? r->bodies->body[b->body.part_of - 1].body.probe : *n;
    if (b->body.part_of) continue;
    for (int k = 0; k < 3; k++) (*probe)[(*n)++] = b->at[k];
  }
  return SS_OK;
}

ss_status ss_reader_make_planar(ss_reader* r, const ss_system_def* names)
{
  struct ss_reader_bodies* all = r->bodies;
  ss_planar_def def = {.lagrangian = r->model->lagrangian, .n_body = all->n, .names = *names,
                       .gravity = {all->gravity[0], all->gravity[1]}, .depth = all->depth};
  ss_planar_body* body = calloc((size_t)all->n, sizeof *body);
  if (!body) return ss_reader_memory(r);
  for (int i = 0; i < all->n; i++) body[i] = all->body[i].body;
  def.body = body;
  r->model->planar = ss_planar_create(&def, r->error);
  free(body);
  return r->model->planar ? SS_OK : r->error ? r->error->status : SS_ERR_MEMORY;
}

void ss_reader_free_bodies(ss_reader* r)
{
  if (r->bodies) free(r->bodies->body);
  free(r->bodies);
}
