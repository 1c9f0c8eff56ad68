// What was tried on a problem: `auto` tells each solver that it took, why, and what came of it.
#ifndef STICKSLIP_ATTEMPT_H
#define STICKSLIP_ATTEMPT_H

#include <stickslip/base.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SS_ATTEMPT_MAX 16  ///< attempts that a log lists

/// One attempt. The texts are constants of the library.
typedef struct ss_attempt {
  const char* solver;  ///< its name on the command line
  const char* why;     ///< why it was this one's turn
  double residual;     ///< of the best point that it found; INFINITY if it found none
  ss_status status;    ///< how it ended
  int iterations;      ///< its own
} ss_attempt;

/// The attempts in their order, the one that counts last.
typedef struct ss_attempt_log {
  int count;                           ///< all; beyond SS_ATTEMPT_MAX the last place holds the last one
  ss_attempt attempt[SS_ATTEMPT_MAX];  ///< in the order they were made
} ss_attempt_log;

/// How many of them are listed.
static inline int ss_attempts_listed(const ss_attempt_log* log)
{
  return log->count < SS_ATTEMPT_MAX ? log->count : SS_ATTEMPT_MAX;
}

/// Writes down one more. For solvers; nothing is allocated.
static inline void ss_attempt_add(ss_attempt_log* log, ss_attempt attempt)
{
  log->attempt[log->count < SS_ATTEMPT_MAX ? log->count : SS_ATTEMPT_MAX - 1] = attempt;
  log->count++;
}

#ifdef __cplusplus
}
#endif
#endif
