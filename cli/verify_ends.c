// The system at one end of a step, for `stickslip verify`: of scenes M is that of the tree of bodies, of others the
// matrix.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verify_algebra.h"
#include "verify_ends.h"

bool cli_end_open(cli_end* e, cli_verifier* c)
{
  size_t nv = (size_t)c->d->nv, nb = (size_t)c->d->n_bilateral;
  ss_error error = {0};
  *e = (cli_end){.c = c, .machine = ss_model_machine(c->model), .nv = c->d->nv, .nb = c->d->n_bilateral};
  if (e->machine) e->work = ss_tree_work_create(ss_machine_tree(e->machine), &error);
  e->h = calloc(2*nv + 2*nb + 1, sizeof *e->h);
  e->M = calloc(e->machine ? 1 : nv*nv, sizeof *e->M);
  e->L = calloc((c->d->operators ? 0 : nv*nv) + nv, sizeof *e->L);
  if (!e->h || !e->M || !e->L || (e->machine && !e->work)) return false;
  e->part = e->h + nv;
  e->error = e->part + nv;
  e->error_size = e->error + nb;
  e->x = e->L + (c->d->operators ? 0 : nv*nv);
  return true;
}

void cli_end_close(cli_end* e)
{
  ss_tree_work_destroy(e->work);
  free(e->h);
  free(e->M);
  free(e->L);
  free(e->law);
  free(e->item);
  free(e->row);
  free(e->mu);
  free(e->w_hat);
  free(e->W);
}

static bool make_room(cli_end* e, int n, int rows)
{
  if (rows + n < e->room && e->w_hat) return true;
  size_t k = 2*(size_t)(rows + n) + 16;
  const ss_contact_def** law = realloc(e->law, k*sizeof *law);
  if (law) e->law = law;
  ss_contact_item* item = realloc(e->item, k*sizeof *item);
  if (item) e->item = item;
  int* row = realloc(e->row, k*sizeof *row);
  if (row) e->row = row;
  double* mu = realloc(e->mu, 2*k*sizeof *mu);
  if (mu) e->mu = mu;
  double* w_hat = realloc(e->w_hat, 2*k*sizeof *w_hat);
  if (w_hat) e->w_hat = w_hat;
  double* W = e->c->d->operators ? NULL : realloc(e->W, k*(size_t)e->nv*sizeof *W + 1);
  if (W) e->W = W;
  if (!law || !item || !row || !mu || !w_hat || (!W && !e->c->d->operators)) return false;
  e->bound = e->mu + k;
  e->g = e->w_hat + k;
  e->room = (int)k;
  return true;
}

static void number_rows(cli_end* e)
{
  e->rows = e->nb;
  for (int i = 0; i < e->n; i++) {
    e->row[i] = e->rows;
    e->mu[i] = e->law[i]->mu;
    e->bound[i] = e->law[i]->bound;
    e->rows += ss_contact_rows(e->law[i]->kind);
  }
  for (int r = 0; r < e->rows; r++) e->g[r] = NAN;
}

static bool look_listed(cli_end* e, double reach)
{
  cli_verifier* c = e->c;
  const ss_operators* op = c->d->operators;
  const ss_contact_item* item;
  int n, rows = e->nb;
  ss_status st = op->list(&c->at, reach, &n, &item);
  e->overlaps = st == SS_ERR_OVERLAP;
  if (st < 0 || op->factor(&c->at) < 0) return false;
  for (int i = 0; i < n; i++) rows += ss_contact_rows(item[i].law->kind);
  if (!make_room(e, n, rows)) return false;
  e->n = n;
  if (n) memcpy(e->item, item, sizeof *item*(size_t)n);
  for (int i = 0; i < n; i++) e->law[i] = item[i].law;
  number_rows(e);
  memset(e->w_hat, 0, sizeof(double)*(size_t)rows);
  if (op->row_drive && op->row_drive(&c->at, e->w_hat) < 0) return false;
  if (e->nb && op->bilateral(&c->at, e->error, e->error_size) < 0) return false;
  if (e->machine) ss_tree_set_position(e->work, c->at.q);
  return e->machine || op->mass(&c->at, e->M) >= 0;
}

