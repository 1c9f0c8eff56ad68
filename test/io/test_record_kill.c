// Run files of writers that came to a bad end: killed at any moment, or out of room on the disk. Everything up to the
// last flush is there, every row is whole, and the run can go on.
#include "io/run_fixture.h"
#include "less.h"
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

static char folder[] = "/tmp/stickslip-kill-XXXXXX";
static char path[256];
static char why[256];
static ss_error error;

// What the child tells of itself, in memory that outlives it
static struct progress {
  volatile long rows;     // given to the record
  volatile long flushed;  // of these flushed
  volatile double t;      // when the last one was given, s
  volatile int stage;
} * progress;

static int make_folder(void** state)
{
  (void)state;
  char name[300];
  if (!mkdtemp(folder)) return -1;
  snprintf(path, sizeof path, "%s/run.h5", folder);
  snprintf(name, sizeof name, "%s/progress", folder);
  int fd = open(name, O_RDWR | O_CREAT, 0600);
  if (fd < 0 || ftruncate(fd, sizeof *progress) < 0) return -1;
  progress = mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  unlink(name);
  return progress == MAP_FAILED ? -1 : 0;
}

// A writer killed while it makes its file may leave one under another name behind
static void remove_leftovers(void)
{
  char pattern[300];
  glob_t found;
  snprintf(pattern, sizeof pattern, "%s/*.tmp", folder);
  if (glob(pattern, 0, NULL, &found)) return;
  for (size_t i = 0; i < found.gl_pathc; i++) unlink(found.gl_pathv[i]);
  globfree(&found);
}

static int remove_folder(void** state)
{
  (void)state;
  unlink(path);
  munmap(progress, sizeof *progress);
  return rmdir(folder);
}

static void sleep_for(double seconds)
{
  struct timespec t = {(time_t)seconds, (long)(1e9*(seconds - floor(seconds)))};
  nanosleep(&t, NULL);
}

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9*(double)t.tv_nsec;
}

// Whole numbers below n, the same ones in every run of the test
static unsigned below(unsigned n)
{
  static unsigned x = 12345;
  x = x*1664525u + 1013904223u;
  return (unsigned)((unsigned long long)(x >> 8)*n >> 24);
}

static pid_t spawn(void (*work)(void))
{
  *progress = (struct progress){0};
  fflush(NULL);
  pid_t child = fork();
  if (child) return child;
  work();
  _exit(99);  // the work never ends by itself
}

static void wait_until_rows(long rows)
{
  for (int i = 0; i < 200000 && progress->rows < rows; i++) sleep_for(0.001);
  assert_true(progress->rows >= rows);
}

static void kill_and_wait(pid_t child)
{
  int status;
  assert_int_equal(kill(child, SIGKILL), 0);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFSIGNALED(status));
}

// The file holds at least these rows, whole, with their events. Returns how many it has.
static long check_file(fixture* f, long least)
{
  ss_run* run = ss_run_open(path, &error);
  if (!run) fail_msg("%s", error.text);
  long rows = ss_run_get_info(run)->n_rows;
  if (rows < least) fail_msg("%ld rows, but %ld were safe", rows, least);
  if (!fixture_check(f, run, why)) fail_msg("%s", why);
  ss_run_close(run);
  return rows;
}

// Goes on with the file to n rows more, and checks all of it
static void go_on(fixture* f, long rows, long more)
{
  ss_record* record = ss_record_resume(path, 12.5, &error);
  if (!record) fail_msg("%s", error.text);
  assert_int_equal(fixture_write(f, record, rows, rows + more, &error), SS_OK);
  assert_int_equal(ss_record_close(record, "complete", &error), SS_OK);
  assert_int_equal(check_file(f, rows + more), rows + more);
}

// ---- killed --------------------------------------------------------------------------------------------------------

// Flushes all the time, so that nearly every moment is in the middle of one
static void write_and_flush(void)
{
  fixture f;
  fixture_init(&f, 3, 3, 1);
  ss_record* record = ss_record_create_from(path, &f.header, &error);
  if (!record) _exit(1);
  for (long i = 0;; i += 37) {
    if (fixture_write(&f, record, i, i + 37, &error) < 0 || ss_record_flush(record, &error) < 0) _exit(1);
    progress->rows = progress->flushed = i + 37;
  }
}

static void test_killed_at_any_moment(void** state)
{
  (void)state;
  fixture f;
  fixture_init(&f, 3, 3, 1);
  for (int k = 0; k < 25; k++) {
    unlink(path);
    pid_t child = spawn(write_and_flush);
    wait_until_rows(1 + (long)below(6000));
    sleep_for(1e-6*below(3000));
    kill_and_wait(child);
    long rows = check_file(&f, progress->flushed);
    if (k%5 == 0) go_on(&f, rows, 3000);
  }
  fixture_free(&f);
}

// Rows without end, never flushed by hand
static void write_slowly(void)
{
  fixture f;
  fixture_init(&f, 3, 3, 1);
  ss_record* record = ss_record_create_from(path, &f.header, &error);
  if (!record) _exit(1);
  for (long i = 0;; i++) {
    if (fixture_write(&f, record, i, i + 1, &error) < 0) _exit(1);
    progress->rows = i + 1;
    progress->t = now();
    sleep_for(0.002);
  }
}

// Of what was given a second before the last row, however long the writer had to wait for a processor
static void test_at_most_one_second_is_lost(void** state)
{
  (void)state;
  fixture f;
  fixture_init(&f, 3, 3, 1);
  unlink(path);
  pid_t child = spawn(write_slowly);
  wait_until_rows(200);
  long then = progress->rows;
  double until = now() + 1;
  for (int i = 0; i < 200000 && progress->t <= until; i++) sleep_for(0.001);
  assert_true(progress->t > until);
  kill_and_wait(child);
  check_file(&f, then);
  fixture_free(&f);
}

