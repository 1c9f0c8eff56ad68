// `stickslip verify` of text models: their system has a fixed list of contacts, and M and W as matrices.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verify.h"
#include "verify_algebra.h"
#include "verify_hits.h"
#include "verify_hold.h"
#include "verify_islands.h"
#include "verify_rattle.h"

// Room for two rows of the run, and the system between them
typedef struct steps {
  cli_verifier* c;
  int nv, k, nb, rows;
  const double **N, **T, **gamma_N, **gamma_T, **gap_of, **state, **B, **sensor;  // columns
  const double *residual, *status, *choice;
  double *qa, *ua, *qe, *ue, *qm, *um, *kick, *M, *h, *gap, *W, *w_hat, *mu, *bound, *Lambda;
  double* side;                  // n_kink: of the row, event-driven
  long double step;              // the largest term of the velocities of a step
  long double *L, *v, *y, *far;  // nv nv; nv; nv; rows: how far each is from its law
  long double* term;             // nv: of each velocity; zero where there is no step
  cli_islands islands;
  double* fast;                  // nv: the largest velocities so far, of free fall in a step too
  bool* held;                    // nv, by islands: constraints act on it
  long double *off, *terms;      // nv: what is missing of the momenta of a step, and of what
  long double* base;             // nb nv: scratch
  cli_rattle* rattle;            // of steps in two stages, or NULL
} steps;

// ---- the system at a place ----

static bool evaluate(steps* v, const double* q, const double* u, double t)
{
  const ss_system_def* d = v->c->d;
  v->c->at.q = q;
  v->c->at.u = u;
  v->c->at.t = t;
  bool good = !d->update || d->update(&v->c->at) >= 0;
  good = good && d->mass(&v->c->at, v->M) >= 0 && d->force(&v->c->at, v->h) >= 0;
  int nb = v->nb;
  good = good && (!nb || d->bilateral(&v->c->at, v->gap + v->k, v->W, v->w_hat) >= 0);
  good = good && (!v->k || d->contacts(&v->c->at, v->gap, v->W + nb*v->nv, v->w_hat + nb) >= 0);
  for (int i = 0; i < v->k; i++) {
    v->mu[i] = d->contact[i].mu;
    v->bound[i] = d->contact[i].bound;
  }
  return good && (!d->friction || d->friction(&v->c->at, v->mu, v->bound) >= 0);
}

static bool factor(steps* v) { return cli_cholesky(v->nv, v->M, v->L); }

// At v->qm, v->um, where a step has its forces, with the impulse of supports that kick in it
static bool evaluate_step(steps* v, double from, double where)
{
  double dt = v->c->info->run.step.dt, t[] = {from, from + where*dt, from + dt};
  return cli_verify_kick(v->c, v->qm, v->um, t, false, v->kick) && evaluate(v, v->qm, v->um, t[1]) && factor(v);
}

// G_rr = |L^-1 W_r|^2
static long double diagonal(steps* v, int row)
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

static long double velocity(const steps* v, int row, const double* u, long double* size)
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

static void load(steps* v, long row, double* q, double* u)
{
  for (int i = 0; i < v->nv; i++) {
    q[i] = v->c->q[i][row];
    u[i] = v->c->u[i][row];
  }
}

// How far the sums of momenta are from zero, v->off, and their terms
static void find_momenta(const steps* v, double dt)
{
  for (int i = 0; i < v->nv; i++) {
    long double sum = 0, terms = 0;
    for (int j = 0; j < v->nv; j++) {
      sum += v->M[i*v->nv + j]*((long double)v->ue[j] - v->ua[j]);
      terms += fabsl((long double)v->M[i*v->nv + j])*(fabs(v->ue[j]) + fabs(v->ua[j]));
    }
    sum -= (long double)dt*v->h[i] + v->kick[i];
    terms += fabsl((long double)dt*v->h[i]) + fabs(v->kick[i]);
    for (int r = 0; r < v->rows; r++) {
      sum -= (long double)v->W[r*v->nv + i]*v->Lambda[r];
      terms += fabsl((long double)v->W[r*v->nv + i]*v->Lambda[r]);
    }
    v->off[i] = sum;
    v->terms[i] = terms;
  }
}

// The largest of v->off in an island against the largest of its terms, with a little of those of all
static long double momentum_off(const steps* v, int island, long double* size)
{
  long double worst = 0, most = 0;
  *size = 0;
  for (int i = 0; i < v->nv; i++) {
    most = fmaxl(most, v->terms[i]);
    if (v->islands.of[i] != island) continue;
    if (!(fabsl(v->off[i]) <= worst)) worst = isnan(worst) ? worst : fabsl(v->off[i]);
    *size = fmaxl(*size, v->terms[i]);
  }
  *size += CLI_FAINT*most;
  return worst;
}

static bool is_free(const steps* v, int island) { return island < 0 || !v->held[island]; }

// Whether constraints act on what row r acts on
static bool is_free_row(const steps* v, int r) { return is_free(v, cli_islands_of_row(&v->islands, v->W + r*v->nv)); }

// y = M^-1 W Lambda
static void response(const steps* v, long double* y)
{
  int n = v->nv;
  for (int i = 0; i < n; i++) {
    y[i] = 0;
    for (int r = 0; r < v->rows; r++) y[i] += (long double)v->W[r*n + i]*v->Lambda[r];
  }
  cli_cholesky_solve(n, v->L, y);
}

// The terms of u_E = u_A + dt M^-1 h + M^-1 W Lambda by magnitude, and the largest of all: at rest they cancel, and
// velocities are round-off of them. jean knows its u_t to 1e-8 of the largest.
static void size_step(steps* v)
{
  v->step = 0;
  response(v, v->y);
  for (int i = 0; i < v->nv; i++) {
    long double fall = (long double)v->ue[i] - v->ua[i] - v->y[i];
    v->term[i] = fabsl((long double)v->ua[i]) + fabsl(fall) + fabsl(v->y[i]);
    v->step = fmaxl(v->step, v->term[i]);
  }
}

