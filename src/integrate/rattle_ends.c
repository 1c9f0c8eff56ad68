// Both ends of a step in two stages: memory, contacts that are the same at both, and what the first stage holds.
#include "integrate/rattle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/dense.h"

#define GAP_ROUND_OFF 1e-15      // of the terms of a gap: one that is none
#define OVERLAP_ROUND_OFF 1e-12  // of the terms of a gap: overlap at the start that is none
#define FALL_ROUND_OFF 1e-13     // ... of what forces make of it within a step: likewise
#define SAME_SIDE 0.57           // cosine: how far a normal may turn, 55 degrees. No angle of a regular polygon is near

void ss_rattle_destroy(ss_rattle* x)
{
  if (!x) return;
  ss_work_destroy(x->a);
  free(x->at_end);
  free(x->at_start);
  free(x->gamma);
  free(x->gamma_end);
  free(x->in);
  free(x->heir);
  free(x->key);
  free(x->rounds.g);  // and what follows it
  free(x);
}

ss_rattle* ss_rattle_of(const ss_system* system, ss_work* w)
{
  if (w->rattle) return w->rattle;
  ss_rattle* x = w->rattle = calloc(1, sizeof *x);
  size_t nv = (size_t)w->nv, rounds = (size_t)ss_anderson_doubles(w->nv);
  double* memory = x ? calloc(rounds + 3*nv + 8*(size_t)w->def->n_parts + 1, sizeof *memory) : NULL;
  if (memory) {
    ss_anderson_place(&x->rounds, w->nv, memory);
    x->d_start = memory + rounds;
    x->d_end = x->d_start + nv;
    x->u_balanced = x->d_end + nv;
    x->alpha = x->u_balanced + nv;
    x->alpha_before = x->alpha + 4*w->def->n_parts;
  }
  if (memory && (x->a = ss_work_create(system, NULL))) return x;
  ss_rattle_destroy(x);
  return w->rattle = NULL;
}

void ss_rattle_swap(ss_work* w)
{
  void* scratch = w->at.scratch;
  if (!w->op || !w->rattle) return;
  w->at.scratch = w->rattle->a->at.scratch;
  w->rattle->a->at.scratch = scratch;
}

bool ss_rattle_reserve_start(ss_rattle* x)
{
  int contacts = x->a->most_contacts, rows = x->a->most_rows;
  if (contacts <= x->room_contacts && rows <= x->room_rows && x->in) return true;
  size_t k = (size_t)contacts, m = (size_t)rows;
  int* at_end = realloc(x->at_end, sizeof *at_end*(2*k + 1));
  if (at_end) x->at_end = at_end;
  double* gamma = realloc(x->gamma, sizeof *gamma*(3*m + 1));
  if (gamma) x->gamma = gamma;
  bool* in = realloc(x->in, sizeof *in*(2*k + 1));
  if (in) x->in = in;
  uint64_t* heir = realloc(x->heir, sizeof *heir*(k + 1));
  if (heir) x->heir = heir;
  if (!at_end || !gamma || !in || !heir) return false;
  x->by_key_start = at_end + k;
  x->gone = in + k;
  x->held = gamma + m;
  x->P = gamma + 2*m;
  x->room_contacts = contacts;
  x->room_rows = rows;
  return true;
}

bool ss_rattle_reserve_end(ss_rattle* x, const ss_work* w)
{
  int contacts = w->most_contacts, rows = w->most_rows;
  if (contacts <= x->room_contacts_end && rows <= x->room_rows_end && x->at_start) return true;
  size_t k = (size_t)contacts, m = (size_t)rows;
  int* at_start = realloc(x->at_start, sizeof *at_start*(2*k + 1));
  if (at_start) x->at_start = at_start;
  double* gamma_end = realloc(x->gamma_end, sizeof *gamma_end*(2*m + 1));
  if (gamma_end) x->gamma_end = gamma_end;
  if (!at_start || !gamma_end) return false;
  x->by_key_end = at_start + k;
  x->P_end = gamma_end + m;
  x->room_contacts_end = contacts;
  x->room_rows_end = rows;
  return true;
}

// ---- which contact is which ----

static void pair(ss_rattle* x, int i, int j)
{
  x->at_end[i] = j;
  x->at_start[j] = i;
}

static bool is_placed(const ss_contact_item* item)
{
  return item->frame[0] != 0 || item->frame[1] != 0 || item->frame[2] != 0;
}

// Bodies have not passed one another in between, and it is the same side that is touched: beside a corner that was slid
// past, its other edge is. An impulse along one normal says nothing of one along the other.
static bool faces(const ss_contact_item* a, const ss_contact_item* e)
{
  return !is_placed(a) || ss_dot(3, a->frame, e->frame) > SAME_SIDE;
}

