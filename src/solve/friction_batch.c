// Four contacts at a time.
#include "solve/friction_batch.h"
#include "base/sets.h"
#include "solve/friction_one_contact.h"
#include <stdlib.h>
#include <string.h>

#define NEAR 1e-5    // sweeps continue with the sliding numbers of the one before: more digits come by themselves
#define ENOUGH 1e-4  // part of the limit that sliding impulses may miss it by, before they are cut to it

// ---- which contact goes where ----

static bool suits(const ss_friction_space* s, int k)
{
  const double* D = s->D + 9*(size_t)k;
  int blocks = s->start[k + 1] - s->start[k];
  if (blocks < 1 || blocks > 2 || s->bound[k] > 0 || !(D[0] > 0)) return false;
  double a = D[4] - D[1]*D[1]/D[0], c = D[8] - D[2]*D[2]/D[0], d = D[5] - D[1]*D[2]/D[0];
  return a > 0 && a*c - d*d > 1e-12*a*c;
}

// Every contact into the first batch with room that comes after those of its bodies: next[i] leads on from a full one.
// count (of a batch) is behind next.
static int place_contacts(ss_friction_batches* b, const ss_friction_space* s, const int* order, int from, int to,
                          int first)
{
  int *next = b->next, *count = b->next + s->k + 1, end = first;
  for (int i = from; i < to; i++) {
    int k = order ? order[i] : i, after = first;
    if (k < s->n_free) continue;
    for (int e = s->start[k]; e < s->start[k + 1]; e++)
      if (b->last[s->col[e]] >= after) after = b->last[s->col[e]] + 1;
    int at = ss_set_root(next, after);
    b->place[k] = SS_LANES*at + count[at]++;
    if (count[at] == SS_LANES) next[at] = at + 1;
    if (at >= end) end = at + 1;
    for (int e = s->start[k]; e < s->start[k + 1]; e++) b->last[s->col[e]] = at;
  }
  return end;
}

static bool reserve_scratch(ss_friction_batches* b, const ss_friction_space* s)
{
  int room = 3*s->k + 2 + s->n_body;
  if (room > b->scratch_room) {
    free(b->last);
    b->scratch_room = 0;
    b->last = malloc(sizeof(int)*((size_t)room + (size_t)room/2));
    if (!b->last) return false;
    b->scratch_room = room + room/2;
  }
  b->next = b->last + s->n_body;
  b->place = b->next + 2*s->k + 2;
  return true;
}

static bool reserve_batches(ss_friction_batches* b)
{
  if (b->n <= b->room) return true;
  free(b->batch);
  b->room = b->n + b->n/2;
  size_t bytes = sizeof *b->batch*(size_t)b->room;
  b->batch = aligned_alloc(64, (bytes + 63)/64*64);
  if (!b->batch) b->room = 0;
  return b->batch;
}

static bool find_places(ss_friction_batches* b, const ss_friction_space* s)
{
  const ss_friction_chunks* c = &s->chunks;
  int groups = c->n ? 2*c->n - 1 : 1;
  if (!reserve_scratch(b, s)) return false;
  for (int i = 0; i < s->n_body; i++) b->last[i] = -1;
  for (int i = 0; i <= s->k; i++) {
    b->next[i] = i;
    b->next[s->k + 1 + i] = 0;
  }
  b->n = b->start[0] = 0;
  for (int i = 0; i < groups; i++) {
    b->n = place_contacts(b, s, c->n ? c->order : NULL, c->n ? c->start[i] : 0, c->n ? c->start[i + 1] : s->k, b->n);
    b->start[i + 1] = b->n;
  }
  return reserve_batches(b);
}

// ---- numbers ----

// Contacts that are not there: they separate
static void fill_empty(ss_friction_batch* x)
{
  *x = (ss_friction_batch){0};
  for (int l = 0; l < SS_LANES; l++) {
    x->contact[l] = -1;
    x->b[0][l] = x->g[l] = x->g_inverse[l] = x->S[0][l] = x->S[2][l] = x->S_inverse[0][l] = x->S_inverse[2][l] = 1;
  }
}

