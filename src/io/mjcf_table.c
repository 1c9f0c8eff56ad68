// MJCF as a table: which elements stand where, which attributes they have, of what type, with which default, and what
// becomes of them. To honour more of the language is to change a row here and to write its handler.
#include <string.h>
#include "base/text.h"
#include "io/mjcf.h"
#include "io/mjcf_rows.h"

static const char* const tristate[] = {"false", "true", "auto", NULL};
static const char* const switched[] = {"disable", "enable", NULL};

#define POSE(s) \
  N(s, "pos", pose.pos, 3, 3, "0 0 0"), N(s, "quat", pose.quat, 4, 4, NULL), \
  N(s, "axisangle", pose.axisangle, 4, 4, NULL), N(s, "xyaxes", pose.xyaxes, 6, 6, NULL), \
  N(s, "zaxis", pose.zaxis, 3, 3, NULL), N(s, "euler", pose.euler, 3, 3, NULL)

// ---- settings ----

#define S ss_mj_compiler
static const char* const angles[] = {"radian", "degree", NULL};
static const char* const coordinates[] = {"local", "global", NULL};
static const ss_mj_row compiler_rows[] = {
  W(S, "autolimits", autolimits, boolean, NULL),
  N(S, "boundmass", boundmass, 1, 1, NULL),
  N(S, "boundinertia", boundinertia, 1, 1, NULL),
  N(S, "settotalmass", settotalmass, 1, 1, NULL),
  W(S, "balanceinertia", balanceinertia, boolean, NULL),
  W(S, "coordinate", coordinate, coordinates, NULL),
  W(S, "angle", angle, angles, NULL),
  T(S, "eulerseq", eulerseq),
  W(S, "inertiafromgeom", inertiafromgeom, tristate, NULL),
  I(S, "inertiagrouprange", inertiagrouprange, 2, 2, NULL),
  W(S, "strippath", strippath, boolean, NULL),
  T(S, "meshdir", meshdir),
  T(S, "assetdir", assetdir),
  UNUSED("texturedir", PICTURE),
  W(S, "fitaabb", fitaabb, boolean, NULL),
  UNUSED("discardvisual", "shapes that cannot touch are kept, without effect"),
  UNUSED("convexhull", "the hull of a mesh is found where its mass needs it"),
  UNUSED("usethread", NUMERIC),
  UNUSED("fusestatic", "bodies without joints are kept; they move as they would"),
  UNUSED("saveinertial", "nothing is saved"),
  IGNORE("exactmeshinertia", "true", "inertias of meshes with faces are always exact"),
  IGNORE("alignfree", "false", "coordinates of free bodies are those of their frames"),
  END};
#undef S

#define S ss_mj_option
static const char* const cones[] = {"pyramidal", "elliptic", NULL};
static const ss_mj_row option_rows[] = {
  N(S, "timestep", timestep, 1, 1, NULL),
  N(S, "gravity", gravity, 3, 3, NULL),
  T(S, "integrator", integrator),
  W(S, "cone", cone, cones, NULL),
  UNUSED_N("impratio", 1, "friction is exact"),
  UNUSED_N("noslip_iterations", 1, "nothing slips inside the friction cone"),
  UNUSED_N("noslip_tolerance", 1, "nothing slips inside the friction cone"),
  UNUSED_N("tolerance", 1, NUMERIC),
  UNUSED_N("ls_tolerance", 1, NUMERIC),
  UNUSED_N("ccd_tolerance", 1, NUMERIC),
  UNUSED_N("mpr_tolerance", 1, NUMERIC),
  UNUSED_N("iterations", 1, NUMERIC),
  UNUSED_N("ls_iterations", 1, NUMERIC),
  UNUSED_N("ccd_iterations", 1, NUMERIC),
  UNUSED_N("mpr_iterations", 1, NUMERIC),
  UNUSED_N("sdf_iterations", 1, NUMERIC),
  UNUSED_N("sdf_initpoints", 1, NUMERIC),
  UNUSED_N("sleep_tolerance", 1, "nothing is put to sleep"),
  UNUSED("jacobian", NUMERIC),
  UNUSED("solver", NUMERIC),
  UNUSED_N("apirate", 1, USER),
  UNUSED_N("magnetic", 3, "only for sensors"),
  UNUSED_N("o_solref", 2, SOFT),
  UNUSED_N("o_solimp", 5, SOFT),
  UNUSED_N("o_margin", 1, "contacts keep their own"),
  UNUSED_N("o_friction", 5, "contacts keep their own"),
  IGNORE_N("wind", 3, "0 0 0", "there are no fluids"),
  IGNORE_N("density", 1, "0", "there are no fluids"),
  IGNORE_N("viscosity", 1, "0", "there are no fluids"),
  IGNORE("collision", "all", "shapes touch by contype, conaffinity and the lists of <contact>"),
  IGNORE("actuatorgroupdisable", NULL, "all actuators act"),
  END};
