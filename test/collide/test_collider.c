// Scenes: the contacts found are those of all pairs, whatever came before; filters, refusals, fast bodies, memory.
// link: -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=aligned_alloc
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "collide/collider.h"
#include "collide/shapes.h"
#include "count_allocations.h"

#define MOST 2100

typedef struct world {
  int n;
  ss_geom_def geom[MOST];
  ss_collider_body body[MOST];
  ss_pose pose[MOST];
  ss_twist twist[MOST];
  double reach[MOST];
  ss_collider_def def;
  ss_collider* scene;
  ss_collider_work* work;
} world;

// Body i carries geom i; the last few geoms may be planes of the world
static void open_world(world* w)
{
  ss_error error = {0};
  w->def.n_geom = w->n;
  w->def.geom = w->geom;
  w->def.n_body = w->n;
  w->scene = ss_collider_create(&w->def, &error);
  if (!w->scene) fail_msg("%s", error.text);
  w->work = ss_collider_work_create(w->scene, &error);
  assert_non_null(w->work);
}

static void close_world(world* w)
{
  ss_collider_work_destroy(w->work);
  ss_collider_destroy(w->scene);
}

static void random_world(world* w, int n, double size)
{
  memset(w, 0, sizeof *w);
  w->n = n;
  for (int i = 0; i < n; i++) {
    w->geom[i] = ss_geom_def_default();
    w->geom[i].body = i;
    w->geom[i].shape = random_shape(uniform() > 0 ? SS_SHAPE_SPHERE : SS_SHAPE_CAPSULE);
    w->geom[i].contype = uniform() > 0.8 ? 2 : 1;
    w->geom[i].conaffinity = uniform() > 0.8 ? 2 : 1;
    w->geom[i].margin = uniform() > 0.8 ? 0.1 : 0;
    w->pose[i] = random_pose(size);
    w->reach[i] = uniform() > 0.8 ? 0.2 : 0;
    for (int k = 0; k < 3; k++) w->twist[i].angular[k] = uniform(), w->twist[i].linear[k] = uniform();
    w->body[i] = (ss_collider_body){.parent = i > 1 && uniform() > 0 ? i/2 : SS_WORLD, .fixed = uniform() > 0.8};
  }
  for (int i = 0; i < n && uniform() > 0; i += 7) {  // planes here and there, of the world or of bodies
    w->geom[i].shape = (ss_shape_def){.kind = SS_SHAPE_PLANE};
    w->geom[i].contype = 4;  // two planes cannot meet
    w->geom[i].conaffinity = 3;
    if (uniform() > 0) w->geom[i].body = SS_WORLD;
  }
  w->def.body = w->body;
}

static const ss_pose home = {{0, 0, 0}, {1, 0, 0, 0}};

static const ss_pose* pose_of(const world* w, int g)
{
  return w->geom[g].body == SS_WORLD ? &w->geom[g].pose : w->pose + w->geom[g].body;
}

static double reach_of(const world* w, int g) { return w->geom[g].body == SS_WORLD ? 0 : w->reach[w->geom[g].body]; }

// All pairs, one after the other, must give the same contacts, bit for bit
static int check_all_pairs(world* w, double margin)
{
  const ss_touch* touch = NULL;
  int n = -1, k = 0;
  assert_int_equal(ss_collider_find(w->work, w->pose, margin, w->reach, &touch, &n), SS_OK);
  for (int a = 0; a < w->n; a++)
    for (int b = a + 1; b < w->n; b++) {
      if (!ss_collider_can_meet(w->scene, a, b)) continue;
      ss_touch t[SS_TOUCH_MOST];
      double most = 0.5*margin + w->geom[a].margin + reach_of(w, a) + (0.5*margin + w->geom[b].margin + reach_of(w, b));
      int m = ss_shape_touch(&w->geom[a].shape, pose_of(w, a), &w->geom[b].shape, pose_of(w, b), most, t);
      for (int i = 0; i < m; i++, k++) {
        assert_true(k < n);
        assert_int_equal(touch[k].geom_a, a);
        assert_int_equal(touch[k].geom_b, b);
        assert_int_equal(touch[k].feature, t[i].feature);
        assert_true(touch[k].gap == t[i].gap);
        assert_memory_equal(touch[k].frame, t[i].frame, sizeof t[i].frame);
        assert_memory_equal(touch[k].point, t[i].point, sizeof t[i].point);
        assert_true(k == 0 || touch[k].key > touch[k - 1].key);
        assert_int_equal(touch[k].body_b, w->geom[b].body);
      }
    }
  assert_int_equal(k, n);
  return n;
}

