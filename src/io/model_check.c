// A model at its initial state: what can be known to be wrong before the first step.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "integrate/known.h"
#include "integrate/work.h"
#include "io/model_bodies.h"
#include "io/model_reader.h"
#include "system/kinks.h"
#include "system/lagrangian.h"

#define ROUND_OFF 1e-13
#define SINGULAR 1e-14  // of the largest entry of M: a pivot that is none
enum { MOST = 257 };  // coordinates that are looked through for one
#define FAST 1.0  // rad
#define LAST_DIGIT 2.0  // units by which the last digit of a published number may be off: cut, not rounded, or computed

static void warn(ss_reader* r, const char* text)
{
  if (r->def->log.write) r->def->log.write(r->def->log.user, SS_LOG_WARNING, text);
}

// A motion without kinetic energy, "x'" or "the motion x' : y' = 1 : -0.5": the column at which Cholesky's factor ends,
// M x = 0 with x = 1 there and the columns before it eliminated. Whether its energy is negative, not zero. M, nv x nv,
// is overwritten.
static bool describe_null(const ss_system_def* d, double* M, char* out, size_t size)
{
  int n = d->nv, p = 0;
  double x[MOST] = {0}, largest = 0;
  for (int i = 0; i < n; i++) largest = fmax(largest, fabs(M[i*n + i]));
  for (; p < n && p < MOST - 1; p++) {  // upper triangle of L D L^T in place
    if (!(M[p*n + p] > SINGULAR*largest)) break;
    for (int i = p + 1; i < n; i++)
      for (int j = i; j < n; j++) M[i*n + j] -= M[p*n + i]*M[p*n + j]/M[p*n + p];
  }
  if (p == n) p = n - 1;
  bool negative = M[p*n + p] < -SINGULAR*largest;
  x[p] = 1;
  for (int i = p - 1; i >= 0; i--) {
    for (int j = i + 1; j <= p; j++) x[i] -= M[i*n + j]*x[j];
    x[i] /= M[i*n + i];
  }
  int moving = 0;
  ss_text names = {0}, parts = {0};
  for (int i = 0; i <= p; i++) {
    if (fabs(x[i]) < 1e-9) continue;
    ss_text_append(&names, "%s%s'", moving ? " : " : "", d->coordinate[i]);
    ss_text_append(&parts, "%s%.4g", moving++ ? " : " : "", x[i]);
  }
  if (moving == 1) snprintf(out, size, "%s'", d->coordinate[p]);
  else snprintf(out, size, "the motion %.90s = %.80s", names.data ? names.data : "", parts.data ? parts.data : "");
  ss_text_free(&names);
  ss_text_free(&parts);
  return negative;
}

static ss_status singular_mass(ss_reader* r, const ss_work* w)
{
  const yaml_node_t* node = ss_reader_section(r, "kinetic");
  if (!node) node = ss_yaml_root(&r->yaml);
  const ss_system_def* d = ss_system_get(ss_model_system(r->model));
  double* M = d->mass ? calloc((size_t)(d->nv*d->nv), sizeof *M) : NULL;
  if (!d->mass)
    return ss_yaml_error(&r->yaml, node, 0, r->error,
                         "the mass matrix is singular at the initial state: a coordinate has no kinetic energy");
  if (!M) return ss_reader_memory(r);
  d->mass(&w->at, M);
  char motion[200] = "";
  bool negative = describe_null(d, M, motion, sizeof motion);
  free(M);
  if (negative)
    return ss_yaml_error(&r->yaml, node, 0, r->error, "the mass matrix is not positive definite at the initial state: "
                         "%s has negative kinetic energy", motion);
  return ss_yaml_error(&r->yaml, node, 0, r->error,
                       "the mass matrix is singular at the initial state: %s has no kinetic energy", motion);
}

// The section that a value comes from: the first of these that the file has, or the file
static const yaml_node_t* section_of(ss_reader* r, const char* a, const char* b, const char* c)
{
  const yaml_node_t* node = ss_reader_section(r, a);
  if (!node) node = ss_reader_section(r, b);
  if (!node) node = ss_reader_section(r, c);
  return node ? node : ss_yaml_root(&r->yaml);
}

