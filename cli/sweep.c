// `stickslip sweep`: a model over a grid of parameters, chains of them, or random disturbances.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "json.h"
#include "progress.h"
#include "sweep.h"
#include "sweep_file.h"
#include "sweep_mpi.h"

typedef struct sweep_options {
  cli_list set, param, perturb;
  const char *observe, *section, *period, *output;
  long samples, seed, points, skip, threads;
  double after, until;
  int chain;
  bool resume, force, json, quiet;
  cli_step_options step;
} sweep_options;

static const char* const chains[] = {"none", "up", "down", "both", NULL};  // as cli_direction
// As ss_event_kind
static const char* const kinds[] = {"impact", "detach", "stick", "slip", "accumulation", "pass", NULL};

#define MOST_POINTS 1e15
#define AT(field) offsetof(sweep_options, field)
static const cli_option options[] = {
  {"param", 'p', CLI_LIST, "PATH=VALUES", AT(param),
   "a parameter (or contacts.floor.mu, initial.x, ...) and its values: from:to:count or a,b,c; several make a grid",
   NULL},
  {"set", 0, CLI_LIST, "PATH=VALUE", AT(set), "override a value of the model for all", NULL},
  {"perturb", 0, CLI_LIST, "PATH=SIZE", AT(perturb),
   "disturb a parameter or initial.x at random, by up to SIZE; SIZE:normal: with this standard deviation", NULL},
  {"samples", 0, CLI_COUNT, "N", AT(samples), "disturbances for each point of the grid (default: 1)", NULL},
  {"seed", 0, CLI_WHOLE, "N", AT(seed), "of the random numbers (default: 1)", NULL},
  {"observe", 0, CLI_STRING, "NAME,NAME...", AT(observe),
   "columns: a coordinate x, rate u_x or sensor at the end, min.x, max.x, mean.x, an expression r=hypot(x,y) of the "
   "model, also min.r, events, impact, slip.C, events.C, state.C, t, energy, loss_normal, loss_friction (default: all "
   "coordinates and rates; none with a section)", NULL},
  {"after", 0, CLI_POSITIVE, "S", AT(after), "min, max and mean from this time on (default: 0)", NULL},
  {"section", 0, CLI_STRING, "CONTACT:KIND", AT(section), "a row for each such event, with the state after it", NULL},
  {"period", 0, CLI_STRING, "EXPR", AT(period), "a row for each period of the drive, an expression of the model", NULL},
  {"points", 0, CLI_COUNT, "N", AT(points), "returns to the section that are kept (default: 100)", NULL},
  {"skip", 0, CLI_WHOLE, "N", AT(skip), "returns that are left out before (default: 100)", NULL},
  {"continue", 0, CLI_CHOICE, "WAY", AT(chain),
   "carry the state from value to value of the first --param: up, down, both, or none (the default)", chains},
  {"until", 0, CLI_POSITIVE, "S", AT(until),
   "end time (default: the model's); with --section how long nothing may happen, with --period of no effect", NULL},
  {"integrator", 0, CLI_CHOICE, "NAME", AT(step.integrator),
   "moreau, euler, jean, rattle or event (default: the model's)", cli_integrators},
  {"dt", 0, CLI_POSITIVE, "S", AT(step.dt), "step size (default: the model's)", NULL},
  CLI_STEP_ROWS(AT(step)),
  {"threads", 'j', CLI_COUNT, "N", AT(threads), "threads (default: one for each core)", NULL},
  {"output", 'o', CLI_STRING, "FILE", AT(output), "the table: FILE.csv or FILE.h5; a pipe or a device: CSV", NULL},
  {"resume", 0, CLI_FLAG, NULL, AT(resume), "go on with a sweep that was interrupted (FILE.part)", NULL},
  {"force", 0, CLI_FLAG, NULL, AT(force), "start anew where FILE.part holds a sweep that was interrupted", NULL},
  {"quiet", 'q', CLI_FLAG, NULL, AT(quiet), "no progress line, no summary", NULL},
  {"json", 0, CLI_FLAG, NULL, AT(json), "print the summary as one JSON object", NULL},
  {0},
};