static bool look_fixed(cli_end* e)
{
  const ss_system_def* d = e->c->d;
  const ss_at* at = &e->c->at;
  e->n = d->n_contact;
  if (!make_room(e, e->n, ss_system_rows(ss_model_system(e->c->model)) + e->nb)) return false;
  for (int i = 0; i < e->n; i++) e->law[i] = &d->contact[i];
  number_rows(e);
  double* gap = e->g;  // not in use yet
  bool good = d->mass(at, e->M) >= 0 && cli_cholesky(e->nv, e->M, e->L);
  good = good && (!e->nb || d->bilateral(at, e->error, e->W, e->w_hat) >= 0);
  good = good && (!e->n || d->contacts(at, gap, e->W + e->nb*e->nv, e->w_hat + e->nb) >= 0);
  good = good && (!d->friction || d->friction(at, e->mu, e->bound) >= 0);
  for (int i = 0; i < e->n && good; i++) {
    e->item[i] = (ss_contact_item){.key = (uint64_t)i, .law = e->law[i], .gap = gap[i], .size = fabs(gap[i])};
    for (int j = 0; j < e->nv; j++) e->item[i].size += fabs(e->W[e->row[i]*e->nv + j]*at->q[j]);
  }
  for (int r = 0; r < e->rows; r++) e->g[r] = NAN;
  for (int b = 0; b < e->nb && good; b++) {
    e->error_size[b] = fabs(e->error[b]);
    for (int j = 0; j < e->nv; j++) e->error_size[b] += fabs(e->W[b*e->nv + j]*at->q[j]);
  }
  return good;
}

bool cli_end_look(cli_end* e, const double* q, const double* u, double t, double reach)
{
  cli_verifier* c = e->c;
  c->at.q = q;
  c->at.u = u;
  c->at.t = t;
  c->at.damped = c->at.dt = c->at.theta = c->at.rest = 0;
  c->at.q_start = NULL;
  if (c->d->update && c->d->update(&c->at) < 0) return false;
  if (!(c->d->operators ? look_listed(e, reach) : look_fixed(e))) return false;
  return c->d->force(&c->at, e->h) >= 0;
}

void cli_end_velocities(cli_end* e, const double* u, double* gamma, double* size)
{
  if (e->c->d->operators) {
    if (e->rows) e->c->d->operators->row_velocity(&e->c->at, u, gamma, size);
    for (int r = 0; r < e->rows; r++) {
      gamma[r] += e->w_hat[r];
      size[r] += fabs(e->w_hat[r]);
    }
    return;
  }
  for (int r = 0; r < e->rows; r++) {
    long double sum = e->w_hat[r];
    size[r] = fabs(e->w_hat[r]);
    for (int j = 0; j < e->nv; j++) {
      sum += (long double)e->W[r*e->nv + j]*u[j];
      size[r] += fabs(e->W[r*e->nv + j]*u[j]);
    }
    gamma[r] = (double)sum;
  }
}

void cli_end_push(cli_end* e, const double* Lambda, double* tau)
{
  memset(tau, 0, sizeof(double)*(size_t)e->nv);
  if (e->c->d->operators) {
    int* row = malloc(sizeof *row*((size_t)e->rows + 1));
    for (int r = 0; row && r < e->rows; r++) row[r] = r;
    if (row && e->rows) e->c->d->operators->row_force(&e->c->at, e->rows, row, Lambda, tau);
    if (!row) tau[0] = NAN;
    free(row);
    return;
  }
  for (int r = 0; r < e->rows; r++)
    for (int j = 0; j < e->nv; j++) tau[j] += e->W[r*e->nv + j]*Lambda[r];
}

void cli_end_times_mass(cli_end* e, const double* v, double* out)
{
  if (e->machine) {
    memset(e->part, 0, sizeof(double)*(size_t)e->nv);
    ss_tree_set_velocity(e->work, e->part);
    ss_tree_inverse(e->work, v, out);
    ss_tree_bias(e->work, e->part);
    for (int i = 0; i < e->nv; i++) out[i] -= e->part[i];
    return;
  }
  for (int i = 0; i < e->nv; i++) {
    long double sum = 0;
    for (int j = 0; j < e->nv; j++) sum += (long double)e->M[i*e->nv + j]*v[j];
    out[i] = (double)sum;
  }
}

static bool diagonal_of(cli_end* e, int first, int rows)
{
  if (e->c->d->operators) {
    int row[3] = {first, first + 1, first + 2};
    double G[9];
    if (e->c->d->operators->delassus(&e->c->at, rows, row, G) < 0) return false;
    for (int k = 0; k < rows; k++) e->g[first + k] = G[k*rows + k];
    return true;
  }
  for (int r = first; r < first + rows; r++) {
    for (int j = 0; j < e->nv; j++) e->x[j] = e->W[r*e->nv + j];
    cli_cholesky_solve(e->nv, e->L, e->x);
    e->g[r] = 0;
    for (int j = 0; j < e->nv; j++) e->g[r] += (double)(e->x[j]*e->W[r*e->nv + j]);
  }
  return true;
}

bool cli_end_diagonal(cli_end* e)
{
  for (int b = 0; b < e->nb; b++)
    if (!diagonal_of(e, b, 1)) return false;
  for (int i = 0; i < e->n; i++)
    if (!diagonal_of(e, e->row[i], ss_contact_rows(e->law[i]->kind))) return false;
  return true;
}
