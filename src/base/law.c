// What a contact is made of.
#include <stickslip/law.h>

int ss_contact_rows(ss_contact_kind kind)
{
  return kind == SS_CONTACT_SPATIAL ? 3 : kind == SS_CONTACT_PLANAR ? 2 : 1;
}
