// A planar system: made from bodies, and handed to the integrators by operators.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "math/dense.h"
#include "planar/planar.h"

#define ARRAY(n, type) ((type*)calloc((size_t)(n) + 1, sizeof(type)))

// ---- functions of the system ---------------------------------------------------------------------------------------

static const double* place_of(const ss_planar_work* w, int i)
{
  const ss_planar_body* b = &w->p->body[i];
  return b->carriage == SS_FIXED    ? b->pose
         : b->carriage == SS_GUIDED ? w->value + b->probe
                                    : w->q + w->p->nl + 3*w->p->free[i];
}

static void place_bodies(ss_planar_work* w)
{
  const ss_planar* p = w->p;
  for (int i = 0; i < p->n_body; i++) {
    const double* x = place_of(w, i);
    w->pose[i] = ss_pose2_make(x[0], x[1], x[2]);
    w->motion[i].origin = w->pose[i].p;
  }
}

static ss_status update(const ss_at* at)
{
  ss_planar_work* w = at->scratch;
  const ss_planar* p = w->p;
  size_t bytes = sizeof(double)*(size_t)p->nv;
  w->at.u = at->u;
  bool sides = at->side || w->at.side;  // what they are may have changed
  w->at.side = at->side;
  if (w->has_pose && !sides && at->t == w->t && memcmp(w->q, at->q, bytes) == 0) return SS_OK;
  memcpy(w->q, at->q, bytes);
  w->at.q = w->q;
  w->at.t = w->t = at->t;
  w->has_factor = false;
  w->has_pose = true;
  if (p->lagrangian) {
    ss_lagrangian_update(&w->at);
    ss_lagrangian_probes(&w->at, w->value, w->row, w->rest);
  }
  int nb = p->n_bilateral;
  if (p->n_fixed) p->text->contacts(&w->at, w->gap, w->W + nb*p->nl, w->w_hat + nb);
  if (nb) p->text->bilateral(&w->at, w->error, w->W, w->w_hat);
  place_bodies(w);
  return SS_OK;
}

void ss_planar_move(ss_planar_work* w, const double* u, bool with_rest)
{
  const ss_planar* p = w->p;
  for (int i = 0; i < p->n_body; i++) {
    const ss_planar_body* b = &p->body[i];
    double v[3] = {0, 0, 0};
    if (u && b->carriage == SS_FREE) memcpy(v, u + p->nl + 3*p->free[i], sizeof v);
    for (int k = 0; k < 3 && b->carriage == SS_GUIDED; k++) {
      v[k] = with_rest ? w->rest[b->probe + k] : 0;
      for (int j = 0; u && j < p->nl; j++) v[k] += w->row[(b->probe + k)*p->nl + j]*u[j];
    }
    w->motion[i].v = (ss_vec2){v[0], v[1]};
    w->motion[i].omega = v[2];
  }
}

static ss_status force(const ss_at* at, double* h)
{
  ss_planar_work* w = at->scratch;
  const ss_planar* p = w->p;
  w->at.u = at->u;
  if (p->text) p->text->force(&w->at, h);
  for (int i = 0; i < p->n_body; i++) {
    if (p->free[i] < 0 || p->body[i].part_of) continue;
    double* to = h + p->nl + 3*p->free[i];
    to[0] = p->body[i].mass*p->gravity[0];
    to[1] = p->body[i].mass*p->gravity[1];
    to[2] = 0;
  }
  return SS_OK;
}

static ss_status factor(const ss_at* at)
{
  ss_planar_work* w = at->scratch;
  const ss_planar* p = w->p;
  if (w->has_factor || !p->text) return SS_OK;
  p->text->mass(&w->at, w->L);
  w->has_factor = ss_chol_factor(p->nl, w->L);
  return w->has_factor ? SS_OK : SS_ERR_NUMERIC;
}

