// Problems as files, all classes in one family; docs/problem-files.md describes them.
//   {"type": "lcp", "A", "b"}, {"type": "mlcp", "A", "b", "lower", "upper"} where null is an infinite bound,
//   {"type": "contact", "dim" or "kinds", "mu", and G, b or M, H, f, w}, and FCLIB files (HDF5) of contact problems.
#ifndef STICKSLIP_PROBLEM_H
#define STICKSLIP_PROBLEM_H

#include <stickslip/dissipation.h>
#include <stickslip/friction.h>
#include <stickslip/lcp.h>
#include <stickslip/mlcp.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ss_problem_type { SS_PROBLEM_LCP, SS_PROBLEM_MLCP, SS_PROBLEM_CONTACT } ss_problem_type;

/// A problem of any class. One that was read owns all it points to; to save one of yours, zero-initialise and fill it.
typedef struct ss_problem {
  const char* name;      ///< "" if the file gives none; NULL will do for saving
  const char* notes;     ///< where it comes from, for a person; "" if the file gives none
  ss_problem_type type;  ///< which of the three is filled; the others are empty
  ss_lcp lcp;            ///< read with a sparse A (S) if the file gives it so and it has 200 rows or more
  ss_mlcp mlcp;
  ss_friction_problem contact;
  const ss_friction_set* set;  ///< contact: n_contact sets of friction, or NULL: all disks (stickslip/dissipation.h)
  const int* slide;            ///< contact: n_contact, or NULL: all 0. +1, -1: slides with this sign already
                               ///< (accelerations, stickslip/contact.h)
  const char* const* contact_name;  ///< n_contact, or NULL
  const double* Lambda;             ///< impulses found by whoever wrote the file, one per row; or NULL
  const char* warnings;  ///< what is strange in the file, but was read: one line each; "" if nothing is
} ss_problem;

/// Reads a problem of any class, JSON or FCLIB. NULL and *error (may be NULL), with line and field, if it is not valid.
/// FCLIB is HDF5, which is read in a child process, as run files are (stickslip/record.h).
SS_API ss_problem* ss_problem_load(const char* path, ss_error* error);
SS_API ss_problem* ss_problem_parse(const char* text, size_t length, const char* name, ss_error* error);  ///< JSON
SS_API void ss_problem_destroy(ss_problem* problem);  ///< NULL is fine

/// Whether friction follows other laws than Coulomb's, which ss_friction_problem has no place for: a set that is not a
/// disk; a contact that slides already.
SS_API bool ss_problem_has_sets(const ss_problem* problem);
SS_API bool ss_problem_has_slide(const ss_problem* problem);

/// Writes the problem: as JSON if the path ends in ".json", as FCLIB if in ".hdf5" or ".h5" (contact problems whose
/// contacts are all planar or all spatial, without bounds, compliance, sets and slide). Numbers read back to the same
/// double. The file is complete or, after a failure, as it was before. SS_ERR_INPUT if the problem cannot be written in
/// that form, SS_ERR_FILE if the file cannot be.
SS_API ss_status ss_problem_save(const ss_problem* problem, const char* path, ss_error* error);

#ifdef __cplusplus
}
#endif
#endif
