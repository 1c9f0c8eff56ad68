// `stickslip verify` of event-driven runs of text models. From each row to the next the motion is computed once more:
//   M u' = h + W lambda,   W_N u' + w_bar_N = 0 for closed contacts,  W_T u' + w_bar_T = 0 for those that stick,
//   lambda_T = -+(mu lambda_N + bound) for those that slide
// with the contact states of the row, by Runge & Kutta's classical method with more and more steps and Richardson's
// extrapolation, in long double; nothing of the integrator is used. The impacts at the end of an arc lead from the
// velocity that it arrives with to that of the row: M (u+ - u-) = W Lambda, by the laws of impact.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify.h"
#include "verify_algebra.h"
#include "verify_hold.h"
#include "verify_islands.h"

#define MOST_STEPS 256    // of an arc
#define MOST_ROWS 64      // of contacts
#define SETTLED 1e-11L    // relative: a second opinion with half the steps that differs by so little
#define REST 1e-6L         // of the terms of a velocity: none
#define ROUND 1e-15L      // of a time: the length of an arc is known to that; so are sums of impulses of contacts
#define UNLOADED 1e-9L    // of the forces of redundant contacts: what one without load takes of their change
#define KEPT 1e-13L       // of the terms of a constraint: it is kept
#define MARGIN 100         // errors are less than so many times what the last doubling of steps changed
#define ROUGH 0.1L         // relative: what is known no better is not looked at

typedef struct arcs {
  cli_verifier* c;
  int nv, k, nb, rows, ny;        // rows: bilateral ones and those of contacts; ny: q, u, Lambda, sums
  int* row;                       // k: the first one of a contact
  ss_contact_state* mode;         // k
  const double **N, **T, **state, **B, **F, *counted, *when;  // columns; when: before or after events, NULL: not told
  double *q, *u, *M, *h, *gap, *W, *w_hat, *w_bar, *mu, *bound, *impulse;
  long double *L, *a, *A, *room, *x, *lambda, *y, *z, *half, *rate;  // see open_arcs()
  int* unknown;                   // rows
  double *most, *far;             // nv: the largest velocities and coordinates so far
  double* side;                   // 2 n_kink: those that the system is evaluated on; scratch
  bool kinked;                    // others have been met
  double* total;                  // rows: impulses of a row in the file
  double* told;                   // rows: mean forces over the arc by the file
  bool unique, shared;            // the forces are; they were not somewhere in the arc
  double* W_start;                // rows nv: at the start of the arc
  long double fall;               // the largest acceleration without them so far: forces may pass through zero
  long double pushed;             // the largest of all forces so far
  long double push;               // the terms that unknown forces balance, N: see terms_of_force()
  cli_islands islands;
  long double *left, *vague;      // ny: what the last doubling changed, relative; nv, by islands: weight of sizes
} arcs;

// What is summed along an arc beside impulses: taken by friction, works of forces and of drives
enum { SUM_FRICTION, SUM_FORCES, SUM_DRIVE, SUMS };

// ---- the system at a place ----

static bool evaluate(arcs* v, double t)
{
  const ss_system_def* d = v->c->d;
  ss_at* at = &v->c->at;
  int nv = v->nv, nb = v->nb;
  at->q = v->q;
  at->u = v->u;
  at->t = t;
  bool good = !d->update || d->update(at) >= 0;
  good = good && d->mass(at, v->M) >= 0 && d->force(at, v->h) >= 0;
  good = good && (!nb || d->bilateral(at, v->gap + v->k, v->W, v->w_hat) >= 0);
  good = good && (!v->k || d->contacts(at, v->gap, v->W + nb*nv, v->w_hat + nb) >= 0);
  memset(v->w_bar, 0, sizeof(double)*(size_t)v->rows);
  good = good && (!nb || !d->bilateral_bias || d->bilateral_bias(at, v->w_bar) >= 0);
  good = good && (!v->k || !d->contact_bias || d->contact_bias(at, v->w_bar + nb) >= 0);
  for (int i = 0; i < v->k; i++) {
    v->mu[i] = d->contact[i].mu;
    v->bound[i] = d->contact[i].bound;
  }
  good = good && (!d->friction || d->friction(at, v->mu, v->bound) >= 0);
  return good && cli_cholesky(nv, v->M, v->L);
}

static void load(arcs* v, long row)
{
  for (int j = 0; j < v->nv; j++) {
    v->q[j] = v->c->q[j][row];
    v->u[j] = v->c->u[j][row];
  }
}

// x = M^-1 x
static void solve_mass(const arcs* v, long double* x) { cli_cholesky_solve(v->nv, v->L, x); }

static long double dot(const arcs* v, int row, const long double* x)
{
  long double sum = 0;
  for (int j = 0; j < v->nv; j++) sum += v->W[row*v->nv + j]*x[j];
  return sum;
}

static bool has_normal(const arcs* v, int i) { return v->c->d->contact[i].kind != SS_CONTACT_FRICTION; }
static bool has_tangent(const arcs* v, int i) { return v->c->d->contact[i].kind != SS_CONTACT_NORMAL; }
static int tangent_row(const arcs* v, int i) { return v->row[i] + has_normal(v, i); }

// Direction of sliding, 0: none
static int slides(const arcs* v, int i)
{
  return !has_tangent(v, i) ? 0 : v->mode[i] == SS_SLIP_POS ? 1 : v->mode[i] == SS_SLIP_NEG ? -1 : 0;
}

static bool evaluate_row(arcs* v, long row)
{
  load(v, row);
  return evaluate(v, v->c->t[row]);
}

// ---- forces of contacts ----

// Rows whose forces are unknown: constraints, normals of closed contacts, tangents of those that stick
static int list_unknown(arcs* v)
{
  int n = 0;
  for (int b = 0; b < v->nb; b++) v->unknown[n++] = b;
  for (int i = 0; i < v->k; i++) {
    if (v->mode[i] == SS_OPEN) continue;
    if (has_normal(v, i)) v->unknown[n++] = v->row[i];
    if (has_tangent(v, i) && v->mode[i] == SS_STICK) v->unknown[n++] = tangent_row(v, i);
  }
  return n;
}

// The contact that row r is the normal of, and that slides; -1: none
static int sliding_normal(const arcs* v, int r)
{
  for (int i = 0; i < v->k; i++)
    if (has_normal(v, i) && v->row[i] == r && slides(v, i)) return i;
  return -1;
}

