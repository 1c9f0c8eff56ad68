// `stickslip run`: simulates a model and records what happens, or goes on with a run that was recorded.
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check_scene.h"
#include "cli.h"
#include "depth.h"
#include "dump.h"
#include "model_arg.h"
#include "outputs.h"
#include "page.h"
#include "progress.h"
#include "signals.h"
#include "step_options.h"
#include "summary.h"

// ---- options ----

typedef struct run_options {
  double until, tol;      // NAN: not given
  int watch;              // -1: not given
  long every;             // 0: not given
  cli_list set;
  const char* output;
  const char* csv;
  const char* events;
  const char* report;
  const char* resume;
  const char* dump;
  const char* when;
  long dump_limit;        // 0: not given
  bool no_energy, json, quiet;
  cli_step_options step;
} run_options;

static const char* const watched[] = {"uniqueness", NULL};

#define AT(field) offsetof(run_options, field)
static const cli_option options[] = {
  {"dt", 0, CLI_POSITIVE, "S", AT(step.dt),
   "step size in seconds (default: the model's, or 1e-4); event: the interval of output", NULL},
  {"until", 0, CLI_POSITIVE, "S", AT(until), "end time in seconds (default: the model's, or 1)", NULL},
  {"integrator", 0, CLI_CHOICE, "NAME", AT(step.integrator),
   "moreau (midpoint rule, default), euler (semi-implicit), jean (implicit theta-method), rattle (gaps on position "
   "level, order 2) or event (located events, order 8 between them; scenes: docs/integrators.md says which contacts)",
   cli_integrators},
  CLI_STEP_ROWS(AT(step)),
  {"set", 0, CLI_LIST, "PATH=VALUE", AT(set),
   "replace a value of the model: a parameter (mu=0.25) or any other (contacts.floor.mu=0.3, initial.y=2); may be "
   "given again", NULL},
  {"output", 'o', CLI_STRING, "FILE", AT(output), "record the run in this HDF5 file", NULL},
  {"csv", 0, CLI_STRING, "FILE", AT(csv), "write t, coordinates and rates as CSV; - is standard output", NULL},
  {"events", 0, CLI_STRING, "FILE", AT(events), "write the contact events as CSV; - is standard output", NULL},
  {"report", 0, CLI_STRING, "FILE", AT(report),
   "make a page for the browser, FILE.html, as 'stickslip report' does; without -o the run is recorded beside it, as "
   "FILE.h5", NULL},
  {"every", 0, CLI_COUNT, "N", AT(every), "record every N-th step only (the last one always)", NULL},
  {"tol", 0, CLI_POSITIVE, "R", AT(tol), "tolerance on the residual of each step's contact problem", NULL},
  {"threads", 0, CLI_COUNT, "N", AT(step.scene.threads),
   "scenes: threads for islands of contacts and for large ones; the result is the same for any number (default: 1)",
   NULL},
  {"watch", 0, CLI_CHOICE, "WHAT", AT(watch),
   "event: count at each event how many motions the contact laws allow (uniqueness)", watched},
  {"no-energy", 0, CLI_FLAG, NULL, AT(no_energy), "do not account for the energy (a little faster)", NULL},
  {"dump-problems", 0, CLI_STRING, "DIR", AT(dump),
   "save contact problems of steps in this folder, step-NUMBER.json, for 'stickslip solve'", NULL},
  {"when", 0, CLI_STRING, "failed|all|N", AT(when),
   "which problems: those that missed their tolerance (default), all, or those of every N-th step", NULL},
  {"dump-limit", 0, CLI_COUNT, "N", AT(dump_limit), "save at most N problems (default: 1000)", NULL},
  {"resume", 0, CLI_STRING, "FILE", AT(resume),
   "go on with the run in this HDF5 file, with its model and settings, to its end time or --until", NULL},
  {"json", 0, CLI_FLAG, NULL, AT(json), "print the summary as one JSON object", NULL},
  {"quiet", 'q', CLI_FLAG, NULL, AT(quiet), "print no summary and no progress", NULL},
  {0},
};

