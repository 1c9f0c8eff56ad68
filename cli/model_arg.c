// --set, and what a system says of a state without making a step.
#include "model_arg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cli_overrides_read(const cli_command* command, const cli_list* set, cli_overrides* overrides)
{
  *overrides = (cli_overrides){0};
  if (set->n == 0) return CLI_GO_ON;
  size_t bytes = 0;
  for (int i = 0; i < set->n; i++) bytes += strlen(set->item[i]) + 1;
  overrides->item = calloc((size_t)set->n, sizeof *overrides->item);
  overrides->text = malloc(bytes);
  if (!overrides->item || !overrides->text) return cli_out_of_memory();
  char* p = overrides->text;
  for (int i = 0; i < set->n; i++) {
    size_t length = strlen(set->item[i]);
    memcpy(p, set->item[i], length + 1);
    char* equals = strchr(p, '=');
    if (!equals || equals == p || equals[1] == '\0')
      return cli_usage(command, "--set: '%s' is not of the form PATH=VALUE, such as mu=0.25", p);
    *equals = '\0';
    overrides->item[overrides->n++] = (ss_override){.path = p, .value = equals + 1};
    p += length + 1;
  }
  return CLI_GO_ON;
}

void cli_overrides_free(cli_overrides* overrides)
{
  free(overrides->item);
  free(overrides->text);
  *overrides = (cli_overrides){0};
}

// Scratch of the system, brought up to the state; NULL if that cannot be done. To be freed.
static void* scratch_at(const ss_system_def* def, const ss_state* state, ss_at* at)
{
  void* scratch = calloc(1, def->scratch_size + 1);
  *at = (ss_at){.user = def->user, .scratch = scratch, .t = state->t, .q = state->q, .u = state->u};
  if (scratch && def->update && def->update(at) < 0) {
    free(scratch);
    return NULL;
  }
  return scratch;
}

bool cli_energy_at(const ss_system* system, const ss_state* state, ss_energy* energy)
{
  const ss_system_def* def = ss_system_get(system);
  ss_at at;
  if (!def->energy) return false;
  void* scratch = scratch_at(def, state, &at);
  bool known = scratch && def->energy(&at, energy) >= 0;
  free(scratch);
  return known;
}

bool cli_bilateral_at(const ss_system* system, const ss_state* state, double* error)
{
  const ss_system_def* def = ss_system_get(system);
  size_t n = (size_t)def->n_bilateral, nv = (size_t)def->nv;
  ss_at at;
  if (n == 0) return true;
  void* scratch = scratch_at(def, state, &at);
  double* rows = calloc(n*(nv + 1), sizeof *rows);  // W, then w_hat: not wanted here
  bool known = scratch && rows && def->bilateral(&at, error, rows, rows + n*nv) >= 0;
  free(rows);
  free(scratch);
  return known;
}

const char* cli_unit(const ss_system_def* system, int i)
{
  return system->unit && system->unit[i] ? system->unit[i] : "";
}

const char* cli_rate_unit(const char* unit, char* out, size_t size)
{
  snprintf(out, size, "%s%s", unit, unit[0] ? "/s" : "");
  return out;
}
