// `stickslip verify`: that no rows are missing. A run begins with step 0, has every `every`-th step, ends where it was
// to end if it says that it is complete, and of an event-driven run there is a row before and one after all events.
#include <float.h>
#include <math.h>
#include <string.h>

#include "verify.h"

static void expect(cli_verifier* v, long row, bool good) { cli_verify_note(v, CLI_TIMES, row, !good, 1); }

// Of a time, by its steps
static double round_off(const cli_verifier* v, double t)
{
  double dt = v->info->run.step.dt;
  return 1e-9*dt + 8*DBL_EPSILON*(fabs(t) + fabs(v->info->run.start))*(1 + v->step[v->info->n_rows - 1]);
}

static void check_end(cli_verifier* v)
{
  const ss_run_def* run = &v->info->run;
  long last = v->info->n_rows - 1;
  if (strcmp(v->info->status, "complete") != 0) return;
  if (!(run->until > run->start)) {
    cli_verify_leave_out(v, "the end, which the file does not tell");
    return;
  }
  bool exact = run->step.integrator == SS_EVENT_DRIVEN;
  double steps = round((run->until - run->start)/run->step.dt);
  double whole = 1e-9*fmax(run->until - run->start, fabs(run->start));  // a last step shorter than this is none
  if (exact) expect(v, last, fabs(v->t[last] - run->until) <= whole + round_off(v, run->until));
  else expect(v, last, v->step[last] == steps);
}

// The first row with this step is its end; rows of events come behind it
static bool is_full(const cli_verifier* v, long row)
{
  const ss_run_def* run = &v->info->run;
  double end = run->start + v->step[row]*run->step.dt;
  bool last = row + 1 == v->info->n_rows;
  return fabs(v->t[row] - end) <= round_off(v, end) || (last && v->t[row] == run->until);
}

static void check_steps(cli_verifier* v)
{
  double every = fmax(1, v->info->run.every);
  bool exact = v->info->run.step.integrator == SS_EVENT_DRIVEN;
  expect(v, 0, v->step[0] == 0);
  for (long row = 1; row < v->info->n_rows; row++) {
    double before = v->step[row - 1], now = v->step[row], due = every*(floor(before/every) + 1);
    bool last = row + 1 == v->info->n_rows;
    expect(v, row, now <= due);
    if (!exact) expect(v, row, now == due || last);
    else if (now == due && now > before) expect(v, row, is_full(v, row));
  }
}

// Rows of events come in pairs; the start may be one of a pair
static bool check_pairs(cli_verifier* v, ss_error* error)
{
  const double *side = ss_run_column(v->run, "side", NULL), *events = cli_verify_column(v, "counts.", "events", error);
  bool exact = v->info->run.step.integrator == SS_EVENT_DRIVEN, ended = strcmp(v->info->status, "complete") == 0;
  long n = v->info->n_rows;
  if (!events) return false;
  for (long row = 0; side && row < n; row++) {
    bool counted = row && events[row] > events[row - 1];
    bool first = row && v->t[row] == v->t[row - 1] && (side[row - 1] == -1 || row == 1);
    bool second = row + 1 < n ? side[row + 1] == 1 : !ended;
    expect(v, row, side[row] == 1 ? exact && first && counted :
                   side[row] == -1 ? exact && second && !counted : side[row] == 0 && !(exact && counted));
  }
  return true;
}

bool cli_verify_whole(cli_verifier* v, ss_error* error)
{
  check_end(v);
  check_steps(v);
  return check_pairs(v, error);
}
