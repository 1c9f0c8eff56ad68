// What `stickslip solutions` prints: the contacts at the state, the solutions, the motion of the coordinates in each.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "model_arg.h"
#include "solutions.h"
#include "table.h"

static bool is_impact(const cli_solutions_at* s) { return s->found->level == SS_LEVEL_IMPACT; }

static const char* name_of(const cli_solutions_at* s, int contact)
{
  return ss_work_contact_name(s->work, s->found->contact[contact].number);
}

static const char* contact_name(const cli_solutions_at* s, int k) { return name_of(s, s->found->active[k]); }

// Rows of contact k of the problem, which begin at *row; -1: it has none
static void rows_of(const cli_solutions_at* s, int k, int* row, int* N, int* T)
{
  ss_contact_kind kind = s->found->problem.kind[k];
  *N = kind == SS_CONTACT_FRICTION ? -1 : (*row)++;
  *T = kind == SS_CONTACT_NORMAL ? -1 : (*row)++;
}

static bool is_point(const ss_contact_piece* p) { return p->n_vertices == 1 && p->n_rays == 0; }

static double* room_for_motion(const cli_solutions_at* s) { return calloc((size_t)s->found->nv + 1, sizeof(double)); }

// ---- text ----

static void print_state(const cli_solutions_at* s)
{
  printf("model      %s\nstate      t = %.10g", ss_model_name(s->model), s->state->t);
  for (int i = 0; i < s->system->nv; i++) printf(", %s = %.10g", s->system->coordinate[i], s->state->q[i]);
  for (int i = 0; i < s->system->nv; i++) printf(", %s' = %.10g", s->system->coordinate[i], s->state->u[i]);
  printf("\n");
}

static const char* in_words(const ss_contact_at* c)
{
  if (!c->touches) return "open";
  if (c->hits) return "hits";
  if (!c->stays) return "touches, separates";
  if (c->rests) return "closed, rests";
  return c->slide > 0 ? "closed, slides +" : c->slide < 0 ? "closed, slides -" : "closed";
}

static bool print_contacts(const cli_solutions_at* s)
{
  static const char* const head[] = {"contact", "gap", "gamma_N", "gamma_T", "state"};
  cli_table table = cli_table_create("lrrrl");
  for (int c = 0; c < 5; c++) cli_table_cell(&table, "%s", head[c]);
  for (int i = 0; i < s->found->n_contact; i++) {
    const ss_contact_at* c = &s->found->contact[i];
    ss_contact_kind kind = c->kind;
    cli_table_cell(&table, "%s", name_of(s, i));
    if (kind == SS_CONTACT_FRICTION) {
      cli_table_cell(&table, "-");
      cli_table_cell(&table, "-");
    } else {
      cli_table_cell(&table, "%.6g", c->gap);
      cli_table_cell(&table, "%.6g", c->gamma[0]);
    }
    if (kind == SS_CONTACT_NORMAL) cli_table_cell(&table, "-");
    else cli_table_cell(&table, "%.6g", c->gamma[1]);
    cli_table_cell(&table, "%s", in_words(c));
  }
  return cli_table_print(&table, 0);
}

static void print_painleve(const ss_solutions* f)
{
  if (f->painleve == SS_PAINLEVE_REGULAR) return;
  printf("Painleve   gamma_N' = a lambda_N + b with a = %.10g, b = %.10g: %s\n", f->a, f->b,
         f->painleve == SS_PAINLEVE_INCONSISTENT
           ? "inconsistent, no force keeps the contact from penetrating;\n"
             "           the velocity jumps without a collision"
           : "indeterminate, it may stay or leave");
}

static void print_count(const cli_solutions_at* s)
{
  const ss_solutions* f = s->found;
  int n = f->all->n_pieces, motions = ss_solutions_count(f);
  printf("level      %s", ss_level_name(f->level));
  if (is_impact(s)) printf(", %s's law", s->impact == SS_IMPACT_POISSON ? "Poisson" : "Newton");
  printf("\n");
  if (f->all->count == SS_LCP_INFINITE) printf("solutions  infinitely many, in %d piece%s", n, cli_s(n));
  else if (n) printf("solutions  %d", n);
  else printf("solutions  none");
  if (f->all->count == SS_LCP_INFINITE && motions > 0) printf("; %d motion%s", motions, cli_s(motions));
  printf("\n");
  if (!f->all->complete) printf("           there may be more: not every family could be followed\n");
  print_painleve(f);
}

static void add_value(cli_table* table, int row, const double* x)
{
  if (row < 0 || !x) cli_table_cell(table, "-");
  else cli_table_cell(table, "%.10g", x[row]);
}

