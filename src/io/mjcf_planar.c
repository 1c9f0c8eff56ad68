// MJCF scenes in the plane: a file with geoms of type "polygon" becomes a text model with `bodies` (docs/polygons.md),
// which its reader then reads. Each body stands on the line that its element has in the file, so that errors name that
// line. The whole scene has to be planar; what is not is an error that says so.
//
// The plane is x, z with hinges about y, or x, y with hinges about z. Bodies have no joint, or three: two slides and a
// hinge; that is a free body. Geoms of one body are entries `with` the first. What the reader of text models would
// refuse without knowing the element is refused here.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stickslip/simulate.h>

#include "base/text.h"
#include "base/number.h"
#include "io/mjcf_planar.h"
#include "io/outline_file.h"

#define PI 3.14159265358979323846
#define TINY 1e-300  // positive

typedef struct writer {
  ss_text text;
  int line;         // that is written, from 1
  int up;           // coordinate of the plane that is not x: 1 (y), 2 (z)
  int bodies;       // written so far
  int entries;      // ... geoms
  bool degrees;     // unit of angles
  const char* file;
  ss_error* error;
} writer;

// Empty lines until the next one is that of the element
static void go_to_line(writer* w, int line)
{
  for (; w->line < line; w->line++) ss_text_append(&w->text, "\n");
}

static ss_status complain(const writer* w, int line, const char* format, ...)
{
  char text[400];
  va_list list;
  va_start(list, format);
  ss_vprint(text, sizeof text, format, list);
  va_end(list);
  ss_error_set(w->error, SS_ERR_INPUT, "%s", text);
  if (w->error) {
    w->error->line = line;
    snprintf(w->error->file, sizeof w->error->file, "%s", w->file);
  }
  return SS_ERR_INPUT;
}

// ---- attributes ----

static const char* attribute(const ss_xml_node* node, const char* name)
{
  const ss_xml_attribute* a = ss_xml_find(node, name);
  return a ? a->value : NULL;
}

// Up to n numbers; returns how many there are, n + 1 if more, -1 if it is no list of numbers
static int numbers(const char* text, int n, double* x)
{
  int k = 0;
  for (; *(text += strspn(text, " \t\r\n,")); k++) {
    const char* end;
    double value = ss_parse_number(text, &end);
    if (end == text || !isfinite(value)) return -1;
    if (k == n) return n + 1;
    x[k] = value;
    text = end;
  }
  return k;
}

static ss_status read_numbers(const writer* w, const ss_xml_node* node, const char* name, int n, double* x)
{
  const char* text = attribute(node, name);
  if (text && numbers(text, n, x) != n)
    return complain(w, node->line, "%s of %s needs %d number%s", name, node->name, n, n > 1 ? "s" : "");
  return SS_OK;
}

// A number within bounds, if the attribute is there: *given
static ss_status read_bounded(const writer* w, const ss_xml_node* node, const char* name, double least, double most,
                              double* x, bool* given)
{
  *given = attribute(node, name) != NULL;
  ss_status st = read_numbers(w, node, name, 1, x);
  if (st < 0 || !*given || (*x >= least && *x <= most)) return st;
  int line = ss_xml_find(node, name)->line;
  if (isfinite(most))
    return complain(w, line, "%s of %s is %g, must be between %g and %g", name, node->name, *x, least, most);
  return complain(w, line, "%s of %s is %g, must be %s", name, node->name, *x, least > 0 ? "positive" : "at least 0");
}

// One of two words, if the attribute is there: *second
static ss_status read_word(const writer* w, const ss_xml_node* node, const char* name, const char* const word[2],
                           bool* second)
{
  const ss_xml_attribute* a = node ? ss_xml_find(node, name) : NULL;
  if (!a) return SS_OK;
  *second = strcmp(a->value, word[1]) == 0;
  if (*second || strcmp(a->value, word[0]) == 0) return SS_OK;
  return complain(w, a->line, "%s of %s is '%.40s', must be %s or %s", name, node->name, a->value, word[0], word[1]);
}

// A text between quotes, as YAML has it
static void put_quoted(writer* w, const char* text)
{
  ss_text_append(&w->text, "\"");
  for (const char* c = text; *c; c++) {
    if (*c == '"' || *c == '\\') ss_text_append(&w->text, "\\%c", *c);
    else if ((unsigned char)*c < 32) ss_text_append(&w->text, "\\x%02x", (unsigned)*c);
    else ss_text_append(&w->text, "%c", *c);
  }
  ss_text_append(&w->text, "\"");
}

