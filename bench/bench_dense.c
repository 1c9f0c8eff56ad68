// Our dense kernels against OpenBLAS on one thread, n = 2 ... 128. The two sides take turns, so that a slower or faster
// moment of the machine hits both; medians of the turns are printed, in nanoseconds, and their ratio (above 1: ours).
// Above its crossover (marked *) a kernel of ours calls the library itself.
#include "clock.h"
#include "math/dense.h"
#include <cblas.h>
#include <lapacke.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void openblas_set_num_threads(int n);  // no header of ours declares it; part of every OpenBLAS

enum { MAX = 128, TURNS = 41 };

static double A[MAX*MAX], S[MAX*MAX], W[MAX*MAX], C[MAX*MAX], x[MAX], y[MAX];
static int piv[MAX], lapack_piv[MAX];
static volatile double sink;

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9*(double)t.tv_sec + (double)t.tv_nsec;
}

// ---- the two sides; both factorisations pay for the same copy ----

static void our_dot(int n) { sink = ss_dot(n, A, S); }
static void blas_dot(int n) { sink = cblas_ddot(n, A, 1, S, 1); }
static void our_gemv(int n) { ss_gemv(n, n, A, x, y); }
static void blas_gemv(int n) { cblas_dgemv(CblasRowMajor, CblasNoTrans, n, n, 1, A, n, x, 1, 0, y, 1); }
static void our_gemv_t(int n) { ss_gemv_t(n, n, A, x, y); }
static void blas_gemv_t(int n) { cblas_dgemv(CblasRowMajor, CblasTrans, n, n, 1, A, n, x, 1, 0, y, 1); }
static void our_abt(int n) { ss_abt(n, n, n, A, S, C); }
static void blas_abt(int n)
{
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n, n, 1, A, n, S, n, 0, C, n);
}
static void our_abt_sym(int n) { ss_abt_sym(n, n, A, A, C); }

static void our_chol(int n)
{
  memcpy(W, S, sizeof(double)*(size_t)(n*n));
  ss_chol_factor(n, W);
}

static void blas_chol(int n)
{
  int info;
  memcpy(W, S, sizeof(double)*(size_t)(n*n));
  LAPACK_dpotrf("U", &n, W, &n, &info);
}

static void our_lu(int n)
{
  memcpy(W, A, sizeof(double)*(size_t)(n*n));
  ss_lu_factor(n, W, piv);
}

static void blas_lu(int n)
{
  int info;
  memcpy(W, A, sizeof(double)*(size_t)(n*n));
  LAPACK_dgetrf(&n, &n, W, &n, lapack_piv, &info);
}

// The solves work on the factors that our_chol() or our_lu() and blas_lu() left behind (prepare() below).
static double chol[MAX*MAX], lu[MAX*MAX], lapack_lu[MAX*MAX];

static void our_chol_solve(int n)
{
  memcpy(y, x, sizeof(double)*(size_t)n);
  ss_chol_solve(n, chol, y);
}

static void blas_chol_solve(int n)
{
  int one = 1, info;
  memcpy(y, x, sizeof(double)*(size_t)n);
  LAPACK_dpotrs("U", &n, &one, chol, &n, y, &n, &info);
}

static void our_lu_solve(int n)
{
  memcpy(y, x, sizeof(double)*(size_t)n);
  ss_lu_solve(n, lu, piv, y);
}

static void blas_lu_solve(int n)
{
  int one = 1, info;
  memcpy(y, x, sizeof(double)*(size_t)n);
  LAPACK_dgetrs("T", &n, &one, lapack_lu, &n, lapack_piv, y, &n, &info);
}

typedef struct kernel {
  const char* name;
  int crossover;
  void (*ours)(int n);
  void (*blas)(int n);
} kernel;

static const kernel kernels[] = {
  {"dot", SS_BLAS_DOT, our_dot, blas_dot},
  {"gemv", SS_BLAS_GEMV, our_gemv, blas_gemv},
  {"gemv^T", SS_BLAS_GEMV_T, our_gemv_t, blas_gemv_t},
  {"A B^T", SS_BLAS_ABT, our_abt, blas_abt},
  {"A B^T symmetric", SS_BLAS_ABT_SYM, our_abt_sym, blas_abt},
  {"Cholesky", SS_BLAS_CHOL, our_chol, blas_chol},
  {"Cholesky solve", SS_BLAS_CHOL_SOLVE, our_chol_solve, blas_chol_solve},
  {"LU", SS_BLAS_LU, our_lu, blas_lu},
  {"LU solve", SS_BLAS_LU, our_lu_solve, blas_lu_solve},
};

static void prepare(int n)
{
  for (int i = 0; i < n*n; i++) A[i] = (double)rand()/RAND_MAX - 0.5;
  for (int i = 0; i < n; i++) {
    x[i] = (double)rand()/RAND_MAX;
    for (int j = 0; j < n; j++) S[i*n + j] = 0.5*(A[i*n + j] + A[j*n + i]) + (i == j)*n;
  }
  our_chol(n);
  memcpy(chol, W, sizeof W);
  our_lu(n);
  memcpy(lu, W, sizeof W);
  blas_lu(n);
  memcpy(lapack_lu, W, sizeof W);
}

static double per_call(void (*f)(int), int n, int calls)
{
  double start = now();
  for (int i = 0; i < calls; i++) f(n);
  return (now() - start)/calls;
}

static void compare(const kernel* k, int n)
{
  double ours[TURNS], blas[TURNS];
  int calls = 1 + (int)(20000/(per_call(k->blas, n, 10) + 20));  // about 20 us a turn
  for (int t = 0; t < TURNS; t++) {
    ours[t] = per_call(k->ours, n, calls);
    blas[t] = per_call(k->blas, n, calls);
  }
  qsort(ours, TURNS, sizeof *ours, ascending);
  qsort(blas, TURNS, sizeof *blas, ascending);
  double a = ours[TURNS/2], b = blas[TURNS/2];
  printf(" %7.0f %7.0f %5.2f%s |", a, b, b/a, n >= k->crossover ? "*" : " ");
}

int main(void)
{
  static const int sizes[] = {2, 3, 4, 6, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64, 96, 128};
  const int n_sizes = sizeof sizes/sizeof *sizes, n_kernels = sizeof kernels/sizeof *kernels;
  openblas_set_num_threads(1);
  printf("ns per call: ours, OpenBLAS, ratio (above 1: ours is faster); * = above our crossover\n\n  n |");
  for (int k = 0; k < n_kernels; k++) printf(" %-22s |", kernels[k].name);
  printf("\n");
  for (int s = 0; s < n_sizes; s++) {
    prepare(sizes[s]);
    printf("%3d |", sizes[s]);
    for (int k = 0; k < n_kernels; k++) compare(&kernels[k], sizes[s]);
    printf("\n");
    fflush(stdout);
  }
  return 0;
}
