// Contact problems from FCLIB files.
#ifndef SS_IO_FCLIB_H
#define SS_IO_FCLIB_H

#include <stickslip/friction.h>

ss_friction_file* ss_fclib_load(const char* path, ss_error* error);

#endif
