// Where contacts are redundant a contact problem has many solutions, and while something slides they may move
// differently: friction goes with the share of the load that each contact takes. The solution with the least
//   sum_i w_i Lambda_i^2,   w = G_NN for normal impulses, the mean of G_TT for tangential ones of a contact,
// does not depend on the order of contacts or on directions of tangents. It is looked for among those with the contact
// states at hand: with the unknowns
//   X = Lambda_N of what slides, Lambda_T = -(mu X + bound) s,  s = xi_T/|xi_T|;   X = Lambda of what sticks,
// that is min sum w_j (X_j + shift_j)^2, xi = 0 in the rows that rest, X_N >= 0, X within the cones of what sticks. s
// turns with the velocities, so that the equations are linear up to that: with t across s
//   t.dLambda_T = -t.Lambda_T - (mu X + bound)/|xi_T| t.dxi_T,
// and a few steps are made, each of which solves its own problem exactly (nearest.c).
#include "contact/choose.h"
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "contact/nearest.h"
#include "contact/planar.h"
#include "math/dense.h"
#include "math/row_space.h"
#include "solve/friction_cone.h"

#define REDUNDANT 1e-10  // part of a diagonal entry of G that is left by other rows if they depend on one another
#define DEPENDS 1e-9     // the same of the length of a row
#define ROUND_OFF 1e-12  // of the terms of a velocity
#define LOOSE 1e-10      // velocities that may be none, of the largest |b|
#define STOPPED 0.1      // part of the square of a velocity that is left where sliding stops
#define SETTLED 1e-13    // of the largest impulse: steps that change no more are the last
#define NEARLY 1e-10     // ... and those that round-off keeps from changing less
#define ALIKE 1e-9       // of the largest impulse: forces that are chosen already
#define RESIDUAL 1e-13   // that is as good as any
#define EXACT 1e-11      // of solutions that are; others are not compared with, since rows may contradict one another
enum { STEPS = 60 };

// A contact on the face. Rows are those of the problem without bilateral rows.
typedef struct part {
  int N, T, tangents;  // normal row and first tangential one, -1: none
  bool closed, slips, sticks;
  int x, count;        // unknowns
  double mu, bound;
  double w_N, w_T;     // weights
  double s[2], across; // direction of sliding; (mu X + bound)/|xi_T|
  int turn;            // number among those whose direction can turn, or -1
} part;

typedef struct face {
  const ss_reduced* r;
  int k, m, n, turns, rank;  // contacts, rows, unknowns, ...
  part* part;          // k
  ss_admissible* set;  // at most k, with one for the normal of each that slides
  int n_set;
  int* zero;           // n: rows that rest
  double *E, *B, *R;   // n x m: direction of each unknown in Lambda; n x n: their velocities in rows that rest; basis
  double *g, *c;       // n, m
  double *X, *x;       // n: unknowns, and scaled
  double *w, *shift;   // n
  double *TG, *A, *theta;  // turns x m, turns x turns, (n + 1) x turns
  double *d;           // m
  int* piv;            // turns
  double *Lambda, *xi; // m
} face;

// ---- what there is ----

static double terms_of(const face* f, int r)
{
  double sum = fabs(f->r->b[r]);
  for (int j = 0; j < f->m; j++) sum += fabs(f->r->G[r*f->m + j]*f->Lambda[j]);
  return sum;
}

// Diagonal entries of G before bilateral rows are eliminated; `most` is the largest
static void weigh(const ss_contact_problem* p, double most, part* c)
{
  int nb = p->n_bilateral;
  c->w_N = c->N >= 0 ? p->G[(nb + c->N)*(p->m + 1)] : 0;
  c->w_T = 0;
  for (int i = 0; i < c->tangents; i++) c->w_T += p->G[(nb + c->T + i)*(p->m + 1)]/c->tangents;
  if (!(c->w_N > 0)) c->w_N = most > 0 ? most : 1;
  if (!(c->w_T > 0)) c->w_T = c->w_N;
}

