// Values of MJCF attributes: found in the element, its default classes or the table; read by type; errors at their
// line.
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/number.h"
#include "base/text.h"
#include "io/mjcf.h"

// Products of some such numbers are still finite
#define GREATEST 1e30

static bool same(const char* a, const char* b) { return strcmp(a, b) == 0; }

// ---- errors ----

static ss_status set_error(ss_mjcf* r, int line, const ss_override* o, const char* text)
{
  if (o) return ss_error_set(r->error, SS_ERR_INPUT, "override %.80s=%.80s: %s", o->path, o->value, text);
  ss_error_set(r->error, SS_ERR_INPUT, "%s", text);
  if (r->error) {
    const char* file = r->file;
    if (r->out) ss_scene_place(&r->out->scene, line, &file, &line);
    r->error->line = line;
    snprintf(r->error->file, sizeof r->error->file, "%s", file ? file : r->file);
  }
  return SS_ERR_INPUT;
}

ss_status ss_mj_error_at(ss_mjcf* r, const ss_xml_node* node, const char* format, ...)
{
  char text[400];
  va_list args;
  va_start(args, format);
  ss_vprint(text, sizeof text, format, args);
  va_end(args);
  return set_error(r, node->line, NULL, text);
}

ss_status ss_mj_error_of(ss_mjcf* r, const ss_mj_value* v, const char* format, ...)
{
  char text[400];
  va_list args;
  va_start(args, format);
  ss_vprint(text, sizeof text, format, args);
  va_end(args);
  return set_error(r, v->line, v->override, text);
}

ss_status ss_mj_memory(ss_mjcf* r) { return ss_error_set(r->error, SS_ERR_MEMORY, "out of memory"); }

// ---- where a value stands ----

// An element of a default class that holds defaults for the row of the element e. Actuators of all kinds share their
// common attributes, those that a motor has.
static bool gives_default(const ss_xml_node* child, const ss_mj_element* e, const ss_mj_row* row)
{
  bool shared = e->group && (same(e->group, "equality") || same(e->group, "tendon"));
  if (same(child->name, shared ? e->group : e->name)) return true;
  if (!e->group || !same(e->group, "actuator")) return false;
  const ss_mj_element* d = ss_mj_element_find(SS_MJ_IN_DEFAULT, child->name);
  const ss_mj_element* motor = ss_mj_element_find(SS_MJ_IN_DEFAULT, "motor");
  return d && d->group && same(d->group, "actuator") && ss_mj_row_find(motor, row->name);
}

static const ss_xml_attribute* in_class(const ss_mj_class* class, const ss_mj_element* e, const ss_mj_row* row)
{
  const ss_xml_attribute* last = NULL;
  for (const ss_xml_node* d = class->element; d; d = d->next) {
    const ss_xml_attribute* a = gives_default(d, e, row) ? ss_xml_find(d, row->name) : NULL;
    if (a) last = a;
  }
  return last;
}

static bool takes_defaults(const ss_mj_element* e)
{
  return e->place >= SS_MJ_IN_ASSET && ss_mj_row_find(e, "class");
}

// The value at the given level or the next one above it
static void find_value(ss_mjcf* r, const ss_xml_node* node, const ss_mj_element* e, const ss_mj_row* row, int class,
                       int level, ss_mj_value* v)
{
  const ss_xml_attribute* a = level == 0 ? ss_xml_find(node, row->name) : NULL;
  int at = 0;
  if (takes_defaults(e) && !same(row->name, "name") && !same(row->name, "class"))
    for (int c = class; !a && c >= 0; c = r->class[c].parent)
      if (++at >= level) a = in_class(r->class + c, e, row);
  *v = (ss_mj_value){.text = row->fallback, .level = -1, .line = node->line};
  if (a) *v = (ss_mj_value){.text = a->value, .level = at, .line = a->line, .override = a->owner};
}

// ---- reading by type ----

static bool blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// The next number of a list; *at moves behind it. 1: there was one, 0: the end, -1: something else
static int next_number(const char** at, double* x)
{
  while (blank(**at)) ++*at;
  if (!**at) return 0;
  const char* end;
  *x = ss_parse_number(*at, &end);
  if (end == *at || (*end && !blank(*end))) return -1;
  *at = end;
  return 1;
}

static ss_status not_a_number(ss_mjcf* r, const char* element, const ss_mj_row* row, const ss_mj_value* v,
                              const char* at)
{
  char part[40];
  int n = 0;
  for (; at[n] && !blank(at[n]) && n < 30; n++) part[n] = at[n];
  part[n] = 0;
  return ss_mj_error_of(r, v, "%s: %s has '%s' where a number is expected", element, row->name, part);
}

static ss_status wrong_count(ss_mjcf* r, const char* element, const ss_mj_row* row, const ss_mj_value* v, int n)
{
  const char* noun = row->type == SS_MJ_WHOLE ? "whole number" : "number";
  if (row->least == row->most)
    return ss_mj_error_of(r, v, "%s: %s takes %d %s%s, not %d", element, row->name, row->least, noun,
                          row->least == 1 ? "" : "s", n);
  return ss_mj_error_of(r, v, "%s: %s takes %d to %d %ss, not %d", element, row->name, row->least, row->most, noun, n);
}

