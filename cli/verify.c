// `stickslip verify`: every recorded step once more, from the states alone. What the step must satisfy is written down
// here a second time, in long double; no part of an integrator or a solver is used, only the system's M, h, gaps, W:
//   momentum     M (u_E - u_A) = dt h + W Lambda
//   position     q_E = q_A + dt (..), by the rule of the integrator
//   laws         0 <= xi_N _|_ Lambda_N >= 0,  -Lambda_T in (mu Lambda_N + bound dt) Sgn(xi_T),
//                xi = gamma_E + eps gamma_A
//   energy       T, V at each row; losses -Lambda (gamma_A + gamma_E)/2; the balance of the ledger
// Event-driven runs are followed from row to row with the contact states of the file (verify_event.c).
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <stickslip/machine.h>

#include "json.h"
#include "signals.h"
#include "verify.h"

// What rests at V = 0 has energies of squares of round-off: of those of the run, and of those of verify_rest.c
#define NO_ENERGY 1e-6L

typedef struct verify_options {
  double tol;
  bool json;
} verify_options;

#define AT(field) offsetof(verify_options, field)
static const cli_option options[] = {
  {"tol", 0, CLI_POSITIVE, "R", AT(tol), "what may be missing, relative to the terms of a row (default: 1e-8)", NULL},
  {"json", 0, CLI_FLAG, NULL, AT(json), "print one JSON object", NULL},
  {0},
};

const cli_command cli_verify_command = {
  .name = "verify", .operands = "RUN", .min_operands = 1, .max_operands = 1,
  .summary = "check a recorded run: every step, its contact laws, its energy",
  .purpose = "Recomputes from the states and impulses recorded in RUN whether each step satisfies the equations of "
             "motion, the rule for positions, the contact laws and the energy balance, in long double and by code of "
             "its own, and says pass or where not; what cannot be checked is told. Scenes are checked from the places, "
             "directions and impulses of their contacts. Steps can be checked where every step was recorded (run "
             "--every 1). "
             "The exit status is 1 if something is off. Ctrl-C ends it without a result, status 3.",
  .options = options,
  .examples = "  stickslip run woodpecker -o run.h5 && stickslip verify run.h5\n",
  .main = cli_verify,
};

static const char* const names[CLI_CHECKS] = {
  "numbers", "start", "times", "momentum", "steps in parts", "position", "arcs", "kinematics", "normal law",
  "friction law", "contact states", "residuals", "gaps", "overlaps", "events", "counts", "energy", "losses",
  "works", "energy balance", "energy kept"};

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
  if (interrupted) _exit(CLI_FAILED);
  interrupted = number;
}

bool cli_verify_go_on(cli_verifier* v, long row, ss_error* error)
{
  long n = v->info->n_rows;
  if (row <= 1) cli_progress_start(&v->progress, true, "rows", row, n);
  if (interrupted) {
    cli_progress_end(&v->progress);
    ss_error_set(error, SS_ERR_STOPPED, "interrupted at t = %.9g s, row %ld of %ld: nothing can be said of the run",
                 v->t[row], row, n);
    return false;
  }
  cli_progress_step(&v->progress, row, v->t[row], -1);
  if (row + 1 == n) cli_progress_end(&v->progress);
  return true;
}

static int find_left_out(cli_verifier* v, const char* what)
{
  int most = (int)(sizeof v->left_out/sizeof *v->left_out);
  for (int i = 0; i < v->n_left_out; i++)
    if (strcmp(v->left_out[i], what) == 0) return i;
  if (v->n_left_out < most) v->left_out[v->n_left_out++] = what;
  return v->n_left_out - 1;
}

void cli_verify_leave_out(cli_verifier* v, const char* what) { find_left_out(v, what); }

void cli_verify_count_out(cli_verifier* v, const char* what) { v->left_n[find_left_out(v, what)]++; }

static const char* left_out_text(const cli_verifier* v, int i, char* text, size_t size)
{
  if (v->left_n[i]) snprintf(text, size, "%ld %s", v->left_n[i], v->left_out[i]);
  else snprintf(text, size, "%s", v->left_out[i]);
  return text;
}

void cli_verify_note(cli_verifier* v, cli_verify_check check, long row, long double off, long double size)
{
  cli_finding* f = &v->found[check];
  long double part = off == 0 ? 0 : fabsl(off)/(size > 0 ? size : 1);
  f->n++;
  if (!isnan(f->worst) && !(part <= f->worst)) {  // what is no number is the worst, and stays it
    f->worst = part;
    f->row = row;
  }
}

