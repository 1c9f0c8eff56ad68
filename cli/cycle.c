// `stickslip cycle`: the periodic orbit of a model, its period and its stability.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "json.h"
#include "model_arg.h"
#include "outputs.h"
#include "step_options.h"
#include "table.h"

typedef struct cycle_options {
  cli_list set;
  int method;
  char* section;
  const char *period, *output, *csv, *events;
  long returns, max_returns, rows;
  double transient, tol;
  bool check, json;
  cli_step_options step;
} cycle_options;

static const char* const methods[] = {"shooting", "iteration", NULL};  // as ss_cycle_method
// As ss_event_kind
static const char* const kinds[] = {"impact", "detach", "stick", "slip", "accumulation", "pass", NULL};

#define AT(field) offsetof(cycle_options, field)
static const cli_option options[] = {
  {"set", 0, CLI_LIST, "PATH=VALUE", AT(set), "override a parameter or any value of the model; may be repeated", NULL},
  {"method", 0, CLI_CHOICE, "NAME", AT(method),
   "shooting (Newton's method on the return map) or iteration (simulate until nothing changes) (default: shooting)",
   methods},
  {"section", 0, CLI_STRING, "CONTACT:KIND", AT(section),
   "the event at which a cycle begins (default: one that comes once per cycle and takes much energy)", NULL},
  {"period", 0, CLI_STRING, "EXPR", AT(period),
   "period of the drive of a system that depends on time, an expression of the model's parameters", NULL},
  {"returns", 0, CLI_COUNT, "N", AT(returns), "returns to the section in one cycle (default: found, up to 8)", NULL},
  {"transient", 0, CLI_POSITIVE, "S", AT(transient), "time simulated at most until events repeat (default: 100)", NULL},
  {"max-returns", 0, CLI_COUNT, "N", AT(max_returns), "returns simulated at most (default: 2000)", NULL},
  {"tol", 0, CLI_POSITIVE, "R", AT(tol), "change from cycle to cycle, relative (default: 1e-10)", NULL},
  {"integrator", 0, CLI_CHOICE, "NAME", AT(step.integrator),
   "event, or with --method iteration moreau, euler, jean or rattle (default: event)", cli_integrators},
  {"dt", 0, CLI_POSITIVE, "S", AT(step.dt), "step of time-stepping (default: the model's)", NULL},
  CLI_STEP_ROWS(AT(step)),
  {"check", 0, CLI_FLAG, NULL, AT(check), "derivatives a second time, by differences of whole cycles", NULL},
  {"output", 'o', CLI_STRING, "FILE", AT(output), "record one period of the orbit as a run (HDF5)", NULL},
  {"csv", 0, CLI_STRING, "FILE", AT(csv), "write it as CSV; '-' is standard output", NULL},
  {"events", 0, CLI_STRING, "FILE", AT(events), "write its events as CSV; '-' is standard output", NULL},
  {"rows", 0, CLI_COUNT, "N", AT(rows), "rows of these files, besides events (default: 1000)", NULL},
  {"json", 0, CLI_FLAG, NULL, AT(json), "print one JSON object", NULL},
  {0},
};

const cli_command cli_cycle_command = {
  .name = "cycle", .operands = "MODEL", .min_operands = 1, .max_operands = 1,
  .summary = "find the limit cycle of a model, its period and stability",
  .purpose = "Looks for a periodic orbit of MODEL, from its initial state. A section through the orbit is marked by an "
             "event that returns, or by the period of the drive. Shooting solves z = P(z), P the map from one return "
             "to the next, by Newton's method with derivatives that include the jumps of the motion at its events; "
             "the multipliers are the eigenvalues of P's derivative (Floquet): all inside the unit circle, the cycle "
             "attracts. Coordinates that nothing depends on may drift. See docs/cycles.md.",
  .options = options,
  .examples = "  stickslip cycle woodpecker\n"
              "  stickslip cycle woodpecker --set mu=0.35 -o orbit.h5\n"
              "  stickslip cycle impact-oscillator --period 2*pi/omega\n"
              "  stickslip cycle woodpecker --method iteration --integrator moreau --dt 1e-5\n",
  .main = cli_cycle,
};

