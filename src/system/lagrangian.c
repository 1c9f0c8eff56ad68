// Lagrange's equations from energies:
//   M_ij = d2T/du_i du_j,     h_i = Q_i - dR/du_i - dV/dq_i + dT/dq_i - sum_j d2T/du_i dq_j u_j - d2T/du_i dt
//   gamma_N = dg/dq u + dg/dt,   gamma_T = slide = w_T^T u + w_hat_T,   w_bar = dgamma/dq u + dgamma/dt   (u frozen)
// All derivatives are taken once, on the expressions; at run time a tape is evaluated.
#include "system/lagrangian.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system/energy_parts.h"
#include "system/kinks.h"
#include "system/parts.h"
#include "system/tape.h"

enum { POSITION, FORCE, BIAS, ENERGY, POWER, FRICTION, MOMENTUM, KINKS, PART_ENERGY, PART_POWER, TERMS, SEGMENTS };

enum { SS_KINK_NAME = 96 };

struct ss_lagrangian {
  ss_system* system;
  ss_tape tape;
  ss_tape held;     // the same on given sides of the kinks; only if there are any
  int n_kink;
  bool kinks_drive, kinks_bend;
  char (*kink)[SS_KINK_NAME];
  ss_tape sensors;  // one segment
  int n_sensor;
  int nv, n_contact, m, n_bilateral, n_probe;
  int* coupled;      // nv, see ss_system_def
  int n_energy;      // parts with energies of their own
  int* energy_part;  // nv
  int n_term;        // terms that V is made of
  int* term_part;    // n_term
  bool* tied;        // nv: rows of contacts, constraints or probes act on this part
  // where the outputs of POSITION start: M (nv nv), gap (n_contact), W (m nv), w_hat (m), error (nb), W_b, w_hat_b
  // then the probes: values (n_probe), their rows (n_probe nv), their rates at rest (n_probe)
  int at_gap, at_W, at_w_hat, at_error, at_W_b, at_w_hat_b, at_probe, at_probe_row, at_probe_rest;
};

// A growing list of output expressions, one per segment.
typedef struct outputs {
  ss_expr* list;
  int n, capacity;
  bool failed;
} outputs;

static void put(outputs* o, ss_expr e)
{
  if (e < 0) o->failed = true;
  if (o->n == o->capacity && !o->failed) {
    int capacity = o->capacity ? 2*o->capacity : 64;
    ss_expr* list = realloc(o->list, sizeof(ss_expr)*(size_t)capacity);
    if (!list) o->failed = true;
    else {
      o->list = list;
      o->capacity = capacity;
    }
  }
  if (!o->failed) o->list[o->n++] = e;
}

// M from T; false if it still depends on the rates
static bool put_mass(outputs* o, ss_graph* g, int nv, ss_expr T)
{
  bool quadratic = true;
  for (int i = 0; i < nv; i++) {
    ss_expr p = ss_expr_du(g, T, i);
    for (int j = 0; j < nv; j++) {
      ss_expr M = ss_expr_du(g, p, j);
      quadratic = quadratic && !(ss_expr_depends(g, M) & SS_DEPENDS_U);
      put(o, M);
    }
  }
  return quadratic;
}

// W = dgamma/du row by row; false if it still depends on the rates
static bool put_direction(outputs* o, ss_graph* g, int nv, ss_expr gamma)
{
  bool affine = true;
  for (int i = 0; i < nv; i++) {
    ss_expr w = ss_expr_du(g, gamma, i);
    affine = affine && !(ss_expr_depends(g, w) & SS_DEPENDS_U);
    put(o, w);
  }
  return affine;
}

static void put_force(outputs* o, const ss_lagrangian_def* def, int nv)
{
  ss_graph* g = def->graph;
  for (int i = 0; i < nv; i++) {
    ss_expr h = ss_expr_sub(g, def->force[i], ss_expr_du(g, def->damping, i));
    h = ss_expr_sub(g, h, ss_expr_dq(g, def->potential, i));
    h = ss_expr_add(g, h, ss_expr_dq(g, def->kinetic, i));
    h = ss_expr_sub(g, h, ss_expr_rate(g, ss_expr_du(g, def->kinetic, i)));
    put(o, h);
  }
}

