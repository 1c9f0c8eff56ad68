// Scenes of several files: included parts and attached models, places in them; fixed tendons.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <stickslip/stickslip.h>

#include "folder.h"

static void near_to(const char* what, double x, double expected)
{
  if (!(fabs(x - expected) <= 1e-13*fmax(1, fabs(expected)))) fail_msg("%s is %.17g, not %.17g", what, x, expected);
}

static ss_scene* load(const folder* f, const char* name)
{
  ss_error error = {0};
  char message[900];
  ss_scene* s = ss_scene_load(in_folder(f, name), 0, NULL, &error);
  if (!s) fail_msg("%s", ss_error_format(&error, message, sizeof message));
  return s;
}

static void expect_error(const folder* f, const char* name, const char* file, int line, const char* message)
{
  ss_error error = {0};
  if (ss_scene_load(in_folder(f, name), 0, NULL, &error)) fail_msg("accepted: %s", name);
  if (!strstr(error.text, message)) fail_msg("says: %s", error.text);
  if (error.line != line || !strstr(error.file, file)) fail_msg("at %s:%d: %s", error.file, error.line, error.text);
}

static int body_of(const ss_scene* s, const char* name)
{
  for (int b = 0; b < s->tree.n_body; b++)
    if (strcmp(s->tree.body[b].name, name) == 0) return b;
  fail_msg("no body '%s'", name);
  return -1;
}

// ---- include ----

#define BALL "<geom size='0.1'/>"

static void test_include(void** state)
{
  (void)state;
  folder f = open_folder();
  make_folder(&f, "parts");
  write_text(&f, "main.xml", "<mujoco model='m'>\n<include file='parts/settings.xml'/>\n<worldbody>\n"
             "<include file='parts/arm.xml'/>\n<body name='last'>" BALL "</body>\n</worldbody>\n</mujoco>");
  write_text(&f, "parts/settings.xml", "<mujocoinclude>\n<option timestep='0.01'/>\n<default>\n"
             "<joint damping='3' margin='1'/>\n</default>\n</mujocoinclude>");
  write_text(&f, "parts/arm.xml", "<mujoco model='not this'>\n\n<body name='arm'>\n<joint name='j'/>" BALL "\n"
             "<include file='hand.xml'/><include file='empty.xml'/></body>\n</mujoco>");
  write_text(&f, "parts/hand.xml", "<x><body name='hand'>" BALL "</body></x>");  // beside arm.xml
  write_text(&f, "parts/empty.xml", "<x/>");
  ss_scene* s = load(&f, "main.xml");
  const char* file;
  int line;
  assert_string_equal(s->name, "m");
  assert_int_equal(s->tree.n_body, 3);
  assert_int_equal(s->tree.body[body_of(s, "hand")].parent, body_of(s, "arm"));
  assert_int_equal(body_of(s, "last"), 2);
  near_to("timestep", s->option.timestep, 0.01);
  near_to("damping", s->tree.joint[0].damping, 3);
  assert_int_equal(s->n_source, 5);
  ss_scene_place(s, s->joint_line[0], &file, &line);
  assert_true(strstr(file, "parts/arm.xml") && line == 4);
  ss_scene_place(s, s->body_line[2], &file, &line);
  assert_true(strstr(file, "main.xml") && line == 5);
  assert_int_equal(s->n_notice, 1);
  ss_scene_place(s, s->notice[0].line, &file, &line);
  assert_true(strstr(file, "settings.xml") && line == 4);
  ss_scene_destroy(s);

  // what is wrong in a part is told where it stands
  write_text(&f, "parts/hand.xml", "<x>\n<body name='hand'><goem/></body></x>");
  expect_error(&f, "main.xml", "parts/hand.xml", 2, "unknown element <goem>");
  write_text(&f, "parts/hand.xml", "<x>\n<body name='hand'>" BALL "</bdy></x>");
  expect_error(&f, "main.xml", "parts/hand.xml", 2, "not valid XML");
  write_text(&f, "parts/hand.xml", "<x>\n<body name='arm'>" BALL "</body></x>");
  expect_error(&f, "main.xml", "parts/hand.xml", 2, "the name 'arm' of a body stands twice");
  write_text(&f, "parts/hand.xml", "<x>\n\n<geom size='0'/></x>");
  expect_error(&f, "main.xml", "parts/hand.xml", 3, "size is 0; it must be positive");
  write_text(&f, "parts/hand.xml", "<robot name='r'/>");
  expect_error(&f, "main.xml", "parts/arm.xml", 5, "is a URDF file");
  close_folder(&f);
}

