// Boxes of one body that touch: the tree finds all whose distance is zero, and none that a face keeps apart.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "collide/shapes.h"
#include "collide/work.h"

#define GEOMS 120

static bool is_listed(const ss_collider* s, int a, int b)
{
  int count = 0;
  for (int k = s->seam_first[a]; k < s->seam_end[a]; k++) count += s->seam[k] == b;
  assert_in_range(count, 0, 1);
  return count == 1;
}

// Tiles of a lattice, boxes anywhere, balls between them; of the world and of three bodies
static ss_geom_def random_geom(int k)
{
  ss_geom_def geom = ss_geom_def_default();
  geom.body = (int)(2.0*(uniform() + 1)) - 1;
  geom.pose = random_pose(5);
  geom.shape = random_shape(k%6 ? SS_SHAPE_BOX : SS_SHAPE_SPHERE);
  if (k%3 == 1) {
    geom.pose = (ss_pose){{floor(3*uniform()), floor(3*uniform()), 0}, {1, 0, 0, 0}};
    geom.shape = (ss_shape_def){.kind = SS_SHAPE_BOX, .half = {0.5, 0.5, 0.5}};
  }
  return geom;
}

static void test_all_neighbours(void** state)
{
  (void)state;
  long found = 0;
  seed_state = 5;
  for (int scene = 0; scene < 50; scene++) {
    ss_geom_def geom[GEOMS];
    for (int k = 0; k < GEOMS; k++) geom[k] = random_geom(k);
    ss_collider_def def = {.n_geom = GEOMS, .geom = geom, .n_body = 3};
    ss_collider* s = ss_collider_create(&def, NULL);
    ss_collider_work* w = ss_collider_work_create(s, NULL);
    assert_non_null(w);
    for (int a = 0; a < GEOMS; a++)
      for (int b = 0; b < GEOMS; b++) {
        ss_touch t[SS_TOUCH_MOST];
        bool boxes = geom[a].shape.kind == SS_SHAPE_BOX && geom[b].shape.kind == SS_SHAPE_BOX;
        bool listed = is_listed(s, a, b);
        bool one = boxes && a != b && geom[a].body == geom[b].body;
        bool touch = one && ss_shape_touch(&geom[a].shape, &geom[a].pose, &geom[b].shape, &geom[b].pose, 1e-9, t) > 0;
        if (touch) assert_true(listed);
        if (listed) assert_true(one && ss_is_seam(w, a, b));
        found += touch;
      }
    ss_collider_work_destroy(w);
    ss_collider_destroy(s);
  }
  assert_true(found > 3000);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_neighbours)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
