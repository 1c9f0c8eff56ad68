// `stickslip verify` of scenes and planar bodies: the momentum of a step.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verify_algebra.h"
#include "verify_scene.h"

#define LARGE 200  // binary digits: accelerations beside which gravity, which inverse dynamics adds, is nothing

// Where the contacts were tested; the tree is there, s->M too
void cli_scene_times_mass(cli_scene* s, const double* v, double* out)
{
  if (s->machine) {
    memset(s->part, 0, sizeof(double)*(size_t)s->nv);
    ss_tree_set_velocity(s->work, s->part);
    for (int i = 0; i < s->nv; i++) s->part[i] = ldexp(v[i], LARGE);
    ss_tree_inverse(s->work, s->part, out);
    for (int i = 0; i < s->nv; i++) out[i] = s->damped[i]*v[i] + ldexp(out[i], -LARGE);
    return;
  }
  for (int i = 0; i < s->nv; i++) {
    long double sum = 0;
    for (int j = 0; j < s->nv; j++) sum += (long double)s->M[i*s->nv + j]*v[j];
    out[i] = (double)sum;
  }
}

// |x| of what was evaluated where it was
static long double norm_of(const cli_scene* s, const double* x)
{
  long double sum = 0;
  for (int i = 0; i < s->nv; i++)
    if (!cli_scene_is_elsewhere(s, i)) sum += (long double)x[i]*x[i];
  return sqrtl(sum);
}

static void add(cli_scene* s, double sign, const double* x, long double* terms)
{
  for (int i = 0; i < s->nv; i++)
    if (!cli_scene_is_elsewhere(s, i)) s->sum[i] += (long double)sign*x[i];
  *terms += norm_of(s, x);
}

// What the rows did that have no place, or all of them for planar bodies
static void add_rows(cli_scene* s, const ss_run_contact* list, long row, long double* terms)
{
  int m = 0;
  int* rows = s->number + s->n;  // the rest of the array
  for (int b = 0; b < s->nb; b++, m++) {
    rows[m] = b;
    s->Lambda[m] = s->B[b][row];
  }
  for (int i = 0; i < s->n; i++) {
    const ss_run_contact* c = s->number[i] >= 0 ? &list[s->number[i]] : NULL;
    if (!c || (s->machine && cli_scene_has_place(s, i)) || (!s->machine && s->by_place[i])) continue;
    for (int j = 0; j < ss_contact_rows(s->item[i].law->kind); j++, m++) {
      rows[m] = s->row[i] + j;
      s->Lambda[m] = cli_scene_row_impulse(s, i, c, j);
    }
  }
  if (!m) return;
  memset(s->part, 0, sizeof(double)*(size_t)s->nv);
  s->op->row_force(&s->c->at, m, rows, s->Lambda, s->part);
  add(s, -1, s->part, terms);
}

// Lambda at the contact's place on both bodies
static bool add_places(cli_scene* s, const ss_run_contact* c, long double* terms)
{
  double force[3];
  for (int side = 0; side < 2; side++) {
    int body = side ? c->body_b : c->body_a;
    double sign = side ? 1 : -1;
    if (body < 0) continue;
    for (int k = 0; k < 3; k++)
      force[k] = sign*(c->frame[k]*c->Lambda[0] + c->frame[3 + k]*c->Lambda[1] + c->frame[6 + k]*c->Lambda[2]);
    if (ss_machine_push(s->machine, s->work, body, c->point, force, s->part) < 0) return false;
    add(s, -1, s->part, terms);
  }
  return true;
}

// Afterwards velocities are projected onto the loops where the step ends: by impulses of these, whatever they are. What
// such impulses can do is taken out of s->sum (Gram-Schmidt).
static bool take_out_loops(cli_scene* s)
{
  cli_verifier* c = s->c;
  int nv = s->nv;
  double one = 1;
  c->at.q = s->e->q;
  c->at.t = s->e->t;
  c->at.damped = 0;
  if (c->d->update && c->d->update(&c->at) < 0) return false;
  if (s->op->list(&c->at, 0, &s->n, &s->item) < 0 || s->op->factor(&c->at) < 0) return false;
  for (int b = 0; b < s->nb; b++) {
    long double* x = s->base + b*nv;
    memset(s->v, 0, sizeof(double)*(size_t)nv);
    s->op->row_force(&c->at, 1, &b, &one, s->v);
    s->op->solve(&c->at, s->v, s->v);
    cli_scene_times_mass(s, s->v, s->mdu);
    for (int i = 0; i < nv; i++) x[i] = s->mdu[i];
  }
  cli_take_out(nv, s->nb, s->base, s->sum);
  return true;
}

// What is missing, *off, of the terms *size
bool cli_scene_find_momentum(cli_scene* s, long row, const ss_run_contact* list, double dt, long double* off,
                             long double* size)
{
  long double terms = 0, left = 0;
  memset(s->sum, 0, sizeof(long double)*(size_t)s->nv);
  cli_scene_times_mass(s, s->e->u, s->mdu);
  terms += 2*norm_of(s, s->mdu);
  for (int i = 0; i < s->nv; i++) s->v[i] = s->e->u[i] - s->a->u[i];
  cli_scene_times_mass(s, s->v, s->mdu);
  add(s, 1, s->mdu, &terms);
  add(s, -dt, s->h, &left);
  terms += dt*left;
  if (s->c->d->kinks_drive) add(s, -1, s->kick, &terms);
  add_rows(s, list, row, &terms);
  for (int i = 0; !s->machine && i < s->n; i++)
    for (int k = 0; s->by_place[i] && k < ss_contact_rows(s->item[i].law->kind); k++) {
      for (int j = 0; j < s->nv; j++)
        s->part[j] = s->placed[(2*i + k)*s->nv + j]*cli_scene_row_impulse(s, i, &list[s->number[i]], k);
      add(s, -1, s->part, &terms);
    }
  for (int i = 0; s->machine && i < s->n; i++)
    if (s->number[i] >= 0 && cli_scene_has_place(s, i) && !add_places(s, &list[s->number[i]], &terms)) return false;
  if (s->nb && s->c->info->run.step.integrator != SS_JEAN && !take_out_loops(s)) return false;
  left = 0;
  for (int i = 0; i < s->nv; i++) left += s->sum[i]*s->sum[i];
  *off = sqrtl(left);
  *size = terms;
  return true;
}

// What weights can give at the most within dt, wherever they act: sum sqrt(M_jj) weight_j dt
static long double most_of_weights(cli_scene* s, double dt)
{
  long double sum = 0;
  for (int j = 0; s->c->d->weight && j < s->nv; j++) {
    memset(s->v, 0, sizeof(double)*(size_t)s->nv);
    s->v[j] = 1;
    cli_scene_times_mass(s, s->v, s->mdu);
    sum += sqrtl(fmaxl(0, s->mdu[j]))*s->c->d->weight[j];
  }
  return sum*dt;
}

// Where weights do not act, by symmetry or since they are square to the way of a joint, all terms are round-off of them
bool cli_scene_check_momentum(cli_scene* s, long row, const ss_run_contact* list, double dt)
{
  long double off, size;
  if (!cli_scene_find_momentum(s, row, list, dt, &off, &size)) return false;
  if (off > s->c->tol*size) size += CLI_FAINT*most_of_weights(s, dt);
  cli_verify_note(s->c, CLI_MOMENTUM, row, off, size);
  return true;
}
