// Nothing passes through anything: a bullet of 1 cm at 100 m/s against a plate of 1 mm, steps of 1 ms, at any angle and
// from any distance; rebounds, other shapes, a plate that moves, two plates; and nothing else is held up.
#include "machine/play.h"

static uint64_t seed = 7;

static double uniform(void)
{
  seed = seed*6364136223846793005ull + 1442695040888963407ull;
  return (double)(int64_t)(seed >> 11)/(double)(1ull << 52) - 1;
}

static const char* const bullets[] = {
  "<geom name='bullet' size='.01' %s/>",
  "<geom name='bullet' size='.005' %s/>",
  "<geom name='bullet' type='capsule' size='.005 .005' %s/>",
  "<geom name='bullet' type='box' size='.01 .01 .01' %s/>",
  "<geom name='bullet' type='cylinder' size='.01 .01' %s/>",
  "<geom name='bullet' type='ellipsoid' size='.01 .005 .01' %s/>",
};

// With the inertia of a ball: after such hits others spin faster than a step of 1 ms can follow
static play shoot(const char* bullet, const char* surface, const char* plates)
{
  char geom[200], text[1300];
  snprintf(geom, sizeof geom, bullet, surface);
  snprintf(text, sizeof text, "<mujoco><option gravity='0 0 0' timestep='0.001'/><worldbody>%s<body pos='0 0 1'>"
           "<freejoint/><inertial pos='0 0 0' mass='.01' diaginertia='1e-6 1e-6 1e-6'/>%s</body></worldbody></mujoco>",
           plates, geom);
  return start_text(text);
}

#define PLATE "<geom name='plate' type='box' size='3 3 .0005'/>"

// At a random angle (up to 85 degrees from the normal) and distance, with a spin
static void aim(play* p, double speed)
{
  double angle = 85*3.14159265358979323846/180*fabs(uniform()), turn = 3.14*uniform(), far = 0.3*(uniform() + 1.1);
  double d[3] = {sin(angle)*cos(turn), sin(angle)*sin(turn), -cos(angle)};
  for (int i = 0; i < 3; i++) {
    p->s->q[i] = -far*d[i];
    p->s->u[i] = speed*d[i];
    p->s->u[3 + i] = 20*uniform();
  }
  p->s->q[2] = fmax(p->s->q[2], 0.03);
  for (int i = 0; i < 4; i++) p->s->q[3 + i] = uniform();
  double n = 0;
  for (int i = 3; i < 7; i++) n += p->s->q[i]*p->s->q[i];
  for (int i = 3; i < 7; i++) p->s->q[i] /= sqrt(n);
}

// Spins of 4 rad in a step, after a hit with friction, are more than the rounds of jean can follow: it says so
static void fire(ss_integrator integrator, double theta)
{
  const char* surfaces[] = {"", "restitution='1'", "restitution='.5' friction='0'"};
  for (int k = 0; k < 6; k++)
    for (int s = 0; s < 3; s++) {
      play p = shoot(bullets[k], surfaces[s], PLATE);
      p.def.integrator = integrator;
      p.def.theta = theta;
      for (int shot = 0; shot < 40; shot++) {
        aim(&p, shot%4 == 3 ? 5 : 100);
        int hits = 0;
        for (int i = 0; i < 30; i++) {
          ss_status st = ss_step(p.system, &p.def, p.s, p.w);
          bool solved = st == SS_OK || (integrator == SS_JEAN && st == SS_INACCURATE);
          if (!solved) fail_msg("bullet %d: %s", k, ss_status_text(st));
          if (!(p.s->q[2] > 0)) fail_msg("bullet %d is behind the plate, at %g", k, p.s->q[2]);
          hits += ss_work_info(p.w)->n_active;
        }
        if (shot%4 != 3 && hits == 0 && hypot(p.s->q[0], p.s->q[1]) < 2.9) fail_msg("bullet %d has hit nothing", k);
      }
      stop(&p);
    }
}

