// For tests, preloaded: every other read or write is interrupted by a signal (EINTR) before anything is done, the
// others do a part only, at most SS_PART bytes. A real signal, whose handler does not restart system calls, comes every
// millisecond besides; in forked children too. What was interrupted so often is written to the file SS_COUNT.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static atomic_long calls;
static size_t most = 100;

static void tick(int number) { (void)number; }

static void start_timer(void)
{
  timer_t timer;
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
  struct itimerspec every = {{0, 1000000}, {0, 1000000}};
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0) timer_settime(timer, 0, &every, NULL);
}

__attribute__((constructor)) static void begin(void)
{
  struct sigaction action = {.sa_handler = tick};  // no SA_RESTART
  const char* part = getenv("SS_PART");
  if (part) most = (size_t)atol(part);
  sigaction(SIGRTMIN, &action, NULL);
  pthread_atfork(NULL, NULL, start_timer);
  start_timer();
}

__attribute__((destructor)) static void end(void)
{
  const char* path = getenv("SS_COUNT");
  FILE* f = path ? fopen(path, "a") : NULL;
  if (!f) return;
  fprintf(f, "%ld\n", atomic_load(&calls)/2);
  fclose(f);
}

static int is_interrupted(size_t* n)
{
  if (atomic_fetch_add(&calls, 1)%2 == 0) {
    errno = EINTR;
    return 1;
  }
  if (*n > most) *n = most;
  return 0;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t pwrite(int fd, const void* data, size_t n, off_t at)
{
  return is_interrupted(&n) ? -1 : REAL(pwrite)(fd, data, n, at);
}

ssize_t pread(int fd, void* data, size_t n, off_t at) { return is_interrupted(&n) ? -1 : REAL(pread)(fd, data, n, at); }
ssize_t write(int fd, const void* data, size_t n) { return is_interrupted(&n) ? -1 : REAL(write)(fd, data, n); }
ssize_t read(int fd, void* data, size_t n) { return is_interrupted(&n) ? -1 : REAL(read)(fd, data, n); }

ssize_t send(int fd, const void* data, size_t n, int flags)
{
  return is_interrupted(&n) ? -1 : REAL(send)(fd, data, n, flags);
}

ssize_t recv(int fd, void* data, size_t n, int flags)
{
  return is_interrupted(&n) ? -1 : REAL(recv)(fd, data, n, flags);
}

ssize_t recvfrom(int fd, void* data, size_t n, int flags, struct sockaddr* from, socklen_t* length)
{
  return is_interrupted(&n) ? -1 : REAL(recvfrom)(fd, data, n, flags, from, length);
}
