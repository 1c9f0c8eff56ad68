// Fuzz target: any bytes as a robot give a scene or an error, never a crash; no NaN leaves the reader, and every value
// can be overridden.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <stickslip/stickslip.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void check_numbers(int n, const double* x)
{
  for (int i = 0; i < n; i++)
    if (!isfinite(x[i])) abort();
}

static void check_scene(const ss_scene* s)
{
  for (int i = 0; i < s->tree.n_body; i++) {
    check_numbers(3, s->tree.body[i].position);
    check_numbers(4, s->tree.body[i].rotation);
    check_numbers(6, s->tree.body[i].inertia);
  }
  for (int i = 0; i < s->n_geom; i++) {
    check_numbers(3, s->geom[i].size);
    check_numbers(3, s->geom[i].position);
    check_numbers(4, s->geom[i].rotation);
    check_numbers(1, &s->geom[i].mass);
  }
}

static void check_start(const ss_scene* s)
{
  double* q = malloc(sizeof *q*((size_t)s->nq + 1));
  if (!q) return;
  ss_scene_initial(s, -1, q, NULL);
  check_numbers(s->nq, q);
  free(q);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
  ss_error error;
  ss_scene* scene = ss_scene_parse((const char*)data, size, "fuzz.urdf", 0, NULL, &error);
  if (!scene) return 0;
  check_scene(scene);
  check_start(scene);
  for (int i = 0; i < scene->n_parameter && i < 3; i++) {
    ss_override o = {scene->parameter[i].path, "1 2 x"};
    ss_scene_destroy(ss_scene_parse((const char*)data, size, "fuzz.urdf", 1, &o, &error));
  }
  ss_scene_destroy(scene);
  return 0;
}
