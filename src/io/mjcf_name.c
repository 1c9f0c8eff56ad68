// Names of an MJCF file: a hash table by kind and name, references with suggestions, default classes.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "io/mjcf.h"

static const char* const kinds[SS_MJ_KINDS] = {"body", "joint", "geom", "site", "mesh", "equality", "actuator", "pair",
                                               "exclude", "key", "default class", "link", "joint", "tendon",
                                               "hfield", "sensor"};

bool ss_mj_grow(void** array, int* room, int n, size_t size)
{
  if (n < *room) return true;
  int more = *room ? 2**room : 16;
  void* bigger = realloc(*array, (size_t)more*size);
  if (!bigger) return false;
  memset((char*)bigger + (size_t)*room*size, 0, (size_t)(more - *room)*size);
  *array = bigger;
  *room = more;
  return true;
}

// ---- the hash table ----

// FNV-1a over the kind and the name
static uint32_t hash(int kind, const char* name)
{
  uint32_t h = 2166136261u ^ (uint32_t)kind;
  for (; *name; name++) h = (h ^ (unsigned char)*name)*16777619u;
  return h;
}

// The slot of a name, or the free one where it belongs. capacity is a power of two and never full.
static struct ss_mj_name* find_slot(const ss_mj_names* t, int kind, const char* name)
{
  uint32_t i = hash(kind, name);
  for (;; i++) {
    struct ss_mj_name* s = t->slot + (i & (uint32_t)(t->capacity - 1));
    if (!s->name || (s->kind == kind && strcmp(s->name, name) == 0)) return s;
  }
}

static bool make_room(ss_mj_names* t)
{
  if (2*(t->n + 1) < t->capacity) return true;
  ss_mj_names more = {.n = t->n, .capacity = t->capacity ? 2*t->capacity : 64};
  more.slot = calloc((size_t)more.capacity, sizeof *more.slot);
  if (!more.slot) return false;
  for (int i = 0; i < t->capacity; i++)
    if (t->slot[i].name) *find_slot(&more, t->slot[i].kind, t->slot[i].name) = t->slot[i];
  free(t->slot);
  *t = more;
  return true;
}

ss_status ss_mj_name_add(ss_mjcf* r, ss_mj_kind kind, const char* name, int number, const ss_xml_node* node)
{
  if (!make_room(&r->names)) return ss_mj_memory(r);
  struct ss_mj_name* s = find_slot(&r->names, (int)kind, name);
  if (s->name || (kind == SS_MJ_BODY && strcmp(name, "world") == 0))
    return ss_mj_error_at(r, node, "the name '%.80s' of a %s stands twice", name, kinds[kind]);
  *s = (struct ss_mj_name){name, (int)kind, number};
  r->names.n++;
  return SS_OK;
}

int ss_mj_name_get(const ss_mjcf* r, ss_mj_kind kind, const char* name)
{
  if (!r->names.capacity) return -1;
  const struct ss_mj_name* s = find_slot(&r->names, (int)kind, name);
  return s->name ? s->number : -1;
}

// The nearest name of a kind; NULL if none is near
static const char* nearest(const ss_mjcf* r, ss_mj_kind kind, const char* name)
{
  const char** list = malloc(sizeof *list*((size_t)r->names.n + 1));
  int n = 0;
  for (int i = 0; list && i < r->names.capacity; i++)
    if (r->names.slot[i].name && r->names.slot[i].kind == (int)kind) list[n++] = r->names.slot[i].name;
  const char* near = list ? ss_suggest(name, list, n) : NULL;
  free(list);
  return near;
}

