// The five methods of Mylapilli & Jain on 1000 random problems with several contacts: they agree where the solution is
// unique, and nearly always find one.
// Unique is proved where mu_max |G| < lambda_min(G): with xi^ = xi + mu|xi_T| e_N the law is -xi^ in N_K(Lambda), and
//   (xi^ - xi^').(Lambda - Lambda') >= (lambda_min - mu_max |G|) |Lambda - Lambda'|^2,
// so the map is strongly monotone. Without friction the velocities are those of a convex program, unique for any G.
#include "cone_families.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stickslip/dissipation.h>

enum { FIRST = SS_DISSIPATION_MLCP_PATH, METHODS = SS_DISSIPATION_METHODS };

typedef struct family {
  double dofs, mu;  // degrees of freedom per row, largest friction coefficient
  int count;
} family;

static const family families[] = {
  {6, 0.1, 300}, {1.5, 0.6, 200}, {1, 1, 150}, {0.6, 0, 50}, {0.6, 0.6, 150}, {0.35, 0.8, 150},
};

typedef struct answer {
  bool solved;
  double Lambda[CONE_ROWS], xi[CONE_ROWS];
} answer;

typedef struct tally {
  int solved[METHODS];
  int unique, proved, several, none;  // agreed by all that solved it; of these proved; with several solutions; unsolved
  double closest;                     // of different solutions
} tally;

// ---- uniqueness ----

// Extreme eigenvalues by Jacobi's rotations; spoils A
static void eigenvalues(int n, double* A, double* least, double* most)
{
  for (int sweep = 0; sweep < 30; sweep++)
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) {
        double t = 0.5*atan2(2*A[p*n + q], A[q*n + q] - A[p*n + p]), c = cos(t), s = sin(t);
        for (int i = 0; i < n; i++) {
          double x = A[i*n + p], y = A[i*n + q];
          A[i*n + p] = c*x - s*y;
          A[i*n + q] = s*x + c*y;
        }
        for (int i = 0; i < n; i++) {
          double x = A[p*n + i], y = A[q*n + i];
          A[p*n + i] = c*x - s*y;
          A[q*n + i] = s*x + c*y;
        }
      }
  *least = *most = A[0];
  for (int i = 1; i < n; i++) {
    *least = fmin(*least, A[i*n + i]);
    *most = fmax(*most, A[i*n + i]);
  }
}

static bool proved_unique(const contacts* c)
{
  static double A[CONE_ROWS*CONE_ROWS];
  double mu = 0, least, most;
  for (int k = 0; k < c->p.n_contact; k++) mu = fmax(mu, c->mu[k]);
  if (mu == 0) return true;
  memcpy(A, c->G, sizeof(double)*(size_t)(c->p.m*c->p.m));
  eigenvalues(c->p.m, A, &least, &most);
  return mu*most < least;
}

// ---- solving ----

static const char* name(int method) { return ss_dissipation_method_name((ss_dissipation_method)method); }

static answer solve(const contacts* c, int method, ss_arena* arena)
{
  answer a = {.solved = false};
  ss_dissipation_def def = ss_dissipation_def_default();
  ss_dissipation_solution s = {.Lambda = a.Lambda, .xi = a.xi};
  def.method = (ss_dissipation_method)method;
  def.tol = 1e-11;
  ss_status status = ss_dissipation_solve(&c->p, NULL, &def, arena, &s);
  assert_true(status >= 0);
  a.solved = status == SS_OK;
  assert_true(!a.solved || ss_dissipation_residual(&c->p, NULL, a.Lambda) <= def.tol);
  return a;
}

// Largest difference of velocities, relative to b
static double difference(const contacts* c, const answer* a, const answer* b)
{
  double d = 0, scale = 0;
  for (int i = 0; i < c->p.m; i++) {
    d = fmax(d, fabs(a->xi[i] - b->xi[i]));
    scale = fmax(scale, fabs(c->b[i]));
  }
  return d/scale;
}

static void judge(tally* t, const contacts* c, const answer* a, int number)
{
  bool proved = proved_unique(c), any = false, agree = true;
  for (int m = FIRST; m < METHODS; m++) {
    any = any || a[m].solved;
    t->solved[m] += a[m].solved;
    if (proved && !a[m].solved) fail_msg("problem %d: %s found no solution", number, name(m));
    for (int q = FIRST; q < m; q++) {
      if (!a[m].solved || !a[q].solved) continue;
      double d = difference(c, &a[m], &a[q]);
      if (d <= 1e-7) continue;
      agree = false;
      t->closest = fmin(t->closest, d);
      if (proved) fail_msg("problem %d: %s and %s differ by %g", number, name(m), name(q), d);
    }
  }
  t->proved += proved;
  t->unique += any && agree;
  t->several += any && !agree;
  t->none += !any;
}

static void test_methods_agree(void** state)
{
  (void)state;
  tally t = {.closest = INFINITY};
  contacts c;
  answer a[METHODS];
  ss_arena* arena = ss_arena_create((size_t)1 << 24);
  unsigned both = 1u << SS_CONTACT_PLANAR | 1u << SS_CONTACT_SPATIAL;
  int number = 0;
  assert_non_null(arena);
  for (size_t f = 0; f < sizeof families/sizeof *families; f++) {
    int before = t.several;
    for (int i = 0; i < families[f].count; i++, number++) {
      uint64_t seed = 1000*(uint64_t)f + (uint64_t)i;
      make_contacts(&c, i%3 == 0 ? 0xf : both, i%2, families[f].dofs, families[f].mu, &seed);
      for (int m = FIRST; m < METHODS; m++) a[m] = solve(&c, m, arena);
      judge(&t, &c, a, number);
    }
    printf("  %g degrees of freedom per row, mu up to %g: %d of %d with several solutions\n", families[f].dofs,
           families[f].mu, t.several - before, families[f].count);
  }
  ss_arena_destroy(arena);
  for (int m = FIRST; m < METHODS; m++)
    printf("  %-13s %4d of %d\n", name(m), t.solved[m], number);
  printf("  one solution %d (proved %d), several %d (velocities differ by %.1e or more), none found %d\n", t.unique,
         t.proved, t.several, t.closest, t.none);
  assert_int_equal(number, 1000);
  assert_true(t.proved >= 300);
  assert_int_equal(t.none, 0);
  assert_true(t.closest > 1e-5);  // different solutions are clearly different: none is an inaccurate copy of another
  for (int m = FIRST; m < METHODS; m++) assert_true(t.solved[m] >= 990);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_methods_agree)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
