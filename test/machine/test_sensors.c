// Sensors against closed forms, and against what the tree and differences of positions say of the same quantities.
#include "machine/machine.h"
#include "machine/play.h"

#define G 9.81

static void assert_close(double a, double b, double tolerance, const char* what)
{
  if (!(fabs(a - b) <= tolerance)) fail_msg("%s is %.17g; it should be %.17g to %.3g", what, a, b, tolerance);
}

// A number of the sensors by its name; the state is that of the last step, or the start
static double sensed(play* p, const char* name)
{
  const ss_system_def* d = ss_system_get(p->system);
  const double* value = ss_sense(p->s, p->s->step ? ss_work_info(p->w) : NULL, p->w);
  for (int i = 0; i < d->n_sensor; i++)
    if (strcmp(d->sensor[i], name) == 0) return value[i];
  fail_msg("there is no sensor '%s'", name);
  return 0;
}

static void assert_vector(play* p, const char* name, double x, double y, double z, double tolerance)
{
  char text[80];
  const double right[] = {x, y, z};
  for (int k = 0; k < 3; k++) {
    snprintf(text, sizeof text, "%s.%c", name, "xyz"[k]);
    assert_close(sensed(p, text), right[k], tolerance, text);
  }
}

static const char* unit_of(const play* p, const char* name)
{
  const ss_system_def* d = ss_system_get(p->system);
  for (int i = 0; i < d->n_sensor; i++)
    if (strcmp(d->sensor[i], name) == 0) return d->sensor_unit[i];
  return "none";
}

// A block that slides with friction: a = -mu g, N = m g, constant, hence exact. Zones hold all, two or none of the
// corners; one that lies outside feels what passes through it along the normal.
static void test_sliding_block(void** state)
{
  (void)state;
  play p =
    start_text("<mujoco><option timestep='1e-3'/><default><geom friction='0.5'/></default><worldbody>"
               "<geom type='plane' size='0 0 1'/><body name='b' pos='0 0 0.1'><freejoint/>"
               "<geom type='box' size='0.2 0.1 0.1' mass='2'/><site name='imu' pos='0.05 0 0.02' euler='0 0 90'/>"
               "<site name='all' pos='0 0 -0.1' type='box' size='0.21 0.11 0.01'/>"
               "<site name='front' pos='0.2 0 -0.1' type='box' size='0.01 0.11 0.01'/>"
               "<site name='below' pos='0 0 -0.2' type='box' size='0.21 0.11 0.01'/>"
               "<site name='above' pos='0 0 0.1' type='box' size='0.21 0.11 0.01'/></body></worldbody>"
               "<sensor><accelerometer name='a' site='imu'/><framelinacc name='l' objtype='site' objname='imu'/>"
               "<frameangacc name='w' objtype='body' objname='b'/><velocimeter name='v' site='imu'/>"
               "<touch name='all' site='all'/><touch name='front' site='front'/><touch name='below' site='below'/>"
               "<touch name='above' site='above'/><touch name='cut' site='all' cutoff='3'/><clock name='t'/>"
               "<e_kinetic name='T'/><e_potential name='V'/><force name='hold' site='imu'/></sensor>"
               "<keyframe><key qpos='0 0 0.1 1 0 0 0' qvel='3 0 0 0 0 0'/></keyframe><stickslip key='#0'/></mujoco>");
  assert_vector(&p, "a", 0, 0, 0, 0);  // no step yet
  assert_close(sensed(&p, "all"), 0, 0, "touch at the start");
  go(&p, 0.2);
  double v = 3 - 0.5*G*p.s->t;
  assert_vector(&p, "a", 0, 0.5*G, G, 1e-8);
  assert_vector(&p, "l", -0.5*G, 0, G, 1e-8);
  assert_vector(&p, "w", 0, 0, 0, 1e-7);
  assert_vector(&p, "v", 0, -v, 0, 1e-10);
  assert_close(sensed(&p, "all"), 2*G, 1e-8, "all of the weight");
  assert_close(sensed(&p, "below"), 2*G, 1e-8, "what passes through the zone below");
  assert_close(sensed(&p, "above"), 0, 0, "the zone above");
  double front = sensed(&p, "front"),
         tilt = 0.5*2*G*0.1/0.4;  // mu m g h = difference of loads times half the length
  assert_close(front, G + tilt, 1e-7, "load of the front");
  assert_close(sensed(&p, "cut"), 3, 0, "touch with cutoff");
  assert_close(sensed(&p, "t"), p.s->t, 0, "clock");
  assert_close(sensed(&p, "T"), v*v, 1e-9, "kinetic energy");
  assert_close(sensed(&p, "V"), 2*G*0.1, 1e-9, "potential energy");
  assert_vector(&p, "hold", 0, 0, 0, 1e-8);  // nothing but floor and weight acts on a free body
  assert_string_equal(unit_of(&p, "a.x"), "m/s^2");
  assert_string_equal(unit_of(&p, "all"), "N");
  stop(&p);
}

