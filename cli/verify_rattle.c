// `stickslip verify` of steps of rattle, from the rows alone (docs/rattle.md has the equations). u_H is not in the
// file: it is the velocity that leads from one row to the next.
//   momentum   M_A (u_H - u_A) = dt/2 h(q_A, u_H) + W_A P_1,   M_E (u_E - u_H) = dt/2 h(q_E, u_H) + W_E (Lambda - P_1)
// verify_stages.c has the laws.
#include "verify_rattle.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verify_stages.h"

#define Q_NOISE (16*DBL_EPSILON)  // of the coordinates, likewise

static bool open_islands(cli_rattle* v)
{
  if (v->c->d->operators) return true;
  if (!cli_islands_open(&v->islands, v->c)) return false;
  cli_islands_begin(&v->islands);
  cli_islands_end(&v->islands);
  return true;
}

static bool take_memory(cli_rattle* v)
{
  size_t nv = (size_t)v->c->d->nv, nb = (size_t)v->c->d->n_bilateral;
  v->qa = ss_state_create(ss_model_system(v->c->model));
  v->qe = ss_state_create(ss_model_system(v->c->model));
  v->u = calloc(4*nv + 1, sizeof *v->u);
  v->B = calloc(2*nb + 1, sizeof *v->B);
  v->off = calloc(2*nv + 1, sizeof *v->off);
  if (!v->qa || !v->qe || !v->u || !v->B || !v->off) return false;
  v->terms = v->off + nv;
  v->v = v->u + nv;
  v->mv = v->v + nv;
  v->tau = v->mv + nv;
  v->B1 = v->B + nb;
  return open_islands(v) && cli_end_open(&v->a, v->c) && cli_end_open(&v->e, v->c);
}

cli_rattle* cli_rattle_open(cli_verifier* c, ss_error* error)
{
  cli_rattle* v = calloc(1, sizeof *v);
  if (!v) return NULL;
  v->c = c;
  bool good = take_memory(v);
  for (int i = 0; i < c->d->n_bilateral && good; i++) {
    v->B[i] = cli_verify_column(c, "Lambda.", c->info->bilateral[i], error);
    v->B1[i] = cli_verify_column(c, "Lambda_1.", c->info->bilateral[i], error);
  }
  cli_verify_leave_out(c, "residuals of steps in two stages");
  if (good && error->status >= 0) return v;
  cli_rattle_close(v);
  return NULL;
}

void cli_rattle_close(cli_rattle* v)
{
  if (!v) return;
  cli_end_close(&v->a);
  cli_end_close(&v->e);
  ss_state_destroy(v->qa);
  ss_state_destroy(v->qe);
  free(v->u);
  free(v->B);
  free(v->before);
  free(v->start);
  free(v->number_a);
  free(v->number);
  free(v->off);
  cli_islands_close(&v->islands);
  free(v);
}

// Arrays for the rows and contacts of an end, what is in them is lost; count: of arrays in part, ints: of whole numbers
static bool fit(const cli_end* e, int* room, size_t count, double** const* part, size_t ints, int** const* number)
{
  if (e->rows + e->n < *room) return true;
  size_t k = 2*(size_t)(e->rows + e->n) + 16;
  double* p = realloc(*part[0], count*k*sizeof *p);
  if (p) *part[0] = p;
  int* q = realloc(*number[0], ints*k*sizeof *q);
  if (q) *number[0] = q;
  if (!p || !q) return false;
  for (size_t i = 0; i < count; i++) *part[i] = p + i*k;
  for (size_t i = 0; i < ints; i++) *number[i] = q + i*k;
  *room = (int)k;
  return true;
}

static bool fit_start(cli_rattle* v)
{
  double** const part[] = {&v->before, &v->half_a, &v->size_a, &v->push_a};
  int** const number[] = {&v->number_a};
  return fit(&v->a, &v->room_a, sizeof part/sizeof *part, part, 1, number);
}

static bool fit_end(cli_rattle* v)
{
  double** const part[] = {&v->start, &v->half_e, &v->after, &v->mean, &v->size_e,
                           &v->size, &v->P, &v->Lambda, &v->push_e};
  int** const number[] = {&v->number, &v->at_start};
  return fit(&v->e, &v->room_e, sizeof part/sizeof *part, part, 2, number);
}

// ---- contacts of the file at both ends ----

