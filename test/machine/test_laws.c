// Laws of friction in scenes: ellipses and polygons of friction, resistance against spin and rolling.
#include "machine/play.h"

#define G 9.81

// ---- friction that differs with the direction ----

// A flat brick on a floor, with gravity that is tilted so that it slides from rest
static play brick(const char* gravity, const char* pair)
{
  char text[2000];
  snprintf(text, sizeof text,
           "<mujoco><option timestep='1e-3' gravity='%s'/><worldbody><geom name='floor' type='plane' size='0 0 1'/>"
           "<body pos='0 0 .05'><freejoint name='j'/><geom name='brick' type='box' size='.2 .2 .05' mass='2'/></body>"
           "</worldbody><contact><pair geom1='floor' geom2='brick' %s/></contact></mujoco>",
           gravity, pair);
  return start_text(text);
}

// From rest under the force f the velocity keeps a direction d, along f - N E^2 d/|E d|: where its angle is
static double direction_of_sliding(const double f[2], double N, double mu1, double mu2)
{
  double low = atan2(f[1], f[0]) - M_PI/2, high = low + M_PI;
  for (int i = 0; i < 200; i++) {
    double a = (low + high)/2, c = cos(a), s = sin(a), size = hypot(mu1*c, mu2*s);
    double x = f[0] - N*mu1*mu1*c/size, y = f[1] - N*mu2*mu2*s/size;
    if (c*y - s*x > 0) low = a;
    else high = a;
  }
  return (low + high)/2;
}

static void test_ellipse_direction(void** state)
{
  (void)state;
  for (int k = 0; k < 4; k++) {
    play p = brick("4 3 -9.81", "friction='.2 .45' friction-direction='1 0 0'");
    p.def.integrator = (ss_integrator[]){SS_MOREAU, SS_EULER, SS_JEAN, SS_EVENT_DRIVEN}[k];
    const double* u = p.s->u;
    double a = direction_of_sliding((double[]){4, 3}, G, 0.2, 0.45);
    assert_true(fabs(a - atan2(3, 4)) > 0.1);  // not that of the force
    double size = hypot(0.2*cos(a), 0.45*sin(a)), ax = 4 - G*0.04*cos(a)/size,
           ay = 3 - G*0.2025*sin(a)/size;
    go(&p, 0.5);
    near(atan2(u[1], u[0]), a, 1e-9);
    near(u[0], 0.5*ax, 1e-9);
    near(u[1], 0.5*ay, 1e-9);
    near(u[5], 0, 1e-9);
    stop(&p);
  }
}

// v_i' = -g mu_i^2 v_i/|E v|, so that v_1 v_2^-(mu_1/mu_2)^2 stays as it is until it rests
static void test_ellipse_by_events(void** state)
{
  (void)state;
  play p = brick("0 0 -9.81", "friction='.2 .3' friction-direction='1 0 0'");
  const double *u = p.s->u, power = 4/9.0;
  p.def.integrator = SS_EVENT_DRIVEN;
  p.def.dt = 0.01;
  p.s->u[0] = 0.5;
  p.s->u[1] = -0.4;
  double kept = 0.5*pow(0.4, -power);
  for (int n = 0; n < 15; n++) {
    step(&p, NULL);
    near(u[0]*pow(-u[1], -power), kept, 1e-9);
    const ss_contact_result* r = ss_work_info(p.w)->contact;
    double v = hypot(0.2*r->gamma_after[1], 0.3*r->gamma_after[2]), before = hypot(0.2*r->gamma_before[1],
                                                                                  0.3*r->gamma_before[2]);
    double work = -r->Lambda[1]*r->gamma_after[1] - r->Lambda[2]*r->gamma_after[2];
    assert_true(work > 0 && work < r->Lambda[0]*fmax(v, before)*(1 + 1e-3));
  }
  go(&p, 0.5);
  for (int i = 0; i < 6; i++) near(u[i], 0, 1e-12);
  stop(&p);
}

