// Dampers over a step. A damper of a joint, -d u, acts in a time step with a velocity between start and end,
//   -d (u_A + theta (u_E - u_A)),
// so that M + theta dt d takes the place of M, on the diagonal: no step is too long for it. With z = dt d/I, where I is
// the inertia that the joint moves in the reference pose,
//   theta = (3 + z)/(6 + z):
// one half for small steps, which is the midpoint rule, one for large ones, which is implicit Euler. What remains of a
// velocity, (6 - 2 z)/(6 + 4 z + z^2), is Pade's approximant of exp(-z).
#include <math.h>
#include <stdlib.h>
#include "machine/machine.h"

#define LARGE 1e6  // z, from which on theta is 1
#define FAST 1e6   // 1/s: the rate of dampers where the reference pose does not tell the inertia

// Velocity gains of actuators without a limit are dampers too
static void add_gains(ss_machine* m)
{
  for (int i = 0; i < m->n_drive; i++) {
    const ss_drive* drive = m->drive + i;
    if (drive->tendon >= 0 || drive->nv != 1 || drive->forcelimited || !(drive->bias[2] < 0)) continue;
    m->damper[drive->iv] -= drive->gear[0]*drive->gear[0]*drive->bias[2];
  }
}

ss_status ss_machine_make_dampers(ss_machine* m, const ss_scene* scene, ss_error* error)
{
  (void)scene;
  ss_tree_work* work = ss_tree_work_create(m->tree, error);
  m->damper = SS_MACHINE_ARRAY(m->nv, double);
  m->damper_rate = SS_MACHINE_ARRAY(m->nv, double);
  bool enough = work && m->damper && m->damper_rate;
  for (int i = 0; enough && i < m->nv; i++) m->damper[i] = m->damping[i];
  if (enough) {
    add_gains(m);
    ss_tree_reference(m->tree, work->q);
    ss_tree_set_position(work, work->q);
    bool regular = ss_tree_factor(work) >= 0;
    for (int i = 0; i < m->nv; i++) {  // D_inv of bodies alone, which have no dampers, is not there
      if (!(m->damper[i] > 0)) continue;
      m->damper_rate[i] = regular ? m->damper[i]*work->D_inv[i] : FAST;
      m->has_dampers = true;
    }
  }
  ss_tree_work_destroy(work);
  return enough ? SS_OK : ss_machine_no_memory(error);
}

void ss_machine_implicit(const ss_machine* m, double dt, double* added)
{
  if (!m || !added) return;
  for (int i = 0; i < m->nv; i++) {
    double z = fmin(dt*m->damper_rate[i], LARGE);
    added[i] = m->damper[i] > 0 ? dt*m->damper[i]*(3 + z)/(6 + z) : 0;
  }
}

void ss_machine_damp_from_start(const ss_machine* m, const ss_at* at, double* h)
{
  if (!m->has_dampers || (at->damped == 0 && at->halved == 0) || at->start == at->u) return;
  for (int i = 0; i < m->nv; i++) h[i] += m->damper[i]*(at->u[i] - at->start[i]);
}