static void solve(const ss_at* at, const double* x, double* y)
{
  const ss_planar_work* w = at->scratch;
  const ss_planar* p = w->p;
  if (y != x) memcpy(y, x, sizeof(double)*(size_t)p->nv);
  if (p->nl) ss_chol_solve(p->nl, w->L, y);
  for (int i = 0; i < p->n_body; i++) {
    if (p->free[i] < 0 || p->body[i].part_of) continue;
    double* to = y + p->nl + 3*p->free[i];
    to[0] /= p->body[i].mass;
    to[1] /= p->body[i].mass;
    to[2] /= p->body[i].inertia;
  }
}

static ss_status bilateral(const ss_at* at, double* error, double* size)
{
  ss_planar_work* w = at->scratch;
  const ss_planar* p = w->p;
  memcpy(error, w->error, sizeof(double)*(size_t)p->n_bilateral);
  for (int i = 0; size && i < p->n_bilateral; i++) {
    size[i] = 0;
    for (int j = 0; j < p->nl; j++) size[i] += fabs(w->W[i*p->nl + j]*w->q[j]);
  }
  return SS_OK;
}

// Of the Lagrangian, into those of the system if `part` is not NULL
static void energy_of_text(const ss_at* at, ss_energy* e, ss_energy* part)
{
  ss_planar_work* w = at->scratch;
  const ss_planar* p = w->p;
  w->at.u = at->u;
  bool several = part && p->n_text_energy > 1;
  if (several) p->text->energies(&w->at, e, w->text_energy);
  else p->text->energy(&w->at, e);
  if (part && !several) part[p->text_energy[0]] = *e;
  for (int i = 0; several && i < p->n_text_energy; i++) {
    ss_energy* to = &part[p->text_energy[i]];
    to->kinetic += w->text_energy[i].kinetic;
    to->potential += w->text_energy[i].potential;
    to->transport += w->text_energy[i].transport;
  }
}

static ss_status energies(const ss_at* at, ss_energy* e, ss_energy* part)
{
  ss_planar_work* w = at->scratch;
  const ss_planar* p = w->p;
  *e = (ss_energy){0};
  for (int i = 0; part && i < p->n_energy; i++) part[i] = (ss_energy){0};
  if (p->text) energy_of_text(at, e, part);
  for (int i = 0; i < p->n_body; i++) {
    if (p->free[i] < 0 || p->body[i].part_of) continue;
    const ss_planar_body* b = &p->body[i];
    const double *u = at->u + p->nl + 3*p->free[i], *q = at->q + p->nl + 3*p->free[i];
    double T = b->mass/2*(u[0]*u[0] + u[1]*u[1]) + b->inertia/2*u[2]*u[2];
    double fall = b->mass*(p->gravity[0]*q[0] + p->gravity[1]*q[1]);
    e->kinetic += T;
    e->potential -= fall;
    if (part) part[1 + p->free[i]] = (ss_energy){.kinetic = T, .potential = -fall};
  }
  return SS_OK;
}

static ss_status energy(const ss_at* at, ss_energy* e) { return energies(at, e, NULL); }

static ss_status power(const ss_at* at, ss_power* out)
{
  ss_planar_work* w = at->scratch;
  w->at.u = at->u;
  return w->p->text->power(&w->at, out);
}

// Kinks are those of expressions; free bodies have none
static ss_status kinks(const ss_at* at, ss_kink* kink)
{
  ss_planar_work* w = at->scratch;
  const ss_planar* p = w->p;
  size_t bytes = sizeof(double)*(size_t)p->nl;
  w->at.u = at->u;
  ss_status st = ss_lagrangian_kinks(&w->at, kink);
  for (int k = 0; k < p->n_kink && st >= 0; k++) {
    double *dq = w->of_kinks + 2*k*p->nv, *du = dq + p->nv;
    memcpy(dq, kink[k].dq, bytes);
    memcpy(du, kink[k].du, bytes);
    kink[k].dq = dq;
    kink[k].du = du;
  }
  return st;
}

