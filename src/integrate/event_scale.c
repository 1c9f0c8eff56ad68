// What errors of an arc are measured by, coordinate by coordinate. No energy of the whole world comes in: a light body
// is followed as closely whether or not a heavy one moves elsewhere. Nor does an absolute number: the same motion in
// other units, or from another origin, is followed by the same steps.
#include <float.h>
#include <math.h>
#include <string.h>

#include "integrate/event.h"
#include "math/dense.h"

#define FAINT DBL_EPSILON  // of the speed with which it would have the energy of all that acts on it: likewise
#define ROUND_OFF (16*DBL_EPSILON)  // of a position or velocity: errors that cannot be told
#define NOISY 32                      // times the change of an acceleration by round-off of where it is: likewise
#define WILD 1e3                      // times what it has, or forces have given it: no velocity of the motion
#define BLUR (1e4*DBL_EPSILON)      // of what the largest force gives: contact forces are solutions of linear systems

static void join(int n, int* block, int i, int j)
{
  int from = block[i], to = block[j];
  for (int k = 0; k < n && from != to; k++)
    if (block[k] == from) block[k] = to;
}

// Components that act on each other have the same number: by what the system says, or by M, whose factor has the same
// blocks, and the rows that are watched.
static void find_blocks(const ss_arc* a, int* block)
{
  const ss_system_def* d = ss_system_get(a->system);
  for (int i = 0; i < a->nv; i++) block[i] = d->coupled ? d->coupled[i] : a->w->op && !d->forces_couple ? i : 0;
  if (!a->w->op) return;
  for (int i = 0; i < a->nv; i++)
    for (int j = 0; j < i; j++)
      if (a->L[i*a->nv + j] != 0) join(a->nv, block, i, j);
  for (int r = 0; r < a->rows; r++) {
    const double* W = a->W + r*a->nv;
    for (int j = 0, first = -1; j < a->nv; j++) {
      if (W[j] == 0) continue;
      if (first < 0) first = j;
      join(a->nv, block, first, j);
    }
  }
}

// sqrt(M_ii)
static double root_mass(const ss_arc* a, int i)
{
  double mass = 0;
  for (int j = 0; j <= i; j++) mass += a->L[i*a->nv + j]*a->L[i*a->nv + j];
  return sqrt(mass);
}

// (L^T u)_j^2, whose sum is u^T M u
static double square_speed(const ss_arc* a, int j)
{
  double x = 0;
  for (int i = j; i < a->nv; i++) x += a->L[i*a->nv + j]*a->y[a->nq + i];
  return x*x;
}

// Forces on component j, by magnitude; those of contacts and constraints if they are known
static double load(const ss_arc* a, int j, bool held)
{
  double sum = fabs(a->w->h[j]);
  for (int r = 0; r < a->rows && held; r++) sum += fabs(a->W[r*a->nv + j]*a->lambda[r]);
  return sum;
}

void ss_grow_sizes(ss_arc* a, bool held)
{
  double *square = a->law, *pull = a->law + a->nv, sum = 0;  // of the blocks
  find_blocks(a, a->block);
  memset(a->law, 0, 2*sizeof(double)*(size_t)a->nv);
  for (int j = 0; j < a->nv; j++) {
    int b = a->block[j];
    a->root_mass[j] = root_mass(a, j);
    square[b] += square_speed(a, j);
    pull[b] = fmax(pull[b], load(a, j, held)/a->root_mass[j]);
  }
  for (int j = 0; j < a->nv; j++) {
    sum += square[j];
    a->speed[j] = fmax(a->speed[j], sqrt(square[a->block[j]]));
    a->pull[j] = fmax(a->pull[j], pull[a->block[j]]);
  }
  a->kinetic = fmax(a->kinetic, sum/2);
  for (int i = 0; i < a->rk.n; i++) a->size[i] = fmax(a->size[i], fabs(a->y[i]));
  for (int i = 0; i < a->nq; i++) a->range[i] = fmax(a->range[i], fabs(a->y[i] - a->origin[i]));
}

double ss_component_speed(const ss_arc* a, int j, double time)
{
  double motion = fmax(a->speed[j], a->pull[j]*time);
  return motion > 0 ? motion/a->root_mass[j] : 0;
}

// The largest |q_i| that moves with velocity j
static double position_of(const ss_arc* a, int j)
{
  double most = 0;
  for (int i = a->moves[2*j]; i < a->moves[2*j + 1]; i++) most = fmax(most, fabs(a->y[i]));
  return most;
}

// The largest |u_j| so far, or what the accelerations in the stages of the step give it
static double own_speed(const ss_arc* a, int j, double h)
{
  double most = 0;
  for (int k = 0; k < SS_RK8_STAGES; k++) most = fmax(most, fabs(a->rk.k[k*(a->rk.n + a->rk.nz) + a->nq + j]));
  return fmax(a->size[a->nq + j], h*most);
}

// Whether a contact that slides in space acts on component j. Friction turns so fast at small speeds that it forgets
// errors of the direction at once; steps that follow them would never end.
static bool slides_in_space(const ss_arc* a, int j)
{
  for (int i = 0; i < a->n; i++) {
    const double* W = a->W + ss_tangent_row(a, i)*a->nv + j;
    if (a->mode[i] == SS_SLIP && (W[0] != 0 || W[a->nv] != 0)) return true;
  }
  return false;
}

