// Where a model itself switches: max, abs, if, min, sign of time, of positions, of velocities.
#include <math.h>
#include <stdio.h>

#include "../less.h"
#include "text_run.h"

static void near(const char* what, double value, double expected, double tol)
{
  if (!(fabs(value - expected) <= tol))
    fail_msg("%s = %.15g, expected %.15g, off by %.3g", what, value, expected, value - expected);
}

static double defect(const run* r) { return ss_ledger_energy(r->ledger)->defect; }

// Through kinks, at which event-driven steps stop
static void go_to(run* r, double until)
{
  while (r->s->t < until*(1 - 1e-12)) go(r, r->s->t + r->def.dt*0.50001);
}

static run begin(const char* model, const char* integrator, double dt)
{
  char text[2000];
  snprintf(text, sizeof text, "%s\nrun: {integrator: %s, dt: %.17g}\n", model, integrator, dt);
  return start(text);
}

// A mass on a spring to a support that moves with speed v from t1 on, x_s = v max(0, t - t1), in a frame that moves
// with the support: velocities jump, momenta do not.
static void test_support(void** state)
{
  (void)state;
  static const char* const form[] = {"max(0, t - 0.3)", "(abs(t - 0.3) + t - 0.3)/2", "if(t > 0.3, t - 0.3, 0)",
                                     "-min(0, 0.3 - t)"};
  static const char* const integrator[] = {"event", "jean", "moreau", "euler"};
  static const double tol[] = {1e-9, 7e-4, 2e-3, 4e-3};  // the jump is half a step off at most: 2 m/s dt/2
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 4; k++) {
      char text[600];
      snprintf(text, sizeof text, "coordinates: {x: m}\ndefinitions: {X: \"x + 2*(%s)\"}\nkinetic: X'^2/2\n"
               "potential: 50*x^2\ninitial: {x: 0.1}", form[i]);
      run r = begin(text, integrator[k], k ? 7e-4 : 0.7);
      go_to(&r, 1.4);
      double t = r.s->t - 0.3, x = 0.1*cos(3), v = -sin(3) - 2;  // X = x goes on, x' is less by 2
      near("x", r.s->q[0], x*cos(10*t) + v/10*sin(10*t), tol[k]);
      near("x'", r.s->u[0], -10*x*sin(10*t) + v*cos(10*t), 10*tol[k]);
      near("energy error", defect(&r), 0, k ? 20*tol[k] : 1e-9);
      stop(&r);
    }
}

// The pivot of a pendulum is kicked by half waves; the reference integrates stretch by stretch with the jumps between.
static void test_pendulum(void** state)
{
  (void)state;
  static const char text[] = "definitions: {ys: \"0.05*max(0, sin(10*t))\", xp: sin(th), yp: ys - cos(th)}\n"
                             "coordinates: {th: rad}\nkinetic: (xp'^2 + yp'^2)/2\npotential: 9.81*yp\n"
                             "damping: 0.025*th'^2\ninitial: {th: 0.4}";
  static const char* const integrator[] = {"event", "event", "jean", "moreau"};
  static const double dt[] = {0.1, 20, 1e-3, 1e-4}, tol[] = {5e-7, 5e-7, 1e-3, 1e-4};
  for (int k = 0; k < 4; k++) {
    run r = begin(text, integrator[k], dt[k]);
    go_to(&r, 20);
    near("theta", r.s->q[0], 0.215144, tol[k]);
    stop(&r);
  }
}

// A step of the potential: what is too slow is thrown back, what is fast enough is slower beyond.
static void test_potential_step(void** state)
{
  (void)state;
  for (int i = 0; i < 20/LESS + 1; i++) {
    char text[300];
    double height = 0.05*i + 0.01;
    snprintf(text, sizeof text,
             "coordinates: {x: m, y: m}\nkinetic: x'^2/2 + y'^2\npotential: if(x + y > 1, %.17g, 0)\n"
             "initial: {x': 1, y': 0.2}",
             height);
    run r = begin(text, "event", 1.5);
    go_to(&r, 1.5);
    double n = 1.2, A = 1.5, mu = 0;  // along (1, 1): s' = 1.2, w.M^-1.w = 1.5
    if (n*n >= 2*A*height) mu = (-n + sqrt(n*n - 2*A*height))/A;
    else mu = -2*n/A;
    near("x'", r.s->u[0], 1 + mu, 1e-12);
    near("y'", r.s->u[1], 0.2 + mu/2, 1e-12);
    stop(&r);
  }
}

