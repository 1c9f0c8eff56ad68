// Articulated machines: time per step of scenes of models/, and minimal against redundant coordinates as chains grow.
// Processor time, the least of several runs that take turns.
#include "machine_run.h"
#include <string.h>

enum { TURNS = 7, LINKS_MOST = 64 };

static const struct {
  const char* name;
  long steps;
  double target;  // microseconds
} scenes[] = {
  {"pendulum12", 20000, 4}, {"pendulum12-end", 20000, 0}, {"chain10", 10000, 3},
  {"chain100", 1000, 30},   {"chain1000", 100, 300},      {"gripper-hold", 5000, 0},
};
enum { SCENES = sizeof scenes/sizeof *scenes };

static void bench_scenes(void)
{
  player p[SCENES];
  outcome out[SCENES] = {{0}};
  for (int i = 0; i < SCENES; i++) p[i] = open_model(scenes[i].name);
  for (int turn = 0; turn < TURNS; turn++)
    for (int i = 0; i < SCENES; i++) run_player(p + i, scenes[i].steps, out + i);
  printf("%-16s %6s %8s %10s %8s %10s %12s %7s\n", "scene", "nv", "steps", "us/step", "target", "contacts",
         "deepest, m", "missed");
  for (int i = 0; i < SCENES; i++) {
    char target[16] = "-";
    if (scenes[i].target > 0) snprintf(target, sizeof target, "%g", scenes[i].target);
    printf("%-16s %6d %8ld %10.2f %8s %10.3f %12.1e %7ld\n", scenes[i].name, p[i].s->nv, scenes[i].steps,
           1e6*out[i].best, target, out[i].contacts, out[i].penetration, out[i].failed);
    close_player(p + i);
  }
}

// ---- minimal and redundant coordinates -----------------------------------------------------------------------------

// A chain of n links of 0.5 m with spheres at their ends that swings down on a floor
static ss_scene* make_chain(int n)
{
  enum { ROOM = 400 + 200*LINKS_MOST };
  static char text[ROOM];
  ss_error error = {0};
  int at = snprintf(text, ROOM,
                    "<mujoco><option timestep='1e-3' gravity='0 0 -9.81'/><stickslip scheme='moreau'/><worldbody>"
                    "<geom name='floor' type='plane' size='0 0 1' friction='0.5' pos='0 0 %g'/>", -0.4*n - 0.1);
  for (int i = 0; i < n; i++)
    at += snprintf(text + at, (size_t)(ROOM - at), "<body pos='%g 0 0'><joint type='hinge' axis='0 1 0'/>"
                   "<geom type='sphere' size='0.1' mass='1' pos='0.5 0 0'/>", i ? 0.5 : 0.0);
  for (int i = 0; i < n; i++) at += snprintf(text + at, (size_t)(ROOM - at), "</body>");
  snprintf(text + at, (size_t)(ROOM - at), "</worldbody></mujoco>");
  ss_scene* scene = ss_scene_parse(text, strlen(text), "chain", 0, NULL, &error);
  if (!scene) give_up("chain", &error);
  return scene;
}

static void bench_coordinates(void)
{
  printf("\nminimal and redundant coordinates, chain of n links with spheres above a floor, moreau, 1 s\n");
  printf("%5s %14s %14s %12s %12s %7s\n", "n", "minimal nv+nb", "redundant", "us/step", "us/step", "ratio");
  for (int n = 1; n <= LINKS_MOST; n *= 2) {
    ss_error error = {0};
    ss_scene *scene = make_chain(n), *other = ss_scene_redundant(scene, &error);
    if (!other) give_up("redundant", &error);
    player p[2] = {open_player(scene, "minimal"), open_player(other, "redundant")};
    outcome out[2] = {{0}};
    long steps[2] = {1000, n > 16 ? 50 : 1000/n};
    for (int turn = 0; turn < 3; turn++)
      for (int k = 0; k < 2; k++) run_player(p + k, steps[k], out + k);
    char size[2][32];
    for (int k = 0; k < 2; k++)
      snprintf(size[k], sizeof size[k], "%d+%d", p[k].s->nv, ss_system_get(p[k].system)->n_bilateral);
    printf("%5d %14s %14s %12.2f %12.2f %7.0f\n", n, size[0], size[1], 1e6*out[0].best, 1e6*out[1].best,
           out[1].best/out[0].best);
    close_player(p + 1);
    close_player(p);
  }
}

// bench_machine [coordinates]: everything, or the second table alone
int main(int argc, char** argv)
{
  if (argc < 2 || strcmp(argv[1], "coordinates") != 0) bench_scenes();
  bench_coordinates();
  return 0;
}
