// The model reader: what it accepts, and what it says of everything else.
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

#define HEAD "coordinates: [x, y]\nkinetic: x'^2 + y'^2\n"  // two lines of a good model

typedef struct broken {
  const char* text;
  const char* message;  // part of what must be said
  int line, column;     // 0: not checked
} broken;

static const broken broken_models[] = {
  // YAML
  {"", "the file is empty", 0, 0},
  {"# only a comment\n", "the file is empty", 0, 0},
  {"just text", "the model must be a mapping", 1, 1},
  {"- a\n- b\n", "the model must be a mapping", 1, 1},
  {"coordinates: [x\n", "not valid YAML", 0, 0},
  {"coordinates: [x]\n\tkinetic: x'^2\n", "indented by a tab", 2, 0},
  {"coordinates: [x]\nkinetic: \"x'^2\n", "not valid YAML", 0, 0},
  {"coordinates: [x]\nkinetic: x'^2\n---\na: b\n", "this is a second one", 4, 1},
  {"kinetic: *nobody\n", "not valid YAML", 1, 0},
  {"coordinates: [x]\nkinetic: x'^2\xff\n", "not valid YAML", 0, 0},
  {"a: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
   "nested more than 100 deep", 1, 0},
  // keys
  {HEAD "potental: x\n", "unknown key 'potental' in the model; did you mean 'potential'?", 3, 1},
  {HEAD "zzz: x\n", "known are: name, description", 3, 1},
  {HEAD "kinetic: 1\n", "'kinetic' stands twice", 3, 1},
  {HEAD "[a, b]: 1\n", "must be a name", 3, 0},
  {"kinetic: x'^2\n", "the model has no 'coordinates'", 1, 1},
  {"coordinates: [x]\n", "the model has no 'kinetic' energy", 1, 1},
  {HEAD "name: [a]\n", "name must be a single value", 3, 7},
  // coordinates
  {"coordinates: x\nkinetic: x'^2\n", "coordinates must be a list of names", 1, 14},
  {"coordinates: []\nkinetic: x'^2\n", "coordinates must be a list of names", 1, 14},
  {"coordinates: [x, x]\nkinetic: x'^2\n", "'x' is defined twice", 1, 18},
  {"coordinates: [2x]\nkinetic: 1\n", "'2x' is not a name for a coordinate", 1, 15},
  {"coordinates: [t]\nkinetic: 1\n", "'t' is reserved", 1, 15},
  {"coordinates: [sin]\nkinetic: 1\n", "'sin' is reserved", 1, 15},
  {"coordinates: [[x]]\nkinetic: 1\n", "a coordinate must be a name", 1, 15},
  {"coordinates: {x: [m]}\nkinetic: 1\n", "the unit of a coordinate must be a text", 1, 18},
  // parameters and definitions
  {"parameters: [a]\n" HEAD, "parameters must be a mapping", 1, 13},
  {"parameters: {x: 1}\n" HEAD, "'x' is defined twice", 1, 14},
  {"parameters: {a: b, b: 1}\n" HEAD, "'b' is used before it is defined", 1, 17},
  {"parameters: {a: x}\n" HEAD, "parameter 'a' may not depend on coordinates", 1, 17},
  {"parameters: {a: t}\n" HEAD, "parameter 'a' may not depend on t", 1, 17},
  {"parameters: {a: 1/0}\n" HEAD, "parameter 'a' is not a finite number", 1, 17},
  {"parameters: {a: sqrt(-1)}\n" HEAD, "parameter 'a' is not a finite number", 1, 17},
  {"parameters: {a: }\n" HEAD, "parameter 'a' is empty", 1, 0},
  {"parameters: {a: .nan}\n" HEAD, "expected a number", 1, 17},
  {"parameters:\n  mass: 1\n" HEAD "potential: mas*x\n", "unknown name 'mas'; did you mean 'mass'?", 5, 12},
  {"definitions: {a: x', b: a'}\n" HEAD, "would contain accelerations", 1, 25},
  {"parameters: {k: 1}\n" HEAD "potential: k'*x\n", "'k' is a parameter and has no rate", 4, 12},
  {"definitions: {y: x}\n" HEAD, "'y' is defined twice", 1, 15},
  // expressions
  {HEAD "potential: 3x\n", "a product is written with *", 3, 13},
  {HEAD "potential: x**2\n", "a power is written with ^", 3, 13},
  {HEAD "potential: (x + 1\n", "expected ')'", 3, 18},
  {HEAD "potential: \"x + + * y\"\n", "expected a number, a name or '('", 3, 19},
  {HEAD "potential: sine(x)\n", "there is no function 'sine'; there are sin, cos, tan, asin,", 3, 12},
  {HEAD "potential: x\nforces: {x: -xdot}\n", "unknown name 'xdot'; the rate of x is written x'", 4, 14},
  {HEAD "potential: x\nforces: {x: -x_dot - dy}\n", "the rate of x is written x'", 4, 14},
  {HEAD "potential: x\nforces: {x: -dydt}\n", "the rate of y is written y'", 4, 14},
  {HEAD "potential: x'*y\n", "potential may not depend on rates", 3, 12},
  {HEAD "potential: {a: 1}\n", "potential must be a single value", 3, 12},
  {"coordinates: [φ]\nkinetic: φ'^2\npotential: φ + ψ\n", "unknown name 'ψ'", 3, 16},
  // kinetic energy
  {"coordinates: [x]\nkinetic: x'^4\n", "not a quadratic function of the rates", 2, 10},
  {"coordinates: [x]\nkinetic: abs(x')*x'\n", "not a quadratic function of the rates", 2, 10},
  {"coordinates: [x, y]\nkinetic: x'^2\n", "y' has no kinetic energy", 2, 10},
  {"coordinates: [x, y]\nkinetic: (x' + 2*y')^2\n",
   "singular at the initial state: the motion x' : y' = -2 : 1 has no kinetic energy", 2, 10},
  {"coordinates: [x, y, z]\nkinetic: x'^2 + (y' - z')^2\n", "the motion y' : z' = 1 : 1 has no", 2, 10},
  {"coordinates: [x, y, z]\nkinetic: x'^2 + y'^2\n", "initial state: z' has no kinetic energy", 2, 10},
  {"coordinates: [x]\nkinetic: -x'^2\n", "x' has negative kinetic energy", 2, 10},
  {"coordinates: [x]\nkinetic: x^2*x'^2\n", "x' has no kinetic energy", 2, 10},
  {"coordinates: [x]\nkinetic: x'^2/x\n", "the initial state", 2, 10},
  {"coordinates: [x]\nkinetic: x'^2\npotential: log(x)\n", "potential energy is not a finite number", 3, 12},
  {"coordinates: [x]\nkinetic: x'^2\npotential: sqrt(x)\n", "the force on 'x' is not a finite number", 3, 12},
  {"coordinates: [x]\nkinetic: x'^2\nforces: {x: 1/x}\n", "the force on 'x' is not a finite number", 3, 9},
  // forces
  {HEAD "forces: {z: 1}\n", "'z' is not a coordinate", 3, 10},
  {HEAD "forces: {x: 1/y}\n", "the force on 'x' is not a finite number", 0, 0},
  {HEAD "potential: log(x)\n", "at the initial state", 0, 0},
  // contacts
  {HEAD "contacts: [a]\n", "contacts must be a mapping", 3, 11},
  {HEAD "contacts: {c: 1}\n", "contact 'c' must be a mapping", 3, 15},
  {HEAD "contacts: {c: {gap: if(x > 0, 1 - x, 2)}}\n", "an expression with a comma must be quoted", 3, 31},
  {HEAD "contacts: {c: {gap: y, slid: x'}}\n", "unknown key 'slid' in contact 'c'; did you mean 'slide'?", 3, 24},
  {HEAD "contacts: {c: {gap: max(x, y)}}\n", "an expression with a comma must be quoted", 3, 0},
  {HEAD "contacts: {c: {mu: 1}}\n", "contact 'c' needs a 'gap'", 3, 12},
  {HEAD "contacts: {c: {gap: y'}}\n", "contacts.c.gap may not depend on rates", 3, 21},
  {HEAD "contacts: {c: {gap: y, mu: 0.1}}\n", "has friction but no 'slide'", 3, 12},
  {HEAD "contacts: {c: {slide: x', mu: 0.1}}\n", "as a friction element it needs a 'bound'", 3, 12},
  {HEAD "contacts: {c: {slide: x', mu: 0.1, bound: 1}}\n", "'mu', 'eps_n' and 'nu' mean nothing", 3, 12},
  {HEAD "contacts: {c: {gap: y, slide: x'^2}}\n", "contact 'c': the sliding velocity is not affine", 3, 31},
  {HEAD "contacts: {c: {gap: y, slide: x', mu: -1}}\n", "contacts.c.mu is -1, must not be negative", 3, 39},
  {HEAD "contacts: {c: {gap: y, eps_n: 1.5}}\n", "contacts.c.eps_n is 1.5, must be between 0 and 1", 3, 31},
  {HEAD "contacts: {c: {gap: y, slide: x', eps_n: x}}\n", "contacts.c.eps_n may not depend on coordinates", 3, 42},
  {HEAD "contacts: {c d: {gap: y}}\n", "'c d' is not a name for a contact", 3, 12},
  {HEAD "contacts: {c: {gap: 0.5 - t}}\n", "contacts.c.gap does not depend on the coordinates", 3, 21},
  {HEAD "contacts: {c: {gap: y, slide: 0.3}}\n", "contacts.c.slide does not depend on the rates", 3, 31},
  {HEAD "contacts: {c: {gap: 1/x}}\n", "the gap of contact 'c' is not finite", 0, 0},
  // constraints
  {HEAD "constraints: {c: x'}\n", "constraint 'c' may not depend on rates", 3, 18},
  {HEAD "constraints: {c: 1}\n", "a constraint must depend on the coordinates", 3, 18},
  // initial
  {HEAD "initial: {z: 1}\n", "'z' is not a coordinate", 3, 11},
  {HEAD "initial: {x: y}\n", "initial x may not depend on coordinates", 3, 14},
  {HEAD "initial: [1, 2]\n", "initial must be a mapping", 3, 10},
  // run
  {HEAD "run: {dt: 0}\n", "run.dt is 0, must be positive", 3, 11},
  {HEAD "run: {dt: -1}\n", "run.dt is -1, must be positive", 3, 11},
  {HEAD "run: {unti: 1}\n", "did you mean 'until'?", 3, 7},
  {HEAD "run: {integrator: rk4}\n", "run.integrator must be moreau, euler, jean, rattle or event", 3, 19},
  {HEAD "run: {impact: hertz}\n", "run.impact must be newton or poisson", 3, 15},
  {HEAD "contacts: {c: {gap: x, nu: 0.5}}\n", "has friction but no 'slide'", 3, 12},
  {HEAD "run: {every: 1.5}\n", "run.every is 1.5, must be a whole number", 0, 0},
  {HEAD "run: {rtol: 0}\n", "run.rtol is 0, must be positive", 3, 13},
  {HEAD "run: {max_step: 0}\n", "run.max_step is 0, must be positive", 3, 17},
  {HEAD "run: {rtol: 1}\n", "run.rtol is 1, must be below 1", 0, 0},
  {HEAD "run: {project: maybe}\n", "run.project must be true, false or auto", 3, 16},
  // sensors
  {HEAD "sensors: [a]\n", "sensors must be a mapping", 3, 10},
  {HEAD "sensors: {a: z}\n", "unknown name 'z'", 3, 14},
  {HEAD "sensors: {a b: x}\n", "the name of a sensor must be one", 3, 16},
  {HEAD "sensors: {a: {unit: m}}\n", "sensors.a has no value", 3, 14},
  {HEAD "sensors: {a: {value: x, units: m}}\n", "unknown key 'units'", 3, 25},
};

