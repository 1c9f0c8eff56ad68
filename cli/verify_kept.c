// Whether the integrator has kept the energy: what T + V has changed by beyond all works and losses, in the worst row,
// against the energy at hand, the largest T, the range of V and the sizes of the works and losses. From the columns of
// the rows, without the ledger's own defect. What contacts gave in steps in which none of them hit and bounced counts
// as an error, too.
//
// A system of several parts is looked at part by part, with the energies of the model at each row; those are one that
// have forces between them, or come so near to each other in a row that they may touch within a step. Works of forces
// are those of the midpoint rule; losses are not told by part: parts that rows can act on may be off by all of them.
#include "verify.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROUND_OFF 1e-9L  // of the terms of V
#define NOISE 1e-13L     // of the energy that the impulses of a step, or its forces (verify_rest.c), stand for, in each
#define SETTLES 10       // of the energy that impulses or forces of a step stand for, from rest

// Of one part, or of the whole
typedef struct account {
  long double T, low, high;  // largest T, range of V
  long double start, work;   // T + V at the start; works since then
  long double given, slack;  // sum of |works|; what works that are not known can have done
  long double worst;         // largest error so far
  long row;                  // where
  bool tied;                 // rows act on it
} account;

static void begin(account* a, const ss_energy* e)
{
  *a = (account){.T = e->kinetic, .low = e->potential, .high = e->potential, .tied = a->tied};
  a->start = (long double)e->kinetic + e->potential;
}

static void see(account* a, const ss_energy* e, long row)
{
  long double now = (long double)e->kinetic + e->potential;
  long double off = fmaxl(0, fabsl(now - a->start - a->work) - a->slack);
  a->T = fmaxl(a->T, e->kinetic);
  a->low = fminl(a->low, e->potential);
  a->high = fmaxl(a->high, e->potential);
  if (off <= a->worst) return;
  a->worst = off;
  a->row = row;
}

static void add_work(account* a, long double work)
{
  a->work += work;
  a->given += fabsl(work);
}

// True if it is the worst so far, and off
static bool judge(cli_verifier* v, const account* a, long double hand, long double error, long double round_off)
{
  long double before = v->found[CLI_KEPT].worst;
  bool counts = error > round_off + ROUND_OFF*fmaxl(fabsl(a->low), fabsl(a->high));
  cli_verify_note(v, CLI_KEPT, a->row, counts ? error : 0, hand);
  return v->found[CLI_KEPT].worst > before;
}

// From rest contacts settle by what forces make of a step, or close after it (verify_rest.c)
static long double settling(const cli_verifier* v, long double rest)
{
  return SETTLES*fmaxl(v->held, v->kinetic[0] == 0 ? rest : 0);
}

// ---- the whole -----------------------------------------------------------------------------------------------------

static void check_whole(cli_verifier* v, long double potential)
{
  account a = {0};
  long last = v->info->n_rows - 1;
  for (long i = 0; i <= last; i++) {
    ss_energy e = {.kinetic = v->kinetic[i], .potential = v->potential[i]};
    if (i == 0) begin(&a, &e);
    a.work = (long double)v->forces[i] + v->drive[i] + v->projection[i] - v->loss_normal[i] - v->loss_friction[i];
    see(&a, &e, i);
  }
  long double hand = a.T + a.high - a.low + fabs(v->forces[last]) + fabs(v->drive[last]) + fabs(v->projection[last]) +
                     fabs(v->loss_normal[last]) + fabs(v->loss_friction[last]) + settling(v, v->rest_energy);
  v->projected = v->projection[last];
  v->at_hand = hand;
  bool rests = v->kinetic[0] == 0 && a.T <= CLI_RESTS*v->largest_step;
  long double noise = ROUND_OFF*potential + NOISE*((rests ? v->all_steps : 0) + (last + 1)*v->rest_energy);
  judge(v, &a, hand, a.worst, noise);
  judge(v, &a, hand, v->gained, noise);
}

