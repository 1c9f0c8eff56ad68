// Messages for a person, on stderr.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

static bool colours(void)
{
  const char* off = getenv("NO_COLOR");
  const char* term = getenv("TERM");
  return isatty(STDERR_FILENO) && !(off && off[0]) && !(term && strcmp(term, "dumb") == 0);
}

// What a file or a name holds must not control the terminal: "\x1b[..." becomes "?[..."
static void hide_control(char* text)
{
  for (unsigned char* c = (unsigned char*)text; *c; c++) {
    bool upper = c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0;  // beyond ASCII, in UTF-8
    if (upper || *c == 127 || (*c < ' ' && *c != '\n' && *c != '\t')) *c = '?';
    if (upper) *++c = '?';
  }
}

// One call writes the whole line, so that lines of several processes do not mix.
static void message(const char* label, const char* colour, const char* format, va_list args)
{
  char text[2048];
  vsnprintf(text, sizeof text, format, args);
  hide_control(text);
  fflush(stdout);
  if (colours()) fprintf(stderr, "stickslip: %s%s%s%s\n", colour, label, "\033[0m", text);
  else fprintf(stderr, "stickslip: %s%s\n", label, text);
}

void cli_error(const char* format, ...)
{
  va_list args;
  va_start(args, format);
  message("error: ", "\033[1;31m", format, args);
  va_end(args);
}

void cli_warn(const char* format, ...)
{
  va_list args;
  va_start(args, format);
  message("warning: ", "\033[1;33m", format, args);
  va_end(args);
}

void cli_note(const char* format, ...)
{
  va_list args;
  va_start(args, format);
  message("", "", format, args);
  va_end(args);
}

int cli_usage(const cli_command* command, const char* format, ...)
{
  va_list args;
  va_start(args, format);
  message("error: ", "\033[1;31m", format, args);
  va_end(args);
  fprintf(stderr, "Try 'stickslip %s --help'.\n", command->name);
  return CLI_BAD_INPUT;
}

int cli_exit_status(ss_status status)
{
  switch (status) {
    case SS_OK:
    case SS_STOPPED: return CLI_DONE;
    case SS_NOT_CONVERGED:
    case SS_RAY:
    case SS_INACCURATE: return CLI_MISSED;
    case SS_ERR_ARGUMENT:
    case SS_ERR_INPUT: return CLI_BAD_INPUT;
    case SS_ERR_FILE: return CLI_BAD_FILE;
    case SS_ERR_CAPACITY:
    case SS_ERR_NUMERIC:
    case SS_ERR_OVERLAP:
    case SS_ERR_STOPPED:
    case SS_ERR_MEMORY: break;
  }
  return CLI_FAILED;
}

int cli_fail(const ss_error* error)
{
  char text[1024];
  if (error->file[0]) cli_note("%s", ss_error_format(error, text, sizeof text));
  else cli_error("%s", error->text[0] ? error->text : ss_status_text(error->status));
  return cli_exit_status(error->status);
}

static bool memory_was_short;

bool cli_memory_was_short(void) { return memory_was_short; }

int cli_out_of_memory(void)
{
  memory_was_short = true;
  cli_error("out of memory");
  return CLI_FAILED;
}

static void write_log(void* user, ss_log_level level, const char* text)
{
  (void)user;
  if (level == SS_LOG_WARNING) cli_warn("%s", text);
}

ss_log cli_log(void)
{
  return (ss_log){.write = write_log};
}
