// The list of contacts: a sweep over the boxes of the bodies, touches of the pairs that are near, and the contacts by
// expressions behind them. Too deep an overlap, or a motion within the step that could pass through a skin unseen,
// says that the step is too large [Slavic & Boltezar 2006, after (37)].
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "planar/planar.h"
#include "base/number.h"

#define NEAR 1e-9   // of the scene's size: resting contacts may be apart by round-off
#define DEPTH 1e-3  // of the smaller body: overlap that a step may cause
#define TERMS 0.125 // of the terms of a gap: its round-off is 2 epsilon of them, where 16 are reckoned with
#define THIN 0.1    // of the thinner body: overlap at the start
#define LEVEL 2     // times what bodies that rest may overlap by: joints that are lower are flush
#define WAY 0.05    // of the smaller body: the way that bodies may come nearer at once

// ---- boxes ---------------------------------------------------------------------------------------------------------

static void place_box(ss_planar_work* w, int i, double margin)
{
  const ss_shape2* s = &w->p->body[i].shape;
  const ss_pose2* o = &w->pose[i];
  ss_vec2 center = {0, 0}, half = {INFINITY, INFINITY};
  if (s->kind == SS_SHAPE2_CIRCLE) {
    center = ss_place2(o, s->center);
    half = (ss_vec2){s->radius, s->radius};
  } else if (s->kind == SS_SHAPE2_OUTLINE) {
    const ss_outline_node* root = s->outline->node;
    center = ss_place2(o, root->center);
    half.x = fabs(o->c)*root->half.x + fabs(o->s)*root->half.y;
    half.y = fabs(o->s)*root->half.x + fabs(o->c)*root->half.y;
  }
  double r = w->reach[i] + margin/2;
  w->low[i] = (ss_vec2){center.x - half.x - r, center.y - half.y - r};
  w->high[i] = (ss_vec2){center.x + half.x + r, center.y + half.y + r};
}

// Insertion: the order hardly changes from step to step
static void sort_boxes(ss_planar_work* w)
{
  for (int i = 1; i < w->p->n_body; i++) {
    int k = w->order[i], j = i;
    for (; j > 0 && w->low[w->order[j - 1]].x > w->low[k].x; j--) w->order[j] = w->order[j - 1];
    w->order[j] = k;
  }
}

// How far the points of a body move within dt
static void measure_reach(ss_planar_work* w, double dt)
{
  const ss_planar* p = w->p;
  double g = hypot(p->gravity[0], p->gravity[1]);
  for (int i = 0; i < p->n_body; i++) {
    const ss_motion2* m = &w->motion[i];
    double turn = fmin(fabs(m->omega)*dt, 3.2)*p->radius[i];
    w->reach[i] = p->body[i].carriage == SS_FIXED ? 0 : ss_length2(m->v)*dt + turn + g*dt*dt;
  }
}

// ---- pairs ---------------------------------------------------------------------------------------------------------

static bool can_touch(const ss_planar* p, int a, int b)
{
  const ss_planar_body *x = &p->body[a], *y = &p->body[b];
  if (x->carriage == SS_FIXED && y->carriage == SS_FIXED) return false;
  return x->group < 0 || x->group != y->group;
}

static double allowed_depth(const ss_planar* p, int a, int b)
{
  return p->depth > 0 ? p->depth : DEPTH*fmin(p->size[a], p->size[b]);
}

static ss_status too_large(const ss_planar_work* w, const ss_at* at, int a, int b, const char* what, double length,
                           double most)
{
  ss_print(at->message, SS_AT_MESSAGE, "%s'%.40s' and '%.40s' %s %.3g m, more than %.3g m",
           w->listed ? "the step is too large: " : "", w->p->name[a], w->p->name[b], what, length, most);
  return SS_ERR_OVERLAP;
}

// Before the first step bodies may be anywhere, also crossed; thin ones are nowhere deep in each other
static ss_status check_start(const ss_planar_work* w, const ss_at* at, int a, int b)
{
  const ss_planar* p = w->p;
  double most = fmin(allowed_depth(p, a, b), THIN*fmin(p->thick[a], p->thick[b]));
  double deep = ss_overlap_depth(&p->body[a].shape, &w->pose[a], &p->body[b].shape, &w->pose[b], most/4);
  return deep > most ? too_large(w, at, a, b, "overlap by", deep, most) : SS_OK;
}

