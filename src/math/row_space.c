// Gram and Schmidt's method, modified, with the longest row next; what is taken out of a row is taken out of its
// right-hand side.
#include "math/row_space.h"
#include <math.h>
#include <string.h>

#include "math/dense.h"

static void take_out(int n, const double* r, double g, double* row, double* c)
{
  double part = ss_dot(n, r, row);
  ss_axpy(n, -part, r, row);
  *c -= part*g;
}

// Rows of length one; what is zero stays it
static void normalise(int n, double* row, double* c)
{
  double length = sqrt(ss_dot(n, row, row));
  if (!(length > 0)) return;
  for (int j = 0; j < n; j++) row[j] /= length;
  *c /= length;
}

static int longest(int rows, int n, const double* A, double least)
{
  int best = -1;
  double most = least*least;
  for (int i = 0; i < rows; i++) {
    double length = ss_dot(n, A + i*n, A + i*n);
    if (!(length > most)) continue;
    most = length;
    best = i;
  }
  return best;
}

int ss_row_space(int rows, int n, double* A, double* c, double rtol, double* R, double* g)
{
  int rank = 0, i;
  for (i = 0; i < rows; i++) normalise(n, A + i*n, c + i);
  while (rank < n && rank < rows && (i = longest(rows, n, A, rtol)) >= 0) {
    double* r = R + rank*n;
    memcpy(r, A + i*n, sizeof(double)*(size_t)n);
    g[rank] = c[i];
    normalise(n, r, g + rank);
    for (int k = 0; k < rank; k++) take_out(n, R + k*n, g[k], r, g + rank);  // twice is enough [Parlett 1980]
    normalise(n, r, g + rank);
    memset(A + i*n, 0, sizeof(double)*(size_t)n);
    for (int j = 0; j < rows; j++) take_out(n, r, g[rank], A + j*n, c + j);
    rank++;
  }
  return rank;
}
