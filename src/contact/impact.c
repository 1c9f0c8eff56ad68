// Impacts by Newton's and by Poisson's law (docs/impacts.md), with Lambda, gamma in the rows of ss_contact_problem.
//   Newton      xi = gamma+ + eps gamma-: one contact problem with b_N = gamma_N + eps_N min(gamma_N, 0),
//               b_T = (1 + eps_T) gamma_T
//   Poisson     compression: the contact problem with b = gamma, gives Lambda_C, gamma_C = gamma + G Lambda_C
//               expansion: a = eps_N Lambda_NC is given back at least, P = Lambda_NE - a, 0 <= P _|_ gamma_NE >= 0, and
//               Coulomb's law with limit mu Lambda_NE: a contact problem in P with bound mu a, b = gamma_C + G_N a.
//               In the plane, with tangential reversibility the characteristic of friction is cut at the impulse
//               Lambda_TS = nu eps_N eps_T Lambda_TC, and the half that brakes the recoil acts at gamma_0.
#include <math.h>
#include <string.h>
#include <stickslip/impact.h>

#include "base/arena.h"
#include "contact/choose.h"
#include "contact/hold.h"
#include "contact/impact_laws.h"
#include "contact/least_norm.h"
#include "contact/planar.h"
#include "contact/round_off.h"
#include "math/dense.h"

// Relative to the terms a row is a sum of: velocities below are zero as far as states go.
#define ROUND_OFF 1e-12
enum { MANY = 8 };  // contacts of an impact: pivots lose digits

static const char* const law_names[SS_IMPACT_LAWS] = {"newton", "poisson"};

const char* ss_impact_law_name(ss_impact_law law)
{
  return (int)law >= 0 && law < SS_IMPACT_LAWS ? law_names[law] : NULL;
}

bool ss_impact_law_find(const char* name, ss_impact_law* law)
{
  for (int k = 0; name && k < SS_IMPACT_LAWS; k++) {
    if (strcmp(name, law_names[k]) != 0) continue;
    *law = (ss_impact_law)k;
    return true;
  }
  return false;
}

static const char* const order_names[SS_IMPACT_ORDERS] = {"simultaneous", "sequential"};

const char* ss_impact_order_name(ss_impact_order order)
{
  return (int)order >= 0 && order < SS_IMPACT_ORDERS ? order_names[order] : NULL;
}

bool ss_impact_order_find(const char* name, ss_impact_order* order)
{
  for (int k = 0; name && k < SS_IMPACT_ORDERS; k++) {
    if (strcmp(name, order_names[k]) != 0) continue;
    *order = (ss_impact_order)k;
    return true;
  }
  return false;
}

ss_impact_def ss_impact_def_default(void)
{
  return (ss_impact_def){.law = SS_IMPACT_NEWTON, .recoil = SS_RECOIL_LOCAL, .solver = ss_lcp_def_default(),
                         .friction = ss_friction_def_default()};
}

typedef struct work {
  const ss_impact* in;
  const ss_impact_def* def;
  ss_arena* arena;
  double *b, *bound, *a;                 // m; n_contact; m: the impulse given back at least, zero but for normal rows
  ss_halves* halves;                     // n_contact
  double *Lambda_C, *gamma_C, *Lambda_E; // m
  double *Lambda, *gamma, *xi;           // m: sums and scratch
  ss_contact_state* state;               // n_contact
  bool unique, spatial;
  ss_choice choice;
  int iterations;
} work;

static bool take(work* w)
{
  int m = w->in->m, k = w->in->n_contact;
  double** const rows[] = {&w->b, &w->a, &w->Lambda_C, &w->gamma_C, &w->Lambda_E, &w->Lambda, &w->gamma, &w->xi};
  for (size_t i = 0; i < sizeof rows/sizeof *rows; i++)
    if (!(*rows[i] = ss_arena_array(w->arena, double, m))) return false;
  w->bound = ss_arena_array(w->arena, double, k);
  w->halves = ss_arena_array(w->arena, ss_halves, k);
  w->state = ss_arena_array(w->arena, ss_contact_state, k);
  return w->bound && w->halves && w->state;
}

static ss_contact_problem problem_of(const work* w)
{
  const ss_impact* in = w->in;
  return (ss_contact_problem){.n_bilateral = in->n_bilateral, .n_contact = in->n_contact, .m = in->m, .G = in->G,
                              .b = w->b, .kind = in->kind, .mu = in->mu, .bound = w->bound};
}

