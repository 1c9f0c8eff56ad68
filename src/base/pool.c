// A pool of threads. A round is one call of ss_pool_run(). Every thread has a share of the items, the same ones in
// every round of as many: what it worked on is in its cache. Who is done goes on with the shares of others. The ticket
// of a share holds the number of the round and how many items are left, so that a thread that comes late takes nothing
// of a round that it has not looked at.
#include "base/pool.h"
#include <pthread.h>
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Some 100 us: rounds follow one another closely, an item may take 20 us, and who sleeps is woken late, often on the
// processor of the one who wakes
enum { SPINS = 40000 };

typedef struct share {
  alignas(64) _Atomic uint64_t ticket[2];  // of the items to begin with, and of those after them: round << 32 | left
  atomic_int end[2];                       // behind the last item
} share;

typedef struct server {
  struct ss_pool* pool;
  pthread_t thread;
  int own;  // number of the share
} server;

struct ss_pool {
  int n;           // threads besides the caller
  server* server;  // n
  share* share;    // n + 1: the caller's is number 0
  alignas(64) atomic_int done;
  _Atomic(ss_pool_task*) task;
  _Atomic(void*) user;
  atomic_int asleep;
  atomic_bool stop;
  pthread_mutex_t lock;
  pthread_cond_t wake;
};

static uint32_t round_of(uint64_t ticket) { return (uint32_t)(ticket >> 32); }

// Items of one share in the present round, until there are none left
static void work_on(ss_pool* p, _Atomic uint64_t* of, atomic_int* behind)
{
  for (;;) {
    uint64_t ticket = atomic_load(of);
    int end = atomic_load(behind), left = (int)(uint32_t)ticket;
    ss_pool_task* task = atomic_load(&p->task);
    void* user = atomic_load(&p->user);
    if (left == 0) return;
    if (!atomic_compare_exchange_weak(of, &ticket, ticket - 1)) continue;
    task(user, end - left);
    atomic_fetch_add(&p->done, 1);
  }
}

// One's own share, then those of the others
static void work(ss_pool* p, int own)
{
  for (int k = 0; k < 2; k++)
    for (int i = 0; i <= p->n; i++) {
      share* s = &p->share[(own + i)%(p->n + 1)];
      work_on(p, &s->ticket[k], &s->end[k]);
    }
}

// The caller's share is given out last, so that its round is the pool's
static uint32_t round_now(ss_pool* p) { return round_of(atomic_load(&p->share[0].ticket[0])); }

static bool is_new(ss_pool* p, uint32_t seen) { return atomic_load(&p->stop) || round_now(p) != seen; }

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
  server* me = of;
  ss_pool* p = me->pool;
  uint32_t seen = 0;
  while (!atomic_load(&p->stop)) {
    wait_for_round(p, seen);
    seen = round_now(p);
    work(p, me->own);
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
  ss_pool* p = aligned_alloc(64, sizeof *p);
  if (!p) return NULL;
  memset(p, 0, sizeof *p);
  p->server = calloc((size_t)threads, sizeof *p->server);
  p->share = aligned_alloc(64, (size_t)threads*sizeof *p->share);
  pthread_mutex_init(&p->lock, NULL);
  pthread_cond_init(&p->wake, NULL);
  if (p->share) memset(p->share, 0, (size_t)threads*sizeof *p->share);
  while (p->share && p->server && p->n < threads - 1) {
    p->server[p->n] = (server){.pool = p, .own = p->n + 1};
    if (pthread_create(&p->server[p->n].thread, NULL, serve, &p->server[p->n]) != 0) break;
    p->n++;
  }
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
  for (int i = 0; i < p->n; i++) pthread_join(p->server[i].thread, NULL);
  pthread_mutex_destroy(&p->lock);
  pthread_cond_destroy(&p->wake);
  free(p->server);
  free(p->share);
  free(p);
}

int ss_pool_threads(const ss_pool* p) { return p ? p->n + 1 : 1; }

// Items first .. first + n - 1 in shares
static void give_out(ss_pool* p, int k, uint32_t round, int first, int n)
{
  for (int i = p->n; i >= 0; i--) {
    int from = (int)((long)n*i/(p->n + 1)), end = (int)((long)n*(i + 1)/(p->n + 1));
    atomic_store(&p->share[i].end[k], first + end);
    atomic_store(&p->share[i].ticket[k], (uint64_t)round << 32 | (uint32_t)(end - from));
  }
}

void ss_pool_run_two(ss_pool* p, int n, int more, ss_pool_task* task, void* user)
{
  if (!p || n + more < 2) {
    for (int i = 0; i < n + more; i++) task(user, i);
    return;
  }
  uint32_t round = round_now(p) + 1;
  atomic_store(&p->task, task);
  atomic_store(&p->user, user);
  atomic_store(&p->done, 0);
  give_out(p, 1, round, n, more);
  give_out(p, 0, round, 0, n);
  wake_up(p);
  work(p, 0);
  for (int i = 0; atomic_load(&p->done) < n + more; i++)
    if (i > SPINS) sched_yield();
}

void ss_pool_run(ss_pool* p, int n, ss_pool_task* task, void* user) { ss_pool_run_two(p, n, 0, task, user); }

void ss_pool_wait(atomic_bool* flag)
{
  for (int i = 0; !atomic_load(flag); i++)
    if (i > SPINS) sched_yield();
}
