// `stickslip events`: the event table of a run, and the limit cycle in it.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "event_force.h"
#include "json.h"
#include "table.h"

typedef struct events_options {
  bool csv, json, last_cycle;
  double from, to;
  const char* contact;
  int kind;  // -1: any
  const char* section;
} events_options;

// As ss_event_kind
static const char* const kinds[] = {"impact", "detach", "stick", "slip", "accumulation", "pass", NULL};

#define AT(field) offsetof(events_options, field)
static const cli_option options[] = {
  {"from", 0, CLI_DOUBLE, "T", AT(from), "leave out events before this time, in seconds", NULL},
  {"to", 0, CLI_DOUBLE, "T", AT(to), "leave out events after this time, in seconds", NULL},
  {"contact", 0, CLI_STRING, "NAME", AT(contact), "only events of this contact", NULL},
  {"kind", 0, CLI_CHOICE, "KIND", AT(kind), "only impact, detach, stick, slip, accumulation or pass", kinds},
  {"last-cycle", 0, CLI_FLAG, NULL, AT(last_cycle),
   "only the last full cycle; then its period and the drift of each coordinate per cycle. Without --from cycles are "
   "looked for in the second half of the run", NULL},
  {"section", 0, CLI_STRING, "CONTACT:KIND", AT(section),
   "the event that begins a cycle (default: the one that returns most regularly)", NULL},
  {"csv", 0, CLI_FLAG, NULL, AT(csv), "print CSV", NULL},
  {"json", 0, CLI_FLAG, NULL, AT(json), "print one JSON object", NULL},
  {0},
};

const cli_command cli_events_command = {
  .name = "events", .operands = "RUN", .min_operands = 1, .max_operands = 1,
  .summary = "print the contact events of a run",
  .purpose = "Prints the events recorded in RUN, an HDF5 file written by 'stickslip run -o': time, contact, kind and "
             "state before and after it, normal and tangential velocities before (-) and after (+), impulses Lambda, "
             "the force F after the event (event-driven; others: the mean over the step, none for an impact), T + V "
             "before and after the step (E-, E+), and the energy that this contact took in the step: loss = "
             "-(Lambda_N (gamma_N- + gamma_N+) + Lambda_T (gamma_T- + gamma_T+))/2. Runs of the event-driven "
             "integrator tell the instant of each event and what happened in it alone; they also have the normal "
             "impulse of compression and expansion (N comp., N exp.) and the number of motions that the contact laws "
             "allow (n, if it was counted). Numbers are rounded; --json and --csv print all digits.",
  .options = options,
  .examples = "  stickslip events run.h5\n"
              "  stickslip events run.h5 --contact floor --kind impact --csv\n"
              "  stickslip events run.h5 --last-cycle --from 5\n",
  .main = cli_events,
};

// What is to be shown of an open run
typedef struct selection {
  ss_run* run;
  const ss_run_info* info;
  const ss_event* event;
  const events_options* options;
  int contact;  // index, -1 for all
  bool exact;   // of the event-driven integrator
  bool has_cycle;
  ss_cycle cycle;
  double cycle_from, cycle_to;  // where cycles were looked for, s
} selection;

static bool selected(const selection* s, long i)
{
  const ss_event* e = &s->event[i];
  const events_options* o = s->options;
  if (s->has_cycle && (i < s->cycle.first || i >= s->cycle.last)) return false;
  return e->t >= o->from && e->t <= o->to && (s->contact < 0 || e->contact == s->contact)
         && (o->kind < 0 || (int)e->kind == o->kind);
}

// ---- reading the options ----

static int find_contact(const ss_run_info* info, const char* name, const char* option, int* index)
{
  cli_nearest nearest = {.word = name};
  for (int i = 0; i < info->n_contact; i++) {
    cli_nearest_offer(&nearest, info->contact[i]);
    if (strcmp(info->contact[i], name) != 0) continue;
    *index = i;
    return CLI_GO_ON;
  }
  if (nearest.best)
    return cli_usage(&cli_events_command, "--%s: no contact '%s'; did you mean '%s'?", option, name, nearest.best);
  char all[512] = "";
  for (int i = 0; i < info->n_contact; i++) {
    size_t used = strlen(all);
    snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", info->contact[i]);
  }
  return cli_usage(&cli_events_command, "--%s: no contact '%s'; the run has %s", option, name, all[0] ? all : "none");
}

