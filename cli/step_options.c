// Options of all commands that simulate.
#include "step_options.h"

#include <stdio.h>
#include <string.h>

const char* const cli_integrators[] = {"moreau", "euler", "event", "jean", "rattle", NULL};  // as ss_integrator
const char* const cli_impacts[] = {"newton", "poisson", NULL};                     // as ss_impact_law
const char* const cli_impact_orders[] = {"simultaneous", "sequential", NULL};      // as ss_impact_order
const char* const cli_multiples[] = {"first", "stick", "separate", "stop", NULL};  // as ss_multiple
const char* const cli_projections[] = {"auto", "on", "off", NULL};                 // as ss_projection
const char* const cli_on_off[] = {"on", "off", NULL};

bool cli_step_option_given(const cli_step_options* o)
{
  return o->integrator >= 0 || o->impact >= 0 || o->limited >= 0 || o->order >= 0 || o->on_multiple >= 0 ||
         o->project >= 0 || !isnan(o->dt) || !isnan(o->theta) || !isnan(o->rtol) || !isnan(o->max_step) ||
         cli_scene_option_given(&o->scene);
}

// Options of scenes are no values of text models: what is wrong then is the option, not the value.
ss_model* cli_step_load(const char* name, cli_overrides* set, const cli_step_options* o, int* status)
{
  ss_error error = {0}, ignored = {0};
  int n_set = set->n;
  if (!cli_scene_overrides(&o->scene, set)) {
    *status = cli_out_of_memory();
    return NULL;
  }
  ss_model_def def = {.n_override = set->n, .override = set->item, .log = cli_log()};
  ss_model* model = ss_model_load(name, &def, &error);
  *status = CLI_GO_ON;
  if (model) return model;
  def = (ss_model_def){.n_override = n_set, .override = set->item};
  if (n_set < set->n) model = ss_model_load(name, &def, &ignored);
  if (model && !ss_model_scene(model)) return model;  // cli_step_check() will tell
  ss_model_destroy(model);
  *status = cli_fail(&error);
  return NULL;
}

// "override run.until=EXPR: run.until is 0, ..." becomes "--period EXPR: the period is 0, ..."
bool cli_period_error(ss_error* error)
{
  static const char before[] = "override run.until=", name[] = "run.until";
  if (strncmp(error->text, before, strlen(before)) != 0) return false;
  char text[sizeof error->text];
  snprintf(text, sizeof text, "--period %s", error->text + strlen(before));
  const char* at = strstr(text, name);
  if (at) snprintf(error->text, sizeof error->text, "%.*sthe period%s", (int)(at - text), text, at + strlen(name));
  else snprintf(error->text, sizeof error->text, "%s", text);
  return true;
}

void cli_step_set(const cli_step_options* o, ss_step_def* step)
{
  if (!isnan(o->dt)) step->dt = o->dt;
  if (o->integrator >= 0) step->integrator = (ss_integrator)o->integrator;
  if (o->impact >= 0) step->impact = (ss_impact_law)o->impact;
  if (o->limited >= 0) step->energy_limited = o->limited == 0;
  if (o->order >= 0) step->order = (ss_impact_order)o->order;
  if (o->project >= 0) step->project = (ss_projection)o->project;
  if (!isnan(o->theta)) step->theta = o->theta;
  if (!isnan(o->rtol)) step->event.rtol = o->rtol;
  if (!isnan(o->max_step)) step->event.max_step = o->max_step;
  if (o->on_multiple >= 0) step->event.on_multiple = (ss_multiple)o->on_multiple;
  if (step->integrator == SS_EVENT_DRIVEN || step->integrator == SS_RATTLE)
    step->project = SS_PROJECTION_AUTO;  // it has no use for what models ask for
  cli_scene_set(&o->scene, step);
}

int cli_step_check(const cli_command* c, const cli_step_options* o, const ss_model* model, const ss_step_def* step)
{
  bool event = step->integrator == SS_EVENT_DRIVEN;
  const char* given = !isnan(o->rtol) ? "rtol" : !isnan(o->max_step) ? "max-step"
                      : o->on_multiple >= 0 ? "on-multiple" : NULL;
  if (!event && given)
    return cli_usage(c, "--%s is read by --integrator event only; the steps are those of %s", given,
                     ss_integrator_name(step->integrator));
  if (!isnan(o->theta) && step->integrator != SS_JEAN)
    return cli_usage(c, "--theta is read by --integrator jean only; the steps are those of %s",
                     ss_integrator_name(step->integrator));
  if (!(step->theta >= 0.5 && step->theta <= 1)) return cli_usage(c, "--theta %g must be in 0.5..1", step->theta);
  bool rattle = step->integrator == SS_RATTLE;
  if (rattle && o->project >= 0)
    return cli_usage(c, "--project is for steps on velocity level; --integrator rattle holds gaps and constraints "
                        "itself");
  if (event && o->project >= 0)
    return cli_usage(c, "--project is for time-stepping; --integrator event always holds closed contacts at gap zero");
  if (event && !(step->event.rtol < 1)) return cli_usage(c, "--rtol %g must be below 1", step->event.rtol);
  return cli_scene_check(c, &o->scene, model, step);
}

void cli_step_text(const cli_step_options* o, char* out, size_t size)
{
  const cli_scene_options* s = &o->scene;
  snprintf(out, size, "%d %d %d %d %d %d %.17g %.17g %.17g %.17g %d %d %d %d %ld %.17g %.17g %s", o->integrator,
           o->impact, o->limited, o->order, o->on_multiple, o->project, o->dt, o->theta, o->rtol, o->max_step,
           s->solver, s->cone, s->cone_align, s->coordinates, s->facets, s->cone_angle, s->compliance,
           s->key ? s->key : "");
}
