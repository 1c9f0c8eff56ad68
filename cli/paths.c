// Which paths mean the same file, and what a file is.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

#ifndef PATH_MAX
#define PATH_MAX 4096
#endif

// Where a file that does not exist yet would be made: its folder as realpath() gives it, and its name.
typedef struct place {
  char folder[PATH_MAX];
  char name[PATH_MAX];
} place;

static bool find_place(const char* path, place* p)
{
  char copy[PATH_MAX];
  size_t length = strlen(path);
  if (length == 0 || length >= sizeof copy) return false;
  memcpy(copy, path, length + 1);
  char* slash = strrchr(copy, '/');
  snprintf(p->name, sizeof p->name, "%s", slash ? slash + 1 : copy);
  if (slash) slash[slash == copy] = '\0';  // the root keeps its slash
  return p->name[0] && realpath(slash ? copy : ".", p->folder);
}

// A link that leads to no file yet: where that file would be made. Links to links are followed so many times.
static bool follow_links(place* p)
{
  enum { MAX_LINKS = 40 };
  char path[2*PATH_MAX + 2], target[PATH_MAX];
  for (int i = 0; i < MAX_LINKS; i++) {
    snprintf(path, sizeof path, "%s/%s", p->folder, p->name);
    ssize_t n = readlink(path, target, sizeof target - 1);
    if (n < 0) return true;
    target[n] = '\0';
    snprintf(path, sizeof path, "%s%s%s", target[0] == '/' ? "" : p->folder, target[0] == '/' ? "" : "/", target);
    if (!find_place(path, p)) return false;
  }
  return false;
}

bool cli_same_file(const char* a, const char* b)
{
  struct stat sa, sb;
  if (strcmp(a, b) == 0) return true;
  if (strcmp(a, "-") == 0 || strcmp(b, "-") == 0) return false;
  bool a_is = stat(a, &sa) == 0, b_is = stat(b, &sb) == 0;
  if (a_is && b_is) return S_ISREG(sa.st_mode) && sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
  if (a_is || b_is) return false;
  place pa, pb;
  bool found = find_place(a, &pa) && follow_links(&pa) && find_place(b, &pb) && follow_links(&pb);
  return found && strcmp(pa.folder, pb.folder) == 0 && strcmp(pa.name, pb.name) == 0;
}

bool cli_is_hdf5(const char* path)
{
  char head[8] = "";
  struct stat info;
  FILE* f = stat(path, &info) == 0 && S_ISREG(info.st_mode) ? fopen(path, "rb") : NULL;  // a pipe may block
  bool is = f && fread(head, 1, sizeof head, f) == sizeof head && memcmp(head, "\211HDF\r\n\032\n", sizeof head) == 0;
  if (f) fclose(f);
  return is;
}
