// Contact problems in units of their own.
#include "solve/cone.h"
#include "base/arena.h"
#include "math/dense.h"
#include "solve/friction_set.h"
#include <math.h>
#include <string.h>

// ---- memory ----

size_t ss_cone_size(const ss_contact_problem* p)
{
  size_t m = (size_t)p->m, k = (size_t)p->n_contact;
  return ss_arena_bytes(sizeof(double)*(m*m + 5*m + k)) + ss_arena_bytes(sizeof(ss_friction_set)*k) +
         ss_arena_bytes(sizeof(int)*(k + 1));
}

static bool take_memory(ss_cone_run* run)
{
  size_t m = (size_t)run->problem->m, k = (size_t)run->problem->n_contact;
  double* d = ss_arena_array(run->arena, double, m*m + 5*m + k);
  run->shape = run->set ? ss_arena_array(run->arena, ss_friction_set, k) : NULL;
  run->first = ss_arena_array(run->arena, int, k + 1);
  if (!d || !run->first || (run->set && !run->shape)) return false;
  run->G = d;
  double** part[] = {&run->b, &run->unit, &run->xi, &run->Lambda, &run->best, &run->bound};
  for (size_t i = 0; i < sizeof part/sizeof *part; i++) *part[i] = d + m*m + i*m;
  return true;
}

// ---- checks ----

static bool is_kind(ss_contact_kind kind) { return (int)kind >= 0 && kind <= SS_CONTACT_SPATIAL; }

static ss_status check_contact(const ss_contact_problem* p, const ss_friction_set* set, int c)
{
  if (!is_kind(p->kind[c])) return SS_ERR_ARGUMENT;
  if (!(p->mu[c] >= 0 && p->mu[c] < INFINITY)) return SS_ERR_ARGUMENT;
  if (p->bound && !(p->bound[c] >= 0 && p->bound[c] < INFINITY)) return SS_ERR_ARGUMENT;
  return set && ss_friction_set_check(&set[c], NULL) < 0 ? SS_ERR_ARGUMENT : SS_OK;
}

static ss_status check(const ss_contact_problem* p, const ss_friction_set* set)
{
  int rows = p->n_bilateral;
  if (p->n_bilateral < 0 || p->n_contact < 0 || p->m < 0 || p->m > SS_MAX_ROWS) return SS_ERR_ARGUMENT;
  if (p->n_contact > 0 && (!p->kind || !p->mu)) return SS_ERR_ARGUMENT;
  if (p->m > 0 && (!p->G || !p->b)) return SS_ERR_ARGUMENT;
  for (int c = 0; c < p->n_contact; c++) {
    if (p->slide && p->slide[c] != 0) return SS_ERR_ARGUMENT;  // another law
    ss_status status = check_contact(p, set, c);
    if (status < 0) return status;
    rows += ss_contact_rows(p->kind[c]);
  }
  if (rows != p->m) return SS_ERR_ARGUMENT;
  return ss_all_finite(p->m*p->m, p->G) && ss_all_finite(p->m, p->b) ? SS_OK : SS_ERR_NUMERIC;
}

// ---- units ----

// A power of two next to 1/sqrt(mean); 1 if no impulse moves these rows
static double unit_of(double sum, int count)
{
  int e;
  if (!(sum > 0)) return 1;
  frexp(sum/count, &e);
  return ldexp(1, -e/2);
}

static void choose_units(ss_cone_run* run)
{
  const ss_contact_problem* p = run->problem;
  size_t step = (size_t)p->m + 1;  // along the diagonal
  int row = 0;
  for (; row < p->n_bilateral; row++) run->unit[row] = unit_of(fabs(p->G[(size_t)row*step]), 1);
  for (int c = 0; c < p->n_contact; c++) {
    int rows = ss_contact_rows(p->kind[c]);
    double sum = 0;
    for (int i = row; i < row + rows; i++) sum += run->G[(size_t)i*step];  // ellipses are disks there already
    for (int i = row; i < row + rows; i++) run->unit[i] = unit_of(sum, rows);
    run->first[c] = row;
    row += rows;
  }
}

// Ellipses into disks: columns and rows of G by E, b by E^T
static void stretch(ss_cone_run* run, int c, int row)
{
  int m = run->problem->m;
  for (int i = 0; i < m; i++) {
    double* r = run->G + (size_t)i*(size_t)m + row;  // (E^T G_i^T)^T = G_i E
    ss_set_stretch_t(&run->set[c], r, r);
  }
  double *r1 = run->G + (size_t)row*(size_t)m, *r2 = r1 + m;
  for (int j = 0; j < m; j++) {
    double v[2] = {r1[j], r2[j]};
    ss_set_stretch_t(&run->set[c], v, v);
    r1[j] = v[0];
    r2[j] = v[1];
  }
  ss_set_stretch_t(&run->set[c], run->b + row, run->b + row);
}

