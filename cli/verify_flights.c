// `stickslip verify` of event-driven runs of scenes and planar bodies. From each row to the next the motion is computed
// once more, with the contact states of the file (verify_flight.c): q, u, impulses, what friction took and the works at
// its end. Rows before and after an event have the same time: between them velocities jump by the laws of impact,
//   M (u+ - u-) = W Lambda,   0 <= gamma+ + eps gamma- _|_ Lambda_N >= 0,   -Lambda_T in mu Lambda_N Sgn(xi_T).
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify_algebra.h"
#include "verify_dry.h"
#include "verify_hold.h"
#include "verify_islands.h"
#include "verify_listed.h"
#include "verify_rates.h"

#define KEPT 1e-12L  // of the terms of a constraint or a gap: it is kept
#define BUDGET 2e9   // products for all arcs: of more only some are followed
#define MARGIN 100   // errors are less than so many times what the last order of the method changed
#define ROUGH 0.1    // relative: what is known no better is not looked at
#define ROUND 1e-15L // of a time: the length of an arc is known to that
#define AT_REST 1e-9L // of the terms of a velocity: sliding begins
#define KNOWN 0.01L  // rtol as a part of the tolerance, see flights.weight

typedef struct flights {
  cli_verifier* c;
  cli_flight f;
  ss_state *a, *e;             // the rows of an arc
  ss_run_contact *past, *now;  // their contacts
  int n_past, n_now, past_room, now_room;
  const double *counted, **B;  // columns: events so far; nb: impulses of constraints
  double* pushed;              // n_contact: the largest forces around each so far
  const double** F;            // nb: their forces; NULL: early files
  double* judged;              // nv: sizes of velocities in a row
  double *most, *far;          // nv, nq: the largest velocities and coordinates so far
  long double *y, *z, *size, *other;  // cli_flight_size(); other: see forget_vague()
  long double* left;           // likewise: see cli_flight_follow()
  int room;                    // of y
  long double weight;          // of sizes: a coarse rtol counts as --tol
  cli_islands islands;         // of the arc
  long double* vague;          // nv, by islands: how much sizes count where their motion is rough; weight or more
  double passed;               // by the arc
  long double speed;           // the largest of all velocities so far
  cli_dry dry;
} flights;

// ---- rows ----

static bool keep_contacts(flights* v, int n, const ss_run_contact* list)
{
  ss_run_contact* keep = v->past;
  int room = v->past_room;
  v->past = v->now;
  v->past_room = v->now_room;
  v->n_past = v->n_now;
  if (n > room) {
    ss_run_contact* more = realloc(keep, sizeof *keep*(2*(size_t)n + 8));
    if (!more) return v->now = keep, v->now_room = room, false;
    keep = more;
    room = 2*n + 8;
  }
  v->now = keep;
  v->now_room = room;
  v->n_now = n;
  if (n) memcpy(keep, list, sizeof *keep*(size_t)n);
  return true;
}

static const ss_run_contact* find(int n, const ss_run_contact* list, int contact)
{
  for (int i = 0; i < n; i++)
    if (list[i].contact == contact) return &list[i];
  return NULL;
}

static bool make_room(flights* v)
{
  int n = cli_flight_size(&v->f);
  if (v->y && n <= v->room) return true;
  free(v->y);
  v->room = n + n/2 + 8;
  v->y = calloc(5*(size_t)v->room, sizeof *v->y);
  if (!v->y) return false;
  v->z = v->y + v->room;
  v->size = v->z + v->room;
  v->other = v->size + v->room;
  v->left = v->other + v->room;
  return true;
}

static long first_event(const flights* v, long row) { return (long)v->counted[row - 1]; }

// Events of this row that a jump can be told by
static bool is_series(const flights* v, long row)
{
  for (long e = first_event(v, row); e < (long)v->counted[row]; e++)
    if (v->c->event[e].kind == SS_EVENT_ACCUMULATION) return true;
  return false;
}

static const ss_event* impact_of(const flights* v, long row, int contact)
{
  for (long e = first_event(v, row); e < (long)v->counted[row]; e++)
    if (v->c->event[e].contact == contact && v->c->event[e].kind == SS_EVENT_IMPACT) return &v->c->event[e];
  return NULL;
}

static long double largest(int n, const double* x)
{
  long double most = 0;
  for (int i = 0; i < n; i++) most = fmaxl(most, fabsl((long double)x[i]));
  return most;
}

// ---- an arc ----

// Forces by the file at both ends of the arc, and their mean over it. Row 0 has none: those of the first arc are a
// straight line through the other two. Open contacts, which may leave the list, have none. Early files have the mean
// alone.
static void tell_forces(flights* v, long row, double passed)
{
  cli_flight* f = &v->f;
  bool known = true;
  for (int b = 0; b < f->nb; b++) {
    f->told_mean[b] = v->B[b][row]/passed;
    known = known && v->F[b] && isfinite(v->F[b][row]) && isfinite(v->F[b][row - 1]);
    f->told_end[b] = known ? v->F[b][row] : 0;
    f->told_start[b] = known && row > 1 ? v->F[b][row - 1] : 2*f->told_mean[b] - f->told_end[b];
  }
  for (int i = 0; i < f->n; i++) {
    const ss_run_contact *a = &v->past[i], *e = find(v->n_now, v->now, a->contact);
    known = known && (e ? isfinite(e->force[0]) && isfinite(a->force[0]) : a->state == SS_OPEN);
    for (int k = 0; k < ss_contact_rows(f->item[i].law->kind); k++) {
      int r = f->row[i] + k;
      f->told_mean[r] = e ? cli_flight_row_impulse(f, i, e->Lambda, k)/passed : 0;
      f->told_end[r] = e ? cli_flight_row_impulse(f, i, e->force, k) : 0;
      f->told_start[r] = row > 1 ? cli_flight_row_impulse(f, i, a->force, k) : 2*f->told_mean[r] - f->told_end[r];
    }
  }
  f->from = v->a->t;
  f->length = known ? passed : 0;
}

static void find_islands(flights* v)
{
  cli_flight* f = &v->f;
  cli_islands_begin(&v->islands);
  cli_islands_join_mass(&v->islands, f->M);
  for (int r = 0; r < f->rows; r++) cli_islands_join_row(&v->islands, f->W + r*f->nv);
  cli_islands_end(&v->islands);
}

static int island_of_row(const flights* v, int r) { return cli_islands_of_row(&v->islands, v->f.W + r*v->f.nv); }

