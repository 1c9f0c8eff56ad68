// Expressions: parsing, folding, exact derivatives against Richardson-extrapolated differences.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "system/expr.h"
#include "system/tape.h"

// x, y are the coordinates; a = 2 is a parameter
static bool look_up(void* scope, const char* name, size_t length, bool prime, ss_expr* e, ss_error* error)
{
  ss_graph* g = scope;
  int i = *name == 'y';
  if (length == 1 && *name == 'a' && !prime) *e = ss_expr_const(g, 2);
  else if (length == 1 && *name == 't') *e = ss_expr_t(g);
  else if (length == 1 && (*name == 'x' || *name == 'y')) *e = prime ? ss_expr_u(g, i) : ss_expr_q(g, i);
  else {
    ss_error_set(error, SS_ERR_INPUT, "unknown name '%.*s'", (int)length, name);
    return false;
  }
  return true;
}

static ss_expr parse(ss_graph* g, const char* text)
{
  ss_error error = {0};
  ss_expr e = ss_expr_parse(g, text, strlen(text), look_up, g, NULL, &error);
  if (e < 0) fail_msg("'%s': %s", text, error.text);
  return e;
}

static double evaluate(ss_graph* g, ss_expr e, const double* q, const double* u, double t)
{
  static double r[10000];
  ss_tape tape;
  ss_tape_segment segment = {1, &e};
  assert_true(ss_tape_compile(&tape, g, 1, &segment));
  assert_true(tape.n_register < 10000);
  double out;
  ss_tape_load(&tape, r, true, q, u, t);
  ss_tape_run(&tape, r, 0);
  ss_tape_get(&tape, r, 0, 0, 1, &out);
  ss_tape_free(&tape);
  return out;
}

static void expect(const char* text, double value)
{
  ss_graph g;
  assert_true(ss_graph_init(&g, 2));
  const double q[] = {0.7, -1.3}, u[] = {0.4, 2.5};
  double v = evaluate(&g, parse(&g, text), q, u, 0.9);
  if (fabs(v - value) > 4e-16*fmax(1, fabs(value))) fail_msg("%s = %.17g, expected %.17g", text, v, value);
  ss_graph_free(&g);
}

static void test_values(void** state)
{
  (void)state;
  double x = 0.7, y = -1.3;
  expect("1 + 2*3", 7);
  expect("-2^2", -4);
  expect("2^-1", 0.5);
  expect("2^3^2", 512);
  expect("8/4/2", 1);
  expect("1 - 2 - 3", -4);
  expect("+x - -y", x + y);
  expect(".5e1", 5);
  expect("x*y'", x*2.5);
  expect("a*x' + t", 2*0.4 + 0.9);
  expect("sin(x)*cos(y) + tan(x)", sin(x)*cos(y) + tan(x));
  expect("atan2(y, x) + hypot(x, y)", atan2(y, x) + hypot(x, y));
  expect("exp(x) + log(x) + sqrt(x)", exp(x) + log(x) + sqrt(x));
  expect("asin(x) + acos(x) + atan(x)", asin(x) + acos(x) + atan(x));
  expect("sinh(x) + cosh(x) + tanh(x)", sinh(x) + cosh(x) + tanh(x));
  expect("min(x, y) + 10*max(x, y)", y + 10*x);
  expect("abs(y) + sign(y)", 1.3 - 1);
  expect("if(x < y, 1, 2) + if(x >= y, 10, 20)", 12);
  expect("x^4", x*x*x*x);
  expect("x^-2", 1/(x*x));
  expect("x^2.5", pow(x, 2.5));
  expect("pi", 3.14159265358979323846);
}

static void expect_error(const char* text, const char* message, size_t at)
{
  ss_graph g;
  ss_error error = {0};
  size_t offset = 999;
  assert_true(ss_graph_init(&g, 2));
  assert_true(ss_expr_parse(&g, text, strlen(text), look_up, &g, &offset, &error) < 0);
  if (!strstr(error.text, message)) fail_msg("'%s' gives '%s', expected '%s'", text, error.text, message);
  assert_int_equal(offset, at);
  ss_graph_free(&g);
}

