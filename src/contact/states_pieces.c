// The list of the solutions of a planar contact problem: pieces, each the polyhedron of one combination of states, none
// within another.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact/states.h"
#include "math/dense.h"

enum { ROWS = SS_STATES_ROWS };

static double* row_for(ss_states* w, double** rows, int* count, int* room)
{
  size_t m = (size_t)w->p->m;
  if (*count == *room) {
    int more = *room ? 2 * *room : 4;
    double* grown = realloc(*rows, sizeof(double)*m*(size_t)more);
    if (!grown) {
      w->no_memory = true;
      return NULL;
    }
    *rows = grown;
    *room = more;
  }
  return *rows + (size_t)(*count)++*m;
}

// Rows a and b of contact impulses agree, relative to the largest (and to `least`) in units of the problem
static bool same(const ss_states* w, const double* a, const double* b, double least)
{
  double size = least, distance = 0;
  for (int r = 0; r < w->m; r++) {
    int i = w->r.nb + r;
    size = fmax(size, fabs(a[i])/w->unit[r]);
    distance = fmax(distance, fabs(a[i] - b[i])/w->unit[r]);
  }
  return distance <= SS_STATES_SAME*size;
}

static void add_unless_there(ss_states* w, double** rows, int* count, int* room, double least)
{
  for (int k = 0; k < *count; k++)
    if (same(w, *rows + (size_t)k*(size_t)w->p->m, w->Lambda, least)) return;
  double* row = row_for(w, rows, count, room);
  if (row) memcpy(row, w->Lambda, sizeof(double)*(size_t)w->p->m);
}

void ss_states_add(ss_states* w, bool ray)
{
  ss_contact_piece* p = &w->piece;
  if (ray) add_unless_there(w, &p->rays, &p->n_rays, &w->ray_room, 0);
  else add_unless_there(w, &p->vertices, &p->n_vertices, &w->vertex_room, w->beta);
}

// Lambda fits the combination (a direction: its homogeneous laws)
static bool fits(const ss_states* w, const ss_way* const* way_of, const double* Lambda, bool ray)
{
  double L[ROWS], xi[ROWS], size = ray ? 0 : 1;
  int m = w->m;
  for (int r = 0; r < m; r++) {
    L[r] = Lambda[w->r.nb + r]/(w->unit[r]*(ray ? 1 : w->beta));
    size = fmax(size, fabs(L[r]));
  }
  for (int r = 0; r < m; r++) xi[r] = ss_dot(m, w->G + r*m, L) + (ray ? 0 : w->b[r]);
  double tol = SS_STATES_SAME*size;
  for (int i = 0; i < w->k; i++) {
    const ss_way* c = way_of[i];
    int N = w->N[i], T = w->T[i];
    double limit = (N >= 0 ? w->mu[i]*L[N] : 0) + (ray ? 0 : w->bound[i]);
    if (N >= 0 && (c->closed ? fabs(xi[N]) > tol || L[N] < -tol : fabs(L[N]) > tol || xi[N] < -tol)) return false;
    if (T < 0) continue;
    if (c->grip == SS_NO_GRIP && fabs(L[T]) > tol) return false;
    if (c->grip == SS_HOLDS && (fabs(xi[T]) > tol || fabs(L[T]) > limit + tol)) return false;
    if (c->grip == SS_SLIDES && fabs(L[T] + c->sign*limit) > tol) return false;
    if (c->grip == SS_SLIDES && !c->free && c->sign*xi[T] < -tol) return false;
  }
  return true;
}

static bool lies_within(const ss_states* w, const ss_contact_piece* piece, const ss_way* const* way_of)
{
  size_t m = (size_t)w->p->m;
  for (int k = 0; k < piece->n_vertices; k++)
    if (!fits(w, way_of, piece->vertices + (size_t)k*m, false)) return false;
  for (int k = 0; k < piece->n_rays; k++)
    if (!fits(w, way_of, piece->rays + (size_t)k*m, true)) return false;
  return true;
}

void ss_states_free_piece(ss_contact_piece* piece)
{
  free(piece->state);
  free(piece->vertices);
  free(piece->rays);
  free(piece->xi);
  free(piece->compression);
}

// xi of a vertex; exactly zero where the states say so
static void write_xi(const ss_states* w, const double* Lambda, double* xi)
{
  int m = w->p->m, nb = w->r.nb;
  ss_gemv(m, m, w->p->G, Lambda, xi);
  for (int r = 0; r < m; r++) xi[r] = r < nb ? 0 : xi[r] + w->p->b[r];
  for (int i = 0; i < w->k; i++) {
    if (w->now[i]->closed) xi[nb + w->N[i]] = 0;
    if (w->now[i]->grip == SS_HOLDS) xi[nb + w->T[i]] = 0;
  }
}

// States and xi of the piece at hand; false if memory is short
static bool complete_piece(ss_states* w)
{
  ss_contact_piece* piece = &w->piece;
  int m = w->p->m;
  piece->state = malloc(sizeof(ss_contact_state)*(size_t)w->k + 1);
  piece->xi = malloc(sizeof(double)*(size_t)(m*piece->n_vertices) + 1);
  w->no_memory = !piece->state || !piece->xi;
  if (w->no_memory) return false;
  for (int i = 0; i < w->k; i++) piece->state[i] = w->now[i]->state;
  for (int k = 0; k < piece->n_vertices; k++) write_xi(w, piece->vertices + k*m, piece->xi + k*m);
  piece->xi_unique = (piece->n_vertices == 1 && piece->n_rays == 0) || ss_states_one_xi(w);
  return true;
}

static bool room_for_piece(ss_states* w)
{
  if (w->all->n_pieces < w->piece_room) return true;
  int more = 2*w->piece_room + 8;
  void* pieces = realloc(w->all->pieces, sizeof(ss_contact_piece)*(size_t)more);
  if (pieces) w->all->pieces = pieces;
  void* combination = realloc(w->combination, sizeof *w->combination*(size_t)more);
  if (combination) w->combination = combination;
  w->no_memory = !pieces || !combination;
  if (!w->no_memory) w->piece_room = more;
  return !w->no_memory;
}

void ss_states_keep(ss_states* w)
{
  ss_contact_solutions* all = w->all;
  int kept = 0;
  for (int k = 0; k < all->n_pieces; k++)
    if (lies_within(w, &w->piece, w->combination[k])) return;
  for (int k = 0; k < all->n_pieces; k++) {
    if (lies_within(w, &all->pieces[k], w->now)) {
      ss_states_free_piece(&all->pieces[k]);
      continue;
    }
    all->pieces[kept] = all->pieces[k];
    memmove(w->combination[kept++], w->combination[k], sizeof *w->combination);
  }
  all->n_pieces = kept;
  if (!room_for_piece(w) || !complete_piece(w)) return;
  memcpy(w->combination[kept], w->now, sizeof *w->combination);
  all->pieces[all->n_pieces++] = w->piece;
  w->piece = (ss_contact_piece){0};
  w->vertex_room = w->ray_room = 0;
}