const cli_command cli_sweep_command = {
  .name = "sweep", .operands = "MODEL", .min_operands = 1, .max_operands = 1,
  .summary = "run a model for many parameters, disturbances or initial states",
  .purpose = "Simulates MODEL for every combination of the values given by --param, and every disturbance, and writes "
             "one table. With --section or --period the table has a row for each return to that section (bifurcation "
             "diagrams, Poincare sections); with --continue each value starts where the last one ended. Rows stand in "
             "the order of the grid, whatever the number of threads; under mpirun processes take the place of "
             "threads. 'stickslip diagram' draws the table. See docs/sweeps.md.",
  .options = options,
  .examples = "  stickslip sweep woodpecker -p mu=0.1:0.5:200 --observe max.phi_S,events --after 2 -o sweep.csv\n"
              "  stickslip sweep impact-oscillator -p omega=20:30:400 --period 2*pi/omega --integrator event \\\n"
              "            --points 200 --continue both -o bifurcation.csv\n"
              "  stickslip sweep painleve --perturb initial.theta=0.1 --samples 10000 -o ensemble.h5\n"
              "  mpirun -n 4 stickslip sweep woodpecker -p mu=0.2:0.4:1000 -o sweep.h5\n",
  .main = cli_sweep_main,
};

// ---- options ----

static int bad(const char* option, const char* text, const char* form)
{
  return cli_usage(&cli_sweep_command, "--%s: '%s' is not of the form %s", option, text, form);
}

// 0:0.1:1 would be one value; elsewhere it is from:step:to
static int wrong_order(const char* text, double from, double step)
{
  double steps = (1 - from)/(step != 0 ? step : 1);
  if (!(steps >= 1 && steps < 1e6)) return bad("param", text, "from:to:count; a single value is written alone");
  return cli_usage(&cli_sweep_command, "--param: '%s' would be a single value; the order is from:to:count, and steps "
                   "of %g from %g to 1 are %g:1:%.0f", text, step, from, from, floor(steps + 1e-9) + 1);
}

// from:to:count or a,b,c
static int read_values(const char* text, cli_swept* w)
{
  double from, to;
  long count;
  int end = 0;
  if (sscanf(text, "%lf:%lf:%ld%n", &from, &to, &count, &end) == 3 && !text[end] && count >= 1 && count < 10000000 &&
      isfinite(from) && isfinite(to)) {
    if (count == 1 && from != to) return wrong_order(text, from, to);
    w->n = (int)count;
    w->value = calloc((size_t)count, sizeof *w->value);
    for (long i = 0; w->value && i < count; i++)
      w->value[i] = i + 1 == count && count > 1 ? to : from + (to - from)*(double)i/(double)(count > 1 ? count - 1 : 1);
    return w->value ? CLI_GO_ON : cli_out_of_memory();
  }
  w->value = calloc(strlen(text) + 1, sizeof *w->value);
  if (!w->value) return cli_out_of_memory();
  for (const char* p = text;;) {
    char* rest;
    w->value[w->n] = strtod(p, &rest);
    if (rest == p || (*rest && *rest != ',') || !isfinite(w->value[w->n]))
      return bad("param", text, "from:to:count or a,b,c");
    w->n++;
    if (!*rest) return CLI_GO_ON;
    p = rest + 1;
  }
}

static int split(const char* option, const char* text, char* path, size_t size, const char** value)
{
  const char* equals = strchr(text, '=');
  if (!equals || equals == text || !equals[1] || (size_t)(equals - text) >= size)
    return bad(option, text, "PATH=VALUES");
  snprintf(path, size, "%.*s", (int)(equals - text), text);
  *value = equals + 1;
  return CLI_GO_ON;
}

