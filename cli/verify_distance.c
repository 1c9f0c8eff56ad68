// The overlap of two convex solids A and B is the least one over all directions n of length one,
//   min_n f(n),   f(n) = max_A n.a - min_B n.b,
// and any f(n) bounds it from above: a direction that is enough proves that they overlap by no more. Solids that are
// apart have such a direction along the shortest vector of A - B, which is found by descent over simplices [Gilbert,
// Johnson & Keerthi 1988]; for those that overlap, faces, edges and hints are tried, and the best goes downhill.
#include <math.h>
#include <string.h>

#include "verify_distance.h"

#define MOST_ROUNDS 64     // of the descent over simplices
#define MOST_FACES 256     // of a mesh whose normals are tried
#define SETTLED 1e-12      // relative: the shortest vector is found

static double dot(const double a[3], const double b[3]) { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2]; }

static void cross(const double a[3], const double b[3], double out[3])
{
  out[0] = a[1]*b[2] - a[2]*b[1];
  out[1] = a[2]*b[0] - a[0]*b[2];
  out[2] = a[0]*b[1] - a[1]*b[0];
}

static bool normalize(double n[3])
{
  double length = sqrt(dot(n, n));
  for (int k = 0; length > 0 && k < 3; k++) n[k] /= length;
  return length > 0;
}

// ---- support ----

// The point of the core that is farthest along d, both in the frame of the solid
static void support_local(const cli_solid* s, const double d[3], double p[3])
{
  const double* half = s->half;
  double across = hypot(d[0], d[1]), size = 0, most = -INFINITY;
  memset(p, 0, 3*sizeof *p);
  switch (s->shape) {
  case SS_SCENE_CAPSULE: p[2] = copysign(half[1], d[2]); break;
  case SS_SCENE_CYLINDER:
    for (int k = 0; across > 0 && k < 2; k++) p[k] = half[0]*d[k]/across;
    p[2] = copysign(half[1], d[2]);
    break;
  case SS_SCENE_ELLIPSOID:
    for (int k = 0; k < 3; k++) size += half[k]*half[k]*d[k]*d[k];
    for (int k = 0; size > 0 && k < 3; k++) p[k] = half[k]*half[k]*d[k]/sqrt(size);
    break;
  case SS_SCENE_BOX:
    for (int k = 0; k < 3; k++) p[k] = copysign(half[k], d[k]);
    break;
  case SS_SCENE_MESH:
    for (int i = 0; i < s->n_vertex; i++) {
      double far = dot(s->vertex + 3*i, d);
      if (far > most) {
        most = far;
        memcpy(p, s->vertex + 3*i, 3*sizeof *p);
      }
    }
    break;
  default: break;  // a point
  }
}

// ... in the world, sign: along or against n
static void support(const cli_solid* s, const double n[3], double sign, double p[3])
{
  double d[3], at[3];
  for (int k = 0; k < 3; k++)
    d[k] = sign*(s->matrix[k]*n[0] + s->matrix[3 + k]*n[1] + s->matrix[6 + k]*n[2]);
  support_local(s, d, at);
  for (int k = 0; k < 3; k++) p[k] = s->center[k] + dot(s->matrix + 3*k, at);
}

void cli_solid_support(const cli_solid* s, const double n[3], double p[3]) { support(s, n, 1, p); }

double cli_solid_reach(const cli_solid* s, const double n[3])
{
  double p[3];
  support(s, n, 1, p);
  for (int k = 0; k < 3; k++) p[k] -= s->center[k];
  return dot(p, n) + s->radius;
}

double cli_overlap_along(const cli_solid* a, const cli_solid* b, const double n[3], double w[3])
{
  double p[3], q[3];
  support(a, n, 1, p);
  support(b, n, -1, q);
  for (int k = 0; k < 3; k++) w[k] = p[k] - q[k];
  return dot(w, n) + a->radius + b->radius;
}

// ---- the shortest vector ----

typedef struct simplex {
  int n;
  double p[4][3];
} simplex;

// A x = b, n <= 3, by elimination; false if A says too little
static bool solve(int n, double A[3][3], double b[3])
{
  for (int i = 0; i < n; i++) {
    int best = i;
    for (int r = i + 1; r < n; r++)
      if (fabs(A[r][i]) > fabs(A[best][i])) best = r;
    if (!(fabs(A[best][i]) > 0)) return false;
    for (int c = 0; c < n; c++) { double keep = A[i][c]; A[i][c] = A[best][c]; A[best][c] = keep; }
    double keep = b[i]; b[i] = b[best]; b[best] = keep;
    for (int r = i + 1; r < n; r++) {
      double part = A[r][i]/A[i][i];
      for (int c = i; c < n; c++) A[r][c] -= part*A[i][c];
      b[r] -= part*b[i];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int c = i + 1; c < n; c++) b[i] -= A[i][c]*b[c];
    b[i] /= A[i][i];
  }
  return true;
}

