// A figure: curves with labels and units, ready to be drawn.
#ifndef CLI_FIGURE_H
#define CLI_FIGURE_H

#include <stdio.h>

#include "cli.h"

enum { CLI_LABEL = 256 };

typedef struct cli_curve {
  char symbol[CLI_LABEL];  ///< what the curve shows, as gnuplot's enhanced text
  char unit[CLI_LABEL];    ///< the same, "" if none
  long n;                  ///< points, at most CLI_MAX_POINTS
  double* x;               ///< n; one block with y
  double* y;               ///< n
  double y_min, y_max;     ///< of the finite values
  bool is_state;           ///< the values are ss_contact_state
} cli_curve;

typedef struct cli_figure {
  char title[CLI_LABEL];   ///< enhanced text
  char x_label[CLI_LABEL]; ///< ...
  double x_min, x_max;     ///
  bool x_is_time;          ///< the curves then reach from border to border
  int n_curve;             ///
  cli_curve* curve;        ///< n_curve
  bool profile;            ///< fractions, 0 to 1, over a logarithmic axis; the key stands beside the diagram
  bool panels;             ///< one diagram per curve, above each other; otherwise all in one
  int width, height;       ///< pixels
  int n_mark;              ///< thin vertical lines ...
  double* mark;            ///< ... at these x
} cli_figure;

/// Frees the curves and the marks.
void cli_figure_free(cli_figure* figure);

/// The rows of a run that a curve shows.
typedef struct cli_samples {
  long n;
  const double* x;
  const double* y;
} cli_samples;

enum { CLI_MAX_POINTS = 16000 };

/// Copies the samples into the curve, thinned to CLI_MAX_POINTS. False if memory is short.
bool cli_curve_fill(cli_curve* curve, cli_samples samples);

/// The rows, in order, with which the curve looks the same: at most `room`, which is 6 at least, into keep. Returns
/// their number.
long cli_thin(cli_samples samples, long room, long* keep);

/// "900x600" in pixels, 96 to the inch, or "85x60mm": pixels from `least` to `most`. False if it is neither.
bool cli_read_size(const char* text, int least, int most, int* width, int* height);

/// The range of an axis with some air, a part of it; what is constant, but for round-off, gets a range around it.
void cli_print_range(FILE* out, const char* axis, double low, double high, double air);
/// Numbers on an axis from low to high that is so many pixels long; `each`: what one of them needs.
void cli_print_tics(FILE* out, const char* axis, double low, double high, double pixels, double each);

/// Plain text as enhanced text: nothing in it becomes a subscript.
void cli_plain_text(const char* text, char* out, size_t size);

/// A name as a symbol in enhanced text: "phi_M" gets a Greek letter and a subscript, the rate "u_x" becomes dx/dt if
/// `is_rate`.
void cli_symbol_text(const char* name, bool is_rate, char* out, size_t size);

/// Text in quotes, as gnuplot reads it.
void cli_print_quoted(FILE* out, const char* text);

/// Whether a picture so many pixels wide has small letters.
bool cli_is_small(int width);

/// Where gnuplot draws to: a file `output` (.svg, .png or .pdf) of so many pixels.
void cli_print_terminal(FILE* out, int width, int height, const char* output);

/// Writes a gnuplot script that holds its data and draws the figure into the file `output` (.svg, .png or .pdf).
/// False if it could not be written.
bool cli_gnuplot_script(FILE* out, const cli_figure* figure, const char* output);

/// Writes a script that draws into the file `picture`.
typedef bool (*cli_script_writer)(FILE* out, const void* user, const char* picture);

/// Has gnuplot draw what the script says. Returns an exit status; what is wrong has been reported.
int cli_gnuplot_draw(cli_script_writer write, const void* user, const char* output);

/// Has gnuplot draw the figure. Returns an exit status; what is wrong has been reported.
int cli_gnuplot_run(const cli_figure* figure, const char* output);

#endif