static ss_status powers(const ss_at* at, ss_power* out, ss_power* part)
{
  ss_planar_work* w = at->scratch;
  const ss_planar* p = w->p;
  memset(part, 0, sizeof *part*(size_t)p->n_energy);
  if (p->n_text_energy < 2) {
    ss_status st = power(at, out);
    part[p->text_energy[0]] = *out;
    return st;
  }
  w->at.u = at->u;
  ss_status st = p->text->powers(&w->at, out, w->text_power);
  for (int i = 0; i < p->n_text_energy; i++) {
    part[p->text_energy[i]].forces += w->text_power[i].forces;
    part[p->text_energy[i]].drive += w->text_power[i].drive;
  }
  return st;
}

static ss_status momentum(const ss_at* at, double* out)
{
  ss_planar_work* w = at->scratch;
  const ss_planar* p = w->p;
  w->at.u = at->u;
  ss_status st = p->text ? p->text->momentum(&w->at, out) : SS_OK;
  for (int i = 0; i < p->n_body; i++) {
    if (p->free[i] < 0 || p->body[i].part_of) continue;
    int first = p->nl + 3*p->free[i];
    out[first] = p->body[i].mass*at->u[first];
    out[first + 1] = p->body[i].mass*at->u[first + 1];
    out[first + 2] = p->body[i].inertia*at->u[first + 2];
  }
  return st;
}

static ss_status potential_size(const ss_at* at, double* size)
{
  ss_planar_work* w = at->scratch;
  const ss_planar* p = w->p;
  memset(size, 0, sizeof(double)*(size_t)p->n_energy);
  w->at.u = at->u;
  if (p->text) p->text->potential_size(&w->at, w->text_size);
  for (int i = 0; i < p->n_text_energy; i++) size[p->text_energy[i]] += w->text_size[i];
  for (int i = 0; i < p->n_body; i++) {
    if (p->free[i] < 0 || p->body[i].part_of) continue;
    const double* q = at->q + p->nl + 3*p->free[i];
    size[1 + p->free[i]] += p->body[i].mass*(fabs(p->gravity[0]*q[0]) + fabs(p->gravity[1]*q[1]));
  }
  return SS_OK;
}

static const ss_operators operators = {
  .open = ss_planar_open,
  .close = ss_planar_close,
  .factor = factor,
  .solve = solve,
  .list = ss_planar_list,
  .bilateral = bilateral,
  .row_velocity = ss_planar_row_velocity,
  .row_sides = ss_planar_row_sides,
  .row_force = ss_planar_row_force,
  .delassus = ss_planar_delassus,
  .row_parts = ss_planar_row_parts,
  .row_drive = ss_planar_row_drive,
  .contact_name = ss_planar_contact_name,
  .mass = ss_planar_mass,
  .watch = ss_planar_watch,
  .next = ss_planar_next,
  .follow = ss_planar_follow,
  .overlap = SS_OVERLAP_NEVER,  // overlap that stays would be taken for that of too large a step
  .row_matrix = ss_planar_row_matrix,
  .row_bias = ss_planar_row_bias,
};

// ---- the workspace -------------------------------------------------------------------------------------------------

static bool take_text(ss_planar_work* w, const ss_planar* p)
{
  int rows = p->n_bilateral + p->m_fixed;
  w->at = (ss_at){.user = p->lagrangian};
  w->at.scratch = p->lagrangian ? calloc(1, ss_lagrangian_scratch(p->lagrangian)) : NULL;
  w->L = ARRAY(p->nl*p->nl, double);
  w->value = ARRAY(p->n_probe, double);
  w->row = ARRAY(p->n_probe*p->nl, double);
  w->rest = ARRAY(p->n_probe, double);
  w->bias = ARRAY(p->n_probe, double);
  w->W = ARRAY(rows*p->nl, double);
  w->w_hat = ARRAY(rows, double);
  w->gap = ARRAY(p->n_fixed, double);
  w->text_bias = ARRAY(rows, double);
  w->error = ARRAY(p->n_bilateral, double);
  w->Y = ARRAY(p->nl, double);
  w->Y_room = 1;
  w->of_kinks = ARRAY(2*p->nv*p->n_kink, double);
  w->text_energy = ARRAY(p->n_text_energy, ss_energy);
  w->text_power = ARRAY(p->n_text_energy, ss_power);
  w->text_size = ARRAY(p->n_text_energy, double);
  return (!p->lagrangian || w->at.scratch) && w->L && w->value && w->row && w->rest && w->bias && w->W && w->w_hat &&
         w->gap && w->text_bias && w->error && w->Y && w->of_kinks && w->text_energy && w->text_power && w->text_size;
}

