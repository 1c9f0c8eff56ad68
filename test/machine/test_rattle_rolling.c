// The integrator rattle against equations of motion of this file: bodies that roll on a plane on a rim or as
// ellipsoids, a hoop in steady motion in closed form, a ball that rolls off a ball, a top on a ball joint: order 2. A
// tippe top that slides, along a direction that turns: order 1.
#include "machine/play.h"

enum { PLACE = 3, TURN = 7, SIZE = 10 };  // state of an equation: place, quaternion, omega in axes of the body

// --- vectors

static double dot(const double* a, const double* b) { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2]; }

static void cross(const double* a, const double* b, double* c)
{
  double x = a[1]*b[2] - a[2]*b[1], y = a[2]*b[0] - a[0]*b[2], z = a[0]*b[1] - a[1]*b[0];
  c[0] = x, c[1] = y, c[2] = z;
}

// v turned by a quaternion (side 1) or back (-1)
static void turn(const double* q, int side, const double* v, double* out)
{
  double p[3] = {side*q[1], side*q[2], side*q[3]}, t[3], c[3];
  cross(p, v, t);
  for (int i = 0; i < 3; i++) t[i] *= 2;
  cross(p, t, c);
  for (int i = 0; i < 3; i++) out[i] = v[i] + q[0]*t[i] + c[i];
}

// c = a b of quaternions; c may be one of them
static void product(const double* a, const double* b, double* c)
{
  double v[3], real = a[0]*b[0] - dot(a + 1, b + 1);
  cross(a + 1, b + 1, v);
  for (int i = 0; i < 3; i++) v[i] += a[0]*b[1 + i] + b[0]*a[1 + i];
  c[0] = real;
  memcpy(c + 1, v, sizeof v);
}

// x of A x = b, A 3 x 3, by Cramer's rule
static void solve(const double* A, const double* b, double* x)
{
  double c[3][3], column[3][3];
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++) column[j][i] = A[3*i + j];
  for (int j = 0; j < 3; j++) cross(column[(j + 1) % 3], column[(j + 2) % 3], c[j]);
  for (int j = 0; j < 3; j++) x[j] = dot(b, c[j])/dot(column[j], c[j]);
}

static void times(const double* A, const double* x, double* y)
{
  for (int i = 0; i < 3; i++) y[i] = dot(A + 3*i, x);
}

// --- bodies and their equations of motion

typedef struct body {
  void (*rates)(const struct body* b, const double* y, double* dy);
  double m, I[9];  // about the centre of mass
  void (*point)(const struct body* b, const double* n, const double* dn, double* r, double* dr);
  double a[3];    // half axes; rim: radius, half its height
  double offset;  // z of the centre of the shape; joint: of the mass
  double mu;
} body;

// The lower rim of a disk, n: upwards, in axes of the body, n_z > 0. r = -R n_xy/|n_xy| - H e_z and its rate
static void rim(const body* b, const double* n, const double* dn, double* r, double* dr)
{
  double flat = hypot(n[0], n[1]), turned = (n[0]*dn[1] - n[1]*dn[0])/(flat*flat);
  r[0] = -b->a[0]*n[0]/flat;
  r[1] = -b->a[0]*n[1]/flat;
  r[2] = -b->a[1];
  dr[0] = -r[1]*turned;
  dr[1] = r[0]*turned;
  dr[2] = 0;
}

// The lowest point of an ellipsoid, r = -A^2 n/|A n| + offset, and its rate
static void lowest(const body* b, const double* n, const double* dn, double* r, double* dr)
{
  double s = 0, ds = 0;
  for (int i = 0; i < 3; i++) s += b->a[i]*b->a[i]*n[i]*n[i];
  s = sqrt(s);
  for (int i = 0; i < 3; i++) ds += b->a[i]*b->a[i]*n[i]*dn[i]/s;
  for (int i = 0; i < 3; i++) {
    r[i] = -b->a[i]*b->a[i]*n[i]/s;
    dr[i] = -b->a[i]*b->a[i]*(dn[i]/s - n[i]*ds/(s*s));
  }
  r[2] += b->offset;
}

