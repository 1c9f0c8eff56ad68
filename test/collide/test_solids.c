// Contacts of boxes and other solids: proofs of distance, least overlap, closed forms, points that stay, no passing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "collide/solids.h"

// In the nightly mode ten times as many
static int many(int n) { return getenv("STICKSLIP_LONG_TESTS") ? 10*n : n/LESS; }

static ss_shape_def box(double x, double y, double z)
{
  return (ss_shape_def){.kind = SS_SHAPE_BOX, .half = {x, y, z}};
}

static const ss_shape_def floor_shape = {.kind = SS_SHAPE_PLANE};
static const ss_pose home = {{0, 0, 0}, {1, 0, 0, 0}};

// A corner that is beside a face by a millionth of the shapes counts as over it
#define BESIDE 2e-6

// Gaps of cylinders and ellipsoids are found by iterations that stop somewhere here, and of those that have gone deep
// into others all that is asked for is a direction that is not much worse than the best
#define ROUND 1e-6
#define DEEP (-0.03)

static bool is_round(const solid* s)
{
  return s->shape.kind == SS_SHAPE_CYLINDER || s->shape.kind == SS_SHAPE_ELLIPSOID;
}

typedef struct tally { long apart, overlap, points; } tally;

// One of the contacts is the nearest or the deepest, and proves it; all have their points in both shapes
static void check_pair(const solid* a, const solid* b, tally* t)
{
  ss_touch touch[SS_TOUCH_MOST];
  int n = ss_shape_touch(&a->shape, &a->pose, &b->shape, &b->pose, 100, touch);
  assert_in_range(n, 1, SS_TOUCH_MOST);
  bool round = is_round(a) || is_round(b);
  double least = INFINITY, gap = NAN, slack = round ? ROUND : 1e-12;
  for (int i = 0; i < n; i++) {
    assert_sound(touch + i, 20, 1e-14);
    assert_true(i == 0 || touch[i].key > touch[i - 1].key);
    least = fmin(least, touch[i].gap);
    bool deep = round && touch[i].gap < DEEP;
    bool support = fabs(apart_along(a, b, touch[i].frame) - touch[i].gap) < (deep ? 0.01 : slack);
    double beside = !round ? BESIDE : deep ? INFINITY : 1e-3;
    bool within = outside(a, touch[i].point_a) < beside && outside(b, touch[i].point_b) < beside;
    if (support && within && !(touch[i].gap <= gap)) gap = touch[i].gap;
  }
  if (isnan(gap)) fail_msg("none of %d contacts (least gap %g) of kinds %d and %d is the nearest", n, least,
                           (int)a->shape.kind, (int)b->shape.kind);
  if (gap > 0) {
    t->apart++;
    assert_near(least, gap, slack);
  } else {
    t->overlap++;
    double best = apart_at_best(a, b, 30);
    if (gap < best - (round && gap < DEEP ? 0.5 : slack))
      fail_msg("overlap %.17g of kinds %d and %d; it is %.17g", gap, (int)a->shape.kind, (int)b->shape.kind, best);
  }
  t->points += n;
  assert_int_equal(ss_shape_touch(&a->shape, &a->pose, &b->shape, &b->pose, fmin(least, gap) - 10*slack, touch), 0);
}

static const ss_shape_kind pairs[][2] = {
  {SS_SHAPE_SPHERE, SS_SHAPE_BOX},
  {SS_SHAPE_CAPSULE, SS_SHAPE_BOX},
  {SS_SHAPE_BOX, SS_SHAPE_BOX},
  {SS_SHAPE_SPHERE, SS_SHAPE_MESH},
  {SS_SHAPE_CAPSULE, SS_SHAPE_MESH},
  {SS_SHAPE_BOX, SS_SHAPE_MESH},
  {SS_SHAPE_MESH, SS_SHAPE_MESH},
  {SS_SHAPE_SPHERE, SS_SHAPE_CYLINDER},
  {SS_SHAPE_CAPSULE, SS_SHAPE_CYLINDER},
  {SS_SHAPE_BOX, SS_SHAPE_CYLINDER},
  {SS_SHAPE_CYLINDER, SS_SHAPE_CYLINDER},
  {SS_SHAPE_CYLINDER, SS_SHAPE_MESH},
  {SS_SHAPE_SPHERE, SS_SHAPE_ELLIPSOID},
  {SS_SHAPE_CAPSULE, SS_SHAPE_ELLIPSOID},
  {SS_SHAPE_BOX, SS_SHAPE_ELLIPSOID},
  {SS_SHAPE_CYLINDER, SS_SHAPE_ELLIPSOID},
  {SS_SHAPE_ELLIPSOID, SS_SHAPE_ELLIPSOID},
  {SS_SHAPE_ELLIPSOID, SS_SHAPE_MESH},
};
#define PAIRS (int)(sizeof pairs/sizeof *pairs)
#define POLYHEDRA 7  // the first ones have faces, edges, corners and radii alone

