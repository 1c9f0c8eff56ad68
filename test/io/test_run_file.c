// Files that are not run files, or no whole ones: each gives a clear error, none a crash, and HDF5 stays silent.
#include "io/h5.h"
#include "io/run_fixture.h"
#include "less.h"
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static char folder[] = "/tmp/stickslip-run-XXXXXX";
static char path[256], broken[256], messages[256];
static ss_error error;
static unsigned char* bytes;  // of the good file
static size_t size;
static int stderr_copy;

static void load_bytes(void)
{
  FILE* in = fopen(path, "rb");
  fseek(in, 0, SEEK_END);
  size = (size_t)ftell(in);
  rewind(in);
  bytes = malloc(size);
  assert_int_equal(fread(bytes, 1, size, in), size);
  fclose(in);
}

// A good file, and standard error into another one: what HDF5 says there would be lost on nobody
static int prepare(void** state)
{
  (void)state;
  fixture f;
  if (!mkdtemp(folder)) return -1;
  snprintf(path, sizeof path, "%s/run.h5", folder);
  snprintf(broken, sizeof broken, "%s/broken.h5", folder);
  snprintf(messages, sizeof messages, "%s/messages", folder);
  fixture_init(&f, 2, 2, 1);
  ss_record* record = ss_record_create_from(path, &f.header, &error);
  if (!record || fixture_write(&f, record, 0, 3000, &error) < 0) return -1;
  if (ss_record_close(record, "complete", &error) < 0) return -1;
  fixture_free(&f);
  load_bytes();
  fflush(stderr);
  stderr_copy = dup(2);
  int fd = open(messages, O_RDWR | O_CREAT, 0600);
  return dup2(fd, 2) < 0 || close(fd) < 0;
}

static int clean_up(void** state)
{
  (void)state;
  struct stat info = {0};
  fflush(stderr);
  dup2(stderr_copy, 2);
  stat(messages, &info);
  unlink(messages);
  unlink(path);
  unlink(broken);
  free(bytes);
  return rmdir(folder) != 0 || info.st_size != 0;
}

static void write_broken(const void* data, size_t n)
{
  unlink(broken);
  FILE* out = fopen(broken, "wb");
  assert_int_equal(fwrite(data, 1, n, out), n);
  fclose(out);
}

// Everything that a reader can ask for. False if something could not be read, with a text that says so.
static bool read_all(ss_run* run)
{
  fixture f;
  int n;
  const double *q, *u;
  ss_contact_state contact[4];
  bool good = ss_run_events(run, &q, &u, &error) != NULL;
  const char* const* name = ss_run_columns(run, &n);
  for (int i = 0; i < n && good; i++) good = ss_run_column(run, name[i], &error) != NULL;
  const ss_run_contact* list;
  for (long row = 0; good && row < ss_run_get_info(run)->n_rows; row++)
    good = ss_run_contacts(run, row, &list, &error) >= 0;
  fixture_init(&f, 2, 2, 1);
  if (good && ss_run_get_info(run)->nv == 2 && ss_run_get_info(run)->n_contact <= 4)
    good = ss_run_last(run, &f.state, contact, &f.energy, &f.counts, &error) == SS_OK;
  fixture_free(&f);
  return good;
}

// True if the file at `broken` can be read to the end
static bool try_broken(void)
{
  error = (ss_error){0};
  ss_run* run = ss_run_open(broken, &error);
  bool good = run && read_all(run);
  if (!good) {
    assert_true(error.status == SS_ERR_FILE || error.status == SS_ERR_MEMORY);
    assert_true(error.text[0]);
  }
  ss_run_close(run);
  return good;
}

static void expect(const char* text)
{
  assert_false(try_broken());
  if (!strstr(error.text, text)) fail_msg("'%s' does not say '%s'", error.text, text);
}

static void test_not_hdf5(void** state)
{
  (void)state;
  unlink(broken);
  expect("No such file or directory");
  write_broken("", 0);
  expect("it is empty");
  write_broken("name: ball\n", 11);
  expect("does not begin as an HDF5 file does");
  write_broken(bytes, 8);  // the signature alone
  expect("ends within the head of an HDF5 file");
  unlink(broken);
  assert_int_equal(mkdir(broken, 0700), 0);
  expect("is a directory");
  rmdir(broken);
  assert_int_equal(mkfifo(broken, 0600), 0);
  expect("is not a regular file");
  unlink(broken);
}

