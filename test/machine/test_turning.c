// Trees that turn, by the time-stepping rules: forces quadratic in the velocities neither give nor take energy, however
// fast a tree is; second order by moreau and rattle.
#include "machine/play.h"

static const ss_integrator scheme[] = {SS_MOREAU, SS_EULER, SS_JEAN, SS_RATTLE};
enum { SCHEMES = sizeof scheme/sizeof *scheme };

static double energy(const play* p)
{
  ss_energy e = ss_work_info(p->w)->after;
  return e.kinetic + e.potential;
}

static uint64_t seed;

// Uniform in -1 .. 1
static double uniform(void)
{
  seed = seed*6364136223846793005ull + 1442695040888963407ull;
  return (double)(int64_t)(seed >> 11)/(double)(1ull << 52) - 1;
}

// ---- Lagrange's top ----

#define TOP                                                                                                            \
  "<mujoco><option gravity='0 0 -9.81' timestep='0.001'/><worldbody><body><joint name='j' type='ball'/>"               \
  "<inertial pos='0 0 .2' mass='1' diaginertia='.01 .01 .005'/></body></worldbody></mujoco>"

static play start_top(double spin)
{
  play p = start_text(TOP);
  p.s->q[0] = 0.96891242171064496;
  p.s->q[1] = 0.24740395925452296;
  p.s->u[2] = spin;
  return p;
}

// At dt = 1e-3 s and 80 rad/s T + V stays, and the spin about the axis of symmetry, too
static void test_top(void** state)
{
  (void)state;
  const double allowed[] = {1e-4, 1e-3, 1e-4, 1e-4};  // of V, which euler has with an error of order 1
  for (int k = 0; k < SCHEMES; k++) {
    play p = start_top(80);
    p.def.integrator = scheme[k];
    step(&p, NULL);
    double before = energy(&p);
    go(&p, 5.0/LESS);
    near(energy(&p), before, allowed[k]*before);
    near(p.s->u[2], 80, 0.1);  // scaled with the rest of u: as T by the error of V, and 5 s of it
    stop(&p);
  }
}

// Cosine of the top's tilt, 1 - 2 (x^2 + y^2)
static double upright(const play* p) { return 1 - 2*(p->s->q[1]*p->s->q[1] + p->s->q[2]*p->s->q[2]); }

// Lagrange's equation for c = cos(tilt) by the energy and both momenta that stay: with A = 0.05, C = 0.005 about the
// pivot,
//   c'^2 = (2 (E - m g l c)/A - C/A w_z^2) (1 - c^2) - (C w_z/A)^2 (c_0 - c)^2,
// differentiated: c'' is a polynomial in c, integrated by the classical Runge-Kutta method
static double exact_upright(double spin, double until)
{
  const double A = 0.05, C = 0.005, mgl = 9.81*0.2;
  double c0 = 1 - 2*0.24740395925452296*0.24740395925452296, c = c0, v = 0, b = C*spin/A, e = 2*mgl/A,
         h = until/20000;
#define ACCELERATION(x) (-e*(1 - (x)*(x))/2 - e*(c0 - (x))*(x) + b*b*(c0 - (x)))
  for (int i = 0; i < 20000; i++) {
    double a1 = ACCELERATION(c), v2 = v + h/2*a1, a2 = ACCELERATION(c + h/2*v), v3 = v + h/2*a2;
    double a3 = ACCELERATION(c + h/2*v2), v4 = v + h*a3, a4 = ACCELERATION(c + h*v3);
    c += h/6*(v + 2*v2 + 2*v3 + v4);
    v += h/6*(a1 + 2*a2 + 2*a3 + a4);
  }
#undef ACCELERATION
  return c;
}

// The nutation of that equation; halving the step makes the error four times less
static void nutate(ss_integrator integrator)
{
  double last = 0, exact = exact_upright(80, 0.5);
  for (double dt = 1e-3; dt > 1.2e-4; dt /= 2) {
    play p = start_top(80);
    p.def.integrator = integrator;
    p.def.dt = dt;
    go(&p, 0.5);
    double error = fabs(upright(&p) - exact);
    if (!(error < 2e4*dt*dt)) fail_msg("dt = %g: the nutation is off by %g", dt, error);
    if (last > 0 && !(last/error > 3.5 && last/error < 4.5)) fail_msg("dt = %g: %g times less", dt, last/error);
    last = error;
    stop(&p);
  }
}

static void test_nutation(void** state)
{
  (void)state;
  nutate(SS_MOREAU);
  nutate(SS_RATTLE);
}

// ---- the double pendulum ----

#define LINK "<geom type='capsule' fromto='0 0 0 0 0 -1' size='.02' mass='1'/>"
#define PENDULUM \
  "<mujoco><compiler angle='radian'/><option timestep='0.001'/><worldbody>" \
  "<body name='a'><joint name='a' axis='0 1 0'/>" LINK \
  "<body name='b' pos='0 0 -1'><joint name='b' axis='0 1 0'/>" LINK \
  "</body></body></worldbody><contact><exclude body1='a' body2='b'/></contact></mujoco>"