static void test_proofs(void** state)
{
  (void)state;
  for (int p = 0; p < PAIRS; p++) {
    tally t = {0, 0, 0};
    seed_state = (uint64_t)(p + 11);
    bool slow = pairs[p][0] >= SS_SHAPE_CYLINDER || pairs[p][1] >= SS_SHAPE_CYLINDER;
    int n = many(p < POLYHEDRA ? slow ? 5000 : 100000 : 1000);
    for (int k = 0; k < n; k++) {
      ss_shape_def one = random_shape(pairs[p][0]), two = random_shape(pairs[p][1]);
      ss_pose pose_a = random_pose(1.2), pose_b = random_pose(1.2);
      solid a = solid_at(&one, &pose_a), b = solid_at(&two, &pose_b);
      check_pair(k%2 ? &a : &b, k%2 ? &b : &a, &t);
    }
    assert_true(t.apart > n/20 && t.overlap > n/20);
  }
}

// ---- both orders ---------------------------------------------------------------------------------------------------

// The same points, seen from the other side. Corners of both that lie on one another count once, as those of the second
// shape; random poses have none.
static void test_symmetry(void** state)
{
  (void)state;
  seed_state = 3;
  for (int k = 0; k < 20000/LESS; k++) {
    ss_shape_def a = random_shape(pairs[k%POLYHEDRA][0]), b = random_shape(pairs[k%POLYHEDRA][1]);
    ss_pose pose_a = random_pose(1.2), pose_b = random_pose(1.2);
    ss_touch t[SS_TOUCH_MOST], r[SS_TOUCH_MOST];
    int n = ss_shape_touch(&a, &pose_a, &b, &pose_b, 0.2, t);
    assert_int_equal(ss_shape_touch(&b, &pose_b, &a, &pose_a, 0.2, r), n);
    for (int i = 0; i < n; i++) {
      int best = 0;
      for (int j = 1; j < n; j++)
        if (distance(r[j].point_b, t[i].point_a) + distance(r[j].point_a, t[i].point_b) <
            distance(r[best].point_b, t[i].point_a) + distance(r[best].point_a, t[i].point_b))
          best = j;
      assert_near(r[best].gap, t[i].gap, 1e-11);
      assert_near(distance(r[best].point, t[i].point), 0, 1e-11);
      assert_near(dot(r[best].frame, t[i].frame), -1, 1e-11);
      assert_int_equal(r[best].side_a, t[i].side_b);
      assert_int_equal(r[best].side_b, t[i].side_a);
    }
  }
}

// ---- closed forms --------------------------------------------------------------------------------------------------

static bool has_point(int n, const ss_touch* t, double x, double y, double z, double gap)
{
  const double p[3] = {x, y, z};
  for (int i = 0; i < n; i++)
    if (distance(t[i].point, p) < 1e-12 && fabs(t[i].gap - gap) < 1e-15) return true;
  return false;
}

static void test_box_on_plane(void** state)
{
  (void)state;
  ss_touch t[SS_TOUCH_MOST];
  ss_shape_def b = box(1, 2, 3);
  ss_pose pose = {{5, 6, 3 + 1e-9}, {1, 0, 0, 0}};
  assert_int_equal(ss_shape_touch(&floor_shape, &home, &b, &pose, 1e-8, t), 4);  // it hovers
  for (int i = 0; i < 4; i++) {
    assert_near(t[i].gap, 1e-9, 1e-15);
    assert_near(t[i].point[0], i & 1 ? 6 : 4, 1e-15);
    assert_near(t[i].point[1], i & 2 ? 8 : 4, 1e-15);
    assert_int_equal(t[i].feature, i);
    assert_near(t[i].frame[3], 1, 0);
  }
  assert_int_equal(ss_shape_touch(&floor_shape, &home, &b, &pose, 1e-9, t), 0);
  pose.position[2] = -3;
  assert_int_equal(ss_shape_touch(&b, &pose, &floor_shape, &home, 0.5, t), 8);  // all of it is below
  assert_near(t[0].gap, -6, 1e-15);
  assert_near(t[0].frame[2], -1, 0);
  ss_pose edge = {{0, 0, 4}, {cos(0.3), sin(0.3), 0, 0}};  // on an edge
  assert_int_equal(ss_shape_touch(&floor_shape, &home, &b, &edge, 0.5, t), 2);
  assert_near(t[0].gap, 4 - 3*cos(0.6) - 2*sin(0.6), 1e-14);
}