// q' = q (0, omega)/2
static void spin(const double* y, double* dy)
{
  double w[4] = {0, y[TURN]/2, y[TURN + 1]/2, y[TURN + 2]/2};
  product(y + PLACE, w, dy + PLACE);
}

// -omega x I omega
static void gyroscopic(const body* b, const double* om, double* k)
{
  double Io[3];
  times(b->I, om, Io);
  cross(Io, om, k);
}

// Rolling: v = -omega x r,  I omega' + omega x I omega = m r x (v' + omega x v + g n), all in axes of the body, with
// n' = n x omega. The velocity of the centre of mass follows: it is no part of the state.
static void roll(const body* b, const double* y, double* dy)
{
  const double up[3] = {0, 0, 1}, *om = y + TURN;
  double n[3], dn[3], r[3], dr[3], v[3], a[3], c[3], k[3], A[9];
  turn(y + PLACE, -1, up, n);
  cross(n, om, dn);
  b->point(b, n, dn, r, dr);
  cross(r, om, v);
  cross(dr, om, a);
  cross(om, v, c);
  for (int i = 0; i < 3; i++) a[i] = b->m*(a[i] + c[i] + 9.81*n[i]);  // the force, without omega' x r
  cross(r, a, c);
  gyroscopic(b, om, k);
  for (int i = 0; i < 3; i++) c[i] += k[i];
  for (int i = 0; i < 9; i++) A[i] = b->I[i] + b->m*((i % 4 == 0 ? dot(r, r) : 0) - r[i/3]*r[i % 3]);
  solve(A, c, dy + TURN);
  turn(y + PLACE, 1, v, dy);
  spin(y, dy);
}

static void diagonal_inverse(const body* b, const double* x, double* y)
{
  for (int i = 0; i < 3; i++) y[i] = x[i]/b->I[4*i];
}

// A ball that slides, its centre of mass below its centre: m v' = (N - m g) n - mu N d, d: the direction of
// v + omega x r. n (v + omega x s) = 0, s from the centre of mass to the centre, gives N. The state has the velocity of
// the centre where others have a place.
static void slide(const body* b, const double* y, double* dy)
{
  const double up[3] = {0, 0, 1}, *om = y + TURN, centre[3] = {0, 0, b->offset};
  double s[3], r[3], n[3], d[3], w[3], v[3], c[3], k[3], free[3], per[3], rate[3];
  turn(y + PLACE, -1, up, n);
  turn(y + PLACE, -1, y, v);  // of the centre, in axes of the body
  cross(om, n, w);
  for (int i = 0; i < 3; i++) {
    s[i] = centre[i];
    r[i] = s[i] - b->a[0]*n[i];
    d[i] = v[i] - b->a[0]*w[i];
  }
  double speed = sqrt(dot(d, d));
  for (int i = 0; i < 3; i++) d[i] = n[i] - b->mu*d[i]/speed;  // the force for N = 1
  gyroscopic(b, om, k);
  diagonal_inverse(b, k, free);  // omega' = free + N per
  cross(r, d, c);
  diagonal_inverse(b, c, per);
  // n v_centre' = 0: n (-g n + N d/m + omega' x s + omega x (omega x s))
  cross(om, s, c);
  cross(om, c, rate);
  cross(free, s, c);
  for (int i = 0; i < 3; i++) rate[i] += c[i] - 9.81*n[i];
  cross(per, s, c);
  for (int i = 0; i < 3; i++) c[i] += d[i]/b->m;
  double N = -dot(n, rate)/dot(n, c);
  for (int i = 0; i < 3; i++) {
    dy[TURN + i] = free[i] + N*per[i];
    rate[i] += N*c[i];
  }
  turn(y + PLACE, 1, rate, dy);
  spin(y, dy);
}

