// Ctrl-C and the like.
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

/// SIGINT, SIGTERM and SIGHUP go to the handler from now on; one that the caller has us ignore (nohup, a background
/// job) stays ignored.
void cli_catch_signals(void (*handler)(int number));

#endif
