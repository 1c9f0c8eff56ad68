// Contacts: nanoseconds per pair of shapes; finding the contacts of packed spheres that lie still, move slowly or fast,
// with the list of near pairs kept and with a tree in every step; where listing all pairs stops to pay. Processor time,
// the first decile of the repeats: what a busy machine does to the rest is not ours.
#include <stdio.h>
#include <stdlib.h>
#include "clock.h"
#include "collide/convex.h"
#include "collide/work.h"

#define REPEATS 21

static double first_decile(double* values, int n)
{
  qsort(values, (size_t)n, sizeof *values, ascending);
  return values[n/10];
}

// Uniform in 0 .. 1
static double uniform(void)
{
  static uint64_t state = 1;
  state = state*6364136223846793005ull + 1442695040888963407ull;
  return (double)(state >> 11)/(double)(1ull << 53);
}

// ---- pairs ---------------------------------------------------------------------------------------------------------

#define PAIRS 1000

static const double cube[24] = {-.5, -.5, -.5, .5, -.5, -.5, -.5, .5, -.5, .5, .5, -.5,
                                -.5, -.5, .5,  .5, -.5, .5,  -.5, .5, .5,  .5, .5, .5};

static ss_shape_def shape_of(ss_shape_kind kind)
{
  ss_shape_def shape = {.kind = kind, .radius = 0.5, .half_length = 1, .half = {0.5, 0.5, 0.5}, .n_vertex = 8};
  shape.vertex = cube;
  if (ss_shape_prepare(&shape, "bench", NULL) < 0) exit(1);
  return shape;
}

// One on top of the other, 1e-6 into it
static void bench_rest(ss_shape_kind kind_a, ss_shape_kind kind_b, double height)
{
  ss_shape_def shape_a = shape_of(kind_a), shape_b = shape_of(kind_b);
  ss_placed a = ss_shape_place(&shape_a, (ss_vec3){0, 0, 0}, (ss_quat){1, 0, 0, 0});
  ss_placed b = ss_shape_place(&shape_b, (ss_vec3){0.1, 0.2, height - 1e-6}, (ss_quat){1, 0, 0, 0});
  ss_touch touch[SS_TOUCH_MOST];
  double time[REPEATS];
  int n = 0;
  for (int r = 0; r < REPEATS; r++) {
    double start = cpu_seconds();
    for (int k = 0; k < 2000; k++) n = ss_touch_placed(kind_a, &a, kind_b, &b, 1e-3, touch);
    time[r] = (cpu_seconds() - start)/2000;
  }
  printf("%-9s on %-9s %7.1f ns   %d contacts\n", ss_shape_name(kind_b), ss_shape_name(kind_a),
         1e9*first_decile(time, REPEATS), n);
}

static void bench_pair(ss_shape_kind kind_a, ss_shape_kind kind_b)
{
  static ss_placed a[PAIRS], b[PAIRS];
  ss_touch touch[SS_TOUCH_MOST];
  double time[REPEATS];
  long found = 0;
  ss_shape_def shape_a = shape_of(kind_a), shape_b = shape_of(kind_b);
  for (int k = 0; k < PAIRS; k++) {
    double x[14];
    for (int i = 0; i < 14; i++) x[i] = 2*uniform() - 1;
    a[k] = ss_shape_place(&shape_a, ss_vec3_from(x), ss_quat_normalized(ss_quat_from(x + 3)));
    b[k] = ss_shape_place(&shape_b, ss_vec3_from(x + 7), ss_quat_normalized(ss_quat_from(x + 10)));
  }
  for (int r = 0; r < REPEATS; r++) {
    double start = cpu_seconds();
    for (int repeat = 0; repeat < 20; repeat++)
      for (int k = 0; k < PAIRS; k++) found += ss_touch_placed(kind_a, a + k, kind_b, b + k, 0.1, touch);
    time[r] = (cpu_seconds() - start)/(20*PAIRS);
  }
  printf("%-8s %-8s  %6.1f ns   %.2f contacts\n", ss_shape_name(kind_a), ss_shape_name(kind_b),
         1e9*first_decile(time, REPEATS), (double)found/(20.0*PAIRS*REPEATS));
}

