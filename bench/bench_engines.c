// Stickslip beside other engines on the same scenes: what they do (creep, slip, drift) and what a step costs.
//   bench_engines [incline|grasp|stack|pile]...     all without arguments
// Engines are there if their libraries were found when this was built. All step with 1 ms, one thread, sleeping off,
// everything else as the library comes; turn by turn in one process. Times are medians of processor time.
//
// The residual of contact is one number for all, from what an engine tells of its last step: impulses of the contacts,
// and velocities after it. Per contact, by the natural map of Coulomb's law with the exact cone,
//   r = max |Lambda - P_K(Lambda - rho (xi + mu |xi_T| n))|/rho / max |b|,  rho = 1/trace G_ii,
// xi the velocity of the contact after the step, b that without contact impulses, K the friction cone. Pushing bodies
// apart that overlap counts as an error here, whether an engine means it or not.
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "clock.h"
#include "engines/engine.h"

#define DEGREE (3.14159265358979323846/180)
#define SLOPE (20*DEGREE)
#define G 9.81

static const engine* const engines[] = {
  &engine_ours,
#ifdef HAVE_MUJOCO
  &engine_mujoco, &engine_mujoco_elliptic,
#endif
#ifdef HAVE_BULLET
  &engine_bullet,
#endif
#ifdef HAVE_ODE
  &engine_ode, &engine_ode_quick,
#endif
#ifdef HAVE_DART
  &engine_dart,
#endif
};
enum { ENGINES = sizeof engines/sizeof *engines };

// A scene of models/, for us with another tolerance if one is given
static ss_scene* load(const char* name, const char* tolerance)
{
  char path[1024];
  ss_error error = {0};
  const ss_override over = {"stickslip.tolerance", tolerance};
  snprintf(path, sizeof path, "%s/models/%s.xml", SS_SOURCE_DIR, name);
  ss_scene* scene = ss_scene_load(path, tolerance ? 1 : 0, &over, &error);
  if (!scene) {
    fprintf(stderr, "%s: %s\n", path, error.text);
    exit(1);
  }
  return scene;
}

static double* room_for(int n)
{
  double* x = calloc((size_t)(n > 0 ? n : 1), sizeof *x);
  if (!x) exit(1);
  return x;
}

// ---- the residual --------------------------------------------------------------------------------------------------

static double dot(const double* a, const double* b) { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2]; }

static void cross(const double* a, const double* b, double* c)
{
  double x = a[1]*b[2] - a[2]*b[1], y = a[2]*b[0] - a[0]*b[2], z = a[0]*b[1] - a[1]*b[0];
  c[0] = x, c[1] = y, c[2] = z;
}

// v turned by a quaternion, or back
static void turn(const double* q, double sign, const double* v, double* out)
{
  double t[3], w[3], axis[3] = {sign*q[1], sign*q[2], sign*q[3]};
  cross(axis, v, t);
  for (int k = 0; k < 3; k++) t[k] *= 2;
  cross(axis, t, w);
  for (int k = 0; k < 3; k++) out[k] = v[k] + q[0]*t[k] + w[k];
}

// Velocity of the point p of a free body, with dv added to its linear velocity
static void velocity_at(const double* q, const double* u, const double* p, double* v)
{
  double omega[3], r[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
  turn(q + 3, 1, u + 3, omega);
  cross(omega, r, v);
  for (int k = 0; k < 3; k++) v[k] += u[k];
}

// Trace of G_ii: sum over the axes e of 1/m + |I^-1/2 (r x e)|^2
static double mobility(const ss_body_def* body, const double* q, const double* p)
{
  double r[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]}, local[3], sum = 3/body->mass;
  turn(q + 3, -1, r, local);
  for (int k = 0; k < 3; k++) sum += (dot(local, local) - local[k]*local[k])/body->inertia[k];
  return sum;
}

typedef struct judged {
  double residual;  // see above
  double balance;   // |M du - dt M g - sum of impulses|/(m g dt), worst body: do impulses explain the motion?
  int contacts;
  double deepest;   // m
} judged;

