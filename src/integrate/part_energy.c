// The energy ledger of a time step for every part of the system that nothing ties to others: an error in a part that
// has little energy would not be seen among those of the rest. Parts that contacts or constraints tie together in the
// step are joined, with their works and losses told as one.
#include <math.h>
#include <string.h>

#include "base/sets.h"
#include "integrate/work.h"

// A number that stands for all parts that are joined to part i
static int root_of(ss_part_energy* part, int i) { return ss_set_root_in(&part->joined, sizeof *part, i); }

static void join(ss_part_energy* part, int i, int j) { part[root_of(part, i)].joined = root_of(part, j); }

void ss_add_part_energies(int n, ss_part_energy* sum, const ss_part_energy* more)
{
  for (int i = 0; i < n; i++) {
    join(sum, i, more[i].joined);
    sum[i].after = more[i].after;
    sum[i].work_forces += more[i].work_forces;
    sum[i].work_drive += more[i].work_drive;
    sum[i].loss_normal += more[i].loss_normal;
    sum[i].loss_friction += more[i].loss_friction;
    sum[i].work_projection += more[i].work_projection;
    sum[i].gain += more[i].gain;
    sum[i].size = fmax(sum[i].size, more[i].size);
    sum[i].step = fmax(sum[i].step, more[i].step);
    sum[i].speed = fmax(sum[i].speed, more[i].speed);
    sum[i].given = fmax(sum[i].given, more[i].given);
    sum[i].known = sum[i].known && more[i].known;
  }
}

ss_status ss_energy_now(ss_work* w, ss_energy* e)
{
  const ss_system_def* d = w->def;
  if (d->n_energy_parts) return d->energies(&w->at, e, w->energy_now);
  ss_status st = d->energy(&w->at, e);
  w->energy_now[0] = *e;
  return st;
}

// Of V, once: constants that cancel at the start do so later on
static void measure_potential(ss_work* w)
{
  memset(w->part_potential, 0, sizeof(double)*(size_t)w->n_energy);
  if (w->def->potential_size) w->def->potential_size(&w->at, w->part_potential);
  w->has_potential = true;
}

// Clean pages, but for the energies at the start
static void clear(ss_work* w)
{
  for (int i = 0; i < w->n_energy; i++) {
    ss_energy before = w->energy_part[i].before;
    w->energy_part[i] = (ss_part_energy){.before = before, .size = w->part_potential[i], .joined = i, .known = true};
  }
}

void ss_part_energies_begin(ss_work* w)
{
  if (!w->has_potential) measure_potential(w);
  for (int i = 0; i < w->n_energy; i++) w->energy_part[i].before = w->energy_now[i];
  clear(w);
  w->info.n_part = w->n_energy;
  w->info.part = w->energy_part;
}

void ss_part_energies_project(ss_work* w, double sign)
{
  for (int i = 0; i < w->n_energy; i++)
    w->energy_part[i].work_projection += sign*(w->energy_now[i].kinetic + w->energy_now[i].potential);
}

// The largest velocity of each part, and the largest change that forces without contacts make
static void measure_speeds(ss_work* w, const double* u)
{
  for (int j = 0; j < w->nv; j++) {
    ss_part_energy* p = &w->energy_part[w->n_energy > 1 ? w->def->energy_part[j] : 0];
    p->speed = fmax(p->speed, fabs(u[j]) + fabs(w->u[j]));
    p->given = fmax(p->given, fabs(w->u_free[j] - u[j]));
  }
}

void ss_part_energies_end(ss_work* w, const double* u)
{
  measure_speeds(w, u);
  for (int i = 0; i < w->n_energy; i++) {
    ss_part_energy* p = &w->energy_part[i];
    p->after = w->energy_now[i];
    p->work_drive += p->after.transport - p->before.transport;
  }
}

// Whether a row could act on part i: of text models one that does where the system was last evaluated
static bool is_tied(const ss_work* w, int i)
{
  if (w->op) return i < w->def->n_parts;
  for (int r = 0; r < w->n_bilateral + w->m; r++)
    for (int j = 0; j < w->nv; j++)
      if (w->def->energy_part[j] == i && w->W[r*w->nv + j] != 0) return true;
  return false;
}

// Terms of a step are not known of arcs: what rests by less than 1e-15 J counts as round-off of 1e-6 J
#define ARC_SIZE 1e-6

void ss_part_energies_end_whole(ss_work* w)
{
  const ss_step_info* info = &w->info;
  for (int i = 0; i < w->n_energy; i++) {
    w->energy_part[i].after = w->energy_now[i];
    w->energy_part[i].size += ARC_SIZE;
    w->energy_part[i].known = w->n_energy == 1 || (!w->def->has_power && !w->force && !is_tied(w, i));
  }
  if (w->n_energy > 1) return;
  ss_part_energy* p = w->energy_part;
  p->work_forces = info->work_forces;
  p->work_drive = info->work_drive;
  p->loss_normal = info->loss_normal;
  p->loss_friction = info->loss_friction;
  p->work_projection = info->work_projection;
}

