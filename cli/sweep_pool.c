// Threads that compute the pieces of a sweep, and what puts their results in order. Under mpirun the processes take the
// place of threads: the first one hands out numbers and collects, the others compute.
#include <math.h>
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

// Pieces, and bytes of them, that may wait for one that takes long
enum { MOST_PIECES = 1 << 20, MOST_BYTES = 1 << 26 };

// Results wait in a ring until those before them are written; who is too far ahead waits for them.
typedef struct pool {
  const cli_sweep* s;
  pthread_mutex_t lock;
  pthread_cond_t turn;
  long next, written, end;
  int room;
  result* ring;   // room
  size_t bytes;   // of the rows in it
  bool stop;      // memory is short, or the file cannot be written
  int status;
  cli_sweep_write write;
  void* user;
} pool;

static size_t size_of(const result* r) { return r->rows ? strlen(r->rows) : 0; }

static void keep(pool* p, long unit, const result* r)
{
  p->ring[unit%p->room] = *r;
  p->bytes += size_of(r);
}

// Whether the next piece must wait for others to be written
static bool is_far_ahead(const pool* p) { return p->next >= p->written + p->room || p->bytes > MOST_BYTES; }

// What is ready, in order; under the lock
static void write_ready(pool* p)
{
  while (!p->stop && p->written < p->end && p->ring[p->written%p->room].done) {
    result* r = &p->ring[p->written%p->room];
    if (!r->rows) p->status = cli_out_of_memory();
    else if (!p->write(p->user, p->written, r->rows, r->failed, r->missed)) p->status = CLI_BAD_FILE;
    p->stop = p->status != CLI_GO_ON;
    p->bytes -= size_of(r);
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
    while (!p->stop && p->next < p->end && is_far_ahead(p)) pthread_cond_wait(&p->turn, &p->lock);
    if (p->stop || p->next >= p->end) break;
    long unit = p->next++;
    pthread_mutex_unlock(&p->lock);
    result r = {.done = true};
    r.rows = cli_sweep_compute(p->s, unit, &r.failed, &r.missed);
    pthread_mutex_lock(&p->lock);
    keep(p, unit, &r);
    write_ready(p);
  }
  pthread_mutex_unlock(&p->lock);
  return NULL;
}

// ---- processes ----

#define SILENT 60.0     // seconds, and ten times the slowest piece of work: who is silent for longer is taken for gone
#define STILL_HERE 5.0  // seconds after which the first process gives a sign to those who wait

// A worker as the first process sees it
typedef struct worker {
  bool idle, doubled;  // doubled: somebody else does its work, too
  long unit;                 // that it computes, -1: it has not reported yet
  double since;
} worker;

typedef struct crew {
  pool* p;
  const cli_mpi* mpi;
  worker* w;       // size; the first one is this process
  double slowest;  // piece of work so far, seconds
} crew;

static bool is_gone(const crew* c, int i)
{
  return c->mpi->is_gone(i) || (!c->w[i].idle && cli_seconds() - c->w[i].since > SILENT + 10*c->slowest);
}

// The next message, if one comes soon; a worker's first one holds no result
static void take(crew* c)
{
  pool* p = c->p;
  long head[3];
  char* rows = NULL;
  int from = c->mpi->receive(head, &rows, 0.1);
  if (from < 0) return;
  worker* w = &c->w[from];
  if (head[0] >= 0) c->slowest = fmax(c->slowest, cli_seconds() - w->since);
  *w = (worker){.idle = true, .unit = -1, .since = cli_seconds()};
  if (head[0] < p->written || p->ring[head[0]%p->room].done) {  // no result, or somebody was faster
    free(rows);
    return;
  }
  if (head[1] < 0) {  // memory is short there
    free(rows);
    rows = NULL;
  }
  keep(p, head[0], &(result){.rows = rows, .failed = head[1], .missed = head[2], .done = true});
  write_ready(p);
}

// New work, or that of somebody who is gone; -1: none
static long find_work(crew* c)
{
  pool* p = c->p;
  if (p->next < p->end) return p->next++;
  for (int i = 1; i < c->mpi->size; i++) {
    worker* w = &c->w[i];
    if (w->unit < p->written || w->doubled || p->ring[w->unit%p->room].done || !is_gone(c, i)) continue;
    w->doubled = true;
    return w->unit;
  }
  return -1;
}

static void give_work(crew* c)
{
  for (int i = 1; i < c->mpi->size; i++) {
    worker* w = &c->w[i];
    if (!w->idle || is_gone(c, i)) continue;
    double now = cli_seconds();
    long unit = find_work(c);
    if (unit >= 0) {
      w->idle = false;
      w->unit = unit;
    }
    if (unit >= 0 || now - w->since > STILL_HERE) {
      w->since = now;
      c->mpi->tell(i, unit >= 0 ? unit : CLI_MPI_WAIT);
    }
  }
}

// Where nobody is left the first process does the work itself
static void step_in(crew* c)
{
  pool* p = c->p;
  for (int i = 1; i < c->mpi->size; i++)
    if (!is_gone(c, i)) return;
  long unit = find_work(c);
  if (unit < 0) return;
  result r = {.done = true};
  r.rows = cli_sweep_compute(p->s, unit, &r.failed, &r.missed);
  keep(p, unit, &r);
  write_ready(p);
}

// Tells all that there is no more, as soon as those who still compute have done so. False if some are gone.
static bool send_away(crew* c)
{
  int gone = 0;
  for (int left = 1; left;) {
    left = gone = 0;
    for (int i = 1; i < c->mpi->size; i++) {
      gone += is_gone(c, i);
      left += !c->w[i].idle && !is_gone(c, i);
    }
    if (left) take(c);
  }
  for (int i = 1; i < c->mpi->size; i++)
    if (c->w[i].idle) c->mpi->tell(i, gone ? CLI_MPI_LEAVE : CLI_MPI_END);
  return !gone;
}

// Numbers to whoever is free, results in order
static void hand_out(pool* p, const cli_mpi* mpi)
{
  crew c = {.p = p, .mpi = mpi, .w = calloc((size_t)mpi->size, sizeof(worker))};
  if (!c.w) {
    p->status = cli_out_of_memory();
    cli_mpi_close(false);
    return;
  }
  for (int i = 1; i < mpi->size; i++) c.w[i] = (worker){.unit = -1, .since = cli_seconds()};
  while (!p->stop && p->written < p->end) {
    take(&c);
    give_work(&c);
    step_in(&c);
  }
  cli_mpi_close(send_away(&c));
  free(c.w);
}

static int compute_for(const cli_sweep* s, const cli_mpi* mpi)
{
  long unit;
  mpi->report(-1, 0, 0, "");
  while ((unit = mpi->listen()) >= 0) {
    long failed, missed;
    char* rows = cli_sweep_compute(s, unit, &failed, &missed);
    mpi->report(unit, rows ? failed : -1, missed, rows ? rows : "");
    free(rows);
  }
  cli_mpi_close(unit == CLI_MPI_END);
  return unit == CLI_MPI_ALONE ? CLI_FAILED : CLI_DONE;
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
  long pieces = p.end - first + 1;
  p.room = (int)(processes || pieces < MOST_PIECES ? pieces : MOST_PIECES);
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
