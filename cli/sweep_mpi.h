// Processes of mpirun, as a small table of functions. MPI itself is in a module of its own (mpi/module.c), which is
// loaded only where mpirun has started us: other commands do not pay for it, and builds without MPI lack nothing else.
#ifndef CLI_SWEEP_MPI_H
#define CLI_SWEEP_MPI_H

#include <stdbool.h>

#define CLI_MPI_SILENCE 600.0  ///< seconds without a word of the first process after which it is taken for gone

/// Numbers that are no pieces of work: there is no more; wait for another one; leave at once, some of us are gone;
/// the first process is gone
enum { CLI_MPI_END = -1, CLI_MPI_WAIT = -2, CLI_MPI_LEAVE = -3, CLI_MPI_ALONE = -4 };

typedef struct cli_mpi {
  int rank, size;
  bool (*is_gone)(int rank);            ///< it was on this machine, and is not any more
  /// First process: the next message of a worker, and whose it is; -1 if none comes in this time. head: number of the
  /// piece of work (-1: none yet), failed (-1: memory was short), missed. *rows is the caller's.
  int (*receive)(long head[3], char** rows, double seconds);
  void (*tell)(int worker, long unit);  ///< ... its next number
  /// Workers.
  long (*listen)(void);                 ///< the next number
  void (*report)(long unit, long failed, long missed, const char* rows);
  void (*end)(void);                    ///< all of them together
} cli_mpi;

/// NULL if we were not started by mpirun, or alone, or have no MPI.
const cli_mpi* cli_mpi_open(void);
/// When all is done, in every process; without effect the second time. together: all the others do so, too; else MPI
/// cannot be ended in order.
void cli_mpi_close(bool together);

/// CLI_GO_ON; or, where several of us were started who cannot find each other, the exit status after a message of the
/// first one.
int cli_mpi_check(void);

#endif