// Springs that push only: order 8 across their kinks. The exact motion is made of half waves.
static void test_one_sided_spring(void** state)
{
  (void)state;
  run r = begin("coordinates: {x: m}\nkinetic: x'^2/2\npotential: 50*min(x, 0)^2 + 18*max(x, 0)^2\ninitial: {x': 1}",
                "event", 3);
  go_to(&r, 3);
  double period = M_PI/6 + M_PI/10, t = fmod(3, period);
  double x = t < M_PI/6 ? sin(6*t)/6 : -sin(10*(t - M_PI/6))/10;
  near("x", r.s->q[0], x, 1e-9);
  stop(&r);
}

static double beta(double a, double b) { return tgamma(a)*tgamma(b)/tgamma(a + b); }

// A ball that flies against a stop with the force K max(0, -x)^(p-1), as Hertz has it with p = 5/2: beyond the kink its
// branch has no value. v^2/2 = K d^p/p at the depth d; the contact lasts 2 d/v int_0^1 dz/sqrt(1 - z^p) =
// 2 d/(v p) B(1/p, 1/2), and the speed is that before [Johnson, Contact Mechanics, 11.4]. Errors of the steps near the
// kink, each rtol of the motion, add up to some ten times that; moreau is of second order at most.
static void test_hertz(void** state)
{
  (void)state;
  for (int k = 0; k < 24/LESS; k++) {
    char text[300];
    double p = 1.4 + 0.15*k, K = pow(10, k%5), v = 0.3 + 0.4*(k%7), d = pow(v*v*p/(2*K), 1/p);
    double lasts = 2*d/(v*p)*beta(1/p, 0.5), end = d/v + lasts + 2*d/v;
    snprintf(text, sizeof text, "coordinates: {x: m}\nkinetic: x'^2/2\npotential: %.17g/%.17g*%s^%.17g\n"
             "initial: {x: %.17g, x': %.17g}", K, p, k%2 ? "max(0, -x)" : "abs(min(x, 0))", p, d, -v);
    for (int steps = 0; steps < 2; steps++) {
      run r = begin(text, steps ? "moreau" : "event", steps ? end/40000 : end/(1 + k%4));
      go_to(&r, end);
      double tol = steps ? 1e-3 : 1e-8;
      near("x'", r.s->u[0]/v, 1, tol);
      near("x", r.s->q[0]/d, 2, 2*tol);
      if (!steps) near("energy error", defect(&r)/(v*v), 0, tol);
      stop(&r);
    }
  }
}

// x'' = -K |x|^(p-1) sign x from rest at A: the period is 4 sqrt(p/(2 K)) A^(1 - p/2) B(1/p, 1/2)/p
static void test_oscillator(void** state)
{
  (void)state;
  for (int k = 0; k < 12/LESS; k++) {
    char text[300];
    double p = 1.3 + 0.2*k, K = 10, A = 0.1 + 0.3*k;
    double period = 4*sqrt(p/(2*K))*pow(A, 1 - p/2)*beta(1/p, 0.5)/p;
    snprintf(text, sizeof text, "coordinates: {x: m}\nkinetic: x'^2/2\npotential: %.17g/%.17g*abs(x)^%.17g\n"
             "initial: {x: %.17g}", K, p, p, A);
    run r = begin(text, "event", period/4);
    go_to(&r, period*2.25);
    near("x", r.s->q[0]/A, 0, 1e-8);
    near("energy error", defect(&r)/(K/p*pow(A, p)), 0, 1e-8);
    stop(&r);
  }
}

// Steps of the potential where a branch has no value beyond: climbed, too high, and down from the side of that branch
static void test_step_of_branches(void** state)
{
  (void)state;
  static const double x[3] = {-0.4, -0.4, 0.4}, v[3] = {2, 0.9, -2}, end[3] = {0.3, 0.7, 0.6};
  for (int k = 0; k < 3; k++) {
    char text[300];
    snprintf(text, sizeof text, "coordinates: {x: m}\nkinetic: x'^2/2\npotential: if(x < 0, 0, 0.5 + x^1.5)\n"
             "initial: {x: %g, x': %g}", x[k], v[k]);
    run r = begin(text, "event", 0.1);
    go_to(&r, end[k]);
    double q = r.s->q[0], V0 = x[k] < 0 ? 0 : 0.5 + pow(x[k], 1.5), V = q < 0 ? 0 : 0.5 + pow(q, 1.5);
    near("energy", r.s->u[0]*r.s->u[0]/2 + V, v[k]*v[k]/2 + V0, 1e-8);
    assert_true(k == 1 ? r.s->u[0] < 0 && q < 0 : k ? q < 0 : q > 0);
    stop(&r);
  }
}

