// `stickslip verify` of scenes: all pairs of shapes that could touch by the rules of the model, in the recorded rows. A
// pair that overlaps must have a contact in its row that says so; what moves so fast that it could pass through another
// shape is looked at on its way, too. Rules, places and distances are computed here: nothing of the collider is used,
// and no list of its contacts. The rules, as in MJCF (docs/collision.md): contype and conaffinity; never two geoms of
// one body, or of bodies fixed to one another; not parent and child, unless the parent is the world; no body of an
// exclude, no two that an active weld ties; what is in a pair, whatever the other rules say.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <stickslip/machine.h>

#include "verify.h"
#include "verify_distance.h"
#include "verify_heights.h"

#define MOST_CHECKS 4e6   // shapes times rows that are looked at: else some rows are left out
#define MOST_PARTS 2048   // of a way from row to row
#define MOST_TURN 3       // rad, within it
#define MOST_HINTS 8      // normals of contacts
#define ROUND 0.14        // of a radius: 1 - cos 30 degrees, see docs/collision.md
#define STANDS 1e-6       // sine of the lean of a cylinder: below it the lowest point of a rim is none
#define BESIDE 1e-6       // of the smaller body: beside a face by less counts as on it, and in a corner of 60 degrees

typedef struct shape {
  cli_solid solid;
  const ss_scene_geom* geom;
  const ss_scene_hfield* field;       // NULL: none
  double middle[3], reach;            // of a ball around it, in its frame; INFINITY: a plane
  double thin;                        // its least thickness
  double at[3];                       // the middle in the world
} shape;

typedef struct carrier {
  int group, parent;                  // the first one of bodies fixed to one another, and what that hangs on
  double arm;                         // the farthest point of its shapes
  double way, speed, jump;            // that it goes in a step; at the start or end; change of velocity in a row
  double since;                       // that it goes after a contact of the row was tested
} carrier;

// Contacts of the row between two bodies
typedef struct touch {
  int a, b;
  int geom[2];                        // N is from the first to the second
  double depth, gap;
  double N[3], point[3];
  bool closed;
} touch;

typedef struct pairs {
  cli_verifier* v;
  const ss_scene* scene;
  const ss_machine* machine;
  ss_tree_work* work;
  ss_state* state;
  int n, n_body, n_touch, room;
  shape* shape;
  carrier* body;
  touch* touch;
  double* size;                       // n_body + 1: of the largest shape of a body, from the world on
  int* order;                         // n: by the left end of their balls
  ss_pose *pose, *past, *way;         // n_body: of the row, of the one before, of a place between them
  double *q_past, *q_way;             // nq
  double *twist, *twist_past;         // 6 n_body
  long candidates, looked_at;         // pairs of shapes that can touch, times rows
} pairs;

// ---- places ----

static void to_matrix(const double q[4], double R[9])
{
  double w = q[0], x = q[1], y = q[2], z = q[3], s = 2/(w*w + x*x + y*y + z*z);
  const double rows[9] = {1 - s*(y*y + z*z), s*(x*y - w*z), s*(x*z + w*y), s*(x*y + w*z), 1 - s*(x*x + z*z),
                          s*(y*z - w*x), s*(x*z - w*y), s*(y*z + w*x), 1 - s*(x*x + y*y)};
  memcpy(R, rows, sizeof rows);
}

static void turn(const double R[9], const double x[3], double out[3])
{
  for (int k = 0; k < 3; k++) out[k] = R[3*k]*x[0] + R[3*k + 1]*x[1] + R[3*k + 2]*x[2];
}