// Of one contact with velocity xi and impulse Lambda, in m/s
static double natural_map(const engine_contact* c, const double* xi, double rho)
{
  double x[3], xn = dot(xi, c->normal), slide[3], speed;
  for (int k = 0; k < 3; k++) slide[k] = xi[k] - xn*c->normal[k];
  speed = sqrt(dot(slide, slide));
  for (int k = 0; k < 3; k++) x[k] = c->impulse[k] - rho*(xi[k] + c->mu*speed*c->normal[k]);
  double n = dot(x, c->normal), t[3], length, p[3] = {0};
  for (int k = 0; k < 3; k++) t[k] = x[k] - n*c->normal[k];
  length = sqrt(dot(t, t));
  if (length <= c->mu*n) memcpy(p, x, sizeof p);
  else if (c->mu*length > -n) {  // onto the boundary of the cone
    double m = (n + c->mu*length)/(1 + c->mu*c->mu);
    for (int k = 0; k < 3; k++) p[k] = m*(c->normal[k] + c->mu*t[k]/length);
  }
  for (int k = 0; k < 3; k++) p[k] = (c->impulse[k] - p[k])/rho;
  return sqrt(dot(p, p));
}

// Scenes of free bodies only. q, u before the step, v after it.
static judged judge(const ss_scene* scene, const engine_contact* list, int n, const double* q, const double* u,
                    const double* v)
{
  judged out = {.contacts = n};
  double dt = scene->option.timestep, b = 0, *change = room_for(3*scene->tree.n_body);
  for (int i = 0; i < n; i++) {
    const engine_contact* c = &list[i];
    double xi[3] = {0}, free[3] = {0}, trace = 0;
    for (int side = 0; side < 2; side++) {
      int body = side ? c->b : c->a;
      double after[3], before[3], sign = side ? 1 : -1;
      if (body < 0) continue;
      velocity_at(q + 7*body, v + 6*body, c->point, after);
      velocity_at(q + 7*body, u + 6*body, c->point, before);
      trace += mobility(&scene->tree.body[body], q + 7*body, c->point);
      for (int k = 0; k < 3; k++) {
        xi[k] += sign*after[k];
        free[k] += sign*(before[k] + dt*scene->tree.gravity[k]);
        change[3*body + k] += sign*c->impulse[k];
      }
    }
    b = fmax(b, sqrt(dot(free, free)));
    out.residual = fmax(out.residual, natural_map(c, xi, 1/trace));
    out.deepest = fmax(out.deepest, c->depth);
  }
  if (b > 0) out.residual /= b;
  for (int i = 0; i < scene->tree.n_body; i++) {
    double miss[3], m = scene->tree.body[i].mass;
    for (int k = 0; k < 3; k++)
      miss[k] = m*(v[6*i + k] - u[6*i + k] - dt*scene->tree.gravity[k]) - change[3*i + k];
    out.balance = fmax(out.balance, sqrt(dot(miss, miss))/(m*G*dt));
  }
  free(change);
  return out;
}

// One step, judged
static judged judged_step(const engine* e, void* world, const ss_scene* scene)
{
  double *q = room_for(scene->nq), *u = room_for(scene->nv), *v = room_for(scene->nv);
  e->state(world, q, u);
  e->step(world);
  e->state(world, NULL, v);
  int n = e->contacts(world, NULL, 0);
  engine_contact* list = calloc((size_t)n + 1, sizeof *list);
  e->contacts(world, list, n);
  judged out = judge(scene, list, n, q, u, v);
  free(list);
  free(v);
  free(u);
  free(q);
  return out;
}

// ---- a block on a slope --------------------------------------------------------------------------------------------

// The floor is level and gravity leans: down the slope is the direction `heading` from the x axis, along which friction
// pyramids usually lie.
static ss_scene* slope(double heading, double mu)
{
  char text[1000];
  ss_error error = {0};
  snprintf(text, sizeof text,
    "<mujoco><option timestep='1e-3' gravity='%.17g %.17g %.17g'/><default><geom friction='%.17g'/></default>"
    "<worldbody><geom type='plane' size='0 0 1'/><body pos='0 0 0.125'><freejoint/>"
    "<geom type='box' size='0.25 0.25 0.125' mass='1'/></body></worldbody></mujoco>",
    G*sin(SLOPE)*cos(heading), G*sin(SLOPE)*sin(heading), -G*cos(SLOPE), mu);
  ss_scene* scene = ss_scene_parse(text, strlen(text), "slope", 0, NULL, &error);
  if (!scene) exit(1);
  return scene;
}

