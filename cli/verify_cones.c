// Event-driven runs of scenes and planar bodies: signs and cones of all impulses of contacts between bodies, redundant
// ones included, from the numbers of the file and the laws of the model.
#include <math.h>
#include <stdlib.h>

#include "verify_scene.h"

// Where friction is an ellipse, rows that are stretched make it a disk (ss_contact_item): by how much, into s->stretch.
// Contacts that the model does not have are off. False if memory is short.
static bool find_stretches(cli_scene* s, long row, int n, const ss_run_contact* list)
{
  const ss_contact_item* item = NULL;
  uint64_t* key = calloc((size_t)n + 1, sizeof *key);
  for (int i = 0; key && i < n; i++) key[i] = s->c->info->contact_key[list[i].contact];
  s->c->at.damped = s->c->at.dt = s->c->at.theta = 0;
  bool there = key && s->op->follow(&s->c->at, n, key, &item) >= 0;
  for (int i = 0; there && i < n; i++)
    for (int k = 0; k < 2; k++) s->stretch[2*list[i].contact + k] = item[i].stretch[k];
  if (!there) cli_verify_note(s->c, CLI_NORMAL, row, 1, 1);
  bool good = key;
  free(key);
  return good;
}

// |Lambda_T| of a contact, as a disk
static double friction_of(const cli_scene* s, int contact, const double Lambda[3])
{
  const double* stretch = s->stretch + 2*contact;
  double part[2];
  for (int k = 0; k < 2; k++) part[k] = Lambda[k + 1]/(stretch[k] != 0 ? stretch[k] : 1);
  return hypot(part[0], part[1]);
}

// The length of an arc: since the row before. size: of all impulses of the row
static void check_cone(cli_scene* s, long row, const ss_run_contact* c, double size)
{
  const ss_contact_def* law = ss_model_contact_law(s->c->model, s->c->info->contact_key[c->contact]);
  double passed = row > 0 ? s->c->t[row] - s->c->t[row - 1] : 0;
  if (!law || law->kind == SS_CONTACT_FRICTION || (c->frame[0] == 0 && c->frame[1] == 0 && c->frame[2] == 0)) return;
  cli_verify_note(s->c, CLI_NORMAL, row, fmin(0, c->Lambda[0]), size);
  double limit = fmax(law->mu, law->mu_static)*c->Lambda[0] + fmax(law->bound, law->bound_static)*passed;
  bool round = !law->varies && !law->set && s->c->info->run.step.order == SS_IMPACTS_SIMULTANEOUS;
  if (round) cli_verify_note(s->c, CLI_FRICTION, row, fmax(0, friction_of(s, c->contact, c->Lambda) - limit), size);
}

// The system is placed at the row.
bool cli_scene_check_cones(cli_scene* s, long row, ss_error* error)
{
  const ss_run_contact* list;
  int n = ss_run_contacts(s->c->run, row, &list, error);
  if (n < 0 || (n && !find_stretches(s, row, n, list))) return false;
  double size = s->c->least;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 3; k++) size += fabs(list[i].Lambda[k]);
  for (int i = 0; i < n; i++) check_cone(s, row, &list[i], size);
  return true;
}

void cli_scene_check_impacts(cli_scene* s)
{
  const ss_event* e = s->c->event;
  for (long i = 0; i < s->c->info->n_events; i++) {
    if (e[i].kind != SS_EVENT_IMPACT || s->c->info->contact_kind[e[i].contact] == SS_CONTACT_FRICTION) continue;
    const ss_contact_def* law = ss_model_contact_law(s->c->model, s->c->info->contact_key[e[i].contact]);
    double friction = friction_of(s, e[i].contact, e[i].Lambda);
    cli_verify_impact(s->c, &e[i], friction, law && !law->varies ? law->mu : NAN);
  }
}
