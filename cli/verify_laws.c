// `stickslip verify` of scenes and planar bodies: gaps, velocities, states and laws of the contacts of a step.
#include <math.h>
#include <stdlib.h>
#include <stickslip/dissipation.h>
#include <string.h>

#include "verify_dry.h"
#include "verify_hits.h"

// The relative velocity that the file has, against that of the bodies at the place of the contact
static void check_kinematics(cli_scene* s, long row, const ss_run_contact* c, long double size)
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

// What turning gives at the place of a contact, w |r| of both bodies: where something rolls it cancels what its middle
// has. jean knows where its step was evaluated to 1e-8 of the largest term of its velocities.
static long double turning(cli_scene* s, const ss_run_contact* c)
{
  const int body[] = {c->body_a, c->body_b};
  long double sum = 0;
  for (int k = 0; k < 2; k++) {
    double at[3], w[3], v[3], arm = 0;
    if (body[k] < 0) continue;
    ss_tree_pose(s->work, body[k], at, NULL, NULL);
    ss_tree_point_velocity(s->work, body[k], c->point, w, v);
    for (int j = 0; j < 3; j++) arm = hypot(arm, c->point[j] - at[j]);
    sum += cli_scene_norm_of(3, w)*arm;
  }
  return sum;
}

// The diagonal of G for the rows of contact i
static bool diagonal(cli_scene* s, int i)
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
static double mu_of(const cli_scene* s, int i)
{
  const ss_contact_item* item = &s->item[i];
  double speed = 0;
  if (!item->law->varies) return item->law->mu;
  for (int k = 1; k < ss_contact_rows(item->law->kind); k++)
    speed = hypot(speed, s->gamma_a[s->row[i] + k]/(item->stretch[k - 1] > 0 ? item->stretch[k - 1] : 1));
  return s->op->friction(s->c->d->user, item->law, speed);
}

long double cli_set_off(const ss_friction_set* set, const long double T[2], const long double xi[2], long double limit)
{
  double t[2] = {(double)T[0], (double)T[1]}, d[2] = {(double)-xi[0], (double)-xi[1]}, speed = hypot(d[0], d[1]);
  long double out = fmaxl(0, ss_friction_set_psi(set, t) - limit);
  if (speed == 0) return out;
  return fmaxl(out, fminl(speed, fabsl(limit*ss_friction_set_support(set, d) - d[0]*T[0] - d[1]*T[1])/speed));
}

// Whether the static limit of contact i may count: it was stuck, or comes to rest against a force that would turn it
// round. One of several may have been caught in a motion that others have changed since.
static bool may_rest(const cli_scene* s, int i, const ss_run_contact* c, bool alone)
{
  const ss_contact_def* law = s->item[i].law;
  bool normal = law->kind != SS_CONTACT_FRICTION;
  long double along = 0, push = 0, speed = 0;
  if (!(law->mu_static > 0) && !(law->bound_static > 0)) return false;
  if (!alone || s->c->was[c->contact] == SS_STICK) return true;
  for (int k = normal; k < ss_contact_rows(law->kind); k++) {
    long double T = cli_scene_row_impulse(s, i, c, k), gamma = s->gamma_a[s->row[i] + k];
    along += T*gamma;
    push = hypotl(push, T);
    speed = hypotl(speed, gamma);
  }
  return along >= -s->c->tol*push*speed;
}

long double cli_state_off(ss_contact_state state, int tangents, const long double xi[2], long double loose,
                          bool frictional, long double wrong)
{
  if (!frictional) return state == SS_CLOSED ? 0 : wrong;
  switch (state) {
  case SS_STICK: return hypotl(xi[0], xi[1])/2;
  case SS_SLIP: return tangents == 2 ? loose : wrong;
  case SS_SLIP_POS: return tangents == 1 ? fmaxl(loose, -xi[0]) : wrong;
  case SS_SLIP_NEG: return tangents == 1 ? fmaxl(loose, xi[0]) : wrong;
  default: return wrong;
  }
}

