// Small contact problems with the exact friction cone, as arrays and in the memory of an arena.
#ifndef SS_SOLVE_FRICTION_SMALL_H
#define SS_SOLVE_FRICTION_SMALL_H

#include <stickslip/contact.h>

/// Contact rows only: bilateral ones are eliminated before. What the residual is measured by comes with the problem.
typedef struct ss_small_problem {
  int n_contact, m;
  const double *G, *b;          ///< m x m, m
  const ss_contact_kind* kind;  ///< n_contact, and so below
  const double *mu, *bound;
  const double* trace;  ///< of each contact's G_ii before elimination: the unit of its violations
  double scale;         ///< the velocity that violations are relative to
} ss_small_problem;

size_t ss_friction_small_size(int n_contact, int m);  ///< bytes of arena

/// From the start Lambda (m) by sweeps and Newton's method. *residual is that of the Lambda returned, the best found.
/// SS_OK if it is at most tol, else SS_NOT_CONVERGED; SS_ERR_CAPACITY if the arena is full.
ss_status ss_friction_small(const ss_small_problem* problem, double tol, bool warm, ss_arena* arena, double* Lambda,
                            double* residual, int* iterations);

#endif
