// How well energy was kept by each part of a system that nothing ties to others. What a step has joined stays one part:
// its sums are those of both. The energy at hand of a part is its largest T, the range of its V, and the sizes of its
// works and losses (docs/integrators.md).
#include "analysis/kept.h"

#include <math.h>
#include <stdlib.h>

#include "base/sets.h"

#define OFF 0.1         // of the energy at hand
#define ROUND_OFF 1e-9  // of the terms of V
#define NOISE 1e-13     // of the terms of a step, for every step
#define SETTLES 10      // of the terms of a step: what starts at rest on contacts settles by a few times g dt^2
#define MOVES 1e-4  // of the velocities that forces give within a step: what rests on contacts has round-off of them

typedef struct kept {
  int up;       // a part that it is joined to, or its own number
  bool known;   // all works and losses of all steps
  double T, V;  // now
  double most_T, least_V, most_V;
  double forces, drive, normal, friction, projection, gain, defect;  // sums
  double worst;                                                      // largest |defect| so far
  double size;
  double speed, given;  // largest so far: velocities, and what forces without contacts change them by in a step
  double step;          // sum of the terms of the steps
  double held;          // the largest of those of a step, as long as it has been at rest from the start
  double now;           // those of the step at hand
  bool thrown;          // it was given a velocity at the start
} kept;

struct ss_kept_parts {
  int n;
  bool started;
  kept* part;           // n
  const int* velocity;  // nv: the part of each velocity, of the system; NULL: there is one
  int nv;
};

static int root_of(kept* part, int i) { return ss_set_root_in(&part->up, sizeof *part, i); }

static void join(kept* part, int i, int j)
{
  kept *from = &part[root_of(part, i)], *to = &part[root_of(part, j)];
  if (from == to) return;
  from->up = to->up;
  to->known = to->known && from->known;
  to->most_T += from->most_T;
  to->least_V += from->least_V;
  to->most_V += from->most_V;
  to->forces += from->forces;
  to->drive += from->drive;
  to->normal += from->normal;
  to->friction += from->friction;
  to->projection += from->projection;
  to->gain += from->gain;
  to->defect += from->defect;
  to->worst = fmax(to->worst, from->worst);
  to->size = fmax(to->size, from->size);
  to->step += from->step;
  to->held += from->held;
  to->speed = fmax(to->speed, from->speed);
  to->given = fmax(to->given, from->given);
  to->thrown = to->thrown || from->thrown;
}

ss_kept_parts* ss_kept_create(const ss_system_def* def)
{
  ss_kept_parts* k = calloc(1, sizeof *k);
  if (!k) return NULL;
  k->n = def->n_energy_parts > 0 ? def->n_energy_parts : 1;
  k->nv = def->nv;
  k->velocity = def->n_energy_parts > 0 ? def->energy_part : NULL;
  k->part = calloc((size_t)k->n, sizeof *k->part);
  if (!k->part) {
    free(k);
    return NULL;
  }
  for (int i = 0; i < k->n; i++) k->part[i] = (kept){.up = i, .known = true};
  for (int i = 0; def->n_energy_parts > 0 && def->energy_joined && i < k->n; i++)
    join(k->part, i, def->energy_joined[i]);
  return k;
}

void ss_kept_destroy(ss_kept_parts* k)
{
  if (!k) return;
  free(k->part);
  free(k);
}

static void see(kept* p, bool first)
{
  p->most_T = first ? p->T : fmax(p->most_T, p->T);
  p->least_V = first ? p->V : fmin(p->least_V, p->V);
  p->most_V = first ? p->V : fmax(p->most_V, p->V);
}

static void see_all(ss_kept_parts* k, const ss_part_energy* part, bool after)
{
  for (int i = 0; i < k->n; i++) k->part[i].T = k->part[i].V = 0;
  for (int i = 0; i < k->n; i++) {
    kept* p = &k->part[root_of(k->part, i)];
    p->T += after ? part[i].after.kinetic : part[i].before.kinetic;
    p->V += after ? part[i].after.potential : part[i].before.potential;
  }
  for (int i = 0; i < k->n; i++)
    if (k->part[i].up == i) see(&k->part[i], !k->started && !after);
}

