// Scenes in redundant coordinates: with the rows of the joints eliminated they have the G of the minimal
// coordinates; the motions agree to the order of the integrator.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "machines.h"

static const char mechanism[] =
  "<mujoco><compiler angle='radian'/><worldbody><geom name='floor' type='plane' size='5 5 1' pos='0 0 -0.6'/>"
  "<body name='stand' pos='0 0 0.5'><geom size='0.05'/>"
  "<body name='a' pos='0.1 0 0' euler='0.2 0.1 0'><joint name='pin' axis='0.2 1 0.3' pos='0 0.05 0.1'/>"
  "<geom type='capsule' size='0.05 0.2' pos='0.2 0 0'/>"
  "<body name='b' pos='0.4 0 0' euler='0 0.3 0.2'><joint name='rail' type='slide' axis='1 0.3 0' pos='0 0.1 0'/>"
  "<geom type='capsule' size='0.04 0.1' pos='0 0 0.1'/>"
  "<body name='c' pos='0.2 0.1 0'><joint name='socket' type='ball' pos='0 0 0.05'/><geom name='bob' size='0.1'"
  " pos='0.1 0 -0.1'/><body name='d' pos='0.1 0 0.1'><geom name='knob' size='0.04'/></body></body></body></body></body>"
  "<body name='e' pos='0.9 0 -0.5'><freejoint name='loose'/><geom name='ball' size='0.1'/></body></worldbody>"
  "<keyframe><key name='k' qpos='0.3 0.1 0.9 0.1 -0.3 0.3 0.9 0 -0.5 1 0 0 0'"
  " qvel='1 0.5 0.2 -0.4 0.3 0 0.1 0.2 1 2 3'/>"
  "</keyframe><stickslip key='k'/></mujoco>";

// ---- algebra -------------------------------------------------------------------------------------------------------

// What is left of the symmetric A (n x n) when its first nb unknowns are eliminated, in the lower right corner
static void eliminate(int n, int nb, double* A)
{
  for (int k = 0; k < nb; k++) {
    assert_true(A[k*n + k] > 1e-12);
    for (int i = k + 1; i < n; i++)
      for (int j = k + 1; j < n; j++) A[i*n + j] -= A[i*n + k]*A[k*n + j]/A[k*n + k];
  }
}

// G of the contacts with the bilateral rows eliminated
static double* contact_matrix(machine_case* c, int* m)
{
  int nb = c->def->n_bilateral, n = c->rows;
  int* row = calloc((size_t)n, sizeof *row);
  double* G = calloc((size_t)(n*n), sizeof *G);
  for (int i = 0; i < n; i++) row[i] = i;
  assert_int_equal(c->op->delassus(&c->at, n, row, G), SS_OK);
  eliminate(n, nb, G);
  *m = n - nb;
  double* out = calloc((size_t)(*m**m) + 1, sizeof *out);
  for (int i = 0; i < *m; i++)
    for (int j = 0; j < *m; j++) out[i**m + j] = G[(nb + i)*n + nb + j];
  free(row), free(G);
  return out;
}

static void test_matrix(void** state)
{
  (void)state;
  machine_case a, b;
  open_case(&a, mechanism);
  ss_scene* redundant = ss_scene_redundant(a.scene, NULL);
  assert_non_null(redundant);
  open_scene(&b, redundant);
  assert_int_equal(a.nv, 11);
  assert_int_equal(b.nv, 6*5);  // the stand is fixed
  assert_int_equal(b.def->n_bilateral, 5 + 5 + 3 + 6);
  double dt = 0.3;  // far enough to see some contacts
  evaluate(&a, dt);
  evaluate(&b, dt);
  double error[19], size[19], gamma[19 + 60];
  assert_int_equal(b.op->bilateral(&b.at, error, size), SS_OK);
  b.op->row_velocity(&b.at, b.u, gamma, NULL);
  for (int i = 0; i < 19; i++) {
    assert_near(b.def->bilateral_name[i], error[i], 0, 1e-15);
    assert_near("velocity of a joint across its freedom", gamma[i], 0, 1e-14);
  }
  assert_true(a.n > 3);
  assert_int_equal(a.n, b.n);
  for (int i = 0; i < a.n; i++) {
    assert_true(a.item[i].key == b.item[i].key);
    assert_near("gap", b.item[i].gap, a.item[i].gap, 1e-14);
  }
  int m, n;
  double *Ga = contact_matrix(&a, &m), *Gb = contact_matrix(&b, &n);
  assert_int_equal(m, n);
  for (int i = 0; i < m*m; i++) assert_near("G", Gb[i], Ga[i], 1e-9*(1 + fabs(Ga[i])));
  ss_energy ea, eb;
  a.def->energy(&a.at, &ea);
  b.def->energy(&b.at, &eb);
  assert_near("kinetic energy", eb.kinetic, ea.kinetic, 1e-13);
  assert_near("potential energy", eb.potential, ea.potential, 1e-13);
  free(Ga), free(Gb);
  close_case(&b);
  close_case(&a);
}

