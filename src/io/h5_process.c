// The process that reads an HDF5 file for this one: its start, its limits, its end, and the line to it.
#define _GNU_SOURCE  // syscall
#include "io/h5_process.h"
#include "io/h5.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
  MEMORY = 1 << 30,  // bytes it may take, beyond what this process has
  FILES = 4096,      // descriptors closed one by one, before Linux 5.9
  PATIENCE = 60,     // s that it may take for the next bytes: damaged files can send HDF5 round in circles
};

// ---- the line ----

bool ss_h5_send(int socket, const void* data, size_t size)
{
  const char* from = data;
  while (size) {
    ssize_t put = send(socket, from, size, MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    from += put;
    size -= (size_t)put;
  }
  return true;
}

bool ss_h5_receive(int socket, void* data, size_t size)
{
  char* to = data;
  while (size) {
    ssize_t got = recv(socket, to, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    size -= (size_t)got;
  }
  return true;
}

// ---- the child ----

// Nothing of the parent's is held open: neither its locks nor the lines to other children
static void close_others(int socket)
{
  int null = open("/dev/null", O_RDWR);
  for (int fd = 0; fd <= 2 && null >= 0; fd++) dup2(null, fd);
  if (socket != 3) dup2(socket, 3);
  if (syscall(SYS_close_range, 4u, ~0u, 0u) < 0)
    for (int fd = 4; fd < FILES; fd++) close(fd);
}

// It ends with the parent, not with the parent's terminal; and it dies, in silence, where HDF5 goes astray
static void set_signals(void)
{
  static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM, SIGCHLD, SIGTSTP};
  static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP, SIGPROF, SIGXCPU};
  sigset_t none;
  sigemptyset(&none);
  for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) signal(ignored[i], SIG_IGN);
  for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++) signal(deadly[i], SIG_DFL);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

// Memory on top of what the process has: a size in a damaged file is refused by the system then
static void set_limits(void)
{
  struct rlimit limit = {0, 0};
  unsigned long pages = 0;
  setrlimit(RLIMIT_CORE, &limit);
  FILE* f = fopen("/proc/self/statm", "r");
  bool known = f && fscanf(f, "%lu", &pages) == 1;
  if (f) fclose(f);
  if (!known || getrlimit(RLIMIT_AS, &limit) < 0) return;
  rlim_t most = (rlim_t)pages*(rlim_t)sysconf(_SC_PAGESIZE) + MEMORY;
  if (limit.rlim_cur == RLIM_INFINITY || most < limit.rlim_cur) limit.rlim_cur = most;
  setrlimit(RLIMIT_AS, &limit);
}

// ---- the parent ----

bool ss_h5_process_start(ss_h5_process* p, const char* path, const char* expected)
{
  int end[2];
  *p = (ss_h5_process){.id = -1, .socket = -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, end) < 0) return false;
  pid_t id = ss_h5_fork();
  if (id == 0) {
    set_signals();
    close_others(end[1]);
    set_limits();
    ss_h5_serve(3, path, expected);
    _exit(0);
  }
  close(end[1]);
  setsockopt(end[0], SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){.tv_sec = PATIENCE}, sizeof(struct timeval));
  if (id < 0) close(end[0]);
  else *p = (ss_h5_process){.id = id, .socket = end[0]};
  return id >= 0;
}

// The child has nothing to lose, and may be busy. It may be that the program has taken its status already; then the
// number may be another process's by now.
void ss_h5_process_stop(ss_h5_process* p)
{
  if (p->socket >= 0) close(p->socket);
  p->socket = -1;
  if (p->id > 0 && waitpid(p->id, NULL, WNOHANG) == 0) {
    kill(p->id, SIGKILL);
    while (waitpid(p->id, NULL, 0) < 0 && errno == EINTR) {}
  }
  p->id = -1;
}

ss_status ss_h5_process_ask(ss_h5_process* p, const ss_h5_question* question, ss_h5_answer* answer, uint64_t most,
                            void* out, void** body)
{
  bool good = p->socket >= 0 && ss_h5_send(p->socket, question, sizeof *question) &&
              ss_h5_receive(p->socket, answer, sizeof *answer);
  good = good && answer->bytes <= most && answer->n >= 0 && (!out || !answer->good || answer->bytes == most);
  if (!good) {
    ss_h5_process_stop(p);
    return SS_ERR_FILE;
  }
  char* to = out ? out : malloc(answer->bytes + 1);
  if (!to || !ss_h5_receive(p->socket, to, answer->bytes)) {
    ss_h5_process_stop(p);
    if (!out) free(to);
    return to ? SS_ERR_FILE : SS_ERR_MEMORY;
  }
  if (out) return SS_OK;
  to[answer->bytes] = 0;
  *body = to;
  return SS_OK;
}
