// Scene files that are not valid: what is said of each, and at which line.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <stickslip/stickslip.h>

typedef struct broken {
  const char* text;
  const char* message;  // part of what must be said
  int line;             // 0: not checked
} broken;

// Whole files around what is broken: in the model at line 2, in a body with a joint at line 4
#define MODEL(x) \
  "<mujoco>\n" x "\n<worldbody><body name='b'><joint name='j'/><geom name='g' size='1'/></body></worldbody>\n</mujoco>"
#define INSIDE(x) \
  "<mujoco>\n<worldbody>\n<body name='b'><joint name='j'/><geom name='g' size='1'/>\n" x \
  "\n</body></worldbody></mujoco>"
#define ALONE(x) "<mujoco>\n<worldbody>\n<body name='b'>\n" x "\n</body></worldbody></mujoco>"

static const broken files[] = {
  // XML
  {"", "holds no XML element", 0},
  {"just text", "holds no XML element", 0},
  {"<mujoco>", "not valid XML", 1},
  {"<mujoco>\n<worldbody>\n</mujoco>", "not valid XML", 3},
  {"<mujoco>\n<option timestep=1/>\n</mujoco>", "not valid XML", 2},
  {"<mujoco>\n<option timestep='1' timestep='2'/>\n</mujoco>", "not valid XML", 2},
  {"<mujoco>\n&nobody;\n</mujoco>", "not valid XML", 2},
  {"<mujoco/>\n<mujoco/>", "not valid XML", 2},
  {"<mujoco>\n\xff\xfe\n</mujoco>", "not valid XML", 2},
  {"<!DOCTYPE mujoco [<!ENTITY a 'b'>]>\n<mujoco/>", "document types and entities", 1},
  {"<?xml version='1.0'?>\n<!DOCTYPE mujoco SYSTEM 'file:///etc/passwd'>\n<mujoco/>", "document types", 2},
  {"<mujoco>\n<body name='a < b'/>\n</mujoco>", "not valid XML", 2},
  {"<robot name='r'/>", "the robot has no link", 1},
  {"<mujocoinclude/>", "part to be included", 1},
  {"\n<model/>", "begins with <mujoco> (or <robot>, URDF), not with <model>", 2},
  // elements
  {"<mujoco>\n</mujoco>", "the scene has no body", 1},
  {"<mujoco><worldbody>\n<geom size='1'/></worldbody></mujoco>", "the scene has no body", 1},
  {MODEL("<worldbdy/>"), "unknown element <worldbdy> in <mujoco>; did you mean <worldbody>?", 2},
  {MODEL("<zzzzzz/>"), "unknown element <zzzzzz> in <mujoco>", 2},
  {INSIDE("<goem/>"), "unknown element <goem> in <body>; did you mean <geom>?", 4},
  {INSIDE("<geom size='1'><geom/></geom>"), "unknown element <geom> in <geom>, which has none inside", 4},
  {MODEL("<actuator><mtor/></actuator>"), "did you mean <motor>?", 2},
  {MODEL("<include/>"), "include needs the attribute 'file'", 2},
  {MODEL("<include file=''/>"), "include needs the attribute 'file'", 2},
  {INSIDE("<include file='a.xml' prefix='b'/>"), "include has no attribute 'prefix', only 'file'", 4},
  {INSIDE("<include file='a.xml'>\n<geom/></include>"), "include has nothing inside", 5},
  {INSIDE("<attach prefix='a'/>"), "attach needs the attribute 'model'", 4},
  {INSIDE("<attach model='m'/>"), "attach needs the attribute 'prefix'", 4},
  {INSIDE("<attach model='m' prefix=''/>"), "attach needs the attribute 'prefix', which is not empty", 4},
  {INSIDE("<attach model='m' prefix='a' name='b'/>"), "attach has no attribute 'name'", 4},
  {INSIDE("<attach model='m' prefix='a'/>"), "there is no <model name=\"m\"> in <asset>", 4},
  {MODEL("<attach model='m' prefix='a'/>"), "unknown element <attach> in <mujoco>", 2},
  {MODEL("<tendon><fixed name='t'/></tendon>"), "fixed needs one or more <joint", 2},
  {MODEL("<tendon><fixed name='t'><joint coef='1'/></fixed></tendon>"), "joint needs the attribute 'joint'", 2},
  {MODEL("<tendon><fixed><joint joint='j'/></fixed></tendon>"), "joint needs the attribute 'coef'", 2},
  {MODEL("<tendon><fixed><joint joint='k' coef='1'/></fixed></tendon>"), "there is no joint 'k'", 2},
  {MODEL("<tendon><fixed><joint joint='j' coef='1'/>\n<joint joint='j' coef='1'/></fixed></tendon>"),
   "this joint stands twice in one tendon", 3},
#define ROPE(x) MODEL("<tendon><fixed " x "><joint joint='j' coef='1'/></fixed></tendon>")
  {ROPE("range='1 0'"), "tendon: range is 1 0; the first number must be less", 2},
  {ROPE("limited='true'"), "tendon: it is limited, but has no range", 2},
  {ROPE("stiffness='-1'"), "tendon: stiffness is -1; it must not be negative", 2},
  {ROPE("springlength='2 1'"), "tendon: springlength is 2 1", 2},
  {MODEL("<tendon><fixd/></tendon>"), "did you mean <fixed>?", 2},
  {MODEL("<equality><tendon tendon1='t'/></equality>"), "there is no tendon 't'", 2},
  {MODEL("<actuator><motor tendon='t'/></actuator>"), "there is no tendon 't'", 2},
  {INSIDE("<composite type='cable'/>"), "<composite>", 4},
  {INSIDE("<replicate count='2'><joint/></replicate>"), "<joint> cannot stand in <replicate>", 4},
  {INSIDE("<replicate><geom size='1'/></replicate>"), "replicate needs the attribute 'count'", 4},
  {INSIDE("<replicate count='0'><geom size='1'/></replicate>"), "count is 0; it must be 1 to", 4},
  {INSIDE("<replicate count='2000000'><geom size='1'/></replicate>"), "count is 2000000", 4},
  {INSIDE("<replicate count='400'><replicate count='401'><geom size='1'/></replicate></replicate>"),
   "more than 100000 elements of the kind 'geom'", 4},
  {INSIDE("<replicate count='100000'><replicate count='100000'><frame/></replicate></replicate>"),
   "replicate: too many replicas in all", 4},
  // attributes
  {INSIDE("<geom size='1' frction='1'/>"), "geom has no attribute 'frction'; did you mean 'friction'?", 4},
  {INSIDE("<geom size='1'\n zzzzzz='1'/>"), "geom has no attribute 'zzzzzz'", 5},
  {MODEL("<option timestp='1'/>"), "did you mean 'timestep'?", 2},
  {MODEL("<option timestep='fast'/>"), "option: timestep has 'fast' where a number is expected", 2},
  {MODEL("<option timestep='1 2'/>"), "option: timestep takes 1 number, not 2", 2},
  {MODEL("<option timestep=''/>"), "timestep takes 1 number, not 0", 2},
  {MODEL("<option timestep='0'/>"), "timestep is 0; it must be positive", 2},
  {MODEL("<option timestep='nan'/>"), "timestep has 'nan' where a number is expected", 2},
  {MODEL("<option timestep='1e400'/>"), "timestep is not finite, or too great", 2},
  {MODEL("<option gravity='0 0 -inf'/>"), "gravity has '-inf' where a number", 2},
  {MODEL("<option gravity='0 0'/>"), "gravity takes 3 numbers, not 2", 2},
  {MODEL("<option gravity='0,0,-9.81'/>"), "gravity has '0,0,-9.81' where a number", 2},
  {MODEL("<option><flag contact='no'/></option>"), "contact is 'no'; it must be one of: disable, enable", 2},
  {MODEL("<compiler angle='degrees'/>"), "one of: radian, degree; did you mean 'degree'?", 2},
  {MODEL("<compiler coordinate='global'/>"), "global coordinates are not read", 2},
  {MODEL("<compiler eulerseq='abc'/>"), "eulerseq is 'abc'", 2},
  {MODEL("<compiler boundmass='-1'/>"), "boundmass is -1; it must not be negative", 2},
  // stickslip
  {MODEL("<stickslip scheme='mreau'/>"), "scheme is 'mreau'; it must be one of: moreau, euler", 2},
  {MODEL("<stickslip solver='magic'/>"), "solver is 'magic'; it must be one of: auto,", 2},
  {MODEL("<stickslip impact='hertz'/>"), "one of: newton, poisson", 2},
  {MODEL("<stickslip facets='5'/>"), "facets is 5; it must be even", 2},
  {MODEL("<stickslip tolerance='0'/>"), "tolerance is 0; it must be positive", 2},
  {MODEL("<stickslip until='-1'/>"), "until is -1", 2},
  {MODEL("<keyframe><key name='k' time='2'/></keyframe><stickslip key='k' until='2'/>"), "the time of the key, 2", 2},
  {MODEL("<stickslip key='home'/>"), "key: there is no key 'home'", 2},
  // defaults
  {MODEL("<default>\n<default/></default>"), "needs the attribute 'class'", 3},
  {MODEL("<default><default class='a'/>\n<default class='a'/></default>"), "the default class 'a' stands twice", 3},
  {MODEL("<default/>\n<default class='b'/>"), "'b' must stand inside of it", 3},
  {INSIDE("<geom class='whel' size='1'/>"), "geom: there is no default class 'whel'", 4},
  {MODEL("<default><default class='wheel'/></default>") "<!-- -->", NULL, 0},
  {"<mujoco><default><default class='wheel'/></default>\n<worldbody><body childclass='weel'/></worldbody></mujoco>",
   "childclass: there is no default class 'weel'; did you mean 'wheel'?", 2},
  {"<mujoco><default>\n<geom size='x'/></default><worldbody>\n<geom/></worldbody></mujoco>",
   "size has 'x' where a number is expected", 2},
  // poses
  {INSIDE("<geom size='1' quat='0 0 0 0'/>"), "quat has no length", 4},
  {INSIDE("<geom size='1' zaxis='0 0 0'/>"), "zaxis has no direction", 4},
  {INSIDE("<geom size='1' axisangle='0 0 0 1'/>"), "the axis of axisangle has no direction", 4},
  {INSIDE("<geom size='1' xyaxes='1 0 0 2 0 0'/>"), "the axes of xyaxes are parallel", 4},
  {INSIDE("<geom size='1' xyaxes='0 0 0 2 0 0'/>"), "the first axis of xyaxes has no direction", 4},
  {INSIDE("<geom size='1' euler='0 0 1' quat='1 0 0 0'/>"), "the orientation is given twice", 4},
  {INSIDE("<geom size='1' pos='1 2'/>"), "pos takes 3 numbers, not 2", 4},
  // geoms
  {INSIDE("<geom/>"), "a sphere needs the attribute 'size'", 4},
  {INSIDE("<geom type='capsule' size='1'/>"), "size of a capsule needs 2 numbers, not 1", 4},
  {INSIDE("<geom type='box' size='1 2 0'/>"), "size is 0; it must be positive", 4},
  {INSIDE("<geom size='-1'/>"), "size is -1; it must be positive", 4},
  {INSIDE("<geom type='spere' size='1'/>"), "did you mean 'sphere'?", 4},
  {INSIDE("<geom size='1' fromto='0 0 0 0 0 1'/>"), "fromto is for capsules", 4},
  {INSIDE("<geom type='capsule' size='1' fromto='0 0 0 0 0 0'/>"), "fromto has no length", 4},
  {INSIDE("<geom size='1' condim='2'/>"), "condim is 2; it must be 1, 3, 4 or 6", 4},
  {INSIDE("<geom size='1' condim='2.5'/>"), "condim is 2.5; it must be a whole number", 4},
  {INSIDE("<geom size='1' friction='-1'/>"), "friction is -1; it must not be negative", 4},
  {INSIDE("<geom size='1' restitution='1.1'/>"), "restitution is 1.1; it must be 0 to 1", 4},
  {INSIDE("<geom size='1' restitution-tangential='-1'/>"), "restitution-tangential is -1", 4},
  {INSIDE("<geom size='1' mass='-1'/>"), "mass is -1; it must not be negative", 4},
  {INSIDE("<geom size='1' density='-1'/>"), "density is -1; it must not be negative", 4},
  {INSIDE("<geom size='1' margin='-1'/>"), "margin is -1; it must not be negative", 4},
  {INSIDE("<geom type='plane' size='1 1 1'/>"), "a plane belongs to the world", 4},
  {INSIDE("<geom name='g' size='1'/>"), "the name 'g' of a geom stands twice", 4},
  {INSIDE("<geom type='mesh'/>"), "a mesh needs the attribute 'mesh'", 4},
  {INSIDE("<geom type='mesh' mesh='m'/>"), "mesh: there is no mesh 'm'", 4},
  {INSIDE("<geom type='mesh' mesh='m' mass='1'/></body><body>") "<!-- -->", "there is no mesh 'm'", 4},
  {"<mujoco><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 1 1 0'/></asset><worldbody><body name='b'><joint/>\n"
   "<geom type='mesh' mesh='m'/></body></worldbody></mujoco>", "the mesh 'm', which has no volume", 2},
  {MODEL("<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' scale='1 1 0'/></asset>"), "scale has a zero", 2},
  {MODEL("<asset><mesh name='m'/></asset>"), "mesh needs the attribute 'vertex' or 'file'", 2},
  {MODEL("<asset><mesh name='m' vertex='1 2 3'/></asset>"), "vertex takes three numbers for each of 4", 2},
  {MODEL("<asset><mesh name='m' vertex='1 2 3 4 5 6 7 8 9 a b c'/></asset>"), "vertex has 'a'", 2},
  {MODEL("<asset><mesh name='m' vertex='1 2 3 4 5 6 7 8 9 1 1 1' face='0 1 4'/></asset>"),
   "the vertex 4; there are 0 to 3", 2},
  {MODEL("<asset><mesh name='m' vertex='1 2 3 4 5 6 7 8 9 1 1 1' face='0 1'/></asset>"),
   "three numbers for each triangle", 2},
  // joints and inertias
  {INSIDE("<joint name='j'/>"), "the name 'j' of a joint stands twice", 4},
  {INSIDE("<joint type='hinje'/>"), "did you mean 'hinge'?", 4},
  {INSIDE("<joint axis='0 0 0'/>"), "axis has no direction", 4},
  {INSIDE("<joint damping='-1'/>"), "damping is -1; it must not be negative", 4},
  {INSIDE("<joint armature='-1'/>"), "armature is -1", 4},
  {INSIDE("<joint limited='true'/>"), "it is limited, but has no range", 4},
  {INSIDE("<joint range='2 1'/>"), "range is 2 1; the first number must be less", 4},
  {INSIDE("<joint range='0 0' limited='true'/>"), "it is limited, but has no range", 4},
  {INSIDE("<joint type='ball' range='1 2'/>"), "range of a ball joint begins at 0", 4},
  {"<mujoco><compiler autolimits='false'/><worldbody><body>\n"
   "<joint range='1 2'/><geom size='1'/></body></worldbody></mujoco>",
   "with autolimits=\"false\" a range needs limited", 2},
  {INSIDE("<freejoint/>"), "a body with a free joint has no other joint", 4},
  {ALONE("<freejoint/><geom size='1'/>\n<joint/>"), "a body with a free joint has no other joint", 5},
  {INSIDE("<body>\n<freejoint/><geom size='1'/></body>"), "stands in the worldbody itself", 5},
  {"<mujoco><worldbody>\n<joint/></worldbody></mujoco>", "the world has no joints", 2},
  {"<mujoco><worldbody>\n"
   "<inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/></worldbody></mujoco>", "the world has no inertial", 2},
  {ALONE("<joint/>"), "moves no mass", 4},
  {INSIDE("<inertial pos='0 0 0' diaginertia='1 1 1'/>"), "inertial needs the attribute 'mass'", 4},
  {INSIDE("<inertial pos='0 0 0' mass='1'/>"), "needs the attribute 'diaginertia' or 'fullinertia'", 4},
  {INSIDE("<inertial pos='0 0 0' mass='-1' diaginertia='1 1 1'/>"), "mass is -1; it must not be negative", 4},
  {INSIDE("<inertial pos='0 0 0' mass='1' diaginertia='1 1 1' fullinertia='1 1 1 0 0 0'/>"), "not both", 4},
  {INSIDE("<inertial pos='0 0 0' mass='1' fullinertia='1 1 1 0 0 0' quat='1 0 0 0'/>"), "it takes no orientation", 4},
  {"<mujoco><worldbody>\n"
   "<body name='b'><joint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 3'/></body></worldbody></mujoco>",
   "body 'b': no body has the principal moments", 2},
  {"<mujoco><worldbody>\n"
   "<body name='b'><joint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 -1'/></body></worldbody></mujoco>",
   "none may be negative", 2},
  {INSIDE("<body name='b'/>"), "the name 'b' of a body stands twice", 4},
  {INSIDE("<body name='world'/>"), "the name 'world' of a body stands twice", 4},
  // shapes that are fitted, and others
  {INSIDE("<geom type='cone' size='1'/>"),
   "it must be one of: plane, sphere, capsule, ellipsoid, cylinder, box, mesh, hfield, sdf, polygon", 4},
  {INSIDE("<geom type='polygon' size='1'/>"), "a polygon is for a scene in the plane", 4},
#define MESH(x) \
  MODEL("<asset><mesh name='m' vertex='0 0 0  1 0 0  0 1 0  0 0 1'/></asset>\n<worldbody>" x "</worldbody>")
  {MESH("<geom type='plane' mesh='m'/>"), "a plane is not fitted to a mesh", 3},
  {MESH("<geom type='box' mesh='n'/>"), "mesh: there is no mesh 'n'", 3},
  {MESH("<geom type='box' mesh='m' fitscale='0'/>"), "fitscale is 0; it must be positive", 3},
  {MESH("<geom type='box' mesh='m' fromto='0 0 0 1 1 1'/>"), "a box that is fitted to a mesh has no fromto", 3},
  {MODEL("<compiler fitaabb='true'/>" "<asset><mesh name='m' vertex='0 0 0  1 0 0  0 1 0  0 0 1'/></asset>\n"
         "<worldbody><geom type='box' mesh='m'/></worldbody>"), "not by fitaabb=\"true\"", 3},
  {MODEL("<asset><mesh name='m' vertex='0 0 0  1 0 0  0 1 0  1 1 0'/></asset>\n"
         "<worldbody><geom type='box' mesh='m'/></worldbody>"),
   "cannot be fitted to the mesh 'm', which has no volume", 3},
  // numbers that nothing depends on
  {INSIDE("<geom size='1' solimp='abc'/>"), "geom: solimp has 'abc' where a number is expected", 4},
  {INSIDE("<geom size='1' solimp='nan'/>"), "geom: solimp ", 4},
  {INSIDE("<geom size='1' solimp=''/>"), "geom: solimp takes 1 to 5 numbers, not 0", 4},
  {INSIDE("<geom size='1' solref='1 2 3'/>"), "geom: solref takes 1 to 2 numbers, not 3", 4},
  {INSIDE("<geom size='1' rgba='red'/>"), "geom: rgba has 'red' where a number is expected", 4},
  {INSIDE("<joint solreflimit='x'/>"), "joint: solreflimit has 'x'", 4},
  {MODEL("<option impratio='x'/>"), "option: impratio has 'x'", 2},
  {MODEL("<option wind='0 0 x'/>"), "option: wind has 'x'", 2},
  {MODEL("<default>\n<pair solref='x'/></default>"), "pair: solref has 'x'", 3},
  {MODEL("<equality><weld body1='b' solimp='x'/></equality>"), "weld: solimp has 'x'", 2},
  // relations
  {MODEL("<contact><exclude body1='b'/></contact>"), "exclude needs the attribute 'body2'", 2},
  {MODEL("<contact><exclude body1='b' body2='bb'/></contact>"), "body2: there is no body 'bb'; did you mean 'b'?", 2},
  {MODEL("<contact><pair geom1='g' geom2='h'/></contact>"), "geom2: there is no geom 'h'", 2},
  {MODEL("<contact><pair geom1='g' geom2='g'/></contact>"), "pair: geom1 and geom2 are both 'g'; they must be two", 2},
  {MODEL("<worldbody><geom name='h' size='1'/></worldbody><contact>\n<pair geom1='g' geom2='h' restitution='2'/>"
         "</contact>"), "pair: restitution is 2", 3},
  {MODEL("<equality><connect body1='b'/></equality>"), "connect needs the attribute 'anchor'", 2},
  {MODEL("<equality><connect anchor='0 0 0'/></equality>"), "connect needs the attribute 'body1'", 2},
  {MODEL("<equality><weld body1='b' site1='s'/></equality>"), "give bodies or sites, not both", 2},
  {MODEL("<equality><weld site1='s'/></equality>"), "weld needs site1 and site2", 2},
  {MODEL("<equality><weld body1='b' body2='b'/></equality>"), "weld ties a body to itself", 2},
  {MODEL("<equality><joint joint1='j' joint2='j'/></equality>"), "joint ties a joint to itself", 2},
  {MODEL("<equality><weld site1='s' site2='s'/></equality>"), "site1: there is no site 's'", 2},
  {MODEL("<equality><joint/></equality>"), "joint needs the attribute 'joint1'", 2},
  {MODEL("<equality><joint joint1='k'/></equality>"), "joint1: there is no joint 'k'", 2},
  {"<mujoco><worldbody><body><freejoint name='f'/><geom size='1'/></body></worldbody>\n"
   "<equality><joint joint1='f'/></equality></mujoco>",
   "joint 'f' is no hinge and no slide", 2},
  {MODEL("<actuator><motor/></actuator>"), "motor needs the attribute 'joint'", 2},
  {MODEL("<actuator><motor joint='jj'/></actuator>"), "joint: there is no joint 'jj'; did you mean 'j'?", 2},
  {MODEL("<actuator><motor joint='j' ctrlrange='1 0'/></actuator>"), "ctrlrange is 1 0", 2},
  {MODEL("<actuator><motor joint='j' forcelimited='true'/></actuator>"), "there is no forcerange", 2},
  {MODEL("<actuator><motor joint='j' gear='1 2 3 4 5 6 7'/></actuator>"), "gear takes 1 to 6 numbers, not 7", 2},
  {MODEL("<actuator><position joint='j' kp='-1'/></actuator>"), "kp is -1", 2},
  {MODEL("<actuator><position joint='j' inheritrange='1'/></actuator>"), "inheritrange needs a joint with a range", 2},
  {MODEL("<keyframe><key qpos='1 2'/></keyframe>"), "qpos takes 1 numbers in this scene, not 2", 2},
  {MODEL("<keyframe><key ctrl='1'/></keyframe>"), "ctrl takes 0 numbers in this scene, not 1", 2},
  {"<mujoco><worldbody><body><freejoint name='f'/><geom size='1'/></body></worldbody>\n<keyframe>\n"
   "<key qpos='0 0 0 0 0 0 0'/></keyframe></mujoco>",
   "the quaternion of joint 'f' has no length", 3},
  // height fields
  {MODEL("<asset><hfield name='h'/></asset>"), "hfield needs the attribute 'size'", 2},
  {MODEL("<asset><hfield size='1 1 1 1'/></asset>"), "hfield needs the attribute 'file', or 'nrow' and 'ncol'", 2},
  {MODEL("<asset><hfield nrow='2' ncol='2' size='1 1 1'/></asset>"), "size takes 4 numbers, not 3", 2},
  {MODEL("<asset><hfield nrow='2' ncol='2' size='1 1 0 1'/></asset>"), "size is 0; half widths, elevation and base", 2},
  {MODEL("<asset><hfield nrow='1' ncol='2' size='1 1 1 1'/></asset>"), "1 rows and 2 columns of points; from 2 on", 2},
  {MODEL("<asset><hfield nrow='9999' ncol='9999' size='1 1 1 1'/></asset>"), "1000000 points in all", 2},
  {MODEL("<asset><hfield nrow='2' ncol='2' size='1 1 1 1'\nelevation='1 2 3'/></asset>"),
   "elevation has 3 numbers; 2 rows of 2 take 4", 3},
  {MODEL("<asset><hfield nrow='2' ncol='2' size='1 1 1 1' elevation='1 2 3 x'/></asset>"), "'x'", 2},
  {MODEL("<asset><hfield nrow='2' ncol='2.5' size='1 1 1 1'/></asset>"), "ncol", 2},
  {INSIDE("<geom type='hfield'/>"), "an hfield needs the attribute 'hfield'", 4},
  {INSIDE("<geom type='hfield' hfield='a'/>"), "hfield: there is no hfield 'a'", 4},
  {INSIDE("<geom size='1' hfield='a'/>"), "a sphere has no hfield; give type=\"hfield\"", 4},
};

