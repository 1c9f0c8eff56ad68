// link: -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc
// Run files: everything comes back as it was written; files of any size; going on with a run; where a file may be.
// `test-io-record write|kill FILE ROWS` writes a file for the scripts beside this source, and for `kill` dies of it.
#include "io/run_fixture.h"
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static char folder[] = "/tmp/stickslip-record-XXXXXX";
static char path[256];
static char why[256];
static ss_error error;

static long allocations;
void* __real_malloc(size_t size);
void* __real_calloc(size_t n, size_t size);
void* __real_realloc(void* p, size_t size);
void* __wrap_malloc(size_t size);
void* __wrap_calloc(size_t n, size_t size);
void* __wrap_realloc(void* p, size_t size);
void* __wrap_malloc(size_t size) { allocations++; return __real_malloc(size); }
void* __wrap_calloc(size_t n, size_t size) { allocations++; return __real_calloc(n, size); }
void* __wrap_realloc(void* p, size_t size) { allocations++; return __real_realloc(p, size); }

static int make_folder(void** state)
{
  (void)state;
  if (!mkdtemp(folder)) return -1;
  snprintf(path, sizeof path, "%s/run.h5", folder);
  return 0;
}

static int remove_folder(void** state)
{
  (void)state;
  unlink(path);
  return rmdir(folder);  // fails, and so the test, if anything was left behind
}

// A file with rows 0..rows-1, ended with status `how`
static void write_run(fixture* f, long rows, const char* how)
{
  ss_record* record = ss_record_create_from(path, &f->header, &error);
  if (!record) fail_msg("%s", error.text);
  assert_int_equal(fixture_write(f, record, 0, rows, &error), SS_OK);
  assert_int_equal(ss_record_close(record, how, &error), SS_OK);
}

// What is at `path` has these rows and all their events
static void check_run(fixture* f, long rows, const char* status)
{
  ss_run* run = ss_run_open(path, &error);
  if (!run) fail_msg("%s", error.text);
  const ss_run_info* info = ss_run_get_info(run);
  assert_int_equal(info->n_rows, rows);
  assert_int_equal(info->n_events, f->info.n_contact && rows ? (rows - 1)/5 : 0);
  assert_string_equal(info->status, status);
  if (!fixture_check(f, run, why)) fail_msg("%s", why);
  ss_run_close(run);
}

static void test_rows_and_events(void** state)
{
  (void)state;
  fixture f;
  fixture_init(&f, 3, 4, 2);
  write_run(&f, 5000, "complete");
  check_run(&f, 5000, "complete");
  fixture_free(&f);
}

static void check_lists(const ss_run_info* i, const ss_record_header* h)
{
  assert_int_equal(i->nv, h->nv);
  assert_int_equal(i->n_contact, h->n_contact);
  assert_int_equal(i->n_bilateral, h->n_bilateral);
  assert_int_equal(i->n_override, h->n_override);
  for (int k = 0; k < h->nv; k++) assert_string_equal(i->coordinate[k], h->coordinate[k]);
  for (int k = 0; k < h->nv; k++) assert_string_equal(i->unit[k], h->unit ? h->unit[k] : "");
  for (int k = 0; k < h->n_contact; k++) assert_string_equal(i->contact[k], h->contact[k].name);
  for (int k = 0; k < h->n_contact; k++) assert_int_equal(i->contact_kind[k], h->contact[k].kind);
  for (int k = 0; k < h->n_bilateral; k++) assert_string_equal(i->bilateral[k], h->bilateral[k]);
  for (int k = 0; k < h->n_override; k++) assert_string_equal(i->override[k].path, h->override[k].path);
  for (int k = 0; k < h->n_override; k++) assert_string_equal(i->override[k].value, h->override[k].value);
}

static void check_laws(const ss_record_header* a, const ss_record_header* b)
{
  assert_int_equal(a->n_parameter, b->n_parameter);
  for (int k = 0; k < b->n_parameter; k++) {
    assert_string_equal(a->parameter[k].name, b->parameter[k].name);
    assert_true(a->parameter[k].value == b->parameter[k].value);
  }
  for (int k = 0; k < b->n_contact; k++) {
    const ss_contact_def *x = &a->contact[k], *y = &b->contact[k];
    assert_true(x->mu == y->mu && x->bound == y->bound && x->eps_n == y->eps_n && x->eps_t == y->eps_t &&
                x->nu == y->nu);
  }
}