// A ball that slides and spins, with an ellipse that turns with it: steps tend to what events give, in proportion
static void test_ellipse_turns(void** state)
{
  static const char text[] =
    "<mujoco><option timestep='1e-4' gravity='0 0 -9.81'/><worldbody><geom name='floor' type='plane' size='0 0 1'/>"
    "<body pos='0 0 .1'><freejoint name='j'/><geom name='ball' type='sphere' size='.1' mass='1'/></body></worldbody>"
    "<contact><pair geom1='ball' geom2='floor' friction='.1 .4' friction-direction='1 0 0'/></contact></mujoco>";
  double end[3][6];
  (void)state;
  for (int k = 0; k < 3; k++) {
    play p = start_text(text);
    p.def.integrator = k < 2 ? SS_MOREAU : SS_EVENT_DRIVEN;
    p.def.dt = (double[]){2e-4, 1e-4, 0.01}[k];
    p.s->u[0] = 1;
    p.s->u[1] = 0.3;
    p.s->u[5] = 12;
    go(&p, 0.2);
    memcpy(end[k], p.s->u, sizeof end[k]);
    stop(&p);
  }
  assert_true(fabs(end[2][1]/end[2][0] - 0.3) > 0.02);  // not along a straight line
  for (int i = 0; i < 6; i++) {
    near(end[1][i], end[2][i], 1e-2);
    near(2*end[1][i] - end[0][i], end[2][i], 2e-5);
  }
}

// Of all friction in the ellipse that of the step dissipates most, for the impulses and velocities as they are told
static void test_ellipse_dissipates_most(void** state)
{
  (void)state;
  play p = brick("0 0 -9.81", "friction='.6 .1' friction-direction='1 2 0'");
  const double c = 1/sqrt(5), s = 2/sqrt(5);
  const double* u = p.s->u;
  p.s->u[0] = 2;
  p.s->u[1] = 1;
  for (int n = 0; n < 300; n++) {
    step(&p, NULL);
    const ss_step_info* info = ss_work_info(p.w);
    for (int i = 0; i < info->n_contact; i++) {
      const ss_contact_result* r = &info->contact[i];
      const double* T1 = info->item[i].frame + 3;
      near(fabs(T1[0]*c + T1[1]*s), 1, 1e-12);
      double v1 = r->gamma_after[1], v2 = r->gamma_after[2], most = r->Lambda[0]*hypot(0.6*v1, 0.1*v2);
      near(-r->Lambda[1]*v1 - r->Lambda[2]*v2, most, 1e-9*r->Lambda[0]);
      assert_true(hypot(r->Lambda[1]/0.6, r->Lambda[2]/0.1) <= r->Lambda[0]*(1 + 1e-9) + 1e-12);
      near(v1, (T1[0]*u[0] + T1[1]*u[1])*(info->item[i].body_b < 0 ? -1 : 1), 1e-9);
    }
  }
  stop(&p);
}

// Within the ellipse nothing moves; MuJoCo's first tangent is y
static void test_ellipse_holds(void** state)
{
  (void)state;
  play p = brick(".2 2.9 -9.81", "friction='.31 .12'");
  go(&p, 2);
  near(moved(&p), 0, 1e-12);
  stop(&p);
  p = brick("2.9 .2 -9.81", "friction='.31 .12'");
  go(&p, 0.1);
  assert_true(moved(&p) > 1e-3);
  stop(&p);
}

// Fur: easy towards +x, hard back. The corner of the polygon that dissipates most is the same all along.
static void test_polygon(void** state)
{
  (void)state;
  const char* fur = "friction-direction='1 0 0' friction-polygon='.6 0 0 .3 -.2 0 0 -.3'";
  play p = brick("4 .5 -9.81", fur);
  const double* u = p.s->u;
  go(&p, 0.2);
  near(u[0], 0.2*(4 - 0.2*G), 1e-9);  // -(-.2, 0) of the load: opposes by .2
  near(u[1], 0.2*0.5, 1e-9);            // not braked at all
  stop(&p);
  p = brick("-4 .5 -9.81", fur);
  go(&p, 1);
  near(moved(&p), 0, 1e-10);  // .41 < .6 the other way
  stop(&p);
}

