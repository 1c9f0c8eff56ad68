// Both ends of a step in two stages: memory, contacts that are the same at both, and what the first stage holds.
#include "integrate/rattle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/dense.h"

#define OVERLAP_ROUND_OFF 1e-12  // of the terms of a gap: overlap at the start that is none

void ss_rattle_destroy(ss_rattle* x)
{
  if (!x) return;
  ss_work_destroy(x->a);
  free(x->at_end);
  free(x->gamma);
  free(x->in);
  free(x->rounds.g);
  free(x);
}

ss_rattle* ss_rattle_of(const ss_system* system, ss_work* w)
{
  if (w->rattle) return w->rattle;
  ss_rattle* x = w->rattle = calloc(1, sizeof *x);
  double* memory = x ? malloc(sizeof *memory*((size_t)ss_anderson_doubles(w->nv) + 1)) : NULL;
  if (memory) ss_anderson_place(&x->rounds, w->nv, memory);
  if (memory && (x->a = ss_work_create(system, NULL))) return x;
  ss_rattle_destroy(x);
  return w->rattle = NULL;
}

static bool grow(ss_rattle* x, int contacts, int rows)
{
  size_t k = (size_t)contacts, m = (size_t)rows;
  int* at_end = realloc(x->at_end, sizeof *at_end*(2*k + 1));
  if (at_end) x->at_end = at_end;
  double* gamma = realloc(x->gamma, sizeof *gamma*(5*m + 1));
  if (gamma) x->gamma = gamma;
  bool* in = realloc(x->in, sizeof *in*(2*k + 1));
  if (in) x->in = in;
  if (!at_end || !gamma || !in) return false;
  x->at_start = at_end + k;
  x->gone = in + k;
  x->gamma_end = gamma + m;
  x->held = gamma + 2*m;
  x->P = gamma + 3*m;
  x->P_end = gamma + 4*m;
  x->room_contacts = contacts;
  x->room_rows = rows;
  return true;
}

bool ss_rattle_reserve(ss_rattle* x, const ss_work* w)
{
  int contacts = x->a->most_contacts > w->most_contacts ? x->a->most_contacts : w->most_contacts;
  int rows = x->a->most_rows > w->most_rows ? x->a->most_rows : w->most_rows;
  return (contacts <= x->room_contacts && rows <= x->room_rows && x->in) || grow(x, contacts, rows);
}

// ---- which contact is which ----

static void pair(ss_rattle* x, int i, int j)
{
  x->at_end[i] = j;
  x->at_start[j] = i;
}

// Bodies have not passed one another in between
static bool faces(const ss_contact_item* a, const ss_contact_item* e)
{
  bool placed = a->frame[0] != 0 || a->frame[1] != 0 || a->frame[2] != 0;
  return !placed || ss_dot(3, a->frame, e->frame) > 0;
}

static double distance(const double* a, const double* b)
{
  return sqrt((a[0] - b[0])*(a[0] - b[0]) + (a[1] - b[1])*(a[1] - b[1]) + (a[2] - b[2])*(a[2] - b[2]));
}

// A contact is named after other corners or edges where bodies have tilted: of those of the same two shapes that are
// left over at the end the nearest one goes on. Keys of a pair are neighbours; j is the first one that is not below.
static void pair_renamed(ss_rattle* x, const ss_work* w, int i, int j)
{
  const ss_contact_item* item = &x->a->item[i];
  double nearest = item->thick;
  int found = -1;
  for (int way = -1; way <= 1; way += 2)
    for (int k = way < 0 ? j - 1 : j; k >= 0 && k < w->n_contact; k += way) {
      if (w->item[k].key >> SS_KEY_FEATURE != item->key >> SS_KEY_FEATURE) break;
      double far = distance(item->point, w->item[k].point);
      if (x->at_start[k] >= 0 || !(far < nearest) || !faces(item, &w->item[k])) continue;
      nearest = far;
      found = k;
    }
  if (found >= 0) pair(x, i, found);
}

