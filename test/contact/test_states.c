// All solutions by contact states: none, one, two, three and families with known members.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <stickslip/stickslip.h>

#include "../math/matrices.h"

static ss_contact_solutions* all_of(const ss_contact_problem* p)
{
  ss_lcp_def def = ss_lcp_def_default();
  ss_contact_solutions* all = NULL;
  assert_int_equal(ss_contact_enumerate(p, &def, &all), SS_OK);
  assert_non_null(all);
  assert_true(all->complete);
  for (int k = 0; k < all->n_pieces; k++)
    for (int v = 0; v < all->pieces[k].n_vertices; v++)
      assert_true(ss_contact_residual(p, all->pieces[k].vertices + v*p->m) <= 1e-10);
  return all;
}

static bool equal(int n, const double* a, const double* b)
{
  for (int i = 0; i < n; i++)
    if (!(fabs(a[i] - b[i]) <= 1e-9)) return false;
  return true;
}

// The isolated solution (Lambda, xi) with this state of its one contact is in the list
static void has_point(const ss_contact_solutions* all, ss_contact_state state, double N, double T, double xi_N,
                      double xi_T)
{
  const double Lambda[] = {N, T}, xi[] = {xi_N, xi_T};
  for (int k = 0; k < all->n_pieces; k++) {
    const ss_contact_piece* p = &all->pieces[k];
    if (p->n_vertices == 1 && p->n_rays == 0 && p->state[0] == state && equal(2, p->vertices, Lambda) &&
        equal(2, p->xi, xi))
      return;
  }
  fail_msg("%s with Lambda = (%g, %g) is missing among %d", ss_contact_state_text(state), N, T, all->n_pieces);
}

// A rod, m = 1, J = 1/3, touches a floor at (-0.6, -0.8) from its centre and turns with omega: b = W^T h + w_bar
typedef struct rod {
  double G[4], b[2], mu, bound;
  ss_contact_kind kind;
  int slide;
  ss_contact_problem p;
} rod;

static void make_rod(rod* r, double hx, double hy, double omega, double mu, int slide)
{
  *r = (rod){.G = {2.08, -1.44, -1.44, 2.92}, .b = {hy + 0.8*omega*omega, hx + 0.6*omega*omega}, .mu = mu,
             .kind = SS_CONTACT_PLANAR, .slide = slide};
  r->p = (ss_contact_problem){.n_contact = 1, .m = 2, .G = r->G, .b = r->b, .kind = &r->kind, .mu = &r->mu,
                              .bound = &r->bound, .slide = &r->slide};
}

static const struct {
  double hx, hy, omega, mu;
  int slide;
  ss_contact_state state;
  double Lambda[2], xi[2];
} accelerations[] = {
  {-6, -10, 0, 1, 0, SS_STICK, {9.46, 6.72}, {0, 0}},
  {20, -10, 0, 0.5, 0, SS_SLIP_POS, {3.571428571428571, -1.785714285714286}, {0, 9.642857142857143}},
  {-20, -10, 0, 0.5, 0, SS_SLIP_NEG, {7.352941176470588, 3.676470588235294}, {0, -19.85294117647059}},
  {1, 5, 0, 0.5, 0, SS_OPEN, {0, 0}, {5, 1}},
  {0, -10, 1, 0.5, 1, SS_SLIP_POS, {3.285714285714286, -1.642857142857143}, {0, -8.928571428571429}},
  {0, -10, 1, 0.5, -1, SS_SLIP_NEG, {6.764705882352941, 3.382352941176471}, {0, 0.735294117647059}},
  {0, -10, 4, 0.5, 1, SS_OPEN, {0, 0}, {2.8, 9.6}},
};

