// ss_system: a definition, validated once and copied.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stickslip/system.h>
#include "base/text.h"

struct ss_system {
  ss_system_def def;
  int rows;
  char** names;  // every string of the definition: coordinates, units, contacts, constraints, the name
  int n_names;
};

// Dense matrices of all rows must have sizes that fit an int. With operators there are none: sizes of lists must.
#define MAX_SIZE 15000
#define MAX_OPERATORS 600000

static ss_status validate_contact(const ss_contact_def* c, int i, ss_error* error)
{
  if (!c->name) return ss_error_set(error, SS_ERR_ARGUMENT, "contact[%d].name is NULL", i);
  if ((int)c->kind < 0 || c->kind > SS_CONTACT_FRICTION)
    return ss_error_set(error, SS_ERR_ARGUMENT, "contact[%d].kind is not an ss_contact_kind", i);
  if (!(c->mu >= 0) || !isfinite(c->mu))
    return ss_error_set(error, SS_ERR_ARGUMENT, "contact '%s': mu is %g, must be finite and >= 0", c->name, c->mu);
  if (!(c->bound >= 0) || !isfinite(c->bound))
    return ss_error_set(error, SS_ERR_ARGUMENT, "contact '%s': bound is %g, must be finite and >= 0", c->name,
                        c->bound);
  if (!(c->mu_static >= 0) || !(c->bound_static >= 0) || !isfinite(c->mu_static + c->bound_static))
    return ss_error_set(error, SS_ERR_ARGUMENT, "contact '%s': mu_static and bound_static must be finite and >= 0",
                        c->name);
  if ((c->mu_static > 0 && c->mu_static < c->mu) || (c->bound_static > 0 && c->bound_static < c->bound))
    return ss_error_set(error, SS_ERR_ARGUMENT, "contact '%s': friction at rest must not be less than that of sliding",
                        c->name);
  if (c->varies && (c->mu > 0 || c->bound > 0))
    return ss_error_set(error, SS_ERR_ARGUMENT, "contact '%s' varies: mu and bound must be 0", c->name);
  if (!(c->eps_n >= 0 && c->eps_n <= 1))
    return ss_error_set(error, SS_ERR_ARGUMENT, "contact '%s': eps_n is %g, must be in 0..1", c->name, c->eps_n);
  if (!(c->eps_t >= 0 && c->eps_t <= 1))
    return ss_error_set(error, SS_ERR_ARGUMENT, "contact '%s': eps_t is %g, must be in 0..1", c->name, c->eps_t);
  if (!(c->nu >= 0 && c->nu <= 1))
    return ss_error_set(error, SS_ERR_ARGUMENT, "contact '%s': nu is %g, must be in 0..1", c->name, c->nu);
  if (c->kind == SS_CONTACT_NORMAL && (c->mu > 0 || c->bound > 0 || c->eps_t > 0 || c->nu > 0 || c->mu_static > 0 ||
                                       c->bound_static > 0 || c->varies))
    return ss_error_set(error, SS_ERR_ARGUMENT, "contact '%s' has no tangential row: mu, bound, eps_t and nu must be 0",
                        c->name);
  if (c->kind == SS_CONTACT_FRICTION && (c->mu > 0 || c->eps_n > 0 || c->nu > 0 || c->mu_static > 0))
    return ss_error_set(error, SS_ERR_ARGUMENT, "contact '%s' has no normal row: mu, eps_n and nu must be 0", c->name);
  return SS_OK;
}

static int by_text(const void* a, const void* b) { return strcmp(*(char* const*)a, *(char* const*)b); }

