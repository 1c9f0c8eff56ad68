// Accelerations of scenes and planar bodies for `stickslip verify`, with the contacts and their states that a row of
// the file has:
//   M u' = h + W lambda,   W_N u' + w_bar_N = 0 for closed contacts,  W_T u' + w_bar_T = 0 for those that stick,
//   lambda_T = -(mu lambda_N + bound) d for those that slide along d = v_T/|v_T|.
// Nothing of the integrator is used: M, h, W and w_bar of the system, one dense system of equations, long double.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verify_algebra.h"
#include "verify_flight.h"

#define UNLOADED 1e-9L  // of the forces of redundant contacts: what one without load takes of their change
#define BARELY 1e-6  // of the largest velocities so far: slip that is next to none
#define ALIKE 0.99   // cosine of directions that are the same

static bool has_normal(const cli_flight* f, int i) { return f->item[i].law->kind != SS_CONTACT_FRICTION; }
static int first_tangent(const cli_flight* f, int i) { return f->row[i] + has_normal(f, i); }
static int tangents(const cli_flight* f, int i) { return ss_contact_rows(f->item[i].law->kind) - has_normal(f, i); }

static bool slides(const cli_flight* f, int i)
{
  return f->mode[i] == SS_SLIP || f->mode[i] == SS_SLIP_POS || f->mode[i] == SS_SLIP_NEG;
}

// ---- memory ----

bool cli_flight_open(cli_flight* f, cli_verifier* c)
{
  *f = (cli_flight){.c = c, .op = c->d->operators, .nv = c->d->nv, .nq = c->d->nq, .nb = c->d->n_bilateral};
  size_t nv = (size_t)f->nv, nb = (size_t)f->nb;
  f->q = calloc(2*(size_t)f->nq + 2*nv + nv*nv + 2*nb + 1, sizeof *f->q);
  f->L = calloc(nv*nv + 2*nv + 1, sizeof *f->L);
  if (!f->q || !f->L) return false;
  f->dq = f->q + f->nq;
  f->u = f->dq + f->nq;
  f->h = f->u + nv;
  f->M = f->h + nv;
  f->gap = f->M + nv*nv;
  f->extent = f->gap + nb;
  f->a = f->L + nv*nv;
  f->x = f->a + nv;
  return true;
}

static void free_contacts(cli_flight* f)
{
  free(f->key);
  free(f->mode);
  free(f->row);
  free(f->W);
  free(f->lambda);
}

void cli_flight_close(cli_flight* f)
{
  free(f->q);
  free(f->L);
  free_contacts(f);
}

static bool make_room(cli_flight* f, int n)
{
  if (f->W && n <= f->room) return true;
  size_t k = (size_t)n + 8, rows = 3*k + (size_t)f->nb, nv = (size_t)f->nv;
  free_contacts(f);
  f->room = (int)k;
  f->key = calloc(k, sizeof *f->key);
  f->mode = calloc(k, sizeof *f->mode);
  f->row = calloc(k + 4*rows, sizeof *f->row);
  f->W = calloc(2*rows*nv + 6*rows + 3*k, sizeof *f->W);
  f->lambda = calloc(rows*(3*rows + 10) + rows*nv, sizeof *f->lambda);
  if (!f->key || !f->mode || !f->row || !f->W || !f->lambda) return false;
  f->unknown = f->row + k;
  f->order = f->unknown + rows;
  f->block = f->order + rows;
  f->member = f->block + rows;
  f->w_hat = f->W + rows*nv;
  f->w_bar = f->w_hat + rows;
  f->told = f->w_bar + rows;
  f->told_start = f->told + rows;
  f->told_end = f->told_start + rows;
  f->told_mean = f->told_end + rows;
  f->W_start = f->told_mean + rows;
  f->mu = f->W_start + rows*nv;
  f->slide = f->mu + k;
  f->force = f->lambda + rows;
  f->unit = f->force + rows;
  f->A = f->unit + rows;
  f->R = f->A + rows*(rows + 1);
  f->term = f->R + rows*nv;
  f->share = f->term + rows;
  f->part = f->share + rows;
  f->kept = f->part + rows;
  return true;
}