static void test_broken(void** state)
{
  (void)state;
  int n = sizeof broken_models/sizeof *broken_models;
  for (int i = 0; i < n; i++) {
    const broken* b = &broken_models[i];
    ss_error error = {0};
    ss_model* model = ss_model_parse(b->text, strlen(b->text), "test.yaml", NULL, &error);
    if (model) fail_msg("accepted:\n%s", b->text);
    if (!strstr(error.text, b->message)) fail_msg("said '%s' instead of '%s' of:\n%s", error.text, b->message, b->text);
    if (error.status != SS_ERR_INPUT) fail_msg("status %d of:\n%s", error.status, b->text);
    assert_string_equal(error.file, "test.yaml");
    if ((b->line && error.line != b->line) || (b->column && error.column != b->column))
      fail_msg("at %d:%d instead of %d:%d: '%s' of:\n%s", error.line, error.column, b->line, b->column, error.text,
               b->text);
  }
  print_message("%d broken models refused\n", n);
}

static ss_model* load(const char* text, int n, const ss_override* overrides)
{
  ss_error error = {0};
  ss_model_def def = {.n_override = n, .override = overrides};
  ss_model* model = ss_model_parse(text, strlen(text), "test.yaml", &def, &error);
  if (!model) fail_msg("%d:%d: %s", error.line, error.column, error.text);
  return model;
}

