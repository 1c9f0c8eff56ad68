// The event-driven integrator: every transition between contact states against a closed form.
#include "run.h"

static const double pi = 3.14159265358979323846;

static run event_open(const char* name, double dt, const ss_override* set)
{
  run r = run_open(name, dt, set);
  r.step.integrator = SS_EVENT_DRIVEN;
  return r;
}

static run event_parse(const char* text, double dt)
{
  run r = run_parse(text, dt);
  r.step.integrator = SS_EVENT_DRIVEN;
  return r;
}

static void expect_states(const ss_event* e, ss_contact_state before, ss_contact_state after)
{
  if (e->state_before != before || e->state != after)
    fail_msg("t = %.12g: %s -> %s, expected %s -> %s", e->t, ss_contact_state_text(e->state_before),
             ss_contact_state_text(e->state), ss_contact_state_text(before), ss_contact_state_text(after));
}

// The energy balance closes to 1e-9 of the energies in it.
static void expect_balance_of(const run* r, double swing)
{
  const ss_energy_ledger* e = ss_ledger_energy(r->ledger);
  double size = swing + fabs(e->kinetic) + fabs(e->potential) + fabs(e->work_forces) + fabs(e->work_drive) +
                fabs(e->loss_normal) + fabs(e->loss_friction);
  expect_near("defect of the energy balance", e->defect, 0, 1e-9*size);
}

static void expect_balance(const run* r) { expect_balance_of(r, 0); }

// ---- impacts ----

// Bounces at t1 (1 + 2 e (1 - e^(n-1))/(1 - e)), accumulating at t1 (1 + e)/(1 - e).
static void test_ball(void** state)
{
  (void)state;
  const double e = 0.8, t1 = sqrt(2/9.81);
  run r = event_open("ball", 1, NULL);
  run_until(&r, 6);
  for (int n = 1; n <= 40; n++) {
    const seen* s = run_event(&r, 0, SS_EVENT_IMPACT, n - 1);
    expect_near("bounce", s->event.t, t1*(1 + 2*e*(1 - pow(e, n - 1))/(1 - e)), 1e-10);
    expect_near("speed after it", s->event.gamma_after[0], 9.81*t1*pow(e, n), 1e-10);
    expect_states(&s->event, SS_OPEN, SS_OPEN);
  }
  const seen* rest = run_event(&r, 0, SS_EVENT_ACCUMULATION, 0);
  expect_near("accumulation", rest->event.t, 4.063712769, 1e-8);
  expect_near("accumulation", rest->event.t, t1*(1 + e)/(1 - e), 1e-9);
  expect_states(&rest->event, SS_OPEN, SS_STICK);
  assert_int_equal(rest->event.count, r.n);  // all events but this one are impacts of the sequence; it is one, too
  expect_between("number of impacts", (double)r.n, 50, 150);
  expect_near("height at rest", r.state->q[1], 0, 1e-300);
  expect_near("speed at rest", r.state->u[1], 0, 1e-300);
  expect_near("lost in impacts", ss_ledger_energy(r.ledger)->loss_normal, 9.81, 1e-10);
  expect_balance(&r);
  run_close(&r);
}

// The times at which output is written change nothing, neither for the bounces nor for the end of the sequence.
static void test_ball_on_any_grid(void** state)
{
  (void)state;
  const double dt[] = {1, 1e-2, 1e-3, 1e-4};
  for (int k = 0; k < 4; k++) {
    run r = event_open("ball", dt[k], NULL);
    run_until(&r, 5);
    const seen* rest = run_event(&r, 0, SS_EVENT_ACCUMULATION, 0);
    expect_near("accumulation", rest->event.t, 4.063712769, 1e-8);
    assert_int_equal(r.n, 105);
    run_close(&r);
  }
}