// T, V and the transport term 2 T - u . dT/du, which is zero if T is purely quadratic
static void put_energy(outputs* o, ss_graph* g, int nv, ss_expr T, ss_expr V)
{
  ss_expr transport = ss_expr_mul(g, ss_expr_const(g, 2), T);
  bool quadratic = ss_expr_is_zero(g, ss_expr_at_rest(g, T));
  for (int i = 0; i < nv; i++) {
    ss_expr p = ss_expr_du(g, T, i);
    quadratic = quadratic && ss_expr_is_zero(g, ss_expr_at_rest(g, p));
    transport = ss_expr_sub(g, transport, ss_expr_mul(g, ss_expr_u(g, i), p));
  }
  put(o, T);
  put(o, V);
  put(o, quadratic ? ss_expr_const(g, 0) : transport);
}

// Of the coordinates whose number is `which` in `part` (NULL: of all), whose energies are T and V
static void put_power(outputs* o, const ss_lagrangian_def* def, int nv, const int* part, int which, ss_expr T,
                      ss_expr V)
{
  ss_graph* g = def->graph;
  ss_expr forces = ss_expr_const(g, 0);
  for (int i = 0; i < nv; i++) {
    if (part && part[i] != which) continue;
    ss_expr Q = ss_expr_sub(g, def->force[i], ss_expr_du(g, def->damping, i));
    forces = ss_expr_add(g, forces, ss_expr_mul(g, Q, ss_expr_u(g, i)));
  }
  put(o, forces);
  put(o, ss_expr_sub(g, ss_expr_dt(g, V), ss_expr_dt(g, T)));
}

// Which parts have rows, of `rows` rows
static void find_tied(ss_lagrangian* l, const ss_graph* g, int rows, const ss_expr* W)
{
  for (int r = 0; r < rows; r++)
    for (int i = 0; i < l->nv; i++)
      if (!ss_expr_is_zero(g, W[r*l->nv + i])) l->tied[l->energy_part[i]] = true;
}

static bool put_terms(ss_lagrangian* l, ss_graph* g, ss_expr V, outputs* o)
{
  ss_expr* term = NULL;
  l->n_term = ss_energy_terms(g, l->nv, l->energy_part, V, &term, &l->term_part);
  for (int i = 0; i < l->n_term; i++) put(o, term[i]);
  free(term);
  return l->n_term >= 0;
}

// Energies and powers of the parts, if there are several. False: no memory.
static bool put_parts(ss_lagrangian* l, const ss_lagrangian_def* def, const ss_system_def* names, outputs* o)
{
  ss_graph* g = def->graph;
  size_t n = (size_t)l->nv + 1;
  const ss_expr *position = o[POSITION].list, e[] = {def->kinetic, def->potential};
  ss_expr* sum = malloc(2*sizeof *sum*n);
  l->coupled = calloc(n, sizeof *l->coupled);
  l->energy_part = calloc(n, sizeof *l->energy_part);
  l->tied = calloc(n, sizeof *l->tied);
  bool ok = sum && l->coupled && l->energy_part && l->tied &&
            ss_find_coupled(g, names, position, position + l->at_W, position + l->at_W_b, o[FORCE].list, l->coupled);
  l->n_energy = ok ? ss_find_energy_parts(g, l->nv, l->coupled, 2, e, l->energy_part) : -1;
  ok = l->n_energy >= 0;
  if (ok) find_tied(l, g, l->m, position + l->at_W);
  if (ok) find_tied(l, g, l->n_bilateral, position + l->at_W_b);
  if (ok) find_tied(l, g, l->n_probe, position + l->at_probe_row);
  if (l->n_energy > 1)
    ok = ss_split_energy(g, l->nv, l->energy_part, l->n_energy, e[0], sum) &&
         ss_split_energy(g, l->nv, l->energy_part, l->n_energy, e[1], sum + n);
  for (int i = 0; ok && l->n_energy > 1 && i < l->n_energy; i++) {
    put_energy(&o[PART_ENERGY], g, l->nv, sum[i], sum[n + (size_t)i]);
    put_power(&o[PART_POWER], def, l->nv, l->energy_part, i, sum[i], sum[n + (size_t)i]);
  }
  free(sum);
  return ok && put_terms(l, g, def->potential, &o[TERMS]);
}

