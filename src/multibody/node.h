// Nodes as forces on bodies.
#ifndef SS_MULTIBODY_NODE_H
#define SS_MULTIBODY_NODE_H

#include "multibody/tree.h"

/// The force on body b (at_b) or a of a unit force in a row of the node, at the body's centre of mass.
ss_spatial ss_tree_wrench(const ss_tree_work* work, const ss_tree_node* node, int row, bool at_b);

/// Velocities of all bodies for any v into work->T.
void ss_tree_move(ss_tree_work* work, const double* v);

/// How many velocities move a body; 0 for the world.
int ss_tree_chain_length(const ss_tree* tree, int body);

/// Factors of the bodies that ss_tree_factor() passes over. Comes after it.
void ss_tree_factor_alone(ss_tree_work* work);

/// work->root = 1/sqrt(D). Comes after ss_tree_factor().
void ss_tree_find_roots(ss_tree_work* work);

/// z (nv) += row of J L^-T with M = L L^T, the articulated factor; zero but for the trees that the row acts on.
void ss_tree_add_half_row(const ss_tree_work* work, const ss_tree_node* node, int row, double* z);

/// Some of the rows of a node in orthonormal velocities of one kinematic tree that they act on, with the velocities
/// first .. first + n - 1: J L^-T with M = L L^T, `stride` numbers apart. L is any factor, always the same for a tree.
void ss_tree_half_rows(ss_tree_work* work, const ss_tree_node* node, int row, int rows, int first, int n, int stride,
                       double* z);

#endif
