// Written problems read back bit for bit, as JSON and as FCLIB; what cannot be written is refused, and a file that was
// there before stays.
// apart: locale
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <stickslip/problem.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "../apart.h"

static char folder[] = "/tmp/ss-save-XXXXXX";
static char json[64], hdf5[64];

static int make_folder(void** state)
{
  (void)state;
  if (!mkdtemp(folder)) return -1;
  snprintf(json, sizeof json, "%s/p.json", folder);
  snprintf(hdf5, sizeof hdf5, "%s/p.hdf5", folder);
  return 0;
}

// Fails if a temporary file was left behind
static int remove_folder(void** state)
{
  (void)state;
  unlink(json);
  unlink(hdf5);
  return rmdir(folder);
}

static ss_problem* round_trip(const ss_problem* p, const char* path)
{
  ss_error error = {0};
  if (ss_problem_save(p, path, &error) != SS_OK) fail_msg("%s", error.text);
  ss_problem* q = ss_problem_load(path, &error);
  if (!q) fail_msg("%s:%d: %s", error.file, error.line, error.text);
  assert_int_equal(q->type, p->type);
  assert_string_equal(q->warnings, "");
  return q;
}

// ---- LCP, MLCP ----

static const double awkward[16] = {
  0.1, 1.0/3, -0.0, 5e-324, 1.7976931348623157e308, 2.2250738585072014e-308, 0x1.fffffffffffffp-1, 1e23,
  9007199254740993.0, -123456789.12345678, 4.35, 0.3, 1e-5, 1e16, 2.5e-310, -1e-300,
};

static void check_lcp(void)
{
  ss_problem p = {.name = "a \"name\"\nwith \\ and \t é", .notes = "n",
                  .lcp = {.n = 4, .A = awkward, .b = awkward + 2}};
  ss_problem* q = round_trip(&p, json);
  assert_string_equal(q->name, p.name);
  assert_string_equal(q->notes, "n");
  assert_memory_equal(q->lcp.A, awkward, sizeof awkward);
  assert_memory_equal(q->lcp.b, awkward + 2, 4*sizeof(double));
  ss_problem_destroy(q);
}

static void lcp(void** state)
{
  (void)state;
  check_lcp();
  ss_sparse S;
  assert_int_equal(ss_sparse_from_dense(4, 4, awkward, &S, NULL), SS_OK);
  ss_problem sparse = {.lcp = {.n = 4, .b = awkward, .S = &S}};
  ss_problem* q = round_trip(&sparse, json);
  assert_true(q->lcp.S || (q->lcp.A[0] == 0.1 && q->lcp.A[15] == -1e-300));
  ss_problem_destroy(q);
  ss_sparse_free(&S);
  ss_problem empty = {.type = SS_PROBLEM_LCP};
  ss_problem_destroy(round_trip(&empty, json));
}

// The decimal point is a point, whatever the program's locale
static void locale(void** state)
{
  (void)state;
  const char* const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8", "de_DE", "fr_FR"};
  bool found = false;
  for (size_t i = 0; i < sizeof names/sizeof *names && !found; i++) found = setlocale(LC_ALL, names[i]);
  needs_something(found, "a locale with a decimal comma, e.g. de_DE.UTF-8");
  check_lcp();
  setlocale(LC_ALL, "C");
}

static void mlcp(void** state)
{
  (void)state;
  const double lower[] = {-INFINITY, 0, -0.1, 2}, upper[] = {INFINITY, INFINITY, 0.1, 2};
  ss_problem p = {.type = SS_PROBLEM_MLCP,
                  .mlcp = {.n = 4, .A = awkward, .b = awkward + 1, .lower = lower, .upper = upper}};
  ss_problem* q = round_trip(&p, json);
  assert_memory_equal(q->mlcp.A, awkward, sizeof awkward);
  assert_memory_equal(q->mlcp.lower, lower, sizeof lower);
  assert_memory_equal(q->mlcp.upper, upper, sizeof upper);
  ss_problem_destroy(q);
}

// ---- contact problems ----

