// `stickslip diagram`: pictures of the table of a sweep.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "out_file.h"
#include "cli.h"
#include "figure.h"
#include "model_arg.h"

typedef struct diagram_options {
  const char *output, *script, *x, *y, *colour, *title, *size, *model, *x_label, *y_label, *colour_label;
  int kind;
  long bins;
} diagram_options;

enum { POINTS, MAP, FAN, HISTOGRAM };
static const char* const kinds[] = {"points", "map", "fan", "histogram", NULL};

#define AT(field) offsetof(diagram_options, field)
static const cli_option options[] = {
  {"output", 'o', CLI_STRING, "FILE", AT(output), "the picture: FILE.svg, FILE.png or FILE.pdf", NULL},
  {"x", 0, CLI_STRING, "COLUMN", AT(x), "to the right (default: the first column)", NULL},
  {"y", 0, CLI_STRING, "COLUMN", AT(y), "upwards; histogram: what is counted (default: the last column)", NULL},
  {"colour", 0, CLI_STRING, "COLUMN", AT(colour), "colour of points (default: one colour) or of a map", NULL},
  {"kind", 0, CLI_CHOICE, "KIND", AT(kind),
   "points (bifurcation diagrams, Poincare sections), map (x, y on a grid, a colour for each: basins), fan (median, "
   "quartiles, 5 and 95 % of y for each x: ensembles), histogram (default: points)", kinds},
  {"bins", 0, CLI_COUNT, "N", AT(bins), "of a histogram (default: 60)", NULL},
  {"model", 0, CLI_STRING, "MODEL", AT(model), "the model of the sweep: its units stand at the axes", NULL},
  {"x-label", 0, CLI_STRING, "TEXT", AT(x_label), "text at the axis in place of the column's name", NULL},
  {"y-label", 0, CLI_STRING, "TEXT", AT(y_label), "the same of the other axis", NULL},
  {"colour-label", 0, CLI_STRING, "TEXT", AT(colour_label), "the same of the colours", NULL},
  {"size", 0, CLI_STRING, "WxH", AT(size),
   "size in pixels, 96 to the inch, or in millimetres, such as 85x60mm (default: 900x600)", NULL},
  {"title", 0, CLI_STRING, "TEXT", AT(title), "title", NULL},
  {"script", 0, CLI_STRING, "FILE", AT(script), "keep the gnuplot script, with its data, in this file", NULL},
  {0},
};

const cli_command cli_diagram_command = {
  .name = "diagram", .operands = "TABLE", .min_operands = 1, .max_operands = 1,
  .summary = "draw the table of a sweep (SVG, PNG, PDF)",
  .purpose = "Draws TABLE, a CSV or HDF5 file written by 'stickslip sweep' (or any CSV file with a line of names), by "
             "means of gnuplot. Names become symbols (mu is a Greek letter, u_x is dx/dt); with --model they have "
             "units. Rows whose values are not numbers are left out.",
  .options = options,
  .examples = "  stickslip diagram bifurcation.csv --x omega --y x --colour direction --model impact-oscillator \\\n"
              "      --x-label \"ω [rad/s]\" -o bifurcation.png\n"
              "  stickslip diagram sweep.h5 --x x --y u_x -o section.svg\n"
              "  stickslip diagram basin.csv --kind map --x initial.x --y \"initial.x'\" --colour x -o basin.png\n"
              "  stickslip diagram ensemble.csv --kind fan --x return --y interval -o fan.png\n",
  .main = cli_diagram,
};

typedef struct diagram {
  const diagram_options* o;
  const ss_number_table* t;
  const ss_system_def* d;           // of --model; NULL: none
  int x, y, colour, width, height;  // columns, -1: none; pixels
} diagram;

static double at(const diagram* d, long row, int column) { return d->t->value[row*d->t->n_columns + column]; }

static bool is_shown(const diagram* d, long row)
{
  bool coloured = d->colour < 0 || isfinite(at(d, row, d->colour)) || d->o->kind == MAP;  // a map has white places
  return isfinite(at(d, row, d->x)) && isfinite(at(d, row, d->y)) && coloured;
}

// ---- labels ----

