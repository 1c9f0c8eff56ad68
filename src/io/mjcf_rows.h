// How the tables of elements and attributes are written: one line for each, see ss_mj_row and ss_mj_element.
#ifndef SS_IO_MJCF_ROWS_H
#define SS_IO_MJCF_ROWS_H

#include "io/mjcf.h"

#define AT(type, member) ((int)(offsetof(type, member)/sizeof(ss_mj_value)))

// Rows of what is honoured: text, numbers, whole numbers, words, a list; RT, RN: required
#define T(s, name, member) {name, SS_MJ_TEXT, 0, 0, NULL, AT(s, member), SS_SCENE_HONOURED, NULL, NULL, false}
#define RT(s, name, member) {name, SS_MJ_TEXT, 0, 0, NULL, AT(s, member), SS_SCENE_HONOURED, NULL, NULL, true}
#define N(s, name, member, least, most, fallback) \
  {name, SS_MJ_NUMBERS, least, most, fallback, AT(s, member), SS_SCENE_HONOURED, NULL, NULL, false}
#define RN(s, name, member, least, most) \
  {name, SS_MJ_NUMBERS, least, most, NULL, AT(s, member), SS_SCENE_HONOURED, NULL, NULL, true}
#define I(s, name, member, least, most, fallback) \
  {name, SS_MJ_WHOLE, least, most, fallback, AT(s, member), SS_SCENE_HONOURED, NULL, NULL, false}
#define RI(s, name, member, least, most) \
  {name, SS_MJ_WHOLE, least, most, NULL, AT(s, member), SS_SCENE_HONOURED, NULL, NULL, true}
#define W(s, name, member, words, fallback) \
  {name, SS_MJ_WORD, 0, 0, fallback, AT(s, member), SS_SCENE_HONOURED, NULL, words, false}
#define RW(s, name, member, words) \
  {name, SS_MJ_WORD, 0, 0, NULL, AT(s, member), SS_SCENE_HONOURED, NULL, words, true}
#define L(s, name, member) {name, SS_MJ_LIST, 0, 0, NULL, AT(s, member), SS_SCENE_HONOURED, NULL, NULL, false}
// ... and of what is not; the value that makes no difference comes before the reason
#define APPROX(name, same, why) {name, SS_MJ_TEXT, 0, 0, same, -1, SS_SCENE_APPROXIMATED, why, NULL, false}
#define IGNORE(name, same, why) {name, SS_MJ_TEXT, 0, 0, same, -1, SS_SCENE_IGNORED, why, NULL, false}
#define UNUSED(name, why) {name, SS_MJ_TEXT, 0, 0, NULL, -1, SS_SCENE_UNUSED, why, NULL, false}
// ... likewise, of at least one number: read, so that what is no number is an error
#define APPROX_N(name, most, same, why) \
  {name, SS_MJ_NUMBERS, 1, most, same, -1, SS_SCENE_APPROXIMATED, why, NULL, false}
#define IGNORE_N(name, most, same, why) \
  {name, SS_MJ_NUMBERS, 1, most, same, -1, SS_SCENE_IGNORED, why, NULL, false}
#define UNUSED_N(name, most, why) {name, SS_MJ_NUMBERS, 1, most, NULL, -1, SS_SCENE_UNUSED, why, NULL, false}
#define END {NULL, SS_MJ_TEXT, 0, 0, NULL, -1, SS_SCENE_HONOURED, NULL, NULL, false}

#define SOFT "contacts, limits and loops are hard here and need no softness"
#define PICTURE "only for pictures"
#define USER "data for programs, not for the motion"
#define NUMERIC "a setting of another solver; see <stickslip>"

static const char* const boolean[] = {"false", "true", NULL};
static const char* const projections[] = {"auto", "true", "false", NULL};  // as ss_projection
static const char* const exactness[] = {"exact", "polyhedral", NULL};
static const char* const kinds_of_q[] = {"minimal", "redundant", NULL};

// Settings of a run
#define RUN_ROWS(s) \
  T(s, "scheme", scheme), T(s, "solver", solver), W(s, "cone", cone, exactness, NULL), \
  I(s, "facets", facets, 1, 1, NULL), T(s, "impact", impact), W(s, "energy-limited", limited, boolean, NULL), \
  T(s, "multiple-impacts", order), N(s, "tolerance", tolerance, 1, 1, NULL), \
  N(s, "compliance", compliance, 1, 1, NULL), I(s, "iterations", iterations, 1, 1, NULL), \
  W(s, "project", project, projections, NULL), \
  N(s, "until", until, 1, 1, NULL), W(s, "coordinates", coordinates, kinds_of_q, NULL)

// Honoured; read by a handler in a stage (or only there for its children); with or without a group
#define READ(place, name, rows, inside, group, stage, handler) \
  {SS_MJ_IN_##place, name, rows, SS_MJ_##inside, SS_SCENE_HONOURED, NULL, false, group, SS_MJ_##stage, handler}
#define SECTION(place, name, inside, stage) READ(place, name, no_rows, inside, NULL, stage, NULL)
#define SKIP(place, name, fate, why) \
  {SS_MJ_IN_##place, name, NULL, SS_MJ_NOWHERE, SS_SCENE_##fate, why, false, NULL, SS_MJ_SETTINGS, NULL}
#define REFUSE(place, name, why) \
  {SS_MJ_IN_##place, name, NULL, SS_MJ_NOWHERE, SS_SCENE_IGNORED, why, true, NULL, SS_MJ_SETTINGS, NULL}

#endif
