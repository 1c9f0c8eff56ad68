// `stickslip verify` of scenes and of planar bodies: contacts come and go, and the file says where each of them was,
// along which directions and with which impulse. For machines M, the impulses of contacts and their velocities are
// taken from the tree of bodies and these places, not from the rows that the step was computed with; rows serve for
// what has no place (limits and friction of joints, loops, tendons), and as scales.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <stickslip/dissipation.h>
#include <stickslip/machine.h>

#include "verify.h"

#define REDUNDANT 1e-9  // of a row of a loop: what is left of it beside the others

typedef struct scene {
  cli_verifier* c;
  const ss_operators* op;
  const ss_machine* machine;  // NULL: planar bodies
  ss_tree_work* work;         // of its tree
  int nv, nq, nb;
  ss_state *a, *e;            // the rows of a step
  double *qm, *qx, *um, *way, *v, *h, *part, *mdu, *damped, *near, *kick, *M;
  bool overlaps;              // bodies overlap so deep that there is no list
  bool stays;                 // jean: the contacts are those at the end of `way`
  bool once;                  // jean: trees turn too far for an implicit step
  long double *sum, *base;    // nv; nb nv
  const double* in_parts;     // column: how many steps were taken in parts, which the file does not have
  // rows of the list where the step tested it
  int n, rows, room;
  const ss_contact_item* item;
  int *row, *number;          // n: first row; of the contact of the file, -1: it is not in it
  double *gamma_a, *gamma_e, *size, *w_hat, *Lambda, *g;  // g: the diagonal of G
  double* placed;             // 2 nv for each of n contacts: rows by the place in the file, see place_rows()
  bool* by_place;             // n: these are used
  int placed_room;
  double* fall;               // the way of free motion, its terms by magnitude
  const double** B;           // nb columns
} scene;

static long double norm_of(int n, const double* x)
{
  long double sum = 0;
  for (int i = 0; i < n; i++) sum += (long double)x[i]*x[i];
  return sqrtl(sum);
}

// Whether contact i of the list pushes at a place; resistance against spin and rolling are torques.
static bool has_place(const scene* s, int i)
{
  const double* N = s->item[i].frame;
  return !s->item[i].load && (N[0] != 0 || N[1] != 0 || N[2] != 0);
}

// The impulse in row k of contact i: where friction is an ellipse rows are stretched
static double row_impulse(const scene* s, int i, const ss_run_contact* c, int k)
{
  int part = s->item[i].law->kind == SS_CONTACT_FRICTION ? k + 1 : k;
  double stretch = part ? s->item[i].stretch[part - 1] : 0;
  return c->Lambda[part]/(stretch != 0 ? stretch : 1);
}

// ---- the place where the step tested its contacts ----

static double where(const ss_step_def* def)
{
  return def->integrator == SS_EULER ? 0 : def->integrator == SS_JEAN ? def->theta : 0.5;
}

static void advance(const scene* s, const double* q, const double* u, double dt, double* out)
{
  if (s->op->advance) s->op->advance(s->c->at.user, q, u, dt, out);
  else for (int i = 0; i < s->nv; i++) out[i] = q[i] + dt*u[i];
}

// The way that is free, for moreau
static bool advance_freely(scene* s, const double* q, const double* u, double dt, double t, double* out)
{
  const double* v = u;
  if (s->op->stop) {
    s->c->at.q = q;
    s->c->at.u = u;
    s->c->at.t = t;
    if (s->op->stop(&s->c->at, u, dt, s->v) < 0) return false;
    v = s->v;
  }
  advance(s, q, v, dt, out);
  return true;
}

static bool make_room(scene* s)
{
  int rows = s->rows + s->n + 1;  // numbers of contacts, and after them of rows: see add_rows()
  if (rows <= s->room && s->row) return true;
  size_t n = 2*(size_t)rows + 64;
  double* p = realloc(s->gamma_a, 7*n*sizeof *p);
  if (p) s->gamma_a = p;
  int* q = realloc(s->row, 2*n*sizeof *q);
  if (q) s->row = q;
  if (!p || !q) return false;
  s->gamma_e = s->gamma_a + n;
  s->size = s->gamma_e + n;
  s->w_hat = s->size + n;
  s->Lambda = s->w_hat + n;
  s->g = s->Lambda + n;
  s->fall = s->g + n;
  s->number = s->row + n;
  s->room = (int)n;
  return true;
}

// Of all rows, with h
static void measure_fall(scene* s, double dt)
{
  s->op->solve(&s->c->at, s->h, s->part);
  s->op->row_velocity(&s->c->at, s->part, s->Lambda, s->fall);
  for (int r = 0; r < s->rows; r++) s->fall[r] *= dt*dt;
}

// How long contacts are looked for ahead
static double reach_of(const ss_step_def* def) { return def->integrator == SS_MOREAU ? def->dt/2 : def->dt; }

