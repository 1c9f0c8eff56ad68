// What the solvers are, for a person who has to choose one. docs/choosing-a-solver.md says more.
#ifndef STICKSLIP_SOLVERS_H
#define STICKSLIP_SOLVERS_H

#include <stickslip/friction.h>
#include <stickslip/lcp.h>
#include <stickslip/mlcp.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A few words each; "" where there is nothing to say, never NULL.
typedef struct ss_solver_about {
  const char* method;  ///< formulation and what is done
  const char* source;  ///< where it comes from, as in docs/references.md
  const char* limits;  ///< what it does not do, or does badly
} ss_solver_about;

/// Any other number than a solver's gets empty texts.
SS_API ss_solver_about ss_lcp_solver_about(ss_lcp_solver solver);
SS_API ss_solver_about ss_mlcp_solver_about(ss_mlcp_solver solver);
SS_API ss_solver_about ss_friction_method_about(ss_friction_method method);

/// Of ss_lcp_enumerate(), which is no row of the table of solvers: it finds all solutions instead of one.
SS_API ss_solver_about ss_lcp_enumerate_about(void);

#ifdef __cplusplus
}
#endif
#endif
