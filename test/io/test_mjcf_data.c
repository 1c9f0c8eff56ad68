// Real models: each file of ../shared/data/mjcf and ../shared/data/urdf loads, or the error names what is missing; each
// that loads runs, and no step misses its tolerance. Without these folders there is nothing to test, and this is said.
#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <stickslip/stickslip.h>

#include "machine/play.h"

#include "../apart.h"

// Steps that each is run
#define STEPS 200

static const char* shared(void)
{
  const char* folder = getenv("SS_SHARED_DATA");
  return folder ? folder : SS_SHARED_DATA;
}

// What is known of the files: sizes, total mass where it is simple or published, and what is missing
typedef struct known {
  const char* name;
  const char* missing;  // part of the error; NULL: it loads
  int n_body, nq, nv, n_geom, n_actuator, n_key;
  double mass;  // kg; 0: not checked
  int steps;    // that it is run
} known;

static const known models[] = {
  {"mjcf/car.xml", NULL, 3, 9, 8, 5, 2, 0, 0, STEPS},
  {"mjcf/connect_2d.xml", NULL, 2, 4, 4, 2, 0, 0, 0, STEPS},
  {"mjcf/humanoid.xml", NULL, 16, 28, 27, 20, 21, 4, 0, STEPS},
  {"mjcf/newton_cradle.xml", NULL, 7, 49, 42, 8, 0, 0, 7*8000*4.0/3*3.14159265358979323846*8e-6, STEPS},
  {"mjcf/slider_crank.xml", NULL, 3, 3, 3, 7, 0, 0, 0, STEPS},
  {"mjcf/stacked_boxes.xml", NULL, 18, 126, 108, 21, 0, 0, 18*1000*1e-3, 50},  // 18 boxes, slow from then on
  {"mjcf/treadmill.xml", NULL, 16, 28, 27, 32, 21, 0, 0, STEPS},
  {"mjcf/unitree_go1/go1.xml", NULL, 13, 19, 18, 42, 12, 1, 5.204 + 4*(0.68 + 1.009 + 0.195862), STEPS},
  {"mjcf/weld.xml", NULL, 10, 35, 30, 11, 0, 0, 5*1000*(0.4*0.4*2 + 1*0.2*1), STEPS},
  {"urdf/double_pendulum_simple.urdf", NULL, 4, 2, 2, 3, 0, 0, 0.1 + 0.2 + 0.3, STEPS},
  {"urdf/quadruped/quadruped.urdf", NULL, 13, 8, 8, 13, 0, 0, 2 + 4*(0.162 + 0.021 + 0.01), STEPS},
};

static const known* find(const char* name)
{
  for (size_t i = 0; i < sizeof models/sizeof *models; i++)
    if (strcmp(models[i].name, name) == 0) return models + i;
  return NULL;
}

static void check(const ss_scene* s, const known* k)
{
  double mass = 0;
  for (int b = 0; b < s->tree.n_body; b++) mass += s->tree.body[b].mass;
  ss_error error;
  ss_tree* tree = ss_tree_create(&s->tree, &error);
  assert_non_null(tree);
  assert_int_equal(ss_tree_nq(tree), s->nq);
  assert_int_equal(ss_tree_nv(tree), s->nv);
  ss_tree_destroy(tree);
  if (!k) return;
  assert_int_equal(s->tree.n_body, k->n_body);
  assert_int_equal(s->nq, k->nq);
  assert_int_equal(s->nv, k->nv);
  assert_int_equal(s->n_geom, k->n_geom);
  assert_int_equal(s->n_actuator, k->n_actuator);
  assert_int_equal(s->n_key, k->n_key);
  if (k->mass > 0 && fabs(mass - k->mass) > 1e-12*k->mass) fail_msg("%s: %.17g kg, not %.17g", k->name, mass, k->mass);
}

// Takes the scene over
static void run(ss_scene* scene, int steps)
{
  play p = start_scene(scene);
  for (int k = 0; k < steps; k++) step(&p, NULL);
  for (int i = 0; i < p.scene->nq; i++) assert_true(isfinite(p.s->q[i]));
  stop(&p);
}

static int check_file(const char* name)
{
  char path[1000], message[900];
  const known* k = find(name);
  ss_error error = {0};
  snprintf(path, sizeof path, "%s/%s", shared(), name);
  ss_scene* s = ss_scene_load(path, 0, NULL, &error);
  print_message("%s: %s\n", name, s ? "loads" : ss_error_format(&error, message, sizeof message));
  if (s) check(s, k);
  if (k && k->missing) assert_true(!s && strstr(error.text, k->missing));
  if (k && !k->missing) assert_non_null(s);
  if (!s) assert_true(error.status == SS_ERR_INPUT && error.line > 0);
  if (s) run(s, k ? k->steps : STEPS);
  return 1;
}

static bool ends(const char* name, const char* ending)
{
  size_t n = strlen(name), k = strlen(ending);
  return n > k && strcmp(name + n - k, ending) == 0;
}

static int check_folder(const char* below)
{
  char path[1000];
  int n = 0;
  snprintf(path, sizeof path, "%s/%s", shared(), below);
  DIR* folder = opendir(path);
  if (!folder) return 0;
  for (struct dirent* d; (d = readdir(folder));) {
    char name[600];
    struct stat info;
    if (d->d_name[0] == '.') continue;
    snprintf(name, sizeof name, "%s/%s", below, d->d_name);
    snprintf(path, sizeof path, "%s/%s", shared(), name);
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) n += check_folder(name);
    else if (ends(name, ".xml") || ends(name, ".urdf")) n += check_file(name);
  }
  closedir(folder);
  return n;
}

static void test_models(void** state)
{
  (void)state;
  int n = check_folder("mjcf");
  needs_something(n, "models in %s/mjcf", shared());
}

static void test_robots(void** state)
{
  (void)state;
  int n = check_folder("urdf");
  needs_something(n, "robots in %s/urdf", shared());
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_models), cmocka_unit_test(test_robots)};
  return verdict_of_tests(cmocka_run_group_tests(tests, NULL, NULL));
}
