// Block factors are the same bits on any processor: block_lu.c as the library has it, where AVX2 and AVX-512 are used
// if they are there, against the same source compiled without either.
#define SS_NO_CLONES
#define ss_block_lu_create plain_create
#define ss_block_lu_destroy plain_destroy
#define ss_block_lu_find plain_find
#define ss_block_lu_clear plain_clear
#define ss_block_lu_factor plain_factor
#define ss_block_lu_solve plain_solve
#include "math/block_lu.c"
#undef ss_block_lu_factor
#undef ss_block_lu_solve

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

bool ss_block_lu_factor(ss_block_lu* lu);
void ss_block_lu_solve(ss_block_lu* lu, double* x);

static double uniform(uint64_t* seed)
{
  *seed = *seed*6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11)/9007199254740992.0;
}

// The pattern of a random graph; `wild` adds orders of magnitude, blocks of zeros and diagonals that need row exchanges
static void fill(ss_block_lu* lu, const int* start, const int* col, bool wild, uint64_t seed)
{
  int d = lu->d, s = lu->stride;
  for (int i = 0; i < lu->n; i++)
    for (int e = start[i]; e < start[i + 1]; e++) {
      double* block = lu->value + (size_t)plain_find(lu, i, col[e])*(size_t)(d*s);
      double size = wild ? pow(10, 12*uniform(&seed) - 6) : 1;
      bool empty = wild && i != col[e] && uniform(&seed) < 0.3, turned = wild && uniform(&seed) < 0.3;
      for (int r = 0; r < d && !empty; r++)
        for (int c = 0; c < d; c++) block[r*s + c] = size*(uniform(&seed) - 0.5);
      for (int r = 0; r < d && i == col[e]; r++) {
        if (turned) block[r*s + r] = 0;
        block[r*s + (turned ? (r + 1)%d : r)] += (i%3 ? 10 : -10)*size;
      }
    }
}

static void compare(int n, int d, bool wild, uint64_t seed)
{
  int *start = calloc((size_t)n + 1, sizeof(int)), *col = malloc(sizeof(int)*(size_t)(n*n + 1));
  double x[2][6*24];
  ss_block_lu* lu[2];
  bool good[2];
  assert_true(start && col && n <= 24);
  for (int i = 0; i < n; i++) {
    start[i + 1] = start[i];
    for (int j = 0; j <= i; j++)
      if (i == j || uniform(&seed) < 0.3) col[start[i + 1]++] = j;
  }
  for (int way = 0; way < 2; way++) {
    lu[way] = plain_create(n, d, start, col, 1 << 20, INFINITY);
    assert_non_null(lu[way]);
    fill(lu[way], start, col, wild, seed);
    good[way] = way ? ss_block_lu_factor(lu[way]) : plain_factor(lu[way]);
    for (int i = 0; i < n*d; i++) x[way][i] = sin(i + 1.0);
    if (!good[way]) continue;
    if (way) ss_block_lu_solve(lu[way], x[way]);
    else plain_solve(lu[way], x[way]);
  }
  assert_int_equal(good[0], good[1]);
  assert_true(wild || good[0]);
  assert_true(!good[0] || lu[0]->sign == lu[1]->sign);
  assert_memory_equal(lu[0]->value, lu[1]->value, (size_t)lu[0]->start[n]*(size_t)(d*lu[0]->stride)*sizeof(double));
  assert_memory_equal(x[0], x[1], (size_t)(n*d)*sizeof(double));
  for (int way = 0; way < 2; way++) plain_destroy(lu[way]);
  free(start);
  free(col);
}

static void factors_are_the_same_bits(void** state)
{
  (void)state;
  const int sizes[] = {1, 2, 3, 6};
  for (int s = 0; s < 4; s++)
    for (int n = 1; n <= 24; n += n < 6 ? 1 : 6)
      for (uint64_t seed = 1; seed <= 20; seed++) compare(n, sizes[s], seed%2, seed);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(factors_are_the_same_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