const cli_command cli_run_command = {
  .name = "run", .operands = "MODEL", .max_operands = 1,
  .summary = "simulate a model",
  .purpose = "Simulates MODEL, a file or a name of the catalogue (see 'stickslip models'), and prints a summary. "
             "Ctrl-C ends the run after the current step, or without it if it takes longer than a second, with all "
             "files complete up to there; the exit status is then 3, and --resume goes on as if nothing had "
             "happened. It is 1 if steps missed their tolerance, or if the integrator's energy error is more than a "
             "tenth of the energy at hand (docs/integrators.md).",
  .options = options,
  .examples = "  stickslip run woodpecker\n"
              "  stickslip run woodpecker -o run.h5 --until 20 --set mu=0.31\n"
              "  stickslip run woodpecker --integrator event --impact poisson -o run.h5\n"
              "  stickslip run woodpecker --report woodpecker.html\n"
              "  stickslip run my.yaml --dt 1e-5 --csv run.csv --events events.csv\n"
              "  stickslip run --resume run.h5 --until 40\n"
              "  stickslip run my.yaml --dump-problems problems --when failed\n"
              "  stickslip run robot.xml --key home --solver newton -o run.h5\n",
  .main = cli_run,
};

// ---- the run ----

typedef struct job {
  run_options options;
  cli_overrides overrides;
  ss_model* model;
  const ss_system* system;
  ss_run_def run;
  long n_steps;  // of the whole run
  long last_step;  // number of the last step seen
  ss_state* state;
  ss_work* work;
  ss_ledger* ledger;
  cli_outputs files;
  char* beside;    // the record of a page, if no other was named
  cli_dump dump;
  cli_progress progress;
  cli_summary summary;
  cli_depth depth;
  ss_energy start;          // at the start of the run
  ss_energy_ledger energy;  // for the summary
  double recorded;    // time of the last row written
  ss_status file_status;
  ss_error error;
} job;

// Set by a signal; the run ends after the step, or without it if it is not done after a second more. A second signal
// ends the program at once.
static volatile sig_atomic_t interrupted;
static volatile int overdue;

static void on_signal(int number)
{
  if (interrupted) _exit(CLI_FAILED);
  interrupted = number;
  alarm(1);
}

static void on_alarm(int number)
{
  (void)number;
  overdue = 1;
}

static int check_options(const run_options* o, int n_operands)
{
  const cli_command* c = &cli_run_command;
  if (!o->resume && n_operands == 0) return cli_usage(c, "MODEL is missing; 'stickslip models' lists the catalogue");
  if (o->resume && n_operands) return cli_usage(c, "--resume takes the model from the file; MODEL cannot be given");
  if (o->resume && (o->set.n || cli_step_option_given(&o->step) || !isnan(o->tol) || o->every || o->no_energy ||
                    o->watch >= 0))
    return cli_usage(c, "--resume takes all settings but --until from the file; use a new run to change them");
  if (o->resume && o->output) return cli_usage(c, "--resume goes on in the same file; -o cannot be given");
  if (!o->dump && (o->when || o->dump_limit))
    return cli_usage(c, "--when and --dump-limit belong to --dump-problems DIR, which is missing");
  if (o->when && !cli_dump_when(&(cli_dump){0}, o->when))
    return cli_usage(c, "--when is '%s'; it must be failed, all or a number of steps", o->when);
  if (o->output && strcmp(o->output, "-") == 0)
    return cli_usage(c, "-o -: a run file cannot be standard output; --csv - prints the trajectory");
  if (o->report && !cli_ends_in(o->report, ".html"))
    return cli_usage(c, "--report %s: the name must end in .html", o->report);
  bool csv_out = o->csv && strcmp(o->csv, "-") == 0, events_out = o->events && strcmp(o->events, "-") == 0;
  if (o->json && (csv_out || events_out)) return cli_usage(c, "--json and CSV cannot both go to standard output");
  return CLI_GO_ON;
}

