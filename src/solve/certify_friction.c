// The residual of frictional contact problems (friction_residual.c) with twice the digits. In the global form v follows
// from M v = H Lambda + f: M falls into parts (bodies, trees of bodies), each is factored as it stands, and the
// solution refined with residuals of twice the digits until it does not change [Higham 2002, chapter 12].
#include "base/text.h"
#include "solve/twofold.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <stickslip/certify.h>
#include <string.h>

enum { PART_MAX = 2000, ROUNDS = 20 };

typedef struct part {
  int n;            // rows
  const int* rows;  // n: which of M
  double* LU;       // n x n
  int* swap;        // n
} part;

typedef struct certifier {
  const ss_friction_problem* p;
  int n, m, n_part;
  part* parts;
  int *rows, *part_of, *place;  // n: rows part by part; part of a row and its place there
  double *x, *r;                // n
  ss_twofold *v, *v0;           // n: M v = H Lambda + f, M v0 = f
  ss_twofold *xi, *b;           // m
  double* diagonal;             // m: of G, without compliance
} certifier;

// ---- parts of M ----

// Its own: what is certified must not share code with those who solve (base/sets.h)
static int root_of(int* up, int i)
{
  while (up[i] != i) i = up[i] = up[up[i]];
  return i;
}

// Rows that M connects belong to one part. c->place serves as the forest first.
static bool find_parts(certifier* c)
{
  const ss_sparse* M = &c->p->M;
  int* up = c->place;
  for (int i = 0; i < c->n; i++) up[i] = i;
  for (int i = 0; i < c->n; i++)
    for (int e = M->start[i]; e < M->start[i + 1]; e++) up[root_of(up, i)] = root_of(up, M->col[e]);
  for (int i = 0; i < c->n; i++) c->part_of[i] = -1;
  for (int i = 0; i < c->n; i++) {
    int root = root_of(up, i);
    if (c->part_of[root] < 0) c->part_of[root] = c->n_part++;
  }
  for (int i = 0; i < c->n; i++) c->rows[i] = c->part_of[root_of(up, i)];  // the parts of all rows
  memcpy(c->part_of, c->rows, (size_t)c->n*sizeof(int));
  c->parts = calloc((size_t)c->n_part + 1, sizeof *c->parts);
  if (!c->parts) return false;
  for (int i = 0; i < c->n; i++) c->place[i] = c->parts[c->part_of[i]].n++;
  int at = 0;
  for (int k = 0; k < c->n_part; at += c->parts[k++].n) c->parts[k].rows = c->rows + at;
  for (int i = 0; i < c->n; i++) c->rows[c->parts[c->part_of[i]].rows - c->rows + c->place[i]] = i;
  return true;
}

// Gauss elimination with row exchanges; false if the part is singular
static bool eliminate(part* q)
{
  int n = q->n;
  double* A = q->LU;
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(A[i*n + k]) > fabs(A[best*n + k])) best = i;
    q->swap[k] = best;
    if (!(fabs(A[best*n + k]) > 0)) return false;
    for (int j = 0; best != k && j < n; j++) {
      double t = A[k*n + j];
      A[k*n + j] = A[best*n + j];
      A[best*n + j] = t;
    }
    for (int i = k + 1; i < n; i++) {
      double f = A[i*n + k] /= A[k*n + k];
      for (int j = k + 1; f != 0 && j < n; j++) A[i*n + j] -= f*A[k*n + j];
    }
  }
  return true;
}

static void back_solve(const part* q, double* x)
{
  int n = q->n;
  for (int k = 0; k < n; k++) {
    double t = x[q->swap[k]];
    x[q->swap[k]] = x[k];
    x[k] = t;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) x[i] -= q->LU[i*n + j]*x[j];
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) x[i] -= q->LU[i*n + j]*x[j];
    x[i] /= q->LU[i*n + i];
  }
}

