// For tests and studies: random scenes of planar bodies that fit together exactly, and how deep convex pieces of them
// overlap. That is judged by separating axes alone, in extended precision, and shares nothing with src/outline.
//
// A scene is designed upright, faces level and about 1 m wide, of corners that coincide; then it is scaled, turned,
// mirrored and moved, in the points of the bodies or in their poses. So corners differ by round-off, as in life.
#ifndef TEST_PLANAR_STONES_H
#define TEST_PLANAR_STONES_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STONES = 16, PIECES = 3, CORNERS = 16 };

typedef struct spot {
  double x, y;
} spot;

typedef struct piece {
  int n;
  spot p[CORNERS];  // counter-clockwise
} piece;

typedef struct stone {
  int n_outline, n_piece;
  piece outline[PIECES];  // as the file has them, one or several
  piece convex[PIECES];   // what they are made of; both in the frame of the body, about its centre of mass
  bool fixed;
  double pose[3], velocity[3], size;
} stone;

typedef struct scene {
  const char* kind;
  int n;
  stone stone[STONES];
  bool floor;         // a half-plane below the level 0
  double floor_at[4], gravity[2], mu, eps, dt;
  int steps;
  double slides;      // speed that the last stone must keep; 0: need not
  double L;           // scale
} scene;

// Numbers between 0 and 1 [Marsaglia 2003: xorshift]
static inline double chance(uint64_t* seed)
{
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  *seed ^= *seed << 17;
  return (double)(*seed >> 11)/9007199254740992.0;
}

static inline double between(uint64_t* seed, double low, double high) { return low + (high - low)*chance(seed); }
static inline int any(uint64_t* seed, int n) { return (int)(n*chance(seed)); }

// ---- design --------------------------------------------------------------------------------------------------------

static inline void add_outline(stone* s, const piece* p) { s->outline[s->n_outline++] = *p; }
static inline void add_convex(stone* s, const piece* p) { s->convex[s->n_piece++] = *p; }

// A quadrangle between the levels y0 and y1
static inline piece quad(double x0, double x1, double y0, double left, double right, double y1)
{
  return (piece){4, {{x0, y0}, {x1, y0}, {right, y1}, {left, y1}}};
}

static inline piece box(double x0, double x1, double y0, double y1) { return quad(x0, x1, y0, x0, x1, y1); }

static inline stone* add_stone(scene* s) { return &s->stone[s->n++]; }

static inline stone* add_plain(scene* s, piece p)
{
  stone* t = add_stone(s);
  add_outline(t, &p);
  add_convex(t, &p);
  return t;
}

// A corner in the middle of each edge, or some: straight ones
static inline piece with_middles(const piece* p, uint64_t* seed)
{
  piece q = {0};
  for (int i = 0; i < p->n; i++) {
    const spot *a = &p->p[i], *b = &p->p[(i + 1)%p->n];
    q.p[q.n++] = *a;
    if (q.n + p->n - i < CORNERS && chance(seed) < 0.6) q.p[q.n++] = (spot){(a->x + b->x)/2, (a->y + b->y)/2};
  }
  return q;
}

// Something with a level face from x0 to x1 at y, above it, or below: upright, leaning, a triangle, a regular polygon,
// with straight corners, or an angle of two boxes, as one outline or as two
static inline stone* add_with_face(scene* s, double x0, double x1, double y, bool above, uint64_t* seed)
{
  double w = x1 - x0, up = above ? 1 : -1, h = up*w*between(seed, 0.3, 1);
  int kind = any(seed, 7);
  piece p = box(x0, x1, y, y + h);
  if (kind == 1) p = quad(x0, x1, y, x0 + w*between(seed, -0.4, 0.4), x1 + w*between(seed, -0.4, 0.4), y + h);
  if (kind == 2) {  // a rhomboid, as its neighbour may be
    double lean = w*(any(seed, 5) - 2)/4;
    p = quad(x0, x1, y, x0 + lean, x1 + lean, y + h);
  }
  if (kind == 3) p = (piece){3, {{x0, y}, {x1, y}, {x0 + w*between(seed, 0, 1), y + h}}};
  if (kind == 4) {
    double pi = 3.14159265358979323846, r = w/2/sin(pi/6), mid = (x0 + x1)/2;
    p.n = 6;
    for (int i = 0; i < 6; i++)
      p.p[i] = (spot){mid + r*sin((2*i - 1)*pi/6), y + up*(r*cos(pi/6) - r*cos((2*i - 1)*pi/6))};
    p.p[0] = (spot){x0, y};
    p.p[1] = (spot){x1, y};
  }
  if (!above)  // counter-clockwise
    for (int i = 0; i < p.n/2; i++) {
      spot swap = p.p[i];
      p.p[i] = p.p[p.n - 1 - i];
      p.p[p.n - 1 - i] = swap;
    }
  if (kind == 5) p = with_middles(&p, seed);
  if (kind < 6) return add_plain(s, p);
  stone* t = add_stone(s);
  double low = fmin(y, y + h), high = fmax(y, y + h), mid = (low + high)/2, in = x0 + w/2;
  piece a = above ? box(x0, x1, low, mid) : box(x0, x1, mid, high);
  piece b = above ? box(x0, in, mid, high) : box(x0, in, low, mid);
  add_convex(t, &a);
  add_convex(t, &b);
  if (chance(seed) < 0.5) {
    add_outline(t, &a);
    add_outline(t, &b);
  } else {
    piece angle = above ? (piece){6, {{x0, low}, {x1, low}, {x1, mid}, {in, mid}, {in, high}, {x0, high}}}
                        : (piece){6, {{x0, low}, {in, low}, {in, mid}, {x1, mid}, {x1, high}, {x0, high}}};
    add_outline(t, &angle);
  }
  return t;
}

