// `stickslip bench`: every solver on every problem of a folder, with performance profiles.
#include "bench.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench_pendulum.h"
#include "json.h"
#include "outcomes.h"
#include "signals.h"
#include "table.h"

typedef struct bench_options {
  const char* output;  // folder
  double tol, time_limit, until;
  long repeat, max_size;
  int plot;
  bool cpu, json, quiet;
} bench_options;

static const char* const plot_words[] = {"svg", "png", "pdf", "none", NULL};
enum { NO_PLOT = 3 };

static const cli_option options[] = {
  {"output", 'o', CLI_STRING, "DIR", offsetof(bench_options, output),
   "write times.csv, and per class profile-CLASS.csv and a plot of it, into DIR", NULL},
  {"tol", 0, CLI_POSITIVE, "R", offsetof(bench_options, tol), CLI_TOL_HELP, NULL},
  {"repeat", 0, CLI_COUNT, "N", offsetof(bench_options, repeat),
   "solve N times and take the median time (default: 5)", NULL},
  {"time-limit", 0, CLI_POSITIVE, "S", offsetof(bench_options, time_limit),
   "end a solve after S seconds; repeats end then, too (default: 10)", NULL},
  {"cpu", 0, CLI_FLAG, NULL, offsetof(bench_options, cpu),
   "measure processor time: for a busy machine; costs some tenths of a microsecond per solve", NULL},
  {"max-size", 0, CLI_COUNT, "N", offsetof(bench_options, max_size), "leave out problems with more than N unknowns",
   NULL},
  {"until", 0, CLI_POSITIVE, "S", offsetof(bench_options, until),
   "pendulum12: end time in seconds (default: 20)", NULL},
  {"plot", 0, CLI_CHOICE, "TYPE", offsetof(bench_options, plot), "svg, png, pdf or none (default: svg)", plot_words},
  {"json", 0, CLI_FLAG, NULL, offsetof(bench_options, json), "print one JSON object", NULL},
  {"quiet", 'q', CLI_FLAG, NULL, offsetof(bench_options, quiet), "no progress line", NULL},
  {0},
};

static const char* const words[] = {"solvers", "pendulum12", NULL};

const cli_command cli_bench_command = {
  .name = "bench", .operands = "[solvers DIR | pendulum12]", .max_operands = 2,
  .summary = "compare the solvers on the problems of a folder, or on the 12-link pendulum",
  .purpose = "bench solvers DIR: runs every solver on every problem file (JSON, FCLIB) in DIR and its subfolders that "
             "it accepts, each solve in a process of its own, and prints how many each has solved to the tolerance and "
             "how its time compares with the fastest one's. The residual that decides is computed apart from the "
             "solvers. Performance profiles are those of Dolan and More (2002): the part of the problems that a solver "
             "solves within tau times the time of the fastest. A JSON file beside an HDF5 file of the same name and "
             "class is taken as the same problem and left out, and so are contact problems with \"sets\" or "
             "\"slide\". Files that cannot be read and solvers that crash are reported and counted; the exit status is "
             "then 1. Ctrl-C ends the run and keeps what is there.\n\n"
             "bench pendulum12: the pendulum of Mylapilli & Jain 2017 by their five solvers and by auto, with the "
             "times of their Table 1, and how long the trajectories agree.",
  .options = options,
  .examples = "  stickslip bench solvers problems\n"
              "  stickslip bench solvers problems -o results --repeat 20\n"
              "  stickslip bench solvers problems --time-limit 1 --max-size 500\n"
              "  stickslip bench pendulum12\n",
  .words = words,
  .main = cli_bench,
};

typedef struct bench {
  bench_options o;
  const char* folder;
  cli_files files;
  cli_contest contest[CLI_CLASSES];
  FILE* times;  // times.csv, or NULL
  int problems, broken, larger, twice, other, crashed;
} bench;

// ---- signals ----

static volatile int interrupted;

static void on_signal(int number) { interrupted = number; }

// ---- files ----

static const char* relative(const bench* b, const char* path)
{
  path += strlen(b->folder);
  return path + strspn(path, "/");
}

static FILE* open_output(const bench* b, const char* name)
{
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", b->o.output, name);
  FILE* f = fopen(path, "w");
  if (!f) cli_error("%s: cannot be written: %s", path, strerror(errno));
  return f;
}

static bool close_output(FILE* f, const char* name)
{
  bool good = !ferror(f);
  if (fclose(f) != 0) good = false;
  if (!good) cli_error("%s could not be written", name);
  return good;
}

