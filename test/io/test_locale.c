// A program with a decimal comma reads and writes the same numbers: every reader gives the same in such a locale as in
// C. The locale is made for the test, in a folder of its own.
#include "base/number.h"
#include "io/folder.h"
#include "io/mjcf_planar.h"
#include "io/outline_file.h"
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stickslip/stickslip.h>
#include <stickslip/table.h>
#include <cmocka.h>

static folder files;
static char texts[2][16][2048];  // what the readers say: in C, with a comma
static int n_texts[2];

static void say(int turn, const char* format, ...)
{
  va_list args;
  va_start(args, format);
  ss_vprint(texts[turn][n_texts[turn]++], sizeof texts[0][0], format, args);
  va_end(args);
}

static void read_table(int turn)
{
  ss_error error = {0};
  ss_number_table* t = ss_table_load(in_folder(&files, "table.csv"), &error);
  say(turn, "%ld %g %g %s", t ? t->n_rows : -1, t ? t->value[0] : NAN, t ? t->value[3] : NAN, error.text);
  ss_table_destroy(t);
}

static void read_outline(int turn, const char* name)
{
  ss_error error = {0};
  ss_points p = {0};
  ss_status st = ss_outline_read(in_folder(&files, name), true, &p, &error);
  say(turn, "%d %d %g %g %s", st, p.n, p.n ? p.list[0].x : 0, p.n ? p.list[p.n - 1].y : 0, error.text);
  free(p.list);
}

static void read_planar(int turn)
{
  static const char text[] =
    "<mujoco><worldbody><body name=\"a\" pos=\"0.25 0 1.5\"><joint type=\"slide\" axis=\"1 0 0\"/>"
    "<joint type=\"slide\" axis=\"0 0 1\"/><joint type=\"hinge\" axis=\"0 1 0\"/>"
    "<geom type=\"polygon\" vertex=\"-0.5 -0.5 0.5 -0.5 0.5 0.5 -0.5 0.5\" mass=\"1.5\"/></body></worldbody></mujoco>";
  ss_error error = {0};
  char* model = ss_mjcf_planar(text, strlen(text), "a.xml", &error);
  say(turn, "%s%s", model ? model : "", error.text);
  free(model);
}

static void read_model(int turn, const char* mass)
{
  char text[512];
  ss_error error = {0};
  snprintf(text, sizeof text,
           "name: a\nparameters: {m: %s, g: 9.81}\ncoordinates: {y: m}\nkinetic: m/2*y'^2\n"
           "potential: m*g*y + 0.125*y^2\ncontacts:\n  floor: {gap: y - 0.5, mu: -0.25}\n"
           "initial: {y: 0.75}\nrun: {dt: 1.5e-3, until: 0.5}\n",
           mass);
  ss_model* model = ss_model_parse(text, strlen(text), "a.yaml", NULL, &error);
  say(turn, "%g %s", model ? ss_model_run(model)->step.dt : -1, error.text);
  ss_model_destroy(model);
}

static void read_problem(int turn)
{
  ss_error error = {0};
  ss_problem* p = ss_problem_load(in_folder(&files, "problem.json"), &error);
  say(turn, "%g %s", p ? p->lcp.b[0] : -1, error.text);
  if (p) assert_int_equal(ss_problem_save(p, in_folder(&files, "saved.json"), &error), SS_OK);
  keep_name(&files, "saved.json");
  FILE* f = fopen(in_folder(&files, "saved.json"), "r");
  char line[1024] = "";
  size_t n = f ? fread(line, 1, sizeof line - 1, f) : 0;
  line[n] = 0;
  if (f) fclose(f);
  say(turn, "%s", line);
  ss_problem_destroy(p);
}

static void read_everything(int turn)
{
  read_table(turn);
  read_outline(turn, "outline.csv");
  read_outline(turn, "outline.dxf");
  read_planar(turn);
  read_model(turn, "1.5");
  read_model(turn, "1,5");
  read_problem(turn);
  ss_error error = {0};
  ss_error_set(&error, SS_ERR_INPUT, "%g", 0.5);
  say(turn, "%s", error.text);
}

static bool take_comma(void)
{
  char command[256];
  snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 2> /dev/null", files.path);
  bool made = system(command) == 0;
  setenv("LOCPATH", files.path, 1);
  return made && setlocale(LC_ALL, "de_DE.UTF-8") && localeconv()->decimal_point[0] == ',';
}

static void test_readers(void** state)
{
  (void)state;
  write_text(&files, "table.csv", "a,b\n0.5,1.25\n2.5e-1,nan\n");
  write_text(&files, "outline.csv", "0.5, 0\n1.25 0.5\n 0.25;1.5\n");
  write_text(&files, "outline.dxf",
             "0\nSECTION\n2\nENTITIES\n0\nLWPOLYLINE\n90\n3\n70\n1\n10\n 0.5\n20\n0\n10\n1.25\n"
             "20\n0.5\n10\n0.25\n20\n1.5\n0\nENDSEC\n0\nEOF\n");
  write_text(&files, "problem.json", "{\"type\": \"lcp\", \"n\": 1, \"A\": [[2.5]], \"b\": [-1.25]}");
  read_everything(0);
  if (!take_comma()) {
    print_message("a locale with a decimal comma cannot be made here (localedef): not tested\n");
    skip();
  }
  read_everything(1);
  setlocale(LC_ALL, "C");
  assert_int_equal(n_texts[0], n_texts[1]);
  for (int i = 0; i < n_texts[0]; i++) assert_string_equal(texts[0][i], texts[1][i]);
  assert_string_equal(texts[1][0], "2 0.5 nan ");
}

static int open_files(void** state)
{
  (void)state;
  files = open_folder();
  return 0;
}

static int close_files(void** state)
{
  (void)state;
  char command[256];
  snprintf(command, sizeof command, "rm -rf %s/de_DE.UTF-8", files.path);
  int removed = system(command);
  close_folder(&files);
  return removed;
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_readers)};
  return cmocka_run_group_tests(tests, open_files, close_files);
}