// out = M^-1 times the force that belongs to a unit of row r
static void response(const arcs* v, int r, long double* out)
{
  int i = sliding_normal(v, r), s = i < 0 ? 0 : slides(v, i);
  for (int j = 0; j < v->nv; j++) {
    out[j] = v->W[r*v->nv + j];
    if (s) out[j] -= (long double)s*v->mu[i]*v->W[tangent_row(v, i)*v->nv + j];
  }
  solve_mass(v, out);
}

// The terms that a row's force balances, as a force: (sum_j |w_j a_j| + |w_bar|)/G_ii, with the accelerations
// a = M^-1 h without it. Where they cancel the force is known to their round-off, and no better.
static long double terms_of_force(arcs* v, int r)
{
  long double sum = fabs(v->w_bar[r]);
  for (int j = 0; j < v->nv; j++) {
    sum += fabsl(v->W[r*v->nv + j]*v->a[j]);
    v->x[j] = v->W[r*v->nv + j];
  }
  solve_mass(v, v->x);
  long double own = dot(v, r, v->x);
  return own > 0 ? sum/own : 0;
}

// The n unknown forces, less v->told, by v->A, which is kept. Where they are not unique all change in proportion, so
// that none that the file has without load pulls.
static void solve_forces(arcs* v, int n, long double* force)
{
  int order[MOST_ROWS];
  long double weight[MOST_ROWS], all = 0;
  memcpy(v->room, v->A, sizeof *v->A*(size_t)(n*(n + 1)));
  v->unique = cli_eliminate(n, v->room, force, order);
  if (v->unique) return;
  v->shared = true;
  for (int j = 0; j < n; j++) all += fabsl((long double)v->told[v->unknown[j]]);
  for (int j = 0; j < n; j++) weight[j] = all > 0 ? fabsl((long double)v->told[v->unknown[j]])/all + UNLOADED : 1;
  cli_solve_weighted(n, v->A, weight, force, v->room, order);
}

// Accelerations in v->a and forces in v->lambda (rows), at v->q, v->u. Where the forces are not unique they are those
// of the file, v->told, as far as the rows do not say otherwise.
static bool accelerate(arcs* v, double t)
{
  int nv = v->nv, n;
  if (!evaluate(v, t)) return false;
  n = list_unknown(v);
  for (int j = 0; j < nv; j++) v->a[j] = v->h[j];
  for (int i = 0; i < v->k; i++)
    for (int j = 0; slides(v, i) && j < nv; j++)
      v->a[j] -= (long double)slides(v, i)*v->bound[i]*v->W[tangent_row(v, i)*nv + j];
  solve_mass(v, v->a);
  for (int j = 0; j < nv; j++) v->fall = fmaxl(v->fall, fabsl(v->a[j]));
  for (int j = 0; j < n; j++) {
    response(v, v->unknown[j], v->x);
    for (int i = 0; i < n; i++) v->A[i*(n + 1) + j] = dot(v, v->unknown[i], v->x);
  }
  v->push = 0;
  for (int i = 0; i < n; i++) {
    v->push += terms_of_force(v, v->unknown[i]);
    v->A[i*(n + 1) + n] = -dot(v, v->unknown[i], v->a) - v->w_bar[v->unknown[i]];
    for (int j = 0; j < n; j++) v->A[i*(n + 1) + n] -= v->A[i*(n + 1) + j]*v->told[v->unknown[j]];
  }
  long double* force = v->x + nv;
  solve_forces(v, n, force);
  for (int j = 0; j < n; j++) force[j] += v->told[v->unknown[j]];
  for (int r = 0; r < v->rows; r++) v->lambda[r] = 0;
  for (int j = 0; j < n; j++) {
    v->lambda[v->unknown[j]] = force[j];
    response(v, v->unknown[j], v->x);
    for (int i = 0; i < nv; i++) v->a[i] += v->x[i]*force[j];
  }
  for (int i = 0; i < v->k; i++)
    if (slides(v, i))
      v->lambda[tangent_row(v, i)] =
        -slides(v, i)*((has_normal(v, i) ? v->mu[i]*v->lambda[v->row[i]] : 0) + v->bound[i]);
  return true;
}

// ---- an arc ----

// Whether the arc is on the sides of the kinks that it began on, or at them
static bool look_at_kinks(arcs* v)
{
  int n = v->c->d->n_kink;
  double* now = v->side + n;
  if (!cli_verify_sides(v->c, CLI_AT_KINK, now)) return false;
  for (int i = 0; i < n; i++) v->kinked = v->kinked || (now[i] != 0 && now[i] != v->side[i]);
  return true;
}

// A row at a kink without an event: velocities may have jumped there already, or not yet
static bool look_at_end(arcs* v, long row)
{
  int n = v->c->d->n_kink;
  double* now = v->side + n;
  if (!n || (v->when && v->when[row] != 0)) return true;
  if (!evaluate_row(v, row) || !cli_verify_sides(v->c, CLI_AT_KINK, now)) return false;
  for (int i = 0; i < n; i++) v->kinked = v->kinked || now[i] == 0;
  return true;
}

// From here on everything is evaluated on the sides of this row
static bool take_sides(arcs* v, long row)
{
  if (!v->c->d->n_kink) return true;
  bool good = cli_verify_row_sides(v->c, row, v->side);
  v->c->at.side = v->side;
  return good;
}

// rate = f(y): velocities, accelerations, forces, what friction takes
static bool rate_of(arcs* v, long double t, const long double* y, long double* rate)
{
  int nv = v->nv;
  for (int i = 0; i < nv; i++) {
    v->q[i] = (double)y[i];
    v->u[i] = (double)y[nv + i];
  }
  if (!accelerate(v, (double)t)) return false;
  if (v->c->d->n_kink && !look_at_kinks(v)) return false;
  memcpy(rate, y + nv, sizeof *rate*(size_t)nv);
  memcpy(rate + nv, v->a, sizeof *rate*(size_t)nv);
  memcpy(rate + 2*nv, v->lambda, sizeof *rate*(size_t)v->rows);
  long double lost = 0;
  for (int i = 0; i < v->k; i++) {
    int r = tangent_row(v, i);
    if (slides(v, i)) lost -= v->lambda[r]*(dot(v, r, y + nv) + v->w_hat[r]);
  }
  ss_power power = {0};
  if (v->c->d->has_power && v->c->d->power(&v->c->at, &power) < 0) return false;
  long double* sum = rate + 2*nv + v->rows;
  sum[SUM_FRICTION] = lost;
  sum[SUM_FORCES] = power.forces;
  sum[SUM_DRIVE] = power.drive;
  for (int r = 0; r < v->rows; r++) sum[SUM_DRIVE] -= v->lambda[r]*v->w_hat[r];
  return true;
}

