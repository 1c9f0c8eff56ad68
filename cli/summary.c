// The summary of a run, as text and as JSON.
#include "summary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "json.h"
#include "model_arg.h"
#include "table.h"

static const ss_system_def* system_of(const cli_summary* s)
{
  return ss_system_get(ss_model_system(s->model));
}

// ---- text ----

static void print_events(const cli_summary* s)
{
  printf("events       %ld", s->counts->events);
  for (int k = 0; k < CLI_EVENT_KINDS; k++)
    if (k < SS_EVENT_ACCUMULATION || s->by_kind[k])  // the rarer kinds only if there are any
      printf("%s%ld %s", k ? ", " : ": ", s->by_kind[k], ss_event_kind_text((ss_event_kind)k));
  putchar('\n');
}

// Gaps are lengths, but those of text models may be angles, unless no coordinate is one
static const char* gap_unit(const cli_summary* s)
{
  const ss_system_def* d = system_of(s);
  if (ss_model_scene(s->model)) return "m";
  for (int i = 0; i < d->nq; i++)
    if (strcmp(cli_unit(d, i), cli_unit(d, 0)) != 0 || strcmp(cli_unit(d, i), "rad") == 0) return "(unit of the gap)";
  return cli_unit(d, 0)[0] ? cli_unit(d, 0) : "(unit of the gap)";
}

static bool has_limits(const cli_summary* s)
{
  const ss_scene* scene = ss_model_scene(s->model);
  for (int j = 0; scene && j < scene->tree.n_joint; j++)
    if (scene->tree.joint[j].limited && scene->tree.joint[j].kind != SS_JOINT_SLIDE) return true;
  return false;
}

static const char* why_in_parts(ss_integrator integrator)
{
  if (integrator == SS_RATTLE) return "not found at once";
  return integrator == SS_JEAN ? "not found at once, or too large for the overlap allowed"
                               : "too large for the overlap allowed";
}

static void print_counts(const cli_summary* s)
{
  const ss_ledger_counts* c = s->counts;
  long steps = s->state->step - s->first_step;
  double tol = cli_tolerance(system_of(s), s->run);
  double each = steps ? 1e6*s->seconds/(double)steps : 0;
  printf("steps        %ld in %.3g s (%.3g us per step)\n", steps, s->seconds, each);
  if (c->in_parts) printf("             %ld %s, taken in parts\n", c->in_parts, why_in_parts(s->run->step.integrator));
  print_events(s);
  printf("residual     at most %.2g; ", c->max_residual);
  if (c->not_solved && c->max_residual <= tol)
    printf("%ld step%s did not bring %s within tolerance\n", c->not_solved, cli_s(c->not_solved),
           s->run->step.integrator == SS_JEAN || s->run->step.integrator == SS_RATTLE
             ? "constraints or the implicit iteration" : "constraints");
  else if (c->not_solved) printf("%ld step%s missed the tolerance %.2g\n", c->not_solved, cli_s(c->not_solved), tol);
  else if (c->max_residual > tol) printf("every step met the tolerance %.2g, or round-off of its impulses\n", tol);
  else printf("every step met the tolerance %.2g\n", tol);
  if (s->run->step.friction.compliance > 0)
    printf("approximated: contacts have the relative compliance %g\n", s->run->step.friction.compliance);
  if (c->several_motions)
    printf("choice       the contact laws allow several motions in %ld step%s: the one of least impulses was taken\n",
           c->several_motions, cli_s(c->several_motions));
  if (c->as_found)
    printf("             but for %ld step%s, where it was not found: there the order of contacts may tell\n",
           c->as_found, cli_s(c->as_found));
  if (c->not_examined)
    printf("choice       not looked for in %ld step%s, in which more than 240 rows of contacts slide together\n",
           c->not_examined, cli_s(c->not_examined));
  printf("penetration  at most %.3g %s\n", c->max_penetration, gap_unit(s));
  if (has_limits(s)) printf("             limits of joints passed by at most %.3g rad\n", c->max_limit_error);
  if (system_of(s)->n_bilateral)
    printf("constraints  held to within %.3g\n", c->max_constraint_error);
}

