// The gnuplot script that draws a figure.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "figure.h"
#include "table.h"

// Okabe and Ito's palette: distinct for all common kinds of colour vision
static const char* const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"};
enum { N_COLOURS = sizeof colours/sizeof *colours };

// In gnuplot's single quotes nothing is special but the quote itself.
static void print_quoted(FILE* out, const char* text)
{
  fputc('\'', out);
  for (; *text; text++) {
    if (*text == '\'') fputc('\'', out);
    fputc(*text, out);
  }
  fputc('\'', out);
}

enum { LABEL = 2*CLI_LABEL + 8 };

// "symbol [unit]"
static void join_label(const char* symbol, const char* unit, char* out, size_t size)
{
  snprintf(out, size, unit[0] ? "%s%s[%s]" : "%s", symbol, symbol[0] ? " " : "", unit);
}

static void print_label(FILE* out, const char* axis, const char* text)
{
  fprintf(out, "set %slabel ", axis);
  print_quoted(out, text);
  fputc('\n', out);
}

// The label of the y axis lies above its end: there it has the width of the figure, and no number is in its way.
static void print_label_above(FILE* out, const char* text)
{
  fprintf(out, "set label 1 ");
  print_quoted(out, text);
  fprintf(out, " at graph 0, graph 1 left offset 0, 0.6\n");
}

// A range with some air; a constant gets a range around it, which gnuplot would do with a warning.
static void print_range(FILE* out, const char* axis, double low, double high, double air)
{
  if (!(isfinite(low) && isfinite(high) && low <= high)) return;
  double pad = air*(high - low);
  double least = 1e-9*fmax(fabs(low), fabs(high));
  if (high - low <= least) pad = low == 0 && high == 0 ? 1 : fmax(fabs(low), fabs(high))*1e-3;
  fprintf(out, "set %srange [%.12g:%.12g]\n", axis, low - pad, high + pad);
}

// States are words, all of them always in the same place
static void print_states(FILE* out)
{
  fprintf(out, "set yrange [-0.3:%d.3]\nset ytics (", SS_SLIP);
  for (int i = SS_OPEN; i <= SS_SLIP; i++)
    fprintf(out, "%s'%s' %d", i ? ", " : "", ss_contact_state_text((ss_contact_state)i), i);
  fprintf(out, ")\n");
}

static void print_terminal(FILE* out, const cli_figure* f, const char* output)
{
  const char* dot = strrchr(output, '.');
  const char* type = dot ? dot + 1 : "svg";
  if (strcasecmp(type, "png") == 0)
    fprintf(out, "set terminal pngcairo enhanced size %d,%d font 'Sans,12' background '#ffffff'\n", f->width,
            f->height);
  else if (strcasecmp(type, "pdf") == 0)
    fprintf(out, "set terminal pdfcairo enhanced size %.4gin,%.4gin font 'Sans,11' background '#ffffff'\n",
            f->width/96.0, f->height/96.0);
  else
    fprintf(out, "set terminal svg enhanced size %d,%d dynamic font 'Helvetica,Arial,sans-serif,14' "
                 "background '#ffffff'\n", f->width, f->height);
  fprintf(out, "set output ");
  print_quoted(out, output);
  fputc('\n', out);
}

// Values that are none leave a hole.
static void print_data(FILE* out, const cli_figure* f)
{
  for (int i = 0; i < f->n_curve; i++) {
    const cli_curve* c = &f->curve[i];
    fprintf(out, "$curve%d << EOD\n", i + 1);
    for (long k = 0; k < c->n; k++) {
      if (isfinite(c->x[k]) && isfinite(c->y[k])) fprintf(out, "%.12g %.9g\n", c->x[k], c->y[k]);
      else fprintf(out, "NaN NaN\n");
    }
    fprintf(out, "EOD\n");
  }
}

static void print_style(FILE* out, const cli_figure* f)
{
  fprintf(out, "set encoding utf8\n"
               "set border lc rgb '#606060'\n"
               "set grid lt 1 lc rgb '#e4e4e4' lw 0.7\n"
               "set tics nomirror textcolor rgb '#303030'\n"
               "set format '%%h'\n"
               "set key outside top right horizontal noinvert\n");
  for (int i = 0; i < f->n_mark; i++)
    fprintf(out, "set arrow from %.12g, graph 0 to %.12g, graph 1 nohead back lw 0.6 lc rgb '#b8b8b8'\n", f->mark[i],
            f->mark[i]);
  print_range(out, "x", f->x_min, f->x_max, f->x_is_time ? 0 : 0.04);
}