// Names are used in tables, columns and CSV: not empty, no commas, quotes or line ends, none twice.
static ss_status validate_names(const char* what, int n, const char* const* name, ss_error* error)
{
  if (!name || n < 1) return SS_OK;
  for (int i = 0; i < n; i++)
    if (!name[i] || !*name[i] || strpbrk(name[i], ",\"\n\r"))
      return ss_error_set(error, SS_ERR_ARGUMENT, "%s[%d] is empty or holds a comma, a quote or a line end", what, i);
  const char** sorted = malloc(sizeof *sorted*(size_t)n);
  if (!sorted) return ss_error_set(error, SS_ERR_MEMORY, "out of memory");
  memcpy(sorted, name, sizeof *sorted*(size_t)n);
  qsort(sorted, (size_t)n, sizeof *sorted, by_text);
  const char* twice = NULL;
  for (int i = 1; i < n; i++)
    if (strcmp(sorted[i], sorted[i - 1]) == 0) twice = sorted[i];
  free(sorted);
  return twice ? ss_error_set(error, SS_ERR_ARGUMENT, "%s '%s' stands twice", what, twice) : SS_OK;
}

static ss_status validate_dense(const ss_system_def* d, ss_error* error)
{
  if (d->nq && d->nq != d->nv) return ss_error_set(error, SS_ERR_ARGUMENT, "nq is not nv, but there are no operators");
  if (!d->mass || !d->force) return ss_error_set(error, SS_ERR_ARGUMENT, "mass and force must be given");
  if (d->n_contact && (!d->contact || !d->contacts))
    return ss_error_set(error, SS_ERR_ARGUMENT, "n_contact is %d but contact or contacts is NULL", d->n_contact);
  if (d->n_bilateral && !d->bilateral)
    return ss_error_set(error, SS_ERR_ARGUMENT, "n_bilateral is %d but bilateral is NULL", d->n_bilateral);
  int rows = d->n_bilateral;
  for (int i = 0; i < d->n_contact; i++) rows += ss_contact_rows(d->contact[i].kind);
  for (int r = 0; d->row_part && r < rows; r++)
    if (d->row_part[r] < 0 || d->row_part[r] >= d->n_parts)
      return ss_error_set(error, SS_ERR_ARGUMENT, "row_part[%d] is %d, must be less than n_parts", r, d->row_part[r]);
  return SS_OK;
}

static ss_status validate_operators(const ss_system_def* d, ss_error* error)
{
  const ss_operators* op = d->operators;
  if (!d->force || !op->factor || !op->solve || !op->list || !op->row_velocity || !op->row_force || !op->delassus ||
      !op->contact_name || !op->row_parts || d->n_parts < 1)
    return ss_error_set(error, SS_ERR_ARGUMENT, "force and all operators that are not optional must be given");
  if (d->nq && d->nq != d->nv && !op->advance)
    return ss_error_set(error, SS_ERR_ARGUMENT, "nq is not nv, but operators.advance is NULL");
  if (d->nq < 0 || d->nq > 2*MAX_OPERATORS) return ss_error_set(error, SS_ERR_ARGUMENT, "nq is %d", d->nq);
  if (d->n_bilateral && !op->bilateral)
    return ss_error_set(error, SS_ERR_ARGUMENT, "n_bilateral is %d but operators.bilateral is NULL", d->n_bilateral);
  if (d->n_contact || d->mass || d->contacts || d->bilateral)
    return ss_error_set(error, SS_ERR_ARGUMENT, "with operators n_contact is 0 and mass, contacts, bilateral are NULL");
  return SS_OK;
}

