// The workspace of a tree: one block, sized once.
#include <string.h>
#include "base/arena.h"
#include "base/text.h"
#include "multibody/tree.h"

// The arrays of a workspace, from its arena; with a NULL arena, the bytes that they need
static size_t take_all(ss_tree_work* work, ss_arena* arena, const ss_tree* tree)
{
  size_t bytes = 0, bodies = (size_t)tree->n_body, nq = (size_t)tree->nq, nv = (size_t)tree->nv;
#define TAKE(field, number)                                                                  \
  do {                                                                                       \
    if (arena) {                                                                             \
      work->field = ss_arena_take(arena, sizeof *work->field*((number) + 1));                \
      memset(work->field, 0, sizeof *work->field*((number) + 1));                            \
    }                                                                                        \
    bytes += ss_arena_bytes(sizeof *work->field*((number) + 1));                             \
  } while (0)
  TAKE(q, nq);
  TAKE(half, (size_t)tree->n_hinge + 3);
  TAKE(sine, (size_t)tree->n_hinge + 3);
  TAKE(cosine, (size_t)tree->n_hinge + 3);
  TAKE(rotation, bodies);
  TAKE(R, bodies);
  TAKE(com, bodies);
  TAKE(d, bodies);
  TAKE(J, bodies);
  TAKE(S, nv);
  TAKE(u, nv);
  TAKE(V, bodies);
  TAKE(A, bodies);
  TAKE(I, bodies);
  TAKE(rotor, nv);
  TAKE(D_inv, nv);
  TAKE(K, nv);
  TAKE(size, bodies);
  TAKE(f, bodies);
  TAKE(a, bodies);
  TAKE(T, bodies);
  TAKE(e, nv);
  TAKE(x, nv);
  TAKE(h, nv);
  TAKE(turn, (size_t)tree->n_turn);
  TAKE(room, tree->can_turn ? 6*nv : 0);
#undef TAKE
  return bytes + ss_arena_bytes(sizeof *work);
}

static ss_tree_work* create(const ss_tree* tree, ss_error* error)
{
  ss_arena* arena = ss_arena_create(take_all(NULL, NULL, tree));
  if (!arena) {
    ss_error_set(error, SS_ERR_MEMORY, "no memory for the work on a tree of %d bodies", tree->n_body - 1);
    return NULL;
  }
  ss_tree_work* work = ss_arena_array(arena, ss_tree_work, 1);
  *work = (ss_tree_work){.tree = tree, .arena = arena, .singular = -1};
  take_all(work, arena, tree);
  work->rotation[0] = (ss_quat){1, 0, 0, 0};
  work->R[0] = ss_quat_matrix(work->rotation[0]);
  ss_tree_set_implicit(work, NULL);
  return work;
}

ss_tree_work* ss_tree_work_create(const ss_tree* tree, ss_error* error)
{
  if (!tree) {
    ss_error_null(error, "the tree");
    return NULL;
  }
  ss_tree_work* work = create(tree, error);
  if (!work || !tree->can_turn) return work;
  work->aside = create(tree, error);
  if (work->aside) return work;
  ss_tree_work_destroy(work);
  return NULL;
}

void ss_tree_work_destroy(ss_tree_work* work)
{
  if (!work) return;
  if (work->aside) ss_arena_destroy(work->aside->arena);
  ss_arena_destroy(work->arena);
}