// The largest speed so far of an island
static long double speed_of(const flights* v, int island)
{
  long double most = 0;
  for (int i = 0; i < v->f.nv; i++)
    if (v->islands.of[i] == island) most = fmaxl(most, v->most[i]);
  return most;
}

// Of coordinate i: the farthest it has been; round-off of places is that of the largest of them and of the contacts
static long double place_size(const flights* v, int i)
{
  const cli_flight* f = &v->f;
  long double size = largest(f->nq, v->far);
  for (int k = 0; k < f->n; k++) size = fmaxl(size, f->item[k].size);
  return v->far[i] + 1e-3L*size + 1e-9L;
}

// A contact hands errors of its own velocity on: what an impulse makes of velocity j, |M^-1 W_r|_j/G_rr, that gives row
// r its free fall, which forces hold (they are known to a part of it), and a thousandth of the velocity that its terms
// have. Angles of small bodies are large numbers.
static void hand_on(flights* v, int r, double passed)
{
  cli_flight* f = &v->f;
  long double g = cli_flight_diagonal(f, r), fall = f->term[r]*passed, speed = fabsl((long double)f->w_hat[r]);
  long double* size = v->size + f->nq;
  for (int j = 0; j < f->nv; j++) speed += fabsl(f->W[r*f->nv + j]*size[j]);
  for (int j = 0; g > 0 && j < f->nv; j++) size[j] = fmaxl(size[j], (fall + 1e-3L*speed)*fabsl(f->x[j])/g);
}

static bool slips_in(const flights* v, int island)
{
  for (int i = 0; i < v->f.n; i++)
    if (v->f.mode[i] == SS_SLIP && island_of_row(v, v->f.row[i]) == island) return true;
  return false;
}

// Sizes by which the end of the arc is judged: the largest so far, by which the integrator measures, too; a thousandth
// of those of others, and of what free fall would give, whose round-off comes in. Where a contact slides in space the
// integrator, too, measures by all of the speed: friction forgets errors of its direction.
static void find_sizes(flights* v)
{
  cli_flight* f = &v->f;
  double passed = fmax(v->passed, v->c->info->run.step.dt);  // the integrator's steps are as long
  for (int i = 0; i < f->nq; i++) {
    long double way = passed*fmaxl(speed_of(v, v->islands.of_place[i]), f->fall*passed);
    v->size[i] = place_size(v, i) + fabsl((long double)v->a->q[i]) + fabsl((long double)v->e->q[i]) + way;
  }
  for (int i = 0; i < f->nv; i++) {
    long double speed = fmaxl(speed_of(v, v->islands.of[i]), f->fall*passed);
    v->size[f->nq + i] = v->most[i] + fabsl((long double)v->a->u[i]) + fabsl((long double)v->e->u[i]) +
                         (slips_in(v, v->islands.of[i]) ? 1 : 1e-3)*speed + 1e-9L;
  }
  for (int r = 0; r < f->rows; r++) hand_on(v, r, passed);
  long double push = 1e-300L;
  for (int r = 0; r < f->rows; r++) push += fmaxl(fabsl(f->lambda[r]), fabsl((long double)f->told_mean[r]))*v->passed;
  for (int r = 0; r < f->rows; r++) v->size[f->nq + f->nv + r] = push;
}

static int island_of_number(const flights* v, int i)
{
  const cli_flight* f = &v->f;
  return i < f->nq ? v->islands.of_place[i] : i < f->nq + f->nv ? v->islands.of[i - f->nq] :
         island_of_row(v, i - f->nq - f->nv);
}

// How well the end of the arc is known, island by island; counts those that are known less well than others
static void find_vagueness(flights* v)
{
  const cli_flight* f = &v->f;
  long double worst = 0;
  for (int i = 0; i < f->nv; i++) v->vague[i] = v->weight;
  for (int i = 0; i < f->nq + f->nv + f->rows; i++) {
    int island = island_of_number(v, i);
    long double known = MARGIN*v->left[i]/v->c->tol;
    if (island >= 0 && !(known <= v->vague[island])) v->vague[island] = known;
    worst = fmaxl(worst, known);
  }
  if (!(worst*v->c->tol < ROUGH)) cli_verify_count_out(v->c, CLI_TOO_ROUGH);
  else if (worst > v->weight) cli_verify_count_out(v->c, CLI_ROUGH);
}

static bool is_known(const flights* v, int island)
{
  return island < 0 || v->vague[island]*v->c->tol < ROUGH;
}

static void start_arc(flights* v)
{
  cli_flight* f = &v->f;
  for (int i = 0; i < f->nq; i++) v->y[i] = v->a->q[i];
  for (int i = 0; i < f->nv; i++) v->y[f->nq + i] = v->a->u[i];
  for (int i = f->nq + f->nv; i < cli_flight_size(f); i++) v->y[i] = 0;
}

// Closed contacts keep their states along an arc
static void check_states(flights* v, long row)
{
  for (int i = 0; i < v->n_past + v->n_now; i++) {
    bool first = i < v->n_past;
    const ss_run_contact* c = first ? &v->past[i] : &v->now[i - v->n_past];
    const ss_run_contact* other = first ? find(v->n_now, v->now, c->contact) : find(v->n_past, v->past, c->contact);
    if (c->state == SS_OPEN) continue;
    cli_verify_note(v->c, CLI_STATES, row, !other || other->state != c->state, 1);
  }
}

// What slides does so in the direction that its state says: in space that of its velocity, in the plane a sign
static void check_slip(flights* v, long row, int i, const double* u)
{
  const cli_flight* f = &v->f;
  double sign = f->mode[i] == SS_SLIP_POS ? 1 : f->mode[i] == SS_SLIP_NEG ? -1 : 0;
  int r = f->row[i] + (f->item[i].law->kind != SS_CONTACT_FRICTION);
  long double size = fabs(f->w_hat[r]) + 1e-300L;
  for (int j = 0; j < f->nv; j++) size += fabsl((long double)f->W[r*f->nv + j])*v->size[f->nq + j];
  if (sign != 0)
    cli_verify_note(v->c, CLI_STATES, row, fminl(0, sign*(cli_flight_velocity(f, r, u) + f->w_hat[r])), v->weight*size);
}

