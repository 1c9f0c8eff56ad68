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

// One step of the rule by Newton's method: *w becomes w1. False, and nothing is done, if that does not converge.
static bool step(ss_vec3 I, double h, ss_vec3* w)
{
  ss_vec3 m = *w;
  double k = h/2, last = INFINITY;
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
      *w = ss_sub(ss_scale(2, m), *w);
      return true;
    }
    last = size;
  }
  return false;
}

ss_vec3 ss_spin_acceleration(ss_vec3 I, ss_vec3 w, double dt)
{
  double turn = turn_of(I, w, dt);
  if (!(turn > SLOW && turn < INFINITY)) {
    ss_vec3 moment = ss_cross(w, scaled(I, w));
    return (ss_vec3){-moment.x/I.x, -moment.y/I.y, -moment.z/I.z};
  }
  int parts = (int)fmin(ceil(turn/TURN), MOST_PARTS);
  ss_vec3 end = w;
  I = ss_scale(1/fmax(I.x, fmax(I.y, I.z)), I);  // their ratios count, whatever the unit
  for (int i = 0; i < parts; i++)
    if (!step(I, dt/parts, &end)) break;
  return ss_scale(1/dt, ss_sub(end, w));
}

void ss_tree_add_spin(const ss_tree_work* w, double dt, double* h)
{
  for (int b = 1; b < w->tree->n_body && dt > 0; b++) {
    const ss_tree_body* body = w->tree->body + b;
    if (!body->alone) continue;
    ss_vec3 spin = ss_mul_transposed(w->R + b, w->V[b].w), I = body->principal;
    ss_vec3 change = ss_sub(ss_spin_acceleration(I, spin, dt), ss_spin_acceleration(I, spin, 0));
    ss_vec3 moment = ss_mul(w->R + b, scaled(I, change));
    for (int k = 3; k < 6; k++) h[body->iv + k] += ss_dot3(w->S[body->iv + k].w, moment);
  }
}
