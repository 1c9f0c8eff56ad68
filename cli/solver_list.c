// The tables of solvers of the library, one per class of problems, behind one interface.
#include "solver_list.h"

#include <string.h>

static const char* lcp_name(int k) { return ss_lcp_solver_name((ss_lcp_solver)k); }
static const char* mlcp_name(int k) { return ss_mlcp_solver_name((ss_mlcp_solver)k); }
static const char* contact_name(int k) { return ss_friction_method_name((ss_friction_method)k); }
static ss_solver_about lcp_about(int k) { return ss_lcp_solver_about((ss_lcp_solver)k); }
static ss_solver_about mlcp_about(int k) { return ss_mlcp_solver_about((ss_mlcp_solver)k); }
static ss_solver_about contact_about(int k) { return ss_friction_method_about((ss_friction_method)k); }

typedef struct class_row {
  const char *keyword, *plural;
  int count;
  const char* (*name)(int);
  ss_solver_about (*about)(int);
} class_row;

static const class_row classes[CLI_CLASSES] = {
  [CLI_LCP]     = {"lcp", "LCPs", SS_LCP_SOLVER_COUNT, lcp_name, lcp_about},
  [CLI_MLCP]    = {"mlcp", "mixed problems", SS_MLCP_SOLVER_COUNT, mlcp_name, mlcp_about},
  [CLI_CONTACT] = {"contact", "contact problems", SS_FRICTION_METHODS, contact_name, contact_about},
};

const char* cli_class_keyword(cli_class class) { return classes[class].keyword; }
const char* cli_class_plural(cli_class class) { return classes[class].plural; }
int cli_solver_count(cli_class class)
{
  return classes[class].count + (class == CLI_LCP ? classes[CLI_MLCP].count - 1 : 0);
}

cli_class cli_solver_home(cli_class class, int k, int* number)
{
  bool mixed = class == CLI_LCP && k >= classes[CLI_LCP].count;
  *number = mixed ? k - classes[CLI_LCP].count + 1 : k;
  return mixed ? CLI_MLCP : class;
}

const char* cli_solver_name(cli_class class, int solver)
{
  int number;
  cli_class home = cli_solver_home(class, solver, &number);
  return classes[home].name(number);
}

ss_solver_about cli_solver_about(cli_class class, int solver)
{
  int number;
  cli_class home = cli_solver_home(class, solver, &number);
  return classes[home].about(number);
}

int cli_solver_find(cli_class class, const char* name)
{
  for (int k = 0; k < cli_solver_count(class); k++)
    if (strcmp(cli_solver_name(class, k), name) == 0) return k;
  return -1;
}

const char* cli_solver_words[CLI_MAX_SOLVERS + 2];

static void add_word(const char* word)
{
  int k = 0;
  for (; cli_solver_words[k]; k++)
    if (strcmp(cli_solver_words[k], word) == 0) return;
  cli_solver_words[k] = word;
}

void cli_solver_words_fill(void)
{
  for (int c = 0; c < CLI_CLASSES; c++)
    for (int k = 0; k < classes[c].count; k++) add_word(classes[c].name(k));
  add_word("all");
}
