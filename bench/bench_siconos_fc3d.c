// Our `auto` beside the solvers of Siconos (Debian package libsiconos-numerics-dev) for spatial contact problems with
// Coulomb friction: bench_siconos_fc3d [-v] [FILE...]; without files those of the data set that are largest or best
// known.
//
// Both have to reach our residual of 1e-8. Siconos stops by its own error, so each of its solvers gets the loosest of
// several tolerances that is enough. Its solvers run in processes of their own, for at most LIMIT seconds; the fastest
// then takes turns with ours. Times are processor times.
#include "apart.h"
#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <GlobalFrictionContactProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsSparseMatrix.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>
#include <math.h>
#include <stickslip/problem.h>
#include <string.h>

enum { TURNS = 11, LIMIT = 5 };
static const double wanted = 1e-8;

typedef enum storage { DENSE, BLOCK, SPARSE, GLOBAL } storage;

static const struct { int id; storage storage; const char* name; } theirs[] = {
  {SICONOS_FRICTION_3D_NSGS, BLOCK, "NSGS, blocks"},       {SICONOS_FRICTION_3D_NSGS, DENSE, "NSGS, dense"},
  {SICONOS_FRICTION_3D_NSGSV, BLOCK, "NSGSV, blocks"},     {SICONOS_FRICTION_3D_PROX, SPARSE, "PROX, sparse"},
  {SICONOS_FRICTION_3D_PROX, DENSE, "PROX, dense"},        {SICONOS_FRICTION_3D_TFP, BLOCK, "TFP, blocks"},
  {SICONOS_FRICTION_3D_DSFP, BLOCK, "DSFP, blocks"},       {SICONOS_FRICTION_3D_HP, BLOCK, "HP, blocks"},
  {SICONOS_FRICTION_3D_EG, BLOCK, "EG, blocks"},           {SICONOS_FRICTION_3D_FPP, BLOCK, "FPP, blocks"},
  {SICONOS_FRICTION_3D_VI_EG, BLOCK, "VI_EG, blocks"},     {SICONOS_FRICTION_3D_VI_FPP, BLOCK, "VI_FPP, blocks"},
  {SICONOS_FRICTION_3D_ACLMFP, BLOCK, "ACLMFP, blocks"},   {SICONOS_FRICTION_3D_SOCLCP, BLOCK, "SOCLCP, blocks"},
  {SICONOS_FRICTION_3D_NSN_AC, SPARSE, "NSN_AC, sparse"},  {SICONOS_FRICTION_3D_NSN_AC, DENSE, "NSN_AC, dense"},
  {SICONOS_FRICTION_3D_NSN_FB, SPARSE, "NSN_FB, sparse"},  {SICONOS_FRICTION_3D_NSN_NM, SPARSE, "NSN_NM, sparse"},
  {SICONOS_FRICTION_3D_ADMM, SPARSE, "ADMM, sparse"},
  {SICONOS_GLOBAL_FRICTION_3D_NSGS_WR, GLOBAL, "global NSGS_WR"},
  {SICONOS_GLOBAL_FRICTION_3D_NSN_AC_WR, GLOBAL, "global NSN_AC_WR"},
  {SICONOS_GLOBAL_FRICTION_3D_NSN_AC, GLOBAL, "global NSN_AC"},
  {SICONOS_GLOBAL_FRICTION_3D_ADMM, GLOBAL, "global ADMM"}, {SICONOS_GLOBAL_FRICTION_3D_IPM, GLOBAL, "global IPM"},
};
enum { N_THEIRS = sizeof theirs/sizeof *theirs };

// What is measured; in memory shared with the child
typedef struct job {
  const ss_friction_problem* p;
  int solver;              // of theirs
  double tol;              // that Siconos needs
  double residual, time;   // of its solver, ours
  double mine_residual;
  int turns;
  double yours_time[TURNS], mine_time[TURNS], create_time[TURNS];
} job;

// ---- Siconos ----

static NumericsMatrix* sparse_matrix(const ss_sparse* a)
{
  NumericsMatrix* m = NM_create(NM_SPARSE, a->rows, a->cols);
  NM_triplet_alloc(m, a->start[a->rows]);
  m->matrix2->origin = NSM_TRIPLET;
  for (int i = 0; i < a->rows; i++)
    for (int e = a->start[i]; e < a->start[i + 1]; e++) NM_entry(m, i, a->col[e], a->value[e]);
  return m;
}

