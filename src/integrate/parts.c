// A step that is too large: bodies would overlap too deep in it, or pass each other unseen (SS_ERR_OVERLAP). It is
// taken in two halves, these in halves again if need be; the caller sees one step, with the sums of its parts. It
// ends in bounded time: a step that needs very many parts fails, and says so.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrate/work.h"

enum { MOST_HALVINGS = 20, MOST_TRIES = 20000 };

struct ss_parts {
  ss_state* start;  // where the step began
  double *Lambda, *Lambda_1;  // n_bilateral: sum of the impulses of the parts, and of their first stages
  ss_part_energy* energy;  // n_energy: of the parts of the system
  ss_step_info info;
  int tries;      // parts that were tried
  int n, room;    // contacts that were closed in some part, and those of the list of the last one
  ss_contact_result* result;
  ss_contact_item* item;
};

void ss_parts_destroy(struct ss_parts* p)
{
  if (!p) return;
  ss_state_destroy(p->start);
  free(p->Lambda);
  free(p->energy);
  free(p->result);
  free(p->item);
  free(p);
}

static struct ss_parts* parts_of(const ss_system* system, ss_work* w)
{
  if (w->parts) return w->parts;
  struct ss_parts* p = w->parts = calloc(1, sizeof *p);
  if (!p) return NULL;
  p->start = ss_state_create(system);
  p->Lambda = malloc(sizeof(double)*(2*(size_t)w->n_bilateral + 1));
  p->energy = malloc(sizeof *p->energy*(size_t)w->n_energy);
  if (p->Lambda) p->Lambda_1 = p->Lambda + w->n_bilateral;
  if (p->start && p->Lambda && p->energy) return p;
  ss_parts_destroy(p);
  return w->parts = NULL;
}

static bool append(struct ss_parts* p, const ss_contact_result* c, const ss_contact_item* item)
{
  if (p->n == p->room) {
    int room = 2*p->room + 32;
    ss_contact_result* result = realloc(p->result, sizeof *result*(size_t)room);
    if (result) p->result = result;
    ss_contact_item* items = realloc(p->item, sizeof *items*(size_t)room);
    if (items) p->item = items;
    if (!result || !items) return false;
    p->room = room;
  }
  p->result[p->n] = *c;
  p->item[p->n++] = *item;
  return true;
}

// A contact of one part more: impulses add up; velocities go from the start of the first part to the end of the last
static bool add_contact(struct ss_parts* p, const ss_contact_result* c, const ss_contact_item* item)
{
  int i = 0;
  while (i < p->n && p->item[i].key != item->key) i++;
  if (i == p->n) return append(p, c, item);
  ss_contact_result* to = &p->result[i];
  for (int k = 0; k < 3; k++) {
    to->Lambda[k] += c->Lambda[k];
    to->Lambda_1[k] += c->Lambda_1[k];
  }
  memcpy(to->gamma_after, c->gamma_after, sizeof to->gamma_after);
  to->contact = c->contact;
  to->gap = c->gap;
  if (c->state != SS_OPEN) to->state = c->state;
  p->item[i] = *item;
  return true;
}

// What was open in all parts before and is not in this list has gone
static void forget_open(struct ss_parts* p)
{
  int k = 0;
  for (int i = 0; i < p->n; i++) {
    if (p->result[i].state == SS_OPEN) continue;
    p->result[k] = p->result[i];
    p->item[k++] = p->item[i];
  }
  p->n = k;
}