// The record beside a page, page.h5 of page.html, unless one was named. It replaces nothing but a record.
static int record_beside(job* j)
{
  const run_options* o = &j->options;
  j->files.page_path = o->report;
  if (!o->report) return CLI_GO_ON;
  int status = cli_page_viewer();
  if (status != CLI_GO_ON || o->output || o->resume) return status;
  size_t n = strlen(o->report) - strlen(".html");
  j->beside = malloc(n + sizeof ".h5");
  if (!j->beside) return cli_out_of_memory();
  snprintf(j->beside, n + sizeof ".h5", "%.*s.h5", (int)n, o->report);
  j->files.record_path = j->beside;
  if (access(j->beside, F_OK) != 0 || cli_is_hdf5(j->beside)) return CLI_GO_ON;
  return cli_usage(&cli_run_command, "--report would record the run in %s, which is something else; name the record "
                   "with -o", j->beside);
}

static void apply_options(job* j)
{
  const run_options* o = &j->options;
  cli_step_set(&o->step, &j->run.step);
  if (!isnan(o->until)) j->run.until = o->until;
  if (!isnan(o->tol)) j->run.step.solver.tol = j->run.step.friction.tol = o->tol;
  if (o->watch >= 0) j->run.step.event.watch_uniqueness = true;
  if (o->every) j->run.every = o->every < INT_MAX ? (int)o->every : INT_MAX;
  if (j->run.every < 1) j->run.every = 1;
}

// Options that the integrator would not read are a mistake.
static int check_integrator(const job* j)
{
  const run_options* o = &j->options;
  bool event = j->run.step.integrator == SS_EVENT_DRIVEN;
  if (!event && o->watch >= 0)
    return cli_usage(&cli_run_command, "--watch is read by --integrator event only; the steps are those of %s",
                     ss_integrator_name(j->run.step.integrator));
  if (event && o->dump)
    return cli_usage(&cli_run_command, "--dump-problems saves the contact problems of steps; --integrator event solves "
                     "impacts and accelerations at events instead: 'stickslip solutions' shows those of a state");
  return cli_step_check(&cli_run_command, &o->step, j->model, &j->run.step);
}

// Time-stepping has a whole number of steps: the end time is moved to the nearest one, and that is said. The steps of
// the event-driven integrator are those of its output: the last one may be shorter.
static int count_steps(job* j)
{
  double dt = j->run.step.dt, start = j->run.start, until = j->run.until;
  double steps = round((until - start)/dt);
  bool event = j->run.step.integrator == SS_EVENT_DRIVEN;
  bool whole = fabs(start + steps*dt - until) <= 1e-9*fmax(until - start, fabs(start));
  if (!whole && event) {
    steps = ceil((until - start)/dt);
    j->run.step.event.end = until;
  }
  if (!(dt > 0 && isfinite(dt) && isfinite(until) && (until > 0 || start != 0)))
    return cli_usage(&cli_run_command, "dt = %g s and until = %g s must be finite and above zero", dt, until);
  if (!(until > start))
    return cli_usage(&cli_run_command, "until = %g s must be later than the start at t = %g s", until, start);
  if (!(steps < CLI_MOST_STEPS))
    return cli_usage(&cli_run_command, "until/dt = %g/%g: %g steps or more", until, dt, CLI_MOST_STEPS);
  if (steps < 1) return cli_usage(&cli_run_command, "the end time %g s is less than a step of %g s away", until, dt);
  if (!whole && !event)
    cli_note("%.9g s is no multiple of dt = %.9g s; the run ends at t = %.9g s", until, dt,
             start + steps*dt);
  j->n_steps = (long)steps;
  return CLI_GO_ON;
}

static int prepare_dump(job* j)
{
  const run_options* o = &j->options;
  if (!o->dump) return CLI_GO_ON;
  j->dump = (cli_dump){.folder = o->dump, .limit = o->dump_limit ? o->dump_limit : 1000};
  cli_dump_when(&j->dump, o->when);
  if (!cli_dump_open(&j->dump, o->resume, &j->error)) return cli_fail(&j->error);
  return ss_work_keep_problem(j->work) < 0 ? cli_out_of_memory() : CLI_GO_ON;
}

