// The contact problem of one step, one impact or one instant:  xi = G Lambda + b with the laws of ss_contact_def.
// Plain data: it can be saved, reloaded and solved alone. On the level of accelerations Lambda are forces, xi relative
// accelerations, b = W^T M^-1 h + w_bar; only contacts with gap and gamma_N zero take part (docs/impacts.md).
#ifndef STICKSLIP_CONTACT_H
#define STICKSLIP_CONTACT_H

#include <stickslip/base.h>
#include <stickslip/friction.h>
#include <stickslip/lcp.h>
#include <stickslip/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a contact does.
typedef enum ss_contact_state {
  SS_OPEN,      ///< no contact impulse, and it parts
  SS_STICK,     ///< closed, no sliding
  SS_SLIP_POS,  ///< closed, sliding with xi_T > 0
  SS_SLIP_NEG,  ///< closed, sliding with xi_T < 0
  SS_CLOSED,    ///< closed, frictionless
  SS_SLIP,      ///< closed, sliding in the tangential plane: spatial contacts only
} ss_contact_state;

/// "open", "stick", "slip+", "slip-", "closed", "slip".
SS_API const char* ss_contact_state_text(ss_contact_state state);

/// Whether the contact laws leave a choice in a step. Later values are stronger: a step of several problems has the
/// largest of theirs.
typedef enum ss_choice {
  SS_CHOICE_NONE,    ///< one motion, and no other impulses that are known of
  SS_CHOICE_FORCES,  ///< one motion, but its impulses are one choice of several: a box that rests on four corners
  SS_CHOICE_MOTION,  ///< the motion is one of several that the laws allow; docs/integrators.md says which is taken
  SS_CHOICE_AS_FOUND,  ///< ... and that one was not reached: it stays as the solver found it, and the order of contacts
                       ///< may tell
  SS_CHOICE_COUNT
} ss_choice;

/// Most rows of a dense problem, and most coordinates of a system: products of two of them fit an int.
enum { SS_MAX_ROWS = 15000 };

/// Rows: first n_bilateral rows with xi = 0 and free Lambda, then the contacts in order, normal row first.
typedef struct ss_contact_problem {
  int n_bilateral;              ///
  int n_contact;                ///
  int m;                        ///< rows in all
  const double* G;              ///< m x m, row by row, symmetric positive semidefinite: W^T M^-1 W
  const double* b;              ///< m
  const ss_contact_kind* kind;  ///< n_contact
  const double* mu;             ///< n_contact
  const double* bound;          ///< n_contact: impulse (force times dt) that friction may take without normal load
  const int* slide;  ///< n_contact, or NULL if all are 0. +1 or -1: the contact slides with this sign already
                     ///< (accelerations): Lambda_T = -slide (mu Lambda_N + bound), no law on xi_T
} ss_contact_problem;

/// What a solve found. The arrays belong to the caller.
typedef struct ss_contact_solution {
  double* Lambda;           ///< m
  double* xi;               ///< m, = G Lambda + b computed afresh
  ss_contact_state* state;  ///< n_contact
  double residual;          ///< ss_contact_residual() of Lambda
  int iterations;           ///
} ss_contact_solution;

/// Bytes of arena that ss_contact_solve() needs for a problem with up to this many rows.
SS_API size_t ss_contact_solve_size(int n_bilateral, int n_contact);

/// How the planar law is written as an LCP. All have the same impulses and velocities as solutions.
typedef enum ss_planar_form {
  SS_PLANAR_SHORT,     ///< 3 unknowns per contact [Glocker & Studer 2005, (33)]
  SS_PLANAR_LONG,      ///< 5 per contact, copositive without `slide`: never a ray in impacts [Pfeiffer & Glocker 1996]
  SS_PLANAR_ENHANCED,  ///< the short form with xi_R xi_L = 0: no spurious slacks [Ma et al. 2016]
  SS_PLANAR_FORMS
} ss_planar_form;

/// "short", "long", "enhanced"; NULL if there is no such form.
SS_API const char* ss_planar_form_name(ss_planar_form form);
SS_API bool ss_planar_form_find(const char* name, ss_planar_form* form);  ///< false if there is none

/// The LCP that a form makes of the problem, bilateral rows eliminated: *n unknowns, A (n x n) and b (n), which may be
/// NULL to ask for n alone (at most 5 per contact). SS_ERR_ARGUMENT, SS_ERR_MEMORY.
SS_API ss_status ss_planar_lcp(const ss_contact_problem* problem, ss_planar_form form, int* n, double* A, double* b);

/// What unknown j of that LCP is: the contact it belongs to, and the names of x_j and y_j, e.g. "Lambda_R" and "xi_R".
SS_API ss_status ss_planar_unknown(const ss_contact_problem* problem, ss_planar_form form, int j, int* contact,
                                   const char** x, const char** y);

/// The impulses Lambda (m, bilateral rows too) that unknowns x (n) stand for.
SS_API ss_status ss_planar_impulses(const ss_contact_problem* problem, ss_planar_form form, const double* x,
                                    double* Lambda);

/// The unknowns x (n) of impulses Lambda (m) that solve the problem, with the slacks that xi_T itself gives: one of
/// xi_R and xi_L is zero [Ma et al. 2016].
SS_API ss_status ss_planar_unknowns(const ss_contact_problem* problem, ss_planar_form form, const double* Lambda,
                                    double* x);

