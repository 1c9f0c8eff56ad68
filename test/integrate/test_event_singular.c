// Mechanisms that fold flat on the way: the run goes on with its energy, or ends by name. Constraints that are
// redundant everywhere are nothing of the kind.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../less.h"
#include "text_run.h"

// Cranks of length L, coupler and ground of 2 L, masses m: flat where a is a multiple of pi; `extra` constraints
static run parallelogram(double a0, double w0, double L, double m, double dt, const char* extra)
{
  char text[1200];
  snprintf(text, sizeof text,
           "parameters: {L: %.17g, m: %.17g}\ncoordinates: {a: rad, b: rad, c: rad}\n"
           "definitions: {xc: \"L*(cos(a) + cos(c))\", yc: \"L*(sin(a) + sin(c))\"}\n"
           "kinetic: m*L^2/6*(a'^2 + b'^2 + c'^2) + m/2*(xc'^2 + yc'^2)\n"
           "constraints:\n  cx: L*(cos(a) + 2*cos(c) - 2 - cos(b))\n  cy: L*(sin(a) + 2*sin(c) - sin(b))\n%s"
           "initial: {a: %.17g, b: %.17g, a': %.17g, b': %.17g}\nrun: {integrator: event, dt: %.17g}\n",
           L, m, extra, a0, a0, w0, w0, dt);
  return start(text);
}

// Returns whether it came to the end; else the reason is told
static bool runs(run* r, double until)
{
  while (r->s->t < until*(1 - 1e-12)) {
    ss_status st = ss_step(r->system, &r->def, r->s, r->w);
    if (st < 0) return false;
    ss_ledger_step(r->ledger, r->s, ss_work_info(r->w), NULL);
  }
  return true;
}

static void check(run* r, double a0, double w0)
{
  bool through = runs(r, 20/fabs(w0));
  const ss_energy_ledger* e = ss_ledger_energy(r->ledger);
  if (fabs(e->defect) > 1e-7*(e->kinetic + e->potential)) fail_msg("a0 = %g: defect %g J", a0, e->defect);
  if (through) return;
  const char* message = ss_work_message(r->w);
  if (!strstr(message, "singular position of the constraints 'cx', 'cy' at t = ")) fail_msg("a0 = %g: %s", a0, message);
  // the arc before it is that of a parallelogram, and ends where that is flat
  double t = atof(strstr(message, "t = ") + 4), turns = (a0 + w0*t)/acos(-1);
  if (fabs(turns - round(turns)) > 1e-3) fail_msg("a0 = %g: ends at a = %g pi", a0, turns);
}

static void test_flat(void** state)
{
  (void)state;
  static const double a0[] = {0, 0.1, 0.5, 1, 1.5707963267948966, 2, 3, 3.141592653589793, -0.3, -2.5};
  static const double dt[] = {0.01, 0.3, 20};
  for (int i = 0; i < 10; i += LESS > 1 ? 3 : 1)
    for (int k = 0; k < 3; k++)
      for (int sign = -1; sign <= 1; sign += 2) {
        double w0 = sign*(k == 1 ? 3.7 : 1), L = k == 2 ? 1e-3 : 1, m = k == 2 ? 1e3 : 1;
        run r = parallelogram(a0[i], w0, L, m, dt[k]/fabs(w0), "");
        check(&r, a0[i], w0);
        stop(&r);
      }
}

// The sum of both constraints once more, and one that holds by itself: dependent all the time. Not flat within the run.
static void test_redundant(void** state)
{
  (void)state;
  run r = parallelogram(0.2, 1, 1, 1, 0.1, "  cz: L*(sin(a) + 2*sin(c) - sin(b) + cos(a) + 2*cos(c) - 2 - cos(b))\n"
                        "  ab: a - b\n");
  assert_true(runs(&r, 2.8));
  assert_true(fabs(r.s->q[0] - 3) < 1e-8 && fabs(r.s->q[2]) < 1e-8);
  stop(&r);
}

// A slider that rubs, started at a dead centre of its crank: x' = 0 there, but friction cannot hold it, as x'' is given
// by the turning crank. T falls by the friction force times the way.
static void test_dead_centre(void** state)
{
  (void)state;
  static const double w0[] = {1, 5, -20};
  for (int k = 0; k < 24; k++) {
    char text[1200];
    double a0 = k % 2 ? acos(-1) : 0, l = k/2 % 2 ? 0.3 : 0.5, w = w0[k/4 % 3], r = a0 > 0 ? -0.1 : 0.1;
    snprintf(text, sizeof text,
             "coordinates: {a: rad, b: rad, x: m}\nkinetic: 0.005*a'^2 + 0.01*b'^2 + 0.5*x'^2\n"
             "contacts: {guide: {slide: x', bound: 0.1}}\nconstraints:\n  cx: 0.1*cos(a) + %g*cos(b) - x\n"
             "  cy: 0.1*sin(a) + %g*sin(b)\n%s"
             "initial: {a: %.17g, x: %.17g, a': %.17g, b': %.17g}\nrun: {integrator: event, dt: 0.01}\n",
             l, l, k < 12 ? "" : l < 0.4 ? "  again: 0.2*sin(a) + 0.6*sin(b)\n" : "  again: 0.2*sin(a) + sin(b)\n", a0,
             r + l, w, -w*r/l);
    run at = start(text);
    double before = 0.005*w*w + 0.01*pow(w*r/l, 2);
    assert_true(runs(&at, 0.3/fabs(w)));
    const double* u = at.s->u;
    double after = 0.005*u[0]*u[0] + 0.01*u[1]*u[1] + 0.5*u[2]*u[2], lost = 0.1*fabs(at.s->q[2] - r - l);
    if (!(fabs(before - after - lost) <= 1e-9*before) || !(lost > 1e-4))
      fail_msg("a = %g, l = %g, a' = %g: T from %g to %g J, lost %g J", a0, l, w, before, after, lost);
    stop(&at);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_flat),
    cmocka_unit_test(test_redundant),
    cmocka_unit_test(test_dead_centre),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
