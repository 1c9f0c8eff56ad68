// More contacts than are needed: forces within the contact laws, and motions that do not depend on the order of
// contacts nor on the side from which one looks.
#include <math.h>
#include <stdio.h>

#include "../less.h"
#include "text_run.h"

static double uniform(uint64_t* seed)
{
  *seed = *seed*6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11)/9007199254740992.0;
}

enum { MOST = 7 };

typedef struct beam {
  int n, order[MOST];
  double at[MOST], mu[MOST], c, h;     // feet; centre of mass, its height
  double push, v, lean;                   // force, speed; angle of the ground
} beam;

// Feet in a row, some of them twice at one place, the centre of mass between the outer ones
static beam random_beam(uint64_t* seed, bool alike)
{
  beam b = {.n = 3 + (int)(5*uniform(seed)), .h = 0.4*uniform(seed), .lean = 3*(uniform(seed) - 0.5)};
  double mu = 0.1 + 0.3*uniform(seed);
  for (int i = 0; i < b.n; i++) {
    b.at[i] = i > 1 && uniform(seed) < 0.15 ? b.at[i - 1] : -1 + 2.0*i/(b.n - 1) + 0.2*(uniform(seed) - 0.5);
    b.mu[i] = alike ? mu : 0.05 + 0.4*uniform(seed);
    b.order[i] = i;
  }
  b.at[0] = -1;
  b.at[b.n - 1] = 1;
  b.c = 1.2*(uniform(seed) - 0.5);
  b.v = uniform(seed) < 0.3 ? 0 : 2*(uniform(seed) - 0.5);
  b.push = uniform(seed) < 0.3 ? 0 : 8*(uniform(seed) - 0.5);
  return b;
}

static void shuffle(beam* b, uint64_t* seed)
{
  for (int i = b->n - 1; i > 0; i--) {
    int j = (int)(uniform(seed)*(i + 1)), swap = b->order[i];
    b->order[i] = b->order[j];
    b->order[j] = swap;
  }
}

// The beam on a ground that is turned by `lean`, gravity with it; side -1: its mirror image
static run place(const beam* b, int side, const char* how)
{
  char text[6000];
  double e = cos(b->lean), f = sin(b->lean);
  int k = snprintf(text, sizeof text, "parameters: {e: %.17g, f: %.17g, h: %.17g}\ncoordinates: [x, y, th]\n"
                   "definitions: {along: e*x + f*y, up: e*y - f*x}\n"
                   "kinetic: (x'^2 + y'^2)/2 + th'^2/4\npotential: 9.81*up - %.17g*along*sin(3*t)\ncontacts:\n", e, f,
                   b->h, side*b->push);
  for (int i = 0; i < b->n; i++) {
    double a = side*(b->at[b->order[i]] - b->c);
    k += snprintf(text + k, sizeof text - (size_t)k,
                  "  f%d: {gap: \"up + (%.17g)*sin(th) - h*cos(th)\", "
                  "slide: \"e*x' + f*y' + th'*(h*cos(th) - (%.17g)*sin(th))\", mu: %.17g}\n", b->order[i], a, a,
                  b->mu[b->order[i]]);
  }
  snprintf(text + k, sizeof text - (size_t)k, "initial: {x: %.17g, y: %.17g, x': %.17g, y': %.17g}\nrun: {%s}\n",
           -f*b->h, e*b->h, side*b->v*e, side*b->v*f, how);
  return start(text);
}

// Impulses of a step within the laws
static void expect_lawful(const run* r, const beam* b, int number)
{
  const ss_step_info* info = ss_work_info(r->w);
  double tol = 1e-8;
  for (int i = 0; i < info->n_contact; i++) {
    const double* L = info->contact[i].Lambda;
    if (!(L[0] >= -tol && fabs(L[1]) <= b->mu[b->order[i]]*L[0] + tol))
      fail_msg("beam %d, t = %g: foot %d with %g N s and friction %g N s", number, r->s->t, b->order[i], L[0], L[1]);
  }
}

// Along the ground, at the end
static double go_lawfully(run* r, const beam* b, int number, double until)
{
  while (r->s->t < until - 1e-9) {
    ss_status st = ss_step(r->system, &r->def, r->s, r->w);
    if (st != SS_OK) fail_msg("beam %d, t = %g: %s", number, r->s->t, ss_work_message(r->w));
    ss_ledger_step(r->ledger, r->s, ss_work_info(r->w), NULL);
    expect_lawful(r, b, number);
  }
  return r->s->q[0]*cos(b->lean) + r->s->q[1]*sin(b->lean);
}

