// The drawing of a text model in a page: its shapes, and their numbers at every row.
#include <stdlib.h>

#include "page.h"
#include "json.h"

static cJSON* shape_json(const ss_draw_shape* s)
{
  cJSON* o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "name", s->name);
  cJSON_AddStringToObject(o, "kind", ss_draw_kind_text(s->kind));
  if (s->label) cJSON_AddStringToObject(o, "label", s->label);
  if (s->fill) cJSON_AddStringToObject(o, "fill", s->fill);
  if (s->stroke) cJSON_AddStringToObject(o, "stroke", s->stroke);
  if (s->width > 0) cJSON_AddNumberToObject(o, "width", s->width);
  if (s->contact >= 0) cJSON_AddNumberToObject(o, "contact", s->contact);
  if (s->frame[0] >= 0) cli_json_put(o, "frame", cJSON_CreateIntArray(s->frame, 3));
  cli_json_put(o, "numbers", cJSON_CreateIntArray(s->number, s->n));
  return o;
}

// Times and coordinates of the rows, row by row
static int gather(ss_run* run, const cli_page* page, double* t, double* q)
{
  const ss_run_info* info = ss_run_get_info(run);
  ss_error error = {0};
  for (int k = -1; k < info->nq; k++) {
    const double* column = ss_run_column(run, k < 0 ? "t" : info->coordinate[k], &error);
    if (!column) return cli_fail(&error);
    for (long i = 0; i < page->n; i++) {
      if (k < 0) t[i] = column[page->row[i]];
      else q[i*info->nq + k] = column[page->row[i]];
    }
  }
  return CLI_GO_ON;
}

void cli_page_shapes(const ss_drawing* d, cJSON* list)
{
  for (int i = 0; i < d->n_shape; i++) cli_json_append(list, shape_json(&d->shape[i]));
}

static bool add_values(const ss_drawing* d, long n, const double* value, double* column, cJSON* list)
{
  for (int k = 0; k < d->n_value; k++) {
    cJSON* o = cli_json_append(list, cJSON_CreateObject());
    for (long i = 0; i < n; i++) column[i] = value[i*d->n_value + k];
    if (!cli_page_numbers(o, "f32", n, column)) return false;
  }
  return true;
}

int cli_page_drawing(ss_run* run, const ss_model* model, const cli_page* page, cJSON* json)
{
  const ss_drawing* d = ss_model_drawing(model);
  if (!d) return CLI_GO_ON;
  cJSON* drawing = cJSON_AddObjectToObject(json, "drawing");
  cli_page_shapes(d, cJSON_AddArrayToObject(drawing, "shapes"));
  size_t n = (size_t)page->n, nq = (size_t)ss_run_get_info(run)->nq, n_value = (size_t)d->n_value;
  double* t = calloc(2*n + n*nq + n*n_value + 1, sizeof *t);
  if (!t) return cli_out_of_memory();
  double *column = t + n, *q = t + 2*n, *value = q + n*nq;
  int status = gather(run, page, t, q);
  if (status == CLI_GO_ON && ss_model_draw(model, page->n, t, q, value) < 0) status = cli_out_of_memory();
  if (status == CLI_GO_ON && !add_values(d, page->n, value, column, cJSON_AddArrayToObject(drawing, "values")))
    status = cli_out_of_memory();
  free(t);
  return status;
}
