// Files that appear complete or not at all: written under a temporary name beside the final one, then renamed.
#ifndef SS_IO_ATOMIC_H
#define SS_IO_ATOMIC_H

#include <stickslip/base.h>

typedef struct ss_atomic {
  char* path;       ///< links followed
  char* temporary;  ///< write to this one, which does not exist yet
} ss_atomic;

/// Where a file of this name is, or would be made: links are followed, also those that lead nowhere yet. The caller
/// frees it; NULL if memory is short.
char* ss_atomic_target(const char* path);

/// False and *error (with the path) if there cannot be such a file.
bool ss_atomic_start(ss_atomic* file, const char* path, ss_error* error);

/// What was written takes the place of the file; or, if not `good`, is removed. Frees the temporary name. SS_ERR_FILE
/// and *error if it cannot be renamed.
ss_status ss_atomic_finish(ss_atomic* file, bool good, ss_error* error);

/// "cannot write: <reason>" with the path; always SS_ERR_FILE. number is an errno, 0 if there is none.
ss_status ss_atomic_error(const char* path, int number, ss_error* error);

#endif
