// A plate on three feet is pushed and twisted on a rough floor: which feet stick, which slide? A contact problem with
// the exact friction cone, in global form: M v = H Lambda + f,  xi = H^T v.
#include <math.h>
#include <stdio.h>
#include <stickslip/friction.h>

int main(void)
{
  // A plate of 2 kg; v = (vx, vy, vz, wx, wy, wz), moments of inertia about its centre of mass in kg m^2
  const double M[36] = {[0] = 2, [7] = 2, [14] = 2, [21] = 0.02, [28] = 0.02, [35] = 0.04};
  const double foot[3][3] = {{0.2, 0, -0.1}, {-0.1, 0.15, -0.1}, {-0.1, -0.15, -0.1}};  // m, from the centre of mass
  const double mu[3] = {0.3, 0.3, 0.3}, w[9] = {0};
  const double dt = 1e-3, f[6] = {0, 4.5*dt, -2*9.81*dt, 0, 0, -0.6*dt};  // push, weight, twist during a step, N s
  double H[6*9] = {0};
  for (int i = 0; i < 3; i++)
    for (int c = 0; c < 3; c++) {        // directions N = z, T1 = x, T2 = y: the velocity of the foot is v + w x r
      const double d[3] = {c == 1, c == 2, c == 0}, *r = foot[i];
      const double column[6] = {d[0], d[1], d[2], r[1]*d[2] - r[2]*d[1], r[2]*d[0] - r[0]*d[2], r[0]*d[1] - r[1]*d[0]};
      for (int l = 0; l < 6; l++) H[l*9 + 3*i + c] = column[l];
    }

  ss_error error = {0};
  ss_friction_problem problem = {.dim = 3, .n_contact = 3, .mu = mu, .global = true, .f = f, .w = w};
  if (ss_sparse_from_dense(6, 6, M, &problem.M, &error) < 0 || ss_sparse_from_dense(6, 9, H, &problem.H, &error) < 0)
    return fprintf(stderr, "%s\n", error.text), 1;
  ss_friction_solver* solver = ss_friction_solver_create(&problem, &error);  // once; solving allocates nothing
  if (!solver) return fprintf(stderr, "%s\n", error.text), 1;

  double Lambda[9] = {0}, xi[9], residual = 1;
  ss_friction_def def = ss_friction_def_default();
  ss_friction_solution s = {.Lambda = Lambda, .xi = xi};
  ss_status status = ss_friction_solve(solver, &def, &s);
  if (status >= 0) ss_friction_residual(&problem, Lambda, xi, &residual, &error);  // by the problem alone
  printf("%s by %s, residual %.1e\n", ss_status_text(status), ss_friction_method_name(s.method), residual);
  for (int i = 0; i < 3 && status >= 0; i++) {
    const double *L = Lambda + 3*i, slip = hypot(xi[3*i + 1], xi[3*i + 2]);
    printf("foot %d: normal force %.3f N, friction %.3f N of at most %.3f N: %s\n", i + 1, L[0]/dt,
           hypot(L[1], L[2])/dt, mu[i]*L[0]/dt, L[0] == 0 ? "open" : slip < 1e-7 ? "sticks" : "slides");
  }
  ss_friction_solver_destroy(solver);
  ss_sparse_free(&problem.M);
  ss_sparse_free(&problem.H);
  return status == SS_OK && residual <= def.tol ? 0 : 1;
}
