// MJCF scenes in the plane are the text models with bodies that they stand for; outlines from drawings; what is
// refused, with file and line.
#include "../integrate/run.h"

static const char* const scene =
  "<mujoco model=\"blocks\">\n"
  "  <compiler angle=\"radian\"/>\n"
  "  <option timestep=\"0.001\" gravity=\"0 0 -9.81\"/>\n"
  "  <stickslip scheme=\"event\"/>\n"
  "  <worldbody>\n"
  "    <geom name=\"floor\" type=\"plane\" friction=\"0.4\"/>\n"
  "    <geom name=\"hill\" type=\"polygon\" open=\"true\" vertex=\"0.5 -0.1  1 0.3  4 0.5\" pos=\"0 0 -0.1\"/>\n"
  "    <body name=\"box\" pos=\"-0.1 0 0.2\" euler=\"0 -0.1 0\">\n"
  "      <joint type=\"slide\" axis=\"1 0 0\"/><joint type=\"slide\" axis=\"0 0 1\"/><joint axis=\"0 -1 0\"/>\n"
  "      <geom type=\"polygon\" vertex=\"0 0  0.2 0  0.2 0.1  0 0.1\" density=\"100\" friction=\"0.3 0 0\"\n"
  "            restitution=\"0.2\"/>\n"
  "    </body>\n"
  "  </worldbody>\n"
  "</mujoco>\n";

static void test_as_text(void** state)
{
  (void)state;
  char text[900];
  double c = cos(0.1), s = sin(0.1);
  snprintf(text, sizeof text,
           "gravity: 9.81\nbodies:\n  floor: {halfplane: [0, 0, 0, 1], mu: 0.4}\n"
           "  hill: {ground: [[0.5, -0.2], [1, 0.2], [4, 0.4]], mu: 1}\n"
           "  box: {polygon: [[0, 0], [0.2, 0], [0.2, 0.1], [0, 0.1]], free: [%.17g, %.17g, 0.1], density: 100,\n"
           "    mu: 0.3, eps_n: 0.2}\nrun: {dt: 1e-3, integrator: event}\n",
           -0.1 + 0.1*c - 0.05*s, 0.2 + 0.1*s + 0.05*c);
  run a = run_parse(scene, 1e-3), b = run_parse(text, 1e-3);
  assert_string_equal(ss_model_name(a.model), "blocks");
  assert_int_equal(ss_model_bodies(a.model), 3);
  assert_true(a.step.integrator == SS_EVENT_DRIVEN);
  run_until(&a, 0.5);
  run_until(&b, 0.5);
  assert_true(a.n > 3);
  assert_int_equal(a.n, b.n);
  for (int i = 0; i < 3; i++) expect_near("q", a.state->q[i], b.state->q[i], 1e-9);
  run_close(&a);
  run_close(&b);
}

// The scene with one word replaced
static void expect_refused(const char* from, const char* to, int line, const char* words)
{
  char text[3000];
  ss_error error = {0};
  const char* at = strstr(scene, from);
  assert_non_null(at);
  snprintf(text, sizeof text, "%.*s%s%s", (int)(at - scene), scene, to, at + strlen(from));
  ss_model* m = ss_model_parse(text, strlen(text), "test.xml", NULL, &error);
  if (m) fail_msg("accepted, but: %s", words);
  if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
  assert_int_equal(error.line, line);
}

static void test_refused(void** state)
{
  (void)state;
  expect_refused("pos=\"-0.1 0 0.2\"", "pos=\"-0.1 0.3 0.2\"", 8, "out of the plane");
  expect_refused("euler=\"0 -0.1 0\"", "euler=\"0.1 0 0\"", 8, "turned out of the plane");
  expect_refused("<joint axis=\"0 -1 0\"/>", "", 8, "slides along x and z, and a hinge");
  expect_refused("<joint axis=\"0 -1 0\"/>", "<joint axis=\"1 0 0\"/>", 9, "not planar");
  expect_refused("<joint axis=\"0 -1 0\"/>", "<joint type=\"free\"/>", 9, "not planar");
  expect_refused("type=\"plane\"", "type=\"capsule\"", 6, "type 'capsule' is not planar");
  expect_refused("friction=\"0.4\"", "condim=\"4\"", 6, "attribute 'condim'");
  expect_refused("<stickslip", "<asset", 4, "<asset> is not for scenes in the plane");
  expect_refused("0.2 0  0.2 0.1", "0.2 0  0.2", 10, "7 numbers are no points");
  expect_refused("0.2 0  0.2 0.1", "0.2 0.1  0.2 0", 10, "crosses itself");
  expect_refused("0 0  0.2 0  0.2 0.1  0 0.1", "0 0  0 0.1  0.2 0.1  0.2 0", 10, "clockwise");
  expect_refused("density=\"100\"", "", 8, "needs a 'mass' or a 'density'");
  expect_refused("gravity=\"0 0 -9.81\"", "gravity=\"0 0 x\"", 3, "needs 3 numbers");
  expect_refused("gravity=\"0 0 -9.81\"/>", "/><option/>", 3, "a second <option>");
  expect_refused("angle=\"radian\"", "angle=\"degre\"", 2, "must be degree or radian");
  expect_refused("open=\"true\"", "open=\"yes\"", 7, "must be false or true");
  expect_refused("timestep=\"0.001\"", "timestep=\"-1\"", 3, "must be positive");
  expect_refused("scheme=\"event\"", "scheme=\"evnt\"", 4, "'evnt', which there is not");
  expect_refused("scheme=\"event\"", "until=\"1}, name: {x\"", 4, "until of stickslip needs 1 number");
  expect_refused("friction=\"0.3 0 0\"", "friction=\"-0.3\"", 10, "must be at least 0");
  expect_refused("restitution=\"0.2\"", "restitution=\"2\"", 11, "must be between 0 and 1");
  expect_refused("name=\"box\"", "name=\"it's &quot;x&quot;\"", 8, "a name of letters, digits and _");
  expect_refused("vertex=\"0.5 -0.1  1 0.3  4 0.5\" pos=\"0 0 -0.1\"", "file=\"missing.csv\"", 7, "missing.csv");
}

