// Contact points that slide from edge to edge, off the end of an edge and over corners, event by event, against closed
// forms.
#include "../integrate/run.h"

static const double PI = 3.14159265358979323846;

static long count(const run* r, ss_event_kind kind)
{
  long n = 0;
  for (long i = 0; i < r->n; i++) n += r->list[i].event.kind == kind;
  return n;
}

static double time_of(const run* r, ss_event_kind kind, int k)
{
  for (long i = 0; i < r->n; i++)
    if (r->list[i].event.kind == kind && k-- == 0) return r->list[i].event.t;
  fail_msg("too few events '%s'", ss_event_kind_text(kind));
  return 0;
}

static void expect_closed_books(const run* r)
{
  const ss_energy_ledger* e = ss_ledger_energy(r->ledger);
  expect_near("defect", e->defect, 0, 1e-11);
}

// A box on edges that lie on one line, up to round-off, level and on a slope: nothing happens to its speed, and each of
// its corners passes from edge to edge as often as it passes a point.
static void test_flat(void** state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    char text[600];
    double alpha = 0.3*k, gravity = 9.81*sin(alpha);
    snprintf(text, sizeof text,
             "gravity: 9.81\nbodies:\n"
             "  floor:\n    ground: [{curve: [(s - 1)*cos(%g), -(s - 1)*sin(%g)], from: 0, to: 4, points: 201}]\n"
             "  box: {polygon: [[-0.105, -0.05], [0.105, -0.05], [0.105, 0.05], [-0.105, 0.05]], density: 100,\n"
             "    free: [0.05*sin(%g), 0.05*cos(%g), %g], velocity: [cos(%g), -sin(%g), 0]}\n"
             "run: {integrator: event}\n", alpha, alpha, alpha, alpha, -alpha, alpha, alpha);
    run r = run_parse(text, 0.01);
    run_until(&r, 1);
    double speed = 1 + gravity, way = 1 + gravity/2, front = (way + 0.105)/0.02, back = (way - 0.105)/0.02;
    const double *q = r.state->q, *u = r.state->u;
    expect_near("speed", hypot(u[0], u[1]), speed, 1e-10);
    expect_near("way", (q[0] - 0.05*sin(alpha))*cos(alpha) - (q[1] - 0.05*cos(alpha))*sin(alpha), way, 1e-10);
    expect_near("turn", q[2] + alpha, 0, 1e-10);
    assert_int_equal(count(&r, SS_EVENT_PASS), (int)front - 5 + (int)back + 6);  // from 0.105/0.02, and -0.105/0.02
    assert_int_equal(r.n, count(&r, SS_EVENT_PASS));
    expect_closed_books(&r);
    run_close(&r);
  }
}

// A point that slides over convex corners without friction: at each it flies off along the edge it comes from, and
// lands on an edge behind it, where what is across that edge is lost. Hop by hop, by formulas.
static void test_hops(void** state)
{
  (void)state;
  run r = run_parse("bodies:\n  hill: {ground: [{curve: [s, -s^2/2], from: 0, to: 4, points: 21}]}\n"
                    "  point: {polygon: [[0, 0], [0.01, 0.1], [-0.01, 0.1]], at: [x, y, 0], mass: 1}\n"
                    "coordinates: {x: m, y: m}\ngravity: 9.81\ninitial: {x: 0.01, y: -0.001, x': 0.3, y': -0.03}\n"
                    "run: {integrator: event}\n", 0.01);
  run_until(&r, 1.2);
  double t = 0, x = 0.01, v = hypot(0.3, 0.03), h = 0.2, g = 9.81;
  int hop = 0;
  for (int e = 0; t < 1.2; hop++) {  // e: the edge from e h to (e + 1) h, of slope -(e + 1/2) h
    double slope = -(e + 0.5)*h, c = 1/hypot(1, slope), s = -slope*c;
    double way = ((e + 1)*h - x)/c, slide = (sqrt(v*v + 2*g*s*way) - v)/(g*s);
    if (t + slide > 1.2) break;
    t += slide;
    v += g*s*slide;
    expect_near("leaves", time_of(&r, SS_EVENT_DETACH, hop), t, 1e-10);
    double vx = v*c, vy = -v*s, fly = -1, x0 = (e + 1)*h, y0 = -x0*x0/2;
    do {  // the next edge, if it ends behind the place where the point lands
      slope = -(++e + 0.5)*h;
      double drop = y0 - (-(e*h)*(e*h)/2 + slope*(x0 - e*h)), rate = vy - slope*vx;  // over the line of that edge
      fly = (rate + sqrt(rate*rate + 2*g*drop))/g;
    } while (x0 + vx*fly > (e + 1)*h);
    if (t + fly > 1.2) break;
    t += fly;
    expect_near("lands", time_of(&r, SS_EVENT_IMPACT, hop), t, 1e-10);
    x = x0 + vx*fly;
    v = (vx + (vy - g*fly)*slope)/hypot(1, slope);
  }
  assert_true(hop >= 3);
  expect_closed_books(&r);
  run_close(&r);
}