static void print_energy(const cli_summary* s)
{
  const ss_energy_ledger* e = s->energy;
  if (!s->run->step.account) return;
  printf("energy       T + V went from %.6g J to %.6g J\n", s->energy_start, e->kinetic + e->potential);
  cli_table table = cli_table_create("lrl");
  const struct { const char* what; double value; bool always; } rows[] = {
    {"work of forces", e->work_forces, false},     {"work of drives", e->work_drive, false},
    {"lost in impacts", e->loss_normal, true},     {"lost in friction", e->loss_friction, true},
    {"added by projection", e->work_projection, false}, {"defect of the integrator", e->defect, true},
  };
  for (size_t i = 0; i < sizeof rows/sizeof *rows; i++) {
    if (!rows[i].always && rows[i].value == 0) continue;
    cli_table_cell(&table, "%s", rows[i].what);
    cli_table_cell(&table, "%.6g", rows[i].value);
    cli_table_cell(&table, "J");
  }
  cli_table_print(&table, 13);
  if (s->counts->energy_gain)
    printf("             impacts in which contacts gained energy: %ld\n", s->counts->energy_gain);
}

static void print_state(const cli_summary* s)
{
  printf("state        at t = %.9g s\n", s->state->t);
  cli_print_state(system_of(s), s->state, 13, CLI_STATE_LINES);
}

static void print_files(const cli_outputs* files)
{
  const char* path[] = {files->record_path, files->csv_path, files->events_path, files->page_path};
  const char* label = "files        ";
  for (size_t i = 0; i < sizeof path/sizeof *path; i++) {
    if (!path[i]) continue;
    printf("%s%s\n", label, path[i]);
    label = "             ";
  }
}

static void print_dump(const cli_dump* dump)
{
  if (!dump->folder) return;
  printf("problems     %ld saved in %s", dump->written, dump->folder);
  if (dump->left_out) printf(", %ld left out", dump->left_out);
  putchar('\n');
}

void cli_summary_print(const cli_summary* summary)
{
  const cli_summary* s = summary;
  const ss_step_def* step = &s->run->step;
  printf("%s: %s, dt = %.9g s%s%s%s%s, t = %.9g s to %.9g s, %s\n", ss_model_name(s->model),
         ss_integrator_name(step->integrator), step->dt,
         step->project == SS_PROJECTION_ON    ? ", with projection"
         : step->project == SS_PROJECTION_OFF ? ", without projection"
                                              : "",
         step->impact == SS_IMPACT_POISSON ? ", Poisson's impacts" : "",
         step->energy_limited ? ", limited by energy" : "",
         step->order == SS_IMPACTS_SEQUENTIAL ? ", impacts one by one" : "",
         s->run->start + step->dt*(double)s->first_step, s->state->t, s->how);
  print_counts(s);
  print_energy(s);
  print_state(s);
  print_files(s->files);
  print_dump(s->dump);
}

// How many of the sizes of a shape there are; none of what has no thickness of its own
static int sizes_of(ss_scene_shape shape)
{
  static const int n[SS_SCENE_SHAPES] = {[SS_SCENE_SPHERE] = 1,   [SS_SCENE_CAPSULE] = 1, [SS_SCENE_ELLIPSOID] = 3,
                                         [SS_SCENE_CYLINDER] = 2, [SS_SCENE_BOX] = 3};
  return n[shape];
}

