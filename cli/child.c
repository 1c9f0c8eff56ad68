// Programs that a command starts for a part of its work, and the temporary folder that they work in.
#include "child.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "out_file.h"
#include "progress.h"
#include "signals.h"

extern char** environ;

// ---- the temporary folder ----

bool cli_scratch_open(const char* purpose, char folder[CLI_PATH])
{
  const char* tmp = getenv("TMPDIR");
  if (!tmp || !tmp[0] || strlen(tmp) > CLI_PATH/2) tmp = "/tmp";
  snprintf(folder, CLI_PATH, "%s/stickslip-%s-XXXXXX", tmp, purpose);
  if (mkdtemp(folder)) return true;
  cli_error("no temporary folder in %s: %s", tmp, strerror(errno));
  return false;
}

// Removes what is in an open folder, which is closed. Links are removed, not followed.
static void empty_folder(int fd)
{
  DIR* d = fdopendir(fd);
  if (!d) {
    close(fd);
    return;
  }
  for (struct dirent* e; (e = readdir(d));) {
    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
    int inner = openat(fd, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner >= 0) empty_folder(inner);
    unlinkat(fd, e->d_name, inner >= 0 ? AT_REMOVEDIR : 0);
  }
  closedir(d);
}

// A browser's last process may still write while it is being ended: a second look catches that
void cli_scratch_remove(const char* folder)
{
  for (int i = 0; i < 5; i++) {
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) empty_folder(fd);
    if (rmdir(folder) == 0 || errno == ENOENT) return;
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
  }
  cli_warn("%s could not be removed: %s", folder, strerror(errno));
}

// Half a picture is worth nothing: what was there before stays, or nothing
int cli_copy_file(const char* from, const char* to)
{
  char block[65536];
  size_t n;
  cli_out out = {0};
  FILE* in = fopen(from, "rb");
  bool good = in && cli_out_open(&out, to);
  while (good && (n = fread(block, 1, sizeof block, in)) > 0) good = fwrite(block, 1, n, out.file) == n;
  good = good && !ferror(in) && fflush(out.file) == 0;
  int number = errno;
  if (in) fclose(in);
  if (!cli_out_close(&out, good)) {
    number = errno;
    good = false;
  }
  if (good) return CLI_DONE;
  cli_error("%s: cannot be written: %s", to, strerror(number));
  return CLI_BAD_FILE;
}

// ---- signals ----

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
  interrupted = number;
}

bool cli_interrupted(void)
{
  return interrupted != 0;
}

void cli_note_signals(void) { cli_catch_signals(on_signal); }

// ---- programs ----

static bool find_on_path(const char* name, char path[CLI_PATH])
{
  const char* folders = getenv("PATH");
  if (strchr(name, '/')) folders = NULL;
  if (!folders) {
    snprintf(path, CLI_PATH, "%s", name);
    return strchr(name, '/') && strlen(name) < CLI_PATH && access(path, X_OK) == 0;
  }
  for (const char* p = folders; *p; p += strcspn(p, ":"), p += *p == ':') {
    int n = (int)strcspn(p, ":");
    if (n == 0 || (size_t)n + strlen(name) + 2 > CLI_PATH) continue;
    snprintf(path, CLI_PATH, "%.*s/%s", n, p, name);
    if (access(path, X_OK) == 0) return true;
  }
  return false;
}

bool cli_find_program(const char* const* names, char path[CLI_PATH])
{
  for (int i = 0; names[i]; i++)
    if (find_on_path(names[i], path)) return true;
  return false;
}

// Our environment, with the folder as home
static char** environment_of(const char* home)
{
  static const char* const replaced[] = {"HOME=", "TMPDIR=", "XDG_CONFIG_HOME=", "XDG_CACHE_HOME=", "XDG_DATA_HOME="};
  enum { N = sizeof replaced/sizeof *replaced };
  size_t n = 0, kept = 0;
  while (environ[n]) n++;
  size_t room = strlen(home) + 24;
  char** list = malloc((n + N + 1)*sizeof *list + N*room);
  if (!list) return NULL;
  char* text = (char*)(list + n + N + 1);
  for (size_t i = 0; i < N; i++) {
    snprintf(text + i*room, room, "%s%s", replaced[i], home);
    list[kept++] = text + i*room;
  }
  for (size_t i = 0; i < n; i++) {
    bool ours = false;
    for (size_t k = 0; k < N; k++) ours = ours || strncmp(environ[i], replaced[k], strlen(replaced[k])) == 0;
    if (!ours) list[kept++] = environ[i];
  }
  list[kept] = NULL;
  return list;
}

int cli_child_start(cli_child* child)
{
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  sigset_t not_ignored;  // by the child, as they are by us
  char** environment = environment_of(child->folder);
  if (!environment) return ENOMEM;
  sigemptyset(&not_ignored);
  sigaddset(&not_ignored, SIGPIPE);
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, child->messages, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
  if (child->fd3 >= 0) posix_spawn_file_actions_adddup2(&files, child->fd3, 3);
  if (child->fd4 >= 0) posix_spawn_file_actions_adddup2(&files, child->fd4, 4);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &not_ignored);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  int number = posix_spawn(&child->pid, child->argv[0], &files, &attributes, child->argv, environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  free(environment);
  if (number) child->pid = 0;
  return number;
}

int cli_child_wait(cli_child* child, double seconds)
{
  int result = -1;
  double end = cli_seconds() + seconds;
  if (child->pid <= 0) return -1;
  for (;;) {
    pid_t done = waitpid(child->pid, &result, WNOHANG);
    if (done == child->pid || (done < 0 && errno != EINTR)) break;
    if (cli_seconds() > end || interrupted) {
      kill(-child->pid, SIGKILL);
      while (waitpid(child->pid, &result, 0) < 0 && errno == EINTR) continue;
      result = -1;
      break;
    }
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  }
  kill(-child->pid, SIGKILL);  // its helpers, if there are any left: the group is ours alone
  child->pid = 0;
  return result;
}

void cli_child_messages(const cli_child* child, const char* name)
{
  enum { LINES = 8, LENGTH = 300 };
  char line[LINES][LENGTH];
  int n = 0;
  FILE* f = fopen(child->messages, "r");
  while (f && fgets(line[n % LINES], LENGTH, f)) n++;
  if (f) fclose(f);
  for (int i = n > LINES ? n - LINES : 0; i < n; i++)
    fprintf(stderr, "%s: %.*s\n", name, (int)strcspn(line[i % LINES], "\n"), line[i % LINES]);
}
