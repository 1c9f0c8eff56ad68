// `stickslip verify`: every recorded step once more, from the states alone. What the step must satisfy is written down
// here a second time, in long double; no part of an integrator or a solver is used, only the system's M, h, gaps, W:
//   momentum     M (u_E - u_A) = dt h + W Lambda
//   position     q_E = q_A + dt (..), by the rule of the integrator
//   laws         0 <= xi_N _|_ Lambda_N >= 0,  -Lambda_T in (mu Lambda_N + bound dt) Sgn(xi_T),
//                xi = gamma_E + eps gamma_A
//   energy       T, V at each row; losses -Lambda (gamma_A + gamma_E)/2; the balance of the ledger
// Runs of the event-driven integrator have no steps to repeat: gaps, energies, the balance and the events are checked.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "json.h"

typedef struct verify_options {
  double tol;
  bool json;
} verify_options;

#define AT(field) offsetof(verify_options, field)
static const cli_option options[] = {
  {"tol", 0, CLI_POSITIVE, "R", AT(tol), "what may be missing, relative to the terms of a row (default: 1e-8)", NULL},
  {"json", 0, CLI_FLAG, NULL, AT(json), "print one JSON object", NULL},
  {0},
};

const cli_command cli_verify_command = {
  .name = "verify", .operands = "RUN", .min_operands = 1, .max_operands = 1,
  .summary = "check a recorded run: every step, its contact laws, its energy",
  .purpose = "Recomputes from the states and impulses recorded in RUN whether each step satisfies the equations of "
             "motion, the rule for positions, the contact laws and the energy balance, in long double and by code of "
             "its own, and says pass or where not. Steps can be checked where every step was recorded (run --every 1). "
             "The exit status is 1 if something is off.",
  .options = options,
  .examples = "  stickslip run woodpecker -o run.h5 && stickslip verify run.h5\n",
  .main = cli_verify,
};

enum { MOMENTUM, POSITION, NORMAL, FRICTION, GAPS, EVENTS, ENERGY, LOSSES, BALANCE, CHECKS };
static const char* const names[CHECKS] = {"momentum", "position", "normal law", "friction law", "gaps",
                                          "events", "energy", "losses", "energy balance"};

typedef struct finding {
  long n;            // how often it was looked at
  long double worst; // relative
  long row;          // where
} finding;

// A run with its system, and room for two rows
typedef struct verifier {
  ss_run* run;
  const ss_run_info* info;
  ss_model* model;
  const ss_system_def* d;
  ss_at at;
  int nv, k, nb, m, rows;
  const double **q, **u, **N, **T, **state, **B;  // columns
  const double *t, *step, *kinetic, *potential, *forces, *drive, *loss_normal, *loss_friction, *projection, *defect;
  double *qa, *ua, *qe, *ue, *qm, *um, *M, *h, *gap, *W, *w_hat, *mu, *bound, *Lambda;
  long double *L, *v;      // nv nv; nv
  finding found[CHECKS];
  long not_seen;           // steps that cannot be looked at
} verifier;

static void note(verifier* v, int check, long row, long double off, long double size)
{
  finding* f = &v->found[check];
  long double part = off == 0 ? 0 : fabsl(off)/(size > 0 ? size : 1);
  f->n++;
  if (!(part <= f->worst)) {
    f->worst = part;
    f->row = row;
  }
}

// ---- the system at a place ----

static bool evaluate(verifier* v, const double* q, const double* u, double t)
{
  const ss_system_def* d = v->d;
  v->at.q = q;
  v->at.u = u;
  v->at.t = t;
  bool good = !d->update || d->update(&v->at) >= 0;
  good = good && d->mass(&v->at, v->M) >= 0 && d->force(&v->at, v->h) >= 0;
  int nb = v->nb;
  good = good && (!nb || d->bilateral(&v->at, v->gap + v->k, v->W, v->w_hat) >= 0);
  good = good && (!v->k || d->contacts(&v->at, v->gap, v->W + nb*v->nv, v->w_hat + nb) >= 0);
  for (int i = 0; i < v->k; i++) {
    v->mu[i] = d->contact[i].mu;
    v->bound[i] = d->contact[i].bound;
  }
  return good && (!d->friction || d->friction(&v->at, v->mu, v->bound) >= 0);
}