// State, workspace and ledger of the model, at the start. Files are opened next: from here on signals wait for a step.
static int prepare(job* j)
{
  struct sigaction late = {.sa_handler = on_alarm};
  sigemptyset(&late.sa_mask);
  sigaction(SIGALRM, &late, NULL);
  cli_catch_signals(on_signal);
  j->system = ss_model_system(j->model);
  j->state = ss_state_create(j->system);
  j->ledger = ss_ledger_create(j->system);
  if (!j->state || !j->ledger) return cli_out_of_memory();
  j->work = ss_work_create(j->system, &j->error);
  if (!j->work) return cli_fail(&j->error);
  ss_model_initial(j->model, j->state);
  j->files.work = j->work;
  cli_energy_at(j->system, j->state, &j->start);
  j->summary.energy_start = j->start.kinetic + j->start.potential;
  j->summary.largest_kinetic = j->start.kinetic;
  return prepare_dump(j);
}

static int file_failure(const job* j)
{
  if (strcmp(j->error.file, "standard output") == 0) return CLI_BAD_FILE;  // said when the tool ends
  return cli_fail(&j->error);
}

// The first row is the initial state. No step led to it: the gaps are evaluated here, and the energy, which the ledger
// knows only after a step.
static int record_start(job* j)
{
  double* gap = calloc((size_t)ss_system_get(j->system)->n_contact + 1, sizeof *gap);
  if (!gap) return cli_out_of_memory();
  bool known = ss_inspect(j->system, j->state, j->work, gap, NULL) >= 0;
  ss_energy_ledger energy = *ss_ledger_energy(j->ledger);
  if (j->run.step.account) {
    energy.kinetic = j->start.kinetic;
    energy.potential = j->start.potential;
  }
  ss_record_row row = {
    .state = j->state, .energy = &energy, .counts = ss_ledger_get_counts(j->ledger), .gap = known ? gap : NULL,
    .sensor = ss_sense(j->state, NULL, j->work),
  };
  ss_status status = cli_outputs_row(&j->files, &row, &j->error);
  free(gap);
  return status < 0 ? file_failure(j) : CLI_GO_ON;
}

// What a scene asks for in vain, in one line
static void warn_of_ignored(const ss_model* model, const char* name)
{
  const ss_scene* scene = ss_model_scene(model);
  int n = scene ? cli_scene_count(scene, SS_SCENE_IGNORED, SS_SCENE_IGNORED) : 0;
  if (n == 1) cli_warn("one thing of the file is not honoured: 'stickslip check %s' tells which", name);
  if (n > 1) cli_warn("%d things of the file are not honoured: 'stickslip check %s' lists them", n, name);
}

static int open_new(job* j, const char* name)
{
  int status = cli_overrides_read(&cli_run_command, &j->options.set, &j->overrides);
  if (status != CLI_GO_ON) return status;
  if (!cli_outputs_check(&j->files, access(name, F_OK) == 0 ? name : NULL)) return CLI_BAD_INPUT;
  j->model = cli_step_load(name, &j->overrides, &j->options.step, &status);
  if (!j->model) return status;
  j->run = *ss_model_run(j->model);
  j->run.step.account = !j->options.no_energy;
  apply_options(j);
  warn_of_ignored(j->model, name);
  status = check_integrator(j);
  if (status == CLI_GO_ON) status = count_steps(j);
  if (status == CLI_GO_ON) status = prepare(j);
  if (status != CLI_GO_ON) return status;
  if (cli_outputs_create(&j->files, j->model, &j->run, &j->error) < 0) return file_failure(j);
  return record_start(j);
}

// ---- going on ----

static int count_past_events(job* j, ss_run* file)
{
  long n = ss_run_get_info(file)->n_events;
  const ss_event* event = n ? ss_run_events(file, NULL, NULL, &j->error) : NULL;
  if (n && !event) return cli_fail(&j->error);
  memset(j->summary.by_kind, 0, sizeof j->summary.by_kind);
  for (long i = 0; i < n && ss_event_is_past(&event[i], j->state->step, j->state->t); i++)
    j->summary.by_kind[event[i].kind]++;
  return CLI_GO_ON;
}

