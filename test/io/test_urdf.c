// Robots in URDF against numbers worked out by hand: poses, inertias, joints of all types, meshes in packages,
// settings.
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

#define PI 3.14159265358979323846
#define H 0.70710678118654752440  // sin and cos of 45 degrees

static void near_to(const char* what, double x, double expected)
{
  if (!(fabs(x - expected) <= 1e-13*fmax(1, fabs(expected)))) fail_msg("%s is %.17g, not %.17g", what, x, expected);
}

static void all_near(const char* what, int n, const double* x, const double* expected)
{
  for (int i = 0; i < n; i++) near_to(what, x[i], expected[i]);
}

static ss_scene* parse_with(const char* text, const char* path, const char* value)
{
  ss_error error = {0};
  char message[900];
  ss_override o = {path, value};
  ss_scene* s = ss_scene_parse(text, strlen(text), "robot.urdf", path ? 1 : 0, &o, &error);
  if (!s) fail_msg("%s", ss_error_format(&error, message, sizeof message));
  return s;
}

static ss_scene* parse(const char* text) { return parse_with(text, NULL, NULL); }

static const ss_scene_notice* notice_of(const ss_scene* s, const char* part)
{
  for (int i = 0; i < s->n_notice; i++)
    if (strstr(s->notice[i].why, part)) return s->notice + i;
  return NULL;
}

#define INERTIAL "<inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
#define LINK(name) "<link name='" name "'>" INERTIAL "</link>"
#define JOINT(name, type, parent, child, more) \
  "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child "'/>" more "</joint>"

// Joints may stand before links, in any order; bodies come depth first in the order of the joints
static void test_tree(void** state)
{
  (void)state;
  ss_scene* s = parse("<robot name='tree'>" JOINT("j3", "continuous", "b", "d", "") JOINT("j2", "fixed", "a", "c", "")
                      JOINT("j1", "continuous", "a", "b", "") LINK("d") LINK("c") LINK("b") LINK("a") "</robot>");
  static const char* const names[] = {"a", "c", "b", "d"};
  static const int parents[] = {SS_WORLD, 0, 0, 2};
  assert_string_equal(s->name, "tree");
  assert_int_equal(s->tree.n_body, 4);
  assert_int_equal(s->tree.n_joint, 2);
  for (int b = 0; b < 4; b++) {
    assert_string_equal(s->tree.body[b].name, names[b]);
    assert_int_equal(s->tree.body[b].parent, parents[b]);
  }
  assert_string_equal(s->tree.joint[0].name, "j1");
  assert_int_equal(s->tree.joint[1].body, 3);
  ss_scene_destroy(s);
}

// rpy = (90, 0, 90) degrees: first about x, then about the z that stays: x -> y, y -> z, z -> x
static void test_poses(void** state)
{
  (void)state;
  const char text[] =
    "<robot name='r'>" LINK("a")
    "<link name='b'><inertial><origin xyz='1 2 3' rpy='1.5707963267948966 0 1.5707963267948966'/><mass value='2'/>"
    "<inertia ixx='2' ixy='0.1' ixz='0.2' iyy='3' iyz='0.3' izz='4'/></inertial></link>"
    JOINT("j", "prismatic", "a", "b", "<origin xyz='0.1 0.2 0.3' rpy='1.5707963267948966 0 1.5707963267948966'/>"
          "<axis xyz='0 3 4'/><limit lower='-1' upper='2' effort='5' velocity='6'/>"
          "<dynamics damping='0.5' friction='0.25'/>") "</robot>";
  ss_scene* s = parse(text);
  const ss_body_def* b = s->tree.body + 1;
  const ss_joint_def* j = s->tree.joint;
  all_near("position", 3, b->position, (double[]){0.1, 0.2, 0.3});
  all_near("rotation", 4, b->rotation, (double[]){0.5, 0.5, 0.5, 0.5});
  all_near("com", 3, b->com, (double[]){1, 2, 3});
  // axes of the inertia in the body: its x is y, y is z, z is x
  all_near("inertia", 6, b->inertia, (double[]){4, 2, 3, 0.2, 0.3, 0.1});
  near_to("mass", b->mass, 2);
  assert_int_equal(j->kind, SS_JOINT_SLIDE);
  all_near("axis", 3, j->axis, (double[]){0, 0.6, 0.8});
  assert_true(j->limited && j->range[0] == -1 && j->range[1] == 2);
  assert_true(j->damping == 0.5 && j->friction == 0.25);
  assert_int_equal(notice_of(s, "has no drives whose forces")->fate, SS_SCENE_UNUSED);
  assert_int_equal(notice_of(s, "velocities are not limited")->fate, SS_SCENE_IGNORED);
  ss_scene_destroy(s);
}