// Attributes that are not in the list, which ends with NULL, are refused by name
static ss_status check_attributes(const writer* w, const ss_xml_node* node, const char* const* known)
{
  for (const ss_xml_attribute* a = node->attribute; a; a = a->next) {
    int k = 0;
    while (known[k] && strcmp(known[k], a->name) != 0) k++;
    if (!known[k])
      return complain(w, a->line, "attribute '%s' of <%s> is not for scenes in the plane (with geoms of type polygon)",
                      a->name, node->name);
  }
  return SS_OK;
}

// A position in the plane; the third coordinate must be zero
static ss_status read_place(const writer* w, const ss_xml_node* node, double place[2])
{
  double x[3] = {0};
  ss_status st = read_numbers(w, node, "pos", 3, x);
  if (st == SS_OK && x[3 - w->up] != 0)
    return complain(w, node->line, "<%s> is not planar: its pos has %c = %g, out of the plane", node->name,
                    w->up == 2 ? 'y' : 'z', x[3 - w->up]);
  place[0] = x[0];
  place[1] = x[w->up];
  return st;
}

// Turned counter-clockwise in the plane, from euler: about y (clockwise where x is to the right and z up) or z
static ss_status read_angle(const writer* w, const ss_xml_node* node, double* angle)
{
  double x[3] = {0};
  ss_status st = read_numbers(w, node, "euler", 3, x);
  if (st == SS_OK && (x[0] != 0 || x[w->up] != 0))
    return complain(w, node->line, "<%s> is not planar: it is turned out of the plane", node->name);
  *angle = (w->up == 2 ? -1 : 1)*x[3 - w->up]*(w->degrees ? PI/180 : 1);
  return st;
}

// ---- shapes ----

static ss_status read_vertices(const writer* w, const ss_xml_node* geom, ss_points* points)
{
  const char* text = attribute(geom, "vertex");
  int n = 0;
  for (double x = 0; *(text += strspn(text, " \t\r\n,")); n++) {
    const char* end;
    double value = ss_parse_number(text, &end);
    if (end == text || !isfinite(value)) return complain(w, geom->line, "vertex: not a number: '%.20s'", text);
    text = end;
    if (n%2 && !ss_points_add(points, x, value)) return ss_error_set(w->error, SS_ERR_MEMORY, "out of memory");
    x = value;
  }
  return n%2 ? complain(w, geom->line, "vertex: %d numbers are no points: x and %c are needed of each", n,
                        w->up == 2 ? 'z' : 'y') : SS_OK;
}

// A file beside the scene
static ss_status read_points(const writer* w, const ss_xml_node* geom, bool closed, ss_points* points)
{
  const char *file = attribute(geom, "file"), *slash = strrchr(w->file, '/');
  char path[1024];
  ss_error error = {0};
  if (!attribute(geom, "vertex") == !file) return complain(w, geom->line, "a polygon needs 'vertex' or 'file'");
  if (!file) return read_vertices(w, geom, points);
  bool relative = file[0] != '/' && slash;
  snprintf(path, sizeof path, "%.*s%s", relative ? (int)(slash - w->file) + 1 : 0, w->file, file);
  ss_status st = ss_outline_read(path, closed, points, &error);
  if (st >= 0) return SS_OK;
  complain(w, geom->line, "%s", error.text);
  if (w->error) w->error->status = st;
  return st;
}

// The points are placed by their geom; the centre of mass of what they enclose is told
static ss_status write_polygon(writer* w, const ss_xml_node* geom, const double at[2], double center[2], double* area)
{
  static const char* const answer[] = {"false", "true"};
  bool is_open = false;
  ss_points p = {0};
  ss_error error = {0};
  ss_status st = read_word(w, geom, "open", answer, &is_open);
  if (st == SS_OK) st = read_points(w, geom, !is_open, &p);
  for (int i = 0; i < p.n; i++) p.list[i] = ss_add2(p.list[i], (ss_vec2){at[0], at[1]});
  ss_outline* o = st == SS_OK ? ss_outline_create(p.n, p.list, !is_open, &error) : NULL;
  if (st == SS_OK && !o) st = complain(w, geom->line, "%s", error.text);
  ss_text_append(&w->text, "%s: [", is_open ? "ground" : "polygon");
  for (int i = 0; i < p.n; i++) ss_text_append(&w->text, "%s[%.17g, %.17g]", i ? ", " : "", p.list[i].x, p.list[i].y);
  ss_text_append(&w->text, "]");
  if (o && !is_open) {
    ss_outline_mass m = ss_outline_weigh(o);
    *area = m.area;
    center[0] = m.center.x;
    center[1] = m.center.y;
  }
  ss_outline_destroy(o);
  free(p.list);
  return st;
}

