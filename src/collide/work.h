// What a scene needs from step to step: placed shapes, boxes, the list of near pairs, the contacts.
#ifndef SS_COLLIDE_WORK_H
#define SS_COLLIDE_WORK_H

#include "collide/collider.h"

/// A box in world axes. Empty if lo > hi.
typedef struct ss_box { double lo[3], hi[3]; } ss_box;

static inline bool ss_boxes_overlap(const ss_box* a, const ss_box* b)
{
  return (a->lo[0] <= b->hi[0]) & (b->lo[0] <= a->hi[0]) & (a->lo[1] <= b->hi[1]) & (b->lo[1] <= a->hi[1]) &
         (a->lo[2] <= b->hi[2]) & (b->lo[2] <= a->hi[2]);
}

/// A sort key and what it belongs to
typedef struct ss_coded { uint64_t code; int geom; } ss_coded;

/// Some pairs of the list, asked by one thread
typedef struct ss_asked {
  int n, tested;  ///< contacts that were found, pairs that were tested
  size_t next;    ///< the pair that there was no room for, or the end of the chunk
} ss_asked;

struct ss_collider_work {
  const ss_collider* collider;
  ss_placed* placed;      ///< n_geom
  double* spread;         ///< n_geom: by how much the box of a geom is larger than the geom, m
  ss_placed* seen;        ///< n_geom: where geoms were in the last call
  double* path;           ///< n_geom: how far no point of a geom has moved farther than, all calls together, m
  double* radius;         ///< n_geom: path + spread
  double* limit;          ///< of each listed pair: the gap is this less both paths at least, m
  long paths_end;         ///< call that begins all paths anew
  ss_box* box;            ///< n_geom: of finite geoms, spread included
  ss_box* fat;            ///< n_geom: with slack; while all boxes stay within, the list of near pairs holds
  ss_vec3* renewed_at;    ///< n_geom: centres when the list was made
  ss_placed* plane_at;    ///< n_plane: poses then
  double* plane_spread;   ///< n_plane: spread up to which the list holds
  long last_renewal;      ///< call that made the list; -1: there is none

  ss_geom_pair *pair, *pair_scratch;  ///< the list of near pairs, a < b, sorted
  size_t n_pair, pair_room;
  ss_touch* touch;
  size_t n_touch, touch_room;
  ss_asked* asked;        ///< asked_room: chunks of the list; only if there are threads
  ss_touch* asked_touch;  ///< what was found in each
  size_t asked_room;

  bool seams;             ///< pairs of the tree are those of solids with a seam, not those that can meet
  int n_leaf;             ///< of the tree: a power of two
  ss_box* node;           ///< 2 n_leaf: node k has children 2k and 2k + 1; leaves hold SS_LEAF geoms each
  ss_box* leaf_box;       ///< n_finite: fat boxes in the order of the leaves
  ss_coded *coded, *coded_scratch;  ///< n_finite: geoms along a space-filling curve
  int* count;             ///< n_geom + 1, scratch for sorting pairs

  ss_collider_counts info;
};

/// Geoms in a leaf of the tree
#define SS_LEAF 4

// ---- paths (paths.c) ----

/// Follows all geoms to where they are placed. False if that is nowhere.
bool ss_follow_paths(ss_collider_work* work);

/// A plane is exactly where it was.
bool ss_plane_stays(const ss_placed* p, const ss_placed* q);

/// Nothing is known of the pairs of the list, since it is another one.
void ss_forget_limits(ss_collider_work* work);

/// A bound of the gap from below, kept as the limit of pair k
double ss_keep_limit(ss_collider_work* work, size_t k);

// ---- seams (seams.c) ----

/// Two solids that are fixed to one another touch, as they are placed
bool ss_is_seam(const ss_collider_work* work, int a, int b);

/// Takes those of n contacts of geoms a and b out that are inside of what solids with seams make up together; how many
/// are left is returned.
int ss_drop_seams(const ss_collider_work* work, int a, int b, int n, ss_touch* touch);

// ---- asking (ask.c) ----

/// The contacts of all pairs of the list, sorted: sorted pairs and sorted features. False if memory is short.
bool ss_ask_pairs(ss_collider_work* work, ss_pool* pool);

// ---- near pairs ----

/// Room for n pairs; false if memory is short
bool ss_pairs_reserve(ss_collider_work* work, size_t n);

/// The pairs of finite geoms whose fat boxes overlap and that can meet, appended to the list in any order
bool ss_tree_pairs(ss_collider_work* work);

/// The list of near pairs anew: from fat boxes about the boxes as they are now. False if memory is short.
bool ss_renew_pairs(ss_collider_work* work);

/// All pairs that can meet, or false if there are more than `most` (or no memory)
bool ss_list_all_pairs(ss_collider_work* work, size_t most);

#endif
