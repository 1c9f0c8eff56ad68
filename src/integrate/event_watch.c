// Contacts that come and go, along an arc. A contact is watched once it is near: then its gap is a root function like
// any other, and it keeps its place until the arc begins anew. In every stage of a step the system lists what its
// bodies could reach within half of the step; what is not watched yet is added, and the step done again. Stages are
// 0.27 of a step apart at most, so that a contact is missed only by bodies that are more than three times faster
// between two stages than in either of them.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrate/event.h"
#include "math/dense.h"

#define AHEAD 0.5  // of a step: contacts within reach are watched
#define BESIDE 1e-10  // of the terms of a gap: points that are off the end of their edge by less are on it
#define BEHIND 1e-8   // of the terms of a gap: open contacts whose gap is below are none
#define MANY 16    // contacts that are kept whether they are far or not
#define TRIES 8    // to find what is near

const char* ss_contact_label(ss_arc* a, int contact)
{
  if (!a->w->op) return a->w->law[contact]->name;
  const char* name = ss_work_contact_name(a->w, ss_watch_number(a, contact, true));
  return name ? name : "";
}

int ss_watch_number(ss_arc* a, int contact, bool give)
{
  ss_work* w = a->w;
  if (!w->op) return contact;
  if (!give) return ss_known_find(w->known, a->key[contact]);
  return ss_known_add(w->known, w->def, a->key[contact], w->law[contact]->kind);
}

// ---- the system at a position ----

static ss_status fail(ss_work* w, ss_status st, const char* what)
{
  if (st == SS_ERR_MEMORY) what = "out of memory";
  return ss_work_fail(w, st, "%s at t = %g%s%s", what, w->at.t, w->at.message[0] ? ": " : "", w->at.message);
}

// Laws, gaps and rows of the contacts that are watched
static ss_status follow(ss_arc* a)
{
  ss_work* w = a->w;
  ss_status st = w->op->follow(&w->at, a->n, a->key, &w->item);
  if (st < 0) return fail(w, st, "contacts cannot be followed");
  int nb = w->n_bilateral, rows = nb;
  for (int i = 0; i < a->n; i++) rows += ss_contact_rows(w->item[i].law->kind);
  if (!ss_work_reserve(w, a->n, rows - nb))
    return ss_work_fail(w, SS_ERR_MEMORY, "out of memory for %d contacts", a->n);
  st = ss_arc_reserve(a, a->n, rows);
  if (st < 0) return st;
  w->n_contact = a->n;
  w->m = rows - nb;
  a->rows = nb;
  for (int i = 0; i < a->n; i++) {
    w->law[i] = w->item[i].law;
    w->gap[i] = w->item[i].gap;
    w->row[i] = a->rows;
    const ss_contact_def* c = w->law[i];
    w->mu_now[i] = c->varies ? w->op->friction(w->def->user, c, 0) : c->mu;  // until forces are evaluated
    w->bound_now[i] = c->bound;
    if (!isfinite(w->gap[i]))
      return ss_work_fail(w, SS_ERR_NUMERIC, "the gap of contact '%s' is not finite at t = %g",
                          ss_contact_label(a, i), w->at.t);
    for (int k = ss_contact_rows(w->law[i]->kind); k > 0; k--) a->extent[a->rows++] = w->item[i].size;
  }
  return SS_OK;
}

static ss_status place_by_operators(ss_arc* a)
{
  ss_work* w = a->w;
  w->at.message[0] = '\0';
  ss_status st = w->def->update ? w->def->update(&w->at) : SS_OK;
  if (st < 0) return fail(w, st, "the system could not be evaluated");
  st = follow(a);
  if (st < 0) return st;
  bool known = a->has_mass && w->def->mass_is_constant;
  if (!known) st = w->op->mass(&w->at, a->L);
  if (st < 0) return fail(w, st, "the mass matrix could not be evaluated");
  if (!known && !ss_chol_factor(a->nv, a->L))
    return fail(w, SS_ERR_NUMERIC, "the mass matrix is not positive definite");
  a->has_mass = true;
  st = w->n_bilateral ? w->op->bilateral(&w->at, w->error, a->extent) : SS_OK;
  if (st < 0) return fail(w, st, "the constraints could not be evaluated");
  w->op->row_matrix(&w->at, a->W);
  memset(w->w_hat, 0, sizeof(double)*(size_t)a->rows);
  st = w->op->row_drive ? w->op->row_drive(&w->at, w->w_hat) : SS_OK;
  if (st < 0) return fail(w, st, "the velocities of moving contacts could not be evaluated");
  if (!ss_all_finite(a->rows*a->nv, a->W) || !ss_all_finite(w->n_bilateral, w->error))
    return ss_work_fail(w, SS_ERR_NUMERIC, "a contact or constraint velocity is not finite at t = %g", w->at.t);
  return SS_OK;
}

