// Errors for a person to read.
#include "base/number.h"
#include <stickslip/base.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

ss_status ss_error_set(ss_error* error, ss_status status, const char* format, ...)
{
  if (!error) return status;
  char text[sizeof error->text];  // apart, because an argument may be the text that error holds now
  va_list args;
  va_start(args, format);
  int length = ss_vprint(text, sizeof text, format, args);
  va_end(args);
  if (length < 0) text[0] = 0;
  if (length >= (int)sizeof text) memcpy(text + sizeof text - 4, "...", 4);  // show that it was cut
  *error = (ss_error){.status = status};
  memcpy(error->text, text, sizeof text);
  return status;
}

// The known parts of the place into out, "" if none is known
static void format_place(const ss_error* e, char* out, size_t size)
{
  if (e->file[0] && e->line > 0 && e->column > 0) snprintf(out, size, "%s:%d:%d: ", e->file, e->line, e->column);
  else if (e->file[0] && e->line > 0) snprintf(out, size, "%s:%d: ", e->file, e->line);
  else if (e->file[0]) snprintf(out, size, "%s: ", e->file);
  else if (e->line > 0 && e->column > 0) snprintf(out, size, "line %d, column %d: ", e->line, e->column);
  else if (e->line > 0) snprintf(out, size, "line %d: ", e->line);
  else out[0] = 0;
}

char* ss_error_format(const ss_error* error, char* out, size_t size)
{
  char place[sizeof error->file + 32];
  if (!size) return out;
  if (!error) { out[0] = 0; return out; }
  format_place(error, place, sizeof place);
  snprintf(out, size, "%s%s", place, error->text[0] ? error->text : ss_status_text(error->status));
  return out;
}
