// Reading a command line by the table of its command, and the help text that the same table gives.
#include "args.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { HELP_WIDTH = 80, HELP_MAX_COLUMN = 30 };

void cli_list_free(cli_list* list)
{
  free(list->item);
  *list = (cli_list){0};
}

bool cli_number(const char* text, double* value)
{
  char* end;
  double x = strtod(text, &end);
  if (end == text || *end != '\0' || !isfinite(x)) return false;
  *value = x;
  return true;
}

// ---- the nearest word ----

// A letter in the wrong case costs so little that a whole word of them is nearer than any other edit; the library
// corrects the names in a file by the same rule.
enum { MAX_COMPARED = 31, EDIT = MAX_COMPARED + 1, CASE = 1 };

static int min3(int a, int b, int c)
{
  int m = a < b ? a : b;
  return m < c ? m : c;
}

static char lower(char c)
{
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static int replacement(char a, char b)
{
  if (a == b) return 0;
  return lower(a) == lower(b) ? CASE : EDIT;
}

// What it costs to turn a into b by edits (insert, delete, replace, swap of neighbours); longer words are cut.
static int edit_distance(const char* a, const char* b)
{
  int d[MAX_COMPARED + 1][MAX_COMPARED + 1];
  int n = (int)strnlen(a, MAX_COMPARED), m = (int)strnlen(b, MAX_COMPARED);
  for (int i = 0; i <= n; i++) d[i][0] = i*EDIT;
  for (int j = 0; j <= m; j++) d[0][j] = j*EDIT;
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= m; j++) {
      d[i][j] = min3(d[i-1][j] + EDIT, d[i][j-1] + EDIT, d[i-1][j-1] + replacement(a[i-1], b[j-1]));
      bool swapped = i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1];
      if (swapped && d[i-2][j-2] + EDIT < d[i][j]) d[i][j] = d[i-2][j-2] + EDIT;
    }
  return d[n][m];
}

// The beginning of a word counts as close to it; otherwise a third of the letters, at least one, may be wrong.
void cli_nearest_offer(cli_nearest* nearest, const char* candidate)
{
  size_t length = strlen(nearest->word);
  if (length == 0) return;
  bool begins = length >= 2 && strncmp(nearest->word, candidate, length) == 0;
  int distance = begins ? 0 : edit_distance(nearest->word, candidate);
  int allowed = length < 4 ? 1 : (int)((length + 2)/3);
  if (distance >= (allowed + 1)*EDIT || (nearest->best && distance >= nearest->distance)) return;
  nearest->best = candidate;
  nearest->distance = distance;
}

// ---- values ----

static int bad_value(const cli_command* command, const cli_option* option, const char* text, const char* wanted)
{
  return cli_usage(command, "--%s: '%s' is not %s", option->name, text, wanted);
}

static int read_choice(const cli_command* command, const cli_option* option, const char* text, int* index)
{
  cli_nearest nearest = {.word = text};
  char all[256] = "";
  for (int i = 0; option->choices[i]; i++) {
    if (strcmp(option->choices[i], text) == 0) {
      *index = i;
      return CLI_GO_ON;
    }
    cli_nearest_offer(&nearest, option->choices[i]);
    size_t used = strlen(all);
    snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", option->choices[i]);
  }
  if (nearest.best)
    return cli_usage(command, "--%s: '%s' is not known; did you mean '%s'?", option->name, text, nearest.best);
  return cli_usage(command, "--%s: '%s' is not known; it can be %s", option->name, text, all);
}

static int read_count(const cli_command* command, const cli_option* option, const char* text, long* value)
{
  char* end;
  errno = 0;
  long x = strtol(text, &end, 10), least = option->kind == CLI_COUNT;
  if (end == text || *end != '\0' || x < least)
    return bad_value(command, option, text, least ? "a whole number, 1 or more" : "a whole number, 0 or more");
  if (errno) return bad_value(command, option, text, "in the range of whole numbers");
  *value = x;
  return CLI_GO_ON;
}

static int read_double(const cli_command* command, const cli_option* option, const char* text, double* value)
{
  double x;
  bool positive = option->kind == CLI_POSITIVE;
  if (!cli_number(text, &x) || (positive && x <= 0))
    return bad_value(command, option, text, positive ? "a finite number above zero" : "a finite number");
  *value = x;
  return CLI_GO_ON;
}

// A list never holds more values than the command line has words.
static int add_to_list(cli_list* list, const char* text, int argc)
{
  if (!list->item) list->item = calloc((size_t)argc, sizeof *list->item);
  if (!list->item) return cli_out_of_memory();
  list->item[list->n++] = text;
  return CLI_GO_ON;
}

static int set_option(const cli_command* command, const cli_option* option, const char* text, void* target, int argc)
{
  void* field = (char*)target + option->offset;
  switch (option->kind) {
    case CLI_FLAG: *(bool*)field = true; return CLI_GO_ON;
    case CLI_STRING: *(const char**)field = text; return CLI_GO_ON;
    case CLI_LIST: return add_to_list(field, text, argc);
    case CLI_CHOICE: return read_choice(command, option, text, field);
    case CLI_DOUBLE:
    case CLI_POSITIVE: return read_double(command, option, text, field);
    case CLI_COUNT:
    case CLI_WHOLE: return read_count(command, option, text, field);
  }
  return CLI_GO_ON;
}

// ---- the command line ----

static const cli_option* find_long(const cli_command* command, const char* name, size_t length)
{
  for (const cli_option* o = command->options; o && o->name; o++)
    if (strlen(o->name) == length && strncmp(o->name, name, length) == 0) return o;
  return NULL;
}

static const cli_option* find_letter(const cli_command* command, char letter)
{
  for (const cli_option* o = command->options; o && o->name; o++)
    if (o->letter == letter) return o;
  return NULL;
}

