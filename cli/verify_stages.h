// A step of rattle as `stickslip verify` sees it: both of its ends, what the file says of contacts, and the laws of its
// two stages (docs/rattle.md).
#ifndef CLI_VERIFY_STAGES_H
#define CLI_VERIFY_STAGES_H

#include "verify_ends.h"
#include "verify_islands.h"
#include "verify_rattle.h"
#include "verify_turning.h"

struct cli_rattle {
  cli_verifier* c;
  cli_end a, e;
  ss_state *qa, *qe;
  double *u, *v, *mv, *tau;  ///< nv: u_H; scratch
  int room_a, room_e;        ///< of the following: rows and contacts of an end
  double *before, *half_a, *size_a, *push_a;   ///< rows at the start: velocities with u_A, u_H, their terms; impulses
  double *start, *half_e, *after, *mean;       ///< rows at the end: velocities at the start, with u_H, u_E; of the way
  double *size_e, *size, *P, *Lambda, *push_e; ///< ... terms of velocities with u_H, u_E; impulses; scratch
  int *number_a, *number;    ///< contacts at the start and at the end: in the file, -1: not in it
  int* at_start;             ///< contacts at the end: that at the start, -1: none
  const double **B, **B1;    ///< columns of constraints
  bool again;                ///< the list at the start is that of u_H
  int n_key;
  uint64_t* key;             ///< n_key: ... and these are in that of u_A
  bool hits;                 ///< the step is one of impacts by another law than Newton's
  int guessed;               ///< contacts with an impulse that have other names at the start
  bool renamed;              ///< ... and are not found there
  long double most;          ///< largest unit so far
  double vague;              ///< velocities that round-off of the coordinates makes of u_H
  long double unit;          ///< largest term of a velocity over sqrt(G_ii)
  cli_islands islands;       ///< of text models: what is heavy hides nothing light
  cli_turning* turning;      ///< forces quadratic in the velocities do no work
  long double *off, *terms;  ///< nv: what is missing of momenta, and of what
};

static inline double cli_stretch_of(const ss_contact_item* item, int k)
{
  return k > 0 && item->stretch[k - 1] > 0 ? item->stretch[k - 1] : 1;
}

static inline bool cli_is_element(const cli_end* e, int i) { return e->law[i]->kind == SS_CONTACT_FRICTION; }

static inline bool cli_has_gap(const cli_end* e, int i) { return !cli_is_element(e, i) && !e->item[i].load; }

/// Row k of contact i at the end: what rows of its contact at the start have, velocities, along its own directions
double cli_rattle_at_end(const cli_rattle* v, int i, const double* at_start, int k);
void cli_stages_find_hits(cli_rattle* v);  ///< v->hits

// Contact i at the end of the step, with all arrays of rows filled

void cli_stages_check_first(cli_rattle* v, long row, int i);   ///< laws of the first stage
/// Laws of the second stage, and the state in the file; c: in the file, or NULL
void cli_stages_check_second(cli_rattle* v, long row, int i, const ss_run_contact* c);
void cli_stages_check_listed(cli_rattle* v, long row, int i, const ss_run_contact* c);  ///< what the file says of it

// The step

void cli_stages_check_losses(cli_rattle* v, long row);
/// Constraints: held on both levels, and what they do where the start does not fit them
void cli_stages_check_constraints(cli_rattle* v, long row);
long double cli_stages_drive(const cli_rattle* v);  ///< what moving partners put in

#endif