// A little, or nothing: what ends of faces may differ by, m
static inline double little(uint64_t* seed)
{
  static const double list[] = {0, 0, 0, 0, 1e-16, 1e-15, 1e-14, 1e-13, 1e-12, 1e-10, 1e-9, 1e-7, 1e-5};
  return (chance(seed) < 0.5 ? -1 : 1)*list[any(seed, 13)];
}

// Where a face from 0 to 1 m meets another one: the same, within it, flush at an end, half beside it
static inline void choose_face(double* x0, double* x1, uint64_t* seed)
{
  static const double faces[][2] = {{0, 1}, {0, 1}, {0, 1}, {0, 0.5}, {0.5, 1}, {0.25, 0.75}, {-0.5, 0.5}, {0.5, 1.5},
                                    {-0.5, 1.5}};
  int k = any(seed, 9);
  *x0 = faces[k][0] + little(seed);
  *x1 = faces[k][1] + little(seed);
}

// Two stones, face on face: pressed, dropped, or thrown at each other without gravity
static inline void design_pair(scene* s, uint64_t* seed)
{
  double x0, x1, down = chance(seed);
  choose_face(&x0, &x1, seed);
  bool free = chance(seed) < 0.4;
  stone* lower = add_with_face(s, 0, 1, 0, false, seed);
  double gap = chance(seed) < 0.7 ? fabs(little(seed)) : 0.02*chance(seed);
  stone* upper = add_with_face(s, x0, x1, gap, true, seed);
  s->kind = "pair";
  upper->velocity[1] = down < 0.3 ? 0 : down < 0.6 ? -0.5*chance(seed) : -3*chance(seed);
  if (chance(seed) < 0.3) upper->velocity[0] = between(seed, -1, 1);
  lower->fixed = !free;
  if (!free) return;
  s->gravity[1] = 0;
  upper->velocity[1] = -between(seed, 0.3, 3);
  lower->velocity[1] = chance(seed) < 0.5 ? 0 : between(seed, 0, 1);
}

// Bricks of one height, some of them twins, side by side on the ground: the first one is pushed into the others
static inline void design_row(scene* s, uint64_t* seed)
{
  int n = 2 + any(seed, 3);
  double x = 0, high = between(seed, 0.2, 1);
  s->kind = "row";
  s->floor = true;
  for (int i = 0; i < n; i++) {
    double w = chance(seed) < 0.5 ? 0.6 : between(seed, 0.3, 0.8);
    add_plain(s, box(x, x + w, 0, high));
    x += w + fabs(little(seed))*(chance(seed) < 0.5);
  }
  s->stone[0].velocity[0] = between(seed, 0, 3);
  if (chance(seed) < 0.3) s->stone[n - 1].velocity[0] = -between(seed, 0, 3);
}

