// How a contact changes while its bodies move: exact rates of normal, frame and contact point, and the part of the
// relative acceleration that they cause. Each surface is a plane, or the points at distance r from a core (a point, or
// an axis along which the core point slides); or it has a curvature, which the contact tells. Derived in
// docs/collision.md.
#include "collide/shape.h"

typedef struct mover {
  ss_vec3 w, v, at;  // angular velocity; velocity of the material point at `at`
} mover;

static ss_vec3 velocity_at(const mover* m, ss_vec3 x) { return ss_add(m->v, ss_cross(m->w, ss_sub(x, m->at))); }

static ss_vec3 across(ss_vec3 n, ss_vec3 a) { return ss_sub(a, ss_scale(ss_dot3(n, a), n)); }

// The velocities of two core points. Sliding ones stay where d = q_B - q_A is stationary, a.d = 0, b.d = 0:
//   s' - (a.b) t' = a'.d + a.w,   (a.b) s' - t' = b'.d + b.w,   w = v_B(q_B) - v_A(q_A)
static void slide(const ss_touch* c, const mover* A, const mover* B, ss_vec3 d, ss_vec3* dq_a, ss_vec3* dq_b)
{
  bool free_a = c->side_a == SS_SIDE_LINE, free_b = c->side_b == SS_SIDE_LINE;
  ss_vec3 a = ss_vec3_from(c->axis_a), b = ss_vec3_from(c->axis_b), w = ss_sub(*dq_b, *dq_a);
  double f = free_a ? ss_dot3(ss_cross(A->w, a), d) + ss_dot3(a, w) : 0;
  double g = free_b ? ss_dot3(ss_cross(B->w, b), d) + ss_dot3(b, w) : 0;
  double s = f, t = -g;
  if (free_a && free_b) {
    ss_vec3 m = ss_cross(a, b);
    double cosine = ss_dot3(a, b), sine2 = ss_dot3(m, m);  // > 0: parallel axes touch at their ends
    s = sine2 > 0 ? (f - cosine*g)/sine2 : 0;
    t = sine2 > 0 ? (cosine*f - g)/sine2 : 0;
  }
  if (free_a) *dq_a = ss_add(*dq_a, ss_scale(s, a));
  if (free_b) *dq_b = ss_add(*dq_b, ss_scale(t, b));
}

// N' of two crossing axes: N = +-(a x b)/|a x b|, which does not care how near they are
static ss_vec3 crossing_rate(const ss_touch* c, const mover* A, const mover* B, ss_vec3 n)
{
  ss_vec3 a = ss_vec3_from(c->axis_a), b = ss_vec3_from(c->axis_b), m = ss_cross(a, b);
  ss_vec3 dm = ss_add(ss_cross(ss_cross(A->w, a), b), ss_cross(a, ss_cross(B->w, b)));
  double length = ss_norm(m);
  if (!(length > 0)) return (ss_vec3){0, 0, 0};
  return ss_scale((ss_dot3(m, n) < 0 ? -1 : 1)/length, across(n, dm));
}