static bool add_part(struct ss_parts* p, const ss_step_info* part)
{
  ss_step_info* sum = &p->info;
  if (sum->parts == 0 && part->n_part) memcpy(p->energy, part->part, sizeof *p->energy*(size_t)part->n_part);
  else ss_add_part_energies(part->n_part, p->energy, part->part);
  sum->n_part = part->n_part;
  sum->part = p->energy;
  if (sum->parts++ == 0) sum->before = part->before;
  sum->after = part->after;
  sum->work_forces += part->work_forces;
  sum->work_drive += part->work_drive;
  sum->loss_normal += part->loss_normal;
  sum->loss_friction += part->loss_friction;
  sum->work_projection += part->work_projection;
  sum->iterations += part->iterations;
  sum->residual = fmax(sum->residual, part->residual);
  sum->penetration = fmax(sum->penetration, part->penetration);
  sum->overlap_left = fmax(sum->overlap_left, part->overlap_left);
  sum->limit_error = fmax(sum->limit_error, part->limit_error);
  sum->constraint_error = part->constraint_error;
  sum->gains_energy = sum->gains_energy || part->gains_energy;
  sum->n_known = part->n_known;
  sum->n_bilateral = part->n_bilateral;
  for (int i = 0; i < part->n_bilateral; i++) {
    p->Lambda[i] += part->Lambda_bilateral[i];
    p->Lambda_1[i] += part->Lambda_bilateral_1[i];
  }
  if (part->n_active > sum->n_active) sum->n_active = part->n_active;
  if (part->status > sum->status) sum->status = part->status;
  if (part->choice > sum->choice) sum->choice = part->choice;
  sum->not_examined = sum->not_examined || part->not_examined;
  forget_open(p);
  for (int i = 0; i < part->n_contact; i++)
    if (!add_contact(p, &part->contact[i], &part->item[i])) return false;
  return true;
}

// From where the state is for def->dt, in halves if it has to be
static ss_status step_part(const ss_system* system, const ss_step_def* def, ss_state* s, ss_work* w, int halvings)
{
  if (w->parts->tries++ == MOST_TRIES)
    return ss_work_fail(w, SS_ERR_NUMERIC, "the step at t = %g needs more than %d parts: bodies pass each other too "
                        "fast, or are too thin", s->t, MOST_TRIES);
  w->halvings = halvings;
  ss_status st = ss_step_once(system, def, s, w);
  w->halvings = 0;
  if (st >= 0) return add_part(w->parts, &w->info) ? st : SS_ERR_MEMORY;
  if (st != SS_ERR_OVERLAP || halvings == MOST_HALVINGS) return st;
  ss_step_def half = *def;
  half.dt = def->dt/2;
  st = step_part(system, &half, s, w, halvings + 1);
  return st < 0 ? st : step_part(system, &half, s, w, halvings + 1);
}

ss_status ss_step_in_parts(const ss_system* system, const ss_step_def* def, ss_state* s, ss_work* w)
{
  struct ss_parts* p = parts_of(system, w);
  if (!p || ss_state_copy(p->start, s) < 0) return ss_work_fail(w, SS_ERR_MEMORY, "out of memory for a step in parts");
  memset(p->Lambda, 0, 2*sizeof(double)*(size_t)w->n_bilateral);
  p->info = (ss_step_info){.note = ""};
  p->n = p->tries = 0;
  ss_step_def half = *def;
  half.dt = def->dt/2;
  ss_status st = SS_OK;
  for (int k = 0; k < 2 && st >= 0; k++) st = step_part(system, &half, s, w, 1);
  if (st < 0) {
    ss_state_copy(s, p->start);
    return st;
  }
  s->t = p->start->t + def->dt;
  s->step = p->start->step + 1;
  memcpy(w->Lambda_bilateral, p->Lambda, sizeof(double)*(size_t)w->n_bilateral);
  memcpy(w->Lambda_bilateral_1, p->Lambda_1, sizeof(double)*(size_t)w->n_bilateral);
  w->info = p->info;
  w->info.Lambda_bilateral = w->Lambda_bilateral;
  w->info.Lambda_bilateral_1 = w->Lambda_bilateral_1;
  w->info.force_bilateral = w->force_bilateral;
  w->info.n_contact = p->n;
  w->info.contact = p->result;
  w->info.item = p->item;
  return w->info.status;
}