// The laws of contact i of the list, in the metric of the solver's residual: violations over sqrt(G_ii), relative to
// `size`, the largest term of a velocity over its sqrt(G_ii). `hits`: by Poisson's law
static void check_laws(cli_scene* s, long row, int i, const ss_run_contact* list, double dt, long double size,
                       bool hits)
{
  const ss_run_contact none = {0}, *c = s->number[i] >= 0 ? &list[s->number[i]] : &none;
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
    long double normal_size = size*sqrtl(g[0]);
    long double left = before < 0 ? s->gamma_e[r] : xi;  // restitution of what hits: check_hits()
    if (hits) cli_verify_note(s->c, CLI_NORMAL, row, fminl(0, fminl(left, N*g[0])), normal_size);
    else cli_verify_note(s->c, CLI_NORMAL, row, fminl(xi, N*g[0]), normal_size);
  }
  if (!tangents) {
    cli_verify_note(s->c, CLI_STATES, row, c->state != SS_CLOSED, 1);
    return;
  }
  long double x[2] = {0}, T[2] = {0}, xi[2] = {0}, way = 0;
  double scale = tangents > 1 ? (g[normal] + g[normal + 1])/2 : g[normal];
  for (int k = 0; k < tangents; k++) {
    T[k] = cli_scene_row_impulse(s, i, c, normal + k)*(long double)scale;
    xi[k] = s->gamma_e[r + normal + k] + law->eps_t*s->gamma_a[r + normal + k];
    x[k] = T[k] - xi[k];
    way = hypotl(way, x[k]);
  }
  long double off = INFINITY, loose = INFINITY;  // loose: how far friction is from its limits
  double mu = mu_of(s, i);
  bool alone = s->joined && cli_scene_holds_alone(s, i);
  for (int rests = 0; rests <= may_rest(s, i, c, alone); rests++) {  // either limit, where there are two
    long double limit = (rests ? fmax(law->mu_static, mu) : mu)*N;
    limit = scale*(limit + (rests ? fmax(law->bound_static*dt, (double)bound) : bound));
    long double shrink = way > limit ? limit/way : 1, apart = hypotl(T[0] - shrink*x[0], T[1] - shrink*x[1]);
    if (hits || def->friction.polyhedral) apart = fmaxl(0, hypotl(T[0], T[1]) - limit);  // inside of the cone
    if (law->set) apart = cli_set_off(law->set, T, xi, limit);
    if (rests && alone) apart = fmaxl(apart, hypotl(xi[0], xi[1]));  // the static limit holds
    off = fminl(off, apart);
    loose = fminl(loose, fabsl(limit - hypotl(T[0], T[1])));
  }
  cli_verify_note(s->c, CLI_FRICTION, row, off, size*sqrtl(scale));
  if (s->number[i] < 0 || hits || law->set || def->friction.polyhedral) return;
  bool frictional = mu > 0 || law->bound > 0 || law->mu_static > 0 || law->bound_static > 0;
  long double whole = size*sqrtl(scale);
  cli_verify_note(s->c, CLI_STATES, row, cli_state_off(c->state, tangents, xi, loose, frictional, whole), whole);
}

static bool is_idle(const ss_run_contact* c) { return c->Lambda[0] == 0 && c->Lambda[1] == 0 && c->Lambda[2] == 0; }

// How many contacts of the file that are not in the list may be so: see check_others()
static int count_unlisted(const cli_scene* s, int n, const ss_run_contact* list)
{
  int count = 0;
  for (int j = 0; j < n; j++) {
    bool listed = (s->machine || !is_idle(&list[j])) && !cli_scene_is_of_loops(s, &list[j]);
    for (int i = 0; i < s->n && !listed; i++) listed = s->number[i] == j;
    count += !listed;
  }
  return count;
}

void cli_scene_match(cli_scene* s, int n, const ss_run_contact* list)
{
  for (int i = 0; i < s->n; i++) {
    s->number[i] = -1;
    for (int j = 0; j < n && s->number[i] < 0; j++)
      if (s->c->info->contact_key[list[j].contact] == s->item[i].key) s->number[i] = j;
  }
}