static void check_sparse(const ss_sparse* a, const ss_sparse* b)
{
  assert_int_equal(a->rows, b->rows);
  assert_int_equal(a->cols, b->cols);
  assert_memory_equal(a->start, b->start, ((size_t)a->rows + 1)*sizeof(int));
  if (!a->start[a->rows]) return;
  assert_memory_equal(a->col, b->col, (size_t)a->start[a->rows]*sizeof(int));
  assert_memory_equal(a->value, b->value, (size_t)a->start[a->rows]*sizeof(double));
}

static void check_list(const double* a, const double* b, int n)
{
  assert_int_equal(!a, !b);
  if (a && n) assert_memory_equal(a, b, (size_t)n*sizeof(double));
}

static void check_contact(const ss_friction_problem* a, const ss_friction_problem* b)
{
  int m = ss_friction_rows(a);
  assert_int_equal(a->n_contact, b->n_contact);
  assert_int_equal(a->n_bilateral, b->n_bilateral);
  assert_int_equal(a->global, b->global);
  assert_int_equal(m, ss_friction_rows(b));
  assert_true(a->kappa == b->kappa);
  check_list(a->mu, b->mu, a->n_contact);
  check_list(a->bound, b->bound, a->n_contact);
  if (a->global) {
    check_sparse(&a->M, &b->M);
    check_sparse(&a->H, &b->H);
    check_list(a->f, b->f, a->M.rows);
    check_list(a->w, b->w, m);
  } else {
    check_sparse(&a->G, &b->G);
    check_list(a->b, b->b, m);
  }
}

static ss_sparse triplets(int rows, int cols, int n, const int* row, const int* col, const double* x)
{
  ss_sparse A;
  assert_int_equal(ss_sparse_from_triplets(rows, cols, n, row, col, x, &A, NULL), SS_OK);
  return A;
}

// Three rows of one spatial contact with n_bilateral rows before them, symmetric, some entries zero but stored
static ss_problem local_problem(int n_bilateral)
{
  static const int row[] = {0, 0, 1, 2, 2, 3, 4, 3, 1, 1, 0}, col[] = {0, 2, 1, 0, 2, 3, 4, 1, 3, 0, 1};
  static const double x[] = {0.1, 1.0/3, 2, 1.0/3, 7.7, 1e-3, 3e3, -0.0, -0.0, 0.2, 0.2};
  static const double b[] = {-1, 0.1, 1e-17, 4, -0.0}, mu[] = {0.3};
  return (ss_problem){.name = "three", .type = SS_PROBLEM_CONTACT,
                      .contact = {.dim = 3, .n_contact = 1, .n_bilateral = n_bilateral, .mu = mu, .b = b,
                                  .G = n_bilateral ? triplets(5, 5, 11, row, col, x) : triplets(3, 3, 5, row, col, x)}};
}

static ss_problem global_problem(int n_bilateral)
{
  static const int row[] = {0, 1, 2, 0}, col[] = {0, 1, 2, 2};
  static const double x[] = {0.1, 2, 1.0/3, 1e-9}, f[] = {1, -0.0, 3}, w[] = {0.1, 0.2, 0.7, 0}, mu[] = {0.3};
  return (ss_problem){.type = SS_PROBLEM_CONTACT,
                      .contact = {.dim = 2, .n_contact = 1, .n_bilateral = n_bilateral, .global = true, .mu = mu,
                                  .M = triplets(3, 3, 4, row, col, x),
                                  .H = triplets(3, 2 + n_bilateral, n_bilateral ? 3 : 2, row, col, x), .f = f, .w = w}};
}

static void free_matrices(ss_problem* p)
{
  ss_sparse_free(&p->contact.G);
  ss_sparse_free(&p->contact.M);
  ss_sparse_free(&p->contact.H);
}

static void contact(void** state)
{
  (void)state;
  const char* const paths[] = {json, hdf5};
  for (int i = 0; i < 2; i++)
    for (int form = 0; form < 4; form++) {
      ss_problem p = form < 2 ? local_problem(form ? 2 : 0) : global_problem(form > 2);
      if (form == 0) {
        ss_sparse_free(&p.contact.G);
        const double full[] = {1, 0.1, 0.2, 0.1, 2, 0.3, 0.2, 0.3, 3};
        assert_int_equal(ss_sparse_from_dense(3, 3, full, &p.contact.G, NULL), SS_OK);
      }
      unlink(hdf5);
      ss_error error = {0};
      if (ss_problem_save(&p, paths[i], &error) < 0) fail_msg("%s", error.text);
      ss_problem* q = ss_problem_load(paths[i], &error);
      if (!q) fail_msg("form %d: %s:%d: %s", form, error.file, error.line, error.text);
      check_contact(&p.contact, &q->contact);
      ss_problem_destroy(q);
      free_matrices(&p);
    }
}

