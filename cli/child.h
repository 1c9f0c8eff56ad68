// Programs that a command starts for a part of its work, and the temporary folder that they work in.
#ifndef CLI_CHILD_H
#define CLI_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { CLI_PATH = 1024 };  ///< room for a path in a temporary folder

/// A temporary folder in $TMPDIR, or /tmp; it is removed with all that is in it. False if it cannot be made, which is
/// said.
bool cli_scratch_open(const char* purpose, char folder[CLI_PATH]);
void cli_scratch_remove(const char* folder);

/// Copies a file, which takes its name when it is whole. Returns CLI_DONE, or CLI_BAD_FILE, which has been reported.
int cli_copy_file(const char* from, const char* to);

/// From here on Ctrl-C and the like are noted instead of ending the tool: children are ended and folders removed first.
void cli_note_signals(void);
bool cli_interrupted(void);

/// The first of these programs (ended by NULL) that is on the PATH; a name with a slash stands for itself. False if
/// there is none.
bool cli_find_program(const char* const* names, char path[CLI_PATH]);

/// A program and what it gets. It has a process group of its own and the folder as its home, so that it leaves nothing
/// elsewhere.
typedef struct cli_child {
  char* const* argv;     ///< argv[0] is its path
  const char* folder;    ///
  const char* messages;  ///< file for what it prints
  int fd3, fd4;          ///< what it finds as descriptors 3 and 4; -1: none
  pid_t pid;             ///< out
} cli_child;

/// Returns 0 or an error number.
int cli_child_start(cli_child* child);

/// Waits for its end, so many seconds at most, or until we are interrupted: then it is ended. Its status as of
/// waitpid(), or -1 if it had to be ended. Whatever it has left of its own processes is ended too.
int cli_child_wait(cli_child* child, double seconds);

/// Prints the last lines that it has printed, each after `name: `.
void cli_child_messages(const cli_child* child, const char* name);

#endif
