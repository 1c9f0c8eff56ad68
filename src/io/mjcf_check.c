// The file against the table: unknown elements and attributes are errors with a suggestion; what is not honoured is
// counted by kind, with its first line.
#include <stdlib.h>
#include <string.h>
#include "base/number.h"
#include "io/mjcf.h"

ss_status ss_mj_notice(ss_mjcf* r, ss_scene_fate fate, const char* element, const char* attribute, const char* why,
                       int line, int count)
{
  ss_mj_scene* s = r->out;
  for (int i = 0; i < s->scene.n_notice; i++) {
    ss_scene_notice* n = s->notice + i;
    if (strcmp(n->element, element) != 0 || strcmp(n->attribute, attribute) != 0 || strcmp(n->why, why) != 0) continue;
    n->count += count;
    if (line < n->line) n->line = line;
    return SS_OK;
  }
  if (!SS_MJ_GROW(s->notice, s->notice_room, s->scene.n_notice)) return ss_mj_memory(r);
  s->notice[s->scene.n_notice++] = (ss_scene_notice){fate, element, attribute, why, line, count};
  return SS_OK;
}

static bool blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Whether two lists say the same, numbers as numbers
static bool same_value(const char* a, const char* b)
{
  for (;;) {
    while (blank(*a)) a++;
    while (blank(*b)) b++;
    if (!*a || !*b) return *a == *b;
    const char *end_a, *end_b;
    double x = ss_parse_number(a, &end_a), y = ss_parse_number(b, &end_b);
    if (end_a == a || end_b == b) return strcmp(a, b) == 0;
    if (x != y) return false;
    a = end_a;
    b = end_b;
  }
}

// URDF is extended by everybody: what is not known, and not near to what is, need not be a mistake
static ss_status extension(ss_mjcf* r, int line, const char* element, const char* attribute)
{
  element = ss_pool_copy(&r->out->pool, element, strlen(element));
  attribute = ss_pool_copy(&r->out->pool, attribute, strlen(attribute));
  if (!element || !attribute) return ss_mj_memory(r);
  return ss_mj_notice(r, SS_SCENE_IGNORED, element, attribute, "not known; nothing is done with it", line, 1);
}

static ss_status unknown(ss_mjcf* r, const ss_xml_node* node, const ss_xml_attribute* a, const ss_mj_element* e)
{
  const char* near = ss_mj_row_near(e, a->name);
  const ss_xml_node at = {.line = a->line};
  if (!near && e->place >= SS_MJ_IN_ROBOT) return extension(r, a->line, node->name, a->name);
  return ss_mj_error_at(r, &at, "%s has no attribute '%.60s'%s%s%s", e->name, a->name, near ? "; did you mean '" : "",
                        near ? near : "", near ? "'?" : "");
}

// A negative solref is the stiffness and damping of a contact: it rebounds by them
#define SPRING "negative: stiffness and damping in contact; rebounds are set by restitution here"

static ss_status check_attributes(ss_mjcf* r, const ss_xml_node* node, const ss_mj_element* e)
{
  for (const ss_xml_attribute* a = node->attribute; a; a = a->next) {
    const ss_mj_row* row = ss_mj_row_find(e, a->name);
    if (!row) return unknown(r, node, a, e);
    if (row->fate == SS_SCENE_HONOURED || !*row->why) continue;
    if (ss_mj_read_unused(r, e, row, a) < 0) return SS_ERR_INPUT;
    if (row->fallback && same_value(a->value, row->fallback)) continue;
    bool stiff = strcmp(row->name, "solref") == 0 && a->value[strspn(a->value, " \t\r\n")] == '-';
    ss_status st = stiff ? ss_mj_notice(r, SS_SCENE_IGNORED, e->name, "solref", SPRING, a->line, 1)
                         : ss_mj_notice(r, row->fate, e->name, row->name, row->why, a->line, 1);
    if (st < 0) return st;
  }
  return SS_OK;
}

// Sections are counted by what stands in them
static int count_of(const ss_xml_node* node)
{
  int n = 0;
  for (const ss_xml_node* child = node->child; child; child = child->next) n++;
  return n ? n : 1;
}

static ss_status check_node(ss_mjcf* r, const ss_xml_node* node, ss_mj_place place);

static ss_status check_children(ss_mjcf* r, const ss_xml_node* node, ss_mj_place place)
{
  for (const ss_xml_node* child = node->child; child; child = child->next) {
    ss_status st = check_node(r, child, place);
    if (st < 0) return st;
  }
  return SS_OK;
}

static ss_status unknown_element(ss_mjcf* r, const ss_xml_node* node, ss_mj_place place)
{
  const char* near = ss_mj_element_near(place, node->name);
  if (!near && place >= SS_MJ_IN_ROBOT) return extension(r, node->line, node->name, "");
  return ss_mj_error_at(r, node, "unknown element <%.60s> in <%.60s>%s%s%s", node->name, node->parent->name,
                        near ? "; did you mean <" : "", near ? near : "", near ? ">?" : "");
}

static ss_status check_node(ss_mjcf* r, const ss_xml_node* node, ss_mj_place place)
{
  const ss_mj_element* e = ss_mj_element_find(place, node->name);
  if (!e) return unknown_element(r, node, place);
  if (e->refused) return ss_mj_error_at(r, node, "<%s>: %s", e->name, e->why);
  if (place == SS_MJ_IN_BODY && strcmp(node->parent->name, "replicate") == 0 &&
      (strstr(node->name, "joint") || strcmp(node->name, "inertial") == 0))
    return ss_mj_error_at(r, node, "<%s> cannot stand in <replicate> itself; put it into a body", node->name);
  if (e->fate != SS_SCENE_HONOURED)
    return *e->why ? ss_mj_notice(r, e->fate, e->name, "", e->why, node->line,
                                  place == SS_MJ_IN_MODEL ? count_of(node) : 1) : SS_OK;
  ss_status st = e->rows ? check_attributes(r, node, e) : SS_OK;
  if (st < 0) return st;
  if (e->inside == SS_MJ_NOWHERE && node->child)
    return ss_mj_error_at(r, node->child, "unknown element <%.60s> in <%s>, which has none inside", node->child->name,
                          e->name);
  return e->inside == SS_MJ_NOWHERE ? SS_OK : check_children(r, node, e->inside);
}

ss_status ss_mj_check(ss_mjcf* r)
{
  const ss_xml_node* root = ss_xml_root(r->xml);
  if (strcmp(root->name, "mujocoinclude") == 0)
    return ss_mj_error_at(r, root, "this is a part to be included, not a whole model; a scene begins with <mujoco>");
  if (strcmp(root->name, "mujoco") != 0 && strcmp(root->name, "robot") != 0)
    return ss_mj_error_at(r, root, "a scene begins with <mujoco> (or <robot>, URDF), not with <%.60s>", root->name);
  return check_node(r, root, SS_MJ_IN_FILE);
}
