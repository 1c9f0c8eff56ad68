// The polyhedral friction cone as an MLCP.
#include "solve/friction_set.h"
#include <math.h>
#include <stickslip/polyhedral.h>

static const double TURN = 6.283185307179586;

// ---- directions ----

static const ss_friction_set* set_of(const ss_polyhedral* p, int c) { return p->set ? &p->set[c] : NULL; }

static bool is_polygon(const ss_friction_set* set) { return set && set->shape == SS_SET_POLYGON; }

int ss_polyhedral_directions(const ss_polyhedral* p, int c)
{
  if (!p || !p->problem) return 0;
  if (p->problem->kind[c] == SS_CONTACT_PLANAR) return 2;
  if (p->problem->kind[c] != SS_CONTACT_SPATIAL) return 0;
  return is_polygon(set_of(p, c)) ? set_of(p, c)->n : p->facets;
}

// d_j of contact c, a point on the border of S. Opposite ones differ by the sign to the last bit.
static void direction(const ss_polyhedral* p, int c, int j, double d[2])
{
  const ss_friction_set* set = set_of(p, c);
  int n = ss_polyhedral_directions(p, c);
  if (p->problem->kind[c] == SS_CONTACT_PLANAR) {
    d[0] = j == 0 ? 1 : -1;
    d[1] = 0;
  } else if (is_polygon(set)) {
    d[0] = set->vertex[2*j];
    d[1] = set->vertex[2*j + 1];
  } else {
    double sign = j >= n/2 ? -1 : 1, angle = (p->angle ? p->angle[c] : 0) + TURN*(j >= n/2 ? j - n/2 : j)/n;
    double unit[2] = {sign*cos(angle), sign*sin(angle)};
    ss_set_stretch(set, unit, d);
  }
}

double ss_polyhedral_angle(const ss_friction_set* set, const double xi_T[2])
{
  if (!xi_T) return NAN;
  double v[2];
  ss_set_stretch_t(set, xi_T, v);  // the point of E(disk) with outer normal -xi is E of the direction -E^T xi
  return v[0] == 0 && v[1] == 0 ? 0 : atan2(-v[1], -v[0]);
}

// ---- unknowns ----

static int unknowns_of(const ss_polyhedral* p, int c)
{
  int n = ss_polyhedral_directions(p, c);
  return n > 0 ? n + 2 : 1;
}

int ss_polyhedral_first(const ss_polyhedral* p, int contact)
{
  if (!p || !p->problem) return 0;
  int n = p->problem->n_bilateral;
  for (int c = 0; c < contact; c++) n += unknowns_of(p, c);
  return n;
}

int ss_polyhedral_unknowns(const ss_polyhedral* p)
{
  return p && p->problem ? ss_polyhedral_first(p, p->problem->n_contact) : 0;
}

// One unknown after the other: what Lambda it stands for
typedef struct walker {
  const ss_polyhedral* p;
  int unknown;  // its number
  int contact;  // -1 for bilateral rows
  int place;    // within the contact
  int row;      // first row of the contact, or the bilateral row
  int first;    // row of Lambda that it moves, ...
  int width;    // ... and how many: 0 for sigma
} walker;

static void describe(walker* w)
{
  int c = w->contact, n = c < 0 ? 0 : ss_polyhedral_directions(w->p, c);
  w->first = w->row + (n > 0 && w->place > 0);
  if (n == 0 || w->place == 0) w->width = 1;
  else if (w->place > n) w->width = 0;
  else w->width = w->p->problem->kind[c] == SS_CONTACT_SPATIAL ? 2 : 1;
}

static walker walk(const ss_polyhedral* p)
{
  walker w = {.p = p, .contact = p->problem->n_bilateral > 0 ? -1 : 0};
  if (w.contact < p->problem->n_contact) describe(&w);
  return w;
}

