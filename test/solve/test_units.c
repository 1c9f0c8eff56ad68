// Units do not matter: with mass, length or time counted in units a million times larger or smaller, every residual and
// every verdict on the problems of test/data is what it was, up to rounding.
#include "../math/matrices.h"
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <stickslip/friction.h>
#include <stickslip/problem.h>
#include <string.h>
#include <cmocka.h>

// Factors of the numbers that measure mass, length, time
typedef struct units {
  double mass, length, time;
} units;

static const units systems[] = {{1e6, 1, 1}, {1, 1e6, 1}, {1, 1, 1e6}, {1e-6, 1, 1}, {1, 1e-6, 1}, {1, 1, 1e-6}};
enum { SYSTEMS = 6, TRIALS = 5 };

static double velocity(units u) { return u.length/u.time; }
static double impulse(units u) { return u.mass*u.length/u.time; }

// Other numbers of the same digits: residuals of random points differ by rounding in a few terms
static void check_residual(const char* name, double was, double is)
{
  if (!(fabs(is - was) <= 1e-12*was)) fail_msg("%s: residual %.15g was %.15g", name, is, was);
}

static void check_verdict(const char* name, const char* solver, ss_status was, ss_status is, double residual)
{
  if (was != is) fail_msg("%s, %s: %s, was: %s", name, solver, ss_status_text(is), ss_status_text(was));
  if (is == SS_OK && residual > 1e-10) fail_msg("%s, %s: residual %g", name, solver, residual);
}

static void each_file(const char* folder, void (*check)(const char* path, const char* name))
{
  char whole[512], path[1024];
  int files = 0;
  snprintf(whole, sizeof whole, "%s/test/data/%s", SS_SOURCE_DIR, folder);
  DIR* dir = opendir(whole);
  assert_non_null(dir);
  for (struct dirent* entry; (entry = readdir(dir));) {
    const char* dot = strrchr(entry->d_name, '.');
    if (!dot || strcmp(dot, ".json") != 0 || strcmp(entry->d_name, "answers.json") == 0) continue;
    snprintf(path, sizeof path, "%s/%s", whole, entry->d_name);
    check(path, entry->d_name);
    files++;
  }
  closedir(dir);
  assert_true(files >= 10);
}

// ---- LCP ----

// x are impulses and y velocities; but in a planar friction problem x = (Lambda_N, Lambda_R, xi_L), y = (xi_N, xi_R,
// Lambda_L), so that the last third is the other way round
static void lcp_units(const char* name, int n, units u, double* x_unit, double* y_unit)
{
  bool friction = strncmp(name, "gen_fric", 8) == 0;
  for (int i = 0; i < n; i++) {
    bool turned = friction && i >= 2*n/3;
    x_unit[i] = turned ? velocity(u) : impulse(u);
    y_unit[i] = turned ? impulse(u) : velocity(u);
  }
}

static void rescale(int n, const double* A, const double* b, const double* x_unit, const double* y_unit, double* A2,
                    double* b2)
{
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) A2[i*n + j] = A[i*n + j]*(y_unit[i]/x_unit[j]);
    b2[i] = b[i]*y_unit[i];
  }
}

static ss_status solve_lcp(const ss_lcp* lcp, ss_lcp_solver solver, double* x, double* y, double* residual)
{
  ss_lcp_def def = ss_lcp_def_default();
  ss_lcp_solution s = {.x = x, .y = y};
  def.solver = solver;
  ss_arena* arena = ss_arena_create(ss_lcp_size(lcp));
  ss_status status = ss_lcp_solve(lcp, &def, arena, &s);
  ss_arena_destroy(arena);
  *residual = s.residual;
  return status;
}

static void check_lcp(const char* path, const char* name)
{
  ss_problem* p = ss_problem_load(path, NULL);
  assert_non_null(p);
  const ss_lcp* lcp = &p->lcp;
  int n = lcp->n;
  size_t N = (size_t)n;
  double* memory = malloc(sizeof(double)*(N*N + 6*N));
  double *A2 = memory, *b2 = A2 + N*N, *x = b2 + n, *x2 = x + n, *y = x2 + n, *ux = y + n, *uy = ux + n, r;
  ss_lcp other = {.n = n, .A = A2, .b = b2};
  uint64_t seed = 1;
  for (int s = 0; s < SYSTEMS; s++) {
    lcp_units(name, n, systems[s], ux, uy);
    rescale(n, lcp->A, lcp->b, ux, uy, A2, b2);
    for (int c = 0; c < TRIALS; c++) {
      for (int i = 0; i < n; i++) x2[i] = (x[i] = c%2 ? uniform(&seed) : fmax(0, uniform(&seed)))*ux[i];
      check_residual(name, ss_lcp_residual(lcp, x), ss_lcp_residual(&other, x2));
    }
    const ss_lcp_solver solvers[] = {SS_LCP_AUTO, SS_LCP_LEMKE, SS_LCP_BLOCK_PIVOT};
    int count = strstr(name, "spd") ? 3 : 2;  // block pivoting of other matrices meets singular ones: rounding decides
    for (int k = 0; k < count; k++) {
      ss_status was = solve_lcp(lcp, solvers[k], x, y, &r), is = solve_lcp(&other, solvers[k], x2, y, &r);
      check_verdict(name, ss_lcp_solver_name(solvers[k]), was, is, r);
      if (is == SS_OK && r > 1e-13) fail_msg("%s: residual %g", name, r);
    }
  }
  free(memory);
  ss_problem_destroy(p);
}

