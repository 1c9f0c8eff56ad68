// Scenes on height fields: what slides or rolls there moves as on a plane, and nothing catches on inner edges; a ball
// on waves is the ball on finer waves; files of fields.
#include "machine/play.h"
#include "io/folder.h"

#define G 9.81
#define PI 3.14159265358979323846

// A scene with a field of rows x cols, z = elevation f(x, y) where f is 0 to 1
typedef double shape(double x, double y);

static char* scene_on(const char* body, int rows, int cols, double half_x, double half_y, double elevation,
                      shape* f, const char* option)
{
  size_t room = 4000 + (size_t)(rows*cols)*26, n = 0;
  char* text = malloc(room);
  assert_non_null(text);
  n += (size_t)snprintf(text, room, "<mujoco><option %s/><asset><hfield name='h' nrow='%d' ncol='%d' size='%g %g %g 1' "
                        "elevation='", option, rows, cols, half_x, half_y, elevation);
  for (int r = rows - 1; r >= 0; r--)  // as a picture: the greatest y first
    for (int c = 0; c < cols; c++)
      n += (size_t)snprintf(text + n, room - n, "%.17g ",
                            f(half_x*(2.0*c/(cols - 1) - 1), half_y*(2.0*r/(rows - 1) - 1)));
  snprintf(text + n, room - n, "'/></asset><worldbody><geom name='ground' type='hfield' hfield='h'/>%s</worldbody>"
           "</mujoco>", body);
  return text;
}

static play start_on(char* text)
{
  play p = start_text(text);
  free(text);
  return p;
}

static void assert_close(double a, double b, double tolerance, const char* what)
{
  if (!(fabs(a - b) <= tolerance)) fail_msg("%s is %.17g; it should be %.17g to %.3g", what, a, b, tolerance);
}

static double level(double x, double y) { return (void)x, (void)y, 0; }

// A cube pushed over a level field of many cells, askew: v = v0 - mu g t along its way, no lift, no turn
static void test_slide(void** state)
{
  (void)state;
  const char* bodies[] = {
    "<body pos='-3 -1 .1'><freejoint/><geom type='box' size='.1 .1 .1' friction='.2' priority='1'/></body>",
    "<body pos='0 0 .1' euler='0 0 9'><freejoint/><geom type='box' size='.1 .2 .1' friction='.2' priority='1'/></body>",
    "<body pos='-3 -1 .1'><freejoint/><geom type='cylinder' size='.1 .1' friction='.2' priority='1'/></body>",
  };
  for (int k = 0; k < 3; k++) {
    play p = start_on(scene_on(bodies[k], 41, 71, 4, 2, 1, level, "timestep='0.001'"));
    p.s->u[0] = 3;
    p.s->u[1] = 1;
    double speed = hypot(3, 1);
    for (int i = 0; i < 500; i++) step(&p, NULL);
    double v = hypot(p.s->u[0], p.s->u[1]);
    assert_close(v, speed - 0.2*G*0.5, 1e-9, "speed");
    assert_close(p.s->u[1]/p.s->u[0], 1.0/3, 1e-9, "direction");
    assert_close(p.s->q[2], 0.1, 1e-9, "height");
    for (int i = 2; i < 6; i++) assert_close(p.s->u[i], 0, 1e-8, "other velocities");
    stop(&p);
  }
}

static double waves(double x, double y) { return (void)y, 0.5*(1 + cos(PI*x)); }

// A ball let go on a wave: after 0.7 s it is where it is on finer waves, the nearer the finer they are, and on the wave
static void test_roll(void** state)
{
  (void)state;
  const char* ball = "<body pos='.3 0 .32'><freejoint/><geom size='.1' friction='1'/></body>";
  double x[3], height[3];
  for (int k = 0; k < 3; k++) {
    play p = start_on(scene_on(ball, 3, (100 << k) + 1, 2, 1, 0.2, waves, "timestep='0.001'"));
    for (int i = 0; i < 700; i++) step(&p, NULL);
    x[k] = p.s->q[0];
    height[k] = p.s->q[2];
    assert_close(p.s->q[1], 0, 1e-9, "the way across");
    stop(&p);
  }
  assert_true(x[0] > 0.6);
  assert_close(x[0], x[2], 0.006, "place on coarse waves");
  assert_close(x[1], x[2], 0.5*fabs(x[0] - x[2]), "place on finer waves");
  for (int k = 0; k < 3; k++) {  // on the wave: z is that of a ball on it, at its x
    double at = x[k], slope, f = 0;
    for (int i = 0; i < 50; i++) {  // the point that touches: x - r sin(slope)
      slope = -0.1*PI*sin(PI*at);
      at = x[k] + 0.1*slope/sqrt(1 + slope*slope);
      f = 0.2*waves(at, 0) + 0.1/sqrt(1 + slope*slope);
    }
    assert_close(height[k], f, 2e-3, "height of the ball");
  }
}