// A wall in bond, or a column of twins
static inline void design_wall(scene* s, uint64_t* seed)
{
  bool column = chance(seed) < 0.4;
  int courses = column ? 3 + any(seed, 4) : 2 + any(seed, 2);
  double high = between(seed, 0.2, 0.6), lean = column && chance(seed) < 0.5 ? 0.05 : 0;
  s->kind = column ? "column" : "wall";
  s->floor = true;
  for (int k = 0; k < courses; k++) {
    int n = column ? 1 : courses - k;
    for (int i = 0; i < n; i++) {
      double x = column ? 0 : i + 0.5*k, side = k%2 ? lean : -lean;
      add_plain(s, quad(x + side, x + 1 + side, k*high, x - side, x + 1 - side, (k + 1)*high));
    }
  }
  if (chance(seed) < 0.3) s->stone[s->n - 1].velocity[0] = between(seed, -1, 1);
}

// A slider over the joints of bricks that are flush: it keeps its speed
static inline void design_slider(scene* s, uint64_t* seed)
{
  double speed = pow(10, between(seed, -3, 0.5)), w = between(seed, 0.5, 1.5), overhang = fmin(speed*0.02, 0.05);
  s->kind = "slider";
  for (int i = 0; i < 3; i++) add_plain(s, box(i, i + 1, -between(seed, 0.3, 1), 0))->fixed = true;
  double end = (chance(seed) < 0.5 ? 1 : 2) - overhang*chance(seed);  // its corner comes over a joint
  if (chance(seed) < 0.3) end = 1 + fmod(w, 1) - overhang*chance(seed);     // ... the corner behind
  add_plain(s, box(end - w, end, 0, between(seed, 0.1, 0.5)))->velocity[0] = speed;
  s->mu = s->eps = 0;
  s->slides = end - w > 0 ? speed : 0;
}

// A tenon in a mortise of its width
static inline void design_slot(scene* s, uint64_t* seed)
{
  stone* u = add_stone(s);
  piece left = box(-1, 0, -1, 0), right = box(1, 2, -1, 0), below = box(-1, 2, -1.5, -1);
  piece outline = {8, {{-1, -1.5}, {2, -1.5}, {2, 0}, {1, 0}, {1, -1}, {0, -1}, {0, 0}, {-1, 0}}};
  add_convex(u, &left);
  add_convex(u, &right);
  add_convex(u, &below);
  add_outline(u, &outline);
  u->fixed = true;
  double deep = chance(seed) < 0.5 ? -1 : -between(seed, 0.1, 1);
  stone* t = chance(seed) < 0.5 ? add_plain(s, box(0, 1, deep, deep + between(seed, 0.3, 2))) : NULL;
  if (!t) {  // with a head
    t = add_stone(s);
    piece head = box(-0.5, 1.5, 0, 0.5), body = box(0, 1, -0.8, 0);
    piece both = {8, {{0, -0.8}, {1, -0.8}, {1, 0}, {1.5, 0}, {1.5, 0.5}, {-0.5, 0.5}, {-0.5, 0}, {0, 0}}};
    add_convex(t, &head);
    add_convex(t, &body);
    add_outline(t, &both);
  }
  t->velocity[1] = chance(seed) < 0.5 ? 0 : -chance(seed);
  s->kind = "slot";
  if (chance(seed) < 0.5) s->mu = 0;
}

// Corner on corner: boxes that meet in one point, or a diamond on the joint of two bricks
static inline void design_corner(scene* s, uint64_t* seed)
{
  s->kind = "corner";
  if (chance(seed) < 0.5) {
    add_plain(s, box(0, 1, -1, 0))->fixed = true;
    stone* t = add_plain(s, box(1, 2, 0, 1));
    t->velocity[0] = -chance(seed);
    t->velocity[1] = -chance(seed);
    return;
  }
  add_plain(s, box(0, 1, -0.5, 0))->fixed = true;
  add_plain(s, box(1, 2, -0.5, 0))->fixed = true;
  piece diamond = {4, {{1, 0}, {1.5, 0.5}, {1, 1}, {0.5, 0.5}}};
  add_plain(s, diamond)->velocity[1] = -chance(seed);
}

// ---- to the world --------------------------------------------------------------------------------------------------

typedef struct place {
  double L, c, s, x, y;
  bool mirror;
} place;

static inline spot carry(const place* t, spot p)
{
  double x = t->mirror ? -p.x : p.x;
  return (spot){t->L*(t->c*x - t->s*p.y), t->L*(t->s*x + t->c*p.y)};
}