static void test_lcp(void** state)
{
  (void)state;
  each_file("lcp", check_lcp);
}

// ---- MLCP: z impulses, w velocities ----

static ss_status solve_mlcp(const ss_mlcp* mlcp, double* z, double* w, double* residual)
{
  ss_mlcp_def def = ss_mlcp_def_default();
  ss_mlcp_solution s = {.z = z, .w = w};
  ss_arena* arena = ss_arena_create(ss_mlcp_size(mlcp));
  ss_status status = ss_mlcp_solve(mlcp, &def, arena, &s);
  ss_arena_destroy(arena);
  *residual = s.residual;
  return status;
}

static void check_mlcp(const char* path, const char* name)
{
  ss_problem* p = ss_problem_load(path, NULL);
  assert_non_null(p);
  const ss_mlcp* m = &p->mlcp;
  int n = m->n;
  size_t N = (size_t)n;
  double* memory = malloc(sizeof(double)*(N*N + 8*N));
  double *A2 = memory, *b2 = A2 + N*N, *z = b2 + n, *z2 = z + n, *w = z2 + n, *ux = w + n, *uy = ux + n;
  double *lower = uy + n, *upper = lower + n, r;
  ss_mlcp other = {.n = n, .A = A2, .b = b2, .lower = lower, .upper = upper};
  uint64_t seed = 1;
  for (int s = 0; s < SYSTEMS; s++) {
    for (int i = 0; i < n; i++) {
      ux[i] = impulse(systems[s]);
      uy[i] = velocity(systems[s]);
      lower[i] = m->lower[i]*ux[i];
      upper[i] = m->upper[i]*ux[i];
    }
    rescale(n, m->A, m->b, ux, uy, A2, b2);
    for (int c = 0; c < TRIALS; c++) {
      for (int i = 0; i < n; i++) z2[i] = (z[i] = uniform(&seed))*ux[i];
      check_residual(name, ss_mlcp_residual(m, z), ss_mlcp_residual(&other, z2));
    }
    ss_status was = solve_mlcp(m, z, w, &r), is = solve_mlcp(&other, z2, w, &r);
    check_verdict(name, "auto", was, is, r);
  }
  free(memory);
  ss_problem_destroy(p);
}

static void test_mlcp(void** state)
{
  (void)state;
  each_file("mlcp", check_mlcp);
}

// ---- contact: Lambda impulses, xi velocities ----

static ss_status solve_contact(const ss_friction_problem* p, double* Lambda, double* residual)
{
  ss_friction_solver* solver = ss_friction_solver_create(p, NULL);
  ss_friction_def def = ss_friction_def_default();
  ss_friction_solution s = {.Lambda = Lambda};
  assert_non_null(solver);
  ss_status status = ss_friction_solve(solver, &def, &s);
  ss_friction_solver_destroy(solver);
  *residual = s.residual;
  return status;
}

static void check_contact(const char* path, const char* name)
{
  ss_problem* file = ss_problem_load(path, NULL);
  assert_non_null(file);
  const ss_friction_problem* p = &file->contact;
  int m = ss_friction_rows(p), entries = p->G.start[m];
  double *value = malloc(sizeof(double)*(size_t)entries), *b = malloc(3*sizeof(double)*(size_t)m), *x = b + m,
         *x2 = x + m, r, r2;
  ss_friction_problem other = *p;
  other.G.value = value;
  other.b = b;
  uint64_t seed = 1;
  assert_false(p->global || p->bound);
  for (int s = 0; s < SYSTEMS; s++) {
    double v = velocity(systems[s]), i = impulse(systems[s]);
    for (int e = 0; e < entries; e++) value[e] = p->G.value[e]*(v/i);
    for (int k = 0; k < m; k++) b[k] = p->b[k]*v;
    for (int c = 0; c < TRIALS; c++) {
      for (int k = 0; k < m; k++) x2[k] = (x[k] = uniform(&seed))*i;
      assert_int_equal(ss_friction_residual(p, x, NULL, &r, NULL), SS_OK);
      assert_int_equal(ss_friction_residual(&other, x2, NULL, &r2, NULL), SS_OK);
      check_residual(name, r, r2);
    }
    ss_status was = solve_contact(p, x, &r), is = solve_contact(&other, x2, &r2);
    if (was != is || (is == SS_OK && r2 > 1e-8))
      fail_msg("%s: %s, %g; was: %s", name, ss_status_text(is), r2, ss_status_text(was));
  }
  free(value);
  free(b);
  ss_problem_destroy(file);
}

static void test_contact(void** state)
{
  (void)state;
  each_file("contact", check_contact);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_lcp),
    cmocka_unit_test(test_mlcp),
    cmocka_unit_test(test_contact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
