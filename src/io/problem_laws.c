// Friction laws other than Coulomb's in contact problems: "sets", what friction impulses come from in space
//   null (disk), {"shape": "ellipse", "a": [a1, a2], "angle"}, {"shape": "polygon", "vertices": [[x, y], ...]} or
//   {"shape": "polygon", "facets": [[nx, ny, d], ...]}
// and "slide", contacts in the plane that slide already (accelerations): +1, -1 or 0.
#include "io/problem.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CORNERS_MAX = 256 };

#define PER_CONTACT "one for each contact, as mu has"
#define SHAPES "\"ellipse\" or \"polygon\" (null: a disk)"

bool ss_problem_has_sets(const ss_problem* problem)
{
  if (!problem) return false;
  for (int i = 0; problem->set && i < problem->contact.n_contact; i++)
    if (problem->set[i].shape != SS_SET_DISK) return true;
  return false;
}

bool ss_problem_has_slide(const ss_problem* problem)
{
  if (!problem) return false;
  for (int i = 0; problem->slide && i < problem->contact.n_contact; i++)
    if (problem->slide[i] != 0) return true;
  return false;
}

void ss_problem_free_laws(ss_problem* problem)
{
  for (int i = 0; problem->set && i < problem->contact.n_contact; i++) free((double*)problem->set[i].vertex);
  free((ss_friction_set*)problem->set);
  free((int*)problem->slide);
  problem->set = NULL;
  problem->slide = NULL;
}

// ---- sets ----

// What is being read: member `name` of sets[i]
typedef struct member {
  const ss_json* s;
  int i;
  const cJSON* object;
} member;

// Only members that the shape has, each once: a misspelt one would make it another set
static bool check_members(const member* at, const char* const* known, const char* text)
{
  unsigned seen = 0;
  const cJSON* item;
  cJSON_ArrayForEach(item, at->object)
  {
    int k = 0;
    while (known[k] && strcmp(known[k], item->string) != 0) k++;
    if (!known[k])
      return ss_json_refuse(at->s, ss_json_at_element("sets", at->i), "has \"%.40s\"; it may have %s", item->string,
                            text);
    if (seen & 1U << k) return ss_json_refuse(at->s, ss_json_at_member("sets", at->i, known[k], -1), "is given twice");
    seen |= 1U << k;
  }
  return true;
}

static const cJSON* need(const member* at, const char* name, const char* wanted)
{
  const cJSON* item = cJSON_GetObjectItemCaseSensitive(at->object, name);
  if (!item) ss_json_refuse(at->s, ss_json_at_element("sets", at->i), "lacks \"%s\": %s", name, wanted);
  return item;
}

static bool read_ellipse(const member* at, ss_friction_set* set)
{
  static const char* const known[] = {"shape", "a", "angle", NULL};
  const char* wanted = "[a1, a2], the semi-axes";
  set->shape = SS_SET_ELLIPSE;
  if (!check_members(at, known, "\"shape\", \"a\" and \"angle\"")) return false;
  const cJSON *a = need(at, "a", wanted), *angle = cJSON_GetObjectItemCaseSensitive(at->object, "angle");
  if (!a) return false;
  if (!cJSON_IsArray(a) || cJSON_GetArraySize(a) != 2)
    return ss_json_refuse(at->s, ss_json_at_member("sets", at->i, "a", -1), "must be %s", wanted);
  for (int k = 0; k < 2; k++) {
    ss_json_place p = ss_json_at_member("sets", at->i, "a", k);
    if (!ss_json_number(at->s, p, cJSON_GetArrayItem(a, k), &set->a[k])) return false;
    if (!(set->a[k] > 0)) return ss_json_refuse(at->s, p, "is %.10g; a semi-axis must be positive", set->a[k]);
  }
  return !angle || ss_json_number(at->s, ss_json_at_member("sets", at->i, "angle", -1), angle, &set->angle);
}

