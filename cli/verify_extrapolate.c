// An arc once more: Gragg's midpoint rule with 2, 4, 6, ... steps, extrapolated to none (Bulirsch & Stoer; Hairer,
// Norsett & Wanner 1993, section II.9), over the whole of it or, where that does not settle, over parts.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verify_flight.h"

#define COLUMNS 8       // of the scheme: order 16
#define SETTLED 1e-11L  // relative: what the last order changes
#define USEFUL 1e-10L   // ... beyond which smaller parts are tried at once
#define HALVES 7        // times that the smallest parts are halved where they do not settle

// Scratch: vectors of n numbers
typedef struct scheme {
  cli_flight* f;
  int n;
  long double* T[COLUMNS];  // the last row of the scheme
  long double *past, *now, *rate, *spare;
  long double *from, *end;    // of a part of the arc
  long double *left, *worst;  // what the last order changed, relative: in a part, in those so far
} scheme;

int cli_flight_size(const cli_flight* f) { return f->nq + f->nv + f->rows + CLI_SUMS; }

// What friction takes, and works of forces without a potential and of drives
static bool rates_of_sums(cli_flight* f, long double* rate)
{
  const ss_system_def* d = f->c->d;
  ss_power power = {0};
  if (d->has_power && d->power(&f->c->at, &power) < 0) return false;
  long double friction = 0, drive = power.drive;
  for (int i = 0; i < f->n; i++) {
    bool slips = f->mode[i] == SS_SLIP || f->mode[i] == SS_SLIP_POS || f->mode[i] == SS_SLIP_NEG;
    int first = f->item[i].law->kind != SS_CONTACT_FRICTION;
    for (int k = first; slips && k < ss_contact_rows(f->item[i].law->kind); k++) {
      int r = f->row[i] + k;
      friction -= f->lambda[r]*(cli_flight_velocity(f, r, f->u) + f->w_hat[r]);
    }
  }
  for (int r = 0; r < f->rows; r++) drive -= f->lambda[r]*f->w_hat[r];
  rate[CLI_SUM_FRICTION] = friction;
  rate[CLI_SUM_FORCES] = power.forces;
  rate[CLI_SUM_DRIVE] = drive;
  return true;
}

static bool rate_of(cli_flight* f, long double t, const long double* y, long double* rate)
{
  for (int i = 0; i < f->nq; i++) f->q[i] = (double)y[i];
  for (int i = 0; i < f->nv; i++) f->u[i] = (double)y[f->nq + i];
  if (!cli_flight_accelerate(f, f->q, f->u, (double)t)) return false;
  if (f->op->rate) f->op->rate(f->c->d->user, f->q, f->u, f->dq, NULL);
  for (int i = 0; i < f->nq; i++) rate[i] = f->op->rate ? f->dq[i] : y[f->nq + i];
  memcpy(rate + f->nq, f->a, sizeof *rate*(size_t)f->nv);
  memcpy(rate + f->nq + f->nv, f->lambda, sizeof *rate*(size_t)f->rows);
  return rates_of_sums(f, rate + f->nq + f->nv + f->rows);
}

// out = y(t + length) by n steps of the midpoint rule, smoothed
static bool gragg(scheme* s, long double t, long double length, int n, const long double* y, long double* out)
{
  long double h = length/n;
  if (!rate_of(s->f, t, y, s->rate)) return false;
  for (int i = 0; i < s->n; i++) {
    s->past[i] = y[i];
    s->now[i] = y[i] + h*s->rate[i];
  }
  for (int step = 1; step <= n; step++) {
    if (!rate_of(s->f, t + step*h, s->now, s->rate)) return false;
    for (int i = 0; i < s->n; i++) {
      long double next = s->past[i] + 2*h*s->rate[i];
      if (step == n) out[i] = (s->now[i] + s->past[i] + h*s->rate[i])/2;
      s->past[i] = s->now[i];
      s->now[i] = next;
    }
  }
  return true;
}

// One more row of the scheme, into s->T[0 .. row]
static bool add_row(scheme* s, long double t, long double length, int row, const long double* y)
{
  long double* keep = s->spare;
  if (!gragg(s, t, length, 2*(row + 1), y, keep)) return false;
  for (int k = 0; k <= row; k++) {  // keep is T(row, k); s->T[k] that of the row before
    long double ratio = k < row ? (row + 1.0L)/(row - k) : 1;
    for (int i = 0; i < s->n; i++) {
      long double old = s->T[k][i], now = keep[i];
      s->T[k][i] = now;
      if (k < row) keep[i] = now + (now - old)/(ratio*ratio - 1);
    }
  }
  return true;
}

