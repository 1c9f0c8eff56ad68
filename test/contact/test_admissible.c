// Forces of dependent rows within what contacts can give: nearest to what is asked for, wherever there are any.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../less.h"
#include "base/arena.h"
#include "contact/admissible.h"

enum { ROOM = 24 };

static double uniform(uint64_t* seed)
{
  *seed = *seed*6364136223846793005u + 1442695040888963407u;
  return 2*(double)(*seed >> 11)/9007199254740992.0 - 1;
}

typedef struct problem {
  int n, n_sets, rank;
  ss_force_set set[ROOM];
  double A[ROOM*ROOM], c[ROOM], inside[ROOM];  // inside: in all sets
} problem;

// Contacts of all kinds and free rows, with a force in each that it can give: some at their limits, some zero
static void add_sets(problem* p, uint64_t* seed)
{
  int kinds = 2 + (int)(4*fabs(uniform(seed)));
  p->n = p->n_sets = 0;
  for (int i = 0; i < kinds; i++) {
    bool free = uniform(seed) > 0.7, normal = uniform(seed) > -0.7;
    int tangents = (int)(1.5*(1 + uniform(seed)));
    if (free) {
      p->inside[p->n++] = uniform(seed);
      continue;
    }
    if (!normal && tangents == 0) tangents = 1;
    ss_force_set s = {.first = p->n, .normal = normal, .tangents = tangents, .mu = fabs(uniform(seed)),
                      .bound = uniform(seed) > 0.5 || !normal ? fabs(uniform(seed)) : 0};
    double N = normal && uniform(seed) > -0.4 ? fabs(uniform(seed)) : 0, limit = (normal ? s.mu*N : 0) + s.bound;
    if (normal) p->inside[p->n++] = N;
    double turn = 4*uniform(seed), part = uniform(seed) > 0 ? 1 : fabs(uniform(seed));
    if (tangents == 1) p->inside[p->n++] = part*limit*(turn > 0 ? 1 : -1);
    if (tangents == 2) {
      p->inside[p->n++] = part*limit*cos(turn);
      p->inside[p->n++] = part*limit*sin(turn);
    }
    p->set[p->n_sets++] = s;
  }
}

// Rows of A: random ones, and sums of them
static void add_rows(problem* p, uint64_t* seed)
{
  p->rank = 1 + (int)((p->n - 1)*fabs(uniform(seed)));
  for (int i = 0; i < p->n; i++) {
    double* row = p->A + i*p->n;
    memset(row, 0, sizeof(double)*(size_t)p->n);
    for (int k = 0; k < p->rank; k++) {
      double s = i < p->rank ? i == k : uniform(seed);
      for (int j = 0; j < p->n; j++) row[j] += i < p->rank ? s*uniform(seed) : s*p->A[k*p->n + j];
    }
  }
}

static void set_load(problem* p, const double* x)
{
  for (int i = 0; i < p->n; i++) {
    p->c[i] = 0;
    for (int j = 0; j < p->n; j++) p->c[i] += p->A[i*p->n + j]*x[j];
  }
}

// How far x is from a set
static double outside(const ss_force_set* s, const double* x)
{
  const double* T = x + s->first + s->normal;
  double N = s->normal ? x[s->first] : 0, t = s->tangents > 1 ? hypot(T[0], T[1]) : s->tangents ? fabs(T[0]) : 0;
  return fmax(-N, s->tangents ? t - s->mu*N*s->normal - s->bound : 0);
}

static double off(const problem* p, const double* x)
{
  double worst = 0;
  for (int i = 0; i < p->n; i++) {
    double sum = -p->c[i];
    for (int j = 0; j < p->n; j++) sum += p->A[i*p->n + j]*x[j];
    worst = fmax(worst, fabs(sum));
  }
  for (int i = 0; i < p->n_sets; i++) worst = fmax(worst, outside(&p->set[i], x));
  return worst;
}

static double distance(const problem* p, const double* x, const double* z)
{
  double sum = 0;
  for (int i = 0; i < p->n; i++) sum += (x[i] - z[i])*(x[i] - z[i]);
  return sqrt(sum);
}

static ss_admissible begin(const problem* p, ss_arena* arena)
{
  ss_admissible f;
  double A[ROOM*ROOM];
  memcpy(A, p->A, sizeof A);
  assert_int_equal(ss_admissible_begin(&f, p->n, A, p->c, p->n_sets, p->set, arena), SS_OK);
  return f;
}

// Where A x = c touches the side of a cone from outside there is one x, and no y belongs to it: digits are lost there
static bool has_disk(const problem* p)
{
  for (int i = 0; i < p->n_sets; i++)
    if (p->set[i].tangents > 1) return true;
  return false;
}

// Forces are found where there are any; the nearest point x of a convex set to z has (z - x).(v - x) <= 0 for each v
// of it
static void test_nearest(void** state)
{
  (void)state;
  ss_arena* arena = ss_arena_create(ss_admissible_size(ROOM));
  for (uint64_t k = 0; k < 20000/LESS; k++) {
    uint64_t seed = k*7919 + 1;
    problem p;
    double x[ROOM], z[ROOM], worst = 0;
    add_sets(&p, &seed);
    add_rows(&p, &seed);
    set_load(&p, p.inside);
    for (int i = 0; i < p.n; i++) z[i] = k%2 ? 2*uniform(&seed) : 0;
    size_t mark = ss_arena_mark(arena);
    ss_admissible f = begin(&p, arena);
    double left = ss_admissible_nearest(&f, k%2 ? z : NULL, x);
    ss_arena_release(arena, mark);
    for (int i = 0; i < p.n; i++) worst += (z[i] - x[i])*(p.inside[i] - x[i]);
    double tol = has_disk(&p) ? 1e-4 : 1e-9;
    if (!(left < tol && off(&p, x) < 10*tol && distance(&p, x, z) < distance(&p, p.inside, z) + 10*tol &&
          worst < 100*tol))
      fail_msg("problem %d: left %g, off %g, %g from what is asked for, another is %g; %g", (int)k, left, off(&p, x),
               distance(&p, x, z), distance(&p, p.inside, z), worst);
  }
  ss_arena_destroy(arena);
}

