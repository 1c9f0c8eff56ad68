// Files of meshes: OBJ and STL of the same bodies give the same volumes and moments; what is wrong with a file is told
// with its place.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <stickslip/stickslip.h>

#include "base/text.h"
#include "folder.h"
#include "io/mesh.h"

static void near_to(const char* what, double x, double expected, double tol)
{
  if (!(fabs(x - expected) <= tol*fmax(1, fabs(expected)))) fail_msg("%s is %.17g, not %.17g", what, x, expected);
}

// A brick of 1 x 2 x 3 with a corner at the origin: faces with four corners, some of them by negative numbers, vertices
// twice
static const char brick[] =
  "# a brick\nmtllib brick.mtl\no Brick\n"
  "v 0 0 0\nv 1 0 0 1.0\nv 1 2 0\nv 0 2 0\nv 0 0 3 0.5 0.5 0.5\nv 1 0 3\nv 1 2 3\nv 0 2 3\nv 0 0 0\n"
  "vt 0 0\nvn 0 0 1\nusemtl red\ns off\n"
  "f 9 4 3 2\nf 5/1 6/1 7/1 8/1\nf 1//1 2//1 6//1 5//1\nf -7 -6 -2 -3 \\\n\n"
  "f -8/1/1 -7/1/1 -3/1/1 -4/1/1\nf 4 1 5 8\r\n";

