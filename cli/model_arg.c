// --set, and what a system says of a state without making a step.
#include "model_arg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"

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

bool cli_overrides_add(cli_overrides* overrides, const char* path, const char* value)
{
  ss_override* item = realloc(overrides->item, sizeof *item*((size_t)overrides->n + 1));
  if (!item) return false;
  overrides->item = item;
  item[overrides->n++] = (ss_override){.path = path, .value = value};
  return true;
}

void cli_overrides_free(cli_overrides* overrides)
{
  free(overrides->item);
  free(overrides->text);
  *overrides = (cli_overrides){0};
}

bool cli_at_open(const ss_system* system, const ss_state* state, cli_at* at)
{
  const ss_system_def* def = ss_system_get(system);
  const ss_operators* op = def->operators;
  ss_error ignored = {0};
  void* scratch = calloc(1, def->scratch_size + 1);
  *at = (cli_at){.def = def};
  at->at = (ss_at){.user = def->user, .scratch = scratch, .t = state->t, .q = state->q, .u = state->u};
  at->at.message = at->message;
  at->is_open = scratch && (!op || !op->open || op->open(def->user, scratch, &ignored) >= 0);
  if (at->is_open && (!def->update || def->update(&at->at) >= 0)) return true;
  cli_at_close(at);
  if (!scratch || ignored.status == SS_ERR_MEMORY) cli_out_of_memory();
  return false;
}

void cli_at_close(cli_at* at)
{
  const ss_operators* op = at->def->operators;
  if (at->is_open && op && op->close) op->close(at->at.scratch);
  free(at->at.scratch);
  at->at.scratch = NULL;
  at->is_open = false;
}

bool cli_energy_at(const ss_system* system, const ss_state* state, ss_energy* energy)
{
  const ss_system_def* def = ss_system_get(system);
  cli_at at;
  if (!def->energy || !cli_at_open(system, state, &at)) return false;
  bool known = def->energy(&at.at, energy) >= 0;
  cli_at_close(&at);
  return known;
}

bool cli_bilateral_at(const ss_system* system, const ss_state* state, double* error)
{
  const ss_system_def* def = ss_system_get(system);
  size_t n = (size_t)def->n_bilateral, nv = (size_t)def->nv;
  cli_at at;
  if (n == 0) return true;
  if (!cli_at_open(system, state, &at)) return false;
  double* rows = calloc(n*(def->operators ? 1 : nv + 1), sizeof *rows);  // W and w_hat, or sizes: not wanted here
  bool known = rows && (def->operators ? def->operators->bilateral(&at.at, error, rows)
                                       : def->bilateral(&at.at, error, rows, rows + n*nv)) >= 0;
  free(rows);
  cli_at_close(&at);
  return known;
}

const char* cli_unit(const ss_system_def* system, int i)
{
  return system->unit && system->unit[i] ? system->unit[i] : "";
}

const char* cli_rate_unit(const ss_system_def* system, int i, char* out, size_t size)
{
  const char* own = system->velocity_unit ? system->velocity_unit[i] : NULL;
  const char* unit = system->nq == system->nv ? cli_unit(system, i) : "";
  if (own) snprintf(out, size, "%s", own);
  else snprintf(out, size, "%s%s", unit, unit[0] ? "/s" : "");
  return out;
}

double cli_tolerance(const ss_system_def* system, const ss_run_def* run)
{
  return system->operators ? run->step.friction.tol : run->step.solver.tol;
}

// Name, value and unit, or three empty cells
static void add_value(cli_table* table, bool there, const char* name, const char* prime, double value, const char* unit)
{
  cli_table_cell(table, "%s%s", there ? name : "", there ? prime : "");
  if (there) cli_table_cell(table, "%.9g", value);
  else cli_table_cell(table, "%s", "");
  cli_table_cell(table, "%s", there && strcmp(unit, "1") != 0 ? unit : "");
}

void cli_print_state(const ss_system_def* system, const ss_state* state, int indent, int most)
{
  cli_table table = cli_table_create("lrllrl");
  int nq = system->nq, nv = system->nv, n = nq > nv ? nq : nv, shown = n > most ? most : n;
  for (int i = 0; i < shown; i++) {
    char rate[80] = "";
    if (i < nv) cli_rate_unit(system, i, rate, sizeof rate);
    add_value(&table, i < nq, i < nq ? system->coordinate[i] : "", "", i < nq ? state->q[i] : 0,
              i < nq ? cli_unit(system, i) : "");
    add_value(&table, i < nv, i < nv ? system->velocity[i] : "", nq == nv ? "'" : "", i < nv ? state->u[i] : 0, rate);
  }
  cli_table_print(&table, indent);
  if (shown < n) printf("%*s... %d more; --json has all\n", indent, "", n - shown);
}
