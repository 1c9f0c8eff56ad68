// Contact problems in space as arrays: closed forms, agreement with the methods for large problems, no allocation.
// link: -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=aligned_alloc
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <stickslip/contact.h>

#include "contact/spatial.h"
#include "count_allocations.h"

enum { MOST = 60 };

// A problem with room for its arrays, and its solution
typedef struct fixture {
  ss_contact_problem p;
  double G[MOST*MOST], b[MOST], mu[MOST], bound[MOST];
  ss_contact_kind kind[MOST];
  double Lambda[MOST], xi[MOST];
  ss_contact_state state[MOST];
  ss_contact_solution s;
} fixture;

static void connect(fixture* f)
{
  f->p.G = f->G;
  f->p.b = f->b;
  f->p.mu = f->mu;
  f->p.bound = f->bound;
  f->p.kind = f->kind;
  f->s = (ss_contact_solution){.Lambda = f->Lambda, .xi = f->xi, .state = f->state};
}

static ss_status solve_with(fixture* f, const ss_friction_def* def)
{
  connect(f);
  ss_arena* arena = ss_arena_create(ss_contact_solve_spatial_size(f->p.n_bilateral, f->p.n_contact));
  assert_non_null(arena);
  ss_status st = ss_contact_solve_spatial(&f->p, def, arena, &f->s);
  ss_arena_destroy(arena);
  return st;
}

static ss_status solve(fixture* f)
{
  ss_friction_def def = ss_friction_def_default();
  return solve_with(f, &def);
}

// A homogeneous sphere of mass m and radius r on a plane. The contact point moves with v + omega x (-r e_N):
//   G_NN = 1/m,  G_TT = 1/m + r^2/I = 7/(2 m)
static void sphere(fixture* f, double m, double mu, double vN, double vT1, double vT2)
{
  *f = (fixture){.p = {.n_contact = 1, .m = 3}, .kind = {SS_CONTACT_SPATIAL}, .mu = {mu}, .b = {vN, vT1, vT2}};
  f->G[0] = 1/m;
  f->G[4] = f->G[8] = 3.5/m;
}

static void test_sphere_sticks(void** state)
{
  (void)state;
  fixture f;
  sphere(&f, 2, 0.5, -1, 0.3, -0.4);
  assert_int_equal(solve(&f), SS_OK);
  assert_float_equal(f.Lambda[0], 2, 1e-14);
  assert_float_equal(f.Lambda[1], -0.3*2/3.5, 1e-14);
  assert_float_equal(f.Lambda[2], 0.4*2/3.5, 1e-14);
  assert_int_equal(f.state[0], SS_STICK);
}

static void test_sphere_slides(void** state)
{
  (void)state;
  fixture f;
  sphere(&f, 2, 0.1, -1, 3, -4);
  assert_int_equal(solve(&f), SS_OK);
  assert_float_equal(f.Lambda[0], 2, 1e-13);
  assert_float_equal(f.Lambda[1], -0.1*2*0.6, 1e-13);
  assert_float_equal(f.Lambda[2], 0.1*2*0.8, 1e-13);
  assert_float_equal(f.xi[1], 3*(1 - 0.1*3.5/5), 1e-13);
  assert_int_equal(f.state[0], SS_SLIP);
  assert_string_equal(ss_contact_state_text(f.state[0]), "slip");
}

static void test_sphere_leaves_and_glides(void** state)
{
  (void)state;
  fixture f;
  sphere(&f, 2, 0.1, 1, 3, -4);
  assert_int_equal(solve(&f), SS_OK);
  assert_int_equal(f.state[0], SS_OPEN);
  assert_true(f.Lambda[0] == 0 && f.Lambda[1] == 0 && f.Lambda[2] == 0);
  sphere(&f, 2, 0, -1, 3, -4);
  assert_int_equal(solve(&f), SS_OK);
  assert_int_equal(f.state[0], SS_CLOSED);
  assert_float_equal(f.Lambda[0], 2, 1e-14);
  assert_true(f.Lambda[1] == 0 && f.Lambda[2] == 0);
}