// y(t + length) by n steps of the classical method, from v->y into out
static bool integrate(arcs* v, long double t, long double length, int n, long double* out)
{
  static const long double at[4] = {0, 0.5L, 0.5L, 1}, weight[4] = {1/6.0L, 1/3.0L, 1/3.0L, 1/6.0L};
  long double h = length/n, *stage = v->rate + v->ny, *sum = stage + v->ny;
  memcpy(out, v->y, sizeof *out*(size_t)v->ny);
  for (int step = 0; step < n; step++, t += h) {
    memset(sum, 0, sizeof *sum*(size_t)v->ny);
    for (int s = 0; s < 4; s++) {
      for (int i = 0; i < v->ny; i++) stage[i] = out[i] + (s ? at[s]*h*v->rate[i] : 0);
      if (!rate_of(v, t + at[s]*h, stage, v->rate)) return false;
      for (int i = 0; i < v->ny; i++) sum[i] += weight[s]*v->rate[i];
    }
    for (int i = 0; i < v->ny; i++) out[i] += h*sum[i];
  }
  return true;
}

// What n steps changed of number i, relative; `push`: of the impulses
static long double change_of(const arcs* v, int i, long double push)
{
  long double off = fabsl(v->z[i] - v->half[i]);
  long double size = fabsl(v->z[i]) + fabsl(v->y[i]) + fabsl(v->z[i] - v->y[i]) + 1e-9L;
  if (i < 2*v->nv) return off/size;
  return i < 2*v->nv + v->rows && off != 0 ? off/push : 0;
}

// Into v->z, as many steps as it takes, with Richardson's extrapolation; v->left: what the last doubling changed
static bool follow_arc(arcs* v, long double t, long double length)
{
  long double worst = INFINITY;
  if (!integrate(v, t, length, 1, v->half)) return false;
  for (int n = 2; n <= MOST_STEPS && !(worst < SETTLED); n *= 2) {
    long double push = v->c->least;
    worst = 0;
    if (!integrate(v, t, length, n, v->z)) return false;
    for (int i = 2*v->nv; i < 2*v->nv + v->rows; i++) push += fabsl(v->z[i]);
    for (int i = 0; i < v->ny; i++) {
      long double off = v->z[i] - v->half[i];
      v->left[i] = change_of(v, i, push);
      worst = fmaxl(worst, v->left[i]);
      v->half[i] = v->z[i];
      v->z[i] += off/15;
    }
  }
  return true;
}

// ---- islands ----

static int island_of_row(const arcs* v, int r) { return cli_islands_of_row(&v->islands, v->W + r*v->nv); }

static bool is_known(const arcs* v, int island) { return island < 0 || v->vague[island]*v->c->tol < ROUGH; }

static long double weight_of(const arcs* v, int island, long double weight)
{
  return island < 0 ? weight : v->vague[island];
}

// The largest weight, INFINITY: an island is not known
static long double most_vague(const arcs* v)
{
  long double most = 0;
  for (int i = 0; i < v->nv; i++) most = fmaxl(most, v->vague[v->islands.of[i]]);
  return most*v->c->tol < ROUGH ? most : INFINITY;
}

static void forget(arcs* v, int island)
{
  if (island >= 0) v->vague[island] = INFINITY;
}

// How well the end of the arc is known, island by island; counts arcs that are known less well than others
static void find_vagueness(arcs* v, long double weight)
{
  long double worst = 0;
  for (int i = 0; i < v->nv; i++) v->vague[i] = weight;
  for (int i = 0; i < 2*v->nv + v->rows; i++) {
    int island = i < 2*v->nv ? v->islands.of[i%v->nv] : island_of_row(v, i - 2*v->nv);
    long double known = MARGIN*v->left[i]/v->c->tol;
    if (island >= 0 && !(known <= v->vague[island])) v->vague[island] = known;
    worst = fmaxl(worst, known);
  }
  if (!(worst*v->c->tol < ROUGH)) cli_verify_count_out(v->c, CLI_TOO_ROUGH);
  else if (worst > weight) cli_verify_count_out(v->c, CLI_ROUGH);
}

// The numbers that tell one side of a kink from the other: forces, momenta, gaps, rows
static bool measure(arcs* v, double t, double* out)
{
  int nv = v->nv, rows = v->rows;
  if (!evaluate(v, t) || v->c->d->momentum(&v->c->at, out + nv) < 0) return false;
  memcpy(out, v->h, sizeof(double)*(size_t)nv);
  memcpy(out + 2*nv, v->w_hat, sizeof(double)*(size_t)rows);
  memcpy(out + 2*nv + rows, v->w_bar, sizeof(double)*(size_t)rows);
  memcpy(out + 2*nv + 2*rows, v->W, sizeof(double)*(size_t)(rows*nv));
  for (int i = 0; i < v->k; i++) {
    out[2*nv + 2*rows + rows*nv + i] = v->gap[i];
    out[2*nv + 2*rows + rows*nv + v->k + i] = v->mu[i] + v->bound[i];
  }
  return true;
}

static void forget_differences(arcs* v, const double* one, const double* other)
{
  int nv = v->nv, rows = v->rows;
  for (int i = 0; i < 2*nv; i++)
    if (one[i] != other[i]) forget(v, v->islands.of[i%nv]);
  for (int r = 0; r < rows; r++) {
    bool same = one[2*nv + r] == other[2*nv + r] && one[2*nv + rows + r] == other[2*nv + rows + r];
    const double *W = one + 2*nv + 2*rows + r*nv, *W_other = other + 2*nv + 2*rows + r*nv;
    if (!same || memcmp(W, W_other, sizeof *W*(size_t)nv) != 0) forget(v, cli_islands_of_row(&v->islands, W));
  }
  for (int i = 0; i < 2*v->k; i++) {
    int at = 2*nv + 2*rows + rows*nv + i;
    if (one[at] != other[at]) forget(v, cli_islands_of_row(&v->islands, one + 2*nv + 2*rows + v->row[i%v->k]*nv));
  }
}

