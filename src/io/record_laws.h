// What a record refuses: rows with impulses that contacts cannot give.
#ifndef IO_RECORD_LAWS_H
#define IO_RECORD_LAWS_H

#include <stickslip/record.h>

/// What is allowed
typedef struct ss_record_limits {
  const ss_contact_def* law;  ///< of a fixed list of contacts; NULL: not known, or each contact has its own
  double tol;                 ///< of the largest impulse of the row
  bool arcs;                  ///< event-driven: of the sum of all impulses
  double dt;                  ///< the longest step, s
  bool round;                 ///< friction has the exact cone
  /// Where each contact has its own law: the name of contact number `contact` in out (SS_CONTACT_NAME bytes), false if
  /// it cannot be told; NULL: numbers have to do
  bool (*name)(void* user, int contact, char* out);
  void* user;
} ss_record_limits;

/// The limits of a run with these settings.
ss_record_limits ss_record_limits_of(const ss_step_def* def, const ss_contact_def* law);

/// SS_ERR_NUMERIC, and *error names the contact, if a normal impulse of the step pulls or friction is outside of its
/// cone, by more than the tolerance of the solver and what the step says that it missed. info NULL: nothing to check.
ss_status ss_record_check_laws(const ss_record_limits* limits, const ss_step_info* info, double t, ss_error* error);

#endif