static void test_bad_input(void** state)
{
  (void)state;
  fixture f;
  int slide = 1;
  sphere(&f, 2, -0.1, 1, 3, -4);
  assert_int_equal(solve(&f), SS_ERR_ARGUMENT);
  sphere(&f, 2, 0.1, NAN, 3, -4);
  assert_int_equal(solve(&f), SS_ERR_NUMERIC);
  sphere(&f, 2, 0.1, -1, 3, -4);
  f.p.m = 2;
  assert_int_equal(solve(&f), SS_ERR_ARGUMENT);
  sphere(&f, 2, 0.1, -1, 3, -4);
  f.p.slide = &slide;
  assert_int_equal(solve(&f), SS_ERR_ARGUMENT);
}

// ---- random problems ----

static double random_number(void)  // in [-1, 1), the same on every machine
{
  static uint64_t x = 88172645463325252u;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  return (double)(x >> 11)*0x1p-52 - 1;
}

static int random_below(int n) { return (int)((random_number() + 1)/2*n); }

// Rows of W and b = W v: there is a solution, for Lambda = 0, v = 0 is admissible whatever mu. The second bilateral row
// repeats the first, the last row of every fourth contact is empty.
static void random_problem(fixture* f, bool friction_of_load)
{
  enum { MOST_DOF = 40 };
  double W[MOST][MOST_DOF], v[MOST_DOF];
  int k = 1 + random_below(5), nb = random_below(5), dof = 4 + random_below(3*k), row = nb;
  *f = (fixture){.p = {.n_bilateral = nb, .n_contact = k}};
  for (int i = 0; i < MOST; i++)
    for (int d = 0; d < dof; d++) W[i][d] = random_number();
  if (nb > 1) memcpy(W[1], W[0], sizeof W[0]);
  for (int c = 0; c < k; c++) {
    f->kind[c] = (ss_contact_kind)(random_below(6) > 3 ? random_below(4) : SS_CONTACT_SPATIAL);
    f->mu[c] = friction_of_load ? 0.5*(1 + random_number()) : 0;
    f->bound[c] = random_below(3) ? 0 : 1 + random_number();
    row += ss_contact_rows(f->kind[c]);
    if (c%4 == 3 && f->kind[c] == SS_CONTACT_SPATIAL) memset(W[row - 1], 0, sizeof W[0]);
  }
  f->p.m = row;
  for (int d = 0; d < dof; d++) v[d] = 2*random_number();
  for (int i = 0; i < row; i++)
    for (int d = 0; d < dof; d++) {
      f->b[i] += W[i][d]*v[d];
      for (int j = 0; j < row; j++) f->G[i*row + j] += W[i][d]*W[j][d];
    }
}

static ss_friction_problem sparse_of(const fixture* f)
{
  ss_friction_problem q = {.dim = 3, .n_bilateral = f->p.n_bilateral, .n_contact = f->p.n_contact, .kind = f->kind,
                           .mu = f->mu, .bound = f->bound, .b = f->b};
  assert_int_equal(ss_sparse_from_dense(f->p.m, f->p.m, f->G, &q.G, NULL), SS_OK);
  return q;
}

// The residual is that of ss_friction_residual(), also far from a solution
static void check_residual(const fixture* f, const ss_friction_problem* q, const double* Lambda)
{
  double other;
  assert_int_equal(ss_friction_residual(q, Lambda, NULL, &other, NULL), SS_OK);
  double own = ss_spatial_residual(&f->p, Lambda);
  if (!(fabs(own - other) <= 1e-13*(1 + other))) fail_msg("%.17g as arrays, %.17g sparse", own, other);
}

// Both find solutions; where friction does not depend on the load, velocities are unique: those of a convex problem
static void compare_once(bool friction_of_load, int number)
{
  fixture f;
  random_problem(&f, friction_of_load);
  ss_status st = solve(&f);
  if (st != SS_OK) fail_msg("problem %d: status %d, residual %g", number, st, f.s.residual);
  ss_friction_problem q = sparse_of(&f);
  ss_friction_def def = ss_friction_def_default();
  double Lambda[MOST], xi[MOST], scale = 0;
  ss_friction_solution found = {.Lambda = Lambda, .xi = xi};
  ss_friction_solver* solver = ss_friction_solver_create(&q, NULL);
  assert_non_null(solver);
  if (ss_friction_solve(solver, &def, &found) == SS_OK && !friction_of_load) {
    for (int i = 0; i < f.p.m; i++) scale = fmax(scale, fabs(f.b[i]));
    for (int i = 0; i < f.p.m; i++)
      if (!(fabs(xi[i] - f.xi[i]) <= 1e-6*scale)) fail_msg("problem %d: xi[%d] = %g, %g", number, i, f.xi[i], xi[i]);
  }
  check_residual(&f, &q, f.Lambda);
  check_residual(&f, &q, f.b);
  ss_friction_solver_destroy(solver);
  ss_sparse_free(&q.G);
}

