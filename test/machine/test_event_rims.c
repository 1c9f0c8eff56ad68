// Rims and ellipsoids that roll, by the event-driven integrator, against closed forms and against equations of rolling
// integrated here: nothing of the contacts of the library is in these.
#include "machine/play.h"

#define G 9.81

// ---- a body that rolls on a plane, by Euler's equations -------------------------------------------------------------
//
// r: from the centre of mass to the lowest point, v = -w x r. With F = m (v' + g z) at the lowest point
//   I w' + w x I w = r x F,   (I + m (r.r - r r^T)) w' = -w x I w + m r x (g z - w x r')

typedef struct v3 { double x[3]; } v3;

static v3 cross(v3 a, v3 b)
{
  const double *p = a.x, *q = b.x;
  return (v3){{p[1]*q[2] - p[2]*q[1], p[2]*q[0] - p[0]*q[2], p[0]*q[1] - p[1]*q[0]}};
}

static double dot(v3 a, v3 b) { return a.x[0]*b.x[0] + a.x[1]*b.x[1] + a.x[2]*b.x[2]; }

static v3 add(v3 a, double s, v3 b) { return (v3){{a.x[0] + s*b.x[0], a.x[1] + s*b.x[1], a.x[2] + s*b.x[2]}}; }

static v3 by(const double M[9], v3 a)
{
  v3 out;
  for (int i = 0; i < 3; i++) out.x[i] = M[3*i]*a.x[0] + M[3*i + 1]*a.x[1] + M[3*i + 2]*a.x[2];
  return out;
}

typedef struct roller {
  double mass, inertia[9];  // about the centre of mass, in the frame of the body
  v3 shape;                 // centre of the shape from there
  double half[3];           // of an ellipsoid
  double radius, end;       // of a rim, at z = end; 0: an ellipsoid
} roller;

// The lowest point in the frame of the body, with the downward direction n there and its rate
static void lowest(const roller* b, v3 n, v3 dn, v3* p, v3* dp)
{
  if (b->radius > 0) {
    double lean = hypot(n.x[0], n.x[1]), change = (n.x[0]*dn.x[0] + n.x[1]*dn.x[1])/lean;
    for (int i = 0; i < 2; i++) {
      p->x[i] = b->radius*n.x[i]/lean;
      dp->x[i] = b->radius*(dn.x[i]/lean - n.x[i]*change/(lean*lean));
    }
    p->x[2] = b->end;
    dp->x[2] = 0;
  } else {
    double square = 0, change = 0;
    for (int i = 0; i < 3; i++) {
      square += b->half[i]*b->half[i]*n.x[i]*n.x[i];
      change += b->half[i]*b->half[i]*n.x[i]*dn.x[i];
    }
    double s = sqrt(square);
    for (int i = 0; i < 3; i++) {
      p->x[i] = b->half[i]*b->half[i]*n.x[i]/s;
      dp->x[i] = b->half[i]*b->half[i]*(dn.x[i]/s - n.x[i]*change/(s*s*s));
    }
  }
  *p = add(*p, 1, b->shape);
}

static void solve3(const double M[9], v3 b, v3* x)
{
  v3 c[3];
  for (int k = 0; k < 3; k++) c[k] = (v3){{M[k], M[3 + k], M[6 + k]}};
  double det = dot(c[0], cross(c[1], c[2]));
  x->x[0] = dot(b, cross(c[1], c[2]))/det;
  x->x[1] = dot(c[0], cross(b, c[2]))/det;
  x->x[2] = dot(c[0], cross(c[1], b))/det;
}

static void to_matrix(const double* q, double R[9])
{
  double w = q[0], x = q[1], y = q[2], z = q[3], s = 2/(w*w + x*x + y*y + z*z);
  const double M[9] = {1 - s*(y*y + z*z), s*(x*y - w*z), s*(x*z + w*y), s*(x*y + w*z), 1 - s*(x*x + z*z),
                       s*(y*z - w*x), s*(x*z - w*y), s*(y*z + w*x), 1 - s*(x*x + y*y)};
  memcpy(R, M, sizeof M);
}

// w' in the frame of the body; all vectors are seen from there. r, dr: the lowest point and its rate against the body.
static v3 turning(const roller* b, v3 z, v3 w, v3* r, v3* dr)
{
  v3 n = add((v3){{0}}, -1, z), dn = cross(n, w);  // fixed in the world
  lowest(b, n, dn, r, dr);
  v3 rate = add(*dr, 1, cross(w, *r));
  v3 pull = cross(*r, add(add((v3){{0}}, G, z), -1, cross(w, rate)));
  v3 right = add(add((v3){{0}}, b->mass, pull), -1, cross(w, by(b->inertia, w))), out;
  double M[9];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      M[3*i + j] = b->inertia[3*i + j] + b->mass*((i == j)*dot(*r, *r) - r->x[i]*r->x[j]);
  solve3(M, right, &out);
  return out;
}

