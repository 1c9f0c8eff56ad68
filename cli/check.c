// `stickslip check`: reads a model and tells what will be simulated.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_scene.h"
#include "cli.h"
#include "json.h"
#include "model_arg.h"
#include "table.h"

typedef struct check_options {
  cli_list set;
  bool json, strict, verbose;
} check_options;

static const cli_option options[] = {
  {"set", 0, CLI_LIST, "PATH=VALUE", offsetof(check_options, set),
   "replace a value of the model, as in 'stickslip run'; may be given again", NULL},
  {"json", 0, CLI_FLAG, NULL, offsetof(check_options, json), "print one JSON object", NULL},
  {"strict", 0, CLI_FLAG, NULL, offsetof(check_options, strict),
   "exit status 1 if something of a scene is approximated or ignored", NULL},
  {"verbose", 'v', CLI_FLAG, NULL, offsetof(check_options, verbose),
   "list all, also what is unused in a scene", NULL},
  {0},
};

const cli_command cli_check_command = {
  .name = "check", .operands = "MODEL", .min_operands = 1, .max_operands = 1,
  .summary = "read a model and tell what will be simulated",
  .purpose = "Reads MODEL, a file or a name of the catalogue, and prints its coordinates, parameters, contacts with "
             "their laws and gaps at the start, constraints and run settings. Of a scene (MJCF or URDF) it tells "
             "what is approximated, ignored and unused, with lines, and the masses of its bodies and where they "
             "come from. A model that cannot be simulated gives an error "
             "with its place in the file.",
  .options = options,
  .examples = "  stickslip check my.yaml\n"
              "  stickslip check woodpecker --set mu=0.1 --json\n"
              "  stickslip check robot.xml --strict\n",
  .main = cli_check,
};

enum { MAX_WARNINGS = 64 };

// A model, its start, and what was said while it was read
typedef struct checked {
  ss_model* model;
  const ss_scene* scene;  // NULL: a text model
  bool verbose;
  const ss_system* system;
  const ss_system_def* def;
  ss_state* state;
  ss_work* work;
  double* gap;    // n_contact
  double* error;  // n_bilateral: constraint errors
  double rcond;   // of the mass matrix; 0 if it is not positive definite
  bool energy_known;
  ss_energy energy;
  int n_warning;
  char* warning[MAX_WARNINGS];
} checked;

static void keep_warning(void* user, ss_log_level level, const char* text)
{
  checked* c = user;
  (void)level;
  if (c->n_warning == MAX_WARNINGS) return;
  size_t size = strlen(text) + 1;
  char* copy = malloc(size);
  if (!copy) return;
  memcpy(copy, text, size);
  c->warning[c->n_warning++] = copy;
}

static void free_checked(checked* c)
{
  for (int i = 0; i < c->n_warning; i++) free(c->warning[i]);
  free(c->gap);
  free(c->error);
  ss_work_destroy(c->work);
  if (c->state) ss_state_destroy(c->state);
  ss_model_destroy(c->model);
}

// Gaps, constraint errors, mass matrix and energy at the initial state
static int evaluate(checked* c, const char* name)
{
  ss_error error = {0};
  c->system = ss_model_system(c->model);
  c->scene = ss_model_scene(c->model);
  c->def = ss_system_get(c->system);
  c->state = ss_state_create(c->system);
  c->gap = calloc((size_t)c->def->n_contact + 1, sizeof *c->gap);
  c->error = calloc((size_t)c->def->n_bilateral + 1, sizeof *c->error);
  if (!c->state || !c->gap || !c->error) return cli_out_of_memory();
  c->work = ss_work_create(c->system, &error);
  if (!c->work) return cli_fail(&error);
  ss_model_initial(c->model, c->state);
  ss_status status = ss_inspect(c->system, c->state, c->work, c->gap, &c->rcond);
  if (status < 0 || !cli_bilateral_at(c->system, c->state, c->error)) {
    cli_error("%s: the initial state cannot be evaluated: %s", name,
              ss_status_text(status < 0 ? status : SS_ERR_NUMERIC));
    return CLI_BAD_INPUT;
  }
  if (!c->def->operators && !(c->rcond > 0)) {
    cli_error("%s: the mass matrix is not positive definite at the initial state; does the kinetic energy contain the "
              "rate of every coordinate?", name);
    return CLI_BAD_INPUT;
  }
  c->energy_known = cli_energy_at(c->system, c->state, &c->energy);
  return CLI_GO_ON;
}

static bool is_closed(const checked* c, int i)
{
  return c->def->contact[i].kind == SS_CONTACT_FRICTION || c->gap[i] <= 0;
}