// A mass hits two that touch: the contact between these passes an impulse on although it is not hit itself.
static void test_closed_contact_passes_impulse_on(void** state)
{
  (void)state;
  run r = event_open("three-masses", 1, NULL);
  run_until(&r, 1);
  expect_near("impulse of the hit contact", run_event(&r, 0, SS_EVENT_IMPACT, 0)->event.Lambda[0], 4.0/3, 1e-12);
  expect_near("impulse passed on", run_event(&r, 1, SS_EVENT_IMPACT, 0)->event.Lambda[0], 2.0/3, 1e-12);
  run_close(&r);
}

// A block rocks from corner to corner, ever faster, and comes to rest on both: m g h is all that is left.
static void test_rocking_ends(void** state)
{
  (void)state;
  run r = event_open("rocking-block", 1, NULL);
  run_until(&r, 6);
  long accumulations = 0;
  for (long i = 0; i < r.n; i++) accumulations += r.list[i].event.kind == SS_EVENT_ACCUMULATION;
  assert_int_equal(accumulations, 1);
  expect_between("number of events", (double)r.n, 100, 1000);
  assert_int_equal(r.state->mode[0], SS_STICK);
  assert_int_equal(r.state->mode[1], SS_STICK);
  expect_near("angle", r.state->q[2], 0, 1e-12);
  expect_near("speed", r.state->u[2], 0, 1e-12);
  const ss_energy_ledger* e = ss_ledger_energy(r.ledger);
  expect_near("energy", e->kinetic + e->potential, 32*9.81*0.4, 1e-10);
  expect_balance(&r);
  long n = r.n;
  run_until(&r, 100);
  assert_int_equal(r.n, n);
  run_close(&r);
}

static const char* puck =
  "parameters: {m: 1, g: 9.81, mu: 0.2, e: 0, v: 3, h: 1}\n"
  "coordinates: {x: m, y: m}\nkinetic: m/2*(x'^2 + y'^2)\npotential: m*g*y\n"
  "contacts: {floor: {gap: y, slide: x', mu: mu, eps_n: e}}\ninitial: {y: h, x': v}\n";

// Without restitution: an impact that slides on, and later stops by friction
static void test_impact_then_slip(void** state)
{
  (void)state;
  const double t1 = sqrt(2/9.81), fall = 9.81*t1, v = 3 - 0.2*fall, stop = t1 + v/(0.2*9.81);
  run r = event_parse(puck, 0.5);
  run_until(&r, 3);
  const ss_event* e = &r.list[0].event;
  expect_near("impact", e->t, t1, 1e-12);
  expect_states(e, SS_OPEN, SS_SLIP_POS);
  expect_near("normal impulse", e->Lambda[0], fall, 1e-11);
  expect_near("tangential impulse", e->Lambda[1], -0.2*fall, 1e-11);
  expect_near("energy lost", e->energy_before - e->energy_after, fall*fall/2 + (9 - v*v)/2, 1e-10);
  expect_near("stop", run_event_time(&r, 0, SS_EVENT_STICK, 0), stop, 1e-11);
  expect_near("where", r.state->q[0], 3*t1 + v*v/(2*0.2*9.81), 1e-10);
  assert_int_equal(r.n, 2);
  expect_balance(&r);
  run_close(&r);
}

// ... with more friction the impact stops it at once.
static void test_impact_then_stick(void** state)
{
  (void)state;
  run r = event_parse(puck, 0.5);
  run_close(&r);
  ss_error error = {0};
  const ss_override more = {"mu", "0.9"};
  ss_model* model = ss_model_parse(puck, strlen(puck), "puck", &(ss_model_def){.n_override = 1, .override = &more},
                                   &error);
  assert_non_null(model);
  r = run_start(model, 0.5);
  r.step.integrator = SS_EVENT_DRIVEN;
  run_until(&r, 2);
  assert_int_equal(r.n, 1);
  expect_states(&r.list[0].event, SS_OPEN, SS_STICK);
  expect_near("tangential impulse", r.list[0].event.Lambda[1], -3, 1e-12);
  expect_near("where", r.state->q[0], 3*sqrt(2/9.81), 1e-12);
  run_close(&r);
}

