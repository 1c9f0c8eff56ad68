// `stickslip solve`: a complementarity problem from a file. Contact problems are in solve_contact.c.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attempts.h"
#include "json.h"
#include "progress.h"
#include "solve.h"
#include "solve_contact.h"
#include "table.h"

static const char* const forms[] = {"short", "long", "enhanced", NULL};  // in the order of ss_planar_form
static const char* const cone_words[] = {"exact", "polyhedral", NULL};
static const char* const align_words[] = {"on", "off", NULL};

static const cli_option options[] = {
  {"solver", 0, CLI_CHOICE, "NAME", offsetof(solve_options, solver),
   "one that accepts the problem ('stickslip solvers' lists them), or all: every one in a table (default: auto)",
   cli_solver_words},
  {"solutions", 0, CLI_FLAG, NULL, offsetof(solve_options, solutions),
   "print every solution of an LCP with at most 20 unknowns, or of a planar contact problem with at most 10 contacts",
   NULL},
  {"form", 0, CLI_CHOICE, "FORM", offsetof(solve_options, form),
   "with --solutions: those of the LCP that a form makes of a planar contact problem: short, long, enhanced", forms},
  {"tol", 0, CLI_POSITIVE, "R", offsetof(solve_options, tol), CLI_TOL_HELP, NULL},
  {"kappa", 0, CLI_POSITIVE, "K", offsetof(solve_options, kappa),
   "contact problems: relative compliance of the contacts (default: 0, rigid)", NULL},
  {"cone", 0, CLI_CHOICE, "CONE", offsetof(solve_options, cone),
   "contact problems: exact, or polyhedral: the plain cone with facets, for auto and mlcp-... (default: exact)",
   cone_words},
  {"facets", 0, CLI_COUNT, "N", offsetof(solve_options, facets),
   "contact problems by mlcp-...: friction directions of a spatial contact, even (default: 4)", NULL},
  {"cone-align", 0, CLI_CHOICE, "ON|OFF", offsetof(solve_options, cone_free),
   "with --cone polyhedral: lay one friction direction against the sliding velocity: on, off (default: on)",
   align_words},
  {"cone-angle", 0, CLI_DOUBLE, "DEG", offsetof(solve_options, cone_angle),
   "with --cone-align off: angle of the first friction direction from T1, degrees (default: 0)", NULL},
  {"max-iter", 0, CLI_COUNT, "N", offsetof(solve_options, max_iter),
   "pivots or iterations allowed (default: each solver's own limit)", NULL},
  {"repeat", 0, CLI_COUNT, "N", offsetof(solve_options, repeat),
   "solve N times and tell the median time (default: 1; in a table 5, if that is quick)", NULL},
  {"all", 0, CLI_FLAG, NULL, offsetof(solve_options, all), "print every unknown, also of a large problem", NULL},
  {"certify", 0, CLI_FLAG, NULL, offsetof(solve_options, certify),
   "compute the residual once more, by other code and with twice the digits", NULL},
  {"save", 0, CLI_STRING, "FILE", offsetof(solve_options, save),
   "do not solve: write the problem to FILE, as JSON (.json) or FCLIB (.hdf5, .h5; contact problems)", NULL},
  {"json", 0, CLI_FLAG, NULL, offsetof(solve_options, json), "print one JSON object", NULL},
  {0},
};

const cli_command cli_solve_command = {
  .name = "solve", .operands = "FILE", .min_operands = 1, .max_operands = 1,
  .summary = "solve a complementarity problem, also a mixed one, or a contact problem",
  .purpose = "Finds x and y with y = A x + b, x >= 0, y >= 0, x.y = 0 for a JSON file "
             "{\"type\": \"lcp\", \"A\": [[...]], \"b\": [...]}; or z and w = A z + b for "
             "{\"type\": \"mlcp\", \"A\", \"b\", \"lower\": [...], \"upper\": [...]}, null being an infinite bound: "
             "w = 0 between the bounds, w >= 0 at the lower and w <= 0 at the upper one. The residual is the relative "
             "change of the data that would make the solution exact. If no solution is found, the ray on which the "
             "method ended is printed and the exit status is 3. Contact problems with Coulomb friction, "
             "{\"type\": \"contact\", \"dim\": 3, \"G\": [[...]], \"b\": [...], \"mu\": [...]} or FCLIB files "
             "in HDF5, are solved for the exact cone; their residual is the largest violation of the law, "
             "as a velocity relative to b. \"sets\" (ellipses, polygons) are honoured by auto, mlcp-... and mncp-...; "
             "\"slide\" (contacts that slide already, accelerations) by the solvers of LCPs. "
             "--solver all shows what every solver makes of the problem, and for an LCP with at most 12 unknowns how "
             "many solutions it has; the exit status is 1 if only some solvers met the "
             "tolerance. docs/problem-files.md describes all files.",
  .options = options,
  .examples = "  stickslip solve problem.json\n"
              "  stickslip solve problem.json --solver all\n"
              "  stickslip solve problem.json --solutions\n"
              "  stickslip solve problem.json --repeat 1000 --json\n"
              "  stickslip solve contact.hdf5 --solver newton\n"
              "  stickslip solve contact.hdf5 --solver all --repeat 20\n"
              "  stickslip solve contact.hdf5 --save contact.json\n"
              "  stickslip solve contact.hdf5 --solver mlcp-path --cone polyhedral --facets 8\n"
              "  stickslip solve contact.h5 --cone polyhedral --cone-align off --cone-angle 45\n"
              "  stickslip solve examples/anisotropic.json\n"
              "  stickslip solve examples/painleve-two.json --solutions\n",
  .main = cli_solve,
};

