// `stickslip view`: a simulation that runs while a page shows it and changes it.
#ifndef CLI_VIEW_H
#define CLI_VIEW_H

#include <cjson/cJSON.h>

#include "cli.h"
#include "server.h"

// ---- the simulation (view_sim.c) -----------------------------------------------------------------------------------

/// A model, where it is, and how it steps. Values of the model can be replaced while it runs.
typedef struct cli_sim {
  const char* name;     ///< file, or name of the catalogue
  int n_set;            ///
  ss_override* set;     ///< n_set, with texts of its own
  ss_model* model;
  const ss_system* system;
  const ss_system_def* def;
  ss_run_def run;       ///< run.step.force points to `force` while something is dragged
  double t0;            ///< time of step 0, s
  ss_state* state;
  ss_work* work;
  ss_ledger* ledger;
  ss_tree_work* tree;   ///< of a scene: to place bodies; NULL for text models
  double* force;        ///< nv
  int n_known, room;    ///< contacts that have a number, and room for them
  ss_contact_state* contact_state;  ///< n_known
  bool has_stepped;     ///< the workspace tells of a step
  // where the last step began and how it was made, so that it can be made again
  ss_state *last, *present;  ///< before it, after it
  ss_step_def last_def;
  double* last_force;        ///< nv; last_def.force points to it, or is NULL
} cli_sim;

/// Reads the model at its start. *error if it cannot be.
ss_status cli_sim_open(cli_sim* sim, const char* name, int n_set, const ss_override* set, ss_error* error);
void cli_sim_close(cli_sim* sim);

/// Replaces a value of the model, as `--set` does, and goes on from where it is. What that does to the energy counts as
/// work of drives. On failure nothing has changed. *fits: pictures are made of the same shapes as before.
ss_status cli_sim_set(cli_sim* sim, const char* path, const char* value, bool* fits, ss_error* error);

/// Back to the start, with the values as they are, of the model as the file has it now. *fits as above.
ss_status cli_sim_reset(cli_sim* sim, bool* fits, ss_error* error);

/// Other settings of the steps.
void cli_sim_step_def(cli_sim* sim, const ss_step_def* def);

/// Takes in the step just done; its events are returned.
int cli_sim_note_step(cli_sim* sim, const ss_event** event);

/// Makes the last step again, in a workspace of its own that keeps its contact problem: to keep that of every step
/// would cost more than the steps. `state` is one of the system. The caller destroys the workspace; NULL and *error if
/// not.
ss_work* cli_sim_repeat(const cli_sim* sim, ss_state* state, ss_error* error);

// ---- dragging (view_drag.c) ----------------------------------------------------------------------------------------

/// A spring and a damper from a point of a body, or of a shape that is drawn, to the mouse.
typedef struct cli_drag {
  bool on;
  int body;          ///< of a scene: which
  int shape;         ///< of a text model: which shape of its drawing
  int corner;        ///< ... and, if that has no frame, which of its points
  double local[3];   ///< in the frame of body or shape, m
  double target[3];  ///< where it is pulled to, m
  double k, c;       ///< N/m, N s/m
} cli_drag;

/// Begins to pull: finds the stiffness. *error if there is nothing to pull there.
ss_status cli_drag_begin(cli_drag* drag, cli_sim* sim, ss_error* error);
/// The force of the next step, into sim->force.
ss_status cli_drag_update(cli_drag* drag, cli_sim* sim);
void cli_drag_end(cli_drag* drag, cli_sim* sim);

// ---- what the page gets (view_frame.c, view_hello.c) ---------------------------------------------------------------

enum {
  CLI_FRAME_ROWS = 64,
  CLI_FRAME_EVENTS = 512,
  CLI_FRAME_COORDINATES = 60,  ///< of the coordinates the first ones
  CLI_FRAME_CONTACTS = 24,     ///< contacts with columns
  CLI_FRAME_NAMES = 2000,      ///< contacts that the page knows by name
};