static const char* const full =
  "name: full\n"
  "description: all sections\n"
  "source: nowhere\n"
  "parameters: {a: 2, b: a^2 + pi}\n"
  "definitions: {s: a*x + sin(θ), speed: s'}\n"
  "coordinates: {x: m, θ: rad}\n"
  "kinetic: a/2*(x'^2 + θ'^2)\n"
  "potential: b*x^2/2\n"
  "damping: 0.1*x'^2/2\n"
  "forces: {θ: cos(t)}\n"
  "contacts:\n"
  "  stop: {gap: \"max(x, -1) + 2\", eps_n: 0.5}\n"
  "  floor: {gap: 3 - x, slide: θ' - 0.2*t, mu: 0.3, eps_t: 0.1, nu: 0.6}\n"
  "  brake: {slide: speed, bound: a}\n"
  "constraints: {tie: x - θ}\n"
  "initial: {x: 1, θ: 1, x': -a}\n"
  "run: {dt: 1e-3, until: 10*pi, integrator: euler, every: 5, project: true, tol: 1e-9, impact: poisson,\n"
  "      rtol: 1e-7, max_step: 0.1}\n";

// Gaps that are the least of several are one contact for each; those that are the largest, or switch with time, are
// not.
static void test_sides(void** state)
{
  (void)state;
  static const struct {
    const char* gap;
    int n;
  } cases[] = {{"min(x, y)", 2}, {"y - abs(0.1*x)", 2}, {"min(x, min(y, 2 - x))", 3}, {"min(x, 5)", 1},
               {"-2*max(x - 1, -y)", 2}, {"max(x, y)", 1}, {"y - max(0, t - 1)", 1}, {"y - if(x > 0, x, -x)", 1},
               {"(y - abs(x))/sqrt(2)", 2}, {"x*min(x, y)", 1}};
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++) {
    char text[300];
    snprintf(text, sizeof text, "coordinates: {x: m, y: m}\nkinetic: x'^2 + y'^2\ncontacts: {c: {gap: \"%s\", slide: "
             "x' + sign(x)*y', mu: 0.1}, d: {gap: y + 1}}\n", cases[i].gap);
    ss_model* m = load(text, 0, NULL);
    const ss_system_def* d = ss_system_get(ss_model_system(m));
    if (d->n_contact != cases[i].n + 1) fail_msg("%s: %d contacts", cases[i].gap, d->n_contact - 1);
    assert_string_equal(d->contact[0].name, "c");
    assert_string_equal(d->contact[cases[i].n].name, "d");
    if (cases[i].n > 1) assert_string_equal(d->contact[1].name, "c.2");
    assert_true(d->contact[cases[i].n - 1].mu == 0.1);
    ss_model_destroy(m);
  }
}

