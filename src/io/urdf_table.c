// URDF as a table, see mjcf_table.c: which elements stand where, which attributes they have, and what becomes of them.
#include <string.h>
#include "io/mjcf_rows.h"
#include "io/urdf.h"

#define OTHER "for other programs; nothing is done with it"
#define GAZEBO "friction, springs and dampers given there are not read; contact lateral_friction and dynamics are"
#define SURFACE "contacts are hard: they have friction and restitution alone"

static const ss_mj_row no_rows[] = {END};

#define S ss_mj_stickslip
static const ss_mj_row stickslip_rows[] = {
  RUN_ROWS(S),
  W(S, "floating", floating, boolean, "false"),
  N(S, "position", position, 3, 3, "0 0 0"),
  N(S, "floor", floor, 1, 1, NULL),
  N(S, "timestep", timestep, 1, 1, "0.002"),
  N(S, "gravity", gravity, 3, 3, "0 0 -9.81"),
  N(S, "friction", friction, 1, 1, "1"),
  N(S, "restitution", restitution, 1, 1, "0"),
  W(S, "selfcontact", selfcontact, boolean, "true"),
  W(S, "balanceinertia", balanceinertia, boolean, "false"),
  END};
#undef S

#define S ss_urdf_head
static const char* const joint_types[] = {"revolute", "continuous", "prismatic", "fixed", "floating", "planar", NULL};
static const ss_mj_row link_rows[] = {RT(S, "name", name), UNUSED("type", OTHER), END};
static const ss_mj_row joint_rows[] = {RT(S, "name", name), RW(S, "type", type, joint_types), END};
static const ss_mj_row collision_rows[] = {T(S, "name", name), END};
#undef S

#define S ss_urdf_origin
static const ss_mj_row origin_rows[] = {N(S, "xyz", xyz, 3, 3, "0 0 0"), N(S, "rpy", rpy, 3, 3, "0 0 0"), END};
#undef S

#define S ss_urdf_one
static const ss_mj_row value_rows[] = {RN(S, "value", value, 1, 1), END};
static const ss_mj_row linked_rows[] = {RT(S, "link", value), END};
static const ss_mj_row axis_rows[] = {N(S, "xyz", value, 3, 3, "1 0 0"), END};
#undef S

#define S ss_urdf_inertia
static const ss_mj_row inertia_rows[] = {
  RN(S, "ixx", xx, 1, 1), RN(S, "iyy", yy, 1, 1), RN(S, "izz", zz, 1, 1), N(S, "ixy", xy, 1, 1, "0"),
  N(S, "ixz", xz, 1, 1, "0"), N(S, "iyz", yz, 1, 1, "0"), END};
#undef S

#define S ss_urdf_shape
static const ss_mj_row box_rows[] = {RN(S, "size", size, 3, 3), END};
static const ss_mj_row round_rows[] = {RN(S, "radius", radius, 1, 1), RN(S, "length", length, 1, 1), END};
static const ss_mj_row sphere_rows[] = {RN(S, "radius", radius, 1, 1), END};
static const ss_mj_row mesh_rows[] = {RT(S, "filename", filename), N(S, "scale", scale, 3, 3, "1 1 1"), END};
#undef S

#define S ss_urdf_limits
static const ss_mj_row limit_rows[] = {
  N(S, "lower", lower, 1, 1, "0"), N(S, "upper", upper, 1, 1, "0"),
  UNUSED("effort", "a URDF file has no drives whose forces it would limit"),
  IGNORE("velocity", "0", "velocities are not limited"), IGNORE("acceleration", "0", "accelerations are not limited"),
  IGNORE("jerk", "0", "accelerations are not limited"), END};
#undef S

#define S ss_urdf_dynamics
static const ss_mj_row dynamics_rows[] = {
  N(S, "damping", damping, 1, 1, "0"), N(S, "friction", friction, 1, 1, "0"),
  IGNORE("spring_stiffness", "0", "joints have no springs"), IGNORE("spring_reference", "0", "joints have no springs"),
  END};
#undef S

#define S ss_urdf_mimic
static const ss_mj_row mimic_rows[] = {
  RT(S, "joint", joint), N(S, "multiplier", multiplier, 1, 1, "1"), N(S, "offset", offset, 1, 1, "0"), END};
#undef S

#define PART(place, name, rows) READ(place, name, rows, NOWHERE, NULL, BODIES, NULL)