// Contact i with its first row r. A contact with a bound may have friction though it parts. Velocities up to `zero` are
// none: which contacts are closed and carry nothing is known no better than the velocities.
static void describe(const ss_contact_problem* p, const face* f, double zero, ss_contact_state state, int i, int r,
                     part* c)
{
  bool normal = p->kind[i] != SS_CONTACT_FRICTION;
  int rows = ss_contact_rows(p->kind[i]);
  *c = (part){.N = normal ? r : -1, .T = r + normal, .tangents = rows - normal, .mu = normal ? p->mu[i] : 0,
              .bound = p->bound[i], .x = -1, .turn = -1};
  c->closed = normal && state != SS_OPEN;
  if (normal && (c->bound > 0 || !c->closed) && f->Lambda[r] <= 0)
    c->closed = f->xi[r] <= fmax(zero, ROUND_OFF*terms_of(f, r));
  bool friction = c->tangents && (c->bound > 0 || (c->closed && c->mu > 0));
  double slip = c->tangents == 2 ? hypot(f->xi[c->T], f->xi[c->T + 1]) : c->tangents ? fabs(f->xi[c->T]) : 0;
  c->sticks = friction && (state == SS_STICK || slip <= zero);
  c->slips = friction && !c->sticks;
}

static void add_unknowns(face* f, part* c)
{
  c->x = f->n;
  c->turn = -1;
  if (c->closed) f->zero[f->n++] = c->N;
  for (int a = 0; a < c->tangents && c->sticks; a++) f->zero[f->n++] = c->T + a;
  c->count = f->n - c->x;
  if (c->slips && c->tangents == 2) c->turn = f->turns++;
}

// Unknowns and rows that rest: those of contacts that slide come last. Returns how many the others are.
static int lay_out(face* f)
{
  f->n = f->turns = 0;
  for (int i = 0; i < f->k; i++)
    if (!f->part[i].slips) add_unknowns(f, &f->part[i]);
  int still = f->n;
  for (int i = 0; i < f->k; i++)
    if (f->part[i].slips) add_unknowns(f, &f->part[i]);
  return still;
}

ss_choice ss_choice_of(int n, int still, double* A)
{
  bool forces = false;
  for (int i = 0; i < n; i++) {
    double* row = A + i*n, own = row[i];
    for (int j = 0; j < i; j++) {
      const double* other = A + j*n;
      if (other[j] == 0) row[j] = 0;
      else row[j] = (row[j] - ss_dot(j, row, other))/other[j];
    }
    double left = own - ss_dot(i, row, row);
    bool depends = !(left > REDUNDANT*own);
    if (depends && i >= still) return SS_CHOICE_MOTION;
    forces = forces || depends;
    row[i] = depends ? 0 : sqrt(left);
  }
  return forces ? SS_CHOICE_FORCES : SS_CHOICE_NONE;
}

// The same of a face; A: n x n
static ss_choice look(const face* f, int still, double* A)
{
  for (int i = 0; i < f->n; i++)
    for (int j = 0; j <= i; j++) A[i*f->n + j] = f->r->G[f->zero[i]*f->m + f->zero[j]];
  return ss_choice_of(f->n, still, A);
}

// ---- linear equations ----

// Directions of sliding; false if a contact has stopped sliding
static bool find_directions(face* f)
{
  for (int i = 0; i < f->k; i++) {
    part* c = &f->part[i];
    if (!c->slips) continue;
    const double* v = f->xi + c->T;
    double speed = c->tangents == 2 ? hypot(v[0], v[1]) : fabs(v[0]), s[2] = {0, 0};
    if (!(speed > 0)) return false;
    for (int a = 0; a < c->tangents; a++) s[a] = v[a]/speed;
    memcpy(c->s, s, sizeof s);
    c->across = (c->closed ? c->mu*fmax(f->Lambda[c->N], 0) : 0) + c->bound;
    c->across /= speed;
  }
  return true;
}

