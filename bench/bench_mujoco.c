// Our steps beside those of MuJoCo (Debian package libmujoco-dev) on scenes of models/, turn by turn in one process.
// Its contacts are soft: the deepest penetration stands beside the time. Processor time of one thread, the least of the
// runs.
#include "machine_run.h"
#include <mujoco/mujoco.h>
#include <string.h>

enum { TURNS = 7 };

static const struct {
  const char* name;
  long steps;
  int links;  // of a chain that is in no file
} scenes[] = {
  {"pendulum12", 20000, 0}, {"pendulum12-end", 20000, 0}, {"chain10", 10000, 0}, {"chain of 30", 5000, 30},
  {"chain of 90", 1000, 90}, {"gripper-hold", 5000, 0},   {"four-bar", 2000, 0}, {"billiards", 2000, 0},
  {"quadruped", 3000, 0},    {"humanoid", 3000, 0},
};
enum { SCENES = sizeof scenes/sizeof *scenes };

// ---- chains --------------------------------------------------------------------------------------------------------

// The chain of models/chain10.xml with n links: MuJoCo reads no elements nested 100 deep, so that those of models/ are
// either short or too long
static char* write_chain(int n)
{
  size_t room = 600 + 100*(size_t)n, at = 0;
  char* text = calloc(1, room);
  if (!text) exit(1);
  at += (size_t)snprintf(text, room,
    "<mujoco><option timestep='1e-3' gravity='0 0 -9.81'/><stickslip scheme='euler'/><default>"
    "<geom type='capsule' fromto='0 0 0 0 0 -0.1' size='0.01' mass='0.1' contype='0' conaffinity='0'/>"
    "<joint type='hinge' axis='0 1 0'/></default><worldbody>");
  for (int i = 0; i < n; i++)
    at += (size_t)snprintf(text + at, room - at, "<body %s><joint%s/><geom/>", i ? "pos='0 0 -.1'" : "euler='0 60 0'",
                           i%3 == 2 ? " axis='1 0 0'" : "");
  for (int i = 0; i < n; i++) at += (size_t)snprintf(text + at, room - at, "</body>");
  snprintf(text + at, room - at, "</worldbody></mujoco>");
  return text;
}

// ---- what MuJoCo does not know -------------------------------------------------------------------------------------

static void cut(char* from, const char* to) { memmove(from, to, strlen(to) + 1); }

// Ranges hold if they are given: in 2.2 that must be said, or the file is refused
static void say_limited(char* text)
{
  static const char say[] = " forcelimited=\"true\"", what[] = " forcerange";
  for (char* at = text; (at = strstr(at, what)); at += strlen(say) + strlen(what)) {
    memmove(at + strlen(say), at, strlen(at) + 1);
    memcpy(at, say, strlen(say));
  }
}

// Takes every <stickslip .../> and every attribute restitution or restitution-tangential out of the text
static void strip(char* text)
{
  for (char* at; (at = strstr(text, "<stickslip"));) {
    char* end = strstr(at, "/>");
    if (!end) return;
    cut(at, end + 2);
  }
  for (char* at; (at = strstr(text, " restitution"));) {
    char* quote = strpbrk(at, "\"'");
    char* end = quote ? strchr(quote + 1, *quote) : NULL;
    if (!end) return;
    cut(at, end + 1);
  }
}

static char* read_model(const char* name)
{
  char path[1024];
  snprintf(path, sizeof path, "%s/models/%s.xml", SS_SOURCE_DIR, name);
  FILE* file = fopen(path, "rb");
  char* text = file ? calloc(1, 1 << 20) : NULL;
  if (!text || fread(text, 1, (1 << 20) - 1, file) == 0) {
    fprintf(stderr, "%s cannot be read\n", path);
    exit(1);
  }
  fclose(file);
  return text;
}

// NULL, and why, if MuJoCo does not take it
static mjModel* load(char* text, char* why, int size)
{
  static mjVFS vfs;
  strip(text);
  say_limited(text);
  int length = (int)strlen(text);
  mj_defaultVFS(&vfs);
  mj_makeEmptyFileVFS(&vfs, "scene.xml", length);
  memcpy(vfs.filedata[mj_findFileVFS(&vfs, "scene.xml")], text, (size_t)length);
  mjModel* model = mj_loadXML("scene.xml", &vfs, why, size);
  mj_deleteVFS(&vfs);
  return model;
}

// ---- runs ----------------------------------------------------------------------------------------------------------

static void run_mujoco(const mjModel* model, mjData* data, long n, outcome* out)
{
  double active = 0;
  out->penetration = 0;
  if (model->nkey > 0) mj_resetDataKeyframe(model, data, 0);
  else mj_resetData(model, data);
  double start = cpu_seconds();
  for (long i = 0; i < n; i++) {
    mj_step(model, data);
    active += data->ncon;
    for (int c = 0; c < data->ncon; c++) out->penetration = fmax(out->penetration, -data->contact[c].dist);
  }
  double time = (cpu_seconds() - start)/(double)n;
  if (out->best == 0 || time < out->best) out->best = time;
  out->contacts = active/(double)n;
}

static player open_text(const char* text)
{
  ss_error error = {0};
  ss_scene* scene = ss_scene_parse(text, strlen(text), "chain", 0, NULL, &error);
  if (!scene) give_up("chain", &error);
  return open_player(scene, "chain");
}

static void compare(int i)
{
  char why[500] = "", *text = scenes[i].links ? write_chain(scenes[i].links) : read_model(scenes[i].name);
  player p = scenes[i].links ? open_text(text) : open_model(scenes[i].name);
  mjModel* model = load(text, why, sizeof why);
  mjData* data = model ? mj_makeData(model) : NULL;
  outcome ours = {0}, theirs = {0};
  for (int turn = 0; turn < TURNS; turn++) {
    run_player(&p, scenes[i].steps, &ours);
    if (data) run_mujoco(model, data, scenes[i].steps, &theirs);
  }
  printf("%-15s %5d %9.2f", scenes[i].name, p.s->nv, 1e6*ours.best);
  if (data)
    printf(" %9.2f %7.2f", 1e6*theirs.best, theirs.best/ours.best);
  else
    printf(" %9s %7s", "-", "-");
  printf("   %8.1e %8.1e   %6.2f %6.2f", ours.penetration, theirs.penetration, ours.contacts, theirs.contacts);
  if (!data) printf("   refused: %.*s", (int)strcspn(why, "\n"), why);
  printf("\n");
  mj_deleteData(data);
  mj_deleteModel(model);
  close_player(&p);
  free(text);
}

int main(void)
{
  printf("MuJoCo %s, one thread; time per step, least of %d runs of each, in turn\n", mj_versionString(), TURNS);
  printf("%-15s %5s %9s %9s %7s   %8s %8s   %6s %6s\n", "", "", "ours", "MuJoCo", "", "deepest", "MuJoCo", "con-",
         "MuJoCo");
  printf("%-15s %5s %9s %9s %7s   %8s %8s   %6s %6s\n", "scene", "nv", "us", "us", "ratio", "m", "m", "tacts", "");
  for (int i = 0; i < SCENES; i++) compare(i);
  return 0;
}