static void test_include_errors(void** state)
{
  (void)state;
  folder f = open_folder();
  write_text(&f, "main.xml", "<mujoco>\n<worldbody><include file='a.xml'/></worldbody></mujoco>");
  expect_error(&f, "main.xml", "main.xml", 2, "include: cannot open");
  write_text(&f, "a.xml", "<x>\n<body>" BALL "\n<include file='main.xml'/></body></x>");
  expect_error(&f, "main.xml", "a.xml", 3, "includes itself");
  write_text(&f, "a.xml", "<x><include file='./a.xml'/></x>");
  expect_error(&f, "main.xml", "a.xml", 1, "includes itself");
  write_text(&f, "main.xml", "<mujoco>\n<worldbody>" "<include file='..'/></worldbody></mujoco>");
  expect_error(&f, "main.xml", "main.xml", 2, "is a directory");
  // 2^10 and more parts
  write_text(&f, "main.xml", "<mujoco><worldbody><include file='p0'/></worldbody></mujoco>");
  for (int i = 0; i < 12; i++) {
    char name[8], text[100];
    snprintf(name, sizeof name, "p%d", i);
    snprintf(text, sizeof text, "<x><include file='p%d'/><include file='p%d'/></x>", i + 1, i + 1);
    write_text(&f, name, text);
  }
  write_text(&f, "p12", "<x/>");
  expect_error(&f, "main.xml", "p", 1, "more than 1000 files in one scene");
  close_folder(&f);
}

// ---- attach ----

// Degrees, defaults and names of the guest stay its own
static void test_attach(void** state)
{
  (void)state;
  folder f = open_folder();
  make_folder(&f, "arm");
  write_text(&f, "main.xml",
             "<mujoco><compiler angle='radian'/><default><joint damping='7'/><geom density='1'/></default>\n"
             "<asset><model name='arm' file='arm/arm.xml'/></asset>\n"
             "<worldbody><body name='own'><joint/>" BALL "</body>\n"
             "<frame pos='1 0 0'><attach model='arm' body='upper' prefix='left_'/></frame>\n"
             "<frame pos='2 0 0'><attach model='arm' body='upper' prefix='right_'/></frame></worldbody></mujoco>");
  write_text(&f, "arm/arm.xml",
             "<mujoco><compiler angle='degree'/><default><geom density='2000'/><default class='thick'>"
             "<geom size='0.2'/></default></default>\n<asset><mesh file='cube.obj'/></asset>\n"
             "<worldbody><body name='other'><joint name='k'/>" BALL "</body>\n"
             "<body name='upper' pos='0 0 1'><joint name='j' range='-90 90'/><geom class='thick'/>\n"
             "<body name='lower'><joint name='l'/><geom type='mesh' mesh='cube'/></body></body></worldbody>\n"
             "<contact><exclude body1='upper' body2='lower'/><exclude body1='upper' body2='other'/></contact>\n"
             "<equality><joint joint1='l' joint2='j'/></equality>\n"
             "<tendon><fixed name='t'><joint joint='j' coef='1'/><joint joint='l' coef='2'/></fixed></tendon>\n"
             "<actuator><motor name='m' joint='j'/><motor joint='k'/><motor tendon='t'/></actuator>\n"
             "<keyframe><key/></keyframe></mujoco>");
  write_text(&f, "arm/cube.obj", "v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\nv 1 1 1\nv -1 1 1\n"
             "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n");
  ss_scene* s = load(&f, "main.xml");
  assert_int_equal(s->tree.n_body, 5);
  const ss_body_def* left = s->tree.body + body_of(s, "left_upper");
  near_to("x", left->position[0], 1);
  near_to("z", left->position[2], 1);
  near_to("right", s->tree.body[body_of(s, "right_upper")].position[0], 2);
  near_to("range", s->tree.joint[1].range[1], 2*atan(1));
  near_to("damping", s->tree.joint[1].damping, 0);  // not that of the host
  near_to("damping of the host", s->tree.joint[0].damping, 7);
  near_to("mass", left->mass, 2000*4.0/3*4*atan(1)*8e-3);
  near_to("mass of the host", s->tree.body[0].mass, 4.0/3*4*atan(1)*1e-3);
  near_to("mass of the mesh", s->tree.body[body_of(s, "left_lower")].mass, 16000);
  assert_string_equal(s->mesh[1].name, "right_cube");
  assert_int_equal(s->n_exclude, 2);  // what names parts that are not attached stays behind
  assert_int_equal(s->n_equality, 2);
  assert_int_equal(s->n_tendon, 2);
  assert_int_equal(s->n_actuator, 4);
  assert_string_equal(s->actuator[0].name, "left_m");
  assert_string_equal(s->tree.joint[s->actuator[2].joint].name, "right_j");
  assert_string_equal(s->tendon[s->actuator[1].tendon].name, "left_t");
  ss_scene_destroy(s);

  write_text(&f, "main.xml", "<mujoco><asset><model file='arm/arm.xml'/></asset><worldbody>\n"
             "<attach model='arm' body='uper' prefix='a'/></worldbody></mujoco>");
  expect_error(&f, "main.xml", "main.xml", 2, "attach: the model has no body 'uper'");
  write_text(&f, "main.xml", "<mujoco><asset>\n<model name='arm' file='leg.xml'/></asset><worldbody>\n"
             "<attach model='arm' prefix='a'/></worldbody></mujoco>");
  expect_error(&f, "main.xml", "main.xml", 2, "model: cannot open");
  close_folder(&f);
}

