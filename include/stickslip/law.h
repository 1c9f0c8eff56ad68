// What a contact is made of.
#ifndef STICKSLIP_LAW_H
#define STICKSLIP_LAW_H

#include <stickslip/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a contact consists of, and so how many rows it has.
typedef enum ss_contact_kind {
  SS_CONTACT_NORMAL,    ///< unilateral, frictionless: one row (N)
  SS_CONTACT_PLANAR,    ///< unilateral with planar friction: two rows (N, T)
  SS_CONTACT_FRICTION,  ///< friction element without a gap, always active: one row (T), limit from `bound` alone
  SS_CONTACT_SPATIAL,   ///< unilateral with friction in the tangential plane: three rows (N, T1, T2)
} ss_contact_kind;

/// Rows of a contact of this kind: 1, 2, 1 or 3.
static inline int ss_contact_rows(ss_contact_kind kind)
{
  return kind == SS_CONTACT_SPATIAL ? 3 : kind == SS_CONTACT_PLANAR ? 2 : 1;
}

#ifdef __cplusplus
}
#endif
#endif