static void run(const engine* e, void* world, long n)
{
  for (long i = 0; i < n; i++) e->step(world);
}

// Way along the slope in `time`, after one second to settle; *begin and *end get the speed along it
static double way(const engine* e, double heading, double mu, double time, double* begin, double* end)
{
  ss_scene* scene = slope(heading, mu);
  void* world = e->open(scene);
  double q[7], q0[7], u[6], u0[6], x = cos(heading), y = sin(heading);
  run(e, world, 1000);
  e->state(world, q0, u0);
  run(e, world, lround(time*1000));
  e->state(world, q, u);
  e->close(world);
  ss_scene_destroy(scene);
  *begin = u0[0]*x + u0[1]*y;
  *end = u[0]*x + u[1]*y;
  return (q[0] - q0[0])*x + (q[1] - q0[1])*y;
}

static void print_head(const char* first)
{
  printf("%-12s", first);
  for (int e = 0; e < ENGINES; e++) printf(" %12s", engines[e]->name);
  printf("\n");
}

static void incline(void)
{
  double begin, end;
  printf("\nA block on a slope of 20 degrees, mu = 1.01 tan 20: creep, mm/s (mean of 10 s)\n");
  print_head("heading");
  for (int h = 0; h <= 90; h += 15) {
    printf("%-12d", h);
    for (int e = 0; e < ENGINES; e++)
      printf(" %12.3g", 1e3*way(engines[e], h*DEGREE, 1.01*tan(SLOPE), 10, &begin, &end)/10);
    printf("\n");
  }
  printf("\nThe same, mu = 0.99 tan 20: acceleration over g (sin 20 - mu cos 20), less 1 (in 1 s)\n");
  print_head("heading");
  double exact = G*(sin(SLOPE) - 0.99*tan(SLOPE)*cos(SLOPE));
  for (int h = 0; h <= 90; h += 15) {
    printf("%-12d", h);
    for (int e = 0; e < ENGINES; e++) {
      way(engines[e], h*DEGREE, 0.99*tan(SLOPE), 1, &begin, &end);
      printf(" %12.3g", (end - begin)/exact - 1);
    }
    printf("\n");
  }
}

// ---- grasp, stacks, piles ------------------------------------------------------------------------------------------

static double median(double* x, int n)
{
  for (int i = 1; i < n; i++)
    for (int j = i; j > 0 && x[j] < x[j - 1]; j--) {
      double swap = x[j];
      x[j] = x[j - 1];
      x[j - 1] = swap;
    }
  return n%2 ? x[n/2] : (x[n/2 - 1] + x[n/2])/2;
}

static void grasp(void)
{
  ss_scene* scene = load("gripper-hold", NULL);
  printf("\nA ball held by two fingers that could carry three times its weight: how far it has sunk, mm\n");
  print_head("after");
  void* world[ENGINES];
  double *q = room_for(scene->nq), start[ENGINES];
  for (int e = 0; e < ENGINES; e++) {
    world[e] = engines[e]->open(scene);
    engines[e]->state(world[e], q, NULL);
    start[e] = q[3];
  }
  for (int t = 1; t <= 10; t += t == 1 ? 4 : 5) {
    printf("%2d s        ", t);
    for (int e = 0; e < ENGINES; e++) {
      run(engines[e], world[e], t == 1 ? 1000 : t == 5 ? 4000 : 5000);
      engines[e]->state(world[e], q, NULL);
      printf(" %12.3g", 1e3*(start[e] - q[3]));
    }
    printf("\n");
  }
  for (int e = 0; e < ENGINES; e++) engines[e]->close(world[e]);
  free(q);
  ss_scene_destroy(scene);
}

typedef struct course {
  void* world;
  double* q0;
  double time[64];  // per step, one for each turn
  int turns;
  long steps;
  double spent;        // s in all; those that take long give up turns
  double drift, sunk;  // sideways, downwards, worst body
  judged last;
} course;