static void move_world(world* w, double dt)
{
  for (int i = 0; i < w->n; i++) w->pose[i] = moved(w->pose + i, w->twist + i, dt);
}

// 10 000 scenes: 1000 worlds of 3 to 60 geoms, ten steps each, slow and fast
static void test_as_all_pairs(void** state)
{
  (void)state;
  seed_state = 1;
  static world w;
  long contacts = 0, renewals = 0, calls_of_find = 0;
  for (int k = 0; k < 1000/LESS; k++) {
    random_world(&w, 3 + k%58, 6);
    open_world(&w);
    double dt = k%3 == 0 ? 1 : 0.01;
    for (int step = 0; step < 10; step++) {
      contacts += check_all_pairs(&w, k%2 ? 0.05*(step%3) : 0);
      move_world(&w, dt);
    }
    ss_collider_counts info = ss_collider_info(w.work);
    assert_int_equal(info.calls, 10);
    if (!info.all_pairs) renewals += info.renewals, calls_of_find += info.calls;
    close_world(&w);
  }
  assert_true(contacts > 50*1000/LESS);
  assert_true(renewals > calls_of_find/10 && renewals < calls_of_find*2/3);  // lists are kept, and made anew
}

// One large world of very different sizes, one geom far away from all others
static void test_large_world(void** state)
{
  (void)state;
  seed_state = 2;
  static world w;
  random_world(&w, 2000, 40);
  w.geom[5].shape = (ss_shape_def){.kind = SS_SHAPE_SPHERE, .radius = 30};
  w.geom[8].shape = (ss_shape_def){.kind = SS_SHAPE_CAPSULE, .radius = 1e-3, .half_length = 60};
  w.pose[9].position[0] = 1e9;
  open_world(&w);
  for (int step = 0; step < 3; step++) {
    assert_true(check_all_pairs(&w, 0.02) > 100);
    move_world(&w, 0.05);
  }
  close_world(&w);
}

// Pairs that cannot have met since they were asked last are passed over, and the contacts are the same: slow motion
// with a jump or a turn on the spot now and then, reach and margin that change from call to call, planes of bodies that
// are fixed to the world and moved nevertheless
static void test_paths(void** state)
{
  (void)state;
  seed_state = 9;
  static world w;
  long contacts = 0, tested = 0, listed = 0;
  for (int k = 0; k < 40; k++) {
    random_world(&w, 4 + k, 2.0 + 0.1*k);
    w.body[0] = (ss_collider_body){.parent = SS_WORLD, .fixed = true};
    for (int g = 0; g < w.n; g += 5)
      if (w.geom[g].shape.kind != SS_SHAPE_PLANE) w.geom[g].shape = random_shape(SS_SHAPE_BOX);
    open_world(&w);
    for (int step = 0; step < 100; step++) {
      int i = (int)(0.5*(uniform() + 1)*w.n)%w.n;
      contacts += check_all_pairs(&w, step%7 ? 0 : 0.1);
      tested += ss_collider_info(w.work).tested;
      listed += ss_collider_info(w.work).listed;
      move_world(&w, 2e-3);
      for (int b = 0; b < w.n; b++) w.reach[b] = uniform() > 0.5 ? 0.02*(1 + uniform()) : 0;
      if (step%10 == 0) w.pose[i] = random_pose(2);
      if (step%10 == 5) memcpy(w.pose[i].rotation, random_pose(1).rotation, sizeof w.pose[i].rotation);
    }
    close_world(&w);
  }
  assert_true(contacts > 50*1000/LESS);
  assert_true(tested < listed/2);
}