// N' and the velocities of the points on both surfaces
static void surface_rates(const ss_touch* c, const mover* A, const mover* B, ss_vec3 n, ss_vec3* dn, ss_vec3* dp_a,
                          ss_vec3* dp_b)
{
  ss_vec3 q_a = ss_sub(ss_vec3_from(c->point_a), ss_scale(c->radius_a, n));
  ss_vec3 q_b = ss_add(ss_vec3_from(c->point_b), ss_scale(c->radius_b, n));
  double rate = ss_dot3(n, ss_sub(B->v, A->v));
  if (c->side_a == SS_SIDE_FACE) {
    *dn = ss_cross(A->w, n);
    *dp_b = ss_sub(velocity_at(B, q_b), ss_scale(c->radius_b, *dn));
    *dp_a = ss_sub(*dp_b, ss_add(ss_scale(rate, n), ss_scale(c->gap, *dn)));
  } else if (c->side_b == SS_SIDE_FACE) {
    *dn = ss_cross(B->w, n);
    *dp_a = ss_add(velocity_at(A, q_a), ss_scale(c->radius_a, *dn));
    *dp_b = ss_add(*dp_a, ss_add(ss_scale(rate, n), ss_scale(c->gap, *dn)));
  } else {
    ss_vec3 dq_a = velocity_at(A, q_a), dq_b = velocity_at(B, q_b);
    double distance = c->gap + c->radius_a + c->radius_b;
    slide(c, A, B, ss_scale(distance, n), &dq_a, &dq_b);
    if (c->side_a == SS_SIDE_LINE && c->side_b == SS_SIDE_LINE)
      *dn = crossing_rate(c, A, B, n);
    else  // no normal changes at a centre that is met exactly: it has none there
      *dn = distance > 0 ? ss_scale(1/distance, across(n, ss_sub(dq_b, dq_a))) : (ss_vec3){0, 0, 0};
    *dp_a = ss_add(dq_a, ss_scale(c->radius_a, *dn));
    *dp_b = ss_sub(dq_b, ss_scale(c->radius_b, *dn));
  }
}

// ---- surfaces of any curvature -------------------------------------------------------------------------------------

static bool is_bent(const ss_touch* c)
{
  for (int i = 0; i < 3; i++)
    if (c->bend_a[i] != 0 || c->bend_b[i] != 0) return true;
  return false;
}

// K x for x across n: the radius and the bend of a side
static ss_vec3 curve(const ss_touch* c, double radius, const double bend[3], ss_vec3 x)
{
  ss_vec3 t1 = ss_vec3_from(c->frame + 3), t2 = ss_vec3_from(c->frame + 6);
  double one = ss_dot3(t1, x), two = ss_dot3(t2, x);
  return ss_add(ss_scale((radius + bend[0])*one + bend[1]*two, t1),
                ss_scale(bend[1]*one + (radius + bend[2])*two, t2));
}

static ss_vec3 curve_both(const ss_touch* c, ss_vec3 x)
{
  ss_vec3 sum = ss_add(curve(c, c->radius_a, c->bend_a, x), curve(c, c->radius_b, c->bend_b, x));
  return ss_add(sum, ss_scale(c->gap, x));
}

// S x = y across n, S = K_A + K_B + gap
static ss_vec3 straighten(const ss_touch* c, ss_vec3 y)
{
  ss_vec3 t1 = ss_vec3_from(c->frame + 3), t2 = ss_vec3_from(c->frame + 6);
  ss_vec3 s1 = curve_both(c, t1), s2 = curve_both(c, t2);
  double a = ss_dot3(t1, s1), b = ss_dot3(t1, s2), d = ss_dot3(t2, s2), det = a*d - b*b;
  double one = ss_dot3(t1, y), two = ss_dot3(t2, y);
  if (det == 0) return (ss_vec3){0, 0, 0};
  return ss_add(ss_scale((d*one - b*two)/det, t1), ss_scale((a*two - b*one)/det, t2));
}

// N' where a side slides along a line u, so that it stays across that: u.N' = -u'.N. What is left is across both.
static ss_vec3 turn_about(const ss_touch* c, ss_vec3 n, ss_vec3 u, ss_vec3 w, ss_vec3 y)
{
  ss_vec3 m = ss_cross(n, u);
  double along = -ss_dot3(n, ss_cross(w, u)), stiff = ss_dot3(m, curve_both(c, m));
  double turn = stiff != 0 ? (ss_dot3(m, y) - along*ss_dot3(m, curve_both(c, u)))/stiff : 0;
  return ss_add(ss_scale(along, u), ss_scale(turn, m));
}