static bool same(const cli_rattle* v, const ss_run_contact* c, const ss_contact_item* item)
{
  return v->c->info->listed ? v->c->info->contact_key[c->contact] == item->key : c->contact == (int)item->key;
}

static void find_numbers(const cli_rattle* v, const cli_end* e, int n, const ss_run_contact* list, int* number)
{
  for (int i = 0; i < e->n; i++) {
    number[i] = -1;
    for (int j = 0; j < n && number[i] < 0; j++)
      if (same(v, &list[j], &e->item[i])) number[i] = j;
  }
}

// Impulses of the file in the rows of an end; from: Lambda, or Lambda_1 if `first`
static void spread(const cli_end* e, const int* number, const ss_run_contact* list, bool first, const double* bilateral,
                   double* out)
{
  for (int b = 0; b < e->nb; b++) out[b] = bilateral[b];
  for (int i = 0; i < e->n; i++)
    for (int k = 0; k < ss_contact_rows(e->law[i]->kind); k++) {
      const ss_run_contact* c = number[i] >= 0 ? &list[number[i]] : NULL;
      int part = k + cli_is_element(e, i);
      out[e->row[i] + k] = c ? (first ? c->Lambda_1 : c->Lambda)[part]/cli_stretch_of(&e->item[i], part) : 0;
    }
}

static bool pushes(const double x[3]) { return x[0] != 0 || x[1] != 0 || x[2] != 0; }

// Impulses of the file that no contact of an end has
static int count_lost(int n, const ss_run_contact* list, int m, const int* number, bool first)
{
  int lost = 0;
  for (int j = 0; j < n; j++) {
    bool found = !pushes(first ? list[j].Lambda_1 : list[j].Lambda);
    for (int i = 0; i < m && !found; i++) found = number[i] == j;
    lost += !found;
  }
  return lost;
}

// ---- the stages ----

// Of scenes all velocities are one island
static int island_of(const cli_rattle* v, int i) { return v->c->d->operators ? 0 : v->islands.of[i]; }

// Into v->off what is missing of M dv - dt/2 h - W P, beyond what round-off of the coordinates makes of M dv, and into
// v->terms its terms
static void find_momenta(cli_rattle* v, cli_end* e, const double* from, const double* to, const double* P)
{
  double dt = v->c->info->run.step.dt, most = 0;
  for (int i = 0; i < e->nv; i++) v->v[i] = to[i] - from[i];
  cli_end_times_mass(e, v->v, v->mv);
  cli_end_push(e, P, v->tau);
  for (int i = 0; i < e->nv; i++) {
    v->off[i] = (long double)v->mv[i] - dt/2*(long double)e->h[i] - v->tau[i];
    v->terms[i] = fabsl((long double)v->mv[i]) + dt/2*fabsl((long double)e->h[i]) + fabs(v->tau[i]);
  }
  for (int i = 0; i < v->qa->nq; i++) most = fmax(most, fabs(v->qa->q[i]) + fabs(v->qe->q[i]));
  for (int i = 0; i < e->nv; i++) v->v[i] = Q_NOISE*most/dt;
  cli_end_times_mass(e, v->v, v->mv);
  for (int i = 0; i < e->nv; i++) v->off[i] = fmaxl(0, fabsl(v->off[i]) - fabs(v->mv[i]));
  cli_end_times_mass(e, to, v->mv);
  for (int i = 0; i < e->nv; i++) v->terms[i] += fabs(v->mv[i]);
}

static void check_momentum(cli_rattle* v, cli_end* e, long row, const double* from, const double* to, const double* P)
{
  find_momenta(v, e, from, to, P);
  for (int k = 0; k < e->nv; k++) {
    long double off = 0, size = 0;
    if (island_of(v, k) != k) continue;
    for (int i = 0; i < e->nv; i++) {
      if (island_of(v, i) != k) continue;
      off = hypotl(off, v->off[i]);
      size += v->terms[i];
    }
    cli_verify_note(v->c, CLI_MOMENTUM, row, off, size);
  }
}

