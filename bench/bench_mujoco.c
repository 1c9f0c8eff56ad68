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
} scenes[] = {
  {"pendulum12", 20000}, {"pendulum12-end", 20000}, {"chain10", 10000},    {"chain100", 1000},
  {"chain1000", 100},    {"gripper-hold", 5000},    {"four-bar", 2000},    {"billiards", 2000},
};
enum { SCENES = sizeof scenes/sizeof *scenes };

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
static mjModel* load(const char* name, char* why, int size)
{
  static mjVFS vfs;
  char* text = read_model(name);
  strip(text);
  say_limited(text);
  int length = (int)strlen(text);
  mj_defaultVFS(&vfs);
  mj_makeEmptyFileVFS(&vfs, "scene.xml", length);
  memcpy(vfs.filedata[mj_findFileVFS(&vfs, "scene.xml")], text, (size_t)length);
  mjModel* model = mj_loadXML("scene.xml", &vfs, why, size);
  mj_deleteVFS(&vfs);
  free(text);
  return model;
}

// ---- runs ----------------------------------------------------------------------------------------------------------

static void run_mujoco(const mjModel* model, mjData* data, long n, outcome* out)
{
  double active = 0;
  out->penetration = 0;
  if (model->nkey > 0) mj_resetDataKeyframe(model, data, 0);
  else mj_resetData(model, data);
  double start = seconds();
  for (long i = 0; i < n; i++) {
    mj_step(model, data);
    active += data->ncon;
    for (int c = 0; c < data->ncon; c++) out->penetration = fmax(out->penetration, -data->contact[c].dist);
  }
  double time = (seconds() - start)/(double)n;
  if (out->best == 0 || time < out->best) out->best = time;
  out->contacts = active/(double)n;
}

static void compare(int i)
{
  char why[500] = "";
  player p = open_model(scenes[i].name);
  mjModel* model = load(scenes[i].name, why, sizeof why);
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
