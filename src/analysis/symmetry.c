// Coordinates that nothing depends on (cyclic ones), and whether time does: judged by the values of all that the motion
// follows from, at a state and at two beside it, before and after a shift.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/orbit.h"
#include "math/dense.h"

#define SAME 1e-12   // of its size: values that are the same
#define LATER 0.123  // s

// A system to be evaluated, the contacts that are looked at, and what they say: values, and the size of each
typedef struct view {
  const ss_system_def* d;
  ss_at at;
  char message[SS_AT_MESSAGE];
  bool open;
  int n_key, rows, room;
  uint64_t* key;                  // n_key
  double *q, *u, *v;              // nq, nv, nv
  double *now, *then, *size;      // room
} view;

// ---- by matrices ----

// M, h, gaps, W, w_hat, constraints, friction; the size of each is its own
static int by_matrices(view* w, double* out)
{
  const ss_system_def* d = w->d;
  ss_at* at = &w->at;
  int nv = d->nv, k = d->n_contact, nb = d->n_bilateral, m = w->rows - nb, n = nv*nv + nv;
  bool good = d->mass(at, out) >= 0 && d->force(at, out + nv*nv) >= 0;
  good = good && (!k || d->contacts(at, out + n, out + n + k, out + n + k + m*nv) >= 0);
  n += k + m*nv + m;
  good = good && (!nb || d->bilateral(at, out + n, out + n + nb, out + n + nb + nb*nv) >= 0);
  n += nb*(nv + 2);
  if (d->friction) {
    good = good && d->friction(at, out + n, out + n + k) >= 0;
    n += 2*k;
  }
  for (int i = 0; i < n; i++) w->size[i] = fabs(out[i]);
  return good ? n : -1;
}

// ---- by operators ----

// The contacts with the keys, or, where they cannot be followed, those that are near. Returns their number, or -1.
static int contacts(view* w, const ss_contact_item** item)
{
  const ss_operators* op = w->d->operators;
  int n = w->n_key;
  if (op->follow && op->follow(&w->at, n, w->key, item) >= 0) return n;
  return op->list(&w->at, 0, &n, item) >= 0 && n <= w->n_key ? n : -1;
}

// Sizes of rows x nv numbers, as M has it: |row| sqrt(M_jj), with the length of the row in units in which M_jj is one
static void row_sizes(int rows, int nv, const double* M, const double* W, double* size)
{
  for (int r = 0; r < rows; r++) {
    double length = 0;
    for (int j = 0; j < nv; j++) length = hypot(length, W[r*nv + j]/sqrt(M[j*nv + j]));
    for (int j = 0; j < nv; j++) size[r*nv + j] = length*sqrt(M[j*nv + j]);
  }
}

// M, h, constraints, gaps and whether they lie beside an edge, W, w_hat
static int by_operators(view* w, double* out)
{
  const ss_system_def* d = w->d;
  const ss_operators* op = d->operators;
  int nv = d->nv, nb = d->n_bilateral, n = nv*nv + nv, rows = nb;
  const ss_contact_item* item;
  int k = contacts(w, &item);
  if (k < 0 || op->mass(&w->at, out) < 0 || d->force(&w->at, out + nv*nv) < 0) return -1;
  for (int i = 0; i < nv; i++)
    for (int j = 0; j < nv; j++) w->size[i*nv + j] = sqrt(out[i*nv + i]*out[j*nv + j]);
  row_sizes(1, nv, out, out + nv*nv, w->size + nv*nv);
  if (nb && op->bilateral(&w->at, out + n, w->size + n) < 0) return -1;
  n += nb;
  for (int i = 0; i < k; i++, n += 2) {
    out[n] = item[i].gap;
    w->size[n] = item[i].size;
    out[n + 1] = op->next && item[i].room < 0;
    w->size[n + 1] = 1;
    rows += ss_contact_rows(item[i].law->kind);
  }
  op->row_matrix(&w->at, out + n);
  row_sizes(rows, nv, out, out + n, w->size + n);
  n += rows*nv;
  memset(out + n, 0, sizeof(double)*(size_t)rows);
  if (op->row_drive && op->row_drive(&w->at, out + n) < 0) return -1;
  for (int i = 0; i < rows; i++) w->size[n + i] = fabs(out[n + i]);
  return n + rows;
}

// ---- both ----

// Everything in a row of numbers; returns how many, -1 if the system cannot be evaluated
static int look(view* w, double* out)
{
  if (w->d->update && w->d->update(&w->at) < 0) return -1;
  return w->d->operators ? by_operators(w, out) : by_matrices(w, out);
}

