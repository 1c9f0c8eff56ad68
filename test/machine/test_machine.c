// link: -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=aligned_alloc
// Scenes as systems: rows against each other, the mass matrix and differences along the motion; laws, names, refusals.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "count_allocations.h"
#include "machines.h"

// Everything that a machine can have: all joints, limits, friction, loops, springs, dampers, drives, contacts of
// several features, and bodies fixed to one another
static const char everything[] =
  "<mujoco model='all'><compiler angle='radian'/><option timestep='0.001'/>"
  "<default><geom friction='0.4' contype='1' conaffinity='1' density='800'/></default><worldbody>"
  "<geom name='floor' type='plane' size='5 5 1'/>"
  "<body name='arm' pos='0 0 0.8'><joint name='shoulder' axis='0.3 1 0.1' pos='0 0 0.1' range='-0.4 0.3' damping='0.2'"
  " stiffness='3' frictionloss='0.2' armature='0.01'/><joint name='lift' type='slide' axis='0 0.2 1' range='-0.1 0.1'/>"
  "<geom type='capsule' size='0.05 0.2' pos='0.2 0 0' euler='0.1 0.3 0'/>"
  "<body name='hand' pos='0.4 0.1 0'><joint type='ball' name='wrist' range='0 0.5' damping='0.1' stiffness='1'"
  " frictionloss='0.05'/><geom name='fist' type='sphere' size='0.08' pos='0.05 0 0'/>"
  "<body name='tool' pos='0.1 0 0' euler='0.2 0 0.4'><geom name='blade' type='capsule' size='0.03 0.1' pos='0.1 0 0'/>"
  "</body></body></body>"
  "<body name='cart' pos='1 0 0.3'><freejoint name='float'/><geom name='hull' type='capsule' size='0.1 0.3'"
  " euler='0 1.5 0'/><body name='wheel' pos='0.2 0 -0.1'><joint name='axle' axis='0 1 0' frictionloss='0.01'/>"
  "<geom name='tyre' type='sphere' size='0.15'/></body></body>"
  "<body name='stone' pos='0 1 0.2'><freejoint/><geom name='pebble' type='sphere' size='0.2' restitution='0.5'"
  " restitution-tangential='0.25'/></body></worldbody>"
  "<equality><connect name='rope' body1='hand' body2='cart' anchor='0.1 0 0'/>"
  "<weld name='glue' body1='wheel' body2='stone'/><joint name='gear' joint1='shoulder' joint2='axle'"
  " polycoef='0.1 0.5 0.3 -0.2 0.05'/><connect body1='stone' anchor='0 0.1 0'/></equality>"
  "<actuator><motor name='push' joint='lift' gear='3' ctrllimited='true' ctrlrange='-1 1'/>"
  "<position name='servo' joint='shoulder' kp='20' kv='2' forcerange='-5 5'/><motor joint='wrist' gear='0.1 0.2 0.3'/>"
  "</actuator></mujoco>";

static void random_state(machine_case* c, double spread)
{
  for (int i = 0; i < c->nv; i++) c->u[i] = spread*uniform();
  ss_scene_initial(c->scene, -1, c->q, NULL);
  c->op->advance(c->def->user, c->q, c->u, 1, c->q);
  for (int i = 0; i < c->nv; i++) c->u[i] = uniform();
}

// W, one row after the other, from forces of unit impulses
static double* rows_of(machine_case* c)
{
  double* W = calloc((size_t)(c->rows*c->nv) + 1, sizeof *W);
  for (int r = 0; r < c->rows; r++) c->op->row_force(&c->at, 1, &r, &(double){1}, W + r*c->nv);
  return W;
}

static double* dense_mass(machine_case* c)
{
  double* M = calloc((size_t)(c->nv*c->nv), sizeof *M);
  ss_tree_work* work = ss_tree_work_create(ss_machine_tree(c->machine), NULL);
  ss_tree_mass* mass = ss_tree_mass_create(ss_machine_tree(c->machine), NULL);
  ss_tree_set_position(work, c->q);
  ss_tree_mass_update(mass, work);
  ss_tree_mass_dense(mass, M);
  ss_tree_mass_destroy(mass);
  ss_tree_work_destroy(work);
  return M;
}

