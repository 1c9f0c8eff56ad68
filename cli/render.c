// `stickslip render`: pictures and films of a run. The page of `report` is opened in Chromium, without a window, and
// shows the instants that are wanted: what is on paper looks like what is on the screen.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "browser.h"
#include "cli.h"
#include "page.h"
#include "video.h"

enum { MAX_FRAMES = 20000, MAX_SIZE = 8192 };

typedef struct render_options {
  double at, from, to, fps, speed;  // NAN: not given
  const char* output;
  const char* video;
  const char* size;
  const char* view;
  const char* hide;
  const char* browser;
  int theme, tab;                   // -1: not given
} render_options;

static const char* const themes[] = {"light", "dark", NULL};
static const char* const tabs[] = {"plots", "energy", "events", "model", NULL};  // in the order of the page

#define AT(field) offsetof(render_options, field)
static const cli_option options[] = {
  {"output", 'o', CLI_STRING, "FILE", AT(output),
   "the picture: FILE.png (default: RUN with .png for its ending)", NULL},
  {"at", 0, CLI_DOUBLE, "T", AT(at), "the instant of the picture, in seconds (default: the end of the run)", NULL},
  {"video", 0, CLI_STRING, "FILE", AT(video), "a film: FILE.mp4 or FILE.gif; needs ffmpeg", NULL},
  {"from", 0, CLI_DOUBLE, "T", AT(from), "the film begins at this time, in seconds (default: the start)", NULL},
  {"to", 0, CLI_DOUBLE, "T", AT(to), "the film ends at this time, in seconds (default: the end)", NULL},
  {"fps", 0, CLI_POSITIVE, "N", AT(fps), "pictures per second of the film (default: mp4 30, gif 25)", NULL},
  {"speed", 0, CLI_POSITIVE, "R", AT(speed), "seconds of the run per second of the film (default: 1)", NULL},
  {"size", 0, CLI_STRING, "WxH", AT(size), "width and height in pixels (default: 1280x720)", NULL},
  {"view", 0, CLI_STRING, "VIEW", AT(view),
   "scenes: from where, front, back, left, right, top, corner or AZIMUTH,ELEVATION in degrees (default: as the page "
   "does)", NULL},
  {"hide", 0, CLI_STRING, "LIST", AT(hide),
   "leave out some of: contacts, forces, cones, trails, grid, clock, legend (commas between)", NULL},
  {"theme", 0, CLI_CHOICE, "NAME", AT(theme), "light (default) or dark", themes},
  {"tab", 0, CLI_CHOICE, "NAME", AT(tab),
   "the whole page rather than the motion alone, with this tab: plots, energy, events or model", tabs},
  {"browser", 0, CLI_STRING, "FILE", AT(browser), "the Chromium to use (default: one that is on the PATH)", NULL},
  {0},
};

const cli_command cli_render_command = {
  .name = "render", .operands = "RUN", .min_operands = 1, .max_operands = 1,
  .summary = "draw a run as a picture or a film",
  .purpose = "Draws RUN, an HDF5 file written by 'stickslip run -o', at an instant as a PNG picture, or as a film. It "
             "looks as in the page of 'report', which Chromium draws, without a window and without a network.",
  .options = options,
  .examples = "  stickslip render run.h5 --at 0.112 -o frame.png\n"
              "  stickslip render run.h5 --video run.mp4 --speed 0.1 --to 0.6\n"
              "  stickslip render run.h5 --video run.gif --size 640x480 --view 30,20 --hide cones,trails\n"
              "  stickslip render run.h5 --tab plots --theme dark --size 1366x768 -o page.png\n",
  .main = cli_render,
};

// ---- what is wanted ----

typedef struct job {
  const char* run;
  render_options options;
  int width, height;
  double start, end;   // of the run, s
  double* at;          // the instants of all pictures: the film's, then the single one
  long n_film, n;
  char folder[CLI_PATH];
  char ffmpeg[CLI_PATH];
  cli_browser browser;
} job;