// Any text is a name of a model; worlds add up
static void test_texts(void** state)
{
  (void)state;
  ss_error error = {0};
  const char text[] = "<mujoco model=\"it's a &quot;\\n: {&quot; #\"><worldbody><geom type='polygon' open='true' "
                      "vertex='0 0 1 0'/></worldbody><worldbody><body pos='0 0 9'><joint type='slide' axis='1 0 0'/>"
                      "<joint type='slide' axis='0 0 1'/><joint axis='0 -1 0'/><geom size='1' mass='2'/></body>"
                      "</worldbody></mujoco>";
  ss_model* m = ss_model_parse(text, strlen(text), "test.xml", NULL, &error);
  if (!m) fail_msg("%s", error.text);
  assert_string_equal(ss_model_name(m), "it's a \"\\n: {\" #");
  assert_int_equal(ss_model_bodies(m), 2);
  ss_model_destroy(m);
}

// Two geoms of one body are the outline around both: a bar of two squares lands on its corner
static void test_geoms(void** state)
{
  (void)state;
  char text[2][900];
  for (int i = 0; i < 2; i++)
    snprintf(text[i], sizeof text[i],
             "<mujoco><compiler angle='radian'/><stickslip scheme='event'/><worldbody><geom type='plane'/>"
             "<body name='bar' pos='0.3 0 0.4' euler='0 -0.3 0'><joint type='slide' axis='1 0 0'/>"
             "<joint type='slide' axis='0 0 1'/><joint axis='0 -1 0'/>%s</body></worldbody></mujoco>",
             i ? "<geom type='polygon' vertex='0 0 0.2 0 0.2 0.1 0 0.1' density='100' restitution='0.5'/>"
               : "<geom type='polygon' vertex='0 0 0.1 0 0.1 0.1 0 0.1' density='100' restitution='0.5'/>"
                 "<geom type='polygon' vertex='0 0 0.1 0 0.1 0.1 0 0.1' pos='0.1 0 0' mass='1' restitution='0.5'/>");
  run a = run_parse(text[0], 1e-3), b = run_parse(text[1], 1e-3);
  assert_int_equal(ss_model_bodies(a.model), 3);
  run_until(&a, 0.35);
  run_until(&b, 0.35);
  assert_true(a.n >= 1 && a.n == b.n);
  for (int i = 0; i < 3; i++) {
    expect_near("q", a.state->q[i], b.state->q[i], 1e-11);
    expect_near("u", a.state->u[i], b.state->u[i], 1e-10);
  }
  run_close(&a);
  run_close(&b);
}

// ---- drawings ------------------------------------------------------------------------------------------------------

#define HEAD "0\nSECTION\n2\nHEADER\n9\n$ACADVER\n1\nAC1015\n0\nENDSEC\n0\nSECTION\n2\nENTITIES\n"
#define END "0\nENDSEC\n0\nEOF\n"

// A model with the outline of a file, or NULL and the error
static ss_model* load(const char* name, const char* content, ss_error* error)
{
  char folder[] = "/tmp/stickslip-XXXXXX", file[80], yaml[80];
  assert_non_null(mkdtemp(folder));
  snprintf(file, sizeof file, "%s/%s", folder, name);
  snprintf(yaml, sizeof yaml, "%s/m.yaml", folder);
  FILE* f = fopen(file, "w");
  fputs(content, f);
  fclose(f);
  f = fopen(yaml, "w");
  if (strncmp(name, "ground", 6) == 0)
    fprintf(f, "bodies: {g: {ground: %s}, b: {circle: [0, 0, 1], free: [9, 9, 0], mass: 1}}\n", name);
  else fprintf(f, "bodies: {rock: {polygon: %s, free: [5, 6, 0], density: 3}}\n", name);
  fclose(f);
  ss_model* m = ss_model_load(yaml, NULL, error);
  remove(file);
  remove(yaml);
  remove(folder);
  return m;
}