// x of M x = b by Gauss-Jordan elimination with the largest pivots of columns; M and b are overwritten
static void eliminate(int n, double* M, double* b)
{
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(M[i*n + k]) > fabs(M[p*n + k])) p = i;
    for (int j = 0; j < n; j++) {
      double t = M[k*n + j];
      M[k*n + j] = M[p*n + j], M[p*n + j] = t;
    }
    double t = b[k];
    b[k] = b[p], b[p] = t;
    for (int i = 0; i < n; i++) {
      if (i == k) continue;
      double f = M[i*n + k]/M[k*n + k];
      for (int j = k; j < n; j++) M[i*n + j] -= f*M[k*n + j];
      b[i] -= f*b[k];
    }
  }
  for (int k = 0; k < n; k++) b[k] /= M[k*n + k];
}

// ---- rows ----------------------------------------------------------------------------------------------------------

static void check_rows(machine_case* c)
{
  int m = c->rows, nv = c->nv;
  double *W = rows_of(c), *M = dense_mass(c), *A = calloc((size_t)(nv*nv), sizeof *A);
  double *x = calloc((size_t)nv, sizeof *x), *tau = calloc((size_t)nv, sizeof *x);
  double *G = calloc((size_t)(m*m), sizeof *G), *gamma = calloc((size_t)m, sizeof *x);
  double *size = calloc((size_t)m, sizeof *x), *Lambda = calloc((size_t)m, sizeof *x);
  int* row = calloc((size_t)m, sizeof *row);
  for (int r = 0; r < m; r++) row[r] = r, Lambda[r] = uniform();
  assert_int_equal(c->op->delassus(&c->at, m, row, G), SS_OK);
  c->op->row_velocity(&c->at, c->u, gamma, size);
  c->op->row_force(&c->at, m, row, Lambda, tau);
  for (int r = 0; r < m; r++) {
    double sum = 0;
    for (int j = 0; j < nv; j++) sum += W[r*nv + j]*c->u[j], tau[j] -= W[r*nv + j]*Lambda[r];
    assert_near("gamma - W u", gamma[r], sum, 1e-13*(1 + fabs(sum)));
    assert_true(size[r] >= fabs(gamma[r])*(1 - 1e-14));
    memcpy(A, M, sizeof *A*(size_t)(nv*nv));
    memcpy(x, W + r*nv, sizeof *x*(size_t)nv);
    eliminate(nv, A, x);
    for (int s = 0; s < m; s++) {
      double g = 0;
      for (int j = 0; j < nv; j++) g += W[s*nv + j]*x[j];
      assert_near("G", G[r*m + s], g, 1e-11*sqrt(G[r*m + r]*G[s*m + s] + 1e-30));
    }
  }
  for (int j = 0; j < nv; j++) assert_near("tau - W Lambda", tau[j], 0, 1e-12);
  free(W), free(M), free(A), free(x), free(G), free(gamma), free(size), free(Lambda), free(tau), free(row);
}

// Some rows, in another order, have the entries of the whole matrix
static void check_choice(machine_case* c)
{
  int m = c->rows, n = 0, *row = calloc((size_t)m, sizeof *row);
  double *G = calloc((size_t)(m*m), sizeof *G), *part = calloc((size_t)(m*m), sizeof *part);
  for (int r = 0; r < m; r++) row[r] = r;
  assert_int_equal(c->op->delassus(&c->at, m, row, G), SS_OK);
  for (int r = m - 1; r >= 0; r--)
    if (uniform() < 0.2) row[n++] = r;
  assert_int_equal(c->op->delassus(&c->at, n, row, part), SS_OK);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double scale = sqrt(G[row[i]*m + row[i]]*G[row[j]*m + row[j]]);
      assert_near("entry of G", part[i*n + j], G[row[i]*m + row[j]], 1e-12*scale);
    }
  free(row), free(G), free(part);
}