// Both lists are sorted by key
static void match_listed(ss_rattle* x, const ss_work* w)
{
  const ss_work* a = x->a;
  for (int i = 0, j = 0; i < a->n_contact; i++) {
    while (j < w->n_contact && w->item[j].key < a->item[i].key) j++;
    if (j < w->n_contact && w->item[j].key == a->item[i].key && faces(&a->item[i], &w->item[j])) pair(x, i, j);
  }
  for (int i = 0, j = 0; i < a->n_contact; i++) {
    while (j < w->n_contact && w->item[j].key < a->item[i].key) j++;
    if (x->at_end[i] < 0 && a->item[i].thick > 0 && !a->item[i].load) pair_renamed(x, w, i, j);
  }
}

void ss_rattle_match(ss_rattle* x, const ss_work* w)
{
  for (int i = 0; i < x->a->n_contact; i++) x->at_end[i] = w->op ? -1 : i;
  for (int j = 0; j < w->n_contact; j++) x->at_start[j] = w->op ? -1 : j;
  if (w->op) match_listed(x, w);
}

// ---- what the first stage holds ----

// Overlap at the start, which gets no deeper: to remove it at once might need room that there is not
static double overlap(const ss_work* a, int i)
{
  double size = 0;
  int r = a->row[i];
  for (int j = 0; !a->op && j < a->nv; j++) size += fabs(a->W[r*a->nv + j]*a->at.q[j]);
  if (a->op) size = a->item[i].size;
  return a->gap[i] < -OVERLAP_ROUND_OFF*size ? a->gap[i] : 0;
}

// The tangential velocity k of contact i at the end, in the directions that it had at the start
static double turned_back(const ss_rattle* x, const ss_work* w, int i, int k)
{
  int j = x->at_end[i], rows = ss_contact_rows(w->law[j]->kind), r = w->row[j];
  double sum = 0;
  for (int l = 1; l < rows; l++) {
    double along = ss_dot(3, w->item[j].frame + 3*l, x->a->item[i].frame + 3*k);
    sum += x->gamma_end[r + l]/ss_stretch(w, j, l)*along;
  }
  return sum*ss_stretch(x->a, i, k);
}

static bool has_directions(const ss_work* w, int i)
{
  const double* T = w->op ? w->item[i].frame + 3 : NULL;
  return T && !w->item[i].load && w->law[i]->kind != SS_CONTACT_FRICTION && (T[0] != 0 || T[1] != 0 || T[2] != 0);
}

static void hold_contact(ss_rattle* x, const ss_work* w, int i, double dt, bool known)
{
  const ss_work* a = x->a;
  int r = a->row[i], j = known ? x->at_end[i] : -1, rows = ss_contact_rows(a->law[i]->kind);
  bool gap = a->law[i]->kind != SS_CONTACT_FRICTION && !(a->op && a->item[i].load);
  for (int k = 0; k < rows; k++) {
    double start = x->gamma[r + k];
    bool normal = k == 0 && gap;
    if (normal) x->held[r] = ((j < 0 ? a->gap[i] + dt*start : w->gap[j]) - overlap(a, i))/dt;
    else if (j < 0) x->held[r + k] = start;
    else x->held[r + k] = (start + (has_directions(a, i) ? turned_back(x, w, i, k) : x->gamma_end[w->row[j] + k]))/2;
  }
}

void ss_rattle_hold(ss_rattle* x, const ss_work* w, double dt, bool foreseen)
{
  const ss_work* a = x->a;
  for (int r = 0; r < a->n_bilateral; r++)
    x->held[r] = (foreseen ? a->error[r] + dt*x->gamma[r] : w->error[r])/dt;
  for (int i = 0; i < a->n_contact; i++) hold_contact(x, w, i, dt, !foreseen);
}

void ss_rattle_carry(ss_rattle* x, const ss_work* w)
{
  const ss_work* a = x->a;
  for (int r = 0; r < w->n_bilateral; r++) x->P_end[r] = x->P[r];
  for (int r = w->n_bilateral; r < w->n_bilateral + w->m; r++) x->P_end[r] = 0;
  for (int j = 0; j < w->n_contact; j++) {
    int i = x->at_start[j];
    if (i < 0) continue;
    for (int k = 0; k < ss_contact_rows(w->law[j]->kind); k++) x->P_end[w->row[j] + k] = x->P[a->row[i] + k];
  }
}
