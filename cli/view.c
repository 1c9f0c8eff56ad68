// `stickslip view`: simulates a model in real time, or at any other pace, and shows it in the browser while it runs.
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "json.h"
#include "model_arg.h"
#include "page.h"
#include "signals.h"
#include "step_options.h"
#include "view.h"

#define TICK (1.0/60)    // s, from frame to frame
#define WORK 0.014       // s of a tick that steps may take
#define IN_FLIGHT 2      // frames that the page has not acknowledged
#define ROWS_PER_TICK 6
#define GRACE 3.0        // s that a page may be away when it is loaded anew, with --once

// ---- options --------------------------------------------------------------------------------------------------------

typedef struct view_options {
  double speed;
  long port;  // 0: any
  cli_list set;
  const char* output;
  bool paused, no_browser, once;
  cli_step_options step;
} view_options;

#define AT(field) offsetof(view_options, field)
static const cli_option options[] = {
  {"set", 0, CLI_LIST, "PATH=VALUE", AT(set), "replace a value of the model, as 'run' does; may be given again", NULL},
  {"dt", 0, CLI_POSITIVE, "S", AT(step.dt), "step size in seconds (default: the model's)", NULL},
  {"integrator", 0, CLI_CHOICE, "NAME", AT(step.integrator),
   "moreau, euler, jean, rattle or event (default: the model's)", cli_integrators},
  CLI_STEP_ROWS(AT(step)),
  {"speed", 0, CLI_POSITIVE, "X", AT(speed), "simulated seconds per second (default 1)", NULL},
  {"paused", 0, CLI_FLAG, NULL, AT(paused), "wait at the start until the page says go", NULL},
  {"output", 'o', CLI_STRING, "FILE", AT(output),
   "where the page records (default: MODEL-live.h5); a number is added rather than a file replaced", NULL},
  {"port", 0, CLI_COUNT, "N", AT(port), "port on 127.0.0.1 (default: any that is free)", NULL},
  {"no-browser", 0, CLI_FLAG, NULL, AT(no_browser), "print the address and open no browser", NULL},
  {"once", 0, CLI_FLAG, NULL, AT(once), "end when the page is closed", NULL},
  {0},
};

const cli_command cli_view_command = {
  .name = "view", .operands = "MODEL", .min_operands = 1, .max_operands = 1,
  .summary = "simulate a model live in the browser, and change it while it runs",
  .purpose = "Simulates MODEL, a file or a name of the catalogue, at the pace of the clock, and shows it in the "
             "browser: sliders for its parameters, other integrators and solvers, pause, single steps, bodies that can "
             "be dragged with the mouse, records, contact problems to be saved. The page is served on 127.0.0.1 alone; "
             "its address opens it once. Ctrl-C ends it.",
  .options = options,
  .examples = "  stickslip view woodpecker --speed 0.2\n"
              "  stickslip view billiards --paused --set geom.table.friction=0.3\n"
              "  stickslip view robot.xml --no-browser --port 8123\n",
  .main = cli_view_main,
};

// ---- signals and time -----------------------------------------------------------------------------------------------

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
  if (interrupted) _exit(CLI_FAILED);
  interrupted = number;
}

double cli_view_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9*(double)t.tv_nsec;
}

// ---- stepping -------------------------------------------------------------------------------------------------------

static void stand(cli_view* v, const char* format, ...) SS_PRINTF(2, 3);

static void stand(cli_view* v, const char* format, ...)
{
  va_list list;
  va_start(list, format);
  vsnprintf(v->why, sizeof v->why, format, list);
  va_end(list);
  v->running = false;
  v->tell = true;
}

static void keep_step(cli_view* v, int n, const ss_event* event)
{
  ss_error error = {0}, ignored = {0};
  char text[700];
  if (cli_keep_step(&v->keep, &v->sim, n, event, &error) >= 0) return;
  cli_keep_end(&v->keep, &ignored);
  stand(v, "the record ends: %s", ss_error_format(&error, text, sizeof text));
}

static bool after_step(void* user, const ss_state* state, const ss_step_info* info)
{
  cli_view* v = user;
  const ss_event* event;
  int n = cli_sim_note_step(&v->sim, &event);
  for (int i = 0; i < n; i++) cli_frame_event(&v->frame, &event[i]);
  keep_step(v, n, event);
  if (++v->since >= v->stride || (n && v->frame.n_row < CLI_FRAME_ROWS/2)) {
    v->since = 0;
    if (!cli_frame_row(&v->frame, &v->sim, false)) stand(v, "out of memory");
  }
  if (info->note[0]) snprintf(v->note, sizeof v->note, "t = %.6g s: %s", state->t, info->note);
  if (v->drag.on && cli_drag_update(&v->drag, &v->sim) < 0) v->tell = true;
  return cli_view_now() < v->deadline && !v->why[0] && !interrupted;
}