static void print_quoted(FILE* f, const char* text)
{
  cli_print_quoted(f, text);
  fputc('\n', f);
}

// A disturbance of a sweep is named d_NAME, unless the model has a coordinate of that name
static bool is_disturbance(const diagram* d, const char* name)
{
  for (int i = 0; d->d && i < d->d->nq; i++)
    if (strcmp(d->d->coordinate[i], name) == 0) return false;
  return strncmp(name, "d_", 2) == 0 && name[2];
}

// What a column is of: "x" of "x", "u_x", "initial.x'", "max.x", and whether it is a rate
static const char* quantity_of(const char* column, char* name, size_t size, bool* rate)
{
  const char* dot = strchr(column, '.');
  const char* rest = dot && strncmp(column, "contacts.", 9) != 0 ? dot + 1 : column;
  *rate = strncmp(rest, "u_", 2) == 0;
  snprintf(name, size, "%s", *rate ? rest + 2 : rest);
  size_t n = strlen(name);
  if (n > 1 && name[n - 1] == '\'') {
    name[n - 1] = '\0';
    *rate = true;
  }
  return dot && rest != column ? column : NULL;
}

static void find_unit(const diagram* d, const char* name, bool rate, char* unit, size_t size)
{
  unit[0] = '\0';
  if (strcmp(name, "t") == 0 || strcmp(name, "interval") == 0) snprintf(unit, size, "s");
  for (int i = 0; d->d && !rate && i < d->d->nq; i++)
    if (strcmp(d->d->coordinate[i], name) == 0) snprintf(unit, size, "%s", cli_unit(d->d, i));
  for (int i = 0; d->d && rate && i < d->d->nv; i++)
    if (strcmp(d->d->velocity[i], name) == 0) cli_rate_unit(d->d, i, unit, size);
}

// "dx/dt, initial [m/s]", "Δμ"
static void label_of(const diagram* d, int column, char* out, size_t size)
{
  char name[CLI_LABEL], symbol[CLI_LABEL], full[CLI_LABEL + 2], plain[CLI_LABEL] = "";
  char raw[80] = "", unit[CLI_LABEL] = "";
  bool rate, disturbed = is_disturbance(d, d->t->name[column]);
  const char* head = quantity_of(d->t->name[column], name, sizeof name - 2, &rate);
  snprintf(full, sizeof full, "%s%s", rate ? "u_" : "", disturbed ? name + 2 : name);
  cli_symbol_text(full, rate, symbol, sizeof symbol);
  find_unit(d, name, rate, raw, sizeof raw);
  cli_plain_text(raw, unit, sizeof unit);
  if (head) snprintf(plain, sizeof plain, ", %.*s", (int)strcspn(head, "."), head);
  snprintf(out, size, "%s%s%s%s%s%s", disturbed ? "Δ" : "", symbol, plain, unit[0] ? " [" : "", unit,
           unit[0] ? "]" : "");
}

static void print_label(const diagram* d, FILE* f, const char* where, const char* given, int column)
{
  char text[4*CLI_LABEL];
  if (given) cli_plain_text(given, text, sizeof text);
  else label_of(d, column, text, sizeof text);
  fprintf(f, "set %s ", where);
  print_quoted(f, text);
}

// ---- data ----

static int by_value(const void* a, const void* b)
{
  double x = *(const double*)a, y = *(const double*)b;
  return x < y ? -1 : x > y;
}

static double quantile(const double* sorted, long n, double part)
{
  double place = part*(double)(n - 1);
  long k = (long)place;
  return k + 1 < n ? sorted[k] + (place - (double)k)*(sorted[k + 1] - sorted[k]) : sorted[n - 1];
}

// x and five quantiles of y for each value of x
static bool print_fan(const diagram* d, FILE* f)
{
  long n = 0;
  double* pair = malloc(sizeof *pair*(3*(size_t)d->t->n_rows + 1));
  if (!pair) return false;
  for (long i = 0; i < d->t->n_rows; i++) {
    if (!is_shown(d, i)) continue;
    pair[2*n] = at(d, i, d->x);
    pair[2*n++ + 1] = at(d, i, d->y);
  }
  qsort(pair, (size_t)n, 2*sizeof *pair, by_value);
  double* y = pair + 2*n;
  for (long i = 0, k; i < n; i = k) {
    for (k = i; k < n && pair[2*k] == pair[2*i]; k++) y[k - i] = pair[2*k + 1];
    qsort(y, (size_t)(k - i), sizeof *y, by_value);
    fprintf(f, "%.10g", pair[2*i]);
    for (int q = 0; q < 5; q++) fprintf(f, " %.10g", quantile(y, k - i, (const double[]){.05, .25, .5, .75, .95}[q]));
    fputc('\n', f);
  }
  free(pair);
  return true;
}

