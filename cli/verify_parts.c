// `stickslip verify` of steps of planar bodies that were taken in parts. Where the contacts of the parts were tested is
// not in the file, but what constraints hold and no contact touches can be looked at:
//   M du = dt h + W_b Lambda_b
// with M, h and W_b of both ends of the step. Velocities are projected onto the constraints after each part, and all of
// it changes within the step: so this is checked to a hundredth, and to what the terms change by.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verify.h"

// What a step in parts has at one of its ends
typedef struct end {
  double *held, *force, *mdu;  // nv: W_b Lambda_b, h, M du
} end;

typedef struct parts {
  cli_verifier* c;
  const ss_state *a, *e;      // of the step
  const double* const* B;     // columns of Lambda_b
  int nv, nq;
  double *M, *q, *du, *part;  // nv nv; nq; nv each
  end end[2];
  bool* touched;              // nv
} parts;

static bool no_memory(ss_error* error)
{
  ss_error_set(error, SS_ERR_MEMORY, "out of memory");
  return false;
}

// Velocities of bodies that contacts pushed at: these have not M du of constraints alone. Coordinates that move such a
// body are found by moving them. pose, moved: 3 numbers per body.
static bool mark_touched(parts* p, int n, const ss_run_contact* list, double* pose, double* moved)
{
  if (ss_model_place_bodies(p->c->model, p->a->q, p->a->t, pose) < 0) return false;
  memcpy(p->q, p->a->q, sizeof(double)*(size_t)p->nq);
  for (int i = 0; i < p->nv; i++) {
    p->q[i] += 1e-3;
    bool placed = ss_model_place_bodies(p->c->model, p->q, p->a->t, moved) >= 0;
    p->q[i] = p->a->q[i];
    if (!placed) return false;
    for (int j = 0; j < n; j++) {
      const int body[] = {list[j].body_a, list[j].body_b};
      for (int k = 0; k < 2; k++)
        if (body[k] >= 0 && memcmp(pose + 3*body[k], moved + 3*body[k], 3*sizeof *pose) != 0) p->touched[i] = true;
    }
  }
  return true;
}

static bool find_touched(parts* p, int n, const ss_run_contact* list, ss_error* error)
{
  size_t size = 3*(size_t)ss_model_bodies(p->c->model);
  double* pose = calloc(2*size + 1, sizeof *pose);
  if (!pose) return no_memory(error);
  bool ok = mark_touched(p, n, list, pose, pose + size);
  free(pose);
  return ok;
}

static bool look_at_end(parts* p, const ss_state* at, long row, const end* e)
{
  cli_verifier* c = p->c;
  const ss_operators* op = c->d->operators;
  int n, nv = p->nv;
  const ss_contact_item* item;
  c->at.q = at->q;
  c->at.u = at->u;
  c->at.t = at->t;
  if (c->d->update && c->d->update(&c->at) < 0) return false;
  if (op->list(&c->at, 0, &n, &item) < 0 || op->factor(&c->at) < 0) return false;
  if (op->mass(&c->at, p->M) < 0 || c->d->force(&c->at, e->force) < 0) return false;
  for (int b = 0; b < c->d->n_bilateral; b++) {
    memset(p->part, 0, sizeof(double)*(size_t)nv);
    op->row_force(&c->at, 1, &b, &p->B[b][row], p->part);
    for (int i = 0; i < nv; i++) e->held[i] += p->part[i];
  }
  for (int i = 0; i < nv; i++) {
    long double sum = 0;
    for (int j = 0; j < nv; j++) sum += (long double)p->M[i*nv + j]*p->du[j];
    e->mdu[i] = (double)sum;
  }
  return true;
}

// A hundred times what the terms change by is in the size: a hundredth of that is allowed
static void check_held(parts* p, long row)
{
  const end *a = &p->end[0], *e = &p->end[1];
  double dt = p->c->info->run.step.dt;
  for (int i = 0; i < p->nv; i++) {
    if (p->touched[i] || (a->held[i] == 0 && e->held[i] == 0)) continue;
    long double held = ((long double)a->held[i] + e->held[i])/2, mdu = ((long double)a->mdu[i] + e->mdu[i])/2;
    long double push = dt*((long double)a->force[i] + e->force[i])/2;
    long double change = fabs(e->held[i] - a->held[i]) + fabs(e->mdu[i] - a->mdu[i]) +
                         dt*fabs(e->force[i] - a->force[i]);
    long double size = fabsl(mdu) + fabsl(push) + fabsl(held);
    cli_verify_note(p->c, CLI_PARTS, row, mdu - push - held, size + 2*change/CLI_PARTS_TOL);
  }
}

static bool has_bodies(int n, const ss_run_contact* list)
{
  for (int i = 0; i < n; i++)
    if (list[i].body_a < 0 && list[i].body_b < 0) return false;
  return true;
}

static bool take_memory(parts* p)
{
  size_t nv = (size_t)p->nv, nq = (size_t)p->nq;
  p->M = calloc(nv*nv + nq + 8*nv + 1, sizeof *p->M);
  p->touched = calloc(nv + 1, sizeof *p->touched);
  if (!p->M || !p->touched) return false;
  p->q = p->M + nv*nv;
  p->du = p->q + nq;
  p->part = p->du + nv;
  for (int k = 0; k < 2; k++) {
    double* from = p->part + nv + 3*nv*(size_t)k;
    p->end[k] = (end){from, from + nv, from + 2*nv};
  }
  return true;
}

bool cli_verify_parts(cli_verifier* v, long row, const ss_state* a, const ss_state* e, const double* const* B,
                      ss_error* error)
{
  const ss_run_contact* list;
  int n = ss_run_contacts(v->run, row, &list, error);
  if (n < 0) return false;
  if (!has_bodies(n, list)) {
    cli_verify_leave_out(v, "constraints of steps in parts in which contacts without bodies push");
    return true;
  }
  parts p = {.c = v, .a = a, .e = e, .B = B, .nv = v->d->nv, .nq = v->d->nq};
  bool ok = take_memory(&p) || no_memory(error);
  for (int i = 0; ok && i < p.nv; i++) p.du[i] = e->u[i] - a->u[i];
  ok = ok && look_at_end(&p, a, row, &p.end[0]) && look_at_end(&p, e, row, &p.end[1]) &&
       find_touched(&p, n, list, error);
  if (ok) check_held(&p, row);
  free(p.M);
  free(p.touched);
  return ok;
}