// Detachment, stick and slip on the level of accelerations: one solution each, and the solver finds it
static void test_accelerations(void** state)
{
  (void)state;
  for (size_t i = 0; i < sizeof accelerations/sizeof *accelerations; i++) {
    rod r;
    double Lambda[2], xi[2];
    ss_contact_state found;
    ss_contact_solution s = {.Lambda = Lambda, .xi = xi, .state = &found};
    ss_lcp_def def = ss_lcp_def_default();
    ss_arena* arena = ss_arena_create(ss_contact_solve_size(0, 1));
    make_rod(&r, accelerations[i].hx, accelerations[i].hy, accelerations[i].omega, accelerations[i].mu,
             accelerations[i].slide);
    ss_contact_solutions* all = all_of(&r.p);
    assert_int_equal(all->count, SS_LCP_FINITE);
    assert_int_equal(all->n_pieces, 1);
    has_point(all, accelerations[i].state, accelerations[i].Lambda[0], accelerations[i].Lambda[1],
              accelerations[i].xi[0], accelerations[i].xi[1]);
    for (int form = 0; form < SS_PLANAR_FORMS; form++) {
      assert_int_equal(ss_contact_solve_form(&r.p, form, &def, arena, &s), SS_OK);
      assert_true(equal(2, Lambda, accelerations[i].Lambda) && equal(2, xi, accelerations[i].xi));
      assert_int_equal(found, accelerations[i].state);
    }
    ss_contact_solutions_destroy(all);
    ss_arena_destroy(arena);
  }
}

// Painleve's rod slides with mu = 2: no solution at rest, two when it turns fast enough
static void test_painleve(void** state)
{
  (void)state;
  rod r;
  make_rod(&r, 0, -10, 0, 2, -1);
  ss_contact_solutions* all = all_of(&r.p);
  assert_int_equal(all->count, SS_LCP_NONE);
  assert_int_equal(all->n_pieces, 0);
  ss_contact_solutions_destroy(all);

  double Lambda[2], xi[2];
  ss_contact_state found;
  ss_contact_solution s = {.Lambda = Lambda, .xi = xi, .state = &found};
  ss_lcp_def def = ss_lcp_def_default();
  ss_arena* arena = ss_arena_create(ss_contact_solve_size(0, 1));
  assert_int_equal(ss_contact_solve(&r.p, &def, arena, &s), SS_RAY);
  ss_arena_destroy(arena);

  make_rod(&r, 0, -10, 4, 2, -1);
  all = all_of(&r.p);
  assert_int_equal(all->n_pieces, 2);
  has_point(all, SS_OPEN, 0, 0, 2.8, 9.6);
  has_point(all, SS_SLIP_NEG, 3.5, 7, 0, 25);
  ss_contact_solutions_destroy(all);
}

static void test_three_at_rest(void** state)
{
  (void)state;
  rod r;
  make_rod(&r, -10, 1, 0, 2, 0);
  ss_contact_solutions* all = all_of(&r.p);
  assert_int_equal(all->n_pieces, 3);
  assert_int_equal(all->count, SS_LCP_FINITE);
  has_point(all, SS_OPEN, 0, 0, 1, -10);
  has_point(all, SS_STICK, 2.87, 4.84, 0, 0);
  has_point(all, SS_SLIP_NEG, 1.25, 2.5, 0, -4.5);
  ss_contact_solutions_destroy(all);

  // the pendulum of Ma et al. (2016), m = l = 1, tan theta = 2, mu = 2, F = (-8, 1): G is the inverse of their matrix
  const double s = 2/sqrt(5), c = 1/sqrt(5), M[] = {(1 + 3*s*s)/4, 3*s*c/4, (1 + 3*c*c)/4};
  const double det = M[0]*M[2] - M[1]*M[1];
  r.G[0] = M[2]/det;
  r.G[1] = r.G[2] = -M[1]/det;
  r.G[3] = M[0]/det;
  r.b[0] = 1;
  r.b[1] = -8;
  r.mu = 2;
  all = all_of(&r.p);
  assert_int_equal(all->n_pieces, 3);
  for (int k = 0; k < 3; k++) {
    static const ss_contact_state expected[] = {SS_OPEN, SS_STICK, SS_SLIP_NEG};
    assert_int_equal(all->pieces[k].state[0], expected[k]);
  }
  ss_contact_solutions_destroy(all);
}

