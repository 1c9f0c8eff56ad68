// Of several solutions of a contact problem the one of least norm.
#ifndef SS_CONTACT_CHOOSE_H
#define SS_CONTACT_CHOOSE_H

#include <stickslip/contact.h>

enum { SS_CHOOSE_ROWS = 240 };  ///< contact rows of a problem up to which a choice is made

/// Solution *s of a problem without `slide`, with its residual, states and velocities. Where others of the same contact
/// states are near it the one that does not depend on the order of contacts takes its place (choose.c), if its residual
/// is well within the tolerance of solvers; then Lambda, xi and residual are new, the states are not. Where only forces
/// differ that is done if `forces` says so. Returns whether there are others, whether they move differently, and
/// whether the one of least norm was found. The arena needs ss_choose_size().
ss_choice ss_choose(const ss_contact_problem* p, bool forces, ss_arena* arena, ss_contact_solution* s);
size_t ss_choose_size(int n_bilateral, int n_contact, int rows);

/// What the rows that rest say of it: A (n x n, its lower half) holds their entries of G, the first `still` of them are
/// of contacts that do not slide, the others normal rows of contacts that do. Where none of the latter depends on the
/// rows before it the motion is unique. (Where one does ss_choose() knows whether others are admissible.) Uses up A.
ss_choice ss_choice_of(int n, int still, double* A);

#endif
