// A system given by C functions: a block on a spring, sliding on a floor, hits a wall at x = 0.
#include <stdio.h>
#include <stickslip/stickslip.h>

static ss_status mass(const ss_at* at, double* M)
{
  (void)at;
  M[0] = M[3] = 2.0;  // kg
  M[1] = M[2] = 0;
  return SS_OK;
}

static ss_status force(const ss_at* at, double* h)
{
  h[0] = -50*(at->q[0] + 0.2);  // N: spring, relaxed at x = -0.2 m, behind the wall
  h[1] = -2.0*9.81;
  return SS_OK;
}

// Two contacts with two rows each, normal first: W is 4 x 2, row by row. gamma = W u + w_hat.
static ss_status contacts(const ss_at* at, double* gap, double* W, double* w_hat)
{
  static const double directions[4][2] = {{1, 0}, {0, 1}, {0, 1}, {1, 0}};
  gap[0] = at->q[0];  // wall: distance x, sliding along y
  gap[1] = at->q[1];  // floor: distance y, sliding along x
  for (int r = 0; r < 4; r++) {
    W[2*r] = directions[r][0];
    W[2*r + 1] = directions[r][1];
    w_hat[r] = 0;
  }
  return SS_OK;
}

int main(void)
{
  const char* names[] = {"x", "y"};
  const ss_contact_def laws[] = {{.name = "wall", .kind = SS_CONTACT_PLANAR, .mu = 0, .eps_n = 0.7},
                                 {.name = "floor", .kind = SS_CONTACT_PLANAR, .mu = 0.1}};
  ss_error error;
  ss_system* system = ss_system_create(&(ss_system_def){.name = "block", .nv = 2, .coordinate = names, .n_contact = 2,
    .contact = laws, .mass_is_constant = true, .mass = mass, .force = force, .contacts = contacts}, &error);
  ss_state* s = ss_state_create(system);
  ss_work* w = ss_work_create(system, &error);
  ss_step_def def = ss_step_def_default();
  s->q[0] = 0.5;
  while (s->t < 3) {
    if (ss_step(system, &def, s, w) < 0) return printf("t = %g: %s\n", s->t, ss_work_message(w)), 1;
    const ss_contact_result* wall = &ss_work_info(w)->contact[0];
    if (wall->Lambda[0] > 0.1) printf("t = %.4f s: hits the wall at %.3f m/s, leaves at %.3f m/s\n", s->t,
                                      wall->gamma_before[0], wall->gamma_after[0]);
  }
  printf("at t = %.1f s: x = %.6f m, residual of the last step %.1e\n", s->t, s->q[0], ss_work_info(w)->residual);
  ss_work_destroy(w);
  ss_state_destroy(s);
  ss_system_destroy(system);
  return 0;
}
