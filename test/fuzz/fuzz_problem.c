// Fuzz target: any bytes as a problem file give a problem or an error, never a crash; a small problem is solved, and
// what
// comes out is finite.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <stickslip/problem.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
  ss_error error;
  ss_problem* problem = ss_problem_parse((const char*)data, size, "fuzz", &error);
  if (!problem) {
    if (error.status >= 0 || !error.text[0]) abort();  // a refusal says why
    return 0;
  }
  int n = problem->lcp.n;
  double* x = calloc(3*(size_t)n + 1, sizeof *x);
  ss_arena* arena = ss_arena_create(ss_lcp_lemke_size(n));
  if (x && arena) {
    ss_lcp_def def = ss_lcp_def_default();
    ss_lcp_solution s = {.x = x, .y = x + n, .ray = x + 2*n};
    ss_status status = ss_lcp_lemke(&problem->lcp, &def, arena, &s);
    for (int i = 0; i < 3*n; i++)
      if (!isfinite(x[i])) abort();
    if (status == SS_OK && !(ss_lcp_residual(&problem->lcp, x) <= def.tol)) abort();
  }
  ss_arena_destroy(arena);
  free(x);
  ss_problem_destroy(problem);
  return 0;
}