static bool print_histogram(const diagram* d, FILE* f)
{
  double low = INFINITY, high = -INFINITY;
  long n = d->o->bins, *count = calloc((size_t)n, sizeof *count);
  if (!count) return false;
  for (long i = 0; i < d->t->n_rows; i++) {
    if (!is_shown(d, i)) continue;
    low = fmin(low, at(d, i, d->y));
    high = fmax(high, at(d, i, d->y));
  }
  double width = high > low ? (high - low)/(double)n : 1;
  for (long i = 0; i < d->t->n_rows; i++) {
    if (!is_shown(d, i)) continue;
    long k = (long)((at(d, i, d->y) - low)/width);
    count[k < n ? k : n - 1]++;
  }
  for (long k = 0; k < n && high >= low; k++)
    fprintf(f, "%.10g %ld %.10g\n", low + width*((double)k + 0.5), count[k], width);
  free(count);
  return true;
}

static bool print_data(const diagram* d, FILE* f)
{
  bool good = true;
  fprintf(f, "$data << END\n");
  if (d->o->kind == FAN) good = print_fan(d, f);
  else if (d->o->kind == HISTOGRAM) good = print_histogram(d, f);
  else {
    for (long i = 0; i < d->t->n_rows; i++) {
      if (!is_shown(d, i)) continue;
      fprintf(f, "%.10g %.10g", at(d, i, d->x), at(d, i, d->y));
      if (d->colour >= 0) fprintf(f, " %.10g", at(d, i, d->colour));
      fputc('\n', f);
    }
  }
  fprintf(f, "END\n");
  return good;
}

enum { FEW = 8 };  // values that are colours of their own

// Okabe and Ito's colours, distinct for all common kinds of colour vision
static const char* const few[FEW] = {"#0072B2", "#D55E00", "#009E73", "#E69F00", "#CC79A7", "#56B4E9", "#F0E442",
                                     "#000000"};

static bool is_direction(const diagram* d) { return strcmp(d->t->name[d->colour], "direction") == 0; }

// What a value of a column is called: the direction of a chain has names
static const char* name_of(const diagram* d, double value, char* text, size_t size)
{
  if (is_direction(d) && value == 1) return "up";
  if (is_direction(d) && value == -1) return "down";
  snprintf(text, size, value < 0 ? "\xe2\x88\x92%g" : "%g", fabs(value));
  return text;
}

// The values of the column of colours, if they are a few whole numbers (a direction, a count, an outcome), in order;
// 0: they are not
static int few_values(const diagram* d, double* value)
{
  int n = 0;
  for (long i = 0; i < d->t->n_rows; i++) {
    double x = at(d, i, d->colour);
    int k = 0;
    if (!isfinite(x)) continue;
    while (k < n && value[k] < x) k++;
    if (k < n && value[k] == x) continue;
    if (n == FEW || x != floor(x)) return 0;
    memmove(value + k + 1, value + k, sizeof *value*(size_t)(n++ - k));
    value[k] = x;
  }
  return n > 1 ? n : 0;
}

// A map of few values: a colour for each, named in the middle of its piece of the bar
static void print_few_colours(const diagram* d, FILE* f)
{
  double value[FEW];
  char text[40];
  int n = few_values(d, value);
  if (!n) return;
  fprintf(f, "set palette maxcolors %d defined (", n);
  for (int k = 0; k < n; k++) fprintf(f, "%s%d '%s'", k ? ", " : "", k, few[k]);
  fprintf(f, ")\nset cbrange [-0.5:%g]\nset cbtics scale 0 (", n - 0.5);
  for (int k = 0; k < n; k++) fprintf(f, "%s'%s' %d", k ? ", " : "", name_of(d, value[k], text, sizeof text), k);
  fprintf(f, ")\nrank(v) = ");
  for (int k = 0; k < n; k++) fprintf(f, "v == %g ? %d : ", value[k], k);
  fprintf(f, "NaN\n");
}