// Forces and energies must be numbers at the start.
static ss_status check_finite(ss_reader* r, ss_work* w)
{
  const ss_system_def* d = ss_system_get(ss_model_system(r->model));
  ss_energy energy = {0};
  d->force(&w->at, w->h);
  d->energy(&w->at, &energy);
  if (!isfinite(energy.potential))
    return ss_yaml_error(&r->yaml, section_of(r, "potential", "bodies", "initial"), 0, r->error,
                         "the potential energy is not a finite number at the initial state: %g J", energy.potential);
  if (!isfinite(energy.kinetic))
    return ss_yaml_error(&r->yaml, section_of(r, "kinetic", "initial", "bodies"), 0, r->error,
                         "the kinetic energy is not a finite number at the initial state: %g J", energy.kinetic);
  for (int i = 0; i < d->nv; i++) {
    if (isfinite(w->h[i])) continue;
    return ss_yaml_error(&r->yaml, section_of(r, "forces", "potential", "kinetic"), 0, r->error,
                         "the force on '%s' is not a finite number at the initial state", d->coordinate[i]);
  }
  if (isfinite(energy.kinetic + energy.potential)) return SS_OK;
  return ss_yaml_error(&r->yaml, section_of(r, "initial", "kinetic", "bodies"), 0, r->error,
                       "the energy is not a finite number at the initial state: kinetic %g J, potential %g J",
                       energy.kinetic, energy.potential);
}

// W^T u + w_hat of a bilateral row, and the terms that it is the sum of
static double rate_of(const ss_work* w, int row, const double* u, double* terms)
{
  double rate = w->w_hat[row];
  *terms = fabs(rate);
  for (int j = 0; j < w->nv; j++) {
    rate += w->W[row*w->nv + j]*u[j];
    *terms += fabs(w->W[row*w->nv + j]*u[j]);
  }
  return rate;
}

// Whether a gap is violated by more than round-off: that of the terms that it is the difference of, and that of initial
// values which are given by a number of digits, sum_j |dg/dq_j| times what the last digit of q_j may be off by
static bool is_violated(const ss_reader* r, const ss_work* w, int contact)
{
  double terms = w->op ? w->item[contact].size : 0, digits = 0;
  const double* W = w->op ? NULL : w->W + w->row[contact]*w->nv;
  for (int j = 0; W && j < w->nv; j++) {
    terms += fabs(W[j]*w->at.q[j]);
    digits += fabs(W[j])*LAST_DIGIT*r->given_to[j];
  }
  return w->law[contact]->kind != SS_CONTACT_FRICTION && w->gap[contact] < -ROUND_OFF*terms - digits;
}

// Positions and velocities that do not fit. Integrators take constraint errors out in their first step.
static void warn_of_violations(ss_reader* r, const ss_work* w, const double* u)
{
  const ss_system_def* d = ss_system_get(ss_model_system(r->model));
  char text[400];
  for (int i = 0; w->op && i < w->n_contact; i++) {
    char name[SS_CONTACT_NAME];
    if (!is_violated(r, w, i)) continue;
    w->op->contact_name(d->user, w->item[i].key, name, sizeof name);
    ss_print(text, sizeof text, "contact '%s': the gap is violated at the initial state by %.3g m", name, -w->gap[i]);
    warn(r, text);
  }
  for (int i = 0; i < d->n_contact; i++) {
    if (!is_violated(r, w, i)) continue;
    ss_print(text, sizeof text, "contact '%s': the gap is violated at the initial state by %.3g (unit of the gap)",
             d->contact[i].name, -w->gap[i]);
    warn(r, text);
  }
  for (int i = 0; !w->op && i < d->n_bilateral; i++) {
    double terms, rate = rate_of(w, i, u, &terms);
    if (fabs(rate) > 1e-9*terms) {
      ss_print(text, sizeof text, "constraint '%s' is violated by the initial velocities, at %.3g per second; what "
               "does not fit is taken out", d->bilateral_name[i], fabs(rate));
      warn(r, text);
    }
    if (fabs(w->error[i]) <= 1e-9) continue;
    ss_print(text, sizeof text, "constraint '%s' is violated at the initial state by %.3g", d->bilateral_name[i],
             fabs(w->error[i]));
    warn(r, text);
  }
}

// Forces at u on one side of kink k
static bool forces_on_side(ss_work* w, const ss_kink* kink, double* side, int k, double value, double* h)
{
  const ss_system_def* d = w->def;
  for (int i = 0; i < d->n_kink; i++) side[i] = kink[i].value < 0 ? -1 : 1;
  side[k] = value;
  w->at.side = side;
  bool ok = d->update(&w->at) >= 0 && d->force(&w->at, h) >= 0;
  w->at.side = NULL;
  return ok;
}

// Whether forces jump where the function of kink k, which velocities decide, is zero: there on both sides. v: 3 nv
static bool jumps(ss_work* w, ss_kink* kink, double* side, int k, const double* u, double* v)
{
  int nv = w->nv;
  double *h = v + nv, *other = h + nv, size = 0, change = 0;
  memcpy(v, u, sizeof(double)*(size_t)nv);
  w->at.u = v;
  for (int round = 0; round < 4; round++) {  // to where it is zero
    double length = 0;
    if (w->def->update(&w->at) < 0 || w->def->kinks(&w->at, kink) < 0) return false;
    for (int j = 0; j < nv; j++) length += kink[k].du[j]*kink[k].du[j];
    for (int j = 0; j < nv && length > 0; j++) v[j] -= kink[k].value*kink[k].du[j]/length;
    if (!(length > 0)) return false;
  }
  if (!forces_on_side(w, kink, side, k, 1, h) || !forces_on_side(w, kink, side, k, -1, other)) return false;
  for (int j = 0; j < nv; j++) {
    size = fmax(size, fabs(h[j]) + fabs(other[j]));
    change = fmax(change, fabs(h[j] - other[j]));
  }
  return change > 1e-9*size;
}