ss_status ss_planar_open(const void* user, void* scratch, ss_error* error)
{
  const ss_planar* p = user;
  ss_planar_work* w = scratch;
  memset(w, 0, sizeof *w);
  w->p = p;
  w->q = ARRAY(p->nv, double);
  w->pose = ARRAY(p->n_body, ss_pose2);
  w->motion = ARRAY(p->n_body, ss_motion2);
  w->accel = ARRAY(p->n_body, ss_vec2);
  w->turn = ARRAY(p->n_body, double);
  w->reach = ARRAY(p->n_body, double);
  w->low = ARRAY(p->n_body, ss_vec2);
  w->high = ARRAY(p->n_body, ss_vec2);
  w->order = ARRAY(p->n_body, int);
  bool ok = take_text(w, p) && w->q && w->pose && w->motion && w->accel && w->turn && w->reach && w->low && w->high &&
            w->order;
  for (int i = 0; ok && i < p->n_body; i++) w->order[i] = i;
  if (ok) return SS_OK;
  ss_planar_close(w);
  return ss_error_set(error, SS_ERR_MEMORY, "no memory for the bodies");
}

void ss_planar_close(void* scratch)
{
  ss_planar_work* w = scratch;
  void* const all[] = {w->at.scratch, w->L,   w->value,  w->row,   w->rest, w->bias, w->W,     w->w_hat, w->gap, w->Y,
                       w->q,          w->pose, w->motion, w->accel, w->turn, w->reach, w->low, w->high,  w->order,
                       w->item,       w->rows, w->error, w->text_bias, w->of_kinks, w->text_energy, w->text_power,
                       w->text_size};
  for (size_t i = 0; i < sizeof all/sizeof *all; i++) free(all[i]);
  ss_touches_free(&w->touches);
  memset(w, 0, sizeof *w);
}

ss_status ss_planar_place(const ss_planar* p, const double* q, double t, double* pose)
{
  ss_planar_work w;
  ss_status st = ss_planar_open(p, &w, NULL);
  if (st < 0) return st;
  update(&(ss_at){.user = p, .scratch = &w, .q = q, .t = t});
  for (int i = 0; i < p->n_body; i++) memcpy(pose + 3*i, place_of(&w, i), 3*sizeof(double));
  ss_planar_close(&w);
  return SS_OK;
}

// ---- making --------------------------------------------------------------------------------------------------------

// Twice the area over half of the way around: the diameter of a disc, twice the width of a bar
static double thickness(const ss_outline* o)
{
  double around = 0;
  for (int i = 0; i < o->n_edge; i++) around += o->edge[i].length;
  return o->closed ? 4*ss_outline_weigh(o).area/around : INFINITY;
}

static void measure(ss_planar* p)
{
  for (int i = 0; i < p->n_body; i++) {
    const ss_shape2* s = &p->body[i].shape;
    p->size[i] = p->thick[i] = INFINITY;
    if (s->kind == SS_SHAPE2_CIRCLE) {
      p->radius[i] = ss_length2(s->center) + s->radius;
      p->size[i] = p->thick[i] = 2*s->radius;
    } else if (s->kind == SS_SHAPE2_OUTLINE) {
      for (int k = 0; k < s->outline->n; k++) p->radius[i] = fmax(p->radius[i], ss_length2(s->outline->point[k]));
      p->size[i] = s->outline->size;
      p->thick[i] = thickness(s->outline);
    }
    if (isfinite(p->size[i])) p->length = fmax(p->length, p->size[i]);
  }
}

