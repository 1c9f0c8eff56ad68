// `stickslip verify` of scenes: limits of joints and tendons in every row, from the ranges in the model and the
// coordinates in the file alone, whether or not the file has a contact there. Event-driven runs keep them; a time step
// finds them where it tests its contacts, and goes on from there: they are passed by no more than the way of a step.
#include <math.h>
#include <stdlib.h>
#include <stickslip/machine.h>

#include "verify.h"

// A length or an angle with a range: the sum of coefficient q over joints that turn or slide, or the angle of a ball
typedef struct range {
  int n;
  const int* joint;
  const double *coefficient, *range;
  bool ball;
} range;

typedef struct limits {
  cli_verifier* v;
  const ss_tree* tree;
  const ss_tree_def* def;
  double* way;  // of each range: the largest of a step so far
} limits;

static const double one = 1;

// The angle of a quaternion at q, in 0 .. pi
static double angle_of(const double* const* q, int iq, long row)
{
  double w = q[iq][row], x = q[iq + 1][row], y = q[iq + 2][row], z = q[iq + 3][row];
  return 2*atan2(sqrt(x*x + y*y + z*z), fabs(w));
}

// Where it is in a row, the size of its terms, how fast it can move, and what free motion in a step may be, as much of
// which stays where overlap is removed (docs/integrators.md)
static double value_of(const limits* l, const range* r, long row, double* size, double* speed, double* fall)
{
  double sum = 0;
  *size = *speed = *fall = 0;
  for (int i = 0; i < r->n; i++) {
    int iq, iv;
    ss_tree_joint_at(l->tree, r->joint[i], &iq, &iv);
    double term = r->ball ? angle_of(l->v->q, iq, row) : r->coefficient[i]*l->v->q[iq][row];
    sum += term;
    *size += fabs(term);
    for (int k = 0; k < (r->ball ? 3 : 1); k++) {
      *speed += fabs(r->coefficient[i]*l->v->u[iv + k][row]);
      *fall += fabs(r->coefficient[i]*l->v->fall[iv + k]);
    }
  }
  *size += fabs(r->range[0]) + fabs(r->range[1]) + 1e-6;
  return sum;
}

static void check_range(limits* l, const range* r, int number, long row)
{
  const ss_step_def* def = &l->v->info->run.step;
  double size, speed, past, fall, value = value_of(l, r, row - 1, &size, &past, &fall), *way = &l->way[number];
  double before = fmax(value - r->range[1], r->ball ? 0 : r->range[0] - value);
  value = value_of(l, r, row, &size, &speed, &fall);
  double depth = fmax(value - r->range[1], r->ball ? 0 : r->range[0] - value);
  if (!cli_verify_tests_rows(l->v) && !cli_verify_is_next(l->v, row)) {  // how far a step went is not known
    if (depth > 0) cli_verify_leave_out(l->v, "limits of joints that are passed in rows with steps between them");
    return;
  }
  if (row == 1) *way = fmax(0, before);  // at the start it may be outside
  if (!cli_verify_tests_rows(l->v)) *way = fmax(*way, def->dt*(past + speed) + fall);
  cli_verify_note(l->v, CLI_GAPS, row, fmax(0, depth - *way), size);
}

static bool check_ranges(limits* l, ss_error* error)
{
  const ss_scene* scene = ss_model_scene(l->v->model);
  for (long row = 1; row < l->v->info->n_rows; row++) {
    if (!cli_verify_go_on(l->v, row, error)) return false;
    for (int j = 0; j < l->def->n_joint; j++) {
      const ss_joint_def* joint = &l->def->joint[j];
      range r = {1, &j, &one, joint->range, joint->kind == SS_JOINT_BALL};
      if (joint->limited && joint->kind <= SS_JOINT_BALL) check_range(l, &r, j, row);
    }
    for (int t = 0; t < scene->n_tendon; t++) {
      const ss_scene_tendon* tendon = &scene->tendon[t];
      range r = {tendon->n_term, tendon->joint, tendon->coefficient, tendon->range, false};
      if (tendon->limited) check_range(l, &r, l->def->n_joint + t, row);
    }
  }
  return true;
}

int cli_verify_limits(cli_verifier* v)
{
  ss_error error = {0};
  limits l = {.v = v, .tree = ss_machine_tree(ss_model_machine(v->model))};
  l.def = ss_tree_get(l.tree);
  l.way = calloc((size_t)(l.def->n_joint + ss_model_scene(v->model)->n_tendon) + 1, sizeof *l.way);
  if (!l.way) return cli_out_of_memory();
  bool good = check_ranges(&l, &error);
  free(l.way);
  return good ? CLI_GO_ON : cli_fail(&error);
}
