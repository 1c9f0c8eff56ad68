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

#endif
