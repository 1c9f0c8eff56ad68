// JSON for a program to read, on stdout.
#include "json.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"

static atomic_bool failed;

// cJSON leaves out what it has no memory for
static void* note_failure(size_t size)
{
  void* memory = malloc(size);
  if (!memory) failed = true;
  return memory;
}

void cli_json_watch(void) { cJSON_InitHooks(&(cJSON_Hooks){note_failure, free}); }

bool cli_json_is_whole(void) { return !failed; }

cJSON* cli_json_put(cJSON* object, const char* name, cJSON* item)
{
  if (cJSON_AddItemToObject(object, name, item)) return item;
  cJSON_Delete(item);
  return NULL;
}

cJSON* cli_json_append(cJSON* list, cJSON* item)
{
  if (cJSON_AddItemToArray(list, item)) return item;
  cJSON_Delete(item);
  return NULL;
}

// As few digits as read back to the same double
static cJSON* number(double value)
{
  char text[40];
  if (!isfinite(value)) return cJSON_CreateNull();
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  return cJSON_CreateRaw(text);
}

void cli_json_number(cJSON* object, const char* name, double value)
{
  cli_json_put(object, name, number(value));
}

void cli_json_numbers(cJSON* object, const char* name, int n, const double* value)
{
  cJSON* array = cJSON_AddArrayToObject(object, name);
  for (int i = 0; i < n; i++) cli_json_append(array, number(value[i]));
}

void cli_json_rows(cJSON* object, const char* name, int count, int n, const double* rows)
{
  cJSON* list = cJSON_AddArrayToObject(object, name);
  for (int k = 0; k < count; k++) {
    cJSON* holder = cJSON_CreateObject();
    cli_json_numbers(holder, "x", n, rows + k*n);
    cli_json_append(list, cJSON_DetachItemFromObject(holder, "x"));
    cJSON_Delete(holder);
  }
}

int cli_print_json(cJSON* object)
{
  char* text = cJSON_Print(object);
  cJSON_Delete(object);
  if (!text || failed) {
    cJSON_free(text);
    return cli_out_of_memory();
  }
  puts(text);
  cJSON_free(text);
  return CLI_DONE;
}
