// A program outside of Stickslip's tree: solves  y = A x + b,  0 <= y _|_ x >= 0  by Lemke's method and prints x.
#include <stickslip/stickslip.h>
#include <stdio.h>

int main(void)
{
  const double A[] = {2, 1, 1, 2}, b[] = {-5, -6};
  double x[2], y[2];
  ss_lcp lcp = {.n = 2, .A = A, .b = b};
  ss_lcp_def def = ss_lcp_def_default();
  ss_lcp_solution solution = {.x = x, .y = y};

  ss_arena* arena = ss_arena_create(ss_lcp_lemke_size(lcp.n));
  if (!arena) return 1;
  ss_status status = ss_lcp_lemke(&lcp, &def, arena, &solution);
  ss_arena_destroy(arena);
  if (status != SS_OK) {
    fprintf(stderr, "%s\n", ss_status_text(status));
    return 1;
  }
  printf("stickslip %s: x = (%g, %g)\n", ss_version(), x[0], x[1]);
  return 0;
}
