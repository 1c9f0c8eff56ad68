// Numbers for contacts that come and go.
#ifndef SS_INTEGRATE_KNOWN_H
#define SS_INTEGRATE_KNOWN_H

#include <stickslip/system.h>

struct ss_known;

#define SS_CONTACT_NAME 256  ///< room for the name of a contact

struct ss_known* ss_known_create(void);           ///< NULL if memory is short
void ss_known_destroy(struct ss_known* known);    ///< NULL is fine
int ss_known_count(const struct ss_known* known);
int ss_known_find(const struct ss_known* known, uint64_t key);  ///< its number, -1 if it has none

/// The number of the contact with this key, a new one if it has none; -1 if memory is short.
int ss_known_add(struct ss_known* known, const ss_system_def* def, uint64_t key, ss_contact_kind kind);

#endif
