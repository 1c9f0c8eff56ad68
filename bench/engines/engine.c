// What engines ask of a scene.
#include <string.h>
#include "engines/engine.h"

const ss_scene_geom* engine_geom(const ss_scene* scene, int body, int which)
{
  for (int i = 0; i < scene->n_geom; i++)
    if (scene->geom[i].body == body && which-- == 0) return &scene->geom[i];
  return NULL;
}

// Where the numbers of a body begin in q and u
static void find(const ss_scene* scene, int body, int* iq, int* iv)
{
  *iq = *iv = 0;
  for (int i = 0; i < scene->tree.n_joint; i++) {
    const ss_joint_def* j = &scene->tree.joint[i];
    if (j->body == body) return;
    *iq += j->kind == SS_JOINT_FREE ? 7 : 1;
    *iv += j->kind == SS_JOINT_FREE ? 6 : 1;
  }
}

void engine_pose(const ss_scene* scene, int body, double* position, double* quaternion)
{
  int iq, iv;
  const ss_body_def* b = &scene->tree.body[body];
  memcpy(position, b->position, 3*sizeof *position);
  memcpy(quaternion, b->rotation, 4*sizeof *quaternion);
  if (scene->run.key < 0 || engine_joint(scene, body)->kind != SS_JOINT_FREE) return;
  find(scene, body, &iq, &iv);
  memcpy(position, scene->key[scene->run.key].qpos + iq, 3*sizeof *position);
  memcpy(quaternion, scene->key[scene->run.key].qpos + iq + 3, 4*sizeof *quaternion);
}

void engine_velocity(const ss_scene* scene, int body, double* linear, double* angular)
{
  int iq, iv;
  memset(linear, 0, 3*sizeof *linear);
  memset(angular, 0, 3*sizeof *angular);
  if (scene->run.key < 0 || engine_joint(scene, body)->kind != SS_JOINT_FREE) return;
  find(scene, body, &iq, &iv);
  memcpy(linear, scene->key[scene->run.key].qvel + iv, 3*sizeof *linear);
  memcpy(angular, scene->key[scene->run.key].qvel + iv + 3, 3*sizeof *angular);
}

const ss_joint_def* engine_joint(const ss_scene* scene, int body)
{
  for (int i = 0; i < scene->tree.n_joint; i++)
    if (scene->tree.joint[i].body == body) return &scene->tree.joint[i];
  return NULL;
}

double engine_motor(const ss_scene* scene, int body)
{
  for (int i = 0; i < scene->n_actuator && scene->run.key >= 0; i++)
    if (scene->tree.joint[scene->actuator[i].joint].body == body)
      return scene->actuator[i].gain*scene->key[scene->run.key].ctrl[i];
  return 0;
}

double engine_mu(const ss_scene* scene, const ss_scene_geom* a, const ss_scene_geom* b)
{
  ss_scene_pair pair;
  ss_scene_combine(scene, (int)(a - scene->geom), (int)(b - scene->geom), &pair);
  return pair.friction[0];
}
