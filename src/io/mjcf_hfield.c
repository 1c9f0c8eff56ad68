// Height fields of a scene: given in the file itself, or in a file of MuJoCo's own format: the numbers of rows and
// columns as int32, then the heights as float32, row by row, all little-endian.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/text.h"
#include "io/mjcf.h"

enum { MOST_POINTS = 1000000 };

static uint32_t read_32(const char* at)
{
  const unsigned char* b = (const unsigned char*)at;
  return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static bool is_image(const char* file)
{
  const char* dot = strrchr(file, '.');
  return dot && strcasecmp(dot, ".png") == 0;
}

static ss_status check_counts(ss_mjcf* r, const ss_mj_value* at, double rows, double cols)
{
  if (rows >= 2 && cols >= 2 && rows*cols <= MOST_POINTS) return SS_OK;
  return ss_mj_error_of(r, at, "hfield: %g rows and %g columns of points; from 2 on, %d points in all", rows, cols,
                        (int)MOST_POINTS);
}

static ss_status parse(ss_mjcf* r, const ss_mj_hfield* v, const char* path, const char* data, size_t length,
                       ss_scene_hfield* field)
{
  if (length < 8) return ss_mj_error_of(r, &v->file, "hfield: '%.200s' has no numbers of rows and columns", path);
  double rows = (double)(int32_t)read_32(data), cols = (double)(int32_t)read_32(data + 4);
  ss_status st = check_counts(r, &v->file, rows, cols);
  if (st < 0) return st;
  size_t n = (size_t)(rows*cols);
  if (length != 8 + 4*n)
    return ss_mj_error_of(r, &v->file, "hfield: '%.200s' has %zu bytes; %g rows of %g points take %zu", path, length,
                          rows, cols, 8 + 4*n);
  double* z = ss_pool_take(&r->out->pool, n*sizeof *z);
  if (!z) return ss_mj_memory(r);
  for (size_t i = 0; i < n; i++) {
    uint32_t bits = read_32(data + 8 + 4*i);
    float x;
    memcpy(&x, &bits, sizeof x);
    if (!isfinite(x)) return ss_mj_error_of(r, &v->file, "hfield: height %zu of '%.200s' is not finite", i, path);
    z[i] = x;
  }
  field->n_row = (int)rows;
  field->n_col = (int)cols;
  field->height = z;
  return SS_OK;
}

static ss_status read_file(ss_mjcf* r, const ss_mj_hfield* v, ss_scene_hfield* field)
{
  char path[1024];
  ss_status st = ss_mj_asset_path(r, &v->file, path, sizeof path);
  if (st < 0) return st;
  if (!(field->file = ss_pool_copy(&r->out->pool, path, strlen(path)))) return ss_mj_memory(r);
  if (is_image(path))
    return ss_mj_notice(r, SS_SCENE_IGNORED, "hfield", "file", "images are not read; the field touches nothing",
                        v->file.line, 1);
  size_t length;
  ss_error error = {0};
  char* data = ss_read_file(path, &length, &error);
  if (!data && error.status == SS_ERR_MEMORY) return ss_mj_memory(r);
  if (!data) {
    ss_mj_error_of(r, &v->file, "hfield: %.300s", error.text);
    if (r->error) r->error->status = error.status;
    return error.status;
  }
  st = parse(r, v, path, data, length, field);
  free(data);
  return st;
}

// The rows of a text are those of a picture: the last one is that of the least y
static ss_status read_text(ss_mjcf* r, const ss_xml_node* node, const ss_mj_hfield* v, ss_scene_hfield* field)
{
  if (!v->nrow.text || !v->ncol.text)
    return ss_mj_error_at(r, node, "hfield needs the attribute 'file', or 'nrow' and 'ncol'");
  double *list = NULL, rows = v->nrow.v[0], cols = v->ncol.v[0];
  int n = 0;
  ss_status st = check_counts(r, &v->nrow, rows, cols);
  if (st >= 0 && v->elevation.text) st = ss_mj_list(r, node, "elevation", &v->elevation, &n, &list);
  if (st < 0) return st;
  field->n_row = (int)rows;
  field->n_col = (int)cols;
  if (v->elevation.text && n != field->n_row*field->n_col)
    return ss_mj_error_of(r, &v->elevation, "hfield: elevation has %d numbers; %d rows of %d take %d", n, field->n_row,
                          field->n_col, field->n_row*field->n_col);
  double* z = ss_pool_take(&r->out->pool, sizeof *z*(size_t)(field->n_row*field->n_col));
  if (!z) return ss_mj_memory(r);
  for (int i = 0; i < field->n_row; i++)
    for (int k = 0; k < field->n_col; k++)
      z[i*field->n_col + k] = list ? list[(field->n_row - 1 - i)*field->n_col + k] : 0;
  field->height = z;
  return SS_OK;
}

// From 0 to the elevation of `size`, whatever the numbers of the file are
static void scale(ss_scene_hfield* field, double elevation)
{
  double *z = (double*)field->height, low = INFINITY, high = -INFINITY;
  int n = field->n_row*field->n_col;
  for (int i = 0; i < n; i++) low = fmin(low, z[i]), high = fmax(high, z[i]);
  for (int i = 0; i < n; i++) z[i] = high > low ? elevation*((z[i] - low)/(high - low)) : 0;
}

static ss_status read_hfield(ss_mjcf* r, const ss_xml_node* node, const ss_mj_element* e)
{
  ss_mj_scene* s = r->out;
  ss_mj_hfield v = {0};
  int n = s->scene.n_hfield;
  if (ss_mj_read(r, node, e, -1, &v) < 0) return SS_ERR_INPUT;
  if (!SS_MJ_GROW(s->hfield, s->hfield_room, n)) return ss_mj_memory(r);
  ss_scene_hfield* field = s->hfield + n;
  *field = (ss_scene_hfield){.line = node->line, .file = "", .half = {v.size.v[0], v.size.v[1]}};
  for (int i = 0; i < 4; i++)
    if (!(v.size.v[i] > 0))
      return ss_mj_error_of(r, &v.size, "hfield: size is %g; half widths, elevation and base must be positive",
                            v.size.v[i]);
  if (!v.name.text && v.file.text) v.name.text = ss_mj_name_of_file(r, v.file.text);
  ss_status st = v.file.text ? read_file(r, &v, field) : read_text(r, node, &v, field);
  if (st < 0 || (st = ss_mj_name(r, SS_MJ_HFIELD, &v.name, "", n, node, &field->name)) < 0) return st;
  scale(field, v.size.v[2]);
  s->scene.n_hfield++;
  return SS_OK;
}

ss_status ss_mj_read_hfield(ss_mjcf* r, const ss_xml_node* node, const ss_mj_element* e, const ss_mj_scope* scope)
{
  (void)scope;
  const ss_mj_settings before = r->set;
  if (node->context) r->set = *(const ss_mj_settings*)node->context;  // what is attached keeps its own folders
  ss_status st = read_hfield(r, node, e);
  r->set = before;
  return st;
}