static void test_refused(void** state)
{
  static const struct {
    const char *pair, *why;
  } wrong[] = {
    {"friction='.2 0'", "both must be 0"},
    {"friction='0'", "in the other, since it has a single number for them; both must be 0"},
    {"friction-direction='0 0 0' friction='1 2'", "point somewhere"},
    {"friction-polygon='1 0 0 1'", "3 or more corners"},
    {"friction-polygon='1 0 0 1 2 2'", "friction-polygon"},
    {"friction='.5' friction-static='.4'", "must not be less than friction"},
    {"friction-bound='2 1'", "nor less at rest"},
    {"friction-static='1' condim='1'", "without friction"},
    {"friction-static='2' friction-polygon='1 0 0 1 -1 -1'", "goes with neither"},
    {"friction-law='.3 + w'", "'w' is not known"},
    {"friction-law='v - 1'", "is -1 at v = 0"},
    {"friction-law='2*('", "character"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof wrong/sizeof *wrong; i++) {
    char text[1000];
    ss_error error = {0};
    snprintf(text, sizeof text,
             "<mujoco><worldbody><geom name='a' type='plane' size='0 0 1'/><body><freejoint/><geom name='b' size='1'/>"
             "</body></worldbody>\n<contact><pair geom1='a' geom2='b' %s/></contact></mujoco>",
             wrong[i].pair);
    ss_scene* scene = ss_scene_parse(text, strlen(text), "t.xml", 0, NULL, &error);
    if (scene) assert_null(ss_machine_create(scene, &error));  // expressions
    ss_scene_destroy(scene);
    assert_int_equal(error.line, 2);
    if (!strstr(error.text, wrong[i].why)) fail_msg("%s", error.text);
  }
}

static void test_event_refuses(void** state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    play p = brick("1 0 -9.81", k ? "condim='4' friction='.5 .5 .1'" : "friction-polygon='1 0 0 1 -1 -1'");
    p.def.integrator = SS_EVENT_DRIVEN;
    assert_int_equal(ss_step(p.system, &p.def, p.s, p.w), SS_ERR_ARGUMENT);
    assert_non_null(strstr(ss_work_message(p.w), k ? "spin" : "polygon"));
    stop(&p);
  }
}

// ---- other laws ----

// A block on a belt, m = 1, k = 100, N = 10, belt 0.2 m/s: the belt is a body that nothing can slow down
static play belt(const char* pair)
{
  char text[2000];
  snprintf(text, sizeof text,
           "<mujoco><option timestep='1e-4' gravity='0 0 -10'/><worldbody>"
           "<body name='belt'><inertial pos='0 0 0' mass='1e13' diaginertia='1 1 1'/><joint name='belt' type='slide' "
           "axis='1 0 0'/><geom name='belt' type='box' size='50 1 .1' pos='0 0 -.1'/></body>"
           "<body pos='0 0 .1'><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/><joint name='x' type='slide' "
           "axis='1 0 0' stiffness='100'/><joint name='z' type='slide' axis='0 0 1'/><geom name='block' size='.1'/>"
           "</body></worldbody><contact><pair geom1='belt' geom2='block' %s/></contact></mujoco>", pair);
  play p = start_text(text);
  p.s->u[0] = 0.2;
  p.s->u[1] = 0.2;
  return p;
}

// Period, and extremes of x, of the cycle that begins with the third break-away
static void cycle(play* p, double* period, double x[2])
{
  double at[4];
  x[0] = INFINITY;
  x[1] = -INFINITY;
  for (int n = 0; n < 4;) {
    const ss_event* e;
    for (int k = step(p, &e); k > 0 && n < 4; k--, e++) {
      if (e->kind != SS_EVENT_SLIP || strcmp(ss_work_contact_name(p->w, e->contact), "belt - block") != 0) continue;
      at[n++] = e->t;
    }
    if (n < 2) continue;
    x[0] = fmin(x[0], p->s->q[1]);
    x[1] = fmax(x[1], p->s->q[1]);
  }
  *period = at[3] - at[2];
}