// In a valley the point hits the other edge: of its velocity what is along that edge stays.
static void test_valley(void** state)
{
  (void)state;
  run r = run_parse("bodies:\n  valley: {ground: [[-1, 0], [0, 0], [1, 0.5], [2, 2]]}\n"
                    "  point: {polygon: [[0, 0], [0.01, 0.1], [-0.01, 0.1]], at: [x, y, 0], mass: 1}\n"
                    "coordinates: {x: m, y: m}\ninitial: {x: -0.5, x': 1}\nrun: {integrator: event}\n", 0.01);
  run_until(&r, 2.5);
  double c1 = 1/hypot(1, 0.5), second = 0.5 + hypot(1, 0.5)/c1;
  expect_near("first", time_of(&r, SS_EVENT_IMPACT, 0), 0.5, 1e-12);
  expect_near("second", time_of(&r, SS_EVENT_IMPACT, 1), second, 1e-11);
  double cosine = (1*1 + 0.5*1.5)/(hypot(1, 0.5)*hypot(1, 1.5));
  expect_near("speed", hypot(r.state->u[0], r.state->u[1]), c1*cosine, 1e-11);
  run_close(&r);
}

// A disc without friction slides down from the top of a polygon with 1000 sides like from a circle, up to what the
// sides differ from it; its energy stays. It passes every side and every corner, in turn.
static void test_disc_on_polygon(void** state)
{
  (void)state;
  run r = run_parse("gravity: 9.81\nbodies:\n"
                    "  ring: {polygon: [{curve: [cos(s), sin(s)], from: 0, to: 2*pi*0.999, points: 1000}]}\n"
                    "  disc: {circle: [0, 0, 0.5], free: [0, 1.5, 0], velocity: [1, 0, 0], mass: 1}\n"
                    "run: {integrator: event}\n", 0.01);
  run_until(&r, 0.4);
  double theta = 0, rate = 1/1.5, dt = 1e-5, radius = 1.5;  // theta'' = g sin(theta)/(R + r): leapfrog
  for (int i = 0; i < 40000; i++) {
    theta += dt/2*rate;
    rate += dt*9.81*sin(theta)/radius;
    theta += dt/2*rate;
  }
  const double *q = r.state->q, *u = r.state->u;
  expect_near("angle", atan2(q[0], q[1]), theta, 2e-5);
  expect_near("energy", (u[0]*u[0] + u[1]*u[1])/2 + 9.81*q[1], 0.5 + 9.81*1.5, 1e-10);
  long sides = (long)(theta/(2*PI/1000));
  assert_int_equal(r.n, count(&r, SS_EVENT_PASS));
  expect_between("passes", (double)r.n, 2.0*(double)sides, 2.0*(double)sides + 2);
  run_close(&r);
}

// A box that slides over the edge of a table: first its front corner passes the edge, then it tips. Friction pulls it
// forward: the back lifts when the centre is still mu times its height before the edge. Turning over the edge is the
// motion that small steps find.
static void test_table(void** state)
{
  (void)state;
  const char* text = "gravity: 9.81\nbodies:\n  table: {polygon: [[-1, -0.5], [0, -0.5], [0, 0], [-1, 0]]}\n"
                     "  box: {polygon: [[0, 0], [0.2, 0], [0.2, 0.1], [0, 0.1]], free: [-0.3, 0.05, 0],\n"
                     "    velocity: [1, 0, 0], density: 100, mu: 0.1}\nrun: {integrator: event}\n";
  run r = run_parse(text, 0.01), steps = run_parse(text, 2e-5);
  run_until(&r, 0.6);
  double a = 0.1*9.81;
  expect_near("front passes", time_of(&r, SS_EVENT_PASS, 0), (1 - sqrt(1 - 2*a*0.2))/a, 1e-10);
  expect_near("back lifts", time_of(&r, SS_EVENT_DETACH, 0), (1 - sqrt(1 - 2*a*(0.3 - 0.1*0.05)))/a, 1e-10);
  assert_int_equal(r.n, 3);  // and it leaves the edge, along it
  const ss_event* leaves = &r.list[2].event;
  assert_int_equal(leaves->kind, SS_EVENT_DETACH);
  for (int k = 0; k < 2; k++) expect_near("after as before", leaves->gamma_after[k], leaves->gamma_before[k], 1e-12);
  expect_near("along the edge", leaves->gamma_before[0], 0, 1e-10);
  assert_true(fabs(leaves->gamma_before[1]) > 0.1);
  steps.step.integrator = SS_MOREAU;
  run_until(&steps, 0.6);
  for (int i = 0; i < 3; i++) expect_near("by small steps", r.state->q[i], steps.state->q[i], 1e-4);
  expect_closed_books(&r);
  run_close(&r);
  run_close(&steps);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_flat),           cmocka_unit_test(test_hops),  cmocka_unit_test(test_valley),
    cmocka_unit_test(test_disc_on_polygon), cmocka_unit_test(test_table),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
