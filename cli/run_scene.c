// Options that only scenes have.
#include "run_scene.h"

#include <math.h>
#include <string.h>

enum { MOST_THREADS = 256, MOST_FACETS = 1024 };

const char* const cli_friction_solvers[] = {"auto",         "nsgs",         "newton",   "ipm",      "admm", "mlcp-path",
                                            "mlcp-pfb-rlm", "mlcp-pfb-plm", "mncp-rlm", "mncp-plm", NULL};
const char* const cli_cones[] = {"exact", "polyhedral", NULL};
const char* const cli_coordinates[] = {"minimal", "redundant", NULL};

const char* cli_scene_option_given(const cli_scene_options* o)
{
  if (o->solver >= 0) return "solver";
  if (o->cone >= 0) return "cone";
  if (o->facets) return "facets";
  if (o->cone_align >= 0) return "cone-align";
  if (!isnan(o->cone_angle)) return "cone-angle";
  if (!isnan(o->compliance)) return "compliance";
  if (o->threads) return "threads";
  if (o->key) return "key";
  return o->coordinates >= 0 ? "coordinates" : NULL;
}

bool cli_scene_overrides(const cli_scene_options* o, cli_overrides* overrides)
{
  if (o->key && !cli_overrides_add(overrides, "stickslip.key", o->key)) return false;
  return o->coordinates < 0 || cli_overrides_add(overrides, "stickslip.coordinates", cli_coordinates[o->coordinates]);
}

// What goes with what, also where part of it stands in the file
static int check(const cli_command* c, const cli_scene_options* o, const ss_friction_def* f)
{
  const char* solver = ss_friction_method_name(f->method);
  bool mlcp = strncmp(solver, "mlcp-", 5) == 0;
  if (o->facets && (o->facets < 4 || o->facets%2 || o->facets > MOST_FACETS))
    return cli_usage(c, "--facets is %ld; it must be even, 4 to %d", o->facets, MOST_FACETS);
  if (o->facets && !mlcp && !f->polyhedral)
    return cli_usage(c, "--facets is for --solver mlcp-... or --cone polyhedral");
  if (f->polyhedral && !mlcp && f->method != SS_FRICTION_AUTO)
    return cli_usage(c, "--cone polyhedral is for --solver auto and mlcp-..., not %s", solver);
  if (o->cone_align >= 0 && !f->polyhedral) return cli_usage(c, "--cone-align is for --cone polyhedral");
  if (!isnan(o->cone_angle) && !(f->polyhedral && f->cone_fixed))
    return cli_usage(c, "--cone-angle is for --cone polyhedral with --cone-align off");
  return CLI_GO_ON;
}

void cli_scene_set(const cli_scene_options* o, ss_step_def* step)
{
  ss_friction_def* f = &step->friction;
  if (o->solver >= 0) f->method = (ss_friction_method)o->solver;
  if (o->cone >= 0) f->polyhedral = o->cone == 1;
  if (o->cone_align >= 0) f->cone_fixed = o->cone_align == 1;
  if (!isnan(o->cone_angle)) f->cone_angle = o->cone_angle*acos(-1)/180;
  if (!isnan(o->compliance)) f->compliance = o->compliance;
  if (o->facets > 0 && o->facets <= MOST_FACETS) f->facets = (int)o->facets;
  if (o->threads > 0 && o->threads <= MOST_THREADS) step->threads = (int)o->threads;
}

int cli_scene_check(const cli_command* c, const cli_scene_options* o, const ss_model* model, const ss_step_def* step)
{
  const char* given = cli_scene_option_given(o);
  if (!given) return CLI_GO_ON;
  if (!ss_model_scene(model))
    return cli_usage(c, "--%s is for scenes (MJCF files, docs/scenes.md); '%s' is a text model", given,
                     ss_model_name(model));
  if (o->threads > MOST_THREADS) return cli_usage(c, "--threads is %ld; it must be 1 to %d", o->threads, MOST_THREADS);
  if (!(step->friction.compliance >= 0 && step->friction.compliance <= 1))
    return cli_usage(c, "--compliance is %g; it must be in 0..1", step->friction.compliance);
  return check(c, o, &step->friction);
}
