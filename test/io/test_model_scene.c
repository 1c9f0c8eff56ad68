// Scenes as models: loading, the start, run settings, overrides, warnings; and what the motion must be.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <stickslip/stickslip.h>

// clang-format off
static const char ball[] =
  "\n<!-- A ball\n     falls.\n     Source: nowhere -->\n"
  "<mujoco model='a ball'>\n"
  "  <option timestep='1e-3'/>\n"
  "  <worldbody>\n"
  "    <geom name='floor' type='plane' size='0 0 1' friction='0.5'/>\n"
  "    <body name='ball' pos='0 0 0.3'>\n"
  "      <freejoint/>\n"
  "      <geom name='ball' type='sphere' size='0.1' mass='2' friction='0.5'/>\n"
  "    </body>\n"
  "  </worldbody>\n"
  "  <keyframe><key name='spin' qpos='0 0 0.1 2 0 0 0' qvel='0 0 0 0 3 0'/></keyframe>\n"
  "  <stickslip scheme='euler' until='0.5' impact='poisson' project='true' solver='nsgs' tolerance='1e-9'/>\n"
  "</mujoco>\n";
// clang-format on

static ss_model* parse(const char* text, int n, const ss_override* set, ss_log log)
{
  ss_error error = {0};
  char message[900];
  ss_model_def def = {.n_override = n, .override = set, .log = log};
  ss_model* m = ss_model_parse(text, strlen(text), "some/ball.xml", &def, &error);
  if (!m) fail_msg("%s", ss_error_format(&error, message, sizeof message));
  return m;
}

static void test_what_the_file_says(void** state)
{
  (void)state;
  ss_model* m = parse(ball, 0, NULL, (ss_log){0});
  const ss_run_def* run = ss_model_run(m);
  const ss_system_def* d = ss_system_get(ss_model_system(m));
  assert_string_equal(ss_model_name(m), "a ball");
  assert_string_equal(ss_model_description(m), "A ball\nfalls.");
  assert_string_equal(ss_model_source(m), "nowhere");
  assert_string_equal(ss_model_text(m), ball);
  assert_non_null(ss_model_scene(m));
  assert_non_null(ss_model_machine(m));
  assert_true(run->step.dt == 1e-3 && run->until == 0.5 && run->every == 1);
  assert_true(run->step.integrator == SS_EULER && run->step.impact == SS_IMPACT_POISSON);
  assert_int_equal(run->step.project, SS_PROJECTION_ON);
  assert_true(run->step.friction.method == SS_FRICTION_NSGS && run->step.friction.tol == 1e-9);
  assert_true(d->nq == 7 && d->nv == 6 && d->operators);
  const ss_parameter* none;
  assert_int_equal(ss_model_parameters(m, &none), 0);
  ss_model_destroy(m);
}

// The keyframe, whose quaternion gets length one
static void test_start(void** state)
{
  (void)state;
  const ss_override set[] = {{"stickslip.key", "spin"}, {"option.timestep", "2e-3"}};
  const ss_override* kept;
  ss_model* m = parse(ball, 2, set, (ss_log){0});
  ss_state* s = ss_state_create(ss_model_system(m));
  ss_model_initial(m, s);
  const double q[] = {0, 0, 0.1, 1, 0, 0, 0}, u[] = {0, 0, 0, 0, 3, 0};
  for (int i = 0; i < 7; i++) assert_true(s->q[i] == q[i]);
  for (int i = 0; i < 6; i++) assert_true(s->u[i] == u[i]);
  assert_true(ss_model_run(m)->step.dt == 2e-3);
  assert_int_equal(ss_model_overrides(m, &kept), 2);
  assert_string_equal(kept[0].path, "stickslip.key");
  ss_state_destroy(s);
  ss_model_destroy(m);
}

