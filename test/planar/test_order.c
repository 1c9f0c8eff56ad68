// Bodies with outlines in another order in the file, and seen in a mirror: stacks whose blocks slide on one another,
// and tables on several feet that slide. They move alike.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include <stickslip/stickslip.h>
#include "less.h"
#include "draw.h"

enum { MOST = 6, LONG = 4000 };

typedef struct block {
  double half[2], x, v, mu;
} block;

typedef struct stack {
  int n, feet;        // feet under the lowest
  block block[MOST];
} stack;

static stack random_stack(int n, int feet, bool shoved)
{
  stack s = {.n = n, .feet = feet};
  for (int i = 0; i < n; i++)
    s.block[i] = (block){{uniform(0.2, 0.3), uniform(0.02, 0.06)}, uniform(-0.05, 0.05), shoved && i ? 0 : 1,
                         uniform(0.1, 0.5)};
  return s;
}

// Notches between feet, as wide as these
static double notch(const stack* s, int i) { return i == 0 && s->feet ? 2*s->block[i].half[0]/(2*s->feet - 1) : 0; }

#define DEEP 0.2  // notches, of half the height

// Height of the centre of mass of block i
static double centre(const stack* s, int i)
{
  double h = s->block[i].half[1], area = 4*h*s->block[i].half[0];
  double lost = notch(s, i) > 0 ? (s->feet - 1)*notch(s, i)*DEEP*h : 0;
  return (area*h - lost*DEEP*h/2)/(area - lost);
}

// Points of block i, counter-clockwise
static size_t write_points(const stack* s, int i, int side, char* out, size_t size)
{
  const block* b = &s->block[i];
  double w = b->half[0], h = b->half[1], gap = notch(s, i), x[4*MOST], y[4*MOST];
  int n = 0;
  for (int k = 0; k + 1 < s->feet && gap > 0; k++) {
    double from = -w + (2*k + 1)*gap;
    for (int q = 0; q < 4; q++, n++) {
      x[n] = q < 2 ? from : from + gap;
      y[n] = q == 0 || q == 3 ? 0 : DEEP*h;
    }
  }
  const double cx[] = {w, w, -w, -w}, cy[] = {0, 2*h, 2*h, 0};
  for (int q = 0; q < 4; q++, n++) {
    x[n] = cx[q];
    y[n] = cy[q];
  }
  size_t used = 0;
  for (int k = 0; k < n; k++) {
    int j = side > 0 ? k : n - 1 - k;
    used += (size_t)snprintf(out + used, size - used, "%s[%.17g, %.17g]", k ? ", " : "", side*x[j], y[j]);
  }
  return used;
}

typedef struct motion {
  double x[MOST], v[MOST], w[MOST];  // by block
  long several, as_found;
} motion;

static motion play(const stack* s, const int* order, int side, ss_integrator integrator, int steps)
{
  char text[LONG];
  double level[MOST], y = 0;
  size_t n = (size_t)snprintf(text, LONG, "name: stack\ngravity: 9.81\nbodies:\n  floor: {halfplane: [0, 0, 0, 1]}\n");
  for (int i = 0; i < s->n; y += 2*s->block[i++].half[1]) level[i] = y + centre(s, i);
  for (int k = 0; k < s->n; k++) {
    int i = order[k];
    const block* b = &s->block[i];
    n += (size_t)snprintf(text + n, LONG - n, "  b%d: {polygon: [", i);
    n += write_points(s, i, side, text + n, LONG - n);
    n += (size_t)snprintf(text + n, LONG - n,
                          "], free: [%.17g, %.17g, 0], velocity: [%.17g, 0, 0], mass: 1, mu: %.17g}\n",
                          side*b->x, level[i], side*b->v, b->mu);
  }
  snprintf(text + n, LONG - n, "run: {dt: 1e-3, until: 1}\n");
  ss_error error = {0};
  ss_model* model = ss_model_parse(text, strlen(text), "order", NULL, &error);
  if (!model) fail_msg("%s\n%s", error.text, text);
  const ss_system* system = ss_model_system(model);
  ss_state* state = ss_state_create(system);
  ss_work* w = ss_work_create(system, &error);
  ss_ledger* ledger = ss_ledger_create(system);
  ss_step_def def = ss_model_run(model)->step;
  def.integrator = integrator;
  ss_model_initial(model, state);
  for (int i = 0; i < steps; i++) {
    ss_status st = ss_step(system, &def, state, w);
    if (st != SS_OK) fail_msg("step %d: %s", i, ss_work_message(w));
    ss_ledger_step(ledger, state, ss_work_info(w), NULL);
  }
  motion m = {.several = ss_ledger_get_counts(ledger)->several_motions,
              .as_found = ss_ledger_get_counts(ledger)->as_found};
  for (int k = 0; k < s->n; k++) {
    m.x[order[k]] = side*state->q[3*k];
    m.v[order[k]] = side*state->u[3*k];
    m.w[order[k]] = side*state->u[3*k + 2];
  }
  ss_ledger_destroy(ledger);
  ss_work_destroy(w);
  ss_state_destroy(state);
  ss_model_destroy(model);
  return m;
}

static void shuffle(int n, int* order)
{
  for (int i = n - 1; i > 0; i--) {
    int j = (int)uniform(0, i + 1), keep = order[i];
    order[i] = order[j];
    order[j] = keep;
  }
}

static void check(const stack* s, ss_integrator integrator, int k)
{
  int order[MOST] = {0, 1, 2, 3, 4, 5};
  motion first = play(s, order, 1, integrator, 100);
  for (int other = 0; other < 2; other++) {
    shuffle(s->n, order);
    motion m = play(s, order, other ? -1 : 1, integrator, 100);
    for (int i = 0; i < s->n && !first.as_found && !m.as_found; i++) {
      double off = fmax(fabs(m.x[i] - first.x[i]), fmax(fabs(m.v[i] - first.v[i]), 0.1*fabs(m.w[i] - first.w[i])));
      if (!(off < 1e-9)) fail_msg("%d, block %d: x %.12g and %.12g, x' %.12g and %.12g", k, i, first.x[i], m.x[i],
                                  first.v[i], m.v[i]);
    }
    assert_int_equal(m.as_found, 0);
  }
}

static const ss_integrator integrators[] = {SS_MOREAU, SS_JEAN, SS_EULER};

static void test_stacks(void** state)
{
  (void)state;
  for (int k = 0; k < 24; k += LESS) {
    seed = (unsigned long)k + 1;
    stack s = random_stack(2 + k%3, 0, k & 1);
    check(&s, integrators[k/2%3], k);
  }
}

// Redundant feet: the laws allow several motions
static void test_tables(void** state)
{
  (void)state;
  for (int k = 0; k < 24; k += LESS) {
    seed = (unsigned long)k + 100;
    stack s = random_stack(1 + k%2, 3 + k%3, k & 4);
    check(&s, integrators[k/2%3], k);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_stacks), cmocka_unit_test(test_tables)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
