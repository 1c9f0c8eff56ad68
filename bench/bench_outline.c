// Outlines: touches against trying everything, cost of a pair by the number of points, a ground with 2000 points
// against 100 bodies.
//   bench-outline [PAIRS]        default 2000 pairs against trying everything; 100000 take some minutes
//   bench-outline --csv          points, microseconds per pair by trees, and by trying everything
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "../test/outline/polygons.h"

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9*(double)t.tv_nsec;
}

static int compare(long pairs)
{
  uint64_t seed = 7;
  ss_touches t = {0};
  ss_error error = {0};
  long total = 0, wrong = 0;
  for (long k = 0; k < pairs; k++) {
    int na = (int)(3*pow(500/3.0, random_number(&seed))), nb = (int)(3*pow(500/3.0, random_number(&seed)));
    ss_outline* a = random_polygon(na, 0.2*random_number(&seed), &seed, &error);
    ss_outline* b = random_polygon(nb, 0.2*random_number(&seed), &seed, &error);
    ss_pose2 pa = ss_pose2_make(0.3, -0.2, 6*random_number(&seed)), pb = random_pose(&seed);
    ss_look2 look = {.margin = 0.03*random_number(&seed), .skin = 0.1*random_number(&seed)};
    int n;
    uint64_t *all = every_touch(a, &pa, b, &pb, look, &n), *found = found_touches(a, &pa, b, &pb, look, &t);
    if (n != t.n || memcmp(all, found, sizeof *all*(size_t)n) != 0) wrong++;
    total += n;
    free(all);
    free(found);
    ss_outline_destroy(a);
    ss_outline_destroy(b);
  }
  printf("%ld pairs of random polygons, 3 to 500 points: %ld touches, %ld pairs differ from trying everything\n", pairs,
         total, wrong);
  ss_touches_free(&t);
  return wrong ? 1 : 0;
}

// Two smooth polygons that overlap a little at one place. The skin shrinks with the edges, as it does for bodies that
// are drawn more finely.
static double pair_cost(int n, bool everything)
{
  uint64_t seed = 11;
  ss_error error = {0};
  ss_outline *a = random_polygon(n, 0.3/n, &seed, &error), *b = random_polygon(n, 0.3/n, &seed, &error);
  ss_touches t = {0};
  ss_look2 look = {.margin = 1.0/n/n, .skin = 10.0/n/n};
  double best = INFINITY;
  int rounds = everything ? 1 + 20000/n/n : 400, poses = 50;
  for (int r = 0; r < 5; r++) {
    double start = now();
    for (int k = 0; k < rounds; k++) {
      ss_pose2 pa = ss_pose2_make(0, 0, 0), pb = ss_pose2_make(1.7, 0.01*(k%poses), 0.1*(k%poses));
      t.n = 0;
      if (everything) {
        int m;
        free(every_touch(a, &pa, b, &pb, look, &m));
      } else ss_touch_outlines(a, &pa, 0, b, &pb, 1, look, &t);
    }
    best = fmin(best, (now() - start)/rounds);
  }
  ss_touches_free(&t);
  ss_outline_destroy(a);
  ss_outline_destroy(b);
  return 1e6*best;
}

static void costs(bool csv)
{
  printf(csv ? "points,trees,everything\n" : "microseconds per pair\n  points     trees  everything\n");
  for (int n = 8; n <= 65536; n *= 4) {
    double trees = pair_cost(n, false), everything = n <= 512 ? pair_cost(n, true) : NAN;
    printf(csv ? "%d,%.4g,%.4g\n" : "%8d  %8.2f  %10.4g\n", n, trees, everything);
  }
}

// 100 bodies with 8 points each that lie on a ground with 2000 points
static void ground(void)
{
  enum { POINTS = 2000, BODIES = 100 };
  ss_error error = {0};
  uint64_t seed = 3;
  ss_vec2* p = malloc(sizeof *p*POINTS);
  for (int i = 0; i < POINTS; i++) p[i] = (ss_vec2){i*0.1, 0.2*sin(0.3*i*0.1) + 0.03*sin(7.0*i)};
  ss_outline* profile = ss_outline_create(POINTS, p, false, &error);
  ss_shape2 floor = {.outline = profile}, body[BODIES];
  ss_pose2 origin = ss_pose2_make(0, 0, 0), pose[BODIES];
  for (int i = 0; i < BODIES; i++) {
    body[i] = (ss_shape2){.outline = random_polygon(8, 0.1, &seed, &error)};
    double x = 1 + 1.98*i;
    pose[i] = ss_pose2_make(x, 0.93 + 0.2*sin(0.3*x), 6*random_number(&seed));
  }
  ss_touches t = {0};
  double best = INFINITY;
  for (int r = 0; r < 200; r++) {
    double start = now();
    t.n = 0;
    for (int i = 0; i < BODIES; i++)
      ss_touch_pair(&floor, &origin, 0, &body[i], &pose[i], i + 1, (ss_look2){.margin = 0.01, .skin = 0.1}, &t);
    best = fmin(best, now() - start);
  }
  printf("ground of 2000 points against 100 bodies: %.3f ms, %d touches\n", 1e3*best, t.n);
  for (int i = 0; i < BODIES; i++) ss_outline_destroy((ss_outline*)body[i].outline);
  ss_outline_destroy(profile);
  ss_touches_free(&t);
  free(p);
}

int main(int argc, char** argv)
{
  bool csv = argc > 1 && strcmp(argv[1], "--csv") == 0;
  int status = csv ? 0 : compare(argc > 1 ? atol(argv[1]) : 2000);
  costs(csv);
  if (!csv) ground();
  return status;
}
