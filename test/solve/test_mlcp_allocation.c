// link: -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=aligned_alloc
// No solver of the MLCP allocates: every allocation of the program is counted.
#include "mlcp_families.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "count_allocations.h"

static void test_no_allocation(void** state)
{
  (void)state;
  static mixed p;
  static double z[MIXED_MAX], w[MIXED_MAX];
  uint64_t seed = 1;
  long before_all = calls;
  ss_arena* arena = ss_arena_create(ss_mlcp_solve_size(MIXED_MAX));
  assert_non_null(arena);
  assert_true(calls > before_all);  // the counter counts
  long before = calls;
  for (int turn = 0; turn < 12; turn++)
    for (int s = 0; s < SS_MLCP_SOLVER_COUNT; s++) {
      if (turn%3 == 0) make_box(5 + 8*turn, &seed, &p);
      if (turn%3 == 1) make_program(4 + 5*turn, 4, 1, &seed, &p);
      if (turn%3 == 2) make_polyhedral(3, 1, turn, 30, 0.5, &seed, &p);
      ss_mlcp mlcp = as_mlcp(&p);
      ss_mlcp_def def = ss_mlcp_def_default();
      ss_mlcp_solution solution = {.z = z, .w = w};
      def.solver = (ss_mlcp_solver)s;
      assert_true(ss_mlcp_solve(&mlcp, &def, arena, &solution) >= 0);
    }
  assert_int_equal(calls, before);
  ss_arena_destroy(arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_allocation)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