static int read_grid(const sweep_options* o, cli_sweep* s)
{
  if (o->param.n > CLI_MAX_SWEPT || o->perturb.n > CLI_MAX_SWEPT)
    return cli_usage(&cli_sweep_command, "more than %d values are swept or disturbed", CLI_MAX_SWEPT);
  const char* value = "";
  for (int i = 0; i < o->param.n; i++) {
    int status = split("param", o->param.item[i], s->swept[i].path, sizeof s->swept[i].path, &value);
    if (status == CLI_GO_ON) status = read_values(value, &s->swept[i]);
    if (status != CLI_GO_ON) return status;
    s->n_swept++;
  }
  for (int i = 0; i < o->perturb.n; i++) {
    cli_disturbed* d = &s->disturbed[i];
    char* rest;
    int status = split("perturb", o->perturb.item[i], d->path, sizeof d->path, &value);
    if (status != CLI_GO_ON) return status;
    d->size = strtod(value, &rest);
    d->normal = strcmp(rest, ":normal") == 0;
    if (rest == value || (*rest && !d->normal) || !(d->size >= 0) || !isfinite(d->size))
      return bad("perturb", value, "SIZE or SIZE:normal");
    s->n_disturbed++;
  }
  for (int i = 0; i < s->n_swept; i++)
    for (int j = 0; j < i; j++)
      if (strcmp(s->swept[i].path, s->swept[j].path) == 0)
        return cli_usage(&cli_sweep_command, "--param: %s is given twice", s->swept[i].path);
  for (int i = 0; i < s->n_disturbed; i++)
    for (int j = 0; j < i; j++)
      if (strcmp(s->disturbed[i].path, s->disturbed[j].path) == 0)
        return cli_usage(&cli_sweep_command, "--perturb: %s is given twice", s->disturbed[i].path);
  double points = (double)o->samples;
  for (int i = 0; i < s->n_swept; i++) points *= s->swept[i].n;
  if (points > MOST_POINTS)
    return cli_usage(&cli_sweep_command, "the grid has %g points; %g are the most", points, MOST_POINTS);
  if (o->samples > 1 && !s->n_disturbed)
    return cli_usage(&cli_sweep_command, "--samples %ld needs a --perturb: without one they are all alike", o->samples);
  s->chain = (cli_direction)o->chain;
  if (s->chain && !s->n_swept) return cli_usage(&cli_sweep_command, "--continue needs a --param to go along");
  return CLI_GO_ON;
}

static int index_of(const cli_sweep* s, const char* name)
{
  for (int i = 0; i < 2*s->nv; i++) {
    const char* c = s->coordinate[i%s->nv];
    if (i < s->nv ? strcmp(name, c) == 0 : strncmp(name, "u_", 2) == 0 && strcmp(name + 2, c) == 0) return i;
  }
  if (strncmp(name, "sensor.", 7) == 0) name += 7;
  for (int i = 0; i < s->n_sensor; i++)
    if (strcmp(name, s->sensor[i]) == 0) return 2*s->nv + i;
  return -1;
}

static int contact_of(const ss_system_def* d, const char* name, size_t length)
{
  for (int i = 0; i < d->n_contact; i++)
    if (strlen(d->contact[i].name) == length && strncmp(d->contact[i].name, name, length) == 0) return i;
  return -1;
}

static bool read_observable(const cli_sweep* s, const ss_system_def* d, const char* name, cli_observable* o)
{
  static const struct { const char* name; cli_observable_kind kind; } ranges[] = {
    {"min.", CLI_SEE_MIN}, {"max.", CLI_SEE_MAX}, {"mean.", CLI_SEE_MEAN}};
  static const struct { const char* name; cli_observable_kind kind; } whole[] = {
    {"t", CLI_SEE_TIME}, {"energy", CLI_SEE_ENERGY}, {"loss_normal", CLI_SEE_LOSS_NORMAL},
    {"loss_friction", CLI_SEE_LOSS_FRICTION}, {"events", CLI_SEE_EVENTS}};
  *o = (cli_observable){.index = -1, .event = -1};
  snprintf(o->name, sizeof o->name, "%s", name);
  o->index = index_of(s, name);
  o->kind = CLI_SEE_END;
  if (o->index >= 0) return true;
  for (int i = 0; i < 3; i++) {
    size_t n = strlen(ranges[i].name);
    if (strncmp(name, ranges[i].name, n) != 0) continue;
    o->kind = ranges[i].kind;
    o->index = index_of(s, name + n);
    return o->index >= 0;
  }
  for (int i = 0; i < 5; i++) {
    if (strcmp(name, whole[i].name) != 0) continue;
    o->kind = whole[i].kind;
    return true;
  }
  const char* dot = strchr(name, '.');
  size_t head = dot ? (size_t)(dot - name) : strlen(name);
  if (dot) o->index = contact_of(d, dot + 1, strlen(dot + 1));
  if (dot && o->index < 0) return false;
  o->kind = CLI_SEE_EVENTS;
  if (head == 6 && strncmp(name, "events", 6) == 0) return true;
  if (dot && head == 5 && strncmp(name, "state", 5) == 0) return o->kind = CLI_SEE_STATE, true;
  for (int k = 0; kinds[k]; k++)
    if (strlen(kinds[k]) == head && strncmp(name, kinds[k], head) == 0) o->event = k;
  return o->event >= 0;
}