static int unknown_option(const cli_command* command, const char* word)
{
  char name[64];
  const char* start = word + strspn(word, "-");
  snprintf(name, sizeof name, "%.*s", (int)strcspn(start, "="), start);
  cli_nearest nearest = {.word = name};
  for (const cli_option* o = command->options; o && o->name; o++) cli_nearest_offer(&nearest, o->name);
  cli_nearest_offer(&nearest, "help");
  if (nearest.best) return cli_usage(command, "unknown option '%s'; did you mean '--%s'?", word, nearest.best);
  return cli_usage(command, "unknown option '%s'", word);
}

// Where the reading of a command line is.
typedef struct reader {
  const cli_command* command;
  int argc;
  char** argv;
  int at;  // the word being read
  void* target;
} reader;

// `--csv --json`: the value of --csv was forgotten
static bool is_option(const reader* r, const char* word)
{
  return strncmp(word, "--", 2) == 0 && find_long(r->command, word + 2, strlen(word + 2));
}

// The option at r->at; `inside` is what follows in the same word (--name=inside, -oinside), or NULL.
static int read_option(reader* r, const cli_option* option, const char* inside)
{
  if (option->kind == CLI_FLAG && inside) return cli_usage(r->command, "--%s takes no value", option->name);
  const char* text = inside;
  if (option->kind != CLI_FLAG && !inside) {
    if (r->at + 1 >= r->argc || is_option(r, r->argv[r->at + 1]))
      return cli_usage(r->command, "--%s needs a value (%s)", option->name, option->value);
    text = r->argv[++r->at];
  }
  return set_option(r->command, option, text, r->target, r->argc);
}

static int read_word(reader* r)
{
  const char* word = r->argv[r->at];
  if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
    cli_help(r->command);
    return CLI_DONE;
  }
  if (word[1] == '-') {
    size_t length = strcspn(word + 2, "=");
    const cli_option* option = find_long(r->command, word + 2, length);
    if (!option) return unknown_option(r->command, word);
    return read_option(r, option, word[2 + length] == '=' ? word + 3 + length : NULL);
  }
  const cli_option* option = find_letter(r->command, word[1]);
  if (!option) return unknown_option(r->command, word);
  return read_option(r, option, word[2] ? word + 2 + (word[2] == '=') : NULL);
}

static int check_operands(const cli_command* command, int n, char** argv)
{
  if (n < command->min_operands) return cli_usage(command, "%s is missing", command->operands);
  if (n > command->max_operands)
    return cli_usage(command, "'%s' is one operand too many", argv[command->max_operands + 1]);
  return CLI_GO_ON;
}

int cli_parse(const cli_command* command, int argc, char** argv, void* target, int* n_operands)
{
  reader r = {.command = command, .argc = argc, .argv = argv, .at = 1, .target = target};
  int n = 0;
  bool options_ended = false;
  for (; r.at < argc; r.at++) {
    char* word = argv[r.at];
    if (!options_ended && strcmp(word, "--") == 0) {
      options_ended = true;
    } else if (options_ended || word[0] != '-' || word[1] == '\0') {
      argv[++n] = word;  // an operand; n < r.at, so nothing unread is overwritten
    } else {
      int status = read_word(&r);
      if (status != CLI_GO_ON) return status;
    }
  }
  *n_operands = n;
  return check_operands(command, n, argv);
}

// ---- help ----

// Prints text broken at HELP_WIDTH; lines after the first start at column `indent`, where the cursor is now.
static void print_wrapped(const char* text, int indent)
{
  int column = indent;
  while (*text) {
    int length = (int)strcspn(text, " ");
    if (column > indent && column + 1 + length > HELP_WIDTH) {
      printf("\n%*s", indent, "");
      column = indent;
    } else if (column > indent) {
      putchar(' ');
      column++;
    }
    printf("%.*s", length, text);
    column += length;
    text += length;
    text += strspn(text, " ");
  }
  putchar('\n');
}

// "-o, --output FILE" into out
static void option_label(const cli_option* option, char* out, size_t size)
{
  char letter[8] = "    ";
  if (option->letter) snprintf(letter, sizeof letter, "-%c, ", option->letter);
  snprintf(out, size, "%s--%s%s%s", letter, option->name, option->value ? " " : "", option->value ? option->value : "");
}

static void print_options(const cli_option* options)
{
  char label[80];
  int column = 0;
  for (const cli_option* o = options; o && o->name; o++) {
    option_label(o, label, sizeof label);
    int end = (int)strlen(label) + 4;
    if (end > column && end <= HELP_MAX_COLUMN) column = end;
  }
  if (column < 16) column = 16;
  for (const cli_option* o = options; o && o->name; o++) {
    option_label(o, label, sizeof label);
    printf("  %s", label);
    int at = (int)strlen(label) + 2;
    if (at + 2 > column) printf("\n%*s", column, "");
    else printf("%*s", column - at, "");
    print_wrapped(o->help, column);
  }
  printf("  %-*s%s\n", column - 2, "-h, --help", "print this text");
}

void cli_help(const cli_command* command)
{
  bool has_options = command->options && command->options->name;
  printf("Usage: stickslip %s%s%s%s\n\n", command->name, command->operands[0] ? " " : "", command->operands,
         has_options ? " [options]" : "");
  print_wrapped(command->purpose, 0);
  printf("\nOptions:\n");
  print_options(command->options);
  if (command->examples) printf("\nExamples:\n%s", command->examples);
  printf("\nExit status: 0 done, 1 done but some steps or problems missed their tolerance,\n"
         "2 bad input or usage, 3 the computation failed or did not finish, 4 a file could\n"
         "not be read or written.\n");
}
