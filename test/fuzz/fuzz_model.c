// Fuzz target: any bytes as a model file give a model or an error, never a crash; a small model takes a few steps.
#include <stddef.h>
#include <stdint.h>
#include <stickslip/stickslip.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// Large models are read by the same code as small ones, and take a thousand times as long
enum { BYTES = 4096, SPEEDS = 24, STEPS = 3, ITERATIONS = 50 };

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
  ss_error error;
  if (size > BYTES) return 0;
  ss_model* model = ss_model_parse((const char*)data, size, "fuzz", NULL, &error);
  if (!model) return 0;
  const ss_system* system = ss_model_system(model);
  ss_state* s = ss_state_create(system);
  ss_work* w = ss_work_create(system, &error);
  if (s && w && s->nv <= SPEEDS) {
    ss_step_def def = ss_model_run(model)->step;
    def.account = true;
    def.solver.max_iter = def.friction.max_iter = ITERATIONS;
    ss_model_initial(model, s);
    for (int i = 0; i < STEPS && ss_step(system, &def, s, w) >= 0; i++) continue;
  }
  ss_work_destroy(w);
  ss_state_destroy(s);
  ss_model_destroy(model);
  return 0;
}