// Dry friction as a force that jumps with a velocity: steps chatter about rest, and an arc ends there
static void warn_of_jumps(ss_reader* r, ss_work* w, const double* u)
{
  const ss_system_def* d = w->def;
  const double* at_u = w->at.u;
  ss_kink* kink = calloc((size_t)d->n_kink + 1, sizeof *kink);
  double* v = calloc(3*(size_t)d->nv + (size_t)d->n_kink + 1, sizeof *v);
  char text[400];
  for (int k = 0; kink && v && d->update && k < d->n_kink; k++) {
    if (!jumps(w, kink, v + 3*d->nv, k, u, v)) continue;
    ss_print(text, sizeof text, "%s jumps with a velocity: what it holds at rest chatters, and 'event' ends there; dry "
             "friction is a contact, e.g. contacts: {friction: {slide: x', bound: F}}", d->kink[k]);
    warn(r, text);
  }
  w->at.u = at_u;
  free(kink);
  free(v);
}

// Kinks that are no least of several gaps (io/model_split.c) have one row: what rests in a groove there is held on one
// side only
static void warn_of_grooves(ss_reader* r)
{
  char text[300];
  for (int i = 0; i < r->n_contact; i++) {
    ss_bend bend = r->contact[i].kind == SS_CONTACT_FRICTION ? SS_BEND_NONE
                                                             : ss_expr_bend(&r->graph, r->contact_expr[i].gap);
    if (!(bend & SS_BEND_LEAST)) continue;
    ss_print(text, sizeof text, "the gap of contact '%s' has kinks: what rests in a groove there would sink, and "
             "'event' ends; write it as min(a, b), or one contact for each side", r->contact[i].name);
    warn(r, text);
  }
}

// Outlines that turn far in a step are looked for in a wide neighbourhood, and steps are taken in parts: told before
static void warn_of_spin(ss_reader* r)
{
  const ss_step_def* def = &r->model->run.step;
  char text[256];
  for (int i = 0; r->bodies && def->integrator != SS_EVENT_DRIVEN && i < r->bodies->n; i++) {
    const ss_reader_body* b = &r->bodies->body[i];
    double turn = fabs(b->start[5])*def->dt;
    if (b->body.carriage != SS_FREE || b->body.shape.kind != SS_SHAPE2_OUTLINE || turn <= FAST) continue;
    ss_print(text, sizeof text, "body '%s' turns by %.3g rad in a step of %g s: its contacts are found by chance; take "
             "a smaller dt, or the integrator event", b->body.name, turn, def->dt);
    warn(r, text);
  }
}

// A parameter that nothing asks for is a slip of the pen, or left over
static void tell_unused(ss_reader* r)
{
  char text[160];
  for (int i = 0; r->def->log.write && i < r->n_symbol; i++) {
    if (r->symbol[i].kind != SS_PARAMETER || r->symbol[i].used) continue;
    snprintf(text, sizeof text, "parameter '%s' is not used", r->symbol[i].name);
    r->def->log.write(r->def->log.user, SS_LOG_INFO, text);
  }
}

ss_status ss_reader_check_initial(ss_reader* r)
{
  const ss_system* system = ss_model_system(r->model);
  ss_state* state = ss_state_create(system);
  ss_work* w = ss_work_create(system, r->error);
  ss_status st = state && w ? SS_OK : ss_reader_memory(r);
  if (st == SS_OK) {
    double rcond = 0;
    ss_model_initial(r->model, state);
    st = ss_inspect(system, state, w, NULL, &rcond);
    bool singular = w->mass_failed || (st == SS_OK && rcond < 1e-15);
    if (singular) st = singular_mass(r, w);
    else if (st < 0)
      st = ss_yaml_error(&r->yaml, ss_yaml_root(&r->yaml), 0, r->error, "at the initial state: %s", ss_work_message(w));
    else st = check_finite(r, w);
    if (st == SS_OK) warn_of_violations(r, w, state->u);
    if (st == SS_OK) warn_of_jumps(r, w, state->u);
    if (st == SS_OK) warn_of_grooves(r);
    if (st == SS_OK) warn_of_spin(r);
    if (st == SS_OK) tell_unused(r);
  }
  ss_state_destroy(state);
  ss_work_destroy(w);
  return st;
}