// ... in a row
static long double row_size(const steps* v, int row)
{
  long double size = 0;
  for (int i = 0; i < v->nv; i++) size += fabsl(v->W[row*v->nv + i]*v->term[i]);
  return size;
}

// Of the terms of a gap. The place where jean tests it is known as well as u_t.
static long double gap_size(const steps* v, int contact, int row)
{
  const ss_step_def* def = &v->c->info->run.step;
  long double way = def->integrator == SS_JEAN ? def->theta*def->dt*v->step : 0;
  long double size = fabsl((long double)v->gap[contact]);
  for (int p = 0; p < v->nv; p++)
    size += fabsl((long double)v->W[row*v->nv + p])*(fabsl((long double)v->c->at.q[p]) + way);
  return size;
}

// Whether momentum and the gaps of the file are those of the place that the system was evaluated at
static bool is_place(steps* v, long row, double dt)
{
  find_momenta(v, dt);
  for (int i = 0; i < v->nv; i++) {
    long double size, off = momentum_off(v, i, &size);
    if (v->islands.of[i] == i && !v->held[i] && !(off <= v->c->tol*size)) return false;
  }
  size_step(v);
  for (int i = 0, r = v->nb; i < v->k; r += ss_contact_rows(v->c->d->contact[i++].kind)) {
    if (v->c->d->contact[i].kind == SS_CONTACT_FRICTION || !is_free_row(v, r)) continue;
    long double apart = (long double)v->gap[i] - v->gap_of[i][row];
    if (fabsl(apart) > v->c->tol*gap_size(v, i, r)) return false;
  }
  return true;
}

// Where a step of jean is evaluated: at q_t with u_t, or, where rounds do not settle there or meet other contacts,
// where u_A leads; if they settle nowhere, which the step tells, h is that of u_A
static bool place_jean(steps* v, long row, double dt, double theta)
{
  for (int attempt = 0; attempt < 2 && !is_place(v, row, dt); attempt++) {
    if (attempt && v->status[row] == 0) break;
    for (int i = 0; i < v->nv; i++) {
      v->qm[i] = v->qa[i] + theta*dt*v->ua[i];
      if (attempt) v->um[i] = v->ua[i];
    }
    if (!evaluate_step(v, v->c->t[row - 1], theta)) return false;
  }
  return true;
}

static void check_position(steps* v, long row, double dt, double theta)
{
  for (int i = 0; i < v->nv; i++) {
    if (v->held[v->islands.of[i]]) continue;
    long double way = (long double)dt*((1 - (long double)theta)*v->ua[i] + (long double)theta*v->ue[i]);
    long double terms = (long double)dt*((1 - (long double)theta)*fabs(v->ua[i]) + (long double)theta*fabs(v->ue[i]));
    long double size = fabs(v->qe[i]) + fabs(v->qa[i]) + terms;
    cli_verify_note(v->c, CLI_POSITION, row, (long double)v->qe[i] - v->qa[i] - way, size);
  }
}

// The friction law with this limit, as a distance: x - P(x - xi), x = g Lambda
static long double friction_off(long double x, long double xi, long double limit)
{
  return x - fmaxl(-limit, fminl(limit, x - xi));
}

// ---- static friction ----

static bool has_static(const ss_contact_def* c) { return c->mu_static > c->mu || c->bound_static > c->bound; }

static int island_of(const steps* v, int r) { return cli_islands_of_row(&v->islands, v->W + r*v->nv); }

static int first_row(const steps* v, int i)
{
  int r = v->nb;
  for (int j = 0; j < i; j++) r += ss_contact_rows(v->c->d->contact[j].kind);
  return r;
}

// Whether contact i is the only one with static friction of its island
static bool holds_alone(const steps* v, int i)
{
  int island = island_of(v, first_row(v, i));
  for (int j = 0; j < v->k; j++)
    if (j != i && has_static(&v->c->d->contact[j]) && island_of(v, first_row(v, j)) == island) return false;
  return true;
}

// Contact i, whose first row is r, as it would be held: it was stuck, or starts at rest, or, one alone, turned round
static cli_hold_contact describe(const steps* v, long row, int i, int r, int to)
{
  const ss_contact_def* c = &v->c->d->contact[i];
  int state = (int)v->state[i][row];
  bool normal = c->kind != SS_CONTACT_FRICTION, slides = state == SS_SLIP_POS || state == SS_SLIP_NEG;
  double dt = v->c->info->run.step.dt;
  long double size = 0, before = 0, after = 0;
  if (c->kind != SS_CONTACT_NORMAL) before = velocity(v, r + normal, v->ua, &size);
  if (c->kind != SS_CONTACT_NORMAL) after = velocity(v, r + normal, v->ue, &size) + c->eps_t*before;
  bool held = (row > 1 && (int)v->state[i][row - 1] == SS_STICK) || before == 0;
  bool turned = before*after < -v->c->tol*size*size && holds_alone(v, i);
  held = held || turned;
  return (cli_hold_contact){.row = to, .normal = normal, .tangents = ss_contact_rows(c->kind) - normal,
                            .mu = held ? fmax(v->mu[i], c->mu_static) : v->mu[i],
                            .bound = dt*(held ? fmax(v->bound[i], c->bound_static) : v->bound[i]),
                            .slides = has_static(c) && !held && !holds_alone(v, i),
                            .watched = held && slides && has_static(c) && !c->varies};
}