// Relative velocities of all rows: gamma (m + n_bilateral); the gaps' and constraints' rates are exact.
static void contact_velocities(const ss_lagrangian_def* def, const ss_system_def* names, ss_expr* gamma)
{
  ss_graph* g = def->graph;
  int row = 0;
  for (int i = 0; i < names->n_contact; i++) {
    if (names->contact[i].kind != SS_CONTACT_FRICTION) gamma[row++] = ss_expr_rate(g, def->contact[i].gap);
    if (names->contact[i].kind != SS_CONTACT_NORMAL) gamma[row++] = def->contact[i].slide;
  }
  for (int i = 0; i < names->n_bilateral; i++) gamma[row++] = ss_expr_rate(g, def->constraint[i]);
}

// Contact i that row belongs to.
static int contact_of_row(const ss_system_def* names, int row)
{
  int i = 0;
  while (row >= ss_contact_rows(names->contact[i].kind)) row -= ss_contact_rows(names->contact[i++].kind);
  return i;
}

// Everything that depends on the position. Returns -1 if fine, else the contact whose slide is not affine.
static int put_contacts(outputs* o, ss_lagrangian* l, const ss_lagrangian_def* def, const ss_system_def* names,
                        const ss_expr* gamma)
{
  ss_graph* g = def->graph;
  int wrong = -1;
  l->at_gap = o->n;
  for (int i = 0; i < l->n_contact; i++)
    put(o, names->contact[i].kind == SS_CONTACT_FRICTION ? ss_expr_const(g, 0) : def->contact[i].gap);
  l->at_W = o->n;
  for (int r = 0; r < l->m; r++)
    if (!put_direction(o, g, l->nv, gamma[r]) && wrong < 0) wrong = contact_of_row(names, r);
  l->at_w_hat = o->n;
  for (int r = 0; r < l->m; r++) put(o, ss_expr_at_rest(g, gamma[r]));
  l->at_error = o->n;
  for (int i = 0; i < l->n_bilateral; i++) put(o, def->constraint[i]);
  l->at_W_b = o->n;
  for (int i = 0; i < l->n_bilateral; i++) put_direction(o, g, l->nv, gamma[l->m + i]);
  l->at_w_hat_b = o->n;
  for (int i = 0; i < l->n_bilateral; i++) put(o, ss_expr_at_rest(g, gamma[l->m + i]));
  return wrong;
}

static void put_probes(outputs* o, ss_lagrangian* l, const ss_lagrangian_def* def)
{
  ss_graph* g = def->graph;
  l->at_probe = o->n;
  for (int i = 0; i < l->n_probe; i++) put(o, def->probe[i]);
  l->at_probe_row = o->n;
  for (int i = 0; i < l->n_probe; i++)
    for (int j = 0; j < l->nv; j++) put(o, ss_expr_dq(g, def->probe[i], j));
  l->at_probe_rest = o->n;
  for (int i = 0; i < l->n_probe; i++) put(o, ss_expr_dt(g, def->probe[i]));
}

static const ss_tape* tape_of(const ss_at* at)
{
  const ss_lagrangian* l = at->user;
  return at->side ? &l->held : &l->tape;
}

// Scratch: for each tape a double that says whether its constants are loaded, then its registers. First those of the
// tape, of the sensors, of the tape on sides.
static double* registers(const ss_at* at)
{
  const ss_lagrangian* l = at->user;
  return (double*)at->scratch + 1 + (at->side ? l->tape.n_register + l->sensors.n_register + 2 : 0);
}

ss_status ss_lagrangian_update(const ss_at* at)
{
  const ss_lagrangian* l = at->user;
  const ss_tape* tape = tape_of(at);
  double *r = registers(at), *flag = r - 1;
  ss_tape_load(tape, r, *flag == 0, at->q, at->u, at->t);
  if (at->side) ss_tape_load_sides(tape, r, l->n_kink, at->side);
  *flag = 1;
  ss_tape_run(tape, r, POSITION);
  return SS_OK;
}

// Loads the rates and runs a segment that depends on them.
static double* run_segment(const ss_at* at, int segment)
{
  const ss_lagrangian* l = at->user;
  double* r = registers(at);
  const ss_tape* tape = tape_of(at);
  memcpy(r + tape->n_const + tape->nv, at->u, sizeof(double)*(size_t)l->nv);
  ss_tape_run(tape, r, segment);
  return r;
}

