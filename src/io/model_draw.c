// The section `draw` of a text model: shapes whose numbers are expressions, compiled into one tape.
#include "io/model_draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "io/model_bodies.h"

enum { MAX_SHAPES = 1000, MAX_NUMBERS = 20000, MAX_VALUES = 4000, MAX_ALL = 200000 };  // MAX_ALL: with bodies,
enum { MAX_POINTS = 60000 };  // whose outlines are drawn with fewer points than they have, if need be

static bool same(const char* a, const char* b) { return strcmp(a, b) == 0; }

const char* ss_draw_kind_text(ss_draw_kind kind)
{
  static const char* const text[] = {
#define X(name, key) key,
    SS_DRAW_LIST(X)
#undef X
  };
  return (int)kind >= 0 && kind < SS_DRAW_KINDS ? text[kind] : NULL;
}

const char* const* ss_draw_colours(void)
{
  static const char* const names[] = {"ink",    "grey",  "light", "paper",  "wood", "steel", "red", "orange",
                                      "yellow", "green", "blue",  "purple", "none", NULL};
  return names;
}

// ---- numbers ----

// What is read so far: the shapes, and the expressions of their numbers, each expression once
typedef struct draw_reader {
  ss_reader* r;
  struct ss_model_drawing* d;
  ss_expr value[MAX_ALL];
  int n_value;
  int n_own;     // values before those of the bodies, which are not looked through
  int n_number;  // in all shapes
  double off;    // how far outlines may be off, parts of their sizes
  int* kept;     // points of an outline
} draw_reader;

static ss_status wrong(draw_reader* a, const yaml_node_t* node, const char* what, const char* text)
{
  return ss_yaml_error(&a->r->yaml, node, 0, a->r->error, "%s %s", what, text);
}

static ss_status read_number(draw_reader* a, const yaml_node_t* node, const char* what, int* number)
{
  ss_value v;
  ss_expr e = 0;
  ss_status st = ss_value_get(a->r, node, what, NULL, &v);
  if (st == SS_OK) st = ss_value_expr(a->r, &v, SS_DEPENDS_Q | SS_DEPENDS_T, what, &e);
  if (st < 0) return st;
  for (*number = a->n_own; *number < a->n_value; ++*number)
    if (a->value[*number] == e) return SS_OK;
  if (a->n_value - a->n_own >= MAX_VALUES || a->n_value == MAX_ALL)
    return wrong(a, node, what, "is too much: more than 4000 different numbers to draw");
  a->value[a->n_value++] = e;
  return SS_OK;
}

static int length_of(const yaml_node_t* node)
{
  if (!node || node->type != YAML_SEQUENCE_NODE) return -1;
  return (int)(node->data.sequence.items.top - node->data.sequence.items.start);
}

// A list of n expressions, [x, y]
static ss_status read_list(draw_reader* a, const yaml_node_t* list, const char* what, const char* form, int n,
                           int* number)
{
  char text[160];
  snprintf(text, sizeof text, "must be %s; an expression with a comma in it must be quoted", form);
  if (length_of(list) != n) return wrong(a, list, what, text);
  ss_status st = SS_OK;
  for (int i = 0; st == SS_OK && i < n; i++)
    st = read_number(a, ss_yaml_node(&a->r->yaml, list->data.sequence.items.start[i]), what, &number[i]);
  return st;
}

// Room for the n numbers of a shape
static int* take_numbers(draw_reader* a, ss_draw_shape* s, int n)
{
  int* number = calloc((size_t)n, sizeof *number);
  s->number = number;
  s->n = number ? n : 0;
  a->n_number += s->n;
  return number;
}

static ss_status read_few(draw_reader* a, const yaml_node_t* list, const char* what, const char* form, int n,
                          ss_draw_shape* s)
{
  int* number = take_numbers(a, s, n);
  return number ? read_list(a, list, what, form, n, number) : ss_reader_memory(a->r);
}

