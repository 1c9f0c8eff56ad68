// A server for one page and its socket, on 127.0.0.1 alone (docs/viewer.md, "Security"). The address holds a token that
// opens the page once; the page gets a key with it that opens the socket. Everything happens in one thread: the program
// does its own work in `tick`.
#ifndef CLI_SERVER_H
#define CLI_SERVER_H

#include <stickslip/stickslip.h>

typedef struct cli_server cli_server;

enum { CLI_SERVER_MESSAGE = 4096 };  ///< bytes of the largest message that the page may send

typedef struct cli_server_def {
  int port;                   ///< 0: any that is free
  const unsigned char* page;  ///< with the mark @@STICKSLIP-RUN@@ where its data stands
  size_t page_size;
  void* user;                 ///< handed to the functions below
  void (*opened)(void* user);
  void (*closed)(void* user);
  /// A text as it came: n bytes, a 0 behind them. NULL: the message was not a text.
  void (*message)(void* user, const char* text, size_t n);
  /// Called again and again; returns the seconds until the next call, or a negative number to end.
  double (*tick)(void* user);
} cli_server_def;

/// How to get a server where this build has none; NULL if it has one.
const char* cli_server_missing(void);

/// Listens. NULL and *error if it cannot.
cli_server* cli_server_open(const cli_server_def* def, ss_error* error);
const char* cli_server_address(const cli_server* server);  ///< with the token

/// Serves until `tick` says end.
void cli_server_run(cli_server* server);

/// Sends a message to the page, a text or bytes; nothing is sent if there is none. False if memory is short.
bool cli_server_send(cli_server* server, bool binary, const void* bytes, size_t n);
size_t cli_server_waiting(const cli_server* server);  ///< bytes that have not been sent yet

/// Ends connections and stops listening; NULL is fine.
void cli_server_close(cli_server* server);

#endif