// Islands that move a kink: a potential that jumps there gives impulses
static bool forget_movers(arcs* v, double t)
{
  int n = v->c->d->n_kink;
  ss_kink* kink = calloc((size_t)n + 1, sizeof *kink);
  bool good = kink && evaluate(v, t) && v->c->d->kinks(&v->c->at, kink) >= 0;
  for (int i = 0; good && i < n; i++)
    for (int j = 0; j < v->nv; j++)
      if (kink[i].dq[j] != 0 || kink[i].du[j] != 0) forget(v, v->islands.of[j]);
  free(kink);
  return good;
}

// Islands that are not the same on the other side of a kink are not known across it: with the kinks one by one on
// either side, in a row
static bool forget_kinked(arcs* v, long row)
{
  int n = v->c->d->n_kink;
  const double* sides = v->c->at.side;
  double t = v->c->t[row];
  load(v, row);
  if (!forget_movers(v, t)) return false;
  size_t size = (size_t)(2*v->nv + 2*v->rows + v->rows*v->nv + 2*v->k);
  double *one = calloc(2*size + (size_t)n + 1, sizeof *one), *other = one + size, *side = other + size;
  bool good = one;
  for (int i = 0; good && i < n; i++) {
    for (int k = 0; k < n; k++) side[k] = 1;
    v->c->at.side = side;
    good = measure(v, t, one);
    side[i] = -1;
    good = good && measure(v, t, other);
    if (good) forget_differences(v, one, other);
  }
  v->c->at.side = sides;
  free(one);
  return good;
}

// ---- the end of an arc ----

// Impulses of the events of this row, from event `first` on; at one instant those of the row: contacts that only pass
// on what others are hit by have no event at the start
static void collect(arcs* v, long row, long first, long n)
{
  memset(v->impulse, 0, sizeof(double)*(size_t)v->rows);
  for (int i = 0; v->c->t[row] == v->c->t[row - 1] && i < v->k; i++) {
    if (has_normal(v, i)) v->impulse[v->row[i]] = v->N[i][row];
    if (has_tangent(v, i)) v->impulse[tangent_row(v, i)] = v->T[i][row];
  }
  for (long e = first; e < first + n; e++) {
    const ss_event* event = &v->c->event[e];
    if (has_normal(v, event->contact)) v->impulse[v->row[event->contact]] = event->Lambda[0];
    if (has_tangent(v, event->contact)) v->impulse[tangent_row(v, event->contact)] = event->Lambda[1];
  }
}

static long double largest(int n, const double* x)
{
  long double most = 0;
  for (int i = 0; i < n; i++) most = fmaxl(most, fabsl((long double)x[i]));
  return most;
}

// Into `jump` the change of velocities by v->impulse, into `terms` (both nv) that of the impulses of constraints over
// the arc, by magnitude: what of these belongs to the events is a difference; and round-off of those of contacts, which
// may cancel
static void find_jump(arcs* v, long row, bool events, long double* jump, long double* terms)
{
  int nv = v->nv;
  for (int j = 0; j < nv; j++) terms[j] = 0;
  for (int r = 0; r < v->rows; r++) {
    if (r < v->nb) v->impulse[r] = events ? v->B[r][row] - (double)v->z[2*nv + r] : 0;
    long double size = r >= v->nb ? ROUND/v->c->tol*v->impulse[r] : events ? v->B[r][row] : 0;
    for (int j = 0; j < nv; j++) jump[j] = v->W[r*nv + j];
    solve_mass(v, jump);
    for (int j = 0; j < nv; j++) terms[j] += fabsl(jump[j]*size);
  }
  for (int j = 0; j < nv; j++) {
    jump[j] = 0;
    for (int r = 0; r < v->rows; r++) jump[j] += (long double)v->W[r*nv + j]*v->impulse[r];
  }
  solve_mass(v, jump);
}

static long double speed_of(const arcs* v, int island)
{
  long double most = 0;
  for (int j = 0; j < v->nv; j++)
    if (v->islands.of[j] == island) most = fmaxl(most, v->most[j]);
  return most;
}

// Of the impulses of an island in the row, v->total
static long double push_size(const arcs* v, int island)
{
  long double size = 0;
  for (int r = 0; r < v->rows; r++)
    if (island_of_row(v, r) == island) size += fabs(v->total[r]);
  return size;
}

// Impulses of the row in the file into v->total
static void load_impulses(arcs* v, long row)
{
  for (int b = 0; b < v->nb; b++) v->total[b] = v->B[b][row];
  for (int i = 0; i < v->k; i++) {
    if (has_normal(v, i)) v->total[v->row[i]] = v->N[i][row];
    if (has_tangent(v, i)) v->total[tangent_row(v, i)] = v->T[i][row];
  }
}

// Impulses that are not unique, of an arc without events: what they do is, W Lambda, up to what W changes by in the arc
static void check_effect(arcs* v, long row, long double round_off, long double weight)
{
  for (int j = 0; j < v->nv; j++) {
    int island = v->islands.of[j];
    long double sum = 0, change = 0, most = 0, size = v->vague[island]*(push_size(v, island) + round_off);
    if (!is_known(v, island)) continue;
    for (int r = 0; r < v->rows; r++) {
      long double W = v->W[r*v->nv + j], mine = v->z[2*v->nv + r], told = v->told[r]*(v->c->t[row] - v->c->t[row - 1]);
      sum += W*(mine - told);
      change += fabsl(W - v->W_start[r*v->nv + j])*(fabsl(mine) + fabsl(told));
      most = fmaxl(most, fabsl(W));
    }
    cli_verify_note(v->c, CLI_MOMENTUM, row, fmaxl(0, fabsl(sum) - change), size*most);
  }
  for (int i = 0; i < v->k; i++) {  // what slides has the friction of its own load
    const ss_contact_def* c = &v->c->d->contact[i];
    long double limit = c->mu*(long double)v->N[i][row] + c->bound*(v->c->t[row] - v->c->t[row - 1]);
    int island = island_of_row(v, v->row[i]);
    long double size = weight_of(v, island, weight)*(push_size(v, island) + round_off);
    if (slides(v, i) && !c->varies && is_known(v, island))
      cli_verify_note(v->c, CLI_FRICTION, row, v->T[i][row] + slides(v, i)*limit, size);
  }
}