// A block on two feet at (-+1, -0.5), J = 1/3: rows N1, T1, N2, T2; only the sum of the friction forces matters
static void test_redundant_block(void** state)
{
  (void)state;
  const double W[4][3] = {{0, 1, -1}, {1, 0, 0.5}, {0, 1, 1}, {1, 0, 0.5}}, invM[] = {1, 1, 3};
  const double zero[2] = {0}, mu[] = {0.5, 0.5};
  const ss_contact_kind kind[] = {SS_CONTACT_PLANAR, SS_CONTACT_PLANAR};
  double G[16], b[4];
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      G[4*i + j] = 0;
      for (int k = 0; k < 3; k++) G[4*i + j] += W[i][k]*invM[k]*W[j][k];
    }
  for (int pull = 3; pull <= 8; pull += 5) {
    for (int i = 0; i < 4; i++) b[i] = W[i][0]*pull - 10*W[i][1];
    ss_contact_problem p = {.n_contact = 2, .m = 4, .G = G, .b = b, .kind = kind, .mu = mu, .bound = zero};
    ss_contact_solutions* all = all_of(&p);
    assert_int_equal(all->n_pieces, 1);
    const ss_contact_piece* piece = all->pieces;
    assert_true(piece->xi_unique);
    if (pull == 3) {
      assert_int_equal(all->count, SS_LCP_INFINITE);
      assert_int_equal(piece->n_vertices, 2);
      assert_int_equal(piece->n_rays, 0);
      for (int v = 0; v < 2; v++) {
        const double* L = piece->vertices + 4*v;
        assert_true(fabs(L[0] - 4.25) <= 1e-9 && fabs(L[2] - 5.75) <= 1e-9 && fabs(L[1] + L[3] + 3) <= 1e-9);
        // one foot at its limit
        assert_true(fabs(fabs(L[1]) - 0.5*L[0]) <= 1e-9 || fabs(fabs(L[3]) - 0.5*L[2]) <= 1e-9);
      }
      assert_true(piece->state[0] == SS_STICK && piece->state[1] == SS_STICK);
    } else {
      assert_int_equal(all->count, SS_LCP_FINITE);
      assert_true(equal(4, piece->vertices, (const double[]){3.75, -1.875, 6.25, -3.125}));
      assert_true(piece->state[0] == SS_SLIP_POS && piece->state[1] == SS_SLIP_POS);
    }
    ss_contact_solutions_destroy(all);
  }
}

// A thin flat rod slides on contacts at -1, 0, 1 with different friction: how the load is shared changes the friction
static void test_redundant_sliding(void** state)
{
  (void)state;
  const double mu[] = {0.2, 0.8, 0.2}, zero[3] = {0};
  const int slide[] = {1, 1, 1};
  const ss_contact_kind kind[] = {SS_CONTACT_PLANAR, SS_CONTACT_PLANAR, SS_CONTACT_PLANAR};
  double G[36] = {0}, b[6];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      G[12*i + 2*j] = 1 + 3*(i - 1)*(j - 1);
      G[12*i + 6 + 2*j + 1] = 1;
    }
    b[2*i] = -10;
    b[2*i + 1] = 0;
  }
  ss_contact_problem p = {.n_contact = 3, .m = 6, .G = G, .b = b, .kind = kind, .mu = mu, .bound = zero,
                          .slide = slide};
  ss_contact_solutions* all = all_of(&p);
  assert_int_equal(all->count, SS_LCP_INFINITE);
  assert_int_equal(all->n_pieces, 1);
  const ss_contact_piece* piece = all->pieces;
  assert_false(piece->xi_unique);
  assert_int_equal(piece->n_vertices, 2);
  for (int v = 0; v < 2; v++) {
    double q = piece->vertices[6*v];
    assert_true(fabs(q) <= 1e-9 || fabs(q - 5) <= 1e-9);
    assert_true(fabs(piece->vertices[6*v + 2] - (10 - 2*q)) <= 1e-9);
    assert_true(fabs(piece->xi[6*v + 1] - (-8 + 1.2*q)) <= 1e-9);
  }
  ss_contact_solutions_destroy(all);
}

