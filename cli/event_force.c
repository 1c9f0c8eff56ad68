#include "event_force.h"

#include <math.h>

// The row after the events of time t, -1 if there is none
static long row_after(ss_run* run, double t)
{
  const double *time = ss_run_column(run, "t", NULL), *side = ss_run_column(run, "side", NULL);
  long low = 0, high = ss_run_get_info(run)->n_rows, n = high;
  if (!time || !side) return -1;
  while (low < high) {
    long middle = low + (high - low)/2;
    if (time[middle] < t) low = middle + 1;
    else high = middle;
  }
  while (low < n && time[low] == t && !(side[low] > 0)) low++;
  return low < n && time[low] == t ? low : -1;
}

// A contact that the row does not list is open
static void force_in_row(ss_run* run, long row, int contact, double force[3])
{
  const ss_run_contact* list;
  int n = row < 0 ? -1 : ss_run_contacts(run, row, &list, &(ss_error){0});
  for (int k = 0; k < 3; k++) force[k] = n < 0 ? NAN : 0;
  for (int i = 0; i < n; i++)
    for (int k = 0; list[i].contact == contact && k < 3; k++) force[k] = list[i].force[k];
}

void cli_event_force(ss_run* run, const ss_event* e, double force[3])
{
  const ss_step_def* step = &ss_run_get_info(run)->run.step;
  if (step->integrator == SS_EVENT_DRIVEN) {
    force_in_row(run, row_after(run, e->t), e->contact, force);
    return;
  }
  for (int k = 0; k < 3; k++) force[k] = e->kind == SS_EVENT_IMPACT ? NAN : e->Lambda[k]/step->dt;
}
