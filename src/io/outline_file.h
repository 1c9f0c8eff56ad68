// Outlines from files: points as text, and drawings (DXF).
#ifndef SS_IO_OUTLINE_FILE_H
#define SS_IO_OUTLINE_FILE_H

#include "outline/outline.h"

/// Points that grow. Zero-initialise; the caller frees the list.
typedef struct ss_points {
  ss_vec2* list;
  int n, room;
} ss_points;

bool ss_points_add(ss_points* points, double x, double y);  ///< false: memory is short

/// Reads the points of a file: x and y on each line or, if its name ends in .dxf, one polyline or chain of lines of a
/// drawing; a closed one that runs clockwise there is turned round. Errors have file and line.
ss_status ss_outline_read(const char* path, bool closed, ss_points* points, ss_error* error);

#endif