#undef S

#define S ss_mj_flag
#define F(name, member) W(S, name, member, switched, NULL)
static const ss_mj_row flag_rows[] = {
  F("constraint", constraint), F("equality", equality), F("frictionloss", frictionloss), F("limit", limit),
  F("contact", contact), F("passive", passive), F("spring", spring), F("damper", damper), F("gravity", gravity),
  F("clampctrl", clampctrl), F("filterparent", filterparent), F("actuation", actuation),
  UNUSED("warmstart", NUMERIC), UNUSED("refsafe", SOFT), UNUSED("sensor", "sensors are always computed"),
  UNUSED("midphase", NUMERIC), UNUSED("nativeccd", NUMERIC), UNUSED("eulerdamp", NUMERIC),
  UNUSED("autoreset", "a run that fails says so"), UNUSED("energy", "energies are always kept"),
  UNUSED("fwdinv", NUMERIC), UNUSED("invdiscrete", NUMERIC), UNUSED("multiccd", NUMERIC), UNUSED("island", NUMERIC),
  UNUSED("sleep", "nothing is put to sleep"), UNUSED("sensornoise", "sensors have no noise"),
  IGNORE("override", "disable", "contacts keep their own parameters"),
  END};
#undef F
#undef S

#define S ss_mj_stickslip
static const ss_mj_row stickslip_rows[] = {RUN_ROWS(S), T(S, "key", key), END};
#undef S

static const ss_mj_row default_rows[] = {UNUSED("class", ""), END};
static const ss_mj_row model_rows[] = {UNUSED("model", ""), END};
static const ss_mj_row robot_rows[] = {UNUSED("name", ""), UNUSED("version", ""), END};
static const ss_mj_row no_rows[] = {END};

// ---- assets ----

#define S ss_mj_hfield
static const ss_mj_row hfield_rows[] = {
  T(S, "name", name), T(S, "file", file), I(S, "nrow", nrow, 1, 1, NULL), I(S, "ncol", ncol, 1, 1, NULL),
  L(S, "elevation", elevation), RN(S, "size", size, 4, 4), UNUSED("content_type", "the ending of the file tells"), END};
#undef S

#define S ss_mj_mesh
static const ss_mj_row mesh_rows[] = {
  T(S, "name", name),
  T(S, "class", class),
  T(S, "file", file),
  L(S, "vertex", vertex),
  L(S, "face", face),
  N(S, "scale", scale, 3, 3, "1 1 1"),
  N(S, "refpos", refpos, 3, 3, "0 0 0"),
  N(S, "refquat", refquat, 4, 4, "1 0 0 0"),
  IGNORE("builtin", NULL, "meshes are not made from parameters; their masses are not known"),
  IGNORE("params", NULL, "meshes are not made from parameters"),
  APPROX("inertia", "exact", "meshes with faces have their exact mass, others that of their hull"),
  APPROX_N("maxhullvert", 1, "-1", "hulls keep all vertices"),
  UNUSED("content_type", "the ending of its name tells what a file is"),
  UNUSED("normal", PICTURE),
  UNUSED("texcoord", PICTURE),
  UNUSED("smoothnormal", PICTURE),
  UNUSED("material", PICTURE),
  UNUSED("octree", NUMERIC),
  END};
#undef S

// ---- bodies ----

#define S ss_mj_body
static const ss_mj_row body_rows[] = {
  T(S, "name", name),
  T(S, "childclass", childclass),
  POSE(S),
  APPROX("mocap", "false", "the body stays where it is"),
  IGNORE_N("gravcomp", 1, "0", "gravity acts in full"),
  UNUSED("sleep", "nothing is put to sleep"),
  UNUSED("user", USER),
  END};
static const ss_mj_row frame_rows[] = {T(S, "name", name), T(S, "childclass", childclass), POSE(S), END};
static const ss_mj_row world_rows[] = {T(S, "name", name), T(S, "childclass", childclass), END};
#undef S

#define S ss_mj_replicate
static const ss_mj_row replicate_rows[] = {
  RI(S, "count", count, 1, 1), T(S, "sep", sep), N(S, "offset", offset, 3, 3, "0 0 0"),
  N(S, "euler", euler, 3, 3, "0 0 0"), END};