static const char* kind_text(ss_contact_kind kind)
{
  switch (kind) {
    case SS_CONTACT_NORMAL: return "frictionless";
    case SS_CONTACT_PLANAR: return "planar friction";
    case SS_CONTACT_FRICTION: return "friction element";
    case SS_CONTACT_SPATIAL: return "spatial friction";
  }
  return "";
}

// ---- text ----

static void print_coordinates(const checked* c)
{
  printf("\nCoordinates and rates at the start\n");
  cli_print_state(c->def, c->state, 2, c->verbose || !c->scene ? INT_MAX : CLI_STATE_LINES);
}

static void print_parameters(const checked* c)
{
  const ss_parameter* parameter;
  int n = ss_model_parameters(c->model, &parameter);
  cli_table table = cli_table_create("ll");
  for (int i = 0; i < n; i++) {
    cli_table_cell(&table, "%s", parameter[i].name);
    cli_table_cell(&table, "%.9g", parameter[i].value);
  }
  if (n) printf("\nParameters\n");
  cli_table_print(&table, 2);
}

// A coefficient of friction, with the static one first if there are two: 0.5/0.3
static void add_friction(cli_table* table, const ss_contact_def* d, double sliding, double at_rest)
{
  if (d->varies && at_rest > 0) cli_table_cell(table, "%.6g/varies", at_rest);
  else if (d->varies) cli_table_cell(table, "varies");
  else if (at_rest > 0) cli_table_cell(table, "%.6g/%.6g", at_rest, sliding);
  else cli_table_cell(table, "%.6g", sliding);
}

// Bodies with outlines, of text models
static void print_bodies(const checked* c)
{
  static const char* const shape[] = {"outline", "circle", "half-plane"};
  static const char* const motion[] = {"fixed", "guided", "free"};
  int n = ss_model_bodies(c->model);
  if (!n) return;
  cli_table table = cli_table_create("lllrrr");
  printf("\nBodies\n");
  const char* const head[] = {"name", "shape", "motion", "points", "mass, kg", "inertia, kg m^2"};
  for (int i = 0; i < 6; i++) cli_table_cell(&table, "%s", head[i]);
  for (int i = 0; i < n; i++) {
    ss_body_info b = ss_model_body(c->model, i);
    cli_table_cell(&table, "%s", b.name);
    cli_table_cell(&table, "%s", b.is_open ? "open outline" : shape[b.shape]);
    cli_table_cell(&table, "%s", motion[b.motion]);
    if (b.points) cli_table_cell(&table, "%d", b.points);
    else cli_table_cell(&table, "-");
    cli_table_cell(&table, b.mass > 0 ? "%.6g" : "-", b.mass);
    cli_table_cell(&table, b.mass > 0 ? "%.6g" : "-", b.inertia);
  }
  cli_table_print(&table, 2);
  printf("  Which of them touch, and where, is found in every step (docs/polygons.md).\n");
}

static void print_contacts(const checked* c)
{
  if (ss_model_bodies(c->model) && !c->def->n_contact) return;
  if (c->scene) {
    cli_scene_print_contacts(c->system, c->state, c->verbose ? INT_MAX : CLI_STATE_LINES);
    return;
  }
  const char* const head[] = {"name", "kind", "mu", "bound", "eps_n", "eps_t", "nu", "gap", "at the start"};
  cli_table table = cli_table_create("llrrrrrrl");
  for (size_t i = 0; i < sizeof head/sizeof *head; i++) cli_table_cell(&table, "%s", head[i]);
  for (int i = 0; i < c->def->n_contact; i++) {
    const ss_contact_def* d = &c->def->contact[i];
    cli_table_cell(&table, "%s", d->name);
    cli_table_cell(&table, "%s", kind_text(d->kind));
    add_friction(&table, d, d->mu, d->mu_static);
    add_friction(&table, d, d->bound, d->bound_static);
    cli_table_cell(&table, "%.6g", d->eps_n);
    cli_table_cell(&table, "%.6g", d->eps_t);
    cli_table_cell(&table, "%.6g", d->nu);
    if (d->kind == SS_CONTACT_FRICTION) cli_table_cell(&table, "-");
    else cli_table_cell(&table, "%.6g", c->gap[i]);
    cli_table_cell(&table, "%s", is_closed(c, i) ? "closed" : "open");
  }
  if (c->def->n_contact) printf("\nContacts\n");
  else printf("\nNo contacts\n");
  if (c->def->n_contact) cli_table_print(&table, 2);
  else cli_table_free(&table);
}

static void print_constraints(const checked* c)
{
  cli_table table = cli_table_create("ll");
  for (int i = 0; i < c->def->n_bilateral; i++) {
    cli_table_cell(&table, "%s", c->def->bilateral_name[i]);
    cli_table_cell(&table, "error %.3g at the start", c->error[i]);
  }
  if (c->def->n_bilateral) printf("\nBilateral constraints\n");
  cli_table_print(&table, 2);
}

