// `stickslip solutions`: all motions that the contact laws allow in a state of a model.
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model_arg.h"
#include "solutions.h"

typedef struct solutions_options {
  cli_list at, set;
  const char* run;
  double time, tol;
  int level, impact;  // -1: not given
  bool json;
} solutions_options;

static const char* const levels[] = {"acceleration", "impact", NULL};  // as ss_level without "any"
static const char* const impacts[] = {"newton", "poisson", NULL};      // in the order of ss_impact_law

#define AT(field) offsetof(solutions_options, field)
static const cli_option options[] = {
  {"at", 0, CLI_LIST, "STATE", AT(at),
   "coordinates and rates, \"x=0, theta=pi/6, x'=-1\"; the others are as at the start of the model. Values are "
   "expressions, as in the file; may be given again", NULL},
  {"run", 0, CLI_STRING, "FILE", AT(run), "take model and state from the record of a run", NULL},
  {"time", 0, CLI_DOUBLE, "S", AT(time),
   "time in s; of a run the last row that is not later (default: its end)", NULL},
  {"set", 0, CLI_LIST, "PATH=VALUE", AT(set),
   "replace a value of the model, as in 'stickslip run'; may be given again", NULL},
  {"level", 0, CLI_CHOICE, "LEVEL", AT(level),
   "acceleration or impact (default: impact if a contact hits, else acceleration)", levels},
  {"impact", 0, CLI_CHOICE, "LAW", AT(impact), "law of impacts: newton or poisson (default: the model's)", impacts},
  {"tol", 0, CLI_POSITIVE, "X", AT(tol), "residual that a solution may have (default: 1e-10)", NULL},
  {"json", 0, CLI_FLAG, NULL, AT(json), "print one JSON object", NULL},
  {0},
};

const cli_command cli_solutions_command = {
  .name = "solutions", .operands = "[MODEL]", .max_operands = 1,
  .summary = "all motions that the contact laws allow in a state",
  .purpose = "Puts MODEL into a state, tells which contacts touch, stay, slide, rest or hit, and lists every solution "
             "of their contact problem: none, one, several or infinitely many (families by their vertices and rays). "
             "All of these are answers: the exit status is 0.",
  .options = options,
  .examples = "  stickslip solutions painleve --set mu=1.5\n"
              "  stickslip solutions rocking-block --at \"phi=0, phi'=0, x'=0.3\" --json\n"
              "  stickslip solutions --run run.h5 --time 0.1 --set mu=0.5\n",
  .main = cli_solutions,
};

// ---- --at ----

// The end of the assignment that begins at p: a comma outside parentheses, or the end of the text
static const char* end_of(const char* p)
{
  int depth = 0;
  for (; *p && (*p != ',' || depth > 0); p++) depth += *p == '(' ? 1 : *p == ')' ? -1 : 0;
  return p;
}

// One assignment as an override of the initial state, "initial.NAME=VALUE"; to be freed. NULL if memory is short, an
// empty string if it is none.
static char* assignment(const char* from, const char* to)
{
  while (from < to && isspace((unsigned char)*from)) from++;
  while (to > from && isspace((unsigned char)to[-1])) to--;
  size_t length = (size_t)(to - from);
  const char* equals = memchr(from, '=', length);
  char* text = calloc(1, length + sizeof "initial.");
  if (!text || !equals || equals == from || equals + 1 == to) return text;
  const char* name_end = equals;
  const char* value = equals + 1;
  while (name_end > from && isspace((unsigned char)name_end[-1])) name_end--;
  while (isspace((unsigned char)*value)) value++;
  snprintf(text, length + sizeof "initial.", "initial.%.*s=%.*s", (int)(name_end - from), from, (int)(to - value),
           value);
  return text;
}

static void free_texts(cli_list* list)
{
  for (int i = 0; i < list->n; i++) free((char*)list->item[i]);
  cli_list_free(list);
}

static bool add_text(cli_list* list, char* text)
{
  const char** grown = realloc(list->item, sizeof *grown*(size_t)(list->n + 1));
  if (!text || !grown) {
    if (grown) list->item = grown;
    free(text);
    return false;
  }
  list->item = grown;
  list->item[list->n++] = text;
  return true;
}