static void test_broken(void** state)
{
  (void)state;
  int n = 0;
  for (size_t i = 0; i < sizeof files/sizeof *files; i++) {
    ss_error error = {0};
    ss_scene* s = ss_scene_parse(files[i].text, strlen(files[i].text), "test.xml", 0, NULL, &error);
    if (!files[i].message) {  // a whole file beside the broken ones
      if (!s) fail_msg("'%s': %s", files[i].text, error.text);
      ss_scene_destroy(s);
      continue;
    }
    n++;
    if (s) fail_msg("'%s' was accepted", files[i].text);
    if (error.status != SS_ERR_INPUT) fail_msg("'%s': status %d", files[i].text, error.status);
    if (!strstr(error.text, files[i].message))
      fail_msg("'%s' gives '%s', not '%s'", files[i].text, error.text, files[i].message);
    if (files[i].line && error.line != files[i].line)
      fail_msg("'%s' gives line %d, not %d: %s", files[i].text, error.line, files[i].line, error.text);
    assert_string_equal(error.file, "test.xml");
  }
  print_message("%d broken scenes\n", n);
  assert_true(n >= 150);
}

// A zero byte, and files that are cut anywhere
static void test_cut(void** state)
{
  (void)state;
  const char* whole = MODEL("<default><geom friction='1'/><default class='a'/></default><option timestep='.01'/>");
  size_t length = strlen(whole);
  ss_error error;
  for (size_t n = 0; n < length; n++) {
    char* part = malloc(n + 1);  // its own block, so that reading beyond it is seen
    memcpy(part, whole, n);
    assert_null(ss_scene_parse(part, n, "test.xml", 0, NULL, &error));
    assert_true(error.text[0] != 0);
    free(part);
  }
  assert_null(ss_scene_parse("<mujoco>\0</mujoco>", 18, "test.xml", 0, NULL, &error));
  assert_non_null(strstr(error.text, "zero byte"));
}

