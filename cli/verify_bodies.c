// `stickslip verify` of bodies in the plane: how deep they overlap in each recorded row, from their outlines and poses
// alone, every point against every edge near it. No tree of boxes, no list of contacts: what detection has missed is
// found here.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <stickslip/model.h>

#include "verify.h"

typedef long double number;

typedef struct body {
  ss_body_info info;
  int n;               // points
  number* p;           // 2 n: in the world
  number low[2], high[2];
  number center[2], normal[2];  // in the world
  double size, way;    // way: that it goes within a step of time-stepping
} body;

// ---- where they are ----

static void place_point(const double pose[3], const double x[2], number out[2])
{
  number c = cosl(pose[2]), s = sinl(pose[2]);
  out[0] = pose[0] + c*x[0] - s*x[1];
  out[1] = pose[1] + s*x[0] + c*x[1];
}

static void place(body* b, const double pose[3])
{
  number zero[2];
  bool circle = b->info.shape == SS_BODY_CIRCLE;
  place_point(pose, b->info.center, b->center);
  place_point((double[]){0, 0, pose[2]}, b->info.normal, b->normal);
  for (int k = 0; k < 2; k++) {
    b->low[k] = circle ? b->center[k] - b->info.radius : -INFINITY;
    b->high[k] = circle ? b->center[k] + b->info.radius : INFINITY;
  }
  for (int i = 0; i < b->n; i++) {
    place_point(pose, b->info.outline + 2*i, zero);
    for (int k = 0; k < 2; k++) {
      b->p[2*i + k] = zero[k];
      b->low[k] = i ? fminl(b->low[k], zero[k]) : zero[k];
      b->high[k] = i ? fmaxl(b->high[k], zero[k]) : zero[k];
    }
  }
}

// ---- how deep ----

// Whether x is inside of a closed outline: edges to the right of it, counted
static bool is_inside(const body* b, const number x[2])
{
  bool inside = false;
  for (int i = 0, before = b->n - 1; i < b->n; before = i++) {
    const number *a = b->p + 2*before, *e = b->p + 2*i;
    if ((a[1] > x[1]) == (e[1] > x[1])) continue;
    if (x[0] - a[0] < (e[0] - a[0])*(x[1] - a[1])/(e[1] - a[1])) inside = !inside;
  }
  return inside;
}

// Distance of x from the outline, below zero inside; INFINITY if it is more than `reach`. An open one has an inside
// beside its edges: the sign is that of the nearest edge, of two that meet there the one that is seen more steeply;
// beyond its ends there is none.
static number distance(const body* b, const number x[2], number reach)
{
  number nearest = INFINITY, steep = 0;
  bool behind = false;
  int edges = b->info.is_open ? b->n - 1 : b->n;
  for (int i = 0; i < edges; i++) {
    const number *a = b->p + 2*i, *e = b->p + 2*(i + 1 < b->n ? i + 1 : 0);
    bool far = false;
    for (int k = 0; k < 2; k++)
      far = far || (a[k] > x[k] + reach && e[k] > x[k] + reach) || (a[k] < x[k] - reach && e[k] < x[k] - reach);
    if (far) continue;
    number d[2] = {e[0] - a[0], e[1] - a[1]}, r[2] = {x[0] - a[0], x[1] - a[1]};
    number length = d[0]*d[0] + d[1]*d[1], s = (r[0]*d[0] + r[1]*d[1])/length;
    bool end = b->info.is_open && ((i == 0 && s < 0) || (i == edges - 1 && s > 1));
    s = fminl(1, fmaxl(0, s));
    number way = hypotl(r[0] - s*d[0], r[1] - s*d[1]), side = (d[0]*r[1] - d[1]*r[0])/sqrtl(length);
    bool same = fabsl(way - nearest) <= 1e-15L*way;
    if (!same && way > nearest) continue;
    if (!same || fabsl(side) > steep) {
      steep = fabsl(side);
      behind = side > 0 && !end;  // on the left
    }
    nearest = fminl(nearest, way);
  }
  if (nearest > reach) return INFINITY;
  return (b->info.is_open ? behind : is_inside(b, x)) ? -nearest : nearest;
}

static number distance_of(const body* b, const number x[2], number reach)
{
  if (b->info.shape == SS_BODY_OUTLINE) return distance(b, x, reach);
  number r[2] = {x[0] - b->center[0], x[1] - b->center[1]};
  if (b->info.shape == SS_BODY_CIRCLE) return hypotl(r[0], r[1]) - b->info.radius;
  return r[0]*b->normal[0] + r[1]*b->normal[1];
}