// A list of rows of `columns` numbers each; *count rows. NULL and a complaint on failure.
static double* read_rows(const member* at, const char* name, const char* wanted, int columns, int* count)
{
  const cJSON *list = need(at, name, wanted), *row;
  ss_json_place whole = ss_json_at_member("sets", at->i, name, -1);
  if (!list) return NULL;
  *count = cJSON_IsArray(list) ? cJSON_GetArraySize(list) : 0;
  if (*count < 3 || *count > CORNERS_MAX) {
    ss_json_refuse(at->s, whole, "must be %s, 3 to %d of them", wanted, CORNERS_MAX);
    return NULL;
  }
  double* x = malloc((size_t)(columns**count)*sizeof *x);
  if (!x) ss_json_no_memory(at->s);
  int k = 0, n = 0;
  for (row = list->child; x && row; row = row->next, k++) {
    ss_json_place p = ss_json_at_member("sets", at->i, name, k);
    bool good = cJSON_IsArray(row) && cJSON_GetArraySize(row) == columns;
    if (!good) ss_json_refuse(at->s, p, "must be a list of %d numbers", columns);
    for (const cJSON* item = good ? row->child : NULL; good && item; item = item->next)
      good = ss_json_number(at->s, p, item, &x[n++]);
    if (good) continue;
    free(x);
    return NULL;
  }
  return x;
}

// Facets [nx, ny, d] become vertices, which are what a set is made of
static double* corners_of(const member* at, int* n, ss_error* error)
{
  int facets;
  double *x = read_rows(at, "facets", "a list of [nx, ny, d] with nx x + ny y <= d", 3, &facets), *vertex = NULL;
  double* split = x ? malloc((size_t)(5*facets)*sizeof *split) : NULL;  // normals, distances, vertices
  if (x && !split) ss_json_no_memory(at->s);
  if (split) {
    for (int j = 0; j < facets; j++) {
      split[2*j] = x[3*j];
      split[2*j + 1] = x[3*j + 1];
      split[2*facets + j] = x[3*j + 2];
    }
    if (ss_friction_set_facets(facets, split, split + 2*facets, split + 3*facets, n, error) < 0)
      ss_json_refuse(at->s, ss_json_at_member("sets", at->i, "facets", -1), "is wrong: %s", error->text);
    else if (!(vertex = malloc((size_t)(2*facets)*sizeof *vertex))) ss_json_no_memory(at->s);
    else memcpy(vertex, split + 3*facets, (size_t)(2**n)*sizeof *vertex);
  }
  free(split);
  free(x);
  return vertex;
}

static bool read_polygon(const member* at, ss_friction_set* set)
{
  static const char* const known[] = {"shape", "vertices", "facets", NULL};
  set->shape = SS_SET_POLYGON;
  if (!check_members(at, known, "\"shape\" and \"vertices\" or \"facets\"")) return false;
  bool vertices = cJSON_GetObjectItemCaseSensitive(at->object, "vertices");
  bool facets = cJSON_GetObjectItemCaseSensitive(at->object, "facets");
  ss_error error = {0};
  if (vertices == facets)
    return ss_json_refuse(at->s, ss_json_at_element("sets", at->i), "has %s; a polygon has \"vertices\" or \"facets\"",
                          facets ? "both" : "neither");
  set->vertex = facets ? corners_of(at, &set->n, &error)
                       : read_rows(at, "vertices", "a list of [x, y], counter-clockwise around the origin", 2, &set->n);
  if (!set->vertex) return false;
  return ss_friction_set_check(set, &error) >= 0 ||
         ss_json_refuse(at->s, ss_json_at_member("sets", at->i, facets ? "facets" : "vertices", -1), "is wrong: %s",
                        error.text);
}

static bool read_set(const ss_json* s, const ss_friction_problem* p, int i, const cJSON* item, ss_friction_set* set)
{
  ss_json_place at = ss_json_at_element("sets", i);
  if (cJSON_IsNull(item)) return true;
  if (!cJSON_IsObject(item)) return ss_json_refuse_kind(s, at, item, "null (a disk) or {\"shape\": ...}");
  if (ss_friction_kind(p, i) != SS_CONTACT_SPATIAL)
    return ss_json_refuse(s, at, "must be null: only spatial contacts have a set, and this one is \"%s\"",
                          ss_problem_kind_name(ss_friction_kind(p, i)));
  member m = {s, i, item};
  const cJSON* shape = need(&m, "shape", SHAPES);
  if (!shape) return false;
  if (cJSON_IsString(shape) && strcmp(shape->valuestring, "ellipse") == 0) return read_ellipse(&m, set);
  if (cJSON_IsString(shape) && strcmp(shape->valuestring, "polygon") == 0) return read_polygon(&m, set);
  return ss_json_refuse(s, ss_json_at_member("sets", i, "shape", -1), "must be " SHAPES);
}

