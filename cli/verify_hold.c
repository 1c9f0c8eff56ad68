#include "verify_hold.h"

#include <math.h>
#include <stdlib.h>

#define SWEEPS 20000
#define SETTLED 1e-14L  // of the largest |Lambda| sqrt(G_ii): changes in a sweep
#define STICKS 1e-10L   // of that: a velocity over its sqrt(G_ii) that is none

bool cli_hold_open(cli_hold* h, int n, int rows)
{
  size_t m = (size_t)rows;
  *h = (cli_hold){.n = n, .rows = rows};
  h->contact = calloc((size_t)n + 1, sizeof *h->contact);
  h->G = calloc(m*m + 2*m + 1, sizeof *h->G);
  if (!h->contact || !h->G) return false;
  h->Lambda = h->G + m*m;
  h->xi = h->Lambda + m;
  return true;
}

void cli_hold_close(cli_hold* h)
{
  free(h->contact);
  free(h->G);
}

// Row r to x; returns the change, over 1/sqrt(G_rr)
static long double set(cli_hold* h, int r, long double x)
{
  long double by = x - h->Lambda[r];
  if (by == 0) return 0;
  h->Lambda[r] = x;
  for (int i = 0; i < h->rows; i++) h->xi[i] += h->G[i*h->rows + r]*by;
  return fabsl(by)*sqrtl(h->G[r*h->rows + r]);
}

static long double limit_of(const cli_hold* h, const cli_hold_contact* c)
{
  return (c->normal ? c->mu*h->Lambda[c->row] : 0) + c->bound;
}

static long double sweep_friction(cli_hold* h, const cli_hold_contact* c)
{
  int T = c->row + c->normal, n = c->tangents;
  long double limit = limit_of(h, c), x[2] = {0}, moved = 0, g = 0;
  for (int k = 0; k < n; k++) g += h->G[(T + k)*h->rows + T + k];
  if (!(g > 0)) return 0;
  for (int k = 0; k < n; k++) x[k] = c->slides ? -limit*c->d[k] : h->Lambda[T + k] - h->xi[T + k]/g;
  long double length = hypotl(x[0], x[1]), shrink = length > limit ? limit/length : 1;
  for (int k = 0; k < n; k++) moved = fmaxl(moved, set(h, T + k, shrink*x[k]));
  return moved;
}

static long double sweep(cli_hold* h)
{
  long double moved = 0;
  for (int i = 0; i < h->n; i++) {
    const cli_hold_contact* c = &h->contact[i];
    long double g = h->G[c->row*h->rows + c->row];
    if (c->normal && g > 0) moved = fmaxl(moved, set(h, c->row, fmaxl(0, h->Lambda[c->row] - h->xi[c->row]/g)));
    if (c->tangents) moved = fmaxl(moved, sweep_friction(h, c));
  }
  return moved;
}

static long double largest(const cli_hold* h)
{
  long double most = 0;
  for (int r = 0; r < h->rows; r++) most = fmaxl(most, fabsl(h->Lambda[r])*sqrtl(h->G[r*h->rows + r]));
  return most;
}

// ---- whether all of them can be held at once ----
//
// Where forces are not unique the sweeps above may end where something slides, though other loads would hold it. All
// can be held if xi = G Lambda + b = 0 for some Lambda in the cones, which are convex: then that is what
//   Lambda G Lambda/2 + b Lambda
// is least for, and where it is least in the cones xi is the same for all Lambda.

static const long double spare[] = {0.1L, 0.01L};  // of the limits, that is left

// The nearest (N, |T|) with N >= 0, |T| <= m N + c
static void project(long double m, long double c, long double* N, long double* T)
{
  long double over = (*T - m**N - c)/(1 + m*m);
  if (over > 0) {
    *N += m*over;
    *T -= over;
  }
  if (*N >= 0) return;
  *N = 0;
  *T = fminl(fmaxl(*T, 0), c);
}

