// The event-driven integrator where gaps and forces change with time, faster than anything moves: no root is missed,
// and the interval of output changes nothing.
#include "run.h"

#include "integrate/event.h"

static const double pi = 3.14159265358979323846;
static const double grid[] = {1e-3, 1e-2, 0.03, 0.1, 0.3, 1};
enum { GRIDS = sizeof grid/sizeof *grid };

static run event_parse(const char* text, double dt)
{
  run r = run_parse(text, dt);
  r.step.integrator = SS_EVENT_DRIVEN;
  return r;
}

static long count(const run* r, ss_event_kind kind)
{
  long n = 0;
  for (long i = 0; i < r->n; i++) n += r->list[i].event.kind == kind;
  return n;
}

static void expect_balance(const run* r)
{
  const ss_energy_ledger* e = ss_ledger_energy(r->ledger);
  double size = fabs(e->kinetic) + fabs(e->potential) + fabs(e->work_forces) + fabs(e->work_drive) +
                fabs(e->loss_normal) + fabs(e->loss_friction);
  expect_near("defect of the energy balance", e->defect, 0, 1e-9*size);
}

// A body drifts down onto a table that shakes 48 times per second: the first root of 0.1 - 0.1 t - 0.01 sin(300 t)
static void test_shaking_table(void** state)
{
  (void)state;
  double low = 0, high = 0;
  while (0.1 - 0.1*high - 0.01*sin(300*high) > 0) high += 1e-6;
  for (low = high - 1e-6; high - low > 1e-15;) {
    double t = (low + high)/2;
    if (0.1 - 0.1*t - 0.01*sin(300*t) > 0) low = t;
    else high = t;
  }
  for (int k = 0; k < GRIDS; k++) {
    run r = event_parse("coordinates: {y: m}\nkinetic: y'^2/2\ncontacts: {table: {gap: \"y - 0.01*sin(300*t)\", "
                        "eps_n: 0.5}}\ninitial: {y: 0.1, y': -0.1}\n", grid[k]);
    run_until(&r, 1.2);
    assert_int_equal(r.n, 1);
    expect_near("impact", r.list[0].event.t, low, 1e-11);
    expect_near("speed", r.list[0].event.gamma_before[0], -0.1 - 3*cos(300*low), 1e-8);
    run_close(&r);
  }
}

// A mass held by dry friction (limit 1) against pulses of 1.5: it slips whenever cos(200 t)^21 passes 2/3 upwards.
static void test_pulses_against_friction(void** state)
{
  (void)state;
  double lead = acos(pow(2/3.0, 1/21.0));
  for (int k = 0; k < GRIDS; k++) {
    run r = event_parse("coordinates: {x: m}\nkinetic: x'^2/2\nforces: {x: \"-1.5*cos(200*t)^21\"}\n"
                        "contacts: {ground: {slide: x', bound: 1}}\n", grid[k]);
    run_until(&r, 3);
    assert_int_equal(count(&r, SS_EVENT_SLIP), 191);  // of 3 s 200/pi = 190.99 pulses; it slips from the start
    for (int i = 0; i < 191; i++) {
      const ss_event* e = &run_event(&r, 0, SS_EVENT_SLIP, i)->event;
      expect_near("slips", e->t, ((i + 1)*pi - lead)/200, 1e-11);
      assert_int_equal(e->state, i%2 ? SS_SLIP_NEG : SS_SLIP_POS);
    }
    expect_balance(&r);
    run_close(&r);
  }
}

// A pulse of 2.5 ms lifts a body that rests: nothing tells of it before, so that the longest step is limited.
// It leaves at F = g, and then moves with  A w (erf(s) - erf(s_0)) sqrt(pi)/2 - g w (s - s_0),  s = (t - 0.5)/w.
static void test_pulse_lifts(void** state)
{
  (void)state;
  const double w = 1.25e-3, A = 40, g = 9.81, s0 = -sqrt(log(A/g));
  for (int k = 0; k < GRIDS; k++) {
    run r = event_parse("coordinates: {y: m}\nkinetic: y'^2/2\npotential: 9.81*y\n"
                        "forces: {y: \"40*exp(-((t - 0.5)/0.00125)^2)\"}\ncontacts: {floor: {gap: y}}\n", grid[k]);
    r.step.event.max_step = 2e-3;
    run_until(&r, 1.2);
    assert_int_equal(r.n, 2);
    expect_near("leaves", r.list[0].event.t, 0.5 + w*s0, 1e-11);
    double t = r.list[1].event.t, s = (t - 0.5)/w;
    expect_near("lands", t, 0.51398955878, 1e-10);
    expect_near("speed", r.list[1].event.gamma_before[0], A*w*sqrt(pi)/2*(erf(s) - erf(s0)) - g*w*(s - s0), 1e-10);
    expect_balance(&r);
    run_close(&r);
  }
}

