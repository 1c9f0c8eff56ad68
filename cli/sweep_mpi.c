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
static bool tried;

// Whether a launcher (Open MPI, MPICH, Slurm's PMI) has started several of us
static bool is_launched(void)
{
  const char* const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"};
  for (int i = 0; i < 3; i++)
    if (getenv(names[i])) return true;
  return false;
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
  if (!is_launched()) return NULL;
  void* module = load();
  const cli_mpi* (*open)(void) = NULL;
  if (module) *(void**)&open = dlsym(module, "cli_mpi_module");
  if (open) opened = open();
  else cli_warn("started by mpirun, but this program was built without MPI: every process does all of the work");
  return opened;
}

void cli_mpi_close(void)
{
  if (opened) opened->end();
  opened = NULL;
}