static void test_joints(void** state)
{
  (void)state;
  ss_scene* s = parse("<robot name='r'>" LINK("a") LINK("b") LINK("c") LINK("d") LINK("e")
                      JOINT("p", "planar", "a", "b", "<axis xyz='0 0 2'/><dynamics damping='3'/>")
                      JOINT("f", "floating", "b", "c", "") JOINT("w", "revolute", "c", "d", "<limit/>")
                      JOINT("v", "revolute", "d", "e", "<axis xyz='0 1 0'/><limit lower='0.5' upper='1'/>") "</robot>");
  static const char* const names[] = {"p_x", "p_y", "p_angle", "f_x", "f_y", "f_z", "f_ball", "w", "v"};
  static const ss_joint_kind kinds[] = {SS_JOINT_SLIDE, SS_JOINT_SLIDE, SS_JOINT_HINGE, SS_JOINT_SLIDE, SS_JOINT_SLIDE,
                                        SS_JOINT_SLIDE, SS_JOINT_BALL, SS_JOINT_HINGE, SS_JOINT_HINGE};
  assert_int_equal(s->tree.n_joint, 9);
  for (int j = 0; j < 9; j++) {
    assert_string_equal(s->tree.joint[j].name, names[j]);
    assert_int_equal(s->tree.joint[j].kind, kinds[j]);
  }
  all_near("x", 3, s->tree.joint[0].axis, (double[]){1, 0, 0});
  all_near("y", 3, s->tree.joint[1].axis, (double[]){0, 1, 0});
  all_near("turn", 3, s->tree.joint[2].axis, (double[]){0, 0, 1});
  near_to("damping", s->tree.joint[1].damping, 3);
  all_near("axis", 3, s->tree.joint[7].axis, (double[]){1, 0, 0});
  assert_false(s->tree.joint[7].limited);
  assert_non_null(notice_of(s, "lower and upper are 0"));
  double q[12];
  ss_scene_initial(s, -1, q, NULL);
  all_near("start", 12, q, (double[]){0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0.5});
  assert_non_null(notice_of(s, "the start is its nearest end"));
  ss_scene_destroy(s);
}

// y = 2 x + 0.1, z = -y: tied, and so at the start
static void test_mimic(void** state)
{
  (void)state;
  ss_scene* s = parse("<robot name='r'>" LINK("a") LINK("b") LINK("c") LINK("d")
                      JOINT("z", "continuous", "a", "b", "<mimic joint='y' multiplier='-1'/>")
                      JOINT("y", "continuous", "a", "c", "<mimic joint='x' multiplier='2' offset='0.1'/>")
                      JOINT("x", "revolute", "a", "d", "<limit lower='0.3' upper='1'/>") "</robot>");
  assert_int_equal(s->n_equality, 2);
  const ss_scene_equality* e = s->equality + 1;
  assert_true(e->kind == SS_SCENE_JOINT && e->active && e->joint_a == 1 && e->joint_b == 2);
  all_near("polynomial", 5, e->polycoef, (double[]){0.1, 2, 0, 0, 0});
  double q[3];
  ss_scene_initial(s, -1, q, NULL);
  all_near("start", 3, q, (double[]){-0.7, 0.7, 0.3});
  ss_scene_destroy(s);
}

#define SHAPE(x) "<collision><geometry>" x "</geometry></collision>"

