// The reader of MJCF: a table of elements and attributes (mjcf_table.c), a pass that checks the file against it, and
// handlers that turn elements into a scene.
#ifndef SS_IO_MJCF_H
#define SS_IO_MJCF_H

#include <stickslip/scene.h>
#include "io/mesh.h"
#include "io/mjcf_pool.h"
#include "io/xml.h"
#include "math/vec3.h"

/// Bodies, geoms, ... of each kind that a scene may have; replicate could ask for any number.
#define SS_MJ_MOST 100000

// ---- the table -----------------------------------------------------------------------------------------------------

typedef enum ss_mj_type {
  SS_MJ_TEXT,
  SS_MJ_NUMBERS,  ///< least..most numbers
  SS_MJ_WHOLE,    ///< likewise, without fractions
  SS_MJ_WORD,     ///< one of words
  SS_MJ_LIST,     ///< numbers of any count, read by the handler
} ss_mj_type;

/// An attribute: one row of the table.
typedef struct ss_mj_row {
  const char* name;
  ss_mj_type type;
  int least, most;
  const char* fallback;  ///< its default; of what is not honoured: the value that needs no notice. NULL: none
  int field;             ///< number of the ss_mj_value in the struct of the element; -1 if it is not honoured
  ss_scene_fate fate;
  const char* why;               ///< of what is not honoured
  const char* const* words;      ///< SS_MJ_WORD: ended by NULL
  bool required;                 ///
} ss_mj_row;

/// Where an element stands.
typedef enum ss_mj_place {
  SS_MJ_IN_FILE,
  SS_MJ_IN_MODEL,
  SS_MJ_IN_COMPILER,
  SS_MJ_IN_OPTION,
  SS_MJ_IN_DEFAULT,
  SS_MJ_IN_ASSET,
  SS_MJ_IN_BODY,
  SS_MJ_IN_CONTACT,
  SS_MJ_IN_EQUALITY,
  SS_MJ_IN_TENDON,
  SS_MJ_IN_FIXED,
  SS_MJ_IN_ACTUATOR,
  SS_MJ_IN_KEYFRAME,
  SS_MJ_IN_SENSOR,
  // URDF
  SS_MJ_IN_ROBOT,
  SS_MJ_IN_LINK,
  SS_MJ_IN_LINK_JOINT,
  SS_MJ_IN_LINK_INERTIAL,
  SS_MJ_IN_LINK_CONTACT,
  SS_MJ_IN_COLLISION,
  SS_MJ_IN_GEOMETRY,
  SS_MJ_NOWHERE,  ///< as the place of children: there are none
} ss_mj_place;

/// Sections are read in this order, so that names are known where they are used.
typedef enum ss_mj_stage {
  SS_MJ_SETTINGS,   ///< compiler, option, default
  SS_MJ_ASSETS,     ///
  SS_MJ_BODIES,     ///
  SS_MJ_TENDONS,    ///
  SS_MJ_RELATIONS,  ///< contact, equality, actuator
  SS_MJ_STATES,     ///< keyframe, sensor
  SS_MJ_RUN,        ///< stickslip
  SS_MJ_STAGES
} ss_mj_stage;

typedef struct ss_mjcf ss_mjcf;

/// The surroundings of an element of the tree.
typedef struct ss_mj_scope {
  int body;            ///< the body that its pose refers to
  ss_vec3 position;    ///< of the frames in between, in that body
  ss_quat rotation;    ///
  int childclass;      ///< default class of elements without one, -1: that of the outermost
  const char* suffix;  ///< of names, from replicate
} ss_mj_scope;

typedef struct ss_mj_element ss_mj_element;
struct ss_mj_element {
  ss_mj_place place;
  const char* name;
  const ss_mj_row* rows;  ///< ended by a row without name; NULL: attributes are not looked at
  ss_mj_place inside;     ///< the place of its children; SS_MJ_NOWHERE: they are not looked at
  ss_scene_fate fate;     ///
  const char* why;        ///< of what is not honoured, or refused
  bool refused;           ///< the scene would be another one without it
  const char* group;      ///< kind in paths and defaults if it differs from the name: "actuator", "equality", "joint"
  ss_mj_stage stage;      ///
  /// NULL: only its children are read (frames and replicas by the body around them)
  ss_status (*read)(ss_mjcf* r, const ss_xml_node* node, const ss_mj_element* e, const ss_mj_scope* scope);
};

