// The record of a run: one HDF5 file (docs/run-file.md), readable at any time, whatever happens to the writer.
#ifndef STICKSLIP_RECORD_H
#define STICKSLIP_RECORD_H

#include <stickslip/ledger.h>
#include <stickslip/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One row of the record: the state and what the step that led to it did.
typedef struct ss_record_row {
  const ss_state* state;
  const ss_step_info* info;  ///< NULL for the initial state
  const ss_energy_ledger* energy;
  const ss_ledger_counts* counts;
  const double* gap;  ///< n_contact: gaps of the initial state (ss_inspect()); read only if info is NULL; may be NULL
  const double* sensor;  ///< n_sensor: ss_sense(); may be NULL if there are none
} ss_record_row;

typedef struct ss_record ss_record;

/// Creates the file. An existing run is replaced, but only once the new file is ready; any other existing file, and one
/// that is being written, is an error. NULL and *error if it cannot be written.
SS_API ss_record* ss_record_create(const char* path, const ss_model* model, const ss_run_def* run, ss_error* error);

/// Opens the record of a run that ended early or is to go on, until the new end time. Rows and events after that of
/// ss_run_resume_row() are removed, and a last row where a run in one go has none.
SS_API ss_record* ss_record_resume(const char* path, double until, ss_error* error);

/// Adds a row, an event. Buffered; on disk within a second of wall time as long as rows keep coming. Events of a step
/// come before its row. After SS_ERR_FILE (the text says why, and which rows are safe) nothing more is written.
/// SS_ERR_NUMERIC, and the row is not added, if an impulse of the step is such as no contact can give: a normal one
/// that pulls, friction outside of its cone (of contacts of a fixed list not after ss_record_resume(), which has no
/// laws).
SS_API ss_status ss_record_row_add(ss_record* record, const ss_record_row* row, ss_error* error);
SS_API ss_status ss_record_event_add(ss_record* record, const ss_event* event, const ss_state* state, ss_error* error);

/// Of systems whose contacts come and go: those that have got a number since. Comes before the events and the row of a
/// step. Nothing to do for others.
SS_API ss_status ss_record_contacts_add(ss_record* record, const ss_work* work, ss_error* error);

/// Writes what is buffered and ends the file; `how` ("complete", "interrupted", "failed: ...") goes into it.
/// The record is destroyed, whatever the status.
SS_API ss_status ss_record_close(ss_record* record, const char* how, ss_error* error);

/// A run file opened for reading. HDF5 reads it in a child process, so that a damaged file is an error and no crash;
/// the child ends with ss_run_close(), or with the program (docs/run-file.md, "Damaged files"). Threads may read at the
/// same time, each with an ss_run of its own.
typedef struct ss_run ss_run;

/// NULL and *error (may be NULL) if the file cannot be read, or says what cannot be.
SS_API ss_run* ss_run_open(const char* path, ss_error* error);
SS_API void ss_run_close(ss_run* run);

/// What the file holds.
typedef struct ss_run_info {
  const char* model_name;
  const char* model_text;
  const char* version;  ///< of the library that wrote it
  const char* status;   ///< "complete", "interrupted", "running" (also if the writer was killed), "failed: ..."
  int n_override;
  const ss_override* override;
  ss_run_def run;       ///< the settings it was made with
  bool listed;          ///< contacts come and go; `contact` has those that took part so far
  int nq, nv, n_contact, n_bilateral;
  const char* const* coordinate;    ///< nq
  const char* const* unit;          ///< nq, "" where unknown
  const char* const* velocity;      ///< nv: the coordinates unless `listed`
  const char* const* velocity_unit; ///< nv, "" where unknown; NULL unless `listed`
  const char* const* contact;       ///< n_contact
  const ss_contact_kind* contact_kind;  ///< n_contact
  const uint64_t* contact_key;      ///< n_contact; NULL unless `listed`
  const char* const* bilateral;     ///< n_bilateral
  int n_sensor;
  const char* const* sensor;        ///< n_sensor
  long n_rows, n_events;
} ss_run_info;

SS_API const ss_run_info* ss_run_get_info(const ss_run* run);

/// The model of a run, from the text in the record; def NULL: with the overrides that it had. Files that the text names
/// are looked for in the folder that the model was read from, beside the record, and in the current folder. NULL and
/// *error if it cannot be read. It may outlive the run.
SS_API ss_model* ss_run_model(const ss_run* run, const ss_model_def* def, ss_error* error);

/// The values of a quantity, one per row: "t", a coordinate "x", its rate "u_x", "gap.C", "state.C", "Lambda_N.C",
/// "Lambda_T.C", "F_N.C", "F_T.C", "gamma_N.C", "gamma_T.C" of a contact C, "Lambda.B", "F.B" of a bilateral
/// constraint B, "sensor.S",
/// "step", "residual", "iterations", "status", "energy.kinetic", ..., "counts.steps", ... Belongs to the run. NULL and
/// *error if the name is not known (it lists what there is) or the file cannot be read. Spatial contacts have T1 and T2
/// in place of T, and "point_x.C", "point_y.C", "point_z.C". Where a contact that comes and goes is not listed, gap and
/// point are NaN, and the rest is zero.
SS_API const double* ss_run_column(ss_run* run, const char* name, ss_error* error);