// Cholesky's factor of M
static bool factor(verifier* v)
{
  int n = v->nv;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      long double sum = v->M[i*n + j];
      for (int p = 0; p < j; p++) sum -= v->L[i*n + p]*v->L[j*n + p];
      if (i == j && !(sum > 0)) return false;
      v->L[i*n + j] = i == j ? sqrtl(sum) : sum/v->L[j*n + j];
    }
  return true;
}

// G_rr = |L^-1 W_r|^2
static long double diagonal(verifier* v, int row)
{
  int n = v->nv;
  long double sum = 0;
  for (int i = 0; i < n; i++) {
    long double x = v->W[row*n + i];
    for (int j = 0; j < i; j++) x -= v->L[i*n + j]*v->v[j];
    v->v[i] = x/v->L[i*n + i];
    sum += v->v[i]*v->v[i];
  }
  return sum;
}

static long double velocity(const verifier* v, int row, const double* u, long double* size)
{
  long double sum = v->w_hat[row];
  *size += fabsl(sum);
  for (int j = 0; j < v->nv; j++) {
    sum += (long double)v->W[row*v->nv + j]*u[j];
    *size += fabsl((long double)v->W[row*v->nv + j]*u[j]);
  }
  return sum;
}

// ---- a step ----

static void load(verifier* v, long row, double* q, double* u)
{
  for (int i = 0; i < v->nv; i++) {
    q[i] = v->q[i][row];
    u[i] = v->u[i][row];
  }
}

static void check_momentum(verifier* v, long row, double dt)
{
  long double worst = 0, size = 0;
  for (int i = 0; i < v->nv; i++) {
    long double sum = 0, terms = 0;
    for (int j = 0; j < v->nv; j++) {
      sum += v->M[i*v->nv + j]*((long double)v->ue[j] - v->ua[j]);
      terms += fabsl((long double)v->M[i*v->nv + j])*(fabs(v->ue[j]) + fabs(v->ua[j]));
    }
    sum -= (long double)dt*v->h[i];
    terms += fabsl((long double)dt*v->h[i]);
    for (int r = 0; r < v->rows; r++) {
      sum -= (long double)v->W[r*v->nv + i]*v->Lambda[r];
      terms += fabsl((long double)v->W[r*v->nv + i]*v->Lambda[r]);
    }
    worst = fmaxl(worst, fabsl(sum));
    size = fmaxl(size, terms);
  }
  note(v, MOMENTUM, row, worst, size);
}

static void check_position(verifier* v, long row, double dt, double theta)
{
  for (int i = 0; i < v->nv; i++) {
    long double way = (long double)dt*((1 - (long double)theta)*v->ua[i] + (long double)theta*v->ue[i]);
    note(v, POSITION, row, (long double)v->qe[i] - v->qa[i] - way, fabs(v->qe[i]) + fabs(v->qa[i]) + fabsl(way));
  }
}

// The friction law with this limit, as a distance: x - P(x - xi), x = g Lambda
static long double friction_off(long double x, long double xi, long double limit)
{
  return x - fmaxl(-limit, fminl(limit, x - xi));
}

