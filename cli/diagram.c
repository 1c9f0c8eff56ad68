// `stickslip diagram`: pictures of the table of a sweep.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli.h"
#include "figure.h"

typedef struct diagram_options {
  const char *output, *script, *x, *y, *colour, *title, *size;
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
  {"size", 0, CLI_STRING, "WxH", AT(size), "size in pixels (default: 900x600)", NULL},
  {"title", 0, CLI_STRING, "TEXT", AT(title), "title", NULL},
  {"script", 0, CLI_STRING, "FILE", AT(script), "keep the gnuplot script, with its data, in this file", NULL},
  {0},
};

const cli_command cli_diagram_command = {
  .name = "diagram", .operands = "TABLE", .min_operands = 1, .max_operands = 1,
  .summary = "draw the table of a sweep (SVG, PNG, PDF)",
  .purpose = "Draws TABLE, a CSV or HDF5 file written by 'stickslip sweep' (or any CSV file with a line of names), by "
             "means of gnuplot. Rows whose values are not numbers are left out.",
  .options = options,
  .examples = "  stickslip diagram bifurcation.csv --x omega --y x --colour direction -o bifurcation.png\n"
              "  stickslip diagram sweep.h5 --x x --y u_x -o section.svg\n"
              "  stickslip diagram basin.csv --kind map --x initial.x --y \"initial.x'\" --colour x -o basin.png\n"
              "  stickslip diagram ensemble.csv --kind fan --x return --y interval -o fan.png\n",
  .main = cli_diagram,
};

typedef struct diagram {
  const diagram_options* o;
  const ss_number_table* t;
  int x, y, colour, width, height;  // columns, -1: none; pixels
} diagram;

static double at(const diagram* d, long row, int column) { return d->t->value[row*d->t->n_columns + column]; }

static bool is_shown(const diagram* d, long row)
{
  bool coloured = d->colour < 0 || isfinite(at(d, row, d->colour)) || d->o->kind == MAP;  // a map has white places
  return isfinite(at(d, row, d->x)) && isfinite(at(d, row, d->y)) && coloured;
}

static void print_text(FILE* f, const char* command, const char* text)
{
  fprintf(f, "set %s '", command);
  for (; *text; text++) fprintf(f, *text == '\'' ? "''" : "%c", *text);
  fprintf(f, "'%s\n", strcmp(command, "output") == 0 ? "" : " noenhanced");
}

static void print_terminal(const diagram* d, FILE* f, const char* picture)
{
  const char* dot = strrchr(picture, '.');
  const char* type = dot ? dot + 1 : "svg";
  if (strcasecmp(type, "png") == 0)
    fprintf(f, "set terminal pngcairo size %d,%d font 'Sans,12' background '#ffffff'\n", d->width, d->height);
  else if (strcasecmp(type, "pdf") == 0)
    fprintf(f, "set terminal pdfcairo size %.4gin,%.4gin font 'Sans,11' background '#ffffff'\n", d->width/96.0,
            d->height/96.0);
  else
    fprintf(f, "set terminal svg size %d,%d dynamic font 'Helvetica,Arial,sans-serif,14' background '#ffffff'\n",
            d->width, d->height);
  print_text(f, "output", picture);
}

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

// A column of few whole numbers one step apart (a direction, a count, an outcome): one colour each, told in the middle
// of its piece of the bar
static void print_few_colours(const diagram* d, FILE* f)
{
  double value[FEW], least = INFINITY;
  int n = 0;
  for (long i = 0; i < d->t->n_rows; i++) {
    double x = at(d, i, d->colour);
    int k = 0;
    if (!isfinite(x)) continue;
    while (k < n && value[k] < x) k++;
    if (k < n && value[k] == x) continue;
    if (n == FEW || x != floor(x)) return;
    memmove(value + k + 1, value + k, sizeof *value*(size_t)(n++ - k));
    value[k] = x;
  }
  for (int k = 1; k < n; k++) least = fmin(least, value[k] - value[k - 1]);
  if (n < 2 || value[n - 1] - value[0] != (n - 1)*least) return;
  fprintf(f, "set palette maxcolors %d\nset cbrange [%g:%g]\nset cbtics scale 0 (", n, value[0] - least/2,
          value[n - 1] + least/2);
  for (int k = 0; k < n; k++) fprintf(f, "%s'%g' %g", k ? ", " : "", value[k], value[k]);
  fprintf(f, ")\n");
}