// Wedged between two walls a point carries any self-stress: a ray
static void test_jam_is_a_ray(void** state)
{
  (void)state;
  const double G[] = {1, 0, -1, 0, 0, 1, 0, 1, -1, 0, 1, 0, 0, 1, 0, 1}, b[] = {0, -1, 0, -1}, mu[] = {0.5, 0.5};
  const double zero[2] = {0};
  const ss_contact_kind kind[] = {SS_CONTACT_PLANAR, SS_CONTACT_PLANAR};
  ss_contact_problem p = {.n_contact = 2, .m = 4, .G = G, .b = b, .kind = kind, .mu = mu, .bound = zero};
  ss_contact_solutions* all = all_of(&p);
  assert_int_equal(all->count, SS_LCP_INFINITE);
  bool ray = false;
  for (int k = 0; k < all->n_pieces; k++)
    for (int q = 0; q < all->pieces[k].n_rays; q++) {
      const double* d = all->pieces[k].rays + 4*q;
      ray = true;
      assert_true(fabs(d[0] - d[2]) <= 1e-12 && d[0] > 0);  // both walls press alike
    }
  assert_true(ray);
  ss_contact_solutions_destroy(all);
}

// A bilateral row holds the tangential direction of one contact: no friction remains to be found
static void test_bilateral(void** state)
{
  (void)state;
  const double G[] = {1, 0, 1, 0, 1, 0, 1, 0, 1}, b[] = {3, -2, 3}, mu = 0.5, bound = 0;  // rows: T held, N, T
  const ss_contact_kind kind = SS_CONTACT_PLANAR;
  ss_contact_problem p = {.n_bilateral = 1, .n_contact = 1, .m = 3, .G = G, .b = b, .kind = &kind, .mu = &mu,
                          .bound = &bound};
  ss_contact_solutions* all = all_of(&p);
  assert_int_equal(all->count, SS_LCP_INFINITE);  // the bilateral row and friction share -3
  assert_int_equal(all->n_pieces, 1);
  for (int v = 0; v < all->pieces[0].n_vertices; v++) {
    const double* L = all->pieces[0].vertices + 3*v;
    assert_true(fabs(L[0] + L[2] + 3) <= 1e-12 && fabs(L[1] - 2) <= 1e-12);
  }
  ss_contact_solutions_destroy(all);
}

// A bound acts on a contact without load, too: the friction of the second contact, at its bound, pulls the first one
// closed, although its normal impulse would push
static void test_bound_without_load(void** state)
{
  (void)state;
  const double G[] = {1, 0.7, 0.6, 0.7, 1, 0, 0.6, 0, 1}, b[] = {0.1, 1, 1}, mu[2] = {0}, bound[] = {0, 1};
  const ss_contact_kind kind[] = {SS_CONTACT_NORMAL, SS_CONTACT_PLANAR};
  ss_contact_problem p = {.n_contact = 2, .m = 3, .G = G, .b = b, .kind = kind, .mu = mu, .bound = bound};
  ss_contact_solutions* all = all_of(&p);
  assert_int_equal(all->n_pieces, 1);
  assert_int_equal(all->pieces[0].n_vertices, 1);
  assert_true(equal(3, all->pieces[0].vertices, (const double[]){0.5, 0, -1}));
  ss_contact_solutions_destroy(all);
}

enum { MOST = 3, MOST_ROWS = 2*MOST + 2 };

typedef struct random_problem {
  double G[MOST_ROWS*MOST_ROWS], b[MOST_ROWS], mu[MOST], bound[MOST];
  ss_contact_kind kind[MOST];
  int slide[MOST];
  ss_contact_problem p;
} random_problem;

// Contacts of all kinds, about half of the coefficients, bounds and senses of sliding zero, up to two bilateral rows
static void make_random(random_problem* r, uint64_t* seed)
{
  static const ss_contact_kind kinds[] = {SS_CONTACT_NORMAL, SS_CONTACT_PLANAR, SS_CONTACT_PLANAR, SS_CONTACT_FRICTION};
  int k = 1 + (int)(MOST*fabs(uniform(seed))), nb = (int)(3*fabs(uniform(seed))), m = nb;
  for (int i = 0; i < k; i++) {
    r->kind[i] = kinds[(int)(4*fabs(uniform(seed)))];
    r->mu[i] = fmax(0, 4*uniform(seed));
    r->bound[i] = fmax(0, uniform(seed));
    double sense = uniform(seed);
    r->slide[i] = (sense > 0.7) - (sense < -0.7);
    m += r->kind[i] == SS_CONTACT_PLANAR ? 2 : 1;
  }
  fill_spd(m, m, 0.05, r->G, seed);
  fill_uniform(m, r->b, seed);
  r->p = (ss_contact_problem){.n_bilateral = nb, .n_contact = k, .m = m, .G = r->G, .b = r->b, .kind = r->kind,
                              .mu = r->mu, .bound = r->bound, .slide = r->slide};
}