static void test_rows(void** state)
{
  (void)state;
  machine_case c;
  open_case(&c, everything);
  bool limit = false, friction = false, touch = false;
  for (int k = 0; k < 20; k++) {
    random_state(&c, k < 10 ? 0.2 : 1);
    evaluate(&c, 0.05);
    check_rows(&c);
    check_choice(&c);
    for (int i = 0; i < c.n; i++) {
      if (i) assert_true(c.item[i].key > c.item[i - 1].key);
      friction |= c.item[i].law->kind == SS_CONTACT_FRICTION;
      touch |= c.item[i].law->kind == SS_CONTACT_SPATIAL;
      limit |= c.item[i].law->kind == SS_CONTACT_NORMAL && c.item[i].gap < 0;
    }
  }
  assert_true(limit && friction && touch);
  close_case(&c);
}

// Shapes are where the poses of the bodies put them: the collider asked with these finds the same contacts
static void test_shapes(void** state)
{
  (void)state;
  machine_case c;
  open_case(&c, everything);
  ss_tree_work* tree = ss_tree_work_create(ss_machine_tree(c.machine), NULL);
  ss_collider_work* work = ss_collider_work_create(ss_machine_collider(c.machine), NULL);
  ss_pose pose[6];
  int found = 0;
  for (int k = 0; k < 200; k++) {
    random_state(&c, 0.3);
    memset(c.u, 0, sizeof *c.u*(size_t)c.nv);
    evaluate(&c, 0);
    ss_machine_poses(c.machine, tree, c.q, pose);
    const ss_touch* touch = NULL;
    int n = 0, i = 0;
    assert_int_equal(ss_collider_find(work, pose, 0, NULL, &touch, &n), SS_OK);
    for (int t = 0; t < n; t++, found++) {
      while (i < c.n && c.item[i].key < touch[t].key) i++;
      assert_true(i < c.n && c.item[i].key == touch[t].key);
      assert_near("gap", c.item[i].gap, touch[t].gap, 1e-14);
      for (int j = 0; j < 3; j++) assert_near("point", c.item[i].point[j], touch[t].point[j], 1e-13);
      for (int j = 0; j < 3; j++) assert_near("normal", c.item[i].frame[j], touch[t].frame[j], 1e-12);
    }
  }
  assert_true(found > 100);
  ss_collider_work_destroy(work);
  ss_tree_work_destroy(tree);
  close_case(&c);
}

// Accelerations at once are those of the forces
static void test_accelerations(void** state)
{
  (void)state;
  machine_case c;
  open_case(&c, everything);
  double h[40], a[40];
  assert_true(c.nv <= 40);
  for (int k = 0; k < 20; k++) {
    double largest = 0;
    random_state(&c, 1);
    evaluate(&c, 0);
    assert_int_equal(c.op->accelerate(&c.at, a), SS_OK);
    assert_int_equal(c.def->force(&c.at, h), SS_OK);
    c.op->solve(&c.at, h, h);
    for (int i = 0; i < c.nv; i++) largest = fmax(largest, fabs(h[i]));
    for (int i = 0; i < c.nv; i++) assert_near("acceleration", a[i], h[i], 1e-12*largest);
  }
  close_case(&c);
}

// ---- rates ---------------------------------------------------------------------------------------------------------

// Gaps by their keys at q moved along u
static void gaps_at(machine_case* c, const double* q, double t, int n, const uint64_t* key, double* gap)
{
  double* moved = calloc((size_t)c->nq, sizeof *moved);
  c->op->advance(c->def->user, q, c->u, t, moved);
  memcpy(c->q, moved, sizeof *moved*(size_t)c->nq);
  evaluate(c, 0.1);
  for (int i = 0; i < n; i++) {
    gap[i] = NAN;
    for (int k = 0; k < c->n; k++)
      if (c->item[k].key == key[i]) gap[i] = c->item[k].gap;
  }
  free(moved);
}