#undef S

#define S ss_mj_inertial
static const ss_mj_row inertial_rows[] = {
  POSE(S), RN(S, "mass", mass, 1, 1), N(S, "diaginertia", diaginertia, 3, 3, NULL),
  N(S, "fullinertia", fullinertia, 6, 6, NULL), END};
#undef S

#define S ss_mj_joint
static const char* const joint_types[] = {"hinge", "slide", "ball", "free", NULL};  // in the order of ss_joint_kind
static const ss_mj_row joint_rows[] = {
  T(S, "name", name),
  T(S, "class", class),
  W(S, "type", type, joint_types, "hinge"),
  N(S, "pos", pos, 3, 3, "0 0 0"),
  N(S, "axis", axis, 3, 3, "0 0 1"),
  W(S, "limited", limited, tristate, "auto"),
  N(S, "range", range, 2, 2, NULL),
  N(S, "stiffness", stiffness, 1, 3, "0"),
  N(S, "springref", springref, 1, 1, "0"),
  N(S, "damping", damping, 1, 3, "0"),
  N(S, "ref", ref, 1, 1, "0"),
  N(S, "armature", armature, 1, 1, "0"),
  N(S, "frictionloss", frictionloss, 1, 1, "0"),
  IGNORE_N("springdamper", 2, "0 0", "springs and dampers are those of stiffness and damping"),
  IGNORE_N("actuatorfrcrange", 2, "0 0", "the sum of the actuators is not limited"),
  IGNORE("actuatorfrclimited", "false", "the sum of the actuators is not limited"),
  IGNORE("actuatorgravcomp", "false", "gravity acts in full"),
  APPROX_N("margin", 1, "0", "limits act where they are reached"),
  UNUSED_N("solreflimit", 2, SOFT), UNUSED_N("solimplimit", 5, SOFT), UNUSED_N("solreffriction", 2, SOFT),
  UNUSED_N("solimpfriction", 5, SOFT), UNUSED_N("solref", 2, SOFT), UNUSED_N("solimp", 5, SOFT),
  UNUSED_N("group", 1, PICTURE), UNUSED("user", USER),
  END};
static const ss_mj_row freejoint_rows[] = {
  T(S, "name", name), UNUSED_N("group", 1, PICTURE),
  IGNORE("align", "false", "coordinates of free bodies are those of their frames"), END};
#undef S

#define S ss_mj_geom
static const char* const shapes[] = {"plane", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "hfield",
                                     "sdf", "polygon", NULL};  // in the order of ss_scene_shape; and SS_MJ_POLYGON
static const ss_mj_row geom_rows[] = {
  T(S, "name", name),
  T(S, "class", class),
  W(S, "type", type, shapes, "sphere"),
  N(S, "size", size, 1, 3, NULL),
  I(S, "contype", contype, 1, 1, "1"),
  I(S, "conaffinity", conaffinity, 1, 1, "1"),
  I(S, "condim", condim, 1, 1, "3"),
  I(S, "priority", priority, 1, 1, "0"),
  I(S, "group", group, 1, 1, "0"),
  N(S, "friction", friction, 1, 3, "1 0.005 0.0001"),
  N(S, "mass", mass, 1, 1, NULL),
  N(S, "density", density, 1, 1, "1000"),
  N(S, "margin", margin, 1, 1, "0"),
  N(S, "gap", gap, 1, 1, "0"),
  N(S, "fromto", fromto, 6, 6, NULL),
  T(S, "mesh", mesh),
  T(S, "hfield", hfield),
  N(S, "restitution", restitution, 1, 1, "0"),
  N(S, "restitution-tangential", tangential, 1, 1, "0"),
  POSE(S),
  APPROX("shellinertia", "false", "the shape is solid"),
  IGNORE("surfacevel", "0 0 0 0 0 0", "surfaces move with their bodies"),
  IGNORE("fluidshape", "none", "there are no fluids"),
  IGNORE_N("fluidcoef", 5, NULL, "there are no fluids"),
  N(S, "fitscale", fitscale, 1, 1, "1"),
  UNUSED_N("solref", 2, SOFT "; for rebounds see restitution"),
  UNUSED_N("solimp", 5, SOFT), UNUSED_N("solmix", 1, SOFT),
  UNUSED("material", PICTURE), UNUSED_N("rgba", 4, PICTURE), UNUSED("user", USER),
  END};
#undef S

