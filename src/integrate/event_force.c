// Contact forces while the contact states stay as they are: the rows that are held (bilateral ones, normals of closed
// contacts, tangents of sticking ones) have no acceleration,
//   W_R^T u' + w_bar_R = 0,   M u' = h + sum_R (w_N + fold w_T) lambda,   fold = -s mu for a contact that slides with s
// a linear system whose matrix is symmetric but for the friction that follows normal forces [SB (9), (10)]. Where it is
// singular (redundant contacts) the solution of least norm is taken of those that the contacts can give (admissible.c),
// in units in which every row has G_ii = 1, the tangents of a spatial contact one unit for both. Each island
// (event_islands.c) is a system of its own.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "contact/admissible.h"
#include "integrate/event.h"
#include "math/dense.h"

// A pivot below this, of a matrix with unit diagonal, is zero: rows are dependent.
#define REDUNDANT 1e-10
// Of what forces do to the motion: less is not seen.
#define SEEN 1e-6

double ss_row_extent(const ss_arc* a, int row, const double* q)
{
  return a->w->op ? a->extent[row] : ss_row_size(a, row, q);
}

double ss_row_size(const ss_arc* a, int row, const double* x)
{
  const double* W = a->W + row*a->nv;
  double sum = 0;
  for (int j = 0; j < a->nv; j++) sum += fabs(W[j]*x[j]);
  return sum;
}

static void hold(ss_arc* a, int row, int slider)
{
  a->slider[a->n_held] = slider;
  a->held[a->n_held++] = row;
}

// A row that nothing can move: across a planar mechanism
static bool is_fixed(const ss_arc* a, int row)
{
  const double* W = a->W + row*a->nv;
  for (int j = 0; j < a->nv; j++)
    if (W[j] != 0) return false;
  return true;
}

// Friction of the contact follows its normal force while it slides
static bool follows(const ss_contact_def* c) { return c->mu > 0 || c->varies; }

// The held rows by islands
static void group_held(ss_arc* a)
{
  int n = a->n_held, *row = a->list, *slider = a->pivot;
  memcpy(row, a->held, (size_t)n*sizeof *row);
  memcpy(slider, a->slider, (size_t)n*sizeof *slider);
  ss_sort_by_island(a, n, row, a->order);
  for (int k = 0; k < a->n_islands; k++) a->group[k] = (ss_held){.determinant = 1, .regular = 1};
  for (int i = 0; i < n; i++) {
    int r = row[a->order[i]];
    ss_held* g = &a->group[a->row_island[r]];
    if (g->n++ == 0) g->first = i;
    g->loaded = g->loaded || r >= a->w->n_bilateral;
    a->held[i] = r;
    a->slider[i] = slider[a->order[i]];
  }
}

// The contacts that held rows belong to
static void name_owners(ss_arc* a)
{
  int* owner = a->label;
  for (int r = 0; r < a->w->n_bilateral; r++) owner[r] = -1;
  for (int i = 0; i < a->n; i++)
    for (int k = 0; k < ss_contact_rows(a->w->law[i]->kind); k++) owner[a->w->row[i] + k] = i;
  for (int i = 0; i < a->n_held; i++) a->owner[i] = owner[a->held[i]];
}

void ss_arc_combine(ss_arc* a)
{
  a->n_held = 0;
  ss_arc_islands(a, false);
  for (int r = 0; r < a->w->n_bilateral; r++) hold(a, r, -1);
  for (int i = 0; i < a->n; i++) {
    const ss_contact_def* c = a->w->law[i];
    if (a->mode[i] == SS_OPEN) continue;
    if (ss_has_normal(c)) hold(a, ss_normal_row(a, i), ss_slides(a->mode[i]) && follows(c) ? i : -1);
    if (a->mode[i] != SS_STICK) continue;
    int T = ss_tangent_row(a, i), rows = ss_tangents(c);
    for (int k = T; k < T + rows; k++)
      if (rows < 2 || !is_fixed(a, k)) hold(a, k, -1);
  }
  group_held(a);
  name_owners(a);
}

