// Bodies at rest for 10 s on a plane, on boxes, on one another and on a height field: their contacts are the same in
// every step, nothing happens at them, and they stay where they are.
#include "machine/play.h"

static const char* const bodies[] = {
  "<body pos='.03 .02 .1'><freejoint/><geom type='box' size='.1 .15 .1'/></body>",
  "<body pos='.03 .02 .1' euler='0 0 33'><freejoint/><geom type='box' size='.1 .15 .1'/></body>",
  "<body pos='.03 .02 .2'><freejoint/><geom type='cylinder' size='.1 .2'/></body>",
  "<body pos='.03 .02 .1' euler='90 20 0'><freejoint/><geom type='cylinder' size='.1 .2' friction='1'/></body>",
  "<body pos='.03 .02 .1'><freejoint/><geom type='mesh' mesh='m'/></body>",
  "<body pos='.03 .02 .1' euler='0 0 12'><freejoint/><geom type='mesh' mesh='m'/></body>",
  "<body pos='.03 .02 .05'><freejoint/><geom type='ellipsoid' size='.2 .1 .05'/></body>",
  "<body pos='.03 .02 .1'><freejoint/><geom type='sphere' size='.1'/></body>",
  "<body pos='.03 .02 .1' euler='90 0 0'><freejoint/><geom type='capsule' size='.1 .2'/></body>",
};

static const char* const floors[] = {
  "<geom name='floor' type='plane' size='1 1 1'/>",
  "<geom name='floor' type='box' size='1 1 .5' pos='0 0 -.5'/>",
  "<geom name='floor' type='hfield' hfield='h'/>",
};

static play lay(const char* body, const char* floor)
{
  char text[2000];
  snprintf(text, sizeof text, "<mujoco><option timestep='0.002'/><asset><mesh name='m' scale='.1 .1 .1' vertex='"
           "-1 -1 -1 1 -1 -1 1 1 -1 -1 1 -1 -1 -1 1 1 -1 1 1 1 1 -1 1 1 0 0 1.5'/><mesh name='beam' scale='.4 .1 .1' "
           "vertex='-1 -1 -1 1 -1 -1 1 1 -1 -1 1 -1 -1 -1 1 1 -1 1 1 1 1 -1 1 1'/><mesh name='slab' vertex='-1 -1 -1 "
           "1 -1 -1 1 1 -1 -1 1 -1 -1 -1 0 1 -1 0 1 1 0 -1 1 0'/><hfield name='h' nrow='21' ncol='21' "
           "size='1 1 1 1'/></asset><worldbody>%s%s</worldbody></mujoco>", floor, body);
  return start_text(text);
}

static void rest(const char* body, const char* floor)
{
  uint64_t key[6*SS_TOUCH_MOST];
  int count = -1;
  play p = lay(body, floor);
  for (int k = 0; k < 5000/LESS; k++) {
    const ss_event* e;
    if (step(&p, &e)) fail_msg("%s on %s: %s at t = %g", body, floor, ss_event_kind_text(e->kind), p.s->t);
    const ss_step_info* info = ss_work_info(p.w);
    if (count < 0) {
      count = info->n_contact;
      assert_in_range(count, 1, 6*SS_TOUCH_MOST);
      for (int i = 0; i < count; i++) key[i] = info->item[i].key;
    }
    bool same = info->n_contact == count && info->n_active == count;
    for (int i = 0; same && i < count; i++) same = key[i] == info->item[i].key;
    if (!same)
      fail_msg("%s on %s: %d contacts, %d of them closed, at t = %g, or others; there were %d", body, floor,
               info->n_contact, info->n_active, p.s->t, count);
  }
  if (!(moved(&p) < 1e-9)) fail_msg("%s on %s has moved by %g", body, floor, moved(&p));
  stop(&p);
}

static void test_rest(void** state)
{
  (void)state;
  for (size_t b = 0; b < sizeof bodies/sizeof *bodies; b++)
    for (size_t f = 0; f < sizeof floors/sizeof *floors; f++) rest(bodies[b], floors[f]);
}

#define BARS "<geom type='box' size='.05 .8 .05'/><geom type='box' size='.05 .8 .05' pos='.5 0 0'/>"
#define FREE_BARS "<geom type='plane' size='1 1 1'/>" \
  "<body pos='0 0 .05'><freejoint/><geom type='box' size='.05 .2 .05'/></body>" \
  "<body pos='.5 0 .05'><freejoint/><geom type='box' size='.05 .2 .05'/></body>"

#define CRADLE(type, half) "<geom type='" type "' size='.1 " half "' euler='90 0 0' pos='-.12 0 .1'/>" \
  "<geom type='" type "' size='.1 " half "' euler='90 0 0' pos='.12 0 .1'/>"
#define GAP(half) "<geom type='box' size='.1 " half " .1' pos='-.16 0 -.1'/>" \
  "<geom type='box' size='.1 " half " .1' pos='.16 0 -.1'/>"

