// The section `draw` of text models: shapes and their numbers at an instant, and what is said of mistakes.
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

#define HEAD "parameters: {r: 0.5}\ncoordinates: [x, y]\nkinetic: x'^2 + y'^2\ncontacts: {floor: {gap: y, slide: x'}}\n"

static ss_model* parse(const char* text, ss_error* error)
{
  return ss_model_parse(text, strlen(text), "m.yaml", NULL, error);
}

static double at(const ss_drawing* d, const double* value, int shape, int i)
{
  return value[d->shape[shape].number[i]];
}

// Numbers are the expressions at q and t; equal expressions are one number; a frame is kept as a frame.
static void test_numbers(void** state)
{
  (void)state;
  ss_error error = {0};
  ss_model* m = parse(HEAD "draw:\n"
                           "  box: {polygon: [[0, 0], [r, 0], [r, 2*r]], frame: [x, y + t, x*y], fill: red}\n"
                           "  wire: {line: [[0, 0], [x, y + t]], stroke: \"#12aB9f\", width: 2}\n"
                           "  hit: {contact: floor, at: [x, y], normal: [0, 1], tangent: [1, 0]}\n"
                           "  note: {text: \"a </b>\", at: [sin(t), 1]}\n", &error);
  assert_non_null(m);
  const ss_drawing* d = ss_model_drawing(m);
  assert_int_equal(d->n_shape, 4);
  double t[2] = {0.25, 1}, q[4] = {3, 4, -1, 2}, *value = calloc(2*(size_t)d->n_value, sizeof *value);
  assert_int_equal(ss_model_draw(m, 2, t, q, value), SS_OK);
  for (int k = 0; k < 2; k++) {
    const double *v = value + k*d->n_value, x = q[2*k], y = q[2*k + 1];
    assert_true(at(d, v, 0, 2) == 0.5 && at(d, v, 0, 5) == 1);
    assert_true(v[d->shape[0].frame[0]] == x && v[d->shape[0].frame[1]] == y + t[k] && v[d->shape[0].frame[2]] == x*y);
    assert_true(at(d, v, 1, 2) == x && at(d, v, 1, 3) == y + t[k]);
    assert_true(at(d, v, 3, 0) == sin(t[k]));
  }
  assert_int_equal(d->shape[0].frame[1], d->shape[1].number[3]);
  assert_true(d->is_constant[d->shape[0].number[2]] && !d->is_constant[d->shape[0].frame[0]]);
  assert_string_equal(d->shape[1].stroke, "#12aB9f");
  assert_int_equal(d->shape[1].frame[0], -1);
  assert_int_equal(d->shape[2].contact, 0);
  assert_int_equal(d->shape[2].n, 6);
  assert_string_equal(d->shape[3].label, "a </b>");
  free(value);
  ss_model_destroy(m);
}

static void test_without(void** state)
{
  (void)state;
  ss_model* m = parse(HEAD, NULL);
  double t = 0, q[2] = {0}, value;
  assert_null(ss_model_drawing(m));
  assert_int_equal(ss_model_draw(m, 1, &t, q, &value), SS_ERR_ARGUMENT);
  ss_model_destroy(m);
}

// Every model of the catalogue that is a text can be seen: finite numbers at its start, all contacts marked
static void test_catalogue(void** state)
{
  (void)state;
  const ss_catalogue_entry* list;
  int n = ss_catalogue(&list);
  for (int i = 0; i < n; i++) {
    if (list[i].text[0] == '<') continue;
    ss_model* m = ss_model_load(list[i].name, NULL, NULL);
    const ss_drawing* d = ss_model_drawing(m);
    if (!d) fail_msg("%s has no drawing", list[i].name);
    const ss_system* system = ss_model_system(m);
    ss_state* s = ss_state_create(system);
    ss_model_initial(m, s);
    double* value = calloc((size_t)d->n_value, sizeof *value);
    assert_int_equal(ss_model_draw(m, 1, &s->t, s->q, value), SS_OK);
    for (int k = 0; k < d->n_value; k++) assert_true(isfinite(value[k]));
    for (int c = 0; c < ss_system_get(system)->n_contact; c++) {
      int marks = 0;
      for (int k = 0; k < d->n_shape; k++) marks += d->shape[k].contact == c;
      if (marks != 1) fail_msg("%s: contact %d is marked %d times", list[i].name, c, marks);
    }
    free(value);
    ss_state_destroy(s);
    ss_model_destroy(m);
  }
}

