// `stickslip report`: a run as one page for any browser, with everything in it.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

// The page beside the run; the caller frees it
static char* default_output(const char* run)
{
  size_t n = strlen(run);
  if (cli_ends_in(run, ".h5")) n -= 3;
  char* path = malloc(n + 6);
  if (path) snprintf(path, n + 6, "%.*s.html", (int)n, run);
  return path;
}

static int check_options(const report_options* o, const char* run)
{
  const cli_command* c = &cli_report_command;
  if (!cli_ends_in(o->output, ".html") && !cli_ends_in(o->output, ".json"))
    return cli_usage(c, "-o %s: the name must end in .html or .json", o->output);
  if (cli_same_file(o->output, run)) return cli_usage(c, "-o would replace the run '%s'", run);
  if (cli_is_hdf5(o->output)) return cli_usage(c, "-o would replace the HDF5 file '%s'", o->output);
  if (o->from > o->to) return cli_usage(c, "--from %g is after --to %g", o->from, o->to);
  return cli_ends_in(o->output, ".json") ? CLI_GO_ON : cli_page_viewer();
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
  cli_page page = {.file = argv[1], .from = o.from, .to = o.to, .most = o.rows};
  if (status == CLI_GO_ON) status = cli_page_write(argv[1], &page, o.output);
  free(beside);
  return status;
}
