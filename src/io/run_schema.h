// What a run file holds, for its writer and its reader (docs/run-file.md has the same for users).
#ifndef SS_IO_RUN_SCHEMA_H
#define SS_IO_RUN_SCHEMA_H

#include <hdf5.h>
#include <stdint.h>
#include <stickslip/record.h>

#define SS_RUN_FORMAT "stickslip run"
/// Where contacts come and go, so many rows of event-driven runs are without what the integrator remembers, at least,
/// between two that have it.
#define SS_ROWS_PER_MEMORY 15
#define SS_RUN_FORMAT_VERSION 2
#define SS_RUN_FORMAT_LISTED 5  ///< of runs whose contacts come and go

/// What is written once, at the start of a run. Nothing may be NULL but `created`, `unit` and empty lists.
typedef struct ss_record_header {
  const char* created;     ///< when, e.g. "2024-05-31T12:00:00Z"; NULL: the present time
  const char* model_name;
  const char* model_text;
  const char* model_folder;  ///< where its file was, absolute; NULL if it had none
  int n_override;
  const ss_override* override;
  int n_parameter;
  const ss_parameter* parameter;
  ss_run_def run;
  int nv;
  const char* const* coordinate;  ///< nq
  const char* const* unit;        ///< nq; NULL if unknown
  int n_contact;
  const ss_contact_def* contact;  ///< n_contact
  int n_bilateral;
  const char* const* bilateral;   ///< n_bilateral
  bool listed;                    ///< contacts come and go: n_contact is 0, and they are in tables of their own
  int nq;                         ///< 0: nv
  const char* const* velocity;    ///< nv; NULL: the coordinates. Read if listed, as the next one
  const char* const* velocity_unit;  ///< nv; NULL if unknown
  int n_sensor;
  const char* const* sensor;       ///< n_sensor; NULL if there are none, as the next one
  const char* const* sensor_unit;  ///< n_sensor
} ss_record_header;

static inline int ss_header_nq(const ss_record_header* h) { return h->nq ? h->nq : h->nv; }

/// ss_record_create() with the header itself. The header is not needed afterwards.
ss_record* ss_record_create_from(const char* path, const ss_record_header* header, ss_error* error);

/// Writes what is buffered, now.
ss_status ss_record_flush(ss_record* record, ss_error* error);

/// The header of a run file that is open.
const ss_record_header* ss_run_get_header(const ss_run* run);
/// The path that it was opened by.
const char* ss_run_path(const ss_run* run);

/// How a number is stored.
typedef enum ss_number { SS_F64, SS_I64, SS_I32, SS_I8, SS_STATE8, SS_EVENT_ROW, SS_KNOWN_ROW } ss_number;

/// How many numbers a row has; SS_PER_MEMORY: as many as ss_state.memory.
typedef enum ss_shape {
  SS_ONE,
  SS_PER_COORDINATE,
  SS_PER_VELOCITY,
  SS_PER_CONTACT,
  SS_PER_CONTACT_NT,
  SS_PER_BILATERAL,
  SS_PER_MEMORY,
  SS_PER_SENSOR,
  SS_TWO,
  SS_THREE,
  SS_NINE,
} ss_shape;

