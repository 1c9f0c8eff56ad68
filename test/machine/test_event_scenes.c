// Scenes by the event-driven integrator against closed forms, against independent integration, and against
// time-stepping as its step goes to zero.
#include "machine/play.h"

#define G 9.81

// With the settings of `event`, whatever the scene says
static play by_events(play p)
{
  p.def = ss_step_def_default();
  p.def.integrator = SS_EVENT_DRIVEN;
  p.def.dt = 0.1;
  p.def.account = true;
  return p;
}

static play arcs(const char* name) { return by_events(start(name)); }
static play arcs_of(const char* text) { return by_events(start_text(text)); }

static void follow(play* p, double until)
{
  p->def.event.end = until;
  while (p->s->t < until*(1 - 1e-14)) step(p, NULL);
}

// The time of the next event of this kind (any: -1) at any contact
static double next(play* p, int kind, double until)
{
  const ss_event* e;
  while (p->s->t < until)
    for (int n = step(p, &e); n > 0; n--, e++)
      if (kind < 0 || (int)e->kind == kind) return e->t;
  return INFINITY;
}

static void agrees(const char* what, double value, double expected, double tol)
{
  if (!(fabs(value - expected) <= tol))
    fail_msg("%s = %.15g, expected %.15g within %.3g, off by %.3g", what, value, expected, tol, value - expected);
}

static void check_ledger(const play* p, double tol)
{
  const ss_energy_ledger* e = ss_ledger_energy(p->ledger);
  agrees("defect of energy", e->defect, 0, tol*(fabs(e->kinetic) + fabs(e->potential) + 1e-3));
  assert_true(ss_ledger_get_counts(p->ledger)->max_residual <= 1e-8);
}

// ---- sliding and rolling ----

// The slip v - r w x n of a sphere keeps its direction; its speed falls by 7/2 mu g, whatever v and w
static void test_slide_then_roll(void** state)
{
  (void)state;
  static const double u[][6] = {{2, 0, 0, 0, 0, 0}, {2, 0.5, 0, 3, -1, 0}, {-0.3, 0, 0, 1, 1, 2}, {1, 1, 0, 0, 0, 0},
                                {0, 0, 0, 4, 0, 30}, {1e-3, 2e-3, 0, 0, 0, 0}};
  for (size_t k = 0; k < sizeof u/sizeof *u; k++) {
    play p = arcs("sphere-plane");
    memcpy(p.s->u, u[k], sizeof u[k]);
    p.def.event.rtol = 1e-12;
    double x = u[k][0] - u[k][4], y = u[k][1] + u[k][3], slip = hypot(x, y), t = 2*slip/(7*0.2*G);
    agrees("rolls from", next(&p, SS_EVENT_STICK, 2), t, 1e-9*t + 1e-12);
    agrees("vx", p.s->u[0], u[k][0] - 2.0/7*x, 1e-9*slip);
    agrees("vy", p.s->u[1], u[k][1] - 2.0/7*y, 1e-9*slip);
    agrees("x", p.s->q[0], t*(u[k][0] - 1.0/7*x), 1e-9*slip);
    agrees("y", p.s->q[1], t*(u[k][1] - 1.0/7*y), 1e-9*slip);
    double end = p.s->t + 1, px = p.s->q[0], vx = p.s->u[0];
    assert_true(isinf(next(&p, -1, end)));
    agrees("rolls on", p.s->q[0] - px, vx*(p.s->t - t), 1e-9);
    check_ledger(&p, 1e-10);
    stop(&p);
  }
}

// A cube that slides on four corners stops at v/(mu g), after v^2/(2 mu g); all at once
static void test_cube(void** state)
{
  (void)state;
  play p = arcs("cube-shove");
  double mu = p.scene->geom[0].friction[0];
  const ss_event* e;
  int n = 0;
  while ((n = step(&p, &e)) == 0) {}
  agrees("stops", e->t, 6/(mu*G), 1e-8);
  assert_int_equal(n, 4);
  for (int i = 0; i < 4; i++) assert_int_equal(e[i].kind, SS_EVENT_STICK);
  agrees("way", p.s->q[0], 36/(2*mu*G), 1e-8);
  follow(&p, 3);
  agrees("stays", p.s->q[0], 36/(2*mu*G), 1e-8);
  check_ledger(&p, 1e-9);
  stop(&p);
}

