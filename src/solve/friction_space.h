// A contact problem made ready for solvers. Where bodies are known (global form, M in blocks of 6 rows, or 3 in the
// plane) the work is done in velocity space: v = J^T Lambda, xi = J v + b with J = H^T L^-T, M = L L^T. Otherwise on
// blocks of G. The Newton-like step of every method is the same: find Lambda+ and xi+ with
//   xi+ = xi of Lambda+,   Lambda+ = Lambda0 - K xi+,   K one small block per contact,
// by (1 + J^T K J) dv = J^T d or (1 + G K) dxi = G d with d = Lambda0 - K xi - Lambda.
#ifndef SS_SOLVE_FRICTION_SPACE_H
#define SS_SOLVE_FRICTION_SPACE_H

#include "base/pool.h"
#include "math/block_lu.h"
#include "solve/friction_condense.h"
#include "solve/friction_layout.h"

// What the numbers of a global problem with bodies pass through
typedef struct ss_friction_bodies {
  ss_sparse Ht, padded;  // H^T, and with its rows in blocks
  int* from;             // places of its entries in H
  int* origin;           // n_body: number of the body in M
  double* L;             // factors of the blocks of M
  double* x;             // as long as f
} ss_friction_bodies;

enum { SS_MOST_CHUNKS = 16 };

// The contacts of a large problem in groups: those within chunk 0, 1, ... of the bodies, which share no body; then
// those between chunks 0 and 1, 1 and 2, ..., which share none either. So the groups of each kind can be done at once,
// and the numbers do not depend on who does them.
typedef struct ss_friction_chunks {
  int n;        // chunks; 0: contacts as they come
  int start[2*SS_MOST_CHUNKS];  // first contact of a group in `order`: n within, n - 1 between, and the end
  int* order;   // k
  int body[SS_MOST_CHUNKS + 1];  // first body of a chunk, and the end
  ss_pool* pool;  // NULL: one thread
} ss_friction_chunks;

typedef struct ss_friction_space {
  ss_friction_layout layout;
  int dim, n_free, k, m;  // rows per block, free blocks, blocks, rows in blocks: as in layout
  const double *mu, *bound;  // k: as in layout
  double* b;          // m
  double* trace;      // k: trace of G_ii with compliance
  double* rho;        // k: 1/trace, of the largest trace where that is 0
  double* rho_free;   // n_free*dim: 1/G_ii of each bilateral row
  double kappa;       // compliance of the contacts, 0: none
  double* soft;       // k: what it adds to the diagonal of G
  double* D;          // k blocks G_ii, with compliance, and no empty row; nearly G_ii^-1 for free blocks
  bool has_D;         // false: ss_friction_make_diagonal() comes first
  double scale;       // |b|_inf
  int body;           // rows per body, 0 where only G is known
  int n_body;         // bodies that touch something
  int* start;         // k + 1: first block of a contact's row of J or G
  int* col;           // its body or the other contact
  int stride;         // numbers per row of J and per body of v (8 or 4), or per column of G and row of K (4 or 2)
  double* value;      // dim*stride numbers per block: dim x body of J by rows, or dim x dim of G by columns
  ss_block_lu* lu;    // NULL if it would be too large
  int* place;         // blocks of lu: for each block of G; for each pair of bodies of each contact
  double* K;          // k blocks of the current factor, dim rows of ss_friction_row(dim) numbers
  double* T;          // k blocks (1 + soft K)^-1 if soft
  double* v;          // n_body*stride
  double *work, *work2, *work3;  // as long as the unknowns of lu
  double* alpha;      // k: sliding numbers of the last sweep
  ss_friction_chunks chunks;  // of J
  struct ss_friction_batches* batches;  // memory for sweeps with momentum, or NULL
  const volatile int* stop;  // NULL, or what ends a solve under way
  int factors;        // made so far
  int sweeps;         // made so far
  ss_friction_bodies bodies;  // where bodies are known
  ss_local_form local;        // where they are not: views of the problem, or condensed
  int* where;                 // places in value of the entries of local.G
} ss_friction_space;

