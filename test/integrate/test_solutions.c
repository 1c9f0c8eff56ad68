// All solutions at a state against closed forms: a rod on its end (m = 1, J = 1/3, end at (-0.6, -0.8) from the centre:
// G_NN = 2.08, G_NT = -1.44, G_TT = 2.92), a block on two feet, a thin rod on three supports, impacts by both laws.
#include "run.h"

static const char* rod =
  "parameters: {Fx: 0, Fy: -10, mu: 0.5, e: 0, v: 0, vy: 0, w: 0}\n"
  "coordinates: {x: m, y: m, phi: rad}\n"
  "definitions: {x_c: x - 0.6*cos(phi) + 0.8*sin(phi), y_c: y - 0.6*sin(phi) - 0.8*cos(phi)}\n"
  "kinetic: (x'^2 + y'^2 + phi'^2/3)/2\n"
  "forces: {x: Fx, y: Fy}\n"
  "contacts: {tip: {gap: y_c, slide: x_c', mu: mu, eps_n: e}}\n"
  "initial: {y: 0.8, x': v - 0.8*w, y': vy + 0.6*w, phi': w}\n";

static const char* block =
  "parameters: {F: 3, mu: 0.5}\n"
  "coordinates: {x: m, y: m, phi: rad}\n"
  "definitions: {xl: x - cos(phi) + 0.5*sin(phi), yl: y - sin(phi) - 0.5*cos(phi),\n"
  "              xr: x + cos(phi) + 0.5*sin(phi), yr: y + sin(phi) - 0.5*cos(phi)}\n"
  "kinetic: (x'^2 + y'^2 + phi'^2/3)/2\n"
  "forces: {x: F, y: -10}\n"
  "contacts: {left: {gap: yl, slide: xl', mu: mu}, right: {gap: yr, slide: xr', mu: mu}}\n"
  "initial: {y: 0.5}\n";

static const char* supports =
  "parameters: {v: 1, vy: 0, mu: 0.2, mid: 0.8, e: 0, e_mid: 0}\n"
  "coordinates: {x: m, y: m, phi: rad}\n"
  "kinetic: (x'^2 + y'^2 + phi'^2/3)/2\n"
  "forces: {y: -10}\n"
  "contacts:\n"
  "  a: {gap: y - phi, slide: x', mu: mu, eps_n: e}\n"
  "  b: {gap: y, slide: x', mu: mid, eps_n: e_mid}\n"
  "  c: {gap: y + phi, slide: x', mu: mu, eps_n: e}\n"
  "initial: {x': v, y': vy}\n";

typedef struct asked {
  ss_model* model;
  ss_state* state;
  ss_work* work;
  ss_solutions* s;
} asked;

// `set` ends with {NULL, NULL}
static asked ask(const char* text, const ss_override* set, ss_level level, ss_impact_law law)
{
  asked q = {0};
  ss_error error = {0};
  ss_model_def def = {.override = set};
  while (set[def.n_override].path) def.n_override++;
  q.model = ss_model_parse(text, strlen(text), "test", &def, &error);
  if (!q.model) fail_msg("line %d: %s", error.line, error.text);
  const ss_system* system = ss_model_system(q.model);
  q.state = ss_state_create(system);
  q.work = ss_work_create(system, &error);
  ss_model_initial(q.model, q.state);
  ss_solutions_def how = ss_solutions_def_default();
  how.level = level;
  how.impact = law;
  ss_status st = ss_solutions_at(system, &how, q.state, q.work, &q.s);
  if (st != SS_OK) fail_msg("%s: %s", ss_status_text(st), ss_work_message(q.work));
  return q;
}

static void forget(asked* q)
{
  ss_solutions_destroy(q->s);
  ss_work_destroy(q->work);
  ss_state_destroy(q->state);
  ss_model_destroy(q->model);
}

#define ASK(text, level, law, ...) ask(text, (const ss_override[]){__VA_ARGS__, {NULL, NULL}}, level, law)
#define ACCELERATIONS(text, ...) ASK(text, SS_LEVEL_ANY, SS_IMPACT_NEWTON, __VA_ARGS__)

// The isolated solution with this state of the only contact: forces and accelerations (N, T)
static void expect_point(const asked* q, ss_contact_state state, double N, double T, double xi_N, double xi_T)
{
  for (int k = 0; k < q->s->all->n_pieces; k++) {
    const ss_contact_piece* p = &q->s->all->pieces[k];
    if (p->state[0] != state) continue;
    assert_int_equal(p->n_vertices, 1);
    assert_int_equal(p->n_rays, 0);
    expect_near("Lambda_N", p->vertices[0], N, 1e-9);
    expect_near("Lambda_T", p->vertices[1], T, 1e-9);
    expect_near("xi_N", p->xi[0], xi_N, 1e-9);
    expect_near("xi_T", p->xi[1], xi_T, 1e-9);
    return;
  }
  fail_msg("no solution with state %s", ss_contact_state_text(state));
}