// Deep nesting, of any kind of element
static void test_deep(void** state)
{
  (void)state;
  const char* tags[] = {"<body>", "<frame>", "<default class='a'>", "<a>"};
  for (int i = 0; i < 4; i++) {
    size_t n = strlen(tags[i]), depth = 50000;
    char* text = malloc(100 + depth*n);
    char* at = text + sprintf(text, "<mujoco><worldbody>\n");
    for (size_t k = 0; k < depth; k++) at += sprintf(at, "%s", tags[i]);
    ss_error error = {0};
    assert_null(ss_scene_parse(text, (size_t)(at - text), "test.xml", 0, NULL, &error));
    assert_non_null(strstr(error.text, "nested more than 1100 deep"));
    assert_int_equal(error.line, 2);
    free(text);
  }
}

// As deep as is allowed: no stack overflows, whatever the elements are
static void test_deepest(void** state)
{
  (void)state;
  const char* tags[][3] = {{"<worldbody>", "<body>", "</body>"}, {"<worldbody>", "<frame>", "</frame>"},
                           {"<default>", "<default class='a'>", "</default>"}, {"<worldbody>", "<a>", "</a>"}};
  for (int i = 0; i < 4; i++) {
    char* text = malloc(100 + 1098*40);
    char* at = text + sprintf(text, "<mujoco>%s", tags[i][0]);
    for (size_t k = 0; k < 1098; k++) at += sprintf(at, "%s", tags[i][1]);
    for (size_t k = 0; k < 1098; k++) at += sprintf(at, "%s", tags[i][2]);
    at += sprintf(at, "</%s</mujoco>", tags[i][0] + 1);
    ss_error error = {0};
    ss_scene* scene = ss_scene_parse(text, (size_t)(at - text), "test.xml", 0, NULL, &error);
    if (!scene) assert_null(strstr(error.text, "nested"));
    ss_scene_destroy(scene);
    free(text);
  }
}

static void test_files(void** state)
{
  (void)state;
  ss_error error = {0};
  assert_null(ss_scene_load("/nonexistent/a.xml", 0, NULL, &error));
  assert_int_equal(error.status, SS_ERR_FILE);
  assert_null(ss_scene_load("/", 0, NULL, &error));
  assert_int_equal(error.status, SS_ERR_FILE);
  assert_null(ss_scene_parse("<a>", 3, "x.xml", 0, NULL, NULL));
  ss_scene_destroy(NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_broken), cmocka_unit_test(test_cut),
                                     cmocka_unit_test(test_deep), cmocka_unit_test(test_deepest),
                                     cmocka_unit_test(test_files)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