// The exact cone, well within the tolerance if round-off lets it: the residual of an impact has another unit
static ss_friction_def exact(const work* w)
{
  ss_friction_def how = w->def->friction;
  how.polyhedral = how.warm_start = false;
  how.tol = fmax(0.01*how.tol, fmin(how.tol, 1e-12));
  return how;
}

// Takes these impulses of a planar problem if their residual is better
static void take_better(const ss_contact_problem* p, const double* Lambda, ss_contact_solution* s)
{
  double residual = ss_contact_residual(p, Lambda);
  if (!(residual < s->residual)) return;
  s->residual = residual;
  memcpy(s->Lambda, Lambda, sizeof(double)*(size_t)p->m);
  ss_gemv(p->m, p->m, p->G, Lambda, s->xi);
  for (int r = 0; r < p->m; r++) s->xi[r] += p->b[r];
}

// Impulses of contacts that are round-off of those of others are none: they may pull, or be beyond friction
static void clear_round_off(const ss_contact_problem* p, double* Lambda)
{
  double largest = 0;
  for (int r = 0; r < p->m; r++) largest = fmax(largest, fabs(Lambda[r])*sqrt(p->G[(size_t)r*(size_t)(p->m + 1)]));
  for (int i = 0, r = p->n_bilateral; i < p->n_contact; r += ss_contact_rows(p->kind[i++])) {
    double push = 0;
    for (int k = r; k < r + ss_contact_rows(p->kind[i]); k++)
      push = fmax(push, fabs(Lambda[k])*sqrt(p->G[(size_t)k*(size_t)(p->m + 1)]));
    for (int k = r; push <= ROUND_OFF*largest && k < r + ss_contact_rows(p->kind[i]); k++) Lambda[k] = 0;
  }
}

// A planar problem that pivots have not solved: they go through redundant contacts one by one, and lose digits there if
// there are many. (Of a few, what pivots do not solve has no solution.)
// Iterations on the cone take their place; with their states the impulses follow from the equations alone.
static ss_status solve_on_cone(work* w, const ss_contact_problem* p, ss_status st, ss_contact_solution* s)
{
  size_t mark = ss_arena_mark(w->arena);
  ss_friction_def how = exact(w);
  ss_contact_solution other = {.Lambda = ss_arena_array(w->arena, double, p->m), .xi = s->xi, .state = s->state};
  ss_status found = other.Lambda ? ss_contact_solve_spatial(p, &how, w->arena, &other) : SS_ERR_CAPACITY;
  if (found >= 0) {
    w->iterations += other.iterations;
    take_better(p, other.Lambda, s);
    found = ss_contact_hold(p, other.state, w->arena, other.Lambda);
  }
  if (found == SS_OK) {
    clear_round_off(p, other.Lambda);
    take_better(p, other.Lambda, s);
  }
  if (s->residual <= w->def->solver.tol) st = SS_OK;
  ss_arena_release(w->arena, mark);
  return found == SS_ERR_CAPACITY || found == SS_ERR_MEMORY ? found : st;
}

// Solves the problem at hand for Lambda; w->xi and w->state are scratch
static ss_status solve_problem(work* w, double* Lambda)
{
  ss_contact_problem p = problem_of(w);
  ss_contact_solution s = {.Lambda = Lambda, .xi = w->xi, .state = w->state};
  ss_friction_def how = exact(w);
  ss_status st = w->spatial ? ss_contact_solve_spatial(&p, &how, w->arena, &s)
                            : ss_contact_solve(&p, &w->def->solver, w->arena, &s);
  if (st >= 0) w->iterations += s.iterations;
  bool pivots = w->def->solver.solver == SS_LCP_AUTO || w->def->solver.solver == SS_LCP_LEMKE;
  if (st > 0 && !w->spatial && pivots && p.n_contact >= MANY && w->def->friction.tol > 0)
    st = solve_on_cone(w, &p, st, &s);
  ss_choice choice = st == SS_OK ? ss_choose(&p, false, w->arena, &s) : SS_CHOICE_NONE;
  if (choice > w->choice) w->choice = choice;
  return st;
}