// Nothing but gravity: a mass on a spring feels none
static void test_free_fall(void** state)
{
  (void)state;
  play p = start_text(
    "<mujoco><option timestep='1e-3'/><worldbody>"
    "<body><freejoint/><geom size='0.1'/><site name='s'/></body></worldbody>"
    "<sensor><accelerometer name='a' site='s'/><velocimeter name='v' site='s'/></sensor></mujoco>");
  go(&p, 0.3);
  assert_vector(&p, "a", 0, 0, 0, 1e-10);
  assert_vector(&p, "v", 0, 0, -0.3*G, 1e-10);
  stop(&p);
}

// Turning steadily: velocities have turned by w dt in a step, so that their mean rate is w^2 r sin(w dt/2)/(w dt/2)
// along the chord, half a step back from where the site is now
static void test_turning(void** state)
{
  (void)state;
  play p =
    start_text("<mujoco><compiler angle='radian'/><option timestep='0.01' gravity='0 0 0'/><worldbody><body name='arm'>"
               "<joint name='h' axis='0 0 1'/><geom size='0.1' pos='0.5 0 0' mass='3'/><site name='s' pos='0.5 0 0'/>"
               "<site name='root'/></body></worldbody>"
               "<sensor><accelerometer name='a' site='s'/><gyro name='w' site='s'/><force name='F' site='root'/>"
               "<torque name='M' site='root'/><jointpos name='q' joint='h'/><jointvel name='u' joint='h'/>"
               "<framexaxis name='x' objtype='site' objname='s'/><frameyaxis name='y' objtype='geom' objname='#0'/>"
               "<framezaxis name='z' objtype='xbody' objname='arm'/><framepos name='p' objtype='site' objname='s'/>"
               "<framelinvel name='v' objtype='site' objname='s'/><frameangvel name='W' objtype='body' objname='arm'/>"
               "<framequat name='Q' objtype='xbody' objname='arm'/></sensor>"
               "<keyframe><key qpos='0.3' qvel='4'/></keyframe><stickslip key='#0'/></mujoco>");
  go(&p, 0.5);
  double w = 4, dt = 0.01, angle = 0.3 + w*p.s->t, c = cos(angle), s = sin(angle);
  double a = w*w*0.5*sin(w*dt/2)/(w*dt/2);
  assert_vector(&p, "a", -a*cos(w*dt/2), a*sin(w*dt/2), 0, 1e-11);
  assert_vector(&p, "F", -3*a*cos(w*dt/2), 3*a*sin(w*dt/2), 0, 1e-10);
  // the moment about a point that is still: nothing turns faster
  assert_vector(&p, "M", 0, 0, 0, 1e-10);
  assert_vector(&p, "w", 0, 0, w, 1e-12);
  assert_vector(&p, "W", 0, 0, w, 1e-12);
  assert_close(sensed(&p, "q"), angle, 1e-12, "angle");
  assert_close(sensed(&p, "u"), w, 1e-12, "rate");
  assert_vector(&p, "x", c, s, 0, 1e-12);
  assert_vector(&p, "y", -s, c, 0, 1e-12);
  assert_vector(&p, "z", 0, 0, 1, 1e-12);
  assert_vector(&p, "p", 0.5*c, 0.5*s, 0, 1e-12);
  assert_vector(&p, "v", -0.5*w*s, 0.5*w*c, 0, 1e-11);
  assert_close(sensed(&p, "Q.w"), cos(angle/2), 1e-12, "quaternion");
  assert_close(sensed(&p, "Q.z"), sin(angle/2), 1e-12, "quaternion");
  assert_string_equal(unit_of(&p, "q"), "rad");
  assert_string_equal(unit_of(&p, "u"), "rad/s");
  stop(&p);
}

