// Bullet (Debian package libbullet-dev, its variant in double precision) with its defaults: sequential impulses, 10
// iterations, warm start, split impulse. Friction of a pair is the product of both, so that each geom gets the root of
// its mu.
#include <btBulletDynamicsCommon.h>
#include <cmath>
#include <vector>
#include "engines/engine.h"

namespace {

struct world {
  const ss_scene* scene;
  btDefaultCollisionConfiguration settings;
  btCollisionDispatcher dispatcher{&settings};
  btDbvtBroadphase broad;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld dynamics{&dispatcher, &broad, &solver, &settings};
  std::vector<btRigidBody*> all, body;  // body: of the scene, null if it stays
};

btCollisionShape* make_shape(const ss_scene_geom* g)
{
  const double* s = g->size;
  switch (g->shape) {
    case SS_SCENE_PLANE: return new btStaticPlaneShape(btVector3(0, 0, 1), 0);
    case SS_SCENE_SPHERE: return new btSphereShape(s[0]);
    case SS_SCENE_CAPSULE: return new btCapsuleShapeZ(s[0], 2*s[1]);
    default: return new btBoxShape(btVector3(s[0], s[1], s[2]));
  }
}

btRigidBody* add(world* w, const ss_scene_geom* g, const double* p, const double* q, const ss_body_def* def, int index)
{
  btTransform pose(btQuaternion(q[1], q[2], q[3], q[0]), btVector3(p[0], p[1], p[2]));
  btVector3 inertia = def ? btVector3(def->inertia[0], def->inertia[1], def->inertia[2]) : btVector3(0, 0, 0);
  btRigidBody::btRigidBodyConstructionInfo info(def ? def->mass : 0, new btDefaultMotionState(pose), make_shape(g),
                                                inertia);
  info.m_friction = std::sqrt(g->friction[0]);
  auto* body = new btRigidBody(info);
  body->setUserIndex(index);
  body->setActivationState(DISABLE_DEACTIVATION);
  w->dynamics.addRigidBody(body);
  w->all.push_back(body);
  return body;
}

void* start(const ss_scene* scene)
{
  auto* w = new world{};
  w->scene = scene;
  const double* g = scene->tree.gravity;
  w->dynamics.setGravity(btVector3(g[0], g[1], g[2]));
  for (int i = 0; const ss_scene_geom* geom = engine_geom(scene, SS_WORLD, i); i++)
    add(w, geom, geom->position, geom->rotation, nullptr, -1);
  for (int i = 0; i < scene->tree.n_body; i++) {
    const ss_joint_def* joint = engine_joint(scene, i);
    const ss_body_def* def = &scene->tree.body[i];
    const ss_scene_geom* geom = engine_geom(scene, i, 0);
    if (!joint) {
      add(w, geom, def->position, def->rotation, nullptr, -1);
      w->body.push_back(nullptr);
      continue;
    }
    double p[3], q[4], v[3], omega[3];
    engine_pose(scene, i, p, q);
    engine_velocity(scene, i, v, omega);
    btRigidBody* body = add(w, geom, p, q, def, i);
    body->setLinearVelocity(btVector3(v[0], v[1], v[2]));
    body->setAngularVelocity(body->getWorldTransform().getBasis()*btVector3(omega[0], omega[1], omega[2]));
    if (joint->kind == SS_JOINT_SLIDE) {  // axes of the world only
      body->setLinearFactor(btVector3(std::fabs(joint->axis[0]), std::fabs(joint->axis[1]), std::fabs(joint->axis[2])));
      body->setAngularFactor(0);
    }
    w->body.push_back(body);
  }
  return w;
}

void step(void* world_)
{
  auto* w = static_cast<world*>(world_);
  for (int i = 0; i < w->scene->tree.n_body; i++) {
    double force = engine_motor(w->scene, i);
    const double* a = force != 0 ? engine_joint(w->scene, i)->axis : nullptr;
    if (a) w->body[i]->applyCentralForce(btVector3(a[0], a[1], a[2])*force);
  }
  w->dynamics.stepSimulation(w->scene->option.timestep, 0);
}

void state(void* world_, double* q, double* u)
{
  auto* w = static_cast<world*>(world_);
  for (int i = 0; i < w->scene->tree.n_body; i++) {
    btRigidBody* b = w->body[i];
    if (!b) continue;
    const btTransform& x = b->getWorldTransform();
    btVector3 p = x.getOrigin(), v = b->getLinearVelocity(), o = x.getBasis().transpose()*b->getAngularVelocity();
    btQuaternion r = x.getRotation();
    const ss_joint_def* joint = engine_joint(w->scene, i);
    if (joint->kind == SS_JOINT_SLIDE) {
      const double *a = joint->axis, *from = w->scene->tree.body[i].position;
      if (q) *q++ = (p - btVector3(from[0], from[1], from[2])).dot(btVector3(a[0], a[1], a[2]));
      if (u) *u++ = v.dot(btVector3(a[0], a[1], a[2]));
      continue;
    }
    for (int k = 0; k < 3 && q; k++) *q++ = p[k];
    if (q) { *q++ = r.w(); *q++ = r.x(); *q++ = r.y(); *q++ = r.z(); }
    for (int k = 0; k < 3 && u; k++) *u++ = v[k];
    for (int k = 0; k < 3 && u; k++) *u++ = o[k];
  }
}

int contacts(void* world_, engine_contact* list, int room)
{
  auto* w = static_cast<world*>(world_);
  int n = 0;
  for (int i = 0; i < w->dispatcher.getNumManifolds(); i++) {
    const btPersistentManifold* m = w->dispatcher.getManifoldByIndexInternal(i);
    for (int j = 0; j < m->getNumContacts(); j++) {
      const btManifoldPoint& c = m->getContactPoint(j);
      if (c.getDistance() > 0 && c.m_appliedImpulse == 0) continue;
      if (list && n < room) {  // normal on B points to A
        engine_contact* out = &list[n];
        btVector3 f = c.m_normalWorldOnB*c.m_appliedImpulse + c.m_lateralFrictionDir1*c.m_appliedImpulseLateral1 +
                      c.m_lateralFrictionDir2*c.m_appliedImpulseLateral2;
        *out = engine_contact{};
        out->a = m->getBody1()->getUserIndex();
        out->b = m->getBody0()->getUserIndex();
        out->depth = -c.getDistance();
        out->mu = c.m_combinedFriction;
        for (int k = 0; k < 3; k++) {
          out->point[k] = c.getPositionWorldOnB()[k];
          out->normal[k] = c.m_normalWorldOnB[k];
          out->impulse[k] = f[k];
        }
      }
      n++;
    }
  }
  return n;
}

void stop(void* world_)
{
  auto* w = static_cast<world*>(world_);
  for (btRigidBody* b : w->all) {
    w->dynamics.removeRigidBody(b);
    delete b->getMotionState();
    delete b->getCollisionShape();
    delete b;
  }
  delete w;
}

}  // namespace

extern "C" const engine engine_bullet = {"Bullet", start, step, state, contacts, stop};