static bool same_surface(const ss_planar_body* a, const ss_planar_body* b)
{
  return a->mu == b->mu && a->eps_n == b->eps_n && a->eps_t == b->eps_t && a->nu == b->nu;
}

// Laws by pairs of surfaces: the larger coefficient of both
static bool make_laws(ss_planar* p)
{
  int* one = ARRAY(p->n_body, int);  // a body of each surface
  if (!one) return false;
  for (int i = 0; i < p->n_body; i++) {
    int s = 0;
    while (s < p->n_surface && !same_surface(&p->body[one[s]], &p->body[i])) s++;
    if (s == p->n_surface) one[p->n_surface++] = i;
    p->surface[i] = s;
  }
  p->law = ARRAY(p->n_surface*p->n_surface, ss_contact_def);
  for (int i = 0; p->law && i < p->n_surface*p->n_surface; i++) {
    const ss_planar_body *a = &p->body[one[i/p->n_surface]], *b = &p->body[one[i%p->n_surface]];
    p->law[i] = (ss_contact_def){.kind = SS_CONTACT_PLANAR, .mu = fmax(a->mu, b->mu), .eps_n = fmax(a->eps_n, b->eps_n),
                                 .eps_t = fmax(a->eps_t, b->eps_t), .nu = fmax(a->nu, b->nu)};
  }
  free(one);
  return p->law != NULL;
}

static bool keep_bodies(ss_planar* p, const ss_planar_def* def)
{
  p->body = ARRAY(p->n_body, ss_planar_body);
  p->free = ARRAY(p->n_body, int);
  p->radius = ARRAY(p->n_body, double);
  p->size = ARRAY(p->n_body, double);
  p->thick = ARRAY(p->n_body, double);
  p->surface = ARRAY(p->n_body, int);
  p->name = ARRAY(p->n_body, char*);
  if (!p->body || !p->free || !p->radius || !p->size || !p->thick || !p->surface || !p->name) return false;
  for (int i = 0; i < p->n_body; i++) {
    p->body[i] = def->body[i];
    int whole = def->body[i].part_of - 1;
    p->free[i] = def->body[i].carriage != SS_FREE ? -1 : whole >= 0 ? p->free[whole] : p->n_free++;
    if (def->body[i].carriage == SS_GUIDED && def->body[i].probe + 3 > p->n_probe) p->n_probe = def->body[i].probe + 3;
    size_t length = strlen(def->body[i].name);
    p->name[i] = malloc(length + 1);
    if (!p->name[i]) return false;
    memcpy(p->name[i], def->body[i].name, length + 1);
    p->body[i].name = p->name[i];
  }
  measure(p);
  return make_laws(p);
}

static void sense(const ss_at* at, const ss_past* past, double* value)
{
  ss_planar_work* w = at->scratch;
  ss_at text = w->at;
  text.q = at->q;
  text.u = at->u;
  text.t = at->t;
  ss_lagrangian_sense(&text, past, value);
}

// Parts with energies of their own: what bodies and contacts are tied to, then the free bodies, then the rest of the
// Lagrangian, part by part. part (nv): of the velocities.
static bool find_energy_parts(ss_planar* p, int* part)
{
  const int* of_text = NULL;
  const bool* tied = NULL;
  p->n_text_energy = p->text ? ss_lagrangian_energy_parts(p->lagrangian, &of_text, &tied) : 0;
  p->n_energy = 1 + p->n_free;
  p->text_energy = calloc((size_t)p->n_text_energy + 1, sizeof *p->text_energy);
  if (!p->text_energy || !part) return false;
  for (int i = 0; i < p->n_text_energy; i++) p->text_energy[i] = tied[i] ? 0 : p->n_energy++;
  for (int i = 0; i < p->nv; i++) part[i] = i < p->nl ? p->text_energy[of_text[i]] : 1 + (i - p->nl)/3;
  return true;
}

