// Reads a problem of any class and times its solvers. The residual that decides is computed from the problem alone.
#include "task.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "progress.h"

// ---- reading ----

bool cli_task_load(const char* path, cli_task* task, ss_error* error)
{
  *task = (cli_task){.problem = ss_problem_load(path, error)};
  const ss_problem* p = task->problem;
  if (!p) return false;
  task->name = p->name;
  task->mixed = p->mlcp;
  switch (p->type) {
    case SS_PROBLEM_LCP: task->class = CLI_LCP, task->n = p->lcp.n; return true;
    case SS_PROBLEM_MLCP: task->class = CLI_MLCP, task->n = p->mlcp.n; return true;
    case SS_PROBLEM_CONTACT: break;
  }
  task->class = CLI_CONTACT;
  task->n = ss_friction_rows(&p->contact);
  task->law = ss_problem_has_sets(p) ? CLI_SETS : ss_problem_has_slide(p) ? CLI_SLIDING : CLI_COULOMB;
  task->contact = p->contact;
  return true;
}

void cli_task_free(cli_task* task)
{
  ss_friction_solver_destroy(task->solver);
  ss_problem_destroy(task->problem);
  ss_arena_destroy(task->arena);
  cli_dense_free(&task->dense);
  free(task->bounds);
  *task = (cli_task){0};
}

// An LCP is an MLCP with the bounds 0 and infinity
static bool mix(cli_task* task)
{
  if (task->class != CLI_LCP || task->bounds) return true;
  const ss_lcp* lcp = &task->problem->lcp;
  double* bounds = task->bounds = calloc(2*(size_t)lcp->n + 1, sizeof(double));
  if (!bounds) return false;
  for (int i = 0; i < lcp->n; i++) bounds[lcp->n + i] = INFINITY;
  task->mixed =
    (ss_mlcp){.n = lcp->n, .A = lcp->A, .b = lcp->b, .lower = bounds, .upper = bounds + lcp->n, .S = lcp->S};
  return true;
}

bool cli_task_mix(cli_task* task)
{
  if (!mix(task)) return false;
  task->class = CLI_MLCP;
  return true;
}

static size_t scratch_size(const cli_task* task)
{
  size_t mixed = ss_mlcp_size(&task->mixed), lcp = task->class == CLI_LCP ? ss_lcp_size(&task->problem->lcp) : 0;
  return mixed > lcp ? mixed : lcp;
}

bool cli_task_prepare(cli_task* task, ss_error* error)
{
  double start = cli_seconds();
  if (task->law != CLI_COULOMB) {
    task->preparation = 0;
    return cli_dense_make(task, &task->dense, error);
  }
  if (cli_takes_lcp(task) && !cli_dense_make(task, &task->dense, error)) return false;
  if (task->class == CLI_CONTACT) task->solver = ss_friction_solver_create(&task->contact, error);
  else {
    task->arena = mix(task) ? ss_arena_create(scratch_size(task)) : NULL;
    if (!task->arena) ss_error_set(error, SS_ERR_MEMORY, "not enough memory");
  }
  task->preparation = cli_seconds() - start;
  return task->solver || task->arena;
}

// ---- solvers ----

bool cli_is_planar(const ss_friction_problem* p)
{
  if (!p->kind) return p->dim == 2;
  for (int i = 0; i < p->n_contact; i++)
    if (p->kind[i] == SS_CONTACT_SPATIAL) return false;
  return true;
}

bool cli_takes_lcp(const cli_task* task)
{
  enum { MOST = 1500 };  // rows; the work goes with the cube of it
  return task->class == CLI_CONTACT && task->law == CLI_COULOMB && cli_is_planar(&task->contact) &&
         task->contact.kappa == 0 && task->n <= MOST;
}

int cli_task_solver_count(const cli_task* task)
{
  if (task->law == CLI_SETS) return SS_DISSIPATION_METHODS;
  if (task->law == CLI_SLIDING) return SS_LCP_SOLVER_COUNT;
  return cli_solver_count(task->class) + (cli_takes_lcp(task) ? SS_LCP_SOLVER_COUNT - 1 : 0);
}

const char* cli_task_solver_name(const cli_task* task, int k)
{
  if (task->law == CLI_SETS) return ss_dissipation_method_name((ss_dissipation_method)k);
  if (task->law == CLI_SLIDING) return ss_lcp_solver_name((ss_lcp_solver)k);
  bool lcp = task->class == CLI_CONTACT && k >= SS_FRICTION_METHODS;
  return lcp ? ss_lcp_solver_name((ss_lcp_solver)(k - SS_FRICTION_METHODS + 1)) : cli_solver_name(task->class, k);
}