// Into h the closed contacts of an island; G = W M^-1 W
static void fill_hold(steps* v, long row, int island, cli_hold* h)
{
  bool euler = v->c->info->run.step.integrator == SS_EULER;
  int n = v->nv, from[CLI_HOLD_MOST];
  h->n = h->rows = 0;
  for (int i = 0, r = v->nb; i < v->k; r += ss_contact_rows(v->c->d->contact[i++].kind)) {
    const ss_contact_def* c = &v->c->d->contact[i];
    if ((int)v->state[i][row] == SS_OPEN || island_of(v, r) != island) continue;
    h->contact[h->n++] = describe(v, row, i, r, h->rows);
    for (int k = 0; k < ss_contact_rows(c->kind); k++) {
      long double none = 0, before = velocity(v, r + k, v->ua, &none);
      bool normal = k == 0 && c->kind != SS_CONTACT_FRICTION;
      if (normal && euler && before > 0) before = 0;
      h->Lambda[h->rows] = v->Lambda[r + k];
      h->xi[h->rows] = velocity(v, r + k, v->ue, &none) + (normal ? c->eps_n : c->eps_t)*before;
      from[h->rows++] = r + k;
    }
  }
  for (int j = 0; j < h->rows; j++) {
    for (int p = 0; p < n; p++) v->y[p] = v->W[from[j]*n + p];
    cli_cholesky_solve(n, v->L, v->y);
    for (int i = 0; i < h->rows; i++) {
      h->G[i*h->rows + j] = 0;
      for (int p = 0; p < n; p++) h->G[i*h->rows + j] += v->W[from[i]*n + p]*v->y[p];
    }
  }
}

// What slides though it was stuck, or at rest, could not be held: the contacts of its island have no solution in which
// it is
static bool check_static(steps* v, long row)
{
  bool several = v->choice && v->choice[row] >= SS_CHOICE_MOTION, good = true;
  cli_hold h = {0};
  bool large = v->rows > CLI_HOLD_MOST;
  if (!large) good = cli_hold_open(&h, v->k, v->rows);
  for (int i = 0, r = v->nb; good && i < v->k; r += ss_contact_rows(v->c->d->contact[i++].kind)) {
    bool watched = (int)v->state[i][row] != SS_OPEN && describe(v, row, i, r, 0).watched;
    if (!watched || !is_free_row(v, r)) continue;
    if (large) {
      cli_verify_count_out(v->c, CLI_NOT_HELD);
      continue;
    }
    fill_hold(v, row, island_of(v, r), &h);
    bool plain = !several || h.n == 1;
    for (int j = 0; j < h.n; j++) plain = plain && !h.contact[j].slides;  // it may be caught in the step, or not
    if (!plain) cli_verify_count_out(v->c, CLI_NOT_HELD);
    else cli_hold_check(v->c, row, &h, 1);
  }
  cli_hold_close(&h);
  return good;
}

// xi of normal row r by Newton's law: `euler` has no restitution for what separates
static long double xi_normal(const steps* v, const ss_contact_def* c, int r)
{
  long double dummy = 0, before = velocity(v, r, v->ua, &dummy), after = velocity(v, r, v->ue, &dummy);
  bool euler = v->c->info->run.step.integrator == SS_EULER;
  return after + c->eps_n*(euler && before > 0 ? 0 : before);
}

// `size`: of velocities in this step
static void check_contact(steps* v, long row, int i, int r, double dt, bool was_stuck, long double size, bool hits,
                          long double* far)
{
  const ss_contact_def* c = &v->c->d->contact[i];
  bool normal = c->kind != SS_CONTACT_FRICTION, tangent = c->kind != SS_CONTACT_NORMAL;
  bool open = (int)v->state[i][row] == SS_OPEN;
  long double dummy = 0, N = normal ? v->Lambda[r] : 0;
  if (normal) {
    long double before = velocity(v, r, v->ua, &dummy), xi = xi_normal(v, c, r), g = diagonal(v, r);
    if (hits && before < 0) xi = velocity(v, r, v->ue, &dummy);  // its restitution: check_hits()
    if (open) cli_verify_note(v->c, CLI_NORMAL, row, N, 1);
    else if (hits) cli_verify_note(v->c, CLI_NORMAL, row, fminl(0, fminl(xi, N*g)), size);
    else cli_verify_note(v->c, CLI_NORMAL, row, fminl(xi, N*g), size);
    far[r] = open ? 0 : fminl(xi, N*g);
    r++;
  }
  if (!tangent) return;
  long double before = velocity(v, r, v->ua, &dummy), after = velocity(v, r, v->ue, &dummy), g = diagonal(v, r);
  long double xi = after + c->eps_t*before, T = v->Lambda[r], kinetic = v->mu[i]*N + v->bound[i]*(long double)dt;
  long double rest = fmaxl(c->mu_static, v->mu[i])*N + fmaxl(c->bound_static, v->bound[i])*(long double)dt, off;
  if (hits) off = fmaxl(0, fabsl(T) - kinetic)*g;
  else {
    off = friction_off(T*g, xi, kinetic*g);
    bool alone = holds_alone(v, i);  // one of several may have been caught in a motion that others have changed since
    long double other = friction_off(T*g, xi, rest*g), along = T*before;
    if (alone) other = fmaxl(fabsl(other), fabsl(xi));  // the static limit holds
    bool may_rest = !alone || was_stuck || along >= -v->c->tol*fabsl(along);
    if (rest > kinetic && may_rest && fabsl(other) < fabsl(off)) off = other;
  }
  far[r] = open ? 0 : off;
  cli_verify_note(v->c, CLI_FRICTION, row, open ? T*g : off, size);
}

// ---- what the file says of contacts ----

