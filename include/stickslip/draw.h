// How a text model looks: the `draw:` section of its file (docs/model-format.md), plane shapes whose places are
// expressions of the coordinates and of time. Only pictures need it; no step reads it.
#ifndef STICKSLIP_DRAW_H
#define STICKSLIP_DRAW_H

#include <stickslip/model.h>

#ifdef __cplusplus
extern "C" {
#endif

//  kind             key         numbers
#define SS_DRAW_LIST(X)                                                                                         \
  X(SS_DRAW_LINE,    "line")    /* x, y of two points or more, open */                                          \
  X(SS_DRAW_POLYGON, "polygon") /* x, y of three points or more, closed */                                      \
  X(SS_DRAW_CIRCLE,  "circle")  /* x, y of the centre, radius */                                                \
  X(SS_DRAW_SPRING,  "spring")  /* x, y of two points: a zigzag between them */                                 \
  X(SS_DRAW_GROUND,  "ground")  /* x, y of two points or more, hatched on the right of the way along them */    \
  X(SS_DRAW_TEXT,    "text")    /* x, y */                                                                      \
  X(SS_DRAW_CONTACT, "contact") /* x, y of the point, of the normal, to which Lambda_N pushes the body, and     \
                                   perhaps of the tangent, to which Lambda_T does; else the normal turned by -90 \
                                   degrees */                                                                   \
  X(SS_DRAW_VIEW,    "view")    /* left, bottom, right, top of what the picture shows; nothing is drawn */

typedef enum ss_draw_kind {
#define X(name, key) name,
  SS_DRAW_LIST(X)
#undef X
  SS_DRAW_KINDS
} ss_draw_kind;

/// The key of a kind in the file: "line", "polygon", ...; NULL if there is no such kind.
SS_API const char* ss_draw_kind_text(ss_draw_kind kind);

/// A shape. Its numbers are values of the drawing: value[number[i]].
typedef struct ss_draw_shape {
  const char* name;    ///
  ss_draw_kind kind;   ///
  const char* label;   ///< of a text: what it says; else NULL
  const char* fill;    ///< colour of the inside, a name of ss_draw_colours() or #rrggbb; NULL: not given
  const char* stroke;  ///< colour of the line, likewise
  double width;        ///< of the line, pixels; 0: not given
  int contact;         ///< of a contact: its number; else -1
  int frame[3];        ///< numbers of x, y and angle of the frame that all points are given in; -1: the world
  int n;               ///
  const int* number;   ///< n, as the kind says
} ss_draw_shape;

/// What a model looks like.
typedef struct ss_drawing {
  int n_shape;
  const ss_draw_shape* shape;  ///< n_shape, in the order in which they are drawn
  int n_value;                 ///< numbers to be evaluated for a picture
  const bool* is_constant;     ///< n_value: the same at all times
} ss_drawing;

/// The drawing of a model; NULL if it has none. Belongs to the model.
SS_API const ss_drawing* ss_model_drawing(const ss_model* model);

/// Its values at n instants, row by row: t is n, q n x nq, value n x n_value. SS_ERR_MEMORY; SS_ERR_ARGUMENT if the
/// model has no drawing. A value that is not finite is passed on: that shape cannot be drawn then.
SS_API ss_status ss_model_draw(const ss_model* model, long n, const double* t, const double* q, double* value);

/// The names of colours, ended by NULL. What they look like is up to the picture (light or dark).
SS_API const char* const* ss_draw_colours(void);

#ifdef __cplusplus
}
#endif
#endif
