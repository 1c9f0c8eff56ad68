// Random configurations of all pairs of shapes, from 2 cm apart to 2 cm into one another (sizes are about 1 m):
// distances are proved by their own points and planes, overlaps are held against libccd, another program for the same
// question, and what meets a plane against a closed form. 27 kinds of pairs; 54 000 configurations in all (5400 under
// the sanitizers), or as many as the argument says, 10^6 in `make study`.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>
#include <ccd/ccd.h>
#include "collide/solids.h"

static const ss_shape_kind kinds[] = {SS_SHAPE_SPHERE,   SS_SHAPE_CAPSULE,   SS_SHAPE_BOX,
                                      SS_SHAPE_CYLINDER, SS_SHAPE_ELLIPSOID, SS_SHAPE_MESH};
#define KINDS 6
#define PAIRS (KINDS*(KINDS + 1)/2 + KINDS)  // of finite shapes, and each with a plane
#define NEAR 0.02     // m
#define EPA 1e-6      // tolerance that libccd is asked for, m
#define DEPTH 1e-5    // a polytope proves overlaps of cylinders and ellipsoids to 1e-6 of the size of both, < 4.6 m
#define ROUND 1e-12   // ... and their planes hold to round-off
#define BESIDE 1.5e-4 // where a surface of radius r < 1.1 m leaves its plane by twice that: sqrt(2 r 9.2e-9), m

// Half the least angle of a corner of a face: 45 degrees of boxes; of meshes at least that of three vertices
static double half_angle(const ss_shape_def* s)
{
  double most = sqrt(0.5);  // cosine
  int n = s->kind == SS_SHAPE_MESH ? s->n_vertex : 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < j; k++) {
        if (i == j || i == k) continue;
        double u[3], v[3];
        for (int c = 0; c < 3; c++) {
          u[c] = s->vertex[3*j + c] - s->vertex[3*i + c];
          v[c] = s->vertex[3*k + c] - s->vertex[3*i + c];
        }
        most = fmax(most, cos(0.5*acos(fmin(dot(u, v)/norm(u)/norm(v), 1))));
      }
  return acos(most);
}

static double size_of(const ss_shape_def* s)
{
  double size = s->radius + s->half_length;  // of spheres and capsules
  if (s->kind == SS_SHAPE_CYLINDER) size = hypot(s->radius, s->half_length);
  if (s->kind == SS_SHAPE_BOX) size = norm(s->half);
  if (s->kind == SS_SHAPE_ELLIPSOID) size = fmax(s->half[0], fmax(s->half[1], s->half[2]));
  for (int i = 0; s->kind == SS_SHAPE_MESH && i < s->n_vertex; i++) size = fmax(size, norm(s->vertex + 3*i));
  return size;
}

// What is beside a face by up to a millionth of the smaller shape counts as over it. Its gap is that over the face, and
// the distance hypot(gap, this) at most: beside two sides by so much each is so far from the corner between them.
static double beside_face(const ss_shape_def* a, const ss_shape_def* b)
{
  return 1e-6*fmin(size_of(a), size_of(b))/sin(fmin(half_angle(a), half_angle(b)));
}

// ---- shapes for libccd ---------------------------------------------------------------------------------------------

static void support_local(const ss_shape_def* s, const double d[3], double out[3])
{
  double n = norm(d), across = hypot(d[0], d[1]);
  const double* h = s->half;
  for (int i = 0; i < 3; i++) out[i] = s->radius*d[i]/n;
  switch (s->kind) {
  case SS_SHAPE_SPHERE: return;
  case SS_SHAPE_CAPSULE: out[2] += d[2] < 0 ? -s->half_length : s->half_length; return;
  case SS_SHAPE_BOX: for (int i = 0; i < 3; i++) out[i] = d[i] < 0 ? -h[i] : h[i]; return;
  case SS_SHAPE_CYLINDER:
    for (int i = 0; i < 2; i++) out[i] = across > 0 ? s->radius*d[i]/across : 0;
    out[2] = d[2] < 0 ? -s->half_length : s->half_length;
    return;
  case SS_SHAPE_ELLIPSOID: {
    const double e[3] = {h[0]*d[0], h[1]*d[1], h[2]*d[2]};
    for (int i = 0; i < 3; i++) out[i] = h[i]*e[i]/norm(e);
    return;
  }
  default:
    for (int i = 0, best = 0; i < s->n_vertex; i++) {
      if (dot(d, s->vertex + 3*i) > dot(d, s->vertex + 3*best)) best = i;
      memcpy(out, s->vertex + 3*best, sizeof(double[3]));
    }
  }
}