// Up to the next comma that is not in brackets
static size_t item_length(const char* p)
{
  int depth = 0;
  size_t n = 0;
  for (; p[n] && (p[n] != ',' || depth > 0); n++) depth += p[n] == '(' ? 1 : p[n] == ')' ? -1 : 0;
  return n;
}

// NAME=EXPRESSION of --observe: a sensor of that name. Texts go into `keep`, one item after the other.
static int add_sensors(const sweep_options* o, cli_sweep* s, char** keep)
{
  size_t room = o->observe ? strlen(o->observe) : 0;
  char* to = *keep = malloc(10*room + 1);
  if (!to) return cli_out_of_memory();
  for (const char* p = o->observe ? o->observe : ""; *p;) {
    size_t n = item_length(p), name = strcspn(p, "=");
    if (name < n) {
      char* path = to;
      to += sprintf(to, "sensors.%.*s", (int)name, p) + 1;
      char* value = to;
      to += sprintf(to, "%.*s", (int)(n - name - 1), p + name + 1) + 1;
      if (!cli_overrides_add(&s->set, path, value)) return cli_out_of_memory();
    }
    p += n + (p[n] == ',');
  }
  return CLI_GO_ON;
}

static int read_observables(const sweep_options* o, const ss_system_def* d, cli_sweep* s)
{
  if (!o->observe) {
    for (int i = 0; !s->by_section && i < 2*s->nv && i < CLI_MAX_OBSERVED; i++) {
      cli_observable* x = &s->observed[s->n_observed++];
      *x = (cli_observable){.kind = CLI_SEE_END, .index = i, .event = -1};
      snprintf(x->name, sizeof x->name, "%s%s", i < s->nv ? "" : "u_", s->coordinate[i%s->nv]);
    }
    return CLI_GO_ON;
  }
  if (!o->observe[strspn(o->observe, ", ")]) return cli_usage(&cli_sweep_command, "--observe: nothing is named");
  for (const char* p = o->observe; *p;) {
    char name[96];
    size_t n = item_length(p), length = strcspn(p, "=");
    snprintf(name, sizeof name, "%.*s", (int)(length < n ? length : n), p);
    if (s->n_observed == CLI_MAX_OBSERVED) return cli_usage(&cli_sweep_command, "--observe: too many columns");
    if (!read_observable(s, d, name, &s->observed[s->n_observed++]))
      return cli_usage(&cli_sweep_command, "--observe: '%s' is neither x, u_x, min.x, max.x, mean.x of a coordinate, "
                       "rate or sensor, NAME=EXPRESSION, nor events, impact, slip, ... (also of a contact: impact.C), "
                       "state.C, t, energy, loss_normal, loss_friction", name);
    p += n + (p[n] == ',');
  }
  return CLI_GO_ON;
}

static int read_section(const sweep_options* o, const ss_system_def* d, cli_sweep* s)
{
  s->by_section = o->section || o->period;
  s->period = o->period;
  s->contact = -1;
  if (o->section && o->period) return cli_usage(&cli_sweep_command, "--section and --period exclude each other");
  if (!o->section) return CLI_GO_ON;
  const char* colon = strrchr(o->section, ':');
  int kind = -1;
  if (colon) s->contact = contact_of(d, o->section, (size_t)(colon - o->section));
  if (colon && d->operators) {  // which contacts there are is seen in the motion
    s->contact_name = o->section;
    s->name_length = (size_t)(colon - o->section);
  }
  for (int k = 0; colon && kinds[k]; k++)
    if (strcmp(kinds[k], colon + 1) == 0) kind = k;
  if ((s->contact < 0 && !s->contact_name) || kind < 0)
    return cli_usage(&cli_sweep_command, "--section: '%s' is not CONTACT:KIND of this model, such as %s:impact",
                     o->section, d->n_contact ? d->contact[0].name : "floor");
  s->kind = (ss_event_kind)kind;
  ss_contact_kind contact = s->contact >= 0 ? d->contact[s->contact].kind : SS_CONTACT_SPATIAL;
  bool sliding = s->kind == SS_EVENT_STICK || s->kind == SS_EVENT_SLIP;
  if (contact == (sliding ? SS_CONTACT_NORMAL : SS_CONTACT_FRICTION))
    return cli_usage(&cli_sweep_command, "--section: %s never comes, the contact has no %s", o->section,
                     sliding ? "friction" : "gap");
  return CLI_GO_ON;
}

