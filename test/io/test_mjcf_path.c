// Overrides by path, the list of what can be overridden, and the report of what is not honoured.
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

static const char scene[] =
  "<mujoco model='m'>\n"                                                                   // 1
  "<compiler angle='radian'/>\n"
  "<default><geom friction='.5' rgba='1 0 0 1'/><default class='wheel'>\n"
  "<geom size='.2' solref='.01 1'/><joint damping='2'/></default></default>\n"
  "<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset>\n"                     // 5
  "<worldbody>\n"
  "<geom name='floor' type='plane' size='1 1 1' friction='.9' solref='-1000 -1'/>\n"
  "<geom size='.1' pos='0 0 1'/>\n"
  "<body name='arm.left' pos='1 0 0' gravcomp='0'>\n"
  "<inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/>\n"                                 // 10
  "<body name='hand'/>\n"
  "<joint name='elbow' damping='1' margin='.1'/><joint axis='1 0 0'/>\n"
  "<geom name='two words' class='wheel' shellinertia='true' solref='1 1' material='x'/>\n"
  "<site name='s'/><camera/><light/><light/>\n"
  "</body></worldbody>\n"                                                                  // 15
  "<tendon><spatial name='t'/><spatial name='u'/></tendon>\n"
  "<sensor><rangefinder/></sensor>\n"
  "<contact><pair name='p' geom1='floor' geom2='two words' condim='1'/></contact>\n"
  "<equality><joint name='q' joint1='elbow' polycoef='1'/></equality>\n"
  "<actuator><motor joint='elbow' gear='3'/><motor name='m' tendon='t'/><muscle/></actuator>\n"  // 20
  "<keyframe><key name='home' qpos='1 2'/></keyframe>\n"
  "</mujoco>";

static ss_scene* read_with(int n, const ss_override* o, ss_error* error)
{
  return ss_scene_parse(scene, strlen(scene), "test.xml", n, o, error);
}

static ss_scene* read_good(int n, const ss_override* o)
{
  ss_error error = {0};
  char message[900];
  ss_scene* s = read_with(n, o, &error);
  if (!s) fail_msg("%s", ss_error_format(&error, message, sizeof message));
  return s;
}

static void test_overrides(void** state)
{
  (void)state;
  const ss_override o[] = {
    {"geom.floor.friction", "0.4"},          {"option.timestep", "1e-3"},      {"option.flag.limit", "disable"},
    {"default.wheel.geom.size", ".3"},       {"default.main.geom.friction", ".25"}, {"geom.#1.pos", "0 0 7"},
    {"geom.two words.restitution", "0.75"},  {"body.arm.left.pos", "5 6 7"},   {"body.arm.left.inertial.mass", "9"},
    {"joint.elbow.damping", "11"},           {"joint.#1.damping", "12"},       {"compiler.angle", "degree"},
    {"stickslip.scheme", "euler"},           {"actuator.#0.gear", "8"},        {"equality.q.polycoef", "4 5"},
    {"pair.p.friction", ".125"},             {"key.home.qpos", "3 4"},         {"site.s.pos", "1 1 1"},
    {"mesh.m.scale", "2 2 2"}};
  ss_scene* s = read_good(sizeof o/sizeof *o, o);
  assert_true(s->geom[0].friction[0] == 0.4);
  assert_true(s->geom[1].friction[0] == 0.25 && s->geom[1].position[2] == 7);
  assert_true(s->option.timestep == 1e-3);
  assert_true(s->geom[2].size[0] == 0.3 && s->geom[2].restitution == 0.75);
  assert_true(s->tree.body[0].position[0] == 5 && s->tree.body[0].mass == 9);
  assert_true(s->tree.joint[0].damping == 11 && s->tree.joint[1].damping == 12);
  assert_int_equal(s->run.scheme, SS_EULER);
  assert_true(s->actuator[0].gear[0] == 8);
  assert_true(s->equality[0].polycoef[0] == 4 && s->equality[0].polycoef[1] == 5 && s->equality[0].polycoef[2] == 0);
  assert_true(s->pair[0].friction[0] == 0.125);
  assert_true(s->key[0].qpos[0] == 3 && s->site[0].position[1] == 1);
  assert_true(fabs(s->mesh[0].volume - 8.0/6) < 1e-14);
  ss_scene_destroy(s);
}