// Contacts depend on the arguments, not on the path: a work of a long run and a fresh one agree bit for bit
static void test_no_history(void** state)
{
  (void)state;
  seed_state = 3;
  static world w;
  random_world(&w, 200, 8);
  open_world(&w);
  const ss_touch *old, *fresh;
  int n_old, n_fresh;
  for (int step = 0; step < 50; step++) {
    assert_int_equal(ss_collider_find(w.work, w.pose, 0.01, w.reach, &old, &n_old), SS_OK);
    move_world(&w, 0.02);
  }
  assert_int_equal(ss_collider_find(w.work, w.pose, 0.01, w.reach, &old, &n_old), SS_OK);
  ss_collider_work* other = ss_collider_work_create(w.scene, NULL);
  assert_int_equal(ss_collider_find(other, w.pose, 0.01, w.reach, &fresh, &n_fresh), SS_OK);
  assert_int_equal(n_old, n_fresh);
  for (int i = 0; i < n_old; i++) {
    assert_true(old[i].key == fresh[i].key && old[i].gap == fresh[i].gap);
    assert_memory_equal(old[i].frame, fresh[i].frame, sizeof old[i].frame);
  }
  ss_collider_work_destroy(other);
  close_world(&w);
}

// Boxes side by side, with more contacts than pairs of the list, and capsules among them: the same bits by any number
// of threads, in every one of some steps
static void test_threads(void** state)
{
  (void)state;
  static world w;
  memset(&w, 0, sizeof w);
  w.n = 512;
  for (int i = 0; i < w.n; i++) {
    w.geom[i] = ss_geom_def_default();
    w.geom[i].body = i;
    w.geom[i].shape = i%5 == 4 ? (ss_shape_def){.kind = SS_SHAPE_CAPSULE, .radius = 0.4, .half_length = 0.1}
                               : (ss_shape_def){.kind = SS_SHAPE_BOX, .half = {0.5, 0.5, 0.5}};
    w.pose[i] = (ss_pose){{i%8, i/8%8, i/64}, {1, 0, 0, 0}};
  }
  open_world(&w);
  for (int threads = 2; threads <= 4; threads++) {
    ss_collider_work* other = ss_collider_work_create(w.scene, NULL);
    ss_pool* pool = ss_pool_create(threads);
    for (int step = 0; step < 5; step++) {
      const ss_touch *one, *two;
      int n, m;
      for (int i = 0; i < w.n; i++) w.pose[i].position[step%3] += 0.01*uniform();
      assert_int_equal(ss_collider_find(w.work, w.pose, 0.02, NULL, &one, &n), SS_OK);
      memcpy(ss_collider_placed(other), ss_collider_placed(w.work), sizeof(ss_placed)*(size_t)w.n);
      assert_int_equal(ss_collider_find_placed(other, 0.02, NULL, pool, &two, &m), SS_OK);
      assert_int_equal(n, m);
      assert_true(n > 3000);
      for (int i = 0; i < n; i++) {  // all but the padding
        assert_memory_equal(one + i, two + i, offsetof(ss_touch, feature) + sizeof one->feature);
        assert_memory_equal(&one[i].gap, &two[i].gap, sizeof *one - offsetof(ss_touch, gap));
      }
    }
    ss_pool_destroy(pool);
    ss_collider_work_destroy(other);
  }
  close_world(&w);
}

// ---- filter --------------------------------------------------------------------------------------------------------

static ss_geom_def ball_of(int body)
{
  ss_geom_def g = ss_geom_def_default();
  g.shape = (ss_shape_def){.kind = SS_SHAPE_SPHERE, .radius = 1};
  g.body = body;
  return g;
}

