// What the formulations of the planar contact problem share.
#ifndef SS_CONTACT_PLANAR_H
#define SS_CONTACT_PLANAR_H

#include <stickslip/contact.h>

/// The contact rows after elimination of the bilateral ones:  G <- G_cc - G_cb G_bb^-1 G_bc.
typedef struct ss_reduced {
  int nb, m;     ///< bilateral rows, contact rows
  double* G;     ///< m x m
  double* b;     ///< m
  double* L;     ///< nb x nb: pivoted Cholesky factor of G_bb
  double* X;     ///< m x nb: row r holds G_bb^-1 G_br
  double* y;     ///< nb: G_bb^-1 b_b
  double* work;  ///< nb
  int* perm;     ///< nb
  int rank;
} ss_reduced;

/// Bytes of arena that ss_reduce_contacts() takes, for planar contacts and by the number of their rows.
size_t ss_reduce_contacts_size(int n_bilateral, int n_contact);
size_t ss_reduce_rows_size(int n_bilateral, int contact_rows);

/// Eliminates the bilateral rows; without any, G and b are those of the problem. False if the arena is full.
bool ss_reduce_contacts(const ss_contact_problem* p, ss_arena* arena, ss_reduced* r);

/// Lambda_b = -G_bb^-1 (with_b b_b + G_bc Lambda_c), from and into Lambda (nb + m).
void ss_recover_bilateral(const ss_reduced* r, bool with_b, double* Lambda);

/// The rows add up, the kinds are planar (are kinds) and the coefficients are coefficients.
bool ss_planar_is_valid(const ss_contact_problem* p);
bool ss_spatial_is_valid(const ss_contact_problem* p);

/// A friction characteristic cut in two: Lambda_T = shift + L_plus - L_minus, where L_plus acts at the velocity `plus`
/// and L_minus at the velocity `minus`, plus <= minus. An infinite velocity: that half never acts.
/// Coulomb's law: all zero.
typedef struct ss_halves {
  double shift, plus, minus;
} ss_halves;

/// The impulses Lambda (r->m) of the contact rows by the long form; halves: n_contact, or NULL for Coulomb's law.
ss_status ss_planar_long(const ss_contact_problem* p, const ss_reduced* r, const ss_halves* halves,
                         const ss_lcp_def* def, ss_arena* arena, double* Lambda, int* iterations);
size_t ss_planar_long_size(int n_contact);  ///< bytes of arena

/// Unknowns of the short and of the long form, and their LCP: A (n x n), b (n). -1 if the arena is full.
int ss_planar_short_lcp(const ss_contact_problem* p, const ss_reduced* r, ss_arena* arena, double* A, double* b);
int ss_planar_long_lcp(const ss_contact_problem* p, const ss_reduced* r, ss_arena* arena, double* A, double* b);

/// A problem in space all of whose contacts have a tangent along which nothing moves, as a planar one; true if it was
/// one, and solved: then Lambda, residual and iterations of *solution are.
bool ss_solve_flat(const ss_contact_problem* p, double tol, ss_arena* arena, ss_contact_solution* solution);
size_t ss_solve_flat_size(int n_bilateral, int n_contact);  ///< bytes of arena

static inline int ss_slide_of(const ss_contact_problem* p, int i) { return p->slide ? p->slide[i] : 0; }

#endif
