// A page as a file: the viewer as it was built, with the data of a run in its place.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "json.h"
#include "out_file.h"
#include "page.h"

bool cli_ends_in(const char* path, const char* ending)
{
  size_t n = strlen(path), m = strlen(ending);
  return n > m && strcasecmp(path + n - m, ending) == 0;
}

int cli_page_viewer(void)
{
  if (cli_viewer_size) return CLI_GO_ON;
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
  cli_out out;
  errno = 0;
  bool written = cli_out_open(&out, path) &&
                 (cli_ends_in(path, ".json") ? write_data(out.file, text, false) : write_page(out.file, text));
  int number = errno;
  if (!cli_out_close(&out, written)) {
    number = errno;
    written = false;
  }
  if (written) return CLI_DONE;
  cli_error("%s: cannot be written: %s", path, number ? strerror(number) : "the viewer of this build is damaged");
  return CLI_BAD_FILE;
}

int cli_page_write(const char* path, cli_page* page, const char* output)
{
  ss_error error = {0};
  cJSON* json = NULL;
  ss_run* run = ss_run_open(path, &error);
  if (!run) return cli_fail(&error);
  int status = cli_page_make(run, page, &json);
  if (status == CLI_GO_ON) {
    char* text = cJSON_PrintUnformatted(json);
    status = text && cli_json_is_whole() ? write_file(output, text) : cli_out_of_memory();
    cJSON_free(text);
  }
  cJSON_Delete(json);
  free(page->row);
  page->row = NULL;
  ss_run_close(run);
  return status;
}