// What weights can press on a row with at the most, wherever they act: |lambda_r| <= sqrt(h . M^-1 h)/sqrt(G_rr), and
// G_rr >= W_rj^2/M_jj for every j
static long double weight_on(const flights* v, int r)
{
  const cli_flight* f = &v->f;
  const double *weight = v->c->d->weight, *W = f->W + r*f->nv;
  long double least = INFINITY;
  for (int j = 0; weight && j < f->nv; j++)
    if (W[j] != 0) least = fminl(least, weight[j]*sqrtl(f->M[j*f->nv + j])/fabs(W[j]));
  return isfinite(least) ? least : 0;
}

// Of the forces of an island, those of the file included
static long double force_size(const flights* v, int island)
{
  const cli_flight* f = &v->f;
  long double size = 1e-300L;
  for (int r = 0; r < f->rows; r++)
    if (island_of_row(v, r) == island)
      size += fabsl(f->lambda[r]) + (r < f->nb ? 0 : fabsl((long double)f->told[r])) + CLI_FAINT*weight_on(v, r);
  return size;
}

// The island that a contact acts on: a joint may leave its normal row nothing to move
static int island_of_contact(const flights* v, int i)
{
  const cli_flight* f = &v->f;
  int island = -1;
  for (int k = 0; island < 0 && k < ss_contact_rows(f->item[i].law->kind); k++)
    island = island_of_row(v, f->row[i] + k);
  return island;
}

// What the forces without contacts would do to an island, as a force in row r: sqrt(h M^-1 h/G_rr). Where they act
// across the row, or cancel in it, its force is round-off of that.
static long double load_size(flights* v, int island, int r)
{
  cli_flight* f = &v->f;
  long double sum = 0;
  for (int j = 0; j < f->nv; j++) f->x[j] = f->h[j];
  cli_cholesky_solve(f->nv, f->L, f->x);
  for (int j = 0; j < f->nv; j++)
    if (v->islands.of[j] == island) sum += f->h[j]*f->x[j];
  long double g = cli_flight_diagonal(f, r);
  return sum > 0 && g > 0 ? sqrtl(sum/g) : 0;
}

// `off` is missing in row r; size: of the forces beside it
static void note_force(flights* v, cli_verify_check check, long row, int r, long double off, long double size)
{
  if (off != 0) size += CLI_FAINT*load_size(v, island_of_row(v, r), r);
  cli_verify_note(v->c, check, row, off, v->weight*size);
}

// Forces at an end of the arc, with the velocities there: none pulls, those that stick hold, what slides does so
static void check_forces(flights* v, long row, const double* u)
{
  cli_flight* f = &v->f;
  for (int i = 0; i < f->n; i++) {
    const ss_contact_def* law = f->item[i].law;
    long double size = force_size(v, island_of_contact(v, i)) + v->c->least/v->passed;
    int normal = law->kind != SS_CONTACT_FRICTION, rows = ss_contact_rows(law->kind);
    long double N = normal ? f->lambda[f->row[i]] : 0, T = 0;
    if (f->mode[i] == SS_OPEN) continue;
    if (normal) note_force(v, CLI_NORMAL, row, f->row[i], fminl(0, N), size);
    if (f->mode[i] != SS_STICK) {
      check_slip(v, row, i, u);
      continue;
    }
    for (int k = normal; k < rows; k++) T = hypotl(T, f->lambda[f->row[i] + k]);
    double mu = law->varies ? f->op->friction(f->c->d->user, law, 0) : law->mu;
    long double limit = fmaxl(law->mu_static, mu)*N + fmaxl(law->bound_static, law->bound);
    note_force(v, CLI_FRICTION, row, f->row[i] + normal, fmaxl(0, T - limit), size);
  }
}

static long double slowness(const flights* v, int island);

// Forces of a row of the file, where they are unique, against those of the system there. They are known to a part of
// the largest so far: where a contact opens its force is a difference of these.
static void check_told(flights* v, long row, int n, const ss_run_contact* list)
{
  cli_flight* f = &v->f;
  if (!f->unique) return;
  for (int i = 0; i < f->n; i++) {
    int number = v->past[i].contact, island = island_of_row(v, f->row[i]);
    const ss_run_contact* c = find(n, list, number);
    if (!c || f->mode[i] == SS_OPEN || island < 0 || !is_known(v, island) || !isfinite(c->force[0])) continue;
    double* most = &v->pushed[number];
    long double size = force_size(v, island) + v->c->least/v->passed;
    *most = fmax(*most, (double)size);
    size = fmaxl(size, *most)*slowness(v, island);
    for (int k = 0; k < ss_contact_rows(f->item[i].law->kind); k++) {
      long double told = cli_flight_row_impulse(f, i, c->force, k);
      cli_verify_note(v->c, CLI_MOMENTUM, row, f->lambda[f->row[i] + k] - told, v->vague[island]*(size + fabsl(told)));
    }
  }
  for (int b = 0; v->F[b] && b < f->nb; b++) {
    int island = island_of_row(v, b);
    long double told = v->F[b][row];
    long double size = island < 0 ? 0 : force_size(v, island) + fabsl(told) + v->c->least/v->passed;
    if (island >= 0 && is_known(v, island))
      cli_verify_note(v->c, CLI_MOMENTUM, row, f->lambda[b] - told, v->vague[island]*size);
  }
}

// Friction in space has the direction d = v/|v|: it is known no better than v, to a part size/|v| of what that is known
// to. 1, or more where something slides slowly.
static long double slowness(const flights* v, int island)
{
  const cli_flight* f = &v->f;
  long double most = 1;
  for (int i = 0; i < f->n; i++) {
    long double speed[2] = {0}, size = 0;
    if (f->mode[i] != SS_SLIP || island_of_row(v, f->row[i]) != island) continue;
    for (int r = f->row[i] + 1; r <= f->row[i] + 2; r++) {
      speed[0] = hypotl(speed[0], cli_flight_velocity(f, r, v->a->u) + f->w_hat[r]);
      speed[1] = hypotl(speed[1], cli_flight_velocity(f, r, v->e->u) + f->w_hat[r]);
      for (int j = 0; j < f->nv; j++) size += fabsl(f->W[r*f->nv + j]*v->size[f->nq + j]);
    }
    most = fmaxl(most, size/fminl(speed[0], speed[1]));
  }
  return most;
}

