// Fuzz target: any bytes as a contact file, JSON or (through a file in memory) FCLIB, give a problem or an error,
// never a crash; a small problem is solved, and what comes out is finite and as good as claimed.
#define _GNU_SOURCE  // memfd_create
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <stickslip/certify.h>
#include <stickslip/problem.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void solve(const ss_friction_problem* p)
{
  size_t m = (size_t)ss_friction_rows(p);
  ss_friction_solver* solver = ss_friction_solver_create(p, NULL);
  ss_friction_solution s = {.Lambda = calloc(m + 1, sizeof(double))};
  ss_friction_def def = ss_friction_def_default();
  def.max_iter = 20;
  ss_status status = solver && s.Lambda ? ss_friction_solve(solver, &def, &s) : SS_ERR_MEMORY;
  for (size_t i = 0; status >= 0 && i < m; i++)
    if (!isfinite(s.Lambda[i])) abort();
  if (status == SS_OK && !(s.residual <= def.tol)) abort();
  double certified = 0;
  if (status >= 0 && ss_friction_certify(p, s.Lambda, &certified, NULL) >= 0 && isnan(certified)) abort();
  ss_friction_solver_destroy(solver);
  free(s.Lambda);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
  ss_error error = {0};
  ss_problem* file;
  if (size > 4 && data[0] == 0x89) {
    char path[64];
    int fd = memfd_create("fuzz", 0);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size) return 0;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    file = ss_problem_load(path, &error);
    close(fd);
  } else file = ss_problem_parse((const char*)data, size, "fuzz", &error);
  if (!file && (error.status >= 0 || !error.text[0])) abort();
  bool contact = file && file->type == SS_PROBLEM_CONTACT;
  if (contact && file->contact.n_contact <= 50 && file->contact.M.rows <= 200) solve(&file->contact);
  ss_problem_destroy(file);
  return 0;
}