static void contact_with_all_there_is(void** state)
{
  (void)state;
  const double G[] = {1, 0.1, 0, 0, 0.1, 2, 0, 0, 0, 0, 0.7, 0, 0, 0, 0, 1.0/3}, b[] = {1, 2, 3, 0.1};
  const double mu[] = {0.3, 0}, bound[] = {0, 1.0/3}, Lambda[] = {0.1, 0.2, 0.3, 1e-20};
  const ss_contact_kind kind[] = {SS_CONTACT_PLANAR, SS_CONTACT_FRICTION};
  const char* const names[] = {"floor", "belt \"b\""};
  ss_problem p = {.name = "all", .notes = "two\nlines", .type = SS_PROBLEM_CONTACT, .contact_name = names,
                  .Lambda = Lambda,
                  .contact = {.n_bilateral = 1, .n_contact = 2, .kind = kind, .mu = mu, .bound = bound, .b = b,
                              .kappa = 1e-3}};
  assert_int_equal(ss_sparse_from_dense(4, 4, G, &p.contact.G, NULL), SS_OK);
  ss_problem* q = round_trip(&p, json);
  check_contact(&p.contact, &q->contact);
  assert_memory_equal(q->contact.kind, kind, sizeof kind);
  check_list(q->Lambda, Lambda, 4);
  assert_string_equal(q->contact_name[1], "belt \"b\"");
  assert_string_equal(q->notes, "two\nlines");
  ss_problem_destroy(q);
  // what FCLIB has no place for
  ss_error error;
  unlink(hdf5);
  assert_int_equal(ss_problem_save(&p, hdf5, &error), SS_ERR_INPUT);
  assert_non_null(strstr(error.text, "all planar or all spatial"));
  assert_string_equal(error.file, hdf5);
  p.contact.kind = NULL;
  p.contact.dim = 2;
  p.contact.n_contact = 2;
  p.contact.n_bilateral = 0;
  assert_int_equal(ss_problem_save(&p, hdf5, &error), SS_ERR_INPUT);
  assert_non_null(strstr(error.text, "no place for bounds"));
  p.contact.bound = NULL;
  assert_int_equal(ss_problem_save(&p, hdf5, &error), SS_ERR_INPUT);
  assert_non_null(strstr(error.text, "kappa"));
  p.contact.kappa = 0;
  assert_int_equal(ss_problem_save(&p, hdf5, &error), SS_OK);
  ss_sparse_free(&p.contact.G);
}

// Every problem of the public set survives both ways
static void data_set(void** state)
{
  (void)state;
  const char* const files[] = {"contact/gen_pyramid4_r1_mu0.3_global.hdf5", "contact/gen_squeeze2d.hdf5",
                               "contact/gen_tower4_r10000_mu0.3.json", "contact/gen_planar_k4_d8_s0.json",
                               "lcp/gen_scaled_n12_s0.json", "mlcp/gen_box_n7_s0.json"};
  for (size_t i = 0; i < sizeof files/sizeof *files; i++) {
    char path[512];
    snprintf(path, sizeof path, "%s/test/data/%s", SS_SOURCE_DIR, files[i]);
    ss_problem* p = ss_problem_load(path, NULL);
    assert_non_null(p);
    ss_problem* q = round_trip(p, json);
    if (p->type == SS_PROBLEM_CONTACT) check_contact(&p->contact, &q->contact);
    check_list(p->lcp.A, q->lcp.A, p->lcp.n*p->lcp.n);
    check_list(p->mlcp.A, q->mlcp.A, p->mlcp.n*p->mlcp.n);
    check_list(p->mlcp.upper, q->mlcp.upper, p->mlcp.n);
    ss_problem_destroy(q);
    if (p->type == SS_PROBLEM_CONTACT) {
      unlink(hdf5);
      q = round_trip(p, hdf5);
      check_contact(&p->contact, &q->contact);
      ss_problem_destroy(q);
    }
    ss_problem_destroy(p);
  }
}

