// The rows of a page: long runs are shown by fewer rows than they have, but those around events are always there.
#include <math.h>
#include <stdlib.h>

#include "page.h"

// The first row at or after a time
static long find_row(const double* t, long n, double at)
{
  long low = 0, high = n;
  while (low < high) {
    long middle = low + (high - low)/2;
    if (t[middle] < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Marks row i of n and counts it, if there is room and it was not marked
static void mark(char* keep, long n, long i, long* left)
{
  if (i < 0 || i >= n || keep[i] || *left <= 0) return;
  keep[i] = 1;
  --*left;
}

// Around each event: the row before it, that of it and the next one. A page with too many events keeps the first ones.
static void mark_events(ss_run* run, const double* t, long n, char* keep, long* left)
{
  ss_error error = {0};
  long n_event = ss_run_get_info(run)->n_events;
  const ss_event* event = n_event ? ss_run_events(run, NULL, NULL, &error) : NULL;
  for (long i = 0; event && i < n_event; i++) {
    if (event[i].t < t[0] || event[i].t > t[n - 1]) continue;
    long row = find_row(t, n, event[i].t);
    for (long k = -1; k <= 1; k++) mark(keep, n, row + k, left);
  }
}

// Steps that were not solved, and the worst residual
static void mark_failures(ss_run* run, long first, long n, char* keep, long* left)
{
  ss_error error = {0};
  const double* status = ss_run_column(run, "status", &error);
  const double* residual = status ? ss_run_column(run, "residual", &error) : NULL;
  long worst = 0;
  if (!residual) return;
  for (long i = 0; i < n; i++) {
    if (status[first + i] > 0) mark(keep, n, i, left);
    if (residual[first + i] > residual[first + worst]) worst = i;
  }
  mark(keep, n, worst, left);
}

// Room that is left goes to rows in between: every so-manieth of those that are not marked
static void mark_others(char* keep, long n, long room)
{
  long others = 0, seen = 0;
  for (long i = 0; i < n; i++) {
    others += !keep[i];
    room -= keep[i];
  }
  if (room > others) room = others;
  for (long i = 0; i < n && room > 0; i++) {
    if (keep[i]) continue;
    keep[i] = (double)(seen + 1)*(double)room/(double)others >= floor((double)seen*(double)room/(double)others) + 1;
    seen++;
  }
}

// On both sides of the instants that must be seen exactly, besides all others
static void mark_instants(const cli_page* page, const double* t, long n, char* keep)
{
  long room = 2*page->n_at;
  for (long i = 0; i < page->n_at; i++) {
    long row = find_row(t, n, page->at[i]);
    mark(keep, n, row - 1, &room);
    mark(keep, n, row, &room);
  }
}

int cli_page_choose_rows(ss_run* run, cli_page* page, long first, long room)
{
  ss_error error = {0};
  long n = page->n_rows;
  const double* t = ss_run_column(run, "t", &error);
  if (!t) return cli_fail(&error);
  if (room > n) room = n;
  if (room < 2) room = 2;
  char* keep = calloc((size_t)n, 1);
  page->row = calloc((size_t)n, sizeof *page->row);
  if (!keep || !page->row) {
    free(keep);
    return cli_out_of_memory();
  }
  long even = n <= room ? n : room/2, left = even;
  for (long i = 0; i < even; i++) {  // evenly spaced, both ends among them
    long at = even > 1 ? (long)((double)i*(double)(n - 1)/(double)(even - 1) + 0.5) : 0;
    mark(keep, n, at, &left);
  }
  left = room - even;
  long failures = left/8;  // of the other half: an eighth for failures, the rest for events
  left -= failures;
  mark_failures(run, first, n, keep, &failures);
  mark_events(run, t + first, n, keep, &left);
  mark_others(keep, n, room);
  mark_instants(page, t + first, n, keep);
  page->n = 0;
  for (long i = 0; i < n; i++)
    if (keep[i]) page->row[page->n++] = first + i;
  free(keep);
  return CLI_GO_ON;
}
