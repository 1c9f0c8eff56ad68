// `stickslip verify`: signs and cones of all impulses of contacts that a run has, in every row of time-stepping and in
// those of event-driven text models, whatever else of a row cannot be looked at. From the numbers of the file and the
// laws of the model alone:
//   Lambda_N >= 0,  |Lambda_T| <= mu Lambda_N + bound dt, with the larger one of the kinetic and the static limit
// Cones are convex: sums of impulses of steps in parts are in them, too. What slides for certain, at both ends of a
// step or, where steps are not recorded, at the end of one, has all of its friction. Within a step in parts it may have
// turned round: it is looked at where all impulses on its bodies could not have done that.
#include <math.h>
#include <stdlib.h>
#include <stickslip/dissipation.h>

#include "verify_hits.h"

#define NOT_KNOWN "cones of impulses whose coefficient varies, or whose law is not known there"
#define STEADY 0.1  // of its speed: what changes by less from row to row slides all the time
#define PUSHED 0.25 // of its speed: what the impulses of a step may change it by that do not turn it round
#define FAST 1e-2   // of the largest velocity of the run: it slides
#define MOVES 1e-6L // of the energy that forces give within a step: work of what slides, and not by round-off
#define ALL 0.98    // of its limit: friction of something that slides, whose direction may turn by STEADY

// What holds for a contact of the run
struct cli_cone {
  const ss_contact_def* law;
  double stretch[2];  // of its tangents, see ss_contact_item
  uint64_t load;      // the key of the contact that loads it; 0: none
  bool known;         // by a list of the system
  double mu, bound;   // the largest in the step; NAN: not known
  double gamma[2];    // tangential velocity in the row where it was last listed
  long row;           // that one
};

static void set_law(struct cli_cone* cone, const ss_contact_def* law)
{
  cone->law = law;
  cone->mu = law && !law->varies ? fmax(law->mu, law->mu_static) : NAN;
  cone->bound = law && !law->varies ? fmax(law->bound, law->bound_static) : NAN;
}

bool cli_impulses_open(cli_verifier* v)
{
  v->cone = calloc((size_t)v->info->n_contact + 1, sizeof *v->cone);
  v->in_parts = ss_run_column(v->run, "counts.in_parts", NULL);
  for (int i = 0; v->cone && i < v->info->n_contact; i++) {
    struct cli_cone* cone = &v->cone[i];
    cone->known = !v->info->listed;
    set_law(cone, cone->known ? &v->d->contact[i] : ss_model_contact_law(v->model, v->info->contact_key[i]));
  }
  return v->cone;
}

void cli_impulses_vary(cli_verifier* v, bool first, const double* mu, const double* bound)
{
  for (int i = 0; i < v->info->n_contact; i++) {
    struct cli_cone* cone = &v->cone[i];
    if (!cone->law || !cone->law->varies) continue;
    bool known = mu && !first;
    cone->mu = mu ? fmax(known ? cone->mu : 0, fmax(mu[i], cone->law->mu_static)) : NAN;
    cone->bound = mu ? fmax(known ? cone->bound : 0, fmax(bound[i], cone->law->bound_static)) : NAN;
  }
}

// ---- scenes and planar bodies: laws by a list ----

// Points of two shapes have one law. Names of joints have no points.
static bool is_same(uint64_t a, uint64_t b) { return a == b || a >> SS_KEY_FEATURE == b >> SS_KEY_FEATURE; }

static void learn(cli_verifier* v, int contact, int n, const ss_contact_item* item)
{
  struct cli_cone* cone = &v->cone[contact];
  uint64_t key = v->info->contact_key[contact];
  for (int i = 0; i < n && !cone->known; i++) {
    bool shapes = item[i].thick > 0 && !item[i].load;
    if (shapes ? !is_same(item[i].key, key) : item[i].key != key) continue;
    set_law(cone, item[i].law);
    for (int k = 0; k < 2; k++) cone->stretch[k] = item[i].stretch[k];
    cone->load = item[i].load ? item[item[i].load - 1].key : 0;
    cone->known = true;
  }
}

void cli_impulses_learn(cli_verifier* v, int n_run, const ss_run_contact* list, int n, const ss_contact_item* item)
{
  for (int i = 0; i < n_run; i++) learn(v, list[i].contact, n, item);
}

// Of contacts that no step has listed, where the row is
static bool learn_here(cli_verifier* v, int n, const ss_run_contact* list)
{
  const ss_contact_item* item;
  int n_item;
  bool all = true;
  for (int i = 0; i < n; i++) all = all && v->cone[list[i].contact].known;
  if (all) return true;
  ss_status st = v->d->operators->list(&v->at, v->info->run.step.dt, &n_item, &item);
  if (st >= 0) cli_impulses_learn(v, n, list, n_item, item);
  return st >= 0 || st == SS_ERR_OVERLAP;
}

// ---- a row ----