static void test_shapes(void** state)
{
  (void)state;
  ss_scene* s = parse(
    "<robot name='r'><stickslip friction='0.3' restitution='0.2' floor='-1' floating='true' position='0 0 2'/>"
    "<link name='a'><collision name='c'><origin xyz='1 0 0' rpy='0 0 1.5707963267948966'/>"
    "<geometry><box size='0.2 0.4 0.6'/></geometry></collision>"
    SHAPE("<cylinder radius='0.1' length='0.4'/>") SHAPE("<sphere radius='0.1'/>")
    SHAPE("<capsule radius='0.1' length='0.4'/>") "</link>"
    "<link name='b'><contact><lateral_friction value='0.7'/><restitution value='0.5'/></contact>" INERTIAL
    SHAPE("<sphere radius='0.1'/>") "<visual><geometry><mesh filename='no.dae'/></geometry></visual></link>"
    JOINT("j", "continuous", "a", "b", "") "</robot>");
  assert_int_equal(s->n_geom, 6);
  const ss_scene_geom* g = s->geom;
  assert_true(g[0].shape == SS_SCENE_PLANE && g[0].body == SS_WORLD && g[0].position[2] == -1);
  assert_string_equal(g[0].name, "floor");
  assert_string_equal(g[1].name, "c");
  all_near("half edges", 3, g[1].size, (double[]){0.1, 0.2, 0.3});
  all_near("turn", 4, g[1].rotation, (double[]){H, 0, 0, H});
  assert_true(g[2].shape == SS_SCENE_CYLINDER && g[3].shape == SS_SCENE_SPHERE && g[4].shape == SS_SCENE_CAPSULE);
  all_near("cylinder", 2, g[2].size, (double[]){0.1, 0.2});
  near_to("friction", g[1].friction[0], 0.3);
  near_to("restitution", g[1].restitution, 0.2);
  near_to("friction of a link", g[5].friction[0], 0.7);
  near_to("restitution of a link", g[5].restitution, 0.5);
  // no inertial: 1000 kg/m^3
  near_to("mass", s->tree.body[0].mass, 1000*(0.048 + PI*0.01*0.4 + 4.0/3*PI*1e-3 + PI*0.01*0.4 + 4.0/3*PI*1e-3));
  assert_non_null(notice_of(s, "with 1000 kg/m^3"));
  assert_true(s->mass_from[0].n_density == 4 && !s->mass_from[0].inertial);
  assert_int_equal(s->tree.joint[0].kind, SS_JOINT_FREE);
  double q[8];
  ss_scene_initial(s, -1, q, NULL);
  all_near("start", 8, q, (double[]){0, 0, 2, 1, 0, 0, 0, 0});
  ss_scene_destroy(s);
}

// The root stays, unless it is set free; one called "world" is the world; next to a root that stays nothing touches it
static void test_root(void** state)
{
  (void)state;
  const char text[] = "<robot name='r'>" LINK("a") LINK("b") JOINT("j", "continuous", "a", "b", "") "</robot>";
  ss_scene* s = parse(text);
  assert_int_equal(s->nq, 1);
  assert_int_equal(s->n_exclude, 1);
  ss_scene_destroy(s);
  s = parse_with(text, "stickslip.floating", "true");
  assert_int_equal(s->nq, 8);
  assert_int_equal(s->n_exclude, 0);
  ss_scene_destroy(s);
  s = parse("<robot name='r'><link name='world'/>" LINK("b") JOINT("j", "floating", "world", "b", "") "</robot>");
  assert_int_equal(s->tree.n_body, 1);
  assert_int_equal(s->tree.joint[0].kind, SS_JOINT_FREE);
  assert_string_equal(s->tree.joint[0].name, "j");
  ss_scene_destroy(s);
}

static const char cube[] = "v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\nv 1 1 1\nv -1 1 1\n"
                           "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