static ss_status factor(certifier* c, ss_error* error)
{
  const ss_sparse* M = &c->p->M;
  for (int k = 0; k < c->n_part; k++) {
    part* q = &c->parts[k];
    size_t n = (size_t)q->n;
    if (q->n > PART_MAX)
      return ss_error_set(error, SS_ERR_CAPACITY, "a part of M has %d rows; at most %d can be certified", q->n,
                          PART_MAX);
    q->LU = calloc(n*n, sizeof(double));
    q->swap = malloc(n*sizeof(int));
    if (!q->LU || !q->swap) return ss_error_set(error, SS_ERR_MEMORY, "not enough memory to certify");
    for (int i = 0; i < q->n; i++)
      for (int e = M->start[q->rows[i]]; e < M->start[q->rows[i] + 1]; e++)
        q->LU[(size_t)i*n + (size_t)c->place[M->col[e]]] = M->value[e];
    if (!eliminate(q)) return ss_error_set(error, SS_ERR_NUMERIC, "M is singular");
  }
  return SS_OK;
}

// v = M^-1 rhs to all digits; false if refinement does not get there
static bool solve(const certifier* c, const ss_twofold* rhs, ss_twofold* v)
{
  const ss_sparse* M = &c->p->M;
  double before = INFINITY;
  for (int i = 0; i < c->n; i++) v[i] = ss_tw(0);
  for (int round = 0; round < ROUNDS; round++) {
    double change = 0;  // largest relative change, part by part
    for (int k = 0; k < c->n_part; k++) {
      const part* q = &c->parts[k];
      double largest = 0, step = 0;
      for (int i = 0; i < q->n; i++) {
        ss_twofold rest = rhs[q->rows[i]];
        for (int e = M->start[q->rows[i]]; e < M->start[q->rows[i] + 1]; e++)
          rest = ss_tw_sub(rest, ss_tw_mul(ss_tw(M->value[e]), v[M->col[e]]));
        c->x[i] = ss_tw_double(rest);
      }
      back_solve(q, c->x);
      for (int i = 0; i < q->n; i++) {
        ss_twofold* to = &v[q->rows[i]];
        *to = ss_tw_add(*to, ss_tw(c->x[i]));
        step = fmax(step, fabs(c->x[i]));
        largest = fmax(largest, fabs(to->hi));
        if (!isfinite(to->hi)) return false;
      }
      if (largest > 0) change = fmax(change, step/largest);
    }
    if (change <= 1e-28) return true;
    if (round > 1 && change > before/2) return change <= 1e-20;
    before = change;
  }
  return false;
}

// ---- the local form ----

// xi = G Lambda + b and b, both from the start
static ss_status global_rows(certifier* c, const double* Lambda, ss_error* error)
{
  const ss_friction_problem* p = c->p;
  const ss_sparse* H = &p->H;
  ss_twofold* rhs = c->xi + 2*c->m;
  if (!find_parts(c)) return ss_error_set(error, SS_ERR_MEMORY, "not enough memory to certify");
  ss_status status = factor(c, error);
  if (status < 0) return status;
  for (int i = 0; i < c->n; i++) rhs[i] = ss_tw(p->f[i]);
  bool good = solve(c, rhs, c->v0);
  for (int i = 0; i < c->n; i++)
    for (int e = H->start[i]; e < H->start[i + 1]; e++)
      rhs[i] = ss_tw_add(rhs[i], ss_tw_product(H->value[e], Lambda[H->col[e]]));
  good = good && solve(c, rhs, c->v);
  if (!good) return ss_error_set(error, SS_ERR_NUMERIC, "M is too ill-conditioned to be certified");
  for (int j = 0; j < c->m; j++) c->xi[j] = c->b[j] = ss_tw(p->w[j]);
  for (int i = 0; i < c->n; i++)
    for (int e = H->start[i]; e < H->start[i + 1]; e++) {
      int j = H->col[e];
      c->xi[j] = ss_tw_add(c->xi[j], ss_tw_mul(ss_tw(H->value[e]), c->v[i]));
      c->b[j] = ss_tw_add(c->b[j], ss_tw_mul(ss_tw(H->value[e]), c->v0[i]));
    }
  return SS_OK;
}

