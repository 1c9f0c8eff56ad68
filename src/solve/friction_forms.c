// The formulations with facets and with Todorov's equations as methods for contact problems.
#include "solve/friction_forms.h"
#include "solve/cone.h"
#include <math.h>
#include <stdlib.h>
#include <stickslip/polyhedral.h>
#include <string.h>

struct ss_friction_forms {
  ss_friction_run* run;
  ss_contact_problem p;
  double *G, *b, *row;             // m x m; m each
  double *unit, *column, *none;    // blocks of the space: a unit impulse, what it causes, zeros
  ss_contact_kind* kind;           // n_contact
  ss_arena* arena;
  size_t bytes;                    // of the arena
  ss_dissipation_def def;
};

// ---- names ----

static ss_dissipation_method form_of(ss_friction_method m)
{
  switch (m) {
    case SS_FRICTION_MLCP_PATH: return SS_DISSIPATION_MLCP_PATH;
    case SS_FRICTION_MLCP_PFB_RLM: return SS_DISSIPATION_MLCP_PFB_RLM;
    case SS_FRICTION_MLCP_PFB_PLM: return SS_DISSIPATION_MLCP_PFB_PLM;
    case SS_FRICTION_MNCP_RLM: return SS_DISSIPATION_MNCP_RLM;
    case SS_FRICTION_MNCP_PLM: return SS_DISSIPATION_MNCP_PLM;
    default: return SS_DISSIPATION_AUTO;
  }
}

static ss_friction_method name_of(ss_dissipation_method m)
{
  return (ss_friction_method)(SS_FRICTION_MLCP_PATH + (int)m - (int)SS_DISSIPATION_MLCP_PATH);
}

bool ss_friction_is_form(ss_friction_method m) { return form_of(m) != SS_DISSIPATION_AUTO; }

bool ss_friction_has_facets(ss_friction_method m)
{
  return m == SS_FRICTION_MLCP_PATH || m == SS_FRICTION_MLCP_PFB_RLM || m == SS_FRICTION_MLCP_PFB_PLM;
}

// ---- memory ----

void ss_friction_forms_destroy(ss_friction_forms* f)
{
  if (!f) return;
  free(f->G);
  free(f->kind);
  ss_arena_destroy(f->arena);
  free(f);
}

static ss_friction_forms* create(const ss_friction_space* s)
{
  ss_friction_forms* f = calloc(1, sizeof *f);
  size_t m = (size_t)s->layout.rows, blocks = (size_t)s->m;
  if (!f) return NULL;
  f->G = calloc(m*m + 2*m + 3*blocks + 1, sizeof(double));
  f->kind = calloc((size_t)s->k + 1, sizeof *f->kind);
  if (!f->G || !f->kind) {
    ss_friction_forms_destroy(f);
    return NULL;
  }
  double** part[] = {&f->b, &f->row, &f->unit, &f->column, &f->none};
  for (size_t i = 0; i < 5; i++) *part[i] = f->G + m*m + (i < 2 ? i*m : 2*m + (i - 2)*blocks);
  return f;
}

// ---- the problem as arrays ----

static ss_contact_kind kind_of(const ss_friction_layout* l, int block)
{
  if (l->element[block]) return SS_CONTACT_FRICTION;
  if (l->count[block] == 3) return SS_CONTACT_SPATIAL;
  return l->count[block] == 2 ? SS_CONTACT_PLANAR : SS_CONTACT_NORMAL;
}

static void fill_laws(ss_friction_forms* f, const ss_friction_layout* l)
{
  f->p = (ss_contact_problem){.n_contact = l->k - l->n_free, .m = l->rows, .n_bilateral = l->rows, .G = f->G, .b = f->b,
                              .kind = f->kind, .mu = l->mu + l->n_free, .bound = l->bound + l->n_free};
  for (int c = 0; c < f->p.n_contact; c++) {
    f->kind[c] = kind_of(l, l->n_free + c);
    f->p.n_bilateral -= l->count[l->n_free + c];
  }
}

