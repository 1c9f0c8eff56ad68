// The polyhedral friction cone as an MLCP [Stewart 2000, (2.14)-(2.16); Mylapilli & Jain 2017, (43), (44)]:
//   Lambda_T = sum_j beta_j d_j,   0 <= beta_j     _|_ sigma + d_j.xi_T >= 0
//                                  0 <= Lambda_N   _|_ xi_N >= 0
//                                  0 <= sigma      _|_ mu Lambda_N + bound - sum_j beta_j >= 0
// Unknowns: bilateral impulses (free), then for each contact (Lambda_N), (Lambda_N, beta+, beta-, sigma) in the plane,
// (Lambda_N, beta_1 ... beta_nf, sigma) in space, (Lambda_T) in [-bound, bound] for a friction element.
#ifndef STICKSLIP_POLYHEDRAL_H
#define STICKSLIP_POLYHEDRAL_H

#include <stickslip/contact.h>
#include <stickslip/dissipation.h>
#include <stickslip/mlcp.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A contact problem and the directions of its friction.
typedef struct ss_polyhedral {
  const ss_contact_problem* problem;
  int facets;                  ///< directions n_f of a spatial contact, even, at least 4
  const double* angle;         ///< n_contact: of the first direction from T1, rad; or NULL: 0
  const ss_friction_set* set;  ///< n_contact, or NULL: disks. Polygons keep their vertices as directions.
} ss_polyhedral;

/// The angle that lays a direction of this set (NULL: a disk) where it resists the sliding velocity xi_T most.
SS_API double ss_polyhedral_angle(const ss_friction_set* set, const double xi_T[2]);

/// Unknowns of the MLCP: n_b + k (n_f + 2) if all contacts are spatial.
SS_API int ss_polyhedral_unknowns(const ss_polyhedral* polyhedral);

/// How many directions contact c has (0 without friction or for a friction element), and which its first unknown is.
SS_API int ss_polyhedral_directions(const ss_polyhedral* polyhedral, int c);
SS_API int ss_polyhedral_first(const ss_polyhedral* polyhedral, int c);

/// Writes the MLCP: A (n x n, row by row), b, lower, upper (n).
SS_API void ss_polyhedral_write(const ss_polyhedral* polyhedral, double* A, double* b, double* lower, double* upper);

/// The impulses Lambda (m) of a solution z (n).
SS_API void ss_polyhedral_read(const ss_polyhedral* polyhedral, const double* z, double* Lambda);

#ifdef __cplusplus
}
#endif
#endif