static double distance(const double a[3], const double b[3])
{
  return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

static void place(shape* s, const ss_pose* pose)
{
  double local[9], R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, p[3], o[3] = {0};
  if (pose) {
    to_matrix(pose->rotation, R);
    memcpy(o, pose->position, sizeof o);
  }
  to_matrix(s->geom->rotation, local);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      s->solid.matrix[3*i + j] = R[3*i]*local[j] + R[3*i + 1]*local[3 + j] + R[3*i + 2]*local[6 + j];
  turn(R, s->geom->position, p);
  for (int k = 0; k < 3; k++) s->solid.center[k] = o[k] + p[k];
  turn(s->solid.matrix, s->middle, p);
  for (int k = 0; k < 3; k++) s->at[k] = s->solid.center[k] + p[k];
}

static void place_all(pairs* p, const ss_pose* pose)
{
  for (int i = 0; i < p->n; i++) {
    int body = p->shape[i].geom->body;
    place(&p->shape[i], body >= 0 ? &pose[body] : NULL);
  }
}

// ---- shapes ----

static void wrap_points(shape* s, int n, const double* x)
{
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int i = 0; i < 3*n; i++) {
    low[i%3] = fmin(low[i%3], x[i]);
    high[i%3] = fmax(high[i%3], x[i]);
  }
  s->thin = INFINITY;
  for (int k = 0; k < 3; k++) {
    s->middle[k] = (low[k] + high[k])/2;
    s->thin = fmin(s->thin, high[k] - low[k]);
  }
  for (int i = 0; i < n; i++) s->reach = fmax(s->reach, distance(x + 3*i, s->middle));
}

static void wrap_field(shape* s)
{
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < s->field->n_row*s->field->n_col; i++) {
    low = fmin(low, s->field->height[i]);
    high = fmax(high, s->field->height[i]);
  }
  s->middle[2] = (low + high)/2;
  s->reach = hypot(hypot(s->field->half[0], s->field->half[1]), (high - low)/2);
  s->thin = INFINITY;  // solid below
}

static void make_shape(const ss_scene* scene, const ss_scene_geom* g, shape* s)
{
  const double* x = g->size;
  s->geom = g;
  s->solid.shape = g->shape;
  memcpy(s->solid.half, x, sizeof s->solid.half);
  switch (g->shape) {
  case SS_SCENE_PLANE: s->reach = s->thin = INFINITY; break;
  case SS_SCENE_SPHERE:
  case SS_SCENE_CAPSULE:
    s->solid.radius = x[0];
    s->reach = x[0] + (g->shape == SS_SCENE_CAPSULE ? x[1] : 0);
    s->thin = 2*x[0];
    break;
  case SS_SCENE_CYLINDER:
    s->reach = hypot(x[0], x[1]);
    s->thin = 2*fmin(x[0], x[1]);
    break;
  case SS_SCENE_BOX:
  case SS_SCENE_ELLIPSOID:
    s->reach = g->shape == SS_SCENE_BOX ? hypot(hypot(x[0], x[1]), x[2]) : fmax(fmax(x[0], x[1]), x[2]);
    s->thin = 2*fmin(fmin(x[0], x[1]), x[2]);
    break;
  case SS_SCENE_MESH:
    if (g->mesh < 0) break;
    s->solid.n_vertex = scene->mesh[g->mesh].n_vertex;
    s->solid.vertex = scene->mesh[g->mesh].vertex;
    s->solid.n_face = scene->mesh[g->mesh].n_face;
    s->solid.face = scene->mesh[g->mesh].face;
    wrap_points(s, s->solid.n_vertex, s->solid.vertex);
    break;
  case SS_SCENE_HFIELD:
    if (g->hfield < 0 || !scene->hfield[g->hfield].n_row) break;
    s->field = &scene->hfield[g->hfield];
    wrap_field(s);
    break;
  default: break;
  }
}

// Nothing is known of meshes and fields that were not read, nor of signed distances
static bool has_extent(const shape* s) { return s->reach > 0; }

// ---- which can touch ----

static bool moves(const ss_scene* scene, int body)
{
  for (int j = 0; j < scene->tree.n_joint; j++)
    if (scene->tree.joint[j].body == body && scene->tree.joint[j].kind != SS_JOINT_FIXED) return true;
  return false;
}

static void group_bodies(pairs* p)
{
  for (int b = 0; b < p->n_body; b++) {
    int up = p->scene->tree.body[b].parent, group = up < 0 ? up : p->body[up].group;
    bool free = moves(p->scene, b);
    p->body[b].group = free ? b : group;
    p->body[b].parent = free ? group : group < 0 ? SS_WORLD : p->body[group].parent;
  }
}

static bool are(int a, int b, int x, int y) { return (a == x && b == y) || (a == y && b == x); }

