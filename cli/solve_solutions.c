// `stickslip solve --solutions`: every solution of an LCP, isolated points and faces with their vertices and rays.
#include <stdio.h>

#include "json.h"
#include "solve.h"
#include "table.h"

static const char* keyword(ss_lcp_count count)
{
  return count == SS_LCP_NONE ? "none" : count == SS_LCP_FINITE ? "finite" : "infinite";
}

// None is a failure as it is for one solution; an incomplete list has missed some
static int exit_status(const ss_lcp_solutions* all)
{
  if (!all->complete) return CLI_MISSED;
  return all->count == SS_LCP_NONE ? CLI_FAILED : CLI_DONE;
}

static bool is_point(const ss_lcp_piece* p) { return p->n_vertices == 1 && p->n_rays == 0; }

static void add_cells(cli_table* table, int piece, const char* what, int n, const double* x)
{
  cli_table_cell(table, "%d", piece);
  cli_table_cell(table, "%s", what);
  for (int j = 0; j < n; j++) cli_table_cell(table, "%.10g", x[j]);
}

// A row per point, vertex and ray
static bool print_pieces(const ss_lcp_solutions* all)
{
  char align[SS_LCP_ENUMERATE_MAX + 3] = "rl";
  for (int j = 0; j < all->n; j++) align[2 + j] = 'r';
  cli_table table = cli_table_create(align);
  cli_table_cell(&table, "piece");
  cli_table_cell(&table, "%s", "");
  for (int j = 0; j < all->n; j++) cli_table_cell(&table, "x%d", j + 1);
  for (int k = 0; k < all->n_pieces; k++) {
    const ss_lcp_piece* p = &all->pieces[k];
    for (int v = 0; v < p->n_vertices; v++)
      add_cells(&table, k + 1, is_point(p) ? "point" : "vertex", all->n, p->vertices + v*all->n);
    for (int r = 0; r < p->n_rays; r++) add_cells(&table, k + 1, "ray", all->n, p->rays + r*all->n);
  }
  return cli_table_print(&table, 0);
}

static int print_text(const ss_problem* problem, const ss_lcp_solutions* all)
{
  if (*problem->name) printf("problem    %s\n", problem->name);
  printf("unknowns   %d\n", all->n);
  if (all->count == SS_LCP_INFINITE) printf("solutions  infinitely many, in %d piece%s\n", all->n_pieces,
                                            cli_s(all->n_pieces));
  else if (all->n_pieces) printf("solutions  %d\n", all->n_pieces);
  else printf("solutions  none\n");
  if (!all->complete) printf("incomplete: some faces have too many corners to look at\n");
  if (all->n_pieces && !print_pieces(all)) return cli_out_of_memory();
  return exit_status(all);
}

static int print_json(const ss_problem* problem, const ss_lcp_solutions* all)
{
  cJSON* o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "type", "lcp");
  cJSON_AddStringToObject(o, "name", problem->name);
  cJSON_AddNumberToObject(o, "n", all->n);
  cli_solve_warnings(o, problem);
  cJSON_AddStringToObject(o, "count", keyword(all->count));
  cJSON_AddBoolToObject(o, "complete", all->complete);
  cJSON* pieces = cJSON_AddArrayToObject(o, "pieces");
  for (int k = 0; k < all->n_pieces; k++) {
    const ss_lcp_piece* p = &all->pieces[k];
    cJSON* piece = cli_json_append(pieces, cJSON_CreateObject());
    cli_json_rows(piece, "vertices", p->n_vertices, all->n, p->vertices);
    cli_json_rows(piece, "rays", p->n_rays, all->n, p->rays);
  }
  int printed = cli_print_json(o);
  return printed == CLI_DONE ? exit_status(all) : printed;
}

int cli_solve_solutions(const solve_options* o, const ss_problem* problem)
{
  ss_lcp_def def = ss_lcp_def_default();
  if (o->tol > 0) def.tol = o->tol;
  ss_lcp_solutions* all = NULL;
  ss_status status = ss_lcp_enumerate(&problem->lcp, &def, &all);
  if (status == SS_ERR_MEMORY) return cli_out_of_memory();
  if (status < 0) {
    cli_error("%s", status == SS_ERR_NUMERIC ? cli_verdict(status) : "there are no unknowns");
    return cli_solve_exit(status);
  }
  int exit = o->json ? print_json(problem, all) : print_text(problem, all);
  ss_lcp_solutions_destroy(all);
  return exit;
}