// Gaps and velocities of the row, with the system where the step tested its contacts
static void check_kinematics(steps* v, long row)
{
  for (int i = 0, next = v->nb; i < v->k; i++) {
    ss_contact_kind kind = v->c->d->contact[i].kind;
    int r = next;
    next += ss_contact_rows(kind);
    if (v->c->info->run.step.integrator != SS_EVENT_DRIVEN && !is_free_row(v, r)) continue;
    long double size = kind != SS_CONTACT_FRICTION ? gap_size(v, i, r) : 0, terms = 0;
    for (int j = 0, first = kind == SS_CONTACT_FRICTION; j < ss_contact_rows(kind); j++)
      v->c->before[3*i + first + j] = (double)velocity(v, r + j, v->ua, &terms);
    terms = 0;
    if (kind != SS_CONTACT_FRICTION) {
      cli_verify_note(v->c, CLI_KINEMATICS, row, (long double)v->gap[i] - v->gap_of[i][row], size);
      long double gamma = velocity(v, r++, v->ue, &terms);
      cli_verify_note(v->c, CLI_KINEMATICS, row, gamma - v->gamma_N[i][row], terms + row_size(v, r - 1));
    }
    if (kind == SS_CONTACT_NORMAL) continue;
    terms = 0;
    long double gamma = velocity(v, r++, v->ue, &terms);
    cli_verify_note(v->c, CLI_KINEMATICS, row, gamma - v->gamma_T[i][row], terms + row_size(v, r - 1));
  }
}

// The state of a contact against its impulse and velocities (as xi of the laws): violations are of the size of these
static long double state_off(const ss_contact_def* c, ss_contact_state state, long double push, long double xi_n,
                             long double xi_t, bool frictional)
{
  bool tangent = c->kind != SS_CONTACT_NORMAL && frictional;
  switch (state) {
  case SS_OPEN: return fmaxl(push, c->kind == SS_CONTACT_FRICTION ? 1 : 0);
  case SS_STICK: return tangent ? fabsl(xi_t) : 1;
  case SS_SLIP_POS: return tangent ? fmaxl(0, -xi_t) : 1;
  case SS_SLIP_NEG: return tangent ? fmaxl(0, xi_t) : 1;
  case SS_CLOSED: return tangent ? 1 : fmaxl(0, fminl(xi_n, 1) - push);
  default: return 1;
  }
}

static void check_state(steps* v, long row, int i, int r, long double size)
{
  const ss_contact_def* c = &v->c->d->contact[i];
  bool normal = c->kind != SS_CONTACT_FRICTION;
  long double dummy = 0, push = 0, xi_n = 0, xi_t = 0;
  ss_contact_state state = (ss_contact_state)v->state[i][row];
  if (normal) {
    xi_n = xi_normal(v, c, r);
    push = v->Lambda[r]*diagonal(v, r);
    r++;
  }
  if (c->kind != SS_CONTACT_NORMAL)
    xi_t = velocity(v, r, v->ue, &dummy) + c->eps_t*velocity(v, r, v->ua, &dummy);
  bool frictional = v->mu[i] > 0 || v->bound[i] > 0 || c->mu_static > 0 || c->bound_static > 0;
  long double off = state_off(c, state, push, xi_n, xi_t, frictional);
  bool apart = normal && v->gap[i] > 1e-9*(fabs(v->gap[i]) + 1e-3) && push == 0 && v->bound[i] == 0;
  if (apart && state != SS_OPEN && v->c->info->run.step.integrator == SS_MOREAU) off = fmaxl(off, size);
  cli_verify_note(v->c, CLI_STATES, row, off, size);
}

// The residual of the step's contact problem (docs/solvers.md) against the one of the file: violations of the laws over
// sqrt(G_ii), relative to the largest b/sqrt(G_ii), b = xi - G Lambda
//
// Where velocities are round-off of their terms b is, too: a difference counts relative to these.
static void check_residual(steps* v, long row, const long double* off)
{
  long double worst = 0, reference = 0, most = 0, *y = v->y;
  response(v, y);
  for (int i = 0, r = v->nb; i < v->k; i++) {
    const ss_contact_def* c = &v->c->d->contact[i];
    bool open = (int)v->state[i][row] == SS_OPEN && v->gap[i] > 0;
    for (int j = 0; j < ss_contact_rows(c->kind); j++, r++) {
      double eps = j == 0 && c->kind != SS_CONTACT_FRICTION ? c->eps_n : c->eps_t;
      long double terms = 0, b = velocity(v, r, v->ue, &terms) + eps*velocity(v, r, v->ua, &terms);
      for (int p = 0; p < v->nv; p++) {
        b -= (long double)v->W[r*v->nv + p]*y[p];
        terms += fabsl((long double)v->W[r*v->nv + p]*y[p]);
      }
      long double unit = sqrtl(diagonal(v, r));
      if (open || !(unit > 0)) continue;
      worst = fmaxl(worst, fabsl(off[r])/unit);
      reference = fmaxl(reference, fabsl(b)/unit);
      most = fmaxl(most, terms/unit);
    }
  }
  long double mine = reference > 0 ? worst/reference : 0;
  bool noise = reference > 0 && reference < 1e-12L*most;
  cli_verify_note(v->c, CLI_RESIDUAL, row, mine - v->residual[row], noise ? most/reference : 1);
}

// Impulses of the row, and the losses that they stand for
static void check_losses(steps* v, long row)
{
  cli_losses sum = {0};
  for (int i = 0, r = v->nb; i < v->k; i++) {
    long double dn = 0, df = 0;
    const ss_contact_def* c = &v->c->d->contact[i];
    bool pressed = c->kind != SS_CONTACT_FRICTION;
    long double none = 0;
    bool hits = pressed && v->Lambda[r] > 0 && velocity(v, r, v->ua, &none) < 0 && (c->eps_n > 0 || c->eps_t > 0);
    for (int j = 0; j < ss_contact_rows(c->kind); j++, r++) {
      long double terms = 0, mean = (velocity(v, r, v->ua, &terms) + velocity(v, r, v->ue, &terms))/2;
      if (hits) cli_verify_give(&sum, v->Lambda[r], velocity(v, r, v->ua, &none));
      sum.step += (long double)v->Lambda[r]*v->Lambda[r]*diagonal(v, r);
      *(pressed && j == 0 ? &dn : &df) -= v->Lambda[r]*mean;
      sum.size += fabsl(v->Lambda[r])*terms;
    }
    cli_verify_add_loss(&sum, pressed, dn, df);
  }
  cli_verify_losses(v->c, row, &sum);
}

// ---- impacts by other laws ----

