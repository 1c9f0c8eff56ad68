// Contacts of a tree of bodies: with u' = 0, gamma' is the bias of the tree's nodes plus the w_bar of the contacts.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stickslip/tree.h>
#include "collide/shapes.h"

// An arm of two hinges that carries a capsule, a free capsule and a free ball, a floor
typedef struct robot {
  ss_tree* tree;
  ss_tree_work* work;
  ss_collider* scene;
  ss_collider_work* finder;
  int nq, nv;
  double q[16], u[14];
} robot;

static void make(robot* r)
{
  ss_body_def body[4];
  for (int b = 0; b < 4; b++)
    body[b] = (ss_body_def){.parent = b == 1 ? 0 : SS_WORLD, .position = {0, 0, b == 1}, .mass = 1,
                            .inertia = {1, 1, 1}};
  ss_joint_def joint[4] = {{.kind = SS_JOINT_HINGE, .body = 0, .axis = {0, 1, 0.3}},
                           {.kind = SS_JOINT_HINGE, .body = 1, .axis = {1, 0, 0.2}},
                           {.kind = SS_JOINT_FREE, .body = 2},
                           {.kind = SS_JOINT_FREE, .body = 3}};
  ss_tree_def def = {.n_body = 4, .body = body, .n_joint = 4, .joint = joint};
  ss_geom_def geom[4];
  for (int g = 0; g < 4; g++) geom[g] = ss_geom_def_default();
  geom[1].shape = geom[2].shape = (ss_shape_def){.kind = SS_SHAPE_CAPSULE, .radius = 0.3, .half_length = 0.8};
  geom[3].shape = (ss_shape_def){.kind = SS_SHAPE_SPHERE, .radius = 0.5};
  geom[1].pose = (ss_pose){{0.1, 0.2, 0.8}, {1, 0.1, 0.2, 0.3}};
  for (int g = 1; g < 4; g++) geom[g].body = g;
  ss_collider_def scene = {.n_geom = 4, .geom = geom, .n_body = 4};
  r->tree = ss_tree_create(&def, NULL);
  r->work = ss_tree_work_create(r->tree, NULL);
  r->scene = ss_collider_create(&scene, NULL);
  r->finder = ss_collider_work_create(r->scene, NULL);
  r->nq = ss_tree_nq(r->tree);
  r->nv = ss_tree_nv(r->tree);
  assert_int_equal(r->nq, 16);
}

static void unmake(robot* r)
{
  ss_collider_work_destroy(r->finder);
  ss_collider_destroy(r->scene);
  ss_tree_work_destroy(r->work);
  ss_tree_destroy(r->tree);
}

// Contacts at q, with the relative velocities that the tree has there and their biases (3 per contact)
static int contacts_at(robot* r, const double* q, ss_touch* touch, double* gamma, double* w_bar)
{
  ss_pose pose[4];
  const ss_touch* found;
  int n;
  ss_tree_set_position(r->work, q);
  ss_tree_set_velocity(r->work, r->u);
  for (int b = 0; b < 4; b++) ss_tree_pose(r->work, b, pose[b].position, pose[b].rotation, NULL);
  assert_int_equal(ss_collider_find(r->finder, pose, 10, NULL, &found, &n), SS_OK);
  assert_in_range(n, 1, 24);
  for (int i = 0; i < n; i++) {
    const ss_touch* t = touch + i;
    touch[i] = found[i];
    ss_tree_node node = {.body_a = t->body_a, .body_b = t->body_b, .rows = 3};
    memcpy(node.point_a, t->point, sizeof t->point);
    memcpy(node.point_b, t->point, sizeof t->point);
    memcpy(node.frame, t->frame, sizeof t->frame);
    ss_tree_node_velocity(r->work, 1, &node, gamma + 3*i, w_bar + 3*i);
    ss_point_motion a, b;
    ss_touch_change change;
    ss_tree_point_velocity(r->work, t->body_a, t->point, a.angular, a.linear);
    ss_tree_point_velocity(r->work, t->body_b, t->point, b.angular, b.linear);
    ss_touch_rate(t, &a, &b, &change);
    for (int k = 0; k < 3; k++) {
      assert_near(change.gamma[k], gamma[3*i + k], 1e-13);
      w_bar[3*i + k] += change.w_bar[k];
    }
  }
  return n;
}

// gamma' by central differences of fourth order; smooth[i] turns false where contact i is not one smooth piece
static void differences(robot* r, double h, int n, const ss_touch* touch, double* rate, bool* smooth)
{
  const double step[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
  ss_touch there[24];
  double q[16], gamma[72], unused[72];
  memset(rate, 0, sizeof(double)*72);
  for (int s = 0; s < 4; s++) {
    ss_tree_advance(r->tree, r->q, r->u, step[s]*h, q);
    int m = contacts_at(r, q, there, gamma, unused);
    for (int i = 0; i < n; i++)
      smooth[i] &= m == n && there[i].key == touch[i].key && there[i].side_a == touch[i].side_a &&
                   there[i].side_b == touch[i].side_b;
    for (int j = 0; j < 3*n && m == n; j++) rate[j] += weight[s]*gamma[j]/(12*h);
  }
}

static void test_gamma_rate(void** state)
{
  (void)state;
  robot r = {0};
  make(&r);
  seed_state = 8;
  int compared = 0;
  for (int k = 0; k < 300; k++) {
    ss_touch touch[24];
    double gamma[72], w_bar[72], coarse[72], fine[72];
    bool smooth[24];
    for (int i = 0; i < 16; i++) r.q[i] = 1.5*uniform();
    for (int i = 0; i < 14; i++) r.u[i] = uniform();
    int n = contacts_at(&r, r.q, touch, gamma, w_bar);
    for (int i = 0; i < n; i++)  // cores that almost meet: the normal jumps
      smooth[i] = touch[i].side_a == SS_SIDE_FACE || touch[i].gap + touch[i].radius_a + touch[i].radius_b > 0.02;
    differences(&r, 1e-3, n, touch, coarse, smooth);
    differences(&r, 5e-4, n, touch, fine, smooth);
    for (int j = 0; j < 3*n; j++) {  // the error of the differences is a 15th of what half the step changes
      if (!smooth[j/3]) continue;
      assert_near(fine[j], w_bar[j], 0.2*fabs(coarse[j] - fine[j]) + 1e-10*(1 + fabs(w_bar[j])));
      compared++;
    }
  }
  assert_true(compared > 3000);
  unmake(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_gamma_rate)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
