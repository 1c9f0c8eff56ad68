// `stickslip completion`: completion scripts for the shells, made from the tables of the commands.
#include <stdio.h>
#include <string.h>

#include "cli.h"

static const cli_option no_options[] = {{0}};
static const char* const shells[] = {"bash", "zsh", "fish", NULL};

const cli_command cli_completion_command = {
  .name = "completion", .operands = "SHELL", .min_operands = 1, .max_operands = 1,
  .summary = "print a completion script for bash, zsh or fish",
  .purpose = "Prints a script that completes commands, options, models and files in the shell named.",
  .options = no_options,
  .examples = "  stickslip completion bash > /etc/bash_completion.d/stickslip\n"
              "  stickslip completion zsh > ~/.zfunc/_stickslip\n"
              "  stickslip completion fish > ~/.config/fish/completions/stickslip.fish\n",
  .words = shells,
  .main = cli_completion,
};

// ---- what the tables say ----

typedef enum operand_kind { OPERAND_NONE, OPERAND_WORDS, OPERAND_COMMAND, OPERAND_MODEL, OPERAND_FILE } operand_kind;

static operand_kind kind_of(const cli_command* c)
{
  if (c->max_operands == 0) return OPERAND_NONE;
  if (c->words) return OPERAND_WORDS;
  if (strstr(c->operands, "COMMAND")) return OPERAND_COMMAND;
  return strstr(c->operands, "MODEL") ? OPERAND_MODEL : OPERAND_FILE;
}

static bool takes_file(const cli_option* o)
{
  return o->value && (strncmp(o->value, "FILE", 4) == 0 || strcmp(o->value, "DIR") == 0);
}

static void print_words(const char* before, const char* const* words, const char* after)
{
  printf("%s", before);
  for (int i = 0; words[i]; i++) printf("%s%s", i ? " " : "", words[i]);
  printf("%s", after);
}

static void print_catalogue(void)
{
  const ss_catalogue_entry* entry;
  int n = ss_catalogue(&entry);
  for (int i = 0; i < n; i++) printf("%s%s", i ? " " : "", entry[i].name);
}

static void print_command_names(void)
{
  for (int i = 0; cli_commands[i]; i++) printf("%s%s", i ? " " : "", cli_commands[i]->name);
}

// What the operand of a command can be, as words; nothing for files
static void print_operand_words(const cli_command* c)
{
  switch (kind_of(c)) {
    case OPERAND_WORDS: print_words("", c->words, ""); break;
    case OPERAND_COMMAND: print_command_names(); break;
    case OPERAND_MODEL: print_catalogue(); break;
    case OPERAND_NONE:
    case OPERAND_FILE: break;
  }
}

static bool operand_can_be_file(const cli_command* c)
{
  return kind_of(c) == OPERAND_FILE || kind_of(c) == OPERAND_MODEL;
}

// Text for the inside of single quotes; a quote itself ends them, is escaped, and opens them again. Brackets and colons
// are special in zsh's descriptions and are escaped there.
static void print_quoted_part(const char* text, const char* special)
{
  for (; *text; text++) {
    if (*text == '\'') printf("'\\''");
    else if (strchr(special, *text)) printf("\\%c", *text);
    else putchar(*text);
  }
}

// ---- bash ----

static void print_bash_command(const cli_command* c)
{
  printf("    %s)\n      words='", c->name);
  print_operand_words(c);
  printf("'\n      files=%d\n      options='--help", operand_can_be_file(c));
  for (const cli_option* o = c->options; o->name; o++) {
    printf(" --%s", o->name);
    if (o->letter) printf(" -%c", o->letter);
  }
  printf("'\n      case $previous in\n");
  for (const cli_option* o = c->options; o->name; o++) {
    if (o->kind == CLI_FLAG) continue;
    printf("        --%s", o->name);
    if (o->letter) printf("|-%c", o->letter);
    printf(") options='' words='");
    if (o->choices) print_words("", o->choices, "");
    printf("' files=%d ;;\n", takes_file(o));
  }
  printf("        -?*) ;;\n      esac ;;\n");  // a flag before: nothing changes
}

