// Contact problems in velocity space: rows against G, the same motion as by dense problems, stacks that stand at the
// tolerance that everybody has, and impulses as part of the state.
#include "machine/play.h"
#include "machines.h"

// ---- rows ----------------------------------------------------------------------------------------------------------

// Free bodies, a robot with a free base, an arm on the world; all of them touch
static const char mixed[] =
  "<mujoco><option gravity='0 0 -9.81'/><worldbody><geom name='floor' type='plane' size='0 0 1'/>"
  "<body pos='0 0 0.29'><freejoint/><geom type='box' size='.3 .2 .3' euler='1 2 3'/></body>"
  "<body pos='0.1 0 0.75'><freejoint/><geom type='sphere' size='0.2' pos='0.05 0 0'/>"
  "<geom type='box' size='.1 .1 .3' pos='.4 0 0' euler='10 0 5'/></body>"
  "<body pos='0.5 0.1 0.4'><freejoint/><geom type='capsule' fromto='0 0 0 .4 0 0' size='.1'/>"
  "  <body pos='.4 0 0'><joint type='hinge' axis='0 1 0' range='-10 -1' limited='true' frictionloss='2'/>"
  "<geom type='sphere' size='.2' pos='.3 0 0'/>"
  "    <body pos='.3 0 0'><joint type='ball'/><geom type='box' size='.1 .2 .2' pos='0 0 -.2'/></body></body></body>"
  "<body pos='0 0.5 0.5'><joint type='slide' axis='0 0 1' armature='0.3'/><joint type='hinge' axis='1 0 0'/>"
  "<geom type='box' size='.5 .5 .2'/></body>"
  "</worldbody></mujoco>";

// G of a contact and another from their rows in orthonormal velocities
static double product(machine_case* c, const int* part, int i, int j, int parts)
{
  double sum = 0, a[64] = {0}, b[64] = {0};
  for (int p = 0; p < parts; p++) {
    bool in_i = part[2*i] == p || part[2*i + 1] == p, in_j = part[2*j] == p || part[2*j + 1] == p;
    if (!in_i || !in_j) continue;
    int n = c->op->part_size(c->def->user, p);
    assert_true(n > 0 && n <= 64);
    c->op->row_half(&c->at, i, 1, p, n, a);
    c->op->row_half(&c->at, j, 1, p, n, b);
    for (int k = 0; k < n; k++) sum += a[k]*b[k];
  }
  return sum;
}

// The rows of all contacts make the G that the system has
static void check_rows(machine_case* c)
{
  int m = c->rows;
  int *row = calloc((size_t)m, sizeof *row), *part = calloc(2*(size_t)m, sizeof *part);
  double *G = calloc((size_t)(m*m), sizeof *G), largest = 0;
  for (int i = 0; i < m; i++) row[i] = i;
  c->op->row_parts(&c->at, m, row, part);
  assert_int_equal(c->op->delassus(&c->at, m, row, G), SS_OK);
  for (int i = 0; i < m; i++) largest = fmax(largest, G[i*m + i]);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) {
      double unit = sqrt(G[i*m + i]*G[j*m + j]);  // 0: a row of round-off, which is zero in G
      double error = unit > 0 ? 1e-10*unit : 1e-12*largest;
      assert_near("G by rows", product(c, part, i, j, c->def->n_parts), G[i*m + j], error);
    }
  free(row), free(part), free(G);
}

static void test_half_rows(void** state)
{
  (void)state;
  machine_case c;
  open_case(&c, mixed);
  evaluate(&c, 0);
  assert_true(c.rows > 30);
  check_rows(&c);
  close_case(&c);
}

// A free body with limbs of so many joints, limits and all
static void open_limbs(machine_case* c, int limbs, const int* length)
{
  char text[8000] = "<mujoco><compiler angle='radian'/><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 0.5'>"
    "<freejoint/><geom type='box' size='.6 .6 .6'/>";
  for (int limb = 0; limb < limbs; limb++) {
    for (int k = 0; k < length[limb]; k++)
      snprintf(text + strlen(text), sizeof text - strlen(text),
               "<body pos='%g %g 0'><joint type='hinge' axis='%d 1 %d' range='0.1 1' limited='true'/>"
               "<geom type='sphere' size='.55' contype='2'/>", limb == 0 ? 0.3 : 0.0, limb == 1 ? 0.3 : 0.05, k%2, k%3);
    for (int k = 0; k < length[limb]; k++) strcat(text, "</body>");
  }
  strcat(text, "</body></worldbody></mujoco>");
  open_case(c, text);
  evaluate(c, 0);
}