static void test_errors(void** state)
{
  (void)state;
  expect_error("", "ends where a value is expected", 0);
  expect_error("1 +", "ends where a value is expected", 3);
  expect_error("2x", "a product is written with *", 1);
  expect_error("(x", "expected ')'", 2);
  expect_error("x)", "no '(' before it", 1);
  expect_error("x**2", "a power is written with ^", 1);
  expect_error("x y", "expected an operator", 2);
  expect_error("foo(x)", "there is no function 'foo'", 0);
  expect_error("x + zz", "unknown name 'zz'", 4);
  expect_error("sin(x, y)", "takes 1 argument, not 2", 0);
  expect_error("if(x)", "takes 3 arguments, not 1", 0);
  expect_error("x''", "second derivatives", 0);
  expect_error("x = 2", "'=' cannot be used", 2);
  expect_error("x $ 2", "unexpected '$'", 2);
  expect_error("1e999", "too large", 0);
  char deep[1000];
  memset(deep, '(', sizeof deep - 1);
  deep[sizeof deep - 1] = 0;
  expect_error(deep, "nested too deeply", 200);
}

// Richardson-extrapolated central difference of e in variable `at` of v = (q, u, t): error of order h^6
static double difference(ss_graph* g, ss_expr e, double v[5], int at)
{
  double d[3], h = 0.02, keep = v[at];
  for (int k = 0; k < 3; k++, h /= 2) {
    v[at] = keep + h;
    double plus = evaluate(g, e, v, v + 2, v[4]);
    v[at] = keep - h;
    d[k] = (plus - evaluate(g, e, v, v + 2, v[4]))/(2*h);
    v[at] = keep;
  }
  double r1 = (4*d[1] - d[0])/3, r2 = (4*d[2] - d[1])/3;
  return (16*r2 - r1)/15;
}

static void test_derivatives(void** state)
{
  (void)state;
  const char* const texts[] = {
    "sin(x*y) + cos(x - y)^3", "tan(x/3)*exp(-y*t)", "x^y'*log(2 + x*x)", "sqrt(4 + x*y')*atan(y + t)",
    "asin(x/3) - acos(y/4)", "sinh(x)*cosh(y) + tanh(x*y)", "atan2(y*t, x) + hypot(x, y')", "(x + y)/(3 + x*x')",
    "if(x < y, x^3, y^3)*abs(y) + min(x*y, t)*max(x', y')", "x'^2*(2 + sin(y)) + x'*y'*cos(x) + t*y'", "(2 + x)^(y*t)",
    "sign(y)*x^5 - 1/x^3", "abs(x - 2*y)^1.5"};
  for (size_t i = 0; i < sizeof texts/sizeof *texts; i++) {
    ss_graph g;
    assert_true(ss_graph_init(&g, 2));
    ss_expr e = parse(&g, texts[i]);
    double v[5] = {0.7, -1.3, 0.4, 2.5, 0.9};
    for (int k = 0; k < 5; k++) {
      ss_expr d = k < 2 ? ss_expr_dq(&g, e, k) : k < 4 ? ss_expr_du(&g, e, k - 2) : ss_expr_dt(&g, e);
      double exact = evaluate(&g, d, v, v + 2, v[4]), approx = difference(&g, e, v, k);
      if (fabs(exact - approx) > 2e-8*fmax(1, fabs(exact)))
        fail_msg("derivative %d of %s: %.12g, by differences %.12g", k, texts[i], exact, approx);
    }
    ss_graph_free(&g);
  }
}

// Folding: what is constant or zero is known to be so, since the reader relies on it
static void test_folding(void** state)
{
  (void)state;
  ss_graph g;
  assert_true(ss_graph_init(&g, 2));
  assert_true(ss_expr_is_zero(&g, parse(&g, "x*y - y*x")));
  assert_true(ss_expr_is_zero(&g, parse(&g, "0*sin(x)")));
  assert_true(ss_expr_is_const(&g, parse(&g, "a^2 + sin(0)"), NULL));
  assert_int_equal(parse(&g, "x + y"), parse(&g, "y + x"));
  ss_expr T = parse(&g, "a/2*(x' + 3*y'*cos(x))^2");
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      assert_false(ss_expr_depends(&g, ss_expr_du(&g, ss_expr_du(&g, T, i), j)) & SS_DEPENDS_U);
  assert_true(ss_expr_is_zero(&g, ss_expr_at_rest(&g, T)));
  assert_int_equal(ss_expr_depends(&g, parse(&g, "x*x' + t")), SS_DEPENDS_Q | SS_DEPENDS_U | SS_DEPENDS_T);
  ss_graph_free(&g);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_values), cmocka_unit_test(test_errors),
                                     cmocka_unit_test(test_derivatives), cmocka_unit_test(test_folding)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
