// ODE (Debian package libode-dev, double precision): dWorldStep, which solves the LCP by Dantzig's method, and
// dWorldQuickStep, 20 sweeps of SOR. Friction is a pyramid along two axes that follow from the normal
// (dContactApprox1). ERP and CFM are the defaults of the library.
#include <ode/ode.h>
#include <stdlib.h>
#include <string.h>
#include "engines/engine.h"

typedef struct pairing {
  dJointFeedback feedback;
  engine_contact contact;
  bool swapped;  // joint body 1 is our b
} pairing;

typedef struct world {
  const ss_scene* scene;
  dWorldID world;
  dSpaceID space;
  dJointGroupID group;
  dBodyID* body;
  dJointID* slide;
  bool quick;
  int n, room;
  pairing** contact;  // each by itself, since joints keep pointers to them
} world;

static dGeomID make_geom(const ss_scene_geom* g, dSpaceID space)
{
  const double* s = g->size;
  switch (g->shape) {
    case SS_SCENE_SPHERE: return dCreateSphere(space, (dReal)s[0]);
    case SS_SCENE_BOX: return dCreateBox(space, (dReal)(2*s[0]), (dReal)(2*s[1]), (dReal)(2*s[2]));
    case SS_SCENE_CAPSULE: return dCreateCapsule(space, (dReal)s[0], (dReal)(2*s[1]));
    default: return NULL;
  }
}

static void turn(const double* q, dQuaternion out)
{
  for (int k = 0; k < 4; k++) out[k] = (dReal)q[k];
}

static void make_fixed(world* w, const ss_scene_geom* g, const double* origin)
{
  dQuaternion q;
  double p[3];
  for (int k = 0; k < 3; k++) p[k] = g->position[k] + (origin ? origin[k] : 0);
  turn(g->rotation, q);
  dGeomID geom;
  if (g->shape == SS_SCENE_PLANE) {
    dMatrix3 R;
    dQtoR(q, R);
    dReal n[3] = {R[2], R[6], R[10]};
    geom = dCreatePlane(w->space, n[0], n[1], n[2], (dReal)(n[0]*p[0] + n[1]*p[1] + n[2]*p[2]));
  } else {
    geom = make_geom(g, w->space);
    dGeomSetPosition(geom, (dReal)p[0], (dReal)p[1], (dReal)p[2]);
    dGeomSetQuaternion(geom, q);
  }
  dGeomSetData(geom, (void*)g);
}

static void make_body(world* w, int i)
{
  const ss_body_def* def = &w->scene->tree.body[i];
  const ss_scene_geom* g = engine_geom(w->scene, i, 0);
  double p[3], quaternion[4], v[3], omega[3];
  engine_pose(w->scene, i, p, quaternion);
  engine_velocity(w->scene, i, v, omega);
  dBodyID body = w->body[i] = dBodyCreate(w->world);
  dMass m;
  dMassSetParameters(&m, (dReal)def->mass, 0, 0, 0, (dReal)def->inertia[0], (dReal)def->inertia[1],
                     (dReal)def->inertia[2], 0, 0, 0);
  dBodySetMass(body, &m);
  dQuaternion q;
  turn(quaternion, q);
  dBodySetPosition(body, (dReal)p[0], (dReal)p[1], (dReal)p[2]);
  dBodySetQuaternion(body, q);
  dBodySetLinearVel(body, (dReal)v[0], (dReal)v[1], (dReal)v[2]);
  dVector3 turning;
  dBodyVectorToWorld(body, (dReal)omega[0], (dReal)omega[1], (dReal)omega[2], turning);
  dBodySetAngularVel(body, turning[0], turning[1], turning[2]);
  dGeomID geom = make_geom(g, w->space);
  dGeomSetBody(geom, body);
  dGeomSetData(geom, (void*)g);
  const ss_joint_def* joint = engine_joint(w->scene, i);
  if (joint->kind != SS_JOINT_SLIDE) return;
  w->slide[i] = dJointCreateSlider(w->world, 0);
  dJointAttach(w->slide[i], body, 0);
  dJointSetSliderAxis(w->slide[i], (dReal)joint->axis[0], (dReal)joint->axis[1], (dReal)joint->axis[2]);
}

// "LCP internal error, s <= 0": it says so on standard error and goes on
static void keep_quiet(int number, const char* message, va_list list)
{
  (void)number, (void)message, (void)list;
}

static void* start_with(const ss_scene* scene, bool quick)
{
  static bool ready;
  if (!ready) dInitODE2(0);
  dSetMessageHandler(keep_quiet);
  ready = true;
  world* w = calloc(1, sizeof *w);
  w->scene = scene;
  w->quick = quick;
  w->world = dWorldCreate();
  w->space = dHashSpaceCreate(0);
  w->group = dJointGroupCreate(0);
  const double* g = scene->tree.gravity;
  dWorldSetGravity(w->world, (dReal)g[0], (dReal)g[1], (dReal)g[2]);
  dWorldSetAutoDisableFlag(w->world, 0);
  w->body = calloc((size_t)scene->tree.n_body, sizeof *w->body);
  w->slide = calloc((size_t)scene->tree.n_body, sizeof *w->slide);
  for (int i = 0; i < scene->n_geom; i++)
    if (scene->geom[i].body == SS_WORLD) make_fixed(w, &scene->geom[i], NULL);
  for (int i = 0; i < scene->tree.n_body; i++) {
    if (engine_joint(scene, i)) make_body(w, i);
    else make_fixed(w, engine_geom(scene, i, 0), scene->tree.body[i].position);  // a body without a joint stays
  }
  return w;
}