static ss_system* make_system(ss_planar* p, const ss_planar_def* def, ss_error* error)
{
  ss_system_def d = def->names;
  int* part = malloc(sizeof *part*((size_t)p->nv + 1));
  if (!find_energy_parts(p, part)) {
    free(part);
    ss_error_set(error, SS_ERR_MEMORY, "no memory for the bodies");
    return NULL;
  }
  d.n_contact = 0;
  d.contact = NULL;
  d.n_parts = 1 + p->n_free;
  d.mass_is_constant = p->text ? p->text->mass_is_constant : true;
  d.has_power = p->text && p->text->has_power;
  d.forces_couple = p->text != NULL;
  d.user = p;
  d.scratch_size = sizeof(ss_planar_work);
  d.update = update;
  d.force = force;
  d.energy = energy;
  d.power = p->text ? power : NULL;
  d.n_energy_parts = p->n_energy;
  d.energy_part = part;
  d.energies = energies;
  d.potential_size = potential_size;
  d.powers = p->text ? powers : NULL;
  const char** where = ARRAY(p->n_kink, const char*);
  for (int k = 0; where && k < p->n_kink; k++) where[k] = ss_lagrangian_kink(p->lagrangian, k);
  d.n_kink = p->n_kink;
  d.kink = where;
  d.kinks = kinks;
  d.kinks_drive = p->text && p->text->kinks_drive;
  d.kinks_bend = p->text && p->text->kinks_bend;
  d.momentum = momentum;
  d.sense = sense;
  d.operators = &operators;
  ss_system* system = NULL;
  if (where) system = ss_system_create(&d, error);
  else ss_error_set(error, SS_ERR_MEMORY, "no memory for the bodies");
  free((void*)where);
  free(part);
  return system;
}

ss_planar* ss_planar_create(const ss_planar_def* def, ss_error* error)
{
  ss_planar* p = calloc(1, sizeof *p);
  if (!p) {
    ss_error_set(error, SS_ERR_MEMORY, "no memory for the bodies");
    return NULL;
  }
  *p = (ss_planar){.lagrangian = def->lagrangian, .nv = def->names.nv, .n_body = def->n_body, .depth = def->depth,
                   .gravity = {def->gravity[0], def->gravity[1]}, .n_bilateral = def->names.n_bilateral};
  const ss_system* text = def->lagrangian ? ss_lagrangian_system(def->lagrangian) : NULL;
  p->text = text ? ss_system_get(text) : NULL;
  p->nl = p->text ? p->text->nv : 0;
  p->n_kink = def->lagrangian ? ss_lagrangian_n_kink(def->lagrangian) : 0;
  p->n_fixed = p->text ? p->text->n_contact : 0;
  p->m_fixed = text ? ss_system_rows(text) : 0;
  if (def->n_body > SS_SHAPES2/2)
    ss_error_set(error, SS_ERR_INPUT, "more than %d bodies", SS_SHAPES2/2);
  else if (!keep_bodies(p, def)) ss_error_set(error, SS_ERR_MEMORY, "no memory for the bodies");
  else p->system = make_system(p, def, error);
  if (p->system) return p;
  ss_planar_destroy(p);
  return NULL;
}

void ss_planar_destroy(ss_planar* p)
{
  if (!p) return;
  ss_system_destroy(p->system);
  for (int i = 0; p->name && i < p->n_body; i++) free(p->name[i]);
  free(p->name);
  free(p->body);
  free(p->free);
  free(p->radius);
  free(p->size);
  free(p->thick);
  free(p->surface);
  free(p->law);
  free(p->text_energy);
  free(p);
}

const ss_system* ss_planar_system(const ss_planar* p) { return p->system; }
