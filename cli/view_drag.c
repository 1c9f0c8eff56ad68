// A spring from a point of a body to the mouse. The force f at the point p(q) is the generalised force tau = J^T f with
// J = dp/dq: of bodies by their tree, of shapes of a drawing by central differences of the expressions that place them.
// Stiffness and damping come from the mass that is felt at the point, 1/(j M^-1 j^T) for the rows j of J, so that every
// model answers alike, at OMEGA and slightly damped.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model_arg.h"
#include "view.h"

#define OMEGA 15.0   // rad/s
#define DAMPING 0.7

// ---- the point and its Jacobian ------------------------------------------------------------------------------------

typedef struct grip {
  int dim;           // 2 or 3
  double point[3];
  double* row;       // dim x nv: J
} grip;

// Where the point is, of the values of a drawing
static void place(const cli_drag* d, const ss_draw_shape* s, const double* value, double point[3])
{
  if (s->frame[0] < 0) {
    for (int k = 0; k < 2; k++) point[k] = value[s->number[2*d->corner + k]] + d->local[k];
    return;
  }
  double a = value[s->frame[2]], c = cos(a), n = sin(a);
  point[0] = value[s->frame[0]] + c*d->local[0] - n*d->local[1];
  point[1] = value[s->frame[1]] + n*d->local[0] + c*d->local[1];
}

static ss_status grip_shape(const cli_drag* d, cli_sim* s, grip* g)
{
  const ss_drawing* drawing = ss_model_drawing(s->model);
  const ss_draw_shape* shape = &drawing->shape[d->shape];
  int nv = s->def->nv, n = 2*nv + 1;
  double* memory = calloc((size_t)n*(size_t)(1 + nv + drawing->n_value), sizeof *memory);
  if (!memory) return SS_ERR_MEMORY;
  double *t = memory, *q = t + n, *value = q + n*nv, h[2], p[2][3];
  for (int i = 0; i < n; i++) {
    t[i] = s->state->t;
    memcpy(q + i*nv, s->state->q, sizeof(double)*(size_t)nv);
    int k = (i - 1)/2;
    if (i) q[i*nv + k] += (i % 2 ? 1e-6 : -1e-6)*fmax(1, fabs(s->state->q[k]));
  }
  ss_status st = ss_model_draw(s->model, n, t, q, value);
  if (st >= 0) place(d, shape, value, g->point);
  for (int k = 0; st >= 0 && k < nv; k++) {
    for (int side = 0; side < 2; side++) {
      int i = 2*k + 1 + side;
      place(d, shape, value + i*drawing->n_value, p[side]);
      h[side] = q[i*nv + k];
    }
    for (int c = 0; c < 2; c++) g->row[c*nv + k] = (p[0][c] - p[1][c])/(h[0] - h[1]);
  }
  free(memory);
  return st;
}

static ss_status grip_body(const cli_drag* d, cli_sim* s, grip* g)
{
  static const double axis[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const ss_machine* machine = ss_model_machine(s->model);
  double R[9];
  ss_tree_set_position(s->tree, s->state->q);
  ss_tree_pose(s->tree, d->body, g->point, NULL, R);
  for (int k = 0; k < 3; k++)
    for (int j = 0; j < 3; j++) g->point[k] += R[3*k + j]*d->local[j];
  ss_status st = SS_OK;
  for (int k = 0; st >= 0 && k < 3; k++)
    st = ss_machine_push(machine, s->tree, d->body, g->point, axis[k], g->row + k*s->def->nv);
  return st;
}

static ss_status take_hold(const cli_drag* d, cli_sim* s, grip* g)
{
  *g = (grip){.dim = ss_model_machine(s->model) ? 3 : 2};
  g->row = calloc((size_t)(g->dim*s->def->nv) + 1, sizeof *g->row);
  if (!g->row) return SS_ERR_MEMORY;
  return g->dim == 3 ? grip_body(d, s, g) : grip_shape(d, s, g);
}

// ---- the mass that is felt -----------------------------------------------------------------------------------------

// x = A^-1 x by elimination; A is symmetric and positive definite, and lost
static void eliminate(int n, double* A, double* x)
{
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) {
      double f = A[i*n + k]/A[k*n + k];
      for (int j = k; j < n; j++) A[i*n + j] -= f*A[k*n + j];
      x[i] -= f*x[k];
    }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) x[i] -= A[i*n + j]*x[j];
    x[i] /= A[i*n + i];
  }
}