static void support(const void* object, const ccd_vec3_t* dir, ccd_vec3_t* out)
{
  const solid* s = object;
  double d[3], x[3], world[3];
  local_direction(s, dir->v, d);
  support_local(&s->shape, d, x);
  to_world(&s->pose, x, world);
  ccdVec3Set(out, world[0], world[1], world[2]);
}

// ---- one configuration ---------------------------------------------------------------------------------------------

typedef struct tally { long apart, overlap, points, worse, missed; double most, deepest; } tally;

static int least_of(int n, const ss_touch* t)
{
  int best = 0;
  for (int i = 1; i < n; i++)
    if (t[i].gap < t[best].gap) best = i;
  return best;
}

// Places b so that the shapes are `gap` apart along the normal of their nearest points; false if they are deep
static bool place(const solid* a, solid* b, double gap)
{
  ss_touch t[SS_TOUCH_MOST];
  for (int round = 0; round < 6; round++) {
    int n = ss_shape_touch(&a->shape, &a->pose, &b->shape, &b->pose, 100, t);
    if (n < 1) return false;
    const ss_touch* near = t + least_of(n, t);
    for (int i = 0; i < 3; i++) b->pose.position[i] += (gap - near->gap)*near->frame[i];
    *b = solid_at(&b->shape, &b->pose);
    if (round && fabs(near->gap - gap) < 1e-3*NEAR) return true;
  }
  return false;
}

static bool is_round(const solid* s)
{
  return s->shape.kind == SS_SHAPE_CYLINDER || s->shape.kind == SS_SHAPE_ELLIPSOID;
}

// The contact whose plane separates the shapes by its gap: the greatest, of equals the one that holds best. Others
// of a patch may be deeper.
static const ss_touch* decisive(const solid* a, const solid* b, int n, const ss_touch* t, double slack)
{
  const ss_touch* best = NULL;
  double least = INFINITY;
  for (int i = 0; i < n; i++) {
    double off = fabs(apart_along(a, b, t[i].frame) - t[i].gap), more = best ? t[i].gap - best->gap : INFINITY;
    if (!(off < slack && (more > slack || (more > -slack && off < least)))) continue;
    best = t + i;
    least = off;
  }
  return best;
}

#define SAY(t, text) fail_msg(text " kinds %d and %d, gap %.17g, N %.6g %.6g %.6g", (int)a->shape.kind, \
                              (int)b->shape.kind, (t)->gap, (t)->frame[0], (t)->frame[1], (t)->frame[2])

// Of shapes that are apart the points of the contact are points of theirs
static void prove(const solid* a, const solid* b, const ss_touch* t, tally* sum)
{
  sum->most = fmax(sum->most, fabs(apart_along(a, b, t->frame) - t->gap));
  double beside = is_round(a) || is_round(b) ? BESIDE : 2e-6;
  if (t->gap > 0 && (outside(a, t->point_a) > beside || outside(b, t->point_b) > beside))
    SAY(t, "a point is not on its shape:");
}

// A point that both shapes have in common; at a sharp corner, of the points of a contact, it may be the corner alone
static bool in_both(const solid* a, const solid* b, const double x[3])
{
  return outside(a, x) < 1e-12 && outside(b, x) < 1e-12;
}

// No direction in which the shapes overlap less is known to libccd
static void compare(const solid* a, const solid* b, const ss_touch* t, tally* sum)
{
  ccd_t ccd;
  ccd_vec3_t dir, pos;
  ccd_real_t depth;
  CCD_INIT(&ccd);
  ccd.support1 = ccd.support2 = support;
  ccd.max_iterations = 200;
  ccd.epa_tolerance = EPA;
  int found = ccdGJKPenetration(a, b, &ccd, &depth, &dir, &pos);
  if (found != 0) {  // then a point that both have in common must tell that it is wrong
    bool common = in_both(a, b, t->point) || in_both(a, b, t->point_a) || in_both(a, b, t->point_b);
    if (t->gap < -1e-4 && !common) SAY(t, "libccd finds no overlap:");
    sum->missed += t->gap < -1e-4;
    return;
  }
  if (t->gap > 1e-4) SAY(t, "libccd finds an overlap:");
  if (t->gap > 0) return;
  double own = -apart_along(a, b, dir.v);  // what its direction is worth, whatever it says of the depth
  if (-t->gap > own + DEPTH) SAY(t, "libccd knows a better direction:");
  sum->deepest = fmax(sum->deepest, -t->gap - own);
  sum->worse += own > -t->gap + 10*EPA;
}

