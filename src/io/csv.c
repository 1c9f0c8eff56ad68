// CSV of a run and of its events. Numbers have as few digits as read back to the same double.
#include <stickslip/csv.h>

#include "base/number.h"

static void put_number(FILE* out, double x)
{
  char text[32];
  fputs(ss_print_number(x, text), out);
}

static void put_numbers(FILE* out, int n, const double* x)
{
  for (int i = 0; i < n; i++) {
    fputc(',', out);
    put_number(out, x[i]);
  }
}

static ss_status end_line(FILE* out)
{
  fputc('\n', out);
  return ferror(out) ? SS_ERR_FILE : SS_OK;
}

ss_status ss_csv_header(FILE* out, const ss_system_def* d)
{
  if (!out || !d) return SS_ERR_ARGUMENT;
  fputc('t', out);
  for (int i = 0; i < d->nq; i++) fprintf(out, ",%s", d->coordinate[i]);
  for (int i = 0; i < d->nv; i++) fprintf(out, ",u_%s", d->velocity[i]);
  for (int i = 0; i < d->n_sensor; i++) fprintf(out, ",sensor.%s", d->sensor[i]);
  return end_line(out);
}

ss_status ss_csv_row(FILE* out, const ss_state* state, int n_sensor, const double* sensor)
{
  if (!out || !state || (n_sensor > 0 && !sensor)) return SS_ERR_ARGUMENT;
  put_number(out, state->t);
  put_numbers(out, state->nq, state->q);
  put_numbers(out, state->nv, state->u);
  put_numbers(out, n_sensor, sensor);
  return end_line(out);
}

ss_status ss_csv_event_header(FILE* out, bool spatial)
{
  if (!out) return SS_ERR_ARGUMENT;
  fputs(spatial ? "t,contact,kind,state,gamma_N_before,gamma_T1_before,gamma_T2_before,gamma_N_after,gamma_T1_after,"
                  "gamma_T2_after,Lambda_N,Lambda_T1,Lambda_T2,"
                : "t,contact,kind,state,gamma_N_before,gamma_T_before,gamma_N_after,gamma_T_after,Lambda_N,Lambda_T,",
        out);
  fputs("energy_before,energy_after,state_before", out);
  if (!spatial) fputs(",Lambda_N_compression,Lambda_T_compression,solutions,count", out);
  return end_line(out);
}

// What only the event-driven integrator knows is left out of spatial events: it has none
ss_status ss_csv_event(FILE* out, const ss_event* e, const char* contact, bool spatial)
{
  if (!out || !e || !contact) return SS_ERR_ARGUMENT;
  int n = spatial ? 3 : 2;
  put_number(out, e->t);
  fprintf(out, ",%s,%s,%s", contact, ss_event_kind_text(e->kind), ss_contact_state_text(e->state));
  put_numbers(out, n, e->gamma_before);
  put_numbers(out, n, e->gamma_after);
  put_numbers(out, n, e->Lambda);
  put_numbers(out, 1, &e->energy_before);
  put_numbers(out, 1, &e->energy_after);
  fprintf(out, ",%s", ss_contact_state_text(e->state_before));
  if (spatial) return end_line(out);
  put_numbers(out, 2, e->Lambda_C);
  fprintf(out, ",%d,%ld", e->solutions, e->count);
  return end_line(out);
}