static ss_status lag_mass(const ss_at* at, double* M)
{
  const ss_lagrangian* l = at->user;
  ss_tape_get(tape_of(at), registers(at), POSITION, 0, l->nv*l->nv, M);
  return SS_OK;
}

static ss_status lag_force(const ss_at* at, double* h)
{
  const ss_lagrangian* l = at->user;
  ss_tape_get(tape_of(at), run_segment(at, FORCE), FORCE, 0, l->nv, h);
  return SS_OK;
}

static ss_status lag_contacts(const ss_at* at, double* gap, double* W, double* w_hat)
{
  const ss_lagrangian* l = at->user;
  const double* r = registers(at);
  ss_tape_get(tape_of(at), r, POSITION, l->at_gap, l->n_contact, gap);
  ss_tape_get(tape_of(at), r, POSITION, l->at_W, l->m*l->nv, W);
  ss_tape_get(tape_of(at), r, POSITION, l->at_w_hat, l->m, w_hat);
  return SS_OK;
}

static ss_status lag_contact_bias(const ss_at* at, double* w_bar)
{
  const ss_lagrangian* l = at->user;
  ss_tape_get(tape_of(at), run_segment(at, BIAS), BIAS, 0, l->m, w_bar);
  return SS_OK;
}

static ss_status lag_bilateral(const ss_at* at, double* error, double* W, double* w_hat)
{
  const ss_lagrangian* l = at->user;
  const double* r = registers(at);
  ss_tape_get(tape_of(at), r, POSITION, l->at_error, l->n_bilateral, error);
  ss_tape_get(tape_of(at), r, POSITION, l->at_W_b, l->n_bilateral*l->nv, W);
  ss_tape_get(tape_of(at), r, POSITION, l->at_w_hat_b, l->n_bilateral, w_hat);
  return SS_OK;
}

static ss_status lag_bilateral_bias(const ss_at* at, double* w_bar)
{
  const ss_lagrangian* l = at->user;
  ss_tape_get(tape_of(at), run_segment(at, BIAS), BIAS, l->m, l->n_bilateral, w_bar);
  return SS_OK;
}

static ss_status lag_friction(const ss_at* at, double* mu, double* bound)
{
  const ss_lagrangian* l = at->user;
  const double* r = run_segment(at, FRICTION);
  ss_tape_get(tape_of(at), r, FRICTION, 0, l->n_contact, mu);
  ss_tape_get(tape_of(at), r, FRICTION, l->n_contact, l->n_contact, bound);
  return SS_OK;
}

static ss_status lag_energy(const ss_at* at, ss_energy* energy)
{
  double e[3];
  ss_tape_get(tape_of(at), run_segment(at, ENERGY), ENERGY, 0, 3, e);
  *energy = (ss_energy){.kinetic = e[0], .potential = e[1], .transport = e[2]};
  return SS_OK;
}

static ss_status lag_power(const ss_at* at, ss_power* power)
{
  double p[2];
  ss_tape_get(tape_of(at), run_segment(at, POWER), POWER, 0, 2, p);
  *power = (ss_power){.forces = p[0], .drive = p[1]};
  return SS_OK;
}

static ss_status lag_energies(const ss_at* at, ss_energy* energy, ss_energy* part)
{
  const ss_lagrangian* l = at->user;
  const double* r = run_segment(at, PART_ENERGY);
  for (int i = 0; i < l->n_energy; i++) {
    double e[3];
    ss_tape_get(tape_of(at), r, PART_ENERGY, 3*i, 3, e);
    part[i] = (ss_energy){.kinetic = e[0], .potential = e[1], .transport = e[2]};
  }
  return lag_energy(at, energy);
}

static ss_status lag_powers(const ss_at* at, ss_power* power, ss_power* part)
{
  const ss_lagrangian* l = at->user;
  const double* r = run_segment(at, PART_POWER);
  for (int i = 0; i < l->n_energy; i++) {
    double p[2];
    ss_tape_get(tape_of(at), r, PART_POWER, 2*i, 2, p);
    part[i] = (ss_power){.forces = p[0], .drive = p[1]};
  }
  return lag_power(at, power);
}

