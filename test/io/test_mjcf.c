// Scenes from MJCF: masses, inertias, poses and states against numbers worked out by hand.
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

#define PI 3.14159265358979323846
#define H 0.70710678118654752440  // sin and cos of 45 degrees

static void near_to(const char* what, double x, double expected)
{
  if (!(fabs(x - expected) <= 1e-13*fmax(1, fabs(expected)))) fail_msg("%s is %.17g, not %.17g", what, x, expected);
}

static void all_near(const char* what, int n, const double* x, const double* expected)
{
  for (int i = 0; i < n; i++) {
    char text[100];
    snprintf(text, sizeof text, "%s[%d]", what, i);
    near_to(text, x[i], expected[i]);
  }
}

static ss_scene* parse(const char* text)
{
  ss_error error = {0};
  char message[900];
  ss_scene* s = ss_scene_parse(text, strlen(text), "test.xml", 0, NULL, &error);
  if (!s) fail_msg("%s", ss_error_format(&error, message, sizeof message));
  return s;
}

// A scene of one free body around `inside`, after `before`
static ss_scene* one_body(const char* before, const char* inside)
{
  char text[4000];
  snprintf(text, sizeof text, "<mujoco>%s<worldbody><body name='b'><freejoint/>%s</body></worldbody></mujoco>", before,
           inside);
  return parse(text);
}

// ---- masses ----

// int f over the slices of a solid of revolution with the radius r(z): volume, moments along and across per density.
// Gauss with three points on three intervals is exact for the polynomials of cylinders and spheres.
static void revolve(double r, double h, bool caps, double out[3])
{
  const double x[3] = {-sqrt(0.6), 0, sqrt(0.6)}, w[3] = {5.0/9, 8.0/9, 5.0/9};
  const double edge[4] = {-h - (caps ? r : 0), -h, h, h + (caps ? r : 0)};
  memset(out, 0, 3*sizeof *out);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      double half = 0.5*(edge[i + 1] - edge[i]), z = 0.5*(edge[i + 1] + edge[i]) + half*x[k];
      double beyond = fmax(fabs(z) - h, 0), r2 = r*r - beyond*beyond;
      out[0] += half*w[k]*PI*r2;
      out[1] += half*w[k]*PI*r2*r2/2;
      out[2] += half*w[k]*PI*(r2*r2/4 + r2*z*z);
    }
}

static void test_round_shapes(void** state)
{
  (void)state;
  const struct { const char* geom; double r, h; bool caps; } cases[] = {
    {"<geom type='sphere' size='.1'/>", 0.1, 0, true},
    {"<geom type='ellipsoid' size='.1 .1 .1'/>", 0.1, 0, true},
    {"<geom type='capsule' size='.1 .25'/>", 0.1, 0.25, true},
    {"<geom type='capsule' size='.1' fromto='0 0 -.25 0 0 .25'/>", 0.1, 0.25, true},
    {"<geom type='cylinder' size='.3 .2'/>", 0.3, 0.2, false},
    {"<geom type='cylinder' size='.3' fromto='0 0 .2 0 0 -.2'/>", 0.3, 0.2, false}};
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++) {
    double m[3];
    ss_scene* s = one_body("", cases[i].geom);
    revolve(cases[i].r, cases[i].h, cases[i].caps, m);
    const ss_body_def* b = s->tree.body;
    near_to("mass", b->mass, 1000*m[0]);
    all_near("inertia", 6, b->inertia, (double[]){1000*m[2], 1000*m[2], 1000*m[1], 0, 0, 0});
    ss_scene_destroy(s);
  }
}

static void test_box_and_ellipsoid(void** state)
{
  (void)state;
  ss_scene* s = one_body("", "<geom type='box' size='.1 .2 .3' density='500'/>");
  const double m = 500*0.2*0.4*0.6;  // m/12 (b^2 + c^2) with whole edges
  near_to("mass", s->tree.body->mass, m);
  all_near("inertia", 6, s->tree.body->inertia,
           (double[]){m/12*(0.16 + 0.36), m/12*(0.04 + 0.36), m/12*(0.04 + 0.16), 0, 0, 0});
  ss_scene_destroy(s);
  s = one_body("", "<geom type='ellipsoid' size='.1 .2 .3' mass='5'/>");
  near_to("mass", s->tree.body->mass, 5);
  all_near("inertia", 6, s->tree.body->inertia, (double[]){0.04 + 0.09, 0.01 + 0.09, 0.01 + 0.04, 0, 0, 0});
  ss_scene_destroy(s);
}

// Two balls on a stick without mass: centre of mass at the mass-weighted mean, reduced mass times distance squared
static void test_dumbbell(void** state)
{
  (void)state;
  ss_scene* s = one_body("", "<geom size='.1' mass='1' pos='0 0 0'/><geom size='.1' mass='3' pos='0 0 2'/>"
                             "<geom type='box' size='1 1 1' mass='0'/>");
  const ss_body_def* b = s->tree.body;
  near_to("mass", b->mass, 4);
  all_near("com", 3, b->com, (double[]){0, 0, 1.5});
  double own = 0.4*4*0.01, reduced = 0.75*4;
  all_near("inertia", 6, b->inertia, (double[]){own + reduced, own + reduced, own, 0, 0, 0});
  ss_scene_destroy(s);
}