// mu_s = .5, mu_k = .3: sliding lasts .471239 s, sticking .2 s, x goes from .0017157 to .0582843
static void test_static(void** state)
{
  (void)state;
  double T, x[2], slide = 2*(M_PI - atan(0.02/0.02*1))/10;
  near(slide, 0.471239, 1e-6);
  for (int k = 0; k < 3; k++) {
    play p = belt("friction='.3 .3' friction-static='.5'");
    p.def.integrator = (ss_integrator[]){SS_MOREAU, SS_EULER, SS_JEAN}[k];
    cycle(&p, &T, x);
    near(T, 0.671239, 1e-3);
    near(x[0], 0.0017157, 1e-4);
    near(x[1], 0.0582843, 1e-4);
    stop(&p);
  }
  play p = belt("friction='.3 .3' friction-static='.5'");
  p.def.integrator = SS_EVENT_DRIVEN;
  p.def.dt = 0.01;
  cycle(&p, &T, x);
  near(T, slide + 0.2, 1e-8);
  stop(&p);
}

// The bound takes the place of the load: 3 N in motion, 5 N at rest
static void test_bound(void** state)
{
  (void)state;
  double T, x[2];
  play p = belt("friction='0 0' friction-bound='3 5'");
  cycle(&p, &T, x);
  near(T, 0.671239, 1e-3);
  stop(&p);
}

// mu(v) = .3 + .2 exp(-v/.05): T = .71359
static void test_curve(void** state)
{
  (void)state;
  double T, x[2];
  for (int event = 0; event < 2; event++) {
    play p = belt("friction='.3 .3' friction-law='mu + 0.2*exp(-v/0.05)'");
    if (event) p.def.integrator = SS_EVENT_DRIVEN;
    if (event) p.def.dt = 0.01;
    cycle(&p, &T, x);
    near(T, 0.71359, event ? 1e-5 : 1e-3);
    stop(&p);
  }
}

// A run that is stored and goes on sticks as before
static void test_stick_memory(void** state)
{
  (void)state;
  play p = belt("friction='.3 .3' friction-static='.5'"), r = belt("friction='.3 .3' friction-static='.5'");
  go(&p, 0.23);  // the spring pulls with more than .3 N by now
  assert_true(p.s->q[1] > 0.031);
  near(p.s->u[1], 0.2, 1e-9);
  assert_int_equal(ss_state_copy(r.s, p.s), SS_OK);
  go(&p, 0.3);
  go(&r, 0.3);
  near(p.s->q[1], r.s->q[1], 0);
  stop(&p);
  stop(&r);
}

// ---- spin and rolling ----

static play ball(const char* gravity, const char* surface)
{
  char text[2000];
  snprintf(text, sizeof text,
           "<mujoco><option timestep='1e-3' gravity='%s'/><default><geom %s/></default><worldbody>"
           "<geom name='floor' type='plane' size='0 0 1'/><body pos='0 0 .1'><freejoint name='j'/>"
           "<geom name='ball' size='.1' mass='3'/></body></worldbody></mujoco>",
           gravity, surface);
  return start_text(text);
}

// I w' = -c m g: a ball that spins comes to rest after 2/5 r^2 w0/(c g)
static void test_spin_stops(void** state)
{
  (void)state;
  for (int k = 0; k < 3; k++) {
    play p = ball("0 0 -9.81", "condim='4' friction='1 .002 .1'");
    p.def.integrator = (ss_integrator[]){SS_MOREAU, SS_EULER, SS_JEAN}[k];
    const double* u = p.s->u;
    double alpha = 0.002*G/(0.4*0.01);
    p.s->u[5] = 5;
    go(&p, 0.5);
    near(u[5], 5 - 0.5*alpha, 1e-9);
    double stops = first(&p, SS_EVENT_STICK, "ball - floor spin", 3);
    near(stops, 5/alpha, 1.1e-3);
    go(&p, 3);
    near(u[5], 0, 1e-13);
    near(hypot(u[0], u[1]), 0, 1e-13);
    stop(&p);
  }
}

