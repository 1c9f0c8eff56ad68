// Contact forces as tables, CSV and JSON. Impulses are Lambda, in N s; forces F, in N; moments M, in N m.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "forces.h"
#include "json.h"
#include "table.h"

// Limits have their impulse in N, friction elements in T (T1), rolling in T1 and T2
static double generalised(const cli_run_forces* f, const cli_force* c, const double x[3])
{
  ss_contact_kind kind = f->info->contact_kind[c->at->contact];
  return kind == SS_CONTACT_SPATIAL ? hypot(x[1], x[2]) : x[kind == SS_CONTACT_FRICTION ? 1 : 0];
}

// The force in a bilateral row
static double loop_force(const cli_run_forces* f, int row)
{
  const double* force = f->loop[f->info->n_bilateral + row];
  return f->row == 0 ? NAN : force ? force[f->row] : f->loop[row][f->row]/f->dt;
}

// ---- tables ----

static void cell(cli_table* table, double x)
{
  if (isfinite(x)) cli_table_cell(table, "%.5g", x + 0.0);
  else cli_table_cell(table, "-");
}

static void cells(cli_table* table, int n, const double* x)
{
  for (int k = 0; k < n; k++) cell(table, x[k]);
}

static void heads(cli_table* table, int n, const char* const (*head)[2])
{
  for (int line = 0; line < 2; line++)
    for (int i = 0; i < n; i++) cli_table_cell(table, "%s", head[i][line]);
}

static const char* const head_planar[][2] = {{"contact", ""}, {"state", ""}, {"gap", "m"}, {"Lambda_N", "N s"},
                                             {"Lambda_T", "N s"}, {"F_N", "N"}, {"F_T", "N"}};
static const char* const head_frame[][2] = {{"contact", ""}, {"state", ""}, {"gap", "m"}, {"Lambda_N", "N s"},
                                            {"Lambda_T1", "N s"}, {"Lambda_T2", "N s"}, {"F_N", "N"}, {"F_T1", "N"},
                                            {"F_T2", "N"}};
static const char* const head_world[][2] = {{"contact", ""}, {"body a", ""}, {"body b", ""}, {"point_x", "m"},
                                            {"point_y", "m"}, {"point_z", "m"}, {"Lambda_x", "N s"},
                                            {"Lambda_y", "N s"}, {"Lambda_z", "N s"}, {"F_x", "N"}, {"F_y", "N"},
                                            {"F_z", "N"}};
static const char* const head_sum[][2] = {{"body", ""}, {"contacts", ""}, {"Lambda_x", "N s"}, {"Lambda_y", "N s"},
                                          {"Lambda_z", "N s"}, {"F_x", "N"}, {"F_y", "N"}, {"F_z", "N"},
                                          {"M_x", "N m"}, {"M_y", "N m"}, {"M_z", "N m"}};

// In the frames of the contacts
static bool print_frames(const cli_run_forces* f)
{
  int n = f->info->listed ? 3 : 2;
  cli_table table = cli_table_create(n == 3 ? "llrrrrrrr" : "llrrrrr");
  heads(&table, n == 3 ? 9 : 7, n == 3 ? head_frame : head_planar);
  for (int i = 0; i < f->n; i++) {
    const cli_force* c = &f->item[i];
    if (f->info->listed && !c->placed) continue;
    cli_table_cell(&table, "%s", c->name);
    cli_table_cell(&table, "%s", ss_contact_state_text(c->at->state));
    cell(&table, c->at->gap);
    cells(&table, n, c->at->Lambda);
    cells(&table, n, c->force);
  }
  printf("\nIn the contact frame: impulse Lambda, %s\n",
         f->info->run.step.integrator == SS_EVENT_DRIVEN ? "force F at this time" : "mean force F = Lambda/dt");
  return cli_table_print(&table, 2);
}