static ss_status validate(const ss_system_def* d, ss_error* error)
{
  int most = d->operators ? MAX_OPERATORS : MAX_SIZE;
  if (d->nv < 1 || d->nv > most)
    return ss_error_set(error, SS_ERR_ARGUMENT, "nv is %d, must be between 1 and %d (velocities; a free body has 6)",
                        d->nv, most);
  if (d->n_contact > MAX_SIZE/2 || d->n_bilateral > MAX_SIZE/2)
    return ss_error_set(error, SS_ERR_ARGUMENT, "more than %d contacts or constraints", MAX_SIZE/2);
  if (d->n_contact < 0 || d->n_bilateral < 0)
    return ss_error_set(error, SS_ERR_ARGUMENT, "n_contact or n_bilateral is negative");
  ss_status shape = d->operators ? validate_operators(d, error) : validate_dense(d, error);
  if (shape < 0) return shape;
  if (d->n_sensor < 0 || (d->n_sensor && (!d->sense || !d->sensor)))
    return ss_error_set(error, SS_ERR_ARGUMENT, "n_sensor is %d but sense or sensor is NULL", d->n_sensor);
  if (d->n_kink < 0 || (d->n_kink && (!d->kinks || !d->kink || !d->momentum)))
    return ss_error_set(error, SS_ERR_ARGUMENT, "n_kink is %d but kinks, kink or momentum is NULL", d->n_kink);
  if (d->has_power && !d->power) return ss_error_set(error, SS_ERR_ARGUMENT, "has_power is true but power is NULL");
  ss_status names = validate_names("coordinate", d->nq ? d->nq : d->nv, d->coordinate, error);
  if (names == SS_OK) names = validate_names("velocity", d->nv, d->velocity, error);
  if (names == SS_OK) names = validate_names("bilateral_name", d->n_bilateral, d->bilateral_name, error);
  if (names == SS_OK) names = validate_names("sensor", d->n_sensor, d->sensor, error);
  if (names < 0) return names;
  for (int i = 0; i < d->n_contact; i++) {
    ss_status st = validate_contact(&d->contact[i], i, error);
    if (st < 0) return st;
    if (d->contact[i].varies && !d->friction)
      return ss_error_set(error, SS_ERR_ARGUMENT, "contact '%s' varies but friction is NULL", d->contact[i].name);
    for (int j = 0; j < i; j++)
      if (strcmp(d->contact[i].name, d->contact[j].name) == 0)
        return ss_error_set(error, SS_ERR_ARGUMENT, "two contacts are named '%s'", d->contact[i].name);
  }
  return SS_OK;
}

// A copy of `text`, or of "PREFIXi" if text is NULL, owned by the system. NULL if memory is short.
static const char* keep_name(ss_system* s, const char* text, const char* prefix, int i)
{
  char number[32];
  if (!text) {
    snprintf(number, sizeof number, "%s%d", prefix, i);
    text = number;
  }
  char* copy = malloc(strlen(text) + 1);
  if (copy) strcpy(copy, text);
  s->names[s->n_names++] = copy;
  return copy;
}

static const char* const* keep_list(ss_system* s, int n, const char* const* list, const char* prefix)
{
  const char** copy = calloc((size_t)n + 1, sizeof *copy);
  for (int i = 0; copy && i < n; i++) {
    copy[i] = keep_name(s, list && list[i] ? list[i] : *prefix ? NULL : "", prefix, i);
    if (!copy[i]) {
      free(copy);
      return NULL;
    }
  }
  return copy;
}

static bool keep_contacts(ss_system* s, const ss_contact_def* contact, int n)
{
  ss_contact_def* copy = calloc((size_t)n + 1, sizeof *copy);
  s->def.contact = copy;
  for (int i = 0; copy && i < n; i++) {
    copy[i] = contact[i];
    copy[i].name = keep_name(s, contact[i].name, "", 0);
    if (!copy[i].name) return false;
    s->rows += ss_contact_rows(copy[i].kind);
  }
  return copy != NULL;
}

// A copy of n numbers, if there are any. False if memory is short.
static bool keep_numbers(const int** kept, const int* list, int n)
{
  if (!list) return true;
  int* copy = malloc(sizeof(int)*(size_t)n + 1);
  if (copy) memcpy(copy, list, sizeof(int)*(size_t)n);
  *kept = copy;
  return copy != NULL;
}

