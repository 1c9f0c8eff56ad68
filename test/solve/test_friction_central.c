// The central path: jammed spheres whose contacts are more than their motion has freedom, solved to 1e-6, and contacts
// of all kinds.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <stickslip/friction.h>
#include <string.h>
#include <cmocka.h>

#include "less.h"
#include "solve/friction_run.h"

static double uniform(uint64_t* seed)
{
  *seed = *seed*6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11)/9007199254740992.0;
}

// ---- a solve by the central path alone ----

typedef struct bench {
  ss_friction_space* space;
  ss_friction_run run;
  double* memory;
} bench;

static void set_up(bench* b, const ss_friction_problem* p, double tol)
{
  ss_error error = {0};
  *b = (bench){.space = ss_friction_space_create(p, &error)};
  assert_non_null(b->space);
  size_t m = (size_t)b->space->m, d = (size_t)b->space->dim;
  ss_friction_run* run = &b->run;
  b->memory = calloc(ss_friction_run_numbers(m, d), sizeof(double));
  assert_non_null(b->memory);
  ss_friction_run_share(run, m, b->memory);
  run->s = b->space;
  run->tol = tol;
  run->r_best = run->r_attempt = INFINITY;
}

static void tear_down(bench* b)
{
  ss_friction_space_destroy(b->space);
  free(b->memory);
}

// ---- spheres ----

enum { SIDE = 4, LAYERS = 4, SPHERES = SIDE*SIDE*LAYERS, MOST = 8*SPHERES };

typedef struct pile {
  double x[SPHERES][3], *M, *H, f[6*SPHERES], w[3*MOST], mu[MOST];
  int a[MOST], b[MOST], n;  // spheres of a contact; b = -1: the floor or a wall
  double normal[MOST][3];   // from a to b
  ss_friction_problem p;
} pile;

// Layers of touching spheres (radius 0.5, mass 1), each in the hollows of the one below, between floor and four walls
static void place(pile* s)
{
  for (int i = 0; i < SPHERES; i++) {
    int layer = i/(SIDE*SIDE), row = i/SIDE%SIDE;
    s->x[i][0] = i%SIDE + 0.5*(layer%2);
    s->x[i][1] = row + 0.5*(layer%2);
    s->x[i][2] = 0.5 + sqrt(0.5)*layer;
  }
}

static void touch(pile* s, int a, int b, double nx, double ny, double nz)
{
  const double n[3] = {nx, ny, nz};
  assert_true(s->n < MOST);
  s->a[s->n] = a;
  s->b[s->n] = b;
  memcpy(s->normal[s->n++], n, sizeof n);
}

static void find_contacts(pile* s)
{
  double low = 0, high = SIDE - 0.5;
  s->n = 0;
  for (int i = 0; i < SPHERES; i++) {
    const double* x = s->x[i];
    if (x[2] < 0.6) touch(s, i, -1, 0, 0, -1);
    for (int c = 0; c < 2; c++) {
      if (x[c] < low + 0.1) touch(s, i, -1, c == 0 ? -1 : 0, c == 1 ? -1 : 0, 0);
      if (x[c] > high - 0.1) touch(s, i, -1, c == 0 ? 1 : 0, c == 1 ? 1 : 0, 0);
    }
    for (int j = i + 1; j < SPHERES; j++) {
      double d[3] = {s->x[j][0] - x[0], s->x[j][1] - x[1], s->x[j][2] - x[2]};
      double size = sqrt(d[0]*d[0] + d[1]*d[1] + d[2]*d[2]);
      if (size < 1 + 1e-9) touch(s, i, j, d[0]/size, d[1]/size, d[2]/size);
    }
  }
}

static void cross(const double* a, const double* b, double* c)
{
  for (int i = 0; i < 3; i++) c[i] = a[(i + 1)%3]*b[(i + 2)%3] - a[(i + 2)%3]*b[(i + 1)%3];
}