ss_status ss_arc_place(ss_arc* a, double t, const double* y)
{
  ss_work* w = a->w;
  if (a->beyond) ss_kinks_hold(a, true);
  if (!w->op) {
    ss_status st = ss_evaluate(a->system, w, y, y + a->nq, t);
    return st == SS_ERR_NUMERIC && ss_kinks_leave(a) ? ss_evaluate(a->system, w, y, y + a->nq, t) : st;
  }
  w->at.q = y;
  w->at.u = y + a->nq;
  w->at.t = t;
  return place_by_operators(a);
}

// ---- what is near ----

static int find(int n, const uint64_t* list, uint64_t key)
{
  for (int i = 0; i < n; i++)
    if (list[i] == key) return i;
  return -1;
}

static ss_status note(ss_arc* a, uint64_t key)
{
  if (find(a->n, a->key, key) >= 0 || find(a->n_new, a->new_key, key) >= 0) return SS_OK;
  if (a->n_new == a->new_room) {
    int room = 2*a->new_room + 16;
    uint64_t* more = realloc(a->new_key, sizeof *more*(size_t)room);
    if (!more) return ss_work_fail(a->w, SS_ERR_MEMORY, "out of memory for %d contacts", room);
    a->new_key = more;
    a->new_room = room;
  }
  a->new_key[a->n_new++] = key;
  return SS_OK;
}

// What arcs do not know
static ss_status refuse(ss_work* w, const ss_contact_item* item)
{
  const char* why = item->load ? "resists spin or rolling" : item->law->set ? "has friction from a polygon" : NULL;
  if (!why) return SS_OK;
  char name[SS_CONTACT_NAME];
  w->op->contact_name(w->def->user, item->key, name, sizeof name);
  return ss_work_fail(w, SS_ERR_ARGUMENT, "contact '%s' %s, which 'event' does not know; use moreau, jean or euler",
                      name, why);
}

// Contacts that may close within dt of where the system was last evaluated
static ss_status look(ss_arc* a, double dt)
{
  const ss_contact_item* item;
  ss_work* w = a->w;
  int n;
  ss_status st = w->op->list(&w->at, dt, &n, &item);
  if (st < 0) return fail(w, st, "the contacts could not be found");
  for (int i = 0; i < n && st >= 0; i++) st = refuse(w, &item[i]);
  for (int i = 0; i < n && st >= 0; i++)
    st = note(a, w->op->watch ? w->op->watch(&w->at, item[i].key) : item[i].key);
  return st;
}

ss_status ss_watch_look(ss_arc* a) { return a->w->op ? look(a, AHEAD*a->h_now) : SS_OK; }

// The new ones behind the others, all open
static ss_status append(ss_arc* a)
{
  int n = a->n + a->n_new;
  ss_status st = ss_arc_reserve(a, n, a->w->n_bilateral + 3*n);
  if (st < 0) return st;
  for (int i = 0; i < a->n_new; i++, a->n++) {
    int last = a->rows + 3*i;
    for (int k = last; k < last + 3; k++) {
      a->slip[k] = a->impulse[k] = a->start[k] = a->here[k] = 0;
      a->z[SS_Z_ROWS + k] = a->z[SS_Z_ROWS + a->row_room + k] = 0;
      a->row_island[k] = -1;
    }
    a->key[a->n] = a->new_key[i];
    a->mode[a->n] = SS_OPEN;
    a->bounce[a->n] = (ss_bounces){0};
    a->touch[a->n] = a->shared[a->n] = a->strained[a->n] = false;
    a->contact_island[a->n] = -1;
    a->top[a->n] = a->blur[a->n] = 0;
  }
  a->n_new = 0;
  return SS_OK;
}

ss_status ss_watch_start(ss_arc* a)
{
  if (!a->w->op) return SS_OK;
  a->n_new = 0;
  ss_status st = ss_arc_place(a, a->t, a->y);
  if (st >= 0) st = look(a, 0);
  return st < 0 ? st : append(a);
}

ss_status ss_watch_add(ss_arc* a)
{
  int before = a->n;
  ss_status st = append(a);
  if (st >= 0) st = ss_arc_derivative(a, a->t, a->y, a->rk.k);
  for (int i = before; st >= 0 && i < a->n; i++)
    if (ss_has_normal(a->w->law[i])) ss_roots_add(a, i);
  return st;
}

// ---- edges that end ----

double ss_edge_room(const ss_arc* a, int contact)
{
  return a->w->op && a->w->op->next ? a->w->item[contact].room : INFINITY;
}

// A point at the end of its edge that is faster than round-off leaves it, or comes onto it. Round-off of the direction
// makes a part of the speed across the edge one along it.
static double leaving_speed(const ss_arc* a, int contact)
{
  int N = ss_normal_row(a, contact), T = N + (ss_has_tangent(a->w->law[contact]) ? 1 : 0);
  return fmax(ss_rest_tolerance(a, T), ss_rest_tolerance(a, N));
}

