// Fuzz target: any bytes as a problem file give a problem or an error, never a crash; what was read is written and read
// again, and is the same; a small LCP is solved, and what comes out is finite.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <stickslip/certify.h>
#include <stickslip/problem.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void check_same(const double* a, const double* b, size_t n)
{
  if (!a != !b || (a && memcmp(a, b, n*sizeof *a) != 0)) abort();
}

static void check_same_matrix(const ss_sparse* a, const ss_sparse* b)
{
  if (!a->start && !b->start) return;
  if (a->rows != b->rows || a->cols != b->cols || a->start[a->rows] != b->start[b->rows]) abort();
  check_same(a->value, b->value, (size_t)a->start[a->rows]);
}

static void check_same_laws(const ss_problem* p, const ss_problem* q)
{
  if (!p->set != !q->set || !p->slide != !q->slide) abort();
  for (int i = 0; i < p->contact.n_contact; i++) {
    if (p->slide && p->slide[i] != q->slide[i]) abort();
    if (!p->set) continue;
    const ss_friction_set *a = &p->set[i], *b = &q->set[i];
    if (a->shape != b->shape || a->n != b->n || a->angle != b->angle) abort();
    check_same(a->a, b->a, 2);
    check_same(a->vertex, b->vertex, 2*(size_t)a->n);
  }
}

static void write_and_read(const ss_problem* p)
{
  char path[64];
  ss_error error = {0};
  snprintf(path, sizeof path, "/tmp/fuzz-problem-%ld.json", (long)getpid());
  if (ss_problem_save(p, path, &error) < 0) {
    fprintf(stderr, "%s\n", error.text);
    abort();
  }
  ss_problem* q = ss_problem_load(path, &error);
  unlink(path);
  if (!q) {
    fprintf(stderr, "%d:%d: %s\n", error.line, error.column, error.text);
    abort();
  }
  size_t n = (size_t)p->lcp.n, k = (size_t)p->mlcp.n;
  check_same(p->lcp.A, q->lcp.A, n*n);
  check_same(p->mlcp.A, q->mlcp.A, k*k);
  check_same(p->mlcp.lower, q->mlcp.lower, k);
  check_same_matrix(&p->contact.G, &q->contact.G);
  check_same_matrix(&p->contact.M, &q->contact.M);
  check_same_matrix(&p->contact.H, &q->contact.H);
  check_same(p->contact.mu, q->contact.mu, (size_t)p->contact.n_contact);
  check_same(p->contact.bound, q->contact.bound, (size_t)p->contact.n_contact);
  check_same_laws(p, q);
  if (strcmp(p->name, q->name) || strcmp(p->notes, q->notes)) abort();
  ss_problem_destroy(q);
}

static void solve(const ss_lcp* lcp)
{
  int n = lcp->n;
  double* x = calloc(3*(size_t)n + 1, sizeof *x);
  ss_arena* arena = ss_arena_create(ss_lcp_lemke_size(n));
  if (x && arena) {
    ss_lcp_def def = ss_lcp_def_default();
    ss_lcp_solution s = {.x = x, .y = x + n, .ray = x + 2*n};
    ss_status status = ss_lcp_lemke(lcp, &def, arena, &s);
    for (int i = 0; i < 3*n; i++)
      if (!isfinite(x[i])) abort();
    if (status == SS_OK && !(ss_lcp_residual(lcp, x) <= def.tol)) abort();
    if (isnan(ss_lcp_certify(lcp, x))) abort();
  }
  ss_arena_destroy(arena);
  free(x);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
  ss_error error;
  ss_problem* problem = ss_problem_parse((const char*)data, size, "fuzz", &error);
  if (!problem) {
    if (error.status >= 0 || !error.text[0]) abort();  // a refusal says why
    return 0;
  }
  write_and_read(problem);
  if (problem->type == SS_PROBLEM_LCP && problem->lcp.n <= 100) solve(&problem->lcp);
  ss_problem_destroy(problem);
  return 0;
}