// Meshes beside the file, in packages above it, and twice with the same scale: one mesh
static void test_meshes(void** state)
{
  (void)state;
  folder f = open_folder();
  ss_error error = {0};
  char message[900];
  make_folder(&f, "arm");
  make_folder(&f, "arm/urdf");
  make_folder(&f, "arm/meshes");
  write_text(&f, "arm/meshes/cube.obj", cube);
  write_text(&f, "arm/urdf/near.obj", cube);
  write_text(&f, "arm/urdf/arm.urdf",
             "<robot name='arm'><link name='a'>" SHAPE("<mesh filename='near.obj' scale='0.1 0.1 0.1'/>")
             SHAPE("<mesh filename='package://arm/meshes/cube.obj'/>") SHAPE("<mesh filename='../meshes/cube.obj'/>")
             SHAPE("<mesh filename='meshes/cube.obj' scale='2 2 2'/>") SHAPE("<mesh filename='no.DAE'/>")
             SHAPE("<mesh filename='package://arm/meshes/cube.obj'/>") "</link></robot>");
  ss_scene* s = ss_scene_load(in_folder(&f, "arm/urdf/arm.urdf"), 0, NULL, &error);
  if (!s) fail_msg("%s", ss_error_format(&error, message, sizeof message));
  assert_int_equal(s->n_geom, 5);
  assert_int_equal(s->n_mesh, 4);
  assert_int_equal(s->geom[4].mesh, s->geom[1].mesh);
  static const double volumes[] = {8e-3, 8, 8, 64};
  for (int i = 0; i < 4; i++) near_to("volume", s->mesh[i].volume, volumes[i]);
  assert_int_equal(notice_of(s, "Collada")->fate, SS_SCENE_IGNORED);
  ss_scene_destroy(s);
  write_text(&f, "arm/urdf/arm.urdf",
             "<robot name='arm'><link name='a'>\n" SHAPE("\n<mesh filename='package://leg/meshes/cube.stl'/>")
             "</link></robot>");
  assert_null(ss_scene_load(in_folder(&f, "arm/urdf/arm.urdf"), 0, NULL, &error));
  assert_true(error.status == SS_ERR_FILE && error.line == 3 && strstr(error.text, "cannot open"));
  close_folder(&f);
}

static void test_overrides(void** state)
{
  (void)state;
  const char text[] = "<robot name='r'>\n" LINK("a") "<link name='b'>" INERTIAL SHAPE("<sphere radius='0.1'/>")
                      "</link>" JOINT("j", "revolute", "a", "b", "<limit lower='-1' upper='1'/>") "</robot>";
  const struct { const char *path, *value; } set[] = {
    {"link.b.inertial.mass.value", "5"}, {"joint.j.limit.upper", "3"}, {"collision.#0.geometry.sphere.radius", "0.4"},
    {"stickslip.timestep", "0.01"}, {"stickslip.gravity", "0 0 0"}, {"stickslip.until", "7"}};
  for (int i = 0; i < 6; i++) {
    ss_scene* s = parse_with(text, set[i].path, set[i].value);
    near_to("mass", s->tree.body[1].mass, i == 0 ? 5 : 2);
    near_to("upper", s->tree.joint[0].range[1], i == 1 ? 3 : 1);
    near_to("radius", s->geom[0].size[0], i == 2 ? 0.4 : 0.1);
    near_to("timestep", s->option.timestep, i == 3 ? 0.01 : 0.002);
    near_to("gravity", s->tree.gravity[2], i == 4 ? 0 : -9.81);
    near_to("until", s->run.until, i == 5 ? 7 : 1);
    bool listed = i >= 3;
    for (int k = 0; k < s->n_parameter; k++)
      listed = listed || (strcmp(s->parameter[k].path, set[i].path) == 0 && s->parameter[k].line == 2);
    assert_true(listed);
    ss_scene_destroy(s);
  }
}

static void test_notices(void** state)
{
  (void)state;
  ss_scene* s = parse("<robot name='r' xmlns:x='http://x'>\n<material name='m'/><gazebo/><transmission name='t'/>\n"
                      "<my_own thing='1'/>" LINK("a") "<link name='b' speed='9'>" INERTIAL "<visual/></link>"
                      JOINT("j", "continuous", "a", "b", "<safety_controller k_velocity='1'/>") "</robot>");
  int unused = 0;
  for (int i = 0; i < s->n_notice; i++) unused += s->notice[i].fate == SS_SCENE_UNUSED;
  assert_int_equal(unused, 4);
  const ss_scene_notice* gazebo = notice_of(s, "lateral_friction");
  assert_true(gazebo && gazebo->fate == SS_SCENE_IGNORED && gazebo->line == 2);
  assert_int_equal(s->n_notice, 7);  // and what nobody knows: an element, an attribute
  const ss_scene_notice* n = notice_of(s, "not known");
  assert_true(n && n->fate == SS_SCENE_IGNORED && n->line == 3 && strcmp(n[0].attribute, "speed") == 0);
  assert_true(n[1].fate == SS_SCENE_IGNORED && n[1].line == 3 && strcmp(n[1].element, "my_own") == 0);
  ss_scene_destroy(s);
}

