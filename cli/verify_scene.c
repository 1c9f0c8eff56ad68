// `stickslip verify` of scenes and of planar bodies: contacts come and go, and the file says where each of them was,
// along which directions and with which impulse. For machines M, the impulses of contacts and their velocities are
// taken from the tree of bodies and these places, not from the rows that the step was computed with; rows serve for
// what has no place (limits and friction of joints, loops, tendons), and as scales.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verify_dry.h"
#include "verify_rattle.h"

long double cli_scene_norm_of(int n, const double* x)
{
  long double sum = 0;
  for (int i = 0; i < n; i++) sum += (long double)x[i]*x[i];
  return sqrtl(sum);
}

bool cli_scene_has_place(const cli_scene* s, int i)
{
  const double* N = s->item[i].frame;
  return !s->item[i].load && (N[0] != 0 || N[1] != 0 || N[2] != 0);
}

double cli_scene_row_impulse(const cli_scene* s, int i, const ss_run_contact* c, int k)
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

void cli_scene_advance(const cli_scene* s, const double* q, const double* u, double dt, double* out)
{
  if (s->op->advance) s->op->advance(s->c->at.user, q, u, dt, out);
  else
    for (int i = 0; i < s->nv; i++) out[i] = q[i] + dt*u[i];
}

// The way that is free, for moreau
bool cli_scene_advance_freely(cli_scene* s, const double* q, const double* u, double dt, double t, double* out)
{
  const double* v = u;
  if (s->op->stop) {
    s->c->at.q = q;
    s->c->at.u = u;
    s->c->at.t = t;
    if (s->op->stop(&s->c->at, u, dt, s->v) < 0) return false;
    v = s->v;
  }
  cli_scene_advance(s, q, v, dt, out);
  return true;
}

static bool make_room(cli_scene* s)
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
static void measure_fall(cli_scene* s, double dt)
{
  s->op->solve(&s->c->at, s->h, s->part);
  s->op->row_velocity(&s->c->at, s->part, s->Lambda, s->fall);
  for (int r = 0; r < s->rows; r++) s->fall[r] *= dt*dt;
}

// How long contacts are looked for ahead
double cli_scene_reach_of(const ss_step_def* def) { return def->integrator == SS_MOREAU ? def->dt/2 : def->dt; }

// Rows and velocities at s->qm; h into s->h
static bool evaluate(cli_scene* s, const ss_step_def* def)
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
  ss_status st = s->op->list(&c->at, cli_scene_reach_of(def), &s->n, &s->item);
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

// ---- works ----

// What moving partners of contacts put in
static long double drive_of(const cli_scene* s, const ss_run_contact* list)
{
  long double sum = 0;
  for (int i = 0; i < s->n; i++)
    for (int k = 0; s->number[i] >= 0 && k < ss_contact_rows(s->item[i].law->kind); k++)
      sum -= (long double)cli_scene_row_impulse(s, i, &list[s->number[i]], k)*s->w_hat[s->row[i] + k];
  return sum;
}

static bool energy_at(cli_scene* s, const double* q, long double* sum)
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
static bool check_projection(cli_scene* s, long row)
{
  cli_verifier* c = s->c;
  long double from, to;
  if (!c->info->run.step.account || !c->d->energy) return true;
  if (!energy_at(s, s->qx, &from) || !energy_at(s, s->e->q, &to)) return false;
  long double size = fabs(c->kinetic[row]) + fabs(c->potential[row]) + fabsl(from) + fabs(c->projection[row]);
  cli_verify_note(c, CLI_WORKS, row, c->projection[row] - c->projection[row - 1] - (to - from), size);
  return true;
}

// Comes after cli_scene_check_position()
static bool check_works(cli_scene* s, long row, const ss_step_def* def, long double contacts)
{
  if (!check_projection(s, row)) return false;
  for (int i = 0; i < s->nv; i++) s->v[i] = (s->a->u[i] + s->e->u[i])/2;
  cli_scene_advance(s, s->a->q, s->v, def->dt/2, s->qm);
  cli_ends ends = {s->a->q, s->a->u, s->e->q, s->e->u};
  return cli_verify_step_works(s->c, row, &ends, s->qm, s->v, contacts);
}

// Where a step of jean has its contacts: on the way of the mean velocity, or where the velocity at the start leads if a
// part meets something on that way
static bool place_jean(cli_scene* s, const ss_step_def* def)
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
  cli_scene_advance(s, s->a->q, s->stays ? s->way : s->um, reach, s->qm);
  return true;
}