int cli_task_solver_find(const cli_task* task, const char* name)
{
  for (int k = 0; k < cli_task_solver_count(task); k++)
    if (strcmp(cli_task_solver_name(task, k), name) == 0) return k;
  return -1;
}

// ---- solving ----

double cli_task_tol(const cli_task* task, const cli_effort* effort)
{
  if (effort->tol > 0) return effort->tol;
  if (task->law == CLI_SETS) return ss_dissipation_def_default().tol;
  if (task->law == CLI_SLIDING) return ss_lcp_def_default().tol;
  if (task->class == CLI_CONTACT) return ss_friction_def_default().tol;
  return task->class == CLI_LCP ? ss_lcp_def_default().tol : ss_mlcp_def_default().tol;
}

// One solve; the outcome lacks only the time
typedef void solve_function(const cli_task* t, int k, const cli_effort* e, double* x, double* y, double* ray,
                            cli_outcome* o);

static void solve_lcp(const cli_task* t, int k, const cli_effort* e, double* x, double* y, double* ray, cli_outcome* o)
{
  ss_lcp_def def = ss_lcp_def_default();
  def.solver = (ss_lcp_solver)k;
  def.tol = cli_task_tol(t, e);
  def.max_iter = e->max_iter;
  ss_lcp_solution s = {.x = x, .y = y, .ray = ray, .residual = NAN};
  o->status = ss_lcp_solve(&t->problem->lcp, &def, t->arena, &s);
  o->residual = s.residual;
  o->iterations = s.iterations;
  o->found_by = ss_lcp_solver_name(s.solver);
  o->infeasible = o->status == SS_RAY && s.infeasible;
  o->tried = s.log;
}

static void solve_mlcp(const cli_task* t, int k, const cli_effort* e, double* x, double* y, double* ray, cli_outcome* o)
{
  ss_mlcp_def def = ss_mlcp_def_default();
  def.solver = (ss_mlcp_solver)k;
  def.tol = cli_task_tol(t, e);
  def.max_iter = e->max_iter;
  ss_mlcp_solution s = {.z = x, .w = y, .ray = ray, .residual = NAN};
  o->status = ss_mlcp_solve(&t->mixed, &def, t->arena, &s);
  o->residual = s.residual;
  o->iterations = s.iterations;
  o->found_by = ss_mlcp_solver_name(s.solver);
  o->infeasible = o->status == SS_RAY && s.infeasible;
  o->tried = s.log;
}

static void solve_friction(const cli_task* t, int k, const cli_effort* e, double* x, double* y, cli_outcome* o)
{
  ss_friction_def def = ss_friction_def_default();
  def.method = (ss_friction_method)k;
  def.tol = cli_task_tol(t, e);
  def.max_iter = e->max_iter;
  ss_friction_solution s = {.Lambda = x, .xi = y, .residual = NAN};
  o->status = ss_friction_solve(t->solver, &def, &s);
  o->residual = s.residual;
  o->iterations = (long)s.sweeps + s.newton + s.ipm + s.admm + s.forms;
  o->found_by = ss_friction_method_name(s.method);
  o->tried = s.log;
}

// Scratch of a method for sets; NULL if it would be too large
static ss_arena* sets_arena(const cli_task* t, const ss_dissipation_def* def)
{
  const size_t most = (size_t)4 << 30;
  ss_polyhedral poly = {.problem = &t->dense.p, .facets = def->facets, .set = t->problem->set};
  if ((size_t)def->facets*(size_t)t->dense.p.n_contact > 100000 || ss_polyhedral_unknowns(&poly) > SS_MAX_ROWS)
    return NULL;
  size_t bytes = ss_dissipation_solve_size(&t->dense.p, t->problem->set, def);
  return bytes <= most ? ss_arena_create(bytes) : NULL;
}