// Logs over bars, sides on sides, ends on ends: level as exactly as numbers are
static const char* const piles[][2] = {
  {"<body pos='0 0 .25' euler='0 90 0'><freejoint/><geom type='capsule' size='.05 .3'/></body>",
   "<geom type='box' size='.1 .1 .1' pos='0 0 .1'/>"},
  {"<body pos='.02 .01 .25' euler='0 90 37'><freejoint/><geom type='capsule' size='.05 .4'/></body>",
   "<geom type='box' size='.1 .1 .1' pos='0 0 .1'/>"},
  {"<body pos='0 0 .25' euler='0 90 45'><freejoint/><geom type='capsule' size='.05 .4'/></body>",
   "<geom type='box' size='.1 .1 .1' pos='0 0 .1'/>"},
  {"<body pos='.25 0 .15' euler='0 90 0'><freejoint/><geom type='capsule' size='.1 .7'/></body>",
   BARS},
  {"<body pos='.25 0 .15' euler='0 90 0'><freejoint/><geom type='cylinder' size='.1 .5'/></body>", BARS},
  {"<body pos='.25 0 .15' euler='0 90 7'><freejoint/><geom type='cylinder' size='.1 .5'/></body>", BARS},
  {"<body pos='.25 0 .15'><freejoint/><geom type='box' size='.4 .1 .1'/></body>", BARS},
  {"<body pos='.25 0 .15' euler='0 0 9'><freejoint/><geom type='mesh' mesh='beam'/></body>", BARS},
  {"<body pos='.25 0 .2' euler='0 90 0'><freejoint/><geom type='cylinder' size='.1 .4'/></body>", FREE_BARS},
  {"<body pos='.25 0 .2'><freejoint/><geom type='box' size='.4 .1 .1'/></body>", FREE_BARS},
  {"<body pos='0 0 .15' euler='0 90 0'><freejoint/><geom type='cylinder' size='.1 .5'/></body>",
   "<geom type='box' size='.1 .2 .05'/>"},
  {"<body pos='0 0 .15' euler='0 90 45'><freejoint/><geom type='cylinder' size='.1 .5'/></body>",
   "<geom type='box' size='.1 .1 .05'/>"},
  {"<body pos='.97 .97 .2'><freejoint/><geom type='cylinder' size='.1 .2'/></body>",
   "<geom type='box' size='1 1 .5' pos='0 0 -.5'/>"},
  {"<body pos='.1 .02 .2'><freejoint/><geom type='cylinder' size='.1 .2'/></body>",
   "<geom type='cylinder' size='.3 .5' pos='0 0 -.5'/>"},
  {"<body pos='0 0 .2'><freejoint/><geom type='cylinder' size='.1 .2'/></body>",
   "<geom type='cylinder' size='.1 .5' pos='0 0 -.5'/>"},
  {"<body pos='.03 .02 .1' euler='0 0 12'><freejoint/><geom type='mesh' mesh='m'/></body>",
   "<geom type='mesh' mesh='slab'/>"},
  {"<body pos='.03 .02 .2' euler='0 0 12'><freejoint/><geom type='cylinder' size='.1 .2'/></body>",
   "<geom type='mesh' mesh='slab'/>"},
  {"<body pos='.03 .02 .1' euler='90 0 12'><freejoint/><geom type='cylinder' size='.1 .2'/></body>",
   "<geom type='mesh' mesh='slab'/>"},
  {"<body pos='.25 0 .2' euler='0 90 0'><freejoint/><geom type='cylinder' size='.1 .5'/></body>",
   "<geom type='cylinder' size='.1 .5' euler='90 0 0'/>"
   "<geom type='cylinder' size='.1 .5' pos='.5 0 0' euler='90 0 0'/>"},
  {"<body pos='.25 0 .17' euler='0 90 13'><freejoint/><geom type='capsule' size='.07 .6'/></body>",
   "<geom type='cylinder' size='.1 .5' euler='90 0 0'/>"
   "<geom type='cylinder' size='.1 .5' pos='.5 0 0' euler='90 0 0'/>"},
  // side by side: in cradles of other lengths, shifted, of the same length; between edges; three of them
  {"<body pos='0 .05 .26' euler='90 0 0'><freejoint/><geom type='cylinder' size='.1 .2'/></body>",
   CRADLE("cylinder", ".3")},
  {"<body pos='0 .05 .26' euler='90 0 0'><freejoint/><geom type='cylinder' size='.1 .2'/></body>",
   CRADLE("cylinder", ".2")},
  {"<body pos='0 0 .26' euler='90 0 0'><freejoint/><geom type='cylinder' size='.1 .2'/></body>",
   CRADLE("cylinder", ".2")},
  {"<body pos='0 0 .26' euler='-90 0 0'><freejoint/><geom type='cylinder' size='.1 .3'/></body>",
   CRADLE("cylinder", ".2")},
  {"<body pos='0 0 .26' euler='90 0 0'><freejoint/><geom type='cylinder' size='.1 .2'/></body>",
   CRADLE("capsule", ".2")},
  {"<body pos='0 .05 .26' euler='90 0 0'><freejoint/><geom type='cylinder' size='.1 .2'/></body>",
   CRADLE("capsule", ".3")},
  {"<body pos='0 0 .26' euler='90 0 0'><freejoint/><geom type='capsule' size='.1 .2'/></body>",
   CRADLE("cylinder", ".2")},
  {"<body pos='0 0 .26' euler='90 0 0'><freejoint/><geom type='capsule' size='.1 .2'/></body>",
   CRADLE("capsule", ".2")},
  {"<body pos='0 .05 .08' euler='90 0 0'><freejoint/><geom type='cylinder' size='.1 .2'/></body>", GAP(".3")},
  {"<body pos='0 0 .08' euler='90 0 0'><freejoint/><geom type='cylinder' size='.1 .2'/></body>", GAP(".2")},
  {"<body pos='0 0 .08' euler='90 0 0'><freejoint/><geom type='cylinder' size='.1 .3'/></body>", GAP(".2")},
  {"<body pos='0 0 .08' euler='90 0 0'><freejoint/><geom type='capsule' size='.1 .3'/></body>", GAP(".2")},
  {"<body pos='0 0 .26' euler='90 0 0'><freejoint/><geom type='cylinder' size='.1 .2'/></body>",
   "<geom type='plane' size='1 1 1'/>"
   "<body pos='.12 0 .1' euler='90 0 0'><freejoint/><geom type='cylinder' size='.1 .2'/></body>"
   "<body pos='-.12 0 .1' euler='90 0 0'><freejoint/><geom type='cylinder' size='.1 .2'/></body>"},
};

