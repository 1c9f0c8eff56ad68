// The drawing of a text model: shapes read from the file, their numbers as a tape.
#ifndef SS_IO_MODEL_DRAW_H
#define SS_IO_MODEL_DRAW_H

#include <stickslip/draw.h>

#include "io/model_reader.h"
#include "system/tape.h"

struct ss_model_drawing {
  ss_drawing drawing;
  ss_draw_shape* shape;  ///< drawing.n_shape, texts and numbers owned
  bool* is_constant;     ///< drawing.n_value
  ss_tape tape;          ///< one segment, one output for each value
};

/// Reads the section `draw`, after everything else. Nothing happens if the file has none.
ss_status ss_reader_draw(ss_reader* r);

/// Whether it is a colour of a drawing.
bool ss_draw_is_colour(const char* text);

void ss_model_drawing_destroy(struct ss_model_drawing* drawing);  ///< NULL is fine

#endif
