// The event-driven integrator: time per cycle of the woodpecker, arcs and events per second, for several intervals of
// output; CPU time, median of several runs. A harmonic oscillator with three frequencies and roots at known times gives
// the cost of an arc without contact forces and the error of event times.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stickslip/stickslip.h>
#include "clock.h"

#define REPEATS 5

typedef struct tally {
  long events, steps;
  double worst;  // error of event times, s
} tally;

// Event k of the oscillators: contact i is met when sin(omega_i t) returns to zero
static bool watch(void* user, const ss_state* state, const ss_step_info* info)
{
  tally* n = user;
  (void)state;
  n->steps++;
  n->events += info->n_events;
  for (int k = 0; k < info->n_events; k++) {
    double omega = 1 + 3*info->event[k].contact, half = acos(-1)/omega, turns = info->event[k].t/half;
    n->worst = fmax(n->worst, fabs(turns - round(turns))*half);
  }
  return true;
}

static int run(ss_model* model, double dt, double until, double rtol, tally* n, double* median)
{
  ss_error error;
  const ss_system* system = ss_model_system(model);
  ss_state* s = ss_state_create(system);
  ss_work* w = ss_work_create(system, &error);
  ss_step_def def = ss_model_run(model)->step;
  double time[REPEATS];
  ss_status status = SS_OK;
  def.integrator = SS_EVENT_DRIVEN;
  def.dt = dt;
  def.event.rtol = rtol;
  for (int i = 0; i < REPEATS && status >= 0; i++) {
    *n = (tally){0};
    ss_model_initial(model, s);
    double start = cpu_seconds();
    status = ss_simulate(system, &def, 0, lround(until/dt), s, w, watch, n);
    time[i] = cpu_seconds() - start;
  }
  qsort(time, REPEATS, sizeof *time, ascending);
  *median = time[REPEATS/2];
  if (status < 0) fprintf(stderr, "%s\n", ss_work_message(w));
  ss_work_destroy(w);
  ss_state_destroy(s);
  return status < 0 ? 3 : 0;
}

int main(void)
{
  static const char oscillators[] =
    "coordinates: {x: m, y: m, z: m}\nkinetic: (x'^2 + y'^2 + z'^2)/2\npotential: (x^2 + 16*y^2 + 49*z^2)/2\n"
    "contacts:\n  a: {gap: x, eps_n: 1}\n  b: {gap: y, eps_n: 1}\n  c: {gap: z, eps_n: 1}\n"
    "initial: {x': 1, y': 4, z': 7}\n";
  ss_error error = {0};
  tally n;
  double time;
  int failed = 0;
  ss_model* model = ss_model_load("woodpecker", NULL, &error);
  if (!model) return fprintf(stderr, "%s\n", error.text), 2;
  failed |= run(model, 5, 5, 1e-10, &n, &time);  // to warm up
  for (int i = 0; i < 5; i++) {
    const double dt[] = {5, 1e-2, 1e-3, 1e-4, 5}, rtol[] = {1e-10, 1e-10, 1e-10, 1e-10, 1e-8};
    failed |= run(model, dt[i], 5, rtol[i], &n, &time);
    printf("woodpecker   output every %-6g s, rtol %-6g  %7.3f ms/cycle  %8.0f arcs/s  %6.2f us per event or row\n",
           dt[i], rtol[i], 1e3*time/(5/0.145976), (double)n.events/time, 1e6*time/(double)n.steps);
  }
  ss_model_destroy(model);
  model = ss_model_parse(oscillators, strlen(oscillators), "oscillators", NULL, &error);
  if (!model) return fprintf(stderr, "%s\n", error.text), 2;
  failed |= run(model, 100, 100, 1e-10, &n, &time);
  printf("oscillators  %ld events in 100 s, rtol 1e-10  %6.2f us per event; times off by up to %.2g s\n", n.events,
         1e6*time/(double)n.events, n.worst);
  ss_model_destroy(model);
  return failed;
}