// Cart (slide, motor) with a bracket that is fixed to it and a load at its end: constant acceleration, hence exact
static void test_forces_between_bodies(void** state)
{
  (void)state;
  play p = start_text(
    "<mujoco><option timestep='1e-3'/><worldbody><body name='cart'><joint name='x' type='slide' axis='1 0 0'/>"
    "<geom size='0.1' mass='1'/><body name='bracket' pos='0 0 0.2'><site name='s'/>"
    "<geom size='0.1' pos='0.3 0 0.4' mass='2' contype='0' conaffinity='0'/></body></body></worldbody>"
    "<tendon><fixed name='t'><joint joint='x' coef='-2'/></fixed></tendon>"
    "<actuator><motor name='m' joint='x' gear='3' forcerange='-4 4'/>"
    "<motor name='pull' tendon='t'/></actuator>"
    "<sensor><force name='F' site='s'/><torque name='M' site='s'/><actuatorfrc name='f' actuator='m'/>"
    "<actuatorpos name='l' actuator='m'/><actuatorvel name='r' actuator='m'/>"
    "<jointactuatorfrc name='j' joint='x'/><tendonpos name='tp' tendon='t'/><tendonvel name='tv' tendon='t'/>"
    "<tendonactuatorfrc name='tf' tendon='t'/><subtreecom name='c' body='cart'/>"
    "<subtreelinvel name='v' body='bracket'/></sensor>"
    "<keyframe><key ctrl='6 0.5'/></keyframe><stickslip key='#0'/></mujoco>");
  go(&p, 0.5);
  double a = 11.0/3, x = a*p.s->t*p.s->t/2, v = a*p.s->t;  // 6, at most 4, times 3, less 2 times 0.5, moves 3 kg
  assert_close(sensed(&p, "f"), 4, 0, "force of the motor");
  assert_close(sensed(&p, "j"), 11, 0, "force on the joint");
  assert_close(sensed(&p, "l"), 3*x, 1e-10, "length of the motor");
  assert_close(sensed(&p, "r"), 3*v, 1e-10, "rate of the motor");
  assert_close(sensed(&p, "tp"), -2*x, 1e-10, "length of the tendon");
  assert_close(sensed(&p, "tv"), -2*v, 1e-10, "rate of the tendon");
  assert_close(sensed(&p, "tf"), 0.5, 0, "force on the tendon");
  assert_vector(&p, "F", 2*a, 0, 2*G, 1e-9);
  // r x F with r = (0.3, 0, 0.4): the y component is 0.4 F_x - 0.3 F_z. The site moves on within the step: O(dt)
  assert_vector(&p, "M", 0, 0.4*2*a - 0.3*2*G, 0, 2*G*v*1e-3);
  assert_vector(&p, "c", x + 0.2, 0, 0.4, 1e-10);
  assert_vector(&p, "v", v, 0, 0, 1e-10);
  stop(&p);
}

