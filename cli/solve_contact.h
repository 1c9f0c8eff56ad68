// Contact problems, for `stickslip solve`.
#ifndef CLI_SOLVE_CONTACT_H
#define CLI_SOLVE_CONTACT_H

#include "cli.h"

typedef struct cli_contact_options {
  const char* path;
  ss_friction_method method;
  double tol, kappa;      ///< 0: not given
  long max_iter, repeat;  ///< max_iter 0: not given
  bool json, all;
} cli_contact_options;

/// Solves the problem of a file and prints what came out. Returns the exit status.
int cli_solve_contact(const cli_contact_options* options);

#endif