bool cli_flight_take(cli_flight* f, int n, const ss_run_contact* list)
{
  if (!make_room(f, n)) return false;
  f->n = n;
  f->rows = f->nb;
  for (int i = 0; i < n; i++) {
    f->key[i] = f->c->info->contact_key[list[i].contact];
    f->mode[i] = list[i].state;
    f->row[i] = f->rows;
    f->rows += ss_contact_rows(f->c->info->contact_kind[list[i].contact]);
  }
  memset(f->told, 0, sizeof(double)*(size_t)(f->told_mean + f->rows - f->told));
  return true;
}

// ---- the system at a place ----

double cli_flight_row_impulse(const cli_flight* f, int i, const double Lambda[3], int k)
{
  int part = has_normal(f, i) ? k : k + 1;
  double stretch = part ? f->item[i].stretch[part - 1] : 0;
  return Lambda[part]/(stretch != 0 ? stretch : 1);
}

bool cli_flight_place(cli_flight* f, const double* q, const double* u, double t)
{
  const ss_system_def* d = f->c->d;
  ss_at* at = &f->c->at;
  at->q = q;
  at->u = u;
  at->t = t;
  at->damped = at->dt = at->theta = 0;
  if (d->update && d->update(at) < 0) return false;
  f->lost = f->op->follow(at, f->n, f->key, &f->item) < 0;
  for (int i = 0; !f->lost && i < f->n; i++)  // a file may have another kind of contact than the model
    f->lost = ss_contact_rows(f->item[i].law->kind) != (i + 1 < f->n ? f->row[i + 1] : f->rows) - f->row[i];
  if (f->lost) return false;
  if (f->op->mass(at, f->M) < 0 || !cli_cholesky(f->nv, f->M, f->L)) return false;
  if (f->nb && f->op->bilateral(at, f->gap, f->extent) < 0) return false;
  f->op->row_matrix(at, f->W);
  memset(f->w_hat, 0, sizeof(double)*(size_t)f->rows);
  return !f->op->row_drive || f->op->row_drive(at, f->w_hat) >= 0;
}

long double cli_flight_velocity(const cli_flight* f, int row, const double* u)
{
  long double sum = 0;
  for (int j = 0; j < f->nv; j++) sum += (long double)f->W[row*f->nv + j]*u[j];
  return sum;
}

long double cli_flight_diagonal(cli_flight* f, int row)
{
  long double sum = 0;
  for (int j = 0; j < f->nv; j++) f->x[j] = f->W[row*f->nv + j];
  cli_cholesky_solve(f->nv, f->L, f->x);
  for (int j = 0; j < f->nv; j++) sum += f->W[row*f->nv + j]*f->x[j];
  return sum;
}

// Whether the force is against the way, more or less
static bool is_against(const double* force, const double* way, int n)
{
  double along = 0, a = 0, b = 0;
  for (int k = 0; k < n; k++) {
    along -= force[k]*way[k];
    a = hypot(a, force[k]);
    b = hypot(b, way[k]);
  }
  return along >= ALIKE*a*b;
}

// Where a contact slides, and with which coefficient. From rest it slides against the force in the file, and so it does
// where it comes to rest: what is left of its velocity then is round-off of what it was. Where friction breaks loose by
// and by, slip begins with t^2, and errors of the integration may have it the other way for a moment.
static void find_slide(cli_flight* f, int i, const double* u)
{
  const ss_contact_def* law = f->item[i].law;
  double *d = f->slide + 2*i, speed = 0, way[2] = {0}, size = 0;
  int T = first_tangent(f, i), n = tangents(f, i);
  for (int k = 0; k < n; k++) {
    double stretch = f->item[i].stretch[k];
    way[k] = (double)cli_flight_velocity(f, T + k, u) + f->w_hat[T + k];
    speed = hypot(speed, way[k]/(stretch != 0 ? stretch : 1));
    for (int j = 0; j < f->nv; j++) size += fabs(f->W[(T + k)*f->nv + j])*fmax(fabs(u[j]), f->most[j]);
  }
  bool rests = hypot(way[0], way[1]) <= 1e-12*size;
  rests = rests || (hypot(way[0], way[1]) <= BARELY*size && !is_against(f->told + T, way, n));
  for (int k = 0; rests && k < n; k++) way[k] = -f->told[T + k];
  double length = hypot(way[0], way[1]);
  d[0] = n > 1 && length > 0 ? way[0]/length : f->mode[i] == SS_SLIP_NEG ? -1 : 1;
  d[1] = n > 1 && length > 0 ? way[1]/length : 0;
  f->mu[i] = !has_normal(f, i) ? 0 : law->varies ? f->op->friction(f->c->d->user, law, speed) : law->mu;
}