// Of the impulses of an island over the arc, and of a part of its momenta: the integrator knows velocities to rtol of
// their sizes, takes what constraints forbid of that error out of them, and has it in its impulses. The length of an
// arc is known to round-off of its time.
static long double push_size(const flights* v, int island)
{
  const cli_flight* f = &v->f;
  const long double* z = v->z + f->nq + f->nv;
  long double size = 1e-300L, moment = ROUND*fabsl((long double)v->e->t)/v->c->tol;
  for (int r = 0; r < f->rows; r++)
    if (island_of_row(v, r) == island)
      size += fabsl(z[r]) + moment*fabsl(f->lambda[r]) + CLI_FAINT*weight_on(v, r)*v->passed;
  for (int i = 0; i < f->nv; i++)
    for (int j = 0; v->islands.of[i] == island && j < f->nv; j++)
      size += KNOWN*fabsl((long double)f->M[i*f->nv + j]*v->most[j]);
  return size*slowness(v, island);
}

// Impulses that are not unique: what they do is, W Lambda, up to what W changes by in the arc
static void check_effect(flights* v, long row, const long double* z)
{
  const cli_flight* f = &v->f;
  for (int j = 0; j < f->nv; j++) {
    long double sum = 0, change = 0, most = 0, size = push_size(v, v->islands.of[j]);
    if (!is_known(v, v->islands.of[j])) continue;
    for (int r = 0; r < f->rows; r++) {
      long double W = f->W[r*f->nv + j], told = f->told_mean[r]*v->passed;
      sum += W*(z[r] - told);
      change += fabsl(W - f->W_start[r*f->nv + j])*(fabsl(z[r]) + fabsl(told));
      most = fmaxl(most, fabsl(W));
    }
    cli_verify_note(v->c, CLI_MOMENTUM, row, fmaxl(0, fabsl(sum) - change), v->vague[v->islands.of[j]]*size*most);
  }
}

// What the arc arrives with against the row
static void check_end(flights* v, long row)
{
  const cli_flight* f = &v->f;
  int n = f->nq + f->nv;
  for (int i = 0; i < n; i++) {
    int island = island_of_number(v, i);
    double told = i < f->nq ? v->e->q[i] : v->e->u[i - f->nq];
    if (is_known(v, island)) cli_verify_note(v->c, CLI_ARCS, row, v->z[i] - told, v->vague[island]*v->size[i]);
  }
  if (!cli_verify_is_next(v->c, row)) return;  // its impulses are not those of all that passed
  for (int r = 0; f->unique && r < f->rows; r++) {
    int island = island_of_row(v, r);
    if (island < 0 || !is_known(v, island)) continue;
    cli_verify_note(v->c, CLI_MOMENTUM, row, v->z[n + r] - f->told_mean[r]*v->passed,
                    v->vague[island]*push_size(v, island));
  }
  if (!f->unique) check_effect(v, row, v->z + n);
}

static bool transport_of(flights* v, const ss_state* s, double* transport)
{
  ss_energy e = {0};
  v->c->at.q = s->q;
  v->c->at.u = s->u;
  v->c->at.t = s->t;
  if (v->c->d->update && v->c->d->update(&v->c->at) < 0) return false;
  if (v->c->d->energy(&v->c->at, &e) < 0) return false;
  *transport = e.transport;
  return true;
}

// Losses and works of the ledger against those of the arc
static bool check_ledger(flights* v, long row)
{
  const cli_verifier* c = v->c;
  if (!c->info->run.step.account || !c->d->energy) return true;
  const long double* sum = v->z + v->f.nq + v->f.nv + v->f.rows;
  double before, after;
  if (!transport_of(v, v->a, &before) || !transport_of(v, v->e, &after)) return false;
  long double vague = v->weight;
  for (int i = 0; i < v->f.nv; i++) vague = fmaxl(vague, v->vague[v->islands.of[i]]);
  if (!(vague*c->tol < ROUGH)) return true;
  cli_losses lost = {.friction = sum[CLI_SUM_FRICTION]};
  lost.size = vague*(fabsl(lost.friction) + fabs(c->kinetic[row]) + fabs(c->potential[row]));
  cli_verify_losses(v->c, row, &lost);
  cli_verify_works(v->c, row, sum[CLI_SUM_FORCES], sum[CLI_SUM_DRIVE] + after - before, vague);
  return true;
}

static bool ends_with_event(const flights* v, long row)
{
  return row + 1 < v->c->info->n_rows && v->counted[row + 1] > v->counted[row] && v->c->t[row + 1] == v->c->t[row];
}

// How far the state z of an island is from that of the row, of the sizes
static long double off_of(const flights* v, const long double* z, int island)
{
  const cli_flight* f = &v->f;
  long double worst = 0;
  for (int i = 0; i < f->nq + f->nv; i++) {
    long double is = i < f->nq ? v->e->q[i] : v->e->u[i - f->nq];
    if (island_of_number(v, i) == island) worst = fmaxl(worst, fabsl(z[i] - is)/v->size[i]);
  }
  return worst;
}

static bool ends_off(const flights* v, const long double* z)
{
  bool off = false;
  for (int i = 0; i < v->f.nv; i++) off = off || (is_known(v, i) && off_of(v, z, i) > v->c->tol*v->vague[i]);
  return off;
}

// A contact of the island begins to slide in space: with forces that are not unique the file does not say where to
static bool begins_to_slip(const flights* v, int island)
{
  const cli_flight* f = &v->f;
  for (int i = 0; i < f->n; i++) {
    long double speed = 0, terms = 0;
    if (f->mode[i] != SS_SLIP || island_of_row(v, f->row[i]) != island) continue;
    for (int r = f->row[i] + 1; r <= f->row[i] + 2; r++) {
      const double* W = f->W_start + r*f->nv;
      long double sum = f->w_hat[r];
      for (int j = 0; j < f->nv; j++) {
        sum += (long double)W[j]*v->a->u[j];
        terms += fabsl((long double)W[j])*v->most[j];
      }
      speed = hypotl(speed, sum);
    }
    if (speed <= AT_REST*terms) return true;
  }
  return false;
}

// How far two ends of the arc are from each other in an island, of the sizes
static long double apart_in(const flights* v, const long double* y, const long double* z, int island)
{
  long double worst = 0;
  for (int i = 0; i < v->f.nq + v->f.nv; i++)
    if (island_of_number(v, i) == island) worst = fmaxl(worst, fabsl(z[i] - y[i])/v->size[i]);
  return worst;
}

// The end with forces that go otherwise from one end of the arc to the other, into v->other
static bool follow_bent(flights* v, double length, cli_bend bend)
{
  cli_flight* f = &v->f;
  f->length = length;
  f->bend = bend;
  bool good = cli_flight_follow(f, v->a->t, v->passed, 1, v->y, v->size, v->other, v->left);
  f->length = v->passed;
  f->bend = CLI_BEND_EVEN;
  return good;
}