static int count_bits(uint64_t bits) { return bits ? (int)(bits & 1) + count_bits(bits >> 1) : 0; }

// Rows are zero where they are said to be, and not everywhere else. Limbs that a block of six can hold are in one, so
// that a contact with the world meets two blocks but for the first limb, whose begin fills that of the free body.
static void check_reach(int limbs, const int* length, int size, int most)
{
  machine_case c;
  open_limbs(&c, limbs, length);
  int met = 0, zero = 0, n = c.op->part_size(c.def->user, 0);
  assert_int_equal(n, size);
  check_rows(&c);
  for (int i = 0; i < c.rows; i++) {
    const int row[1] = {i};
    int part[2];
    double J[64];
    c.op->row_parts(&c.at, 1, row, part);
    if (part[0] < 0 && part[1] < 0) continue;
    uint64_t reach = c.op->row_reach(&c.at, i, 0);
    if (part[0] < 0 || part[1] < 0) assert_in_range(count_bits(reach), 1, most);
    c.op->row_half(&c.at, i, 1, 0, n, J);
    for (int k = 0; k < n; k++) {
      if (reach >> k/6 & 1) met++;
      else zero++, assert_true(J[k] == 0);
    }
  }
  assert_true(met > 100 && zero > 100);
  close_case(&c);
}

static void test_reach(void** state)
{
  (void)state;
  check_reach(3, (int[]){7, 7, 7}, 27, 3);
  check_reach(4, (int[]){3, 6, 6, 4}, 28, 2);  // 6 + 3, room for 3 more, 6, 6, 4
  check_reach(5, (int[]){6, 3, 3, 2, 5}, 29, 2);  // 6 + 6, 3 + 3, 2, room for 4 more, 5
}

// ---- motion --------------------------------------------------------------------------------------------------------

// By `moreau`, whatever the scene says
static play by_steps(ss_scene* scene)
{
  play p = start_scene(scene);
  p.def = ss_step_def_default();
  p.def.dt = scene->option.timestep;
  p.def.friction = scene->run.solver;
  return p;
}

// One step; what misses its tolerance has been said to
static void advance(play* p)
{
  ss_status st = ss_step(p->system, &p->def, p->s, p->w);
  if (st < 0) fail_msg("step %ld: %s", p->s->step, ss_work_message(p->w));
}

static void advance_solved(play* p, long steps)
{
  for (long i = 0; i < steps; i++) {
    ss_status st = ss_step(p->system, &p->def, p->s, p->w);
    if (st != SS_OK)
      fail_msg("step %ld: %s, residual %.3g: %s", p->s->step, ss_status_text(st), ss_work_info(p->w)->residual,
               ss_work_message(p->w));
  }
}

// n unit cubes, the uppermost one `ratio` times as heavy; no tolerance given
static ss_scene* stack_of(int n, double ratio)
{
  char text[20000];
  int at = snprintf(text, sizeof text, "<mujoco><option timestep='1e-3' gravity='0 0 -9.81'/><worldbody>"
                                       "<geom type='plane' size='0 0 1' friction='0.5'/>");
  for (int i = 0; i < n; i++)
    at += snprintf(text + at, sizeof text - (size_t)at,
                   "<body pos='0 0 %g'><freejoint/><geom type='box' size='.5 .5 .5' mass='%g' friction='0.5'/></body>",
                   i + 0.5, i == n - 1 ? ratio : 1.0);
  snprintf(text + at, sizeof text - (size_t)at, "</worldbody></mujoco>");
  return parse_scene(text);
}

static void stand(int n, double ratio, long steps)
{
  play p = by_steps(stack_of(n, ratio));
  double* q = calloc((size_t)p.s->nq, sizeof *q);
  memcpy(q, p.s->q, sizeof *q*(size_t)p.s->nq);
  advance_solved(&p, steps);
  for (int i = 0; i < p.s->nq; i++) assert_near("a coordinate", p.s->q[i], q[i], 1e-9);
  free(q);
  stop(&p);
}

