// Text: a growable string, whole files, copies, and the nearest known name for a misspelt one.
#include "base/text.h"
#include "base/number.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// Room for `more` bytes and a NUL; capacity at least doubles, so that appending is linear in the whole length
static bool reserve(ss_text* t, size_t more)
{
  if (t->failed) return false;
  if (more < t->capacity - t->length) return true;
  size_t capacity = t->capacity ? 2*t->capacity : 64;
  if (capacity - t->length <= more) capacity = t->length + more + 1;
  char* data = realloc(t->data, capacity);
  if (!data) { t->failed = true; return false; }
  t->data = data;
  t->capacity = capacity;
  return true;
}

void ss_text_append(ss_text* text, const char* format, ...)
{
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int length = ss_vprint(NULL, 0, format, args);
  if (length < 0) text->failed = true;
  if (length >= 0 && reserve(text, (size_t)length)) {
    ss_vprint(text->data + text->length, (size_t)length + 1, format, again);
    text->length += (size_t)length;
  }
  va_end(again);
  va_end(args);
}

void ss_text_free(ss_text* text)
{
  free(text->data);
  *text = (ss_text){0};
}

// Everything up to the end of f, which need not tell its size (a pipe). True if all was read.
static bool read_all(FILE* f, ss_text* t, const char* path, ss_error* error)
{
  for (;;) {
    if (!reserve(t, 4096)) { ss_error_set(error, SS_ERR_FILE, "not enough memory to read '%s'", path); return false; }
    size_t got = fread(t->data + t->length, 1, t->capacity - t->length - 1, f);
    t->length += got;
    if (t->length > SS_READ_LIMIT) {
      ss_error_set(error, SS_ERR_FILE, "'%s' is larger than %zu MiB, the most that is read", path, SS_READ_LIMIT >> 20);
      return false;
    }
    if (ferror(f)) { ss_error_set(error, SS_ERR_FILE, "cannot read '%s': %s", path, strerror(errno)); return false; }
    if (!got) break;
  }
  t->data[t->length] = 0;
  return true;
}

// A pipe: what is in it, or at least somebody who writes. Without blocking, read() finds the end (0) where nobody does,
// and EAGAIN where somebody has written nothing so far.
static bool find_writer(int fd, ss_text* t)
{
  if (!reserve(t, 4096)) return true;  // which read_all() tells
  for (int i = 0; i < 200; i++) {
    ssize_t got = read(fd, t->data, t->capacity - 1);
    if (got > 0) t->length = (size_t)got;
    if (got > 0 || (got < 0 && errno != EINTR)) return true;
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  }
  return false;
}

FILE* ss_open_stream(const char* path, ss_error* error)
{
  struct stat info = {0};
  char first;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  bool piped = fd >= 0 && fstat(fd, &info) == 0 && S_ISFIFO(info.st_mode);
  ssize_t got = piped ? 0 : 1;  // as find_writer() has it
  for (int i = 0; piped && i < 200 && (got == 0 || (got < 0 && errno == EINTR)); i++) {
    if (i > 0) nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    got = read(fd, &first, 1);
  }
  FILE* f = got != 0 && fd >= 0 && fcntl(fd, F_SETFL, 0) == 0 ? fdopen(fd, "r") : NULL;
  if (f && piped && got == 1) ungetc((unsigned char)first, f);
  if (f) return f;
  if (got == 0) ss_error_set(error, SS_ERR_FILE, "'%s' is a pipe that nobody writes to", path);
  else ss_error_set(error, SS_ERR_FILE, "cannot read '%s': %s", path, strerror(errno));
  if (fd >= 0) close(fd);
  return NULL;
}

// Opening a pipe that nobody writes to would block
static char* read_path(const char* path, bool stream, size_t* length, ss_error* error)
{
  struct stat info = {0};
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) { ss_error_set(error, SS_ERR_FILE, "cannot open '%s': %s", path, strerror(errno)); return NULL; }
  ss_text t = {0};
  bool known = fstat(fd, &info) == 0, good = false;
  FILE* f = NULL;
  if (known && S_ISDIR(info.st_mode)) ss_error_set(error, SS_ERR_FILE, "'%s' is a directory, not a file", path);
  else if (known && !stream && !S_ISREG(info.st_mode))
    ss_error_set(error, SS_ERR_FILE, "'%s' is %s, not a regular file", path,
                 S_ISFIFO(info.st_mode) ? "a pipe" : "a device");
  else if (known && S_ISFIFO(info.st_mode) && !find_writer(fd, &t))
    ss_error_set(error, SS_ERR_FILE, "'%s' is a pipe that nobody writes to", path);
  else if (fcntl(fd, F_SETFL, 0) < 0 || !(f = fdopen(fd, "rb")))
    ss_error_set(error, SS_ERR_FILE, "cannot read '%s': %s", path, strerror(errno));
  else good = read_all(f, &t, path, error);
  if (f) fclose(f);
  else close(fd);
  if (!good) { ss_text_free(&t); return NULL; }
  if (length) *length = t.length;
  return t.data;
}