static NumericsMatrix* local_matrix(const ss_friction_problem* p, storage s, double* b)
{
  int n = ss_friction_rows(p);
  double* G = malloc(sizeof(double)*(size_t)n*(size_t)n);
  if (!G || ss_friction_dense(p, G, b, NULL) < 0) exit(1);
  if (s == DENSE) {
    NumericsMatrix* m = NM_create(NM_DENSE, n, n);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) m->matrix0[j*n + i] = G[i*n + j];
    return m;
  }
  ss_sparse sparse;
  if (ss_sparse_from_dense(n, n, G, &sparse, NULL) < 0) exit(1);
  NumericsMatrix* m = sparse_matrix(&sparse);
  if (s == SPARSE) return m;
  NumericsMatrix* blocks = NM_create(NM_SPARSE_BLOCK, n, n);
  SBM_from_csparse(3, NM_csc(m), blocks->matrix1);
  return blocks;
}

// A problem of theirs, local or global
typedef struct siconos_problem {
  FrictionContactProblem* local;
  GlobalFrictionContactProblem* global;
} siconos_problem;

static double* copy(const double* x, int n)
{
  double* y = malloc(sizeof(double)*(size_t)n + 1);
  if (!y) exit(1);
  return memcpy(y, x, sizeof(double)*(size_t)n);
}

static siconos_problem make_theirs(const ss_friction_problem* p, storage s)
{
  siconos_problem q = {0};
  int n = ss_friction_rows(p);
  if (s == GLOBAL) {
    GlobalFrictionContactProblem* g = q.global = globalFrictionContactProblem_new();
    g->dimension = 3;
    g->numberOfContacts = p->n_contact;
    g->M = sparse_matrix(&p->M);
    g->H = sparse_matrix(&p->H);
    g->q = copy(p->f, p->M.rows);
    g->b = copy(p->w, n);
    g->mu = copy(p->mu, p->n_contact);
    return q;
  }
  double* b = malloc(sizeof(double)*(size_t)n);
  if (!b) exit(1);
  NumericsMatrix* m = local_matrix(p, s, b);
  q.local = frictionContactProblem_new_with_data(3, p->n_contact, m, b, copy(p->mu, p->n_contact));
  return q;
}

// One solve from zero; seconds
static double solve_theirs(siconos_problem q, int id, double tol, double* r, double* u, double* v, int n, int nv)
{
  SolverOptions* options = solver_options_create(id);
  options->dparam[SICONOS_DPARAM_TOL] = tol;
  options->iparam[SICONOS_IPARAM_MAX_ITER] = 1000000;
  memset(r, 0, sizeof(double)*(size_t)n);
  memset(u, 0, sizeof(double)*(size_t)n);
  memset(v, 0, sizeof(double)*(size_t)nv);
  double start = cpu_now();
  if (q.global) gfc3d_driver(q.global, r, u, v, options);
  else fc3d_driver(q.local, r, u, options);
  double took = cpu_now() - start;
  solver_options_delete(options);
  return took;
}

typedef struct vectors {
  double *r, *u, *v;
  int n, nv;
} vectors;

static vectors make_vectors(const ss_friction_problem* p)
{
  int n = ss_friction_rows(p), nv = p->global ? p->M.rows : 0;
  double* memory = calloc(2*(size_t)n + (size_t)nv + 1, sizeof(double));
  if (!memory) exit(1);
  return (vectors){memory, memory + n, memory + 2*n, n, nv};
}

// The loosest tolerance with which the solver reaches ours
static void try_theirs(void* user)
{
  static const double tolerances[] = {1e-6, 1e-8, 1e-10, 1e-12, 1e-14};
  job* j = user;
  siconos_problem q = make_theirs(j->p, theirs[j->solver].storage);
  vectors w = make_vectors(j->p);
  for (size_t i = 0; i < sizeof tolerances/sizeof *tolerances; i++) {
    double residual = INFINITY;
    double took = solve_theirs(q, theirs[j->solver].id, tolerances[i], w.r, w.u, w.v, w.n, w.nv);
    ss_friction_residual(j->p, w.r, NULL, &residual, NULL);
    if (residual < j->residual) j->residual = residual;
    if (!(residual <= wanted)) continue;
    j->tol = tolerances[i];
    j->time = took;
    for (int k = 0; k < 2 && took < 0.5; k++)
      j->time = fmin(j->time, solve_theirs(q, theirs[j->solver].id, j->tol, w.r, w.u, w.v, w.n, w.nv));
    return;
  }
}

// ---- ours, and both in turn ----

static void solve_ours(job* j, vectors w)
{
  ss_friction_def def = ss_friction_def_default();
  ss_friction_solution s = {.Lambda = w.r, .xi = w.u};
  def.tol = wanted;
  double start = cpu_now();
  ss_friction_solver* solver = ss_friction_solver_create(j->p, NULL);
  double made = cpu_now();
  if (!solver) exit(1);
  ss_friction_solve(solver, &def, &s);
  j->mine_time[j->turns] = cpu_now() - made;
  j->create_time[j->turns] = made - start;
  ss_friction_solver_destroy(solver);
  ss_friction_residual(j->p, w.r, NULL, &j->mine_residual, NULL);
}

