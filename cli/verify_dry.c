#include "verify_dry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAME 1e-12  // of a coefficient: the same one

// ---- the elements ----

static int find(const cli_dry* d, const double* row)
{
  for (int i = 0; i < d->n; i++) {
    const double* own = d->row + i*d->nv;
    int j = 0;
    while (j < d->nv && fabs(row[j] - own[j]) <= SAME*fabs(own[j])) j++;
    if (j == d->nv) return i;
  }
  return -1;
}

// The row at the end of the list joins it. Two along one row are one, with both bounds.
static void join(cli_dry* d, double bound)
{
  double* row = d->row + d->n*d->nv;
  int same = find(d, row);
  if (same >= 0) d->bound[same] += bound;
  else d->bound[d->n++] = bound;
  if (same >= 0) memset(row, 0, sizeof *row*(size_t)d->nv);
}

static void add_joints(cli_dry* d, const ss_tree* tree)
{
  const ss_tree_def* def = ss_tree_get(tree);
  for (int j = 0; j < def->n_joint; j++) {
    int iq, iv;
    ss_tree_joint_at(tree, j, &iq, &iv);
    for (int k = 0; def->joint[j].friction > 0 && k < ss_joint_velocities(def->joint[j].kind); k++) {
      d->row[d->n*d->nv + iv + k] = 1;
      join(d, def->joint[j].friction);
    }
  }
}

static void add_tendons(cli_dry* d, const ss_tree* tree, const ss_scene* scene)
{
  for (int i = 0; i < scene->n_tendon; i++) {
    const ss_scene_tendon* tendon = &scene->tendon[i];
    bool moves = false;
    for (int k = 0; tendon->friction > 0 && k < tendon->n_term; k++) {
      int iq, iv;
      ss_tree_joint_at(tree, tendon->joint[k], &iq, &iv);
      d->row[d->n*d->nv + iv] += tendon->coefficient[k];
      moves = moves || tendon->coefficient[k] != 0;
    }
    if (moves) join(d, tendon->friction);
  }
}

bool cli_dry_open(cli_dry* d, const cli_verifier* v)
{
  const ss_machine* machine = ss_model_machine(v->model);
  if (!machine) return true;
  const ss_scene* scene = ss_model_scene(v->model);
  size_t nv = (size_t)v->d->nv, n = nv + (size_t)scene->n_tendon + 1;
  d->nv = v->d->nv;
  d->row = calloc(n*nv + 2*n, sizeof *d->row);
  d->there = calloc(n, sizeof *d->there);
  if (!d->row || !d->there) return false;
  d->bound = d->row + n*nv;
  d->impulse = d->bound + n;
  add_joints(d, ss_machine_tree(machine));
  add_tendons(d, ss_machine_tree(machine), scene);
  return true;
}

void cli_dry_close(cli_dry* d)
{
  free(d->row);
  free(d->there);
}

// ---- a time step ----

// Impulses by the file, of contacts that act along these rows and nothing else
static void find_impulses(cli_dry* d, cli_scene* s, const ss_run_contact* list)
{
  const double one = 1;
  for (int i = 0; i < d->n; i++) d->impulse[i] = 0;
  for (int i = 0; d->n && i < s->n; i++) {
    if (s->number[i] < 0 || s->item[i].law->kind != SS_CONTACT_FRICTION || s->item[i].load) continue;
    memset(s->v, 0, sizeof *s->v*(size_t)s->nv);
    s->op->row_force(&s->c->at, 1, &s->row[i], &one, s->v);
    int which = find(d, s->v);
    if (which >= 0) d->impulse[which] += cli_scene_row_impulse(s, i, &list[s->number[i]], 0);
  }
}

// g Lambda = P(g Lambda - gamma) onto +-g bound dt
void cli_dry_check_step(cli_dry* d, cli_scene* s, long row, const ss_run_contact* list, double dt, long double unit)
{
  find_impulses(d, s, list);
  for (int i = 0; i < d->n; i++) {
    const double* W = d->row + i*d->nv;
    long double g = 0, gamma = 0, terms = 0, limit = d->bound[i]*(long double)dt;
    s->op->solve(&s->c->at, W, s->part);
    for (int j = 0; j < d->nv; j++) {
      g += W[j]*s->part[j];
      gamma += (long double)W[j]*s->e->u[j];
      terms += fabsl((long double)W[j])*(fabs(s->a->u[j]) + fabs(s->e->u[j]));
    }
    if (!(g > 0)) continue;  // nothing moves it
    long double x = g*d->impulse[i], size = fmaxl(unit*sqrtl(g), terms + fabsl(x));
    int island = s->nb && s->joined ? cli_islands_of_row(&s->islands, W) : -1;
    long double aim = island >= 0 && s->looped[island] ? x : x - gamma;
    cli_verify_note(s->c, CLI_FRICTION, row, x - fmaxl(-g*limit, fminl(g*limit, aim)), size);
  }
}

// ---- a row of an event-driven run ----

void cli_dry_check_row(cli_dry* d, const cli_flight* f, long row)
{
  for (int i = 0; i < d->n; i++) d->there[i] = false;
  for (int i = 0; d->n && i < f->n; i++) {
    if (f->item[i].law->kind != SS_CONTACT_FRICTION || f->mode[i] == SS_OPEN) continue;
    int which = find(d, f->W + f->row[i]*f->nv);
    if (which >= 0) d->there[which] = true;
  }
  for (int i = 0; i < d->n; i++) cli_verify_note(f->c, CLI_FRICTION, row, !d->there[i], 1);
}
