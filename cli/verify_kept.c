// Whether the integrator has kept the energy: what T + V has changed by beyond all works and losses, against the energy
// at hand, the largest T, the range of V and the sizes of the works and losses. From the columns of the rows, without
// the ledger's own defect.
#include "verify.h"
#include <math.h>

void cli_verify_kept(cli_verifier* v)
{
  long last = v->info->n_rows - 1;
  if (!v->info->run.step.account || !v->d->energy || last < 1) return;
  long double T = v->kinetic[0], low = v->potential[0], high = low;
  for (long i = 1; i <= last; i++) {
    T = fmaxl(T, v->kinetic[i]);
    low = fminl(low, v->potential[i]);
    high = fmaxl(high, v->potential[i]);
  }
  long double works =
    (long double)v->forces[last] + v->drive[last] + v->projection[last] - v->loss_normal[last] - v->loss_friction[last];
  long double off = (long double)v->kinetic[last] + v->potential[last] - v->kinetic[0] - v->potential[0] - works;
  long double hand = T + high - low + fabs(v->forces[last]) + fabs(v->drive[last]) + fabs(v->projection[last]) +
                     fabs(v->loss_normal[last]) + fabs(v->loss_friction[last]);
  bool round_off = fabsl(off) <= 1e-9L*fmaxl(fabsl(low), fabsl(high)) + 1e-15L;
  cli_verify_note(v, CLI_KEPT, last, round_off ? 0 : off, hand);
}