static bool kept_apart(const ss_scene* s, int a, int b)
{
  for (int i = 0; i < s->n_exclude; i++)
    if (are(a, b, s->exclude[i].body_a, s->exclude[i].body_b)) return true;
  for (int i = 0; i < s->n_equality; i++) {
    const ss_scene_equality* e = &s->equality[i];
    if (e->active && e->kind == SS_SCENE_WELD && e->torquescale != 0 && are(a, b, e->body_a, e->body_b)) return true;
  }
  return false;
}

static bool can_touch(const pairs* p, int i, int j)
{
  const shape *a = &p->shape[i], *b = &p->shape[j];
  const ss_scene_geom *ga = a->geom, *gb = b->geom;
  int group_a = ga->body < 0 ? SS_WORLD : p->body[ga->body].group;
  int group_b = gb->body < 0 ? SS_WORLD : p->body[gb->body].group;
  if (group_a == group_b || !has_extent(a) || !has_extent(b)) return false;
  bool flat = (isinf(a->reach) || a->field) && (isinf(b->reach) || b->field);
  if (flat) return false;  // such pairs are refused
  for (int k = 0; k < p->scene->n_pair; k++)
    if (are(i, j, p->scene->pair[k].geom_a, p->scene->pair[k].geom_b)) return true;
  if (!((ga->contype & gb->conaffinity) | (gb->contype & ga->conaffinity))) return false;
  if (p->scene->option.filterparent) {
    int over_a = group_a < 0 ? SS_WORLD : p->body[group_a].parent;
    int over_b = group_b < 0 ? SS_WORLD : p->body[group_b].parent;
    if ((over_a != SS_WORLD && over_a == group_b) || (over_b != SS_WORLD && over_b == group_a)) return false;
  }
  return !kept_apart(p->scene, ga->body, gb->body);
}

// ---- what the file says of a row ----

static int compare_bodies(const touch* x, int a, int b)
{
  int low = a < b ? a : b, high = a < b ? b : a;
  return x->a != low ? (x->a > low) - (x->a < low) : (x->b > high) - (x->b < high);
}

static int compare_touches(const void* x, const void* y)
{
  const touch* other = y;
  return compare_bodies(x, other->a, other->b);
}

static bool read_touches(pairs* p, long row, ss_error* error)
{
  const ss_run_contact* list;
  int n = ss_run_contacts(p->v->run, row, &list, error);
  if (n < 0) return false;
  touch* room = n > p->room ? realloc(p->touch, sizeof *room*(size_t)n*2) : p->touch;
  if (n && !room) return ss_error_set(error, SS_ERR_MEMORY, "out of memory"), false;
  p->touch = room;
  p->room = n > p->room ? 2*n : p->room;
  p->n_touch = 0;
  for (int i = 0; i < n; i++) {
    const ss_run_contact* c = &list[i];
    if (c->frame[0] == 0 && c->frame[1] == 0 && c->frame[2] == 0) continue;  // it has no place
    touch* t = &p->touch[p->n_touch++];
    bool turned = c->body_a > c->body_b;
    *t = (touch){.a = turned ? c->body_b : c->body_a, .b = turned ? c->body_a : c->body_b, .depth = fmax(0, -c->gap),
                 .gap = c->gap, .closed = c->state != SS_OPEN};
    uint64_t shapes = p->v->info->contact_key[c->contact] >> SS_KEY_FEATURE;
    t->geom[0] = (int)(shapes >> 22);
    t->geom[1] = (int)(shapes & ((1u << 22) - 1));
    memcpy(t->N, c->frame, sizeof t->N);
    memcpy(t->point, c->point, sizeof t->point);
  }
  if (p->n_touch) qsort(p->touch, (size_t)p->n_touch, sizeof *p->touch, compare_touches);
  return true;
}

