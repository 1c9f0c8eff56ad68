// Fuzz target: messages of the page to the live view, one per line, leave a simulation that goes on; never a crash.
// What is recorded is counted, not written: a file would take a hundred times as long as all the rest.
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "view.h"

int LLVMFuzzerInitialize(int* argc, char*** argv);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// ---- in place of io/record.c ----

struct ss_record {
  long rows;
};

ss_record* ss_record_create(const char* path, const ss_model* model, const ss_run_def* run, ss_error* error)
{
  if (!path || !model || !run || !error) abort();
  return calloc(1, sizeof(ss_record));
}

ss_record* ss_record_resume(const char* path, double until, ss_error* error)
{
  (void)path, (void)until, (void)error;
  return NULL;
}

ss_status ss_record_contacts_add(ss_record* r, const ss_work* work, ss_error* error)
{
  return r && work && error ? SS_OK : SS_ERR_ARGUMENT;
}

ss_status ss_record_row_add(ss_record* r, const ss_record_row* row, ss_error* error)
{
  if (!row->state || !error) abort();
  r->rows++;
  return SS_OK;
}

ss_status ss_record_event_add(ss_record* r, const ss_event* e, const ss_state* state, ss_error* error)
{
  return r && e && state && error ? SS_OK : SS_ERR_ARGUMENT;
}

ss_status ss_record_close(ss_record* r, const char* how, ss_error* error)
{
  if (!how || !error) abort();
  free(r);
  return SS_OK;
}

// ---- the view ----

static bool open_view(cli_view* v, const char* name)
{
  ss_error error = {0};
  *v = (cli_view){.speed = 1};
  return cli_sim_open(&v->sim, name, 0, NULL, &error) >= 0 && cli_frame_open(&v->frame, &v->sim);
}

// A folder of its own for what the page asks to be kept
static const char* folder(void)
{
  static char name[] = "/tmp/fuzz-view-XXXXXX";
  static bool made;
  if (!made && !mkdtemp(name)) abort();
  made = true;
  return name;
}

static void empty_folder(void)
{
  DIR* d = opendir(folder());
  if (!d) abort();
  for (const struct dirent* e = readdir(d); e; e = readdir(d))
    if (e->d_name[0] != '.') unlinkat(dirfd(d), e->d_name, 0);
  closedir(d);
}

static void remove_folder(void) { rmdir(folder()); }

static void close_view(cli_view* v)
{
  ss_error ignored = {0};
  cli_keep_end(&v->keep, &ignored);
  cli_frame_close(&v->frame);
  cli_sim_close(&v->sim);
  empty_folder();
}

int LLVMFuzzerInitialize(int* argc, char*** argv)
{
  (void)argc, (void)argv;
  folder();
  return atexit(remove_folder);
}

// The first byte chooses the model
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
  static const char* const models[] = {"ball", "two-balls", "woodpecker"};
  cli_view v;
  if (!size || size > 4000) return 0;
  char* text = malloc(size);
  if (!text) return 0;
  memcpy(text, data + 1, size - 1);
  text[size - 1] = 0;
  if (!open_view(&v, models[data[0]%3])) abort();
  char output[64];
  snprintf(output, sizeof output, "%s/run.h5", folder());
  v.keep.output = output;
  int n = 0;
  for (char* line = text; line && n < 8; n++) {
    char* end = memchr(line, '\n', (size_t)(text + size - 1 - line));
    if (end) *end = 0;
    cli_view_message(&v, line, end ? (size_t)(end - line) : (size_t)(text + size - 1 - line));
    line = end ? end + 1 : NULL;
  }
  v.deadline = cli_view_now() + 1;
  cli_view_steps(&v, 3);
  close_view(&v);
  free(text);
  return 0;
}