static bool print_world(const cli_run_forces* f)
{
  cli_table table = cli_table_create("lllrrrrrrrrr");
  heads(&table, 12, head_world);
  for (int i = 0; i < f->n; i++) {
    const cli_force* c = &f->item[i];
    if (!c->placed) continue;
    cli_table_cell(&table, "%s", c->name);
    cli_table_cell(&table, "%s", cli_forces_body(f, c->at->body_a));
    cli_table_cell(&table, "%s", cli_forces_body(f, c->at->body_b));
    cells(&table, 3, c->at->point);
    cells(&table, 3, c->world);
    cells(&table, 3, c->force_world);
  }
  printf("\nIn the world, on body b (on body a: the opposite)\n");
  return cli_table_print(&table, 2);
}

static bool print_joints(const cli_run_forces* f)
{
  cli_table table = cli_table_create("llrlrl");
  static const char* const head[] = {"element", "state", "impulse", "", "force", ""};
  for (int i = 0; i < 6; i++) cli_table_cell(&table, "%s", head[i]);
  for (int i = 0; i < f->n; i++) {
    const cli_force* c = &f->item[i];
    if (c->placed) continue;
    cli_table_cell(&table, "%s", c->name);
    cli_table_cell(&table, "%s", ss_contact_state_text(c->at->state));
    cell(&table, generalised(f, c, c->at->Lambda));
    cli_table_cell(&table, "%s s", c->unit);
    cell(&table, generalised(f, c, c->force));
    cli_table_cell(&table, "%s", c->unit);
  }
  printf("\nJoints: generalised forces; limits: away from the limit, friction: along its velocity; spin and "
         "rolling: torques\n");
  return cli_table_print(&table, 2);
}

// What is asked for is not a single contact or body
static bool shows_loops(const cli_run_forces* f)
{
  return f->info->n_bilateral && f->contact < 0 && f->body == CLI_FORCES_ANY_BODY;
}

static bool print_loops(const cli_run_forces* f)
{
  cli_table table = cli_table_create("lrlrl");
  static const char* const head[] = {"row", "impulse", "", "force", ""};
  for (int i = 0; i < 5; i++) cli_table_cell(&table, "%s", head[i]);
  for (int i = 0; i < f->info->n_bilateral; i++) {
    const char* unit = cli_forces_loop_unit(f, i);
    cli_table_cell(&table, "%s", f->info->bilateral[i]);
    cell(&table, f->loop[i][f->row]);
    cli_table_cell(&table, "%s%s", unit, *unit ? " s" : "");
    cell(&table, loop_force(f, i));
    cli_table_cell(&table, "%s", unit);
  }
  printf("\nLoops: forces that hold the bilateral rows, on body 2 (joints: on joint 1)\n");
  return cli_table_print(&table, 2);
}

static bool print_sums(const cli_run_forces* f)
{
  cli_table table = cli_table_create("lrrrrrrrrrr");
  heads(&table, 11, head_sum);
  for (int i = 0; i < f->n_sum; i++) {
    const cli_force_sum* s = &f->sum[i];
    cli_table_cell(&table, "%s", cli_forces_body(f, s->body));
    cli_table_cell(&table, "%d", s->contacts);
    cells(&table, 3, s->impulse);
    cells(&table, 3, s->force);
    cells(&table, 3, s->torque);
  }
  printf("\nSums of the contacts on each body, world axes; moment M about the origin of the body's frame (world: "
         "of the world)\n");
  return cli_table_print(&table, 2);
}

static void print_title(const cli_run_forces* f)
{
  printf("%s, t = %.9g s, %.0f steps", f->info->model_name, f->t[f->row], cli_forces_step(f));
  bool exact = f->info->run.step.integrator == SS_EVENT_DRIVEN;
  if (f->row == 0) printf("; the initial state: no step led to it, so there are no forces\n");
  else if (isnan(f->dt)) printf("; after events: impulses are theirs, no time has passed\n");
  else if (exact) printf("; impulses of the time since the last event or step, dt = %.9g s\n", f->dt);
  else printf("; impulses and means of the last step, dt = %.9g s\n", f->dt);
}