// y: place of the centre of mass, quaternion, w in the frame of the body
enum { NY = 10 };

static void rate_of(const roller* b, const double* y, double* dy)
{
  double R[9];
  to_matrix(y + 3, R);
  v3 w = {{y[7], y[8], y[9]}}, z = {{R[6], R[7], R[8]}}, r, dr, dw = turning(b, z, w, &r, &dr), v = cross(r, w);
  v = by(R, v);
  memcpy(dy, v.x, sizeof v.x);
  const double* q = y + 3;
  dy[3] = -0.5*(q[1]*w.x[0] + q[2]*w.x[1] + q[3]*w.x[2]);
  dy[4] = 0.5*(q[0]*w.x[0] + q[2]*w.x[2] - q[3]*w.x[1]);
  dy[5] = 0.5*(q[0]*w.x[1] + q[3]*w.x[0] - q[1]*w.x[2]);
  dy[6] = 0.5*(q[0]*w.x[2] + q[1]*w.x[1] - q[2]*w.x[0]);
  memcpy(dy + 7, dw.x, sizeof dw.x);
}

// The classical method of order 4, n steps; y unchanged if it leads nowhere
static void roll(const roller* b, double time, int n, double* y)
{
  double k[4][NY], x[NY], h = time/n;
  static const double at[] = {0, 0.5, 0.5, 1};
  for (int step = 0; step < n; step++) {
    for (int s = 0; s < 4; s++) {
      for (int i = 0; i < NY; i++) x[i] = y[i] + (s ? h*at[s]*k[s - 1][i] : 0);
      rate_of(b, x, k[s]);
    }
    for (int i = 0; i < NY; i++) y[i] += h/6*(k[0][i] + 2*k[1][i] + 2*k[2][i] + k[3][i]);
  }
}

// ---- scenes ---------------------------------------------------------------------------------------------------------

static void agrees(const char* what, double value, double expected, double tol)
{
  if (!(fabs(value - expected) <= tol))
    fail_msg("%s = %.15g, expected %.15g within %.3g, off by %.3g", what, value, expected, tol, value - expected);
}

static play arcs_of(const char* text)
{
  play p = start_text(text);
  p.def = ss_step_def_default();
  p.def.integrator = SS_EVENT_DRIVEN;
  p.def.dt = 0.1;
  p.def.account = true;
  return p;
}

static void follow(play* p, double until)
{
  p->def.event.end = until;
  while (p->s->t < until*(1 - 1e-14)) step(p, NULL);
}

static double next(play* p, ss_event_kind kind, double until)
{
  const ss_event* e;
  while (p->s->t < until)
    for (int n = step(p, &e); n > 0; n--, e++)
      if (e->kind == kind) return e->t;
  return INFINITY;
}

// of the largest energy in motion
static void keeps_energy(const play* p, double tol)
{
  const ss_energy_ledger* e = ss_ledger_energy(p->ledger);
  agrees("defect of energy", e->defect, 0, tol*(fabs(e->kinetic) + fabs(e->potential)));
  assert_true(ss_ledger_get_counts(p->ledger)->max_residual <= 1e-8);
}

// The state of a scene as the equations above have it: q is that of the body's frame at its centre of mass
static void compare(const play* p, const roller* b, double time, int n, double tol)
{
  double y[NY], R[9];
  memcpy(y, p->q0, 7*sizeof *y);
  memcpy(y + 7, p->q0 + 7, 3*sizeof *y);
  roll(b, time, n, y);
  to_matrix(y + 3, R);
  double sign = y[3]*p->s->q[3] + y[4]*p->s->q[4] + y[5]*p->s->q[5] + y[6]*p->s->q[6] < 0 ? -1 : 1;
  for (int i = 0; i < 3; i++) agrees("place", p->s->q[i], y[i], tol);
  for (int i = 3; i < 7; i++) agrees("quaternion", p->s->q[i], sign*y[i], tol);
  for (int i = 0; i < 3; i++) agrees("spin", p->s->u[3 + i], y[7 + i], 10*tol);
}

// Room for the spin behind the start, which compare() reads
static void keep_start(play* p)
{
  double* q0 = calloc(10, sizeof *q0);
  assert_non_null(q0);
  memcpy(q0, p->s->q, 7*sizeof *q0);
  memcpy(q0 + 7, p->s->u + 3, 3*sizeof *q0);
  free(p->q0);
  p->q0 = q0;
}