#define SLOPE(mu) \
  "<mujoco><worldbody><geom type='plane' size='0 0 1' euler='0 20 0' friction='" mu "'/>" \
  "<body pos='0.0342020143325669 0 0.0939692620785909' euler='0 20 0'><freejoint/>" \
  "<geom type='box' size='0.2 0.15 0.1' mass='1' friction='" mu "'/></body></worldbody></mujoco>"

// A block on a slope of 20 degrees
static void test_slope(void** state)
{
  (void)state;
  double sine = sin(M_PI/9), cosine = cos(M_PI/9);
  play p = arcs_of(SLOPE("0.3"));
  follow(&p, 1);
  double way = (sine - 0.3*cosine)*G/2, x = p.s->q[0] - 0.0342020143325669, z = p.s->q[2] - 0.0939692620785909;
  agrees("slides", hypot(x, z), way, 1e-9);
  agrees("turns", p.s->q[4], 0, 1e-9);
  stop(&p);
  p = arcs_of(SLOPE("0.37"));
  follow(&p, 5);
  agrees("stays", p.s->q[0], 0.0342020143325669, 1e-12);
  stop(&p);
}

// ---- impacts ----

#define BALL(e) \
  "<mujoco><worldbody><geom name='floor' type='plane' size='0 0 1' restitution='" e "' condim='1'/>" \
  "<body pos='0.3 0.2 1.1'><freejoint/><geom size='0.1' restitution='" e "' condim='1'/></body></worldbody></mujoco>"

static void test_bounces(void** state)
{
  (void)state;
  for (int law = 0; law < 2; law++) {
    play p = arcs_of(BALL("0.8"));
    p.def.impact = law ? SS_IMPACT_POISSON : SS_IMPACT_NEWTON;
    double t = sqrt(2/G), v = G*t;
    for (int n = 0; n < 30; n++) {
      agrees("impact", next(&p, SS_EVENT_IMPACT, 10), t, 1e-10);
      v *= 0.8;
      t += 2*v/G;
    }
    agrees("rests", next(&p, SS_EVENT_ACCUMULATION, 10), sqrt(2/G)*(1 + 2*0.8/0.2), 5e-7);  // round-off of the gap
    follow(&p, 5);
    agrees("height", p.s->q[2], 0.1, 1e-12);
    check_ledger(&p, 1e-10);
    stop(&p);
  }
}

static void test_no_loss(void** state)
{
  (void)state;
  play p = arcs_of(BALL("1"));
  double t = sqrt(2/G);
  for (int n = 0; n < 100; n++) agrees("impact", next(&p, SS_EVENT_IMPACT, 100), (2*n + 1)*t, 1e-9);
  const ss_energy_ledger* e = ss_ledger_energy(p.ledger);
  double energy = 4.0/3*M_PI*G*1.1;
  agrees("energy", (e->kinetic + e->potential)/energy, 1, 1e-11);
  stop(&p);
}

// Corners in a plane through the origin, where the gap has no size but that of the body: a cube falls flat, on four
// corners at once, and rests
static void test_cube_falls(void** state)
{
  (void)state;
  play p = arcs_of("<mujoco><worldbody><geom type='plane' size='0 0 1' restitution='0.5'/><body pos='0 0 1.1'>"
                      "<freejoint/><geom type='box' size='.1 .1 .1' restitution='0.5'/></body></worldbody></mujoco>");
  agrees("impact", next(&p, SS_EVENT_IMPACT, 10), sqrt(2/G), 1e-10);
  agrees("rests", next(&p, SS_EVENT_ACCUMULATION, 10), 3*sqrt(2/G), 5e-7);
  follow(&p, 3);
  agrees("height", p.s->q[2], 0.1, 1e-12);
  stop(&p);
}

// A box is lifted by a mass on a spring: where the spring pulls with its weight, k x = m g
static void test_lifts_off(void** state)
{
  (void)state;
  play p = arcs_of("<mujoco><worldbody><geom type='plane' size='0 0 1' friction='0'/><body pos='0 0 .05'>"
                      "<freejoint/><geom type='box' size='.1 .1 .05' mass='1' friction='0'/><body pos='0 0 .2'>"
                      "<joint type='slide' axis='0 0 1' stiffness='400'/><geom size='.03' mass='1' contype='0' "
                      "conaffinity='0'/></body></body></worldbody></mujoco>");
  p.s->u[0] = 1;
  p.s->u[6] = -3;
  double c = G/400, R = hypot(c, 0.15), wt = 2*M_PI - acos(2*c/R) - atan2(0.15, c);
  agrees("lifts off", next(&p, SS_EVENT_DETACH, 1), wt/20, 1e-9);
  stop(&p);
}

