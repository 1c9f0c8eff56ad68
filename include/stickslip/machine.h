// A scene made to move: bodies, joints, shapes, loops and drives of an ss_scene as an ss_system, in minimal coordinates
// and without matrices (docs/machines.md).
#ifndef STICKSLIP_MACHINE_H
#define STICKSLIP_MACHINE_H

#include <stickslip/scene.h>
#include <stickslip/shape.h>
#include <stickslip/system.h>
#include <stickslip/tree.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A system with all that it needs. Constant but for its controls.
typedef struct ss_machine ss_machine;

/// Makes a machine; the scene is not needed afterwards. NULL and *error (with the line in the scene's file where one is
/// concerned) if nothing can move, or if shapes could touch between which contacts cannot be found.
SS_API ss_machine* ss_machine_create(const ss_scene* scene, ss_error* error);
SS_API void ss_machine_destroy(ss_machine* machine);  ///< NULL is fine; no workspace may be in use any more

SS_API const ss_system* ss_machine_system(const ss_machine* machine);      ///< lives as long as the machine
SS_API const ss_tree* ss_machine_tree(const ss_machine* machine);          ///< likewise
SS_API const ss_collider* ss_machine_collider(const ss_machine* machine);  ///< likewise; NULL if nothing can touch

/// Sets the inputs of the actuators, in the order of the scene; at first they are those of the keyframe that the scene
/// starts from, or zero. Not while a step of any thread goes on. SS_ERR_ARGUMENT if one is not finite.
SS_API ss_status ss_machine_control(ss_machine* machine, const double* ctrl);
SS_API int ss_machine_controls(const ss_machine* machine);  ///< how many there are

/// Poses of all bodies (as many as the tree has) at q, for pictures. `work` is one of the machine's tree; its position
/// is set to q.
SS_API void ss_machine_poses(const ss_machine* machine, ss_tree_work* work, const double* q, ss_pose* pose);

/// tau (nv) = a force (world axes, N) on a body, at a point in the world, as ss_step_def.force has it. `work` is one of
/// the machine's tree, its position set. SS_ERR_ARGUMENT, tau as it was, if there is no such body or a number is not
/// finite.
SS_API ss_status ss_machine_push(const ss_machine* machine, ss_tree_work* work, int body, const double point[3],
                                 const double force[3], double* tau);

/// What dampers add to the diagonal of M in a time step (docs/integrators.md), so that they act with a velocity between
/// its start and its end: nv numbers, added*(u_E - u_A) is the impulse that they lack beside -d u_A dt.
SS_API void ss_machine_implicit(const ss_machine* machine, double dt, double* added);

/// The unit of the force in a row of a loop (ss_system_def.bilateral_name): "N" or "N m".
SS_API const char* ss_machine_loop_unit(const ss_machine* machine, int row);

/// The law of a contact by its key (ss_run_info, ss_work_contact_key()): two geoms that touch. NULL for limits and
/// friction of joints, and for keys of another machine.
SS_API const ss_contact_def* ss_machine_contact_law(const ss_machine* machine, uint64_t key);

/// The machine of a model that was read from a scene, as long as the model lives; NULL for text models.
SS_API const ss_machine* ss_model_machine(const ss_model* model);

#ifdef __cplusplus
}
#endif
#endif