static bool read_size(const char* text, int* width, int* height)
{
  char rest;
  if (sscanf(text, "%dx%d%c", width, height, &rest) != 2) return false;
  return *width >= 16 && *height >= 16 && *width <= MAX_SIZE && *height <= MAX_SIZE;
}

static bool is_view(const char* text)
{
  static const char* const names[] = {"front", "back", "left", "right", "top", "corner", NULL};
  double azimuth, elevation;
  char rest;
  for (int i = 0; names[i]; i++)
    if (strcmp(names[i], text) == 0) return true;
  return sscanf(text, "%lf,%lf%c", &azimuth, &elevation, &rest) == 2 && fabs(azimuth) <= 360 && fabs(elevation) <= 90;
}

// The first word of the list that cannot be hidden; NULL if all can
static const char* wrong_word(const char* list, int* length)
{
  static const char* const names[] = {"contacts", "forces", "cones", "trails", "grid", "clock", "legend", NULL};
  for (const char* p = list; p; p = strchr(p, ','), p += p != NULL) {
    bool known = false;
    *length = (int)strcspn(p, ",");
    for (int i = 0; names[i]; i++)
      known = known || (strlen(names[i]) == (size_t)*length && strncmp(names[i], p, (size_t)*length) == 0);
    if (!known) return p;
  }
  return NULL;
}

static int check_file(const job* j, const char* option, const char* path)
{
  const cli_command* c = &cli_render_command;
  if (cli_same_file(path, j->run)) return cli_usage(c, "%s would replace the run '%s'", option, j->run);
  if (cli_is_hdf5(path)) return cli_usage(c, "%s would replace the HDF5 file '%s'", option, path);
  return CLI_GO_ON;
}

static int check_options(job* j)
{
  const cli_command* c = &cli_render_command;
  const render_options* o = &j->options;
  int length = 0;
  if (o->output && !cli_ends_in(o->output, ".png"))
    return cli_usage(c, "-o %s: the name must end in .png", o->output);
  if (o->video && !cli_ends_in(o->video, ".mp4") && !cli_ends_in(o->video, ".gif"))
    return cli_usage(c, "--video %s: the name must end in .mp4 or .gif", o->video);
  if (!o->video && (!isnan(o->from) || !isnan(o->to) || !isnan(o->fps) || !isnan(o->speed)))
    return cli_usage(c, "--from, --to, --fps and --speed belong to --video FILE, which is missing; --at T is the "
                     "instant of a picture");
  if (o->video && !o->output && !isnan(o->at)) return cli_usage(c, "--at belongs to -o FILE.png, which is missing");
  if (o->from > o->to) return cli_usage(c, "--from %g is after --to %g", o->from, o->to);
  if (!read_size(o->size ? o->size : "1280x720", &j->width, &j->height))
    return cli_usage(c, "--size %s: it must be WxH, 1280x720 for example, each from 16 to %d", o->size, MAX_SIZE);
  if (o->view && !is_view(o->view))
    return cli_usage(c, "--view %s: it must be front, back, left, right, top, corner or AZIMUTH,ELEVATION in degrees",
                     o->view);
  const char* wrong = o->hide ? wrong_word(o->hide, &length) : NULL;
  if (wrong)
    return cli_usage(c, "--hide %.*s: what can be hidden is contacts, forces, cones, trails, grid, clock and legend",
                     length, wrong);
  int status = o->output ? check_file(j, "-o", o->output) : CLI_GO_ON;
  if (status == CLI_GO_ON && o->video) status = check_file(j, "--video", o->video);
  return status;
}

// The time that the run covers
static int read_times(job* j)
{
  ss_error error = {0};
  ss_run* run = ss_run_open(j->run, &error);
  long n = run ? ss_run_get_info(run)->n_rows : 0;
  const double* t = n ? ss_run_column(run, "t", &error) : NULL;
  int status = CLI_GO_ON;
  if (t) {
    j->start = t[0];
    j->end = t[n - 1];
  } else if (run && n == 0) {
    cli_error("%s: the run has no rows", j->run);
    status = CLI_BAD_INPUT;
  } else status = cli_fail(&error);
  if (run) ss_run_close(run);
  return status;
}

