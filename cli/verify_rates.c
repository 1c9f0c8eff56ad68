// With constant velocities u of its joints the rows of a scene change by their bias alone, d(W u)/dt = w_bar. What the
// model says of w_bar, and arcs are followed with, must be what W does: central differences of order 4 with two steps,
// extrapolated. Nothing is said where these do not agree, as within a step of an edge that a point passes.
#include "verify_rates.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#define STEP 1e-3     // of the time in which the fastest velocity is one
#define ROUND 1e3     // times round-off: of what a velocity of a row is known to
#define ROUGH 1e-6    // of its size: what is known no better is not looked at
#define FAINT 1e-8    // of the accelerations that forces bring about: what rests has rates of round-off
#define PLACES 8

static bool is_looked_at(const cli_flight* f, int i)
{
  const double* N = f->item[i].frame;
  bool has_place = N[0] != 0 || N[1] != 0 || N[2] != 0;
  return has_place && f->mode[i] != SS_OPEN && f->item[i].law->kind != SS_CONTACT_FRICTION;
}

// W u of all rows at the time h along the motion
static bool look(cli_flight* f, const double* q, const double* u, double t, double h, double* to, double* gamma)
{
  f->op->advance(f->c->d->user, q, u, h, to);
  if (!cli_flight_place(f, to, u, t + h)) return false;
  for (int r = 0; r < f->rows; r++) gamma[r] = (double)cli_flight_velocity(f, r, u) + f->w_hat[r];
  return true;
}

// The largest velocity that its rows have, term by term, with the largest of each so far
static double terms_of(const cli_flight* f, int i)
{
  double most = 0;
  for (int r = f->row[i]; r < f->row[i] + ss_contact_rows(f->item[i].law->kind); r++) {
    double sum = 0;
    for (int j = 0; j < f->nv; j++) sum += fabs(f->W[r*f->nv + j]*f->most[j]);
    most = fmax(most, sum);
  }
  return most;
}

static double longest_of(const cli_flight* f, int i)
{
  double most = 0;
  for (int r = f->row[i]; r < f->row[i] + ss_contact_rows(f->item[i].law->kind); r++)
    for (int j = 0; j < f->nv; j++) most = fmax(most, fabs(f->W[r*f->nv + j]));
  return most;
}

// at[k]: rows at places -2h, -h, h, 2h, then those with half of h. size: of an acceleration there
static void check_row(const cli_flight* f, long row, int r, double h, double terms, double size,
                      double* const at[PLACES])
{
  double coarse = (at[0][r] - 8*at[1][r] + 8*at[2][r] - at[3][r])/(12*h);
  double fine = (at[4][r] - 8*at[5][r] + 8*at[6][r] - at[7][r])/(6*h);
  double slope = fine + (fine - coarse)/15, off = fabs(f->w_bar[r] - slope);
  double known = fabs(fine - coarse)/4 + ROUND*DBL_EPSILON*terms/h;
  size += fabs(slope);
  if (known < ROUGH*size) cli_verify_note(f->c, CLI_KINEMATICS, row, fmax(0, off - known), size);
}

bool cli_rates_check(cli_flight* f, long row, const double* q, const double* u, double t)
{
  static const double part[PLACES] = {-2, -1, 1, 2, -1, -0.5, 0.5, 1};
  double fastest = 0, *at[PLACES];
  bool any = false, good = true;
  for (int j = 0; j < f->nv; j++) fastest = fmax(fastest, f->most[j]);
  for (int i = 0; i < f->n; i++) any = any || is_looked_at(f, i);
  if (!any || !(fastest > 0) || !f->op->advance) return true;
  double h = STEP/fastest, *room = calloc((size_t)f->nq + PLACES*(size_t)f->rows, sizeof *room);
  if (!room) return false;
  for (int k = 0; k < PLACES; k++) at[k] = room + f->nq + k*f->rows;
  for (int k = 0; good && k < PLACES; k++) good = look(f, q, u, t, part[k]*h, room, at[k]);
  bool here = cli_flight_place(f, q, u, t);
  if (here) f->op->row_bias(&f->c->at, f->w_bar);
  for (int i = 0; here && good && i < f->n; i++) {
    double terms = is_looked_at(f, i) ? terms_of(f, i) : 0, weight = FAINT*(double)f->fall*longest_of(f, i);
    for (int k = 0; terms > 0 && k < ss_contact_rows(f->item[i].law->kind); k++)
      check_row(f, row, f->row[i] + k, h, terms, terms*fastest + weight, at);
  }
  free(room);
  return here;
}
