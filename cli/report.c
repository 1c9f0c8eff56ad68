// `stickslip report`: a run as one page for any browser, with everything in it.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli.h"
#include "page.h"

typedef struct report_options {
  const char* output;
  double from, to;
  long rows;
} report_options;

#define AT(field) offsetof(report_options, field)
static const cli_option options[] = {
  {"output", 'o', CLI_STRING, "FILE", AT(output),
   "the page: FILE.html; or, FILE.json, its data alone (default: RUN with .html for its ending)", NULL},
  {"from", 0, CLI_DOUBLE, "T", AT(from), "start at this time, in seconds", NULL},
  {"to", 0, CLI_DOUBLE, "T", AT(to), "end at this time, in seconds", NULL},
  {"rows", 0, CLI_COUNT, "N", AT(rows), "rows at most (default: as many as make the page about 2.5 MB)", NULL},
  {0},
};

const cli_command cli_report_command = {
  .name = "report", .operands = "RUN", .min_operands = 1, .max_operands = 1,
  .summary = "make a page for the browser: motion, contacts, events, plots",
  .purpose = "Writes RUN, an HDF5 file written by 'stickslip run -o', as one HTML file that opens in any browser, also "
             "offline: the motion with a time bar and its events, contacts and their states, plots, the energy ledger, "
             "the model and its settings. Long runs are shown by fewer rows; those around events are always there.",
  .options = options,
  .examples = "  stickslip report run.h5\n"
              "  stickslip report run.h5 -o page.html --from 1 --to 1.5\n",
  .main = cli_report,
};

static bool ends_in(const char* path, const char* ending)
{
  size_t n = strlen(path), m = strlen(ending);
  return n > m && strcasecmp(path + n - m, ending) == 0;
}

// The page beside the run; the caller frees it
static char* default_output(const char* run)
{
  size_t n = strlen(run);
  if (ends_in(run, ".h5")) n -= 3;
  char* path = malloc(n + 6);
  if (path) snprintf(path, n + 6, "%.*s.html", (int)n, run);
  return path;
}

static int check_options(const report_options* o, const char* run)
{
  const cli_command* c = &cli_report_command;
  if (!ends_in(o->output, ".html") && !ends_in(o->output, ".json"))
    return cli_usage(c, "-o %s: the name must end in .html or .json", o->output);
  if (cli_same_file(o->output, run)) return cli_usage(c, "-o would replace the run '%s'", run);
  if (cli_is_hdf5(o->output)) return cli_usage(c, "-o would replace the HDF5 file '%s'", o->output);
  if (o->from > o->to) return cli_usage(c, "--from %g is after --to %g", o->from, o->to);
  if (cli_viewer_size || ends_in(o->output, ".json")) return CLI_GO_ON;
  cli_error("this build has no viewer: npm was missing, or could not get its packages, when it was built. Install "
            "nodejs and npm (scripts/install-deps), remove the folder 'viewer' in the build folder, configure and "
            "build again. Without it: 'report RUN -o FILE.json' writes the data alone, 'plot' draws.");
  return CLI_FAILED;
}

// Inside a page no text may look like markup: "</script>" in a model would end the block. '<' stands in strings only.
static bool write_data(FILE* out, const char* text, bool in_page)
{
  if (!in_page) return fputs(text, out) >= 0 && fputc('\n', out) != EOF;
  for (const char* p = text; *p;) {
    size_t n = strcspn(p, "<");
    if (fwrite(p, 1, n, out) != n) return false;
    p += n;
    if (*p && fputs("\\u003c", out) < 0) return false;
    p += *p != '\0';
  }
  return true;
}

// The page in three pieces: what comes before its mark, the data, the rest
static bool write_page(FILE* out, const char* text)
{
  static const char mark[] = "@@STICKSLIP-RUN@@";
  size_t m = sizeof mark - 1, at = 0;
  while (at + m <= cli_viewer_size && memcmp(cli_viewer_page + at, mark, m) != 0) at++;
  if (at + m > cli_viewer_size) return false;
  size_t rest = cli_viewer_size - at - m;
  return fwrite(cli_viewer_page, 1, at, out) == at && write_data(out, text, true)
         && fwrite(cli_viewer_page + at + m, 1, rest, out) == rest;
}

static int write_file(const char* path, const char* text)
{
  errno = 0;
  FILE* out = fopen(path, "wb");
  bool written = out && (ends_in(path, ".json") ? write_data(out, text, false) : write_page(out, text));
  int number = errno;
  if (out && fclose(out) != 0 && written) {
    number = errno;
    written = false;
  }
  if (written) return CLI_DONE;
  cli_error("%s: cannot be written: %s", path, number ? strerror(number) : "the viewer of this build is damaged");
  return CLI_BAD_FILE;
}

static int make(const char* path, const report_options* o)
{
  ss_error error = {0};
  cli_page page = {.file = path, .from = o->from, .to = o->to, .most = o->rows};
  cJSON* json = NULL;
  ss_run* run = ss_run_open(path, &error);
  if (!run) return cli_fail(&error);
  int status = cli_page_make(run, &page, &json);
  if (status == CLI_GO_ON) {
    char* text = cJSON_PrintUnformatted(json);
    status = text ? write_file(o->output, text) : cli_out_of_memory();
    cJSON_free(text);
  }
  cJSON_Delete(json);
  free(page.row);
  ss_run_close(run);
  return status;
}

int cli_report(int argc, char** argv)
{
  report_options o = {.from = -HUGE_VAL, .to = HUGE_VAL};
  int n;
  int status = cli_parse(&cli_report_command, argc, argv, &o, &n);
  if (status != CLI_GO_ON) return status;
  char* beside = o.output ? NULL : default_output(argv[1]);
  if (!o.output) o.output = beside;
  if (!o.output) return cli_out_of_memory();
  status = check_options(&o, argv[1]);
  if (status == CLI_GO_ON) status = make(argv[1], &o);
  free(beside);
  return status;
}