bool cli_scene_is_there(const cli_scene* s, int n, const ss_run_contact* list)
{
  int found = 0;
  bool there = true;
  for (int i = 0; i < s->n; i++) {
    if (s->number[i] < 0) continue;
    const ss_contact_item* item = &s->item[i];
    double off = fabs(item->gap - list[s->number[i]].gap);
    found++;
    there = there && (cli_scene_acts_elsewhere(s, i) || off <= s->c->tol*(fabs(item->gap) + item->size + 1e-3));
  }
  return there && (found == n || found + count_unlisted(s, n, list) == n);
}

// Planar bodies: whether contact i has another normal or place in the file than in the list
static bool is_elsewhere(const cli_scene* s, int i, const ss_run_contact* c)
{
  const ss_contact_item* item = &s->item[i];
  double off = 0, way = hypot(c->point[0] - item->point[0], c->point[1] - item->point[1]);
  if (!cli_scene_has_place(s, i) || ss_contact_rows(item->law->kind) > 2) return false;
  for (int k = 0; k < 3; k++) off = fmax(off, fabs(c->frame[k] - item->frame[k]));
  return off > s->c->tol || way > s->c->tol*(item->size + fabs(item->gap));
}

// Planar bodies: rows of contacts whose normal or place in the file is another one than in the list
bool cli_scene_place_rows(cli_scene* s, const ss_run_contact* list, double t)
{
  int nv = s->nv;
  if (s->machine) return true;
  if (!s->placed || s->n > s->placed_room) {  // and one more, see check_unlisted()
    double* p = realloc(s->placed, sizeof(double)*2*((size_t)s->n + 1)*(size_t)nv);
    if (p) s->placed = p;
    bool* b = realloc(s->by_place, sizeof(bool)*((size_t)s->n + 1));
    if (b) s->by_place = b;
    if (!p || !b) return false;
    s->placed_room = s->n;
  }
  for (int i = 0; i < s->n; i++) {
    const ss_run_contact* c = s->number[i] >= 0 ? &list[s->number[i]] : NULL;
    double w_hat[2], *W = s->placed + 2*i*nv;
    s->by_place[i] = c && is_elsewhere(s, i, c);
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

// The gap, bodies and velocities of the file, and that what is open has no impulse
static void check_listed(cli_scene* s, long row, int i, const ss_run_contact* c, long double size)
{
  const ss_contact_item* item = &s->item[i];
  int first = item->law->kind == SS_CONTACT_FRICTION;
  if (cli_scene_acts_elsewhere(s, i)) return;
  for (int k = 0; k < ss_contact_rows(item->law->kind); k++) {
    double stretch = first + k ? item->stretch[first + k - 1] : 0;
    s->c->before[3*c->contact + first + k] = s->gamma_a[s->row[i] + k]/(stretch != 0 ? stretch : 1);
  }
  cli_verify_note(s->c, CLI_KINEMATICS, row, (long double)item->gap - c->gap, fabs(item->gap) + item->size + 1e-3);
  cli_verify_note(s->c, CLI_KINEMATICS, row, item->body_a != c->body_a || item->body_b != c->body_b, 1);
  double place = item->size + 1e-3;
  for (int k = 0; k < 3; k++) place += fabs(item->point[k]);
  for (int k = 0; !s->machine && !s->by_place[i] && k < 3; k++)
    cli_verify_note(s->c, CLI_KINEMATICS, row, (long double)item->point[k] - c->point[k], place);
  if (cli_scene_is_looped(s, i)) return;
  bool by_bodies = s->machine && cli_scene_has_place(s, i);  // see check_kinematics()
  for (int k = 0; !by_bodies && k < ss_contact_rows(item->law->kind); k++)
    cli_verify_note(s->c, CLI_KINEMATICS, row, (long double)s->gamma_e[s->row[i] + k] - c->gamma[first + k], size);
  long double push = 0;
  for (int k = 0; k < ss_contact_rows(item->law->kind); k++)
    push = fmaxl(push, fabsl((long double)cli_scene_row_impulse(s, i, c, k))*s->g[s->row[i] + k]);
  bool never = item->law->kind == SS_CONTACT_FRICTION && !item->load;  // it has nothing to open
  cli_verify_note(s->c, CLI_STATES, row, c->state == SS_OPEN ? (never ? size : push) : 0, size);
}

// Friction of no place that the file does not have, as if its impulse were zero: that of planar bodies' expressions,
// and of contacts against spin and rolling. That of joints and tendons: verify_dry.c
static bool check_missing(cli_scene* s, long row, const ss_run_contact* list, double dt, long double unit, bool hits)
{
  for (int i = 0; i < s->n; i++) {
    bool resists = s->item[i].law->kind == SS_CONTACT_FRICTION || s->item[i].load;
    if (s->number[i] >= 0 || !resists || (s->machine && !s->item[i].load) || cli_scene_is_looped(s, i)) continue;
    if (!diagonal(s, i)) return false;
    for (int k = 0; k < ss_contact_rows(s->item[i].law->kind); k++) {
      int r = s->row[i] + k;
      if (s->g[r] > 0) unit = fmaxl(unit, (s->size[r] + s->fall[r]/dt)/sqrtl(s->g[r]));
    }
    check_laws(s, row, i, list, dt, unit, hits);
  }
  return true;
}

// Planar bodies: two corners that meet exactly touch, or are beside each other, as round-off has it. A contact of the
// file that is not in the list is one of those if it carries nothing, its normal and velocities are possible there, and
// its gap is none.
static bool check_unlisted(cli_scene* s, long row, const ss_run_contact* c, double t, long double size)
{
  double *W = s->placed + 2*s->n*s->nv, w_hat[2], none = s->c->tol*(fabs(c->point[0]) + fabs(c->point[1]));
  bool may = !s->machine && is_idle(c) && fabs(c->gap) <= none;
  if (!may || !cli_verify_place_fits(s->c, s->qm, t, c, c->point)) {
    cli_verify_note(s->c, CLI_NORMAL, row, 1, 1);
    return true;
  }
  if (!cli_verify_place_rows(s->c, s->qm, t, c, W, w_hat)) return false;
  for (int k = 0; k < ss_contact_rows(s->c->info->contact_kind[c->contact]); k++) {
    long double gamma = w_hat[k];
    for (int j = 0; j < s->nv; j++) gamma += (long double)W[k*s->nv + j]*s->e->u[j];
    cli_verify_note(s->c, CLI_KINEMATICS, row, gamma - c->gamma[k], size);
  }
  return true;
}

// Contacts of the file that are not in the list: loops may have moved them
static bool check_others(cli_scene* s, long row, int n, const ss_run_contact* list, double t, long double size)
{
  for (int j = 0; j < n; j++) {
    bool listed = cli_scene_is_of_loops(s, &list[j]);
    for (int i = 0; i < s->n && !listed; i++) listed = s->number[i] == j;
    if (!listed && !check_unlisted(s, row, &list[j], t, size)) return false;
  }
  return true;
}

// ---- impacts by other laws ----

// The row N of G for contact i (3), by its place where the file has it elsewhere
static bool normal_row(cli_scene* s, int i, double G[3])
{
  int n = ss_contact_rows(s->item[i].law->kind), rows[3] = {s->row[i], s->row[i] + 1, s->row[i] + 2};
  double block[9];
  bool placed = !s->machine && s->by_place[i];
  if (!placed && s->op->delassus(&s->c->at, n, rows, block) < 0) return false;
  if (placed) s->op->solve(&s->c->at, s->placed + 2*i*s->nv, s->part);
  for (int k = 0; k < n; k++) {
    G[k] = placed ? 0 : block[k];
    for (int j = 0; placed && j < s->nv; j++) G[k] += s->placed[(2*i + k)*s->nv + j]*s->part[j];
  }
  return true;
}

// Whether a part of the system that contact i acts on has an impulse of another one
static bool is_alone(cli_scene* s, int i, const ss_run_contact* list)
{
  int own[2], other[2];
  if (!s->op->row_parts) return false;
  s->op->row_parts(&s->c->at, 1, &s->row[i], own);
  for (int j = 0; j < s->n; j++) {
    if (j == i || s->number[j] < 0) continue;
    const double* Lambda = list[s->number[j]].Lambda;
    if (Lambda[0] == 0 && Lambda[1] == 0 && Lambda[2] == 0) continue;
    s->op->row_parts(&s->c->at, 1, &s->row[j], other);
    for (int k = 0; k < 4; k++)
      if (own[k/2] >= 0 && own[k/2] == other[k%2]) return false;
  }
  return true;
}

static bool check_hit(cli_scene* s, long row, int i, const ss_run_contact* list, long double unit, cli_hits* hits)
{
  const ss_run_contact* c = &list[s->number[i]];
  const ss_contact_def* law = s->item[i].law;
  double G[3], mu = mu_of(s, i);
  int r = s->row[i], n = ss_contact_rows(law->kind);
  if (!normal_row(s, i, G)) return false;
  cli_hit h = {.law = law, .mu = law->varies || law->set ? NAN : mu, .bound = law->bound, .before = s->gamma_a[r],
               .after = s->gamma_e[r], .N = c->Lambda[0], .G_NN = G[0], .size = unit*sqrtl(G[0])};
  for (int k = 0; k < n; k++) h.response += (long double)G[k]*cli_scene_row_impulse(s, i, c, k);
  for (int k = 1; k < n; k++) h.G_NT = hypotl(h.G_NT, G[k]);
  h.alone = is_alone(s, i, list);
  h.held = cli_scene_is_looped(s, i);
  cli_hits_check(s->c, row, &h);
  cli_hits_add(hits, &h, n > 1 && (mu > 0 || law->bound > 0));
  return true;
}

// In the metric of M
static long double norm_of(cli_scene* s, const double* u)
{
  long double sum = 0;
  cli_scene_times_mass(s, u, s->mdu);
  for (int i = 0; i < s->nv; i++) sum += (long double)u[i]*s->mdu[i];
  return sqrtl(fmaxl(0, sum));
}

static bool check_hits(cli_scene* s, long row, const ss_run_contact* list, double dt, long double unit)
{
  cli_hits hits = {0};
  long double given = 0, norm[3] = {norm_of(s, s->a->u), norm_of(s, s->e->u)};
  bool driven = s->nb;
  for (int i = 0; i < s->n; i++) {
    if (s->number[i] < 0) continue;
    const ss_run_contact* c = &list[s->number[i]];
    for (int k = 0; k < ss_contact_rows(s->item[i].law->kind); k++) {
      int r = s->row[i] + k;
      given += (long double)cli_scene_row_impulse(s, i, c, k)*(s->gamma_a[r] + s->gamma_e[r])/2;
      driven = driven || s->w_hat[r] != 0;
    }
    bool closing = c->Lambda[0] > 0 && s->gamma_a[s->row[i]] < 0 && !s->item[i].load;
    if (s->item[i].law->kind == SS_CONTACT_FRICTION || !closing) continue;
    if (!check_hit(s, row, i, list, unit, &hits)) return false;
  }
  for (int i = 0; i < s->nv; i++) s->mdu[i] = dt*s->h[i] + s->kick[i];
  s->op->solve(&s->c->at, s->mdu, s->part);
  for (int i = 0; i < s->nv; i++) norm[2] += (long double)s->part[i]*s->mdu[i];
  norm[2] = sqrtl(fmaxl(0, norm[2]));
  if (!driven) cli_hits_check_energy(s->c, row, &hits, given, norm);
  return true;
}

bool cli_scene_check_contacts(cli_scene* s, long row, int n, const ss_run_contact* list, double dt, double t)
{
  const ss_step_def* def = &s->c->info->run.step;
  bool apart = cli_hits_apart(s->c);
  long double size = 0, terms = 0, unit = 0;
  cli_losses sum = {0};
  bool hits = false;
  int seen = 0;
  bool rolls = s->machine && def->integrator == SS_JEAN;
  if (s->machine) ss_tree_set_velocity(s->work, s->e->u);
  for (int i = 0; i < s->n; i++) {
    if (s->number[i] < 0) continue;
    if (!diagonal(s, i)) return false;
    const ss_run_contact* c = &list[s->number[i]];
    bool is_normal = s->item[i].law->kind != SS_CONTACT_FRICTION;
    long double normal = 0, friction = 0;
    const ss_contact_def* law = s->item[i].law;
    bool bounces = is_normal && c->Lambda[0] > 0 && s->gamma_a[s->row[i]] < 0 && (law->eps_n > 0 || law->eps_t > 0);
    seen++;
    for (int k = 0; k < ss_contact_rows(s->item[i].law->kind); k++) {
      int r = s->row[i] + k;
      long double Lambda = cli_scene_row_impulse(s, i, c, k);
      long double own = s->size[r] + fabsl(Lambda)*s->g[r];
      if (rolls && cli_scene_has_place(s, i)) own += turning(s, c);
      size = fmaxl(size, own);
      if (s->g[r] > 0) unit = fmaxl(unit, (own + s->fall[r]/dt)/sqrtl(s->g[r]));
      *(is_normal && k == 0 ? &normal : &friction) -= Lambda*((long double)s->gamma_a[r] + s->gamma_e[r])/2;
      if (bounces) cli_verify_give(&sum, Lambda, s->gamma_a[r]);
      sum.step += Lambda*Lambda*s->g[r];
      terms += fabsl(Lambda);
    }
    cli_verify_add_loss(&sum, is_normal || s->item[i].load, normal, friction);
    if (apart && is_normal && c->Lambda[0] > 0 && s->gamma_a[s->row[i]] < 0) hits = true;
  }
  if (seen < n && !check_others(s, row, n, list, t, size)) return false;
  for (int i = 0; s->machine && i < s->n; i++)
    if (s->number[i] >= 0 && cli_scene_has_place(s, i) && !cli_scene_is_looped(s, i))
      check_kinematics(s, row, &list[s->number[i]], size);
  for (int i = 0; i < s->n; i++)
    if (s->number[i] >= 0) check_listed(s, row, i, &list[s->number[i]], size);
  for (int i = 0; def->friction.compliance == 0 && i < s->n; i++)
    if (s->number[i] >= 0 && list[s->number[i]].state != SS_OPEN && !cli_scene_is_looped(s, i))
      check_laws(s, row, i, list, dt, unit, hits);
  if (hits && def->friction.compliance == 0 && !check_hits(s, row, list, dt, unit)) return false;
  cli_dry_check_step(s->dry, s, row, list, dt, unit);
  if (!hits && !cli_scene_check_static(s, row, list, dt)) return false;
  if (def->friction.compliance == 0 && !check_missing(s, row, list, dt, unit, hits)) return false;
  s->c->speed = (double)size;
  sum.size = terms*size;
  if (!s->nb) cli_verify_losses(s->c, row, &sum);
  return true;
}

// Planar bodies: a normal or place that is not the one of the list must be one of those that are possible there
static bool is_possible(cli_scene* s, int i, const ss_run_contact* list, double t)
{
  if (s->machine || !s->by_place[i] || cli_scene_acts_elsewhere(s, i)) return true;
  return cli_verify_place_fits(s->c, s->qm, t, &list[s->number[i]], s->item[i].point);
}

bool cli_scene_are_possible(cli_scene* s, const ss_run_contact* list, double t)
{
  for (int i = 0; i < s->n; i++)
    if (!is_possible(s, i, list, t)) return false;
  return true;
}

void cli_scene_check_normals(cli_scene* s, long row, const ss_run_contact* list, double t)
{
  for (int i = 0; !s->machine && i < s->n; i++)
    if (s->by_place[i] && !cli_scene_acts_elsewhere(s, i))
      cli_verify_note(s->c, CLI_KINEMATICS, row, !is_possible(s, i, list, t), 1);
}