static void test_other_hdf5(void** state)
{
  (void)state;
  unlink(broken);
  hid_t file = H5Fcreate(broken, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(file);
  expect("not a run of Stickslip");
}

static void test_cut_off(void** state)
{
  (void)state;
  static const double part[] = {0.001, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 0.9999};
  for (int i = 0; i < 9; i++) {
    write_broken(bytes, (size_t)(part[i]*(double)size));
    expect("is damaged");
  }
}

static void test_garbage_behind_the_signature(void** state)
{
  (void)state;
  unsigned char* garbage = malloc(size);
  srand(4);
  for (size_t i = 0; i < size; i++) garbage[i] = (unsigned char)(rand() >> 7);
  for (int version = 0; version < 4; version++) {
    memcpy(garbage, bytes, 8);
    garbage[8] = (unsigned char)version;
    write_broken(garbage, size);
    expect("is damaged");
  }
  free(garbage);
}

// One byte changed, anywhere: an error, or (in a number, in free space) a file that still can be read
static void test_changed_bytes(void** state)
{
  (void)state;
  int errors = 0;
  unsigned char* copy = malloc(size);
  srand(5);
  for (int k = 0; k < 400/LESS; k++) {
    size_t at = k%4 ? (size_t)rand()%size : (size_t)rand()%4096;  // mostly data; metadata lie together
    memcpy(copy, bytes, size);
    copy[at] ^= (unsigned char)(1 << rand()%8);
    if (k%10 == 0) memset(copy + at, 0, size - at < 512 ? size - at : 512);
    write_broken(copy, size);
    errors += !try_broken();
  }
  assert_true(errors > 50/LESS);
  free(copy);
}

// ---- whole HDF5 files with something missing or wrong --------------------------------------------------------------

static hid_t edit(void)
{
  write_broken(bytes, size);
  return H5Fopen(broken, H5F_ACC_RDWR, H5P_DEFAULT);
}

static void test_missing_objects(void** state)
{
  (void)state;
  static const char* const object[] = {"model", "settings", "t", "q", "Lambda", "state", "energy/defect", "counts",
                                       "events", "events_u"};
  for (int i = 0; i < 10; i++) {
    hid_t file = edit();
    assert_true(H5Ldelete(file, object[i], H5P_DEFAULT) >= 0);
    H5Fclose(file);
    expect("is missing");
    if (i != 7) assert_non_null(strstr(error.text, object[i]));
  }
}

static void test_missing_attributes(void** state)
{
  (void)state;
  static const char* const name[][2] = {
    {".", "format"}, {".", "format_version"}, {".", "library_version"}, {"model", "text"}, {"model", "coordinates"},
    {"model", "units"}, {"model", "contact_mu"}, {"settings", "dt"}, {"settings", "every"}, {"settings", "integrator"}};
  for (int i = 0; i < 10; i++) {
    hid_t file = edit();
    assert_true(H5Adelete_by_name(file, name[i][0], name[i][1], H5P_DEFAULT) >= 0);
    H5Fclose(file);
    expect(i < 2 ? "not a run of Stickslip" : "is missing or not as it should be");
  }
  hid_t file = edit();
  assert_true(H5Adelete(file, "run_status") >= 0);
  H5Fclose(file);
  ss_run* run = ss_run_open(broken, &error);
  assert_non_null(run);
  assert_string_equal(ss_run_get_info(run)->status, "running");  // who knows
  ss_run_close(run);
}

// An attribute replaced by a number, a text or a list that does not belong there
static void test_wrong_attributes(void** state)
{
  (void)state;
  static const char* const names[] = {"x"};
  static const double numbers[] = {1, 2, 3};
  for (int i = 0; i < 8; i++) {
    hid_t file = edit();
    hid_t model = H5Gopen2(file, "model", H5P_DEFAULT), settings = H5Gopen2(file, "settings", H5P_DEFAULT);
    static const char* const name[] = {"coordinates", "contacts", "contact_kinds", "contact_mu"};
    static const char* const setting[] = {"dt", "every", "integrator", "until"};
    hid_t group = i < 4 ? model : settings;
    const char* which = i < 4 ? name[i] : setting[i - 4];
    H5Adelete(group, which);
    if (i == 0) ss_h5_put_texts(group, which, 1, names);          // fewer than there are columns
    else if (i == 1) ss_h5_put_number(group, which, 1);           // not a text
    else if (i == 2) ss_h5_put_text(group, which, "sticky");      // no such kind
    else if (i == 3) ss_h5_put_numbers(group, which, 3, numbers); // more than there are contacts
    else if (i == 4) ss_h5_put_number(group, which, -1);          // no step size
    else if (i == 5) ss_h5_put_integer(group, which, 0);          // never
    else if (i == 6) ss_h5_put_text(group, which, "rk4");         // no such integrator
    else ss_h5_put_number(group, which, NAN);
    H5Gclose(model);
    H5Gclose(settings);
    H5Fclose(file);
    expect("is missing or not as it should be");
  }
}

// Values of enums that are none, and where
static void test_wrong_choices(void** state)
{
  (void)state;
  static const char* const name[] = {"project", "event_on_multiple", "multiple_impacts", "friction_method"};
  static const int count[] = {SS_PROJECTION_COUNT, SS_MULTIPLE_COUNT, SS_IMPACT_ORDERS, SS_FRICTION_METHODS};
  for (int i = 0; i < 16; i++) {
    const long value[] = {count[i%4] - 1, count[i%4], -1, 99};
    char what[80];
    hid_t file = edit(), settings = H5Gopen2(file, "settings", H5P_DEFAULT);
    assert_true(H5Adelete(settings, name[i%4]) >= 0 && ss_h5_put_integer(settings, name[i%4], value[i/4]));
    H5Gclose(settings);
    H5Fclose(file);
    snprintf(what, sizeof what, "attribute '%s' of group 'settings' is missing or not as it should be", name[i%4]);
    if (i/4) expect(what);
    else assert_true(try_broken());
  }
}

static void test_other_version(void** state)
{
  (void)state;
  hid_t file = edit();
  H5Adelete(file, "format_version");
  ss_h5_put_integer(file, "format_version", 9);
  H5Fclose(file);
  expect("has format version 9, and only 2 and 5 can be read");
}

// A data set replaced by one of another type or shape
static void replace(const char* name, hid_t type, int rank, const hsize_t* dims)
{
  hid_t file = edit();
  assert_true(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
  hid_t space = H5Screate_simple(rank, dims, NULL);
  hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(set >= 0);
  void* zeros = calloc((size_t)H5Sget_simple_extent_npoints(space), H5Tget_size(type));
  assert_true(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros) >= 0);
  free(zeros);
  H5Dclose(set);
  H5Sclose(space);
  H5Fclose(file);
}

static void test_wrong_datasets(void** state)
{
  (void)state;
  hsize_t one[] = {3000}, two[] = {3000, 2}, three[] = {3000, 3};
  replace("t", H5T_NATIVE_INT, 1, one);
  expect("'t'");
  replace("t", H5T_NATIVE_DOUBLE, 2, two);
  expect("'t'");
  replace("q", H5T_NATIVE_DOUBLE, 2, three);
  expect("'q'");
  replace("state", H5T_NATIVE_INT8, 2, two);
  expect("'state'");
  replace("events", H5T_NATIVE_DOUBLE, 1, one);
  expect("'events'");
  replace("step", H5T_C_S1, 1, one);
  expect("'step'");
}

// Fewer rows than the others: the fewest count. More rows, of all data sets, than there are data in the file: an error
static void test_other_lengths(void** state)
{
  (void)state;
  hsize_t few[] = {7, 2};
  replace("u", H5T_NATIVE_DOUBLE, 2, few);
  ss_run* run = ss_run_open(broken, &error);
  assert_non_null(run);
  assert_int_equal(ss_run_get_info(run)->n_rows, 7);
  assert_true(read_all(run));
  ss_run_close(run);
  hid_t file = edit();
  for (ss_field f = 0; f < SS_FIELD_EVENTS; f++) {
    hsize_t dims[3] = {(hsize_t)1 << 39, 2, 2};
    if (f == SS_FIELD_SENSOR || ss_field_is_first_stage(f) || ss_field_impulse(f) != f ||
        (f >= SS_FIELD_TOUCH_END && f <= SS_FIELD_ARC_END)) continue;  // not in this file
    hid_t set = H5Dopen2(file, ss_field_table[f].path, H5P_DEFAULT);
    if (ss_field_table[f].shape == SS_PER_BILATERAL) dims[1] = 1;
    assert_true(H5Dset_extent(set, dims) >= 0);
    H5Dclose(set);
  }
  H5Fclose(file);
  expect("data set 't'");
}

// Numbers that stand for something that does not exist
static void test_wrong_events(void** state)
{
  (void)state;
  hid_t type = ss_number_type(SS_EVENT_ROW);
  for (int i = 0; i < 3; i++) {
    hid_t file = edit();
    hid_t set = H5Dopen2(file, "events", H5P_DEFAULT);
    ss_event_row* row = calloc(599, sizeof *row);
    if (i == 0) row[5].contact = 2;
    if (i == 1) row[5].contact = -1;
    if (i == 2) row[598].kind = 17;
    assert_true(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, row) >= 0);
    free(row);
    H5Dclose(set);
    H5Fclose(file);
    expect("an event");
  }
  H5Tclose(type);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_not_hdf5),
    cmocka_unit_test(test_other_hdf5),
    cmocka_unit_test(test_cut_off),
    cmocka_unit_test(test_garbage_behind_the_signature),
    cmocka_unit_test(test_changed_bytes),
    cmocka_unit_test(test_missing_objects),
    cmocka_unit_test(test_missing_attributes),
    cmocka_unit_test(test_wrong_attributes),
    cmocka_unit_test(test_wrong_choices),
    cmocka_unit_test(test_other_version),
    cmocka_unit_test(test_wrong_datasets),
    cmocka_unit_test(test_other_lengths),
    cmocka_unit_test(test_wrong_events),
  };
  return cmocka_run_group_tests(tests, prepare, clean_up);
}