// fold = -mu d for the contacts that slide in the direction d
static void fold_friction(ss_arc* a)
{
  for (int i = 0; i < a->n_held; i++) {
    int c = a->slider[i];
    for (int k = 0; k < 2; k++) a->fold[2*i + k] = c < 0 ? 0 : -a->w->mu_now[c]*a->direct[2*c + k];
  }
}

static int folded_rows(const ss_arc* a, int i) { return a->slider[i] < 0 ? 0 : ss_tangents(a->w->law[a->slider[i]]); }

// Gaussian elimination with partial pivoting in place; returns the determinant, and the smallest pivot in *least
static double factor(int n, double* A, int* pivot, double* least)
{
  double determinant = 1;
  *least = 1;
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(A[i*n + k]) > fabs(A[p*n + k])) p = i;
    pivot[k] = p;
    if (p != k) {
      determinant = -determinant;
      for (int j = 0; j < n; j++) {
        double swap = A[k*n + j];
        A[k*n + j] = A[p*n + j];
        A[p*n + j] = swap;
      }
    }
    determinant *= A[k*n + k];
    *least = fmin(*least, fabs(A[k*n + k]));
    if (A[k*n + k] == 0) return 0;
    for (int i = k + 1; i < n; i++) {
      double f = A[i*n + k] /= A[k*n + k];
      for (int j = k + 1; j < n; j++) A[i*n + j] -= f*A[k*n + j];
    }
  }
  return determinant;
}

static void solve(int n, const double* A, const int* pivot, double* x)
{
  for (int k = 0; k < n; k++) {
    double swap = x[k];
    x[k] = x[pivot[k]];
    x[pivot[k]] = swap;
  }
  for (int i = 1; i < n; i++) x[i] -= ss_dot(i, A + i*n, x);
  for (int i = n - 1; i >= 0; i--) x[i] = (x[i] - ss_dot(n - 1 - i, A + i*n + i + 1, x + i + 1))/A[i*n + i];
}

// What the contacts of an island can give, in units g of their rows
static int describe_sets(ss_arc* a, const ss_held* group, const double* g)
{
  int n = 0, end = group->first + group->n;
  for (int i = group->first, next; i < end; i = next) {
    int c = a->owner[i];
    for (next = i + 1; next < end && c >= 0 && a->owner[next] == c;) next++;
    if (c < 0) continue;
    bool normal = ss_has_normal(a->w->law[c]);
    int T = i + normal, tangents = next - T;
    a->set[n++] = (ss_force_set){.first = i - group->first, .normal = normal, .tangents = tangents,
                                 .strained = normal && tangents && group->strain_known && a->strained[c],
                                 .mu = normal && tangents ? fmax(0, ss_mu_rest(a->w, c))*g[T]/g[i] : 0,
                                 .bound = tangents ? fmax(0, ss_bound_rest(a->w, c))*g[T] : 0};
  }
  return n;
}

static bool is_braced(const ss_arc* a, const ss_held* group)
{
  for (int i = group->first; i < group->first + group->n; i++)
    if (a->owner[i] >= 0 && a->tried[a->owner[i]].braced) return true;
  return false;
}

// Row j of B: what the forces x of the group add to component j of L^T u'
static void effect(const ss_arc* a, const ss_held* group, const double* g, int j, double* B)
{
  for (int i = 0; i < group->n; i++) {
    int at = group->first + i;
    const double* Y = a->Y + a->held[at]*a->nv;
    B[i] = Y[j];
    for (int k = 0; k < folded_rows(a, at); k++) B[i] += a->fold[2*at + k]*Y[(k + 1)*a->nv + j];
    B[i] /= g[at];
  }
}