// Columns of H: the velocity of b less that of a at the point of contact, in normal and tangential directions
static void fill_H(pile* s)
{
  int cols = 3*s->n;
  for (int k = 0; k < s->n; k++) {
    double e[3][3], arm[3], lever[3];
    memcpy(e[0], s->normal[k], sizeof e[0]);
    const double other[3] = {fabs(e[0][0]) < 0.5, fabs(e[0][0]) >= 0.5, 0};
    cross(e[0], other, e[1]);
    double size = sqrt(e[1][0]*e[1][0] + e[1][1]*e[1][1] + e[1][2]*e[1][2]);
    for (int i = 0; i < 3; i++) e[1][i] /= size;
    cross(e[0], e[1], e[2]);
    for (int side = 0; side < 2; side++) {
      int body = side ? s->b[k] : s->a[k];
      if (body < 0) continue;
      for (int row = 0; row < 3; row++) {
        for (int i = 0; i < 3; i++) arm[i] = (side ? -0.5 : 0.5)*e[0][i];
        cross(arm, e[row], lever);
        for (int i = 0; i < 3; i++) {
          s->H[(6*body + i)*cols + 3*k + row] = (side ? 1 : -1)*e[row][i];
          s->H[(6*body + 3 + i)*cols + 3*k + row] = (side ? 1 : -1)*lever[i];
        }
      }
    }
  }
}

// The step falls for a moment, and every sphere moves and turns by itself: neighbours disagree everywhere
static void make_pile(pile* s, uint64_t seed)
{
  place(s);
  find_contacts(s);
  int n = 6*SPHERES;
  s->M = calloc((size_t)(n*n), sizeof(double));
  s->H = calloc((size_t)(n*3*s->n), sizeof(double));
  assert_true(s->M && s->H);
  for (int i = 0; i < n; i++) s->M[i*n + i] = i%6 < 3 ? 1 : 0.1;
  fill_H(s);
  for (int i = 0; i < n; i++) s->f[i] = s->M[i*n + i]*((i%6 == 2 ? -1 : 0) + 0.2*(uniform(&seed) - 0.5));
  memset(s->w, 0, sizeof s->w);
  for (int k = 0; k < s->n; k++) s->mu[k] = 0.5;
  s->p = (ss_friction_problem){.dim = 3, .n_contact = s->n, .mu = s->mu, .global = true, .f = s->f, .w = s->w};
  assert_int_equal(ss_sparse_from_dense(n, n, s->M, &s->p.M, NULL), SS_OK);
  assert_int_equal(ss_sparse_from_dense(n, 3*s->n, s->H, &s->p.H, NULL), SS_OK);
  free(s->M);
  free(s->H);
}

static void jammed_spheres_are_solved(void** state)
{
  (void)state;
  pile* s = calloc(1, sizeof *s);
  assert_non_null(s);
  for (int seed = 1; seed <= (LESS > 1 ? 1 : 6); seed++) {
    bench b;
    double r = INFINITY;
    make_pile(s, (uint64_t)seed);
    assert_true(3*s->n > 6*SPHERES);
    set_up(&b, &s->p, 1e-6);
    assert_true(ss_friction_central(&b.run));
    assert_int_equal(ss_friction_residual(&s->p, b.run.Lambda, NULL, &r, NULL), SS_OK);
    assert_true(r <= 1e-6);
    tear_down(&b);
    ss_sparse_free(&s->p.M);
    ss_sparse_free(&s->p.H);
  }
  free(s);
}

static bool found_by(ss_friction_run* run, int max_iter)
{
  run->max_iter = max_iter;
  run->r_best = INFINITY;
  run->ipm = run->s->sweeps = 0;
  memset(run->Lambda, 0, sizeof(double)*(size_t)run->s->m);
  return ss_friction_attempt(run, SS_FRICTION_IPM, "", ss_friction_central);
}