// Rows and velocities at s->qm; h into s->h
static bool evaluate(scene* s, const ss_step_def* def)
{
  cli_verifier* c = s->c;
  bool jean = def->integrator == SS_JEAN;
  double t[] = {s->a->t, s->a->t + where(def)*def->dt, s->a->t + def->dt};
  if (!cli_verify_kick(c, s->qm, NULL, t, false, s->kick)) return false;
  c->at.q = s->qm;
  c->at.u = s->a->u;
  c->at.t = t[1];
  c->at.damped = def->dt;
  c->at.start = s->a->u;
  c->at.q_start = s->a->q;
  c->at.rest = (1 - where(def))*def->dt;
  if (c->d->update && c->d->update(&c->at) < 0) return false;
  ss_status st = s->op->list(&c->at, reach_of(def), &s->n, &s->item);
  s->overlaps = st == SS_ERR_OVERLAP;
  if (st < 0) return false;
  s->rows = s->nb;
  for (int i = 0; i < s->n; i++) s->rows += ss_contact_rows(s->item[i].law->kind);
  if (!make_room(s)) return false;
  for (int i = 0, r = s->nb; i < s->n; r += ss_contact_rows(s->item[i++].law->kind)) s->row[i] = r;
  if (s->op->factor(&c->at) < 0) return false;
  if (s->machine) {
    ss_tree_set_position(s->work, s->qm);
    ss_machine_implicit(s->machine, def->dt, s->damped);
  } else if (s->op->mass(&c->at, s->M) < 0) return false;
  memset(s->w_hat, 0, sizeof(double)*(size_t)s->rows);
  if (s->op->row_drive && s->op->row_drive(&c->at, s->w_hat) < 0) return false;
  s->op->row_velocity(&c->at, s->e->u, s->gamma_e, s->size);
  double* other = s->Lambda;  // not in use yet
  s->op->row_velocity(&c->at, s->a->u, s->gamma_a, other);
  for (int r = 0; r < s->rows; r++) {
    s->size[r] += other[r] + fabs(s->w_hat[r]);
    s->gamma_a[r] += s->w_hat[r];
    s->gamma_e[r] += s->w_hat[r];
  }
  bool implicit = jean && !s->once;
  if (implicit) c->at.u = s->um;
  c->at.theta = implicit ? def->theta : 0;
  c->at.dt = implicit ? 0 : def->dt;
  bool ok = c->d->force(&c->at, s->h) >= 0;
  c->at.dt = c->at.theta = 0;
  c->at.q_start = NULL;
  if (ok) measure_fall(s, def->dt);
  return ok;
}

// ---- momentum ----

// out = M v with what dampers add to M, where the contacts were tested; the tree is there, s->M too
static void times_mass(scene* s, const double* v, double* out)
{
  if (s->machine) {
    memset(s->part, 0, sizeof(double)*(size_t)s->nv);
    ss_tree_set_velocity(s->work, s->part);
    ss_tree_inverse(s->work, v, out);
    ss_tree_bias(s->work, s->part);
    for (int i = 0; i < s->nv; i++) out[i] += s->damped[i]*v[i] - s->part[i];
    return;
  }
  for (int i = 0; i < s->nv; i++) {
    long double sum = 0;
    for (int j = 0; j < s->nv; j++) sum += (long double)s->M[i*s->nv + j]*v[j];
    out[i] = (double)sum;
  }
}

static void add(scene* s, double sign, const double* x, long double* terms)
{
  for (int i = 0; i < s->nv; i++) s->sum[i] += (long double)sign*x[i];
  *terms += norm_of(s->nv, x);
}

// What the rows did that have no place, or all of them for planar bodies
static void add_rows(scene* s, const ss_run_contact* list, long row, long double* terms)
{
  int m = 0;
  int* rows = s->number + s->n;  // the rest of the array
  for (int b = 0; b < s->nb; b++, m++) {
    rows[m] = b;
    s->Lambda[m] = s->B[b][row];
  }
  for (int i = 0; i < s->n; i++) {
    const ss_run_contact* c = s->number[i] >= 0 ? &list[s->number[i]] : NULL;
    if (!c || (s->machine && has_place(s, i)) || (!s->machine && s->by_place[i])) continue;
    for (int j = 0; j < ss_contact_rows(s->item[i].law->kind); j++, m++) {
      rows[m] = s->row[i] + j;
      s->Lambda[m] = row_impulse(s, i, c, j);
    }
  }
  if (!m) return;
  memset(s->part, 0, sizeof(double)*(size_t)s->nv);
  s->op->row_force(&s->c->at, m, rows, s->Lambda, s->part);
  add(s, -1, s->part, terms);
}

// Lambda at the contact's place on both bodies
static bool add_places(scene* s, const ss_run_contact* c, long double* terms)
{
  double force[3];
  for (int side = 0; side < 2; side++) {
    int body = side ? c->body_b : c->body_a;
    double sign = side ? 1 : -1;
    if (body < 0) continue;
    for (int k = 0; k < 3; k++)
      force[k] = sign*(c->frame[k]*c->Lambda[0] + c->frame[3 + k]*c->Lambda[1] + c->frame[6 + k]*c->Lambda[2]);
    if (ss_machine_push(s->machine, s->work, body, c->point, force, s->part) < 0) return false;
    add(s, -1, s->part, terms);
  }
  return true;
}

// x without its part along a vector of length one
static void remove_part(int n, const long double* unit, long double* x)
{
  long double dot = 0;
  for (int i = 0; i < n; i++) dot += unit[i]*x[i];
  for (int i = 0; i < n; i++) x[i] -= dot*unit[i];
}

// Afterwards velocities are projected onto the loops where the step ends: by impulses of these, whatever they are. What
// such impulses can do is taken out of s->sum (Gram-Schmidt).
static bool take_out_loops(scene* s)
{
  cli_verifier* c = s->c;
  int nv = s->nv;
  double one = 1;
  c->at.q = s->e->q;
  c->at.t = s->e->t;
  c->at.damped = 0;
  if (c->d->update && c->d->update(&c->at) < 0) return false;
  if (s->op->list(&c->at, 0, &s->n, &s->item) < 0 || s->op->factor(&c->at) < 0) return false;
  for (int b = 0; b < s->nb; b++) {
    long double *x = s->base + b*nv, size = 0;
    memset(s->v, 0, sizeof(double)*(size_t)nv);
    s->op->row_force(&c->at, 1, &b, &one, s->v);
    s->op->solve(&c->at, s->v, s->v);
    times_mass(s, s->v, s->mdu);
    for (int i = 0; i < nv; i++) x[i] = s->mdu[i];
    for (int d = 0; d < 2*b; d++) remove_part(nv, s->base + d%b*nv, x);  // twice: against round-off
    for (int i = 0; i < nv; i++) size += x[i]*x[i];
    size = sqrtl(size);
    for (int i = 0; i < nv; i++) x[i] = size > REDUNDANT*norm_of(nv, s->mdu) ? x[i]/size : 0;
    remove_part(nv, x, s->sum);
  }
  return true;
}

