// Impulses from one step to the next: two sorted lists merged by key.
#include "collide/shape.h"

// A pair is all of the key but the feature
static uint64_t pair_of(uint64_t key) { return key >> 20; }

// The contact of touch[first .. end) nearest to a point
static int nearest(const double point[3], const ss_touch* touch, int first, int end)
{
  int best = first;
  double least = INFINITY;
  for (int i = first; i < end; i++) {
    ss_vec3 d = ss_sub(ss_vec3_from(touch[i].point), ss_vec3_from(point));
    double d2 = ss_dot3(d, d);
    if (d2 < least) {
      least = d2;
      best = i;
    }
  }
  return best;
}

static void add(const double* Lambda, double* to)
{
  for (int i = 0; i < 3; i++) to[i] += Lambda[i];
}

// Tangents are a function of the normal, which points of one pair have in common but for the little that a step turns:
// the numbers along one frame serve in the other.
int ss_touch_recall(int n_memory, const ss_touch_memory* memory, int n, const ss_touch* touch, double* Lambda)
{
  int matched = 0, j = 0;
  for (int i = 0; i < 3*n; i++) Lambda[i] = 0;
  for (int k = 0; k < n_memory; k++) {
    uint64_t pair = pair_of(memory[k].key);
    while (j < n && pair_of(touch[j].key) < pair) j++;
    int end = j, found = -1;
    for (; end < n && pair_of(touch[end].key) == pair; end++)
      if (touch[end].key == memory[k].key) found = end;
    if (end == j) continue;  // the pair has parted
    matched += found >= 0;
    if (found < 0) found = nearest(memory[k].point, touch, j, end);
    add(memory[k].Lambda, Lambda + 3*found);
  }
  return matched;
}

void ss_touch_remember(int n, const ss_touch* touch, const double* Lambda, ss_touch_memory* memory)
{
  for (int i = 0; i < n; i++) {
    memory[i].key = touch[i].key;
    ss_vec3_to(ss_vec3_from(touch[i].point), memory[i].point);
    ss_vec3_to(ss_vec3_from(Lambda + 3*i), memory[i].Lambda);
  }
}