// Ten cubes for 10 s; asked for are 1e-6 m
static void test_stacks_stand(void** state)
{
  (void)state;
  stand(10, 1, 10000/LESS);
  stand(10, 1000, 10000/LESS);
  stand(30, 1, 2000/LESS);
}

#define THROWN(friction) \
  "<mujoco><option timestep='1e-3' gravity='0 0 -9.81'/>" \
  "<default><geom friction='" friction "' restitution='0.3'/></default><worldbody>" BODIES
#define BODIES \
  "<geom type='plane' size='0 0 1'/>" \
  "<body pos='0 0 0.5'><freejoint/><geom type='box' size='.5 .5 .5' mass='1'/></body>" \
  "<body pos='0.1 0 1.5'><freejoint/><geom type='box' size='.5 .5 .5' mass='2'/></body>" \
  "<body pos='0 0.1 2.4999'><freejoint/><geom type='box' size='.5 .5 .5' mass='1' euler='0 0 30'/></body>" \
  "<body pos='0.1 0 3.2'><freejoint/><geom type='sphere' size='.2' mass='3'/></body>" \
  "<body pos='1.5 0 0.3'><freejoint/><geom type='capsule' fromto='-.3 0 0 .3 0 0' size='.3'/>" \
  "  <body pos='.3 0 0'><joint type='hinge' axis='0 1 0' range='-20 20' limited='true'/>" \
  "<geom type='box' size='.3 .2 .2' pos='.5 0 -.1'/></body></body>" \
  "</worldbody></mujoco>"

static void push(play* p)
{
  for (int i = 0; i < p->s->nv; i++) p->s->u[i] = 0.4*sin(1 + 2.3*i);
}

// Without friction velocities are unique: the same after a step as from the dense problem, solved by other means
static void test_same_as_dense(void** state)
{
  (void)state;
  play a = by_steps(parse_scene(THROWN("0"))), b = by_steps(parse_scene(THROWN("0")));
  push(&a);
  b.def.friction.method = SS_FRICTION_NEWTON;  // asked for by name: not in velocity space
  for (int k = 0; k < 300/LESS; k++) {
    ss_state_copy(b.s, a.s);
    advance_solved(&a, 1);
    advance_solved(&b, 1);
    for (int i = 0; i < a.s->nv; i++) assert_near("a velocity", a.s->u[i], b.s->u[i], 1e-6);
  }
  stop(&a), stop(&b);
}

// A copy of the state in another workspace goes on with the same bits
static void test_split(void** state)
{
  (void)state;
  play a = by_steps(parse_scene(THROWN("0.5"))), b = by_steps(parse_scene(THROWN("0.5")));
  push(&a);
  for (int k = 0; k < 100; k++) advance(&a);
  assert_true(a.s->n_impulse > 0);
  assert_int_equal(ss_state_copy(b.s, a.s), SS_OK);
  for (int k = 0; k < 200/LESS; k++) {
    advance(&a);
    advance(&b);
    assert_memory_equal(a.s->q, b.s->q, sizeof(double)*(size_t)a.s->nq);
    assert_memory_equal(a.s->u, b.s->u, sizeof(double)*(size_t)a.s->nv);
    assert_int_equal(a.s->n_impulse, b.s->n_impulse);
    for (int i = 0; i < a.s->n_impulse; i++) {
      const ss_contact_impulse *x = &a.s->impulse[i], *y = &b.s->impulse[i];
      assert_true(x->key == y->key && x->state == y->state);
      assert_memory_equal(x->Lambda, y->Lambda, sizeof x->Lambda);
    }
  }
  stop(&a), stop(&b);
}

// ---- compliance ----------------------------------------------------------------------------------------------------

