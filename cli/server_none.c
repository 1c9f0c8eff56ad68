// In place of server.c where libwebsockets was not there when the tool was built.
#include "server.h"

const char* cli_server_missing(void)
{
  return "this build has no server: libwebsockets was missing when it was built. Install it (Debian: "
         "libwebsockets-dev; scripts/install-deps does), configure and build again. Without it: 'run -o run.h5', then "
         "'report run.h5'.";
}

cli_server* cli_server_open(const cli_server_def* def, ss_error* error)
{
  (void)def;
  ss_error_set(error, SS_ERR_ARGUMENT, "%s", cli_server_missing());
  return NULL;
}

const char* cli_server_address(const cli_server* server) { return server ? "" : NULL; }
void cli_server_run(cli_server* server) { (void)server; }
size_t cli_server_waiting(const cli_server* server) { return server ? 1 : 0; }
void cli_server_close(cli_server* server) { (void)server; }

bool cli_server_send(cli_server* server, bool binary, const void* bytes, size_t n)
{
  return server && binary && bytes && n;
}