// Forces that are not unique are those of the file, which has both ends and the mean of the arc: a choice that changes
// in between makes a kink, anywhere. Islands whose end is off by less than kinks make of it, or by less than it is with
// the means alone, are not known better, nor those that begin to slide in space.
static bool forget_vague(flights* v)
{
  static const cli_bend bends[] = {CLI_BEND_EVEN, CLI_BEND_START, CLI_BEND_END};
  cli_flight* f = &v->f;
  bool forgotten = false, good = true;
  if (f->unique || !(f->length > 0)) return true;
  for (int k = 0; good && k < 3 && ends_off(v, v->z); k++) {
    good = follow_bent(v, k ? v->passed : 0, bends[k]);
    for (int i = 0; good && i < f->nv; i++) {
      long double here = off_of(v, v->z, i);
      if (!is_known(v, i) || !(here > v->c->tol*v->vague[i])) continue;
      bool vague = k ? here <= apart_in(v, v->z, v->other, i)
                     : here < off_of(v, v->other, i)/4 || begins_to_slip(v, i);
      if (vague) v->vague[i] = INFINITY;
      forgotten = forgotten || vague;
    }
  }
  if (forgotten) cli_verify_count_out(v->c, "arcs with a part whose forces are not unique and change too fast");
  return good;
}

// ---- static friction ----

static bool starts_to_slide(const flights* v, int i)
{
  const cli_flight* f = &v->f;
  const ss_contact_def* law = f->item[i].law;
  int first = f->row[i] + (law->kind != SS_CONTACT_FRICTION), end = f->row[i] + ss_contact_rows(law->kind);
  long double speed = 0, terms = 0;
  if (f->mode[i] == SS_OPEN || f->mode[i] == SS_STICK || law->varies) return false;
  if (!(law->mu_static > law->mu || law->bound_static > law->bound)) return false;
  for (int r = first; r < end; r++) {
    speed = hypotl(speed, cli_flight_velocity(f, r, v->a->u) + f->w_hat[r]);
    terms += fabs(f->w_hat[r]);
    for (int j = 0; j < f->nv; j++) terms += fabsl((long double)f->W[r*f->nv + j])*v->most[j];
  }
  return speed <= AT_REST*terms;
}

// Into h the closed contacts of an island with their forces and accelerations at the start of the arc
static void fill_hold(flights* v, int island, cli_hold* h)
{
  cli_flight* f = &v->f;
  int from[CLI_HOLD_MOST];
  h->n = h->rows = 0;
  for (int i = 0; i < f->n; i++) {
    const ss_contact_def* law = f->item[i].law;
    bool starts = starts_to_slide(v, i), held = starts || f->mode[i] == SS_STICK;
    bool normal = law->kind != SS_CONTACT_FRICTION;
    if (f->mode[i] == SS_OPEN || island_of_row(v, f->row[i]) != island) continue;
    h->contact[h->n++] = (cli_hold_contact){
      .row = h->rows, .normal = normal, .tangents = ss_contact_rows(law->kind) - normal, .watched = starts,
      .mu = held ? fmax(law->mu, law->mu_static) : f->mu[i],
      .bound = held ? fmax(law->bound, law->bound_static) : law->bound,
      .slides = !held && law->kind != SS_CONTACT_NORMAL, .d = {f->slide[2*i], f->slide[2*i + 1]}};
    for (int r = f->row[i]; r < f->row[i] + ss_contact_rows(law->kind); r++) {
      h->Lambda[h->rows] = f->lambda[r];
      h->xi[h->rows] = f->w_bar[r];
      for (int j = 0; j < f->nv; j++) h->xi[h->rows] += f->W[r*f->nv + j]*f->a[j];
      from[h->rows++] = r;
    }
  }
  for (int j = 0; j < h->rows; j++) {
    cli_flight_diagonal(f, from[j]);
    for (int i = 0; i < h->rows; i++) {
      h->G[i*h->rows + j] = 0;
      for (int p = 0; p < f->nv; p++) h->G[i*h->rows + j] += f->W[from[i]*f->nv + p]*f->x[p];
    }
  }
}

static bool acts_on(const flights* v, int island)
{
  for (int b = 0; b < v->f.nb; b++)
    if (island_of_row(v, b) == island) return true;
  return false;
}

// What begins to slide could not be held. Comes where the arc starts, with its forces.
static bool check_static(flights* v, long row)
{
  cli_hold h = {0};
  bool good = true;
  for (int i = 0; good && i < v->f.n; i++) {
    if (!starts_to_slide(v, i)) continue;
    int island = island_of_row(v, v->f.row[i]);
    if (acts_on(v, island) || v->f.rows > CLI_HOLD_MOST) {
      cli_verify_count_out(v->c, CLI_NOT_HELD);
      continue;
    }
    if (!h.G) good = cli_hold_open(&h, v->f.n, v->f.rows);
    if (good) fill_hold(v, island, &h);
    if (good) cli_hold_check(v->c, row, &h, v->weight);
  }
  cli_hold_close(&h);
  return good;
}

// Where dampers are stiff the last order can change little by chance although it is wrong. Arcs whose end is off are
// followed once more, in the smallest parts, before that is said.
static bool follow_closely(flights* v)
{
  cli_flight* f = &v->f;
  if (!cli_flight_follow(f, v->a->t, v->passed, 1, v->y, v->size, v->z, v->left)) return false;
  long double off = 0;
  for (int i = 0; i < f->nv; i++) off = fmaxl(off, off_of(v, v->z, i));
  if (!(off > v->c->tol*v->weight)) return true;
  return cli_flight_follow(f, v->a->t, v->passed, CLI_MOST_PARTS, v->y, v->size, v->z, v->left) ||
         cli_flight_follow(f, v->a->t, v->passed, 1, v->y, v->size, v->z, v->left);  // it is rough in parts, too
}