// A problem, its answer, and how long it took.
typedef struct solve_result {
  const ss_problem* problem;
  ss_lcp_solution s;
  ss_status status;
  double seconds;  // median
  double certified;  // residual; NaN if not asked for
  double* memory;    // x, y, ray
} solve_result;

double cli_radians(double degrees) { return remainder(degrees, 360)*(3.14159265358979323846/180); }

int cli_iteration_limit(const solve_options* o) { return o->max_iter > 1000000000 ? 1000000000 : (int)o->max_iter; }

// Solves `repeat` times; false if memory is short.
static bool solve(const solve_options* o, int solver, solve_result* r)
{
  int n = r->problem->lcp.n;
  ss_lcp_def def = ss_lcp_def_default();
  if (o->tol > 0) def.tol = o->tol;
  def.max_iter = cli_iteration_limit(o);
  def.solver = (ss_lcp_solver)solver;
  ss_arena* arena = ss_arena_create(ss_lcp_size(&r->problem->lcp));
  double* time = malloc(sizeof(double)*(size_t)o->repeat);
  r->memory = calloc(3*(size_t)n + 1, sizeof(double));
  bool ok = arena && time && r->memory;
  if (ok) {
    r->s = (ss_lcp_solution){.x = r->memory, .y = r->memory + n, .ray = r->memory + 2*n};
    for (long i = 0; i < o->repeat; i++) {
      double start = cli_seconds();
      r->status = ss_lcp_solve(&r->problem->lcp, &def, arena, &r->s);
      time[i] = cli_seconds() - start;
    }
    r->seconds = cli_median(time, o->repeat);
  }
  free(time);
  ss_arena_destroy(arena);
  return ok;
}

const char* cli_verdict(ss_status status)
{
  switch (status) {
    case SS_OK: return "solved";
    case SS_RAY: return "no solution found: the method ended on a ray";
    case SS_NOT_CONVERGED: return "not solved: iteration limit reached";
    case SS_INACCURATE: return "not solved: the residual is above the tolerance";
    case SS_ERR_CAPACITY: return "not solved: the problem is too large for this solver";
    case SS_ERR_NUMERIC: return "not solved: the numbers are so large that their sums overflow";  // the file is finite
    default: return ss_status_text(status);
  }
}

const char* cli_keyword(ss_status status)
{
  switch (status) {
    case SS_OK: return "solved";
    case SS_RAY: return "ray";
    case SS_NOT_CONVERGED: return "not_converged";
    case SS_INACCURATE: return "inaccurate";
    default: return "failed";
  }
}

int cli_solve_exit(ss_status status)
{
  if (status == SS_OK) return CLI_DONE;
  if (status == SS_RAY || status == SS_ERR_CAPACITY) return CLI_FAILED;
  return status > 0 ? CLI_MISSED : cli_exit_status(status);
}

static bool print_unknowns(const solve_options* o, const solve_result* r)
{
  int n = r->problem->lcp.n, shown = o->all || n <= CLI_SHOWN ? n : CLI_SHOWN;
  bool ray = r->status == SS_RAY;
  cli_table table = cli_table_create(ray ? "rr" : "rrr");
  cli_table_cell(&table, "i");
  if (ray) cli_table_cell(&table, "ray");
  else {
    cli_table_cell(&table, "x");
    cli_table_cell(&table, "y");
  }
  for (int i = 0; i < shown; i++) {
    cli_table_cell(&table, "%d", i + 1);
    if (ray) cli_table_cell(&table, "%.10g", r->s.ray[i]);
    else {
      cli_table_cell(&table, "%.10g", r->s.x[i]);
      cli_table_cell(&table, "%.10g", r->s.y[i]);
    }
  }
  if (!cli_table_print(&table, 0)) return false;
  if (shown < n) printf("... %d more; --all prints them\n", n - shown);
  return true;
}

