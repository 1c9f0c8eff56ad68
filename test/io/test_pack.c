// Packed chunks: what HDF5's filters make of them is what was packed, whatever the numbers.
#include "io/pack.h"
#include <hdf5.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { ROWS = 600, WIDTH_MAX = 7, SIZE_MAX_BYTES = 24, BYTES = ROWS*WIDTH_MAX*SIZE_MAX_BYTES };

static ss_pack_codes codes;
static unsigned char data[BYTES], shuffled[BYTES], packed[BYTES + 16], back[BYTES];
static hid_t file;

static int open_file(void** state)
{
  (void)state;
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_core(access, 1 << 20, 0);  // in memory
  file = H5Fcreate("pack", H5F_ACC_TRUNC, H5P_DEFAULT, access);
  H5Pclose(access);
  ss_pack_codes_init(&codes);
  return file < 0;
}

static int close_file(void** state)
{
  (void)state;
  return H5Fclose(file);
}

// Lets HDF5 unpack a chunk of n elements of `size` bytes
static void unpack(size_t bytes, size_t n, size_t size)
{
  hsize_t dims = n, zero = 0;
  hid_t type = H5Tcreate(H5T_OPAQUE, size);
  hid_t space = H5Screate_simple(1, &dims, NULL);
  hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(properties, 1, &dims);
  H5Pset_shuffle(properties);
  H5Pset_deflate(properties, 1);
  hid_t set = H5Dcreate2(file, "chunk", type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  assert_true(set >= 0);
  assert_true(H5Dwrite_chunk(set, H5P_DEFAULT, 0, &zero, bytes, packed) >= 0);
  assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, back) >= 0);
  H5Dclose(set);
  H5Pclose(properties);
  H5Sclose(space);
  H5Tclose(type);
  H5Ldelete(file, "chunk", H5P_DEFAULT);
}

// Packs what is in data; returns the bytes it took, 0 if it would not get smaller
static size_t round_trip(size_t n, size_t size, size_t width)
{
  size_t bytes = ss_pack(&codes, data, n, size, width, shuffled, packed);
  assert_true(bytes == 0 || bytes < n*size);
  if (!bytes) return 0;
  memset(back, 0xaa, n*size);
  unpack(bytes, n, size);
  assert_memory_equal(back, data, n*size);
  return bytes;
}

static void fill_smooth(size_t rows, size_t width)
{
  for (size_t i = 0; i < rows*width; i++) {
    double x = sin(1e-3*(double)(i/width) + (double)(i%width));
    memcpy(data + 8*i, &x, 8);
  }
}

static void test_smooth_numbers(void** state)
{
  (void)state;
  for (size_t width = 1; width <= WIDTH_MAX; width++) {
    fill_smooth(ROWS, width);
    size_t bytes = round_trip(ROWS*width, 8, width);
    assert_true(bytes > 0 && bytes < 7*ROWS*width);  // at least the exponents are saved
  }
}

static void test_constants(void** state)
{
  (void)state;
  for (size_t width = 1; width <= WIDTH_MAX; width++) {
    for (size_t i = 0; i < ROWS*width; i++) memcpy(data + 8*i, &(double){(double)(i%width) + 0.1}, 8);
    size_t bytes = round_trip(ROWS*width, 8, width);
    assert_true(bytes > 0 && bytes < 2*ROWS*width/10 + 100*width);
  }
}

static void test_noise_is_not_packed(void** state)
{
  (void)state;
  srand(1);
  for (size_t i = 0; i < BYTES; i++) data[i] = (unsigned char)(rand() >> 8);
  assert_int_equal(round_trip(ROWS, 8, 1), 0);
  assert_int_equal(round_trip(ROWS, 1, 1), 0);
}

// Bytes that repeat, now and then do not, at distances that fit the period and others; every length of a run
static void test_any_bytes(void** state)
{
  (void)state;
  static const size_t sizes[] = {1, 2, 4, 8, 8, 24};
  int got_smaller = 0;
  srand(2);
  for (int k = 0; k < 3000; k++) {
    size_t size = sizes[rand()%6], width = 1 + (size_t)(rand()%WIDTH_MAX), n = 1 + (size_t)(rand()%ROWS);
    size_t period = rand()%4 ? width : (size_t)rand()%50000;
    int seldom = 2 + rand()%300;
    for (size_t i = 0; i < n*size; i++)
      data[i] = i >= size*width && rand()%seldom ? data[i - size*width] : (unsigned char)(rand() >> 8);
    got_smaller += round_trip(n, size, period) > 0;
  }
  assert_true(got_smaller > 1000);
}

// Runs of every length, ended by every byte
static void test_every_run(void** state)
{
  (void)state;
  size_t n = 0;
  for (int run = 1; run <= 270 && n + 300 < BYTES; run++) {
    memset(data + n, run%256, (size_t)run);
    n += (size_t)run;
  }
  assert_true(round_trip(n, 1, 1) > 0);
}

static void test_small(void** state)
{
  (void)state;
  memset(data, 0, 64);
  assert_int_equal(round_trip(0, 8, 1), 0);
  assert_int_equal(round_trip(1, 8, 1), 0);
  assert_true(round_trip(64, 1, 1) > 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_smooth_numbers), cmocka_unit_test(test_constants), cmocka_unit_test(test_noise_is_not_packed),
    cmocka_unit_test(test_any_bytes),      cmocka_unit_test(test_every_run), cmocka_unit_test(test_small),
  };
  return cmocka_run_group_tests(tests, open_file, close_file);
}
