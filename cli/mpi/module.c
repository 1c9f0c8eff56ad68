// MPI for sweeps: numbers one way, rows of text the other.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "sweep_mpi.h"

enum { HEAD = 1, ROWS, NUMBER };

static int receive(long head[3], char** rows)
{
  long all[4];
  MPI_Status status;
  if (MPI_Recv(all, 4, MPI_LONG, MPI_ANY_SOURCE, HEAD, MPI_COMM_WORLD, &status) != MPI_SUCCESS) return -1;
  memcpy(head, all, 3*sizeof *head);
  *rows = NULL;
  if (all[0] < 0) return status.MPI_SOURCE;
  *rows = malloc((size_t)all[3] + 1);
  if (!*rows) return -1;
  if (MPI_Recv(*rows, (int)all[3], MPI_CHAR, status.MPI_SOURCE, ROWS, MPI_COMM_WORLD, MPI_STATUS_IGNORE) != MPI_SUCCESS)
    return -1;
  (*rows)[all[3]] = 0;
  return status.MPI_SOURCE;
}

static void tell(int worker, long unit) { MPI_Send(&unit, 1, MPI_LONG, worker, NUMBER, MPI_COMM_WORLD); }

static long listen_to_first(void)
{
  long unit;
  MPI_Recv(&unit, 1, MPI_LONG, 0, NUMBER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return unit;
}

static void report(long unit, long failed, long missed, const char* rows)
{
  long head[4] = {unit, failed, missed, (long)strlen(rows)};
  MPI_Send(head, 4, MPI_LONG, 0, HEAD, MPI_COMM_WORLD);
  if (unit >= 0) MPI_Send(rows, (int)head[3], MPI_CHAR, 0, ROWS, MPI_COMM_WORLD);
}

static void end(void) { MPI_Finalize(); }

const cli_mpi* cli_mpi_module(void);

const cli_mpi* cli_mpi_module(void)
{
  static cli_mpi table = {.receive = receive, .tell = tell, .listen = listen_to_first, .report = report, .end = end};
  if (MPI_Init(NULL, NULL) != MPI_SUCCESS) return NULL;
  MPI_Comm_rank(MPI_COMM_WORLD, &table.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &table.size);
  if (table.size > 1) return &table;
  MPI_Finalize();
  return NULL;
}
