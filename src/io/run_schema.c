// What a run file holds: the table of its data sets, and the types in them.
#include "io/run_schema.h"
#include "integrate/event.h"
#include <math.h>
#include <stddef.h>
#include <stdint.h>

const ss_field_def ss_field_table[SS_FIELD_COUNT] = {
#define X(name, path, number, shape, unit) [SS_FIELD_##name] = {path, number, shape, unit},
  SS_FIELD_LIST(X)
#undef X
};

// clang-format off
const ss_setting ss_setting_table[] = {
  {"dt",              SS_SETTING_NUMBER,  offsetof(ss_run_def, step.dt),              0, 0, false},
  {"until",           SS_SETTING_NUMBER,  offsetof(ss_run_def, until),                -INFINITY, 0, false},
  {"start",           SS_SETTING_NUMBER,  offsetof(ss_run_def, start),                -INFINITY, 0, true},
  {"every",           SS_SETTING_INTEGER, offsetof(ss_run_def, every),                1, 0, false},
  {"elsewhere",       SS_SETTING_FLAG,    offsetof(ss_run_def, elsewhere),            0, 0, true},
  {"project",         SS_SETTING_INTEGER, offsetof(ss_run_def, step.project),         0, SS_PROJECTION_COUNT, false},
  {"account",         SS_SETTING_FLAG,    offsetof(ss_run_def, step.account),         0, 0, false},
  {"solver_max_iter", SS_SETTING_INTEGER, offsetof(ss_run_def, step.solver.max_iter), 0, 0, false},
  {"solver_tol",      SS_SETTING_NUMBER,  offsetof(ss_run_def, step.solver.tol),      0, 0, false},
  {"solver_attempts", SS_SETTING_INTEGER, offsetof(ss_run_def, step.solver.attempts), 0, 0, false},
  {"event_rtol",      SS_SETTING_NUMBER,  offsetof(ss_run_def, step.event.rtol),      0, 0, false},
  {"event_max_step",  SS_SETTING_NUMBER,  offsetof(ss_run_def, step.event.max_step),  0, 0, true},
  {"event_on_multiple", SS_SETTING_INTEGER, offsetof(ss_run_def, step.event.on_multiple), 0, SS_MULTIPLE_COUNT, false},
  {"event_watch_uniqueness", SS_SETTING_FLAG, offsetof(ss_run_def, step.event.watch_uniqueness), 0, 0, false},
  {"energy_limited",  SS_SETTING_FLAG,    offsetof(ss_run_def, step.energy_limited),  0, 0, true},
  {"multiple_impacts", SS_SETTING_INTEGER, offsetof(ss_run_def, step.order),          0, SS_IMPACT_ORDERS, true},
  {"theta",           SS_SETTING_NUMBER,  offsetof(ss_run_def, step.theta),           0, 0, true},
  {"friction_method", SS_SETTING_INTEGER, offsetof(ss_run_def, step.friction.method), 0, SS_FRICTION_METHODS, true},
  {"friction_tol",    SS_SETTING_NUMBER,  offsetof(ss_run_def, step.friction.tol),    0, 0, true},
  {"friction_max_iter", SS_SETTING_INTEGER, offsetof(ss_run_def, step.friction.max_iter), 0, 0, true},
  {"friction_facets", SS_SETTING_INTEGER, offsetof(ss_run_def, step.friction.facets), 0, 0, true},
  {"friction_polyhedral", SS_SETTING_FLAG, offsetof(ss_run_def, step.friction.polyhedral), 0, 0, true},
  {"friction_cone_fixed", SS_SETTING_FLAG, offsetof(ss_run_def, step.friction.cone_fixed), 0, 0, true},
  {"friction_compliance", SS_SETTING_NUMBER, offsetof(ss_run_def, step.friction.compliance), -INFINITY, 0, true},
  {"friction_cone_angle", SS_SETTING_NUMBER, offsetof(ss_run_def, step.friction.cone_angle), -INFINITY, 0, true},
};
// clang-format on
const int ss_setting_count = (int)(sizeof ss_setting_table/sizeof *ss_setting_table);

bool ss_field_is_first_stage(ss_field field)
{
  return field == SS_FIELD_LAMBDA_1 || field == SS_FIELD_LAMBDA_BILATERAL_1 || field == SS_FIELD_TOUCH_LAMBDA_1;
}

