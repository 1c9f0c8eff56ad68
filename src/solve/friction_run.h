// A solve under way: the current impulses, the best ones so far, scratch; and the methods, which all work on it.
#ifndef SS_SOLVE_FRICTION_RUN_H
#define SS_SOLVE_FRICTION_RUN_H

#include "solve/friction_lorentz.h"
#include "solve/friction_space.h"

// What one iteration of the interior point method knows about a contact
typedef struct ss_ipm_contact {
  ss_scaling w;
  double Q[9];       // Lambda+ = Lambda + Q (g - (1 + mu e_N t^T) dxi)
  double r[3], t[3];  // infeasibility, direction of sliding
  double eta, deta;  // xi_N apart from friction, where there is a bound, and its change
  double rise, fall;  // dy_0 and deta for dLambda = 0
} ss_ipm_contact;

typedef struct ss_friction_run {
  ss_friction_space* s;
  double tol;
  int max_iter;            // 0: the method's own
  double *Lambda, *xi, r;  // current; xi and r belong to Lambda after ss_friction_judge()
  double *best, r_best;    // the smallest r seen
  double r_attempt;        // ... in the attempt under way
  double *K, *Lambda0, *plus, *xi_plus, *y, *shift, *z, *dz, *dy, *anchor, *held, *rigid;  // scratch: k blocks; m each
  ss_ipm_contact* contact;  // k
  double c_factors;        // c of the last factors of Newton's method, 0 if there are none in this solve,
  int factors;             // which were so many in s
  int newton, ipm, admm;   // iterations
  int before[SS_FRICTION_ADMM + 1];  // ... of each kind when the attempt under way began
  ss_friction_method finder;  // who found best
  ss_attempt_log log;
} ss_friction_run;

/// The arrays of a run for m rows in blocks of dim are so many numbers, and where they are in them
size_t ss_friction_run_numbers(size_t m, size_t dim);
void ss_friction_run_share(ss_friction_run* run, size_t m, double* numbers);

/// Writes down what `go` does, whose table row is `method`. True if it met the tolerance.
bool ss_friction_attempt(ss_friction_run* run, ss_friction_method method, const char* why,
                         bool (*go)(ss_friction_run*));

static inline bool ss_friction_stopped(const ss_friction_run* run) { return ss_stopped(run->s->stop); }

/// The best impulses are so large that their velocities are known no better than the residual: no method gets farther.
bool ss_friction_at_round_off(const ss_friction_run* run);

/// Iterations of a kind (nsgs: sweeps; newton, ipm, admm) so far
static inline int ss_friction_made(const ss_friction_run* run, ss_friction_method kind)
{
  return kind == SS_FRICTION_NSGS     ? run->s->sweeps
         : kind == SS_FRICTION_NEWTON ? run->newton
         : kind == SS_FRICTION_IPM    ? run->ipm
                                      : run->admm;
}

/// How many more of a kind an attempt may make that would make `own`: max_iter bounds each kind of an attempt
static inline int ss_friction_at_most(const ss_friction_run* run, ss_friction_method kind, int own)
{
  int left = run->max_iter - (ss_friction_made(run, kind) - run->before[kind]);
  return !run->max_iter || left > own ? own : left > 0 ? left : 0;
}

/// xi and r of the current Lambda; remembers it if it is the best so far. True if r is within the tolerance.
bool ss_friction_judge(ss_friction_run* run, ss_friction_method finder);

/// The same where xi is that of Lambda already, and r is its residual
bool ss_friction_note(ss_friction_run* run, double r, ss_friction_method finder);

/// The same for another Lambda, with its xi and r
bool ss_friction_take(ss_friction_run* run, const double* Lambda, const double* xi, double r,
                      ss_friction_method finder);

/// Back to the best impulses so far
void ss_friction_return(ss_friction_run* run);

/// Up to `limit` sweeps or iterations from the current Lambda. True as soon as the residual is within the tolerance.
bool ss_friction_nsgs(ss_friction_run* run, int limit);
bool ss_friction_newton(ss_friction_run* run, double kappa0, int limit);
/// ... from a Lambda that is judged already
bool ss_friction_newton_known(ss_friction_run* run, double kappa0, int limit);
/// ... sweeps with momentum, begun by ss_friction_momentum_start(), before
bool ss_friction_conjugate(ss_friction_run* run, ss_friction_momentum* momentum, int limit);
bool ss_friction_admm(ss_friction_run* run, double c, int limit);

/// K and Lambda0 of every block for a step of Newton's method from the current Lambda and xi (friction_linear.h), with
/// R_i = c rho_i, c_free of bilateral rows
void ss_friction_linearise(ss_friction_run* run, double c, double c_free);

/// Along the path from soft contacts to rigid ones (friction_path.c), from the current Lambda; at most so many systems.
bool ss_friction_path(ss_friction_run* run, int most);

/// Along the central path (friction_central.c), from the current Lambda of bilateral rows alone.
bool ss_friction_central(ss_friction_run* run);

/// Impulses of the bilateral rows for those that the contacts have, from the current Lambda and xi: both are up to date
/// afterwards, run->r is not. Returns the velocity that is left in these rows: beyond round-off they contradict one
/// another, whatever the contacts do, and this is how, in least squares.
double ss_friction_free_impulses(ss_friction_run* run);

/// Further Newton steps from impulses that meet the tolerance, to round-off: without them contacts at rest would creep
/// by the tolerance. Nothing is done if the residual is at most `enough`.
void ss_friction_polish(ss_friction_run* run, double enough);

typedef struct ss_ipm_variant {
  double push;      // distance of the start from the boundary: 1 cold, 0.1 warm
  bool jam_rule;    // symmetric, centred steps after a very short one
  bool scaled;      // aim to remove only 1 - sigma of the infeasibility
  double handover;  // stop at this residual: Newton does the rest better
} ss_ipm_variant;

bool ss_friction_ipm(ss_friction_run* run, ss_ipm_variant variant, int limit);

/// The whole methods, rows of the table.
bool ss_friction_run_auto(ss_friction_run* run);
bool ss_friction_run_auto_known(ss_friction_run* run);  ///< from a Lambda that is judged already
/// auto for large, densely coupled problems: sweeps while they help; Newton and the central path unless
/// factors cost too much; many more sweeps
bool ss_friction_run_sweeps(ss_friction_run* run);
bool ss_friction_run_factors(ss_friction_run* run);
bool ss_friction_run_more_sweeps(ss_friction_run* run);
bool ss_friction_run_nsgs(ss_friction_run* run);
bool ss_friction_run_newton(ss_friction_run* run);
bool ss_friction_run_ipm(ss_friction_run* run);
bool ss_friction_run_admm(ss_friction_run* run);

#endif
