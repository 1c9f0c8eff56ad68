// `stickslip plot`: time series and phase portraits of a run.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "out_file.h"
#include "cli.h"
#include "figure.h"

typedef struct plot_options {
  const char* output;
  const char* script;
  const char* x;
  const char* y;
  const char* phase;
  const char* title;
  const char* size;
  double from, to;
  bool panels;
} plot_options;

#define AT(field) offsetof(plot_options, field)
static const cli_option options[] = {
  {"output", 'o', CLI_STRING, "FILE", AT(output), "the picture: FILE.svg, FILE.png or FILE.pdf", NULL},
  {"y", 0, CLI_STRING, "NAME,NAME...", AT(y),
   "what to show: a coordinate x, its rate u_x or x', gap.C, forces F_N.C, F_T.C and impulses Lambda_N.C, Lambda_T.C "
   "(scenes: T1, T2), state.C of a contact C, sensor.S of a sensor S, energy.kinetic, residual, ... (default: all "
   "coordinates)", NULL},
  {"x", 0, CLI_STRING, "NAME", AT(x), "against what (default: t)", NULL},
  {"phase", 0, CLI_STRING, "COORD", AT(phase), "phase portrait: the rate of a coordinate against the coordinate", NULL},
  {"panels", 0, CLI_FLAG, NULL, AT(panels), "one panel for each curve, also if the units agree", NULL},
  {"from", 0, CLI_DOUBLE, "T", AT(from), "start at this time, in seconds", NULL},
  {"to", 0, CLI_DOUBLE, "T", AT(to), "end at this time, in seconds", NULL},
  {"size", 0, CLI_STRING, "WxH", AT(size),
   "size in pixels, 96 to the inch, such as 900x600, or in millimetres, such as 85x60mm; letters of "
   "figures as narrow as a column are small", NULL},
  {"title", 0, CLI_STRING, "TEXT", AT(title), "title (default: none)", NULL},
  {"script", 0, CLI_STRING, "FILE", AT(script), "keep the gnuplot script, with its data, in this file", NULL},
  {0},
};

const cli_command cli_plot_command = {
  .name = "plot", .operands = "RUN", .min_operands = 1, .max_operands = 1,
  .summary = "draw time series and phase portraits (SVG, PNG, PDF)",
  .purpose = "Draws quantities of RUN, an HDF5 file written by 'stickslip run -o', by means of gnuplot. Curves with "
             "the same unit share a diagram if they are named by --y; otherwise each has its own panel. Contact events "
             "are thin vertical lines if there are few.",
  .options = options,
  .examples = "  stickslip plot run.h5 -o run.svg\n"
              "  stickslip plot run.h5 -o energy.pdf --y energy.kinetic,energy.potential\n"
              "  stickslip plot run.h5 -o cycle.png --phase phi_M --from 5\n"
              "  stickslip plot run.h5 --y u_x --script my.gp\n",
  .main = cli_plot,
};

enum { MAX_CURVES = 64, MAX_MARKS = 80, MIN_SIZE = 100, MAX_SIZE = 20000 };

// ---- options ----

static bool is_picture(const char* path)
{
  const char* dot = strrchr(path, '.');
  return dot && (strcasecmp(dot, ".svg") == 0 || strcasecmp(dot, ".png") == 0 || strcasecmp(dot, ".pdf") == 0);
}

static int check_options(const plot_options* o, const char* run)
{
  const cli_command* c = &cli_plot_command;
  if (!o->output && !o->script) return cli_usage(c, "-o FILE is missing");
  if (o->output && !is_picture(o->output))
    return cli_usage(c, "-o %s: the name must end in .svg, .png or .pdf", o->output);
  if (o->script && cli_is_hdf5(o->script)) return cli_usage(c, "--script would replace the HDF5 file '%s'", o->script);
  if (o->output && cli_same_file(o->output, run)) return cli_usage(c, "-o would replace the run '%s'", run);
  if (o->output && o->script && cli_same_file(o->output, o->script))
    return cli_usage(c, "-o and --script are the same file, '%s'", o->script);
  if (o->phase && (o->x || o->y)) return cli_usage(c, "--phase cannot be given together with --x or --y");
  if (o->from > o->to) return cli_usage(c, "--from %g is after --to %g", o->from, o->to);
  return CLI_GO_ON;
}

static int read_size(const char* text, cli_figure* f)
{
  if (!text || cli_read_size(text, MIN_SIZE, MAX_SIZE, &f->width, &f->height)) return CLI_GO_ON;
  return cli_usage(&cli_plot_command, "--size: '%s' is not of the form WxH with %d to %d pixels, such as 900x600 or "
                   "85x60mm", text, MIN_SIZE, MAX_SIZE);
}

