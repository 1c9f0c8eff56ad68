// Which boxes overlap, in O(n log n): boxes are sorted along a space-filling curve [Morton 1966] and gathered, four to
// a leaf, in a complete binary tree of boxes (the idea of Lauterbach et al. 2009). No pointers: node k has the children
// 2k and 2k + 1. What is found depends on the boxes alone, not on how good the tree is.
#include "collide/work.h"

// ---- order ---------------------------------------------------------------------------------------------------------

// The 21 lowest bits, two zeros between each
static uint64_t spread_bits(uint64_t x)
{
  x &= 0x1fffff;
  x = (x | x << 32) & 0x1f00000000ffffull;
  x = (x | x << 16) & 0x1f0000ff0000ffull;
  x = (x | x << 8) & 0x100f00f00f00f00full;
  x = (x | x << 4) & 0x10c30c30c30c30c3ull;
  x = (x | x << 2) & 0x1249249249249249ull;
  return x;
}

static double middle(const ss_box* b, int i) { return 0.5*b->lo[i] + 0.5*b->hi[i]; }

// Morton codes of the centres of the fat boxes, within the box of all centres
static void encode(ss_collider_work* w)
{
  const ss_collider* s = w->collider;
  double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY}, scale[3];
  for (int k = 0; k < s->n_finite; k++)
    for (int i = 0; i < 3; i++) {
      double x = middle(w->fat + s->finite[k], i);
      lo[i] = fmin(lo[i], x);
      hi[i] = fmax(hi[i], x);
    }
  for (int i = 0; i < 3; i++) scale[i] = hi[i] > lo[i] ? 2097151/(hi[i] - lo[i]) : 0;
  for (int k = 0; k < s->n_finite; k++) {
    uint64_t code = 0;
    for (int i = 0; i < 3; i++) {
      double x = fmin(scale[i]*(middle(w->fat + s->finite[k], i) - lo[i]), 2097151);
      code |= spread_bits((uint64_t)x) << i;
    }
    w->coded[k] = (ss_coded){code, s->finite[k]};
  }
}

#define DIGIT 11

// Stable sort by digits; digits that are the same everywhere are passed over
static void sort_codes(ss_collider_work* w)
{
  int n = w->collider->n_finite;
  for (int shift = 0; shift < 63; shift += DIGIT) {
    int start[1 << DIGIT] = {0};
    for (int k = 0; k < n; k++) start[w->coded[k].code >> shift & ((1 << DIGIT) - 1)]++;
    if (start[w->coded[0].code >> shift & ((1 << DIGIT) - 1)] == n) continue;
    for (int d = 0, sum = 0; d < 1 << DIGIT; d++) {
      int c = start[d];
      start[d] = sum;
      sum += c;
    }
    for (int k = 0; k < n; k++)
      w->coded_scratch[start[w->coded[k].code >> shift & ((1 << DIGIT) - 1)]++] = w->coded[k];
    ss_coded* sorted = w->coded_scratch;
    w->coded_scratch = w->coded;
    w->coded = sorted;
  }
}

// ---- tree ----------------------------------------------------------------------------------------------------------

static const ss_box empty = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void include(ss_box* box, const ss_box* other)
{
  for (int i = 0; i < 3; i++) {
    box->lo[i] = other->lo[i] < box->lo[i] ? other->lo[i] : box->lo[i];
    box->hi[i] = other->hi[i] > box->hi[i] ? other->hi[i] : box->hi[i];
  }
}

static void build(ss_collider_work* w)
{
  int n = w->collider->n_finite;
  for (int k = 0; k < w->n_leaf; k++) w->node[w->n_leaf + k] = empty;
  for (int k = 0; k < n; k++) {
    w->leaf_box[k] = w->fat[w->coded[k].geom];
    include(w->node + w->n_leaf + k/SS_LEAF, w->leaf_box + k);
  }
  for (int k = w->n_leaf - 1; k > 0; k--) {
    w->node[k] = w->node[2*k];
    include(w->node + k, w->node + 2*k + 1);
  }
}

// ---- pairs ---------------------------------------------------------------------------------------------------------

static bool append(ss_collider_work* w, int k, int l)
{
  int a = w->coded[k].geom, b = w->coded[l].geom;
  if (!(w->seams ? ss_is_seam(w, a, b) : ss_geoms_can_meet(w->collider, a, b))) return true;
  if (w->n_pair == w->pair_room && !ss_pairs_reserve(w, w->n_pair + 1)) return false;
  w->pair[w->n_pair++] = a < b ? (ss_geom_pair){a, b} : (ss_geom_pair){b, a};
  return true;
}

// Places [first, end) of a leaf
static int end_of_leaf(const ss_collider_work* w, int leaf)
{
  int end = SS_LEAF*(leaf + 1), n = w->collider->n_finite;
  return end < n ? end : n;
}

static bool within_leaf(ss_collider_work* w, int leaf)
{
  int end = end_of_leaf(w, leaf);
  for (int k = SS_LEAF*leaf; k < end; k++)
    for (int l = k + 1; l < end; l++)
      if (ss_boxes_overlap(w->leaf_box + k, w->leaf_box + l) && !append(w, k, l)) return false;
  return true;
}

static bool between_leaves(ss_collider_work* w, int one, int two)
{
  int end = end_of_leaf(w, one), end_two = end_of_leaf(w, two);
  const ss_box* box = w->node + w->n_leaf + two;
  for (int k = SS_LEAF*one; k < end; k++) {
    if (!ss_boxes_overlap(w->leaf_box + k, box)) continue;
    for (int l = SS_LEAF*two; l < end_two; l++)
      if (ss_boxes_overlap(w->leaf_box + k, w->leaf_box + l) && !append(w, k, l)) return false;
  }
  return true;
}

// All leaves below a node that overlap a leaf
static bool descend(ss_collider_work* w, int leaf, int node)
{
  int stack[64], depth = 0;
  const ss_box* box = w->node + w->n_leaf + leaf;
  stack[depth++] = node;
  while (depth > 0) {
    node = stack[--depth];
    if (!ss_boxes_overlap(box, w->node + node)) continue;
    if (node >= w->n_leaf) {
      if (!between_leaves(w, leaf, node - w->n_leaf)) return false;
      continue;
    }
    stack[depth++] = 2*node + 1;
    stack[depth++] = 2*node;
  }
  return true;
}

// Every leaf against those to its right: the right brothers of its ancestors hold them all
bool ss_tree_pairs(ss_collider_work* w)
{
  int n = w->collider->n_finite;
  if (n < 2) return true;
  encode(w);
  sort_codes(w);
  build(w);
  for (int leaf = 0; SS_LEAF*leaf < n; leaf++) {
    if (!within_leaf(w, leaf)) return false;
    for (int k = w->n_leaf + leaf; k > 1; k /= 2)
      if (k%2 == 0 && !descend(w, leaf, k + 1)) return false;
  }
  return true;
}