static ss_status write_plane(writer* w, const ss_xml_node* geom, const double at[2])
{
  double axis[3] = {0, 0, 1};
  ss_status st = read_numbers(w, geom, "zaxis", 3, axis);
  if (st < 0) return st;
  if (axis[3 - w->up] != 0 || (axis[0] == 0 && axis[w->up] == 0))
    return complain(w, geom->line, "a plane whose normal (zaxis) is out of the plane of the scene");
  ss_text_append(&w->text, "halfplane: [%.17g, %.17g, %.17g, %.17g]", at[0], at[1], axis[0], axis[w->up]);
  return SS_OK;
}

// center: of mass, in the frame of the body; its area
static ss_status write_shape(writer* w, const ss_xml_node* geom, double center[2], double* area)
{
  const char* type = attribute(geom, "type");
  double at[2], radius = 0;
  ss_status st = read_place(w, geom, at);
  if (st < 0) return st;
  memcpy(center, at, sizeof at);
  if (type && strcmp(type, "polygon") == 0) return write_polygon(w, geom, at, center, area);
  if (type && strcmp(type, "plane") == 0) return write_plane(w, geom, at);
  if (type && strcmp(type, "sphere") != 0)
    return complain(w, geom->line, "a geom of type '%s' is not planar: polygon, sphere (a circle) and plane are", type);
  if (!attribute(geom, "size")) return complain(w, geom->line, "a sphere needs its size");
  bool given;
  st = read_bounded(w, geom, "size", TINY, INFINITY, &radius, &given);
  *area = PI*radius*radius;
  ss_text_append(&w->text, "circle: [%.17g, %.17g, %.17g]", at[0], at[1], radius);
  return st;
}

// Friction (the first number), restitution, mass or density (of a plate)
static ss_status write_surface(writer* w, const ss_xml_node* geom, bool free)
{
  static const char* const name[][2] = {{"restitution", "eps_n"}, {"mass", "mass"}, {"density", "density"}};
  const ss_xml_attribute* friction = ss_xml_find(geom, "friction");
  double mu[3] = {1, 0, 0};  // as in MJCF
  int n = friction ? numbers(friction->value, 3, mu) : 1;
  if (n < 1 || n > 3) return complain(w, friction->line, "friction needs one to three numbers");
  if (!(mu[0] >= 0)) return complain(w, friction->line, "friction is %g, must be at least 0", mu[0]);
  ss_text_append(&w->text, ", mu: %.17g", mu[0]);
  for (int i = 0; i < 3; i++) {
    double value = 0;
    bool given;
    ss_status st = read_bounded(w, geom, name[i][0], i ? TINY : 0, i ? INFINITY : 1, &value, &given);
    if (st < 0) return st;
    if (given && (i == 0 || free)) ss_text_append(&w->text, ", %s: %.17g", name[i][1], value);
  }
  if (attribute(geom, "mass") && attribute(geom, "density"))
    return complain(w, geom->line, "a geom in the plane has a mass or a density, not both");
  return SS_OK;
}

// ---- bodies ----

static ss_status check_geom(const writer* w, const ss_xml_node* geom)
{
  static const char* const known[] = {"name", "type", "pos", "vertex", "file", "open", "size", "zaxis", "friction",
                                      "restitution", "mass", "density", "rgba", NULL};
  return check_attributes(w, geom, known);
}

// What a joint moves: bit 0 along x, bit 1 along the other axis of the plane, bit 2 about its normal; 0: not planar
static int joint_moves(const writer* w, const ss_xml_node* joint)
{
  const char* type = attribute(joint, "type");
  double axis[3] = {0, 0, 1};
  if (attribute(joint, "axis") && numbers(attribute(joint, "axis"), 3, axis) != 3) return 0;
  bool slide = type && strcmp(type, "slide") == 0, hinge = !type || strcmp(type, "hinge") == 0;
  for (int k = 0; k < 3; k++) {
    double other = fabs(axis[(k + 1)%3]) + fabs(axis[(k + 2)%3]);
    if (other != 0 || axis[k] == 0) continue;
    if (slide && axis[k] > 0) return k == 0 ? 1 : k == w->up ? 2 : 0;
    if (hinge) return k == 3 - w->up ? 4 : 0;
  }
  return 0;
}

