// `stickslip verify` of scenes and planar bodies: what acts on each other in a step, through M, forces, its contacts
// and loops. What loops hold is looked at apart.
#include <stdlib.h>
#include <string.h>

#include "verify_scene.h"

// Velocities of one kinematic tree
static void join_trees(cli_scene* s)
{
  const ss_tree* tree = ss_machine_tree(s->machine);
  const ss_tree_def* def = ss_tree_get(tree);
  for (int j = 0; j < def->n_joint; j++) {
    int iq, iv, root = def->joint[j].body;
    while (def->body[root].parent >= 0) root = def->body[root].parent;
    ss_tree_joint_at(tree, j, &iq, &iv);
    for (int k = 0; k < ss_joint_velocities(def->joint[j].kind); k++) {
      if (s->tree_first[root] < 0) s->tree_first[root] = iv + k;
      else cli_islands_join(&s->islands, s->tree_first[root], iv + k);
    }
  }
}

bool cli_scene_open_islands(cli_scene* s)
{
  int n = s->machine ? ss_tree_get(ss_machine_tree(s->machine))->n_body : 0;
  s->looped = calloc((size_t)s->nv + 1, sizeof *s->looped);
  s->tree_first = calloc((size_t)n + 1, sizeof *s->tree_first);
  if (!s->looped || !s->tree_first || !cli_islands_open(&s->islands, s->c)) return false;
  for (int b = 0; b < n; b++) s->tree_first[b] = -1;
  cli_islands_begin(&s->islands);
  if (s->machine) join_trees(s);
  cli_islands_keep(&s->islands);
  return true;
}

void cli_scene_close_islands(cli_scene* s)
{
  cli_islands_close(&s->islands);
  free(s->looped);
  free(s->tree_first);
  free(s->island);
}

// W of a row into s->v
static void row_of(cli_scene* s, int row)
{
  const double one = 1;
  memset(s->v, 0, sizeof *s->v*(size_t)s->nv);
  s->op->row_force(&s->c->at, 1, &row, &one, s->v);
}

// Row k of contact i: in the plane by its place in the file, if that is another one
static const double* contact_row(cli_scene* s, int i, int k)
{
  if (!s->machine && s->by_place[i]) return s->placed + (2*i + k)*s->nv;
  row_of(s, s->row[i] + k);
  return s->v;
}

// A velocity of what moves a body; -1: none
static int mover_of(const cli_scene* s, int body)
{
  if (body < 0) return -1;
  if (!s->machine) return s->islands.mover[body];
  const ss_tree_def* def = ss_tree_get(ss_machine_tree(s->machine));
  while (def->body[body].parent >= 0) body = def->body[body].parent;
  return s->tree_first[body];
}

// Contacts of the file that are not in the list, between two bodies
static void join_others(cli_scene* s, int n, const ss_run_contact* list)
{
  for (int j = 0; j < n; j++) {
    int a = mover_of(s, list[j].body_a), b = mover_of(s, list[j].body_b);
    bool listed = false;
    for (int i = 0; i < s->n && !listed; i++) listed = s->number[i] == j;
    if (!listed && a >= 0 && b >= 0) cli_islands_join(&s->islands, a, b);
  }
}

static bool is_moved(const cli_scene* s) { return s->nb && s->joined && s->c->info->run.step.integrator == SS_JEAN; }

bool cli_scene_join(cli_scene* s, int n, const ss_run_contact* list)
{
  bool needed = s->nb > 0;
  for (int i = 0; i < s->n; i++)
    needed = needed || (s->number[i] >= 0 && (s->item[i].law->mu_static > 0 || s->item[i].law->bound_static > 0));
  s->joined = needed;
  if (!needed) return true;
  int* island = realloc(s->island, sizeof *island*((size_t)s->n + 1));
  if (!island) return false;
  s->island = island;
  cli_islands_begin(&s->islands);
  if (!s->machine) cli_islands_join_mass(&s->islands, s->M);
  for (int b = 0; b < s->nb; b++) {
    row_of(s, b);
    cli_islands_join_row(&s->islands, s->v);
  }
  for (int i = 0; i < s->n; i++) {  // beside loops what is near counts: overlap may be removed
    bool acts = s->nb || (s->number[i] >= 0 && list[s->number[i]].state != SS_OPEN);
    for (int k = 0; acts && k < ss_contact_rows(s->item[i].law->kind); k++)
      cli_islands_join_row(&s->islands, contact_row(s, i, k));
  }
  if (is_moved(s)) join_others(s, n, list);
  cli_islands_end(&s->islands);
  memset(s->looped, 0, sizeof *s->looped*(size_t)s->nv);
  for (int b = 0; b < s->nb; b++) {
    row_of(s, b);
    int held = cli_islands_of_row(&s->islands, s->v);
    if (held >= 0) s->looped[held] = true;
  }
  for (int i = 0; i < s->n; i++) {
    s->island[i] = -1;
    for (int k = 0; s->island[i] < 0 && k < ss_contact_rows(s->item[i].law->kind); k++)
      s->island[i] = cli_islands_of_row(&s->islands, contact_row(s, i, k));
  }
  return true;
}

bool cli_scene_is_looped(const cli_scene* s, int i)
{
  return s->nb && s->joined && s->island[i] >= 0 && s->looped[s->island[i]];
}

bool cli_scene_is_elsewhere(const cli_scene* s, int i) { return is_moved(s) && s->looped[s->islands.of[i]]; }

bool cli_scene_acts_elsewhere(const cli_scene* s, int i) { return is_moved(s) && cli_scene_is_looped(s, i); }

bool cli_scene_is_of_loops(const cli_scene* s, const ss_run_contact* c)
{
  int a = mover_of(s, c->body_a), b = mover_of(s, c->body_b);
  return (a >= 0 && cli_scene_is_elsewhere(s, a)) || (b >= 0 && cli_scene_is_elsewhere(s, b));
}