static void test_agrees_with_the_other_solver(void** state)
{
  (void)state;
  for (int i = 0; i < 500; i++) compare_once(i%3 != 0, i);
}

// Sticking contacts lie in their cones, sliding ones on the edge, against xi_T; open ones carry nothing
static void test_states_fit_impulses(void** state)
{
  (void)state;
  for (int n = 0; n < 200; n++) {
    fixture f;
    random_problem(&f, true);
    assert_int_equal(solve(&f), SS_OK);
    for (int c = 0, r = f.p.n_bilateral; c < f.p.n_contact; r += ss_contact_rows(f.kind[c++])) {
      if (f.kind[c] != SS_CONTACT_SPATIAL) continue;
      double t = hypot(f.Lambda[r + 1], f.Lambda[r + 2]), limit = f.mu[c]*f.Lambda[r] + f.bound[c];
      double power = f.Lambda[r + 1]*f.xi[r + 1] + f.Lambda[r + 2]*f.xi[r + 2], v = hypot(f.xi[r + 1], f.xi[r + 2]);
      assert_true(t <= limit*(1 + 1e-12));
      if (f.state[c] == SS_OPEN) assert_true(t <= 1e-7);
      if (f.state[c] == SS_SLIP && v > 1e-3 && limit > 1e-3) assert_float_equal(power/(v*limit), -1, 1e-5);
      if (f.state[c] == SS_STICK) assert_true(v <= 1e-6);
    }
  }
}

static void test_planar_through_the_spatial_path(void** state)
{
  (void)state;
  int same = 0;
  for (int n = 0; n < 200; n++) {
    // weak coupling, little friction: one solution
    int k = 1 + random_below(5), m = 2*k;
    fixture f = {.p = {.n_contact = k, .m = m}};
    for (int c = 0; c < f.p.n_contact; c++) {
      f.kind[c] = SS_CONTACT_PLANAR;
      f.mu[c] = 0.1;
    }
    for (int i = 0; i < m; i++) {
      for (int j = 0; j < m; j++) f.G[i*m + j] = i == j ? 1 : 0.03*(((i + j)*7)%5 - 2);
      f.b[i] = random_number();
    }
    assert_int_equal(solve(&f), SS_OK);
    double Lambda[MOST], xi[MOST];
    ss_contact_state found[MOST];
    ss_contact_solution s = {.Lambda = Lambda, .xi = xi, .state = found};
    ss_lcp_def def = ss_lcp_def_default();
    ss_arena* arena = ss_arena_create(ss_contact_solve_size(0, f.p.n_contact));
    assert_int_equal(ss_contact_solve(&f.p, &def, arena, &s), SS_OK);
    ss_arena_destroy(arena);
    for (int i = 0; i < m; i++) assert_float_equal(Lambda[i], f.Lambda[i], 1e-6);
    for (int c = 0; c < f.p.n_contact; c++) same += found[c] == f.state[c];
    same -= f.p.n_contact;
  }
  assert_int_equal(same, 0);
}

// ---- degenerate blocks ----

// In a planar mechanism nothing moves along T2: that row and column of G are zero
static void test_empty_row(void** state)
{
  (void)state;
  fixture f;
  sphere(&f, 2, 0.5, -1, 0.3, 0);
  f.G[8] = 0;
  assert_int_equal(solve(&f), SS_OK);
  assert_int_equal(f.state[0], SS_STICK);
  assert_float_equal(f.Lambda[1], -0.3*2/3.5, 1e-12);
  assert_float_equal(f.Lambda[2], 0, 1e-14);
  sphere(&f, 2, 0.1, -1, 3, 0);
  f.G[8] = 0;
  assert_int_equal(solve(&f), SS_OK);
  assert_int_equal(f.state[0], SS_SLIP);
  assert_float_equal(f.Lambda[1], -0.2, 1e-9);
  assert_float_equal(f.Lambda[2], 0, 1e-12);
  sphere(&f, 2, 0.1, -1, 3, 4);  // a belt that runs along T2: constant velocity there
  f.G[8] = 0;
  assert_int_equal(solve(&f), SS_OK);
  assert_float_equal(f.xi[1]/f.xi[2], f.Lambda[1]/f.Lambda[2], 1e-7);
  assert_float_equal(hypot(f.Lambda[1], f.Lambda[2]), 0.2, 1e-9);
}

