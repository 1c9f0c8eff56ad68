// Bilateral rows (welds, joints with the world, loops, couplings) in islands of velocity space: the same motion as by
// dense problems, piles as well as without them, redundant and contradictory rows, threads.
#include "less.h"
#include "machine/play.h"
#include "machines.h"
#include "solve/spatial_residual.h"

// Boxes in columns of four that lean on one another, `wide` columns in a row; ties come after them
static int put_boxes(char* text, size_t size, int wide, double friction)
{
  int at = snprintf(text, size,
                    "<mujoco><option timestep='1e-3' gravity='0 0 -9.81'/><default><geom friction='%g'/></default>"
                    "<worldbody><geom type='plane' size='0 0 1'/>", friction);
  for (int i = 0; i < 4*wide; i++)
    at += snprintf(text + at, size - (size_t)at, "<body name='b%d' pos='%g %g %g'><freejoint/>"
                   "<geom type='box' size='.05 .05 .05' mass='%g'/></body>", i, 0.0999*(i/4), 0.002*(i%3),
                   0.05 + 0.0999*(i%4), 0.5 + 0.1*(i%5));
  return at;
}

// A loop of four links, lying on the boxes
#define LOOP \
  "<body name='c0' pos='0 0.01 0.41'><freejoint/><geom type='capsule' fromto='0 0 0 .15 0 0' size='.01' mass='.2'/>" \
  "<body pos='.15 0 0'><joint name='j1' axis='0 0 1'/><geom type='capsule' fromto='0 0 0 0 .08 0' size='.01'" \
  " mass='.1'/>" \
  "<body pos='0 .08 0'><joint name='j2' axis='0 0 1'/><geom type='capsule' fromto='0 0 0 -.15 0 0' size='.01'" \
  " mass='.2'/><body name='c3' pos='-.15 0 0'><joint name='j3' axis='0 0 1'/>" \
  "<geom type='capsule' fromto='0 0 0 0 -.08 0' size='.01' mass='.1'/></body></body></body></body>"

typedef struct ties {
  const char *name, *bodies, *rest;
  int rows;   // bilateral ones
  bool fits;  // wherever it moves: the rows never contradict one another, not even in the order of the step
} ties;

static const ties cases[] = {
  {"a weld", "", "<equality><weld body1='b1' body2='b5'/></equality>", 6, true},
  {"a point of the world", "", "<equality><connect body1='b6' anchor='0 0 0.05'/></equality>", 3, true},
  {"a loop", LOOP, "<contact><exclude body1='c0' body2='c3'/></contact>"
                   "<equality><connect body1='c0' body2='c3' anchor='0 0 0'/></equality>", 3, true},
  {"a loop with a coupling", LOOP, "<contact><exclude body1='c0' body2='c3'/></contact><equality>"
                                   "<joint joint1='j1' joint2='j3'/></equality>", 1, true},
  {"welds, some of them twice", "", "<equality><weld body1='b1' body2='b5'/><weld body1='b5' body2='b1'/>"
                                    "<weld body1='b5' body2='b9'/><weld body1='b1' body2='b9'/>"
                                    "<connect body1='b1' body2='b9' anchor='0 0 0'/></equality>", 27, false},
};
enum { CASES = sizeof cases/sizeof *cases };

static play tied(int i, int wide, double friction)
{
  static char text[20000];
  int at = put_boxes(text, sizeof text, wide, friction);
  snprintf(text + at, sizeof text - (size_t)at, "%s</worldbody>%s</mujoco>", cases[i].bodies, cases[i].rest);
  play p = start_scene(parse_scene(text));
  p.def.account = false;
  p.def.project = SS_PROJECTION_OFF;  // the boxes overlap, so that they press against one another from all sides
  return p;
}

static void advance(play* p, const char* what)
{
  ss_status st = ss_step(p->system, &p->def, p->s, p->w);
  if (st != SS_OK)
    fail_msg("%s, step %ld: %s, residual %.3g: %s", what, p->s->step, ss_status_text(st), ss_work_info(p->w)->residual,
             ss_work_message(p->w));
}

// Boxes without ties, since they would not fit the others'
static void push(play* p)
{
  static const int loose[] = {0, 2, 3, 4, 7, 8, 10, 11};
  for (int i = 0; i < 8; i++)
    for (int k = 0; k < 6; k++) p->s->u[6*loose[i] + k] = 0.2*sin(1 + 2.3*(6*i + k));
}