// Newton's and Poisson's law: compression and expansion of a frictionless bounce are v m and e v m.
static void test_compression_and_expansion(void** state)
{
  (void)state;
  for (int law = 0; law < 2; law++) {
    run r = event_open("ball", 1, NULL);
    r.step.impact = law ? SS_IMPACT_POISSON : SS_IMPACT_NEWTON;
    run_until(&r, 1);
    const ss_event* e = &r.list[0].event;
    double v = sqrt(2*9.81);
    expect_near("impulse", e->Lambda[0], 1.8*v, 1e-12);
    expect_near("of which in the compression", e->Lambda_C[0], law ? v : 1.8*v, 1e-12);
    run_close(&r);
  }
}

// A level rod lands on both ends at once: one event of two contacts.
static void test_simultaneous_impacts(void** state)
{
  (void)state;
  run r = event_parse("coordinates: {y: m, phi: rad}\nkinetic: (y'^2 + phi'^2/3)/2\npotential: 10*y\n"
                      "contacts:\n  left: {gap: y - sin(phi), eps_n: 0.5}\n  right: {gap: y + sin(phi), eps_n: 0.5}\n"
                      "initial: {y: 0.2}\n", 0.1);
  run_until(&r, 0.5);
  const double t1 = 0.2, v = 2;
  expect_near("left", run_event_time(&r, 0, SS_EVENT_IMPACT, 0), t1, 1e-12);
  assert_true(run_event_time(&r, 0, SS_EVENT_IMPACT, 0) == run_event_time(&r, 1, SS_EVENT_IMPACT, 0));
  expect_near("left", run_event(&r, 0, SS_EVENT_IMPACT, 0)->event.Lambda[0], 0.75*v, 1e-12);
  expect_near("right", run_event(&r, 1, SS_EVENT_IMPACT, 0)->event.Lambda[0], 0.75*v, 1e-12);
  expect_near("next", run_event_time(&r, 1, SS_EVENT_IMPACT, 1), t1 + 2*0.5*v/10, 1e-11);
  expect_near("turned", r.state->q[1], 0, 1e-13);
  run_close(&r);
}

// A parabola that touches the ceiling at its top, or passes it by 1e-7 m for 0.3 ms: none, and one impact.
static void test_grazing(void** state)
{
  (void)state;
  const char* text = "parameters: {top: 1.25}\ncoordinates: {y: m}\nkinetic: y'^2/2\npotential: 10*y\n"
                     "contacts: {ceiling: {gap: top - y, eps_n: 1}}\ninitial: {y': 5}\n";
  for (int k = 0; k < 3; k++) {
    ss_error error = {0};
    const ss_override top = {"top", k == 0 ? "1.25" : k == 1 ? "1.25 - 1e-7" : "1.25 + 1e-9"};
    ss_model* model = ss_model_parse(text, strlen(text), "test", &(ss_model_def){.n_override = 1, .override = &top},
                                     &error);
    assert_non_null(model);
    run r = run_start(model, 1);
    r.step.integrator = SS_EVENT_DRIVEN;
    run_until(&r, 1);
    double spared = k == 1 ? 2*sqrt(2e-7/10) : 0;  // time that the reflection cuts off
    if (k == 1) expect_near("impact", run_event_time(&r, 0, SS_EVENT_IMPACT, 0), 0.5 - spared/2, 1e-9);
    if (k == 2) assert_int_equal(r.n, 0);
    double t = 1 + spared;
    // whether it touches is decided by round-off, at a speed of up to the square root of that
    expect_near("height after 1 s", r.state->q[0], 5*t - 5*t*t, k == 0 ? 1e-7 : 1e-9);
    run_close(&r);
  }
}

// ---- sliding and sticking ----

static void test_brick_stops(void** state)
{
  (void)state;
  const double stop = 2/(9.81*(0.5*cos(pi/9) - sin(pi/9)));
  run r = event_open("brick", 1, NULL);
  run_until(&r, 2);
  assert_int_equal(r.n, 1);
  expect_near("stop", r.list[0].event.t, stop, 1e-12);
  expect_states(&r.list[0].event, SS_SLIP_POS, SS_STICK);
  double x = r.state->q[0];
  expect_near("where", x, stop, 1e-12);
  run_until(&r, 1000);
  assert_true(r.state->q[0] == x && r.state->u[0] == 0);
  run_close(&r);
}