// Whether other admissible forces than x give another motion: whether B_j x can change over them. Its part B_j d with
// A d = 0 is what other forces can change; x + d is brought back to where forces are admissible.
static bool matters(ss_arc* a, const ss_held* group, const double* g, ss_admissible* f, const double* x)
{
  int n = group->n;
  double *d = a->lstsq, *z = d + n, *other = z + n, *B = other + n, size = sqrt(ss_dot(n, x, x));
  for (int j = 0; j < a->nv; j++) {
    effect(a, group, g, j, B);
    double whole = sqrt(ss_dot(n, B, B));
    memcpy(d, B, sizeof(double)*(size_t)n);
    ss_admissible_loosen(f, d);
    double loose = sqrt(ss_dot(n, d, d));
    if (!(loose > SEEN*whole)) continue;
    for (int sign = -1; sign <= 1; sign += 2) {
      double change = 0;
      for (int i = 0; i < n; i++) z[i] = x[i] + sign*size*d[i]/loose;
      if (ss_admissible_nearest(f, z, other) > SS_CARRIED) continue;
      for (int i = 0; i < n; i++) change += B[i]*(other[i] - x[i]);
      if (fabs(change) > SEEN*whole*size) return true;
    }
  }
  return false;
}

static ss_choice weigh(ss_arc* a, const ss_held* group, const double* g, ss_admissible* f, const double* x)
{
  bool folded = false;
  for (int i = group->first; i < group->first + group->n; i++) folded = folded || a->slider[i] >= 0;
  return folded && matters(a, group, g, f, x) ? SS_CHOICE_MOTION : SS_CHOICE_FORCES;
}

// Whether joints carry what presses on a contact that rubs: how much of it the contact takes is a choice, none here,
// and its friction with it
static bool rubs_unloaded(const ss_arc* a, int i)
{
  const ss_contact_def* c = a->w->law[i];
  int T = ss_tangent_row(a, i);
  if (a->mode[i] == SS_OPEN || !ss_has_normal(c) || !(ss_mu_rest(a->w, i) > 0) || !is_fixed(a, ss_normal_row(a, i)))
    return false;
  for (int k = 0; k < ss_tangents(c); k++)
    if (!is_fixed(a, T + k)) return true;
  return false;
}

ss_choice ss_arc_choice(const ss_arc* a)
{
  ss_choice most = SS_CHOICE_NONE;
  for (int i = 0; i < a->n; i++)
    if (rubs_unloaded(a, i)) return SS_CHOICE_MOTION;
  for (int k = 0; k < a->n_islands; k++)
    if (a->group[k].loaded && a->group[k].choice > most) most = a->group[k].choice;
  return most;
}

// Contacts that cannot share their load any more end the arc. Until then they give what they can, all the same.
static void brace_for_now(ss_arc* a, int n, ss_admissible* f, double* x)
{
  double* other = a->lstsq;
  f->start = NULL;
  if (ss_admissible_nearest(f, NULL, other) <= SS_CARRIED) memcpy(x, other, sizeof(double)*(size_t)n);
}

// Of a row: what forces on its bodies, and on what M couples these with, have been, or what weights could be, 1e-3 of
// it. Where symmetry makes all terms of the row zero, or forces balance each other before they come to it, what is left
// is round-off of these.
static double background(const ss_arc* a, int row)
{
  const double *W = a->W + row*a->nv, *weight = ss_system_get(a->system)->weight;
  double sum = 0;
  for (int j = 0; j < a->nv; j++) {
    if (W[j] == 0 || !(a->root_mass[j] > 0)) continue;
    sum += fabs(W[j])*fmax(a->pull[j], weight ? weight[j] : 0)/a->root_mass[j];
  }
  return 1e-3*sum;
}

// |w . M^-1 h| <= sqrt(G_rr) sqrt(h . M^-1 h) (Cauchy, Schwarz), and of a tree of the mass m the second root is
// sqrt(m) |g| at most
double ss_weight_on_row(const ss_arc* a, int row, double g)
{
  const double *W = a->W + row*a->nv, *weight = ss_system_get(a->system)->weight;
  double most = 0;
  for (int j = 0; weight && j < a->nv; j++)
    if (W[j] != 0) most = fmax(most, weight[j]);
  return g*most;
}