// Balls that fly past or against a capsule and a sphere, without gravity: all hits and nothing else, at the right time.
// Steps of free flight are as long as they can be, so that most bodies meet within one step.
static void test_nothing_is_missed(void** state)
{
  (void)state;
  static const char text[] =
    "<mujoco><option gravity='0 0 0'/><default><geom condim='1' restitution='1'/></default><worldbody>"
    "<geom name='bar' type='capsule' fromto='0 0 -0.5 0 0 0.5' size='0.01'/>"
    "<geom name='stone' pos='0 0 2' size='0.02'/>"
    "<body><freejoint/><geom name='bullet' size='0.01'/></body></worldbody></mujoco>";
  srand(7);
  int hits = 0;
  for (int k = 0; k < 300; k++) {
    play p = arcs_of(text);
    double a = 6.28*rand()/RAND_MAX, b = 0.03*(2.0*rand()/RAND_MAX - 1), z = 2.5*rand()/RAND_MAX, speed = 1 + k;
    double x[3] = {-5*cos(a) - b*sin(a), -5*sin(a) + b*cos(a), z};
    memcpy(p.s->q, x, sizeof x);
    p.s->u[0] = speed*cos(a);
    p.s->u[1] = speed*sin(a);
    double over = fmax(z - 0.5, 0), r2 = 0.02*0.02 - over*over, r3 = 0.03*0.03 - (z - 2)*(z - 2);
    double t = INFINITY;
    if (r2 > b*b) t = fmin(t, (5 - sqrt(r2 - b*b))/speed);
    if (r3 > b*b) t = fmin(t, (5 - sqrt(r3 - b*b))/speed);
    p.def.dt = 10/speed;
    double found = next(&p, SS_EVENT_IMPACT, 10/speed);
    if (isinf(t)) assert_true(isinf(found));
    else agrees("hit", found, t, 1e-11);
    hits += !isinf(t);
    stop(&p);
  }
  assert_true(hits > 30);
}

// The first touch of the floor, to the digits that rtol gives
static void test_pendulum12(void** state)
{
  (void)state;
  double t[3];
  for (int k = 0; k < 3; k++) {
    play p = arcs("pendulum12");
    p.def.event.rtol = k == 0 ? 1e-8 : k == 1 ? 1e-10 : 1e-12;
    t[k] = next(&p, SS_EVENT_IMPACT, 1);
    follow(&p, 1);
    check_ledger(&p, 1e-7);
    stop(&p);
  }
  agrees("first touch", t[2], 0.2141, 5e-5);
  agrees("rtol 1e-10", t[1], t[2], 1e-8);
  agrees("rtol 1e-8", t[0], t[2], 1e-7);
}

// ---- friction in two directions, against another way to integrate it ----

// A block that springs pull in x and y, kx and ky, over a floor: m x'' = -k x - mu m g v/|v|; at rest it sticks as long
// as the springs pull with less than mu m g. y is (x, y, vx, vy).
typedef struct springs { double kx, ky, m, friction; } springs;

static void slide_rate(const springs* c, const double y[4], double dy[4])
{
  double v = hypot(y[2], y[3]);
  dy[0] = y[2];
  dy[1] = y[3];
  dy[2] = (-c->kx*y[0] - c->friction*y[2]/v)/c->m;
  dy[3] = (-c->ky*y[1] - c->friction*y[3]/v)/c->m;
}

static void slide_step(const springs* c, double h, double y[4])
{
  double k[4][4], z[4];
  static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
  for (int s = 0; s < 4; s++) {
    for (int i = 0; i < 4; i++) z[i] = y[i] + (s ? h*at[s]*k[s - 1][i] : 0);
    slide_rate(c, z, k[s]);
  }
  for (int s = 0; s < 4; s++)
    for (int i = 0; i < 4; i++) y[i] += h*weight[s]*k[s][i]/6;
}

