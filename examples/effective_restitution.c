// Which restitution does a scheme really have? A ball that should bounce elastically is dropped from slightly different
// heights, and the speed of the first bounce compared with that of the fall [Stewart 2000, section 4.2, Fig. 4.1].
//   midpoint  implicit midpoint rule with  0 <= N _|_ (q_n + q_n+1)/2 >= 0
//   newmark   beta = 0, gamma = 1, contact forces implicit: 0 <= N _|_ q_n+1 >= 0 [Kane et al. 1999, our reading]
//   moreau    Moreau's midpoint rule with Newton's law on velocities, from this library
// Forces that act on positions make the outcome depend on where in its step the ball meets the floor.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <stickslip/stickslip.h>

static const double g = 9.8213;

// One step of unit mass; v is its velocity
static void midpoint(double h, double* q, double* v)
{
  double free = *v - h*g, q_free = *q + h/2*(*v + free);
  if (*q + q_free < 0) {
    q_free = -*q;
    free = 2*(q_free - *q)/h - *v;
  }
  *q = q_free;
  *v = free;
}

static void newmark(double h, double* q, double* v)
{
  double q_free = *q + h**v - h*h/2*g, contact = q_free < 0 ? -2*q_free/(h*h) : 0;
  *q = q_free + h*h/2*contact;
  *v += h*(contact - g);
}

// sqrt of the energy after the first bounce over that before
static double bounce(void (*step)(double, double*, double*), double h, double height)
{
  double q = height, v = 0;
  while (v <= 0) {
    if (v < 0 && fabs(v) < 1e-3 && q < 1e-3) return 0;
    step(h, &q, &v);
  }
  for (int i = 0; i < 3; i++) step(h, &q, &v);  // clear of the floor
  return sqrt((v*v/2 + g*q)/(g*height));
}

static double bounce_moreau(double h, double height)
{
  ss_error error;
  char text[64], message[512];
  snprintf(text, sizeof text, "%.17g", height);
  ss_override set[] = {{"e", "1"}, {"g", "9.8213"}, {"initial.y", text}, {"initial.x'", "0"}};
  ss_model_def how = {.n_override = 4, .override = set};
  ss_model* model = ss_model_load("ball", &how, &error);
  if (!model) {
    fprintf(stderr, "%s\n", ss_error_format(&error, message, sizeof message));
    exit(2);
  }
  const ss_system* system = ss_model_system(model);
  ss_state* s = ss_state_create(system);
  ss_work* w = ss_work_create(system, &error);
  ss_step_def def = ss_step_def_default();
  def.dt = h;
  ss_model_initial(model, s);
  while (s->u[1] <= 0 && ss_step(system, &def, s, w) >= 0) {}
  double e = sqrt((s->u[1]*s->u[1]/2 + g*s->q[1])/(g*height));
  ss_work_destroy(w);
  ss_state_destroy(s);
  ss_model_destroy(model);
  return e;
}

int main(void)
{
  printf("height, m   midpoint    newmark     moreau      (effective restitution; 1 is right)\n");
  for (int i = 0; i < 8; i++) {
    double height = 1 + 0.006*i;
    printf("%9.3f   %8.4f   %8.4f   %8.4f\n", height, bounce(midpoint, 0.01, height), bounce(newmark, 0.001, height),
           bounce_moreau(0.001, height));
  }
  return 0;
}
