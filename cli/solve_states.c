// `stickslip solve --solutions` for planar contact problems: every solution by the states of its contacts, or with
// --form every solution of the LCP that the form makes of the problem.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "solve.h"
#include "table.h"

typedef struct planar {
  const cli_task* task;
  ss_contact_problem p;
  cli_dense dense;
} planar;

static bool make(const cli_task* task, planar* r, ss_error* error)
{
  r->task = task;
  bool good = cli_dense_make(task, &r->dense, error);
  r->p = r->dense.p;
  return good;
}

static const char* keyword(ss_lcp_count count)
{
  return count == SS_LCP_NONE ? "none" : count == SS_LCP_FINITE ? "finite" : "infinite";
}

static int exit_status(ss_lcp_count count, bool complete)
{
  if (!complete) return CLI_MISSED;
  return count == SS_LCP_NONE ? CLI_FAILED : CLI_DONE;
}

static void print_count(const planar* r, ss_lcp_count count, bool complete, int pieces)
{
  if (*r->task->name) printf("problem    %s\n", r->task->name);
  printf("contacts   %d planar\n", r->p.n_contact);
  if (count == SS_LCP_INFINITE) printf("solutions  infinitely many, in %d piece%s\n", pieces, cli_s(pieces));
  else if (pieces) printf("solutions  %d\n", pieces);
  else printf("solutions  none\n");
  if (!complete) printf("incomplete: some families have too many corners to look at\n");
}

static cJSON* head_json(const planar* r, ss_lcp_count count, bool complete)
{
  cJSON* o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "type", "contact");
  cJSON_AddStringToObject(o, "name", r->task->name);
  cJSON_AddNumberToObject(o, "contacts", r->p.n_contact);
  cJSON_AddStringToObject(o, "count", keyword(count));
  cJSON_AddBoolToObject(o, "complete", complete);
  return o;
}

// ---- by states ----

static void add_value(cli_table* table, int row, const double* x)
{
  if (row < 0 || !x) cli_table_cell(table, "-");
  else cli_table_cell(table, "%.10g", x[row]);
}

// One line for each contact of a point, vertex or ray (without xi)
static void add_contacts(cli_table* table, const planar* r, int piece, const char* what, const ss_contact_state* state,
                         const double* Lambda, const double* xi)
{
  for (int i = 0, row = r->p.n_bilateral; i < r->p.n_contact; i++) {
    int N = r->p.kind[i] == SS_CONTACT_FRICTION ? -1 : row++, T = r->p.kind[i] == SS_CONTACT_NORMAL ? -1 : row++;
    if (i == 0) cli_table_cell(table, "%d", piece);
    else cli_table_cell(table, "%s", "");
    cli_table_cell(table, "%s", i == 0 ? what : "");
    cli_table_cell(table, "%d", i + 1);
    cli_table_cell(table, "%s", ss_contact_state_text(state[i]));
    add_value(table, N, Lambda);
    add_value(table, T, Lambda);
    add_value(table, N, xi);
    add_value(table, T, xi);
  }
}

static bool print_states(const planar* r, const ss_contact_solutions* all)
{
  static const char* const head[] = {"piece", "", "contact", "state", "Lambda_N", "Lambda_T", "xi_N", "xi_T"};
  cli_table table = cli_table_create("rlrlrrrr");
  int m = all->m;
  for (int c = 0; c < 8; c++) cli_table_cell(&table, "%s", head[c]);
  for (int k = 0; k < all->n_pieces; k++) {
    const ss_contact_piece* p = &all->pieces[k];
    const char* what = p->n_vertices == 1 && p->n_rays == 0 ? "point" : "vertex";
    for (int v = 0; v < p->n_vertices; v++)
      add_contacts(&table, r, k + 1, what, p->state, p->vertices + v*m, p->xi + v*m);
    for (int v = 0; v < p->n_rays; v++) add_contacts(&table, r, k + 1, "ray", p->state, p->rays + v*m, NULL);
  }
  if (!cli_table_print(&table, 0)) return false;
  for (int k = 0; k < all->n_pieces; k++)
    if (!all->pieces[k].xi_unique) printf("the solutions of piece %d differ in xi\n", k + 1);
  return true;
}

