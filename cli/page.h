// A run as data of a page: what the viewer (viewer/src/data.ts) reads.
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include <cjson/cJSON.h>

#include "cli.h"

/// The page that waits for its data, as it was built (cmake/viewer.cmake); empty in a build without npm.
extern const unsigned char cli_viewer_page[];
extern const size_t cli_viewer_size;

/// What goes into a page.
typedef struct cli_page {
  const char* file;   ///< the run's file, shown without its folder
  double from, to;    ///< the time to show, s
  long most;          ///< rows at most; 0: as many as fit into about CLI_PAGE_BYTES
  long n_at;          ///< instants that must be seen exactly: the rows on both sides of them are kept
  const double* at;   ///< n_at, s
  bool light;         ///< out: a large scene, of which only what the picture needs is in the page, in fewer digits
  long n_rows;        ///< out: rows of that time
  long n;             ///< out: how many of them are in the page
  long* row;          ///< out: n, which
  int n_columns;      ///< out: quantities of the run
  int n_column;       ///< out: how many of them are in the page
  int column_bytes;   ///< out: what a row of them takes, as numbers
  const char** column; ///< out: n_column, which; only while the page is made
} cli_page;

enum { CLI_PAGE_BYTES = 1500000 };  ///< of numbers, before they become text

/// Makes the data: *json is the caller's. Returns CLI_GO_ON or the exit status, which has been reported.
int cli_page_make(ss_run* run, cli_page* page, cJSON** json);

/// Writes the page of the run in the file `path`: FILE.html, or its data alone, FILE.json. Returns CLI_DONE or the exit
/// status, which has been reported.
int cli_page_write(const char* path, cli_page* page, const char* output);

/// CLI_GO_ON if this build has the viewer; otherwise that is said and CLI_FAILED returned.
int cli_page_viewer(void);

/// True if the path ends so, in any case.
bool cli_ends_in(const char* path, const char* ending);

/// The rows to keep: the first and the last one, those around events and failures, and evenly spaced ones.
int cli_page_choose_rows(ss_run* run, cli_page* page, long first, long room);

/// The columns to keep, for a page of the rows from `first` on, page->n_rows of them; and their values: "columns".
int cli_page_choose_columns(ss_run* run, cli_page* page, long first);
int cli_page_columns(ss_run* run, const cli_page* page, cJSON* json);

/// Adds `n` values of a column as base64 of float64 ("f64"), float32 ("f32"), bytes ("u8") or numbers of steps above a
/// lowest value ("u16"), or, if all are equal, as one number. False if memory is short.
bool cli_page_numbers(cJSON* object, const char* type, long n, const double* value);

/// The shapes of a drawing, added to an array; those of a scene with meshes, rods and the names of its bodies. False if
/// memory is short.
void cli_page_shapes(const ss_drawing* drawing, cJSON* list);
bool cli_page_geoms(const ss_scene* scene, cJSON* object);

/// The drawing of a text model, if it has one, at the rows of the page: "drawing".
int cli_page_drawing(ss_run* run, const ss_model* model, const cli_page* page, cJSON* json);

/// How many rows fit if contacts come and go, and columns and drawing take so many bytes each. Sets page->light.
long cli_page_scene_rows(ss_run* run, const ss_model* model, int bytes, cli_page* page);

/// The shapes of a scene, the poses of its bodies and the contacts at the rows of the page: "scene"; of bodies in the
/// plane, which the drawing shows, the contacts alone: "touch".
int cli_page_scene(ss_run* run, const ss_model* model, const cli_page* page, cJSON* json);

#endif