static bool check_arc(flights* v, long row)
{
  cli_flight* f = &v->f;
  double passed = v->passed = v->e->t - v->a->t;
  check_states(v, row);
  if (f->products > BUDGET*(double)row/(double)v->c->info->n_rows) {
    cli_verify_count_out(v->c, "arcs, of too many to follow them all");
    return true;
  }
  if (!cli_flight_take(f, v->n_past, v->past) || !make_room(v)) return false;
  if (!cli_flight_place(f, v->a->q, v->a->u, v->a->t)) return false;
  tell_forces(v, row, passed);
  start_arc(v);
  f->unique = true;
  if (!cli_flight_accelerate(f, v->a->q, v->a->u, v->a->t)) return false;
  find_islands(v);
  find_sizes(v);
  if (row > 1 || f->unique) check_forces(v, row, v->a->u);  // row 0 has no forces: how a load is shared is not known
  if (!check_static(v, row)) return false;
  for (int i = 0; i < f->nv; i++) v->vague[i] = v->weight;
  if (row > 1) check_told(v, row - 1, v->n_past, v->past);
  memcpy(f->W_start, f->W, sizeof(double)*(size_t)f->rows*(size_t)f->nv);
  if (!follow_closely(v)) return false;
  find_vagueness(v);
  if (!forget_vague(v)) return false;
  if (!cli_flight_accelerate(f, v->e->q, v->e->u, v->e->t)) return false;
  if (!ends_with_event(v, row)) check_forces(v, row, v->e->u);  // events are located to the error of the arc
  check_told(v, row, v->n_now, v->now);
  check_end(v, row);
  return check_ledger(v, row);
}

// ---- an impact ----

// Of velocity i: as at the end of the arc before
static long double speed_size(const flights* v, int i)
{
  return fmaxl(v->most[i] + 1e-3L*v->speed, v->size ? v->size[v->f.nq + i] : 0);
}

// What is missing of M (u+ - u-) = W Lambda in row i, and its terms
static long double momentum_off(const flights* v, int i, long double* terms)
{
  const cli_flight* f = &v->f;
  long double sum = 0;
  int nv = f->nv;
  *terms = 0;
  for (int j = 0; j < nv; j++) {
    sum += f->M[i*nv + j]*((long double)v->e->u[j] - v->a->u[j]);
    *terms += fabsl((long double)f->M[i*nv + j])*(speed_size(v, j) + fabs(v->a->u[j]));
  }
  for (int r = 0; r < f->rows; r++) {
    sum -= (long double)f->W[r*nv + i]*f->lambda[r];
    *terms += fabsl(f->W[r*nv + i]*f->lambda[r]);
  }
  return fabsl(sum);
}

// Island by island; what is round-off of the terms of all of them, too, says nothing
static void check_momentum(flights* v, long row)
{
  int nv = v->f.nv;
  long double most = 0, terms;
  for (int i = 0; i < nv; i++) {
    momentum_off(v, i, &terms);
    most = fmaxl(most, terms);
  }
  for (int island = 0; island < nv; island++) {
    long double worst = 0, size = 0;
    if (v->islands.of[island] != island || !is_known(v, island)) continue;
    for (int i = island; i < nv; i++) {
      if (v->islands.of[i] != island) continue;
      worst = fmaxl(worst, momentum_off(v, i, &terms));
      size = fmaxl(size, terms);
    }
    cli_verify_note(v->c, CLI_MOMENTUM, row, worst, size + CLI_FAINT*most);
  }
}

typedef struct jump {
  long double before[3], after[3];  // velocities in the rows of a contact
  long double g[3];                 // the diagonal of G
  long double size;                 // of the velocities and impulses
} jump;

static jump find_jump(flights* v, int i)
{
  cli_flight* f = &v->f;
  jump j = {.size = 1e-300L};
  for (int k = 0; k < ss_contact_rows(f->item[i].law->kind); k++) {
    int r = f->row[i] + k;
    j.g[k] = cli_flight_diagonal(f, r);
    j.before[k] = cli_flight_velocity(f, r, v->a->u) + f->w_hat[r];
    j.after[k] = cli_flight_velocity(f, r, v->e->u) + f->w_hat[r];
    j.size += fabsl((long double)f->w_hat[r]) + fabsl(f->lambda[r])*j.g[k];
    for (int p = 0; p < f->nv; p++)
      j.size += fabsl((long double)f->W[r*f->nv + p])*(speed_size(v, p) + fabs(v->e->u[p]));
  }
  return j;
}

// Coulomb's law, x = P(x - xi) onto the disk, with restitution if the contact is hit: the smaller violation of both
// limits
static long double friction_off(const cli_flight* f, int i, const jump* j, int normal, int n, bool hit)
{
  const ss_contact_def* law = f->item[i].law;
  long double N = fmaxl(0, f->lambda[f->row[i]]), best = INFINITY;
  double slow = law->varies ? f->op->friction(f->c->d->user, law, 0) : law->mu;
  for (int way = 0; way < 2; way++) {
    double mu = way ? fmax(law->mu_static, slow) : slow, eps = hit ? law->eps_t : 0;
    long double x[2] = {0}, T[2] = {0}, length = 0, g = n > 1 ? (j->g[normal] + j->g[normal + 1])/2 : j->g[normal];
    for (int k = 0; k < n; k++) {
      T[k] = f->lambda[f->row[i] + normal + k]*g;
      x[k] = T[k] - j->after[normal + k] - eps*j->before[normal + k];
      length = hypotl(length, x[k]);
    }
    long double shrink = length > mu*N*g ? mu*N*g/length : 1;
    best = fminl(best, hypotl(T[0] - shrink*x[0], T[1] - shrink*x[1]));
  }
  return best;
}

// The law of impact of contact i; e: its event, NULL: it was not hit, and passes on what others are hit by
static void check_law(flights* v, long row, int i, const ss_event* e)
{
  const cli_flight* f = &v->f;
  const ss_step_def* def = &v->c->info->run.step;
  const ss_contact_def* law = f->item[i].law;
  jump j = find_jump(v, i);
  bool newton = def->impact == SS_IMPACT_NEWTON;
  if (law->kind == SS_CONTACT_FRICTION) return;
  long double N = f->lambda[f->row[i]]*j.g[0], xi = j.after[0] + (e ? law->eps_n*fminl(j.before[0], 0) : 0);
  long double more = e ? N - (1 + law->eps_n)*e->Lambda_C[0]*j.g[0] : N;  // Poisson: the expansion, or more
  cli_verify_note(v->c, CLI_NORMAL, row, fminl(0, N), j.size);
  bool closed = e || f->mode[i] != SS_OPEN || N > 0;
  if (closed && newton) cli_verify_note(v->c, CLI_NORMAL, row, e ? fminl(xi, N) : fminl(0, xi), j.size);
  if (closed && !newton)
    cli_verify_note(v->c, CLI_NORMAL, row, fminl(j.after[0], e ? fmaxl(more, -j.size) : 0), j.size);
  int tangents = ss_contact_rows(law->kind) - 1;
  if (newton && tangents && !law->varies && N > 0)
    cli_verify_note(v->c, CLI_FRICTION, row, friction_off(f, i, &j, 1, tangents, e), j.size);
}