// Several contacts of a mechanism in a plane that the tangents do not lie along: both tangential rows are multiples of
// one. As planar contacts along that direction they have the same impulses.
static void test_planar_mechanism(void** state)
{
  (void)state;
  for (int n = 0; n < 200; n++) {
    int k = 1 + random_below(4), m = 2*k;
    fixture flat = {.p = {.n_contact = k, .m = m}}, f = {.p = {.n_contact = k, .m = 3*k}};
    double W[MOST][MOST], P[MOST][MOST] = {{0}};  // P: rows in space from those in the plane
    for (int i = 0; i < m; i++)
      for (int j = 0; j < m; j++) W[i][j] = (i == j) + 0.2*random_number();
    for (int i = 0; i < m; i++) {
      flat.b[i] = random_number();
      for (int j = 0; j < m; j++)
        for (int l = 0; l < m; l++) flat.G[i*m + j] += W[i][l]*W[j][l];
    }
    for (int i = 0; i < k; i++) {
      double angle = i%2 ? 3*random_number() : 0;
      flat.kind[i] = SS_CONTACT_PLANAR;
      f.kind[i] = SS_CONTACT_SPATIAL;
      flat.mu[i] = f.mu[i] = 0.2;
      P[3*i][2*i] = 1;
      P[3*i + 1][2*i + 1] = cos(angle);
      P[3*i + 2][2*i + 1] = sin(angle);
    }
    for (int i = 0; i < 3*k; i++)
      for (int a = 0; a < m; a++) {
        f.b[i] += P[i][a]*flat.b[a];
        for (int j = 0; j < 3*k; j++)
          for (int b = 0; b < m; b++) f.G[i*3*k + j] += P[i][a]*flat.G[a*m + b]*P[j][b];
      }
    long before = calls;
    connect(&f);
    assert_int_equal(solve(&f), SS_OK);
    assert_int_equal(calls - before, 1);  // the arena
    connect(&flat);
    ss_lcp_def def = ss_lcp_def_default();
    ss_arena* arena = ss_arena_create(ss_contact_solve_size(0, k));
    assert_int_equal(ss_contact_solve(&flat.p, &def, arena, &flat.s), SS_OK);
    ss_arena_destroy(arena);
    for (int i = 0; i < 3*k; i++) {
      double expected = 0;
      for (int a = 0; a < m; a++) expected += P[i][a]*flat.Lambda[a];
      assert_true(fabs(f.Lambda[i] - expected) < 1e-10);
    }
    assert_true(f.s.residual < 1e-12);
  }
}

// Two links of a pendulum on wall and floor, from a run: sweeps crawl along a nearly flat valley here
static void test_crawling(void** state)
{
  (void)state;
  fixture f = {.p = {.n_contact = 2, .m = 6}, .kind = {SS_CONTACT_SPATIAL, SS_CONTACT_SPATIAL}, .mu = {0.5, 0.5},
               .b = {-0.0714490450, 0.000881767323, 0, -0.0791217556, 0.0133129189, 0}};
  const double G[16] = {0.464323205, -0.152518901, 0.416416406, -0.0748711831, -0.152518901, 1.52608525, 0.0669819903,
                        1.17030179,  0.416416406,  0.0669819903, 0.481763347,  -0.0389234777, -0.0748711831, 1.17030179,
                        -0.0389234777, 1.11200760};
  const int row[4] = {0, 1, 3, 4};
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) f.G[6*row[i] + row[j]] = G[4*i + j];
  long before = calls;
  assert_int_equal(solve(&f), SS_OK);
  assert_int_equal(calls - before, 1);
  assert_true(f.s.residual < 1e-14 && f.s.iterations < 20);
}