static void test_filter(void** state)
{
  (void)state;
  // 0 - 1 - 2 is a chain that hangs on the world, 3 is fixed to 2, 4 is fixed to the world
  ss_collider_body body[] = {{.parent = SS_WORLD}, {.parent = 0}, {.parent = 1}, {.parent = 2, .fixed = true},
                             {.parent = SS_WORLD, .fixed = true}};
  ss_geom_def geom[7];
  for (int i = 0; i < 5; i++) geom[i] = ball_of(i);
  geom[5] = ball_of(SS_WORLD);
  geom[6] = ball_of(0);
  geom[6].contype = 0;
  geom[6].conaffinity = 2;
  ss_body_pair exclude[] = {{3, 0}, {SS_WORLD, 2}};
  ss_collider_def def = {.n_geom = 7, .geom = geom, .n_body = 5, .body = body, .n_exclude = 2, .exclude = exclude};
  ss_collider* s = ss_collider_create(&def, NULL);
  const bool expected[7][7] = {
    // 0  1  2  3  4  w  6
    {0, 0, 1, 0, 1, 1, 0},  // not its child 1, not 3: excluded, not 6: bits
    {0, 0, 0, 0, 1, 1, 0},  // not its child 2 nor what is fixed to it
    {1, 0, 0, 0, 1, 0, 0},  // not the world: excluded; but 4, which is another body
    {0, 0, 0, 0, 1, 1, 0},
    {1, 1, 1, 1, 0, 0, 0},  // not the world, to which it is fixed; body 0 hangs on the world, and meets it
    {1, 1, 0, 1, 0, 0, 0},
    {0, 0, 0, 0, 0, 0, 0},
  };
  for (int a = 0; a < 7; a++)
    for (int b = 0; b < 7; b++)
      if (ss_collider_can_meet(s, a, b) != expected[a][b]) fail_msg("geoms %d and %d", a, b);
  assert_false(ss_collider_can_meet(s, -1, 99));
  ss_collider_destroy(s);
  def.parents_meet = true;
  s = ss_collider_create(&def, NULL);
  assert_true(ss_collider_can_meet(s, 0, 1));
  assert_true(ss_collider_can_meet(s, 1, 3));
  assert_false(ss_collider_can_meet(s, 2, 3));  // fixed to one another
  ss_collider_destroy(s);
  ss_geom_pair pair[] = {{1, 0}, {3, 0}, {6, 5}, {2, 3}};
  def.parents_meet = false;
  def.n_pair = 4;
  def.pair = pair;
  s = ss_collider_create(&def, NULL);
  assert_true(ss_collider_can_meet(s, 0, 1));   // though 0 is its parent
  assert_true(ss_collider_can_meet(s, 0, 3));   // though they are excluded
  assert_true(ss_collider_can_meet(s, 5, 6));   // though the bits say no
  assert_false(ss_collider_can_meet(s, 2, 3));  // fixed to one another
  assert_false(ss_collider_can_meet(s, 1, 2));
  ss_collider_destroy(s);
}

// A pair is found though neither geom meets anything else
static void test_explicit_pair(void** state)
{
  (void)state;
  ss_geom_def geom[3] = {ball_of(0), ball_of(1), ball_of(2)};
  for (int i = 0; i < 2; i++) geom[i].contype = geom[i].conaffinity = 0;
  ss_geom_pair pair = {1, 0};
  ss_collider_def def = {.n_geom = 3, .geom = geom, .n_body = 3, .n_pair = 1, .pair = &pair};
  ss_collider* s = ss_collider_create(&def, NULL);
  ss_collider_work* w = ss_collider_work_create(s, NULL);
  ss_pose pose[3] = {{.position = {0, 0, 0}}, {.position = {1.5, 0, 0}}, {.position = {0, 1, 0}}};
  const ss_touch* touch;
  int n;
  assert_int_equal(ss_collider_find(w, pose, 0, NULL, &touch, &n), SS_OK);
  assert_int_equal(n, 1);
  assert_int_equal(touch[0].geom_a, 0);
  assert_int_equal(touch[0].geom_b, 1);
  assert_true(fabs(touch[0].gap + 0.5) < 1e-15);
  ss_collider_work_destroy(w);
  ss_collider_destroy(s);
}

static void assert_refused(const ss_collider_def* def, const char* part)
{
  ss_error error = {0};
  assert_null(ss_collider_create(def, &error));
  assert_int_equal(error.status, SS_ERR_INPUT);
  if (!strstr(error.text, part)) fail_msg("'%s' does not speak of '%s'", error.text, part);
}