// G_jj = h^T M^-1 h for each column h of H. It only scales, so that the digits of double do.
static bool global_diagonal(certifier* c)
{
  const ss_sparse* H = &c->p->H;
  int *start = calloc((size_t)c->m + 2, sizeof(int)), *entry = malloc(((size_t)H->start[H->rows] + 1)*sizeof(int));
  int* row = malloc(((size_t)H->start[H->rows] + 1)*sizeof(int));
  bool good = start && entry && row;
  for (int e = 0; good && e < H->start[H->rows]; e++) start[H->col[e] + 1]++;
  for (int j = 0; good && j < c->m; j++) start[j + 1] += start[j];
  for (int i = 0; good && i < c->n; i++)
    for (int e = H->start[i]; e < H->start[i + 1]; e++) {
      row[start[H->col[e]]] = i;
      entry[start[H->col[e]]++] = e;
    }
  for (int j = 0; good && j < c->m; j++) {
    int first = j ? start[j - 1] : 0, last = start[j];
    c->diagonal[j] = 0;
    for (int e = first; e < last; e++) {
      int k = c->part_of[row[e]];
      bool done = false;
      for (int f = first; f < e; f++) done = done || c->part_of[row[f]] == k;
      if (done) continue;
      memset(c->x, 0, (size_t)c->parts[k].n*sizeof(double));
      for (int f = e; f < last; f++)
        if (c->part_of[row[f]] == k) c->x[c->place[row[f]]] = H->value[entry[f]];
      memcpy(c->r, c->x, (size_t)c->parts[k].n*sizeof(double));
      back_solve(&c->parts[k], c->x);
      for (int i = 0; i < c->parts[k].n; i++) c->diagonal[j] += c->r[i]*c->x[i];
    }
  }
  free(start);
  free(entry);
  free(row);
  return good;
}

static void local_rows(certifier* c, const double* Lambda)
{
  const ss_sparse* G = &c->p->G;
  for (int i = 0; i < c->m; i++) {
    c->xi[i] = c->b[i] = ss_tw(c->p->b[i]);
    c->diagonal[i] = 0;
    for (int e = G->start[i]; e < G->start[i + 1]; e++) {
      c->xi[i] = ss_tw_add(c->xi[i], ss_tw_product(G->value[e], Lambda[G->col[e]]));
      if (G->col[e] == i) c->diagonal[i] = G->value[e];
    }
  }
}

// ---- the law ----

// One contact: what it may do, and what it does, as velocities: L = g Lambda with g = trace G_ii, bound times g.
// Without a normal row N is 0, without friction so is T.
typedef struct contact {
  double mu;
  ss_twofold bound, L[3], xi[3];
} contact;

static ss_twofold length(const ss_twofold* x)
{
  return ss_tw_sqrt(ss_tw_add(ss_tw_mul(x[1], x[1]), ss_tw_mul(x[2], x[2])));
}

static double size_of(ss_twofold x) { return ss_tw_double(ss_tw_abs(x)); }

// |L_T - c (L_T - xi_T)|. Where c = 1 that is |xi_T|, without a subtraction.
static ss_twofold tangential_gap(const contact* c, const ss_twofold* y, const ss_twofold* share)
{
  ss_twofold d[3] = {{0, 0}, c->xi[1], c->xi[2]};
  for (int i = 1; share && i < 3; i++) d[i] = ss_tw_sub(c->L[i], ss_tw_mul(*share, y[i]));
  return length(d);
}

// mu x, or the largest number if that overflows
static ss_twofold mu_times(double mu, ss_twofold x)
{
  return isfinite(mu*x.hi) ? ss_tw_mul(ss_tw(mu), x) : ss_tw(copysign(DBL_MAX/4, x.hi));
}

