// Islands: rows of the contact problem of a step that have nothing to do with the others.
#ifndef SS_INTEGRATE_ISLANDS_H
#define SS_INTEGRATE_ISLANDS_H

#include "integrate/work.h"
#include "solve/friction_blocks.h"

enum { SS_DENSE_MOST = 300 };  // rows up to which a dense problem is a choice, where there is one

/// One island. Its rows are linked by w->island_next.
struct ss_island {
  int first, last;             ///< rows of the problem
  int m, k, n_bilateral;       ///< rows, contacts, bilateral rows
  double scale;                ///< largest |b|
  bool sets;                   ///< some contact has a set of friction of its own
  ss_friction_blocks* blocks;  ///< solved in velocity space, by this; else NULL
  ss_status status;            ///
};

/// An island as a problem of its own: rows and contacts in the problem of the step, and arrays.
typedef struct ss_island_problem {
  int *row, *contact, *source;  ///< m, k; m: rows of the list
  double *G, *b, *mu, *bound;   ///< G: NULL unless `dense`
  double* diagonal;             ///< m: of G; not if `dense`
  ss_contact_kind* kind;
  ss_contact_solution solution;
  ss_contact_problem problem;
} ss_island_problem;

/// Numbers of the islands of m rows of the list into island_of (m), from 0 in the order of the rows; returns how many
/// there are. Systems with operators.
int ss_find_islands(ss_work* w, int m, const int* row, int* island_of);

/// Copies the island out of the problem of the step, with the guess in solution.Lambda; arrays in the arena, which must
/// have ss_island_bytes() left. False if it has not.
bool ss_island_gather(const ss_work* w, const ss_island* s, bool dense, ss_arena* arena, ss_island_problem* out);
size_t ss_island_bytes(const ss_island* s, bool dense);

/// Solves the island with the sets of friction of its contacts, by maximal dissipation (island_sets.c).
ss_status ss_island_sets(ss_work* w, const ss_step_def* def, ss_island_problem* p);

/// Velocity space (island_velocity.c). Whether the island is solved there; if so its blocks are filled: SS_OK and
/// s->blocks, which stays NULL if not.
ss_status ss_island_fill(ss_work* w, const ss_step_def* def, ss_island* s);
/// Impulses into w->solution.Lambda. Different islands may be solved at the same time; pool: for this one, or NULL.
void ss_island_solve(ss_work* w, const ss_step_def* def, ss_island* s, ss_pool* pool);
/// Of several solutions of an island of velocity space the one of least norm (island_choice.c).
ss_status ss_island_choose(ss_work* w, const ss_step_def* def, const ss_island* s);
/// Whether forces of one motion are chosen, too: of a body by itself whose impulses Lambda (m, in the order of the
/// island's rows; NULL: those of the step's solution) are not those of the step before.
bool ss_island_chooses_forces(const ss_work* w, const ss_island* s, const double* Lambda);
/// Judges all islands of velocity space by what the system itself makes of their impulses: xi, states, residuals.
ss_status ss_islands_judge(ss_work* w, const ss_step_def* def, int n, ss_island* island);

#endif