// Rolling: (I + m r^2) w' = -c m g, so that v' = -5/7 (c/r) g
static void test_rolling_slows_down(void** state)
{
  (void)state;
  for (int k = 0; k < 3; k++) {
    play p = ball("0 0 -9.81", "condim='6' friction='1 .001 .004'");
    p.def.integrator = (ss_integrator[]){SS_MOREAU, SS_EULER, SS_JEAN}[k];
    const double* u = p.s->u;
    p.s->u[0] = 0.6;  // without sliding
    p.s->u[1] = 0.8;
    p.s->u[3] = -8;
    p.s->u[4] = 6;
    double a = 5.0/7*0.04*G;
    go(&p, 1);
    near(u[0], 0.6*(1 - a), 1e-9);
    near(u[1], 0.8*(1 - a), 1e-9);
    near(first(&p, SS_EVENT_STICK, "ball - floor roll", 5), 1/a, 1.1e-3);
    double x = p.s->q[0];
    go(&p, 6);
    near(p.s->q[0], x, 1e-12);
    stop(&p);
  }
}

// An incline of tan = .03 holds a ball with c/r = .04, at rest and without creep; tan = .05 does not:
// v' = 5/7 (g sin - c/r g cos)
static void test_incline(void** state)
{
  (void)state;
  char gravity[100];
  for (int k = 0; k < 2; k++) {
    double a = atan(k ? 0.05 : 0.03);
    snprintf(gravity, sizeof gravity, "%.17g 0 %.17g", G*sin(a), -G*cos(a));
    play p = ball(gravity, "condim='6' friction='1 .001 .004'");
    const double* u = p.s->u;
    go(&p, 5);
    if (k) near(u[0], 5*5.0/7*G*(sin(a) - 0.04*cos(a)), 1e-8);
    else near(moved(&p), 0, 1e-12);
    stop(&p);
  }
}

// With facets the ball stops too, and later: they brake less across
static void test_facets(void** state)
{
  (void)state;
  play p = ball("0 0 -9.81", "condim='6' friction='1 .001 .004'");
  p.def.friction.polyhedral = true;
  p.def.friction.facets = 8;
  p.s->u[0] = 1;
  p.s->u[4] = 10;
  go(&p, 1);
  near(p.s->u[0], 1 - 5.0/7*0.04*G, 1e-6);
  stop(&p);
}

// Rolling about one axis is easier than about the other: the torque is the one of the ellipse that dissipates most
static void test_rolling_ellipse(void** state)
{
  (void)state;
  play p = ball("0 0 -9.81", "condim='6'");
  stop(&p);
  const char* text =
    "<mujoco><option timestep='1e-3'/><worldbody><geom name='floor' type='plane' size='0 0 1'/><body pos='0 0 .1'>"
    "<freejoint name='j'/><geom name='ball' size='.1' mass='3'/></body></worldbody><contact>"
    "<pair geom1='floor' geom2='ball' condim='6' friction='1 1 .001 .002 .006' friction-direction='1 0 0'/></contact>"
    "</mujoco>";
  p = start_text(text);
  p.s->u[0] = 1;
  p.s->u[1] = 1;
  p.s->u[3] = -10;
  p.s->u[4] = 10;
  for (int n = 0; n < 500; n++) {
    step(&p, NULL);
    const ss_step_info* info = ss_work_info(p.w);
    double N = 0;
    for (int i = 0; i < info->n_contact; i++) {
      const ss_contact_result* r = &info->contact[i];
      const char* name = ss_work_contact_name(p.w, r->contact);
      if (strcmp(name, "ball - floor") == 0) N = r->Lambda[0];
      if (strcmp(name, "ball - floor roll") != 0) continue;
      near(-r->Lambda[1]*r->gamma_after[1] - r->Lambda[2]*r->gamma_after[2],
           N*hypot(0.002*r->gamma_after[1], 0.006*r->gamma_after[2]), 1e-9);
    }
  }
  stop(&p);
}

