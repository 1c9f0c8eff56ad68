// What Newton-like methods do with a prepared problem: factors and steps.
#include "solve/friction_products.h"
#include <math.h>

enum { ROW = 8 };  // the longest stride

// ---- factors ----

// C = A B, A by columns, B and C by rows
SS_INLINE void product(int dim, int row, const double* A, const double* B, double* C)
{
  if (row == 4)
    for (int i = 0; i < dim; i++) {
      ss_v4 sum = SS_V4C(B)*A[i];
      for (int c = 1; c < dim; c++) sum += SS_V4C(B + c*row)*A[c*row + i];
      SS_V4(C + i*row) = sum;
    }
  else
    for (int i = 0; i < dim; i++)
      for (int j = 0; j < dim; j++) C[i*row + j] = A[i]*B[j] + A[row + i]*B[row + j];
}

// 1 + G K
SS_INLINE void assemble_G(ss_friction_space* s, int dim)
{
  int row = ss_friction_row(dim);
  size_t size = (size_t)(dim*row);
  for (int k = 0; k < s->k; k++) {
    for (int e = s->start[k]; e < s->start[k + 1]; e++)
      product(dim, row, s->value + (size_t)e*size, s->K + (size_t)s->col[e]*size,
              s->lu->value + (size_t)s->place[e]*size);
    double* diagonal = s->lu->value + (size_t)s->lu->diagonal[s->lu->place[k]]*size;
    for (int i = 0; i < dim; i++) diagonal[i*row + i] += 1;
  }
}

// C += A^T B, A and B have dim rows
SS_INLINE void add_gram(int dim, int body, int n, const double* A, const double* B, double* C)
{
  for (int i = 0; i < body; i++)
    for (int j = 0; j < n; j += 4) {
      ss_v4 sum = SS_V4C(C + i*n + j);
      for (int c = 0; c < dim; c++) sum += SS_V4C(B + c*n + j)*A[c*n + i];
      SS_V4(C + i*n + j) = sum;
    }
}

// 1 + J^T K J
SS_INLINE void assemble_J(ss_friction_space* s, int dim, int body)
{
  int n = ss_friction_row(body), row = ss_friction_row(dim);
  size_t nn = (size_t)(body*n), size = (size_t)(dim*n);
  const int* place = s->place;
  for (int b = 0; b < s->n_body; b++)
    for (int i = 0; i < body; i++) s->lu->value[(size_t)s->lu->diagonal[b]*nn + (size_t)(i*n + i)] = 1;
  for (int k = 0; k < s->k; k++) {
    const double* K = s->K + (size_t)(k*dim*row);
    int first = s->start[k], count = s->start[k + 1] - first;
    bool open = true;
    for (int c = 0; c < dim*row; c++) open = open && K[c] == 0;
    for (int f = 0; !open && f < count; f++) {
      double KJ[3*ROW] = {0};
      const double* J = s->value + (size_t)(first + f)*size;
      for (int i = 0; i < dim; i++)
        for (int c = 0; c < dim; c++)
          for (int j = 0; j < n; j++) KJ[i*n + j] += K[i*row + c]*J[c*n + j];
      for (int e = 0; e < count; e++)
        add_gram(dim, body, n, s->value + (size_t)(first + e)*size, KJ, s->lu->value + (size_t)place[e*count + f]*nn);
    }
    place += count*count;
  }
}

SS_CLONES static void assemble_J3(ss_friction_space* s) { assemble_J(s, 3, 6); }
SS_CLONES static void assemble_J2(ss_friction_space* s) { assemble_J(s, 2, 3); }
SS_CLONES static void assemble_G3(ss_friction_space* s) { assemble_G(s, 3); }
SS_CLONES static void assemble_G2(ss_friction_space* s) { assemble_G(s, 2); }

