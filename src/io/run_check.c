// What the rows of a run must say whatever the run was, so that all who read them may rely on it: times are finite,
// steps are counted upwards, and the ends of the lists of contacts lie within these lists and never go back.
#include "io/run_schema.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 4096 };  // rows

#define STEPS_MAX ((int64_t)1 << 53)  // that a double can count

static bool bad(const ss_run* run, const char* what, long row, ss_error* error)
{
  char text[96];
  snprintf(text, sizeof text, "'%s' of row %ld", what, row);
  return ss_run_damaged(run, error, text);
}

static bool check_times(ss_run* run, double* t, ss_error* error)
{
  long n = ss_run_get_info(run)->n_rows;
  for (long row = 0; row < n; row += BLOCK) {
    long part = n - row < BLOCK ? n - row : BLOCK;
    if (!ss_run_read(run, SS_FIELD_T, row, part, t, error)) return false;
    for (long i = 0; i < part; i++)
      if (!isfinite(t[i])) return bad(run, "t", row + i, error);
  }
  return true;
}

// Numbers that never fall, from 0 to `most`
static bool check_rising(ss_run* run, ss_field f, int64_t most, int64_t* value, ss_error* error)
{
  long n = ss_run_get_info(run)->n_rows;
  int64_t before = 0;
  for (long row = 0; row < n; row += BLOCK) {
    long part = n - row < BLOCK ? n - row : BLOCK;
    if (!ss_run_read(run, f, row, part, value, error)) return false;
    for (long i = 0; i < part; before = value[i++])
      if (value[i] < before || value[i] > most) return bad(run, ss_field_table[f].path, row + i, error);
  }
  return true;
}

bool ss_run_check(ss_run* run, long n_touch, long n_arc, ss_error* error)
{
  const ss_run_info* info = ss_run_get_info(run);
  double* t = malloc(BLOCK*sizeof *t);
  int64_t* value = malloc(BLOCK*sizeof *value);
  bool good = t && value;
  if (!good) ss_error_set(error, SS_ERR_MEMORY, "out of memory");
  good = good && check_times(run, t, error) && check_rising(run, SS_FIELD_STEP, STEPS_MAX, value, error);
  if (good && info->listed)
    good = check_rising(run, SS_FIELD_TOUCH_END, n_touch, value, error) &&
           check_rising(run, SS_FIELD_KNOWN_END, info->n_contact, value, error);
  if (good && ss_run_has(run, SS_FIELD_ARC_END)) good = check_rising(run, SS_FIELD_ARC_END, n_arc, value, error);
  free(t);
  free(value);
  return good;
}
