// The columns of a page. Of many quantities the first of each class are there; of contacts that come and go those that
// were closed most.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page.h"
#include "json.h"

// Times, residuals and energies are always there
typedef enum column_class { CORE, STATE, CONTACT, RATE, COORDINATE, SENSOR, N_CLASS } column_class;

enum { LOOKS = 1000, TOP_STATES = 30, TOP_VALUES = 6 };  // contacts that come and go: how many have columns

typedef struct choice {
  int left[N_CLASS];                // columns that may still be taken
  int n_top;
  const char* top[TOP_STATES];      // contacts that come and go, the most closed first
} choice;

static bool begins(const char* name, const char* with) { return strncmp(name, with, strlen(with)) == 0; }

static const char* type_of(const char* name)
{
  if (strcmp(name, "t") == 0) return "f64";
  return begins(name, "state.") || strcmp(name, "status") == 0 ? "u8" : "f32";
}

static column_class class_of(const char* name)
{
  static const char* const core[] = {"t", "residual", "iterations", "status", "choice", NULL};
  static const char* const contact[] = {"gap.", "gamma_", "Lambda", "F_N.", "F_T.", "F_T1.", "F_T2.",
                                       "F.", "point_", NULL};
  for (int i = 0; core[i]; i++)
    if (strcmp(core[i], name) == 0) return CORE;
  if (begins(name, "sensor.")) return SENSOR;
  for (int i = 0; contact[i]; i++)
    if (begins(name, contact[i])) return CONTACT;
  return begins(name, "energy.") ? CORE : begins(name, "state.") ? STATE : begins(name, "u_") ? RATE : COORDINATE;
}

// Counts are told by their last values, and a run without energy accounting has no energies.
static bool is_shown(ss_run* run, const char* name)
{
  if (begins(name, "counts.") || strcmp(name, "step") == 0 || strcmp(name, "side") == 0) return false;
  return !begins(name, "energy.") || ss_run_get_info(run)->run.step.account;
}

// ---- which ----

typedef struct closed {
  int contact;
  long rows;
} closed;

static int by_rows(const void* a, const void* b)
{
  const closed *x = a, *y = b;
  return x->rows != y->rows ? (x->rows < y->rows ? 1 : -1) : (x->contact > y->contact) - (x->contact < y->contact);
}

// In how many rows each contact is closed, of up to LOOKS evenly spaced ones
static int count_closed(ss_run* run, const cli_page* page, long first, closed* count)
{
  ss_error error = {0};
  int n_contact = ss_run_get_info(run)->n_contact;
  long looks = page->n_rows < LOOKS ? page->n_rows : LOOKS;
  for (int c = 0; c < n_contact; c++) count[c] = (closed){.contact = c};
  for (long i = 0; i < looks; i++) {
    const ss_run_contact* list;
    int n = ss_run_contacts(run, first + page->n_rows*i/looks, &list, &error);
    if (n < 0) return cli_fail(&error);
    for (int k = 0; k < n; k++) {
      int c = list[k].contact;
      if (list[k].state != SS_OPEN && c >= 0 && c < n_contact) count[c].rows++;
    }
  }
  return CLI_GO_ON;
}

static int choose_contacts(ss_run* run, const cli_page* page, long first, choice* c)
{
  const ss_run_info* info = ss_run_get_info(run);
  closed* count = malloc(sizeof *count*((size_t)info->n_contact + 1));
  if (!count) return cli_out_of_memory();
  int status = count_closed(run, page, first, count);
  if (status == CLI_GO_ON) qsort(count, (size_t)info->n_contact, sizeof *count, by_rows);
  c->n_top = info->n_contact < TOP_STATES ? info->n_contact : TOP_STATES;
  for (int i = 0; status == CLI_GO_ON && i < c->n_top; i++) c->top[i] = info->contact[count[i].contact];
  free(count);
  return status;
}

static bool is_top(const choice* c, const char* name, int most)
{
  const char* contact = strchr(name, '.');
  for (int i = 0; contact && i < c->n_top && i < most; i++)
    if (strcmp(contact + 1, c->top[i]) == 0) return true;
  return false;
}

static bool take(choice* c, bool listed, const char* name)
{
  column_class class = class_of(name);
  if (listed && class == STATE) return is_top(c, name, TOP_STATES);
  if (listed && class == CONTACT && !begins(name, "Lambda.") && !begins(name, "F.")) return is_top(c, name, TOP_VALUES);
  return c->left[class] > 0 && c->left[class]-- > 0;
}

int cli_page_choose_columns(ss_run* run, cli_page* page, long first)
{
  int n;
  bool listed = ss_run_get_info(run)->listed;
  choice c = {.left = {100, 100, 300, 100, 100}};
  if (listed) {  // a body has seven coordinates: those of ten are enough to look at
    c = (choice){.left = {100, 0, 60, 60, 70, 60}};
    int status = choose_contacts(run, page, first, &c);
    if (status != CLI_GO_ON) return status;
  }
  const char* const* name = ss_run_columns(run, &n);
  page->column = name ? malloc(sizeof *page->column*((size_t)n + 1)) : NULL;
  page->n_column = page->n_columns = page->column_bytes = 0;
  if (!page->column) return cli_out_of_memory();
  for (int i = 0; i < n; i++) {
    if (!is_shown(run, name[i])) continue;
    page->n_columns++;
    if (!take(&c, listed, name[i])) continue;
    const char* type = type_of(name[i]);
    page->column[page->n_column++] = name[i];
    page->column_bytes += type[0] == 'u' ? 1 : type[1] == '6' ? 8 : 4;
  }
  return CLI_GO_ON;
}

// ---- their numbers ----

// Rates of coordinates that the run tells no unit of have that of the coordinate per second
static const char* unit_of(ss_run* run, const char* name, char* room, size_t size)
{
  const ss_run_info* info = ss_run_get_info(run);
  const char* unit = ss_run_unit(run, name);
  if (unit[0] || !begins(name, "u_")) return unit;
  for (int i = 0; i < info->nq; i++)
    if (strcmp(info->coordinate[i], name + 2) == 0) unit = ss_run_unit(run, name + 2);
  if (!unit[0]) return unit;
  snprintf(room, size, "%s/s", unit);
  return room;
}

static int add_column(ss_run* run, const cli_page* page, const char* name, double* buffer, cJSON* list)
{
  ss_error error = {0};
  const double* column = ss_run_column(run, name, &error);
  if (!column) return cli_fail(&error);
  cJSON* o = cli_json_append(list, cJSON_CreateObject());
  cJSON_AddStringToObject(o, "name", name);
  char unit[64];
  cJSON_AddStringToObject(o, "unit", unit_of(run, name, unit, sizeof unit));
  for (long i = 0; i < page->n; i++) buffer[i] = column[page->row[i]];
  return cli_page_numbers(o, type_of(name), page->n, buffer) ? CLI_GO_ON : cli_out_of_memory();
}

int cli_page_columns(ss_run* run, const cli_page* page, cJSON* json)
{
  int status = CLI_GO_ON;
  double* buffer = calloc((size_t)page->n + 1, sizeof *buffer);
  if (!buffer) return cli_out_of_memory();
  cJSON* list = cJSON_AddArrayToObject(json, "columns");
  for (int i = 0; i < page->n_column && status == CLI_GO_ON; i++)
    status = add_column(run, page, page->column[i], buffer, list);
  free(buffer);
  return status;
}