static void print_bash(void)
{
  printf("# bash completion of stickslip; made by 'stickslip completion bash'\n"
         "_stickslip()\n{\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  local command=${COMP_WORDS[1]} words='' options='' files=0\n"
         "  if [ \"$current\" = '=' ]; then current=''; fi  # bash splits --name=value\n"
         "  if [ \"$previous\" = '=' ]; then previous=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "    COMPREPLY=($(compgen -W '--help --version ");
  print_command_names();
  printf("' -- \"$current\"))\n    return\n  fi\n  case $command in\n");
  for (int i = 0; cli_commands[i]; i++) print_bash_command(cli_commands[i]);
  printf("  esac\n"
         "  case $current in\n"
         "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$current\")) ;;\n"
         "    *) COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "       if [ \"$files\" -eq 1 ]; then\n"
         "         compopt -o filenames 2>/dev/null\n"
         "         local file\n"
         "         while IFS= read -r file; do COMPREPLY+=(\"$file\"); done < <(compgen -f -- \"$current\")\n"
         "       fi ;;\n"
         "  esac\n"
         "}\n"
         "complete -F _stickslip stickslip\n");
}

// ---- zsh ----

static void print_zsh_option(const cli_option* o)
{
  const char* repeat = o->kind == CLI_LIST ? "*" : "";
  char names[96];
  if (o->letter) snprintf(names, sizeof names, "{-%c,--%s}", o->letter, o->name);
  else snprintf(names, sizeof names, "--%s", o->name);
  printf(" \\\n        %s%s'[", repeat[0] ? "'*'" : "", names);
  print_quoted_part(o->help, "[]:\\");
  printf("]");
  if (o->kind != CLI_FLAG) {
    printf(":");
    print_quoted_part(o->value, "[]:\\");
    printf(":");
    if (takes_file(o)) printf("_files");
    if (o->choices) print_words("(", o->choices, ")");
  }
  printf("'");
}

static void print_zsh_command(const cli_command* c)
{
  printf("    %s)\n      _arguments '--help[print help]'", c->name);
  for (const cli_option* o = c->options; o->name; o++) print_zsh_option(o);
  switch (kind_of(c)) {
    case OPERAND_NONE: break;
    case OPERAND_FILE: printf(" \\\n        '1:file:_files'"); break;
    case OPERAND_MODEL:
      printf(" \\\n        '1:model:{_alternative \"models:model:(");
      print_catalogue();
      printf(")\" \"files:file:_files\"}'");
      break;
    case OPERAND_WORDS:
    case OPERAND_COMMAND:
      printf(" \\\n        '1:word:(");
      print_operand_words(c);
      printf(")'");
      break;
  }
  printf(" ;;\n");
}

static void print_zsh(void)
{
  printf("#compdef stickslip\n# zsh completion of stickslip; made by 'stickslip completion zsh'\n"
         "_stickslip()\n{\n"
         "  if (( CURRENT == 2 )); then\n    local -a commands\n    commands=(\n");
  for (int i = 0; cli_commands[i]; i++) {
    printf("      '%s:", cli_commands[i]->name);
    print_quoted_part(cli_commands[i]->summary, ":\\");
    printf("'\n");
  }
  printf("    )\n    _describe command commands\n    return\n  fi\n"
         "  local command=${words[2]}\n  shift words\n  (( CURRENT-- ))\n  case $command in\n");
  for (int i = 0; cli_commands[i]; i++) print_zsh_command(cli_commands[i]);
  printf("  esac\n}\n"
         "if [ \"$funcstack[1]\" = \"_stickslip\" ]; then _stickslip \"$@\"; else compdef _stickslip stickslip; fi\n");
}

// ---- fish ----

static void print_fish_option(const cli_command* c, const cli_option* o)
{
  printf("complete -c stickslip -n '__fish_seen_subcommand_from %s' -l %s", c->name, o->name);
  if (o->letter) printf(" -s %c", o->letter);
  if (o->kind != CLI_FLAG) printf(takes_file(o) ? " -r -F" : " -x");
  if (o->choices) print_words(" -a '", o->choices, "'");
  printf(" -d '");
  for (const char* p = o->help; *p; p++) {
    if (*p == '\'' || *p == '\\') putchar('\\');
    putchar(*p);
  }
  printf("'\n");
}

static void print_fish_command(const cli_command* c)
{
  printf("complete -c stickslip -n __fish_use_subcommand -a %s -d '%s'\n", c->name, c->summary);
  for (const cli_option* o = c->options; o->name; o++) print_fish_option(c, o);
  if (kind_of(c) == OPERAND_NONE) return;
  printf("complete -c stickslip -n '__fish_seen_subcommand_from %s'%s", c->name, operand_can_be_file(c) ? " -F" : "");
  printf(" -a '");
  print_operand_words(c);
  printf("'\n");
}

static void print_fish(void)
{
  printf("# fish completion of stickslip; made by 'stickslip completion fish'\n"
         "complete -c stickslip -f\n"
         "complete -c stickslip -l help -s h -d 'print help'\n"
         "complete -c stickslip -n __fish_use_subcommand -l version -d 'print the version'\n");
  for (int i = 0; cli_commands[i]; i++) print_fish_command(cli_commands[i]);
}

int cli_completion(int argc, char** argv)
{
  int n;
  int status = cli_parse(&cli_completion_command, argc, argv, NULL, &n);
  if (status != CLI_GO_ON) return status;
  void (*const print[])(void) = {print_bash, print_zsh, print_fish};
  for (int i = 0; shells[i]; i++) {
    if (strcmp(shells[i], argv[1]) == 0) {
      print[i]();
      return CLI_DONE;
    }
  }
  return cli_usage(&cli_completion_command, "'%s' is not known; it can be bash, zsh or fish", argv[1]);
}
