// Contacts of two capsules: up to three points, each of which is the zero set of a smooth gap function.
//   feature 0         the point where the axes cross: both core points slide
//   feature 1, 2      the end (- or +) of A against B
//   feature 3, 4      the end (- or +) of B against A
// Capsules side by side touch along a line; its two ends hold them as the whole line would. Every end against the other
// capsule is a gap that must not be negative, parallel or not, so that no threshold decides between one point and two:
// the second point comes in when its gap is below the margin, like any contact. See docs/collision.md.
#include "collide/shape.h"

// sin^2 of the angle between axes below which they count as parallel: the ends then miss the gap of the crossing by
// less than (half length)^2/distance times this
#define PARALLEL 1e-20
// sin^2 above which the nearest point alone holds: second points are for axes within 30 degrees of one another
#define CROSSED 0.25
// Two points nearer than this, in units of the radii, are one
#define SAME 1e-3
// An end that is beyond the other capsule's cylinder by less than this, in units of the radii, faces it still, so that
// capsules whose ends coincide are far from every decision
#define BESIDE 1e-6
// An end must be nearer than another by this, in units of the radii, to be taken in its place: ends that coincide
// differ by less where bodies sway
#define NEARER 1e-12

typedef struct ends {
  double at[2][2];    // of A, of B: its end on the axis of the other, clamped if it is beyond
  bool inside[2][2];  // it was not clamped
  int count[2];       // 2; 1 if the capsule is a sphere
} ends;

static ss_vec3 on_axis(const ss_placed* p, double s) { return ss_add(p->center, ss_scale(s, p->axis)); }

static double end_of(const ss_placed* p, int end) { return end ? p->half_length : -p->half_length; }

static void project_ends(const ss_placed* p, const ss_placed* other, int which, ends* e)
{
  double h = other->half_length, slack = BESIDE*(p->radius + other->radius);
  e->count[which] = p->half_length > 0 ? 2 : 1;
  for (int end = 0; end < 2; end++) {
    double s = ss_dot3(other->axis, ss_sub(on_axis(p, end_of(p, end)), other->center));
    e->inside[which][end] = h > 0 && fabs(s) < h + slack;
    e->at[which][end] = e->inside[which][end] ? s : fmin(fmax(s, -h), h);
  }
}

// The end of the other capsule to which this one was clamped
static int clamped_to(const ends* e, int which, int end) { return e->count[1 - which] == 2 && e->at[which][end] > 0; }

// An end counts if it faces the other's cylinder, or an end of it that faces it in turn (then as an end of A)
static bool counts(const ends* e, int which, int end)
{
  if (e->inside[which][end]) return true;
  int j = clamped_to(e, which, end);
  return which == 0 && !e->inside[1][j] && clamped_to(e, 1, j) == end;
}

// Two points of the axes as a contact. Axes that meet are pushed apart across both.
static ss_near between(const ss_placed* a, const ss_placed* b, double s, double t)
{
  ss_near near = {.core_a = on_axis(a, s), .core_b = on_axis(b, t)};
  double length;
  near.normal = ss_direction(ss_sub(near.core_b, near.core_a), &length);
  if (length == 0) {
    double sine;
    near.normal = ss_direction(ss_cross(a->axis, b->axis), &sine);
    if (sine*sine <= PARALLEL) near.normal = ss_across(a->axis);
  }
  near.gap = length - a->radius - b->radius;
  ss_near_round(a, b, &near);
  return near;
}

static ss_near end_contact(const ss_placed* a, const ss_placed* b, const ends* e, int which, int end)
{
  double s = which == 0 ? end_of(a, end) : e->at[1][end], t = which == 0 ? e->at[0][end] : end_of(b, end);
  ss_near near = between(a, b, s, t);
  ss_touch_side other = e->inside[which][end] ? SS_SIDE_LINE : SS_SIDE_POINT;
  *(which == 0 ? &near.side_b : &near.side_a) = other;
  near.feature = 1 + 2*which + end;
  return near;
}