// Until the block rests, in steps that shrink with its speed: rest is where a straight line sees it
static double slide_until_rest(const springs* c, double y[4])
{
  double t = 0;
  for (;;) {
    double v = hypot(y[2], y[3]), dy[4];
    slide_rate(c, y, dy);
    double brake = -(dy[2]*y[2] + dy[3]*y[3])/v;
    if (v < 1e-11) return brake > 0 ? t + v/brake : t;
    double h = fmin(2e-4, 0.02*v/hypot(dy[2], dy[3]));
    slide_step(c, h, y);
    t += h;
  }
}

#define BLOCK \
  "<mujoco><option/><stickslip key='k'/><default><joint type='slide'/></default><worldbody>" \
  "<geom type='plane' size='0 0 1' friction='0.2'/>" \
  "<body pos='0 0 0.1'><joint axis='1 0 0' stiffness='40'/><joint axis='0 1 0' stiffness='90'/><joint axis='0 0 1'/>" \
  "<geom size='0.1' mass='2' friction='0.2'/></body></worldbody>" \
  "<keyframe><key name='k' qpos='0.3 0.1 0' qvel='0.5 2 0'/></keyframe></mujoco>"

static void test_two_directions(void** state)
{
  (void)state;
  springs c = {40, 90, 2, 0.2*2*G};
  play p = arcs_of(BLOCK);
  double y[4] = {0.3, 0.1, 0.5, 2};
  double t = slide_until_rest(&c, y);
  agrees("rest", next(&p, SS_EVENT_STICK, 20), t, 1e-7);
  agrees("x", p.s->q[0], y[0], 1e-8);
  agrees("y", p.s->q[1], y[1], 1e-8);
  assert_true(hypot(40*y[0], 90*y[1]) < c.friction);
  check_ledger(&p, 1e-9);
  stop(&p);

  p = arcs_of(BLOCK);  // from rest, where the springs are too strong: along their pull
  double z[4] = {0.4, -0.2, 0, 0}, pull = hypot(16, 18), h = 1e-6;
  memset(p.s->u, 0, 3*sizeof(double));
  p.s->q[0] = z[0];
  p.s->q[1] = z[1];
  z[2] = -16/pull*(pull - c.friction)/2*h;
  z[3] = 18/pull*(pull - c.friction)/2*h;
  t = slide_until_rest(&c, z);
  agrees("rest", next(&p, SS_EVENT_STICK, 20), t, 3e-6);
  agrees("x", p.s->q[0], z[0], 1e-6);
  agrees("y", p.s->q[1], z[1], 1e-6);
  stop(&p);
}

// A sphere under which a spring winds up until it slips: a second mass pulls it by a drive between two slides, in a
// direction oblique to the tangents of the contact. Sticks until the pull reaches mu m g: x = mu m g/k.
static void test_breaks_loose(void** state)
{
  (void)state;
  static const char text[] =
    "<mujoco><option/><stickslip key='k'/><worldbody><geom type='plane' size='0 0 1' friction='0.2'/>"
    "<body name='puller' pos='0 0 1'><joint name='hand' type='slide' axis='3 4 0'/><geom size='0.1' mass='1' "
    "contype='0' conaffinity='0'/></body>"
    "<body pos='0 0 0.1'><joint name='x' type='slide' axis='1 0 0'/><joint name='y' type='slide' axis='0 1 0'/>"
    "<joint type='slide' axis='0 0 1'/><geom size='0.1' mass='2' friction='0.2'/></body></worldbody>"
    "<tendon><fixed name='rope'><joint joint='hand' coef='1'/><joint joint='x' coef='-0.6'/>"
    "<joint joint='y' coef='-0.8'/></fixed></tendon>"
    "<actuator><general tendon='rope' biastype='affine' biasprm='0 -50 0' gainprm='0'/></actuator>"
    "<keyframe><key name='k' qvel='1 0 0 0'/></keyframe></mujoco>";
  play p = arcs_of(text);
  double limit = 0.2*2*G, omega = sqrt(50.0), t = asin(limit/50*omega)/omega;  // x = sin(omega t)/omega
  agrees("slips", next(&p, SS_EVENT_SLIP, 5), t, 1e-9);
  next(&p, SS_EVENT_STICK, 5);
  agrees("along the pull", p.s->q[1]*4, p.s->q[2]*3, 1e-9);
  assert_true(p.s->q[1] > 0.001);
  check_ledger(&p, 1e-9);
  stop(&p);
}