// What is missing, *off, of the terms *size
static bool find_momentum(scene* s, long row, const ss_run_contact* list, double dt, long double* off,
                          long double* size)
{
  long double terms = 0, left = 0;
  memset(s->sum, 0, sizeof(long double)*(size_t)s->nv);
  times_mass(s, s->e->u, s->mdu);
  terms += 2*norm_of(s->nv, s->mdu);
  for (int i = 0; i < s->nv; i++) s->v[i] = s->e->u[i] - s->a->u[i];
  times_mass(s, s->v, s->mdu);
  add(s, 1, s->mdu, &terms);
  add(s, -dt, s->h, &left);
  terms += dt*left;
  if (s->c->d->kinks_drive) add(s, -1, s->kick, &terms);
  add_rows(s, list, row, &terms);
  for (int i = 0; !s->machine && i < s->n; i++)
    for (int k = 0; s->by_place[i] && k < ss_contact_rows(s->item[i].law->kind); k++) {
      for (int j = 0; j < s->nv; j++)
        s->part[j] = s->placed[(2*i + k)*s->nv + j]*row_impulse(s, i, &list[s->number[i]], k);
      add(s, -1, s->part, &terms);
    }
  for (int i = 0; s->machine && i < s->n; i++)
    if (s->number[i] >= 0 && has_place(s, i) && !add_places(s, &list[s->number[i]], &terms)) return false;
  if (s->nb && !take_out_loops(s)) return false;
  left = 0;
  for (int i = 0; i < s->nv; i++) left += s->sum[i]*s->sum[i];
  *off = sqrtl(left);
  *size = terms;
  return true;
}

static bool check_momentum(scene* s, long row, const ss_run_contact* list, double dt)
{
  long double off, size;
  if (!find_momentum(s, row, list, dt, &off, &size)) return false;
  cli_verify_note(s->c, CLI_MOMENTUM, row, off, size);
  return true;
}

// ---- contacts ----

// The relative velocity that the file has, against that of the bodies at the place of the contact
static void check_kinematics(scene* s, long row, const ss_run_contact* c, long double size)
{
  double w[3], v[2][3] = {{0}};
  if (c->body_a >= 0) ss_tree_point_velocity(s->work, c->body_a, c->point, w, v[0]);
  if (c->body_b >= 0) ss_tree_point_velocity(s->work, c->body_b, c->point, w, v[1]);
  for (int k = 0; k < ss_contact_rows(s->c->info->contact_kind[c->contact]); k++) {  // no friction: no tangents
    long double sum = 0;
    for (int j = 0; j < 3; j++) sum += (long double)c->frame[3*k + j]*(v[1][j] - v[0][j]);
    cli_verify_note(s->c, CLI_KINEMATICS, row, sum - c->gamma[k], size);
  }
}

// The diagonal of G for the rows of contact i
static bool diagonal(scene* s, int i)
{
  int n = ss_contact_rows(s->item[i].law->kind), rows[3] = {s->row[i], s->row[i] + 1, s->row[i] + 2};
  double G[9];
  if (!s->machine && s->by_place[i]) {
    for (int k = 0; k < n; k++) {
      const double* W = s->placed + (2*i + k)*s->nv;
      s->op->solve(&s->c->at, W, s->part);
      s->g[rows[k]] = 0;
      for (int j = 0; j < s->nv; j++) s->g[rows[k]] += W[j]*s->part[j];
    }
    return true;
  }
  if (s->op->delassus(&s->c->at, n, rows, G) < 0) return false;
  for (int k = 0; k < n; k++) s->g[rows[k]] = G[k*n + k];
  return true;
}

// mu of contact i, which slides with gamma_a at the start of the step
static double mu_of(const scene* s, int i)
{
  const ss_contact_item* item = &s->item[i];
  double speed = 0;
  if (!item->law->varies) return item->law->mu;
  for (int k = 1; k < ss_contact_rows(item->law->kind); k++)
    speed = hypot(speed, s->gamma_a[s->row[i] + k]/(item->stretch[k - 1] > 0 ? item->stretch[k - 1] : 1));
  return s->op->friction(s->c->d->user, item->law, speed);
}

// How far friction T (times g) is from the most dissipative one of a set, for the velocity xi
static long double set_off(const ss_friction_set* set, const long double T[2], const long double xi[2],
                           long double limit)
{
  double t[2] = {(double)T[0], (double)T[1]}, d[2] = {(double)-xi[0], (double)-xi[1]}, speed = hypot(d[0], d[1]);
  long double out = fmaxl(0, ss_friction_set_psi(set, t) - limit);
  if (speed == 0) return out;
  return fmaxl(out, fminl(speed, fabsl(limit*ss_friction_set_support(set, d) - d[0]*T[0] - d[1]*T[1])/speed));
}