static void solve_sets(const cli_task* t, int k, const cli_effort* e, double* x, double* y, double* ray, cli_outcome* o)
{
  (void)ray;
  ss_dissipation_def def = ss_dissipation_def_default();
  def.method = (ss_dissipation_method)k;
  def.tol = cli_task_tol(t, e);
  def.max_iter = e->max_iter;
  def.polyhedral = e->polyhedral;
  def.cone_fixed = e->cone_fixed;
  def.cone_angle = e->cone_angle;
  if (e->facets) def.facets = e->facets;
  ss_dissipation_solution s = {.Lambda = x, .xi = y, .residual = NAN};
  ss_arena* arena = sets_arena(t, &def);
  o->status = arena ? ss_dissipation_solve(&t->dense.p, t->problem->set, &def, arena, &s) : SS_ERR_CAPACITY;
  o->residual = s.residual;
  o->iterations = s.iterations;
  o->found_by = ss_dissipation_method_name(s.method);
  o->tried = s.log;
  o->mlcp_residual = s.mlcp_residual;
  o->alignments = s.alignments;
  ss_arena_destroy(arena);
}

// A planar problem as an LCP
static void solve_planar(const cli_task* t, int k, const cli_effort* e, double* x, double* y, double* ray,
                         cli_outcome* o)
{
  (void)ray;
  ss_lcp_def def = ss_lcp_def_default();
  def.solver = (ss_lcp_solver)k;
  if (e->tol > 0) def.tol = e->tol;
  def.max_iter = e->max_iter;
  const ss_contact_problem* p = &t->dense.p;
  ss_contact_solution s = {.Lambda = x, .xi = y, .residual = NAN};
  ss_arena* arena = ss_arena_create(ss_contact_solve_size(p->n_bilateral, p->n_contact));
  s.state = calloc((size_t)p->n_contact + 1, sizeof *s.state);
  o->status = arena && s.state ? ss_contact_solve(p, &def, arena, &s) : SS_ERR_MEMORY;
  o->residual = s.residual;
  o->iterations = s.iterations;
  o->found_by = ss_lcp_solver_name((ss_lcp_solver)k);
  free(s.state);
  ss_arena_destroy(arena);
}

// A solver of mixed problems is judged as the others of an LCP are
static void judge_lcp(const cli_task* t, double tol, const double* x, cli_outcome* o)
{
  if (o->status < 0) return;
  o->residual = ss_lcp_residual(&t->problem->lcp, x);
  if (o->residual <= tol) o->status = SS_OK;
  else if (o->status == SS_OK) o->status = SS_INACCURATE;
}

// The solver of a contact problem works on its own copy; what it claims is checked on the problem of the file
static void judge_contact(const cli_task* t, double tol, double* x, double* y, cli_outcome* o)
{
  if (o->status < 0) return;
  if (ss_friction_residual(&t->contact, x, y, &o->residual, NULL) < 0) o->status = SS_ERR_NUMERIC;
  else if (o->residual <= tol) o->status = SS_OK;
  else if (o->status == SS_OK) o->status = SS_INACCURATE;
}

ss_attempt cli_lcp_attempt(ss_status status, double residual, int iterations)
{
  double found = status < 0 ? INFINITY : residual;
  return (ss_attempt){"lemke", "planar, with few rows: as an LCP", found, status, iterations};
}

// One rule for all that is called auto: few rows in the plane as an LCP first, as steps of a run are solved
static void solve_contact_auto(const cli_task* t, const cli_effort* e, double* x, double* y, cli_outcome* o)
{
  ss_attempt_log log = {0};
  if (t->dense.memory && t->n <= CLI_FEW_ROWS) {
    solve_planar(t, SS_LCP_AUTO, e, x, y, NULL, o);
    judge_contact(t, cli_task_tol(t, e), x, y, o);
    ss_attempt_add(&log, cli_lcp_attempt(o->status, o->residual, (int)o->iterations));
    o->found_by = "lemke";
    o->tried = log;
    if (o->status == SS_OK) return;
  }
  solve_friction(t, SS_FRICTION_AUTO, e, x, y, o);
  for (int k = 0; k < ss_attempts_listed(&o->tried); k++) ss_attempt_add(&log, o->tried.attempt[k]);
  o->tried = log;
}

static void solve_contact(const cli_task* t, int k, const cli_effort* e, double* x, double* y, double* ray,
                          cli_outcome* o)
{
  if (k >= SS_FRICTION_METHODS) solve_planar(t, k - SS_FRICTION_METHODS + 1, e, x, y, ray, o);
  else if (k == SS_FRICTION_AUTO) solve_contact_auto(t, e, x, y, o);
  else solve_friction(t, k, e, x, y, o);
}

