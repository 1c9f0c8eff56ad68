// Runs gnuplot on the script of a figure, in a temporary folder that is removed whatever happens.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "figure.h"
#include "signals.h"

extern char** environ;

// ---- signals ----

// Ctrl-C ends gnuplot, not us: the folder has to be removed first. Signals wait except while gnuplot runs.
static volatile sig_atomic_t interrupted;
static volatile pid_t gnuplot;

static void on_signal(int number)
{
  interrupted = number;
  if (gnuplot > 0) kill(gnuplot, SIGTERM);
}

typedef struct guard {
  sigset_t signals;  // those that wait
  sigset_t before;   // those that waited before
} guard;

static void begin_guard(guard* g)
{
  const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
  sigemptyset(&g->signals);
  for (size_t i = 0; i < sizeof numbers/sizeof *numbers; i++) sigaddset(&g->signals, numbers[i]);
  sigprocmask(SIG_BLOCK, &g->signals, &g->before);
  cli_catch_signals(on_signal);
}

// Returns gnuplot's status as of waitpid(). It is released only when no signal can reach it any more.
static int wait_for(const guard* g, pid_t pid)
{
  siginfo_t info;
  int result = -1;
  gnuplot = pid;
  sigprocmask(SIG_SETMASK, &g->before, NULL);
  while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR) continue;
  sigprocmask(SIG_BLOCK, &g->signals, NULL);
  gnuplot = 0;
  while (waitpid(pid, &result, 0) < 0 && errno == EINTR) continue;
  return result;
}

// ---- the temporary folder ----

// It holds the script, the picture and gnuplot's messages.
typedef struct scratch {
  char folder[256], script[300], picture[300], messages[300];
} scratch;

static bool open_scratch(scratch* s, const char* output)
{
  const char* tmp = getenv("TMPDIR");
  if (!tmp || !tmp[0] || strlen(tmp) > 200) tmp = "/tmp";
  snprintf(s->folder, sizeof s->folder, "%s/stickslip-plot-XXXXXX", tmp);
  if (!mkdtemp(s->folder)) {
    cli_error("no temporary folder in %s: %s", tmp, strerror(errno));
    return false;
  }
  snprintf(s->script, sizeof s->script, "%s/plot.gp", s->folder);
  snprintf(s->picture, sizeof s->picture, "%s/picture%s", s->folder, strrchr(output, '.'));
  snprintf(s->messages, sizeof s->messages, "%s/messages", s->folder);
  return true;
}

static void close_scratch(const scratch* s)
{
  unlink(s->script);
  unlink(s->picture);
  unlink(s->messages);
  rmdir(s->folder);
}

static int write_script(cli_script_writer write, const void* user, const scratch* s)
{
  errno = 0;
  FILE* script = fopen(s->script, "w");
  bool written = script && write(script, user, s->picture);
  int number = errno;
  if (script && fclose(script) != 0) {
    if (written) number = errno;
    written = false;
  }
  if (written) return CLI_DONE;
  cli_error("%s: cannot be written: %s", s->script, strerror(number));
  return CLI_BAD_FILE;
}

// ---- gnuplot ----

// Starts gnuplot without the user's settings, which could change the figure; 0 or an error number.
static int start_gnuplot(const scratch* s, const guard* g, pid_t* pid)
{
  char name[] = "gnuplot", defaults[] = "--default-settings", script[sizeof s->script];
  snprintf(script, sizeof script, "%s", s->script);
  char* argv[] = {name, defaults, script, NULL};
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  sigset_t not_ignored;  // by gnuplot, as they are by us
  sigemptyset(&not_ignored);
  sigaddset(&not_ignored, SIGPIPE);
#ifdef SIGXFSZ
  sigaddset(&not_ignored, SIGXFSZ);
#endif
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, s->messages, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &not_ignored);
  posix_spawnattr_setsigmask(&attributes, &g->before);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  int number = posix_spawnp(pid, name, &files, &attributes, argv, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return number;
}

static void show_messages(const scratch* s)
{
  char line[512];
  FILE* f = fopen(s->messages, "r");
  for (int i = 0; f && i < 10 && fgets(line, sizeof line, f); i++) fprintf(stderr, "gnuplot: %s", line);
  if (f) fclose(f);
}

// True if the picture has its end. On a full disk gnuplot says nothing and leaves half of it.
static bool is_complete(const char* picture)
{
  const char* const ends[][2] = {{".svg", "</svg>"}, {".png", "IEND"}, {".pdf", "%%EOF"}};
  char tail[65] = "";
  FILE* f = fopen(picture, "rb");
  if (!f) return false;
  if (fseek(f, -64, SEEK_END) != 0) rewind(f);
  size_t n = fread(tail, 1, sizeof tail - 1, f);
  fclose(f);
  for (size_t i = 0; i < n; i++)
    if (!tail[i]) tail[i] = ' ';  // a picture's bytes, searched as text
  for (size_t i = 0; i < sizeof ends/sizeof *ends; i++)
    if (strcasecmp(strrchr(picture, '.'), ends[i][0]) == 0) return strstr(tail, ends[i][1]) != NULL;
  return false;
}

static int say_not_started(int number)
{
  if (number == ENOENT)
    cli_error("gnuplot was not found on the PATH; install it (Debian: apt install gnuplot-nox), or write only the "
              "script with --script");
  else
    cli_error("gnuplot could not be started: %s", strerror(number));
  return CLI_FAILED;
}

static int run_gnuplot(const scratch* s, const guard* g)
{
  pid_t pid;
  int number = start_gnuplot(s, g, &pid);
  if (number) return say_not_started(number);
  int result = wait_for(g, pid);
  bool ended = WIFEXITED(result) && WEXITSTATUS(result) == 0;
  if (ended && is_complete(s->picture) && !interrupted) return CLI_DONE;
  if (interrupted) {
    cli_note("interrupted; no figure was written");
    return CLI_FAILED;
  }
  show_messages(s);
#ifdef SIGXFSZ
  if (WIFSIGNALED(result) && WTERMSIG(result) == SIGXFSZ) {
    cli_error("%s: cannot be written: %s", s->picture, strerror(EFBIG));
    return CLI_BAD_FILE;
  }
#endif
  if (WIFSIGNALED(result)) cli_error("gnuplot was ended by a signal: %s", strsignal(WTERMSIG(result)));
  else if (ended) cli_error("gnuplot could not draw the figure, or %s has no room for it", s->folder);
  else cli_error("gnuplot could not draw the figure");
  return CLI_FAILED;
}

// The tool ends after this: signals that have waited meanwhile find nothing to clean up.
int cli_gnuplot_draw(cli_script_writer write, const void* user, const char* output)
{
  scratch s;
  guard g;
  begin_guard(&g);
  int status = CLI_BAD_FILE;
  if (open_scratch(&s, output)) {
    status = write_script(write, user, &s);
    if (status == CLI_DONE) status = run_gnuplot(&s, &g);
    if (status == CLI_DONE) status = cli_copy_file(s.picture, output);  // only now that it is complete
    close_scratch(&s);
  }
  sigprocmask(SIG_SETMASK, &g.before, NULL);
  return status;
}

static bool write_figure(FILE* out, const void* user, const char* picture)
{
  return cli_gnuplot_script(out, user, picture);
}

int cli_gnuplot_run(const cli_figure* figure, const char* output)
{
  return cli_gnuplot_draw(write_figure, figure, output);
}
