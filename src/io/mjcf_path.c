// Paths into an MJCF file: option.timestep, geom.floor.friction, default.wheel.geom.size, body.arm.inertial.mass. The
// same walk finds what an override replaces and lists what can be replaced.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "io/mjcf.h"

enum { PATH = 300 };

// Goes to every element with attributes of its own, with the path to it
typedef struct walk {
  ss_mjcf* r;
  int count[17];  // elements of each kind so far
  ss_status (*visit)(struct walk* w, const char* path, ss_xml_node* node, const ss_mj_element* e);
  const ss_override* override;  // what is looked for
  ss_xml_node* found;
  const ss_mj_element* found_as;
  const char* attribute;  // of the path, if an element was found
  const char** names;     // of all elements, for suggestions
  int n_name, name_room;
} walk;

static const char* const counted[] = {"body", "joint", "geom", "site", "mesh", "equality", "actuator", "pair",
                                      "exclude", "key", "frame", "replicate", "link", "collision",
                                      "tendon", "hfield", "sensor", NULL};

static int kind_of(const char* label)
{
  for (int i = 0; counted[i]; i++)
    if (strcmp(counted[i], label) == 0) return i;
  return -1;
}

static ss_status walk_children(walk* w, ss_xml_node* node, ss_mj_place place, const char* above, int part);

// Bodies below others are walked after what belongs to the body itself, as in the scene (part 0 and 1)
static ss_status walk_node(walk* w, ss_xml_node* node, ss_mj_place place, const char* above, int part)
{
  const ss_mj_element* e = ss_mj_element_find(place, node->name);
  if (!e || e->fate != SS_SCENE_HONOURED || !e->rows) return SS_OK;
  const char* label = e->group ? e->group : e->name;
  char path[PATH];
  bool single = place == SS_MJ_IN_MODEL || place == SS_MJ_IN_DEFAULT ||
                (place > SS_MJ_IN_ROBOT && strcmp(label, "collision") != 0);
  int kind = single ? -1 : kind_of(label);
  bool groups = place == SS_MJ_IN_BODY && (strcmp(node->name, "frame") == 0 || strcmp(node->name, "replicate") == 0);
  if (place == SS_MJ_IN_BODY && !groups && part != (strcmp(node->name, "body") == 0)) return SS_OK;
  const ss_xml_attribute* name = ss_xml_find(node, "name");
  const ss_xml_attribute* class = ss_xml_find(node, "class");
  if (strcmp(e->name, "default") == 0) snprintf(path, sizeof path, "default.%.200s", class ? class->value : "main");
  else if (kind < 0) snprintf(path, sizeof path, "%.250s%s%s", above, *above ? "." : "", e->name);
  else if (name && *name->value) snprintf(path, sizeof path, "%s.%.250s", label, name->value);
  else snprintf(path, sizeof path, "%s.#%d", label, w->count[kind]);
  if (kind >= 0 && !(groups && part)) w->count[kind]++;
  ss_status st = groups && part ? SS_OK : w->visit(w, path, node, e);
  if (st < 0 || e->inside == SS_MJ_NOWHERE) return st;
  const char* prefix = e->inside == SS_MJ_IN_BODY && groups ? above : path;
  if (e->inside == SS_MJ_IN_MODEL || e->inside == SS_MJ_IN_ROBOT) prefix = "";
  if (e->inside != SS_MJ_IN_BODY) return walk_children(w, node, e->inside, prefix, 0);
  if (groups) return walk_children(w, node, e->inside, prefix, part);
  st = walk_children(w, node, e->inside, prefix, 0);
  return st < 0 ? st : walk_children(w, node, e->inside, prefix, 1);
}

static ss_status walk_children(walk* w, ss_xml_node* node, ss_mj_place place, const char* above, int part)
{
  for (ss_xml_node* child = node->child; child; child = child->next) {
    ss_status st = walk_node(w, child, place, above, part);
    if (st < 0) return st;
  }
  return SS_OK;
}

static ss_status walk_file(walk* w)
{
  return walk_node(w, ss_xml_root(w->r->xml), SS_MJ_IN_FILE, "", 0);
}

// ---- overrides ----

// The last element that fits wins, as the last section does
static ss_status look(walk* w, const char* path, ss_xml_node* node, const ss_mj_element* e)
{
  size_t n = strlen(path);
  const char* wanted = w->override->path;
  if (strncmp(wanted, path, n) == 0 && wanted[n] == '.' && !strchr(wanted + n + 1, '.')) {
    w->found = node;
    w->found_as = e;
    w->attribute = wanted + n + 1;
  }
  return SS_OK;
}

