// Creation: what is refused and how it is said, numbering, poses, names.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include "trees.h"

// A good tree of two bodies; each test spoils one thing
static tree_case* good(void)
{
  tree_case* c = calloc(1, sizeof *c);
  c->body[0] = (ss_body_def){.name = "arm", .parent = -1, .mass = 1, .inertia = {1, 1, 1}};
  c->body[1] = (ss_body_def){.name = "hand", .parent = 0, .mass = 1, .inertia = {1, 1, 1}};
  c->joint[0] = (ss_joint_def){.name = "shoulder", .kind = SS_JOINT_HINGE, .body = 0, .axis = {0, 0, 1}};
  c->joint[1] = (ss_joint_def){.name = "wrist", .kind = SS_JOINT_BALL, .body = 1};
  c->def = (ss_tree_def){.n_body = 2, .body = c->body, .n_joint = 2, .joint = c->joint};
  return c;
}

// Refused, with a text that holds `part`
static void refused(tree_case* c, const char* part)
{
  ss_error error = {0};
  ss_tree* tree = ss_tree_create(&c->def, &error);
  if (tree) fail_msg("accepted, should say '%s'", part);
  assert_int_equal(error.status, SS_ERR_INPUT);
  if (!strstr(error.text, part)) fail_msg("'%s' does not say '%s'", error.text, part);
  assert_null(ss_tree_create(&c->def, NULL));
  free(c);
}

#define SPOILT(change, part) \
  do {                       \
    tree_case* c = good();   \
    change;                  \
    refused(c, part);        \
  } while (0)

static void test_bodies(void** state)
{
  (void)state;
  SPOILT(c->def.n_body = 0, "bodies");
  SPOILT(c->def.n_joint = -1, "joints");
  SPOILT(c->def.gravity[1] = NAN, "gravity");
  SPOILT(c->body[0].parent = 0, "body 'arm': parent 0");
  SPOILT(c->body[1].parent = -2, "body 'hand': parent -2");
  SPOILT(c->body[1].parent = 1, "body 'hand': parent 1");
  SPOILT(c->body[1].mass = -1, "body 'hand': mass -1");
  SPOILT(c->body[1].mass = NAN, "body 'hand': mass");
  SPOILT((c->body[1].name = NULL, c->body[1].mass = -1), "body 1: mass -1");
  SPOILT(c->body[1].position[2] = INFINITY, "body 'hand': position");
  SPOILT(c->body[1].rotation[2] = 1e300, "quaternion");
  SPOILT(c->body[1].com[0] = NAN, "body 'hand': the centre of mass");
  SPOILT(c->body[1].inertia[3] = NAN, "body 'hand': the inertia");
  SPOILT(c->body[1].inertia[0] = -1, "body 'hand': the inertia has the principal moment -1");
  SPOILT(c->body[1].inertia[3] = 2, "principal moment -1");
  SPOILT(c->body[1].inertia[2] = 3, "body 'hand': no body has the principal moments 1, 1, 3");
  SPOILT(c->body[1].mass = 0, "body 'hand': inertia without mass");
}

static void test_joints(void** state)
{
  (void)state;
  SPOILT(c->joint[0].kind = (ss_joint_kind)9, "joint 'shoulder': unknown kind 9");
  SPOILT(c->joint[0].body = 2, "joint 'shoulder': body 2; there are bodies 0 to 1");
  SPOILT(c->joint[0].axis[2] = 0, "joint 'shoulder': the axis (0, 0, 0)");
  SPOILT(c->joint[0].axis[2] = NAN, "joint 'shoulder': axis");
  SPOILT(c->joint[0].ref = NAN, "joint 'shoulder': ref");
  SPOILT(c->joint[0].stiffness = -1, "joint 'shoulder': stiffness -1");
  SPOILT(c->joint[0].damping = NAN, "joint 'shoulder': damping");
  SPOILT(c->joint[0].armature = -2, "joint 'shoulder': armature -2");
  SPOILT(c->joint[0].friction = INFINITY, "joint 'shoulder': friction inf");
  SPOILT((c->joint[0].limited = true, c->joint[0].range[0] = 1), "joint 'shoulder': range 1 .. 0");
  SPOILT((c->joint[1].limited = true, c->joint[1].range[0] = -1), "joint 'wrist': the range of a ball");
  SPOILT((c->joint[1].stiffness = 1, c->joint[1].springref = 1), "joint 'wrist': the spring");
  SPOILT(c->joint[1].kind = SS_JOINT_FREE, "joint 'wrist': a free joint needs a body that hangs on the world");
  SPOILT((c->joint[0].kind = SS_JOINT_FREE, c->joint[1].body = 0), "joint 'shoulder': a body with a free joint");
  SPOILT((c->joint[0].kind = SS_JOINT_FREE, c->joint[0].stiffness = 1), "joint 'shoulder': a free joint has no spring");
}

// Joints that move nothing, found through massless bodies too; an armature helps
static void test_massless(void** state)
{
  (void)state;
  const double zero[6] = {0};
  SPOILT((c->body[1].mass = 0, memcpy(c->body[1].inertia, zero, sizeof zero)),
         "joint 'wrist' of body 'hand' moves no mass");
  SPOILT(memcpy(c->body[1].inertia, zero, sizeof zero), "joint 'wrist' of body 'hand'");
  tree_case* c = good();  // a massless arm on the same hinge as the hand
  c->body[0].mass = 0;
  memset(c->body[0].inertia, 0, sizeof zero);
  c->joint[1] = c->joint[0];
  c->joint[1].body = 1;
  refused(c, "joint 'shoulder' of body 'arm'");
  c = good();
  c->body[0].mass = 0;
  memset(c->body[0].inertia, 0, sizeof zero);
  c->joint[1] = c->joint[0];
  c->joint[1].body = 1;
  c->joint[0].armature = 1e-3;
  finish_case(c);
  destroy_case(c);
}