// Thrown up a slope that cannot hold it: it turns round without a stop.
static void test_slip_reversal(void** state)
{
  (void)state;
  const double s = 9.81*sin(pi/9), c = 9.81*cos(pi/9)*0.2, up = 2/(s + c);
  run r = event_open("brick", 0.3, (const ss_override[]){{"mu", "0.2"}, {"v0", "-2"}, {0}});
  run_until(&r, 3);
  assert_int_equal(r.n, 1);
  expect_near("turns", r.list[0].event.t, up, 1e-12);
  expect_states(&r.list[0].event, SS_SLIP_NEG, SS_SLIP_POS);
  expect_near("where", r.state->q[0], -up + (s - c)*(3 - up)*(3 - up)/2, 1e-10);
  run_close(&r);
}

// A mass on a belt: past the belt's speed, back to it, stuck, loose.
static void test_belt(void** state)
{
  (void)state;
  const double v = 0.2, x_s = 0.03, omega = 10, A = 0.07;
  double t1 = (pi + asin(v/(A*omega)))/omega, x1 = x_s + A*cos(omega*t1);
  double a = x1 + x_s, t2 = t1 + 2*atan(-a*omega/v)/omega;
  double x2 = -x_s + a*cos(omega*(t2 - t1)) + v/omega*sin(omega*(t2 - t1)), t3 = t2 + (x_s - x2)/v;
  run r = event_open("stickslip-oscillator", 0.1, NULL);
  run_until(&r, 1.2);
  assert_int_equal(r.n, 3);
  expect_near("overtakes the belt", r.list[0].event.t, t1, 1e-10);
  expect_states(&r.list[0].event, SS_SLIP_NEG, SS_SLIP_POS);
  expect_near("sticks", r.list[1].event.t, t2, 1e-10);
  expect_states(&r.list[1].event, SS_SLIP_POS, SS_STICK);
  expect_near("slips", r.list[2].event.t, t3, 1e-9);
  expect_states(&r.list[2].event, SS_STICK, SS_SLIP_NEG);
  expect_near("x", r.state->q[0], x_s + v/omega*sin(omega*(r.state->t - t3)), 1e-9);
  expect_balance(&r);
  run_close(&r);
}

// Pulled by k t along the floor and lifted by c t: sticks, slips at k t = mu (m g - c t), leaves at c t = m g.
static const char* pulled =
  "parameters: {k: 2, c: 2, mu: 0.5, J: 1/3}\n"
  "coordinates: {x: m, y: m}\nkinetic: (x'^2 + y'^2)/2\npotential: 10*y\nforces: {x: k*t, y: c*t}\n"
  "contacts: {floor: {gap: y, slide: x', mu: mu}}\n";

static void test_slips_then_leaves(void** state)
{
  (void)state;
  run r = event_parse(pulled, 1);
  run_until(&r, 7);
  const double slip = 5/3.0;  // 2 t = 0.5 (10 - 2 t)
  assert_int_equal(r.n, 2);
  expect_near("slips", r.list[0].event.t, slip, 1e-10);
  expect_states(&r.list[0].event, SS_STICK, SS_SLIP_POS);
  expect_near("leaves", r.list[1].event.t, 5, 1e-10);
  expect_states(&r.list[1].event, SS_SLIP_POS, SS_OPEN);
  expect_near("height", r.state->q[1], 2*2*2*2/6.0, 1e-9);  // y'' = 2 (t - 5)
  expect_near("speed", r.state->u[0], 3*(25 - slip*slip)/2 - 5*(5 - slip) + 49 - 25, 1e-9);
  expect_balance(&r);
  run_close(&r);
}

