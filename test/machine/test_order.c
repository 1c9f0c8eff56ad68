// Bodies on more contacts than they need, which slide and spin: the contact laws allow several motions. Which one comes
// out must not hang on the order of feet in the file, on directions of axes, or on left and right; and it is told.
#include "draw.h"
#include "machine/play.h"

enum { MOST = 8 };

typedef struct table {
  int n;
  double x[MOST], y[MOST];      // feet
  double height, mass, I[2];    // of the centre; about the axis and across
  double v[2], spin, mu;
} table;

static table random_table(int n, bool regular)
{
  table t = {.n = n, .height = uniform(0.02, 0.08), .mass = uniform(0.5, 2),
             .I = {uniform(4e-3, 1e-2), uniform(4e-3, 1e-2)},
             .v = {uniform(-1, 1), uniform(-1, 1)}, .spin = uniform(-8, 8), .mu = uniform(0.1, 0.5)};
  for (int i = 0; i < n; i++) {
    double angle = regular ? 2*M_PI*i/n : uniform(0, 2*M_PI), r = regular ? 0.1 : uniform(0.05, 0.15);
    t.x[i] = r*cos(angle);
    t.y[i] = r*sin(angle);
  }
  return t;
}

// The table with its feet in another order, turned by an angle, and mirrored (side -1)
static play start_table(const table* t, const int* order, double angle, int side, ss_integrator integrator)
{
  char text[6000];
  size_t n = 0;
  double c = cos(angle), s = sin(angle), vx = c*t->v[0] - s*side*t->v[1], vy = s*t->v[0] + c*side*t->v[1];
  n += (size_t)snprintf(text, sizeof text, "<mujoco><option timestep='1e-3'/><default><geom friction='%.17g'/>"
    "</default><worldbody><geom type='plane' size='0 0 1'/><body><freejoint/><inertial pos='0 0 0' mass='%.17g' "
    "diaginertia='%.17g %.17g %.17g'/>", t->mu, t->mass, t->I[1], t->I[1], t->I[0]);
  for (int i = 0; i < t->n; i++)
    n += (size_t)snprintf(text + n, sizeof text - n, "<geom size='.01' pos='%.17g %.17g %.17g' mass='0'/>",
                          t->x[order[i]], side*t->y[order[i]], 0.01 - t->height);
  snprintf(text + n, sizeof text - n, "</body></worldbody><keyframe><key qpos='0 0 %.17g %.17g 0 0 %.17g' "
    "qvel='%.17g %.17g 0 0 0 %.17g'/></keyframe><stickslip key='#0'/></mujoco>", t->height, cos(angle/2), sin(angle/2),
    vx, vy, side*t->spin);
  play p = start_text(text);
  p.def.integrator = integrator;
  return p;
}

typedef struct motion {
  double x, y, turned, v[2], spin;
  long several;
} motion;

// Where it is after so many steps, seen from the frame in which it began
static motion end_of(play* p, int steps, double angle, int side)
{
  for (int i = 0; i < steps; i++) step(p, NULL);
  const double *q = p->s->q, *u = p->s->u;
  double c = cos(angle), s = sin(angle), turned = 2*atan2(q[6], q[3]) - angle;
  motion m = {.x = c*q[0] + s*q[1], .y = side*(c*q[1] - s*q[0]), .turned = side*remainder(turned, 2*M_PI),
              .v = {c*u[0] + s*u[1], side*(c*u[1] - s*u[0])}, .spin = side*u[5],
              .several = ss_ledger_get_counts(p->ledger)->several_motions};
  stop(p);
  return m;
}

static void same(motion a, motion b)
{
  near(a.x, b.x, 1e-10);
  near(a.y, b.y, 1e-10);
  near(a.turned, b.turned, 1e-10);
  for (int k = 0; k < 2; k++) near(a.v[k], b.v[k], 1e-10);
  near(a.spin, b.spin, 1e-9);
}

static void shuffle(int n, int* order)
{
  for (int i = n - 1; i > 0; i--) {
    int j = (int)uniform(0, i + 1), keep = order[i];
    order[i] = order[j];
    order[j] = keep;
  }
}

// Four equal feet in all orders: the angle of least norm
static void test_four_feet(void** state)
{
  (void)state;
  table t = {.n = 4, .x = {0.1, 0, -0.1, 0}, .y = {0, 0.1, 0, -0.1}, .height = 0.02, .mass = 1, .I = {6e-3, 6e-3},
             .v = {1, 0}, .spin = 5, .mu = 0.3};
  motion first = {0};
  for (int k = 0; k < 24; k += LESS) {
    int order[4], left[4] = {0, 1, 2, 3};
    for (int i = 0, code = k; i < 4; code /= 4 - i, i++) {
      int j = code%(4 - i);
      order[i] = left[j];
      memmove(left + j, left + j + 1, sizeof(int)*(size_t)(3 - j));
    }
    play p = start_table(&t, order, 0, 1, SS_MOREAU);
    motion m = end_of(&p, 400, 0, 1);
    if (k == 0) first = m;
    same(m, first);
    near(m.turned, 0.9376, 5e-5);
    assert_true(m.several > 300);
  }
}

