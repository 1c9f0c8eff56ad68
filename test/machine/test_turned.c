// A scene that is turned as a whole, with its gravity, moves as before, turned: which contacts take part in a step of
// `euler` does not hang on the axes of the world.
#include "machine/play.h"
#include "math/vec3.h"

enum { BALLS = 5, BOXES = 6, TURNS = 40, STEPS = 60 };
static const double radius = 0.05;

// Turns about axes in all directions, the first one by nothing
static ss_quat turn_of(int k)
{
  ss_vec3 axis = {cos(2.4*k), sin(2.4*k), 1 - 2*(k + 0.5)/TURNS};
  return ss_quat_exp(ss_scale(0.1*k, axis));
}

static ss_vec3 unturned(ss_quat turn, const double* x)
{
  return ss_quat_rotate((ss_quat){turn.w, -turn.x, -turn.y, -turn.z}, ss_vec3_from(x));
}

// Positions, and rotations as numbers w x y z
static void write_key(size_t n, double (*x)[3], ss_quat turn, char* text, size_t room)
{
  size_t end = (size_t)snprintf(text, room, "<key qpos='");
  for (size_t i = 0; i < n; i++) {
    ss_vec3 p = ss_quat_rotate(turn, ss_vec3_from(x[i]));
    end += (size_t)snprintf(text + end, room - end, "%.17g %.17g %.17g %.17g %.17g %.17g %.17g ", p.x, p.y, p.z, turn.w,
                            turn.x, turn.y, turn.z);
  }
  snprintf(text + end, room - end, "'/>");
}

static play start_turned(const char* bodies, size_t n, double (*x)[3], ss_quat turn)
{
  char text[6000], key[3000];
  ss_vec3 g = ss_quat_rotate(turn, (ss_vec3){0, 0, -9.81});
  write_key(n, x, turn, key, sizeof key);
  snprintf(text, sizeof text, "<mujoco><option timestep='1e-3' gravity='%.17g %.17g %.17g'/><default>"
    "<geom friction='0.5' mass='1'/></default><worldbody><frame quat='%.17g %.17g %.17g %.17g'>"
    "<geom name='floor' type='plane' size='0 0 1'/></frame>%s</worldbody><keyframe>%s</keyframe>"
    "<stickslip key='#0' scheme='euler'/></mujoco>", g.x, g.y, g.z, turn.w, turn.x, turn.y, turn.z, bodies, key);
  return start_text(text);
}

// Balls in the air that touch one another, the first one in motion: falling presses none against the next, and the
// impulse travels from ball to ball. Plastic: the
// second one gets half of the speed, the third one nothing yet.
static void test_row(void** state)
{
  (void)state;
  double x[BALLS][3], straight[BALLS][3];
  int active[STEPS];
  for (int i = 0; i < BALLS; i++) x[i][0] = 2*radius*i, x[i][1] = 0, x[i][2] = 1;
  for (int k = 0; k < TURNS; k++) {
    ss_quat turn = turn_of(k);
    play p = start_turned("<replicate count='5'><body><freejoint/><geom type='sphere' size='0.05'/></body></replicate>",
                          BALLS, x, turn);
    ss_vec3_to(ss_quat_rotate(turn, (ss_vec3){1, 0, 0}), p.s->u);
    for (int i = 0; i < STEPS; i++) {
      step(&p, NULL);
      int n = ss_work_info(p.w)->n_active;
      if (k == 0) active[i] = n;
      else if (n != active[i]) fail_msg("turn %d, step %d: %d contacts take part, not %d", k, i, n, active[i]);
      if (i > 0) continue;
      assert_int_equal(n, 1);
      near(unturned(turn, p.s->u + 6).x, 0.5, 1e-12);
      near(unturned(turn, p.s->u + 12).x, 0, 1e-12);
    }
    for (int i = 0; i < BALLS; i++) {
      double at[3];
      ss_vec3_to(unturned(turn, p.s->q + 7*i), at);
      if (k == 0) memcpy(straight[i], at, sizeof at);
      for (int j = 0; j < 3; j++) near(at[j], straight[i][j], 1e-12);
    }
    stop(&p);
  }
}

// A stack at rest takes part as a whole from the first step on
static void test_stack(void** state)
{
  (void)state;
  double x[BOXES][3] = {{0}};
  for (int i = 0; i < BOXES; i++) x[i][2] = radius*(2*i + 1);
  for (int k = 0; k < TURNS; k++) {
    play p = start_turned("<replicate count='6'><body><freejoint/><geom type='box' size='0.05 0.05 0.05'/></body>"
                          "</replicate>", BOXES, x, turn_of(k));
    const ss_event* e;
    for (int i = 0; i < STEPS; i++) {
      int events = step(&p, &e);
      if (i > 0) assert_int_equal(events, 0);
      assert_int_equal(ss_work_info(p.w)->n_active, 4*BOXES);
    }
    near(moved(&p), 0, 1e-12);
    stop(&p);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_row), cmocka_unit_test(test_stack)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