// v = -w x r, so that it rolls; height on the plane
static void set_rolling(play* p, const roller* b, const double* quat, const double* w)
{
  double R[9];
  to_matrix(quat, R);
  v3 z = {{R[6], R[7], R[8]}}, spin = {{w[0], w[1], w[2]}}, r, dr;
  lowest(b, add((v3){{0}}, -1, z), (v3){{0}}, &r, &dr);
  v3 v = by(R, cross(r, spin));
  memcpy(p->s->q + 3, quat, 4*sizeof *quat);
  p->s->q[0] = p->s->q[1] = 0;
  p->s->q[2] = -dot(z, r);
  memcpy(p->s->u, v.x, sizeof v.x);
  memcpy(p->s->u + 3, w, 3*sizeof *w);
  keep_start(p);
}

#define FLOOR(mu) "<geom name='floor' type='plane' size='0 0 1' friction='" mu "'/>"
#define STONE \
  "<mujoco><worldbody>" FLOOR("100") "<body name='s'><freejoint/><inertial pos='0 0 0' mass='1' fullinertia='0.0002 " \
  "0.0016 0.0017 -2e-05 0 0'/><geom type='ellipsoid' size='0.2 0.03 0.02' pos='0 0 0.01' friction='100'/></body>" \
  "</worldbody></mujoco>"

static const roller stone = {.mass = 1, .inertia = {2e-4, -2e-5, 0, -2e-5, 1.6e-3, 0, 0, 0, 1.7e-3},
                             .shape = {{0, 0, 0.01}}, .half = {0.2, 0.03, 0.02}};

// A rattleback: a spin of -5 rad/s rocks it more and more until it turns to +5. On the way the motion doubles errors in
// 0.1 s or so: 1e-10 in each step become 1e-7 after 4 s.
static void test_rattleback(void** state)
{
  (void)state;
  static const double quat[] = {0.9999904807207346, 0.0043633092847465711, 0, 0}, w[] = {0, 0, -5};
  play p = arcs_of(STONE);
  set_rolling(&p, &stone, quat, w);
  follow(&p, 2);
  compare(&p, &stone, 2, 40000, 2e-7);
  follow(&p, 8);
  agrees("spin at 8 s", p.s->u[5], 5, 5e-3);
  assert_true(p.s->u[5] > 0);
  keeps_energy(&p, 1e-9);
  stop(&p);
}

// Without the skew inertia it does not turn back: the spin stays what it was, as in a mirror
static void test_no_rattleback(void** state)
{
  (void)state;
  static const double quat[] = {0.9999904807207346, 0.0043633092847465711, 0, 0};
  static const char text[] =
    "<mujoco><worldbody>" FLOOR("100") "<body name='s'><freejoint/><inertial pos='0 0 0' mass='1' diaginertia='0.0002 "
    "0.0016 0.0017'/><geom type='ellipsoid' size='0.2 0.03 0.02' pos='0 0 0.01' friction='100'/></body></worldbody>"
    "</mujoco>";
  roller plain = stone;
  plain.inertia[1] = plain.inertia[3] = 0;
  double spin[2];
  for (int k = 0; k < 2; k++) {
    double w[] = {0, 0, k ? -5 : 5};
    play p = arcs_of(text);
    set_rolling(&p, &plain, quat, w);
    follow(&p, 3);
    compare(&p, &plain, 3, 30000, 1e-8);
    spin[k] = p.s->u[5];
    keeps_energy(&p, 1e-9);
    stop(&p);
  }
  agrees("mirrored spin", spin[0], -spin[1], 1e-9);
  assert_true(spin[0] > 4.9);
}

// ---- disks ----------------------------------------------------------------------------------------------------------

#define DISK(size, mass, mu) \
  "<mujoco><worldbody>" FLOOR(mu) "<body name='d'><freejoint/><geom type='cylinder' size='" size "' mass='" mass "' " \
  "friction='" mu "'/></body></worldbody></mujoco>"

static roller disk_of(double radius, double half, double mass)
{
  double across = mass*(radius*radius/4 + half*half/3), along = mass*radius*radius/2;
  return (roller){.mass = mass, .inertia = {across, 0, 0, 0, across, 0, 0, 0, along}, .radius = radius, .end = -half};
}