static ss_status lag_potential_size(const ss_at* at, double* size)
{
  const ss_lagrangian* l = at->user;
  const double* r = run_segment(at, TERMS);
  memset(size, 0, sizeof(double)*(size_t)(l->n_energy > 1 ? l->n_energy : 1));
  for (int i = 0; i < l->n_term; i++) {
    double e;
    ss_tape_get(tape_of(at), r, TERMS, i, 1, &e);
    size[l->n_energy > 1 ? l->term_part[i] : 0] += fabs(e);
  }
  return SS_OK;
}

void ss_lagrangian_probes(const ss_at* at, double* value, double* row, double* rest)
{
  const ss_lagrangian* l = at->user;
  const double* r = registers(at);
  ss_tape_get(tape_of(at), r, POSITION, l->at_probe, l->n_probe, value);
  ss_tape_get(tape_of(at), r, POSITION, l->at_probe_row, l->n_probe*l->nv, row);
  ss_tape_get(tape_of(at), r, POSITION, l->at_probe_rest, l->n_probe, rest);
}

void ss_lagrangian_probe_bias(const ss_at* at, double* bias)
{
  const ss_lagrangian* l = at->user;
  ss_tape_get(tape_of(at), run_segment(at, BIAS), BIAS, l->m + l->n_bilateral, l->n_probe, bias);
}

size_t ss_lagrangian_scratch(const ss_lagrangian* l)
{
  return sizeof(double)*((size_t)l->tape.n_register + (size_t)l->sensors.n_register + (size_t)l->held.n_register + 3 +
                         2*(size_t)(l->nv*l->n_kink));
}

void ss_lagrangian_sense(const ss_at* at, const ss_past* past, double* value)
{
  const ss_lagrangian* l = at->user;
  double* flag = (double*)at->scratch + 1 + l->tape.n_register;
  (void)past;
  ss_tape_load(&l->sensors, flag + 1, *flag == 0, at->q, at->u, at->t);
  *flag = 1;
  ss_tape_run(&l->sensors, flag + 1, 0);
  ss_tape_get(&l->sensors, flag + 1, 0, 0, l->n_sensor, value);
}

ss_status ss_lagrangian_kinks(const ss_at* at, ss_kink* kink)
{
  const ss_lagrangian* l = at->user;
  const ss_tape* tape = tape_of(at);
  double* r = run_segment(at, KINKS);
  int width = 2 + 2*l->nv;
  // their derivatives in one place, behind all registers
  double* row = (double*)at->scratch + ss_lagrangian_scratch(l)/sizeof(double) - 2*(size_t)(l->nv*l->n_kink);
  for (int k = 0; k < l->n_kink; k++, row += 2*l->nv) {
    double two[2];
    ss_tape_get(tape, r, KINKS, k*width, 2, two);
    ss_tape_get(tape, r, KINKS, k*width + 2, 2*l->nv, row);
    kink[k] = (ss_kink){.value = two[0], .rate = two[1], .dq = row, .du = row + l->nv};
  }
  return SS_OK;
}

static ss_status lag_momentum(const ss_at* at, double* p)
{
  const ss_lagrangian* l = at->user;
  ss_tape_get(tape_of(at), run_segment(at, MOMENTUM), MOMENTUM, 0, l->nv, p);
  return SS_OK;
}

static bool all_constant(const ss_graph* g, const ss_expr* list, int n)
{
  for (int i = 0; i < n; i++)
    if (ss_expr_depends(g, list[i])) return false;
  return true;
}

