// Rows and events on their way to the page, little-endian:
//   frame   u32 magic, number, rows, events, picture;  rows;  events
//   row     f64 t;  u32 columns, touches;  f32 columns, picture, touches x 22
//   columns coordinates and velocities (the first CLI_FRAME_COORDINATES of each), energies, residual, iterations, then
//           11 numbers for each contact that has a number (the first CLI_FRAME_CONTACTS): gap, state, gamma, Lambda,
//           force
//   picture of a drawing the values that are not constant, of a scene x, y, z and quaternion of each body
//   touch   contact, state, gap, point, impulse on the second body and normal in the world, impulse, relative
//           velocity and force in the frame of the contact, mu; of scenes
//   event   f64 t;  f32 x 12, as in a report
// viewer/src/live.ts reads it.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "view.h"

enum { MAGIC = 0x31465353, HEADER = 20, EVENT = 8 + 4*12, PER_CONTACT = 11, PER_TOUCH = 22, MANY = 100 };  // "SSF1"

// ---- bytes ---------------------------------------------------------------------------------------------------------

static unsigned char* put_u32(unsigned char* p, uint32_t value)
{
  for (int i = 0; i < 4; i++) *p++ = (unsigned char)(value >> 8*i);
  return p;
}

static unsigned char* put_f32(unsigned char* p, double value)
{
  float f = (float)value;
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  return put_u32(p, bits);
}

static unsigned char* put_f64(unsigned char* p, double value)
{
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  p = put_u32(p, (uint32_t)bits);
  return put_u32(p, (uint32_t)(bits >> 32));
}

static int at_most(int n, int most) { return n < most ? n : most; }

static int n_columns(const cli_sim* s)
{
  return at_most(s->def->nq, CLI_FRAME_COORDINATES) + at_most(s->def->nv, CLI_FRAME_COORDINATES) + 10
         + PER_CONTACT*at_most(s->n_known, CLI_FRAME_CONTACTS);
}

// ---- opening and closing -------------------------------------------------------------------------------------------

bool cli_frame_open(cli_frame* f, const cli_sim* s)
{
  const ss_drawing* d = ss_model_drawing(s->model);
  size_t n = d ? (size_t)d->n_value : 0;
  size_t n_body = s->tree ? (size_t)ss_model_scene(s->model)->tree.n_body : 0;
  double* picture = realloc(f->picture, (n + 1)*sizeof *picture);
  if (picture) f->picture = picture;
  ss_pose* pose = realloc(f->pose, (n_body + 1)*sizeof *pose);
  if (pose) f->pose = pose;
  if (!f->event) f->event = malloc(EVENT*CLI_FRAME_EVENTS);
  f->n_picture = 7*n_body;
  for (size_t i = 0; i < n; i++) f->n_picture += !d->is_constant[i];
  cli_frame_clear(f);
  return picture && pose && f->event;
}

void cli_frame_close(cli_frame* f)
{
  free(f->row);
  free(f->event);
  free(f->picture);
  free(f->pose);
  *f = (cli_frame){0};
}

void cli_frame_clear(cli_frame* f)
{
  f->n_byte = HEADER;
  f->n_row = f->n_event = 0;
  f->offered = 0;
  f->every = 1;
}

// ---- a row ---------------------------------------------------------------------------------------------------------

static unsigned char* put_motion(unsigned char* p, const cli_sim* s)
{
  int nq = at_most(s->def->nq, CLI_FRAME_COORDINATES), nv = at_most(s->def->nv, CLI_FRAME_COORDINATES);
  for (int i = 0; i < nq; i++) p = put_f32(p, s->state->q[i]);
  for (int i = 0; i < nv; i++) p = put_f32(p, s->state->u[i]);
  const ss_energy_ledger* e = ss_ledger_energy(s->ledger);
  const double energy[8] = {e->kinetic, e->potential, e->work_forces, e->work_drive, e->loss_normal, e->loss_friction,
                            e->work_projection, e->defect};
  for (int i = 0; i < 8; i++) p = put_f32(p, energy[i]);
  const ss_step_info* info = s->has_stepped ? ss_work_info(s->work) : NULL;
  p = put_f32(p, info ? info->residual : 0);
  return put_f32(p, info ? info->iterations : 0);
}

// Contacts that the step did not list are open, their gaps are not known
static unsigned char* put_contacts(unsigned char* p, const cli_sim* s)
{
  int n = at_most(s->n_known, CLI_FRAME_CONTACTS);
  unsigned char* end = p + 4*PER_CONTACT*n;
  for (unsigned char* at = p; at < end; at += 4*PER_CONTACT) {
    put_f32(at, NAN);
    memset(at + 4, 0, 4*(PER_CONTACT - 1));
  }
  const ss_step_info* info = ss_work_info(s->work);
  for (int i = 0; s->has_stepped && i < info->n_contact; i++) {
    const ss_contact_result* c = &info->contact[i];
    if (c->contact < 0 || c->contact >= n) continue;
    unsigned char* at = put_f32(p + 4*PER_CONTACT*c->contact, c->gap);
    at = put_f32(at, c->state);
    for (int k = 0; k < 3; k++) at = put_f32(at, c->gamma_after[k]);
    for (int k = 0; k < 3; k++) at = put_f32(at, c->Lambda[k]);
    for (int k = 0; k < 3; k++) at = put_f32(at, c->force[k]);
  }
  return end;
}