// `size`: of velocities in this step
static void check_contact(verifier* v, long row, int i, int r, double dt, bool was_stuck, long double size, bool hits)
{
  const ss_contact_def* c = &v->d->contact[i];
  bool normal = c->kind != SS_CONTACT_FRICTION, tangent = c->kind != SS_CONTACT_NORMAL;
  bool euler = v->info->run.step.integrator == SS_EULER;
  bool open = (int)v->state[i][row] == SS_OPEN;
  long double dummy = 0, N = normal ? v->Lambda[r] : 0;
  if (normal) {
    long double before = velocity(v, r, v->ua, &dummy), after = velocity(v, r, v->ue, &dummy);
    long double xi = after + c->eps_n*(euler && before > 0 ? 0 : before), g = diagonal(v, r);
    if (hits) xi = after;  // by Poisson's law: no contact is left closing
    if (open) note(v, NORMAL, row, N, 1);
    else if (hits) note(v, NORMAL, row, fminl(0, fminl(xi, N*g)), size);
    else note(v, NORMAL, row, fminl(xi, N*g), size);
    r++;
  }
  if (!tangent) return;
  long double before = velocity(v, r, v->ua, &dummy), after = velocity(v, r, v->ue, &dummy), g = diagonal(v, r);
  long double xi = after + c->eps_t*before, T = v->Lambda[r], kinetic = v->mu[i]*N + v->bound[i]*(long double)dt;
  long double rest = fmaxl(c->mu_static, v->mu[i])*N + fmaxl(c->bound_static, v->bound[i])*(long double)dt, off;
  if (hits) off = fmaxl(0, fabsl(T) - kinetic)*g;
  else {
    off = friction_off(T*g, xi, kinetic*g);
    long double other = friction_off(T*g, xi, rest*g);
    if ((was_stuck || rest > kinetic) && fabsl(other) < fabsl(off)) off = other;
  }
  note(v, FRICTION, row, open ? T*g : off, size);
}

// Impulses of the row, and the losses that they stand for
static void check_losses(verifier* v, long row, long double* normal, long double* friction)
{
  long double dn = 0, df = 0, size = 0;
  for (int i = 0, r = v->nb; i < v->k; i++) {
    for (int j = 0; j < ss_contact_rows(v->d->contact[i].kind); j++, r++) {
      long double terms = 0, mean = (velocity(v, r, v->ua, &terms) + velocity(v, r, v->ue, &terms))/2;
      bool is_normal = j == 0 && v->d->contact[i].kind != SS_CONTACT_FRICTION;
      *(is_normal ? &dn : &df) -= v->Lambda[r]*mean;
      size += fabsl(v->Lambda[r])*terms;
    }
  }
  *normal += dn;
  *friction += df;
  if (!v->info->run.step.account) return;
  size += fabs(v->loss_normal[row]) + fabs(v->loss_friction[row]) + fabs(v->kinetic[row]);
  note(v, LOSSES, row, v->loss_normal[row] - v->loss_normal[row - 1] - dn, size);
  note(v, LOSSES, row, v->loss_friction[row] - v->loss_friction[row - 1] - df, size);
}

