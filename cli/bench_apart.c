// One solver on one problem in a process of its own: it can be ended when it takes too long, and may crash alone.
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "progress.h"

// The child tells the outcome of its first solve, then that of all. Both processes are the same program, so that the
// names within the outcome mean the same to both.
static void be_child(const cli_task* task, int k, const cli_effort* effort, double limit, int out)
{
  size_t n = (size_t)task->n;
  double* memory = calloc(2*n + 1, sizeof(double));
  cli_effort once = *effort, rest = *effort;
  cli_outcome outcome = {0};
  once.repeat = 1;
  rest.seconds = limit;
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  if (!memory || !cli_task_solve(task, k, &once, memory, memory + n, NULL, &outcome)) _exit(1);
  if (write(out, &outcome, sizeof outcome) != sizeof outcome) _exit(1);
  if (effort->repeat > 1) {
    rest.repeat = effort->repeat - 1;
    if (!cli_task_solve(task, k, &rest, memory, memory + n, NULL, &outcome)) _exit(1);
    if (write(out, &outcome, sizeof outcome) != sizeof outcome) _exit(1);
  }
  _exit(0);
}

// All of it, or nothing: the child may have died halfway
static bool read_outcome(int in, cli_outcome* outcome)
{
  size_t got = 0;
  while (got < sizeof *outcome) {
    ssize_t n = read(in, (char*)outcome + got, sizeof *outcome - got);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    got += (size_t)n;
  }
  return true;
}

// The next outcome from the child: 1; 0 if it ended without one, -1 if the time is over or a signal came
static int receive(int in, double seconds, const volatile int* interrupted, cli_outcome* outcome)
{
  double end = cli_seconds() + seconds;
  struct pollfd p = {.fd = in, .events = POLLIN};
  for (;;) {
    double left = end - cli_seconds();
    if (*interrupted || left <= 0) return -1;
    int ready = poll(&p, 1, left > 1 ? 1000 : (int)(1e3*left) + 1);
    if (ready < 0 && errno != EINTR) return 0;
    if (ready > 0) return read_outcome(in, outcome);
  }
}

// What the child told, and how it ended. `told` is what receive() said last: a child that ended without an outcome has
// done so itself, before any signal from here.
static void conclude(pid_t child, int told, cli_outcome* outcome)
{
  int end = 0;
  pid_t got;
  kill(child, SIGKILL);
  do got = waitpid(child, &end, 0);
  while (got < 0 && errno == EINTR);
  if (told != 0) return;
  if (got == child && WIFSIGNALED(end)) outcome->signal = WTERMSIG(end);
  outcome->status = SS_ERR_MEMORY;  // all that makes it end of its own
  outcome->residual = NAN;
}

bool cli_solve_apart(const cli_task* task, int k, const cli_effort* effort, double limit,
                     const volatile int* interrupted, cli_outcome* outcome)
{
  int ends[2];
  if (pipe(ends) != 0) return false;
  fflush(NULL);  // nothing may be printed twice
  pid_t child = fork();
  if (child < 0) {
    close(ends[0]);
    close(ends[1]);
    return false;
  }
  if (child == 0) be_child(task, k, effort, limit, ends[1]);
  close(ends[1]);
  *outcome = (cli_outcome){.solver = cli_solver_name(task->class, k), .found_by = "", .status = SS_STOPPED,
                           .residual = NAN, .seconds = limit, .solutions = CLI_NOT_COUNTED};
  cli_outcome got;
  int told = receive(ends[0], limit, interrupted, &got);
  if (told > 0) {
    *outcome = got;
    if (effort->repeat > 1) told = receive(ends[0], 2*limit, interrupted, &got);
    if (told > 0) *outcome = got;
  }
  conclude(child, told, outcome);
  close(ends[0]);
  return !*interrupted;
}