// A beam on two supports has half of its weight on each: the hinge that the sensor is at, and a loop or the floor
static void test_beam_on_two_supports(void** state)
{
  (void)state;
  static const char* const other[] = {"</worldbody><equality><connect body1='beam' anchor='2 0 0'/></equality>",
                                      "<geom size='0.1' pos='2 0 -0.2'/></worldbody>"};
  for (int k = 0; k < 2; k++) {
    char text[1200];
    snprintf(text, sizeof text,
             "<mujoco><option timestep='1e-3'/><default><geom friction='0'/></default><worldbody>"
             "<body name='beam'><joint axis='0 1 0'/>"
             "<geom type='capsule' fromto='0 0 0 2 0 0' size='0.1' mass='3'/><site name='s' euler='0 0 180'/></body>"
             "%s<sensor><force name='F' site='s'/><torque name='M' site='s'/></sensor></mujoco>",
             other[k]);
    play p = start_text(text);
    go(&p, 0.05);
    assert_close(sensed(&p, "F.z"), 1.5*G, 1e-7, "half of the weight");
    assert_close(sensed(&p, "M.y"), 0, 1e-7, "moment in the hinge");
    stop(&p);
  }
}

// Two bodies that tumble: positions, quaternions and velocities of one seen from the other. Rates of what is seen are
// what the velocities say; all momenta are those of the tree.
static void test_relative_frames(void** state)
{
  (void)state;
  play p = start_text(
    "<mujoco><option timestep='1e-5'/><worldbody>"
    "<body name='a' pos='1 2 3'><freejoint/><geom type='box' size='0.1 0.2 0.3'/><site name='s' pos='0.3 -0.2 0.5' "
    "euler='20 40 60'/><body name='c' pos='0 0.5 0'><joint name='ball' type='ball'/><geom size='0.1' pos='0.1 0.3 0'/>"
    "</body></body><body name='b' pos='-1 0 1'><freejoint/><geom type='ellipsoid' size='0.2 0.1 0.3'/>"
    "<site name='o' pos='-0.1 0.2 0.1' euler='70 -10 5'/></body></worldbody><sensor>"
    "<framepos name='x' objtype='site' objname='s' reftype='site' refname='o'/>"
    "<framequat name='q' objtype='site' objname='s' reftype='site' refname='o'/>"
    "<framelinvel name='v' objtype='site' objname='s' reftype='site' refname='o'/>"
    "<frameangvel name='w' objtype='site' objname='s' reftype='site' refname='o'/>"
    "<framexaxis name='ax' objtype='site' objname='s' reftype='site' refname='o'/>"
    "<subtreecom name='c' body='world'/><subtreeangmom name='L' body='world'/><subtreelinvel name='p' body='world'/>"
    "<ballquat name='bq' joint='ball'/><ballangvel name='bw' joint='ball'/></sensor><keyframe>"
    "<key qpos='1 2 3 .5 .5 -.5 .5 .6 .8 0 0 -1 0 1 .36 .48 .8 0' qvel='1 -2 3 2 1 -3 4 1 2 -1 1 0 2 -2 1'/></keyframe>"
    "<stickslip key='#0'/></mujoco>");
  step(&p, NULL);
  double h = p.def.dt, x[2][3], v[3], w[3];
  ss_quat q[2];
  for (int n = 0; n < 2; n++) {
    for (int k = 0; k < 3; k++) x[n][k] = sensed(&p, (const char*[]){"x.x", "x.y", "x.z"}[k]);
    q[n] = (ss_quat){sensed(&p, "q.w"), sensed(&p, "q.x"), sensed(&p, "q.y"), sensed(&p, "q.z")};
    for (int k = 0; k < 3; k++) {
      double *to[] = {v, w}, weight = n ? 0.5 : 0;
      to[0][k] = (n ? to[0][k] : 0) + (n ? weight : 0.5)*sensed(&p, (const char*[]){"v.x", "v.y", "v.z"}[k]);
      to[1][k] = (n ? to[1][k] : 0) + (n ? weight : 0.5)*sensed(&p, (const char*[]){"w.x", "w.y", "w.z"}[k]);
    }
    if (!n) step(&p, NULL);
  }
  ss_vec3 turn = ss_quat_log(ss_quat_mul(q[1], ss_quat_conjugate(q[0])));
  const double phi[] = {turn.x, turn.y, turn.z};
  for (int k = 0; k < 3; k++) {
    assert_close((x[1][k] - x[0][k])/h, v[k], 1e-6, "relative velocity");
    assert_close(phi[k]/h, w[k], 1e-6, "relative angular velocity");
  }
  ss_vec3 axis = ss_quat_rotate(q[1], (ss_vec3){1, 0, 0});
  assert_vector(&p, "ax", axis.x, axis.y, axis.z, 1e-14);

  ss_error error;
  ss_tree_work* tree = ss_tree_work_create(ss_machine_tree(p.machine), &error);
  double c[3], linear[3], angular[3];
  ss_tree_set_position(tree, p.s->q);
  ss_tree_set_velocity(tree, p.s->u);
  double mass = ss_tree_com(tree, c);
  ss_tree_momentum(tree, linear, angular);
  ss_vec3 L = ss_sub(ss_vec3_from(angular), ss_cross(ss_vec3_from(c), ss_vec3_from(linear)));
  assert_vector(&p, "c", c[0], c[1], c[2], 1e-12);
  assert_vector(&p, "p", linear[0]/mass, linear[1]/mass, linear[2]/mass, 1e-12);
  assert_vector(&p, "L", L.x, L.y, L.z, 1e-9*ss_norm(L));
  assert_close(sensed(&p, "bq.w"), p.s->q[7], 1e-14, "quaternion of the ball");
  assert_close(sensed(&p, "bw.y"), p.s->u[7], 0, "angular velocity of the ball");
  ss_tree_work_destroy(tree);
  stop(&p);
}