// The state that the arc arrives with, less the jump, against the row; and impulses over the arc. Sizes of velocities
// as in scenes: the largest so far, a thousandth of those of others and of what free fall gives in an interval of rows.
// Of places likewise.
static void check_end(arcs* v, long row, bool events, long double weight)
{
  int nv = v->nv;
  long double passed = v->c->t[row] - v->c->t[row - 1], *jump = v->x, *terms = v->a;
  find_jump(v, row, events, jump, terms);
  load_impulses(v, row);
  long double dt = fmaxl(passed, v->c->info->run.step.dt), place = largest(nv, v->far), push = v->push;
  for (int r = 0; r < v->rows; r++) push += fabsl(v->lambda[r]);
  long double round_off = passed*v->push + v->c->least + ROUND*fabsl((long double)v->c->t[row])*push/v->c->tol;
  for (int j = 0; j < nv; j++) {
    int island = v->islands.of[j];
    long double vague = v->vague[island], speed = fmaxl(speed_of(v, island), v->fall*dt);
    if (!is_known(v, island)) continue;
    long double q = v->c->q[j][row], u = v->c->u[j][row];
    long double travel = passed*(fabsl(u) + fabsl(v->y[nv + j]));
    long double extent = v->far[j] + fabsl(q) + fabsl(v->y[j]) + travel + 1e-3L*(place + passed*speed) + 1e-9L;
    cli_verify_note(v->c, CLI_ARCS, row, v->z[j] - q, vague*extent);
    cli_verify_note(v->c, CLI_ARCS, row, v->z[nv + j] + jump[j] - u,
                    vague*(v->most[j] + fabsl(u) + fabsl(v->y[nv + j]) + fabsl(jump[j]) + terms[j] +
                           1e-3L*speed + 1e-9L));
  }
  if (!cli_verify_is_next(v->c, row)) return;  // its impulses are not those of all that passed
  if (v->shared && !events) {
    check_effect(v, row, round_off, weight);
    return;
  }
  for (int r = 0; r < v->rows; r++) {
    int island = island_of_row(v, r);
    long double jumps = r < v->nb ? 0 : v->impulse[r], size = push_size(v, island) + round_off;
    if ((r < v->nb && events) || !is_known(v, island)) continue;
    cli_verify_note(v->c, CLI_MOMENTUM, row, v->z[2*nv + r] + jumps - v->total[r], weight_of(v, island, weight)*size);
  }
}

// The file has 0 for what is as good as at rest
static void check_velocity(arcs* v, long row, long double gamma, double told, long double size)
{
  bool rests = told == 0 && fabsl(gamma) < REST*size;
  cli_verify_note(v->c, CLI_EVENTS, row, rests ? 0 : gamma - told, size);
}

// An event's velocities, before and after; the law of impacts
static void check_event(arcs* v, long row, const ss_event* e, long double weight)
{
  const ss_step_def* def = &v->c->info->run.step;
  const ss_contact_def* c = &v->c->d->contact[e->contact];
  int island = island_of_row(v, v->row[e->contact]);
  if (!is_known(v, island)) return;
  weight = weight_of(v, island, weight);
  long double before[2] = {0}, after[2] = {0}, size = 1e-9L, push = 0, *u = v->z + v->nv;
  long double speed = island < 0 ? 0 : speed_of(v, island);
  bool impact = e->kind == SS_EVENT_IMPACT && def->order == SS_IMPACTS_SIMULTANEOUS;
  for (int k = !has_normal(v, e->contact); k <= has_tangent(v, e->contact); k++) {
    int r = k ? tangent_row(v, e->contact) : v->row[e->contact];
    before[k] = dot(v, r, u) + v->w_hat[r];
    after[k] = v->w_hat[r];
    size += fabsl((long double)v->w_hat[r]);
    for (int j = 0; j < v->nv; j++) {
      after[k] += (long double)v->W[r*v->nv + j]*v->u[j];
      size += fabsl((long double)v->W[r*v->nv + j])*(v->most[j] + fabsl(u[j]) + fabs(v->u[j]) + 1e-3L*speed);
    }
  }
  for (int k = 0; k < 2; k++) {
    check_velocity(v, row, before[k], e->gamma_before[k], weight*size);
    check_velocity(v, row, after[k], e->gamma_after[k], weight*size);
  }
  if (!impact || !has_normal(v, e->contact) || def->energy_limited) return;
  response(v, v->row[e->contact], v->x);
  push = fabsl(dot(v, v->row[e->contact], v->x));  // about G_NN
  long double N = e->Lambda[0]*push;
  if (def->impact == SS_IMPACT_NEWTON) {
    cli_verify_note(v->c, CLI_NORMAL, row, fminl(after[0] + c->eps_n*fminl(before[0], 0), N), weight*(size + N));
  } else {  // Poisson: the expansion is eps times the compression, or more where the contact would close
    long double more = N - (1 + c->eps_n)*e->Lambda_C[0]*push;
    cli_verify_note(v->c, CLI_NORMAL, row, fminl(after[0], fmaxl(more, -size)), weight*(size + N));
  }
}

// What the impulse of row r took, with the velocities before and after: -Lambda (gamma- + gamma+)/2
static long double lost_in(const arcs* v, int r)
{
  long double after = v->w_hat[r], before = dot(v, r, v->z + v->nv) + v->w_hat[r];
  for (int j = 0; j < v->nv; j++) after += (long double)v->W[r*v->nv + j]*v->u[j];
  return -v->impulse[r]*(before + after)/2;
}

// Energies before and after the events, losses of arc and events
static bool check_energy(arcs* v, long row, long first, long n, long double weight)
{
  weight = most_vague(v);
  if (!v->c->info->run.step.account || !v->c->d->energy || !isfinite(weight)) return true;
  long double arc = v->z[2*v->nv + v->rows];
  cli_losses sum = {0};
  for (int i = 0; n && i < v->k; i++) {
    int N = v->row[i], T = tangent_row(v, i);
    cli_verify_add_loss(&sum, has_normal(v, i), has_normal(v, i) ? lost_in(v, N) : 0,
                        has_tangent(v, i) ? lost_in(v, T) : 0);
  }
  sum.friction += arc;
  sum.size = fabsl(arc) + fabsl(sum.normal) + fabsl(sum.friction) + fabs(v->c->kinetic[row]) +
             fabs(v->c->potential[row]);
  sum.size *= weight;
  cli_verify_losses(v->c, row, &sum);
  if (!n) return true;
  for (int j = 0; j < v->nv; j++) v->u[j] = (double)v->z[v->nv + j];
  ss_energy energy = {0};
  if (!evaluate(v, v->c->t[row]) || v->c->d->energy(&v->c->at, &energy) < 0) return false;
  for (long e = first; e < first + n; e++)
    cli_verify_note(v->c, CLI_EVENTS, row,
                    (long double)energy.kinetic + energy.potential - v->c->event[e].energy_before,
                    weight*(fabs(energy.kinetic) + fabs(energy.potential) + 1e-9));
  return true;
}

