// Wavefront OBJ: lines of vertices (v) and faces (f). Faces with more than three corners become fans.
#include <stdlib.h>
#include <string.h>
#include "io/mesh.h"

typedef struct reader {
  const char *at, *end;
  const char* name;
  int line;
  ss_mesh* mesh;
  ss_error* error;
} reader;

// What says nothing about the shape: texture coordinates, normals, names, groups, materials, lines and points
static bool is_idle(const char* word)
{
  static const char* const words[] = {"vt", "vn", "vp", "o", "g", "s", "mg", "l", "p", "usemtl", "mtllib", "usemap",
                                      "maplib", "lod", "bevel", "c_interp", "d_interp", "shadow_obj", "trace_obj"};
  for (size_t i = 0; i < sizeof words/sizeof *words; i++)
    if (strcmp(words[i], word) == 0) return true;
  return false;
}

// A corner: "7", "7/1", "7//3", "7/1/3"; from 1, or from the end if negative
static ss_status read_corner(reader* r, const char* word, int* number)
{
  char* end;
  long k = strtol(word, &end, 10);
  int n = r->mesh->n_vertex;
  if (end == word || strspn(end, "/-0123456789") != strlen(end))
    return ss_mesh_complain(r->error, r->name, r->line, "f has '%.30s' where the number of a vertex is expected", word);
  if (k == 0 || k > n || k < -n)
    return ss_mesh_complain(r->error, r->name, r->line, "f names the vertex %ld; there are 1 to %d so far", k, n);
  *number = (int)(k > 0 ? k - 1 : n + k);
  return SS_OK;
}

static ss_status read_face(reader* r)
{
  char word[64];
  int first = 0, last = 0, n = 0;
  while (ss_mesh_word(&r->at, word, sizeof word)) {
    int corner = 0;
    size_t rest = strspn(r->at, " \t\r");
    if (strcmp(word, "\\") == 0 && r->at[rest] == '\n') {  // the line goes on
      r->at += rest + 1;
      r->line++;
      continue;
    }
    if (read_corner(r, word, &corner) < 0) return SS_ERR_INPUT;
    ss_status st = n >= 2 ? ss_mesh_add_face(r->mesh, first, last, corner, r->error) : SS_OK;
    if (st < 0) return st;
    if (n++ == 0) first = corner;
    last = corner;
  }
  if (n < 3) return ss_mesh_complain(r->error, r->name, r->line, "f needs 3 or more vertices, not %d", n);
  return SS_OK;
}

static ss_status read_vertex(reader* r)
{
  double p[3];
  if (ss_mesh_numbers(&r->at, p, "v", r->name, r->line, r->error) < 0) return SS_ERR_INPUT;
  return ss_mesh_add_vertex(r->mesh, p, r->error);  // a weight or a colour may follow
}

// To the end of the line, and of those that go on
static void skip_line(reader* r)
{
  while (r->at < r->end) {
    const char* end = memchr(r->at, '\n', (size_t)(r->end - r->at));
    if (!end) {
      r->at = r->end;
      return;
    }
    const char* last = end > r->at && end[-1] == '\r' ? end - 1 : end;
    bool on = last > r->at && last[-1] == '\\';
    r->at = end + 1;
    r->line++;
    if (!on) return;
  }
}

static ss_status read_line(reader* r)
{
  char word[32];
  if (!ss_mesh_word(&r->at, word, sizeof word) || word[0] == '#' || is_idle(word)) return SS_OK;
  if (strcmp(word, "v") == 0) return read_vertex(r);
  if (strcmp(word, "f") == 0 || strcmp(word, "fo") == 0) return read_face(r);
  return ss_mesh_complain(r->error, r->name, r->line, "'%s' is not read; a mesh has lines of vertices (v) and faces "
                          "(f)", word);
}

ss_status ss_mesh_parse_obj(const char* text, size_t length, const char* name, ss_mesh* mesh, ss_error* error)
{
  reader r = {.at = text, .end = text + length, .name = name, .line = 1, .mesh = mesh, .error = error};
  if (memchr(text, 0, length)) return ss_mesh_complain(error, name, 0, "the file holds a zero byte; it is no text");
  while (r.at < r.end) {
    int line = r.line;
    ss_status st = read_line(&r);
    if (st < 0 && error && !error->line) error->line = line;
    if (st < 0) return st;
    skip_line(&r);
  }
  if (!mesh->n_vertex) return ss_mesh_complain(error, name, 0, "the file has no vertices (lines that begin with v)");
  return SS_OK;
}
