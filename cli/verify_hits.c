// `stickslip verify`: restitution in time steps by other laws than Newton's for all contacts at once (docs/impacts.md).
// Such a step is an impact, gamma_A to gamma+, and the problem of the step from there, in which
// 0 <= gamma_E - gamma+ _|_ Lambda_2N >= 0. Of a contact with no other one beside it, what both leave of its impulse
// and velocity follows from G and fall, which is what forces of the step change gamma_N by:
//   Newton           gamma+ = -eps gamma_A;                      gamma_E - gamma+ is 0, or fall
//   energy-limited   0 <= gamma+ <= -eps gamma_A, and the same as Newton where friction has no part in gamma_N
//   Poisson          likewise; else gamma_C = gamma_A + G_NN N + G_NT T = 0 with |T| <= mu N has
//                    N in -gamma_A/(G_NN +- mu |G_NT|), and (1 + eps) N is given in all
// Several contacts: they give no energy if it is limited; by Poisson's law not if eps is one number, or without
// friction.
#include <math.h>

#include "verify_hits.h"

#define NO_PART 1e-9L  // of G_NN: what friction has no part in gamma_N by
#define SEVERAL "impulses of contacts that hit beside others, but for signs, cones and energy"
#define WITH_LOOPS "contacts that hit where constraints act, as to their restitution"

bool cli_hits_apart(const cli_verifier* v)
{
  const ss_step_def* def = &v->info->run.step;
  return def->impact != SS_IMPACT_NEWTON || def->energy_limited || def->order != SS_IMPACTS_SIMULTANEOUS;
}

// How far x is from the interval
static long double outside(long double x, long double low, long double high)
{
  return x < low ? x - low : x > high ? x - high : 0;
}

// The velocity after the impact is -eps gamma_A (or less, down to 0), and forces may lift it
static long double velocity_off(const cli_hit* h, long double lift, bool less)
{
  long double back = -h->law->eps_n*h->before;
  return outside(h->after, less ? 0 : back, back + lift);
}

// Times G_NN, as a velocity
static long double impulse_off(const cli_hit* h, long double fall, long double mu, long double T)
{
  long double give = 1 + h->law->eps_n, least = h->G_NN - mu*h->G_NT;
  long double low = -give*h->before/(h->G_NN + mu*h->G_NT);
  long double high = least > NO_PART*h->G_NN ? (-give*h->before + fmaxl(0, T - fall))/least : INFINITY;
  return h->G_NN*outside(h->N, low, high);
}

void cli_hits_check(cli_verifier* v, long row, const cli_hit* h)
{
  const ss_step_def* def = &v->info->run.step;
  long double fall = h->after - h->before - h->response, bound = h->G_NT*h->bound*def->dt;
  long double lift = fmaxl(0, fall) + bound, mu = fmaxl(h->mu, h->law->mu_static);
  bool apart = h->G_NT <= NO_PART*h->G_NN || (mu == 0 && bound == 0);
  if (h->held || isnan(mu)) cli_verify_count_out(v, WITH_LOOPS);
  else if (!h->alone) cli_verify_count_out(v, SEVERAL);
  else if (apart || (def->impact == SS_IMPACT_NEWTON && !def->energy_limited))
    cli_verify_note(v, CLI_NORMAL, row, velocity_off(h, lift, false), h->size);
  else if (def->impact == SS_IMPACT_NEWTON)
    cli_verify_note(v, CLI_NORMAL, row, velocity_off(h, lift, true), h->size);
  else cli_verify_note(v, CLI_NORMAL, row, impulse_off(h, fall, mu, bound), h->size);  // one alone gains nothing
}

void cli_hits_add(cli_hits* s, const cli_hit* h, bool rubs)
{
  if (s->n && h->law->eps_n != s->eps) s->differ = true;
  s->eps = h->law->eps_n;
  s->rubs = s->rubs || rubs;
  s->n++;
}

// Forces F of the step press on contacts that hit, at any time of it: at the most 4 |F| (|u_A| + |u_E| + |F|) in the
// metric of M
void cli_hits_check_energy(cli_verifier* v, long row, const cli_hits* s, long double given, const long double norm[3])
{
  long double slack = 4*norm[2]*(norm[0] + norm[1] + norm[2]), size = norm[0]*norm[0] + norm[1]*norm[1] + slack;
  const ss_step_def* def = &v->info->run.step;
  bool poisson = def->impact == SS_IMPACT_POISSON;
  bool never = def->energy_limited || (poisson && (!s->rubs || !s->differ || def->order != SS_IMPACTS_SIMULTANEOUS));
  if (s->n && never) cli_verify_note(v, CLI_NORMAL, row, fmaxl(0, given - slack), size);
}
