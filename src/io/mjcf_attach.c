// <attach>: a body of another model with all below it, its default classes, meshes, and what relates its parts. Names
// get a prefix; angles, folders and defaults stay those of their own file. All this is done to the tree of the file,
// before it is read: <attach> becomes a <frame> with copies.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "io/mjcf.h"

enum { MOST_NESTED = 8 };

// A model that is attached once
typedef struct guest {
  ss_mjcf* r;
  ss_xml_node* root;         // of its file
  ss_xml_node* host;         // of the model that it is attached to, which may be a guest itself
  const char* prefix;
  const char* top;           // its outermost default class
  ss_mj_settings* set;       // of its file
  const ss_xml_node* by;     // the <attach>
  const char** name;         // names of its parts, with prefix; sorted
  int n_name, name_room;
} guest;

static ss_status attach_all(ss_mjcf* r, ss_xml_node* root, const char* folder, int depth);

static bool is(const ss_xml_node* node, const char* name) { return strcmp(node->name, name) == 0; }

static const char* value_of(const ss_xml_node* node, const char* name)
{
  const ss_xml_attribute* a = ss_xml_find(node, name);
  return a ? a->value : NULL;
}

// ---- names ----

// Attributes that hold the name of something in the model
static bool holds_name(const char* attribute)
{
  static const char* const list[] = {"name", "class", "childclass", "mesh", "hfield", "joint", "joint1", "joint2",
    "jointinparent", "tendon", "tendon1", "tendon2", "site", "site1", "site2", "body", "body1", "body2", "geom",
    "geom1", "geom2", "cranksite", "slidersite", "refsite", "target", "actuator", "objname", "refname"};
  for (size_t i = 0; i < sizeof list/sizeof *list; i++)
    if (strcmp(list[i], attribute) == 0) return true;
  return false;
}

static const char* with_prefix(guest* g, const char* text)
{
  size_t n = strlen(g->prefix), k = strlen(text);
  char* out = ss_pool_take(&g->r->out->pool, n + k + 1);
  if (!out) return NULL;
  memcpy(out, g->prefix, n);
  memcpy(out + n, text, k);
  return out;
}

static int by_text(const void* a, const void* b) { return strcmp(*(const char* const*)a, *(const char* const*)b); }

static bool is_part(const guest* g, const char* name)
{
  return g->n_name && bsearch(&name, g->name, (size_t)g->n_name, sizeof *g->name, by_text);
}

// Keeps the names of a copied tree, which have their prefix
static ss_status keep_names(guest* g, const ss_xml_node* node)
{
  const char* name = value_of(node, "name");
  if (name && !SS_MJ_GROW(g->name, g->name_room, g->n_name)) return ss_mj_memory(g->r);
  if (name) g->name[g->n_name++] = name;
  for (const ss_xml_node* c = node->child; c; c = c->next) {
    ss_status st = keep_names(g, c);
    if (st < 0) return st;
  }
  return SS_OK;
}

static void sort_names(guest* g)
{
  if (g->n_name) qsort(g->name, (size_t)g->n_name, sizeof *g->name, by_text);
}

// ---- copies ----

static ss_xml_attribute* copy_attribute(guest* g, const ss_xml_attribute* from)
{
  ss_xml_attribute* a = ss_pool_take(&g->r->out->pool, sizeof *a);
  if (!a) return NULL;
  *a = *from;
  a->next = NULL;
  bool world = strcmp(a->value, "world") == 0 && strncmp(a->name, "body", 4) == 0;
  if (holds_name(a->name) && *a->value && !world) a->value = with_prefix(g, a->value);
  return a->value ? a : NULL;
}

// A tree with prefixes; NULL if memory is short or there are too many copies (see attach). The depth of a file is
// limited, and so is this recursion.
static ss_xml_node* copy_tree(guest* g, const ss_xml_node* from, ss_xml_node* parent)
{
  ss_xml_node* node = g->r->n_copied++ < SS_XML_ELEMENTS ? ss_pool_take(&g->r->out->pool, sizeof *node) : NULL;
  if (!node) return NULL;
  *node = (ss_xml_node){.name = from->name, .line = from->line, .parent = parent, .context = from->context};
  if (!node->context) node->context = g->set;
  ss_xml_attribute** last = &node->attribute;
  for (const ss_xml_attribute* a = from->attribute; a; a = a->next, last = &(*last)->next)
    if (!(*last = copy_attribute(g, a))) return NULL;
  ss_xml_node** end = &node->child;
  for (const ss_xml_node* c = from->child; c; c = c->next, end = &(*end)->next)
    if (!(*end = copy_tree(g, c, node))) return NULL;
  return node;
}