// CONTACT:KIND; the contact's name may hold a colon itself
static int read_section(const ss_run_info* info, const char* section, int* contact, ss_event_kind* kind)
{
  char name[256];
  const char* colon = strrchr(section, ':');
  if (!colon || colon == section || (size_t)(colon - section) >= sizeof name)
    return cli_usage(&cli_events_command, "--section: '%s' is not of the form CONTACT:KIND, such as floor:impact",
                     section);
  snprintf(name, sizeof name, "%.*s", (int)(colon - section), section);
  for (int k = 0; kinds[k]; k++) {
    if (strcmp(kinds[k], colon + 1) != 0) continue;
    *kind = (ss_event_kind)k;
    return find_contact(info, name, "section", contact);
  }
  return cli_usage(&cli_events_command,
                   "--section: '%s' is no kind; it can be impact, detach, stick, slip, accumulation, pass", colon + 1);
}

static int no_cycle(const selection* s, double start, double end)
{
  const events_options* o = s->options;
  char section[300] = "", advice[64];
  if (o->section) snprintf(section, sizeof section, " %.250s", o->section);
  snprintf(advice, sizeof advice, "try %s--from%s", o->section ? "" : "--section or ",
           isinf(o->from) ? " with an earlier time" : "");
  cli_error("no cycle: between t = %.9g s and %.9g s no event%s returns regularly, at least three times; the run goes "
            "from %.9g s to %.9g s; %s", s->cycle_from, s->cycle_to, section, start, end, advice);
  return CLI_FAILED;
}

// A motion needs time to settle on its cycle: without --from the first half of the time is left out.
static int find_cycle(selection* s)
{
  int contact = -1;
  ss_event_kind kind = SS_EVENT_IMPACT;
  ss_error error = {0};
  if (s->options->section) {
    int status = read_section(s->info, s->options->section, &contact, &kind);
    if (status != CLI_GO_ON) return status;
  }
  const double* t = s->info->n_rows ? ss_run_column(s->run, "t", &error) : NULL;
  if (s->info->n_rows && !t) return cli_fail(&error);
  double start = t ? t[0] : 0, end = t ? t[s->info->n_rows - 1] : 0;
  s->cycle_to = fmin(s->options->to, end);
  s->cycle_from = isinf(s->options->from) ? (start + s->cycle_to)/2 : fmax(s->options->from, start);
  s->has_cycle = ss_run_cycle(s->run, s->cycle_from, s->cycle_to, contact, kind, &s->cycle, &error);
  if (s->has_cycle) return CLI_GO_ON;
  if (error.status < 0 && error.status != SS_ERR_NUMERIC) return cli_fail(&error);
  return no_cycle(s, start, end);
}

// ---- text ----

// The energy that the contact took in the step; the losses of all contacts, in all steps, are those of the ledger.
static double loss(const ss_event* e)
{
  double sum = 0;
  for (int i = 0; i < 3; i++) sum += e->Lambda[i]*(e->gamma_before[i] + e->gamma_after[i])/2;
  return 0 - sum;  // never -0
}

static void add_energy(cli_table* table, const selection* s, double value)
{
  if (s->info->run.step.account) cli_table_cell(table, "%.5g", value);
  else cli_table_cell(table, "-");
}

// "open -> slip+", or the state alone if it stays the same
static void add_states(cli_table* table, const ss_event* e)
{
  const char *before = ss_contact_state_text(e->state_before), *after = ss_contact_state_text(e->state);
  if (e->state_before == e->state) cli_table_cell(table, "%s", after);
  else cli_table_cell(table, "%s -> %s", before, after);
}

static void add_force(cli_table* table, const selection* s, const ss_event* e)
{
  double force[3];
  cli_event_force(s->run, e, force);
  for (int k = 0; k < (s->info->listed ? 3 : 2); k++)
    if (isnan(force[k])) cli_table_cell(table, "-");
    else cli_table_cell(table, "%.5g", force[k] + 0);  // never -0
}

// What only the event-driven integrator knows
static void add_exact(cli_table* table, const ss_event* e)
{
  cli_table_cell(table, "%.5g", e->Lambda_C[0]);
  cli_table_cell(table, "%.5g", e->Lambda[0] - e->Lambda_C[0]);
  if (e->solutions == -1) cli_table_cell(table, "-");
  else if (e->solutions < 0) cli_table_cell(table, "inf");
  else cli_table_cell(table, "%d", e->solutions);
}