static void test_header(void** state)
{
  (void)state;
  fixture f;
  fixture_init(&f, 3, 4, 2);
  write_run(&f, 1, "failed: the mass matrix is singular");
  ss_run* run = ss_run_open(path, &error);
  assert_non_null(run);
  const ss_run_info* i = ss_run_get_info(run);
  assert_string_equal(i->model_name, f.header.model_name);
  assert_string_equal(i->model_text, f.header.model_text);
  assert_string_equal(i->version, ss_version());
  assert_string_equal(i->status, "failed: the mass matrix is singular");
  check_lists(i, &f.header);
  check_laws(ss_run_get_header(run), &f.header);
  ss_run_close(run);
  fixture_free(&f);
}

// A model of 300 kB; a status that is too long is cut, but not within a letter
static void test_long_texts(void** state)
{
  (void)state;
  enum { LENGTH = 300000 };
  fixture f;
  fixture_init(&f, 1, 1, 0);
  char* text = malloc(LENGTH + 1);
  for (int i = 0; i < LENGTH; i++) text[i] = (char)('a' + i%26);
  text[LENGTH] = 0;
  f.header.model_text = text;
  char how[1001] = "x";
  for (int i = 0; i < 499; i++) memcpy(how + 1 + 2*i, "ü", 3);
  write_run(&f, 10, how);
  ss_run* run = ss_run_open(path, &error);
  if (!run) fail_msg("%s", error.text);
  assert_string_equal(ss_run_get_info(run)->model_text, text);
  const char* status = ss_run_get_info(run)->status;
  assert_int_equal(strlen(status), 599);
  assert_memory_equal(status, how, 599);
  ss_run_close(run);
  free(text);
  fixture_free(&f);
}

// Every field of ss_run_def; the size says if one was added that the file does not know of
static void test_settings(void** state)
{
  (void)state;
  fixture f;
  fixture_init(&f, 1, 0, 0);
  write_run(&f, 0, "complete");
  ss_run* run = ss_run_open(path, &error);
  assert_non_null(run);
  const ss_run_def *a = &ss_run_get_info(run)->run, *b = &f.header.run;
  assert_int_equal(a->step.integrator, SS_EULER);
  assert_true(a->step.dt == b->step.dt && a->until == b->until && a->every == b->every);
  assert_true(a->step.project == b->step.project);
  assert_true(a->step.account == b->step.account);
  assert_true(a->step.energy_limited && a->step.order == SS_IMPACTS_SEQUENTIAL);
  assert_true(a->step.impact == SS_IMPACT_POISSON && b->step.impact == SS_IMPACT_POISSON);
  assert_true(a->step.solver.max_iter == b->step.solver.max_iter && a->step.solver.tol == b->step.solver.tol);
  assert_true(a->step.solver.attempts == b->step.solver.attempts);
  assert_true(a->step.event.rtol == b->step.event.rtol && a->step.event.max_step == b->step.event.max_step);
  assert_true(a->step.event.on_multiple == b->step.event.on_multiple);
  assert_true(a->step.event.watch_uniqueness == b->step.event.watch_uniqueness);
  assert_true(a->step.theta == b->step.theta && a->start == b->start);
  assert_true(a->step.friction.method == b->step.friction.method && a->step.friction.tol == b->step.friction.tol);
  assert_true(a->step.friction.max_iter == b->step.friction.max_iter);
  assert_true(a->step.friction.facets == b->step.friction.facets);
  assert_true(a->step.friction.polyhedral == b->step.friction.polyhedral);
  assert_true(a->step.friction.compliance == b->step.friction.compliance);
  assert_true(a->step.event.end > 1e300);  // that of a run is `until`
  // not recorded: solver.solver and solver.relaxation, runs take the default; force and stop, which belong to a live
  // run; threads, which change nothing
  if (sizeof(long) == 8 && sizeof(ss_run_def) != 160 + sizeof(ss_friction_def))
    fail_msg("%s", "ss_run_def has changed: put a new setting into ss_setting_table and into this test");
  ss_run_close(run);
  fixture_free(&f);
}

static void test_no_contacts(void** state)
{
  (void)state;
  static const int size[][3] = {{1, 0, 0}, {2, 0, 1}, {1, 1, 0}, {5, 4, 2}};
  for (int k = 0; k < 4; k++) {
    fixture f;
    fixture_init(&f, size[k][0], size[k][1], size[k][2]);
    f.header.unit = k%2 ? fixture_units : NULL;
    write_run(&f, 2100, "complete");
    check_run(&f, 2100, "complete");
    fixture_free(&f);
  }
}