// ---- contacts ------------------------------------------------------------------------------------------------------

// The part that row r of the problem acts on, and all rows of its contact; -1: none
static int part_of_row(const ss_work* w, int r)
{
  if (w->n_energy == 1) return 0;
  if (w->op) return w->row_part[2*r] >= 0 ? w->row_part[2*r] : w->row_part[2*r + 1];
  const double* W = w->W + w->source[r]*w->nv;
  int j = 0;
  while (j < w->nv && W[j] == 0) j++;
  return j < w->nv ? w->def->energy_part[j] : -1;
}

// Parts that rows of x act on are one, those of text models are already. x: the workspace of the rows, that of the step
// or of its first stage.
static void join_rows(ss_work* w, ss_work* x)
{
  if (!w->op || w->n_energy == 1 || !x->problem.m) return;
  if (!x->has_row_parts) x->op->row_parts(&x->at, x->problem.m, x->source, x->row_part);
  for (int r = 0; r < x->problem.m; r++) {
    const int* p = x->row_part + 2*r;
    if (p[0] >= 0 && p[1] >= 0 && p[0] != p[1]) join(w->energy_part, p[0], p[1]);
  }
}

static ss_part_energy* root_of_row(ss_work* w, const ss_work* x, int r)
{
  int i = part_of_row(x, r);
  return i < 0 ? NULL : &w->energy_part[root_of(w->energy_part, i)];
}

// What row r of the problem puts in, and how large its terms are
static void add_row(const ss_work* x, ss_part_energy* p, int r)
{
  int s = x->source[r];
  double Lambda = x->solution.Lambda[r];
  p->work_drive -= Lambda*x->w_hat[s];
  p->step += fabs(Lambda)*(fabs(x->b[r]) + fabs(x->gamma[s]) + fabs(x->w_hat[s]));
}

// What a contact that hits and bounces may give: Newton's law can, with friction or with several contacts
static double given_by(const ss_contact_def* law, const ss_contact_result* c)
{
  bool bounces = law->eps_n > 0 || law->eps_t > 0, hits = c->gamma_before[0] < 0 && c->Lambda[0] > 0;
  double sum = 0;
  for (int j = 0; j < 3 && hits && bounces; j++) sum += fabs(c->Lambda[j]*c->gamma_before[j]);
  return sum;
}

// Losses of active contact i, the first row of which in the problem is r
static void add_contact(ss_work* w, int i, int r)
{
  int k = w->active[i];
  const ss_contact_result* c = &w->result[k];
  ss_part_energy* p = root_of_row(w, w, r);
  if (!p) return;
  ss_losses loss = ss_losses_of(w->spent + 3*k);
  ss_book_losses(&p->loss_normal, &p->loss_friction, ss_is_pressed(w, k), loss);
  p->gain -= loss.normal + loss.friction;
  w->part_given[p - w->energy_part] += given_by(w->law[k], c);
  for (int j = 0; j < ss_contact_rows(w->kind[i]); j++) add_row(w, p, r + j);
}

static void add_bilateral(ss_work* w, int r)
{
  ss_part_energy* p = root_of_row(w, w, r);
  if (!p) return;
  add_row(w, p, r);
  p->work_projection -= w->spent_bilateral[r];
}

// Rows of the first stage; what they took out is with those of the step
static void add_first(ss_work* w, ss_work* first)
{
  for (int r = 0; r < first->problem.m; r++) {
    ss_part_energy* p = root_of_row(w, first, r);
    if (p) add_row(first, p, r);
  }
}

void ss_part_energies_contacts(ss_work* w, ss_work* first)
{
  memset(w->part_given, 0, sizeof(double)*(size_t)w->n_energy);
  clear(w);  // a step may try again
  join_rows(w, w);
  if (first) join_rows(w, first);
  for (int r = 0; r < w->problem.m && r < w->n_bilateral; r++) add_bilateral(w, r);
  for (int i = 0, r = w->n_bilateral; i < w->n_active; r += ss_contact_rows(w->kind[i++])) add_contact(w, i, r);
  if (first) add_first(w, first);
  for (int i = 0; i < w->n_energy; i++) w->energy_part[i].gain = fmax(0, w->energy_part[i].gain - w->part_given[i]);
}

void ss_part_energies_work(ss_work* w, const double* u, double dt)
{
  for (int i = 0; i < w->n_energy; i++) {
    w->energy_part[i].work_forces += dt*w->power_now[i].forces;
    w->energy_part[i].work_drive += dt*w->power_now[i].drive;
  }
  for (int j = 0; w->force && j < w->nv; j++)
    w->energy_part[w->n_energy > 1 ? w->def->energy_part[j] : 0].work_drive += dt*w->force[j]*u[j];
}
