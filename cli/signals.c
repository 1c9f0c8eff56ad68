// Which signals a command takes notice of.
#include "signals.h"

#include <signal.h>
#include <stddef.h>

void cli_catch_signals(void (*handler)(int number))
{
  const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
  for (size_t i = 0; i < sizeof numbers/sizeof *numbers; i++) {
    struct sigaction old, new = {.sa_handler = handler};
    sigemptyset(&new.sa_mask);
    if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) sigaction(numbers[i], &new, NULL);
  }
}
