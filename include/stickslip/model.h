// Models: texts, with parameters, coordinates, energies and gap functions as expressions in a YAML file
// (docs/model-format.md), and scenes, MJCF files of bodies, joints and shapes (docs/scenes.md).
#ifndef STICKSLIP_MODEL_H
#define STICKSLIP_MODEL_H

#include <stickslip/base.h>
#include <stickslip/simulate.h>
#include <stickslip/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A model: a system, its initial state, its default run settings, and the text it came from.
typedef struct ss_model ss_model;

/// `path = value`: replaces a value of the file before it is read. The path is a parameter's name or the way to any
/// scalar of the file ("contacts.floor.mu", "initial.y", "run.dt"); the value is an expression, as in the file. Of a
/// scene it is the way to an attribute ("geom.floor.friction", "option.timestep"), and the value is one as in the file.
typedef struct ss_override {
  const char* path;
  const char* value;
} ss_override;

/// How to read a model. Zero-initialised is fine.
typedef struct ss_model_def {
  int n_override;
  const ss_override* override;
  ss_log log;  ///< warnings, e.g. a gap that is violated at the start
} ss_model_def;

typedef struct ss_parameter {
  const char* name;
  double value;
} ss_parameter;

/// What the file asks for under `run:`; scenes: in <stickslip> and <option>.
typedef struct ss_run_def {
  ss_step_def step;
  double start;  ///< time of the initial state, s   default 0; of a scene that of its keyframe
  double until;  ///< end time, s                    default 1 s after it
  int every;     ///< record every so many steps     default 1
  bool elsewhere;  ///< it starts from another state than the model's, as a periodic orbit does; told in the record
                   ///<                                default false
} ss_run_def;

/// Reads a file, or a model of the catalogue by its name ("woodpecker"). NULL and *error if it cannot be.
SS_API ss_model* ss_model_load(const char* path_or_name, const ss_model_def* def, ss_error* error);

/// Reads a model from memory; `name` stands for the file name in messages. What begins with '<' is a scene.
SS_API ss_model* ss_model_parse(const char* text, size_t length, const char* name, const ss_model_def* def,
                                ss_error* error);

SS_API void ss_model_destroy(ss_model* model);  ///< NULL is fine

SS_API const ss_system* ss_model_system(const ss_model* model);
SS_API const char* ss_model_name(const ss_model* model);
SS_API const char* ss_model_description(const ss_model* model);  ///< "" if none
SS_API const char* ss_model_source(const ss_model* model);       ///< "" if none; where the system comes from
SS_API const char* ss_model_text(const ss_model* model);         ///< the file as it was read
SS_API const char* ss_model_folder(const ss_model* model);       ///< absolute; NULL: it was read from memory
SS_API void ss_model_initial(const ss_model* model, ss_state* state);
SS_API const ss_run_def* ss_model_run(const ss_model* model);
SS_API int ss_model_parameters(const ss_model* model, const ss_parameter** list);  ///< number; *list in file order.
                                                                                   ///< Scenes: none
SS_API int ss_model_overrides(const ss_model* model, const ss_override** list);    ///< those it was read with

typedef enum ss_body_shape { SS_BODY_OUTLINE, SS_BODY_CIRCLE, SS_BODY_HALFPLANE } ss_body_shape;

/// Guided: the pose is a function of coordinates or time; free: it has three coordinates of its own.
typedef enum ss_body_motion { SS_BODY_FIXED, SS_BODY_GUIDED, SS_BODY_FREE } ss_body_motion;

/// A body of the section `bodies` of a text model (docs/polygons.md).
typedef struct ss_body_info {
  const char* name;
  ss_body_shape shape;
  ss_body_motion motion;
  bool is_open;          ///< an outline that is not closed
  int points;            ///< of its outline; else 0
  double mass, inertia;  ///< kg, kg m^2 about the centre of mass; 0: none of its own
  const double* outline; ///< 2 for each of its points, in the frame of the body, m; the solid is on the left; or NULL
  double center[2];      ///< of a circle; a point of the edge of a half-plane
  double radius;         ///< of a circle, m
  double normal[2];      ///< of a half-plane, out of the solid
  int group;             ///< bodies of one group do not touch; -1: of none
} ss_body_info;

/// The law of the contact with this key, of models whose contacts come and go; NULL if there is no such key.
SS_API const ss_contact_def* ss_model_contact_law(const ss_model* model, uint64_t key);

SS_API int ss_model_bodies(const ss_model* model);                ///< how many; 0 if there is no such section
SS_API ss_body_info ss_model_body(const ss_model* model, int i);  ///< 0 <= i < that
/// pose (3 for each of them): x, y in m and the angle in rad of the frame of each body, at (q, t). SS_ERR_MEMORY.
SS_API ss_status ss_model_place_bodies(const ss_model* model, const double* q, double t, double* pose);

/// The catalogue: models built into the library.
typedef struct ss_catalogue_entry {
  const char* name;
  const char* text;  ///< the file
} ss_catalogue_entry;

SS_API int ss_catalogue(const ss_catalogue_entry** list);  ///< number of entries

#ifdef __cplusplus
}
#endif
#endif