bool ss_is_behind(const ss_arc* a, int contact)
{
  return !isinf(ss_edge_room(a, contact)) && a->w->gap[contact] < -BEHIND*a->extent[ss_normal_row(a, contact)];
}

// It is at the end of its edge, up to round-off
static bool is_at_end(const ss_arc* a, int contact)
{
  double room = ss_edge_room(a, contact);
  return !isinf(room) && fabs(room) <= BESIDE*a->extent[ss_normal_row(a, contact)];
}

static bool leaves(const ss_arc* a, int contact)
{
  return a->w->item[contact].room_rate < -leaving_speed(a, contact);
}

bool ss_is_beside(const ss_arc* a, int contact)
{
  if (!is_at_end(a, contact)) return ss_edge_room(a, contact) < 0;
  if (leaves(a, contact)) return true;
  int other = find(a->n, a->key, a->w->op->next(&a->w->at, a->key[contact]));
  return other >= 0 && (a->mode[other] != SS_OPEN || a->touch[other]);
}

ss_status ss_watch_ends(ss_arc* a)
{
  ss_status st = SS_OK;
  int before = a->n;
  a->n_new = 0;
  for (int i = 0; i < a->n && st >= 0; i++) {
    if (!ss_has_normal(a->w->law[i]) || !is_at_end(a, i) || !leaves(a, i)) continue;
    uint64_t key = a->w->op->next(&a->w->at, a->key[i]);
    if (key) st = note(a, key);
  }
  if (st >= 0 && a->n_new) st = append(a);
  return st < 0 || a->n == before ? st : ss_arc_evaluate(a, a->t, a->y);
}

ss_status ss_watch_next(ss_arc* a, int* place)
{
  uint64_t key = a->w->op->next(&a->w->at, a->key[a->ended]);
  *place = key ? find(a->n, a->key, key) : -1;
  if (!key || *place >= 0) return SS_OK;
  a->n_new = 0;
  ss_status st = note(a, key);
  if (st >= 0) st = append(a);
  *place = a->n - 1;
  return st;
}

// ---- what is far ----

// Contact `from` into the place `to` before it, whose rows begin at row
static void move_contact(ss_arc* a, int from, int to, int row)
{
  int old = a->w->row[from];
  for (int k = 0; k < ss_contact_rows(a->w->law[from]->kind); k++) {
    a->slip[row + k] = a->slip[old + k];
    a->here[row + k] = a->here[old + k];
  }
  a->key[to] = a->key[from];
  a->mode[to] = a->mode[from];
  a->bounce[to] = a->bounce[from];
  a->shared[to] = a->shared[from];
  a->strained[to] = a->strained[from];
  a->top[to] = a->top[from];
  a->blur[to] = a->blur[from];
  for (int k = 0; k < 2; k++) {
    a->direct[2*to + k] = a->direct[2*from + k];
    a->refer[2*to + k] = a->refer[2*from + k];
  }
}

// Only the contacts with place[i] >= 0 stay, at these places; their roots with them
static void keep(ss_arc* a, const int* place)
{
  int n = 0, n_root = 0, row = a->w->n_bilateral;
  for (int i = 0; i < a->n; i++) {
    if (place[i] < 0) continue;
    move_contact(a, i, n++, row);
    row += ss_contact_rows(a->w->law[i]->kind);
  }
  for (int i = 0; i < a->n_root; i++) {
    ss_root r = a->root[i];
    if (r.contact >= 0 && place[r.contact] < 0) continue;
    if (r.contact >= 0) r.contact = place[r.contact];
    a->root[n_root++] = r;
  }
  a->n = n;
  a->n_root = n_root;
}

ss_status ss_watch_tidy(ss_arc* a)
{
  if (!a->w->op || a->n <= MANY + 2*a->n_tidy) return SS_OK;
  int *place = a->list, n = 0;  // as many as rows
  ss_status st = ss_arc_place(a, a->t, a->y);
  if (st < 0) return st;
  int watched = a->n;
  a->n = 0;  // so that all that is near is noted
  for (int k = 0; k == 0 || (k < TRIES && st == SS_ERR_OVERLAP); k++) {  // within the next step, or a shorter one
    a->n_new = 0;
    st = look(a, a->h/(1 << k));
  }
  a->n = watched;
  for (int i = 0; i < a->n; i++) {
    bool stays = a->mode[i] != SS_OPEN || a->bounce[i].count > 1 || find(a->n_new, a->new_key, a->key[i]) >= 0;
    place[i] = st < 0 || stays ? n++ : -1;
  }
  a->n_new = 0;
  a->n_tidy = n;
  if (n < a->n) keep(a, place);
  st = ss_arc_place(a, a->t, a->y);  // rows have new numbers
  if (st < 0) return st;
  ss_arc_combine(a);
  for (int i = 0; i < a->n; i++)  // as when the arc began: the same rows are held
    if (a->shared[i]) a->group[a->contact_island[i]].singular = true;
  return ss_arc_derivative(a, a->t, a->y, a->rk.k);
}
