// CSV: a run as `t`, the coordinates by name, their rates as `u_NAME`, sensors as `sensor.NAME`; events as one line
// each. Streams: no file is held.
#ifndef STICKSLIP_CSV_H
#define STICKSLIP_CSV_H

#include <stdio.h>
#include <stickslip/ledger.h>

#ifdef __cplusplus
extern "C" {
#endif

/// All return SS_OK, or SS_ERR_FILE if the stream cannot be written to. Numbers read back to the same double.
SS_API ss_status ss_csv_header(FILE* out, const ss_system_def* system);  ///< as ss_system_get() gives it
SS_API ss_status ss_csv_row(FILE* out, const ss_state* state, int n_sensor, const double* sensor);
/// Events. spatial: two tangential directions, T1 and T2, instead of T.
SS_API ss_status ss_csv_event_header(FILE* out, bool spatial);
SS_API ss_status ss_csv_event(FILE* out, const ss_event* event, const char* contact, bool spatial);

#ifdef __cplusplus
}
#endif
#endif
