// The area that two outlines in the plane have in common, for `stickslip verify`.
#ifndef CLI_VERIFY_AREA_H
#define CLI_VERIFY_AREA_H

/// Area of the overlap of two closed outlines without crossings, n and m points of two coordinates each, counter-
/// clockwise. *wide: the diagonal of the box that holds it. -1: out of memory.
long double cli_overlap_area(int n, const long double* p, int m, const long double* q, long double* wide);

#endif