// A disk of 4 cm that rolls and precesses (the lower rim is the one at -half_length)
static void test_disk(void** state)
{
  (void)state;
  static const double quat[] = {0.98480775301220802, 0.17364817766693036, 0, 0}, w[] = {0, 18.317253085615238, 0.3};
  roller b = disk_of(0.04, 0.003, 0.4);
  play p = arcs_of(DISK("0.04 0.003", "0.4", "100"));
  set_rolling(&p, &b, quat, w);
  follow(&p, 2);
  compare(&p, &b, 2, 40000, 1e-8);
  double R[9];
  to_matrix(p.s->q + 3, R);
  agrees("lean, degrees", acos(R[8])*180/M_PI, 20.08, 0.005);
  keeps_energy(&p, 1e-9);
  stop(&p);
}

// Steady circles: the axis leans by theta and precesses with Omega about the vertical. In the frame that does so
// nothing changes, Omega z x I w = r x m (Omega z x v + g z), v = -w x r; linear in the spin sigma about the axis.
static double unbalance(const roller* b, double theta, double Omega, double sigma, v3* w)
{
  v3 z = {{sin(theta), 0, cos(theta)}}, r, dr;  // seen from the body, whose axis is its z
  *w = add((v3){{0, 0, sigma}}, Omega, z);
  lowest(b, add((v3){{0}}, -1, z), (v3){{0}}, &r, &dr);
  v3 turn = add((v3){{0}}, Omega, z), v = cross(r, *w), F = add(cross(turn, v), G, z);
  return cross(turn, by(b->inertia, *w)).x[1] - b->mass*cross(r, F).x[1];
}

static void test_steady_circles(void** state)
{
  (void)state;
  static const double lean[] = {0.3, 0.8, 1.4}, turn[] = {12, 8, 1};
  for (int k = 0; k < 6; k++) {
    bool hoop = k >= 3;
    roller b = disk_of(0.1, 0.005, 0.5);
    play p = arcs_of(hoop ? "<mujoco><worldbody>" FLOOR("10") "<body name='d'><freejoint/><inertial pos='0 0 0' "
                            "mass='0.5' diaginertia='0.0025 0.0025 0.005'/><geom type='cylinder' "
                            "size='0.1 0.005' friction='10'/>"
                            "</body></worldbody></mujoco>"
                          : DISK("0.1 0.005", "0.5", "10"));
    if (hoop) b.inertia[0] = b.inertia[4] = 0.0025, b.inertia[8] = 0.005;
    v3 w;
    double theta = lean[k%3], Omega = turn[k%3], zero = unbalance(&b, theta, Omega, 0, &w);
    double sigma = -zero/(unbalance(&b, theta, Omega, 1, &w) - zero);
    agrees("balance", unbalance(&b, theta, Omega, sigma, &w), 0, 1e-12);
    double quat[] = {cos(theta/2), 0, -sin(theta/2), 0};  // z of the world is (sin theta, 0, cos theta) of the body
    set_rolling(&p, &b, quat, w.x);
    double height = p.s->q[2], speed = hypot(p.s->u[0], p.s->u[1]);
    double x = -p.s->u[1]/Omega, y = p.s->u[0]/Omega;  // the centre of the circle is -(x, y) away
    double time = 3*2*M_PI/Omega;
    for (int part = 1; part <= 30; part++) {
      follow(&p, time*part/30);
      double R[9], angle = Omega*p.s->t;
      to_matrix(p.s->q + 3, R);
      agrees("lean", acos(R[8]), theta, 1e-8);
      agrees("height", p.s->q[2], height, 1e-9);
      agrees("speed", hypot(p.s->u[0], p.s->u[1]), speed, 1e-8);
      agrees("x", p.s->q[0], x - (x*cos(angle) - y*sin(angle)), 1e-8);
      agrees("y", p.s->q[1], y - (x*sin(angle) + y*cos(angle)), 1e-8);
    }
    keeps_energy(&p, 1e-9);
    stop(&p);
  }
}