// The laws of contact i of the list; `size`: of the velocities of the step, `hits`: by Poisson's law
static void check_laws(scene* s, long row, int i, const ss_run_contact* list, double dt, long double size, bool hits)
{
  const ss_run_contact* c = &list[s->number[i]];
  const ss_contact_def* law = s->item[i].law;
  const ss_step_def* def = &s->c->info->run.step;
  bool normal = law->kind != SS_CONTACT_FRICTION;
  int rows = ss_contact_rows(law->kind), r = s->row[i], tangents = rows - normal;
  const double* g = s->g + r;
  long double N = normal ? c->Lambda[0] : 0, bound = law->bound*(long double)dt;
  bool loaded = s->item[i].load > 0;
  if (loaded) {  // the normal impulse is that of another contact
    int other = s->number[s->item[i].load - 1];
    N = other >= 0 ? list[other].Lambda[0] : 0;
  } else if (normal) {
    double before = s->gamma_a[r];
    long double xi = s->gamma_e[r] + law->eps_n*(def->integrator == SS_EULER && before > 0 ? 0 : before);
    if (hits) cli_verify_note(s->c, CLI_NORMAL, row, fminl(0, fminl(s->gamma_e[r], N*g[0])), size);
    else cli_verify_note(s->c, CLI_NORMAL, row, fminl(xi, N*g[0]), size);
  }
  if (!tangents) return;
  long double x[2] = {0}, T[2] = {0}, xi[2] = {0}, way = 0;
  double scale = tangents > 1 ? (g[normal] + g[normal + 1])/2 : g[normal];
  for (int k = 0; k < tangents; k++) {
    T[k] = row_impulse(s, i, c, normal + k)*(long double)scale;
    xi[k] = s->gamma_e[r + normal + k] + law->eps_t*s->gamma_a[r + normal + k];
    x[k] = T[k] - xi[k];
    way = hypotl(way, x[k]);
  }
  long double off = INFINITY;
  double mu = mu_of(s, i);
  for (int rests = 0; rests < 2; rests++) {  // either limit, where there are two
    long double limit = (rests ? fmax(law->mu_static, mu) : mu)*N;
    limit = scale*(limit + (rests ? fmax(law->bound_static*dt, (double)bound) : bound));
    long double shrink = way > limit ? limit/way : 1, apart = hypotl(T[0] - shrink*x[0], T[1] - shrink*x[1]);
    if (hits || def->friction.polyhedral) apart = fmaxl(0, hypotl(T[0], T[1]) - limit);  // inside of the cone
    if (law->set) apart = set_off(law->set, T, xi, limit);
    off = fminl(off, apart);
  }
  cli_verify_note(s->c, CLI_FRICTION, row, off, size);
}

// The items of the list that the file has; whether all of those are in it, where the file says
static bool match(scene* s, int n, const ss_run_contact* list)
{
  int found = 0;
  bool there = true;
  for (int i = 0; i < s->n; i++) {
    s->number[i] = -1;
    for (int j = 0; j < n && s->number[i] < 0; j++)
      if (s->c->info->contact_key[list[j].contact] == s->item[i].key) s->number[i] = j;
    if (s->number[i] < 0) continue;
    const ss_contact_item* item = &s->item[i];
    double off = fabs(item->gap - list[s->number[i]].gap);
    found++;
    there = there && off <= s->c->tol*(fabs(item->gap) + item->size + 1e-3);
  }
  return there && found == n;
}

// Planar bodies: rows of contacts whose normal in the file is another one than in the list
static bool place_rows(scene* s, const ss_run_contact* list, double t)
{
  int nv = s->nv;
  if (s->machine) return true;
  if (s->n > s->placed_room) {
    double* p = realloc(s->placed, sizeof(double)*2*(size_t)s->n*(size_t)nv);
    if (p) s->placed = p;
    bool* b = realloc(s->by_place, sizeof(bool)*(size_t)s->n);
    if (b) s->by_place = b;
    if (!p || !b) return false;
    s->placed_room = s->n;
  }
  for (int i = 0; i < s->n; i++) {
    const ss_run_contact* c = s->number[i] >= 0 ? &list[s->number[i]] : NULL;
    double w_hat[2], *W = s->placed + 2*i*nv, off = 0;
    for (int k = 0; c && k < 3; k++) off = fmax(off, fabs(c->frame[k] - s->item[i].frame[k]));
    s->by_place[i] = c && has_place(s, i) && off > s->c->tol && ss_contact_rows(s->item[i].law->kind) <= 2;
    if (!s->by_place[i]) continue;
    if (!cli_verify_place_rows(s->c, s->qm, t, c, W, w_hat)) return false;
    for (int k = 0; k < ss_contact_rows(s->item[i].law->kind); k++) {
      int r = s->row[i] + k;
      s->gamma_a[r] = s->gamma_e[r] = s->w_hat[r] = w_hat[k];
      s->size[r] = fabs(w_hat[k]);
      for (int j = 0; j < nv; j++) {
        s->gamma_a[r] += W[k*nv + j]*s->a->u[j];
        s->gamma_e[r] += W[k*nv + j]*s->e->u[j];
        s->size[r] += fabs(W[k*nv + j])*(fabs(s->a->u[j]) + fabs(s->e->u[j]));
      }
    }
  }
  return true;
}

// The gap of the file, and that what is open has no impulse
static void check_listed(scene* s, long row, int i, const ss_run_contact* c, long double size)
{
  const ss_contact_item* item = &s->item[i];
  int first = item->law->kind == SS_CONTACT_FRICTION;
  for (int k = 0; k < ss_contact_rows(item->law->kind); k++) {
    double stretch = first + k ? item->stretch[first + k - 1] : 0;
    s->c->before[3*c->contact + first + k] = s->gamma_a[s->row[i] + k]/(stretch != 0 ? stretch : 1);
  }
  cli_verify_note(s->c, CLI_KINEMATICS, row, (long double)item->gap - c->gap, fabs(item->gap) + item->size + 1e-3);
  long double push = 0;
  for (int k = 0; k < ss_contact_rows(item->law->kind); k++)
    push = fmaxl(push, fabsl((long double)row_impulse(s, i, c, k))*s->g[s->row[i] + k]);
  cli_verify_note(s->c, CLI_STATES, row, c->state == SS_OPEN ? push : 0, size);
}