static void expect_count(const asked* q, ss_lcp_count count, int pieces)
{
  assert_true(q->s->all->complete);
  assert_int_equal(q->s->all->count, count);
  assert_int_equal(q->s->all->n_pieces, pieces);
}

// ---- one contact at rest ----

static void test_stick(void** state)
{
  (void)state;
  double a[3];
  asked q = ACCELERATIONS(rod, {"Fx", "-6"}, {"mu", "1"});
  assert_int_equal(q.s->level, SS_LEVEL_ACCELERATION);
  assert_true(q.s->contact[0].touches && q.s->contact[0].stays && q.s->contact[0].rests && !q.s->contact[0].hits);
  expect_count(&q, SS_LCP_FINITE, 1);
  expect_point(&q, SS_STICK, 9.46, 6.72, 0, 0);
  ss_solutions_motion(q.s, q.s->all->pieces[0].vertices, false, a);
  expect_near("x''", a[0], 0.72, 1e-12);
  expect_near("y''", a[1], -0.54, 1e-12);
  expect_near("phi''", a[2], -0.9, 1e-12);
  forget(&q);
}

static void test_slip_and_detach(void** state)
{
  (void)state;
  asked q = ACCELERATIONS(rod, {"Fx", "20"});
  expect_count(&q, SS_LCP_FINITE, 1);
  expect_point(&q, SS_SLIP_POS, 3.5714285714, -1.7857142857, 0, 9.6428571429);
  forget(&q);
  q = ACCELERATIONS(rod, {"Fx", "-20"});
  expect_count(&q, SS_LCP_FINITE, 1);
  expect_point(&q, SS_SLIP_NEG, 7.3529411765, 3.6764705882, 0, -19.8529411765);
  forget(&q);
  q = ACCELERATIONS(rod, {"Fx", "1"}, {"Fy", "5"});
  expect_count(&q, SS_LCP_FINITE, 1);
  expect_point(&q, SS_OPEN, 0, 0, 5, 1);
  forget(&q);
}

static void test_three_motions(void** state)
{
  (void)state;
  asked q = ACCELERATIONS(rod, {"Fx", "-10"}, {"Fy", "1"}, {"mu", "2"});
  expect_count(&q, SS_LCP_FINITE, 3);
  assert_int_equal(ss_solutions_count(q.s), 3);
  expect_point(&q, SS_OPEN, 0, 0, 1, -10);
  expect_point(&q, SS_STICK, 2.87, 4.84, 0, 0);
  expect_point(&q, SS_SLIP_NEG, 1.25, 2.5, 0, -4.5);
  forget(&q);
}

// ---- one contact that slides ----

static void test_keeps_sliding(void** state)
{
  (void)state;
  asked q = ACCELERATIONS(rod, {"v", "1"}, {"w", "1"});
  assert_true(q.s->contact[0].stays && !q.s->contact[0].rests);
  assert_int_equal(q.s->contact[0].slide, 1);
  expect_count(&q, SS_LCP_FINITE, 1);
  expect_point(&q, SS_SLIP_POS, 3.2857142857, -1.6428571429, 0, -8.9285714286);
  forget(&q);
  q = ACCELERATIONS(rod, {"v", "-1"}, {"w", "1"});
  expect_point(&q, SS_SLIP_NEG, 6.7647058824, 3.3823529412, 0, 0.7352941176);
  assert_int_equal(q.s->painleve, SS_PAINLEVE_REGULAR);
  forget(&q);
  q = ACCELERATIONS(rod, {"v", "1"}, {"w", "4"});
  expect_count(&q, SS_LCP_FINITE, 1);
  expect_point(&q, SS_OPEN, 0, 0, 2.8, 9.6);
  forget(&q);
}

static void test_painleve(void** state)
{
  (void)state;
  asked q = ACCELERATIONS(rod, {"v", "-1"}, {"mu", "2"});
  expect_count(&q, SS_LCP_NONE, 0);
  assert_int_equal(ss_solutions_count(q.s), 0);
  assert_int_equal(q.s->painleve, SS_PAINLEVE_INCONSISTENT);
  expect_near("a", q.s->a, -0.8, 1e-14);
  expect_near("b", q.s->b, -10, 1e-14);
  forget(&q);
  q = ACCELERATIONS(rod, {"v", "-1"}, {"mu", "2"}, {"w", "4"});
  expect_count(&q, SS_LCP_FINITE, 2);
  assert_int_equal(q.s->painleve, SS_PAINLEVE_INDETERMINATE);
  expect_point(&q, SS_OPEN, 0, 0, 2.8, 9.6);
  expect_point(&q, SS_SLIP_NEG, 3.5, 7, 0, 25);
  forget(&q);
}