// A long box turned by 45 degrees about z: products of inertia
static void test_turned_geom(void** state)
{
  (void)state;
  ss_scene* s = one_body("", "<geom type='box' size='.5 .1 .1' mass='12' euler='0 0 45'/>");
  double x = 0.04 + 0.04, y = 1 + 0.04, d = (y - x)/2;  // about the axes of the box
  all_near("inertia", 6, s->tree.body->inertia, (double[]){(x + y)/2, (x + y)/2, y, -d, 0, 0});
  ss_scene_destroy(s);
}

static void test_inertial(void** state)
{
  (void)state;
  ss_scene* s = one_body("", "<inertial pos='1 2 3' mass='2' diaginertia='1 2 2.5' quat='1 0 0 1'/>"
                                  "<geom size='1'/>");
  near_to("mass", s->tree.body->mass, 2);
  all_near("com", 3, s->tree.body->com, (double[]){1, 2, 3});
  all_near("inertia", 6, s->tree.body->inertia, (double[]){2, 1, 2.5, 0, 0, 0});  // x and y change places
  ss_scene_destroy(s);
  s = one_body("", "<inertial pos='0 0 0' mass='2' fullinertia='1 2 2.5 .1 .2 .3'/>");
  all_near("inertia", 6, s->tree.body->inertia, (double[]){1, 2, 2.5, 0.1, 0.2, 0.3});
  ss_scene_destroy(s);
  s = one_body("<compiler inertiafromgeom='true'/>",
               "<inertial pos='1 2 3' mass='2' diaginertia='1 1 1'/><geom size='1' mass='7'/>");
  near_to("mass", s->tree.body->mass, 7);
  all_near("com", 3, s->tree.body->com, (double[]){0, 0, 0});
  ss_scene_destroy(s);
}

static void test_compiler_masses(void** state)
{
  (void)state;
  const char* two = "<worldbody><body><freejoint/><geom size='.1' mass='1'/></body>"
                    "<body><freejoint/><geom size='.1' mass='3'/></body></worldbody></mujoco>";
  char text[2000];
  snprintf(text, sizeof text, "<mujoco><compiler settotalmass='2'/>%s", two);
  ss_scene* s = parse(text);
  near_to("mass", s->tree.body[0].mass, 0.5);
  near_to("mass", s->tree.body[1].mass, 1.5);
  near_to("inertia", s->tree.body[1].inertia[2], 0.4*1.5*0.01);
  ss_scene_destroy(s);
  snprintf(text, sizeof text, "<mujoco><compiler boundmass='2' boundinertia='.01'/>%s", two);
  s = parse(text);
  near_to("mass", s->tree.body[0].mass, 2);
  near_to("mass", s->tree.body[1].mass, 3);
  near_to("inertia", s->tree.body[0].inertia[0], 0.01);
  near_to("inertia", s->tree.body[1].inertia[0], 0.4*3*0.01);
  ss_scene_destroy(s);
  s = one_body("<compiler balanceinertia='true'/>", "<inertial pos='0 0 0' mass='1' diaginertia='1 1 4'/>");
  all_near("inertia", 6, s->tree.body->inertia, (double[]){2, 2, 2, 0, 0, 0});
  ss_scene_destroy(s);
  s = one_body("<compiler inertiagrouprange='1 2'/>",
               "<geom size='.1' mass='1'/><geom size='.1' mass='2' group='2'/><geom size='.1' mass='4' group='3'/>");
  near_to("mass", s->tree.body->mass, 2);
  ss_scene_destroy(s);
}

static void expect_source(const ss_scene* s, int b, ss_scene_mass m)
{
  const ss_scene_mass* f = s->mass_from + b;
  if (f->inertial != m.inertial || f->n_given != m.n_given || f->n_density != m.n_density || f->n_mesh != m.n_mesh ||
      f->n_hull != m.n_hull || f->adjusted != m.adjusted)
    fail_msg("body %d: %d %d %d %d %d %d", b, f->inertial, f->n_given, f->n_density, f->n_mesh, f->n_hull, f->adjusted);
}