static int check_time(const job* j, const char* option, double t)
{
  double slack = 1e-9*fmax(1, j->end - j->start);
  if (isnan(t) || (t >= j->start - slack && t <= j->end + slack)) return CLI_GO_ON;
  cli_error("--%s %.9g: the run goes from t = %.9g s to %.9g s", option, t, j->start, j->end);
  return CLI_BAD_INPUT;
}

// The instants: of a film evenly spaced
static int choose_instants(job* j)
{
  render_options* o = &j->options;
  int status = check_time(j, "at", o->at);
  if (status == CLI_GO_ON) status = check_time(j, "from", o->from);
  if (status == CLI_GO_ON) status = check_time(j, "to", o->to);
  if (status != CLI_GO_ON) return status;
  if (isnan(o->from)) o->from = j->start;
  if (isnan(o->to)) o->to = j->end;
  if (isnan(o->speed)) o->speed = 1;
  if (isnan(o->fps)) o->fps = o->video && cli_ends_in(o->video, ".gif") ? 25 : 30;
  double step = o->speed/o->fps, count = o->video ? floor((o->to - o->from)/step*(1 + 1e-12) + 1e-9) + 1 : 0;
  if (!(count <= MAX_FRAMES))
    return cli_usage(&cli_render_command, "the film would have %.0f pictures; %d are allowed: a higher --speed, a "
                     "lower --fps, or --from and --to make it shorter", count, MAX_FRAMES);
  j->n_film = (long)count;
  j->n = j->n_film + (o->output != NULL);
  j->at = calloc((size_t)j->n + 1, sizeof *j->at);
  if (!j->at) return cli_out_of_memory();
  for (long i = 0; i < j->n_film; i++) j->at[i] = o->from + (double)i*step;
  if (o->output) j->at[j->n_film] = isnan(o->at) ? j->end : o->at;
  return CLI_GO_ON;
}

// ---- pictures ----

// file://PATH#WORDS, with all characters of the path escaped that mean something in an address
static void make_url(const job* j, const char* page, char* url, size_t size)
{
  const render_options* o = &j->options;
  size_t n = (size_t)snprintf(url, size, "file://");
  for (const char* p = page; *p && n + 4 < size; p++) {
    bool plain = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') || strchr("/-_.", *p);
    n += (size_t)snprintf(url + n, size - n, plain ? "%c" : "%%%02X", plain ? *p : (unsigned char)*p);
  }
  n += (size_t)snprintf(url + n, size - n, "#theme=%s&speed=%.9g", themes[o->theme > 0], j->options.speed);
  if (o->tab >= 0) n += (size_t)snprintf(url + n, size - n, "&tab=%d", o->tab);
  else n += (size_t)snprintf(url + n, size - n, "&plain=1");
  if (o->view && n < size) n += (size_t)snprintf(url + n, size - n, "&view=%s", o->view);
  if (o->hide && n < size) snprintf(url + n, size - n, "&hide=%s", o->hide);
}

static bool open_page(job* j, const char* page)
{
  static const char ready[] =
    "new Promise((done) => { const look = () => { const wrong = document.querySelector('.broken');"
    " if (window.stickslip?.show) done(true); else if (wrong) done(wrong.textContent); else setTimeout(look, 10); };"
    " look(); })";
  char url[4*CLI_PATH];
  make_url(j, page, url, sizeof url);
  return cli_browser_open(&j->browser, j->options.browser, j->folder, j->width, j->height)
         && cli_browser_go(&j->browser, url) && cli_browser_run(&j->browser, ready);
}

static unsigned char* take_picture(job* j, double t, size_t* n)
{
  char script[80];
  snprintf(script, sizeof script, "stickslip.show(%.17g)", t);
  return cli_browser_run(&j->browser, script) ? cli_browser_picture(&j->browser, n) : NULL;
}

