// Growable strings, whole files, suggestions.
#include "base/text.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

static void test_append_grows(void** state)
{
  (void)state;
  ss_text t = {0};
  ss_text_append(&t, "%s", "");
  assert_string_equal(t.data, "");
  char expected[4096] = "";
  for (int i = 0; i < 800; i++) {
    ss_text_append(&t, "%d,", i);
    sprintf(expected + strlen(expected), "%d,", i);
    assert_string_equal(t.data, expected);
  }
  assert_int_equal(t.length, strlen(expected));
  assert_false(t.failed);
  ss_text_free(&t);
  assert_null(t.data);
  ss_text_append(&t, "again");
  assert_string_equal(t.data, "again");
  ss_text_free(&t);
}

static void test_append_at_every_length(void** state)
{
  (void)state;
  char long_text[300];
  memset(long_text, 'z', sizeof long_text);
  for (int n = 0; n < 300; n++) {  // across every boundary of the capacity, at once
    ss_text t = {0};
    ss_text_append(&t, "%.*s", n, long_text);
    assert_int_equal(t.length, n);
    assert_int_equal(strlen(t.data), n);
    ss_text_free(&t);
  }
}

static char folder[] = "/tmp/stickslip-text-XXXXXX";
static char path[64];

static int make_folder(void** state)
{
  (void)state;
  if (!mkdtemp(folder)) return -1;
  snprintf(path, sizeof path, "%s/file", folder);
  return 0;
}

static int remove_folder(void** state)
{
  (void)state;
  unlink(path);
  return rmdir(folder);
}