static ss_system* make_system(ss_lagrangian* l, const ss_graph* g, const ss_system_def* names, const outputs* o,
                              ss_error* error)
{
  ss_system_def d = *names;
  const ss_expr* position = o[POSITION].list;
  const ss_expr *W = position + l->at_W, *W_b = position + l->at_W_b;
  int rows = l->m + l->n_bilateral, *part = malloc(sizeof *part*(size_t)(rows + 1));
  d.n_parts = part ? ss_find_parts(g, names, position, W, W_b, part) : -1;
  d.row_part = part;
  d.coupled = l->coupled;
  d.n_energy_parts = l->n_energy > 1 ? l->n_energy : 0;
  d.energy_part = l->energy_part;
  d.user = l;
  d.scratch_size = ss_lagrangian_scratch(l);
  d.mass_is_constant = all_constant(g, position, l->nv*l->nv);
  d.has_power = !ss_expr_is_zero(g, o[POWER].list[0]) || !ss_expr_is_zero(g, o[POWER].list[1]) ||
                l->kinks_drive;
  d.update = ss_lagrangian_update;
  d.mass = lag_mass;
  d.force = lag_force;
  d.contacts = lag_contacts;
  for (int i = 0; i < l->n_contact; i++)
    if (names->contact[i].varies) d.friction = lag_friction;
  d.contact_bias = lag_contact_bias;
  d.bilateral = lag_bilateral;
  d.bilateral_bias = lag_bilateral_bias;
  d.energy = lag_energy;
  d.power = lag_power;
  d.energies = lag_energies;
  d.powers = lag_powers;
  d.potential_size = lag_potential_size;
  const char** where = calloc((size_t)l->n_kink + 1, sizeof *where);
  for (int k = 0; where && k < l->n_kink; k++) where[k] = l->kink[k];
  d.n_kink = l->n_kink;
  d.kink = where;
  d.kinks = ss_lagrangian_kinks;
  d.kinks_drive = l->kinks_drive;
  d.kinks_bend = l->kinks_bend;
  d.momentum = lag_momentum;
  d.sense = ss_lagrangian_sense;
  ss_system* system = NULL;
  if (d.n_parts < 0 || !where) ss_error_set(error, SS_ERR_MEMORY, "out of memory");
  else system = ss_system_create(&d, error);
  free(part);
  free((void*)where);
  return system;
}

int ss_lagrangian_n_kink(const ss_lagrangian* l) { return l->n_kink; }

const char* ss_lagrangian_kink(const ss_lagrangian* l, int k) { return l->kink[k]; }

int ss_lagrangian_energy_parts(const ss_lagrangian* l, const int** part, const bool** tied)
{
  *part = l->energy_part;
  *tied = l->tied;
  return l->n_energy;
}

// Kinks that expression e has and no other before, named
static void name_kinks(ss_lagrangian* l, ss_graph* g, ss_expr e, ss_kinks* kinks, const char* where, const char* name)
{
  if (e < 0) return;
  ss_expr_on_sides(g, e, kinks);
  char(*more)[SS_KINK_NAME] = realloc(l->kink, ((size_t)kinks->n + 1)*sizeof *more);
  if (!more) kinks->failed = true;
  if (!more) return;
  l->kink = more;
  for (; l->n_kink < kinks->n; l->n_kink++)
    snprintf(l->kink[l->n_kink], SS_KINK_NAME, name ? "%s '%.60s'" : "%s", where, name);
}

// Whether the expression has kinks, listed or not
static bool bends(ss_graph* g, ss_expr e)
{
  ss_kinks own = {0};
  ss_expr_on_sides(g, e, &own);
  bool has = own.n > 0 || own.failed;
  ss_kinks_free(&own);
  return has;
}

static bool find_bends(const ss_lagrangian* l, const ss_lagrangian_def* def, const ss_system_def* names)
{
  ss_graph* g = def->graph;
  for (int i = 0; i < l->n_contact; i++)
    if (names->contact[i].kind != SS_CONTACT_FRICTION && bends(g, def->contact[i].gap)) return true;
  for (int i = 0; i < l->n_bilateral; i++)
    if (bends(g, def->constraint[i])) return true;
  for (int i = 0; i < l->n_probe; i++)
    if (bends(g, def->probe[i])) return true;
  return false;
}