// Into v->y the velocities that an impulse along row r gives
static void answer(steps* v, int r)
{
  for (int p = 0; p < v->nv; p++) v->y[p] = v->W[r*v->nv + p];
  cli_cholesky_solve(v->nv, v->L, v->y);
}

static long double along(const steps* v, int r)
{
  long double sum = 0;
  for (int p = 0; p < v->nv; p++) sum += v->W[r*v->nv + p]*v->y[p];
  return sum;
}

// Contact i, whose first row is r
static cli_hit describe_hit(steps* v, int i, int r, long double size)
{
  long double none = 0;
  const ss_contact_def* c = &v->c->d->contact[i];
  cli_hit h = {.law = c, .mu = v->mu[i], .bound = v->bound[i], .N = v->Lambda[r], .size = size, .alone = true};
  h.before = velocity(v, r, v->ua, &none);
  h.after = velocity(v, r, v->ue, &none);
  h.held = !is_free_row(v, r);
  response(v, v->y);
  h.response = along(v, r);
  h.G_NN = diagonal(v, r);
  answer(v, r);
  if (c->kind != SS_CONTACT_NORMAL) h.G_NT = fabsl(along(v, r + 1));
  for (int s = 0; s < v->rows; s++) {
    bool own = s >= r && s < r + ss_contact_rows(c->kind);
    if (!own && v->Lambda[s] != 0 && fabsl(along(v, s)) > 1e-12L*h.G_NN) h.alone = false;
  }
  return h;
}

// |u| in the metric of M
static long double norm_of(const steps* v, const double* u)
{
  long double sum = 0;
  for (int i = 0; i < v->nv; i++)
    for (int j = 0; j < v->nv; j++) sum += (long double)u[i]*v->M[i*v->nv + j]*u[j];
  return sqrtl(fmaxl(0, sum));
}

static void check_hits(steps* v, long row, double dt, long double size)
{
  cli_hits hits = {0};
  long double given = 0, none = 0, norm[3] = {norm_of(v, v->ua), norm_of(v, v->ue)};
  bool driven = v->nb;
  for (int i = 0, r = v->nb; i < v->k; r += ss_contact_rows(v->c->d->contact[i++].kind)) {
    int n = ss_contact_rows(v->c->d->contact[i].kind);
    for (int s = r; s < r + n; s++) {
      given += v->Lambda[s]*(velocity(v, s, v->ua, &none) + velocity(v, s, v->ue, &none))/2;
      driven = driven || v->w_hat[s] != 0;
    }
    bool closing = v->Lambda[r] > 0 && velocity(v, r, v->ua, &none) < 0;
    if (v->c->d->contact[i].kind == SS_CONTACT_FRICTION || !closing) continue;
    cli_hit h = describe_hit(v, i, r, size);
    cli_hits_check(v->c, row, &h);
    cli_hits_add(&hits, &h, n > 1 && (v->mu[i] > 0 || v->bound[i] > 0));
  }
  for (int i = 0; i < v->nv; i++) v->y[i] = (long double)dt*v->h[i] + v->kick[i];
  cli_cholesky_solve(v->nv, v->L, v->y);
  for (int i = 0; i < v->nv; i++) norm[2] += v->y[i]*((long double)dt*v->h[i] + v->kick[i]);
  norm[2] = sqrtl(fmaxl(0, norm[2]));
  if (!driven) cli_hits_check_energy(v->c, row, &hits, given, norm);
}

// Comes last: the system is evaluated elsewhere
static bool check_works(steps* v, long row)
{
  long double contacts = 0;
  for (int r = 0; r < v->rows; r++) contacts -= (long double)v->Lambda[r]*v->w_hat[r];
  for (int i = 0; i < v->nv; i++) {
    v->qm[i] = (v->qa[i] + v->qe[i])/2;
    v->um[i] = (v->ua[i] + v->ue[i])/2;
  }
  return cli_verify_step_works(v->c, row, &(cli_ends){v->qa, v->ua, v->qe, v->ue}, v->qm, v->um, contacts);
}

// ---- contacts at a distance ----
//
// What takes an impulse touches, or would have, had it gone on without: with the velocity u_E - M^-1 W_i Lambda_i of a
// contact i that has no other one beside it. By its tangent, g + s gamma, a gap that bends away closes within the step
// dt where it never does. A straight one is at -g by 2 dt, and a bent one that closes has done so by then: g + s gamma
// + k s^2/2 = 0 at s <= 2 g/|gamma| <= 2 dt. Where it is less deep than SHALLOW g on all that way it grazes: it arrives
// with a tenth of gamma or less, sqrt(gamma^2 - 2 k g), and the impulse is that of another motion.

#define LOOKS 32      // along that way
#define AHEAD 2       // steps
#define SHALLOW 0.01

// Whether contact i, whose first row is r, has an impulse, is open where the step tested it, and alone
static bool is_distant(steps* v, int i, int r, long double size)
{
  bool normal = v->c->d->contact[i].kind != SS_CONTACT_FRICTION;
  if (!normal || !(v->Lambda[r]*diagonal(v, r) > v->c->tol*size)) return false;
  return v->gap[i] > v->c->tol*gap_size(v, i, r) && is_free_row(v, r) && describe_hit(v, i, r, size).alone;
}

// Into v->um the velocity without the impulses of contact i
static void take_out(steps* v, int i, int r)
{
  for (int p = 0; p < v->nv; p++) {
    v->y[p] = 0;
    for (int s = r; s < r + ss_contact_rows(v->c->d->contact[i].kind); s++)
      v->y[p] += (long double)v->W[s*v->nv + p]*v->Lambda[s];
  }
  cli_cholesky_solve(v->nv, v->L, v->y);
  for (int p = 0; p < v->nv; p++) v->um[p] = v->ue[p] - (double)v->y[p];
}