// [[x, y], [x, y], ...], at least (or, if exact, just) `least` points
static ss_status read_points(draw_reader* a, const yaml_node_t* list, const char* what, int least, bool exact,
                             ss_draw_shape* s)
{
  int n = length_of(list);
  char text[96];
  snprintf(text, sizeof text, "must be a list of %s%d points, [[x, y], [x, y]%s]", exact ? "" : "at least ", least,
           exact ? "" : ", ...");
  if (n < least || (exact && n > least)) return wrong(a, list, what, text);
  if (a->n_number + 2*n > MAX_NUMBERS) return wrong(a, list, what, "is too much: more than 10000 points to draw");
  int* number = take_numbers(a, s, 2*n);
  if (!number) return ss_reader_memory(a->r);
  ss_status st = SS_OK;
  for (int i = 0; st == SS_OK && i < n; i++)
    st = read_list(a, ss_yaml_node(&a->r->yaml, list->data.sequence.items.start[i]), what, "a list of points [x, y]", 2,
                   number + 2*i);
  return st;
}

// ---- shapes ----

static ss_status read_label(draw_reader* a, const yaml_node_t* node, const char* what, const char** label)
{
  ss_value v;
  ss_status st = ss_value_get(a->r, node, what, NULL, &v);
  if (st < 0) return st;
  *label = ss_strdup(v.text);
  return *label ? SS_OK : ss_reader_memory(a->r);
}

static ss_status read_contact_name(draw_reader* a, const yaml_node_t* node, const char* what, int* contact)
{
  ss_reader* r = a->r;
  ss_value v;
  ss_status st = ss_value_get(r, node, what, NULL, &v);
  if (st < 0) return st;
  for (int i = 0; i < r->n_contact; i++)
    if (same(r->contact[i].name, v.text)) return *contact = i, SS_OK;
  char text[400];
  snprintf(text, sizeof text, "%s: the model has no contact '%.80s'", what, v.text);
  return ss_value_error(r, &v, 0, text);
}

// A point of a text; point, normal and, if it is given, tangent of a contact: under keys of their own
static ss_status read_place(draw_reader* a, const yaml_node_t* s, const char* what, ss_draw_shape* shape)
{
  static const char* const keys[] = {"at", "normal", "tangent"};
  const yaml_node_t* node[3];
  for (int i = 0; i < 3; i++) node[i] = ss_yaml_get(&a->r->yaml, s, keys[i]);
  int n = shape->kind != SS_DRAW_CONTACT ? 1 : node[2] ? 3 : 2;
  int* number = take_numbers(a, shape, 2*n);
  if (!number) return ss_reader_memory(a->r);
  ss_status st = SS_OK;
  for (int i = 0; st == SS_OK && i < n; i++) {
    char form[64];
    snprintf(form, sizeof form, "given with '%s: [x, y]'", keys[i]);
    if (!node[i]) return ss_yaml_error(&a->r->yaml, s, 0, a->r->error, "%s needs '%s: [x, y]'", what, keys[i]);
    st = read_list(a, node[i], what, form, 2, number + 2*i);
  }
  return st;
}

static ss_status read_geometry(draw_reader* a, const yaml_node_t* s, const yaml_node_t* node, const char* what,
                               ss_draw_shape* shape)
{
  ss_status st = SS_OK;
  switch (shape->kind) {
    case SS_DRAW_POLYGON: return read_points(a, node, what, 3, false, shape);
    case SS_DRAW_SPRING: return read_points(a, node, what, 2, true, shape);
    case SS_DRAW_VIEW: return read_few(a, node, what, "[left, bottom, right, top]", 4, shape);
    case SS_DRAW_CIRCLE: return read_few(a, node, what, "[x, y, radius]", 3, shape);
    case SS_DRAW_TEXT: st = read_label(a, node, what, &shape->label); break;
    case SS_DRAW_CONTACT: st = read_contact_name(a, node, what, &shape->contact); break;
    default: return read_points(a, node, what, 2, false, shape);
  }
  return st == SS_OK ? read_place(a, s, what, shape) : st;
}

bool ss_draw_is_colour(const char* text)
{
  for (const char* const* name = ss_draw_colours(); *name; name++)
    if (same(*name, text)) return true;
  return text[0] == '#' && strlen(text) == 7 && strspn(text + 1, "0123456789abcdefABCDEF") == 6;
}

