// Time per step of the catalogue's models without recording. `bench_step MODEL DT UNTIL` for one of them; the median
// and the best of several runs. Instructions: scripts/count-instructions runs this under callgrind.
#include <stdio.h>
#include <stdlib.h>
#include <stickslip/stickslip.h>
#include "clock.h"

#define REPEATS 15

static int run(const char* name, double dt, double until, int repeats)
{
  ss_error error;
  ss_model* model = ss_model_load(name, NULL, &error);
  if (!model) return fprintf(stderr, "%s: %s\n", name, error.text), 2;
  const ss_system* system = ss_model_system(model);
  ss_state* s = ss_state_create(system);
  ss_work* w = ss_work_create(system, &error);
  ss_step_def def = ss_model_run(model)->step;
  if (dt > 0) def.dt = dt;
  if (!(until > 0)) until = ss_model_run(model)->until;
  long steps = (long)(until/def.dt + 0.5);
  double time[REPEATS];
  ss_status status = SS_OK;
  for (int i = 0; i < repeats && status >= 0; i++) {
    ss_model_initial(model, s);
    double start = wall_seconds();
    status = ss_simulate(system, &def, 0, steps, s, w, NULL, NULL);
    time[i] = (wall_seconds() - start)/(double)steps*1e6;
  }
  qsort(time, (size_t)repeats, sizeof *time, ascending);
  printf("%-22s dt %-8g steps %8ld   median %7.3f us/step   best %7.3f us/step%s\n", name, def.dt, steps,
         time[repeats/2], time[0], status < 0 ? "   FAILED" : "");
  ss_work_destroy(w);
  ss_state_destroy(s);
  ss_model_destroy(model);
  return status < 0 ? 3 : 0;
}

int main(int argc, char** argv)
{
  if (argc > 1)
    return run(argv[1], argc > 2 ? atof(argv[2]) : 0, argc > 3 ? atof(argv[3]) : 0, argc > 4 ? 1 : REPEATS);
  int worst = run("woodpecker", 2e-5, 0.3, REPEATS);  // the published comparison: 14 999 steps
  const ss_catalogue_entry* list;
  int n = ss_catalogue(&list);
  for (int i = 0; i < n; i++)
    if (run(list[i].name, 0, 0, 5) > worst) worst = 3;
  return worst;
}