static void check(const solid* a, const solid* b, tally* sum)
{
  ss_touch t[SS_TOUCH_MOST];
  int n = ss_shape_touch(&a->shape, &a->pose, &b->shape, &b->pose, 0.1, t);
  assert_in_range(n, 1, SS_TOUCH_MOST);
  double slack = is_round(a) || is_round(b) ? ROUND : 1e-9;
  const ss_touch* near = decisive(a, b, n, t, slack);
  if (!near) SAY(t, "no plane separates:");
  double nearest = hypot(t[least_of(n, t)].gap, beside_face(&a->shape, &b->shape));
  if (near->gap > 0 && nearest < near->gap - slack) SAY(near, "another contact is nearer:");
  sum->points += n;
  near->gap > 0 ? sum->apart++ : sum->overlap++;
  prove(a, b, near, sum);
  compare(a, b, near, sum);
}

static long configurations = 54000/LESS;

static long each(void) { return (configurations + PAIRS - 1)/PAIRS; }

// As many configurations of two kinds as there must be; few are too deep to be placed
static tally try_pair(ss_shape_kind one_kind, ss_shape_kind two_kind)
{
  tally sum = {0};
  for (long k = 0; sum.apart + sum.overlap < each() && k < 2*each(); k++) {
    ss_shape_def one = random_shape(one_kind), two = random_shape(two_kind);
    ss_pose pose_a = random_pose(1), pose_b = random_pose(1);
    for (int c = 0; c < 3; c++) pose_b.position[c] *= 3;
    solid a = solid_at(&one, &pose_a), b = solid_at(&two, &pose_b);
    if (!place(&a, &b, NEAR*uniform())) continue;
    check(k%2 ? &a : &b, k%2 ? &b : &a, &sum);
  }
  return sum;
}

static void test_pairs(void** state)
{
  (void)state;
  long all = 0;
  for (int i = 0; i < KINDS; i++)
    for (int j = i; j < KINDS; j++) {
      seed_state = (uint64_t)(1000*i + j + 1);
      tally sum = try_pair(kinds[i], kinds[j]);
      print_message("%-9s - %-9s %6ld apart %6ld overlap, planes to %.1e, overlap no worse than by %.1e; libccd is "
                    "worse %ld times, misses %ld\n", ss_shape_name(kinds[i]), ss_shape_name(kinds[j]), sum.apart,
                    sum.overlap, sum.most, sum.deepest, sum.worse, sum.missed);
      assert_true(sum.apart > each()/4 && sum.overlap > each()/4);
      assert_int_equal(sum.apart + sum.overlap, each());
      all += each();
    }
  print_message("%ld configurations\n", all);
}

// ---- planes --------------------------------------------------------------------------------------------------------

// gap = N.(c - o) - h(-N), whatever the shape; all points are in both
static double check_plane(const solid* floor, const solid* s)
{
  ss_touch t[SS_TOUCH_MOST];
  const double *up = floor->axis[2], down[3] = {-up[0], -up[1], -up[2]};
  const double d[3] = {s->at[0] - floor->at[0], s->at[1] - floor->at[1], s->at[2] - floor->at[2]};
  double gap = dot(up, d) - reach_along(s, down);
  int n = ss_shape_touch(&floor->shape, &floor->pose, &s->shape, &s->pose, 0.1, t);
  assert_in_range(n, 1, SS_TOUCH_MOST);
  for (int i = 0; i < n; i++) {
    const double x[3] = {t[i].point_a[0] - floor->at[0], t[i].point_a[1] - floor->at[1],
                         t[i].point_a[2] - floor->at[2]};
    assert_near(dot(up, x), 0, 1e-14);
    assert_near(distance(t[i].frame, up), 0, 1e-14);
    assert_true(outside(s, t[i].point_b) < 1e-14);
  }
  return fabs(t[least_of(n, t)].gap - gap);
}

static void test_planes(void** state)
{
  (void)state;
  const ss_shape_def plane = {.kind = SS_SHAPE_PLANE};
  for (int i = 0; i < KINDS; i++) {
    double most = 0;
    seed_state = (uint64_t)(7000 + i);
    for (long k = 0; k < each(); k++) {
      ss_shape_def shape = random_shape(kinds[i]);
      ss_pose pose = random_pose(1), below = random_pose(1);
      solid s = solid_at(&shape, &pose), floor = solid_at(&plane, &below);
      const double *up = floor.axis[2], down[3] = {-up[0], -up[1], -up[2]};
      double height = reach_along(&s, down) + NEAR*uniform();
      for (int c = 0; c < 3; c++) s.pose.position[c] = floor.at[c] + height*up[c];
      s = solid_at(&shape, &s.pose);
      most = fmax(most, check_plane(&floor, &s));
    }
    print_message("plane     - %-9s %6ld to %.1e\n", ss_shape_name(kinds[i]), each(), most);
    assert_true(most < 1e-14);
  }
}

int main(int argc, char** argv)
{
  if (argc > 1) configurations = atol(argv[1]);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_pairs), cmocka_unit_test(test_planes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
