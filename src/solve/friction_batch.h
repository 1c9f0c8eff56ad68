// Four contacts at a time: sweeps for problems by blocks of J whose contacts join at most two bodies. Contacts of a
// batch share no body, and those that share one keep their order: the numbers are those of one contact after the other.
// Bilateral rows are in no batch.
#ifndef SS_SOLVE_FRICTION_BATCH_H
#define SS_SOLVE_FRICTION_BATCH_H

#include "math/simd.h"
#include "solve/friction_space.h"

enum { SS_LANES = 4 };

// What a batch knows of its contacts; one number for each of them in a vector. G_ii = [g h^T; h D] with Lambda_N
// eliminated: S = D - h h^T/g, lift = h/g.
typedef struct ss_friction_batch {
  ss_v4 J[2][3][6];
  ss_v4 b[3], soft, mu, trace, alpha;
  ss_v4 g, g_inverse, lift[2], S[3], S_inverse[3];  // symmetric: 00, 01, 11
  ss_v4 Lambda[3], change[3], direction[3];
  int body[2][SS_LANES];                            // first number in v
  int contact[SS_LANES];                            // -1: none
} ss_friction_batch;

typedef struct ss_friction_batches {
  int n;
  int start[2*SS_MOST_CHUNKS + 1];  // first batch of each group of contacts: as in chunks, or all in one
  ss_friction_batch* batch;
  int room;                         // batches that fit in
  int *last, *next, *place;         // scratch: bodies, batches, contacts
  int scratch_room;
} ss_friction_batches;

/// The batches of a problem and its numbers. False if it has contacts of another kind (more bodies, friction with a
/// bound, or such that nothing moves), or if memory is short.
bool ss_friction_batches_fill(ss_friction_batches* b, const ss_friction_space* s);
void ss_friction_batches_free(ss_friction_batches* b);

/// Impulses into the batches, with no direction
void ss_friction_batches_take(ss_friction_batches* b, const double* Lambda);

/// Batch after batch of group i: Lambda += beta direction and direction = change + beta direction, where change is that
/// of the sweep before; then its contacts are solved with the others held, and v follows. Returns the sum of
/// trace |change|^2.
double ss_friction_batches_sweep(ss_friction_batches* b, ss_friction_space* s, int group, double beta);

/// At most the largest violation of the law by a contact of group i, as a velocity: much of it, in little time
double ss_friction_batches_bound(const ss_friction_batches* b, const ss_friction_space* s, int group);

/// Impulses of group i, and velocities of its contacts
void ss_friction_batches_look(const ss_friction_batches* b, const ss_friction_space* s, int group, double* Lambda,
                              double* xi);

#endif