// The kinks of the model, in the order in which it is written; those of limits of friction last. Returns how many there
// are before these.
static int find_kinks(ss_lagrangian* l, const ss_lagrangian_def* def, const ss_system_def* names, ss_kinks* kinks)
{
  ss_graph* g = def->graph;
  name_kinks(l, g, def->kinetic, kinks, "kinetic", NULL);
  name_kinks(l, g, def->potential, kinks, "potential", NULL);
  name_kinks(l, g, def->damping, kinks, "damping", NULL);
  for (int i = 0; i < l->nv; i++) name_kinks(l, g, def->force[i], kinks, "force on", names->coordinate[i]);
  for (int i = 0; i < l->n_contact; i++) {
    const ss_lagrangian_contact* c = &def->contact[i];
    if (names->contact[i].kind != SS_CONTACT_FRICTION)
      name_kinks(l, g, c->gap, kinks, "gap of contact", names->contact[i].name);
    if (names->contact[i].kind != SS_CONTACT_NORMAL)
      name_kinks(l, g, c->slide, kinks, "slide of contact", names->contact[i].name);
  }
  for (int i = 0; i < l->n_bilateral; i++) name_kinks(l, g, def->constraint[i], kinks, "constraint", NULL);
  for (int i = 0; i < l->n_probe; i++) name_kinks(l, g, def->probe[i], kinks, "motion of a body", NULL);
  int n = kinks->n;
  kinks->slow = true;  // limits have kinks at rest (abs(x')), where contacts stick: those are no ends of arcs
  for (int i = 0; i < l->n_contact; i++) {
    if (!names->contact[i].varies) continue;
    name_kinks(l, g, def->contact[i].mu, kinks, "friction of contact", names->contact[i].name);
    name_kinks(l, g, def->contact[i].bound, kinks, "friction of contact", names->contact[i].name);
  }
  kinks->slow = false;
  return n;
}

// Outputs of the tape on sides, from those of the tape: false if memory is short. Kinks that derivatives alone have
// would be of functions that are there already.
static bool put_on_sides(ss_lagrangian* l, ss_graph* g, const outputs* o, ss_kinks* kinks, outputs* held)
{
  for (int s = 0; s < SEGMENTS; s++) {
    kinks->slow = s == FRICTION;
    for (int i = 0; i < o[s].n; i++) put(&held[s], ss_expr_on_sides(g, o[s].list[i], kinks));
  }
  for (int s = 0; s < SEGMENTS; s++)
    if (held[s].failed) return false;
  return !kinks->failed && kinks->n == l->n_kink;
}

static void put_kinks(outputs* o, ss_graph* g, int nv, const ss_kinks* kinks)
{
  for (int k = 0; k < kinks->n; k++) {
    ss_expr s = kinks->function[k];
    put(o, s);
    put(o, ss_expr_dt(g, s));
    for (int i = 0; i < nv; i++) put(o, ss_expr_dq(g, s, i));
    for (int i = 0; i < nv; i++) put(o, ss_expr_du(g, s, i));
  }
}

// Derives all outputs; part and index say what is wrong on failure.
static ss_status derive(ss_lagrangian* l, const ss_lagrangian_def* def, const ss_system_def* names, outputs* o,
                        ss_lagrangian_part* part, int* index, ss_error* error)
{
  ss_graph* g = def->graph;
  int rows = l->m + l->n_bilateral;
  ss_expr* gamma = malloc(sizeof(ss_expr)*(size_t)(rows + 1));
  if (!gamma) return ss_error_set(error, SS_ERR_MEMORY, "out of memory");
  contact_velocities(def, names, gamma);
  bool quadratic = put_mass(&o[POSITION], g, l->nv, def->kinetic);
  int wrong = put_contacts(&o[POSITION], l, def, names, gamma);
  put_probes(&o[POSITION], l, def);
  put_force(&o[FORCE], def, l->nv);
  for (int r = 0; r < rows; r++) put(&o[BIAS], ss_expr_rate(g, gamma[r]));
  for (int i = 0; i < l->n_probe; i++) put(&o[BIAS], ss_expr_rate(g, ss_expr_rate(g, def->probe[i])));
  put_energy(&o[ENERGY], g, l->nv, def->kinetic, def->potential);
  put_power(&o[POWER], def, l->nv, NULL, 0, def->kinetic, def->potential);
  for (int i = 0; i < 2*l->n_contact; i++) {  // mu of all contacts, then bound
    const ss_contact_def* c = &names->contact[i%l->n_contact];
    const ss_lagrangian_contact* e = &def->contact[i%l->n_contact];
    if (c->varies) put(&o[FRICTION], i < l->n_contact ? e->mu : e->bound);
    else put(&o[FRICTION], ss_expr_const(g, i < l->n_contact ? c->mu : c->bound));
  }
  free(gamma);
  bool apart = !o[POSITION].failed && !o[FORCE].failed && put_parts(l, def, names, o);
  for (int s = 0; s < SEGMENTS; s++)
    if (o[s].failed || !apart)
      return ss_error_set(error, SS_ERR_MEMORY, "the model's equations are too large, or memory is short");
  if (!quadratic) {
    *part = SS_PART_KINETIC;
    return ss_error_set(error, SS_ERR_INPUT, "the kinetic energy is not a quadratic function of the rates");
  }
  if (wrong >= 0) {
    *part = SS_PART_SLIDE;
    *index = wrong;
    return ss_error_set(error, SS_ERR_INPUT,
                        "the sliding velocity is not affine (a first-degree function) in the rates");
  }
  return SS_OK;
}

