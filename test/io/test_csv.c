// CSV: headers, rows, events; numbers that read back to the same double with no more digits than needed.
#include <stickslip/csv.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static FILE* out;
static char text[4096];

static int open_out(void** state)
{
  (void)state;
  out = tmpfile();
  return out ? 0 : -1;
}

static int close_out(void** state)
{
  (void)state;
  return fclose(out);
}

// What was written since the last call
static const char* written(void)
{
  fflush(out);
  long size = ftell(out);
  assert_in_range(size, 0, sizeof text - 1);
  rewind(out);
  assert_int_equal(fread(text, 1, (size_t)size, out), size);
  text[size] = 0;
  rewind(out);
  return text;
}

static void test_run(void** state)
{
  (void)state;
  static const char* const name[] = {"x", "φ"};
  double q[] = {0.1, -2}, u[] = {1e-300, 1.0/3};
  ss_state s = {.t = 0.0001, .step = 1, .nq = 2, .nv = 2, .q = q, .u = u};
  ss_system_def d = {.nq = 2, .nv = 2, .coordinate = name, .velocity = name};
  assert_int_equal(ss_csv_header(out, &d), SS_OK);
  assert_int_equal(ss_csv_row(out, &s, 0, NULL), SS_OK);
  assert_string_equal(written(), "t,x,φ,u_x,u_φ\n0.0001,0.1,-2,1e-300,0.3333333333333333\n");
  static const char* const sensor[] = {"foot", "imu.x"};
  double value[] = {9.81, -0.5};
  d.n_sensor = 2;
  d.sensor = sensor;
  assert_int_equal(ss_csv_header(out, &d), SS_OK);
  assert_int_equal(ss_csv_row(out, &s, 2, value), SS_OK);
  assert_string_equal(written(), "t,x,φ,u_x,u_φ,sensor.foot,sensor.imu.x\n"
                                 "0.0001,0.1,-2,1e-300,0.3333333333333333,9.81,-0.5\n");
}

static void test_events(void** state)
{
  (void)state;
  ss_event e = {.t = 0.5, .kind = SS_EVENT_IMPACT, .state = SS_SLIP_NEG, .gamma_before = {-1, 2},
                .gamma_after = {0.5, 1}, .Lambda = {3, -0.3}, .Lambda_C = {2, -0.2}, .energy_before = 10,
                .energy_after = 9.5, .solutions = 1};
  assert_int_equal(ss_csv_event_header(out, false), SS_OK);
  assert_int_equal(ss_csv_event(out, &e, "floor", false), SS_OK);
  assert_string_equal(written(), "t,contact,kind,state,gamma_N_before,gamma_T_before,gamma_N_after,gamma_T_after,"
                                 "Lambda_N,Lambda_T,energy_before,energy_after,state_before,Lambda_N_compression,"
                                 "Lambda_T_compression,solutions,count\n"
                                 "0.5,floor,impact,slip-,-1,2,0.5,1,3,-0.3,10,9.5,open,2,-0.2,1,0\n");
}

// Numbers of every size, down to the smallest: the same bits come back
static void test_numbers_come_back(void** state)
{
  (void)state;
  double special[] = {0, -0.0, 1, DBL_MIN, 5e-324, DBL_MAX, -DBL_MAX, 1 + DBL_EPSILON, 0.1 + 0.2, M_PI, 1e22, 1e23};
  srand(3);
  for (int k = 0; k < 5000; k++) {
    double x = k < 12 ? special[k] : ldexp((double)rand() + (double)rand()/RAND_MAX, rand()%2000 - 1000);
    ss_state s = {.t = x};
    assert_int_equal(ss_csv_row(out, &s, 0, NULL), SS_OK);
    double y = strtod(written(), NULL);
    assert_memory_equal(&x, &y, sizeof x);
  }
}

static void test_stream_that_cannot_be_written(void** state)
{
  (void)state;
  FILE* full = fopen("/dev/full", "w");
  if (!full) skip();
  setvbuf(full, NULL, _IONBF, 0);
  ss_state s = {.t = 1};
  assert_int_equal(ss_csv_event_header(full, false), SS_ERR_FILE);
  assert_int_equal(ss_csv_row(full, &s, 0, NULL), SS_ERR_FILE);
  fclose(full);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_run),
    cmocka_unit_test(test_events),
    cmocka_unit_test(test_numbers_come_back),
    cmocka_unit_test(test_stream_that_cannot_be_written),
  };
  return cmocka_run_group_tests(tests, open_out, close_out);
}