// 100 s at 1e-3 s, with some 30 J between the lowest and the highest place
static void test_pendulum(void** state)
{
  (void)state;
  // of V: order 2 with (w dt)^2 = 2e-5, w up to 5 rad/s; order 1 of euler
  const double allowed[] = {2e-4, 1e-2, 2e-4, 2e-4};
  for (int k = 0; k < SCHEMES; k++) {
    play p = start_text(PENDULUM);
    p.def.integrator = scheme[k];
    p.s->q[0] = 2;
    p.s->q[1] = 1;
    step(&p, NULL);
    double before = energy(&p), most = 0;
    while (p.s->t < 100/LESS) {
      step(&p, NULL);
      most = fmax(most, fabs(energy(&p) - before));
    }
    if (!(most < 30*allowed[k])) fail_msg("%s: %g J of 30", ss_integrator_name(scheme[k]), most);
    stop(&p);
  }
}

static double pendulum_end(double dt, ss_integrator integrator)
{
  play p = start_text(PENDULUM);
  p.def.integrator = integrator;
  p.def.dt = dt;
  p.s->q[0] = 2;
  p.s->q[1] = 1;
  go(&p, 1);
  double q = p.s->q[0] + 2*p.s->q[1];
  stop(&p);
  return q;
}

static void test_order(void** state)
{
  (void)state;
  double exact = pendulum_end(1e-2, SS_EVENT_DRIVEN);
  for (int k = 0; k < SCHEMES; k += SCHEMES - 1) {  // moreau, rattle
    double last = 0;
    for (double dt = 2e-3; dt > 2e-4; dt /= 2) {
      double error = fabs(pendulum_end(dt, scheme[k]) - exact);
      if (last > 0 && !(last/error > 3.6)) fail_msg("dt = %g: %g, before %g", dt, error, last);
      last = error;
    }
  }
}

// ---- random trees ----

static int print_body(char* text, size_t size, int depth, const char* joint)
{
  double a = 1.2 + uniform(), b = 1.2 + uniform(),
         c = 0.2 + fabs(a - b) + 0.5*(a + b - fabs(a - b))*fabs(uniform());
  return snprintf(text, size,
                  "<body name='b%d' pos='%g %g %g'>%s<inertial pos='%g %g %g' mass='%g' diaginertia='%g %g %g'/>",
                  depth, 0.3*uniform(), 0.3*uniform(), 0.3*uniform(), joint, 0.2*uniform(), 0.2*uniform(),
                  0.2*uniform(), pow(10, uniform()), 0.02*a, 0.02*b, 0.02*fmin(c, 0.95*(a + b)));
}

// Two to five bodies in a chain or a star, ball joints, hinges, a slide with a spring (which would take what is fast
// kilometres away), all spinning
static play start_tree(double speed, bool flies)
{
  static const char* const joint[] = {"<joint type='ball'/>", "<joint axis='1 2 3'/>", "<joint axis='0 1 0'/>",
                                      "<joint type='slide' axis='1 0 0' stiffness='100'/><joint axis='0 1 0'/>"};
  char text[4000];
  int n = 2 + (int)(2*(1 + uniform())), at = 0;
  bool chain = uniform() > 0;
#define ADD(...) at += snprintf(text + at, sizeof text - (size_t)at, __VA_ARGS__)
  ADD("<mujoco><option gravity='0 0 -9.81' timestep='0.001'/><worldbody>");
  for (int i = 0; i < n; i++) {
    const char* by = flies && i == 0
                       ? "<freejoint/>"
                       : joint[i == 0 ? (int)(1 + uniform()) : (int)((speed > 100 ? 1.5 : 2)*(1 + uniform()))];
    at += print_body(text + at, sizeof text - (size_t)at, i, by);
    if (!chain && i > 0) ADD("</body>");
  }
  for (int i = 0; i < (chain ? n : 1); i++) ADD("</body>");
  ADD("</worldbody></mujoco>");
#undef ADD
  play p = start_text(text);
  int first = flies ? 3 : 0;
  for (int i = first; i < p.scene->nv; i++) p.s->u[i] = speed*uniform();
  for (int i = 0; i < first; i++) p.s->u[i] = uniform();
  return p;
}

