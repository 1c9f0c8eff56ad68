// The integrator rattle with scenes: what rolls keeps its energy, what rests rests, loops are held, nothing overlaps.
#include "machine/play.h"

static play load(const char* path, double dt)
{
  ss_error error = {0};
  ss_scene* scene = ss_scene_load(path, 0, NULL, &error);
  if (!scene) fail_msg("%s:%d: %s", path, error.line, error.text);
  play p = start_scene(scene);
  p.def.integrator = SS_RATTLE;
  p.def.dt = dt;
  return p;
}

static play open_model(const char* name)
{
  play p = start(name);
  p.def.integrator = SS_RATTLE;
  return p;
}

static void step_once(play* p)
{
  ss_status st = ss_step(p->system, &p->def, p->s, p->w);
  if (st != SS_OK) fail_msg("t = %g: %s: %s", p->s->t, ss_status_text(st), ss_work_message(p->w));
  ss_ledger_step(p->ledger, p->s, ss_work_info(p->w), NULL);
}

static double energy(const play* p)
{
  ss_energy e = ss_work_info(p->w)->after;
  return e.kinetic + e.potential;
}

// The largest error of the energy, as a part of it
static double run_for(play* p, double until)
{
  double worst = 0, first = NAN;
  while (p->s->t < until - p->def.dt/2) {
    step_once(p);
    ss_energy e = ss_work_info(p->w)->before;
    if (isnan(first)) first = e.kinetic + e.potential;
    worst = fmax(worst, fabs(energy(p)/first - 1));
  }
  return worst;
}

#define DISK SS_SOURCE_DIR "/test/data/rattle/disk.xml"

// A disk that rolls on its rim for ever: energy of order 2, the tilt of an ODE, no loss, no overlap
static void test_disk(void** state)
{
  (void)state;
  double until = 2.0/LESS;
  play coarse = load(DISK, 2e-3), p = load(DISK, 1e-3);
  double worst_coarse = run_for(&coarse, until), worst = run_for(&p, until);
  assert_true(worst < 1e-4);
  near(worst_coarse/worst, 4, 0.5);
  const double* q = p.s->q + 3;
  double tilt = acos(1 - 2*(q[1]*q[1] + q[2]*q[2]))*180/M_PI;
  if (LESS == 1) near(tilt, 20.08, 0.01);
  near(ss_ledger_energy(p.ledger)->loss_normal, 0, 1e-13);
  near(ss_ledger_energy(p.ledger)->loss_friction, 0, 1e-13);
  assert_int_equal(ss_ledger_get_counts(p.ledger)->events, 0);
  assert_true(ss_ledger_get_counts(p.ledger)->max_penetration < 1e-15);
  stop(&coarse);
  stop(&p);
}

// It spins at -5 rad/s, which is the wrong way round, rattles, and reverses to +5 rad/s
static void test_rattleback(void** state)
{
  (void)state;
  if (LESS > 1) skip();
  play p = load(SS_SOURCE_DIR "/test/data/rattle/rattleback.xml", 1e-3);
  run_for(&p, 8);
  near(p.s->u[5], 5, 0.02);
  stop(&p);
}

// Neither creeps nor sinks
static void test_rest(void** state)
{
  (void)state;
  const struct { const char* name; int steps; } c[] = {{"stack10", 100}, {"incline", 1000}, {"gripper-hold", 500}};
  for (size_t k = 0; k < 3; k++) {
    play p = open_model(c[k].name);
    for (int i = 0; i < c[k].steps/LESS; i++) step_once(&p);
    for (int i = 0; i < p.s->nq; i++) near(p.s->q[i], p.q0[i], 1e-12);
    assert_true(ss_ledger_get_counts(p.ledger)->max_penetration < 1e-14);
    stop(&p);
  }
}

static void test_slider_crank(void** state)
{
  (void)state;
  play p = open_model("slider-crank");
  double worst = run_for(&p, 5.0/LESS);
  assert_true(ss_ledger_get_counts(p.ledger)->max_constraint_error <= 1e-12);
  assert_true(worst < 1e-4);
  stop(&p);
}

// The energy swings, and does not drift: the second half of the run is no worse than the first
static void test_top(void** state)
{
  (void)state;
  play p = open_model("spinning-top");
  p.def.dt = 2e-3;
  double first = run_for(&p, 20.0/LESS), all = run_for(&p, 40.0/LESS);
  assert_true(first < 1e-4 && all < 1.5*first);
  stop(&p);
}

// Two or three tops on one another, each against the next, at 200 rad/s, keep their energy as they do by moreau, and
// steps are of second order
#define TOP_ON "<body pos='0 0 .4' quat='.99 .05 .12 0'><joint type='ball'/>" \
  "<inertial pos='0 0 .2' mass='1' diaginertia='.01 .01 .005'/>"

