// What can be wrong with the definition of a tree.
#ifndef SS_MULTIBODY_CHECK_H
#define SS_MULTIBODY_CHECK_H

#include <stickslip/tree.h>

/// "body 'name'" or "body 3", "joint ..." likewise, into out. Returns out.
char* ss_tree_label(const char* what, const char* name, int number, char out[80]);

/// SS_OK, or SS_ERR_INPUT and in *error (may be NULL) which body or joint is wrong, and why.
ss_status ss_tree_check(const ss_tree_def* def, ss_error* error);

#endif