// A top on a ball joint, about its fixed point: I omega' + omega x I omega = -m g s x n
static void top(const body* b, const double* y, double* dy)
{
  const double up[3] = {0, 0, 1}, s[3] = {0, 0, b->offset};
  double n[3], c[3], k[3];
  turn(y + PLACE, -1, up, n);
  cross(n, s, c);
  gyroscopic(b, y + TURN, k);
  for (int i = 0; i < 3; i++) k[i] += b->m*9.81*c[i];
  diagonal_inverse(b, k, dy + TURN);
  spin(y, dy);
  for (int i = 0; i < 3; i++) dy[i] = 0;
}

// Runge's and Kutta's method of order 4, 10^4 steps a second: its error is below 10^-9 in all that follows
static void runge_kutta(const body* b, double until, double* y)
{
  long steps = lround(until*1e4);
  double h = until/(double)steps, k[4][SIZE], z[SIZE];
  for (long j = 0; j < steps; j++) {
    b->rates(b, y, k[0]);
    for (int s = 1; s < 4; s++) {
      for (int i = 0; i < SIZE; i++) z[i] = y[i] + (s == 3 ? h : h/2)*k[s - 1][i];
      b->rates(b, z, k[s]);
    }
    for (int i = 0; i < SIZE; i++) y[i] += h/6*(k[0][i] + 2*k[1][i] + 2*k[2][i] + k[3][i]);
  }
}

// --- the integrator

// A body of a shape on a plane, with what else `inertial` says
static play on_plane(const char* shape, const char* inertial, double dt)
{
  char text[1024];
  snprintf(text, sizeof text,
           "<mujoco><option gravity='0 0 -9.81'/><worldbody><geom type='plane' size='0 0 1' friction='100'/>"
           "<body><freejoint/>%s<geom %s friction='100'/></body></worldbody></mujoco>",
           inertial, shape);
  play p = start_text(text);
  p.def.integrator = SS_RATTLE;
  p.def.dt = dt;
  return p;
}

static double energy(ss_energy e) { return e.kinetic + e.potential; }

// The largest error of the energy as a part of it; nothing may overlap or hit
static double run_for(play* p, double until)
{
  double worst = 0, first = NAN;
  while (p->s->t < until - p->def.dt/2) {
    step(p, NULL);
    const ss_step_info* info = ss_work_info(p->w);
    if (isnan(first)) first = energy(info->before);
    worst = fmax(worst, fabs(energy(info->after)/first - 1));
  }
  assert_true(ss_ledger_get_counts(p->ledger)->max_penetration < 1e-14);
  assert_int_equal(ss_ledger_get_counts(p->ledger)->not_solved, 0);
  return worst;
}

// The largest of the differences between the state of a free body and y, with its omega as a part of the largest one
static double off(const play* p, const double* y)
{
  double worst = 0, most = sqrt(dot(y + TURN, y + TURN)), side = 0;
  for (int i = PLACE; i < TURN; i++) side += p->s->q[i]*y[i];  // q and -q are one orientation
  for (int i = 0; i < PLACE; i++) worst = fmax(worst, fabs(p->s->q[i] - y[i]));
  for (int i = PLACE; i < TURN; i++) worst = fmax(worst, fabs(p->s->q[i] - copysign(1, side)*y[i]));
  for (int i = 0; i < 3; i++) worst = fmax(worst, fabs(p->s->u[3 + i] - y[TURN + i])/most);
  return worst;
}

static void state_of(const play* p, double* y)
{
  memcpy(y, p->s->q, TURN*sizeof(double));
  memcpy(y + TURN, p->s->u + 3, 3*sizeof(double));
}

// A start that rolls: the height of the contact zero, the velocity that of the centre
static void place(const body* b, const double* q, const double* om, play* p)
{
  const double up[3] = {0, 0, 1};
  double n[3], dn[3], r[3], dr[3], v[3];
  turn(q, -1, up, n);
  cross(n, om, dn);
  b->point(b, n, dn, r, dr);
  cross(r, om, v);
  p->s->q[0] = p->s->q[1] = 0;
  p->s->q[2] = -dot(n, r);
  memcpy(p->s->q + PLACE, q, 4*sizeof(double));
  turn(q, 1, v, p->s->u);
  memcpy(p->s->u + 3, om, 3*sizeof(double));
}