// From 1 to 1e4 rad/s, rattle to 1e3: at most a part of the largest T + |V| that was there is off
static void test_trees(void** state)
{
  (void)state;
  for (seed = 1; seed <= 60/LESS; seed++)
    for (int k = 0; k < SCHEMES; k++)
      for (double speed = 1; speed < (scheme[k] == SS_RATTLE ? 2e3 : 2e4); speed *= 10) {
        uint64_t member = seed;
        play p = start_tree(speed, member % 3 == 0);
        p.def.integrator = scheme[k];
        double defect = 0, size = 0;
        for (int i = 0; i < 100; i++) {
          ss_status st = ss_step(p.system, &p.def, p.s, p.w);  // steps of jean may be inaccurate, and say so
          if (st < 0) fail_msg("tree %d, %g rad/s: %s", (int)member, speed, ss_work_message(p.w));
          const ss_step_info* info = ss_work_info(p.w);
          defect += info->after.kinetic + info->after.potential - info->before.kinetic - info->before.potential;
          size = fmax(size, fmax(info->before.kinetic, fabs(info->before.potential)));
        }
        if (!(fabs(defect) < 0.02*size))
          fail_msg("tree %d, %s, %g rad/s: %g J of %g", (int)member, ss_integrator_name(scheme[k]), speed, defect,
                   size);
        stop(&p);
        seed = member;
      }
}

// Implicit steps up to the angle where they end keep T, too, whatever M does between the positions of a step: what is
// left is the error of V, of order 2
static void test_implicit(void** state)
{
  (void)state;
  for (uint64_t member = 1; member <= 40/LESS; member++) {
    seed = member;
    play p = start_tree(100, member % 3 == 0);
    p.def.integrator = SS_JEAN;
    p.def.dt = 2.5e-4;
    step(&p, NULL);
    double before = energy(&p), most = 0, T = 0;
    for (int i = 0; i < 1000; i++) {
      step(&p, NULL);
      most = fmax(most, fabs(energy(&p) - before));
      T = fmax(T, ss_work_info(p.w)->after.kinetic);
    }
    if (!(most < 1e-3*T)) fail_msg("tree %d: %g J of %g", (int)member, most, T);
    stop(&p);
  }
}

// A tree that flies keeps its momentum; seen from a train at 1000 m/s its parts move the same
static void test_flight(void** state)
{
  (void)state;
  for (int k = 0; k < SCHEMES; k += k == 1 ? 2 : 1)  // not jean
    for (uint64_t member = 1; member <= 10; member++) {
      double end[2][64], mass = 0;
      for (int moves = 0; moves < 2; moves++) {
        seed = member;
        play p = start_tree(100, true);
        ss_tree_work* work = ss_tree_work_create(ss_machine_tree(p.machine), NULL);
        double before[3], after[3], L[3];
        p.def.integrator = scheme[k];
        p.s->u[0] += moves*1000;
        mass = -weight(&p)/p.scene->tree.gravity[2];
        ss_tree_set_position(work, p.s->q);
        ss_tree_set_velocity(work, p.s->u);
        ss_tree_momentum(work, before, L);
        go(&p, 0.1);
        ss_tree_set_position(work, p.s->q);
        ss_tree_set_velocity(work, p.s->u);
        ss_tree_momentum(work, after, L);
        for (int i = 0; i < 3; i++)
          near(after[i], before[i] + (i == 2 ? -9.81*mass*0.1 : 0), 1e-9*mass*(moves ? 1000 : 100));
        for (int i = 3; i < p.s->nq && i < 64; i++) end[moves][i] = p.s->q[i];
        for (int i = 3; moves && i < p.s->nq && i < 64; i++) near(end[1][i], end[0][i], 1e-5);
        ss_tree_work_destroy(work);
        stop(&p);
      }
    }
}

// With dampers T + V falls by what they take
static void test_damped(void** state)
{
  (void)state;
  for (int k = 0; k < SCHEMES; k++) {
    play p =
      start_text("<mujoco><option gravity='0 0 -9.81' timestep='0.001'/><worldbody><body name='a'>"
                 "<joint type='ball' damping='.01'/><inertial pos='.1 0 .2' mass='1' diaginertia='.01 .02 .015'/>"
                 "<body name='b' pos='0 .2 .3'><joint axis='1 1 0' damping='.01'/>"
                 "<inertial pos='0 0 .2' mass='.5' diaginertia='.01 .01 .005'/></body></body></worldbody></mujoco>");
    p.def.integrator = scheme[k];
    for (int i = 0; i < 4; i++) p.s->u[i] = 40 - 20*i;
    double defect = 0, taken = 0;
    for (int i = 0; i < 500; i++) {
      step(&p, NULL);
      const ss_step_info* info = ss_work_info(p.w);
      taken -= info->work_forces;
      defect +=
        info->after.kinetic + info->after.potential - info->before.kinetic - info->before.potential - info->work_forces;
    }
    if (!(fabs(defect) < 0.01*taken)) fail_msg("%s: %g J, taken %g", ss_integrator_name(scheme[k]), defect, taken);
    stop(&p);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_top),      cmocka_unit_test(test_nutation),
                                     cmocka_unit_test(test_pendulum), cmocka_unit_test(test_order),
                                     cmocka_unit_test(test_trees),    cmocka_unit_test(test_implicit),
                                     cmocka_unit_test(test_flight),
                                     cmocka_unit_test(test_damped)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
