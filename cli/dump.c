// Contact problems of steps as files.
#include "dump.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "model_arg.h"

bool cli_dump_when(cli_dump* dump, const char* when)
{
  char* end;
  dump->every = 0;
  if (!when || strcmp(when, "failed") == 0) return true;
  dump->every = 1;
  if (strcmp(when, "all") == 0) return true;
  if (!(when[0] >= '1' && when[0] <= '9')) return false;
  errno = 0;
  dump->every = strtol(when, &end, 10);
  return *end == 0 && errno == 0;
}

static bool fail(ss_error* error, const char* folder, const char* what, int number)
{
  ss_error_set(error, SS_ERR_FILE, "%s: %s", what, strerror(number));
  snprintf(error->file, sizeof error->file, "%s", folder);
  return false;
}

static bool is_problem(const char* name)
{
  size_t n = strlen(name);
  return strncmp(name, "step-", 5) == 0 && n > 10 && strcmp(name + n - 5, ".json") == 0;
}

bool cli_dump_open(const cli_dump* dump, bool goes_on, ss_error* error)
{
  bool found = false;
  if (mkdir(dump->folder, 0777) != 0 && errno != EEXIST)
    return fail(error, dump->folder, "the folder cannot be made", errno);
  DIR* folder = opendir(dump->folder);
  if (!folder) return fail(error, dump->folder, "the folder cannot be read", errno);
  for (struct dirent* entry; (entry = readdir(folder)) && !found;) found = is_problem(entry->d_name);
  closedir(folder);
  if (!found || goes_on) return true;
  ss_error_set(error, SS_ERR_INPUT, "the folder holds problems of another run; remove them or choose another folder");
  snprintf(error->file, sizeof error->file, "%s", dump->folder);
  return false;
}

// Where the problem comes from, for a person
static void describe(char* notes, size_t size, const ss_model* model, const ss_run_def* run, const ss_state* state,
                     const ss_step_info* info)
{
  const ss_step_def* step = &run->step;
  snprintf(notes, size, "contact problem of step %ld of model '%s' (%s, dt = %.9g s), which ended at t = %.9g s: %s; "
           "residual %.3g, tolerance %.3g", state->step, ss_model_name(model), ss_integrator_name(step->integrator),
           step->dt, state->t, ss_status_text(info->status), info->residual,
           cli_tolerance(ss_system_get(ss_model_system(model)), run));
}

ss_status cli_dump_save(const char* path, const ss_model* model, const ss_run_def* run, const ss_work* work,
                        const ss_state* state, const ss_step_info* info, ss_error* error)
{
  const ss_contact_solution* solution;
  const int* contact;
  const ss_contact_problem* p = ss_work_problem(work, &solution, &contact);
  char name[256], notes[768];
  const char** names = malloc(((size_t)p->n_contact + 1)*sizeof *names);
  if (!names) return ss_error_set(error, SS_ERR_MEMORY, "out of memory");
  for (int i = 0; i < p->n_contact; i++) names[i] = ss_work_contact_name(work, contact[i]);
  snprintf(name, sizeof name, "%s, step %ld", ss_model_name(model), state->step);
  describe(notes, sizeof notes, model, run, state, info);
  ss_problem problem = {.name = name, .notes = notes, .type = SS_PROBLEM_CONTACT, .contact_name = names,
                        .Lambda = solution->Lambda,
                        .contact = {.dim = 2, .n_bilateral = p->n_bilateral, .n_contact = p->n_contact,
                                    .kind = p->kind, .mu = p->mu, .bound = p->bound, .b = p->b}};
  ss_status status = ss_sparse_from_dense(p->m, p->m, p->G, &problem.contact.G, error);
  if (status >= 0) status = ss_problem_save(&problem, path, error);
  ss_sparse_free(&problem.contact.G);
  free(names);
  return status;
}

ss_status cli_dump_step(cli_dump* dump, const ss_model* model, const ss_run_def* run, const ss_work* work,
                        const ss_state* state, const ss_step_info* info, ss_error* error)
{
  bool wanted = dump->every ? state->step % dump->every == 0 : info->status != SS_OK;
  if (!dump->folder || !wanted || !ss_work_problem(work, NULL, NULL)) return SS_OK;
  if (dump->written == dump->limit) {
    dump->left_out++;
    return SS_OK;
  }
  char path[4096];
  if (snprintf(path, sizeof path, "%s/step-%08ld.json", dump->folder, state->step) >= (int)sizeof path)
    return ss_error_set(error, SS_ERR_FILE, "the name of the folder is too long");
  ss_status status = cli_dump_save(path, model, run, work, state, info, error);
  if (status >= 0) dump->written++;
  return status;
}