// A block on springs that carries an unbalanced rotor: a force that turns. It sticks and slips in all directions. The
// same by hand: x, y and the angle phi of the rotor, with
//   (m + e) x'' - e r (sin phi phi'' + cos phi phi'^2) = X,   (m + e) y'' + e r (cos phi phi'' - sin phi phi'^2) = Y,
//   e r^2 phi'' + e r (-sin phi x'' + cos phi y'') = 0,       X, Y: springs and friction
typedef struct rotor { double m, e, r, kx, ky, limit; } rotor;

// Accelerations (3) of y = (x, y, phi, x', y', phi') with friction against d
static void rotor_rate(const rotor* c, const double y[6], const double d[2], double a[3])
{
  double s = sin(y[2]), k = cos(y[2]), f = c->e*c->r*y[5]*y[5], er = c->e*c->r, all = c->m + c->e;
  double X = -c->kx*y[0] - c->limit*d[0] + f*k, Y = -c->ky*y[1] - c->limit*d[1] + f*s;
  // phi'' = (s x'' - k y'')/r put into the first two: a 2 x 2 system
  double A = all - c->e*s*s, B = c->e*s*k, D = all - c->e*k*k, det = A*D - B*B;
  a[0] = (X*D - Y*B)/det;
  a[1] = (A*Y - B*X)/det;
  a[2] = er*(s*a[0] - k*a[1])/(c->e*c->r*c->r);
}

static void rotor_slide(const rotor* c, const double y[6], double dy[6])
{
  double v = hypot(y[3], y[4]), d[2] = {y[3]/v, y[4]/v};
  memcpy(dy, y + 3, 3*sizeof *dy);
  rotor_rate(c, y, d, dy + 3);
}

// Slides until it rests; the time
static double rotor_until_rest(const rotor* c, double y[6])
{
  double t = 0, top = 0;
  static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
  for (;;) {
    double k[4][6], z[6], v = hypot(y[3], y[4]);
    rotor_slide(c, y, k[0]);
    double brake = -(k[0][3]*y[3] + k[0][4]*y[4])/v, a = hypot(k[0][3], k[0][4]);
    top = fmax(top, v);
    if (v < 1e-10*top) return t + (brake > 0 ? v/brake : 0);
    double h = fmin(fmin(1e-4, 0.02*t + 1e-7), 0.02*v/a);
    for (int s = 1; s < 4; s++) {
      for (int i = 0; i < 6; i++) z[i] = y[i] + h*at[s]*k[s - 1][i];
      rotor_slide(c, z, k[s]);
    }
    for (int s = 0; s < 4; s++)
      for (int i = 0; i < 6; i++) y[i] += h*weight[s]*k[s][i]/6;
    t += h;
  }
}

// Force that must be held at rest, at an angle phi of the rotor
static double rotor_pull(const rotor* c, const double y[6], double phi, double F[2])
{
  double f = c->e*c->r*y[5]*y[5];
  F[0] = f*cos(phi) - c->kx*y[0];
  F[1] = f*sin(phi) - c->ky*y[1];
  return hypot(F[0], F[1]);
}

// Sticks until the pull reaches the limit; the time, INFINITY if it never does. Starts to slide along the pull.
static double rotor_until_slip(const rotor* c, double y[6])
{
  double F[2], low = 0, step = 1e-3/y[5], high = 0;
  while (rotor_pull(c, y, y[2] + y[5]*high, F) <= c->limit) {
    low = high;
    high += step;
    if (high*y[5] > 7) return INFINITY;
  }
  for (int i = 0; i < 60; i++) {
    double mid = (low + high)/2;
    if (rotor_pull(c, y, y[2] + y[5]*mid, F) <= c->limit) low = mid;
    else high = mid;
  }
  rotor_pull(c, y, y[2] += y[5]*high, F);
  y[3] = 1e-13*F[0]/c->limit;
  y[4] = 1e-13*F[1]/c->limit;
  return high;
}