static void test_gap_rates(void** state)
{
  (void)state;
  machine_case c;
  open_case(&c, everything);
  double h = 1e-6, *q = calloc((size_t)c.nq, sizeof *q);
  int checked = 0;
  for (int k = 0; k < 20; k++) {
    random_state(&c, 0.3);
    memcpy(q, c.q, sizeof *q*(size_t)c.nq);
    evaluate(&c, 0.1);
    uint64_t key[40];
    double rate[40], before[40], after[40], *gamma = calloc((size_t)c.rows, sizeof *gamma);
    int n = 0;
    c.op->row_velocity(&c.at, c.u, gamma, NULL);
    for (int i = 0, row = c.def->n_bilateral; i < c.n; row += ss_contact_rows(c.item[i].law->kind), i++) {
      if (c.item[i].law->kind == SS_CONTACT_FRICTION || n == 40) continue;
      key[n] = c.item[i].key;
      rate[n++] = gamma[row];
    }
    gaps_at(&c, q, -h, n, key, before);
    gaps_at(&c, q, h, n, key, after);
    for (int i = 0; i < n; i++, checked++) assert_near("rate of a gap", (after[i] - before[i])/(2*h), rate[i], 1e-7);
    free(gamma);
  }
  assert_true(checked > 60);
  free(q);
  close_case(&c);
}

// Wherever the loops are
static void test_loop_rates(void** state)
{
  (void)state;
  machine_case c;
  open_case(&c, everything);
  int nb = c.def->n_bilateral;
  assert_int_equal(nb, 3 + 6 + 1 + 3);
  double h = 1e-6, error[2][13], size[13], gamma[200], *q = calloc((size_t)c.nq, sizeof *q);
  for (int k = 0; k < 10; k++) {
    random_state(&c, k == 0 ? 0 : 0.5);
    memcpy(q, c.q, sizeof *q*(size_t)c.nq);
    evaluate(&c, 0);
    c.op->row_velocity(&c.at, c.u, gamma, NULL);
    for (int s = 0; s < 2; s++) {
      c.op->advance(c.def->user, q, c.u, s ? h : -h, c.q);
      assert_int_equal(c.def->update(&c.at), SS_OK);
      assert_int_equal(c.op->bilateral(&c.at, error[s], size), SS_OK);
    }
    for (int r = 0; r < nb; r++) {
      assert_near(c.def->bilateral_name[r], (error[1][r] - error[0][r])/(2*h), gamma[r], 1e-7);
      assert_true(size[r] >= fabs(error[0][r])*(1 - 1e-12));
    }
    for (int r = 0; k == 0 && r < nb; r++)  // the pose of the file holds but for the constant of the polynomial
      assert_near("error at the start", (error[0][r] + error[1][r])/2, r == 9 ? -0.1 : 0, 1e-10);
  }
  free(q);
  close_case(&c);
}

// A weld that is far from holding at first, held at a point of the body that comes to lie at the origin: the terms of
// its error are as large as the lever, and the projection is content with their round-off
static void test_weld_far(void** state)
{
  (void)state;
  machine_case c;
  open_case(&c, "<mujoco><worldbody><body name='b' pos='3 0 0'><freejoint/><geom size='0.1 0.1 0.1' type='box'/></body>"
                "</worldbody><equality><weld body1='world' body2='b' relpose='0 0 0 1 -0.3 0 0' anchor='0 0 -1'/>"
                "</equality></mujoco>");
  const ss_system* system = ss_machine_system(c.machine);
  ss_state* s = ss_state_create(system);
  ss_work* work = ss_work_create(system, NULL);
  ss_step_def def = ss_step_def_default();
  ss_scene_initial(c.scene, -1, s->q, s->u);
  for (int k = 0; k < 50; k++) assert_int_equal(ss_step(system, &def, s, work), SS_OK);
  double angle = 2*atan(0.3);  // about -x; the body's origin is above the point that is held
  assert_near("x", s->q[0], 0, 1e-14);
  assert_near("y", s->q[1], sin(angle), 1e-14);
  assert_near("z", s->q[2], cos(angle), 1e-14);
  assert_near("turn", s->q[4]/s->q[3], -0.3, 1e-14);
  ss_work_destroy(work);
  ss_state_destroy(s);
  close_case(&c);
}