// Where masses come from: every way there is, and both of those that change them
static void test_mass_sources(void** state)
{
  (void)state;
  const char* text = "<mujoco>%s<asset><mesh name='t' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 2 1 0 1 3 0 3 2 1 2 3'/>"
    "<mesh name='hole' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 2 1 0 1 3 0 3 2'/></asset><worldbody>"
    "<body><freejoint/><inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/><geom size='1'/></body>"
    "<body><freejoint/><geom size='.1' mass='1'/><geom size='.1'/><geom size='.2'/><geom size='1' mass='0'/></body>"
    "<body><freejoint/><geom type='mesh' mesh='t'/><geom type='mesh' mesh='hole'/></body>"
    "<body/></worldbody></mujoco>";
  char whole[2000];
  snprintf(whole, sizeof whole, text, "");
  ss_scene* s = parse(whole);
  expect_source(s, 0, (ss_scene_mass){.inertial = true});
  expect_source(s, 1, (ss_scene_mass){.n_given = 1, .n_density = 2});
  expect_source(s, 2, (ss_scene_mass){.n_mesh = 1, .n_hull = 1});
  expect_source(s, 3, (ss_scene_mass){0});
  near_to("mass", s->tree.body[2].mass, 2000.0/6);
  ss_scene_destroy(s);
  snprintf(whole, sizeof whole, text, "<compiler boundmass='1.5' inertiafromgeom='true'/>");
  s = parse(whole);
  expect_source(s, 0, (ss_scene_mass){.n_density = 1});
  expect_source(s, 3, (ss_scene_mass){.adjusted = true});
  ss_scene_destroy(s);
  snprintf(whole, sizeof whole, text, "<compiler settotalmass='1'/>");
  s = parse(whole);
  expect_source(s, 0, (ss_scene_mass){.inertial = true, .adjusted = true});
  expect_source(s, 3, (ss_scene_mass){0});
  ss_scene_destroy(s);
}

#define CUBE "-1 -1 -1  1 -1 -1  1 1 -1  1 1 1  1 -1 1  -1 1 -1  -1 1 1  -1 -1 1  0 0 0  1 0 0"

// A cube of 0.1 m as the hull of its corners (with points inside and on a face), shifted in its own frame; and a corner
// of it as a tetrahedron with faces: V = a^3/6, centre at a/4, moments 3 V a^2/40, products V a^2/80
static void test_meshes(void** state)
{
  (void)state;
  ss_scene* s = one_body("<asset><mesh name='m' vertex='" CUBE "' scale='.05 .05 .05' refpos='-1 0 0'/></asset>",
                         "<geom type='mesh' mesh='m'/>");
  near_to("volume", s->mesh[0].volume, 1e-3);
  near_to("mass", s->tree.body->mass, 1);
  all_near("com", 3, s->tree.body->com, (double[]){0.05, 0, 0});
  all_near("inertia", 6, s->tree.body->inertia, (double[]){0.01/6, 0.01/6, 0.01/6, 0, 0, 0});
  ss_scene_destroy(s);
  const char* scales[] = {"2 2 2", "-2 2 2"};  // a mirror turns the faces around
  for (int i = 0; i < 2; i++) {
    char text[400];
    snprintf(text, sizeof text, "<asset><mesh name='m' scale='%s' vertex='0 0 0 1 0 0 0 1 0 0 0 1' "
             "face='0 2 1  0 1 3  0 3 2  1 2 3'/></asset>", scales[i]);
    s = one_body(text, "<geom type='mesh' mesh='m' density='1'/>");
    double V = 8.0/6, a2 = 4, x = i ? -1 : 1;
    near_to("mass", s->tree.body->mass, V);
    all_near("com", 3, s->tree.body->com, (double[]){0.5*x, 0.5, 0.5});
    double d = 3*V*a2/40, p = V*a2/80;
    all_near("inertia", 6, s->tree.body->inertia, (double[]){d, d, d, x*p, x*p, p});
    ss_scene_destroy(s);
  }
}

// ---- poses ----

static void check_rotation(const char* before, const char* form, const double expected[4])
{
  char inside[300];
  snprintf(inside, sizeof inside, "<geom size='.1'/><geom name='g' type='box' size='1 1 1' %s/>", form);
  ss_scene* s = one_body(before, inside);
  const double* q = s->geom[1].rotation;
  double sign = q[0]*expected[0] + q[1]*expected[1] + q[2]*expected[2] + q[3]*expected[3] < 0 ? -1 : 1;
  double turned[4] = {sign*q[0], sign*q[1], sign*q[2], sign*q[3]};
  all_near(form, 4, turned, expected);
  ss_scene_destroy(s);
}

static void test_orientations(void** state)
{
  (void)state;
  const double z90[4] = {H, 0, 0, H}, y90[4] = {H, 0, H, 0}, x180[4] = {0, 1, 0, 0}, none[4] = {1, 0, 0, 0};
  check_rotation("", "", none);
  check_rotation("", "quat='3 0 0 3'", z90);
  check_rotation("", "axisangle='0 0 5 90'", z90);
  check_rotation("<compiler angle='radian'/>", "axisangle='0 0 1 1.5707963267948966'", z90);
  check_rotation("", "xyaxes='0 2 0 -3 0 0'", z90);
  check_rotation("", "xyaxes='1 1 0 0 1 0'", (double[]){cos(PI/8), 0, 0, sin(PI/8)});  // y is made square to x
  check_rotation("", "xyaxes='1 0 0 0 -1 0'", x180);
  check_rotation("", "zaxis='7 0 0'", y90);
  check_rotation("", "zaxis='0 0 -1'", x180);
  check_rotation("", "zaxis='0 0 2'", none);
  check_rotation("", "euler='0 0 90'", z90);
  check_rotation("<compiler angle='degree'/>", "euler='0 90 0'", y90);
  check_rotation("<compiler angle='radian'/>", "euler='0 1.5707963267948966 0'", y90);
  check_rotation("", "euler='90 90 0'", (double[]){0.5, 0.5, 0.5, 0.5});
  check_rotation("<compiler eulerseq='XYZ'/>", "euler='90 90 0'", (double[]){0.5, 0.5, 0.5, -0.5});
  check_rotation("<compiler eulerseq='zyx'/>", "euler='90 0 90'", (double[]){0.5, 0.5, 0.5, 0.5});
  check_rotation("<compiler eulerseq='zXz'/>", "euler='90 0 90'", (double[]){0, 0, 0, 1});
  // what stands nearest to the element counts
  check_rotation("<default><geom quat='0 1 0 0'/></default>", "euler='0 0 90'", z90);
  check_rotation("<default><geom euler='0 0 90'/></default>", "quat='0 1 0 0'", x180);
  check_rotation("<default><geom euler='0 0 90'/></default>", "", z90);
}