static int states_json(const planar* r, const ss_contact_solutions* all)
{
  cJSON* o = head_json(r, all->count, all->complete);
  cJSON* pieces = cJSON_AddArrayToObject(o, "pieces");
  for (int k = 0; k < all->n_pieces; k++) {
    const ss_contact_piece* p = &all->pieces[k];
    cJSON* piece = cli_json_append(pieces, cJSON_CreateObject());
    cJSON* states = cJSON_AddArrayToObject(piece, "states");
    for (int i = 0; i < all->n_contact; i++)
      cli_json_append(states, cJSON_CreateString(ss_contact_state_text(p->state[i])));
    cli_json_rows(piece, "vertices", p->n_vertices, all->m, p->vertices);
    cli_json_rows(piece, "xi", p->n_vertices, all->m, p->xi);
    cli_json_rows(piece, "rays", p->n_rays, all->m, p->rays);
    cJSON_AddBoolToObject(piece, "xi_unique", p->xi_unique);
  }
  int printed = cli_print_json(o);
  return printed == CLI_DONE ? exit_status(all->count, all->complete) : printed;
}

static int list_states(const solve_options* o, const planar* r, const ss_lcp_def* def, ss_status* status)
{
  ss_contact_solutions* all = NULL;
  *status = ss_contact_enumerate(&r->p, def, &all);
  if (*status < 0) return CLI_DONE;
  int exit = exit_status(all->count, all->complete);
  if (o->json) exit = states_json(r, all);
  else {
    print_count(r, all->count, all->complete, all->n_pieces);
    if (all->n_pieces && !print_states(r, all)) exit = cli_out_of_memory();
  }
  ss_contact_solutions_destroy(all);
  return exit;
}

// ---- by a form ----

typedef struct lcp_form {
  ss_planar_form form;
  int n;
  double A[SS_LCP_ENUMERATE_MAX*SS_LCP_ENUMERATE_MAX], b[SS_LCP_ENUMERATE_MAX];
} lcp_form;

// y = A x (+ b)
static void write_y(const lcp_form* f, const double* x, bool ray, double* y)
{
  for (int i = 0; i < f->n; i++) {
    double size = y[i] = ray ? 0 : f->b[i];
    if (size < 0) size = -size;
    for (int j = 0; j < f->n; j++) {
      double part = f->A[i*f->n + j]*x[j];
      y[i] += part;
      size += part < 0 ? -part : part;
    }
    if (y[i] < 1e-14*size && y[i] > -1e-14*size) y[i] = 0;
  }
}

static void add_unknowns(cli_table* table, const lcp_form* f, int piece, const char* what, const double* x, bool ray)
{
  double y[SS_LCP_ENUMERATE_MAX];
  write_y(f, x, ray, y);
  cli_table_cell(table, "%d", piece);
  cli_table_cell(table, "%s", what);
  for (int j = 0; j < f->n; j++) cli_table_cell(table, "%.10g", x[j]);
  for (int j = 0; j < f->n; j++) cli_table_cell(table, "%.10g", y[j]);
}

static void add_names(cli_table* table, const planar* r, const lcp_form* f, bool y)
{
  for (int j = 0; j < f->n; j++) {
    int contact;
    const char *name, *other;
    ss_planar_unknown(&r->p, f->form, j, &contact, y ? &other : &name, y ? &name : &other);
    if (r->p.n_contact > 1) cli_table_cell(table, "%s (%d)", name, contact + 1);
    else cli_table_cell(table, "%s", name);
  }
}

static bool print_unknowns(const planar* r, const lcp_form* f, const ss_lcp_solutions* all)
{
  char align[2*SS_LCP_ENUMERATE_MAX + 3] = "rl";
  for (int j = 0; j < 2*f->n; j++) align[2 + j] = 'r';
  cli_table table = cli_table_create(align);
  cli_table_cell(&table, "piece");
  cli_table_cell(&table, "%s", "");
  add_names(&table, r, f, false);
  add_names(&table, r, f, true);
  for (int k = 0; k < all->n_pieces; k++) {
    const ss_lcp_piece* p = &all->pieces[k];
    const char* what = p->n_vertices == 1 && p->n_rays == 0 ? "point" : "vertex";
    for (int v = 0; v < p->n_vertices; v++) add_unknowns(&table, f, k + 1, what, p->vertices + v*f->n, false);
    for (int v = 0; v < p->n_rays; v++) add_unknowns(&table, f, k + 1, "ray", p->rays + v*f->n, true);
  }
  return cli_table_print(&table, 0);
}