// CONTACT:KIND. Contacts that come and go have no list: the name is looked for in the motion.
static int read_section(const ss_system_def* d, char* text, ss_orbit_def* def)
{
  char* colon = strrchr(text, ':');
  int kind = 0;
  while (colon && kinds[kind] && strcmp(kinds[kind], colon + 1) != 0) kind++;
  if (colon && kinds[kind]) {
    *colon = '\0';
    for (int i = 0; i < d->n_contact; i++)
      if (strcmp(d->contact[i].name, text) == 0) def->contact = i;
    if (d->operators) def->contact_name = text;
    def->kind = (ss_event_kind)kind;
    if (def->contact >= 0 || d->operators) return CLI_GO_ON;
    *colon = ':';
  }
  return cli_usage(&cli_cycle_command, "--section: '%s' is not CONTACT:KIND of this model, such as %s:impact", text,
                   d->n_contact ? d->contact[0].name : "floor");
}

// --period is an expression of the model: it is read in the place of run.until
static int read_period(const char* path, cli_overrides* set, const char* text, double* period)
{
  cli_overrides more = {0};
  ss_error error = {0};
  for (int i = 0; i < set->n; i++)
    if (!cli_overrides_add(&more, set->item[i].path, set->item[i].value)) return cli_out_of_memory();
  if (!cli_overrides_add(&more, "run.until", text)) return cli_out_of_memory();
  ss_model_def def = {.n_override = more.n, .override = more.item};
  ss_model* model = ss_model_load(path, &def, &error);
  free(more.item);
  if (!model) {
    cli_period_error(&error);
    return cli_fail(&error);
  }
  *period = ss_model_run(model)->until;
  ss_model_destroy(model);
  return CLI_GO_ON;
}

static void fill_def(const ss_model* model, const cycle_options* o, ss_orbit_def* def)
{
  *def = ss_orbit_def_default();
  def->step = ss_model_run(model)->step;
  cli_step_set(&o->step, &def->step);
  def->method = (ss_cycle_method)o->method;
  def->returns = (int)o->returns;
  def->transient = o->transient;
  def->max_returns = (int)o->max_returns;
  def->tol = o->tol;
}

// ---- the orbit as a run ----

static ss_status write_steps(const ss_model* model, const ss_orbit* orbit, cli_outputs* out, const ss_run_def* run,
                             ss_state* s, ss_work* work, ss_ledger* ledger, ss_error* error)
{
  const ss_system* system = ss_model_system(model);
  ss_energy_ledger start = *ss_ledger_energy(ledger);
  ss_energy now;
  if (cli_energy_at(system, s, &now)) {  // the ledger knows it after a step
    start.kinetic = now.kinetic;
    start.potential = now.potential;
  }
  ss_status st = cli_outputs_row(out, &(ss_record_row){.state = s, .energy = &start,
                                                       .counts = ss_ledger_get_counts(ledger),
                                                       .sensor = ss_sense(s, NULL, work)}, error);
  double end = orbit->start->t + orbit->period;
  double rest = run->step.integrator == SS_EVENT_DRIVEN ? 1e-9 : 0.5;  // of a step: the sum of steps has round-off
  while (st >= 0 && s->t < end - rest*run->step.dt) {
    const ss_event* event;
    ss_status stepped = ss_step(system, &run->step, s, work);
    if (stepped < 0) return ss_error_set(error, stepped, "%s", ss_work_message(work));
    int n = ss_ledger_step(ledger, s, ss_work_info(work), &event);
    st = cli_outputs_arrival(out, ledger, ss_work_info(work), work, error);
    for (int i = 0; st >= 0 && i < n; i++) st = cli_outputs_event(out, &event[i], s, error);
    if (st >= 0)
      st = cli_outputs_row(out, &(ss_record_row){.state = s, .info = cli_info_of_row(ss_work_info(work)),
                                                 .energy = ss_ledger_energy(ledger),
                                                 .counts = ss_ledger_get_counts(ledger),
                                                 .sensor = ss_sense(s, ss_work_info(work), work)}, error);
  }
  return st;
}