static void test_fromto(void** state)
{
  (void)state;
  ss_scene* s = one_body("", "<geom type='capsule' size='.1' fromto='1 0 0 4 0 4' pos='9 9 9'/>"
                             "<geom type='box' size='.1' fromto='0 0 0 0 0 4'/>");
  all_near("size", 3, s->geom[0].size, (double[]){0.1, 2.5, 0});
  all_near("position", 3, s->geom[0].position, (double[]){2.5, 0, 2});
  double a = 0.5*atan2(3, 4);
  all_near("rotation", 4, s->geom[0].rotation, (double[]){cos(a), 0, sin(a), 0});
  all_near("size", 3, s->geom[1].size, (double[]){0.1, 0.1, 2});
  ss_scene_destroy(s);
}

static void test_frames(void** state)
{
  (void)state;
  ss_scene* s = parse("<mujoco><worldbody>"
                      "<frame pos='1 0 0' euler='0 0 90'><frame pos='1 0 0'>"
                      "<geom name='g' size='1' pos='1 0 0'/>"
                      "<body name='b' pos='0 1 0'><frame pos='0 0 5' euler='90 0 0'>"
                      "<joint name='j' axis='0 0 1' pos='1 0 0'/><geom size='1'/></frame></body>"
                      "</frame></frame></worldbody></mujoco>");
  all_near("geom", 3, s->geom[0].position, (double[]){1, 2, 0});
  assert_int_equal(s->geom[0].body, SS_WORLD);
  all_near("body", 3, s->tree.body[0].position, (double[]){0, 1, 0});
  all_near("body", 4, s->tree.body[0].rotation, (double[]){H, 0, 0, H});
  all_near("axis", 3, s->tree.joint[0].axis, (double[]){0, -1, 0});
  all_near("anchor", 3, s->tree.joint[0].anchor, (double[]){1, 0, 5});
  all_near("com", 3, s->tree.body[0].com, (double[]){0, 0, 5});
  ss_scene_destroy(s);
}

static const ss_scene_geom* find_geom(const ss_scene* s, const char* name)
{
  for (int i = 0; i < s->n_geom; i++)
    if (strcmp(s->geom[i].name, name) == 0) return s->geom + i;
  fail_msg("there is no geom '%s'", name);
  return NULL;
}

static void test_replicas(void** state)
{
  (void)state;
  ss_scene* s = parse("<mujoco><worldbody><body><freejoint/><geom size='1'/></body>"
                      "<replicate count='2' offset='0 1 0' euler='90 0 0'>"
                      "<replicate count='2' sep='-' offset='1 0 0' euler='0 90 0'>"
                      "<geom name='a' size='.1'/></replicate>"
                      "</replicate><replicate count='11'><geom name='n' size='1'/></replicate></worldbody></mujoco>");
  assert_int_equal(s->n_geom, 1 + 4 + 11);
  all_near("a-00", 3, find_geom(s, "a-00")->position, (double[]){0, 0, 0});
  all_near("a-10", 3, find_geom(s, "a-10")->position, (double[]){1, 0, 0});
  all_near("a-10", 4, find_geom(s, "a-10")->rotation, (double[]){H, 0, H, 0});
  all_near("a-01", 3, find_geom(s, "a-01")->position, (double[]){0, 1, 0});
  all_near("a-01", 4, find_geom(s, "a-01")->rotation, (double[]){H, H, 0, 0});
  all_near("a-11", 3, find_geom(s, "a-11")->position, (double[]){1, 1, 0});
  all_near("a-11", 4, find_geom(s, "a-11")->rotation, (double[]){0.5, 0.5, 0.5, 0.5});
  find_geom(s, "n00");
  find_geom(s, "n10");
  ss_scene_destroy(s);
}

// ---- defaults ----

