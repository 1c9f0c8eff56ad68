// Contacts that the tangent of their gap would close within a step, and the gap itself does not: a bob that swings
// through its lowest point just above the floor, a cam that turns away. Along the way of free motion, dt u_free from
// q_A on, such a gap is nearly a parabola of the time s,
//   g(s) = g_A + s gamma + (g_E - g_A - dt gamma) (s/dt)^2,
// least at s = -gamma dt^2/(2 (g_E - g_A - dt gamma)), or at the end. Where it is one (to a tenth, there or halfway),
// and g is negative neither at its least nor at the end, nothing is touched. What is no parabola, as the distance of
// bodies that go through each other, stays closed.
//
// With bilateral constraints c = 0 positions within a step are off them by O(dt^2), the way of a tangent, and gaps with
// them. They are taken at the position on the constraints, to first order:
//   g + W^T d,   d = -M^-1 W_b (W_b^T M^-1 W_b)^-1 c
#include "integrate/work.h"
#include "math/dense.h"

#define PARABOLA 0.1  // part of its height that the gap may be off

static uint64_t key_of(const ss_work* w, int i) { return w->op ? w->item[i].key : (uint64_t)i; }

static bool may_graze(const ss_work* w, int i)
{
  bool normal = w->law[i]->kind != SS_CONTACT_FRICTION && !(w->op && w->item[i].load);
  return normal && !ss_is_closed(w, i);
}

static double gap_of(const ss_work* w, uint64_t key)
{
  for (int i = 0; i < w->n_contact; i++)
    if (key_of(w, i) == key) return w->gap[i];
  return NAN;
}

// Into w->gap_more: what d adds to each gap; or, with the velocities that break constraints for c, what keeping them
// adds to free velocities
static ss_status correct(ss_work* w, const ss_step_def* def, bool velocities)
{
  int nb = w->n_bilateral;
  for (int i = 0; i < nb; i++) {
    w->b[i] = velocities ? ss_gamma_free(w, i) : w->error[i];
    w->source[i] = i;
  }
  ss_status st = ss_make_problem(w, nb, 0);
  if (st >= 0) st = ss_solve_contacts(w, def);
  if (st < 0) return st;
  ss_impulse_velocity(w, w->v);
  if (w->op) ss_gamma(w, w->v, w->gap_more);
  for (int r = nb; !w->op && r < nb + w->m; r++) w->gap_more[r] = ss_dot(w->nv, w->W + r*w->nv, w->v);
  return SS_OK;
}

// The system where free motion leads within a time, gaps on the constraints
static ss_status look(const ss_system* sys, const ss_step_def* def, const ss_state* s, ss_work* w, double time)
{
  ss_advance(w, s->q, w->u_free, time, w->q);
  ss_status st = ss_evaluate(sys, w, w->q, s->u, s->t + time);
  if (st < 0 || !w->n_bilateral) return st;
  st = correct(w, def, false);
  for (int i = 0; i < w->n_contact && st >= 0; i++)
    if (w->law[i]->kind != SS_CONTACT_FRICTION) w->gap[i] += w->gap_more[w->row[i]];
  return st;
}

static void find_least(ss_grazing* g, double dt)
{
  double bend = g->end - g->gap - dt*g->gamma;
  if (!(g->end >= 0)) return;
  g->time = 2*bend > -dt*g->gamma ? -g->gamma*dt*dt/(2*bend) : dt/2;  // it is least at the end
}

static bool is_passed(const ss_grazing* g, double dt)
{
  double bend = g->end - g->gap - dt*g->gamma, part = g->time/dt;
  double parabola = g->gap + g->time*g->gamma + bend*part*part;
  return g->time > 0 && g->middle >= 0 && fabs(g->middle - parabola) <= PARABOLA*bend*part*part;
}

static bool passes(const ss_work* w, uint64_t key, int n, double dt)
{
  for (int i = 0; i < n; i++)
    if (w->grazing[i].key == key) return is_passed(&w->grazing[i], dt);
  return false;
}

int ss_list_grazing(ss_work* w)
{
  int n = 0;
  for (int k = 0; k < w->n_active; k++) {
    int i = w->active[k];
    if (!may_graze(w, i)) continue;
    w->grazing[n++] = (ss_grazing){key_of(w, i), w->gap[i], ss_gamma_free(w, w->row[i]), NAN, NAN, 0};
  }
  return n;
}

// Free velocities as the constraints let them be
static ss_status constrain(ss_work* w, const ss_step_def* def, int n)
{
  ss_status st = correct(w, def, true);
  for (int k = 0, i = 0; k < n && st >= 0; i++)
    if (key_of(w, i) == w->grazing[k].key) w->grazing[k++].gamma += w->gap_more[w->row[i]];
  return st;
}

ss_status ss_look_at_grazing(const ss_system* sys, const ss_step_def* def, const ss_state* s, ss_work* w, int n)
{
  ss_status st = w->n_bilateral ? constrain(w, def, n) : SS_OK;
  if (st >= 0) st = look(sys, def, s, w, def->dt);
  for (int i = 0; i < n && st >= 0; i++) w->grazing[i].end = gap_of(w, w->grazing[i].key);
  for (int i = 0; i < n && st >= 0; i++) {
    find_least(&w->grazing[i], def->dt);
    if (!(w->grazing[i].time > 0)) continue;
    st = look(sys, def, s, w, w->grazing[i].time);
    w->grazing[i].middle = st < 0 ? NAN : gap_of(w, w->grazing[i].key);
  }
  return st;
}

void ss_leave_out_grazing(ss_work* w, double dt, int n)
{
  int kept = 0, passed = 0;
  for (int i = 0; i < n; i++) passed += is_passed(&w->grazing[i], dt);
  if (passed == 0) return;
  for (int k = 0; k < w->n_active; k++) {
    int i = w->active[k], by = w->op && w->item[i].load ? w->item[i].load - 1 : i;  // with what they load
    if (!passes(w, key_of(w, by), n, dt)) w->active[kept++] = i;
  }
  w->n_active = kept;
}

// Contact i takes part for the first time, as far as is known
static bool is_new(const ss_work* w, int i)
{
  bool normal = w->law[i]->kind != SS_CONTACT_FRICTION && !(w->op && w->item[i].load);
  return normal && !(w->op && ss_was_loaded(w, i));
}

// Whether contact i, or what loads it, is open on the constraints
static bool has_drifted(ss_work* w, int i)
{
  int by = w->op && w->item[i].load ? w->item[i].load - 1 : i;
  double gap = w->gap[by];
  w->gap[by] += w->gap_more[w->row[by]];
  bool open = is_new(w, by) && !ss_is_closed(w, by);
  w->gap[by] = gap;
  return open;
}

ss_status ss_leave_out_drifted(ss_work* w, const ss_step_def* def)
{
  bool any = false;
  for (int k = 0; k < w->n_active && w->n_bilateral; k++) any = any || is_new(w, w->active[k]);
  ss_status st = any ? correct(w, def, false) : SS_OK;
  if (st < 0 || !any) return st;
  int kept = 0;
  for (int k = 0; k < w->n_active; k++)
    if (!has_drifted(w, w->active[k])) w->active[kept++] = w->active[k];
  w->n_active = kept;
  return SS_OK;
}