// A pendulum of one link is one: its acceleration is -m g l sin(q)/(I + m l^2)
static void test_motion(void** state)
{
  (void)state;
  ss_error error;
  ss_scene* s = parse("<robot name='p'><link name='base'/><link name='bar'><inertial><origin xyz='0 0 -0.5'/>"
                      "<mass value='3'/><inertia ixx='0.25' iyy='0.25' izz='0.01'/></inertial></link>"
                      JOINT("j", "continuous", "base", "bar", "<axis xyz='0 1 0'/>") "</robot>");
  ss_tree* tree = ss_tree_create(&s->tree, &error);
  ss_tree_work* work = ss_tree_work_create(tree, &error);
  double q = 0.4, u = 0, du;
  ss_tree_set_position(work, &q);
  ss_tree_set_velocity(work, &u);
  assert_int_equal(ss_tree_forward(work, NULL, &du), SS_OK);
  near_to("acceleration", du, -3*9.81*0.5*sin(0.4)/(0.25 + 3*0.25));
  ss_tree_work_destroy(work);
  ss_tree_destroy(tree);
  ss_scene_destroy(s);
}

// ---- what is wrong ----

typedef struct broken {
  const char* text;
  const char* message;
  int line;
} broken;

#define ROBOT(x) "<robot name='r'>" LINK("a") LINK("b") "\n" x "\n</robot>"
#define TIED(x) ROBOT("<joint name='j' type='revolute'><parent link='a'/><child link='b'/>\n" x "</joint>")
#define ALONE(x) "<robot name='r'><link name='a'>\n" x "\n</link></robot>"