static bool check_contacts(scene* s, long row, int n, const ss_run_contact* list, double dt)
{
  const ss_step_def* def = &s->c->info->run.step;
  bool apart = def->impact != SS_IMPACT_NEWTON || def->energy_limited || def->order != SS_IMPACTS_SIMULTANEOUS;
  long double size = 0, terms = 0;
  cli_losses sum = {0};
  bool hits = false;
  int seen = 0;
  for (int i = 0; i < s->n; i++) {
    if (s->number[i] < 0) continue;
    if (!diagonal(s, i)) return false;
    const ss_run_contact* c = &list[s->number[i]];
    bool is_normal = s->item[i].law->kind != SS_CONTACT_FRICTION;
    long double normal = 0, friction = 0;
    seen++;
    for (int k = 0; k < ss_contact_rows(s->item[i].law->kind); k++) {
      int r = s->row[i] + k;
      long double Lambda = row_impulse(s, i, c, k);
      size = fmaxl(size, s->size[r] + fabsl(Lambda)*s->g[r]);
      *(is_normal && k == 0 ? &normal : &friction) -= Lambda*((long double)s->gamma_a[r] + s->gamma_e[r])/2;
      terms += fabsl(Lambda);
    }
    cli_verify_add_loss(&sum, is_normal || s->item[i].load, normal, friction);
    if (apart && is_normal && c->Lambda[0] > 0 && s->gamma_a[s->row[i]] < 0) hits = true;
  }
  if (seen < n) cli_verify_note(s->c, CLI_NORMAL, row, 1, 1);  // impulses at contacts that are not there
  if (s->machine) ss_tree_set_velocity(s->work, s->e->u);
  for (int i = 0; s->machine && i < s->n; i++)
    if (s->number[i] >= 0 && has_place(s, i)) check_kinematics(s, row, &list[s->number[i]], size);
  for (int i = 0; i < s->n; i++)
    if (s->number[i] >= 0) check_listed(s, row, i, &list[s->number[i]], size);
  for (int i = 0; def->friction.compliance == 0 && i < s->n; i++)
    if (s->number[i] >= 0 && list[s->number[i]].state != SS_OPEN)
      check_laws(s, row, i, list, dt, size, hits);
  s->c->speed = (double)size;
  sum.size = terms*size;
  cli_verify_losses(s->c, row, &sum);
  return true;
}

// ---- a step ----

// The end of a step of jean: from its start, or from where its contacts are
static bool end_of_jean(scene* s, const ss_step_def* def)
{
  double theta = def->theta;
  if (!s->stays) return advance_freely(s, s->a->q, s->um, def->dt, s->a->t, s->qx);
  for (int i = 0; i < s->nv; i++) {
    bool met = s->way[i] != s->a->u[i];
    s->um[i] = (met ? 0 : (1 - 2*theta)*s->a->u[i]) + theta*s->e->u[i];
  }
  return advance_freely(s, s->qm, s->um, def->dt, s->a->t, s->qx);
}

// Overlap that is left, as ss_overlap_allowed() has it
static double allowed_overlap(const scene* s, const ss_step_def* def, int i)
{
  double thick = s->item[i].thick, small = thick > 0 ? 1e-3*thick : INFINITY;
  return def->friction.compliance > 0 && thick > 0 ? small : fmin(s->fall[s->row[i]], small);
}

static bool has_gap(const ss_contact_item* item) { return item->law->kind != SS_CONTACT_FRICTION && !item->load; }

// Contacts that overlap by more than what is allowed and do not leave by themselves are projected, and those that carry
// load and open, which the file does not tell: more than half of the way to the limit counts.
static bool may_be_projected(const scene* s, const ss_step_def* def, const ss_run_contact* list)
{
  if (def->project == SS_PROJECTION_OFF) return false;
  if (def->project == SS_PROJECTION_ON || s->op->overlap == SS_OVERLAP_NEVER) return true;
  if (s->op->overlap == SS_OVERLAP_STAYS) return false;
  for (int i = 0; i < s->n; i++) {
    const ss_contact_item* item = &s->item[i];
    if (!has_gap(item)) continue;
    double allowed = allowed_overlap(s, def, i);
    if (item->gap + def->dt*fmax(0, s->gamma_e[s->row[i]]) < -allowed) return true;
    if (item->gap > allowed/4 && s->number[i] >= 0 && list[s->number[i]].Lambda[0] > 0) return true;
  }
  return false;
}

// ---- what a projection may have done ----
// It is the smallest displacement d, in the metric of M, that removes overlap. The way back to the start of the step
// removes what the step has brought, and what was there before, or has come with bodies that are guided, can be removed
// contact by contact, by depth/sqrt(G_ii) each, where bodies that stand on one another add up, to no more than sqrt(n)
// of it. So
//   |d|_M <= 2 (|way|_M + sqrt(n) sum_i max(s_i, -g_i)/sqrt(G_ii)),
// twice, since gaps are no linear functions and rounds are repeated; the sum once where the step tested its contacts,
// and once where it led to. What no contact is near to is not moved at all.
// Steps of billiards, dominoes, rockfall, rod-table had |d|_M < 0.92 |way|_M, those of brush, whose ring is guided, up
// to 0.73 of the bound.

// The sum for a list of contacts. def: of those where the step tested them, or NULL. False if there is no G.
static bool add_lift(scene* s, const ss_step_def* def, int n, const ss_contact_item* item, double* lift)
{
  double sum = 0;
  int count = 0;
  for (int i = 0, row = s->nb; i < n; row += ss_contact_rows(item[i++].law->kind)) {
    double G, depth = fmax(def ? allowed_overlap(s, def, i) : 0, -item[i].gap);
    if (!has_gap(&item[i]) || !(depth > 0)) continue;
    if (s->op->delassus(&s->c->at, 1, &row, &G) < 0) return false;
    if (G > 0) sum += depth/sqrt(G);  // else nothing moves it
    count++;
  }
  *lift += sqrt(count)*sum;
  return true;
}