// Of an arc without events at its end: the change of transport belongs to the drive
static bool check_works(arcs* v, long row, long double weight)
{
  const long double* sum = v->z + 2*v->nv + v->rows;
  double transport[2] = {0};
  ss_energy e = {0};
  weight = most_vague(v);
  if (!v->c->info->run.step.account || !v->c->d->energy || !isfinite(weight)) return true;
  for (int end = 0; end < 2; end++) {
    if (!evaluate_row(v, row - 1 + end) || v->c->d->energy(&v->c->at, &e) < 0) return false;
    transport[end] = e.transport;
  }
  cli_verify_works(v->c, row, sum[SUM_FORCES], sum[SUM_DRIVE] + transport[1] - transport[0], weight);
  return true;
}

// States after an event are those of the row, others stay what they were
static void check_states(arcs* v, long row, long first, long n)
{
  for (int i = 0; i < v->k; i++) {
    ss_contact_state is = (ss_contact_state)v->state[i][row], expected = v->mode[i];
    for (long e = first; e < first + n; e++) {
      const ss_event* event = &v->c->event[e];
      if (event->contact != i) continue;
      if (event->state_before != v->mode[i]) expected = SS_SLIP;  // which it cannot be
      else if (expected != SS_SLIP) expected = event->state;
    }
    cli_verify_note(v->c, CLI_STATES, row, is != expected, 1);
  }
}

// Forces at the start of the arc: none pulls, those that stick hold, those that slide do so against friction. Where
// they are not unique, either there or in the mean by the file: loads may pass from one to the other within an arc.
static bool check_forces(arcs* v, long row, long double weight)
{
  if (!rate_of(v, v->c->t[row - 1], v->y, v->rate)) return false;
  long double size = 0;
  for (int r = 0; r < v->rows; r++) size += fabsl(v->lambda[r]);
  long double dt = v->c->t[row] - v->c->t[row - 1];
  size += v->push + v->c->least/dt;
  for (int i = 0; i < v->k; i++) {
    const ss_contact_def* c = &v->c->d->contact[i];
    long double N = has_normal(v, i) ? v->lambda[v->row[i]] : 0, mean = has_normal(v, i) ? v->told[v->row[i]] : 0;
    if (v->mode[i] == SS_OPEN) continue;
    if (has_normal(v, i))
      cli_verify_note(v->c, CLI_NORMAL, row, fminl(0, v->unique ? N : fmaxl(N, mean)), weight*size);
    if (!has_tangent(v, i)) continue;
    int r = tangent_row(v, i);
    long double mu = fmaxl(c->mu_static, v->mu[i]), bound = fmaxl(c->bound_static, v->bound[i]), terms = 1e-9L;
    long double beyond = fmaxl(0, fabsl(v->lambda[r]) - mu*N - bound);
    if (!v->unique) beyond = fminl(beyond, fmaxl(0, fabsl((long double)v->told[r]) - mu*mean - bound));
    for (int j = 0; j < v->nv; j++)  // velocities, and what they become within the row: sliding may begin at rest
      terms += fabsl(v->W[r*v->nv + j])*(fabsl(v->y[v->nv + j]) + dt*fabsl(v->rate[v->nv + j]));
    long double slip = slides(v, i)*(dot(v, r, v->y + v->nv) + v->w_hat[r]);
    if (v->mode[i] == SS_STICK) cli_verify_note(v->c, CLI_FRICTION, row, beyond, weight*(size + 1e-9L));
    else cli_verify_note(v->c, CLI_FRICTION, row, fminl(0, slip), weight*(terms + fabs(v->w_hat[r])));
  }
  return true;
}

// ---- forces of the file ----

// Forces of a row of the file, where they are unique, against those that accelerate() found there. They are known to
// a part of the largest so far: where a contact opens its force is a difference of these.
static bool check_told(arcs* v, long row, long double weight, ss_error* error)
{
  const ss_run_contact* list;
  int n = ss_run_contacts(v->c->run, row, &list, error);
  long double size = v->push;
  if (n < 0) return false;
  if (!v->unique) return true;
  for (int r = 0; r < v->rows; r++) size += fabsl(v->lambda[r]);
  size = v->pushed = fmaxl(v->pushed, size + v->c->least/v->c->info->run.step.dt);
  for (int i = 0; i < n && i < v->k; i++) {
    int first = !has_normal(v, i);
    if (!isfinite(list[i].force[first]) || !is_known(v, island_of_row(v, v->row[i]))) continue;
    for (int k = 0; k < ss_contact_rows(v->c->d->contact[i].kind); k++) {
      long double told = list[i].force[first + k];
      cli_verify_note(v->c, CLI_MOMENTUM, row, v->lambda[v->row[i] + k] - told, weight*(size + fabsl(told)));
    }
  }
  for (int b = 0; b < v->nb; b++)
    if (v->F[b] && is_known(v, island_of_row(v, b)))
      cli_verify_note(v->c, CLI_MOMENTUM, row, v->lambda[b] - v->F[b][row], weight*(size + fabs(v->F[b][row])));
  return true;
}

// ---- static friction ----

#define AT_REST 1e-9L  // of the terms of a velocity: sliding begins

static bool starts_to_slide(const arcs* v, int i)
{
  const ss_contact_def* c = &v->c->d->contact[i];
  int r = tangent_row(v, i);
  if (!slides(v, i) || c->varies || !(c->mu_static > c->mu || c->bound_static > c->bound)) return false;
  long double speed = dot(v, r, v->y + v->nv) + v->w_hat[r], terms = fabs(v->w_hat[r]);
  for (int j = 0; j < v->nv; j++) terms += fabsl(v->W[r*v->nv + j])*v->most[j];
  return fabsl(speed) <= AT_REST*terms;
}