static void test_mistakes(void** state)
{
  (void)state;
  static const struct { const char* draw; const char* says; int column; } wrong[] = {
    {"draw: 3\n", "draw must be a mapping", 7},
    {"draw: {}\n", "draw is empty", 7},
    {"draw: {a: 3}\n", "draw.a must be a mapping", 11},
    {"draw: {a: {}}\n", "draw.a has no shape", 11},
    {"draw: {a: {fill: red}}\n", "draw.a has no shape", 11},
    {"draw: {a: {circel: [0, 0, 1]}}\n", "unknown key 'circel' in draw.a; did you mean 'circle'?", 12},
    {"draw: {a: {circle: [0, 0, 1], line: [[0, 0], [1, 1]]}}\n", "has two shapes", 0},
    {"draw: {a: {circle: [0, 0]}}\n", "draw.a must be [x, y, radius]", 20},
    {"draw: {a: {circle: [0, 0, z]}}\n", "unknown name 'z'", 27},
    {"draw: {a: {circle: [0, 0, x']}}\n", "may not depend on rates", 27},
    {"draw: {a: {circle: [0, 0, [1]]}}\n", "must be a single value", 27},
    {"draw: {a: {line: [[0, 0]]}}\n", "at least 2 points", 18},
    {"draw: {a: {line: [[0, 0], 3]}}\n", "a list of points [x, y]", 27},
    {"draw: {a: {line: [[0, 0], [max(x, y), 3]]}}\n", "must be quoted", 27},
    {"draw: {a: {polygon: [[0, 0], [1, 1]]}}\n", "at least 3 points", 21},
    {"draw: {a: {spring: [[0, 0], [1, 1], [2, 2]]}}\n", "2 points", 20},
    {"draw: {a: {text: hello}}\n", "draw.a needs 'at: [x, y]'", 11},
    {"draw: {a: {contact: wall, at: [0, 0], normal: [0, 1]}}\n", "the model has no contact 'wall'", 21},
    {"draw: {a: {contact: floor, at: [0, 0]}}\n", "draw.a needs 'normal: [x, y]'", 11},
    {"draw: {a: {circle: [0, 0, 1], frame: [0, 0]}}\n", "in a frame [x, y, angle]", 38},
    {"draw: {a: {circle: [0, 0, 1], fill: pink}}\n", "'pink' is not a colour", 37},
    {"draw: {a: {circle: [0, 0, 1], stroke: \"#12345\"}}\n", "'#12345' is not a colour", 0},
    {"draw: {a: {circle: [0, 0, 1], width: -1}}\n", "above 0 and at most 100", 38},
    {"draw: {a: {view: [0, 0, 1]}}\n", "[left, bottom, right, top]", 18},
  };
  for (size_t i = 0; i < sizeof wrong/sizeof *wrong; i++) {
    char text[1000] = HEAD;
    ss_error error = {0};
    strcat(text, wrong[i].draw);
    if (parse(text, &error)) fail_msg("accepted: %s", wrong[i].draw);
    if (error.status != SS_ERR_INPUT || !strstr(error.text, wrong[i].says))
      fail_msg("%s\nsays: %s", wrong[i].draw, error.text);
    if (wrong[i].column && (error.line != 5 || error.column != wrong[i].column))
      fail_msg("%s is told at %d:%d", wrong[i].draw, error.line, error.column);
  }
}

// References of YAML could make much of little: there is an end to it.
static void test_too_much(void** state)
{
  (void)state;
  char* text = malloc(400000);
  ss_error error = {0};
  strcpy(text, HEAD "draw:\n  a: {line: &a [");
  for (int i = 0; i < 5000; i++) strcat(text + 100, "[0,0],");
  strcat(text, "[0,0]]}\n");
  for (int i = 0; i < 50; i++) {
    char line[60];
    snprintf(line, sizeof line, "  b%d: {line: *a}\n", i);
    strcat(text, line);
  }
  assert_null(parse(text, &error));
  assert_non_null(strstr(error.text, "more than 10000 points"));
  free(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_numbers),  cmocka_unit_test(test_without),  cmocka_unit_test(test_catalogue),
    cmocka_unit_test(test_mistakes), cmocka_unit_test(test_too_much),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