// One line for each contact of a point, vertex or ray (without xi)
static void add_contacts(cli_table* table, const cli_solutions_at* s, int piece, const char* what,
                         const ss_contact_state* state, const double* Lambda, const double* xi)
{
  for (int k = 0, row = s->found->problem.n_bilateral; k < s->found->problem.n_contact; k++) {
    int N, T;
    rows_of(s, k, &row, &N, &T);
    if (k == 0) cli_table_cell(table, "%d", piece);
    else cli_table_cell(table, "%s", "");
    cli_table_cell(table, "%s", k == 0 ? what : "");
    cli_table_cell(table, "%s", contact_name(s, k));
    cli_table_cell(table, "%s", ss_contact_state_text(state[k]));
    add_value(table, N, Lambda);
    add_value(table, T, Lambda);
    add_value(table, N, xi);
    add_value(table, T, xi);
  }
}

static bool print_pieces(const cli_solutions_at* s)
{
  static const char* const force[] = {"piece", "", "contact", "state", "lambda_N", "lambda_T", "gamma_N'", "gamma_T'"};
  static const char* const jump[] = {"piece", "", "contact", "state", "Lambda_N", "Lambda_T", "gamma_N+", "gamma_T+"};
  const ss_contact_solutions* all = s->found->all;
  cli_table table = cli_table_create("rlllrrrr");
  for (int c = 0; c < 8; c++) cli_table_cell(&table, "%s", is_impact(s) ? jump[c] : force[c]);
  for (int k = 0; k < all->n_pieces; k++) {
    const ss_contact_piece* p = &all->pieces[k];
    for (int v = 0; v < p->n_vertices; v++)
      add_contacts(&table, s, k + 1, is_point(p) ? "point" : "vertex", p->state, p->vertices + v*all->m,
                   p->xi + v*all->m);
    for (int v = 0; v < p->n_rays; v++) add_contacts(&table, s, k + 1, "ray", p->state, p->rays + v*all->m, NULL);
  }
  return cli_table_print(&table, 0);
}

static void add_motion(cli_table* table, const cli_solutions_at* s, int piece, const char* what, const double* Lambda,
                       double* motion)
{
  ss_solutions_motion(s->found, Lambda, strcmp(what, "ray") == 0, motion);
  cli_table_cell(table, "%d", piece);
  cli_table_cell(table, "%s", what);
  for (int j = 0; j < s->found->nv; j++) cli_table_cell(table, "%.10g", motion[j]);
}

static bool print_motions(const cli_solutions_at* s)
{
  const ss_contact_solutions* all = s->found->all;
  int nv = s->found->nv;
  double* motion = room_for_motion(s);
  char* align = malloc((size_t)nv + 3);
  if (!motion || !align) {
    free(motion);
    free(align);
    return false;
  }
  memcpy(align, "rl", 2);
  memset(align + 2, 'r', (size_t)nv);
  align[nv + 2] = 0;
  cli_table table = cli_table_create(align);
  cli_table_cell(&table, "piece");
  cli_table_cell(&table, "%s", "");
  for (int j = 0; j < nv; j++) cli_table_cell(&table, "%s%s", s->system->coordinate[j], is_impact(s) ? "'+" : "''");
  for (int k = 0; k < all->n_pieces; k++) {
    const ss_contact_piece* p = &all->pieces[k];
    for (int v = 0; v < p->n_vertices; v++)
      add_motion(&table, s, k + 1, is_point(p) ? "point" : "vertex", p->vertices + v*all->m, motion);
    for (int v = 0; v < p->n_rays; v++) add_motion(&table, s, k + 1, "ray", p->rays + v*all->m, motion);
  }
  bool printed = cli_table_print(&table, 0);
  free(align);
  free(motion);
  return printed;
}

int cli_print_solutions(const cli_solutions_at* s)
{
  const ss_contact_solutions* all = s->found->all;
  print_state(s);
  if (s->found->n_contact && !print_contacts(s)) return cli_out_of_memory();
  print_count(s);
  if (all->n_pieces && s->found->problem.n_contact && !print_pieces(s)) return cli_out_of_memory();
  if (all->n_pieces && !print_motions(s)) return cli_out_of_memory();
  for (int k = 0; k < all->n_pieces; k++)
    if (!all->pieces[k].xi_unique) printf("the solutions of piece %d are different motions\n", k + 1);
  return CLI_DONE;
}

// ---- JSON ----

static cJSON* contacts_json(const cli_solutions_at* s)
{
  cJSON* list = cJSON_CreateArray();
  for (int i = 0; i < s->found->n_contact; i++) {
    const ss_contact_at* c = &s->found->contact[i];
    cJSON* o = cli_json_append(list, cJSON_CreateObject());
    cJSON_AddStringToObject(o, "name", name_of(s, i));
    if (c->kind == SS_CONTACT_FRICTION) cJSON_AddNullToObject(o, "gap");
    else cli_json_number(o, "gap", c->gap);
    cli_json_numbers(o, "gamma", 2, c->gamma);
    cJSON_AddBoolToObject(o, "touches", c->touches);
    cJSON_AddBoolToObject(o, "stays", c->stays);
    cJSON_AddBoolToObject(o, "rests", c->rests);
    cJSON_AddBoolToObject(o, "hits", c->hits);
    cli_json_number(o, "slide", c->slide);
  }
  return list;
}