bool ss_invert_small(int dim, double* A)
{
  double a[9], det;
  memcpy(a, A, (size_t)(dim*dim)*sizeof *a);
  if (dim == 2) {
    det = a[0]*a[3] - a[1]*a[2];
    A[0] = a[3]/det;
    A[1] = -a[1]/det;
    A[2] = -a[2]/det;
    A[3] = a[0]/det;
    return det != 0 && isfinite(det);
  }
  det = 0;
  for (int j = 0; j < 3; j++) det += a[j]*(a[3 + (j + 1)%3]*a[6 + (j + 2)%3] - a[3 + (j + 2)%3]*a[6 + (j + 1)%3]);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      int r = (j + 1)%3, t = (j + 2)%3, c = (i + 1)%3, d = (i + 2)%3;
      A[i*3 + j] = (a[r*3 + c]*a[t*3 + d] - a[r*3 + d]*a[t*3 + c])/det;
    }
  return det != 0 && isfinite(det);
}

// Lambda+ = Lambda0 - K (eta + soft Lambda+) with eta the velocity of the rigid law: T = (1 + soft K)^-1, K becomes T K
static bool soften(const ss_friction_space* s, int k, const double* K, double* out)
{
  int dim = s->dim, row = ss_friction_row(dim);
  double* T = s->T + (size_t)(k*dim*dim);
  for (int e = 0; e < dim*dim; e++) T[e] = s->soft[k]*K[e] + (e%(dim + 1) == 0);
  if (!ss_invert_small(dim, T)) return false;
  for (int i = 0; i < dim; i++)
    for (int j = 0; j < dim; j++) {
      double sum = 0;
      for (int c = 0; c < dim; c++) sum += T[i*dim + c]*K[c*dim + j];
      out[i*row + j] = sum;
    }
  return true;
}

static bool take_K(ss_friction_space* s, const double* K)
{
  int dim = s->dim, row = ss_friction_row(dim);
  for (int k = 0; k < s->k; k++) {
    const double* from = K + (size_t)(k*dim*dim);
    double* to = s->K + (size_t)(k*dim*row);
    if (s->soft[k] > 0 && !soften(s, k, from, to)) return false;
    for (int i = 0; s->soft[k] == 0 && i < dim; i++)
      for (int j = 0; j < dim; j++) to[i*row + j] = from[i*dim + j];
  }
  return true;
}

bool ss_friction_factor(ss_friction_space* s, const double* K)
{
  if (!s->lu || !take_K(s, K)) return false;
  ss_block_lu_clear(s->lu);
  s->lu->stop = s->stop;
  if (s->body) (s->dim == 3 ? assemble_J3 : assemble_J2)(s);
  else (s->dim == 3 ? assemble_G3 : assemble_G2)(s);
  s->factors++;
  return ss_block_lu_factor(s->lu);
}

// ---- step ----

// What a step is made from: K by rows of `row` numbers, Lambda, xi, Lambda0; and where it goes
typedef struct ends {
  const double *K, *Lambda, *xi, *Lambda0;
  int row;
  double* plus;
} ends;

// plus = T Lambda0 - K eta and d = plus - Lambda, both m, with eta the velocity of the rigid law
SS_INLINE void start_step(const ss_friction_space* s, int dim, const ends* at, double* d)
{
  const double *Lambda = at->Lambda, *xi = at->xi, *Lambda0 = at->Lambda0;
  double* plus = at->plus;
  for (int k = 0; k < s->k; k++) {
    double eta[3], target[3] = {0}, minus[3] = {0};
    for (int i = 0; i < dim; i++) {
      eta[i] = xi[k*dim + i] - s->soft[k]*Lambda[k*dim + i];
      target[i] = s->soft[k] > 0 ? 0 : Lambda0[k*dim + i];
    }
    if (s->soft[k] > 0) ss_add_small(dim, dim, s->T + (size_t)(k*dim*dim), Lambda0 + k*dim, target);
    ss_add_small(dim, at->row, at->K + (size_t)(k*dim*at->row), eta, minus);
    for (int i = 0; i < dim; i++) {
      plus[k*dim + i] = target[i] - minus[i];
      d[k*dim + i] = plus[k*dim + i] - Lambda[k*dim + i];
    }
  }
}

