// Contact problems as JSON: {"type": "contact", "dim" or "kinds", "bilateral", "mu", "bound", "kappa"} with the local
// form "G", "b" or the global form "M", "H", "f", "w". "sets" and "slide" are in problem_laws.c.
#include "io/problem.h"
#include <stdlib.h>
#include <string.h>

static const char* const kind_names[] = {
  [SS_CONTACT_NORMAL] = "normal",
  [SS_CONTACT_PLANAR] = "planar",
  [SS_CONTACT_FRICTION] = "friction",
  [SS_CONTACT_SPATIAL] = "spatial",
};
enum { KINDS = sizeof kind_names/sizeof *kind_names, ROWS_MAX = 1 << 28 };

#define KIND_TEXT "\"normal\", \"planar\", \"friction\" or \"spatial\""
#define PER_CONTACT "one for each contact, as mu has"
#define PER_ROW "one for each row of the bilateral rows and the contacts"

const char* ss_problem_kind_name(ss_contact_kind kind)
{
  return (int)kind >= 0 && (int)kind < KINDS ? kind_names[kind] : NULL;
}

// n numbers that are not negative
static double* read_amounts(const ss_json* s, const char* field, int n)
{
  double* x = ss_json_numbers(s, field, n, PER_CONTACT);
  for (int i = 0; x && i < n; i++)
    if (x[i] < 0) {
      ss_json_refuse(s, ss_json_at_element(field, i), "is %.10g; it must not be negative", x[i]);
      free(x);
      return NULL;
    }
  return x;
}

static bool read_kind(const ss_json* s, int i, const cJSON* item, ss_contact_kind* kind)
{
  ss_json_place p = ss_json_at_element("kinds", i);
  if (!cJSON_IsString(item)) return ss_json_refuse_kind(s, p, item, KIND_TEXT);
  for (int k = 0; k < KINDS; k++)
    if (strcmp(item->valuestring, kind_names[k]) == 0) {
      *kind = (ss_contact_kind)k;
      return true;
    }
  return ss_json_refuse(s, p, "is \"%.40s\"; it must be " KIND_TEXT, item->valuestring);
}

// "kinds": one word per contact. dim tells the larger of the dimensions then.
static bool read_kinds(const ss_json* s, ss_friction_problem* p)
{
  const cJSON *list = ss_json_list(s, "kinds", p->n_contact, "kinds", PER_CONTACT), *item;
  ss_contact_kind* kind = list ? malloc(((size_t)p->n_contact + 1)*sizeof *kind) : NULL;
  int i = 0;
  p->kind = kind;
  p->dim = 2;
  if (!list) return false;
  if (!kind) return ss_json_no_memory(s);
  cJSON_ArrayForEach(item, list)
  {
    if (!read_kind(s, i, item, &kind[i])) return false;
    if (kind[i++] == SS_CONTACT_SPATIAL) p->dim = 3;
  }
  return true;
}

static bool read_dim(const ss_json* s, ss_friction_problem* p)
{
  const cJSON *dim = ss_json_find(s, "dim"), *kinds = ss_json_find(s, "kinds");
  if (dim && kinds) return ss_json_refuse(s, ss_json_at("dim"), "and \"kinds\" say the same; give one of them");
  if (kinds) return read_kinds(s, p);
  dim = ss_json_required(s, "dim", "2 (planar: N, T) or 3 (spatial: N, T1, T2); or \"kinds\", one word per contact");
  if (!dim) return false;
  if (!cJSON_IsNumber(dim)) return ss_json_refuse_kind(s, ss_json_at("dim"), dim, "2 (planar) or 3 (spatial)");
  if (dim->valuedouble != 2 && dim->valuedouble != 3)
    return ss_json_refuse(s, ss_json_at("dim"), "must be 2 (planar: N, T) or 3 (spatial: N, T1, T2)");
  p->dim = (int)dim->valuedouble;
  return true;
}

// The contacts: how many, of what kinds, with how much friction
static bool read_contacts(const ss_json* s, ss_friction_problem* p)
{
  const cJSON* mu = ss_json_required(s, "mu", "a list of coefficients of friction, one for each contact");
  const cJSON *bilateral = ss_json_find(s, "bilateral"), *kappa = ss_json_find(s, "kappa");
  if (!mu) return false;
  if (!cJSON_IsArray(mu)) return ss_json_refuse_kind(s, ss_json_at("mu"), mu, "a list of numbers");
  p->n_contact = cJSON_GetArraySize(mu);
  if (!read_dim(s, p) || !(p->mu = read_amounts(s, "mu", p->n_contact))) return false;
  if (ss_json_find(s, "bound") && !(p->bound = read_amounts(s, "bound", p->n_contact))) return false;
  if (bilateral && !ss_json_integer(s, ss_json_at("bilateral"), bilateral, 0, ROWS_MAX/4, &p->n_bilateral))
    return false;
  if (!kappa) return true;
  if (!ss_json_number(s, ss_json_at("kappa"), kappa, &p->kappa)) return false;
  return (p->kappa >= 0 && p->kappa <= 1e6) ||
         ss_json_refuse(s, ss_json_at("kappa"), "is %.10g; the relative compliance is between 0 and 1e6", p->kappa);
}

