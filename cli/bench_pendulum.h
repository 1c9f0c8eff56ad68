// `stickslip bench pendulum12`.
#ifndef CLI_BENCH_PENDULUM_H
#define CLI_BENCH_PENDULUM_H

#include <stickslip/base.h>

/// Table 1 of Mylapilli & Jain 2017: the 12-link pendulum by their five solvers and by ours, until a time in s. Returns
/// the exit status.
int cli_bench_pendulum(double until, bool json, bool quiet);

#endif