// What becomes of overlap
static const char* projection(const checked* c, const ss_step_def* step)
{
  if (step->integrator == SS_EVENT_DRIVEN) return "not needed";
  if (step->project != SS_PROJECTION_AUTO) return ss_projection_name(step->project);
  return c->def->operators && c->def->operators->overlap != SS_OVERLAP_STAYS ? "auto (overlap is removed)"
                                                                              : "auto (overlap stays)";
}

static void print_run(const checked* c)
{
  const ss_run_def* r = ss_model_run(c->model);
  char start[48] = "";
  if (r->start != 0) snprintf(start, sizeof start, "from %.9g s ", r->start);
  printf("\nRun\n  %s, dt = %.9g s, %suntil %.9g s (%.12g steps), every %d%s recorded, projection %s, tolerance %.2g\n",
         ss_integrator_name(r->step.integrator), r->step.dt, start, r->until, round((r->until - r->start)/r->step.dt),
         r->every, r->every == 1 ? "st step" : "-th step", projection(c, &r->step),
         cli_tolerance(c->def, r));
  if (r->step.friction.compliance > 0)
    printf("  approximated: contacts have the relative compliance %g\n", r->step.friction.compliance);
}

static void print_checked(const checked* c)
{
  printf("%s\n", ss_model_name(c->model));
  if (ss_model_description(c->model)[0]) printf("%s\n", ss_model_description(c->model));
  if (ss_model_source(c->model)[0]) printf("Source: %s\n", ss_model_source(c->model));
  if (c->scene) cli_scene_print(c->scene, c->verbose);
  print_coordinates(c);
  print_parameters(c);
  print_bodies(c);
  print_contacts(c);
  print_constraints(c);
  if (!c->def->operators) printf("\nMass matrix\n  %s, condition number %.3g at the start\n",
         c->def->mass_is_constant ? "constant" : "depends on the position", 1/c->rcond);
  if (c->energy_known)
    printf("\nEnergy at the start\n  kinetic %.6g J, potential %.6g J\n", c->energy.kinetic, c->energy.potential);
  print_run(c);
  for (int i = 0; i < c->n_warning; i++) cli_warn("%s", c->warning[i]);
}

// ---- JSON ----

static cJSON* coordinates_json(const checked* c)
{
  cJSON* list = cJSON_CreateArray();
  for (int i = 0; i < c->def->nq; i++) {
    cJSON* o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "name", c->def->coordinate[i]);
    cJSON_AddStringToObject(o, "unit", cli_unit(c->def, i));
    cli_json_number(o, "q", c->state->q[i]);
    if (!c->scene) cli_json_number(o, "u", c->state->u[i]);
    cli_json_append(list, o);
  }
  return list;
}

static cJSON* velocities_json(const checked* c)
{
  cJSON* list = cJSON_CreateArray();
  for (int i = 0; i < c->def->nv; i++) {
    char unit[80];
    cJSON* o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "name", c->def->velocity[i]);
    cJSON_AddStringToObject(o, "unit", cli_rate_unit(c->def, i, unit, sizeof unit));
    cli_json_number(o, "u", c->state->u[i]);
    cli_json_append(list, o);
  }
  return list;
}

static cJSON* parameters_json(const checked* c)
{
  const ss_parameter* parameter;
  int n = ss_model_parameters(c->model, &parameter);
  cJSON* o = cJSON_CreateObject();
  for (int i = 0; i < n; i++) cli_json_number(o, parameter[i].name, parameter[i].value);
  return o;
}

static cJSON* contacts_json(const checked* c)
{
  cJSON* list = cJSON_CreateArray();
  for (int i = 0; i < c->def->n_contact; i++) {
    const ss_contact_def* d = &c->def->contact[i];
    cJSON* o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "name", d->name);
    cJSON_AddStringToObject(o, "kind", kind_text(d->kind));
    cli_json_number(o, "mu", d->mu);
    cli_json_number(o, "bound", d->bound);
    cli_json_number(o, "mu_static", d->mu_static);
    cli_json_number(o, "bound_static", d->bound_static);
    cJSON_AddBoolToObject(o, "varies", d->varies);
    cli_json_number(o, "eps_n", d->eps_n);
    cli_json_number(o, "eps_t", d->eps_t);
    cli_json_number(o, "nu", d->nu);
    if (d->kind == SS_CONTACT_FRICTION) cJSON_AddNullToObject(o, "gap");
    else cli_json_number(o, "gap", c->gap[i]);
    cJSON_AddBoolToObject(o, "closed", is_closed(c, i));
    cli_json_append(list, o);
  }
  return list;
}