ss_status cli_view_steps(cli_view* v, long n)
{
  cli_sim* s = &v->sim;
  long first = s->state->step;
  ss_status st = ss_simulate(s->system, &s->run.step, s->t0, first + n, s->state, s->work, after_step, v);
  if (st < 0) {
    const char* why = ss_work_message(s->work);
    stand(v, "the step from t = %.6g s failed: %s", s->state->t, why[0] ? why : ss_status_text(st));
  }
  if (v->since && !cli_frame_row(&v->frame, s, true)) stand(v, "out of memory");  // the latest one is always there
  v->since = 0;
  return st;
}

// As far as the clock says. What cannot be done in time is left out: the motion is slower then, never late.
static void advance(cli_view* v, double now)
{
  double elapsed = fmin(now - v->before, 0.1), dt = v->sim.run.step.dt, from = v->sim.state->t;
  if (!v->running) return;
  v->goal += elapsed*v->speed;
  double steps = floor((v->goal - from)/dt*(1 + 1e-12) + 1e-9);
  long n = steps < 1 ? 0 : steps < 1e6 ? (long)steps : 1000000;
  if (n > 0) {
    v->stride = 1 + (n - 1)/ROWS_PER_TICK;
    v->deadline = now + WORK;
    cli_view_steps(v, n);
    if (v->sim.state->t < v->goal - 2*dt) v->goal = v->sim.state->t;
  }
  if (elapsed > 0) v->pace += 0.05*((v->sim.state->t - from)/elapsed - v->pace);
}

// ---- what the page is told ------------------------------------------------------------------------------------------

void cli_view_send(cli_view* v, cJSON* message)
{
  char* text = cJSON_PrintUnformatted(message);
  if (text) cli_server_send(v->server, false, text, strlen(text));
  cJSON_free(text);
  cJSON_Delete(message);
}

static void tell_contacts(cli_view* v)
{
  int n = v->sim.n_known < CLI_FRAME_NAMES ? v->sim.n_known : CLI_FRAME_NAMES;
  if (n == v->contacts_told) return;
  cJSON* o = cJSON_CreateObject();
  cJSON_AddNumberToObject(o, "from", v->contacts_told);
  cli_json_put(o, "contacts", cli_hello_contacts(&v->sim, v->contacts_told));
  cli_view_send(v, o);
  v->contacts_told = n;
}

static void add_counts(cJSON* o, const cli_sim* s)
{
  const ss_ledger_counts* c = ss_ledger_get_counts(s->ledger);
  cJSON* counts = cJSON_AddObjectToObject(o, "counts");
  cJSON_AddNumberToObject(counts, "steps", (double)c->steps);
  cJSON_AddNumberToObject(counts, "events", (double)c->events);
  cJSON_AddNumberToObject(counts, "impacts", (double)c->impacts);
  cJSON_AddNumberToObject(counts, "not_solved", (double)c->not_solved);
  cJSON_AddNumberToObject(counts, "energy_gain", (double)c->energy_gain);
  cJSON_AddNumberToObject(counts, "several_motions", (double)c->several_motions);
  cJSON_AddNumberToObject(counts, "as_found", (double)c->as_found);
  cJSON_AddNumberToObject(counts, "not_examined", (double)c->not_examined);
  cli_json_number(counts, "max_residual", c->max_residual);
  cli_json_number(counts, "max_penetration", c->max_penetration);
  cli_json_number(counts, "max_limit_error", c->max_limit_error);
}

static void tell_status(cli_view* v, double now)
{
  if (!v->tell && now - v->told < 0.25) return;
  cJSON* message = cJSON_CreateObject();
  cJSON* o = cJSON_AddObjectToObject(message, "status");
  cJSON_AddBoolToObject(o, "running", v->running);
  cli_json_number(o, "speed", v->speed);
  cli_json_number(o, "pace", v->running ? v->pace : 0);
  cli_json_number(o, "t", v->sim.state->t);
  cJSON_AddNumberToObject(o, "step", (double)v->sim.state->step);
  cJSON_AddStringToObject(o, "why", v->why);
  cJSON_AddStringToObject(o, "note", v->note);
  cJSON_AddBoolToObject(o, "dragging", v->drag.on);
  cJSON_AddBoolToObject(o, "recording", v->keep.record != NULL);
  cJSON_AddStringToObject(o, "record", v->keep.path);
  cJSON_AddNumberToObject(o, "rows", (double)v->keep.rows);
  add_counts(o, &v->sim);
  cli_view_send(v, message);
  v->told = now;
  v->tell = false;
}

bool cli_view_changed(cli_view* v, bool reload)
{
  cJSON* message = reload ? cJSON_CreateObject() : cli_hello_model(&v->sim);
  if (reload) cJSON_AddTrueToObject(message, "reload");
  if (!cli_frame_open(&v->frame, &v->sim)) return false;
  v->contacts_told = v->sim.n_known < CLI_FRAME_NAMES ? v->sim.n_known : CLI_FRAME_NAMES;
  cli_view_send(v, message);
  return cli_frame_row(&v->frame, &v->sim, true);
}

