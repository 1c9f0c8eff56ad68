// A run that needs no simulation: every number in it is a function of its row, so that a reader can check any row.
#ifndef SS_TEST_RUN_FIXTURE_H
#define SS_TEST_RUN_FIXTURE_H

#include "io/run_schema.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fixture {
  ss_record_header header;
  ss_state state;
  ss_step_info info;
  ss_contact_result* contact;
  double* Lambda_bilateral;
  ss_energy_ledger energy;
  ss_ledger_counts counts;
  ss_event event;
} fixture;

static const ss_override fixture_overrides[] = {{"mu", "0.25"}, {"initial.φ", "pi/6 - 0.1"}};
static const ss_parameter fixture_parameters[] = {{"m", 0.0045}, {"g", 9.81}, {"µ₀", 0.3}};
static const char* const fixture_names[] = {"x", "φ_M", "phi_S", "y", "z"};
static const char* const fixture_units[] = {"m", "rad", "", "m", "m"};
static const ss_contact_def fixture_contacts[] = {
  {.name = "beak", .kind = SS_CONTACT_PLANAR, .mu = 0.3, .eps_n = 0.5, .eps_t = 0.1, .nu = 0.75},
  {.name = "sleeve_upper", .kind = SS_CONTACT_NORMAL, .eps_n = 0.25},
  {.name = "Ärmel", .kind = SS_CONTACT_FRICTION, .bound = 2.5},
  {.name = "stop", .kind = SS_CONTACT_PLANAR, .mu = 0.1, .bound = 1e-3, .eps_t = 1}};
static const char* const fixture_bilaterals[] = {"hinge", "rod"};

// Up to 5 coordinates, 4 contacts and 2 constraints have names of their own
static inline void fixture_init(fixture* f, int nv, int n_contact, int n_bilateral)
{
  *f = (fixture){0};
  f->header = (ss_record_header){
    .model_name = "wood\"pecker", .model_text = "name: woodpecker\n# ünïcode, a\ttab\nparameters: {m: 1}\n",
    .n_override = 2, .override = fixture_overrides, .n_parameter = 3, .parameter = fixture_parameters,
    .nv = nv, .coordinate = fixture_names, .unit = fixture_units, .n_contact = n_contact, .contact = fixture_contacts,
    .n_bilateral = n_bilateral, .bilateral = fixture_bilaterals,
    .run = {.step = {.integrator = SS_EULER, .dt = 2.5e-4, .project = SS_PROJECTION_OFF, .account = true,
                    .impact = SS_IMPACT_POISSON, .energy_limited = true,
                    .order = SS_IMPACTS_SEQUENTIAL, .solver = {.max_iter = 77, .tol = 3e-11, .attempts = 5}},
            .until = 12.5, .every = 3}};
  f->state.nq = f->state.nv = nv;
  f->state.q = calloc((size_t)nv + 1, sizeof(double));
  f->state.u = calloc((size_t)nv + 1, sizeof(double));
  f->contact = calloc((size_t)n_contact + 1, sizeof *f->contact);
  f->Lambda_bilateral = calloc((size_t)n_bilateral + 1, sizeof(double));
  f->info = (ss_step_info){.n_contact = n_contact, .contact = f->contact, .n_bilateral = n_bilateral,
                           .Lambda_bilateral = f->Lambda_bilateral};
}

static inline void fixture_free(fixture* f)
{
  free(f->state.q);
  free(f->state.u);
  free(f->contact);
  free(f->Lambda_bilateral);
}

// Number c of quantity k in row i: smooth, with all digits in use
static inline double fixture_value(long i, int k, int c) { return sin(1e-3*(double)i + k + 0.1*c) + 1e-9*(double)i; }

