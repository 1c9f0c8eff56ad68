// Long curves with fewer points. A curve of a few hundred thousand rows is first tried with a sleeve: points are left
// out as long as they lie within a fraction of a pixel of the chord that replaces them. If too many points remain (a
// fast oscillation that fills the diagram), each bin of rows keeps its first and last row and its extremes instead.
#include <math.h>
#include <stdlib.h>

#include "figure.h"

static const double two_pi = 6.283185307179586;

// ---- sleeve ----

// Rows in units of the diagram, from 0 to 1
typedef struct diagram {
  cli_samples s;
  double x0, y0, x_scale, y_scale;
} diagram;

static double scale_of(double low, double high)
{
  return high > low ? 1/(high - low) : 0;
}

static diagram measure_diagram(cli_samples s)
{
  double x0 = HUGE_VAL, x1 = -HUGE_VAL, y0 = HUGE_VAL, y1 = -HUGE_VAL;
  for (long i = 0; i < s.n; i++) {
    if (!isfinite(s.x[i]) || !isfinite(s.y[i])) continue;
    x0 = fmin(x0, s.x[i]);
    x1 = fmax(x1, s.x[i]);
    y0 = fmin(y0, s.y[i]);
    y1 = fmax(y1, s.y[i]);
  }
  return (diagram){.s = s, .x0 = x0, .y0 = y0, .x_scale = scale_of(x0, x1), .y_scale = scale_of(y0, y1)};
}

// The directions from the anchor in which a chord passes all points since then at a distance of at most tol
typedef struct sleeve {
  const diagram* d;
  double tol;
  double x, y;       // anchor
  double reach;      // distance of the farthest point
  bool narrowed;     // a point was farther than tol
  double middle;     // a direction, rad; the others are counted from it
  double low, high;  // directions allowed
} sleeve;

static void set_anchor(sleeve* v, long row)
{
  v->x = (v->d->s.x[row] - v->d->x0)*v->d->x_scale;
  v->y = (v->d->s.y[row] - v->d->y0)*v->d->y_scale;
  v->reach = 0;
  v->narrowed = false;
}

// True if the chord may end in this row; the sleeve then takes it in. A curve that turns back leaves the sleeve.
static bool take_in(sleeve* v, long row)
{
  double dx = (v->d->s.x[row] - v->d->x0)*v->d->x_scale - v->x;
  double dy = (v->d->s.y[row] - v->d->y0)*v->d->y_scale - v->y;
  double distance = hypot(dx, dy);
  if (!isfinite(distance) || distance < v->reach - v->tol) return false;  // a value that is none is kept: a hole
  if (distance <= v->tol) return true;
  double direction = atan2(dy, dx), half = asin(v->tol/distance);
  if (!v->narrowed) {
    v->narrowed = true;
    v->middle = direction;
    v->low = -half;
    v->high = half;
  } else {
    double turn = remainder(direction - v->middle, two_pi);
    if (turn < v->low || turn > v->high) return false;
    v->low = fmax(v->low, turn - half);
    v->high = fmin(v->high, turn + half);
  }
  v->reach = fmax(v->reach, distance);
  return true;
}

// The rows to keep, at most `room`; 0 if there would be more
static long thin_by_sleeve(const diagram* d, double tol, long room, long* keep)
{
  sleeve v = {.d = d, .tol = tol};
  long n = 0;
  keep[n++] = 0;
  set_anchor(&v, 0);
  for (long i = 1; i < d->s.n; i++) {
    if (take_in(&v, i)) continue;
    if (n >= room - 1) return 0;
    if (keep[n - 1] != i - 1) keep[n++] = i - 1;
    set_anchor(&v, i - 1);
    take_in(&v, i);
  }
  keep[n++] = d->s.n - 1;
  return n;
}

// ---- bins ----

static int by_row(const void* a, const void* b)
{
  long i = *(const long*)a, j = *(const long*)b;
  return (i > j) - (i < j);
}

enum { PER_BIN = 6 };

// The rows first ... last - 1 of a bin: first, last, and where x or y is extreme, in their order; returns how many
static int keep_of_bin(cli_samples s, long first, long last, long* keep)
{
  long row[PER_BIN] = {first, first, first, first, first, last - 1};
  int n = 0;
  for (long i = first; i < last; i++) {
    if (s.y[i] < s.y[row[1]]) row[1] = i;
    if (s.y[i] > s.y[row[2]]) row[2] = i;
    if (s.x[i] < s.x[row[3]]) row[3] = i;
    if (s.x[i] > s.x[row[4]]) row[4] = i;
  }
  qsort(row, PER_BIN, sizeof *row, by_row);
  for (int k = 0; k < PER_BIN; k++)
    if (k == 0 || row[k] != row[k - 1]) keep[n++] = row[k];
  return n;
}

static long thin_by_bins(cli_samples s, long room, long* keep)
{
  long bins = room/PER_BIN, n = 0;
  for (long b = 0; b < bins; b++) {
    long first = (long)((double)s.n*(double)b/(double)bins);
    long last = (long)((double)s.n*(double)(b + 1)/(double)bins);
    n += keep_of_bin(s, first, last, keep + n);
  }
  return n;
}

long cli_thin(cli_samples samples, long room, long* keep)
{
  const double tolerances[] = {1e-4, 3e-4, 1e-3};  // of the height or width of the diagram: at most half a pixel
  if (samples.n <= room) {
    for (long i = 0; i < samples.n; i++) keep[i] = i;
    return samples.n;
  }
  diagram d = measure_diagram(samples);
  for (size_t i = 0; i < sizeof tolerances/sizeof *tolerances; i++) {
    long n = thin_by_sleeve(&d, tolerances[i], room, keep);
    if (n) return n;
  }
  return thin_by_bins(samples, room, keep);
}