// G column by column: what a unit impulse adds to the velocities
static void fill_numbers(ss_friction_forms* f, ss_friction_space* s)
{
  size_t m = (size_t)s->layout.rows;
  double* b = s->b;
  ss_friction_collect(&s->layout, b, f->b);
  s->b = f->none;
  for (size_t j = 0; j < m; j++) {
    memset(f->row, 0, m*sizeof(double));
    f->row[j] = 1;
    ss_friction_spread(&s->layout, f->row, f->unit);
    ss_friction_xi(s, f->unit, f->column);
    ss_friction_collect(&s->layout, f->column, f->row);
    for (size_t i = 0; i < m; i++) f->G[i*m + j] = f->row[i];
  }
  s->b = b;
}

// ---- preparation ----

static bool too_large(const ss_friction_forms* f, ss_dissipation_method method)
{
  ss_polyhedral poly = {.problem = &f->p, .facets = f->def.facets};
  int n = ss_polyhedral_unknowns(&poly);
  if (method == SS_DISSIPATION_MNCP_RLM || method == SS_DISSIPATION_MNCP_PLM) return f->p.m > SS_FORMS_MNCP_MAX;
  return n > (method == SS_DISSIPATION_MLCP_PATH ? SS_FORMS_PATH_MAX : SS_FORMS_PFB_MAX);
}

static ss_status take_arena(ss_friction_forms* f)
{
  size_t bytes = ss_cone_solve_size(&f->p, NULL, &f->def);
  if (bytes <= f->bytes) return SS_OK;
  ss_arena_destroy(f->arena);
  f->arena = ss_arena_create(bytes);
  f->bytes = f->arena ? bytes : 0;
  return f->arena ? SS_OK : SS_ERR_MEMORY;
}

ss_status ss_friction_forms_prepare(ss_friction_forms** forms, ss_friction_run* run, const ss_friction_def* def)
{
  ss_dissipation_def own = ss_dissipation_def_default();
  own.method = form_of(def->method);
  own.tol = def->tol;
  own.max_iter = run->max_iter;
  own.stop = def->stop;
  own.facets = def->facets;
  own.polyhedral = def->polyhedral;
  own.cone_fixed = def->cone_fixed;
  own.cone_angle = def->cone_angle;
  if (def->polyhedral && def->method == SS_FRICTION_AUTO) own.method = SS_DISSIPATION_MLCP_PATH;
  else if (def->polyhedral && !ss_friction_has_facets(def->method)) return SS_ERR_ARGUMENT;
  if (!isfinite(def->cone_angle)) return SS_ERR_ARGUMENT;
  if (def->facets < 4 || def->facets%2 != 0 || def->facets > 10000) return SS_ERR_ARGUMENT;
  if (run->s->layout.rows > SS_FORMS_PATH_MAX) return SS_ERR_CAPACITY;
  if (!*forms) *forms = create(run->s);
  if (!*forms) return SS_ERR_MEMORY;
  ss_friction_forms* f = *forms;
  f->run = run;
  f->def = own;
  fill_laws(f, &run->s->layout);
  if (too_large(f, own.method)) return SS_ERR_CAPACITY;
  fill_numbers(f, run->s);
  return take_arena(f);
}

// ---- the run ----

// The residual that all methods share
static bool judge(void* user, const double* Lambda, double* residual)
{
  ss_friction_forms* f = user;
  ss_friction_run* run = f->run;
  if (f->def.polyhedral) run->r_best = INFINITY;  // the MLCP decides, not the exact cone
  ss_friction_spread(&run->s->layout, Lambda, run->Lambda);
  bool met = ss_friction_judge(run, name_of(f->def.method));
  *residual = run->r;
  return met;
}

ss_status ss_friction_forms_run(ss_friction_forms* f, const double* guess, ss_friction_solution* out)
{
  ss_cone_run cone = {.problem = &f->p, .def = &f->def, .arena = f->arena, .guess = guess, .judge = judge, .user = f};
  size_t mark = ss_arena_mark(f->arena);
  ss_status status = ss_cone_prepare(&cone);
  if (status >= 0) status = ss_cone_solve(&cone);
  ss_arena_release(f->arena, mark);
  if (status < 0) return status;
  out->forms = cone.iterations;
  out->alignments = cone.alignments;
  out->mlcp_residual = cone.mlcp_residual;
  out->log = cone.log;
  return status;
}