// Errors allowed in a step of size h:
//   u_j   rtol of its largest value, and round-off
//   q_i   rtol of its way from the start, and what the errors of velocities make of it
//   works rtol of the energy in motion
void ss_set_scales(ss_arc* a, double rtol, double h)
{
  const ss_operators* op = a->w->op;
  double *speed = a->scale + a->nq, pull = 0;
  for (int j = 0; j < a->nv; j++) {
    double faint = slides_in_space(a, j) ? rtol : FAINT;
    double moves = fmax(faint*ss_component_speed(a, j, faint == rtol ? h : 0), DBL_EPSILON*position_of(a, j)/h);
    double pushed = h*fmax(NOISY*a->noise[j], BLUR*a->pull[j]/a->root_mass[j]);
    speed[j] = fmax(rtol*own_speed(a, j, h), fmax(moves, pushed)) + DBL_MIN;
    pull = fmax(pull, a->pull[j]);
  }
  if (op && op->rate) op->rate(a->w->at.user, a->y, speed, a->law, a->way);
  else memcpy(a->way, speed, sizeof(double)*(size_t)a->nv);
  for (int i = 0; i < a->nq; i++)
    a->scale[i] = fmax(fmax(rtol*a->range[i], h*a->way[i]), ROUND_OFF*fabs(a->y[i])) + DBL_MIN;
  double energy = fmax(a->kinetic, h*pull*h*pull/2);
  for (int i = 0; i < SS_Z_ROWS; i++) a->scale[a->rk.n + i] = rtol*fmax(energy, fabs(a->z[i])) + DBL_MIN;
}

// Which coordinates velocity j moves, whatever the state: of a body's turning all four numbers of its quaternion
void ss_find_moved(ss_arc* a)
{
  const ss_operators* op = a->w->op;
  for (int j = 0; j < a->nv; j++) {
    a->moves[2*j] = j;
    a->moves[2*j + 1] = j + 1;
    if (!op || !op->rate) continue;
    for (int i = 0; i < a->nq; i++) a->y1[i] = 0.5;
    memset(a->a, 0, sizeof(double)*(size_t)a->nv);
    a->a[j] = 1;
    op->rate(a->w->def->user, a->y1, a->a, a->law, a->way);
    int first = 0, end = a->nq;
    while (first < end && a->way[first] == 0) first++;
    while (end > first && a->way[end - 1] == 0) end--;
    a->moves[2*j] = first;
    a->moves[2*j + 1] = end;
  }
}

// The first step of a simulation: a hundredth of the time in which forces would change a velocity by itself, or lead a
// position as far as it is from zero, for the component where that takes least. Error control does the rest.
double ss_first_step(const ss_arc* a, double t_end)
{
  double h = t_end - a->t;
  for (int j = 0; j < a->nv; j++) {
    double rate = fabs(a->rk.k[a->nq + j]), u = fabs(a->y[a->nq + j]), q = position_of(a, j);
    double time = rate > 0 ? fmax(u/rate, sqrt(q/rate)) : 0;
    if (time > 0) h = fmin(h, 0.01*time);
  }
  return h;
}

// Whether the step that was just tried has led to velocities that nothing there could bring about: it was far too long,
// and what is found at its end is no round-off
static bool is_wild(const ss_arc* a)
{
  for (int j = 0; j < a->nv; j++)
    if (fabs(a->y1[a->nq + j]) > WILD*(a->size[a->nq + j] + ss_component_speed(a, j, a->h_now))) return true;
  return false;
}

// By how much accelerations change where the state is off by its round-off, at time t and y
static ss_status noise_at(ss_arc* a, double t, const double* y, double* noise)
{
  for (int side = -1; side <= 1; side += 2) {
    unsigned bits = 0x9E3779B9u;
    for (int i = 0; i < a->rk.n; i++) {
      bits = bits*1664525u + 1013904223u;
      a->rk.stage[i] = y[i]*(1 + (bits >> 31 ? side : -side)*DBL_EPSILON);
    }
    ss_status st = ss_arc_derivative(a, t*(1 + side*DBL_EPSILON), a->rk.stage, a->f1);
    if (st < 0) return st;
    for (int j = 0; j < a->nv; j++) {
      double acceleration = a->f1[a->nq + j];
      noise[j] = side < 0 ? acceleration : fabs(acceleration - noise[j]);
    }
  }
  return SS_OK;
}

// At the end of the step that was just tried: what no step can be more exact than. Something that is held in its place,
// or that forces in balance act on, moves by nothing else. Where nothing touches, at the start if that is less, but not
// zero as where a motion begins: near positions in which hinges fold onto one another accelerations change by far more
// than along the step. Where contacts are closed an arc begins on the limits of their states.
ss_status ss_measure_noise(ss_arc* a)
{
  double *start = a->law, *end = a->law + a->nv;
  bool free = a->n_held == a->w->n_bilateral;
  if (is_wild(a)) return SS_OK;
  ss_status st = noise_at(a, a->t + a->h_now, a->y1, end);
  if (st >= 0 && free) st = noise_at(a, a->t, a->y, start);
  if (st < 0) return st;
  for (int j = 0; j < a->nv; j++) {
    double noise = free && start[j] > 0 ? fmin(start[j], end[j]) : end[j];
    a->noise[j] = fmax(a->noise[j], noise);
  }
  return SS_OK;
}