// |L - P_K(L - xi^)|, xi^ = xi + mu |xi_T| e_N, K = { N >= 0, |T| <= mu N + bound }. P_K(y), y_N = a - mu s with s =
// |xi_T|, has the normal part (a + mu (|y_T| - bound - s))/(1 + mu^2), all of it divided by mu where that is large.
static double map_gap(const contact* c, const ss_twofold* y)
{
  double mu = c->mu;
  ss_twofold s = length(c->xi), t = length(y), a = y[0], rest = ss_tw_sub(ss_tw_sub(t, c->bound), s);
  ss_twofold raised = ss_tw_sub(a, mu_times(mu, s)), side = ss_tw_add(mu_times(mu, raised), c->bound), n, d;
  if (raised.hi >= 0 && !ss_tw_less(side, t))
    return hypot(size_of(ss_tw_add(c->xi[0], mu_times(mu, s))), size_of(tangential_gap(c, y, NULL)));
  ss_twofold inverse = mu > 1 ? ss_tw_div(ss_tw(1), ss_tw(mu)) : ss_tw(0);
  if (mu > 1) n = ss_tw_div(ss_tw_add(ss_tw_mul(a, inverse), rest), ss_tw_add(ss_tw(mu), inverse));
  else n = ss_tw_div(ss_tw_add(a, ss_tw_mul(ss_tw(mu), rest)), ss_tw_add(ss_tw(1), ss_tw_product(mu, mu)));
  if (n.hi < 0) n = ss_tw(0);
  ss_twofold limit = ss_tw_add(mu_times(mu, n), c->bound);
  bool beyond = ss_tw_less(limit, t);
  ss_twofold share = beyond ? ss_tw_div(limit, t) : ss_tw(1);
  d = ss_tw_sub(c->L[0], n);
  return hypot(size_of(d), size_of(tangential_gap(c, y, beyond ? &share : NULL)));
}

// The largest of that, of |min(L_N, xi_N)| and of |L_T - P(L_T - xi_T)|, P onto the disk with the radius that the
// normal impulse gives. INFINITY if a number is not finite.
static double violation(const contact* c)
{
  ss_twofold y[3];
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    y[i] = ss_tw_sub(c->L[i], c->xi[i]);
    sum += size_of(y[i]) + size_of(c->L[i]) + size_of(c->xi[i]);
  }
  if (!(sum <= 1e150)) return INFINITY;  // squares would overflow
  ss_twofold load = c->L[0].hi > 0 ? c->L[0] : ss_tw(0), radius = ss_tw_add(mu_times(c->mu, load), c->bound);
  ss_twofold t = length(y), share = ss_tw(1);
  bool beyond = ss_tw_less(radius, t);
  if (beyond) share = ss_tw_div(radius, t);
  double normal = size_of(ss_tw_less(c->L[0], c->xi[0]) ? c->L[0] : c->xi[0]), map = map_gap(c, y);
  double disk = size_of(tangential_gap(c, y, beyond ? &share : NULL));
  if (!(map <= DBL_MAX && normal <= DBL_MAX && disk <= DBL_MAX)) return INFINITY;
  return fmax(map, fmax(normal, disk));
}

// The traces of all blocks with compliance, and compliance itself into xi; returns the largest
static double soften(const certifier* c, const double* Lambda, double* trace)
{
  const ss_friction_problem* p = c->p;
  int row = p->n_bilateral, block = p->dim == 3 ? 3 : 2;
  double largest = 0, sum = 0;
  for (int k = 0; k < p->n_contact; k++)
    if (ss_friction_kind(p, k) == SS_CONTACT_SPATIAL) block = 3;
  for (int i = 0; i < p->n_bilateral; i++) {
    sum = i%block ? sum + c->diagonal[i] : c->diagonal[i];
    largest = fmax(largest, sum);
  }
  for (int k = 0; k < p->n_contact; k++) {
    int rows = ss_contact_rows(ss_friction_kind(p, k));
    trace[k] = 0;
    for (int i = row; i < row + rows; i++) trace[k] += c->diagonal[i];
    double soft = p->kappa*trace[k];
    for (int i = row; soft > 0 && i < row + rows; i++) c->xi[i] = ss_tw_add(c->xi[i], ss_tw_product(soft, Lambda[i]));
    trace[k] += rows*soft;
    largest = fmax(largest, trace[k]);
    row += rows;
  }
  return largest;
}

// A number of about the size of 1/x, a power of two
static double power_near(double x)
{
  int e = 0;
  if (x > 0 && isfinite(x)) frexp(x, &e);
  return ldexp(1, -(e > 1000 ? 1000 : e < -1000 ? -1000 : e));
}

static ss_twofold times(ss_twofold x, double power) { return (ss_twofold){x.hi*power, x.lo*power}; }