// The other laws have residuals of their own. A polyhedral law is not that of the file: there the MLCP decides.
static void judge_law(const cli_task* t, const cli_effort* e, const double* x, cli_outcome* o)
{
  if (o->status < 0) return;
  bool sets = t->law == CLI_SETS;
  o->residual = sets ? ss_dissipation_residual(&t->dense.p, t->problem->set, x) : ss_contact_residual(&t->dense.p, x);
  if (o->status == SS_OK && !e->polyhedral && !(o->residual <= cli_task_tol(t, e))) o->status = SS_INACCURATE;
}

static int by_size(const void* a, const void* b)
{
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

double cli_median(double* values, long count)
{
  qsort(values, (size_t)count, sizeof *values, by_size);
  return values[count/2];
}

static double processor_seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9*(double)now.tv_nsec;
}

// The function that solves by solver k of the task, and its number there
static solve_function* function_of(const cli_task* task, int k, int* number)
{
  static solve_function* const solve[CLI_CLASSES] = {solve_lcp, solve_mlcp, solve_contact};
  *number = k;
  if (task->law != CLI_COULOMB) return task->law == CLI_SETS ? solve_sets : solve_planar;
  return solve[cli_solver_home(task->class, k, number)];
}

static void judge(const cli_task* task, const cli_effort* effort, cli_class home, double* x, double* y, cli_outcome* o)
{
  if (task->law != CLI_COULOMB) judge_law(task, effort, x, o);
  else if (home != task->class) judge_lcp(task, cli_task_tol(task, effort), x, o);
  else if (home == CLI_CONTACT) judge_contact(task, cli_task_tol(task, effort), x, y, o);
  if (o->status < 0) o->residual = NAN;
}

bool cli_task_solve(const cli_task* task, int k, const cli_effort* effort, double* x, double* y, double* ray,
                    cli_outcome* outcome)
{
  double* time = malloc(sizeof(double)*(size_t)effort->repeat);
  if (!time) return false;
  *outcome = (cli_outcome){.solver = cli_task_solver_name(task, k), .solutions = CLI_NOT_COUNTED};
  int number;
  solve_function* solve = function_of(task, k, &number);
  double (*const clock_of)(void) = effort->cpu ? processor_seconds : cli_seconds;
  double began = clock_of(), now = began;
  long done = 0;
  do {
    double start = now;
    solve(task, number, effort, x, y, ray, outcome);
    now = clock_of();
    time[done++] = now - start;
  } while (done < effort->repeat && (effort->seconds == 0 || now - began < effort->seconds));
  outcome->seconds = cli_median(time, done);
  free(time);
  int unused;
  judge(task, effort, task->law == CLI_COULOMB ? cli_solver_home(task->class, k, &unused) : CLI_CONTACT, x, y, outcome);
  return true;
}

// ---- all solutions ----

static void take_first(const ss_lcp* lcp, const ss_lcp_solutions* all, double* x, double* y)
{
  size_t n = (size_t)lcp->n;
  memcpy(x, all->pieces[0].vertices, n*sizeof(double));
  for (size_t i = 0; i < n; i++) {
    y[i] = lcp->b[i];
    for (size_t j = 0; j < n; j++) y[i] += lcp->A[i*n + j]*x[j];
  }
}

bool cli_task_enumerate(const cli_task* task, const cli_effort* effort, double* x, double* y, cli_outcome* outcome)
{
  const ss_lcp* lcp = &task->problem->lcp;
  ss_lcp_def def = ss_lcp_def_default();
  ss_lcp_solutions* all = NULL;
  def.tol = cli_task_tol(task, effort);
  double start = cli_seconds();
  ss_status status = ss_lcp_enumerate(lcp, &def, &all);
  *outcome = (cli_outcome){.solver = "enumerate", .found_by = "enumerate", .status = status, .residual = NAN,
                           .seconds = cli_seconds() - start, .solutions = CLI_NOT_COUNTED};
  if (status < 0) return status != SS_ERR_MEMORY;
  if (all->n_pieces) {
    take_first(lcp, all, x, y);
    outcome->residual = ss_lcp_residual(lcp, x);
  }
  else outcome->status = all->complete ? SS_RAY : SS_NOT_CONVERGED;
  if (all->count == SS_LCP_INFINITE) outcome->solutions = CLI_INFINITELY_MANY;
  else if (all->complete) outcome->solutions = all->n_pieces;
  ss_lcp_solutions_destroy(all);
  return true;
}