// A guest that has a guest: both prefixes
static void test_attach_twice(void** state)
{
  (void)state;
  folder f = open_folder();
  write_text(&f, "a.xml", "<mujoco><asset><model name='b' file='b.xml'/></asset><worldbody>"
             "<attach model='b' prefix='b_'/></worldbody></mujoco>");
  write_text(&f, "b.xml", "<mujoco><asset><model name='c' file='c.xml'/></asset><worldbody><body name='x'>"
             "<joint name='j'/>" BALL "<attach model='c' body='y' prefix='c_'/></body></worldbody></mujoco>");
  write_text(&f, "c.xml", "<mujoco><default><joint damping='5'/></default><worldbody><body name='y'>"
             "<joint name='j'/>" BALL "</body></worldbody><actuator><motor name='m' joint='j'/></actuator></mujoco>");
  ss_scene* s = load(&f, "a.xml");
  assert_int_equal(s->tree.n_body, 2);
  assert_string_equal(s->tree.body[1].name, "b_c_y");
  assert_string_equal(s->tree.joint[1].name, "b_c_j");
  near_to("damping", s->tree.joint[0].damping, 0);
  near_to("damping", s->tree.joint[1].damping, 5);
  assert_int_equal(s->n_actuator, 1);
  assert_string_equal(s->actuator[0].name, "b_c_m");
  assert_int_equal(s->actuator[0].joint, 1);
  ss_scene_destroy(s);
  write_text(&f, "c.xml", "<mujoco><asset><model name='b' file='b.xml'/></asset><worldbody><body name='y'>"
             "<attach model='b' prefix='b_'/></body></worldbody></mujoco>");
  expect_error(&f, "a.xml", "", 1, "models are nested more than 8 deep");
  close_folder(&f);
}

// ---- tendons ----