static void test_defaults(void** state)
{
  (void)state;
  ss_scene* s = parse("<mujoco>"
                      "<default><geom friction='.1' size='.5 .6 .7'/><joint damping='1'/>"
                      "<default class='a'><geom friction='.2' condim='1'/>"
                      "<default class='b'><geom friction='.3'/><joint damping='3'/></default></default>"
                      "<default class='c'><geom type='box'/></default></default>"
                      "<default><geom margin='.25'/></default>"
                      "<worldbody><body childclass='a'><joint name='j0'/><geom name='own'/><geom name='b' class='b'/>"
                      "<geom name='c' class='c'/><geom name='main' class='main' friction='.9'/>"
                      "<body><joint name='j1' class='b'/><geom name='inherited' size='.2'/>"
                      "<body childclass='c'><joint name='j2' axis='1 0 0'/><geom name='other' size='.2'/></body></body>"
                      "</body></worldbody></mujoco>");
  const struct { const char* name; double mu; int condim; ss_scene_shape shape; } cases[] = {
    {"own", 0.2, 1, SS_SCENE_SPHERE},       {"b", 0.3, 1, SS_SCENE_SPHERE}, {"c", 0.1, 3, SS_SCENE_BOX},
    {"main", 0.9, 3, SS_SCENE_SPHERE},      {"inherited", 0.2, 1, SS_SCENE_SPHERE},
    {"other", 0.1, 3, SS_SCENE_BOX}};
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++) {
    const ss_scene_geom* g = find_geom(s, cases[i].name);
    near_to(cases[i].name, g->friction[0], cases[i].mu);
    near_to("spin", g->friction[1], 0.005);
    near_to("margin", g->margin, 0.25);  // of the second <default>
    assert_true(s->n_notice > 0 && s->notice[0].fate == SS_SCENE_APPROXIMATED &&
                strcmp(s->notice[0].attribute, "margin") == 0);
    assert_int_equal(g->condim, cases[i].condim);
    assert_int_equal(g->shape, cases[i].shape);
  }
  // fewer numbers than there may be leave the others to the class
  all_near("size", 3, find_geom(s, "other")->size, (double[]){0.2, 0.6, 0.7});
  near_to("damping", s->tree.joint[0].damping, 1);
  near_to("damping", s->tree.joint[1].damping, 3);
  near_to("damping", s->tree.joint[2].damping, 1);
  ss_scene_destroy(s);
}

// ---- joints ----

static void test_joints(void** state)
{
  (void)state;
  ss_scene* s = parse("<mujoco><worldbody>"
                      "<body name='p'><geom size='.1'/>"
                      "<body name='late'><joint name='second' type='ball' range='0 90'/><geom size='.1'/></body>"
                      "<joint name='hinge' range='-90 45' ref='30' springref='60' stiffness='2' damping='3' "
                      "armature='.5' frictionloss='.25' axis='0 3 4' pos='1 2 3'/>"
                      "<joint name='slide' type='slide' range='-90 45' ref='30' limited='false'/></body>"
                      "<body name='f' pos='1 2 3' quat='0 0 0 2'><joint type='free' damping='.5'/>"
                      "<geom size='.1'/></body>"
                      "</worldbody></mujoco>");
  const ss_joint_def* j = s->tree.joint;
  assert_int_equal(s->tree.n_joint, 4);
  assert_string_equal(j[0].name, "hinge");  // joints of a body come before those below it
  assert_string_equal(j[1].name, "slide");
  assert_string_equal(j[2].name, "second");
  assert_string_equal(j[3].name, "#3");
  assert_int_equal(s->nq, 1 + 1 + 4 + 7);
  assert_int_equal(s->nv, 1 + 1 + 3 + 6);
  assert_true(j[0].limited && !j[1].limited && j[2].limited);
  all_near("range", 2, j[0].range, (double[]){-PI/2, PI/4});
  all_near("range", 2, j[2].range, (double[]){0, PI/2});
  near_to("ref", j[0].ref, PI/6);
  near_to("ref", j[1].ref, 30);
  near_to("springref", j[0].springref, PI/3);
  all_near("axis", 3, j[0].axis, (double[]){0, 0.6, 0.8});
  all_near("anchor", 3, j[0].anchor, (double[]){1, 2, 3});
  all_near("numbers", 4, (double[]){j[0].stiffness, j[0].damping, j[0].armature, j[0].friction},
           (double[]){2, 3, 0.5, 0.25});
  double q[13], u[11];
  ss_scene_initial(s, -1, q, u);
  all_near("q", 13, q, (double[]){PI/6, 30, 1, 0, 0, 0, 1, 2, 3, 0, 0, 0, 1});
  ss_tree* tree = ss_tree_create(&s->tree, NULL);
  assert_non_null(tree);
  assert_int_equal(ss_tree_nq(tree), s->nq);
  double reference[13];
  ss_tree_reference(tree, reference);
  all_near("reference", 13, reference, q);
  ss_tree_destroy(tree);
  ss_scene_destroy(s);
}

// A rod on a hinge at its end, level: u' = m g l/(J + m l^2)
static void test_pendulum(void** state)
{
  (void)state;
  ss_scene* s = parse("<mujoco><option gravity='0 0 -10'/><worldbody><body><joint axis='0 1 0'/>"
                      "<geom type='box' size='.5 .01 .01' pos='.5 0 0'/></body></worldbody></mujoco>");
  ss_error error;
  ss_tree* tree = ss_tree_create(&s->tree, &error);
  ss_tree_work* work = ss_tree_work_create(tree, &error);
  double q, u, du;
  ss_scene_initial(s, -1, &q, &u);
  ss_tree_set_position(work, &q);
  ss_tree_set_velocity(work, &u);
  assert_int_equal(ss_tree_forward(work, NULL, &du), SS_OK);
  near_to("acceleration", du, 10*0.5/((1 + 0.0004)/12 + 0.25));
  ss_tree_work_destroy(work);
  ss_tree_destroy(tree);
  ss_scene_destroy(s);
}