bool ss_field_there(ss_field field, const ss_record_header* h)
{
  ss_shape shape = ss_field_table[field].shape;
  if (field == SS_FIELD_ARC || field == SS_FIELD_ARC_END)
    return h->listed && h->run.step.integrator == SS_EVENT_DRIVEN;
  if (ss_field_is_first_stage(field) && h->run.step.integrator != SS_RATTLE) return false;
  if (shape == SS_PER_SENSOR) return h->n_sensor > 0;
  if (h->listed) return shape != SS_PER_CONTACT && shape != SS_PER_CONTACT_NT;
  return (field < SS_FIELD_TOUCH_END || field > SS_FIELD_IN_PARTS) && field < SS_FIELD_EVENTS_T2;
}

bool ss_field_is_later(ss_field field)
{
  return field == SS_FIELD_CHOICE || field == SS_FIELD_SEVERAL_FORCES || field == SS_FIELD_SEVERAL_MOTIONS ||
         field == SS_FIELD_AS_FOUND || field == SS_FIELD_NOT_EXAMINED || field == SS_FIELD_ARC ||
         field == SS_FIELD_ARC_END || field == SS_FIELD_MAX_LIMIT_ERROR || field == SS_FIELD_SIDE ||
         ss_field_impulse(field) != field;
}

ss_field ss_field_impulse(ss_field field)
{
  switch (field) {
  case SS_FIELD_FORCE: return SS_FIELD_LAMBDA;
  case SS_FIELD_FORCE_BILATERAL: return SS_FIELD_LAMBDA_BILATERAL;
  case SS_FIELD_TOUCH_FORCE: return SS_FIELD_TOUCH_LAMBDA;
  default: return field;
  }
}

bool ss_field_stored(ss_field field, const ss_record_header* h)
{
  return ss_field_there(field, h) &&
         (ss_field_impulse(field) == field || h->run.step.integrator == SS_EVENT_DRIVEN);
}

int ss_field_width(ss_field field, const ss_record_header* h)
{
  if (!ss_field_there(field, h)) return 0;
  switch (ss_field_table[field].shape) {
  case SS_PER_COORDINATE: return ss_header_nq(h);
  case SS_PER_VELOCITY: return h->nv;
  case SS_PER_CONTACT: return h->n_contact;
  case SS_PER_CONTACT_NT: return 2*h->n_contact;
  case SS_PER_BILATERAL: return h->n_bilateral;
  case SS_PER_MEMORY:
    return h->run.step.integrator == SS_EVENT_DRIVEN ? ss_memory_size(h->nv, h->n_contact, h->listed) : 0;
  case SS_PER_SENSOR: return h->n_sensor;
  case SS_TWO: return 2;
  case SS_THREE: return 3;
  case SS_NINE: return 9;
  case SS_ONE: break;
  }
  return 1;
}

size_t ss_number_size(ss_number number)
{
  switch (number) {
  case SS_I32: return 4;
  case SS_I8:
  case SS_STATE8: return 1;
  case SS_EVENT_ROW: return sizeof(ss_event_row);
  case SS_KNOWN_ROW: return sizeof(ss_known_row);
  case SS_F64:
  case SS_I64: break;
  }
  return 8;
}

static hid_t enum_type(int n, const char* (*name)(int))
{
  hid_t type = H5Tenum_create(H5T_NATIVE_INT8);
  for (int i = 0; i < n && type >= 0; i++) {
    int8_t value = (int8_t)i;
    if (H5Tenum_insert(type, name(i), &value) < 0) { H5Tclose(type); type = -1; }
  }
  return type;
}

static const char* state_name(int i) { return ss_contact_state_text((ss_contact_state)i); }
static const char* kind_name(int i) { return ss_event_kind_text((ss_event_kind)i); }

static hid_t state_type(void) { return enum_type(SS_SLIP + 1, state_name); }
static hid_t kind_type(void) { return enum_type(SS_EVENT_KINDS, kind_name); }

