// Semismooth Newton methods: an LCP as n equations phi(x_i, y_i) = 0, where phi(a, b) = 0 <=> a, b >= 0 and a b = 0.
#ifndef SS_SOLVE_NEWTON_H
#define SS_SOLVE_NEWTON_H

#include "math/block_lu.h"
#include "solve/search.h"

typedef struct ss_ncp_function {
  double (*value)(double x, double y);                            ///< phi
  void (*slopes)(double x, double y, double* by_x, double* by_y);  ///< an element of its generalised gradient
} ss_ncp_function;

/// x + y - sqrt(x^2 + y^2), whose square is smooth: the merit function for every phi.
extern const ss_ncp_function ss_fischer_burmeister;

/// A Newton method under way. x, y and all that follows are scaled.
typedef struct ss_newton {
  ss_search s;
  int n;
  const struct ss_newton_matrix* matrix;  ///< what depends on how A is stored
  double *x, *y;          ///< n: the present point
  double *Phi, *px, *py;  ///< n: its Phi and slopes
  double *d, *Ad;         ///< n: the step, and how y follows it
  double* g;              ///< n: gradient of the merit
  double merit;
  double *A, *M;          ///< dense: n x n, the scaled A; scratch for factors
  int *set, *piv;         ///< dense: n
  ss_sparse S;            ///< sparse: the scaled A
  ss_block_lu *lu, *pairs;  ///< sparse: factors of n numbers; of n pairs, once they are needed
  double *r, *v;          ///< sparse: n; 2n
} ss_newton;

/// What a Newton method asks of A.
typedef struct ss_newton_matrix {
  bool (*open)(ss_newton* w, ss_arena* arena);  ///< takes memory, loads A; false if memory is short
  void (*close)(ss_newton* w);
  void (*multiply)(const ss_newton* w, const double* x, double* y);    ///< y = A x
  void (*multiply_t)(const ss_newton* w, const double* x, double* y);  ///< y = A^T x
  bool (*step)(ss_newton* w);    ///< V d = -Phi; false if V is singular. Spoils Ad.
  /// (V^T V + nu) d = -g with nu this part of the largest diagonal entry of V^T V
  bool (*regularised_step)(ss_newton* w, double part);
  void (*polish)(ss_newton* w);  ///< offers the solution of the basis x_i > y_i
} ss_newton_matrix;

extern const ss_newton_matrix ss_newton_dense, ss_newton_sparse;

/// Bytes of arena that ss_newton_solve() needs for a dense A; and for a sparse one with so many entries, whose factors
/// are on the heap.
size_t ss_newton_size(int n);
size_t ss_newton_sparse_size(int n, int entries);

/// The damped method of De Luca, Facchinei & Kanzow for this phi.
ss_status ss_newton_solve(const ss_ncp_function* phi, const ss_lcp* lcp, const ss_lcp_def* def, ss_arena* arena,
                          ss_lcp_solution* solution);

/// The vectors that both kinds need. False if the arena is too small.
bool ss_newton_take_vectors(ss_newton* w, ss_arena* arena);
size_t ss_newton_vectors_size(int n);

/// Offers the present x itself, zero where x_i <= y_i.
void ss_newton_offer_point(ss_newton* w);

#endif