// Row i is step 3 i
static inline void fixture_row(fixture* f, long i)
{
  f->state.t = 7.5e-4*(double)i;
  f->state.step = 3*i;
  for (int c = 0; c < f->state.nv; c++) {
    f->state.q[c] = fixture_value(i, 1, c);
    f->state.u[c] = fixture_value(i, 2, c);
  }
  for (int c = 0; c < f->info.n_contact; c++) {
    ss_contact_result* r = &f->contact[c];
    r->state = (ss_contact_state)((i/100 + c)%5);
    r->gap = fixture_value(i, 3, c);
    for (int k = 0; k < 2; k++) {
      double Lambda = fixture_value(i, 4 + k, c);  // normal ones push: the record refuses others
      r->Lambda[k] = r->state == SS_OPEN ? 0 : k ? Lambda : fabs(Lambda);
      r->gamma_after[k] = fixture_value(i, 6 + k, c);
    }
  }
  for (int c = 0; c < f->info.n_bilateral; c++) f->Lambda_bilateral[c] = fixture_value(i, 8, c);
  f->info.residual = i%7 ? 1e-14*(double)(i%7) : 0;
  f->info.iterations = (int)(i%11);
  f->info.status = i%1000 == 999 ? SS_INACCURATE : SS_OK;
  f->info.choice = (ss_choice)(i%SS_CHOICE_COUNT);
  double* energy[8] = {&f->energy.kinetic, &f->energy.potential, &f->energy.work_forces, &f->energy.work_drive,
                       &f->energy.loss_normal, &f->energy.loss_friction, &f->energy.work_projection, &f->energy.defect};
  for (int k = 0; k < 8; k++) *energy[k] = fixture_value(i, 10 + k, 0);
  f->counts = (ss_ledger_counts){.steps = 3*i, .events = i/5, .impacts = i/10, .not_solved = i/1000,
                                 .energy_gain = i/2000, .several_forces = i/2, .several_motions = i/3,
                                 .as_found = i/4, .max_residual = 1e-12*(double)(i/50),
                                 .max_penetration = 1e-6*(double)(i/70), .max_constraint_error = 1e-7*(double)(i/80),
                                 .max_limit_error = 1e-5*(double)(i/90)};
}

// Event j happens in the step of row 5 j + 5, so that i/5 events have happened up to row i
static inline long fixture_event_row(long j) { return 5*j + 5; }

static inline void fixture_event(fixture* f, long j)
{
  fixture_row(f, fixture_event_row(j));
  f->event = (ss_event){.t = f->state.t, .step = f->state.step, .contact = (int)(j%f->info.n_contact),
                        .kind = (ss_event_kind)(j%4), .state = (ss_contact_state)(j%5),
                        .state_before = (ss_contact_state)(j%4), .solutions = (int)(j%3) - 1, .count = j%7};
  for (int k = 0; k < 2; k++) {
    f->event.gamma_before[k] = fixture_value(j, 20 + k, 0);
    f->event.gamma_after[k] = fixture_value(j, 22 + k, 0);
    f->event.Lambda[k] = fixture_value(j, 24 + k, 0);
    f->event.Lambda_C[k] = fixture_value(j, 28 + k, 0);
  }
  f->event.energy_before = fixture_value(j, 26, 0);
  f->event.energy_after = fixture_value(j, 27, 0);
}

// Adds rows from..to-1, each after the events of its step
static inline ss_status fixture_write(fixture* f, ss_record* record, long from, long to, ss_error* error)
{
  for (long i = from; i < to; i++) {
    ss_status status = SS_OK;
    if (f->info.n_contact && i && i%5 == 0) {
      fixture_event(f, i/5 - 1);
      status = ss_record_event_add(record, &f->event, &f->state, error);
      if (status < 0) return status;
    }
    fixture_row(f, i);
    ss_record_row row = {.state = &f->state, .info = &f->info, .energy = &f->energy, .counts = &f->counts};
    status = ss_record_row_add(record, &row, error);
    if (status < 0) return status;
  }
  return SS_OK;
}

// The columns of a run, by name, and where the row of the fixture has each
typedef struct fixture_column {
  char name[64];
  double value;
} fixture_column;

