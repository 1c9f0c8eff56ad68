// Meshes from files: Wavefront OBJ and STL, as vertices and triangles. Vertices that coincide are one.
#ifndef SS_IO_MESH_H
#define SS_IO_MESH_H

#include <stickslip/base.h>

/// Different vertices, or triangles, of one file.
#define SS_MESH_MOST 1000000

/// Zero-initialised is empty. Whoever reads it frees it.
typedef struct ss_mesh {
  int n_vertex, vertex_room;
  double* vertex;  ///< 3 n_vertex
  int n_face, face_room;
  int* face;       ///< 3 n_face, numbers of vertices; counter-clockwise seen from outside, if the file keeps to that
} ss_mesh;

/// Reads a file; its ending tells the format. What is wrong has file and line, or the byte in a binary one.
ss_status ss_mesh_load(const char* path, ss_mesh* mesh, ss_error* error);
/// The same from memory: `name` as the file. There must be a NUL behind the data.
ss_status ss_mesh_parse(const char* data, size_t length, const char* name, ss_mesh* mesh, ss_error* error);
void ss_mesh_free(ss_mesh* mesh);  ///< leaves it empty

/// Whether the ending of this name is one of a format that is read.
bool ss_mesh_known(const char* name);

/// How the triangles fit together.
typedef enum ss_mesh_surface {
  SS_MESH_OPEN,     ///< there are holes, or triangles that are turned against one another: it has no inside
  SS_MESH_CLOSED,   ///< a closed surface that is not convex
  SS_MESH_CONVEX,   ///< that of a convex body
} ss_mesh_surface;

/// Looks at every edge; no triangles: convex, as the hull of the vertices is meant. SS_MESH_OPEN if memory is short.
ss_mesh_surface ss_mesh_look(int n_vertex, const double* vertex, int n_face, const int* face);

// ---- for the formats -----------------------------------------------------------------------------------------------

ss_status ss_mesh_parse_obj(const char* text, size_t length, const char* name, ss_mesh* mesh, ss_error* error);
ss_status ss_mesh_parse_stl(const char* data, size_t length, const char* name, ss_mesh* mesh, ss_error* error);

/// One vertex or triangle more; an error without place if there are too many or memory is short.
ss_status ss_mesh_add_vertex(ss_mesh* mesh, const double p[3], ss_error* error);
ss_status ss_mesh_add_face(ss_mesh* mesh, int a, int b, int c, ss_error* error);

/// SS_ERR_INPUT at a line of the file; 0: none.
ss_status ss_mesh_complain(ss_error* error, const char* name, int line, const char* format, ...) SS_PRINTF(4, 5);

/// Three numbers of a line of text, *at moves behind them. An error names the word that is none.
ss_status ss_mesh_numbers(const char** at, double p[3], const char* what, const char* name, int line, ss_error* error);

/// The next word of the line into out, at most size - 1 bytes of it; its whole length is returned, 0 at the end of the
/// line. *at moves behind it.
size_t ss_mesh_word(const char** at, char* out, size_t size);

#endif