// ---- forces of contacts ----

// Those of the file, as a parabola through both ends of the arc that has their mean: the straight line and
// -c s (1 - s). A line with a kink at s that has it leaves the straight one by -c/3 there.
static void tell_forces(cli_flight* f, double t)
{
  double s = f->length > 0 ? (t - f->from)/f->length : 0;
  double shape = f->bend == CLI_BEND_START ? (1 - s)/3 : f->bend == CLI_BEND_END ? s/3 : s*(1 - s);
  for (int r = 0; r < f->rows; r++) {
    double a = f->told_start[r], e = f->told_end[r], mean = f->told_mean[r], c = 3*(a + e) - 6*mean;
    f->told[r] = f->length > 0 ? a + s*(e - a) - c*shape : mean;
  }
}

// Rows whose forces are unknown: constraints, normals of closed contacts, tangents of those that stick
static int list_unknown(cli_flight* f)
{
  int n = 0;
  for (int b = 0; b < f->nb; b++) f->unknown[n++] = b;
  for (int i = 0; i < f->n; i++) {
    if (f->mode[i] == SS_OPEN) continue;
    if (has_normal(f, i)) f->unknown[n++] = f->row[i];
    for (int k = 0; f->mode[i] == SS_STICK && k < tangents(f, i); k++) f->unknown[n++] = first_tangent(f, i) + k;
  }
  return n;
}

// The contact that row r is the normal of, and that slides; -1: none
static int sliding_normal(const cli_flight* f, int r)
{
  for (int i = 0; i < f->n; i++)
    if (f->row[i] == r && has_normal(f, i) && slides(f, i)) return i;
  return -1;
}

// x = M^-1 times the force that belongs to a unit of row r
static void response(const cli_flight* f, int r, long double* x)
{
  int i = sliding_normal(f, r);
  for (int j = 0; j < f->nv; j++) {
    x[j] = f->W[r*f->nv + j];
    for (int k = 0; i >= 0 && k < tangents(f, i); k++)
      x[j] -= (long double)f->mu[i]*f->slide[2*i + k]*f->W[(first_tangent(f, i) + k)*f->nv + j];
  }
  cli_cholesky_solve(f->nv, f->L, x);
}

static long double dot(const cli_flight* f, int row, const long double* x)
{
  long double sum = 0;
  for (int j = 0; j < f->nv; j++) sum += f->W[row*f->nv + j]*x[j];
  return sum;
}

// Accelerations without the unknown forces: h, and friction that does not depend on a load
static void fall(cli_flight* f)
{
  for (int j = 0; j < f->nv; j++) f->a[j] = f->h[j];
  for (int i = 0; i < f->n; i++)
    for (int k = 0; slides(f, i) && k < tangents(f, i); k++)
      for (int j = 0; j < f->nv; j++)
        f->a[j] -=
          (long double)f->item[i].law->bound*f->slide[2*i + k]*f->W[(first_tangent(f, i) + k)*f->nv + j];
  cli_cholesky_solve(f->nv, f->L, f->a);
  f->fall = 0;
  for (int j = 0; j < f->nv; j++) f->fall = fmaxl(f->fall, fabsl(f->a[j]));
  for (int r = 0; r < f->rows; r++) {
    f->term[r] = fabsl((long double)f->w_bar[r]);
    for (int j = 0; j < f->nv; j++) f->term[r] += fabsl(f->W[r*f->nv + j]*f->a[j]);
  }
}

static int first_of(const cli_flight* f, int i)
{
  while (f->block[i] != i) i = f->block[i];
  return i;
}

// Unknown forces that act on each other, be it through others, are a block: what stands apart is solved by itself, and
// a hundred bodies cost a hundred times one
static void find_blocks(cli_flight* f, int n)
{
  for (int i = 0; i < n; i++) {
    f->block[i] = i;
    for (int j = 0; j < i; j++) {
      if (f->A[i*(n + 1) + j] == 0 && f->A[j*(n + 1) + i] == 0) continue;
      int a = first_of(f, i), b = first_of(f, j);
      f->block[a > b ? a : b] = a > b ? b : a;
    }
  }
}