// What the load of a group is a difference of, in the units of x: where a body is about to be lifted the load is
// round-off of that
static double load_size(const ss_arc* a, const ss_held* group, const double* g)
{
  double sum = 0;
  for (int i = group->first; i < group->first + group->n; i++) {
    int r = a->held[i];
    sum += pow(fmax(a->force[r]*g[i], background(a, r)/g[i]), 2);
  }
  return sqrt(sum);
}

// Which of its contacts can be strained without load. That is found when an arc begins, and is so for all of it.
static void find_strained(ss_arc* a, ss_held* group, ss_admissible* f)
{
  bool* strained = a->found;
  ss_admissible_strain(f, a->lstsq, strained);
  for (int i = 0; i < f->n_sets; i++) {
    a->set[i].strained = strained[i];
    a->strained[a->owner[group->first + a->set[i].first]] = strained[i];
  }
  group->strain_known = true;
}

// x of the group that its contacts can give, of least norm. What they cannot carry is in
// group->left. Where an arc begins that the contact laws allow although they cannot, as contacts at both sides of a
// body must brace themselves for that, they do so for all of it.
static ss_status solve_least_norm(ss_arc* a, ss_held* group, const double* g, double* A, double* x)
{
  ss_admissible f;
  ss_admissible_start start = {group->known && a->ready, a->dual + group->first};
  size_t mark = ss_arena_mark(a->arena);
  ss_status st = ss_admissible_begin(&f, group->n, A, x, describe_sets(a, group, g), a->set, a->arena);
  if (st == SS_OK && !group->strain_known) find_strained(a, group, &f);
  f.start = &start;
  if (st == SS_OK && !(group->braced && a->ready)) group->left = ss_admissible_share(&f, x);
  if (!a->ready) group->braced = group->left > SS_CARRIED || is_braced(a, group);
  if (st == SS_OK && group->braced && !a->unbalanced) group->left = ss_admissible_nearest(&f, NULL, x);
  if (f.size > 0) group->left *= f.size/fmax(f.size, load_size(a, group, g));
  group->most_left = fmax(group->most_left, group->left);
  if (st == SS_OK && a->ready && !group->braced && group->left > SS_CARRIED) brace_for_now(a, group->n, &f, x);
  if (st == SS_OK && a->unbalanced) memcpy(x, f.x, sizeof(double)*(size_t)group->n);
  if (st == SS_OK && a->weighing) group->choice = weigh(a, group, g, &f, x);
  group->known = start.known;
  if (st == SS_OK) ss_effort_spend(a, (double)f.steps*f.n*f.rank*f.rank);
  ss_arena_release(a->arena, mark);
  return st;
}

void ss_forget_shares(ss_arc* a)
{
  for (int k = 0; k < a->n_islands; k++) a->group[k].known = false;
}

void ss_forget_stages(ss_arc* a)
{
  for (int k = 0; k < a->n_islands; k++) a->group[k].most_left = 0;
}

// Y_r = L^-1 W_r and its length
static double halve(ss_arc* a, int row)
{
  double* Y = a->Y + row*a->nv;
  memcpy(Y, a->W + row*a->nv, sizeof(double)*(size_t)a->nv);
  ss_chol_solve_lower(a->nv, a->L, Y);
  return sqrt(ss_dot(a->nv, Y, Y));
}

// a->a = L^-1 (h - sum s bound w_T) with the friction that does not depend on normal forces; its rows of Y too
static void free_acceleration(ss_arc* a)
{
  memcpy(a->a, a->w->h, sizeof(double)*(size_t)a->nv);
  for (int i = 0; i < a->n; i++) {
    if (!ss_slides(a->mode[i])) continue;
    int T = ss_tangent_row(a, i);
    for (int k = 0; k < ss_tangents(a->w->law[i]); k++) {
      a->lambda[T + k] = -a->direct[2*i + k]*a->w->bound_now[i];
      ss_axpy(a->nv, a->lambda[T + k], a->W + (T + k)*a->nv, a->a);
      if (follows(a->w->law[i])) halve(a, T + k);
    }
  }
  ss_chol_solve_lower(a->nv, a->L, a->a);
}

