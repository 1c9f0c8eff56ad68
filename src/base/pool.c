// A pool of threads. A round is one call of ss_pool_run(); `ticket` holds its number and how many items are left, so
// that a thread that comes late takes nothing of a round that it has not looked at.
#include "base/pool.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

// Some 100 us: rounds follow one another closely, an item may take 20 us, and who sleeps is woken late, often on the
// processor of the one who wakes
enum { SPINS = 40000 };

struct ss_pool {
  int n;               // threads besides the caller
  pthread_t* thread;   // n
  _Atomic uint64_t ticket;  // round << 32 | items left
  atomic_int done;
  _Atomic(ss_pool_task*) task;
  _Atomic(void*) user;
  atomic_int asleep;
  atomic_bool stop;
  pthread_mutex_t lock;
  pthread_cond_t wake;
};

static uint32_t round_of(uint64_t ticket) { return (uint32_t)(ticket >> 32); }

// Items of the present round, until there are none left
static void work(ss_pool* p)
{
  for (;;) {
    uint64_t ticket = atomic_load(&p->ticket);
    ss_pool_task* task = atomic_load(&p->task);
    void* user = atomic_load(&p->user);
    if ((uint32_t)ticket == 0) return;
    if (!atomic_compare_exchange_weak(&p->ticket, &ticket, ticket - 1)) continue;
    task(user, (int)(uint32_t)ticket - 1);
    atomic_fetch_add(&p->done, 1);
  }
}

static bool is_new(ss_pool* p, uint32_t seen)
{
  return atomic_load(&p->stop) || round_of(atomic_load(&p->ticket)) != seen;
}

static void wait_for_round(ss_pool* p, uint32_t seen)
{
  for (int i = 0; i < SPINS; i++)
    if (is_new(p, seen)) return;
  pthread_mutex_lock(&p->lock);
  atomic_fetch_add(&p->asleep, 1);
  while (!is_new(p, seen)) pthread_cond_wait(&p->wake, &p->lock);
  atomic_fetch_sub(&p->asleep, 1);
  pthread_mutex_unlock(&p->lock);
}

static void* serve(void* of)
{
  ss_pool* p = of;
  uint32_t seen = 0;
  while (!atomic_load(&p->stop)) {
    wait_for_round(p, seen);
    seen = round_of(atomic_load(&p->ticket));
    work(p);
  }
  return NULL;
}

static void wake_up(ss_pool* p)
{
  if (atomic_load(&p->asleep) == 0) return;
  pthread_mutex_lock(&p->lock);
  pthread_cond_broadcast(&p->wake);
  pthread_mutex_unlock(&p->lock);
}

ss_pool* ss_pool_create(int threads)
{
  if (threads < 2) return NULL;
  ss_pool* p = calloc(1, sizeof *p);
  if (!p) return NULL;
  p->thread = calloc((size_t)threads, sizeof *p->thread);
  pthread_mutex_init(&p->lock, NULL);
  pthread_cond_init(&p->wake, NULL);
  while (p->thread && p->n < threads - 1 && pthread_create(p->thread + p->n, NULL, serve, p) == 0) p->n++;
  if (p->n > 0) return p;
  ss_pool_destroy(p);
  return NULL;
}

void ss_pool_destroy(ss_pool* p)
{
  if (!p) return;
  atomic_store(&p->stop, true);
  pthread_mutex_lock(&p->lock);
  pthread_cond_broadcast(&p->wake);
  pthread_mutex_unlock(&p->lock);
  for (int i = 0; i < p->n; i++) pthread_join(p->thread[i], NULL);
  pthread_mutex_destroy(&p->lock);
  pthread_cond_destroy(&p->wake);
  free(p->thread);
  free(p);
}

int ss_pool_threads(const ss_pool* p) { return p ? p->n + 1 : 1; }

void ss_pool_run(ss_pool* p, int n, ss_pool_task* task, void* user)
{
  if (!p || n < 2) {
    for (int i = 0; i < n; i++) task(user, i);
    return;
  }
  atomic_store(&p->task, task);
  atomic_store(&p->user, user);
  atomic_store(&p->done, 0);
  atomic_store(&p->ticket, (uint64_t)(round_of(atomic_load(&p->ticket)) + 1) << 32 | (uint32_t)n);
  wake_up(p);
  work(p);
  for (int i = 0; atomic_load(&p->done) < n; i++)
    if (i > SPINS) sched_yield();
}