// Systems and sweeps of all paths together. Without limit, 16 systems lead to a point with 30 sweeps to 1e-4.
static void limits_hold(void** state)
{
  (void)state;
  const int limit[] = {5, 16};
  pile* s = calloc(1, sizeof *s);
  bench b;
  assert_non_null(s);
  make_pile(s, 1);
  set_up(&b, &s->p, 1e-4);
  assert_true(found_by(&b.run, 0));
  assert_true(b.run.ipm > 5 && b.run.ipm <= 16 && b.space->sweeps > 16);
  for (int i = 0; i < 2; i++) {
    assert_false(found_by(&b.run, limit[i]));
    assert_int_equal(b.run.ipm, limit[i]);
    assert_int_equal(b.space->sweeps, i ? limit[i] : 0);
  }
  tear_down(&b);
  ss_sparse_free(&s->p.M);
  ss_sparse_free(&s->p.H);
  free(s);
}

// ---- contacts of all kinds ----

enum { CONTACTS = 12, FREE = 2, VELOCITIES = 14, MOST_ROWS = FREE + 3*CONTACTS };

// Bilateral rows, contacts with and without friction in the plane and in space, some with a bound, and friction alone;
// G = J J^T with fewer velocities than rows
static void random_kinds(void** state)
{
  (void)state;
  static const ss_contact_kind kinds[] = {SS_CONTACT_SPATIAL, SS_CONTACT_PLANAR, SS_CONTACT_NORMAL,
                                          SS_CONTACT_SPATIAL, SS_CONTACT_FRICTION};
  uint64_t seed = 5;
  int solved = 0, turns = 40/LESS;
  for (int turn = 0; turn < turns; turn++) {
    ss_contact_kind kind[CONTACTS];
    double mu[CONTACTS], bound[CONTACTS], J[MOST_ROWS*VELOCITIES], G[MOST_ROWS*MOST_ROWS], b[MOST_ROWS] = {0};
    double v[VELOCITIES];
    for (int k = 0; k < CONTACTS; k++) {
      kind[k] = kinds[k%5];
      mu[k] = k%7 == 3 || kind[k] == SS_CONTACT_FRICTION || kind[k] == SS_CONTACT_NORMAL ? 0 : 0.5*uniform(&seed);
      bound[k] = kind[k] == SS_CONTACT_FRICTION || k%3 == 0 ? 0.3*uniform(&seed) : 0;
    }
    ss_friction_problem p = {.dim = 3, .n_bilateral = FREE, .n_contact = CONTACTS, .kind = kind, .mu = mu,
                             .bound = bound, .b = b};
    int m = ss_friction_rows(&p);
    for (int i = 0; i < m*VELOCITIES; i++) J[i] = uniform(&seed) - 0.5;
    for (int c = 0; c < VELOCITIES; c++) v[c] = uniform(&seed) - 0.5;
    for (int i = 0; i < m; i++)  // velocities that come from a motion: no row contradicts another
      for (int c = 0; c < VELOCITIES; c++) b[i] += J[i*VELOCITIES + c]*v[c];
    for (int i = 0; i < m*m; i++) {
      G[i] = 0;
      for (int c = 0; c < VELOCITIES; c++) G[i] += J[i/m*VELOCITIES + c]*J[i%m*VELOCITIES + c];
    }
    assert_int_equal(ss_sparse_from_dense(m, m, G, &p.G, NULL), SS_OK);
    bench s;
    set_up(&s, &p, 1e-6);
    if (ss_friction_central(&s.run)) {
      solved++;
      ss_friction_xi(s.space, s.run.Lambda, s.run.xi);
      assert_true(ss_friction_space_residual(s.space, s.run.Lambda, s.run.xi) <= 1e-6);
    }
    tear_down(&s);
    ss_sparse_free(&p.G);
  }
  assert_true(solved >= turns*9/10);  // a path of finite patience
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(jammed_spheres_are_solved),
    cmocka_unit_test(limits_hold),
    cmocka_unit_test(random_kinds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
