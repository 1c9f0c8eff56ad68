// Contacts in groups for several threads: each once, none of a body that another thread may have.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "solve/friction_blocks.h"
#include "solve/friction_chunks.h"
#include "solve/pseudo_random.h"

// Bodies of a lattice, numbered at random, each in contact with its neighbours, the lowest with the ground
static ss_friction_blocks* make_lattice(int nx, int ny, int nz, unsigned seed)
{
  int bodies = nx*ny*nz, k = 0, step[3] = {1, nx, nx*ny}, number[2000];
  uint64_t random = seed;
  assert_true(bodies <= 2000);
  for (int i = 0; i < bodies; i++) number[i] = i;
  for (int i = bodies - 1; i > 0; i--) {
    int j = (int)((i + 1)*ss_pseudo_random_part(&random)), keep = number[i];
    number[i] = number[j];
    number[j] = keep;
  }
  ss_friction_blocks* p = ss_friction_blocks_create();
  assert_true(p && ss_friction_blocks_size(p, 0, 4*bodies, 8*bodies, 16*bodies, bodies));
  ss_friction_space* s = &p->space;
  s->start[0] = 0;
  for (int i = 0; i < bodies; i++)
    for (int axis = 0; axis < 4; axis++) {
      int at[3] = {i%nx, i/nx%ny, i/nx/ny}, n[3] = {nx, ny, nz}, e = s->start[k];
      if (axis < 3 ? at[axis] + 1 == n[axis] : at[2] > 0) continue;
      s->col[e++] = number[i];
      if (axis < 3) s->col[e++] = number[i + step[axis]];
      s->start[++k] = e;
    }
  s->k = s->layout.k = k;
  return p;
}

// Who has a body: -1 nobody
static void check_group(const ss_friction_space* s, int group, int* owner)
{
  const ss_friction_chunks* c = &s->chunks;
  for (int i = c->start[group]; i < c->start[group + 1]; i++)
    for (int e = s->start[c->order[i]]; e < s->start[c->order[i] + 1]; e++) {
      assert_true(owner[s->col[e]] < 0 || owner[s->col[e]] == group);
      owner[s->col[e]] = group;
      if (group < c->n) assert_in_range(s->col[e], c->body[group], c->body[group + 1] - 1);
    }
}

static void check_chunks(ss_friction_blocks* p, int least, int of_a_body)
{
  ss_friction_space* s = &p->space;
  const ss_friction_chunks* c = &s->chunks;
  int owner[2000], seen[8000] = {0};
  ss_arena* arena = ss_arena_create(ss_friction_chunks_size(s->k, 4*s->k, s->n_body) + 64);
  assert_true(arena && ss_friction_find_chunks(s, 4*s->k, arena));
  assert_true(c->n >= least);
  assert_int_equal(c->start[2*c->n - 1], s->k);
  assert_int_equal(c->body[0], 0);
  assert_int_equal(c->body[c->n], s->n_body);
  for (int i = 0; i < c->n; i++) assert_true(c->body[i] < c->body[i + 1]);
  for (int kind = 0; kind < 2; kind++) {
    for (int i = 0; i < s->n_body; i++) owner[i] = -1;
    for (int i = 0; i < c->n - kind; i++) check_group(s, kind*c->n + i, owner);
  }
  for (int i = 0; i < s->k; i++) assert_int_equal(++seen[c->order[i]], 1);
  // who has a chunk has as much as any other, but for the contacts of one body
  for (int i = 0; i < c->n; i++) {
    int own = c->start[i + 1] - c->start[i] + (i < c->n - 1 ? c->start[c->n + i + 1] - c->start[c->n + i] : 0);
    assert_in_range(own, s->k/c->n - of_a_body, s->k/c->n + of_a_body);
  }
  ss_arena_destroy(arena);
}

static void test_lattices(void** state)
{
  (void)state;
  const int size[][4] = {{10, 10, 10, 4}, {5, 5, 40, 8}, {2, 2, 400, 8}, {10, 10, 20, 8}, {30, 40, 1, 4}};
  for (size_t i = 0; i < sizeof size/sizeof *size; i++)
    for (unsigned seed = 1; seed <= 3; seed++) {
      ss_friction_blocks* p = make_lattice(size[i][0], size[i][1], size[i][2], seed);
      check_chunks(p, size[i][3], 4);
      ss_friction_blocks_destroy(p);
    }
}

// Small problems have no chunks; where everything touches everything there is one cut at most
static void test_few(void** state)
{
  (void)state;
  ss_friction_blocks* p = make_lattice(5, 5, 5, 1);
  assert_int_equal(ss_friction_chunks_size(p->space.k, 4*p->space.k, 125), 0);
  assert_true(ss_friction_find_chunks(&p->space, 4*p->space.k, NULL) && p->space.chunks.n == 0);
  ss_friction_blocks_destroy(p);

  int bodies = 50, k = bodies*(bodies - 1)/2;
  p = ss_friction_blocks_create();
  assert_true(p && ss_friction_blocks_size(p, 0, k, 2*k, 4*k, bodies));
  ss_friction_space* s = &p->space;
  s->start[0] = 0;
  for (int i = 0, c = 0; i < bodies; i++)
    for (int j = 0; j < i; j++, c++) {
      s->col[2*c] = i;
      s->col[2*c + 1] = j;
      s->start[c + 1] = 2*c + 2;
    }
  check_chunks(p, 2, bodies - 1);
  assert_int_equal(s->chunks.n, 2);
  ss_friction_blocks_destroy(p);
}

// A chain of bodies, and so many contacts with the ground, which the first `standing` bodies have in turn
static void make_chain(ss_friction_blocks* p, int bodies, int on_ground, int standing)
{
  int k = bodies - 1 + on_ground;
  assert_true(ss_friction_blocks_size(p, 0, k, 2*k, 4*k, bodies));
  ss_friction_space* s = &p->space;
  s->start[0] = 0;
  for (int i = 0; i < k; i++) {
    int e = s->start[i];
    if (i < bodies - 1) {
      s->col[e++] = i;
      s->col[e++] = i + 1;
    } else s->col[e++] = (i - bodies + 1)%standing;
    s->start[i + 1] = e;
  }
}

static int count_chunks(ss_friction_space* s)
{
  ss_arena* arena = ss_arena_create(ss_friction_chunks_size(s->k, 4*s->k, s->n_body) + 64);
  assert_true(arena && ss_friction_find_chunks(s, 4*s->k, arena));
  ss_arena_destroy(arena);
  return s->chunks.n;
}

// Problems one after the other in the same memory: with fewer bodies than chunks, or most contacts at the last body,
// nothing is left of the chunks of the problem before
static void test_one_after_the_other(void** state)
{
  (void)state;
  ss_friction_blocks* p = ss_friction_blocks_create();
  assert_non_null(p);
  make_chain(p, 800, 801, 800);
  check_chunks(p, 4, 3);
  make_chain(p, 1, 1200, 1);
  assert_int_equal(count_chunks(&p->space), 0);
  make_chain(p, 800, 801, 800);
  check_chunks(p, 4, 3);
  make_chain(p, 10, 1500, 1);  // levels begin at the other end
  assert_int_equal(count_chunks(&p->space), 0);
  make_chain(p, 3, 1200, 3);
  check_chunks(p, 2, 402);
  ss_friction_blocks_destroy(p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_lattices), cmocka_unit_test(test_few),
                                     cmocka_unit_test(test_one_after_the_other)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