static void test_broken_overrides(void** state)
{
  (void)state;
  const struct { ss_override o; ss_status status; const char* message; } cases[] = {
    {{"geom.flor.friction", "1"}, SS_ERR_ARGUMENT, "there is no 'geom.flor' in this file; did you mean 'geom.floor'?"},
    {{"gom.floor.friction", "1"}, SS_ERR_ARGUMENT, "did you mean 'geom.floor'?"},
    {{"geom.floor.frction", "1"}, SS_ERR_ARGUMENT, "geom has no attribute 'frction'; did you mean 'friction'?"},
    {{"option.timestp", "1"}, SS_ERR_ARGUMENT, "option has no attribute 'timestp'; did you mean 'timestep'?"},
    {{"friction", "1"}, SS_ERR_ARGUMENT, "a path looks like option.timestep or geom.NAME.friction"},
    {{"", "1"}, SS_ERR_ARGUMENT, "a path looks like"},
    {{".", "1"}, SS_ERR_ARGUMENT, "there is no '' in this file"},
    {{"geom.floor.friction", "x"}, SS_ERR_INPUT,
     "override geom.floor.friction=x: geom: friction has 'x' where a number is expected"},
    {{"geom.floor.friction", "-1"}, SS_ERR_INPUT,
     "override geom.floor.friction=-1: geom: friction is -1; it must not be negative"},
    {{"geom.floor.type", "plain"}, SS_ERR_INPUT, "did you mean 'plane'?"},
    {{"geom.floor.name", "x"}, SS_ERR_ARGUMENT, "'name' cannot be replaced"},
    {{"geom.#9.pos", "0 0 0"}, SS_ERR_ARGUMENT, "there is no 'geom.#9'"},
    {{"joint.elbo.damping", "0"}, SS_ERR_ARGUMENT, "did you mean 'joint.elbow'?"},
    {{"default.weel.geom.size", "1"}, SS_ERR_ARGUMENT, "did you mean 'default.wheel.geom'?"},
    {{"body.arm.left.inertial.mas", "1"}, SS_ERR_ARGUMENT, "inertial has no attribute 'mas'; did you mean 'mass'?"},
    {{"stickslip.scheme", "mreau"}, SS_ERR_INPUT, "override stickslip.scheme=mreau: stickslip: scheme is 'mreau'"},
    {{"compiler.angle.x", "1"}, SS_ERR_ARGUMENT, "there is no 'compiler.angle'"}};
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++) {
    ss_error error = {0};
    ss_scene* s = read_with(1, &cases[i].o, &error);
    if (s) fail_msg("%s=%s was accepted", cases[i].o.path, cases[i].o.value);
    assert_int_equal(error.status, cases[i].status);
    if (!strstr(error.text, cases[i].message)) fail_msg("'%s', not '%s'", error.text, cases[i].message);
  }
}

static int same_parameters(const ss_scene* a, const ss_scene* b)
{
  if (a->n_parameter != b->n_parameter) return 0;
  for (int i = 0; i < a->n_parameter; i++)
    if (strcmp(a->parameter[i].path, b->parameter[i].path) != 0 ||
        strcmp(a->parameter[i].value, b->parameter[i].value) != 0 || a->parameter[i].line != b->parameter[i].line)
      return 0;
  return 1;
}