// ... or if not all of them are on the way of the mean velocity, or rounds did not settle there
static bool place_jean_again(cli_scene* s, const ss_step_def* def)
{
  s->stays = true;
  cli_scene_advance(s, s->a->q, s->way, def->theta*def->dt, s->qm);
  return evaluate(s, def);
}

// The contacts of the file among those of the list, rows by their places, and islands. *there: they are where the file
// says, and, of jean, the momentum is: where little moves gaps alone do not tell one place from the other, nor does
// momentum where bodies slide along their edges and do not turn: of planar bodies their points do.
static bool find_contacts(cli_scene* s, long row, int n, const ss_run_contact* list, const ss_step_def* def,
                          bool* there)
{
  long double off = 0, size = 0;
  cli_scene_match(s, n, list);
  cli_impulses_learn(s->c, n, list, s->n, s->item);
  double t = s->a->t + where(def)*def->dt;
  if (!cli_scene_place_rows(s, list, t) || !cli_scene_join(s, n, list)) return false;
  *there = cli_scene_is_there(s, n, list) && cli_scene_are_possible(s, list, t);
  if (!*there || def->integrator != SS_JEAN) return true;
  if (!cli_scene_find_momentum(s, row, list, def->dt, &off, &size)) return false;
  *there = off <= s->c->tol*size;
  return true;
}

static bool check_step(cli_scene* s, long row, ss_error* error)
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
  else if (!jean && !cli_scene_advance_freely(s, s->a->q, s->a->u, def->dt/2, s->a->t, s->qm)) return false;
  if (!evaluate(s, def)) return false;
  bool there;
  double t = s->a->t + where(def)*def->dt;
  if (!find_contacts(s, row, n, list, def, &there)) return false;
  if (!there && jean && !s->stays)
    if (!place_jean_again(s, def) || !find_contacts(s, row, n, list, def, &there)) return false;
  cli_scene_check_normals(s, row, list, t);
  if (!cli_scene_check_contacts(s, row, n, list, def->dt, t)) return false;
  long double contacts = drive_of(s, list);
  if (!cli_scene_check_momentum(s, row, list, def->dt)) return false;
  if (s->nb && (!evaluate(s, def) || !find_contacts(s, row, n, list, def, &there))) return false;  // it was elsewhere
  return cli_scene_check_position(s, row, def, list) && (s->nb || check_works(s, row, def, contacts));
}

// ---- the run ----

static bool check_contact_numbers(cli_scene* s, long row, ss_error* error)
{
  const ss_run_contact* c;
  int n = ss_run_contacts(s->c->run, row, &c, error);
  for (int i = 0; i < n; i++) {
    double sum = c[i].gap;
    for (int k = 0; k < 3; k++) sum += c[i].Lambda[k] + c[i].gamma[k] + c[i].point[k];
    for (int k = 0; k < 9; k++) sum += c[i].frame[k];
    cli_verify_note(s->c, CLI_NUMBERS, row, isfinite(sum) ? 0 : NAN, 1);
  }
  return n >= 0;
}

static bool check_all(cli_scene* s, ss_error* error)
{
  bool steps = s->c->info->run.step.integrator != SS_EVENT_DRIVEN;
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
    bool looked = !steps || !next;
    if (!looked) looked = s->rattle ? cli_rattle_step(s->rattle, row, error) : check_step(s, row, error);
    if (!looked && s->overlaps) cli_verify_note(s->c, CLI_OVERLAPS, row, 1, 1);
    else if (!looked) return false;
    if (steps && row > 0 && !cli_verify_step_events(s->c, row, next, error)) return false;
    if (!steps && row > 0 && !cli_verify_stop_events(s->c, row, error)) return false;
    if (!check_contact_numbers(s, row, error)) return false;
    s->c->at.q = s->e->q;
    s->c->at.u = s->e->u;
    s->c->at.t = s->e->t;
    if ((s->c->d->update && s->c->d->update(&s->c->at) < 0) || !cli_verify_energy(s->c, row)) return false;
    bool laws = next && !s->nb && s->c->info->run.step.friction.compliance == 0;
    if (steps ? !cli_verify_impulses(s->c, row, laws, error) : !cli_scene_check_cones(s, row, error)) return false;
  }
  if (!steps) cli_scene_check_impacts(s);
  return true;
}

