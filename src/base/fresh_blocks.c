/* Costs are nanoseconds of this thread's processor time, so that nobody else's work counts. */
#include "base/fresh_blocks.h"

#include <pthread.h>
#include <sys/mman.h>
#include <time.h>

/* The other way is tried rarely, and more rarely after each time that it has lost. */
enum { PATIENCE_FIRST = 8, PATIENCE_MOST = 1 << 12 };
/* A new cost is this part of the average. */
enum { AVERAGE_PART = 4 };
/* Linux from 5.14 on; others answer that they do not know it. */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#ifndef MADV_HUGEPAGE
#define MADV_HUGEPAGE 14
#endif

static enum block_way cheaper(const struct block_costs *c)
{
    return c->cost[BLOCK_LARGE] < c->cost[BLOCK_SMALL] ? BLOCK_LARGE : BLOCK_SMALL;
}

enum block_way block_costs_next(struct block_costs *c)
{
    for (unsigned way = 0; way < BLOCK_WAYS; way++)
        if (!c->cost[way])
            return (enum block_way)way;
    const enum block_way best = cheaper(c);
    if (!c->patience)
        c->patience = c->until_other = PATIENCE_FIRST;
    if (--c->until_other)
        return best;
    c->patience = c->patience < PATIENCE_MOST ? 2 * c->patience : PATIENCE_MOST;
    c->until_other = c->patience;
    return best == BLOCK_SMALL ? BLOCK_LARGE : BLOCK_SMALL;
}

void block_costs_note(struct block_costs *c, enum block_way way, uint64_t cost)
{
    const bool knows_both = c->cost[BLOCK_SMALL] && c->cost[BLOCK_LARGE];
    const enum block_way before = cheaper(c);
    uint64_t *is = &c->cost[way];
    /* what the other way once cost says nothing any more */
    *is = knows_both && way == before ? *is - *is / AVERAGE_PART + cost / AVERAGE_PART : cost;
    *is += !*is;
    if (knows_both && cheaper(c) != before)
        c->patience = c->until_other = PATIENCE_FIRST;
}

/* --- of this process --- */

static struct {
    pthread_mutex_t lock;
    struct block_costs costs;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t nanoseconds(void)
{
    struct timespec t;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t))
        return 0;
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

struct fresh_block fresh_block_begin(void *block)
{
    pthread_mutex_lock(&state.lock);
    const struct fresh_block b = {block_costs_next(&state.costs), nanoseconds()};
    pthread_mutex_unlock(&state.lock);
    if (b.way == BLOCK_LARGE && !madvise(block, BLOCK_BYTES, MADV_HUGEPAGE))
        (void)madvise(block, BLOCK_BYTES, MADV_POPULATE_WRITE);
    return b;
}

void fresh_block_end(const struct fresh_block *b)
{
    const uint64_t cost = nanoseconds() - b->from;
    pthread_mutex_lock(&state.lock);
    block_costs_note(&state.costs, b->way, cost);
    pthread_mutex_unlock(&state.lock);
}
