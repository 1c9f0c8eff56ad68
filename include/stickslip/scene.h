// Scenes as plain data: bodies, joints, shapes, loops and drives, read from MJCF (docs/mjcf.md) or URDF files
// (docs/urdf.md). SI units, radians, quaternions w first. Nothing here moves or touches: ss_tree_create() takes the
// tree, ss_collider_create() (shape.h) what can be made of the geoms.
#ifndef STICKSLIP_SCENE_H
#define STICKSLIP_SCENE_H

#include <stickslip/base.h>
#include <stickslip/friction.h>
#include <stickslip/impact.h>
#include <stickslip/model.h>
#include <stickslip/simulate.h>
#include <stickslip/tree.h>

#ifdef __cplusplus
extern "C" {
#endif

// Names below are never NULL: what has none in the file is called by its number among its kind, "#0", "#1", ...
// `line` is where the element begins in the file, from 1; of files that are included see ss_scene_place().

typedef enum ss_scene_shape {
  SS_SCENE_PLANE,      ///< through the origin, normal z; size: half widths in x and y, 0: infinite
  SS_SCENE_SPHERE,     ///< size: radius
  SS_SCENE_CAPSULE,    ///< along z; size: radius, half of the length without the caps
  SS_SCENE_ELLIPSOID,  ///< size: half axes
  SS_SCENE_CYLINDER,   ///< along z; size: radius, half length
  SS_SCENE_BOX,        ///< size: half edges
  SS_SCENE_MESH,       ///< see mesh
  SS_SCENE_HFIELD,     ///< height field, see hfield
  SS_SCENE_SDF,        ///< signed distance field: not read
  SS_SCENE_SHAPES
} ss_scene_shape;

/// "plane", "sphere", ...; NULL if there is no such shape.
SS_API const char* ss_scene_shape_name(ss_scene_shape shape);

typedef struct ss_scene_geom {
  const char* name;
  int line;
  int body;                      ///< number in the tree, or SS_WORLD
  ss_scene_shape shape;          ///
  double size[3];                ///< m; what the numbers mean depends on the shape
  double position[3];            ///< in the body frame, m
  double rotation[4];            ///< likewise, of length one
  int mesh;                      ///< number of the mesh, -1 if none
  int hfield;                    ///< number of the height field, -1 if none
  double mass;                   ///< kg, that of its shape and density or that given; it may not be in the body's
  bool by_density;               ///< the mass is not given: density times volume
  int contype, conaffinity;      ///< two geoms can touch if (a.contype & b.conaffinity) || (b.contype & a.conaffinity)
  int condim;                    ///< 1: no friction, 3: friction, 4: against spin too, 6: against rolling too
  int priority, group;           ///
  double friction[3];            ///< sliding (mu); spin and rolling, m
  double restitution;            ///< eps_n, 0..1                 extra attribute restitution, default 0
  double tangential;             ///< eps_t, 0..1                 extra attribute restitution-tangential, default 0
  double margin, gap;            ///< m
} ss_scene_geom;

/// A mesh, given in the file itself or in one of its own (.obj, .stl). One whose file cannot be read has no vertices:
/// nothing needs it.
typedef struct ss_scene_mesh {
  const char* name;
  int line;
  const char* file;      ///< "" if none
  int n_vertex, n_face;  ///< n_face 0: the convex hull of the vertices
  const double* vertex;  ///< 3 n_vertex, scaled, m
  const int* face;       ///< 3 n_face
  double volume;         ///< m^3; 0 if it cannot be told
  bool convex;           ///< its triangles are those of its convex hull
} ss_scene_mesh;

/// A height field, given in the file itself or in one of its own. One whose file is not read (an image) has no points.
typedef struct ss_scene_hfield {
  const char* name;
  int line;
  const char* file;      ///< "" if none
  int n_row, n_col;      ///< points along y and x, evenly between -half and half
  double half[2];        ///< m
  const double* height;  ///< n_row n_col, row by row from y = -half[1] on, z in m
} ss_scene_hfield;

typedef struct ss_scene_site {
  const char* name;
  int line;
  int body;
  double position[3], rotation[4];
  ss_scene_shape shape;  ///< of the zone in which a touch sensor there feels; sphere to box    default sphere
  double size[3];        ///< m, as that of a geom                                              default 0.005
} ss_scene_site;

typedef enum ss_scene_equality_kind {
  SS_SCENE_CONNECT,  ///< a point of body a stays at a point of body b
  SS_SCENE_WELD,     ///< ... and body b keeps its rotation against body a
  SS_SCENE_JOINT,    ///< y = y0 + sum of polycoef[i] (x - x0)^i for coordinates y of joint a, x of joint b
  SS_SCENE_HINGE,    ///< connect, and an axis that both bodies have in common: see ss_scene_redundant()
  SS_SCENE_SLIDE,    ///< weld, but for the way of body b along the axis: likewise
} ss_scene_equality_kind;

typedef struct ss_scene_equality {
  const char* name;
  int line;
  ss_scene_equality_kind kind;
  bool active;                     ///
  int body_a, body_b;              ///< all but joint; either may be SS_WORLD
  double point_a[3], point_b[3];   ///< likewise: in the frames of the bodies, m
  double rotation[4];              ///< weld, hinge (at one of its angles), slide: of body b in the frame of body a
  double axis[3];                  ///< hinge, slide: in the frame of body a, of length one
  double torquescale;              ///< weld: as in the file; 0 leaves rotations free
  int joint_a, joint_b;            ///< joint: numbers in the tree; joint_b -1: joint a stays at y0 + polycoef[0]
  double polycoef[5];              ///
} ss_scene_equality;

/// A fixed tendon: its length is the sum of coefficient[i] q of joint[i], hinges and slides. Its forces are per length:
/// on joint i acts coefficient[i] times as much.
typedef struct ss_scene_tendon {
  const char* name;
  int line;
  int n_term;
  const int* joint;           ///< n_term
  const double* coefficient;  ///< likewise
  bool limited;               ///< range holds; at most 3 joints of at most two kinematic trees, likewise for friction
  double range[2];            ///< least and greatest length
  double stiffness;           ///< of a spring, >= 0
  double springlength[2];     ///< between these lengths the spring is slack; both the same: its length at rest
  double damping;             ///< force per rate of the length, >= 0
  double friction;            ///< dry friction force, >= 0
} ss_scene_tendon;

/// force = gain ctrl + bias[0] + bias[1] length + bias[2] velocity, limited to forcerange, then times gear on the
/// joint or tendon. Of a hinge or slide, length is gear[0] q and velocity gear[0] u; likewise of a tendon.
typedef struct ss_scene_actuator {
  const char* name;
  int line;
  const char* kind;       ///< "motor", "position", "velocity", "general"
  int joint;              ///< -1: it drives a tendon
  int tendon;             ///< -1: it drives a joint
  double gear[6];         ///
  double gain, bias[3];   ///
  bool ctrllimited;       ///
  double ctrlrange[2];    ///
  bool forcelimited;      ///
  double forcerange[2];   ///
} ss_scene_actuator;

// clang-format off
/// What sensors measure: name in MJCF, numbers, unit ("?": by the kind of joint), what they are of.
#define SS_SENSOR_LIST(X)                                          \
  X(CLOCK,             "clock",             1, "s",         NOTHING)   \
  X(KINETIC,           "e_kinetic",         1, "J",         NOTHING)   \
  X(POTENTIAL,         "e_potential",       1, "J",         NOTHING)   \
  X(JOINT_POS,         "jointpos",          1, "?",         JOINT)     \
  X(JOINT_VEL,         "jointvel",          1, "?",         JOINT)     \
  X(JOINT_FORCE,       "jointactuatorfrc",  1, "?",         JOINT)     \
  X(BALL_QUAT,         "ballquat",          4, "1",         BALL)      \
  X(BALL_VEL,          "ballangvel",        3, "rad/s",     BALL)      \
  X(TENDON_POS,        "tendonpos",         1, "",          TENDON)    \
  X(TENDON_VEL,        "tendonvel",         1, "",          TENDON)    \
  X(TENDON_FORCE,      "tendonactuatorfrc", 1, "",          TENDON)    \
  X(ACTUATOR_POS,      "actuatorpos",       1, "",          ACTUATOR)  \
  X(ACTUATOR_VEL,      "actuatorvel",       1, "",          ACTUATOR)  \
  X(ACTUATOR_FORCE,    "actuatorfrc",       1, "",          ACTUATOR)  \
  X(FRAME_POS,         "framepos",          3, "m",         FRAME)     \
  X(FRAME_QUAT,        "framequat",         4, "1",         FRAME)     \
  X(FRAME_X,           "framexaxis",        3, "1",         FRAME)     \
  X(FRAME_Y,           "frameyaxis",        3, "1",         FRAME)     \
  X(FRAME_Z,           "framezaxis",        3, "1",         FRAME)     \
  X(FRAME_LINVEL,      "framelinvel",       3, "m/s",       FRAME)     \
  X(FRAME_ANGVEL,      "frameangvel",       3, "rad/s",     FRAME)     \
  X(FRAME_LINACC,      "framelinacc",       3, "m/s^2",     OBJECT)    \
  X(FRAME_ANGACC,      "frameangacc",       3, "rad/s^2",   OBJECT)    \
  X(SUBTREE_COM,       "subtreecom",        3, "m",         BODY)      \
  X(SUBTREE_LINVEL,    "subtreelinvel",     3, "m/s",       BODY)      \
  X(SUBTREE_ANGMOM,    "subtreeangmom",     3, "kg m^2/s",  BODY)      \
  X(GYRO,              "gyro",              3, "rad/s",     SITE)      \
  X(VELOCIMETER,       "velocimeter",       3, "m/s",       SITE)      \
  X(ACCELEROMETER,     "accelerometer",     3, "m/s^2",     SITE)      \
  X(FORCE,             "force",             3, "N",         SITE)      \
  X(TORQUE,            "torque",            3, "N m",       SITE)      \
  X(TOUCH,             "touch",             1, "N",         SITE)
// clang-format on

typedef enum ss_sensor_kind {
#define X(kind, name, numbers, unit, of) SS_SENSOR_##kind,
  SS_SENSOR_LIST(X)
#undef X
  SS_SENSOR_KINDS
} ss_sensor_kind;

/// The name in MJCF; NULL if there is no such kind.
SS_API const char* ss_sensor_name(ss_sensor_kind kind);

/// A place on a body.
typedef struct ss_scene_frame {
  int body;            ///< or SS_WORLD
  double position[3];  ///< in the body frame, m
  double rotation[4];  ///< likewise, of length one
} ss_scene_frame;

typedef struct ss_scene_sensor {
  const char* name;
  int line;
  ss_sensor_kind kind;
  int number;            ///< of the joint, tendon, actuator or body that it is of, else -1
  ss_scene_frame frame;  ///< of a site or of the object of a frame sensor: where it is
  bool relative;         ///< seen from `from`, else from the world
  ss_scene_frame from;
  ss_scene_shape shape;  ///< touch: the zone around the site
  double size[3];        ///< likewise
  double cutoff;         ///< > 0: numbers stay within -cutoff..cutoff
} ss_scene_sensor;

/// Bodies whose shapes do not touch each other.
typedef struct ss_scene_exclude {
  const char* name;
  int line;
  int body_a, body_b;
} ss_scene_exclude;

/// Two geoms that can touch whatever their contype says. Nothing of the geoms is used: what the file does not give is
/// condim 3, friction 1 1 0.005 0.0001 0.0001, and 0 for all others, as in MuJoCo.
typedef struct ss_scene_pair {
  const char* name;
  int line;
  int geom_a, geom_b;
  int condim;
  double friction[5];  ///< sliding along T1 and T2; spin, m; rolling about T1 and T2, m
  bool directed;          ///< T1 is along a direction given in the frame of geom a, see docs/mjcf.md
  double direction[3];    ///< that one
  int n_polygon;          ///< 0, or vertices of the set of friction along T1 and T2; friction[0] and [1] are not read
  const double* polygon;  ///< 2 n_polygon, counter-clockwise
  double mu_static;       ///< friction[0] of a contact that sticks; 0: the same
  double bound[2];        ///< friction force without load, N: sliding, and of a contact that sticks
  const char* law;        ///< friction[0] as an expression of the sliding speed v and of mu; "" if none
  double restitution, tangential, margin, gap;
} ss_scene_pair;

/// A state to start from.
typedef struct ss_scene_key {
  const char* name;
  int line;
  double time;         ///< when a run that starts from it begins, s
  const double* qpos;  ///< nq of the tree
  const double* qvel;  ///< nv
  const double* ctrl;  ///< n_actuator
} ss_scene_key;

typedef struct ss_scene_option {
  double timestep;         ///< s                                                          default 0.002
  const char* integrator;  ///< what the file asks for, "Euler", "RK4", ...; "" if nothing
  bool contact;            ///< flag contact (and constraint): contacts act                default true
  bool filterparent;       ///< shapes of a body and its parent do not touch               default true
  bool actuation;          ///< actuators act                                              default true
  bool clampctrl;          ///< ctrlrange holds                                            default true
} ss_scene_option;

/// The section <stickslip>. Where it says nothing there are the defaults of ss_step_def.
typedef struct ss_scene_run {
  ss_integrator scheme;   ///< default moreau
  ss_friction_def solver; ///< method, cone, facets, tolerance, iterations     default ss_friction_def_default()
  ss_impact_law impact;   ///< default newton
  bool energy_limited;    ///< see ss_step_def                                              default false
  ss_impact_order order;  ///< likewise                                                     default simultaneous
  ss_projection project;  ///< what becomes of penetration                                  default auto
  double until;           ///< end time, s                                  default 1 s after the time of the key, or 0
  int key;                ///< the keyframe to start from, -1: the reference pose          default -1
  bool redundant;         ///< a model is made of ss_scene_redundant()                     default false
} ss_scene_run;

typedef enum ss_scene_fate {
  SS_SCENE_HONOURED,      ///< it is done; a notice of it tells what may not be as meant
  SS_SCENE_APPROXIMATED,  ///< something like it is done
  SS_SCENE_IGNORED,       ///< nothing is done, and the motion may differ
  SS_SCENE_UNUSED,        ///< nothing is done, and the motion is the same: pictures, softness of contacts
} ss_scene_fate;

/// "honoured", "approximated", "ignored", "unused"
SS_API const char* ss_scene_fate_name(ss_scene_fate fate);

/// Something that the file asks for and that is not done as asked, or not as meant.
typedef struct ss_scene_notice {
  ss_scene_fate fate;
  const char* element;    ///< e.g. "geom"
  const char* attribute;  ///< "" if the whole element
  const char* why;        ///< what happens instead
  int line;               ///< the first one
  int count;              ///< how many of this kind
} ss_scene_notice;

/// A file that the scene was read from: the first is its own, others are included or attached.
typedef struct ss_scene_source {
  const char* file;  ///
  int before;        ///< lines of the sources before it: numbers of lines go on from one to the next
} ss_scene_source;

/// A value of the file that an override can replace.
typedef struct ss_scene_parameter {
  const char* path;   ///< e.g. "geom.floor.friction"
  const char* value;  ///< as in the file
  int line;           ///
} ss_scene_parameter;

/// Where the mass of a body comes from: how many of its geoms it is the sum of, unless it is given itself.
typedef struct ss_scene_mass {
  bool inertial;  ///< given; none of the others then
  int n_given;    ///< geoms whose mass is given
  int n_density;  ///< geoms with density times volume
  int n_mesh;     ///< meshes with density times volume
  int n_hull;     ///< meshes with density times that of their convex hull, since they have holes
  bool adjusted;  ///< changed afterwards, by boundmass or settotalmass
} ss_scene_mass;

/// A scene. All arrays belong to it.
typedef struct ss_scene {
  const char* name;   ///< of the model; "" if none
  const char* file;   ///< as given, for messages
  ss_tree_def tree;   ///< valid for ss_tree_create(); bodies depth first, as in the file
  const int* body_line;   ///< tree.n_body
  const ss_scene_mass* mass_from;  ///< tree.n_body
  const int* joint_line;  ///< tree.n_joint
  int nq, nv;             ///< of the tree
  int n_geom;      const ss_scene_geom* geom;
  int n_mesh;      const ss_scene_mesh* mesh;
  int n_hfield;    const ss_scene_hfield* hfield;
  int n_site;      const ss_scene_site* site;
  int n_equality;  const ss_scene_equality* equality;
  int n_tendon;    const ss_scene_tendon* tendon;
  int n_actuator;  const ss_scene_actuator* actuator;
  int n_exclude;   const ss_scene_exclude* exclude;
  int n_pair;      const ss_scene_pair* pair;
  int n_key;       const ss_scene_key* key;
  int n_sensor;    const ss_scene_sensor* sensor;
  ss_scene_option option;
  ss_scene_run run;
  int n_source;    const ss_scene_source* source;        ///< the files, in the order of reading
  int n_notice;    const ss_scene_notice* notice;        ///< by fate, then by line
  int n_parameter; const ss_scene_parameter* parameter;  ///< in the order of the file
} ss_scene;

/// Reads a file. Overrides replace values before anything is understood: "geom.floor.friction" = "0.4",
/// "option.timestep", "default.wheel.geom.size", "body.arm.inertial.mass", "joint.#3.damping". NULL and *error, with
/// file and line, if the file is not valid or asks for what cannot be left out.
SS_API ss_scene* ss_scene_load(const char* path, int n_override, const ss_override* override, ss_error* error);

/// The same from memory; `name` stands for the file name in messages.
SS_API ss_scene* ss_scene_parse(const char* text, size_t length, const char* name, int n_override,
                                     const ss_override* override, ss_error* error);

SS_API void ss_scene_destroy(ss_scene* scene);  ///< NULL is fine

/// The file that a `line` of the scene stands in, and the line there.
SS_API void ss_scene_place(const ss_scene* scene, int line, const char** file, int* there);

/// What happens where two geoms touch, as MJCF combines them: the geom of higher priority decides on condim and
/// friction; of equals the greater numbers hold. Margins and gaps: the greater. Restitution: likewise as friction.
/// geom_a, geom_b and numbers of *pair are set, name and line are not.
SS_API void ss_scene_combine(const ss_scene* scene, int geom_a, int geom_b, ss_scene_pair* pair);

/// The same scene in redundant coordinates: every body that moves has a free joint of its own, and the joints of the
/// tree are equalities: 5 rows for a hinge or a slide, 3 for a ball, 6 for bodies fixed to one another
/// [Mylapilli & Jain 2017, section 2.4.1]. Names, geoms and meshes are shared with `scene`, which must outlive it. NULL
/// and *error for what has no place there: several joints on one body; springs, dampers, armatures, limits and friction
/// of joints; actuators; equalities of joints.
SS_API ss_scene* ss_scene_redundant(const ss_scene* scene, ss_error* error);

/// The start: the reference pose at rest, or a keyframe (-1: the reference pose). q: nq, u: nv; either may be NULL.
SS_API void ss_scene_initial(const ss_scene* scene, int key, double* q, double* u);

/// The scene that a model was read from (ss_model_load() takes scenes, too), as long as the model lives; NULL for text
/// models.
SS_API const ss_scene* ss_model_scene(const ss_model* model);

#ifdef __cplusplus
}
#endif
#endif