static void test_drawings(void** state)
{
  (void)state;
  static const char* const drawing[] = {
    HEAD "0\nLWPOLYLINE\n8\n0\n90\n4\n70\n1\n10\n0\n20\n0\n10\n2\n20\n0\n10\n2\n20\n1\n10\n0\n20\n1\n" END,
    HEAD "0\nLWPOLYLINE\n70\n1\n10\n0\n20\n0\n42\n0\n10\n0\n20\n1\n10\n2\n20\n1\n10\n2\n20\n0\n" END,  // clockwise
    HEAD "0\nPOLYLINE\n66\n1\n10\n0.0\n20\n0.0\n70\n1\n0\nVERTEX\n8\n0\n10\n0\n20\n0\n0\nVERTEX\n10\n2\n20\n0\n"
         "0\nVERTEX\n10\n2\n20\n1\n0\nVERTEX\n10\n0\n20\n1\n0\nSEQEND\n" END,
    HEAD "0\nLINE\n10\n0\n20\n0\n11\n2\n21\n0\n0\nLINE\n10\n2\n20\n0\n11\n2\n21\n1\n"
         "  0\r\nLINE\r\n 10\r\n2\r\n20\n1\n11\n0\n21\n1\n0\nLINE\n10\n0\n20\n1\n11\n0\n21\n0\n" END,
  };
  for (size_t i = 0; i < sizeof drawing/sizeof *drawing; i++) {
    ss_error error = {0};
    ss_model* m = load("rock.dxf", drawing[i], &error);
    if (!m) fail_msg("drawing %zu: %s", i, error.text);
    ss_body_info b = ss_model_body(m, 0);
    assert_int_equal(b.points, 4);
    expect_near("mass", b.mass, 6, 1e-14);
    ss_model_destroy(m);
  }
}

static void expect_bad(const char* name, const char* content, const char* words)
{
  ss_error error = {0};
  ss_model* m = load(name, content, &error);
  if (m) fail_msg("accepted, but: %s", words);
  if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
}

static void test_bad_files(void** state)
{
  (void)state;
  expect_bad("a.dxf", HEAD "0\nLWPOLYLINE\n10\n0\n20\nzero\n" END, "line 20 of");
  expect_bad("a.dxf", HEAD "0\nARC\n10\n0\n20\n0\n" END, "not of 'ARC'");
  expect_bad("a.dxf", HEAD "0\nLWPOLYLINE\n10\n0\n20\n0\n42\n0.5\n" END, "arcs (bulge) are not read");
  expect_bad("a.dxf", HEAD "0\nLINE\n10\n0\n20\n0\n11\n1\n21\n0\n0\nLINE\n10\n2\n20\n0\n11\n1\n21\n1\n" END,
             "line 34 of");
  expect_bad("a.dxf", HEAD "0\nLWPOLYLINE\n10\n0\n20\n0\n0\nLWPOLYLINE\n10\n1\n20\n1\n" END, "another outline");
  expect_bad("a.dxf", HEAD "0\nLWPOLYLINE\n10", "a value is missing");
  expect_bad("a.dxf", "hello\n", "not a group code");
  expect_bad("a.dxf", HEAD END, "no points");
  expect_bad("a.csv", "0, 0\n1, 0\n1 x\n", "line 3 of");
  expect_bad("a.csv", "", "no points");
  static const char* const bad_lines[] = {"0-1", "0,,1", "0x1, 0", "nan, 0", "1, inf", "1;;2", "1,", "1 2 3"};
  for (size_t i = 0; i < sizeof bad_lines/sizeof *bad_lines; i++) {
    char text[80];
    snprintf(text, sizeof text, "0, 0\n%s\n1 1\n", bad_lines[i]);
    expect_bad("a.csv", text, "line 2 of");
  }
  expect_bad("a.dxf", HEAD "0\nLWPOLYLINE\n10\n0\n20\n0\n10\n1\n20\n0\n10\n1\n20\n1\n230\n-1\n" END, "another plane");
  expect_bad("ground.dxf", HEAD "0\nLWPOLYLINE\n70\n1\n10\n0\n20\n0\n10\n1\n20\n0\n10\n1\n20\n1\n" END,
             "a ground is open");
  ss_error error = {0};
  ss_model* m = load("a.csv", "\xEF\xBB\xBF" "0; 0\n1 ,0 # right\n1\t1\n", &error);  // with the mark of UTF-8
  if (!m) fail_msg("%s", error.text);
  expect_near("mass", ss_model_body(m, 0).mass, 1.5, 1e-15);
  ss_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_text), cmocka_unit_test(test_refused),
                                     cmocka_unit_test(test_texts), cmocka_unit_test(test_geoms),
                                     cmocka_unit_test(test_drawings), cmocka_unit_test(test_bad_files)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