// ---- parts ---------------------------------------------------------------------------------------------------------

typedef struct parts {
  cli_verifier* v;
  int n, rows;
  bool opened;
  account* a;                      // n
  int* up;                         // n: parts that are one lead to the same number
  ss_energy* e;                    // 2 n: of the row, of the one before
  ss_power* p;                     // n
  double *q, *u, *qm, *um, *size;  // nq, nv, nq, nv, n
  double *W, *w_hat, *gap;         // of text models
} parts;

static int root_of(const parts* s, int i)
{
  while (s->up[i] != i) i = s->up[i];
  return i;
}

// The account of part i
static account* account_of(parts* s, int i) { return &s->a[root_of(s, i)]; }

static void join(parts* s, int i, int j)
{
  int a = root_of(s, i), b = root_of(s, j);
  s->up[a > b ? a : b] = a > b ? b : a;
}

static bool open_parts(parts* s)
{
  const ss_system_def* d = s->v->d;
  size_t n = (size_t)s->n, nq = (size_t)d->nq, nv = (size_t)d->nv, rows = (size_t)s->rows + 1;
  s->a = calloc(n, sizeof *s->a);
  s->e = calloc(2*n, sizeof *s->e);
  s->p = calloc(n, sizeof *s->p);
  s->q =
    calloc(2*nq + 2*nv + n + rows*nv + rows + (size_t)d->n_contact + (size_t)d->n_bilateral + 1, sizeof *s->q);
  s->up = calloc(n, sizeof *s->up);
  if (!s->a || !s->e || !s->p || !s->q || !s->up) return false;
  for (int i = 0; i < s->n; i++) s->up[i] = i;
  s->opened = !d->operators || !d->operators->open || d->operators->open(d->user, s->v->at.scratch, NULL) >= 0;
  if (!s->opened) return false;
  s->u = s->q + nq;
  s->qm = s->u + nv;
  s->um = s->qm + nq;
  s->size = s->um + nv;
  s->W = s->size + n;
  s->w_hat = s->W + rows*nv;
  s->gap = s->w_hat + rows;
  return true;
}

static void close_parts(parts* s)
{
  const ss_operators* op = s->v->d->operators;
  if (s->opened && op && op->close) op->close(s->v->at.scratch);
  free(s->a);
  free(s->up);
  free(s->e);
  free(s->p);
  free(s->q);
}

static bool go_to(parts* s, const double* q, const double* u, double t)
{
  cli_verifier* v = s->v;
  v->at.q = q;
  v->at.u = u;
  v->at.t = t;
  return !v->d->update || v->d->update(&v->at) >= 0;
}

// The state of a row of the file
static bool go_to_row(parts* s, long row)
{
  cli_verifier* v = s->v;
  for (int j = 0; j < v->d->nq; j++) s->q[j] = v->q[j][row];
  for (int j = 0; j < v->d->nv; j++) s->u[j] = v->u[j][row];
  return go_to(s, s->q, s->u, v->t[row]);
}

// All parts that rows may act on
static void join_all(parts* s)
{
  for (int i = 0; i < s->v->d->n_parts && i < s->n; i++) {
    s->a[i].tied = true;
    join(s, i, 0);
  }
}

// With operators, at a row of the file: parts that rows of the system act on are tied; those that one acts on are one.
// What touches between two rows of the file is near in both.
static bool join_listed(parts* s, long row)
{
  const ss_system_def* d = s->v->d;
  const double* t = s->v->t;
  const ss_contact_item* item;
  int n, m = d->n_bilateral;
  double before = row > 0 ? t[row] - t[row - 1] : 0, after = row + 1 < s->v->info->n_rows ? t[row + 1] - t[row] : 0;
  double reach = fmax(s->v->info->run.step.dt, 2*fmax(before, after));
  ss_status st = d->operators->list(&s->v->at, reach, &n, &item);
  if (st == SS_ERR_OVERLAP) join_all(s);  // nothing is listed
  if (st < 0) return st == SS_ERR_OVERLAP;
  for (int i = 0; i < n; i++) m += ss_contact_rows(item[i].law->kind);
  for (int r = 0; r < m; r++) {
    int part[2];
    d->operators->row_parts(&s->v->at, 1, &r, part);
    for (int k = 0; k < 2; k++)
      if (part[k] >= 0) s->a[part[k]].tied = true;
    if (part[0] >= 0 && part[1] >= 0) join(s, part[0], part[1]);
  }
  return true;
}