static const broken files[] = {
  {"<robot/>", "the robot has no link", 1},
  {"<robot name='r'><lnk name='a'/></robot>", "unknown element <lnk> in <robot>; did you mean <link>?", 1},
  {"<robot name='r'>\n<link/></robot>", "link needs the attribute 'name'", 2},
  {"<robot name='r'>\n<link name=''/></robot>", "link: its name is empty", 2},
  {"<robot name='r'>\n<link nme='a'/></robot>", "link has no attribute 'nme'; did you mean 'name'?", 2},
  {"<robot name='r'><link name='a'/>\n<link name='a'/></robot>", "the name 'a' of a link stands twice", 2},
  {"<robot name='r'><link name='a'/>\n<link name='b'/></robot>", "link 'b' hangs on nothing", 2},
  {ROBOT("<joint name='j'/>"), "joint needs the attribute 'type'", 2},
  {ROBOT("<joint type='fixed'/>"), "joint needs the attribute 'name'", 2},
  {ROBOT("<joint name='j' type='hinge'/>"), "type is 'hinge'; it must be one of: revolute, continuous", 2},
  {ROBOT("<joint name='j' type='revolut'/>"), "did you mean 'revolute'?", 2},
  {ROBOT("<joint name='j' type='fixed'/>"), "joint 'j' needs <parent link=\"...\"/>", 2},
  {ROBOT("<joint name='j' type='fixed'><parent link='a'/></joint>"), "joint 'j' needs <child link=\"...\"/>", 2},
  {ROBOT("<joint name='j' type='fixed'><parent link='a'/>\n<child link='c'/></joint>"), "there is no link 'c'", 3},
  {ROBOT("<joint name='j' type='fixed'><parent/></joint>"), "parent needs the attribute 'link'", 2},
  {ROBOT("<joint name='j' type='fixed'><parent link='a'/>\n<parent link='b'/></joint>"), "<parent> stands twice", 3},
  {ROBOT(JOINT("j", "fixed", "a", "a", "")), "has the link 'a' as parent and as child", 2},
  {ROBOT(JOINT("j", "fixed", "a", "b", "") "\n" JOINT("k", "fixed", "a", "b", "")),
   "link 'b' is the child of two joints, 'j' and 'k'", 3},
  {ROBOT(JOINT("j", "fixed", "a", "b", "") JOINT("k", "fixed", "b", "a", "")), "there is no root", 2},
  {ROBOT(JOINT("j", "fixed", "a", "b", "") "\n" LINK("c") LINK("d") JOINT("k", "fixed", "c", "d", "")
         JOINT("l", "fixed", "d", "c", "")), "link 'c' does not hang on the root 'a'", 3},
  {ROBOT(JOINT("j", "fixed", "a", "b", "") "\n" LINK("c") JOINT("j", "fixed", "b", "c", "")),
   "the name 'j' of a joint stands twice", 3},
  {TIED(""), "joint 'j' needs <limit lower=\"...\" upper=\"...\"/>; without limits it is continuous", 2},
  {TIED("<limit lower='1' upper='-1'/>"), "lower is 1 and upper is -1; lower must be less", 3},
  {TIED("<limit lower='1' upper='1'/>"), "lower and upper are both 1; make the joint fixed", 3},
  {TIED("<limit lower='one' upper='1'/>"), "limit: lower has 'one' where a number is expected", 3},
  {TIED("<limit lowr='0' upper='1'/>"), "limit has no attribute 'lowr'; did you mean 'lower'?", 3},
  {TIED("<axis xyz='0 0 0'/>"), "joint 'j': axis has no direction", 3},
  {TIED("<axis xyz='0 0'/>"), "axis: xyz takes 3 numbers, not 2", 3},
  {TIED("<origin xyz='0 0 ${x}'/>"), "origin: xyz has '${x}' where a number is expected", 3},
  {TIED("<origin rpy='0 0 1e40'/>"), "rpy is not finite, or too great", 3},
  {TIED("<limit lower='0' upper='1'/><dynamics damping='-1'/>"), "damping is -1; it must not be negative", 3},
  {TIED("<limit lower='0' upper='1'/><dynamics friction='-1'/>"), "friction is -1; it must not be negative", 3},
  {TIED("<limit lower='0' upper='1'/><mimic joint='k'/>"), "mimic: there is no joint 'k'", 3},
  {TIED("<limit lower='0' upper='1'/><mimic joint='j'/>"), "joint 'j' mimics itself", 3},
  {TIED("<limit lower='0' upper='1'/><mimic/>"), "mimic needs the attribute 'joint'", 3},
  {ROBOT(JOINT("j", "fixed", "a", "b", "") LINK("c") JOINT("k", "continuous", "b", "c", "\n<mimic joint='j'/>")),
   "mimic: joint 'j' is fixed; only revolute, continuous and prismatic", 3},
  {TIED("<limit lower='0' upper='1'/><limit lower='0' upper='1'/>"), "<limit> stands twice", 3},
  {TIED("<limt lower='0' upper='1'/>"), "unknown element <limt> in <joint>; did you mean <limit>?", 3},
  {ALONE("<inertial><inertia ixx='1' iyy='1' izz='1'/></inertial>"), "inertial needs <mass value=\"...\"/>", 2},
  {ALONE("<inertial><mass value='1'/></inertial>"), "inertial needs <inertia ixx=\"...\" .../>", 2},
  {ALONE("<inertial><mass value='-1'/></inertial>"), "mass is -1; it must not be negative", 2},
  {ALONE("<inertial><mass/></inertial>"), "mass needs the attribute 'value'", 2},
  {ALONE("<inertial><mass value='1'/><inertia ixx='1' iyy='1'/></inertial>"), "inertia needs the attribute 'izz'", 2},
  {ALONE("<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='9'/></inertial>"),
   "the largest is at most the sum of the others", 1},
  {ALONE("<inertial/><inertial/>"), "<inertial> stands twice", 2},
  {ALONE("<collision/>"), "collision needs <geometry> with one of: box, cylinder", 2},
  {ALONE("<collision><geometry/></collision>"), "collision needs <geometry> with one of", 2},
  {ALONE(SHAPE("<box size='1 1 1'/><sphere radius='1'/>")), "geometry has two shapes, <box> and <sphere>", 2},
  {ALONE(SHAPE("<box/>")), "box needs the attribute 'size'", 2},
  {ALONE(SHAPE("<box size='1 1'/>")), "size takes 3 numbers, not 2", 2},
  {ALONE(SHAPE("<box size='1 1 -1'/>")), "box: size is -1; it must be positive", 2},
  {ALONE(SHAPE("<sphere radius='0'/>")), "sphere: radius is 0; it must be positive", 2},
  {ALONE(SHAPE("<cylinder radius='1' length='-2'/>")), "cylinder: length is -2; it must be positive", 2},
  {ALONE(SHAPE("<cylinder radius='1'/>")), "cylinder needs the attribute 'length'", 2},
  {ALONE(SHAPE("<spere radius='1'/>")), "did you mean <sphere>?", 2},
  {ALONE(SHAPE("<mesh/>")), "mesh needs the attribute 'filename'", 2},
  {ALONE(SHAPE("<mesh filename='http://a/b.stl'/>")), "cannot be fetched", 2},
  {ALONE(SHAPE("<mesh filename='a.stl' scale='1 1 0'/>")), "scale has a zero", 2},
  {ALONE(SHAPE("<mesh filename='a.stl' scale='1'/>")), "scale takes 3 numbers, not 1", 2},
  {ALONE(SHAPE("<mesh filename='a.ply'/>")), "such files are not read; meshes are .obj and .stl files", 2},
  {ALONE("<contact><restitution value='2'/></contact>" SHAPE("<sphere radius='1'/>")), "restitution is 2", 2},
  {ALONE("<contact><lateral_friction value='-2'/></contact>" SHAPE("<sphere radius='1'/>")), "must not be negative", 2},
  {ROBOT("<stickslip floating='yes'/>"), "floating is 'yes'; it must be one of: false, true", 2},
  {ROBOT("<stickslip timestep='0'/>"), "timestep is 0; it must be positive", 2},
  {ROBOT("<stickslip friction='-1'/>"), "friction is -1", 2},
  {ROBOT("<stickslip restitution='-1'/>"), "restitution is -1; it must be 0 to 1", 2},
  {ROBOT("<stickslip scheme='fast'/>"), "scheme is 'fast'; it must be one of: moreau", 2},
  {ROBOT("<stickslip/>\n<stickslip/>"), "<stickslip> stands twice", 3},
  {"<robot name='r'><link name='world'/><stickslip\nfloating='true'/></robot>", "the root link is 'world'", 2},
  {"<robot name='r'><link name='world'/></robot>", "the scene has no body; a robot needs at least one link", 1},
};