static ss_status read_numbers(ss_mjcf* r, const char* element, const ss_mj_row* row, ss_mj_value* v)
{
  const char* at = v->text;
  double x;
  int got, n = 0;
  while ((got = next_number(&at, &x)) == 1) {
    if (!(fabs(x) < GREATEST)) return ss_mj_error_of(r, v, "%s: %s is not finite, or too great", element, row->name);
    if (row->type == SS_MJ_WHOLE && (x != floor(x) || fabs(x) > INT_MAX))
      return ss_mj_error_of(r, v, "%s: %s is %g; it must be a whole number", element, row->name, x);
    if (n < (int)(sizeof v->v/sizeof *v->v)) v->v[n] = x;
    n++;
  }
  if (got < 0) return not_a_number(r, element, row, v, at + strspn(at, " \t\r\n"));
  if (n < row->least || n > row->most) return wrong_count(r, element, row, v, n);
  v->n = n;
  return SS_OK;
}

static ss_status read_word(ss_mjcf* r, const char* element, const ss_mj_row* row, ss_mj_value* v)
{
  char all[200] = "";
  int n = 0;
  for (; row->words[n]; n++) {
    if (same(row->words[n], v->text)) {
      v->word = n;
      return SS_OK;
    }
    size_t used = strlen(all);
    snprintf(all + used, sizeof all - used, "%s%s", n ? ", " : "", row->words[n]);
  }
  const char* near = ss_suggest(v->text, row->words, n);
  return ss_mj_error_of(r, v, "%s: %s is '%.40s'; it must be one of: %s%s%s%s", element, row->name, v->text, all,
                        near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static ss_status read_value(ss_mjcf* r, const char* element, const ss_mj_row* row, ss_mj_value* v)
{
  switch (row->type) {
  case SS_MJ_NUMBERS:
  case SS_MJ_WHOLE: return read_numbers(r, element, row, v);
  case SS_MJ_WORD: return read_word(r, element, row, v);
  case SS_MJ_TEXT:
  case SS_MJ_LIST: break;
  }
  return SS_OK;
}

// Fewer numbers than there may be: the others are those of the class, of its parent, of the table
static ss_status read_rest(ss_mjcf* r, const ss_xml_node* node, const ss_mj_element* e, const ss_mj_row* row, int class,
                           ss_mj_value* v)
{
  ss_mj_value above;
  for (int level = v->level; level >= 0 && v->n < row->most; level = above.level) {
    find_value(r, node, e, row, class, level + 1, &above);
    if (!above.text) return SS_OK;
    if (read_numbers(r, e->name, row, &above) < 0) return SS_ERR_INPUT;
    for (; v->n < above.n; v->n++) v->v[v->n] = above.v[v->n];
  }
  return SS_OK;
}

ss_status ss_mj_read(ss_mjcf* r, const ss_xml_node* node, const ss_mj_element* e, int class, void* out)
{
  ss_mj_value* value = out;
  for (const ss_mj_row* row = e->rows; row && row->name; row++) {
    if (row->field < 0) continue;
    ss_mj_value* v = value + row->field;
    find_value(r, node, e, row, class, 0, v);
    if (!v->text && row->required) return ss_mj_error_at(r, node, "%s needs the attribute '%s'", e->name, row->name);
    if (v->text && read_value(r, e->name, row, v) < 0) return SS_ERR_INPUT;
    bool open = row->type == SS_MJ_NUMBERS && row->least < row->most;
    if (v->text && open && read_rest(r, node, e, row, class, v) < 0) return SS_ERR_INPUT;
  }
  return SS_OK;
}

ss_status ss_mj_read_unused(ss_mjcf* r, const ss_mj_element* e, const ss_mj_row* row, const ss_xml_attribute* a)
{
  ss_mj_value v = {.text = a->value, .line = a->line, .override = a->owner};
  return read_value(r, e->name, row, &v);
}

ss_status ss_mj_list(ss_mjcf* r, const ss_xml_node* node, const char* name, const ss_mj_value* v, int* n, double** list)
{
  const ss_mj_row row = {.name = name};
  const char* at = v->text;
  double x;
  int got;
  *n = 0;
  while ((got = next_number(&at, &x)) == 1) {
    if (!(fabs(x) < GREATEST)) return ss_mj_error_of(r, v, "%s: %s is not finite, or too great", node->name, name);
    ++*n;
  }
  if (got < 0) return not_a_number(r, node->name, &row, v, at + strspn(at, " \t\r\n"));
  *list = ss_pool_take(&r->out->pool, sizeof **list*(size_t)(*n + 1));
  if (!*list) return ss_mj_memory(r);
  at = v->text;
  for (int i = 0; next_number(&at, &x) == 1; i++) (*list)[i] = x;
  return SS_OK;
}