// No joint, or two slides and a hinge
static ss_status read_joints(const writer* w, const ss_xml_node* body, bool* free)
{
  static const char* const known[] = {"name", "type", "axis", "pos", NULL};
  int moves = 0, n = 0;
  for (const ss_xml_node* c = body->child; c; c = c->next) {
    if (strcmp(c->name, "joint") != 0) continue;
    ss_status st = check_attributes(w, c, known);
    if (st < 0) return st;
    int m = joint_moves(w, c);
    if (!m) return complain(w, c->line, "a joint that is not planar: slides along +x or +%c and hinges about %c are",
                            w->up == 2 ? 'z' : 'y', w->up == 2 ? 'y' : 'z');
    moves |= m;
    n++;
  }
  *free = n > 0;
  if (n && (n != 3 || moves != 7))
    return complain(w, body->line, "a body in the plane has no joint, or three: slides along x and %c, and a hinge",
                    w->up == 2 ? 'z' : 'y');
  return SS_OK;
}

static const ss_xml_node* next_geom(const ss_xml_node* node)
{
  while (node && strcmp(node->name, "geom") != 0) node = node->next;
  return node;
}

// The entry of a geom: its name, shape and surface. Those of one body but the first are `with` that, and have a number.
// line: where the name stands; center: of mass of its shape; *weight: what counts in that of the body
static ss_status write_geom(writer* w, const ss_xml_node* geom, const char* name, int line, int number, bool free,
                            double center[2], double* weight)
{
  char text[140];
  ss_status st = check_geom(w, geom);
  if (st < 0) return st;
  go_to_line(w, line);
  if (number > 1) snprintf(text, sizeof text, "%.80s_%d", name, number);
  ss_text_append(&w->text, w->entries++ ? ", " : "");
  put_quoted(w, number > 1 ? text : name);
  ss_text_append(&w->text, ": {");
  go_to_line(w, geom->line);
  double area = 0;
  st = write_shape(w, geom, center, &area);
  if (st == SS_OK) st = write_surface(w, geom, free);
  double mass = 0, density = 0;
  if (st == SS_OK) st = read_numbers(w, geom, "mass", 1, &mass);
  if (st == SS_OK) st = read_numbers(w, geom, "density", 1, &density);
  *weight = mass + density*area;
  if (st < 0 || number == 1) return st;
  ss_text_append(&w->text, ", with: ");
  put_quoted(w, name);
  ss_text_append(&w->text, "}");
  return SS_OK;
}

// The centre of mass of all geoms of a body, in its frame; their points are written a second time
static ss_status weigh(writer* w, const ss_xml_node* body, double center[2])
{
  writer trial = {.line = w->line, .up = w->up, .degrees = w->degrees, .file = w->file, .error = w->error};
  ss_status st = SS_OK;
  double sum = 0, weight, c[2];
  for (const ss_xml_node* g = next_geom(body->child); g && st == SS_OK; g = next_geom(g->next)) {
    st = write_geom(&trial, g, "x", g->line, 2, true, c, &weight);
    sum += weight;
    for (int k = 0; k < 2 && st == SS_OK && sum > 0; k++) center[k] += weight/sum*(c[k] - center[k]);
  }
  ss_text_free(&trial.text);
  if (st == SS_OK && !(sum > 0))
    return complain(w, body->line, "a body that moves needs a 'mass' or a 'density' in a geom");
  return st;
}