// Quoted if need be
static void print_csv_text(FILE* out, const char* text)
{
  bool quote = strpbrk(text, ",\"\n\r") != NULL;
  if (quote) fputc('"', out);
  for (; *text; text++) {
    if (*text == '"') fputc('"', out);
    fputc(*text, out);
  }
  if (quote) fputc('"', out);
}

static bool open_times(bench* b)
{
  if (!b->o.output) return true;
  if (mkdir(b->o.output, 0777) != 0 && errno != EEXIST) {
    cli_error("%s: cannot be made: %s", b->o.output, strerror(errno));
    return false;
  }
  b->times = open_output(b, "times.csv");
  if (b->times) fprintf(b->times, "problem,class,n,solver,status,residual,iterations,seconds\n");
  return b->times != NULL;
}

// A row is in the file as soon as it is known: whatever happens next, it stays
static void write_time(bench* b, const char* path, const cli_task* task, const cli_outcome* o)
{
  if (!b->times) return;
  print_csv_text(b->times, relative(b, path));
  fprintf(b->times, ",%s,%d,%s,%s,", cli_class_keyword(task->class), task->n, o->solver, cli_outcome_keyword(o));
  if (!isnan(o->residual)) fprintf(b->times, "%.3e", o->residual);
  fprintf(b->times, ",%ld,%.4e\n", o->iterations, o->seconds);
  fflush(b->times);
}

// ---- the run ----

static void show(const bench* b, int file, const char* solver)
{
  if (b->o.quiet || !isatty(STDERR_FILENO)) return;
  fprintf(stderr, "\r%d of %d  %.60s  %s\033[K", file + 1, b->files.n, relative(b, b->files.path[file]), solver);
  fflush(stderr);
}

static void clear_line(const bench* b)
{
  if (!b->o.quiet && isatty(STDERR_FILENO)) fputs("\r\033[K", stderr);
}

// Whether the file holds a problem
static bool is_problem(const char* path)
{
  ss_problem* problem = ss_problem_load(path, NULL);
  bool found = problem;
  ss_problem_destroy(problem);
  return found;
}

// `a.json` where `a.hdf5` or `a.h5` is a contact problem, too
static bool has_binary_twin(const char* path)
{
  const char* const ends[] = {".hdf5", ".h5"};
  char twin[4096];
  const char* dot = strrchr(path, '.');
  for (int i = 0; i < 2 && strcmp(dot, ".json") == 0; i++) {
    snprintf(twin, sizeof twin, "%.*s%s", (int)(dot - path), path, ends[i]);
    if (is_problem(twin)) return true;
  }
  return false;
}

static void report_crash(bench* b, int file, const cli_outcome* o)
{
  clear_line(b);
  cli_warn("%s: %s crashed: signal %d", relative(b, b->files.path[file]), o->solver, o->signal);
  b->crashed++;
}

// All solvers of one problem; false if interrupted or memory is short
static bool run_task(bench* b, int file, const cli_task* task)
{
  cli_contest* c = &b->contest[task->class];
  double time[CLI_MAX_SOLVERS];
  cli_effort effort = {.tol = b->o.tol, .repeat = b->o.repeat, .cpu = b->o.cpu};
  for (int k = 0; k < c->n_solver; k++) {
    cli_outcome outcome;
    show(b, file, cli_solver_name(task->class, k));
    if (!cli_solve_apart(task, k, &effort, b->o.time_limit, &interrupted, &outcome)) return false;
    write_time(b, b->files.path[file], task, &outcome);
    if (outcome.signal) report_crash(b, file, &outcome);
    time[k] = outcome.status == SS_OK ? fmax(outcome.seconds, 1e-9) : INFINITY;
  }
  double* row = cli_contest_add(c);
  if (!row) return false;
  memcpy(row, time, sizeof(double)*(size_t)c->n_solver);
  c->tol = cli_task_tol(task, &effort);
  if (task->n > c->n_max) c->n_max = task->n;
  b->problems++;
  return true;
}

static void report_broken(bench* b, const ss_error* error)
{
  char text[1024];
  clear_line(b);
  cli_warn("%s", ss_error_format(error, text, sizeof text));
  b->broken++;
}