static ss_status collect(walk* w, const char* path, ss_xml_node* node, const ss_mj_element* e)
{
  (void)node;
  (void)e;
  if (!SS_MJ_GROW(w->names, w->name_room, w->n_name)) return ss_mj_memory(w->r);
  w->names[w->n_name] = ss_pool_copy(&w->r->out->pool, path, strlen(path));
  if (!w->names[w->n_name]) return ss_mj_memory(w->r);
  w->n_name++;
  return SS_OK;
}

static ss_status complain(ss_mjcf* r, const ss_override* o, const char* format, const char* a, const char* near)
{
  char text[300];
  snprintf(text, sizeof text, format, a);
  return ss_error_set(r->error, SS_ERR_ARGUMENT, "override %.100s=%.60s: %s%s%.100s%s", o->path, o->value, text,
                      near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static ss_status not_there(ss_mjcf* r, const ss_override* o)
{
  char element[PATH];
  walk w = {.r = r, .visit = collect};
  const char* dot = strrchr(o->path, '.');
  snprintf(element, sizeof element, "%.*s", dot ? (int)(dot - o->path < 250 ? dot - o->path : 250) : 0, o->path);
  ss_status st = dot ? walk_file(&w) : SS_OK;
  if (st >= 0) {
    const char* near = dot ? ss_suggest(element, w.names, w.n_name) : NULL;
    if (dot) st = complain(r, o, "there is no '%.250s' in this file", element, near);
    else st = complain(r, o, "a path looks like %s", "option.timestep or geom.NAME.friction", NULL);
  }
  free(w.names);
  return st;
}

// Sections that need not stand in the file to be set
static ss_status make_section(ss_mjcf* r, const char* path)
{
  static const char* const sections[] = {"compiler", "option", "stickslip"};
  ss_xml_node* root = ss_xml_root(r->xml);
  bool robot = strcmp(root->name, "robot") == 0;
  for (int i = robot ? 2 : 0; i < 3; i++) {
    size_t n = strlen(sections[i]);
    if (strncmp(path, sections[i], n) != 0 || path[n] != '.') continue;
    ss_xml_node* section = NULL;
    for (ss_xml_node* c = root->child; c; c = c->next)
      if (strcmp(c->name, sections[i]) == 0) section = c;
    if (!section && !(section = ss_xml_add(r->xml, root, sections[i]))) return ss_mj_memory(r);
    if (strncmp(path + n, ".flag.", 6) == 0 && !ss_xml_add(r->xml, section, "flag")) return ss_mj_memory(r);
  }
  return SS_OK;
}

static ss_status apply(ss_mjcf* r, const ss_override* o)
{
  walk w = {.r = r, .visit = look, .override = o};
  ss_status st = make_section(r, o->path);
  if (st < 0 || (st = walk_file(&w)) < 0) return st;
  if (!w.found) return not_there(r, o);
  const ss_mj_row* row = ss_mj_row_find(w.found_as, w.attribute);
  char text[200];
  snprintf(text, sizeof text, "%s has no attribute '%.80s'", w.found_as->name, w.attribute);
  if (!row) return complain(r, o, "%.200s", text, ss_mj_row_near(w.found_as, w.attribute));
  if (strcmp(row->name, "name") == 0 || strcmp(row->name, "class") == 0)
    return complain(r, o, "'%s' cannot be replaced; only values can", row->name, NULL);
  return ss_xml_set(r->xml, w.found, row->name, o->value, o) ? SS_OK : ss_mj_memory(r);
}

ss_status ss_mj_override(ss_mjcf* r)
{
  for (int i = 0; i < r->n_override; i++) {
    ss_status st = apply(r, r->override + i);
    if (st < 0) return st;
  }
  return SS_OK;
}

// ---- the list ----

static ss_status list_values(walk* w, const char* path, ss_xml_node* node, const ss_mj_element* e)
{
  ss_mj_scene* s = w->r->out;
  for (const ss_xml_attribute* a = node->attribute; a; a = a->next) {
    char text[PATH + 70];
    if (strcmp(a->name, "name") == 0 || strcmp(a->name, "class") == 0 || !ss_mj_row_find(e, a->name)) continue;
    if (e->place == SS_MJ_IN_FILE) continue;
    snprintf(text, sizeof text, "%s.%.60s", path, a->name);
    if (!SS_MJ_GROW(s->parameter, s->parameter_room, s->scene.n_parameter)) return ss_mj_memory(w->r);
    ss_scene_parameter* p = s->parameter + s->scene.n_parameter;
    p->path = ss_pool_copy(&s->pool, text, strlen(text));
    p->value = ss_pool_copy(&s->pool, a->value, strlen(a->value));
    p->line = a->line;
    if (!p->path || !p->value) return ss_mj_memory(w->r);
    s->scene.n_parameter++;
  }
  return SS_OK;
}

ss_status ss_mj_parameters(ss_mjcf* r)
{
  walk w = {.r = r, .visit = list_values};
  return walk_file(&w);
}