// 1 mm into one another, anyhow turned. Ellipsoids of 0.3 to 0.5 m.
static void bench_overlap(ss_shape_kind kind_a, ss_shape_kind kind_b)
{
  static ss_placed a[PAIRS], b[PAIRS];
  ss_touch touch[SS_TOUCH_MOST];
  double time[REPEATS], length;
  long found = 0;
  ss_shape_def shape_a = shape_of(kind_a), shape_b = shape_of(kind_b);
  for (int i = 0; i < 3; i++) {
    if (kind_a == SS_SHAPE_ELLIPSOID) shape_a.half[i] = 0.3 + 0.1*i;
    if (kind_b == SS_SHAPE_ELLIPSOID) shape_b.half[i] = 0.3 + 0.1*i;
  }
  for (int k = 0; k < PAIRS; k++) {
    double x[11];
    int corner;
    for (int i = 0; i < 11; i++) x[i] = 2*uniform() - 1;
    ss_vec3 n = ss_direction(ss_vec3_from(x), &length), o = {0, 0, 0};
    a[k] = ss_shape_place(&shape_a, o, ss_quat_normalized(ss_quat_from(x + 3)));
    b[k] = ss_shape_place(&shape_b, o, ss_quat_normalized(ss_quat_from(x + 7)));
    ss_vec3 touching = ss_sub(ss_support(a + k, n, &corner), ss_support(b + k, ss_scale(-1, n), &corner));
    b[k].center = ss_add(touching, ss_scale(a[k].radius + b[k].radius - 1e-3, n));
  }
  for (int r = 0; r < REPEATS; r++) {
    double start = cpu_seconds();
    for (int k = 0; k < PAIRS; k++) found += ss_touch_placed(kind_a, a + k, kind_b, b + k, 0.1, touch);
    time[r] = (cpu_seconds() - start)/PAIRS;
  }
  printf("%-9s into %-9s %7.0f ns   %.2f contacts\n", ss_shape_name(kind_b), ss_shape_name(kind_a),
         1e9*first_decile(time, REPEATS), (double)found/((double)PAIRS*REPEATS));
}

static void bench_rate(void)
{
  ss_shape_def shape = {.kind = SS_SHAPE_CAPSULE, .radius = 0.5, .half_length = 1};
  ss_pose one = {{0}, {1, 0, 0, 0}}, two = {{0, 0, 0.9}, {1, 0.3, 0.9, 0}};
  ss_touch touch[SS_TOUCH_MOST];
  ss_touch_change change;
  ss_point_motion a = {{1, 2, 3}, {1, 2, 3}}, b = {{3, 2, 1}, {2, 1, 3}};
  double time[REPEATS], sum = 0;
  if (ss_shape_touch(&shape, &one, &shape, &two, 1, touch) < 1) return;
  for (int r = 0; r < REPEATS; r++) {
    double start = cpu_seconds();
    for (int k = 0; k < 20000; k++) {
      a.linear[0] = k;
      ss_touch_rate(touch, &a, &b, &change);
      sum += change.w_bar[0];
    }
    time[r] = (cpu_seconds() - start)/20000;
  }
  printf("rates of a contact %6.1f ns%s\n", 1e9*first_decile(time, REPEATS), sum == 0 ? " " : "");
}

// ---- scenes --------------------------------------------------------------------------------------------------------

typedef struct pile {
  int n;
  ss_pose *rest, *pose;
  ss_collider* scene;
  ss_collider_work* work;
} pile;

// n spheres of 1 m on a cubic lattice, 2 % apart, and a floor
static pile make(int n)
{
  pile p = {.n = n};
  p.rest = calloc((size_t)n, sizeof *p.rest);
  p.pose = calloc((size_t)n, sizeof *p.pose);
  ss_geom_def* geom = calloc((size_t)n + 1, sizeof *geom);
  int edge = 1;
  while (edge*edge*edge < n) edge++;
  for (int i = 0; i < n; i++) {
    const int at[3] = {i%edge, i/edge%edge, i/edge/edge};
    for (int k = 0; k < 3; k++) p.rest[i].position[k] = 1.02*at[k] + 0.02*(uniform() - 0.5) + 0.5*(k == 2);
    geom[i] = ss_geom_def_default();
    geom[i].shape = (ss_shape_def){.kind = SS_SHAPE_SPHERE, .radius = 0.5};
    geom[i].body = i;
  }
  geom[n] = ss_geom_def_default();
  ss_collider_def def = {.n_geom = n + 1, .geom = geom, .n_body = n};
  p.scene = ss_collider_create(&def, NULL);
  p.work = p.scene ? ss_collider_work_create(p.scene, NULL) : NULL;
  free(geom);
  if (!p.work) exit(1);
  return p;
}

static void destroy(pile* p)
{
  ss_collider_work_destroy(p->work);
  ss_collider_destroy(p->scene);
  free(p->rest);
  free(p->pose);
}