static double limit_of(const face* f, const part* c)
{
  return (c->closed ? c->mu*f->Lambda[c->N] : 0) + c->bound;
}

// Unknowns with their weights, E for directions as they are, and what is wrong along them in d
static void write_directions(face* f)
{
  memset(f->E, 0, sizeof(double)*(size_t)(f->n*f->m));
  memset(f->d, 0, sizeof(double)*(size_t)f->m);
  for (int i = 0; i < f->k; i++) {
    const part* c = &f->part[i];
    int x = c->x;
    double off = c->slips ? limit_of(f, c) : 0;
    for (int a = 0; a < c->tangents && c->slips; a++) off += f->Lambda[c->T + a]*c->s[a];
    for (int a = 0; a < c->tangents && c->slips; a++) f->d[c->T + a] = -off*c->s[a];
    if (c->closed) {
      double slip = c->slips ? c->mu : 0;
      f->w[x] = c->w_N + slip*slip*c->w_T;
      f->shift[x] = slip*c->w_T*c->bound/f->w[x];
      f->X[x] = f->Lambda[c->N];
      f->E[x*f->m + c->N] = 1;
      for (int a = 0; a < c->tangents && c->slips; a++) f->E[x*f->m + c->T + a] = -slip*c->s[a];
      x++;
    }
    for (int a = 0; a < c->tangents && c->sticks; a++, x++) {
      f->w[x] = c->w_T;
      f->shift[x] = 0;
      f->X[x] = f->Lambda[c->T + a];
      f->E[x*f->m + c->T + a] = 1;
    }
  }
}

static double along_t(const part* c, const double* v) { return c->s[0]*v[c->T + 1] - c->s[1]*v[c->T]; }

static void add_t(const part* c, double value, double* v)
{
  v[c->T] -= value*c->s[1];
  v[c->T + 1] += value*c->s[0];
}

// What directions do that turn:  (1 + K T G T^T) theta = -K T G (E, d) - (0, T Lambda), added to E and d
static bool write_turning(face* f)
{
  int m = f->m, n = f->n, turns = f->turns;
  for (int i = 0; i < f->k; i++) {
    const part* c = &f->part[i];
    if (c->turn < 0) continue;
    double* row = f->TG + c->turn*m;
    for (int j = 0; j < m; j++)
      row[j] = c->across*(c->s[0]*f->r->G[(c->T + 1)*m + j] - c->s[1]*f->r->G[c->T*m + j]);
    for (int j = 0; j <= n; j++) f->theta[j*turns + c->turn] = -ss_dot(m, row, j < n ? f->E + j*m : f->d);
    f->theta[n*turns + c->turn] -= along_t(c, f->Lambda);
  }
  for (int i = 0; i < f->k; i++)
    for (int q = 0; q < turns && f->part[i].turn >= 0; q++)
      f->A[q*turns + f->part[i].turn] = along_t(&f->part[i], f->TG + q*m) + (q == f->part[i].turn);
  if (turns && !ss_lu_factor(turns, f->A, f->piv)) return false;
  for (int j = 0; j <= n && turns; j++) {
    double* theta = f->theta + j*turns;
    ss_lu_solve(turns, f->A, f->piv, theta);
    for (int i = 0; i < f->k; i++)
      if (f->part[i].turn >= 0) add_t(&f->part[i], theta[f->part[i].turn], j < n ? f->E + j*m : f->d);
  }
  return true;
}

// R and g of the scaled unknowns sqrt(w) (X + shift), or of their increments
static void write_equations(face* f, bool increments)
{
  int m = f->m, n = f->n;
  for (int i = 0; i < n; i++) {
    const double* G = f->r->G + f->zero[i]*m;
    f->c[i] = -f->xi[f->zero[i]] - ss_dot(m, G, f->d);
    for (int j = 0; j < n; j++) {
      double B = ss_dot(m, G, f->E + j*m);
      if (!increments) f->c[i] += B*(f->X[j] + f->shift[j]);
      f->B[i*n + j] = B/sqrt(f->w[j]);
    }
  }
  f->rank = ss_row_space(n, n, f->B, f->c, DEPENDS, f->R, f->g);
}