// Ellipsoids of revolution roll straight with the speed that they have; any ellipsoid by the equations above
static void test_ellipsoids_roll(void** state)
{
  (void)state;
  play p = arcs_of("<mujoco><worldbody>" FLOOR("1") "<body><freejoint/><geom type='ellipsoid' size='0.1 0.1 0.3' "
                   "mass='2' friction='1'/></body></worldbody></mujoco>");
  roller b = {.mass = 2, .inertia = {0.04, 0, 0, 0, 0.04, 0, 0, 0, 0.008}, .half = {0.1, 0.1, 0.3}};
  static const double lies[] = {0.70710678118654757, 0.70710678118654757, 0, 0}, spin[] = {0, 0, 7};
  set_rolling(&p, &b, lies, spin);
  follow(&p, 5);
  agrees("way", hypot(p.s->q[0], p.s->q[1]), 0.7*5, 1e-9);
  agrees("height", p.s->q[2], 0.1, 1e-12);
  agrees("spin", p.s->u[5], 7, 1e-9);
  keeps_energy(&p, 1e-10);
  stop(&p);
  p = arcs_of("<mujoco><worldbody>" FLOOR("100") "<body><freejoint/><geom type='ellipsoid' size='0.1 0.15 0.12' "
              "mass='2' friction='100'/></body></worldbody></mujoco>");
  b = (roller){.mass = 2, .inertia = {0.4*(0.15*0.15 + 0.12*0.12), 0, 0, 0, 0.4*(0.1*0.1 + 0.12*0.12), 0, 0, 0,
                                      0.4*(0.1*0.1 + 0.15*0.15)}, .half = {0.1, 0.15, 0.12}};
  static const double any[] = {0.5, 0.6, -0.3, 0.2}, fast[] = {2, -1, 3};
  double unit[4], length = 0;
  for (int i = 0; i < 4; i++) length += any[i]*any[i];
  for (int i = 0; i < 4; i++) unit[i] = any[i]/sqrt(length);
  set_rolling(&p, &b, unit, fast);
  follow(&p, 3);
  compare(&p, &b, 3, 30000, 1e-7);
  keeps_energy(&p, 1e-9);
  stop(&p);
}

// ---- order ----------------------------------------------------------------------------------------------------------

// Steps of one length, since the tolerance is none: half of it leaves 1/256 of the error
static void test_order(void** state)
{
  (void)state;
  static const double quat[] = {0.98480775301220802, 0.17364817766693036, 0, 0}, w[] = {0, 18.317253085615238, 0.3};
  roller b = disk_of(0.04, 0.003, 0.4);
  double y[NY], error[3];
  for (int k = 0; k < 3; k++) {
    play p = arcs_of(DISK("0.04 0.003", "0.4", "100"));
    set_rolling(&p, &b, quat, w);
    p.def.event.max_step = 0.02/(1 << k);
    p.def.event.rtol = 1e-2;  // as long as allowed
    memcpy(y, p.s->q, 7*sizeof *y);
    memcpy(y + 7, w, sizeof w);
    follow(&p, 0.64);
    roll(&b, 0.64, 60000, y);
    error[k] = hypot(hypot(p.s->q[0] - y[0], p.s->q[1] - y[1]), p.s->q[2] - y[2]);
    stop(&p);
  }
  double order = log2(error[0]/error[1]), finer = log2(error[1]/error[2]);
  if (!(order > 6.5 && finer > 6.5))
    fail_msg("errors %g, %g, %g: orders %.2f, %.2f", error[0], error[1], error[2], order, finer);
}

// ---- events ---------------------------------------------------------------------------------------------------------

// A can that falls over its rim from rest, in a plane: theta its lean from the position over the rim, rho the distance
// of its centre from there. theta'^2 = 2 m g rho (cos theta0 - cos theta)/J; slip where |T| = mu N, found by bisection
// of the closed form, its time by quadrature from theta0 on (theta = theta0 + s^2 takes the root at the start out).
typedef struct can { double mass, rho, J, start; } can;

static double rate_squared(const can* c, double theta)
{
  return 2*c->mass*G*c->rho*(cos(c->start) - cos(theta))/c->J;
}

static double slack(const can* c, double theta, double mu)
{
  double square = rate_squared(c, theta), change = c->mass*G*c->rho*sin(theta)/c->J;
  double N = c->mass*(G - c->rho*(change*sin(theta) + square*cos(theta)));
  double T = c->mass*c->rho*(change*cos(theta) - square*sin(theta));
  return mu*N - fabs(T);
}

static double time_to(const can* c, double theta)
{
  double end = sqrt(theta - c->start), sum = 0;
  const int n = 20000;
  for (int i = 0; i < n; i++) {  // Gauss' rule of order 4 in each part
    for (int k = -1; k <= 1; k += 2) {
      double s = end/n*(i + 0.5 + k*0.5/sqrt(3));
      double over = 2*sin(c->start + s*s/2)*sin(s*s/2);  // cos theta0 - cos theta, without cancellation
      sum += end/n/2*2*s/sqrt(2*c->mass*G*c->rho*over/c->J);
    }
  }
  return sum;
}

