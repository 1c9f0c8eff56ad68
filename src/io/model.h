// A text model as the library keeps it; model_read.c fills it, model.c gives access.
#ifndef SS_IO_MODEL_H
#define SS_IO_MODEL_H

#include <stickslip/model.h>

#include "system/lagrangian.h"

struct ss_model {
  char* text;                ///< the file
  char* name;
  char* description;
  char* source;
  ss_lagrangian* lagrangian;
  int nv;
  double* initial;           ///< q then u: 2 nv
  ss_run_def run;
  int n_parameter;
  ss_parameter* parameter;   ///< n_parameter
  int n_override;
  ss_override* override;     ///< n_override, strings owned
};

/// Fills the model from its text (model->text is set). Names in messages: file.
ss_status ss_model_read(ss_model* model, size_t length, const char* file, const ss_model_def* def, ss_error* error);

#endif