static void fill_lane(ss_friction_batch* x, int l, const ss_friction_space* s, int k)
{
  const double* D = s->D + 9*(size_t)k;
  x->contact[l] = k;
  for (int at = l; at < (l ? l + 1 : SS_LANES); at++)  // J is zero where there is no body: nobody else's may be there
    x->body[0][at] = x->body[1][at] = 8*s->col[s->start[k]];
  for (int e = s->start[k], side = 0; e < s->start[k + 1]; e++, side++) {
    const double* J = s->value + 24*(size_t)e;
    x->body[side][l] = 8*s->col[e];
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 6; j++) x->J[side][i][j][l] = J[8*i + j];
  }
  for (int i = 0; i < 3; i++) x->b[i][l] = s->b[3*k + i];
  x->soft[l] = s->soft[k];
  x->mu[l] = s->mu[k];
  x->trace[l] = s->trace[k];
  double f = 1/D[0], a = D[4] - D[1]*D[1]*f, d = D[5] - D[1]*D[2]*f, c = D[8] - D[2]*D[2]*f, h = 1/(a*c - d*d);
  x->g[l] = D[0];
  x->g_inverse[l] = f;
  x->lift[0][l] = D[1]*f;
  x->lift[1][l] = D[2]*f;
  x->S[0][l] = a, x->S[1][l] = d, x->S[2][l] = c;
  x->S_inverse[0][l] = c*h, x->S_inverse[1][l] = -d*h, x->S_inverse[2][l] = a*h;
}

bool ss_friction_batches_fill(ss_friction_batches* b, const ss_friction_space* s)
{
  for (int k = s->n_free; k < s->k; k++)
    if (!suits(s, k)) return false;
  if (!find_places(b, s)) return false;
  for (int i = 0; i < b->n; i++) fill_empty(&b->batch[i]);
  for (int k = s->n_free; k < s->k; k++) fill_lane(&b->batch[b->place[k]/SS_LANES], b->place[k]%SS_LANES, s, k);
  return true;
}

void ss_friction_batches_free(ss_friction_batches* b)
{
  free(b->last);
  free(b->batch);
}

void ss_friction_batches_take(ss_friction_batches* b, const double* Lambda)
{
  for (int i = 0; i < b->n; i++) {
    ss_friction_batch* x = &b->batch[i];
    for (int c = 0; c < 3; c++) {
      x->direction[c] = x->change[c] = (ss_v4){0};
      for (int l = 0; l < SS_LANES; l++)
        if (x->contact[l] >= 0) x->Lambda[c][l] = Lambda[3*x->contact[l] + c];
    }
  }
}

// ---- sweeps ----

// Of variables, as vectors are not passed by value
#define ROOT(a) ((ss_v4){sqrt((a)[0]), sqrt((a)[1]), sqrt((a)[2]), sqrt((a)[3])})
#define ANY(mask) (((mask)[0] | (mask)[1] | (mask)[2] | (mask)[3]) != 0)

// xi = J v + b + soft Lambda
SS_INLINE void find_velocities(const ss_friction_batch* x, const double* v, ss_v4* xi)
{
  for (int i = 0; i < 3; i++) xi[i] = x->b[i] + x->soft*x->Lambda[i];
  for (int side = 0; side < 2; side++) {
    const int* at = x->body[side];
    const double *a = v + at[0], *b = v + at[1], *c = v + at[2], *d = v + at[3];
    ss_v4 vj[6];
    ss_v4_columns(a, b, c, d, vj);
    ss_v4_two_columns(a + 4, b + 4, c + 4, d + 4, vj + 4);
    for (int j = 0; j < 6; j++)
      for (int i = 0; i < 3; i++) xi[i] += x->J[side][i][j]*vj[j];
  }
}

// v += J^T change; lanes have different bodies where J is not zero
SS_INLINE void move(const ss_friction_batch* x, double* v)
{
  for (int side = 0; side < 2; side++) {
    const int* at = x->body[side];
    double dv[6][SS_LANES];
    ss_v4 first[4], rest[2];
    for (int j = 0; j < 6; j++)
      SS_V4(dv[j]) = x->J[side][0][j]*x->change[0] + x->J[side][1][j]*x->change[1] + x->J[side][2][j]*x->change[2];
    ss_v4_columns(dv[0], dv[1], dv[2], dv[3], first);
    rest[0] = __builtin_shufflevector(SS_V4C(dv[4]), SS_V4C(dv[5]), 0, 4, 1, 5);
    rest[1] = __builtin_shufflevector(SS_V4C(dv[4]), SS_V4C(dv[5]), 2, 6, 3, 7);
    for (int l = 0; l < SS_LANES; l++) {
      SS_V4(v + at[l]) += first[l];
      SS_V2(v + at[l] + 4) += l%2 ? __builtin_shufflevector(rest[l/2], rest[l/2], 2, 3)
                                  : __builtin_shufflevector(rest[l/2], rest[l/2], 0, 1);
    }
  }
}