/// The unit of such a quantity, "" if it has none or it is unknown.
SS_API const char* ss_run_unit(const ss_run* run, const char* name);

/// The names of all quantities; *n is their number. Belongs to the run. What a contact does not have (Lambda_T of one
/// without friction, the gap of a friction element) is not in the list; as a column it is zero.
SS_API const char* const* ss_run_columns(ss_run* run, int* n);

/// The events; n_events of them. Belong to the run. Also the state after each: q is n_events x nq, u n_events x nv (may
/// be NULL).
SS_API const ss_event* ss_run_events(ss_run* run, const double** q, const double** u, ss_error* error);

/// Whether an event belongs to a run as far as the row of this step and time: events after it will happen again when
/// the run goes on.
SS_API bool ss_event_is_past(const ss_event* event, long step, double t);

/// Whether a row lies between two steps: it is that of an event then, of an event-driven run.
SS_API bool ss_run_is_between(const ss_run_def* run, long step, double t);

/// A row, from 0, to go on from. contact_state: n_contact of ss_run_info.
SS_API ss_status ss_run_row(ss_run* run, long row, ss_state* state, ss_contact_state* contact_state,
                            ss_energy_ledger* energy, ss_ledger_counts* counts, ss_error* error);

/// How many contacts had a number by then: all of them unless contacts come and go. Negative and *error on failure.
SS_API int ss_run_contacts_at(ss_run* run, long row, ss_error* error);

/// Time, step, coordinates and velocities of a row, from 0; nothing else of *state is touched.
SS_API ss_status ss_run_motion(ss_run* run, long row, ss_state* state, ss_error* error);

/// A contact in a row: what the step (event-driven runs: the stretch since the last stop) that ended there did to it.
typedef struct ss_run_contact {
  int contact;             ///< number
  ss_contact_state state;  ///
  double gap;              ///< where the step tested it, m or rad
  double Lambda[3];        ///< impulse, N s (or N m s): N, T or N, T1, T2
  double Lambda_1[3];      ///< rattle: the part of it in the first stage of the step; others: 0
  double force[3];         ///< event-driven runs: lambda in this row; others: the mean over the step, N. NAN: old file
  double gamma[3];         ///< relative velocity at the end, likewise
  double point[3];         ///< where it is in the world, m; zeros if it has no place
  double frame[9];         ///< N, T1, T2 in the world, row by row; N from body a to body b. Zeros likewise
  int body_a, body_b;      ///< -1: the world
} ss_run_contact;

/// The contacts of a row: those listed in it, or all of a fixed list, which have neither place nor bodies. Their number
/// is returned; *list belongs to the run, until the next call. Negative and *error on failure. Rows in their order are
/// read fastest.
SS_API int ss_run_contacts(ss_run* run, long row, const ss_run_contact** list, ss_error* error);

/// The row to go on from: the last one, or, if the last step of an event-driven run was made shorter to end in time,
/// the last one before it. *n_rows: how many rows a run in one go has as far as there; the row itself may not be one of
/// them. -1 if there are no rows, below that if the file cannot be read.
SS_API long ss_run_resume_row(ss_run* run, long* n_rows, ss_error* error);

/// The last row.
SS_API ss_status ss_run_last(ss_run* run, ss_state* state, ss_contact_state* contact_state, ss_energy_ledger* energy,
                             ss_ledger_counts* counts, ss_error* error);

/// A cycle found in the events: the kind of event that comes back most regularly.
typedef struct ss_cycle {
  int contact;          ///< the event that marks the section: contact ...
  ss_event_kind kind;   ///< ... and kind
  int n;                ///< full cycles used
  long first, last;     ///< event indices of the last cycle: first marks its beginning, last the next one's
  double period;        ///< mean over the n cycles, s
  double spread;        ///< largest deviation of a single cycle's period from the mean, s
  double* drift;        ///< nq: mean change of each coordinate per cycle; belongs to the run
} ss_cycle;

/// Looks for a cycle in the events with t_from <= t <= t_to. False if no event returns regularly (spread above 2 % of
/// the period) at least three times; *error then has the status SS_OK, unless the file could not be read. contact < 0:
/// any event may mark the section, and the most regular one does; among those that are regular to 0.2 % alike the one
/// that loses the most energy. An orbit that closes only after two returns of its section is not taken for one that
/// closes after one, unless its two periods differ by less than that.
SS_API bool ss_run_cycle(ss_run* run, double t_from, double t_to, int contact, ss_event_kind kind, ss_cycle* cycle,
                         ss_error* error);

/// The same for n events in memory, ordered in time, with the coordinates q after each (n x nv). cycle->drift is an
/// array of nv, or NULL if it is not wanted (then q may be NULL); it belongs to the caller.
SS_API bool ss_cycle_find(const ss_event* event, long n, const double* q, int nv, double t_from, double t_to,
                          int contact, ss_event_kind kind, ss_cycle* cycle);

#ifdef __cplusplus
}
#endif
#endif
