// Jacobi's method for symmetric 3 x 3 matrices: turns about one axis at a time until nothing is left off the diagonal.
#include "math/principal.h"
#include <stdbool.h>

// Turns about axis k so that the entry (i, j) vanishes [Golub & Van Loan 2013, section 8.5]. False if it did before.
static bool turn(double a[3][3], int k, ss_quat* q)
{
  int i = (k + 1)%3, j = (k + 2)%3;
  double off = a[i][j];
  if (fabs(off) <= 1e-18*(fabs(a[i][i]) + fabs(a[j][j]))) return false;
  double theta = (a[j][j] - a[i][i])/(2*off);
  double t = copysign(1, theta)/(fabs(theta) + sqrt(1 + theta*theta)), c = 1/sqrt(1 + t*t), s = c*t;
  double ki = a[k][i], kj = a[k][j];
  a[i][i] -= t*off;
  a[j][j] += t*off;
  a[i][j] = a[j][i] = 0;
  a[k][i] = a[i][k] = c*ki - s*kj;
  a[k][j] = a[j][k] = s*ki + c*kj;
  // the new axes i, j are c e_i - s e_j and s e_i + c e_j: a turn by -atan(t) about axis k
  double half = -0.5*atan(t), v[3] = {0, 0, 0};
  v[k] = sin(half);
  *q = ss_quat_mul(*q, (ss_quat){cos(half), v[0], v[1], v[2]});
  return true;
}

ss_vec3 ss_sym3_principal(const ss_sym3* A, ss_quat* axes)
{
  double a[3][3] = {{A->xx, A->xy, A->xz}, {A->xy, A->yy, A->yz}, {A->xz, A->yz, A->zz}};
  ss_quat q = {1, 0, 0, 0};
  for (int sweep = 0; sweep < 30; sweep++) {
    bool moved = turn(a, 2, &q);
    moved |= turn(a, 1, &q);
    moved |= turn(a, 0, &q);
    if (!moved) break;
  }
  *axes = ss_quat_normalized(q);
  return (ss_vec3){a[0][0], a[1][1], a[2][2]};
}