static void on_opened(void* user)
{
  cli_view* v = user;
  v->connected = v->was_connected = true;
  v->acknowledged = v->frame.number;
  v->before = cli_view_now();
  v->goal = v->sim.state->t;
  v->contacts_told = v->sim.n_known < CLI_FRAME_NAMES ? v->sim.n_known : CLI_FRAME_NAMES;
  v->tell = true;
  cli_view_send(v, cli_hello(&v->sim));
  cli_frame_clear(&v->frame);
  if (!cli_frame_row(&v->frame, &v->sim, true)) stand(v, "out of memory");
}

static void on_closed(void* user)
{
  cli_view* v = user;
  v->connected = false;
  v->left = cli_view_now();
  cli_drag_end(&v->drag, &v->sim);
}

// ---- the loop -------------------------------------------------------------------------------------------------------

// Nobody looks: the simulation waits
static double on_tick(void* user)
{
  cli_view* v = user;
  double now = cli_view_now();
  if (interrupted || (v->once && v->was_connected && !v->connected && now - v->left > GRACE)) return -1;
  if (!v->connected) return 0.05;
  advance(v, now);
  v->before = now;
  tell_contacts(v);
  bool free = v->frame.number - v->acknowledged < IN_FLIGHT && cli_server_waiting(v->server) < 1 << 20;
  if (v->frame.n_row && free && !cli_frame_send(&v->frame, v->server)) stand(v, "out of memory");
  tell_status(v, cli_view_now());
  return fmax(0.001, TICK - (cli_view_now() - now));
}

static void show_address(const cli_view* v, const view_options* o, char folder[CLI_VIEW_FOLDER])
{
  const char* address = cli_server_address(v->server);
  printf("%s\n", address);
  fflush(stdout);
  bool opens = !o->no_browser && cli_view_open_browser(address, folder);
  cli_note("%s; Ctrl-C ends it", opens ? "it opens in the browser" : "open this address in a browser on this machine");
}

static int serve(cli_view* v, const view_options* o)
{
  ss_error error = {0};
  char folder[CLI_VIEW_FOLDER] = "";
  cli_server_def def = {.port = (int)o->port, .page = cli_viewer_page, .page_size = cli_viewer_size, .user = v,
                        .opened = on_opened, .closed = on_closed, .message = cli_view_message, .tick = on_tick};
  if (!cli_frame_open(&v->frame, &v->sim)) return cli_out_of_memory();
  v->server = cli_server_open(&def, &error);
  if (!v->server) return cli_fail(&error);
  cli_catch_signals(on_signal);
  show_address(v, o, folder);
  cli_server_run(v->server);
  cli_server_close(v->server);
  cli_view_forget_browser(folder);
  if (v->keep.record && cli_keep_end(&v->keep, &error) < 0) return cli_fail(&error);
  if (v->keep.path[0]) cli_note("recorded in %s", v->keep.path);
  return CLI_DONE;
}

static int check_build(void)
{
  if (!cli_viewer_size)
    cli_error("this build has no viewer: npm was missing, or could not get its packages, when it was built. Install "
              "nodejs and npm (scripts/install-deps), remove the folder 'viewer' in the build folder, configure and "
              "build again. Without it: 'run' simulates, 'plot' draws.");
  else if (cli_server_missing()) cli_error("%s", cli_server_missing());
  else return CLI_GO_ON;
  return CLI_FAILED;
}

static int prepare(cli_view* v, const view_options* o, const char* name)
{
  cli_overrides set = {0};
  ss_error error = {0};
  int status = cli_overrides_read(&cli_view_command, &o->set, &set);
  if (status == CLI_GO_ON && !cli_scene_overrides(&o->step.scene, &set)) status = cli_out_of_memory();
  if (status == CLI_GO_ON && cli_sim_open(&v->sim, name, set.n, set.item, &error) < 0) status = cli_fail(&error);
  cli_overrides_free(&set);
  if (status != CLI_GO_ON) return status;
  ss_step_def step = v->sim.run.step;
  cli_step_set(&o->step, &step);
  cli_sim_step_def(&v->sim, &step);
  return cli_step_check(&cli_view_command, &o->step, v->sim.model, &step);
}

int cli_view_main(int argc, char** argv)
{
  view_options o = {.speed = 1, .step = CLI_STEP_OPTIONS_NONE};
  cli_view v = {0};
  int n;
  int status = cli_parse(&cli_view_command, argc, argv, &o, &n);
  if (status == CLI_GO_ON && o.port > 65535)
    status = cli_usage(&cli_view_command, "--port %ld: the highest is 65535", o.port);
  if (status == CLI_GO_ON) status = check_build();
  if (status == CLI_GO_ON) status = prepare(&v, &o, argv[1]);
  v.speed = o.speed;
  v.running = !o.paused;
  v.once = o.once;
  v.keep.output = o.output;
  if (status == CLI_GO_ON) status = serve(&v, &o);
  cli_frame_close(&v.frame);
  cli_sim_close(&v.sim);
  cli_list_free(&o.set);
  return status;
}
