// Loads a text model, simulates it, prints its impacts and where the energy went.
#include <stdio.h>
#include <stickslip/stickslip.h>

typedef struct observer {
  const ss_system* system;
  ss_ledger* ledger;
} observer;

static bool observe(void* user, const ss_state* s, const ss_step_info* info)
{
  const observer* o = user;
  const ss_event* event;
  int n = ss_ledger_step(o->ledger, s, info, &event);
  for (int i = 0; i < n; i++)
    if (event[i].kind == SS_EVENT_IMPACT)
      printf("t = %.4f s: %s, %.4f m/s, impulse %.4f N s\n", event[i].t,
             ss_system_get(o->system)->contact[event[i].contact].name, event[i].gamma_before[0], event[i].Lambda[0]);
  return s->t < 2;  // stop after two seconds
}

int main(int argc, char** argv)
{
  ss_error error;
  char text[1024];
  ss_model_def how = {.n_override = 1, .override = &(ss_override){"e", "0.7"}};
  ss_model* model = ss_model_load(argc > 1 ? argv[1] : "ball", argc > 1 ? NULL : &how, &error);
  if (!model) return fprintf(stderr, "%s\n", ss_error_format(&error, text, sizeof text)), 2;

  const ss_system* system = ss_model_system(model);
  ss_state* s = ss_state_create(system);
  ss_work* w = ss_work_create(system, &error);
  observer o = {system, ss_ledger_create(system)};
  ss_step_def def = ss_model_run(model)->step;
  def.account = true;
  ss_model_initial(model, s);
  ss_status status = ss_simulate(system, &def, 0, 1000000, s, w, observe, &o);
  const ss_energy_ledger* e = ss_ledger_energy(o.ledger);
  printf("%s after %ld steps; lost in contacts: %.6f J normal, %.6f J friction; defect %.1e J; worst residual %.1e\n",
         ss_status_text(status), s->step, e->loss_normal, e->loss_friction, e->defect,
         ss_ledger_get_counts(o.ledger)->max_residual);
  ss_ledger_destroy(o.ledger);
  ss_work_destroy(w);
  ss_state_destroy(s);
  ss_model_destroy(model);
  return status < 0;
}