static int write_orbit(const ss_model* model, const ss_orbit_def* def, const ss_orbit* orbit, const cycle_options* o)
{
  const ss_system* system = ss_model_system(model);
  ss_error error = {0};
  double start = orbit->start->t;
  ss_run_def run = {.step = def->step, .start = start, .until = start + orbit->period, .every = 1, .elsewhere = true};
  if (def->step.integrator == SS_EVENT_DRIVEN) run.step.dt = orbit->period/(double)o->rows;
  run.step.event.end = run.until;
  run.step.account = true;
  ss_state* s = ss_state_create(system);
  ss_work* work = ss_work_create(system, &error);
  ss_ledger* ledger = ss_ledger_create(system);
  cli_outputs out = {.record_path = o->output, .csv_path = o->csv, .events_path = o->events,
                     .system = ss_system_get(system), .work = work};
  ss_status st = s && work && ledger ? cli_outputs_create(&out, model, &run, &error)
                                     : ss_error_set(&error, SS_ERR_MEMORY, "out of memory");
  if (st >= 0) {
    ss_state_copy(s, orbit->start);
    s->step = 0;
    s->t_step = s->t;
    st = write_steps(model, orbit, &out, &run, s, work, ledger, &error);
    ss_error late = {0};
    ss_status closed = cli_outputs_close(&out, st >= 0 ? "complete" : "failed", &late);
    if (st >= 0 && closed < 0) error = late;
    if (st >= 0) st = closed;
  }
  ss_ledger_destroy(ledger);
  ss_work_destroy(work);
  ss_state_destroy(s);
  return st < 0 ? cli_fail(&error) : CLI_DONE;
}

// ---- the check ----

#define CHECKED 1e-3  // relative: derivatives that differ by more are wrong
#define ZERO 1e-7     // multipliers below are zero, as far as can be told

// Largest difference of the map after itself from what differences say of that, relative to the largest terms: the sums
// may be zero, as they are where an orbit forgets where it came from
static double compare_maps(const ss_orbit* orbit, const double* product)
{
  int n = 2*orbit->nv;
  double most = 0, size = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      double a = 0, terms = 0;
      for (int k = 0; k < n; k++) {
        double term = orbit->map[k*n + i]*orbit->map[j*n + k];
        a += term;
        terms += fabs(term);
      }
      most = fmax(most, fabs(a - product[j*n + i]));
      size = fmax(size, terms);
    }
  return most/fmax(size, ZERO);
}

static int check_map(const ss_model* model, const ss_orbit_def* def, const ss_orbit* orbit, double* difference)
{
  int n = 2*orbit->nv;
  ss_error error = {0};
  double* product = calloc((size_t)(n*n), sizeof *product);
  if (!product) return cli_out_of_memory();
  ss_status st = ss_orbit_differences(ss_model_system(model), def, orbit, 1e-6, product, &error);
  if (st >= 0) *difference = compare_maps(orbit, product);
  free(product);
  return st < 0 ? cli_fail(&error) : CLI_GO_ON;
}

// ---- output ----

static void section_text(const ss_orbit* o, const ss_orbit_def* def, char* text, size_t size)
{
  if (!o->contact_name) snprintf(text, size, "every %.12g s", def->period);
  else snprintf(text, size, "%s of %s", ss_event_kind_text(o->kind), o->contact_name);
}

static bool drifts(const ss_orbit* o, int i) { return o->cyclic[i] || o->drift[i] != 0; }

// The name of what velocity i moves
static const char* moved(const ss_system_def* d, const ss_orbit* o, int i)
{
  return o->coordinate[i] < 0 ? d->velocity[i] : d->coordinate[o->coordinate[i]];
}

