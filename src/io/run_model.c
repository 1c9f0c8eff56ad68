// The model of a run. Its text is in the record; meshes, included and attached files, outlines are not. They are looked
// for where the model was, beside the record, and in the current folder.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "io/run_schema.h"

enum { FOLDERS = 3 };

// The text as if it stood in that folder ("": the current one)
static ss_model* read_in(const ss_record_header* h, const char* folder, const ss_model_def* def, ss_error* error)
{
  const char *slash = strrchr(h->model_name, '/'), *name = slash ? slash + 1 : h->model_name;
  size_t n = strlen(folder), size = n + strlen(name) + 2;
  char* file = malloc(size);
  if (!file) {
    ss_error_set(error, SS_ERR_MEMORY, "out of memory");
    return NULL;
  }
  snprintf(file, size, "%s%s%s", folder, n && folder[n - 1] != '/' ? "/" : "", name);
  ss_model* model = ss_model_parse(h->model_text, strlen(h->model_text), file, def, error);
  free(file);
  return model;
}

// The first of the folders in which all files are; what is wrong with the text itself is so in all of them
static ss_model* search(const ss_record_header* h, const char* const* folder, const ss_model_def* def, ss_error* error)
{
  ss_error first = {0};
  for (int i = 0; i < FOLDERS; i++) {
    ss_error e = {0};
    ss_model* model = folder[i] ? read_in(h, folder[i], def, &e) : NULL;
    if (model) return model;
    if (!first.status) first = e;
    if (e.status && e.status != SS_ERR_FILE) break;
  }
  if (error) *error = first;
  if (!error || first.status != SS_ERR_FILE) return NULL;
  snprintf(error->text, sizeof error->text, "%.380s; looked for %sbeside the run and in the current folder", first.text,
           folder[0] ? "where the model was, " : "");
  return NULL;
}

ss_model* ss_run_model(const ss_run* run, const ss_model_def* def, ss_error* error)
{
  if (!run) {
    ss_error_null(error, "the run");
    return NULL;
  }
  const ss_record_header* h = ss_run_get_header(run);
  const ss_model_def recorded = {.n_override = h->n_override, .override = h->override};
  char* beside = ss_strdup(ss_run_path(run));
  if (!beside) {
    ss_error_set(error, SS_ERR_MEMORY, "out of memory");
    return NULL;
  }
  char* slash = strrchr(beside, '/');
  if (slash) slash[1] = 0;
  const char* folder[FOLDERS] = {h->model_folder, slash ? beside : NULL, ""};
  ss_model* model = search(h, folder, def ? def : &recorded, error);
  free(beside);
  return model;
}
