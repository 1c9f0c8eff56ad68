// The system at one end of a step in two stages, for `stickslip verify`: M, h, gaps and rows of text models, scenes and
// planar bodies alike.
#ifndef CLI_VERIFY_ENDS_H
#define CLI_VERIFY_ENDS_H

#include <stickslip/machine.h>

#include "verify.h"

/// One end. Rows: bilateral ones, then those of the contacts.
typedef struct cli_end {
  cli_verifier* c;
  const ss_machine* machine;  ///< NULL: none
  ss_tree_work* work;         ///< of its tree
  int nv, nb, n, rows, room;
  bool overlaps;              ///< bodies overlap so deep that there is no list
  const ss_contact_def** law; ///< n
  ss_contact_item* item;      ///< n: of contacts that come and go; others have key, gap and size alone
  int* row;                   ///< n: first row
  double* mu;                 ///< n: of sliding where h was evaluated; those that vary with the speed: not known
  double* bound;              ///< n, N
  double *w_hat, *error, *error_size;  ///< rows; nb; nb
  double *g;                  ///< rows: the diagonal of G; NAN: not asked for yet
  double *M, *W, *h, *part;   ///< nv nv, rows nv: not for scenes; nv; nv
  long double *L, *x;         ///< nv nv; nv
} cli_end;

/// False if memory is short.
bool cli_end_open(cli_end* e, cli_verifier* c);
void cli_end_close(cli_end* e);

/// The system at (q, u, t), with the contacts that may close within `reach`. False if it cannot be evaluated.
bool cli_end_look(cli_end* e, const double* q, const double* u, double t, double reach);

// The following hold while the system is where the end has looked last.

void cli_end_velocities(cli_end* e, const double* u, double* gamma, double* size);  ///< rows: W^T u + w_hat, terms
void cli_end_push(cli_end* e, const double* Lambda, double* tau);                   ///< nv: W Lambda
void cli_end_times_mass(cli_end* e, const double* v, double* out);                  ///< nv
bool cli_end_diagonal(cli_end* e);                                                  ///< e->g of all contact rows

#endif