static void test_slip_on_the_rim(void** state)
{
  (void)state;
  double radius = 0.04, half = 0.1, mass = 0.4, mu = 0.3, lean = 0.2;
  can c = {.mass = mass, .rho = hypot(radius, half), .start = lean};
  c.J = mass*(radius*radius/4 + half*half/3) + mass*c.rho*c.rho;
  double angle = atan2(radius, half) + lean, low = lean + 1e-9, high = lean;
  while (slack(&c, high, mu) > 0) high += 1e-3;
  for (int i = 0; i < 100; i++) {
    double middle = (low + high)/2;
    *(slack(&c, middle, mu) > 0 ? &low : &high) = middle;
  }
  for (int turned = 0; turned < 3; turned++) {
    roller b = disk_of(radius, half, mass);
    double yaw = turned*1.1, rest[3] = {0};
    double c1 = cos(yaw/2), s1 = sin(yaw/2), c2 = cos(angle/2), s2 = sin(angle/2);
    double quat[] = {c1*c2, c1*s2, s1*s2, s1*c2};
    play p = arcs_of(DISK("0.04 0.1", "0.4", "0.3"));
    set_rolling(&p, &b, quat, rest);
    agrees("slips", next(&p, SS_EVENT_SLIP, 2), time_to(&c, high), 1e-9);
    keeps_energy(&p, 1e-9);
    stop(&p);
  }
}

// An ellipsoid that turns end over end on smooth ground lifts off where m (g + z'') = 0, z = h(phi) the height of its
// centre, whose lowest point is h' from below it:  (I + m h'^2) phi'' + m h' h'' phi'^2 + m g h' = 0
static double height(double a, double c, double phi, double* slope, double* bend)
{
  double h = sqrt(a*a*sin(phi)*sin(phi) + c*c*cos(phi)*cos(phi)), d = (a*a - c*c)*sin(2*phi)/(2*h);
  *slope = d;
  *bend = ((a*a - c*c)*cos(2*phi) - d*d)/h;
  return h;
}

static void tumble(double a, double c, double mass, double I, const double* y, double* dy, double* N)
{
  double slope, bend;
  height(a, c, y[0], &slope, &bend);
  double M = I + mass*slope*slope;
  dy[0] = y[1];
  dy[1] = -(mass*G*slope + mass*slope*bend*y[1]*y[1])/M;
  *N = mass*(G + slope*dy[1] + bend*y[1]*y[1]);
}

static double step_tumbling(double a, double c, double mass, double I, double h, double* y)
{
  double k[4][2], x[2], N;
  static const double at[] = {0, 0.5, 0.5, 1};
  for (int s = 0; s < 4; s++) {
    for (int i = 0; i < 2; i++) x[i] = y[i] + (s ? h*at[s]*k[s - 1][i] : 0);
    tumble(a, c, mass, I, x, k[s], &N);
  }
  for (int i = 0; i < 2; i++) y[i] += h/6*(k[0][i] + 2*k[1][i] + 2*k[2][i] + k[3][i]);
  tumble(a, c, mass, I, y, x, &N);
  return N;
}

static void test_lifts_off(void** state)
{
  (void)state;
  double a = 0.2, c = 0.1, mass = 1, I = 0.2*(a*a + c*c), h = 1e-5;
  play p = arcs_of("<mujoco><worldbody>" FLOOR("0") "<body><freejoint/><geom type='ellipsoid' size='0.2 0.15 0.1' "
                   "mass='1' friction='0'/></body></worldbody></mujoco>");
  roller b = {.mass = mass, .inertia = {0.2*(0.15*0.15 + c*c), 0, 0, 0, I, 0, 0, 0, 0.2*(a*a + 0.15*0.15)},
              .half = {a, 0.15, c}};
  static const double flat[] = {1, 0, 0, 0}, spin[] = {0, 30, 0};
  set_rolling(&p, &b, flat, spin);
  p.s->u[0] = 0;
  double y[2] = {0, 30}, t = 0, before[2] = {0};
  for (double N = 1; N > 0; t += h) {
    memcpy(before, y, sizeof y);
    N = step_tumbling(a, c, mass, I, h, y);
  }
  double low = 0, high = h;
  t -= h;
  for (int i = 0; i < 60; i++) {
    double middle = (low + high)/2;
    memcpy(y, before, sizeof y);
    *(step_tumbling(a, c, mass, I, middle, y) > 0 ? &low : &high) = middle;
  }
  agrees("lifts off", next(&p, SS_EVENT_DETACH, 1), t + high, 1e-9);
  keeps_energy(&p, 1e-9);
  stop(&p);
}

// ---- upright and flat -----------------------------------------------------------------------------------------------

// A can that stands slides as a block: it stops at v/(mu g), after v^2/(2 mu g)
static void test_puck(void** state)
{
  (void)state;
  play p = arcs_of(DISK("0.04 0.01", "0.4", "0.3"));
  p.s->q[2] = 0.01;
  p.s->u[0] = 0.6;
  p.s->u[1] = 0.8;
  agrees("stops", next(&p, SS_EVENT_STICK, 2), 1/(0.3*G), 1e-8);
  agrees("way", hypot(p.s->q[0], p.s->q[1]), 1/(2*0.3*G), 1e-8);
  follow(&p, 1);
  agrees("height", p.s->q[2], 0.01, 1e-12);
  agrees("turns", p.s->q[6], 0, 1e-9);
  stop(&p);
}

