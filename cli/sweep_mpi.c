// Finds and loads the module with MPI, where mpirun has started this process.
#include "sweep_mpi.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

#ifndef CLI_MPI_FOLDER
#define CLI_MPI_FOLDER ""
#endif

static const cli_mpi* opened;
static bool tried, found;

// A number that the launcher (Open MPI, MPICH, Slurm) tells, -1 if it does not
static long told(const char* const names[])
{
  for (int i = 0; names[i]; i++)
    if (getenv(names[i])) return atol(getenv(names[i]));
  return -1;
}

static long launched_rank(void)
{
  static const char* const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", NULL};
  return told(names);
}

// How many of us a launcher has started; 0: none has
static long launched(void)
{
  static const char* const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", NULL};
  static const char* const slurm[] = {"SLURM_NTASKS", NULL};
  long n = told(names);
  if (n < 0 && launched_rank() >= 0) n = told(slurm) > 0 ? told(slurm) : launched_rank() + 1;
  return n < 0 ? 0 : n;
}

// Beside the program, or where it was installed
static void* load(void)
{
  char path[1024];
  ssize_t n = readlink("/proc/self/exe", path, sizeof path - 32);
  path[n > 0 ? n : 0] = 0;
  char* slash = strrchr(path, '/');
  if (slash) strcpy(slash + 1, "stickslip-mpi.so");
  void* module = slash ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL;
  return module ? module : dlopen(CLI_MPI_FOLDER "/stickslip-mpi.so", RTLD_NOW | RTLD_GLOBAL);
}

const cli_mpi* cli_mpi_open(void)
{
  if (tried) return opened;
  tried = true;
  if (!launched()) return NULL;
  void* module = load();
  const cli_mpi* (*open)(void) = NULL;
  if (module) *(void**)&open = dlsym(module, "cli_mpi_module");
  if (open) opened = open();
  found = open != NULL;
  return opened;
}

int cli_mpi_check(void)
{
  if (cli_mpi_open() || launched() < 2) return CLI_GO_ON;
  if (launched_rank() <= 0)
    cli_error("started as one of %ld processes, but %s: all of them would do the same work. Run one process, whose "
              "threads are as many (-j)", launched(),
              found ? "the MPI that started them is another one than stickslip-mpi.so was built with"
                    : "this program was built without MPI (stickslip-mpi.so is not there)");
  return CLI_FAILED;
}

void cli_mpi_close(bool together)
{
  if (opened && together) opened->end();
  opened = NULL;
}