// False if the run is to end
static bool run_file(bench* b, int file)
{
  ss_error error = {0};
  cli_task task;
  bool go_on = true;
  if (!cli_task_load(b->files.path[file], &task, &error)) {
    report_broken(b, &error);
    return true;
  }
  if (task.class == CLI_CONTACT && has_binary_twin(b->files.path[file])) b->twice++;
  else if (task.law != CLI_COULOMB) b->other++;
  else if (b->o.max_size && task.n > b->o.max_size) b->larger++;
  else if (!cli_task_prepare(&task, &error)) report_broken(b, &error);
  else go_on = run_task(b, file, &task);
  cli_task_free(&task);
  return go_on;
}

// ---- what came out ----

static bool print_class(const cli_contest* c)
{
  int unsolved = cli_contest_unsolved(c);
  printf("%s: %d problem%s with up to %d unknowns, tolerance %g", cli_class_keyword(c->class), c->n,
         cli_s(c->n), c->n_max, c->tol);
  if (unsolved) printf("; %d solved by no solver", unsolved);
  printf("\n");
  cli_table table = cli_table_create("lrrrr");
  const char* const head[] = {"solver", "solved", "fastest", "median ratio", "largest ratio"};
  for (int i = 0; i < 5; i++) cli_table_cell(&table, "%s", head[i]);
  for (int s = 0; s < c->n_solver; s++) {
    cli_score score = cli_contest_score(c, s);
    cli_table_cell(&table, "%s", cli_solver_name(c->class, s));
    cli_table_cell(&table, "%d/%d", score.solved, c->n);
    cli_table_cell(&table, "%d", score.fastest);
    cli_table_cell(&table, score.solved ? "%.3g" : "-", score.median_ratio);
    cli_table_cell(&table, score.solved ? "%.3g" : "-", score.worst_ratio);
  }
  return cli_table_print(&table, 2);
}

static void print_left_out(const bench* b)
{
  if (b->broken) printf("%d file%s could not be read as problems\n", b->broken, cli_s(b->broken));
  if (b->crashed) printf("%d solve%s crashed\n", b->crashed, cli_s(b->crashed));
  if (b->larger) printf("%d with more than %ld unknowns left out\n", b->larger, b->o.max_size);
  if (b->twice) printf("%d JSON file%s beside HDF5 files of the same name left out\n", b->twice,
                       cli_s(b->twice));
  if (b->other) printf("%d with \"sets\" or \"slide\", which not all solvers honour, left out\n", b->other);
}

static bool print_text(const bench* b)
{
  for (int k = 0; k < CLI_CLASSES; k++)
    if (b->contest[k].n && !print_class(&b->contest[k])) return false;
  if (b->problems) printf("ratio: time over that of the fastest solver of the same problem\n");
  print_left_out(b);
  if (b->o.output) printf("written to %s\n", b->o.output);
  return true;
}

static void add_class(cJSON* list, const cli_contest* c)
{
  cJSON* o = cli_json_append(list, cJSON_CreateObject());
  cJSON_AddStringToObject(o, "class", cli_class_keyword(c->class));
  cJSON_AddNumberToObject(o, "problems", c->n);
  cJSON_AddNumberToObject(o, "solved_by_none", cli_contest_unsolved(c));
  cli_json_number(o, "tolerance", c->tol);
  cJSON* solvers = cJSON_AddArrayToObject(o, "solvers");
  for (int s = 0; s < c->n_solver; s++) {
    cli_score score = cli_contest_score(c, s);
    cJSON* item = cli_json_append(solvers, cJSON_CreateObject());
    cJSON_AddStringToObject(item, "solver", cli_solver_name(c->class, s));
    cJSON_AddNumberToObject(item, "solved", score.solved);
    cJSON_AddNumberToObject(item, "fastest", score.fastest);
    cli_json_number(item, "median_ratio", score.median_ratio);
    cli_json_number(item, "largest_ratio", score.worst_ratio);
  }
}

static int print_json(const bench* b)
{
  cJSON* o = cJSON_CreateObject();
  cJSON_AddNumberToObject(o, "problems", b->problems);
  cJSON_AddNumberToObject(o, "broken", b->broken);
  cJSON_AddNumberToObject(o, "crashed", b->crashed);
  cJSON_AddNumberToObject(o, "too_large", b->larger);
  cJSON_AddNumberToObject(o, "second_forms", b->twice);
  cJSON_AddNumberToObject(o, "other_laws", b->other);
  cJSON_AddBoolToObject(o, "complete", !interrupted);
  cJSON* list = cJSON_AddArrayToObject(o, "classes");
  for (int k = 0; k < CLI_CLASSES; k++)
    if (b->contest[k].n) add_class(list, &b->contest[k]);
  return cli_print_json(o);
}