// ---- relations ----

#define TWO "<worldbody><geom name='floor' type='plane' friction='.3' restitution='.5'/><site name='w' pos='0 0 1'/>" \
  "<body name='a' pos='1 0 0'><joint name='x' type='slide'/><joint name='y' range='-1 3'/><geom name='ga' size='.1' " \
  "friction='.7' condim='1' margin='.01'/><site name='sa' pos='0 1 0' euler='0 0 90'/></body>" \
  "<body name='b' pos='0 2 0' euler='0 0 90'><freejoint/><geom name='gb' size='.1' priority='1' friction='.2' " \
  "condim='6' restitution='.25'/><site name='sb'/></body></worldbody>"

static void test_equalities(void** state)
{
  (void)state;
  ss_scene* s = parse("<mujoco>" TWO "<equality><connect name='c' body1='a' body2='b' anchor='0 2 0'/>"
                      "<weld body1='a' body2='b' anchor='1 0 0'/><weld body1='a' body2='b' relpose='1 2 3 0 0 0 4'/>"
                      "<weld body1='b'/><weld site1='sa' site2='sb' active='false'/><connect site1='w' site2='sb'/>"
                      "<joint joint1='x' joint2='y' polycoef='1 2 3'/><joint joint1='x'/></equality></mujoco>");
  const ss_scene_equality* q = s->equality;
  assert_int_equal(s->n_equality, 8);
  assert_string_equal(q[0].name, "c");
  assert_string_equal(q[1].name, "#1");
  all_near("connect a", 3, q[0].point_a, (double[]){0, 2, 0});
  all_near("connect b", 3, q[0].point_b, (double[]){0, -1, 0});  // 1 m along x of the world from b
  all_near("weld b", 3, q[1].point_b, (double[]){1, 0, 0});
  all_near("weld a", 3, q[1].point_a, (double[]){-1, 3, 0});
  all_near("weld", 4, q[1].rotation, (double[]){H, 0, 0, H});
  all_near("relpose", 3, q[2].point_a, (double[]){1, 2, 3});
  all_near("relpose", 4, q[2].rotation, (double[]){0, 0, 0, 1});
  assert_int_equal(q[3].body_b, SS_WORLD);
  all_near("to the world", 3, q[3].point_a, (double[]){-2, 0, 0});
  assert_true(q[0].active && !q[4].active);
  all_near("sites", 3, q[4].point_a, (double[]){0, 1, 0});
  all_near("sites", 4, q[4].rotation, (double[]){H, 0, 0, H});
  assert_int_equal(q[5].body_a, SS_WORLD);
  all_near("polycoef", 5, q[6].polycoef, (double[]){1, 2, 3, 0, 0});
  assert_int_equal(q[6].joint_b, 1);
  assert_int_equal(q[7].joint_b, -1);
  ss_scene_destroy(s);
}

// As in MuJoCo 2.2.2, "0 0" is no range: it undoes that of a class
static void test_no_range(void** state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    char text[900];
    snprintf(text, sizeof text,
             "<mujoco><compiler autolimits='%s'/><default><joint range='-1 1'/><tendon range='-1 1'/><motor "
             "ctrlrange='-1 1'/></default><worldbody><body name='b'><joint name='a' range='0 0'/><geom "
             "size='.1'/><body><joint type='ball' range='0 0'/><geom size='.1'/></body></body></worldbody>"
             "<tendon><fixed range='0 0'><joint joint='a' coef='1'/></fixed></tendon><actuator>"
             "<motor joint='a' ctrlrange='0 0' forcerange='0 0'/></actuator></mujoco>", k ? "false" : "true");
    ss_scene* s = parse(text);
    assert_true(!s->tree.joint[0].limited && !s->tree.joint[1].limited && !s->tendon[0].limited);
    assert_true(!s->actuator[0].ctrllimited && !s->actuator[0].forcelimited);
    ss_scene_destroy(s);
  }
}

static const ss_scene_notice* told(const ss_scene* s, const char* attribute, ss_scene_fate fate)
{
  for (int i = 0; i < s->n_notice; i++)
    if (strcmp(s->notice[i].attribute, attribute) == 0 && s->notice[i].fate == fate) return s->notice + i;
  return NULL;
}