// The normal impulse of the contact with this key, in the first stage or in all of the step
static double load_of(const cli_verifier* v, int n, const ss_run_contact* list, uint64_t key, bool first)
{
  for (int i = 0; i < n; i++)
    if (v->info->contact_key[list[i].contact] == key) return first ? list[i].Lambda_1[0] : list[i].Lambda[0];
  return 0;
}

// The size of friction as that of a disk
static double friction_of(const struct cli_cone* cone, const double* T)
{
  double part[2];
  for (int k = 0; k < 2; k++) part[k] = T[k]/(cone->stretch[k] > 0 ? cone->stretch[k] : 1);
  return cone->law->set ? ss_friction_set_psi(cone->law->set, part) : hypot(part[0], part[1]);
}

// Friction of contact i beyond its limit, which acts for the time dt; NAN: its law is not known
static double beyond(const cli_verifier* v, int n, const ss_run_contact* list, int i, bool first, double dt)
{
  const ss_run_contact* c = &list[i];
  const struct cli_cone* cone = &v->cone[c->contact];
  const double* Lambda = first ? c->Lambda_1 : c->Lambda;
  ss_contact_kind kind = v->info->contact_kind[c->contact];
  if (Lambda[1] == 0 && Lambda[2] == 0) return 0;
  bool plain = kind == SS_CONTACT_PLANAR && cone->law;
  if (!(cone->known || plain) || isnan(cone->mu) || isnan(cone->bound)) return NAN;
  double N = cone->load ? load_of(v, n, list, cone->load, first) : kind == SS_CONTACT_FRICTION ? 0 : Lambda[0];
  return fmax(0, friction_of(cone, Lambda + 1) - cone->mu*fmax(0, N) - cone->bound*dt);
}

// What the solver of a step of a scene may leave of each impulse: its tolerance, as a part of all of them
static double left_by_solver(const cli_verifier* v, double all)
{
  const ss_step_def* def = &v->info->run.step;
  bool swept = v->info->listed && def->integrator != SS_EVENT_DRIVEN;
  return swept ? fmin(def->friction.tol, CLI_LOOSE_LAWS)*all : 0;
}

// Against its own impulses, and a little of all of the row
static void check_contact(cli_verifier* v, long row, int n, const ss_run_contact* list, int i, bool first, double dt,
                          bool looked, double all)
{
  const ss_run_contact* c = &list[i];
  const double* Lambda = first ? c->Lambda_1 : c->Lambda;
  double own = fabs(Lambda[0]) + fabs(Lambda[1]) + fabs(Lambda[2]), off = beyond(v, n, list, i, first, dt);
  double size = own + (double)CLI_FAINT*all + v->least, left = left_by_solver(v, all);
  bool pushes = v->info->contact_kind[c->contact] != SS_CONTACT_FRICTION && !v->cone[c->contact].load;
  if (pushes) cli_verify_note(v, CLI_NORMAL, row, fmin(0, Lambda[0] + left), size);
  if (!isnan(off)) cli_verify_note(v, CLI_FRICTION, row, fmax(0, off - left), size);
  else if (!looked) cli_verify_count_out(v, NOT_KNOWN);
}

// ---- sliding ----

// Whether friction of contact c has its direction in this step, and all of it: of Newton's law without restitution
static bool is_plain(const cli_verifier* v, const ss_run_contact* c)
{
  const ss_step_def* def = &v->info->run.step;
  const struct cli_cone* cone = &v->cone[c->contact];
  bool steps = def->integrator != SS_EVENT_DRIVEN && !cli_hits_apart(v) && !def->friction.polyhedral;
  const ss_contact_def* law = cone->law;
  bool known = law && (cone->known || v->info->contact_kind[c->contact] == SS_CONTACT_PLANAR);
  return steps && def->friction.compliance == 0 && known && !law->varies && !law->set && law->eps_t == 0 && !cone->load;
}

// sqrt(G_jj) of a contact of the file, the largest of its rows, where the row is; 0: it is not in the list there
static double unit_of(const cli_verifier* v, const ss_run_contact* c, int n, const ss_contact_item* item)
{
  int r = v->d->n_bilateral, i = 0;
  for (; i < n && item[i].key != v->info->contact_key[c->contact]; i++) r += ss_contact_rows(item[i].law->kind);
  if (i == n) return 0;
  double G[9] = {0}, most = 0;
  int rows = ss_contact_rows(item[i].law->kind), list[3] = {r, r + 1, r + 2};
  if (v->d->operators->delassus(&v->at, rows, list, G) < 0) return 0;
  for (int k = 0; k < rows; k++) most = fmax(most, sqrt(G[k*rows + k]));
  return most;
}

// Whether two contacts may act on each other: in scenes trees carry impulses from body to body
static bool are_apart(const cli_verifier* v, const ss_run_contact* a, const ss_run_contact* b)
{
  int of_a[] = {a->body_a, a->body_b}, of_b[] = {b->body_a, b->body_b};
  bool apart = !ss_model_machine(v->model);
  for (int i = 0; i < 4; i++) apart = apart && (of_a[i/2] < 0 || of_a[i/2] != of_b[i%2]);
  return apart;
}