// Everything swings about its place, with up to `speed` m per step
static void move(pile* p, int step, double speed)
{
  for (int i = 0; i < p->n; i++)
    for (int k = 0; k < 3; k++)
      p->pose[i].position[k] = p->rest[i].position[k] + speed/0.06*sin(0.06*step + 1.7*i + k)/1.73;
}

// Mean seconds per call over 60 steps, of which those that make the list anew are the dear ones; first decile of runs
static double measure(pile* p, double speed, bool keep, ss_collider_counts* info)
{
  int runs = p->n > 3000 ? 5 : 21, steps = 60;
  double time[REPEATS];
  const ss_touch* touch;
  int n;
  for (int r = 0; r < runs; r++) {
    double total = 0;
    for (int step = 0; step < steps; step++) {
      move(p, step + r*steps, speed);
      if (!keep) p->work->last_renewal = -1;
      double start = cpu_seconds();
      if (ss_collider_find(p->work, p->pose, 0.01, NULL, &touch, &n) != SS_OK) exit(1);
      total += cpu_seconds() - start;
    }
    time[r] = total/steps;
  }
  *info = ss_collider_info(p->work);
  return first_decile(time, runs);
}

static void bench_pile(int n)
{
  const double speed[] = {0, 0.001, 0.01, 0.1};
  for (int k = 0; k < 4; k++) {
    pile p = make(n), q = make(n);
    ss_collider_counts info, none;
    p.work->info.all_pairs = q.work->info.all_pairs = false;
    double kept = measure(&p, speed[k], true, &info), anew = measure(&q, speed[k], false, &none);
    printf("%6d spheres, %5.3f m per step: %8.1f us, list made in %3.0f %% of the steps, %6d listed, %6d tested, %6d "
           "contacts; tree in every step %8.1f us\n", n, speed[k], 1e6*kept,
           100.0*(double)info.renewals/(double)info.calls, info.listed, info.tested, info.touches, 1e6*anew);
    destroy(&p);
    destroy(&q);
  }
}

// Both ways for few spheres: all pairs listed, or the list of near pairs
static void bench_few(int n)
{
  pile p = make(n), q = make(n);
  ss_collider_counts info;
  q.work->info.all_pairs = false;
  p.work->info.all_pairs = ss_list_all_pairs(p.work, (size_t)n*(size_t)n);
  double all = measure(&p, 0.01, true, &info), near = measure(&q, 0.01, true, &info);
  printf("%4d spheres, %6d pairs: all pairs %7.2f us, near pairs %7.2f us\n", n, n*(n - 1)/2, 1e6*all, 1e6*near);
  destroy(&p);
  destroy(&q);
}

int main(void)
{
  bench_pair(SS_SHAPE_PLANE, SS_SHAPE_SPHERE);
  bench_pair(SS_SHAPE_PLANE, SS_SHAPE_CAPSULE);
  bench_pair(SS_SHAPE_SPHERE, SS_SHAPE_SPHERE);
  bench_pair(SS_SHAPE_SPHERE, SS_SHAPE_CAPSULE);
  bench_pair(SS_SHAPE_CAPSULE, SS_SHAPE_CAPSULE);
  for (int k = SS_SHAPE_PLANE; k <= SS_SHAPE_BOX; k++) bench_pair((ss_shape_kind)k, SS_SHAPE_BOX);
  bench_pair(SS_SHAPE_BOX, SS_SHAPE_MESH);
  bench_pair(SS_SHAPE_MESH, SS_SHAPE_MESH);
  for (int k = SS_SHAPE_BOX; k <= SS_SHAPE_MESH; k++) {
    double half = k == SS_SHAPE_CYLINDER ? 1 : 0.5;
    bench_rest(SS_SHAPE_PLANE, (ss_shape_kind)k, half);
    bench_rest(SS_SHAPE_BOX, (ss_shape_kind)k, 0.5 + half);
  }
  bench_rest(SS_SHAPE_MESH, SS_SHAPE_MESH, 1);
  for (int b = SS_SHAPE_CYLINDER; b <= SS_SHAPE_ELLIPSOID; b++)
    for (int a = SS_SHAPE_SPHERE; a <= SS_SHAPE_MESH; a++)
      if (a <= b || a == SS_SHAPE_MESH) bench_overlap((ss_shape_kind)a, (ss_shape_kind)b);
  bench_rate();
  const int few[] = {4, 8, 16, 24, 32, 48, 64, 100, 150};
  for (int i = 0; i < 9; i++) bench_few(few[i]);
  for (int n = 100; n <= 10000; n *= 10) bench_pile(n);
  return 0;
}