// ---- what is shown ----

// The names of the curves, in one block of text
typedef struct names {
  int n;
  const char* item[MAX_CURVES];
  char* text;
} names;

static int too_many(void)
{
  return cli_usage(&cli_plot_command, "more than %d curves; choose some with --y", MAX_CURVES);
}

// The list, with rates as columns are named: u_x for x'
static void copy_list(const char* list, char* out)
{
  while (*list) {
    size_t n = strcspn(list, ",");
    bool rate = n > 1 && list[n - 1] == '\'';
    out += sprintf(out, "%s%.*s%s", rate ? "u_" : "", (int)(rate ? n - 1 : n), list, list[n] ? "," : "");
    list += n + (list[n] == ',');
  }
}

static int split_names(const char* list, names* out)
{
  size_t size = strlen(list) + 1;
  out->text = calloc(2, size);
  if (!out->text) return cli_out_of_memory();
  copy_list(list, out->text);
  for (char* p = out->text; p;) {
    char* comma = strchr(p, ',');
    if (comma) *comma = '\0';
    if (*p == '\0') return cli_usage(&cli_plot_command, "--y: '%s' has an empty name in it", list);
    if (out->n == MAX_CURVES) return too_many();
    out->item[out->n++] = p;
    p = comma ? comma + 1 : NULL;
  }
  return CLI_GO_ON;
}

static int not_a_coordinate(const ss_run_info* info, const char* name)
{
  const cli_command* c = &cli_plot_command;
  cli_nearest nearest = {.word = name};
  for (int i = 0; i < info->nq; i++) {
    if (strncmp(name, "u_", 2) == 0 && strcmp(info->coordinate[i], name + 2) == 0)
      return cli_usage(c, "--phase wants a coordinate and '%s' is a rate: --phase %s", name, name + 2);
    cli_nearest_offer(&nearest, info->coordinate[i]);
  }
  if (nearest.best) return cli_usage(c, "--phase: no coordinate '%s'; did you mean '%s'?", name, nearest.best);
  char all[512] = "";
  for (int i = 0; i < info->nq; i++) {
    size_t used = strlen(all);
    snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", info->coordinate[i]);
  }
  return cli_usage(c, "--phase: no coordinate '%s'; the run has %s", name, all);
}

static bool is_coordinate(const ss_run_info* info, const char* name)
{
  for (int i = 0; i < info->nq; i++)
    if (strcmp(info->coordinate[i], name) == 0) return true;
  return false;
}

static bool is_rate(const ss_run_info* info, const char* name)
{
  if (strncmp(name, "u_", 2) != 0) return false;
  for (int i = 0; i < info->nv; i++)
    if (strcmp(info->velocity[i], name + 2) == 0) return true;
  return false;
}

static int choose_names(const plot_options* o, const ss_run_info* info, names* out, char* rate, size_t rate_size)
{
  if (o->phase) {
    if (!is_coordinate(info, o->phase)) return not_a_coordinate(info, o->phase);
    snprintf(rate, rate_size, "u_%s", o->phase);
    if (!is_rate(info, rate))
      return cli_usage(&cli_plot_command, "--phase: '%s' is one of several numbers of its joint and has no rate of its "
                                          "own; use --x and --y", o->phase);
    out->item[out->n++] = rate;
    return CLI_GO_ON;
  }
  if (o->y) return split_names(o->y, out);
  if (info->nq > MAX_CURVES) return too_many();
  for (int i = 0; i < info->nq; i++) out->item[out->n++] = info->coordinate[i];
  return CLI_GO_ON;
}

// The rows with from <= t <= to, as first and number
static int choose_rows(ss_run* run, const plot_options* o, long* first, long* n)
{
  ss_error error = {0};
  const double* t = ss_run_column(run, "t", &error);
  long rows = ss_run_get_info(run)->n_rows;
  if (!t) return cli_fail(&error);
  long a = 0, b = rows;
  while (a < rows && t[a] < o->from) a++;
  while (b > a && t[b - 1] > o->to) b--;
  if (b == a) {
    if (rows == 0) cli_error("the run has no rows");
    else cli_error("the run has no rows in that time; it goes from t = %.9g s to %.9g s", t[0], t[rows - 1]);
    return CLI_BAD_INPUT;
  }
  *first = a;
  *n = b - a;
  return CLI_GO_ON;
}