// Without friction velocities are unique: the same after a step as from the dense problem, solved by other means
static void test_same_as_dense(void** state)
{
  (void)state;
  for (int c = 0; c < CASES; c++) {
    play a = tied(c, 3, 0), b = tied(c, 3, 0);
    b.def.friction.method = SS_FRICTION_MLCP_PATH;  // by pivots, not in velocity space
    a.def.friction.tol = 1e-12;
    b.def.friction.tol = 1e-10;
    if (cases[c].fits) push(&a);
    for (int k = 0; k < 12/LESS; k++) {
      ss_state_copy(b.s, a.s);
      advance(&a, cases[c].name);
      advance(&b, "dense");
      assert_int_equal(ss_work_info(a.w)->n_bilateral, cases[c].rows);
      for (int i = 0; i < a.s->nv; i++) assert_near(cases[c].name, a.s->u[i], b.s->u[i], 1e-9);
    }
    stop(&a), stop(&b);
  }
}

// 40 boxes with friction: every step is solved, and the ties hold; of the last one G has an opinion too
static void test_piles(void** state)
{
  (void)state;
  for (int c = 0; c < CASES; c++) {
    play p = tied(c, 10, 0.5);
    const ss_contact_solution* found;
    for (int k = 0; k < 150/LESS; k++) {
      advance(&p, cases[c].name);
      assert_true(ss_work_info(p.w)->constraint_error < 1e-12);
    }
    assert_int_equal(ss_work_keep_problem(p.w), SS_OK);
    advance(&p, cases[c].name);
    const ss_contact_problem* problem = ss_work_problem(p.w, &found, NULL);
    assert_true(problem && problem->m > 300 && problem->n_bilateral == cases[c].rows);
    assert_true(ss_spatial_residual(problem, found->Lambda) <= 1e-8);
    stop(&p);
  }
}

// Welded bodies that touch and turn do not press against each other: the weld is all there is between them
static void test_welded_do_not_touch(void** state)
{
  (void)state;
  play p = start_scene(parse_scene(
    "<mujoco><option timestep='1e-3' gravity='0 0 0'/><worldbody>"
    "<body name='a'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
    "<body name='b' pos='.1999 0 0'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
    "</worldbody><equality><weld body1='a' body2='b'/></equality></mujoco>"));
  const double v = 0.1999*3;  // both turn about a with 3 rad/s
  p.s->u[5] = p.s->u[11] = 3;
  p.s->u[7] = v;
  for (int k = 0; k < 200; k++) advance(&p, "two boxes");
  assert_int_equal(ss_work_info(p.w)->n_contact, 0);
  assert_near("turns on", p.s->u[5], 3, 1e-6);
  stop(&p);
}

// 16 welds that hold a box at two places each, which cannot be: told, and not for long
static void test_contradiction(void** state)
{
  (void)state;
  static char text[20000];
  int at = put_boxes(text, sizeof text, 8, 0.5);
  at += snprintf(text + at, sizeof text - (size_t)at, "</worldbody><equality>");
  for (int i = 0; i < 16; i++)
    at += snprintf(text + at, sizeof text - (size_t)at,
                   "<weld body1='b%d' relpose='0 0 .3 1 0 0 0'/><weld body1='b%d' relpose='0 0 .4 1 0 0 0'/>", 2*i,
                   2*i);
  snprintf(text + at, sizeof text - (size_t)at, "</equality></mujoco>");
  play p = start_scene(parse_scene(text));
  ss_status st = ss_step(p.system, &p.def, p.s, p.w);
  assert_true(st > 0);
  assert_true(ss_work_info(p.w)->constraint_error > 0.04);
  assert_true(ss_work_info(p.w)->iterations < 2000);
  for (int i = 0; i < p.s->nv; i++) assert_true(isfinite(p.s->u[i]));
  stop(&p);
}