static void test_beams(void** state)
{
  (void)state;
  for (int number = 0; number < 18/LESS; number++) {
    uint64_t seed = (uint64_t)number*104729 + 5;
    double x[3];
    beam b = random_beam(&seed, number%3 == 0);
    for (int k = 0; k < 3; k++) {
      if (k) shuffle(&b, &seed);
      run r = place(&b, k == 2 ? -1 : 1, "dt: 0.05, integrator: event");
      x[k] = go_lawfully(&r, &b, number, 1.5)*(k == 2 ? -1 : 1);
      stop(&r);
    }
    if (!(fabs(x[1] - x[0]) < 1e-8 && fabs(x[2] - x[0]) < 1e-8))
      fail_msg("beam %d: x = %.10g, feet in another order %.10g, mirrored %.10g", number, x[0], x[1], x[2]);
    if (number%3) continue;
    run r = place(&b, 1, "dt: 5e-4");  // equal coefficients: the motion is unique
    double steps = go_lawfully(&r, &b, number, 1.5);
    stop(&r);
    if (!(fabs(steps - x[0]) < 3e-3)) fail_msg("beam %d: x = %.10g, by steps %.10g", number, x[0], steps);
  }
}

// A mass in a slot without clearance, at any angle, thrown along it: the side that carries brakes it, and it stops
// after v^2/(2 a) with a = mu g |cos| +- g sin; steep slots let it slide back
static void test_slots(void** state)
{
  (void)state;
  for (int k = 0; k < 24/(LESS > 1 ? 4 : 1); k++) {
    double lean = 0.26*k, e = cos(lean), f = sin(lean), mu = 0.2 + 0.02*k, x[2];
    for (int order = 0; order < 2; order++) {
      char text[1200];
      static const char* const sides[2] = {"  top: {gap: \"-(e*y - f*x)\", slide: e*x' + f*y', mu: mu}\n",
                                           "  bottom: {gap: e*y - f*x, slide: e*x' + f*y', mu: mu}\n"};
      snprintf(text, sizeof text, "parameters: {e: %.17g, f: %.17g, mu: %.17g}\ncoordinates: [x, y]\n"
               "kinetic: (x'^2 + y'^2)/2\npotential: 9.81*y\ncontacts:\n%s%sinitial: {x': 3*e, y': 3*f}\n"
               "run: {dt: 0.05, integrator: event}\n", e, f, mu, sides[order], sides[1 - order]);
      run r = start(text);
      go(&r, 1);
      x[order] = r.s->q[0]*e + r.s->q[1]*f;
      assert_int_equal(ss_ledger_get_counts(r.ledger)->several_motions > 0, 1);
      stop(&r);
    }
    double g = 9.81, brake = mu*g*fabs(e) + g*f, t = brake > 0 ? fmin(1, 3/brake) : 1, rest = 1 - t;
    double back = fmax(0, g*fabs(f) - mu*g*fabs(e)), there = 3*t - brake*t*t/2 - back*rest*rest/2;
    if (!(fabs(x[0] - there) < 1e-9 && fabs(x[1] - there) < 1e-9))
      fail_msg("slot at %g: %.12g and, the other order, %.12g instead of %.12g", lean, x[0], x[1], there);
  }
}

// On a hoop between two rings: against the equation of motion of one that is always braked by mu |N|
static void test_hoop(void** state)
{
  (void)state;
  run r = start("definitions: {r: \"hypot(x, y)\"}\ncoordinates: [x, y]\nkinetic: (x'^2 + y'^2)/2\n"
                "potential: 9.81*y\ncontacts:\n"
                "  outer: {gap: 1 - r, slide: (x*y' - y*x')/r, mu: 0.2}\n"
                "  inner: {gap: r - 1, slide: (x*y' - y*x')/r, mu: 0.2}\n"
                "initial: {y: -1, x': 6}\nrun: {dt: 0.01, integrator: event}\n");
  double a = 0, w = 6, h = 1e-5;  // angle from the lowest point; midpoint rule
  for (int i = 0; i < 60000; i++) {
    double m = a + h/2*w, v = w + h/2*(-9.81*sin(a) - 0.2*fabs(w*w + 9.81*cos(a))*(w > 0 ? 1 : -1));
    a += h*v;
    w += h*(-9.81*sin(m) - 0.2*fabs(v*v + 9.81*cos(m))*(v > 0 ? 1 : -1));
  }
  go(&r, 0.6);
  if (!(fabs(r.s->q[0] - sin(a)) < 1e-6 && fabs(r.s->q[1] + cos(a)) < 1e-6))
    fail_msg("(%.9g, %.9g) instead of (%.9g, %.9g)", r.s->q[0], r.s->q[1], sin(a), -cos(a));
  stop(&r);
}

// The largest pull F at the centre of mass that feet can hold, with any sharing of the load: the linear program
//   max F,  sum N = m g,  sum a N = h F,  F <= sum mu N,  N >= 0
// whose solution is at a vertex: two feet carry all, at their limits. (A beam as low as these slips before it tips.)
static double largest_pull(const beam* b, const double* mu)
{
  double most = 0;
  for (int i = 0; i < b->n; i++)
    for (int j = 0; j < i; j++) {
      // N_i + N_j = m g,  (a_i - h mu_i) N_i + (a_j - h mu_j) N_j = 0
      double p = b->at[i] - b->c - b->h*mu[i], q = b->at[j] - b->c - b->h*mu[j], N = 9.81*q/(q - p);
      if (p == q || N < 0 || N > 9.81) continue;
      most = fmax(most, mu[i]*N + mu[j]*(9.81 - N));
    }
  return most;
}

