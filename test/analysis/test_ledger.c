// The ledgers on steps made by hand: which changes of state are events, how energies add up, how a record goes on.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <stickslip/stickslip.h>

static ss_status nothing(const ss_at* at, double* out)
{
  (void)at;
  (void)out;
  return SS_OK;
}

static ss_status no_contacts(const ss_at* at, double* gap, double* W, double* w_hat)
{
  (void)at;
  (void)gap;
  (void)W;
  (void)w_hat;
  return SS_OK;
}

static ss_system* two_contacts(void)
{
  static const ss_contact_def contact[] = {{.name = "a", .kind = SS_CONTACT_PLANAR},
                                           {.name = "b", .kind = SS_CONTACT_PLANAR}};
  ss_error error;
  ss_system* s = ss_system_create(&(ss_system_def){.nv = 1, .n_contact = 2, .contact = contact, .mass = nothing,
                                                   .force = nothing, .contacts = no_contacts}, &error);
  assert_non_null(s);
  return s;
}

// Feeds a step in which the contacts end in these states; returns the number of events.
static int feed(ss_ledger* l, ss_contact_state a, ss_contact_state b, double approach, const ss_event** events)
{
  static double q, u;
  static long step;
  ss_state s = {.t = 0.5, .step = ++step, .nv = 1, .q = &q, .u = &u};
  ss_contact_result c[2] = {{.state = a, .gamma_before = {approach, 1}, .Lambda = {0.1, 0.2}},
                            {.contact = 1, .state = b}};
  ss_step_info info = {.n_contact = 2, .contact = c, .n_known = 2, .before = {.kinetic = 3, .potential = 1},
                       .after = {.kinetic = 2, .potential = 1.5}};
  return ss_ledger_step(l, &s, &info, events);
}

static void test_events(void** state)
{
  (void)state;
  ss_system* system = two_contacts();
  ss_ledger* l = ss_ledger_create(system);
  const ss_event* e;
  assert_int_equal(feed(l, SS_OPEN, SS_STICK, 0, &e), 0);  // closed at the start: no event
  assert_int_equal(feed(l, SS_OPEN, SS_STICK, 0, &e), 0);
  assert_int_equal(feed(l, SS_SLIP_POS, SS_STICK, -2, &e), 1);
  assert_int_equal(e[0].kind, SS_EVENT_IMPACT);
  assert_int_equal(e[0].contact, 0);
  assert_int_equal(e[0].state, SS_SLIP_POS);
  assert_true(e[0].gamma_before[0] == -2 && e[0].Lambda[1] == 0.2);
  assert_true(e[0].energy_before == 4 && e[0].energy_after == 3.5);
  assert_int_equal(feed(l, SS_STICK, SS_SLIP_NEG, 0, &e), 2);
  assert_int_equal(e[0].kind, SS_EVENT_STICK);
  assert_int_equal(e[1].kind, SS_EVENT_SLIP);
  assert_int_equal(feed(l, SS_STICK, SS_SLIP_POS, 0, &e), 1);  // sliding reverses
  assert_int_equal(e[0].kind, SS_EVENT_SLIP);
  assert_int_equal(feed(l, SS_OPEN, SS_SLIP_POS, 0, &e), 1);
  assert_int_equal(e[0].kind, SS_EVENT_DETACH);
  const ss_ledger_counts* n = ss_ledger_get_counts(l);
  assert_int_equal(n->steps, 6);
  assert_int_equal(n->events, 5);
  assert_int_equal(n->impacts, 1);
  ss_ledger_destroy(l);

  l = ss_ledger_create(system);
  assert_int_equal(feed(l, SS_STICK, SS_OPEN, -1, &e), 1);  // collides in the very first step
  assert_int_equal(e[0].kind, SS_EVENT_IMPACT);
  ss_ledger_destroy(l);
  ss_system_destroy(system);
}

