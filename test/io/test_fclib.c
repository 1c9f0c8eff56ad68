// FCLIB files: the three storages read as one matrix, every broken file is refused with a reason.
#include <hdf5.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <stickslip/problem.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/text.h"

static char folder[] = "/tmp/ss-fclib-XXXXXX";
static char path[64];

static int make_folder(void** state)
{
  (void)state;
  if (!mkdtemp(folder)) return -1;
  snprintf(path, sizeof path, "%s/p.hdf5", folder);
  return 0;
}

static int remove_folder(void** state)
{
  (void)state;
  unlink(path);
  return rmdir(folder);
}

// ---- writing ----

static void put(hid_t at, const char* name, hid_t type, int n, const void* x)
{
  hsize_t size = (hsize_t)n;
  hid_t space = H5Screate_simple(1, &size, NULL);
  hid_t set = H5Dcreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, x);
  H5Dclose(set);
  H5Sclose(space);
}

static void put_int(hid_t at, const char* name, int x) { put(at, name, H5T_NATIVE_INT, 1, &x); }

// What the file says, with ways to spoil it
typedef struct content {
  const char* group;
  const char* leave_out;
  int dim, m, n, nz, np, ni, n_mu, n_q;
  int p[8], i[8];
  double x[8], mu[2], q[4];
} content;

// u = [[2 1][0 3]] r + (-1, 0.1), one planar contact, in compressed rows
static content good(void)
{
  return (content){"fclib_local", "", 2, 2, 2, -2, 3, 3, 1, 2, {0, 2, 3}, {0, 1, 1}, {2, 1, 3}, {0.5}, {-1, 0.1}};
}

