// Floors of boxes or meshes side by side: what slides over their seams keeps its speed; steps and walls still stop it.
// Corners that are passed do not stop anything, either.
#include "machine/play.h"
#include "math/vec3.h"

enum { TILES = 110, ROWS = 5 };
static const double size = 0.1;  // of a tile

static const struct { const char *name, *geom; double height; } bodies[] = {
  {"sphere", "type='sphere' size='0.1'", 0.1},
  {"capsule along the way", "type='capsule' size='0.1 0.15' euler='0 90 0'", 0.1},
  {"capsule across", "type='capsule' size='0.1 0.15' euler='90 0 0'", 0.1},
  {"box", "type='box' size='0.13 0.07 0.1'", 0.1},
  {"cylinder", "type='cylinder' size='0.13 0.1'", 0.1}};

// Tiles as geoms of the world, as bodies without joints, as meshes
typedef enum tile { BOX, BODY, MESH } tile;
static const char* const tiles[] = {"boxes", "bodies", "meshes"};

static int write_tile(tile kind, double hx, double hy, double x, double y, char* text, size_t room)
{
  if (kind == BOX)
    return snprintf(text, room, "<geom type='box' size='%g %g 0.05' pos='%.17g %.17g -0.05'/>", hx, hy, x, y);
  if (kind == MESH) return snprintf(text, room, "<geom type='mesh' mesh='tile' pos='%.17g %.17g -0.05'/>", x, y);
  return snprintf(text, room, "<body pos='%.17g %.17g -0.05'><geom type='box' size='%g %g 0.05'/></body>", x, y, hx,
                  hy);
}

// A floor of tiles in the plane z = 0 of a frame that is turned by the angle about (1, 2, 3), with gravity along its
// -z; the body moves at 5 m/s along x and, if there are rows of tiles, 0.05 m/s along y
static play start_floor(int body, tile kind, const char* scheme, double sunk, bool rows, double angle)
{
  size_t room = 200*TILES*ROWS + 2000, n = 0;
  char* text = malloc(room);
  ss_quat turn = ss_quat_exp(ss_scale(angle/sqrt(14), (ss_vec3){1, 2, 3}));
  ss_vec3 g = ss_quat_rotate(turn, (ss_vec3){0, 0, -9.81}), v = ss_quat_rotate(turn, (ss_vec3){5, rows ? 0.05 : 0, 0});
  ss_vec3 x = ss_quat_rotate(turn, (ss_vec3){0.3, 0.013, bodies[body].height - sunk});
  double hx = size/2, hy = rows ? size/2 : 1;
  n += (size_t)snprintf(text, room, "<mujoco><option timestep='2e-3' gravity='%.17g %.17g %.17g'/><default>"
    "<geom friction='0'/></default><asset><mesh name='tile' vertex='", g.x, g.y, g.z);
  for (int i = 0; i < 8; i++)
    n += (size_t)snprintf(text + n, room - n, "%g %g %g ", i & 1 ? hx : -hx, i & 2 ? hy : -hy, i & 4 ? .05 : -.05);
  n += (size_t)snprintf(text + n, room - n, "'/></asset><worldbody><frame quat='%.17g %.17g %.17g %.17g'>", turn.w,
                        turn.x, turn.y, turn.z);
  for (int i = 0; i < TILES; i++)
    for (int j = 0; j < (rows ? ROWS : 1); j++)
      n += (size_t)write_tile(kind, hx, hy, (i + 0.5)*size, rows ? (j - ROWS/2)*size : 0, text + n, room - n);
  snprintf(text + n, room - n, "</frame><body><freejoint/><geom %s mass='1'/></body></worldbody><keyframe>"
    "<key qpos='%.17g %.17g %.17g %.17g %.17g %.17g %.17g' qvel='%.17g %.17g %.17g 0 0 0'/></keyframe>"
    "<stickslip key='#0' scheme='%s'/></mujoco>", bodies[body].geom, x.x, x.y, x.z, turn.w, turn.x, turn.y, turn.z,
    v.x, v.y, v.z, scheme);
  play p = start_text(text);
  free(text);
  return p;
}