/// Rows and events that wait to be sent, as they are sent. A page that is slow gets fewer rows, evenly spaced.
typedef struct cli_frame {
  unsigned char* row;
  size_t n_byte, room;
  int n_row;
  size_t start[CLI_FRAME_ROWS];  ///< where the rows begin
  long offered, every;           ///< rows offered since the last frame, and how many of them make one
  unsigned char* event;
  int n_event;
  unsigned number;    ///< of the last frame sent
  double* picture;    ///< scratch: what is drawn at an instant
  size_t n_picture;
  ss_pose* pose;      ///< of a scene: of its bodies
} cli_frame;

/// Makes it fit for the model; again after each change of it. False if memory is short.
bool cli_frame_open(cli_frame* frame, const cli_sim* sim);
void cli_frame_close(cli_frame* frame);
/// The present state, and what the last step did; `always`, or if there are not too many. False if memory is short.
bool cli_frame_row(cli_frame* frame, cli_sim* sim, bool always);
void cli_frame_event(cli_frame* frame, const ss_event* event);
/// Sends what waits and begins anew.
bool cli_frame_send(cli_frame* frame, cli_server* server);
void cli_frame_clear(cli_frame* frame);

/// All that the page must know before the first frame: names, shapes, contacts, parameters, settings.
cJSON* cli_hello(const cli_sim* sim);
/// What a change of the model may have changed of it: parameters, laws of contacts, constants of the drawing, settings.
cJSON* cli_hello_model(const cli_sim* sim);
/// Contacts from number `from` on.
cJSON* cli_hello_contacts(const cli_sim* sim, int from);
/// True if pictures of both models are made of the same shapes: the page can go on.
bool cli_hello_fits(const ss_model* a, const ss_model* b);

// ---- files (view_keep.c) -------------------------------------------------------------------------------------------

typedef struct cli_keep {
  const char* output;  ///< as given; NULL: by the name of the model
  char path[1024];     ///< of the record that is open, or was last written
  ss_record* record;   ///< NULL: none
  long rows;           ///< in it
  double from;         ///< where it begins, s
} cli_keep;

ss_status cli_keep_start(cli_keep* keep, cli_sim* sim, ss_error* error);
ss_status cli_keep_step(cli_keep* keep, cli_sim* sim, int n_event, const ss_event* event, ss_error* error);
/// Ends the record; it is complete up to here. SS_OK if there is none.
ss_status cli_keep_end(cli_keep* keep, ss_error* error);
/// Saves the contact problem of the last step; *path (of keep) is where.
ss_status cli_keep_problem(cli_keep* keep, cli_sim* sim, char* path, size_t size, ss_error* error);

// ---- the view (view.c, view_command.c) -----------------------------------------------------------------------------

typedef struct cli_view {
  cli_server* server;
  cli_sim sim;
  cli_drag drag;
  cli_frame frame;
  cli_keep keep;
  bool connected, was_connected;
  bool running;
  bool once;             ///< end when the page is closed
  double speed;          ///< simulated seconds per second
  double goal;           ///< simulated time that should be reached by now, s
  double before;         ///< when the clock was last looked at, s
  double pace;           ///< simulated seconds per second that were reached
  double left;           ///< when the page went away, s
  double told;           ///< when the status was last sent, s
  bool tell;             ///< it is to be sent at once
  unsigned acknowledged; ///< number of the last frame that the page has shown
  int contacts_told;     ///< contacts that the page knows
  long stride, since;    ///< steps from row to row, and since the last one
  double deadline;       ///< when the steps of a tick must end, s
  char why[400];         ///< why it stands still; "" if it was told to, or runs
  char note[400];        ///< what the integrator had to say last
} cli_view;

/// A message of the page: does what it asks for, if it is valid in all parts, and answers.
void cli_view_message(void* user, const char* text, size_t n);

/// n steps at most, until the deadline. The status of the last one.
ss_status cli_view_steps(cli_view* view, long n);

/// After a change of the model or of the settings: the page is told.
bool cli_view_changed(cli_view* view, bool reload);

void cli_view_send(cli_view* view, cJSON* message);  ///< takes the message
double cli_view_now(void);                           ///< s

enum { CLI_VIEW_FOLDER = 512 };

/// Opens the address in the browser of the desktop; false if there is none. `folder` gets the path of a folder that
/// cli_view_forget_browser() removes in the end, or "".
bool cli_view_open_browser(const char* address, char folder[CLI_VIEW_FOLDER]);
void cli_view_forget_browser(const char* folder);

#endif
