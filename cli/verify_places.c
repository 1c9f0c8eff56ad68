// `stickslip verify` of planar bodies: the rows of a contact from the place and the directions in the file. Where two
// corners meet exactly, round-off decides which edge a contact takes its normal from, and where they have come into
// each other, which of them is its place; then a list that is made anew has another one.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <stickslip/model.h>

#include "verify.h"

#define STEP 1e-6  // of differences of poses: exact for bodies that move freely, else to some 1e-10

// The velocity of body b along direction d at a point, from the change of its pose
static double along(const double pose[3], const double rate[3], const double point[3], const double d[3])
{
  double x = rate[0] - rate[2]*(point[1] - pose[1]), y = rate[1] + rate[2]*(point[0] - pose[0]);
  return d[0]*x + d[1]*y;
}

// rate = (high - low)/(2 step), 3 n numbers
static void differ(int n, double step, const double* low, double* high)
{
  for (int i = 0; i < 3*n; i++) high[i] = (high[i] - low[i])/(2*step);
}

static void add_entries(const ss_run_contact* c, const double* pose, const double* rate, double entry[2])
{
  entry[0] = entry[1] = 0;
  for (int side = 0; side < 2; side++) {
    int body = side ? c->body_b : c->body_a;
    if (body < 0) continue;
    for (int k = 0; k < 2; k++)
      entry[k] += (side ? 1 : -1)*along(pose + 3*body, rate + 3*body, c->point, c->frame + 3*k);
  }
}

// ---- normals where corners meet ----

#define NEAR 1e-7    // of a body: what is not apart
#define ALONG 1e-8   // of directions: the same

typedef struct corner {
  double pose[3], point[2], n[2], reach, near;  // n: the normal of the contact, out of this body
  bool face, cone;                        // whether n is that of an edge here; between those of two that meet here
  bool corner;                            // whether a corner is here
} corner;

static void turn(double angle, const double v[2], double out[2])
{
  out[0] = cos(angle)*v[0] - sin(angle)*v[1];
  out[1] = sin(angle)*v[0] + cos(angle)*v[1];
}

static double cross(const double a[2], const double b[2]) { return a[0]*b[1] - a[1]*b[0]; }
static double dot(const double a[2], const double b[2]) { return a[0]*b[0] + a[1]*b[1]; }
static bool same(const double a[2], const double b[2]) { return dot(a, b) > 0 && fabs(cross(a, b)) <= ALONG; }

// The normal of edge i, out of the solid on its left, and how far the point is from it
static double edge_at(const corner* c, const ss_body_info* b, int i, double normal[2], double start[2])
{
  const double *p = b->outline + 2*i, *e = b->outline + 2*((i + 1)%b->points);
  double d[2], r[2], length = hypot(e[0] - p[0], e[1] - p[1]);
  turn(c->pose[2], p, start);
  turn(c->pose[2], (double[]){(e[0] - p[0])/length, (e[1] - p[1])/length}, d);
  for (int k = 0; k < 2; k++) {
    start[k] += c->pose[k];
    r[k] = c->point[k] - start[k];
  }
  normal[0] = d[1];
  normal[1] = -d[0];
  double s = fmin(length, fmax(0, dot(r, d)));
  return hypot(r[0] - s*d[0], r[1] - s*d[1]);
}

static void look_at_outline(corner* c, const ss_body_info* b)
{
  int edges = b->is_open ? b->points - 1 : b->points;
  double past[2], normal[2], start[2];
  if (!b->is_open) edge_at(c, b, edges - 1, past, start);
  for (int i = 0; i < edges; i++, memcpy(past, normal, sizeof past)) {
    if (edge_at(c, b, i, normal, start) > c->reach) continue;
    c->face = c->face || same(normal, c->n);
    double way = hypot(c->point[0] - start[0], c->point[1] - start[1]);
    bool meet = (i > 0 || !b->is_open) && way <= c->reach;
    c->corner = c->corner || way <= c->near;
    bool between = cross(past, c->n) >= -ALONG && cross(c->n, normal) >= -ALONG && dot(past, normal) > -1;
    c->cone = c->cone || (meet && between);
  }
}

static void look_at_body(corner* c, const ss_body_info* b)
{
  double at[2];
  turn(c->pose[2], b->shape == SS_BODY_CIRCLE ? b->center : b->normal, at);
  double out[2] = {c->point[0] - c->pose[0] - at[0], c->point[1] - c->pose[1] - at[1]}, size = hypot(out[0], out[1]);
  if (b->shape == SS_BODY_OUTLINE) look_at_outline(c, b);
  else if (b->shape == SS_BODY_CIRCLE) c->face = size > 0 && same((double[]){out[0]/size, out[1]/size}, c->n);
  else c->face = same(at, c->n);
}

bool cli_verify_place_fits(cli_verifier* v, const double* q, double t, const ss_run_contact* at, const double listed[3])
{
  int n = ss_model_bodies(v->model);
  corner c[2] = {0};
  double way = hypot(at->point[0] - listed[0], at->point[1] - listed[1]), near = 0;
  double* pose = calloc(3*(size_t)n + 1, sizeof *pose);
  bool fits = pose && ss_model_place_bodies(v->model, q, t, pose) >= 0;
  for (int side = 0; fits && side < 2; side++) {
    int body = side ? at->body_b : at->body_a;
    if (body < 0) continue;
    ss_body_info info = ss_model_body(v->model, body);
    double size = fmax(1e-300, info.radius);
    for (int i = 0; i < 2*info.points; i++) size = fmax(size, fabs(info.outline[i]));
    memcpy(c[side].pose, pose + 3*body, sizeof c[side].pose);
    memcpy(c[side].point, at->point, sizeof c[side].point);
    for (int k = 0; k < 2; k++) c[side].n[k] = side ? -at->frame[k] : at->frame[k];
    c[side].near = NEAR*size;
    c[side].reach = fabs(at->gap) + NEAR*size;
    near = fmax(near, NEAR*size);
    look_at_body(&c[side], &info);
  }
  free(pose);
  bool placed = way <= near || (way <= fabs(at->gap) + near && (c[0].corner || c[1].corner));
  return fits && placed && (c[0].face || c[1].face || (c[0].cone && c[1].cone));
}

// ---- rows ----

bool cli_verify_place_rows(cli_verifier* v, const double* q, double t, const ss_run_contact* c, double* W,
                           double w_hat[2])
{
  int n = ss_model_bodies(v->model), nv = v->d->nv;
  double *pose = calloc(9*(size_t)n + (size_t)nv + 1, sizeof *pose), entry[2];
  if (!pose) return false;
  double *low = pose + 3*n, *high = low + 3*n, *x = high + 3*n;
  memcpy(x, q, sizeof(double)*(size_t)nv);
  bool ok = ss_model_place_bodies(v->model, q, t, pose) >= 0;
  for (int j = 0; ok && j <= nv; j++) {  // the last one: time
    double step = j < nv ? STEP*(1 + fabs(q[j])) : STEP;
    if (j < nv) x[j] = q[j] - step;
    ok = ss_model_place_bodies(v->model, x, j < nv ? t : t - step, low) >= 0;
    if (j < nv) x[j] = q[j] + step;
    ok = ok && ss_model_place_bodies(v->model, x, j < nv ? t : t + step, high) >= 0;
    if (j < nv) x[j] = q[j];
    differ(n, step, low, high);
    add_entries(c, pose, high, j < nv ? entry : w_hat);
    for (int k = 0; j < nv && k < 2; k++) W[k*nv + j] = entry[k];
  }
  free(pose);
  return ok;
}
