// How deep bodies overlap: where the step tested its contacts, and where it ends.
#include "integrate/work.h"

static bool has_normal(const ss_work* w, int i)
{
  return w->law[i]->kind != SS_CONTACT_FRICTION && !(w->op && w->item[i].load);
}

static bool is_angle(const ss_work* w, int i) { return w->op && w->item[i].angle; }

double ss_deepest(const ss_work* w, bool angle)
{
  double depth = 0;
  for (int i = 0; i < w->n_contact; i++)
    if (has_normal(w, i) && is_angle(w, i) == angle) depth = fmax(depth, -w->gap[i]);
  return depth;
}

// A contact that closes fast, found too late: its gap at the end is about gap + rest gamma_E
static bool sinks(const ss_work* w)
{
  const ss_step_info* info = &w->info;
  for (int i = 0; i < info->n_contact; i++) {
    bool angle = w->op && w->shown[i].angle;
    const ss_contact_result* c = w->result + i;
    if (-(c->gap + w->at.rest*c->gamma_after[0]) >
        (1 + SS_GAP_CLOSED)*(angle ? info->limit_error : info->penetration))
      return true;
  }
  return false;
}

ss_status ss_overlap_at_end(const ss_system* system, ss_work* w, double t)
{
  if (!sinks(w)) return SS_OK;
  w->reach = 0;
  ss_status st = ss_evaluate(system, w, w->q, w->u, t);
  if (st < 0) return st;
  w->info.penetration = fmax(w->info.penetration, ss_deepest(w, false));
  w->info.limit_error = fmax(w->info.limit_error, ss_deepest(w, true));
  return SS_OK;
}