// What every column should hold in the row that the fixture is at. Returns their number.
static inline int fixture_columns(const fixture* f, fixture_column* out)
{
  static const char* const energy[8] = {"kinetic", "potential", "work_forces", "work_drive",
                                        "loss_normal", "loss_friction", "work_projection", "defect"};
  const double* e = &f->energy.kinetic;
  const ss_ledger_counts* n = &f->counts;
  int k = 0;
#define COLUMN(number, ...) (snprintf(out[k].name, sizeof out[k].name, __VA_ARGS__), out[k++].value = (double)(number))
  COLUMN(f->state.t, "t");
  COLUMN(f->state.step, "step");
  for (int c = 0; c < f->state.nv; c++) {
    COLUMN(f->state.q[c], "%s", f->header.coordinate[c]);
    COLUMN(f->state.u[c], "u_%s", f->header.coordinate[c]);
  }
  for (int c = 0; c < f->info.n_contact; c++) {
    const ss_contact_result* r = &f->contact[c];
    COLUMN(r->gap, "gap.%s", f->header.contact[c].name);
    COLUMN(r->state, "state.%s", f->header.contact[c].name);
    for (int i = 0; i < 2; i++) {
      COLUMN(r->Lambda[i], "Lambda_%c.%s", "NT"[i], f->header.contact[c].name);
      COLUMN(r->gamma_after[i], "gamma_%c.%s", "NT"[i], f->header.contact[c].name);
    }
  }
  for (int c = 0; c < f->info.n_bilateral; c++) COLUMN(f->Lambda_bilateral[c], "Lambda.%s", f->header.bilateral[c]);
  COLUMN(f->info.residual, "residual");
  COLUMN(f->info.iterations, "iterations");
  COLUMN(f->info.status, "status");
  COLUMN(f->info.choice, "choice");
  for (int c = 0; c < 8; c++) COLUMN(e[c], "energy.%s", energy[c]);
  COLUMN(n->steps, "counts.steps");
  COLUMN(n->events, "counts.events");
  COLUMN(n->impacts, "counts.impacts");
  COLUMN(n->not_solved, "counts.not_solved");
  COLUMN(n->energy_gain, "counts.energy_gain");
  COLUMN(n->max_limit_error, "counts.max_limit_error");
  COLUMN(n->several_forces, "counts.several_forces");
  COLUMN(n->several_motions, "counts.several_motions");
  COLUMN(n->as_found, "counts.as_found");
  COLUMN(n->max_residual, "counts.max_residual");
  COLUMN(n->max_penetration, "counts.max_penetration");
  COLUMN(n->max_constraint_error, "counts.max_constraint_error");
#undef COLUMN
  return k;
}

enum { FIXTURE_COLUMNS = 128 };

// Every number of every row of the run; false, and what is wrong in `why`, if one is not as it was written
static inline bool fixture_check_rows(fixture* f, ss_run* run, char why[256])
{
  fixture_column column[FIXTURE_COLUMNS];
  const double* data[FIXTURE_COLUMNS];
  ss_error error = {0};
  int n = fixture_columns(f, column);
  for (int k = 0; k < n; k++) {
    data[k] = ss_run_column(run, column[k].name, &error);
    if (!data[k]) return snprintf(why, 256, "%.250s", error.text), false;
  }
  for (long i = 0; i < ss_run_get_info(run)->n_rows; i++) {
    fixture_row(f, i);
    fixture_columns(f, column);
    for (int k = 0; k < n; k++)
      if (data[k][i] != column[k].value) {
        snprintf(why, 256, "row %ld of %.63s is %.17g, not %.17g", i, column[k].name, data[k][i], column[k].value);
        return false;
      }
  }
  return true;
}

// Every event of the run, and that there are as many as belong to its rows, or more
static inline bool fixture_check_events(fixture* f, ss_run* run, char why[256])
{
  ss_error error = {0};
  const double *q, *u;
  const ss_run_info* info = ss_run_get_info(run);
  size_t size = sizeof(double)*(size_t)info->nv;
  const ss_event* event = ss_run_events(run, &q, &u, &error);
  if (!event) return snprintf(why, 256, "events: %.200s", error.text), false;
  for (long j = 0; j < info->n_events; j++) {
    fixture_event(f, j);
    const ss_event *a = &event[j], *b = &f->event;
    bool same = a->t == b->t && a->step == b->step && a->contact == b->contact && a->kind == b->kind &&
                a->state == b->state && a->energy_before == b->energy_before && a->energy_after == b->energy_after;
    for (int k = 0; k < 2; k++)
      same = same && a->gamma_before[k] == b->gamma_before[k] && a->gamma_after[k] == b->gamma_after[k] &&
             a->Lambda[k] == b->Lambda[k];
    same = same && memcmp(q + j*info->nv, f->state.q, size) == 0 && memcmp(u + j*info->nv, f->state.u, size) == 0;
    if (!same) return snprintf(why, 256, "event %ld is not as it was written", j), false;
  }
  if (f->info.n_contact && info->n_rows && info->n_events < (info->n_rows - 1)/5)
    return snprintf(why, 256, "%ld events for %ld rows", info->n_events, info->n_rows), false;
  return true;
}

static inline bool fixture_check(fixture* f, ss_run* run, char why[256])
{
  return fixture_check_rows(f, run, why) && fixture_check_events(f, run, why);
}

#endif