#define S ss_mj_site
static const char* const zones[] = {"sphere", "capsule", "ellipsoid", "cylinder", "box", NULL};  // from SS_SCENE_SPHERE
static const ss_mj_row site_rows[] = {
  T(S, "name", name), T(S, "class", class), N(S, "fromto", fromto, 6, 6, NULL), POSE(S),
  W(S, "type", type, zones, "sphere"), N(S, "size", size, 1, 3, "0.005 0.005 0.005"),
  UNUSED_N("group", 1, PICTURE), UNUSED("material", PICTURE), UNUSED_N("rgba", 4, PICTURE),
  UNUSED("user", USER), END};
#undef S

// ---- relations ----

#define S ss_mj_exclude
static const ss_mj_row exclude_rows[] = {
  T(S, "name", name), RT(S, "body1", body1), RT(S, "body2", body2), END};
#undef S

#define S ss_mj_pair
static const ss_mj_row pair_rows[] = {
  T(S, "name", name),
  T(S, "class", class),
  RT(S, "geom1", geom1),
  RT(S, "geom2", geom2),
  I(S, "condim", condim, 1, 1, "3"),
  N(S, "friction", friction, 1, 5, "1 1 0.005 0.0001 0.0001"),
  N(S, "margin", margin, 1, 1, "0"),
  N(S, "gap", gap, 1, 1, "0"),
  N(S, "restitution", restitution, 1, 1, "0"),
  N(S, "restitution-tangential", tangential, 1, 1, "0"),
  N(S, "friction-direction", direction, 3, 3, NULL),
  T(S, "friction-polygon", polygon),
  N(S, "friction-static", at_rest, 1, 1, NULL),
  N(S, "friction-bound", bound, 1, 2, NULL),
  T(S, "friction-law", law),
  UNUSED_N("solref", 2, SOFT), UNUSED_N("solimp", 5, SOFT), UNUSED_N("solreffriction", 2, SOFT),
  END};
#undef S

#define S ss_mj_equality
#define EQUALITY \
  T(S, "name", name), T(S, "class", class), W(S, "active", active, boolean, "true"), UNUSED_N("solref", 2, SOFT), \
  UNUSED_N("solimp", 5, SOFT)
#define BODIES T(S, "body1", body1), T(S, "body2", body2), T(S, "site1", site1), T(S, "site2", site2)
static const ss_mj_row connect_rows[] = {EQUALITY, BODIES, N(S, "anchor", anchor, 3, 3, NULL), END};
static const ss_mj_row weld_rows[] = {
  EQUALITY, BODIES, N(S, "anchor", anchor, 3, 3, "0 0 0"), N(S, "relpose", relpose, 7, 7, "0 1 0 0 0 0 0"),
  N(S, "torquescale", torquescale, 1, 1, "1"), END};
static const ss_mj_row joint_equality_rows[] = {
  EQUALITY, RT(S, "joint1", joint1), T(S, "joint2", joint2), N(S, "polycoef", polycoef, 1, 5, "0 1 0 0 0"), END};
static const ss_mj_row tendon_equality_rows[] = {
  EQUALITY, RT(S, "tendon1", tendon1), T(S, "tendon2", tendon2), N(S, "polycoef", polycoef, 1, 5, "0 1 0 0 0"), END};
static const ss_mj_row equality_rows[] = {EQUALITY, END};
#undef S

#define S ss_mj_actuator
static const char* const dynamics[] = {"none", "integrator", "filter", "filterexact", "muscle", "user", NULL};
static const char* const gains[] = {"fixed", "affine", "muscle", "user", NULL};
static const char* const biases[] = {"none", "affine", "muscle", "user", NULL};
#define ACTUATOR \
  T(S, "name", name), T(S, "class", class), W(S, "ctrllimited", ctrllimited, tristate, "auto"), \
  N(S, "ctrlrange", ctrlrange, 2, 2, NULL), W(S, "forcelimited", forcelimited, tristate, "auto"), \
  N(S, "forcerange", forcerange, 2, 2, NULL), N(S, "gear", gear, 1, 6, "1 0 0 0 0 0"), T(S, "joint", joint), \
  T(S, "jointinparent", jointinparent), T(S, "tendon", tendon), T(S, "site", site), T(S, "body", body), \
  T(S, "cranksite", cranksite), UNUSED("slidersite", "see cranksite"), UNUSED_N("cranklength", 1, "see cranksite"), \
  UNUSED("refsite", "see site"), UNUSED_N("lengthrange", 2, "only for muscles"), UNUSED_N("group", 1, PICTURE), \
  UNUSED("user", USER), IGNORE("actlimited", "false", "actuators have no states of their own"), \
  IGNORE_N("actrange", 2, "0 0", "actuators have no states of their own"), \
  IGNORE_N("actdim", 1, NULL, "actuators have no states of their own"), \
  IGNORE("actearly", "false", "actuators have no states of their own"), \
  IGNORE_N("nsample", 1, "0", "controls act at once"), IGNORE("interp", NULL, "controls act at once"), \
  IGNORE_N("delay", 1, "0", "controls act at once")
