// How the rows of contacts change along the motion, for `stickslip verify`.
#ifndef CLI_VERIFY_RATES_H
#define CLI_VERIFY_RATES_H

#include "verify_flight.h"

/// w_bar of the closed contacts of a scene at (q, u, t), which arcs are followed with, against differences of W u along
/// the motion. False if the system cannot be evaluated. The flight is placed at q, u, t
/// afterwards.
bool cli_rates_check(cli_flight* f, long row, const double* q, const double* u, double t);

#endif
