// How many motions the contact laws allow: none, one, or several (Painleve), and which of several to take.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/number.h"
#include "integrate/event.h"
#include "math/dense.h"

#define DISTINCT 1e-8   // of the accelerations without contact: motions that differ by more are two
#define NEGATIVE 1e-12   // determinants of rows in units of their lengths: zero (redundant contacts) is not negative
enum { LOOKED_AT = 3, MOST = SS_FEW_CONTACTS };  // contacts for which several motions are looked for always, and when
                                                // watched
enum { ROWS = 16 };

// Columns of a combination of contact states: the row of G that is held, and how friction follows it
typedef struct combination {
  const ss_contact_problem* p;
  const int* sign;
  int n, row[ROWS];
  double fold[ROWS];
} combination;

static void hold(combination* c, int row, double fold)
{
  c->row[c->n] = row;
  c->fold[c->n++] = fold;
}

// Determinant of the system for the forces of the rows held, in units where G_ii = 1
static double determinant(const combination* c)
{
  double A[ROWS*ROWS], det = 1;
  int n = c->n, m = c->p->m;
  const double* G = c->p->G;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int r = c->row[i], s = c->row[j];
      double value = G[r*m + s] + (c->fold[j] != 0 ? c->fold[j]*G[r*m + s + 1] : 0);
      A[i*n + j] = value/sqrt(G[r*m + r]*G[s*m + s] + DBL_MIN);
    }
  for (int k = 0; k < n; k++) {
    int pivot = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(A[i*n + k]) > fabs(A[pivot*n + k])) pivot = i;
    if (A[pivot*n + k] == 0) return 0;
    for (int j = 0; j < n && pivot != k; j++) {
      double swap = A[k*n + j];
      A[k*n + j] = A[pivot*n + j];
      A[pivot*n + j] = swap;
    }
    det *= pivot == k ? A[k*n + k] : -A[k*n + k];
    for (int i = k + 1; i < n; i++)
      for (int j = n - 1; j >= k; j--) A[i*n + j] -= A[i*n + k]/A[k*n + k]*A[k*n + j];
  }
  return det;
}

// Goes through the states of contact k (its first row is r) and of those behind; true if a determinant is below zero
static bool any_negative(combination* c, int k, int r)
{
  const ss_contact_problem* p = c->p;
  int n = c->n;
  if (k == p->n_contact) return determinant(c) < -NEGATIVE;
  int next = r + ss_contact_rows(p->kind[k]);
  bool normal = p->kind[k] != SS_CONTACT_FRICTION;
  bool found = any_negative(c, k + 1, next);  // open
  for (int s = -1; s <= 1 && !found && normal; s++) {  // closed: slides, or without friction
    bool planar = p->kind[k] == SS_CONTACT_PLANAR && p->mu[k] > 0;
    if (planar ? s == 0 || (c->sign[k] && s != c->sign[k]) : s != 0) continue;
    hold(c, r, -s*p->mu[k]);
    found = any_negative(c, k + 1, next);
    c->n = n;
  }
  if (!found && p->kind[k] != SS_CONTACT_NORMAL && !c->sign[k]) {  // sticks
    if (normal) hold(c, r, 0);
    hold(c, next - 1, 0);
    found = any_negative(c, k + 1, next);
    c->n = n;
  }
  return found;
}

// Whether contact problems like this one can have several solutions or none: friction so strong, and coupled so much to
// the normal forces, that the system of some combination of contact states has a determinant below zero. With one
// contact that is G_NN - s mu G_NT < 0 for the sign s of its sliding, or for one of both if it rests [Painleve]; with
// several it is necessary for more than one motion, as far as is known.
bool ss_can_have_several(const ss_contact_problem* p, const int* sign)
{
  combination c = {.p = p, .sign = sign};
  if (p->n_contact > LOOKED_AT || p->m > ROWS || ss_is_spatial(p)) return false;
  for (int r = 0; r < p->n_bilateral; r++) hold(&c, r, 0);
  return any_negative(&c, 0, p->n_bilateral);
}

static bool same_motion(const ss_arc* a, const double* x, const double* y)
{
  int m = a->w->problem.m;
  double size = ss_norm_inf(m, a->w->b);
  for (int r = 0; r < m; r++)
    if (fabs(x[r] - y[r]) > DISTINCT*size) return false;
  return true;
}

// Distinct motions among the pieces; -2 if some piece holds infinitely many
static int count(const ss_arc* a, const ss_contact_solutions* all)
{
  int n = 0;
  for (int i = 0; i < all->n_pieces; i++) {
    bool known = false;
    if (!all->pieces[i].xi_unique) return -2;
    for (int j = 0; j < i && !known; j++) known = same_motion(a, all->pieces[i].xi, all->pieces[j].xi);
    if (!known) n++;
  }
  return n;
}

