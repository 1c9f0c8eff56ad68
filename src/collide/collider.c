// Makes a scene ready: checks it, and prepares the filter. Filter rules are those of MJCF.
#include "base/text.h"
#include "collide/collider.h"
#include "collide/hull.h"
#include <stdio.h>
#include <stdlib.h>

#define COMPLAIN(...) ss_error_set(error, SS_ERR_INPUT, __VA_ARGS__)

// Geoms (a key can name so many), bodies, exclusions
#define MOST SS_MOST_GEOMS

ss_geom_def ss_geom_def_default(void) { return (ss_geom_def){.body = SS_WORLD, .contype = 1, .conaffinity = 1}; }

// ---- filter --------------------------------------------------------------------------------------------------------

// Two bodies or geoms as one number
static uint64_t both(int a, int b)
{
  uint64_t low = (uint64_t)((a < b ? a : b) + 1), high = (uint64_t)((a < b ? b : a) + 1);
  return low << 32 | high;
}

static int compare_keys(const void* p, const void* q)
{
  uint64_t a = *(const uint64_t*)p, b = *(const uint64_t*)q;
  return (a > b) - (a < b);
}

static bool among(uint64_t key, int n, const uint64_t* list)
{
  return n > 0 && bsearch(&key, list, (size_t)n, sizeof key, compare_keys);
}

bool ss_geoms_can_meet(const ss_collider* collider, int ia, int ib)
{
  const ss_filter *a = collider->filter + ia, *b = collider->filter + ib;
  if (a->group == b->group) return false;
  if (among(both(ia, ib), collider->n_pair, collider->pair)) return true;
  if (!((a->contype & b->conaffinity) | (b->contype & a->conaffinity))) return false;
  if (a->parent == b->group || b->parent == a->group) return false;
  return !among(both(collider->geom[ia].body, collider->geom[ib].body), collider->n_exclude, collider->exclude);
}

bool ss_collider_can_meet(const ss_collider* collider, int a, int b)
{
  if (!collider) return false;
  if (a < 0 || b < 0 || a >= collider->n_geom || b >= collider->n_geom || a == b) return false;
  return ss_geoms_can_meet(collider, a, b);
}

// The first body of those that are fixed to one another
static int group_of(const ss_collider_def* def, int body)
{
  while (body != SS_WORLD && def->body && def->body[body].fixed) body = def->body[body].parent;
  return body;
}

// The group that a group hangs on and that its geoms therefore do not meet; the world's geoms everybody meets
static int parent_of(const ss_collider_def* def, int group)
{
  if (group == SS_WORLD || !def->body || def->parents_meet) return SS_NO_GROUP;
  int parent = group_of(def, def->body[group].parent);
  return parent == SS_WORLD ? SS_NO_GROUP : parent;
}

// ---- checks --------------------------------------------------------------------------------------------------------

static char* label_of(const ss_collider_def* def, int g, char out[80])
{
  if (def->geom[g].name)
    snprintf(out, 80, "geom '%.60s'", def->geom[g].name);
  else
    snprintf(out, 80, "geom %d", g);
  return out;
}

static ss_status check_geom(const ss_collider_def* def, int g, ss_error* error)
{
  const ss_geom_def* geom = def->geom + g;
  char label[80];
  label_of(def, g, label);
  if (geom->body < SS_WORLD || geom->body >= def->n_body)
    return COMPLAIN("%s: body %d; it must be -1 (the world) or below %d", label, geom->body, def->n_body);
  if (!ss_pose_valid(&geom->pose))
    return COMPLAIN("%s: position or rotation is not finite, or the rotation is no quaternion", label);
  if (!(geom->margin >= 0 && geom->margin < 1e100))
    return COMPLAIN("%s: margin %g m; it must be zero or positive", label, geom->margin);
  return ss_shape_check(&geom->shape, label, error);
}