static unsigned char* put_picture(unsigned char* p, cli_frame* f, const cli_sim* s)
{
  if (s->tree) {
    int n = ss_model_scene(s->model)->tree.n_body;
    ss_machine_poses(ss_model_machine(s->model), s->tree, s->state->q, f->pose);
    for (int b = 0; b < n; b++)
      for (int k = 0; k < 7; k++) p = put_f32(p, k < 3 ? f->pose[b].position[k] : f->pose[b].rotation[k - 3]);
    return p;
  }
  const ss_drawing* d = ss_model_drawing(s->model);
  if (!d) return p;
  if (ss_model_draw(s->model, 1, &s->state->t, s->state->q, f->picture) < 0)
    for (int i = 0; i < d->n_value; i++) f->picture[i] = NAN;
  for (int i = 0; i < d->n_value; i++)
    if (!d->is_constant[i]) p = put_f32(p, f->picture[i]);
  return p;
}

static unsigned char* put_touch(unsigned char* p, const ss_contact_result* c, const ss_contact_item* item)
{
  const double* N = item->frame;
  bool placed = N[0] != 0 || N[1] != 0 || N[2] != 0;  // limits and friction of joints are nowhere
  p = put_f32(p, c->contact);
  p = put_f32(p, c->state);
  p = put_f32(p, c->gap);
  for (int k = 0; k < 3; k++) p = put_f32(p, placed ? item->point[k] : NAN);
  for (int k = 0; k < 3; k++) p = put_f32(p, c->Lambda[0]*N[k] + c->Lambda[1]*N[3 + k] + c->Lambda[2]*N[6 + k]);
  for (int k = 0; k < 3; k++) p = put_f32(p, N[k]);
  for (int k = 0; k < 3; k++) p = put_f32(p, c->Lambda[k]);
  for (int k = 0; k < 3; k++) p = put_f32(p, c->gamma_after[k]);
  for (int k = 0; k < 3; k++) p = put_f32(p, c->force[k]);
  return put_f32(p, item->law->mu);
}

// The contacts of a scene: those that are closed and, if there are few, those that may close. Returns their number; p
// may be NULL: only counted.
static int put_touches(unsigned char* p, const cli_sim* s)
{
  const ss_step_info* info = ss_work_info(s->work);
  int n = 0;
  for (int i = 0; s->has_stepped && info->item && i < info->n_contact; i++) {
    const ss_contact_result* c = &info->contact[i];
    if (c->contact < 0 || (c->state == SS_OPEN && info->n_contact > MANY)) continue;
    n++;
    if (p) p = put_touch(p, c, &info->item[i]);
  }
  return n;
}

static bool reserve(cli_frame* f, size_t bytes)
{
  if (f->n_byte + bytes <= f->room) return true;
  size_t room = 2*(f->n_byte + bytes);
  unsigned char* more = realloc(f->row, room);
  if (!more) return false;
  f->row = more;
  f->room = room;
  return true;
}

// Every other row goes
static void thin_out(cli_frame* f)
{
  size_t end = f->n_byte;
  int kept = 0;
  f->n_byte = HEADER;
  for (int i = 1; i < f->n_row; i += 2) {
    size_t from = f->start[i], n = (i + 1 < f->n_row ? f->start[i + 1] : end) - from;
    memmove(f->row + f->n_byte, f->row + from, n);
    f->start[kept++] = f->n_byte;
    f->n_byte += n;
  }
  f->n_row = kept;
  f->every *= 2;
}

bool cli_frame_row(cli_frame* f, cli_sim* s, bool always)
{
  if (f->offered++ % f->every && !always) return true;
  if (f->n_row == CLI_FRAME_ROWS) thin_out(f);
  int touches = put_touches(NULL, s);
  size_t bytes = 16 + 4*((size_t)n_columns(s) + f->n_picture + PER_TOUCH*(size_t)touches);
  if (!reserve(f, bytes)) return false;
  unsigned char* p = f->row + f->n_byte;
  p = put_f64(p, s->state->t);
  p = put_u32(p, (uint32_t)n_columns(s));
  p = put_u32(p, (uint32_t)touches);
  p = put_motion(p, s);
  p = put_contacts(p, s);
  p = put_picture(p, f, s);
  put_touches(p, s);
  f->start[f->n_row++] = f->n_byte;
  f->n_byte += bytes;
  return true;
}

void cli_frame_event(cli_frame* f, const ss_event* e)
{
  if (f->n_event == CLI_FRAME_EVENTS) f->n_event = 0;
  unsigned char* p = put_f64(f->event + EVENT*f->n_event++, e->t);
  const double value[12] = {e->contact, e->kind, e->state, e->state_before, e->gamma_before[0], e->gamma_after[0],
                            e->gamma_before[1], e->gamma_after[1], e->Lambda[0], e->Lambda[1], e->energy_before,
                            e->energy_after};
  for (int k = 0; k < 12; k++) p = put_f32(p, value[k]);
}

bool cli_frame_send(cli_frame* f, cli_server* server)
{
  size_t events = (size_t)(EVENT*f->n_event);
  if (!reserve(f, events)) return false;
  memcpy(f->row + f->n_byte, f->event, events);
  unsigned char* p = put_u32(f->row, MAGIC);
  p = put_u32(p, ++f->number);
  p = put_u32(p, (uint32_t)f->n_row);
  p = put_u32(p, (uint32_t)f->n_event);
  put_u32(p, (uint32_t)f->n_picture);
  bool sent = cli_server_send(server, true, f->row, f->n_byte + events);
  cli_frame_clear(f);
  return sent;
}
