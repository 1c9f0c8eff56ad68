// STL, binary and as text: triangles with their corners. Normals are not used: the order of the corners tells the
// outside.
//
// Binary: 80 bytes of anything, the number of triangles (4 bytes, little-endian), 50 bytes for each: normal and three
// corners as floats, 2 bytes of anything.
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include "io/mesh.h"

enum { HEADER = 84, TRIANGLE = 50 };

static ss_status add_triangle(ss_mesh* mesh, double corner[3][3], ss_error* error)
{
  int n = mesh->n_vertex;
  for (int i = 0; i < 3; i++) {
    ss_status st = ss_mesh_add_vertex(mesh, corner[i], error);
    if (st < 0) return st;
  }
  return ss_mesh_add_face(mesh, n, n + 1, n + 2, error);
}

// ---- binary ----

static uint32_t whole_at(const unsigned char* p)
{
  return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static double float_at(const unsigned char* p)
{
  uint32_t bits = whole_at(p);
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static ss_status read_binary(const unsigned char* data, size_t length, const char* name, ss_mesh* mesh, ss_error* error)
{
  uint32_t n = whole_at(data + 80);
  if (n == 0) return ss_mesh_complain(error, name, 0, "the file has no triangles (byte 80)");
  if (n > SS_MESH_MOST)
    return ss_mesh_complain(error, name, 0, "%" PRIu32 " triangles (byte 80); at most %d are read", n, SS_MESH_MOST);
  if (length != HEADER + (size_t)n*TRIANGLE)
    return ss_mesh_complain(error, name, 0, "a binary STL file with %" PRIu32 " triangles (byte 80) has %zu bytes, not "
                            "%zu", n, HEADER + (size_t)n*TRIANGLE, length);
  for (uint32_t t = 0; t < n; t++) {
    size_t at = HEADER + (size_t)t*TRIANGLE + 12;
    double corner[3][3];
    for (int i = 0; i < 9; i++) {
      corner[i/3][i%3] = float_at(data + at + 4*i);
      if (!(fabs(corner[i/3][i%3]) < 1e30))
        return ss_mesh_complain(error, name, 0, "byte %zu: a coordinate of triangle %" PRIu32 " is not finite, or too "
                                "great", at + 4*(size_t)i, t);
    }
    ss_status st = add_triangle(mesh, corner, error);
    if (st < 0) return st;
  }
  return SS_OK;
}

// ---- text ----

// One line to read; the words of STL text, of which only the corners say something
typedef struct reader {
  const char *at, *end;
  const char* name;
  int line;
  ss_mesh* mesh;
  ss_error* error;
  bool in_solid, in_facet, in_loop;
  int corners;
  double corner[3][3];
} reader;

#define COMPLAIN(...) ss_mesh_complain(r->error, r->name, r->line, __VA_ARGS__)

static bool is(const char* word, const char* name) { return strcmp(word, name) == 0; }

static ss_status read_corner(reader* r)
{
  if (!r->in_loop) return COMPLAIN("'vertex' stands outside of 'outer loop'");
  if (r->corners == 3) return COMPLAIN("a facet has 3 vertices, this one has more");
  return ss_mesh_numbers(&r->at, r->corner[r->corners++], "vertex", r->name, r->line, r->error);
}

static ss_status end_loop(reader* r)
{
  if (!r->in_loop) return COMPLAIN("'endloop' without 'outer loop'");
  r->in_loop = false;
  if (r->corners != 3) return COMPLAIN("a facet has 3 vertices, this one has %d", r->corners);
  r->corners = 0;
  return add_triangle(r->mesh, r->corner, r->error);
}

static ss_status read_word(reader* r, const char* word)
{
  if (is(word, "vertex")) return read_corner(r);
  if (is(word, "endloop")) return end_loop(r);
  if (is(word, "outer")) {
    if (!r->in_facet || r->in_loop) return COMPLAIN("'outer loop' stands outside of 'facet'");
    r->in_loop = true;
  }
  else if (is(word, "facet")) {
    if (!r->in_solid) return COMPLAIN("'facet' stands outside of 'solid'");
    if (r->in_facet) return COMPLAIN("'facet' stands in another one");
    r->in_facet = true;
  }
  else if (is(word, "endfacet")) {
    if (!r->in_facet || r->in_loop) return COMPLAIN("'endfacet' without '%s'", r->in_loop ? "endloop" : "facet");
    r->in_facet = false;
  }
  else if (is(word, "solid")) {
    if (r->in_solid) return COMPLAIN("'solid' stands in another one");
    r->in_solid = true;
  }
  else if (is(word, "endsolid")) {
    if (!r->in_solid || r->in_facet) return COMPLAIN("'endsolid' without '%s'", r->in_facet ? "endfacet" : "solid");
    r->in_solid = false;
  }
  else
    return COMPLAIN("'%.30s' is no word of STL, which has: solid, facet, outer loop, vertex, endloop, endfacet, "
                    "endsolid", word);
  return SS_OK;
}

static ss_status read_text(reader* r)
{
  while (r->at < r->end) {
    char word[32];
    ss_status st = ss_mesh_word(&r->at, word, sizeof word) ? read_word(r, word) : SS_OK;
    if (st < 0 && r->error && !r->error->line) r->error->line = r->line;
    if (st < 0) return st;
    const char* end = memchr(r->at, '\n', (size_t)(r->end - r->at));
    r->at = end ? end + 1 : r->end;
    if (end) r->line++;
  }
  if (r->in_solid) return COMPLAIN("the file ends inside of 'solid'; 'endsolid' is missing");
  if (!r->mesh->n_face) return ss_mesh_complain(r->error, r->name, 0, "the file has no triangles");
  return SS_OK;
}

// A binary file may begin with "solid", too: its length decides
ss_status ss_mesh_parse_stl(const char* data, size_t length, const char* name, ss_mesh* mesh, ss_error* error)
{
  const unsigned char* bytes = (const unsigned char*)data;
  bool fits = length >= HEADER && length == HEADER + (uint64_t)whole_at(bytes + 80)*TRIANGLE;
  size_t start = strspn(data, " \t\r\n");
  bool text = length >= start + 5 && memcmp(data + start, "solid", 5) == 0 && !memchr(data, 0, length);
  if (text && !fits) {
    reader r = {.at = data, .end = data + length, .name = name, .line = 1, .mesh = mesh, .error = error};
    return read_text(&r);
  }
  if (length < HEADER)
    return ss_mesh_complain(error, name, 0, "%zu bytes; a binary STL file has %d or more, one as text begins with "
                            "'solid'", length, HEADER);
  return read_binary(bytes, length, name, mesh, error);
}