// Where a shape is thinnest, m; infinite if that is not known. Of a mesh: of the box about it, along its axes.
static double thickness(const ss_scene* scene, const ss_scene_geom* geom)
{
  double least = INFINITY;
  for (int k = 0; k < sizes_of(geom->shape); k++) least = fmin(least, 2*geom->size[k]);
  if (geom->shape != SS_SCENE_MESH) return least;
  const ss_scene_mesh* mesh = scene->mesh + geom->mesh;
  for (int k = 0; k < 3; k++) {
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < mesh->n_vertex; i++) {
      low = fmin(low, mesh->vertex[3*i + k]);
      high = fmax(high, mesh->vertex[3*i + k]);
    }
    if (high > low) least = fmin(least, high - low);
  }
  return least;
}

typedef struct percents {
  char text[32];
} percents;

// 100 part in two digits, all those before the point where there are more
static percents percent(double part)
{
  percents p;
  double x = 100*part;
  snprintf(p.text, sizeof p.text, x >= 99.5 && x < 1e6 ? "%.0f %%" : "%.2g %%", x);
  return p;
}

// Of the thinnest shape of bodies that can touch. What was noticed late, and taken out then, is in the summary alone.
static void warn_of_depth(const cli_summary* s)
{
  const ss_scene* scene = ss_model_scene(s->model);
  double depth = s->overlap_left, thin = INFINITY;
  if (!scene || s->run->step.integrator == SS_EVENT_DRIVEN) return;
  for (int i = 0; i < scene->n_geom; i++) {
    const ss_scene_geom* geom = scene->geom + i;
    if (geom->body != SS_WORLD && (geom->contype || geom->conaffinity)) thin = fmin(thin, thickness(scene, geom));
  }
  if (!(depth > 0.01*thin)) return;
  cli_warn("the deepest overlap, %.3g m, is %s of the thickness of the thinnest body; try %sa smaller --dt", depth,
           percent(depth/thin).text, s->run->step.project == SS_PROJECTION_OFF ? "--project auto or " : "");
}

// Relative to the largest of the energies that the balance is made of. Kinetic energy counts on its own, since T + V
// can be zero by choice of the level. Of round-off of V, and of the forces on what rests, any part is round-off.
static void warn_of_energy(const cli_summary* summary)
{
  const ss_energy_ledger* e = summary->energy;
  const double energies[] = {
    summary->energy_start, e->kinetic + e->potential, summary->largest_kinetic, e->work_forces, e->work_drive,
    e->loss_normal, e->loss_friction, e->work_projection,
  };
  double largest = 0, defect = fabs(e->defect);
  for (size_t i = 0; i < sizeof energies/sizeof *energies; i++) largest = fmax(largest, fabs(energies[i]));
  double round_off = ss_ledger_round_off(summary->ledger) + 1e-9*fabs(e->potential) + 1e-15;
  if (!summary->run->step.account || !(defect > 0.01*largest) || defect <= round_off) return;
  bool event = summary->run->step.integrator == SS_EVENT_DRIVEN;
  cli_warn("the integrator's energy error is %s of the energies involved; try a smaller %s",
           percent(defect/largest).text, event ? "--rtol" : "--dt");
}

// Where constraints are singular, or velocities do not fit them at the start, that is energy taken without a force. The
// event-driven integrator takes out what does not fit at the start alone. Bodies that overlap are lifted, which gives
// them energy that impacts take again.
static void warn_of_projection(const cli_summary* s)
{
  double work = s->energy->work_projection, at_hand = ss_ledger_energy_at_hand(s->ledger);
  double round_off = ss_ledger_round_off(s->ledger) + 1e-15;
  if (!s->run->step.account || !(fabs(work) > 0.01*at_hand) || fabs(work) <= round_off) return;
  if (!system_of(s)->n_bilateral) {
    cli_warn("removal of overlap has %s %.3g J, %s of the energy at hand; try a smaller --dt",
             work < 0 ? "taken" : "added", fabs(work), percent(fabs(work)/at_hand).text);
    return;
  }
  cli_warn("projection onto the constraints has %s %.3g J, %s of the energy at hand: initial values do not fit "
           "them, or they are singular on the way (a mechanism folded flat)%s", work < 0 ? "taken" : "added",
           fabs(work), percent(fabs(work)/at_hand).text,
           s->run->step.integrator == SS_EVENT_DRIVEN ? "" : "; try a smaller --dt");
}

