// Steps in which contacts hit, by other laws than that of Moreau's rule, xi = gamma_E + eps gamma_A, which is Newton's
// for all contacts at once. For Poisson's, for hits one by one and for restitution that is limited by energy the step
// is taken apart (docs/impacts.md): first the impact alone, from gamma_A to gamma+ with the impulses
// Lambda_I of compression and expansion, of all active contacts and bilateral rows; then the contact problem of the
// step as before, from the velocity after the impact,
//   b = W^T (u_free + M^-1 W Lambda_I) + w_hat,   and for contacts that have hit   b_N - gamma_N+,
// so that gamma_N+ stands where Newton's law has -eps_N gamma_NA: finite forces of the step do not lower the rebound,
// and a ball with eps_N = 1 keeps its energy.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "contact/choose.h"
#include "integrate/work.h"
#include "math/dense.h"

#define ROUND_OFF 1e-12  // of the terms of a velocity: approach below this is none

typedef struct impact {
  int m;
  double *gamma, *Lambda, *after;    // m: before, impulses, after
  double *eps_n, *eps_t, *nu;        // n_active
  ss_contact_state* state;           // n_active
  bool* hits;                        // n_active
} impact;

#define bytes_of(type, count) ss_arena_bytes(sizeof(type)*(count))

size_t ss_collide_size(int n_bilateral, int n_contact, int rows)
{
  size_t k = (size_t)n_contact, m = (size_t)(n_bilateral + rows);
  size_t hit = ss_impact_solve_size(n_bilateral, n_contact), step = ss_contact_solve_size(n_bilateral, n_contact);
  size_t choice = ss_choose_size(n_bilateral, n_contact, rows);
  if (choice > step) step = choice;
  return 3*bytes_of(double, m) + 3*bytes_of(double, k) + bytes_of(ss_contact_state, k) + bytes_of(bool, k) +
         (hit > step ? hit : step);
}

static bool take(ss_work* w, impact* c)
{
  int k = w->n_active;
  c->m = w->problem.m;
  c->gamma = ss_arena_array(w->arena, double, c->m);
  c->Lambda = ss_arena_array(w->arena, double, c->m);
  c->after = ss_arena_array(w->arena, double, c->m);
  c->eps_n = ss_arena_array(w->arena, double, k);
  c->eps_t = ss_arena_array(w->arena, double, k);
  c->nu = ss_arena_array(w->arena, double, k);
  c->state = ss_arena_array(w->arena, ss_contact_state, k);
  c->hits = ss_arena_array(w->arena, bool, k);
  return c->gamma && c->Lambda && c->after && c->eps_n && c->eps_t && c->nu && c->state && c->hits;
}

// Contact i of the system approaches, by more than round-off
static bool approaches(const ss_work* w, int i)
{
  double gamma = w->gamma[w->row[i]];
  return gamma < 0 && gamma < -ROUND_OFF*(fabs(w->w_hat[w->row[i]]) + ss_row_terms(w, w->row[i], w->at.u));
}

static bool is_collision(const ss_work* w)
{
  for (int i = 0; i < w->n_active; i++)
    if (w->kind[i] != SS_CONTACT_FRICTION && approaches(w, w->active[i])) return true;
  return false;
}

static ss_status solve_impact(const ss_step_def* def, ss_work* w, impact* c, ss_impact_solution* s)
{
  for (int r = 0; r < c->m; r++) c->gamma[r] = w->gamma[w->source[r]];
  for (int i = 0; i < w->n_active; i++) {
    const ss_contact_def* law = w->law[w->active[i]];
    c->eps_n[i] = law->eps_n;
    c->eps_t[i] = law->eps_t;
    c->nu[i] = law->nu;
    c->hits[i] = w->kind[i] != SS_CONTACT_FRICTION && approaches(w, w->active[i]);
  }
  ss_impact in = {.n_bilateral = w->n_bilateral, .n_contact = w->n_active, .m = c->m, .G = w->G, .gamma = c->gamma,
                  .kind = w->kind, .mu = w->mu, .eps_n = c->eps_n, .eps_t = c->eps_t, .nu = c->nu};
  ss_impact_def how = ss_impact_def_default();
  how.law = def->impact;
  how.energy_limited = def->energy_limited;
  how.order = def->order;
  how.solver = def->solver;
  how.friction = def->friction;
  *s = (ss_impact_solution){.Lambda = c->Lambda, .gamma_after = c->after, .state = c->state};
  return ss_impact_solve(&in, &how, w->arena, s);
}

// b of the rest of the step: Newton's part out, the impact in
static void move_b(ss_work* w, const impact* c)
{
  int r = w->n_bilateral;
  for (int i = 0; i < c->m; i++) w->b[i] += c->after[i] - c->gamma[i];
  for (int i = 0; i < w->n_active; i++) {
    int end = r + ss_contact_rows(w->kind[i]);
    if (c->hits[i]) {
      w->b[r] -= c->eps_n[i]*c->gamma[r] + fmax(c->after[r], 0);
      for (int k = r + 1; k < end; k++) w->b[k] -= c->eps_t[i]*c->gamma[k];
    }
    r = end;
  }
}

