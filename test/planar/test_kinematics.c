// Contact kinematics from geometry [Slavic & Boltezar 2006, section 3.1] against differences: the rate of a gap is
// gamma_N = W^T u + w_hat, and with u held gamma' = w_bar. Points on edges, circles on edges, at corners and on
// circles; bodies that are free, guided by coordinates, and driven by time.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <stickslip/stickslip.h>
#include "planar/planar.h"

enum { MOST = 12, MOST_NV = 8 };

typedef struct look {
  int n, rows;
  uint64_t key[MOST];
  int row[MOST];
  double gap[MOST], gamma[3*MOST], w_bar[3*MOST];
} look;

static void expect_near(const char* what, int contact, double value, double expected, double tol)
{
  if (!(fabs(value - expected) <= tol))
    fail_msg("%s of contact %d = %.12g, by differences %.12g", what, contact, value, expected);
}

// Gaps, velocities and biases of the contacts with these keys at q + dt u, t + dt
static void look_at(const ss_system_def* d, void* scratch, const double* q0, const double* u, double dt, look* l)
{
  char message[SS_AT_MESSAGE] = "";
  double q[MOST_NV], W[3*MOST*MOST_NV], w_hat[3*MOST] = {0};
  for (int i = 0; i < d->nv; i++) q[i] = q0[i] + dt*u[i];
  ss_at at = {.user = d->user, .scratch = scratch, .t = 0.3 + dt, .q = q, .u = u, .message = message};
  const ss_contact_item* item;
  assert_int_equal(d->update(&at), SS_OK);
  if (d->operators->follow(&at, l->n, l->key, &item) != SS_OK) fail_msg("%s", message);
  l->rows = 0;
  for (int i = 0; i < l->n; i++) {
    l->gap[i] = item[i].gap;
    l->row[i] = l->rows;
    l->rows += ss_contact_rows(item[i].law->kind);
  }
  d->operators->row_matrix(&at, W);
  assert_int_equal(d->operators->row_drive(&at, w_hat), SS_OK);
  d->operators->row_bias(&at, l->w_bar);
  for (int r = 0; r < l->rows; r++) {
    l->gamma[r] = w_hat[r];
    for (int j = 0; j < d->nv; j++) l->gamma[r] += W[r*d->nv + j]*u[j];
  }
}

static void check(const char* text, int n, const uint64_t* key)
{
  ss_error error = {0};
  ss_model* m = ss_model_parse(text, strlen(text), "test", NULL, &error);
  if (!m) fail_msg("%s", error.text);
  const ss_system_def* d = ss_system_get(ss_model_system(m));
  void* scratch = calloc(1, d->scratch_size);
  ss_state* s = ss_state_create(ss_model_system(m));
  ss_model_initial(m, s);
  assert_true(d->nv <= MOST_NV && d->operators->open(d->user, scratch, &error) == SS_OK);
  look here = {.n = n}, before, after;
  memcpy(here.key, key, sizeof *key*(size_t)n);
  before = after = here;
  double h = 1e-5;
  look_at(d, scratch, s->q, s->u, 0, &here);
  look_at(d, scratch, s->q, s->u, -h, &before);
  look_at(d, scratch, s->q, s->u, h, &after);
  for (int i = 0; i < here.n; i++) {
    expect_near("gamma_N", i, here.gamma[here.row[i]], (after.gap[i] - before.gap[i])/(2*h), 1e-8);
    int end = i + 1 < here.n ? here.row[i + 1] : here.rows;
    for (int r = here.row[i]; r < end; r++)
      expect_near("w_bar", i, here.w_bar[r], (after.gamma[r] - before.gamma[r])/(2*h),
                  1e-7*fmax(1, fabs(here.w_bar[r])));
  }
  d->operators->close(scratch);
  free(scratch);
  ss_state_destroy(s);
  ss_model_destroy(m);
}

static void test_kinematics(void** state)
{
  (void)state;
  const char* box = "bodies:\n  box: {polygon: [[0, 0], [1, 0], [1, 1], [0, 1]], free: [0, 0, 0.1], "
                    "velocity: [0.3, 0.2, -0.7], mass: 1, mu: 0.3}\n";
  char text[800];
  // a table that is driven by time, an arm that two coordinates guide, a contact by expressions
  check("coordinates: [a, b]\nkinetic: a'^2 + b'^2\ncontacts: {stop: {gap: a + b^2}}\nbodies:\n"
        "  table: {polygon: [[-2, -1], [2, -1], [2, 0], [-2, 0]], at: [0.1*sin(t), 0.05*t^2, 0.1*t], mu: 0.3}\n"
        "  arm:\n    polygon: [[0, -0.2], [1, -0.2], [1, 0.2], [0, 0.2]]\n"
        "    at: [0.5*cos(a), 0.5 + 0.5*sin(a)*b, 0.05 + a*b]\ninitial: {a: 0.1, b: 0.2, a': -2, b': -1.3}\n",
        3, (uint64_t[]){ss_key2(0, 1, SS_POINT_OF_B, 2, 0), ss_key2(0, 1, SS_POINT_OF_A, 2, 0), SS_KEY_EXPRESSION});
  // a circle over an edge of a free box, and at its corner
  snprintf(text, sizeof text, "%s  ball: {circle: [0.1, 0, 0.3], free: [0.1, 0.9, 0.4], velocity: [-0.2, -1, 2], "
           "mass: 1}\n", box);
  check(text, 2, (uint64_t[]){ss_key2(0, 1, SS_POINT_OF_B, 2, 0), ss_key2(0, 1, SS_TWO_POINTS, 2, 0)});
  // two circles; a half-plane that is driven under a box
  check("coordinates: [a]\nkinetic: a'^2\nbodies:\n"
        "  roll: {circle: [0.2, 0, 0.3], at: [cos(a), sin(a), 2*a], mu: 0.1}\n"
        "  ball: {circle: [0, 0, 0.3], free: [1.4, 0.8, 0.4], velocity: [-1, -1, 2], mass: 1}\n"
        "initial: {a: 0.1, a': 1.1}\n", 1, (uint64_t[]){ss_key2(0, 1, SS_TWO_POINTS, 0, 0)});
  snprintf(text, sizeof text, "%s  floor: {halfplane: [0, -1, 0.1, 1], at: [0.2*t, sin(t)/9, t/5]}\n", box);
  check(text, 1, (uint64_t[]){ss_key2(0, 1, SS_POINT_OF_A, 1, 0)});
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_kinematics)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
