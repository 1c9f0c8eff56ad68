// More feet than a body needs: how they share its weight is not determined, how it moves is.
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "text_run.h"

#define BODY \
  "parameters: {F: 0, q: 0}\n" \
  "coordinates: [x, y, a]\n" \
  "kinetic: x'^2 + y'^2 + 0.15*a'^2\n" \
  "potential: 19.62*y\n"
#define FOOT(name, at) "  " name ": {gap: y + " at "*sin(a), slide: x', mu: 0.3, eps_n: 0.2}\n"

// The friction limit is 5.886 N however the feet share the weight: a torque that lifts none changes nothing
static double pulled(const char* feet, double q, double until, long* impacts)
{
  char text[1500];
  snprintf(text, sizeof text, BODY "forces: {x: 7*sin(2.3*t), a: %g*sin(5.1*t)}\ncontacts:\n%s"
           "run: {dt: 0.05, integrator: event}\n", q, feet);
  run r = start(text);
  go(&r, until);
  double x = r.s->q[0];
  *impacts = ss_ledger_get_counts(r.ledger)->impacts;
  stop(&r);
  return x;
}

static void test_torque_does_not_matter(void** state)
{
  (void)state;
  static const char* const feet[] = {
    FOOT("a", "-0.5") FOOT("e", "0.5"),
    FOOT("a", "-0.5") FOOT("c", "0") FOOT("e", "0.5"),
    FOOT("a", "-0.5") FOOT("b", "-0.2") FOOT("d", "0.3") FOOT("e", "0.5"),
    FOOT("a", "-0.5") FOOT("b", "-0.25") FOOT("c", "0") FOOT("d", "0.25") FOOT("e", "0.5"),
  };
  long impacts;
  double alone = pulled(feet[0], 0, 5, &impacts);
  assert_true(fabs(alone) > 1e-3);
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < 3; i++) {
      double x = pulled(feet[k], i == 0 ? 0 : i == 1 ? 0.5 : 3, 5, &impacts);
      if (!(fabs(x - alone) < 1e-9)) fail_msg("%d feet: x = %.12g instead of %.12g", k + 2, x, alone);
      assert_int_equal(impacts, 0);
    }
}

// Slides, comes to rest, is pulled back: with friction m mu g = 5.886 N against 4 t
static void test_comes_to_rest(void** state)
{
  (void)state;
  run r = start(BODY "forces: {x: -4*t, a: \"if(t < 0.1, 1, -1)*0.5\"}\ncontacts:\n"
                FOOT("a", "-0.5") FOOT("c", "0") FOOT("e", "0.5")
                "initial: {x': 0.8}\nrun: {dt: 0.01, integrator: event}\n");
  double f = 5.886, rest = (-f + sqrt(f*f + 4*4*0.8))/4;  // 2 v' = -4 t - f
  double before = 0.8*rest - f*rest*rest/4 - rest*rest*rest/3, loose = f/4, late = 3 - loose;
  go(&r, 1.4);  // at rest the velocity is projected in every step: the round-off of round-off of 0.8 m/s is left
  assert_true(fabs(r.s->q[0] - before) < 1e-9 && fabs(r.s->u[0]) < 20*DBL_EPSILON*DBL_EPSILON);
  go(&r, 3);  // 2 v' = -4 (t - loose)
  assert_true(fabs(r.s->u[0] + late*late) < 1e-8);
  assert_true(fabs(r.s->q[0] - before + late*late*late/3) < 1e-8);
  stop(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_torque_does_not_matter),
                                     cmocka_unit_test(test_comes_to_rest)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