static play start_tops(int n, double spin)
{
  char text[1000];
  snprintf(text, sizeof text, "<mujoco><option gravity='0 0 -9.81'/><worldbody>%s%s%s%s</worldbody></mujoco>", TOP_ON,
           TOP_ON, n > 2 ? TOP_ON "</body>" : "", "</body></body>");
  play p = start_text(text);
  p.def.integrator = SS_RATTLE;
  p.def.dt = 1e-3;
  for (int i = 0; i < n; i++) p.s->u[3*i + 2] = i%2 ? -spin : spin;
  return p;
}

static void test_tops(void** state)
{
  (void)state;
  for (int n = 2; n <= 3; n++) {
    play p = start_tops(n, 200);
    double worst = run_for(&p, 0.3);
    if (!(worst < 1e-3)) fail_msg("%d tops: the energy is off by %g", n, worst);  // (dt w)^2/12 of V, which is less
    stop(&p);
  }
}

static void test_tops_order(void** state)
{
  (void)state;
  double end[3];
  for (int k = 0; k < 3; k++) {
    play p = start_tops(2, 50);
    p.def.dt = 1e-3/(1 << k);
    run_for(&p, 0.2);
    end[k] = p.s->u[0];
    stop(&p);
  }
  near((end[0] - end[1])/(end[1] - end[2]), 4, 0.1);
}

// Seen backwards the step is the same: with all velocities turned round the motion goes back to where it began
static void test_backwards(void** state)
{
  (void)state;
  play p = start_tops(2, 100);
  double q[8];
  memcpy(q, p.s->q, sizeof q);
  for (int way = 0; way < 2; way++) {
    for (int i = 0; i < 100; i++) step_once(&p);
    for (int i = 0; i < p.s->nv; i++) p.s->u[i] *= -1;
  }
  for (int i = 0; i < 8; i++) near(p.s->q[i], q[i], 1e-10);  // round-off of 200 steps, which the motion makes grow
  stop(&p);
}

// Impacts of many bodies: no overlap at the end of any step
static void test_dominoes(void** state)
{
  (void)state;
  play p = open_model("dominoes");
  for (int i = 0; i < 300/LESS; i++) step_once(&p);
  assert_true(ss_ledger_get_counts(p.ledger)->max_penetration < 1e-13);
  stop(&p);
}

// A state is all that is needed to go on: bit for bit, whatever a step hands over to the next
static void go_on(play p, play o)
{
  for (int i = 0; i < 20; i++) step_once(&p);
  assert_int_equal(ss_state_copy(o.s, p.s), SS_OK);
  for (int i = 0; i < 20; i++) {
    step_once(&p);
    step_once(&o);
  }
  assert_memory_equal(p.s->q, o.s->q, sizeof(double)*(size_t)p.s->nq);
  assert_memory_equal(p.s->u, o.s->u, sizeof(double)*(size_t)p.s->nv);
  stop(&p);
  stop(&o);
}

static void test_goes_on(void** state)
{
  (void)state;
  go_on(load(DISK, 1e-3), load(DISK, 1e-3));
  go_on(start_tops(3, 200), start_tops(3, 200));
  go_on(open_model("quadruped"), open_model("quadruped"));
  go_on(open_model("slider-crank"), open_model("slider-crank"));
}

// Rolling resistance and an ellipse of friction: as moreau has them, where nothing bends
static void test_laws(void** state)
{
  (void)state;
  const char* text = "<mujoco><option timestep='1e-3'/><worldbody>"
    "<geom name='f' type='plane' size='0 0 1' friction='.5 .01 .02' condim='6'/>"
    "<body pos='0 0 .1'><freejoint/><geom type='sphere' size='.1' friction='.5 .01 .02' condim='6'/></body>"
    "<body pos='1 0 .1'><freejoint/><geom name='s' type='box' size='.1 .1 .1'/></body></worldbody>"
    "<contact><pair geom1='s' geom2='f' friction='.3 .6 .01 .001 .001' condim='3'/></contact></mujoco>";
  play p[2] = {start_text(text), start_text(text)};
  p[1].def.integrator = SS_RATTLE;
  for (int k = 0; k < 2; k++) {
    const double u[12] = {1, 0.3, 0, 0, 0, 5, 1, 1, 0, 0, 0, 0};
    memcpy(p[k].s->u, u, sizeof u);
    for (int i = 0; i < 200; i++) step_once(&p[k]);
  }
  for (int i = 0; i < 12; i++) near(p[1].s->u[i], p[0].s->u[i], 1e-3);
  for (int k = 0; k < 2; k++) stop(&p[k]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_disk), cmocka_unit_test(test_rattleback), cmocka_unit_test(test_rest),
    cmocka_unit_test(test_slider_crank), cmocka_unit_test(test_top), cmocka_unit_test(test_dominoes),
    cmocka_unit_test(test_tops), cmocka_unit_test(test_tops_order), cmocka_unit_test(test_backwards),
    cmocka_unit_test(test_goes_on), cmocka_unit_test(test_laws)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
