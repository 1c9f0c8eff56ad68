// Settings of an MJCF file: compiler, option and its flags, and the section <stickslip>.
#include <stdio.h>
#include <string.h>
#include "base/text.h"
#include "io/mjcf.h"

static ss_status read_eulerseq(ss_mjcf* r, const ss_mj_value* v)
{
  if (strlen(v->text) != 3 || strspn(v->text, "xyzXYZ") != 3)
    return ss_mj_error_of(r, v, "compiler: eulerseq is '%.20s'; it must be three letters of x, y, z, X, Y, Z", v->text);
  memcpy(r->set.eulerseq, v->text, 4);
  return SS_OK;
}

static ss_status read_bound(ss_mjcf* r, const ss_mj_value* v, const char* name, double* x)
{
  if (!v->text) return SS_OK;
  if (v->v[0] < 0) return ss_mj_error_of(r, v, "compiler: %s is %g; it must not be negative", name, v->v[0]);
  *x = v->v[0];
  return SS_OK;
}

ss_status ss_mj_read_compiler(ss_mjcf* r, const ss_xml_node* node, const ss_mj_element* e, const ss_mj_scope* scope)
{
  ss_mj_compiler v = {0};
  (void)scope;
  if (ss_mj_read(r, node, e, -1, &v) < 0) return SS_ERR_INPUT;
  if (v.coordinate.text && v.coordinate.word == 1)
    return ss_mj_error_of(r, &v.coordinate, "compiler: global coordinates are not read; poses must be local");
  if (v.autolimits.text) r->set.autolimits = v.autolimits.word;
  if (v.balanceinertia.text) r->balance = v.balanceinertia.word;
  if (v.angle.text) r->set.degree = v.angle.word;
  if (v.inertiafromgeom.text) r->inertiafromgeom = v.inertiafromgeom.word;
  if (v.eulerseq.text && read_eulerseq(r, &v.eulerseq) < 0) return SS_ERR_INPUT;
  if (read_bound(r, &v.boundmass, "boundmass", &r->boundmass) < 0 ||
      read_bound(r, &v.boundinertia, "boundinertia", &r->boundinertia) < 0)
    return SS_ERR_INPUT;
  if (v.strippath.text) r->set.strippath = v.strippath.word;
  if (v.fitaabb.text) r->set.fitaabb = v.fitaabb.word;
  const ss_mj_value* folder = v.meshdir.text ? &v.meshdir : &v.assetdir;
  if (folder->text && !(r->set.meshdir = ss_pool_copy(&r->out->pool, folder->text, strlen(folder->text))))
    return ss_mj_memory(r);
  if (v.settotalmass.text) r->settotalmass = v.settotalmass.v[0];
  for (int i = 0; i < 2 && v.inertiagrouprange.text; i++) r->inertiagroup[i] = (int)v.inertiagrouprange.v[i];
  return SS_OK;
}

ss_status ss_mj_read_option(ss_mjcf* r, const ss_xml_node* node, const ss_mj_element* e, const ss_mj_scope* scope)
{
  ss_scene* s = &r->out->scene;
  ss_mj_option v = {0};
  (void)scope;
  if (ss_mj_read(r, node, e, -1, &v) < 0) return SS_ERR_INPUT;
  if (v.timestep.text) s->option.timestep = v.timestep.v[0];
  if (!(s->option.timestep > 0))
    return ss_mj_error_of(r, &v.timestep, "option: timestep is %g; it must be positive", v.timestep.v[0]);
  if (v.gravity.text) memcpy(s->tree.gravity, v.gravity.v, sizeof s->tree.gravity);
  if (v.integrator.text) {
    s->option.integrator = ss_pool_copy(&r->out->pool, v.integrator.text, strlen(v.integrator.text));
    if (!s->option.integrator) return ss_mj_memory(r);
    ss_status st = ss_mj_notice(r, SS_SCENE_APPROXIMATED, "option", "integrator",
                                "the scheme of <stickslip> is used, moreau if it names none", v.integrator.line, 1);
    if (st < 0) return st;
  }
  if (v.cone.text && v.cone.word == 0)
    return ss_mj_notice(r, SS_SCENE_APPROXIMATED, "option", "cone=\"pyramidal\"",
                        "the exact cone is used unless <stickslip> asks for cone=\"polyhedral\"", v.cone.line, 1);
  return SS_OK;
}

static bool off(const ss_mj_value* v) { return v->text && v->word == 0; }

ss_status ss_mj_read_flag(ss_mjcf* r, const ss_xml_node* node, const ss_mj_element* e, const ss_mj_scope* scope)
{
  ss_scene_option* o = &r->out->scene.option;
  ss_mj_flag v = {0};
  (void)scope;
  if (ss_mj_read(r, node, e, -1, &v) < 0) return SS_ERR_INPUT;
  bool none = off(&v.constraint);
  if (none || off(&v.contact)) o->contact = false;
  if (none || off(&v.equality)) r->equality = false;
  if (none || off(&v.limit)) r->limit = false;
  if (none || off(&v.frictionloss)) r->frictionloss = false;
  if (off(&v.passive) || off(&v.spring)) r->spring = false;
  if (off(&v.passive) || off(&v.damper)) r->damper = false;
  if (off(&v.gravity)) r->gravity = false;
  if (off(&v.clampctrl)) o->clampctrl = false;
  if (off(&v.filterparent)) o->filterparent = false;
  if (off(&v.actuation)) o->actuation = false;
  return SS_OK;
}