void ss_impact_velocities(const ss_impact* in, const double* gamma, const double* Lambda, double* out)
{
  ss_gemv(in->m, in->m, in->G, Lambda, out);
  for (int r = 0; r < in->m; r++) out[r] += gamma[r];
}

void ss_impact_states(const ss_impact* in, const double* gamma, const double* Lambda, double error,
                      ss_contact_state* state)
{
  for (int i = 0, r = in->n_bilateral; i < in->n_contact; r += ss_contact_rows(in->kind[i]), i++) {
    int rows = ss_contact_rows(in->kind[i]);
    bool normal = in->kind[i] != SS_CONTACT_FRICTION, friction = rows > 1 && in->mu[i] > 0;
    double size[3] = {0, 0, 0};
    for (int k = 0; k < rows; k++) {
      size[k] = fabs(in->gamma[r + k]);
      for (int j = 0; j < in->m; j++) size[k] += fabs(in->G[(r + k)*in->m + j]*Lambda[j]);
      size[k] = fmax(ROUND_OFF*size[k], error);
    }
    if (!normal || gamma[r] > size[0]) state[i] = SS_OPEN;
    else if (!friction) state[i] = SS_CLOSED;
    else if (fabs(gamma[r + 1]) <= size[1] && (rows < 3 || fabs(gamma[r + 2]) <= size[2])) state[i] = SS_STICK;
    else if (rows == 3) state[i] = SS_SLIP;
    else state[i] = gamma[r + 1] > 0 ? SS_SLIP_POS : SS_SLIP_NEG;
  }
}

void ss_impact_newton(const ss_impact* in, double sigma, double* b)
{
  memcpy(b, in->gamma, sizeof(double)*(size_t)in->m);
  for (int i = 0, r = in->n_bilateral; i < in->n_contact; i++) {
    if (in->kind[i] != SS_CONTACT_FRICTION) {
      b[r] += sigma*in->eps_n[i]*fmin(in->gamma[r], 0);
      r++;
    }
    for (int k = in->kind[i] == SS_CONTACT_SPATIAL ? 2 : in->kind[i] != SS_CONTACT_NORMAL; k > 0; k--, r++)
      b[r] += sigma*in->eps_t[i]*in->gamma[r];
  }
}

static ss_status newton(work* w, double sigma)
{
  ss_impact_newton(w->in, sigma, w->b);
  for (int i = 0; i < w->in->n_contact; i++) w->bound[i] = 0;
  return solve_problem(w, w->Lambda_C);
}

// How well velocities are known
static double error_of(const work* w)
{
  return w->spatial ? 2*exact(w).tol*ss_norm_inf(w->in->m, w->in->gamma) : 0;
}

// Among the impulses that fit w->gamma_C: those of least norm
static ss_status make_least(work* w)
{
  size_t mark = ss_arena_mark(w->arena);
  ss_contact_problem p = problem_of(w);
  ss_reduced r;
  ss_impact_states(w->in, w->gamma_C, w->Lambda_C, error_of(w), w->state);
  ss_status st = ss_reduce_contacts(&p, w->arena, &r) ? SS_OK : SS_ERR_CAPACITY;
  if (st == SS_OK)
    st = ss_least_norm(&p, &r, w->state, w->gamma_C + r.nb, &w->def->solver, w->arena, w->Lambda_C + r.nb, &w->unique);
  if (st == SS_OK && !w->unique) ss_recover_bilateral(&r, true, w->Lambda_C);
  ss_arena_release(w->arena, mark);
  return st;
}

static void begin_compression(work* w)
{
  memcpy(w->b, w->in->gamma, sizeof(double)*(size_t)w->in->m);
  for (int i = 0; i < w->in->n_contact; i++) w->bound[i] = 0;
}

static ss_status compress(work* w)
{
  begin_compression(w);
  ss_status st = solve_problem(w, w->Lambda_C);
  if (st < 0) return st;
  ss_impact_velocities(w->in, w->in->gamma, w->Lambda_C, w->gamma_C);
  ss_status least = make_least(w);
  if (least == SS_OK && !w->unique) ss_impact_velocities(w->in, w->in->gamma, w->Lambda_C, w->gamma_C);
  return least < 0 ? least : st;
}