// Bodies in the plane are one shape each, and their contacts have no thickness
bool ss_rattle_same_shapes(const ss_contact_item* a, const ss_contact_item* b)
{
  if (a->thick > 0 || b->thick > 0) return a->key >> SS_KEY_FEATURE == b->key >> SS_KEY_FEATURE;
  return is_placed(a) && is_placed(b) && a->body_a == b->body_a && a->body_b == b->body_b;
}

// How far from where it was a contact may go on under another name
static double near(const ss_contact_item* item)
{
  if (item->load || !is_placed(item)) return 0;
  return item->thick > 0 ? item->thick : item->size;
}

static double distance(const double* a, const double* b)
{
  return sqrt((a[0] - b[0])*(a[0] - b[0]) + (a[1] - b[1])*(a[1] - b[1]) + (a[2] - b[2])*(a[2] - b[2]));
}

// Numbers of contacts in the order of their keys. Lists are made of a few runs that are in order.
static void sort_by_key(const ss_work* w, int* order)
{
  for (int i = 0; i < w->n_contact; i++) {
    int k = i;
    for (; k > 0 && w->item[order[k - 1]].key > w->item[i].key; k--) order[k] = order[k - 1];
    order[k] = i;
  }
}

// A contact is named after other corners or edges where bodies have tilted: of those of the same two shapes that are
// left over at the end the nearest one goes on. Keys of a pair are neighbours; the one at place k is the first that is
// not below.
static void pair_renamed(ss_rattle* x, const ss_work* w, int i, int k)
{
  const ss_contact_item* item = &x->a->item[i];
  double nearest = near(item);
  int found = -1;
  for (int way = -1; way <= 1; way += 2)
    for (int n = way < 0 ? k - 1 : k; n >= 0 && n < w->n_contact; n += way) {
      int j = x->by_key_end[n];
      if (!ss_rattle_same_shapes(&w->item[j], item)) break;
      double far = distance(item->point, w->item[j].point);
      if (x->at_start[j] >= 0 || !(far < nearest) || !faces(item, &w->item[j])) continue;
      nearest = far;
      found = j;
    }
  if (found >= 0) pair(x, i, found);
}

// Those that were handed over, before all others: what they have in name or place is another contact now
static void pair_heirs(ss_rattle* x, const ss_work* w)
{
  for (int i = 0; i < x->a->n_contact; i++)
    for (int j = 0; x->heir[i] && j < w->n_contact; j++)
      if (w->item[j].key == x->heir[i] && x->at_start[j] < 0) pair(x, i, j);
}

static void match_listed(ss_rattle* x, const ss_work* w)
{
  const ss_work* a = x->a;
  sort_by_key(a, x->by_key_start);
  sort_by_key(w, x->by_key_end);
  pair_heirs(x, w);
  for (int renamed = 0; renamed < 2; renamed++)
    for (int n = 0, k = 0; n < a->n_contact; n++) {
      int i = x->by_key_start[n];
      const ss_contact_item* item = &a->item[i];
      while (k < w->n_contact && w->item[x->by_key_end[k]].key < item->key) k++;
      int j = k < w->n_contact ? x->by_key_end[k] : -1;
      bool named = j >= 0 && w->item[j].key == item->key && x->at_start[j] < 0;
      if (x->at_end[i] >= 0) continue;
      if (renamed && near(item) > 0) pair_renamed(x, w, i, k);
      else if (!renamed && named && faces(item, &w->item[j])) pair(x, i, j);
    }
}

void ss_rattle_match(ss_rattle* x, const ss_work* w)
{
  for (int i = 0; i < x->a->n_contact; i++) x->at_end[i] = w->op ? -1 : i;
  for (int j = 0; j < w->n_contact; j++) x->at_start[j] = w->op ? -1 : j;
  if (w->op) match_listed(x, w);
}

bool ss_rattle_hand_over(ss_rattle* x, const ss_work* w, int j)
{
  double nearest = INFINITY;
  int found = -1;
  for (int i = 0; i < x->a->n_contact; i++) {
    const ss_contact_item* item = &x->a->item[i];
    bool renamed = x->at_end[i] < 0 || w->item[x->at_end[i]].key != item->key;
    double far = distance(item->point, w->item[j].point);
    if (!renamed || x->heir[i] || !ss_rattle_same_shapes(item, &w->item[j]) || !faces(item, &w->item[j])) continue;
    if (!(far < fmin(nearest, near(item)))) continue;
    nearest = far;
    found = i;
  }
  if (found >= 0) x->heir[found] = w->item[j].key;
  return found >= 0;
}