// Pairs have the numbers of MuJoCo 2.2.2: their own, of their class, or of the language; none are those of the geoms
static void test_contact_lists(void** state)
{
  (void)state;
  ss_scene* s = parse("<mujoco><default><pair friction='.7'/><default class='k'><pair condim='4' friction='.3 .4' "
                      "restitution='.5'/></default></default>" TWO
                      "<contact><exclude body1='a' body2='world'/><pair geom1='floor' geom2='ga'/>"
                      "<pair geom1='ga' geom2='gb' class='k'/><pair geom1='ga' geom2='gb' condim='6' friction='.05' "
                      "margin='.01'/><pair geom1='ga' geom2='gb' class='k' friction='.1'/></contact></mujoco>");
  assert_int_equal(s->n_exclude, 1);
  assert_int_equal(s->exclude[0].body_a, 0);
  assert_int_equal(s->exclude[0].body_b, SS_WORLD);
  const int condim[] = {3, 4, 6, 4};
  const double friction[4][5] = {{.7, 1, .005, .0001, .0001}, {.3, .4, .005, .0001, .0001},
                                 {.05, 1, .005, .0001, .0001}, {.1, .4, .005, .0001, .0001}};
  const double restitution[] = {0, .5, 0, .5}, margin[] = {0, 0, .01, 0};
  for (int i = 0; i < 4; i++) {
    assert_int_equal(s->pair[i].condim, condim[i]);
    all_near("friction", 5, s->pair[i].friction, friction[i]);
    near_to("restitution", s->pair[i].restitution, restitution[i]);
    near_to("margin", s->pair[i].margin, margin[i]);
  }
  const ss_scene_notice* single = told(s, "friction", SS_SCENE_HONOURED);
  const ss_scene_notice* rebound = told(s, "restitution", SS_SCENE_HONOURED);
  assert_true(single && single->count == 3 && strstr(single->why, "no second number"));
  assert_true(rebound && rebound->count == 2);  // geoms have one, these pairs have not
  assert_non_null(told(s, "margin", SS_SCENE_APPROXIMATED));
  ss_scene_destroy(s);
}

// Without a pair: the greater numbers, or those of the geom of higher priority
static void test_combine(void** state)
{
  (void)state;
  ss_scene* s = parse("<mujoco>" TWO "</mujoco>");
  ss_scene_pair p;
  ss_scene_combine(s, 0, 1, &p);
  assert_int_equal(p.condim, 3);
  all_near("friction", 5, p.friction, (double[]){.7, .7, .005, .0001, .0001});
  near_to("restitution", p.restitution, 0.5);
  near_to("margin", p.margin, 0.01);
  ss_scene_combine(s, 1, 2, &p);
  assert_int_equal(p.condim, 6);
  near_to("friction", p.friction[0], 0.2);
  near_to("restitution", p.restitution, 0.25);
  ss_scene_destroy(s);
}

// What both numbers are given for is not told
static void test_pair_in_full(void** state)
{
  (void)state;
  ss_scene* s = parse("<mujoco>" TWO "<contact><pair geom1='floor' geom2='ga'/><pair geom1='ga' geom2='gb' condim='6' "
                      "friction='.05 .1 0 .2 .3' restitution='0'/></contact></mujoco>");
  all_near("friction", 5, s->pair[0].friction, (double[]){1, 1, .005, .0001, .0001});
  assert_int_equal(s->pair[0].condim, 3);
  assert_null(told(s, "friction", SS_SCENE_HONOURED));
  assert_int_equal(told(s, "restitution", SS_SCENE_HONOURED)->count, 1);
  ss_scene_destroy(s);
  s = parse("<mujoco>" TWO "<contact><pair geom1='ga' geom2='gb' condim='6' friction='.1 .1 0 .2' restitution='0'/>"
            "<pair geom1='floor' geom2='gb' condim='1' friction='.5' restitution='0'/></contact></mujoco>");
  assert_int_equal(told(s, "friction", SS_SCENE_HONOURED)->count, 1);
  assert_non_null(strstr(told(s, "friction", SS_SCENE_HONOURED)->why, "no fifth number"));
  ss_scene_destroy(s);
}

static void test_actuators_and_keys(void** state)
{
  (void)state;
  ss_scene* s = parse("<mujoco><default><motor ctrlrange='-2 2' gear='3'/><position kp='9'/></default>"
                      "<tendon><spatial name='t'/></tendon>" TWO
                      "<actuator><motor joint='x'/><motor tendon='t'/><position name='p' joint='y' kv='2' "
                      "forcerange='-5 5' ctrllimited='false'/><velocity joint='y' kv='4' gear='1'/>"
                      "<general joint='x' gainprm='6' biastype='affine' biasprm='1 2 3'/></actuator>"
                      "<keyframe><key name='k' time='2' qpos='1 2 3 4 5 0 0 0 2' qvel='1 2 3 4 5 6 7 8' "
                      "ctrl='1 2 3 4 5'/><key/></keyframe><stickslip key='k'/></mujoco>");
  const ss_scene_actuator* a = s->actuator;
  assert_int_equal(s->n_actuator, 4);
  assert_string_equal(a[0].kind, "motor");
  near_to("gear", a[0].gear[0], 3);
  near_to("gear", a[1].gear[0], 3);  // actuators of all kinds share their defaults
  assert_true(a[0].ctrllimited && !a[1].ctrllimited && a[1].forcelimited && !a[0].forcelimited);
  all_near("ctrlrange", 2, a[0].ctrlrange, (double[]){-2, 2});
  all_near("position", 4, (double[]){a[1].gain, a[1].bias[0], a[1].bias[1], a[1].bias[2]}, (double[]){9, 0, -9, -2});
  all_near("velocity", 4, (double[]){a[2].gain, a[2].bias[0], a[2].bias[1], a[2].bias[2]}, (double[]){4, 0, 0, -4});
  all_near("general", 4, (double[]){a[3].gain, a[3].bias[0], a[3].bias[1], a[3].bias[2]}, (double[]){6, 1, 2, 3});
  const ss_scene_key* k = s->key;
  near_to("time", k[0].time, 2);
  all_near("qpos", 9, k[0].qpos, (double[]){1, 2, 3, 4, 5, 0, 0, 0, 1});
  all_near("qvel", 8, k[0].qvel, (double[]){1, 2, 3, 4, 5, 6, 7, 8});
  all_near("ctrl", 4, k[0].ctrl, (double[]){1, 3, 4, 5});  // that of the tendon is left out
  all_near("qpos", 9, k[1].qpos, (double[]){0, 0, 0, 2, 0, H, 0, 0, H});
  assert_int_equal(s->run.key, 0);
  near_to("until", s->run.until, 3);  // a second after the start
  double q[9], u[8];
  ss_scene_initial(s, 0, q, u);
  all_near("q", 9, q, k[0].qpos);
  all_near("u", 8, u, k[0].qvel);
  ss_scene_destroy(s);
  s = parse("<mujoco><worldbody><body><joint name='j' range='-90 30'/><geom size='1'/></body></worldbody>"
            "<actuator><position joint='j' inheritrange='.5'/></actuator></mujoco>");
  all_near("ctrlrange", 2, s->actuator[0].ctrlrange, (double[]){-PI/3, 0});
  ss_scene_destroy(s);
}