/// The data sets. Those before SS_FIELD_EVENTS have one row per recorded step; then come those with one per event; from
/// SS_FIELD_TOUCH on with one per contact and recorded step; SS_FIELD_KNOWN has one per contact; SS_FIELD_ARC one per
/// number of ss_state.memory and recorded step. What concerns lists of contacts is there only in runs that have them
/// (ss_field_there()).
// clang-format off
#define SS_FIELD_LIST(X)                                                                             \
  X(T,                "t",                       SS_F64,       SS_ONE,            "s")               \
  X(STEP,             "step",                    SS_I64,       SS_ONE,            "")                \
  X(Q,                "q",                       SS_F64,       SS_PER_COORDINATE, "")                \
  X(U,                "u",                       SS_F64,       SS_PER_VELOCITY,   "")                \
  X(GAP,              "gap",                     SS_F64,       SS_PER_CONTACT,    "m")               \
  X(STATE,            "state",                   SS_STATE8,    SS_PER_CONTACT,    "")                \
  X(LAMBDA,           "Lambda",                  SS_F64,       SS_PER_CONTACT_NT, "N s")             \
  X(LAMBDA_BILATERAL, "Lambda_bilateral",        SS_F64,       SS_PER_BILATERAL,  "N s")             \
  X(LAMBDA_1,         "Lambda_1",                SS_F64,       SS_PER_CONTACT_NT, "N s")             \
  X(LAMBDA_BILATERAL_1, "Lambda_bilateral_1",    SS_F64,       SS_PER_BILATERAL,  "N s")             \
  X(FORCE,            "force",                   SS_F64,       SS_PER_CONTACT_NT, "N")               \
  X(FORCE_BILATERAL,  "force_bilateral",         SS_F64,       SS_PER_BILATERAL,  "N")               \
  X(GAMMA,            "gamma",                   SS_F64,       SS_PER_CONTACT_NT, "m/s")             \
  X(RESIDUAL,         "residual",                SS_F64,       SS_ONE,            "")                \
  X(ITERATIONS,       "iterations",              SS_I32,       SS_ONE,            "")                \
  X(STATUS,           "status",                  SS_I8,        SS_ONE,            "")                \
  X(CHOICE,           "choice",                  SS_I8,        SS_ONE,            "")                \
  X(SIDE,             "side",                    SS_I8,        SS_ONE,            "")                \
  X(KINETIC,          "energy/kinetic",          SS_F64,       SS_ONE,            "J")               \
  X(POTENTIAL,        "energy/potential",        SS_F64,       SS_ONE,            "J")               \
  X(WORK_FORCES,      "energy/work_forces",      SS_F64,       SS_ONE,            "J")               \
  X(WORK_DRIVE,       "energy/work_drive",       SS_F64,       SS_ONE,            "J")               \
  X(LOSS_NORMAL,      "energy/loss_normal",      SS_F64,       SS_ONE,            "J")               \
  X(LOSS_FRICTION,    "energy/loss_friction",    SS_F64,       SS_ONE,            "J")               \
  X(WORK_PROJECTION,  "energy/work_projection",  SS_F64,       SS_ONE,            "J")               \
  X(DEFECT,           "energy/defect",           SS_F64,       SS_ONE,            "J")               \
  X(STEPS,            "counts/steps",            SS_I64,       SS_ONE,            "")                \
  X(COUNT_EVENTS,     "counts/events",           SS_I64,       SS_ONE,            "")                \
  X(IMPACTS,          "counts/impacts",          SS_I64,       SS_ONE,            "")                \
  X(NOT_SOLVED,       "counts/not_solved",       SS_I64,       SS_ONE,            "")                \
  X(ENERGY_GAIN,      "counts/energy_gain",      SS_I64,       SS_ONE,            "")                \
  X(MAX_RESIDUAL,     "counts/max_residual",     SS_F64,       SS_ONE,            "")                \
  X(MAX_PENETRATION,  "counts/max_penetration",  SS_F64,       SS_ONE,            "m")               \
  X(MAX_CONSTRAINT_ERROR, "counts/max_constraint_error", SS_F64, SS_ONE,         "")                \
  X(MAX_LIMIT_ERROR,  "counts/max_limit_error",  SS_F64,       SS_ONE,            "rad")             \
  X(SEVERAL_FORCES,   "counts/several_forces",   SS_I64,       SS_ONE,            "")                \
  X(SEVERAL_MOTIONS,  "counts/several_motions",  SS_I64,       SS_ONE,            "")                \
  X(AS_FOUND,         "counts/as_found",         SS_I64,       SS_ONE,            "")                \
  X(NOT_EXAMINED,     "counts/not_examined",     SS_I64,       SS_ONE,            "")                \
  X(MEMORY,           "memory",                  SS_F64,       SS_PER_MEMORY,     "")                \
  X(SENSOR,           "sensor",                  SS_F64,       SS_PER_SENSOR,     "")                \
  X(TOUCH_END,        "touch_end",               SS_I64,       SS_ONE,            "")                \
  X(KNOWN_END,        "contacts_end",            SS_I64,       SS_ONE,            "")                \
  X(IN_PARTS,         "counts/in_parts",         SS_I64,       SS_ONE,            "")                \
  X(ARC_END,          "arc_end",                 SS_I64,       SS_ONE,            "")                \
  X(EVENTS,           "events",                  SS_EVENT_ROW, SS_ONE,            "")                \
  X(EVENTS_Q,         "events_q",                SS_F64,       SS_PER_COORDINATE, "")                \
  X(EVENTS_U,         "events_u",                SS_F64,       SS_PER_VELOCITY,   "")                \
  X(EVENTS_T2,        "events_T2",               SS_F64,       SS_THREE,          "")                \
  X(TOUCH,            "touch/contact",           SS_I32,       SS_ONE,            "")                \
  X(TOUCH_STATE,      "touch/state",             SS_STATE8,    SS_ONE,            "")                \
  X(TOUCH_GAP,        "touch/gap",               SS_F64,       SS_ONE,            "m")               \
  X(TOUCH_LAMBDA,     "touch/Lambda",            SS_F64,       SS_THREE,          "N s")             \
  X(TOUCH_LAMBDA_1,   "touch/Lambda_1",          SS_F64,       SS_THREE,          "N s")             \
  X(TOUCH_FORCE,      "touch/force",             SS_F64,       SS_THREE,          "N")               \
  X(TOUCH_GAMMA,      "touch/gamma",             SS_F64,       SS_THREE,          "m/s")             \
  X(TOUCH_POINT,      "touch/point",             SS_F64,       SS_THREE,          "m")               \
  X(TOUCH_FRAME,      "touch/frame",             SS_F64,       SS_NINE,           "")                \
  X(TOUCH_BODIES,     "touch/bodies",            SS_I32,       SS_TWO,            "")                \
  X(KNOWN,            "contacts",                SS_KNOWN_ROW, SS_ONE,            "")                \
  X(ARC,              "arc",                     SS_F64,       SS_ONE,            "")