// Around the ends of chunks (4096 rows)
static void test_any_number_of_rows(void** state)
{
  (void)state;
  static const long rows[] = {0, 1, 2, 4095, 4096, 4097, 8191, 8192, 8193, 12288};
  fixture f;
  fixture_init(&f, 2, 2, 0);
  for (int k = 0; k < 10; k++) {
    write_run(&f, rows[k], "complete");
    check_run(&f, rows[k], "complete");
  }
  fixture_free(&f);
}

// A row of 48 kB: chunks are shorter then
static void test_many_coordinates(void** state)
{
  (void)state;
  enum { N = 3000 };
  fixture f;
  fixture_init(&f, N, 1, 0);
  const char** name = calloc(N, sizeof *name);
  const char** unit = calloc(N, sizeof *unit);
  for (int c = 0; c < N; c++) {
    char* text = calloc(1, 16);
    snprintf(text, 16, "q%d", c);
    name[c] = text;
    unit[c] = "m";
  }
  f.header.coordinate = name;
  f.header.unit = unit;
  write_run(&f, 300, "complete");
  ss_run* run = ss_run_open(path, &error);
  assert_non_null(run);
  const double *first = ss_run_column(run, "q0", &error), *last = ss_run_column(run, "u_q2999", &error);
  assert_non_null(first);
  assert_non_null(last);
  for (long i = 0; i < 300; i++)
    assert_true(first[i] == fixture_value(i, 1, 0) && last[i] == fixture_value(i, 2, N - 1));
  ss_run_close(run);
  for (int c = 0; c < N; c++) free((char*)name[c]);
  free(name);
  free(unit);
  fixture_free(&f);
}

static void test_quantities(void** state)
{
  (void)state;
  fixture f;
  fixture_init(&f, 3, 4, 2);
  write_run(&f, 10, "complete");
  ss_run* run = ss_run_open(path, &error);
  assert_non_null(run);
  int n;
  const char* const* name = ss_run_columns(run, &n);
  assert_string_equal(name[0], "t");
  assert_string_equal(name[1], "x");
  assert_string_equal(name[4], "u_x");
  for (int k = 0; k < n; k++) {
    assert_non_null(ss_run_column(run, name[k], &error));
    assert_null(strstr(name[k], "_T.sleeve_upper"));  // no friction there
    assert_null(strstr(name[k], "_N.Ärmel"));         // no normal direction there
    assert_string_not_equal(name[k], "gap.Ärmel");
  }
  assert_non_null(ss_run_column(run, "gap.Ärmel", &error));  // not listed, but there
  assert_string_equal(ss_run_unit(run, "t"), "s");
  assert_string_equal(ss_run_unit(run, "φ_M"), "rad");
  assert_string_equal(ss_run_unit(run, "u_φ_M"), "rad/s");
  assert_string_equal(ss_run_unit(run, "u_phi_S"), "");
  assert_string_equal(ss_run_unit(run, "Lambda_N.beak"), "N s");
  assert_string_equal(ss_run_unit(run, "energy.defect"), "J");
  assert_string_equal(ss_run_unit(run, "nonsense"), "");
  assert_null(ss_run_column(run, "gap.beck", &error));
  assert_int_equal(error.status, SS_ERR_INPUT);
  assert_non_null(strstr(error.text, "did you mean 'gap.beak'?"));
  assert_null(ss_run_column(run, "nonsense", &error));
  assert_non_null(strstr(error.text, "there are t, x,"));
  ss_run_close(run);
  fixture_free(&f);
}

// The initial state has no step that led to it: zeros, but the gaps if they are given
static void test_initial_row(void** state)
{
  (void)state;
  fixture f;
  double gap[4] = {1, 2, 3, 4};
  fixture_init(&f, 1, 4, 1);
  fixture_row(&f, 1);
  ss_record* record = ss_record_create_from(path, &f.header, &error);
  assert_non_null(record);
  ss_record_row row = {.state = &f.state, .gap = gap};
  assert_int_equal(ss_record_row_add(record, &row, &error), SS_OK);
  assert_int_equal(ss_record_close(record, "complete", &error), SS_OK);
  ss_run* run = ss_run_open(path, &error);
  assert_non_null(run);
  assert_true(ss_run_column(run, "gap.stop", &error)[0] == 4);
  assert_true(ss_run_column(run, "state.stop", &error)[0] == SS_OPEN);
  assert_true(ss_run_column(run, "Lambda_N.stop", &error)[0] == 0);
  assert_true(ss_run_column(run, "counts.steps", &error)[0] == 0);
  ss_run_close(run);
  fixture_free(&f);
}