// The depth that the file has for two bodies, and directions of their contacts; below zero: it has none
static double told_depth(const pairs* p, int a, int b, int* n_hint, double hint[MOST_HINTS][3])
{
  int low = 0, high = p->n_touch;
  while (low < high) {
    int middle = (low + high)/2;
    if (compare_bodies(&p->touch[middle], a, b) < 0) low = middle + 1;
    else high = middle;
  }
  double depth = -1;
  for (*n_hint = 0; low < p->n_touch && compare_bodies(&p->touch[low], a, b) == 0; low++) {
    depth = fmax(depth, p->touch[low].depth);
    if (*n_hint < MOST_HINTS) memcpy(hint[(*n_hint)++], p->touch[low].N, sizeof *hint);
  }
  return depth;
}

// ---- a pair ----

// No deeper than `enough`, or by how much
static double depth_of(const shape* a, const shape* b, double enough, int n_hint, const double (*hint)[3])
{
  double best[3];
  if (a->field) return cli_field_depth(&a->solid, a->field, &b->solid, b->at, b->reach);
  if (b->field) return cli_field_depth(&b->solid, b->field, &a->solid, a->at, a->reach);
  return cli_overlap(&a->solid, &b->solid, enough, n_hint, hint, best);
}

static double way_of(const pairs* p, int body) { return body < 0 ? 0 : p->body[body].way; }

static double since_of(const pairs* p, int body) { return body < 0 ? 0 : p->body[body].since; }

static double size_of(const shape* a, const shape* b) { return 2*fmin(a->reach, b->reach); }

// Time-stepping sees a contact where it tests for it, after which bodies may have gone on for the way of a step.
static void check_pair(pairs* p, long row, int i, int j)
{
  const shape *a = &p->shape[i], *b = &p->shape[j];
  double hint[MOST_HINTS][3], size = size_of(a, b);
  int n_hint;
  double told = fmax(0, told_depth(p, a->geom->body, b->geom->body, &n_hint, hint));
  double allowed = told + way_of(p, a->geom->body) + way_of(p, b->geom->body);
  double depth = depth_of(a, b, allowed + 1e-12*size, n_hint, (const double(*)[3])hint);
  cli_verify_note(p->v, CLI_OVERLAPS, row, fmax(0, depth - allowed), size);
}

static bool are_near(const shape* a, const shape* b, double more)
{
  return isinf(a->reach) || isinf(b->reach) || distance(a->at, b->at) <= a->reach + b->reach + more;
}

// ---- contacts of the file ----

