// The tool's entry: the table of commands, its general help, and how every command ends.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "json.h"
#include "solver_list.h"

static int cli_help_main(int argc, char** argv);

static const cli_option no_options[] = {{0}};

const cli_command cli_help_command = {
  .name = "help", .operands = "[COMMAND]", .max_operands = 1,
  .summary = "explain a command",
  .purpose = "Prints the options of a command, or the list of commands.",
  .options = no_options,
  .examples = "  stickslip help run\n",
  .main = cli_help_main,
};

const cli_command* const cli_commands[] = {
  &cli_run_command,    &cli_check_command,  &cli_models_command,    &cli_events_command,
  &cli_forces_command, &cli_plot_command,   &cli_report_command,    &cli_render_command, &cli_view_command,
  &cli_solutions_command, &cli_solve_command,
  &cli_cycle_command,  &cli_sweep_command,  &cli_diagram_command, &cli_verify_command,
  &cli_solvers_command, &cli_bench_command, &cli_completion_command, &cli_help_command, NULL,
};

const cli_command* cli_find_command(const char* name)
{
  for (int i = 0; cli_commands[i]; i++)
    if (strcmp(cli_commands[i]->name, name) == 0) return cli_commands[i];
  return NULL;
}

static void print_help(FILE* out)
{
  fprintf(out, "Usage: stickslip COMMAND [operands] [options]\n\n"
               "Simulates mechanical systems with hard contact, impact and Coulomb friction.\n\nCommands:\n");
  for (int i = 0; cli_commands[i]; i++) {
    const cli_command* c = cli_commands[i];
    char left[48];
    snprintf(left, sizeof left, "%s %s", c->name, c->operands);
    fprintf(out, "  %-20s %s\n", left, c->summary);
  }
  fprintf(out, "\nOptions:\n  %-20s print this text\n  %-20s print the version\n\n", "-h, --help", "--version");
  fprintf(out, "'stickslip help COMMAND' explains a command and lists its options.\n"
               "A first run: stickslip run woodpecker -o run.h5\n");
}

static int unknown_command(const char* name)
{
  cli_nearest nearest = {.word = name};
  for (int i = 0; cli_commands[i]; i++) cli_nearest_offer(&nearest, cli_commands[i]->name);
  const char* what = name[0] == '-' ? "option" : "command";
  if (nearest.best) cli_error("unknown %s '%s'; did you mean '%s'?", what, name, nearest.best);
  else cli_error("unknown %s '%s'; 'stickslip --help' lists the commands", what, name);
  return CLI_BAD_INPUT;
}

static int cli_help_main(int argc, char** argv)
{
  int n;
  int status = cli_parse(&cli_help_command, argc, argv, NULL, &n);
  if (status != CLI_GO_ON) return status;
  if (n == 0) {
    print_help(stdout);
    return CLI_DONE;
  }
  const cli_command* command = cli_find_command(argv[1]);
  if (!command) return unknown_command(argv[1]);
  cli_help(command);
  return CLI_DONE;
}

static int dispatch(int argc, char** argv)
{
  if (argc < 2) {
    print_help(stderr);
    return CLI_BAD_INPUT;
  }
  const char* word = argv[1];
  if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
    print_help(stdout);
    return CLI_DONE;
  }
  if (strcmp(word, "--version") == 0) {
    printf("stickslip %s\n", ss_version());
    return CLI_DONE;
  }
  const cli_command* command = cli_find_command(word);
  if (!command) return unknown_command(word);
  return command->main(argc - 1, argv + 1);
}

// True if stdout is a pipe that nobody reads any more (`| head`): no fault of ours, and nobody to tell.
static bool reader_has_gone(void)
{
  struct pollfd p = {.fd = STDOUT_FILENO, .events = POLLOUT};
  return poll(&p, 1, 0) == 1 && (p.revents & (POLLERR | POLLHUP)) != 0;
}

// What was printed must have arrived: a full disk behind `>` is an error like any other.
static int finish(int status)
{
  bool arrived = fflush(stdout) == 0 && !ferror(stdout);
  if (arrived) return status == CLI_DONE && cli_memory_was_short() ? CLI_FAILED : status;
  if (!reader_has_gone()) cli_error("standard output could not be written");
  return CLI_BAD_FILE;
}

// If the caller has closed one of the standard streams, the next file opened would take its place and get our messages.
static void occupy_standard_streams(void)
{
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) _exit(CLI_BAD_FILE);
}

int main(int argc, char** argv)
{
  occupy_standard_streams();
  signal(SIGPIPE, SIG_IGN);  // a write that fails is seen where it is made
#ifdef SIGXFSZ
  signal(SIGXFSZ, SIG_IGN);
#endif
  cli_json_watch();
  cli_solver_words_fill();
  return finish(dispatch(argc, argv));
}