// x = M^-1 x
static bool mass_solve(cli_at* at, double* x)
{
  const ss_system_def* d = at->def;
  if (d->operators) {
    if (d->operators->factor(&at->at) < 0) return false;
    d->operators->solve(&at->at, x, x);
    return true;
  }
  double* M = calloc((size_t)(d->nv*d->nv), sizeof *M);
  bool done = M && d->mass(&at->at, M) >= 0;
  if (done) eliminate(d->nv, M, x);
  free(M);
  return done;
}

// Of the direction in which it is least; 0 if it cannot be moved
static double felt_mass(cli_sim* s, const grip* g)
{
  cli_at at;
  int nv = s->def->nv;
  double most = 0, *x = calloc((size_t)nv + 1, sizeof *x);
  if (x && cli_at_open(s->system, s->state, &at)) {
    for (int k = 0; k < g->dim; k++) {
      const double* row = g->row + k*nv;
      double sum = 0;
      memcpy(x, row, sizeof(double)*(size_t)nv);
      if (!mass_solve(&at, x)) break;
      for (int i = 0; i < nv; i++) sum += row[i]*x[i];
      if (sum > most) most = sum;
    }
    cli_at_close(&at);
  }
  free(x);
  return most > 0 && isfinite(1/most) ? 1/most : 0;
}

// ---- pulling -------------------------------------------------------------------------------------------------------

static ss_status check(const cli_drag* d, const cli_sim* s, ss_error* error)
{
  const ss_scene* scene = ss_model_scene(s->model);
  const ss_drawing* drawing = ss_model_drawing(s->model);
  if (scene) {
    if (d->body >= 0 && d->body < scene->tree.n_body) return SS_OK;
    return ss_error_set(error, SS_ERR_INPUT, "there is no body %d", d->body);
  }
  if (!drawing || d->shape < 0 || d->shape >= drawing->n_shape)
    return ss_error_set(error, SS_ERR_INPUT, "there is no shape %d", d->shape);
  const ss_draw_shape* shape = &drawing->shape[d->shape];
  if (shape->frame[0] < 0 && (d->corner < 0 || 2*d->corner + 1 >= shape->n))
    return ss_error_set(error, SS_ERR_INPUT, "the shape has no point %d", d->corner);
  return SS_OK;
}

ss_status cli_drag_begin(cli_drag* d, cli_sim* s, ss_error* error)
{
  grip g;
  ss_status st = check(d, s, error);
  if (st < 0) return st;
  st = take_hold(d, s, &g);
  double mass = st < 0 ? 0 : felt_mass(s, &g);
  free(g.row);
  if (st < 0) return ss_error_set(error, st, "%s", ss_status_text(st));
  if (!(mass > 0)) return ss_error_set(error, SS_ERR_INPUT, "this cannot be moved");
  double omega = fmin(OMEGA, 0.3/s->run.step.dt);  // the force is held over a step
  d->k = mass*omega*omega;
  d->c = 2*DAMPING*mass*omega;
  d->on = true;
  return cli_drag_update(d, s);
}

ss_status cli_drag_update(cli_drag* d, cli_sim* s)
{
  grip g;
  int nv = s->def->nv;
  ss_status st = take_hold(d, s, &g);
  memset(s->force, 0, sizeof(double)*(size_t)nv);
  for (int k = 0; st >= 0 && k < g.dim; k++) {
    const double* row = g.row + k*nv;
    double v = 0;
    for (int i = 0; i < nv; i++) v += row[i]*s->state->u[i];
    double f = d->k*(d->target[k] - g.point[k]) - d->c*v;
    for (int i = 0; i < nv; i++) s->force[i] += row[i]*f;
  }
  free(g.row);
  for (int i = 0; st >= 0 && i < nv; i++)
    if (!isfinite(s->force[i])) st = SS_ERR_NUMERIC;
  if (st < 0) {
    cli_drag_end(d, s);
    return st;
  }
  s->run.step.force = s->force;
  s->state->has_mode = false;  // the force jumps from step to step
  return SS_OK;
}

void cli_drag_end(cli_drag* d, cli_sim* s)
{
  if (s->run.step.force) s->state->has_mode = false;
  s->run.step.force = NULL;
  d->on = false;
}