static void test_refused(void** state)
{
  (void)state;
  ss_geom_def geom[2] = {ball_of(0), ball_of(1)};
  ss_collider_body body[2] = {{.parent = SS_WORLD}, {.parent = SS_WORLD}};
  ss_collider_def def = {.n_geom = 2, .geom = geom, .n_body = 2, .body = body};
  geom[0].name = "ball";
  geom[0].shape.radius = -1;
  assert_refused(&def, "geom 'ball': radius -1 m of a sphere; it must be positive");
  geom[0].shape = (ss_shape_def){.kind = SS_SHAPE_HEIGHTS, .half = {1, 1}, .n_row = 2};
  assert_refused(&def, "geom 'ball': 2 x 0 points of a height field; from 2 x 2 on");
  double heights[4] = {0, 0, NAN, 0};
  geom[0].shape.height = heights;
  geom[0].shape.n_col = 2;
  assert_refused(&def, "geom 'ball': height 0 of row 1 is not finite");
  geom[0].shape = (ss_shape_def){.kind = SS_SHAPE_OTHER};
  assert_refused(&def, "geom 'ball' (other) and geom 1 (sphere): contacts between these shapes cannot be found");
  geom[0].contype = geom[0].conaffinity = 2;  // what meets nothing is fine
  ss_collider* s = ss_collider_create(&def, NULL);
  assert_non_null(s);
  ss_collider_destroy(s);
  geom[0] = ball_of(2);
  assert_refused(&def, "geom 0: body 2; it must be -1 (the world) or below 2");
  geom[0] = ball_of(0);
  geom[0].pose.position[1] = INFINITY;
  assert_refused(&def, "geom 0: position or rotation is not finite");
  geom[0] = ball_of(0);
  geom[0].shape.kind = (ss_shape_kind)77;
  assert_refused(&def, "shape 77 is unknown");
  geom[0] = ball_of(0);
  geom[0].margin = NAN;
  assert_refused(&def, "margin");
  geom[0] = ball_of(0);
  body[0].parent = 1;
  assert_refused(&def, "parent 1 of body 0");
  body[0].parent = SS_WORLD;
  geom[0].shape = geom[1].shape = (ss_shape_def){.kind = SS_SHAPE_PLANE};
  assert_refused(&def, "(plane)");
  ss_body_pair exclude = {0, 5};
  geom[0] = geom[1] = ball_of(0);
  def.n_exclude = 1;
  def.exclude = &exclude;
  assert_refused(&def, "exclusion 0 names the bodies 0 and 5");
  ss_geom_pair pair = {1, 1};
  def.n_exclude = 0;
  def.n_pair = 1;
  def.pair = &pair;
  assert_refused(&def, "pair 0 names the geoms 1 and 1");
}

static void test_bad_arguments(void** state)
{
  (void)state;
  ss_geom_def geom[2] = {ball_of(0), ball_of(1)};
  ss_collider_def def = {.n_geom = 2, .geom = geom, .n_body = 2};
  ss_collider* s = ss_collider_create(&def, NULL);
  ss_collider_work* w = ss_collider_work_create(s, NULL);
  ss_pose pose[2] = {home, home};
  const ss_touch* touch = NULL;
  int n = -7;
  double reach[2] = {0, -1};
  assert_int_equal(ss_collider_find(w, pose, NAN, NULL, &touch, &n), SS_ERR_ARGUMENT);
  assert_int_equal(ss_collider_find(w, pose, 0, reach, &touch, &n), SS_ERR_ARGUMENT);
  pose[1].rotation[2] = INFINITY;
  assert_int_equal(ss_collider_find(w, pose, 0, NULL, &touch, &n), SS_ERR_ARGUMENT);
  assert_int_equal(n, -7);
  assert_null(touch);
  pose[1] = home;
  assert_int_equal(ss_collider_find(w, pose, 0, NULL, &touch, &n), SS_OK);
  assert_int_equal(n, 1);
  ss_collider_work_destroy(w);
  ss_collider_destroy(s);
  def = (ss_collider_def){0};  // nothing at all
  s = ss_collider_create(&def, NULL);
  w = ss_collider_work_create(s, NULL);
  assert_int_equal(ss_collider_find(w, NULL, 0, NULL, &touch, &n), SS_OK);
  assert_int_equal(n, 0);
  ss_collider_work_destroy(w);
  ss_collider_destroy(s);
}

// ---- fast bodies ---------------------------------------------------------------------------------------------------