static void create_and_create(void)
{
  fixture f;
  fixture_init(&f, 3, 3, 1);
  for (;;) {
    ss_record* record = ss_record_create_from(path, &f.header, &error);
    if (!record || fixture_write(&f, record, 0, 20, &error) < 0) _exit(1);
    if (ss_record_close(record, "complete", &error) < 0) _exit(1);
    progress->rows++;
  }
}

static void resume_and_resume(void)
{
  fixture f;
  fixture_init(&f, 3, 3, 1);
  ss_record* record = ss_record_create_from(path, &f.header, &error);
  for (long i = 0; record; i += 1000) {
    if (fixture_write(&f, record, i, i + 1000, &error) < 0) _exit(1);
    if (ss_record_close(record, "interrupted", &error) < 0) _exit(2);
    progress->rows = i + 1000;
    record = ss_record_resume(path, 12.5, &error);
  }
}

// While a file is made, ended or gone on with: there is always a whole one, the old or the new
static void test_killed_at_start_and_end(void** state)
{
  (void)state;
  fixture f;
  fixture_init(&f, 3, 3, 1);
  for (int k = 0; k < 30; k++) {
    unlink(path);
    pid_t child = spawn(k%2 ? create_and_create : resume_and_resume);
    wait_until_rows(1);
    sleep_for(1e-6*below(30000));
    kill_and_wait(child);
    long least = k%2 ? 0 : progress->rows;
    long rows = check_file(&f, least);
    if (k%6 < 2) go_on(&f, rows, 100);
    remove_leftovers();
  }
  fixture_free(&f);
}

// ---- out of room ---------------------------------------------------------------------------------------------------

static rlim_t size_limit;

// Writes until the file may not grow any more; stage 1: it could not even be made, 2: all went as it should
static void write_to_the_limit(void)
{
  fixture f;
  struct rlimit limit = {size_limit, size_limit};
  fixture_init(&f, 3, 3, 1);
  signal(SIGXFSZ, SIG_IGN);
  if (setrlimit(RLIMIT_FSIZE, &limit) < 0) _exit(1);
  ss_record* record = ss_record_create_from(path, &f.header, &error);
  if (!record) {
    progress->stage = 1;
    _exit(error.status == SS_ERR_FILE && strstr(error.text, strerror(EFBIG)) ? 0 : 2);
  }
  ss_status status = SS_OK;
  for (long i = 0; status == SS_OK && i < 40000; i += 100) {
    status = fixture_write(&f, record, i, i + 100, &error);
    if (status == SS_OK && i%1000 == 0) status = ss_record_flush(record, &error);
  }
  const char* safe = strstr(error.text, "its first ");
  if (safe) progress->flushed = atol(safe + 10);
  if (status != SS_ERR_FILE || !strstr(error.text, strerror(EFBIG))) _exit(3);
  if (fixture_write(&f, record, 0, 1, &error) != SS_ERR_FILE) _exit(4);
  if (ss_record_close(record, "failed", &error) != SS_ERR_FILE || !strstr(error.text, strerror(EFBIG))) _exit(5);
  progress->stage = 2;
  exit(0);  // rather than _exit: HDF5 must come to an end, too, and find nothing to complain about
}

// Runs the child with standard error in a file, which must stay empty
static void run_quietly(void)
{
  char name[300];
  snprintf(name, sizeof name, "%s/stderr", folder);
  int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
  dup2(fd, 2);
  write_to_the_limit();
}

static void check_quiet(void)
{
  char name[300];
  struct stat info;
  snprintf(name, sizeof name, "%s/stderr", folder);
  assert_int_equal(stat(name, &info), 0);
  assert_int_equal(info.st_size, 0);
  unlink(name);
}

static void test_out_of_room(void** state)
{
  (void)state;
  fixture f;
  int made = 0, status;
  fixture_init(&f, 3, 3, 1);
  for (int k = 0; k < 60; k += LESS > 1 ? 5 : 1) {
    unlink(path);
    size_limit = k < 8 ? (rlim_t)100 << k : 10000 + below(k < 30 ? 200000 : 6000000);
    pid_t child = spawn(run_quietly);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status) || WEXITSTATUS(status)) fail_msg("limit %ld: status %x", (long)size_limit, (unsigned)status);
    check_quiet();
    if (progress->stage == 1) { assert_int_equal(access(path, F_OK), -1); continue; }
    made++;
    assert_int_equal(progress->stage, 2);
    long rows = check_file(&f, progress->flushed);
    if (k%10 == 0) go_on(&f, rows, 1000);
  }
  assert_true(made > (LESS > 1 ? 6 : 30));
  fixture_free(&f);
}

// A new run that finds no room leaves the old one alone
static void test_old_run_survives(void** state)
{
  (void)state;
  fixture f;
  int status;
  fixture_init(&f, 3, 3, 1);
  unlink(path);
  ss_record* record = ss_record_create_from(path, &f.header, &error);
  assert_non_null(record);
  assert_int_equal(fixture_write(&f, record, 0, 500, &error), SS_OK);
  assert_int_equal(ss_record_close(record, "complete", &error), SS_OK);
  size_limit = 3000;
  pid_t child = spawn(run_quietly);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  assert_int_equal(progress->stage, 1);
  check_quiet();
  assert_int_equal(check_file(&f, 500), 500);
  fixture_free(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_killed_at_any_moment),
    cmocka_unit_test(test_at_most_one_second_is_lost),
    cmocka_unit_test(test_killed_at_start_and_end),
    cmocka_unit_test(test_out_of_room),
    cmocka_unit_test(test_old_run_survives),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
