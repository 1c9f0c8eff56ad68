// What trees must do whatever the recursions: closed forms of pendulums, tops and free bodies, Lagrange's equations
// derived from text, conservation of energy and momentum to the order of the integrator.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include <stickslip/stickslip.h>
#include "trees.h"

static void near(const char* what, double value, double expected, double tol)
{
  if (!(fabs(value - expected) <= tol)) fail_msg("%s = %.16g, expected %.16g", what, value, expected);
}

static tree_case* empty_case(int n_body, int n_joint, double gravity)
{
  tree_case* c = calloc(1, sizeof *c);
  c->def = (ss_tree_def){.n_body = n_body, .body = c->body, .n_joint = n_joint, .joint = c->joint};
  c->def.gravity[2] = gravity;
  return c;
}

// ---- against Lagrange's equations ----------------------------------------------------------------------------------

// Planar pendulum of three links as text, absolute angles a, b, c from relative ones
static const char* triple =
  "parameters: {m1: 1.3, m2: 0.7, m3: 2.1, l1: 0.9, l2: 1.1, s1: 0.4, s2: 0.6, s3: 0.5, J1: 0.11, J2: 0.07, J3: 0.2,\n"
  "  g: 9.81, k: 3, d: 0.4, r: 0.05}\n"
  "coordinates: [a, b, c]\n"
  "definitions: {A: a, B: a + b, C: a + b + c,\n"
  "  x1: s1*sin(A), y1: -s1*cos(A), x2: l1*sin(A) + s2*sin(B), y2: -l1*cos(A) - s2*cos(B),\n"
  "  x3: l1*sin(A) + l2*sin(B) + s3*sin(C), y3: -l1*cos(A) - l2*cos(B) - s3*cos(C)}\n"
  "kinetic: m1/2*(x1'^2 + y1'^2) + m2/2*(x2'^2 + y2'^2) + m3/2*(x3'^2 + y3'^2) +\n"
  "  J1/2*A'^2 + J2/2*B'^2 + J3/2*C'^2 + r/2*b'^2\n"
  "potential: g*(m1*y1 + m2*y2 + m3*y3) + k/2*(c - 0.3)^2\n"
  "damping: d/2*b'^2\n";

static tree_case* triple_tree(void)
{
  const double m[] = {1.3, 0.7, 2.1}, l[] = {0, 0.9, 1.1}, s[] = {0.4, 0.6, 0.5}, J[] = {0.11, 0.07, 0.2};
  tree_case* c = empty_case(3, 3, -9.81);
  for (int b = 0; b < 3; b++) {  // angles turn from -z towards x: about -y
    c->body[b] = (ss_body_def){.parent = b - 1, .position = {0, 0, -l[b]}, .mass = m[b], .com = {0, 0, -s[b]},
                               .inertia = {J[b], J[b], 0.6*J[b]}};
    c->joint[b] = (ss_joint_def){.kind = SS_JOINT_HINGE, .body = b, .axis = {0, -2, 0}};
  }
  c->joint[1].armature = 0.05;
  c->joint[1].damping = 0.4;
  c->joint[2].stiffness = 3;
  c->joint[2].springref = 0.3;
  return c;
}