// What violations are relative to: the largest |b|, or what the impulses do if b = 0. NaN if a number is not finite.
static double size_of_data(const certifier* c, const double* Lambda)
{
  double scale = 0, other = 0;
  for (int i = 0; i < c->m; i++) {
    scale = fmax(scale, size_of(c->b[i]));
    other = fmax(other, size_of(c->xi[i]));
    if (!isfinite(ss_tw_double(c->xi[i])) || !isfinite(ss_tw_double(c->b[i])) || !isfinite(Lambda[i])) return NAN;
  }
  return scale > 0 ? scale : other;
}

// All velocities are taken times a power of two that makes the data about 1
static double measure(const certifier* c, const double* Lambda, double* trace)
{
  const ss_friction_problem* p = c->p;
  double largest = soften(c, Lambda, trace), worst = 0, scale = size_of_data(c, Lambda), size = scale;
  int row = p->n_bilateral;
  if (!isfinite(scale) || !isfinite(largest)) return INFINITY;
  for (int i = 0; scale == 0 && i < c->m; i++) size = fmax(size, largest*fabs(Lambda[i]));  // nothing moves
  double power = power_near(size);
  for (int i = 0; i < p->n_bilateral; i++) worst = fmax(worst, size_of(c->xi[i])*power);
  for (int k = 0; k < p->n_contact; k++) {
    ss_contact_kind kind = ss_friction_kind(p, k);
    bool normal = kind == SS_CONTACT_NORMAL, element = kind == SS_CONTACT_FRICTION;
    double g = trace[k] > 0 ? trace[k] : largest > 0 ? largest : 1, bound = normal || !p->bound ? 0 : p->bound[k];
    contact q = {.mu = normal || element ? 0 : p->mu[k],
                 .bound = g*bound*power < 1e200 ? times(ss_tw_product(g, bound), power) : ss_tw(1e200)};
    for (int i = 0; i < ss_contact_rows(kind); i++, row++) {
      q.L[element + i] = times(ss_tw_product(g, Lambda[row]), power);
      q.xi[element + i] = times(c->xi[row], power);
    }
    worst = fmax(worst, violation(&q));  // never NaN
  }
  return worst == 0 ? 0 : worst/(scale*power);
}

static void free_certifier(certifier* c)
{
  for (int k = 0; k < c->n_part && c->parts; k++) {
    free(c->parts[k].LU);
    free(c->parts[k].swap);
  }
  free(c->parts);
  free(c->rows);
  free(c->xi);
}

ss_status ss_friction_certify(const ss_friction_problem* p, const double* Lambda, double* residual, ss_error* error)
{
  if (!p || !Lambda || !residual) return ss_error_null(error, "the problem, the impulses or the result");
  ss_status status = ss_friction_validate(p, error);
  if (status < 0) return status;
  certifier c = {.p = p, .n = p->global ? p->M.rows : 0, .m = ss_friction_rows(p)};
  size_t n = (size_t)c.n, m = (size_t)c.m, k = (size_t)p->n_contact;
  c.rows = malloc((3*n + 1)*sizeof(int));
  c.xi = malloc((2*m + 3*n + 1)*sizeof(ss_twofold) + (m + 2*n + k)*sizeof(double));  // xi, b, a right-hand side, v, v0
  if (!c.rows || !c.xi) {
    free_certifier(&c);
    return ss_error_set(error, SS_ERR_MEMORY, "not enough memory to certify");
  }
  c.part_of = c.rows + n;
  c.place = c.rows + 2*n;
  c.b = c.xi + m;
  c.v = c.xi + 2*m + n;
  c.v0 = c.v + n;
  c.diagonal = (double*)(c.v0 + n);
  c.x = c.diagonal + m;
  c.r = c.x + n;
  if (!p->global) local_rows(&c, Lambda);
  else {
    status = global_rows(&c, Lambda, error);
    if (status >= 0 && !global_diagonal(&c))
      status = ss_error_set(error, SS_ERR_MEMORY, "not enough memory to certify");
  }
  if (status >= 0) *residual = measure(&c, Lambda, c.r + n);
  free_certifier(&c);
  return status;
}