static bool check_step(verifier* v, long row, long double* normal, long double* friction)
{
  const ss_step_def* def = &v->info->run.step;
  double dt = def->dt, theta = def->integrator == SS_EULER ? 1 : def->integrator == SS_JEAN ? def->theta : 0.5;
  double where = def->integrator == SS_EULER ? 0 : def->integrator == SS_JEAN ? theta : 0.5;
  load(v, row - 1, v->qa, v->ua);
  load(v, row, v->qe, v->ue);
  for (int i = 0; i < v->nv; i++) {
    v->um[i] = def->integrator == SS_JEAN ? (1 - theta)*v->ua[i] + theta*v->ue[i] : v->ua[i];
    v->qm[i] = v->qa[i] + where*dt*v->um[i];
  }
  if (!evaluate(v, v->qm, v->um, v->t[row - 1] + where*dt) || !factor(v)) return false;
  for (int i = 0; i < v->nb; i++) v->Lambda[i] = v->B[i][row];
  for (int i = 0, r = v->nb; i < v->k; i++) {
    if (v->d->contact[i].kind != SS_CONTACT_FRICTION) v->Lambda[r++] = v->N[i][row];
    if (v->d->contact[i].kind != SS_CONTACT_NORMAL) v->Lambda[r++] = v->T[i][row];
  }
  bool projected = def->project || v->nb;  // positions, and with constraints velocities, are moved afterwards
  if (!projected) check_position(v, row, dt, theta);
  if (!v->nb) check_momentum(v, row, dt);
  bool hits = false;
  long double size = 0;
  for (int i = 0, r = v->nb; i < v->k; r += ss_contact_rows(v->d->contact[i++].kind)) {
    for (int j = 0; j < ss_contact_rows(v->d->contact[i].kind); j++) {
      long double terms = 0;
      velocity(v, r + j, v->ua, &terms);
      velocity(v, r + j, v->ue, &terms);
      size = fmaxl(size, terms + fabsl(v->Lambda[r + j])*diagonal(v, r + j));
    }
    long double dummy = 0;
    if (def->impact != SS_IMPACT_NEWTON && v->d->contact[i].kind != SS_CONTACT_FRICTION && v->Lambda[r] > 0)
      hits = hits || velocity(v, r, v->ua, &dummy) < 0;
  }
  for (int i = 0, r = v->nb; !v->nb && i < v->k; r += ss_contact_rows(v->d->contact[i++].kind))
    check_contact(v, row, i, r, dt, (int)v->state[i][row - 1] == SS_STICK, size, hits);
  if (!projected || !v->nb) check_losses(v, row, normal, friction);
  return true;
}

// ---- a row ----

static bool check_row(verifier* v, long row)
{
  load(v, row, v->qe, v->ue);
  if (!evaluate(v, v->qe, v->ue, v->t[row])) return false;
  bool exact = v->info->run.step.integrator == SS_EVENT_DRIVEN;
  for (int i = 0; exact && row > 0 && i < v->k; i++) {  // the start may overlap: that is put right
    if (v->d->contact[i].kind == SS_CONTACT_FRICTION) continue;
    long double size = 0;
    for (int j = 0, r = v->nb; j <= i; r += ss_contact_rows(v->d->contact[j++].kind))
      for (int p = 0; j == i && p < v->nv; p++) size += fabsl((long double)v->W[r*v->nv + p]*v->qe[p]);
    bool closed = (int)v->state[i][row] != SS_OPEN;
    note(v, GAPS, row, closed ? v->gap[i] : fmin(0, v->gap[i]), size + fabsl((long double)v->gap[i]) + 1e-6L);
  }
  if (!v->info->run.step.account || !v->d->energy) return true;
  ss_energy e = {0};
  if (v->d->energy(&v->at, &e) < 0) return false;
  long double size = fabs(e.kinetic) + fabs(e.potential);
  note(v, ENERGY, row, (long double)e.kinetic - v->kinetic[row], size);
  note(v, ENERGY, row, (long double)e.potential - v->potential[row], size);
  long double left = (long double)e.kinetic + e.potential - v->kinetic[0] - v->potential[0];
  long double right = (long double)v->forces[row] + v->drive[row] - v->loss_normal[row] - v->loss_friction[row] +
                      v->projection[row];
  size += fabs(v->kinetic[0]) + fabs(v->potential[0]) + fabs(v->forces[row]) + fabs(v->drive[row]) +
          fabs(v->loss_normal[row]) + fabs(v->loss_friction[row]);
  note(v, BALANCE, row, left - right - (exact ? 0 : v->defect[row]), size);  // events: to the tolerance of the arcs
  return true;
}

// ---- the run ----

static const double* column(verifier* v, const char* prefix, const char* name, ss_error* error)
{
  char full[400];
  snprintf(full, sizeof full, "%s%s", prefix, name);
  return error->status < 0 ? NULL : ss_run_column(v->run, full, error);
}

