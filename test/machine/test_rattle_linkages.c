// The integrator rattle with loops of joints in space: held on position level and on velocity level, for long, without
// projection. What the angles of both linkages have to do with one another is known in closed form.
#include <float.h>
#include "machine/play.h"

static double energy(ss_energy e) { return e.kinetic + e.potential; }

// The steps until `until`; the largest error of the constraints by closed_form(q, u), which gives that of both levels
static double run_for(play* p, double until, double (*closed_form)(const double* q, const double* u))
{
  double worst = 0;
  while (p->s->t < until - p->def.dt/2) {
    step(p, NULL);
    worst = fmax(worst, closed_form(p->s->q, p->s->u));
    worst = fmax(worst, ss_work_info(p->w)->constraint_error);
  }
  return worst;
}

// a sin(crank) + b sin(crank + pin) = 0,  a cos(crank) + b cos(crank + pin) = a + b + slider, and their rates
static double slider_crank(const double* q, const double* u)
{
  const double a = 0.1, b = 0.3, rod = q[0] + q[1], turn = u[0] + u[1];
  const double c[4] = {a*sin(q[0]) + b*sin(rod), a*cos(q[0]) + b*cos(rod) - a - b - q[2],
                       a*cos(q[0])*u[0] + b*cos(rod)*turn, -a*sin(q[0])*u[0] - b*sin(rod)*turn - u[2]};
  double worst = 0;
  for (int i = 0; i < 4; i++) worst = fmax(worst, fabs(c[i]));
  return worst;
}

// A thousand turns in steps of 10 ms, 0.05 rad. Angles come to 6283 rad, known to 10^-12 rad, and both are in the
// position of bars of 0.4 m: nothing but this round-off is left. The energy swings within a turn, and does not drift.
static void test_slider_crank(void** state)
{
  (void)state;
  play p = start_rattle("models/slider-crank.xml", 1e-2);
  double first = 0, last = 0, start = NAN, worst = 0;
  int turns = 1000/LESS;
  while (p.s->q[0] < 2*M_PI*turns) {
    worst = run_for(&p, p.s->t + 1, slider_crank);
    assert_true(worst <= 1e-13 + 4*0.4*DBL_EPSILON*p.s->q[0]);
    const ss_step_info* info = ss_work_info(p.w);
    if (isnan(start)) start = energy(info->before);
    double* half = p.s->q[0] < M_PI*turns ? &first : &last;
    *half = fmax(*half, fabs(energy(info->after)/start - 1));
  }
  print_message("constraints %.3g, energy %.3g and %.3g\n", worst, first, last);
  assert_true(last < 2e-3 && last < 1.1*first);
  stop(&p);
}

// Bricard's linkage of six equal bars at right angles: its hinges turn by a and b by turns,
// sin a + sin b + sin a sin b = 0 [from its loop, a = b = 0 at the start], and the rate of that
static double bricard(const double* q, const double* u)
{
  double a = q[0], b = q[1];
  const double c[5] = {sin(a) + sin(b) + sin(a)*sin(b), cos(a)*(1 + sin(b))*u[0] + cos(b)*(1 + sin(a))*u[1],
                       fmax(fabs(a - q[2]), fabs(a - q[4])), fabs(b - q[3]),
                       fmax(fabs(u[0] - u[2]), fabs(u[1] - u[3]))};
  double worst = 0;
  for (int i = 0; i < 5; i++) worst = fmax(worst, fabs(c[i]));
  return worst;
}

// Ten seconds: it falls, swings, and folds; of order 2 (against `event`), of its six rows four would do
static void test_bricard(void** state)
{
  (void)state;
  double exact, error[2];
  play e = start_rattle("test/data/rattle/bricard.xml", 2);
  e.def.integrator = SS_EVENT_DRIVEN;
  e.def.event.rtol = 1e-12;
  step(&e, NULL);
  exact = e.s->q[0];
  stop(&e);
  for (int k = 0; k < 2; k++) {
    play p = start_rattle("test/data/rattle/bricard.xml", k ? 1e-3 : 2e-3);
    double worst = run_for(&p, 2, bricard);
    error[k] = fabs(p.s->q[0] - exact);
    worst = fmax(worst, run_for(&p, 10, bricard));
    print_message("constraints %.3g, error %.3g\n", worst, error[k]);
    assert_true(worst <= 1e-12);
    stop(&p);
  }
  near(error[0]/error[1], 4, 0.2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_slider_crank), cmocka_unit_test(test_bricard)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