// Sliding as in friction_one_contact.h: the impulses at one alpha, Newton's next, and by which part of the limit they
// are outside the cone
typedef struct trial {
  ss_v4 t[2], n, excess, next;
} trial;

SS_INLINE void try_alpha(const ss_friction_batch* x, const ss_v4* c, const ss_v4* rest, const ss_v4* alpha, trial* out)
{
  ss_v4 a = x->S[0] + *alpha, d = x->S[2] + *alpha, s = x->S[1], f = 1/(a*d - s*s);
  ss_v4 t0 = f*(s*c[1] - d*c[0]), t1 = f*(s*c[0] - a*c[1]);
  ss_v4 n = *rest - x->lift[0]*t0 - x->lift[1]*t1, square = t0*t0 + t1*t1, size = ROOT(square), limit = x->mu*n;
  ss_v4 ratio = size/limit, dt0 = f*(s*t1 - d*t0), dt1 = f*(s*t0 - a*t1);
  ss_v4 slope = x->mu*ratio*(x->lift[0]*dt0 + x->lift[1]*dt1) + (t0*dt0 + t1*dt1)*limit/square;
  *out = (trial){{t0, t1}, n, ratio - 1, *alpha - (size - limit)/slope};
}

// A contact by itself, where the common way does not lead to a solution; target (3) is its lane
SS_INLINE void solve_lane(const ss_friction_batch* x, ss_friction_space* s, int l, const ss_v4* q_n, const ss_v4* c,
                          ss_v4* alpha, ss_v4* target)
{
  int k = x->contact[l];
  double mine[3] = {x->Lambda[0][l], x->Lambda[1][l], x->Lambda[2][l]}, own = (*alpha)[l];
  double n = (*q_n)[l], q[3] = {n, c[0][l] + x->lift[0][l]*n, c[1][l] + x->lift[1][l]*n};
  if (k >= 0) ss_one_contact(3, s->D + 9*(size_t)k, q, s->mu[k], 0, NEAR, &own, mine);
  (*alpha)[l] = own;
  for (int i = 0; i < 3; i++) target[i][l] = mine[i];
}

// Lanes of `slides`: two of Newton's steps from the alpha of the sweep before, then cut to the limit
SS_INLINE void slide(ss_friction_batch* x, ss_friction_space* s, const ss_v4i* slides, const ss_v4* q_n,
                     const ss_v4* c, ss_v4* target)
{
  trial first, second;
  ss_v4 rest = -*q_n*x->g_inverse, alpha = x->alpha, zero = {0};
  try_alpha(x, c, &rest, &alpha, &first);
  try_alpha(x, c, &rest, &first.next, &second);
  ss_v4i good = *slides & (alpha > zero) & (first.next > zero) & (second.n > zero) & (second.next > zero) &
                (SS_V4_ABS(second.excess) < ENOUGH);
  ss_v4 share = 1/(1 + second.excess);
  ss_v4 found[3] = {second.n, share*second.t[0], share*second.t[1]};
  alpha = SS_V4_SELECT(good, second.next, alpha);
  for (int i = 0; i < 3; i++) target[i] = SS_V4_SELECT(good, found[i], target[i]);
  ss_v4i left = *slides & ~good;
  for (int l = 0; ANY(left) && l < SS_LANES; l++)
    if (left[l]) solve_lane(x, s, l, q_n, c, &alpha, target);
  x->alpha = alpha;
}