static inline spot centre(const stone* s)
{
  double area = 0, x = 0, y = 0;
  for (int k = 0; k < s->n_piece; k++) {
    const spot* p = s->convex[k].p;
    for (int i = 1; i + 1 < s->convex[k].n; i++) {
      double a = (p[i].x - p[0].x)*(p[i + 1].y - p[0].y) - (p[i].y - p[0].y)*(p[i + 1].x - p[0].x);
      area += a;
      x += a*(p[0].x + p[i].x + p[i + 1].x)/3;
      y += a*(p[0].y + p[i].y + p[i + 1].y)/3;
    }
  }
  return (spot){x/area, y/area};
}

// Points about the centre of mass, as the frame of the body sees them: turned by `turn`
static inline void carry_piece(piece* p, const place* t, spot c)
{
  for (int i = 0; i < p->n; i++) p->p[i] = carry(t, (spot){p->p[i].x - c.x, p->p[i].y - c.y});
  for (int i = 0; t->mirror && i < p->n/2; i++) {
    spot swap = p->p[i];
    p->p[i] = p->p[p->n - 1 - i];
    p->p[p->n - 1 - i] = swap;
  }
}

static inline double extent(const piece* p)
{
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  for (int i = 0; i < p->n; i++) {
    low[0] = fmin(low[0], p->p[i].x);
    low[1] = fmin(low[1], p->p[i].y);
    high[0] = fmax(high[0], p->p[i].x);
    high[1] = fmax(high[1], p->p[i].y);
  }
  return hypot(high[0] - low[0], high[1] - low[1]);
}

// The frame of the body is turned by `own`, its points by the rest of the angle of the scene
static inline void carry_stone(stone* s, const place* t, double angle, double own, uint64_t* seed)
{
  spot c = centre(s), at = carry(t, c), v = carry(t, (spot){s->velocity[0], s->velocity[1]});
  place points = *t;
  points.c = cos(angle - own);
  points.s = sin(angle - own);
  if (own == angle) points.c = 1, points.s = 0;
  s->size = INFINITY;
  for (int i = 0; i < s->n_outline; i++) {
    carry_piece(&s->outline[i], &points, c);
    s->size = fmin(s->size, extent(&s->outline[i]));
  }
  for (int i = 0; i < s->n_piece; i++) carry_piece(&s->convex[i], &points, c);
  s->pose[0] = at.x + t->x;
  s->pose[1] = at.y + t->y;
  s->pose[2] = own;
  int ulp = any(seed, 8);  // exactly there, or beside it by the last digit
  if (ulp < 2) s->pose[ulp] = nextafter(s->pose[ulp], chance(seed) < 0.5 ? -INFINITY : INFINITY);
  s->velocity[0] = v.x;
  s->velocity[1] = v.y;
}

static inline void carry_scene(scene* s, uint64_t* seed)
{
  const double quarter = 1.57079632679489661923;
  double angle = chance(seed) < 0.25 ? any(seed, 4)*quarter : between(seed, -6, 6);
  double far = chance(seed) < 0.6 ? 0 : pow(10, between(seed, 0, 4));
  place t = {.L = pow(10, between(seed, -6, 6)), .c = cos(angle), .s = sin(angle), .mirror = chance(seed) < 0.5};
  if (chance(seed) < 0.3) t.L = 1;
  t.x = far*t.L*between(seed, -1, 1);
  t.y = far*t.L*between(seed, -1, 1);
  s->L = t.L;
  int how = any(seed, 3);
  for (int i = 0; i < s->n; i++) {
    double own = how == 0 ? angle : how == 1 ? 0 : angle + (any(seed, 5) - 2)*quarter;
    carry_stone(&s->stone[i], &t, angle, own, seed);
  }
  spot up = carry(&t, (spot){0, 1}), g = carry(&t, (spot){s->gravity[0], s->gravity[1]});
  const double floor_at[4] = {t.x, t.y, up.x/t.L, up.y/t.L};
  memcpy(s->floor_at, floor_at, sizeof floor_at);
  s->gravity[0] = g.x;
  s->gravity[1] = g.y;
  s->slides *= t.L;
}

static inline scene random_scene(uint64_t* seed)
{
  scene s = {.gravity = {0, -10}, .dt = chance(seed) < 0.5 ? 1e-3 : 2e-3, .steps = 40};
  s.mu = any(seed, 3)*0.5;
  s.eps = chance(seed) < 0.7 ? 0 : 0.5;
  static void (*const design[])(scene*, uint64_t*) = {design_pair,   design_pair, design_pair,  design_row,
                                                      design_wall,   design_slot, design_corner, design_slider};
  design[any(seed, 8)](&s, seed);
  carry_scene(&s, seed);
  return s;
}

