// `stickslip verify` of planar bodies: the rows of a contact from the place and the directions in the file. Where two
// corners meet exactly, round-off decides which edge a contact takes its normal from; then a list that is made anew has
// another one.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <stickslip/model.h>

#include "verify.h"

#define STEP 1e-6  // of differences of poses: exact for bodies that move freely, else to some 1e-10

// The velocity of body b along direction d at a point, from the change of its pose
static double along(const double pose[3], const double rate[3], const double point[3], const double d[3])
{
  double x = rate[0] - rate[2]*(point[1] - pose[1]), y = rate[1] + rate[2]*(point[0] - pose[0]);
  return d[0]*x + d[1]*y;
}

// rate = (high - low)/(2 step), 3 n numbers
static void differ(int n, double step, const double* low, double* high)
{
  for (int i = 0; i < 3*n; i++) high[i] = (high[i] - low[i])/(2*step);
}

static void add_entries(const ss_run_contact* c, const double* pose, const double* rate, double entry[2])
{
  entry[0] = entry[1] = 0;
  for (int side = 0; side < 2; side++) {
    int body = side ? c->body_b : c->body_a;
    if (body < 0) continue;
    for (int k = 0; k < 2; k++)
      entry[k] += (side ? 1 : -1)*along(pose + 3*body, rate + 3*body, c->point, c->frame + 3*k);
  }
}

bool cli_verify_place_rows(cli_verifier* v, const double* q, double t, const ss_run_contact* c, double* W,
                           double w_hat[2])
{
  int n = ss_model_bodies(v->model), nv = v->d->nv;
  double *pose = calloc(9*(size_t)n + (size_t)nv + 1, sizeof *pose), entry[2];
  if (!pose) return false;
  double *low = pose + 3*n, *high = low + 3*n, *x = high + 3*n;
  memcpy(x, q, sizeof(double)*(size_t)nv);
  bool ok = ss_model_place_bodies(v->model, q, t, pose) >= 0;
  for (int j = 0; ok && j <= nv; j++) {  // the last one: time
    double step = j < nv ? STEP*(1 + fabs(q[j])) : STEP;
    if (j < nv) x[j] = q[j] - step;
    ok = ss_model_place_bodies(v->model, x, j < nv ? t : t - step, low) >= 0;
    if (j < nv) x[j] = q[j] + step;
    ok = ok && ss_model_place_bodies(v->model, x, j < nv ? t : t + step, high) >= 0;
    if (j < nv) x[j] = q[j];
    differ(n, step, low, high);
    add_entries(c, pose, high, j < nv ? entry : w_hat);
    for (int k = 0; j < nv && k < 2; k++) W[k*nv + j] = entry[k];
  }
  free(pose);
  return ok;
}