static void test_text_model(void** state)
{
  (void)state;
  ss_error error = {0};
  ss_model* model = ss_model_parse(triple, strlen(triple), "triple", NULL, &error);
  if (!model) fail_msg("line %d: %s", error.line, error.text);
  const ss_system_def* def = ss_system_get(ss_model_system(model));
  void* scratch = calloc(1, def->scratch_size);
  tree_case* c = triple_tree();
  finish_case(c);
  ss_tree_mass* mass = ss_tree_mass_create(c->tree, NULL);
  seed_state = 4;
  for (int k = 0; k < 20; k++) {
    double M[9], h[3], M_tree[9], h_tree[3];
    for (int i = 0; i < 3; i++) c->q[i] = 3*uniform(), c->u[i] = 4*uniform();
    ss_at at = {.user = def->user, .scratch = scratch, .q = c->q, .u = c->u};
    assert_int_equal(def->update(&at), SS_OK);
    def->mass(&at, M);
    def->force(&at, h);
    ss_energy energy;
    def->energy(&at, &energy);
    ss_tree_set_position(c->work, c->q);
    ss_tree_set_velocity(c->work, c->u);
    ss_tree_mass_update(mass, c->work);
    ss_tree_mass_dense(mass, M_tree);
    ss_tree_force(c->work, h_tree);
    NEAR(9, M_tree, M, 1e-13, "mass matrices");
    NEAR(3, h_tree, h, 1e-13, "forces");
    near("T", ss_tree_kinetic(c->work), energy.kinetic, 1e-12*fabs(energy.kinetic));
    near("V", ss_tree_potential(c->work), energy.potential, 1e-12*50);
  }
  ss_tree_mass_destroy(mass);
  destroy_case(c);
  free(scratch);
  ss_model_destroy(model);
}

// ---- time ----------------------------------------------------------------------------------------------------------

// q' for u: quaternions move by q w/2
static void rate(const tree_case* c, const double* q, const double* u, double* dq)
{
  for (int j = 0; j < c->def.n_joint; j++) {
    int iq, iv, ball = -1;
    ss_tree_joint_at(c->tree, j, &iq, &iv);
    ss_joint_kind kind = c->def.joint[j].kind;
    if (kind <= SS_JOINT_SLIDE) dq[iq] = u[iv];
    if (kind == SS_JOINT_FREE) memcpy(dq + iq, u + iv, 3*sizeof *u);
    if (kind == SS_JOINT_BALL) ball = 0;
    if (kind == SS_JOINT_FREE) ball = 3;
    if (ball < 0) continue;
    const double *p = q + iq + ball, *w = u + iv + ball;
    double* out = dq + iq + ball;
    out[0] = 0.5*(-p[1]*w[0] - p[2]*w[1] - p[3]*w[2]);
    out[1] = 0.5*(p[0]*w[0] + p[2]*w[2] - p[3]*w[1]);
    out[2] = 0.5*(p[0]*w[1] - p[1]*w[2] + p[3]*w[0]);
    out[3] = 0.5*(p[0]*w[2] + p[1]*w[1] - p[2]*w[0]);
  }
}

// The classical method of order four
static void runge_kutta(tree_case* c, double h, int steps)
{
  size_t nq = (size_t)c->nq, nv = (size_t)c->nv, n = nq + nv;
  double *k = calloc(4*n, sizeof *k), *y = calloc(n, sizeof *y);
  const double part[] = {0, 0.5, 0.5, 1}, weight[] = {1.0/6, 1.0/3, 1.0/3, 1.0/6};
  for (int s = 0; s < steps; s++) {
    for (size_t r = 0; r < 4; r++) {
      for (size_t i = 0; i < n; i++) {
        y[i] = i < nq ? c->q[i] : c->u[i - nq];
        if (r) y[i] += part[r]*h*k[(r - 1)*n + i];
      }
      rate(c, y, y + nq, k + r*n);
      ss_tree_set_position(c->work, y);
      ss_tree_set_velocity(c->work, y + nq);
      assert_int_equal(ss_tree_forward(c->work, NULL, k + r*n + nq), SS_OK);
    }
    for (size_t r = 0; r < 4; r++)
      for (size_t i = 0; i < n; i++) *(i < nq ? c->q + i : c->u + i - nq) += weight[r]*h*k[r*n + i];
  }
  ss_tree_set_position(c->work, c->q);
  ss_tree_set_velocity(c->work, c->u);
  free(k), free(y);
}

