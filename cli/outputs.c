// Writing the files of a run.
#include "outputs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

// ---- paths ----

static bool is_stdout(const char* path)
{
  return strcmp(path, "-") == 0;
}

bool cli_outputs_check(const cli_outputs* outputs, const char* model_path)
{
  enum { N = 5 };
  const char* path[N] = {model_path, outputs->record_path, outputs->csv_path, outputs->events_path, outputs->page_path};
  const char* what[N] = {"the model", "-o", "--csv", "--events", "--report"};
  for (int i = 0; i < N; i++)
    for (int j = 0; j < i; j++)
      if (path[i] && path[j] && cli_same_file(path[i], path[j])) {
        cli_error("%s and %s are the same file, '%s'", what[j], what[i], path[i]);
        return false;
      }
  for (int i = 2; i < N; i++)
    if (path[i] && !is_stdout(path[i]) && cli_is_hdf5(path[i])) {
      cli_error("%s %s would replace an HDF5 file; remove it or choose another name", what[i], path[i]);
      return false;
    }
  return true;
}

// ---- opening ----

static ss_status file_error(ss_error* error, const char* path, const char* what)
{
  int number = errno;
  ss_error_set(error, SS_ERR_FILE, "%s: %s", what, number ? strerror(number) : "not all of it could be written");
  snprintf(error->file, sizeof error->file, "%s", is_stdout(path) ? "standard output" : path);
  return SS_ERR_FILE;
}

static ss_status open_stream(const char* path, cli_out* out, ss_error* error)
{
  errno = 0;
  return cli_out_open(out, path) ? SS_OK : file_error(error, path, "cannot be written");
}

static ss_status open_csv(cli_outputs* o, ss_error* error)
{
  if (o->csv_path) {
    ss_status status = open_stream(o->csv_path, &o->csv, error);
    if (status < 0) return status;
    if (ss_csv_header(o->csv.file, o->system) < 0) return file_error(error, o->csv_path, "write");
  }
  if (o->events_path) {
    ss_status status = open_stream(o->events_path, &o->events, error);
    if (status < 0) return status;
    if (ss_csv_event_header(o->events.file, o->system->operators) < 0)
      return file_error(error, o->events_path, "write");
  }
  return SS_OK;
}

ss_status cli_outputs_create(cli_outputs* outputs, const ss_model* model, const ss_run_def* run, ss_error* error)
{
  outputs->system = ss_system_get(ss_model_system(model));
  ss_status status = open_csv(outputs, error);
  if (status < 0 || !outputs->record_path) return status;
  outputs->record = ss_record_create(outputs->record_path, model, run, error);
  return outputs->record ? SS_OK : error->status;
}

// ---- going on ----

static ss_status write_row(cli_outputs* o, const ss_state* state, const double* sensor, ss_error* error)
{
  errno = 0;
  if (o->csv.file && ss_csv_row(o->csv.file, state, o->system->n_sensor, sensor) < 0)
    return file_error(error, o->csv_path, "write");
  return SS_OK;
}

static ss_status write_event(cli_outputs* o, const ss_event* event, ss_error* error)
{
  errno = 0;
  if (!o->events.file) return SS_OK;
  const char* contact = ss_work_contact_name(o->work, event->contact);
  ss_status status = ss_csv_event(o->events.file, event, contact, o->system->operators);
  return status < 0 ? file_error(error, o->events_path, "write") : SS_OK;
}

// The columns t, q, u and sensors of the record, as CSV rows. `column` holds a pointer for each, `value` a number for
// each but t.
static ss_status copy_columns(cli_outputs* o, ss_run* run, long n_rows, const double** column, double* value,
                              ss_error* error)
{
  const ss_system_def* d = o->system;
  int nq = d->nq, nv = d->nv, n = nq + nv + d->n_sensor;
  column[0] = ss_run_column(run, "t", error);
  for (int i = 0; i < n; i++) {
    char name[320];
    if (i < nq) snprintf(name, sizeof name, "%s", d->coordinate[i]);
    else if (i >= nq + nv) snprintf(name, sizeof name, "sensor.%s", d->sensor[i - nq - nv]);
    else snprintf(name, sizeof name, "u_%s", d->velocity[i - nq]);
    column[1 + i] = ss_run_column(run, name, error);
    if (!column[1 + i]) return error->status;
  }
  if (!column[0]) return error->status;
  for (long row = 0; row < n_rows; row++) {
    ss_state state = {.t = column[0][row], .nq = nq, .nv = nv, .q = value, .u = value + nq};
    for (int i = 0; i < n; i++) value[i] = column[1 + i][row];
    ss_status status = write_row(o, &state, value + nq + nv, error);
    if (status < 0) return status;
  }
  return SS_OK;
}