/// Numbers kept per row of a dim x dim block, or per row of J: whole vectors
static inline int ss_friction_row(int columns) { return columns == 6 ? 8 : columns == 3 ? 4 : columns; }

/// The problem is valid. NULL and *error if memory is short or M is singular.
ss_friction_space* ss_friction_space_create(const ss_friction_problem* problem, ss_error* error);
void ss_friction_space_destroy(ss_friction_space* space);

/// New numbers in matrices of the same pattern, with the same kinds of contacts. Allocates nothing.
ss_status ss_friction_space_update(ss_friction_space* space, const ss_friction_problem* problem, ss_error* error);

/// Parts of these, for problems whose blocks of J come from elsewhere. With traces of the rigid G_ii in space->trace:
/// traces with compliance, and the scale of b. D is made when it is needed, which is for sweeps.
void ss_friction_finish_traces(ss_friction_space* space, double kappa);
void ss_friction_make_diagonal(ss_friction_space* space);
/// The structure of the factors, NULL if memory is short, they would be too large, or take more than `most` products.
ss_block_lu* ss_friction_order_bodies(const ss_friction_space* space, double most);

/// xi = G Lambda + b; also v where bodies are known
void ss_friction_xi(ss_friction_space* s, const double* Lambda, double* xi);

/// ss_friction_measure() of this problem
double ss_friction_space_residual(const ss_friction_space* s, const double* Lambda, const double* xi);

/// Factors for these K (k blocks, row by row). False if the matrix is singular or there is no room for factors.
bool ss_friction_factor(ss_friction_space* s, const double* K);

/// The step described above, from Lambda and its xi, with the last factors. plus may be Lambda0.
void ss_friction_step(ss_friction_space* s, const double* Lambda, const double* xi, const double* Lambda0,
                      double* plus);

/// The same for other K (k blocks, row by row) than those of the last factors, near them: a step of the chord method.
/// Not with compliance.
void ss_friction_chord(ss_friction_space* s, const double* K, const double* Lambda, const double* xi,
                       const double* Lambda0, double* plus);

/// A = A^-1, dim x dim; false if it is singular
bool ss_invert_small(int dim, double* A);

/// Gauss-Seidel sweeps with exact one-contact solves, forwards and backwards in turn.
void ss_friction_sweep(ss_friction_space* s, int count, double* Lambda);

/// Sweeps with momentum, the nonsmooth nonlinear conjugate gradients of [Silcowitz-Hansen, Niebe & Erleben 2010]: with
/// S(x) one sweep forwards and g = S(x) - x what it changes,
///   x+ = S(x) + beta p,   p+ = g + beta p,   beta = |g|^2/|g of the sweep before|^2, or 0 where that is above 1.
/// v = J^T Lambda is linear and has a momentum of its own. A sweep begins with the push of the one before, so that
/// impulses are in their cones after it. For blocks of J in space.
typedef struct ss_friction_momentum {
  double *direction, *change;     // m: p, g; of contacts that are in no batch
  double *v_direction, *v_start;  // as v: J^T p; before the sweep
  double size, before;            // |g|^2 of the last sweep and of the one before, weighed by trace G_ii; 0: none yet
  struct ss_friction_batches* batches;  // NULL, or what holds Lambda, direction and change (friction_batch.h)
} ss_friction_momentum;

/// From Lambda, with no momentum yet. direction, change: m, of the caller; v_direction and v_start are in space->work
/// and work2.
ss_friction_momentum ss_friction_momentum_start(ss_friction_space* s, double* direction, double* change,
                                                const double* Lambda);
void ss_friction_momentum_sweep(ss_friction_space* s, ss_friction_momentum* a, double* Lambda);

/// At most the residual after the last sweep: much of it, in little time
double ss_friction_momentum_bound(ss_friction_space* s, const ss_friction_momentum* a);

/// Lambda as it is after the last sweep, and its xi; returns ss_friction_space_residual()
double ss_friction_momentum_look(ss_friction_space* s, const ss_friction_momentum* a, double* Lambda, double* xi);

#endif