const double* cli_verify_column(cli_verifier* v, const char* prefix, const char* name, ss_error* error)
{
  char full[400];
  snprintf(full, sizeof full, "%s%s", prefix, name);
  return error->status < 0 ? NULL : ss_run_column(v->run, full, error);
}

static bool open_columns(cli_verifier* v, ss_error* error)
{
  const struct { const double** to; const char* name; } more[] = {
    {&v->t, "t"}, {&v->step, "step"}, {&v->kinetic, "energy.kinetic"}, {&v->potential, "energy.potential"},
    {&v->forces, "energy.work_forces"}, {&v->drive, "energy.work_drive"}, {&v->loss_normal, "energy.loss_normal"},
    {&v->loss_friction, "energy.loss_friction"}, {&v->projection, "energy.work_projection"},
    {&v->defect, "energy.defect"}};
  for (size_t i = 0; i < sizeof more/sizeof *more; i++) *more[i].to = cli_verify_column(v, "", more[i].name, error);
  return error->status >= 0;
}

// Works that cannot be: of forces without a potential, or of explicit time, where the system has none; of projections
// where nothing is projected. What contacts with moving partners put in is not of this kind.
static void check_works(cli_verifier* v, long row, long double size)
{
  const ss_step_def* def = &v->info->run.step;
  bool stepped = def->integrator != SS_EVENT_DRIVEN;
  if (!v->d->has_power) cli_verify_note(v, CLI_BALANCE, row, v->forces[row], size);
  bool moved = v->d->n_bilateral || def->project == SS_PROJECTION_ON || v->d->operators;
  if (stepped && !moved) cli_verify_note(v, CLI_BALANCE, row, v->projection[row], size);
}

// Whether an event-driven run has a row just at a kink, and it is not known on which side of it
static bool is_at_kink(cli_verifier* v, bool* is)
{
  int n = v->d->n_kink;
  *is = false;
  if (!n || v->at.side || v->info->run.step.integrator != SS_EVENT_DRIVEN) return true;
  double* side = calloc((size_t)n, sizeof *side);
  bool good = side && cli_verify_sides(v, CLI_AT_KINK, side);
  for (int i = 0; good && i < n; i++) *is = *is || side[i] == 0;
  free(side);
  return good;
}

bool cli_verify_energy(cli_verifier* v, long row)
{
  bool kink;
  if (!v->info->run.step.account || !v->d->energy) return true;
  if (!is_at_kink(v, &kink)) return false;
  if (kink) {
    cli_verify_count_out(v, "energies of rows at a kink");
    return true;
  }
  ss_energy e = {0};
  if (v->d->energy(&v->at, &e) < 0) return false;
  long double size = fabs(e.kinetic) + fabs(e.potential);
  cli_verify_note(v, CLI_ENERGY, row, (long double)e.kinetic - v->kinetic[row], size);
  cli_verify_note(v, CLI_ENERGY, row, (long double)e.potential - v->potential[row], size);
  long double left = (long double)e.kinetic + e.potential - v->kinetic[0] - v->potential[0];
  long double right = (long double)v->forces[row] + v->drive[row] - v->loss_normal[row] - v->loss_friction[row] +
                      v->projection[row];
  bool exact = v->info->run.step.integrator == SS_EVENT_DRIVEN;
  size += fabs(v->kinetic[0]) + fabs(v->potential[0]) + fabs(v->forces[row]) + fabs(v->drive[row]) +
          fabs(v->loss_normal[row]) + fabs(v->loss_friction[row]);
  size += NO_ENERGY*(v->energy + (long double)(row + 1)*v->rest_energy);  // which adds up from row to row
  // events: to the tolerance of the arcs
  cli_verify_note(v, CLI_BALANCE, row, left - right - (exact ? 0 : v->defect[row]), size);
  check_works(v, row, size);
  return true;
}

// Rows of events come after the end of the step that they count, before the end of the next one
bool cli_verify_is_next(const cli_verifier* v, long row)
{
  const ss_run_def* run = &v->info->run;
  double steps = v->step[row] - v->step[row - 1], end = run->start + v->step[row]*run->step.dt;
  bool at_end = v->t[row] <= end + 1e-9*run->step.dt + 1e-12*fabs(end);
  return steps == 0 || (steps == 1 && at_end);
}