// The shortest vector of the affine hull of the points in `mask`, if it is among them. Weights are >= 0 then.
static bool shortest_of(const simplex* s, int mask, double v[3])
{
  int at[4] = {0}, n = 0;
  double A[3][3], b[3], e[3][3], rest = 1;
  for (int i = 0; i < s->n; i++)
    if (mask >> i & 1) at[n++] = i;
  const double* o = s->p[at[0]];
  for (int i = 1; i < n; i++)
    for (int k = 0; k < 3; k++) e[i - 1][k] = s->p[at[i]][k] - o[k];
  for (int i = 0; i < n - 1; i++) {
    b[i] = -dot(e[i], o);
    for (int j = 0; j < n - 1; j++) A[i][j] = dot(e[i], e[j]);
  }
  if (!solve(n - 1, A, b)) return false;
  memcpy(v, o, 3*sizeof *v);
  for (int i = 0; i < n - 1; i++) {
    if (!(b[i] >= 0)) return false;
    rest -= b[i];
    for (int k = 0; k < 3; k++) v[k] += b[i]*e[i][k];
  }
  return rest >= 0;
}

// v: the shortest vector of the simplex, which keeps the points that it is made of
static void shorten(simplex* s, double v[3])
{
  int best = 0;
  double least = INFINITY, x[3];
  for (int mask = 1; mask < 1 << s->n; mask++) {
    if (!shortest_of(s, mask, x) || !(dot(x, x) < least)) continue;
    least = dot(x, x);
    best = mask;
    memcpy(v, x, sizeof x);
  }
  simplex old = *s;
  s->n = 0;
  for (int i = 0; i < old.n; i++)
    if (best >> i & 1) memcpy(s->p[s->n++], old.p[i], sizeof *old.p);
}

// ---- directions ----

#define DOWNHILL 1e-12  // of the least so far: what is gained must be more
#define MOST_STEPS 300  // where the slope jumps, as at a rim, what is gained falls slowly

typedef struct search {
  const cli_solid *a, *b;
  const cli_solid *then_a, *then_b;  // where they were before, or NULL: all between counts
  double enough, least;
  double* best;
} search;

static double along(const search* s, const double n[3], double w[3])
{
  double f = cli_overlap_along(s->a, s->b, n, w), other[3] = {0};
  double before = s->then_a ? cli_overlap_along(s->then_a, s->then_b, n, other) : -INFINITY;
  if (before > f) memcpy(w, other, sizeof other);
  return fmax(f, before);
}

// Whether the overlap along n is enough; n of any length. w as of cli_overlap_along(), or NULL.
static bool try_direction(search* s, const double n[3], double w[3])
{
  double unit[3] = {n[0], n[1], n[2]}, unused[3];
  if (!normalize(unit)) return false;
  double f = along(s, unit, w ? w : unused);
  if (f < s->least) {
    s->least = f;
    memcpy(s->best, unit, sizeof unit);
  }
  return s->least <= s->enough;
}

static bool try_both(search* s, const double n[3])
{
  return try_direction(s, n, NULL) || try_direction(s, (double[]){-n[0], -n[1], -n[2]}, NULL);
}

// Downhill over simplices of the difference of the cores; true if it came to an end that is enough
static bool descend(search* s, const double from[3])
{
  simplex x = {.n = 1};
  double v[3], n[3] = {from[0], from[1], from[2]};
  if (!normalize(n)) n[2] = 1;
  if (try_direction(s, n, x.p[0])) return true;
  memcpy(v, x.p[0], sizeof v);
  for (int round = 0; round < MOST_ROUNDS; round++) {
    double w[3], length = sqrt(dot(v, v));
    if (!(length > 0)) return false;  // the cores overlap
    for (int k = 0; k < 3; k++) n[k] = -v[k];
    if (try_direction(s, n, w)) return true;
    if (dot(v, v) - dot(v, w) <= SETTLED*dot(v, v) || x.n == 4) return false;
    memcpy(x.p[x.n++], w, sizeof w);
    shorten(&x, v);
  }
  return false;
}