// What the energy error is measured by, as far as rows tell
static ss_status see_past_energies(job* j, ss_run* file, long row)
{
  const double* T = j->run.step.account ? ss_run_column(file, "energy.kinetic", &j->error) : NULL;
  const double* V = T ? ss_run_column(file, "energy.potential", &j->error) : NULL;
  for (long i = 0; V && i <= row; i++) {
    ss_ledger_see_energy(j->ledger, T[i], V[i]);
    j->summary.largest_kinetic = fmax(j->summary.largest_kinetic, T[i]);
  }
  return V || !j->run.step.account ? SS_OK : j->error.status;
}

// State, ledger and counts of a row
static int restore(job* j, ss_run* file, long row)
{
  const ss_run_info* info = ss_run_get_info(file);
  int n_contact = ss_run_contacts_at(file, row, &j->error);
  if (n_contact < 0) return cli_fail(&j->error);
  ss_contact_state* contact = calloc((size_t)info->n_contact + 1, sizeof *contact);
  ss_energy_ledger energy = {0};
  ss_ledger_counts counts = {0};
  if (!contact) return cli_out_of_memory();
  for (int i = 0; info->listed && i < n_contact; i++) {
    if (ss_work_contact_add(j->work, info->contact_key[i], info->contact_kind[i]) == i) continue;
    free(contact);
    cli_error("%s: contact %d of the record stands there twice", j->files.record_path, i);
    return CLI_BAD_FILE;
  }
  ss_status status = ss_run_row(file, row, j->state, contact, &energy, &counts, &j->error);
  if (status >= 0 && row > 0) status = ss_ledger_restore(j->ledger, n_contact, contact, &energy, &counts);
  free(contact);
  if (status >= 0) status = see_past_energies(j, file, row);
  return status < 0 ? cli_fail(&j->error) : count_past_events(j, file);
}

// The model and the settings as they stand in the record
static int read_record(job* j, ss_run* file)
{
  const ss_run_info* info = ss_run_get_info(file);
  j->model = ss_run_model(file, NULL, &j->error);  // warned of when it was new
  if (!j->model) return cli_fail(&j->error);
  j->run = info->run;
  if (strcmp(info->version, ss_version()) != 0)
    cli_warn("%s was written by version %s; the run may go on with small differences", j->files.record_path,
             info->version);
  apply_options(j);
  int status = count_steps(j);
  return status == CLI_GO_ON ? prepare(j) : status;
}

// Whether nothing is left to do. The last step of an event-driven run may have been shorter.
static bool has_arrived(const job* j)
{
  if (j->run.step.integrator != SS_EVENT_DRIVEN) return j->state->step >= j->n_steps;
  return j->state->t >= j->run.until - 1e-9*j->run.step.dt;
}

// To where the run has come, if nothing is left to do; else to a row that a run in one go would have, too, and from
// which it can go on
static int restore_state(job* j, ss_run* file, bool* done)
{
  long n_rows = ss_run_get_info(file)->n_rows, row = n_rows - 1;
  *done = false;
  if (row < 0) return CLI_GO_ON;  // killed before its first rows were on disk
  if (ss_run_motion(file, row, j->state, &j->error) < 0) return cli_fail(&j->error);
  *done = has_arrived(j);
  if (!*done) row = ss_run_resume_row(file, &n_rows, &j->error);
  return row < 0 ? cli_fail(&j->error) : restore(j, file, row);
}