static void test_bullets(void** state)
{
  (void)state;
  fire(SS_MOREAU, 0.5);
  fire(SS_EULER, 0.5);
  for (int k = 0; k < 3; k++) fire(SS_JEAN, 0.5 + 0.25*k);
}

// Between two plates it goes to and fro for good; its speed stays, for it loses none
static void test_between(void** state)
{
  (void)state;
  play p = shoot(bullets[0], "restitution='1' friction='0' priority='1'",
                 PLATE "<geom name='lid' type='box' size='3 3 .0005' pos='0 0 .2'/>");
  p.s->q[2] = 0.1;
  p.s->u[2] = 100;
  int turns = 0;
  for (int i = 0; i < 1000; i++) {
    double before = p.s->u[2];
    step(&p, NULL);
    turns += before*p.s->u[2] < 0;
    near(fabs(p.s->u[2]), 100, 1e-9);
    assert_true(p.s->q[2] > 0 && p.s->q[2] < 0.2);
  }
  assert_true(turns > 300);
  stop(&p);
}

// A plate that a bullet knocks on takes its momentum
static void test_moving_plate(void** state)
{
  (void)state;
  play p = shoot(bullets[0], "",
                 "<body><freejoint/><geom name='plate' type='box' size='.5 .5 .0005' density='8000'/></body>");
  const double *v = NULL, *u = NULL;
  const double* z = joint_q(&p, p.scene->tree.joint[0].name, &v);
  const double* x = joint_q(&p, p.scene->tree.joint[1].name, &u);
  ((double*)u)[2] = -100;
  double mass = p.scene->tree.body[0].mass, m = p.scene->tree.body[1].mass;
  for (int i = 0; i < 40; i++) {
    step(&p, NULL);
    assert_true(x[2] > z[2]);
  }
  near(v[2], -100*m/(mass + m), 1e-9);
  near(u[2], v[2], 1e-9);
  stop(&p);
}

// A ball of 1 cm at the end of an arm, whose joints make it fast in different ways: 50 to 200 m/s at the tip, alone or
// together, from different angles; the centre of the ball stays above the plate
static void test_arms(void** state)
{
  (void)state;
  static const struct {
    const char* arm;
    double u[3];
  } arms[] = {
    {"<joint type='hinge' axis='0 1 0'/><geom name='tip' pos='1 0 0' size='.01'/>", {100}},
    {"<joint type='hinge' axis='0 1 0' pos='-1 0 0'/><geom name='tip' size='.01'/>", {100}},
    {"<joint type='ball' pos='-.5 0 0'/><geom name='tip' pos='.5 0 0' size='.01'/>", {0, 100, 0}},
    {"<joint type='slide' axis='0 0 -1'/><geom name='tip' size='.01'/>", {100}},
    {"<inertial pos='0 0 0' mass='1' diaginertia='.1 .1 .1'/><joint type='hinge' axis='0 1 0'/><body pos='.5 0 0'>"
     "<joint type='hinge' axis='0 1 0'/><geom name='tip' pos='.5 0 0' size='.01'/></body>", {100, 0}},
    {"<inertial pos='0 0 0' mass='1' diaginertia='.1 .1 .1'/><joint type='hinge' axis='0 1 0'/><body>"
     "<joint type='slide' axis='1 0 0'/><geom name='tip' pos='1 0 0' size='.01'/></body>", {100, 1}},
  };
  char text[900];
  for (int k = 0; k < 6; k++)
    for (int shot = 0; shot < 20; shot++) {
      snprintf(text, sizeof text, "<mujoco><option gravity='0 0 0' timestep='0.001'/><worldbody><geom name='plate' "
               "type='box' size='3 3 .0005'/><body pos='0 0 %.17g'>%s</body></worldbody></mujoco>",
               0.05 + 0.2*(uniform() + 1), arms[k].arm);
      play p = start_text(text);
      int hits = 0;
      for (int i = 0; i < p.s->nv; i++) p.s->u[i] = arms[k].u[i]*(0.5 + 0.5*(shot%4));
      for (int i = 0; i < 15; i++) {
        step(&p, NULL);
        const ss_step_info* info = ss_work_info(p.w);
        hits += info->n_active;
        if (!(info->penetration < 0.01)) fail_msg("arm %d is %g deep in the plate", k, info->penetration);
      }
      if (hits == 0) fail_msg("arm %d has hit nothing, shot %d", k, shot);
      stop(&p);
    }
}

