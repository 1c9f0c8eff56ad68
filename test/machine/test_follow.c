// What the event-driven integrator asks of a machine, against differences: with constant velocities u the rows change
// by their bias alone, gamma' = w_bar, and gaps by gamma_N.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "machines.h"

#define ROWS 200

typedef struct rows {
  int n;
  double gap[ROWS], gamma[ROWS], error[ROWS];
} rows;

static void look(machine_case* c, const double* q, int n, const uint64_t* key, rows* out, double* W)
{
  const ss_contact_item* item;
  double gamma[ROWS];
  c->at.q = q;
  assert_int_equal(c->def->update(&c->at), SS_OK);
  ss_status st = c->op->follow(&c->at, n, key, &item);
  if (st < 0) fail_msg("%s", c->message);
  out->n = c->def->n_bilateral;
  for (int i = 0; i < n; i++) {
    assert_true(item[i].key == key[i]);
    out->gap[i] = item[i].gap;
    out->n += ss_contact_rows(item[i].law->kind);
  }
  if (c->def->n_bilateral) assert_int_equal(c->op->bilateral(&c->at, out->error, NULL), SS_OK);
  c->op->row_matrix(&c->at, W);
  c->op->row_velocity(&c->at, c->u, out->gamma, NULL);
  for (int r = 0; r < out->n; r++) {
    gamma[r] = 0;
    for (int j = 0; j < c->nv; j++) gamma[r] += W[r*c->nv + j]*c->u[j];
    assert_near("gamma by W", gamma[r], out->gamma[r], 1e-12*(1 + fabs(gamma[r])));
  }
}

// All contacts that the list has in a wide reach, as far as they can be followed
static int keys_of(machine_case* c, uint64_t* key)
{
  int n, all = 0;
  const ss_contact_item* item;
  c->at.q = c->q;
  assert_int_equal(c->def->update(&c->at), SS_OK);
  assert_int_equal(c->op->list(&c->at, 100, &n, &item), SS_OK);
  for (int i = 0; i < n; i++) {
    uint64_t k = c->op->watch(&c->at, item[i].key);
    bool known = false;
    for (int j = 0; j < all; j++) known = known || key[j] == k;
    if (!known) key[all++] = k;
  }
  return all;
}

static void check_case(const char* text, int wanted, double tolerance)
{
  machine_case c;
  open_case(&c, text);
  uint64_t key[ROWS];
  double *W = calloc((size_t)(ROWS*c.nv), sizeof *W), *q = calloc((size_t)c.nq, sizeof *q), w_bar[ROWS];
  const double h = 1e-3;
  for (int j = 0; j < c.nv; j++) c.u[j] = uniform();
  int n = keys_of(&c, key);
  if (n != wanted) fail_msg("%d contacts, not %d", n, wanted);
  rows at[5], here;
  for (int k = 0; k < 5; k++) {
    c.op->advance(c.def->user, c.q, c.u, (k - 2)*h, q);
    look(&c, q, n, key, at + k, W);
  }
  look(&c, c.q, n, key, &here, W);
  c.op->row_bias(&c.at, w_bar);
  for (int r = 0; r < here.n; r++) {
    double slope = (at[0].gamma[r] - 8*at[1].gamma[r] + 8*at[3].gamma[r] - at[4].gamma[r])/(12*h);
    char what[40];
    snprintf(what, sizeof what, "w_bar of row %d", r);
    assert_near(what, w_bar[r], slope, tolerance*(1 + fabs(slope)));
  }
  for (int i = 0, r = c.def->n_bilateral; i < n; i++) {
    const ss_contact_item* item;
    assert_int_equal(c.op->follow(&c.at, 1, key + i, &item), SS_OK);
    double slope = (at[0].gap[i] - 8*at[1].gap[i] + 8*at[3].gap[i] - at[4].gap[i])/(12*h);
    if (item->law->kind != SS_CONTACT_FRICTION) assert_near("rate of a gap", here.gamma[r], slope, tolerance);
    r += ss_contact_rows(item->law->kind);
  }
  for (int r = 0; r < c.def->n_bilateral; r++) {
    double slope = (at[0].error[r] - 8*at[1].error[r] + 8*at[3].error[r] - at[4].error[r])/(12*h);
    assert_near("rate of an error", here.gamma[r], slope, tolerance);
  }
  free(W);
  free(q);
  close_case(&c);
}