static void test_full(void** state)
{
  (void)state;
  ss_model* m = load(full, 0, NULL);
  const ss_system_def* d = ss_system_get(ss_model_system(m));
  const ss_parameter* p;
  assert_string_equal(ss_model_name(m), "full");
  assert_string_equal(ss_model_source(m), "nowhere");
  assert_int_equal(ss_model_parameters(m, &p), 2);
  assert_true(fabs(p[1].value - 4 - acos(-1)) < 1e-15);
  assert_int_equal(d->nv, 2);
  assert_string_equal(d->coordinate[1], "θ");
  assert_string_equal(d->unit[1], "rad");
  assert_int_equal(d->n_contact, 3);
  assert_int_equal(d->contact[0].kind, SS_CONTACT_NORMAL);
  assert_int_equal(d->contact[1].kind, SS_CONTACT_PLANAR);
  assert_int_equal(d->contact[2].kind, SS_CONTACT_FRICTION);
  assert_true(d->contact[2].bound == 2 && d->contact[1].mu == 0.3 && d->contact[1].eps_t == 0.1);
  assert_true(d->contact[1].nu == 0.6 && d->contact[0].nu == 0);
  assert_int_equal(d->n_bilateral, 1);
  assert_string_equal(d->bilateral_name[0], "tie");
  const ss_run_def* run = ss_model_run(m);
  assert_true(run->step.dt == 1e-3 && run->every == 5 && run->step.solver.tol == 1e-9 &&
              run->step.event.rtol == 1e-7 && run->step.event.max_step == 0.1);
  assert_int_equal(run->step.project, SS_PROJECTION_ON);
  assert_int_equal(run->step.integrator, SS_EULER);
  assert_int_equal(run->step.impact, SS_IMPACT_POISSON);
  ss_state* s = ss_state_create(ss_model_system(m));
  ss_model_initial(m, s);
  assert_true(s->q[0] == 1 && s->q[1] == 1 && s->u[0] == -2 && s->u[1] == 0);
  ss_state_destroy(s);
  ss_model_destroy(m);
}