static void test_logs(void** state)
{
  (void)state;
  for (size_t k = 0; k < sizeof piles/sizeof *piles; k++) rest(piles[k][0], piles[k][1]);
}

// Capsules side by side, ends by ends: which end is farther out by round-off does not change the contacts. A pyramid of
// ten between two stops
static void test_pyramid(void** state)
{
  (void)state;
  char text[4000];
  size_t n = (size_t)snprintf(text, sizeof text, "<mujoco><option timestep='1e-3' gravity='0 0 -9.81'/><default>"
    "<geom friction='0.6' density='1000'/></default><worldbody><geom type='plane' size='0 0 1'/>"
    "<geom type='box' size='.02 .3 .05' pos='-.07 0 .05'/><geom type='box' size='.02 .3 .05' pos='.37 0 .05'/>");
  for (int row = 0; row < 4; row++)
    for (int k = 0; k < 4 - row; k++)
      n += (size_t)snprintf(text + n, sizeof text - n, "<body pos='%.17g 0 %.17g'><freejoint/>"
        "<geom type='capsule' size='.05 .15' euler='90 0 0'/></body>", 0.1*k + 0.05*row, 0.05 + row*0.05*sqrt(3));
  snprintf(text + n, sizeof text - n, "</worldbody></mujoco>");
  play p = start_text(text);
  go(&p, 0.5);
  while (p.s->t < 0.5 + 3.5/LESS) {
    const ss_event* e;
    for (int k = step(&p, &e); k > 0; k--, e++)
      if (e->kind == SS_EVENT_IMPACT || e->kind == SS_EVENT_DETACH)
        fail_msg("t = %g: %s comes or goes", p.s->t, ss_work_contact_name(p.w, e->contact));
  }
  stop(&p);
}

// Velocities of bodies at rest are round-off, which the rounds of `jean` need not settle: every step is solved
static void test_stack_by_jean(void** state)
{
  (void)state;
  play p = start("stack10");
  p.def.integrator = SS_JEAN;
  for (int k = 0; k < 2; k++, p.def.dt = 5e-3) {
    double until = p.s->t + 1.0/LESS;
    while (p.s->t < until) assert_int_equal(step(&p, NULL), 0);
  }
  near(moved(&p), 0, 1e-9);
  stop(&p);
}

// What dry friction has stopped stays: round-off of its velocity shrinks to nothing, and every step is solved
static void test_stopped_slides(void** state)
{
  (void)state;
  static const ss_integrator scheme[] = {SS_MOREAU, SS_EULER, SS_JEAN};
  for (int k = 0; k < 9; k++) {
    char text[1000];
    snprintf(text, sizeof text,
             "<mujoco><worldbody><body><joint type='slide' axis='1 0 0'/><geom type='sphere' size='.1' mass='1'/><body>"
             "<joint type='slide' axis='1 0 0' frictionloss='50'/><geom type='sphere' size='.1' mass='%g'/><body>"
             "<joint type='slide' axis='1 0 0' frictionloss='%g'/><geom type='sphere' size='.1' mass='.3'/>"
             "</body></body></body></worldbody></mujoco>", 1 + 0.1*k, 50 - k/3.0);
    play p = start_text(text);
    p.def.integrator = scheme[k % 3];
    p.def.dt = 1e-3;
    p.s->u[0] = -1;
    p.s->u[1] = 1;
    p.s->u[2] = 0.5;
    go(&p, 0.3);
    near(p.s->u[1], 0, 1e-15);
    near(p.s->u[2], 0, 1e-15);
    stop(&p);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rest), cmocka_unit_test(test_logs),
                                     cmocka_unit_test(test_pyramid), cmocka_unit_test(test_stack_by_jean),
                                     cmocka_unit_test(test_stopped_slides)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