static void print_plot(const diagram* d, FILE* f)
{
  switch (d->o->kind) {
  case MAP: fprintf(f, "plot $data using 1:2:3 with image notitle\n"); break;
  case FAN:
    fprintf(f, "plot $data using 1:2:6 with filledcurves fc '#56B4E9' fs transparent solid 0.35 title '5 to 95 %%', "
               "'' using 1:3:5 with filledcurves fc '#0072B2' fs transparent solid 0.45 title 'quartiles', "
               "'' using 1:4 with lines lw 2 lc '#000000' title 'median'\n");
    break;
  case HISTOGRAM: fprintf(f, "plot [][0:] $data using 1:2:3 with boxes fc '#0072B2' fs solid 0.8 notitle\n"); break;
  default:
    fprintf(f, "plot $data using 1:2%s with points pt 7 ps 0.25 lc %s notitle\n", d->colour >= 0 ? ":3" : "",
            d->colour >= 0 ? "palette" : "'#0072B2'");
  }
}

static bool write_script(FILE* f, const void* user, const char* picture)
{
  const diagram* d = user;
  bool counts = d->o->kind == HISTOGRAM;
  print_terminal(d, f, picture);
  fprintf(f, "set border lw 0.8\nset tics nomirror out\nset autoscale noextend\nset key top right\n"
             "set palette defined (0 '#0072B2', 0.5 '#009E73', 1 '#D55E00')\n");
  print_text(f, "xlabel", d->t->name[counts ? d->y : d->x]);
  print_text(f, "ylabel", counts ? "count" : d->t->name[d->y]);
  if (d->colour >= 0) print_text(f, "cblabel", d->t->name[d->colour]);
  if (d->colour >= 0) print_few_colours(d, f);
  if (d->o->title) print_text(f, "title", d->o->title);
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

static int draw(diagram* d)
{
  const diagram_options* o = d->o;
  int status = find_column(d->t, "x", o->x, 0, &d->x);
  if (status == CLI_GO_ON) status = find_column(d->t, "y", o->y, d->t->n_columns - 1, &d->y);
  if (status == CLI_GO_ON) status = find_column(d->t, "colour", o->colour, -1, &d->colour);
  if (status != CLI_GO_ON) return status;
  if (o->kind == MAP && d->colour < 0) return cli_usage(&cli_diagram_command, "a map needs --colour");
  if (o->script) {
    FILE* f = fopen(o->script, "w");
    bool good = f && write_script(f, d, o->output ? o->output : "diagram.svg");
    if (f) good = fclose(f) == 0 && good;
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
  int n, end = 0;
  int status = cli_parse(&cli_diagram_command, argc, argv, &o, &n);
  if (status != CLI_GO_ON) return status;
  const char* dot = o.output ? strrchr(o.output, '.') : NULL;
  if (!o.output && !o.script) return cli_usage(&cli_diagram_command, "-o FILE is missing");
  if (o.output && !(dot && (!strcasecmp(dot, ".svg") || !strcasecmp(dot, ".png") || !strcasecmp(dot, ".pdf"))))
    return cli_usage(&cli_diagram_command, "-o %s: the name must end in .svg, .png or .pdf", o.output);
  if (o.size && (sscanf(o.size, "%5dx%5d%n", &d.width, &d.height, &end) != 2 || o.size[end] || d.width < 100 ||
                 d.height < 100 || d.width > 20000 || d.height > 20000))
    return cli_usage(&cli_diagram_command, "--size: '%s' is not of the form WxH, such as 900x600", o.size);
  ss_number_table* t = ss_table_load(argv[1], &error);
  if (!t) return cli_fail(&error);
  d.t = t;
  status = draw(&d);
  ss_table_destroy(t);
  return status;
}
