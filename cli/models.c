// `stickslip models`: the catalogue, and the file of one of its models.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "json.h"
#include "table.h"

typedef struct models_options {
  bool json;
} models_options;

static const cli_option options[] = {
  {"json", 0, CLI_FLAG, NULL, offsetof(models_options, json), "print JSON", NULL},
  {0},
};

const cli_command cli_models_command = {
  .name = "models", .operands = "[MODEL]", .max_operands = 1,
  .summary = "list the catalogue, or print one of its models",
  .purpose = "Lists the models that are built in. With a name, prints the file of that model: the beginning of a model "
             "of your own (text models as .yaml, scenes as .xml).",
  .options = options,
  .examples = "  stickslip models\n"
              "  stickslip models ball > my.yaml\n"
              "  stickslip models sphere-plane > my.xml\n",
  .main = cli_models,
};

// The first line of the description, or its first sentence if the line goes on ("Fig. 2" does not end one)
static void first_line(const char* description, char* out, size_t size)
{
  size_t length = strcspn(description, "\n");
  const char* stop = strstr(description, ". ");
  while (stop && isdigit((unsigned char)stop[2])) stop = strstr(stop + 2, ". ");
  if (stop && (size_t)(stop - description) + 1 < length) length = (size_t)(stop - description) + 1;
  bool goes_on = description[length] && description[length - (length > 0)] != '.';
  snprintf(out, size, "%.*s%s", (int)length, description, goes_on ? " …" : "");
}

static ss_model* parse_entry(const ss_catalogue_entry* entry, ss_error* error)
{
  ss_model_def def = {0};
  return ss_model_parse(entry->text, strlen(entry->text), entry->name, &def, error);
}

static int list_text(const ss_catalogue_entry* entry, int n)
{
  cli_table table = cli_table_create("ll");
  for (int i = 0; i < n; i++) {
    ss_error error = {0};
    ss_model* model = parse_entry(&entry[i], &error);
    char line[512];
    first_line(model ? ss_model_description(model) : error.text, line, sizeof line);
    cli_table_cell(&table, "%s", entry[i].name);
    cli_table_cell(&table, "%s", line);
    ss_model_destroy(model);
  }
  return cli_table_print(&table, 0) ? CLI_DONE : cli_out_of_memory();
}

static int list_json(const ss_catalogue_entry* entry, int n)
{
  cJSON* o = cJSON_CreateObject();
  cJSON* list = cJSON_AddArrayToObject(o, "models");
  for (int i = 0; i < n; i++) {
    ss_error error = {0};
    ss_model* model = parse_entry(&entry[i], &error);
    cJSON* item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "name", entry[i].name);
    cJSON_AddStringToObject(item, "description", model ? ss_model_description(model) : "");
    cJSON_AddStringToObject(item, "source", model ? ss_model_source(model) : "");
    cli_json_append(list, item);
    ss_model_destroy(model);
  }
  return cli_print_json(o);
}

static int print_model(const ss_catalogue_entry* entry, int n, const char* name, bool json)
{
  cli_nearest nearest = {.word = name};
  for (int i = 0; i < n; i++) {
    cli_nearest_offer(&nearest, entry[i].name);
    if (strcmp(entry[i].name, name) != 0) continue;
    if (!json) return fputs(entry[i].text, stdout) < 0 ? CLI_BAD_FILE : CLI_DONE;
    cJSON* o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "name", entry[i].name);
    cJSON_AddStringToObject(o, "text", entry[i].text);
    return cli_print_json(o);
  }
  if (nearest.best) return cli_usage(&cli_models_command, "no model '%s'; did you mean '%s'?", name, nearest.best);
  return cli_usage(&cli_models_command, "no model '%s'; 'stickslip models' lists them", name);
}

int cli_models(int argc, char** argv)
{
  models_options o = {0};
  int n_operands;
  int status = cli_parse(&cli_models_command, argc, argv, &o, &n_operands);
  if (status != CLI_GO_ON) return status;
  const ss_catalogue_entry* entry;
  int n = ss_catalogue(&entry);
  if (n_operands) return print_model(entry, n, argv[1], o.json);
  return o.json ? list_json(entry, n) : list_text(entry, n);
}
