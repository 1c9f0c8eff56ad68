// Threads that compute the pieces of a sweep, and what puts their results in order. Under mpirun the processes take the
// place of threads: the first one hands out numbers and collects, the others compute.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "progress.h"
#include "sweep.h"
#include "sweep_mpi.h"

typedef struct result {
  char* rows;
  long failed, missed;
  bool done;
} result;

// Results wait in a ring until those before them are written; who is too far ahead waits for them.
typedef struct pool {
  const cli_sweep* s;
  pthread_mutex_t lock;
  pthread_cond_t turn;
  long next, written, end;
  int room;
  result* ring;   // room
  bool stop;      // memory is short, or the file cannot be written
  int status;
  cli_sweep_write write;
  void* user;
} pool;

// What is ready, in order; under the lock
static void write_ready(pool* p)
{
  while (!p->stop && p->written < p->end && p->ring[p->written%p->room].done) {
    result* r = &p->ring[p->written%p->room];
    if (!r->rows) p->status = cli_out_of_memory();
    else if (!p->write(p->user, p->written, r->rows, r->failed, r->missed)) p->status = CLI_BAD_FILE;
    p->stop = p->status != CLI_GO_ON;
    free(r->rows);
    *r = (result){0};
    p->written++;
  }
  pthread_cond_broadcast(&p->turn);
}

static void* work(void* user)
{
  pool* p = user;
  pthread_mutex_lock(&p->lock);
  for (;;) {
    while (!p->stop && p->next < p->end && p->next >= p->written + p->room) pthread_cond_wait(&p->turn, &p->lock);
    if (p->stop || p->next >= p->end) break;
    long unit = p->next++;
    pthread_mutex_unlock(&p->lock);
    result r = {.done = true};
    r.rows = cli_sweep_compute(p->s, unit, &r.failed, &r.missed);
    pthread_mutex_lock(&p->lock);
    p->ring[unit%p->room] = r;
    write_ready(p);
  }
  pthread_mutex_unlock(&p->lock);
  return NULL;
}

// ---- processes ----

// Numbers to whoever is free, results in order; a worker's first message holds no result
static void hand_out(pool* p, const cli_mpi* mpi)
{
  int busy = mpi->size - 1;
  while (busy > 0) {
    long head[3];
    char* rows = NULL;
    int from = mpi->receive(head, &rows);
    if (from < 0) {
      p->status = CLI_FAILED;
      return;
    }
    if (head[0] >= 0) {
      p->ring[head[0]%p->room] = (result){.rows = rows, .failed = head[1], .missed = head[2], .done = true};
      write_ready(p);
    }
    bool more = !p->stop && p->next < p->end;
    mpi->tell(from, more ? p->next++ : -1);
    busy -= !more;
  }
}

static int compute_for(const cli_sweep* s, const cli_mpi* mpi)
{
  mpi->report(-1, 0, 0, "");
  for (long unit; (unit = mpi->listen()) >= 0;) {
    long failed, missed;
    char* rows = cli_sweep_compute(s, unit, &failed, &missed);
    mpi->report(unit, failed, missed, rows ? rows : "");
    free(rows);
  }
  return CLI_DONE;
}

bool cli_sweep_is_worker(void)
{
  const cli_mpi* mpi = cli_mpi_open();
  return mpi && mpi->rank > 0;
}

int cli_sweep_run(const cli_sweep* s, long first, int threads, cli_sweep_write write, void* user)
{
  const cli_mpi* mpi = cli_mpi_open();
  if (mpi && mpi->rank > 0) return compute_for(s, mpi);
  bool processes = mpi && mpi->size > 1;
  pool p = {.s = s, .next = first, .written = first, .end = cli_sweep_units(s), .status = CLI_GO_ON, .write = write,
            .user = user, .lock = PTHREAD_MUTEX_INITIALIZER, .turn = PTHREAD_COND_INITIALIZER};
  p.room = processes ? (int)(p.end - first) + 1 : 64*threads;
  p.ring = calloc((size_t)p.room, sizeof *p.ring);
  pthread_t* thread = calloc((size_t)threads, sizeof *thread);
  if (!p.ring || !thread) p.status = cli_out_of_memory();
  int started = 0;
  if (p.status == CLI_GO_ON && processes) hand_out(&p, mpi);
  else if (p.status == CLI_GO_ON) {
    while (started < threads - 1 && pthread_create(&thread[started], NULL, work, &p) == 0) started++;
    work(&p);  // this thread is one of them
  }
  for (int i = 0; i < started; i++) pthread_join(thread[i], NULL);
  for (int i = 0; p.ring && i < p.room; i++) free(p.ring[i].rows);
  free(p.ring);
  free(thread);
  return p.status == CLI_GO_ON ? CLI_DONE : p.status;
}
