// Outlines from files. Text: x and y on each line, with a comma, semicolon or blanks between them, # begins a comment.
// Drawings: ASCII DXF, pairs of lines with a group code and a value (Autodesk, DXF Reference); of the section ENTITIES
// one LWPOLYLINE or POLYLINE, or LINEs that follow each other.
#include "io/outline_file.h"
#include "base/number.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

#define JOINED 1e-9  // of the coordinates: ends of lines that are one point

bool ss_points_add(ss_points* p, double x, double y)
{
  if (p->n == p->room) {
    int room = 2*p->room + 64;
    ss_vec2* list = realloc(p->list, sizeof *list*(size_t)room);
    if (!list) return false;
    p->list = list;
    p->room = room;
  }
  p->list[p->n++] = (ss_vec2){x, y};
  return true;
}

// ---- lines of a file ----

typedef struct lines {
  const char* path;
  char* next;  // NULL: the end
  int number;  // of the line read last
  ss_points* to;
  ss_error* error;
} lines;

// The next line without blanks around it; NULL at the end
static char* read_line(lines* l)
{
  char* line = l->next;
  if (!line || !*line) return NULL;
  char* end = strchr(line, '\n');
  l->next = end ? end + 1 : NULL;
  if (!end) end = line + strlen(line);
  while (end > line && strchr(" \t\r\n", end[-1])) end--;
  *end = 0;
  l->number++;
  return line + strspn(line, " \t");
}

static ss_status complain(const lines* l, const char* what, const char* word)
{
  return ss_error_set(l->error, SS_ERR_INPUT, "line %d of %s: %s '%.40s'", l->number, l->path, what, word);
}

static ss_status add(lines* l, double x, double y)
{
  if (l->to->n > SS_OUTLINE_POINTS)
    return ss_error_set(l->error, SS_ERR_INPUT, "line %d of %s: more than %d points", l->number, l->path,
                        SS_OUTLINE_POINTS);
  return ss_points_add(l->to, x, y) ? SS_OK : ss_error_set(l->error, SS_ERR_MEMORY, "out of memory");
}

// ---- text ----

// A decimal number, and where it ends; text itself if there is none or it is too large
static double read_decimal(char* text, char** end)
{
  const char *from = text + strspn(text, " \t"), *stop;
  double x = ss_parse_number(from, &stop);
  *end = stop > from && isfinite(x) ? text + (stop - text) : text;
  return x;
}

// What stands between two numbers: blanks, one comma or semicolon among them; NULL if nothing does
static char* skip_between(char* text)
{
  char* next = text + strspn(text, " \t");
  if (*next == ',' || *next == ';') next += 1 + strspn(next + 1, " \t");
  return next > text ? next : NULL;
}

static ss_status read_text(lines* l)
{
  ss_status st = SS_OK;
  if (strncmp(l->next, "\xEF\xBB\xBF", 3) == 0) l->next += 3;  // the mark of UTF-8 that some programs write
  for (char* line; st == SS_OK && (line = read_line(l));) {
    if (!*line || *line == '#') continue;
    char *rest, *last = NULL;
    double x = read_decimal(line, &rest);
    char* after = rest > line ? skip_between(rest) : NULL;
    double y = after ? read_decimal(after, &last) : 0;
    if (!after || last == after) return complain(l, "not x, y:", line);
    last += strspn(last, " \t");
    if (*last && *last != '#') return complain(l, "not x, y:", line);
    st = add(l, x, y);
  }
  return st;
}

// ---- drawings ----

typedef enum entity { OTHER, POLYLINE, VERTEX, LINE } entity;

typedef struct drawing {
  lines* l;
  entity entity;
  bool in_entities, names_section;
  int outlines;      // begun so far; lines that follow each other are one
  double value[4];   // x, y; of a line also its end
  unsigned known;    // which of them have been read
  bool is_polyline;  // the entity itself, not one of its vertices: it may say that it is closed
  bool is_closed;
} drawing;

static bool same_place(double a, double b) { return fabs(a - b) <= JOINED*fmax(1, fmax(fabs(a), fabs(b))); }

// A line begins where the one before ends
static ss_status add_line(drawing* d)
{
  const ss_points* p = d->l->to;
  const double* v = d->value;
  ss_status st = SS_OK;
  if (p->n == 0) st = add(d->l, v[0], v[1]);
  else if (!same_place(p->list[p->n - 1].x, v[0]) || !same_place(p->list[p->n - 1].y, v[1]))
    return complain(d->l, "a line does not begin where the one before ends, before", "LINE");
  return st < 0 ? st : add(d->l, v[2], v[3]);
}

