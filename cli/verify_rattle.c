// `stickslip verify` of steps of rattle, from the rows alone (docs/rattle.md has the equations). u_H is not in the
// file: it is the velocity that leads from one row to the next.
//   momentum   M_A (u_H - u_A) = dt/2 h(q_A, u_H) + W_A P_1,   M_E (u_E - u_H) = dt/2 h(q_E, u_H) + W_E (Lambda - P_1)
// and what keeps the energy of trees (verify_turning.c). verify_stages.c has the laws.
#include "verify_rattle.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verify_stages.h"

#define Q_NOISE (16*DBL_EPSILON)  // of the largest coordinate: round-off, over dt that of u_H
#define AT_REST 1e-8  // of the largest velocity of the run so far: 1e-16 of it is round-off
#define GUESSED 1e-7  // of the impulses on bodies: what contacts were at the start is found
#define ARMS 1e-2     // ... it is not, and momenta may be off by so much
#define SAME_SIDE 0.57  // cosine: how far the normal of a contact may turn in a step (docs/rattle.md)

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
  v->turning = cli_turning_open(v->c);
  return v->turning && open_islands(v) && cli_end_open(&v->a, v->c) && cli_end_open(&v->e, v->c);
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
  free(v->key);
  free(v->off);
  cli_islands_close(&v->islands);
  cli_turning_close(v->turning);
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

static bool pushes(const double x[3]) { return x[0] != 0 || x[1] != 0 || x[2] != 0; }

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

// The contact of an end that the file does not have, between the same bodies as c and nearest to it; -1: none
static int nearest_left(const cli_end* e, const int* number, const ss_run_contact* c)
{
  double nearest = INFINITY;
  int found = -1;
  for (int i = 0; i < e->n; i++) {
    const ss_contact_item* item = &e->item[i];
    double far = 0;
    if (number[i] >= 0 || !cli_has_gap(e, i) || item->body_a != c->body_a || item->body_b != c->body_b) continue;
    for (int k = 0; k < 3; k++) far = hypot(far, item->point[k] - c->point[k]);
    if (!(far < nearest)) continue;
    nearest = far;
    found = i;
  }
  return found;
}