static void write_file(const void* data, size_t length)
{
  FILE* f = fopen(path, "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(data, 1, length, f), length);
  assert_int_equal(fclose(f), 0);
}

static void test_read_file(void** state)
{
  (void)state;
  char* bytes = malloc(20000);
  for (int i = 0; i < 20000; i++) bytes[i] = (char)(i%251);  // with NULs inside
  const size_t lengths[] = {0, 1, 4095, 4096, 4097, 20000};
  for (size_t i = 0; i < sizeof lengths/sizeof *lengths; i++) {
    write_file(bytes, lengths[i]);
    size_t length = 99;
    ss_error e = {0};
    char* text = ss_read_file(path, &length, &e);
    assert_non_null(text);
    assert_int_equal(length, lengths[i]);
    assert_memory_equal(text, bytes, length);
    assert_int_equal(text[length], 0);
    assert_int_equal(e.status, SS_OK);
    free(text);
  }
  free(bytes);
}

static void test_read_file_refuses(void** state)
{
  (void)state;
  ss_error e;
  char expected[600];
  assert_null(ss_read_file(folder, NULL, &e));
  snprintf(expected, sizeof expected, "'%s' is a directory, not a file", folder);
  assert_string_equal(e.text, expected);
  assert_int_equal(e.status, SS_ERR_FILE);

  assert_null(ss_read_file("/nowhere/at/all", NULL, &e));
  assert_string_equal(e.text, "cannot open '/nowhere/at/all': No such file or directory");
  assert_null(ss_read_file("/nowhere/at/all", NULL, NULL));

  assert_null(ss_read_stream("/dev/zero", NULL, &e));  // without end, and without a size to ask for
  assert_string_equal(e.text, "'/dev/zero' is larger than 64 MiB, the most that is read");
}

static void test_read_limit_is_exact(void** state)
{
  (void)state;
  write_file("", 0);
  assert_int_equal(truncate(path, (off_t)SS_READ_LIMIT), 0);  // sparse
  size_t length = 0;
  char* text = ss_read_file(path, &length, NULL);
  assert_non_null(text);
  assert_int_equal(length, SS_READ_LIMIT);
  free(text);
  assert_int_equal(truncate(path, (off_t)SS_READ_LIMIT + 1), 0);
  assert_null(ss_read_file(path, NULL, NULL));
}

static void test_strdup(void** state)
{
  (void)state;
  char* copy = ss_strdup("gap");
  assert_string_equal(copy, "gap");
  free(copy);
  assert_null(ss_strdup(NULL));
}

static void test_suggest(void** state)
{
  (void)state;
  static const char* const list[] = {"parameters", "coordinates", "kinetic", "potential", "mu", "eps_n", "eps_t", NULL};
  static const struct { const char* name; const char* expected; } row[] = {
    {"parametres", "parameters"},    // two neighbours swapped
    {"cordinate", "coordinates"},    // two letters missing
    {"kinetics", "kinetic"},         // one too many
    {"epsn", "eps_n"},
    {"eps_x", "eps_n"},              // as near as eps_t: the first
    {"nu", "mu"},
    {"m", NULL}, {"x", NULL}, {"", NULL},  // a single letter is near to nothing
    {"energy", NULL},
    {"mu", "mu"},
  };
  for (size_t i = 0; i < sizeof row/sizeof *row; i++) {
    const char* nearest = ss_suggest(row[i].name, list, 8);
    if (row[i].expected) {
      assert_non_null(nearest);
      assert_string_equal(nearest, row[i].expected);
    } else {
      assert_null(nearest);
    }
  }
  static const char* const cased[] = {"phi_M", "phi_S", "u_phi_S", "F"};  // wrong case is nearer than a wrong letter
  assert_string_equal(ss_suggest("phi_s", cased, 4), "phi_S");
  assert_string_equal(ss_suggest("PHI_S", cased, 4), "phi_S");
  assert_string_equal(ss_suggest("pih_s", cased, 4), "phi_S");
  assert_string_equal(ss_suggest("f", cased, 4), "F");
  assert_null(ss_suggest("g", cased, 4));
  char huge[200];
  memset(huge, 'm', sizeof huge - 1);
  huge[sizeof huge - 1] = 0;
  const char* const of_huge[] = {huge, "mm"};
  assert_null(ss_suggest(huge, list, 7));
  assert_string_equal(ss_suggest("mmm", of_huge, 2), "mm");
}

// Somebody writes the text into the pipe, late and in two parts
static pid_t write_late(const char* pipe)
{
  pid_t child = fork();
  if (child) return child;
  nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
  FILE* f = fopen(pipe, "w");
  if (!f || fputs("one,", f) < 0 || fflush(f)) _exit(1);
  nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
  _exit(fputs("two", f) < 0 || fclose(f));
}

// Opening a pipe that nobody writes to does not block; what a user names may be one that somebody does write to
static void test_pipes(void** state)
{
  (void)state;
  char pipe[200];
  snprintf(pipe, sizeof pipe, "%s/pipe", folder);
  assert_int_equal(mkfifo(pipe, 0600), 0);
  ss_error e = {0};
  alarm(200);
  assert_null(ss_read_file(pipe, NULL, &e));
  assert_non_null(strstr(e.text, "is a pipe, not a regular file"));
  assert_null(ss_read_stream(pipe, NULL, &e));
  assert_non_null(strstr(e.text, "is a pipe that nobody writes to"));
  int status;
  size_t length;
  pid_t child = write_late(pipe);
  char* text = NULL;
  do text = ss_read_stream(pipe, &length, &e);  // a writer who is later than two seconds waits for the next reader
  while (!text && strstr(e.text, "is a pipe that nobody writes to"));
  assert_non_null(text);
  assert_string_equal(text, "one,two");
  assert_int_equal(length, 7);
  free(text);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  assert_null(ss_read_file("/dev/null", NULL, &e));
  assert_non_null(strstr(e.text, "is a device"));
  assert_non_null(text = ss_read_stream("/dev/null", &length, &e));
  assert_int_equal(length, 0);
  free(text);
  alarm(0);
  unlink(pipe);
}

// Characters of one to four bytes: what fits ends with a whole one.
static void test_utf8(void** state)
{
  (void)state;
  const char* text = "a\xC3\xA4\xE2\x82\xAC\xF0\x9D\x84\x9E" "b";  // a, a umlaut, euro, clef, b
  const int fits[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11};
  for (int most = 0; most <= 12; most++) assert_int_equal(ss_utf8_fit(text, most), fits[most]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_append_grows),
    cmocka_unit_test(test_append_at_every_length),
    cmocka_unit_test(test_read_file),
    cmocka_unit_test(test_read_file_refuses),
    cmocka_unit_test(test_read_limit_is_exact),
    cmocka_unit_test(test_strdup),
    cmocka_unit_test(test_suggest),
    cmocka_unit_test(test_utf8),
    cmocka_unit_test(test_pipes),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