// Overlaps were no deeper than allowed before, so that they are found within that and the way since then
static ss_status touch_pair(ss_planar_work* w, const ss_at* at, int a, int b, bool moves)
{
  const ss_planar* p = w->p;
  int first = w->touches.n;
  double depth = allowed_depth(p, a, b), way = w->reach[a] + w->reach[b];
  double most = fmax(WAY*fmin(p->size[a], p->size[b]), 4*depth);
  ss_look2 look = {.margin = way + NEAR*p->length, .skin = 2*depth + way};
  if (moves) {
    look.a = &w->motion[a];
    look.b = &w->motion[b];
    look.dt = w->dt;
    look.near = NEAR*p->length + hypot(p->gravity[0], p->gravity[1])*w->dt*w->dt;
    look.level = at->damped > 0 ? LEVEL*look.near : NEAR*p->length;  // in steps, bodies that rest overlap by g dt^2
  }
  if (moves && way > most) return too_large(w, at, a, b, "come nearer by up to", way, most);
  ss_touch_pair(&p->body[a].shape, &w->pose[a], a, &p->body[b].shape, &w->pose[b], b, look, &w->touches);
  for (int i = first; i < w->touches.n; i++) {
    const ss_touch2* t = &w->touches.list[i];
    if (-t->gap > depth) return too_large(w, at, a, b, "overlap by", -t->gap, depth);
    if (t->through) return too_large(w, at, a, b, "pass through each other, they overlap by", -t->gap, 0);
  }
  if (w->touches.failed) return SS_ERR_MEMORY;
  return w->listed ? SS_OK : check_start(w, at, a, b);
}

static ss_status sweep(ss_planar_work* w, const ss_at* at, bool moves)
{
  const ss_planar* p = w->p;
  for (int i = 0; i < p->n_body; i++) {
    int a = w->order[i];
    for (int j = i + 1; j < p->n_body && w->low[w->order[j]].x <= w->high[a].x; j++) {
      int b = w->order[j];
      if (w->low[b].y > w->high[a].y || w->low[a].y > w->high[b].y || !can_touch(p, a, b)) continue;
      ss_status st = touch_pair(w, at, a < b ? a : b, a < b ? b : a, moves);
      if (st < 0) return st;
    }
  }
  return SS_OK;
}

static int by_key(const void* x, const void* y)
{
  uint64_t a = ((const ss_touch2*)x)->key, b = ((const ss_touch2*)y)->key;
  return a < b ? -1 : a > b;
}

// ---- items and rows ------------------------------------------------------------------------------------------------

static bool reserve(ss_planar_work* w, int items)
{
  int rows = w->p->n_bilateral + 2*items;
  if (items > w->item_room) {
    ss_contact_item* item = realloc(w->item, sizeof *item*(size_t)(items + items/2 + 16));
    if (!item) return false;
    w->item = item;
    w->item_room = items + items/2 + 16;
  }
  if (rows > w->row_room) {
    ss_planar_row* row = realloc(w->rows, sizeof *row*(size_t)(rows + rows/2 + 32));
    if (!row) return false;
    w->rows = row;
    w->row_room = rows + rows/2 + 32;
  }
  return true;
}

bool ss_planar_begin_rows(ss_planar_work* w, int items)
{
  if (!reserve(w, items)) return false;
  w->n_item = w->n_row = 0;
  for (int i = 0; i < w->p->n_bilateral; i++)
    w->rows[w->n_row++] = (ss_planar_row){.a = -1, .b = -1, .text = i, .touch = -1};
  return true;
}

// What the gap is a difference of, along the normal: where the body is, and where the point is on it
static double terms(const ss_touch2* t, const ss_pose2* o)
{
  ss_vec2 d = ss_sub2(t->point, o->p);
  return fabs(t->normal.x)*(fabs(o->p.x) + fabs(d.x)) + fabs(t->normal.y)*(fabs(o->p.y) + fabs(d.y));
}

void ss_planar_add_touch(ss_planar_work* w, int k)
{
  const ss_planar* p = w->p;
  const ss_touch2* t = &w->touches.list[k];
  int a = ss_key2_a(t->key), b = ss_key2_b(t->key);
  ss_vec2 side = ss_left2(t->normal);
  ss_contact_item* item = &w->item[w->n_item++];
  *item = (ss_contact_item){.key = t->key, .gap = t->gap, .point = {t->point.x, t->point.y, 0},
                            .frame = {t->normal.x, t->normal.y, 0, side.x, side.y, 0, 0, 0, 1}, .body_a = a,
                            .body_b = b};
  item->size = TERMS*(terms(t, &w->pose[a]) + terms(t, &w->pose[b]));
  item->law = &p->law[p->surface[a]*p->n_surface + p->surface[b]];
  for (int r = 0; r < ss_contact_rows(item->law->kind); r++)
    w->rows[w->n_row++] = (ss_planar_row){.a = a, .b = b, .point = t->point, .along = r ? side : t->normal, .touch = k};
}

