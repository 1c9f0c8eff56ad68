// The JSON of problem files: places, complaints, numbers, lists and matrices. Every class of problems is read by these
// functions, so that an error of any of them names file, line, field, what is wrong and what would be right.
#ifndef SS_IO_JSON_H
#define SS_IO_JSON_H

#include <cjson/cJSON.h>
#include <stickslip/sparse.h>

#include "base/text.h"

/// A text being read, and where complaints and warnings go.
typedef struct ss_json {
  const char* text;
  size_t length;
  const char* name;      ///< of the file
  const char* expected;  ///< what a file looks like, for complaints
  ss_error* error;
  cJSON* root;           ///< an object
  ss_text warnings;      ///< a line each
  int n_warning;
} ss_json;

/// Parses json->text. False and json->error if it is not one JSON object. Close it in any case.
bool ss_json_open(ss_json* json);
void ss_json_close(ss_json* json);

/// A field, or an element of it: b[3] (i), A[3][2] (i and j), A.entries[3] (part and i), sets[3].a[1] (i, member, k).
/// Start from ss_json_at(field).
typedef struct ss_json_place {
  const char* field;
  const char* part;    ///< NULL: the field itself
  int i, j;            ///< -1: not meant
  const char* member;  ///< of the object field[i]; NULL: not meant
  int k;               ///< element of the member; -1: not meant
} ss_json_place;

ss_json_place ss_json_at(const char* field);
ss_json_place ss_json_at_element(const char* field, int i);
ss_json_place ss_json_at_member(const char* field, int i, const char* member, int k);

/// "A[3][2] <text>" with file, line and column; always false.
bool ss_json_refuse(const ss_json* json, ss_json_place at, const char* format, ...) SS_PRINTF(3, 4);
/// "A[3][2] is a list; it must be <wanted>"; always false.
bool ss_json_refuse_kind(const ss_json* json, ss_json_place at, const cJSON* item, const char* wanted);
bool ss_json_no_memory(const ss_json* json);  ///< always false

/// A field of the object, NULL if there is none; `required` complains then.
const cJSON* ss_json_find(const ss_json* json, const char* field);
const cJSON* ss_json_required(const ss_json* json, const char* field, const char* wanted);

/// No known field twice; a field of `foreign` (pairs of a name and why it does not belong here) is refused; one that is
/// neither known nor foreign is warned of. All lists end with NULL.
bool ss_json_check_fields(ss_json* json, const char* const* known, const char* const (*foreign)[2]);

/// Remembers a warning.
void ss_json_warn(ss_json* json, const char* format, ...) SS_PRINTF(2, 3);

bool ss_json_number(const ss_json* json, ss_json_place at, const cJSON* item, double* value);
bool ss_json_integer(const ss_json* json, ss_json_place at, const cJSON* item, int low, int high, int* value);

/// A copy of the text of a field, "" if there is none; the caller frees it. NULL and a complaint if it is no string.
char* ss_json_string(const ss_json* json, const char* field);

/// A list of n elements; `why` says why as many, e.g. "as many as A has rows". NULL and a complaint if it is not.
const cJSON* ss_json_list(const ss_json* json, const char* field, int n, const char* what, const char* why);

/// n numbers, which the caller frees. NULL and a complaint on failure.
double* ss_json_numbers(const ss_json* json, const char* field, int n, const char* why);

/// Rows of a matrix, dense or sparse; -1 and a complaint if the field is no matrix.
int ss_json_matrix_rows(const ss_json* json, const char* field, const char* wanted);

/// A matrix of this size, which is known not to be absurd; dense [[...]], or sparse
/// {"rows": n, "cols": n, "entries": [[i, j, value], ...]} from 0, where entries at the same place add up.
bool ss_json_dense(const ss_json* json, const char* field, int rows, int cols, const char* why, double* out);
bool ss_json_sparse(const ss_json* json, const char* field, int rows, int cols, const char* why, ss_sparse* out);

#endif
