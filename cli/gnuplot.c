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
void cli_print_quoted(FILE* out, const char* text)
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
  cli_print_quoted(out, text);
  fputc('\n', out);
}

// The label of the y axis lies above its end: there it has the width of the figure, and no number is in its way.
static void print_label_above(FILE* out, const char* text)
{
  fprintf(out, "set label 1 ");
  cli_print_quoted(out, text);
  fprintf(out, " at graph 0, graph 1 left offset 0, 0.6\n");
}

// A range with some air; a constant gets a range around it, which gnuplot would do with a warning.
void cli_print_range(FILE* out, const char* axis, double low, double high, double air)
{
  if (!(isfinite(low) && isfinite(high) && low <= high)) return;
  double pad = air*(high - low);
  double least = 1e-9*fmax(fabs(low), fabs(high));
  if (high - low <= least) pad = low == 0 && high == 0 ? 1 : fmax(fabs(low), fabs(high))*1e-3;
  fprintf(out, "set %srange [%.12g:%.12g]\n", axis, low - pad, high + pad);
}

// ---- sizes ----

// A figure of a column's width (85 mm are 321 pixels) has small letters, few numbers, and no words that can be spared.
bool cli_is_small(int width) { return width < 500; }

// A letter, in pixels: its size
static int letter(const cli_figure* f) { return cli_is_small(f->width) ? 11 : 15; }

// The distance of the numbers on an axis, 1, 2 or 5 times a power of ten, so that at most `most` of them stand there
static double tic_distance(double range, int most)
{
  double least = range/(most > 1 ? most : 1), power = pow(10, floor(log10(least)));
  const double steps[] = {1, 2, 5, 10};
  for (int i = 0; i < 4; i++)
    if (steps[i]*power >= least*(1 - 1e-9)) return steps[i]*power;
  return 10*power;
}

void cli_print_tics(FILE* out, const char* axis, double low, double high, double pixels, double each)
{
  if (!(high > low) || !isfinite(high - low)) return;
  fprintf(out, "set %stics %.12g\n", axis, tic_distance(high - low, (int)(pixels/each)));
}

// ---- states ----

// Where a contact state stands on the axis: those that occur in the figure, one above the other; -1: it does not occur
typedef struct state_rows {
  int n, row[SS_SLIP + 1];
} state_rows;

static state_rows rank_states(const cli_figure* f)
{
  state_rows rows = {0};
  bool occurs[SS_SLIP + 1] = {false};
  for (int i = 0; i < f->n_curve; i++)
    for (long k = 0; f->curve[i].is_state && k < f->curve[i].n; k++)
      if (f->curve[i].y[k] >= SS_OPEN && f->curve[i].y[k] <= SS_SLIP) occurs[(int)f->curve[i].y[k]] = true;
  for (int s = SS_OPEN; s <= SS_SLIP; s++) rows.row[s] = occurs[s] ? rows.n++ : -1;
  return rows;
}

static void print_states(FILE* out, const cli_figure* f)
{
  state_rows rows = rank_states(f);
  bool first = true;
  fprintf(out, "set yrange [-0.3:%.1f]\nset ytics (", rows.n > 1 ? rows.n - 0.7 : 0.3);
  for (int s = SS_OPEN; s <= SS_SLIP; s++) {
    if (rows.row[s] < 0) continue;
    const char* sign = s == SS_SLIP_NEG ? "slip−" : ss_contact_state_text((ss_contact_state)s);
    fprintf(out, "%s'%s' %d", first ? "" : ", ", sign, rows.row[s]);
    first = false;
  }
  fprintf(out, ")\n");
}

void cli_print_terminal(FILE* out, int width, int height, const char* output)
{
  const char* dot = strrchr(output, '.');
  const char* type = dot ? dot + 1 : "svg";
  if (strcasecmp(type, "png") == 0)
    fprintf(out, "set terminal pngcairo enhanced size %d,%d font 'Sans,%d' background '#ffffff'\n", width,
            height, cli_is_small(width) ? 8 : 12);
  else if (strcasecmp(type, "pdf") == 0)
    fprintf(out, "set terminal pdfcairo enhanced size %.4gin,%.4gin fontscale %s font 'Sans,11' background '#ffffff'\n",
            width/96.0, height/96.0, cli_is_small(width) ? "0.73" : "1");
  else
    fprintf(out, "set terminal svg enhanced size %d,%d dynamic font 'Helvetica,Arial,sans-serif,%d' "
                 "background '#ffffff'\n", width, height, cli_is_small(width) ? 10 : 14);
  fprintf(out, "set output ");
  cli_print_quoted(out, output);
  fputc('\n', out);
}

// Values that are none leave a hole.
static void print_data(FILE* out, const cli_figure* f)
{
  state_rows rows = rank_states(f);
  for (int i = 0; i < f->n_curve; i++) {
    const cli_curve* c = &f->curve[i];
    fprintf(out, "$curve%d << EOD\n", i + 1);
    for (long k = 0; k < c->n; k++) {
      bool known = c->is_state && c->y[k] >= SS_OPEN && c->y[k] <= SS_SLIP;
      if (known) fprintf(out, "%.12g %d\n", c->x[k], rows.row[(int)c->y[k]]);
      else if (isfinite(c->x[k]) && isfinite(c->y[k])) fprintf(out, "%.12g %.9g\n", c->x[k], c->y[k]);
      else fprintf(out, "NaN NaN\n");
    }
    fprintf(out, "EOD\n");
  }
}

