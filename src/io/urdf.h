// The reader of URDF: a table like that of MJCF (urdf_table.c), the tree of links (urdf.c), what a link has
// (urdf_link.c) and how a joint moves it (urdf_joint.c). It fills the same scene with the same tools.
#ifndef SS_IO_URDF_H
#define SS_IO_URDF_H

#include "io/mjcf.h"

// The structs that the rows fill
typedef struct ss_urdf_one { ss_mj_value value; } ss_urdf_one;
typedef struct ss_urdf_origin { ss_mj_value xyz, rpy; } ss_urdf_origin;
typedef struct ss_urdf_inertia { ss_mj_value xx, yy, zz, xy, xz, yz; } ss_urdf_inertia;
typedef struct ss_urdf_shape { ss_mj_value size, radius, length, filename, scale; } ss_urdf_shape;
typedef struct ss_urdf_head { ss_mj_value name, type; } ss_urdf_head;
typedef struct ss_urdf_limits { ss_mj_value lower, upper; } ss_urdf_limits;
typedef struct ss_urdf_dynamics { ss_mj_value damping, friction; } ss_urdf_dynamics;
typedef struct ss_urdf_mimic { ss_mj_value joint, multiplier, offset; } ss_urdf_mimic;

/// In the order of the words of the table.
typedef enum ss_urdf_type {
  SS_URDF_REVOLUTE, SS_URDF_CONTINUOUS, SS_URDF_PRISMATIC, SS_URDF_FIXED, SS_URDF_FLOATING, SS_URDF_PLANAR
} ss_urdf_type;

typedef struct ss_urdf_link {
  const ss_xml_node* node;
  const char* name;
  int joint;        ///< the one that moves it, -1: none, it is the root
  int first, next;  ///< joints: the first one below it; of these, see ss_urdf_joint
  int body;         ///< number in the scene, SS_WORLD if it is the world, -2: not reached yet
} ss_urdf_link;

typedef struct ss_urdf_joint {
  const ss_xml_node* node;
  const char* name;
  ss_urdf_type type;
  int parent, child;  ///< links
  int next;           ///< the next one below the same parent, -1: none
  int first;          ///< number of its first joint in the scene, -1: none
} ss_urdf_joint;

typedef struct ss_urdf {
  ss_mjcf* r;
  int n_link, link_room, n_joint, joint_room;
  ss_urdf_link* link;
  ss_urdf_joint* joint;
  ss_mj_stickslip set;  ///< the section <stickslip>
} ss_urdf;

/// The child of that name; NULL if there is none. An error if it stands twice.
ss_status ss_urdf_child(ss_mjcf* r, const ss_xml_node* node, const char* name, const ss_xml_node** child);
/// The same, with its attributes; *found (may be NULL): it is there. What is not there has the defaults of the table.
ss_status ss_urdf_read_child(ss_mjcf* r, const ss_xml_node* node, ss_mj_place place, const char* name, void* out,
                             const ss_xml_node** found);
/// <origin>: xyz, and rpy about axes that stay, x first.
ss_status ss_urdf_pose(ss_mjcf* r, const ss_xml_node* node, ss_mj_place place, ss_vec3* position, ss_quat* rotation);

/// Mass and shapes of the body of a link.
ss_status ss_urdf_read_link(ss_urdf* u, const ss_urdf_link* link);
/// Joints of its body, as many as the type needs.
ss_status ss_urdf_move_link(ss_urdf* u, ss_urdf_joint* joint, int body);
/// <mimic>, after all joints are there.
ss_status ss_urdf_read_mimic(ss_urdf* u, const ss_urdf_joint* joint);

#endif