static int print_text(const solve_options* o, const solve_result* r)
{
  if (*r->problem->name) printf("problem   %s\n", r->problem->name);
  printf("unknowns  %d\n", r->problem->lcp.n);
  printf("status    %s\n", r->s.infeasible ? CLI_PROVED : cli_verdict(r->status));
  if (r->status >= 0) {
    printf("residual  %.2e\n", r->s.residual);
    if (o->certify) cli_certificate_print(r->s.residual, r->certified);
    printf("solver    %s\n", ss_lcp_solver_name(r->s.solver));
    bool lemke = r->s.solver == SS_LCP_LEMKE;
    printf("%s %d (%d %s%s)\n", lemke ? "pivots   " : "iterations", r->s.iterations, r->s.attempts,
           lemke ? "covering vector" : "start", cli_s(r->s.attempts));
    printf("time      %.3g us%s\n", 1e6*r->seconds, o->repeat > 1 ? ", median" : "");
    if (!cli_print_attempts(&r->s.log)) return cli_out_of_memory();
    if (r->problem->lcp.n && !print_unknowns(o, r)) return cli_out_of_memory();
  }
  return cli_solve_exit(r->status);
}

static int print_json(const solve_options* given, const solve_result* r)
{
  cJSON* o = cJSON_CreateObject();
  int n = r->problem->lcp.n;
  cJSON_AddStringToObject(o, "type", "lcp");
  cJSON_AddStringToObject(o, "name", r->problem->name);
  cJSON_AddNumberToObject(o, "n", n);
  cli_solve_warnings(o, r->problem);
  cJSON_AddStringToObject(o, "status", cli_keyword(r->status));
  if (r->status >= 0) {
    cli_json_number(o, "residual", r->s.residual);
    if (given->certify) cli_certificate_json(o, r->s.residual, r->certified);
    cJSON_AddNumberToObject(o, "iterations", r->s.iterations);
    cJSON_AddNumberToObject(o, "attempts", r->s.attempts);
    cJSON_AddStringToObject(o, "solver", ss_lcp_solver_name(r->s.solver));
    cli_json_number(o, "seconds", r->seconds);
    cli_json_attempts(o, &r->s.log);
    cli_json_numbers(o, "x", n, r->s.x);
    cli_json_numbers(o, "y", n, r->s.y);
    if (r->status == SS_RAY) {
      cJSON_AddBoolToObject(o, "infeasible", r->s.infeasible);
      cli_json_numbers(o, "ray", n, r->s.ray);
    }
  }
  int printed = cli_print_json(o);
  return printed == CLI_DONE ? cli_solve_exit(r->status) : printed;
}

static int solve_lcp(const solve_options* o, int solver, const ss_problem* problem)
{
  solve_result r = {.problem = problem, .certified = NAN};
  int status = CLI_DONE;
  if (!solve(o, solver, &r)) status = cli_out_of_memory();
  else {
    if (o->certify && r.status >= 0) r.certified = ss_lcp_certify(&problem->lcp, r.s.x);
    status = o->json ? print_json(o, &r) : print_text(o, &r);
    status = cli_certificate_exit(status, r.certified, o->tol > 0 ? o->tol : ss_lcp_def_default().tol);
  }
  free(r.memory);
  return status;
}

// ---- which solver ----

static int refuse(const char* name, cli_class class)
{
  for (int c = 0; c < CLI_CLASSES; c++)
    if (cli_solver_find((cli_class)c, name) >= 0)
      return cli_usage(&cli_solve_command, "--solver %s is for %s; this is one of the %s", name,
                       cli_class_plural((cli_class)c), cli_class_plural(class));
  return CLI_BAD_INPUT;
}

// A law that the solver asked for cannot honour is never ignored
static int refuse_law(const char* name, const cli_task* task)
{
  char list[256] = "";
  for (int k = 0, n = 0; k < cli_task_solver_count(task); k++)
    n += snprintf(list + n, sizeof list - (size_t)n, "%s%s", k ? ", " : "", cli_task_solver_name(task, k));
  return cli_usage(&cli_solve_command, "--solver %s cannot honour the \"%s\" of this problem; these can: %s", name,
                   task->law == CLI_SETS ? "sets" : "slide", list);
}