static int by_value(const void* a, const void* b)
{
  uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
  return x < y ? -1 : x > y;
}

bool ss_rattle_keep_keys(ss_rattle* x)
{
  int n = x->a->n_contact;
  if (n > x->room_keys) {
    uint64_t* key = realloc(x->key, sizeof *key*2*(size_t)n);
    if (!key) return false;
    x->key = key;
    x->room_keys = 2*n;
  }
  x->n_key = n;
  for (int i = 0; i < n; i++) x->key[i] = x->a->item[i].key;
  if (n) qsort(x->key, (size_t)n, sizeof *x->key, by_value);
  return true;
}

static bool was_listed(const ss_rattle* x, uint64_t key)
{
  return !x->listed_again || (x->n_key && bsearch(&key, x->key, (size_t)x->n_key, sizeof key, by_value));
}

void ss_rattle_leave_new(ss_rattle* x, const ss_work* w)
{
  for (int j = 0; w->op && j < w->n_contact; j++) {
    int i = x->at_start[j];
    if (i < 0 || x->P[x->a->row[i]] != 0) continue;
    uint64_t key = x->a->item[i].key;
    if (key == w->item[j].key && was_listed(x, key)) continue;
    x->at_end[i] = x->at_start[j] = -1;
  }
}

// ---- what the first stage holds ----

// Overlap at the start, which gets no deeper: to remove it at once might need room that there is not. Round-off of the
// gap or of the way within a step is removed: it would add up where contacts face one another.
static double overlap(const ss_work* a, int i)
{
  double little = fmax(OVERLAP_ROUND_OFF*ss_gap_terms(a, i), FALL_ROUND_OFF*a->fall[i]);
  return a->gap[i] < -little ? a->gap[i] : 0;
}

// The gap of contact j less what it may be. Round-off is no gap: bodies at rest would be pushed by it, and redundant
// contacts contradict one another. It is that of the coordinates of two bodies, or of the terms of the gap.
static double gap_left(const ss_rattle* x, const ss_work* w, int j, double allowed, double dt)
{
  double left = w->gap[j] - allowed, noise = fmax(GAP_ROUND_OFF*ss_gap_terms(w, j), 2*x->q_noise*dt);
  return fabs(left) <= noise ? 0 : left;
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
    if (normal && j < 0) x->held[r] = gap_left(x, a, i, overlap(a, i), dt)/dt + start;
    else if (normal) x->held[r] = gap_left(x, w, j, overlap(a, i), dt)/dt;
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

// What turns tangents of contact i at the start into those of contact j at the end, cos and sin: where a contact has
// another name at the end its directions may be others, too. The rest of the way between both planes is a tilt.
static void find_turn(const ss_work* a, int i, const ss_work* w, int j, double turn[2])
{
  const double *from = a->item[i].frame + 3, *to = w->item[j].frame + 3;
  double c = ss_dot(3, from, to), s = ss_contact_rows(w->law[j]->kind) > 2 ? ss_dot(3, from, to + 3) : 0;
  double length = hypot(c, s);
  bool same = memcmp(from, to, 6*sizeof *from) == 0 || !(length > 0);
  turn[0] = same ? 1 : c/length;
  turn[1] = same ? 0 : s/length;
}

double ss_rattle_turned(const ss_rattle* x, const ss_work* w, int j, int k, const double* rows, bool impulses)
{
  const ss_work* a = x->a;
  int i = x->at_start[j], r = a->row[i];
  if (k == 0 || !has_directions(a, i) || !has_directions(w, j)) return rows[r + k];
  double turn[2], sum = 0;
  find_turn(a, i, w, j, turn);
  for (int l = 1; l < ss_contact_rows(w->law[j]->kind); l++) {
    double part = l == k ? turn[0] : k == 2 ? turn[1] : -turn[1], stretch = ss_stretch(a, i, l);
    sum += part*(impulses ? rows[r + l]*stretch : rows[r + l]/stretch);
  }
  return impulses ? sum/ss_stretch(w, j, k) : sum*ss_stretch(w, j, k);
}

void ss_rattle_carry(ss_rattle* x, const ss_work* w)
{
  for (int r = 0; r < w->n_bilateral; r++) x->P_end[r] = x->P[r];
  for (int r = w->n_bilateral; r < w->n_bilateral + w->m; r++) x->P_end[r] = 0;
  for (int j = 0; j < w->n_contact; j++)
    for (int k = 0; x->at_start[j] >= 0 && k < ss_contact_rows(w->law[j]->kind); k++)
      x->P_end[w->row[j] + k] = ss_rattle_turned(x, w, j, k, x->P, true);
}