// A load that no forces carry: what is left is told, and the equations hold
static void test_too_much(void** state)
{
  (void)state;
  ss_force_set set[2] = {{.first = 0, .normal = true}, {.first = 1, .normal = true}};
  double A[4] = {1, 1, 1, 1}, c[2] = {-2, -2}, x[2];
  ss_arena* arena = ss_arena_create(ss_admissible_size(2));
  ss_admissible f;
  assert_int_equal(ss_admissible_begin(&f, 2, A, c, 2, set, arena), SS_OK);
  double left = ss_admissible_nearest(&f, NULL, x);
  assert_true(fabs(left - 1) < 1e-5 && fabs(x[0] + x[1] + 2) < 1e-14 && fabs(x[0] - x[1]) < 1e-5);
  ss_arena_destroy(arena);
}

// A x = 0 of two point masses, contacts 0 and 1 of one, 2 and 3 of the other: rows normal, then tangent, at an angle
static int strained(int n, const double* angle, const double* mu, bool* found)
{
  ss_force_set set[4];
  double A[64], c[8] = {0}, scratch[24], row[8][2];
  for (int i = 0; i < n; i++) {
    set[i] = (ss_force_set){.first = 2*i, .normal = true, .tangents = 1, .mu = mu[i], .bound = 0.3};
    row[2*i][0] = row[2*i + 1][1] = cos(angle[i]);
    row[2*i][1] = sin(angle[i]);
    row[2*i + 1][0] = -sin(angle[i]);
  }
  for (int i = 0; i < 2*n; i++)
    for (int j = 0; j < 2*n; j++)
      A[2*n*i + j] = i/4 == j/4 ? row[i][0]*row[j][0] + row[i][1]*row[j][1] : 0;
  ss_arena* arena = ss_arena_create(ss_admissible_size(8));
  ss_admissible f;
  assert_int_equal(ss_admissible_begin(&f, 2*n, A, c, n, set, arena), SS_OK);
  ss_admissible_strain(&f, scratch, found);
  ss_arena_destroy(arena);
  int sum = 0;
  for (int i = 0; i < n; i++) sum += found[i];
  return sum;
}

// Two contacts can press against each other if the line between them lies in both cones of friction [Nguyen 1988]: in
// a groove if its sides are steep. Those of another mass, side by side on a floor, take no part.
static void test_strain(void** state)
{
  (void)state;
  uint64_t seed = 77;
  const double quarter = acos(0);
  for (int k = 0; k < 4000/LESS; k++) {
    double turn = 7*uniform(&seed), a = quarter*fabs(uniform(&seed)), mu = 2*fabs(uniform(&seed));
    double angle[4] = {turn + a, turn + 2*quarter - a, turn, turn}, limits[4] = {mu, mu, mu, 0.5*mu};
    bool found[4], steep = a < atan(mu);
    if (fabs(a - atan(mu)) < 1e-3) continue;
    int two = strained(2, angle, limits, found), all = strained(4, angle, limits, found);
    if (two != 2*steep || all != 2*steep || found[2] || found[3])
      fail_msg("groove %d, %g, mu %g: %d of 2, and of 4, %d contacts are strained", k, a, mu, two, all);
  }
}

// A block between two walls: contacts can brace themselves to hold any weight, but do not do so by themselves
static void test_share(void** state)
{
  (void)state;
  bool braces[2];
  double scratch[12];
  ss_force_set set[2] = {{.first = 0, .normal = true, .tangents = 1, .mu = 0.5},
                         {.first = 2, .normal = true, .tangents = 1, .mu = 0.5}};
  for (int k = 0; k < 2; k++) {  // pressed to the left with 1, weight 0.4 or 1
    double A[16] = {1, 0, -1, 0, 0, 1, 0, 1, -1, 0, 1, 0, 0, 1, 0, 1}, weight = k ? 1 : 0.4;
    double c[4] = {1, weight, -1, weight}, x[4];
    ss_arena* arena = ss_arena_create(ss_admissible_size(4));
    ss_admissible f;
    assert_int_equal(ss_admissible_begin(&f, 4, A, c, 2, set, arena), SS_OK);
    ss_admissible_strain(&f, scratch, braces);
    assert_true(braces[0] && braces[1]);
    set[0].strained = set[1].strained = true;
    double left = ss_admissible_share(&f, x), braced = ss_admissible_nearest(&f, NULL, x);
    assert_true(k ? left > 0.1 : left < 1e-12);
    assert_true(braced < 1e-12 && x[2] > -1e-15 && fabs(x[1]) < 0.5*x[0] + 1e-12);
    ss_arena_destroy(arena);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_nearest), cmocka_unit_test(test_too_much),
                                     cmocka_unit_test(test_strain), cmocka_unit_test(test_share)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