// A ball on a floor sinks with kappa tr(G) Lambda = 8 kappa g dt, as a dense problem; so does the middle one of 21 side
// by side that touch one another, in velocity space
static void test_ball_sinks(void** state)
{
  (void)state;
  const double kappa = 1e-3, v = -8*kappa*9.81e-3;
  char text[4000];
  int at = snprintf(text, sizeof text, "<mujoco><option timestep='1e-3' gravity='0 0 -9.81'/>"
                                       "<stickslip compliance='%g'/><default><geom friction='1'/></default>"
                                       "<worldbody><geom type='plane' size='0 0 1'/>", kappa);
  for (int i = 0; i < 21; i++)
    at += snprintf(text + at, sizeof text - (size_t)at,
                   "<body pos='%g 0 0.1'><freejoint/><geom type='sphere' size='0.1'/></body>", 0.2*i);
  snprintf(text + at, sizeof text - (size_t)at, "<body pos='9 0 0.1'><freejoint/><geom type='sphere' size='0.1'/>"
                                                "</body></worldbody></mujoco>");
  play p = by_steps(parse_scene(text));
  advance_solved(&p, 50);
  assert_int_equal(ss_work_info(p.w)->n_active, 42);
  for (int i = 0; i < 22; i++)  // the lever shrinks a little
    assert_near("the velocity of a ball", p.s->u[6*i + 2], v, 1e-4*fabs(v));
  stop(&p);
}

// The problem that a step leaves behind is the one it has solved, compliance and all
static void test_soft_problem(void** state)
{
  (void)state;
  play p = by_steps(stack_of(10, 100));
  p.def.friction.compliance = 1e-2;
  assert_int_equal(ss_work_keep_problem(p.w), SS_OK);
  for (int k = 0; k < 20; k++) {
    const ss_contact_solution* found;
    advance_solved(&p, 1);
    const ss_contact_problem* problem = ss_work_problem(p.w, &found, NULL);
    assert_true(problem && problem->m == 120);
    assert_true(ss_spatial_residual(problem, found->Lambda) <= 1e-8);
  }
  assert_true(p.s->u[6*9 + 2] < -1e-3);  // it yields
  p.def.friction.compliance = -1;
  assert_true(ss_step(p.system, &p.def, p.s, p.w) < 0);
  stop(&p);
}

// ---- threads -------------------------------------------------------------------------------------------------------

// The same bits with one, two and three threads
static void same_by_threads(const char* text, double tol, int steps, int contacts)
{
  play a = by_steps(parse_scene(text));
  a.def.friction.tol = tol;
  for (int k = 0; k < steps; k++) advance(&a);
  assert_true(ss_work_info(a.w)->n_active >= contacts);
  for (int threads = 2; threads <= 3; threads++) {
    play b = by_steps(parse_scene(text));
    b.def.friction.tol = tol;
    b.def.threads = threads;
    for (int k = 0; k < steps; k++) advance(&b);
    assert_memory_equal(a.s->q, b.s->q, sizeof(double)*(size_t)a.s->nq);
    assert_memory_equal(a.s->u, b.s->u, sizeof(double)*(size_t)a.s->nv);
    stop(&b);
  }
  stop(&a);
}

static void test_threads(void** state)
{
  (void)state;
  static char text[100000];
  const char* head = "<mujoco><option timestep='1e-3' gravity='0 0 -9.81'/><default><geom friction='0.5'/></default>"
                     "<worldbody><geom type='plane' size='0 0 1'/>";
  // seven stacks: islands
  int at = snprintf(text, sizeof text, "%s", head);
  for (int i = 0; i < 28; i++)
    at += snprintf(text + at, sizeof text - (size_t)at,
                   "<body pos='%g 0 %g'><freejoint/><geom type='box' size='.5 .5 .5' euler='0 0 %d'/></body>",
                   3.0*(i/4), i%4 + 0.5, i%4*7);
  snprintf(text + at, sizeof text - (size_t)at, "</worldbody></mujoco>");
  same_by_threads(text, 1e-8, 5, 100);
  // 512 balls in a lattice that falls apart: one large island
  at = snprintf(text, sizeof text, "%s", head);
  for (int i = 0; i < 512; i++)
    at += snprintf(text + at, sizeof text - (size_t)at,
                   "<body pos='%g %g %g'><freejoint/><geom type='sphere' size='0.1'/></body>",
                   0.1999*(i%8) + 1e-4*sin(i), 0.1999*(i/8%8), 0.1999*(i/64) + 0.09995);
  snprintf(text + at, sizeof text - (size_t)at, "</worldbody></mujoco>");
  same_by_threads(text, 1e-3, 3, 1000);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_half_rows),
    cmocka_unit_test(test_reach),
    cmocka_unit_test(test_stacks_stand),
    cmocka_unit_test(test_same_as_dense),
    cmocka_unit_test(test_split),
    cmocka_unit_test(test_ball_sinks),
    cmocka_unit_test(test_soft_problem),
    cmocka_unit_test(test_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