static bool open_columns(verifier* v, ss_error* error)
{
  size_t k = (size_t)v->k + 1, nv = (size_t)v->nv, rows = (size_t)v->rows + 1;
  v->q = calloc(2*nv + 3*k + (size_t)v->nb, sizeof *v->q);
  double* p = calloc(6*nv + nv*nv + nv + 3*k + (size_t)v->nb + rows*nv + 2*rows, sizeof *p);
  v->L = calloc(nv*nv + nv, sizeof *v->L);
  v->qa = p;
  if (!v->q || !p || !v->L) return ss_error_set(error, SS_ERR_MEMORY, "out of memory"), false;
  v->u = v->q + nv;
  v->N = v->u + nv;
  v->T = v->N + k;
  v->state = v->T + k;
  v->B = v->state + k;
  double** part[] = {&v->ua, &v->qe, &v->ue, &v->qm, &v->um};
  p += nv;
  for (int i = 0; i < 5; i++, p += nv) *part[i] = p;
  v->M = p;
  v->h = v->M + nv*nv;
  v->mu = v->h + nv;
  v->bound = v->mu + k;
  v->gap = v->bound + k;
  v->W = v->gap + k + v->nb;
  v->w_hat = v->W + rows*nv;
  v->Lambda = v->w_hat + rows;
  v->v = v->L + nv*nv;
  for (int i = 0; i < v->nv; i++) {
    v->q[i] = column(v, "", v->info->coordinate[i], error);
    v->u[i] = column(v, "u_", v->info->coordinate[i], error);
  }
  for (int i = 0; i < v->k; i++) {
    v->N[i] = column(v, "Lambda_N.", v->info->contact[i], error);
    v->T[i] = column(v, "Lambda_T.", v->info->contact[i], error);
    v->state[i] = column(v, "state.", v->info->contact[i], error);
  }
  for (int i = 0; i < v->nb; i++) v->B[i] = column(v, "Lambda.", v->info->bilateral[i], error);
  const struct { const double** to; const char* name; } more[] = {
    {&v->t, "t"}, {&v->step, "step"}, {&v->kinetic, "energy.kinetic"}, {&v->potential, "energy.potential"},
    {&v->forces, "energy.work_forces"}, {&v->drive, "energy.work_drive"}, {&v->loss_normal, "energy.loss_normal"},
    {&v->loss_friction, "energy.loss_friction"}, {&v->projection, "energy.work_projection"},
    {&v->defect, "energy.defect"}};
  for (size_t i = 0; i < sizeof more/sizeof *more; i++) *more[i].to = column(v, "", more[i].name, error);
  return error->status >= 0;
}

// Impacts of the event-driven integrator: no pull, friction within its limit, nothing left closing
static bool check_events(verifier* v, ss_error* error)
{
  const ss_event* e = v->info->n_events ? ss_run_events(v->run, NULL, NULL, error) : NULL;
  for (long i = 0; e && i < v->info->n_events; i++) {
    const ss_contact_def* c = &v->d->contact[e[i].contact];
    if (e[i].kind != SS_EVENT_IMPACT || c->kind == SS_CONTACT_FRICTION) continue;
    long row = 0;
    while (row + 1 < v->info->n_rows && v->t[row] < e[i].t) row++;
    double speed = fabs(e[i].gamma_before[0]) + fabs(e[i].gamma_after[0]), push = fabs(e[i].Lambda[0]);
    note(v, EVENTS, row, fmin(0, e[i].Lambda[0]), push);
    note(v, EVENTS, row, fmin(0, e[i].gamma_after[0]), speed);
    if (!c->varies) note(v, EVENTS, row, fmax(0, fabs(e[i].Lambda[1]) - c->mu*push), push);
  }
  return e || !v->info->n_events;
}

static bool check_all(verifier* v)
{
  long double normal = 0, friction = 0;
  bool steps = v->info->run.step.integrator != SS_EVENT_DRIVEN;
  for (long row = 0; row < v->info->n_rows; row++) {
    if (!check_row(v, row)) return false;
    if (!steps || row == 0) continue;
    if (v->step[row] != v->step[row - 1] + 1) v->not_seen++;
    else if (!check_step(v, row, &normal, &friction)) return false;
  }
  return true;
}