// Spheres, capsules and a box with a tilted plane and with one another; a chain whose links touch
static void test_shapes(void** state)
{
  (void)state;
  static const char text[] =
    "<mujoco><worldbody><geom type='plane' size='0 0 1' euler='10 20 0'/>"
    "<body pos='0 0 1'><freejoint/><geom size='0.2' friction='0.3'/></body>"
    "<body pos='1 0 1.1' euler='30 0 0'><freejoint/><geom type='capsule' size='0.1 0.3' friction='0.3'/></body>"
    "<body pos='0.5 0.6 1.5' euler='0 80 20'><freejoint/><geom type='capsule' size='0.15 0.4' friction='0.3'/></body>"
    "<body pos='-1 0.6 1.5' euler='0 20 20'><joint axis='0 1 0.3'/><joint axis='1 0 0'/>"
    "<geom type='sphere' size='0.15' pos='0.1 0.2 0.3' friction='0.3'/>"
    "<body pos='-0.5 0.3 0.4'><joint type='ball'/>"
    "<geom type='sphere' size='0.1' pos='0.2 0 0.1' friction='0.3'/></body>"
    "</body></worldbody></mujoco>";
  for (int k = 0; k < 5; k++) check_case(text, 2*2 + 3 + 10 - 1, 1e-9);
}

// A box over a tilted plane: eight corners; a sphere near the box
static void test_box(void** state)
{
  (void)state;
  static const char text[] =
    "<mujoco><worldbody><geom type='plane' size='0 0 1' euler='10 20 0'/>"
    "<body pos='0 0 1' euler='20 30 0'><freejoint/><geom type='box' size='0.2 0.3 0.4'/></body>"
    "<body pos='1 0.1 1.1'><freejoint/><geom size='0.2'/></body></worldbody></mujoco>";
  check_case(text, 8 + 1 + 1, 1e-9);
}

// Ellipsoids and cylinders that lean, over a tilted plane and near one another and others: one contact for each pair,
// two for the rims of a cylinder
static void test_round(void** state)
{
  (void)state;
  static const char text[] =
    "<mujoco><worldbody><geom name='plane' type='plane' size='0 0 1' euler='10 20 0'/>"
    "<body pos='0 0 1' euler='20 30 0'><freejoint/><geom name='egg' type='ellipsoid' size='0.2 0.3 0.4'/></body>"
    "<body pos='1 0.1 1.1'><freejoint/><geom name='ball' size='0.2'/></body>"
    "<body pos='-1 0.1 1.3' euler='20 -50 0'><freejoint/><geom name='egg2' type='ellipsoid' size='0.3 0.1 0.2'/></body>"
    "<body pos='0.1 1.2 1.1' euler='70 10 20'><freejoint/><geom name='can' type='cylinder' size='0.2 0.4' contype='0'/>"
    "</body><body pos='0 -1.2 1.1' euler='70 10 20'><freejoint/><geom name='box' type='box' size='0.2 0.4 0.3' "
    "contype='0' conaffinity='0'/></body></worldbody><contact><pair geom1='box' geom2='egg'/></contact></mujoco>";
  for (int k = 0; k < 5; k++) check_case(text, 4 + 1 + 3 + 3 + 1, 1e-8);
}

// Ellipses of friction: T1 is an axis of a body that turns, of the plane, or of the world; T2 is stretched
static void test_directions(void** state)
{
  (void)state;
  static const char text[] =
    "<mujoco><worldbody><geom name='plane' type='plane' size='0 0 1' euler='10 20 0'/>"
    "<body pos='0 0 1' euler='20 30 0'><freejoint/><geom name='box' type='box' size='0.2 0.3 0.4'/></body>"
    "<body pos='1 0.1 1.1'><freejoint/><geom name='a' size='0.2'/></body>"
    "<body pos='1.5 0.3 1.4'><freejoint/><geom name='b' size='0.1'/></body></worldbody><contact>"
    "<pair geom1='box' geom2='plane' friction='.3 .5' friction-direction='1 .2 .3'/>"
    "<pair geom1='plane' geom2='a' friction='.3 .1' friction-direction='1 2 0'/>"
    "<pair geom1='plane' geom2='b' friction='.3 .1'/>"
    "<pair geom1='b' geom2='a' friction='.3 .2' friction-direction='0 0 1'/>"
    "<pair geom1='box' geom2='a' friction='.3 .9'/></contact></mujoco>";
  for (int k = 0; k < 5; k++) check_case(text, 8 + 5, 1e-9);
}

