/* Costs are nanoseconds of this thread's processor time, so that nobody else's work counts. */
#include "base/fresh_blocks.h"

#include <pthread.h>
#include <sys/mman.h>
#include <time.h>

/* The other way is tried rarely, and more rarely after each time that it has lost. */
enum { PATIENCE_FIRST = 8, PATIENCE_MOST = 1 << 12 };
/* A new cost is this part of the average. */
enum { AVERAGE_PART = 4 };
/* Blocks for somebody who may not write them are large pages if these cost this part of small ones.
 */
enum { CHEAP_PART = 2 };
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

static bool knows_both(const struct block_costs *c)
{
    return c->cost[BLOCK_SMALL] && c->cost[BLOCK_LARGE];
}

enum block_way block_costs_next(struct block_costs *c)
{
    if (!knows_both(c))
        return c->cost[BLOCK_SMALL] ? BLOCK_LARGE : BLOCK_SMALL;
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
    const bool knew_both = knows_both(c);
    const enum block_way before = cheaper(c);
    uint64_t *is = &c->cost[way];
    /* what the other way once cost says nothing any more */
    *is = knew_both && way == before ? *is - *is / AVERAGE_PART + cost / AVERAGE_PART : cost;
    *is += !*is;
    if (knew_both && cheaper(c) != before)
        c->patience = c->until_other = PATIENCE_FIRST;
}

/* --- of this process --- */

static struct {
    pthread_mutex_t lock;
    struct block_costs costs; /* of making and writing */
    struct block_costs made;  /* of making alone */
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

/* False: this host does not make pages ahead, or none that are large. */
static bool make_block(void *block)
{
    const enum block_way way = block_costs_next(&state.made);
    const uint64_t from = nanoseconds();
    if ((way == BLOCK_LARGE && madvise(block, BLOCK_BYTES, MADV_HUGEPAGE)) ||
        madvise(block, BLOCK_BYTES, MADV_POPULATE_WRITE))
        return false;
    block_costs_note(&state.made, way, nanoseconds() - from);
    return true;
}

/* Whether a large page has been so much cheaper that one for nobody is not too dear. */
static bool are_cheap(const struct block_costs *c)
{
    return knows_both(c) && c->cost[BLOCK_LARGE] <= c->cost[BLOCK_SMALL] / CHEAP_PART;
}

void fresh_blocks_prepare(void *first, size_t n)
{
    pthread_mutex_lock(&state.lock);
    bool goes_on = make_block(first);
    for (size_t i = 1; i < n && goes_on && (!knows_both(&state.made) || are_cheap(&state.made));
         i++)
        goes_on = make_block((char *)first + i * BLOCK_BYTES);
    pthread_mutex_unlock(&state.lock);
}

bool fresh_block_make(void *block)
{
    pthread_mutex_lock(&state.lock);
    const bool is_made = make_block(block);
    pthread_mutex_unlock(&state.lock);
    return is_made;
}

bool fresh_pages_make(void *first, size_t bytes)
{
    return !madvise(first, bytes, MADV_POPULATE_WRITE);
}
