// For tests: a temporary folder with files, that is removed with all of them.
#ifndef TEST_IO_FOLDER_H
#define TEST_IO_FOLDER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct folder {
  char path[64];
  char name[16][128];
  int n;
} folder;

static inline folder open_folder(void)
{
  folder f = {.path = "/tmp/stickslip-test-XXXXXX"};
  if (!mkdtemp(f.path)) abort();
  return f;
}

/// The path of a file in it, in one of two buffers in turn
static inline const char* in_folder(const folder* f, const char* name)
{
  static char path[2][256];
  static int turn;
  turn = !turn;
  snprintf(path[turn], sizeof path[turn], "%s/%s", f->path, name);
  return path[turn];
}

static inline void keep_name(folder* f, const char* name)
{
  for (int i = 0; i < f->n; i++)
    if (strcmp(f->name[i], name) == 0) return;
  if (f->n == 16) abort();
  snprintf(f->name[f->n++], sizeof f->name[0], "%s", name);
}

static inline void make_folder(folder* f, const char* name)
{
  keep_name(f, name);
  if (mkdir(in_folder(f, name), 0700)) abort();
}

static inline void write_bytes(folder* f, const char* name, const void* data, size_t length)
{
  keep_name(f, name);
  FILE* file = fopen(in_folder(f, name), "wb");
  if (!file || fwrite(data, 1, length, file) != length || fclose(file)) abort();
}

static inline void write_text(folder* f, const char* name, const char* text)
{
  write_bytes(f, name, text, strlen(text));
}

static inline void close_folder(folder* f)
{
  while (f->n) remove(in_folder(f, f->name[--f->n]));
  if (rmdir(f->path)) abort();
}

#endif