static int open_resumed(job* j, const char* path)
{
  j->files.record_path = path;
  if (!cli_outputs_check(&j->files, NULL)) return CLI_BAD_INPUT;
  ss_run* file = ss_run_open(path, &j->error);
  if (!file) return cli_fail(&j->error);
  int status = read_record(j, file);
  bool anew = !ss_run_get_info(file)->n_rows, done = false;
  if (status == CLI_GO_ON) status = restore_state(j, file, &done);
  if (done) {
    cli_note("nothing to do: %s has reached t = %.9g s; a later --until goes on", path, j->state->t);
    j->n_steps = j->state->step;
  }
  if (status == CLI_GO_ON && cli_outputs_resume(&j->files, j->model, file, j->state, !done, &j->error) < 0)
    status = file_failure(j);
  ss_run_close(file);
  if (status == CLI_GO_ON && !done && cli_outputs_reopen(&j->files, j->run.until, &j->error) < 0)
    status = file_failure(j);
  return status == CLI_GO_ON && anew ? record_start(j) : status;
}

// ---- stepping ----

static bool observe(void* user, const ss_state* state, const ss_step_info* info)
{
  job* j = user;
  const ss_event* event;
  int n = ss_ledger_step(j->ledger, state, info, &event);
  ss_status status = cli_outputs_arrival(&j->files, j->ledger, info, j->work, &j->error);
  if (info->note[0]) cli_note("%s", info->note);
  for (int i = 0; i < n && status >= 0; i++) {
    j->summary.by_kind[event[i].kind]++;
    status = cli_outputs_event(&j->files, &event[i], state, &j->error);
  }
  j->summary.largest_kinetic = fmax(j->summary.largest_kinetic, info->after.kinetic);
  j->summary.overlap_left = fmax(j->summary.overlap_left, info->overlap_left);
  cli_depth_see(&j->depth, state, info);
  bool last = interrupted || state->step == j->n_steps, full = state->step > j->last_step;
  j->last_step = state->step;
  const ss_ledger_counts* counts = ss_ledger_get_counts(j->ledger);
  bool stops = info->has_events && (n > 0 || !full);  // an event-driven arc ends: a row of its own
  if (status >= 0 && (last || stops || (full && state->step % j->run.every == 0))) {
    ss_record_row row = {.state = state, .info = cli_info_of_row(info),
                         .energy = ss_ledger_energy(j->ledger), .counts = counts,
                         .sensor = ss_sense(state, info, j->work)};
    status = cli_outputs_row(&j->files, &row, &j->error);
    j->recorded = state->t;
  }
  if (status >= 0) status = cli_dump_step(&j->dump, j->model, &j->run, j->work, state, info, &j->error);
  cli_progress_step(&j->progress, state->step, state->t, counts->events);
  j->file_status = status;
  return status >= 0 && !last;
}

// Why a step failed: what the step says, or else what its status means
static const char* reason(const job* j, ss_status status)
{
  const char* why = ss_work_message(j->work);
  return why[0] ? why : ss_status_text(status);
}

static int say_failed(const job* j, ss_status status)
{
  cli_error("step %ld, from t = %.9g s, failed: %s", j->state->step + 1, j->state->t, reason(j, status));
  if (j->files.record_path) cli_note("%s holds the run up to t = %.9g s", j->files.record_path, j->recorded);
  return CLI_FAILED;
}

static int say_interrupted(const job* j)
{
  cli_note("interrupted at t = %.9g s, after step %ld of %ld", j->state->t, j->state->step, j->n_steps);
  if (j->files.record_path) cli_note("go on with: stickslip run --resume %s", j->files.record_path);
  return CLI_FAILED;
}

static int report(job* j, int status)
{
  bool stdout_taken = (j->files.csv_path && strcmp(j->files.csv_path, "-") == 0)
                      || (j->files.events_path && strcmp(j->files.events_path, "-") == 0);
  long missed = j->summary.counts->not_solved;
  int printed = CLI_DONE;
  if (j->options.json) printed = cli_summary_json(&j->summary);
  else if (!j->options.quiet && !stdout_taken) cli_summary_print(&j->summary);
  bool off = cli_summary_warn(&j->summary);
  cli_depth_warn(&j->depth);
  if (j->dump.left_out)
    cli_warn("%ld problem%s saved, the limit; %ld more not: --dump-limit N allows more", j->dump.written,
             cli_s(j->dump.written), j->dump.left_out);
  if (missed) cli_warn("%ld of %ld step%s missed the tolerance", missed, j->state->step, cli_s(j->state->step));
  if (printed != CLI_DONE) return printed;
  return status == CLI_DONE && (missed || off) ? CLI_MISSED : status;
}

