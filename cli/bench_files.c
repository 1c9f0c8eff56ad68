// Problem files below a folder.
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "bench.h"

enum { DEEPEST = 32 };  // folders within folders: ends the circles that links can make

static bool looks_like_problem(const char* name)
{
  const char* dot = strrchr(name, '.');
  return dot && (strcasecmp(dot, ".json") == 0 || strcasecmp(dot, ".hdf5") == 0 || strcasecmp(dot, ".h5") == 0);
}

// Takes the path over
static void add(cli_files* f, char* path)
{
  if (f->n == f->room) {
    int room = 2*f->room + 64;
    char** larger = realloc(f->path, sizeof *larger*(size_t)room);
    if (!larger) {
      f->failed = true;
      free(path);
      return;
    }
    f->path = larger;
    f->room = room;
  }
  f->path[f->n++] = path;
}

static char* join(const char* folder, const char* name)
{
  size_t size = strlen(folder) + strlen(name) + 2;
  char* path = malloc(size);
  if (path) snprintf(path, size, "%s/%s", folder, name);
  return path;
}

static int not_hidden(const struct dirent* entry) { return entry->d_name[0] != '.'; }

static bool walk(cli_files* f, const char* folder, int depth)
{
  struct dirent** entry;
  int n = scandir(folder, &entry, not_hidden, alphasort);
  if (n < 0) return false;
  for (int i = 0; i < n; i++) {
    struct stat about;
    char* path = join(folder, entry[i]->d_name);
    bool there = path && stat(path, &about) == 0;
    if (!path) f->failed = true;
    if (there && S_ISDIR(about.st_mode) && depth < DEEPEST) walk(f, path, depth + 1);  // an unreadable one is left out
    if (there && S_ISREG(about.st_mode) && looks_like_problem(path)) add(f, path);
    else free(path);
    free(entry[i]);
  }
  free(entry);
  return true;
}

bool cli_files_collect(cli_files* files, const char* folder)
{
  *files = (cli_files){0};
  return walk(files, folder, 0);
}

void cli_files_free(cli_files* files)
{
  for (int i = 0; i < files->n; i++) free(files->path[i]);
  free(files->path);
  *files = (cli_files){0};
}