// Lifted only: a sticking contact and a frictionless one leave.
static void test_leaves_from_rest(void** state)
{
  (void)state;
  const char* frictionless = "coordinates: {y: m}\nkinetic: y'^2/2\npotential: 10*y\nforces: {y: 2*t}\n"
                             "contacts: {floor: {gap: y}}\n";
  for (int k = 0; k < 2; k++) {
    ss_error error = {0};
    const ss_override none = {"k", "0"};
    const char* text = k ? frictionless : pulled;
    ss_model_def def = {.n_override = k ? 0 : 1, .override = &none};
    run r = run_start(ss_model_parse(text, strlen(text), "test", &def, &error), 1);
    r.step.integrator = SS_EVENT_DRIVEN;
    run_until(&r, 7);
    assert_int_equal(r.n, 1);
    expect_near("leaves", r.list[0].event.t, 5, 1e-10);
    expect_states(&r.list[0].event, k ? SS_CLOSED : SS_STICK, SS_OPEN);
    expect_near("height", r.state->q[k ? 0 : 1], 2*2*2*2/6.0, 1e-9);
    run_close(&r);
  }
}

// A bead slides off a sphere without friction: cos(theta) = 2/3 + v0^2/(3 g R).
static void test_leaves_the_sphere(void** state)
{
  (void)state;
  run r = event_parse("coordinates: {x: m, y: m}\nkinetic: (x'^2 + y'^2)/2\npotential: 9.81*y\n"
                      "contacts: {sphere: {gap: sqrt(x^2 + y^2) - 1}}\ninitial: {y: 1, x': 0.1}\n", 0.5);
  run_until(&r, 2);
  assert_true(r.n >= 1);
  expect_states(&r.list[0].event, SS_CLOSED, SS_OPEN);
  const double* q = r.list[0].q;
  expect_near("height where it leaves", q[1], 2/3.0 + 0.01/(3*9.81), 1e-9);
  expect_near("distance from the centre", hypot(q[0], q[1]), 1, 1e-14);
  expect_balance(&r);
  run_close(&r);
}

// Constant friction in a joint: stops at v0 m/bound and stays.
static void test_friction_element(void** state)
{
  (void)state;
  run r = event_parse("coordinates: {x: m}\nkinetic: x'^2/2\ncontacts: {joint: {slide: x', bound: 0.4}}\n"
                      "initial: {x': -1}\n", 1);
  run_until(&r, 5);
  assert_int_equal(r.n, 1);
  expect_near("stops", r.list[0].event.t, 2.5, 1e-12);
  expect_states(&r.list[0].event, SS_SLIP_NEG, SS_STICK);
  expect_near("where", r.state->q[0], -1.25, 1e-12);
  run_close(&r);
}

// Two feet, three coordinates: their forces are not determined, the motion is. Slips at k t = mu m g.
static void test_redundant_contacts(void** state)
{
  (void)state;
  run r = event_parse("coordinates: {x: m, y: m, phi: rad}\nkinetic: (x'^2 + y'^2 + phi'^2/3)/2\npotential: 10*y\n"
                      "forces: {x: 2*t}\ndefinitions: {s: sin(phi), c: cos(phi)/2}\ncontacts:\n"
                      "  left: {gap: y - c - s, slide: x' + phi'*(c + s), mu: 0.5}\n"
                      "  right: {gap: y - c + s, slide: x' + phi'*(c - s), mu: 0.5}\n"
                      "initial: {y: 0.5}\n", 1);
  run_until(&r, 4);
  assert_int_equal(r.n, 2);
  for (int i = 0; i < 2; i++) {
    expect_near("slips", r.list[i].event.t, 2.5, 1e-9);
    expect_states(&r.list[i].event, SS_STICK, SS_SLIP_POS);
  }
  expect_near("x", r.state->q[0], 1.5*1.5*1.5/3, 1e-8);
  expect_near("turned", r.state->q[2], 0, 1e-13);
  expect_balance(&r);
  run_close(&r);
}

// ---- without a motion, and with several ----

