// The progress line: percentage, bar, simulated time, speed, time left, events.
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

double cli_seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9*(double)now.tv_nsec;
}

void cli_progress_start(cli_progress* progress, bool wanted, const char* what, long first_step, long last_step)
{
  const char* term = getenv("TERM");
  double now = cli_seconds();
  *progress = (cli_progress){
    .shown = wanted && isatty(STDERR_FILENO) && !(term && strcmp(term, "dumb") == 0),
    .first = first_step, .last = last_step, .countdown = 1, .stride = 1,
    .started = now, .looked = now, .drawn = now, .what = what,
  };
}

static int terminal_width(void)
{
  struct winsize size;
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

// "12 s", "3 min 20 s", "2 h 05 min"
static void format_duration(double seconds, char* out, size_t size)
{
  long s = seconds < 1e9 ? (long)seconds : 1000000000;
  if (s < 100) snprintf(out, size, "%ld s", s);
  else if (s < 6000) snprintf(out, size, "%ld min %02ld s", s/60, s % 60);
  else snprintf(out, size, "%ld h %02ld min", s/3600, s/60 % 60);
}

static void draw(const cli_progress* p, long step, double t, long events, double now)
{
  enum { BAR = 20 };
  double part = p->last > p->first ? (double)(step - p->first)/(double)(p->last - p->first) : 1;
  double speed = (double)(step - p->first)/(now - p->started);
  char bar[BAR + 1], left[40], counted[40] = "", line[256];
  for (int i = 0; i < BAR; i++) bar[i] = i < (int)(part*BAR) ? '#' : '.';
  bar[BAR] = '\0';
  format_duration((double)(p->last - step)/speed, left, sizeof left);
  if (events >= 0) snprintf(counted, sizeof counted, ", %ld event%s", events, cli_s(events));
  snprintf(line, sizeof line, "%3.0f %% [%s] t = %.4g s, %.3g %s/s, %s left%s", 100*part, bar, t, speed, p->what, left,
           counted);
  int width = terminal_width() - 1;  // the last column stays free: some terminals would wrap
  fprintf(stderr, "\r%.*s\033[K", width, line);
  fflush(stderr);
}

// The clock is looked at about every 10 ms, however long a step takes.
void cli_progress_step(cli_progress* progress, long step, double t, long events)
{
  cli_progress* p = progress;
  if (!p->shown || --p->countdown > 0) return;
  double now = cli_seconds();
  double passed = now - p->looked;
  if (passed < 0.005 && p->stride < 1 << 20) p->stride *= 2;
  if (passed > 0.02 && p->stride > 1) p->stride /= 2;
  p->countdown = p->stride;
  p->looked = now;
  if (now - p->drawn < 0.1) return;
  p->drawn = now;
  draw(p, step, t, events, now);
}

double cli_progress_end(cli_progress* progress)
{
  if (progress->drawn > progress->started) fputs("\r\033[K", stderr);
  return cli_seconds() - progress->started;
}