static ss_status read_colour(draw_reader* a, const yaml_node_t* s, const char* what, const char* key,
                             const char** colour)
{
  ss_value v;
  ss_status st = ss_value_member(a->r, s, what, key, &v);
  if (st < 0 || !v.text) return st;
  if (!ss_draw_is_colour(v.text)) {
    char text[256] = "is not a colour; use \"#rrggbb\" (quoted) or";
    for (const char* const* name = ss_draw_colours(); *name; name++) {
      size_t used = strlen(text);
      snprintf(text + used, sizeof text - used, " %s", *name);
    }
    char all[400];
    snprintf(all, sizeof all, "'%.40s' %s", v.text, text);
    return ss_value_error(a->r, &v, 0, all);
  }
  *colour = ss_strdup(v.text);
  return *colour ? SS_OK : ss_reader_memory(a->r);
}

static ss_status read_width(draw_reader* a, const yaml_node_t* s, const char* what, double* width)
{
  ss_value v;
  ss_status st = ss_value_member(a->r, s, what, "width", &v);
  if (st < 0 || !v.text) return st;
  st = ss_value_number(a->r, &v, what, width);
  if (st == SS_OK && !(*width > 0 && *width <= 100))
    return ss_value_error(a->r, &v, 0, "the width of a line is in pixels, above 0 and at most 100");
  return st;
}

// The kind is the one key that names one.
static ss_status read_kind(draw_reader* a, const yaml_node_t* s, const char* what, ss_draw_shape* shape,
                           const yaml_node_t** node)
{
  *node = NULL;
  for (int k = 0; k < SS_DRAW_KINDS; k++) {
    const yaml_node_t* found = ss_yaml_get(&a->r->yaml, s, ss_draw_kind_text((ss_draw_kind)k));
    if (found && *node) return wrong(a, found, what, "has two shapes; give each a name of its own");
    if (!found) continue;
    *node = found;
    shape->kind = (ss_draw_kind)k;
  }
  if (*node) return SS_OK;
  return wrong(a, s, what, "has no shape: line, polygon, circle, spring, ground, text, contact or view");
}

static ss_status read_shape(draw_reader* a, const yaml_node_t* key, const yaml_node_t* s, ss_draw_shape* shape)
{
  static const char* const keys[] = {"line",  "polygon", "circle", "spring", "ground", "text",   "contact",
                                     "view",  "frame",   "at",     "normal", "tangent", "fill",  "stroke", "width"};
  char what[160];
  const yaml_node_t* node;
  *shape = (ss_draw_shape){.contact = -1, .frame = {-1, -1, -1}};
  snprintf(what, sizeof what, "draw.%.100s", ss_yaml_text(key));
  shape->name = ss_strdup(ss_yaml_text(key));
  if (!shape->name) return ss_reader_memory(a->r);
  ss_status st = ss_yaml_check_mapping(&a->r->yaml, s, what, keys, (int)(sizeof keys/sizeof *keys), a->r->error);
  if (st == SS_OK) st = read_kind(a, s, what, shape, &node);
  if (st == SS_OK) st = read_geometry(a, s, node, what, shape);
  if (st == SS_OK) st = read_colour(a, s, what, "fill", &shape->fill);
  if (st == SS_OK) st = read_colour(a, s, what, "stroke", &shape->stroke);
  if (st == SS_OK) st = read_width(a, s, what, &shape->width);
  node = st == SS_OK ? ss_yaml_get(&a->r->yaml, s, "frame") : NULL;
  return node ? read_list(a, node, what, "in a frame [x, y, angle]", 3, shape->frame) : st;
}

static ss_status compile(draw_reader* a)
{
  struct ss_model_drawing* d = a->d;
  ss_tape_segment segment = {.n = a->n_value, .output = a->value};
  d->is_constant = calloc((size_t)a->n_value + 1, sizeof *d->is_constant);
  if (!d->is_constant || !ss_tape_compile(&d->tape, &a->r->graph, 1, &segment)) return ss_reader_memory(a->r);
  for (int i = 0; i < a->n_value; i++) d->is_constant[i] = ss_expr_is_const(&a->r->graph, a->value[i], NULL);
  d->drawing.shape = d->shape;
  d->drawing.n_value = a->n_value;
  d->drawing.is_constant = d->is_constant;
  return SS_OK;
}

// ---- bodies ----

static int add_value(draw_reader* a, ss_expr e)
{
  if (a->n_value < MAX_ALL) a->value[a->n_value++] = e;
  return a->n_value - 1;
}

static int add_constant(draw_reader* a, double x) { return add_value(a, ss_expr_const(&a->r->graph, x)); }