static void test_painleve(void** state)
{
  (void)state;
  run r = event_open("painleve", 0.1, NULL);
  run_until(&r, 0.1);
  const ss_event* e = &r.list[0].event;
  expect_near("jams at", e->t, 0, 0);
  expect_states(e, SS_OPEN, SS_STICK);
  expect_near("normal impulse", e->Lambda[0], 0.3, 1e-10);
  expect_near("tangential impulse", e->Lambda[1], 0.4, 1e-10);
  expect_near("turns with", r.list[0].u[2], 0.6*sqrt(5), 1e-10);
  assert_int_equal(e->solutions, 0);
  run_close(&r);
}

// The rod of the tables (m = 1, J = 1/3, contact at (-0.6, -0.8)), sliding backwards and turning: with mu = 2 it may
// lift off or stay on the floor.
// A rod that slides into the region where no force keeps its end on the table: the force grows without bound
static void test_dynamic_jam(void** state)
{
  (void)state;
  for (int k = 0; k < 6; k++) {
    char text[800];
    snprintf(text, sizeof text, "coordinates: {x: m, y: m, p: rad}\nkinetic: (x'^2 + y'^2 + p'^2/12)/2\n"
             "potential: 9.81*y\ncontacts: {tip: {gap: y - sin(p)/2, slide: x' + sin(p)/2*p', mu: 2}}\n"
             "initial: {y: 0.5*sin(%g), p: %g, x': %g}\n", 0.5 + 0.05*(k%3), 0.5 + 0.05*(k%3), k < 3 ? -10.0 : -20.0);
    run r = event_parse(text, 0.01);
    ss_status st = SS_OK;
    while (st >= 0 && r.state->t < 0.5) st = ss_step(r.system, &r.step, r.state, r.work);
    const char* message = ss_work_message(r.work);
    assert_true(st < 0 && strstr(message, "Painleve's jam at t = ") && strstr(message, "'tip'"));
    run_close(&r);
  }
}

static void test_several_motions(void** state)
{
  (void)state;
  const char* rod =
    "definitions: {a: -0.6*cos(phi) + 0.8*sin(phi), b: -0.6*sin(phi) - 0.8*cos(phi)}\n"
    "coordinates: {x: m, y: m, phi: rad}\nkinetic: (x'^2 + y'^2 + phi'^2/3)/2\npotential: 10*y\n"
    "contacts: {tip: {gap: y + b, slide: x' - b*phi', mu: 2}}\n"
    "initial: {y: 0.8, x': -1 - 0.8*4, y': 0.6*4, phi': 4}\n";
  const ss_contact_state expected[] = {SS_SLIP_NEG, SS_SLIP_NEG, SS_OPEN};
  for (int rule = SS_MULTIPLE_STICK; rule <= SS_MULTIPLE_STOP; rule++) {
    run r = event_parse(rod, 1e-3);
    r.step.event.on_multiple = (ss_multiple)rule;
    ss_status status = ss_step(r.system, &r.step, r.state, r.work);
    if (rule == SS_MULTIPLE_STOP) assert_int_equal(status, SS_ERR_NUMERIC);
    else assert_int_equal(r.state->mode[0], expected[rule]);
    if (rule != SS_MULTIPLE_STOP) assert_non_null(strstr(ss_work_info(r.work)->note, "several motions"));
    run_close(&r);
  }
}

// ---- arcs ----

// A pendulum as a point on a circle, against the angle alone
static void test_bilateral(void** state)
{
  (void)state;
  run r = event_parse("coordinates: {x: m, y: m}\nkinetic: (x'^2 + y'^2)/2\npotential: 9.81*y\n"
                      "constraints: {rod: sqrt(x^2 + y^2) - 1}\ninitial: {x: 1}\n", 0.5);
  run a = event_parse("coordinates: {phi: rad}\nkinetic: phi'^2/2\npotential: -9.81*sin(phi)\n", 0.5);
  run_until(&r, 20);
  run_until(&a, 20);
  expect_near("x", r.state->q[0], cos(a.state->q[0]), 1e-7);
  expect_near("y", r.state->q[1], -sin(a.state->q[0]), 1e-7);
  expect_near("length of the rod", hypot(r.state->q[0], r.state->q[1]), 1, 1e-13);
  expect_balance_of(&r, 9.81);
  run_close(&r);
  run_close(&a);
}

