// Performance profiles of solvers over a set of problems [Dolan & More 2002].
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "figure.h"

double* cli_contest_add(cli_contest* c)
{
  if (c->n == c->room) {
    int room = 2*c->room + 64;
    double* larger = realloc(c->seconds, sizeof(double)*(size_t)room*(size_t)c->n_solver);
    if (!larger) return NULL;
    c->seconds = larger;
    c->room = room;
  }
  return c->seconds + (size_t)c->n++*(size_t)c->n_solver;
}

void cli_contest_free(cli_contest* contest)
{
  free(contest->seconds);
  *contest = (cli_contest){0};
}

static double best_time(const cli_contest* c, int problem)
{
  double best = INFINITY;
  for (int s = 0; s < c->n_solver; s++) best = fmin(best, c->seconds[problem*c->n_solver + s]);
  return best;
}

// Time over that of the fastest; infinite where the solver failed
static double ratio(const cli_contest* c, int problem, int solver)
{
  double time = c->seconds[problem*c->n_solver + solver];
  return isinf(time) ? INFINITY : time/best_time(c, problem);
}

static int by_size(const void* a, const void* b)
{
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// The ratios of a solver in order, n of them
static double* sorted_ratios(const cli_contest* c, int solver)
{
  double* r = malloc(sizeof(double)*((size_t)c->n + 1));
  if (!r) return NULL;
  for (int p = 0; p < c->n; p++) r[p] = ratio(c, p, solver);
  qsort(r, (size_t)c->n, sizeof *r, by_size);
  return r;
}

cli_score cli_contest_score(const cli_contest* c, int solver)
{
  cli_score score = {.median_ratio = NAN, .worst_ratio = NAN};
  double* r = sorted_ratios(c, solver);
  for (int p = 0; r && p < c->n && isfinite(r[p]); p++) {
    score.solved++;
    score.fastest += r[p] == 1;
  }
  if (score.solved) {
    score.median_ratio = r[score.solved/2];
    score.worst_ratio = r[score.solved - 1];
  }
  free(r);
  return score;
}

int cli_contest_unsolved(const cli_contest* c)
{
  int unsolved = 0;
  for (int p = 0; p < c->n; p++) unsolved += isinf(best_time(c, p));
  return unsolved;
}

// ---- CSV ----

// Every ratio once, in order: where the profile of some solver has a step. Returns their number, -1 if memory is short.
static int steps(const cli_contest* c, double** tau)
{
  double* t = *tau = malloc(sizeof(double)*((size_t)c->n*(size_t)c->n_solver + 1));
  int n = 0, kept = 0;
  if (!t) return -1;
  t[n++] = 1;
  for (int p = 0; p < c->n; p++)
    for (int s = 0; s < c->n_solver; s++)
      if (isfinite(ratio(c, p, s))) t[n++] = ratio(c, p, s);
  qsort(t, (size_t)n, sizeof *t, by_size);
  for (int i = 0; i < n; i++)
    if (i == 0 || t[i] > t[kept - 1]) t[kept++] = t[i];
  return kept;
}

bool cli_profile_csv(const cli_contest* c, FILE* out)
{
  double* tau;
  int n = steps(c, &tau);
  if (n < 0) return false;
  fprintf(out, "tau");
  for (int s = 0; s < c->n_solver; s++) fprintf(out, ",%s", cli_solver_name(c->class, s));
  fputc('\n', out);
  for (int i = 0; i < n; i++) {
    fprintf(out, "%.6g", tau[i]);
    for (int s = 0; s < c->n_solver; s++) {
      int within = 0;
      for (int p = 0; p < c->n; p++) within += ratio(c, p, s) <= tau[i];
      fprintf(out, ",%.6g", (double)within/c->n);
    }
    fputc('\n', out);
  }
  free(tau);
  return true;
}

// ---- picture ----

// The stairs of a solver from tau = 1 to the right border; false if memory is short
static bool draw_stairs(const cli_contest* c, int solver, double right, cli_curve* curve)
{
  double* r = sorted_ratios(c, solver);
  double* xy = calloc(4*(size_t)c->n + 4, sizeof(double));
  if (!r || !xy) {
    free(r);
    free(xy);
    return false;
  }
  curve->x = xy;
  curve->y = xy + 2*c->n + 2;
  int first = 0;
  while (first < c->n && r[first] == 1) first++;
  curve->x[0] = 1;
  curve->y[0] = (double)first/c->n;
  long k = 1;
  for (int p = first; p < c->n && isfinite(r[p]); p++) {
    curve->x[k] = curve->x[k + 1] = r[p];
    curve->y[k] = (double)p/c->n;
    curve->y[k + 1] = (p + 1.0)/c->n;
    k += 2;
  }
  curve->x[k] = right;
  curve->y[k] = curve->y[k - 1];
  curve->n = k + 1;
  curve->y_max = 1;
  free(r);
  return true;
}

// Solvers that solve more come first in the key
static void order_by_success(const cli_contest* c, int* order, cli_score* score)
{
  for (int s = 0; s < c->n_solver; s++) {
    score[s] = cli_contest_score(c, s);
    int at = s;
    for (; at > 0 && score[order[at - 1]].solved < score[s].solved; at--) order[at] = order[at - 1];
    order[at] = s;
  }
}

static bool fill_figure(const cli_contest* c, cli_figure* f)
{
  int order[CLI_MAX_SOLVERS];
  cli_score score[CLI_MAX_SOLVERS];
  double worst = 2;
  order_by_success(c, order, score);
  for (int s = 0; s < c->n_solver; s++)
    if (score[s].solved) worst = fmax(worst, score[s].worst_ratio);
  f->x_min = 1;
  f->x_max = pow(10, ceil(log10(1.05*worst)));
  f->n_curve = c->n_solver;
  f->curve = calloc((size_t)c->n_solver, sizeof *f->curve);
  for (int i = 0; f->curve && i < c->n_solver; i++) {
    char name[CLI_LABEL];
    cli_plain_text(cli_solver_name(c->class, order[i]), name, sizeof name);
    snprintf(f->curve[i].symbol, CLI_LABEL, "%.200s (%d)", name, score[order[i]].solved);
    if (!draw_stairs(c, order[i], f->x_max, &f->curve[i])) return false;
  }
  return f->curve != NULL;
}

int cli_profile_plot(const cli_contest* c, const char* output)
{
  cli_figure f = {.width = 860, .height = 480, .profile = true};
  snprintf(f.title, sizeof f.title, "%d %s to %g", c->n, cli_class_plural(c->class), c->tol);
  snprintf(f.x_label, sizeof f.x_label, "time relative to the fastest solver of each problem, τ");
  int status = fill_figure(c, &f) ? cli_gnuplot_run(&f, output) : cli_out_of_memory();
  cli_figure_free(&f);
  return status;
}