// An entity, or a section, begins with its name
static ss_status begin(drawing* d, const char* name)
{
  static const char* const word[] = {"LWPOLYLINE", "POLYLINE", "VERTEX", "LINE", "SEQEND", "ENDSEC", "EOF"};
  static const entity kind[] = {VERTEX, POLYLINE, VERTEX, LINE, OTHER, OTHER, OTHER};
  entity before = d->entity;
  d->known = 0;
  d->names_section = strcmp(name, "SECTION") == 0;
  if (strcmp(name, "ENDSEC") == 0) d->in_entities = false;
  d->entity = OTHER;
  if (!d->in_entities) return SS_OK;
  size_t k = 0;
  while (k < sizeof word/sizeof *word && strcmp(name, word[k]) != 0) k++;
  if (k == sizeof word/sizeof *word)
    return complain(d->l, "an outline is made of LWPOLYLINE, POLYLINE or LINE, not of", name);
  d->entity = kind[k];
  d->is_polyline = k < 2;
  d->outlines += k < 2 || (kind[k] == LINE && before != LINE);
  return d->outlines > 1 ? complain(d->l, "there is another outline, and one is expected:", name) : SS_OK;
}

// x and y of a point, of a line also of its end, have the codes 10, 20, 11, 21
static ss_status read_number(drawing* d, int code, const char* text)
{
  const char *from = text + strspn(text, " \t"), *end;
  double x = ss_parse_number(from, &end);
  if (end == from || *end || !isfinite(x)) return complain(d->l, "not a number:", text);
  if (code == 42 && x != 0) return complain(d->l, "arcs (bulge) are not read:", text);
  if (code == 42) return SS_OK;
  if (code == 70 && fabs(x) > 65535) return complain(d->l, "flags have 16 bits:", text);
  if (code == 70) d->is_closed = d->is_closed || (d->is_polyline && (int)x%2);
  if (code >= 210 && x != (code == 230))
    return complain(d->l, "a drawing in another plane (extrusion) is not read:", text);
  if (code == 70 || code >= 210) return SS_OK;
  int k = (code == 20 || code == 21) + 2*(code%10);
  d->value[k] = x;
  d->known |= 1u << k;
  if (d->entity == VERTEX && d->known == 3) {
    d->known = 0;
    return add(d->l, d->value[0], d->value[1]);
  }
  if (d->entity != LINE || d->known != 15) return SS_OK;
  d->known = 0;
  return add_line(d);
}

// Codes of an entity that are looked at
static bool is_read(const drawing* d, long code)
{
  if (!d->in_entities || d->entity == OTHER) return false;
  if (code == 210 || code == 220 || code == 230 || code == 70) return true;
  if (d->entity == LINE && (code == 11 || code == 21)) return true;
  return d->entity != POLYLINE && (code == 10 || code == 20 || code == 42);
}

static ss_status read_drawing(lines* l, bool closed)
{
  drawing d = {.l = l};
  ss_status st = SS_OK;
  for (char* line; st == SS_OK && (line = read_line(l));) {
    char* end;
    long code = strtol(line, &end, 10);
    if (end == line || *end) return complain(l, "not a group code:", line);
    char* value = read_line(l);
    if (!value) return complain(l, "a value is missing behind the group code", line);
    if (code == 0) st = begin(&d, value);
    else if (code == 2 && d.names_section) d.in_entities = strcmp(value, "ENTITIES") == 0;
    else if (is_read(&d, code)) st = read_number(&d, (int)code, value);
    if (code == 2) d.names_section = false;
  }
  if (st == SS_OK && d.is_closed && !closed)
    return ss_error_set(l->error, SS_ERR_INPUT, "%s has a closed polyline, a ground is open: take it as a polygon",
                        l->path);
  return st;
}

static double area(const ss_points* p)
{
  double sum = 0;
  for (int i = 0; i < p->n; i++) {
    ss_vec2 o = p->list[0], a = ss_sub2(p->list[i], o), b = ss_sub2(p->list[i + 1 < p->n ? i + 1 : 0], o);
    sum += ss_cross2(a, b)/2;
  }
  return sum;
}

static void turn_round(ss_points* p)
{
  for (int i = 0, j = p->n - 1; i < j; i++, j--) {
    ss_vec2 swap = p->list[i];
    p->list[i] = p->list[j];
    p->list[j] = swap;
  }
}

ss_status ss_outline_read(const char* path, bool closed, ss_points* points, ss_error* error)
{
  size_t length = 0, n = strlen(path);
  char* text = ss_read_file(path, &length, error);
  if (!text) return SS_ERR_FILE;
  bool is_drawing = n > 4 && strcasecmp(path + n - 4, ".dxf") == 0;
  lines l = {.path = path, .next = text, .to = points, .error = error};
  ss_status st = strlen(text) < length ? complain(&l, "not a text file:", "a zero byte")
                 : is_drawing          ? read_drawing(&l, closed)
                                       : read_text(&l);
  if (st == SS_OK && points->n == 0) st = complain(&l, "no points in", path);
  if (st == SS_OK && is_drawing && closed && area(points) < 0) turn_round(points);
  free(text);
  return st;
}