// How deep the points of a, or its centre, are in b; what is deeper than a is large is behind an open outline
static number depth_in(const body* a, const body* b)
{
  number depth = 0;
  for (int i = 0; i < a->n; i++) {
    const number* x = a->p + 2*i;
    bool out = false, closed = b->info.shape == SS_BODY_OUTLINE && !b->info.is_open;
    for (int k = 0; k < 2; k++) out = out || x[k] < b->low[k] || x[k] > b->high[k];
    if ((out && !b->info.is_open) || (closed && !is_inside(b, x))) continue;
    number d = distance_of(b, x, closed ? INFINITY : a->size);
    if (isfinite(d)) depth = fmaxl(depth, -d);
  }
  if (a->info.shape != SS_BODY_CIRCLE) return depth;
  number d = distance_of(b, a->center, a->size);
  return isfinite(d) ? fmaxl(depth, a->info.radius - d) : depth;
}

static bool can_touch(const body* a, const body* b)
{
  if (a->info.motion == SS_BODY_FIXED && b->info.motion == SS_BODY_FIXED) return false;
  if (a->info.group >= 0 && a->info.group == b->info.group) return false;
  if (a->info.shape == SS_BODY_HALFPLANE && b->info.shape == SS_BODY_HALFPLANE) return false;
  if (a->info.is_open && b->info.is_open) return false;
  for (int k = 0; k < 2; k++)
    if (a->low[k] > b->high[k] || b->low[k] > a->high[k]) return false;
  return true;
}

// ---- all rows ----

// Time-stepping sees a contact where it tests for it, after which bodies may have gone on for the way of a step.
static void check_row(cli_verifier* v, long row, int n, body* b, double known)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) {
      if (!can_touch(&b[i], &b[j])) continue;
      number depth = 0;
      if (b[i].info.shape != SS_BODY_HALFPLANE) depth = fmaxl(depth, depth_in(&b[i], &b[j]));
      if (b[j].info.shape != SS_BODY_HALFPLANE) depth = fmaxl(depth, depth_in(&b[j], &b[i]));
      cli_verify_note(v, CLI_OVERLAPS, row, fmaxl(0, depth - known - b[i].way - b[j].way),
                      fmin(b[i].size, b[j].size));
    }
}

// How far a body goes in a step, with all its points: the mean of the steps since the row before
static double way_of(const cli_verifier* v, long row, const body* b, const double pose[3], const double before[3])
{
  if (row == 0 || v->info->run.step.integrator == SS_EVENT_DRIVEN || b->info.motion == SS_BODY_FIXED) return 0;
  double way = hypot(pose[0] - before[0], pose[1] - before[1]) + b->size*fabs(pose[2] - before[2]);
  return way/fmax(1, v->step[row] - v->step[row - 1]);
}

static bool make(cli_verifier* v, int n, body* b)
{
  for (int i = 0; i < n; i++) {
    b[i].info = ss_model_body(v->model, i);
    b[i].n = b[i].info.points;
    b[i].p = calloc(2*(size_t)b[i].n + 1, sizeof *b[i].p);
    if (!b[i].p) return false;
    place(&b[i], (double[]){0, 0, 0});
    bool plane = b[i].info.shape == SS_BODY_HALFPLANE;
    b[i].size = plane ? INFINITY : (double)hypotl(b[i].high[0] - b[i].low[0], b[i].high[1] - b[i].low[1]);
  }
  return true;
}

int cli_verify_bodies(cli_verifier* v)
{
  ss_error error = {0};
  int n = ss_model_bodies(v->model), nq = v->d->nq;
  body* b = calloc((size_t)n + 1, sizeof *b);
  double *pose = calloc(6*(size_t)n + (size_t)nq + 1, sizeof *pose), *before = pose ? pose + 3*n : NULL;
  double* q = pose ? pose + 6*n : NULL;
  const double* known = cli_verify_column(v, "counts.", "max_penetration", &error);
  bool ok = b && pose && make(v, n, b);
  for (long row = 0; ok && known && row < v->info->n_rows; row++) {
    if (!cli_verify_go_on(v, row, &error)) break;
    for (int i = 0; i < nq; i++) q[i] = v->q[i][row];
    memcpy(before, pose, 3*sizeof *pose*(size_t)n);
    ok = ss_model_place_bodies(v->model, q, v->t[row], pose) >= 0;
    for (int i = 0; ok && i < n; i++) {
      place(&b[i], pose + 3*i);
      b[i].way = way_of(v, row, &b[i], pose + 3*i, before + 3*i);
    }
    if (ok) check_row(v, row, n, b, known[row]);
  }
  for (int i = 0; b && i < n; i++) free(b[i].p);
  free(b);
  free(pose);
  return error.status < 0 ? cli_fail(&error) : ok ? CLI_GO_ON : cli_out_of_memory();
}
