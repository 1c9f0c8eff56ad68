// A contact problem in units of its own, as the formulations with facets and with the exact cone work on it:
//   Lambda = D Lambda^,   xi^ = D^T xi,   G^ = D^T G D,   b^ = D^T b,   all impulses and velocities over beta,
// with one number d per bilateral row and per contact, so that the mean of the diagonal entries of G^ is about 1, and
// d E in the tangential plane of an ellipse E(disk), which makes it a disk. This is exact: with Lambda_T = E c the
// power xi_T.Lambda_T is (E^T xi_T).c, so maximal dissipation over r E(disk) is maximal dissipation of c over r disk.
#ifndef SS_SOLVE_CONE_H
#define SS_SOLVE_CONE_H

#include <stickslip/dissipation.h>

typedef struct ss_cone_run {
  const ss_contact_problem* problem;  // the caller's, ...
  const ss_friction_set* set;         // ... with NULL for disks
  const ss_dissipation_def* def;
  ss_arena* arena;
  ss_contact_problem p;               // in its own units
  ss_friction_set* shape;             // k, disks and polygons; NULL if there are disks only
  int* first;                         // k: first row of each contact
  int n_round;                        // spatial contacts with a disk
  double *G, *b, *bound, *unit;       // m x m, m, k; m: d of each row
  double beta;
  const double* guess;                // m: where to start, in the caller's units; NULL: nowhere
  double* xi;                         // m: scratch
  double* Lambda;                     // m: a candidate in the caller's units
  double *best, best_residual;        // m: the best so far
  ss_dissipation_method method, finder;  // at work; of the best
  int iterations, alignments;
  double mlcp_residual;               // of the last MLCP; INFINITY if there was none, or if it could not be solved
  double attempt_residual;            // of the best that the method at work has offered
  ss_attempt_log log;
  bool (*judge)(void* user, const double* Lambda, double* residual);  // true if met; NULL: ss_dissipation_residual()
  void* user;
} ss_cone_run;

/// Bytes of arena for ss_cone_prepare().
size_t ss_cone_size(const ss_contact_problem* problem);

/// Fills everything from p on. SS_ERR_ARGUMENT, SS_ERR_NUMERIC or SS_ERR_CAPACITY as ss_dissipation_solve().
ss_status ss_cone_prepare(ss_cone_run* run);

/// From the caller's units and back.
void ss_cone_inwards(const ss_cone_run* run, const double* Lambda, double* own);
void ss_cone_outwards(const ss_cone_run* run, const double* own, double* Lambda);

/// The set of contact c in own units, NULL for a disk
const ss_friction_set* ss_cone_shape(const ss_cone_run* run, int c);

/// Is contact c spatial, with a disk?
bool ss_cone_is_round(const ss_cone_run* run, int c);

/// Judges Lambda^ and keeps it if it is the best so far. True if the tolerance is met.
bool ss_cone_offer(ss_cone_run* run, const double* own);

/// Polyhedral MLCPs solved by `solver` (an ss_mlcp_solver), and Todorov's equations by regular or projected LM.
/// SS_OK if the tolerance is met, SS_NOT_CONVERGED if not; negative if nothing could be offered at all.
size_t ss_cone_align_size(const ss_contact_problem* problem, const ss_friction_set* set, int facets);
ss_status ss_cone_align(ss_cone_run* run, int solver);
size_t ss_cone_mncp_size(int m);
ss_status ss_cone_mncp(ss_cone_run* run, bool projected);

/// The methods asked for in turn, written down in the log. Status as above.
ss_status ss_cone_solve(ss_cone_run* run);
size_t ss_cone_solve_size(const ss_contact_problem* problem, const ss_friction_set* set, const ss_dissipation_def* def);

#endif
