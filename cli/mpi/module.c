// MPI for sweeps: numbers one way, rows of text the other. Errors are returned, and nobody waits for ever: where mpirun
// lets the others live (Open MPI: --enable-recovery) a process that is gone is one that does not answer.
#include <errno.h>
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sweep_mpi.h"

enum { HEAD = 1, ROWS, NUMBER };

static long (*process)[2];  // of all: number and machine
static int size, rank;

static bool is_gone(int other)
{
  bool here = process[other][1] == process[rank][1];
  return here && kill((pid_t)process[other][0], 0) != 0 && errno == ESRCH;
}

// Waits a little: not at all at first, then longer and longer, 1 ms at most
static void rest(long* tries)
{
  if (++*tries < 200) sched_yield();
  else nanosleep(&(struct timespec){.tv_nsec = *tries < 1000 ? 50000 : 1000000}, NULL);
}

// Whether a message is there within this time
static bool comes(int source, int tag, double seconds, MPI_Status* status)
{
  int there = 0;
  long tries = 0;
  for (double end = MPI_Wtime() + seconds;; rest(&tries)) {
    if (MPI_Iprobe(source, tag, MPI_COMM_WORLD, &there, status) != MPI_SUCCESS) return false;
    if (there || MPI_Wtime() > end) return there;
  }
}

// Into text; false if it does not come, and then the buffer is lost to MPI
static bool receive_text(int from, long n, char* text)
{
  MPI_Request request;
  int done = 0;
  long tries = 0;
  if (MPI_Irecv(text, (int)n, MPI_CHAR, from, ROWS, MPI_COMM_WORLD, &request) != MPI_SUCCESS) return false;
  for (double end = MPI_Wtime() + 5; !done && MPI_Wtime() < end; rest(&tries))
    if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
  text[n] = 0;
  return done;
}

static int receive(long head[3], char** rows, double seconds)
{
  long all[4];
  MPI_Status status;
  *rows = NULL;
  if (!comes(MPI_ANY_SOURCE, HEAD, seconds, &status)) return -1;
  int from = status.MPI_SOURCE;
  if (MPI_Recv(all, 4, MPI_LONG, from, HEAD, MPI_COMM_WORLD, MPI_STATUS_IGNORE) != MPI_SUCCESS) return -1;
  memcpy(head, all, 3*sizeof *head);
  if (all[0] < 0) return from;
  char* text = malloc((size_t)all[3] + 1);
  if (!text) head[1] = -1;  // as if it were short there
  else if (!receive_text(from, all[3], text)) return -1;
  *rows = text;
  return from;
}

static void tell(int worker, long unit) { MPI_Send(&unit, 1, MPI_LONG, worker, NUMBER, MPI_COMM_WORLD); }

static long listen_to_first(void)
{
  long unit;
  MPI_Status status;
  for (double heard = MPI_Wtime(); MPI_Wtime() - heard < CLI_MPI_SILENCE && !is_gone(0);) {
    if (!comes(0, NUMBER, 1, &status)) continue;
    if (MPI_Recv(&unit, 1, MPI_LONG, 0, NUMBER, MPI_COMM_WORLD, MPI_STATUS_IGNORE) != MPI_SUCCESS) break;
    if (unit != CLI_MPI_WAIT) return unit;
    heard = MPI_Wtime();
  }
  return CLI_MPI_ALONE;
}

// To the first process, unless it is gone
static void send_text(const char* text, long n)
{
  MPI_Request request;
  int done = 0;
  long tries = 0;
  if (MPI_Isend(text, (int)n, MPI_CHAR, 0, ROWS, MPI_COMM_WORLD, &request) != MPI_SUCCESS) return;
  for (; !done && !is_gone(0); rest(&tries))
    if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return;
}

static void report(long unit, long failed, long missed, const char* rows)
{
  long head[4] = {unit, failed, missed, (long)strlen(rows)};
  MPI_Send(head, 4, MPI_LONG, 0, HEAD, MPI_COMM_WORLD);
  if (unit >= 0) send_text(rows, head[3]);
}

static void end(void) { MPI_Finalize(); }

const cli_mpi* cli_mpi_module(void);

const cli_mpi* cli_mpi_module(void)
{
  static cli_mpi table = {.is_gone = is_gone, .receive = receive, .tell = tell, .listen = listen_to_first,
                          .report = report, .end = end};
  if (MPI_Init(NULL, NULL) != MPI_SUCCESS) return NULL;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  long mine[2] = {(long)getpid(), gethostid()};
  process = calloc((size_t)size, sizeof *process);
  table.rank = rank;
  table.size = size;
  if (size > 1 && process && MPI_Allgather(mine, 2, MPI_LONG, process, 2, MPI_LONG, MPI_COMM_WORLD) == MPI_SUCCESS)
    return &table;
  MPI_Finalize();
  return NULL;
}
