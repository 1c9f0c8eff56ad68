// Which of the touches of a pair are needed. Touches with one normal: by a rigid motion their gaps change by a linear
// function of the place along the tangent, so that one above the line between two others cannot close before them. The
// lower convex hull of (place, gap) stays: two points where an edge lies flat on an edge, however many points the
// outlines have there. Corners that meet are told once, as two points.
#include "outline/touch.h"
#include <stdlib.h>
#include <string.h>

#define LEVEL 1e-12  // of the sizes: gaps that differ by less are the same
#define MEET 1e-9    // ...: corners nearer than this along the edge meet
#define PARALLEL 1e-3  // normals that differ by less, rad, are those of a flat contact

void ss_touches_free(ss_touches* t)
{
  free(t->list);
  *t = (ss_touches){0};
}

void ss_touches_add(ss_touches* t, const ss_touch2* touch)
{
  if (t->n == t->room) {
    int room = 2*t->room + 16;
    ss_touch2* list = realloc(t->list, sizeof *list*(size_t)room);
    if (!list) {
      t->failed = true;
      return;
    }
    t->list = list;
    t->room = room;
  }
  t->list[t->n++] = *touch;
}

// Within dt a gap shrinks by its rate, and by what the normal turns into the way that is gone
bool ss_touch_may_close(const ss_touch2* t, const ss_look2* look)
{
  if (t->gap <= look->near || !look->a) return true;
  double turn = (fabs(look->a->omega) + fabs(look->b->omega))*look->dt;
  ss_vec2 v = ss_sub2(ss_velocity2(look->b, t->point), ss_velocity2(look->a, t->point));
  return t->gap <= (2*fmax(-ss_dot2(v, t->normal), 0) + turn*ss_length2(v))*look->dt + look->near;
}

void ss_touches_drop_far(ss_touches* t, int first, ss_look2 look)
{
  int k = first;
  for (int i = first; i < t->n; i++)
    if (ss_touch_may_close(&t->list[i], &look)) t->list[k++] = t->list[i];
  t->n = k;
}

static double along(ss_vec2 tangent, const ss_touch2* t) { return ss_dot2(tangent, t->point); }

// b, between a and c along the tangent, is not below the line from a to c
static bool is_idle(const ss_touch2* a, const ss_touch2* b, const ss_touch2* c, ss_vec2 tangent, double level)
{
  double xa = along(tangent, a), span = along(tangent, c) - xa, x = span > 0 ? (along(tangent, b) - xa)/span : 0;
  return b->gap >= a->gap + x*(c->gap - a->gap) - level;
}

// The touches whose normal is about that of the first one, to the front, sorted along the tangent; returns how many
static int gather(ss_touch2* t, int n, ss_vec2 normal, double* tilt)
{
  ss_vec2 tangent = ss_left2(normal);
  int k = 0;
  for (int i = 0; i < n; i++) {
    double turn = ss_cross2(normal, t[i].normal);
    if (fabs(turn) > PARALLEL || ss_dot2(normal, t[i].normal) < 0 || t[i].turns == SS_TURNS_ROUND) continue;
    ss_touch2 next = t[i];
    t[i] = t[k];
    *tilt = fmax(*tilt, fabs(turn));
    int j = k++;
    for (; j > 0 && along(tangent, &t[j - 1]) > along(tangent, &next); j--) t[j] = t[j - 1];
    t[j] = next;
  }
  return k;
}

// The lower hull of n sorted touches, to the front (monotone chain); returns how many
static int keep_hull(ss_touch2* t, int n, ss_vec2 tangent, double level)
{
  int k = 0;
  for (int i = 0; i < n; i++) {
    while (k >= 2 && is_idle(&t[k - 2], &t[k - 1], &t[i], tangent, level)) k--;
    t[k++] = t[i];
  }
  return k;
}

// Group by group; returns how many stay. Where bodies are tilted against each other by an angle, gaps differ from a
// linear function by its square.
static int keep_hulls(ss_touch2* t, int n, double size)
{
  int kept = 0;
  for (int from = 0; from < n;) {
    ss_vec2 normal = t[from].normal;
    double tilt = 0;
    int k = t[from].turns == SS_TURNS_ROUND ? 1 : gather(t + from, n - from, normal, &tilt);
    int stay = keep_hull(t + from, k, ss_left2(normal), (LEVEL + tilt*tilt)*size);
    memmove(t + kept, t + from, sizeof *t*(size_t)stay);
    kept += stay;
    from += k;
  }
  return kept;
}

// The corner of shape s, whose edge it is on, that the touch coincides with; -1: none.
static int corner_at(const ss_touch2* t, const ss_shape2* s, int edge, double meet)
{
  if (s->kind != SS_SHAPE2_OUTLINE) return -1;
  if (fabs(t->along) <= meet) return edge;
  return fabs(t->along - s->outline->edge[edge].length) <= meet ? ss_outline_next(s->outline, edge) : -1;
}

static void name_corner(ss_touch2* t, const ss_shape2* a, const ss_shape2* b, double meet)
{
  uint64_t key = t->key;
  int fa = ss_key2_feature_a(key), fb = ss_key2_feature_b(key);
  bool on_a = ss_key2_kind(key) == SS_POINT_OF_B;
  if (!on_a && ss_key2_kind(key) != SS_POINT_OF_A) return;
  if ((on_a ? b : a)->kind != SS_SHAPE2_OUTLINE) return;
  int corner = on_a ? corner_at(t, a, fa, meet) : corner_at(t, b, fb, meet);
  if (corner < 0) return;
  t->key = ss_key2(ss_key2_a(key), ss_key2_b(key), SS_TWO_POINTS, on_a ? corner : fa, on_a ? fb : corner);
}

// Of the touches with one key, the shallowest stays; returns how many there are then
static int keep_once(ss_touch2* t, int n)
{
  int k = 0;
  for (int i = 0; i < n; i++) {
    int j = 0;
    while (j < k && t[j].key != t[i].key) j++;
    if (j == k) t[k++] = t[i];
    else if (t[i].gap > t[j].gap) t[j] = t[i];
  }
  return k;
}

static double size_of(const ss_shape2* s)
{
  return s->kind == SS_SHAPE2_OUTLINE ? s->outline->size : s->kind == SS_SHAPE2_CIRCLE ? 2*s->radius : INFINITY;
}

void ss_touches_reduce(ss_touches* touches, int first, const ss_shape2* a, const ss_shape2* b)
{
  int n = touches->n - first;
  double size = fmin(size_of(a), size_of(b));
  if (n < 1) return;  // there may be no list yet
  ss_touch2* t = touches->list + first;
  if (n > 2) n = keep_hulls(t, n, size);
  for (int i = 0; i < n; i++) name_corner(&t[i], a, b, MEET*size);
  touches->n = first + keep_once(t, n);
}