int cli_forces_table(const cli_run_forces* f)
{
  int placed = 0;
  for (int i = 0; i < f->n; i++) placed += f->item[i].placed;
  print_title(f);
  bool good = true;
  if (!f->n) printf("\nno contact\n");
  if (placed || (!f->info->listed && f->n)) good = print_frames(f);
  if (good && placed) good = print_world(f);
  if (good && f->info->listed && placed < f->n) good = print_joints(f);
  if (good && shows_loops(f)) good = print_loops(f);
  if (good && f->n_sum) good = print_sums(f);
  return good ? CLI_DONE : cli_out_of_memory();
}

// ---- CSV ----

// As few digits as read back to the same double; nothing if it is unknown
static void put_number(double x)
{
  char text[40] = "";
  for (int digits = 15; digits <= 17 && isfinite(x); digits++) {
    snprintf(text, sizeof text, "%.*g", digits, x + 0.0);
    if (strtod(text, NULL) == x) break;
  }
  fputs(text, stdout);
}

static void put(double x)
{
  putchar(',');
  put_number(x);
}

static void put_all(int n, const double* x)
{
  for (int k = 0; k < n; k++) put(x[k]);
}

// Names of bodies may hold anything
static void put_text(const char* text)
{
  putchar(',');
  if (!strpbrk(text, ",\"\r\n")) {
    fputs(text, stdout);
    return;
  }
  putchar('"');
  for (; *text; text++) {
    if (*text == '"') putchar('"');
    putchar(*text);
  }
  putchar('"');
}

static const double unknown[3] = {NAN, NAN, NAN};

static void put_row(const cli_run_forces* f)
{
  put_number(f->t[f->row]);
  put(cli_forces_step(f));
  put(f->dt);
}

static void put_contact(const cli_run_forces* f, const cli_force* c)
{
  int n = f->info->listed ? 3 : 2;
  put_row(f);
  put_text(c->name);
  put_text(ss_contact_state_text(c->at->state));
  if (n == 3) put_text(cli_forces_body(f, c->at->body_a));
  if (n == 3) put_text(cli_forces_body(f, c->at->body_b));
  put(c->at->gap);
  put_all(n, c->at->Lambda);
  put_all(n, c->force);
  if (n == 3) {
    put_all(3, c->placed ? c->world : unknown);
    put_all(3, c->placed ? c->force_world : unknown);
    put_all(3, c->placed ? c->at->point : unknown);
    printf(",%s", c->unit);
  }
  putchar('\n');
}

static void put_sum(const cli_run_forces* f, const cli_force_sum* s)
{
  put_row(f);
  put_text(cli_forces_body(f, s->body));
  printf(",%d", s->contacts);
  put_all(3, s->impulse);
  put_all(3, s->force);
  put_all(3, s->moment);
  put_all(3, s->torque);
  put_all(3, s->origin);
  putchar('\n');
}

static void put_loop(const cli_run_forces* f, int row)
{
  put_row(f);
  put_text(f->info->bilateral[row]);
  put(f->loop[row][f->row]);
  put(loop_force(f, row));
  printf(",%s\n", cli_forces_loop_unit(f, row));
}

int cli_forces_csv(cli_run_forces* f, long from, long end, cli_forces_line line)
{
  bool sums = line == CLI_FORCES_BODY, loops = line == CLI_FORCES_LOOP;
  if (loops)
    puts("t,step,dt,row,Lambda,F,unit_F");
  else if (sums)
    puts("t,step,dt,body,contacts,Lambda_x,Lambda_y,Lambda_z,F_x,F_y,F_z,Lambda_M_x,Lambda_M_y,Lambda_M_z,M_x,M_y,M_z,"
         "origin_x,origin_y,origin_z");
  else if (f->info->listed)
    puts("t,step,dt,contact,state,body_a,body_b,gap,Lambda_N,Lambda_T1,Lambda_T2,F_N,F_T1,F_T2,Lambda_b_x,Lambda_b_y,"
         "Lambda_b_z,F_b_x,F_b_y,F_b_z,point_x,point_y,point_z,unit_F");
  else
    puts("t,step,dt,contact,state,gap,Lambda_N,Lambda_T,F_N,F_T");
  for (long row = from; row < end && !ferror(stdout); row++) {
    int status = cli_forces_read(f, row);
    if (status != CLI_GO_ON) return status;
    for (int i = 0; loops && i < f->info->n_bilateral; i++) put_loop(f, i);
    for (int i = 0; !sums && !loops && i < f->n; i++) put_contact(f, &f->item[i]);
    for (int i = 0; sums && i < f->n_sum; i++) put_sum(f, &f->sum[i]);
  }
  return CLI_DONE;
}

