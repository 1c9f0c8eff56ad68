// Files that take their names when they are whole: until then, and if something fails, what was there before stays.
#ifndef CLI_OUT_FILE_H
#define CLI_OUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

/// Zero-initialised: none.
typedef struct cli_out {
  FILE* file;
  char* target;     ///< where it is to be, links followed
  char* temporary;  ///< its name until then; NULL: it is written in place (standard output, pipes, devices)
} cli_out;

/// Opens it for writing; "-" is standard output. False and errno if it cannot be.
bool cli_out_open(cli_out* out, const char* path);

/// Closes it. It takes its name if it is `good` and all of it has arrived, or if there is none of that name: what has
/// arrived is better than nothing. Else it is removed. False and errno (0 if there is none) if it was good before and
/// is not now. Standard output is left open: it is judged when the tool ends.
bool cli_out_close(cli_out* out, bool good);

#endif