// ---- failures ----

static void refusals(void** state)
{
  (void)state;
  const double one = 1, bad = NAN, infinite = INFINITY;
  ss_error error;
  ss_problem p = {.lcp = {.n = 1, .A = &one, .b = &bad}};
  assert_int_equal(ss_problem_save(&p, json, &error), SS_ERR_INPUT);
  assert_non_null(strstr(error.text, "b holds a number that is not finite"));
  p.lcp.b = &one;
  assert_int_equal(ss_problem_save(&p, "p.txt", &error), SS_ERR_INPUT);
  assert_non_null(strstr(error.text, "must end in .json"));
  assert_int_equal(ss_problem_save(&p, hdf5, &error), SS_ERR_INPUT);
  assert_non_null(strstr(error.text, "contact problems only"));
  p.type = SS_PROBLEM_MLCP;
  p.mlcp = (ss_mlcp){.n = 1, .A = &one, .b = &one, .lower = &infinite, .upper = &infinite};
  assert_int_equal(ss_problem_save(&p, json, &error), SS_ERR_INPUT);
  assert_int_equal(ss_problem_save(&p, json, NULL), SS_ERR_INPUT);
}

static void unwritable_places(void** state)
{
  (void)state;
  const double one = 1;
  char path[128];
  ss_error error;
  ss_problem p = {.lcp = {.n = 1, .A = &one, .b = &one}};
  snprintf(path, sizeof path, "%s/missing/p.json", folder);
  assert_int_equal(ss_problem_save(&p, path, &error), SS_ERR_FILE);
  assert_string_equal(error.file, path);
  assert_non_null(strstr(error.text, "No such file"));
  snprintf(path, sizeof path, "%s/folder.json", folder);
  assert_int_equal(mkdir(path, 0777), 0);
  assert_int_equal(ss_problem_save(&p, path, &error), SS_ERR_FILE);
  rmdir(path);
}

// A disk that is full, played by a limit on the size of files: the old file stays, nothing else is left behind
static void full_disk(void** state)
{
  (void)state;
  enum { N = 100 };
  static double A[N*N], b[N];
  for (int i = 0; i < N*N; i++) A[i] = 1.0/(1 + i);
  ss_problem small = {.name = "small", .lcp = {.n = 1, .A = A, .b = b}}, large = {.lcp = {.n = N, .A = A, .b = b}};
  ss_problem_destroy(round_trip(&small, json));
  struct rlimit old, tight;
  getrlimit(RLIMIT_FSIZE, &old);
  tight = (struct rlimit){20000, old.rlim_max};
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &tight);
  ss_error error;
  ss_status status = ss_problem_save(&large, json, &error);
  ss_problem contact = {.type = SS_PROBLEM_CONTACT, .contact = {.dim = 2, .n_contact = N/2, .mu = b, .b = b}};
  assert_int_equal(ss_sparse_from_dense(N, N, A, &contact.contact.G, NULL), SS_OK);
  unlink(hdf5);
  ss_error error_hdf5;
  ss_status status_hdf5 = ss_problem_save(&contact, hdf5, &error_hdf5);
  setrlimit(RLIMIT_FSIZE, &old);
  ss_sparse_free(&contact.contact.G);
  assert_int_equal(status, SS_ERR_FILE);
  assert_string_equal(error.file, json);
  assert_non_null(strstr(error.text, "too large"));
  assert_int_equal(status_hdf5, SS_ERR_FILE);
  assert_non_null(strstr(error_hdf5.text, "too large"));
  assert_int_equal(access(hdf5, F_OK), -1);
  ss_problem* p = ss_problem_load(json, NULL);
  assert_non_null(p);
  assert_string_equal(p->name, "small");
  ss_problem_destroy(p);
}

int main(int argc, char** argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(lcp), cmocka_unit_test(locale), cmocka_unit_test(mlcp), cmocka_unit_test(contact),
    cmocka_unit_test(contact_with_all_there_is), cmocka_unit_test(data_set), cmocka_unit_test(refusals),
    cmocka_unit_test(unwritable_places), cmocka_unit_test(full_disk),
  };
  return run_tests_apart(argc, argv, "locale", tests, make_folder, remove_folder);
}
