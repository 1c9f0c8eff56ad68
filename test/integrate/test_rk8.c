// One step of order 8: orders of the solution, of the quadratures and of the error estimate, on y'' = -y.
#include "run.h"

#include "integrate/rk8.h"

static ss_status oscillator(void* user, double t, const double* y, double* dy)
{
  (void)user;
  dy[0] = y[1];
  dy[1] = -y[0];
  dy[2] = y[0]*cos(t);  // the quadrature: integral of cos^2
  return SS_OK;
}

typedef struct result {
  double y, z, estimate;  // errors
} result;

static result one_step(double h)
{
  double k[SS_RK8_STAGES*3], stage[2], y[2] = {1, 0}, y1[2], dz[1], scale[3] = {1, 1, 1};
  ss_rk8 rk = {.n = 2, .nz = 1, .n_checked = 3, .k = k, .stage = stage, .f = oscillator};
  oscillator(NULL, 0, y, k);
  assert_int_equal(ss_rk8_step(&rk, 0, h, y, y1, dz), SS_OK);
  return (result){fabs(y1[0] - cos(h)) + fabs(y1[1] + sin(h)), fabs(dz[0] - h/2 - sin(2*h)/4),
                  ss_rk8_error(&rk, h, scale)};
}

static void test_order(void** state)
{
  (void)state;
  result large = one_step(0.8), small = one_step(0.4);
  expect_between("order of one step", log2(large.y/small.y), 8.7, 10.5);
  expect_between("order of the quadrature", log2(large.z/small.z), 8.7, 10.5);
  expect_between("order of the estimate", log2(large.estimate/small.estimate), 7.5, 9.5);
  expect_between("the estimate is on the safe side", large.estimate/large.y, 1, 1e4);
}

// Polynomials up to degree 8 come out exactly.
static ss_status powers(void* user, double t, const double* y, double* dy)
{
  (void)y;
  dy[0] = *(int*)user*pow(t, *(int*)user - 1);
  return SS_OK;
}

static void test_polynomials(void** state)
{
  (void)state;
  for (int n = 1; n <= 8; n++) {
    double k[SS_RK8_STAGES], stage[1], y[1] = {0}, y1[1], dz[1];
    ss_rk8 rk = {.n = 1, .n_checked = 1, .k = k, .stage = stage, .f = powers, .user = &n};
    powers(&n, 0.5, y, k);
    assert_int_equal(ss_rk8_step(&rk, 0.5, 1.5, y, y1, dz), SS_OK);
    expect_near("t^n", y1[0], pow(2, n) - pow(0.5, n), 1e-12);
  }
}

static ss_status refuses(void* user, double t, const double* y, double* dy)
{
  (void)user, (void)t, (void)y, (void)dy;
  return SS_ERR_NUMERIC;
}

static void test_failure(void** state)
{
  (void)state;
  double k[SS_RK8_STAGES] = {0}, stage[1], y[1] = {0}, y1[1], dz[1];
  ss_rk8 rk = {.n = 1, .n_checked = 1, .k = k, .stage = stage, .f = refuses};
  assert_int_equal(ss_rk8_step(&rk, 0, 1, y, y1, dz), SS_ERR_NUMERIC);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_order),
    cmocka_unit_test(test_polynomials),
    cmocka_unit_test(test_failure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