// Every path of the list leads to its own value: set to itself nothing changes, set to nonsense it is an error
static void test_round_trip(void** state)
{
  (void)state;
  ss_scene* s = read_good(0, NULL);
  assert_true(s->n_parameter > 30);
  ss_override* all = malloc((size_t)s->n_parameter*sizeof *all);
  for (int i = 0; i < s->n_parameter; i++) {
    all[i] = (ss_override){s->parameter[i].path, s->parameter[i].value};
    ss_scene* one = read_good(1, all + i);
    assert_true(same_parameters(s, one));
    ss_scene_destroy(one);
    for (int k = 0; k < i; k++) assert_string_not_equal(all[i].path, all[k].path);
  }
  ss_scene* again = read_good(s->n_parameter, all);
  assert_true(same_parameters(s, again));
  assert_memory_equal(s->tree.joint->axis, again->tree.joint->axis, 3*sizeof(double));
  for (int b = 0; b < s->tree.n_body; b++) {
    assert_string_equal(s->tree.body[b].name, again->tree.body[b].name);
    assert_memory_equal(s->tree.body[b].inertia, again->tree.body[b].inertia, 6*sizeof(double));
  }
  for (int g = 0; g < s->n_geom; g++) {
    assert_string_equal(s->geom[g].name, again->geom[g].name);
    assert_memory_equal(s->geom[g].position, again->geom[g].position, 3*sizeof(double));
  }
  free(all);
  ss_scene_destroy(again);
  ss_scene_destroy(s);
}

static const ss_scene_notice* find_notice(const ss_scene* s, const char* element, const char* attribute,
                                          ss_scene_fate fate)
{
  for (int i = 0; i < s->n_notice; i++)
    if (strcmp(s->notice[i].element, element) == 0 && strcmp(s->notice[i].attribute, attribute) == 0 &&
        s->notice[i].fate == fate)
      return s->notice + i;
  fail_msg("nothing is said of %s %s", element, attribute);
  return NULL;
}

static void test_notices(void** state)
{
  (void)state;
  const struct { const char *element, *attribute; ss_scene_fate fate; int line, count; } cases[] = {
    {"joint", "margin", SS_SCENE_APPROXIMATED, 12, 1}, {"geom", "shellinertia", SS_SCENE_APPROXIMATED, 13, 1},
    {"geom", "solref", SS_SCENE_IGNORED, 7, 1},        {"spatial", "", SS_SCENE_IGNORED, 16, 2},
    {"actuator", "tendon", SS_SCENE_IGNORED, 20, 1},   {"muscle", "", SS_SCENE_IGNORED, 20, 1},
    {"geom", "rgba", SS_SCENE_UNUSED, 3, 1},           {"geom", "solref", SS_SCENE_UNUSED, 4, 2},
    {"geom", "material", SS_SCENE_UNUSED, 13, 1},      {"camera", "", SS_SCENE_UNUSED, 14, 1},
    {"light", "", SS_SCENE_UNUSED, 14, 2},             {"rangefinder", "", SS_SCENE_UNUSED, 17, 1}};
  ss_scene* s = read_good(0, NULL);
  int n = (int)(sizeof cases/sizeof *cases);
  for (int i = 0; i < n; i++) {
    const ss_scene_notice* x = find_notice(s, cases[i].element, cases[i].attribute, cases[i].fate);
    assert_int_equal(x->line, cases[i].line);
    assert_int_equal(x->count, cases[i].count);
    assert_true(*x->why != 0);
  }
  assert_int_equal(s->n_notice, n);  // gravcomp is 0 and makes no difference
  for (int i = 1; i < n; i++) assert_true(s->notice[i - 1].fate <= s->notice[i].fate);
  assert_string_equal(ss_scene_fate_name(SS_SCENE_IGNORED), "ignored");
  assert_string_equal(ss_scene_shape_name(SS_SCENE_CAPSULE), "capsule");
  assert_null(ss_scene_shape_name(SS_SCENE_SHAPES));
  ss_scene_destroy(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_overrides), cmocka_unit_test(test_broken_overrides),
                                     cmocka_unit_test(test_round_trip), cmocka_unit_test(test_notices)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