/// The element of this name there; NULL if there is none.
const ss_mj_element* ss_mj_element_find(ss_mj_place place, const char* name);
/// The nearest name of an element there, NULL if none is near; of an attribute likewise.
const char* ss_mj_element_near(ss_mj_place place, const char* name);
const char* ss_mj_row_near(const ss_mj_element* e, const char* name);
const ss_mj_row* ss_mj_row_find(const ss_mj_element* e, const char* name);

// ---- values --------------------------------------------------------------------------------------------------------

/// The value of an attribute: of the element, of its default class, or the table's.
typedef struct ss_mj_value {
  const char* text;  ///< NULL: none
  int n;             ///< numbers
  double v[10];
  int word;   ///< number of the word
  int level;  ///< 0: stands in the element itself, 1, 2, ...: in its class, in that one's parent; -1: the table's
  int line;
  const ss_override* override;  ///< where it comes from, NULL: from the file
} ss_mj_value;

/// A position and the five ways to give an orientation.
typedef struct ss_mj_pose { ss_mj_value pos, quat, axisangle, xyaxes, zaxis, euler; } ss_mj_pose;

// The structs that the rows fill. All members are ss_mj_value or made of them.
typedef struct ss_mj_body { ss_mj_value name, childclass; ss_mj_pose pose; } ss_mj_body;
typedef struct ss_mj_replicate { ss_mj_value count, sep, offset, euler; } ss_mj_replicate;
typedef struct ss_mj_inertial { ss_mj_pose pose; ss_mj_value mass, diaginertia, fullinertia; } ss_mj_inertial;
typedef struct ss_mj_joint {
  ss_mj_value name, class, type, pos, axis, limited, range, stiffness, springref, damping, ref, armature, frictionloss;
} ss_mj_joint;
typedef struct ss_mj_geom {
  ss_mj_value name, class, type, size, contype, conaffinity, condim, priority, group, friction, mass, density, margin,
    gap, fromto, mesh, hfield, fitscale, restitution, tangential;
  ss_mj_pose pose;
} ss_mj_geom;
typedef struct ss_mj_site { ss_mj_value name, class, fromto, type, size; ss_mj_pose pose; } ss_mj_site;
typedef struct ss_mj_mesh { ss_mj_value name, class, file, vertex, face, scale, refpos, refquat; } ss_mj_mesh;
typedef struct ss_mj_hfield { ss_mj_value name, file, nrow, ncol, elevation, size; } ss_mj_hfield;
typedef struct ss_mj_compiler {
  ss_mj_value autolimits, boundmass, boundinertia, settotalmass, balanceinertia, coordinate, angle, eulerseq,
    inertiafromgeom, inertiagrouprange, strippath, meshdir, assetdir, fitaabb;
} ss_mj_compiler;
typedef struct ss_mj_option { ss_mj_value timestep, gravity, integrator, cone; } ss_mj_option;
typedef struct ss_mj_flag {
  ss_mj_value constraint, equality, frictionloss, limit, contact, passive, spring, damper, gravity, clampctrl,
    filterparent, actuation;
} ss_mj_flag;
typedef struct ss_mj_stickslip {
  ss_mj_value scheme, solver, cone, facets, impact, limited, order, tolerance, compliance, iterations, project, until,
    key, coordinates;
  // of robots (URDF) alone
  ss_mj_value floating, position, floor, timestep, gravity, friction, restitution, selfcontact, balanceinertia;
} ss_mj_stickslip;
typedef struct ss_mj_exclude { ss_mj_value name, body1, body2; } ss_mj_exclude;
typedef struct ss_mj_pair {
  ss_mj_value name, class, geom1, geom2, condim, friction, margin, gap, restitution, tangential, direction, polygon,
    at_rest, bound, law;
} ss_mj_pair;
typedef struct ss_mj_equality {
  ss_mj_value name, class, active, body1, body2, anchor, site1, site2, relpose, torquescale, joint1, joint2, polycoef,
    tendon1, tendon2;
} ss_mj_equality;
typedef struct ss_mj_actuator {
  ss_mj_value name, class, ctrllimited, ctrlrange, forcelimited, forcerange, gear, joint, jointinparent, tendon, site,
    body, cranksite, kp, kv, inheritrange, dyntype, gaintype, biastype, gainprm, biasprm;
} ss_mj_actuator;
typedef struct ss_mj_tendon {
  ss_mj_value name, class, limited, range, stiffness, springlength, damping, frictionloss;
} ss_mj_tendon;
typedef struct ss_mj_term { ss_mj_value joint, coef; } ss_mj_term;
typedef struct ss_mj_key { ss_mj_value name, time, qpos, qvel, ctrl; } ss_mj_key;