// The friction law of a contact in the expansion; r is its tangential row, shift = Lambda_TS
static ss_halves cut(const work* w, double shift, int r)
{
  ss_halves h = {0, 0, 0};
  if (shift == 0 || w->def->recoil == SS_RECOIL_NONE) return h;
  double gamma_0 = w->def->recoil == SS_RECOIL_FREE ? copysign(INFINITY, shift) : w->in->G[r*w->in->m + r]*shift;
  h.shift = shift;
  h.plus = fmin(gamma_0, 0);
  h.minus = fmax(gamma_0, 0);
  return h;
}

bool ss_impact_given_back(const ss_impact* in, double sigma, const double* Lambda_C, double* a, double* bound)
{
  bool any = false;
  memset(a, 0, sizeof(double)*(size_t)in->m);
  for (int i = 0, r = in->n_bilateral; i < in->n_contact; r += ss_contact_rows(in->kind[i]), i++) {
    bool normal = in->kind[i] != SS_CONTACT_FRICTION;
    if (normal) a[r] = sigma*in->eps_n[i]*Lambda_C[r];
    bound[i] = normal ? in->mu[i]*a[r] : 0;
    any = any || (normal && a[r] > 0);
  }
  return any;
}

// What the expansion gives back at least, and where friction is cut; false if nothing is given back
static bool prepare_expansion(work* w, double sigma, bool* recoils)
{
  const ss_impact* in = w->in;
  bool any = ss_impact_given_back(in, sigma, w->Lambda_C, w->a, w->bound);
  for (int i = 0, r = in->n_bilateral; i < in->n_contact; r += ss_contact_rows(in->kind[i]), i++) {
    double nu = in->nu ? in->nu[i] : 0;
    bool planar = in->kind[i] == SS_CONTACT_PLANAR;
    w->halves[i] = cut(w, planar ? nu*sigma*in->eps_n[i]*in->eps_t[i]*w->Lambda_C[r + 1] : 0, r + 1);
    *recoils = *recoils || w->halves[i].shift != 0;
  }
  ss_impact_velocities(in, w->gamma_C, w->a, w->b);
  return any;
}

// The expansion with a law that is not Coulomb's, in the long form
static ss_status solve_recoil(work* w)
{
  size_t mark = ss_arena_mark(w->arena);
  ss_contact_problem p = problem_of(w);
  ss_reduced r;
  int iterations = 0;
  ss_status st = ss_reduce_contacts(&p, w->arena, &r) ? SS_OK : SS_ERR_CAPACITY;
  if (st == SS_OK)
    st = ss_planar_long(&p, &r, w->halves, &w->def->solver, w->arena, w->Lambda_E + r.nb, &iterations);
  if (st >= 0) ss_recover_bilateral(&r, true, w->Lambda_E);
  w->iterations += iterations;
  ss_arena_release(w->arena, mark);
  return st;
}

static ss_status expand(work* w, double sigma)
{
  bool recoils = false;
  memset(w->Lambda_E, 0, sizeof(double)*(size_t)w->in->m);
  if (!prepare_expansion(w, sigma, &recoils)) return SS_OK;
  ss_status st = recoils ? solve_recoil(w) : solve_problem(w, w->Lambda_E);
  if (st < 0) return st;
  for (int r = 0; r < w->in->m; r++) w->Lambda_E[r] += w->a[r];
  return st;
}

// The impact with restitution scaled by sigma; Poisson's compression does not depend on it and is there already
static ss_status solve_scaled(work* w, double sigma)
{
  int m = w->in->m;
  bool poisson = w->def->law == SS_IMPACT_POISSON;
  ss_status st = poisson ? expand(w, sigma) : newton(w, sigma);
  if (st < 0) return st;
  for (int r = 0; r < m; r++) w->Lambda[r] = w->Lambda_C[r] + (poisson ? w->Lambda_E[r] : 0);
  ss_impact_velocities(w->in, w->in->gamma, w->Lambda, w->gamma);
  return st;
}

// Change of kinetic energy, Lambda . (gamma + gamma_after)/2, and the size of its terms
static double energy_of(const work* w, double* size)
{
  double sum = 0;
  *size = 0;
  for (int r = 0; r < w->in->m; r++) {
    double part = w->Lambda[r]*(w->in->gamma[r] + w->gamma[r])/2;
    sum += part;
    *size += fabs(w->Lambda[r])*(fabs(w->in->gamma[r]) + fabs(w->gamma[r]));
  }
  return sum;
}