// Balls in a box that resist rolling, in velocity space: solved, the energy falls, and the law holds for each
static void test_heap_rests(void** state)
{
  (void)state;
  const char* text =
    "<mujoco><option timestep='2e-3'/><default><geom condim='6' friction='.5 .01 .01'/></default><worldbody>"
    "<geom name='floor' type='plane' size='0 0 1'/>"
    "<body pos='0 0 .1'><freejoint/><geom size='.1' name='a'/></body>"
    "<body pos='.2 0 .1'><freejoint/><geom size='.1' name='b'/></body>"
    "<body pos='.1 .1732 .1'><freejoint/><geom size='.1' name='c'/></body>"
    "<body pos='.1 .0577 .264'><freejoint/><geom size='.1' name='d'/></body></worldbody></mujoco>";
  play p = start_text(text);
  int most = 0;
  for (int n = 0; n < 1500; n++) {
    step(&p, NULL);
    const ss_step_info* info = ss_work_info(p.w);
    assert_true(info->loss_normal + info->loss_friction > -1e-10);
    for (int i = 0; i < info->n_contact; i++) {
      int load = info->item[i].load;
      if (!load) continue;
      const ss_contact_result* r = &info->contact[i];
      double limit = info->item[i].law->mu*info->contact[load - 1].Lambda[0];
      assert_true(hypot(r->Lambda[1], r->Lambda[2]) <= limit*(1 + 1e-6) + 1e-9);
      most = info->n_active > most ? info->n_active : most;
    }
  }
  assert_true(most >= 18);
  near(ss_work_info(p.w)->after.kinetic, 0, 1e-12);  // .01 against rolling holds the pyramid of balls
  stop(&p);
}

// A box that slides to rest on a slope: its corners share load and torques in many ways, and every step is solved
static void test_box_rests(void** state)
{
  (void)state;
  static const double gravity[][2] = {{1.948946135099551, 9.614453128622582}, {1.5, 9.7}, {2.5, 9.5}};
  for (size_t k = 0; k < sizeof gravity/sizeof *gravity; k++) {
    char text[1000];
    snprintf(text, sizeof text, "<mujoco><option timestep='5e-4' gravity='%.17g 0 %.17g'/><worldbody>"
      "<geom name='floor' type='plane' size='0 0 1'/><body pos='0 0 .1'><freejoint/><geom name='g' type='box' "
      "size='.1 .1 .1' mass='1'/></body></worldbody><contact><pair geom1='floor' geom2='g' condim='6' "
      "friction='.4 .4 .01 .005 .005' restitution='.5'/></contact></mujoco>", -gravity[k][0], -gravity[k][1]);
    play p = start_text(text);
    p.s->u[1] = 0.3;
    for (int n = 0; n < 600; n++) assert_int_equal(ss_step(p.system, &p.def, p.s, p.w), SS_OK);
    near(ss_work_info(p.w)->after.kinetic, 0, 1e-12);
    stop(&p);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_ellipse_direction), cmocka_unit_test(test_ellipse_by_events),
    cmocka_unit_test(test_ellipse_turns),
    cmocka_unit_test(test_ellipse_dissipates_most),
    cmocka_unit_test(test_ellipse_holds),
    cmocka_unit_test(test_polygon),
    cmocka_unit_test(test_static),            cmocka_unit_test(test_bound),
    cmocka_unit_test(test_curve),             cmocka_unit_test(test_stick_memory),
    cmocka_unit_test(test_refused),
    cmocka_unit_test(test_event_refuses),
    cmocka_unit_test(test_spin_stops),
    cmocka_unit_test(test_rolling_slows_down),
    cmocka_unit_test(test_incline),
    cmocka_unit_test(test_rolling_ellipse),
    cmocka_unit_test(test_facets),
    cmocka_unit_test(test_heap_rests),
    cmocka_unit_test(test_box_rests),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
