// The parser of expressions: recursive descent, one function per level of precedence.
//   compare := sum [("<" | "<=" | ">" | ">=") sum]
//   sum     := product {("+" | "-") product}
//   product := signed {("*" | "/") signed}
//   signed  := ("-" | "+") signed | power
//   power   := atom ["^" signed]                      so that -x^2 = -(x^2) and 2^-x is fine
//   atom    := number | name ["'"] | function "(" compare {"," compare} ")" | "(" compare ")"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "system/expr.h"

#define MAX_DEPTH 200  // nested parentheses and signs

typedef struct parser {
  ss_graph* graph;
  const char* text;
  size_t length, at;
  size_t wrong_at;
  int depth;
  ss_expr_lookup lookup;
  void* scope;
  ss_error* error;
} parser;

static ss_expr parse_compare(parser* p);

static ss_expr fail(parser* p, size_t at, const char* what)
{
  ss_error_set(p->error, SS_ERR_INPUT, "%s", what);
  p->wrong_at = at;
  return -1;
}

static void skip_space(parser* p)
{
  while (p->at < p->length && isspace((unsigned char)p->text[p->at])) p->at++;
}

static int peek(parser* p)
{
  skip_space(p);
  return p->at < p->length ? (unsigned char)p->text[p->at] : 0;
}

static bool accept(parser* p, char c)
{
  if (peek(p) != c) return false;
  p->at++;
  return true;
}

static bool is_name_start(int c) { return isalpha(c) || c == '_' || c >= 0x80; }
static bool is_name_part(int c) { return isalnum(c) || c == '_' || c >= 0x80; }

static size_t name_length(const parser* p)
{
  size_t end = p->at;
  while (end < p->length && is_name_part((unsigned char)p->text[end])) end++;
  return end - p->at;
}

static ss_expr parse_number(parser* p)
{
  char digits[65];
  size_t start = p->at, n = p->length - start < sizeof digits - 1 ? p->length - start : sizeof digits - 1;
  memcpy(digits, p->text + start, n);
  digits[n] = 0;
  const char* end;
  double value = ss_parse_number(digits, &end);
  if (end == digits) return fail(p, start, "expected a number");
  if (end - digits >= 63) return fail(p, start, "this number is too long");
  if (!isfinite(value)) return fail(p, start, "this number is too large");
  p->at += (size_t)(end - digits);
  if (p->at < p->length && is_name_start((unsigned char)p->text[p->at]))
    return fail(p, p->at, "expected an operator here; a product is written with *, as in 2*x");
  return ss_expr_const(p->graph, value);
}

static ss_expr parse_call(parser* p, size_t name_at, size_t length)
{
  char what[320];
  ss_op op = ss_op_find(p->text + name_at, length);
  if (op == SS_OP_COUNT) {
    int used = snprintf(what, sizeof what, "there is no function '%.*s'; there are",
                        (int)(length < 80 ? length : 80), p->text + name_at);
    for (int i = SS_OP_SIN; i < SS_OP_COUNT; i++)
      used += snprintf(what + used, sizeof what - (size_t)used, "%s %s", i > SS_OP_SIN ? "," : "",
                       ss_op_text((ss_op)i));
    return fail(p, name_at, what);
  }
  ss_expr arg[3] = {0, 0, 0};
  int n = 0, wanted = ss_op_operands(op);
  p->at++;  // the parenthesis
  do {
    ss_expr e = parse_compare(p);
    if (e < 0) return -1;
    if (n < 3) arg[n] = e;
    n++;
  } while (accept(p, ','));
  if (!accept(p, ')')) return fail(p, p->at, "expected ')'");
  if (n != wanted) {
    snprintf(what, sizeof what, "%.*s takes %d argument%s, not %d", (int)length, p->text + name_at, wanted,
             wanted == 1 ? "" : "s", n);
    return fail(p, name_at, what);
  }
  return ss_expr_make(p->graph, op, arg[0], arg[1], arg[2]);
}

static ss_expr parse_name(parser* p)
{
  size_t at = p->at, length = name_length(p);
  p->at += length;
  if (peek(p) == '(') return parse_call(p, at, length);
  bool prime = p->at < p->length && p->text[p->at] == '\'';
  if (prime) p->at++;
  if (prime && p->at < p->length && p->text[p->at] == '\'')
    return fail(p, at, "second derivatives cannot be used in an expression");
  ss_expr e = -1;
  if (!prime && length == 2 && memcmp(p->text + at, "pi", 2) == 0) return ss_expr_const(p->graph, acos(-1.0));
  if (!p->lookup(p->scope, p->text + at, length, prime, &e, p->error)) {
    p->wrong_at = at;
    return -1;
  }
  return e;
}