static bool gains(const work* w)
{
  double size, energy = energy_of(w, &size);
  return energy > ROUND_OFF*size;
}

// The largest sigma found by bisection that gains no energy. sigma = 0 always qualifies: nothing is given back. A state
// that is not solved says nothing about its sigma, which is not taken then.
static ss_status limit_energy(work* w, double* sigma)
{
  double low = 0, high = 1, size;
  ss_status st = SS_OK;
  for (int k = 0; k < 50; k++) {
    double middle = (low + high)/2;
    st = solve_scaled(w, middle);
    if (st < 0) return st;
    if (st > 0 || energy_of(w, &size) > 0) high = middle;
    else low = middle;
  }
  *sigma = low;
  return solve_scaled(w, low);
}

static bool in_unit(double x) { return x >= 0 && x <= 1; }

// Tangential reversibility is a law of the plane: with spatial contacts nobody may have it
static bool may_recoil(const ss_impact* in, const ss_impact_def* def)
{
  bool none = def->law != SS_IMPACT_POISSON || def->recoil == SS_RECOIL_NONE || !in->nu || !ss_impact_is_spatial(in);
  for (int i = 0; i < in->n_contact && !none; i++)
    if (in->nu[i] > 0) return false;
  return true;
}

static bool is_valid(const ss_impact* in, const ss_impact_def* def)
{
  if (!ss_impact_law_name(def->law) || !ss_impact_order_name(def->order)) return false;
  if ((int)def->recoil < 0 || def->recoil > SS_RECOIL_NONE) return false;
  for (int i = 0; i < in->n_contact; i++)
    if (!in_unit(in->eps_n[i]) || !in_unit(in->eps_t[i]) || (in->nu && !in_unit(in->nu[i]))) return false;
  return may_recoil(in, def);
}

static void copy(double* to, const double* from, int m)
{
  if (to) memcpy(to, from, sizeof(double)*(size_t)m);
}

static ss_status finish(work* w, ss_status st, double sigma, ss_impact_solution* s)
{
  int m = w->in->m;
  bool poisson = w->def->law == SS_IMPACT_POISSON;
  double size;
  if (!poisson) {
    memset(w->Lambda_E, 0, sizeof(double)*(size_t)m);
    memcpy(w->gamma_C, w->gamma, sizeof(double)*(size_t)m);
  }
  ss_impact_states(w->in, w->gamma, w->Lambda, error_of(w), s->state);
  copy(s->Lambda, w->Lambda, m);
  copy(s->gamma_after, w->gamma, m);
  copy(s->Lambda_C, w->Lambda_C, m);
  copy(s->gamma_C, w->gamma_C, m);
  copy(s->Lambda_E, w->Lambda_E, m);
  s->energy = energy_of(w, &size);
  s->sigma = sigma;
  s->hits = 1;
  s->unique = w->unique;
  s->choice = w->choice;
  s->iterations = w->iterations;
  s->residual = ss_impact_residual(w->in, w->def, sigma, w->Lambda_C, w->Lambda_E);
  double tol = w->spatial ? w->def->friction.tol : w->def->solver.tol;
  if (ss_contact_within(s->residual, tol, m, w->in->G, w->in->gamma, w->Lambda)) return SS_OK;
  return st == SS_OK ? SS_INACCURATE : st;
}

static ss_status solve(work* w, ss_impact_solution* s)
{
  double sigma = 1;
  ss_status st = w->def->law == SS_IMPACT_POISSON ? compress(w) : SS_OK, compressed = st;
  if (st >= 0) st = solve_scaled(w, sigma);
  if (st >= 0 && w->def->energy_limited && gains(w)) st = limit_energy(w, &sigma);
  if (st < 0) return st;
  return finish(w, compressed > 0 ? compressed : st, sigma, s);
}

#define bytes_of(type, count) ss_arena_bytes(sizeof(type)*(count))