// Before any of them is looked at: which parts are one, and which rows act on
static bool join_parts(parts* s)
{
  const ss_system_def* d = s->v->d;
  const ss_operators* op = d->operators;
  for (int i = 0; i < s->n && d->energy_joined; i++) join(s, i, d->energy_joined[i]);
  if (!op) return true;
  bool apart = op->list && op->row_parts;
  if (!apart) join_all(s);
  for (long row = 0; row < s->v->info->n_rows && apart; row++)
    if (!go_to_row(s, row) || !join_listed(s, row)) return false;
  for (int i = 0; i < s->n; i++) account_of(s, i)->tied = account_of(s, i)->tied || s->a[i].tied;
  return true;
}

// Without operators: which parts rows can act on, those that a row moves now
static bool find_tied(parts* s)
{
  const ss_system_def* d = s->v->d;
  if (d->operators || !s->rows) return true;
  int nb = d->n_bilateral;
  if (nb && d->bilateral(&s->v->at, s->gap + d->n_contact, s->W, s->w_hat) < 0) return false;
  if (s->rows > nb && d->contacts(&s->v->at, s->gap, s->W + nb*d->nv, s->w_hat + nb) < 0) return false;
  for (int r = 0; r < s->rows; r++)
    for (int j = 0; j < d->nv; j++)
      if (s->W[r*d->nv + j] != 0) s->a[d->energy_part[j]].tied = true;
  return true;
}

// The works of the step to this row, if one step leads there
static bool add_works(parts* s, long row, bool one)
{
  cli_verifier* v = s->v;
  const ss_system_def* d = v->d;
  bool known = one && v->info->run.step.integrator != SS_EVENT_DRIVEN && !d->kinks_drive;
  double dt = v->info->run.step.dt, from = v->t[row - 1];
  long double lost = fabs(v->loss_normal[row] - v->loss_normal[row - 1]) +
                     fabs(v->loss_friction[row] - v->loss_friction[row - 1]) +
                     fabs(v->projection[row] - v->projection[row - 1]);
  long double forces = fabs(v->forces[row] - v->forces[row - 1]), drive = fabs(v->drive[row] - v->drive[row - 1]);
  for (int i = 0; i < s->n; i++) s->a[i].slack += (s->a[i].tied ? lost + drive : 0) + (known ? 0 : forces + drive);
  if (!known || !d->has_power) return true;
  for (int j = 0; j < d->nv; j++) s->um[j] = (v->u[j][row - 1] + v->u[j][row])/2;
  for (int j = 0; j < d->nq; j++) s->qm[j] = v->q[j][row - 1];
  if (d->operators && d->operators->advance) d->operators->advance(d->user, s->qm, s->um, dt/2, s->qm);
  else
    for (int j = 0; j < d->nq; j++) s->qm[j] = (s->qm[j] + v->q[j][row])/2;
  ss_power whole;
  if (!go_to(s, s->qm, s->um, from + dt/2) || d->powers(&v->at, &whole, s->p) < 0) return false;
  for (int i = 0; i < s->n; i++)
    add_work(account_of(s, i), (long double)dt*s->p[i].forces + (long double)dt*s->p[i].drive);
  return true;
}