// The most that the impulses of a row can have changed velocities of contact c by: sum_j sqrt(G_cc G_jj) |Lambda_j|.
// INFINITY: not known
static double change_of(const cli_verifier* v, int n, const ss_run_contact* list, const ss_run_contact* c)
{
  const ss_operators* op = v->d->operators;
  const ss_contact_item* item;
  double sum = 0, dt = v->info->run.step.dt;
  int n_item;
  if (!op || v->d->n_bilateral || !op->list) return INFINITY;
  if (op->list(&v->at, dt, &n_item, &item) < 0 || op->factor(&v->at) < 0) return INFINITY;
  double own = unit_of(v, c, n_item, item);
  for (int j = 0; j < n; j++) {
    const struct cli_cone* cone = &v->cone[list[j].contact];
    if (are_apart(v, c, &list[j])) continue;
    double unit = unit_of(v, &list[j], n_item, item);
    if (!(own > 0 && unit > 0) || isnan(cone->mu) || isnan(cone->bound)) return INFINITY;
    double friction = cone->mu*fabs(list[j].Lambda[0]) + cone->bound*dt;  // in parts of the step it may cancel
    sum += own*unit*(fabs(list[j].Lambda[0]) + fmax(friction, hypot(list[j].Lambda[1], list[j].Lambda[2])));
  }
  return sum;
}

// Whether contact c slides all the time that its impulse belongs to
static bool slides(const cli_verifier* v, long row, int n, const ss_run_contact* list, const ss_run_contact* c)
{
  const struct cli_cone* cone = &v->cone[c->contact];
  const double *g = c->gamma + 1, *before = cone->gamma;
  double speed = hypot(g[0], g[1]), least = fmin(speed, hypot(before[0], before[1]));
  double push = fabs(c->Lambda[0]) + fabs(c->Lambda[1]) + fabs(c->Lambda[2]);
  if (!(speed > FAST*v->fastest) || !(speed*push > MOVES*v->rest_energy)) return false;
  bool parts = v->in_parts && v->in_parts[row] != v->in_parts[row - 1];
  if (v->step[row] != v->step[row - 1] + 1) return !v->d->n_bilateral && !parts;
  if (cone->row != row - 1 || hypot(g[0] - before[0], g[1] - before[1]) > STEADY*least) return false;
  return !parts || change_of(v, n, list, c) <= PUSHED*least;
}

// Friction against sliding, in rows that make it a disk, against all that there is
static void check_sliding(cli_verifier* v, long row, const ss_run_contact* c, double all)
{
  const struct cli_cone* cone = &v->cone[c->contact];
  double along = 0, speed = 0, dt = v->info->run.step.dt;
  for (int k = 0; k < 2; k++) {
    double stretch = cone->stretch[k] > 0 ? cone->stretch[k] : 1;
    along -= c->Lambda[k + 1]*c->gamma[k + 1];
    speed = hypot(speed, stretch*c->gamma[k + 1]);
  }
  bool normal = v->info->contact_kind[c->contact] != SS_CONTACT_FRICTION;
  double limit = (normal ? cone->law->mu*c->Lambda[0] : 0) + cone->law->bound*dt;
  double size = fabs(c->Lambda[0]) + fabs(c->Lambda[1]) + fabs(c->Lambda[2]) + limit + (double)CLI_FAINT*all + v->least;
  cli_verify_note(v, CLI_FRICTION, row, fmax(0, ALL*limit - along/speed), size);
}

static void check_all_sliding(cli_verifier* v, long row, int n, const ss_run_contact* list, double all)
{
  for (int i = 0; i < n; i++) {
    struct cli_cone* cone = &v->cone[list[i].contact];
    bool open = list[i].state == SS_OPEN;
    if (!open && is_plain(v, &list[i]) && slides(v, row, n, list, &list[i]))
      check_sliding(v, row, &list[i], all);
    for (int k = 0; k < 2; k++) cone->gamma[k] = list[i].gamma[k + 1];
    cone->row = row;
  }
}

bool cli_verify_impulses(cli_verifier* v, long row, bool looked, ss_error* error)
{
  const ss_run_contact* list = NULL;
  const ss_step_def* def = &v->info->run.step;
  int n = row > 0 ? ss_run_contacts(v->run, row, &list, error) : 0;
  if (n < 0 || (n && v->info->listed && !learn_here(v, n, list))) return false;
  double all = 0, dt = def->integrator == SS_EVENT_DRIVEN && row > 0 ? v->t[row] - v->t[row - 1] : def->dt;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 3; k++) all += fabs(list[i].Lambda[k]);
  for (int i = 0; i < n; i++) {
    check_contact(v, row, n, list, i, false, dt, looked, all);
    if (def->integrator == SS_RATTLE && !looked)  // else by the laws of its stages, to what is known of these
      check_contact(v, row, n, list, i, true, dt/2, looked, all);
  }
  check_all_sliding(v, row, n, list, all);
  return true;
}