// A box that slides without friction from level ground onto a slope of 0.1: it neither stops at the crease nor at the
// edges between the cells, and rests on the slope with its normal. It loses what is across the slope, no more.
static double ramp(double x, double y) { return (void)y, x > 0 ? x/4 : 0; }

static void test_ramp(void** state)
{
  (void)state;
  const char* box = "<body pos='-1 0 .1'><freejoint/><geom type='box' size='.2 .2 .1' friction='0' priority='1'/>"
    "</body>";
  play p = start_on(scene_on(box, 9, 41, 4, 1, 0.4, ramp, "timestep='0.001'"));
  p.s->u[0] = 3;
  for (int i = 0; i < 700; i++) step(&p, NULL);
  double slope = atan(0.1), tilt = 2*atan2(-p.s->q[5], p.s->q[3]);
  assert_true(p.s->q[0] > 0.8);
  double late = 3*p.def.dt*0.1;  // a step of time stepping goes so far into the slope
  assert_close(tilt, slope, late/0.4, "tilt");
  assert_close(p.s->q[2], 0.1*p.s->q[0] + 0.1/cos(slope), late, "height over the slope");
  double energy = 0.5*(p.s->u[0]*p.s->u[0] + p.s->u[2]*p.s->u[2]) + G*(p.s->q[2] - 0.1);
  assert_true(energy < 0.5*9 && energy > 0.5*9*cos(slope)*cos(slope) - 0.05);
  stop(&p);
}

static double hills(double x, double y) { return 0.25*(2 + cos(PI*x) + cos(2*PI*y)); }

// Bodies that fall on slopes with an edge or an end: the impact turns the sliding around, and sticks. What friction
// loses never falls, and the books close.
static void test_losses(void** state)
{
  (void)state;
  const char* bodies[] = {
    "<body pos='.3 .1 .42' euler='80 0 0'><freejoint/><geom type='cylinder' size='.1 .08' friction='.5'/></body>",
    "<body pos='.3 .1 .42' euler='80 0 0'><freejoint/><geom type='capsule' size='.05 .1' friction='.5'/></body>",
    "<body pos='.3 .1 .42'><freejoint/><geom type='box' size='.1 .08 .06' friction='.5'/></body>",
  };
  for (int k = 0; k < 3; k++) {
    play p = start_on(scene_on(bodies[k], 9, 11, 2, 1, 0.2, hills, "timestep='0.001'"));
    const ss_energy_ledger* e = ss_ledger_energy(p.ledger);
    double before = 0, start = NAN;
    for (int i = 0; i < 600; i++) {
      step(&p, NULL);
      if (i == 0) start = ss_work_info(p.w)->before.kinetic + ss_work_info(p.w)->before.potential;
      if (e->loss_friction < before) fail_msg("body %d, t = %g: friction gives energy", k, p.s->t);
      before = e->loss_friction;
    }
    assert_true(e->loss_normal > 0.5 && e->loss_friction > 0.01);
    assert_close(e->kinetic + e->potential - start, e->work_projection - e->loss_normal - e->loss_friction + e->defect,
                 1e-12, "T + V");
    assert_true(fabs(e->defect) < 1e-2);
    stop(&p);
  }
}

// The same field as text and as a file: rows of a text are those of a picture
static void test_file(void** state)
{
  (void)state;
  const char* text = "<mujoco><asset><hfield name='t' nrow='2' ncol='3' size='1 2 .5 .1' elevation='1 2 3 0 5 4'/>"
    "<hfield file='hill.bin' size='1 2 .5 .1'/></asset><worldbody><geom type='hfield' hfield='t'/>"
    "<geom type='hfield' hfield='hill' pos='5 0 0'/><body><freejoint/><geom size='1'/></body></worldbody></mujoco>";
  const unsigned char data[] = {2, 0, 0, 0,   3, 0, 0, 0,   0, 0, 0, 0, 0, 0, 160, 64,
                                0, 0, 128, 64, 0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64};  // 2 x 3: 0 5 4, 1 2 3
  folder f = open_folder();
  write_bytes(&f, "hill.bin", data, sizeof data);
  write_text(&f, "scene.xml", text);
  ss_error error = {0};
  ss_scene* scene = ss_scene_load(in_folder(&f, "scene.xml"), 0, NULL, &error);
  if (!scene) fail_msg("%s", error.text);
  play p = start_scene(scene);
  assert_int_equal(p.scene->n_hfield, 2);
  const double expected[6] = {0, .5, .4, .1, .2, .3};
  for (int k = 0; k < 2; k++) {
    const ss_scene_hfield* h = p.scene->hfield + k;
    assert_int_equal(h->n_row, 2);
    assert_int_equal(h->n_col, 3);
    for (int i = 0; i < 6; i++) assert_close(h->height[i], expected[i], 1e-15, "height");
  }
  step(&p, NULL);
  stop(&p);
  close_folder(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_slide), cmocka_unit_test(test_roll),
                                     cmocka_unit_test(test_ramp), cmocka_unit_test(test_losses),
                                     cmocka_unit_test(test_file)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