static void test_last_row(void** state)
{
  (void)state;
  fixture f, g;
  fixture_init(&f, 3, 4, 2);
  fixture_init(&g, 3, 4, 2);
  write_run(&f, 3001, "interrupted");
  ss_run* run = ss_run_open(path, &error);
  assert_non_null(run);
  ss_contact_state contact[4];
  assert_int_equal(ss_run_last(run, &g.state, contact, &g.energy, &g.counts, &error), SS_OK);
  fixture_row(&f, 3000);
  assert_true(g.state.t == f.state.t && g.state.step == f.state.step);
  assert_memory_equal(g.state.q, f.state.q, 3*sizeof(double));
  assert_memory_equal(g.state.u, f.state.u, 3*sizeof(double));
  assert_memory_equal(&g.energy, &f.energy, sizeof f.energy);
  assert_memory_equal(&g.counts, &f.counts, sizeof f.counts);
  for (int c = 0; c < 4; c++) assert_int_equal(contact[c], f.contact[c].state);
  g.state.nv = 2;
  assert_int_equal(ss_run_last(run, &g.state, contact, &g.energy, &g.counts, &error), SS_ERR_ARGUMENT);
  g.state.nv = 3;
  ss_run_close(run);
  write_run(&f, 0, "failed: at once");
  run = ss_run_open(path, &error);
  assert_int_equal(ss_run_last(run, &g.state, contact, &g.energy, &g.counts, &error), SS_ERR_FILE);
  ss_run_close(run);
  fixture_free(&f);
  fixture_free(&g);
}

static void check_contacts(fixture* f, ss_run* run, long row)
{
  const ss_run_contact* list = NULL;
  int n = f->info.n_contact;
  assert_int_equal(ss_run_contacts(run, row, &list, &error), n);
  fixture_row(f, row);
  for (int c = 0; c < n; c++) {
    const ss_contact_result* r = &f->contact[c];
    assert_int_equal(list[c].contact, c);
    assert_int_equal(list[c].state, r->state);
    assert_true(list[c].gap == r->gap && list[c].Lambda[2] == 0 && list[c].gamma[2] == 0 && list[c].body_a == -1);
    for (int k = 0; k < 2; k++)
      assert_true(list[c].Lambda[k] == r->Lambda[k] && list[c].gamma[k] == r->gamma_after[k]);
  }
}

// In any order of the rows
static void test_contacts_of_rows(void** state)
{
  (void)state;
  fixture f, g;
  const ss_run_contact* list = NULL;
  for (int n = 4; n >= 0; n--) {
    fixture_init(&f, 3, n, 0);
    fixture_init(&g, 3, n, 0);
    write_run(&f, 2001, "complete");
    ss_run* run = ss_run_open(path, &error);
    assert_non_null(run);
    for (long row = 0; row <= 2000; row++) check_contacts(&f, run, row);
    for (long row = 2000; row >= 0; row -= 37) check_contacts(&f, run, row);
    assert_int_equal(ss_run_motion(run, 700, &g.state, &error), SS_OK);
    fixture_row(&f, 700);
    assert_true(g.state.t == f.state.t && g.state.step == f.state.step);
    assert_memory_equal(g.state.q, f.state.q, 3*sizeof(double));
    assert_memory_equal(g.state.u, f.state.u, 3*sizeof(double));
    assert_true(ss_run_contacts(run, 2001, &list, &error) < 0 && ss_run_contacts(run, -1, &list, &error) < 0);
    assert_true(ss_run_motion(run, 2001, &g.state, &error) < 0);
    ss_run_close(run);
    fixture_free(&f);
    fixture_free(&g);
  }
}

