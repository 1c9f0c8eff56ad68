#include "verify_listed.h"

#include <math.h>

#define REST 1e-6L  // of the terms of a velocity: none

static bool has_place(const double* frame) { return frame[0] != 0 || frame[1] != 0 || frame[2] != 0; }

static bool has_normal(const ss_contact_item* item) { return item->law->kind != SS_CONTACT_FRICTION; }

// The velocity in row k of contact i along the frame, and the size of its terms
static long double velocity(const cli_flight* f, int i, int k, const double* u, const double* size, long double* terms)
{
  int r = f->row[i] + k, part = has_normal(&f->item[i]) ? k : k + 1;
  double stretch = part ? f->item[i].stretch[part - 1] : 0;
  long double by = stretch != 0 ? stretch : 1;
  *terms = fabsl((long double)f->w_hat[r])/by + 1e-300L;
  for (int j = 0; j < f->nv; j++) *terms += fabsl((long double)f->W[r*f->nv + j])*size[j]/by;
  return (cli_flight_velocity(f, r, u) + f->w_hat[r])/by;
}

// The file has 0 for what is as good as at rest
static void check_velocity(const cli_flight* f, cli_verify_check check, long row, long double is, double told,
                           long double size)
{
  bool rests = told == 0 && fabsl(is) < REST*size;
  cli_verify_note(f->c, check, row, rests ? 0 : is - told, size);
}

static void check_place(const cli_flight* f, long row, const ss_contact_item* item, const ss_run_contact* c)
{
  int rows = ss_contact_rows(item->law->kind);
  double size = item->size + 1e-3;
  for (int k = 0; k < 3; k++) size += fabs(item->point[k]);
  for (int k = 0; k < 3; k++)
    cli_verify_note(f->c, CLI_KINEMATICS, row, (long double)item->point[k] - c->point[k], size);
  for (int k = 0; k < 3*rows; k++)
    cli_verify_note(f->c, CLI_KINEMATICS, row, (long double)item->frame[k] - c->frame[k], 1);
}

void cli_listed_check(const cli_flight* f, long row, const ss_run_contact* list, const double* u, const double* size)
{
  for (int i = 0; i < f->n; i++) {
    const ss_contact_item* item = &f->item[i];
    const ss_run_contact* c = &list[i];
    long double terms, extent = fabs(item->gap) + item->size + 1e-3;
    int first = !has_normal(item);
    cli_verify_note(f->c, CLI_KINEMATICS, row, item->body_a != c->body_a || item->body_b != c->body_b, 1);
    for (int k = 0; c->state == SS_OPEN && k < 3; k++)  // others: where arcs start and end
      if (isfinite(c->force[k])) cli_verify_note(f->c, CLI_NORMAL, row, c->force[k] != 0, 1);
    for (int k = 0; k < ss_contact_rows(item->law->kind); k++) {
      long double gamma = velocity(f, i, k, u, size, &terms);
      check_velocity(f, CLI_KINEMATICS, row, gamma, c->gamma[first + k], terms);
    }
    if (first) continue;
    cli_verify_note(f->c, CLI_KINEMATICS, row, (long double)item->gap - c->gap, extent);
    if (c->state != SS_OPEN) cli_verify_note(f->c, CLI_GAPS, row, item->gap, extent);  // of open ones: overlaps
    if (has_place(item->frame)) check_place(f, row, item, c);
  }
}

static ss_event_kind kind_of(ss_contact_state from, ss_contact_state to)
{
  if (from == SS_OPEN) return SS_EVENT_IMPACT;
  return to == SS_OPEN ? SS_EVENT_DETACH : to == SS_STICK ? SS_EVENT_STICK : SS_EVENT_SLIP;
}

void cli_listed_event(const cli_flight* f, long row, const ss_event* e, int i, ss_contact_state from,
                      const ss_run_contact* is, const double* before, const double* after, const double* size)
{
  const cli_verifier* v = f->c;
  int first = !has_normal(&f->item[i]);
  long double terms, push = 1e-300L;
  bool passes = e->kind == SS_EVENT_IMPACT || e->kind == SS_EVENT_PASS || e->kind == SS_EVENT_ACCUMULATION;
  cli_verify_note(f->c, CLI_EVENTS, row, e->state_before != from, 1);
  if (!passes) cli_verify_note(f->c, CLI_EVENTS, row, e->kind != kind_of(from, e->state), 1);
  for (int k = 0; k < 3; k++) push += fabs(is->Lambda[k]) + fabs(e->Lambda[k]);
  for (int k = 0; k < ss_contact_rows(f->item[i].law->kind); k++) {
    long double a = velocity(f, i, k, before, size, &terms), b = velocity(f, i, k, after, size, &terms);
    check_velocity(f, CLI_EVENTS, row, a, e->gamma_before[first + k], terms);
    check_velocity(f, CLI_EVENTS, row, b, e->gamma_after[first + k], terms);
    if (e->kind == SS_EVENT_IMPACT)
      cli_verify_note(f->c, CLI_EVENTS, row, (long double)is->Lambda[first + k] - e->Lambda[first + k], push);
  }
  if (!v->info->run.step.account) return;
  long double T = v->kinetic[row - 1], V = v->potential[row - 1];
  cli_verify_note(f->c, CLI_EVENTS, row, T + V - e->energy_before, fabsl(T) + fabsl(V) + 1e-9L);
}