// ---- energy --------------------------------------------------------------------------------------------------------

// M u' = h without contacts: the energy changes by power().forces
static void test_power(void** state)
{
  (void)state;
  machine_case c;
  open_case(&c, everything);
  assert_true(c.def->has_power);
  assert_int_equal(ss_machine_controls(c.machine), 3);
  double h = 1e-5, *q = calloc((size_t)c.nq, sizeof *q), *u = calloc((size_t)c.nv, sizeof *u);
  double* a = calloc((size_t)c.nv, sizeof *a);
  for (int k = 0; k < 10; k++) {
    const double ctrl[3] = {3*uniform(), uniform(), uniform()};
    assert_int_equal(ss_machine_control(c.machine, ctrl), SS_OK);
    random_state(&c, 0.4);
    memcpy(q, c.q, sizeof *q*(size_t)c.nq);
    memcpy(u, c.u, sizeof *u*(size_t)c.nv);
    evaluate(&c, 0);
    assert_int_equal(c.def->force(&c.at, a), SS_OK);
    c.op->solve(&c.at, a, a);
    ss_power power;
    assert_int_equal(c.def->power(&c.at, &power), SS_OK);
    double E[2];
    for (int s = 0; s < 2; s++) {  // q to the second order: with u + t a/2 over t
      double t = s ? h : -h;
      ss_energy energy;
      for (int i = 0; i < c.nv; i++) c.u[i] = u[i] + t*a[i]/2;
      c.op->advance(c.def->user, q, c.u, t, c.q);
      for (int i = 0; i < c.nv; i++) c.u[i] = u[i] + t*a[i];
      assert_int_equal(c.def->update(&c.at), SS_OK);
      assert_int_equal(c.def->energy(&c.at, &energy), SS_OK);
      E[s] = energy.kinetic + energy.potential;
    }
    assert_near("power", (E[1] - E[0])/(2*h), power.forces, 1e-5*fmax(1, fabs(power.forces)));
  }
  assert_int_equal(ss_machine_control(c.machine, (double[]){NAN, 0, 0}), SS_ERR_ARGUMENT);
  free(q), free(u), free(a);
  close_case(&c);
}

static double force_on(machine_case* c, double ctrl, double q, double u)
{
  double h[1];
  c->q[0] = q;
  c->u[0] = u;
  ss_machine_control(c->machine, &ctrl);
  assert_int_equal(c->def->update(&c->at), SS_OK);
  assert_int_equal(c->def->force(&c->at, h), SS_OK);
  return h[0];
}

static void test_drives(void** state)
{
  (void)state;
  machine_case c;
#define SLIDER(attributes)                                                                                  \
  "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='x' type='slide'/><geom size='0.1'/></body>" \
  "</worldbody><actuator>" attributes "</actuator><keyframe><key name='k' ctrl='0.5'/></keyframe>"            \
  "<stickslip key='k'/></mujoco>"
  open_case(&c, SLIDER("<motor joint='x' gear='3' ctrlrange='-1 1'/>"));
  double h[1];
  c.def->update(&c.at);
  c.def->force(&c.at, h);
  assert_near("force of the keyframe", h[0], 1.5, 1e-15);
  assert_near("force of the greatest input", force_on(&c, 5, 0, 0), 3, 1e-15);
  close_case(&c);
  open_case(&c, SLIDER("<position joint='x' gear='2' kp='10' kv='0.5' forcerange='-4 4'/>"));
  // length = 2 q, velocity = 2 u: force 2 (10 (ctrl - 2 q) - 0.5 2 u)
  assert_near("force of a servo", force_on(&c, 0.3, 0.1, 0.4), 2*(10*(0.3 - 0.2) - 0.5*0.8), 1e-14);
  assert_near("greatest force of a servo", force_on(&c, 9, 0, 0), 8, 1e-14);
  close_case(&c);
  open_case(&c, "<mujoco><option><flag actuation='disable' gravity='disable'/></option><worldbody><body>"
                "<joint name='x'/><geom size='0.1'/></body></worldbody>"
                "<actuator><motor joint='x'/></actuator></mujoco>");
  assert_near("no force", force_on(&c, 7, 0, 0), 0, 0);
  assert_false(c.def->has_power);
  close_case(&c);
}

