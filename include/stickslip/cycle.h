// Limit cycles: derivatives of the event-driven motion, and periodic orbits found with them (docs/cycles.md).
#ifndef STICKSLIP_CYCLE_H
#define STICKSLIP_CYCLE_H

#include <stickslip/simulate.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Derivatives with respect to the state y_0 = (q, u) where following began; n = 2 nv; matrices column by column.
/// Changes of q are meant as velocities lead to them: those of quaternions are turns about the axes of the body. Where
/// something is held at the start, changes of y_0 are projected onto that.
typedef struct ss_sensitivity {
  int n;
  const double* state;        ///< n x n: of y at the present time
  const double* event_state;  ///< n x n: of y right after the last event, at whatever time that comes; NULL: unknown
  const double* event_time;   ///< n: of the time of the last event; NULL: unknown (redundant contacts began to move)
} ss_sensitivity;

/// From now on event-driven steps carry these derivatives along, from the state at hand; called again, anew from there.
/// Costs some 25 nv evaluations per evaluation. SS_ERR_ARGUMENT, SS_ERR_MEMORY with ss_work_message().
SS_API ss_status ss_follow(const ss_system* system, ss_work* work);
SS_API void ss_follow_end(ss_work* work);
/// False if they are not known: an event came that has none (grazing, a jump without a collision), or nothing is
/// followed. The arrays belong to the workspace.
SS_API bool ss_followed(const ss_work* work, ss_sensitivity* sensitivity);

typedef enum ss_cycle_method {
  SS_CYCLE_SHOOTING,  ///< Newton's method on the return map; event-driven
  SS_CYCLE_ITERATION, ///< simulation until nothing changes any more; any integrator
} ss_cycle_method;

/// What to look for. Start from ss_orbit_def_default().
typedef struct ss_orbit_def {
  ss_step_def step;
  ss_cycle_method method;  ///< default SS_CYCLE_SHOOTING
  int contact;             ///< the event that marks the section; -1: one that returns once per cycle    default -1
  ss_event_kind kind;      ///
  const char* contact_name;  ///< in place of contact, where contacts come and go; NULL: not given       default NULL
  double period;           ///< of the drive of a system that depends on time, s: the section is t = 0, period, ...;
                           ///< 0: none                                                                   default 0
  int returns;             ///< to the section until the orbit closes; 0: found, 8 at most               default 0
  double transient;        ///< time simulated before, at most, until the events repeat, s              default 100
  int max_returns;         ///< simulated at most                                                      default 2000
  double tol;              ///< on the change from cycle to cycle, relative to the sizes of coordinates
                           ///< and velocities                                                       default 1e-10
  double* progress;        ///< may be NULL; the change, while it is being looked for
} ss_orbit_def;

SS_API ss_orbit_def ss_orbit_def_default(void);

/// A periodic orbit, but for the drift of coordinates that nothing depends on (cyclic ones).
typedef struct ss_orbit {
  ss_status status;     ///< SS_OK, or SS_NOT_CONVERGED: the last iterate
  ss_cycle_method method;  ///< iteration also where shooting met events without derivatives
  int contact;          ///< the section, -1: stroboscopic; contacts that come and go: a number of the search
  char* contact_name;   ///< its name, NULL: stroboscopic
  ss_event_kind kind;   ///
  int returns;          ///< to the section in one period
  int n_events;         ///< in one period
  double period;        ///< s
  double change;        ///< of the state in one period, relative
  int iterations;       ///< of Newton's method, or returns simulated
  long cycles;          ///< returns simulated in all
  ss_state* start;      ///< on the section
  int nv;               ///
  int* coordinate;      ///< nv: the number of q that a velocity moves, -1: several (quaternions)
  bool* cyclic;         ///< nv: coordinates that nothing depends on
  double* drift;        ///< nv: their change in one period; of angles that come back after full turns that of these;
                        ///< of others 0
  bool has_map;         ///< the derivative of the return map is known
  double* map;          ///< 2 nv x 2 nv, column by column; rows and columns of cyclic coordinates are those of 1
  int n_multipliers;    ///< 2 nv less cyclic coordinates; 1 (a guess) by iteration; 0: unknown
  double *re, *im;      ///< of the multipliers, the largest first
  double* error;        ///< what each may be wrong by, estimated from the error of the map; 0 by iteration
  bool timed;           ///< the system depends on time, as far as values at some times tell
} ss_orbit;

/// Looks for an orbit from the state given. NULL and *error if the motion cannot be followed, or never repeats.
SS_API ss_orbit* ss_orbit_find(const ss_system* system, const ss_orbit_def* def, const ss_state* from, ss_error* error);
SS_API void ss_orbit_destroy(ss_orbit* orbit);  ///< NULL is fine

/// A check of orbit->map that shares nothing with it but the integrator: map map, 2 nv x 2 nv, column by column, where
/// the left one are central differences of the motion along the columns of the right one, which stay on the section.
/// SS_ERR_NUMERIC if a neighbour does not return.
SS_API ss_status ss_orbit_differences(const ss_system* system, const ss_orbit_def* def, const ss_orbit* orbit,
                                      double part, double* product, ss_error* error);

#ifdef __cplusplus
}
#endif
#endif