static void column(const cli_solid* s, int k, double n[3])
{
  for (int i = 0; i < 3; i++) n[i] = s->matrix[3*i + k];
}

// Normals of the faces of a solid
static bool try_faces(search* s, const cli_solid* of)
{
  double n[3];
  for (int k = 0; of->shape == SS_SCENE_BOX && k < 3; k++) {
    column(of, k, n);
    if (try_both(s, n)) return true;
  }
  if (of->shape == SS_SCENE_CYLINDER) {
    column(of, 2, n);
    if (try_both(s, n)) return true;
  }
  for (int i = 0; of->shape == SS_SCENE_MESH && of->n_face <= MOST_FACES && i < of->n_face; i++) {
    const double* p[3];
    double e[2][3], local[3];
    for (int j = 0; j < 3; j++) p[j] = of->vertex + 3*of->face[3*i + j];
    for (int k = 0; k < 3; k++) {
      e[0][k] = p[1][k] - p[0][k];
      e[1][k] = p[2][k] - p[0][k];
    }
    cross(e[0], e[1], local);
    for (int k = 0; k < 3; k++) n[k] = dot(of->matrix + 3*k, local);
    if (try_both(s, n)) return true;
  }
  return false;
}

static bool try_edges(search* s)
{
  if (s->a->shape != SS_SCENE_BOX || s->b->shape != SS_SCENE_BOX) return false;
  for (int i = 0; i < 9; i++) {
    double e[3], f[3], n[3];
    column(s->a, i/3, e);
    column(s->b, i%3, f);
    cross(e, f, n);
    if (dot(n, n) > 1e-12 && try_both(s, n)) return true;
  }
  return false;
}

// From the best direction on against the slope of f on the sphere, w - f n, as long as that leads down by more than
// round-off of the distance
static bool go_downhill(search* s)
{
  double step = 0.5;
  for (int i = 0; i < MOST_STEPS && step > 1e-7; i++) {
    double w[3], n[3], was = s->least*(1 - DOWNHILL), f = along(s, s->best, w) - s->a->radius - s->b->radius;
    double size = sqrt(dot(w, w));
    if (!(size > 0)) return false;
    for (int k = 0; k < 3; k++) n[k] = s->best[k] - step*(w[k] - f*s->best[k])/size;
    if (try_direction(s, n, NULL)) return true;
    step *= s->least < was ? 1.5 : 0.5;
  }
  return false;
}

// What is below a plane: its normal is the only direction
static double overlap_plane(const cli_solid* plane, const cli_solid* s, double sign, double best[3])
{
  double n[3], against[3], to[3];
  column(plane, 2, n);
  for (int k = 0; k < 3; k++) {
    against[k] = -n[k];
    best[k] = sign*n[k];
    to[k] = s->center[k] - plane->center[k];
  }
  return cli_solid_reach(s, against) - dot(to, n);
}

static double find(search* s, int n_hint, const double (*hint)[3])
{
  double between[3];
  for (int k = 0; k < 3; k++) between[k] = s->b->center[k] - s->a->center[k];
  s->best[0] = s->best[1] = 0;
  s->best[2] = 1;
  for (int i = 0; i < n_hint; i++)
    if (try_both(s, hint[i])) return s->least;
  bool done = descend(s, between) || try_faces(s, s->a) || try_faces(s, s->b) || try_edges(s);
  if (!done && s->least > 0) go_downhill(s);
  return s->least;
}

double cli_overlap(const cli_solid* a, const cli_solid* b, double enough, int n_hint, const double (*hint)[3],
                   double best[3])
{
  if (a->shape == SS_SCENE_PLANE) return overlap_plane(a, b, 1, best);
  if (b->shape == SS_SCENE_PLANE) return overlap_plane(b, a, -1, best);
  search s = {a, b, NULL, NULL, enough, INFINITY, best};
  return find(&s, n_hint, hint);
}

double cli_overlap_between(const cli_solid* then_a, const cli_solid* then_b, const cli_solid* a, const cli_solid* b,
                           double enough)
{
  double best[3], d[3], across[3], axis[3] = {0};
  search s = {a, b, then_a, then_b, enough, INFINITY, best};
  for (int k = 0; k < 3; k++) d[k] = a->center[k] - b->center[k] - then_a->center[k] + then_b->center[k];
  for (int k = 0; k < 3; k++) {  // across the way
    memset(axis, 0, sizeof axis);
    axis[k] = 1;
    cross(d, axis, across);
    if (try_both(&s, across)) return s.least;
  }
  return find(&s, 0, NULL);
}