// Parts of rows and of velocities; s->rows is known
static bool keep_parts(ss_system* s, const ss_system_def* d)
{
  if (!d->operators && !keep_numbers(&s->def.row_part, d->row_part, s->rows + d->n_bilateral)) return false;
  return keep_numbers(&s->def.coupled, d->coupled, d->nv) &&
         keep_numbers(&s->def.energy_part, d->n_energy_parts ? d->energy_part : NULL, d->nv) &&
         keep_numbers(&s->def.energy_joined, d->energy_joined, d->n_energy_parts);
}

static bool keep_all(ss_system* s, const ss_system_def* d)
{
  int nq = s->def.nq;
  size_t most = 1 + 2*((size_t)nq + (size_t)d->nv + (size_t)d->n_sensor + (size_t)d->n_kink) + (size_t)d->n_contact +
                (size_t)d->n_bilateral;
  s->names = calloc(most, sizeof *s->names);
  if (!s->names) return false;
  s->def.name = keep_name(s, d->name ? d->name : "system", "", 0);
  s->def.coordinate = keep_list(s, nq, d->coordinate, "q");
  s->def.bilateral_name = keep_list(s, d->n_bilateral, d->bilateral_name, "c");
  if (d->unit) s->def.unit = keep_list(s, nq, d->unit, "");
  s->def.velocity = keep_list(s, d->nv, d->velocity ? d->velocity : nq == d->nv ? d->coordinate : NULL, "q");
  if (d->velocity_unit) s->def.velocity_unit = keep_list(s, d->nv, d->velocity_unit, "");
  if (d->n_sensor) s->def.sensor = keep_list(s, d->n_sensor, d->sensor, "");
  if (d->n_sensor) s->def.sensor_unit = keep_list(s, d->n_sensor, d->sensor_unit, "");
  if (d->n_kink) s->def.kink = keep_list(s, d->n_kink, d->kink, "");
  if (d->n_kink && !s->def.kink) return false;
  bool sensors = !d->n_sensor || (s->def.sensor && s->def.sensor_unit);
  return sensors &&
         s->def.name && s->def.coordinate && s->def.bilateral_name && (!d->unit || s->def.unit) && s->def.velocity &&
         (!d->velocity_unit || s->def.velocity_unit) &&
         keep_contacts(s, d->contact, d->n_contact) && keep_parts(s, d);
}

ss_system* ss_system_create(const ss_system_def* def, ss_error* error)
{
  if (!def) {
    ss_error_null(error, "the definition");
    return NULL;
  }
  if (validate(def, error) < 0) return NULL;
  ss_system* s = calloc(1, sizeof *s);
  if (s) {
    s->def = *def;
    if (!s->def.nq) s->def.nq = s->def.nv;
    s->def.coordinate = s->def.bilateral_name = s->def.unit = s->def.velocity = s->def.velocity_unit = NULL;
    s->def.sensor = s->def.sensor_unit = s->def.kink = NULL;
    s->def.contact = NULL;
    s->def.row_part = s->def.coupled = s->def.energy_part = s->def.energy_joined = NULL;
    if (keep_all(s, def)) return s;
  }
  ss_error_set(error, SS_ERR_MEMORY, "out of memory");
  ss_system_destroy(s);
  return NULL;
}

void ss_system_destroy(ss_system* s)
{
  if (!s) return;
  for (int i = 0; i < s->n_names; i++) free(s->names[i]);
  free(s->names);
  free((void*)s->def.coordinate);
  free((void*)s->def.bilateral_name);
  free((void*)s->def.unit);
  free((void*)s->def.velocity);
  free((void*)s->def.velocity_unit);
  free((void*)s->def.sensor);
  free((void*)s->def.sensor_unit);
  free((void*)s->def.kink);
  free((void*)s->def.contact);
  free((void*)s->def.row_part);
  free((void*)s->def.coupled);
  free((void*)s->def.energy_part);
  free((void*)s->def.energy_joined);
  free(s);
}

const ss_system_def* ss_system_get(const ss_system* s) { return s ? &s->def : NULL; }

int ss_system_rows(const ss_system* s) { return s ? s->rows : 0; }
