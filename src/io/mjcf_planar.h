// MJCF scenes in the plane.
#ifndef SS_IO_MJCF_PLANAR_H
#define SS_IO_MJCF_PLANAR_H

#include "io/xml.h"

/// Whether an MJCF file has geoms of type "polygon". text ends with a zero.
bool ss_mjcf_is_planar(const char* text, size_t length);

/// The text model with bodies that it stands for, line by line; the caller frees it. NULL and *error (with file and
/// line) if something in it is not planar.
char* ss_mjcf_planar(const char* text, size_t length, const char* file, ss_error* error);

#endif
