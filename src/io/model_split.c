// A gap that is the least of several smooth ones, min(a, b) or a - abs(b), is a corner or a groove: what rests in it is
// held on all sides. With one row for the side at hand it would sink along the other. min(a, b) >= 0 says a >= 0 and
// b >= 0, so such a contact is read as one for each side, "name", "name.2", ...
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/model_reader.h"
#include "system/kinks.h"
#include "system/lagrangian.h"

enum { MOST_KINKS = 6 };  // of a gap that is split: up to 64 sides
enum { MOST_SIDES = 1 << MOST_KINKS };

typedef struct split {
  int n;
  ss_lagrangian_contact side[MOST_SIDES];
} split;

// The contact on one side of its kinks
static ss_lagrangian_contact on_side(ss_reader* r, int i, const ss_kinks* kinks, unsigned sides)
{
  ss_lagrangian_contact e = r->contact_expr[i];
  e.gap = ss_expr_on_side_of(&r->graph, e.gap, kinks, sides);
  if (e.slide >= 0) e.slide = ss_expr_on_side_of(&r->graph, e.slide, kinks, sides);
  if (r->contact[i].varies && e.mu >= 0) e.mu = ss_expr_on_side_of(&r->graph, e.mu, kinks, sides);
  if (r->contact[i].varies && e.bound >= 0) e.bound = ss_expr_on_side_of(&r->graph, e.bound, kinks, sides);
  return e;
}

// One more side, unless it is there, or is a positive number, which nothing reaches. False: it does not move at all.
static bool add_side(const ss_reader* r, split* s, const ss_lagrangian_contact* e)
{
  double value;
  if (ss_expr_is_const(&r->graph, e->gap, &value) && value > 0) return true;
  if (!(ss_expr_depends(&r->graph, e->gap) & SS_DEPENDS_Q)) return false;
  for (int k = 0; k < s->n; k++)
    if (s->side[k].gap == e->gap) return true;
  s->side[s->n++] = *e;
  return true;
}

// The sides of contact i; 0 if it stays as it is
static int find_sides(ss_reader* r, int i, split* s)
{
  ss_kinks kinks = {0};
  s->n = 0;
  if (ss_expr_bend(&r->graph, r->contact_expr[i].gap) != SS_BEND_LEAST) return 0;
  ss_expr_find_kinks(&r->graph, r->contact_expr[i].gap, &kinks);
  bool ok = !kinks.failed && kinks.n <= MOST_KINKS;
  for (unsigned k = 0; ok && k < 1u << kinks.n; k++) {
    ss_lagrangian_contact e = on_side(r, i, &kinks, k);
    ok = e.gap >= 0 && add_side(r, s, &e);
  }
  ss_kinks_free(&kinks);
  return ok ? s->n : 0;
}

// Room for so many contacts
static bool reserve(ss_reader* r, int n)
{
  size_t room = (size_t)n + 1;
  ss_contact_def* contact = realloc(r->contact, room*sizeof *contact);
  if (contact) r->contact = contact;
  ss_lagrangian_contact* expr = realloc(r->contact_expr, room*sizeof *expr);
  if (expr) r->contact_expr = expr;
  const yaml_node_t** slide = realloc((void*)r->contact_slide, room*sizeof *slide);
  if (slide) r->contact_slide = slide;
  char** name = realloc(r->side_name, room*sizeof *name);
  if (name) r->side_name = name;
  return contact && expr && slide && name;
}

// Contact i becomes the first of n sides; the others follow it.
static bool put_sides(ss_reader* r, int i, const split* s)
{
  int more = s->n - 1, behind = r->n_contact - i - 1;
  if (!reserve(r, r->n_contact + more)) return false;
  memmove(r->contact + i + s->n, r->contact + i + 1, sizeof *r->contact*(size_t)behind);
  memmove(r->contact_expr + i + s->n, r->contact_expr + i + 1, sizeof *r->contact_expr*(size_t)behind);
  memmove((void*)(r->contact_slide + i + s->n), r->contact_slide + i + 1, sizeof *r->contact_slide*(size_t)behind);
  const char* name = r->contact[i].name;
  for (int k = 0; k < s->n; k++) {
    size_t size = strlen(name) + 16;
    char* copy = k ? malloc(size) : NULL;
    r->contact[i + k] = r->contact[i];
    r->contact_slide[i + k] = r->contact_slide[i];
    r->contact_expr[i + k] = s->side[k];
    r->n_contact += k > 0;
    if (!k) continue;
    if (!copy) return false;
    snprintf(copy, size, "%s.%d", name, k + 1);
    r->contact[i + k].name = r->side_name[r->n_side_name++] = copy;
  }
  return true;
}

ss_status ss_reader_split_contacts(ss_reader* r)
{
  split* s = malloc(sizeof *s);
  bool ok = s;
  for (int i = 0; ok && i < r->n_contact; i++)
    if (r->contact[i].kind != SS_CONTACT_FRICTION && find_sides(r, i, s)) {
      ok = put_sides(r, i, s);
      i += s->n - 1;
    }
  free(s);
  return ok ? SS_OK : ss_reader_memory(r);
}