static ss_status check(const ss_collider_def* def, ss_error* error)
{
  const int counts[] = {def->n_geom, def->n_body, def->n_exclude, def->n_pair};
  for (int i = 0; i < 4; i++)
    if (counts[i] < 0 || counts[i] > MOST)
      return COMPLAIN("scene: %d geoms, %d bodies, %d exclusions, %d pairs; each from 0 to %d", def->n_geom,
                      def->n_body, def->n_exclude, def->n_pair, MOST);
  if ((def->n_geom && !def->geom) || (def->n_exclude && !def->exclude) || (def->n_pair && !def->pair))
    return COMPLAIN("scene: a list is missing");
  for (int b = 0; b < def->n_body && def->body; b++)
    if (def->body[b].parent < SS_WORLD || def->body[b].parent >= b)
      return COMPLAIN("scene: parent %d of body %d; it must be -1 (the world) or a body before this one",
                      def->body[b].parent, b);
  for (int i = 0; i < def->n_exclude; i++) {
    ss_body_pair x = def->exclude[i];
    if (x.a < SS_WORLD || x.a >= def->n_body || x.b < SS_WORLD || x.b >= def->n_body)
      return COMPLAIN("scene: exclusion %d names the bodies %d and %d; they must be -1 (the world) or below %d", i, x.a,
                      x.b, def->n_body);
  }
  for (int i = 0; i < def->n_pair; i++) {
    ss_geom_pair x = def->pair[i];
    if (x.a < 0 || x.a >= def->n_geom || x.b < 0 || x.b >= def->n_geom || x.a == x.b)
      return COMPLAIN("scene: pair %d names the geoms %d and %d; they must be two, from 0, below %d", i, x.a, x.b,
                      def->n_geom);
  }
  for (int g = 0; g < def->n_geom; g++) {
    ss_status status = check_geom(def, g, error);
    if (status < 0) return status;
  }
  return SS_OK;
}

// Every pair that may meet must be in the table. Only kinds with a gap in it are looked at.
static ss_status check_pairs(const ss_collider_def* def, const ss_collider* collider, ss_error* error)
{
  bool present[SS_SHAPE_COUNT] = {false};
  for (int g = 0; g < def->n_geom; g++) present[def->geom[g].shape.kind] = true;
  for (int a = 0; a < def->n_geom; a++) {
    ss_shape_kind kind = def->geom[a].shape.kind;
    bool doubtful = false;
    for (int k = 0; k < SS_SHAPE_COUNT; k++)
      doubtful |= present[k] && !ss_shape_pair_known(kind, (ss_shape_kind)k);
    for (int b = 0; doubtful && b < a; b++) {
      ss_shape_kind other = def->geom[b].shape.kind;
      if (ss_shape_pair_known(kind, other) || !ss_geoms_can_meet(collider, a, b)) continue;
      char one[80], two[80];
      return COMPLAIN("%s (%s) and %s (%s): contacts between these shapes cannot be found; keep them "
                      "apart by contype and conaffinity",
                      label_of(def, b, one), ss_shape_name(other), label_of(def, a, two), ss_shape_name(kind));
    }
  }
  return SS_OK;
}

// ---- life ----------------------------------------------------------------------------------------------------------

static bool is_known(ss_shape_kind kind) { return kind <= SS_SHAPE_HEIGHTS; }

static ss_collider* allocate(const ss_collider_def* def)
{
  ss_collider* s = calloc(1, sizeof *s);
  if (!s) return NULL;
  size_t n = (size_t)def->n_geom + 1;
  s->geom = calloc(n, sizeof *s->geom);
  s->filter = calloc(n, sizeof *s->filter);
  s->kind = calloc(n, sizeof *s->kind);
  s->finite = calloc(n, sizeof *s->finite);
  s->plane = calloc(n, sizeof *s->plane);
  s->exclude = calloc((size_t)def->n_exclude + 1, sizeof *s->exclude);
  s->pair = calloc((size_t)def->n_pair + 1, sizeof *s->pair);
  s->listed = calloc(n, sizeof *s->listed);
  s->arm = calloc((size_t)def->n_body + 1, sizeof *s->arm);
  if (s->geom && s->filter && s->kind && s->finite && s->plane && s->exclude && s->pair && s->listed && s->arm)
    return s;
  ss_collider_destroy(s);
  return NULL;
}

