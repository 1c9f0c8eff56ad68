// Stickslip: status codes, errors, log, arena. Nothing here knows any mathematics.
#ifndef STICKSLIP_BASE_H
#define STICKSLIP_BASE_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__GNUC__)
#define SS_API __attribute__((visibility("default")))
#define SS_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define SS_API
#define SS_PRINTF(fmt, args)
#endif

#ifdef __cplusplus
extern "C" {
#endif

// Pointers. Where a header does not say that a pointer may be NULL it must not be. What happens if it is follows from
// what the function returns, in all headers (test/base/every_null.py calls every one of them):
// - A function with a status refuses it, SS_ERR_ARGUMENT; one that makes or reads something returns NULL; both tell
//   *error, which itself may always be NULL. A residual, or another number that judges, is NaN.
// - A question has no answer: NULL, 0, false or, where there is always a text, "". Nothing is written.
// - ..._destroy, ..._close and ..._free take it: nothing happens.
// - What is called for every number does not look, and NULL is a crash: ss_arena_... and ss_tree_..., but for those
//   that create, check and destroy. So is an array that is NULL where its length is not 0, within a struct.

/// Zero is success, positive is success with news, negative is failure and leaves the outputs untouched.
#define SS_STATUS_LIST(X)                                                                       \
  X(SS_OK, 0, "success")                                                                        \
  X(SS_STOPPED, 1, "stopped on request; the state is valid")                                    \
  X(SS_NOT_CONVERGED, 2, "iteration limit reached; best iterate returned")                      \
  X(SS_RAY, 3, "the method ended on a ray; no solution was found")                              \
  X(SS_INACCURATE, 4, "a solution was found, but its residual is above the tolerance")          \
  X(SS_ERR_ARGUMENT, -1, "invalid argument")                                                    \
  X(SS_ERR_CAPACITY, -2, "workspace capacity exceeded")                                         \
  X(SS_ERR_NUMERIC, -3, "NaN, or a matrix is singular")                                         \
  X(SS_ERR_INPUT, -4, "the input is not valid")                                                 \
  X(SS_ERR_FILE, -5, "a file could not be read or written")                                     \
  X(SS_ERR_MEMORY, -6, "out of memory")                                                         \
  X(SS_ERR_OVERLAP, -7, "bodies overlap too deep: the step is too large")                      \
  X(SS_ERR_STOPPED, -8, "stopped on request before it was done")

typedef enum ss_status {
#define X(name, value, text) name = value,
  SS_STATUS_LIST(X)
#undef X
} ss_status;

/// Whether something under way is to end: a flag that a signal or another thread may set, NULL if there is none.
static inline bool ss_stopped(const volatile int* stop) { return stop && *stop; }

/// The text of a status, e.g. "success". Never NULL.
SS_API const char* ss_status_text(ss_status status);

/// The library's version, e.g. "0.1.0".
SS_API const char* ss_version(void);

/// What went wrong, for a person to read. Filled by the functions that take one (which may be NULL).
typedef struct ss_error {
  ss_status status;  ///< SS_OK if nothing is wrong
  char file[256];    ///< file name, or "" if no file is concerned
  int line;          ///< from 1; 0 if unknown
  int column;        ///< from 1; 0 if unknown
  char text[512];    ///< what is wrong and what would be right, without the place
} ss_error;

/// "file:line:column: text" into out. Returns out.
SS_API char* ss_error_format(const ss_error* error, char* out, size_t size);

/// Fills *error (which may be NULL) and returns status.
SS_API ss_status ss_error_set(ss_error* error, ss_status status, const char* format, ...) SS_PRINTF(3, 4);

typedef enum ss_log_level { SS_LOG_INFO, SS_LOG_WARNING } ss_log_level;

/// Where messages go. The library never prints; a NULL function drops the message.
typedef struct ss_log {
  void (*write)(void* user, ss_log_level level, const char* text);
  void* user;
} ss_log;

/// A stack of scratch memory in one block: take arrays, release them in order. Nothing is allocated after creation.
typedef struct ss_arena ss_arena;

SS_API ss_arena* ss_arena_create(size_t bytes);  ///< NULL if memory is short
SS_API void ss_arena_destroy(ss_arena* arena);   ///< NULL is fine
SS_API size_t ss_arena_mark(const ss_arena* arena);
SS_API void ss_arena_release(ss_arena* arena, size_t mark);
SS_API size_t ss_arena_peak(const ss_arena* arena);           ///< most bytes ever in use
SS_API void* ss_arena_take(ss_arena* arena, size_t bytes);    ///< 64-byte aligned, not cleared; NULL if full
#define ss_arena_array(arena, type, count) ((type*)ss_arena_take((arena), sizeof(type)*(size_t)(count)))

#ifdef __cplusplus
}
#endif
#endif