typedef struct ss_mj_sensor {
  ss_mj_value name, cutoff, joint, tendon, actuator, site, body, objtype, objname, reftype, refname;
} ss_mj_sensor;

/// Reads the attributes of an element into its struct (out), with the defaults of the class.
ss_status ss_mj_read(ss_mjcf* r, const ss_xml_node* node, const ss_mj_element* e, int class, void* out);
/// Reads what an attribute of the element says, as its row wants it, for the sake of errors.
ss_status ss_mj_read_unused(ss_mjcf* r, const ss_mj_element* e, const ss_mj_row* row, const ss_xml_attribute* a);
/// The numbers of a SS_MJ_LIST, from the scene's memory; *n is their count.
ss_status ss_mj_list(ss_mjcf* r, const ss_xml_node* node, const char* name, const ss_mj_value* v, int* n,
                     double** list);
/// Whether a range is given: "0 0" is none, so that files can undo that of a class.
static inline bool ss_mj_has_range(const ss_mj_value* range)
{
  return range->text && (range->v[0] != 0 || range->v[1] != 0);
}
/// Adds the place to the error: "geom 'ball'" is not said, the line is. Return SS_ERR_INPUT.
ss_status ss_mj_error_at(ss_mjcf* r, const ss_xml_node* node, const char* format, ...) SS_PRINTF(3, 4);
ss_status ss_mj_error_of(ss_mjcf* r, const ss_mj_value* v, const char* format, ...) SS_PRINTF(3, 4);
ss_status ss_mj_memory(ss_mjcf* r);

// ---- the reader ----------------------------------------------------------------------------------------------------

/// Kinds of things with names.
typedef enum ss_mj_kind {
  SS_MJ_BODY, SS_MJ_JOINT, SS_MJ_GEOM, SS_MJ_SITE, SS_MJ_MESH, SS_MJ_EQUALITY, SS_MJ_ACTUATOR, SS_MJ_PAIR,
  SS_MJ_EXCLUDE, SS_MJ_KEY, SS_MJ_CLASS, SS_MJ_LINK, SS_MJ_LINK_JOINT, SS_MJ_TENDON, SS_MJ_HFIELD,
  SS_MJ_SENSOR,
  SS_MJ_KINDS
} ss_mj_kind;

/// A hash table of names, by kind.
typedef struct ss_mj_names {
  struct ss_mj_name { const char* name; int kind, number; }* slot;
  int n, capacity;
} ss_mj_names;

/// A default class: its parent (-1: none) and its elements, one of each name, with all attributes that were given; what
/// was given last comes last.
typedef struct ss_mj_class {
  const char* name;
  int parent;
  ss_xml_node* element;
} ss_mj_class;

/// What a body needs until its mass is known.
typedef struct ss_mj_mass {
  bool inertial;       ///< given
  bool moves;          ///< it, or a body above it, has a joint
  int mesh_geom;       ///< a geom whose mass is not known, -1: none
} ss_mj_mass;

/// The word of a geom's type behind those of ss_scene_shape.
#define SS_MJ_POLYGON SS_SCENE_SHAPES

/// How a file is to be understood.
typedef struct ss_mj_settings {
  bool degree, autolimits, strippath, fitaabb;
  char eulerseq[4];
  const char* folder;   ///< of the file, with '/' behind it; "" if it is the current one
  const char* meshdir;  ///< of meshes, below it; "" if none
} ss_mj_settings;

struct ss_mjcf {
  ss_xml* xml;
  int n_part, part_room;
  ss_xml** part;  // files that were included or attached
  int n_line;     // of all files so far
  int n_copied;   // elements of what is attached
  const char* file;
  int n_override;
  const ss_override* override;
  ss_error* error;
  struct ss_mj_scene* out;
  ss_mj_names names;
  int n_class, class_room;
  ss_mj_class* class;
  ss_mj_settings set;
  // other settings of the compiler
  bool balance;
  int inertiafromgeom;  // 0: false, 1: true, 2: auto
  double boundmass, boundinertia, settotalmass;
  int inertiagroup[2];
  // flags of the option
  bool gravity, spring, damper, limit, frictionloss, equality;
  ss_mj_mass* mass;  // n_body
  int mass_room;
  bool has_until;     // the end time stands in the file
  int n_replica;      // of all replicates
  int n_control;      // actuators of the file, read or not
  int* control;       // n_control: number in the scene, -1 if not read
  int control_room;
};