// Contact and kind of the events come back together every 12 events, which is 60 rows
static void test_cycle(void** state)
{
  (void)state;
  fixture f;
  ss_cycle c;
  fixture_init(&f, 2, 3, 0);
  write_run(&f, 3000, "complete");
  ss_run* run = ss_run_open(path, &error);
  assert_non_null(run);
  assert_true(ss_run_cycle(run, 0.5, 2, -1, SS_EVENT_IMPACT, &c, &error));
  assert_float_equal(c.period, 60*7.5e-4, 1e-12);
  assert_int_equal(c.last - c.first, 12);
  const double *x = ss_run_column(run, "x", &error), *t = ss_run_column(run, "t", &error);
  long last = fixture_event_row(c.last), first = last - 60L*c.n;
  assert_true(t[last] <= 2 && t[first] >= 0.5);
  assert_float_equal(c.drift[0], (x[last] - x[first])/c.n, 1e-15);
  assert_false(ss_run_cycle(run, 0.5, 0.6, -1, SS_EVENT_IMPACT, &c, &error));
  assert_int_equal(error.status, SS_OK);
  ss_run_close(run);
  fixture_free(&f);
}

// A run in parts equals the run in one, wherever it was parted; events after the last row are written anew
static void test_resume(void** state)
{
  (void)state;
  static const long part[] = {0, 1, 1000, 4095, 4096, 4098, 8200};
  fixture f;
  fixture_init(&f, 2, 3, 1);
  for (int k = 0; k < 7; k++) {
    ss_record* record = ss_record_create_from(path, &f.header, &error);
    assert_non_null(record);
    assert_int_equal(fixture_write(&f, record, 0, part[k], &error), SS_OK);
    for (long j = part[k] ? (part[k] - 1)/5 : 0; j < part[k]/5 + 3; j++) {  // ahead of the rows
      fixture_event(&f, j);
      assert_int_equal(ss_record_event_add(record, &f.event, &f.state, &error), SS_OK);
    }
    assert_int_equal(ss_record_close(record, "interrupted", &error), SS_OK);
    record = ss_record_resume(path, 12.5, &error);
    if (!record) fail_msg("%s", error.text);
    assert_int_equal(fixture_write(&f, record, part[k], 9000, &error), SS_OK);
    assert_int_equal(ss_record_close(record, "complete", &error), SS_OK);
    check_run(&f, 9000, "complete");
  }
  ss_run* run = ss_run_open(path, &error);
  assert_non_null(run);
  check_lists(ss_run_get_info(run), &f.header);
  check_laws(ss_run_get_header(run), &f.header);
  ss_run_close(run);
  fixture_free(&f);
}

// The process that writes a file can read it meanwhile, and keeps seeing what it opened
static void test_read_while_writing(void** state)
{
  (void)state;
  fixture f;
  fixture_init(&f, 3, 3, 0);
  ss_record* record = ss_record_create_from(path, &f.header, &error);
  assert_non_null(record);
  for (int k = 0; k < 20; k++) {
    assert_int_equal(fixture_write(&f, record, 301*k, 301*(k + 1), &error), SS_OK);
    assert_int_equal(ss_record_flush(record, &error), SS_OK);
    ss_run* run = ss_run_open(path, &error);
    if (!run) fail_msg("%s", error.text);
    assert_int_equal(ss_run_get_info(run)->n_rows, 301*(k + 1));
    assert_string_equal(ss_run_get_info(run)->status, "running");
    if (!fixture_check(&f, run, why)) fail_msg("%s", why);
    ss_run_close(run);
  }
  assert_int_equal(ss_record_close(record, "complete", &error), SS_OK);
  check_run(&f, 301*20, "complete");
  fixture_free(&f);
}

static void test_no_allocation_per_row(void** state)
{
  (void)state;
  fixture f;
  fixture_init(&f, 3, 3, 1);
  ss_record* record = ss_record_create_from(path, &f.header, &error);
  assert_non_null(record);
  allocations = 0;
  assert_int_equal(fixture_write(&f, record, 0, 1000, &error), SS_OK);
  assert_int_equal(allocations, 0);
  assert_int_equal(ss_record_close(record, "complete", &error), SS_OK);
  fixture_free(&f);
}

// ---- where a file may be -------------------------------------------------------------------------------------------

static void expect_refusal(const char* where, const char* text)
{
  fixture f;
  fixture_init(&f, 1, 1, 0);
  assert_null(ss_record_create_from(where, &f.header, &error));
  assert_int_equal(error.status, SS_ERR_FILE);
  if (!strstr(error.text, text)) fail_msg("'%s' does not say '%s'", error.text, text);
  fixture_free(&f);
}

