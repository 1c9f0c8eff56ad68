// How much memory there is.
#ifndef SS_BASE_ROOM_H
#define SS_BASE_ROOM_H

#include <stddef.h>

/// Half of the bytes of this machine: what takes more is refused, or done in another way. A gigabyte if it does not
/// tell.
size_t ss_half_of_memory(void);

#endif
