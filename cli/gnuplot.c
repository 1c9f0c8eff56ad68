// Figures through gnuplot: the script that draws one, and the program that runs it.
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "figure.h"

extern char** environ;

// Okabe and Ito's palette: distinct for all common kinds of colour vision
static const char* const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"};
enum { N_COLOURS = sizeof colours/sizeof *colours };

// ---- the script ----

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

static void print_label(FILE* out, const char* axis, const char* symbol, const char* unit)
{
  char text[2*CLI_LABEL + 8];
  snprintf(text, sizeof text, unit[0] ? "%s%s[%s]" : "%s", symbol, symbol[0] ? " " : "", unit);
  fprintf(out, "set %slabel ", axis);
  print_quoted(out, text);
  fputc('\n', out);
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

static void print_data(FILE* out, const cli_figure* f)
{
  for (int i = 0; i < f->n_curve; i++) {
    fprintf(out, "$curve%d << EOD\n", i + 1);
    for (long k = 0; k < f->curve[i].n; k++) fprintf(out, "%.12g %.9g\n", f->curve[i].x[k], f->curve[i].y[k]);
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
    fprintf(out, "%s$curve%d using 1:2 with lines lw 1.5 lc rgb '%s' dt %d ", i > first ? ", \\\n     " : "", i + 1,
            colours[style % N_COLOURS], 1 + style/N_COLOURS % 4);
    fprintf(out, last - first == 1 ? "notitle" : "title ");
    if (last - first > 1) print_quoted(out, f->curve[i].symbol);
  }
  fputc('\n', out);
}

// All symbols on the y axis, unless that would be longer than the axis: the key names them anyway
static void print_joint_label(FILE* out, const cli_figure* f)
{
  enum { LONGEST = 64 };
  char symbols[LONGEST + CLI_LABEL + 2] = "";
  for (int i = 0; i < f->n_curve && strlen(symbols) < LONGEST; i++) {
    if (i) strcat(symbols, ", ");
    strcat(symbols, f->curve[i].symbol);
  }
  print_label(out, "y", strlen(symbols) < LONGEST ? symbols : "", f->curve[0].unit);
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
  print_label(out, "x", f->x_label, "");
  print_joint_label(out, f);
  print_range(out, "y", low, high, 0.04);
  print_plot(out, f, 0, f->n_curve);
}

// Panels above each other share the x axis: its numbers stand below the last one only.
static void print_panels(FILE* out, const cli_figure* f)
{
  double left = 110.0/f->width, right = 1 - 30.0/f->width, bottom = 60.0/f->height, top = 1 - 45.0/f->height;
  fprintf(out, "set multiplot layout %d,1 margins screen %.4f,%.4f,%.4f,%.4f spacing screen 0,%.4f title ", f->n_curve,
          left, right, bottom, top, 14.0/f->height);
  print_quoted(out, f->title);
  fprintf(out, "\nset format x ''\n");
  for (int i = 0; i < f->n_curve; i++) {
    if (i == f->n_curve - 1) {
      fprintf(out, "set format x '%%h'\n");
      print_label(out, "x", f->x_label, "");
    }
    print_label(out, "y", f->curve[i].symbol, f->curve[i].unit);
    print_range(out, "y", f->curve[i].y_min, f->curve[i].y_max, 0.06);
    print_plot(out, f, i, i + 1);
  }
  fprintf(out, "unset multiplot\n");
}

bool cli_gnuplot_script(FILE* out, const cli_figure* figure, const char* output)
{
  print_terminal(out, figure, output);
  print_data(out, figure);
  print_style(out, figure);
  if (figure->panels) print_panels(out, figure);
  else print_single(out, figure);
  fprintf(out, "unset output\n");
  return fflush(out) == 0 && !ferror(out);
}

// ---- running it ----

// A temporary folder with the script, the picture and gnuplot's messages
typedef struct workplace {
  char folder[256], script[300], picture[300], messages[300];
} workplace;

static bool open_workplace(workplace* w, const char* output)
{
  const char* tmp = getenv("TMPDIR");
  if (!tmp || !tmp[0] || strlen(tmp) > 200) tmp = "/tmp";
  snprintf(w->folder, sizeof w->folder, "%s/stickslip-plot-XXXXXX", tmp);
  if (!mkdtemp(w->folder)) {
    cli_error("no temporary folder in %s: %s", tmp, strerror(errno));
    return false;
  }
  snprintf(w->script, sizeof w->script, "%s/plot.gp", w->folder);
  snprintf(w->picture, sizeof w->picture, "%s/picture%s", w->folder, strrchr(output, '.'));
  snprintf(w->messages, sizeof w->messages, "%s/messages", w->folder);
  return true;
}

static void close_workplace(const workplace* w)
{
  unlink(w->script);
  unlink(w->picture);
  unlink(w->messages);
  rmdir(w->folder);
}

// Starts gnuplot without the user's settings, which could change the figure; 0 or an error number.
static int start_gnuplot(const workplace* w, pid_t* pid)
{
  char name[] = "gnuplot", defaults[] = "--default-settings", script[sizeof w->script];
  snprintf(script, sizeof script, "%s", w->script);
  char* argv[] = {name, defaults, script, NULL};
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  sigset_t broken_pipe;
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, w->messages, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &broken_pipe);  // we ignore it; gnuplot shall not
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  int number = posix_spawnp(pid, name, &files, &attributes, argv, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return number;
}

static void show_messages(const workplace* w)
{
  char line[512];
  FILE* f = fopen(w->messages, "r");
  for (int i = 0; f && i < 10 && fgets(line, sizeof line, f); i++) fprintf(stderr, "gnuplot: %s", line);
  if (f) fclose(f);
}

static int run_gnuplot(const workplace* w)
{
  pid_t pid;
  int result;
  struct stat picture;
  int number = start_gnuplot(w, &pid);
  if (number == ENOENT) {
    cli_error("gnuplot was not found on the PATH; install it (Debian: apt install gnuplot-nox), or write only the "
              "script with --script");
    return CLI_FAILED;
  }
  if (number) {
    cli_error("gnuplot could not be started: %s", strerror(number));
    return CLI_FAILED;
  }
  while (waitpid(pid, &result, 0) < 0 && errno == EINTR) continue;
  bool drawn = WIFEXITED(result) && WEXITSTATUS(result) == 0 && stat(w->picture, &picture) == 0 && picture.st_size > 0;
  if (drawn) return CLI_DONE;
  show_messages(w);
  cli_error("gnuplot could not draw the figure");
  return CLI_FAILED;
}

// The picture goes to its place only when it is complete.
static int copy_file(const char* from, const char* to)
{
  char block[65536];
  size_t n;
  FILE* in = fopen(from, "rb");
  FILE* out = in ? fopen(to, "wb") : NULL;
  bool good = in && out;
  while (good && (n = fread(block, 1, sizeof block, in)) > 0) good = fwrite(block, 1, n, out) == n;
  if (in && ferror(in)) good = false;
  int number = errno;
  if (in) fclose(in);
  if (out && fclose(out) != 0) {
    number = errno;
    good = false;
  }
  if (good) return CLI_DONE;
  cli_error("%s: cannot be written: %s", to, strerror(number));
  return CLI_BAD_FILE;
}

int cli_gnuplot_run(const cli_figure* figure, const char* output)
{
  workplace w;
  if (!open_workplace(&w, output)) return CLI_BAD_FILE;
  FILE* script = fopen(w.script, "w");
  bool written = script && cli_gnuplot_script(script, figure, w.picture);
  if (script && fclose(script) != 0) written = false;
  int status = CLI_BAD_FILE;
  if (!written) cli_error("%s: cannot be written", w.script);
  else status = run_gnuplot(&w);
  if (status == CLI_DONE) status = copy_file(w.picture, output);
  close_workplace(&w);
  return status;
}
