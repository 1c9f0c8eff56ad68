// Impacts that can end in several ways: of all outcomes that the law allows the one that leaves the least kinetic
// energy is taken, and their number goes to the event.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "integrate/event.h"
#include "base/number.h"
#include "math/dense.h"

#define DISTINCT 1e-8  // of the velocities before: outcomes that differ by more are two
#define LESS 1e-9      // of the sizes of its terms: an energy that is lower by more is lower

// Change of kinetic energy by the impulses, Lambda . ((gamma + gamma_after)/2 - w_hat); *size is that of its terms
static double gain(const ss_arc* a, const ss_impact* in, const double* Lambda, const double* after, double* size)
{
  double sum = 0;
  *size = 0;
  for (int r = 0; r < in->m; r++) {
    double w_hat = a->w->w_hat[a->w->source[r]];
    sum += Lambda[r]*((in->gamma[r] + after[r])/2 - w_hat);
    *size += fabs(Lambda[r])*(fabs(in->gamma[r]) + fabs(after[r]) + fabs(w_hat));
  }
  return sum;
}

static bool same(const ss_impact* in, const double* x, const double* y)
{
  double size = ss_norm_inf(in->m, in->gamma);
  for (int r = 0; r < in->m; r++)
    if (fabs(x[r] - y[r]) > DISTINCT*size) return false;
  return true;
}

// Outcomes with different velocities; -2 if they are infinitely many
static int count(const ss_impact* in, const ss_contact_solutions* all)
{
  int n = 0;
  for (int i = 0; i < all->n_pieces; i++) {
    bool known = false;
    if (!all->pieces[i].xi_unique) return -2;
    for (int j = 0; j < i && !known; j++) known = same(in, all->pieces[i].xi, all->pieces[j].xi);
    n += !known;
  }
  return n;
}

// The residual of what was taken; a->gamma_after is not needed any more
static void judge(ss_arc* a, const ss_impact* in, const ss_impact_def* law, const double* Lambda,
                  const double* Lambda_C)
{
  for (int r = 0; r < in->m; r++) a->gamma_after[r] = Lambda[r] - Lambda_C[r];  // of the expansion
  a->w->info.residual = fmax(a->w->info.residual, ss_impact_residual(in, law, 1, Lambda_C, a->gamma_after));
}

// Lambda, Lambda_C become those of the outcome with least energy, unless that of the solver has as little
static void take_least(const ss_arc* a, const ss_impact* in, const ss_contact_solutions* all, double* Lambda,
                       double* Lambda_C)
{
  double size, least = gain(a, in, Lambda, a->gamma_after, &size);
  for (int i = 0; i < all->n_pieces; i++) {
    const ss_contact_piece* p = &all->pieces[i];
    for (int v = 0; v < p->n_vertices; v++) {
      const double* x = p->vertices + v*in->m;
      double energy = gain(a, in, x, p->xi + v*in->m, &size);
      if (!(energy < least - LESS*size)) continue;
      least = energy;
      memcpy(Lambda, x, sizeof(double)*(size_t)in->m);
      memcpy(Lambda_C, p->compression ? p->compression + v*in->m : x, sizeof(double)*(size_t)in->m);
    }
  }
}

ss_status ss_choose_outcome(ss_arc* a, const ss_impact* in, const ss_impact_def* law, double* Lambda, double* Lambda_C)
{
  ss_contact_solutions* all = NULL;
  memset(a->sign, 0, (size_t)a->n*sizeof *a->sign);
  if (!ss_can_have_several(&a->w->problem, a->sign)) return SS_OK;
  ss_status st = ss_impact_enumerate(in, law, &all);
  if (st < 0) return st == SS_ERR_MEMORY ? st : SS_OK;
  a->outcomes = count(in, all);
  if (a->outcomes != 1 && a->outcomes != 0) {
    take_least(a, in, all, Lambda, Lambda_C);
    judge(a, in, law, Lambda, Lambda_C);
    if (a->outcomes > 1)
      ss_print(a->note, sizeof a->note, "t = %.12g s: the impact has %d outcomes; the one with the least kinetic "
               "energy is taken", a->t, a->outcomes);
  }
  ss_contact_solutions_destroy(all);
  return SS_OK;
}