static void append(ss_xml_node* parent, ss_xml_node* child)
{
  ss_xml_node** last = &parent->child;
  while (*last) last = &(*last)->next;
  child->parent = parent;
  *last = child;
}

static bool set_class(guest* g, ss_xml_node* node, const char* attribute)
{
  const char* class = with_prefix(g, g->top);
  return class && ss_xml_set(g->r->xml, node, attribute, class, NULL);
}

// ---- what comes along ----

// Default classes below one of their own, which has no parent: those of the host do not reach into the guest. Classes
// of its guests are such trees, too, and keep their names.
static ss_status bring_defaults(guest* g)
{
  ss_xml_node* own = ss_xml_add(g->r->xml, g->host, "default");
  if (!own || !set_class(g, own, "class")) return ss_mj_memory(g->r);
  own->context = g->set;
  own->line = g->by->line;
  for (const ss_xml_node* c = g->root->child; c; c = c->next) {
    if (!is(c, "default")) continue;
    ss_xml_node* copy = copy_tree(g, c, g->host);
    if (!copy || (!c->context && !set_class(g, copy, "class"))) return ss_mj_memory(g->r);
    append(g->host, copy);
  }
  return SS_OK;
}

// A mesh or height field without name is called by its file: "parts/leg.obj" is leg
static bool name_mesh(guest* g, ss_xml_node* mesh)
{
  const char* file = value_of(mesh, "file");
  if (!file || ss_xml_find(mesh, "name")) return true;
  const char* slash = strrchr(file, '/');
  char* name = (char*)with_prefix(g, slash ? slash + 1 : file);
  char* dot = name ? strrchr(name + strlen(g->prefix), '.') : NULL;
  if (dot) *dot = 0;
  return name && ss_xml_set(g->r->xml, mesh, "name", name, NULL);
}

static ss_status bring_assets(guest* g)
{
  ss_xml_node* section = NULL;
  for (const ss_xml_node* s = g->root->child; s; s = s->next)
    for (const ss_xml_node* c = is(s, "asset") ? s->child : NULL; c; c = c->next) {
      if (!is(c, "mesh") && !is(c, "hfield")) continue;
      if (!section && !(section = ss_xml_add(g->r->xml, g->host, "asset"))) return ss_mj_memory(g->r);
      ss_xml_node* copy = copy_tree(g, c, section);
      bool classed = copy && (is(c, "hfield") || ss_xml_find(copy, "class") || set_class(g, copy, "class"));
      if (!classed || !name_mesh(g, copy)) return ss_mj_memory(g->r);
      append(section, copy);
    }
  return SS_OK;
}

// Whether an element names parts that came along, and nothing else
static bool is_inside(const guest* g, const ss_xml_node* node)
{
  for (const ss_xml_attribute* a = node->attribute; a; a = a->next)
    if (holds_name(a->name) && strcmp(a->name, "name") != 0 && strcmp(a->name, "class") != 0 &&
        strcmp(a->value, "world") != 0 && !is_part(g, a->value))
      return false;
  for (const ss_xml_node* c = node->child; c; c = c->next)
    if (!is_inside(g, c)) return false;
  return true;
}

static ss_status bring_section(guest* g, const char* name)
{
  ss_xml_node* section = NULL;
  for (const ss_xml_node* s = g->root->child; s; s = s->next)
    for (const ss_xml_node* c = is(s, name) ? s->child : NULL; c; c = c->next) {
      ss_xml_node* copy = copy_tree(g, c, NULL);
      if (!copy) return ss_mj_memory(g->r);
      if (!is_inside(g, copy)) continue;
      if (!section && !(section = ss_xml_add(g->r->xml, g->host, name))) return ss_mj_memory(g->r);
      bool classless = is(copy, "exclude") || strcmp(name, "sensor") == 0;
      if (!ss_xml_find(copy, "class") && !classless && !set_class(g, copy, "class")) return ss_mj_memory(g->r);
      append(section, copy);
      if (keep_names(g, copy) < 0) return SS_ERR_MEMORY;
    }
  sort_names(g);
  return SS_OK;
}

static ss_status tell_left(guest* g)
{
  for (const ss_xml_node* s = g->root->child; s; s = s->next)
    if (is(s, "keyframe")) {
      ss_status st = ss_mj_notice(g->r, SS_SCENE_IGNORED, "attach", "", "keyframes of the other model are left out",
                                  g->by->line, 1);
      if (st < 0) return st;
    }
  return SS_OK;
}