static void test_sensors(void** state)
{
  (void)state;
  ss_override set[] = {{"sensors.v", "2*x'"}, {"sensors.t2", "t^2 + y"}};
  ss_model* m = load(HEAD "definitions: {r: 3*x}\nsensors:\n  r2: {value: r^2, unit: m^2}\n  v: x'\n"
                     "initial: {x: 2, y: 5, x': 7}\n", 2, set);
  const ss_system_def* d = ss_system_get(ss_model_system(m));
  ss_error error = {0};
  ss_work* w = ss_work_create(ss_model_system(m), &error);
  ss_state* s = ss_state_create(ss_model_system(m));
  ss_model_initial(m, s);
  s->t = 3;
  const double* value = ss_sense(s, NULL, w);
  assert_int_equal(d->n_sensor, 3);
  assert_string_equal(d->sensor[0], "r2");
  assert_string_equal(d->sensor_unit[0], "m^2");
  assert_string_equal(d->sensor[2], "t2");
  assert_true(value[0] == 36 && value[1] == 14 && value[2] == 14);
  ss_state_destroy(s);
  ss_work_destroy(w);
  ss_model_destroy(m);
}

// Bodies without a text of their own
static void test_sensors_of_bodies(void** state)
{
  (void)state;
  ss_model* m = load("bodies:\n  ball: {circle: [0, 0, 0.1], mass: 1, free: [1, 2, 0]}\n"
                     "sensors: {reach: \"hypot(ball_x, ball_y)\"}\n", 0, NULL);
  ss_error error = {0};
  ss_work* w = ss_work_create(ss_model_system(m), &error);
  ss_state* s = ss_state_create(ss_model_system(m));
  ss_model_initial(m, s);
  assert_true(fabs(*ss_sense(s, NULL, w) - sqrt(5)) < 1e-15);
  ss_state_destroy(s);
  ss_work_destroy(w);
  ss_model_destroy(m);
}

