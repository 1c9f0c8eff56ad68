// The curves of a figure, and names as symbols.
#include "figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void cli_figure_free(cli_figure* figure)
{
  for (int i = 0; i < figure->n_curve; i++) free(figure->curve[i].x);
  free(figure->curve);
  free(figure->mark);
  *figure = (cli_figure){0};
}

bool cli_read_size(const char* text, int least, int most, int* width, int* height)
{
  double w, h;
  int end = 0;
  if (sscanf(text, "%7lfx%7lf%n", &w, &h, &end) != 2) return false;
  bool millimetres = strcmp(text + end, "mm") == 0;
  if (text[end] && !millimetres) return false;
  double pixel = millimetres ? 96/25.4 : 1;
  if (!millimetres && (w != floor(w) || h != floor(h))) return false;
  if (!(w*pixel >= least && h*pixel >= least && w*pixel <= most && h*pixel <= most)) return false;
  *width = (int)lround(w*pixel);
  *height = (int)lround(h*pixel);
  return true;
}

static void measure(cli_curve* curve, cli_samples samples)
{
  curve->y_min = HUGE_VAL;
  curve->y_max = -HUGE_VAL;
  for (long i = 0; i < samples.n; i++) {
    if (!isfinite(samples.y[i])) continue;
    curve->y_min = fmin(curve->y_min, samples.y[i]);
    curve->y_max = fmax(curve->y_max, samples.y[i]);
  }
}

bool cli_curve_fill(cli_curve* curve, cli_samples samples)
{
  size_t room = samples.n < CLI_MAX_POINTS ? (size_t)samples.n : CLI_MAX_POINTS;
  long* keep = calloc(room + 1, sizeof *keep);
  curve->x = calloc(2*room + 1, sizeof *curve->x);
  bool filled = keep && curve->x;
  if (filled) {
    curve->y = curve->x + room;
    curve->n = cli_thin(samples, (long)room, keep);
    for (long i = 0; i < curve->n; i++) {
      curve->x[i] = samples.x[keep[i]];
      curve->y[i] = samples.y[keep[i]];
    }
    measure(curve, samples);
  }
  free(keep);
  return filled;
}

// ---- text ----

static void append(char* out, size_t size, const char* text, size_t length)
{
  size_t used = strlen(out);
  if (used + length + 1 > size) length = size - used - 1;
  memcpy(out + used, text, length);
  out[used + length] = '\0';
}

// Plain characters stay; those that enhanced text would read as commands are escaped; line breaks become blanks.
static void append_plain(char* out, size_t size, const char* text, size_t length)
{
  for (size_t i = 0; i < length; i++) {
    if (strchr("^_{}@&~\\", text[i])) append(out, size, "\\", 1);
    append(out, size, (unsigned char)text[i] < ' ' ? " " : text + i, 1);
  }
}

void cli_plain_text(const char* text, char* out, size_t size)
{
  out[0] = '\0';
  append_plain(out, size, text, strlen(text));
}

static const char* greek(const char* word, size_t length)
{
  static const char* const letters[][2] = {
    {"alpha", "α"}, {"beta", "β"}, {"gamma", "γ"}, {"delta", "δ"}, {"epsilon", "ε"}, {"zeta", "ζ"},
    {"eta", "η"}, {"theta", "θ"}, {"kappa", "κ"}, {"lambda", "λ"}, {"mu", "μ"}, {"nu", "ν"},
    {"xi", "ξ"}, {"rho", "ρ"}, {"sigma", "σ"}, {"tau", "τ"}, {"phi", "φ"}, {"chi", "χ"},
    {"psi", "ψ"}, {"omega", "ω"}, {"Gamma", "Γ"}, {"Delta", "Δ"}, {"Theta", "Θ"}, {"Lambda", "Λ"},
    {"Phi", "Φ"}, {"Psi", "Ψ"}, {"Omega", "Ω"},
  };
  for (size_t i = 0; i < sizeof letters/sizeof *letters; i++)
    if (strlen(letters[i][0]) == length && strncmp(letters[i][0], word, length) == 0) return letters[i][1];
  return NULL;
}

// HEAD_SUB: the head may be a Greek letter; the rest, or digits at the end of the head, become a subscript.
static void append_symbol(char* out, size_t size, const char* name, size_t length)
{
  size_t head = 0;
  while (head < length && name[head] != '_') head++;
  size_t sub = head < length ? head + 1 : length;
  if (head == length) {
    while (head > 1 && name[head - 1] >= '0' && name[head - 1] <= '9') head--;
    sub = head;
  }
  const char* letter = greek(name, head);
  if (letter) append(out, size, letter, strlen(letter));
  else append_plain(out, size, name, head);
  if (sub >= length) return;
  append(out, size, "_{", 2);
  append_plain(out, size, name + sub, length - sub);
  append(out, size, "}", 1);
}

// "Lambda_N.floor" is the quantity Lambda_N of the contact floor
void cli_symbol_text(const char* name, bool is_rate, char* out, size_t size)
{
  const char* dot = strchr(name, '.');
  out[0] = '\0';
  if (is_rate) {
    append(out, size, "d", 1);
    append_symbol(out, size, name + 2, strlen(name) - 2);
    append(out, size, "/dt", 3);
  } else if (dot) {
    append_symbol(out, size, name, (size_t)(dot - name));
    append(out, size, ", ", 2);
    append_plain(out, size, dot + 1, strlen(dot + 1));
  } else {
    append_symbol(out, size, name, strlen(name));
  }
}