static void test_turning_force(void** state)
{
  (void)state;
  static const char text[] =
    "<mujoco><option/><stickslip key='k'/><worldbody><geom type='plane' size='0 0 1' friction='0.25'/>"
    "<body pos='0 0 0.1'><joint type='slide' axis='1 0 0' stiffness='300'/><joint type='slide' axis='0 1 0' "
    "stiffness='120'/><joint type='slide' axis='0 0 1'/><geom size='0.1' mass='2' friction='0.25'/>"
    "<body pos='0 0 0.3'><joint axis='0 0 1'/><inertial pos='0.2 0 0' mass='0.4' diaginertia='1e-12 1e-12 1e-12'/>"
    "</body></body></worldbody><keyframe><key name='k' qpos='0.02 -0.01 0 0' qvel='0 0 0 9'/></keyframe></mujoco>";
  rotor c = {2, 0.4, 0.2, 300, 120, 0.25*2.4*G};
  play p = arcs_of(text);
  double y[6] = {0.02, -0.01, 0, 0, 0, 9}, t = 0;
  for (int n = 0; n < 2; n++) {
    t += rotor_until_slip(&c, y);
    agrees("slips", next(&p, SS_EVENT_SLIP, 20), t, 1e-6);
    double rest = rotor_until_rest(&c, y);
    t += rest;
    y[3] = y[4] = 0;
    agrees("rests", next(&p, SS_EVENT_STICK, 20), t, 2e-6);
    agrees("x", p.s->q[0], y[0], 1e-6);
    agrees("y", p.s->q[1], y[1], 1e-6);
  }
  assert_true(isinf(rotor_until_slip(&c, y)));  // it has lost so much speed that it is held
  assert_true(isinf(next(&p, -1, t + 2)));
  check_ledger(&p, 1e-9);
  stop(&p);
}

// ---- joints and loops ----

static void test_limit(void** state)
{
  (void)state;
  play p = arcs_of("<mujoco><worldbody><body><joint type='slide' axis='0 0 1' limited='true' range='-0.5 1'/>"
                      "<geom size='0.1' mass='2'/></body></worldbody></mujoco>");
  agrees("limit", next(&p, SS_EVENT_IMPACT, 2), sqrt(1/G), 1e-11);
  follow(&p, 1);
  agrees("rests", p.s->q[0], -0.5, 1e-12);
  const ss_step_info* info = ss_work_info(p.w);
  assert_int_equal(info->contact[0].state, SS_CLOSED);
  check_ledger(&p, 1e-10);
  stop(&p);
}

static void test_dry_friction(void** state)
{
  (void)state;
  play p = arcs_of("<mujoco><option gravity='0 0 0'/><stickslip key='k'/><worldbody><body><joint type='slide' "
                      "axis='1 0 0' frictionloss='3'/><geom size='0.1' mass='2'/></body></worldbody>"
                      "<keyframe><key name='k' qvel='1.2'/></keyframe></mujoco>");
  agrees("stops", next(&p, SS_EVENT_STICK, 2), 1.2/1.5, 1e-11);
  agrees("way", p.s->q[0], 1.44/3, 1e-11);
  check_ledger(&p, 1e-10);
  stop(&p);
}

static void test_loops(void** state)
{
  (void)state;
  static const char* const name[] = {"slider-crank", "four-bar"};
  for (int k = 0; k < 2; k++) {
    play p = arcs(name[k]);
    double energy = -1;
    while (p.s->t < 5) {
      step(&p, NULL);
      const ss_step_info* info = ss_work_info(p.w);
      if (energy < 0) energy = info->before.kinetic + info->before.potential;
      assert_true(info->constraint_error < 1e-13);
    }
    const ss_energy_ledger* e = ss_ledger_energy(p.ledger);
    agrees("energy", e->kinetic + e->potential, energy, 1e-9*energy);
    stop(&p);
  }
}

// A loop that cannot be closed is no success
static void test_open_loop(void** state)
{
  (void)state;
  play p = arcs_of("<mujoco><worldbody><site name='s0' pos='5 0 1'/><body pos='0 0 1'><joint axis='0 1 0'/>"
                      "<geom pos='1 0 0' size='.1'/><site name='s1' pos='1 0 0'/></body></worldbody><equality>"
                      "<connect site1='s0' site2='s1'/></equality></mujoco>");
  assert_int_equal(ss_step(p.system, &p.def, p.s, p.w), SS_INACCURATE);
  agrees("open", ss_work_info(p.w)->constraint_error, 4, 1e-9);
  stop(&p);
}

// ---- order, and the past ----

