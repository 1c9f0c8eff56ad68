// Systems by operators move as the same systems by matrices do; contacts that come and go get numbers and events.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>
#include <stickslip/ledger.h>
#include <stickslip/simulate.h>

// Two balls in a plane, one above the other, tied to equal x by a bilateral row; floor below both. Contacts: each with
// the floor, dry friction on x.
enum { NV = 4, ROWS = 1 + 2 + 2 + 1 };  // x1 y1 x2 y2; tie, floor 1, floor 2, friction

static const double mass[NV] = {1, 1, 2, 2};
static const ss_contact_def laws[] = {
  {.name = "floor 1", .kind = SS_CONTACT_PLANAR, .mu = 0.3, .eps_n = 0.6},
  {.name = "floor 2", .kind = SS_CONTACT_PLANAR, .mu = 0.2, .eps_n = 0.4},
  {.name = "drag", .kind = SS_CONTACT_FRICTION, .bound = 0.5},
};

static const double rows[ROWS][NV] = {{1, 0, -1, 0}, {0, 1, 0, 0}, {1, 0, 0, 0}, {0, 0, 0, 1}, {0, 0, 1, 0}, {1, 0}};

static ss_status get_mass(const ss_at* at, double* M)
{
  (void)at;
  for (int i = 0; i < NV*NV; i++) M[i] = i % (NV + 1) ? 0 : mass[i/NV];
  return SS_OK;
}

static ss_status get_force(const ss_at* at, double* h)
{
  (void)at;
  for (int i = 0; i < NV; i++) h[i] = i % 2 ? -9.81*mass[i] : 0;
  return SS_OK;
}

static ss_status get_contacts(const ss_at* at, double* gap, double* W, double* w_hat)
{
  gap[0] = at->q[1];
  gap[1] = at->q[3];
  gap[2] = 0;
  memcpy(W, rows[1], sizeof rows - sizeof rows[0]);
  memset(w_hat, 0, sizeof(double)*(ROWS - 1));
  return SS_OK;
}

static ss_status get_bilateral(const ss_at* at, double* error, double* W, double* w_hat)
{
  *error = at->q[0] - at->q[2];
  memcpy(W, rows[0], sizeof rows[0]);
  *w_hat = 0;
  return SS_OK;
}

static ss_status get_energy(const ss_at* at, ss_energy* e)
{
  *e = (ss_energy){0};
  for (int i = 0; i < NV; i++) {
    e->kinetic += mass[i]*at->u[i]*at->u[i]/2;
    if (i % 2) e->potential += 9.81*mass[i]*at->q[i];
  }
  return SS_OK;
}

// ---- the same by operators; contacts with the floor are listed only near it

typedef struct scratch {
  int n;
  ss_contact_item item[3];
  int row[ROWS];  // which of `rows` a row of the list is
} scratch;

static int opened;

static ss_status do_open(const void* user, void* s, ss_error* error)
{
  (void)user;
  (void)s;
  (void)error;
  opened++;
  return SS_OK;
}

static void do_close(void* s)
{
  (void)s;
  opened--;
}

static ss_status do_factor(const ss_at* at)
{
  (void)at;
  return SS_OK;
}

static void do_solve(const ss_at* at, const double* x, double* y)
{
  (void)at;
  for (int i = 0; i < NV; i++) y[i] = x[i]/mass[i];
}

static ss_status do_list(const ss_at* at, double dt, int* n, const ss_contact_item** item)
{
  scratch* s = at->scratch;
  s->n = 0;
  s->row[0] = 0;
  int m = 1;
  for (int k = 2; k >= 0; k--) {  // in an order of their own
    double gap = k == 2 ? 0 : at->q[2*k + 1], reach = k == 2 ? 0 : dt*fabs(at->u[2*k + 1]) + 1e-3;
    if (gap > reach) continue;
    s->item[s->n++] = (ss_contact_item){.key = 1000u + (unsigned)k, .law = &laws[k], .gap = gap};
    for (int r = 0; r < ss_contact_rows(laws[k].kind); r++) s->row[m++] = 1 + 2*k + r;
  }
  *n = s->n;
  *item = s->item;
  return SS_OK;
}

