#include "base/room.h"

#include <unistd.h>

size_t ss_half_of_memory(void)
{
#if defined(_SC_PHYS_PAGES) && defined(_SC_PAGESIZE)
  long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  if (pages > 0 && size > 0) return (size_t)pages*(size_t)size/2;
#endif
  return (size_t)1 << 30;
}