static void add_row(cli_table* table, const selection* s, const ss_event* e)
{
  cli_table_cell(table, s->exact ? "%.12g" : "%.9g", e->t);
  cli_table_cell(table, "%s", s->info->contact[e->contact]);
  cli_table_cell(table, "%s", ss_event_kind_text(e->kind));
  add_states(table, e);
  for (int k = 0; k < (s->info->listed ? 3 : 2); k++) {
    cli_table_cell(table, "%.5g", e->gamma_before[k]);
    cli_table_cell(table, "%.5g", e->gamma_after[k]);
  }
  for (int k = 0; k < (s->info->listed ? 3 : 2); k++) cli_table_cell(table, "%.5g", e->Lambda[k]);
  add_force(table, s, e);
  add_energy(table, s, e->energy_before);
  add_energy(table, s, e->energy_after);
  cli_table_cell(table, "%.5g", loss(e));
  if (s->exact) add_exact(table, e);
}

// Head lines of a table: planar or spatial events, and at the end what the event-driven integrator adds
static const char* const planar_head[2][18] = {
  {"t", "contact", "kind", "state", "gamma_N-", "gamma_N+", "gamma_T-", "gamma_T+", "Lambda_N", "Lambda_T", "F_N",
   "F_T", "E-", "E+", "loss", "N comp.", "N exp.", "n"},
  {"s", "", "", "", "m/s", "m/s", "m/s", "m/s", "N s", "N s", "N", "N", "J", "J", "J", "N s", "N s", ""},
};
static const char* const spatial_head[2][22] = {
  {"t", "contact", "kind", "state", "gamma_N-", "gamma_N+", "gamma_T1-", "gamma_T1+", "gamma_T2-", "gamma_T2+",
   "Lambda_N", "Lambda_T1", "Lambda_T2", "F_N", "F_T1", "F_T2", "E-", "E+", "loss", "N comp.", "N exp.", "n"},
  {"s", "", "", "", "m/s", "m/s", "m/s", "m/s", "m/s", "m/s", "N s", "N s", "N s", "N", "N", "N", "J", "J", "J", "N s",
   "N s", ""},
};

static int print_table(const selection* s)
{
  int n = (s->info->listed ? 19 : 15) + (s->exact ? 3 : 0);
  char align[] = "rlllrrrrrrrrrrrrrrrrrr";
  align[n] = '\0';
  cli_table table = cli_table_create(align);
  for (int line = 0; line < 2; line++)
    for (int i = 0; i < n; i++)
      cli_table_cell(&table, "%s", s->info->listed ? spatial_head[line][i] : planar_head[line][i]);
  bool accumulates = false;
  for (long i = 0; i < s->info->n_events; i++) {
    if (!selected(s, i)) continue;
    add_row(&table, s, &s->event[i]);
    accumulates = accumulates || s->event[i].kind == SS_EVENT_ACCUMULATION;
  }
  if (!cli_table_print(&table, 0)) return cli_out_of_memory();
  if (accumulates)
    printf("\naccumulation: infinitely many impacts end; t is that of the last one computed, the end of the others is "
           "extrapolated\n");
  return CLI_DONE;
}

// Lengths and times below one in a smaller unit: -0.0194531 m is -19.453 mm
static void print_quantity(double value, const char* unit)
{
  bool scaled = strcmp(unit, "m") == 0 || strcmp(unit, "s") == 0;
  double size = fabs(value);
  if (scaled && size > 0 && size < 1e-3) printf("%.5g u%s", 1e6*value, unit);
  else if (scaled && size > 0 && size < 1) printf("%.5g m%s", 1e3*value, unit);
  else printf("%.5g%s%s", value, unit[0] ? " " : "", unit);
}

static void print_cycle(const selection* s)
{
  const ss_cycle* c = &s->cycle;
  printf("\ncycle: from %s of %s to the next, %d cycle%s between t = %.9g s and %.9g s\n", ss_event_kind_text(c->kind),
         s->info->contact[c->contact], c->n, cli_s(c->n), s->cycle_from, s->cycle_to);
  printf("period: %#.7g s (single cycles within ", c->period);
  print_quantity(c->spread, "s");
  printf(")\ndrift per cycle: ");
  for (int i = 0; i < s->info->nq; i++) {
    printf("%s%s ", i ? ", " : "", s->info->coordinate[i]);
    print_quantity(c->drift[i], s->info->unit[i]);
  }
  putchar('\n');
}

// ---- CSV and JSON ----

static int print_csv(const selection* s)
{
  ss_status status = ss_csv_event_header(stdout, s->info->listed);
  for (long i = 0; i < s->info->n_events && status >= 0; i++)
    if (selected(s, i))
      status = ss_csv_event(stdout, &s->event[i], s->info->contact[s->event[i].contact], s->info->listed);
  return status < 0 ? CLI_BAD_FILE : CLI_DONE;  // main() reports what is wrong with stdout
}