// Where the axes cross, q_A + length N = q_B with N across both; false if that is not within both:
//   s = (d x b).m/m^2,  t = (d x a).m/m^2,  m = a x b,  d = c_B - c_A
static bool crossing(const ss_placed* a, const ss_placed* b, ss_vec3 m, double sine2, ss_near* near)
{
  if (sine2 <= PARALLEL) return false;
  ss_vec3 d = ss_sub(b->center, a->center);
  double s = ss_dot3(ss_cross(d, b->axis), m)/sine2, t = ss_dot3(ss_cross(d, a->axis), m)/sine2;
  if (!(fabs(s) < a->half_length && fabs(t) < b->half_length)) return false;
  *near = between(a, b, s, t);
  near->side_a = near->side_b = SS_SIDE_LINE;
  // N from the distance loses digits with size/distance, N from m with 1/sine
  double sine = sqrt(sine2), along = ss_dot3(m, d)/sine, size = ss_norm(d) + a->half_length + b->half_length;
  if (fabs(along) < sine*size) {
    near->normal = ss_scale((along < 0 ? -1 : 1)/sine, m);
    near->core_b = ss_add(near->core_a, ss_scale(fabs(along), near->normal));
    near->gap = fabs(along) - a->radius - b->radius;
  }
  return true;
}

// The best end on either side, low and high along the axis of A: best[0], best[1]; which of them there are. `any` takes
// ends that do not count, too.
static void choose_ends(const ss_placed* a, const ss_placed* b, const ends* e, bool any, ss_near best[2], bool found[2])
{
  int turned = ss_dot3(a->axis, b->axis) < 0;
  double tie = NEARER*(a->radius + b->radius);
  for (int which = 0; which < 2; which++)
    for (int end = 0; end < e->count[which]; end++) {
      if (!any && !counts(e, which, end)) continue;
      int side = which == 1 && turned ? 1 - end : end;
      ss_near near = end_contact(a, b, e, which, end);
      if (found[side] && !(near.gap < best[side].gap - tie)) continue;
      best[side] = near;
      found[side] = true;
    }
}

static bool same(const ss_near* p, const ss_near* q, double size)
{
  return ss_norm(ss_sub(p->core_a, q->core_a)) < size && ss_norm(ss_sub(p->core_b, q->core_b)) < size;
}

int ss_touch_capsule_capsule(const ss_placed* a, const ss_placed* b, double margin, ss_near* near)
{
  ss_vec3 m = ss_cross(a->axis, b->axis);
  double sine2 = ss_dot3(m, m), size = SAME*(a->radius + b->radius);
  ss_near cross, best[2];
  bool crossed = crossing(a, b, m, sine2, &cross), found[2] = {false, false};
  int n = 0;
  if (crossed) {
    if (!(cross.gap < margin)) return 0;  // no other point is nearer
    near[n++] = cross;
    if (sine2 > CROSSED) return n;
  }
  ends e;
  project_ends(a, b, 0, &e);
  project_ends(b, a, 1, &e);
  choose_ends(a, b, &e, false, best, found);
  if (!crossed && !found[0] && !found[1]) choose_ends(a, b, &e, true, best, found);  // round-off at a border
  for (int i = 0; i < 2; i++)
    if (found[i] && crossed && same(best + i, &cross, size)) found[i] = false;
  if (found[0] && found[1] && (sine2 > CROSSED || same(best, best + 1, size)))
    found[best[1].gap < best[0].gap - NEARER*(a->radius + b->radius) ? 0 : 1] = false;
  int first = found[0] && found[1] && best[1].feature < best[0].feature;
  for (int i = 0; i < 2; i++) {
    int k = i ? 1 - first : first;
    if (found[k] && best[k].gap < margin) near[n++] = best[k];
  }
  return n;
}