// The tangential velocity k at the end along the direction that the contact at the start has
static double carried(const cli_rattle* v, int i, int j, int k)
{
  const ss_contact_item *a = &v->a.item[j], *e = &v->e.item[i];
  bool directed = v->c->info->listed && cli_has_gap(&v->e, i) && pushes(a->frame + 3);
  if (!directed) return v->half_e[v->e.row[i] + k];
  double w[3] = {0}, sum = 0;
  for (int l = 1; l < ss_contact_rows(v->e.law[i]->kind); l++)
    for (int x = 0; x < 3; x++) w[x] += v->half_e[v->e.row[i] + l]/cli_stretch_of(e, l)*e->frame[3*l + x];
  for (int x = 0; x < 3; x++) sum += w[x]*a->frame[3*k + x];
  return sum*cli_stretch_of(a, k);
}

// Rows at the end: velocities at the start, and in the mean of the step
static void find_means(cli_rattle* v, double dt)
{
  for (int i = 0; i < v->e.n; i++) {
    int j = v->at_start[i];
    for (int k = 0; k < ss_contact_rows(v->e.law[i]->kind); k++) {
      int r = v->e.row[i] + k, s = j >= 0 ? v->a.row[j] + k : -1;
      bool normal = k == 0 && cli_has_gap(&v->e, i);
      v->mean[r] = v->half_e[r];
      if (s < 0) continue;
      v->start[r] = v->before[s];
      v->mean[r] = normal ? (v->e.item[i].gap - v->a.item[j].gap)/dt : (v->half_a[s] + carried(v, i, j, k))/2;
    }
  }
}

static void measure(cli_rattle* v)
{
  v->unit = 0;
  v->c->speed = 0;
  for (int i = 0; i < v->e.n; i++)
    for (int k = 0; k < ss_contact_rows(v->e.law[i]->kind); k++) {
      int r = v->e.row[i] + k, j = v->at_start[i];
      double terms = v->size[r] + v->size_e[r] + (j >= 0 ? v->size_a[v->a.row[j] + k] : 0);
      double own = terms + v->e.g[r]*(fabs(v->Lambda[r]) + fabs(v->P[r]));
      if (v->number[i] >= 0) v->c->speed = fmax(v->c->speed, own);
      if (v->e.g[r] > 0) v->unit = fmaxl(v->unit, own/sqrtl(v->e.g[r]));
    }
}

// ---- a step ----

static bool check_works(cli_rattle* v, long row)
{
  const ss_operators* op = v->c->d->operators;
  long double contacts = cli_stages_drive(v);
  double dt = v->c->info->run.step.dt;
  cli_ends ends = {v->qa->q, v->qa->u, v->qe->q, v->qe->u};
  double* q = malloc(sizeof *q*((size_t)v->qa->nq + 1));
  for (int i = 0; q && i < v->e.nv; i++) v->v[i] = (v->qa->u[i] + v->qe->u[i])/2;
  if (q && op && op->advance) op->advance(v->c->d->user, v->qa->q, v->v, dt/2, q);
  for (int i = 0; q && !(op && op->advance) && i < v->qa->nq; i++)
    q[i] = op ? v->qa->q[i] + dt/2*v->v[i] : (v->qa->q[i] + v->qe->q[i])/2;
  bool good = q && cli_verify_step_works(v->c, row, &ends, q, v->v, contacts);
  free(q);
  return good;
}

// u_H, and that it leads to the row
static bool find_half(cli_rattle* v, long row)
{
  const ss_operators* op = v->c->d->operators;
  double dt = v->c->info->run.step.dt;
  if (op && op->difference) op->difference(v->c->d->user, v->qa->q, v->qe->q, v->u);
  else for (int i = 0; i < v->e.nv; i++) v->u[i] = v->qe->q[i] - v->qa->q[i];
  for (int i = 0; i < v->e.nv; i++) v->u[i] /= dt;
  if (!op || !op->advance) return true;
  double* q = malloc(sizeof *q*((size_t)v->qa->nq + 1));
  if (!q) return false;
  op->advance(v->c->d->user, v->qa->q, v->u, dt, q);
  for (int i = 0; i < v->qa->nq; i++)
    cli_verify_note(v->c, CLI_POSITION, row, (long double)q[i] - v->qe->q[i], fabs(q[i]) + fabs(v->qa->q[i]) + 1e-3);
  free(q);
  return true;
}

static bool load(cli_rattle* v, long row, ss_error* error)
{
  return ss_run_motion(v->c->run, row - 1, v->qa, error) >= 0 && ss_run_motion(v->c->run, row, v->qe, error) >= 0;
}