// Worst way of a body from its start: sideways, and in height
static void measure_drift(const engine* e, const ss_scene* scene, course* c)
{
  double* q = room_for(scene->nq);
  e->state(c->world, q, NULL);
  for (int i = 0; i < scene->tree.n_body; i++) {
    c->drift = fmax(c->drift, hypot(q[7*i] - c->q0[7*i], q[7*i + 1] - c->q0[7*i + 1]));
    c->sunk = fmax(c->sunk, fabs(q[7*i + 2] - c->q0[7*i + 2]));
  }
  free(q);
}

static void print_course(const char* name, const ss_scene* scene, course* c)
{
  double dt = scene->option.timestep, ours = 1e6*median(c[0].time, c[0].turns);
  printf("\n%s: %d bodies; our tolerance is %g\n", name, scene->tree.n_body, scene->run.solver.tol);
  printf("%-12s %10s %8s %8s %10s %10s %9s %9s %9s %9s\n", "", "us/step", "to ours", "contacts", "residual", "balance",
         "deepest m", "aside m", "height m", "s");
  for (int e = 0; e < ENGINES; e++) {
    if (!c[e].world) continue;
    double time = 1e6*median(c[e].time, c[e].turns);
    const judged* j = &c[e].last;
    printf("%-12s %10.1f %8.2f %8d %10.1e %10.1e %9.1e %9.1e %9.1e %9.3g\n", engines[e]->name, time, time/ours,
           j->contacts, j->residual, j->balance, j->deepest, c[e].drift, c[e].sunk, (double)c[e].steps*dt);
  }
}

enum { PATIENCE = 20 };  // s of processor time

typedef enum entry {
  ALL,
  LARGE,  // not those whose methods are of third order in the number of contacts: seconds for a step
  OURS,
} entry;

static bool takes_part(int e, entry who)
{
  bool dense = strcmp(engines[e]->name, "ODE") == 0 || strcmp(engines[e]->name, "DART") == 0;
  return e == 0 || who == ALL || (who == LARGE && !dense);
}

// `turns` turns of n steps of each engine, one after the other
static void compete(const char* name, const char* tolerance, int turns, long n, entry who)
{
  ss_scene* scene = load(name, tolerance);
  course c[ENGINES] = {0};
  for (int e = 0; e < ENGINES; e++) {
    if (!takes_part(e, who)) continue;
    c[e].world = engines[e]->open(scene);
    if (!c[e].world) continue;
    c[e].q0 = room_for(scene->nq);
    engines[e]->state(c[e].world, c[e].q0, NULL);
  }
  for (int turn = 0; turn < turns; turn++) {
    for (int e = 0; e < ENGINES; e++) {
      if (!c[e].world || c[e].spent > PATIENCE) continue;
      double start = cpu_seconds();
      run(engines[e], c[e].world, n - 1);
      c[e].time[c[e].turns++] = (cpu_seconds() - start)/(double)(n - 1);
      c[e].spent += cpu_seconds() - start;
      c[e].steps += n;
      c[e].last = judged_step(engines[e], c[e].world, scene);
      measure_drift(engines[e], scene, &c[e]);
    }
  }
  print_course(name, scene, c);
  for (int e = 0; e < ENGINES; e++) {
    if (c[e].world) engines[e]->close(c[e].world);
    free(c[e].q0);
  }
  ss_scene_destroy(scene);
}

static void stack(void)
{
  compete("stack10", NULL, 10, 1000, ALL);
  compete("stack30", NULL, 10, 1000, ALL);
}

// Tolerances from what other engines leave on
static void pile(void)
{
  compete("pile200", "1e-3", 5, 20, LARGE);
  compete("pile1000", "1e-3", 3, 5, LARGE);
  static const char* const others[] = {"3e-1", "1e-1", "1e-2", "1e-4"};
  for (int i = 0; i < 4; i++) {
    compete("pile200", others[i], 5, 20, OURS);
    compete("pile1000", others[i], 3, 5, OURS);
  }
}

int main(int n, char** argument)
{
  static const struct {
    const char* name;
    void (*run)(void);
  } parts[] = {{"incline", incline}, {"grasp", grasp}, {"stack", stack}, {"pile", pile}};
  for (int i = 0; i < 4; i++) {
    bool wanted = n < 2;
    for (int k = 1; k < n; k++) wanted = wanted || strcmp(argument[k], parts[i].name) == 0;
    if (wanted) parts[i].run();
  }
  return 0;
}
