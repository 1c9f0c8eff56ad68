// Files that appear complete or not at all.
#include "io/atomic.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 100 };

ss_status ss_atomic_error(const char* path, int number, ss_error* error)
{
  ss_error_set(error, SS_ERR_FILE, "cannot be written: %s", number ? strerror(number) : "not all of it arrived");
  if (error) snprintf(error->file, sizeof error->file, "%s", path);
  return SS_ERR_FILE;
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

bool ss_atomic_start(ss_atomic* file, const char* path, ss_error* error)
{
  struct stat info;
  size_t size = strlen(path) + 48;
  *file = (ss_atomic){path, malloc(size)};
  if (!file->temporary) {
    ss_error_set(error, SS_ERR_MEMORY, "not enough memory");
    return false;
  }
  int number = 0;
  if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) number = S_ISDIR(info.st_mode) ? EISDIR : EINVAL;
  else if (!find_name(file, size)) number = errno;
  if (!number) return true;
  ss_atomic_error(path, number, error);
  free(file->temporary);
  file->temporary = NULL;
  return false;
}

ss_status ss_atomic_finish(ss_atomic* file, bool good, ss_error* error)
{
  ss_status status = SS_OK;
  if (good && rename(file->temporary, file->path) != 0) status = ss_atomic_error(file->path, errno, error);
  if (!good || status < 0) unlink(file->temporary);
  free(file->temporary);
  file->temporary = NULL;
  return status;
}