// 100 seams in 2 s: velocities are the same to 1e-9
static void slide(int body, tile kind, const char* scheme, double sunk, bool rows, double angle)
{
  play p = start_floor(body, kind, scheme, sunk, rows, angle);
  double u[6];
  memcpy(u, p.s->u, sizeof u);
  go(&p, 2.0/LESS);
  for (int i = 0; i < 6; i++)
    if (!(fabs(p.s->u[i] - u[i]) < 1e-9))
      fail_msg("%s on %s, %s, sunk by %g, %s: velocity %d is %.17g and was %.17g", bodies[body].name, tiles[kind],
               scheme, sunk, rows ? "rows" : "one row", i, p.s->u[i], u[i]);
  stop(&p);
}

static void test_slides_on(void** state)
{
  (void)state;
  for (int body = 0; body < 5; body++)
    for (int rows = 0; rows < 2; rows++) {
      slide(body, BOX, "moreau", 0, rows, 0);
      slide(body, BOX, "euler", 0, rows, 0);
    }
}

// Overlaps of a tenth of a millimetre: edges would have normals that lean by 45 mrad
static void test_slides_on_though_sunk(void** state)
{
  (void)state;
  for (int body = 0; body < 5; body++) slide(body, BOX, "moreau", 1e-4, true, 0);
}

static void test_slides_on_bodies_and_meshes(void** state)
{
  (void)state;
  for (int body = 0; body < 5; body++)
    for (int kind = BODY; kind <= MESH; kind++) {
      slide(body, (tile)kind, "moreau", 1e-4, kind == BODY, 0);
      slide(body, (tile)kind, "euler", 0, false, 0.3);
    }
}

// Round-off of rotated tiles
static void test_slides_on_a_turned_floor(void** state)
{
  (void)state;
  for (int body = 0; body < 5; body++) slide(body, BOX, "moreau", 1e-6, false, 1);
}

// A wall on a floor of tiles: a cube that hits it without rebound stands still, with all four corners of its front at
// the wall: those at its foot are none of the floor's
static void test_walls_stop(void** state)
{
  (void)state;
  play p = start_text(
    "<mujoco><option timestep='1e-3'/><default><geom friction='0'/></default><worldbody>"
    "<replicate count='20' offset='0.1 0 0'><geom type='box' size='0.05 1 0.05' pos='0 0 -0.05'/></replicate>"
    "<geom name='wall' type='box' size='0.05 1 0.5' pos='1.05 0 0.5'/>"
    "<body pos='0.5 0 0.1'><freejoint/><geom type='box' size='0.1 0.1 0.1' mass='1'/></body></worldbody>"
    "<keyframe><key qpos='0.5 0 0.1 1 0 0 0' qvel='2 0 0 0 0 0'/></keyframe><stickslip key='#0'/></mujoco>");
  go(&p, 0.4);
  const ss_step_info* info = ss_work_info(p.w);
  int at_wall = 0;
  for (int i = 0; i < info->n_contact; i++) at_wall += fabs(info->item[i].frame[0]) > 0.99;
  assert_int_equal(at_wall, 4);
  for (int i = 0; i < 6; i++) assert_true(fabs(p.s->u[i]) < 1e-9);
  assert_true(fabs(p.s->q[0] - 0.9) < 2e-3 && fabs(p.s->q[2] - 0.1) < 1e-9);
  stop(&p);
}

