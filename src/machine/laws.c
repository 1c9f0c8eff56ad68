// Laws of contact: geoms of like surfaces are one surface, and every two surfaces have one law.
#include <math.h>
#include <stdlib.h>
#include "machine/machine.h"

// Different surfaces; the table of laws has half the square of it
#define MOST_SURFACES 1024

void ss_scene_combine(const ss_scene* scene, int geom_a, int geom_b, ss_scene_pair* pair)
{
  if (!scene || !pair) return;
  const ss_scene_geom *a = scene->geom + geom_a, *b = scene->geom + geom_b;
  const ss_scene_geom* only = a->priority > b->priority ? a : a->priority < b->priority ? b : NULL;
  double f[3];
  for (int i = 0; i < 3; i++) f[i] = only ? only->friction[i] : fmax(a->friction[i], b->friction[i]);
  *pair = (ss_scene_pair){
    .name = "", .geom_a = geom_a, .geom_b = geom_b,
    .condim = only ? only->condim : a->condim > b->condim ? a->condim : b->condim,
    .friction = {f[0], f[0], f[1], f[2], f[2]},
    .restitution = only ? only->restitution : fmax(a->restitution, b->restitution),
    .tangential = only ? only->tangential : fmax(a->tangential, b->tangential),
    .margin = fmax(a->margin, b->margin), .gap = fmax(a->gap, b->gap)};
}

// condim 1, or a friction coefficient of zero: one row. Friction that differs with the direction is an ellipse, which
// stretching T2 makes a disk, or a polygon.
static ss_touch_law law_of(const ss_scene_pair* pair)
{
  const double* f = pair->friction;
  ss_touch_law t = {.law = {.name = "", .kind = SS_CONTACT_NORMAL, .eps_n = pair->restitution}, .stretch = 1,
                    .roll_stretch = 1, .spin = {.name = "spin", .kind = SS_CONTACT_FRICTION},
                    .roll = {.name = "roll", .kind = SS_CONTACT_SPATIAL}};
  bool polygon = pair->n_polygon > 0;
  if (pair->condim < 3) return t;
  if (pair->condim > 3) t.spin.mu = f[2];
  if (pair->condim > 4) t.roll.mu = f[3];
  if (f[3] > 0) t.roll_stretch = f[4]/f[3];
  if (polygon || f[0] > 0 || pair->bound[1] > 0 || (pair->law && *pair->law)) {
    t.law.kind = SS_CONTACT_SPATIAL;
    t.law.mu = polygon ? 1 : f[0];
    t.law.mu_static = pair->mu_static;
    t.law.bound = pair->bound[0];
    t.law.bound_static = pair->bound[1] > pair->bound[0] ? pair->bound[1] : 0;
    t.law.eps_t = pair->tangential;
    t.stretch = polygon || !(f[0] > 0) ? 1 : f[1]/f[0];
  }
  t.directed = polygon || t.stretch != 1 || (t.roll.mu > 0 && t.roll_stretch != 1);
  return t;
}

// What an explicit pair has besides: directions fixed to a geom, polygons
static ss_status direct(ss_machine* m, const ss_scene* scene, const ss_scene_pair* pair, double** vertex,
                        ss_touch_law* t, ss_error* error)
{
  if (t->directed && pair->directed) {
    const ss_scene_geom* g = scene->geom + pair->geom_a;
    t->fixed = true;
    t->body = g->body;
    t->axis = ss_quat_rotate(ss_quat_from(g->rotation), ss_vec3_from(pair->direction));
    if (g->body != SS_WORLD) m->posed[g->body] = true;
  }
  if (!pair->n_polygon || pair->condim < 3) return SS_OK;
  ss_error why = {0};
  for (int i = 0; i < 2*pair->n_polygon; i++) (*vertex)[i] = pair->polygon[i];
  t->set = (ss_friction_set){.shape = SS_SET_POLYGON, .n = pair->n_polygon, .vertex = *vertex};
  *vertex += 2*pair->n_polygon;
  if (ss_friction_set_check(&t->set, &why) >= 0) return SS_OK;
  return ss_machine_complain(error, scene, pair->line, "friction-polygon: %.200s", why.text);
}

// ---- surfaces ------------------------------------------------------------------------------------------------------

static bool same(const ss_surface* a, const ss_surface* b)
{
  return a->condim == b->condim && a->priority == b->priority && a->mu == b->mu && a->spin == b->spin &&
         a->roll == b->roll && a->eps_n == b->eps_n && a->eps_t == b->eps_t;
}

