// Outlines: touches against plain geometry; what the simulator's search for contacts costs, with the skin and the
// margin of a step of 1 ms: a pair by the number of points, and a ground with 2000 points against 100 bodies.
//   bench_outline [PAIRS]        default 2000 pairs against plain geometry; 100000 take some minutes
//   bench_outline --csv          points, microseconds per pair by trees, and by trying everything
#include <stdio.h>
#include <string.h>
#include "clock.h"
#include "../test/outline/polygons.h"
#include "planar/planar.h"

#define REACH 0.5e-3  // s: the half of a step

static int compare(long pairs)
{
  uint64_t seed = 7;
  ss_touches t = {0};
  ss_error error = {0};
  verdict sum = {0};
  long found = 0;
  for (long k = 0; k < pairs; k++) {
    random_pair r = make_pair(&seed, &error);
    t.n = 0;
    ss_touch_outlines(r.a, &r.pa, 0, r.b, &r.pb, 1, r.look, &t);
    verdict v = judge(r.a, &r.pa, r.b, &r.pb, r.look, &t);
    sum.expected += v.expected;
    sum.missed += v.missed;
    sum.false_overlaps += v.false_overlaps;
    found += t.n;
    free_pair(&r);
  }
  printf("%ld pairs of random polygons, 3 to 500 points: %ld touches; of %ld that geometry tells %ld are missed, %ld "
         "overlaps are false\n", pairs, found, sum.expected, sum.missed, sum.false_overlaps);
  ss_touches_free(&t);
  return sum.missed || sum.false_overlaps ? 1 : 0;
}

// ---- the simulator's search ----------------------------------------------------------------------------------------

typedef struct scene {
  int n;
  ss_planar_body body[101];
  ss_planar* planar;
  ss_planar_work work;
  ss_at at;
  double q[300], u[300];
  char message[SS_AT_MESSAGE];
} scene;

// The first body is fixed, the others are free
static void open_scene(scene* s)
{
  ss_error error = {0};
  for (int i = 0; i < s->n; i++) {
    s->body[i].name = "body";
    s->body[i].carriage = i ? SS_FREE : SS_FIXED;
    s->body[i].mass = s->body[i].inertia = 1;
    s->body[i].group = -1;
  }
  ss_planar_def def = {.n_body = s->n, .body = s->body, .names = {.name = "bench", .nv = 3*(s->n - 1)},
                       .gravity = {0, -9.81}};
  s->planar = ss_planar_create(&def, &error);
  if (!s->planar || ss_planar_open(s->planar, &s->work, &error) < 0) {
    fprintf(stderr, "%s\n", error.text);
    exit(2);
  }
  s->at = (ss_at){.user = s->planar, .scratch = &s->work, .q = s->q, .u = s->u, .message = s->message};
}

static void close_scene(scene* s)
{
  ss_planar_close(&s->work);
  ss_planar_destroy(s->planar);
}

// Contacts at q with velocities u; returns how many
static int look(scene* s)
{
  int n = 0;
  const ss_contact_item* item;
  ss_system_get(ss_planar_system(s->planar))->update(&s->at);
  if (ss_planar_list(&s->at, REACH, &n, &item) < 0) {
    fprintf(stderr, "%s\n", s->message);
    exit(2);
  }
  return n;
}

static ss_outline* make_disc(int n)
{
  ss_error error = {0};
  ss_vec2* p = malloc(sizeof *p*(size_t)n);
  for (int i = 0; i < n; i++) p[i] = (ss_vec2){cos(2*PI*i/n), sin(2*PI*i/n)};
  ss_outline* o = ss_outline_create(n, p, true, &error);
  free(p);
  return o;
}

// What trying every point on every edge costs
static double try_everything(const ss_outline* o)
{
  double sum = 0, start = cpu_seconds();
  for (int i = 0; i < o->n; i++) {
    for (int j = 0; j < o->n; j++) {
      double x;
      sum += edge_distance(o, i, (ss_vec2){2 + o->point[j].x, o->point[j].y}, &x);
      sum += edge_distance(o, j, (ss_vec2){o->point[i].x - 2, o->point[i].y}, &x);
    }
  }
  return sum > 0 ? cpu_seconds() - start : 0;
}

