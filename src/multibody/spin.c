// The spin of a body that turns freely, by the implicit midpoint rule: with I the principal moments, w in the principal
// axes,
//   I (w1 - w0) = -h m x I m,   m = (w0 + w1)/2.
// It keeps w . I w and |I w|, as every quadratic invariant of the motion [Hairer, Lubich & Wanner 2006, theorem
// IV.2.1], so that gyroscopic forces can give no energy however fast the spin is.
#include <math.h>
#include "multibody/alone.h"
#include "multibody/dynamics.h"

enum { MOST_PARTS = 1000, MOST_STEPS = 10 };
#define TURN 0.5   // of the spin in the body's axes, rad or so, up to which Newton's method converges from w0
#define SLOW 1e-8  // turns whose square is round-off: the acceleration at w0 will do

static ss_vec3 scaled(ss_vec3 I, ss_vec3 w) { return (ss_vec3){I.x*w.x, I.y*w.y, I.z*w.z}; }

// How far the spin turns against the body within dt at most
static double turn_of(ss_vec3 I, ss_vec3 w, double dt)
{
  double x = fabs(w.x), y = fabs(w.y), z = fabs(w.z);
  double most = fmax(fabs(I.z - I.y)/I.x*(y + z), fabs(I.x - I.z)/I.y*(z + x));
  return dt*fmax(most, fabs(I.y - I.x)/I.z*(x + y));
}

// x of A x = b, by its columns
static ss_vec3 solve(ss_vec3 x, ss_vec3 y, ss_vec3 z, ss_vec3 b)
{
  ss_vec3 yz = ss_cross(y, z);
  double det = ss_dot3(x, yz);
  return (ss_vec3){ss_dot3(b, yz)/det, ss_dot3(b, ss_cross(z, x))/det, ss_dot3(b, ss_cross(x, y))/det};
}

// I (m - w) + k m x I m = 0 by Newton's method: *w becomes m. False, and nothing is done, if that does not converge.
static bool find_mean(ss_vec3 I, double k, ss_vec3* w)
{
  ss_vec3 m = *w;
  double last = INFINITY;
  for (int i = 0; i < MOST_STEPS; i++) {
    ss_vec3 L = scaled(I, m);
    ss_vec3 F = ss_add(scaled(I, ss_sub(m, *w)), ss_scale(k, ss_cross(m, L)));
    ss_vec3 x = {I.x, k*(m.z*I.x - L.z), k*(L.y - m.y*I.x)};  // columns of I + k ([m] I - [L])
    ss_vec3 y = {k*(L.z - m.z*I.y), I.y, k*(m.x*I.y - L.x)};
    ss_vec3 z = {k*(m.y*I.z - L.y), k*(L.x - m.x*I.z), I.z};
    ss_vec3 d = solve(x, y, z, F);
    double size = ss_norm(d);
    m = ss_sub(m, d);
    if (size <= 1e-15*ss_norm(m) || (size <= 1e-12*ss_norm(m) && size >= last)) {
      *w = m;
      return true;
    }
    last = size;
  }
  return false;
}

// One step of the rule: *w becomes w1. False, and nothing is done, if it cannot be found.
static bool step(ss_vec3 I, double h, ss_vec3* w)
{
  ss_vec3 m = *w;
  if (!find_mean(I, h/2, &m)) return false;
  *w = ss_sub(ss_scale(2, m), *w);
  return true;
}

// Their ratios count, whatever the unit
static ss_vec3 ratios(ss_vec3 I) { return ss_scale(1/fmax(I.x, fmax(I.y, I.z)), I); }

ss_vec3 ss_spin_acceleration(ss_vec3 I, ss_vec3 w, double dt)
{
  double turn = turn_of(I, w, dt);
  if (!(turn > SLOW && turn < INFINITY)) {
    ss_vec3 moment = ss_cross(w, scaled(I, w));
    return (ss_vec3){-moment.x/I.x, -moment.y/I.y, -moment.z/I.z};
  }
  int parts = (int)fmin(ceil(turn/TURN), MOST_PARTS);
  ss_vec3 end = w;
  I = ratios(I);
  for (int i = 0; i < parts; i++)
    if (!step(I, dt/parts, &end)) break;
  return ss_scale(1/dt, ss_sub(end, w));
}

// With p, the acceleration by all else that acts, as it was in the round before, the mean w is that of
//   I (w - w_A - theta dt p) = -theta dt w x I w.
// So rounds only have to find p. Repeating w' = -I^-1 w x I w by itself would diverge where it turns w by more than
// 1/theta rad or so. Steps that turn it by more than TURN have the acceleration from w_A on: w does not say much of the
// motion then, and may not be the only solution.
ss_vec3 ss_spin_implicit(ss_vec3 I, ss_vec3 start, ss_vec3 mean, double dt, double theta, ss_vec3* rate)
{
  ss_vec3 change = ss_scale(1/theta, ss_sub(mean, start));
  double turn = fmax(turn_of(I, start, dt), turn_of(I, ss_add(start, change), dt));
  ss_vec3 a;
  if (turn <= TURN) {
    ss_vec3 w = mean;
    if (rate && turn > SLOW) {
      w = ss_add(start, ss_scale(theta, ss_sub(change, ss_scale(dt, *rate))));
      if (!find_mean(ratios(I), theta*dt, &w)) w = mean;
    }
    a = ss_spin_acceleration(I, w, 0);
  } else a = ss_spin_acceleration(I, start, dt);
  if (rate) *rate = a;
  return a;
}

void ss_tree_add_spin(const ss_tree_work* w, const ss_tree_time* time, double* h)
{
  for (int b = 1; b < w->tree->n_body && time->dt > 0; b++) {
    const ss_tree_body* body = w->tree->body + b;
    if (!body->alone) continue;
    ss_vec3 change = ss_sub(ss_alone_spin(w, b, time), ss_alone_spin(w, b, NULL));
    ss_vec3 moment = ss_mul(w->R + b, scaled(body->principal, change));
    for (int k = 3; k < 6; k++) h[body->iv + k] += ss_dot3(w->S[body->iv + k].w, moment);
  }
}
