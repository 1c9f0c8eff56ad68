// Fuzz target: any bytes as FILE.part of a sweep that is to go on: pieces that are whole are kept, the rest is cut off;
// never a crash. The table is made of what is kept.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "sweep_file.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
  static const char task[] = "# task\n";
  char output[64], part[80];
  snprintf(output, sizeof output, "/tmp/fuzz-sweep-%ld.csv", (long)getpid());
  snprintf(part, sizeof part, "%s.part", output);
  FILE* f = fopen(part, "wb");
  if (!f || fputs(task, f) < 0 || fwrite(data, 1, size, f) != size || fclose(f)) abort();
  cli_sheet h = {.output = output, .task = task, .header = "a,b\n", .resume = true};
  int status = cli_sheet_open(&h);
  if (status == CLI_GO_ON && !cli_sheet_add(&h, h.first, "1,2\n", 0, 0)) abort();
  if (cli_sheet_close(&h, status == CLI_GO_ON) == CLI_DONE && status == CLI_GO_ON && access(output, R_OK)) abort();
  unlink(part);
  unlink(output);
  return 0;
}