#define TIMED \
  IGNORE_N("timeconst", 1, "0", "controls act at once"), \
  IGNORE_N("dampratio", 1, "0", "damping is that of kv"), \
  N(S, "inheritrange", inheritrange, 1, 1, "0")
static const ss_mj_row motor_rows[] = {ACTUATOR, END};
static const ss_mj_row position_rows[] = {
  ACTUATOR, TIMED, N(S, "kp", kp, 1, 1, "1"), N(S, "kv", kv, 1, 1, "0"), END};
static const ss_mj_row velocity_rows[] = {ACTUATOR, N(S, "kv", kv, 1, 1, "1"), END};
static const ss_mj_row general_rows[] = {
  ACTUATOR,
  W(S, "dyntype", dyntype, dynamics, "none"),
  W(S, "gaintype", gaintype, gains, "fixed"),
  W(S, "biastype", biastype, biases, "none"),
  N(S, "gainprm", gainprm, 1, 10, "1"),
  N(S, "biasprm", biasprm, 1, 10, "0"),
  UNUSED_N("dynprm", 10, "see dyntype"),
  END};
#undef S

#define S ss_mj_tendon
static const ss_mj_row fixed_rows[] = {
  T(S, "name", name), T(S, "class", class),
  W(S, "limited", limited, tristate, "auto"), N(S, "range", range, 2, 2, NULL),
  N(S, "stiffness", stiffness, 1, 3, "0"), N(S, "springlength", springlength, 1, 2, NULL),
  N(S, "damping", damping, 1, 3, "0"), N(S, "frictionloss", frictionloss, 1, 1, "0"),
  APPROX_N("margin", 1, "0", "limits act where they are reached"),
  IGNORE("actuatorfrclimited", "false", "the sum of the actuators is not limited"),
  IGNORE_N("actuatorfrcrange", 2, "0 0", "the sum of the actuators is not limited"),
  IGNORE_N("armature", 1, "0", "tendons have no inertia"),
  UNUSED_N("solreflimit", 2, SOFT), UNUSED_N("solimplimit", 5, SOFT), UNUSED_N("solreffriction", 2, SOFT),
  UNUSED_N("solimpfriction", 5, SOFT), UNUSED_N("group", 1, PICTURE), UNUSED_N("width", 1, PICTURE),
  UNUSED("material", PICTURE), UNUSED_N("rgba", 4, PICTURE), UNUSED("user", USER), END};
#undef S

#define S ss_mj_term
static const ss_mj_row term_rows[] = {RT(S, "joint", joint), RN(S, "coef", coef, 1, 1), END};
#undef S

#define S ss_mj_key
static const ss_mj_row key_rows[] = {
  T(S, "name", name), N(S, "time", time, 1, 1, "0"), L(S, "qpos", qpos), L(S, "qvel", qvel), L(S, "ctrl", ctrl),
  IGNORE("act", NULL, "actuators have no states of their own"), IGNORE("mpos", NULL, "bodies stay where they are"),
  IGNORE("mquat", NULL, "bodies stay where they are"), END};
#undef S

#define S ss_mj_sensor
static const char* const objects[] = {"body", "xbody", "geom", "site", "camera", NULL};
#define SENSOR \
  T(S, "name", name), N(S, "cutoff", cutoff, 1, 1, "0"), UNUSED_N("noise", 1, "sensors have no noise"), \
  UNUSED("user", USER), UNUSED("nsample", NO_DELAY), UNUSED("interp", NO_DELAY), UNUSED("delay", NO_DELAY), \
  UNUSED("interval", NO_DELAY)
#define NO_DELAY "sensors are computed in every recorded row, without delay"
#define OBJECT SENSOR, RW(S, "objtype", objtype, objects), RT(S, "objname", objname)
static const ss_mj_row plain_sensor_rows[] = {SENSOR, END};
static const ss_mj_row joint_sensor_rows[] = {SENSOR, RT(S, "joint", joint), END};
static const ss_mj_row tendon_sensor_rows[] = {SENSOR, RT(S, "tendon", tendon), END};
static const ss_mj_row actuator_sensor_rows[] = {SENSOR, RT(S, "actuator", actuator), END};
static const ss_mj_row site_sensor_rows[] = {SENSOR, RT(S, "site", site), END};
static const ss_mj_row body_sensor_rows[] = {SENSOR, RT(S, "body", body), END};
static const ss_mj_row object_sensor_rows[] = {OBJECT, END};
static const ss_mj_row frame_sensor_rows[] = {
  OBJECT, W(S, "reftype", reftype, objects, NULL), T(S, "refname", refname), END};