static cJSON* constraints_json(const checked* c)
{
  cJSON* list = cJSON_CreateArray();
  for (int i = 0; i < c->def->n_bilateral; i++) {
    cJSON* o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "name", c->def->bilateral_name[i]);
    cli_json_number(o, "error", c->error[i]);
    cli_json_append(list, o);
  }
  return list;
}

static cJSON* run_json(const checked* c)
{
  const ss_run_def* r = ss_model_run(c->model);
  cJSON* o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "integrator", ss_integrator_name(r->step.integrator));
  cJSON_AddStringToObject(o, "impact", ss_impact_law_name(r->step.impact));
  cli_json_number(o, "dt", r->step.dt);
  cli_json_number(o, "start", r->start);
  cli_json_number(o, "until", r->until);
  cli_json_number(o, "every", r->every);
  cJSON_AddStringToObject(o, "project", ss_projection_name(r->step.project));
  cli_json_number(o, "tol", cli_tolerance(c->def, r));
  if (!c->scene) return o;
  const ss_friction_def* f = &r->step.friction;
  cJSON_AddStringToObject(o, "solver", ss_friction_method_name(f->method));
  cJSON_AddStringToObject(o, "cone", f->polyhedral ? "polyhedral" : "exact");
  cli_json_number(o, "facets", f->facets);
  cli_json_number(o, "compliance", f->compliance);
  return o;
}

static int print_json(const checked* c)
{
  cJSON* o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "name", ss_model_name(c->model));
  cJSON_AddStringToObject(o, "description", ss_model_description(c->model));
  cJSON_AddStringToObject(o, "source", ss_model_source(c->model));
  cli_json_put(o, "coordinates", coordinates_json(c));
  if (c->scene) {
    cli_json_put(o, "velocities", velocities_json(c));
    cli_scene_json(o, c->model, c->state);
  } else {
    cli_json_put(o, "parameters", parameters_json(c));
    cli_json_put(o, "contacts", contacts_json(c));
  }
  cli_json_put(o, "constraints", constraints_json(c));
  if (!c->def->operators) {
    cJSON* mass = cJSON_AddObjectToObject(o, "mass_matrix");
    cJSON_AddBoolToObject(mass, "constant", c->def->mass_is_constant);
    cli_json_number(mass, "rcond", c->rcond);
  }
  if (c->energy_known) {
    cJSON* energy = cJSON_AddObjectToObject(o, "energy");
    cli_json_number(energy, "kinetic", c->energy.kinetic);
    cli_json_number(energy, "potential", c->energy.potential);
  }
  cli_json_put(o, "run", run_json(c));
  cJSON* warnings = cJSON_AddArrayToObject(o, "warnings");
  for (int i = 0; i < c->n_warning; i++) cli_json_append(warnings, cJSON_CreateString(c->warning[i]));
  return cli_print_json(o);
}

// Options of `run` may set another step, so that this is no error of the model.
static void warn_of_steps(checked* c)
{
  const ss_run_def* r = ss_model_run(c->model);
  char text[160];
  if ((r->until - r->start)/r->step.dt < CLI_MOST_STEPS) return;
  snprintf(text, sizeof text, "run: until/dt = %g/%g, which 'run' refuses: %g steps or more", r->until, r->step.dt,
           CLI_MOST_STEPS);
  keep_warning(c, SS_LOG_WARNING, text);
}

static int check_model(const char* name, const cli_overrides* overrides, const check_options* wanted)
{
  checked c = {.verbose = wanted->verbose};
  ss_error error = {0};
  ss_log log = {.write = keep_warning, .user = &c};
  ss_model_def def = {.n_override = overrides->n, .override = overrides->item, .log = log};
  c.model = ss_model_load(name, &def, &error);
  int status = c.model ? evaluate(&c, name) : cli_fail(&error);
  if (status == CLI_GO_ON) {
    warn_of_steps(&c);
    status = CLI_DONE;
    if (wanted->json) status = print_json(&c);
    else print_checked(&c);
    bool exact = !c.scene || cli_scene_count(c.scene, SS_SCENE_APPROXIMATED, SS_SCENE_IGNORED) == 0;
    if (status == CLI_DONE && wanted->strict && !exact) status = CLI_MISSED;
  }
  free_checked(&c);
  return status;
}

int cli_check(int argc, char** argv)
{
  check_options o = {0};
  cli_overrides overrides = {0};
  int n;
  int status = cli_parse(&cli_check_command, argc, argv, &o, &n);
  if (status == CLI_GO_ON) status = cli_overrides_read(&cli_check_command, &o.set, &overrides);
  if (status == CLI_GO_ON) status = check_model(argv[1], &overrides, &o);
  cli_overrides_free(&overrides);
  cli_list_free(&o.set);
  return status;
}