void cli_verify_add_loss(cli_losses* sum, bool pressed, long double normal, long double friction)
{
  sum->normal += normal + (pressed ? fminl(friction, 0) : 0);
  sum->friction += fmaxl(friction, 0);
}

void cli_verify_losses(cli_verifier* v, long row, const cli_losses* sum)
{
  if (!v->info->run.step.account) return;
  bool stepped = v->info->run.step.integrator != SS_EVENT_DRIVEN;
  if (stepped) v->gained += fmaxl(0, -(sum->normal + sum->friction) - sum->given);
  v->largest_step = fmaxl(v->largest_step, sum->step);
  v->all_steps += sum->step;
  if (row == 1) v->starts_at_rest = v->kinetic[0] == 0;
  v->starts_at_rest = v->starts_at_rest && v->kinetic[row - 1] <= CLI_RESTS*v->largest_step;
  if (v->starts_at_rest) v->held = fmaxl(v->held, sum->step);
  long double size = sum->size;
  size += fabs(v->loss_normal[row]) + fabs(v->loss_friction[row]) + fabs(v->kinetic[row]) +
          (v->kinetic[0] == 0 ? NO_ENERGY*(v->energy + v->rest_energy) : 0);  // from rest
  cli_verify_note(v, CLI_LOSSES, row, v->loss_normal[row] - v->loss_normal[row - 1] - sum->normal, size);
  cli_verify_note(v, CLI_LOSSES, row, v->loss_friction[row] - v->loss_friction[row - 1] - sum->friction, size);
}

void cli_verify_works(cli_verifier* v, long row, long double forces, long double drive, long double weight)
{
  if (!v->info->run.step.account) return;
  long double size = fabsl(forces) + fabsl(drive) + fabs(v->kinetic[row]) + fabs(v->potential[row]) +
                     fabs(v->forces[row]) + fabs(v->drive[row]) + NO_ENERGY*(v->energy + v->rest_energy);
  cli_verify_note(v, CLI_WORKS, row, v->forces[row] - v->forces[row - 1] - forces, weight*size);
  cli_verify_note(v, CLI_WORKS, row, v->drive[row] - v->drive[row - 1] - drive, weight*size);
}

void cli_verify_impact(cli_verifier* v, const ss_event* e, double friction, double limit)
{
  long row = 0;
  while (row + 1 < v->info->n_rows && v->t[row] < e->t) row++;
  double speed = fabs(e->gamma_before[0]) + fabs(e->gamma_after[0]), push = fabs(e->Lambda[0]);
  cli_verify_note(v, CLI_EVENTS, row, fmin(0, e->Lambda[0]), push);
  cli_verify_note(v, CLI_EVENTS, row, fmin(0, e->gamma_after[0]), speed);
  if (!isnan(limit)) cli_verify_note(v, CLI_EVENTS, row, fmax(0, friction - limit*push), push);
}

// Contact laws of scenes hold to the tolerance that the run asked its solver for
static double tol_of(const cli_verifier* v, const verify_options* o, int check)
{
  bool laws = check == CLI_NORMAL || check == CLI_FRICTION || check == CLI_STATES;
  if (check == CLI_PARTS) return fmax(o->tol, CLI_PARTS_TOL);
  if (check == CLI_KEPT) return fmax(o->tol, CLI_KEPT_TOL);
  return laws && v->info->listed ? fmax(o->tol, fmin(v->info->run.step.friction.tol, CLI_LOOSE_LAWS)) : o->tol;
}

// Energy that is given or taken by moving bodies: told from a hundredth of the energy at hand on
static bool is_projected(const cli_verifier* v)
{
  return fabsl(v->projected) > 0.01L*v->at_hand && fabsl(v->projected) > NO_ENERGY*v->rest_energy;
}

