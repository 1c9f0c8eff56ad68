// A model as the library keeps it; model_read.c (texts) or model_scene.c (scenes) fill it, model.c gives access.
#ifndef SS_IO_MODEL_H
#define SS_IO_MODEL_H

#include <stickslip/machine.h>
#include <stickslip/model.h>

#include "planar/planar.h"
#include "system/lagrangian.h"

struct ss_model {
  char* text;                ///< the file
  char* name;
  char* description;
  char* source;
  char* folder;              ///< of the file, absolute; NULL if it was read from memory
  ss_lagrangian* lagrangian; ///< of text models; NULL if they have neither coordinates nor guided bodies
  ss_planar* planar;         ///< of text models with bodies; NULL: none
  int n_outline;
  ss_outline** outline;      ///< n_outline: of its bodies
  ss_scene* scene;           ///< of scenes
  ss_scene* redundant;       ///< the same in redundant coordinates, if that is asked for
  ss_machine* machine;       ///< likewise
  struct ss_model_drawing* drawing;  ///< NULL if none (io/model_draw.h)
  int nq, nv;
  double* initial;           ///< q then u: nq + nv
  ss_run_def run;
  int n_parameter;
  ss_parameter* parameter;   ///< n_parameter
  int n_override;
  ss_override* override;     ///< n_override, strings owned
};

/// Fills the model from its text (model->text is set). Names in messages: file.
ss_status ss_model_read(ss_model* model, size_t length, const char* file, const ss_model_def* def, ss_error* error);

/// Whether it is a scene rather than a text model: XML, which begins with '<', or a name that ends in .xml.
bool ss_model_is_scene(const char* text, size_t length, const char* name);

/// ss_model_read() for scenes.
ss_status ss_model_read_scene(ss_model* model, size_t length, const char* file, const ss_model_def* def,
                              ss_error* error);

#endif