// Of a row whose w_bar comes as a number: accelerations v^2/r of the bodies, of which it is the difference. Balls that
// swing side by side press on each other by round-off of these.
static double turning(const ss_arc* a, int row)
{
  double speed = a->w->op ? ss_row_size(a, row, a->w->at.u) : 0;
  return speed > 0 && a->extent[row] > 0 ? speed*speed/a->extent[row] : 0;
}

// The right-hand side of held row number i, and the size of its terms. What is round-off of weights where states are
// chosen is so along the arc, too: else a force would leave zero here that is zero there, over and over.
static void fill_side(ss_arc* a, int i, double g)
{
  int nv = a->nv, r = a->held[i];
  const double* Y = a->Y + r*nv;
  double faint = SS_WEIGHT_ROUND_OFF/SS_FORCE_ROUND_OFF*ss_weight_on_row(a, r, g);
  double size = fabs(a->w_bar[r]) + turning(a, r);
  a->x[i] = -(ss_dot(nv, Y, a->a) + a->w_bar[r])/g;
  for (int j = 0; j < nv; j++) size += fabs(Y[j]*a->a[j]);
  a->force[r] = fmax(fmax(size, faint), a->w->op ? background(a, r) : 0)/(g*g);
  a->load[r] = a->x[i]/g;
}

// A (n x n) of the held rows of an island, in units of their lengths g
static void fill_matrix(ss_arc* a, const ss_held* group, const double* g)
{
  int n = group->n, nv = a->nv;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int at = group->first + j;
      const double *Y = a->Y + a->held[group->first + i]*nv, *column = a->Y + a->held[at]*nv;
      double value = ss_dot(nv, Y, column);
      for (int k = 0; k < folded_rows(a, at); k++)  // tangents follow the normal
        value += a->fold[2*at + k]*ss_dot(nv, Y, column + (k + 1)*nv);
      a->A[i*n + j] = value/(g[group->first + i]*g[at]);
    }
}

// The forces of an island. Dependent rows are found at the start of an arc, and are so for all of it. Constraints that
// become dependent on the way are at a singular position (event_singular.c).
static ss_status solve_group(ss_arc* a, ss_held* group, const double* g)
{
  int n = group->n;
  double least, *A = a->A, *copy = a->A + a->row_room*a->row_room, *x = a->x + group->first;
  fill_matrix(a, group, g);
  if (group->singular) return solve_least_norm(a, group, g, A, x);
  memcpy(copy, A, sizeof(double)*(size_t)(n*n));
  group->determinant = factor(n, A, a->pivot, &least);
  group->singular = least <= REDUNDANT && !a->ready;
  if (group->singular) return solve_least_norm(a, group, g, copy, x);
  if (least <= REDUNDANT && !group->loaded) a->folded = group;
  if (least == 0 || a->folded) return SS_ERR_NUMERIC;
  solve(n, A, a->pivot, x);
  return SS_OK;
}

// Both tangents of a spatial contact have one unit: how its frame is turned must not matter
static void even_out(const ss_arc* a, double* g)
{
  for (int i = 0; i < a->n_held; i++) {
    bool pair = i + 1 < a->n_held && a->owner[i] >= 0 && a->owner[i + 1] == a->owner[i] &&
                a->held[i] > ss_normal_row(a, a->owner[i]);
    if (pair) g[i] = g[i + 1] = sqrt((g[i]*g[i] + g[i + 1]*g[i + 1])/2);
    if (!(g[i] > 0)) g[i] = 1;
  }
}

// The forces of the held rows, in units of their lengths g
static ss_status solve_held(ss_arc* a)
{
  double* g = a->x + a->row_room;
  ss_status st = SS_OK;
  a->folded = NULL;
  fold_friction(a);
  for (int i = 0; i < a->n_held; i++) g[i] = halve(a, a->held[i]);
  even_out(a, g);
  for (int i = 0; i < a->n_held; i++) fill_side(a, i, g[i]);
  for (int k = 0; k < a->n_islands && st >= 0; k++)
    if (a->group[k].n) st = solve_group(a, &a->group[k], g);
  for (int i = 0; i < a->n && !a->ready; i++)
    a->shared[i] = a->contact_island[i] >= 0 && a->group[a->contact_island[i]].singular;
  return st;
}