// Order 2 of the state and of the energy: errors fall to a quarter. The next term of the error, of order 4, changes
// that by a few per cent at these steps.
static void check_order(play p[2], const body* b, double until, double most)
{
  double y[SIZE], error[2], gain[2];
  state_of(&p[0], y);
  runge_kutta(b, until, y);
  for (int k = 0; k < 2; k++) {
    gain[k] = run_for(&p[k], until);
    error[k] = off(&p[k], y);
    stop(&p[k]);
  }
  print_message("error %.3g, %.3g; energy %.3g, %.3g\n", error[0], error[1], gain[0], gain[1]);
  near(error[0]/error[1], 4, 0.4);
  near(gain[0]/gain[1], 4, 0.4);
  assert_true(error[1] < most);
}

#define RATTLE_FOLDER "test/data/rattle/"
static const body disk = {roll, .m = 0.4, .I = {0.0001612, 0, 0, 0, 0.0001612, 0, 0, 0, 0.00032}, .point = rim,
                          .a = {0.04, 0.003}};
static const body rattleback = {roll,
                                .m = 1,
                                .I = {0.0002, -2e-5, 0, -2e-5, 0.0016, 0, 0, 0, 0.0017},
                                .point = lowest,
                                .a = {0.2, 0.03, 0.02},
                                .offset = 0.01};

// It rolls for ever, ever faster as seen from the side; after 2 s tilted by 20.08 degrees
static void test_disk(void** state)
{
  (void)state;
  play p[2] = {start_rattle(RATTLE_FOLDER "disk.xml", 2e-3), start_rattle(RATTLE_FOLDER "disk.xml", 1e-3)};
  check_order(p, &disk, 0.5, 1e-3);
  if (LESS > 1) return;
  play q = start_rattle(RATTLE_FOLDER "disk.xml", 1e-3);
  double y[SIZE];
  state_of(&q, y);
  runge_kutta(&disk, 2, y);
  near(acos(1 - 2*(y[4]*y[4] + y[5]*y[5]))*180/M_PI, 20.08, 0.005);
  assert_true(run_for(&q, 2) < 1e-4);
  near(acos(1 - 2*(q.s->q[4]*q.s->q[4] + q.s->q[5]*q.s->q[5]))*180/M_PI, 20.08, 0.01);
  stop(&q);
}

// A coin spun on its rim, nearly upright: it wobbles
static void test_coin(void** state)
{
  (void)state;
  const char* shape = "type='cylinder' size='0.012 0.001' mass='0.006'";
  const double half = 40*M_PI/180, q[4] = {cos(half), sin(half), 0, 0}, om[3] = {3, 40, 7};
  const double a = 0.006*(3*0.012*0.012 + 0.002*0.002)/12, c = 0.006*0.012*0.012/2;
  body coin = {roll, .m = 0.006, .I = {a, 0, 0, 0, a, 0, 0, 0, c}, .point = rim, .a = {0.012, 0.001}};
  play p[2] = {on_plane(shape, "", 5e-4), on_plane(shape, "", 2.5e-4)};
  for (int k = 0; k < 2; k++) place(&coin, q, om, &p[k]);
  check_order(p, &coin, 0.25, 1e-3);
}

// An ellipsoid with three different axes
static void test_ellipsoid(void** state)
{
  (void)state;
  const char* shape = "type='ellipsoid' size='0.05 0.04 0.03' mass='0.5'";
  const double q[4] = {0.9, 0.3, 0.1, 0.3}, om[3] = {6, 3, 2};  // |q| = 1
  body egg = {roll, .m = 0.5, .I = {0.1*25e-4, 0, 0, 0, 0.1*34e-4, 0, 0, 0, 0.1*41e-4}, .point = lowest,
              .a = {0.05, 0.04, 0.03}};
  play p[2] = {on_plane(shape, "", 2e-3), on_plane(shape, "", 1e-3)};
  for (int k = 0; k < 2; k++) place(&egg, q, om, &p[k]);
  check_order(p, &egg, 0.5, 1e-3);
}