// ---- laws ----------------------------------------------------------------------------------------------------------

static void test_laws(void** state)
{
  (void)state;
  machine_case c;
  open_case(&c, "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1' friction='0.1' margin='0.01'/>"
                "<body pos='0 0 0.1'><freejoint/><geom name='a' size='0.1' friction='0.7' restitution='0.5'"
                " restitution-tangential='0.2'/></body>"
                "<body pos='0.2 0 0.1'><freejoint/><geom name='b' size='0.1' condim='1' priority='1'/></body>"
                "<body pos='0 0.2 0.1'><freejoint/><geom name='c' size='0.1' contype='0' conaffinity='0'/></body>"
                "</worldbody><contact><pair geom1='c' geom2='a' friction='.3 .3' restitution='.9'/></contact>"
                "</mujoco>");
  evaluate(&c, 0);
  assert_int_equal(c.n, 4);
  int floor_a = find_item(&c, "a - floor"), floor_b = find_item(&c, "b - floor"), ab = find_item(&c, "a - b");
  int ac = find_item(&c, "a - c");
  assert_true(floor_a >= 0 && floor_b >= 0 && ab >= 0 && ac >= 0);
  assert_int_equal(c.item[floor_a].law->kind, SS_CONTACT_SPATIAL);
  assert_near("mu", c.item[floor_a].law->mu, 0.7, 0);
  assert_near("eps_n", c.item[floor_a].law->eps_n, 0.5, 0);
  assert_near("eps_t", c.item[floor_a].law->eps_t, 0.2, 0);
  assert_int_equal(c.item[floor_a].body_a, SS_WORLD);
  assert_int_equal(c.item[floor_a].body_b, 0);
  assert_near("N", c.item[floor_a].frame[2], 1, 1e-15);
  assert_near("gap", c.item[floor_a].gap, 0, 1e-16);
  assert_int_equal(c.item[floor_b].law->kind, SS_CONTACT_NORMAL);  // priority decides
  assert_near("mu without friction", c.item[ab].law->mu, 0, 0);
  assert_near("eps_n by priority", c.item[ab].law->eps_n, 0, 0);
  assert_near("mu of the pair", c.item[ac].law->mu, 0.3, 0);
  assert_near("eps_n of the pair", c.item[ac].law->eps_n, 0.9, 0);
  close_case(&c);
}

static void test_filters(void** state)
{
  (void)state;
  machine_case c;
#define CHAIN(option, contact)                                                                                \
  "<mujoco><option><flag " option "/></option><worldbody><body name='1'><joint/><geom size='1'/>"              \
  "<body name='2' pos='0.5 0 0'><joint/><geom size='1'/><body name='3' pos='0.5 0 0'><joint/><geom size='1'/>" \
  "</body></body></body></worldbody><contact>" contact "</contact></mujoco>"
  const struct { const char* text; int n; } cases[] = {
    {CHAIN("", ""), 1},                                                          // 1 - 3
    {CHAIN("filterparent='disable'", ""), 3},
    {CHAIN("", "<exclude body1='1' body2='3'/>"), 0},
    {CHAIN("contact='disable'", ""), 0},
  };
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++) {
    open_case(&c, cases[i].text);
    evaluate(&c, 0);
    assert_int_equal(c.n, cases[i].n);
    if (c.n == 1) assert_int_equal(find_item(&c, "geom #0 - geom #2"), 0);
    close_case(&c);
  }
}