// ---- what is admissible ----

static void write_sets(face* f)
{
  f->n_set = 0;
  for (int i = 0; i < f->k; i++) {
    const part* c = &f->part[i];
    double w_T = sqrt(c->w_T);
    ss_admissible* s = &f->set[f->n_set];
    if (!c->count) continue;
    f->n_set++;
    *s = (ss_admissible){.first = c->x, .count = c->count, .mu = c->mu*w_T/sqrt(c->w_N), .bound = c->bound*w_T};
    if (!c->sticks) *s = (ss_admissible){SS_FROM, c->x, 1, .low = f->shift[c->x]*sqrt(f->w[c->x])};
    else s->shape = c->closed ? SS_CONE : SS_DISK;
  }
}

// ---- steps ----

static void find_velocities(face* f)
{
  ss_gemv(f->m, f->m, f->r->G, f->Lambda, f->xi);
  for (int i = 0; i < f->m; i++) f->xi[i] += f->r->b[i];
}

// Where sliding with the velocity v stops, or nearly so, on the way to v + dv: the part of the way; whether it does.
// More than 1 if never; a direction that turns far is followed half of the way.
static double stop_of(const part* c, const double* v, const double* dv, bool* stops)
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

// The part of the step d to the first contact that changes its state, which is NULL if there is none: dxi = G d
static double reach(face* f, const double* dxi, part** changes)
{
  double least = 1;
  *changes = NULL;
  for (int i = 0; i < f->k; i++) {
    part* c = &f->part[i];
    bool stops = false, opens = c->N >= 0 && !c->closed;
    double stop = c->slips ? stop_of(c, f->xi + c->T, dxi + c->T, &stops) : 2;
    double close = opens ? close_of(f->xi[c->N], dxi[c->N]) : 2;
    double way = fmin(stop, close);
    if (!(way < least)) continue;
    least = way;
    *changes = stops || close < stop ? c : NULL;
  }
  return least;
}

// What contact c does from here on
static void change_state(part* c)
{
  if (c->closed || c->N < 0) {
    c->slips = false;
    c->sticks = true;
  } else {
    c->closed = true;
    c->slips = !c->sticks && c->mu > 0;
  }
}

// Lambda += E^T (X+ - X) + d, as far as states stay; the largest change, relative. *whole: all of it.
static double move(face* f, bool* whole)
{
  double change = 0, largest = 0, *dxi = f->c;
  part* changes;
  for (int j = 0; j < f->n; j++)
    ss_axpy(f->m, f->x[j]/sqrt(f->w[j]) - f->shift[j] - f->X[j], f->E + j*f->m, f->d);
  ss_gemv(f->m, f->m, f->r->G, f->d, dxi);
  double way = reach(f, dxi, &changes);
  *whole = way >= 1;
  for (int i = 0; i < f->m; i++) {
    f->Lambda[i] += way*f->d[i];
    change = fmax(change, fabs(f->d[i]));
    largest = fmax(largest, fabs(f->Lambda[i]));
  }
  if (changes) {
    change_state(changes);
    lay_out(f);
  }
  return largest > 0 ? change/largest : 0;
}