static int print(const cli_verifier* v, const verify_options* o)
{
  bool pass = !v->not_solved;
  for (int i = 0; i < CLI_CHECKS; i++) pass = pass && v->found[i].worst <= tol_of(v, o, i);
  char text[300];
  cJSON* j = o->json ? cJSON_CreateObject() : NULL;
  if (j) {
    cJSON_AddStringToObject(j, "model", v->info->model_name);
    cJSON_AddBoolToObject(j, "pass", pass);
    cJSON_AddStringToObject(j, "run", v->info->status);
    cli_json_number(j, "rows", (double)v->info->n_rows);
    cli_json_number(j, "not_solved", (double)v->not_solved);
    cli_json_number(j, "not_checked", (double)v->not_seen);
    cli_json_number(j, "pairs", (double)v->pairs);
    cli_json_number(j, "pairs_checked", (double)v->pairs_seen);
    cli_json_number(j, "positions_bounded", (double)v->bounded);
    cli_json_number(j, "several_motions", (double)v->several_motions);
    cli_json_number(j, "as_found", (double)v->as_found);
    cli_json_number(j, "not_examined", (double)v->not_examined);
    cli_json_number(j, "at_a_distance", (double)v->distant);
    if (v->info->run.step.account) {
      cli_json_number(j, "projected", (double)v->projected);
      cli_json_number(j, "energy_at_hand", (double)v->at_hand);
    }
    cJSON* left = cJSON_AddArrayToObject(j, "left_out");
    for (int i = 0; i < v->n_left_out; i++)
      cli_json_append(left, cJSON_CreateString(left_out_text(v, i, text, sizeof text)));
    for (int i = 0; i < CLI_CHECKS; i++) {
      if (!v->found[i].n) continue;
      cJSON* c = cJSON_AddObjectToObject(j, names[i]);
      cli_json_number(c, "worst", (double)v->found[i].worst);
      cli_json_number(c, "t", v->t[v->found[i].row]);
      cli_json_number(c, "checks", (double)v->found[i].n);
      cli_json_number(c, "tol", tol_of(v, o, i));
      if (i == CLI_KEPT && v->kept_part) cJSON_AddStringToObject(c, "part", v->kept_part);
    }
    int status = cli_print_json(j);
    return status == CLI_DONE && !pass ? CLI_MISSED : status;
  }
  printf("run             %s, %ld row%s\n", v->info->model_name, v->info->n_rows, cli_s(v->info->n_rows));
  for (int i = 0; i < CLI_CHECKS; i++) {
    const cli_finding* f = &v->found[i];
    if (!f->n) continue;
    printf("%-15s %s, largest %.2Le at t = %.9g s (%ld check%s", names[i], f->worst <= tol_of(v, o, i) ? "pass" : "OFF",
           f->worst, v->t[f->row], f->n, cli_s(f->n));
    if (tol_of(v, o, i) != o->tol) printf(", to %g", tol_of(v, o, i));
    printf(")");
    if (i == CLI_KEPT && v->kept_part) printf(", the part with '%s'", v->kept_part);
    putchar('\n');
  }
  if (v->not_solved)
    printf("solved          OFF, %ld step%s missed the tolerance when computed\n", v->not_solved, cli_s(v->not_solved));
  if (strcmp(v->info->status, "complete") != 0 && strcmp(v->info->status, "running") != 0)
    printf("end             the run did not reach it: %s\n", v->info->status);
  if (v->several_motions)
    printf("choice          the contact laws allow several motions in %ld step%s: what passes is one of them\n",
           v->several_motions, cli_s(v->several_motions));
  if (v->as_found)
    printf("                in %ld of them which one hangs on the order of contacts\n", v->as_found);
  if (v->distant)
    printf("at a distance   %ld contact%s took an impulse without touching (in the normal law)\n", v->distant,
           cli_s(v->distant));
  if (is_projected(v))
    printf("projection      has %s %.3Lg J, %.2Lg %% of the energy at hand: constraints, or removal of overlap\n",
           v->projected < 0 ? "taken" : "added", fabsl(v->projected), 100*fabsl(v->projected)/v->at_hand);
  printf("%s", pass ? "pass" : "NOT PASSED");
  const char* gap = ", NOT checked: ";
  if (v->not_seen) printf("%s%ld step%s not recorded one by one", gap, v->not_seen, cli_s(v->not_seen));
  if (v->not_seen) gap = "; ";
  if (v->bounded)
    printf("%spositions after %ld step%s with overlap removed, but for a bound", gap, v->bounded, cli_s(v->bounded));
  if (v->bounded) gap = "; ";
  if (v->not_examined)
    printf("%swhether motions are unique in %ld step%s with large islands that slide", gap, v->not_examined,
           cli_s(v->not_examined));
  if (v->not_examined) gap = "; ";
  if (v->pairs_seen < v->pairs)
    printf("%soverlap of %ld of %ld pairs of shapes in rows", gap, v->pairs - v->pairs_seen, v->pairs);
  if (v->pairs_seen < v->pairs) gap = "; ";
  for (int i = 0; i < v->n_left_out; i++, gap = "; ")
    printf("%s%s", gap, left_out_text(v, i, text, sizeof text));
  putchar('\n');
  return pass ? CLI_DONE : CLI_MISSED;
}