// The hull of an earlier geom with the same vertices, for geom g, too
static ss_hull* share_hull(const ss_collider_def* def, const ss_collider* s, int g)
{
  const ss_shape_def* mesh = &def->geom[g].shape;
  if (mesh->kind != SS_SHAPE_MESH) return NULL;
  for (int k = g - 1; k >= 0; k--) {
    const ss_shape_def* other = &def->geom[k].shape;
    bool same = other->kind == SS_SHAPE_MESH && other->vertex == mesh->vertex && other->n_vertex == mesh->n_vertex;
    if (!same || !s->geom[k].shape.hull) continue;
    s->geom[k].shape.hull->users++;
    return s->geom[k].shape.hull;
  }
  return NULL;
}

static ss_status add_geom(const ss_collider_def* def, int g, ss_collider* s, ss_error* error)
{
  char label[80];
  const ss_geom_def* from = def->geom + g;
  ss_geom* geom = s->geom + g;
  *geom = (ss_geom){.shape = from->shape, .position = ss_vec3_from(from->pose.position),
                    .turn = ss_pose_turn(&from->pose), .body = from->body, .margin = from->margin};
  geom->shape.hull = NULL;
  geom->shape.heights = NULL;
  geom->central = from->shape.kind == SS_SHAPE_SPHERE && ss_norm(geom->position) == 0;
  int group = group_of(def, from->body);
  s->filter[g] = (ss_filter){from->contype, from->conaffinity, group, parent_of(def, group)};
  s->kind[g] = (unsigned char)from->shape.kind;
  bool alone = !(from->contype | from->conaffinity) && !s->listed[g];
  if (alone || !is_known(from->shape.kind)) return SS_OK;  // it meets nothing
  if (from->shape.kind == SS_SHAPE_PLANE) {
    s->plane[s->n_plane++] = g;
    return SS_OK;
  }
  geom->shape.hull = share_hull(def, s, g);
  ss_status st = ss_shape_prepare(&geom->shape, label_of(def, g, label), error);
  if (st < 0) return st;
  geom->shape.vertex = geom->shape.height = NULL;
  s->finite[s->n_finite++] = g;
  double arm = ss_norm(geom->position) + ss_shape_bound(&geom->shape);
  if (from->body != SS_WORLD) s->arm[from->body] = fmax(s->arm[from->body], arm);
  return SS_OK;
}

ss_collider* ss_collider_create(const ss_collider_def* def, ss_error* error)
{
  if (!def) {
    ss_error_null(error, "the definition");
    return NULL;
  }
  if (check(def, error) < 0) return NULL;
  ss_collider* s = allocate(def);
  if (!s) {
    ss_error_set(error, SS_ERR_MEMORY, "scene: no memory for %d geoms", def->n_geom);
    return NULL;
  }
  s->n_geom = def->n_geom;
  s->n_body = def->n_body;
  s->n_exclude = def->n_exclude;
  for (int i = 0; i < def->n_exclude; i++) s->exclude[i] = both(def->exclude[i].a, def->exclude[i].b);
  qsort(s->exclude, (size_t)s->n_exclude, sizeof *s->exclude, compare_keys);
  s->n_pair = def->n_pair;
  for (int i = 0; i < def->n_pair; i++) {
    s->pair[i] = both(def->pair[i].a, def->pair[i].b);
    s->listed[def->pair[i].a] = s->listed[def->pair[i].b] = true;
  }
  qsort(s->pair, (size_t)s->n_pair, sizeof *s->pair, compare_keys);
  ss_status st = SS_OK;
  for (int g = 0; g < def->n_geom && st >= 0; g++) st = add_geom(def, g, s, error);
  if (st >= 0 && !ss_find_seams(def, s))
    st = ss_error_set(error, SS_ERR_MEMORY, "scene: no memory for the seams of %d geoms", def->n_geom);
  if (st < 0 || check_pairs(def, s, error) < 0) {
    ss_collider_destroy(s);
    return NULL;
  }
  return s;
}

void ss_collider_destroy(ss_collider* s)
{
  if (!s) return;
  for (int g = 0; s->geom && g < s->n_geom; g++) ss_shape_release(&s->geom[g].shape);
  free(s->geom);
  free(s->filter);
  free(s->kind);
  free(s->finite);
  free(s->plane);
  free(s->exclude);
  free(s->pair);
  free(s->listed);
  free(s->arm);
  free(s->seam_first);
  free(s->seam_end);
  free(s->seam);
  free(s);
}