// Resistance by the root of a speed that turns: sqrt|v| falls by half of c a second from v to rest, against a spring
// from there on; and a force that has no value where no kink has made it so ends the run
static void test_root(void** state)
{
  (void)state;
  run r = begin("coordinates: {x: m}\nkinetic: x'^2/2\nforces: {x: \"-2 - sqrt(abs(x'))*sign(x')\"}\n"
                "initial: {x': 1}", "event", 2 - 4*log(1.5));
  // v' = -(2 + sqrt v): with w = sqrt v, t = 2 int_0^1 w dw/(2 + w) = 2 - 4 ln 1.5; then v' = -2 + sqrt|v|
  double up = r.def.dt, w = 0.6;  // to |v| = w^2: t = 2 int_0^w w dw/(2 - w) = -2 w - 4 ln(1 - w/2)
  go_to(&r, up);
  near("v", r.s->u[0], 0, 1e-9);
  r.def.dt = up - 2*w - 4*log(1 - w/2) - r.s->t;
  go_to(&r, up - 2*w - 4*log(1 - w/2));
  near("v", r.s->u[0], -w*w, 1e-9);
  stop(&r);
  r = begin("coordinates: {x: m}\nkinetic: x'^2/2\nforces: {x: -sqrt(1 - x)*(1 + 0*abs(x))}\n"
            "initial: {x': 3}", "event", 0.1);
  ss_status st = SS_OK;
  while (st >= 0 && r.s->t < 1) st = ss_step(r.system, &r.def, r.s, r.w);
  assert_int_equal(st, SS_ERR_NUMERIC);
  assert_non_null(strstr(ss_work_message(r.w), "not finite"));
  stop(&r);
}

// A floor that starts to sink, to rise: what rests on it flies, or is hit; constraints are hit, too.
static void test_floor(void** state)
{
  (void)state;
  run r = begin("coordinates: {y: m}\nkinetic: y'^2/2\npotential: 10*y\n"
                "contacts: {floor: {gap: \"y - 2*max(0, t - 0.25)\", eps_n: 0.5}}", "event", 0.3);
  go_to(&r, 0.3);
  near("y'", r.s->u[0], 2 + 0.5*2 - 0.05*10, 1e-12);  // thrown by eps of the speed of the floor more
  near("energy error", defect(&r), 0, 1e-12);
  stop(&r);
  r = begin("coordinates: {x: m, y: m}\nkinetic: (x'^2 + y'^2)/2\nconstraints: {c: y - x - abs(t - 1)}\n"
            "initial: {y: 1, y': -0.5, x': 0.5}", "event", 2);
  go_to(&r, 2);
  near("x'", r.s->u[0], -0.5, 1e-12);
  near("y'", r.s->u[1], 0.5, 1e-12);
  near("energy error", defect(&r), 0, 1e-12);
  stop(&r);
}

// A force that jumps with a velocity ends the run by name where it holds, and is passed where it does not.
static void test_sign_of_velocity(void** state)
{
  (void)state;
  static const char* const form[] = {"-3*sign(x')", "if(x' > 0, -3, 3)", "3 - 6*(x' > 0)"};
  for (int i = 0; i < 3; i++) {
    char text[300];
    snprintf(text, sizeof text, "coordinates: {x: m}\nkinetic: x'^2/2\npotential: 50*x^2\nforces: {x: \"%s\"}\n"
             "initial: {x': 2}", form[i]);
    run r = begin(text, "event", 1);
    run f = begin("coordinates: {x: m}\nkinetic: x'^2/2\npotential: 50*x^2\ncontacts: {dry: {slide: x', bound: 3}}\n"
                  "initial: {x': 2}", "event", 1);
    go_to(&r, 1);
    go_to(&f, 1);
    near("x", r.s->q[0], f.s->q[0], 1e-11);
    assert_int_equal(ss_step(r.system, &r.def, r.s, r.w), SS_ERR_NUMERIC);
    assert_non_null(strstr(ss_work_message(r.w), "slide: x'"));
    stop(&r);
    stop(&f);
  }
}

