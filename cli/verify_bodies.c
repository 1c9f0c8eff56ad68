// `stickslip verify` of bodies in the plane: how deep they overlap in each recorded row, from their outlines and poses
// alone. Points of the one, and points between them, against the edges of the other; and the area that both have in
// common, which needs no decision at all about points on edges (verify_area.c). No tree of boxes, no list of contacts:
// what detection has missed is found here. A pair may be as deep as its contacts in the row say, and, with time-
// stepping, by the way of a step deeper: there contacts are tested before the row.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <stickslip/model.h>

#include "verify.h"
#include "verify_area.h"

typedef long double number;

#define BETWEEN 3        // points of an edge that are looked at beside its ends
#define TOUCHING 1e-12L  // of the smaller body: no distance

typedef struct body {
  ss_body_info info;
  int n;               // points
  number* p;           // 2 n: in the world
  number low[2], high[2];
  number center[2], normal[2];  // in the world
  double size, thin;   // thin: its least width across one of its edges
  double way;          // that it goes within a step of time-stepping
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

// How deep a point of a is in b; what is deeper than a is large is behind an open outline
static number point_depth(const body* a, const body* b, const number x[2])
{
  bool out = false, closed = b->info.shape == SS_BODY_OUTLINE && !b->info.is_open;
  for (int k = 0; k < 2; k++) out = out || x[k] < b->low[k] || x[k] > b->high[k];
  if ((out && !b->info.is_open) || (closed && !is_inside(b, x))) return 0;
  number d = distance_of(b, x, closed ? INFINITY : a->size);
  return isfinite(d) ? fmaxl(0, -d) : 0;
}

// ... the points of a, those between them, or its centre
static number depth_in(const body* a, const body* b)
{
  number depth = 0;
  int edges = a->info.is_open ? a->n - 1 : a->n;
  for (int i = 0; i < a->n; i++) {
    const number *x = a->p + 2*i, *y = a->p + 2*((i + 1)%a->n);
    depth = fmaxl(depth, point_depth(a, b, x));
    for (int k = 1; i < edges && k <= BETWEEN; k++) {
      number part = k/(number)(BETWEEN + 1), z[2] = {x[0] + part*(y[0] - x[0]), x[1] + part*(y[1] - x[1])};
      depth = fmaxl(depth, point_depth(a, b, z));
    }
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

static bool is_closed(const body* b) { return b->info.shape == SS_BODY_OUTLINE && !b->info.is_open; }

// The area that two closed outlines share is no longer than the box that holds it: it is so deep at least
static number depth_by_area(const body* a, const body* b)
{
  number wide = 0, area = is_closed(a) && is_closed(b) ? cli_overlap_area(a->n, a->p, b->n, b->p, &wide) : 0;
  return area < 0 ? NAN : wide > 0 ? area/fminl(wide, fmin(a->size, b->size)) : 0;
}

static number depth_of(const body* a, const body* b)
{
  number depth = depth_by_area(a, b);
  if (a->info.shape != SS_BODY_HALFPLANE) depth = fmaxl(depth, depth_in(a, b));
  if (b->info.shape != SS_BODY_HALFPLANE) depth = fmaxl(depth, depth_in(b, a));
  return depth;
}

// ---- contacts of a row ----

// The depth that contacts of the row have for two bodies; below zero: there are none
static double told_depth(int n, const ss_run_contact* list, int a, int b)
{
  double depth = -1;
  for (int i = 0; i < n; i++) {
    bool them = (list[i].body_a == a && list[i].body_b == b) || (list[i].body_a == b && list[i].body_b == a);
    if (them) depth = fmax(depth, fmax(0, -list[i].gap));
  }
  return depth;
}

// ---- contacts that are not there ----
// A pair of outlines that touches where the step tests its contacts, and has none, must not be deeper at its end. By
// the rule of euler a contact takes part only if free motion closes it: there, and of steps in parts, nothing is said.

// The least distance of the points of either from the other, without sign
static number points_apart(const body* a, const body* b)
{
  number least = INFINITY;
  for (int i = 0; i < a->n; i++) least = fminl(least, fabsl(distance_of(b, a->p + 2*i, INFINITY)));
  for (int i = 0; i < b->n; i++) least = fminl(least, fabsl(distance_of(a, b->p + 2*i, INFINITY)));
  return least;
}

static bool has_edges(const body* b) { return b->info.shape != SS_BODY_CIRCLE; }

// then: both where contacts were tested
static void check_missing(cli_verifier* v, long row, const body* a, const body* b, const body* then_a,
                          const body* then_b)
{
  number size = fmin(a->size, b->size), depth = depth_of(a, b);
  if (!has_edges(a) || !has_edges(b)) return;
  bool touched = depth > v->tol*size && points_apart(then_a, then_b) <= TOUCHING*size;
  cli_verify_note(v, CLI_OVERLAPS, row, touched ? depth : 0, size);
}

static bool is_whole_step(const cli_verifier* v, long row, const double* in_parts)
{
  ss_integrator i = v->info->run.step.integrator;
  return i != SS_EULER && i != SS_EVENT_DRIVEN && i != SS_RATTLE &&
         v->step[row] == v->step[row - 1] + 1 && in_parts[row] == in_parts[row - 1];
}

// then: the bodies where contacts were tested, or NULL
static bool check_row(cli_verifier* v, long row, int n, body* b, const body* then, ss_error* error)
{
  const ss_run_contact* list;
  int listed = ss_run_contacts(v->run, row, &list, error);
  for (int i = 0; listed >= 0 && i < n; i++)
    for (int j = 0; j < i; j++) {
      if (!can_touch(&b[i], &b[j])) continue;
      double told = told_depth(listed, list, i, j);
      number allowed = fmax(0, told) + b[i].way + b[j].way;
      if (then && told < 0) check_missing(v, row, &b[i], &b[j], &then[i], &then[j]);
      cli_verify_note(v, CLI_OVERLAPS, row, fmaxl(0, depth_of(&b[i], &b[j]) - allowed), fmin(b[i].size, b[j].size));
    }
  return listed >= 0;
}

static double change_of(const body* b, const double pose[3], const double other[3])
{
  return hypot(pose[0] - other[0], pose[1] - other[1]) + b->size*fabs(pose[2] - other[2]);
}

// Into b[i].way: what a body may go after its contacts were tested, with all its points. That is the path of a step, in
// the mean of those since the row before, and where the velocities of either row would lead to in one. poses: 3 n each
static bool measure_ways(const cli_verifier* v, long row, int n, body* b, const double* pose, const double* before,
                         double* other, double* q)
{
  double dt = v->info->run.step.dt, steps = fmax(1, v->step[row] - v->step[row - 1]);
  for (int i = 0; i < n; i++) b[i].way = change_of(&b[i], pose + 3*i, before + 3*i)/steps;
  for (int end = 0; end < 2; end++) {
    for (int k = 0; k < v->d->nv; k++) q[k] = v->q[k][row - end] + dt*v->u[k][row - end];
    if (ss_model_place_bodies(v->model, q, v->t[row - end] + dt, other) < 0) return false;
    for (int i = 0; i < n; i++) b[i].way += change_of(&b[i], (end ? before : pose) + 3*i, other + 3*i);
  }
  for (int i = 0; i < n; i++)
    if (cli_verify_tests_rows(v) || b[i].info.motion == SS_BODY_FIXED) b[i].way = 0;
  return true;
}

// Where the contacts of the step to this row were tested: 3 n numbers into pose; q: nq
static bool place_then(const cli_verifier* v, long row, int n, body* then, double* pose, double* q)
{
  const ss_step_def* def = &v->info->run.step;
  double dt = def->dt*(def->integrator == SS_JEAN ? def->theta : 0.5);
  for (int k = 0; k < v->d->nv; k++) q[k] = v->q[k][row - 1] + dt*v->u[k][row - 1];
  if (ss_model_place_bodies(v->model, q, v->t[row - 1] + dt, pose) < 0) return false;
  for (int i = 0; i < n; i++) place(&then[i], pose + 3*i);
  return true;
}

// ---- through one another between two rows ----
// The ways of bodies are straight from row to row, but for what their velocities change by. Pairs that touch in neither
// row must not overlap on them.

#define LOOKS 64  // places on a way, at most

typedef struct paths {
  const double *pose, *before;  // 3 n: in the row, and in the one before
  double* bent;                 // 3 n: scratch; then q
  int n_now, n_past;            // contacts of these rows
  ss_run_contact *now, *past;
  int room[2];
} paths;

static bool keep_contacts(cli_verifier* v, long row, paths* p, ss_error* error)
{
  const ss_run_contact* list;
  int n = ss_run_contacts(v->run, row, &list, error), room = p->room[1];
  if (n < 0) return false;
  ss_run_contact* keep = p->past;
  p->past = p->now;
  p->n_past = p->n_now;
  p->room[1] = p->room[0];
  ss_run_contact* more = n > room ? realloc(keep, sizeof *keep*(2*(size_t)n + 8)) : keep;
  p->now = more ? more : keep;
  p->room[0] = more && n > room ? 2*n + 8 : room;
  p->n_now = more ? n : 0;
  if (n && !more) return ss_error_set(error, SS_ERR_MEMORY, "out of memory"), false;
  if (n) memcpy(more, list, sizeof *more*(size_t)n);
  return true;
}

// How far a body may be from its straight way: q + (u_E - u_A) dt/4 against q
static bool find_bends(const cli_verifier* v, long row, int n, const body* b, paths* p, double* bend)
{
  double dt = v->t[row] - v->t[row - 1], *q = p->bent + 3*n;
  for (int k = 0; k < v->d->nv; k++) q[k] = v->q[k][row] + dt/4*(v->u[k][row] - v->u[k][row - 1]);
  if (ss_model_place_bodies(v->model, q, v->t[row], p->bent) < 0) return false;
  for (int i = 0; i < n; i++) {
    double turn = p->pose[3*i + 2] - p->before[3*i + 2];
    bend[i] = change_of(&b[i], p->pose + 3*i, p->bent + 3*i) + b[i].size*turn*turn/8;  // an arc over its chord
  }
  return true;
}

static void place_between(body* b, const paths* p, int i, double part)
{
  double pose[3];
  for (int k = 0; k < 3; k++) pose[k] = p->before[3*i + k] + part*(p->pose[3*i + k] - p->before[3*i + k]);
  place(b, pose);
}

static void check_path(cli_verifier* v, long row, body* a, body* b, int i, int j, const paths* p, double bend)
{
  double way = change_of(a, p->pose + 3*i, p->before + 3*i) + change_of(b, p->pose + 3*j, p->before + 3*j);
  double thin = fmin(a->thin, b->thin), looks = ceil(4*way/thin);
  number most = 0;
  if (!(looks > 1) || told_depth(p->n_now, p->now, i, j) >= 0 || told_depth(p->n_past, p->past, i, j) >= 0) return;
  for (int k = 1; k < fmin(looks, LOOKS); k++) {
    place_between(a, p, i, k/fmin(looks, LOOKS));
    place_between(b, p, j, k/fmin(looks, LOOKS));
    if (can_touch(a, b)) most = fmaxl(most, depth_of(a, b));
  }
  cli_verify_note(v, CLI_OVERLAPS, row, fmaxl(0, most - bend), fmin(a->size, b->size));
}

// b: 2 n, the second half scratch. False if the bodies have no places.
static bool check_paths(cli_verifier* v, long row, int n, body* b, paths* p)
{
  double* bend = p->bent + 3*n + v->d->nq;
  if (!find_bends(v, row, n, b, p, bend)) return false;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) {
      if (b[i].info.motion == SS_BODY_FIXED && b[j].info.motion == SS_BODY_FIXED) continue;
      check_path(v, row, &b[n + i], &b[n + j], i, j, p, bend[i] + bend[j]);
    }
  return true;
}

// ---- all rows ----

// The least width of an outline, across one of its edges (of many, across some of them)
static double thickness(const body* b)
{
  number least = INFINITY;
  int step = 1 + b->n/200;
  if (b->info.shape == SS_BODY_CIRCLE) return 2*b->info.radius;
  for (int i = 0; i < b->n && !b->info.is_open; i += step) {
    const number *a = b->p + 2*i, *e = b->p + 2*((i + 1)%b->n);
    number d[2] = {e[0] - a[0], e[1] - a[1]}, length = hypotl(d[0], d[1]), wide = 0;
    for (int k = 0; k < b->n; k++)
      wide = fmaxl(wide, fabsl(d[0]*(b->p[2*k + 1] - a[1]) - d[1]*(b->p[2*k] - a[0]))/length);
    least = fminl(least, wide);
  }
  return (double)least;
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
    b[i].thin = thickness(&b[i]);
  }
  return true;
}

static bool check_rows(cli_verifier* v, int n, body* b, double* pose, paths* p, ss_error* error)
{
  body* then = b + n;
  const double* in_parts = cli_verify_column(v, "counts.", "in_parts", error);
  if (!in_parts) return false;
  double *before = pose + 3*n, *other = before + 3*n, *q = other + 3*n;
  bool ok = true;
  *p = (paths){.pose = pose, .before = before, .bent = other};
  for (long row = 0; ok && row < v->info->n_rows; row++) {
    if (!cli_verify_go_on(v, row, error)) return false;
    for (int i = 0; i < v->d->nq; i++) q[i] = v->q[i][row];
    memcpy(before, pose, 3*sizeof *pose*(size_t)n);
    ok = ss_model_place_bodies(v->model, q, v->t[row], pose) >= 0;
    for (int i = 0; ok && i < n; i++) place(&b[i], pose + 3*i);
    if (row == 0) continue;  // what overlaps at the start is put right
    ok = ok && measure_ways(v, row, n, b, pose, before, other, q);
    bool whole = is_whole_step(v, row, in_parts);
    ok = ok && (!whole || place_then(v, row, n, then, other, q));
    if (ok && !check_row(v, row, n, b, whole ? then : NULL, error)) return false;
    if (ok && !keep_contacts(v, row, p, error)) return false;
    ok = ok && check_paths(v, row, n, b, p);
  }
  if (!ok) ss_error_set(error, SS_ERR_MEMORY, "out of memory");
  return ok;
}

int cli_verify_bodies(cli_verifier* v)
{
  ss_error error = {0};
  int n = ss_model_bodies(v->model);
  body* b = calloc(2*(size_t)n + 1, sizeof *b);
  double* pose = calloc(10*(size_t)n + (size_t)v->d->nq + 1, sizeof *pose);
  paths p = {0};
  bool ok = b && pose && make(v, n, b) && make(v, n, b + n);
  if (!ok) ss_error_set(&error, SS_ERR_MEMORY, "out of memory");
  ok = ok && check_rows(v, n, b, pose, &p, &error);
  if (!ok) cli_progress_end(&v->progress);
  for (int i = 0; b && i < 2*n; i++) free(b[i].p);
  free(b);
  free(pose);
  free(p.now);
  free(p.past);
  return ok ? CLI_GO_ON : cli_fail(&error);
}