// Into h the closed contacts of an island with their forces and accelerations at the start of the arc
static void fill_hold(arcs* v, int island, cli_hold* h)
{
  int from[MOST_ROWS], n = v->nv;
  h->n = h->rows = 0;
  for (int i = 0; i < v->k; i++) {
    const ss_contact_def* c = &v->c->d->contact[i];
    bool starts = starts_to_slide(v, i), held = starts || v->mode[i] == SS_STICK;
    if (v->mode[i] == SS_OPEN || island_of_row(v, v->row[i]) != island) continue;
    h->contact[h->n++] = (cli_hold_contact){
      .row = h->rows, .normal = has_normal(v, i), .tangents = has_tangent(v, i), .watched = starts,
      .mu = held ? fmax(v->mu[i], c->mu_static) : v->mu[i],
      .bound = held ? fmax(v->bound[i], c->bound_static) : v->bound[i],
      .slides = !held && slides(v, i), .d = {slides(v, i), 0}};
    for (int k = 0; k < ss_contact_rows(c->kind); k++) {
      int r = v->row[i] + k;
      h->Lambda[h->rows] = v->lambda[r];
      h->xi[h->rows] = dot(v, r, v->rate + n) + v->w_bar[r];
      from[h->rows++] = r;
    }
  }
  for (int j = 0; j < h->rows; j++) {
    for (int p = 0; p < n; p++) v->x[p] = v->W[from[j]*n + p];
    solve_mass(v, v->x);
    for (int i = 0; i < h->rows; i++) h->G[i*h->rows + j] = dot(v, from[i], v->x);
  }
}

static bool acts_on(const arcs* v, int island)
{
  for (int b = 0; b < v->nb; b++)
    if (island_of_row(v, b) == island) return true;
  return false;
}

// What begins to slide could not be held. Comes after check_forces(), where the arc starts.
static bool check_static(arcs* v, long row, long double weight)
{
  cli_hold h = {0};
  bool good = true;
  for (int i = 0; good && i < v->k; i++) {
    if (v->mode[i] == SS_OPEN || !starts_to_slide(v, i)) continue;
    int island = island_of_row(v, v->row[i]);
    if (acts_on(v, island)) {
      cli_verify_count_out(v->c, CLI_NOT_HELD);
      continue;
    }
    if (!h.G) good = cli_hold_open(&h, v->k, v->rows);
    if (good) fill_hold(v, island, &h);
    if (good) cli_hold_check(v->c, row, &h, weight);
  }
  cli_hold_close(&h);
  return good;
}

// ---- the run ----

// The states of the first arc are not in the file: they are those before the first events, or of the next row
static void first_modes(arcs* v, long n)
{
  for (int i = 0; i < v->k; i++) {
    v->mode[i] = (ss_contact_state)v->state[i][1];
    for (long e = n - 1; e >= 0; e--)
      if (v->c->event[e].contact == i) v->mode[i] = v->c->event[e].state_before;
  }
}

static bool is_series(const arcs* v, long first, long n)
{
  for (long e = first; e < first + n; e++)
    if (v->c->event[e].kind == SS_EVENT_ACCUMULATION) return true;
  return false;
}

// Whether the first row overlaps, or its constraints are not kept: the integrator puts that right before it starts
static bool starts_wrong(arcs* v)
{
  int nv = v->nv;
  load(v, 0);
  for (int j = 0; j < nv; j++) v->x[j] = v->u[j];
  if (!evaluate(v, v->c->t[0])) return true;
  for (int b = 0; b < v->nb; b++) {
    long double size = 0, speed = fabs(v->w_hat[b]);
    for (int j = 0; j < nv; j++) {
      size += fabsl((long double)v->W[b*nv + j]*v->q[j]);
      speed += fabsl((long double)v->W[b*nv + j]*v->u[j]);
    }
    if (fabs(v->gap[v->k + b]) > KEPT*size || fabsl(dot(v, b, v->x) + v->w_hat[b]) > KEPT*speed) return true;
  }
  for (int i = 0; i < v->k; i++)
    if (has_normal(v, i) && v->gap[i] < 0) return true;
  return false;
}

// Mean forces of the contacts by the file over the arc to this row: impulses without those of events
static void tell_forces(arcs* v, long row, long first, long n)
{
  double passed = v->c->t[row] - v->c->t[row - 1];
  memset(v->told, 0, sizeof(double)*(size_t)v->rows);
  if (!(passed > 0)) return;
  collect(v, row, first, n);
  for (int i = 0; i < v->k; i++) {
    int N = v->row[i], T = tangent_row(v, i);
    if (has_normal(v, i)) v->told[N] = (v->N[i][row] - v->impulse[N])/passed;
    if (has_tangent(v, i)) v->told[T] = (v->T[i][row] - v->impulse[T])/passed;
  }
  for (int b = 0; b < v->nb; b++) v->told[b] = n ? 0 : v->B[b][row]/passed;  // those of events are not in the file
}

// The islands in which a series of impacts ends are not known
static void leave_out_series(arcs* v, long first, long n)
{
  cli_verify_count_out(v->c, "impacts that end a series");
  for (long e = first; e < first + n; e++)
    if (v->c->event[e].kind == SS_EVENT_ACCUMULATION) forget(v, island_of_row(v, v->row[v->c->event[e].contact]));
}

// At the end of an arc, in the state of the row
static bool check_end_forces(arcs* v, long row, long double weight, ss_error* error)
{
  load(v, row);
  return accelerate(v, v->c->t[row]) && check_told(v, row, weight, error);
}