// The least gap of contact i along q_A + s v->um. The system is evaluated elsewhere afterwards.
static bool find_least(steps* v, long row, int i, double dt, double* least)
{
  *least = INFINITY;
  for (int k = 0; k <= LOOKS; k++) {
    double s = AHEAD*dt*k/LOOKS;
    for (int p = 0; p < v->nv; p++) v->qm[p] = v->qa[p] + s*v->um[p];
    if (!evaluate(v, v->qm, v->um, v->c->t[row - 1] + s)) return false;
    *least = fmin(*least, v->gap[i]);
  }
  return true;
}

// Comes last: the system is evaluated elsewhere
static bool check_distances(steps* v, long row, double dt, long double size)
{
  for (int i = 0, r = v->nb; i < v->k; r += ss_contact_rows(v->c->d->contact[i++].kind)) {
    if (!is_distant(v, i, r, size)) continue;
    double least, tested = v->gap[i], impulse = v->Lambda[r]*(double)diagonal(v, r);
    take_out(v, i, r);
    if (!find_least(v, row, i, dt, &least)) return false;
    bool distant = least > -SHALLOW*tested;
    cli_verify_note(v->c, CLI_NORMAL, row, distant ? impulse : 0, size);
    v->c->distant += distant;
    return true;  // the rows of the step are no more there for others
  }
  return true;
}

// ---- what constraints act on ----

static void find_held(steps* v)
{
  for (int b = 0; b < v->nb; b++) {
    int island = cli_islands_of_row(&v->islands, v->W + b*v->nv);
    if (island >= 0) v->held[island] = true;
  }
}

static void check_momentum(steps* v, long row, double dt)
{
  find_momenta(v, dt);
  for (int i = 0; i < v->nv; i++) {
    if (v->islands.of[i] != i || v->held[i]) continue;
    long double size, off = momentum_off(v, i, &size);
    cli_verify_note(v->c, CLI_MOMENTUM, row, off, size);
  }
}

// Into v->base what impulses of the constraints can add where the step ends: M M_E^-1 W_b, or without M (nv x nv) the
// displacements M_E^-1 W_b. The system is evaluated there.
static void make_base(steps* v, const double* M)
{
  int n = v->nv;
  for (int b = 0; b < v->nb; b++) {
    long double* x = v->base + b*n;
    for (int j = 0; j < n; j++) x[j] = v->W[b*n + j];
    cli_cholesky_solve(n, v->L, x);
    for (int i = 0; M && i < n; i++) {
      v->y[i] = 0;
      for (int j = 0; j < n; j++) v->y[i] += M[i*n + j]*x[j];
    }
    if (M) memcpy(x, v->y, sizeof *x*(size_t)n);
  }
}

// Afterwards positions and velocities are moved onto the constraints, by displacements and impulses that these alone
// can have: the rest of the momenta is looked at, but for jean, which takes its forces at velocities before that. Comes
// last: the system is evaluated elsewhere.
static bool check_held(steps* v, long row, double dt)
{
  int n = v->nv;
  double* M = malloc(sizeof *M*(size_t)(n*n));
  bool good = M;
  if (good) memcpy(M, v->M, sizeof *M*(size_t)(n*n));
  find_momenta(v, dt);
  good = good && evaluate(v, v->qe, v->ue, v->c->t[row]) && factor(v);
  if (good) {
    make_base(v, M);
    cli_take_out(n, v->nb, v->base, v->off);
  }
  for (int i = 0; good && i < n; i++) {
    if (v->islands.of[i] != i || !v->held[i]) continue;
    long double size, off = momentum_off(v, i, &size);
    cli_verify_note(v->c, CLI_MOMENTUM, row, off, size);
  }
  free(M);
  return good;
}

// That constraints are kept in a row, as well as a projection has to keep them (docs/integrators.md), and its
// velocities: these are round-off of the largest so far, and of free fall in a step
static bool check_kept(steps* v, long row)
{
  double dt = v->c->info->run.step.dt, most = 0;
  if (v->nb && !factor(v)) return false;
  for (int j = 0; j < v->nv; j++) v->y[j] = dt*v->h[j];
  if (v->nb) cli_cholesky_solve(v->nv, v->L, v->y);
  for (int j = 0; j < v->nv; j++) {
    v->fast[j] = fmax(v->fast[j], fmax(fabs(v->ue[j]), v->nb ? (double)fabsl(v->y[j]) : 0));
    most = fmax(most, v->fast[j]);
  }
  for (int b = 0; b < v->nb; b++) {
    long double place = 0, terms = 0, speed = velocity(v, b, v->ue, &terms);
    for (int j = 0; j < v->nv; j++) {
      place += fabsl((long double)v->W[b*v->nv + j]*v->qe[j]);
      terms += fabsl((long double)v->W[b*v->nv + j])*(v->fast[j] + 1e-3L*most);
    }
    place += fabs(v->gap[v->k + b]);
    cli_verify_note(v->c, CLI_GAPS, row, v->gap[v->k + b], place + 100*dt*terms);
    cli_verify_note(v->c, CLI_GAPS, row, speed, terms);
  }
  return true;
}