static bool open_scene(cli_scene* s, ss_error* error)
{
  size_t nv = (size_t)s->nv + 1, nq = (size_t)s->nq + 1;
  const ss_system* system = ss_model_system(s->c->model);
  if (s->op->open && s->op->open(s->c->at.user, s->c->at.scratch, error) < 0) return false;
  s->a = ss_state_create(system);
  s->e = ss_state_create(system);
  s->qm = calloc(2*nq + 9*nv, sizeof *s->qm);
  s->sum = calloc(nv*((size_t)s->nb + 1), sizeof *s->sum);
  s->B = calloc((size_t)s->nb + 1, sizeof *s->B);
  s->stretch = calloc(2*(size_t)s->c->info->n_contact + 1, sizeof *s->stretch);
  if (!cli_dry_open(s->dry, s->c) || !cli_scene_open_islands(s))
    return ss_error_set(error, SS_ERR_MEMORY, "out of memory"), false;
  if (s->machine) s->work = ss_tree_work_create(ss_machine_tree(s->machine), error);
  else s->M = calloc(nv*nv, sizeof *s->M);
  if (!s->a || !s->e || !s->qm || !s->sum || !s->B || !s->stretch || (s->machine ? !s->work : !s->M))
    return ss_error_set(error, SS_ERR_MEMORY, "out of memory"), false;
  s->base = s->sum + nv;
  s->qx = s->qm + nq;
  double** part[] = {&s->um, &s->way, &s->v, &s->h, &s->part, &s->mdu, &s->damped, &s->near, &s->kick};
  double* p = s->qx + nq;
  for (size_t i = 0; i < sizeof part/sizeof *part; i++, p += nv) *part[i] = p;
  s->in_parts = cli_verify_column(s->c, "counts.", "in_parts", error);
  s->choice = ss_run_column(s->c->run, "choice", NULL);
  if (s->c->info->run.step.integrator == SS_RATTLE) {
    s->rattle = cli_rattle_open(s->c, error);
    if (!s->rattle && error->status >= 0) ss_error_set(error, SS_ERR_MEMORY, "out of memory");
  }
  for (int i = 0; i < s->nb; i++) s->B[i] = cli_verify_column(s->c, "Lambda.", s->c->info->bilateral[i], error);
  return error->status >= 0;
}

int cli_verify_scene(cli_verifier* c)
{
  ss_error error = {0};
  cli_dry dry = {0};
  cli_scene s = {.c = c,
                 .dry = &dry,
                 .op = c->d->operators,
                 .machine = ss_model_machine(c->model),
                 .nv = c->d->nv,
                 .nq = c->d->nq,
                 .nb = c->d->n_bilateral};
  bool jean = c->info->run.step.integrator == SS_JEAN;  // which evaluates at the velocity before it was moved
  bool events = c->info->run.step.integrator == SS_EVENT_DRIVEN;
  if (s.nb && jean)
    cli_verify_leave_out(c, "steps of jean of parts with loops, onto which positions and velocities are moved");
  else if (s.nb && !events && c->info->run.step.integrator != SS_RATTLE)
    cli_verify_leave_out(c, "positions, laws, losses and works of parts with loops, onto which they are moved");
  if (c->info->run.step.friction.compliance > 0) cli_verify_leave_out(c, "contact laws with compliance");
  if (c->info->run.step.friction.polyhedral) cli_verify_leave_out(c, "directions of friction of a polyhedral cone");
  if (!events) cli_verify_leave_out(c, "residuals of scenes");
  bool open = open_scene(&s, &error), good = open && check_all(&s, &error);
  good = good && (!events || cli_verify_flights(c, &error));
  if (!good) cli_progress_end(&c->progress);
  if (!good && error.status >= 0) cli_error("the system cannot be evaluated at a recorded state, or memory is short");
  int status = good ? CLI_GO_ON : error.status < 0 ? cli_fail(&error) : CLI_FAILED;
  cli_rattle_close(s.rattle);
  if (s.op->close) s.op->close(c->at.scratch);
  ss_tree_work_destroy(s.work);
  ss_state_destroy(s.a);
  ss_state_destroy(s.e);
  cli_dry_close(&dry);
  cli_scene_close_islands(&s);
  free(s.qm);
  free(s.sum);
  free(s.B);
  free(s.stretch);
  free(s.M);
  free(s.gamma_a);
  free(s.placed);
  free(s.by_place);
  free(s.row);
  return status;
}