/// Volume, centre, and inertia per density about the centre.
typedef struct ss_mj_solid { double volume; ss_vec3 centre; ss_sym3 inertia; } ss_mj_solid;

/// What is known of a mesh beyond what the scene tells.
typedef struct ss_mj_mesh_info {
  ss_mj_solid solid;
  ss_mesh_surface surface;
  const ss_error* failed;  ///< why its file was not read; NULL: it was
  bool concave_told;
  double scale[3];
} ss_mj_mesh_info;

/// A scene with room to grow. The public part comes first.
typedef struct ss_mj_scene {
  ss_scene scene;
  ss_pool pool;
  ss_body_def* body;
  ss_joint_def* joint;
  int *body_line, *joint_line;
  ss_scene_mass* mass_from;
  ss_scene_geom* geom;
  ss_scene_mesh* mesh;
  ss_mj_mesh_info* info;  // of the meshes
  ss_scene_hfield* hfield;
  ss_scene_site* site;
  ss_scene_equality* equality;
  ss_scene_tendon* tendon;
  ss_scene_actuator* actuator;
  ss_scene_exclude* exclude;
  ss_scene_pair* pair;
  ss_scene_key* key;
  ss_scene_sensor* sensor;
  ss_scene_notice* notice;
  ss_scene_source* source;
  ss_scene_parameter* parameter;
  double* reference;  // nq: the pose of the file
  int body_room, joint_room, body_line_room, joint_line_room, geom_room, mesh_room, info_room, site_room;
  int hfield_room;
  int equality_room, tendon_room, actuator_room, exclude_room, pair_room, key_room, notice_room;
  int source_room, parameter_room, sensor_room;
} ss_mj_scene;

/// Room for one more than n in an array of so many bytes each. False if memory is short.
bool ss_mj_grow(void** array, int* room, int n, size_t size);
#define SS_MJ_GROW(array, room, n) ss_mj_grow((void**)&(array), &(room), (n), sizeof *(array))

/// Adds a name; an error (at the value, or the node) if it is taken.
ss_status ss_mj_name_add(ss_mjcf* r, ss_mj_kind kind, const char* name, int number, const ss_xml_node* node);
/// The number of that name, -1 if there is none; the world is SS_WORLD and a body.
int ss_mj_name_get(const ss_mjcf* r, ss_mj_kind kind, const char* name);
/// The number that a value refers to; an error with a suggestion if there is none.
ss_status ss_mj_refer(ss_mjcf* r, ss_mj_kind kind, const ss_mj_value* v, const char* attribute, int* number);
/// The name of a thing: what the file says with the suffix, or "#number"; registered.
ss_status ss_mj_name(ss_mjcf* r, ss_mj_kind kind, const ss_mj_value* v, const char* suffix, int number,
                     const ss_xml_node* node, const char** name);

#define SS_MJ_MARGIN "shapes touch where their surfaces meet, not at a distance"

/// One more of what the file asks for and does not get. The texts must last.
ss_status ss_mj_notice(ss_mjcf* r, ss_scene_fate fate, const char* element, const char* attribute, const char* why,
                       int line, int count);

/// The class of an element: its own, else that of the scope, else the outermost.
ss_status ss_mj_class_of(ss_mjcf* r, const ss_xml_node* node, const ss_mj_scope* scope, int* class);
ss_status ss_mj_read_default(ss_mjcf* r, const ss_xml_node* node, const ss_mj_element* e, const ss_mj_scope* scope);

/// Files (mjcf_source.c): the scene's own as the first one; another one, asked for by an element, with its lines behind
/// those of the others; <include> everywhere below root, which was read from path in folder.
ss_status ss_mj_main_source(ss_mjcf* r, const char* text, size_t length);
ss_status ss_mj_open(ss_mjcf* r, const ss_xml_node* by, const char* path, ss_xml_node** root);
ss_status ss_mj_include(ss_mjcf* r, ss_xml_node* root, const char* path, const char* folder);
/// The folder of a file with '/' behind it, "" if it is the current one; NULL if memory is short.
const char* ss_mj_folder(ss_mjcf* r, const char* file);

/// <attach> by copies of other models (mjcf_attach.c); their nodes have their ss_mj_settings as context.
ss_status ss_mj_attach(ss_mjcf* r);

/// Overrides into the tree of the file (mjcf_path.c), and the list of what can be overridden.
ss_status ss_mj_override(ss_mjcf* r);
ss_status ss_mj_parameters(ss_mjcf* r);

