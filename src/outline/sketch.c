// An outline with fewer points, for pictures: parts that hardly differ from the line between their ends are that line.
#include "outline/outline.h"

static ss_vec2 point_at(const ss_outline* o, int i) { return o->point[i < o->n ? i : 0]; }

// How far the points between `first` and `last` are from the line between these at most
static double farthest(const ss_outline* o, int first, int last)
{
  double most = 0;
  for (int i = first + 1; i < last; i++)
    most = fmax(most, ss_segment_distance(point_at(o, first), point_at(o, last), point_at(o, i)));
  return most;
}

// A quarter of the outline at most is one line, so that a closed one stays a polygon
static int sketch(const ss_outline* o, int first, int last, double off, int* kept, int n)
{
  bool is_line = last - first <= 1 || (4*(last - first) <= o->n && farthest(o, first, last) <= off);
  if (is_line) {
    kept[n] = first;
    return n + 1;
  }
  int middle = (first + last)/2;
  n = sketch(o, first, middle, off, kept, n);
  return sketch(o, middle, last, off, kept, n);
}

int ss_outline_sketch(const ss_outline* o, double off, int* kept)
{
  int n = sketch(o, 0, o->n_edge, off, kept, 0);
  if (!o->closed) kept[n++] = o->n - 1;
  return n;
}
