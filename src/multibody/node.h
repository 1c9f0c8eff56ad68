// Nodes as forces on bodies.
#ifndef SS_MULTIBODY_NODE_H
#define SS_MULTIBODY_NODE_H

#include "multibody/tree.h"

/// The force on body b (at_b) or a of a unit force in a row of the node, at the body's centre of mass.
ss_spatial ss_tree_wrench(const ss_tree_work* work, const ss_tree_node* node, int row, bool at_b);

/// Velocities of all bodies for any v into work->T.
void ss_tree_move(ss_tree_work* work, const double* v);

/// For any v (nv), of every row: along = |d . v_a| + |d . v_b| with its direction d and the velocities of the points
/// (or angular velocities), size = |v_a| + |v_b|; in joint space both are the sum of the magnitudes of the terms.
void ss_tree_node_sides(ss_tree_work* work, const double* v, int n, const ss_tree_node* node, double* along,
                        double* size);

/// Whether any velocity moves a row of a node between bodies: else its directions are round-off, to 1e-12 of what the
/// velocities do there. Positions are set.
bool ss_tree_node_can_move(const ss_tree_work* work, const ss_tree_node* node, int row);

/// The last velocity that moves body b (of the tree's own numbers), -1 if none does.
int ss_tree_last_velocity(const ss_tree* tree, int b);

/// How many velocities move a body; 0 for the world.
int ss_tree_chain_length(const ss_tree* tree, int body);

/// Factors of the bodies that ss_tree_factor() passes over. Comes after it.
void ss_tree_factor_alone(ss_tree_work* work);

/// Velocities first .. first + n - 1, of one or several kinematic trees, as they are laid out in a row: velocity i is
/// number place[i] of `size`, and what lies between stays zero. place NULL: number i - first.
typedef struct ss_tree_span {
  int first, n, size;
  const int* place;
} ss_tree_span;

/// Lays out the velocities of one kinematic tree by limbs, runs of velocities each of which hangs on the one before:
/// none spreads over more blocks of numbers than its length needs. So the rows of a limb meet few blocks, and limbs
/// share few. Writes place[first] ..; span->size is set.
void ss_tree_place_limbs(const ss_tree* tree, int block, int* place, ss_tree_span* span);

/// z (rows of span->size numbers, `stride` apart) += up to three rows of J L^-T from `row` on, M = L L^T with the
/// articulated factor.
void ss_tree_add_half_rows(const ss_tree_work* work, const ss_tree_node* node, int row, int rows,
                           const ss_tree_span* span, int stride, double* z);

/// Some of the rows of a node in orthonormal velocities of one kinematic tree that they act on, that of `span`: J L^-T
/// with M = L L^T, `stride` numbers apart. L is any factor, always the same for a tree.
/// Reads only: different rows at the same time. Rows in joint space and those of one body with itself come after
/// ss_tree_factor_alone().
void ss_tree_half_rows(const ss_tree_work* work, const ss_tree_node* node, int row, int rows, const ss_tree_span* span,
                       int stride, double* z);

#endif