// Two equal pulses on a block with two feet, whose forces are not determined: at 0.4 s it only loses half of its
// weight, at 0.8 s it is lifted.
static void test_pulse_on_two_feet(void** state)
{
  (void)state;
  for (int k = 0; k < GRIDS; k++) {
    run r = event_parse("coordinates: {x: m, y: m, p: rad}\nkinetic: (x'^2 + y'^2 + p'^2/3)/2\npotential: 10*y\n"
                        "forces: {y: \"5*exp(-((t - 0.4)/0.02)^2) + 20*exp(-((t - 0.8)/0.02)^2)\"}\n"
                        "contacts:\n  left: {gap: y - sin(p), slide: x' + 0*p', mu: 0.5}\n"
                        "  right: {gap: y + sin(p), slide: x' + 0*p', mu: 0.5}\n", grid[k]);
    r.step.event.max_step = 0.05;
    run_until(&r, 1.2);
    expect_near("leaves", run_event_time(&r, 0, SS_EVENT_DETACH, 0), 0.8 - 0.02*sqrt(log(2)), 1e-7);
    assert_int_equal(count(&r, SS_EVENT_DETACH), 2);
    run_close(&r);
  }
}

// Whatever the interval of output is, 105 impacts and the same end
static void test_long_intervals(void** state)
{
  (void)state;
  const double dt[] = {10, 1e3, 1e8};
  for (int k = 0; k < 3; k++) {
    run r = run_open("ball", dt[k], NULL);
    r.step.integrator = SS_EVENT_DRIVEN;
    run_until(&r, dt[k]);
    assert_int_equal(r.n, 105);
    expect_near("accumulation", run_event_time(&r, 0, SS_EVENT_ACCUMULATION, 0), 4.063712769, 1e-8);
    run_close(&r);
  }
}

// Dependent constraints, two equal contacts, and a stop that the constraints hold at zero for ever: a mass slides to
// rest by friction, v/(mu g) after the start.
static void test_dependent_rows(void** state)
{
  (void)state;
  run r = event_parse("coordinates: {x: m, y: m, p: rad}\nkinetic: (x'^2 + y'^2 + p'^2)/2 + 0.2*x'*p'\n"
                      "potential: 9.81*y\nconstraints: {a: p, b: 2*p, c: sin(p)}\ncontacts:\n"
                      "  f1: {gap: y, slide: x', mu: 0.1, eps_n: 0.5}\n  f2: {gap: y, slide: x', mu: 0.1, eps_n: 0.5}\n"
                      "  stop: {gap: p + 0.0, eps_n: 0.5}\ninitial: {x': -1}\n", 1e-2);
  run_until(&r, 3);
  double stop = 1/0.981;
  assert_true(count(&r, SS_EVENT_STICK) >= 1);
  for (long i = 0; i < r.n; i++) expect_near("stops", r.list[i].event.t, stop, 1e-9);
  expect_near("where", r.state->q[0], -stop/2, 1e-9);
  expect_balance(&r);
  run_close(&r);
}

// A bead on a ring passes a wall at a distance of 1e-6 without touching it. Looking for a touch leaves no error behind.
static void test_near_miss_stays_on_ring(void** state)
{
  (void)state;
  run r = event_parse("coordinates: {x: m, y: m}\nkinetic: (x'^2 + y'^2)/2\nconstraints: {ring: x^2 + y^2 - 1}\n"
                      "contacts: {wall: {gap: 1 + 1e-6 - x}}\ninitial: {x: 1, y': 1}\n", 0.7);
  while (r.state->t < 50) {
    const ss_step_info* info = run_step(&r);
    expect_near("off the ring", info->constraint_error, 0, 1e-14);
  }
  assert_int_equal(r.n, 0);
  expect_near("angle", atan2(r.state->q[1], r.state->q[0]), remainder(r.state->t, 2*pi), 1e-8);
  run_close(&r);
}