// The numbers of a shape of a body: constants, in its frame
static bool fill_numbers(draw_reader* a, ss_draw_shape* s, int n, const double* x)
{
  int* number = take_numbers(a, s, n);
  for (int i = 0; number && i < n; i++) number[i] = add_constant(a, x[i]);
  return number && a->n_value < MAX_ALL;
}

static int outline_points(const draw_reader* a, const ss_outline* o)
{
  if (a->off > 0) return ss_outline_sketch(o, a->off*o->size, a->kept);
  for (int i = 0; i < o->n; i++) a->kept[i] = i;
  return o->n;
}

// Points to draw of all outlines
static long all_points(const draw_reader* a)
{
  long n = 0;
  for (int i = 0; i < a->r->bodies->n; i++) {
    const ss_outline* o = a->r->bodies->body[i].body.shape.outline;
    if (o) n += outline_points(a, o);
  }
  return n;
}

// Coarser until there are not too many points
static void choose_off(draw_reader* a)
{
  for (a->off = 0; all_points(a) > MAX_POINTS && a->off < 1; a->off = a->off > 0 ? 2*a->off : 1e-5) {
  }
}

static bool draw_outline(draw_reader* a, const ss_outline* o, ss_draw_shape* s)
{
  int n = outline_points(a, o);
  double* x = malloc(2*sizeof *x*(size_t)n);
  for (int i = 0; x && i < n; i++) {
    ss_vec2 p = o->point[a->kept[o->reversed ? n - 1 - i : i]];  // in the order of the file
    x[2*i] = p.x;
    x[2*i + 1] = p.y;
  }
  s->kind = o->closed ? SS_DRAW_POLYGON : SS_DRAW_GROUND;
  bool ok = x && fill_numbers(a, s, 2*n, x);
  free(x);
  return ok;
}

// The edge of a half-plane, as long as what is large in the picture
static bool draw_halfplane(draw_reader* a, const ss_shape2* h, ss_draw_shape* s)
{
  double reach = 0;
  for (int i = 0; i < a->r->bodies->n; i++) {
    const ss_shape2* b = &a->r->bodies->body[i].body.shape;
    reach = fmax(reach, b->kind == SS_SHAPE2_OUTLINE ? b->outline->size : b->radius);
  }
  ss_vec2 d = ss_scale2(4*reach, ss_right2(h->normal)), from = ss_sub2(h->center, d), to = ss_add2(h->center, d);
  s->kind = SS_DRAW_GROUND;
  return fill_numbers(a, s, 4, (double[]){from.x, from.y, to.x, to.y});
}

static bool start_shape(draw_reader* a, const ss_reader_body* b, const char* ending, const int frame[3],
                        ss_draw_shape* s)
{
  char name[120];
  snprintf(name, sizeof name, "%.80s%s", ss_yaml_text(b->key), ending);
  *s = (ss_draw_shape){.contact = -1, .frame = {frame[0], frame[1], frame[2]}, .name = ss_strdup(name)};
  a->d->drawing.n_shape++;
  return s->name != NULL;
}

// One shape, or of a circle two: a radius shows how it turns
static bool draw_body(draw_reader* a, int i)
{
  static const char* const fill[] = {"blue", "orange", "green", "purple", "yellow", "red"};
  const ss_reader_body* b = &a->r->bodies->body[i];
  const ss_shape2* h = &b->body.shape;
  bool fixed = b->body.carriage == SS_FIXED, ok = true;
  int frame[3] = {add_value(a, b->at[0]), add_value(a, b->at[1]), add_value(a, b->at[2])};
  ss_draw_shape* s = &a->d->shape[a->d->drawing.n_shape];
  if (!start_shape(a, b, "", frame, s)) return false;
  if (h->kind == SS_SHAPE2_OUTLINE) ok = draw_outline(a, h->outline, s);
  if (h->kind == SS_SHAPE2_HALFPLANE) ok = draw_halfplane(a, h, s);
  if (h->kind == SS_SHAPE2_CIRCLE) {
    s->kind = SS_DRAW_CIRCLE;
    ok = fill_numbers(a, s, 3, (double[]){h->center.x, h->center.y, h->radius});
  }
  if (s->kind != SS_DRAW_GROUND) s->fill = ss_strdup(b->fill[0] ? b->fill : fixed ? "light" : fill[i%6]);
  if (b->stroke[0]) s->stroke = ss_strdup(b->stroke);
  if (!ok || h->kind != SS_SHAPE2_CIRCLE) return ok;
  s = &a->d->shape[a->d->drawing.n_shape];
  if (!start_shape(a, b, "_radius", frame, s)) return false;
  s->kind = SS_DRAW_LINE;
  return fill_numbers(a, s, 4, (double[]){h->center.x, h->center.y, h->center.x + h->radius, h->center.y});
}