// A block pressed by two opposite walls (normals +x and -x), gravity along z: bilateral-free, G singular. The walls
// press with the impulse P each (b_N < 0 by a spindle row), friction holds the weight as long as 2 mu P >= m g dt.
static void test_block_between_walls(void** state)
{
  (void)state;
  const double weight = 1;  // m = 1: velocity after free fall
  for (int slides = 0; slides < 2; slides++) {
    fixture f = {.p = {.n_bilateral = 0, .n_contact = 2, .m = 6}, .kind = {SS_CONTACT_SPATIAL, SS_CONTACT_SPATIAL}};
    double press = slides ? 0.6 : 2;
    f.mu[0] = f.mu[1] = 0.5;
    // rows: (x, y, z) of the block against the left wall, (x', y, z) against the right one, which is a body of mass 1
    const double W[6][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {-1, 0, 0, 1}, {0, 1, 0, 0}, {0, 0, 1, 0}};
    const double v[4] = {0, 0, -weight, -press};
    for (int i = 0; i < 6; i++)
      for (int d = 0; d < 4; d++) {
        f.b[i] += W[i][d]*v[d];
        for (int j = 0; j < 6; j++) f.G[i*6 + j] += W[i][d]*W[j][d];
      }
    assert_int_equal(solve(&f), SS_OK);
    assert_float_equal(f.Lambda[0], press, 1e-7);
    assert_float_equal(f.Lambda[3], press, 1e-7);
    assert_float_equal(f.Lambda[2] + f.Lambda[5], fmin(weight, 2*0.5*press), 1e-7);
    assert_float_equal(f.xi[2], slides ? -weight + press : 0, 1e-7);
    for (int c = 0; c < 2; c++) assert_int_equal(f.state[c], slides ? SS_SLIP : SS_STICK);
  }
}

// ---- units, memory, warm starts ----

// Other units of mass and of velocity, powers of two: the same number to the last bit
static void test_residual_has_no_unit(void** state)
{
  (void)state;
  fixture f, g;
  random_problem(&f, true);
  connect(&f);
  g = f;
  connect(&g);
  double Lambda[MOST], other[MOST], mass = 0x1p12, velocity = 0x1p-20;
  for (int i = 0; i < f.p.m; i++) {
    Lambda[i] = random_number();
    other[i] = Lambda[i]*mass*velocity;
    g.b[i] *= velocity;
  }
  for (int i = 0; i < f.p.m*f.p.m; i++) g.G[i] /= mass;
  for (int c = 0; c < f.p.n_contact; c++) g.bound[c] *= mass*velocity;
  double r = ss_spatial_residual(&f.p, Lambda);
  assert_true(r > 0);
  assert_true(r == ss_spatial_residual(&g.p, other));
  assert_true(ss_contact_residual(&f.p, Lambda) == r || f.kind[0] != SS_CONTACT_SPATIAL);
  Lambda[0] = NAN;
  assert_true(isinf(ss_spatial_residual(&f.p, Lambda)));
}

// A contact whose second tangent nothing moves, as in a planar mechanism: plain pivoting ends on a ray
static void test_polyhedral_across(void** state)
{
  (void)state;
  const double G[9] = {0.57877978954150533, 0.26717608754327943, 0, 0.26717608754327943, 0.75639145397308172, 0};
  const double b[3] = {-0.072623364348838496, -0.47337435793511595, 0}, mu = 0.5, bound = 0;
  const ss_contact_kind kind = SS_CONTACT_SPATIAL;
  ss_contact_problem p = {.n_contact = 1, .m = 3, .G = G, .b = b, .kind = &kind, .mu = &mu, .bound = &bound};
  double Lambda[3], xi[3], N = -b[0]/(G[0] + mu*G[1]);  // slides against T1: Lambda_T1 = mu Lambda_N
  ss_contact_state s;
  ss_contact_solution out = {.Lambda = Lambda, .xi = xi, .state = &s};
  ss_friction_def def = ss_friction_def_default();
  def.polyhedral = true;
  ss_arena* arena = ss_arena_create(ss_contact_solve_spatial_size(0, 1));
  const ss_friction_method by[] = {SS_FRICTION_AUTO, SS_FRICTION_MLCP_PATH, SS_FRICTION_MLCP_PFB_RLM};
  for (int k = 0; k < 3; k++) {
    def.method = by[k];
    assert_int_equal(ss_contact_solve_spatial(&p, &def, arena, &out), SS_OK);
    assert_true(fabs(Lambda[0] - N) < 1e-7*N && fabs(Lambda[1] - mu*N) < 1e-7*N);
  }
  ss_arena_destroy(arena);
}

