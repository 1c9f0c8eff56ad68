// Contact states of a solution, and where they change.
#include "contact/choose_face.h"
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "contact/choose.h"
#include "math/dense.h"
#include "solve/friction_cone.h"

#define ROUND_OFF 1e-12  // of the terms of a velocity
#define STOPPED 0.1      // part of the square of a velocity that is left where sliding stops

// ---- memory ----

enum { MATRICES = 6, VECTORS = 12 };

bool ss_face_take(ss_face* f, int k, int m, ss_arena* arena)
{
  *f = (ss_face){.r = f->r, .k = k, .m = m};
  f->part = ss_arena_array(arena, ss_face_part, k);
  f->set = ss_arena_array(arena, ss_near_set, k);
  f->row = ss_arena_array(arena, int, 2*m);
  double* next = ss_arena_array(arena, double, MATRICES* m* m + VECTORS*m);
  if (!f->part || !f->set || !f->row || !next) return false;
  f->piv = f->row + m;
  double** const matrix[] = {&f->B, &f->R, &f->TG, &f->A, &f->GT, &f->theta};  // theta has a row more
  for (size_t i = 0; i < MATRICES; i++, next += m*m) *matrix[i] = next;
  double** const vector[] = {&f->g, &f->X, &f->x, &f->z, &f->w, &f->shift, &f->c, &f->d, &f->Lambda, &f->xi};
  next += m;
  for (size_t i = 0; i < sizeof vector/sizeof *vector; i++, next += m) *vector[i] = next;
  return true;
}

size_t ss_face_size(int k, int m)
{
  size_t rows = (size_t)m, contacts = (size_t)k;
  return ss_arena_bytes(sizeof(ss_face_part)*contacts) + ss_arena_bytes(sizeof(ss_near_set)*contacts) +
         ss_arena_bytes(sizeof(int)*2*rows) +
         ss_arena_bytes(sizeof(double)*(MATRICES*rows*rows + VECTORS*rows));
}

// ---- states ----

static double terms_of(const ss_face* f, int r)
{
  double sum = fabs(f->r->b[r]);
  for (int j = 0; j < f->m; j++) sum += fabs(f->r->G[r*f->m + j]*f->Lambda[j]);
  return sum;
}

// A contact with a bound may have friction though it parts. Which contacts are closed and carry nothing is known no
// better than the velocities.
static void describe(const ss_contact_problem* p, const ss_face* f, double zero, ss_contact_state state, int i, int r,
                     ss_face_part* c)
{
  bool normal = p->kind[i] != SS_CONTACT_FRICTION;
  int rows = ss_contact_rows(p->kind[i]);
  *c = (ss_face_part){.N = normal ? r : -1,
                      .T = r + normal,
                      .tangents = rows - normal,
                      .mu = normal ? p->mu[i] : 0,
                      .bound = p->bound[i],
                      .x = -1,
                      .turn = -1};
  c->closed = normal && state != SS_OPEN;
  if (normal && (c->bound > 0 || !c->closed) && f->Lambda[r] <= 0)
    c->closed = f->xi[r] <= fmax(zero, ROUND_OFF*terms_of(f, r));
  bool friction = c->tangents && (c->bound > 0 || (c->closed && c->mu > 0));
  double slip = c->tangents == 2 ? hypot(f->xi[c->T], f->xi[c->T + 1]) : c->tangents ? fabs(f->xi[c->T]) : 0;
  c->sticks = friction && (state == SS_STICK || slip <= zero);
  c->slips = friction && !c->sticks;
}

void ss_face_describe(ss_face* f, const ss_contact_problem* p, double zero, const ss_contact_state* state)
{
  for (int i = 0, r = 0; i < f->k; r += ss_contact_rows(p->kind[i++]))
    describe(p, f, zero, state[i], i, r, &f->part[i]);
  ss_face_lay_out(f);
}

static void add_unknowns(ss_face* f, ss_face_part* c)
{
  c->x = f->n;
  c->turn = -1;
  if (c->closed) f->row[f->n++] = c->N;
  for (int a = 0; a < c->tangents && c->sticks; a++) f->row[f->n++] = c->T + a;
  c->count = f->n - c->x;
  if (c->slips && c->tangents == 2) c->turn = f->turns++;
}

void ss_face_lay_out(ss_face* f)
{
  f->n = f->turns = 0;
  for (int i = 0; i < f->k; i++)
    if (!f->part[i].slips) add_unknowns(f, &f->part[i]);
  f->still = f->n;
  for (int i = 0; i < f->k; i++)
    if (f->part[i].slips) add_unknowns(f, &f->part[i]);
}

// Diagonal entries of G before bilateral rows are eliminated; `most` is the largest
static void weigh(const ss_contact_problem* p, double most, ss_face_part* c)
{
  int nb = p->n_bilateral;
  c->w_N = c->N >= 0 ? p->G[(nb + c->N)*(p->m + 1)] : 0;
  c->w_T = 0;
  for (int i = 0; i < c->tangents; i++) c->w_T += p->G[(nb + c->T + i)*(p->m + 1)]/c->tangents;
  if (!(c->w_N > 0)) c->w_N = most > 0 ? most : 1;
  if (!(c->w_T > 0)) c->w_T = c->w_N;
}