static ss_status draw_bodies(draw_reader* a)
{
  if (a->r->bodies) {
    a->kept = malloc(sizeof *a->kept*SS_OUTLINE_POINTS);
    if (!a->kept) return ss_reader_memory(a->r);
    choose_off(a);
  }
  for (int i = 0; a->r->bodies && i < a->r->bodies->n; i++)
    if (!draw_body(a, i)) return a->n_value < MAX_ALL ? ss_reader_memory(a->r) : SS_ERR_CAPACITY;
  a->n_own = a->n_value;
  a->n_number = 0;
  return SS_OK;
}

static ss_status read_shapes(draw_reader* a, const yaml_node_t* s)
{
  int n = s ? ss_yaml_pairs(s) : 0, first = a->r->bodies ? 2*a->r->bodies->n : 0;
  if (s && n < 1) return wrong(a, s, "draw", "is empty");
  if (n > MAX_SHAPES) return wrong(a, s, "draw", "has more than 1000 shapes");
  a->d->shape = calloc((size_t)(n + first), sizeof *a->d->shape);
  if (!a->d->shape) return ss_reader_memory(a->r);
  ss_status st = draw_bodies(a);
  if (st == SS_ERR_CAPACITY) return ss_error_set(a->r->error, SS_ERR_INPUT, "there are too many bodies to draw");
  for (int i = 0; st == SS_OK && i < n; i++) {
    ss_draw_shape* shape = &a->d->shape[a->d->drawing.n_shape++];
    st = read_shape(a, ss_yaml_key(&a->r->yaml, s, i), ss_yaml_value(&a->r->yaml, s, i), shape);
  }
  return st == SS_OK ? compile(a) : st;
}

ss_status ss_reader_draw(ss_reader* r)
{
  const yaml_node_t* s = ss_reader_section(r, "draw");
  if (!s && !r->bodies) return SS_OK;
  ss_status st = s ? ss_yaml_check_mapping(&r->yaml, s, "draw", NULL, 0, r->error) : SS_OK;
  if (st < 0) return st;
  draw_reader* a = calloc(1, sizeof *a);
  r->model->drawing = calloc(1, sizeof *r->model->drawing);
  if (a && r->model->drawing) {
    a->r = r;
    a->d = r->model->drawing;
    st = read_shapes(a, s);
  } else st = ss_reader_memory(r);
  if (a) free(a->kept);
  free(a);
  return st;
}

void ss_model_drawing_destroy(struct ss_model_drawing* d)
{
  if (!d) return;
  for (int i = 0; i < d->drawing.n_shape; i++) {
    ss_draw_shape* s = &d->shape[i];
    free((char*)s->name);
    free((char*)s->label);
    free((char*)s->fill);
    free((char*)s->stroke);
    free((int*)s->number);
  }
  free(d->shape);
  free(d->is_constant);
  ss_tape_free(&d->tape);
  free(d);
}

// ---- pictures ----

const ss_drawing* ss_model_drawing(const ss_model* m) { return m && m->drawing ? &m->drawing->drawing : NULL; }

ss_status ss_model_draw(const ss_model* m, long n, const double* t, const double* q, double* value)
{
  if (!m || !m->drawing || !t || !q || !value) return SS_ERR_ARGUMENT;
  const ss_tape* tape = &m->drawing->tape;
  int n_value = m->drawing->drawing.n_value;
  double* r = calloc((size_t)tape->n_register + 1, sizeof *r);
  if (!r) return SS_ERR_MEMORY;
  for (long i = 0; i < n; i++) {
    ss_tape_load(tape, r, i == 0, q + i*m->nq, NULL, t[i]);
    ss_tape_run(tape, r, 0);
    ss_tape_get(tape, r, 0, 0, n_value, value + i*n_value);
  }
  free(r);
  return SS_OK;
}
