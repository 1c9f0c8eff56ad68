// A tape: expressions of a graph as straight-line code on registers, evaluated in one pass.
// Segment 0 is run at each new position; the other segments may use what it has computed.
#ifndef SS_SYSTEM_TAPE_H
#define SS_SYSTEM_TAPE_H

#include "system/expr.h"

typedef struct ss_instruction {
  int op;   ///< ss_op
  int to;   ///< register
  int a, b; ///< operands; the third one of `if` is in the following instruction's a
} ss_instruction;

typedef struct ss_tape {
  int nv;
  int n_register;
  int n_const;          ///< the first registers hold constants, the next ones q, u, t
  double* constant;     ///< n_const
  int n_segment;
  int* segment;         ///< n_segment + 1: where each one starts in `code`
  ss_instruction* code; ///
  int* output_start;    ///< n_segment + 1: where the outputs of each one start
  int* output;          ///< registers of the outputs
} ss_tape;

/// The outputs of one segment.
typedef struct ss_tape_segment {
  int n;
  const ss_expr* output;
} ss_tape_segment;

/// Compiles. False if memory is short.
bool ss_tape_compile(ss_tape* tape, const ss_graph* graph, int n_segment, const ss_tape_segment* segment);
void ss_tape_free(ss_tape* tape);

/// Loads constants and variables (u may be NULL) into the registers r. Constants only if `first`.
void ss_tape_load(const ss_tape* tape, double* r, bool first, const double* q, const double* u, double t);

/// Loads the sides of n kinks.
void ss_tape_load_sides(const ss_tape* tape, double* r, int n, const double* side);

/// Runs a segment.
void ss_tape_run(const ss_tape* tape, double* r, int segment);

/// Copies outputs [from, from + n) of a segment.
void ss_tape_get(const ss_tape* tape, const double* r, int segment, int from, int n, double* out);

#endif