// ---- joints --------------------------------------------------------------------------------------------------------

static void test_limits(void** state)
{
  (void)state;
  machine_case c;
  open_case(&c, "<mujoco><compiler angle='radian'/><option gravity='0 0 0'/><worldbody><body><joint name='h'"
                " range='-0.5 1' frictionloss='2'/><geom size='0.1' pos='1 0 0'/></body><body name='x'>"
                "<joint type='ball' range='0 0.7'/><geom size='0.1' pos='9 0 0'/></body></worldbody></mujoco>");
  evaluate(&c, 0);
  assert_int_equal(c.n, 1);
  assert_int_equal(find_item(&c, "h friction"), 0);
  assert_int_equal(c.item[0].law->kind, SS_CONTACT_FRICTION);
  assert_near("bound", c.item[0].law->bound, 2, 0);
  c.q[0] = 0.9;
  c.u[0] = 2;
  evaluate(&c, 0.04);
  assert_int_equal(find_item(&c, "h limit upper"), -1);
  evaluate(&c, 0.06);
  int i = find_item(&c, "h limit upper");
  assert_true(i >= 0);
  assert_near("gap", c.item[i].gap, 0.1, 1e-15);
  c.q[0] = -0.6;
  double s = sin(0.5), a[3] = {2.0/3, -1.0/3, 2.0/3};  // a turn by 1 rad
  c.q[1] = -cos(0.5);
  for (int k = 0; k < 3; k++) c.q[2 + k] = -s*a[k], c.u[1 + k] = a[k];
  evaluate(&c, 0);
  i = find_item(&c, "h limit lower");
  assert_near("gap below", c.item[i].gap, -0.1, 1e-15);
  i = find_item(&c, "x limit upper");
  assert_near("gap of an angle", c.item[i].gap, -0.3, 1e-15);
  double gamma[3];
  c.op->row_velocity(&c.at, c.u, gamma, NULL);
  assert_near("rate of an angle", gamma[i], -1, 1e-15);
  close_case(&c);
}

// ---- names ---------------------------------------------------------------------------------------------------------

static void test_names(void** state)
{
  (void)state;
  machine_case c;
  open_case(&c, everything);
  const char* const coordinate[] = {"shoulder", "lift", "wrist.w", "wrist.x", "wrist.y", "wrist.z", "float.px",
                                    "float.py", "float.pz", "float.qw", "float.qx", "float.qy", "float.qz", "axle",
                                    "stone.px"};
  const char* const velocity[] = {"shoulder", "lift", "wrist.wx", "wrist.wy", "wrist.wz", "float.vx", "float.vy",
                                  "float.vz", "float.wx", "float.wy", "float.wz", "axle", "stone.vx"};
  const char* const row[] = {"rope.x", "rope.y", "rope.z", "glue.x", "glue.y", "glue.z", "glue.rx", "glue.ry",
                             "glue.rz", "gear", "loop #3.x"};
  for (int i = 0; i < 15; i++) assert_string_equal(c.def->coordinate[i], coordinate[i]);
  for (int i = 0; i < 13; i++) assert_string_equal(c.def->velocity[i], velocity[i]);
  for (int i = 0; i < 11; i++) assert_string_equal(c.def->bilateral_name[i], row[i]);
  assert_string_equal(c.def->unit[0], "rad");
  assert_string_equal(c.def->unit[1], "m");
  assert_string_equal(c.def->velocity_unit[1], "m/s");
  assert_string_equal(c.def->name, "all");
  c.q[8] = 0.05;
  evaluate(&c, 0);
  assert_true(find_item(&c, "hull - floor [0]") >= 0 && find_item(&c, "hull - floor [1]") >= 0);
  assert_true(find_item(&c, "tyre - floor") >= 0 && find_item(&c, "wrist.wy friction") >= 0);
  char text[100];
  for (uint64_t key = 1; key; key <<= 1) c.op->contact_name(c.def->user, key, text, sizeof text);  // any key has one
  close_case(&c);
  open_case(&c, "<mujoco><worldbody><body name='a,b'><joint name='a.w' /><joint type='slide'/><joint type='slide' axis="
                "'1 0 0'/><geom size='1'/><body><joint type='ball' name='a'/><geom size='1'/></body></body><body>"
                "<joint/><geom size='1'/></body></worldbody></mujoco>");
  const char* const odd[] = {"a.w", "a_b.1", "a_b.2", "a.w #3", "a.x", "a.y", "a.z", "joint #4"};
  for (int i = 0; i < 8; i++) assert_string_equal(c.def->coordinate[i], odd[i]);
  close_case(&c);
}