static void test_bad_places(void** state)
{
  (void)state;
  char where[300];
  expect_refusal(folder, "it is a directory");
  snprintf(where, sizeof where, "%s/no/such/run.h5", folder);
  expect_refusal(where, "No such file or directory");
  expect_refusal("", "cannot write ''");
  expect_refusal("/proc/run.h5", "cannot write '/proc/run.h5'");
  expect_refusal("/dev/null", "it is not a regular file");
  snprintf(where, sizeof where, "%s/%0250d.h5", folder, 0);
  expect_refusal(where, "File name too long");
}

static void test_other_files_are_kept(void** state)
{
  (void)state;
  char text[32] = "";
  unlink(path);
  FILE* out = fopen(path, "w");
  fputs("name: ball\n", out);
  fclose(out);
  expect_refusal(path, "exists and is not a run file");
  FILE* in = fopen(path, "r");
  assert_non_null(fgets(text, sizeof text, in));
  fclose(in);
  assert_string_equal(text, "name: ball\n");
  unlink(path);
}

static void test_replaces_a_run(void** state)
{
  (void)state;
  fixture f, g;
  fixture_init(&f, 2, 1, 0);
  fixture_init(&g, 3, 2, 0);
  write_run(&f, 100, "complete");
  ss_run* before = ss_run_open(path, &error);
  assert_non_null(before);
  ss_record* record = ss_record_create_from(path, &g.header, &error);
  assert_non_null(record);
  if (!fixture_check(&f, before, why)) fail_msg("%s", why);  // who has the old one open keeps it
  ss_run_close(before);
  expect_refusal(path, "another run is being written to it");
  assert_null(ss_record_resume(path, 12.5, &error));
  assert_non_null(strstr(error.text, "another run is being written to it"));
  assert_int_equal(fixture_write(&g, record, 0, 50, &error), SS_OK);
  assert_int_equal(ss_record_close(record, "complete", &error), SS_OK);
  check_run(&g, 50, "complete");
  fixture_free(&f);
  fixture_free(&g);
}

static void test_links(void** state)
{
  (void)state;
  char link[300];
  struct stat info;
  fixture f;
  fixture_init(&f, 1, 1, 0);
  write_run(&f, 10, "complete");
  snprintf(link, sizeof link, "%s/link.h5", folder);
  assert_int_equal(symlink(path, link), 0);
  ss_record* record = ss_record_resume(link, 12.5, &error);
  assert_non_null(record);
  assert_int_equal(fixture_write(&f, record, 10, 20, &error), SS_OK);
  assert_int_equal(ss_record_close(record, "complete", &error), SS_OK);
  assert_int_equal(lstat(link, &info), 0);
  assert_true(S_ISLNK(info.st_mode));
  unlink(link);
  check_run(&f, 20, "complete");
  fixture_free(&f);
}

// For the scripts
static int write_for_others(char** argv)
{
  fixture f;
  fixture_init(&f, 3, 3, 1);
  ss_record* record = ss_record_create_from(argv[2], &f.header, &error);
  if (!record || fixture_write(&f, record, 0, atol(argv[3]), &error) < 0) return 1;
  if (strcmp(argv[1], "kill") == 0 && ss_record_flush(record, &error) == SS_OK) raise(SIGKILL);
  ss_status status = ss_record_close(record, "complete", &error);
  fixture_free(&f);
  return status == SS_OK ? 0 : 1;
}

int main(int argc, char** argv)
{
  if (argc == 4) return write_for_others(argv);
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_rows_and_events),
    cmocka_unit_test(test_header),
    cmocka_unit_test(test_long_texts),
    cmocka_unit_test(test_settings),
    cmocka_unit_test(test_no_contacts),
    cmocka_unit_test(test_any_number_of_rows),
    cmocka_unit_test(test_many_coordinates),
    cmocka_unit_test(test_quantities),
    cmocka_unit_test(test_initial_row),
    cmocka_unit_test(test_last_row),
    cmocka_unit_test(test_contacts_of_rows),
    cmocka_unit_test(test_cycle),
    cmocka_unit_test(test_resume),
    cmocka_unit_test(test_read_while_writing),
    cmocka_unit_test(test_no_allocation_per_row),
    cmocka_unit_test(test_bad_places),
    cmocka_unit_test(test_other_files_are_kept),
    cmocka_unit_test(test_replaces_a_run),
    cmocka_unit_test(test_links),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