// ---- settings ----

static void test_settings(void** state)
{
  (void)state;
  const char* body = "<worldbody><body><joint name='j' range='0 1' stiffness='1' damping='1' frictionloss='1'/>"
                     "<geom size='1'/></body></worldbody><equality><joint joint1='j'/></equality></mujoco>";
  char text[2000];
  snprintf(text, sizeof text, "<mujoco model='m'>%s", body);
  ss_scene* s = parse(text);
  assert_string_equal(s->name, "m");
  near_to("timestep", s->option.timestep, 0.002);
  all_near("gravity", 3, s->tree.gravity, (double[]){0, 0, -9.81});
  assert_true(s->option.contact && s->option.filterparent && s->option.actuation && s->option.clampctrl);
  assert_int_equal(s->run.scheme, SS_MOREAU);
  assert_int_equal(s->run.key, -1);
  ss_scene_destroy(s);
  snprintf(text, sizeof text,
           "<mujoco><option timestep='.1' gravity='1 2 3'><flag contact='disable' limit='disable' passive='disable' "
           "frictionloss='disable' equality='disable' actuation='disable'/></option><option timestep='.2'/>"
           "<stickslip scheme='euler' solver='newton' cone='polyhedral' facets='12' impact='poisson' tolerance='1e-6' "
           "iterations='50' project='true' until='3'/>%s", body);
  s = parse(text);
  near_to("timestep", s->option.timestep, 0.2);  // the last one counts
  all_near("gravity", 3, s->tree.gravity, (double[]){1, 2, 3});
  assert_true(!s->option.contact && !s->option.actuation && !s->equality[0].active && !s->tree.joint[0].limited);
  assert_true(s->tree.joint[0].stiffness == 0 && s->tree.joint[0].damping == 0 && s->tree.joint[0].friction == 0);
  assert_int_equal(s->run.scheme, SS_EULER);
  assert_int_equal(s->run.solver.method, SS_FRICTION_NEWTON);
  assert_int_equal(s->run.solver.facets, 12);
  assert_true(s->run.solver.polyhedral && s->run.project == SS_PROJECTION_ON);
  assert_int_equal(s->run.impact, SS_IMPACT_POISSON);
  near_to("tolerance", s->run.solver.tol, 1e-6);
  assert_int_equal(s->run.solver.max_iter, 50);
  near_to("until", s->run.until, 3);
  ss_scene_destroy(s);
  snprintf(text, sizeof text, "<mujoco><option><flag gravity='disable'/></option>%s", body);
  s = parse(text);
  all_near("gravity", 3, s->tree.gravity, (double[]){0, 0, 0});
  ss_scene_destroy(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_round_shapes),   cmocka_unit_test(test_box_and_ellipsoid),
    cmocka_unit_test(test_dumbbell),       cmocka_unit_test(test_turned_geom),
    cmocka_unit_test(test_inertial),       cmocka_unit_test(test_compiler_masses), cmocka_unit_test(test_mass_sources),
    cmocka_unit_test(test_meshes),         cmocka_unit_test(test_orientations),
    cmocka_unit_test(test_fromto),         cmocka_unit_test(test_frames),
    cmocka_unit_test(test_replicas),       cmocka_unit_test(test_defaults),
    cmocka_unit_test(test_joints),         cmocka_unit_test(test_pendulum),
    cmocka_unit_test(test_equalities),     cmocka_unit_test(test_contact_lists),
    cmocka_unit_test(test_pair_in_full),   cmocka_unit_test(test_combine),
    cmocka_unit_test(test_no_range),
    cmocka_unit_test(test_actuators_and_keys), cmocka_unit_test(test_settings)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