static long double largest(int n, const long double* x)
{
  long double most = 0;
  for (int i = 0; i < n; i++) most = fmaxl(most, x[i]);
  return most;
}

// s->end from s->from; s->left: what the last order changed
static bool extrapolate(scheme* s, long double t, long double length, const long double* size)
{
  int n = s->f->nq + s->f->nv + s->f->rows;
  bool settled = false;
  for (int row = 0; row < COLUMNS && !settled; row++) {
    if (!add_row(s, t, length, row, s->from)) return false;
    if (row < 2) continue;
    for (int i = 0; i < n; i++) s->left[i] = fabsl(s->T[row][i] - s->T[row - 1][i])/size[i];
    settled = largest(n, s->left) < SETTLED;
    memcpy(s->end, s->T[row], sizeof *s->end*(size_t)s->n);
  }
  return true;
}

// Into z and left, number by number, where the arc in parts is the better one
static void keep_better(scheme* s, long double* z, long double* left)
{
  int n = s->f->nq + s->f->nv + s->f->rows;
  bool all = largest(n, s->worst) < largest(n, left);
  for (int i = 0; i < s->n; i++) {
    if (i < n ? !(s->worst[i] < left[i]) : !all) continue;
    z[i] = s->end[i];
    if (i < n) left[i] = s->worst[i];
  }
}

// In the smallest parts, halved where they do not settle: a body that rocks fast in between needs shorter ones there.
// Nothing is told where that does not help. Not where forces are not unique: those of the file are as exact as parts.
static bool follow_in_pieces(scheme* s, long double t, long double length, const long double* y,
                             const long double* size, long double* z, long double* left)
{
  int n = s->f->nq + s->f->nv + s->f->rows, all = CLI_MOST_PARTS << HALVES;
  memcpy(s->from, y, sizeof *y*(size_t)s->n);
  memset(s->worst, 0, sizeof *s->worst*(size_t)n);
  for (int done = 0, step = 1 << HALVES; done < all;) {
    if (!extrapolate(s, t + done*length/all, step*length/all, size)) return false;
    long double most = largest(n, s->left);
    if (step == 1 && most > USEFUL) return true;
    if (step > 1 && most > SETTLED/100) {
      step /= 2;
      continue;
    }
    for (int i = 0; i < n; i++) s->worst[i] = fmaxl(s->worst[i], s->left[i]);
    memcpy(s->from, s->end, sizeof *s->from*(size_t)s->n);
    done += step;
    if (done % (2*step) == 0 && step < 1 << HALVES) step *= 2;
  }
  keep_better(s, z, left);
  return true;
}

static bool follow_in_parts(scheme* s, long double t, long double length, int parts, const long double* y,
                            const long double* size, long double* z, long double* left)
{
  int n = s->f->nq + s->f->nv + s->f->rows;
  memcpy(s->from, y, sizeof *y*(size_t)s->n);
  memset(s->worst, 0, sizeof *s->worst*(size_t)n);
  for (int part = 0; part < parts; part++) {
    if (!extrapolate(s, t + part*length/parts, length/parts, size)) return false;
    for (int i = 0; i < n; i++) s->worst[i] = fmaxl(s->worst[i], s->left[i]);
    memcpy(s->from, s->end, sizeof *s->from*(size_t)s->n);
    if (parts < CLI_MOST_PARTS || part + 1 == parts) continue;
    if (largest(n, s->worst) > USEFUL) return true;
  }
  keep_better(s, z, left);
  return true;
}

bool cli_flight_follow(cli_flight* f, double t, long double length, int parts, const long double* y,
                       const long double* size, long double* z, long double* left)
{
  int n = cli_flight_size(f), judged = f->nq + f->nv + f->rows;
  long double* memory = calloc((COLUMNS + 8)*(size_t)n, sizeof *memory);
  if (!memory) return false;
  scheme s = {.f = f, .n = n};
  for (int k = 0; k < COLUMNS; k++) s.T[k] = memory + k*n;
  s.past = memory + COLUMNS*n;
  s.now = s.past + n;
  s.rate = s.now + n;
  s.spare = s.rate + n;
  s.from = s.spare + n;
  s.end = s.from + n;
  s.left = s.end + n;
  s.worst = s.left + n;
  bool good = true;
  for (int i = 0; i < n; i++) left[i] = INFINITY;
  if (parts == CLI_MOST_PARTS && f->unique) good = follow_in_pieces(&s, t, length, y, size, z, left);
  else
    for (; good && parts <= CLI_MOST_PARTS && !(largest(judged, left) < SETTLED); parts *= 4)
      good = follow_in_parts(&s, t, length, parts, y, size, z, left);
  free(memory);
  return isfinite(largest(judged, left));  // rough arcs may lead where the system cannot be evaluated
}