static void make_disks(ss_cone_run* run)
{
  const ss_contact_problem* p = run->problem;
  int row = p->n_bilateral;
  for (int c = 0; c < p->n_contact; c++) {
    run->shape[c] = run->set[c];
    if (p->kind[c] == SS_CONTACT_SPATIAL && run->set[c].shape == SS_SET_ELLIPSE) {
      stretch(run, c, row + 1);
      run->shape[c].shape = SS_SET_DISK;
    }
    row += ss_contact_rows(p->kind[c]);
  }
}

static void scale(ss_cone_run* run)
{
  const ss_contact_problem* p = run->problem;
  size_t m = (size_t)p->m;
  for (size_t i = 0; i < m; i++) {
    run->b[i] *= run->unit[i];
    for (size_t j = 0; j < m; j++) run->G[i*m + j] *= run->unit[i]*run->unit[j];
  }
  double largest = ss_norm_inf(p->m, run->b);
  int e = 0;
  if (largest > 0) frexp(largest, &e);
  run->beta = ldexp(1, e);
  for (size_t i = 0; i < m; i++) run->b[i] /= run->beta;
  for (int c = 0; c < p->n_contact; c++)
    run->bound[c] = p->bound ? p->bound[c]/(run->beta*run->unit[run->first[c]]) : 0;
}

const ss_friction_set* ss_cone_shape(const ss_cone_run* run, int c) { return run->shape ? &run->shape[c] : NULL; }

bool ss_cone_is_round(const ss_cone_run* run, int c)
{
  const ss_friction_set* shape = ss_cone_shape(run, c);
  return run->p.kind[c] == SS_CONTACT_SPATIAL && !(shape && shape->shape == SS_SET_POLYGON);
}

ss_status ss_cone_prepare(ss_cone_run* run)
{
  const ss_contact_problem* p = run->problem;
  ss_status status = check(p, run->set);
  if (status < 0) return status;
  if (!take_memory(run)) return SS_ERR_CAPACITY;
  size_t m = (size_t)p->m;
  memcpy(run->G, p->G, m*m*sizeof(double));
  memcpy(run->b, p->b, m*sizeof(double));
  memset(run->best, 0, m*sizeof(double));
  if (run->set) make_disks(run);
  choose_units(run);
  scale(run);
  if (!ss_all_finite(p->m*p->m, run->G) || !ss_all_finite(p->m, run->b)) return SS_ERR_NUMERIC;
  run->p = *p;
  run->p.G = run->G;
  run->p.b = run->b;
  run->p.bound = run->bound;
  run->best_residual = run->mlcp_residual = run->attempt_residual = INFINITY;
  run->n_round = run->log.count = 0;
  for (int c = 0; c < p->n_contact; c++) run->n_round += ss_cone_is_round(run, c);
  return SS_OK;
}

// The ellipse that contact c has in the caller's units
static const ss_friction_set* ellipse(const ss_cone_run* run, int c)
{
  return run->set && run->problem->kind[c] == SS_CONTACT_SPATIAL ? &run->set[c] : NULL;
}

void ss_cone_outwards(const ss_cone_run* run, const double* own, double* Lambda)
{
  for (int i = 0; i < run->p.m; i++) Lambda[i] = run->beta*run->unit[i]*own[i];
  for (int c = 0; c < run->p.n_contact; c++)
    if (ellipse(run, c)) ss_set_stretch(ellipse(run, c), Lambda + run->first[c] + 1, Lambda + run->first[c] + 1);
}

void ss_cone_inwards(const ss_cone_run* run, const double* Lambda, double* own)
{
  for (int i = 0; i < run->p.m; i++) own[i] = Lambda[i]/(run->beta*run->unit[i]);
  for (int c = 0; c < run->p.n_contact; c++)
    if (ellipse(run, c)) ss_set_shrink(ellipse(run, c), own + run->first[c] + 1, own + run->first[c] + 1);
}

// ---- judgement ----

bool ss_cone_offer(ss_cone_run* run, const double* own)
{
  double residual;
  bool met;
  ss_cone_outwards(run, own, run->Lambda);
  if (run->judge) met = run->judge(run->user, run->Lambda, &residual);
  else {
    residual = ss_dissipation_residual(run->problem, run->set, run->Lambda);
    met = residual <= run->def->tol;
  }
  if (residual < run->attempt_residual) run->attempt_residual = residual;
  if (residual < run->best_residual) {
    memcpy(run->best, run->Lambda, (size_t)run->p.m*sizeof(double));
    run->best_residual = residual;
    run->finder = run->method;
  }
  return met;
}
