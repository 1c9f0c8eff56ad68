// The browser of the desktop. The address holds a token and command lines can be seen by everybody on the machine, so
// that the browser gets a file that only its user can read, and that leads to the address.
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "view.h"

extern char** environ;

static bool is_given(const char* name)
{
  const char* value = getenv(name);
  return value && value[0];
}

// A folder of its own, which only we can enter, with the file in it
static bool write_file(const char* address, char* folder, size_t size, char* path)
{
  const char* parent = is_given("TMPDIR") ? getenv("TMPDIR") : "/tmp";
  if (is_given("XDG_RUNTIME_DIR")) parent = getenv("XDG_RUNTIME_DIR");
  if (snprintf(folder, size, "%s/stickslip-XXXXXX", parent) >= (int)size || !mkdtemp(folder)) {
    folder[0] = '\0';
    return false;
  }
  snprintf(path, size + 16, "%s/view.html", folder);
  FILE* out = fopen(path, "w");
  bool written = out && fprintf(out, "<!doctype html><meta charset=\"utf-8\"><meta name=\"referrer\" "
                                     "content=\"no-referrer\"><meta http-equiv=\"refresh\" content=\"0;url=%s\">"
                                     "<title>Stickslip</title>\n", address) > 0;
  return out && fclose(out) == 0 && written;
}

void cli_view_forget_browser(const char* folder)
{
  char path[CLI_VIEW_FOLDER + 16];
  if (!folder[0]) return;
  snprintf(path, sizeof path, "%s/view.html", folder);
  unlink(path);
  rmdir(folder);
}

bool cli_view_open_browser(const char* address, char folder[CLI_VIEW_FOLDER])
{
  char file[CLI_VIEW_FOLDER + 16];
  folder[0] = '\0';
  if (!is_given("DISPLAY") && !is_given("WAYLAND_DISPLAY")) return false;
  if (!write_file(address, folder, CLI_VIEW_FOLDER, file)) return false;
  char* const argv[] = {"xdg-open", file, NULL};
  posix_spawn_file_actions_t quiet;
  pid_t pid;
  posix_spawnattr_t apart;  // a group of its own: Ctrl-C is not for the browser
  posix_spawnattr_init(&apart);
  posix_spawnattr_setflags(&apart, POSIX_SPAWN_SETPGROUP);
  posix_spawn_file_actions_init(&quiet);
  for (int fd = 0; fd < 3; fd++) posix_spawn_file_actions_addopen(&quiet, fd, "/dev/null", O_RDWR, 0);
  bool started = posix_spawnp(&pid, argv[0], &quiet, &apart, argv, environ) == 0;
  posix_spawn_file_actions_destroy(&quiet);
  posix_spawnattr_destroy(&apart);
  return started;  // it may stay as long as the browser: nobody waits for it
}