// Where forces are not unique what the file's leave over is shared in proportion to these: none that it has without
// load pulls. Of the m members of a block, by f->kept, the equations.
static void share_out(cli_flight* f, int m)
{
  long double all = 0;
  for (int k = 0; k < m; k++) {
    int j = f->member[k];
    all += f->share[k] = fabsl((long double)f->told[f->unknown[j]])/f->unit[j];
  }
  for (int k = 0; k < m; k++) f->share[k] = all > 0 ? f->share[k]/all + UNLOADED : 1;
  cli_solve_weighted(m, f->kept, f->share, f->part, f->kept + m*(m + 1), f->order);
}

// The forces of the block that begins with unknown number `first` of n
static void solve_block(cli_flight* f, int n, int first)
{
  int m = 0;
  for (int j = first; j < n; j++)
    if (first_of(f, j) == first) f->member[m++] = j;
  int w = m + 1;
  for (int i = 0; i < m; i++) {
    for (int k = 0; k < m; k++) f->kept[i*w + k] = f->A[f->member[i]*(n + 1) + f->member[k]];
    f->kept[i*w + m] = f->A[f->member[i]*(n + 1) + n];
  }
  long double* copy = f->kept + m*w;
  memcpy(copy, f->kept, sizeof *copy*(size_t)(m*w));
  if (!cli_eliminate(m, copy, f->part, f->order)) {
    f->unique = false;
    share_out(f, m);
  }
  for (int k = 0; k < m; k++) f->force[f->member[k]] = f->part[k];
  f->products += (double)m*m*m/3;
}

// Column j of A, of n unknown forces: what a unit of it does to all of them. Most of the system does not move by it.
static void fill_column(cli_flight* f, int n, int j)
{
  long double* x = f->R + j*f->nv;
  int low = 0, high = f->nv;
  response(f, f->unknown[j], x);
  while (low < high && x[low] == 0) low++;
  while (high > low && x[high - 1] == 0) high--;
  for (int i = 0; i < n; i++) {
    const double* W = f->W + f->unknown[i]*f->nv;
    long double sum = 0;
    for (int k = low; k < high; k++) sum += W[k]*x[k];
    f->A[i*(n + 1) + j] = sum;
  }
  f->products += (double)(high - low)*(f->nv + n);
}

// The n unknown forces into f->force, less f->told: in units in which G_ii, as it slides, is one
static void solve_forces(cli_flight* f, int n)
{
  for (int j = 0; j < n; j++) {
    fill_column(f, n, j);
    long double g = fabsl(f->A[j*(n + 1) + j]);
    f->unit[j] = g > 0 ? 1/sqrtl(g) : 1;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) f->A[i*(n + 1) + j] *= f->unit[i]*f->unit[j];
  for (int i = 0; i < n; i++) {
    long double sum = (-dot(f, f->unknown[i], f->a) - f->w_bar[f->unknown[i]])*f->unit[i];
    for (int j = 0; j < n; j++) sum -= f->A[i*(n + 1) + j]*f->told[f->unknown[j]]/f->unit[j];
    f->A[i*(n + 1) + n] = sum;
  }
  find_blocks(f, n);
  for (int j = 0; j < n; j++)
    if (f->block[j] == j) solve_block(f, n, j);
}

// Friction of contacts that slide, from their normal forces
static void fill_friction(cli_flight* f)
{
  for (int i = 0; i < f->n; i++)
    for (int k = 0; slides(f, i) && k < tangents(f, i); k++) {
      long double normal = has_normal(f, i) ? f->mu[i]*f->lambda[f->row[i]] : 0;
      f->lambda[first_tangent(f, i) + k] = -f->slide[2*i + k]*(normal + f->item[i].law->bound);
    }
}

bool cli_flight_accelerate(cli_flight* f, const double* q, const double* u, double t)
{
  if (!cli_flight_place(f, q, u, t) || f->c->d->force(&f->c->at, f->h) < 0) return false;
  f->op->row_bias(&f->c->at, f->w_bar);
  tell_forces(f, t);
  for (int i = 0; i < f->n; i++)
    if (slides(f, i)) find_slide(f, i, u);
  fall(f);
  int n = list_unknown(f);
  double nv = f->nv;
  f->products += nv*nv*nv/6;
  solve_forces(f, n);
  for (int r = 0; r < f->rows; r++) f->lambda[r] = 0;
  for (int j = 0; j < n; j++) {
    long double force = f->force[j]*f->unit[j] + f->told[f->unknown[j]];
    f->lambda[f->unknown[j]] = force;
    for (int i = 0; i < f->nv; i++) f->a[i] += f->R[j*f->nv + i]*force;
  }
  fill_friction(f);
  return true;
}