// Round-off must not leave the cones, and what slides has its friction exactly
static void clean(face* f)
{
  for (int i = 0; i < f->k; i++) {
    const part* c = &f->part[i];
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

// False if it does not get there
static bool approach(face* f, ss_arena* arena)
{
  double before = INFINITY;
  bool whole;
  for (int i = 0; i < STEPS; i++) {
    if (!find_directions(f)) return false;
    write_directions(f);
    if (!write_turning(f)) return false;
    write_equations(f, false);
    write_sets(f);
    if (!ss_nearest(f->rank, f->n, f->R, f->g, f->n_set, f->set, arena, f->x)) return false;
    double change = move(f, &whole);
    find_velocities(f);
    if (whole && (!f->turns || change <= SETTLED || (change <= NEARLY && change > before/2))) return true;
    before = change;
  }
  return false;
}

// What rests does so to round-off of its own velocity, not of the impulses: the smallest increments that see to it
static void refine(face* f)
{
  write_directions(f);
  write_equations(f, true);
  ss_gemv_t(f->rank, f->n, f->R, f->g, f->c);
  for (int j = 0; j < f->n; j++) ss_axpy(f->m, f->c[j]/sqrt(f->w[j]), f->E + j*f->m, f->Lambda);
}

// ---- the choice ----

static bool take(face* f, int k, int m, ss_arena* arena)
{
  *f = (face){.r = f->r, .k = k, .m = m};
  f->part = ss_arena_array(arena, part, k);
  f->set = ss_arena_array(arena, ss_admissible, k);
  f->zero = ss_arena_array(arena, int, 2*m);
  f->E = ss_arena_array(arena, double, 6*m*m + 11*m);
  if (!f->part || !f->set || !f->zero || !f->E) return false;
  f->piv = f->zero + m;
  f->B = f->E + m*m;
  f->R = f->B + m*m;
  f->TG = f->R + m*m;
  f->A = f->TG + m*m;
  f->theta = f->A + m*m;  // (m + 1) x m
  double** const vector[] = {&f->g, &f->c, &f->X, &f->x, &f->w, &f->shift, &f->d, &f->Lambda, &f->xi};
  double* next = f->theta + m*m + m;
  for (size_t i = 0; i < sizeof vector/sizeof *vector; i++, next += m) *vector[i] = next;
  return true;
}

size_t ss_choose_size(int n_bilateral, int n_contact, int rows)
{
  int limited = rows < SS_CHOOSE_ROWS ? rows : SS_CHOOSE_ROWS, contacts = n_contact < limited ? n_contact : limited;
  size_t m = (size_t)limited, k = (size_t)contacts;
  return ss_arena_bytes(sizeof(part)*k) + ss_arena_bytes(sizeof(ss_admissible)*k) + ss_arena_bytes(sizeof(int)*2*m) +
         ss_arena_bytes(sizeof(double)*(6*m*m + 11*m)) + 2*ss_arena_bytes(sizeof(double)*((size_t)n_bilateral + m)) +
         ss_reduce_rows_size(n_bilateral, limited) + ss_nearest_size(limited);
}

// Whether the unknown j and what goes with it can change, one way or the other, and moves something: v, scaled
static bool moves(face* f, int j, double largest)
{
  int n = f->n, m = f->m;
  double *v = f->c, *d = f->d, forward = 1, backward = 1, size = 0, most = 0;
  memset(v, 0, sizeof(double)*(size_t)n);
  v[j] = 1;
  for (int pass = 0; pass < 2; pass++)
    for (int q = 0; q < f->rank; q++) ss_axpy(n, -ss_dot(n, f->R + q*n, v), f->R + q*n, v);
  if (ss_norm_inf(n, v) < 1e-6) return false;
  for (int i = 0; i < f->n_set; i++) {
    const ss_admissible* s = &f->set[i];
    if (s->shape != SS_FROM || f->x[s->first] - s->low > 1e-9*largest) continue;
    if (v[s->first] < -1e-9) forward = 0;
    if (v[s->first] > 1e-9) backward = 0;
  }
  memset(d, 0, sizeof(double)*(size_t)m);
  for (int i = 0; i < n; i++) ss_axpy(m, v[i]/sqrt(f->w[i]), f->E + i*m, d);
  for (int r = 0; r < m; r++) {
    double sum = 0, terms = 0;
    for (int i = 0; i < m; i++) {
      sum += f->r->G[r*m + i]*d[i];
      terms += fabs(f->r->G[r*m + i]*d[i]);
    }
    most = fmax(most, fabs(sum));
    size = fmax(size, terms);
  }
  return (forward > 0 || backward > 0) && most > 1e-8*size;
}

static bool is_alike(const face* f, const double* Lambda)
{
  double change = 0;
  for (int i = 0; i < f->m; i++) change = fmax(change, fabs(f->Lambda[i] - Lambda[i]));
  return change <= ALIKE*ss_norm_inf(f->m, Lambda);
}

// Lambda of the face, if it is as good as what there was. Forces that are chosen already stay: bodies that balance feel
// the round-off of others.
static void accept(const ss_contact_problem* p, face* f, ss_choice choice, double* Lambda, ss_contact_solution* s)
{
  int nb = p->n_bilateral;
  if (choice == SS_CHOICE_FORCES && is_alike(f, s->Lambda + nb)) return;
  if (choice == SS_CHOICE_FORCES && !f->turns) refine(f);
  clean(f);
  memcpy(Lambda + nb, f->Lambda, sizeof(double)*(size_t)f->m);
  if (nb) ss_recover_bilateral(f->r, true, Lambda);
  double residual = ss_contact_residual(p, Lambda);
  if (!(residual <= (s->residual <= EXACT ? fmax(s->residual, RESIDUAL) : RESIDUAL))) return;
  memcpy(s->Lambda, Lambda, sizeof(double)*(size_t)p->m);
  ss_gemv(p->m, p->m, p->G, s->Lambda, s->xi);
  for (int i = 0; i < p->m; i++) s->xi[i] += p->b[i];
  s->residual = residual;
}

static ss_choice choose(const ss_contact_problem* p, face* f, bool forces, ss_arena* arena, double* Lambda,
                        ss_contact_solution* s)
{
  bool moved = false;
  double most = 0, zero = LOOSE*ss_norm_inf(p->m, p->b);
  for (int i = 0, r = 0; i < f->k; r += ss_contact_rows(p->kind[i++]))
    describe(p, f, zero, s->state[i], i, r, &f->part[i]);
  ss_choice choice = look(f, lay_out(f), f->B);
  if (choice == SS_CHOICE_NONE || (choice == SS_CHOICE_FORCES && !forces)) return choice;
  for (int i = 0; i < p->m; i++) most = fmax(most, p->G[i*(p->m + 1)]);
  for (int i = 0; i < f->k; i++) weigh(p, most, &f->part[i]);
  if (approach(f, arena)) accept(p, f, choice, Lambda, s);
  double size = ss_norm_inf(f->n, f->x);
  for (int j = 0; j < f->n && choice == SS_CHOICE_MOTION && !moved && f->rank; j++) moved = moves(f, j, size);
  return moved ? SS_CHOICE_MOTION : SS_CHOICE_FORCES;
}

ss_choice ss_choose(const ss_contact_problem* p, bool forces, ss_arena* arena, ss_contact_solution* s)
{
  size_t mark = ss_arena_mark(arena);
  ss_choice choice = SS_CHOICE_NONE;
  ss_reduced r;
  face f = {.r = &r};
  if (p->n_contact < 2 || p->m - p->n_bilateral > SS_CHOOSE_ROWS) return choice;
  double* Lambda = ss_arena_array(arena, double, p->m);
  if (Lambda && take(&f, p->n_contact, p->m - p->n_bilateral, arena) && ss_reduce_contacts(p, arena, &r)) {
    memcpy(f.Lambda, s->Lambda + r.nb, sizeof(double)*(size_t)r.m);
    memcpy(f.xi, s->xi + r.nb, sizeof(double)*(size_t)r.m);
    choice = choose(p, &f, forces, arena, Lambda, s);
  }
  ss_arena_release(arena, mark);
  return choice;
}