SS_INLINE void finish_step(const ss_friction_space* s, int dim, const double* dxi, double* plus)
{
  int row = ss_friction_row(dim);
  for (int k = 0; k < s->k; k++) {
    double change[3] = {0};
    ss_add_small(dim, row, s->K + (size_t)(k*dim*row), dxi + k*dim, change);
    for (int i = 0; i < dim; i++) plus[k*dim + i] -= change[i];
  }
}

// One step of iterative refinement of (1 + J^T K J) x = v; d: m numbers of scratch. The factors have explicit inverses
// of their diagonal blocks, which cost half of the digits where K is large.
SS_INLINE void refine(ss_friction_space* s, int dim, int body, double* d, double* x)
{
  int n = ss_friction_row(body), row = ss_friction_row(dim);
  double* y = s->work3;
  for (int i = 0; i < s->n_body; i++)
    for (int c = 0; c < n; c++) y[i*n + c] = c < body ? x[i*body + c] : 0;
  ss_multiply_J(s, dim, n, y, d);
  for (int k = 0; k < s->k; k++) {
    double Kd[3] = {0};
    ss_add_small(dim, row, s->K + (size_t)(k*dim*row), d + k*dim, Kd);
    for (int i = 0; i < dim; i++) d[k*dim + i] = Kd[i];
  }
  ss_multiply_Jt(s, dim, n, d, y);
  for (int i = 0; i < s->n_body; i++)  // what is left, without padding
    for (int c = 0; c < body; c++) y[i*body + c] = s->v[i*n + c] - x[i*body + c] - y[i*n + c];
  ss_block_lu_solve(s->lu, y);
  for (int i = 0; i < s->n_body*body; i++) x[i] += y[i];
}

// dxi = J (1 + J^T K J)^-1 J^T d
SS_INLINE void solve_bodies(ss_friction_space* s, int dim, int body, double* d)
{
  int n = ss_friction_row(body);
  double *v = s->v, *x = s->work2;
  ss_multiply_Jt(s, dim, n, d, v);
  for (int i = 0; i < s->n_body; i++)
    for (int c = 0; c < body; c++) x[i*body + c] = v[i*n + c];
  ss_block_lu_solve(s->lu, x);
  refine(s, dim, body, d, x);
  for (int i = 0; i < s->n_body; i++)
    for (int c = 0; c < body; c++) v[i*n + c] = x[i*body + c];
  ss_multiply_J(s, dim, n, v, d);
}

SS_INLINE void step(ss_friction_space* s, int dim, int body, const ends* at)
{
  double *d = s->work, *x = s->work2;
  start_step(s, dim, at, d);
  if (body) {
    solve_bodies(s, dim, body, d);
    finish_step(s, dim, d, at->plus);
  } else {
    ss_multiply_G(s, dim, d, x);
    ss_block_lu_solve(s->lu, x);
    finish_step(s, dim, x, at->plus);
  }
}

SS_CLONES static void step_J3(ss_friction_space* s, const ends* at) { step(s, 3, 6, at); }
SS_CLONES static void step_J2(ss_friction_space* s, const ends* at) { step(s, 2, 3, at); }
SS_CLONES static void step_G3(ss_friction_space* s, const ends* at) { step(s, 3, 0, at); }
SS_CLONES static void step_G2(ss_friction_space* s, const ends* at) { step(s, 2, 0, at); }

static void step_between(ss_friction_space* s, const ends* at)
{
  if (s->body) (s->dim == 3 ? step_J3 : step_J2)(s, at);
  else (s->dim == 3 ? step_G3 : step_G2)(s, at);
}

void ss_friction_step(ss_friction_space* s, const double* Lambda, const double* xi, const double* Lambda0, double* plus)
{
  step_between(s, &(ends){s->K, Lambda, xi, Lambda0, ss_friction_row(s->dim), plus});
}

void ss_friction_chord(ss_friction_space* s, const double* K, const double* Lambda, const double* xi,
                       const double* Lambda0, double* plus)
{
  step_between(s, &(ends){K, Lambda, xi, Lambda0, s->dim, plus});
}