enum { TEXT, PLANAR };

// Its feet: contacts of a text model, or circles that are one with a body of the plane
static int put_feet(char* text, size_t room, const beam* b, const double* mu_static, int side, int kind)
{
  int k = 0;
  for (int j = 0; j < b->n; j++) {
    int i = b->order[j];
    double a = side*(b->at[i] - b->c), h = b->h;
    if (kind == PLANAR)
      k += snprintf(text + k, room - (size_t)k, "  f%d: {with: beam, circle: [%.17g, %.17g, 0.02], mu: %.17g}\n", i, a,
                    0.02 - h, b->mu[i]);
    else
      k += snprintf(text + k, room - (size_t)k, "  f%d: {gap: y + (%.17g)*sin(th) - %.17g*cos(th), "
                    "slide: x' + th'*(%.17g*cos(th) - (%.17g)*sin(th)), mu: %.17g, mu_static: %.17g}\n", i, a, h, h, a,
                    b->mu[i], mu_static[i]);
  }
  return k;
}

// The beam, pulled by rate t along the ground
static run pulled(const beam* b, const double* mu_static, double rate, int side, int kind, const char* how)
{
  char text[6000];
  int k = snprintf(text, sizeof text, "coordinates: [x, y, th]\nforces: {x: %.17g*t}\ninitial: {y: %.17g}\nrun: {%s}\n",
                   side*rate, b->h, how);
  k += snprintf(text + k, sizeof text - (size_t)k, kind == PLANAR
                ? "gravity: 9.81\nbodies:\n  floor: {ground: [[-9, 0], [9, 0]]}\n  beam: {polygon: [[-1, -0.01], "
                  "[1, -0.01], [1, 0.01], [-1, 0.01]], mass: 1, inertia: 0.5, at: [x, y, th]}\n"
                : "kinetic: (x'^2 + y'^2)/2 + th'^2/4\npotential: 9.81*y\ncontacts:\n");
  put_feet(text + k, sizeof text - (size_t)k, b, mu_static, side, kind);
  return start(text);
}

static double first_slip(run* r, int number)
{
  while (r->s->t < 10) {
    ss_status st = ss_step(r->system, &r->def, r->s, r->w);
    if (st != SS_OK) fail_msg("beam %d, t = %g: %s", number, r->s->t, ss_work_message(r->w));
    const ss_event* event;
    int n = ss_ledger_step(r->ledger, r->s, ss_work_info(r->w), &event);
    for (int i = 0; i < n; i++)
      if (event[i].kind == SS_EVENT_SLIP) return event[i].t;
  }
  return NAN;
}

// Feet that stick hold a beam as long as any sharing of its load does. A pull that grows at a rate is known to
// rate*1e-10 of the load; time-stepping tells a slip at the end of a step.
static void test_holds(void** state)
{
  (void)state;
  for (int number = 0; number < 24/LESS; number++) {
    uint64_t seed = (uint64_t)number*7907 + 3;
    beam b = random_beam(&seed, false);
    double mu_static[MOST], rate = 2 + 6*uniform(&seed);
    bool planar = number%3 == 2;
    if (planar) b.h = fmax(b.h, 0.05);
    for (int i = 0; i < b.n; i++) mu_static[i] = b.mu[i] + (number%3 == 1 ? 0.3*uniform(&seed) : 0);
    double there = largest_pull(&b, mu_static)/rate;
    for (int k = 0; k < 4; k++) {
      beam other = b;
      if (k == 1) shuffle(&other, &seed);
      run r = pulled(&other, mu_static, rate, k == 2 ? -1 : 1, planar ? PLANAR : TEXT,
                     k < 3 ? "dt: 0.1, integrator: event" : "dt: 1e-3, integrator: moreau");
      double t = first_slip(&r, number);
      stop(&r);
      if (!(fabs(t - there) < (k < 3 ? 1e-8 : 2.5e-3)))
        fail_msg("beam %d, %d feet, run %d: it slips at %.10g s instead of %.10g", number, b.n, k, t, there);
    }
  }
}

// A run that stops where the motion becomes one of many
static void test_stops(void** state)
{
  (void)state;
  for (int alike = 0; alike < 2; alike++) {
    beam b = {.n = 3, .order = {0, 1, 2}, .at = {-1, 0, 1}, .mu = {0.3, alike ? 0.3 : 0.1, 0.3}, .c = 0.1, .h = 0.2,
              .v = 1};
    run r = place(&b, 1, "dt: 0.05, integrator: event");
    r.def.event.on_multiple = SS_MULTIPLE_STOP;
    ss_status st = ss_step(r.system, &r.def, r.s, r.w);
    assert_int_equal(st, alike ? SS_OK : SS_ERR_NUMERIC);
    if (alike) assert_int_equal(ss_work_info(r.w)->choice, SS_CHOICE_FORCES);
    else assert_non_null(strstr(ss_work_message(r.w), "infinitely many motions"));
    stop(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_beams), cmocka_unit_test(test_slots),
                                     cmocka_unit_test(test_hoop), cmocka_unit_test(test_holds),
                                     cmocka_unit_test(test_stops)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
