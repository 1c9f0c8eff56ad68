// Fuzz target: any bytes as a mesh, OBJ or STL by the first one, give triangles with vertices that are there, or an
// error.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "io/mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
  ss_error error;
  ss_mesh mesh;
  if (size < 1) return 0;
  char* text = malloc(size);
  if (!text) return 0;
  memcpy(text, data + 1, size - 1);
  text[size - 1] = 0;  // behind the data
  if (ss_mesh_parse(text, size - 1, data[0] & 1 ? "fuzz.obj" : "fuzz.stl", &mesh, &error) >= 0) {
    for (int i = 0; i < 3*mesh.n_vertex; i++)
      if (!isfinite(mesh.vertex[i])) abort();
    for (int i = 0; i < 3*mesh.n_face; i++)
      if (mesh.face[i] < 0 || mesh.face[i] >= mesh.n_vertex) abort();
    ss_mesh_look(mesh.n_vertex, mesh.vertex, mesh.n_face, mesh.face);
    ss_mesh_free(&mesh);
  }
  free(text);
  return 0;
}