// Quaternions keep the order 8: steps of a top that are half as long are 2^8 times as exact
static void test_order(void** state)
{
  (void)state;
  double q[4][4];
  for (int k = 0; k < 4; k++) {
    play p = arcs("spinning-top");
    p.def.event.rtol = k == 3 ? 1e-13 : 0.9;
    p.def.event.max_step = k == 3 ? 0 : 0.02/(1 << k);
    p.def.account = false;
    follow(&p, 0.4);
    memcpy(q[k], p.s->q, sizeof q[k]);
    stop(&p);
  }
  double error[3] = {0, 0, 0};
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 4; i++) error[k] = fmax(error[k], fabs(q[k][i] - q[3][i]));
  for (int k = 0; k < 2; k++)
    if (!(error[k]/error[k + 1] > 150)) fail_msg("errors %g, %g", error[k], error[k + 1]);
}

// Time-stepping comes to the same motion, with an error of first order
static void against_moreau(const char* name, double until, double tol)
{
  play p = arcs(name);
  follow(&p, until);
  double error[3] = {0, 0, 0};
  for (int k = 0; k < 3; k++) {
    play m = arcs(name);
    m.def.integrator = SS_MOREAU;
    m.def.dt = until/(1000 << 2*k);
    for (int i = 0; i < 1000 << 2*k; i++) step(&m, NULL);
    for (int i = 0; i < p.s->nq; i++) error[k] = fmax(error[k], fabs(m.s->q[i] - p.s->q[i]));
    stop(&m);
  }
  if (!(error[2] < tol) || !(error[1] < error[0]) || !(error[2] < error[1]))
    fail_msg("%s: moreau is off by %g, %g, %g", name, error[0], error[1], error[2]);
  stop(&p);
}

static void test_against_moreau(void** state)
{
  (void)state;
  against_moreau("sphere-plane", 0.5, 1e-4);
  against_moreau("newton-cradle", 0.9, 2e-4);
  against_moreau("two-balls", 0.3, 1e-4);
  against_moreau("billiards", 0.2, 5e-4);
}

// A state goes on in another workspace, from q and u alone; and steps of the output change nothing
static void test_goes_on(void** state)
{
  (void)state;
  play p = arcs("two-balls"), r = arcs("two-balls"), f = arcs("two-balls");
  ss_error error = {0};
  f.def.dt = 1e-3;
  follow(&f, 0.4);
  follow(&p, 0.4);
  follow(&r, 0.25);
  ss_work* other = ss_work_create(r.system, &error);
  assert_non_null(other);
  ss_work_destroy(r.w);
  r.w = other;
  follow(&r, 0.4);
  for (int i = 0; i < p.s->nq; i++) {
    agrees("output", f.s->q[i], p.s->q[i], 1e-9);
    agrees("goes on", r.s->q[i], p.s->q[i], 1e-9);
  }
  stop(&p);
  stop(&r);
  stop(&f);
}

// Balls that swing side by side touch without a force: round-off of it ends no arcs
static void test_side_by_side(void** state)
{
  (void)state;
  play p = arcs("newton-cradle");
  p.def.dt = 1e-4;
  for (int i = 0; i < 4000; i++) step(&p, NULL);
  for (int i = 2; i < 5; i++) agrees("swings with the second", p.s->q[i], p.s->q[1], 1e-12);
  assert_true(p.s->q[1] > 0.02);
  stop(&p);
}

static void test_refused(void** state)
{
  (void)state;
  play p = arcs("stack10");
  assert_int_equal(ss_step(p.system, &p.def, p.s, p.w), SS_ERR_ARGUMENT);
  assert_non_null(strstr(ss_work_message(p.w), "'cube0' (box) and 'cube1' (box)"));
  stop(&p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_slide_then_roll),
    cmocka_unit_test(test_cube),
    cmocka_unit_test(test_slope),
    cmocka_unit_test(test_bounces),
    cmocka_unit_test(test_no_loss),
    cmocka_unit_test(test_nothing_is_missed),
    cmocka_unit_test(test_pendulum12),
    cmocka_unit_test(test_two_directions),
    cmocka_unit_test(test_breaks_loose),
    cmocka_unit_test(test_turning_force),
    cmocka_unit_test(test_limit),
    cmocka_unit_test(test_dry_friction),
    cmocka_unit_test(test_loops),
    cmocka_unit_test(test_order),
    cmocka_unit_test(test_against_moreau),
    cmocka_unit_test(test_goes_on),
    cmocka_unit_test(test_side_by_side), cmocka_unit_test(test_cube_falls),
    cmocka_unit_test(test_lifts_off), cmocka_unit_test(test_open_loop), cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
