// Tolerances of the event-driven integrator belong to each coordinate: what else is in the world, units, the origin and
// the interval of output do not matter.
#include <math.h>
#include <stdio.h>

#include "../less.h"
#include "text_run.h"

enum { TRIES = 40 };

static unsigned long long seed = 1;
static double uniform(double low, double high)  // xorshift
{
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return low + (high - low)*(double)(seed >> 11)/9007199254740992.0;
}
static double decades(double low, double high) { return pow(10, uniform(low, high)); }

static void near(const char* what, double value, double expected, double tol)
{
  if (!(fabs(value - expected) <= tol))
    fail_msg("%s = %.15g, expected %.15g, off by %.3g", what, value, expected, value - expected);
}

// A pendulum of 10 g with a spring, and besides it something else, which comes first in the list of coordinates
static run beside(const char* coordinates, const char* kinetic, const char* more, const char* initial, double dt)
{
  char text[1000];
  snprintf(text, sizeof text,
           "coordinates: {%sphi: rad, x: m}\nkinetic: 0.005*((phi' + x')^2 + x'^2) %s\n"
           "potential: -0.0981*cos(phi) + 0.1*x^2\n%s\ninitial: {phi: 2, %s}\nrun: {dt: %.17g, integrator: event}\n",
           coordinates, kinetic, more, initial, dt);
  return start(text);
}

// Something heavy or light, fast or slow passes, which acts on nothing else
static void test_uncoupled(void** state)
{
  (void)state;
  run alone = beside("", "", "", "x: 0", 10);
  go(&alone, 10);
  for (int i = 0; i < TRIES/LESS; i++) {
    char kinetic[100], initial[100], forces[100];
    double mass = decades(-12, 12), speed = decades(-6, 6), dt = 10/floor(decades(0, 4));
    snprintf(kinetic, sizeof kinetic, "+ %.17g*s'^2", mass);
    snprintf(initial, sizeof initial, "s: %.17g, s': %.17g", uniform(-1, 1) * decades(-6, 6), speed);
    snprintf(forces, sizeof forces, "forces: {s: %.17g*cos(%.17g*t)}", mass * speed, uniform(0, 3));
    run r = beside("s: m, ", kinetic, forces, initial, dt);
    go(&r, 10);
    near("phi beside something else", r.s->q[1], alone.s->q[0], 1e-8);
    near("x beside something else", r.s->q[2], alone.s->q[1], 1e-8);
    stop(&r);
  }
  stop(&alone);
}

// A ball on a spring bounces while a double pendulum with one of its coordinates at rest in the balance of two springs
// swings, in units of length, mass and time over twelve decades, x from any origin. Returns the number of events.
static int in_units(double L, double M, double T, double origin, double parts, double q[5])
{
  char text[1500];
  double k = M/(T*T), g = 9.81*L/(T*T), E = M*L*L/(T*T);
  snprintf(text, sizeof text,
           "parameters: {m: %.17g, k: %.17g, g: %.17g, l: %.17g, E: %.17g, o: %.17g, T: %.17g}\n"
           "coordinates: {y: m, a: rad, b: rad, x: m, z: m}\n"
           "definitions: {X: l*(sin(a) + sin(b)), Y: l*(cos(a) + cos(b))}\n"
           "kinetic: m/2*(y'^2 + X'^2 + Y'^2 + x'^2 + z'^2) + m/2*l^2*a'^2\n"
           "potential: m*g*y - m*g*Y + 3*k*(x - o)^2 + k*((z - l)^2 - 2*l*(l - z))\n"
           "contacts: {floor: {gap: y, eps_n: 0.8}}\n"
           "initial: {y: l, a: 1, b: 0.5, x: o + l/2, z: 0}\n"
           "run: {dt: %.17g, integrator: event}\n",
           M, k, g, L, E, origin*L, T, T*2/parts);
  run r = start(text);
  int events = 0;
  while (r.s->t < 2*T*(1 - 1e-12)) {
    ss_status st = ss_step(r.system, &r.def, r.s, r.w);
    if (st != SS_OK) fail_msg("L %g M %g T %g: %s", L, M, T, ss_work_message(r.w));
    events += ss_work_info(r.w)->n_events;
  }
  for (int i = 0; i < 5; i++) q[i] = r.s->q[i]/(i == 1 || i == 2 ? 1 : L);
  q[3] -= origin;
  stop(&r);
  return events;
}

static void test_units(void** state)
{
  (void)state;
  double q[5], p[5];
  int events = in_units(1, 1, 1, 0, 1, q);
  assert_true(events > 2);
  for (int i = 0; i < TRIES/LESS; i++) {
    double origin = i % 2 ? uniform(-1, 1)*decades(0, 6) : 0, parts = floor(decades(0, 3));
    double lost = 1e-14*fabs(origin);  // round-off of x
    assert_int_equal(in_units(decades(-6, 6), decades(-6, 6), decades(-6, 6), origin, parts, p), events);
    for (int k = 0; k < 5; k++) near("in other units", p[k], q[k], 1e-8 + lost);
  }
}

// What rests by symmetry, or in a balance of large forces, makes no absurd demands, nor does what has just begun to
// move: the run ends, within a number of evaluations that would not do for steps of round-off.
static void test_rest(void** state)
{
  (void)state;
  for (int i = 0; i < TRIES/LESS; i++) {
    char text[600];
    double k = decades(0, 8), l = decades(-6, 6), far = decades(0, 3);
    snprintf(text, sizeof text,
             "parameters: {k: %.17g, l: %.17g}\ncoordinates: {x: m, y: m, s: m}\n"
             "kinetic: x'^2/2 + y'^2/2 + s'^2/2 + x'*y'/3\n"
             "potential: k/2*((x - l)^2 + (x + l)^2) + k/2*(y - l)^2 - k*l*(l - y) + k/2*(x + s - %.17g*l)^2\n"
             "initial: {s: %.17g*l}\nrun: {dt: 1, integrator: event}\n",
             k, l, far, far);
    run r = start(text);
    go(&r, 1);
    near("x at rest", r.s->q[0]/l, 0, 1e-12*far);
    stop(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_uncoupled),
    cmocka_unit_test(test_units),
    cmocka_unit_test(test_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