// Cubes on one another: aligned, shifted, turned; apart, touching, a little one in another
static void test_cubes(void** state)
{
  (void)state;
  ss_touch t[SS_TOUCH_MOST];
  ss_shape_def b = box(0.5, 0.5, 0.5);
  const double gaps[] = {1e-9, 0, -1e-9, 0.01, -0.01};
  for (int k = 0; k < 5; k++) {
    double g = 1 + gaps[k] - 1, z = 0.5 + g/2;
    ss_pose above = {{0, 0, 1 + g}, {1, 0, 0, 0}};
    assert_int_equal(ss_shape_touch(&b, &home, &b, &above, 0.1, t), 4);
    for (int i = 0; i < 4; i++) assert_true(has_point(4, t, i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, z, t[i].gap));
    above.position[0] = 0.25;
    assert_int_equal(ss_shape_touch(&b, &home, &b, &above, 0.1, t), 4);
    for (int i = 0; i < 4; i++) assert_true(has_point(4, t, i & 1 ? 0.5 : -0.25, i & 2 ? 0.5 : -0.5, z, t[i].gap));
    above.position[1] = -0.5;
    assert_int_equal(ss_shape_touch(&b, &home, &b, &above, 0.1, t), 4);
    for (int i = 0; i < 4; i++) assert_true(has_point(4, t, i & 1 ? 0.5 : -0.25, i & 2 ? 0 : -0.5, z, t[i].gap));
    ss_pose turned = {{0, 0, 1 + g}, {cos(atan(1)/2), 0, 0, sin(atan(1)/2)}};  // by 45 degrees: an octagon
    assert_int_equal(ss_shape_touch(&b, &home, &b, &turned, 0.1, t), 8);
    double c = sqrt(0.5) - 0.5;
    for (int i = 0; i < 8; i++) {
      double x = i & 1 ? 0.5 : -0.5, y = i & 2 ? c : -c;
      assert_true(has_point(8, t, i & 4 ? x : y, i & 4 ? y : x, z, t[i].gap));
      assert_near(t[i].gap, g, 2e-16);
      assert_near(t[i].frame[2], 1, 1e-15);
    }
  }
  ss_shape_def big = box(2, 2, 0.5), small = box(0.1, 0.2, 0.5);
  ss_pose above = {{0.3, 0.4, 1}, {1, 0, 0, 0}};
  assert_int_equal(ss_shape_touch(&big, &home, &small, &above, 0.1, t), 4);
  for (int i = 0; i < 4; i++) assert_true(has_point(4, t, i & 1 ? 0.4 : 0.2, i & 2 ? 0.6 : 0.2, 0.5, 0));
  assert_int_equal(ss_shape_touch(&small, &above, &big, &home, 0.1, t), 4);
  for (int i = 0; i < 4; i++) assert_true(has_point(4, t, i & 1 ? 0.4 : 0.2, i & 2 ? 0.6 : 0.2, 0.5, 0));
}

// Solids that lie on one another, off flush and tilted by little: no contact is beside either, up to how deep it is
static void test_almost_flush(void** state)
{
  (void)state;
  static const double unit[] = {-1, -1, -1, 1, -1, -1, -1, 1, -1, 1, 1, -1, -1, -1, 1, 1, -1, 1, -1, 1, 1, 1, 1, 1};
  ss_shape_def solids[3] = {box(1, 1, 1), {.kind = SS_SHAPE_CYLINDER, .radius = 1, .half_length = 1},
                            {.kind = SS_SHAPE_MESH, .n_vertex = 8, .vertex = unit}};
  ss_touch t[SS_TOUCH_MOST];
  for (int i = 0; i < many(18000); i++) {
    const ss_shape_def *a = &solids[i%3], *b = &solids[i/3%3];
    double little = pow(10, -4 + uniform()), tilt = 0.1*little, about = pow(10, -4*(i%2));  // along one side, or not
    ss_pose above = {{0.01*uniform(), little*uniform(), 2 - tilt*fabs(uniform())},
                     {1, tilt*uniform(), about*tilt*uniform(), i%5 ? little*uniform() : uniform()}};
    solid low = solid_at(a, &home), high = solid_at(b, &above);
    int n = ss_shape_touch(a, &home, b, &above, 1e-3, t);
    assert_true(n > 0);
    for (int k = 0; k < n; k++) {
      assert_true(outside(&low, t[k].point) < fabs(t[k].gap) + 2*BESIDE);
      assert_true(outside(&high, t[k].point) < fabs(t[k].gap) + 2*BESIDE);
    }
  }
}

// A bar across another one (two edges cross), a box on its edge, on its corner
static void test_edges(void** state)
{
  (void)state;
  ss_touch t[SS_TOUCH_MOST];
  ss_shape_def bar = box(2, 0.5, 0.5), plate = box(5, 5, 0.5), b = box(0.5, 0.5, 0.5);
  double q = atan(1)/2, d = sqrt(2)*0.5;  // half of 45 degrees
  ss_pose low = {{0, 0, 0}, {cos(q), sin(q), 0, 0}};
  // turned by 45 degrees about x, then by 90 about z
  ss_pose high = {{0, 0, 2*d + 0.25}, {cos(q)*cos(2*q), sin(q)*cos(2*q), sin(q)*sin(2*q), cos(q)*sin(2*q)}};
  assert_int_equal(ss_shape_touch(&bar, &low, &bar, &high, 1, t), 1);
  assert_near(t->gap, 0.25, 1e-15);
  assert_near(t->frame[2], 1, 1e-15);
  assert_int_equal(t->side_a, SS_SIDE_LINE);
  assert_int_equal(t->side_b, SS_SIDE_LINE);
  ss_pose edge = {{1, 1, 0.5 + d}, {cos(q), sin(q), 0, 0}};
  assert_int_equal(ss_shape_touch(&plate, &home, &b, &edge, 0.1, t), 2);
  assert_near(fabs(t[0].point[0] - t[1].point[0]), 1, 1e-14);
  assert_near(t[0].gap, 0, 1e-15);
  double half = acos(1/sqrt(3))/2;  // the diagonal upright: turned about (-1, 1, 0) [of the corner (1, 1, 1)]
  ss_pose tip = {{1, 1, 0.5 + sqrt(0.75)}, {cos(half), -sin(half)/sqrt(2), sin(half)/sqrt(2), 0}};
  assert_int_equal(ss_shape_touch(&plate, &home, &b, &tip, 0.1, t), 1);
  assert_near(t[0].gap, 0, 1e-15);
  assert_near(t[0].point[0], 1, 1e-14);
}

