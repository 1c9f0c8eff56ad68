// What passes close by, or touches with velocity zero, loses nothing: bobs that swing through their lowest point over a
// floor, beads on rails that come down to it, in one coordinate and in two with a constraint. What does touch, does.
#include <math.h>
#include <stdio.h>

#include "draw.h"
#include "text_run.h"

static const ss_integrator scheme[] = {SS_MOREAU, SS_JEAN, SS_EULER};

// The largest part of the energy at hand that is lost, and whether a contact had an impulse
static double loss_of(const char* text, ss_integrator integrator, double dt, double until, bool* touched)
{
  run r = start(text);
  r.def.integrator = integrator;
  r.def.dt = dt;
  double first = NAN, most = 0, lost = 0;
  *touched = false;
  while (r.s->t < until) {
    ss_status st = ss_step(r.system, &r.def, r.s, r.w);
    const ss_step_info* info = ss_work_info(r.w);
    if (st != SS_OK) fail_msg("%s, t = %g: %s: %s", text, r.s->t, ss_status_text(st), ss_work_message(r.w));
    if (isnan(first)) first = info->before.kinetic + info->before.potential;
    most = fmax(most, info->after.kinetic);
    lost = fmax(lost, first - info->after.kinetic - info->after.potential);
    for (int i = 0; i < info->n_contact; i++) *touched = *touched || info->contact[i].Lambda[0] > 0;
  }
  stop(&r);
  return lost/most;
}

static const char* kind[] = {
  // a pendulum of length l, in one coordinate and in two; a bead on a rail
  "coordinates: {p: rad}\nkinetic: %2$.17g^2/2*p'^2\npotential: -9.81*%2$.17g*cos(p)\n"
  "contacts: {floor: {gap: '%2$.17g*(1 - cos(p)) + %3$.17g', slide: %2$.17g*p'*cos(p), mu: %4$g}}\n"
  "initial: {p: %1$.17g}\n",
  "coordinates: [x, y]\nkinetic: (x'^2 + y'^2)/2\npotential: 9.81*y\n"
  "constraints: {rod: sqrt(x^2 + y^2) - %2$.17g}\n"
  "contacts: {floor: {gap: y + %2$.17g + %3$.17g, slide: x', mu: %4$g}}\n"
  "initial: {x: '%2$.17g*sin(%1$.17g)', y: '-%2$.17g*cos(%1$.17g)'}\n",
  "coordinates: [x, y]\nkinetic: (x'^2 + y'^2)/2\npotential: 9.81*y\n"
  "constraints: {rail: y - 0.2*x^2/%2$.17g}\n"
  "contacts: {floor: {gap: y + %3$.17g, slide: x', mu: %4$g, eps_n: 0.5}}\n"
  "initial: {x: %1$.17g, y: '0.2*%1$.17g^2/%2$.17g'}\n"};

// A floor at the lowest point, and below it by less than the way of a step bends
static void test_nothing_is_touched(void** state)
{
  (void)state;
  for (int i = 0; i < 60; i++) {
    char text[800];
    double start_at = uniform(0.3, 1.5), length = uniform(0.5, 2), dt = uniform(3e-4, 1e-3);
    double below = (const double[]){0, 0, 1e-12, 1e-9, 1e-7, 4e-6}[i%6], mu = (const double[]){0, 0.3}[i/6%2];
    snprintf(text, sizeof text, kind[i%3], start_at, length, below, mu);
    for (int k = 0; k < 3; k++) {
      bool touched;
      double lost = loss_of(text, scheme[k], dt, 2, &touched);
      // the energy error of the methods: euler is of order one, 2 s at speeds that change by g/l dt in a step
      double allowed = scheme[k] == SS_EULER ? 2*2*9.81/length*dt : 1e-3;
      if (!(lost < allowed)) fail_msg("%s loses %g of its energy, %g allowed:\n%s", ss_integrator_name(scheme[k]), lost,
                                      allowed, text);
    }
  }
}

// A floor above the lowest point stops the bob: nothing is overlooked
static void test_what_touches(void** state)
{
  (void)state;
  for (int i = 0; i < 12; i++) {
    char text[800];
    snprintf(text, sizeof text, kind[i%3], uniform(0.5, 1.2), uniform(0.5, 2), -uniform(1e-3, 1e-2), 0.0);
    for (int k = 0; k < 3; k++) {
      bool touched;
      loss_of(text, scheme[k], 1e-3, 1, &touched);
      assert_true(touched);
    }
  }
}

// What would pass through a disk in one step is no parabola: it is met
static void test_fast(void** state)
{
  (void)state;
  for (int i = 0; i < 20; i++) {
    char text[400];
    double r = uniform(0.01, 0.2), speed = uniform(100, 900);
    snprintf(text, sizeof text, "coordinates: [x, y]\nkinetic: (x'^2 + y'^2)/2\n"
             "contacts: {disk: {gap: sqrt(x^2 + y^2) - %g, eps_n: 0.5}}\ninitial: {x: -%g, y: %g, x': %g}\n",
             r, uniform(1.01, 1.9)*speed*1e-3/2 + r, r*uniform(-0.2, 0.2), speed);
    bool touched;
    loss_of(text, SS_EULER, 1e-3, 5e-3, &touched);
    if (!touched) fail_msg("it went through:\n%s", text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_nothing_is_touched),
    cmocka_unit_test(test_what_touches),
    cmocka_unit_test(test_fast),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
