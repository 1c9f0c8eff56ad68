// Problems as files: {"type": "lcp", "A": [[...]], "b": [...]}
#ifndef STICKSLIP_PROBLEM_H
#define STICKSLIP_PROBLEM_H

#include <stickslip/lcp.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A problem read from a file. The arrays belong to it.
typedef struct ss_problem {
  char* name;  ///< "" if the file gives none
  ss_lcp lcp;
} ss_problem;

SS_API ss_problem* ss_problem_load(const char* path, ss_error* error);
SS_API ss_problem* ss_problem_parse(const char* text, size_t length, const char* name, ss_error* error);
SS_API void ss_problem_destroy(ss_problem* problem);

#ifdef __cplusplus
}
#endif
#endif