// ---- refusals ------------------------------------------------------------------------------------------------------

static void assert_refused(const char* text, int line, const char* part)
{
  ss_error error = {0};
  char message[900];
  ss_scene* scene = parse_scene(text);
  ss_machine* machine = ss_machine_create(scene, &error);
  assert_null(machine);
  assert_null(ss_machine_create(scene, NULL));
  assert_int_equal(error.line, line);
  ss_error_format(&error, message, sizeof message);
  if (!strstr(message, part) || !strstr(message, "test.xml")) fail_msg("'%s' does not speak of '%s'", message, part);
  ss_scene_destroy(scene);
}

static void test_refused(void** state)
{
  (void)state;
  machine_case c;
  assert_refused("<mujoco><worldbody><geom name='floor' type='plane' "
                 "size='1 1 1'/>\n<body><freejoint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>\n"
                 "<geom name='hill' type='sdf'/><geom size='1'/></body></worldbody></mujoco>", 3,
                 "geom 'floor' (plane, line 1) and geom 'hill' (sdf, line 3) could touch");
  assert_refused("<mujoco><worldbody><body><geom size='1'/></body></worldbody></mujoco>", 0,
                 "nothing in this scene can move");
  open_case(&c, "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/><body><freejoint/><geom type='box'"
                " size='1 1 1' contype='0' conaffinity='0'/><geom size='1'/></body></worldbody></mujoco>");
  evaluate(&c, 0);
  assert_int_equal(c.n, 1);
  close_case(&c);
}

// Nothing is allocated once the lists are long enough; poses are those of the tree
static void test_no_allocation(void** state)
{
  (void)state;
  machine_case c;
  open_case(&c, everything);
  ss_tree_work* work = ss_tree_work_create(ss_machine_tree(c.machine), NULL);
  ss_pose pose[6];
  double G[3600], h[30], gamma[60], size[60];
  int row[60];
  for (int r = 0; r < 60; r++) row[r] = r;
  long before = 0;
  for (int k = 0; k < 40; k++) {
    if (k == 20) before = calls, seed_state = 3;
    if (k == 0) seed_state = 3;
    random_state(&c, 0.3);
    evaluate(&c, 0.02);
    assert_true(c.rows <= 60);
    c.def->force(&c.at, h);
    c.op->row_velocity(&c.at, c.u, gamma, size);
    c.op->row_force(&c.at, c.rows, row, gamma, h);
    assert_int_equal(c.op->delassus(&c.at, c.rows, row, G), SS_OK);
    ss_machine_poses(c.machine, work, c.q, pose);
  }
  assert_int_equal(calls - before, 0);
  assert_near("height of the stone", pose[5].position[2], c.q[16], 1e-15);
  ss_tree_work_destroy(work);
  close_case(&c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_rows),   cmocka_unit_test(test_shapes),    cmocka_unit_test(test_accelerations),
    cmocka_unit_test(test_gap_rates), cmocka_unit_test(test_loop_rates),
    cmocka_unit_test(test_weld_far),
    cmocka_unit_test(test_power),  cmocka_unit_test(test_drives),    cmocka_unit_test(test_laws),
    cmocka_unit_test(test_filters), cmocka_unit_test(test_limits),   cmocka_unit_test(test_names),
    cmocka_unit_test(test_refused), cmocka_unit_test(test_no_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