// A rod on a hinge: u' = -m g l sin(q)/(J + m l^2); small and large swings have the period 4 K(sin(q0/2))/w
static void test_pendulum(void** state)
{
  (void)state;
  const double m = 2, l = 0.7, J = 0.3, g = 9.81, q0 = 2.0;
  tree_case* c = empty_case(1, 1, -g);
  c->body[0] = (ss_body_def){.parent = -1, .position = {1, 2, 3}, .mass = m, .com = {0.1, 0, -l},
                             .inertia = {J, J, 0.1}};
  c->joint[0] = (ss_joint_def){.kind = SS_JOINT_HINGE, .axis = {0, 3, 0}, .anchor = {0.1, 0.4, 0}};
  finish_case(c);
  c->q[0] = q0;
  double a, w2 = m*g*l/(J + m*l*l), agm = 1, b = cos(q0/2);
  ss_tree_set_position(c->work, c->q);
  ss_tree_set_velocity(c->work, c->u);
  assert_int_equal(ss_tree_forward(c->work, NULL, &a), SS_OK);
  near("u'", a, -w2*sin(q0), 1e-13*w2);
  for (int i = 0; i < 8; i++) {  // K(k) = pi/2/agm(1, sqrt(1 - k^2))
    double mean = 0.5*(agm + b);
    b = sqrt(agm*b);
    agm = mean;
  }
  const double pi = acos(-1), period = 2*pi/(sqrt(w2)*agm);
  runge_kutta(c, period/2000, 2000);
  near("q after one period", c->q[0], q0, 1e-9);
  near("u after one period", c->u[0], 0, 1e-9);
  destroy_case(c);
}

// A mass on a slide with spring and damper: closed form of the damped oscillation
static void test_slide(void** state)
{
  (void)state;
  tree_case* c = empty_case(1, 1, 0);
  c->body[0] = (ss_body_def){.parent = -1, .mass = 1.5};
  c->joint[0] = (ss_joint_def){.kind = SS_JOINT_SLIDE, .axis = {1, 1, 0}, .stiffness = 40, .damping = 0.6,
                               .springref = 0.2, .armature = 0.5};
  finish_case(c);
  c->q[0] = 1;
  runge_kutta(c, 1e-3, 1000);
  const double w = sqrt(40/2.0), d = 0.6/4, e = sqrt(w*w - d*d), t = 1;
  near("q", c->q[0], 0.2 + 0.8*exp(-d*t)*(cos(e*t) + d/e*sin(e*t)), 1e-10);
  destroy_case(c);
}

// A symmetric top on a ball joint precesses steadily with W if I3 w3 W - I1 W^2 cos(theta) = m g l
// (I1 about the pivot)
static void test_top(void** state)
{
  (void)state;
  const double m = 0.8, l = 0.3, J1 = 0.02, I3 = 0.015, I1 = J1 + m*l*l, g = 9.81, theta = 0.6, W = 2.5;
  const double w3 = (m*g*l + I1*W*W*cos(theta))/(I3*W), t = 1.0;
  tree_case* c = empty_case(1, 1, -g);
  c->body[0] = (ss_body_def){.parent = -1, .mass = m, .com = {0, 0, l}, .inertia = {J1, J1, I3}};
  c->joint[0] = (ss_joint_def){.kind = SS_JOINT_BALL};
  finish_case(c);
  c->q[0] = cos(theta/2);  // turned about y: the axis leans towards x
  c->q[2] = sin(theta/2);
  c->u[0] = -W*sin(theta);  // W z in body axes, and w3 about the axis of the top
  c->u[2] = w3;
  double z[9], L[3], p[3];
  runge_kutta(c, t/20000, 20000);
  ss_tree_pose(c->work, 0, NULL, NULL, z);
  near("axis x", z[2], sin(theta)*cos(W*t), 1e-8);
  near("axis y", z[5], sin(theta)*sin(W*t), 1e-8);
  near("axis z", z[8], cos(theta), 1e-8);
  ss_tree_momentum(c->work, p, L);
  near("moment of momentum about the vertical", L[2], I1*W*sin(theta)*sin(theta) + I3*w3*cos(theta), 1e-9);
  destroy_case(c);
}