// Impulses, contact states and residuals tell of a step; the initial state comes from none.
static bool tells_of_a_step(const ss_run_info* info, const char* name)
{
  const char* const of_a_state[] = {"gap.", "point_", "energy.", "counts."};
  if (strcmp(name, "t") == 0 || strcmp(name, "step") == 0) return false;
  for (size_t i = 0; i < sizeof of_a_state/sizeof *of_a_state; i++)
    if (strncmp(name, of_a_state[i], strlen(of_a_state[i])) == 0) return false;
  return !is_coordinate(info, name) && !is_rate(info, name);
}

// ---- the figure ----

// A quantity of the run, or NULL with a message and the exit status
static const double* find_column(ss_run* run, const char* name, int* status)
{
  ss_error error = {0};
  if (strncmp(name, "energy.", 7) == 0 && !ss_run_get_info(run)->run.step.account) {
    cli_error("%s: the run was made without energy accounting (--no-energy)", name);
    *status = CLI_BAD_INPUT;
    return NULL;
  }
  const double* column = ss_run_column(run, name, &error);
  *status = column ? CLI_GO_ON : cli_fail(&error);
  return column;
}

// Values that are none leave a hole in the curve, or no curve at all; contacts that are far apart have no gap.
static int warn_not_finite(ss_run* run, const char* name, const double* column, long first, long n)
{
  int status;
  long holes = 0, at = 0;
  for (long i = first; i < first + n; i++) {
    if (isfinite(column[i])) continue;
    if (holes++ == 0) at = i;
  }
  bool comes_and_goes = ss_run_get_info(run)->listed && (!strncmp(name, "gap.", 4) || !strncmp(name, "point_", 6));
  if (holes == 0 || (comes_and_goes && holes < n)) return CLI_GO_ON;
  const double* t = find_column(run, "t", &status);
  if (!t) return status;
  cli_warn("%s: %ld of %ld values are not finite, the first at t = %.9g s; they are not drawn", name, holes, n, t[at]);
  return CLI_GO_ON;
}

// Velocities of free bodies are no rates of a coordinate: u_ball.vx is vx, not the derivative of one.
static void symbol_of(const ss_run_info* info, const char* name, char* out, size_t size)
{
  bool rate = is_rate(info, name), of_coordinate = rate && is_coordinate(info, name + 2);
  cli_symbol_text(rate && !of_coordinate ? name + 2 : name, of_coordinate, out, size);
}

static int fill_x(ss_run* run, const char* name, cli_figure* f, const double** column)
{
  int status;
  char symbol[CLI_LABEL], unit[CLI_LABEL];
  *column = find_column(run, name, &status);
  if (!*column) return status;
  symbol_of(ss_run_get_info(run), name, symbol, sizeof symbol);
  cli_plain_text(ss_run_unit(run, name), unit, sizeof unit);
  snprintf(f->x_label, sizeof f->x_label, unit[0] ? "%.120s [%.120s]" : "%.120s", symbol, unit);
  return CLI_GO_ON;
}

static int fill_curve(ss_run* run, const char* name, cli_samples samples, long first, cli_curve* curve)
{
  int status;
  const double* column = find_column(run, name, &status);
  if (column) status = warn_not_finite(run, name, column, first, samples.n);
  if (status != CLI_GO_ON) return status;
  symbol_of(ss_run_get_info(run), name, curve->symbol, sizeof curve->symbol);
  cli_plain_text(ss_run_unit(run, name), curve->unit, sizeof curve->unit);
  curve->is_state = strncmp(name, "state.", 6) == 0;
  samples.y = column + first;
  if (first == 0 && samples.n > 1 && tells_of_a_step(ss_run_get_info(run), name)) {
    samples.n--;
    samples.x++;
    samples.y++;
  }
  return cli_curve_fill(curve, samples) ? CLI_GO_ON : cli_out_of_memory();
}

static int fill_curves(ss_run* run, const plot_options* o, const names* y, cli_figure* f)
{
  const double* x = NULL;
  const char* x_name = o->phase ? o->phase : o->x ? o->x : "t";
  long first = 0, n = 0;
  int status = choose_rows(run, o, &first, &n);
  if (status == CLI_GO_ON) status = fill_x(run, x_name, f, &x);
  if (status == CLI_GO_ON) status = warn_not_finite(run, x_name, x, first, n);
  if (status != CLI_GO_ON) return status;
  f->curve = calloc((size_t)y->n, sizeof *f->curve);
  if (!f->curve) return cli_out_of_memory();
  f->n_curve = y->n;
  cli_samples samples = {.n = n, .x = x + first};
  for (int i = 0; i < y->n && status == CLI_GO_ON; i++)
    status = fill_curve(run, y->item[i], samples, first, &f->curve[i]);
  f->x_is_time = !o->phase && (!o->x || strcmp(o->x, "t") == 0);
  f->x_min = HUGE_VAL;
  f->x_max = -HUGE_VAL;
  for (long i = first; i < first + n; i++) {
    if (!isfinite(x[i])) continue;
    f->x_min = fmin(f->x_min, x[i]);
    f->x_max = fmax(f->x_max, x[i]);
  }
  return status;
}

