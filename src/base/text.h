// Text: a growable string, whole files, copies, and the nearest known name for a misspelt one.
#ifndef SS_BASE_TEXT_H
#define SS_BASE_TEXT_H

#include <stdio.h>
#include <stickslip/base.h>

/// Largest file that ss_read_file() accepts, bytes.
#define SS_READ_LIMIT ((size_t)64 << 20)

/// A growable string. Zero-initialised is empty. Once memory was short, `failed` stays true and appends do nothing.
typedef struct ss_text {
  char* data;  ///< NUL-terminated; NULL before the first append
  size_t length, capacity;
  bool failed;
} ss_text;

void ss_text_append(ss_text* text, const char* format, ...) SS_PRINTF(2, 3);
void ss_text_free(ss_text* text);  ///< leaves it empty, ready for use

/// The whole file with a NUL behind it; the caller frees it. Refuses what is not a regular file, and files above
/// SS_READ_LIMIT. *length (may be NULL) is the number of bytes without that NUL. NULL and *error (SS_ERR_FILE) on
/// failure.
char* ss_read_file(const char* path, size_t* length, ss_error* error);

/// A file or pipe to be read piece by piece; a pipe that nobody writes to within two seconds is an error. Opened for
/// the caller, who closes it; NULL with the error.
FILE* ss_open_stream(const char* path, ss_error* error);
/// The same for a file that the user names, which may be a pipe or /dev/stdin; one that nobody writes to within two
/// seconds is an error.
char* ss_read_stream(const char* path, size_t* length, ss_error* error);

/// "<what> must not be NULL"; always SS_ERR_ARGUMENT.
ss_status ss_error_null(ss_error* error, const char* what);

/// A copy that the caller frees; NULL if memory is short or s is NULL.
char* ss_strdup(const char* s);

/// Whether there are characters in s that control a terminal: all control characters but tab and the ends of lines.
bool ss_has_control(const char* s);
/// They become '?'.
void ss_remove_control(char* s);

/// How many bytes of s, at most `most`, end with a whole character of UTF-8: for "%.*s".
int ss_utf8_fit(const char* s, int most);

/// The entry of list (n names) nearest to name, for "did you mean ...?"; NULL if none is within two edits.
const char* ss_suggest(const char* name, const char* const* list, int n);

#endif