static void next(walker* w)
{
  const ss_contact_problem* p = w->p->problem;
  w->unknown++;
  if (w->contact < 0) {
    w->row++;
    if (w->row == p->n_bilateral) w->contact = 0;
  } else if (++w->place == unknowns_of(w->p, w->contact)) {
    w->row += ss_contact_rows(p->kind[w->contact++]);
    w->place = 0;
  }
  if (w->contact < p->n_contact) describe(w);
}

// The column of X in Lambda = X z that belongs to an unknown
static void coefficients(const walker* w, double c[2])
{
  bool friction = w->contact >= 0 && ss_polyhedral_directions(w->p, w->contact) > 0 && w->place > 0;
  c[0] = 1;
  c[1] = 0;
  if (w->width == 0) c[0] = 0;
  else if (friction) direction(w->p, w->contact, w->place - 1, c);
}

// ---- the problem ----

// X^T G X between two unknowns whose coefficients are at u and v
static double couple(const ss_contact_problem* p, const walker* i, const double u[2], const walker* j,
                     const double v[2])
{
  double sum = 0;
  for (int a = 0; a < i->width; a++) {
    const double* G = p->G + (size_t)(i->first + a)*(size_t)p->m + j->first;
    for (int b = 0; b < j->width; b++) sum += u[a]*G[b]*v[b];
  }
  return sum;
}

// The row of sigma, and its column
static void write_sigma(const walker* w, int n, double* A, double* b)
{
  size_t N = (size_t)n, sigma = (size_t)w->unknown, normal = sigma - (size_t)w->place;
  A[sigma*N + normal] = w->p->problem->mu[w->contact];
  for (size_t beta = normal + 1; beta < sigma; beta++) {
    A[sigma*N + beta] = -1;
    A[beta*N + sigma] = 1;
  }
  b[sigma] = w->p->problem->bound ? w->p->problem->bound[w->contact] : 0;
}

static void write_bounds(const walker* w, double* lower, double* upper)
{
  const ss_contact_problem* p = w->p->problem;
  *lower = w->contact < 0 ? -INFINITY : 0;
  *upper = INFINITY;
  if (w->contact >= 0 && p->kind[w->contact] == SS_CONTACT_FRICTION) {
    *upper = p->bound ? p->bound[w->contact] : 0;
    *lower = -*upper;
  }
}

void ss_polyhedral_write(const ss_polyhedral* p, double* A, double* b, double* lower, double* upper)
{
  if (!p || !p->problem || !A || !b || !lower || !upper) return;
  int n = ss_polyhedral_unknowns(p);
  for (walker w = walk(p); w.unknown < n; next(&w)) {  // the bounds hold the coefficients until the end
    double c[2];
    coefficients(&w, c);
    lower[w.unknown] = c[0];
    upper[w.unknown] = c[1];
  }
  for (walker i = walk(p); i.unknown < n; next(&i)) {
    double u[2] = {lower[i.unknown], upper[i.unknown]}, *row = A + (size_t)i.unknown*(size_t)n;
    for (walker j = walk(p); j.unknown < n; next(&j)) {
      double v[2] = {lower[j.unknown], upper[j.unknown]};
      row[j.unknown] = couple(p->problem, &i, u, &j, v);
    }
    b[i.unknown] = 0;
    for (int a = 0; a < i.width; a++) b[i.unknown] += u[a]*p->problem->b[i.first + a];
  }
  for (walker w = walk(p); w.unknown < n; next(&w)) {
    if (w.width == 0) write_sigma(&w, n, A, b);
    write_bounds(&w, &lower[w.unknown], &upper[w.unknown]);
  }
}

void ss_polyhedral_read(const ss_polyhedral* p, const double* z, double* Lambda)
{
  if (!p || !p->problem || !z || !Lambda) return;
  int n = ss_polyhedral_unknowns(p);
  for (int i = 0; i < p->problem->m; i++) Lambda[i] = 0;
  for (walker w = walk(p); w.unknown < n; next(&w)) {
    double c[2];
    coefficients(&w, c);
    for (int a = 0; a < w.width; a++) Lambda[w.first + a] += c[a]*z[w.unknown];
  }
}