static void fill_summary(job* j, const char* how, double seconds)
{
  j->summary.model = j->model;
  j->summary.run = &j->run;
  j->summary.state = j->state;
  j->energy = *ss_ledger_energy(j->ledger);
  if (!ss_ledger_get_counts(j->ledger)->steps) {  // the ledger knows energies after a step only
    j->energy.kinetic = j->start.kinetic;
    j->energy.potential = j->start.potential;
  }
  j->summary.energy = &j->energy;
  j->summary.ledger = j->ledger;
  j->summary.counts = ss_ledger_get_counts(j->ledger);
  j->summary.files = &j->files;
  j->summary.dump = &j->dump;
  j->summary.seconds = seconds;
  j->summary.how = how;
}

// The page of --report, also of a run that was interrupted or has failed: it tells so
static int write_page(const job* j)
{
  if (!j->files.page_path) return CLI_DONE;
  cli_page page = {.file = j->files.record_path, .from = -HUGE_VAL, .to = HUGE_VAL};
  return cli_page_write(j->files.record_path, &page, j->files.page_path);
}

static int drive(job* j)
{
  char how[512] = "complete";
  j->summary.first_step = j->last_step = j->state->step;
  j->recorded = j->state->t;
  j->run.step.friction.stop = j->run.step.solver.stop = &overdue;
  if (!cli_depth_start(&j->depth, j->system, &j->run.step, j->state)) return cli_out_of_memory();
  cli_progress_start(&j->progress, !j->options.quiet, "steps", j->state->step, j->n_steps);
  ss_status status = ss_simulate(j->system, &j->run.step, j->run.start, j->n_steps, j->state, j->work, observe, j);
  double seconds = cli_progress_end(&j->progress);
  if (j->file_status < 0) return file_failure(j);
  int exit_status = CLI_DONE;
  if (status < 0) {
    snprintf(how, sizeof how, "failed: %s", reason(j, status));
    exit_status = say_failed(j, status);
  } else if (j->state->step < j->n_steps) {
    snprintf(how, sizeof how, "interrupted");
    exit_status = say_interrupted(j);
  }
  if (cli_outputs_close(&j->files, how, &j->error) < 0) return file_failure(j);
  fill_summary(j, how, seconds);
  exit_status = report(j, exit_status);
  int page = write_page(j);
  return page == CLI_DONE ? exit_status : page;
}

// Files that are still open here belong to a run that ended in an error of its own.
static void close_job(job* j)
{
  ss_error ignored = {0};
  cli_outputs_close(&j->files, "interrupted", &ignored);
  cli_depth_free(&j->depth);
  if (j->ledger) ss_ledger_destroy(j->ledger);
  if (j->state) ss_state_destroy(j->state);
  ss_work_destroy(j->work);
  ss_model_destroy(j->model);
  cli_overrides_free(&j->overrides);
  cli_list_free(&j->options.set);
  free(j->beside);
}

int cli_run(int argc, char** argv)
{
  job j = {.options = {.until = NAN, .tol = NAN, .watch = -1, .step = CLI_STEP_OPTIONS_NONE}};
  int n;
  int status = cli_parse(&cli_run_command, argc, argv, &j.options, &n);
  if (status == CLI_GO_ON) status = check_options(&j.options, n);
  if (status == CLI_GO_ON) {
    j.files = (cli_outputs){
      .record_path = j.options.output, .csv_path = j.options.csv, .events_path = j.options.events,
    };
    status = record_beside(&j);
  }
  if (status == CLI_GO_ON) {
    status = j.options.resume ? open_resumed(&j, j.options.resume) : open_new(&j, argv[1]);
  }
  if (status == CLI_GO_ON) status = drive(&j);
  close_job(&j);
  return status;
}
