// Fuzz target: any bytes as an outline, a list of points or (first byte odd) a drawing (DXF), give points that are
// finite, or an error that says why; never a crash.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "io/outline_file.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
  char path[64];
  ss_error error = {0};
  ss_points points = {0};
  if (!size) return 0;
  snprintf(path, sizeof path, "/tmp/fuzz-outline-%ld.%s", (long)getpid(), data[0] & 1 ? "dxf" : "csv");
  FILE* f = fopen(path, "wb");
  if (!f || fwrite(data + 1, 1, size - 1, f) != size - 1 || fclose(f)) abort();
  ss_status status = ss_outline_read(path, data[0] & 2, &points, &error);
  unlink(path);
  if (status < 0 && !error.text[0]) abort();
  for (int i = 0; status >= 0 && i < points.n; i++)
    if (!isfinite(points.list[i].x) || !isfinite(points.list[i].y)) abort();
  free(points.list);
  return 0;
}