static const char small_obj[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

static const double tetrahedron[4][3][3] = {{{0, 0, 0}, {0, 1, 0}, {1, 0, 0}}, {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}},
                                            {{0, 0, 0}, {0, 0, 1}, {0, 1, 0}}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

static size_t stl_text(char* out, size_t size)
{
  size_t n = (size_t)snprintf(out, size, "solid a name of several words\n");
  for (int t = 0; t < 4; t++) {
    n += (size_t)snprintf(out + n, size - n, "  facet normal 0 0 0\n    outer loop\n");
    for (int i = 0; i < 3; i++)
      n += (size_t)snprintf(out + n, size - n, "      vertex %g %g %ge0\r\n", tetrahedron[t][i][0],
                            tetrahedron[t][i][1], tetrahedron[t][i][2]);
    n += (size_t)snprintf(out + n, size - n, "    endloop\n  endfacet\n");
  }
  return n + (size_t)snprintf(out + n, size - n, "endsolid\n");
}

// Little-endian whatever the machine
static void put(unsigned char* at, uint32_t bits)
{
  for (int i = 0; i < 4; i++) at[i] = (unsigned char)(bits >> 8*i);
}

static size_t stl_binary(unsigned char* out)
{
  memset(out, 0, 84 + 4*50);
  memcpy(out, "solid, though binary", 20);
  put(out + 80, 4);
  for (int t = 0; t < 4; t++)
    for (int i = 0; i < 9; i++) {
      float x = (float)tetrahedron[t][i/3][i%3];
      uint32_t bits;
      memcpy(&bits, &x, sizeof bits);
      put(out + 84 + 50*t + 12 + 4*i, bits);
    }
  return 84 + 4*50;
}

// ---- the files ----

static ss_mesh parse(const char* data, size_t length, const char* name)
{
  ss_error error = {0};
  ss_mesh mesh;
  if (ss_mesh_parse(data, length, name, &mesh, &error) < 0) fail_msg("%s:%d: %s", name, error.line, error.text);
  return mesh;
}

static void test_formats(void** state)
{
  (void)state;
  char text[4000];
  unsigned char binary[400];
  size_t n = stl_text(text, sizeof text), k = stl_binary(binary);
  binary[k] = 0;
  ss_mesh a = parse(small_obj, strlen(small_obj), "a.obj"), b = parse(text, n, "b.STL");
  ss_mesh c = parse((const char*)binary, k, "c.stl");
  assert_int_equal(a.n_vertex, 4);
  assert_int_equal(a.n_face, 4);
  for (int i = 0; i < 2; i++) {
    const ss_mesh* m = i ? &c : &b;
    assert_int_equal(m->n_vertex, 4);  // each once, in the order of the triangles: 0, y, x, z
    assert_int_equal(m->n_face, 4);
    for (int f = 0; f < 12; f++)
      assert_memory_equal(m->vertex + 3*m->face[f], tetrahedron[f/3][f%3], 3*sizeof(double));
    assert_int_equal(ss_mesh_look(m->n_vertex, m->vertex, m->n_face, m->face), SS_MESH_CONVEX);
  }
  ss_mesh_free(&a);
  ss_mesh_free(&b);
  ss_mesh_free(&c);
  a = parse(brick, strlen(brick), "brick.obj");
  assert_int_equal(a.n_vertex, 8);
  assert_int_equal(a.n_face, 12);
  assert_int_equal(ss_mesh_look(a.n_vertex, a.vertex, a.n_face, a.face), SS_MESH_CONVEX);
  ss_mesh_free(&a);
}

static void expect_surface(const char* text, ss_mesh_surface surface)
{
  ss_mesh m = parse(text, strlen(text), "a.obj");
  assert_int_equal(ss_mesh_look(m.n_vertex, m.vertex, m.n_face, m.face), surface);
  ss_mesh_free(&m);
}

#define PYRAMID "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
// A cube whose lid is pressed in to a point at the height z
#define DENT(z) "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nv .5 .5 " z "\n" \
  "f 1 4 3 2\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\nf 5 6 9\nf 6 7 9\nf 7 8 9\nf 8 5 9\n"

static void test_surfaces(void** state)
{
  (void)state;
  expect_surface(small_obj, SS_MESH_CONVEX);
  expect_surface(PYRAMID, SS_MESH_CONVEX);                                                // a hull
  expect_surface(PYRAMID "f 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n", SS_MESH_CONVEX);         // inside out
  expect_surface(PYRAMID "f 1 3 2\nf 1 2 4\nf 1 4 3\n", SS_MESH_OPEN);                    // one side is missing
  expect_surface(PYRAMID "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 4 3\n", SS_MESH_OPEN);           // one side is turned
  expect_surface(PYRAMID "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\nf 2 3 4\n", SS_MESH_OPEN);  // one stands twice
  expect_surface(PYRAMID "v 5 5 5\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n", SS_MESH_CLOSED);  // a vertex apart
  expect_surface(PYRAMID "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\nv 5 0 0\nv 6 0 0\nv 5 1 0\nv 5 0 1\n"
                 "f 5 7 6\nf 5 6 8\nf 5 8 7\nf 6 7 8\n", SS_MESH_CLOSED);                 // two bodies
  expect_surface(DENT("1.5"), SS_MESH_CONVEX);
  expect_surface(DENT("1"), SS_MESH_CONVEX);
  expect_surface(DENT(".5"), SS_MESH_CLOSED);
}

// ---- in scenes ----

static ss_scene* load(const folder* f, const char* name)
{
  ss_error error = {0};
  char message[900];
  ss_scene* s = ss_scene_load(in_folder(f, name), 0, NULL, &error);
  if (!s) fail_msg("%s", ss_error_format(&error, message, sizeof message));
  return s;
}

static const ss_scene_notice* notice_of(const ss_scene* s, const char* part)
{
  for (int i = 0; i < s->n_notice; i++)
    if (strstr(s->notice[i].why, part)) return s->notice + i;
  return NULL;
}

// A brick of a x b x c has m/12 (b^2 + c^2), ...; the frame of the mesh and its scale move it
static void test_mass(void** state)
{
  (void)state;
  folder f = open_folder();
  make_folder(&f, "parts");
  write_text(&f, "parts/brick.obj", brick);
  write_text(&f, "a.xml",
             "<mujoco><compiler meshdir='parts'/><asset><mesh file='brick.obj' scale='.1 .1 -.1' refpos='0 0 3'/>"
             "</asset><worldbody><body><freejoint/><geom type='mesh' mesh='brick'/></body></worldbody></mujoco>");
  write_text(&f, "b.xml",
             "<mujoco><compiler meshdir='parts/' strippath='true'/><asset><mesh file='x/y/brick.obj'/></asset>"
             "<worldbody><body><freejoint/><geom type='mesh' mesh='brick' density='1'/></body></worldbody></mujoco>");
  ss_scene* s = load(&f, "a.xml");
  const ss_body_def* b = s->tree.body;
  near_to("mass", b->mass, 6, 1e-13);
  near_to("volume", s->mesh[0].volume, 6e-3, 1e-15);
  near_to("x", b->com[0], 0.05, 1e-14);
  near_to("y", b->com[1], 0.1, 1e-14);
  near_to("z", b->com[2], 0.15, 1e-14);
  near_to("xx", b->inertia[0], 0.5*(0.04 + 0.09), 1e-14);
  near_to("yy", b->inertia[1], 0.5*(0.01 + 0.09), 1e-14);
  near_to("zz", b->inertia[2], 0.5*(0.01 + 0.04), 1e-14);
  for (int i = 3; i < 6; i++) near_to("product", b->inertia[i], 0, 1e-14);
  assert_true(s->mesh[0].convex && s->mesh[0].n_vertex == 8 && s->mesh[0].n_face == 12);
  assert_string_equal(s->mesh[0].name, "brick");
  assert_null(notice_of(s, "hull"));
  ss_scene_destroy(s);
  s = load(&f, "b.xml");
  near_to("mass", s->tree.body->mass, 6, 1e-14);
  ss_scene_destroy(s);
  close_folder(&f);
}

// A prism of 100 sides without its top, whole but turned inside out, whole with one triangle turned: the mass of the
// prism, with a notice unless it is closed
static void test_mass_of_open_surfaces(void** state)
{
  (void)state;
  enum { OPEN, FLIPPED, ONE_WRONG, KINDS, N = 100 };
  for (int kind = 0; kind < KINDS; kind++) {
    folder f = open_folder();
    ss_text obj = {0};
    bool flip = kind == FLIPPED;
    for (int i = 0; i < 2*N; i++)
      ss_text_append(&obj, "v %.17g %.17g %d\n", cos(2*M_PI*i/N) + 3, sin(2*M_PI*i/N), i < N ? 0 : 2);
    for (int i = 0; i < N; i++) {
      int a = i + 1, b = (i + 1)%N + 1;
      ss_text_append(&obj, "f %d %d %d\nf %d %d %d\n", a, flip ? b + N : b, flip ? b : b + N, a, flip ? a + N : b + N,
                     flip ? b + N : a + N);
      if (i > 0 && i < N - 1) ss_text_append(&obj, "f 1 %d %d\n", flip ? a : b, flip ? b : a);
      bool up = flip == (kind == ONE_WRONG && i == 7);  // the way that the top looks
      if (i > 0 && i < N - 1 && kind != OPEN)
        ss_text_append(&obj, "f %d %d %d\n", N + 1, N + (up ? a : b), N + (up ? b : a));
    }
    write_text(&f, "m.obj", obj.data);
    write_text(&f, "a.xml", "<mujoco><asset><mesh file='m.obj'/></asset>\n<worldbody><body><freejoint/>"
               "<geom type='mesh' mesh='m' density='10'/></body></worldbody></mujoco>");
    ss_scene* s = load(&f, "a.xml");
    double mass = 10*2*0.5*N*sin(2*M_PI/N);
    near_to("mass", s->tree.body->mass, mass, 1e-11*mass);
    near_to("x", s->tree.body->com[0], 3, 1e-11);
    near_to("z", s->tree.body->com[2], 1, 1e-11);
    // a regular polygon: int x^2 dA = A (2 + cos(2 pi/N))/12
    near_to("zz", s->tree.body->inertia[2], mass*(2 + cos(2*M_PI/N))/6, 1e-10*mass);
    const ss_scene_notice* n = notice_of(s, "mass of its convex hull");
    assert_true(kind == FLIPPED ? !n : n && n->fate == SS_SCENE_APPROXIMATED && n->line == 2);
    ss_scene_destroy(s);
    ss_text_free(&obj);
    close_folder(&f);
  }
}

#define SCENE(asset, geom) \
  "<mujoco><asset>\n" asset "</asset>\n<worldbody><body name='b'><freejoint/>\n" \
  "<inertial mass='1' diaginertia='1 1 1'/>" geom "</body></worldbody></mujoco>"
#define SEEN "<geom type='mesh' mesh='m' contype='0' conaffinity='0'/>"
#define TOUCHES "<geom type='mesh' mesh='m'/>"

// Only for pictures: it need not be there. What touches or weighs must be.
static void test_needed(void** state)
{
  (void)state;
  folder f = open_folder();
  ss_error error = {0};
  write_text(&f, "dent.obj", DENT(".5"));
  write_text(&f, "broken.obj", "v 0 0 0\nv 1 x 0\n");
  write_text(&f, "a.xml", SCENE("<mesh name='m' file='none.stl'/>", SEEN));
  ss_scene* s = load(&f, "a.xml");
  const ss_scene_notice* n = notice_of(s, "its file cannot be read, and nothing needs it");
  assert_true(n && n->line == 2 && n->fate == SS_SCENE_UNUSED);
  ss_scene_destroy(s);

  write_text(&f, "a.xml", SCENE("<mesh name='m' file='none.stl'/>", TOUCHES));
  assert_null(ss_scene_load(in_folder(&f, "a.xml"), 0, NULL, &error));
  assert_true(error.status == SS_ERR_FILE && error.line == 2 && strstr(error.file, "a.xml"));
  assert_true(strstr(error.text, "mesh 'm': cannot open") && strstr(error.text, "none.stl"));

  write_text(&f, "a.xml", SCENE("<mesh name='m' file='broken.obj'/>", TOUCHES));
  assert_null(ss_scene_load(in_folder(&f, "a.xml"), 0, NULL, &error));
  assert_true(error.status == SS_ERR_INPUT && error.line == 2 && strstr(error.file, "broken.obj"));
  assert_non_null(strstr(error.text, "v has 'x' where a number is expected (mesh 'm' of "));
  assert_non_null(strstr(error.text, "a.xml:2"));

  write_text(&f, "a.xml", SCENE("<mesh name='m' file='m.dae'/>", TOUCHES));
  assert_null(ss_scene_load(in_folder(&f, "a.xml"), 0, NULL, &error));
  assert_true(error.status == SS_ERR_INPUT && error.line == 2);
  assert_non_null(strstr(error.text, "Collada (.dae) files are not read"));

  write_text(&f, "a.xml", SCENE("<mesh name='m' file='dent.obj'/>", TOUCHES));
  s = load(&f, "a.xml");
  n = notice_of(s, "it is not convex; its convex hull touches");
  assert_true(n && n->line == 2 && n->fate == SS_SCENE_APPROXIMATED && !s->mesh[0].convex);
  near_to("volume", s->mesh[0].volume, 1 - 0.5/3, 1e-14);  // without a pyramid
  ss_scene_destroy(s);

  write_text(&f, "a.xml", "<mujoco><asset><mesh name='m' file='none.obj'/></asset>\n<worldbody><body><freejoint/>"
             SEEN "</body></worldbody></mujoco>");  // weighs
  assert_null(ss_scene_load(in_folder(&f, "a.xml"), 0, NULL, &error));
  assert_true(error.status == SS_ERR_FILE && error.line == 1);
  close_folder(&f);
}

// ---- what is wrong ----

typedef struct broken {
  const char* name;
  const char* text;
  const char* message;
  int line;
} broken;

#define FACET "solid\nfacet normal 0 0 1\nouter loop\n"

static const broken files[] = {
  {"a.obj", "", "has no vertices", 0},
  {"a.obj", "# nothing\n", "has no vertices", 0},
  {"a.obj", "v 1 2\n", "v needs 3 numbers, not 2", 1},
  {"a.obj", "\nv\n", "v needs 3 numbers, not 0", 2},
  {"a.obj", "v 1 2 three\n", "v has 'three' where a number is expected", 1},
  {"a.obj", "v 1 2 nan\n", "v has 'nan'", 1},
  {"a.obj", "v 1 2 -inf\n", "v has '-inf'", 1},
  {"a.obj", "v 1 2 1e400\n", "not finite, or too great", 1},
  {"a.obj", "v 1 2 1e30\n", "not finite, or too great", 1},
  {"a.obj", "v 1,0 2 3\n", "v has '1,0' where a number", 1},
  {"a.obj", "v 1 2 0x10\n", "v has '0x10'", 1},
  {"a.obj", PYRAMID "f 1 2\n", "f needs 3 or more vertices, not 2", 5},
  {"a.obj", PYRAMID "f\n", "f needs 3 or more vertices, not 0", 5},
  {"a.obj", PYRAMID "f 1 2 5\n", "f names the vertex 5; there are 1 to 4 so far", 5},
  {"a.obj", PYRAMID "f 0 1 2\n", "f names the vertex 0", 5},
  {"a.obj", PYRAMID "f -5 1 2\n", "f names the vertex -5", 5},
  {"a.obj", PYRAMID "f 1 2 99999999999999999999\n", "f names the vertex", 5},
  {"a.obj", PYRAMID "f a b c\n", "f has 'a' where the number of a vertex is expected", 5},
  {"a.obj", PYRAMID "f 1/x 2 3\n", "f has '1/x'", 5},
  {"a.obj", PYRAMID "f 1.5 2 3\n", "f has '1.5'", 5},
  {"a.obj", "f 1 2 3\n" PYRAMID, "there are 1 to 0 so far", 1},
  {"a.obj", PYRAMID "f 1 2 \\\n 7\n", "f names the vertex 7", 6},
  {"a.obj", PYRAMID "curv 0 1 1 2\n", "'curv' is not read", 5},
  {"a.obj", "<html>\n", "'<html>' is not read", 1},
  {"a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "4 or more different vertices, not 3", 0},
  {"a.obj", "v 0 0 0\nv 0 0 0\nv 0 0 0\nv -0 0 0\n", "4 or more different vertices, not 1", 0},
  {"a.stl", "", "0 bytes; a binary STL file has 84 or more", 0},
  {"a.stl", "hello", "5 bytes", 0},
  {"a.stl", "solid\n", "the file ends inside of 'solid'", 2},
  {"a.stl", "solid\nendsolid\n", "has no triangles", 0},
  {"a.stl", "solid\nfact normal 0 0 1\n", "'fact' is no word of STL", 2},
  {"a.stl", "solid\nvertex 0 0 0\n", "'vertex' stands outside of 'outer loop'", 2},
  {"a.stl", "solid\nouter loop\n", "'outer loop' stands outside of 'facet'", 2},
  {"a.stl", FACET "vertex 0 0\n", "vertex needs 3 numbers, not 2", 4},
  {"a.stl", FACET "vertex 0 0 z\n", "vertex has 'z' where a number", 4},
  {"a.stl", FACET "vertex 0 0 1e99\n", "not finite, or too great", 4},
  {"a.stl", FACET "vertex 0 0 0\nendloop\n", "a facet has 3 vertices, this one has 1", 5},
  {"a.stl", FACET "vertex 0 0 0\nvertex 0 0 0\nvertex 0 0 0\nvertex 0 0 0\n", "3 vertices, this one has more", 7},
  {"a.stl", FACET "endfacet\n", "'endfacet' without 'endloop'", 4},
  {"a.stl", "solid\nendfacet\n", "'endfacet' without 'facet'", 2},
  {"a.stl", "solid\nendloop\n", "'endloop' without 'outer loop'", 2},
  {"a.stl", "solid\nsolid\n", "'solid' stands in another one", 2},
  {"a.stl", "solid\nfacet\nfacet\n", "'facet' stands in another one", 3},
  {"a.stl", "solid\nfacet\nendsolid\n", "'endsolid' without 'endfacet'", 3},
  {"a.stl", "solid\nendsolid\nfacet\n", "'facet' stands outside of 'solid'", 3},
  {"a.stl", FACET "vertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid", "4 or more different", 0},
  {"a.ply", "ply\n", "such files are not read; meshes are .obj and .stl files", 0},
  {"a.dae", "<COLLADA/>", "Collada (.dae) files are not read", 0},
  {"a", "v 0 0 0\n", "such files are not read", 0},
};

static void expect_broken(const char* name, const char* data, size_t length, const char* message, int line)
{
  ss_error error = {0};
  ss_mesh mesh;
  if (ss_mesh_parse(data, length, name, &mesh, &error) >= 0) fail_msg("accepted: %s", data);
  if (error.status != SS_ERR_INPUT || !strstr(error.text, message)) fail_msg("'%s'\nsays: %s", data, error.text);
  if (error.line != line) fail_msg("'%s'\nline %d: %s", data, error.line, error.text);
  assert_string_equal(error.file, name);
  assert_true(!mesh.vertex && !mesh.face);
  assert_true(ss_mesh_parse(data, length, name, &mesh, NULL) < 0);
}

static void test_broken(void** state)
{
  (void)state;
  for (size_t i = 0; i < sizeof files/sizeof *files; i++)
    expect_broken(files[i].name, files[i].text, strlen(files[i].text), files[i].message, files[i].line);
  expect_broken("a.obj", "v 0 0 0\n\0", 9, "zero byte", 0);
}

static void test_broken_binary(void** state)
{
  (void)state;
  unsigned char data[400];
  size_t n = stl_binary(data);
  data[0] = 'x';
  data[n] = 0;
  expect_broken("a.stl", (const char*)data, n - 1,
                "a binary STL file with 4 triangles (byte 80) has 284 bytes, not 283", 0);
  expect_broken("a.stl", (const char*)data, 84, "has 284 bytes, not 84", 0);
  put(data + 84 + 50 + 12, 0x7fc00000);
  expect_broken("a.stl", (const char*)data, n, "byte 146: a coordinate of triangle 1 is not finite", 0);
  put(data + 80, 0);
  expect_broken("a.stl", (const char*)data, n, "has no triangles (byte 80)", 0);
  put(data + 80, 0xffffffff);
  expect_broken("a.stl", (const char*)data, n, "4294967295 triangles (byte 80); at most", 0);
}

// Shapes fitted to a mesh, as MuJoCo 2.2.2 does: sizes, place and axes, to what its meshes of floats let see
static void test_fitted(void** state)
{
  (void)state;
  static const char text[] =
    "<mujoco><asset><mesh name='m' vertex='0 0 0  .5 .1 0  .1 .3 0  .1 .05 .9  .6 .2 .4'/></asset><worldbody><body>"
    "<freejoint/><geom type='sphere' mesh='m'/><geom type='capsule' mesh='m' size='9 9'/>"
    "<geom type='ellipsoid' mesh='m' pos='1 2 3' quat='1 2 3 4'/><geom type='cylinder' mesh='m' fitscale='1.5'/>"
    "<geom type='box' mesh='m'/></body></worldbody></mujoco>";
  static const double size[5][3] = {
    {0.200621653130945, 0, 0}, {0.146689565242, 0.235141046287835, 0},
    {0.0851861419870385, 0.208192988496962, 0.308485828908835}, {0.220034347863, 0.462728743363252, 0},
    {0.0851861419870385, 0.208192988496962, 0.308485828908835}};
  static const double at[2][7] = {
    {0.239090915307467, 0.133863641279433, 0.267727256690092, 0.649298778679147, 0.0171821639323903,
     -0.0369942880869592, 0.759438800626692},
    {1.05478786353835, 2.29325756757189, 3.24033333785531, -0.422081920080445, 0.683205981612926, 0.0841216225465231,
     0.589915241411563}};
  ss_error error = {0};
  ss_scene* s = ss_scene_parse(text, strlen(text), "a.xml", 0, NULL, &error);
  if (!s) fail_msg("%s", error.text);
  for (int g = 0; g < 5; g++) {
    assert_int_equal(s->geom[g].mesh, -1);
    for (int i = 0; i < 3; i++) near_to("size", s->geom[g].size[i], size[g][i], 1e-7);
    for (int i = 0; i < 3; i++) near_to("position", s->geom[g].position[i], at[g == 2][i], 1e-7);
    for (int i = 0; i < 4; i++) near_to("rotation", s->geom[g].rotation[i], at[g == 2][3 + i], 1e-7);
  }
  near_to("mass", s->geom[4].mass, 43.7683580454306, 1e-5);
  ss_scene_destroy(s);
}

// More triangles than a third of the vertices that may be: their corners are of many
static void test_many_triangles(void** state)
{
  (void)state;
  const uint32_t side = 500, n = 2*side*side, all = n + 4;  // a square of small triangles, and a tetrahedron
  size_t length = 84 + 50*(size_t)all;
  unsigned char* data = calloc(length + 1, 1);
  assert_non_null(data);
  stl_binary(data);
  memmove(data + 84 + 50*(size_t)n, data + 84, 200);
  put(data + 80, all);
  for (uint32_t t = 0; t < n; t++) {
    uint32_t x = t/2%side, y = t/2/side;
    const float corner[2][3][2] = {{{0, 0}, {1, 0}, {0, 1}}, {{1, 0}, {1, 1}, {0, 1}}};
    for (int i = 0; i < 3; i++) {
      float p[3] = {(float)x + corner[t%2][i][0], (float)y + corner[t%2][i][1], 0};
      memcpy(data + 84 + 50*(size_t)t + 12 + 12*i, p, sizeof p);
    }
  }
  ss_mesh m = parse((const char*)data, length, "many.stl");
  assert_int_equal(m.n_face, all);
  assert_int_equal(m.n_vertex, (side + 1)*(side + 1) + 1);  // three of the tetrahedron's are corners of the square
  ss_mesh_free(&m);
  put(data + 80, SS_MESH_MOST + 1);
  ss_error error = {0};
  assert_int_equal(ss_mesh_parse((const char*)data, length, "many.stl", &m, &error), SS_ERR_INPUT);
  assert_non_null(strstr(error.text, "1000001 triangles (byte 80); at most 1000000 are read"));
  free(data);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_formats), cmocka_unit_test(test_surfaces), cmocka_unit_test(test_mass),
    cmocka_unit_test(test_mass_of_open_surfaces), cmocka_unit_test(test_fitted), cmocka_unit_test(test_many_triangles),
    cmocka_unit_test(test_needed),  cmocka_unit_test(test_broken),   cmocka_unit_test(test_broken_binary),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
