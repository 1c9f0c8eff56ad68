// Gaps of contacts by expressions in models with bodies, in every row: whether the file has them or not. From the gap
// and its rate alone. Time-stepping may be beyond a gap by the way of a step.
#include "verify.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct gaps {
  cli_verifier* v;
  double *q, *u, *past;         // nq, nv, nv: of the row before
  double *gamma, *before, *hat; // rows
  double start;                 // deepest in row 0
  int room;
} gaps;

static bool reserve(gaps* g, int rows)
{
  if (rows <= g->room) return true;
  double* p = realloc(g->gamma, 3*sizeof *p*(size_t)rows);
  if (!p) return false;
  g->gamma = p;
  g->before = p + rows;
  g->hat = g->before + rows;
  g->room = rows;
  return true;
}

static bool is_expression(const ss_contact_item* item)
{
  return item->law->kind != SS_CONTACT_FRICTION && !item->load && item->frame[0] == 0 && item->frame[1] == 0 &&
         item->frame[2] == 0;
}

static void check_gap(gaps* g, const ss_contact_item* item, int r, long row)
{
  const ss_step_def* def = &g->v->info->run.step;
  bool event = def->integrator == SS_EVENT_DRIVEN;
  if (row == 0) g->start = fmax(g->start, -item->gap);
  if (row == 0 || (!event && !cli_verify_is_next(g->v, row))) return;
  double way = event ? 0 : def->dt*(fabs(g->gamma[r] + g->hat[r]) + fabs(g->before[r] + g->hat[r]));
  cli_verify_note(g->v, CLI_GAPS, row, fmax(0, -item->gap - way - g->start), item->size);
}

static bool check_row(gaps* g, long row)
{
  cli_verifier* v = g->v;
  const ss_operators* op = v->d->operators;
  const ss_contact_item* item;
  int n, rows = v->d->n_bilateral;
  memcpy(g->past, g->u, sizeof(double)*(size_t)v->d->nv);
  for (int i = 0; i < v->d->nq; i++) g->q[i] = v->q[i][row];
  for (int i = 0; i < v->d->nv; i++) g->u[i] = v->u[i][row];
  v->at.q = g->q;
  v->at.u = g->u;
  v->at.t = v->t[row];
  if ((v->d->update && v->d->update(&v->at) < 0) || op->list(&v->at, 0, &n, &item) < 0) return true;  // overlaps tell
  for (int i = 0; i < n; i++) rows += ss_contact_rows(item[i].law->kind);
  if (n == 0) return true;
  if (!reserve(g, rows)) return false;
  memset(g->hat, 0, sizeof(double)*(size_t)rows);
  op->row_velocity(&v->at, g->u, g->gamma, NULL);
  op->row_velocity(&v->at, g->past, g->before, NULL);
  if (op->row_drive && op->row_drive(&v->at, g->hat) < 0) return true;
  for (int i = 0, r = v->d->n_bilateral; i < n; r += ss_contact_rows(item[i++].law->kind))
    if (is_expression(&item[i])) check_gap(g, &item[i], r, row);
  return true;
}

int cli_verify_expressions(cli_verifier* v)
{
  const ss_system_def* d = v->d;
  gaps g = {.v = v};
  g.q = calloc((size_t)d->nq + 2*(size_t)d->nv + 1, sizeof *g.q);
  if (!g.q) return cli_out_of_memory();
  g.u = g.q + d->nq;
  g.past = g.u + d->nv;
  bool good = d->operators->open(d->user, v->at.scratch, NULL) >= 0;
  for (long row = 0; good && row < v->info->n_rows; row++) good = check_row(&g, row);
  d->operators->close(v->at.scratch);
  free(g.gamma);
  free(g.q);
  return good ? CLI_GO_ON : cli_out_of_memory();
}