// The body, or a geom of the world if body is NULL
static ss_status write_body(writer* w, const ss_xml_node* body, const ss_xml_node* geom, bool free)
{
  static const char* const known[] = {"name", "pos", "euler", NULL};
  double at[2] = {0, 0}, angle = 0, center[2] = {0, 0}, c[2], weight;
  char number[24];
  ss_status st = body ? check_attributes(w, body, known) : SS_OK;
  if (st == SS_OK && body) st = read_place(w, body, at);
  if (st == SS_OK && body) st = read_angle(w, body, &angle);
  if (st == SS_OK && free) st = weigh(w, body, center);
  if (st < 0) return st;
  const char* name = body ? attribute(body, "name") : NULL;
  if (!name) name = attribute(geom, "name");
  snprintf(number, sizeof number, "body%d", ++w->bodies);
  if (!name) name = number;
  st = write_geom(w, geom, name, (body ? body : geom)->line, 1, free, c, &weight);
  ss_pose2 pose = ss_pose2_make(at[0], at[1], angle);
  ss_vec2 place = free ? ss_place2(&pose, (ss_vec2){center[0], center[1]}) : pose.p;  // free ones: of the centre
  ss_text_append(&w->text, ", %s: [%.17g, %.17g, %.17g]}", free ? "free" : "at", place.x, place.y, angle);
  int k = 2;
  for (geom = body ? next_geom(geom->next) : NULL; geom && st == SS_OK; geom = next_geom(geom->next))
    st = write_geom(w, geom, name, geom->line, k++, free, c, &weight);
  return st;
}

static ss_status read_body(writer* w, const ss_xml_node* body)
{
  bool free = false;
  ss_status st = read_joints(w, body, &free);
  for (const ss_xml_node* c = body->child; st == SS_OK && c; c = c->next)
    if (strcmp(c->name, "joint") != 0 && strcmp(c->name, "geom") != 0)
      return complain(w, c->line, "<%s> within a body is not for scenes in the plane", c->name);
  const ss_xml_node* geom = next_geom(body->child);
  if (st == SS_OK && !geom) return complain(w, body->line, "a body in the plane has a geom");
  return st == SS_OK ? write_body(w, body, geom, free) : st;
}

// ---- all ----

static const ss_xml_node* child_of(const ss_xml_node* node, const char* name)
{
  const ss_xml_node* c = node->child;
  while (c && strcmp(c->name, name) != 0) c = c->next;
  return c;
}

static bool has_polygon(const ss_xml_node* node)
{
  const char* type = strcmp(node->name, "geom") == 0 ? attribute(node, "type") : NULL;
  if (type && strcmp(type, "polygon") == 0) return true;
  for (const ss_xml_node* c = node->child; c; c = c->next)
    if (has_polygon(c)) return true;
  return false;
}

// A hinge about z, or gravity along y, says that the plane is x, y
static bool is_in_xy(const ss_xml_node* node)
{
  double x[3] = {0};
  const char* type = strcmp(node->name, "joint") == 0 ? attribute(node, "type") : NULL;
  const char* axis = attribute(node, "axis");
  bool hinge = strcmp(node->name, "joint") == 0 && (!type || strcmp(type, "hinge") == 0);
  if (hinge && (!axis || (numbers(axis, 3, x) == 3 && x[2] != 0))) return true;
  const char* gravity = strcmp(node->name, "option") == 0 ? attribute(node, "gravity") : NULL;
  if (gravity && numbers(gravity, 3, x) == 3 && x[1] != 0) return true;
  for (const ss_xml_node* c = node->child; c; c = c->next)
    if (is_in_xy(c)) return true;
  return false;
}

// The integrator or the impact law of that name
static bool is_scheme(const char* name)
{
  for (int k = 0; ss_integrator_name((ss_integrator)k); k++)
    if (strcmp(name, ss_integrator_name((ss_integrator)k)) == 0) return true;
  return false;
}

static bool is_impact(const char* name)
{
  for (int k = 0; ss_impact_law_name((ss_impact_law)k); k++)
    if (strcmp(name, ss_impact_law_name((ss_impact_law)k)) == 0) return true;
  return false;
}

// <stickslip until scheme impact>
static ss_status write_run(writer* w, const ss_xml_node* run)
{
  static const char* const known[] = {"until", "scheme", "impact", NULL};
  double until = 0;
  bool given;
  ss_status st = check_attributes(w, run, known);
  if (st == SS_OK) st = read_bounded(w, run, "until", TINY, INFINITY, &until, &given);
  if (st < 0) return st;
  if (given) ss_text_append(&w->text, ", until: %.17g", until);
  for (int i = 1; i < 3; i++) {
    const ss_xml_attribute* a = ss_xml_find(run, known[i]);
    if (!a) continue;
    if (!(i == 1 ? is_scheme(a->value) : is_impact(a->value)))
      return complain(w, a->line, "%s of stickslip is '%.40s', which there is not", known[i], a->value);
    ss_text_append(&w->text, ", %s: %s", i == 1 ? "integrator" : "impact", a->value);
  }
  return SS_OK;
}

