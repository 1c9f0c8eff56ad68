// `stickslip verify` of scenes and planar bodies: static friction. What sticks, or begins at rest, is held by up to the
// static limit; what slides nevertheless could not be held: the contacts of its island have no solution in which it is.
#include <math.h>
#include <stdlib.h>

#include "verify_hold.h"
#include "verify_scene.h"

static bool has_static(const ss_contact_def* law)
{
  return law->mu_static > law->mu || law->bound_static > law->bound;
}

static bool is_closed(const cli_scene* s, int i, const ss_run_contact* list)
{
  return s->number[i] >= 0 && list[s->number[i]].state != SS_OPEN;
}

bool cli_scene_holds_alone(const cli_scene* s, int i)
{
  for (int j = 0; j < s->n; j++)
    if (j != i && s->number[j] >= 0 && s->island[j] == s->island[i] && has_static(s->item[j].law)) return false;
  return true;
}

// Velocities along the tangents, and how they began
typedef struct slip {
  int row, n;
  long double speed, before, along;  // |xi_T|, |gamma_A|, xi_T gamma_A
} slip;

static slip slip_of(const cli_scene* s, int i)
{
  const ss_contact_def* law = s->item[i].law;
  bool normal = law->kind != SS_CONTACT_FRICTION;
  slip x = {.row = s->row[i] + normal, .n = ss_contact_rows(law->kind) - normal};
  for (int k = 0; k < x.n; k++) {
    long double a = s->gamma_a[x.row + k], xi = s->gamma_e[x.row + k] + law->eps_t*a;
    x.speed = hypotl(x.speed, xi);
    x.before = hypotl(x.before, a);
    x.along += xi*a;
  }
  return x;
}

// The static limit counts: it was stuck, or starts at rest
static bool may_be_held(const cli_scene* s, int i, const ss_run_contact* list)
{
  return s->c->was[list[s->number[i]].contact] == SS_STICK || slip_of(s, i).before == 0;
}

static bool slides(const ss_run_contact* c)
{
  return c->state == SS_SLIP || c->state == SS_SLIP_POS || c->state == SS_SLIP_NEG;
}

// ... or turned round, of one alone: of several it hangs on the order in which they were caught
static bool is_watched(const cli_scene* s, int i, const ss_run_contact* list)
{
  slip x = slip_of(s, i);
  if (!is_closed(s, i, list) || !has_static(s->item[i].law) || s->item[i].law->varies) return false;
  if (!slides(&list[s->number[i]])) return false;
  long double size = (x.speed + x.before)*s->c->tol;
  bool turned = x.along < -size*(x.speed + x.before) && cli_scene_holds_alone(s, i);
  return may_be_held(s, i, list) || turned;
}

// Contact i as it would be held
static void describe(const cli_scene* s, int i, const ss_run_contact* list, double dt, int row, cli_hold* h,
                     cli_hold_contact* c)
{
  const ss_contact_def* law = s->item[i].law;
  bool normal = law->kind != SS_CONTACT_FRICTION, watched = is_watched(s, i, list);
  bool held = watched || may_be_held(s, i, list);
  *c = (cli_hold_contact){.row = row, .normal = normal, .tangents = ss_contact_rows(law->kind) - normal,
                          .mu = held ? fmax(law->mu, law->mu_static) : law->mu,
                          .bound = dt*(held ? fmax(law->bound, law->bound_static) : law->bound), .watched = watched};
  bool euler = s->c->info->run.step.integrator == SS_EULER;
  for (int k = 0; k < ss_contact_rows(law->kind); k++) {
    int r = s->row[i] + k;
    double before = s->gamma_a[r], eps = normal && k == 0 ? law->eps_n : law->eps_t;
    if (normal && k == 0 && euler && before > 0) before = 0;
    h->Lambda[row + k] = cli_scene_row_impulse(s, i, &list[s->number[i]], k);
    h->xi[row + k] = s->gamma_e[r] + eps*before;
  }
}

static bool fill(cli_scene* s, int island, const ss_run_contact* list, double dt, cli_hold* h)
{
  int rows[CLI_HOLD_MOST], n = 0, m = 0;
  double* G = malloc(sizeof *G*(size_t)(h->rows*h->rows));
  for (int i = 0; G && i < s->n; i++) {
    if (!is_closed(s, i, list) || s->island[i] != island) continue;
    describe(s, i, list, dt, m, h, &h->contact[n++]);
    for (int k = 0; k < ss_contact_rows(s->item[i].law->kind); k++) rows[m++] = s->row[i] + k;
  }
  bool good = G && s->op->delassus(&s->c->at, m, rows, G) >= 0;
  for (int i = 0; good && i < m*m; i++) h->G[i] = G[i];
  free(G);
  return good;
}

// Whether the contacts of an island can be looked at here, and how many rows they have. One that slid before may be
// caught in the step, or not, which hangs on the order.
static bool is_plain(const cli_scene* s, int island, const ss_run_contact* list, int* n, int* rows)
{
  bool plain = true;
  *n = *rows = 0;
  for (int i = 0; i < s->n; i++) {
    if (!is_closed(s, i, list) || s->island[i] != island) continue;
    const ss_contact_def* law = s->item[i].law;
    bool slid = has_static(law) && !may_be_held(s, i, list) && !cli_scene_holds_alone(s, i);
    plain = plain && !slid && !s->item[i].load && !law->varies && !law->set && (s->machine || !s->by_place[i]);
    *rows += ss_contact_rows(law->kind);
    ++*n;
  }
  return plain && *rows <= CLI_HOLD_MOST;
}

static bool check_island(cli_scene* s, long row, int island, const ss_run_contact* list, double dt)
{
  int n, rows;
  cli_hold h = {0};
  bool plain = is_plain(s, island, list, &n, &rows), several = s->choice && s->choice[row] >= SS_CHOICE_MOTION;
  if (!plain || (several && n > 1)) {
    cli_verify_count_out(s->c, CLI_NOT_HELD);
    return true;
  }
  bool good = cli_hold_open(&h, n, rows) && fill(s, island, list, dt, &h);
  if (good) cli_hold_check(s->c, row, &h, 1);
  cli_hold_close(&h);
  return good;
}

bool cli_scene_check_static(cli_scene* s, long row, const ss_run_contact* list, double dt)
{
  const ss_step_def* def = &s->c->info->run.step;
  if (!s->joined || def->friction.polyhedral || def->friction.compliance > 0) return true;
  for (int i = 0; i < s->n; i++) {
    bool first = is_closed(s, i, list) && is_watched(s, i, list) && !cli_scene_is_looped(s, i);
    for (int j = 0; first && j < i; j++)
      if (is_closed(s, j, list) && s->island[j] == s->island[i] && is_watched(s, j, list)) first = false;
    if (first && !check_island(s, row, s->island[i], list, dt)) return false;
  }
  return true;
}