// A bullet of 1 cm at 800 m/s, steps of 1 ms, a wall that is a bar of 2 cm and a floor far below: it is seen before it
// is through, always
static void test_no_tunnel(void** state)
{
  (void)state;
  ss_geom_def geom[3] = {ball_of(0), ball_of(SS_WORLD), ball_of(SS_WORLD)};
  geom[0].shape.radius = 0.01;
  geom[1].shape = (ss_shape_def){.kind = SS_SHAPE_CAPSULE, .radius = 0.01, .half_length = 1};
  geom[2].shape = (ss_shape_def){.kind = SS_SHAPE_PLANE};
  geom[2].pose.position[2] = -5;
  ss_collider_def def = {.n_geom = 3, .geom = geom, .n_body = 1};
  ss_collider* s = ss_collider_create(&def, NULL);
  ss_collider_work* w = ss_collider_work_create(s, NULL);
  ss_twist twist = {{0, 0, 100}, {800, 0, 0}};
  for (int k = 0; k < 100; k++) {
    ss_pose pose = {{-4 + 0.008*k, 0, 0.5}, {1, 0, 0, 0}};
    bool seen = false;
    for (int step = 0; step < 20 && !seen; step++) {
      double reach;
      const ss_touch* touch;
      int n;
      ss_collider_reach(s, &pose, &twist, 1e-3, &reach);
      assert_near(reach, 0.8, 1e-15);  // spin about its centre does not carry it anywhere
      assert_int_equal(ss_collider_find(w, &pose, 0, &reach, &touch, &n), SS_OK);
      for (int i = 0; i < n; i++) seen |= touch[i].geom_b == 1 && touch[i].frame[0] > 0;
      pose = moved(&pose, &twist, 1e-3);
    }
    assert_true(seen);
  }
  ss_collider_work_destroy(w);
  ss_collider_destroy(s);
}

// A bar that turns about its end, and a plane that turns: reach covers what their points do
static void test_reach(void** state)
{
  (void)state;
  ss_geom_def geom[3] = {ball_of(0), ball_of(1), ball_of(2)};
  geom[0].shape = (ss_shape_def){.kind = SS_SHAPE_CAPSULE, .radius = 0.1, .half_length = 2};
  geom[0].pose.position[2] = 2;
  geom[1].shape = (ss_shape_def){.kind = SS_SHAPE_PLANE};
  ss_collider_def def = {.n_geom = 3, .geom = geom, .n_body = 3};
  ss_collider* s = ss_collider_create(&def, NULL);
  ss_pose pose[3] = {home, home, {{30, 0, 0}, {0}}};
  ss_twist twist[3] = {{{3, 0, 0}, {0}}, {{0, 2, 0}, {1, 0, 0}}, {{0}, {0}}};
  double reach[3];
  ss_collider_reach(s, pose, twist, 0.1, reach);
  assert_near(reach[0], 0.1*3*4, 1e-14);
  assert_near(reach[1], 0.1*(1 + 2*31), 1e-14);  // at the far side of the ball at x = 30
  assert_near(reach[2], 0, 0);
  ss_collider_destroy(s);
}

// ---- memory --------------------------------------------------------------------------------------------------------

static void test_no_allocation(void** state)
{
  (void)state;
  seed_state = 6;
  static world w;
  random_world(&w, 300, 20);
  open_world(&w);
  const ss_touch* touch;
  int n, most = 0;
  for (int step = 0; step < 40; step++) {  // gather in the middle, densely: lists must grow
    for (int i = 0; i < 300; i++)
      for (int k = 0; k < 3; k++) w.pose[i].position[k] *= 0.95;
    assert_int_equal(ss_collider_find(w.work, w.pose, 0, NULL, &touch, &most), SS_OK);
  }
  assert_true(ss_collider_info(w.work).grown > 0);
  long before = calls, grown = ss_collider_info(w.work).grown;
  for (int step = 0; step < 100; step++) {  // and fall apart
    for (int i = 0; i < 300; i++)
      for (int k = 0; k < 3; k++) w.pose[i].position[k] *= 1.02;
    assert_int_equal(ss_collider_find(w.work, w.pose, 0, NULL, &touch, &n), SS_OK);
  }
  assert_true(n < most);
  assert_int_equal(calls, before);
  assert_int_equal(ss_collider_info(w.work).grown, grown);
  assert_true(ss_collider_info(w.work).renewals > 1);
  close_world(&w);
}