static bool check_arc(arcs* v, long row, ss_error* error)
{
  const cli_verifier* c = v->c;
  int nv = v->nv;
  long first = (long)v->counted[row - 1], n = (long)v->counted[row] - first;
  long double weight = fmaxl(1, 100*(long double)fmin(c->info->run.step.event.rtol, CLI_LOOSE)/c->tol);
  if (n < 0 || first < 0 || first + n > c->info->n_events) return true;  // told with the counts
  if (!take_sides(v, row - 1)) return false;
  for (int i = 0; row > 1 && i < v->k; i++) v->mode[i] = (ss_contact_state)v->state[i][row - 1];
  if (row == 1) first_modes(v, n);
  if (row == 1 && starts_wrong(v)) {
    cli_verify_leave_out(v->c, "the first step, before which overlap is removed");
    return true;
  }
  for (int j = 0; j < nv; j++) {
    v->y[j] = c->q[j][row - 1];
    v->y[nv + j] = c->u[j][row - 1];
  }
  for (int j = 2*nv; j < v->ny; j++) v->y[j] = 0;
  for (int j = 0; j < nv; j++) {
    v->most[j] = fmax(v->most[j], fabs(c->u[j][row - 1]));
    v->far[j] = fmax(v->far[j], fabs(c->q[j][row - 1]));
  }
  v->kinked = false;
  bool passes = c->t[row] > c->t[row - 1];  // forces act; not between the rows before and after an event
  if (!is_series(v, first, n)) tell_forces(v, row, first, n);
  v->shared = false;
  if (passes && (!check_forces(v, row, weight) || !check_static(v, row, weight))) return false;
  for (int j = 0; j < nv; j++) v->vague[j] = weight;
  if (passes && row > 1 && !check_told(v, row - 1, weight, error)) return false;
  memcpy(v->W_start, v->W, sizeof(double)*(size_t)(v->rows*nv));
  if (!follow_arc(v, c->t[row - 1], (long double)c->t[row] - c->t[row - 1])) return false;
  if (!look_at_end(v, row)) return false;
  find_vagueness(v, weight);
  if (v->kinked && passes) {
    cli_verify_count_out(v->c, "arcs across a kink, but for parts without it");
    if (!forget_kinked(v, row - 1) || !forget_kinked(v, row)) return false;
  }
  if (is_series(v, first, n)) leave_out_series(v, first, n);
  if (passes && !n && !check_end_forces(v, row, weight, error)) return false;
  if (passes && !n && !check_works(v, row, weight)) return false;
  if (!take_sides(v, row) || !evaluate_row(v, row)) return false;
  check_states(v, row, first, n);
  for (long e = first; e < first + n; e++) cli_verify_event_state(v->c, row, e);
  collect(v, row, first, n);
  check_end(v, row, n > 0, weight);
  for (long e = first; e < first + n; e++) check_event(v, row, &c->event[e], weight);
  return check_energy(v, row, first, n, weight);
}

static bool open_arcs(arcs* v, ss_error* error)
{
  size_t nv = (size_t)v->nv, k = (size_t)v->k + 1, rows = (size_t)v->rows + 1, ny = (size_t)v->ny, nb = (size_t)v->nb;
  v->row = calloc(k + rows, sizeof *v->row);
  v->side = calloc(2*(size_t)v->c->d->n_kink + 1, sizeof *v->side);
  v->mode = calloc(k, sizeof *v->mode);
  v->N = calloc(3*k + 2*nb, sizeof *v->N);
  v->q = calloc(5*nv + nv*nv + 2*rows*nv + 6*rows + 4*k + nb, sizeof *v->q);
  v->L = calloc(nv*nv + 3*nv + 2*rows + rows*(2*rows + 3) + 7*ny, sizeof *v->L);
  bool known = cli_islands_open(&v->islands, v->c);
  if (!known || !v->row || !v->side || !v->mode || !v->N || !v->q || !v->L)
    return ss_error_set(error, SS_ERR_MEMORY, "out of memory"), false;
  cli_islands_begin(&v->islands);
  cli_islands_end(&v->islands);
  v->unknown = v->row + k;
  v->T = v->N + k;
  v->state = v->T + k;
  v->B = v->state + k;
  v->F = v->B + nb;
  double *p = v->q + nv, **part[] = {&v->u, &v->h, &v->M, &v->W, &v->w_hat, &v->w_bar, &v->impulse, &v->mu, &v->bound,
                                     &v->most, &v->told, &v->far, &v->W_start, &v->total};
  size_t length[] = {nv, nv, nv*nv, rows*nv, rows, rows, rows, k, k, nv, rows, nv, rows*nv, rows};
  for (int i = 0; i < 14; p += length[i++]) *part[i] = p;
  v->gap = p;
  long double *x = v->L + nv*nv;
  long double** more[] = {&v->a, &v->x, &v->lambda, &v->A, &v->room, &v->y, &v->z, &v->half, &v->left,
                                             &v->vague, &v->rate};
  size_t wide[] = {nv, nv + rows, rows, rows*(rows + 1), rows*(rows + 2), ny, ny, ny, ny, nv, 3*ny};
  for (int i = 0; i < 11; x += wide[i++]) *more[i] = x;
  for (int i = 0, r = v->nb; i < v->k; r += ss_contact_rows(v->c->d->contact[i++].kind)) v->row[i] = r;
  for (int i = 0; i < v->k; i++) {
    v->N[i] = cli_verify_column(v->c, "Lambda_N.", v->c->info->contact[i], error);
    v->T[i] = cli_verify_column(v->c, "Lambda_T.", v->c->info->contact[i], error);
    v->state[i] = cli_verify_column(v->c, "state.", v->c->info->contact[i], error);
  }
  for (int i = 0; i < v->nb; i++) v->B[i] = cli_verify_column(v->c, "Lambda.", v->c->info->bilateral[i], error);
  char name[400];
  for (int i = 0; i < v->nb; i++) {
    snprintf(name, sizeof name, "F.%s", v->c->info->bilateral[i]);
    v->F[i] = ss_run_column(v->c->run, name, NULL);
  }
  v->counted = cli_verify_column(v->c, "counts.", "events", error);
  v->when = ss_run_column(v->c->run, "side", NULL);
  return error->status >= 0;
}

bool cli_verify_arcs(cli_verifier* c, ss_error* error)
{
  arcs v = {.c = c, .nv = c->d->nv, .k = c->d->n_contact, .nb = c->d->n_bilateral};
  v.rows = ss_system_rows(ss_model_system(c->model)) + v.nb;
  v.ny = 2*v.nv + v.rows + SUMS;
  bool good = open_arcs(&v, error), biased = (c->d->contact_bias || !v.k) && v.rows <= MOST_ROWS;
  if (c->info->run.every > 1) cli_verify_leave_out(c, "steps that were not recorded");
  if (!biased) cli_verify_leave_out(c, "arcs with more than 64 rows of contacts, or without their accelerations");
  if (c->info->run.step.order != SS_IMPACTS_SIMULTANEOUS) cli_verify_leave_out(c, "the law of impacts one by one");
  if (c->info->run.step.energy_limited) cli_verify_leave_out(c, "the law of impacts that energy limits");
  for (long row = 1; good && biased && row < c->info->n_rows; row++)
    good = cli_verify_go_on(c, row, error) && check_arc(&v, row, error);
  c->at.side = NULL;
  free(v.row);
  free(v.side);
  cli_islands_close(&v.islands);
  free(v.mode);
  free(v.N);
  free(v.q);
  free(v.L);
  return good;
}
