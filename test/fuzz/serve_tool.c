// The tool as a server, for campaigns of very many short commands under sanitizers: a line of standard input holds the
// arguments of a command, separated by tabs; a child runs it, its messages go to the file named by the first argument
// of this program; its status, or 128 and the signal, is printed as a line. No command may take longer than a minute.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int cli_main(int argc, char** argv);

enum { ARGUMENTS = 40, SECONDS = 60 };

static int split(char* line, char** argv)
{
  int n = 0;
  argv[n++] = "stickslip";
  line[strcspn(line, "\n")] = '\0';
  for (char* word = strtok(line, "\t"); word && n < ARGUMENTS - 1; word = strtok(NULL, "\t")) argv[n++] = word;
  argv[n] = NULL;
  return n;
}

static void be_tool(char* line, const char* messages)
{
  char* argv[ARGUMENTS];
  int err = open(messages, O_WRONLY | O_CREAT | O_TRUNC, 0600), in = open("/dev/null", O_RDONLY);
  int out = open("/dev/null", O_WRONLY);
  if (err < 0 || in < 0 || out < 0 || dup2(err, 2) < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0) _exit(127);
  alarm(SECONDS);
  int argc = split(line, argv);
  int status = cli_main(argc, argv);
  fflush(stdout);
  exit(status);
}

int main(int argc, char** argv)
{
  char line[4096];
  if (argc < 2) return 2;
  while (fgets(line, sizeof line, stdin)) {
    int status = 0;
    pid_t child = fork();
    if (child < 0) return 1;
    if (child == 0) be_tool(line, argv[1]);
    if (waitpid(child, &status, 0) < 0) return 1;
    printf("%d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    fflush(stdout);
  }
  return 0;
}
