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

long double cli_hold_margin(cli_hold* h)
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