// ---- impulses ------------------------------------------------------------------------------------------------------

static void test_recall(void** state)
{
  (void)state;
  ss_touch before[4] = {{.key = 1 << 20}, {.key = 2 << 20, .point = {0, 0, 0}},
                        {.key = (2 << 20) + 2, .point = {1, 0, 0}},
                        {.key = 9 << 20}};
  const double Lambda[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  ss_touch_memory memory[4];
  ss_touch_remember(4, before, Lambda, memory);
  // pair 1 goes on, pair 2 hands its points over to another one, pair 5 is new, pair 9 has parted
  ss_touch now[4] = {{.key = 1 << 20}, {.key = (2 << 20) + 2, .point = {1, 0, 0}},
                     {.key = (2 << 20) + 3, .point = {0.1, 0, 0}}, {.key = 5 << 20}};
  double start[12];
  assert_int_equal(ss_touch_recall(4, memory, 4, now, start), 2);
  const double expected[12] = {1, 2, 3, 7, 8, 9, 4, 5, 6, 0, 0, 0};
  for (int i = 0; i < 12; i++) assert_near(start[i], expected[i], 0);
  assert_int_equal(ss_touch_recall(0, NULL, 4, now, start), 0);
  for (int i = 0; i < 12; i++) assert_near(start[i], 0, 0);
  assert_int_equal(ss_touch_recall(4, memory, 0, NULL, start), 0);
}

// A log slides along another until it falls off: points go from end to end, and the sum of the normal impulses of the
// pair goes along unchanged as long as the two touch
static void test_sliding_logs(void** state)
{
  (void)state;
  ss_geom_def geom[2] = {ball_of(0), ball_of(1)};
  geom[0].shape = geom[1].shape = (ss_shape_def){.kind = SS_SHAPE_CAPSULE, .radius = 0.5, .half_length = 2};
  ss_collider_def def = {.n_geom = 2, .geom = geom, .n_body = 2};
  ss_collider* s = ss_collider_create(&def, NULL);
  ss_collider_work* w = ss_collider_work_create(s, NULL);
  ss_touch_memory memory[SS_TOUCH_MOST];
  int kept = 0, steps = 0;
  for (int step = 0; step < 830; step++) {
    ss_pose pose[2] = {{{0, 0, 0}, {1, 0, 1, 0}}, {{-4.15 + 0.01*step, 0, 1}, {1, 0, 1e-9 - 1, 0}}};  // turned about
    const ss_touch* touch;
    int n;
    double Lambda[3*SS_TOUCH_MOST] = {0}, sum = 0;
    assert_int_equal(ss_collider_find(w, pose, 0.03, NULL, &touch, &n), SS_OK);
    assert_in_range(n, 1, 2);
    if (step > 0) {
      int matched = ss_touch_recall(kept, memory, n, touch, Lambda);
      for (int i = 0; i < n; i++) sum += Lambda[3*i];
      assert_near(sum, 6, 1e-12);
      steps += matched < (n < kept ? n : kept);
    }
    for (int i = 0; i < 3*n; i++) Lambda[i] = i%3 ? 0 : 6.0/n;
    ss_touch_remember(n, touch, Lambda, memory);
    kept = n;
  }
  assert_in_range(steps, 0, 6);  // only where an end hands over to another are there keys without a predecessor
  ss_collider_work_destroy(w);
  ss_collider_destroy(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_as_all_pairs),   cmocka_unit_test(test_large_world),   cmocka_unit_test(test_paths),
    cmocka_unit_test(test_no_history),     cmocka_unit_test(test_threads),
    cmocka_unit_test(test_filter), cmocka_unit_test(test_explicit_pair), cmocka_unit_test(test_refused),
    cmocka_unit_test(test_bad_arguments),
    cmocka_unit_test(test_no_tunnel),      cmocka_unit_test(test_reach),         cmocka_unit_test(test_no_allocation),
    cmocka_unit_test(test_recall),         cmocka_unit_test(test_sliding_logs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
