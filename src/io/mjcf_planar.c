// MJCF scenes in the plane: a file with geoms of type "polygon" becomes a text model with `bodies` (docs/polygons.md),
// which its reader then reads. Each body stands on the line that its element has in the file, so that errors name that
// line. The whole scene has to be planar; what is not is an error that says so.
//
// The plane is x, z with hinges about y, or x, y with hinges about z. Bodies have no joint, or three: two slides and a
// hinge; that is a free body.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "io/mjcf_planar.h"
#include "io/outline_file.h"

#define PI 3.14159265358979323846

typedef struct writer {
  ss_text text;
  int line;         // that is written, from 1
  int up;           // coordinate of the plane that is not x: 1 (y), 2 (z)
  int bodies;       // written so far
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
  vsnprintf(text, sizeof text, format, list);
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
    char* end;
    double value = strtod(text, &end);
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
    char* end;
    double value = strtod(text, &end);
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
static ss_status write_polygon(writer* w, const ss_xml_node* geom, const double at[2], double center[2])
{
  const char* open = attribute(geom, "open");
  bool is_open = open && strcmp(open, "true") == 0;
  ss_points p = {0};
  ss_error error = {0};
  ss_status st = read_points(w, geom, !is_open, &p);
  for (int i = 0; i < p.n; i++) p.list[i] = ss_add2(p.list[i], (ss_vec2){at[0], at[1]});
  ss_outline* o = st == SS_OK ? ss_outline_create(p.n, p.list, !is_open, &error) : NULL;
  if (st == SS_OK && !o) st = complain(w, geom->line, "%s", error.text);
  ss_text_append(&w->text, "%s: [", is_open ? "ground" : "polygon");
  for (int i = 0; i < p.n; i++) ss_text_append(&w->text, "%s[%.17g, %.17g]", i ? ", " : "", p.list[i].x, p.list[i].y);
  ss_text_append(&w->text, "]");
  if (o && !is_open) {
    ss_vec2 c = ss_outline_weigh(o).center;
    center[0] = c.x;
    center[1] = c.y;
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

// center: of mass, in the frame of the body
static ss_status write_shape(writer* w, const ss_xml_node* geom, double center[2])
{
  const char* type = attribute(geom, "type");
  double at[2], radius = 0;
  ss_status st = read_place(w, geom, at);
  if (st < 0) return st;
  memcpy(center, at, sizeof at);
  if (type && strcmp(type, "polygon") == 0) return write_polygon(w, geom, at, center);
  if (type && strcmp(type, "plane") == 0) return write_plane(w, geom, at);
  if (type && strcmp(type, "sphere") != 0)
    return complain(w, geom->line, "a geom of type '%s' is not planar: polygon, sphere (a circle) and plane are", type);
  if (!attribute(geom, "size")) return complain(w, geom->line, "a sphere needs its size");
  st = read_numbers(w, geom, "size", 1, &radius);
  ss_text_append(&w->text, "circle: [%.17g, %.17g, %.17g]", at[0], at[1], radius);
  return st;
}

// Friction (the first number), restitution, mass or density (of a plate)
static ss_status write_surface(writer* w, const ss_xml_node* geom, bool free)
{
  static const char* const name[][2] = {{"restitution", "eps_n"}, {"mass", "mass"}, {"density", "density"}};
  const char* friction = attribute(geom, "friction");
  double mu[3] = {1, 0, 0};  // as in MJCF
  if (friction && (numbers(friction, 3, mu) < 1 || numbers(friction, 3, mu) > 3))
    return complain(w, geom->line, "friction needs one to three numbers");
  ss_text_append(&w->text, ", mu: %.17g", mu[0]);
  for (int i = 0; i < 3; i++) {
    double value = 0;
    ss_status st = read_numbers(w, geom, name[i][0], 1, &value);
    if (st < 0) return st;
    if (attribute(geom, name[i][0]) && (i == 0 || free)) ss_text_append(&w->text, ", %s: %.17g", name[i][1], value);
  }
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

static void put_name(writer* w, const ss_xml_node* node, const ss_xml_node* geom)
{
  const char* name = attribute(node, "name");
  if (!name) name = attribute(geom, "name");
  w->bodies++;
  if (name) ss_text_append(&w->text, "\"%.100s\": {", name);
  else ss_text_append(&w->text, "body%d: {", w->bodies);
}

// node: the body; the world if it is NULL
static ss_status write_body(writer* w, const ss_xml_node* body, const ss_xml_node* geom, bool free)
{
  static const char* const known[] = {"name", "pos", "euler", NULL};
  const ss_xml_node* node = body ? body : geom;
  double at[2] = {0, 0}, angle = 0;
  ss_status st = check_geom(w, geom);
  if (st == SS_OK && body) st = check_attributes(w, body, known);
  if (st == SS_OK && body) st = read_place(w, body, at);
  if (st == SS_OK && body) st = read_angle(w, body, &angle);
  if (st < 0) return st;
  go_to_line(w, node->line);
  ss_text_append(&w->text, w->bodies ? ", " : "");
  put_name(w, node, geom);
  double center[2] = {0, 0};
  st = write_shape(w, geom, center);
  if (st == SS_OK) st = write_surface(w, geom, free);
  ss_pose2 pose = ss_pose2_make(at[0], at[1], angle);
  ss_vec2 place = free ? ss_place2(&pose, (ss_vec2){center[0], center[1]}) : pose.p;  // free ones: of the centre
  ss_text_append(&w->text, ", %s: [%.17g, %.17g, %.17g]}", free ? "free" : "at", place.x, place.y, angle);
  return st;
}

static ss_status read_body(writer* w, const ss_xml_node* body)
{
  const ss_xml_node* geom = NULL;
  bool free;
  ss_status st = read_joints(w, body, &free);
  for (const ss_xml_node* c = body->child; st == SS_OK && c; c = c->next) {
    if (strcmp(c->name, "joint") == 0) continue;
    if (strcmp(c->name, "geom") != 0)
      return complain(w, c->line, "<%s> within a body is not for scenes in the plane", c->name);
    if (geom) return complain(w, c->line, "a body in the plane has one geom");
    geom = c;
  }
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

static ss_status write_settings(writer* w, const ss_xml_node* root)
{
  static const char* const option_names[] = {"timestep", "gravity", NULL};
  static const char* const run_names[] = {"until", "scheme", "impact", NULL};
  const ss_xml_node *option = child_of(root, "option"), *run = child_of(root, "stickslip");
  double g[3] = {0, 0, 0}, dt = 0.002;
  g[w->up] = -9.81;
  ss_status st = option ? check_attributes(w, option, option_names) : SS_OK;
  if (st == SS_OK && option) st = read_numbers(w, option, "gravity", 3, g);
  if (st == SS_OK && option) st = read_numbers(w, option, "timestep", 1, &dt);
  if (st == SS_OK && run) st = check_attributes(w, run, run_names);
  if (st < 0) return st;
  if (g[3 - w->up] != 0) return complain(w, option->line, "gravity is out of the plane of the scene");
  ss_text_append(&w->text, "}, gravity: [%.17g, %.17g], run: {dt: %.17g", g[0], g[w->up], dt);
  for (int i = 0; run && run_names[i]; i++)
    if (attribute(run, run_names[i]))
      ss_text_append(&w->text, ", %s: %.40s", i == 1 ? "integrator" : run_names[i], attribute(run, run_names[i]));
  ss_text_append(&w->text, "}");
  if (attribute(root, "model")) ss_text_append(&w->text, ", name: '%.100s'", attribute(root, "model"));
  ss_text_append(&w->text, "}\n");
  return SS_OK;
}

static ss_status write_world(writer* w, const ss_xml_node* root)
{
  static const char* const sections[] = {"compiler", "option", "stickslip", "worldbody", NULL};
  static const char* const units[] = {"angle", NULL};
  const ss_xml_node* compiler = child_of(root, "compiler");
  const char* unit = compiler ? attribute(compiler, "angle") : NULL;
  for (const ss_xml_node* c = root->child; c; c = c->next) {
    int k = 0;
    while (sections[k] && strcmp(sections[k], c->name) != 0) k++;
    if (!sections[k]) return complain(w, c->line, "<%s> is not for scenes in the plane (with geoms of type polygon)",
                                      c->name);
  }
  const ss_xml_node* world = child_of(root, "worldbody");
  ss_status st = world ? SS_OK : complain(w, root->line, "a scene needs a <worldbody>");
  if (st == SS_OK && compiler) st = check_attributes(w, compiler, units);
  w->degrees = !unit || strcmp(unit, "radian") != 0;
  ss_text_append(&w->text, "{bodies: {");
  for (const ss_xml_node* c = world ? world->child : NULL; st == SS_OK && c; c = c->next) {
    if (strcmp(c->name, "geom") == 0) st = write_body(w, NULL, c, false);
    else if (strcmp(c->name, "body") == 0) st = read_body(w, c);
    else st = complain(w, c->line, "<%s> is not for scenes in the plane", c->name);
  }
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
  ss_status st = write_world(&w, root);
  ss_xml_destroy(xml);
  if (st == SS_OK && w.text.failed) st = ss_error_set(error, SS_ERR_MEMORY, "out of memory");
  if (st == SS_OK) return w.text.data;
  ss_text_free(&w.text);
  return NULL;
}