static ss_status copy_rows(cli_outputs* o, ss_run* run, long n_rows, ss_error* error)
{
  size_t n = (size_t)o->system->nq + (size_t)o->system->nv + (size_t)o->system->n_sensor;
  const double** column = calloc(n + 1, sizeof *column);
  double* value = calloc(n + 1, sizeof *value);
  ss_status status = column && value ? copy_columns(o, run, n_rows, column, value, error)
                                     : ss_error_set(error, SS_ERR_MEMORY, "out of memory");
  free(column);
  free(value);
  return status;
}

// Events after the last row are left out: the run goes on from that row and will meet them again.
static ss_status copy_events(cli_outputs* o, ss_run* run, const ss_state* last, ss_error* error)
{
  const ss_run_info* info = ss_run_get_info(run);
  const ss_event* event = info->n_events ? ss_run_events(run, NULL, NULL, error) : NULL;
  if (info->n_events && !event) return error->status;
  for (long i = 0; i < info->n_events && ss_event_is_past(&event[i], last->step, last->t); i++) {
    ss_status status = write_event(o, &event[i], error);
    if (status < 0) return status;
  }
  return SS_OK;
}

ss_status cli_outputs_resume(cli_outputs* outputs, const ss_model* model, ss_run* run, const ss_state* last,
                             bool goes_on, ss_error* error)
{
  long n_rows = ss_run_get_info(run)->n_rows;
  if (goes_on && ss_run_resume_row(run, &n_rows, error) < -1) return error->status;
  outputs->system = ss_system_get(ss_model_system(model));
  ss_status status = open_csv(outputs, error);
  if (status == SS_OK && outputs->csv.file) status = copy_rows(outputs, run, n_rows, error);
  if (status == SS_OK && outputs->events.file) status = copy_events(outputs, run, last, error);
  return status;
}

ss_status cli_outputs_reopen(cli_outputs* outputs, double until, ss_error* error)
{
  outputs->record = ss_record_resume(outputs->record_path, until, error);
  return outputs->record ? SS_OK : error->status;
}

// ---- writing ----

ss_status cli_outputs_row(cli_outputs* outputs, const ss_record_row* row, ss_error* error)
{
  ss_status status = write_row(outputs, row->state, row->sensor, error);
  if (status == SS_OK && outputs->record) status = ss_record_contacts_add(outputs->record, outputs->work, error);
  if (status == SS_OK && outputs->record) status = ss_record_row_add(outputs->record, row, error);
  return status;
}

ss_status cli_outputs_arrival(cli_outputs* outputs, const ss_ledger* ledger, const ss_step_info* info, ss_work* work,
                              ss_error* error)
{
  if (!info->stretch) return SS_OK;
  const ss_energy_ledger* energy;
  const ss_ledger_counts* counts = ss_ledger_arrival(ledger, &energy);
  const ss_step_info* first = &info->stretch[0];
  return cli_outputs_row(outputs, &(ss_record_row){.state = info->arrival, .info = first, .energy = energy,
                                                   .counts = counts, .sensor = ss_sense(info->arrival, first, work)},
                         error);
}

const ss_step_info* cli_info_of_row(const ss_step_info* info) { return info->stretch ? &info->stretch[1] : info; }

ss_status cli_outputs_event(cli_outputs* outputs, const ss_event* event, const ss_state* state, ss_error* error)
{
  ss_status status = write_event(outputs, event, error);
  if (status == SS_OK && outputs->record) status = ss_record_contacts_add(outputs->record, outputs->work, error);
  if (status == SS_OK && outputs->record) status = ss_record_event_add(outputs->record, event, state, error);
  return status;
}

// stdout is flushed and judged when the tool ends
static ss_status close_stream(cli_out* out, const char* path, ss_error* error)
{
  return cli_out_close(out, true) ? SS_OK : file_error(error, path, "write");
}

// Everything is closed, whatever fails; the first failure is the one reported.
ss_status cli_outputs_close(cli_outputs* outputs, const char* how, ss_error* error)
{
  ss_error other = {0};
  ss_status status = SS_OK;
  if (outputs->record) status = ss_record_close(outputs->record, how, error);
  outputs->record = NULL;
  ss_status csv = close_stream(&outputs->csv, outputs->csv_path, status < 0 ? &other : error);
  if (status >= 0) status = csv;
  ss_status events = close_stream(&outputs->events, outputs->events_path, status < 0 ? &other : error);
  return status < 0 ? status : events;
}