static bool read_sets(const ss_json* s, ss_problem* problem)
{
  const ss_friction_problem* p = &problem->contact;
  const cJSON *list = ss_json_list(s, "sets", p->n_contact, "sets", PER_CONTACT), *item;
  if (!list) return false;
  ss_friction_set* set = calloc((size_t)p->n_contact + 1, sizeof *set);
  int i = 0;
  problem->set = set;
  if (!set) return ss_json_no_memory(s);
  cJSON_ArrayForEach(item, list)
  {
    if (!read_set(s, p, i, item, &set[i])) return false;
    i++;
  }
  return true;
}

// ---- sliding ----

static bool is_planar(const ss_friction_problem* p)
{
  for (int i = 0; i < p->n_contact; i++)
    if (ss_friction_kind(p, i) == SS_CONTACT_SPATIAL) return false;
  return true;
}

// Why contact i may not slide already; NULL: it may
static const char* not_sliding(const ss_friction_problem* p, bool planar, int i)
{
  if (ss_friction_kind(p, i) == SS_CONTACT_NORMAL) return "the contact is frictionless";
  return planar ? NULL : "only planar problems have contacts that slide already";
}

static bool read_slide(const ss_json* s, ss_problem* problem)
{
  const ss_friction_problem* p = &problem->contact;
  const cJSON *list = ss_json_list(s, "slide", p->n_contact, "numbers", PER_CONTACT), *item;
  if (!list) return false;
  int *slide = calloc((size_t)p->n_contact + 1, sizeof *slide), i = 0;
  bool planar = is_planar(p);
  problem->slide = slide;
  if (!slide) return ss_json_no_memory(s);
  cJSON_ArrayForEach(item, list)
  {
    ss_json_place at = ss_json_at_element("slide", i);
    double x = cJSON_IsNumber(item) ? item->valuedouble : 2;
    if (x != -1 && x != 0 && x != 1) return ss_json_refuse(s, at, "must be 1, -1 or 0");
    const char* why = x != 0 ? not_sliding(p, planar, i) : NULL;
    if (why) return ss_json_refuse(s, at, "must be 0: %s", why);
    slide[i++] = (int)x;
  }
  return true;
}

bool ss_problem_read_laws(const ss_json* s, ss_problem* problem)
{
  if (ss_json_find(s, "sets") && !read_sets(s, problem)) return false;
  return !ss_json_find(s, "slide") || read_slide(s, problem);
}

// ---- before writing ----

bool ss_problem_check_laws(const ss_problem* problem, ss_error* error)
{
  const ss_friction_problem* p = &problem->contact;
  ss_error why = {0};
  bool planar = is_planar(p);
  for (int i = 0; i < p->n_contact; i++) {
    const ss_friction_set* set = problem->set ? &problem->set[i] : NULL;
    int slide = problem->slide ? problem->slide[i] : 0;
    if (set && ss_friction_set_check(set, &why) < 0)
      ss_error_set(error, SS_ERR_INPUT, "the set of contact %d is wrong: %s", i + 1, why.text);
    else if (set && set->shape != SS_SET_DISK && ss_friction_kind(p, i) != SS_CONTACT_SPATIAL)
      ss_error_set(error, SS_ERR_INPUT, "contact %d has a set and is not spatial", i + 1);
    else if (set && set->shape == SS_SET_POLYGON && set->n > CORNERS_MAX)
      ss_error_set(error, SS_ERR_INPUT, "the set of contact %d has more than %d vertices", i + 1, CORNERS_MAX);
    else if (slide < -1 || slide > 1)
      ss_error_set(error, SS_ERR_INPUT, "slide[%d] is %d; it must be 1, -1 or 0", i, slide);
    else if (slide != 0 && not_sliding(p, planar, i))
      ss_error_set(error, SS_ERR_INPUT, "slide[%d] must be 0: %s", i, not_sliding(p, planar, i));
    else continue;
    return false;
  }
  return true;
}
