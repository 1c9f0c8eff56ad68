// The contacts of the rows of a run, with impulses, places and frames. They are read in blocks, since a row has few of
// them and a call of HDF5 costs more than they do.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "io/run_schema.h"

enum { BLOCK = 2048 };  // contacts

// `count` rows of a field as they lie in the file; the caller frees them. NULL and *error on failure.
static void* read_field(ss_run* run, ss_field f, long first, long count, ss_error* error)
{
  size_t width = (size_t)ss_field_width(f, ss_run_get_header(run));
  void* out = malloc((size_t)count*width*ss_number_size(ss_field_table[f].number) + 1);
  if (!out) ss_error_set(error, SS_ERR_MEMORY, "out of memory");
  else if (ss_run_read(run, f, first, count, out, error)) return out;
  free(out);
  return NULL;
}

// `n` numbers of each of `count` contacts from a field into the place that `to` has in the first one
static bool read_numbers(ss_run* run, ss_field f, long first, long rows, long count, int n, ss_run_contact* item,
                         double* to, ss_error* error)
{
  size_t at = (size_t)((char*)to - (char*)item);
  double* from = read_field(run, f, first, rows, error);
  bool good = from != NULL;
  for (long i = 0; good && i < count; i++) {
    double* x = (double*)(void*)((char*)(item + i) + at);
    for (int k = 0; k < n && good; k++)
      good = isfinite(x[k] = from[i*n + k]) || ss_run_damaged(run, error, "a number of a contact");
  }
  free(from);
  return good;
}

// Early files of event-driven runs have none.
static bool read_forces(ss_run* run, ss_field f, long first, long rows, long count, int n, ss_run_contact* item,
                        ss_error* error)
{
  if (ss_run_has(run, f)) return read_numbers(run, f, first, rows, count, n, item, item->force, error);
  for (long i = 0; i < count; i++)
    for (int k = 0; k < n; k++) item[i].force[k] = NAN;
  return true;
}

// Of steps in two stages alone
static bool read_first_stage(ss_run* run, ss_field f, long first, long rows, long count, int n, ss_run_contact* item,
                             ss_error* error)
{
  if (ss_run_has(run, f)) return read_numbers(run, f, first, rows, count, n, item, item->Lambda_1, error);
  for (long i = 0; i < count; i++) memset(item[i].Lambda_1, 0, sizeof item[i].Lambda_1);
  return true;
}

static bool read_states(ss_run* run, ss_field f, long first, long rows, long count, ss_run_contact* item,
                        ss_error* error)
{
  int8_t* state = read_field(run, f, first, rows, error);
  bool good = state != NULL;
  for (long i = 0; good && i < count; i++) {
    good = (state[i] >= 0 && state[i] <= SS_SLIP) || ss_run_damaged(run, error, "a contact state");
    if (good) item[i].state = (ss_contact_state)state[i];
  }
  free(state);
  return good;
}

static bool read_numbering(ss_run* run, long first, long count, ss_run_contact* item, ss_error* error)
{
  int n = ss_run_get_info(run)->n_contact;
  int32_t* number = read_field(run, SS_FIELD_TOUCH, first, count, error);
  int32_t* body = number ? read_field(run, SS_FIELD_TOUCH_BODIES, first, count, error) : NULL;
  bool good = body != NULL;
  for (long i = 0; good && i < count; i++) {
    item[i].contact = number[i];
    item[i].body_a = body[2*i];
    item[i].body_b = body[2*i + 1];
    good = (number[i] >= 0 && number[i] < n && body[2*i] >= -1 && body[2*i + 1] >= -1) ||
           ss_run_damaged(run, error, "the number of a contact or of a body");
  }
  free(number);
  free(body);
  return good;
}