// Forces may begin at zero: the largest of them are what it has been held against
static bool has_moved(const kept* p) { return p->thrown || p->speed > MOVES*(p->speed + p->given); }

static void add(kept* p, const ss_part_energy* e)
{
  p->forces += e->work_forces;
  p->drive += e->work_drive;
  p->normal += e->loss_normal;
  p->friction += e->loss_friction;
  p->projection += e->work_projection;
  p->gain += e->gain;
  p->defect += e->after.kinetic + e->after.potential - e->before.kinetic - e->before.potential - e->work_forces -
               e->work_drive + e->loss_normal + e->loss_friction - e->work_projection;
  p->size = fmax(p->size, e->size);
  p->step += e->step;
  p->speed = fmax(p->speed, e->speed);
  p->given = fmax(p->given, e->given);
  p->known = p->known && e->known;
}

// The terms of a step of what has rested as far as its start
static void hold(ss_kept_parts* k, int n, const ss_part_energy* part, bool first)
{
  for (int i = 0; i < k->n; i++) k->part[i].now = 0;
  for (int i = 0; i < n; i++)
    if (!first || part[i].before.kinetic == 0) k->part[root_of(k->part, i)].now += part[i].step;
  for (int i = 0; i < k->n; i++)
    if (first || !has_moved(&k->part[i])) k->part[i].held = fmax(k->part[i].held, k->part[i].now);
}

void ss_kept_step(ss_kept_parts* k, int n, const ss_part_energy* part, bool first)
{
  if (n != k->n) return;
  for (int i = 0; first && i < n; i++)
    if (part[i].before.kinetic > 0) k->part[root_of(k->part, i)].thrown = true;
  see_all(k, part, false);
  for (int i = 0; i < n; i++)
    if (part[i].joined != i) join(k->part, i, part[i].joined);
  see_all(k, part, true);
  k->started = true;
  hold(k, n, part, first);
  for (int i = 0; i < n; i++) add(&k->part[root_of(k->part, i)], &part[i]);
  for (int i = 0; i < n; i++) k->part[i].worst = fmax(k->part[i].worst, fabs(k->part[i].defect));
}

static double at_hand(const kept* p)
{
  return p->most_T + p->most_V - p->least_V + fabs(p->forces) + fabs(p->drive) + fabs(p->normal) + fabs(p->friction) +
         fabs(p->projection) + SETTLES*p->held;
}

// What rests on contacts has energies of round-off of the terms of a step. What has moved has MOVES^2/2 of these terms
// at least, far above their round-off.
static ss_energy_kept judge(const kept* p)
{
  double error = fmax(p->worst, p->gain), hand = at_hand(p);
  double terms = ROUND_OFF*(fmax(fabs(p->least_V), fabs(p->most_V)) + p->size), noise = NOISE*p->step;
  bool off = p->known && error > OFF*hand && error > terms + (has_moved(p) ? 0 : noise);
  return (ss_energy_kept){.defect = p->worst, .gain = p->gain, .at_hand = hand, .velocity = -1, .off = off};
}

static double part_of(const ss_energy_kept* e) { return e->at_hand > 0 ? fmax(e->defect, e->gain)/e->at_hand : 0; }

ss_energy_kept ss_kept_worst(const ss_kept_parts* k)
{
  ss_energy_kept worst = {.velocity = -1};
  int which = 0;
  for (int i = 0; i < k->n; i++) {
    ss_energy_kept e = k->part[i].up == i ? judge(&k->part[i]) : worst;
    bool larger = e.off == worst.off ? part_of(&e) > part_of(&worst) : e.off;
    if (larger) worst = e;
    if (larger) which = i;
  }
  for (int j = k->nv - 1; k->velocity && j >= 0; j--)
    if (root_of(k->part, k->velocity[j]) == which) worst.velocity = j;
  return worst;
}

double ss_kept_round_off(const ss_kept_parts* k)
{
  double sum = 0;
  for (int i = 0; i < k->n; i++) sum += ROUND_OFF*k->part[i].size + NOISE*k->part[i].step;
  return sum;
}