// lambda of all rows, and what they add to a->a; then u' = L^-T a
ss_status ss_arc_forces(ss_arc* a, double* acceleration)
{
  const double* g = a->x + a->row_room;
  memset(a->lambda, 0, sizeof(double)*(size_t)a->rows);
  free_acceleration(a);
  ss_status st = a->n_held ? solve_held(a) : SS_OK;
  if (st < 0) return st;
  for (int i = 0; i < a->n_held; i++) {
    int r = a->held[i];
    double lambda = a->x[i]/g[i];
    a->lambda[r] += lambda;
    ss_axpy(a->nv, lambda, a->Y + r*a->nv, a->a);
    for (int k = 0; k < folded_rows(a, i); k++) {
      double friction = a->fold[2*i + k]*lambda;
      a->lambda[r + 1 + k] += friction;
      ss_axpy(a->nv, friction, a->Y + (r + 1 + k)*a->nv, a->a);
    }
  }
  memcpy(acceleration, a->a, sizeof(double)*(size_t)a->nv);
  ss_chol_solve_upper(a->nv, a->L, acceleration);
  return SS_OK;
}

// Rates of the quadratures: powers, contact forces, creep
static ss_status quadratures(ss_arc* a, double* dz)
{
  const ss_system_def* d = ss_system_get(a->system);
  ss_power power = {0};
  if (a->account && d->has_power) {
    ss_status st = d->power(&a->w->at, &power);
    if (st < 0) return st;
  }
  double friction = 0;
  for (int i = 0; i < a->n; i++) {
    int T = ss_tangent_row(a, i);
    for (int k = T; ss_slides(a->mode[i]) && k < T + ss_tangents(a->w->law[i]); k++)
      friction -= a->lambda[k]*a->gamma[k];
  }
  if (a->w->force) power.drive += ss_dot(a->nv, a->w->force, a->w->at.u);
  for (int r = 0; r < a->rows; r++) {
    power.drive -= a->lambda[r]*a->w->w_hat[r];
    dz[SS_Z_ROWS + r] = a->lambda[r];
    dz[SS_Z_ROWS + a->row_room + r] = a->gamma[r];
  }
  dz[SS_Z_FORCES] = power.forces;
  dz[SS_Z_DRIVE] = power.drive;
  dz[SS_Z_FRICTION] = friction;
  return SS_OK;
}

// h, w_bar and gamma at the position last evaluated
static ss_status evaluate_motion(ss_arc* a, const double* u, double t)
{
  const ss_system_def* d = ss_system_get(a->system);
  ss_work* w = a->w;
  w->at.u = u;
  ss_status st = d->force(&w->at, w->h);
  if (st < 0) return ss_work_fail(w, st, "the forces could not be evaluated at t = %g", t);
  if (w->force) ss_axpy(a->nv, 1, w->force, w->h);
  if (w->op) w->op->row_bias(&w->at, a->w_bar);
  else if (d->n_bilateral) st = d->bilateral_bias(&w->at, a->w_bar);
  if (st >= 0 && !w->op && a->n) st = d->contact_bias(&w->at, a->w_bar + d->n_bilateral);
  if (st < 0) return ss_work_fail(w, st, "the contact accelerations could not be evaluated at t = %g", t);
  if (a->n_kink) st = d->kinks(&w->at, a->kink);
  if (st < 0) return ss_work_fail(w, st, "the kinks could not be evaluated at t = %g", t);
  for (int r = 0; r < a->rows; r++) a->gamma[r] = ss_dot(a->nv, a->W + r*a->nv, u) + w->w_hat[r];
  if (!ss_all_finite(a->nv, w->h) || !ss_all_finite(a->rows, a->w_bar))
    return ss_work_fail(w, SS_ERR_NUMERIC, "a force or a contact acceleration is not finite at t = %g", t);
  ss_slide_directions(a);
  return ss_friction_now(w, a->gamma);
}