static bool read_listed(ss_run* run, long first, long n, ss_run_contact* item, ss_error* error)
{
  return read_numbering(run, first, n, item, error) &&
         read_states(run, SS_FIELD_TOUCH_STATE, first, n, n, item, error) &&
         read_numbers(run, SS_FIELD_TOUCH_GAP, first, n, n, 1, item, &item->gap, error) &&
         read_numbers(run, SS_FIELD_TOUCH_LAMBDA, first, n, n, 3, item, item->Lambda, error) &&
         read_first_stage(run, SS_FIELD_TOUCH_LAMBDA_1, first, n, n, 3, item, error) &&
         read_forces(run, SS_FIELD_TOUCH_FORCE, first, n, n, 3, item, error) &&
         read_numbers(run, SS_FIELD_TOUCH_GAMMA, first, n, n, 3, item, item->gamma, error) &&
         read_numbers(run, SS_FIELD_TOUCH_POINT, first, n, n, 3, item, item->point, error) &&
         read_numbers(run, SS_FIELD_TOUCH_FRAME, first, n, n, 9, item, item->frame, error);
}

// All contacts of whole rows
static bool read_fixed(ss_run* run, long first, long n, ss_run_contact* item, ss_error* error)
{
  int k = ss_run_get_info(run)->n_contact;
  long row = first/k, rows = n/k;
  for (long i = 0; i < n; i++) item[i] = (ss_run_contact){.contact = (int)(i%k), .body_a = -1, .body_b = -1};
  return read_states(run, SS_FIELD_STATE, row, rows, n, item, error) &&
         read_numbers(run, SS_FIELD_GAP, row, rows, n, 1, item, &item->gap, error) &&
         read_numbers(run, SS_FIELD_LAMBDA, row, rows, n, 2, item, item->Lambda, error) &&
         read_first_stage(run, SS_FIELD_LAMBDA_1, row, rows, n, 2, item, error) &&
         read_forces(run, SS_FIELD_FORCE, row, rows, n, 2, item, error) &&
         read_numbers(run, SS_FIELD_GAMMA, row, rows, n, 2, item, item->gamma, error);
}

// Where the contacts of a row begin and end, and those of the last row
static bool find_range(ss_run* run, long row, long* first, long* end, long* last, ss_error* error)
{
  const ss_run_info* info = ss_run_get_info(run);
  long before;
  if (!info->listed) {
    *first = row*info->n_contact;
    *end = *first + info->n_contact;
    *last = info->n_rows*info->n_contact;
    return true;
  }
  return ss_run_touch_range(run, row, first, end, error) &&
         ss_run_touch_range(run, info->n_rows - 1, &before, last, error) &&
         (*end <= *last || ss_run_damaged(run, error, "data set 'touch_end'"));
}

// The block from `first` on: at least up to `end`, and not beyond `last`
static bool read_block(ss_run* run, long first, long end, long last, ss_error* error)
{
  const ss_run_info* info = ss_run_get_info(run);
  ss_run_block* b = ss_run_get_block(run);
  long n = end - first, most = info->listed || n > BLOCK ? BLOCK : BLOCK/n*n;
  if (n < most) n = last - first < most ? last - first : most;
  b->n = 0;
  if (n > b->room) {
    ss_run_contact* item = realloc(b->item, (size_t)n*sizeof *item);
    if (!item) {
      ss_error_set(error, SS_ERR_MEMORY, "not enough memory for %ld contacts", n);
      return false;
    }
    b->item = item;
    b->room = n;
  }
  if (!(info->listed ? read_listed : read_fixed)(run, first, n, b->item, error)) return false;
  b->first = first;
  b->n = n;
  return true;
}

int ss_run_contacts(ss_run* run, long row, const ss_run_contact** list, ss_error* error)
{
  if (!run || !list) return ss_error_null(error, "the run or the list");
  const ss_run_info* info = ss_run_get_info(run);
  ss_run_block* b = ss_run_get_block(run);
  long first, end, last;
  if (row < 0 || row >= info->n_rows) {
    ss_error_set(error, SS_ERR_ARGUMENT, "the run has %ld rows, and none number %ld", info->n_rows, row);
    return -1;
  }
  if (!find_range(run, row, &first, &end, &last, error)) return -1;
  if (end - first > INT32_MAX) {
    ss_run_damaged(run, error, "data set 'touch_end'");
    return -1;
  }
  bool there = first >= b->first && end <= b->first + b->n;
  if (end > first && !there && !read_block(run, first, end, last, error)) return -1;
  *list = end > first ? b->item + (first - b->first) : NULL;
  return (int)(end - first);
}
