// Processes of mpirun, as a small table of functions. MPI itself is in a module of its own (mpi/module.c), which is
// loaded only where mpirun has started us: other commands do not pay for it, and builds without MPI lack nothing else.
#ifndef CLI_SWEEP_MPI_H
#define CLI_SWEEP_MPI_H

typedef struct cli_mpi {
  int rank, size;
  /// First process: waits for a worker, returns which. head: number (-1: none yet), failed, missed; *rows is the
  /// caller's.
  int (*receive)(long head[3], char** rows);
  void (*tell)(int worker, long unit);  ///< ... its next number, -1: no more
  /// Workers.
  long (*listen)(void);
  void (*report)(long unit, long failed, long missed, const char* rows);
  void (*end)(void);
} cli_mpi;

/// NULL if we were not started by mpirun, or alone, or have no MPI.
const cli_mpi* cli_mpi_open(void);
void cli_mpi_close(void);

#endif
