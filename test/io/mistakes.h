// For tests: texts that are no problem files, with the place and a part of the message that each must give.
#ifndef TEST_IO_MISTAKES_H
#define TEST_IO_MISTAKES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <stickslip/problem.h>

typedef struct mistake {
  const char* text;
  int line, column;
  const char* says;  // part of the message
} mistake;

static inline ss_problem* parse(const char* text, ss_error* error)
{
  return ss_problem_parse(text, strlen(text), "p.json", error);
}

static inline void expect_mistakes(const mistake* mistakes, size_t count)
{
  for (size_t k = 0; k < count; k++) {
    const mistake* m = &mistakes[k];
    ss_error e;
    if (parse(m->text, &e)) fail_msg("accepted: %s", m->text);
    if (e.status != SS_ERR_INPUT || !strstr(e.text, m->says)) fail_msg("%s\nsays: %s", m->text, e.text);
    if (e.line != m->line || e.column != m->column) fail_msg("%s\nplace %d:%d: %s", m->text, e.line, e.column, e.text);
    assert_string_equal(e.file, "p.json");
    assert_null(parse(m->text, NULL));
  }
}

#endif