// Order 8: a step twice as long, an error 2^8 times as large (here: the tolerance is met)
static void test_tolerance(void** state)
{
  (void)state;
  for (int k = 6; k <= 12; k += 2) {
    run r = event_parse("coordinates: {x: m}\nkinetic: x'^2/2\npotential: 50*x^2\ninitial: {x: 1}\n", 10);
    r.step.event.rtol = pow(10, -k);
    run_until(&r, 10);
    expect_near("oscillator after 16 periods", r.state->q[0], cos(100), 200*pow(10, -k) + 1e-13);
    run_close(&r);
  }
}

static void expect_same_numbers(const char* what, int n, const double* x, const double* y)
{
  for (int i = 0; i < n; i++)
    if (memcmp(&x[i], &y[i], sizeof *x) != 0) fail_msg("%s[%d] = %.17g, in one go %.17g", what, i, x[i], y[i]);
}

// A run in parts, each with a workspace of its own and a copy of the state: the whole, bit for bit.
static void test_goes_on(void** state)
{
  (void)state;
  const struct { const char* name; double until; int every; } cases[] = {
    {"woodpecker", 0.8, 1}, {"ball", 5, 1}, {"stickslip-oscillator", 0.8, 1}, {"brick", 1, 1}, {"painleve", 0.5, 3},
    {"rocking-block", 5, 5}, {"pendulum-stop", 2, 3}, {"three-masses", 2, 3}, {"double-pendulum-wall", 1, 7}};
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++) {
    run whole = event_open(cases[i].name, 0.01, NULL), part = event_open(cases[i].name, 0.01, NULL);
    run_until(&whole, cases[i].until);
    for (int k = 1; part.state->step < whole.state->step; k++) {
      run_step(&part);
      if (k%cases[i].every) continue;
      ss_state* copy = ss_state_create(part.system);
      ss_state_copy(copy, part.state);
      ss_state_destroy(part.state);
      part.state = copy;
      ss_work_destroy(part.work);
      part.work = ss_work_create(part.system, NULL);
    }
    assert_int_equal(part.n, whole.n);
    for (long k = 0; k < part.n; k++) {
      expect_same_numbers("time of event", 1, &part.list[k].event.t, &whole.list[k].event.t);
      expect_same_numbers("q after event", part.state->nv, part.list[k].q, whole.list[k].q);
    }
    expect_same_numbers("q", part.state->nv, part.state->q, whole.state->q);
    expect_same_numbers("u", part.state->nv, part.state->u, whole.state->u);
    expect_same_numbers("memory", part.state->n_memory, part.state->memory, whole.state->memory);
    run_close(&whole);
    run_close(&part);
  }
}

// The last step of a run may be shorter than the others, and is counted.
static void test_ends_in_time(void** state)
{
  (void)state;
  run r = event_open("ball", 0.1, NULL);
  r.step.event.end = 0.25;
  assert_int_equal(ss_simulate(r.system, &r.step, 0, 3, r.state, r.work, NULL, NULL), SS_OK);
  assert_int_equal(r.state->step, 3);
  expect_near("t", r.state->t, 0.25, 0);
  expect_near("fall", r.state->q[1], 1 - 9.81*0.25*0.25/2, 1e-14);
  run_close(&r);
}

// The energy balance of every model of the catalogue that has contacts in the plane, and its gaps
static void test_catalogue(void** state)
{
  (void)state;
  const ss_catalogue_entry* list;
  int n = ss_catalogue(&list);
  for (int i = 0; i < n; i++) {
    if (list[i].text[0] == '<' || strstr(list[i].text, "\nbodies:")) continue;  // contacts come and go
    run r = event_open(list[i].name, 0.02, NULL);
    run_step(&r);  // which may find contacts that overlap
    while (r.state->step < 100) {
      const ss_step_info* info = run_step(&r);
      expect_between("gap of closed contacts", info->penetration, 0, 1e-12);
      expect_between("constraint error", info->constraint_error, 0, 1e-12);
      expect_between("residual", info->residual, 0, 1e-10);
    }
    expect_balance(&r);
    run_close(&r);
  }
}