static void test_broken(void** state)
{
  (void)state;
  for (size_t i = 0; i < sizeof files/sizeof *files; i++) {
    ss_error error = {0};
    const broken* b = files + i;
    if (ss_scene_parse(b->text, strlen(b->text), "r.urdf", 0, NULL, &error)) fail_msg("accepted: %s", b->text);
    if (error.status != SS_ERR_INPUT || !strstr(error.text, b->message)) fail_msg("%s\nsays: %s", b->text, error.text);
    if (error.line != b->line) fail_msg("%s\nline %d: %s", b->text, error.line, error.text);
    assert_string_equal(error.file, "r.urdf");
    assert_null(ss_scene_parse(b->text, strlen(b->text), "r.urdf", 0, NULL, NULL));
  }
}

// A chain as long as the file: no recursion
static void test_long_chain(void** state)
{
  (void)state;
  enum { LINKS = 5000, ROOM = LINKS*220 };
  char* text = malloc(ROOM);
  assert_non_null(text);
  size_t n = (size_t)snprintf(text, ROOM, "<robot name='chain'><link name='l0'/>");
  for (int i = 1; i < LINKS; i++)
    n += (size_t)snprintf(text + n, ROOM - n, "<link name='l%d'/><joint name='j%d' type='fixed'><parent link='l%d'/>"
                          "<child link='l%d'/></joint>", i, i, i - 1, i);
  n += (size_t)snprintf(text + n, ROOM - n, "</robot>");
  ss_scene* s = parse(text);
  assert_int_equal(s->tree.n_body, LINKS);
  ss_scene_destroy(s);
  free(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_tree),    cmocka_unit_test(test_poses),     cmocka_unit_test(test_joints),
    cmocka_unit_test(test_mimic),   cmocka_unit_test(test_shapes),    cmocka_unit_test(test_root),
    cmocka_unit_test(test_meshes),  cmocka_unit_test(test_overrides), cmocka_unit_test(test_notices),
    cmocka_unit_test(test_motion),  cmocka_unit_test(test_broken),    cmocka_unit_test(test_long_chain),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