// A step of 1 cm between two tiles is there: a ball of 10 cm that meets it has lost what the edge takes, as at a box
// alone. v' = v - (v.N) N at the first touch, cos = 1 - h/r
static void test_steps_are_steps(void** state)
{
  (void)state;
  play p = start_text(
    "<mujoco><option timestep='1e-5' gravity='0 0 0'/><default><geom friction='0'/></default><worldbody>"
    "<geom type='box' size='0.5 1 0.05' pos='-0.5 0 -0.05'/><geom type='box' size='0.5 1 0.05' pos='0.5 0 -0.04'/>"
    "<body pos='-0.1 0 0.1'><freejoint/><geom size='0.1' mass='1'/></body></worldbody>"
    "<keyframe><key qpos='-0.1 0 0.1 1 0 0 0' qvel='1 0 0 0 0 0'/></keyframe><stickslip key='#0'/></mujoco>");
  while (p.s->u[2] == 0 && p.s->t < 0.2) step(&p, NULL);
  double c = 0.9, s = sqrt(1 - c*c);  // N = (-s, 0, c)
  assert_true(fabs(p.s->u[0] - c*c) < 1e-3);
  assert_true(fabs(p.s->u[2] - s*c) < 1e-3);
  stop(&p);
}

// With `euler`, which takes for closed what will be: a slab whose top is level with the floor, and a wall that is
// passed with 10 um of room, stop nothing; a wall in the way does
static void test_passes_corners(void** state)
{
  (void)state;
  static const struct { const char* ahead; double stops_at; } scene[] = {
    {"<geom type='box' size='.2 .2 .1' pos='1 0 -.1'/>", INFINITY},
    {"<geom type='box' size='.3 .1 .1' pos='1 .15001 .1'/>", INFINITY},
    {"<geom type='box' size='.3 .1 .1' pos='1 0 .1'/>", 0.65},
    {"<geom type='cylinder' size='.1 .1' pos='1 .15001 .1'/>", INFINITY}};
  for (int k = 0; k < 4; k++) {
    char text[1000];
    snprintf(text, sizeof text, "<mujoco><option timestep='2e-3'/><default><geom friction='0'/></default><worldbody>"
      "<geom type='plane' size='0 0 1'/>%s<body><freejoint/><geom type='box' size='.05 .05 .05' mass='1'/></body>"
      "</worldbody><keyframe><key qpos='0 0 .05 1 0 0 0' qvel='3 0 0 0 0 0'/></keyframe>"
      "<stickslip key='#0' scheme='euler'/></mujoco>", scene[k].ahead);
    play p = start_text(text);
    bool free = scene[k].stops_at > 1;
    go(&p, 0.6);
    if (free) assert_true(fabs(p.s->u[0] - 3) < 1e-12 && fabs(p.s->u[1]) < 1e-12);
    else assert_true(fabs(p.s->u[0]) < 1e-12 && fabs(p.s->q[0] - scene[k].stops_at) < 6e-3);
    stop(&p);
  }
}

// `moreau` asks for what is closed: that a corner ahead will be passed does not keep it out of the list
static void test_only_predictions_leave_out(void** state)
{
  (void)state;
  static const struct { const char* scheme; bool lists; } c[] = {{"moreau", true}, {"jean", true}, {"euler", false}};
  for (int k = 0; k < 3; k++) {
    char text[1000];
    snprintf(text, sizeof text, "<mujoco><option timestep='2e-3' gravity='0 0 0'/><default><geom friction='0'/>"
      "</default><worldbody><geom type='box' size='.3 .1 .1' pos='1 .15001 .1'/>"
      "<body><freejoint/><geom type='box' size='.05 .05 .05' mass='1'/></body></worldbody>"
      "<keyframe><key qpos='.645 0 .05 1 0 0 0' qvel='3 0 0 0 0 0'/></keyframe>"
      "<stickslip key='#0' scheme='%s'/></mujoco>", c[k].scheme);
    play p = start_text(text);
    step(&p, NULL);
    assert_int_equal(ss_work_info(p.w)->n_active, 0);
    assert_int_equal(ss_work_info(p.w)->n_contact > 0, c[k].lists);
    stop(&p);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_slides_on),  cmocka_unit_test(test_slides_on_though_sunk),
    cmocka_unit_test(test_slides_on_a_turned_floor), cmocka_unit_test(test_walls_stop),
    cmocka_unit_test(test_steps_are_steps), cmocka_unit_test(test_slides_on_bodies_and_meshes),
    cmocka_unit_test(test_passes_corners), cmocka_unit_test(test_only_predictions_leave_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