static void test_energy(void** state)
{
  (void)state;
  ss_system* system = two_contacts();
  ss_ledger* l = ss_ledger_create(system);
  double q = 0, u = 0;
  ss_state s = {.nv = 1, .q = &q, .u = &u};
  ss_contact_result c[2] = {{0}, {.contact = 1}};
  ss_step_info info = {.n_contact = 2, .contact = c, .n_known = 2, .before = {.kinetic = 2, .potential = 5},
                       .after = {.kinetic = 1.5, .potential = 5.25},
                       .work_forces = 0.25, .work_drive = 0.5, .loss_normal = 0.75, .loss_friction = 0.125,
                       .work_projection = 0.0625, .residual = 1e-3, .status = SS_INACCURATE, .penetration = 0.5};
  ss_ledger_step(l, &s, &info, NULL);
  info.before = info.after;
  ss_ledger_step(l, &s, &info, NULL);
  const ss_energy_ledger* e = ss_ledger_energy(l);
  assert_true(e->kinetic == 1.5 && e->potential == 5.25 && e->work_forces == 0.5 && e->loss_normal == 1.5);
  // (T + V) - (T + V)_0 = works - losses + projection + defect
  assert_true(e->kinetic + e->potential - 7 == e->work_forces + e->work_drive - e->loss_normal - e->loss_friction +
                                                 e->work_projection + e->defect);
  const ss_ledger_counts* n = ss_ledger_get_counts(l);
  assert_int_equal(n->not_solved, 2);
  assert_true(n->max_residual == 1e-3 && n->max_penetration == 0.5);

  // a second ledger goes on where the first one is
  ss_ledger* copy = ss_ledger_create(system);
  const ss_contact_state open[2] = {SS_OPEN, SS_OPEN};
  assert_int_equal(ss_ledger_restore(copy, 2, open, e, n), SS_OK);
  ss_ledger_step(copy, &s, &info, NULL);
  ss_ledger_step(l, &s, &info, NULL);
  assert_memory_equal(ss_ledger_energy(copy), ss_ledger_energy(l), sizeof(ss_energy_ledger));
  assert_memory_equal(ss_ledger_get_counts(copy), ss_ledger_get_counts(l), sizeof(ss_ledger_counts));
  ss_ledger_destroy(copy);
  ss_ledger_destroy(l);
  ss_system_destroy(system);
}

static void test_system_validation(void** state)
{
  (void)state;
  const ss_contact_def good = {.name = "c", .kind = SS_CONTACT_PLANAR}, same[] = {good, good};
  const struct {
    ss_system_def def;
    const char* message;
  } cases[] = {
    {{.nv = 0, .mass = nothing, .force = nothing}, "nv is 0, must be between 1 and"},
    {{.nv = 1, .force = nothing}, "mass and force must be given"},
    {{.nv = 1, .mass = nothing, .force = nothing, .n_contact = 1}, "contact or contacts is NULL"},
    {{.nv = 1, .mass = nothing, .force = nothing, .n_contact = 2, .contact = same, .contacts = no_contacts},
     "two contacts are named 'c'"},
    {{.nv = 1, .mass = nothing, .force = nothing, .n_contact = 1, .contacts = no_contacts,
      .contact = &(ss_contact_def){.name = "c", .mu = -1}}, "mu is -1"},
    {{.nv = 1, .mass = nothing, .force = nothing, .n_contact = 1, .contacts = no_contacts,
      .contact = &(ss_contact_def){.name = "c", .eps_n = 1.1}}, "eps_n is 1.1"},
    {{.nv = 1, .mass = nothing, .force = nothing, .n_bilateral = 1}, "bilateral is NULL"},
    {{.nv = 1, .mass = nothing, .force = nothing, .has_power = true}, "power is NULL"},
  };
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++) {
    ss_error error = {0};
    assert_null(ss_system_create(&cases[i].def, &error));
    if (!strstr(error.text, cases[i].message)) fail_msg("said '%s' instead of '%s'", error.text, cases[i].message);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_events), cmocka_unit_test(test_energy),
                                     cmocka_unit_test(test_system_validation)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