// ---- <stickslip> ----

enum { MOST_NAMES = 32 };

// A name that none of the list (get(0), get(1), ... until NULL) is
static ss_status no_such(ss_mjcf* r, const ss_mj_value* v, const char* attribute, const char* (*get)(int))
{
  const char* names[MOST_NAMES];
  char all[256] = "";
  int n = 0;
  for (; n < MOST_NAMES && get(n); n++) {
    names[n] = get(n);
    size_t used = strlen(all);
    snprintf(all + used, sizeof all - used, "%s%s", n ? ", " : "", names[n]);
  }
  const char* near = ss_suggest(v->text, names, n);
  return ss_mj_error_of(r, v, "stickslip: %s is '%.40s'; it must be one of: %s%s%s%s", attribute, v->text, all,
                        near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static const char* scheme_name(int i) { return ss_integrator_name((ss_integrator)i); }
static const char* solver_name(int i) { return ss_friction_method_name((ss_friction_method)i); }
static const char* order_name(int i) { return ss_impact_order_name((ss_impact_order)i); }
static const char* impact_name(int i) { return ss_impact_law_name((ss_impact_law)i); }

static ss_status read_solver(ss_mjcf* r, const ss_mj_stickslip* v, ss_friction_def* solver)
{
  if (v->solver.text && !ss_friction_method_find(v->solver.text, &solver->method))
    return no_such(r, &v->solver, "solver", solver_name);
  if (v->cone.text) solver->polyhedral = v->cone.word;
  if (v->facets.text) solver->facets = (int)v->facets.v[0];
  if (v->facets.text && (solver->facets < 4 || solver->facets%2 || solver->facets > 1024))
    return ss_mj_error_of(r, &v->facets, "stickslip: facets is %d; it must be even, 4 to 1024", solver->facets);
  if (v->tolerance.text) solver->tol = v->tolerance.v[0];
  if (!(solver->tol > 0))
    return ss_mj_error_of(r, &v->tolerance, "stickslip: tolerance is %g; it must be positive", solver->tol);
  if (v->compliance.text) solver->compliance = v->compliance.v[0];
  if (!(solver->compliance >= 0 && solver->compliance <= 1))
    return ss_mj_error_of(r, &v->compliance, "stickslip: compliance is %g; it must be in 0..1", solver->compliance);
  if (v->iterations.text) solver->max_iter = (int)v->iterations.v[0];
  if (solver->max_iter < 0)
    return ss_mj_error_of(r, &v->iterations, "stickslip: iterations is %d; it must not be negative", solver->max_iter);
  return SS_OK;
}

// The end time, which is later than the start
static ss_status read_end(ss_mjcf* r, const ss_xml_node* node, const ss_mj_value* until, ss_scene_run* run)
{
  double start = run->key >= 0 ? r->out->key[run->key].time : 0;
  if (until->text) run->until = until->v[0];
  else if (!r->has_until) run->until = start + 1;
  r->has_until = r->has_until || until->text;
  if (run->until > start) return SS_OK;
  if (run->key < 0) return ss_mj_error_of(r, until, "stickslip: until is %g; it must be positive", run->until);
  return ss_mj_error_at(r, node, "stickslip: until is %g; it must be later than the time of the key, %g", run->until,
                        start);
}

ss_status ss_mj_read_stickslip(ss_mjcf* r, const ss_xml_node* node, const ss_mj_element* e, const ss_mj_scope* scope)
{
  ss_scene_run* run = &r->out->scene.run;
  ss_mj_stickslip v = {0};
  (void)scope;
  if (ss_mj_read(r, node, e, -1, &v) < 0 || read_solver(r, &v, &run->solver) < 0) return SS_ERR_INPUT;
  if (v.scheme.text && !ss_integrator_find(v.scheme.text, &run->scheme))
    return no_such(r, &v.scheme, "scheme", scheme_name);
  if (v.impact.text && !ss_impact_law_find(v.impact.text, &run->impact))
    return no_such(r, &v.impact, "impact", impact_name);
  if (v.order.text && !ss_impact_order_find(v.order.text, &run->order))
    return no_such(r, &v.order, "multiple-impacts", order_name);
  if (v.limited.text) run->energy_limited = v.limited.word;
  if (run->solver.compliance > 0 &&
      ss_mj_notice(r, SS_SCENE_APPROXIMATED, "stickslip", "compliance",
                   "contacts yield; they are not rigid", node->line, 1) < 0)
    return SS_ERR_MEMORY;
  if (v.project.text) run->project = (ss_projection)v.project.word;
  if (v.coordinates.text) run->redundant = v.coordinates.word;
  if (v.key.text && ss_mj_refer(r, SS_MJ_KEY, &v.key, "key", &run->key) < 0) return SS_ERR_INPUT;
  return read_end(r, node, &v.until, run);
}