// Tables on three to eight feet in random orders, turned and mirrored. Three feet are enough to know the motion by,
// and those of a regular polygon always carry.
static void test_tables(void** state)
{
  (void)state;
  static const ss_integrator integrators[] = {SS_MOREAU, SS_JEAN, SS_EULER};
  for (int k = 0; k < 48; k += LESS) {
    seed = (unsigned long)k + 1;
    bool regular = k & 1;
    table t = random_table(3 + k%6, regular);
    int order[MOST] = {0, 1, 2, 3, 4, 5, 6, 7};
    ss_integrator integrator = integrators[k/6%3];
    play p = start_table(&t, order, 0, 1, integrator);
    motion m = end_of(&p, 300, 0, 1);
    if (t.n == 3) assert_int_equal(m.several, 0);
    else if (regular) assert_true(m.several > 0);
    for (int other = 0; other < 3; other++) {
      double angle = other == 1 ? uniform(0, 6) : 0;
      int side = other == 2 ? -1 : 1;
      shuffle(t.n, order);
      p = start_table(&t, order, angle, side, integrator);
      same(end_of(&p, 300, angle, side), m);
    }
  }
}

// A box that slides and spins on its corners, turned and mirrored
static play start_box(const double half[3], double yaw, double angle, int side, double spin)
{
  char text[1500];
  double turn = angle + side*yaw, v[2] = {cos(angle), sin(angle)};
  snprintf(text, sizeof text, "<mujoco><option timestep='1e-3'/><default><geom friction='.3'/></default><worldbody>"
    "<geom type='plane' size='0 0 1'/><body><freejoint/><geom type='box' size='%.17g %.17g %.17g'/></body></worldbody>"
    "<keyframe><key qpos='0 0 %.17g %.17g 0 0 %.17g' qvel='%.17g %.17g 0 0 0 %.17g'/></keyframe><stickslip key='#0'/>"
    "</mujoco>", half[0], half[1], half[2], half[2], cos(turn/2), sin(turn/2), v[0], v[1], side*spin);
  return start_text(text);
}

static void test_boxes(void** state)
{
  (void)state;
  for (int k = 0; k < 20; k += LESS) {
    seed = (unsigned long)k + 100;
    double half[3] = {uniform(0.05, 0.2), uniform(0.05, 0.2), uniform(0.02, 0.05)}, yaw = uniform(0, 6);
    double spin = uniform(-8, 8), angle = uniform(0, 6);
    play p = start_box(half, yaw, 0, 1, spin);
    motion m = end_of(&p, 300, yaw, 1);
    m.turned = remainder(m.turned, 2*M_PI);
    double c = cos(yaw), s = sin(yaw), x = c*m.x - s*m.y, y = s*m.x + c*m.y;  // back into the world
    for (int side = -1; side <= 1; side += 2) {
      p = start_box(half, yaw, angle, side, spin);
      motion o = end_of(&p, 300, angle, side);
      near(o.x, x, 1e-10);
      near(o.y, y, 1e-10);
      near(o.spin, m.spin, 1e-9);
    }
    assert_true(m.several > 0);
  }
}

// Normal forces of the corners of a box: the largest difference of those before or behind, and one of each
static void corners(const play* p, double* off, double* front, double* back)
{
  const ss_step_info* info = ss_work_info(p->w);
  double least[2] = {INFINITY, INFINITY}, most[2] = {0, 0};
  assert_int_equal(info->n_contact, 4);
  for (int i = 0; i < 4; i++) {
    int k = info->item[i].point[0] > p->s->q[0];
    double F = info->contact[i].Lambda[0]/p->def.dt;
    least[k] = fmin(least[k], F);
    most[k] = fmax(most[k], F);
  }
  *off = fmax(most[0] - least[0], most[1] - least[1]);
  *back = most[0];
  *front = most[1];
}

// Straight sliding: m g/4 -+ mu m g h/(2 l); at rest all alike
static void test_corner_forces(void** state)
{
  (void)state;
  double off, front, back;
  play p = start_text("<mujoco><option timestep='1e-3'/><default><geom friction='.3'/></default><worldbody>"
    "<geom type='box' size='20 20 1' pos='0 0 -1'/><body><freejoint/><geom type='box' size='.2 .1 .15' mass='2'/>"
    "</body></worldbody><keyframe><key qpos='0 0 .15 1 0 0 0' qvel='2 0 0 0 0 0'/></keyframe><stickslip key='#0'/>"
    "</mujoco>");
  go(&p, 0.3);
  corners(&p, &off, &front, &back);
  near(off, 0, 1e-9);
  near(front, 6.0086, 1e-3);
  near(back, 3.8014, 1e-3);
  go(&p, 1);
  corners(&p, &off, &front, &back);
  near(off, 0, 1e-9);
  near(front, 2*9.81/4, 1e-9);
  near(back, 2*9.81/4, 1e-9);
  assert_int_equal(ss_work_info(p.w)->choice, SS_CHOICE_FORCES);
  stop(&p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_four_feet), cmocka_unit_test(test_tables),
                                     cmocka_unit_test(test_boxes), cmocka_unit_test(test_corner_forces)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