// ---- progress ----

typedef struct display {
  cli_sheet* sheet;
  double drawn, started;
  long first, units;
  bool shown;
} display;

static void show(display* h, long done)
{
  double now = cli_seconds(), passed = now - h->started;
  if (!h->shown || (now - h->drawn < 0.2 && done < h->units)) return;
  h->drawn = now;
  double rate = (double)(done - h->first)/(passed > 0 ? passed : 1e-9), left = (double)(h->units - done)/rate;
  fprintf(stderr, "\r%3.0f %%  %ld of %ld, %.3g/s, %.0f s left\033[K", 100.0*(double)done/(double)h->units, done,
          h->units, rate, left);
  if (done == h->units) fprintf(stderr, "\r\033[K");
  fflush(stderr);
}

static bool write_rows(void* user, long unit, const char* rows, long failed, long missed)
{
  display* d = user;
  show(d, unit + 1);
  return cli_sheet_add(d->sheet, unit, rows, failed, missed);
}

// What is computed, as one line: a sweep that goes on must be the same one
static char* describe(const cli_sweep* s, const sweep_options* o, const ss_model* model)
{
  size_t size = 65536;
  char *line = malloc(size), *p = line;
  uint64_t hash = 1469598103934665603u;  // FNV-1a of the model
  for (const char* c = ss_model_text(model); *c; c++) hash = (hash ^ (unsigned char)*c)*1099511628211u;
  if (!line) return NULL;
#define ADD(...) p += snprintf(p, p < line + size ? (size_t)(line + size - p) : 0, __VA_ARGS__)
  ADD("# stickslip sweep %s %s %016llx", ss_version(), s->model, (unsigned long long)hash);
  for (int i = 0; i < o->param.n; i++) ADD(" -p %s", o->param.item[i]);
  for (int i = 0; i < o->set.n; i++) ADD(" --set %s", o->set.item[i]);
  for (int i = 0; i < o->perturb.n; i++) ADD(" --perturb %s", o->perturb.item[i]);
  ADD(" %ld %ld %s %s %s", s->samples, (long)s->seed, o->observe ? o->observe : "", o->section ? o->section : "",
      o->period ? o->period : "");
  ADD(" %ld %ld %d", s->points, s->skip, o->chain);
  char step[400];
  cli_step_text(&s->step, step, sizeof step);
  ADD(" %.17g %.17g %s\n", s->after, s->until, step);
#undef ADD
  for (char* c = line; *c && c[1]; c++)
    if (*c == '\n') *c = ' ';
  return line;
}

// ---- the command ----

static void tell_reasons(const cli_sheet* h)
{
  long told = 0;
  for (int i = 0; i < h->n_reason; told += h->reason[i++].count)
    cli_warn("%ld of the points failed, the first at %s: %s", h->reason[i].count, h->reason[i].first,
             h->reason[i].message);
  long others = h->failed - told;
  if (others > 0) cli_warn("%ld more point%s failed for other reasons", others, cli_s(others));
}

static int print_json(const sweep_options* o, const cli_sheet* h, long points, double seconds)
{
  cJSON* j = cJSON_CreateObject();
  cJSON_AddStringToObject(j, "output", o->output);
  cli_json_number(j, "points", (double)points);
  cli_json_number(j, "rows", (double)h->rows);
  cli_json_number(j, "failed", (double)h->failed);
  cli_json_number(j, "missed", (double)h->missed);
  cJSON* list = cJSON_AddArrayToObject(j, "reasons");
  for (int i = 0; i < h->n_reason; i++) {
    cJSON* r = cJSON_CreateObject();
    cli_json_number(r, "count", (double)h->reason[i].count);
    cJSON_AddStringToObject(r, "first", h->reason[i].first);
    cJSON_AddStringToObject(r, "message", h->reason[i].message);
    cli_json_append(list, r);
  }
  cli_json_number(j, "seconds", seconds);
  cli_json_number(j, "threads", (double)o->threads);
  return cli_print_json(j);
}

