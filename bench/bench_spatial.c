// Time of ss_contact_solve_spatial() on small problems: one sphere, bodies on several feet, random heaps with joints.
// Cold starts, and warm ones from the impulses of a problem that differs by 1 %. Median over many random velocities.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stickslip/stickslip.h>
#include "clock.h"

enum { ROWS = 120, BODIES = 20, TRIES = 200 };

// In [-1, 1), the same on every machine
static double random_number(void)
{
  static uint64_t x = 88172645463325252u;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  return (double)(x >> 11)*0x1p-52 - 1;
}

static double W[6*BODIES][ROWS], G[ROWS*ROWS], v[6*BODIES], b[ROWS], mu[ROWS], bound[ROWS], Lambda[ROWS], xi[ROWS];
static ss_contact_kind kind[ROWS];
static ss_contact_state state[ROWS];

// Rows of a point contact at r of body `body` (unit mass and inertia 0.4), normal along z, into columns from `at`
static void add_foot(int body, const double r[3], double sign, int at)
{
  static const double e[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
  for (int k = 0; k < 3; k++) {
    double cross[3] = {r[1]*e[k][2] - r[2]*e[k][1], r[2]*e[k][0] - r[0]*e[k][2], r[0]*e[k][1] - r[1]*e[k][0]};
    for (int i = 0; i < 3; i++) {
      W[6*body + i][at + k] += sign*e[k][i];
      W[6*body + 3 + i][at + k] += sign*cross[i]/sqrt(0.4);
    }
  }
}

static void random_foot(double r[3])
{
  r[0] = random_number();
  r[1] = random_number();
  r[2] = -1;
}

// n_b bilateral rows (sliding hinges between neighbours), k contacts among `bodies` bodies and the ground
static ss_contact_problem build(int bodies, int nb, int k)
{
  int m = nb + 3*k;
  memset(W, 0, sizeof W);
  for (int j = 0; j < nb; j++)
    for (int i = 0; i < 12; i++) W[(6*(j%bodies) + i)%(6*bodies)][j] = random_number();
  for (int c = 0; c < k; c++) {
    double r[3] = {0, 0, -1};
    if (k > 1) random_foot(r);
    add_foot(c%bodies, r, 1, nb + 3*c);
    if (c >= bodies && (c + 1)%bodies != c%bodies) {
      r[2] = 1;
      add_foot((c + 1)%bodies, r, -1, nb + 3*c);
    }
    kind[c] = SS_CONTACT_SPATIAL;
    mu[c] = 0.3;
  }
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) {
      G[i*m + j] = 0;
      for (int d = 0; d < 6*bodies; d++) G[i*m + j] += W[d][i]*W[d][j];
    }
  return (ss_contact_problem){.n_bilateral = nb, .n_contact = k, .m = m, .G = G, .b = b, .kind = kind, .mu = mu,
                              .bound = bound};
}

static void velocities(int bodies, int m, double change)
{
  for (int d = 0; d < 6*bodies; d++) {
    double x = random_number() - (d%6 == 2 ? 1.5 : 0);
    v[d] = change > 0 ? v[d] + change*x : x;
  }
  for (int j = 0; j < m; j++) {
    b[j] = 0;
    for (int d = 0; d < 6*bodies; d++) b[j] += W[d][j]*v[d];
  }
}

static void measure(const char* name, int bodies, int nb, int k)
{
  double time[2][TRIES], iterations[2] = {0, 0};
  int missed = 0;
  ss_arena* arena = ss_arena_create(ss_contact_solve_spatial_size(nb, k));
  for (int t = 0; arena && t < TRIES; t++) {
    ss_contact_problem p = build(bodies, nb, k);
    ss_contact_solution s = {.Lambda = Lambda, .xi = xi, .state = state};
    ss_friction_def def = ss_friction_def_default();
    for (int warm = 0; warm < 2; warm++) {
      double start[ROWS];
      velocities(bodies, p.m, warm ? 0.01 : 0);
      memcpy(start, Lambda, sizeof start);
      def.warm_start = warm;
      time[warm][t] = 1;
      for (int repeat = 0; repeat < 5; repeat++) {
        memcpy(Lambda, start, sizeof start);
        double begin = wall_seconds();
        missed += ss_contact_solve_spatial(&p, &def, arena, &s) != SS_OK;
        double one = wall_seconds() - begin;
        if (one < time[warm][t]) time[warm][t] = one;
      }
      iterations[warm] += s.iterations;
    }
  }
  for (int w = 0; w < 2; w++) qsort(time[w], TRIES, sizeof **time, ascending);
  printf("%-30s cold %8.2f us (90 %% %8.2f), %5.1f iterations   warm %8.2f us (90 %% %8.2f), %5.1f   missed %d\n", name,
         1e6*time[0][TRIES/2], 1e6*time[0][TRIES*9/10], iterations[0]/TRIES, 1e6*time[1][TRIES/2],
         1e6*time[1][TRIES*9/10], iterations[1]/TRIES, missed);
  ss_arena_destroy(arena);
}

int main(void)
{
  measure("sphere", 1, 0, 1);
  measure("3 feet", 1, 0, 3);
  measure("4 feet", 1, 0, 4);
  measure("3 bodies, 5 contacts", 3, 0, 5);
  measure("5 bodies, 10 contacts", 5, 0, 10);
  measure("10 bodies, 10 contacts", 10, 0, 10);
  measure("5 bodies, 5 joints, 10 contacts", 5, 10, 10);
  measure("10 bodies, 30 contacts", 10, 0, 30);
  return 0;
}