// Zones against many points of the half line
static void test_zones(void** state)
{
  (void)state;
  const double size[] = {0.3, 0.5, 0.7};
  srand(1);
  int met = 0, missed = 0;
  for (int n = 0; n < 5000; n++) {
    ss_scene_shape shape = SS_SCENE_SPHERE + n%5;
    double r[6], least = INFINITY;
    for (int i = 0; i < 6; i++) r[i] = 2.0*rand()/RAND_MAX - 1;
    if (n%7 == 0) r[3 + n%3] = 0;
    ss_vec3 p = {r[0], r[1], r[2]}, d = ss_scale(1/ss_norm((ss_vec3){r[3], r[4], r[5]}), (ss_vec3){r[3], r[4], r[5]});
    for (int i = 0; i <= 4000; i++) {  // how far outside, in the sense of the shape
      ss_vec3 x = ss_add(p, ss_scale(i*1e-3, d));
      double round = hypot(x.x, x.y), high = fmax(fabs(x.z) - size[1], 0), out = 0;
      if (shape == SS_SCENE_SPHERE) out = ss_norm(x) - size[0];
      if (shape == SS_SCENE_CAPSULE) out = hypot(round, high) - size[0];
      if (shape == SS_SCENE_CYLINDER) out = fmax(round - size[0], fabs(x.z) - size[1]);
      if (shape == SS_SCENE_ELLIPSOID) out = ss_norm((ss_vec3){x.x/size[0], x.y/size[1], x.z/size[2]}) - 1;
      if (shape == SS_SCENE_BOX) out = fmax(fmax(fabs(x.x) - size[0], fabs(x.y) - size[1]), fabs(x.z) - size[2]);
      least = fmin(least, out);
    }
    if (fabs(least) < 5e-3) continue;  // between two points
    assert_int_equal(ss_zone_holds(shape, size, p, d), least < 0);
    least < 0 ? met++ : missed++;
  }
  assert_true(met > 500 && missed > 500);
}