// Defaults: no name, no initial state, no run section
static void test_defaults(void** state)
{
  (void)state;
  ss_model* m = load("coordinates: [x]\nkinetic: x'^2/2\n", 0, NULL);
  assert_string_equal(ss_model_name(m), "test");
  assert_true(ss_model_run(m)->step.dt == 1e-4 && ss_model_run(m)->until == 1 && ss_model_run(m)->every == 1);
  assert_int_equal(ss_model_run(m)->step.project, SS_PROJECTION_AUTO);
  ss_model_destroy(m);
}

static void test_overrides(void** state)
{
  (void)state;
  const ss_override o[] = {{"a", "3"}, {"contacts.floor.mu", "a/10"}, {"initial.θ'", "0.5"}, {"run.dt", "1/512"},
                           {"contacts.floor.eps_n", "1"}};
  ss_model* m = load(full, 5, o);
  const ss_system_def* d = ss_system_get(ss_model_system(m));
  const ss_parameter* p;
  ss_model_parameters(m, &p);
  assert_true(p[0].value == 3);
  assert_true(fabs(p[1].value - 9 - acos(-1)) < 1e-14);
  assert_true(fabs(d->contact[1].mu - 0.3) < 1e-16 && d->contact[1].eps_n == 1 && d->contact[2].bound == 3);
  assert_true(ss_model_run(m)->step.dt == 1.0/512);
  const ss_override* kept;
  assert_int_equal(ss_model_overrides(m, &kept), 5);
  assert_string_equal(kept[1].path, "contacts.floor.mu");
  ss_model_destroy(m);
}

static void test_broken_overrides(void** state)
{
  (void)state;
  const struct {
    ss_override o;
    const char* message;
  } cases[] = {
    {{"aa", "3"}, "override aa=3: the model has no such parameter or path; did you mean 'a'?"},
    {{"contacts.wall.mu", "3"}, "no such parameter or path"},
    {{"a", "3 +"}, "override a=3 +: the expression ends"},
    {{"a", ""}, "override a=: parameter 'a' is empty"},
    {{"run.dt", "-1"}, "override run.dt=-1: run.dt is -1, must be positive"},
    {{"run.rtol", "2"}, "override run.rtol=2: run.rtol is 2, must be below 1"},
    {{"run.theta", "0.3"}, "override run.theta=0.3: run.theta is 0.3, must be in 0.5..1"},
    {{"run.every", "1.5"}, "override run.every=1.5: run.every is 1.5, must be a whole number"},
    {{"contacts.floor.mu_static", "1e-9"}, "override contacts.floor.mu_static=1e-9: contacts.floor.mu_static"},
    {{"contacts.floor.mu", "-0.1"}, "must not be negative"}};
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++) {
    ss_error error = {0};
    ss_model_def def = {.n_override = 1, .override = &cases[i].o};
    assert_null(ss_model_parse(full, strlen(full), "test.yaml", &def, &error));
    if (!strstr(error.text, cases[i].message)) fail_msg("said '%s' instead of '%s'", error.text, cases[i].message);
  }
}

static char warnings[1000];

static void keep_warning(void* user, ss_log_level level, const char* text)
{
  (void)user;
  assert_int_equal(level, SS_LOG_WARNING);
  strncat(warnings, text, sizeof warnings - strlen(warnings) - 2);
  strcat(warnings, "\n");
}

static void test_warnings(void** state)
{
  (void)state;
  const char* text = HEAD "contacts: {floor: {gap: y, slide: x', mu: 0.1}}\ninitial: {y: -0.25, x': 3}\n"
                     "constraints: {c: x - 2}\n";
  ss_error error = {0};
  ss_model_def def = {.log = {keep_warning, NULL}};
  ss_model* m = ss_model_parse(text, strlen(text), "test.yaml", &def, &error);
  assert_non_null(m);
  assert_non_null(strstr(warnings, "contact 'floor': the gap is violated at the initial state by 0.25 (unit of the "
                                   "gap)"));
  assert_non_null(strstr(warnings, "constraint 'c' is violated at the initial state by 2"));
  assert_non_null(strstr(warnings, "constraint 'c' is violated by the initial velocities, at 3 per second"));
  ss_model_destroy(m);
}