// It spins the wrong way round, rattles, and reverses: +5.00 rad/s by these equations and by the integrator
static void test_rattleback(void** state)
{
  (void)state;
  play p[2] = {start_rattle(RATTLE_FOLDER "rattleback.xml", 1e-3), start_rattle(RATTLE_FOLDER "rattleback.xml", 5e-4)};
  check_order(p, &rattleback, 1, 1e-2);
  if (LESS > 1) return;
  play q = start_rattle(RATTLE_FOLDER "rattleback.xml", 1e-3);
  double y[SIZE];
  state_of(&q, y);
  runge_kutta(&rattleback, 8, y);
  near(y[TURN + 2], 5, 0.01);
  run_for(&q, 8);
  near(q.s->u[5], y[TURN + 2], 0.02);
  stop(&q);
}

// A hoop, tilted, rolls in a circle: Omega about the vertical, w about its axis. With n = (sin, 0, cos) of the tilt and
// r = (-R, 0, -H) in axes that go round with it, Omega n x L = r x m(Omega n x v + g n), v = -omega x r, has
// w (Omega s C + m Omega R(H c + R s)) = Omega^2 s c A + m Omega^2 H s(H c + R s) - m g(R c - H s)
static void test_hoop(void** state)
{
  (void)state;
  const double R = 0.3, H = 0.002, m = 0.5, A = m*R*R/2, C = m*R*R, Omega = -2, tilt = 70*M_PI/180;
  double s = sin(tilt), c = cos(tilt), until = 1, error[2];
  double w = (Omega*Omega*s*c*A + m*Omega*Omega*H*s*(H*c + R*s) - m*9.81*(R*c - H*s)) /
             (Omega*s*C + m*Omega*R*(H*c + R*s));
  body hoop = {roll, .m = m, .I = {A, 0, 0, 0, A, 0, 0, 0, C}, .point = rim, .a = {R, H}};
  for (int k = 0; k < 2; k++) {
    play p = on_plane("type='cylinder' size='0.3 0.002'",
                      "<inertial pos='0 0 0' mass='0.5' diaginertia='0.0225 0.0225 0.045'/>", k ? 2e-3 : 4e-3);
    const double q[4] = {cos(tilt/2), 0, -sin(tilt/2), 0}, om[3] = {Omega*s, 0, w};
    place(&hoop, q, om, &p);
    const double* v = p.s->u;  // horizontal; the centre goes round a point beside it
    double about[2] = {v[1]/Omega, -v[0]/Omega}, turned = Omega*until, spun = (w - Omega*c)*until, y[SIZE];
    const double around[4] = {cos(turned/2), 0, 0, sin(turned/2)}, own[4] = {cos(spun/2), 0, 0, sin(spun/2)};
    y[0] = -about[0] + cos(turned)*about[0] - sin(turned)*about[1];
    y[1] = -about[1] + sin(turned)*about[0] + cos(turned)*about[1];
    y[2] = p.s->q[2];
    product(around, q, y + PLACE);
    product(y + PLACE, own, y + PLACE);
    const double back[4] = {own[0], 0, 0, -own[3]},
                 w0[4] = {0, om[0], om[1], om[2]};  // omega in axes that spin with it
    double z[4];
    product(back, w0, z);
    product(z, own, z);
    memcpy(y + TURN, z + 1, sizeof(double)*3);
    double gain = run_for(&p, until);
    error[k] = off(&p, y);
    print_message("error %.3g, energy %.3g\n", error[k], gain);
    stop(&p);
  }
  near(error[0]/error[1], 4, 0.4);
  assert_true(error[1] < 1e-4);
}