// The tapes of what was derived
static bool compile(ss_lagrangian* l, const ss_lagrangian_def* def, const ss_system_def* names, outputs* o)
{
  ss_graph* g = def->graph;
  ss_kinks kinks = {0};
  outputs held[SEGMENTS] = {{0}};
  ss_tape_segment segment[SEGMENTS], sensors = {.n = l->n_sensor, .output = def->sensor};
  int moving = find_kinks(l, def, names, &kinks);
  bool ok = !kinks.failed;
  l->kinks_bend = kinks.n && find_bends(l, def, names);
  if (ok && kinks.n) {
    for (int i = 0; i < l->nv; i++) put(&o[MOMENTUM], ss_expr_du(g, def->kinetic, i));
    put_kinks(&o[KINKS], g, l->nv, &kinks);
    for (int k = 0; k < moving; k++)  // the third is the transport term
      if (ss_expr_depends(g, kinks.function[k]) & SS_DEPENDS_T) l->kinks_drive = !ss_expr_is_zero(g, o[ENERGY].list[2]);
    ok = !o[MOMENTUM].failed && !o[KINKS].failed && put_on_sides(l, g, o, &kinks, held);
    for (int s = 0; s < SEGMENTS; s++) segment[s] = (ss_tape_segment){held[s].n, held[s].list};
    ok = ok && ss_tape_compile(&l->held, g, SEGMENTS, segment);
  }
  for (int s = 0; s < SEGMENTS; s++) segment[s] = (ss_tape_segment){o[s].n, o[s].list};
  ok = ok && ss_tape_compile(&l->tape, g, SEGMENTS, segment) &&
       (!l->n_sensor || ss_tape_compile(&l->sensors, g, 1, &sensors));
  for (int s = 0; s < SEGMENTS; s++) free(held[s].list);
  ss_kinks_free(&kinks);
  return ok;
}

ss_lagrangian* ss_lagrangian_create(const ss_lagrangian_def* def, const ss_system_def* names, ss_lagrangian_part* part,
                                    int* index, ss_error* error)
{
  *part = SS_PART_NONE;
  ss_lagrangian* l = calloc(1, sizeof *l);
  if (!l) {
    ss_error_set(error, SS_ERR_MEMORY, "out of memory");
    return NULL;
  }
  l->nv = names->nv;
  l->n_contact = names->n_contact;
  l->n_bilateral = names->n_bilateral;
  l->n_probe = def->n_probe;
  l->n_sensor = names->n_sensor;
  for (int i = 0; i < l->n_contact; i++) l->m += ss_contact_rows(names->contact[i].kind);

  outputs o[SEGMENTS] = {{0}};
  bool ok = derive(l, def, names, o, part, index, error) == SS_OK;
  if (ok) {
    ok = compile(l, def, names, o);
    if (!ok) ss_error_set(error, SS_ERR_MEMORY, "out of memory");
    else ok = l->nv == 0 || (l->system = make_system(l, def->graph, names, o, error)) != NULL;
  }
  for (int s = 0; s < SEGMENTS; s++) free(o[s].list);
  if (ok) return l;
  ss_lagrangian_destroy(l);
  return NULL;
}

void ss_lagrangian_destroy(ss_lagrangian* l)
{
  if (!l) return;
  ss_system_destroy(l->system);
  ss_tape_free(&l->tape);
  ss_tape_free(&l->sensors);
  ss_tape_free(&l->held);
  free(l->kink);
  free(l->coupled);
  free(l->energy_part);
  free(l->tied);
  free(l->term_part);
  free(l);
}

const ss_system* ss_lagrangian_system(const ss_lagrangian* l) { return l->system; }