static bool check_step(steps* v, long row)
{
  const ss_step_def* def = &v->c->info->run.step;
  bool apart = cli_hits_apart(v->c);
  double dt = def->dt, theta = def->integrator == SS_EULER ? 1 : def->integrator == SS_JEAN ? def->theta : 0.5;
  double where = def->integrator == SS_EULER ? 0 : def->integrator == SS_JEAN ? theta : 0.5;
  load(v, row - 1, v->qa, v->ua);
  load(v, row, v->qe, v->ue);
  for (int i = 0; i < v->nv; i++) {
    v->um[i] = def->integrator == SS_JEAN ? (1 - theta)*v->ua[i] + theta*v->ue[i] : v->ua[i];
    v->qm[i] = v->qa[i] + where*dt*v->um[i];
  }
  if (!evaluate_step(v, v->c->t[row - 1], where)) return false;
  for (int i = 0; i < v->nb; i++) v->Lambda[i] = v->B[i][row];
  for (int i = 0, r = v->nb; i < v->k; i++) {
    if (v->c->d->contact[i].kind != SS_CONTACT_FRICTION) v->Lambda[r++] = v->N[i][row];
    if (v->c->d->contact[i].kind != SS_CONTACT_NORMAL) v->Lambda[r++] = v->T[i][row];
  }
  if (def->integrator == SS_JEAN && !place_jean(v, row, dt, theta)) return false;
  size_step(v);
  if (def->project != SS_PROJECTION_ON) check_position(v, row, dt, theta);
  check_momentum(v, row, dt);
  bool hits = false;
  long double size = 0;
  for (int i = 0, r = v->nb; i < v->k; r += ss_contact_rows(v->c->d->contact[i++].kind)) {
    for (int j = 0; j < ss_contact_rows(v->c->d->contact[i].kind); j++) {
      long double terms = 0;
      velocity(v, r + j, v->ua, &terms);
      velocity(v, r + j, v->ue, &terms);
      size = fmaxl(size, terms + fabsl(v->Lambda[r + j])*diagonal(v, r + j));
    }
    long double dummy = 0;
    if (apart && v->c->d->contact[i].kind != SS_CONTACT_FRICTION && v->Lambda[r] > 0)
      hits = hits || velocity(v, r, v->ua, &dummy) < 0;
  }
  v->c->speed = (double)size;
  for (int i = 0, r = v->nb; i < v->k; r += ss_contact_rows(v->c->d->contact[i++].kind))
    if (is_free_row(v, r))
      check_contact(v, row, i, r, dt, (int)v->state[i][row - 1] == SS_STICK, size, hits, v->far);
  if (hits) check_hits(v, row, dt, size);
  check_kinematics(v, row);
  for (int i = 0, r = v->nb; !hits && i < v->k; r += ss_contact_rows(v->c->d->contact[i++].kind))
    if (is_free_row(v, r)) check_state(v, row, i, r, size);
  if (!v->nb && !hits) check_residual(v, row, v->far);
  for (int i = 0; !hits && i < v->k; i++)
    if (has_static(&v->c->d->contact[i])) {
      if (!check_static(v, row)) return false;
      break;
    }
  if (!v->nb) check_losses(v, row);
  if (v->nb && def->integrator != SS_JEAN && !check_held(v, row, dt)) return false;
  if (v->nb) return true;
  if (def->project != SS_PROJECTION_ON && !check_works(v, row)) return false;
  return check_distances(v, row, dt, size);
}

// ---- a row ----

// Sensors of text models are expressions of the state
static bool check_sensors(steps* v, long row)
{
  int n = v->c->d->n_sensor;
  if (!n || row == 0) return true;
  double* value = calloc((size_t)n, sizeof *value);
  if (!value) return false;
  v->c->d->sense(&v->c->at, &(ss_past){0}, value);
  for (int i = 0; i < n; i++) {
    double told = v->sensor[i][row];
    cli_verify_note(v->c, CLI_KINEMATICS, row, (long double)value[i] - told, fabs(value[i]) + fabs(told));
  }
  free(value);
  return true;
}

static bool check_row(steps* v, long row)
{
  bool exact = v->c->info->run.step.integrator == SS_EVENT_DRIVEN;
  if (exact && v->c->d->n_kink && !cli_verify_row_sides(v->c, row, v->side)) return false;
  v->c->at.side = exact && v->c->d->n_kink ? v->side : NULL;
  load(v, row, v->qe, v->ue);
  if (!evaluate(v, v->qe, v->ue, v->c->t[row])) return false;
  for (int i = 0; exact && row > 0 && i < v->k; i++) {  // the start may overlap: that is put right
    if (v->c->d->contact[i].kind == SS_CONTACT_FRICTION) continue;
    long double size = 0;
    for (int j = 0, r = v->nb; j <= i; r += ss_contact_rows(v->c->d->contact[j++].kind))
      for (int p = 0; j == i && p < v->nv; p++) size += fabsl((long double)v->W[r*v->nv + p]*v->qe[p]);
    size += fabsl((long double)v->gap[i]) + 1e-6L;
    bool closed = (int)v->state[i][row] != SS_OPEN;
    cli_verify_note(v->c, CLI_GAPS, row, closed ? v->gap[i] : fmin(0, v->gap[i]), size);
  }
  if (exact && row > 0) check_kinematics(v, row);
  find_held(v);
  if (row > 0 && !check_kept(v, row)) return false;
  if (!check_sensors(v, row)) return false;
  return cli_verify_energy(v->c, row);
}

// ---- the run ----