// Into s->near: velocities that contacts of a list move, with M where it was made. Weights differ, lest they cancel.
static void mark_near(scene* s, int n, const ss_contact_item* item)
{
  memset(s->part, 0, sizeof(double)*(size_t)s->nv);
  for (int i = 0, row = s->nb; i < n; row += ss_contact_rows(item[i++].law->kind)) {
    double weight = 1 + 0.6180339887498949*i - floor(0.6180339887498949*i);
    if (item[i].law->kind == SS_CONTACT_FRICTION) continue;
    s->op->row_force(&s->c->at, 1, &row, &weight, s->v);
    for (int k = 0; k < s->nv; k++) s->part[k] += s->v[k];
  }
  s->op->solve(&s->c->at, s->part, s->mdu);
  for (int i = 0; i < s->nv; i++)
    if (s->mdu[i] != 0) s->near[i] = 1;
}

// ... of those that a projection finds at q, with the lift that they need. Where it finds the step too large anything
// may be near.
static bool look_near(scene* s, const ss_step_def* def, const double* q, double* lift)
{
  cli_verifier* c = s->c;
  int n;
  const ss_contact_item* item;
  c->at.q = q;
  c->at.u = s->e->u;
  c->at.t = s->e->t;
  if (c->d->update && c->d->update(&c->at) < 0) return false;
  ss_status st = s->op->list(&c->at, reach_of(def), &n, &item);
  for (int i = 0; st == SS_ERR_OVERLAP && i < s->nv; i++) s->near[i] = 1;
  if (st < 0) return st == SS_ERR_OVERLAP;
  if (s->op->factor(&c->at) < 0) return false;
  mark_near(s, n, item);
  return add_lift(s, NULL, n, item, lift);
}

// |q_1 - q_0| in the metric of M where the contacts were tested, of the velocities that contacts move
static long double distance(scene* s, const double* q_0, const double* q_1)
{
  long double sum = 0;
  if (s->op->difference) s->op->difference(s->c->at.user, q_0, q_1, s->v);
  else for (int i = 0; i < s->nv; i++) s->v[i] = q_1[i] - q_0[i];
  for (int i = 0; i < s->nv; i++) s->v[i] *= s->near[i];
  times_mass(s, s->v, s->mdu);
  for (int i = 0; i < s->nv; i++) sum += (long double)s->v[i]*s->mdu[i];
  return sqrtl(fmaxl(0, sum));
}

static void note_position(scene* s, long row, int i)
{
  const double* q = s->qx;
  cli_verify_note(s->c, CLI_POSITION, row, (long double)q[i] - s->e->q[i], fabs(q[i]) + fabs(s->a->q[i]) + 1e-3L);
}

static bool check_projected(scene* s, long row, const ss_step_def* def, double lift)
{
  double moved = 0, left = 0;
  memset(s->damped, 0, sizeof(double)*(size_t)s->nv);  // these count for velocities alone
  if (!look_near(s, def, s->qx, &lift) || !look_near(s, def, s->e->q, &left)) return false;
  long double way = distance(s, s->a->q, s->qx), d = distance(s, s->qx, s->e->q), most = 2*(way + lift);
  cli_verify_note(s->c, CLI_POSITION, row, fmaxl(0, d - most), d + most);
  advance(s, s->qx, s->near, 1e-3, s->qm);
  for (int i = 0; i < s->nq; i++) {
    if (s->qm[i] == s->qx[i]) note_position(s, row, i);
    else moved = fmax(moved, fabs(s->qx[i] - s->e->q[i]));
  }
  s->c->bounded += moved > 1e-12;
  return true;
}

// Comes last: contacts are looked for in other places
static bool check_position(scene* s, long row, const ss_step_def* def, const ss_run_contact* list)
{
  bool projected = may_be_projected(s, def, list);
  double lift = 0;
  memset(s->near, 0, sizeof(double)*(size_t)s->nv);
  if (projected) mark_near(s, s->n, s->item);
  if (projected && !add_lift(s, def, s->n, s->item, &lift)) return false;
  if (def->integrator == SS_EULER) {
    if (!advance_freely(s, s->a->q, s->e->u, def->dt, s->a->t, s->qx)) return false;
  } else if (def->integrator == SS_JEAN) {
    if (!end_of_jean(s, def)) return false;
  } else if (!advance_freely(s, s->qm, s->e->u, def->dt/2, s->a->t + def->dt/2, s->qx)) {
    return false;
  }
  if (projected) return check_projected(s, row, def, lift);
  for (int i = 0; i < s->nq; i++) note_position(s, row, i);
  return true;
}

// ---- works ----

// What moving partners of contacts put in
static long double drive_of(const scene* s, const ss_run_contact* list)
{
  long double sum = 0;
  for (int i = 0; i < s->n; i++)
    for (int k = 0; s->number[i] >= 0 && k < ss_contact_rows(s->item[i].law->kind); k++)
      sum -= (long double)row_impulse(s, i, &list[s->number[i]], k)*s->w_hat[s->row[i] + k];
  return sum;
}

static bool energy_at(scene* s, const double* q, long double* sum)
{
  ss_energy e = {0};
  s->c->at.q = q;
  s->c->at.u = s->e->u;
  s->c->at.t = s->e->t;
  if (s->c->d->update && s->c->d->update(&s->c->at) < 0) return false;
  if (s->c->d->energy(&s->c->at, &e) < 0) return false;
  *sum = (long double)e.kinetic + e.potential;
  return true;
}

// The energy that came with the displacement from where the step led to, s->qx, to the row
static bool check_projection(scene* s, long row)
{
  cli_verifier* c = s->c;
  long double from, to;
  if (!c->info->run.step.account || !c->d->energy) return true;
  if (!energy_at(s, s->qx, &from) || !energy_at(s, s->e->q, &to)) return false;
  long double size = fabs(c->kinetic[row]) + fabs(c->potential[row]) + fabsl(from) + fabs(c->projection[row]);
  cli_verify_note(c, CLI_WORKS, row, c->projection[row] - c->projection[row - 1] - (to - from), size);
  return true;
}