// Limits, dry friction, loops of all kinds
static void test_joints(void** state)
{
  (void)state;
  static const char text[] =
    "<mujoco><compiler angle='radian'/><stickslip key='k'/><option><flag contact='disable'/></option><worldbody>"
    "<body name='a'><joint name='ja' axis='0 1 0' limited='true' range='-1 1' frictionloss='0.1'/><geom size='0.1'/>"
    "<body name='b' pos='0 0 1'><joint name='jb' type='ball' limited='true' range='0 1'/>"
    "<geom size='0.1' pos='0.3 0 0'/>"
    "</body></body>"
    "<body name='c' pos='1 0 0'><freejoint/><geom size='0.1'/></body>"
    "<body name='d' pos='1 1 0'><joint name='jd' type='slide' axis='1 1 0'/><geom size='0.1'/></body></worldbody>"
    "<equality><connect body1='a' body2='c' anchor='0.5 0.2 0.1'/><weld body1='b' body2='c'/>"
    "<joint joint1='jd' joint2='ja' polycoef='0 1 0.3 0.2 0.1'/></equality>"
    "<keyframe><key name='k' qpos='0.3 0.9 0.2 0.3 0.1 1 0 0 1 0 0 0 0.2'/></keyframe></mujoco>";
  check_case(text, 4, 1e-9);
}

static void test_mass(void** state)
{
  (void)state;
  machine_case c;
  open_case(&c, "<mujoco><worldbody><body><joint axis='0 1 0'/><geom size='0.1' pos='0 0 0.5'/><body pos='0 0 1'>"
                "<joint type='ball' armature='0.1'/><geom size='0.1' pos='0.1 0 0.5'/></body></body>"
                "</worldbody></mujoco>");
  double M[16], x[4], y[4], dq[5], size[5], q[5];
  assert_int_equal(c.nv, 4);
  for (int j = 0; j < 4; j++) c.u[j] = uniform();
  for (int k = 0; k < 3; k++) c.op->advance(c.def->user, c.q, c.u, 0.7, c.q);
  evaluate(&c, 0);
  assert_int_equal(c.op->mass(&c.at, M), SS_OK);
  for (int i = 0; i < 4; i++) {
    x[i] = 0;
    for (int j = 0; j < 4; j++) x[i] += M[i*4 + j]*c.u[j];
  }
  c.op->solve(&c.at, x, y);
  for (int i = 0; i < 4; i++) assert_near("M^-1 M u", y[i], c.u[i], 1e-12);
  c.op->rate(c.def->user, c.q, c.u, dq, size);
  double after[5];
  c.op->advance(c.def->user, c.q, c.u, 1e-5, after);
  c.op->advance(c.def->user, c.q, c.u, -1e-5, q);
  for (int i = 0; i < 5; i++) {
    assert_near("q'", dq[i], (after[i] - q[i])/2e-5, 1e-9);
    assert_true(size[i] >= fabs(dq[i]) - 1e-15);
  }
  close_case(&c);
}

// Contacts that jump, and capsules that lie on one another
static void test_refused(void** state)
{
  (void)state;
  machine_case c;
  const ss_contact_item* item;
  open_case(&c, "<mujoco><worldbody><body><freejoint/><geom name='left' type='box' size='1 1 1'/></body>"
                "<body pos='3 0 0'><freejoint/><geom name='right' type='box' size='1 1 1'/></body></worldbody>"
                "</mujoco>");
  c.u[0] = 1;
  evaluate(&c, 10);
  assert_true(c.n > 0);
  uint64_t key = c.item[0].key;
  assert_int_equal(c.op->follow(&c.at, 1, &key, &item), SS_ERR_ARGUMENT);
  assert_non_null(strstr(c.message, "'left' (box)"));
  close_case(&c);
  open_case(&c, "<mujoco><worldbody><body><freejoint/><geom name='left' type='capsule' size='0.1 1'/></body><body "
                "pos='0.2 0 0.3'><freejoint/><geom name='right' type='capsule' size='0.1 1'/></body>"
                "</worldbody></mujoco>");
  evaluate(&c, 0);
  assert_int_equal(c.n, 2);
  key = c.op->watch(&c.at, c.item[0].key);
  assert_true(key == c.op->watch(&c.at, c.item[1].key));
  assert_int_equal(c.op->follow(&c.at, 1, &key, &item), SS_ERR_ARGUMENT);
  assert_non_null(strstr(c.message, "side by side"));
  close_case(&c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_shapes), cmocka_unit_test(test_box),     cmocka_unit_test(test_joints),
    cmocka_unit_test(test_mass),   cmocka_unit_test(test_refused),
    cmocka_unit_test(test_directions), cmocka_unit_test(test_round),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