// On the unit circle, as far as can be told
static bool is_neutral(const ss_orbit* o, int i)
{
  return fabs(hypot(o->re[i], o->im[i]) - 1) <= fmax(o->error[i], 1e-7);
}

static void print_stability(const ss_orbit* o)
{
  int neutral = 0, outside = 0;
  for (int i = 0; i < o->n_multipliers; i++) {
    neutral += is_neutral(o, i);
    outside += !is_neutral(o, i) && hypot(o->re[i], o->im[i]) > 1;
  }
  if (outside) printf("; it does not attract");
  else if (neutral == o->n_multipliers) printf("; it is neutral, as far as can be told");
  else if (neutral)
    printf("; neutral in %d direction%s, as far as can be told; it attracts in the others", neutral,
           cli_s(neutral));
  else printf("; it attracts");
}

static void print_multipliers(const ss_orbit* o)
{
  int zero = 0;
  printf("multipliers  ");
  for (int i = 0; i < o->n_multipliers; i++) {
    double size = hypot(o->re[i], o->im[i]);
    if (size < ZERO) {
      zero++;
      continue;
    }
    if (i) printf(", ");
    if (fabs(o->im[i]) < 1e-9*size) printf("%.7g", o->re[i]);
    else printf("%.7g %c %.7gi", o->re[i], o->im[i] < 0 ? '-' : '+', fabs(o->im[i]));
  }
  if (zero) printf("%s%d zero", zero < o->n_multipliers ? ", " : "", zero);
  if (!o->n_multipliers) printf("unknown");
  if (o->has_map) print_stability(o);
  if (!o->has_map && o->n_multipliers) printf(" (the slowest, from successive changes)");
  putchar('\n');
}

static void print_orbit(const ss_model* model, const ss_orbit_def* def, const ss_orbit* o, double difference)
{
  const ss_system_def* d = ss_system_get(ss_model_system(model));
  char section[300];
  section_text(o, def, section, sizeof section);
  printf("model        %s\n", ss_model_name(model));
  printf("section      %s\n", section);
  printf("period       %.12g s\n", o->period);
  printf("returns      %d\nevents       %d\n", o->returns, o->n_events);
  for (int i = 0; i < o->nv; i++)
    if (drifts(o, i))
      printf("drift        %s %.9g %s per cycle\n", moved(d, o, i), o->drift[i],
             o->coordinate[i] < 0 ? "rad" : cli_unit(d, o->coordinate[i]));
  print_multipliers(o);
  printf("change       %.2e per cycle, relative; %s, %ld return%s simulated in all\n", o->change,
         o->method == SS_CYCLE_SHOOTING ? "Newton's method" : "iteration", o->cycles, cli_s(o->cycles));
  if (!isnan(difference)) printf("check        derivatives differ by %.1e from those by differences\n", difference);
  printf("state\n");
  cli_print_state(d, o->start, 2, CLI_STATE_LINES);
}

static int print_json(const ss_model* model, const ss_orbit* o, double difference)
{
  const ss_system_def* d = ss_system_get(ss_model_system(model));
  cJSON* j = cJSON_CreateObject();
  cJSON_AddStringToObject(j, "model", ss_model_name(model));
  cJSON_AddStringToObject(j, "method", methods[o->method]);
  cJSON_AddBoolToObject(j, "converged", o->status == SS_OK);
  if (o->contact_name) {
    cJSON_AddStringToObject(j, "contact", o->contact_name);
    cJSON_AddStringToObject(j, "kind", ss_event_kind_text(o->kind));
  }
  cli_json_number(j, "period", o->period);
  cli_json_number(j, "returns", o->returns);
  cli_json_number(j, "events", o->n_events);
  cli_json_number(j, "change", o->change);
  cli_json_number(j, "cycles", (double)o->cycles);
  cJSON* drift = cJSON_AddObjectToObject(j, "drift");
  for (int i = 0; i < o->nv; i++)
    if (drifts(o, i)) cli_json_number(drift, moved(d, o, i), o->drift[i]);
  cJSON* list = cJSON_AddArrayToObject(j, "multipliers");
  for (int i = 0; i < o->n_multipliers; i++) {
    cJSON* m = cJSON_CreateObject();
    cli_json_number(m, "re", o->re[i]);
    cli_json_number(m, "im", o->im[i]);
    if (o->has_map) cli_json_number(m, "error", o->error[i]);
    cli_json_append(list, m);
  }
  if (!isnan(difference)) cli_json_number(j, "check", difference);
  cli_json_numbers(j, "q", o->start->nq, o->start->q);
  cli_json_numbers(j, "u", o->start->nv, o->start->u);
  return cli_print_json(j);
}