static hid_t event_type(void)
{
  hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(ss_event_row));
  hid_t state = state_type(), kind = kind_type();
  const struct { const char* name; size_t offset; hid_t type; } member[] = {
    {"t", offsetof(ss_event_row, t), H5T_NATIVE_DOUBLE},
    {"step", offsetof(ss_event_row, step), H5T_NATIVE_INT64},
    {"contact", offsetof(ss_event_row, contact), H5T_NATIVE_INT32},
    {"kind", offsetof(ss_event_row, kind), kind},
    {"state", offsetof(ss_event_row, state), state},
    {"state_before", offsetof(ss_event_row, state_before), state},
    {"solutions", offsetof(ss_event_row, solutions), H5T_NATIVE_INT32},
    {"count", offsetof(ss_event_row, count), H5T_NATIVE_INT64},
    {"gamma_before_N", offsetof(ss_event_row, gamma_before_N), H5T_NATIVE_DOUBLE},
    {"gamma_before_T", offsetof(ss_event_row, gamma_before_T), H5T_NATIVE_DOUBLE},
    {"gamma_after_N", offsetof(ss_event_row, gamma_after_N), H5T_NATIVE_DOUBLE},
    {"gamma_after_T", offsetof(ss_event_row, gamma_after_T), H5T_NATIVE_DOUBLE},
    {"Lambda_N", offsetof(ss_event_row, Lambda_N), H5T_NATIVE_DOUBLE},
    {"Lambda_T", offsetof(ss_event_row, Lambda_T), H5T_NATIVE_DOUBLE},
    {"Lambda_C_N", offsetof(ss_event_row, Lambda_C_N), H5T_NATIVE_DOUBLE},
    {"Lambda_C_T", offsetof(ss_event_row, Lambda_C_T), H5T_NATIVE_DOUBLE},
    {"energy_before", offsetof(ss_event_row, energy_before), H5T_NATIVE_DOUBLE},
    {"energy_after", offsetof(ss_event_row, energy_after), H5T_NATIVE_DOUBLE},
  };
  bool good = type >= 0;
  for (size_t i = 0; i < sizeof member/sizeof *member; i++)
    good = good && member[i].type >= 0 && H5Tinsert(type, member[i].name, member[i].offset, member[i].type) >= 0;
  if (state >= 0) H5Tclose(state);
  if (kind >= 0) H5Tclose(kind);
  if (!good && type >= 0) { H5Tclose(type); type = -1; }
  return type;
}

static const char* contact_kind(int i) { return ss_contact_kind_name(i); }

static hid_t known_type(void)
{
  const ss_known_row* row = NULL;
  hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(ss_known_row));
  hid_t kind = enum_type(SS_CONTACT_SPATIAL + 1, contact_kind), name = H5Tcopy(H5T_C_S1);
  bool good = type >= 0 && kind >= 0 && name >= 0 && H5Tset_size(name, sizeof row->name) >= 0 &&
              H5Tset_cset(name, H5T_CSET_UTF8) >= 0 && H5Tset_strpad(name, H5T_STR_NULLPAD) >= 0 &&
              H5Tinsert(type, "key", offsetof(ss_known_row, key), H5T_NATIVE_UINT64) >= 0 &&
              H5Tinsert(type, "kind", offsetof(ss_known_row, kind), kind) >= 0 &&
              H5Tinsert(type, "name", offsetof(ss_known_row, name), name) >= 0;
  if (kind >= 0) H5Tclose(kind);
  if (name >= 0) H5Tclose(name);
  if (!good && type >= 0) { H5Tclose(type); type = -1; }
  return type;
}

hid_t ss_number_type(ss_number number)
{
  switch (number) {
  case SS_I64: return H5Tcopy(H5T_NATIVE_INT64);
  case SS_I32: return H5Tcopy(H5T_NATIVE_INT32);
  case SS_I8: return H5Tcopy(H5T_NATIVE_INT8);
  case SS_STATE8: return state_type();
  case SS_EVENT_ROW: return event_type();
  case SS_KNOWN_ROW: return known_type();
  case SS_F64: break;
  }
  return H5Tcopy(H5T_NATIVE_DOUBLE);
}

const char* ss_contact_kind_name(int kind)
{
  static const char* const name[] = {
    [SS_CONTACT_NORMAL] = "normal", [SS_CONTACT_PLANAR] = "planar", [SS_CONTACT_FRICTION] = "friction",
    [SS_CONTACT_SPATIAL] = "spatial"};
  return kind >= 0 && kind <= SS_CONTACT_SPATIAL ? name[kind] : NULL;
}