// A disc with n points that rolls on another one at 1 m/s, pressed in by 1e-6 m; microseconds
static double pair_cost(int n, double* everything)
{
  scene s = {.n = 2};
  ss_outline* disc = make_disc(n);
  for (int i = 0; i < 2; i++) s.body[i].shape.outline = disc;
  open_scene(&s);
  double best = INFINITY;
  enum { POSES = 50 };
  for (int r = 0; r < 21; r++) {
    double start = cpu_seconds();
    for (int k = 0; k < POSES; k++) {
      double at = 0.02*k, d = 2 - 1e-6;
      memcpy(s.q, (double[]){d*cos(at), d*sin(at), 2*at + 0.1*k}, 3*sizeof(double));
      memcpy(s.u, (double[]){-sin(at), cos(at), 1}, 3*sizeof(double));
      look(&s);
    }
    if (r) best = fmin(best, (cpu_seconds() - start)/POSES);  // the first round also looks for overlaps at the start
  }
  *everything = n <= 2048 ? 1e6*try_everything(disc) : NAN;
  close_scene(&s);
  ss_outline_destroy(disc);
  return 1e6*best;
}

static void costs(bool csv)
{
  printf(csv ? "points,trees,everything\n" : "microseconds per pair\n  points     trees  everything\n");
  for (int n = 8; n <= 131072; n *= 4) {
    double everything, trees = pair_cost(n, &everything);
    printf(csv ? "%d,%.4g,%.4g\n" : "%8d  %8.2f  %10.4g\n", n, trees, everything);
  }
}

// 100 bodies that lie on a ground with 2000 points, and slide along it at 1 m/s
static void ground(int points)
{
  enum { POINTS = 2000 };
  ss_error error = {0};
  uint64_t seed = 3;
  ss_vec2* p = malloc(sizeof *p*POINTS);
  for (int i = 0; i < POINTS; i++) p[i] = (ss_vec2){i*0.11, 0.2*sin(0.3*i*0.1) + 0.03*sin(7.0*i)};
  ss_outline* profile = ss_outline_create(POINTS, p, false, &error);
  scene s = {.n = 101, .body = {{.shape = {.outline = profile}}}};
  ss_pose2 origin = ss_pose2_make(0, 0, 0);
  for (int i = 1; i < s.n; i++) {
    s.body[i].shape.outline = random_polygon(points, 0.1, &seed, &error);
    double x = 2.1*i, low = 0, high = 3, turn = 6*random_number(&seed);
    for (int k = 0; k < 40; k++) {  // let down until it touches
      ss_pose2 pose = ss_pose2_make(x, (low + high)/2, turn);
      *(ss_overlap_depth(&s.body[0].shape, &origin, &s.body[i].shape, &pose, 1e-6) > 1e-5 ? &low : &high) = pose.p.y;
    }
    memcpy(s.q + 3*(i - 1), (double[]){x, high, turn}, 3*sizeof(double));
    s.u[3*(i - 1)] = 1;
  }
  open_scene(&s);
  double best = INFINITY;
  int n = look(&s);
  for (int r = 0; r < 200; r++) {
    double start = cpu_seconds();
    s.work.has_pose = false;
    look(&s);
    best = fmin(best, cpu_seconds() - start);
  }
  printf("ground of 2000 points against 100 bodies with %d points: %.3f ms, %d contacts\n", points, 1e3*best, n);
  for (int i = 0; i < s.n; i++) ss_outline_destroy((ss_outline*)s.body[i].shape.outline);
  close_scene(&s);
  free(p);
}

int main(int argc, char** argv)
{
  bool csv = argc > 1 && strcmp(argv[1], "--csv") == 0;
  int status = csv ? 0 : compare(argc > 1 ? atol(argv[1]) : 2000);
  costs(csv);
  if (csv) return status;
  ground(8);
  ground(100);
  return status;
}