void ss_planar_add_text(ss_planar_work* w, int contact)
{
  const ss_planar* p = w->p;
  const ss_contact_def* law = &p->text->contact[contact];
  int row = p->n_bilateral;
  for (int i = 0; i < contact; i++) row += ss_contact_rows(p->text->contact[i].kind);
  w->item[w->n_item++] = (ss_contact_item){.key = SS_KEY_EXPRESSION + (uint64_t)contact, .law = law,
                                           .gap = w->gap[contact], .body_a = -1, .body_b = -1};
  for (int r = 0; r < ss_contact_rows(law->kind); r++)
    w->rows[w->n_row++] = (ss_planar_row){.a = -1, .b = -1, .text = row++, .touch = -1};
}

ss_status ss_planar_list(const ss_at* at, double dt, int* n, const ss_contact_item** item)
{
  ss_planar_work* w = at->scratch;
  const ss_planar* p = w->p;
  bool moves = dt != 0 && at->u;
  ss_planar_move(w, moves ? at->u : NULL, true);
  measure_reach(w, moves ? dt : 0);
  w->dt = dt;
  for (int i = 0; i < p->n_body; i++) {
    place_box(w, i, NEAR*p->length);
    if (isfinite(w->pose[i].p.x + w->pose[i].p.y + w->pose[i].c + w->reach[i])) continue;
    snprintf(at->message, SS_AT_MESSAGE, "the pose or the velocity of body '%.60s' is not finite", p->name[i]);
    return SS_ERR_NUMERIC;
  }
  sort_boxes(w);
  w->touches.n = 0;
  ss_status st = sweep(w, at, moves);
  if (st < 0) return st;
  w->listed = true;
  if (w->touches.n) qsort(w->touches.list, (size_t)w->touches.n, sizeof *w->touches.list, by_key);
  if (!ss_planar_begin_rows(w, w->touches.n + p->n_fixed)) return SS_ERR_MEMORY;
  for (int i = 0; i < w->touches.n; i++) ss_planar_add_touch(w, i);
  for (int i = 0; i < p->n_fixed; i++) ss_planar_add_text(w, i);
  *n = w->n_item;
  *item = w->item;
  return SS_OK;
}

// ---- names ---------------------------------------------------------------------------------------------------------

// "box p3" for a point, "ground e12" for an edge; circles and half-planes have neither
static void feature_name(const ss_planar* p, int body, int feature, bool point, char* text, size_t size)
{
  const ss_shape2* s = &p->body[body].shape;
  if (s->kind != SS_SHAPE2_OUTLINE || feature >= s->outline->n) {
    snprintf(text, size, "%.100s", p->name[body]);
    return;
  }
  int number = ss_outline_number(s->outline, feature) + (s->outline->reversed && !point ? 0 : 1);
  snprintf(text, size, "%.100s %c%d", p->name[body], point ? 'p' : 'e', number);
}

void ss_planar_contact_name(const void* user, uint64_t key, char* text, size_t size)
{
  const ss_planar* p = user;
  if (key & SS_KEY_EXPRESSION) {
    uint64_t i = key - SS_KEY_EXPRESSION;
    snprintf(text, size, "%s", i < (uint64_t)p->n_fixed ? p->text->contact[i].name : "unknown");
    return;
  }
  int a = ss_key2_a(key), b = ss_key2_b(key);
  if (a >= p->n_body || b >= p->n_body) {
    snprintf(text, size, "contact %llu", (unsigned long long)key);
    return;
  }
  ss_touch2_kind kind = ss_key2_kind(key);
  char name[2][120];
  feature_name(p, a, ss_key2_feature_a(key), kind != SS_POINT_OF_B, name[0], sizeof name[0]);
  feature_name(p, b, ss_key2_feature_b(key), kind != SS_POINT_OF_A, name[1], sizeof name[1]);
  bool turned = p->body[a].carriage == SS_FIXED && p->body[b].carriage != SS_FIXED;  // what moves comes first
  snprintf(text, size, "%s - %s", name[turned], name[!turned]);
}

const ss_contact_def* ss_planar_contact_law(const ss_planar* p, uint64_t key)
{
  if (key & SS_KEY_EXPRESSION) {
    uint64_t i = key - SS_KEY_EXPRESSION;
    return i < (uint64_t)p->n_fixed ? &p->text->contact[i] : NULL;
  }
  int a = ss_key2_a(key), b = ss_key2_b(key);
  return a < p->n_body && b < p->n_body ? &p->law[p->surface[a]*p->n_surface + p->surface[b]] : NULL;
}