static bool check_diagonal(const ss_json* s, const ss_sparse* G)
{
  for (int i = 0; i < G->rows; i++)
    for (int e = G->start[i]; e < G->start[i + 1]; e++)
      if (G->col[e] == i && G->value[e] < 0) {
        bool dense = cJSON_IsArray(ss_json_find(s, "G"));
        ss_json_place at = ss_json_at("G");
        if (dense) at.i = at.j = i;
        return ss_json_refuse(s, at, "%s%.10g at row and column %d; the diagonal must not be negative",
                              dense ? "is " : "has ", G->value[e], i);
      }
  return true;
}

static bool read_local(const ss_json* s, ss_friction_problem* p, int m)
{
  return (p->b = ss_json_numbers(s, "b", m, PER_ROW)) && ss_json_sparse(s, "G", m, m, PER_ROW, &p->G) &&
         check_diagonal(s, &p->G);
}

static bool read_global(const ss_json* s, ss_friction_problem* p, int m)
{
  p->global = true;
  const cJSON* f = ss_json_required(s, "f", "a list of n numbers: M v = H Lambda + f");
  if (!f) return false;
  if (!cJSON_IsArray(f)) return ss_json_refuse_kind(s, ss_json_at("f"), f, "a list of numbers");
  int n = cJSON_GetArraySize(f);
  return (p->f = ss_json_numbers(s, "f", n, "")) && (p->w = ss_json_numbers(s, "w", m, PER_ROW)) &&
         ss_json_sparse(s, "M", n, n, "as many as f has numbers", &p->M) &&
         ss_json_sparse(s, "H", n, m, "as f and w have numbers", &p->H);
}

// A list of n strings as one block, which the caller frees
static const char* const* read_names(const ss_json* s, const char* field, int n)
{
  const cJSON *list = ss_json_list(s, field, n, "names", PER_CONTACT), *item;
  size_t bytes = 0;
  int i = 0;
  if (!list) return NULL;
  cJSON_ArrayForEach(item, list)
  {
    if (!cJSON_IsString(item)) {
      ss_json_refuse_kind(s, ss_json_at_element(field, i), item, "a string");
      return NULL;
    }
    bytes += strlen(item->valuestring) + 1;
    i++;
  }
  const char** name = malloc(((size_t)n + 1)*sizeof *name + bytes);
  if (!name) {
    ss_json_no_memory(s);
    return NULL;
  }
  char* to = (char*)(name + n + 1);
  i = 0;
  cJSON_ArrayForEach(item, list)
  {
    name[i++] = strcpy(to, item->valuestring);
    to += strlen(to) + 1;
  }
  name[n] = NULL;
  return name;
}

// What is told besides the problem
static bool read_besides(const ss_json* s, ss_problem* problem, int m)
{
  int k = problem->contact.n_contact;
  if (ss_json_find(s, "contacts") && !(problem->contact_name = read_names(s, "contacts", k))) return false;
  return !ss_json_find(s, "Lambda") || (problem->Lambda = ss_json_numbers(s, "Lambda", m, PER_ROW));
}

bool ss_problem_read_contact(ss_json* s, ss_problem* problem)
{
  static const char* const local[] = {"type", "name", "notes", "dim", "kinds", "mu", "bound", "bilateral", "kappa",
                                      "sets", "slide", "contacts", "Lambda", "G", "b", NULL};
  static const char* const global[] = {"type", "name", "notes", "dim", "kinds", "mu", "bound", "bilateral", "kappa",
                                       "sets", "slide", "contacts", "Lambda", "M", "H", "f", "w", NULL};
  static const char* const not_local[][2] = {{"A", "belongs to an LCP; the matrix of a contact problem is G"},
                                             {NULL, NULL}};
  static const char* const not_global[][2] = {
    {"G", "belongs to the local form; with M the form is global: M, H, f, w"},
    {"b", "belongs to the local form; with M the form is global: M, H, f, w"},
    {"A", "belongs to an LCP"},
    {NULL, NULL},
  };
  ss_friction_problem* p = &problem->contact;
  bool is_global = ss_json_find(s, "M") || ss_json_find(s, "H");
  if (!ss_json_check_fields(s, is_global ? global : local, is_global ? not_global : not_local)) return false;
  if (!read_contacts(s, p)) return false;
  if (p->n_contact > ROWS_MAX/4)
    return ss_json_refuse(s, ss_json_at("mu"), "has more contacts than one file may have");
  if (!ss_problem_read_laws(s, problem)) return false;
  int m = ss_friction_rows(p);
  if (!(is_global ? read_global(s, p, m) : read_local(s, p, m)) || !read_besides(s, problem, m)) return false;
  double asymmetry = ss_friction_asymmetry(p);
  const char* matrix = is_global ? "M" : "G";
  if (asymmetry > 1e-12)
    ss_json_warn(s, "%s is not symmetric: |%s - its transpose| is up to %.1e of its largest entry", matrix, matrix,
                 asymmetry);
  return true;
}
