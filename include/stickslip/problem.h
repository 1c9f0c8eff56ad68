// Problems as files: {"type": "lcp", "A": [[...]], "b": [...]}, or
// {"type": "mlcp", "A": [[...]], "b": [...], "lower": [...], "upper": [...]} where null is an infinite bound.
#ifndef STICKSLIP_PROBLEM_H
#define STICKSLIP_PROBLEM_H

#include <stickslip/lcp.h>
#include <stickslip/mlcp.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ss_problem_type { SS_PROBLEM_LCP, SS_PROBLEM_MLCP } ss_problem_type;

/// A problem read from a file. The arrays belong to it.
typedef struct ss_problem {
  char* name;            ///< "" if the file gives none
  ss_problem_type type;  ///< which of the two is filled; the other is empty
  ss_lcp lcp;
  ss_mlcp mlcp;
} ss_problem;

SS_API ss_problem* ss_problem_load(const char* path, ss_error* error);
SS_API ss_problem* ss_problem_parse(const char* text, size_t length, const char* name, ss_error* error);
SS_API void ss_problem_destroy(ss_problem* problem);

#ifdef __cplusplus
}
#endif
#endif