static ss_status write_settings(writer* w, const ss_xml_node* root)
{
  static const char* const known[] = {"timestep", "gravity", NULL};
  const ss_xml_node *option = child_of(root, "option"), *run = child_of(root, "stickslip");
  double g[3] = {0, 0, 0}, dt = 0.002;
  bool given;
  g[w->up] = -9.81;
  ss_status st = option ? check_attributes(w, option, known) : SS_OK;
  if (st == SS_OK && option) st = read_numbers(w, option, "gravity", 3, g);
  if (st == SS_OK && option) st = read_bounded(w, option, "timestep", TINY, INFINITY, &dt, &given);
  if (st < 0) return st;
  if (g[3 - w->up] != 0) return complain(w, option->line, "gravity is out of the plane of the scene");
  ss_text_append(&w->text, "}, gravity: [%.17g, %.17g], run: {dt: %.17g", g[0], g[w->up], dt);
  st = run ? write_run(w, run) : SS_OK;
  ss_text_append(&w->text, "}");
  if (attribute(root, "model")) {
    ss_text_append(&w->text, ", name: ");
    put_quoted(w, attribute(root, "model"));
  }
  ss_text_append(&w->text, "}\n");
  return st;
}

// Sections that there are, each once but <worldbody>
static ss_status check_sections(const writer* w, const ss_xml_node* root)
{
  static const char* const sections[] = {"compiler", "option", "stickslip", "worldbody", NULL};
  for (const ss_xml_node* c = root->child; c; c = c->next) {
    int k = 0;
    while (sections[k] && strcmp(sections[k], c->name) != 0) k++;
    if (!sections[k]) return complain(w, c->line, "<%s> is not for scenes in the plane (with geoms of type polygon)",
                                      c->name);
    if (k < 3 && child_of(root, c->name) != c)
      return complain(w, c->line, "a second <%s>: a scene in the plane has one", c->name);
  }
  return child_of(root, "worldbody") ? SS_OK : complain(w, root->line, "a scene needs a <worldbody>");
}

static ss_status write_world(writer* w, const ss_xml_node* world)
{
  ss_status st = SS_OK;
  for (const ss_xml_node* c = world->child; st == SS_OK && c; c = c->next) {
    if (strcmp(c->name, "geom") == 0) st = write_body(w, NULL, c, false);
    else if (strcmp(c->name, "body") == 0) st = read_body(w, c);
    else st = complain(w, c->line, "<%s> is not for scenes in the plane", c->name);
  }
  return st;
}

static ss_status write_all(writer* w, const ss_xml_node* root)
{
  static const char* const units[] = {"angle", NULL}, *const unit[] = {"degree", "radian"};
  const ss_xml_node* compiler = child_of(root, "compiler");
  bool radians = false;
  ss_status st = check_sections(w, root);
  if (st == SS_OK && compiler) st = check_attributes(w, compiler, units);
  if (st == SS_OK) st = read_word(w, compiler, "angle", unit, &radians);
  w->degrees = !radians;
  ss_text_append(&w->text, "{bodies: {");
  for (const ss_xml_node* c = root->child; st == SS_OK && c; c = c->next)
    if (strcmp(c->name, "worldbody") == 0) st = write_world(w, c);
  return st < 0 ? st : write_settings(w, root);
}

bool ss_mjcf_is_planar(const char* text, size_t length)
{
  if (!strstr(text, "polygon")) return false;
  ss_xml* xml = ss_xml_parse(text, length, "", NULL);
  bool planar = xml && strcmp(ss_xml_root(xml)->name, "mujoco") == 0 && has_polygon(ss_xml_root(xml));
  ss_xml_destroy(xml);
  return planar;
}

char* ss_mjcf_planar(const char* text, size_t length, const char* file, ss_error* error)
{
  ss_xml* xml = ss_xml_parse(text, length, file, error);
  if (!xml) return NULL;
  const ss_xml_node* root = ss_xml_root(xml);
  writer w = {.line = 1, .up = is_in_xy(root) ? 1 : 2, .file = file, .error = error};
  ss_status st = write_all(&w, root);
  ss_xml_destroy(xml);
  if (st == SS_OK && w.text.failed) st = ss_error_set(error, SS_ERR_MEMORY, "out of memory");
  if (st == SS_OK) return w.text.data;
  ss_text_free(&w.text);
  return NULL;
}