ss_status ss_mj_refer(ss_mjcf* r, ss_mj_kind kind, const ss_mj_value* v, const char* attribute, int* number)
{
  *number = SS_WORLD;
  if (kind == SS_MJ_BODY && strcmp(v->text, "world") == 0) return SS_OK;
  *number = ss_mj_name_get(r, kind, v->text);
  if (*number >= 0) return SS_OK;
  const char* near = nearest(r, kind, v->text);
  return ss_mj_error_of(r, v, "%s: there is no %s '%.80s'%s%.80s%s", attribute, kinds[kind], v->text,
                        near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

ss_status ss_mj_name(ss_mjcf* r, ss_mj_kind kind, const ss_mj_value* v, const char* suffix, int number,
                     const ss_xml_node* node, const char** name)
{
  char text[256];
  if (number >= SS_MJ_MOST)
    return ss_mj_error_at(r, node, "more than %d elements of the kind '%s'", SS_MJ_MOST, kinds[kind]);
  if (!v->text || !*v->text) snprintf(text, sizeof text, "#%d", number);
  else if (snprintf(text, sizeof text, "%s%s", v->text, suffix) >= (int)sizeof text)
    return ss_mj_error_of(r, v, "the name of this %s is longer than %d bytes", kinds[kind], (int)sizeof text - 1);
  *name = ss_pool_copy(&r->out->pool, text, strlen(text));
  if (!*name) return ss_mj_memory(r);
  return ss_mj_name_add(r, kind, *name, number, node);
}

// ---- default classes ----

static ss_status new_class(ss_mjcf* r, const char* name, int parent, const ss_xml_node* node, int* number)
{
  if (!SS_MJ_GROW(r->class, r->class_room, r->n_class)) return ss_mj_memory(r);
  *number = r->n_class++;
  r->class[*number] = (ss_mj_class){.name = name, .parent = parent};
  return ss_mj_name_add(r, SS_MJ_CLASS, name, *number, node);
}

static ss_status add_class(ss_mjcf* r, const ss_xml_node* node, int parent, int* number)
{
  const ss_xml_attribute* a = ss_xml_find(node, "class");
  if (!a && parent >= 0) return ss_mj_error_at(r, node, "a default inside of another needs the attribute 'class'");
  const char* name = a ? a->value : "main";
  bool attached = parent < 0 && node->context && a;  // a tree of classes of its own
  if (attached) {
    *number = ss_mj_name_get(r, SS_MJ_CLASS, name);
    if (*number > 0) return SS_OK;
    return new_class(r, name, -1, node, number);
  }
  *number = parent < 0 ? 0 : ss_mj_name_get(r, SS_MJ_CLASS, name);
  if (parent < 0 && r->n_class && strcmp(name, r->class[0].name) != 0 && a)
    return ss_mj_error_at(r, node, "the outermost default is the class '%.80s'; '%.80s' must stand inside of it",
                          r->class[0].name, name);
  if (*number >= 0 && *number < r->n_class && parent >= 0)
    return ss_mj_error_at(r, node, "the default class '%.80s' stands twice", name);
  if (parent < 0 && r->n_class) return SS_OK;
  return new_class(r, name, parent, node, number);
}

// The element of this name at the end of the list, new if there was none; NULL if memory is short
static ss_xml_node* last_element(ss_mjcf* r, ss_mj_class* class, const char* name)
{
  ss_xml_node *found = NULL, **at = &class->element;
  while (*at) {
    if (strcmp((*at)->name, name) != 0) at = &(*at)->next;
    else {
      found = *at;
      *at = found->next;
    }
  }
  if (!found) found = ss_pool_take(&r->out->pool, sizeof *found);
  if (!found) return NULL;
  found->name = name;
  found->next = NULL;
  return *at = found;
}

// Adds the attributes of an element of a <default> to those of its class. The table has checked them: they are few.
static ss_status add_defaults(ss_mjcf* r, ss_mj_class* class, const ss_xml_node* node)
{
  ss_xml_node* to = last_element(r, class, node->name);
  if (!to) return ss_mj_memory(r);
  for (const ss_xml_attribute* a = node->attribute; a; a = a->next) {
    ss_xml_attribute* copy = ss_xml_find(to, a->name);
    if (!copy) {
      copy = ss_pool_take(&r->out->pool, sizeof *copy);
      if (!copy) return ss_mj_memory(r);
      copy->next = to->attribute;
      to->attribute = copy;
    }
    ss_xml_attribute* next = copy->next;
    *copy = *a;
    copy->next = next;
  }
  return SS_OK;
}

static ss_status read_class(ss_mjcf* r, const ss_xml_node* node, int parent)
{
  int number = 0;
  ss_status st = add_class(r, node, parent, &number);
  for (const ss_xml_node* child = node->child; child && st >= 0; child = child->next)
    if (strcmp(child->name, "default") == 0) st = read_class(r, child, number);
    else if (ss_mj_element_find(SS_MJ_IN_DEFAULT, child->name)->rows) st = add_defaults(r, r->class + number, child);
  return st;
}

ss_status ss_mj_read_default(ss_mjcf* r, const ss_xml_node* node, const ss_mj_element* e, const ss_mj_scope* scope)
{
  (void)e;
  (void)scope;
  return read_class(r, node, -1);
}

ss_status ss_mj_class_of(ss_mjcf* r, const ss_xml_node* node, const ss_mj_scope* scope, int* class)
{
  *class = r->n_class ? 0 : -1;
  if (scope && scope->childclass >= 0) *class = scope->childclass;
  const ss_xml_attribute* a = ss_xml_find(node, "class");
  if (!a) return SS_OK;
  ss_mj_value v = {.text = a->value, .line = a->line, .override = a->owner};
  return ss_mj_refer(r, SS_MJ_CLASS, &v, node->name, class);
}