// x, y, x hinges lock at the reference only: accepted, refused there when factored
static void test_singular_pose(void** state)
{
  (void)state;
  tree_case* c = good();
  c->def.n_body = 1;
  c->def.n_joint = 3;
  for (int k = 0; k < 3; k++) c->joint[k] = (ss_joint_def){.kind = SS_JOINT_HINGE, .axis = {k != 1, k == 1, 0}};
  finish_case(c);
  ss_tree_set_position(c->work, c->q);
  assert_int_equal(ss_tree_factor(c->work), SS_ERR_NUMERIC);
  assert_int_equal(ss_tree_singular(c->work), 0);
  c->q[1] = 1;
  ss_tree_set_position(c->work, c->q);
  assert_int_equal(ss_tree_factor(c->work), SS_OK);
  assert_int_equal(ss_tree_singular(c->work), -1);
  c->q[1] = NAN;  // no answer rather than a wrong one
  ss_tree_set_position(c->work, c->q);
  assert_int_equal(ss_tree_factor(c->work), SS_ERR_NUMERIC);
  destroy_case(c);
}

// Joints in any order: numbered by body, those of one body as listed
static void test_numbers(void** state)
{
  (void)state;
  tree_case* c = good();
  c->joint[0] = (ss_joint_def){.kind = SS_JOINT_BALL, .body = 1};
  c->joint[1] = (ss_joint_def){.kind = SS_JOINT_FREE, .body = 0};
  c->joint[2] = (ss_joint_def){.kind = SS_JOINT_FIXED, .body = 1};
  c->joint[3] = (ss_joint_def){.kind = SS_JOINT_SLIDE, .body = 1, .axis = {0, 0, 2}, .ref = 5};
  c->def.n_joint = 4;
  c->body[0].position[1] = 3;
  c->body[0].rotation[1] = 2;
  finish_case(c);
  const int iq[] = {7, 0, 11, 11}, iv[] = {6, 0, 9, 9};
  assert_int_equal(c->nq, 12);
  assert_int_equal(c->nv, 10);
  for (int j = 0; j < 4; j++) {
    int a, b;
    ss_tree_joint_at(c->tree, j, &a, &b);
    assert_int_equal(a, iq[j]);
    assert_int_equal(b, iv[j]);
  }
  const double q[12] = {0, 3, 0, 0, 1, 0, 0, 1, 0, 0, 0, 5};
  NEAR(12, c->q, q, 0, "reference coordinates");
  int chain_[10];
  assert_int_equal(ss_tree_chain(c->tree, 1, chain_), 10);
  assert_int_equal(ss_tree_chain(c->tree, 0, chain_), 6);
  assert_int_equal(ss_tree_chain(c->tree, SS_WORLD, chain_), 0);
  const ss_tree_def* def = ss_tree_get(c->tree);
  assert_string_equal(def->body[1].name, "hand");
  assert_string_equal(def->joint[3].name, "joint3");
  assert_true(def->joint[3].axis[2] == 1);
  destroy_case(c);
}

// At the reference all bodies are where the definition puts them, whatever their joints
static void test_poses(void** state)
{
  (void)state;
  tree_case* c = random_tree(12, 40, false);
  finish_case(c);
  ss_tree_set_position(c->work, c->q);
  double R[41][9] = {{1, 0, 0, 0, 1, 0, 0, 0, 1}}, x[41][3] = {{0}};
  for (int b = 0; b < 40; b++) {
    const ss_body_def* body = c->def.body + b;
    int p = body->parent + 1;
    double w = body->rotation[0], v[3] = {body->rotation[1], body->rotation[2], body->rotation[3]}, own[9];
    double n = w*w + v[0]*v[0] + v[1]*v[1] + v[2]*v[2], position[3], matrix[9];
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {  // (w^2 - v.v) 1 + 2 v v^T + 2 w [v]
        double skew = j == (i + 2)%3 ? v[(i + 1)%3] : i == j ? 0 : -v[(i + 2)%3];
        own[3*i + j] = ((i == j)*(2*w*w - n) + 2*v[i]*v[j] + 2*w*skew)/n;
      }
    for (int i = 0; i < 3; i++) {
      x[b + 1][i] = x[p][i];
      for (int j = 0; j < 3; j++) {
        x[b + 1][i] += R[p][3*i + j]*body->position[j];
        for (int k = 0; k < 3; k++) R[b + 1][3*i + k] += R[p][3*i + j]*own[3*j + k];
      }
    }
    ss_tree_pose(c->work, b, position, NULL, matrix);
    NEAR(9, matrix, R[b + 1], 1e-13, "rotations");
    for (int i = 0; i < 3; i++) assert_true(fabs(position[i] - x[b + 1][i]) < 1e-13*10);
  }
  destroy_case(c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_bodies),        cmocka_unit_test(test_joints),  cmocka_unit_test(test_massless),
    cmocka_unit_test(test_singular_pose), cmocka_unit_test(test_numbers), cmocka_unit_test(test_poses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
