// Tests that need what may not be there (the data set beside the project, a locale) are run apart: a source with the
// line `// apart: NAME` among its first ten is run by ctest once without the tests whose names contain NAME, and once,
// as NAME, with these alone. Where they call needs_something(), ctest tells that as skipped, not as passed.
// Include it after cmocka.h.
#ifndef TEST_APART_H
#define TEST_APART_H

#include <stdbool.h>
#include <stdio.h>

enum { SKIPPED = 77 };  // cmake/tests.cmake knows it as SKIP_RETURN_CODE

static bool something_missing;

#define needs_something(there, ...)   \
  do {                                \
    if (there) break;                 \
    print_message("  needs ");        \
    print_message(__VA_ARGS__);       \
    print_message("\n");              \
    something_missing = true;         \
    skip();                           \
  } while (0)

static inline void choose_tests(int argc, const char* apart)
{
  if (argc > 1) cmocka_set_test_filter(apart);
  else cmocka_set_skip_filter(apart);
}

static inline int verdict_of_tests(int failed) { return failed == 0 && something_missing ? SKIPPED : failed; }

/// For main(): `apart` is a pattern, e.g. "*shared_data*"
#define run_tests_apart(argc, argv, apart, tests, setup, teardown) \
  ((void)(argv), choose_tests(argc, apart), verdict_of_tests(cmocka_run_group_tests(tests, setup, teardown)))

#endif
