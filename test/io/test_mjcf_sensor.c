// Sensors of MJCF files: what they are of, what is said of those that are not computed, mistakes; and their columns in
// records.
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

#define BODIES                                                                                                         \
  "<mujoco>\n<worldbody><geom type='plane' size='0 0 1'/><body name='b' pos='0 0 1'><joint name='h'/>\n"               \
  "<geom name='g' size='.1' pos='1 2 3'/><site name='s' pos='4 5 6' type='cylinder' size='.2 .3'/>\n"                  \
  "<site name='flat' size='0'/><body name='c'><joint name='ball' type='ball'/><geom size='.1'/></body></body>\n"       \
  "</worldbody><tendon><spatial name='rope'><site site='s'/></spatial></tendon>\n"                                     \
  "<actuator><motor name='m' joint='h'/><muscle name='biceps' joint='h'/></actuator>\n"

static ss_scene* read_all(const char* sensors, int n, const ss_override* set, ss_error* error)
{
  char text[3000];
  snprintf(text, sizeof text, BODIES "<sensor>%s</sensor></mujoco>", sensors);
  return ss_scene_parse(text, strlen(text), "test.xml", n, set, error);
}

static void test_what_they_are_of(void** state)
{
  (void)state;
  ss_error error = {0};
  ss_override set[] = {{"sensor.second.cutoff", "7"}};
  ss_scene* s = read_all("<framepos objtype='geom' objname='g' reftype='xbody' refname='world'/>"
                         "<touch name='second' site='s'/><jointvel joint='h'/><subtreecom body='c'/>"
                         "<framepos objtype='body' objname='b'/><actuatorfrc actuator='m' noise='1'/>",
                         1, set, &error);
  if (!s) fail_msg("%s", error.text);
  assert_int_equal(s->n_sensor, 6);
  const ss_scene_sensor* x = s->sensor;
  assert_int_equal(x[0].kind, SS_SENSOR_FRAME_POS);
  assert_true(x[0].frame.body == 0 && x[0].frame.position[1] == 2 && x[0].relative && x[0].from.body == SS_WORLD);
  assert_string_equal(x[0].name, "#0");
  assert_true(x[1].shape == SS_SCENE_CYLINDER && x[1].size[1] == 0.3 && x[1].cutoff == 7 &&
              x[1].frame.position[2] == 6);
  assert_true(x[2].number == 0 && x[3].number == 1 && x[5].number == 0 && x[5].line == 7);
  assert_true(x[4].frame.position[0] == 1);  // the centre of mass
  assert_string_equal(ss_sensor_name(SS_SENSOR_TOUCH), "touch");
  assert_null(ss_sensor_name(SS_SENSOR_KINDS));
  ss_scene_destroy(s);
}

static void test_not_computed(void** state)
{
  (void)state;
  ss_error error = {0};
  static const char* const told[] = {"rangefinder", "tendonpos", "actuatorfrc", "framepos"};
  ss_scene* s = read_all("<rangefinder site='s'/><tendonpos tendon='rope'/><actuatorfrc actuator='biceps'/>"
                         "<framepos objtype='camera' objname='eye'/><gyro name='w' site='s'/>",
                         0, NULL, &error);
  if (!s) fail_msg("%s", error.text);
  assert_int_equal(s->n_sensor, 1);
  for (int k = 0; k < 4; k++) {
    bool found = false;
    for (int i = 0; i < s->n_notice; i++)
      found = found || (strcmp(s->notice[i].element, told[k]) == 0 && s->notice[i].fate == SS_SCENE_UNUSED &&
                        strstr(s->notice[i].why, "not computed"));
    if (!found) fail_msg("nothing is said of %s", told[k]);
  }
  ss_scene_destroy(s);
}

static void test_mistakes(void** state)
{
  (void)state;
  static const struct {
    const char *text, *says;
  } mistakes[] = {{"<jointpos joint='k'/>", "there is no joint 'k'"},
                  {"<jointpos/>", "joint"},
                  {"<jointpos joint='ball'/>", "no hinge and no slide"},
                  {"<ballquat joint='h'/>", "no ball"},
                  {"<framepos objtype='geom' objname='h'/>", "there is no geom 'h'"},
                  {"<framepos objtype='lens' objname='h'/>", "lens"},
                  {"<framepos objtype='geom' objname='g' reftype='site'/>", "stand together"},
                  {"<framelinacc objtype='geom' objname='g' reftype='site' refname='s'/>", "reftype"},
                  {"<gyro site='s' cutoff='-1'/>", "cutoff is -1"},
                  {"<touch site='flat'/>", "size of the site 'flat' is 0"},
                  {"<actuatorfrc actuator='n'/>", "there is no actuator 'n'"},
                  {"<gyros site='s'/>", "did you mean <gyro>"},
                  {"<gyro name='a' site='s'/><gyro name='a' site='s'/>", "stands twice"}};
  for (size_t k = 0; k < sizeof mistakes/sizeof *mistakes; k++) {
    ss_error error = {0};
    ss_scene* s = read_all(mistakes[k].text, 0, NULL, &error);
    if (s) fail_msg("accepted: %s", mistakes[k].text);
    if (!strstr(error.text, mistakes[k].says)) fail_msg("%s\nsays: %s", mistakes[k].text, error.text);
    assert_int_equal(error.line, 7);
  }
}