// Logs on a table: lying, over its edge, along its edge
static void test_capsule_on_box(void** state)
{
  (void)state;
  ss_touch t[SS_TOUCH_MOST];
  ss_shape_def table = box(2, 1, 0.5), log = {.kind = SS_SHAPE_CAPSULE, .radius = 0.25, .half_length = 1};
  ss_pose lying = {{0.2, 0.3, 0.75}, {1, 0, 1, 0}}, over = {{1.5, 0, 0.75}, {1, 0, 1, 0}};
  assert_int_equal(ss_shape_touch(&table, &home, &log, &lying, 0.01, t), 2);
  assert_true(has_point(2, t, -0.8, 0.3, 0.5, t[0].gap) && has_point(2, t, 1.2, 0.3, 0.5, t[0].gap));
  assert_near(t[0].gap, 0, 1e-15);
  assert_int_equal(ss_shape_touch(&table, &home, &log, &over, 0.01, t), 2);
  assert_true(has_point(2, t, 0.5, 0, 0.5, t[0].gap) && has_point(2, t, 2, 0, 0.5, t[1].gap));
  double s = sqrt(0.5)*0.25;
  ss_pose along = {{0.2, 1 + s, 0.5 + s}, {1, 0, 1, 0}};  // 45 degrees beyond the edge
  assert_int_equal(ss_shape_touch(&table, &home, &log, &along, 0.01, t), 2);
  assert_true(has_point(2, t, -0.8, 1, 0.5, t[0].gap) && has_point(2, t, 1.2, 1, 0.5, t[1].gap));
}

// A beam: a capsule or cylinder over the upper face of a box, past two of its sides
typedef struct beam {
  double yaw, tilt;     // about z; by how much the axis rises along its way
  double x, y, height;  // where the middle of its way over the face is, height of the axis there over the face
  double far;           // how far it goes beyond the sides
} beam;

// The way of the axis over the face |x| <= a, |y| <= b: from t = -before to t = after
static void way_over(const beam* l, double a, double b, double* before, double* after)
{
  double c = cos(l->yaw), s = sin(l->yaw), tx = a/fabs(c), ty = b/fabs(s), ox = l->x/c, oy = l->y/s;
  *after = fmin(tx - ox, ty - oy);
  *before = fmin(tx + ox, ty + oy);
}

// Distance of the axis from the line of the side that it leaves the face over, t along its way: seen along that side
static double side_distance(const beam* l, double a, double b, double t)
{
  bool across_x = fabs(fabs(l->x + t*cos(l->yaw)) - a) < fabs(fabs(l->y + t*sin(l->yaw)) - b);
  double slope = tan(l->tilt)/(across_x ? cos(l->yaw) : sin(l->yaw));
  return (l->height + tan(l->tilt)*t)/sqrt(1 + slope*slope);
}

// Two contacts where the axis leaves the face, with the distances from its sides
static void check_beam(ss_shape_kind kind, const beam* l, bool corner)
{
  const double a = 0.5, b = 0.3, c = 0.2, r = 0.1;
  double before, after;
  way_over(l, a, b, &before, &after);
  double half = (0.5*(before + after) + l->far)/cos(l->tilt), mid = 0.5*(after - before);
  double steep = 0.25*3.141592653589793 - 0.5*l->tilt;  // z to x, but for the tilt; then the yaw
  double cy = cos(l->yaw/2), sy = sin(l->yaw/2);
  ss_pose pose = {{l->x + mid*cos(l->yaw), l->y + mid*sin(l->yaw), c + l->height + mid*tan(l->tilt)},
                  {cy*cos(steep), -sy*sin(steep), cy*sin(steep), sy*cos(steep)}};
  ss_shape_def log = {.kind = kind, .radius = r, .half_length = half}, table = box(a, b, c);
  ss_touch t[SS_TOUCH_MOST];
  int n = ss_shape_touch(&table, &home, &log, &pose, 0.02, t), found[2] = {0, 0};
  for (int end = 0; end < 2; end++) {
    double way = end ? after : -before, gap = side_distance(l, a, b, way) - r, most = 5e-15;
    if (corner) most += l->tilt*l->tilt;  // of the two sides that meet there
    for (int i = 0; i < n; i++) {
      bool there = hypot(t[i].point_a[0] - l->x - way*cos(l->yaw), t[i].point_a[1] - l->y - way*sin(l->yaw)) < 1e-3;
      if (there && fabs(t[i].gap - gap) <= most) found[end]++;
    }
    if (!found[end])
      fail_msg("kind %d, yaw %g, tilt %g, %g beyond: %d contacts, none with the gap %g (first: %g)", kind, l->yaw,
               l->tilt, l->far, n, gap, n ? t[0].gap : NAN);
  }
  if (l->far > 0.15 && !corner) assert_int_equal(n, 2);
}