static void names_json(cJSON* o, const planar* r, const lcp_form* f)
{
  cJSON *x = cJSON_AddArrayToObject(o, "x"), *y = cJSON_AddArrayToObject(o, "y");
  cJSON* contacts = cJSON_AddArrayToObject(o, "contact");
  for (int j = 0; j < f->n; j++) {
    int contact;
    const char *name, *other;
    ss_planar_unknown(&r->p, f->form, j, &contact, &name, &other);
    cli_json_append(x, cJSON_CreateString(name));
    cli_json_append(y, cJSON_CreateString(other));
    cli_json_append(contacts, cJSON_CreateNumber(contact + 1));
  }
}

static int form_json(const planar* r, const lcp_form* f, const ss_lcp_solutions* all)
{
  cJSON* o = head_json(r, all->count, all->complete);
  cJSON_AddStringToObject(o, "form", ss_planar_form_name(f->form));
  names_json(o, r, f);
  cJSON* pieces = cJSON_AddArrayToObject(o, "pieces");
  for (int k = 0; k < all->n_pieces; k++) {
    cJSON* piece = cli_json_append(pieces, cJSON_CreateObject());
    cli_json_rows(piece, "vertices", all->pieces[k].n_vertices, f->n, all->pieces[k].vertices);
    cli_json_rows(piece, "rays", all->pieces[k].n_rays, f->n, all->pieces[k].rays);
  }
  int printed = cli_print_json(o);
  return printed == CLI_DONE ? exit_status(all->count, all->complete) : printed;
}

static int list_form(const solve_options* o, const planar* r, const ss_lcp_def* def, ss_status* status)
{
  lcp_form f = {.form = (ss_planar_form)o->form};
  ss_lcp_solutions* all = NULL;
  *status = ss_planar_lcp(&r->p, f.form, &f.n, NULL, NULL);
  if (*status == SS_OK && f.n == 0) return cli_usage(&cli_solve_command, "--form: the problem has no contacts");
  if (*status == SS_OK && f.n > SS_LCP_ENUMERATE_MAX) *status = SS_ERR_CAPACITY;
  if (*status == SS_OK) *status = ss_planar_lcp(&r->p, f.form, &f.n, f.A, f.b);
  if (*status == SS_OK) *status = ss_planar_enumerate(&r->p, f.form, def, &all);
  if (*status < 0) return CLI_DONE;
  int exit = exit_status(all->count, all->complete);
  if (o->json) exit = form_json(r, &f, all);
  else {
    print_count(r, all->count, all->complete, all->n_pieces);
    printf("form       %s, %d unknown%s\n", ss_planar_form_name(f.form), f.n, cli_s(f.n));
    if (all->n_pieces && !print_unknowns(r, &f, all)) exit = cli_out_of_memory();
  }
  ss_lcp_solutions_destroy(all);
  return exit;
}

static int refuse(ss_status status)
{
  if (status == SS_ERR_MEMORY) return cli_out_of_memory();
  if (status == SS_ERR_CAPACITY)
    cli_error("--solutions is for at most %d contacts (with --form for at most %d unknowns)",
              SS_CONTACT_ENUMERATE_MAX, SS_LCP_ENUMERATE_MAX);
  else cli_error("%s", status == SS_ERR_NUMERIC ? cli_verdict(status) : ss_status_text(status));
  return status == SS_ERR_CAPACITY ? CLI_BAD_INPUT : cli_solve_exit(status);
}

int cli_solve_states(const solve_options* o, const cli_task* task)
{
  planar r = {0};
  ss_error error = {0};
  ss_lcp_def def = ss_lcp_def_default();
  if (o->tol > 0) def.tol = o->tol;
  int exit;
  if (make(task, &r, &error)) {
    ss_status status = SS_OK;
    exit = o->form < 0 ? list_states(o, &r, &def, &status) : list_form(o, &r, &def, &status);
    if (status < 0) exit = refuse(status);
  } else exit = cli_fail(&error);
  cli_dense_free(&r.dense);
  return exit;
}
