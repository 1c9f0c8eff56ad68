// The solvers of every class of problems, as the library's tables have them.
#ifndef CLI_SOLVER_LIST_H
#define CLI_SOLVER_LIST_H

#include "cli.h"

typedef enum cli_class { CLI_LCP, CLI_MLCP, CLI_CONTACT, CLI_CLASSES } cli_class;

const char* cli_class_keyword(cli_class class);  ///< "lcp", "mlcp", "contact"
const char* cli_class_plural(cli_class class);   ///< "LCPs", "mixed problems", "contact problems"

/// More than any class has.
#define CLI_MAX_SOLVERS (SS_LCP_SOLVER_COUNT + SS_MLCP_SOLVER_COUNT + SS_FRICTION_METHODS)

/// The solvers that accept a class: those of its table by their numbers there; for an LCP, after them, those of mixed
/// problems other than "auto".
int cli_solver_count(cli_class class);
const char* cli_solver_name(cli_class class, int solver);
ss_solver_about cli_solver_about(cli_class class, int solver);
int cli_solver_find(cli_class class, const char* name);  ///< -1 if no such solver accepts the class

/// The class in whose table solver k of a class stands, and its number there.
cli_class cli_solver_home(cli_class class, int k, int* number);

/// What --solver can be: every name once, then "all", then NULL. The tool's main() has them filled in, so that help and
/// completion know every solver of the library.
extern const char* cli_solver_words[CLI_MAX_SOLVERS + 2];
void cli_solver_words_fill(void);

#endif
