// How well energy was kept, part by part of a system.
#ifndef SS_ANALYSIS_KEPT_H
#define SS_ANALYSIS_KEPT_H

#include <stickslip/ledger.h>

typedef struct ss_kept_parts ss_kept_parts;

ss_kept_parts* ss_kept_create(const ss_system_def* def);  ///< NULL: no memory
void ss_kept_destroy(ss_kept_parts* kept);                ///< NULL is fine
/// Takes in a step; first: of the run.
void ss_kept_step(ss_kept_parts* kept, int n, const ss_part_energy* part, bool first);
ss_energy_kept ss_kept_worst(const ss_kept_parts* kept);
/// Round-off of the energies of all parts, J
double ss_kept_round_off(const ss_kept_parts* kept);

#endif