static bool is_listed(const ss_contact_solutions* all, const double* Lambda)
{
  for (int k = 0; k < all->n_pieces; k++)
    for (int v = 0; v < all->pieces[k].n_vertices; v++)
      if (equal(all->m, all->pieces[k].vertices + v*all->m, Lambda)) return true;
  return false;
}

// Every basis of the short form, which knows no states, gives a solution that is in the list
static void compare_with_bases(const ss_contact_problem* p, const ss_contact_solutions* all, bool* seen)
{
  ss_lcp_def def = ss_lcp_def_default();
  ss_lcp_solutions* bases = NULL;
  assert_int_equal(ss_planar_enumerate(p, SS_PLANAR_SHORT, &def, &bases), SS_OK);
  assert_true(bases->complete);
  for (int k = 0; k < bases->n_pieces; k++)
    for (int v = 0; v < bases->pieces[k].n_vertices; v++) {
      double Lambda[MOST_ROWS];
      assert_int_equal(ss_planar_impulses(p, SS_PLANAR_SHORT, bases->pieces[k].vertices + v*bases->n, Lambda), SS_OK);
      if (!is_listed(all, Lambda)) fail_msg("a solution of the LCP is missing among %d by states", all->n_pieces);
      for (int i = 0; i < all->n_pieces; i++) seen[i] |= equal(p->m, all->pieces[i].vertices, Lambda);
    }
  ss_lcp_solutions_destroy(bases);
}

// States and bases are two ways to all solutions. G is regular, so that these are points.
static void test_states_against_bases(void** state)
{
  (void)state;
  uint64_t seed = 3;
  int several = 0, none = 0;
  for (int turn = 0; turn < 2000; turn++) {
    random_problem r;
    int n = 0;
    make_random(&r, &seed);
    assert_int_equal(ss_planar_lcp(&r.p, SS_PLANAR_SHORT, &n, NULL, NULL), SS_OK);
    if (n == 0) continue;
    bool seen[64] = {false};
    ss_contact_solutions* all = all_of(&r.p);
    assert_true(all->count != SS_LCP_INFINITE && all->n_pieces <= 64);
    compare_with_bases(&r.p, all, seen);
    for (int k = 0; k < all->n_pieces; k++) assert_true(seen[k]);
    several += all->n_pieces > 1;
    none += all->n_pieces == 0;
    ss_contact_solutions_destroy(all);
  }
  assert_true(several > 10 && none > 10);  // the interesting cases are among them
}

static void test_refusals(void** state)
{
  (void)state;
  rod r;
  ss_lcp_def def = ss_lcp_def_default();
  ss_contact_solutions* all = NULL;
  make_rod(&r, 0, -10, 0, 0.5, 2);
  assert_int_equal(ss_contact_enumerate(&r.p, &def, &all), SS_ERR_ARGUMENT);  // slide is a sign
  make_rod(&r, NAN, -10, 0, 0.5, 0);
  assert_int_equal(ss_contact_enumerate(&r.p, &def, &all), SS_ERR_NUMERIC);
  assert_int_equal(ss_contact_enumerate(NULL, &def, &all), SS_ERR_ARGUMENT);
  assert_null(all);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_accelerations),
    cmocka_unit_test(test_painleve),
    cmocka_unit_test(test_three_at_rest),
    cmocka_unit_test(test_redundant_block),
    cmocka_unit_test(test_redundant_sliding),
    cmocka_unit_test(test_jam_is_a_ray),
    cmocka_unit_test(test_bilateral),
    cmocka_unit_test(test_bound_without_load),
    cmocka_unit_test(test_states_against_bases),
    cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
