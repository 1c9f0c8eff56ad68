// `stickslip solvers`: every solver, with what it accepts, what it does, where it comes from and where it ends.
#include <stdio.h>
#include <string.h>

#include "json.h"
#include "solver_list.h"
#include "table.h"

typedef struct solvers_options {
  bool json;
} solvers_options;

static const cli_option options[] = {
  {"json", 0, CLI_FLAG, NULL, offsetof(solvers_options, json), "print one JSON object", NULL},
  {0},
};

static const char* const class_words[] = {"lcp", "mlcp", "contact", NULL};

const cli_command cli_solvers_command = {
  .name = "solvers", .operands = "[CLASS]", .max_operands = 1,
  .summary = "list the solvers, what each accepts and where it ends",
  .purpose = "Lists the solvers of 'stickslip solve --solver NAME': the class of problems they accept (lcp, mlcp, "
             "contact), their method, its source and its limits. With a class, only those. A solver of mixed problems "
             "(mlcp) accepts LCPs as well.",
  .options = options,
  .examples = "  stickslip solvers\n"
              "  stickslip solvers contact\n",
  .words = class_words,
  .main = cli_solvers,
};

typedef struct listed {
  const char* name;
  cli_class class;
  ss_solver_about about;
} listed;

enum { MOST = CLI_MAX_SOLVERS + 1 };

// The solvers of a class, or of all
static int collect(int only, listed* list)
{
  int n = 0;
  for (int c = 0; c < CLI_CLASSES; c++) {
    if (only >= 0 && c != only) continue;
    for (int k = 0, number; k < cli_solver_count((cli_class)c); k++)
      if ((int)cli_solver_home((cli_class)c, k, &number) == c)
        list[n++] = (listed){cli_solver_name((cli_class)c, k), (cli_class)c, cli_solver_about((cli_class)c, k)};
    if (c == CLI_LCP) list[n++] = (listed){"(--solutions)", CLI_LCP, ss_lcp_enumerate_about()};
  }
  return n;
}

static const char* accepts(const listed* s) { return s->class == CLI_MLCP ? "mlcp, lcp" : cli_class_keyword(s->class); }

// Method, source and limits are in lines below each other: side by side they would be wider than any terminal
static int print_text(const listed* list, int n)
{
  cli_table table = cli_table_create("llll");
  cli_table_cell(&table, "solver");
  cli_table_cell(&table, "accepts");
  cli_table_cell(&table, "%s", "");
  cli_table_cell(&table, "about");
  for (int i = 0; i < n; i++) {
    const char* const words[] = {"method", "source", "limits"};
    const char* const texts[] = {list[i].about.method, list[i].about.source, list[i].about.limits};
    for (int line = 0; line < 3; line++) {
      if (line > 0 && !texts[line][0]) continue;
      cli_table_cell(&table, "%s", line == 0 ? list[i].name : "");
      cli_table_cell(&table, "%s", line == 0 ? accepts(&list[i]) : "");
      cli_table_cell(&table, "%s", texts[line][0] ? words[line] : "");
      cli_table_cell(&table, "%s", texts[line]);
    }
  }
  return cli_table_print(&table, 0) ? CLI_DONE : cli_out_of_memory();
}

static int print_json(const listed* list, int n)
{
  cJSON* o = cJSON_CreateObject();
  cJSON* array = cJSON_AddArrayToObject(o, "solvers");
  for (int i = 0; i < n; i++) {
    cJSON* item = cli_json_append(array, cJSON_CreateObject());
    cJSON_AddStringToObject(item, "name", list[i].name);
    cJSON* classes = cJSON_AddArrayToObject(item, "accepts");
    cli_json_append(classes, cJSON_CreateString(cli_class_keyword(list[i].class)));
    if (list[i].class == CLI_MLCP) cli_json_append(classes, cJSON_CreateString(cli_class_keyword(CLI_LCP)));
    cJSON_AddStringToObject(item, "method", list[i].about.method);
    cJSON_AddStringToObject(item, "source", list[i].about.source);
    cJSON_AddStringToObject(item, "limits", list[i].about.limits);
  }
  return cli_print_json(o);
}

int cli_solvers(int argc, char** argv)
{
  solvers_options o = {0};
  listed list[MOST];
  int n_operands, only = -1;
  int status = cli_parse(&cli_solvers_command, argc, argv, &o, &n_operands);
  if (status != CLI_GO_ON) return status;
  for (int c = 0; n_operands && c < CLI_CLASSES; c++)
    if (strcmp(argv[1], cli_class_keyword((cli_class)c)) == 0) only = c;
  if (n_operands && only < 0)
    return cli_usage(&cli_solvers_command, "'%s' is no class of problems; it can be lcp, mlcp or contact", argv[1]);
  int n = collect(only, list);
  return o.json ? print_json(list, n) : print_text(list, n);
}