// Level or almost so, at any angle, over corners, flush with a side: the ends far beyond the box or near it
static void test_beam_across_box(void** state)
{
  (void)state;
  const double yaw[] = {1e-9, 1e-4, 0.02, 0.3, 0.5404195002705842, 0.8, 1.2, 1.5, 1.5707963267948966, 2.2, 3, -0.7};
  const double tilt[] = {0, 1e-16, 1e-12, 1e-11, 1e-9, 1e-6, 1e-3, -1e-12, -1e-3}, far[] = {0.01, 0.05, 0.2, 1, 10};
  const double height[] = {0.1, 0.1 + 1e-12, 0.1 - 1e-9, 0.105, 0.08}, at[][2] = {{0, 0}, {0.1, -0.05}};
  for (int k = 0; k < 12*9*5*5*2; k++) {
    beam l = {yaw[k%12], tilt[k/12%9], at[k/2700][0], at[k/2700][1], height[k/108%5], far[k/540%5]};
    bool corner = k%12 == 4 && k < 2700;  // the diagonal
    check_beam(SS_SHAPE_CAPSULE, &l, corner);
    check_beam(SS_SHAPE_CYLINDER, &l, corner);
  }
  ss_touch t[SS_TOUCH_MOST];
  ss_shape_def log = {.kind = SS_SHAPE_CAPSULE, .radius = 0.1, .half_length = 2}, table = box(0.5, 0.3, 0.2);
  for (int k = 0; k < 5; k++) {  // along a side
    ss_pose flush = {{0, 0.3 + 1e-9*(k - 2), 0.3}, {1, 0, 1, 0}};
    assert_int_equal(ss_shape_touch(&table, &home, &log, &flush, 0.02, t), 2);
    assert_near(t[0].point[0] + t[1].point[0], 0, 1e-15);
    for (int i = 0; i < 2; i++) {
      assert_near(fabs(t[i].point[0]), 0.5, 1e-15);
      assert_near(t[i].point[1], 0.3, 3e-9);
      assert_near(t[i].gap, 0, 1e-15);
    }
  }
}

// ---- meshes, cylinders, ellipsoids ---------------------------------------------------------------------------------

static const double cube_vertex[24] = {-.5, -.5, -.5, .5, -.5, -.5, -.5, .5, -.5, .5, .5, -.5,
                                       -.5, -.5, .5,  .5, -.5, .5,  -.5, .5, .5,  .5, .5, .5};

// A cube as a mesh is a cube: the same points and gaps
static void test_mesh_cube(void** state)
{
  (void)state;
  ss_shape_def mesh = {.kind = SS_SHAPE_MESH, .n_vertex = 8, .vertex = cube_vertex}, b = box(0.5, 0.5, 0.5);
  const double shift[][3] = {{0, 0, 0}, {0.25, 0, 0}, {0.3, 0.2, 0}, {0, 0, 0.7853981633974483}, {0, 0, 0.3}};
  const double gaps[] = {1e-9, 0, -1e-9, 0.01, -0.01};
  for (int s = 0; s < 5; s++)
    for (int g = 0; g < 5; g++)
      for (int kind = 0; kind < 3; kind++) {
        ss_touch t[SS_TOUCH_MOST], r[SS_TOUCH_MOST];
        double half = shift[s][2]/2;
        ss_pose two = {{shift[s][0], shift[s][1], 1 + gaps[g]}, {cos(half), 0, 0, sin(half)}};
        int n = ss_shape_touch(&b, &home, &b, &two, 0.1, r);
        assert_int_equal(ss_shape_touch(kind == 0 ? &b : &mesh, &home, kind == 1 ? &b : &mesh, &two, 0.1, t), n);
        for (int i = 0; i < n; i++) {
          const double* x = t[i].point;
          assert_true(has_point(n, r, x[0], x[1], x[2], t[i].gap));
          assert_near(t[i].frame[2], 1, 1e-12);
        }
      }
  ss_touch t[SS_TOUCH_MOST];
  ss_pose on = {{0, 0, 0.5}, {1, 0, 0, 0}};
  assert_int_equal(ss_shape_touch(&floor_shape, &home, &mesh, &on, 0.1, t), 4);
  assert_near(t[0].gap, 0, 0);
}