// --cone and --facets, before anything is solved. CLI_GO_ON or the exit status.
static int check_cone(const solve_options* o, cli_class class, const char* solver)
{
  if (o->cone_free && !o->cone) return cli_usage(&cli_solve_command, "--cone-align is for --cone polyhedral");
  if (o->cone_angle != 0 && !o->cone_free)
    return cli_usage(&cli_solve_command, "--cone-angle is for --cone polyhedral with --cone-align off");
  bool facets = strncmp(solver, "mlcp-", 5) == 0;
  if ((o->cone || o->facets) && class != CLI_CONTACT)
    return cli_usage(&cli_solve_command, "--cone and --facets are for contact problems");
  if (o->facets && (o->facets < 4 || o->facets%2 || o->facets > 1000))
    return cli_usage(&cli_solve_command, "--facets is an even number from 4 to 1000");
  if (o->facets && !facets && !o->cone)
    return cli_usage(&cli_solve_command, "--facets is for --solver mlcp-... or --cone polyhedral");
  if (o->cone && o->certify)
    return cli_usage(&cli_solve_command, "--certify is about the exact cone, not about --cone polyhedral");
  if (o->cone && !facets && strcmp(solver, "auto") != 0)
    return cli_usage(&cli_solve_command, "--cone polyhedral is for --solver auto and mlcp-..., not %s", solver);
  return CLI_GO_ON;
}

// auto begins with the LCP where there are few rows in the plane, as cli_task_solve() does
static int solve_contact(const solve_options* o, const cli_task* task, ss_friction_method method)
{
  ss_attempt_log tried = {0};
  int status = CLI_GO_ON;
  if (method == SS_FRICTION_AUTO && !o->cone && cli_takes_lcp(task) && task->n <= CLI_FEW_ROWS)
    status = cli_solve_planar(o, task, SS_LCP_AUTO, &tried);
  return status == CLI_GO_ON ? cli_solve_contact(o, task, method, &tried) : status;
}

// An LCP is taken as a mixed problem if the solver asked for is for those
static int solve_by(solve_options* o, cli_task* task, int k)
{
  int number;
  cli_class home = cli_solver_home(task->class, k, &number);
  if (o->repeat == 0) o->repeat = 1;
  if (home == CLI_LCP) return solve_lcp(o, number, task->problem);
  if (home == CLI_CONTACT) return solve_contact(o, task, (ss_friction_method)number);
  return cli_task_mix(task) ? cli_solve_compare(o, task, number, 1) : cli_out_of_memory();
}

// A solver of LCPs for a contact problem; that auto is one only where contacts slide already
static bool wants_lcp(const char* name, const cli_task* task, ss_lcp_solver* solver)
{
  if (task->class != CLI_CONTACT || task->law == CLI_SETS || !ss_lcp_solver_find(name, solver)) return false;
  return task->law == CLI_SLIDING || *solver != SS_LCP_AUTO;
}

static int solve_planar(solve_options* o, const cli_task* task, ss_lcp_solver solver)
{
  const ss_friction_problem* p = &task->contact;
  const char* name = ss_lcp_solver_name(solver);
  if (!cli_is_planar(p))
    return cli_usage(&cli_solve_command, "--solver %s is for LCPs and planar contact problems; this one is spatial",
                     name);
  if (p->kappa > 0)
    return cli_usage(&cli_solve_command, "--solver %s solves the rigid law; this problem has a compliance kappa", name);
  if (o->repeat == 0) o->repeat = 1;
  return cli_solve_planar(o, task, solver, NULL);
}

static int solve_task(solve_options* o, cli_task* task)
{
  const char* name = cli_solver_words[o->solver];
  int status = check_cone(o, task->class, name);
  if (status != CLI_GO_ON) return status;
  if (task->law == CLI_SETS && o->certify)
    return cli_usage(&cli_solve_command, "--certify does not know the law of \"sets\"; the residual is computed "
                     "apart from the solver in any case");
  if (task->law == CLI_SLIDING && (o->cone || o->facets))
    return cli_usage(&cli_solve_command, "--cone and --facets are not for problems with \"slide\"");
  if (strcmp(name, "all") == 0) return cli_solve_compare(o, task, 0, cli_task_solver_count(task));
  ss_lcp_solver lcp;
  if (wants_lcp(name, task, &lcp)) return solve_planar(o, task, lcp);
  int k = cli_task_solver_find(task, name);
  if (k < 0) return task->law == CLI_COULOMB ? refuse(name, task->class) : refuse_law(name, task);
  return task->law == CLI_SETS ? cli_solve_sets(o, task, k) : solve_by(o, task, k);
}