// What is judged by a tolerance of the file that is a coarse one, and what the file does not have
static void tell_loose(cli_verifier* v)
{
  const ss_step_def* def = &v->info->run.step;
  if (def->integrator != SS_EVENT_DRIVEN && v->info->listed && def->friction.tol > 1e-6)
    cli_verify_leave_out(v, "contact laws to less than the tolerance of the run, which is coarse");
  if (!def->account)
    cli_verify_leave_out(v, "energies, losses and works, which the run has no account of, but for what nothing acts "
                            "on");
  if (def->integrator == SS_EVENT_DRIVEN && def->event.rtol > 1e-6)
    cli_verify_leave_out(v, "arcs to less than a hundred times the tolerance of the run, which is coarse");
}

static int verify(cli_verifier* v, const verify_options* o)
{
  ss_error error = {0};
  v->model = ss_run_model(v->run, NULL, &error);
  if (v->model && v->info->n_rows == 0) ss_error_set(&error, SS_ERR_INPUT, "the run has no rows: nothing to check");
  if (!v->model || error.status < 0 || !open_columns(v, &error)) return cli_fail(&error);
  v->d = ss_system_get(ss_model_system(v->model));
  if (!cli_verify_fits(v, &error)) return cli_fail(&error);
  char message[SS_AT_MESSAGE] = "";
  v->at = (ss_at){.user = v->d->user, .scratch = calloc(1, v->d->scratch_size + 1), .message = message};
  if (!v->at.scratch) return cli_out_of_memory();
  v->tol = o->tol;
  if (v->info->n_rows == 1) cli_verify_leave_out(v, "any motion: the run has its start alone");
  tell_loose(v);
  if (!cli_verify_rows(v, &error)) return cli_fail(&error);
  if (isnan(v->found[CLI_NUMBERS].worst)) {
    cli_verify_leave_out(v, "anything else, since some numbers are none");
    return print(v, o);
  }
  if (!cli_verify_start(v, &error)) return cli_fail(&error);
  if (!cli_verify_series(v)) return cli_out_of_memory();
  if (!cli_verify_rest(v)) {
    cli_error("the forces cannot be evaluated at the start, or memory is short");
    return CLI_FAILED;
  }
  int status = v->info->listed ? cli_verify_scene(v) : cli_verify_text(v);
  if (status == CLI_GO_ON && ss_model_machine(v->model)) status = cli_verify_limits(v);
  if (status == CLI_GO_ON && ss_model_machine(v->model)) status = cli_verify_pairs(v);
  if (status == CLI_GO_ON && ss_model_bodies(v->model)) status = cli_verify_bodies(v);
  if (status == CLI_GO_ON && ss_model_bodies(v->model)) status = cli_verify_expressions(v);
  if (status == CLI_GO_ON && !cli_verify_kept(v)) {
    cli_error("the energies of the parts cannot be evaluated at the recorded states, or memory is short");
    return CLI_FAILED;
  }
  return status == CLI_GO_ON ? print(v, o) : status;
}

int cli_verify(int argc, char** argv)
{
  verify_options o = {.tol = 1e-8};
  cli_verifier v = {0};
  ss_error error = {0};
  int n;
  int status = cli_parse(&cli_verify_command, argc, argv, &o, &n);
  if (status != CLI_GO_ON) return status;
  v.run = ss_run_open(argv[1], &error);
  if (!v.run) return cli_fail(&error);
  v.info = ss_run_get_info(v.run);
  if (!v.info->n_rows) {
    ss_run_close(v.run);
    cli_error("%s has no rows: there is nothing to verify", argv[1]);
    return CLI_BAD_FILE;
  }
  cli_catch_signals(on_signal);
  status = verify(&v, &o);
  free(v.at.scratch);
  free(v.was);
  free(v.seen);
  free(v.before);
  free(v.cone);
  free(v.q);
  free(v.rest);
  free(v.fall);
  ss_model_destroy(v.model);
  ss_run_close(v.run);
  return status;
}
