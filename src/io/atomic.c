// Files that appear complete or not at all.
#include "io/atomic.h"

#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 100, MAX_LINKS = 40 };

ss_status ss_atomic_error(const char* path, int number, ss_error* error)
{
  ss_error_set(error, SS_ERR_FILE, "cannot be written: %s", number ? strerror(number) : "not all of it arrived");
  if (error) snprintf(error->file, sizeof error->file, "%s", path);
  return SS_ERR_FILE;
}

// What a link says, seen from where it is; NULL if the path is none
static char* follow(const char* path)
{
  enum { ROOM = 4096 };
  const char* slash = strrchr(path, '/');
  size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
  char* to = malloc(folder + ROOM);
  if (!to) return NULL;
  ssize_t n = readlink(path, to + folder, ROOM - 1);
  if (n <= 0 || n >= ROOM - 1) {
    free(to);
    return NULL;
  }
  to[folder + (size_t)n] = 0;
  if (to[folder] == '/') memmove(to, to + folder, (size_t)n + 1);
  else memcpy(to, path, folder);
  return to;
}

char* ss_atomic_target(const char* path)
{
  char* at = ss_strdup(path);
  for (int i = 0; at && i < MAX_LINKS; i++) {
    char* next = follow(at);
    if (!next) break;
    free(at);
    at = next;
  }
  return at;
}

// A name beside the file that nobody has
static bool find_name(ss_atomic* file, size_t size)
{
  struct stat info;
  for (int i = 0; i < TRIES; i++) {
    snprintf(file->temporary, size, "%s.%ld-%d.tmp", file->path, (long)getpid(), i);
    if (lstat(file->temporary, &info) != 0) return errno == ENOENT;
  }
  errno = EEXIST;
  return false;
}

static void discard(ss_atomic* file)
{
  free(file->path);
  free(file->temporary);
  *file = (ss_atomic){0};
}

bool ss_atomic_start(ss_atomic* file, const char* path, ss_error* error)
{
  struct stat info;
  *file = (ss_atomic){.path = ss_atomic_target(path)};
  size_t size = file->path ? strlen(file->path) + 48 : 1;
  file->temporary = malloc(size);
  if (!file->path || !file->temporary) {
    discard(file);
    ss_error_set(error, SS_ERR_MEMORY, "not enough memory");
    return false;
  }
  int number = 0;
  if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) number = S_ISDIR(info.st_mode) ? EISDIR : EINVAL;
  else if (!find_name(file, size)) number = errno;
  if (!number) return true;
  ss_atomic_error(path, number, error);
  discard(file);
  return false;
}

ss_status ss_atomic_finish(ss_atomic* file, bool good, ss_error* error)
{
  ss_status status = SS_OK;
  if (good && rename(file->temporary, file->path) != 0) status = ss_atomic_error(file->path, errno, error);
  if (!good || status < 0) unlink(file->temporary);
  discard(file);
  return status;
}
