// Time per row of writing a run file of the woodpecker's size (3 coordinates, 3 contacts), and of reading it back.
// The numbers are smooth with all digits in use: the case that packs worst.
#include "clock.h"
#include "io/run_schema.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NV = 3, CONTACTS = 3, DISTINCT = 10000 };

// Everything that changes from row to row, made in advance
typedef struct sample {
  double q[NV], u[NV];
  ss_contact_result contact[CONTACTS];
  ss_energy_ledger energy;
} sample;

static sample* make_samples(void)
{
  sample* s = calloc(DISTINCT, sizeof *s);
  for (int i = 0; s && i < DISTINCT; i++) {
    double* number = (double*)&s[i].energy;
    for (int c = 0; c < NV; c++) { s[i].q[c] = sin(1e-3*i + c); s[i].u[c] = cos(1e-3*i + c); }
    for (int c = 0; c < CONTACTS; c++)
      s[i].contact[c] = (ss_contact_result){.gap = sin(2e-3*i + c), .gamma_after = {cos(2e-3*i + c), sin(3e-3*i + c)}};
    for (size_t c = 0; c < sizeof(ss_energy_ledger)/sizeof(double); c++)
      number[c] = exp(-1e-4*i)*sin(1e-3*i + (double)c);
  }
  return s;
}

static int write_rows(const char* path, const sample* samples, long rows)
{
  static const char* const name[] = {"x", "phi_M", "phi_S"};
  static const ss_contact_def contact[] = {
    {.name = "beak", .kind = SS_CONTACT_PLANAR}, {.name = "upper", .kind = SS_CONTACT_PLANAR},
    {.name = "lower", .kind = SS_CONTACT_PLANAR}};
  ss_record_header header = {.model_name = "bench", .model_text = "", .nv = NV, .coordinate = name,
                             .n_contact = CONTACTS, .contact = contact, .run = {.step = {.dt = 1e-4}, .every = 1}};
  ss_error error;
  ss_record* record = ss_record_create_from(path, &header, &error);
  ss_status status = record ? SS_OK : error.status;
  for (long i = 0; i < rows && status == SS_OK; i++) {
    const sample* s = &samples[i%DISTINCT];
    ss_state state = {.t = 1e-4*(double)i, .step = i, .nv = NV, .q = (double*)s->q, .u = (double*)s->u};
    ss_step_info info = {.n_contact = CONTACTS, .contact = s->contact};
    ss_ledger_counts counts = {.steps = i};
    ss_record_row row = {.state = &state, .info = &info, .energy = &s->energy, .counts = &counts};
    status = ss_record_row_add(record, &row, &error);
  }
  if (record && ss_record_close(record, "complete", &error) < 0) status = error.status;
  if (status != SS_OK) fprintf(stderr, "%s\n", error.text);
  return status == SS_OK ? 0 : 4;
}

static int read_rows(const char* path)
{
  int n;
  ss_error error;
  ss_run* run = ss_run_open(path, &error);
  if (!run) return fprintf(stderr, "%s\n", error.text), 4;
  const char* const* name = ss_run_columns(run, &n);
  for (int i = 0; i < n; i++)
    if (!ss_run_column(run, name[i], &error)) return fprintf(stderr, "%s\n", error.text), 4;
  ss_run_close(run);
  return 0;
}

int main(void)
{
  char folder[] = "/tmp/stickslip-bench-XXXXXX", path[64];
  struct stat info = {0};
  int status = 0;
  sample* samples = make_samples();
  if (!samples || !mkdtemp(folder)) return 4;
  snprintf(path, sizeof path, "%s/run.h5", folder);
  for (long rows = 10000; rows <= 1000000 && !status; rows *= 10) {
    double best[2] = {INFINITY, INFINITY};
    for (int i = 0; i < 5 && !status; i++) {
      double start = wall_seconds();
      status = write_rows(path, samples, rows);
      double middle = wall_seconds();
      if (!status) status = read_rows(path);
      best[0] = fmin(best[0], middle - start);
      best[1] = fmin(best[1], wall_seconds() - middle);
    }
    stat(path, &info);
    printf("%8ld rows   write %6.3f us/row   read all %6.3f us/row   %6.1f bytes/row (320 unpacked)\n", rows,
           best[0]/(double)rows*1e6, best[1]/(double)rows*1e6, (double)info.st_size/(double)rows);
  }
  unlink(path);
  rmdir(folder);
  free(samples);
  return status;
}