static void* start(const ss_scene* scene) { return start_with(scene, false); }
static void* start_quick(const ss_scene* scene) { return start_with(scene, true); }

static pairing* next_contact(world* w)
{
  if (w->n == w->room) {
    w->contact = realloc(w->contact, sizeof *w->contact*(size_t)(w->room + 256));
    for (int i = 0; i < 256; i++) w->contact[w->room++] = calloc(1, sizeof **w->contact);
  }
  return w->contact[w->n++];
}

static void touch(void* data, dGeomID a, dGeomID b)
{
  enum { MOST = 16 };
  world* w = data;
  dContact c[MOST];
  dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
  if (!body_a && !body_b) return;
  const ss_scene_geom *ga = dGeomGetData(a), *gb = dGeomGetData(b);
  int n = dCollide(a, b, MOST, &c[0].geom, sizeof *c);
  for (int i = 0; i < n; i++) {
    pairing* p = next_contact(w);
    double mu = engine_mu(w->scene, ga, gb);
    memset(&c[i].surface, 0, sizeof c[i].surface);
    c[i].surface.mode = dContactApprox1;
    c[i].surface.mu = (dReal)mu;
    dJointID joint = dJointCreateContact(w->world, w->group, &c[i]);
    dJointAttach(joint, body_a, body_b);  // the normal points into a
    dJointSetFeedback(joint, &p->feedback);
    p->swapped = !body_a;
    // a moving body: normal from b to a, the force on a is f1; the world as a: joint swaps, f1 is that on b
    p->contact = (engine_contact){.a = body_b ? gb->body : SS_WORLD, .b = body_a ? ga->body : SS_WORLD,
                                  .depth = c[i].geom.depth, .mu = mu};
    for (int k = 0; k < 3; k++) {
      p->contact.point[k] = c[i].geom.pos[k];
      p->contact.normal[k] = c[i].geom.normal[k];
    }
  }
}

static void step(void* world_)
{
  world* w = world_;
  dReal dt = (dReal)w->scene->option.timestep;
  for (int i = 0; i < w->scene->tree.n_body; i++)
    if (w->slide[i]) dJointAddSliderForce(w->slide[i], (dReal)engine_motor(w->scene, i));
  w->n = 0;
  dSpaceCollide(w->space, w, touch);
  if (w->quick) dWorldQuickStep(w->world, dt);
  else dWorldStep(w->world, dt);
  dJointGroupEmpty(w->group);
}

static void state(void* world_, double* q, double* u)
{
  world* w = world_;
  for (int i = 0; i < w->scene->tree.n_body; i++) {
    if (!w->body[i]) continue;
    if (w->slide[i]) {
      if (q) *q++ = dJointGetSliderPosition(w->slide[i]);
      if (u) *u++ = dJointGetSliderPositionRate(w->slide[i]);
      continue;
    }
    const dReal *p = dBodyGetPosition(w->body[i]), *r = dBodyGetQuaternion(w->body[i]);
    const dReal *v = dBodyGetLinearVel(w->body[i]), *o = dBodyGetAngularVel(w->body[i]);
    dVector3 omega;
    dBodyVectorFromWorld(w->body[i], o[0], o[1], o[2], omega);
    for (int k = 0; k < 3 && q; k++) *q++ = p[k];
    for (int k = 0; k < 4 && q; k++) *q++ = r[k];
    for (int k = 0; k < 3 && u; k++) *u++ = v[k];
    for (int k = 0; k < 3 && u; k++) *u++ = omega[k];
  }
}

static int contacts(void* world_, engine_contact* list, int room)
{
  world* w = world_;
  for (int i = 0; i < w->n && i < room && list; i++) {
    const pairing* p = w->contact[i];
    list[i] = p->contact;
    for (int k = 0; k < 3; k++) {  // f1 acts on the body that came first in the joint
      double f = p->swapped ? -p->feedback.f1[k] : p->feedback.f1[k];
      list[i].impulse[k] = f*w->scene->option.timestep;
    }
  }
  return w->n;
}

static void stop(void* world_)
{
  world* w = world_;
  dJointGroupDestroy(w->group);
  dSpaceDestroy(w->space);
  dWorldDestroy(w->world);
  for (int i = 0; i < w->room; i++) free(w->contact[i]);
  free(w->contact);
  free(w->body);
  free(w->slide);
  free(w);
}

const engine engine_ode = {"ODE", start, step, state, contacts, stop};
const engine engine_ode_quick = {"ODE quick", start_quick, step, state, contacts, stop};