// Where the impacts of a contact end, those of the same body end with it, also by way of a constraint; those of others
// do not.
static void test_ends_of_coupled_contacts(void** state)
{
  (void)state;
  run r = event_parse("coordinates: {x: m, y: m, a: m, b: m}\nkinetic: (x'^2 + y'^2 + a'^2 + b'^2)/2\n"
                      "constraints: {tie: y - a}\ncontacts:\n  x: {gap: x, eps_n: 0.5}\n"
                      "  xy: {gap: x + y, eps_n: 0.6}\n"
                      "  a: {gap: a, eps_n: 0.7}\n  b: {gap: b, eps_n: 0.8}\n", 1);
  assert_int_equal(ss_arc_create(r.system, r.work), SS_OK);
  ss_arc* arc = r.work->arc;
  ss_impact impact;
  ss_arc_load(arc, r.state);
  assert_int_equal(ss_arc_evaluate(arc, 0, arc->y), SS_OK);
  for (int i = 0; i < 4; i++) arc->touch[i] = true;
  for (int i = 0; i < 4; i++) {
    arc->rests[i] = true;
    ss_assemble_impact(arc, &impact);
    arc->rests[i] = false;
    assert_int_equal(impact.n_contact, 4);
    const double eps[] = {0.5, 0.6, 0.7, 0.8};
    for (int k = 0; k < 4; k++) expect_near("restitution", impact.eps_n[k], (k == 3) == (i == 3) ? 0 : eps[k], 0);
  }
  ss_assemble_impact(arc, &impact);
  expect_near("restitution of the first", impact.eps_n[0], 0.5, 0);
  run_close(&r);
}

// A solver that gives up at once proves nothing: the motion is the same, and Painleve's rod jams as ever.
static void test_solver_gives_up(void** state)
{
  (void)state;
  const char* models[] = {"painleve", "brick", "woodpecker"};
  for (int k = 0; k < 3; k++) {
    run r[2];
    for (int i = 0; i < 2; i++) {
      r[i] = run_open(models[k], 0.1, NULL);
      r[i].step.integrator = SS_EVENT_DRIVEN;
      if (i) r[i].step.solver.max_iter = r[i].step.solver.attempts = 1;
      run_until(&r[i], 0.3);
    }
    assert_int_equal(r[0].n, r[1].n);
    for (long i = 0; i < r[0].n; i++) {
      const ss_event *a = &r[0].list[i].event, *b = &r[1].list[i].event;
      expect_near("event", b->t, a->t, 1e-12);
      assert_true(a->kind == b->kind && a->state == b->state && a->contact == b->contact);
      expect_near("normal impulse", b->Lambda[0], a->Lambda[0], 1e-9);
    }
    for (int i = 0; i < 2; i++) run_close(&r[i]);
  }
}

// Springs so stiff that a run would take years end it, after 20000 steps, whatever the interval of output
static void test_stiff_springs_end(void** state)
{
  (void)state;
  const double stiffness[] = {1e25, 1e28, 1e30}, dt[] = {1e-6, 1e-3, 1};
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++) {
      char text[200];
      snprintf(text, sizeof text, "coordinates: {x: m}\nkinetic: x'^2/2\npotential: %g*x^2/2\ninitial: {x: 1}\n",
               stiffness[k]);
      run r = event_parse(text, dt[i]);
      r.step.event.end = 1;
      ss_status st = SS_OK;
      for (int n = 0; n < 3 && st >= 0; n++) st = ss_step(r.system, &r.step, r.state, r.work);
      assert_int_equal(st, SS_ERR_NUMERIC);
      assert_non_null(strstr(ss_work_message(r.work), "hardly goes on"));
      run_close(&r);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_shaking_table),
    cmocka_unit_test(test_pulses_against_friction),
    cmocka_unit_test(test_pulse_lifts),
    cmocka_unit_test(test_pulse_on_two_feet),
    cmocka_unit_test(test_long_intervals),
    cmocka_unit_test(test_dependent_rows),
    cmocka_unit_test(test_near_miss_stays_on_ring),
    cmocka_unit_test(test_ends_of_coupled_contacts),
    cmocka_unit_test(test_solver_gives_up),
    cmocka_unit_test(test_stiff_springs_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
