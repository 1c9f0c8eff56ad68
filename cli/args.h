// Command-line options as a table: one table per command gives its parser, its help text and its shell completions.
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include <stdbool.h>
#include <stddef.h>

/// What an option takes, and the type of the field that receives it.
typedef enum cli_kind {
  CLI_FLAG,      ///< no value                          bool, set to true
  CLI_STRING,    ///< any text                          const char*
  CLI_LIST,      ///< any text, may be given again      cli_list
  CLI_CHOICE,    ///< one of the words in `choices`     int, the index of the word
  CLI_DOUBLE,    ///< finite number                     double
  CLI_POSITIVE,  ///< finite number above zero          double
  CLI_COUNT,     ///< whole number, 1 or more           long
  CLI_WHOLE,     ///< whole number, 0 or more           long
} cli_kind;

/// The values of an option that may be given again. The array is released by cli_list_free().
typedef struct cli_list {
  int n;
  const char** item;  ///< n
} cli_list;

void cli_list_free(cli_list* list);

/// One option. A table of them ends with a row of zeros.
typedef struct cli_option {
  const char* name;            ///< without dashes: "until" for --until
  char letter;                 ///< 'o' for -o; 0 if none
  cli_kind kind;               ///
  const char* value;           ///< placeholder of the value, "FILE", "S"; NULL for a flag
  size_t offset;               ///< offsetof() the field in the command's struct of options
  const char* help;            ///< what it does, with unit and default
  const char* const* choices;  ///< for CLI_CHOICE: the words, then NULL
} cli_option;

/// A command. `-h` and `--help` are understood by all of them and stand in no table.
typedef struct cli_command {
  const char* name;                    ///< "run"
  const char* operands;                ///< "MODEL", "[NAME]", "" if none
  int min_operands, max_operands;      ///
  const char* summary;                 ///< a few words, for the list of commands
  const char* purpose;                 ///< one paragraph; the lines are broken here
  const cli_option* options;           ///
  const char* examples;                ///< lines, each ended by \n
  const char* const* words;            ///< what the operand can be, then NULL; NULL if it is a model or a file
  int (*main)(int argc, char** argv);  ///< argv[0] is the command's name; returns the exit status
} cli_command;

/// Returned by cli_parse(): go on with the command.
#define CLI_GO_ON (-1)

/// Reads the options into the struct at `target`, which the caller has filled with the defaults, and moves the operands
/// to argv[1] ... argv[*n_operands]. Returns CLI_GO_ON, or the exit status: 0 after --help, 2 after an error, which has
/// been reported.
int cli_parse(const cli_command* command, int argc, char** argv, void* target, int* n_operands);

/// The help text of a command on stdout.
void cli_help(const cli_command* command);

/// A number without anything behind it; false if it is not one or not finite.
bool cli_number(const char* text, double* value);

/// Finds the word that someone may have meant. Start with {.word = what was typed}, offer candidates, read the best.
typedef struct cli_nearest {
  const char* word;
  const char* best;  ///< NULL if nothing offered was close
  int distance;      ///< of best; small for a difference in case only
} cli_nearest;

void cli_nearest_offer(cli_nearest* nearest, const char* candidate);

#endif