static bool check_row(parts* s, long row)
{
  cli_verifier* v = s->v;
  const ss_system_def* d = v->d;
  ss_energy whole, *now = s->e, *before = s->e + s->n;
  if (row > 0 && !add_works(s, row, v->step[row] == v->step[row - 1] + 1)) return false;
  if (!go_to_row(s, row) || d->energies(&v->at, &whole, now) < 0 || !find_tied(s)) return false;
  for (int i = 0; i < s->n && row > 0; i++)
    add_work(account_of(s, i), (long double)now[i].transport - before[i].transport);
  memcpy(before, now, sizeof *now*(size_t)s->n);
  for (int i = 0; i < s->n; i++) {
    account* a = account_of(s, i);
    if (a == &s->a[i]) continue;
    now[a - s->a].kinetic += now[i].kinetic;
    now[a - s->a].potential += now[i].potential;
  }
  for (int i = 0; i < s->n; i++) {
    if (account_of(s, i) != &s->a[i]) continue;
    if (row == 0) begin(&s->a[i], &now[i]);
    see(&s->a[i], &now[i], row);
  }
  return true;
}

static long double size_of(parts* s, const account* a)
{
  long double sum = 0;
  for (int i = 0; i < s->n; i++) sum += account_of(s, i) == a ? s->size[i] : 0;
  return sum;
}

static long double rest_of(parts* s, const account* a)
{
  const ss_system_def* d = s->v->d;
  long double sum = 0;
  for (int j = 0; j < d->nv; j++) sum += account_of(s, d->energy_part[j]) == a ? s->v->rest[j] : 0;
  return sum;
}

static void judge_parts(parts* s)
{
  const ss_system_def* d = s->v->d;
  for (int i = 0; i < s->n; i++) {
    const account* a = &s->a[i];
    if (a->tied && !s->v->info->run.step.account) continue;  // what contacts took is not known
    int j = 0;
    while (j < d->nv && account_of(s, d->energy_part[j]) != a) j++;
    if (j == d->nv) continue;
    long double held = a->tied ? settling(s->v, rest_of(s, a)) : 0;
    long double round_off = ROUND_OFF*size_of(s, a) + NOISE*s->v->info->n_rows*rest_of(s, a);
    if (judge(s->v, a, a->T + a->high - a->low + a->given + a->slack + held, a->worst, round_off))
      s->v->kept_part = d->velocity[j];
  }
}

// Rows of an event-driven run at a kink have energies of either side: those are looked at as a whole
static bool has_kinks(const cli_verifier* v) { return v->d->n_kink && v->info->run.step.integrator == SS_EVENT_DRIVEN; }

static bool check_parts(cli_verifier* v)
{
  parts s = {.v = v, .n = v->d->n_energy_parts};
  if (s.n < 2 || has_kinks(v)) return true;
  s.rows = v->d->operators ? 0 : ss_system_rows(ss_model_system(v->model)) + v->d->n_bilateral;
  bool good = open_parts(&s) && join_parts(&s);
  for (long row = 0; good && row < v->info->n_rows; row++) {
    good = check_row(&s, row);
    if (good && row == 0 && v->d->potential_size) good = v->d->potential_size(&v->at, s.size) >= 0;
  }
  if (good) judge_parts(&s);
  close_parts(&s);
  return good;
}

// Round-off of V: of its terms at the start
static long double size_of_potential(cli_verifier* v)
{
  const ss_system_def* d = v->d;
  int n = d->n_energy_parts > 0 ? d->n_energy_parts : 1;
  parts s = {.v = v, .n = n};
  long double sum = 0;
  if (d->potential_size && open_parts(&s)) {
    if (go_to_row(&s, 0) && d->potential_size(&v->at, s.size) >= 0)
      for (int i = 0; i < n; i++) sum += s.size[i];
  }
  close_parts(&s);
  return sum;
}

bool cli_verify_kept(cli_verifier* v)
{
  if (!v->d->energy || v->info->n_rows < 2) return true;
  if (!v->info->run.step.account) return v->d->has_power || check_parts(v);  // by the model alone
  check_whole(v, size_of_potential(v));
  return check_parts(v);
}