// One that lies rolls on both its rims: from v on it slides until v 2/3
static void test_lying(void** state)
{
  (void)state;
  play p = arcs_of(DISK("0.04 0.1", "0.4", "0.5"));
  double half = sqrt(0.5);
  p.s->q[2] = 0.04;
  p.s->q[3] = p.s->q[4] = half;
  p.s->q[5] = p.s->q[6] = 0;
  p.s->u[0] = 1;
  agrees("rolls from", next(&p, SS_EVENT_STICK, 2), 1/(3*0.5*G), 1e-8);
  follow(&p, 1);
  agrees("speed", p.s->u[0], 2.0/3, 1e-9);
  agrees("height", p.s->q[2], 0.04, 1e-12);
  stop(&p);
}

// A coin that falls flat in a plane: there the rim is all of it the lowest, and the run ends by name
static void test_falls_flat(void** state)
{
  (void)state;
  roller b = disk_of(0.04, 0.002, 0.4);
  play p = arcs_of(DISK("0.04 0.002", "0.4", "0.5"));
  static const double quat[] = {0.9961946980917455, 0.08715574274765817, 0, 0}, rest[3] = {0};
  set_rolling(&p, &b, quat, rest);
  ss_status st = SS_OK;
  p.def.event.end = 1;
  while (p.s->t < 1 && st >= 0) st = ss_step(p.system, &p.def, p.s, p.w);
  assert_int_equal(st, SS_ERR_ARGUMENT);
  if (!strstr(ss_work_message(p.w), "come to lie flat")) fail_msg("%s", ss_work_message(p.w));
  stop(&p);
}

// ---- turned scenes --------------------------------------------------------------------------------------------------

// The same disk on a plane that stands anyhow, with gravity across it, goes the same way
static void test_turned(void** state)
{
  (void)state;
  static const double quat[] = {0.98480775301220802, 0.17364817766693036, 0, 0}, w[] = {0, 18.317253085615238, 0.3};
  roller b = disk_of(0.04, 0.003, 0.4);
  play p = arcs_of(DISK("0.04 0.003", "0.4", "100"));
  set_rolling(&p, &b, quat, w);
  follow(&p, 1);
  play o = arcs_of("<mujoco><option gravity='-6.54 -3.27 6.54'/><worldbody><geom type='plane' size='0 0 1' "
                   "quat='0.40824829046386302 -0.40824829046386302 0.81649658092772603 0' friction='100'/>"
                   "<body name='d'><freejoint/><geom type='cylinder' size='0.04 0.003' "
                   "mass='0.4' friction='100'/></body></worldbody></mujoco>");
  // the turn of the plane: its z axis is (2, 1, -2)/3
  static const double turn[] = {0.40824829046386302, -0.40824829046386302, 0.81649658092772603, 0};
  double R[9], other[4];
  to_matrix(turn, R);
  agrees("normal", R[2], 2.0/3, 1e-15);
  agrees("normal", R[5], 1.0/3, 1e-15);
  other[0] = turn[0]*quat[0] - turn[1]*quat[1];
  other[1] = turn[0]*quat[1] + turn[1]*quat[0];
  other[2] = turn[2]*quat[0] + turn[3]*quat[1];
  other[3] = turn[3]*quat[0] - turn[2]*quat[1];
  for (int i = 0; i < 3; i++) {
    o.s->q[i] = o.s->u[i] = 0;
    for (int k = 0; k < 3; k++) {
      o.s->q[i] += R[3*i + k]*p.q0[k];
      o.s->u[i] += R[3*i + k]*(k == 0 ? 0.042951759256845717 : 0);
    }
  }
  memcpy(o.s->q + 3, other, sizeof other);
  memcpy(o.s->u + 3, w, sizeof w);
  v3 z, r, dr;
  double Q[9];
  to_matrix(quat, Q);
  z = (v3){{Q[6], Q[7], Q[8]}};
  lowest(&b, add((v3){{0}}, -1, z), (v3){{0}}, &r, &dr);
  v3 v = by(R, by(Q, cross(r, (v3){{w[0], w[1], w[2]}})));
  memcpy(o.s->u, v.x, sizeof v.x);
  follow(&o, 1);
  for (int i = 0; i < 3; i++) {
    double place = 0, speed = 0;
    for (int k = 0; k < 3; k++) {
      place += R[3*i + k]*p.s->q[k];
      speed += R[3*i + k]*p.s->u[k];
    }
    agrees("place", o.s->q[i], place, 1e-9);
    agrees("speed", o.s->u[i], speed, 1e-8);
    agrees("spin", o.s->u[3 + i], p.s->u[3 + i], 2e-8);
  }
  stop(&p);
  stop(&o);
}