// Sensors of a model that is attached come along, with its names
static void test_attached(void** state)
{
  (void)state;
  folder f = open_folder();
  write_text(&f, "arm.xml",
             "<mujoco><worldbody><body name='arm'><joint name='j'/><geom size='.1'/><site name='s'/></body>"
             "<body name='other'><joint name='k'/><geom size='.1'/></body></worldbody>"
             "<sensor><gyro name='w' site='s'/><framepos objtype='xbody' objname='arm'/><jointpos joint='k'/>"
             "</sensor></mujoco>");
  write_text(&f, "scene.xml",
             "<mujoco><asset><model name='m' file='arm.xml'/></asset><worldbody><attach model='m' body='arm' "
             "prefix='left_'/></worldbody></mujoco>");
  ss_error error = {0};
  ss_scene* s = ss_scene_load(in_folder(&f, "scene.xml"), 0, NULL, &error);
  if (!s) fail_msg("%s", error.text);
  assert_int_equal(s->n_sensor, 2);
  assert_string_equal(s->sensor[0].name, "left_w");
  ss_scene_destroy(s);
  close_folder(&f);
}

static const char falling[] =
  "<mujoco><option timestep='0.01'/><worldbody><geom type='plane' size='0 0 1'/>"
  "<body pos='0 0 .15'><freejoint name='f'/>"
  "<geom size='.1' mass='2'/><site name='s' size='.2'/></body></worldbody>"
  "<sensor><touch name='N' site='s'/><velocimeter name='v' site='s'/></sensor></mujoco>";

static void run_until(const ss_model* m, ss_record* record, ss_state* s, ss_work* w, long end)
{
  ss_error error = {0};
  ss_run_def run = *ss_model_run(m);
  ss_energy_ledger energy = {0};
  ss_ledger_counts counts = {0};
  while (s->step < end) {
    assert_true(ss_step(ss_model_system(m), &run.step, s, w) >= 0);
    ss_record_row row = {.state = s,
                         .info = ss_work_info(w),
                         .energy = &energy,
                         .counts = &counts,
                         .sensor = ss_sense(s, ss_work_info(w), w)};
    if (ss_record_contacts_add(record, w, &error) < 0 || ss_record_row_add(record, &row, &error) < 0)
      fail_msg("%s", error.text);
  }
}

// Columns sensor.NAME with their units, also of a run that goes on; without sensors there is no such data set
static void test_record(void** state)
{
  (void)state;
  folder f = open_folder();
  ss_error error = {0};
  ss_model_def def = {0};
  ss_model* m = ss_model_parse(falling, strlen(falling), "falling.xml", &def, &error);
  if (!m) fail_msg("%s", error.text);
  keep_name(&f, "run.h5");
  const char* path = in_folder(&f, "run.h5");
  ss_state* s = ss_state_create(ss_model_system(m));
  ss_work* w = ss_work_create(ss_model_system(m), &error);
  ss_run_def run = *ss_model_run(m);
  ss_model_initial(m, s);
  ss_record* record = ss_record_create(path, m, &run, &error);
  if (!record) fail_msg("%s", error.text);
  run_until(m, record, s, w, 20);
  assert_int_equal(ss_record_close(record, "interrupted", &error), SS_OK);
  record = ss_record_resume(path, 1, &error);
  if (!record) fail_msg("%s", error.text);
  run_until(m, record, s, w, 40);
  assert_int_equal(ss_record_close(record, "complete", &error), SS_OK);

  ss_run* r = ss_run_open(path, &error);
  if (!r) fail_msg("%s", error.text);
  const ss_run_info* info = ss_run_get_info(r);
  assert_int_equal(info->n_sensor, 4);
  assert_string_equal(info->sensor[1], "v.x");
  const double* N = ss_run_column(r, "sensor.N", &error);
  const double* v = ss_run_column(r, "sensor.v.z", &error);
  const double* u = ss_run_column(r, "u_f.vz", &error);
  if (!N || !v || !u) fail_msg("%s", error.text);
  assert_string_equal(ss_run_unit(r, "sensor.N"), "N");
  assert_string_equal(ss_run_unit(r, "sensor.v.z"), "m/s");
  assert_int_equal(info->n_rows, 40);
  for (long i = 0; i < 40; i++) assert_true(v[i] == u[i]);
  assert_true(N[0] == 0 && fabs(N[39] - 2*9.81) < 1e-8);
  double impulse = 0;
  for (long i = 0; i < 40; i++) impulse += 0.01*N[i];
  assert_true(fabs(impulse - 2*9.81*0.4) < 1e-8);  // of the floor, in the end that of gravity
  ss_run_close(r);
  ss_state_destroy(s);
  ss_work_destroy(w);
  ss_model_destroy(m);
  close_folder(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_what_they_are_of), cmocka_unit_test(test_not_computed), cmocka_unit_test(test_mistakes),
    cmocka_unit_test(test_attached),         cmocka_unit_test(test_record),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