// A symmetric body in free flight: w goes round in the body with (I3 - I1)/I1 w3, its centre of mass on a parabola
static void test_free_flight(void** state)
{
  (void)state;
  const double I1 = 0.2, I3 = 0.35, g = 9.81, t = 0.8, w3 = 3, w1 = 1.2, com[3] = {0.1, -0.2, 0.3};
  tree_case* c = empty_case(1, 1, -g);
  c->body[0] = (ss_body_def){.parent = -1, .mass = 2, .com = {com[0], com[1], com[2]}, .inertia = {I1, I1, I3}};
  c->joint[0] = (ss_joint_def){.kind = SS_JOINT_FREE};
  finish_case(c);
  const double u[6] = {1, 2, 3, w1, 0, w3};
  memcpy(c->u, u, sizeof u);
  double x[2][3], v[3], v0[3], none[3] = {0};
  ss_tree_set_position(c->work, c->q);
  ss_tree_set_velocity(c->work, c->u);
  ss_tree_com(c->work, x[0]);
  ss_tree_point_velocity(c->work, 0, x[0], NULL, v0);
  runge_kutta(c, t/4000, 4000);
  near("mass", ss_tree_com(c->work, x[1]), 2, 0);
  ss_tree_point_velocity(c->work, 0, x[1], NULL, v);
  for (int i = 0; i < 3; i++) {
    double a = i == 2 ? -g : none[i];
    near("centre of mass", x[1][i], x[0][i] + t*v0[i] + 0.5*t*t*a, 1e-11);
    near("its velocity", v[i], v0[i] + t*a, 1e-11);
  }
  double s = (I3 - I1)/I1*w3*t;
  near("w_x", c->u[3], w1*cos(s), 1e-11);
  near("w_y", c->u[4], w1*sin(s), 1e-11);
  near("w_z", c->u[5], w3, 1e-11);
  destroy_case(c);
}

// A chain of 1000 links that falls freely from rest, whatever its shape, falls as one: no joint accelerates
static void test_falling_chain(void** state)
{
  (void)state;
  const int n = 1000;
  tree_case* c = chain(n, false);
  c->joint[0] = (ss_joint_def){.kind = SS_JOINT_FREE};
  finish_case(c);
  seed_state = 2;
  for (int i = 7; i < c->nq; i++) c->q[i] = 0.5*uniform();
  ss_tree_set_position(c->work, c->q);
  ss_tree_set_velocity(c->work, c->u);
  double* du = calloc((size_t)c->nv, sizeof *du);
  assert_int_equal(ss_tree_forward(c->work, NULL, du), SS_OK);
  double worst = 0;
  for (int i = 0; i < c->nv; i++) worst = fmax(worst, fabs(du[i] + (i == 2 ? 9.81 : 0)));
  if (!(worst <= 1e-12)) fail_msg("an acceleration is off by %g", worst);
  free(du);
  destroy_case(c);
}

// Free-floating trees keep energy and both momenta; the error of the integrator falls with the fourth power of the step
static void drift(uint64_t seed, double h, int steps, double error[3])
{
  tree_case* c = random_tree(seed, 6, true);
  memset(c->def.gravity, 0, sizeof c->def.gravity);
  finish_case(c);
  random_state(c);
  for (int i = 0; i < c->nv; i++) c->u[i] *= 0.5;
  ss_tree_set_velocity(c->work, c->u);
  double p[2][3], L[2][3], T[2];
  for (int s = 0; s < 2; s++) {
    T[s] = ss_tree_kinetic(c->work);
    ss_tree_momentum(c->work, p[s], L[s]);
    if (s == 0) runge_kutta(c, h, steps);
  }
  error[0] = fabs(T[1] - T[0])/T[0];
  error[1] = difference(3, p[1], p[0]);
  error[2] = difference(3, L[1], L[0]);
  destroy_case(c);
}