// What pushes under another name than at the end. Returns how many.
static int find_renamed(const cli_end* e, int n, const ss_run_contact* list, int* number)
{
  int renamed = 0;
  for (int j = 0; j < n; j++) {
    bool found = !pushes(list[j].Lambda_1);
    for (int i = 0; i < e->n && !found; i++) found = number[i] == j;
    int i = found ? -1 : nearest_left(e, number, &list[j]);
    if (i < 0) continue;
    number[i] = j;
    renamed++;
  }
  return renamed;
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

// The part k of a vector x in the tangents of a contact at the start along those at the end, or the other way: turned
// about the normals by the angle of the frames (N, T1, T2) `start` and `end`
static double turned(const double* start, const double* end, int tangents, const double* x, int k, bool back)
{
  double c = 0, s = 0;
  for (int l = 3; l < 6; l++) {
    c += start[l]*end[l];
    s += tangents > 1 ? start[l]*end[l + 3] : 0;
  }
  if (k == 0 || hypot(c, s) == 0 || memcmp(start + 3, end + 3, 6*sizeof *start) == 0) return x[k];
  double across = tangents > 1 ? x[3 - k] : 0, sign = (k == 2) != back ? 1 : -1;
  return (c*x[k] + sign*s*across)/hypot(c, s);
}

static bool has_tangents(const cli_end* e, int i)
{
  return e->c->info->listed && cli_has_gap(e, i) && pushes(e->item[i].frame + 3);
}

// Impulses of the first stage, which the file has along the directions at the end, in the rows of the start
static void spread_back(const cli_end* e, const int* number, const ss_run_contact* list, double* out)
{
  for (int i = 0; i < e->n; i++) {
    int tangents = ss_contact_rows(e->law[i]->kind) - 1;
    const ss_run_contact* c = number[i] >= 0 && has_tangents(e, i) ? &list[number[i]] : NULL;
    for (int k = 1; c && k <= tangents; k++)
      out[e->row[i] + k] =
        turned(e->item[i].frame, c->frame, tangents, c->Lambda_1, k, true)/cli_stretch_of(&e->item[i], k);
  }
}

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
static void find_momenta(cli_rattle* v, cli_end* e, const double* from, const double* to, const double* P, long row)
{
  double dt = v->c->info->run.step.dt;
  for (int i = 0; i < e->nv; i++) v->v[i] = to[i] - from[i];
  cli_end_times_mass(e, v->v, v->mv);
  cli_end_push(e, P, v->tau);
  for (int i = 0; i < e->nv; i++) {
    v->off[i] = (long double)v->mv[i] - dt/2*(long double)e->h[i] - v->tau[i];
    v->terms[i] = fabsl((long double)v->mv[i]) + dt/2*fabsl((long double)e->h[i]) + fabs(v->tau[i]);
  }
  if (e == &v->a) cli_turning_first(v->turning, e, v->u, v->v, v->tau, v->off);
  else cli_turning_second(v->turning, e, v->u, v->v, v->tau, v->off, !v->renamed, row);
  for (int i = 0; i < e->nv; i++) v->v[i] = v->vague;
  cli_end_times_mass(e, v->v, v->mv);
  for (int i = 0; i < e->nv; i++) v->off[i] = fmaxl(0, fabsl(v->off[i]) - fabs(v->mv[i]));
  cli_end_times_mass(e, to, v->mv);
  for (int i = 0; i < e->nv; i++) v->terms[i] += fabs(v->mv[i]);
}

// The second stage takes P_1 back and gives Lambda: after an impact that the first one has stopped nothing is left but
// the round-off of both
static void add_both(cli_rattle* v)
{
  const double* const part[] = {v->P, v->Lambda};
  for (int k = 0; k < 2; k++) {
    cli_end_push(&v->e, part[k], v->tau);
    for (int i = 0; i < v->e.nv; i++) v->terms[i] += fabs(v->tau[i]);
  }
}

static void check_momentum(cli_rattle* v, cli_end* e, long row)
{
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

// Which contact is which where names change is a guess: impulses at another corner of the same bodies. Where that is
// not it, momenta are off by the arms between these alone. v->tau: W P, as momenta were found with.
static bool is_guess_wrong(cli_rattle* v, long row)
{
  long double off = 0, size = 0;
  for (int i = 0; i < v->a.nv; i++) {
    off = hypotl(off, v->off[i]);
    size += fabsl(v->tau[i]);
  }
  if (off <= GUESSED*size) return false;
  cli_verify_note(v->c, CLI_MOMENTUM, row, fmaxl(0, off - ARMS*size), size);
  return true;
}

// The tangential velocity k at the end along the direction that the contact at the start has
static double carried(const cli_rattle* v, int i, int j, int k)
{
  const ss_contact_item *a = &v->a.item[j], *e = &v->e.item[i];
  if (!has_tangents(&v->a, j)) return v->half_e[v->e.row[i] + k];
  double w[3] = {0}, sum = 0;
  for (int l = 1; l < ss_contact_rows(v->e.law[i]->kind); l++)
    for (int x = 0; x < 3; x++) w[x] += v->half_e[v->e.row[i] + l]/cli_stretch_of(e, l)*e->frame[3*l + x];
  for (int x = 0; x < 3; x++) sum += w[x]*a->frame[3*k + x];
  return sum*cli_stretch_of(a, k);
}

double cli_rattle_at_end(const cli_rattle* v, int i, const double* at_start, int k)
{
  const ss_contact_item *a = &v->a.item[v->at_start[i]], *e = &v->e.item[i];
  int rows = ss_contact_rows(v->e.law[i]->kind);
  double x[3] = {0};
  if (k == 0 || !has_tangents(&v->e, i)) return at_start[k];
  for (int l = 1; l < rows; l++) x[l] = at_start[l]/cli_stretch_of(a, l);
  return turned(a->frame, e->frame, rows - 1, x, k, false)*cli_stretch_of(e, k);
}

// Rows at the end: velocities at the start along their own directions, and in the mean of the step along those there
static void find_means(cli_rattle* v, double dt)
{
  for (int i = 0; i < v->e.n; i++) {
    int j = v->at_start[i];
    for (int k = 0; k < ss_contact_rows(v->e.law[i]->kind); k++) {
      int r = v->e.row[i] + k, s = j >= 0 ? v->a.row[j] + k : -1;
      bool normal = k == 0 && cli_has_gap(&v->e, i);
      v->mean[r] = v->half_e[r];
      if (s < 0) continue;
      v->start[r] = cli_rattle_at_end(v, i, v->before + v->a.row[j], k);
      v->mean[r] = normal ? (v->e.item[i].gap - v->a.item[j].gap)/dt : (v->half_a[s] + carried(v, i, j, k))/2;
    }
  }
}

static void measure(cli_rattle* v)
{
  v->unit = 0;
  v->c->speed = 0;
  for (int b = 0; b < v->e.nb; b++)  // what constraints push at rest, and leave as round-off
    v->unit = fmaxl(v->unit, sqrtl(v->e.g[b])*(fabs(v->Lambda[b]) + fabs(v->P[b])));
  for (int i = 0; i < v->e.n; i++)
    for (int k = 0; k < ss_contact_rows(v->e.law[i]->kind); k++) {
      int r = v->e.row[i] + k, j = v->at_start[i];
      double terms = v->size[r] + v->size_e[r] + (j >= 0 ? v->size_a[v->a.row[j] + k] : 0);
      double own = terms + v->e.g[r]*(fabs(v->Lambda[r]) + fabs(v->P[r]));
      if (v->number[i] >= 0) v->c->speed = fmax(v->c->speed, own);
      if (v->e.g[r] > 0) v->unit = fmaxl(v->unit, own/sqrtl(v->e.g[r]));
    }
  v->most = fmaxl(v->most, v->unit);
  v->unit = fmaxl(v->unit, AT_REST*v->most);
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

// u_H, and that it leads to the row. It is a difference of coordinates: far from the origin these have few digits left.
static bool find_half(cli_rattle* v, long row)
{
  const ss_operators* op = v->c->d->operators;
  double dt = v->c->info->run.step.dt, most = 0;
  for (int i = 0; i < v->qa->nq; i++) most = fmax(most, fabs(v->qa->q[i]) + fabs(v->qe->q[i]));
  v->vague = Q_NOISE*most/dt;
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

// Whether the velocities at the start reach contact j
static bool is_listed(const cli_rattle* v, int j)
{
  bool found = false;
  for (int k = 0; k < v->n_key && !found; k++) found = v->key[k] == v->a.item[j].key;
  return found;
}

// Whether contact j at the start has the name of contact i at the end, and both look the same way, up to 55 degrees
static bool is_named(const cli_rattle* v, int i, int j)
{
  const ss_contact_item *a = &v->a.item[j], *e = &v->e.item[i];
  double along = 0;
  for (int k = 0; k < 3; k++) along += a->frame[k]*e->frame[k];
  return a->key == e->key && (along > SAME_SIDE || !pushes(a->frame));
}

static void match_ends(cli_rattle* v)
{
  for (int i = 0; i < v->e.n; i++) {
    v->at_start[i] = -1;
    for (int j = 0; j < v->a.n && v->at_start[i] < 0; j++) {
      bool pushed = v->number_a[j] >= 0 && v->push_a[v->a.row[j]] != 0;
      bool goes_on = is_named(v, i, j) && (!v->again || is_listed(v, j));
      if (pushed ? v->number_a[j] == v->number[i] : goes_on) v->at_start[i] = j;
    }
  }
}

static bool keep_keys(cli_rattle* v)
{
  uint64_t* key = realloc(v->key, sizeof *key*((size_t)v->a.n + 1));
  if (!key) return false;
  v->key = key;
  v->n_key = v->a.n;
  for (int i = 0; i < v->a.n; i++) key[i] = v->a.item[i].key;
  return true;
}

// Contacts at the start as far as u reaches in `reach`; v->renamed: some with an impulse are not among them
static bool list_start(cli_rattle* v, const double* u, double reach, int n, const ss_run_contact* list)
{
  if (!cli_end_look(&v->a, v->qa->q, u, v->qa->t, reach) || !fit_start(v)) return false;
  find_numbers(v, &v->a, n, list, v->number_a);
  v->guessed = v->c->info->listed ? find_renamed(&v->a, n, list, v->number_a) : 0;
  v->renamed = count_lost(n, list, v->a.n, v->number_a, true) > 0;
  return true;
}

// A body that is at rest reaches nothing, until others push it: contacts that the velocity of the step leads to
static bool list_all(cli_rattle* v, int n, const ss_run_contact* list)
{
  double dt = v->c->info->run.step.dt;
  v->again = false;
  if (!list_start(v, v->qa->u, dt, n, list)) return false;
  if (!v->renamed) return true;
  if (!keep_keys(v)) return false;
  for (double reach = 3*dt; reach < 30*dt && v->renamed && !v->a.overlaps; reach *= 3)
    if (!list_start(v, v->u, reach, n, list) && !v->a.overlaps) return false;
  v->again = !v->renamed && !v->a.overlaps;
  v->a.overlaps = false;  // there is no list so far ahead, which tells nothing of the row
  return v->again || list_start(v, v->qa->u, dt, n, list);
}

static bool look_at_start(cli_rattle* v, long row, int n, const ss_run_contact* list, const double* first)
{
  if (!list_all(v, n, list)) return false;
  v->c->at.u = v->u;  // forces of the mean velocity, contacts of that at the start
  if (v->c->d->force(&v->c->at, v->a.h) < 0) return false;
  if (v->c->d->friction && v->c->d->friction(&v->c->at, v->a.mu, v->a.bound) < 0) return false;
  cli_end_velocities(&v->a, v->qa->u, v->before, v->size_a);
  cli_end_velocities(&v->a, v->u, v->half_a, v->size_a);
  spread(&v->a, v->number_a, list, true, first, v->push_a);
  spread_back(&v->a, v->number_a, list, v->push_a);
  find_momenta(v, &v->a, v->qa->u, v->u, v->push_a, row);
  if (v->guessed && !v->renamed) v->renamed = is_guess_wrong(v, row);
  if (v->renamed) cli_verify_count_out(v->c, "first stages of steps in which contacts change their names");
  else check_momentum(v, &v->a, row);
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
  find_momenta(v, &v->e, v->u, v->qe->u, v->push_e, row);
  add_both(v);
  check_momentum(v, &v->e, row);
  match_ends(v);
  find_means(v, dt);
  cli_stages_find_hits(v);
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