// What cannot be is said.
static void test_bad_settings(void** state)
{
  (void)state;
  run r = event_open("ball", 1, NULL);
  r.step.event.rtol = 0;
  assert_int_equal(ss_step(r.system, &r.step, r.state, r.work), SS_ERR_ARGUMENT);
  assert_non_null(strstr(ss_work_message(r.work), "rtol"));
  r.step.event.rtol = 1e-8;
  r.step.event.on_multiple = SS_MULTIPLE_COUNT;
  assert_int_equal(ss_step(r.system, &r.step, r.state, r.work), SS_ERR_ARGUMENT);
  run_close(&r);
}

// A rod flies along a corner and touches both sides: it slides on over the floor, or jams. The law of impacts allows
// both; what leaves the least energy is taken.
static void test_several_outcomes(void** state)
{
  (void)state;
  const ss_override set[] = {{"initial.x'", "2"}, {"initial.y'", "-1"}, {"P", "0"}, {NULL, NULL}};
  for (int law = 0; law < 2; law++) {
    run r = event_open("rod-corner", 0.1, set);
    r.step.impact = law ? SS_IMPACT_POISSON : SS_IMPACT_NEWTON;
    run_step(&r);
    assert_true(r.n >= 1);
    assert_int_equal(r.list[0].event.kind, SS_EVENT_IMPACT);
    assert_int_equal(r.list[0].event.solutions, 2);
    expect_near("energy lost", r.list[0].event.energy_before - r.list[0].event.energy_after, 2.5, 1e-12);
    run_close(&r);
  }
}

// Forces that would pull a rod out of a corner, where friction can hold it: both are motions, the rule decides.
static void test_rod_in_corner(void** state)
{
  (void)state;
  const ss_multiple rule[] = {SS_MULTIPLE_STICK, SS_MULTIPLE_SEPARATE};
  for (int k = 0; k < 2; k++) {
    run r = event_open("rod-corner", 0.1, NULL);
    r.step.event.on_multiple = rule[k];
    run_until(&r, 0.5);
    expect_near("x", r.state->q[0], sqrt(0.125) + (k ? 0.125 : 0), 1e-12);
    expect_near("y", r.state->q[1], sqrt(0.125) + (k ? 0.125 : 0), 1e-12);
    expect_balance(&r);
    run_close(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_ball),
    cmocka_unit_test(test_ball_on_any_grid),
    cmocka_unit_test(test_closed_contact_passes_impulse_on),
    cmocka_unit_test(test_rocking_ends),
    cmocka_unit_test(test_impact_then_slip),
    cmocka_unit_test(test_impact_then_stick),
    cmocka_unit_test(test_compression_and_expansion),
    cmocka_unit_test(test_simultaneous_impacts),
    cmocka_unit_test(test_grazing),
    cmocka_unit_test(test_brick_stops),
    cmocka_unit_test(test_slip_reversal),
    cmocka_unit_test(test_belt),
    cmocka_unit_test(test_slips_then_leaves),
    cmocka_unit_test(test_leaves_from_rest),
    cmocka_unit_test(test_leaves_the_sphere),
    cmocka_unit_test(test_friction_element),
    cmocka_unit_test(test_redundant_contacts),
    cmocka_unit_test(test_painleve),
    cmocka_unit_test(test_dynamic_jam),
    cmocka_unit_test(test_several_motions),
    cmocka_unit_test(test_bilateral),
    cmocka_unit_test(test_tolerance),
    cmocka_unit_test(test_goes_on),
    cmocka_unit_test(test_ends_in_time),
    cmocka_unit_test(test_catalogue),
    cmocka_unit_test(test_bad_settings),
    cmocka_unit_test(test_several_outcomes), cmocka_unit_test(test_rod_in_corner),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