static const ss_mj_element elements[] = {
  READ(ROBOT, "link", link_rows, IN_LINK, NULL, BODIES, NULL),
  READ(ROBOT, "joint", joint_rows, IN_LINK_JOINT, NULL, BODIES, NULL),
  READ(ROBOT, "stickslip", stickslip_rows, NOWHERE, NULL, RUN, ss_mj_read_stickslip),
  SKIP(ROBOT, "material", UNUSED, PICTURE),
  SKIP(ROBOT, "transmission", UNUSED, "there are no drives; joints move freely"),
  SKIP(ROBOT, "gazebo", IGNORED, GAZEBO),
  SKIP(ROBOT, "mujoco", UNUSED, OTHER),
  SKIP(ROBOT, "sensor", UNUSED, "there are no sensors; records hold the motion and the forces"),
  SKIP(ROBOT, "ros2_control", UNUSED, OTHER),
  SKIP(ROBOT, "group", UNUSED, OTHER),
  SKIP(ROBOT, "group_state", UNUSED, OTHER),
  SKIP(ROBOT, "disable_collisions", IGNORED, "shapes of this file touch unless their links are next to one another"),
  SKIP(ROBOT, "loop_joint", IGNORED, "loops cannot be closed by this element"),

  READ(LINK, "inertial", no_rows, IN_LINK_INERTIAL, NULL, BODIES, NULL),
  READ(LINK, "collision", collision_rows, IN_COLLISION, NULL, BODIES, NULL),
  READ(LINK, "contact", no_rows, IN_LINK_CONTACT, NULL, BODIES, NULL),
  SKIP(LINK, "visual", UNUSED, PICTURE),
  SKIP(LINK, "material", UNUSED, PICTURE),
  SKIP(LINK, "gazebo", IGNORED, GAZEBO),
  SKIP(LINK, "sensor", UNUSED, "there are no sensors; records hold the motion and the forces"),

  PART(LINK_INERTIAL, "origin", origin_rows),
  PART(LINK_INERTIAL, "mass", value_rows),
  PART(LINK_INERTIAL, "inertia", inertia_rows),

  PART(LINK_CONTACT, "lateral_friction", value_rows),
  PART(LINK_CONTACT, "restitution", value_rows),
  SKIP(LINK_CONTACT, "rolling_friction", IGNORED, "there is no friction against spin and rolling"),
  SKIP(LINK_CONTACT, "spinning_friction", IGNORED, "there is no friction against spin and rolling"),
  SKIP(LINK_CONTACT, "stiffness", UNUSED, SURFACE),
  SKIP(LINK_CONTACT, "damping", UNUSED, SURFACE),
  SKIP(LINK_CONTACT, "contact_cfm", UNUSED, SURFACE),
  SKIP(LINK_CONTACT, "contact_erp", UNUSED, SURFACE),
  SKIP(LINK_CONTACT, "inertia_scaling", IGNORED, "inertias are those of the file"),

  PART(COLLISION, "origin", origin_rows),
  READ(COLLISION, "geometry", no_rows, IN_GEOMETRY, NULL, BODIES, NULL),
  SKIP(COLLISION, "material", UNUSED, PICTURE),
  SKIP(COLLISION, "verbose", UNUSED, OTHER),
  SKIP(COLLISION, "contact_coefficients", IGNORED, SURFACE),

  PART(GEOMETRY, "box", box_rows),
  PART(GEOMETRY, "cylinder", round_rows),
  PART(GEOMETRY, "capsule", round_rows),
  PART(GEOMETRY, "sphere", sphere_rows),
  PART(GEOMETRY, "mesh", mesh_rows),

  PART(LINK_JOINT, "origin", origin_rows),
  PART(LINK_JOINT, "parent", linked_rows),
  PART(LINK_JOINT, "child", linked_rows),
  PART(LINK_JOINT, "axis", axis_rows),
  PART(LINK_JOINT, "limit", limit_rows),
  PART(LINK_JOINT, "dynamics", dynamics_rows),
  PART(LINK_JOINT, "mimic", mimic_rows),
  SKIP(LINK_JOINT, "safety_controller", UNUSED, "there are no drives whose limits it would set"),
  SKIP(LINK_JOINT, "calibration", UNUSED, OTHER),
  SKIP(LINK_JOINT, "gazebo", IGNORED, GAZEBO),
};

const ss_mj_element* ss_urdf_table(int* n)
{
  *n = (int)(sizeof elements/sizeof *elements);
  return elements;
}