// Impulses of the constraints in this row, both kinds, into tau and mv, which are free
static void load_bilateral(cli_rattle* v, long row, double* first, double* all)
{
  for (int b = 0; b < v->e.nb; b++) {
    first[b] = v->B1[b][row];
    all[b] = v->B[b][row];
  }
}

static void match_ends(cli_rattle* v)
{
  for (int i = 0; i < v->e.n; i++) {
    v->at_start[i] = -1;
    for (int j = 0; j < v->a.n && v->at_start[i] < 0; j++)
      if (v->a.item[j].key == v->e.item[i].key) v->at_start[i] = j;
  }
}

static bool look_at_start(cli_rattle* v, long row, int n, const ss_run_contact* list, const double* first)
{
  double dt = v->c->info->run.step.dt;
  if (!cli_end_look(&v->a, v->qa->q, v->qa->u, v->qa->t, dt)) return false;
  v->c->at.u = v->u;  // forces of the mean velocity, contacts of that at the start
  if (v->c->d->force(&v->c->at, v->a.h) < 0) return false;
  if (v->c->d->friction && v->c->d->friction(&v->c->at, v->a.mu, v->a.bound) < 0) return false;
  if (!fit_start(v)) return false;
  cli_end_velocities(&v->a, v->qa->u, v->before, v->size_a);
  cli_end_velocities(&v->a, v->u, v->half_a, v->size_a);
  find_numbers(v, &v->a, n, list, v->number_a);
  v->renamed = count_lost(n, list, v->a.n, v->number_a, true) > 0;
  if (v->renamed) {
    cli_verify_count_out(v->c, "first stages of steps in which contacts change their names");
    return true;
  }
  spread(&v->a, v->number_a, list, true, first, v->push_a);
  check_momentum(v, &v->a, row, v->qa->u, v->u, v->push_a);
  return true;
}

static bool look_at_end(cli_rattle* v, long row, int n, const ss_run_contact* list, const double* first,
                        const double* all)
{
  double dt = v->c->info->run.step.dt;
  if (!cli_end_look(&v->e, v->qe->q, v->u, v->qa->t + dt, dt) || !fit_end(v) || !cli_end_diagonal(&v->e)) return false;
  find_numbers(v, &v->e, n, list, v->number);
  if (count_lost(n, list, v->e.n, v->number, false)) cli_verify_note(v->c, CLI_NORMAL, row, 1, 1);
  spread(&v->e, v->number, list, true, first, v->P);
  spread(&v->e, v->number, list, false, all, v->Lambda);
  cli_end_velocities(&v->e, v->u, v->half_e, v->size_e);
  cli_end_velocities(&v->e, v->qa->u, v->start, v->size);
  cli_end_velocities(&v->e, v->qe->u, v->after, v->size);
  for (int r = 0; r < v->e.rows; r++) v->push_e[r] = v->Lambda[r] - v->P[r];
  check_momentum(v, &v->e, row, v->u, v->qe->u, v->push_e);
  match_ends(v);
  find_means(v, dt);
  measure(v);
  return true;
}

bool cli_rattle_step(cli_rattle* v, long row, ss_error* error)
{
  const ss_run_contact* list;
  int n = ss_run_contacts(v->c->run, row, &list, error);
  if (n < 0 || !load(v, row, error)) return false;
  v->a.overlaps = v->e.overlaps = false;
  double* first = calloc(2*(size_t)v->e.nb + 1, sizeof *first);
  if (!first) return false;
  load_bilateral(v, row, first, first + v->e.nb);
  bool good = find_half(v, row) && look_at_start(v, row, n, list, first) &&
              look_at_end(v, row, n, list, first, first + v->e.nb);
  free(first);
  if (v->a.overlaps || v->e.overlaps) {  // no step ends there
    cli_verify_note(v->c, CLI_OVERLAPS, row, 1, 1);
    return true;
  }
  if (!good) return false;
  for (int i = 0; i < v->e.n; i++) {
    if (!v->renamed) cli_stages_check_first(v, row, i);
    const ss_run_contact* c = v->number[i] >= 0 ? &list[v->number[i]] : NULL;
    cli_stages_check_second(v, row, i, c);
    if (c) cli_stages_check_listed(v, row, i, c);
  }
  if (!v->renamed) cli_stages_check_losses(v, row);
  cli_stages_check_constraints(v, row);
  return v->renamed || check_works(v, row);
}