/// Position and rotation that the attributes give (mjcf_pose.c).
ss_status ss_mj_pose_get(ss_mjcf* r, const ss_xml_node* node, const ss_mj_pose* pose, ss_vec3* position,
                         ss_quat* rotation);
ss_quat ss_mj_euler(const ss_mjcf* r, const double angle[3]);
/// The least turn that takes z to the direction of a. False if a has none.
bool ss_mj_from_z(ss_vec3 a, ss_quat* q);
/// Rotation and pose of (position, rotation) in the frame of the scope.
void ss_mj_in_scope(const ss_mj_scope* scope, ss_vec3* position, ss_quat* rotation);

/// Of shapes: mjcf_mass.c, of meshes: mjcf_mesh.c.
ss_mj_solid ss_mj_shape_solid(ss_scene_shape shape, const double size[3]);
/// False if the mesh has no volume. A surface that is not closed counts as its convex hull.
bool ss_mj_mesh_solid(const ss_scene_mesh* mesh, ss_mesh_surface surface, ss_mj_solid* solid);
/// A mesh of the scene from a file (mjcf_asset.c). If the file cannot be read, that is kept until it is needed. frame:
/// refpos and refquat of the mesh, 7 numbers. The name may be NULL; it must be free.
ss_status ss_mj_add_mesh_file(ss_mjcf* r, const ss_xml_node* node, const ss_mj_value* name, const char* path,
                              const double scale[3], const double frame[7], int* number);
/// The file of a mesh or height field: below meshdir, which is below the folder of the scene; an error if that is long.
ss_status ss_mj_asset_path(ss_mjcf* r, const ss_mj_value* file, char* path, size_t size);
/// The name of what is read from a file and has none
const char* ss_mj_name_of_file(ss_mjcf* r, const char* file);
/// The error of a mesh that is needed and was not read.
ss_status ss_mj_mesh_failed(ss_mjcf* r, int mesh);
/// After all geoms and pairs are known: meshes that touch must have been read; others need not.
ss_status ss_mj_check_meshes(ss_mjcf* r);
/// What a shape that could touch others does not do yet, as a notice.
ss_status ss_mj_tell_shape(ss_mjcf* r, const ss_scene_geom* g);
/// Masses of all bodies from their geoms, bounds and total mass.
ss_status ss_mj_masses(ss_mjcf* r);

/// Elements of the table (mjcf_settings.c, mjcf_body.c, mjcf_relation.c).
#define SS_MJ_HANDLER(name) \
  ss_status name(ss_mjcf* r, const ss_xml_node* node, const ss_mj_element* e, const ss_mj_scope* scope)
SS_MJ_HANDLER(ss_mj_read_compiler);
SS_MJ_HANDLER(ss_mj_read_option);
SS_MJ_HANDLER(ss_mj_read_flag);
SS_MJ_HANDLER(ss_mj_read_stickslip);
SS_MJ_HANDLER(ss_mj_read_mesh);
SS_MJ_HANDLER(ss_mj_read_hfield);
SS_MJ_HANDLER(ss_mj_read_world);
SS_MJ_HANDLER(ss_mj_read_body);
SS_MJ_HANDLER(ss_mj_read_inertial);
SS_MJ_HANDLER(ss_mj_read_joint);
SS_MJ_HANDLER(ss_mj_read_freejoint);
SS_MJ_HANDLER(ss_mj_read_geom);
SS_MJ_HANDLER(ss_mj_read_site);
SS_MJ_HANDLER(ss_mj_read_exclude);
SS_MJ_HANDLER(ss_mj_read_pair);
SS_MJ_HANDLER(ss_mj_read_equality);
SS_MJ_HANDLER(ss_mj_read_tendon);
SS_MJ_HANDLER(ss_mj_read_actuator);
SS_MJ_HANDLER(ss_mj_read_key);
SS_MJ_HANDLER(ss_mj_read_sensor);

/// An equality of tendons as one of joints, or not active with a notice (mjcf_tendon.c).
ss_status ss_mj_tie_tendons(ss_mjcf* r, const ss_xml_node* node, const ss_mj_equality* v, ss_scene_equality* q);

/// The table of URDF, and the robot that is read by it (urdf.c): bodies, joints, geoms, equalities; its start.
const ss_mj_element* ss_urdf_table(int* n);
ss_status ss_urdf_read(ss_mjcf* r);
ss_status ss_urdf_start(ss_mjcf* r);

/// Every element and attribute against the table: what is unknown is an error, what is not honoured a notice.
ss_status ss_mj_check(ss_mjcf* r);

#endif