// Comes after check_position()
static bool check_works(scene* s, long row, const ss_step_def* def, long double contacts)
{
  if (!check_projection(s, row)) return false;
  for (int i = 0; i < s->nv; i++) s->v[i] = (s->a->u[i] + s->e->u[i])/2;
  advance(s, s->a->q, s->v, def->dt/2, s->qm);
  cli_ends ends = {s->a->q, s->a->u, s->e->q, s->e->u};
  return cli_verify_step_works(s->c, row, &ends, s->qm, s->v, contacts);
}

// Where a step of jean has its contacts: on the way of the mean velocity, or where the velocity at the start leads if a
// part meets something on that way
static bool place_jean(scene* s, const ss_step_def* def)
{
  double reach = def->theta*def->dt;
  memcpy(s->way, s->a->u, sizeof(double)*(size_t)s->nv);
  s->c->at.q = s->a->q;
  s->c->at.u = s->a->u;
  s->c->at.t = s->a->t;
  s->once = s->op->turns_far && s->op->turns_far(&s->c->at, def->dt);
  s->stays = s->once;
  if (s->op->stop && s->op->stop(&s->c->at, s->a->u, reach, s->way) < 0) return false;
  for (int i = 0; i < s->nv; i++) s->stays = s->stays || s->way[i] != s->a->u[i];
  advance(s, s->a->q, s->stays ? s->way : s->um, reach, s->qm);
  return true;
}

// ... or if not all of them are on the way of the mean velocity, or rounds did not settle there
static bool place_jean_again(scene* s, const ss_step_def* def)
{
  s->stays = true;
  advance(s, s->a->q, s->way, def->theta*def->dt, s->qm);
  return evaluate(s, def);
}

// Planar bodies: a normal that is not the one of the list must be one of those that are possible there
static void check_normals(scene* s, long row, const ss_run_contact* list, double t)
{
  for (int i = 0; !s->machine && i < s->n; i++)
    if (s->by_place[i])
      cli_verify_note(s->c, CLI_KINEMATICS, row, !cli_verify_normal_fits(s->c, s->qm, t, &list[s->number[i]]), 1);
}

// The contacts of the file among those of the list, and rows by their places. *there: they are where the file says,
// and, of jean without loops, the momentum is: where little moves gaps alone do not tell one place from the other.
static bool find_contacts(scene* s, long row, int n, const ss_run_contact* list, const ss_step_def* def, bool* there)
{
  long double off = 0, size = 0;
  *there = match(s, n, list);
  if (!place_rows(s, list, s->a->t + where(def)*def->dt)) return false;
  if (!*there || s->nb || def->integrator != SS_JEAN) return true;
  if (!find_momentum(s, row, list, def->dt, &off, &size)) return false;
  *there = off <= s->c->tol*size;
  return true;
}

static bool check_step(scene* s, long row, ss_error* error)
{
  const ss_step_def* def = &s->c->info->run.step;
  const ss_run_contact* list;
  int n = ss_run_contacts(s->c->run, row, &list, error);
  if (n < 0) return false;
  bool jean = def->integrator == SS_JEAN;
  s->overlaps = false;
  for (int i = 0; i < s->nv; i++) s->um[i] = (1 - def->theta)*s->a->u[i] + def->theta*s->e->u[i];
  if (def->integrator == SS_EULER) memcpy(s->qm, s->a->q, sizeof(double)*(size_t)s->nq);
  else if (jean && !place_jean(s, def)) return false;
  else if (!jean && !advance_freely(s, s->a->q, s->a->u, def->dt/2, s->a->t, s->qm)) return false;
  if (!evaluate(s, def)) return false;
  bool there;
  if (!find_contacts(s, row, n, list, def, &there)) return false;
  if (!there && jean && !s->stays)
    if (!place_jean_again(s, def) || !find_contacts(s, row, n, list, def, &there)) return false;
  check_normals(s, row, list, s->a->t + where(def)*def->dt);
  if (!s->nb && !check_contacts(s, row, n, list, def->dt)) return false;
  long double contacts = drive_of(s, list);
  if (!(jean && s->nb) && !check_momentum(s, row, list, def->dt)) return false;
  return s->nb || (check_position(s, row, def, list) && check_works(s, row, def, contacts));
}

// ---- the run ----

static void check_events(scene* s)
{
  const ss_event* e = s->c->event;
  for (long i = 0; i < s->c->info->n_events; i++) {
    if (e[i].kind != SS_EVENT_IMPACT || s->c->info->contact_kind[e[i].contact] == SS_CONTACT_FRICTION) continue;
    uint64_t key = s->c->info->contact_key[e[i].contact];
    const ss_contact_def* law = ss_model_contact_law(s->c->model, key);
    cli_verify_impact(s->c, &e[i], law && !law->varies ? law->mu : NAN);
  }
}

// Event-driven runs: no impulse of a contact between bodies pulls, and friction is in the cone of its normal impulse,
// redundant contacts included. The length of an arc: since the row before.
// size: of all impulses of the row
static void check_cone(scene* s, long row, const ss_run_contact* c, double size)
{
  const ss_contact_def* law = ss_model_contact_law(s->c->model, s->c->info->contact_key[c->contact]);
  double passed = row > 0 ? s->c->t[row] - s->c->t[row - 1] : 0;
  if (!law || law->kind == SS_CONTACT_FRICTION || (c->frame[0] == 0 && c->frame[1] == 0 && c->frame[2] == 0)) return;
  cli_verify_note(s->c, CLI_NORMAL, row, fmin(0, c->Lambda[0]), size);
  double limit = fmax(law->mu, law->mu_static)*c->Lambda[0] + fmax(law->bound, law->bound_static)*passed;
  bool round = !law->varies && !law->set && s->c->info->run.step.order == SS_IMPACTS_SIMULTANEOUS;
  if (round) cli_verify_note(s->c, CLI_FRICTION, row, fmax(0, hypot(c->Lambda[1], c->Lambda[2]) - limit), size);
}