// ---- the bodies ----

static const ss_xml_node* find_body(const ss_xml_node* node, const char* name)
{
  for (const ss_xml_node* c = node->child; c; c = c->next) {
    const char* own = is(c, "body") ? value_of(c, "name") : NULL;
    if (own && strcmp(own, name) == 0) return c;
    const ss_xml_node* below = find_body(c, name);
    if (below) return below;
  }
  return NULL;
}

// The body, or all that is in the world, into the frame
static ss_status bring_bodies(guest* g, ss_xml_node* frame, const char* body)
{
  bool found = false;
  for (const ss_xml_node* w = g->root->child; w; w = w->next) {
    if (!is(w, "worldbody")) continue;
    const ss_xml_node* one = body ? find_body(w, body) : NULL;
    for (const ss_xml_node* c = body ? one : w->child; c; c = body ? NULL : c->next) {
      ss_xml_node* copy = copy_tree(g, c, frame);
      if (!copy) return ss_mj_memory(g->r);
      append(frame, copy);
      found = true;
    }
  }
  if (!found && body) return ss_mj_error_at(g->r, g->by, "attach: the model has no body '%.80s'", body);
  ss_status st = keep_names(g, frame);
  sort_names(g);
  return st;
}

// ---- the other file ----

// Settings of its <compiler>; what concerns all masses stays that of the host
static ss_status read_settings(guest* g, const char* path)
{
  ss_mjcf* r = g->r;
  ss_mjcf before = *r;
  ss_status st = SS_OK;
  r->set = (ss_mj_settings){.degree = true, .autolimits = true, .eulerseq = "xyz", .meshdir = ""};
  if (!(r->set.folder = ss_mj_folder(r, path))) return ss_mj_memory(r);
  for (const ss_xml_node* c = g->root->child; c && st >= 0; c = c->next)
    if (is(c, "compiler")) st = ss_mj_read_compiler(r, c, ss_mj_element_find(SS_MJ_IN_MODEL, "compiler"), NULL);
  g->set = ss_pool_take(&r->out->pool, sizeof *g->set);
  if (g->set) *g->set = r->set;
  r->set = before.set;
  r->balance = before.balance;
  r->inertiafromgeom = before.inertiafromgeom;
  r->boundmass = before.boundmass;
  r->boundinertia = before.boundinertia;
  r->settotalmass = before.settotalmass;
  memcpy(r->inertiagroup, before.inertiagroup, sizeof r->inertiagroup);
  return st < 0 || g->set ? st : ss_mj_memory(r);
}

// The <model> of that name in the <asset> sections; its own name is that of its file without ending
static const ss_xml_node* find_model(const ss_xml_node* root, const char* name)
{
  for (const ss_xml_node* s = root->child; s; s = s->next)
    for (const ss_xml_node* c = is(s, "asset") ? s->child : NULL; c; c = c->next) {
      const char *own = is(c, "model") ? value_of(c, "name") : NULL, *file = value_of(c, "file");
      if (own && strcmp(own, name) == 0) return c;
      const char* slash = is(c, "model") && !own && file ? strrchr(file, '/') : NULL;
      const char* base = slash ? slash + 1 : file;
      size_t n = strlen(name);
      if (is(c, "model") && !own && base && strncmp(base, name, n) == 0 && strchr(".", base[n])) return c;
    }
  return NULL;
}

static ss_status open_guest(guest* g, const ss_xml_node* model, const char* folder, int depth)
{
  char path[1024];
  const char* file = value_of(model, "file");
  if (!file || !*file) return ss_mj_error_at(g->r, model, "model needs the attribute 'file'");
  if (snprintf(path, sizeof path, "%s%s", *file == '/' ? "" : folder, file) >= (int)sizeof path)
    return ss_mj_error_at(g->r, model, "model: the name of the file is longer than %d bytes", (int)sizeof path - 1);
  ss_status st = ss_mj_open(g->r, model, path, &g->root);
  if (st < 0) return st;
  if (!is(g->root, "mujoco"))
    return ss_mj_error_at(g->r, model, "model: '%.200s' begins with <%.60s>; only MJCF models (<mujoco>) are attached",
                          path, g->root->name);
  for (const ss_xml_node* c = g->root->child; c; c = c->next) {
    const char* class = is(c, "default") ? value_of(c, "class") : NULL;
    if (class) g->top = class;
  }
  const char* below = ss_mj_folder(g->r, path);
  if (!below) return ss_mj_memory(g->r);
  if ((st = ss_mj_include(g->r, g->root, path, below)) < 0) return st;
  if ((st = attach_all(g->r, g->root, below, depth + 1)) < 0) return st;
  return read_settings(g, path);
}

