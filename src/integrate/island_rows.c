// Rows of islands of velocity space: which of them rest, which of those depend on no others, their entries of G.
#include "integrate/island_rows.h"
#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "solve/friction_cone.h"

#define SLOW 1e-10     // of the largest |b|: velocities up to this may be none
#define CLEARLY 1e-6   // of the square of a row: it is independent by far
enum { FEW_BLOCKS = 8 };  // of velocities: rows are written out

static bool is_closed(const ss_friction_blocks* b, int c)
{
  const double *Lambda = b->run.Lambda + c*SS_BLOCK_ROWS, *xi = b->run.xi + c*SS_BLOCK_ROWS;
  return !b->space.layout.element[c] && (Lambda[0] > 0 || xi[0] <= SLOW*b->space.scale);
}

static bool has_friction(const ss_friction_blocks* b, int c)
{
  return b->space.layout.count[c] + b->space.layout.element[c] > 1 &&
         (b->bound[c] > 0 || (b->mu[c] > 0 && is_closed(b, c)));
}

bool ss_block_slides(const ss_friction_blocks* b, int c)
{
  return c >= b->space.n_free && has_friction(b, c) &&
         ss_tangential(SS_BLOCK_ROWS, b->run.xi + c*SS_BLOCK_ROWS) > SLOW*b->space.scale;
}

// ---- which ones ----

// Those of contacts that slide, or of all else. Returns how many there are with them.
static int add_rows(const ss_friction_blocks* b, bool sliding, ss_block_row* out, int n)
{
  const ss_friction_space* p = &b->space;
  for (int c = 0; c < p->k; c++) {
    int first = p->layout.element[c], end = first + p->layout.count[c];
    if (ss_block_slides(b, c) != sliding) continue;
    bool all = c < p->n_free || has_friction(b, c);
    for (int k = first; k < end && !sliding; k++)
      if (k == 0 && c >= p->n_free ? is_closed(b, c) : all) out[n++] = (ss_block_row){c, k};
    if (sliding && is_closed(b, c)) out[n++] = (ss_block_row){c, 0};
  }
  return n;
}

int ss_block_rows_rest(const ss_friction_blocks* b, ss_block_row* out, int* still)
{
  *still = add_rows(b, false, out, 0);
  return add_rows(b, true, out, *still);
}

// ---- rows that depend on no others ----

static const double* numbers_in(const ss_friction_space* p, ss_block_row r, int body)
{
  for (int e = p->start[r.group]; e < p->start[r.group + 1]; e++)
    if (p->col[e] == body) return p->value + (size_t)e*SS_BLOCK_NUMBERS + r.k*SS_BLOCK_STRIDE;
  return NULL;
}

static double square_of(const ss_friction_space* p, ss_block_row r)
{
  double sum = 0;
  for (int e = p->start[r.group]; e < p->start[r.group + 1]; e++) {
    const double* J = p->value + (size_t)e*SS_BLOCK_NUMBERS + r.k*SS_BLOCK_STRIDE;
    for (int q = 0; q < SS_BLOCK_SIZE; q++) sum += J[q]*J[q];
  }
  return sum;
}

// One row more for the orthonormal basis Q of `have`; false if it depends on them, or has nearly nothing in this block
static bool extends(const double* J, double square, int have, double Q[][SS_BLOCK_SIZE])
{
  double* v = Q[have];
  memcpy(v, J, sizeof Q[0]);
  for (int i = 0; i < have; i++) ss_axpy(SS_BLOCK_SIZE, -ss_dot(SS_BLOCK_SIZE, Q[i], v), Q[i], v);
  double left = ss_dot(SS_BLOCK_SIZE, v, v);
  if (!(left > CLEARLY*square)) return false;
  for (int q = 0; q < SS_BLOCK_SIZE; q++) v[q] /= sqrt(left);
  return true;
}

// All rows that are left with these velocities are independent there
static bool is_free(const ss_friction_space* p, int n, const ss_block_row* rows, int body)
{
  double Q[SS_BLOCK_SIZE][SS_BLOCK_SIZE];
  int have = 0;
  for (int i = 0; i < n; i++) {
    const double* J = numbers_in(p, rows[i], body);
    if (!J) continue;
    if (have == SS_BLOCK_SIZE || !extends(J, square_of(p, rows[i]), have, Q)) return false;
    have++;
  }
  return have > 0;
}

static int leave_out(const ss_friction_space* p, int n, ss_block_row* rows, int body, int* still)
{
  int left = 0, before = *still;
  for (int i = 0; i < n; i++) {
    if (numbers_in(p, rows[i], body)) *still -= i < before;
    else rows[left++] = rows[i];
  }
  return left;
}

int ss_block_rows_peel(const ss_friction_space* p, int n, ss_block_row* rows, int* still)
{
  for (int body = 0, since = 0; since < p->n_body && n; body = (body + 1)%p->n_body, since++) {
    if (!is_free(p, n, rows, body)) continue;
    n = leave_out(p, n, rows, body, still);
    since = 0;
  }
  return n;
}

// ---- entries of G ----

static double product(const ss_friction_space* p, ss_block_row a, ss_block_row b)
{
  double sum = 0;
  for (int e = p->start[a.group]; e < p->start[a.group + 1]; e++)
    for (int f = p->start[b.group]; f < p->start[b.group + 1]; f++) {
      if (p->col[e] != p->col[f]) continue;
      const double* J = p->value + (size_t)e*SS_BLOCK_NUMBERS + a.k*SS_BLOCK_STRIDE;
      const double* H = p->value + (size_t)f*SS_BLOCK_NUMBERS + b.k*SS_BLOCK_STRIDE;
      for (int q = 0; q < SS_BLOCK_SIZE; q++) sum += J[q]*H[q];
    }
  return sum;
}

// The rows with all their velocities, n_body blocks each
static void spread(const ss_friction_space* p, int n, const ss_block_row* rest, double* J)
{
  int width = p->n_body*SS_BLOCK_SIZE;
  memset(J, 0, sizeof(double)*(size_t)(n*width));
  for (int i = 0; i < n; i++)
    for (int e = p->start[rest[i].group]; e < p->start[rest[i].group + 1]; e++)
      memcpy(J + i*width + p->col[e]*SS_BLOCK_SIZE,
             p->value + (size_t)e*SS_BLOCK_NUMBERS + rest[i].k*SS_BLOCK_STRIDE, sizeof(double[SS_BLOCK_SIZE]));
}

size_t ss_block_rows_spread(const ss_friction_space* p, int m)
{
  return p->n_body <= FEW_BLOCKS ? (size_t)(p->n_body*SS_BLOCK_SIZE)*(size_t)m : 0;
}

void ss_block_rows_G(const ss_friction_space* p, int n, const ss_block_row* rows, double* J, double* A)
{
  bool few = p->n_body <= FEW_BLOCKS;
  if (few) {
    spread(p, n, rows, J);
    ss_abt_sym(n, p->n_body*SS_BLOCK_SIZE, J, J, A);
  }
  for (int i = 0; i < n && !few; i++)
    for (int j = 0; j <= i; j++) A[i*n + j] = product(p, rows[i], rows[j]);
}