static void test_mesh_hull(void** state)
{
  (void)state;
  ss_touch t[SS_TOUCH_MOST];
  double dented[27];
  memcpy(dented, cube_vertex, sizeof cube_vertex);
  dented[24] = dented[25] = dented[26] = 0.1;
  ss_shape_def mesh = {.kind = SS_SHAPE_MESH, .n_vertex = 8, .vertex = cube_vertex};
  assert_true(ss_shape_is_convex(&mesh));
  mesh.n_vertex = 9, mesh.vertex = dented;
  assert_false(ss_shape_is_convex(&mesh));
  ss_pose on = {{0, 0, 0.5}, {1, 0, 0, 0}};
  assert_int_equal(ss_shape_touch(&floor_shape, &home, &mesh, &on, 0.1, t), 4);
  dented[26] = 0.5;  // on a face
  assert_true(ss_shape_is_convex(&mesh));
  double flat[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
  mesh.n_vertex = 4, mesh.vertex = flat;
  assert_false(ss_shape_is_convex(&mesh));
  assert_int_equal(ss_shape_touch(&floor_shape, &home, &mesh, &on, 0.1, t), -1);
  ss_geom_def geom = ss_geom_def_default();
  geom.name = "slab";
  geom.shape = mesh;
  ss_collider_def def = {.n_geom = 1, .geom = &geom};
  ss_error error = {0};
  assert_null(ss_collider_create(&def, &error));
  assert_non_null(strstr(error.text, "geom 'slab': the 4 vertices of the mesh have no convex hull"));
  flat[11] = NAN;
  assert_null(ss_collider_create(&def, &error));
  assert_non_null(strstr(error.text, "vertex 3 of the mesh is not finite"));
  geom.shape.n_vertex = 3;
  assert_null(ss_collider_create(&def, &error));
  assert_non_null(strstr(error.text, "3 vertices of a mesh"));
}

// A corner of a box comes over the rim of a cylinder, whose end is almost along it: where points of the rim are is not
// left to round-off of the normal, which leans by 6e-6
static void test_rim_under_a_corner(void** state)
{
  (void)state;
  ss_shape_def c = {.kind = SS_SHAPE_CYLINDER, .radius = 0.1, .half_length = 0.1}, b = box(0.1, 0.1, 0.1);
  const ss_pose low = {{-0.021330641682927892, 0.03584890342009271, 0.13041721252407798},
                        {0.27557192353139165, 0.05671490470491561, -0.184409198614459, 0.9417201187252477}};
  const ss_pose high = {{0.0038127377470463207, -0.0026783695310843617, 0.33162469174101056},
                        {0.10764279594579325, -0.5377238114409083, 0.8197158227232116, 0.165324230128688}};
  ss_touch t[SS_TOUCH_MOST], r[SS_TOUCH_MOST];
  int n = ss_shape_touch(&c, &low, &b, &high, 5e-4, t);
  assert_true(n > 2);
  for (int k = 0; k < 40; k++) {
    ss_pose moved = high;
    for (int i = 0; i < 3; i++) moved.position[i] += 1e-13*sin(k + i);
    assert_int_equal(ss_shape_touch(&c, &low, &b, &moved, 5e-4, r), n);
    for (int i = 0; i < n; i++) {
      assert_true(r[i].key == t[i].key);
      assert_near(r[i].gap, t[i].gap, 1e-10);
    }
  }
}

static void test_cylinder(void** state)
{
  (void)state;
  ss_touch t[SS_TOUCH_MOST];
  ss_shape_def c = {.kind = SS_SHAPE_CYLINDER, .radius = 0.5, .half_length = 1}, table = box(3, 3, 0.5);
  ss_pose standing = {{1, 2, 1.25}, {1, 0, 0, 0}}, lying = {{1, 2, 0.75}, {1, 0, 1, 0}};
  ss_pose on_table = {{0.5, 0, 1.5}, {0}};
  assert_int_equal(ss_shape_touch(&floor_shape, &home, &c, &standing, 0.3, t), 4);
  for (int i = 0; i < 4; i++) {
    assert_near(t[i].gap, 0.25, 1e-15);
    assert_near(hypot(t[i].point[0] - 1, t[i].point[1] - 2), 0.5, 1e-15);
  }
  assert_int_equal(ss_shape_touch(&floor_shape, &home, &c, &lying, 0.3, t), 2);
  assert_true(has_point(2, t, 0, 2, 0.125, t[0].gap) && has_point(2, t, 2, 2, 0.125, t[1].gap));
  double angle = 0.3, low = 1.5 - cos(angle) - 0.5*sin(angle);
  ss_pose tilted = {{1, 2, 1.5}, {cos(angle/2), 0, sin(angle/2), 0}};
  assert_int_equal(ss_shape_touch(&floor_shape, &home, &c, &tilted, low + 0.01, t), 1);
  assert_near(t[0].gap, low, 1e-15);
  assert_near(t[0].point_b[0], 1 - sin(angle) + 0.5*cos(angle), 1e-14);
  assert_int_equal(ss_shape_touch(&table, &home, &c, &on_table, 0.01, t), 8);  // an octagon
  for (int i = 0; i < 8; i++) {
    assert_near(t[i].gap, 0, 1e-14);
    assert_near(hypot(t[i].point[0] - 0.5, t[i].point[1]), 0.5, 1e-14);
    assert_near(t[i].frame[2], 1, 0);
  }
  ss_pose rolling = {{0.5, 0, 1}, {1, 0, 1, 0}};
  assert_int_equal(ss_shape_touch(&table, &home, &c, &rolling, 0.01, t), 2);
  assert_true(fabs(t[0].gap) < 1e-14 && fabs(t[1].gap) < 1e-14);
  assert_near(fabs(t[0].point[0] - t[1].point[0]), 2, 1e-14);
}

// Sides of cylinders and capsules that cross: gap = distance of the axes - both radii, and always the same feature. Up
// to 30 degrees there may be contacts at ends, too, with lower features and greater gaps.
static void test_crossed_sides(void** state)
{
  (void)state;
  seed_state = 44;
  for (int k = 0; k < 20000/LESS; k++) {
    ss_shape_def a = random_shape(SS_SHAPE_CYLINDER), b = random_shape(k%4 ? SS_SHAPE_CYLINDER : SS_SHAPE_CAPSULE);
    double angle = 1.5 + 1.4*uniform(), reach = a.radius + b.radius, gap = 0.01*uniform()*pow(10, 7*(uniform() - 1));
    a.half_length += 1;
    b.half_length += 1;
    double s = 0.7*a.half_length*uniform(), t = 0.7*b.half_length*uniform(), z = reach + gap;
    // a along z; b in the plane y = reach + gap, turned about y
    ss_pose one = home, two = {{t*sin(angle), z, s + t*cos(angle)}, {cos(angle/2), 0, sin(angle/2), 0}};
    ss_touch touch[SS_TOUCH_MOST];
    int n = ss_shape_touch(&a, &one, &b, &two, 0.1, touch);
    assert_in_range(n, 1, fabs(sin(angle)) > 0.5 ? 1 : 3);
    for (int i = 0; i < n - 1; i++) assert_true(touch[i].gap > gap);
    touch[0] = touch[n - 1];
    assert_near(touch->gap, gap, 2e-15*(reach + fabs(s) + fabs(t)));
    assert_near(touch->frame[1], 1, 1e-15);
    assert_near(touch->point[2], s, 1e-13);
    assert_int_equal(touch->side_a, SS_SIDE_LINE);
    static int feature[2] = {-1, -1};
    if (feature[k%4 != 0] < 0) feature[k%4 != 0] = touch->feature;
    assert_int_equal(touch->feature, feature[k%4 != 0]);
  }
}

// A ball as an ellipsoid; a tilted one on a floor: gap = z - |H n|
static void test_ellipsoid(void** state)
{
  (void)state;
  seed_state = 17;
  for (int k = 0; k < 2000/LESS; k++) {
    ss_touch t[SS_TOUCH_MOST], r[SS_TOUCH_MOST];
    double radius = 0.6 + 0.5*uniform();
    ss_shape_def ball = {.kind = SS_SHAPE_SPHERE, .radius = radius};
    ss_shape_def round = {.kind = SS_SHAPE_ELLIPSOID, .half = {radius, radius, radius}}, b = box(0.5, 0.6, 0.7);
    ss_pose pose = random_pose(2), other = random_pose(1);
    assert_int_equal(ss_shape_touch(&b, &other, &ball, &pose, 100, r), 1);
    int n = ss_shape_touch(&b, &other, &round, &pose, 100, t);
    assert_in_range(n, 1, 2);
    double off = fabs(t[0].gap - r->gap);
    if (n == 2) off = fmin(off, fabs(t[1].gap - r->gap));
    if (r->gap > DEEP) assert_near(off, 0, ROUND);
    ss_shape_def e = random_shape(SS_SHAPE_ELLIPSOID);
    solid s = solid_at(&e, &pose);
    const double down[3] = {0, 0, -1};
    assert_int_equal(ss_shape_touch(&floor_shape, &home, &e, &pose, 100, t), 1);
    assert_near(t->gap, pose.position[2] - reach_along(&s, down), 1e-14);
  }
}

// ---- points that stay ----------------------------------------------------------------------------------------------

// Round-off of poses does not change what is found: aligned, shifted and turned boxes, 1e-13 apart or into one another
static void test_no_flicker(void** state)
{
  (void)state;
  seed_state = 8;
  const double shift[][3] = {{0, 0, 0},       {0.25, 0, 0}, {0.3, 0.2, 0}, {0, 0, 0.7853981633974483},
                             {0, 0, 0.3}, {0.5, 0, 0}};
  ss_shape_def b = box(0.5, 0.5, 0.5);
  for (int s = 0; s < 6; s++) {
    uint64_t keys[SS_TOUCH_MOST] = {0};
    int count = -1;
    for (int k = 0; k < 2000/LESS; k++) {
      ss_touch t[SS_TOUCH_MOST];
      double half = shift[s][2]/2;
      ss_pose one = home, two = {{shift[s][0], shift[s][1], 1}, {cos(half), 0, 0, sin(half)}};
      for (int i = 0; i < 3; i++) one.position[i] += 1e-13*uniform(), two.position[i] += 1e-13*uniform();
      for (int i = 0; i < 4; i++) one.rotation[i] += 1e-13*uniform(), two.rotation[i] += 1e-13*uniform();
      int n = ss_shape_touch(&b, &one, &b, &two, 1e-9, t);
      if (count < 0) {
        count = n;
        for (int i = 0; i < n; i++) keys[i] = t[i].key;
      }
      assert_int_equal(n, count);
      for (int i = 0; i < n; i++) {
        assert_true(t[i].key == keys[i]);
        assert_near(t[i].frame[2], 1, 1e-12);
      }
    }
    assert_int_equal(count, s == 3 || s == 4 ? 8 : 4);
  }
}

// ---- nothing passes ------------------------------------------------------------------------------------------------

// A ball of 1 cm at 100 m/s, 1 mm plate, steps of 1 ms: whenever the way of a step goes through the plate, the contact
// is there and the step ends beyond its plane; if the way goes through the middle of the face, it is that of the face
static void test_bullet(void** state)
{
  (void)state;
  seed_state = 21;
  ss_geom_def geom[2] = {ss_geom_def_default(), ss_geom_def_default()};
  geom[0].shape = box(0.05, 0.05, 0.0005);
  geom[1].shape = (ss_shape_def){.kind = SS_SHAPE_SPHERE, .radius = 0.01};
  geom[1].body = 0;
  ss_collider_def def = {.n_geom = 2, .geom = geom, .n_body = 1};
  ss_collider* scene = ss_collider_create(&def, NULL);
  ss_collider_work* work = ss_collider_work_create(scene, NULL);
  int faces = 0, others = 0;
  for (int k = 0; k < 20000/LESS; k++) {
    double aim[3] = {0.05*uniform(), 0.05*uniform(), 0}, v[3], at = 0.5*(uniform() + 1);
    for (int i = 0; i < 3; i++) v[i] = uniform();
    double speed = norm(v);
    ss_twist twist = {{0}, {100*v[0]/speed, 100*v[1]/speed, 100*v[2]/speed}};
    ss_pose pose = {{0}, {1, 0, 0, 0}};
    for (int i = 0; i < 3; i++) pose.position[i] = aim[i] - 1e-3*at*twist.linear[i];
    double reach;
    const ss_touch* t;
    int n;
    ss_collider_reach(scene, &pose, &twist, 1e-3, &reach);
    assert_int_equal(ss_collider_find(work, &pose, 0, &reach, &t, &n), SS_OK);
    assert_int_equal(n, 1);
    if (t->gap < 0) continue;  // it was there before
    assert_true(t->gap + 1e-3*dot(t->frame, twist.linear) < 0);
    bool above = fabs(pose.position[0]) < 0.05 && fabs(pose.position[1]) < 0.05;
    if (!above) {
      others++;
      continue;
    }
    faces++;
    assert_near(fabs(t->frame[2]), 1, 0);
    assert_near(t->gap, fabs(pose.position[2]) - 0.0105, 1e-15);
  }
  assert_true(faces > 5000/LESS && others > 1000/LESS);
  ss_collider_work_destroy(work);
  ss_collider_destroy(scene);
}

// Cylinders that stand on one another anyhow turned have more corners in common than are kept: which ones are does not
// hang on how little they sway
static void test_no_flicker_of_cylinders(void** state)
{
  (void)state;
  seed_state = 9;
  ss_shape_def c = {.kind = SS_SHAPE_CYLINDER, .radius = 0.5, .half_length = 0.5};
  for (int s = 0; s < 40; s++) {
    uint64_t keys[SS_TOUCH_MOST] = {0};
    double x = 0.3*uniform(), y = 0.3*uniform(), half = 3*uniform();
    int count = -1;
    for (int k = 0; k < 200/LESS; k++) {
      ss_touch t[SS_TOUCH_MOST];
      ss_pose one = home, two = {{x, y, 1}, {cos(half), 0, 0, sin(half)}};
      for (int i = 0; i < 3; i++) two.position[i] += 1e-12*uniform();
      for (int i = 0; i < 4; i++) two.rotation[i] += 1e-12*uniform();
      int n = ss_shape_touch(&c, &one, &c, &two, 1e-9, t);
      if (count < 0) {
        count = n;
        for (int i = 0; i < n; i++) keys[i] = t[i].key;
      }
      assert_int_equal(n, count);
      for (int i = 0; i < n; i++) assert_true(t[i].key == keys[i]);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_proofs), cmocka_unit_test(test_symmetry), cmocka_unit_test(test_box_on_plane),
    cmocka_unit_test(test_cubes), cmocka_unit_test(test_almost_flush), cmocka_unit_test(test_edges),
    cmocka_unit_test(test_capsule_on_box), cmocka_unit_test(test_no_flicker), cmocka_unit_test(test_bullet),
    cmocka_unit_test(test_mesh_cube), cmocka_unit_test(test_beam_across_box), cmocka_unit_test(test_crossed_sides),
    cmocka_unit_test(test_no_flicker_of_cylinders), cmocka_unit_test(test_mesh_hull),
    cmocka_unit_test(test_rim_under_a_corner),
    cmocka_unit_test(test_cylinder), cmocka_unit_test(test_ellipsoid),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