// A ball rolls down a ball that is held, off its top: (7/5)(R + r) phi'' = g sin phi; it leaves where cos phi is 10/17
// of that at the start, if friction is large: energy and m g cos phi = m (R + r) phi'^2 [textbook]
static void test_ball_on_ball(void** state)
{
  (void)state;
  const char* text = "<mujoco><option gravity='0 0 -9.81'/><worldbody><geom size='0.3' friction='100'/>"
                     "<body><freejoint/><geom size='0.1' mass='1' friction='100'/></body></worldbody></mujoco>";
  const double L = 0.4, phi0 = 0.1, until = 0.5;
  double phi = phi0, rate = 0, error[2], left[2];
  for (int i = 0; i < 50000; i++) {  // Stoermer's rule, order 2 with steps of 10 us: 10^-9
    rate += 0.5e-5*5/7*9.81/L*sin(phi);
    phi += 1e-5*rate;
    rate += 0.5e-5*5/7*9.81/L*sin(phi);
  }
  for (int k = 0; k < 2; k++) {
    play p = start_text(text);
    p.def.integrator = SS_RATTLE;
    p.def.dt = k ? 1e-3 : 2e-3;
    p.s->q[0] = L*sin(phi0);
    p.s->q[2] = L*cos(phi0);
    run_for(&p, until);
    error[k] = fabs(atan2(p.s->q[0], p.s->q[2]) - phi);
    while (ss_work_info(p.w)->n_active > 0 && p.s->t < 2) step(&p, NULL);
    left[k] = p.s->q[2]/hypot(p.s->q[0], p.s->q[2]);
    print_message("error %.3g, leaves at %.6f\n", error[k], left[k]);
    near(left[k], 10.0/17*cos(phi0), 6*p.def.dt);  // a step or two late, at 3 rad/s and a sine of 0.8
    stop(&p);
  }
  near(error[0]/error[1], 4, 0.4);
}

static void test_top(void** state)
{
  (void)state;
  body b = {top, .m = 1, .I = {0.014, 0, 0, 0, 0.014, 0, 0, 0, 0.005}, .offset = 0.1};
  double error[2], gain[2];
  for (int k = 0; k < 2; k++) {
    play p = start_rattle("models/spinning-top.xml", k ? 1e-4 : 2e-4);
    double y[SIZE] = {0};
    memcpy(y + PLACE, p.s->q, 4*sizeof(double));
    memcpy(y + TURN, p.s->u, 3*sizeof(double));
    runge_kutta(&b, 1, y);
    gain[k] = run_for(&p, 1);
    error[k] = 0;
    for (int i = 0; i < 3; i++) error[k] = fmax(error[k], fabs(p.s->u[i] - y[TURN + i])/150);
    double side = 0;
    for (int i = 0; i < 4; i++) side += p.s->q[i]*y[PLACE + i];
    for (int i = 0; i < 4; i++) error[k] = fmax(error[k], fabs(copysign(1, side)*p.s->q[i] - y[PLACE + i]));
    print_message("error %.3g, energy %.3g\n", error[k], gain[k]);
    stop(&p);
  }
  near(error[0]/error[1], 4, 0.4);
  near(gain[0]/gain[1], 4, 0.4);
}

// It slides, until it rolls at 32 ms, and the direction of friction turns: of first order at least
static void test_tippe_top(void** state)
{
  (void)state;
  body b = {slide,        .m = 0.015,       .I = {1.3e-6, 0, 0, 0, 1.3e-6, 0, 0, 0, 1.5e-6},
            .a = {0.015}, .offset = 0.0026, .mu = 0.3};
  double error[2];
  for (int k = 0; k < 2; k++) {
    play p = start_rattle("models/tippe-top.xml", k ? 1e-4 : 2e-4);
    double y[SIZE];
    state_of(&p, y);
    memcpy(y, p.s->u, 3*sizeof(double));
    runge_kutta(&b, 0.03, y);
    run_for(&p, 0.03);
    memcpy(p.s->q, p.s->u, 3*sizeof(double));  // y has velocities there
    error[k] = off(&p, y);
    print_message("error %.3g\n", error[k]);
    stop(&p);
  }
  assert_true(error[1] < 1e-4);
  assert_true(error[0]/error[1] > 1.7);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_disk),      cmocka_unit_test(test_coin),
                                     cmocka_unit_test(test_ellipsoid), cmocka_unit_test(test_rattleback),
                                     cmocka_unit_test(test_hoop),      cmocka_unit_test(test_ball_on_ball),
                                     cmocka_unit_test(test_top),       cmocka_unit_test(test_tippe_top)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