// Copies --set, then the assignments of --at as overrides, into `all`, whose texts belong to it
static int collect(const solutions_options* o, cli_list* all)
{
  for (int i = 0; i < o->set.n; i++) {
    char* copy = calloc(1, strlen(o->set.item[i]) + 1);
    if (copy) strcpy(copy, o->set.item[i]);
    if (!add_text(all, copy)) return cli_out_of_memory();
  }
  for (int i = 0; i < o->at.n; i++) {
    for (const char *p = o->at.item[i], *end;; p = end + 1) {
      end = end_of(p);
      char* text = assignment(p, end);
      bool blank = strspn(p, " \t\n") >= (size_t)(end - p);
      if (text && !*text && !(blank && !*end && p != o->at.item[i])) {
        free(text);
        return cli_usage(&cli_solutions_command, "--at: '%.*s' is not of the form NAME=VALUE, such as x=0.1 or x'=-1",
                         (int)(end - p), p);
      }
      if (text && !*text) free(text);  // nothing behind the last comma
      else if (!add_text(all, text)) return cli_out_of_memory();
      if (!*end) break;
    }
  }
  return CLI_GO_ON;
}

// Names of --at that are no coordinates are told before the model is read with them: the message can then say more.
static int check_names(const ss_model* model, const cli_list* all, int from)
{
  const ss_system_def* d = ss_system_get(ss_model_system(model));
  for (int i = from; i < all->n; i++) {
    const char* name = all->item[i] + strlen("initial.");
    size_t length = strcspn(name, "='");
    char word[80];
    snprintf(word, sizeof word, "%.*s", (int)length, name);
    cli_nearest nearest = {.word = word};
    bool known = false;
    for (int j = 0; j < d->nv; j++) {
      known = known || strcmp(word, d->coordinate[j]) == 0;
      cli_nearest_offer(&nearest, d->coordinate[j]);
    }
    if (known) continue;
    if (nearest.best)
      return cli_usage(&cli_solutions_command, "--at: no coordinate '%s'; did you mean '%s'?", word, nearest.best);
    return cli_usage(&cli_solutions_command, "--at: no coordinate '%s'; 'stickslip check' lists them", word);
  }
  return CLI_GO_ON;
}

// ---- model and state ----

static int refuse_scene(const ss_model* model)
{
  if (!ss_model_scene(model)) return CLI_GO_ON;
  return cli_usage(&cli_solutions_command, "motions are listed for text models, whose contacts are planar; '%s' is a "
                                           "scene: 'stickslip run --dump-problems' saves its contact problems",
                   ss_model_name(model));
}

static int load_model(const char* name, const solutions_options* o, const cli_list* all, const cli_overrides* overrides,
                      cli_solutions_at* s)
{
  ss_error error = {0};
  ss_model_def def = {.n_override = o->set.n, .override = overrides->item, .log = o->at.n ? (ss_log){0} : cli_log()};
  s->model = ss_model_load(name, &def, &error);
  if (!s->model) return cli_fail(&error);
  if (refuse_scene(s->model) != CLI_GO_ON) return CLI_BAD_INPUT;
  if (o->at.n) {
    int status = check_names(s->model, all, o->set.n);
    if (status != CLI_GO_ON) return status;
    ss_model_destroy(s->model);
    def = (ss_model_def){.n_override = overrides->n, .override = overrides->item, .log = cli_log()};
    s->model = ss_model_load(name, &def, &error);
    if (!s->model) return cli_fail(&error);
  }
  s->state = ss_state_create(ss_model_system(s->model));
  if (!s->state) return cli_out_of_memory();
  ss_model_initial(s->model, s->state);
  if (!isnan(o->time)) s->state->t = o->time;
  return CLI_GO_ON;
}

// The state in a row of the record, with the contact states that it had
static int read_row(ss_run* run, long row, ss_state* state)
{
  const ss_run_info* info = ss_run_get_info(run);
  ss_error error = {0};
  char name[160];
  const double* column;
  if (info->listed) return ss_run_motion(run, row, state, &error) < 0 ? cli_fail(&error) : CLI_GO_ON;
  for (int i = 0; i < 2*info->nv; i++) {
    const char* coordinate = info->coordinate[i%info->nv];
    snprintf(name, sizeof name, "%s%s", i < info->nv ? "" : "u_", coordinate);
    if (!(column = ss_run_column(run, name, &error))) return cli_fail(&error);
    (i < info->nv ? state->q : state->u)[i%info->nv] = column[row];
  }
  for (int i = 0; i < info->n_contact; i++) {
    snprintf(name, sizeof name, "state.%s", info->contact[i]);
    if (!(column = ss_run_column(run, name, &error))) return cli_fail(&error);
    state->mode[i] = (ss_contact_state)column[row];
  }
  state->has_mode = row > 0;  // the first row is the start, before anything was solved
  return CLI_GO_ON;
}

static int read_state(ss_run* run, double time, cli_solutions_at* s)
{
  const ss_run_info* info = ss_run_get_info(run);
  ss_error error = {0};
  const double* t = info->n_rows ? ss_run_column(run, "t", &error) : NULL;
  if (!t && info->n_rows) return cli_fail(&error);
  long row = info->n_rows - 1;
  while (row >= 0 && !isnan(time) && t[row] > time + 1e-12*fabs(time)) row--;
  if (row < 0) return cli_usage(&cli_solutions_command, "--time: the run has no row before %g s", time);
  s->state->t = t[row];
  return read_row(run, row, s->state);
}

