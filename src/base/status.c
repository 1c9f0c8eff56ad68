// Status texts, from the list in the header, and the version.
#include <stickslip/base.h>

#ifndef SS_VERSION
#error "the build defines SS_VERSION"
#endif

const char* ss_status_text(ss_status status)
{
  switch (status) {
#define X(name, value, text) case name: return text;
    SS_STATUS_LIST(X)
#undef X
  }
  return "unknown status";
}

const char* ss_version(void) { return SS_VERSION; }
