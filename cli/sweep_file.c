// The table of a sweep. Rows go to FILE.part, whose first line says what is being computed, as they come in order; a
// line that begins with # ends each piece of work, with a sum over the piece: what was damaged since is computed again.
// FILE is made of it at the end.
#include "sweep_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "out_file.h"

static bool ends_in(const char* path, const char* end)
{
  size_t n = strlen(path), m = strlen(end);
  return n > m && strcasecmp(path + n - m, end) == 0;
}

static bool is_hdf5(const char* path) { return ends_in(path, ".h5") || ends_in(path, ".hdf5"); }

// A pipe or a device: what is there must stay what it is
static bool is_special(const char* path)
{
  struct stat info;
  return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

bool cli_sheet_fits(const char* output) { return ends_in(output, ".csv") || is_hdf5(output) || is_special(output); }

static int cannot(const char* path)
{
  cli_error("'%s' could not be written: %s", path, strerror(errno));
  return CLI_BAD_FILE;
}

// ---- reasons ----

// Whether two messages are the same but for the numbers in them
static bool alike(const char* a, const char* b)
{
  for (;; a++, b++) {
    while (*a && strchr("0123456789.+-", *a)) a++;
    while (*b && strchr("0123456789.+-", *b)) b++;
    if (*a != *b) return false;
    if (!*a) return true;
  }
}

// line: place, tab, message, newline
static void add_reason(cli_sheet* h, const char* line)
{
  size_t place = strcspn(line, "\t\n");
  const char* text = line + place + (line[place] == '\t');
  cli_reason new = {.count = 1};
  snprintf(new.first, sizeof new.first, "%.*s", (int)place, line);
  snprintf(new.message, sizeof new.message, "%.*s", (int)strcspn(text, "\n"), text);
  for (int i = 0; i < h->n_reason; i++)
    if (alike(h->reason[i].message, new.message)) {
      h->reason[i].count++;
      return;
    }
  if (h->n_reason < CLI_MAX_REASONS) h->reason[h->n_reason++] = new;
}

static void add_reasons(cli_sheet* h, const char* rows)
{
  for (const char* line = rows; line && *line; line = strchr(line, '\n'), line += line != NULL)
    if (line[0] == '#' && line[1] == '!') add_reason(h, line + 2);
}

// ---- opening ----

// FNV-1a over the bytes of a piece, from one line to the next; it begins with SUM_START
#define SUM_START 14695981039346656037u

static uint64_t add_to_sum(uint64_t sum, const char* text, size_t n)
{
  for (size_t i = 0; i < n; i++) sum = (sum ^ (unsigned char)text[i])*1099511628211u;
  return sum;
}

// How a piece ends: its number, points that failed, steps that missed; then the sum over all of it so far
static int print_end(char* out, size_t size, long unit, long failed, long missed)
{
  return snprintf(out, size, "#%ld,%ld,%ld,", unit, failed, missed);
}

// The end of a piece, if it is one and the sum is right
static bool read_end(const char* line, uint64_t sum, long* unit, long* failed, long* missed)
{
  char right[128];
  if (sscanf(line, "#%ld,%ld,%ld,", unit, failed, missed) != 3 || *failed < 0 || *missed < 0) return false;
  int n = print_end(right, sizeof right, *unit, *failed, *missed);
  snprintf(right + n, sizeof right - (size_t)n, "%016" PRIx64 "\n", add_to_sum(sum, right, (size_t)n));
  return strcmp(line, right) == 0;
}

// Goes through what is there, up to the last piece that is whole: its end in *whole, the next piece in h->first
static int read_part(cli_sheet* h, FILE* f, long* whole)
{
  char* line = NULL;
  size_t room = 0;
  errno = 0;
  ssize_t n = getline(&line, &room, f);
  if (n < 0 && errno == ENOMEM) return cli_out_of_memory();
  if (n < 0 || strcmp(line, h->task) != 0) {
    cli_error("--resume: '%s' is that of another sweep", h->path);
    free(line);
    return CLI_BAD_INPUT;
  }
  *whole = ftell(f);
  cli_sheet seen = *h;
  uint64_t sum = SUM_START;
  while ((n = getline(&line, &room, f)) > 0) {
    long unit, failed, missed;
    if (line[0] != '#' || line[1] == '!') {
      sum = add_to_sum(sum, line, (size_t)n);
      if (line[0] == '#') add_reason(&seen, line + 2);
      continue;
    }
    if (!read_end(line, sum, &unit, &failed, &missed) || unit != seen.first) break;
    sum = SUM_START;
    seen.first = unit + 1;
    seen.failed += failed;
    seen.missed += missed;
    *h = seen;
    *whole = ftell(f);
  }
  free(line);
  return CLI_GO_ON;
}

// Whether there is more than the first line
static bool has_rows(FILE* f)
{
  for (int c; (c = getc(f)) != EOF && c != '\n';);
  return getc(f) != EOF;
}

static bool lock(FILE* f)
{
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  return fcntl(fileno(f), F_SETLK, &whole) == 0 || (errno != EACCES && errno != EAGAIN);  // some file systems have none
}

// FILE.part is opened, nobody else writes to it: go on behind what is there, or begin
static int begin(cli_sheet* h, FILE* f)
{
  long whole = 0;
  if (!lock(f)) {
    cli_error("another sweep is being written to '%s'", h->path);
    return CLI_BAD_FILE;
  }
  if (h->resume) {
    int status = read_part(h, f, &whole);
    if (status != CLI_GO_ON) return status;
  } else if (!h->force && has_rows(f)) {
    cli_error("'%s' holds a sweep that was interrupted: go on with it by --resume, or start anew by --force", h->path);
    return CLI_BAD_INPUT;
  }
  bool good = ftruncate(fileno(f), whole) == 0 && fseek(f, whole, SEEK_SET) == 0;
  if (good && !h->resume) good = fputs(h->task, f) >= 0 && fflush(f) == 0;
  return good ? CLI_GO_ON : cannot(h->path);
}

static int open_direct(cli_sheet* h)
{
  snprintf(h->path, sizeof h->path, "%s", h->output);
  if (h->resume || is_hdf5(h->output)) {
    cli_error("'%s' is not a regular file: %s", h->output, h->resume ? "nothing is there to go on with" :
              "it can take CSV only");
    return CLI_BAD_FILE;
  }
  h->part = fopen(h->output, "w");
  return h->part && fputs(h->header, h->part) >= 0 && fflush(h->part) == 0 ? CLI_GO_ON : cannot(h->output);
}

int cli_sheet_open(cli_sheet* h)
{
  h->direct = is_special(h->output);
  if (h->direct) return open_direct(h);
  snprintf(h->path, sizeof h->path, "%s.part", h->output);
  int fd = open(h->path, h->resume ? O_RDWR : O_RDWR | O_CREAT, 0666);
  h->part = fd >= 0 ? fdopen(fd, "r+") : NULL;
  if (h->part) return begin(h, h->part);
  if (!h->resume) return cannot(h->path);
  cli_error("--resume: '%s' cannot be read: %s", h->path, strerror(errno));
  return CLI_BAD_FILE;
}

// ---- rows ----

// Without the lines that begin with #
static bool put_rows(cli_sheet* h, const char* rows, FILE* out)
{
  bool good = true;
  for (const char* line = rows; good && *line;) {
    size_t n = strcspn(line, "\n") + 1;
    if (line[0] != '#') {
      good = fwrite(line, 1, n, out) == n;
      h->rows++;
    }
    line += n;
  }
  return good;
}

bool cli_sheet_add(cli_sheet* h, long unit, const char* rows, long failed, long missed)
{
  h->failed += failed;
  h->missed += missed;
  add_reasons(h, rows);
  char end[96];
  int n = print_end(end, sizeof end, unit, failed, missed);
  uint64_t sum = add_to_sum(add_to_sum(SUM_START, rows, strlen(rows)), end, (size_t)n);
  bool good = h->direct ? put_rows(h, rows, h->part)
                        : fprintf(h->part, "%s%s%016" PRIx64 "\n", rows, end, sum) > 0;
  if (good) good = fflush(h->part) == 0;
  if (!good) cannot(h->path);
  return good;
}

// ---- the end ----

static int write_csv(cli_sheet* h, const char* path)
{
  char* line = NULL;
  size_t room = 0;
  errno = 0;
  cli_out out = {0};
  FILE* in = fopen(h->path, "r");
  bool good = in && cli_out_open(&out, path) && fputs(h->header, out.file) >= 0;
  while (good && getline(&line, &room, in) > 0) good = put_rows(h, line, out.file);
  if (good && !feof(in)) good = false;  // memory may be short as well
  int number = errno;
  free(line);
  if (in) fclose(in);
  if (!cli_out_close(&out, good)) {
    good = false;
    number = errno;
  }
  errno = number;
  return good ? CLI_DONE : cannot(path);
}

static int write_hdf5(cli_sheet* h)
{
  char path[1100];
  ss_error error = {0};
  snprintf(path, sizeof path, "%s.csv~", h->path);
  int status = write_csv(h, path);
  ss_number_table* table = status == CLI_DONE ? ss_table_load(path, &error) : NULL;
  if (status == CLI_DONE && (!table || ss_table_save(h->output, table, &error) < 0)) status = cli_fail(&error);
  ss_table_destroy(table);
  remove(path);
  return status;
}

int cli_sheet_close(cli_sheet* h, bool done)
{
  if (!h->part) return CLI_DONE;
  if (fclose(h->part) != 0 && done) return cannot(h->path);
  if (!done || h->direct) return CLI_DONE;
  int status = is_hdf5(h->output) ? write_hdf5(h) : write_csv(h, h->output);
  if (status == CLI_DONE) remove(h->path);
  return status;
}