// What the impulses took against the ledger
static void check_losses(flights* v, long row)
{
  const cli_flight* f = &v->f;
  cli_losses sum = {0};
  for (int i = 0; i < f->n; i++) {
    bool normal = f->item[i].law->kind != SS_CONTACT_FRICTION;
    long double part[2] = {0};
    for (int k = 0; k < ss_contact_rows(f->item[i].law->kind); k++) {
      int r = f->row[i] + k;
      long double mean = (cli_flight_velocity(f, r, v->a->u) + cli_flight_velocity(f, r, v->e->u))/2 + f->w_hat[r];
      part[!(normal && k == 0)] -= f->lambda[r]*mean;
    }
    cli_verify_add_loss(&sum, normal, part[0], part[1]);
    sum.size += fabsl(part[0]) + fabsl(part[1]);
  }
  sum.size = v->weight*(sum.size + fabs(v->c->kinetic[row - 1]) + fabs(v->c->potential[row]));
  cli_verify_losses(v->c, row, &sum);
}

// The islands in which a series of impacts ends are not known
static void leave_out_series(flights* v, long row)
{
  for (int i = 0; i < v->f.nv; i++) v->vague[i] = v->weight;
  for (long e = first_event(v, row); e < (long)v->counted[row]; e++) {
    const ss_event* event = &v->c->event[e];
    if (event->kind != SS_EVENT_ACCUMULATION) continue;
    for (int i = 0; i < v->f.n; i++) {
      int island = v->now[i].contact == event->contact ? island_of_row(v, v->f.row[i]) : -1;
      if (island >= 0) v->vague[island] = INFINITY;
    }
  }
}

static bool check_jump(flights* v, long row)
{
  cli_flight* f = &v->f;
  const ss_step_def* def = &v->c->info->run.step;
  bool together = def->order == SS_IMPACTS_SIMULTANEOUS && !def->energy_limited;
  if (!cli_flight_take(f, v->n_now, v->now) || !cli_flight_place(f, v->e->q, v->e->u, v->e->t)) return false;
  for (int b = 0; b < f->nb; b++) f->lambda[b] = v->B[b][row];
  for (int i = 0; i < f->n; i++)
    for (int k = 0; k < ss_contact_rows(f->item[i].law->kind); k++)
      f->lambda[f->row[i] + k] = cli_flight_row_impulse(f, i, v->now[i].Lambda, k);
  find_islands(v);
  leave_out_series(v, row);
  for (int i = 0; i < f->nq; i++)
    if (is_known(v, v->islands.of_place[i]))
      cli_verify_note(v->c, CLI_ARCS, row, (long double)v->e->q[i] - v->a->q[i], place_size(v, i));
  check_momentum(v, row);
  for (int i = 0; together && i < f->n; i++)
    if (is_known(v, island_of_row(v, f->row[i]))) check_law(v, row, i, impact_of(v, row, v->now[i].contact));
  if (v->c->info->run.step.account && v->c->d->energy && !is_series(v, row)) check_losses(v, row);
  return true;
}

// ---- the run ----

// Whether the first row overlaps, or its constraints are not kept: the integrator puts that right before it starts
static bool starts_wrong(flights* v)
{
  cli_flight* f = &v->f;
  if (!cli_flight_take(f, v->n_now, v->now) || !cli_flight_place(f, v->a->q, v->a->u, v->a->t)) return true;
  for (int b = 0; b < f->nb; b++) {
    long double speed = fabs(f->w_hat[b]);
    for (int j = 0; j < f->nv; j++) speed += fabsl((long double)f->W[b*f->nv + j]*v->a->u[j]);
    if (fabs(f->gap[b]) > KEPT*f->extent[b]) return true;
    if (fabsl(cli_flight_velocity(f, b, v->a->u) + f->w_hat[b]) > KEPT*speed) return true;
  }
  for (int i = 0; i < f->n; i++)
    if (f->item[i].law->kind != SS_CONTACT_FRICTION && f->item[i].gap < -KEPT*f->item[i].size) return true;
  return false;
}

// Whether a contact of the same bodies ends here that had this state: another one goes on with it
static bool is_handed_over(const flights* v, const ss_run_contact* to, ss_contact_state state)
{
  for (int i = 0; i < v->n_past; i++) {
    const ss_run_contact* c = &v->past[i];
    bool same = c->body_a == to->body_a && c->body_b == to->body_b;
    if (!same || c->contact == to->contact || c->state != state) continue;
    const ss_run_contact* after = find(v->n_now, v->now, c->contact);
    if (!after || after->state == SS_OPEN) return true;
  }
  return false;
}

// An event, at its row: what has an impulse is among the contacts there
static void check_event(flights* v, long row, const ss_event* e)
{
  cli_flight* f = &v->f;
  const ss_run_contact *was = find(v->n_past, v->past, e->contact), *is = find(v->n_now, v->now, e->contact);
  cli_verify_note(v->c, CLI_EVENTS, row, !is && e->Lambda[0] != 0, 1);
  if (!is) return;
  ss_contact_state from = was ? was->state : SS_OPEN;
  bool shared = e->kind == SS_EVENT_PASS || e->kind == SS_EVENT_IMPACT;  // which may come where it is handed over
  if (from == SS_OPEN && shared && is_handed_over(v, is, e->state_before)) from = e->state_before;
  cli_listed_event(f, row, e, (int)(is - v->now), from, is, v->a->u, v->e->u, v->judged);
}

static bool is_closed(const flights* v, uint64_t key)
{
  for (int i = 0; i < v->n_now; i++)
    if (v->c->info->contact_key[v->now[i].contact] == key) return v->now[i].state != SS_OPEN;
  return false;
}

// Friction that is always there, and resistance against spin and rolling of a contact, which event-driven runs do not
// have. Comes last: it takes the place of the contacts of the row.
static void check_missing(flights* v, long row)
{
  const ss_contact_item* item;
  int n = 0;
  if (v->f.op->list(&v->c->at, 0, &n, &item) < 0) return;
  for (int i = 0; i < n; i++) {
    bool always = item[i].law->kind == SS_CONTACT_FRICTION && !item[i].load;
    if (always) cli_verify_note(v->c, CLI_FRICTION, row, !is_closed(v, item[i].key), 1);
    if (item[i].load) cli_verify_note(v->c, CLI_FRICTION, row, is_closed(v, item[item[i].load - 1].key), 1);
  }
}