// ---- JSON ----

static cJSON* contact_json(const cli_run_forces* f, const cli_force* c)
{
  int n = f->info->listed ? 3 : 2;
  cJSON* o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "contact", c->name);
  cJSON_AddStringToObject(o, "state", ss_contact_state_text(c->at->state));
  cli_json_number(o, "gap", c->at->gap);
  if (f->info->listed) {
    cJSON_AddStringToObject(o, "body_a", cli_forces_body(f, c->at->body_a));
    cJSON_AddStringToObject(o, "body_b", cli_forces_body(f, c->at->body_b));
    cJSON_AddStringToObject(o, "unit_F", c->unit);
  }
  if (f->info->listed && !c->placed) {
    cli_json_number(o, "Lambda", generalised(f, c, c->at->Lambda));
    cli_json_number(o, "F", generalised(f, c, c->force));
    return o;
  }
  cli_json_numbers(o, "Lambda", n, c->at->Lambda);
  cli_json_numbers(o, "F", n, c->force);
  if (!c->placed) return o;
  cli_json_numbers(o, "Lambda_on_b", 3, c->world);
  cli_json_numbers(o, "F_on_b", 3, c->force_world);
  cli_json_numbers(o, "point", 3, c->at->point);
  cli_json_rows(o, "frame", 3, 3, c->at->frame);
  return o;
}

static cJSON* sum_json(const cli_run_forces* f, const cli_force_sum* s)
{
  cJSON* o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "body", cli_forces_body(f, s->body));
  cli_json_number(o, "contacts", s->contacts);
  cli_json_numbers(o, "Lambda", 3, s->impulse);
  cli_json_numbers(o, "F", 3, s->force);
  cli_json_numbers(o, "Lambda_M", 3, s->moment);
  cli_json_numbers(o, "M", 3, s->torque);
  cli_json_numbers(o, "origin", 3, s->origin);
  return o;
}

static cJSON* loop_json(const cli_run_forces* f, int row)
{
  cJSON* o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "row", f->info->bilateral[row]);
  cli_json_number(o, "Lambda", f->loop[row][f->row]);
  cli_json_number(o, "F", loop_force(f, row));
  cJSON_AddStringToObject(o, "unit_F", cli_forces_loop_unit(f, row));
  return o;
}

static cJSON* row_json(const cli_run_forces* f)
{
  cJSON* o = cJSON_CreateObject();
  cli_json_number(o, "t", f->t[f->row]);
  cli_json_number(o, "step", cli_forces_step(f));
  cli_json_number(o, "dt", f->dt);
  cJSON* contacts = cJSON_AddArrayToObject(o, "contacts");
  for (int i = 0; i < f->n; i++) cli_json_append(contacts, contact_json(f, &f->item[i]));
  if (shows_loops(f)) {
    cJSON* loops = cJSON_AddArrayToObject(o, "loops");
    for (int i = 0; i < f->info->n_bilateral; i++) cli_json_append(loops, loop_json(f, i));
  }
  if (!f->sums) return o;
  cJSON* bodies = cJSON_AddArrayToObject(o, "bodies");
  for (int i = 0; i < f->n_sum; i++) cli_json_append(bodies, sum_json(f, &f->sum[i]));
  return o;
}

int cli_forces_json(cli_run_forces* f, long from, long end)
{
  cJSON* o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "model", f->info->model_name);
  cJSON_AddStringToObject(o, "status", f->info->status);
  cJSON* rows = cJSON_AddArrayToObject(o, "rows");
  for (long row = from; row < end; row++) {
    int status = cli_forces_read(f, row);
    if (status != CLI_GO_ON) {
      cJSON_Delete(o);
      return status;
    }
    cli_json_append(rows, row_json(f));
  }
  return cli_print_json(o);
}