// One picture into an open file
static int put_picture(job* j, double t, FILE* out, const char* path)
{
  size_t n = 0;
  unsigned char* bytes = take_picture(j, t, &n);
  if (!bytes) return CLI_FAILED;
  errno = 0;
  bool written = fwrite(bytes, 1, n, out) == n && fflush(out) == 0;
  free(bytes);
  if (written) return CLI_DONE;
  cli_error("%s: cannot be written: %s", path, strerror(errno));
  return CLI_BAD_FILE;
}

static void tell(const job* j, long i)
{
  if (isatty(STDERR_FILENO)) fprintf(stderr, "\rpicture %ld of %ld%s", i, j->n_film, i == j->n_film ? "\r\033[K" : "");
}

// Pictures first, then the film: if one of them fails there is none
static int make_film(job* j)
{
  char frames[CLI_PATH + 16];
  snprintf(frames, sizeof frames, "%s/frames", j->folder);
  FILE* out = fopen(frames, "wb");
  if (!out) {
    cli_error("%s: cannot be written: %s", frames, strerror(errno));
    return CLI_BAD_FILE;
  }
  int status = CLI_DONE;
  for (long i = 0; i < j->n_film && status == CLI_DONE; i++) {
    status = put_picture(j, j->at[i], out, frames);
    tell(j, i + 1);
  }
  fclose(out);
  if (status != CLI_DONE) return status;
  return cli_video_make(j->ffmpeg, j->folder, frames, j->options.fps, j->options.video);
}

static int make_picture(job* j)
{
  char picture[CLI_PATH + 16];
  snprintf(picture, sizeof picture, "%s/picture.png", j->folder);
  FILE* out = fopen(picture, "wb");
  int status = out ? put_picture(j, j->at[j->n_film], out, picture) : CLI_BAD_FILE;
  if (!out) cli_error("%s: cannot be written: %s", picture, strerror(errno));
  if (out) fclose(out);
  return status == CLI_DONE ? cli_copy_file(picture, j->options.output) : status;
}

static int draw(job* j)
{
  char page_path[CLI_PATH + 16];
  cli_page page = {.file = j->run, .from = -HUGE_VAL, .to = HUGE_VAL, .n_at = j->n, .at = j->at};
  snprintf(page_path, sizeof page_path, "%s/page.html", j->folder);
  int status = cli_page_write(j->run, &page, page_path);
  if (status != CLI_DONE) return status;
  if (!open_page(j, page_path)) status = CLI_FAILED;
  if (status == CLI_DONE && j->options.output) status = make_picture(j);
  if (status == CLI_DONE && j->options.video) status = make_film(j);
  cli_browser_close(&j->browser);
  return status;
}

// The picture beside the run; the caller frees it
static char* default_output(const char* run)
{
  size_t n = strlen(run);
  if (cli_ends_in(run, ".h5")) n -= 3;
  char* path = malloc(n + 5);
  if (path) snprintf(path, n + 5, "%.*s.png", (int)n, run);
  return path;
}

static int prepare(job* j)
{
  int status = check_options(j);
  if (status == CLI_GO_ON) status = read_times(j);
  if (status == CLI_GO_ON) status = choose_instants(j);
  if (status == CLI_GO_ON) status = cli_page_viewer();
  if (status == CLI_GO_ON && j->options.video) status = cli_video_find(j->ffmpeg);
  return status;
}

int cli_render(int argc, char** argv)
{
  job j = {.options = {.at = NAN, .from = NAN, .to = NAN, .fps = NAN, .speed = NAN, .theme = -1, .tab = -1}};
  int n;
  int status = cli_parse(&cli_render_command, argc, argv, &j.options, &n);
  if (status != CLI_GO_ON) return status;
  j.run = argv[1];
  char* beside = j.options.output || j.options.video ? NULL : default_output(j.run);
  if (beside) j.options.output = beside;
  if (!j.options.output && !j.options.video) return cli_out_of_memory();
  status = prepare(&j);
  cli_note_signals();
  if (status == CLI_GO_ON) status = cli_scratch_open("render", j.folder) ? CLI_GO_ON : CLI_BAD_FILE;
  if (status == CLI_GO_ON) {
    status = draw(&j);
    cli_scratch_remove(j.folder);
  }
  free(j.at);
  free(beside);
  return status;
}