static ss_scene* with_tendons(const char* more)
{
  char text[2000];
  ss_error error = {0};
  snprintf(text, sizeof text,
           "<mujoco><worldbody><body><joint name='a'/>" BALL "<body pos='1 0 0'><joint name='b'/>" BALL "</body></body>"
           "</worldbody>%s<tendon><fixed name='s'><joint joint='a' coef='2'/><joint joint='b' coef='-3'/>"
           "</fixed><fixed name='t'><joint joint='a' coef='2'/></fixed>"
           "<fixed name='u'><joint joint='b' coef='4'/></fixed>"
           "<spatial name='v'/></tendon></mujoco>", more);
  ss_scene* s = ss_scene_parse(text, strlen(text), "t.xml", 0, NULL, &error);
  if (!s) fail_msg("%s", error.text);
  return s;
}

static void test_tendons(void** state)
{
  (void)state;
  ss_scene* s = with_tendons("<equality><tendon tendon1='s' polycoef='1'/><tendon tendon1='t' tendon2='u' "
                             "polycoef='1 2 3'/><tendon tendon1='s' tendon2='u'/></equality>");
  assert_int_equal(s->n_tendon, 3);
  assert_int_equal(s->n_equality, 3);
  const ss_scene_equality* e = s->equality;
  // 2 a - 3 b = 1:  a = 1/2 + 3/2 b
  assert_true(e[0].kind == SS_SCENE_JOINT && e[0].joint_a == 0 && e[0].joint_b == 1);
  near_to("constant", e[0].polycoef[0], 0.5);
  near_to("factor", e[0].polycoef[1], 1.5);
  // 2 a = 1 + 2 (4 b) + 3 (4 b)^2:  a = 1/2 + 4 b + 24 b^2
  near_to("constant", e[1].polycoef[0], 0.5);
  near_to("factor", e[1].polycoef[1], 4);
  near_to("square", e[1].polycoef[2], 24);
  assert_false(e[2].active);
  ss_scene_destroy(s);
}

// A motor on a tendon: generalised forces coefficient * gear * force
static void test_drive(void** state)
{
  (void)state;
  ss_scene* s = with_tendons("<option gravity='0 0 0'/><actuator><general tendon='s' gear='10' biastype='affine' "
                             "biasprm='0.7 0.1 0.01'/><motor tendon='v'/></actuator>");
  ss_error error;
  assert_int_equal(s->n_actuator, 1);
  assert_true(s->actuator[0].joint == -1 && s->actuator[0].tendon == 0);
  ss_machine* m = ss_machine_create(s, &error);
  assert_non_null(m);
  const ss_system* system = ss_machine_system(m);
  ss_work* w = ss_work_create(system, &error);
  ss_tree_work* tree = ss_tree_work_create(ss_machine_tree(m), &error);
  ss_state* now = ss_state_create(system);
  assert_true(w && tree && now);
  double q[2] = {0.3, 0.2}, u[2] = {0.5, -0.1}, du[2];
  double length = 10*(2*q[0] - 3*q[1]), velocity = 10*(2*u[0] - 3*u[1]);
  double force = 0.7 + 0.1*length + 0.01*velocity, tau[2] = {10*2*force, 10*-3*force};
  ss_tree_set_position(tree, q);
  ss_tree_set_velocity(tree, u);
  assert_int_equal(ss_tree_forward(tree, tau, du), SS_OK);
  // a step of the machine, whose error is of the order dt
  memcpy(now->q, q, sizeof q);
  memcpy(now->u, u, sizeof u);
  ss_step_def def = ss_step_def_default();
  def.integrator = SS_EULER;
  def.dt = 1e-7;
  assert_true(ss_step(system, &def, now, w) >= 0);
  for (int i = 0; i < 2; i++) {
    double a = (now->u[i] - u[i])/def.dt;
    if (!(fabs(a - du[i]) < 1e-4*(1 + fabs(du[i])))) fail_msg("u'[%d] is %g, not %g", i, a, du[i]);
  }
  ss_state_destroy(now);
  ss_tree_work_destroy(tree);
  ss_work_destroy(w);
  ss_machine_destroy(m);
  ss_scene_destroy(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_include), cmocka_unit_test(test_include_errors), cmocka_unit_test(test_attach),
    cmocka_unit_test(test_attach_twice), cmocka_unit_test(test_tendons), cmocka_unit_test(test_drive),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