// The reason for the exit status
static void tell_energy(const cli_summary* s)
{
  ss_energy_kept kept = ss_ledger_energy_kept(s->ledger);
  bool given = kept.gain > kept.defect;
  double error = given ? kept.gain : kept.defect;
  char of[120] = "";
  if (kept.velocity >= 0)
    snprintf(of, sizeof of, " of the part with '%.80s'", system_of(s)->velocity[kept.velocity]);
  cli_error("%s, %.3g J, is %s of the energy at hand%s, %.3g J: the motion is not to be trusted; try a smaller %s",
            given ? "the energy that contacts gave without an impact" : "the integrator's energy error", error,
            percent(error/kept.at_hand).text, of, kept.at_hand,
            s->run->step.integrator == SS_EVENT_DRIVEN ? "--rtol" : "--dt");
}

bool cli_summary_warn(const cli_summary* summary)
{
  bool off = summary->run->step.account && ss_ledger_energy_is_off(summary->ledger);
  if (off) tell_energy(summary);
  else warn_of_energy(summary);
  warn_of_projection(summary);
  warn_of_depth(summary);
  return off;
}

// ---- JSON ----

static cJSON* settings_json(const cli_summary* s)
{
  cJSON* o = cJSON_CreateObject();
  const ss_override* override;
  int n = ss_model_overrides(s->model, &override);
  cJSON_AddStringToObject(o, "integrator", ss_integrator_name(s->run->step.integrator));
  cJSON_AddStringToObject(o, "impact", ss_impact_law_name(s->run->step.impact));
  cJSON_AddBoolToObject(o, "energy_limited", s->run->step.energy_limited);
  cJSON_AddStringToObject(o, "multiple_impacts", ss_impact_order_name(s->run->step.order));
  cli_json_number(o, "dt", s->run->step.dt);
  cli_json_number(o, "start", s->run->start);
  cli_json_number(o, "until", s->run->until);
  cli_json_number(o, "every", s->run->every);
  cJSON_AddStringToObject(o, "project", ss_projection_name(s->run->step.project));
  cJSON_AddBoolToObject(o, "energy", s->run->step.account);
  cli_json_number(o, "tol", cli_tolerance(system_of(s), s->run));
  if (ss_model_scene(s->model)) {
    const ss_friction_def* f = &s->run->step.friction;
    cJSON_AddStringToObject(o, "solver", ss_friction_method_name(f->method));
    cJSON_AddStringToObject(o, "cone", f->polyhedral ? "polyhedral" : "exact");
    cli_json_number(o, "facets", f->facets);
    cli_json_number(o, "compliance", f->compliance);
    if (f->cone_fixed) cli_json_number(o, "cone_angle", f->cone_angle);
  }
  if (s->run->step.integrator == SS_JEAN) cli_json_number(o, "theta", s->run->step.theta);
  if (s->run->step.integrator == SS_EVENT_DRIVEN) {
    const ss_event_def* event = &s->run->step.event;
    cli_json_number(o, "rtol", event->rtol);
    cli_json_number(o, "max_step", event->max_step);
    cJSON_AddStringToObject(o, "on_multiple", ss_multiple_name(event->on_multiple));
    cJSON_AddBoolToObject(o, "watch_uniqueness", event->watch_uniqueness);
  }
  cJSON* set = cJSON_AddObjectToObject(o, "set");
  for (int i = 0; i < n; i++) cJSON_AddStringToObject(set, override[i].path, override[i].value);
  return o;
}

