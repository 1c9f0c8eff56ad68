#include "verify_islands.h"

#include <stdlib.h>
#include <string.h>
#include <stickslip/machine.h>

// Coordinates of a tree belong to the first velocity of their joint
static void find_moves(cli_islands* s, const ss_tree* tree)
{
  const ss_tree_def* def = ss_tree_get(tree);
  for (int j = 0; j < def->n_joint; j++) {
    int iq, iv, next = s->nq, other;
    ss_tree_joint_at(tree, j, &iq, &iv);
    for (int k = 0; k < def->n_joint; k++) {
      ss_tree_joint_at(tree, k, &other, &(int){0});
      if (other > iq && other < next) next = other;
    }
    for (int i = iq; ss_joint_velocities(def->joint[j].kind) && i < next; i++) s->moves[i] = iv;
  }
}

static int root_of(const cli_islands* s, int i)
{
  while (s->of[i] != i) i = s->of[i];
  return i;
}

static void join(cli_islands* s, int i, int j)
{
  int a = root_of(s, i), b = root_of(s, j);
  if (a < b) s->of[b] = a;
  else s->of[a] = b;
}

// Planar bodies: the velocities that move one body, found by moving each. pose, moved: 3 numbers per body
static bool join_movers(cli_islands* s, const cli_verifier* v, double* q, double* pose, double* moved)
{
  int n = ss_model_bodies(v->model);
  for (int i = 0; i < s->nq; i++) q[i] = v->q[i][0];
  if (ss_model_place_bodies(v->model, q, v->t[0], pose) < 0) return false;
  for (int i = 0; i < s->nv; i++) {
    q[i] = v->q[i][0] + 1e-3;
    if (ss_model_place_bodies(v->model, q, v->t[0], moved) < 0) return false;
    q[i] = v->q[i][0];
    for (int b = 0; b < n; b++) {
      if (memcmp(pose + 3*b, moved + 3*b, 3*sizeof *pose) == 0) continue;
      if (s->mover[b] >= 0) join(s, s->mover[b], i);
      else s->mover[b] = i;
    }
  }
  return true;
}

// What the system says acts on each other through M and forces
static void join_coupled(cli_islands* s, const cli_verifier* v)
{
  const int* coupled = v->d->coupled;
  bool all = v->d->operators ? v->d->forces_couple : !coupled;
  for (int i = 1; all && i < s->nv; i++) join(s, 0, i);
  for (int i = 1; coupled && i < s->nv; i++)
    for (int j = 0; j < i; j++)
      if (coupled[i] == coupled[j]) join(s, i, j);
}

static bool find_own(cli_islands* s, const cli_verifier* v)
{
  size_t n = (size_t)ss_model_bodies(v->model), nq = (size_t)s->nq;
  double* q = calloc(nq + 6*n + 1, sizeof *q);
  s->mover = calloc(n + 1, sizeof *s->mover);
  bool good = q && s->mover;
  for (size_t b = 0; good && b < n; b++) s->mover[b] = -1;
  for (int i = 0; i < s->nv; i++) s->of[i] = i;
  good = good && (!n || join_movers(s, v, q, q + nq, q + nq + 3*n));
  join_coupled(s, v);
  for (int i = 0; i < s->nv; i++) s->own[i] = root_of(s, i);
  free(q);
  return good;
}

bool cli_islands_open(cli_islands* s, const cli_verifier* v)
{
  const ss_machine* machine = ss_model_machine(v->model);
  s->nv = v->d->nv;
  s->nq = v->d->nq ? v->d->nq : v->d->nv;
  s->of = calloc(2*(size_t)s->nv + 2*(size_t)s->nq + 1, sizeof *s->of);
  if (!s->of) return false;
  s->of_place = s->of + s->nv;
  s->moves = s->of_place + s->nq;
  s->own = s->moves + s->nq;
  for (int i = 0; i < s->nq; i++) s->moves[i] = machine ? 0 : i;
  if (machine) find_moves(s, ss_machine_tree(machine));
  return find_own(s, v);
}

void cli_islands_close(cli_islands* s)
{
  free(s->of);
  free(s->mover);
}

void cli_islands_begin(cli_islands* s) { memcpy(s->of, s->own, sizeof *s->of*(size_t)s->nv); }

void cli_islands_join(cli_islands* s, int i, int j) { join(s, i, j); }

void cli_islands_keep(cli_islands* s)
{
  for (int i = 0; i < s->nv; i++) s->own[i] = root_of(s, i);
}

void cli_islands_join_mass(cli_islands* s, const double* M)
{
  for (int i = 0; i < s->nv; i++) cli_islands_join_row(s, M + i*s->nv);
}

void cli_islands_join_row(cli_islands* s, const double* W)
{
  int first = -1;
  for (int i = 0; i < s->nv; i++) {
    if (W[i] == 0) continue;
    if (first >= 0) join(s, first, i);
    else first = i;
  }
}

void cli_islands_end(cli_islands* s)
{
  for (int i = 0; i < s->nv; i++) s->of[i] = root_of(s, i);
  for (int i = 0; i < s->nq; i++) s->of_place[i] = s->of[s->moves[i]];
}

int cli_islands_of_row(const cli_islands* s, const double* W)
{
  for (int i = 0; i < s->nv; i++)
    if (W[i] != 0) return s->of[i];
  return -1;
}