ss_status ss_arc_evaluate(ss_arc* a, double t, const double* y)
{
  if (ss_stopped(a->stop)) return SS_ERR_STOPPED;
  ss_status st = ss_arc_place(a, t, y);
  if (st < 0) return st;
  st = evaluate_motion(a, y + a->nq, t);
  if (st != SS_ERR_NUMERIC || !ss_kinks_leave(a)) return st;
  st = ss_evaluate(a->system, a->w, y, y + a->nq, t);
  return st < 0 ? st : evaluate_motion(a, y + a->nq, t);
}

ss_status ss_arc_derivative(void* user, double t, const double* y, double* dy)
{
  ss_arc* a = user;
  const ss_operators* op = a->w->op;
  ss_effort_spend(a, ss_effort_of_forces(a));
  ss_status st = ss_arc_evaluate(a, t, y);
  if (st < 0) return st;
  st = ss_arc_forces(a, dy + a->nq);
  if (st < 0 && a->folded) return ss_fail_singular(a, a->folded->first, a->folded->n, t);
  if (st < 0) return ss_work_fail(a->w, st, "the contact forces are not determined at t = %g", t);
  if (op && op->rate) op->rate(a->w->at.user, y, y + a->nq, dy, NULL);
  else memcpy(dy, y + a->nq, sizeof(double)*(size_t)a->nv);
  return quadratures(a, dy + a->rk.n);
}

void ss_arc_problem(ss_arc* a, int m, int k)
{
  ss_work* w = a->w;
  int rows = 0, nv = a->nv;
  for (int r = 0; r < m; r++) {
    memcpy(a->P + r*nv, a->W + w->source[r]*nv, sizeof(double)*(size_t)nv);
    ss_chol_solve_lower(nv, a->L, a->P + r*nv);
  }
  ss_abt_sym(m, nv, a->P, a->P, a->G);
  for (int i = 0; i < k; i++) rows += ss_contact_rows(w->kind[i]);
  w->problem = (ss_contact_problem){.n_bilateral = m - rows, .n_contact = k, .m = m, .G = a->G, .b = w->b,
                                    .kind = w->kind, .mu = w->mu, .bound = w->bound};
}

// sum += L^-1 W Lambda of the n rows that are all of one island, with the impulses that change them by value
static void correct_island(ss_arc* a, int n, const int* row, const int* place, const double* value, double* sum)
{
  int nv = a->nv;
  double *Y = a->Y, *work = a->lstsq, *Lambda = a->lstsq + a->row_room;
  for (int i = 0; i < n; i++) {
    memcpy(Y + i*nv, a->W + row[place[i]]*nv, sizeof(double)*(size_t)nv);
    ss_chol_solve_lower(nv, a->L, Y + i*nv);
    Lambda[i] = value[place[i]];
  }
  ss_abt_sym(n, nv, Y, Y, a->A);
  int rank = ss_chol_pivoted(n, a->A, a->pivot, REDUNDANT);
  ss_chol_pivoted_solve(n, rank, a->A, a->pivot, Lambda, work);
  for (int i = 0; i < n; i++) ss_axpy(nv, Lambda[i], Y + i*nv, sum);
}

double ss_arc_correct(ss_arc* a, int n, const int* row, const double* value, double* x, bool position)
{
  int nv = a->nv, first = 0;
  double* sum = a->a;
  memset(sum, 0, sizeof(double)*(size_t)nv);
  ss_sort_by_island(a, n, row, a->order);
  for (int i = 1; i <= n; i++) {
    if (i < n && a->row_island[row[a->order[i]]] == a->row_island[row[a->order[first]]]) continue;
    correct_island(a, i - first, row, a->order + first, value, sum);
    first = i;
  }
  double length = sqrt(ss_dot(nv, sum, sum));
  ss_chol_solve_upper(nv, a->L, sum);
  if (position) ss_advance(a->w, x, sum, -1, x);
  else for (int j = 0; j < nv; j++) x[j] -= sum[j];
  return length;
}