// ---- pairs ----------------------------------------------------------------------------------------------------------

// A body that rolls on shapes of all kinds and off them: energy is kept where nothing rubs and nothing is hit hard
static void test_pairs(void** state)
{
  (void)state;
  static const char* const under[] = {
    "<geom type='cylinder' size='0.2 0.5' pos='0 0 0.2' euler='90 0 0' condim='1'/>",
    "<geom type='ellipsoid' size='0.2 0.3 0.25' condim='1'/>",
    "<geom type='box' size='0.2 0.3 0.1' euler='10 20 30' condim='1'/>",
    "<geom type='capsule' size='0.1 0.3' euler='80 20 0' condim='1'/>",
    "<geom type='mesh' mesh='m' condim='1'/>",
    "<geom type='sphere' size='0.3' condim='1'/>",
  };
  static const char* const over[] = {"type='sphere' size='0.05'", "type='ellipsoid' size='0.05 0.08 0.06'",
                                     "type='capsule' size='0.05 0.08'"};
  for (int k = 0; k < 18; k++) {
    if (k%3 == 2 && k/3 != 2) continue;  // a capsule on the box
    char text[1500];
    snprintf(text, sizeof text, "<mujoco><asset><mesh name='m' vertex='-.3 -.3 0 .3 -.3 0 .3 .3 0.1 -.3 .3 0 0 0 .3 "
             "0.2 0 -.3'/></asset><worldbody>%s<body pos='0.04 0.03 0.6' euler='30 40 10'><freejoint/>"
             "<geom %s condim='1' restitution='1'/></body></worldbody></mujoco>", under[k/3], over[k%3]);
    play p = arcs_of(text);
    double t = next(&p, SS_EVENT_IMPACT, 2);
    assert_true(t < 1);
    follow(&p, 1.5);
    keeps_energy(&p, 1e-9);
    stop(&p);
  }
}

// A capsule that slides along its axis off a box: where its end comes to the border the axis over the edge goes on, and
// it stops as on any ground, its centre on the box. Whatever way the box stands, and whichever comes first in the file.
static void test_bar_slides_off(void** state)
{
  (void)state;
  for (int k = 0; k < 4; k++) {
    static const char* const box[] = {"size='0.3 0.3 0.1'", "size='0.3 0.1 0.3' quat='0.5 0.5 0.5 0.5'"};
    static const char bar[] = "<body><freejoint/><geom name='bar' type='capsule' size='0.05 0.15' friction='0.3'/>"
                              "</body>";
    char text[700], under[200];
    snprintf(under, sizeof under, "<geom name='box' type='box' %s friction='0.3'/>", box[k/2]);
    snprintf(text, sizeof text, "<mujoco><worldbody>%s%s%s</worldbody></mujoco>", k%2 ? "" : under, bar,
             k%2 ? under : "");
    play p = arcs_of(text);
    double slows = 0.3*G;
    p.s->u[0] = 1;
    p.s->q[2] = 0.15;
    p.s->q[3] = p.s->q[5] = sqrt(0.5);
    agrees("passes", next(&p, SS_EVENT_PASS, 1), (1 - sqrt(1 - 2*slows*0.15))/slows, 1e-9);
    agrees("stops", next(&p, SS_EVENT_STICK, 1), 1/slows, 1e-8);
    agrees("way", p.s->q[0], 1/(2*slows), 1e-8);
    agrees("height", p.s->q[2], 0.15, 1e-12);
    follow(&p, 0.6);
    agrees("stays", p.s->q[0], 1/(2*slows), 1e-8);
    keeps_energy(&p, 1e-9);
    stop(&p);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_rattleback),      cmocka_unit_test(test_no_rattleback), cmocka_unit_test(test_disk),
    cmocka_unit_test(test_steady_circles),  cmocka_unit_test(test_ellipsoids_roll), cmocka_unit_test(test_order),
    cmocka_unit_test(test_slip_on_the_rim), cmocka_unit_test(test_lifts_off),     cmocka_unit_test(test_puck),
    cmocka_unit_test(test_lying),           cmocka_unit_test(test_falls_flat),    cmocka_unit_test(test_turned),
    cmocka_unit_test(test_pairs),           cmocka_unit_test(test_bar_slides_off),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