static int write_profile(const bench* b, const cli_contest* c)
{
  char name[64], path[4096];
  snprintf(name, sizeof name, "profile-%s.csv", cli_class_keyword(c->class));
  FILE* out = open_output(b, name);
  if (!out) return CLI_BAD_FILE;
  if (!cli_profile_csv(c, out)) {
    fclose(out);
    return cli_out_of_memory();
  }
  if (!close_output(out, name)) return CLI_BAD_FILE;
  if (b->o.plot == NO_PLOT) return CLI_DONE;
  snprintf(path, sizeof path, "%s/profile-%s.%s", b->o.output, cli_class_keyword(c->class), plot_words[b->o.plot]);
  return cli_profile_plot(c, path);
}

static int finish(bench* b)
{
  int status = CLI_DONE;
  clear_line(b);
  if (b->times && !close_output(b->times, "times.csv")) status = CLI_BAD_FILE;
  for (int k = 0; b->o.output && status == CLI_DONE && k < CLI_CLASSES; k++)
    if (b->contest[k].n) status = write_profile(b, &b->contest[k]);
  if (b->o.json) {
    int printed = print_json(b);
    if (status == CLI_DONE) status = printed;
  }
  else if (!print_text(b)) status = cli_out_of_memory();
  if (interrupted) {
    cli_note("interrupted after %d problem%s", b->problems, cli_s(b->problems));
    return CLI_FAILED;
  }
  return status == CLI_DONE && (b->broken || b->crashed) ? CLI_MISSED : status;
}

static int run(bench* b)
{
  for (int k = 0; k < CLI_CLASSES; k++)
    b->contest[k] = (cli_contest){.class = (cli_class)k, .n_solver = cli_solver_count((cli_class)k)};
  if (!cli_files_collect(&b->files, b->folder)) {
    cli_error("%s: cannot be read: %s", b->folder, strerror(errno));
    return CLI_BAD_FILE;
  }
  if (b->files.failed) return cli_out_of_memory();
  if (b->files.n == 0) {
    cli_error("%s holds no problems: no file ends in .json, .hdf5 or .h5", b->folder);
    return CLI_BAD_INPUT;
  }
  if (!open_times(b)) return CLI_BAD_FILE;
  cli_catch_signals(on_signal);
  bool go_on = true;
  for (int i = 0; go_on && i < b->files.n; i++) go_on = run_file(b, i);
  if (!go_on && !interrupted) return cli_out_of_memory();
  if (!b->problems && !b->larger && !b->other && !interrupted) {
    cli_error("%s holds no problems that can be read", b->folder);
    return CLI_BAD_INPUT;
  }
  return finish(b);
}

static int say_what_there_is(void)
{
  printf("stickslip bench solvers DIR   every solver on every problem file of DIR: success, times, profiles\n"
         "stickslip bench pendulum12    the 12-link pendulum by the five solvers of Mylapilli & Jain 2017\n"
         "'stickslip help bench' explains it. 'make bench' in the sources runs the library's own measurements.\n");
  return CLI_DONE;
}

int cli_bench(int argc, char** argv)
{
  bench b = {.o = {.repeat = 5, .time_limit = 10, .until = 20}};
  int n;
  int status = cli_parse(&cli_bench_command, argc, argv, &b.o, &n);
  if (status != CLI_GO_ON) return status;
  if (n == 0) return say_what_there_is();
  if (strcmp(argv[1], "pendulum12") == 0 && n == 1) return cli_bench_pendulum(b.o.until, b.o.json, b.o.quiet);
  if (strcmp(argv[1], "solvers") != 0)
    return cli_usage(&cli_bench_command, n > 1 ? "'%s DIR' is not known; it can be solvers" :
                     "'%s' is not known; it can be solvers or pendulum12", argv[1]);
  if (n < 2) return cli_usage(&cli_bench_command, "DIR is missing: the folder with the problems");
  if (b.o.repeat > 1000000) return cli_usage(&cli_bench_command, "--repeat is at most 1000000");
  if (b.o.time_limit > 1e6) return cli_usage(&cli_bench_command, "--time-limit is at most 1e6 s");
  for (size_t end = strlen(argv[2]); end > 1 && argv[2][end - 1] == '/'; end--) argv[2][end - 1] = '\0';
  b.folder = argv[2];
  status = run(&b);
  cli_files_free(&b.files);
  for (int k = 0; k < CLI_CLASSES; k++) cli_contest_free(&b.contest[k]);
  return status;
}