#undef S

// ---- elements ----

#define DEFAULT(name, rows, group) READ(DEFAULT, name, rows, NOWHERE, group, SETTINGS, NULL)
#define ACTED(name, rows) READ(ACTUATOR, name, rows, NOWHERE, "actuator", RELATIONS, ss_mj_read_actuator)

#define SENSED(name, rows) READ(SENSOR, name, rows, NOWHERE, "sensor", STATES, ss_mj_read_sensor)
#define UNSENSED(name) SKIP(SENSOR, name, UNUSED, "this sensor is not computed")

static const ss_mj_element elements[] = {
  READ(FILE, "mujoco", model_rows, IN_MODEL, NULL, SETTINGS, NULL),
  READ(FILE, "robot", robot_rows, IN_ROBOT, NULL, SETTINGS, NULL),

  READ(MODEL, "compiler", compiler_rows, IN_COMPILER, NULL, SETTINGS, ss_mj_read_compiler),
  READ(MODEL, "option", option_rows, IN_OPTION, NULL, SETTINGS, ss_mj_read_option),
  READ(MODEL, "stickslip", stickslip_rows, NOWHERE, NULL, RUN, ss_mj_read_stickslip),
  READ(MODEL, "default", default_rows, IN_DEFAULT, NULL, SETTINGS, ss_mj_read_default),
  SECTION(MODEL, "asset", IN_ASSET, ASSETS),
  READ(MODEL, "worldbody", world_rows, IN_BODY, NULL, BODIES, ss_mj_read_world),
  SECTION(MODEL, "contact", IN_CONTACT, RELATIONS),
  SECTION(MODEL, "equality", IN_EQUALITY, RELATIONS),
  SECTION(MODEL, "actuator", IN_ACTUATOR, RELATIONS),
  SECTION(MODEL, "keyframe", IN_KEYFRAME, STATES),
  SKIP(MODEL, "size", UNUSED, "memory is taken as needed"),
  SKIP(MODEL, "visual", UNUSED, PICTURE),
  SKIP(MODEL, "statistic", UNUSED, PICTURE),
  SKIP(MODEL, "custom", UNUSED, USER),
  SECTION(MODEL, "sensor", IN_SENSOR, STATES),
  SECTION(MODEL, "tendon", IN_TENDON, TENDONS),
  SKIP(MODEL, "deformable", IGNORED, "bodies are rigid"),
  SKIP(MODEL, "extension", IGNORED, "there are no plugins of MJCF"),

  SKIP(COMPILER, "lengthrange", UNUSED, "only for muscles"),
  READ(OPTION, "flag", flag_rows, NOWHERE, NULL, SETTINGS, ss_mj_read_flag),

  READ(DEFAULT, "default", default_rows, IN_DEFAULT, NULL, SETTINGS, NULL),
  DEFAULT("geom", geom_rows, NULL),
  DEFAULT("joint", joint_rows, NULL),
  DEFAULT("site", site_rows, NULL),
  DEFAULT("mesh", mesh_rows, NULL),
  DEFAULT("pair", pair_rows, NULL),
  DEFAULT("equality", equality_rows, "equality"),
  DEFAULT("motor", motor_rows, "actuator"),
  DEFAULT("position", position_rows, "actuator"),
  DEFAULT("velocity", velocity_rows, "actuator"),
  DEFAULT("general", general_rows, "actuator"),
  SKIP(DEFAULT, "intvelocity", UNUSED, ""),  // what they are defaults of is told where it stands
  SKIP(DEFAULT, "damper", UNUSED, ""),
  SKIP(DEFAULT, "cylinder", UNUSED, ""),
  SKIP(DEFAULT, "muscle", UNUSED, ""),
  SKIP(DEFAULT, "adhesion", UNUSED, ""),
  DEFAULT("tendon", fixed_rows, "tendon"),
  SKIP(DEFAULT, "material", UNUSED, ""),
  SKIP(DEFAULT, "camera", UNUSED, ""),
  SKIP(DEFAULT, "light", UNUSED, ""),

  READ(ASSET, "mesh", mesh_rows, NOWHERE, NULL, ASSETS, ss_mj_read_mesh),
  SKIP(ASSET, "texture", UNUSED, PICTURE),
  SKIP(ASSET, "material", UNUSED, PICTURE),
  SKIP(ASSET, "skin", UNUSED, PICTURE),
  READ(ASSET, "hfield", hfield_rows, NOWHERE, NULL, ASSETS, ss_mj_read_hfield),
  SKIP(ASSET, "model", UNUSED, ""),

  READ(BODY, "body", body_rows, IN_BODY, NULL, BODIES, ss_mj_read_body),
  READ(BODY, "frame", frame_rows, IN_BODY, NULL, BODIES, NULL),
  READ(BODY, "replicate", replicate_rows, IN_BODY, NULL, BODIES, NULL),
  READ(BODY, "inertial", inertial_rows, NOWHERE, NULL, BODIES, ss_mj_read_inertial),
  READ(BODY, "joint", joint_rows, NOWHERE, NULL, BODIES, ss_mj_read_joint),
  READ(BODY, "freejoint", freejoint_rows, NOWHERE, "joint", BODIES, ss_mj_read_freejoint),
  READ(BODY, "geom", geom_rows, NOWHERE, NULL, BODIES, ss_mj_read_geom),
  READ(BODY, "site", site_rows, NOWHERE, NULL, BODIES, ss_mj_read_site),
  SKIP(BODY, "camera", UNUSED, PICTURE),
  SKIP(BODY, "light", UNUSED, PICTURE),
  REFUSE(BODY, "composite", "composites are not made yet; write out the bodies"),
  REFUSE(BODY, "flexcomp", "bodies are rigid; there are no deformable ones"),
  REFUSE(BODY, "plugin", "there are no plugins of MJCF"),

  READ(CONTACT, "exclude", exclude_rows, NOWHERE, NULL, RELATIONS, ss_mj_read_exclude),
  READ(CONTACT, "pair", pair_rows, NOWHERE, NULL, RELATIONS, ss_mj_read_pair),

  READ(EQUALITY, "connect", connect_rows, NOWHERE, "equality", RELATIONS, ss_mj_read_equality),
  READ(EQUALITY, "weld", weld_rows, NOWHERE, "equality", RELATIONS, ss_mj_read_equality),
  READ(EQUALITY, "joint", joint_equality_rows, NOWHERE, "equality", RELATIONS, ss_mj_read_equality),
  READ(EQUALITY, "tendon", tendon_equality_rows, NOWHERE, "equality", RELATIONS, ss_mj_read_equality),
  SKIP(EQUALITY, "flex", IGNORED, "bodies are rigid"),
  SKIP(EQUALITY, "flexvert", IGNORED, "bodies are rigid"),
  SKIP(EQUALITY, "flexstrain", IGNORED, "bodies are rigid"),
  SKIP(EQUALITY, "distance", IGNORED, "this constraint is not made"),

  READ(TENDON, "fixed", fixed_rows, IN_FIXED, "tendon", TENDONS, ss_mj_read_tendon),
  SKIP(TENDON, "spatial", IGNORED, "spatial tendons do not act"),
  READ(FIXED, "joint", term_rows, NOWHERE, NULL, TENDONS, NULL),

  ACTED("motor", motor_rows),
  ACTED("position", position_rows),
  ACTED("velocity", velocity_rows),
  ACTED("general", general_rows),
  SKIP(ACTUATOR, "intvelocity", IGNORED, "actuators with states of their own do not act"),
  SKIP(ACTUATOR, "damper", IGNORED, "dampers with a control do not act"),
  SKIP(ACTUATOR, "cylinder", IGNORED, "actuators with states of their own do not act"),
  SKIP(ACTUATOR, "muscle", IGNORED, "there are no muscles"),
  SKIP(ACTUATOR, "adhesion", IGNORED, "there is no adhesion"),
  SKIP(ACTUATOR, "dcmotor", IGNORED, "this actuator does not act"),
  SKIP(ACTUATOR, "pid", IGNORED, "this actuator does not act"),
  SKIP(ACTUATOR, "orientation", IGNORED, "this actuator does not act"),
  SKIP(ACTUATOR, "plugin", IGNORED, "there are no plugins of MJCF"),

  READ(KEYFRAME, "key", key_rows, NOWHERE, NULL, STATES, ss_mj_read_key),

  SENSED("clock", plain_sensor_rows),
  SENSED("e_kinetic", plain_sensor_rows),
  SENSED("e_potential", plain_sensor_rows),
  SENSED("jointpos", joint_sensor_rows),
  SENSED("jointvel", joint_sensor_rows),
  SENSED("jointactuatorfrc", joint_sensor_rows),
  SENSED("ballquat", joint_sensor_rows),
  SENSED("ballangvel", joint_sensor_rows),
  SENSED("tendonpos", tendon_sensor_rows),
  SENSED("tendonvel", tendon_sensor_rows),
  SENSED("tendonactuatorfrc", tendon_sensor_rows),
  SENSED("actuatorpos", actuator_sensor_rows),
  SENSED("actuatorvel", actuator_sensor_rows),
  SENSED("actuatorfrc", actuator_sensor_rows),
  SENSED("framepos", frame_sensor_rows),
  SENSED("framequat", frame_sensor_rows),
  SENSED("framexaxis", frame_sensor_rows),
  SENSED("frameyaxis", frame_sensor_rows),
  SENSED("framezaxis", frame_sensor_rows),
  SENSED("framelinvel", frame_sensor_rows),
  SENSED("frameangvel", frame_sensor_rows),
  SENSED("framelinacc", object_sensor_rows),
  SENSED("frameangacc", object_sensor_rows),
  SENSED("subtreecom", body_sensor_rows),
  SENSED("subtreelinvel", body_sensor_rows),
  SENSED("subtreeangmom", body_sensor_rows),
  SENSED("gyro", site_sensor_rows),
  SENSED("velocimeter", site_sensor_rows),
  SENSED("accelerometer", site_sensor_rows),
  SENSED("force", site_sensor_rows),
  SENSED("torque", site_sensor_rows),
  SENSED("touch", site_sensor_rows),
  UNSENSED("magnetometer"),
  UNSENSED("camprojection"),
  UNSENSED("rangefinder"),
  UNSENSED("jointlimitpos"),
  UNSENSED("jointlimitvel"),
  UNSENSED("jointlimitfrc"),
  UNSENSED("tendonlimitpos"),
  UNSENSED("tendonlimitvel"),
  UNSENSED("tendonlimitfrc"),
  UNSENSED("insidesite"),
  UNSENSED("distance"),
  UNSENSED("normal"),
  UNSENSED("fromto"),
  UNSENSED("contact"),
  UNSENSED("tactile"),
  UNSENSED("user"),
  UNSENSED("plugin"),
};

