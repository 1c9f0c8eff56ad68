// An engine that simulates a scene, as bench_engines sees it: one row of functions per engine. Scenes here are simple:
// every body hangs on the world by a free joint, or by a slide that a motor pushes, and has one geom; the world has
// planes, boxes and capsules.
#ifndef BENCH_ENGINE_H
#define BENCH_ENGINE_H

#include <stickslip/machine.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A contact of the last step, as the engine tells it
typedef struct engine_contact {
  int a, b;           ///< bodies, -1: the world
  double point[3];    ///< in the world, m
  double normal[3];   ///< from a to b
  double impulse[3];  ///< on b over the step, in the world, N s
  double depth;       ///< overlap, m
  double mu;
} engine_contact;

typedef struct engine {
  const char* name;
  /// A world at the start of the scene, with the engine's defaults and no sleeping; NULL if it cannot.
  void* (*open)(const ss_scene* scene);
  void (*step)(void* world);                          ///< one step of option.timestep
  void (*state)(void* world, double* q, double* u);   ///< as the scene has them; either may be NULL
  int (*contacts)(void* world, engine_contact* list, int room);  ///< how many there are; NULL list: count only
  void (*close)(void* world);
} engine;

extern const engine engine_ours, engine_mujoco, engine_mujoco_elliptic, engine_bullet, engine_ode, engine_ode_quick,
                    engine_dart;

/// Geom of a body (-1: of the world, number `which`); NULL if none.
const ss_scene_geom* engine_geom(const ss_scene* scene, int body, int which);
/// Pose of a body at the start: position and quaternion (w first), the slide at zero.
void engine_pose(const ss_scene* scene, int body, double* position, double* quaternion);
/// Velocity of a body at the start: of its origin in world axes, and of turning in body axes.
void engine_velocity(const ss_scene* scene, int body, double* linear, double* angular);
/// The joint of a body; free or slide.
const ss_joint_def* engine_joint(const ss_scene* scene, int body);
/// Force of the motor on the slide of a body, 0 if none, N.
double engine_motor(const ss_scene* scene, int body);
/// mu of geoms a and b
double engine_mu(const ss_scene* scene, const ss_scene_geom* a, const ss_scene_geom* b);

#ifdef __cplusplus
}
#endif
#endif