// What is stopped stops with all that loops tie to it, also through others, and with nothing else: a ball far away goes
// on as if it were alone, and so do two bodies that are tied to one another.
static void test_ties(void** state)
{
  (void)state;
  play p = start_text(
    "<mujoco><option gravity='0 0 0' timestep='0.001'/><default><geom size='.005' mass='.1'/></default><worldbody>"
    "<geom name='plate' type='box' size='3 3 .0005'/><geom name='lid' type='box' size='3 3 .0005' pos='0 0 .4'/>"
    "<body name='bullet' pos='1 0 .23'><freejoint name='bullet'/><geom restitution='1' priority='1'/></body>"
    "<body name='ball' pos='0 9 0'><freejoint name='ball'/><geom/></body>"
    "<body name='a' pos='0 0 .2'><freejoint name='a'/><geom/></body>"
    "<body name='far1' pos='0 12 0'><freejoint name='far1'/><geom/></body>"
    "<body name='b' pos='0 0 .3'><freejoint name='b'/><geom/></body>"
    "<body name='c' pos='0 0 .13'><freejoint name='c'/><geom/></body>"
    "<body name='far2' pos='0 13 0'><freejoint name='far2'/><geom/></body></worldbody><equality>"
    "<weld body1='far2' body2='far1'/><weld body1='c' body2='b'/><weld body1='b' body2='a'/></equality></mujoco>");
  static const char* const names[] = {"bullet", "ball", "a", "b", "c", "far1", "far2"};
  const double *q[7], *u[7];
  for (int i = 0; i < 7; i++) q[i] = joint_q(&p, names[i], u + i);
  ((double*)u[1])[1] = 20;
  ((double*)u[1])[2] = -3;
  ((double*)u[5])[0] = ((double*)u[6])[0] = 30;
  ((double*)u[0])[2] = 100;
  for (int i = 2; i < 5; i++) ((double*)u[i])[2] = -100;
  for (int i = 0; i < 200; i++) {
    step(&p, NULL);
    assert_true(q[0][2] > 0 && q[0][2] < 0.4 && q[4][2] > 0);
    near(q[2][2] - q[4][2], 0.07, 1e-9);
    near(q[3][2] - q[4][2], 0.17, 1e-9);
  }
  near(fabs(u[0][2]), 100, 1e-9);
  near(u[4][2], 0, 1e-9);
  near(q[1][1], 13, 1e-12);
  near(q[1][2], -0.6, 1e-12);
  near(q[5][0], 6, 1e-12);
  near(q[6][0], 6, 1e-12);
  stop(&p);
}

// Near the edge of a thick block, 2 cm from its side: it stays on top, and does not come out at the side and go on
static void test_thick(void** state)
{
  (void)state;
  for (int k = 0; k < 20; k++) {
    play p = shoot(bullets[0], "", "<geom name='block' type='box' size='1 1 .5' pos='0 0 -.5'/>");
    p.s->q[0] = 0.98;
    p.s->q[2] = 0.3 + 0.005*k;
    p.s->u[2] = -100;
    go(&p, 0.02);
    near(p.s->q[0], 0.98, 1e-9);
    near(p.s->q[2], 0.01, 1e-5);  // a thousandth of it
    near(p.s->u[2], 0, 1e-9);
    stop(&p);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_bullets), cmocka_unit_test(test_between),
                                     cmocka_unit_test(test_moving_plate), cmocka_unit_test(test_arms),
                                     cmocka_unit_test(test_ties), cmocka_unit_test(test_thick)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