// A ball that spins on the spot slides until it rolls: angular momentum about the point of contact says with 2/7 of its
// spin, and friction needs 2 r spin/(7 mu g) for that
static void test_spin_becomes_rolling(void** state)
{
  (void)state;
  const ss_override set[] = {{"stickslip.key", "spin"}, {"stickslip.impact", "newton"}, {"stickslip.scheme", "moreau"},
                             {"stickslip.tolerance", "1e-13"}, {"stickslip.project", "false"}};
  ss_model* m = parse(ball, 5, set, (ss_log){0});
  const ss_system* system = ss_model_system(m);
  ss_state* s = ss_state_create(system);
  ss_work* w = ss_work_create(system, NULL);
  ss_model_initial(m, s);
  assert_int_equal(ss_simulate(system, &ss_model_run(m)->step, 0, 500, s, w, NULL, NULL), SS_OK);
  double spin = 3*2.0/7, sliding = 2*0.1*3/(7*0.5*9.81), way = 0.5*0.5*9.81*sliding*sliding + 0.1*spin*(0.5 - sliding);
  assert_true(fabs(s->u[4] - spin) < 1e-11 && fabs(s->u[0] - 0.1*spin) < 1e-12);
  assert_true(fabs(s->q[0] - way) < 1e-3*0.1*3);  // within a step of the change
  assert_true(fabs(s->q[2] - 0.1) < 1e-9);
  assert_string_equal(ss_work_contact_name(w, 0), "ball - floor");
  ss_work_destroy(w);
  ss_state_destroy(s);
  ss_model_destroy(m);
}

typedef struct heard { int n; char text[400]; } heard;

static void hear(void* user, ss_log_level level, const char* text)
{
  heard* h = user;
  assert_int_equal(level, SS_LOG_WARNING);
  h->n++;
  snprintf(h->text, sizeof h->text, "%s", text);
}

static void test_warnings(void** state)
{
  (void)state;
  heard h = {0};
  const ss_override low = {"body.ball.pos", "0 0 0.04"};
  ss_model_destroy(parse(ball, 0, NULL, (ss_log){hear, &h}));
  assert_int_equal(h.n, 0);
  ss_model_destroy(parse(ball, 1, &low, (ss_log){hear, &h}));
  assert_int_equal(h.n, 1);
  assert_string_equal(h.text, "contact 'ball - floor' is violated at the initial state by 0.06 m");
}

static void test_refused(void** state)
{
  (void)state;
  // clang-format off
  static const struct { const char *text, *says; int line; } broken[] = {
    {"", "", 0},
    {"hello", "no XML element", 0},
    {"<mujoco", "", 1},
    {"<mujoco><worldbody/></mujoco>", "has no body", 1},
    {"<mujoco><worldbody><body><geom size='1'/></body></worldbody></mujoco>", "nothing in this scene can move", 0},
    {"<robot name='r'/>", "the robot has no link", 1},
    {"<mujoco>\n<worldbody>\n<bdy/></worldbody></mujoco>", "did you mean", 3},
    {"<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody>\n<stickslip scheme='rk4'/></mujoco>",
     "scheme", 2},
  };
  // clang-format on
  for (size_t i = 0; i < sizeof broken/sizeof *broken; i++) {
    ss_error error = {0};
    assert_null(ss_model_parse(broken[i].text, strlen(broken[i].text), "b.xml", NULL, &error));
    if (error.status >= 0 || !strstr(error.text, broken[i].says) || strcmp(error.file, "b.xml") != 0 ||
        (broken[i].line && error.line != broken[i].line))
      fail_msg("'%s': %s:%d: %s", broken[i].text, error.file, error.line, error.text);
  }
  const ss_override nowhere = {"geom.flor.friction", "1"};
  ss_model_def def = {.n_override = 1, .override = &nowhere};
  ss_error error = {0};
  assert_null(ss_model_parse(ball, strlen(ball), "b.xml", &def, &error));
  assert_non_null(strstr(error.text, "did you mean 'geom.floor'?"));
}

// A file by its path, named after the file if it has no name itself
static void test_file(void** state)
{
  (void)state;
  char folder[] = "/tmp/stickslip-scene-XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/my.scene.xml", folder);
  FILE* f = fopen(path, "w");
  fputs("<mujoco><worldbody><body><joint/><geom size='0.1' pos='1 0 0'/></body></worldbody></mujoco>", f);
  fclose(f);
  ss_error error = {0};
  ss_model* m = ss_model_load(path, NULL, &error);
  unlink(path);
  rmdir(folder);
  assert_non_null(m);
  assert_string_equal(ss_model_name(m), "my.scene");
  assert_string_equal(ss_model_description(m), "");
  ss_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_what_the_file_says), cmocka_unit_test(test_start),
    cmocka_unit_test(test_spin_becomes_rolling), cmocka_unit_test(test_warnings), cmocka_unit_test(test_refused),
    cmocka_unit_test(test_file)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
