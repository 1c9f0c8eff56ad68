// The method of order 8 with error estimates of orders 5 and 3 by Dormand and Prince, DOP853
// [Hairer, Norsett & Wanner 1993, section II.5 and appendix]. Coefficients to the last digit of a double.
#include "integrate/rk8.h"

#include <math.h>
#include <string.h>

enum { STAGES = SS_RK8_STAGES };

const double ss_rk8_at[STAGES] = {
  0, 0.05260015195876773, 0.0789002279381516, 0.1183503419072274, 0.2816496580927726, 1/3.0,
  0.25, 4/13.0, 127/195.0, 0.6, 6/7.0, 1,
};
const int ss_rk8_in_time[STAGES] = {0, 1, 2, 3, 6, 4, 7, 5, 9, 8, 10, 11};

static const double a[STAGES][STAGES] = {
  {0},
  {0.05260015195876773},
  {0.0197250569845379, 0.0591751709536137},
  {0.02958758547680685, 0, 0.08876275643042054},
  {0.2413651341592667, 0, -0.8845494793282861, 0.924834003261792},
  {0.037037037037037035, 0, 0, 0.17082860872947386, 0.12546768756682242},
  {0.037109375, 0, 0, 0.17025221101954405, 0.06021653898045596, -0.017578125},
  {0.03709200011850479, 0, 0, 0.17038392571223998, 0.10726203044637328, -0.015319437748624402, 0.008273789163814023},
  {0.6241109587160757, 0, 0, -3.3608926294469414, -0.868219346841726, 27.59209969944671, 20.154067550477894,
   -43.48988418106996},
  {0.47766253643826434, 0, 0, -2.4881146199716677, -0.590290826836843, 21.230051448181193, 15.279233632882423,
   -33.28821096898486, -0.020331201708508627},
  {-0.9371424300859873, 0, 0, 5.186372428844064, 1.0914373489967295, -8.149787010746927, -18.52006565999696,
   22.739487099350505, 2.4936055526796523, -3.0467644718982196},
  {2.273310147516538, 0, 0, -10.53449546673725, -2.0008720582248625, -17.9589318631188, 27.94888452941996,
   -2.8589982771350235, -8.87285693353063, 12.360567175794303, 0.6433927460157636},
};

static const double b[STAGES] = {
  0.054293734116568765, 0, 0, 0, 0, 4.450312892752409,
  1.8915178993145003, -5.801203960010585, 0.3111643669578199, -0.1521609496625161, 0.20136540080403034,
  0.04471061572777259,
};

// differences of b to the embedded methods of order 5 and 3
static const double e5[STAGES] = {
  0.01312004499419488, 0, 0, 0, 0, -1.2251564463762044,
  -0.4957589496572502, 1.6643771824549864, -0.35032884874997366, 0.3341791187130175, 0.08192320648511571,
  -0.022355307863886294,
};
static const double b3[STAGES] = {[0] = 0.2440944881889764, [8] = 0.7338466882816118, [11] = 0.022058823529411766};

// to = y + h sum_j w_j k_j over the first `stages` rows of k
static void combine(const ss_rk8* rk, int stages, const double* w, double h, const double* y, double* to)
{
  int n = rk->n, width = n + rk->nz;
  memcpy(to, y, sizeof(double)*(size_t)n);
  for (int j = 0; j < stages; j++) {
    if (w[j] == 0) continue;
    const double* k = rk->k + j*width;
    double factor = h*w[j];
    for (int i = 0; i < n; i++) to[i] += factor*k[i];
  }
}

// The quadratures: no stage depends on them, so that only the end of the step needs them
static void add_quadratures(const ss_rk8* rk, double h, double* dz)
{
  int width = rk->n + rk->nz;
  memset(dz, 0, sizeof(double)*(size_t)rk->nz);
  for (int j = 0; j < STAGES; j++) {
    if (b[j] == 0) continue;
    const double* k = rk->k + j*width + rk->n;
    for (int i = 0; i < rk->nz; i++) dz[i] += h*b[j]*k[i];
  }
}

ss_status ss_rk8_step(const ss_rk8* rk, double t, double h, const double* y, double* y1, double* dz)
{
  int width = rk->n + rk->nz;
  for (int j = 1; j < STAGES; j++) {
    combine(rk, j, a[j], h, y, rk->stage);
    ss_status st = rk->f(rk->user, t + ss_rk8_at[j]*h, rk->stage, rk->k + j*width);
    if (st < 0) return st;
  }
  combine(rk, STAGES, b, h, y, y1);
  add_quadratures(rk, h, dz);
  return SS_OK;
}

// Both estimates for a function whose values at the stages are `stride` apart
static void differences(const double* f, int stride, double* d5, double* d3)
{
  *d5 = *d3 = 0;
  for (int j = 0; j < STAGES; j++) {
    *d5 += e5[j]*f[j*stride];
    *d3 += (b[j] - b3[j])*f[j*stride];
  }
}

// |h| e5^2/sqrt(e5^2 + 0.01 e3^2)   [HNW (10.17) of appendix dop853], the largest of all components: what is at rest
// does not make up for what is not
double ss_rk8_error(const ss_rk8* rk, double h, const double* scale)
{
  double worst = 0, d5, d3;
  for (int i = 0; i < rk->n_checked; i++) {
    differences(rk->k + i, rk->n + rk->nz, &d5, &d3);
    if (!isfinite(d5)) return INFINITY;
    double error = d5 != 0 ? fabs(d5)/(scale[i]*sqrt(1 + 0.01*(d3/d5)*(d3/d5))) : 0;
    if (!isfinite(error)) return INFINITY;
    worst = fmax(worst, error);
  }
  return fabs(h*worst);
}

void ss_rk8_difference(const ss_rk8* rk, double h, double* out)
{
  double d5, d3;
  for (int i = 0; i < rk->n; i++) {
    differences(rk->k + i, rk->n + rk->nz, &d5, &d3);
    out[i] = h*d5;
  }
}

double ss_rk8_integral(double h, const double f[STAGES])
{
  double sum = 0;
  for (int j = 0; j < STAGES; j++) sum += b[j]*f[j];
  return h*sum;
}

double ss_rk8_integral_error(double h, const double f[STAGES])
{
  double d5, d3;
  differences(f, 1, &d5, &d3);
  return fabs(h)*fmax(fabs(d5), fabs(d3)/3);
}