static int solve_all_solutions(const solve_options* o, const cli_task* task)
{
  if (o->cone || o->facets || o->certify || o->cone_free || o->cone_angle != 0)
    return cli_usage(&cli_solve_command, "--cone, --facets and --certify do not go with --solutions");
  if (strcmp(cli_solver_words[o->solver], "auto") != 0 || o->max_iter || o->repeat)
    return cli_usage(&cli_solve_command, "--solver, --max-iter and --repeat do not go with --solutions, which looks at "
                     "all combinations of states");
  if (task->class == CLI_CONTACT) {
    if (!cli_is_planar(&task->contact))
      return cli_usage(&cli_solve_command, "--solutions is for planar contact problems; this one is spatial");
    if (task->contact.n_contact > SS_CONTACT_ENUMERATE_MAX)
      return cli_usage(&cli_solve_command, "--solutions is for at most %d contacts", SS_CONTACT_ENUMERATE_MAX);
    return cli_solve_states(o, task);
  }
  if (o->form >= 0) return cli_usage(&cli_solve_command, "--form is for planar contact problems");
  if (task->class != CLI_LCP || task->n > SS_LCP_ENUMERATE_MAX)
    return cli_usage(&cli_solve_command, "--solutions is for LCPs with at most %d unknowns and planar contacts",
                     SS_LCP_ENUMERATE_MAX);
  return cli_solve_solutions(o, task->problem);
}

// ---- warnings, saving ----

static void print_warnings(const char* path, const ss_problem* problem)
{
  const char* line = problem->warnings;
  while (*line) {
    int length = (int)strcspn(line, "\n");
    cli_warn("%s: %.*s", path, length, line);
    line += length + (line[length] == '\n');
  }
}

void cli_solve_warnings(cJSON* object, const ss_problem* problem)
{
  const char* line = problem->warnings;
  if (!*line) return;
  cJSON* list = cJSON_AddArrayToObject(object, "warnings");
  while (*line) {
    char text[512];
    size_t length = strcspn(line, "\n");
    snprintf(text, sizeof text, "%.*s", (int)length, line);
    cli_json_append(list, cJSON_CreateString(text));
    line += length + (line[length] == '\n');
  }
}

static int save(const solve_options* o, const char* from, const cli_task* task)
{
  ss_error error = {0};
  if (cli_same_file(from, o->save))
    return cli_usage(&cli_solve_command, "--save %s is the file that is read", o->save);
  if (cli_is_hdf5(o->save))
    return cli_usage(&cli_solve_command, "--save %s would replace an HDF5 file; remove it or choose another name",
                     o->save);
  if (ss_problem_save(task->problem, o->save, &error) < 0) return cli_fail(&error);
  if (!o->json) {
    printf("%s written\n", o->save);
    return CLI_DONE;
  }
  cJSON* object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "type", cli_class_keyword(task->class));
  cJSON_AddStringToObject(object, "name", task->name);
  cJSON_AddStringToObject(object, "saved", o->save);
  cli_solve_warnings(object, task->problem);
  return cli_print_json(object);
}

int cli_solve(int argc, char** argv)
{
  solve_options o = {.form = -1};
  int n_operands;
  int status = cli_parse(&cli_solve_command, argc, argv, &o, &n_operands);
  if (status != CLI_GO_ON) return status;
  if (o.form >= 0 && !o.solutions) return cli_usage(&cli_solve_command, "--form goes with --solutions");
  if (o.kappa > 0 && o.save) return cli_usage(&cli_solve_command, "--kappa does not go with --save");
  if (o.repeat > 10000000) return cli_usage(&cli_solve_command, "--repeat is at most 10000000");
  ss_error error = {0};
  cli_task task;
  if (!cli_task_load(argv[1], &task, &error)) return cli_fail(&error);
  print_warnings(argv[1], task.problem);
  if (o.kappa > 0 && task.class != CLI_CONTACT) {
    status = cli_usage(&cli_solve_command, "--kappa is for contact problems; this is one of the %s",
                       cli_class_plural(task.class));
    cli_task_free(&task);
    return status;
  }
  if (o.kappa > 0 && task.class == CLI_CONTACT) task.contact.kappa = o.kappa;
  if (o.save) status = save(&o, argv[1], &task);
  else if (task.law == CLI_SLIDING && task.contact.kappa > 0)
    status = cli_usage(&cli_solve_command, "\"slide\" goes with the rigid law only; this problem has kappa > 0");
  else status = o.solutions ? solve_all_solutions(&o, &task) : solve_task(&o, &task);
  cli_task_free(&task);
  return status;
}