static bool open_columns(steps* v, ss_error* error)
{
  size_t k = (size_t)v->k + 1, nv = (size_t)v->nv, rows = (size_t)v->rows + 1;
  v->N = calloc(6*k + (size_t)v->nb + (size_t)v->c->d->n_sensor, sizeof *v->N);
  double* p = calloc(8*nv + nv*nv + nv + 3*k + (size_t)v->nb + rows*nv + 2*rows + (size_t)v->c->d->n_kink, sizeof *p);
  v->L = calloc(nv*nv + 5*nv + rows + (size_t)v->nb*nv, sizeof *v->L);
  v->held = calloc(nv + 1, sizeof *v->held);
  bool known = cli_islands_open(&v->islands, v->c);
  v->qa = p;
  if (!v->N || !p || !v->L || !v->held || !known) return ss_error_set(error, SS_ERR_MEMORY, "out of memory"), false;
  v->T = v->N + k;
  v->gamma_N = v->T + k;
  v->gamma_T = v->gamma_N + k;
  v->gap_of = v->gamma_T + k;
  v->state = v->gap_of + k;
  v->B = v->state + k;
  v->sensor = v->B + v->nb;
  double** part[] = {&v->ua, &v->qe, &v->ue, &v->qm, &v->um, &v->kick, &v->fast};
  p += nv;
  for (int i = 0; i < 7; i++, p += nv) *part[i] = p;
  v->M = p;
  v->h = v->M + nv*nv;
  v->mu = v->h + nv;
  v->bound = v->mu + k;
  v->gap = v->bound + k;
  v->W = v->gap + k + v->nb;
  v->w_hat = v->W + rows*nv;
  v->Lambda = v->w_hat + rows;
  v->side = v->Lambda + rows;
  v->v = v->L + nv*nv;
  v->y = v->v + nv;
  v->term = v->y + nv;
  v->off = v->term + nv;
  v->terms = v->off + nv;
  v->base = v->terms + nv;
  v->far = v->base + (size_t)v->nb*nv;
  cli_islands_begin(&v->islands);
  cli_islands_end(&v->islands);
  v->residual = cli_verify_column(v->c, "", "residual", error);
  v->status = cli_verify_column(v->c, "", "status", error);
  v->choice = ss_run_column(v->c->run, "choice", NULL);
  for (int i = 0; i < v->k; i++) {
    v->N[i] = cli_verify_column(v->c, "Lambda_N.", v->c->info->contact[i], error);
    v->T[i] = cli_verify_column(v->c, "Lambda_T.", v->c->info->contact[i], error);
    v->gamma_N[i] = cli_verify_column(v->c, "gamma_N.", v->c->info->contact[i], error);
    v->gamma_T[i] = cli_verify_column(v->c, "gamma_T.", v->c->info->contact[i], error);
    v->gap_of[i] = cli_verify_column(v->c, "gap.", v->c->info->contact[i], error);
    v->state[i] = cli_verify_column(v->c, "state.", v->c->info->contact[i], error);
  }
  for (int i = 0; i < v->c->d->n_sensor; i++)
    v->sensor[i] = cli_verify_column(v->c, "sensor.", v->c->d->sensor[i], error);
  for (int i = 0; i < v->nb; i++) v->B[i] = cli_verify_column(v->c, "Lambda.", v->c->info->bilateral[i], error);
  return error->status >= 0;
}

static void check_events(steps* v)
{
  const ss_event* e = v->c->event;
  for (long i = 0; i < v->c->info->n_events; i++) {
    const ss_contact_def* c = &v->c->d->contact[e[i].contact];
    if (e[i].kind == SS_EVENT_IMPACT && c->kind != SS_CONTACT_FRICTION)
      cli_verify_impact(v->c, &e[i], fabs(e[i].Lambda[1]), c->varies ? NAN : c->mu);
  }
}

// Laws that vary: both ends of a step and its middle, with the velocities of both ends
static bool find_varying(steps* v, long row, bool one)
{
  bool varies = false;
  for (int i = 0; i < v->k; i++) varies = varies || v->c->d->contact[i].varies;
  if (varies && !one) cli_impulses_vary(v->c, true, NULL, NULL);
  if (!varies || !one) return true;
  load(v, row - 1, v->qa, v->ua);
  load(v, row, v->qe, v->ue);
  for (int place = 0; place < 6; place++) {
    double part = place/2/2.0, t = (1 - part)*v->c->t[row - 1] + part*v->c->t[row];
    for (int i = 0; i < v->nv; i++) v->qm[i] = (1 - part)*v->qa[i] + part*v->qe[i];
    if (!evaluate(v, v->qm, place % 2 ? v->ue : v->ua, t)) return false;
    cli_impulses_vary(v->c, place == 0, v->mu, v->bound);
  }
  return true;
}

static bool check_all(steps* v, ss_error* error)
{
  bool stepped = v->c->info->run.step.integrator != SS_EVENT_DRIVEN;
  for (long row = 0; row < v->c->info->n_rows; row++) {
    if (!cli_verify_go_on(v->c, row, error) || !check_row(v, row)) return false;
    if (row == 0) continue;
    bool one = stepped ? v->c->step[row] == v->c->step[row - 1] + 1 : cli_verify_is_next(v->c, row);
    bool held = v->nb && stepped && !v->rattle;
    if (held && !find_varying(v, row, one)) return false;
    if (!cli_verify_impulses(v->c, row, one && !held, error)) return false;
    if (!stepped) continue;
    if (!one) v->c->not_seen++;
    else if (v->rattle ? !cli_rattle_step(v->rattle, row, error) : !check_step(v, row)) return false;
    if (!cli_verify_step_events(v->c, row, one, error)) return false;
  }
  v->c->at.side = NULL;
  return true;
}

int cli_verify_text(cli_verifier* c)
{
  ss_error error = {0};
  steps v = {.c = c, .nv = c->d->nv, .k = c->d->n_contact, .nb = c->d->n_bilateral};
  v.rows = ss_system_rows(ss_model_system(c->model)) + v.nb;
  int status = CLI_GO_ON;
  bool events = c->info->run.step.integrator == SS_EVENT_DRIVEN;
  bool rattle = c->info->run.step.integrator == SS_RATTLE;
  if (v.nb && !events && !rattle)
    cli_verify_leave_out(c, "positions, laws, losses and works of parts with bilateral constraints, which are "
                            "projected");
  else if (!events && c->info->run.step.project == SS_PROJECTION_ON)
    cli_verify_leave_out(c, "positions of text models with projection");
  if (rattle) v.rattle = cli_rattle_open(c, &error);
  if (rattle && !v.rattle && error.status >= 0) ss_error_set(&error, SS_ERR_MEMORY, "out of memory");
  if (error.status < 0 || !open_columns(&v, &error)) status = cli_fail(&error);
  else if (events) check_events(&v);
  if (status == CLI_GO_ON && (!check_all(&v, &error) || (events && !cli_verify_arcs(c, &error)))) {
    cli_progress_end(&c->progress);
    if (error.status >= 0) cli_error("the system cannot be evaluated at a recorded state, or memory is short");
    status = error.status < 0 ? cli_fail(&error) : CLI_FAILED;
  }
  free(v.N);
  free(v.qa);
  free(v.L);
  free(v.held);
  cli_rattle_close(v.rattle);
  cli_islands_close(&v.islands);
  return status;
}