static void test_conservation(void** state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 3; seed++) {
    double coarse[3], fine[3];
    drift(seed, 1e-3, 200, coarse);
    drift(seed, 2.5e-4, 800, fine);
    for (int i = 0; i < 3; i++) {
      if (!(coarse[i] < 1e-4)) fail_msg("tree %d: drift %g of quantity %d", (int)seed, coarse[i], i);
      // a quarter of the step: 256 times less, or round-off
      if (!(fine[i] <= fmax(coarse[i]/100, 2e-13)))
        fail_msg("tree %d: drift %g, then %g", (int)seed, coarse[i], fine[i]);
    }
  }
}

// Three hinges on one body about x, y, z are the three angles of a rotation: the same body on a ball moves alike
static void test_gimbal(void** state)
{
  (void)state;
  tree_case *hinges = empty_case(1, 3, -9.81), *ball = empty_case(1, 1, -9.81);
  ss_body_def body = {.parent = -1, .mass = 2, .com = {0.1, 0.2, -0.5}, .inertia = {0.3, 0.4, 0.2, 0.02, -0.03, 0.01}};
  hinges->body[0] = ball->body[0] = body;
  for (int k = 0; k < 3; k++) {
    hinges->joint[k] = (ss_joint_def){.kind = SS_JOINT_HINGE, .anchor = {0.2, 0, 0.1}};
    hinges->joint[k].axis[k] = 1;
  }
  ball->joint[0] = (ss_joint_def){.kind = SS_JOINT_BALL, .anchor = {0.2, 0, 0.1}};
  finish_case(hinges);
  finish_case(ball);
  for (int i = 0; i < 3; i++) hinges->q[i] = 0.4 + 0.3*i, hinges->u[i] = 1 - 0.7*i;
  ss_tree_set_position(hinges->work, hinges->q);
  ss_tree_set_velocity(hinges->work, hinges->u);
  double rotation[4], R[9], x[2][3], w[3], v[3];
  ss_tree_pose(hinges->work, 0, x[0], rotation, R);
  ss_tree_point_velocity(hinges->work, 0, x[0], w, v);
  memcpy(ball->q, rotation, sizeof rotation);
  for (int i = 0; i < 3; i++) ball->u[i] = R[i]*w[0] + R[3 + i]*w[1] + R[6 + i]*w[2];  // body axes
  ss_tree_set_position(ball->work, ball->q);
  ss_tree_set_velocity(ball->work, ball->u);
  runge_kutta(hinges, 1e-3, 200);
  runge_kutta(ball, 1e-3, 200);
  double R2[9];
  ss_tree_pose(hinges->work, 0, x[0], NULL, R);
  ss_tree_pose(ball->work, 0, x[1], NULL, R2);
  NEAR(9, R, R2, 1e-9, "rotations");
  NEAR(3, x[0], x[1], 1e-9, "positions");
  destroy_case(hinges);
  destroy_case(ball);
}

// A ball's spring is the gradient of its energy: undamped motion keeps T + V
static void test_ball_spring(void** state)
{
  (void)state;
  tree_case* c = empty_case(1, 1, 0);
  c->body[0] = (ss_body_def){.parent = -1, .mass = 2, .com = {0.1, 0.2, -0.5}, .inertia = {0.3, 0.4, 0.2}};
  c->joint[0] = (ss_joint_def){.kind = SS_JOINT_BALL, .stiffness = 7};
  finish_case(c);
  random_state(c);
  double E = ss_tree_kinetic(c->work) + ss_tree_potential(c->work);
  assert_true(ss_tree_potential(c->work) > 0.1);
  runge_kutta(c, 5e-4, 1000);
  near("T + V", ss_tree_kinetic(c->work) + ss_tree_potential(c->work), E, 1e-9*E);
  destroy_case(c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_text_model),   cmocka_unit_test(test_pendulum), cmocka_unit_test(test_slide),
    cmocka_unit_test(test_top),          cmocka_unit_test(test_free_flight), cmocka_unit_test(test_conservation),
    cmocka_unit_test(test_falling_chain),
    cmocka_unit_test(test_gimbal),       cmocka_unit_test(test_ball_spring),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