// Limits of friction with kinks in time and in place: v = v_0 - integral of mu g + bound, exactly, at a loose tolerance
static void test_limits(void** state)
{
  (void)state;
  const double g = 9.81;
  const struct {
    const char* law;
    double lost;  // of v in the first 1.2 s
  } members[] = {
    {"mu: \"0.4*max(0, sin(7*t))\"", 0.4*g/7*(3 - cos(8.4))},  // a half wave, nothing, a part of one
    {"mu: \"0.2*abs(cos(5*t))\"", 0.2*g/5*(4 + sin(6))},
    {"mu: \"if(t < 0.5137, 0.1, 0.3)\"", g*(0.1*0.5137 + 0.3*(1.2 - 0.5137))},
    {"mu: \"0.2 + sign(t - 0.4)*0.1\"", g*(0.1*0.4 + 0.3*0.8)},
    {"mu: 0.1, bound: \"max(0, t - 0.3) + max(0, 0.71 - t)\"", 0.12*g + 0.81/2 + 0.71*0.71/2},
    {"bound: \"min(0.3, 0.5*t)\"", 0.25*0.36 + 0.3*0.6},
    {"bound: \"abs(y - 1)\"", 1.2},  // y = 0
  };
  for (size_t k = 0; k < sizeof members/sizeof *members; k++) {
    char text[600];
    snprintf(text, sizeof text, "coordinates: {x: m, y: m}\nkinetic: (x'^2 + y'^2)/2\npotential: 9.81*y\n"
             "contacts: {table: {gap: y, slide: x', %s}}\ninitial: {x': 6}", members[k].law);
    run r = begin(text, "event", 1.2);
    r.def.event.rtol = 1e-6;
    go_to(&r, 1.2);
    near(members[k].law, r.s->u[0], 6 - members[k].lost, 1e-8);
    near("energy error", defect(&r), 0, 1e-7);
    stop(&r);
  }
}

// A limit that goes to zero where a mass rests without load, or with a little: kink and slip come together, and the
// mass is free while there is no friction
static void test_limit_to_zero(void** state)
{
  (void)state;
  for (int k = 0; k < 4; k++) {
    char text[600];
    double x0 = k ? pow(10, -3*k) : 0;
    snprintf(text, sizeof text, "coordinates: {x: m}\nkinetic: x'^2/2\npotential: 50*x^2\n"
             "contacts: {table: {slide: x', bound: \"3*max(0, sin(5*t))\"}}\ninitial: {x: %g}", x0);
    run r = begin(text, "event", k % 2 ? 1.2 : 0.01);
    go_to(&r, 1.2);
    near("x", r.s->q[0], x0*cos(10*(1.2 - acos(-1)/5)), 100*x0*x0);  // it slips when 3 sin(5 t) = 100 x0, 7 x0 before
    stop(&r);
  }
}

// ... and where a wall holds it, too: redundant contacts, of which friction goes
static void test_limit_to_zero_at_a_wall(void** state)
{
  (void)state;
  for (int k = 0; k < 3; k++) {
    char text[600];
    snprintf(text, sizeof text, "coordinates: {x: m}\nkinetic: x'^2/2\npotential: 50*x^2 + %d*x\n"
             "contacts: {wall: {gap: x}, table: {slide: x', bound: \"3*max(0, sin(5*t))\"}}", k);
    run r = begin(text, "event", k % 2 ? 1.2 : 0.01);
    go_to(&r, 1.2);
    near("x", r.s->q[0], 0, 1e-15);
    near("x'", r.s->u[0], 0, 1e-15);
    stop(&r);
  }
}

// Beyond the kink of its limit friction is none: it never drives; a limit that is negative itself is refused
static void test_negative_limits(void** state)
{
  (void)state;
  run r = begin("coordinates: {x: m}\nkinetic: x'^2/2\ncontacts: {table: {slide: x', bound: \"max(0, 1 - x)\"}}\n"
                "initial: {x': 2}", "event", 0.1);
  go_to(&r, 2);
  near("x'", r.s->u[0], sqrt(4 - 1), 1e-9);  // 1/2 J of 2 J up to x = 1, nothing from there on
  stop(&r);
  r = begin("coordinates: {x: m}\nkinetic: x'^2/2\n"
            "contacts: {table: {slide: x', bound: \"max(0, 1 - t) - 0.5\"}}\ninitial: {x': 2}", "event", 0.1);
  ss_status st = SS_OK;
  while (st >= 0 && r.s->t < 2) st = ss_step(r.system, &r.def, r.s, r.w);
  assert_int_equal(st, SS_ERR_NUMERIC);
  assert_non_null(strstr(ss_work_message(r.w), "'table' is negative"));
  assert_true(r.s->t < 0.7);
  stop(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_support),          cmocka_unit_test(test_pendulum),
    cmocka_unit_test(test_potential_step),   cmocka_unit_test(test_one_sided_spring),
    cmocka_unit_test(test_floor),            cmocka_unit_test(test_sign_of_velocity),
    cmocka_unit_test(test_limits),           cmocka_unit_test(test_negative_limits),
    cmocka_unit_test(test_limit_to_zero),    cmocka_unit_test(test_limit_to_zero_at_a_wall),
    cmocka_unit_test(test_hertz),            cmocka_unit_test(test_oscillator),
    cmocka_unit_test(test_step_of_branches), cmocka_unit_test(test_root),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