static void print_style(FILE* out, const cli_figure* f)
{
  double air = f->x_is_time ? 0 : 0.08*(f->x_max - f->x_min);
  fprintf(out, "set encoding utf8\n"
               "set minussign\n"
               "set border lc rgb '#606060'\n"
               "set grid lt 1 lc rgb '#e4e4e4' lw 0.7\n"
               "set tics nomirror textcolor rgb '#303030'\n"
               "set format '%%h'\n"
               "set key outside top right horizontal noinvert samplen %s\n", cli_is_small(f->width) ? "1.6" : "3");
  for (int i = 0; i < f->n_mark; i++)
    fprintf(out, "set arrow from %.12g, graph 0 to %.12g, graph 1 nohead back lw 0.6 lc rgb '#b8b8b8'\n", f->mark[i],
            f->mark[i]);
  cli_print_range(out, "x", f->x_min, f->x_max, f->x_is_time ? 0 : 0.04);
  if (cli_is_small(f->width)) cli_print_tics(out, "x", f->x_min, f->x_max + air, f->width - 60, 4.5*letter(f));
}

static void print_plot(FILE* out, const cli_figure* f, int first, int last)
{
  fprintf(out, "plot ");
  for (int i = first; i < last; i++) {
    int style = f->panels ? 0 : i;
    fprintf(out, "%s$curve%d using 1:2 with lines lw %s lc rgb '%s' dt %d ", i > first ? ", \\\n     " : "", i + 1,
            f->profile ? "2.2" : "1.5", colours[style % N_COLOURS], 1 + style/N_COLOURS % 4);
    fprintf(out, last - first == 1 ? "notitle" : "title ");
    if (last - first > 1) cli_print_quoted(out, f->curve[i].symbol);
  }
  fputc('\n', out);
}

// Letters of enhanced text: the signs that make subscripts are none, and these are small
static int enhanced_width(const char* text)
{
  int width = cli_text_width(text);
  for (const char* p = text; *p; p++) width -= *p == '{' || *p == '}' || *p == '_' || *p == '\\';
  return width;
}

// All symbols on the y axis, unless that would be longer than the axis: the key names them anyway, and a single one
// stands above the axis.
static void print_joint_label(FILE* out, const cli_figure* f)
{
  double width = 0.55*letter(f), around = cli_is_small(f->width) ? 50 : 95;  // pixels, also above and below the axis
  char text[LABEL + CLI_LABEL], symbols[2*CLI_LABEL] = "";
  int shown = 0;
  for (; shown < f->n_curve && strlen(symbols) < CLI_LABEL - 2; shown++) {
    if (shown) strcat(symbols, ", ");
    strcat(symbols, f->curve[shown].symbol);
  }
  join_label(symbols, f->curve[0].unit, text, sizeof text);
  if (shown == f->n_curve && width*enhanced_width(text) <= f->height - around) print_label(out, "y", text);
  else if (f->n_curve == 1) print_label_above(out, text);
  else {
    join_label("", f->curve[0].unit, text, sizeof text);
    print_label(out, "y", text);
  }
}

static void print_title(FILE* out, const cli_figure* f)
{
  if (!f->title[0]) return;
  fprintf(out, "set title ");
  cli_print_quoted(out, f->title);
  fputc('\n', out);
}

static void print_single(FILE* out, const cli_figure* f)
{
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (int i = 0; i < f->n_curve; i++) {
    low = fmin(low, f->curve[i].y_min);
    high = fmax(high, f->curve[i].y_max);
  }
  print_title(out, f);
  print_label(out, "x", f->x_label);
  print_joint_label(out, f);
  if (f->curve[0].is_state) print_states(out, f);
  else cli_print_range(out, "y", low, high, 0.04);
  if (cli_is_small(f->width) && !f->curve[0].is_state)
    cli_print_tics(out, "y", low, high + 0.08*(high - low), f->height - 70, 1.9*letter(f));
  print_plot(out, f, 0, f->n_curve);
}

// Performance profiles: the key names the curves from the highest end to the lowest, as they end at the right border
static void print_profile(FILE* out, const cli_figure* f)
{
  fprintf(out, "set title ");
  cli_print_quoted(out, f->title);
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
    print_states(out, f);
  } else {
    fprintf(out, "set autoscale y\nset ytics autofreq\n");
    cli_print_range(out, "y", c->y_min, c->y_max, 0.06);
    double pixels = (double)f->height/f->n_curve - 30;
    if (cli_is_small(f->width))
      cli_print_tics(out, "y", c->y_min, c->y_max + 0.12*(c->y_max - c->y_min), pixels, 1.9*letter(f));
  }
  print_plot(out, f, i, i + 1);
}

// Panels above each other share the x axis: its numbers stand below the last one only.
static void print_panels(FILE* out, const cli_figure* f)
{
  double scale = cli_is_small(f->width) ? 0.7 : 1, above = f->title[0] ? 58 : 34;
  double left = 110*scale/f->width, right = 1 - 30*scale/f->width, bottom = 60*scale/f->height,
         top = 1 - above*scale/f->height;
  fprintf(out, "set multiplot layout %d,1 margins screen %.4f,%.4f,%.4f,%.4f spacing screen 0,%.4f", f->n_curve, left,
          right, bottom, top, 28*scale/f->height);
  if (f->title[0]) {
    fprintf(out, " title ");
    cli_print_quoted(out, f->title);
  }
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
  cli_print_terminal(out, figure->width, figure->height, output);
  print_data(out, figure);
  print_style(out, figure);
  if (figure->profile) print_profile(out, figure);
  else if (figure->panels) print_panels(out, figure);
  else print_single(out, figure);
  fprintf(out, "unset output\n");
  return fflush(out) == 0 && !ferror(out);
}
