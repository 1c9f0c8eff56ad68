// A film of pictures, made by ffmpeg.
#include "video.h"

#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "page.h"

enum { PATIENCE = 3600 };  // seconds for a film

int cli_video_find(char program[CLI_PATH])
{
  static const char* const names[] = {"ffmpeg", NULL};
  if (cli_find_program(names, program)) return CLI_GO_ON;
  cli_error("ffmpeg was not found on the PATH; it makes the film of the pictures. Install it (Debian: apt install "
            "ffmpeg). Without it: 'render RUN --at T -o FILE.png' makes single pictures.");
  return CLI_FAILED;
}

// H.264 in the form that every player knows: it wants even numbers of pixels. The index comes first, for the web.
static int mp4_arguments(char* argv[])
{
  static char words[][48] = {"-an", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-c:v", "libx264", "-crf", "18",
                             "-pix_fmt", "yuv420p", "-movflags", "+faststart"};
  int n = (int)(sizeof words/sizeof *words);
  for (int i = 0; i < n; i++) argv[i] = words[i];
  return n;
}

// 256 colours: those that the whole film needs, found first, and no dithering that moves from picture to picture
static int gif_arguments(char* argv[])
{
  static char filter[] = "[0:v]palettegen=stats_mode=full[p];[1:v][p]paletteuse=dither=bayer:bayer_scale=5:"
                         "diff_mode=rectangle";
  static char words[][20] = {"-an", "-filter_complex", "", "-loop", "0"};
  int n = (int)(sizeof words/sizeof *words);
  for (int i = 0; i < n; i++) argv[i] = words[i];
  argv[2] = filter;
  return n;
}

int cli_video_make(const char* program, const char* folder, const char* frames, double fps, const char* output)
{
  char path[CLI_PATH], in[CLI_PATH], film[CLI_PATH + 16], messages[CLI_PATH + 16], rate[32];
  char words[][16] = {"-hide_banner", "-loglevel", "error", "-nostdin", "-y", "-f", "image2pipe", "-framerate", "-c:v",
                      "png", "-i"};
  bool gif = cli_ends_in(output, ".gif");
  snprintf(path, sizeof path, "%s", program);
  snprintf(in, sizeof in, "%s", frames);
  snprintf(film, sizeof film, "%s/film.%s", folder, gif ? "gif" : "mp4");
  snprintf(messages, sizeof messages, "%s/film.log", folder);
  snprintf(rate, sizeof rate, "%.9g", fps);
  char* argv[64] = {path, words[0], words[1], words[2], words[3], words[4]};
  int n = 6;
  for (int i = 0; i <= gif; i++) {  // the pictures; for the colours of a gif twice
    char* input[] = {words[5], words[6], words[7], rate, words[8], words[9], words[10], in};
    for (size_t k = 0; k < sizeof input/sizeof *input; k++) argv[n++] = input[k];
  }
  n += gif ? gif_arguments(argv + n) : mp4_arguments(argv + n);
  argv[n] = film;
  cli_child child = {.argv = argv, .folder = folder, .messages = messages, .fd3 = -1, .fd4 = -1};
  int number = cli_child_start(&child);
  int result = number ? -1 : cli_child_wait(&child, PATIENCE);
  if (result == 0) return cli_copy_file(film, output);
  if (cli_interrupted()) cli_note("interrupted; no film was written");
  else if (number) cli_error("%s could not be started: %s", program, strerror(number));
  else {
    cli_child_messages(&child, "ffmpeg");
    cli_error("ffmpeg could not make the film");
  }
  return CLI_FAILED;
}