size_t ss_impact_solve_size(int n_bilateral, int n_contact)
{
  size_t nb = (size_t)n_bilateral, k = (size_t)n_contact, m = nb + 3*k;
  size_t own = 8*bytes_of(double, m) + bytes_of(double, k) + bytes_of(ss_halves, k) + bytes_of(ss_contact_state, k);
  size_t elimination = ss_reduce_rows_size(n_bilateral, 3*n_contact), least = ss_least_norm_size(n_contact);
  size_t recoil = ss_planar_long_size(n_contact), second = elimination + (least > recoil ? least : recoil);
  size_t planar = ss_contact_solve_size(n_bilateral, n_contact);
  size_t spatial = ss_contact_solve_spatial_size(n_bilateral, n_contact), contact = planar > spatial ? planar : spatial;
  size_t choice = ss_choose_size(n_bilateral, n_contact, 3*n_contact);
  if (choice > contact) contact = choice;
  contact += bytes_of(double, m) + ss_contact_hold_size(n_bilateral, n_contact);  // on the cone
  return own + (contact > second ? contact : second) + ss_impact_sequence_size(n_bilateral, n_contact);
}

ss_status ss_impact_check(const ss_impact* in, const ss_impact_def* def, const double* no_bound)
{
  ss_contact_problem p = {.n_bilateral = in->n_bilateral, .n_contact = in->n_contact, .m = in->m, .G = in->G,
                          .b = in->gamma, .kind = in->kind, .mu = in->mu, .bound = no_bound};
  bool spatial = ss_impact_is_spatial(in);
  if (!is_valid(in, def) || !(spatial ? ss_spatial_is_valid(&p) : ss_planar_is_valid(&p))) return SS_ERR_ARGUMENT;
  if (spatial && !(def->friction.tol > 0)) return SS_ERR_ARGUMENT;
  return ss_all_finite(p.m*p.m, p.G) && ss_all_finite(p.m, p.b) ? SS_OK : SS_ERR_NUMERIC;
}

ss_status ss_impact_solve(const ss_impact* impact, const ss_impact_def* def, ss_arena* arena, ss_impact_solution* s)
{
  if (!impact || !def || !arena || !s) return SS_ERR_ARGUMENT;
  work w = {.in = impact, .def = def, .arena = arena, .unique = true};
  s->choice = SS_CHOICE_NONE;
  if (!is_valid(impact, def)) return SS_ERR_ARGUMENT;
  w.spatial = ss_impact_is_spatial(impact);
  size_t mark = ss_arena_mark(arena);
  ss_status st = take(&w) ? SS_OK : SS_ERR_CAPACITY;
  if (st == SS_OK) {
    for (int i = 0; i < impact->n_contact; i++) w.bound[i] = 0;
    st = ss_impact_check(impact, def, w.bound);
  }
  bool single = def->order == SS_IMPACTS_SIMULTANEOUS || impact->n_contact < 2;
  if (st == SS_OK && single) st = solve(&w, s);
  ss_arena_release(arena, mark);
  return st == SS_OK && !single ? ss_impact_sequence(impact, def, arena, s) : st;
}

// A compression that is known, into the workspace
static ss_status restore(work* w, const double* Lambda_C, const double* gamma_C)
{
  size_t bytes = sizeof(double)*(size_t)w->in->m;
  if (!take(w)) return SS_ERR_CAPACITY;
  begin_compression(w);
  memcpy(w->Lambda_C, Lambda_C, bytes);
  memcpy(w->gamma_C, gamma_C, bytes);
  return SS_OK;
}

ss_status ss_impact_expand(const ss_impact* impact, const ss_impact_def* def, ss_arena* arena, const double* Lambda_C,
                           const double* gamma_C, double* Lambda_E)
{
  work w = {.in = impact, .def = def, .arena = arena, .unique = true, .spatial = ss_impact_is_spatial(impact)};
  size_t mark = ss_arena_mark(arena);
  ss_status st = restore(&w, Lambda_C, gamma_C);
  if (st == SS_OK) st = expand(&w, 1);
  if (st >= 0) copy(Lambda_E, w.Lambda_E, impact->m);
  ss_arena_release(arena, mark);
  return st;
}

ss_status ss_impact_least(const ss_impact* impact, const ss_impact_def* def, ss_arena* arena, const double* gamma_C,
                          double* Lambda_C, bool* unique)
{
  work w = {.in = impact, .def = def, .arena = arena, .unique = true, .spatial = ss_impact_is_spatial(impact)};
  size_t mark = ss_arena_mark(arena);
  ss_status st = restore(&w, Lambda_C, gamma_C);
  if (st == SS_OK) st = make_least(&w);
  if (st == SS_OK) copy(Lambda_C, w.Lambda_C, impact->m);
  *unique = w.unique;
  ss_arena_release(arena, mark);
  return st;
}