enum { ELEMENTS = (int)(sizeof elements/sizeof *elements), MOST_NAMES = 128, MOST_ROWS = 64 };

// The tables of both languages: MJCF, and URDF from SS_MJ_IN_ROBOT on
static const ss_mj_element* table_of(ss_mj_place place, int* n)
{
  *n = ELEMENTS;
  return place >= SS_MJ_IN_ROBOT && place != SS_MJ_NOWHERE ? ss_urdf_table(n) : elements;
}

const ss_mj_element* ss_mj_element_find(ss_mj_place place, const char* name)
{
  int n;
  const ss_mj_element* e = table_of(place, &n);
  for (int i = 0; i < n; i++)
    if (e[i].place == place && strcmp(e[i].name, name) == 0) return e + i;
  return NULL;
}

const char* ss_mj_element_near(ss_mj_place place, const char* name)
{
  const char* names[MOST_NAMES];
  int n, found = 0;
  const ss_mj_element* e = table_of(place, &n);
  for (int i = 0; i < n && found < MOST_NAMES; i++)
    if (e[i].place == place) names[found++] = e[i].name;
  return ss_suggest(name, names, found);
}

const ss_mj_row* ss_mj_row_find(const ss_mj_element* e, const char* name)
{
  for (const ss_mj_row* row = e->rows; row && row->name; row++)
    if (strcmp(row->name, name) == 0) return row;
  return NULL;
}

const char* ss_mj_row_near(const ss_mj_element* e, const char* name)
{
  const char* names[MOST_ROWS];
  int n = 0;
  for (const ss_mj_row* row = e->rows; row && row->name && n < MOST_ROWS; row++) names[n++] = row->name;
  return ss_suggest(name, names, n);
}

const char* ss_scene_shape_name(ss_scene_shape shape)
{
  return (int)shape >= 0 && shape < SS_SCENE_SHAPES ? shapes[shape] : NULL;
}

const char* ss_scene_fate_name(ss_scene_fate fate)
{
  static const char* const names[] = {"honoured", "approximated", "ignored", "unused"};
  return (int)fate >= 0 && fate <= SS_SCENE_UNUSED ? names[fate] : NULL;
}