static int print_summary(const cli_sweep* s, const sweep_options* o, const cli_sheet* h, double seconds)
{
  long points = cli_sweep_units(s)*cli_sweep_points_of_unit(s);
  if (o->json) return print_json(o, h, points, seconds);
  if (!o->quiet)
    printf("points   %ld, %ld row%s in %s\ntime     %.3g s, %.4g points/s, %ld thread%s\nfailed   %ld\nmissed   %ld "
           "(a contact problem missed its tolerance, or the energy is off)\n",
           points, h->rows, cli_s(h->rows), o->output, seconds,
           (double)points/seconds, o->threads, cli_s(o->threads), h->failed, h->missed);
  tell_reasons(h);
  return CLI_DONE;
}

static int carry_out(const cli_sweep* s, const sweep_options* o, const ss_model* model)
{
  int status = cli_mpi_check();
  if (status != CLI_GO_ON) return status;
  if (cli_sweep_is_worker()) return cli_sweep_run(s, 0, 1, NULL, NULL);
  char header[8192], *task = describe(s, o, model);
  if (!task) return cli_out_of_memory();
  cli_sweep_header(s, header, sizeof header);
  cli_sheet h = {.output = o->output, .task = task, .header = header, .resume = o->resume, .force = o->force};
  status = cli_sheet_open(&h);
  display d = {.sheet = &h, .started = cli_seconds(), .first = h.first, .units = cli_sweep_units(s),
               .shown = !o->quiet && isatty(STDERR_FILENO)};
  bool started = status == CLI_GO_ON;
  if (started) status = cli_sweep_run(s, h.first, (int)o->threads, write_rows, &d);
  else cli_sweep_run(s, d.units, 1, write_rows, &d);  // nothing: other processes wait for word
  int closed = cli_sheet_close(&h, status == CLI_DONE);
  if (status == CLI_DONE) status = closed;
  if (status == CLI_DONE) status = print_summary(s, o, &h, cli_seconds() - d.started);
  if (status == CLI_DONE && h.failed == cli_sweep_units(s)*cli_sweep_points_of_unit(s)) status = CLI_FAILED;
  else if (status == CLI_DONE && (h.failed || h.missed)) status = CLI_MISSED;
  free(task);
  return status;
}

static int check_disturbed(const cli_sweep* s, const ss_model* model)
{
  for (int i = 0; i < s->n_disturbed; i++)
    if (isnan(cli_sweep_base(model, s->disturbed[i].path)))
      return cli_usage(&cli_sweep_command, "--perturb: '%s' is neither a parameter of this model nor initial.x or "
                       "initial.x' of a coordinate", s->disturbed[i].path);
  return CLI_GO_ON;
}

static bool set_point(const cli_sweep* s, const sweep_options* o, long k, char (*value)[40], cli_overrides* set)
{
  bool memory = true;
  for (int i = 0; i < s->set.n; i++)
    memory = memory && cli_overrides_add(set, s->set.item[i].path, s->set.item[i].value);
  for (int i = s->n_swept - 1; i >= 0; k /= s->swept[i--].n) {
    snprintf(value[i], sizeof value[i], "%.17g", s->swept[i].value[k%s->swept[i].n]);
    memory = memory && cli_overrides_add(set, s->swept[i].path, value[i]);
  }
  return memory && (!o->period || cli_overrides_add(set, "run.until", o->period));
}

// The model at point k of the grid. NULL, *status, and a message, if it is none.
static ss_model* load_point(const cli_sweep* s, const sweep_options* o, long k, int* status)
{
  char value[CLI_MAX_SWEPT][40];
  cli_overrides set = {0};
  ss_model* model = NULL;
  if (set_point(s, o, k, value, &set)) model = cli_step_load(s->model, &set, &o->step, status);
  else *status = cli_out_of_memory();
  free(set.item);
  return model;
}

// SS_ERR_INPUT: point k is no model for its values, another one may be
static ss_status try_point(const cli_sweep* s, const sweep_options* o, long k, ss_error* error)
{
  char value[CLI_MAX_SWEPT][40];
  cli_overrides set = {0};
  *error = (ss_error){0};
  if (set_point(s, o, k, value, &set))
    ss_model_destroy(ss_model_load(s->model, &(ss_model_def){.n_override = set.n, .override = set.item}, error));
  free(set.item);
  return error->status;
}

static long common_divisor(long a, long b) { return b ? common_divisor(b, a%b) : a; }