// Points of few values: a key of points
static void print_points(const diagram* d, FILE* f)
{
  double value[FEW];
  char text[40];
  int n = d->colour >= 0 ? few_values(d, value) : 0;
  const char* size = cli_is_small(d->width) ? "0.15" : "0.25";
  if (!n) {
    fprintf(f, "plot $data using 1:2%s with points pt 7 ps %s lc %s notitle\n", d->colour >= 0 ? ":3" : "", size,
            d->colour >= 0 ? "palette" : "'#0072B2'");
    return;
  }
  if (!is_direction(d)) print_label(d, f, "key title", d->o->colour_label, d->colour);
  for (int k = n - 1; k >= 0; k--)
    fprintf(f,
            "%s$data using 1:($3 == %g ? $2 : NaN) with points pt 7 ps %s lc rgb '%s' notitle, "
            "NaN with points pt 7 ps 1 lc rgb '%s' title '%s'",
            k < n - 1 ? ", " : "plot ", value[k], size, few[k], few[k], name_of(d, value[k], text, sizeof text));
  fputc('\n', f);
}

static void print_plot(const diagram* d, FILE* f)
{
  switch (d->o->kind) {
  case MAP:
    fprintf(f, "plot $data using 1:2:%s with image notitle\n", few_values(d, (double[FEW]){0}) ? "(rank($3))" : "3");
    break;
  case FAN:
    fprintf(f, "plot $data using 1:2:6 with filledcurves fc '#56B4E9' fs transparent solid 0.35 title '5 to 95 %%', "
               "'' using 1:3:5 with filledcurves fc '#0072B2' fs transparent solid 0.45 title 'quartiles', "
               "'' using 1:4 with lines lw 2 lc '#000000' title 'median'\n");
    break;
  case HISTOGRAM: fprintf(f, "plot [][0:] $data using 1:2:3 with boxes fc '#0072B2' fs solid 0.8 notitle\n"); break;
  default: print_points(d, f);
  }
}

// Ranges with some air, so that no point is cut by the frame, and as many numbers as have room
static void print_axis(const diagram* d, FILE* f, const char* axis, int column, double pixels, double each)
{
  double low = INFINITY, high = -INFINITY, air = d->o->kind == POINTS ? 0.03 : 0;
  for (long i = 0; i < d->t->n_rows; i++) {
    if (!is_shown(d, i)) continue;
    low = fmin(low, at(d, i, column));
    high = fmax(high, at(d, i, column));
  }
  if (!(high > low)) return;
  bool constant = high - low <= 1e-9*fmax(fabs(low), fabs(high));
  if (air > 0 || constant) cli_print_range(f, axis, low, high, air);
  if (d->o->kind != FAN && !constant) cli_print_tics(f, axis, low, high, pixels, each);
}

// The bar of colours needs room for its numbers and its label
static void print_axes(const diagram* d, FILE* f)
{
  double values[FEW], letter = cli_is_small(d->width) ? 11 : 16, right = 30;
  bool bar = d->colour >= 0 && (d->o->kind == MAP || !few_values(d, values));
  if (bar) fprintf(f, "set rmargin at screen %.4g\n", 1 - (right = 10.5*letter)/d->width);
  print_axis(d, f, "x", d->x, d->width - 5*letter - right, 5*letter);
  print_axis(d, f, "y", d->y, d->height - 5*letter, 2*letter);
}