// The model that the record holds, with its own overrides and then ours
static int load_run(const solutions_options* o, const cli_overrides* overrides, cli_solutions_at* s)
{
  ss_error error = {0};
  ss_run* run = ss_run_open(o->run, &error);
  if (!run) return cli_fail(&error);
  const ss_run_info* info = ss_run_get_info(run);
  int n = 0;
  ss_override* list = calloc((size_t)(info->n_override + overrides->n) + 1, sizeof *list);
  for (int i = 0; list && i < overrides->n; i++) list[n++] = overrides->item[i];
  for (int i = 0; list && i < info->n_override; i++) {
    bool ours = false;
    for (int k = 0; k < overrides->n; k++) ours = ours || strcmp(overrides->item[k].path, info->override[i].path) == 0;
    if (!ours) list[n++] = info->override[i];
  }
  ss_model_def def = {.n_override = n, .override = list};
  int status = CLI_GO_ON;
  s->impact = info->run.step.impact;
  s->model = list ? ss_run_model(run, &def, &error) : NULL;
  if (!s->model) status = list ? cli_fail(&error) : cli_out_of_memory();
  else if (ss_model_scene(s->model)) status = refuse_scene(s->model);
  else if (!(s->state = ss_state_create(ss_model_system(s->model)))) status = cli_out_of_memory();
  else status = read_state(run, o->time, s);
  free(list);
  ss_run_close(run);
  return status;
}

// ---- all ----

static int find(const solutions_options* o, cli_solutions_at* s)
{
  ss_error error = {0};
  ss_solutions_def def = ss_solutions_def_default();
  const ss_system* system = ss_model_system(s->model);
  s->system = ss_system_get(system);
  if (o->level >= 0) def.level = (ss_level)(o->level + 1);
  if (o->impact >= 0) s->impact = (ss_impact_law)o->impact;
  if (!isnan(o->tol)) def.solver.tol = o->tol;
  def.impact = s->impact;
  s->work = ss_work_create(system, &error);
  if (!s->work) return cli_fail(&error);
  ss_status status = ss_solutions_at(system, &def, s->state, s->work, &s->found);
  if (status >= 0) return CLI_GO_ON;
  if (status == SS_ERR_MEMORY) return cli_out_of_memory();
  cli_error("%s", ss_work_message(s->work));
  return status == SS_ERR_CAPACITY ? CLI_BAD_INPUT : cli_exit_status(status);
}

static int solutions(const char* name, const solutions_options* o, const cli_list* all, const cli_overrides* overrides)
{
  cli_solutions_at s = {0};
  int status = name ? load_model(name, o, all, overrides, &s) : load_run(o, overrides, &s);
  if (status == CLI_GO_ON && name) s.impact = ss_model_run(s.model)->step.impact;
  if (status == CLI_GO_ON) status = find(o, &s);
  if (status == CLI_GO_ON) status = o->json ? cli_solutions_json(&s) : cli_print_solutions(&s);
  ss_solutions_destroy(s.found);
  ss_work_destroy(s.work);
  if (s.state) ss_state_destroy(s.state);
  ss_model_destroy(s.model);
  return status;
}

static int check_usage(const solutions_options* o, int n)
{
  if (n == 0 && !o->run) return cli_usage(&cli_solutions_command, "a MODEL is missing (or --run FILE)");
  if (n > 0 && o->run) return cli_usage(&cli_solutions_command, "a MODEL and --run cannot both be given");
  if (o->run && o->at.n) return cli_usage(&cli_solutions_command, "--at and --run cannot both be given");
  return CLI_GO_ON;
}

int cli_solutions(int argc, char** argv)
{
  solutions_options o = {.time = NAN, .tol = NAN, .level = -1, .impact = -1};
  cli_overrides overrides = {0};
  cli_list all = {0};
  int n;
  int status = cli_parse(&cli_solutions_command, argc, argv, &o, &n);
  if (status == CLI_GO_ON) status = check_usage(&o, n);
  if (status == CLI_GO_ON) status = collect(&o, &all);
  if (status == CLI_GO_ON) status = cli_overrides_read(&cli_solutions_command, &all, &overrides);
  if (status == CLI_GO_ON) status = solutions(n ? argv[1] : NULL, &o, &all, &overrides);
  cli_overrides_free(&overrides);
  free_texts(&all);
  cli_list_free(&o.set);
  cli_list_free(&o.at);
  return status;
}