// 512 balls in a lattice, some of them tied: the same bits with one and two threads
static void test_threads(void** state)
{
  (void)state;
  static char text[120000];
  int at = snprintf(text, sizeof text, "<mujoco><option timestep='1e-3' gravity='0 0 -9.81'/><default>"
                                       "<geom friction='0.5'/></default><worldbody><geom type='plane' size='0 0 1'/>");
  for (int i = 0; i < 512; i++)
    at += snprintf(text + at, sizeof text - (size_t)at,
                   "<body name='b%d' pos='%g %g %g'><freejoint/><geom type='sphere' size='0.1'/></body>", i,
                   0.1999*(i%8) + 1e-4*sin(i), 0.1999*(i/8%8), 0.1999*(i/64) + 0.09995);
  at += snprintf(text + at, sizeof text - (size_t)at, "</worldbody><equality>");
  for (int i = 0; i < 500; i += 50)
    at += snprintf(text + at, sizeof text - (size_t)at, "<weld body1='b%d' body2='b%d'/>", i, i + 9);
  snprintf(text + at, sizeof text - (size_t)at, "<connect body1='b7' anchor='0 0 0'/></equality></mujoco>");
  play a = start_scene(parse_scene(text)), b = start_scene(parse_scene(text));
  a.def.friction.tol = b.def.friction.tol = 1e-3;
  b.def.threads = 2;
  for (int k = 0; k < (LESS > 1 ? 1 : 3); k++) {
    advance(&a, "one thread");
    advance(&b, "two threads");
  }
  assert_true(ss_work_info(a.w)->n_active >= 1000);
  assert_memory_equal(a.s->q, b.s->q, sizeof(double)*(size_t)a.s->nq);
  assert_memory_equal(a.s->u, b.s->u, sizeof(double)*(size_t)a.s->nv);
  stop(&a), stop(&b);
}

// 48 boxes fall on one another between four walls: in steps with many impacts at once hardly any contact is sure of its
// state, and every one of them is solved
static void test_heap(void** state)
{
  (void)state;
  static char text[20000];
  int at = snprintf(text, sizeof text,
                    "<mujoco><option timestep='1e-3' gravity='0 0 -9.81'/><default><geom friction='0.5'/></default>"
                    "<worldbody><geom type='plane' size='0 0 1'/><geom type='plane' size='0 0 1' zaxis='1 0 0'/>"
                    "<geom type='plane' size='0 0 1' pos='0.5 0 0' zaxis='-1 0 0'/>"
                    "<geom type='plane' size='0 0 1' zaxis='0 1 0'/>"
                    "<geom type='plane' size='0 0 1' pos='0 0.5 0' zaxis='0 -1 0'/>");
  for (int i = 0; i < 48; i++)
    at += snprintf(text + at, sizeof text - (size_t)at,
                   "<body name='b%d' pos='%g %g %g' euler='%d %d %d'><freejoint/>"
                   "<geom type='box' size='.05 .05 .04' mass='0.5'/></body>", i, 0.07 + 0.12*(i%4) + 0.004*sin(i),
                   0.07 + 0.12*(i/4%4) + 0.004*cos(i), 0.07 + 0.13*(i/16), i*5%19 - 9, i*7%19 - 9, i*11%19 - 9);
  snprintf(text + at, sizeof text - (size_t)at, "</worldbody><equality><weld body1='b20' body2='b21'/></equality>"
                                                "</mujoco>");
  play p = start_scene(parse_scene(text));
  for (int k = 0; k < 260/LESS; k++) advance(&p, "a heap");
  stop(&p);
}

// A step that is to stop is none: the state is as before, and goes on afterwards as if nothing had been
static void test_stop(void** state)
{
  (void)state;
  const ss_friction_method method[] = {SS_FRICTION_AUTO, SS_FRICTION_NSGS};  // sparse and dense
  for (int i = 0; i < 2; i++) {
    volatile int flag = 1;
    play a = tied(0, 3, 0.5), b = tied(0, 3, 0.5);
    a.def.friction.method = b.def.friction.method = method[i];
    a.def.friction.stop = &flag;
    assert_int_equal(ss_step(a.system, &a.def, a.s, a.w), SS_ERR_STOPPED);
    assert_int_equal(ss_simulate(a.system, &a.def, 0, 3, a.s, a.w, NULL, NULL), SS_STOPPED);
    assert_true(a.s->step == 0 && a.s->t == 0);
    assert_memory_equal(a.s->q, b.s->q, sizeof(double)*(size_t)a.s->nq);
    assert_memory_equal(a.s->u, b.s->u, sizeof(double)*(size_t)a.s->nv);
    flag = 0;
    assert_true(ss_simulate(a.system, &a.def, 0, 3, a.s, a.w, NULL, NULL) >= 0);
    assert_true(ss_simulate(b.system, &b.def, 0, 3, b.s, b.w, NULL, NULL) >= 0);
    assert_memory_equal(a.s->u, b.s->u, sizeof(double)*(size_t)a.s->nv);
    stop(&a), stop(&b);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_same_as_dense),
    cmocka_unit_test(test_piles),
    cmocka_unit_test(test_welded_do_not_touch),
    cmocka_unit_test(test_contradiction),
    cmocka_unit_test(test_threads),
    cmocka_unit_test(test_heap),
    cmocka_unit_test(test_stop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