// ---- attach ----

static ss_status check_attach(ss_mjcf* r, const ss_xml_node* node, int depth)
{
  for (const ss_xml_attribute* a = node->attribute; a; a = a->next)
    if (strcmp(a->name, "model") != 0 && strcmp(a->name, "body") != 0 && strcmp(a->name, "prefix") != 0)
      return ss_mj_error_at(r, node, "attach has no attribute '%.60s'; it has model, body, prefix", a->name);
  const char *model = value_of(node, "model"), *prefix = value_of(node, "prefix");
  if (!model) return ss_mj_error_at(r, node, "attach needs the attribute 'model'");
  if (!prefix || !*prefix) return ss_mj_error_at(r, node, "attach needs the attribute 'prefix', which is not empty");
  if (depth > MOST_NESTED) return ss_mj_error_at(r, node, "attach: models are nested more than %d deep", MOST_NESTED);
  return SS_OK;
}

static ss_status bring_all(guest* g, ss_xml_node* frame)
{
  // what is used by others comes before them
  static const char* const sections[] = {"tendon", "contact", "equality", "actuator", "sensor"};
  ss_status st = bring_bodies(g, frame, value_of(g->by, "body"));
  if (st >= 0) st = bring_defaults(g);
  if (st >= 0) st = bring_assets(g);
  for (int i = 0; i < 5 && st >= 0; i++) st = bring_section(g, sections[i]);
  return st < 0 ? st : tell_left(g);
}

static ss_status attach(ss_mjcf* r, ss_xml_node* node, ss_xml_node* root, const char* folder, int depth)
{
  ss_status st = check_attach(r, node, depth);
  if (st < 0) return st;
  guest g = {.r = r, .host = root, .top = "main", .prefix = value_of(node, "prefix"), .by = node};
  const ss_xml_node* model = find_model(root, value_of(node, "model"));
  if (!model)
    return ss_mj_error_at(r, node, "attach: there is no <model name=\"%.80s\"> in <asset>", value_of(node, "model"));
  ss_xml_node frame = {.name = "frame", .line = node->line, .parent = node->parent, .next = node->next};
  if ((st = open_guest(&g, model, folder, depth)) >= 0) {
    frame.context = g.set;
    if (!set_class(&g, &frame, "childclass")) st = ss_mj_memory(r);
    if (st >= 0) st = bring_all(&g, &frame);
  }
  free(g.name);
  if (st < 0 && r->n_copied >= SS_XML_ELEMENTS)
    return ss_mj_error_at(r, node, "attach: more than %d elements in all", SS_XML_ELEMENTS);
  if (st < 0) return st;
  *node = frame;
  for (ss_xml_node* c = node->child; c; c = c->next) c->parent = node;
  return SS_OK;
}

static ss_status walk(ss_mjcf* r, ss_xml_node* node, ss_xml_node* root, const char* folder, int depth)
{
  for (ss_xml_node* c = node->child; c; c = c->next) {
    bool here = is(c, "attach") && !is(node, "mujoco");
    ss_status st = here ? attach(r, c, root, folder, depth) : walk(r, c, root, folder, depth);
    if (st < 0) return st;
  }
  return SS_OK;
}

static ss_status attach_all(ss_mjcf* r, ss_xml_node* root, const char* folder, int depth)
{
  for (ss_xml_node* c = root->child; c; c = c->next) {
    ss_status st = is(c, "worldbody") ? walk(r, c, root, folder, depth) : SS_OK;
    if (st < 0) return st;
  }
  return SS_OK;
}

static bool has_attach(const ss_xml_node* node)
{
  for (const ss_xml_node* c = node->child; c; c = c->next)
    if (is(c, "attach") || has_attach(c)) return true;
  return false;
}

// The outermost default class of the scene comes before those of guests, even if it is empty
ss_status ss_mj_attach(ss_mjcf* r)
{
  ss_xml_node* root = ss_xml_root(r->xml);
  if (!has_attach(root)) return SS_OK;
  bool own = false;
  for (const ss_xml_node* c = root->child; c; c = c->next) own = own || is(c, "default");
  if (!own && !ss_xml_add(r->xml, root, "default")) return ss_mj_memory(r);
  return attach_all(r, root, r->set.folder, 0);
}