// Events as vertical lines, if the time runs to the right and there are not too many; several at one time are one line.
static int fill_marks(ss_run* run, cli_figure* f)
{
  long n = ss_run_get_info(run)->n_events;
  ss_error error = {0};
  if (!f->x_is_time || n == 0) return CLI_GO_ON;
  const ss_event* event = ss_run_events(run, NULL, NULL, &error);
  if (!event) return cli_fail(&error);
  f->mark = calloc(MAX_MARKS, sizeof *f->mark);
  if (!f->mark) return cli_out_of_memory();
  for (long i = 0; i < n; i++) {
    double t = event[i].t;
    if (t < f->x_min || t > f->x_max || (f->n_mark && f->mark[f->n_mark - 1] == t)) continue;
    if (f->n_mark == MAX_MARKS) {
      f->n_mark = 0;
      return CLI_GO_ON;
    }
    f->mark[f->n_mark++] = t;
  }
  if (f->n_mark && f->width >= 500)
    strncat(f->x_label, "  (grey lines: contact events)", sizeof f->x_label - strlen(f->x_label) - 1);
  return CLI_GO_ON;
}

// Curves with different units cannot share an axis, nor can states and numbers.
static void lay_out(const plot_options* o, cli_figure* f)
{
  f->panels = f->n_curve > 1 && (o->panels || !o->y);
  for (int i = 1; i < f->n_curve; i++)
    if (strcmp(f->curve[i].unit, f->curve[0].unit) != 0 || f->curve[i].is_state != f->curve[0].is_state)
      f->panels = true;
  if (f->width) return;
  f->width = o->phase ? 700 : 900;
  f->height = f->panels ? 110 + 180*f->n_curve : o->phase ? 600 : 480;
  if (f->height > MAX_SIZE) f->height = MAX_SIZE;
}

static int make_figure(ss_run* run, const plot_options* o, cli_figure* f)
{
  const ss_run_info* info = ss_run_get_info(run);
  names y = {0};
  char rate[CLI_LABEL];
  int status = choose_names(o, info, &y, rate, sizeof rate);
  if (status == CLI_GO_ON) status = fill_curves(run, o, &y, f);
  if (status == CLI_GO_ON) status = read_size(o->size, f);
  if (status == CLI_GO_ON) lay_out(o, f);
  if (status == CLI_GO_ON) status = fill_marks(run, f);
  cli_plain_text(o->title ? o->title : "", f->title, sizeof f->title);
  free(y.text);
  return status;
}

// Without -o the script draws an SVG beside itself.
static int keep_script(const plot_options* o, const cli_figure* f)
{
  char output[4096];
  snprintf(output, sizeof output, "%s.svg", o->script);
  cli_out out;
  bool written = cli_out_open(&out, o->script) && cli_gnuplot_script(out.file, f, o->output ? o->output : output);
  int number = errno;
  if (!cli_out_close(&out, written)) {
    number = errno;
    written = false;
  }
  if (written) return CLI_DONE;
  cli_error("%s: cannot be written: %s", o->script, strerror(number));
  return CLI_BAD_FILE;
}

int cli_plot(int argc, char** argv)
{
  plot_options o = {.from = -HUGE_VAL, .to = HUGE_VAL};
  cli_figure figure = {0};
  ss_error error = {0};
  int n;
  int status = cli_parse(&cli_plot_command, argc, argv, &o, &n);
  if (status == CLI_GO_ON) status = check_options(&o, argv[1]);
  if (status != CLI_GO_ON) return status;
  ss_run* run = ss_run_open(argv[1], &error);
  if (!run) return cli_fail(&error);
  status = make_figure(run, &o, &figure);
  if (status == CLI_GO_ON) status = o.script ? keep_script(&o, &figure) : CLI_DONE;
  if (status == CLI_DONE && o.output) status = cli_gnuplot_run(&figure, o.output);
  cli_figure_free(&figure);
  ss_run_close(run);
  return status;
}
