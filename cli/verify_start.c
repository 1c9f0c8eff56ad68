// `stickslip verify`: that the model in the file is that of its rows, and that row 0 is the state that the model starts
// from, at its time, with nothing done yet.
#include <math.h>
#include <string.h>

#include "verify.h"

static bool same_names(int n, const char* const* told, const char* const* has)
{
  for (int i = 0; has && i < n; i++)
    if (has[i] && strcmp(told[i], has[i]) != 0) return false;
  return true;
}

bool cli_verify_fits(const cli_verifier* v, ss_error* error)
{
  const ss_run_info* r = v->info;
  const ss_system_def* d = v->d;
  bool same = r->listed == (d->operators != NULL) && r->nq == (d->nq ? d->nq : d->nv) && r->nv == d->nv;
  same = same && r->n_bilateral == d->n_bilateral && (r->listed || r->n_contact == d->n_contact);
  same = same && same_names(r->nq, r->coordinate, d->coordinate);
  for (int i = 0; same && !r->listed && i < r->n_contact; i++) same = r->contact_kind[i] == d->contact[i].kind;
  if (!same) ss_error_set(error, SS_ERR_INPUT, "the rows of this run are not those of its model");
  return same;
}

static void note(cli_verifier* v, double is, double should)
{
  cli_verify_note(v, CLI_START, 0, (long double)is - should, fabs(should) + 1e-9);
}

bool cli_verify_start(cli_verifier* v, ss_error* error)
{
  ss_state* start = ss_state_create(ss_model_system(v->model));
  if (!start) return ss_error_set(error, SS_ERR_MEMORY, "out of memory"), false;
  const double* works[] = {v->forces, v->drive, v->loss_normal, v->loss_friction, v->projection, v->defect};
  if (v->step[0] != 0) {
    cli_verify_leave_out(v, "the start, which was not recorded");
  } else if (v->info->run.elsewhere) {
    cli_verify_leave_out(v, "the start, which is not the model's");
  } else {
    ss_model_initial(v->model, start);
    note(v, v->t[0], v->info->run.start);
    note(v, v->t[0], start->t);
    for (int i = 0; i < v->info->nq; i++) note(v, v->q[i][0], start->q[i]);
    for (int i = 0; i < v->info->nv; i++) note(v, v->u[i][0], start->u[i]);
    for (size_t i = 0; i < sizeof works/sizeof *works; i++) note(v, works[i][0], 0);
  }
  ss_state_destroy(start);
  return true;
}
