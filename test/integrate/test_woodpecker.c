// The woodpecker of Glocker & Studer 2005: its equations as printed, its limit cycle, and the order of convergence.
#include "run.h"

// Table I
static const double r_O = 0.0025, r_M = 0.0031, h_M = 0.0058, l_M = 0.010, l_G = 0.015, h_S = 0.02, l_S = 0.0201;
static const double m_M = 0.0003, m_S = 0.0045, J_M = 5e-9, J_S = 7e-7, c_phi = 0.0056, g = 9.81;

static void expect_equal(const char* what, const double* value, const double* expected, int n)
{
  for (int i = 0; i < n; i++)
    if (!(fabs(value[i] - expected[i]) <= 4e-15*fabs(expected[i])))
      fail_msg("%s[%d] = %.17g, expected %.17g", what, i, value[i], expected[i]);
}

// M and h are those of (14), the gaps those of (15), W those of (16), to the last digits.
static void test_equations(void** state)
{
  (void)state;
  run r = run_open("woodpecker", 1e-4, NULL);
  const ss_system_def* d = ss_system_get(r.system);
  const double q[] = {-0.02, 0.05, -0.3}, u[] = {-0.3, 4, -7}, y_phi = q[1] - q[2];
  ss_at at = {.user = d->user, .scratch = calloc(1, d->scratch_size + 1), .q = q, .u = u};
  double M[9], h[3], gap[3], W[18], w_hat[6], zero[6] = {0};
  d->update(&at);
  d->mass(&at, M);
  d->force(&at, h);
  d->contacts(&at, gap, W, w_hat);
  expect_equal("M", M, (double[]){m_S + m_M, m_S*l_M, m_S*l_G,
                                  m_S*l_M, J_M + m_S*l_M*l_M, m_S*l_M*l_G,
                                  m_S*l_G, m_S*l_M*l_G, J_S + m_S*l_G*l_G}, 9);
  expect_equal("h", h, (double[]){-(m_S + m_M)*g, -c_phi*y_phi - m_S*l_M*g, c_phi*y_phi - m_S*l_G*g}, 3);
  expect_equal("gap", gap, (double[]){(l_M + l_G - l_S - r_O) - h_S*q[2], (r_M - r_O) + h_M*q[1],
                                      (r_M - r_O) - h_M*q[1]}, 3);
  expect_equal("W", W, (double[]){0, 0, -h_S,  1, l_M, l_G - l_S,
                                  0, h_M, 0,   1, r_M, 0,
                                  0, -h_M, 0,  1, r_M, 0}, 18);
  expect_equal("w_hat", w_hat, zero, 6);
  assert_true(d->mass_is_constant);
  free(at.scratch);
  run_close(&r);
}

enum { BEAK, LOWER, UPPER };

// The mean period and fall between the first and the last beak impact in [2, 4] s
static void cycle(const run* r, double* period, double* fall)
{
  const seen *first = NULL, *last = NULL;
  int n = 0;
  for (long i = 0; i < r->n; i++) {
    const ss_event* e = &r->list[i].event;
    if (e->contact != BEAK || e->kind != SS_EVENT_IMPACT || e->t < 2) continue;
    if (!first) first = &r->list[i];
    else n++;
    last = &r->list[i];
  }
  assert_true(n >= 12);
  *period = (last->event.t - first->event.t)/n;
  *fall = (first->q[0] - last->q[0])/n;
}

static void test_limit_cycle(void** state)
{
  (void)state;
  const double dt = 1e-4, stop = (r_M - r_O)/h_M;
  run r = run_open("woodpecker", dt, NULL);
  double residual = 0, deepest = 0, fastest = 0, period, fall;
  while (r.state->step < 40000) {
    const ss_step_info* info = run_step(&r);
    residual = fmax(residual, info->residual);
    deepest = fmax(deepest, fabs(r.state->q[1]) - stop);
    fastest = fmax(fastest, fabs(r.state->u[1]));
  }
  cycle(&r, &period, &fall);
  expect_near("period", period, 0.1460, 4e-4);
  expect_near("fall per cycle", fall, 19.45e-3, 0.2e-3);
  expect_between("residual of the worst step", residual, 0, 1e-12);
  expect_between("angle of the sleeve beyond its stop", deepest, 0, fastest*dt);
  expect_between("fastest turn of the sleeve, 1/s", fastest, 10, 40);
  run_close(&r);
}

// One beak impact per cycle, and never more than two contacts closed: an LCP of at most 6 unknowns [section 4].
static void test_contacts_of_a_cycle(void** state)
{
  (void)state;
  run r = run_open("woodpecker", 1e-4, NULL);
  int most = 0;
  while (r.state->step < 20000) {
    const ss_step_info* info = run_step(&r);
    most = info->n_active > most ? info->n_active : most;
    assert_true(info->contact[LOWER].state == SS_OPEN || info->contact[UPPER].state == SS_OPEN);
  }
  assert_true(most <= 2);
  double previous = 0;
  for (long i = 0; i < r.n; i++) {
    const ss_event* e = &r.list[i].event;
    if (e->contact != BEAK || e->kind != SS_EVENT_IMPACT) continue;
    if (previous > 0) expect_between("time between two pecks", e->t - previous, 0.143, 0.149);
    previous = e->t;
  }
  run_close(&r);
}

// y at t = 0.1 s, after the first impacts. Where in a step an impact falls is chance, and so is the error of one run;
// the mean over ten nearby step sizes is not.
static double height(int n)
{
  run r = run_open("woodpecker", 0.1/n, NULL);
  r.step.account = false;
  run_until(&r, 0.1);
  double y = r.state->q[0];
  run_close(&r);
  return y;
}

static double mean_error(int n, double exact)
{
  double sum = 0;
  for (int k = 0; k < 10; k++) sum += fabs(height(n + 7*k) - exact);
  return sum/10;
}

static void test_first_order(void** state)
{
  (void)state;
  double exact = height(200000), e500 = mean_error(500, exact), e8000 = mean_error(8000, exact);
  expect_between("order", log(e500/e8000)/log(16), 0.8, 1.3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_equations),
    cmocka_unit_test(test_limit_cycle),
    cmocka_unit_test(test_contacts_of_a_cycle),
    cmocka_unit_test(test_first_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