// A point with the outward normal m moves by p' = v(p) + K (m' - w x m), m = N of a and -N of b. With p_B - p_A = gap N
//   (K_A + K_B + gap) N' = v_B(p_B) - v_A(p_A) + (K_A w_A + K_B w_B) x N   across N
// beside what points slide along lines and faces.
static void bent_rates(const ss_touch* c, const mover* A, const mover* B, ss_vec3 n, ss_vec3* dn, ss_vec3* dp_a,
                       ss_vec3* dp_b)
{
  ss_vec3 v_a = velocity_at(A, ss_vec3_from(c->point_a)), v_b = velocity_at(B, ss_vec3_from(c->point_b));
  ss_vec3 turn_a = ss_cross(A->w, n), turn_b = ss_cross(B->w, n);
  ss_vec3 y = ss_add(ss_sub(v_b, v_a), ss_add(curve(c, c->radius_a, c->bend_a, turn_a),
                                              curve(c, c->radius_b, c->bend_b, turn_b)));
  y = across(n, y);
  if (c->side_a == SS_SIDE_FACE) *dn = turn_a;
  else if (c->side_b == SS_SIDE_FACE) *dn = turn_b;
  else if (c->side_a == SS_SIDE_LINE) *dn = turn_about(c, n, ss_vec3_from(c->axis_a), A->w, y);
  else if (c->side_b == SS_SIDE_LINE) *dn = turn_about(c, n, ss_vec3_from(c->axis_b), B->w, y);
  else *dn = straighten(c, y);
  double rate = ss_dot3(n, ss_sub(B->v, A->v));
  ss_vec3 apart = ss_add(ss_scale(rate, n), ss_scale(c->gap, *dn));
  *dp_a = ss_add(v_a, curve(c, c->radius_a, c->bend_a, ss_sub(*dn, turn_a)));
  *dp_b = ss_sub(v_b, curve(c, c->radius_b, c->bend_b, ss_sub(*dn, turn_b)));
  if (c->side_a != SS_SIDE_POINT) *dp_a = ss_sub(*dp_b, apart);
  else *dp_b = ss_add(*dp_a, apart);
}

// gamma = F (v_B - v_A) at the contact point c, which moves over both bodies:
//   gamma' = F (a_B - a_A) + F (w_B x (c' - v_B) - w_A x (c' - v_A)) + F' (v_B - v_A)
void ss_touch_rate(const ss_touch* touch, const ss_point_motion* a, const ss_point_motion* b, ss_touch_change* out)
{
  if (!touch || !a || !b || !out) return;
  ss_vec3 at = ss_vec3_from(touch->point), n = ss_vec3_from(touch->frame), dn, dp_a, dp_b;
  mover A = {ss_vec3_from(a->angular), ss_vec3_from(a->linear), at};
  mover B = {ss_vec3_from(b->angular), ss_vec3_from(b->linear), at};
  (is_bent(touch) ? bent_rates : surface_rates)(touch, &A, &B, n, &dn, &dp_a, &dp_b);
  ss_vec3 dc = ss_scale(0.5, ss_add(dp_a, dp_b)), w = ss_sub(B.v, A.v);
  ss_vec3 spin = touch->side_a == SS_SIDE_FACE   ? A.w
                 : touch->side_b == SS_SIDE_FACE ? B.w
                                                 : ss_frame_spin(n, dn);
  ss_vec3 bent = ss_sub(ss_cross(B.w, ss_sub(dc, B.v)), ss_cross(A.w, ss_sub(dc, A.v)));
  for (int i = 0; i < 3; i++) {
    ss_vec3 f = ss_vec3_from(touch->frame + 3*i);
    out->gamma[i] = ss_dot3(f, w);
    out->w_bar[i] = ss_dot3(f, bent) + ss_dot3(ss_cross(spin, f), w);
  }
  ss_vec3_to(dc, out->point);
  ss_vec3_to(dp_a, out->point_a);
  ss_vec3_to(dp_b, out->point_b);
  ss_vec3_to(dn, out->normal);
  ss_vec3_to(spin, out->spin);
}
