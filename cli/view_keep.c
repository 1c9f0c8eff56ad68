// What the page lets us keep: a record of the run, and contact problems. Where they go is up to the command line, and
// no file is ever replaced.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dump.h"
#include "model_arg.h"
#include "view.h"

// An empty file BASE ENDING, or BASE-2 ENDING, ..., the first that was not there: the system makes it or says that it
// exists, so that of two programs that ask at once each gets its own.
static ss_status reserve_name(const char* base, size_t n, const char* ending, char* path, size_t size, ss_error* error)
{
  for (int i = 1; i < 10000; i++) {
    int length = i == 1 ? snprintf(path, size, "%.*s%s", (int)n, base, ending)
                        : snprintf(path, size, "%.*s-%d%s", (int)n, base, i, ending);
    if (length >= (int)size) return ss_error_set(error, SS_ERR_FILE, "the name '%.100s...' is too long", path);
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0) return close(file) == 0 ? SS_OK : SS_ERR_FILE;
    if (errno != EEXIST) return ss_error_set(error, SS_ERR_FILE, "%s: cannot be written: %s", path, strerror(errno));
  }
  return ss_error_set(error, SS_ERR_FILE, "there is no free name like '%.*s%s'", (int)n, base, ending);
}

// A name of the model that can be one of a file
static void plain_name(const ss_model* model, char* out, size_t size)
{
  size_t n = 0;
  for (const char* p = ss_model_name(model); *p && n + 1 < size; p++, n++) {
    bool plain = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') || (*p == '-' && n);
    out[n] = plain ? *p : '_';
  }
  out[n] = '\0';
}

ss_status cli_keep_start(cli_keep* k, cli_sim* s, ss_error* error)
{
  char name[100], live[108];
  plain_name(s->model, name, sizeof name);
  snprintf(live, sizeof live, "%s-live", name);
  const char* base = k->output ? k->output : live;
  size_t n = strlen(base);
  if (n > 3 && strcmp(base + n - 3, ".h5") == 0) n -= 3;
  ss_status st = reserve_name(base, n, ".h5", k->path, sizeof k->path, error);
  if (st < 0) {
    k->path[0] = '\0';
    return st;
  }
  ss_run_def run = s->run;
  run.step.force = NULL;
  run.elsewhere = true;  // recording begins whenever it is asked for
  k->record = ss_record_create(k->path, s->model, &run, error);
  if (!k->record) {
    unlink(k->path);
    return error->status;
  }
  k->rows = 0;
  k->from = s->state->t;
  const ss_step_info* info = s->has_stepped ? ss_work_info(s->work) : NULL;
  ss_record_row row = {.state = s->state, .info = info, .energy = ss_ledger_energy(s->ledger),
                       .counts = ss_ledger_get_counts(s->ledger), .sensor = ss_sense(s->state, info, s->work)};
  st = ss_record_contacts_add(k->record, s->work, error);
  if (st >= 0) st = ss_record_row_add(k->record, &row, error);
  k->rows = 1;
  return st;
}

// The row just before events
static ss_status keep_arrival(cli_keep* k, const cli_sim* s, const ss_step_info* info, ss_error* error)
{
  if (!info->stretch) return SS_OK;
  ss_record_row row = {.state = info->arrival, .info = &info->stretch[0],
                       .sensor = ss_sense(info->arrival, &info->stretch[0], s->work)};
  row.counts = ss_ledger_arrival(s->ledger, &row.energy);
  k->rows++;
  return ss_record_row_add(k->record, &row, error);
}

ss_status cli_keep_step(cli_keep* k, cli_sim* s, int n_event, const ss_event* event, ss_error* error)
{
  if (!k->record) return SS_OK;
  const ss_step_info* info = ss_work_info(s->work);
  ss_status st = ss_record_contacts_add(k->record, s->work, error);
  if (st >= 0) st = keep_arrival(k, s, info, error);
  for (int i = 0; st >= 0 && i < n_event; i++) st = ss_record_event_add(k->record, &event[i], s->state, error);
  bool wanted = s->run.every <= 1 || s->state->step % s->run.every == 0 || (info->has_events && n_event);
  if (st < 0 || !wanted) return st;
  ss_record_row row = {.state = s->state, .info = info->stretch ? &info->stretch[1] : info,
                       .energy = ss_ledger_energy(s->ledger), .counts = ss_ledger_get_counts(s->ledger),
                       .sensor = ss_sense(s->state, info, s->work)};
  k->rows++;
  return ss_record_row_add(k->record, &row, error);
}

ss_status cli_keep_end(cli_keep* k, ss_error* error)
{
  ss_record* record = k->record;
  k->record = NULL;
  return record ? ss_record_close(record, "complete", error) : SS_OK;
}

// The problem of the last step, made again
static ss_status save_problem(const cli_sim* s, const char* path, ss_error* error)
{
  ss_state* state = ss_state_create(s->system);
  ss_work* work = state ? cli_sim_repeat(s, state, error) : NULL;
  ss_status st = state && !work ? error->status : state ? SS_OK : ss_error_set(error, SS_ERR_MEMORY, "out of memory");
  ss_run_def run = s->run;
  run.step = s->last_def;
  if (work && !ss_work_problem(work, NULL, NULL))
    st = ss_error_set(error, SS_ERR_INPUT, "the last step had no contact problem: nothing was closed");
  if (st >= 0) st = cli_dump_save(path, s->model, &run, work, state, ss_work_info(work), error);
  ss_work_destroy(work);
  if (state) ss_state_destroy(state);
  return st;
}

ss_status cli_keep_problem(cli_keep* k, cli_sim* s, char* path, size_t size, ss_error* error)
{
  char name[100], base[1200];
  if (!s->has_stepped) return ss_error_set(error, SS_ERR_INPUT, "there is no contact problem before the first step");
  if (s->last_def.integrator == SS_EVENT_DRIVEN)
    return ss_error_set(error, SS_ERR_INPUT, "the event-driven integrator has no contact problems of steps");
  plain_name(s->model, name, sizeof name);
  const char* slash = k->output ? strrchr(k->output, '/') : NULL;  // beside the record
  snprintf(base, sizeof base, "%.*s%s-step-%ld", slash ? (int)(slash - k->output) + 1 : 0, slash ? k->output : "", name,
           s->state->step);
  ss_status st = reserve_name(base, strlen(base), ".json", path, size, error);
  if (st < 0) return st;
  st = save_problem(s, path, error);
  if (st < 0) unlink(path);
  return st;
}
