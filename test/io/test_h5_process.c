// The process that reads an HDF5 file: one that hangs is ended, and may be asked for by several threads while others
// write.
#define _GNU_SOURCE
#include "io/h5_process.h"
#include "io/run_fixture.h"
#include "less.h"
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <cmocka.h>

// The address sanitizer of gcc 12 has an allocator whose locks fork() may copy closed, while another thread allocates:
// the child would wait for ever. That of glibc opens them.
enum { THREADS = LESS > 1 ? 1 : 4, TIMES = 5, ROWS = 300 };

static char folder[] = "/tmp/stickslip-process-XXXXXX";

static bool write_run(const char* path)
{
  ss_error error = {0};
  fixture f;
  fixture_init(&f, 2, 2, 1);
  ss_record* record = ss_record_create_from(path, &f.header, &error);
  bool good = record && fixture_write(&f, record, 0, ROWS, &error) >= 0;
  good = ss_record_close(record, "complete", &error) >= 0 && good;
  fixture_free(&f);
  return good;
}

// Stopped, it is as silent as one that runs in circles
static void test_hangs(void** state)
{
  (void)state;
  char path[256];
  void* body = NULL;
  ss_h5_process p;
  ss_h5_answer a;
  snprintf(path, sizeof path, "%s/run.h5", folder);
  assert_true(write_run(path));
  assert_true(ss_h5_process_start(&p, path, "a run file"));
  pid_t id = p.id;
  assert_int_equal(ss_h5_process_ask(&p, &(ss_h5_question){.what = SS_H5_ASK_OPENED}, &a, 0, NULL, &body), SS_OK);
  free(body);
  body = NULL;
  struct timeval patience = {0};
  socklen_t size = sizeof patience;
  assert_int_equal(getsockopt(p.socket, SOL_SOCKET, SO_RCVTIMEO, &patience, &size), 0);
  assert_true(patience.tv_sec > 0);  // the rest of this test need not take as long
  patience = (struct timeval){.tv_usec = 100000};
  setsockopt(p.socket, SOL_SOCKET, SO_RCVTIMEO, &patience, size);
  kill(id, SIGSTOP);
  assert_int_equal(
    ss_h5_process_ask(&p, &(ss_h5_question){.what = SS_H5_ASK_OBJECT, .object = "t"}, &a, 0, NULL, &body), SS_ERR_FILE);
  assert_null(body);
  assert_int_equal(p.socket, -1);
  assert_int_equal(kill(id, 0), -1);
  unlink(path);
}

static void* write_and_read(void* user)
{
  char path[256];
  ss_error error = {0};
  snprintf(path, sizeof path, "%s/%s.h5", folder, (const char*)user);
  for (int i = 0; i < TIMES; i++) {
    if (!write_run(path)) return "not written";
    ss_run* run = ss_run_open(path, &error);
    const double* t = run ? ss_run_column(run, "t", &error) : NULL;
    bool good = t && ss_run_get_info(run)->n_rows == ROWS;
    ss_run_close(run);
    if (!good) return "not read";
  }
  unlink(path);
  return NULL;
}

static void test_threads(void** state)
{
  (void)state;
  static const char* const name[] = {"a", "b", "c", "d"};
  pthread_t thread[THREADS];
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&thread[i], NULL, write_and_read, (void*)name[i]), 0);
  for (int i = 0; i < THREADS; i++) {
    void* wrong;
    assert_int_equal(pthread_join(thread[i], &wrong), 0);
    if (wrong) fail_msg("thread %s: %s", name[i], (const char*)wrong);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_hangs), cmocka_unit_test(test_threads)};
  if (!mkdtemp(folder)) return 1;
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  rmdir(folder);
  return failed;
}