// Round-off of published initial values is no warning; what their digits cannot explain is one.
static void test_digits(void** state)
{
  (void)state;
  const struct { const char *y, *gap; bool warns; } cases[] = {
    {"0.4999", "y - 0.5", false}, {"0.4998", "y - 0.5", false}, {"0.4997", "y - 0.5", true},
    {"0.499", "y - 0.5", true},                                // three digits: meant as it stands
    {"-0.1", "y", true}, {"-1e-9", "y", true},                 // no digit explains a gap below zero here
    {"-1036e-4", "6e-4 + 0.0058*y", false},                    // the woodpecker's sleeve
    {"-0.1036", "6e-4 + 0.0058*y", false}, {"-0.1038", "6e-4 + 0.0058*y", true},
    {"1999.9", "y - 2000", false}, {"1999", "y - 2000", false}, {"1997", "y - 2000", true},
    {"5 - 0.1", "y - 5", true}, {"4.9999 + 0", "y - 5", true}, {"4.9999", "2*(y - 5)", false}};
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++) {
    char text[400];
    ss_error error = {0};
    ss_model_def def = {.log = {keep_warning, NULL}};
    snprintf(text, sizeof text, HEAD "contacts: {floor: {gap: %s}}\ninitial: {y: %s}\n", cases[i].gap, cases[i].y);
    warnings[0] = 0;
    ss_model* m = ss_model_parse(text, strlen(text), "test.yaml", &def, &error);
    assert_non_null(m);
    if (!*warnings == cases[i].warns) fail_msg("gap %s at y = %s: '%s'", cases[i].gap, cases[i].y, warnings);
    ss_model_destroy(m);
  }
}

static void count_notes(void* user, ss_log_level level, const char* text)
{
  assert_int_equal(level, SS_LOG_INFO);
  assert_string_equal(text, "parameter 'idle' is not used");
  ++*(int*)user;
}

static void test_unused(void** state)
{
  (void)state;
  const char* text = "parameters: {a: 1, idle: 2, b: 2*a, c: 3}\n" HEAD
                     "potential: b*x\ndraw: {p: {circle: [0, 0, c]}}\n";
  int n = 0;
  ss_error error = {0};
  ss_model_def def = {.log = {count_notes, &n}};
  ss_model* m = ss_model_parse(text, strlen(text), "test.yaml", &def, &error);
  assert_non_null(m);
  assert_int_equal(n, 1);
  ss_model_destroy(m);
}

static void test_loading(void** state)
{
  (void)state;
  ss_error error = {0};
  assert_null(ss_model_load("woodpeckr", NULL, &error));
  assert_int_equal(error.status, SS_ERR_FILE);
  assert_non_null(strstr(error.text, "did you mean 'woodpecker'?"));
  assert_null(ss_model_load("/nonexistent/a.yaml", NULL, &error));
  assert_int_equal(error.status, SS_ERR_FILE);
  assert_null(ss_model_load("robot.urdf", NULL, &error));
  assert_int_equal(error.status, SS_ERR_FILE);
  const ss_catalogue_entry* list;
  int n = ss_catalogue(&list);
  assert_true(n >= 10);
  for (int i = 0; i < n; i++) {
    ss_model* m = ss_model_load(list[i].name, NULL, &error);
    if (!m) fail_msg("%s:%d:%d: %s", list[i].name, error.line, error.column, error.text);
    assert_string_equal(ss_model_name(m), list[i].name);
    assert_true(*ss_model_description(m) && (*ss_model_source(m) || ss_model_scene(m)));
    ss_model_destroy(m);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_broken), cmocka_unit_test(test_full),
    cmocka_unit_test(test_sides), cmocka_unit_test(test_defaults),
    cmocka_unit_test(test_sensors), cmocka_unit_test(test_sensors_of_bodies),
    cmocka_unit_test(test_overrides), cmocka_unit_test(test_broken_overrides), cmocka_unit_test(test_warnings),
    cmocka_unit_test(test_digits), cmocka_unit_test(test_unused), cmocka_unit_test(test_loading)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