static void take_turns(void* user)
{
  job* j = user;
  vectors w = make_vectors(j->p);
  siconos_problem q = {0};
  if (j->solver >= 0) q = make_theirs(j->p, theirs[j->solver].storage);
  for (int k = 0; k < TURNS; k++) {
    solve_ours(j, w);
    if (j->solver >= 0)
      j->yours_time[k] = solve_theirs(q, theirs[j->solver].id, j->tol, w.r, w.u, w.v, w.n, w.nv);
    j->turns = k + 1;
  }
}

// ---- the table ----

// The fastest of theirs that reaches the residual, with its tolerance in j; -1 if none does
static int choose(const ss_friction_problem* p, job* j, bool details)
{
  int best = -1;
  double time = INFINITY, tol = 0;
  for (int t = 0; t < N_THEIRS; t++) {
    if (theirs[t].storage == GLOBAL && !p->global) continue;
    *j = (job){.p = p, .solver = t, .residual = INFINITY};
    bool ended = run_apart(try_theirs, j, LIMIT);
    if (details)
      printf("    %-20s %-10s residual %8.1e  tol %7.0e %10.3f ms %s\n", theirs[t].name, j->tol > 0 ? "solved" : "-",
             j->residual, j->tol, 1e3*j->time, ended ? "" : "ended early");
    if (!(j->tol > 0) || j->time >= time) continue;
    time = j->time;
    tol = j->tol;
    best = t;
  }
  *j = (job){.p = p, .solver = best, .tol = tol};
  return best;
}

static void compare(const char* path, job* j, bool details)
{
  ss_error error;
  ss_problem* file = ss_problem_load(path, &error);
  const char* slash = strrchr(path, '/');
  const char* name = slash ? slash + 1 : path;
  if (!file) {
    printf("%-28.28s left out: %s\n", name, error.text);
    return;
  }
  const ss_friction_problem* p = &file->contact;
  bool spatial = file->type == SS_PROBLEM_CONTACT && p->dim == 3 && !p->kind && !p->n_bilateral;
  if (!spatial) printf("%-28.28s left out: not all contacts are spatial\n", name);
  else {
    int best = choose(p, j, details);
    bool ended = run_apart(take_turns, j, 60);
    double mine = median_of(j->mine_time, j->turns), create = median_of(j->create_time, j->turns);
    double yours = best < 0 ? NAN : median_of(j->yours_time, j->turns);
    printf("%-28.28s %5d %c %9.3f %9.3f %9.3f %9.1e %10.3f %10.3f  %-16s %6.2f %6.2f %6.2f%s\n", name, p->n_contact,
           p->global ? 'g' : 'l', 1e3*mine, 1e3*j->mine_time[0], 1e3*(mine + create), j->mine_residual, 1e3*yours,
           1e3*j->yours_time[0], best < 0 ? "none" : theirs[best].name, yours/mine, yours/(mine + create),
           j->yours_time[0]/j->mine_time[0], ended ? "" : "  (not all turns)");
  }
  fflush(stdout);
  ss_problem_destroy(file);
}

int main(int argc, char** argv)
{
  static const char* const usual[] = {
    "OneObject-i1028-138", "BoxesStack1-i100000-32", "Box_Stacks-i0122-82-5", "Capsules-i100-1090",
    "Capsules-i125-1213", "Spheres-i099-356-679", "CubeH8", "NESpheres_10_1", "Rover4396",
    "Confeti-ex03-Fc3D-SBM", "gen_pyramid4_r1_mu0.3", "gen_graph_k64_r1_mu1",
  };
  bool details = argc > 1 && strcmp(argv[1], "-v") == 0;
  int first = 1 + details;
  job* j = shared_memory(sizeof *j);
  if (!j) return 1;
  printf("%-28s %5s   %9s %9s %9s %9s %10s %10s  %-16s %6s %6s %6s\n", "problem", "k", "auto, ms", "best", "+ create",
         "residual", "Siconos", "best", "by", "ratio", "ratio+", "best");
  for (int i = first; i < argc; i++) compare(argv[i], j, details);
  for (size_t i = 0; first == argc && i < sizeof usual/sizeof *usual; i++) {
    char path[256];
    snprintf(path, sizeof path, "../shared/data/problems/contact/%s.hdf5", usual[i]);
    if (access(path, R_OK) == 0) compare(path, j, details);
    else printf("%-28s left out: %s is not there\n", usual[i], path);
  }
  return 0;
}
