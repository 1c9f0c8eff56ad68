// Robots of the catalogue: a quadruped stands on feet that do not creep, a humanoid falls with a closed energy ledger.
#include "machine/play.h"

// The way that a closed contact slides with the velocity at the end of the last step, the longest
static double slid(const play* p)
{
  double most = 0;
  const ss_step_info* info = ss_work_info(p->w);
  for (int i = 0; i < info->n_contact; i++) {
    const ss_contact_result* c = &info->contact[i];
    if (c->state == SS_OPEN) continue;
    for (int k = 1; k < 3; k++) most = fmax(most, p->def.dt*fabs(c->gamma_after[k]));
  }
  return most;
}

// Servos let it sink and swing by millimetres; the feet stay. Where it comes to rest the servos carry the weight: four
// forces, whose sum is known.
static void test_quadruped_stands(void** state)
{
  (void)state;
  play p = start("quadruped");
  double creep = 0;
  go(&p, 0.1);  // the feet are set down
  while (p.s->t < 8 - p.def.dt/2) {
    step(&p, NULL);
    assert_int_equal(ss_work_info(p.w)->n_active, 4);
    creep += slid(&p);
  }
  near(creep, 0, 1e-12);
  memcpy(p.q0, p.s->q, sizeof *p.q0*(size_t)p.s->nq);
  go(&p, 10);
  near(moved(&p), 0, 1e-11);  // swinging has died out, and nothing else moves
  near(impulse_of(&p, "floor"), weight(&p)*p.def.dt, 1e-9);
  assert_true(p.s->q[2] > 0.34);
  stop(&p);
}

// T + V changes by what dampers and contacts take; what is left is the integrator's error, of first order in dt
static void test_humanoid_falls(void** state)
{
  (void)state;
  double defect[2];
  for (int k = 0; k < 2; k++) {
    play p = start("humanoid");
    p.def.dt = k ? 2.5e-4 : 1e-3;
    go(&p, 1.2);
    const ss_energy_ledger* e = ss_ledger_energy(p.ledger);
    defect[k] = fabs(e->defect);
    assert_true(e->work_forces < -50 && e->loss_normal + e->loss_friction > 50);
    assert_true(p.s->q[2] < 0.5);  // the pelvis
    stop(&p);
  }
  near(defect[0], 0, 1);  // of 600 J
  assert_true(defect[1] < defect[0]/2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_quadruped_stands),
    cmocka_unit_test(test_humanoid_falls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