// Velocities are judged by the largest so far, a little of those of others, and at rest of free fall in a step
static bool check_listed(flights* v, long row)
{
  cli_flight* f = &v->f;
  if (!cli_flight_take(f, v->n_now, v->now) || !cli_flight_place(f, v->e->q, v->e->u, v->e->t)) return false;
  double fall = v->c->info->run.step.dt*(double)f->fall;
  for (int i = 0; i < f->nv; i++) v->judged[i] = v->most[i] + 1e-3*fmax((double)v->speed, fall);
  cli_listed_check(f, row, v->now, v->e->u, v->judged);
  bool scene = ss_model_machine(v->c->model) && row > 1;  // before, nothing is known of forces
  if (scene && !cli_rates_check(f, row, v->e->q, v->e->u, v->e->t)) return false;
  cli_dry_check_row(&v->dry, f, row);
  bool events = row > 1 && !(v->e->t > v->a->t);
  for (long e = first_event(v, row); events && e < (long)v->counted[row]; e++) check_event(v, row, &v->c->event[e]);
  check_missing(v, row);
  return true;
}

static bool check_row(flights* v, long row)
{
  const cli_verifier* c = v->c;
  long n = (long)v->counted[row] - first_event(v, row);
  if (n < 0 || first_event(v, row) < 0 || first_event(v, row) + n > c->info->n_events) return true;  // told: counts
  if (row == 1 && starts_wrong(v)) {
    cli_verify_leave_out(v->c, "the first step, before which overlap is removed");
    return true;
  }
  if (!check_listed(v, row)) return false;
  if (v->e->t > v->a->t && n) {  // early files have no row just before an event
    cli_verify_count_out(v->c, "arcs that end with an event, of early files");
    return true;
  }
  if (v->e->t > v->a->t) return check_arc(v, row);
  if (is_series(v, row)) cli_verify_count_out(v->c, "impacts that end a series");
  return check_jump(v, row);
}

// The states of the first arc are not in row 0: they are those of row 1
static bool next_row(flights* v, long row, ss_error* error)
{
  const ss_run_contact* list;
  ss_state* keep = v->a;
  v->a = v->e;
  v->e = keep;
  if (ss_run_motion(v->c->run, row, v->e, error) < 0) return false;
  int n = ss_run_contacts(v->c->run, row, &list, error);
  if (n < 0) return false;
  if (!keep_contacts(v, n, list) || (row == 1 && !keep_contacts(v, n, list)))
    return ss_error_set(error, SS_ERR_MEMORY, "out of memory"), false;
  for (int i = 0; i < v->f.nv; i++) v->most[i] = fmax(v->most[i], fabs(v->e->u[i]));
  v->speed = largest(v->f.nv, v->most);
  for (int i = 0; i < v->f.nq; i++) v->far[i] = fmax(v->far[i], fabs(v->e->q[i]));
  return true;
}

static bool open_flights(flights* v, ss_error* error)
{
  cli_verifier* c = v->c;
  const ss_system* system = ss_model_system(c->model);
  bool good = cli_flight_open(&v->f, c);
  v->a = ss_state_create(system);
  v->e = ss_state_create(system);
  v->most = calloc((size_t)(2*v->f.nv + v->f.nq) + 1, sizeof *v->most);
  v->vague = calloc((size_t)v->f.nv + 1, sizeof *v->vague);
  good = cli_islands_open(&v->islands, c) && good;
  good = cli_dry_open(&v->dry, c) && good;
  v->B = calloc(2*(size_t)v->f.nb + 2, sizeof *v->B);
  v->F = v->B + v->f.nb + 1;
  v->pushed = calloc((size_t)c->info->n_contact + 1, sizeof *v->pushed);
  if (!good || !v->a || !v->e || !v->most || !v->vague || !v->B || !v->pushed)
    return ss_error_set(error, SS_ERR_MEMORY, "out of memory"), false;
  v->far = v->most + v->f.nv;
  v->judged = v->far + v->f.nq;
  v->f.most = v->most;
  for (int b = 0; b < v->f.nb; b++) v->B[b] = cli_verify_column(c, "Lambda.", c->info->bilateral[b], error);
  char name[400];
  for (int b = 0; b < v->f.nb; b++) {
    snprintf(name, sizeof name, "F.%s", c->info->bilateral[b]);
    v->F[b] = ss_run_column(c->run, name, NULL);
  }
  v->counted = cli_verify_column(c, "counts.", "events", error);
  v->weight = fmaxl(1, 100*(long double)fmin(c->info->run.step.event.rtol, CLI_LOOSE)/c->tol);
  return error->status >= 0;
}

// Contacts that the model does not have, or of another kind, are off
static bool look_at(flights* v, long row)
{
  bool good = check_row(v, row);
  if (!good && v->f.lost) cli_verify_note(v->c, CLI_NORMAL, row, 1, 1);
  return good || v->f.lost;
}

bool cli_verify_flights(cli_verifier* c, ss_error* error)
{
  flights v = {.c = c};
  const ss_operators* op = c->d->operators;
  bool can = op->mass && op->follow && op->row_matrix && op->row_bias && !c->d->n_kink;
  if (!can) {
    cli_verify_leave_out(c, "motion between the events of systems with kinks");
    return true;
  }
  if (c->info->run.step.order != SS_IMPACTS_SIMULTANEOUS) cli_verify_leave_out(c, "the law of impacts one by one");
  if (c->info->run.step.energy_limited) cli_verify_leave_out(c, "the law of impacts that energy limits");
  bool good = open_flights(&v, error);
  for (long row = 0; good && row < c->info->n_rows; row++)
    good = cli_verify_go_on(c, row, error) && next_row(&v, row, error) && (row == 0 || look_at(&v, row));
  cli_flight_close(&v.f);
  ss_state_destroy(v.a);
  ss_state_destroy(v.e);
  free(v.past);
  free(v.now);
  free(v.most);
  free(v.vague);
  cli_islands_close(&v.islands);
  cli_dry_close(&v.dry);
  free(v.B);
  free(v.pushed);
  free(v.y);
  return good;
}