static ss_status do_bilateral(const ss_at* at, double* error, double* size)
{
  *error = at->q[0] - at->q[2];
  *size = fabs(at->q[0]) + fabs(at->q[2]);
  return SS_OK;
}

static int count_rows(const scratch* s)
{
  int m = 1;
  for (int i = 0; i < s->n; i++) m += ss_contact_rows(s->item[i].law->kind);
  return m;
}

static void do_velocity(const ss_at* at, const double* v, double* gamma, double* size)
{
  const scratch* s = at->scratch;
  for (int r = 0, m = count_rows(s); r < m; r++) {
    gamma[r] = 0;
    if (size) size[r] = 0;
    for (int i = 0; i < NV; i++) {
      gamma[r] += rows[s->row[r]][i]*v[i];
      if (size) size[r] += fabs(rows[s->row[r]][i]*v[i]);
    }
  }
}

static void do_force(const ss_at* at, int m, const int* row, const double* Lambda, double* tau)
{
  const scratch* s = at->scratch;
  memset(tau, 0, sizeof(double)*NV);
  for (int r = 0; r < m; r++)
    for (int i = 0; i < NV; i++) tau[i] += rows[s->row[row[r]]][i]*Lambda[r];
}

static ss_status do_delassus(const ss_at* at, int m, const int* row, double* G)
{
  const scratch* s = at->scratch;
  for (int r = 0; r < m; r++)
    for (int k = 0; k < m; k++) {
      G[r*m + k] = 0;
      for (int i = 0; i < NV; i++) G[r*m + k] += rows[s->row[row[r]]][i]*rows[s->row[row[k]]][i]/mass[i];
    }
  return SS_OK;
}

static void do_parts(const ss_at* at, int m, const int* row, int* part)
{
  const scratch* s = at->scratch;
  for (int i = 0; i < m; i++) {
    int r = s->row[row[i]];  // the tie acts on both balls
    part[2*i] = r < 3 || r == 5 ? 0 : 1;
    part[2*i + 1] = r == 0 ? 1 : -1;
  }
}

static void do_name(const void* user, uint64_t key, char* text, size_t size)
{
  (void)user;
  strncpy(text, laws[key - 1000].name, size);
}

static const ss_operators operators = {
  .open = do_open, .close = do_close, .factor = do_factor, .solve = do_solve, .list = do_list,
  .bilateral = do_bilateral, .row_velocity = do_velocity, .row_force = do_force, .delassus = do_delassus,
  .contact_name = do_name, .row_parts = do_parts,
};

static ss_system* make(bool by_operators)
{
  ss_system_def d = {.nv = NV, .n_bilateral = 1, .force = get_force, .energy = get_energy};
  ss_error error;
  if (by_operators) {
    d.operators = &operators;
    d.n_parts = 2;
    d.scratch_size = sizeof(scratch);
  } else {
    d.mass = get_mass;
    d.n_contact = 3;
    d.contact = laws;
    d.contacts = get_contacts;
    d.bilateral = get_bilateral;
  }
  ss_system* s = ss_system_create(&d, &error);
  if (!s) fail_msg("%s", error.text);
  return s;
}

typedef struct outcome {
  double q[NV], u[NV], loss, defect, projection;
  long events, impacts;
  char last[64];
} outcome;

static outcome run(bool by_operators, ss_step_def def, int steps)
{
  ss_system* system = make(by_operators);
  ss_work* w = ss_work_create(system, NULL);
  ss_state* s = ss_state_create(system);
  ss_ledger* l = ss_ledger_create(system);
  assert_true(w && s && l);
  s->q[0] = s->q[2] = 0.2;
  s->q[1] = 0.1;
  s->q[3] = 0.3;
  s->u[0] = s->u[2] = 2;
  outcome out = {0};
  for (int i = 0; i < steps; i++) {
    const ss_event* e;
    assert_int_equal(ss_step(system, &def, s, w), SS_OK);
    int n = ss_ledger_step(l, s, ss_work_info(w), &e);
    if (n) strncpy(out.last, ss_work_contact_name(w, e[n - 1].contact), sizeof out.last - 1);
  }
  memcpy(out.q, s->q, sizeof out.q);
  memcpy(out.u, s->u, sizeof out.u);
  const ss_energy_ledger* e = ss_ledger_energy(l);
  out.loss = e->loss_normal + e->loss_friction;
  out.defect = e->defect;
  out.projection = e->work_projection;
  out.events = ss_ledger_get_counts(l)->events;
  out.impacts = ss_ledger_get_counts(l)->impacts;
  ss_ledger_destroy(l);
  ss_state_destroy(s);
  ss_work_destroy(w);
  ss_system_destroy(system);
  return out;
}