static void print_plot(FILE* out, const cli_figure* f, int first, int last)
{
  fprintf(out, "plot ");
  for (int i = first; i < last; i++) {
    int style = f->panels ? 0 : i;
    fprintf(out, "%s$curve%d using 1:2 with lines lw %s lc rgb '%s' dt %d ", i > first ? ", \\\n     " : "", i + 1,
            f->profile ? "2.2" : "1.5", colours[style % N_COLOURS], 1 + style/N_COLOURS % 4);
    fprintf(out, last - first == 1 ? "notitle" : "title ");
    if (last - first > 1) print_quoted(out, f->curve[i].symbol);
  }
  fputc('\n', out);
}

// All symbols on the y axis, unless that would be longer than the axis: the key names them anyway, and a single one
// stands above the axis.
static void print_joint_label(FILE* out, const cli_figure* f)
{
  enum { LETTER = 8, AROUND = 110 };  // pixels: a letter's width, what is above and below the axis
  char text[LABEL + CLI_LABEL], symbols[2*CLI_LABEL] = "";
  int shown = 0;
  for (; shown < f->n_curve && strlen(symbols) < CLI_LABEL - 2; shown++) {
    if (shown) strcat(symbols, ", ");
    strcat(symbols, f->curve[shown].symbol);
  }
  join_label(symbols, f->curve[0].unit, text, sizeof text);
  if (shown == f->n_curve && LETTER*cli_text_width(text) <= f->height - AROUND) print_label(out, "y", text);
  else if (f->n_curve == 1) print_label_above(out, text);
  else {
    join_label("", f->curve[0].unit, text, sizeof text);
    print_label(out, "y", text);
  }
}

static void print_single(FILE* out, const cli_figure* f)
{
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (int i = 0; i < f->n_curve; i++) {
    low = fmin(low, f->curve[i].y_min);
    high = fmax(high, f->curve[i].y_max);
  }
  fprintf(out, "set title ");
  print_quoted(out, f->title);
  fputc('\n', out);
  print_label(out, "x", f->x_label);
  print_joint_label(out, f);
  if (f->curve[0].is_state) print_states(out);
  else print_range(out, "y", low, high, 0.04);
  print_plot(out, f, 0, f->n_curve);
}

// Performance profiles: the key names the curves from the highest end to the lowest, as they end at the right border
static void print_profile(FILE* out, const cli_figure* f)
{
  fprintf(out, "set title ");
  print_quoted(out, f->title);
  fputc('\n', out);
  print_label(out, "x", f->x_label);
  print_label(out, "y", "fraction of problems solved");
  fprintf(out, "set logscale x\nset xrange [%.12g:%.12g]\nset yrange [0:1.02]\nset ytics 0.2\nset mytics 2\n"
               "set grid mxtics mytics\nset key outside right center vertical Left reverse samplen 2.5 spacing 1.4 "
               "title 'solver (solved)' left\n", f->x_min, f->x_max);
  print_plot(out, f, 0, f->n_curve);
}

static void print_panel(FILE* out, const cli_figure* f, int i)
{
  const cli_curve* c = &f->curve[i];
  char text[LABEL];
  join_label(c->symbol, c->unit, text, sizeof text);
  print_label_above(out, text);
  if (c->is_state) {
    print_states(out);
  } else {
    fprintf(out, "set autoscale y\nset ytics autofreq\n");
    print_range(out, "y", c->y_min, c->y_max, 0.06);
  }
  print_plot(out, f, i, i + 1);
}

// Panels above each other share the x axis: its numbers stand below the last one only.
static void print_panels(FILE* out, const cli_figure* f)
{
  double left = 110.0/f->width, right = 1 - 30.0/f->width, bottom = 60.0/f->height, top = 1 - 58.0/f->height;
  fprintf(out, "set multiplot layout %d,1 margins screen %.4f,%.4f,%.4f,%.4f spacing screen 0,%.4f title ", f->n_curve,
          left, right, bottom, top, 28.0/f->height);
  print_quoted(out, f->title);
  fprintf(out, "\nset format x ''\n");
  for (int i = 0; i < f->n_curve; i++) {
    if (i == f->n_curve - 1) {
      fprintf(out, "set format x '%%h'\n");
      print_label(out, "x", f->x_label);
    }
    print_panel(out, f, i);
  }
  fprintf(out, "unset multiplot\n");
}

bool cli_gnuplot_script(FILE* out, const cli_figure* figure, const char* output)
{
  print_terminal(out, figure, output);
  print_data(out, figure);
  print_style(out, figure);
  if (figure->profile) print_profile(out, figure);
  else if (figure->panels) print_panels(out, figure);
  else print_single(out, figure);
  fprintf(out, "unset output\n");
  return fflush(out) == 0 && !ferror(out);
}
