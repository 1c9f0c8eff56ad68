// DART (Debian package libdart-dev) with its defaults (Dantzig's method for a boxed LCP) but for the collision detector:
// its own one, which finds several points between boxes. It knows spheres and boxes: planes are thick boxes, capsules
// boxes as wide.
#include <dart/dart.hpp>
#include <map>
#include <vector>
#include "engines/engine.h"

namespace {

using namespace dart::dynamics;

struct world {
  const ss_scene* scene;
  dart::simulation::WorldPtr dart;
  std::vector<BodyNodePtr> body;  // of the scene, null if it stays
  std::map<const BodyNode*, int> number;
};

ShapePtr make_shape(const ss_scene_geom* g)
{
  const double* s = g->size;
  switch (g->shape) {
    case SS_SCENE_PLANE: return std::make_shared<BoxShape>(Eigen::Vector3d(200, 200, 2));
    case SS_SCENE_SPHERE: return std::make_shared<SphereShape>(s[0]);
    case SS_SCENE_CAPSULE: return std::make_shared<BoxShape>(Eigen::Vector3d(2*s[0], 2*s[0], 2*s[1]));
    default: return std::make_shared<BoxShape>(Eigen::Vector3d(2*s[0], 2*s[1], 2*s[2]));
  }
}

Eigen::Isometry3d pose_of(const double* p, const double* q)
{
  Eigen::Isometry3d x = Eigen::Isometry3d::Identity();
  x.linear() = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
  x.translation() = Eigen::Vector3d(p[0], p[1], p[2]);
  return x;
}

void add_shape(BodyNode* body, const ss_scene_geom* g)
{
  auto* node = body->createShapeNodeWith<CollisionAspect, DynamicsAspect>(make_shape(g));
  node->getDynamicsAspect()->setFrictionCoeff(g->friction[0]);
  node->getDynamicsAspect()->setRestitutionCoeff(0);
}

void add_fixed(world* w, const ss_scene_geom* g, const double* p, const double* q, int number)
{
  auto skeleton = Skeleton::create("fixed" + std::to_string(w->dart->getNumSkeletons()));
  auto pair = skeleton->createJointAndBodyNodePair<WeldJoint>();
  Eigen::Isometry3d x = pose_of(p, q);
  if (g->shape == SS_SCENE_PLANE) x.translation() -= x.linear().col(2);
  pair.first->setTransformFromParentBodyNode(x);
  add_shape(pair.second, g);
  w->number[pair.second] = number;
  w->dart->addSkeleton(skeleton);
}

void set_mass(BodyNode* body, const ss_body_def* def)
{
  body->setInertia(Inertia(def->mass, Eigen::Vector3d::Zero(),
    Eigen::Vector3d(def->inertia[0], def->inertia[1], def->inertia[2]).asDiagonal().toDenseMatrix()));
}

BodyNode* add_free(Skeleton* skeleton, const ss_scene* scene, int i)
{
  double p[3], q[4], v[3], omega[3];
  engine_pose(scene, i, p, q);
  engine_velocity(scene, i, v, omega);
  auto pair = skeleton->createJointAndBodyNodePair<FreeJoint>();
  Eigen::Isometry3d x = pose_of(p, q);
  pair.first->setPositions(FreeJoint::convertToPositions(x));
  Eigen::Vector6d u;  // turning and moving in body axes
  u << omega[0], omega[1], omega[2], x.linear().transpose()*Eigen::Vector3d(v[0], v[1], v[2]);
  pair.first->setVelocities(u);
  return pair.second;
}

BodyNode* add_slide(Skeleton* skeleton, const ss_scene* scene, int i)
{
  const ss_joint_def* joint = engine_joint(scene, i);
  auto pair = skeleton->createJointAndBodyNodePair<PrismaticJoint>();
  pair.first->setTransformFromParentBodyNode(pose_of(scene->tree.body[i].position, scene->tree.body[i].rotation));
  pair.first->setAxis(Eigen::Vector3d(joint->axis[0], joint->axis[1], joint->axis[2]));
  return pair.second;
}

void* start(const ss_scene* scene)
{
  auto* w = new world{scene, dart::simulation::World::create(), {}, {}};
  const double* g = scene->tree.gravity;
  w->dart->setGravity(Eigen::Vector3d(g[0], g[1], g[2]));
  w->dart->setTimeStep(scene->option.timestep);
  w->dart->getConstraintSolver()->setCollisionDetector(dart::collision::DARTCollisionDetector::create());
  w->dart->getConstraintSolver()->getCollisionOption().maxNumContacts = 100000;
  for (int i = 0; const ss_scene_geom* geom = engine_geom(scene, SS_WORLD, i); i++)
    add_fixed(w, geom, geom->position, geom->rotation, -1);
  for (int i = 0; i < scene->tree.n_body; i++) {
    const ss_joint_def* joint = engine_joint(scene, i);
    const ss_body_def* def = &scene->tree.body[i];
    if (!joint) {
      add_fixed(w, engine_geom(scene, i, 0), def->position, def->rotation, i);
      w->body.push_back(nullptr);
      continue;
    }
    auto skeleton = Skeleton::create("body" + std::to_string(i));
    bool free = joint->kind == SS_JOINT_FREE;
    BodyNode* body = free ? add_free(skeleton.get(), scene, i) : add_slide(skeleton.get(), scene, i);
    set_mass(body, def);
    add_shape(body, engine_geom(scene, i, 0));
    w->number[body] = i;
    w->dart->addSkeleton(skeleton);
    w->body.push_back(body);
  }
  return w;
}

void step(void* world_)
{
  auto* w = static_cast<world*>(world_);
  for (int i = 0; i < w->scene->tree.n_body; i++)
    if (w->body[i] && engine_joint(w->scene, i)->kind == SS_JOINT_SLIDE)
      w->body[i]->getParentJoint()->setForce(0, engine_motor(w->scene, i));
  w->dart->step();
}

void state(void* world_, double* q, double* u)
{
  auto* w = static_cast<world*>(world_);
  for (int i = 0; i < w->scene->tree.n_body; i++) {
    const BodyNode* b = w->body[i];
    if (!b) continue;
    if (engine_joint(w->scene, i)->kind == SS_JOINT_SLIDE) {
      if (q) *q++ = b->getParentJoint()->getPosition(0);
      if (u) *u++ = b->getParentJoint()->getVelocity(0);
      continue;
    }
    const Eigen::Isometry3d& x = b->getWorldTransform();
    Eigen::Quaterniond r(x.linear());
    Eigen::Vector3d v = b->getLinearVelocity(), o = x.linear().transpose()*b->getAngularVelocity();
    for (int k = 0; k < 3 && q; k++) *q++ = x.translation()[k];
    if (q) { *q++ = r.w(); *q++ = r.x(); *q++ = r.y(); *q++ = r.z(); }
    for (int k = 0; k < 3 && u; k++) *u++ = v[k];
    for (int k = 0; k < 3 && u; k++) *u++ = o[k];
  }
}

int number_of(const world* w, const dart::collision::CollisionObject* object)
{
  const auto* node = object->getShapeFrame()->asShapeNode();
  auto found = w->number.find(node->getBodyNodePtr().get());
  return found == w->number.end() ? -1 : found->second;
}

int contacts(void* world_, engine_contact* list, int room)
{
  auto* w = static_cast<world*>(world_);
  const auto& result = w->dart->getLastCollisionResult();
  int n = static_cast<int>(result.getNumContacts());
  for (int i = 0; i < n && i < room && list; i++) {
    const dart::collision::Contact& c = result.getContact(static_cast<std::size_t>(i));
    list[i] = engine_contact{};
    list[i].a = number_of(w, c.collisionObject2);  // the normal points to the first body, the force acts on it
    list[i].b = number_of(w, c.collisionObject1);
    list[i].depth = c.penetrationDepth;
    list[i].mu = engine_geom(w->scene, list[i].b >= 0 ? list[i].b : list[i].a, 0)->friction[0];
    for (int k = 0; k < 3; k++) {
      list[i].point[k] = c.point[k];
      list[i].normal[k] = c.normal[k];
      list[i].impulse[k] = c.force[k]*w->scene->option.timestep;
    }
  }
  return n;
}

void stop(void* world_) { delete static_cast<world*>(world_); }

}  // namespace

extern "C" const engine engine_dart = {"DART", start, step, state, contacts, stop};