static void write_file(const content* c)
{
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  hid_t group = H5Gcreate2(file, c->group, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  hid_t W = H5Gcreate2(group, "W", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  hid_t vectors = H5Gcreate2(group, "vectors", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  put_int(group, "spacedim", c->dim);
  put_int(W, "m", c->m);
  put_int(W, "n", c->n);
  put_int(W, "nz", c->nz);
  put_int(W, "nzmax", c->ni);
  put(W, "p", H5T_NATIVE_INT, c->np, c->p);
  put(W, "i", H5T_NATIVE_INT, c->ni, c->i);
  put(W, "x", H5T_NATIVE_DOUBLE, c->ni, c->x);
  put(vectors, "mu", H5T_NATIVE_DOUBLE, c->n_mu, c->mu);
  put(vectors, "q", H5T_NATIVE_DOUBLE, c->n_q, c->q);
  if (*c->leave_out) H5Ldelete(group, c->leave_out, H5P_DEFAULT);
  H5Gclose(vectors);
  H5Gclose(W);
  H5Gclose(group);
  H5Fclose(file);
}

// ---- tests ----

static void check_matrix(const content* c)
{
  write_file(c);
  ss_error error;
  ss_problem* file = ss_problem_load(path, &error);
  if (!file) fail_msg("%s", error.text);
  double G[4], b[2];
  assert_int_equal(ss_friction_dense(&file->contact, G, b, &error), SS_OK);
  assert_true(G[0] == 2 && G[1] == 1 && G[2] == 0 && G[3] == 3);
  assert_true(b[0] == -1 && b[1] == 0.1 && file->contact.mu[0] == 0.5);
  assert_string_equal(file->name, "p");
  ss_problem_destroy(file);
}

static void three_storages(void** state)
{
  (void)state;
  content rows = good();
  check_matrix(&rows);
  content columns = {"fclib_local", "", 2, 2, 2, -1, 3, 3, 1, 2, {0, 1, 3}, {0, 0, 1}, {2, 1, 3}, {0.5}, {-1, 0.1}};
  check_matrix(&columns);
  content triplets = {"fclib_local", "", 2, 2, 2, 4, 4, 4, 1, 2, {1, 0, 1, 1}, {1, 0, 0, 1}, {1, 2, 1, 2}, {0.5}, {-1,
0.1}};
  check_matrix(&triplets);  // 3 = 1 + 2
}

static void check_refused(const content* c, const char* says)
{
  write_file(c);
  ss_error error = {0};
  ss_problem* file = ss_problem_load(path, &error);
  if (file) fail_msg("accepted; should say: %s", says);
  if (!strstr(error.text, says)) fail_msg("says: %s; should say: %s", error.text, says);
  assert_true(error.status < 0);
  assert_string_equal(error.file, path);
}

static void broken_files_are_refused(void** state)
{
  (void)state;
  content c = good();
  c.group = "something";
  check_refused(&c, "neither /fclib_local nor /fclib_global");
  const char* const parts[] = {"W/p", "W/x", "W/nz", "vectors/mu", "vectors/q", "spacedim", "W"};
  for (size_t i = 0; i < sizeof parts/sizeof *parts; i++) {
    c = good();
    c.leave_out = parts[i];
    check_refused(&c, "is missing");
  }
  c = good(); c.dim = 4; check_refused(&c, "must be 2 or 3");
  c = good(); c.dim = 3; check_refused(&c, "no multiple of spacedim");
  c = good(); c.n_mu = 2; check_refused(&c, "has 2 numbers; it must have 1");
  c = good(); c.n_q = 3; check_refused(&c, "has 3 numbers; it must have 2");
  c = good(); c.i[1] = 7; check_refused(&c, "row 0, column 7 of a 2 x 2 matrix");
  c = good(); c.i[1] = -1; check_refused(&c, "column -1");
  c = good(); c.p[1] = 9; check_refused(&c, "fall");
  c = good(); c.p[2] = 9; check_refused(&c, "point behind the end");
  c = good(); c.np = 2; check_refused(&c, "one start per line");
  c = good(); c.nz = -7; check_refused(&c, "nz below -2");
  c = good(); c.nz = 100; check_refused(&c, "nz above the length");
  c = good(); c.m = -2; check_refused(&c, "cannot be");
  c = good(); c.x[1] = 0.0/0.0; check_refused(&c, "not a finite number");
  c = good(); c.q[1] = 1.0/0.0; check_refused(&c, "not finite");
  c = good(); c.mu[0] = -1; check_refused(&c, "must not be negative");
  c = good(); c.x[0] = -1; check_refused(&c, "diagonal must not be negative");
  c = good(); c.m = 3; c.np = 4; c.p[3] = 3; check_refused(&c, "as many columns as rows");
  c = good(); c.m = c.n = 3; c.np = 4; c.p[3] = 3; check_refused(&c, "has 2 numbers; it must have 3");
}

// A file cut anywhere gives a reason, not a crash
static void cut_files_are_refused(void** state)
{
  (void)state;
  content c = good();
  write_file(&c);
  size_t length;
  char* text = ss_read_file(path, &length, NULL);
  for (size_t cut = 0; cut < length; cut += 1 + length/37) {
    FILE* f = fopen(path, "wb");
    fwrite(text, 1, cut, f);
    fclose(f);
    ss_error error = {0};
    assert_null(ss_problem_load(path, &error));
    assert_true(error.status < 0 && error.text[0]);
  }
  free(text);
}

// Numbers that the file does not hold take no memory, however many its header promises
static void promises_are_not_believed(void** state)
{
  (void)state;
  content c = good();
  write_file(&c);
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  hsize_t many = (hsize_t)1 << 30, chunk = 1024;
  hid_t space = H5Screate_simple(1, &many, NULL), layout = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(layout, 1, &chunk);
  H5Ldelete(file, "/fclib_local/W/x", H5P_DEFAULT);
  hid_t set = H5Dcreate2(file, "/fclib_local/W/x", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, layout, H5P_DEFAULT);
  hsize_t one = 1, first = 0;
  double x = 1;
  hid_t memory = H5Screate_simple(1, &one, NULL);
  H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, NULL, &one, NULL);
  H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, &x);
  H5Sclose(memory);
  H5Pclose(layout);
  H5Sclose(space);
  H5Dclose(set);
  H5Fclose(file);
  ss_error error = {0};
  assert_null(ss_problem_load(path, &error));
  assert_non_null(strstr(error.text, "damaged or too large"));
}

// A file in chunks with compression, as h5py may write it
static void compressed_files(void** state)
{
  (void)state;
  enum { N = 20000 };
  content c = good();
  write_file(&c);
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  hsize_t count = N, chunk = N;
  hid_t space = H5Screate_simple(1, &count, NULL), layout = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(layout, 1, &chunk);
  H5Pset_deflate(layout, 9);
  H5Ldelete(file, "/fclib_local/W/x", H5P_DEFAULT);
  hid_t set = H5Dcreate2(file, "/fclib_local/W/x", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, layout, H5P_DEFAULT);
  static double x[N] = {2, 1, 3};  // what stands behind the last start is not used
  H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x);
  H5Pclose(layout);
  H5Sclose(space);
  H5Dclose(set);
  H5Fclose(file);
  ss_error error = {0};
  ss_problem* p = ss_problem_load(path, &error);
  if (!p) fail_msg("%s", error.text);
  assert_true(p->contact.G.value[0] == 2 && p->contact.G.value[2] == 3);
  ss_problem_destroy(p);
}

// More than 64 MB
static void large_files(void** state)
{
  (void)state;
  enum { N = 9000000 };
  content c = good();
  write_file(&c);
  double* x = calloc(N, sizeof *x);
  assert_non_null(x);
  x[0] = 2;
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  H5Ldelete(file, "/fclib_local/W/x", H5P_DEFAULT);
  put(file, "/fclib_local/W/x", H5T_NATIVE_DOUBLE, N, x);
  H5Fclose(file);
  free(x);
  ss_error error = {0};
  ss_problem* p = ss_problem_load(path, &error);
  if (!p) fail_msg("%s", error.text);
  assert_true(p->contact.G.value[0] == 2);
  ss_problem_destroy(p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(three_storages), cmocka_unit_test(broken_files_are_refused),
    cmocka_unit_test(cut_files_are_refused), cmocka_unit_test(promises_are_not_believed),
    cmocka_unit_test(compressed_files), cmocka_unit_test(large_files),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