// All contacts of a batch with the others held
SS_INLINE void relax(ss_friction_batch* x, ss_friction_space* s)
{
  ss_v4 xi[3], zero = {0}, *old = x->Lambda;
  find_velocities(x, s->v, xi);
  ss_v4 q_n = xi[0] - x->g*(old[0] + x->lift[0]*old[1] + x->lift[1]*old[2]);
  ss_v4 c[2] = {xi[1] - x->lift[0]*xi[0] - (x->S[0]*old[1] + x->S[1]*old[2]),
                xi[2] - x->lift[1]*xi[0] - (x->S[1]*old[1] + x->S[2]*old[2])};
  ss_v4 t0 = -(x->S_inverse[0]*c[0] + x->S_inverse[1]*c[1]), t1 = -(x->S_inverse[1]*c[0] + x->S_inverse[2]*c[1]);
  ss_v4 n = -q_n*x->g_inverse - x->lift[0]*t0 - x->lift[1]*t1, limit = x->mu*n;
  ss_v4i open = q_n >= zero, smooth = x->mu == zero, stick = (n >= zero) & (t0*t0 + t1*t1 <= limit*limit);
  ss_v4 target[3] = {n, t0, t1};
  ss_v4i slides = ~open & ~smooth & ~stick;
  if (ANY(slides)) slide(x, s, &slides, &q_n, c, target);
  target[0] = SS_V4_SELECT(smooth, -q_n*x->g_inverse, target[0]);
  for (int i = 1; i < 3; i++) target[i] = SS_V4_SELECT(smooth, zero, target[i]);
  for (int i = 0; i < 3; i++) {
    target[i] = SS_V4_SELECT(open, zero, target[i]);
    x->change[i] = target[i] - old[i];
    old[i] = target[i];
  }
  move(x, s->v);
}

// Lambda += beta direction, direction = change of the sweep before + beta direction
SS_INLINE void push(ss_friction_batch* x, double beta)
{
  for (int c = 0; c < 3; c++) {
    ss_v4 step = beta*x->direction[c];
    x->Lambda[c] += step;
    x->direction[c] = x->change[c] + step;
  }
}

SS_CLONES static double sweep(ss_friction_batch* batch, int n, double beta, ss_friction_space* s)
{
  ss_v4 sum = {0};
  for (int i = 0; i < n; i++) {
    ss_friction_batch* x = &batch[i];
    push(x, beta);
    relax(x, s);
    sum += x->trace*(x->change[0]*x->change[0] + x->change[1]*x->change[1] + x->change[2]*x->change[2]);
  }
  return SS_V4_SUM(sum);
}

double ss_friction_batches_sweep(ss_friction_batches* b, ss_friction_space* s, int group, double beta)
{
  return sweep(b->batch + b->start[group], b->start[group + 1] - b->start[group], beta, s);
}

SS_CLONES static void look(const ss_friction_batch* batch, int n, const double* v, double* Lambda, double* xi)
{
  for (int i = 0; i < n; i++) {
    const ss_friction_batch* x = &batch[i];
    ss_v4 found[3];
    find_velocities(x, v, found);
    for (int l = 0; l < SS_LANES; l++)
      for (int c = 0; c < 3 && x->contact[l] >= 0; c++) {
        Lambda[3*x->contact[l] + c] = x->Lambda[c][l];
        xi[3*x->contact[l] + c] = found[c][l];
      }
  }
}

void ss_friction_batches_look(const ss_friction_batches* b, const ss_friction_space* s, int group, double* Lambda,
                              double* xi)
{
  look(b->batch + b->start[group], b->start[group + 1] - b->start[group], s->v, Lambda, xi);
}

// Two of the three parts of ss_contact_violation(), |min(L_N, xi_N)| and the one of the disk
SS_CLONES static double bound(const ss_friction_batch* batch, int n, const double* v)
{
  ss_v4 most = {0}, zero = {0}, one = {1, 1, 1, 1};
  for (int i = 0; i < n; i++) {
    const ss_friction_batch* x = &batch[i];
    ss_v4 xi[3], L[3];
    find_velocities(x, v, xi);
    for (int c = 0; c < 3; c++) L[c] = x->trace*x->Lambda[c];
    ss_v4 t0 = L[1] - xi[1], t1 = L[2] - xi[2], square = t0*t0 + t1*t1, t = ROOT(square);
    ss_v4 radius = x->mu*SS_V4_SELECT(L[0] > zero, L[0], zero), share = SS_V4_SELECT(t > radius, radius/t, one);
    ss_v4 d0 = L[1] - share*t0, d1 = L[2] - share*t1, disk = d0*d0 + d1*d1;
    ss_v4 least = SS_V4_SELECT(L[0] < xi[0], L[0], xi[0]), normal = least*least;
    most = SS_V4_SELECT(disk > most, disk, most);
    most = SS_V4_SELECT(normal > most, normal, most);
  }
  double worst = 0;
  for (int l = 0; l < SS_LANES; l++) worst = most[l] > worst ? most[l] : worst;
  return sqrt(worst);
}

double ss_friction_batches_bound(const ss_friction_batches* b, const ss_friction_space* s, int group)
{
  return bound(b->batch + b->start[group], b->start[group + 1] - b->start[group], s->v);
}