// Whether all is as it was `now`, n numbers
static bool looks_the_same(view* w, int n)
{
  if (n < 0 || look(w, w->then) != n) return false;
  for (int i = 0; i < n; i++)
    if (!(fabs(w->now[i] - w->then[i]) <= SAME*fmax(w->size[i], fabs(w->now[i])))) return false;
  return true;
}

static void close_view(view* w)
{
  const ss_operators* op = w->d->operators;
  if (w->open && op && op->close) op->close(w->at.scratch);
  free(w->at.scratch);
  free(w->now);
  free(w->key);
}

static ss_status open_view(view* w, const ss_returning* r)
{
  const ss_system_def* d = w->d = ss_system_get(r->system);
  const ss_operators* op = d->operators;
  int nv = d->nv, k = op ? r->n_key : d->n_contact;
  w->n_key = r->n_key;
  w->key = malloc(sizeof *w->key*(size_t)(r->n_key + 1));
  w->rows = d->n_bilateral + (op ? 3*k : ss_system_rows(r->system));
  w->room = nv*nv + nv + 4*k + d->n_bilateral*2 + w->rows*(nv + 1) + 1;
  w->at = (ss_at){.user = d->user, .scratch = calloc(1, d->scratch_size + 1), .message = w->message};
  w->now = calloc(3*(size_t)w->room + (size_t)(d->nq + 2*nv), sizeof *w->now);
  if (!w->at.scratch || !w->now || !w->key) return ss_error_set(r->error, SS_ERR_MEMORY, "out of memory");
  w->then = w->now + w->room;
  w->size = w->then + w->room;
  w->q = w->size + w->room;
  w->u = w->q + d->nq;
  w->v = w->u + nv;
  w->at.q = w->q;
  w->at.u = w->u;
  ss_status st = op && op->open ? op->open(d->user, w->at.scratch, r->error) : SS_OK;
  w->open = st >= 0;
  return st;
}

// A state near s, the first time s itself
static void go_beside(view* w, const ss_returning* r, const ss_state* s, int trial)
{
  for (int i = 0; i < r->nv; i++) {
    double size = r->coordinate[i] < 0 ? 1 : fmax(fabs(s->q[r->coordinate[i]]), 1e-3);
    w->v[i] = trial*0.01*sin(i + 1.7*trial)*size;
    w->u[i] = s->u[i] + trial*(0.1 + 0.01*i);
  }
  ss_move(r, s->q, w->v, 1, w->q);
}

// The keys by which contacts can be followed, where the view is
static void take_keys(view* w, const ss_returning* r)
{
  const ss_operators* op = w->d->operators;
  bool listed = op && op->watch && r->def.step.integrator != SS_EVENT_DRIVEN && w->d->update(&w->at) >= 0;
  for (int i = 0; i < w->n_key; i++) w->key[i] = listed ? op->watch(&w->at, r->key[i]) : r->key[i];
}

// Whether all is as it was `now` (n numbers) after coordinate i has moved
static bool is_same_after(view* w, const ss_returning* r, int i, double by, int n)
{
  for (int j = 0; j < r->nv; j++) w->v[j] = j == i;
  ss_move(r, w->q, w->v, by, w->q);
  return looks_the_same(w, n);
}

ss_status ss_find_symmetries(ss_returning* r, const ss_state* s, const double* shift, bool* timed)
{
  view w = {0};
  ss_status st = open_view(&w, r);
  *timed = false;
  for (int i = 0; i < r->nv; i++) {
    r->cyclic[i] = true;
    r->whole[i] = r->turns[i] && r->coordinate[i] >= 0;
  }
  for (int trial = 0; st >= 0 && trial < 3; trial++) {
    go_beside(&w, r, s, trial);
    w.at.t = s->t;
    if (trial == 0) take_keys(&w, r);
    int n = look(&w, w.now);
    w.at.t = s->t + LATER;
    *timed = *timed || !looks_the_same(&w, n);
    w.at.t = s->t;
    for (int i = 0; i < r->nv; i++) {
      double by = shift ? shift[i] : 0.37 + (r->coordinate[i] < 0 ? 0 : fabs(s->q[r->coordinate[i]]));
      r->cyclic[i] = r->cyclic[i] && is_same_after(&w, r, i, by, n);
      go_beside(&w, r, s, trial);
      r->whole[i] = r->whole[i] && is_same_after(&w, r, i, SS_FULL_TURN, n);
      go_beside(&w, r, s, trial);
    }
  }
  close_view(&w);
  return st;
}