/// Solves the contact problem as one LCP by def->solver: in the short form, and if that ends on a ray in the long one
/// (up to 256 contacts); bilateral rows are eliminated first. SS_OK only if the residual is at most def->tol,
/// or what round-off of the impulses leaves of it (a light body between heavy ones).
/// SS_ERR_ARGUMENT if rows or coefficients are wrong, SS_ERR_NUMERIC if G or b holds a NaN or an infinity.
SS_API ss_status ss_contact_solve(const ss_contact_problem* problem, const ss_lcp_def* def, ss_arena* arena,
                                  ss_contact_solution* solution);

/// The same in the form given, and in no other.
SS_API ss_status ss_contact_solve_form(const ss_contact_problem* problem, ss_planar_form form, const ss_lcp_def* def,
                                       ss_arena* arena, ss_contact_solution* solution);

/// How far Lambda is from solving the problem: the largest violation of the laws, as a velocity, each row measured in
/// units of sqrt(G_ii) and taken relative to the largest b_i/sqrt(G_ii). Does not depend on units. O(m^2). With spatial
/// contacts it is ss_spatial_residual().
SS_API double ss_contact_residual(const ss_contact_problem* problem, const double* Lambda);

// ---- contacts in space ----

/// Bytes of arena that ss_contact_solve_spatial() needs for a problem with up to this many bilateral rows and contacts.
SS_API size_t ss_contact_solve_spatial_size(int n_bilateral, int n_contact);

/// Solves the contact problem with the exact friction cone, for any mix of kinds and without `slide` (SS_ERR_ARGUMENT
/// if there is one that is not 0). With def->warm_start solution->Lambda is the start. The method auto solves small
/// problems in the arena alone; what it misses, large problems and the other methods go through ss_friction_solver,
/// which allocates. SS_OK only if solution->residual, here ss_spatial_residual() for all kinds (with def->polyhedral
/// that of the MLCP), is at most def->tol. SS_ERR_NUMERIC if G, b or the start holds a NaN or an infinity.
SS_API ss_status ss_contact_solve_spatial(const ss_contact_problem* problem, const ss_friction_def* def,
                                          ss_arena* arena, ss_contact_solution* solution);

/// ss_friction_residual() of the same problem, for any mix of kinds; the rows of one problem share one unit of
/// velocity. INFINITY if Lambda is not finite or sums overflow. O(m^2), nothing is allocated.
SS_API double ss_spatial_residual(const ss_contact_problem* problem, const double* Lambda);

// ---- all solutions ----

/// Largest number of contacts of ss_contact_enumerate(), which looks at up to 4^10 combinations of contact states.
#define SS_CONTACT_ENUMERATE_MAX 10

/// The solutions that belong to one combination of states: the convex hull of the vertices, plus any sum of
/// non-negative multiples of the rays. One vertex and no ray is an isolated solution.
typedef struct ss_contact_piece {
  ss_contact_state* state;  ///< n_contact
  int n_vertices;           ///< at least 1
  int n_rays;               ///
  double* vertices;         ///< n_vertices x m: Lambda
  double* rays;             ///< n_rays x m: directions in Lambda, largest entry 1
  double* xi;               ///< n_vertices x m: G Lambda + b, exactly zero where the states say so
  bool xi_unique;           ///< all solutions of the piece have the same xi
  double* compression;      ///< ss_impact_enumerate(), Poisson: n_vertices x m, Lambda of the compression; else NULL
} ss_contact_piece;

/// All solutions of a contact problem: the union of its pieces, none of which lies within another. Owned by itself.
typedef struct ss_contact_solutions {
  ss_lcp_count count;        ///< meant literally only if complete
  bool complete;             ///< false if a family had too many corners to look at: there may be more
  int n_contact, m;          ///
  int n_pieces;              ///
  ss_contact_piece* pieces;  ///< n_pieces, isolated solutions first
} ss_contact_solutions;

/// Finds every solution for n_contact <= SS_CONTACT_ENUMERATE_MAX. Vertices have a residual of at most def->tol, or of
/// what round-off makes of impulses as large as theirs. SS_OK also if there is none; then *solutions is to be destroyed
/// by the caller. On a failure (SS_ERR_ARGUMENT, SS_ERR_NUMERIC, SS_ERR_MEMORY; SS_ERR_CAPACITY: too many contacts or
/// combinations) it is left alone. Bilateral rows that depend on each other get one of their possible impulses.
SS_API ss_status ss_contact_enumerate(const ss_contact_problem* problem, const ss_lcp_def* def,
                                      ss_contact_solutions** solutions);
SS_API void ss_contact_solutions_destroy(ss_contact_solutions* solutions);  ///< NULL is fine

/// All solutions of the LCP that a form makes of the problem, for n <= SS_LCP_ENUMERATE_MAX. A contact without load
/// leaves slacks free, which gives rays that mean nothing in Lambda and xi; SS_PLANAR_ENHANCED lists only the unknowns
/// of ss_planar_unknowns() (its `set` is not filled). Statuses as above.
SS_API ss_status ss_planar_enumerate(const ss_contact_problem* problem, ss_planar_form form, const ss_lcp_def* def,
                                     ss_lcp_solutions** solutions);

#ifdef __cplusplus
}
#endif
#endif
