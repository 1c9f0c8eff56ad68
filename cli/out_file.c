// Files that take their names when they are whole.
#include "out_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// A name beside the target, and the file of that name. It has the rights of the file that it is to replace.
static bool open_beside(cli_out* out, const struct stat* before)
{
  size_t size = strlen(out->target) + 48;
  out->temporary = malloc(size);
  if (!out->temporary) return false;
  snprintf(out->temporary, size, "%s.%ld.tmp", out->target, (long)getpid());
  int fd = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd >= 0 && before) fchmod(fd, before->st_mode & 0777);
  out->file = fd < 0 ? NULL : fdopen(fd, "w");
  if (out->file) return true;
  int number = errno;
  if (fd >= 0) {
    close(fd);
    unlink(out->temporary);
  }
  free(out->temporary);
  out->temporary = NULL;
  errno = number;
  return false;
}

static void forget(cli_out* out)
{
  free(out->target);
  free(out->temporary);
  *out = (cli_out){0};
}

// Opening a pipe that nobody reads would block, and signals may wait: whoever reads it has two seconds to begin
static FILE* open_pipe(const char* path)
{
  const struct timespec moment = {.tv_nsec = 10000000};
  int fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
  for (int i = 0; i < 200 && fd < 0 && errno == ENXIO; i++) {
    nanosleep(&moment, NULL);
    fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
  }
  if (fd < 0 && errno == ENXIO) errno = EPIPE;
  if (fd < 0) return NULL;
  FILE* file = fcntl(fd, F_SETFL, 0) == 0 ? fdopen(fd, "w") : NULL;
  if (!file) close(fd);
  return file;
}

// Where nothing can be put beside it, and where a link leads nowhere yet, a file is written in place
bool cli_out_open(cli_out* out, const char* path)
{
  struct stat info;
  *out = (cli_out){.file = strcmp(path, "-") == 0 ? stdout : NULL};
  if (out->file) return true;
  bool there = stat(path, &info) == 0, link = !there && lstat(path, &info) == 0;
  if (!link && (!there || S_ISREG(info.st_mode))) {
    if (there && access(path, W_OK) != 0) return false;
    out->target = there ? realpath(path, NULL) : strdup(path);
    if (!out->target) return false;
    if (open_beside(out, there ? &info : NULL)) return true;
    if (errno == ENOMEM || !there) {
      int number = errno;
      forget(out);
      errno = number;
      return false;
    }
  }
  out->file = there && S_ISFIFO(info.st_mode) ? open_pipe(path) : fopen(path, "w");
  if (!out->file) forget(out);
  return out->file != NULL;
}

bool cli_out_close(cli_out* out, bool good)
{
  if (!out->file) return true;
  int number = 0;
  bool arrived = out->file == stdout || !ferror(out->file);
  errno = 0;
  if (out->file != stdout && fclose(out->file) != 0) {
    arrived = false;
    number = errno;
  }
  bool keep = good && (arrived || access(out->target ? out->target : "-", F_OK) != 0);
  if (out->temporary && keep && rename(out->temporary, out->target) != 0) {
    arrived = keep = false;
    number = errno;
  }
  if (out->temporary && !keep) unlink(out->temporary);
  forget(out);
  errno = number;
  return arrived || !good;
}