void ss_face_weigh(ss_face* f, const ss_contact_problem* p)
{
  double most = 0;
  for (int i = 0; i < p->m; i++) most = fmax(most, p->G[i*(p->m + 1)]);
  for (int i = 0; i < f->k; i++) weigh(p, most, &f->part[i]);
}

ss_choice ss_face_depends(ss_face* f)
{
  for (int i = 0; i < f->n; i++)
    for (int j = 0; j <= i; j++) f->B[i*f->n + j] = f->r->G[f->row[i]*f->m + f->row[j]];
  return ss_choice_of(f->n, f->still, f->B);
}

// ---- where they change ----

// Where sliding with the velocity v stops, or nearly so, on the way to v + dv: the part of the way; whether it does.
// More than 1 if never; a direction that turns far is followed half of the way.
static double stop_of(const ss_face_part* c, const double* v, const double* dv, bool* stops)
{
  double along = 0, size = 0, start = 0;
  for (int a = 0; a < c->tangents; a++) {
    along -= v[a]*dv[a];
    size += dv[a]*dv[a];
    start += v[a]*v[a];
  }
  *stops = false;
  if (!(along > 0) || along >= size*2) return 2;
  double way = along/size, left = start - along*way;
  *stops = left <= STOPPED*start;
  if (*stops) return way;
  return along >= start/2 ? start/(2*along) : 2;
}

// Where an open contact with the normal velocity v closes
static double close_of(double v, double dv) { return v + dv < 0 && dv < 0 ? fmax(v, 0)/-dv : 2; }

// What contact c does from there on
static void change_state(ss_face_part* c)
{
  if (c->closed || c->N < 0) {
    c->slips = false;
    c->sticks = true;
  } else {
    c->closed = true;
    c->slips = !c->sticks && c->mu > 0;
  }
}

static void stop(ss_face_part* c)
{
  c->sticks = c->sticks || c->slips;
  c->slips = false;
}

void ss_face_stop(ss_face* f)
{
  for (int i = 0; i < f->k; i++) stop(&f->part[i]);
  ss_face_lay_out(f);
}

// The part of the way dxi on which contact c stays as it is; whether it changes its state there
static double way_of(const ss_face* f, const ss_face_part* c, const double* dxi, bool* changes)
{
  bool stops = false, opens = c->N >= 0 && !c->closed;
  double stop = c->slips ? stop_of(c, f->xi + c->T, dxi + c->T, &stops) : 2;
  double close = opens ? close_of(f->xi[c->N], dxi[c->N]) : 2;
  *changes = stops || close < stop;
  return fmin(stop, close);
}

// Whether what slides has come to rest after this part of the way, up to round-off
static bool is_still(const ss_face* f, const ss_face_part* c, const double* dxi, double part)
{
  for (int r = c->T; r < c->T + c->tangents; r++)
    if (fabs(f->xi[r] + part*dxi[r]) > ROUND_OFF*terms_of(f, r)) return false;
  return c->slips;
}

// Feet of one body stop together: one that went on with a velocity of round-off would have no direction.
double ss_face_reach(ss_face* f, const double* dxi, bool* all)
{
  double least = 1;
  ss_face_part* first = NULL;
  for (int i = 0; i < f->k; i++) {
    bool changes;
    double way = way_of(f, &f->part[i], dxi, &changes);
    if (!(way < least)) continue;
    least = way;
    first = changes ? &f->part[i] : NULL;
  }
  *all = least >= 1;
  if (!first) return least;
  for (int i = 0; i < f->k; i++)
    if (&f->part[i] == first) change_state(first);
    else if (is_still(f, &f->part[i], dxi, least)) stop(&f->part[i]);
  ss_face_lay_out(f);
  return least;
}

static double limit_of(const ss_face* f, const ss_face_part* c)
{
  return (c->closed ? c->mu*f->Lambda[c->N] : 0) + c->bound;
}

void ss_face_clean(ss_face* f)
{
  for (int i = 0; i < f->k; i++) {
    const ss_face_part* c = &f->part[i];
    double L[3] = {0}, *T = f->Lambda + c->T;
    if (c->closed && !(f->Lambda[c->N] > 0)) f->Lambda[c->N] = 0;
    if (c->sticks) {
      L[0] = c->closed ? f->Lambda[c->N] : 0;
      memcpy(L + 1, T, sizeof(double)*(size_t)c->tangents);
      ss_clip_to_disk(c->tangents + 1, c->mu, c->bound, L);
      memcpy(T, L + 1, sizeof(double)*(size_t)c->tangents);
    }
    for (int a = 0; a < c->tangents && c->slips; a++) T[a] = -limit_of(f, c)*c->s[a];
  }
}