// Mistakes are told here, once. A point that is no model (m = -1) fails alone, wherever it stands in the grid: what is
// checked is one that can be read, or else point 0. All are tried, each once, in strides of about the golden section,
// which leave no large part of the grid for the end.
static ss_model* load_some_point(const cli_sweep* s, const sweep_options* o, int* status)
{
  ss_error error;
  long points = 1, k = 0;
  for (int i = 0; i < s->n_swept; i++) points *= s->swept[i].n;
  long stride = lround(0.618*(double)points);
  while (common_divisor(points, stride) > 1) stride++;
  for (long tried = 0; tried < points && try_point(s, o, k, &error) == SS_ERR_INPUT; tried++)
    k = (k + stride)%points;
  if (o->period && cli_period_error(&error)) {
    *status = cli_fail(&error);
    return NULL;
  }
  return load_point(s, o, k, status);
}

static int prepare(const char* path, sweep_options* o, cli_sweep* s, char** keep)
{
  int status = cli_overrides_read(&cli_sweep_command, &o->set, &s->set);
  if (status != CLI_GO_ON) return status;
  *s = (cli_sweep){.model = path, .set = s->set, .samples = o->samples, .seed = (uint64_t)o->seed, .points = o->points,
                   .skip = o->skip, .after = o->after, .step = o->step, .until = o->until};
  status = read_grid(o, s);
  if (status == CLI_GO_ON) status = add_sensors(o, s, keep);
  if (status != CLI_GO_ON) return status;
  ss_model* model = load_some_point(s, o, &status);
  if (!model) return status;
  if (!cli_scene_overrides(&o->step.scene, &s->set)) {
    ss_model_destroy(model);
    return cli_out_of_memory();
  }
  ss_step_def step = ss_model_run(model)->step;
  cli_step_set(&o->step, &step);
  status = cli_step_check(&cli_sweep_command, &o->step, model, &step);
  const ss_system_def* d = ss_system_get(ss_model_system(model));
  s->nv = d->nq == d->nv ? d->nv : 0;
  s->coordinate = d->coordinate;
  s->n_sensor = d->n_sensor;
  s->sensor = d->sensor;
  s->n_contact = d->n_contact;
  if (status == CLI_GO_ON && d->nq != d->nv && !o->observe)
    status = cli_usage(&cli_sweep_command, "coordinates of this scene have no rates of their own: give --observe");
  double until = o->until > 0 ? o->until : ss_model_run(model)->until;
  if (status == CLI_GO_ON && !o->period && !o->section && o->after > until)
    status = cli_usage(&cli_sweep_command, "--after %g: the run ends at %g s", o->after, until);
  if (status == CLI_GO_ON) status = check_disturbed(s, model);
  if (status == CLI_GO_ON) status = read_section(o, d, s);
  if (status == CLI_GO_ON) status = read_observables(o, d, s);
  if (status == CLI_GO_ON) status = carry_out(s, o, model);
  ss_model_destroy(model);
  return status;
}

int cli_sweep_main(int argc, char** argv)
{
  sweep_options o = {.samples = 1, .seed = 1, .points = 100, .skip = 100, .step = CLI_STEP_OPTIONS_NONE,
                     .threads = sysconf(_SC_NPROCESSORS_ONLN)};
  cli_sweep s = {0};
  int n;
  int status = cli_parse(&cli_sweep_command, argc, argv, &o, &n);
  if (status != CLI_GO_ON) return status;
  if (!o.output) status = cli_usage(&cli_sweep_command, "-o FILE.csv or FILE.h5 is missing");
  else if (!cli_sheet_fits(o.output))
    status = cli_usage(&cli_sweep_command, "-o %s: the name must end in .csv, .h5 or .hdf5", o.output);
  else if (o.resume && o.force) status = cli_usage(&cli_sweep_command, "--resume and --force exclude each other");
  else if (o.threads > 1024) status = cli_usage(&cli_sweep_command, "more than 1024 threads");
  char* keep = NULL;
  if (status == CLI_GO_ON) status = prepare(argv[1], &o, &s, &keep);
  free(keep);
  for (int i = 0; i < CLI_MAX_SWEPT; i++) free(s.swept[i].value);
  cli_overrides_free(&s.set);
  cli_list_free(&o.set);
  cli_list_free(&o.param);
  cli_list_free(&o.perturb);
  return status;
}