static cJSON* event_json(const selection* s, const ss_event* e)
{
  int n = s->info->listed ? 3 : 2;
  cJSON* o = cJSON_CreateObject();
  cli_json_number(o, "t", e->t);
  cli_json_number(o, "step", (double)e->step);
  cJSON_AddStringToObject(o, "contact", s->info->contact[e->contact]);
  cJSON_AddStringToObject(o, "kind", ss_event_kind_text(e->kind));
  cJSON_AddStringToObject(o, "state_before", ss_contact_state_text(e->state_before));
  cJSON_AddStringToObject(o, "state", ss_contact_state_text(e->state));
  cli_json_numbers(o, "gamma_before", n, e->gamma_before);
  cli_json_numbers(o, "gamma_after", n, e->gamma_after);
  cli_json_numbers(o, "Lambda", n, e->Lambda);
  double force[3];
  cli_event_force(s->run, e, force);
  cli_json_numbers(o, "F", n, force);
  bool known = s->info->run.step.account;
  cli_json_number(o, "energy_before", known ? e->energy_before : NAN);
  cli_json_number(o, "energy_after", known ? e->energy_after : NAN);
  cli_json_number(o, "loss", loss(e));
  if (!s->exact) return o;
  cli_json_numbers(o, "Lambda_compression", 2, e->Lambda_C);
  cli_json_number(o, "solutions", e->solutions == -1 ? NAN : e->solutions < 0 ? INFINITY : e->solutions);
  cli_json_number(o, "count", (double)e->count);
  return o;
}

static cJSON* cycle_json(const selection* s)
{
  const ss_cycle* c = &s->cycle;
  cJSON* o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "contact", s->info->contact[c->contact]);
  cJSON_AddStringToObject(o, "kind", ss_event_kind_text(c->kind));
  cli_json_number(o, "from", s->cycle_from);
  cli_json_number(o, "to", s->cycle_to);
  cli_json_number(o, "cycles", c->n);
  cli_json_number(o, "period", c->period);
  cli_json_number(o, "spread", c->spread);
  cJSON* drift = cJSON_AddObjectToObject(o, "drift");
  for (int i = 0; i < s->info->nq; i++) cli_json_number(drift, s->info->coordinate[i], c->drift[i]);
  return o;
}

static int print_json(const selection* s)
{
  cJSON* o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "model", s->info->model_name);
  cJSON_AddStringToObject(o, "status", s->info->status);
  cJSON* list = cJSON_AddArrayToObject(o, "events");
  for (long i = 0; i < s->info->n_events; i++)
    if (selected(s, i)) cli_json_append(list, event_json(s, &s->event[i]));
  if (s->has_cycle) cli_json_put(o, "cycle", cycle_json(s));
  return cli_print_json(o);
}

static int show(selection* s)
{
  ss_error error = {0};
  const events_options* o = s->options;
  if (o->contact) {
    int status = find_contact(s->info, o->contact, "contact", &s->contact);
    if (status != CLI_GO_ON) return status;
  }
  s->event = s->info->n_events ? ss_run_events(s->run, NULL, NULL, &error) : NULL;
  if (s->info->n_events && !s->event) return cli_fail(&error);
  if (o->last_cycle) {
    int status = find_cycle(s);
    if (status != CLI_GO_ON) return status;
  }
  if (o->json) return print_json(s);
  if (o->csv) return print_csv(s);
  int status = print_table(s);
  if (s->has_cycle) print_cycle(s);
  return status;
}

int cli_events(int argc, char** argv)
{
  events_options o = {.from = -HUGE_VAL, .to = HUGE_VAL, .kind = -1};
  ss_error error = {0};
  int n;
  int status = cli_parse(&cli_events_command, argc, argv, &o, &n);
  if (status != CLI_GO_ON) return status;
  if (o.csv && o.json) return cli_usage(&cli_events_command, "--csv and --json cannot both be given");
  if (o.from > o.to) return cli_usage(&cli_events_command, "--from %g is after --to %g", o.from, o.to);
  if (o.section && !o.last_cycle) return cli_usage(&cli_events_command, "--section is of use with --last-cycle only");
  selection s = {.options = &o, .contact = -1};
  s.run = ss_run_open(argv[1], &error);
  if (!s.run) return cli_fail(&error);
  s.info = ss_run_get_info(s.run);
  s.exact = s.info->run.step.integrator == SS_EVENT_DRIVEN;
  status = show(&s);
  ss_run_close(s.run);
  return status;
}