static int find(const ss_model* model, const ss_orbit_def* def, const cycle_options* o)
{
  const ss_system* system = ss_model_system(model);
  ss_error error = {0};
  ss_state* s = ss_state_create(system);
  if (!s) return cli_out_of_memory();
  ss_model_initial(model, s);
  ss_orbit* orbit = ss_orbit_find(system, def, s, &error);
  ss_state_destroy(s);
  if (!orbit) return cli_fail(&error);
  double difference = NAN;
  int status = CLI_GO_ON;
  if (o->check && orbit->has_map) status = check_map(model, def, orbit, &difference);
  if (status == CLI_GO_ON && (o->output || o->csv || o->events)) {
    status = write_orbit(model, def, orbit, o);
    if (status == CLI_DONE) status = CLI_GO_ON;
  }
  bool quiet = (o->csv && strcmp(o->csv, "-") == 0) || (o->events && strcmp(o->events, "-") == 0);
  if (status == CLI_GO_ON) {
    status = CLI_DONE;
    if (o->json) status = print_json(model, orbit, difference);
    else if (!quiet) print_orbit(model, def, orbit, difference);
    if (orbit->status != SS_OK) {
      cli_warn("the orbit is not closed to the tolerance: change %.2e per cycle after %ld returns", orbit->change,
               orbit->cycles);
      status = CLI_MISSED;
    }
    if (difference > CHECKED) {
      cli_warn("the derivatives, and with them the multipliers, are not those of the motion: they differ by %.1e",
               difference);
      status = CLI_MISSED;
    }
    if (def->period > 0 && !orbit->timed)
      cli_warn("the system does not depend on time: cycles of other periods than the one given are not looked for");
  }
  ss_orbit_destroy(orbit);
  return status;
}

int cli_cycle(int argc, char** argv)
{
  cycle_options o = {.transient = 100, .max_returns = 2000, .tol = 1e-10, .rows = 1000, .step = CLI_STEP_OPTIONS_NONE};
  int n;
  o.step.integrator = SS_EVENT_DRIVEN;
  int status = cli_parse(&cli_cycle_command, argc, argv, &o, &n);
  if (status != CLI_GO_ON) return status;
  if (o.method == SS_CYCLE_SHOOTING && o.step.integrator != SS_EVENT_DRIVEN)
    return cli_usage(&cli_cycle_command, "shooting is event-driven; with %s give --method iteration",
                     cli_integrators[o.step.integrator]);
  cli_overrides set;
  ss_model* model = NULL;
  status = cli_overrides_read(&cli_cycle_command, &o.set, &set);
  if (status == CLI_GO_ON) model = cli_step_load(argv[1], &set, &o.step, &status);
  ss_orbit_def def = ss_orbit_def_default();
  if (status == CLI_GO_ON) fill_def(model, &o, &def);
  if (status == CLI_GO_ON) status = cli_step_check(&cli_cycle_command, &o.step, model, &def.step);
  if (status == CLI_GO_ON && o.section) status = read_section(ss_system_get(ss_model_system(model)), o.section, &def);
  if (status == CLI_GO_ON && o.period) status = read_period(argv[1], &set, o.period, &def.period);
  if (status == CLI_GO_ON) status = find(model, &def, &o);
  ss_model_destroy(model);
  cli_overrides_free(&set);
  cli_list_free(&o.set);
  return status;
}
