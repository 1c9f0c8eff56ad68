// Islands of an event-driven arc: rows that act on no common part of the system have nothing to do with one another.
// Contact forces, impacts and contact states are found island by island, so that one whose forces are not unique
// (redundant contacts) says nothing about the others, and the work grows with the number of bodies, not with its cube.
// Which rows may act on each other is known from the structure of the system (parts), not from numbers that happen to
// be zero: it holds all along an arc.
#include <assert.h>
#include <string.h>

#include "integrate/event.h"
#include "integrate/islands.h"

// Numbers of the islands of these rows, in their order; returns how many there are.
static int number_rows(ss_arc* a, int n, const int* row, int* island)
{
  const ss_system_def* d = ss_system_get(a->system);
  if (a->w->op) return ss_find_islands(a->w, n, row, island);
  if (!d->row_part) {
    memset(island, 0, (size_t)n*sizeof *island);
    return n > 0;
  }
  int count = 0, *number = a->w->part_number;
  for (int i = 0; i < d->n_parts; i++) number[i] = -1;
  for (int i = 0; i < n; i++) {
    int part = d->row_part[row[i]];
    if (number[part] < 0) number[part] = count++;
    island[i] = number[part];
  }
  return count;
}

void ss_arc_islands(ss_arc* a, bool touching)
{
  int n = 0, *row = a->order, *island = a->label, nb = a->w->n_bilateral;
  for (int r = 0; r < a->rows; r++) a->row_island[r] = -1;
  for (int r = 0; r < nb; r++) row[n++] = r;
  for (int i = 0; i < a->n; i++) {
    a->contact_island[i] = -1;
    if (touching ? !a->touch[i] : a->mode[i] == SS_OPEN) continue;
    for (int k = 0; k < ss_contact_rows(a->w->law[i]->kind); k++) row[n++] = a->w->row[i] + k;
  }
  a->n_islands = number_rows(a, n, row, island);
  for (int i = 0; i < n; i++) a->row_island[row[i]] = island[i];
  for (int i = 0; i < a->n; i++) {  // rows that nothing moves belong to their contact
    a->contact_island[i] = a->row_island[a->w->row[i]];
    for (int k = 1; k < ss_contact_rows(a->w->law[i]->kind); k++)
      a->row_island[a->w->row[i] + k] = a->contact_island[i];
  }
  a->island = -1;
}

bool ss_island_is_held(const ss_arc* a, int island)
{
  for (int i = 0; i < a->n; i++)
    if (a->contact_island[i] == island) return true;
  return false;
}

void ss_sort_by_island(ss_arc* a, int n, const int* row, int* order)
{
  int* next = a->label;  // where the next row of an island goes
  memset(next, 0, (size_t)(a->n_islands + 1)*sizeof *next);
  for (int i = 0; i < n; i++) {
    assert(a->row_island[row[i]] >= 0);
    next[a->row_island[row[i]] + 1]++;
  }
  for (int k = 0; k < a->n_islands; k++) next[k + 1] += next[k];
  for (int i = 0; i < n; i++) order[next[a->row_island[row[i]]]++] = i;
}