// An impact within a step: the mean force has the whole impulse in it, whatever the step
static void test_impact(void** state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    double dt = k ? 1e-3 : 1e-2;
    char text[900];
    snprintf(
      text, sizeof text,
      "<mujoco><option timestep='%g' gravity='0 0 0'/><worldbody><geom type='plane' size='0 0 1' restitution='0.5'/>"
      "<body pos='0 0 0.2001'><freejoint/><geom size='0.2' mass='3'/><site name='s' size='0.3'/></body></worldbody>"
      "<sensor><touch name='N' site='s'/><accelerometer name='a' site='s'/></sensor>"
      "<keyframe><key qpos='0 0 0.2001 1 0 0 0' qvel='0 0 -2 0 0 0'/></keyframe><stickslip key='#0'/></mujoco>",
      dt);
    play p = start_text(text);
    while (p.s->u[2] < 0) step(&p, NULL);
    assert_close(sensed(&p, "N")*dt, 3*2*1.5, 1e-9, "impulse");
    assert_close(sensed(&p, "a.z")*dt, 2*1.5, 1e-9, "change of the velocity");
    stop(&p);
  }
}

// The integrator that knows events has the same forces
static void test_event_driven(void** state)
{
  (void)state;
  play p = start_text(
    "<mujoco><option timestep='0.01'/><worldbody><geom type='plane' size='0 0 1' friction='0.3'/>"
    "<body pos='0 0 0.2'><freejoint/><geom type='sphere' size='0.2' mass='3'/><site name='s' size='0.3'/></body>"
    "</worldbody><sensor><touch name='N' site='s'/><accelerometer name='a' site='s'/></sensor>"
    "<stickslip scheme='event'/></mujoco>");
  p.def.account = false;
  for (int i = 0; i < 5; i++) assert_true(ss_step(p.system, &p.def, p.s, p.w) >= 0);
  assert_close(sensed(&p, "N"), 3*G, 1e-7, "weight");
  assert_vector(&p, "a", 0, 0, G, 1e-7);
  stop(&p);
}

// Computing them changes nothing: the same bits with and without
static void test_watching_changes_nothing(void** state)
{
  (void)state;
  static const char text[] =
    "<mujoco><option timestep='2e-3'/><worldbody><geom type='plane' size='0 0 1'/>"
    "<body name='a' pos='0 0 0.5' euler='20 30 0'><freejoint/><geom type='box' size='0.1 0.2 0.15'/><site name='s'/>"
    "<body pos='0.2 0 0'><joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 0.5 0 0' size='0.05'/></body></body>"
    "</worldbody><sensor><force site='s'/><accelerometer site='s'/><touch site='s'/><gyro name='g' site='s'/></sensor>"
    "</mujoco>";
  play a = start_text(text), b = start_text(text);
  for (int i = 0; i < 500; i++) {
    step(&a, NULL);
    step(&b, NULL);
    assert_true(ss_sense(b.s, ss_work_info(b.w), b.w) != NULL);
    assert_memory_equal(a.s->q, b.s->q, sizeof(double)*(size_t)a.s->nq);
    assert_memory_equal(a.s->u, b.s->u, sizeof(double)*(size_t)a.s->nv);
  }
  assert_string_equal(ss_system_get(a.system)->sensor[0], "force #0.x");
  assert_string_equal(ss_system_get(a.system)->sensor[7], "g.x");
  stop(&a);
  stop(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_sliding_block),
    cmocka_unit_test(test_free_fall),
    cmocka_unit_test(test_turning),
    cmocka_unit_test(test_forces_between_bodies),
    cmocka_unit_test(test_beam_on_two_supports),
    cmocka_unit_test(test_relative_frames),
    cmocka_unit_test(test_zones),
    cmocka_unit_test(test_impact),
    cmocka_unit_test(test_event_driven),
    cmocka_unit_test(test_watching_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
