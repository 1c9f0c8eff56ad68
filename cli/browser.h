// Chromium without a window, driven through its DevTools protocol over two pipes: opens a page, runs scripts in it,
// takes pictures of it. No port is opened and no network is used.
#ifndef CLI_BROWSER_H
#define CLI_BROWSER_H

#include <cjson/cJSON.h>

#include "child.h"

typedef struct cli_browser {
  cli_child child;
  int to, from;        ///< pipes
  char* text;          ///< what has come and was not read yet
  size_t n, room;      ///
  int calls;           ///< made so far
  char session[80];    ///< of the page
  char messages[CLI_PATH];
} cli_browser;

/// Starts the browser `program` (NULL: one that is on the PATH) with a window of this size, in pixels; all that it
/// writes is in the folder. False if it cannot be started, which is said.
bool cli_browser_open(cli_browser* browser, const char* program, const char* folder, int width, int height);

/// Opens a page.
bool cli_browser_go(cli_browser* browser, const char* url);

/// Runs a script; it, or the promise that it returns, must give true. False if not, which is said.
bool cli_browser_run(cli_browser* browser, const char* script);

/// A picture of the page as PNG, n bytes, which the caller frees; NULL if there is none, which is said.
unsigned char* cli_browser_picture(cli_browser* browser, size_t* n);

/// Ends it. May also be called if it could not be opened.
void cli_browser_close(cli_browser* browser);

#endif