// clang-format on

typedef enum ss_field {
#define X(name, path, number, shape, unit) SS_FIELD_##name,
  SS_FIELD_LIST(X)
#undef X
  SS_FIELD_COUNT
} ss_field;

typedef struct ss_field_def {
  const char* path;
  ss_number number;
  ss_shape shape;
  const char* unit;  ///< "" if it has none, or if it is that of the coordinate
} ss_field_def;

extern const ss_field_def ss_field_table[SS_FIELD_COUNT];

/// An event as it lies in the file.
typedef struct ss_event_row {
  double t;
  int64_t step;
  int32_t contact;
  int8_t kind;
  int8_t state;
  int8_t state_before;
  int32_t solutions;
  int64_t count;
  double gamma_before_N, gamma_before_T;
  double gamma_after_N, gamma_after_T;
  double Lambda_N, Lambda_T;
  double Lambda_C_N, Lambda_C_T;
  double energy_before, energy_after;
} ss_event_row;

/// A contact that has a number, as it lies in the file.
typedef struct ss_known_row {
  uint64_t key;
  int8_t kind;
  char name[255];  ///< filled up with zeros; cut if it is longer
} ss_known_row;

/// Whether the data set is of the first stage of steps in two: of the integrator rattle alone.
bool ss_field_is_first_stage(ss_field field);

/// Whether a run with this header has the data set.
bool ss_field_there(ss_field field, const ss_record_header* header);

/// Whether early files do not have the data set, and can be read all the same.
bool ss_field_is_later(ss_field field);

/// The field of the impulses that forces belong to; of others the field itself. Forces of time-stepping are these
/// impulses by dt, and are not in the file.
ss_field ss_field_impulse(ss_field field);
bool ss_field_stored(ss_field field, const ss_record_header* header);

/// Numbers in a row of the field, for the sizes of this header; 0 if it is not there. Only event-driven runs have a
/// memory.
int ss_field_width(ss_field field, const ss_record_header* header);

/// Bytes of one number in memory and in the file.
size_t ss_number_size(ss_number number);

/// Its HDF5 type, the same in memory and in the file; the caller closes it. Negative on failure.
hid_t ss_number_type(ss_number number);

/// Whether the file has this field, or what it is computed from.
bool ss_run_has(const ss_run* run, ss_field field);

/// `count` rows of a field from row `first` on, as they lie in the file. False and *error if they cannot be read.
bool ss_run_read(ss_run* run, ss_field field, long first, long count, void* out, ss_error* error);

/// The rows of the tables of contacts that belong to a row of a run whose contacts come and go.
bool ss_run_touch_range(ss_run* run, long row, long* first, long* end, ss_error* error);

/// Whether times, steps and the ends of lists in the rows can be; n_touch: rows of the tables of contacts; n_arc:
/// numbers of memories. False and *error if not.
bool ss_run_check(ss_run* run, long n_touch, long n_arc, ss_error* error);

/// Reports that a part of the file is missing or not as it should be; false.
bool ss_run_damaged(const ss_run* run, ss_error* error, const char* what);

/// Contacts of some rows in memory, kept by the run for ss_run_contacts(). Zero: none.
typedef struct ss_run_block {
  long first, n, room;    ///< of the table of contacts; a fixed list: row times their number
  ss_run_contact* item;   ///< room
} ss_run_block;

ss_run_block* ss_run_get_block(ss_run* run);

/// A setting of ss_run_def: an attribute of the group `settings`. The integrator and the law of impacts,
/// texts, are not in the table.
typedef struct ss_setting {
  const char* name;
  enum { SS_SETTING_NUMBER, SS_SETTING_INTEGER, SS_SETTING_FLAG } type;  ///< double, int, bool
  size_t offset;                                                         ///< in ss_run_def
  double least;                                                          ///< smallest value that makes sense
  int choices;           ///< of an enum: how many values it has; 0: it is none
  bool later;            ///< files of earlier versions do not have it: the default
} ss_setting;

extern const ss_setting ss_setting_table[];
extern const int ss_setting_count;

/// The contact kinds in words: "normal", "planar", "friction", "spatial". NULL if there is no such kind.
const char* ss_contact_kind_name(int kind);

#endif