static cJSON* counts_json(const cli_summary* s)
{
  cJSON* o = cJSON_CreateObject();
  const ss_ledger_counts* c = s->counts;
  cli_json_number(o, "steps", (double)s->state->step);
  cJSON* events = cJSON_AddObjectToObject(o, "events");
  cli_json_number(events, "total", (double)c->events);
  for (int k = 0; k < CLI_EVENT_KINDS; k++)
    cli_json_number(events, ss_event_kind_text((ss_event_kind)k), (double)s->by_kind[k]);
  cli_json_number(o, "not_solved", (double)c->not_solved);
  cli_json_number(o, "in_parts", (double)c->in_parts);
  cli_json_number(o, "energy_gain", (double)c->energy_gain);
  cli_json_number(o, "several_forces", (double)c->several_forces);
  cli_json_number(o, "several_motions", (double)c->several_motions);
  cli_json_number(o, "as_found", (double)c->as_found);
  cli_json_number(o, "not_examined", (double)c->not_examined);
  cli_json_number(o, "max_residual", c->max_residual);
  cli_json_number(o, "max_penetration", c->max_penetration);
  cli_json_number(o, "max_limit_error", c->max_limit_error);
  cli_json_number(o, "max_constraint_error", c->max_constraint_error);
  return o;
}

static cJSON* energy_json(const cli_summary* s)
{
  const ss_energy_ledger* e = s->energy;
  if (!s->run->step.account) return cJSON_CreateNull();
  cJSON* o = cJSON_CreateObject();
  cli_json_number(o, "start", s->energy_start);
  cli_json_number(o, "kinetic", e->kinetic);
  cli_json_number(o, "potential", e->potential);
  cli_json_number(o, "work_forces", e->work_forces);
  cli_json_number(o, "work_drive", e->work_drive);
  cli_json_number(o, "loss_normal", e->loss_normal);
  cli_json_number(o, "loss_friction", e->loss_friction);
  cli_json_number(o, "work_projection", e->work_projection);
  cli_json_number(o, "defect", e->defect);
  cli_json_number(o, "at_hand", ss_ledger_energy_at_hand(s->ledger));
  return o;
}

static cJSON* state_json(const cli_summary* s)
{
  const ss_system_def* def = system_of(s);
  cJSON* o = cJSON_CreateObject();
  cli_json_number(o, "t", s->state->t);
  cli_json_number(o, "step", (double)s->state->step);
  cJSON* q = cJSON_AddObjectToObject(o, "q");
  cJSON* u = cJSON_AddObjectToObject(o, "u");
  for (int i = 0; i < def->nq; i++) cli_json_number(q, def->coordinate[i], s->state->q[i]);
  for (int i = 0; i < def->nv; i++) cli_json_number(u, def->velocity[i], s->state->u[i]);
  return o;
}

static cJSON* files_json(const cli_outputs* files)
{
  cJSON* o = cJSON_CreateObject();
  if (files->record_path) cJSON_AddStringToObject(o, "record", files->record_path);
  if (files->page_path) cJSON_AddStringToObject(o, "page", files->page_path);
  if (files->csv_path) cJSON_AddStringToObject(o, "csv", files->csv_path);
  if (files->events_path) cJSON_AddStringToObject(o, "events", files->events_path);
  return o;
}

int cli_summary_json(const cli_summary* summary)
{
  cJSON* o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "model", ss_model_name(summary->model));
  cJSON_AddStringToObject(o, "status", summary->how);
  cli_json_put(o, "settings", settings_json(summary));
  cli_json_put(o, "counts", counts_json(summary));
  cli_json_put(o, "energy", energy_json(summary));
  cli_json_put(o, "state", state_json(summary));
  cli_json_number(o, "seconds", summary->seconds);
  cli_json_put(o, "files", files_json(summary->files));
  if (summary->dump->folder) {
    cJSON* problems = cJSON_AddObjectToObject(o, "problems");
    cJSON_AddStringToObject(problems, "folder", summary->dump->folder);
    cli_json_number(problems, "saved", (double)summary->dump->written);
    cli_json_number(problems, "left_out", (double)summary->dump->left_out);
  }
  return cli_print_json(o);
}