static bool check_contact_numbers(scene* s, long row, ss_error* error)
{
  bool stops = s->c->info->run.step.integrator == SS_EVENT_DRIVEN;
  double size = 0;
  const ss_run_contact* c;
  int n = ss_run_contacts(s->c->run, row, &c, error);
  for (int i = 0; i < n; i++) {
    double sum = c[i].gap;
    for (int k = 0; k < 3; k++) sum += c[i].Lambda[k] + c[i].gamma[k] + c[i].point[k];
    for (int k = 0; k < 9; k++) sum += c[i].frame[k];
    cli_verify_note(s->c, CLI_NUMBERS, row, isfinite(sum) ? 0 : NAN, 1);
    for (int k = 0; k < 3; k++) size += fabs(c[i].Lambda[k]);
  }
  for (int i = 0; stops && i < n; i++) check_cone(s, row, &c[i], size + s->c->least);
  return n >= 0;
}

static bool check_all(scene* s, ss_error* error)
{
  bool steps = s->c->info->run.step.integrator != SS_EVENT_DRIVEN;
  if (!steps) check_events(s);
  for (long row = 0; row < s->c->info->n_rows; row++) {
    ss_state* past = s->a;
    s->a = s->e;
    s->e = past;
    if (!cli_verify_go_on(s->c, row, error)) return false;
    if (ss_run_motion(s->c->run, row, s->e, error) < 0) return false;
    bool next = row > 0 && s->c->step[row] == s->c->step[row - 1] + 1 && s->in_parts[row] == s->in_parts[row - 1];
    if (steps && row > 0 && !next) s->c->not_seen++;
    bool parts = steps && row > 0 && !next && s->c->step[row] == s->c->step[row - 1] + 1;
    if (parts && s->nb && !s->machine && !cli_verify_parts(s->c, row, s->a, s->e, s->B, error)) return false;
    bool looked = !steps || !next || check_step(s, row, error);
    if (!looked && s->overlaps) cli_verify_note(s->c, CLI_OVERLAPS, row, 1, 1);
    else if (!looked) return false;
    if (steps && row > 0 && !cli_verify_step_events(s->c, row, next, error)) return false;
    if (!steps && row > 0 && !cli_verify_stop_events(s->c, row, error)) return false;
    if (!check_contact_numbers(s, row, error)) return false;
    s->c->at.q = s->e->q;
    s->c->at.u = s->e->u;
    s->c->at.t = s->e->t;
    if ((s->c->d->update && s->c->d->update(&s->c->at) < 0) || !cli_verify_energy(s->c, row)) return false;
  }
  return true;
}

static bool open_scene(scene* s, ss_error* error)
{
  size_t nv = (size_t)s->nv + 1, nq = (size_t)s->nq + 1;
  const ss_system* system = ss_model_system(s->c->model);
  if (s->op->open && s->op->open(s->c->at.user, s->c->at.scratch, error) < 0) return false;
  s->a = ss_state_create(system);
  s->e = ss_state_create(system);
  s->qm = calloc(2*nq + 9*nv, sizeof *s->qm);
  s->sum = calloc(nv*((size_t)s->nb + 1), sizeof *s->sum);
  s->B = calloc((size_t)s->nb + 1, sizeof *s->B);
  if (s->machine) s->work = ss_tree_work_create(ss_machine_tree(s->machine), error);
  else s->M = calloc(nv*nv, sizeof *s->M);
  if (!s->a || !s->e || !s->qm || !s->sum || !s->B || (s->machine ? !s->work : !s->M))
    return ss_error_set(error, SS_ERR_MEMORY, "out of memory"), false;
  s->base = s->sum + nv;
  s->qx = s->qm + nq;
  double** part[] = {&s->um, &s->way, &s->v, &s->h, &s->part, &s->mdu, &s->damped, &s->near, &s->kick};
  double* p = s->qx + nq;
  for (size_t i = 0; i < sizeof part/sizeof *part; i++, p += nv) *part[i] = p;
  s->in_parts = cli_verify_column(s->c, "counts.", "in_parts", error);
  for (int i = 0; i < s->nb; i++) s->B[i] = cli_verify_column(s->c, "Lambda.", s->c->info->bilateral[i], error);
  return error->status >= 0;
}

int cli_verify_scene(cli_verifier* c)
{
  ss_error error = {0};
  scene s = {.c = c, .op = c->d->operators, .machine = ss_model_machine(c->model), .nv = c->d->nv, .nq = c->d->nq,
             .nb = c->d->n_bilateral};
  bool jean = c->info->run.step.integrator == SS_JEAN;  // which evaluates at the velocity before it was moved
  bool events = c->info->run.step.integrator == SS_EVENT_DRIVEN;
  if (s.nb && jean) cli_verify_leave_out(c, "steps of jean with loops, onto which positions and velocities are moved");
  else if (s.nb && !events) cli_verify_leave_out(c, "positions and contact laws with loops, onto which both are moved");
  if (c->info->run.step.friction.compliance > 0) cli_verify_leave_out(c, "contact laws with compliance");
  if (c->info->run.step.friction.polyhedral) cli_verify_leave_out(c, "directions of friction of a polyhedral cone");
  if (!events) cli_verify_leave_out(c, "residuals, and whether contacts stick or slip, in scenes");
  bool open = open_scene(&s, &error), good = open && check_all(&s, &error);
  good = good && (!events || cli_verify_flights(c, &error));
  if (!good) cli_progress_end(&c->progress);
  if (!good && error.status >= 0) cli_error("the system cannot be evaluated at a recorded state");
  int status = good ? CLI_GO_ON : error.status < 0 ? cli_fail(&error) : CLI_FAILED;
  if (s.op->close) s.op->close(c->at.scratch);
  ss_tree_work_destroy(s.work);
  ss_state_destroy(s.a);
  ss_state_destroy(s.e);
  free(s.qm);
  free(s.sum);
  free(s.B);
  free(s.M);
  free(s.gamma_a);
  free(s.placed);
  free(s.by_place);
  free(s.row);
  return status;
}
