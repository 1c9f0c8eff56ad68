// Overlap of text models. Their gaps have no bodies, whose sizes would tell what is deep; what does is how far things
// move: the largest gap or way of a coordinate. A hit that is noticed late leaves an overlap of up to speed times dt
// for a step or two. That is the method's error as long as flights take many steps. Two things are not:
//   a contact is deep and fast in every twentieth step or more: its flights take no longer than its overlaps;
//   a contact is deeper than in ten steps with the largest speed it has had: it has sunk, step by step.
// What rests overlaps by its fall in a step, which may be all of its way; it is not fast, nor deeper than that. Where
// nothing moves all that is round-off, which work against it tells: the largest force, times the overlap.
#include "depth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "model_arg.h"

#define DEEP 0.01   // of the ways
#define FAST 0.1    // of the overlap in a step
#define OFTEN 0.05  // of the steps
#define SUNK 10     // steps
#define NOTHING 1e-15  // J, as for energies: round-off
enum { FEW = 10 };  // hits

static bool is_angle(const ss_system_def* def, int j) { return strcmp(cli_unit(def, j), "rad") == 0; }

bool cli_depth_start(cli_depth* d, const ss_system* system, const ss_step_def* step, const ss_state* state)
{
  const ss_system_def* def = ss_system_get(system);
  *d = (cli_depth){.def = def, .dt = step->dt, .angles = true};
  if (def->operators || !def->n_contact || step->integrator == SS_EVENT_DRIVEN) return true;
  d->contact = calloc((size_t)def->n_contact, sizeof *d->contact);
  d->origin = calloc((size_t)def->nq, sizeof *d->origin);
  if (!d->contact || !d->origin) return false;
  memcpy(d->origin, state->q, sizeof *d->origin*(size_t)def->nq);
  for (int j = 0; j < def->nq; j++) d->angles = d->angles && is_angle(def, j);
  return true;
}

void cli_depth_free(cli_depth* d)
{
  free(d->contact);
  free(d->origin);
}

static void see_contact(cli_depth* d, const ss_contact_result* c)
{
  cli_sunk* s = &d->contact[c->contact];
  double speed = fmax(fabs(c->gamma_before[0]), fabs(c->gamma_after[0])), overlap = fmax(0, -c->gap);
  if (d->steps == 0) s->first = overlap;
  s->deepest = fmax(s->deepest, overlap);
  s->fastest = fmax(s->fastest, speed);
  s->force = fmax(s->force, c->force[0]);
  s->hits += overlap - s->first > DEEP*d->way && d->dt*speed > FAST*overlap;
}

void cli_depth_see(cli_depth* d, const ss_state* state, const ss_step_info* info)
{
  if (!d->contact) return;
  for (int j = 0; j < d->def->nq; j++)
    if (d->angles || !is_angle(d->def, j)) d->way = fmax(d->way, fabs(state->q[j] - d->origin[j]));
  for (int pass = 0; pass < 2; pass++)  // the ways of all come first
    for (int i = 0; i < info->n_contact; i++) {
      const ss_contact_result* c = &info->contact[i];
      if (c->contact < 0 || d->def->contact[c->contact].kind == SS_CONTACT_FRICTION) continue;
      if (pass) see_contact(d, c);
      else d->way = fmax(d->way, c->gap);
    }
  d->steps++;
}

// It is deeper than in many steps
static bool is_sunk(const cli_depth* d, const cli_sunk* s) { return s->deepest - s->first > SUNK*d->dt*s->fastest; }

// How deep a contact is beside the ways, if it has hit too often or sunk; else 0
static double depth_of(const cli_depth* d, const cli_sunk* s)
{
  double depth = s->deepest - s->first;
  bool often = s->hits >= FEW && (double)s->hits > OFTEN*(double)d->steps;
  return depth > DEEP*d->way && depth*s->force > NOTHING && (often || is_sunk(d, s)) ? depth : 0;
}

void cli_depth_warn(const cli_depth* d)
{
  int worst = -1;
  for (int i = 0; d->contact && i < d->def->n_contact; i++)
    if (depth_of(d, &d->contact[i]) > (worst < 0 ? 0 : depth_of(d, &d->contact[worst]))) worst = i;
  if (worst < 0) return;
  const cli_sunk* s = &d->contact[worst];
  bool sunk = is_sunk(d, s);
  cli_warn("contact '%s' overlaps by %.3g, where the largest gap or way is %.3g: it %s; try %sa smaller --dt",
           d->def->contact[worst].name, s->deepest, d->way,
           sunk ? "sinks step by step" : "hits again and again, in flights as short as steps",
           sunk ? "--project on or " : "");
}