// How far a point is from the surface of a shape
static double point_off(const shape* s, const double point[3])
{
  cli_solid at = {.shape = SS_SCENE_SPHERE, .matrix = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  double best[3];
  memcpy(at.center, point, sizeof at.center);
  return fabs(cli_overlap(&s->solid, &at, -INFINITY, 0, NULL, best));
}

// Points on rims and ends are corners of octagons, or on the sphere about an end
static double round_of(const shape* s)
{
  bool round = s->geom->shape == SS_SCENE_CYLINDER || s->geom->shape == SS_SCENE_CAPSULE;
  return round ? ROUND*s->geom->size[0] : 0;
}

// ... of the nearest shape of a body, less what is allowed. Height fields are not looked at.
static double place_off(const pairs* p, int body, const double point[3], double allowed)
{
  double least = INFINITY;
  for (int i = 0; i < p->n && least > 0; i++) {
    const shape* s = &p->shape[i];
    if (s->geom->body != body || !has_extent(s)) continue;
    if (s->field) return 0;
    if (!isinf(s->reach) && distance(s->at, point) > s->reach + allowed + least) continue;
    least = fmin(least, fmax(0, point_off(s, point) - allowed - round_of(s)));
  }
  return least;
}

// A contact that is closed is on both of its bodies, up to its gap and what they have gone since it was tested
static void check_place(pairs* p, long row, const touch* t)
{
  double ways = since_of(p, t->a) + since_of(p, t->b), size = fmin(p->size[t->a + 1], p->size[t->b + 1]);
  double allowed = fabs(t->gap) + ways + BESIDE*size;
  double off = fmax(place_off(p, t->a, t->point, allowed), place_off(p, t->b, t->point, allowed));
  cli_verify_note(p->v, CLI_KINEMATICS, row, off, size);
}

// ---- contacts of round shapes, event by event ----

// The point of a sphere, an ellipsoid or the lower rim of a cylinder on a plane where its outward normal is d; false of
// others, and of a cylinder that stands
static bool round_point(const shape* s, const shape* other, const double d[3], const double near[3], double p[3])
{
  ss_scene_shape kind = s->geom->shape;
  bool rim = kind == SS_SCENE_CYLINDER && isinf(other->reach);
  if (kind != SS_SCENE_SPHERE && kind != SS_SCENE_ELLIPSOID && !rim) return false;
  cli_solid_support(&s->solid, d, p);
  for (int k = 0; k < 3; k++) p[k] += s->solid.radius*d[k];
  if (!rim) return true;
  double axis[3], along = 0, flip[3];
  for (int k = 0; k < 3; k++) along += (axis[k] = s->solid.matrix[3*k + 2])*d[k];
  if (1 - along*along < STANDS*STANDS) return false;
  for (int k = 0; k < 3; k++) flip[k] = p[k] - copysign(2*s->solid.half[1], along)*axis[k];  // that of the other end
  if (distance(flip, near) < distance(p, near)) memcpy(p, flip, sizeof flip);
  return true;
}

// How far a contact is from where the surfaces have these normals, and its gap from what lies between them
static double round_off(const shape* a, const shape* b, const touch* t, double gap)
{
  double p[2][3], off = 0, w[3];
  for (int side = 0; side < 2; side++) {
    double sign = side ? -1 : 1, d[3], *at = p[side];
    for (int k = 0; k < 3; k++) d[k] = sign*t->N[k];
    if (!round_point(side ? b : a, side ? a : b, d, t->point, at)) continue;
    for (int k = 0; k < 3; k++) at[k] += gap/2*d[k];
    off = fmax(off, distance(at, t->point));
    const shape* other = side ? a : b;
    if (!isinf(other->reach)) {
      off = fmax(off, fabs(gap + cli_overlap_along(&a->solid, &b->solid, t->N, w)));
      continue;
    }
    double between = -gap/2, turned = 0;
    for (int k = 0; k < 3; k++) {
      double n = other->solid.matrix[3*k + 2];
      between += n*(at[k] - other->solid.center[k]);
      turned = fmax(turned, fabs(n + d[k]));
    }
    off = fmax(off, fmax(fabs(between), turned*fmin(a->thin, b->thin)));
  }
  return off;
}

// Of event-driven runs, whose rows have contacts where they are
static void check_round(pairs* p, long row, const touch* t)
{
  if (t->geom[0] >= p->n || t->geom[1] >= p->n) return;
  const shape *a = &p->shape[t->geom[0]], *b = &p->shape[t->geom[1]];
  if (a->field || b->field) return;
  cli_verify_note(p->v, CLI_KINEMATICS, row, round_off(a, b, t, t->gap), size_of(a, b));
}

// ---- a row ----

static double left_of(const shape* s) { return isinf(s->reach) ? -INFINITY : s->at[0] - s->reach; }

// By insertion: from row to row little changes
static void sort_shapes(pairs* p)
{
  for (int i = 1; i < p->n; i++) {
    int one = p->order[i], k = i;
    for (; k > 0 && left_of(&p->shape[p->order[k - 1]]) > left_of(&p->shape[one]); k--) p->order[k] = p->order[k - 1];
    p->order[k] = one;
  }
}

typedef void pair_check(pairs* p, long row, int i, int j);

// All pairs whose balls meet, with `more` around them
static void sweep(pairs* p, long row, double more, pair_check* check)
{
  sort_shapes(p);
  for (int x = 0; x < p->n; x++) {
    const shape* a = &p->shape[p->order[x]];
    for (int y = x + 1; y < p->n; y++) {
      int i = p->order[x], j = p->order[y];
      if (left_of(&p->shape[j]) > a->at[0] + a->reach + more) break;
      if (are_near(a, &p->shape[j], more) && can_touch(p, i, j)) check(p, row, i, j);
    }
  }
}

static double speed_of(const double twist[6], double arm)
{
  return hypot(hypot(twist[3], twist[4]), twist[5]) + arm*hypot(hypot(twist[0], twist[1]), twist[2]);
}

// How far a pose is from another, with all points of the body
static double pose_change(const ss_pose* a, const ss_pose* b, double arm)
{
  double same = 0, other = 0;
  for (int k = 0; k < 4; k++) {
    same += (a->rotation[k] - b->rotation[k])*(a->rotation[k] - b->rotation[k]);
    other += (a->rotation[k] + b->rotation[k])*(a->rotation[k] + b->rotation[k]);
  }
  return distance(a->position, b->position) + 2*arm*sqrt(fmin(same, other));
}

// What a body may go after its contacts were tested: the path of the step, and what its velocities would have led to.
// Contacts of steps in parts may be those of an earlier part; where there are steps between the rows the last of them
// may have gone all of the way.
static void measure_ways(pairs* p, bool in_parts)
{
  const cli_verifier* v = p->v;
  double dt = v->info->run.step.dt;
  bool exact = cli_verify_tests_rows(v);
  for (int b = 0; b < p->n_body; b++) {
    carrier* c = &p->body[b];
    double change[6];
    for (int k = 0; k < 6; k++) change[k] = p->twist[6*b + k] - p->twist_past[6*b + k];
    c->speed = fmax(speed_of(p->twist + 6*b, c->arm), speed_of(p->twist_past + 6*b, c->arm));
    c->jump = speed_of(change, c->arm);
    double way = pose_change(&p->pose[b], &p->past[b], c->arm) + dt*c->speed;
    c->way = exact ? 0 : way;
    c->since = exact && !in_parts ? 0 : way;
  }
}

static bool load_row(pairs* p, long row, ss_error* error)
{
  ss_pose* pose = p->past;
  double* twist = p->twist_past;
  memcpy(p->q_past, p->state->q, sizeof *p->q_past*(size_t)p->v->info->nq);
  p->past = p->pose;
  p->pose = pose;
  p->twist_past = p->twist;
  p->twist = twist;
  if (ss_run_motion(p->v->run, row, p->state, error) < 0) return false;
  ss_machine_poses(p->machine, p->work, p->state->q, p->pose);
  ss_tree_twists(p->work, p->state->u, p->twist);
  return true;
}

// ---- on the way ----

// How far two bodies go from row to row against one another, at most, if nothing pushes them
static double path_of(const pairs* p, int a, int b)
{
  double path = 0;
  const int both[] = {a, b};
  for (int k = 0; k < 2; k++)
    if (both[k] >= 0) path += pose_change(&p->pose[both[k]], &p->past[both[k]], p->body[both[k]].arm);
  return path;
}

// How far turning takes points of a body
static double turn_of(const pairs* p, int body)
{
  if (body < 0 || !(p->body[body].arm > 0)) return 0;
  ss_pose before = p->past[body];
  memcpy(before.position, p->pose[body].position, sizeof before.position);
  return pose_change(&before, &p->pose[body], p->body[body].arm);
}

// How far points of a body that turns are from a straight way in one of `parts` parts of the way. What turns about its
// middle sweeps one side with one half and the other with the other: half of the turn is not between its ends.
static double bulge_of(const pairs* p, int body, int parts)
{
  double turn = turn_of(p, body)/parts;
  return turn > 0 ? fmin(turn, turn*turn/(4*p->body[body].arm)) + turn/2 : 0;
}

// Between two quaternions, by a part of the turn that leads from one to the other
static void turn_between(const double* a, const double* b, double part, double* out)
{
  double along = 0, length = 0;
  for (int k = 0; k < 4; k++) along += a[k]*b[k];
  double sign = along < 0 ? -1 : 1, angle = acos(fmin(1, fabs(along))), s = sin(angle);
  double of_a = s > 0 ? sin((1 - part)*angle)/s : 1 - part, of_b = sign*(s > 0 ? sin(part*angle)/s : part);
  for (int k = 0; k < 4; k++) length = hypot(length, out[k] = of_a*a[k] + of_b*b[k]);
  for (int k = 0; k < 4; k++) out[k] /= length;
}

// Poses with all joints a part of their way from the row before to this one
static void place_between(pairs* p, double part, ss_pose* pose)
{
  const ss_tree* tree = ss_machine_tree(p->machine);
  for (int i = 0; i < p->v->info->nq; i++) p->q_way[i] = (1 - part)*p->q_past[i] + part*p->state->q[i];
  for (int j = 0; j < p->scene->tree.n_joint; j++) {
    int iq, iv;
    ss_joint_kind kind = p->scene->tree.joint[j].kind;
    if (kind != SS_JOINT_FREE && kind != SS_JOINT_BALL) continue;
    ss_tree_joint_at(tree, j, &iq, &iv);
    iq += kind == SS_JOINT_FREE ? 3 : 0;
    turn_between(p->q_past + iq, p->state->q + iq, part, p->q_way + iq);
  }
  ss_machine_poses(p->machine, p->work, p->q_way, pose);
}

// Whether a body may have turned by more than half a turn: which way is not known
static bool turns_round(const pairs* p, int body, double dt)
{
  if (body < 0) return false;
  const double *w = p->twist + 6*body, *past = p->twist_past + 6*body;
  return dt*fmax(hypot(hypot(w[0], w[1]), w[2]), hypot(hypot(past[0], past[1]), past[2])) > MOST_TURN;
}

static double jump_of(const pairs* p, int body) { return body < 0 ? 0 : p->body[body].jump; }

// A pair without a contact in this row that goes farther than a quarter of the thinner one: whether the one has passed
// through the other, from a place apart to a place apart. The way of a step is straight but for turns and for what
// velocities change by: in so many parts that each turns little. Of more than MOST_PARTS nothing is said.
static void check_path(pairs* p, long row, int i, int j)
{
  const shape *a = &p->shape[i], *b = &p->shape[j];
  int body_a = a->geom->body, body_b = b->geom->body, n_hint;
  double hint[MOST_HINTS][3];
  if (isinf(a->reach) || isinf(b->reach) || a->field || b->field) return;
  if (!(path_of(p, body_a, body_b) > fmin(a->thin, b->thin)/4)) return;
  if (told_depth(p, body_a, body_b, &n_hint, hint) >= 0) return;
  double dt = p->v->t[row] - p->v->t[row - 1];
  double turns = turn_of(p, body_a) + turn_of(p, body_b), parts = fmax(1, ceil(8*turns/fmin(a->thin, b->thin)));
  if (parts > MOST_PARTS || turns_round(p, body_a, dt) || turns_round(p, body_b, dt)) {
    cli_verify_count_out(p->v, "ways from row to row of what turns by much of its size");
    return;
  }
  double bend = dt/4*(jump_of(p, body_a) + jump_of(p, body_b)) + bulge_of(p, body_a, (int)parts) +
                bulge_of(p, body_b, (int)parts);
  shape then_a = *a, then_b = *b;
  place(&then_a, body_a < 0 ? NULL : &p->past[body_a]);
  place(&then_b, body_b < 0 ? NULL : &p->past[body_b]);
  if (depth_of(a, b, 0, 0, NULL) > 0 || depth_of(&then_a, &then_b, 0, 0, NULL) > 0) return;
  double depth = -INFINITY;
  for (int k = 1; k <= (int)parts; k++) {
    shape now_a = then_a, now_b = then_b;
    place_between(p, k/parts, p->way);
    place(&now_a, body_a < 0 ? NULL : &p->way[body_a]);
    place(&now_b, body_b < 0 ? NULL : &p->way[body_b]);
    depth = fmax(depth, cli_overlap_between(&then_a.solid, &then_b.solid, &now_a.solid, &now_b.solid, bend));
    then_a = now_a;
    then_b = now_b;
  }
  cli_verify_note(p->v, CLI_OVERLAPS, row, fmax(0, depth - bend), size_of(a, b));
}

// ---- the run ----

// Every so many rows
static long stride_of(const pairs* p)
{
  double all = (double)p->n*(double)p->v->info->n_rows;
  return all > MOST_CHECKS ? (long)ceil(all/MOST_CHECKS) : 1;
}

static bool check_rows(pairs* p, ss_error* error)
{
  bool events = p->v->info->run.step.integrator == SS_EVENT_DRIVEN;
  long rows = p->v->info->n_rows, stride = stride_of(p), candidates = 0;
  const double* in_parts = cli_verify_column(p->v, "counts.", "in_parts", error);
  if (!in_parts) return false;
  for (int i = 0; i < p->n; i++)
    for (int j = 0; j < i; j++) candidates += can_touch(p, i, j);
  p->candidates = candidates*(rows - 1);
  for (long row = 0; candidates && row < rows; row++) {
    if (!cli_verify_go_on(p->v, row, error)) return false;
    bool wanted = row%stride == 0 || row + 1 == rows, next = (row + 1)%stride == 0 || row + 2 == rows;
    if ((wanted || next) && !load_row(p, row, error)) return false;
    if (!wanted || row == 0) continue;  // what overlaps at the start is put right
    if (!read_touches(p, row, error)) return false;
    measure_ways(p, in_parts[row] > in_parts[row - 1]);
    place_all(p, p->pose);
    p->looked_at += candidates;
    for (int i = 0; i < p->n_touch; i++)
      if (p->touch[i].closed) check_place(p, row, &p->touch[i]);
    for (int i = 0; events && i < p->n_touch; i++)
      if (p->touch[i].closed) check_round(p, row, &p->touch[i]);
    sweep(p, row, 0, check_pair);
    double most = 0;
    for (int b = 0; b < p->n_body; b++) most = fmax(most, pose_change(&p->pose[b], &p->past[b], p->body[b].arm));
    sweep(p, row, 2*most, check_path);
  }
  return true;
}

static bool make(pairs* p, ss_error* error)
{
  size_t n = (size_t)p->n + 1, nb = (size_t)p->n_body + 1;
  p->state = ss_state_create(ss_model_system(p->v->model));
  p->work = ss_tree_work_create(ss_machine_tree(p->machine), error);
  p->shape = calloc(n, sizeof *p->shape);
  p->order = calloc(n, sizeof *p->order);
  p->body = calloc(nb, sizeof *p->body);
  p->size = calloc(nb, sizeof *p->size);
  p->pose = calloc(nb, sizeof *p->pose);
  p->past = calloc(nb, sizeof *p->past);
  p->way = calloc(nb, sizeof *p->way);
  p->q_past = calloc(2*(size_t)p->v->info->nq + 1, sizeof *p->q_past);
  p->q_way = p->q_past + p->v->info->nq;
  p->twist = calloc(6*nb, sizeof *p->twist);
  p->twist_past = calloc(6*nb, sizeof *p->twist_past);
  if (!p->state || !p->work || !p->shape || !p->order || !p->body || !p->size || !p->pose || !p->past || !p->way ||
      !p->q_past || !p->twist || !p->twist_past)
    return ss_error_set(error, SS_ERR_MEMORY, "out of memory"), false;
  group_bodies(p);
  for (int i = 0; i < p->n; i++) {
    shape* s = &p->shape[i];
    p->order[i] = i;
    make_shape(p->scene, &p->scene->geom[i], s);
    place(s, NULL);
    p->size[s->geom->body + 1] = fmax(p->size[s->geom->body + 1], 2*s->reach);
    double far = hypot(hypot(s->at[0], s->at[1]), s->at[2]) + s->reach;
    if (s->geom->body >= 0 && isfinite(far)) p->body[s->geom->body].arm = fmax(p->body[s->geom->body].arm, far);
  }
  return true;
}

int cli_verify_pairs(cli_verifier* v)
{
  ss_error error = {0};
  pairs p = {.v = v, .scene = ss_model_scene(v->model), .machine = ss_model_machine(v->model)};
  p.n = p.scene->option.contact ? p.scene->n_geom : 0;
  p.n_body = p.scene->tree.n_body;
  bool good = make(&p, &error) && check_rows(&p, &error);
  if (!good) cli_progress_end(&v->progress);
  v->pairs = p.candidates;
  v->pairs_seen = p.looked_at;
  ss_state_destroy(p.state);
  ss_tree_work_destroy(p.work);
  free(p.shape);
  free(p.order);
  free(p.body);
  free(p.touch);
  free(p.size);
  free(p.pose);
  free(p.past);
  free(p.way);
  free(p.q_past);
  free(p.twist);
  free(p.twist_past);
  return good ? CLI_GO_ON : cli_fail(&error);
}
