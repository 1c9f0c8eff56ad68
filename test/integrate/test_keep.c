// link: -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=aligned_alloc
// The contact problem of a step, kept: solved alone it gives the impulses of the step, bit for bit, also where the
// projection after the step used the same arrays; and keeping it allocates nothing in a step.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <stickslip/stickslip.h>

#include "count_allocations.h"

// A bead on a wire (a bilateral constraint) that falls onto a moving belt, with a damper of dry friction
static const char bead[] =
  "coordinates: {x: m, y: m}\nkinetic: (x'^2 + y'^2)/2\npotential: 9.81*y\n"
  "constraints: {wire: y - 0.5*x}\n"
  "contacts:\n  belt: {gap: y, slide: x' - 1, mu: 0.4, eps_n: 0.3}\n  damper: {slide: x', bound: 0.2}\n"
  "initial: {x: 0.2, y: 0.1}\nrun: {dt: 1e-3, until: 1}\n";

static ss_model* load(const char* name)
{
  ss_error error = {0};
  ss_model* model = strcmp(name, "bead") == 0 ? ss_model_parse(bead, strlen(bead), "bead", NULL, &error)
                                              : ss_model_load(name, NULL, &error);
  if (!model) fail_msg("%s: %s", name, error.text);
  return model;
}

// The same as the step, unless that has chosen among several solutions: then velocities at least, which are the same
// for all of them, to round-off of the terms of G Lambda
static void solve_again(const ss_contact_problem* p, const ss_contact_solution* found, ss_choice choice,
                        const ss_lcp_def* def)
{
  double Lambda[16], xi[16];
  ss_contact_state state[16];
  assert_true(p->m <= 16);
  ss_arena* arena = ss_arena_create(ss_contact_solve_size(p->n_bilateral, p->n_contact));
  ss_contact_solution s = {.Lambda = Lambda, .xi = xi, .state = state};
  ss_contact_solve(p, def, arena, &s);
  if (choice == SS_CHOICE_NONE) {
    assert_memory_equal(Lambda, found->Lambda, (size_t)p->m*sizeof(double));
    assert_memory_equal(xi, found->xi, (size_t)p->m*sizeof(double));
    assert_true(s.residual == found->residual);
  } else {
    assert_int_equal(choice, SS_CHOICE_FORCES);
    for (int i = 0; i < p->m; i++) assert_true(fabs(xi[i] - found->xi[i]) < 1e-14);
    assert_true(found->residual < 1e-13);
  }
  ss_arena_destroy(arena);
}

// The impulses of the problem are those that the step reports
static void compare(const ss_contact_problem* p, const ss_contact_solution* s, const int* contact,
                    const ss_step_info* info)
{
  int row = p->n_bilateral;
  for (int i = 0; i < p->n_bilateral; i++) assert_true(s->Lambda[i] == info->Lambda_bilateral[i]);
  for (int i = 0; i < p->n_contact; i++) {
    const ss_contact_result* c = &info->contact[contact[i]];
    if (p->kind[i] != SS_CONTACT_FRICTION) assert_true(s->Lambda[row++] == c->Lambda[0]);
    if (p->kind[i] != SS_CONTACT_NORMAL) assert_true(s->Lambda[row++] == c->Lambda[1]);
    assert_int_equal(s->state[i], c->state);
  }
  assert_int_equal(row, p->m);
}

static void check(const char* name, ss_integrator integrator, ss_projection project)
{
  ss_error error = {0};
  ss_model* model = load(name);
  const ss_system* system = ss_model_system(model);
  ss_state* s = ss_state_create(system);
  ss_work* w = ss_work_create(system, &error);
  ss_step_def def = ss_model_run(model)->step;
  def.integrator = integrator;
  def.project = project;
  ss_model_initial(model, s);
  assert_null(ss_work_problem(w, NULL, NULL));
  assert_int_equal(ss_work_keep_problem(w), SS_OK);
  assert_null(ss_work_problem(w, NULL, NULL));
  int met = 0;
  for (int i = 0; i < 1000; i++) {
    long before = calls;
    assert_true(ss_step(system, &def, s, w) >= 0);
    const ss_contact_solution* solution;
    const int* contact;
    const ss_contact_problem* p = ss_work_problem(w, &solution, &contact);
    assert_int_equal(calls, before);
    if (!p) continue;
    met++;
    compare(p, solution, contact, ss_work_info(w));
    if (met%10 == 0) solve_again(p, solution, ss_work_info(w)->choice, &def.solver);
  }
  assert_true(met > 100);
  ss_work_destroy(w);
  ss_state_destroy(s);
  ss_model_destroy(model);
}

static void kept_problems(void** state)
{
  (void)state;
  const char* const names[] = {"bead", "woodpecker", "stickslip-oscillator", "rocking-block"};
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 4; k++)
      check(names[i], k & 1 ? SS_EULER : SS_MOREAU, k & 2 ? SS_PROJECTION_ON : SS_PROJECTION_OFF);
}

// A scene in which nothing touches: steps without rows leave no problem, and no trace of an earlier one
static void nothing_to_keep(void** state)
{
  (void)state;
  static const char ball[] = "<mujoco><worldbody><body><freejoint/><geom size='0.1'/></body></worldbody></mujoco>";
  ss_error error = {0};
  ss_model* model = ss_model_parse(ball, strlen(ball), "ball", NULL, &error);
  if (!model) fail_msg("%s", error.text);
  ss_state* s = ss_state_create(ss_model_system(model));
  ss_work* w = ss_work_create(ss_model_system(model), &error);
  ss_model_initial(model, s);
  assert_int_equal(ss_work_keep_problem(w), SS_OK);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(ss_step(ss_model_system(model), &ss_model_run(model)->step, s, w), SS_OK);
    assert_null(ss_work_problem(w, NULL, NULL));
  }
  ss_work_destroy(w);
  ss_state_destroy(s);
  ss_model_destroy(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(kept_problems), cmocka_unit_test(nothing_to_keep)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