char* ss_read_file(const char* path, size_t* length, ss_error* error) { return read_path(path, false, length, error); }
char* ss_read_stream(const char* path, size_t* length, ss_error* error) { return read_path(path, true, length, error); }

char* ss_strdup(const char* s)
{
  if (!s) return NULL;
  size_t size = strlen(s) + 1;
  char* copy = malloc(size);
  return copy ? memcpy(copy, s, size) : NULL;
}

// Bytes 10xxxxxx go on with a character.
// How many bytes of control characters are at s; those above 127 have two in UTF-8, the first of which is 0xc2
static int control_at(const char* s)
{
  unsigned char c = (unsigned char)s[0], next = c ? (unsigned char)s[1] : 0;
  if (c == 0xc2 && next >= 0x80 && next < 0xa0) return 2;
  return c == 127 || (c && c < ' ' && c != '\t' && c != '\n' && c != '\r');
}

bool ss_has_control(const char* s)
{
  while (*s && !control_at(s)) s++;
  return *s;
}

void ss_remove_control(char* s)
{
  for (; *s; s++)
    for (int n = control_at(s); n > 0; n--) s[n - 1] = '?';
}

int ss_utf8_fit(const char* s, int most)
{
  int n = (int)strnlen(s, (size_t)most);
  if (!s[n]) return n;
  while (n > 0 && ((unsigned char)s[n] & 0xC0) == 0x80) n--;
  return n;
}

// A letter in the wrong case costs so little that a whole name of them is nearer than any other edit.
enum { NAME_MAX_COMPARED = 63, EDIT = NAME_MAX_COMPARED + 1, CASE = 1 };

static char lower(char c)
{
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static int replacement(char a, char b)
{
  if (a == b) return 0;
  return lower(a) == lower(b) ? CASE : EDIT;
}

// Insertions, deletions, replacements and swaps of neighbours that lead from a to b (optimal string alignment), each
// EDIT, or CASE. Row i of the table holds the distances of the first i letters of a to each beginning of b; three rows
// are kept.
static int edit_distance(const char* a, const char* b)
{
  int row[3][NAME_MAX_COMPARED + 1];
  int na = (int)strlen(a), nb = (int)strlen(b);
  for (int j = 0; j <= nb; j++) row[0][j] = j*EDIT;
  for (int i = 1; i <= na; i++) {
    int* now = row[i%3];
    const int* up = row[(i - 1)%3];
    const int* up2 = row[(i + 1)%3];
    now[0] = i*EDIT;
    for (int j = 1; j <= nb; j++) {
      int d = up[j - 1] + replacement(a[i - 1], b[j - 1]);
      if (up[j] + EDIT < d) d = up[j] + EDIT;
      if (now[j - 1] + EDIT < d) d = now[j - 1] + EDIT;
      bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped && up2[j - 2] + EDIT < d) d = up2[j - 2] + EDIT;
      now[j] = d;
    }
  }
  return row[na%3][nb];
}

const char* ss_suggest(const char* name, const char* const* list, int n)
{
  size_t length = strlen(name);
  const char* nearest = NULL;
  int least = EDIT*(length < 3 ? (int)length : 3);  // two edits at most, and fewer than the name has letters
  if (length > NAME_MAX_COMPARED) return NULL;
  for (int i = 0; i < n; i++) {
    if (!list[i] || strlen(list[i]) > NAME_MAX_COMPARED) continue;
    int d = edit_distance(name, list[i]);
    if (d < least) { least = d; nearest = list[i]; }
  }
  return nearest;
}

ss_status ss_error_null(ss_error* error, const char* what)
{
  return ss_error_set(error, SS_ERR_ARGUMENT, "%s must not be NULL", what);
}
