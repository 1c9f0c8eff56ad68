// Tangents of a contact as a function of its normal alone.
#include "collide/shape.h"

// No tangents depend smoothly on the normal everywhere: a sphere cannot be combed. These are smooth but for the one
// normal -e, and e is so oblique that no pile, wall or axis of a model points there. e1 is across e.
static const ss_vec3 e = {2.0/7, 3.0/7, 6.0/7}, e1 = {-6.0/7, -2.0/7, 3.0/7};

// |e + n|^2 below this: n is -e but for what round-off makes of it
#define OPPOSITE 1e-14

// The shortest turn from e to n applied to e_i, which is across e:
//   t_i = e_i - 2 (e_i.s)/(s.s) s,  s = e + n
// A reflection: of length one whatever the round-off of s. What that leaves along n is taken off.
void ss_frame_from_normal(ss_vec3 n, ss_vec3* t1, ss_vec3* t2)
{
  ss_vec3 s = ss_add(e, n), t = e1;
  double s2 = ss_dot3(s, s);
  if (s2 > OPPOSITE) t = ss_sub(t, ss_scale(2*ss_dot3(e1, s)/s2, s));
  *t1 = ss_sub(t, ss_scale(ss_dot3(t, n), n));
  *t2 = ss_cross(n, *t1);
}

// With Q = (1 + e.n, e x n) the turn as a quaternion of length^2 2 (1 + e.n), the angular velocity is 2 Q' Q*/|Q|^2:
//   n x n' + sigma n,   sigma = e.(n' x n)/(1 + e.n)
ss_vec3 ss_frame_spin(ss_vec3 n, ss_vec3 dn)
{
  ss_vec3 s = ss_add(e, n);
  double s2 = ss_dot3(s, s);  // 2 (1 + e.n)
  double sigma = s2 > OPPOSITE ? 2*ss_dot3(e, ss_cross(dn, n))/s2 : 0;
  return ss_add(ss_cross(n, dn), ss_scale(sigma, n));
}