// Contact c, whose friction is at most `part` of its limit
static long double step_cone(cli_hold* h, const cli_hold_contact* c, long double part)
{
  int rows = c->normal + c->tangents;
  long double x[3] = {0}, g = 0, N = 0, T = 0, moved = 0;
  for (int k = 0; k < rows; k++) g += h->G[(c->row + k)*(h->rows + 1)];
  if (!(g > 0)) return 0;
  for (int k = 0; k < rows; k++) {
    x[k] = h->Lambda[c->row + k] - h->xi[c->row + k]/g;
    if (!c->normal || k) T = hypotl(T, x[k]);
  }
  long double before = T;
  N = c->normal ? x[0] : 0;
  project(c->normal ? part*c->mu : 0, part*c->bound, &N, &T);
  for (int k = 0; k < rows; k++) {
    bool normal = c->normal && k == 0;
    moved = fmaxl(moved, set(h, c->row + k, normal ? N : before > 0 ? x[k]*T/before : 0));
  }
  return moved;
}

static bool rests(const cli_hold* h, long double most)
{
  for (int r = 0; r < h->rows; r++) {
    long double g = h->G[r*(h->rows + 1)];
    if (g > 0 && fabsl(h->xi[r]) > STICKS*most*sqrtl(g)) return false;
  }
  return true;
}

static bool can_hold_all(cli_hold* h, long double part)
{
  long double moved = INFINITY, most = largest(h);
  for (int i = 0; i < SWEEPS && moved > SETTLED*most; i++) {
    moved = 0;
    for (int k = 0; k < h->n; k++) moved = fmaxl(moved, step_cone(h, &h->contact[k], part));
    most = largest(h);
    if (rests(h, most)) return true;
  }
  return false;
}

// The most that can be left of the limits, of `spare`, with all of them held; 0: less
static long double spare_of_all(cli_hold* h)
{
  for (int i = 0; i < h->n; i++)
    if (h->contact[i].slides) return 0;
  for (size_t k = 0; k < sizeof spare/sizeof *spare; k++)
    if (can_hold_all(h, 1 - spare[k])) return spare[k];
  return 0;
}

// ---- one motion ----

// Solves 0 <= xi_N _|_ Lambda_N >= 0 with friction by projections in turn, and returns how far those that are watched
// are from their limits, of these, where all of them stick: the least; 0: they do not, or no solution was found.
static long double margin_of_one(cli_hold* h)
{
  long double moved = INFINITY, most = 0, margin = 1;
  for (int i = 0; i < SWEEPS && moved > SETTLED*most; i++) {
    moved = sweep(h);
    most = largest(h);
  }
  if (moved > SETTLED*most) return 0;
  for (int i = 0; i < h->n; i++) {
    const cli_hold_contact* c = &h->contact[i];
    long double T = 0, slip = 0, limit = limit_of(h, c);
    for (int k = 0; k < c->tangents; k++) {
      int r = c->row + c->normal + k;
      long double g = h->G[r*h->rows + r];
      T = hypotl(T, h->Lambda[r]);
      if (g > 0) slip = hypotl(slip, h->xi[r]/sqrtl(g));
    }
    if (!c->watched) continue;
    if (slip > STICKS*most || !(limit > 0)) return 0;
    margin = fminl(margin, 1 - T/limit);
  }
  return fmaxl(0, margin);
}

void cli_hold_check(cli_verifier* v, long row, cli_hold* h, long double weight)
{
  bool arcs = v->info->run.step.integrator == SS_EVENT_DRIVEN;
  const double* choice = arcs ? ss_run_column(v->run, "choice", NULL) : NULL;
  bool told = choice && fmax(choice[row], row > 0 ? choice[row - 1] : 0) >= SS_CHOICE_MOTION;
  long double margin = margin_of_one(h), all = margin > 0 || h->n < 2 ? 0 : spare_of_all(h);
  if (all > 0 && told) cli_verify_count_out(v, CLI_NOT_HELD);
  else cli_verify_note(v, CLI_FRICTION, row, fmaxl(margin, all), weight);
}