// What a contact does that the impact has closed for an instant; r is its normal row
static ss_contact_state instant_state(const ss_work* w, const impact* c, int i, int r)
{
  int tangents = ss_contact_rows(w->kind[i]) - 1;
  double slip = 0, size = fabs(c->gamma[r]);
  for (int k = 1; k <= tangents; k++) {
    slip = fmax(slip, fabs(c->after[r + k]));
    size += fabs(c->gamma[r + k]);
  }
  if (!tangents || w->mu[i] == 0) return SS_CLOSED;
  if (slip <= ROUND_OFF*size) return SS_STICK;
  return tangents > 1 ? SS_SLIP : c->after[r + 1] > 0 ? SS_SLIP_POS : SS_SLIP_NEG;
}

// Impulses of both parts; a contact that the impact has closed for an instant is closed in this step
static void add_impact(ss_work* w, const impact* c)
{
  int r = w->n_bilateral;
  w->has_jump = false;
  for (int i = 0; i < c->m; i++) w->solution.Lambda[i] += c->Lambda[i];
  for (int i = 0; i < w->n_active; i++) {
    bool loaded = w->kind[i] != SS_CONTACT_FRICTION && c->Lambda[r] > 0;
    if (loaded && w->solution.state[i] == SS_OPEN) w->solution.state[i] = instant_state(w, c, i, r);
    r += ss_contact_rows(w->kind[i]);
  }
}

// Why an impact is refused, where that can be told
static const char* reason(const ss_work* w, ss_status st)
{
  bool spatial = false, reversible = false;
  for (int i = 0; i < w->n_active; i++) {
    spatial = spatial || w->kind[i] == SS_CONTACT_SPATIAL;
    reversible = reversible || w->law[w->active[i]]->nu > 0;
  }
  if (st == SS_ERR_ARGUMENT && spatial && reversible)
    return "Poisson's law has no reversibility nu together with contacts in space; nu must be 0";
  return ss_status_text(st);
}

ss_status ss_check_poisson(ss_work* w, const ss_step_def* def, int n)
{
  for (int i = 0; def->impact == SS_IMPACT_POISSON && i < n; i++) {
    const ss_contact_def* law = w->law[w->active[i]];
    if (law->kind != SS_CONTACT_SPATIAL || law->eps_t == 0) continue;
    char name[SS_CONTACT_NAME];
    if (w->op) w->op->contact_name(w->def->user, w->item[w->active[i]].key, name, sizeof name);
    return ss_work_fail(w, SS_ERR_ARGUMENT, "contact '%.80s' has tangential restitution, %g, which Poisson's law does "
                        "not have in space; it must be 0, or the law Newton's", w->op ? name : law->name, law->eps_t);
  }
  return SS_OK;
}

static ss_status collide(const ss_step_def* def, ss_work* w)
{
  impact c;
  ss_impact_solution s;
  if (!take(w, &c)) return ss_work_fail(w, SS_ERR_CAPACITY, "the workspace is too small for the impact");
  ss_status hit = solve_impact(def, w, &c, &s);
  if (hit < 0)
    return ss_work_fail(w, hit, "the impact at t = %g could not be solved: %s", w->at.t, reason(w, hit));
  ss_take_choice(w, s.choice);
  move_b(w, &c);
  w->impact_Lambda = c.Lambda;
  ss_status st = ss_solve_contacts(w, def);
  w->impact_Lambda = NULL;
  if (st < 0) return st;
  add_impact(w, &c);
  w->solution.iterations += s.iterations;
  w->solution.residual = fmax(w->solution.residual, s.residual);
  return st == SS_OK ? hit : st;
}

ss_status ss_solve_apart(const ss_step_def* def, ss_work* w)
{
  if (!is_collision(w)) return ss_solve_contacts(w, def);
  if (w->n_sets)
    return ss_work_fail(w, SS_ERR_ARGUMENT,
                        "polygons of friction go with Newton's law of simultaneous impacts alone");
  ss_status fits = ss_check_poisson(w, def, w->n_active);
  if (fits < 0) return fits;
  if (w->op) {
    w->kappa = def->friction.compliance;
    ss_status st = ss_whole_problem(w);
    size_t bytes = ss_collide_size(w->problem.n_bilateral, w->problem.n_contact, w->problem.m);
    if (st >= 0 && !ss_work_scratch(w, bytes)) st = ss_work_fail(w, SS_ERR_MEMORY, "out of memory for the impact");
    if (st < 0) return st;
  }
  size_t mark = ss_arena_mark(w->arena);
  ss_status st = collide(def, w);
  w->has_row_parts = false;
  ss_arena_release(w->arena, mark);
  return st;
}