// The motions in words: states and accelerations (N, T) of the contacts
static void describe(ss_arc* a, const ss_contact_solutions* all)
{
  int used = a->noted;
  if (used > (int)sizeof a->note - 200) return;
  used += ss_print(a->note + used, sizeof a->note - (size_t)used, "%st = %.12g s: the contact laws allow %s",
                   used ? "; " : "", a->t, a->solutions == 0 ? "no motion without a jump of velocities"
                   : a->solutions < 0 ? "infinitely many motions" : "several motions");
  for (int i = 0; i < all->n_pieces; i++) {
    const ss_contact_piece* p = &all->pieces[i];
    int r = a->w->problem.n_bilateral;
    for (int k = 0; k < all->n_contact && used < (int)sizeof a->note - 100; k++) {
      ss_contact_kind kind = a->w->kind[k];
      const char *name = ss_contact_label(a, a->w->active[k]), *state = ss_contact_state_text(p->state[k]);
      used += ss_print(a->note + used, sizeof a->note - (size_t)used, "%s%.*s %s (%.5g", k ? ", " : i ? "; or " : ": ",
                       ss_utf8_fit(name, 40), name, state, p->xi[r]);
      if (ss_contact_rows(kind) > 1)
        used += ss_print(a->note + used, sizeof a->note - (size_t)used, ", %.5g", p->xi[r + 1]);
      used += snprintf(a->note + used, sizeof a->note - (size_t)used, ")");
      r += ss_contact_rows(kind);
    }
  }
  a->noted = used;
}

// How well a piece fits the rule: more is better
static int rank(const ss_arc* a, const ss_contact_piece* p, ss_multiple rule)
{
  int open = 0, stick = 0, n = a->w->n_active, as_before = 0;
  for (int k = 0; k < n; k++) {
    open += p->state[k] == SS_OPEN;
    stick += p->state[k] == SS_STICK;
    ss_contact_state before = a->mode_before[a->w->active[k]];
    as_before += p->state[k] == before || (before == SS_SLIP && a->sign[k] && p->state[k] == SS_SLIP_POS);
  }
  if (as_before == n && !a->starting) return 1000;  // the states go on
  if (rule == SS_MULTIPLE_STICK) return 10*(n - open) + stick;
  if (rule == SS_MULTIPLE_SEPARATE) return open;
  return same_motion(a, p->xi, a->w->solution.xi);
}

static void take(ss_arc* a, const ss_contact_piece* p)
{
  ss_contact_solution* s = &a->w->solution;
  int m = a->w->problem.m;
  memcpy(s->Lambda, p->vertices, sizeof(double)*(size_t)m);
  memcpy(s->xi, p->xi, sizeof(double)*(size_t)m);
  memcpy(s->state, p->state, sizeof *s->state*(size_t)a->w->n_active);
  s->residual = ss_contact_residual(&a->w->problem, s->Lambda);
}

static ss_status choose(ss_arc* a, const ss_step_def* def, const ss_contact_solutions* all)
{
  const ss_contact_piece* best = &all->pieces[0];
  ss_multiple rule = def->event.on_multiple;
  for (int i = 1; i < all->n_pieces; i++)
    if (rank(a, &all->pieces[i], rule) > rank(a, best, rule)) best = &all->pieces[i];
  if (rule == SS_MULTIPLE_STOP && a->solutions != 1 && rank(a, best, rule) < 1000)
    return ss_work_fail(a->w, SS_ERR_NUMERIC, "%.240s", a->note);
  take(a, best);
  return SS_OK;
}

// The solver found nothing, and not all combinations of contact states could be looked at
static ss_status undecided(ss_arc* a)
{
  return ss_work_fail(a->w, SS_ERR_NUMERIC, "no contact forces were found at t = %.12g, and with %d contacts not all "
                      "contact states could be tried: there may be none (Painleve)", a->t, a->w->n_active);
}

// In space contact states cannot be tried one by one: sliding has infinitely many directions.
static ss_status not_found(ss_arc* a)
{
  return ss_work_fail(a->w, SS_ERR_NUMERIC, "no contact forces were found at t = %.12g for %d contacts in space: "
                      "friction may be too strong for the motion to go on without a jump (Painleve)", a->t,
                      a->w->n_active);
}

// What the list of all motions says: SS_RAY if it proves that there is none
static ss_status decide(ss_arc* a, const ss_step_def* def, const ss_contact_solutions* all, bool solved)
{
  a->solutions = count(a, all);
  if (a->solutions != 1) describe(a, all);
  if (solved) return a->solutions == 0 || a->solutions == 1 ? SS_OK : choose(a, def, all);
  if (all->n_pieces) return choose(a, def, all);
  return all->complete ? SS_RAY : undecided(a);
}

ss_status ss_count_motions(ss_arc* a, const ss_step_def* def, bool solved)
{
  ss_contact_solutions* all = NULL;
  int n = a->w->n_active;
  if (ss_is_spatial(&a->w->problem)) return solved ? SS_OK : not_found(a);
  bool look = (def->event.watch_uniqueness && n <= MOST) || ss_can_have_several(&a->w->problem, a->sign);
  if (solved && (!look || n == 0)) return SS_OK;
  if (n > MOST) return undecided(a);
  ss_status st = ss_contact_enumerate(&a->w->problem, &def->solver, &all);
  if (st == SS_ERR_MEMORY) return ss_work_fail(a->w, st, "out of memory for the motions at t = %.12g", a->t);
  if (st < 0) return solved ? SS_OK : undecided(a);  // too many combinations
  st = decide(a, def, all, solved);
  ss_contact_solutions_destroy(all);
  return st;
}