static ss_status sort_geoms(ss_machine* m, const ss_scene* scene, ss_error* error)
{
  for (int g = 0; g < scene->n_geom; g++) {
    const ss_scene_geom* geom = scene->geom + g;
    if (!(geom->contype | geom->conaffinity)) continue;
    ss_surface s = {g, geom->condim, geom->priority, geom->friction[0], geom->friction[1], geom->friction[2],
                    geom->restitution, geom->tangential};
    int k = 0;
    while (k < m->n_surface && !same(m->surface + k, &s)) k++;
    if (k == MOST_SURFACES)
      return ss_machine_complain(error, scene, geom->line, "geom '%.60s' is the one of surface number %d; at most %d "
                                 "different ones (condim, priority, friction, restitution) can be told apart",
                                 geom->name, k + 1, MOST_SURFACES);
    if (k == m->n_surface) m->surface[m->n_surface++] = s;
    m->surface_of[g] = k;
  }
  return SS_OK;
}

static size_t place_of(int a, int b)
{
  size_t low = (size_t)(a < b ? a : b), high = (size_t)(a < b ? b : a);
  return high*(high + 1)/2 + low;
}

// ---- explicit pairs ------------------------------------------------------------------------------------------------

static uint64_t code(int a, int b)
{
  return (uint64_t)(a < b ? a : b) << 32 | (uint64_t)(a < b ? b : a);
}

static int compare(const void* p, const void* q)
{
  uint64_t a = ((const struct ss_pair_law*)p)->pair, b = ((const struct ss_pair_law*)q)->pair;
  return (a > b) - (a < b);
}

static ss_status make_pairs(ss_machine* m, const ss_scene* scene, ss_error* error)
{
  int vertices = 0;
  for (int i = 0; i < scene->n_pair; i++) vertices += scene->pair[i].n_polygon;
  m->n_pair = scene->n_pair;
  m->pair = SS_MACHINE_ARRAY(m->n_pair, struct ss_pair_law);
  double* vertex = m->polygon = SS_MACHINE_ARRAY(2*vertices, double);
  if (!m->pair || !m->polygon) return ss_machine_no_memory(error);
  for (int i = 0; i < m->n_pair; i++) {
    const ss_scene_pair* from = scene->pair + i;
    m->pair[i] = (struct ss_pair_law){code(from->geom_a, from->geom_b), law_of(from)};
    ss_status st = direct(m, scene, from, &vertex, &m->pair[i].law, error);
    if (st >= 0) st = ss_machine_make_curve(&m->pair[i].law, scene, from, error);
    if (st < 0) return st;
  }
  if (m->n_pair) qsort(m->pair, (size_t)m->n_pair, sizeof *m->pair, compare);
  for (int i = 0; i < m->n_pair; i++)
    if (m->pair[i].law.set.n) m->pair[i].law.law.set = &m->pair[i].law.set;  // now that they stay where they are
  return SS_OK;
}

ss_status ss_machine_make_laws(ss_machine* m, const ss_scene* scene, ss_error* error)
{
  m->surface = SS_MACHINE_ARRAY(MOST_SURFACES, ss_surface);
  m->surface_of = SS_MACHINE_ARRAY(scene->n_geom, int);
  if (!m->surface || !m->surface_of) return ss_machine_no_memory(error);
  ss_status st = sort_geoms(m, scene, error);
  if (st < 0) return st;
  m->law = SS_MACHINE_ARRAY(place_of(m->n_surface, 0), ss_touch_law);
  if (!m->law) return ss_machine_no_memory(error);
  ss_scene_pair pair;
  for (int b = 0; b < m->n_surface; b++)
    for (int a = 0; a <= b; a++) {
      ss_scene_combine(scene, m->surface[a].geom, m->surface[b].geom, &pair);
      m->law[place_of(a, b)] = law_of(&pair);
    }
  return make_pairs(m, scene, error);
}

const ss_touch_law* ss_machine_law(const ss_machine* m, int geom_a, int geom_b)
{
  if (m->n_pair) {
    struct ss_pair_law wanted = {.pair = code(geom_a, geom_b)};
    const struct ss_pair_law* found = bsearch(&wanted, m->pair, (size_t)m->n_pair, sizeof wanted, compare);
    if (found) return &found->law;
  }
  return m->law + place_of(m->surface_of[geom_a], m->surface_of[geom_b]);
}

const ss_contact_def* ss_machine_contact_law(const ss_machine* m, uint64_t key)
{
  if (!m) return NULL;
  uint64_t touch = key & (SS_KEY_SPIN - 1);
  int a = ss_key_geom_a(touch), b = ss_key_geom_b(touch);
  if (key & SS_KEY_LIMIT || a < 0 || b < 0 || a >= m->n_geom || b >= m->n_geom) return NULL;
  const ss_touch_law* t = ss_machine_law(m, a, b);
  return key & SS_KEY_ROLL ? &t->roll : key & SS_KEY_SPIN ? &t->spin : &t->law;
}