// ---- as a model ----------------------------------------------------------------------------------------------------

typedef struct writer {
  char* text;
  size_t n, room;
} writer;

#define WRITE(w, ...) ((w)->n += (size_t)snprintf((w)->text + (w)->n, (w)->room - (w)->n, __VA_ARGS__))

static inline void write_points(writer* w, const piece* p)
{
  WRITE(w, "polygon: [");
  for (int i = 0; i < p->n; i++) WRITE(w, "%s[%.17g, %.17g]", i ? ", " : "", p->p[i].x, p->p[i].y);
  WRITE(w, "]");
}

static inline size_t write_scene(const scene* s, char* text, size_t room)
{
  writer w = {text, 0, room};
  WRITE(&w, "gravity: [%.17g, %.17g]\nbodies:\n", s->gravity[0], s->gravity[1]);
  const double* f = s->floor_at;
  if (s->floor)
    WRITE(&w, "  floor: {halfplane: [%.17g, %.17g, %.17g, %.17g], mu: %g}\n", f[0], f[1], f[2], f[3], s->mu);
  for (int i = 0; i < s->n; i++) {
    const stone* t = &s->stone[i];
    for (int k = 0; k < t->n_outline; k++) {
      WRITE(&w, "  b%d%c: {", i, 'a' + k);
      write_points(&w, &t->outline[k]);
      if (k) WRITE(&w, ", with: b%da", i);
      else WRITE(&w, ", %s: [%.17g, %.17g, %.17g]", t->fixed ? "at" : "free", t->pose[0], t->pose[1], t->pose[2]);
      if (!t->fixed) WRITE(&w, ", density: %.17g", 1/s->L/s->L);
      if (!k && !t->fixed) WRITE(&w, ", velocity: [%.17g, %.17g, 0]", t->velocity[0], t->velocity[1]);
      WRITE(&w, ", mu: %g, eps_n: %g}\n", s->mu, s->eps);
    }
  }
  WRITE(&w, "run: {dt: %g, until: %g}\n", s->dt, s->dt*s->steps);
  return w.n;
}

// ---- overlap -------------------------------------------------------------------------------------------------------

typedef struct placed {
  int n;
  long double x[CORNERS], y[CORNERS];
} placed;

static inline placed place_piece(const piece* p, const double pose[3])
{
  placed q = {.n = p->n};
  long double c = cosl(pose[2]), s = sinl(pose[2]);
  for (int i = 0; i < p->n; i++) {
    q.x[i] = pose[0] + c*p->p[i].x - s*p->p[i].y;
    q.y[i] = pose[1] + s*p->p[i].x + c*p->p[i].y;
  }
  return q;
}

// How far b reaches into a along the normals of the edges of a, the least of them; negative: apart
static inline long double depth_along(const placed* a, const placed* b)
{
  long double least = INFINITY;
  for (int i = 0; i < a->n; i++) {
    int j = (i + 1)%a->n;
    long double ex = a->x[j] - a->x[i], ey = a->y[j] - a->y[i], length = hypotl(ex, ey), deep = -INFINITY;
    for (int k = 0; k < b->n; k++)
      deep = fmaxl(deep, (ex*(b->y[k] - a->y[i]) - ey*(b->x[k] - a->x[i]))/length);
    least = fminl(least, deep);
  }
  return least;
}

/// The shortest way that separates two convex polygons; negative: they are apart.
static inline long double convex_overlap(const placed* a, const placed* b)
{
  return fminl(depth_along(a, b), depth_along(b, a));
}

static inline double stones_overlap(const stone* a, const double pa[3], const stone* b, const double pb[3])
{
  long double most = -INFINITY;
  for (int i = 0; i < a->n_piece; i++) {
    placed x = place_piece(&a->convex[i], pa);
    for (int k = 0; k < b->n_piece; k++) {
      placed y = place_piece(&b->convex[k], pb);
      most = fmaxl(most, convex_overlap(&x, &y));
    }
  }
  return (double)most;
}

static inline double floor_overlap(const scene* s, const stone* a, const double pose[3])
{
  long double most = -INFINITY;
  const double* f = s->floor_at;
  for (int i = 0; i < a->n_piece; i++) {
    placed x = place_piece(&a->convex[i], pose);
    for (int k = 0; k < x.n; k++) most = fmaxl(most, -(f[2]*(x.x[k] - f[0]) + f[3]*(x.y[k] - f[1])));
  }
  return (double)most;
}

#endif