// Rates of hinges, slides and welds away from where they hold
static void test_rates(void** state)
{
  (void)state;
  machine_case a, b;
  open_case(&a, mechanism);
  open_scene(&b, ss_scene_redundant(a.scene, NULL));
  double h = 1e-6, error[2][19], size[19], gamma[19 + 60], *q = calloc((size_t)b.nq, sizeof *q);
  for (int i = 0; i < b.nv; i++) b.u[i] = 0.7*uniform();
  b.op->advance(b.def->user, b.q, b.u, 1, q);
  memcpy(b.q, q, sizeof *q*(size_t)b.nq);
  for (int i = 0; i < b.nv; i++) b.u[i] = uniform();
  evaluate(&b, 0);
  b.op->row_velocity(&b.at, b.u, gamma, NULL);
  for (int s = 0; s < 2; s++) {
    b.op->advance(b.def->user, q, b.u, s ? h : -h, b.q);
    b.def->update(&b.at);
    assert_int_equal(b.op->bilateral(&b.at, error[s], size), SS_OK);
  }
  for (int r = 0; r < 19; r++)
    assert_near(b.def->bilateral_name[r], (error[1][r] - error[0][r])/(2*h), gamma[r], 1e-8);
  free(q);
  close_case(&b);
  close_case(&a);
}

// ---- motion --------------------------------------------------------------------------------------------------------

// Where the body `b` is after a while
static void run(const machine_case* c, double dt, int steps, int body, double* position)
{
  const ss_system* system = ss_machine_system(c->machine);
  ss_state* s = ss_state_create(system);
  ss_work* work = ss_work_create(system, NULL);
  ss_step_def def = ss_step_def_default();
  def.dt = dt;
  ss_scene_initial(c->scene, 0, s->q, s->u);
  for (int k = 0; k < steps; k++)
    if (ss_step(system, &def, s, work) != SS_OK) fail_msg("step %d: %s", k, ss_work_message(work));
  ss_tree_work* tree = ss_tree_work_create(ss_machine_tree(c->machine), NULL);
  ss_tree_set_position(tree, s->q);
  ss_tree_pose(tree, body, position, NULL, NULL);
  ss_tree_work_destroy(tree);
  ss_work_destroy(work);
  ss_state_destroy(s);
}

// Gyroscopic forces are taken with the velocity at the start of a step, so that either motion has an error of the order
// dt, and another one. Without it (by Richardson's extrapolation) they agree to the order dt^2.
static void test_motion(void** state)
{
  (void)state;
  machine_case a, b;
  double coarse[2][3], fine[2][3], first = 0, second = 0;
  open_case(&a, mechanism);
  open_scene(&b, ss_scene_redundant(a.scene, NULL));
  for (int i = 0; i < 2; i++) {
    machine_case* c = i ? &b : &a;
    run(c, 4e-3, 50, 3, coarse[i]);
    run(c, 2e-3, 100, 3, fine[i]);
  }
  for (int i = 0; i < 3; i++) {
    first = fmax(first, fabs(fine[1][i] - fine[0][i]));
    second = fmax(second, fabs(2*(fine[1][i] - fine[0][i]) - (coarse[1][i] - coarse[0][i])));
  }
  if (!(first < 1e-3 && second < 0.02*first)) fail_msg("apart by %g m, extrapolated by %g m", first, second);
  close_case(&b);
  close_case(&a);
}

// ---- refusals ------------------------------------------------------------------------------------------------------

static void assert_refused(const char* text, const char* part)
{
  ss_error error = {0};
  ss_scene* scene = parse_scene(text);
  assert_null(ss_scene_redundant(scene, &error));
  assert_null(ss_scene_redundant(scene, NULL));
  assert_string_equal(error.file, "test.xml");
  assert_int_equal(error.line, 1);
  if (!strstr(error.text, part)) fail_msg("'%s' does not speak of '%s'", error.text, part);
  ss_scene_destroy(scene);
}

#define ONE(joint, more) \
  "<mujoco><worldbody><body name='b'>" joint "<geom size='1'/></body></worldbody>" more "</mujoco>"

static void test_refused(void** state)
{
  (void)state;
  assert_refused(ONE("<joint name='j'/><joint name='k' axis='1 0 0'/>", ""), "joint 'k': a body with several joints");
  assert_refused(ONE("<joint name='j' stiffness='1'/>", ""), "springs");
  assert_refused(ONE("<joint name='j' damping='1'/>", ""), "damping");
  assert_refused(ONE("<joint name='j' armature='1'/>", ""), "armature");
  assert_refused(ONE("<joint name='j' range='-1 1'/>", ""), "limits");
  assert_refused(ONE("<joint name='j' frictionloss='1'/>", ""), "friction");
  assert_refused(ONE("<joint name='j'/>", "<actuator><motor joint='j'/></actuator>"), "actuators");
  assert_refused(ONE("<joint name='j'/>", "<equality><joint joint1='j'/></equality>"), "tied");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_matrix),
    cmocka_unit_test(test_rates),
    cmocka_unit_test(test_motion),
    cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
