// Time of each contact problem of a folder by `auto` (or the method named second), best of several repeats, without
// preparation: bench_friction [FOLDER [METHOD]]
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <stickslip/problem.h>
#include <string.h>
#include "clock.h"

// What earlier prototypes took to 1e-8, ms, built for one processor and without this library
static double expected(const char* name)
{
  static const struct { const char* name; double ms; } row[] = {
    {"OneObject", 0.058}, {"Box_Stacks", 0.13}, {"BoxesStack1", 0.39}, {"Capsules-i100", 3.6}, {"Capsules-i125", 6.9},
    {"Spheres", 0.71},
  };
  for (size_t i = 0; i < sizeof row/sizeof *row; i++)
    if (strncmp(name, row[i].name, strlen(row[i].name)) == 0) return row[i].ms;
  return 0;
}

static bool measure(const char* path, ss_friction_def def, double* total)
{
  ss_error error;
  ss_problem* file = ss_problem_load(path, &error);
  if (!file) { printf("%s: %s\n", path, error.text); return false; }
  if (ss_problem_has_sets(file) || ss_problem_has_slide(file)) {
    printf("%s: not Coulomb's law\n", path);
    ss_problem_destroy(file);
    return false;
  }
  size_t m = (size_t)ss_friction_rows(&file->contact);
  double start = wall_seconds(), best = 1e30, spent = 0, residual = -1;
  ss_friction_solver* solver = ss_friction_solver_create(&file->contact, &error);
  double prepare = wall_seconds() - start;
  ss_friction_solution s = {.Lambda = calloc(m + 1, sizeof(double))};
  ss_status status = SS_ERR_MEMORY;
  for (int i = 0; solver && s.Lambda && i < 20 && spent < 0.5; i++) {
    start = wall_seconds();
    status = ss_friction_solve(solver, &def, &s);
    double took = wall_seconds() - start;
    spent += took;
    if (took < best) best = took;
  }
  ss_friction_residual(&file->contact, s.Lambda, NULL, &residual, NULL);
  printf("%-38.38s %5d %c %9.3f %9.3f ms %8.1e %5d+%3d+%3d+%4d %-6s %s", file->name, file->contact.n_contact,
         file->contact.global ? 'g' : 'l', 1e3*prepare, 1e3*best, residual, s.sweeps, s.newton, s.ipm, s.admm,
         ss_friction_method_name(s.method), status == SS_OK ? "" : "NOT SOLVED");
  if (expected(file->name) > 0) printf("  (prototype %g ms)", expected(file->name));
  printf("\n");
  *total += best;
  ss_friction_solver_destroy(solver);
  free(s.Lambda);
  ss_problem_destroy(file);
  return status == SS_OK;
}

static int contact_file(const struct dirent* entry)
{
  const char* dot = strrchr(entry->d_name, '.');
  return dot && strcmp(dot, ".hdf5") == 0;
}

int main(int argc, char** argv)
{
  const char* folder = argc > 1 ? argv[1] : "../shared/data/problems/contact";
  ss_friction_def def = ss_friction_def_default();
  if (argc > 2 && !ss_friction_method_find(argv[2], &def.method)) {
    fprintf(stderr, "no method %s\n", argv[2]);
    return 2;
  }
  struct dirent** entry;
  int n = scandir(folder, &entry, contact_file, alphasort), solved = 0;
  if (n < 0) { fprintf(stderr, "no folder %s\n", folder); return 2; }
  double total = 0;
  printf("%-38s %5s   %9s %12s %8s %-19s %-6s\n", "problem", "k", "prep. ms", "solve", "residual",
         "sweeps+N+IPM+ADMM", "found by");
  for (int i = 0; i < n; i++) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name);
    solved += measure(path, def, &total);
    free(entry[i]);
  }
  free(entry);
  printf("%d of %d solved to %g, %.1f ms in all\n", solved, n, def.tol, 1e3*total);
  return 0;
}
