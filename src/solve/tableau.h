// The tableau of Lemke's method and the path that it follows.
#ifndef SS_SOLVE_TABLEAU_H
#define SS_SOLVE_TABLEAU_H

#include <stickslip/lcp.h>

/// Where a path ends.
typedef enum ss_path {
  SS_PATH_SOLVED,  ///< the artificial variable has left: the basis is complementary
  SS_PATH_RAY,     ///< nothing blocks the entering variable
  SS_PATH_LIMIT,   ///< pivots used up
} ss_path;

/// Basic variables as affine functions of the nonbasic ones:  basic = rhs + T nonbasic.
/// Variables are numbered x_0 .. x_n-1, y_0 .. y_n-1, z (the artificial one, number 2n). The LCP is scaled by powers of
/// two,
///   row_i a_ij col_j,  row_i b_i beta,  x_j = col_j x^_j/beta,
/// which rounds nothing and makes tolerances independent of units.
/// Vectors over rows and the columns of T have `stride` entries, n rounded up to a multiple of four; the rest is zero.
typedef struct ss_tableau {
  int n;              ///< unknowns
  int stride;         ///< see above
  const volatile int* stop;  ///< NULL, or what ends a path
  double* T;          ///< n + 1 columns
  double* rhs;        ///< the column behind them
  double* b;          ///< the scaled b, its largest entry in [1, 2)
  double* cover;      ///< the covering vector d > 0 of y = A x + b + d z
  double* row;        ///< scale of each equation
  double* col;        ///< n: scale of each unknown
  double *x, *y, *Y;  ///< n: scratch for a candidate and the sizes of its rows
  double beta;        ///< scale of b
  double smallest_b;  ///< smallest |b_i| that is not zero
  double tie_tol;     ///< basic variables that a step leaves below this block it together
  double z_tol;       ///< the same for the artificial variable, which then leaves before all others
  int* basic;         ///< n: the variable of each row
  int* place;         ///< 2n + 1: column of a nonbasic variable, -1 - row of a basic one
  int* index;         ///< n: scratch for sets of unknowns
  int entering;       ///< after SS_PATH_RAY: the variable that nothing blocks
  bool* stays;        ///< 2n + 1: scratch of a new tableau
  int rebuilt;        ///< tableaus made anew because digits were lost
  bool lost;          ///< T is no tableau any more; the ray is in y
  bool loaded;        ///< T holds A^T
} ss_tableau;

/// Bytes that the arrays of a tableau for n unknowns take, and their places in a block of that size.
size_t ss_tableau_size(int n);
void ss_tableau_init(ss_tableau* t, int n, void* block);

/// The same without T, for sparse problems: nothing of order n^2.
size_t ss_tableau_vectors_size(int n);
void ss_tableau_init_vectors(ss_tableau* t, int n, void* block);

/// Computes the scales and the scaled b. False if A or b holds a NaN or an infinity (or numbers whose sum overflows).
bool ss_tableau_scale(ss_tableau* t, const ss_lcp* lcp);
bool ss_tableau_scale_sparse(ss_tableau* t, const ss_lcp* lcp);  ///< for a sparse A

/// Follows Lemke's path from the ray of large z with t->cover as covering vector, at most max_iter pivots, and adds
/// their number to *iterations. Some b_i must be negative.
ss_path ss_tableau_follow(ss_tableau* t, const ss_lcp* lcp, int max_iter, int* iterations);

/// The x of the present basis; entries below `speck` (on the scale where b is of order one) as zero.
void ss_tableau_solution(const ss_tableau* t, double speck, double* x);

/// The direction in x of the ray, largest entry 1.
void ss_tableau_ray(const ss_tableau* t, double* ray);

#endif