// Smallest mu at which a rod that slides has not exactly one motion:  mu_c = (kappa + cos^2)/(sin cos),
// kappa = 4 J/(m l^2) = 1/3 for a uniform rod  [Stewart 2000, (1.5)]. By bisection on the number of solutions.
static void test_painleve_boundary(void** state)
{
  (void)state;
  for (int degrees = 35; degrees <= 85; degrees += 10) {
    double theta = degrees*3.14159265358979323846/180, low = 0.1, high = 20;
    double exact = (1/3.0 + cos(theta)*cos(theta))/(sin(theta)*cos(theta));
    while (high - low > 1e-9) {
      char angle[40], mu[40];
      double middle = (low + high)/2;
      snprintf(angle, sizeof angle, "%.17g", theta);
      snprintf(mu, sizeof mu, "%.17g", middle);
      const ss_override set[] = {{"theta0", angle}, {"mu", mu}, {NULL, NULL}};
      run r = run_open("painleve", 1, set);
      ss_solutions* s = NULL;
      ss_solutions_def def = ss_solutions_def_default();
      assert_int_equal(ss_solutions_at(r.system, &def, r.state, r.work, &s), SS_OK);
      if (ss_solutions_count(s) == 1) low = middle;
      else high = middle;
      ss_solutions_destroy(s);
      run_close(&r);
    }
    expect_near("critical friction", high, exact, 1e-8);
  }
}

// ---- families ----

// The split of the friction between two feet that stick is free, the motion is not.
static void test_redundant_stick(void** state)
{
  (void)state;
  double a[3];
  asked q = ACCELERATIONS(block, {"F", "3"});
  expect_count(&q, SS_LCP_INFINITE, 1);
  assert_int_equal(ss_solutions_count(q.s), 1);
  const ss_contact_piece* p = &q.s->all->pieces[0];
  assert_int_equal(p->n_vertices, 2);
  for (int v = 0; v < 2; v++) {
    const double* L = p->vertices + 4*v;
    expect_near("left", L[0], 4.25, 1e-12);
    expect_near("right", L[2], 5.75, 1e-12);
    expect_near("friction", L[1] + L[3], -3, 1e-12);
    ss_solutions_motion(q.s, L, false, a);
    for (int j = 0; j < 3; j++) expect_near("acceleration", a[j], 0, 1e-12);
  }
  forget(&q);
  q = ACCELERATIONS(block, {"F", "8"});
  expect_count(&q, SS_LCP_FINITE, 1);
  p = &q.s->all->pieces[0];
  const double exact[] = {3.75, -1.875, 6.25, -3.125};
  for (int r = 0; r < 4; r++) expect_near("force", p->vertices[r], exact[r], 1e-12);
  ss_solutions_motion(q.s, p->vertices, false, a);
  expect_near("x''", a[0], 3, 1e-12);
  forget(&q);
}

// lambda_N = (q, 10 - 2 q, q), 0 <= q <= 5, x'' = -8 + 1.2 q: supports with different friction are different motions.
static void test_redundant_slip(void** state)
{
  (void)state;
  asked q = ACCELERATIONS(supports, {"v", "1"});
  expect_count(&q, SS_LCP_INFINITE, 1);
  assert_int_equal(ss_solutions_count(q.s), -1);
  const ss_contact_piece* p = &q.s->all->pieces[0];
  assert_int_equal(p->n_vertices, 2);
  assert_false(p->xi_unique);
  for (int v = 0; v < 2; v++) {
    double a[3], share = p->vertices[6*v];
    assert_true(fabs(share) < 1e-12 || fabs(share - 5) < 1e-12);
    ss_solutions_motion(q.s, p->vertices + 6*v, false, a);
    expect_near("x''", a[0], -8 + 1.2*share, 1e-12);
    expect_near("y''", a[1], 0, 1e-12);
  }
  forget(&q);
}