static ss_expr parse_atom(parser* p)
{
  int c = peek(p);
  if (isdigit(c) || c == '.') return parse_number(p);
  if (is_name_start(c)) return parse_name(p);
  if (c == '(') {
    p->at++;
    ss_expr e = parse_compare(p);
    if (e >= 0 && !accept(p, ')')) return fail(p, p->at, "expected ')'");
    return e;
  }
  return fail(p, p->at, c ? "expected a number, a name or '('" : "the expression ends where a value is expected");
}

static ss_expr parse_signed(parser* p);

static ss_expr parse_power(parser* p)
{
  ss_expr base = parse_atom(p);
  if (base < 0 || peek(p) != '^') return base;
  p->at++;
  return ss_expr_make(p->graph, SS_OP_POW, base, parse_signed(p), 0);
}

static ss_expr parse_signed(parser* p)
{
  if (p->depth >= MAX_DEPTH) return fail(p, p->at, "the expression is nested too deeply");
  p->depth++;
  ss_expr e;
  if (accept(p, '-')) e = ss_expr_make(p->graph, SS_OP_NEG, parse_signed(p), 0, 0);
  else if (accept(p, '+')) e = parse_signed(p);
  else e = parse_power(p);
  p->depth--;
  return e;
}

static ss_expr parse_product(parser* p)
{
  ss_expr left = parse_signed(p);
  while (left >= 0 && (peek(p) == '*' || peek(p) == '/')) {
    ss_op op = p->text[p->at++] == '*' ? SS_OP_MUL : SS_OP_DIV;
    if (op == SS_OP_MUL && p->at < p->length && p->text[p->at] == '*')
      return fail(p, p->at - 1, "a power is written with ^, as in x^2");
    left = ss_expr_make(p->graph, op, left, parse_signed(p), 0);
  }
  return left;
}

static ss_expr parse_sum(parser* p)
{
  ss_expr left = parse_product(p);
  while (left >= 0 && (peek(p) == '+' || peek(p) == '-')) {
    ss_op op = p->text[p->at++] == '+' ? SS_OP_ADD : SS_OP_SUB;
    left = ss_expr_make(p->graph, op, left, parse_product(p), 0);
  }
  return left;
}

static ss_expr parse_compare(parser* p)
{
  ss_expr left = parse_sum(p);
  if (left < 0 || (peek(p) != '<' && peek(p) != '>')) return left;
  bool less = p->text[p->at++] == '<';
  ss_op op = p->at < p->length && p->text[p->at] == '=' ? SS_OP_LE : SS_OP_LT;
  if (op == SS_OP_LE) p->at++;
  ss_expr right = parse_sum(p);
  return less ? ss_expr_make(p->graph, op, left, right, 0) : ss_expr_make(p->graph, op, right, left, 0);
}

ss_expr ss_expr_parse(ss_graph* graph, const char* text, size_t length, ss_expr_lookup lookup, void* scope,
                      size_t* offset, ss_error* error)
{
  ss_error local = {0};
  parser p = {.graph = graph, .text = text, .length = length, .lookup = lookup, .scope = scope, .error = &local};
  ss_expr e = parse_compare(&p);
  if (e >= 0 && peek(&p)) {
    char what[96];
    int c = peek(&p);
    if (c == ')') snprintf(what, sizeof what, "this ')' has no '(' before it");
    else if (c == '=') snprintf(what, sizeof what, "'=' cannot be used in an expression");
    else if (is_name_start(c) || isdigit(c) || c == '(') snprintf(what, sizeof what, "expected an operator here");
    else if (c >= 0x20 && c < 0x7f) snprintf(what, sizeof what, "unexpected '%c'", c);
    else snprintf(what, sizeof what, "unexpected byte 0x%02x", c);
    e = fail(&p, p.at, what);
  }
  if (e < 0) {
    if (local.status == SS_OK) ss_error_set(&local, SS_ERR_MEMORY, "the expressions are too large, or memory is short");
    if (error) *error = local;
    if (offset) *offset = p.wrong_at;
  }
  return e;
}
