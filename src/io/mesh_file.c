// Files of meshes: the format by the ending of the name, arrays that grow, vertices that coincide.
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/number.h"
#include "base/text.h"
#include "io/mesh.h"

// Products of some such numbers are still finite
#define GREATEST 1e30

// ---- errors ----

ss_status ss_mesh_complain(ss_error* error, const char* name, int line, const char* format, ...)
{
  char text[400];
  va_list args;
  va_start(args, format);
  ss_vprint(text, sizeof text, format, args);
  va_end(args);
  ss_error_set(error, SS_ERR_INPUT, "%s", text);
  if (error) snprintf(error->file, sizeof error->file, "%s", name);
  if (error) error->line = line;
  return SS_ERR_INPUT;
}

// ---- words and numbers of a line ----

static bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
static bool ends(char c) { return c == 0 || c == '\n'; }

size_t ss_mesh_word(const char** at, char* out, size_t size)
{
  while (blank(**at)) ++*at;
  size_t n = 0;
  for (; !blank((*at)[n]) && !ends((*at)[n]); n++)
    if (n + 1 < size) out[n] = (*at)[n];
  out[n + 1 < size ? n : size - 1] = 0;
  *at += n;
  return n;
}

ss_status ss_mesh_numbers(const char** at, double p[3], const char* what, const char* name, int line, ss_error* error)
{
  for (int i = 0; i < 3; i++) {
    char word[64];
    const char* end;
    size_t n = ss_mesh_word(at, word, sizeof word);
    if (!n) return ss_mesh_complain(error, name, line, "%s needs 3 numbers, not %d", what, i);
    p[i] = ss_parse_number(word, &end);
    if (*end || n >= sizeof word)
      return ss_mesh_complain(error, name, line, "%s has '%.30s' where a number is expected", what, word);
    if (!(fabs(p[i]) < GREATEST))
      return ss_mesh_complain(error, name, line, "%s has a number that is not finite, or too great", what);
  }
  return SS_OK;
}

// ---- arrays ----

static ss_status grow(void** array, int* room, int n, size_t size, int most, const char* what, ss_error* error)
{
  if (n >= most) return ss_error_set(error, SS_ERR_INPUT, "more than %d %s", most, what);
  if (n < *room) return SS_OK;
  int more = *room ? 2**room : 64;
  void* bigger = realloc(*array, (size_t)more*size);
  if (!bigger) return ss_error_set(error, SS_ERR_MEMORY, "out of memory");
  *array = bigger;
  *room = more;
  return SS_OK;
}

ss_status ss_mesh_add_vertex(ss_mesh* m, const double p[3], ss_error* error)
{
  const int most = 3*SS_MESH_MOST;  // those of every triangle, of which many coincide
  ss_status st = grow((void**)&m->vertex, &m->vertex_room, m->n_vertex, 3*sizeof(double), most, "vertices", error);
  if (st < 0) return st;
  for (int i = 0; i < 3; i++) m->vertex[3*m->n_vertex + i] = p[i] + 0.0;  // no negative zero
  m->n_vertex++;
  return SS_OK;
}

ss_status ss_mesh_add_face(ss_mesh* m, int a, int b, int c, ss_error* error)
{
  ss_status st = grow((void**)&m->face, &m->face_room, m->n_face, 3*sizeof(int), SS_MESH_MOST, "triangles", error);
  if (st < 0) return st;
  int* face = m->face + 3*m->n_face++;
  face[0] = a;
  face[1] = b;
  face[2] = c;
  return SS_OK;
}

void ss_mesh_free(ss_mesh* m)
{
  free(m->vertex);
  free(m->face);
  *m = (ss_mesh){0};
}

// ---- vertices that coincide ----

static uint32_t hash(const double* p)
{
  uint32_t h = 2166136261u;
  unsigned char bytes[3*sizeof(double)];
  memcpy(bytes, p, sizeof bytes);
  for (size_t i = 0; i < sizeof bytes; i++) h = (h ^ bytes[i])*16777619u;
  return h ^ h >> 15;
}

// Each vertex once, in the order of the file; triangles without area that this leaves are dropped
static ss_status weld(ss_mesh* m, ss_error* error)
{
  uint32_t room = 16;
  while (room < 2*(uint32_t)m->n_vertex) room *= 2;
  int *slot = calloc(room, sizeof *slot), *number = calloc((size_t)m->n_vertex + 1, sizeof *number), n = 0;
  ss_status st = slot && number ? SS_OK : ss_error_set(error, SS_ERR_MEMORY, "out of memory");
  for (int i = 0; i < m->n_vertex && st == SS_OK; i++) {
    double p[3];
    memcpy(p, m->vertex + 3*i, sizeof p);
    uint32_t at = hash(p) & (room - 1);
    while (slot[at] && memcmp(m->vertex + 3*(slot[at] - 1), p, sizeof p) != 0) at = (at + 1) & (room - 1);
    if (!slot[at]) {
      slot[at] = ++n;
      memcpy(m->vertex + 3*(n - 1), p, sizeof p);
    }
    number[i] = slot[at] - 1;
  }
  if (st == SS_OK) m->n_vertex = n;
  int kept = 0;
  for (int f = 0; f < m->n_face && st == SS_OK; f++) {
    int a = number[m->face[3*f]], b = number[m->face[3*f + 1]], c = number[m->face[3*f + 2]];
    if (a == b || b == c || c == a) continue;
    m->face[3*kept] = a;
    m->face[3*kept + 1] = b;
    m->face[3*kept++ + 2] = c;
  }
  if (st == SS_OK) m->n_face = kept;
  free(slot);
  free(number);
  return st;
}

// ---- files ----

static bool has_ending(const char* name, const char* ending)
{
  size_t n = strlen(name), k = strlen(ending);
  return n > k && strcasecmp(name + n - k, ending) == 0;
}

bool ss_mesh_known(const char* name) { return has_ending(name, ".obj") || has_ending(name, ".stl"); }

ss_status ss_mesh_parse(const char* data, size_t length, const char* name, ss_mesh* mesh, ss_error* error)
{
  ss_status st;
  *mesh = (ss_mesh){0};
  if (has_ending(name, ".obj")) st = ss_mesh_parse_obj(data, length, name, mesh, error);
  else if (has_ending(name, ".stl")) st = ss_mesh_parse_stl(data, length, name, mesh, error);
  else
    st = ss_mesh_complain(error, name, 0, "%s files are not read; meshes are .obj and .stl files",
                          has_ending(name, ".dae") ? "Collada (.dae)" : "such");
  if (st >= 0) st = weld(mesh, error);
  if (st >= 0 && mesh->n_vertex > SS_MESH_MOST)
    st = ss_mesh_complain(error, name, 0, "%d different vertices; at most %d are read", mesh->n_vertex, SS_MESH_MOST);
  if (st >= 0 && mesh->n_vertex < 4)
    st = ss_mesh_complain(error, name, 0, "a mesh needs 4 or more different vertices, not %d", mesh->n_vertex);
  if (st < 0 && error && !error->file[0]) snprintf(error->file, sizeof error->file, "%s", name);
  if (st < 0) ss_mesh_free(mesh);
  return st;
}

ss_status ss_mesh_load(const char* path, ss_mesh* mesh, ss_error* error)
{
  size_t length;
  *mesh = (ss_mesh){0};
  if (!ss_mesh_known(path)) return ss_mesh_parse("", 0, path, mesh, error);
  char* data = ss_read_file(path, &length, error);
  if (!data) return SS_ERR_FILE;
  ss_status st = ss_mesh_parse(data, length, path, mesh, error);
  free(data);
  return st;
}