static void test_same_motion(void** state)
{
  (void)state;
  for (int k = 0; k < 4; k++) {
    ss_step_def def = ss_step_def_default();
    def.dt = 1e-3;
    def.account = true;
    def.integrator = k & 1 ? SS_EULER : SS_MOREAU;
    def.impact = k & 2 ? SS_IMPACT_POISSON : SS_IMPACT_NEWTON;
    def.friction.tol = 1e-12;
    outcome a = run(false, def, 600), b = run(true, def, 600);
    for (int i = 0; i < NV; i++) {  // 600 steps of solves to 1e-12, relative to velocities of order 1
      assert_true(fabs(a.q[i] - b.q[i]) <= 1e-9);
      assert_true(fabs(a.u[i] - b.u[i]) <= 1e-9);
    }
    assert_true(fabs(a.loss - b.loss) <= 1e-8);
    assert_true(fabs(a.defect - b.defect) <= 1e-8);
    assert_true(fabs(a.projection - b.projection) <= 1e-8);
    assert_true(a.impacts >= 2 && a.impacts == b.impacts);
    assert_int_equal(a.events, b.events);
    assert_string_equal(a.last, b.last);
  }
  assert_int_equal(opened, 0);
}

// Overlap goes, down to a step of free motion, and what rests without overlap is left alone
static void test_projection(void** state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    ss_system* system = make(true);
    ss_work* w = ss_work_create(system, NULL);
    ss_state* s = ss_state_create(system);
    ss_step_def def = ss_step_def_default();
    def.dt = 1e-3;
    def.project = SS_PROJECTION_ON;
    s->q[1] = k ? -0.01 : 0;
    for (int i = 0; i < 50; i++) assert_int_equal(ss_step(system, &def, s, w), SS_OK);
    if (k) assert_true(s->q[1] <= 0 && s->q[1] >= -1.001*9.81e-6);
    else assert_true(s->q[1] == 0);
    assert_true(s->q[3] == 0 && s->q[0] == s->q[2]);
    ss_state_destroy(s);
    ss_work_destroy(w);
    ss_system_destroy(system);
  }
}

static void test_numbers(void** state)
{
  (void)state;
  ss_system* system = make(true);
  ss_work* w = ss_work_create(system, NULL);
  ss_state* s = ss_state_create(system);
  ss_step_def def = ss_step_def_default();
  def.dt = 1e-3;
  s->q[1] = 1;
  s->q[3] = 0.01;
  s->u[3] = -1;
  assert_null(ss_work_contact_name(w, 0));
  assert_int_equal(ss_step(system, &def, s, w), SS_OK);
  assert_string_equal(ss_work_contact_name(w, 0), "drag");
  assert_null(ss_work_contact_name(w, 1));
  for (int i = 0; i < 20; i++) assert_int_equal(ss_step(system, &def, s, w), SS_OK);
  assert_string_equal(ss_work_contact_name(w, 1), "floor 2");
  assert_int_equal(ss_work_contact_kind(w, 1), SS_CONTACT_PLANAR);
  assert_int_equal(ss_work_contact_key(w, 1), 1001);
  assert_int_equal(ss_work_info(w)->n_known, 2);
  def.integrator = SS_EVENT_DRIVEN;
  assert_int_equal(ss_step(system, &def, s, w), SS_ERR_ARGUMENT);
  ss_state_destroy(s);
  ss_work_destroy(w);
  ss_system_destroy(system);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_motion), cmocka_unit_test(test_projection),
                                     cmocka_unit_test(test_numbers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