// A rod in a corner, pulled out with P in both directions: it leaves with P/m, or stays with lambda = (s, -(s + P)) at
// both ends, s >= P/(mu - 1). With mu < 1 it leaves.
static void test_rod_corner(void** state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    run r = run_open("rod-corner", 1, (const ss_override[]){{"mu", k ? "0.9" : "1.25"}, {"P", "2"}, {NULL, NULL}});
    ss_solutions* s = NULL;
    ss_solutions_def def = ss_solutions_def_default();
    double a[3];
    assert_int_equal(ss_solutions_at(r.system, &def, r.state, r.work, &s), SS_OK);
    assert_int_equal(ss_solutions_count(s), k ? 1 : 2);
    const ss_contact_piece* leaves = &s->all->pieces[0];
    assert_int_equal(leaves->state[0], SS_OPEN);
    assert_int_equal(leaves->state[1], SS_OPEN);
    ss_solutions_motion(s, leaves->vertices, false, a);
    for (int j = 0; j < 3; j++) expect_near("acceleration", a[j], j < 2 ? 2 : 0, 1e-12);
    const double corner[] = {8, -10, 8, -10}, pressure[] = {1, -1, 1, -1};
    const ss_contact_piece* stays = k ? NULL : &s->all->pieces[1];
    if (stays) assert_true(stays->n_vertices == 1 && stays->n_rays == 1);
    for (int j = 0; j < 4 && stays; j++) {
      expect_near("least force", stays->vertices[j], corner[j], 1e-10);
      expect_near("pressure along the rod", stays->rays[j], pressure[j], 1e-12);
    }
    ss_solutions_destroy(s);
    run_close(&r);
  }
}

// ---- impacts ----

static void test_impact(void** state)
{
  (void)state;
  asked q = ASK(rod, SS_LEVEL_ANY, SS_IMPACT_NEWTON, {"vy", "-1"}, {"v", "-0.5"}, {"mu", "1"}, {"e", "0.8"});
  assert_int_equal(q.s->level, SS_LEVEL_IMPACT);
  assert_true(q.s->contact[0].hits);
  expect_count(&q, SS_LCP_FINITE, 1);
  expect_point(&q, SS_OPEN, 1.494, 0.908, 0.8, 0);
  double u[3];
  ss_solutions_motion(q.s, q.s->all->pieces[0].vertices, false, u);
  expect_near("x' after", u[0], -0.5 + 0.908, 1e-12);
  expect_near("y' after", u[1], -1 + 1.494, 1e-12);
  forget(&q);
  q = ASK(rod, SS_LEVEL_ANY, SS_IMPACT_POISSON, {"vy", "-1"}, {"v", "-0.5"}, {"mu", "1"}, {"e", "0.8"});
  expect_count(&q, SS_LCP_FINITE, 1);
  expect_point(&q, SS_OPEN, 0.91 + 0.728, 0.62 + 0.3590136986, 0.9972602740, 0);
  expect_near("of which in the compression", q.s->all->pieces[0].compression[0], 0.91, 1e-12);
  expect_near("of which in the compression", q.s->all->pieces[0].compression[1], 0.62, 1e-12);
  forget(&q);
}

// Lambda_C = (q, 1 - 2 q, q): of the family the one of least norm, q = 1/3, as ss_impact_solve() takes it.
static void test_redundant_impact(void** state)
{
  (void)state;
  asked q = ASK(supports, SS_LEVEL_ANY, SS_IMPACT_POISSON, {"v", "0"}, {"vy", "-1"}, {"mu", "0"}, {"mid", "0"},
                {"e", "1"});
  assert_false(q.s->all->complete);
  assert_int_equal(q.s->all->count, SS_LCP_INFINITE);
  expect_near("velocity after", q.s->all->pieces[0].xi[0], 2/3.0, 1e-9);
  forget(&q);
}

// No contact, and none that touches: one solution, free motion
static void test_nothing_touches(void** state)
{
  (void)state;
  double a[3];
  asked q = ACCELERATIONS(rod, {"initial.y", "1"}, {"Fx", "2"});
  assert_false(q.s->contact[0].touches);
  expect_count(&q, SS_LCP_FINITE, 1);
  ss_solutions_motion(q.s, q.s->all->pieces[0].vertices, false, a);
  expect_near("x''", a[0], 2, 1e-15);
  expect_near("y''", a[1], -10, 1e-15);
  forget(&q);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_stick),          cmocka_unit_test(test_slip_and_detach),
    cmocka_unit_test(test_three_motions),  cmocka_unit_test(test_keeps_sliding),
    cmocka_unit_test(test_painleve),       cmocka_unit_test(test_painleve_boundary),
    cmocka_unit_test(test_redundant_stick), cmocka_unit_test(test_redundant_slip),
    cmocka_unit_test(test_impact),         cmocka_unit_test(test_redundant_impact),
    cmocka_unit_test(test_nothing_touches), cmocka_unit_test(test_rod_corner),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