static int print(const verifier* v, const verify_options* o)
{
  bool pass = true;
  for (int i = 0; i < CHECKS; i++) pass = pass && v->found[i].worst <= o->tol;
  cJSON* j = o->json ? cJSON_CreateObject() : NULL;
  if (j) {
    cJSON_AddStringToObject(j, "model", v->info->model_name);
    cJSON_AddBoolToObject(j, "pass", pass);
    cli_json_number(j, "rows", (double)v->info->n_rows);
    cli_json_number(j, "not_checked", (double)v->not_seen);
    for (int i = 0; i < CHECKS; i++) {
      if (!v->found[i].n) continue;
      cJSON* c = cJSON_AddObjectToObject(j, names[i]);
      cli_json_number(c, "worst", (double)v->found[i].worst);
      cli_json_number(c, "t", v->t[v->found[i].row]);
      cli_json_number(c, "checks", (double)v->found[i].n);
    }
    int status = cli_print_json(j);
    return status == CLI_DONE && !pass ? CLI_MISSED : status;
  }
  printf("run             %s, %ld rows\n", v->info->model_name, v->info->n_rows);
  for (int i = 0; i < CHECKS; i++) {
    const finding* f = &v->found[i];
    if (!f->n) printf("%-15s not checked\n", names[i]);
    else printf("%-15s %s, largest %.2Le at t = %.9g s (%ld checks)\n", names[i], f->worst <= o->tol ? "pass" : "OFF",
                f->worst, v->t[f->row], f->n);
  }
  if (v->not_seen) printf("steps           %ld were not recorded one by one and could not be checked\n", v->not_seen);
  printf("%s\n", pass ? "pass" : "NOT PASSED");
  return pass ? CLI_DONE : CLI_MISSED;
}

static int verify(verifier* v, const verify_options* o)
{
  ss_error error = {0};
  if (v->info->listed) {
    cli_error("runs of scenes cannot be verified: their contacts come and go");
    return CLI_BAD_INPUT;
  }
  ss_model_def def = {.n_override = v->info->n_override, .override = v->info->override};
  v->model = ss_model_parse(v->info->model_text, strlen(v->info->model_text), v->info->model_name, &def, &error);
  if (!v->model) return cli_fail(&error);
  v->d = ss_system_get(ss_model_system(v->model));
  v->nv = v->d->nv;
  v->k = v->d->n_contact;
  v->nb = v->d->n_bilateral;
  v->m = ss_system_rows(ss_model_system(v->model));
  v->rows = v->m + v->nb;
  char message[SS_AT_MESSAGE] = "";
  v->at = (ss_at){.user = v->d->user, .scratch = calloc(1, v->d->scratch_size + 1), .message = message};
  if (!v->at.scratch) return cli_out_of_memory();
  int status = CLI_GO_ON;
  if (!open_columns(v, &error)) status = cli_fail(&error);
  else if (v->info->run.step.integrator == SS_EVENT_DRIVEN && !check_events(v, &error)) status = cli_fail(&error);
  else if (!check_all(v)) {
    cli_error("the system cannot be evaluated at a recorded state");
    status = CLI_FAILED;
  }
  return status == CLI_GO_ON ? print(v, o) : status;
}

int cli_verify(int argc, char** argv)
{
  verify_options o = {.tol = 1e-8};
  verifier v = {0};
  ss_error error = {0};
  int n;
  int status = cli_parse(&cli_verify_command, argc, argv, &o, &n);
  if (status != CLI_GO_ON) return status;
  v.run = ss_run_open(argv[1], &error);
  if (!v.run) return cli_fail(&error);
  v.info = ss_run_get_info(v.run);
  status = verify(&v, &o);
  free(v.at.scratch);
  free(v.q);
  free(v.qa);
  free(v.L);
  ss_model_destroy(v.model);
  ss_run_close(v.run);
  return status;
}
