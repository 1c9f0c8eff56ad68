// What happened: contact events, and where the energy went.
#ifndef STICKSLIP_LEDGER_H
#define STICKSLIP_LEDGER_H

#include <stickslip/simulate.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Energy since the start of a run, J:  energy - energy_0 = work_forces + work_drive - loss_normal - loss_friction
/// + work_projection + defect. The defect is the integrator's own error.
typedef struct ss_energy_ledger {
  double kinetic, potential;
  double work_forces, work_drive;
  double loss_normal, loss_friction;
  double work_projection;
  double defect;
} ss_energy_ledger;

/// Counts of what a user must know of.
typedef struct ss_ledger_counts {
  long steps;           ///
  long events;          ///
  long impacts;         ///
  long in_parts;        ///< steps that were too large and were taken in parts (ss_step_info.parts)
  long not_solved;      ///< steps whose contact problem missed its tolerance
  long energy_gain;     ///< impacts in which contacts gave energy (ss_step_info.gains_energy)
  long several_forces;  ///< steps with one motion whose impulses are one choice of several (SS_CHOICE_FORCES)
  long several_motions; ///< steps whose motion is one of several (SS_CHOICE_MOTION, SS_CHOICE_AS_FOUND)
  long as_found;        ///< ... of these: which one hangs on the order of contacts (SS_CHOICE_AS_FOUND)
  long not_examined;    ///< steps in which an island slides that is too large for the question (ss_step_info)
  double max_residual;  ///
  double max_penetration;  ///< m; of text models in the unit of the gap
  double max_limit_error;  ///< of joints that turn, rad
  double max_constraint_error;  ///< of a bilateral constraint, in its own unit
} ss_ledger_counts;

typedef struct ss_ledger ss_ledger;

SS_API ss_ledger* ss_ledger_create(const ss_system* system);
SS_API void ss_ledger_destroy(ss_ledger* ledger);

/// Takes in a step; returns the number of events in it (at most one for each contact) and points *events to them until
/// the next call (of the event-driven integrator: until the next step). The first step only records which contacts are
/// closed, unless they collide in it. events may be NULL.
SS_API int ss_ledger_step(ss_ledger* ledger, const ss_state* state, const ss_step_info* info, const ss_event** events);

/// What the ledger was just before the events of the last step, if that is told in two (ss_step_info.stretch): counts,
/// and *energy.
SS_API const ss_ledger_counts* ss_ledger_arrival(const ss_ledger* ledger, const ss_energy_ledger** energy);

SS_API const ss_energy_ledger* ss_ledger_energy(const ss_ledger* ledger);

/// The energy at hand so far, J, that an energy error is measured by: the largest T, the range that V has had (its
/// level does not matter), and the sizes of all works and losses of the ledger.
SS_API double ss_ledger_energy_at_hand(const ss_ledger* ledger);
/// How well energy was kept by the part of the system in which the error is the largest part of the energy at hand:
/// its own, what it was at the end and the largest |defect| after any step, J.
typedef struct ss_energy_kept {
  double defect;      ///< the largest |defect| after any step
  double gain;        ///< what contacts gave in steps in which none of them hit and bounced: no law lets them
  double at_hand;     ///
  int velocity;       ///< the number of a velocity of the part; -1: it is the whole system
  bool off;           ///< the larger of both is more than a tenth of the energy at hand, and more than round-off
} ss_energy_kept;

/// Parts of a system that nothing ties together (ss_system_def.energies) are told apart; contacts and constraints tie
/// those that they act on, from then on. A ledger that was restored knows the parts since then.
SS_API ss_energy_kept ss_ledger_energy_kept(const ss_ledger* ledger);
/// Whether the energy of the whole or of a part is off: the motion is not to be trusted, whatever the residuals say.
/// False if no step had its energy accounted for.
SS_API bool ss_ledger_energy_is_off(const ss_ledger* ledger);
/// What round-off of the terms of V and of all steps may leave in the energy balance, J: of what rests no more is
/// known.
SS_API double ss_ledger_round_off(const ss_ledger* ledger);
/// T and V of a state of the run before the steps taken in, J: those of a record that goes on.
SS_API void ss_ledger_see_energy(ss_ledger* ledger, double kinetic, double potential);
SS_API const ss_ledger_counts* ss_ledger_get_counts(const ss_ledger* ledger);

/// Goes on from a record: states of the contacts by number, energies and counts of the last step that was kept.
/// SS_ERR_MEMORY, nothing changed.
SS_API ss_status ss_ledger_restore(ss_ledger* ledger, int n_contact, const ss_contact_state* state,
                                   const ss_energy_ledger* energy, const ss_ledger_counts* counts);

#ifdef __cplusplus
}
#endif
#endif