static bool write_script(FILE* f, const void* user, const char* picture)
{
  const diagram* d = user;
  bool counts = d->o->kind == HISTOGRAM;
  cli_print_terminal(f, d->width, d->height, picture);
  fprintf(f, "set encoding utf8\nset minussign\nset border lw 0.8\nset tics nomirror out\n"
             "set key outside top right horizontal noinvert samplen 1.5\n"
             "set palette defined (0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725')\n");
  fprintf(f, "set autoscale noextend\n");
  if (!counts) print_axes(d, f);
  print_label(d, f, "xlabel", d->o->x_label, counts ? d->y : d->x);
  if (counts && !d->o->y_label) fprintf(f, "set ylabel 'count'\n");
  else print_label(d, f, "ylabel", d->o->y_label, d->y);
  if (d->colour >= 0) print_label(d, f, "cblabel", d->o->colour_label, d->colour);
  if (d->colour >= 0 && d->o->kind == MAP) print_few_colours(d, f);
  if (d->o->title) {
    fprintf(f, "set title ");
    char title[CLI_LABEL];
    cli_plain_text(d->o->title, title, sizeof title);
    print_quoted(f, title);
  }
  if (!print_data(d, f)) return false;
  print_plot(d, f);
  fprintf(f, "set output\n");
  return !ferror(f);
}

static int find_column(const ss_number_table* t, const char* option, const char* name, int otherwise, int* column)
{
  cli_nearest nearest = {.word = name};
  *column = otherwise;
  if (!name) return CLI_GO_ON;
  *column = ss_table_column(t, name);
  if (*column >= 0) return CLI_GO_ON;
  for (int i = 0; i < t->n_columns; i++) cli_nearest_offer(&nearest, t->name[i]);
  if (nearest.best)
    return cli_usage(&cli_diagram_command, "--%s: no column '%s'; did you mean '%s'?", option, name, nearest.best);
  return cli_usage(&cli_diagram_command, "--%s: the table has no column '%s'", option, name);
}

static bool any_shown(const diagram* d)
{
  for (long i = 0; i < d->t->n_rows; i++)
    if (is_shown(d, i)) return true;
  return false;
}

static int draw(diagram* d)
{
  const diagram_options* o = d->o;
  int status = find_column(d->t, "x", o->x, 0, &d->x);
  if (status == CLI_GO_ON) status = find_column(d->t, "y", o->y, d->t->n_columns - 1, &d->y);
  if (status == CLI_GO_ON) status = find_column(d->t, "colour", o->colour, -1, &d->colour);
  if (status != CLI_GO_ON) return status;
  if (o->kind == MAP && d->colour < 0) return cli_usage(&cli_diagram_command, "a map needs --colour");
  if (!any_shown(d)) {
    cli_error("the table has no row with numbers in the columns to draw");
    return CLI_BAD_INPUT;
  }
  if (o->script) {
    cli_out out;
    bool good = cli_out_open(&out, o->script) && write_script(out.file, d, o->output ? o->output : "diagram.svg");
    good = cli_out_close(&out, good) && good;
    if (!good) {
      cli_error("'%s' could not be written", o->script);
      return CLI_BAD_FILE;
    }
  }
  return o->output ? cli_gnuplot_draw(write_script, d, o->output) : CLI_DONE;
}

int cli_diagram(int argc, char** argv)
{
  diagram_options o = {.bins = 60};
  diagram d = {.o = &o, .width = 900, .height = 600};
  ss_error error = {0};
  int n;
  int status = cli_parse(&cli_diagram_command, argc, argv, &o, &n);
  if (status != CLI_GO_ON) return status;
  const char* dot = o.output ? strrchr(o.output, '.') : NULL;
  if (!o.output && !o.script) return cli_usage(&cli_diagram_command, "-o FILE is missing");
  if (o.output && !(dot && (!strcasecmp(dot, ".svg") || !strcasecmp(dot, ".png") || !strcasecmp(dot, ".pdf"))))
    return cli_usage(&cli_diagram_command, "-o %s: the name must end in .svg, .png or .pdf", o.output);
  if (o.size && !cli_read_size(o.size, 100, 20000, &d.width, &d.height))
    return cli_usage(&cli_diagram_command, "--size: '%s' is not of the form WxH, such as 900x600 or 85x60mm", o.size);
  ss_model* model = o.model ? ss_model_load(o.model, NULL, &error) : NULL;
  if (o.model && !model) return cli_fail(&error);
  if (model) d.d = ss_system_get(ss_model_system(model));
  ss_number_table* t = ss_table_load(argv[1], &error);
  d.t = t;
  status = t ? draw(&d) : cli_fail(&error);
  ss_table_destroy(t);
  ss_model_destroy(model);
  return status;
}