static void test_no_allocation(void** state)
{
  (void)state;
  ss_friction_def def = ss_friction_def_default();
  ss_arena* arena = ss_arena_create(ss_contact_solve_spatial_size(10, 10));
  int went_elsewhere = 0;
  for (int n = 0; n < 500; n++) {
    fixture f;
    random_problem(&f, true);
    connect(&f);
    def.warm_start = false;
    long before = calls;
    assert_int_equal(ss_contact_solve_spatial(&f.p, &def, arena, &f.s), SS_OK);
    went_elsewhere += calls != before;
    def.warm_start = true;
    before = calls;
    assert_int_equal(ss_contact_solve_spatial(&f.p, &def, arena, &f.s), SS_OK);
    assert_int_equal(calls, before);  // a solution is recognised
    assert_true(f.s.iterations <= 4);  // steps towards round-off
    assert_int_equal(ss_arena_mark(arena), 0);
  }
  ss_arena_destroy(arena);
  if (went_elsewhere > 5) fail_msg("%d of 500 problems were not solved in the arena", went_elsewhere);
}

// Too small an arena is an error and no crash
static void test_arena(void** state)
{
  (void)state;
  fixture f;
  ss_friction_def def = ss_friction_def_default();
  random_problem(&f, true);
  connect(&f);
  ss_arena* arena = ss_arena_create(256);
  assert_int_equal(ss_contact_solve_spatial(&f.p, &def, arena, &f.s), SS_ERR_CAPACITY);
  ss_arena_destroy(arena);
}

static void test_other_methods(void** state)
{
  (void)state;
  for (int method = 0; method < SS_FRICTION_METHODS; method++) {
    fixture f;
    ss_friction_def def = ss_friction_def_default();
    sphere(&f, 2, 0.1, -1, 3, -4);
    def.method = (ss_friction_method)method;
    assert_int_equal(solve_with(&f, &def), SS_OK);
    assert_float_equal(f.Lambda[1], -0.1*2*0.6, 1e-7);
    assert_int_equal(f.state[0], SS_SLIP);
  }
}

static void test_nothing_to_do(void** state)
{
  (void)state;
  fixture f;
  sphere(&f, 2, 0.1, 0, 0, 0);
  assert_int_equal(solve(&f), SS_OK);
  assert_int_equal(f.state[0], SS_STICK);  // it touches, and stays
  assert_true(f.s.residual == 0);
  f = (fixture){0};
  assert_int_equal(solve(&f), SS_OK);
}

// A slip in the last digits of a velocity: friction below its limit holds, at its limit it rubs
static void test_last_digits(void** state)
{
  (void)state;
  const double G[4] = {1, 0, 0, 1}, b[2] = {-1, 1}, mu = 0.5, bound = 0;
  const ss_contact_kind kind = SS_CONTACT_PLANAR;
  ss_contact_problem p = {.n_contact = 1, .m = 2, .G = G, .b = b, .kind = &kind, .mu = &mu, .bound = &bound};
  double Lambda[2] = {1, 0.2}, xi[2] = {0, 1e-11}, size[2];
  ss_contact_state found = SS_OPEN;
  ss_contact_solution s = {.Lambda = Lambda, .xi = xi, .state = &found};
  ss_spatial_states(&p, 0, size, &s);
  assert_int_equal(found, SS_STICK);
  Lambda[1] = -0.5;
  ss_spatial_states(&p, 0, size, &s);
  assert_int_equal(found, SS_SLIP_POS);
  Lambda[1] = 0.2;
  xi[1] = 1e-6;  // clearly a slip, whatever friction does
  ss_spatial_states(&p, 0, size, &s);
  assert_int_equal(found, SS_SLIP_POS);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_sphere_sticks),
    cmocka_unit_test(test_sphere_slides),
    cmocka_unit_test(test_sphere_leaves_and_glides),
    cmocka_unit_test(test_bad_input),
    cmocka_unit_test(test_agrees_with_the_other_solver),
    cmocka_unit_test(test_states_fit_impulses),
    cmocka_unit_test(test_planar_through_the_spatial_path),
    cmocka_unit_test(test_empty_row), cmocka_unit_test(test_planar_mechanism), cmocka_unit_test(test_crawling),
    cmocka_unit_test(test_block_between_walls),
    cmocka_unit_test(test_residual_has_no_unit),
    cmocka_unit_test(test_polyhedral_across), cmocka_unit_test(test_no_allocation),
    cmocka_unit_test(test_arena),
    cmocka_unit_test(test_other_methods),
    cmocka_unit_test(test_nothing_to_do),
    cmocka_unit_test(test_last_digits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
