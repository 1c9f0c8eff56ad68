// Threads that share the items of a loop. Which thread does an item must not matter to what it computes: results are
// the same bits for any number of threads.
#ifndef SS_BASE_POOL_H
#define SS_BASE_POOL_H

#include <stdatomic.h>
#include <stdbool.h>

typedef struct ss_pool ss_pool;
typedef void ss_pool_task(void* user, int item);

/// `threads` in all, the one that calls ss_pool_run() among them; fewer if there are no more to be had. NULL if that is
/// one only or memory is short: ss_pool_run() does without.
ss_pool* ss_pool_create(int threads);
void ss_pool_destroy(ss_pool* pool);  ///< NULL is fine
int ss_pool_threads(const ss_pool* pool);

/// task(user, i) for all items 0 .. n - 1, and returns when all are done. One call at a time, not from within a task.
void ss_pool_run(ss_pool* pool, int n, ss_pool_task* task, void* user);

/// ... and for items n .. n + more - 1, which are given out with them and mostly begin after them, but some may begin
/// first: what they need of items before n they must wait for, and these must wait for none. Flags are set with
/// atomic_store().
void ss_pool_run_two(ss_pool* pool, int n, int more, ss_pool_task* task, void* user);
void ss_pool_wait(atomic_bool* flag);

#endif
