// Numbers and parts of JSON output.
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <cjson/cJSON.h>
#include <stdbool.h>

/// Adds a number that reads back to the same double (cJSON's own printing may lose the last bit); null if not finite.
void cli_json_number(cJSON* object, const char* name, double value);

/// The same for an array of numbers.
void cli_json_numbers(cJSON* object, const char* name, int n, const double* value);

/// The same for `count` rows of n numbers, as an array of arrays.
void cli_json_rows(cJSON* object, const char* name, int count, int n, const double* rows);

/// Adds an item, which then belongs to the object or list: returned, to be filled. NULL, and the item is deleted, if
/// memory is short; items, objects and lists that are NULL for want of memory are fine.
cJSON* cli_json_put(cJSON* object, const char* name, cJSON* item);
cJSON* cli_json_append(cJSON* list, cJSON* item);

/// Prints a JSON object on stdout and deletes it. Returns CLI_DONE, or CLI_FAILED if memory was short.
int cli_print_json(cJSON* object);

/// From now on failures of cJSON for want of memory are noted: it goes on without what it could not make.
void cli_json_watch(void);
/// Whether there were none.
bool cli_json_is_whole(void);

#endif