// Rows of the contacts, by name: [N, T], null where a contact has no such row
static void add_rows(cJSON* o, const char* name, const cli_solutions_at* s, const double* x)
{
  cJSON* by_contact = cJSON_AddObjectToObject(o, name);
  for (int k = 0, row = s->found->problem.n_bilateral; k < s->found->problem.n_contact; k++) {
    int N, T;
    rows_of(s, k, &row, &N, &T);
    double pair[2] = {N < 0 ? 0 : x[N], T < 0 ? 0 : x[T]};
    cli_json_numbers(by_contact, contact_name(s, k), 2, pair);
  }
}

static void add_motion_json(cJSON* o, const cli_solutions_at* s, const double* Lambda, bool ray, double* motion)
{
  cJSON* by_coordinate = cJSON_AddObjectToObject(o, "motion");
  ss_solutions_motion(s->found, Lambda, ray, motion);
  for (int j = 0; j < s->found->nv; j++) cli_json_number(by_coordinate, s->system->coordinate[j], motion[j]);
}

static cJSON* piece_json(const cli_solutions_at* s, const ss_contact_piece* p, double* motion)
{
  int m = s->found->all->m;
  cJSON *o = cJSON_CreateObject(), *states = cJSON_AddObjectToObject(o, "states");
  for (int k = 0; k < s->found->problem.n_contact; k++)
    cJSON_AddStringToObject(states, contact_name(s, k), ss_contact_state_text(p->state[k]));
  cJSON *vertices = cJSON_AddArrayToObject(o, "vertices"), *rays = cJSON_AddArrayToObject(o, "rays");
  for (int v = 0; v < p->n_vertices; v++) {
    cJSON* vertex = cli_json_append(vertices, cJSON_CreateObject());
    add_rows(vertex, "Lambda", s, p->vertices + v*m);
    if (p->compression) add_rows(vertex, "Lambda_C", s, p->compression + v*m);
    add_rows(vertex, "xi", s, p->xi + v*m);
    cli_json_numbers(vertex, "Lambda_bilateral", s->found->problem.n_bilateral, p->vertices + v*m);
    add_motion_json(vertex, s, p->vertices + v*m, false, motion);
  }
  for (int v = 0; v < p->n_rays; v++) {
    cJSON* ray = cli_json_append(rays, cJSON_CreateObject());
    add_rows(ray, "Lambda", s, p->rays + v*m);
    add_motion_json(ray, s, p->rays + v*m, true, motion);
  }
  cJSON_AddBoolToObject(o, "one_motion", p->xi_unique);
  return o;
}

static void add_head(cJSON* o, const cli_solutions_at* s)
{
  const ss_solutions* f = s->found;
  int motions = ss_solutions_count(f);
  ss_lcp_count count = f->all->count;
  cJSON_AddStringToObject(o, "model", ss_model_name(s->model));
  cli_json_number(o, "t", s->state->t);
  cJSON *q = cJSON_AddObjectToObject(o, "q"), *u = cJSON_AddObjectToObject(o, "u");
  for (int i = 0; i < f->nv; i++) {
    cli_json_number(q, s->system->coordinate[i], s->state->q[i]);
    cli_json_number(u, s->system->coordinate[i], s->state->u[i]);
  }
  cli_json_put(o, "contacts", contacts_json(s));
  cJSON_AddStringToObject(o, "level", ss_level_name(f->level));
  if (is_impact(s)) cJSON_AddStringToObject(o, "impact", ss_impact_law_name(s->impact));
  cJSON_AddStringToObject(o, "count", count == SS_LCP_NONE ? "none" : count == SS_LCP_FINITE ? "finite" : "infinite");
  if (count == SS_LCP_INFINITE) cJSON_AddNullToObject(o, "solutions");
  else cli_json_number(o, "solutions", f->all->n_pieces);
  if (motions < 0) cJSON_AddNullToObject(o, "motions");
  else cli_json_number(o, "motions", motions);
  cJSON_AddBoolToObject(o, "complete", f->all->complete);
}

int cli_solutions_json(const cli_solutions_at* s)
{
  const ss_solutions* f = s->found;
  double* motion = room_for_motion(s);
  if (!motion) return cli_out_of_memory();
  cJSON* o = cJSON_CreateObject();
  add_head(o, s);
  if (f->painleve == SS_PAINLEVE_REGULAR) cJSON_AddNullToObject(o, "painleve");
  else {
    cJSON* painleve = cJSON_AddObjectToObject(o, "painleve");
    cJSON_AddStringToObject(painleve, "case",
                            f->painleve == SS_PAINLEVE_INCONSISTENT ? "inconsistent" : "indeterminate");
    cli_json_number(painleve, "a", f->a);
    cli_json_number(painleve, "b", f->b);
  }
  cJSON* pieces = cJSON_AddArrayToObject(o, "pieces");
  for (int k = 0; k < f->all->n_pieces; k++) cli_json_append(pieces, piece_json(s, &f->all->pieces[k], motion));
  free(motion);
  return cli_print_json(o);
}
